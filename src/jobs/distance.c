// SPDX-License-Identifier: Apache-2.0
// The jobs in one call: short functions on top of datasets and plans.
#include <wavewarp/distance.h>
#include <wavewarp/plan.h>

#include "data/dataset.h"

static ww_status upload_pair(ww_context *context, const double *x, size_t n, const double *y, size_t m,
                             ww_precision precision, ww_dataset **rows, ww_dataset **columns) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    options.precision = precision;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.values = x;
    view.length = n;
    ww_status status = ww_dataset_create(context, &view, &options, rows);
    if (status != WW_OK)
        return status;
    view.values = y;
    view.length = m;
    return ww_dataset_create(context, &view, &options, columns);
}

ww_status ww_distance(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                      size_t m, double *distance) {
    ww_status status;
    ww_dataset *rows = NULL, *columns = NULL;
    ww_plan *plan = NULL;
    float narrow = 0;
    if (!context || !distance)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context or distance is NULL");
    const ww_precision precision = wwi_context_info(context)->has_double ? WW_DOUBLE : WW_FLOAT;
    const ww_output to = WW_OUTPUT_HOST(precision == WW_DOUBLE ? (void *)distance : &narrow);
    if ((status = upload_pair(context, x, n, y, m, precision, &rows, &columns)) != WW_OK ||
        (status = ww_plan_create_pairs(measure, rows, columns, NULL, NULL, 1, NULL, &plan)) != WW_OK ||
        (status = ww_plan_run(plan, &to)) != WW_OK)
        goto done;
    if (precision == WW_FLOAT)
        *distance = (double)narrow;
done:
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    return status;
}

ww_status ww_matrix(ww_context *context, const ww_measure *measure, const ww_series_set *rows,
                    const ww_series_set *columns, ww_precision precision, void *distances) {
    ww_status status;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    const ww_output to = WW_OUTPUT_HOST(distances);
    ww_dataset *row_set = NULL, *column_set = NULL;
    ww_plan *plan = NULL;
    options.precision = precision;
    if ((status = ww_dataset_create_from_set(context, rows, &options, &row_set)) != WW_OK ||
        (columns && (status = ww_dataset_create_from_set(context, columns, &options, &column_set)) != WW_OK) ||
        (status = ww_plan_create_matrix(measure, row_set, column_set, NULL, &plan)) != WW_OK)
        goto done;
    status = ww_plan_run(plan, &to);
done:
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&row_set);
    ww_dataset_destroy(&column_set);
    return status;
}
