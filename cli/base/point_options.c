// SPDX-License-Identifier: Apache-2.0
// See point_options.h.
#include "base/point_options.h"

const char *const cli_metrics[] = {
    "l2",           "l2-squared", "l1",       "linf",        "cosine",      "inner-product", "hamming", "jaccard",
    "jaccard-bits", "minkowski",  "canberra", "bray-curtis", "correlation", "nan-l2",        NULL};

int cli_points_read(const char *path, ww_metric metric, ww_point_set **set, ww_point_view *view) {
    CLI_TRY(cli_status(ww_point_set_read(path, ww_metric_kind(metric), set)));
    *view = (ww_point_view)WW_POINT_VIEW_INIT;
    return cli_status(ww_point_set_view(*set, view));
}

int cli_points_upload(ww_context *context, const cli_device_options *device, const char *path,
                      const ww_point_view *view, ww_points **points) {
    return cli_points_upload_missing(context, device, path, view, false, points);
}

int cli_points_upload_missing(ww_context *context, const cli_device_options *device, const char *path,
                              const ww_point_view *view, bool missing, ww_points **points) {
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    options.missing = missing;
    options.precision = cli_precision(device);
    options.max_bytes = device->max_bytes;
    return ww_points_create(context, view, &options, points) == WW_OK ? CLI_GO_ON : cli_fail_in(path);
}

ww_precision cli_points_precision(const cli_device_options *device, const ww_point_view *view) {
    return view->kind == WW_POINTS_NUMBERS ? cli_precision(device) : WW_FLOAT;
}
