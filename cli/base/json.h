// SPDX-License-Identifier: Apache-2.0
// Writes JSON: the punctuation, the escapes, and the head that every command's object begins with. All JSON of the
// program is written by these functions. The fields of a command after its head are in the command's file.
#ifndef WAVEWARP_CLI_JSON_H
#define WAVEWARP_CLI_JSON_H

#include <math.h>

#include "base/common.h"

// Values go to `file` in order; commas and brackets follow from the calls. `name` is NULL inside an array.
typedef struct cli_json {
    FILE *file;
    size_t depth;
    char closing[8]; // of each open object or array
    bool empty[8];   // nothing is in it yet
    bool line;
} cli_json;

void cli_json_object(cli_json *json, const char *name);
void cli_json_array(cli_json *json, const char *name);
void cli_json_end(cli_json *json);  // of the innermost object or array; that of the outermost ends the line
void cli_json_line(cli_json *json); // the next value begins a line

// Any bytes: well-formed UTF-8 stays as it is, control characters are escaped, and every byte that is not UTF-8 counts
// as the Latin-1 character of its number (\u0080 to \u00ff). NULL gives null.
void cli_json_text(cli_json *json, const char *name, const char *text);
void cli_json_count(cli_json *json, const char *name, uint64_t value);
void cli_json_integer(cli_json *json, const char *name, int64_t value);
void cli_json_number(cli_json *json, const char *name, double value, int digits); // not finite: null
void cli_json_flag(cli_json *json, const char *name, bool value);
void cli_json_null(cli_json *json, const char *name);
// Values of float or double, with enough digits to read the same value.
void cli_json_values(cli_json *json, const char *name, const void *values, ww_precision precision, size_t count);

typedef struct cli_parameter {
    const char *name;
    double value;
} cli_parameter;

// The content of the head. A value of NULL, 0 or NAN is written as null or left out of a list.
typedef struct cli_head {
    const char *files[2]; // that were read, in the order of the arguments
    size_t counts[2];     // series or points of each
    const char *output;   // the file with the result
    const ww_measure *measure;
    const cli_measure_options *measure_options;
    const cli_read_options *read;
    const char *metric;              // of points, in place of a measure
    const cli_parameter *parameters; // of a search, in place of a measure's; a NULL name ends them
    ww_context *context;
    const char *precision, *engine;
    double seconds_compute, seconds_device;
} cli_head;

#define CLI_HEAD_INIT                                                                                                  \
    { .seconds_compute = NAN, .seconds_device = NAN }

// The fields of a measure.
void cli_json_measure(cli_json *json, const ww_measure *measure, const cli_measure_options *options);
// Opens the object and writes the head into it.
void cli_json_head(cli_json *json, FILE *file, const cli_command *command, const cli_head *head);
// What a plan did, behind the head: pairs, cells, cells_done, gcups and what was pruned.
void cli_json_plan(cli_json *json, const ww_plan_info *info);

#endif
