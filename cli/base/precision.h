// SPDX-License-Identifier: Apache-2.0
// Whether float holds what a job's data differ by.
#ifndef WAVEWARP_CLI_PRECISION_H
#define WAVEWARP_CLI_PRECISION_H

#include "base/common.h"

// Where float does not: computes in double, unless --precision is given or the device has no double, and says either in
// a line. `sets` may be NULL. An open context says what the device has.
void cli_precision_of_sets(cli_device_options *device, const ww_context *context, ww_series_set *const sets[2],
                           const char *const paths[2], bool quiet);
// The same of one view.
void cli_precision_of_view(cli_device_options *device, const ww_context *context, const ww_series_view *view,
                           const char *path, bool quiet);
// The same of values that are still to come: double.
void cli_precision_unseen(cli_device_options *device, const ww_context *context);
// The same of points, whose `values` may be NULL.
void cli_precision_of_points(cli_device_options *device, const ww_context *context, const ww_point_view views[2],
                             const char *const paths[2], bool quiet);

#endif
