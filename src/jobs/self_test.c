// SPDX-License-Identifier: Apache-2.0
// Known answers on the device at hand, in every engine.
#include <math.h>
#include <stddef.h>
#include <wavewarp/plan.h>

#include "error.h"

// A case small enough to check by hand: squared cost 2, Frechet 1 (absolute differences); as symbols, 4 edits apart
// with 6 in common.
static const float left[] = {0, 0, 1, 2, 1, 0, 1, 0, 0}, right[] = {0, 1, 2, 0, 0, 0, 0, 0, 0};
enum { POINTS = 9, COPIES = 33 };

static ww_status check(ww_context *context, ww_measure_id id, double expected, ww_engine engine) {
    ww_status status;
    float rows[COPIES * POINTS], columns[COPIES * POINTS], distances[COPIES];
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    const ww_output to = WW_OUTPUT_HOST(distances);
    ww_dataset *a = NULL, *b = NULL;
    ww_plan *plan = NULL;
    ww_measure measure;
    for (size_t i = 0; i < COPIES * POINTS; i++) {
        rows[i] = left[i % POINTS];
        columns[i] = right[i % POINTS];
    }
    view.count = COPIES;
    view.length = POINTS;
    view.values = rows;
    options.engine = engine;
    if ((status = ww_measure_init(&measure, sizeof measure, id)) != WW_OK ||
        (status = ww_dataset_create(context, &view, NULL, &a)) != WW_OK)
        goto done;
    view.values = columns;
    if ((status = ww_dataset_create(context, &view, NULL, &b)) != WW_OK ||
        (status = ww_plan_create_pairs(&measure, a, b, NULL, NULL, COPIES, &options, &plan)) != WW_OK ||
        (status = ww_plan_run(plan, &to)) != WW_OK)
        goto done;
    for (size_t i = 0; i < COPIES; i++)
        if (!(fabs((double)distances[i] - expected) < 1e-6)) {
            wwi_fail(WW_ERROR_INTERNAL, "engine %s gives %s distance %g instead of %g", ww_engine_name(engine),
                     ww_measure_info_by_id(id)->name, (double)distances[i], expected);
            status = wwi_fail_hint("the driver compiles a kernel wrongly; try another engine or driver");
            goto done;
        }
done:
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    return status;
}

ww_status ww_context_self_test(ww_context *context) {
    for (ww_engine engine = WW_ENGINE_LANES; engine <= WW_ENGINE_STRIPS; engine++) {
        ww_status status = check(context, WW_DTW, 2, engine);
        if (status == WW_OK)
            status = check(context, WW_FRECHET, 1, engine);
        if (status != WW_OK)
            return status;
    }
    const ww_status status = check(context, WW_LEVENSHTEIN, 4, WW_ENGINE_BITS);
    return status == WW_OK ? check(context, WW_LCS, 6, WW_ENGINE_BITS) : status;
}
