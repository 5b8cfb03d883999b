// SPDX-License-Identifier: Apache-2.0
// A search for nearest neighbours, of points on the device and of points that do not fit there, for the test in which
// every call fails once.
#include <wavewarp/knn.h>

#include "host.h"
#include "scenarios.h"

// Points on a line at 0, 1, 2, ...: the two nearest are known. Enough of them that a filter has work.
enum { COUNT = 300 };

// `slice_bytes` 0: all points stay on the device.
static ww_status search(ww_context *context, uint64_t slice_bytes) {
    float values[COUNT];
    int64_t ids[COUNT * 2];
    float distances[COUNT * 2];
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    ww_knn *knn = NULL;
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    view.values = values;
    view.count = COUNT;
    view.dimension = 1;
    options.max_bytes = slice_bytes;
    ww_status status = ww_points_create(context, &view, &options, &points);
    if (status == WW_OK)
        status = ww_knn_create(points, NULL, 2, NULL, &knn);
    if (status == WW_OK)
        status = ww_knn_run(knn, ids, distances, NULL);
    for (int i = 0; status == WW_OK && i < COUNT; i++) {
        const int first = i == 0 ? 1 : i - 1;
        if (ids[2 * i] != first || distances[2 * i] != 1)
            status = wwi_fail(WW_ERROR_INTERNAL, "point %d has the neighbour %d", i, (int)ids[2 * i]);
    }
    ww_knn_destroy(&knn);
    ww_points_destroy(&points);
    return status;
}

static ww_status search_anew(uint64_t slice_bytes) {
    ww_context *context = NULL;
    ww_status status = ww_context_create(NULL, &context);
    if (status == WW_OK)
        status = search(context, slice_bytes);
    ww_context_destroy(&context);
    return status;
}

ww_status wwt_scenario_knn(void) {
    return search_anew(0);
}

// Two pairs of tiles fit: the points take several slices.
ww_status wwt_scenario_slices(void) {
    return search_anew(1024);
}
