// SPDX-License-Identifier: Apache-2.0
// Levenshtein distances by engine bits: two sets of symbols, more different ones than their first table of numbers
// holds.
#include <wavewarp/wavewarp.h>

#include "error.h"
#include "scenarios.h"

enum { COUNT = 3, LENGTH = 100 };

ww_status wwt_scenario_bits(void) {
    ww_context *context = NULL;
    ww_dataset *rows = NULL, *columns = NULL;
    ww_plan *plan = NULL;
    ww_measure measure;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options two = WW_DATASET_OPTIONS_INIT; // of the rows go to the device at a time
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    float x[COUNT * LENGTH], y[COUNT * LENGTH], distances[COUNT];
    // Row i and column i differ in i symbols.
    for (int t = 0; t < COUNT * LENGTH; t++) {
        x[t] = (float)t;
        y[t] = (float)(t % LENGTH < t / LENGTH ? -1 : t);
    }
    view.count = COUNT;
    view.length = LENGTH;
    view.values = x;
    two.max_bytes = 2 * LENGTH * sizeof(float);
    options.engine = WW_ENGINE_BITS;
    ww_status status = ww_measure_init(&measure, sizeof measure, WW_LEVENSHTEIN);
    if (status == WW_OK)
        status = ww_context_create(NULL, &context);
    if (status == WW_OK)
        status = ww_dataset_create(context, &view, &two, &rows);
    view.values = y;
    if (status == WW_OK)
        status = ww_dataset_create(context, &view, NULL, &columns);
    if (status == WW_OK)
        status = ww_plan_create_pairs(&measure, rows, columns, NULL, NULL, COUNT, &options, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, &(const ww_output)WW_OUTPUT_HOST(distances));
    for (int i = 0; status == WW_OK && i < COUNT; i++)
        if (distances[i] != (float)i)
            status = wwi_fail(WW_ERROR_INTERNAL, "%d symbols differ, but the distance is %g", i, (double)distances[i]);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    ww_context_destroy(&context);
    return status;
}
