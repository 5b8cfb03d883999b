// SPDX-License-Identifier: Apache-2.0
// See point_options.h.
#include "base/point_options.h"

#include <stdlib.h>

const char *const cli_metrics[] = {
    "l2",           "l2-squared", "l1",       "linf",        "cosine",      "inner-product", "hamming", "jaccard",
    "jaccard-bits", "minkowski",  "canberra", "bray-curtis", "correlation", "nan-l2",        NULL};

static int view_of(const ww_point_set *set, ww_point_view *view) {
    *view = (ww_point_view)WW_POINT_VIEW_INIT;
    return cli_status(ww_point_set_view(set, view));
}

int cli_points_read(const char *path, ww_metric metric, ww_point_set **set, ww_point_view *view) {
    CLI_TRY(cli_status(ww_point_set_read(path, ww_metric_kind(metric), set)));
    return view_of(*set, view);
}

int cli_points_read_narrow(const char *path, ww_metric metric, ww_point_set **set, ww_point_view *view) {
    CLI_TRY(cli_status(ww_point_set_read_narrow(path, ww_metric_kind(metric), set)));
    return view_of(*set, view);
}

int cli_points_read_ids(const char *path, int64_t **ids, size_t *count) {
    CLI_ENDS(ww_point_set_destroy) ww_point_set *set = NULL;
    ww_point_view view;
    CLI_TRY(cli_points_read(path, WW_METRIC_L2, &set, &view));
    *count = view.count * view.dimension;
    if (!(*ids = malloc(*count * sizeof **ids)))
        return cli_error("not enough memory");
    for (size_t i = 0; i < *count; i++) {
        const double value = cli_value_at(view.values, view.precision, i);
        if (!(value >= 0 && value <= 9007199254740992.0 && value == (double)(int64_t)value))
            return cli_error("%s: id %zu is %.17g; ids are whole numbers from 0 to 2^53", path, i, value);
        (*ids)[i] = (int64_t)value;
    }
    return CLI_GO_ON;
}

int cli_points_upload(ww_context *context, const cli_device_options *device, const char *path,
                      const ww_point_view *view, ww_points **points) {
    return cli_points_upload_as(context, device, path, view, false, NULL, points);
}

int cli_points_upload_as(ww_context *context, const cli_device_options *device, const char *path,
                         const ww_point_view *view, bool missing, const int64_t *ids, ww_points **points) {
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    options.missing = missing;
    options.ids = ids;
    options.precision = cli_precision(device);
    options.max_bytes = device->max_bytes;
    return ww_points_create(context, view, &options, points) == WW_OK ? CLI_GO_ON : cli_fail_in(path);
}

ww_precision cli_points_precision(const cli_device_options *device, const ww_point_view *view) {
    return view->kind == WW_POINTS_NUMBERS ? cli_precision(device) : WW_FLOAT;
}
