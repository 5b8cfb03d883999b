// SPDX-License-Identifier: Apache-2.0
// Several devices for one command: --device all, gpus, or a list.
#ifndef WAVEWARP_CLI_GROUP_JOB_H
#define WAVEWARP_CLI_GROUP_JOB_H

#include "common.h"
#include "json.h"

// Whether --device, or else $WAVEWARP_DEVICE, names several devices.
bool cli_is_group(const cli_device_options *options);
int cli_group_open(const cli_device_options *options, ww_group **group);
// What is wrong in the points follows `path`.
int cli_group_points_make(ww_group *group, const cli_device_options *options, const char *path,
                          const ww_point_view *view, ww_group_points **points);
// A line a device on standard error: what it did, and where that is a terminal; which were lost, and why, always.
void cli_group_report(const ww_group *group);
// Adds what the last job did to what jobs before it did; one for each device, zeroed at first.
void cli_group_add(const ww_group *group, ww_group_info *sums);
// The time of the device that worked longest; that of kernels is not known. NULL: nothing.
void cli_group_head(const ww_group *group, cli_head *head);
// "devices": an object each. `sums` NULL: of the last job.
void cli_group_json(const ww_group *group, const ww_group_info *sums, cli_json *json);

#endif
