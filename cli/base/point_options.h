// SPDX-License-Identifier: Apache-2.0
// What the commands on points share: knn and lsh.
#ifndef WAVEWARP_CLI_POINT_OPTIONS_H
#define WAVEWARP_CLI_POINT_OPTIONS_H

#include "base/common.h"

extern const char *const cli_metrics[]; // as enum ww_metric counts them

int cli_points_read(const char *path, ww_metric metric, ww_point_set **set, ww_point_view *view);
// The same, whose bytes and halves stay so.
int cli_points_read_narrow(const char *path, ww_metric metric, ww_point_set **set, ww_point_view *view);
// Whole numbers from 0, as many as there are in a file of numbers; *ids is the caller's to free.
int cli_points_read_ids(const char *path, int64_t **ids, size_t *count);
int cli_points_upload(ww_context *context, const cli_device_options *device, const char *path,
                      const ww_point_view *view, ww_points **points);
// The same where NaN may be a missing coordinate, and with the points' own ids, or NULL.
int cli_points_upload_as(ww_context *context, const cli_device_options *device, const char *path,
                         const ww_point_view *view, bool missing, const int64_t *ids, ww_points **points);
// Of distances: those of bits and sets are float.
ww_precision cli_points_precision(const cli_device_options *device, const ww_point_view *view);

#endif
