// SPDX-License-Identifier: Apache-2.0
// Several devices for one command: --device all, gpus, or a list.
#ifndef WAVEWARP_CLI_GROUP_JOB_H
#define WAVEWARP_CLI_GROUP_JOB_H

#include "common.h"
#include "json.h"

// Whether --device, or else $WAVEWARP_DEVICE, names several devices.
bool cli_is_group(const cli_device_options *options);
int cli_group_open(const cli_device_options *options, ww_group **group);
int cli_group_dataset_make(ww_group *group, const cli_device_options *options, ww_series_set *set,
                           ww_group_dataset **dataset);
// A line a device on standard error: what it did, and where that is a terminal; which were lost, and why, always.
void cli_group_report(const ww_group *group);
// "devices": an object each.
void cli_group_json(const ww_group *group, cli_json *json);

#endif
