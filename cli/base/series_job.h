// SPDX-License-Identifier: Apache-2.0
// What the commands over series share: what their options say of a measure, devices and files, and what becomes of it.
#ifndef WAVEWARP_CLI_SERIES_JOB_H
#define WAVEWARP_CLI_SERIES_JOB_H

#include "base/division.h"
#include "base/shares.h"

typedef struct cli_series_job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *paths[2]; // the second NULL: one set
    ww_measure measure;
    ww_series_set *sets[2]; // as the paths
    ww_context *context;
    ww_dataset *data[2];
    cli_progress progress;
    ww_plan_options plan;
    const char *output; // beside which ranks keep their work; NULL: nowhere
    cli_division division;
} cli_series_job;

// Makes the measure and reads the sets.
int cli_series_read(cli_series_job *j, const char *command);
// Fits time stamps and a band in percent to the sets.
int cli_series_fit(cli_series_job *j);
// Opens the devices, with the division's store; takes double where float loses digits of the series.
int cli_series_open(cli_series_job *j);
// What a command's work came to: where that is a part of it, `json` says so, and the command is at its end.
int cli_series_end_part(const cli_series_job *j, const cli_command *command, bool json, int result);
// Whether the sets have pairs.
int cli_pairs_check(const cli_series_job *j);
// What cli_series_open() does once the device is open (precision.h).
void cli_series_precision(cli_series_job *j);
// Puts the sets there.
int cli_series_put(cli_series_job *j);
// Both.
int cli_series_upload(cli_series_job *j);
void cli_series_end(cli_series_job *j);
// The head of the command's JSON, but for engine and seconds; of a part `output` is its store.
cli_head cli_series_head(const cli_series_job *j, const char *output);

#endif
