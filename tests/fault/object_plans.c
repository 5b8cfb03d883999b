// SPDX-License-Identifier: Apache-2.0
// Plans, gradients and calls for one pair: objects that keep device memory from one run to the next.
#include <stdbool.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

#include "objects.h"

enum { COUNT = 6, LENGTH = 24 };

static struct {
    ww_context *context;
    ww_series_set *set, *others;
    ww_dataset *rows, *columns;
    ww_plan *plan;
    ww_buffer *buffer;
    ww_gradient *gradient;
    ww_measure measure;
} s;

static void close_all(void) {
    ww_gradient_destroy(&s.gradient);
    ww_plan_destroy(&s.plan);
    ww_buffer_destroy(&s.buffer);
    ww_dataset_destroy(&s.columns);
    ww_dataset_destroy(&s.rows);
    ww_series_set_destroy(&s.others);
    ww_series_set_destroy(&s.set);
    memset(&s, 0, sizeof s);
}

// `max_bytes` of the rows: with few they go to the device in parts.
static ww_status make(ww_context *context, ww_measure_id id, size_t count, size_t length, uint64_t max_bytes) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.max_bytes = max_bytes;
    s.context = context;
    ww_status status = ww_measure_init(&s.measure, sizeof s.measure, id);
    if (status == WW_OK)
        status = wwt_make_set(count, length, 1, &s.set);
    if (status == WW_OK)
        status = wwt_make_set(count + 1, length, 1, &s.others);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(context, s.set, &options, &s.rows);
    return status == WW_OK ? ww_dataset_create_from_set(context, s.others, NULL, &s.columns) : status;
}

static ww_status plan_matrix(ww_engine engine, bool self) {
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    options.engine = engine;
    return ww_plan_create_matrix(&s.measure, s.rows, self ? NULL : s.columns, &options, &s.plan);
}

static ww_status run_matrix(wwt_answer *answer) {
    float values[64 * 65];
    const ww_output to = WW_OUTPUT_HOST(values);
    const ww_status status = ww_plan_run(s.plan, &to);
    const size_t count = ww_dataset_count(s.rows) * ww_dataset_count(s.columns);
    if (status == WW_OK)
        wwt_add(answer, values, count * sizeof *values);
    return status;
}

static ww_status run_self(wwt_answer *answer) {
    float values[64 * 64];
    const ww_output to = WW_OUTPUT_HOST(values);
    const ww_status status = ww_plan_run(s.plan, &to);
    const size_t count = ww_dataset_count(s.rows);
    if (status == WW_OK)
        wwt_add(answer, values, count * count * sizeof *values);
    return status;
}

static ww_status open_lanes(ww_context *context) {
    const ww_status status = make(context, WW_DTW, COUNT, LENGTH, 0);
    return status == WW_OK ? plan_matrix(WW_ENGINE_LANES, false) : status;
}

static ww_status open_packed(ww_context *context) {
    const ww_status status = make(context, WW_DTW, 40, LENGTH, 0);
    return status == WW_OK ? plan_matrix(WW_ENGINE_PACKED, false) : status;
}

static ww_status open_strips(ww_context *context) {
    const ww_status status = make(context, WW_MSM, COUNT, LENGTH, 0);
    s.measure.band.kind = WW_BAND_SAKOE_CHIBA;
    s.measure.band.width = LENGTH / 2;
    return status == WW_OK ? plan_matrix(WW_ENGINE_STRIPS, true) : status;
}

static ww_status open_bits(ww_context *context) {
    const ww_status status = make(context, WW_LEVENSHTEIN, COUNT, LENGTH, 0);
    return status == WW_OK ? plan_matrix(WW_ENGINE_BITS, false) : status;
}

static ww_status open_streamed(ww_context *context) {
    const ww_status status = make(context, WW_ERP, COUNT, LENGTH, 2 * LENGTH * sizeof(float));
    return status == WW_OK ? plan_matrix(WW_ENGINE_AUTO, false) : status;
}

// One run to the device, enqueued alone; another to its end.
static ww_status open_device(ww_context *context) {
    ww_status status = make(context, WW_DTW, 40, LENGTH, 0);
    if (status == WW_OK)
        status = plan_matrix(WW_ENGINE_PACKED, true);
    return status == WW_OK ? ww_buffer_create(context, 40 * 40 * sizeof(float), &s.buffer) : status;
}

static ww_status run_device(wwt_answer *answer) {
    float values[40 * 40];
    ww_output to = WW_OUTPUT_INIT;
    to.device = s.buffer;
    ww_status status = ww_plan_run(s.plan, &to);
    if (status == WW_OK)
        status = ww_plan_finish(s.plan);
    if (status == WW_OK)
        status = ww_buffer_read(s.buffer, 0, sizeof values, values);
    if (status == WW_OK)
        wwt_add(answer, values, sizeof values);
    return status;
}

static ww_status open_pairs(ww_context *context) {
    const ww_status status = make(context, WW_TWED, COUNT, LENGTH, 0);
    return status == WW_OK ? ww_plan_create_pairs(&s.measure, s.rows, s.columns, NULL, NULL, COUNT, NULL, &s.plan)
                           : status;
}

static ww_status run_pairs(wwt_answer *answer) {
    float values[COUNT];
    const ww_output to = WW_OUTPUT_HOST(values);
    const ww_status status = ww_plan_run(s.plan, &to);
    if (status == WW_OK)
        wwt_add(answer, values, sizeof values);
    return status;
}

// Enough long series that bounds are expected to pay.
static ww_status open_nearest(ww_context *context) {
    const ww_status status = make(context, WW_DTW, 50, 400, 0);
    s.measure.band.kind = WW_BAND_SAKOE_CHIBA;
    s.measure.band.width = 80;
    return status == WW_OK ? ww_plan_create_nearest(&s.measure, s.rows, s.columns, 1, NULL, &s.plan) : status;
}

static ww_status run_nearest(wwt_answer *answer) {
    int64_t indices[50];
    float values[50];
    const ww_status status = ww_plan_run_nearest(s.plan, indices, values);
    if (status == WW_OK) {
        wwt_add(answer, indices, sizeof indices);
        wwt_add(answer, values, sizeof values);
    }
    return status;
}

static ww_status open_paths(ww_context *context) {
    const ww_status status = make(context, WW_DTW, COUNT, LENGTH, 0);
    return status == WW_OK ? ww_plan_create_paths(&s.measure, s.rows, s.columns, NULL, NULL, COUNT, NULL, &s.plan)
                           : status;
}

static ww_status run_paths(wwt_answer *answer) {
    ww_paths paths = WW_PATHS_INIT;
    const ww_status status = ww_plan_run_paths(s.plan, &paths);
    if (status == WW_OK) {
        wwt_add(answer, paths.cells, 2 * paths.offsets[paths.count] * sizeof *paths.cells);
        wwt_add(answer, paths.distances, paths.count * sizeof *paths.distances);
    }
    ww_paths_free(&paths);
    return status;
}

static ww_status open_costs(ww_context *context) {
    const ww_status status = make(context, WW_DTW, COUNT, LENGTH, 0);
    return status == WW_OK ? ww_plan_create_costs(&s.measure, s.rows, s.columns, 0, 1, NULL, &s.plan) : status;
}

static ww_status run_costs(wwt_answer *answer) {
    float costs[LENGTH * LENGTH];
    const ww_output to = WW_OUTPUT_HOST_BYTES(costs, sizeof costs);
    const ww_status status = ww_plan_run(s.plan, &to);
    if (status == WW_OK)
        wwt_add(answer, costs, sizeof costs);
    return status;
}

static ww_status open_gradient(ww_context *context) {
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    options.divergence = 1;
    const ww_status status = make(context, WW_DTW, COUNT, LENGTH, 0);
    s.measure.gamma = 0.5;
    return status == WW_OK
               ? ww_gradient_create_pairs(&s.measure, s.rows, s.columns, NULL, NULL, COUNT, &options, &s.gradient)
               : status;
}

static ww_status run_gradient(wwt_answer *answer) {
    float values[COUNT], rows[COUNT * LENGTH];
    const ww_output to_values = WW_OUTPUT_HOST(values), to_rows = WW_OUTPUT_HOST(rows);
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    outputs.values = &to_values;
    outputs.rows = &to_rows;
    const ww_status status = ww_gradient_run(s.gradient, &outputs);
    if (status == WW_OK) {
        wwt_add(answer, values, sizeof values);
        wwt_add(answer, rows, sizeof rows);
    }
    return status;
}

static ww_status open_context(ww_context *context) {
    return make(context, WW_DTW, COUNT, LENGTH, 0);
}

static ww_status run_distance(wwt_answer *answer) {
    double distance = 0;
    const ww_status status = ww_distance(s.context, &s.measure, ww_series_set_values(s.set, 0), LENGTH,
                                         ww_series_set_values(s.set, 1), LENGTH, 1, &distance);
    if (status == WW_OK)
        wwt_add(answer, &distance, sizeof distance);
    return status;
}

static ww_status run_create(wwt_answer *answer) {
    ww_dataset *dataset = NULL;
    ww_plan *plan = NULL;
    float values[COUNT * COUNT];
    const ww_output to = WW_OUTPUT_HOST(values);
    ww_status status = ww_dataset_create_from_set(s.context, s.set, NULL, &dataset);
    if (status == WW_OK)
        status = ww_plan_create_matrix(&s.measure, dataset, NULL, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, &to);
    if (status == WW_OK)
        wwt_add(answer, values, sizeof values);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&dataset);
    return status;
}

// A dataset that is given the values of the second set's first series, with a plan on it.
static ww_status open_update(ww_context *context) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.updates = 1;
    ww_status status = make(context, WW_DTW, COUNT, LENGTH, 0);
    ww_dataset_destroy(&s.rows);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(context, s.set, &options, &s.rows);
    return status == WW_OK ? plan_matrix(WW_ENGINE_AUTO, false) : status;
}

static ww_status update(void) {
    const double *values[COUNT];
    ww_series_view view = WW_SERIES_VIEW_INIT;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = ww_series_set_values(s.others, i + 1);
    view.series = (const void *const *)values;
    view.precision = WW_DOUBLE;
    view.count = COUNT;
    view.length = LENGTH;
    return ww_dataset_update(s.rows, &view);
}

const wwt_job wwt_plan_jobs[] = {
    {"matrix by lanes", open_lanes, NULL, run_matrix, close_all, 0},
    {"matrix by packed", open_packed, NULL, run_matrix, close_all, 0},
    {"matrix by strips", open_strips, NULL, run_self, close_all, 0},
    {"matrix by bits", open_bits, NULL, run_matrix, close_all, 0},
    {"matrix streamed", open_streamed, NULL, run_matrix, close_all, 0},
    {"matrix to the device", open_device, NULL, run_device, close_all, 0},
    {"pairs", open_pairs, NULL, run_pairs, close_all, 0},
    {"nearest", open_nearest, NULL, run_nearest, close_all, 0},
    {"paths", open_paths, NULL, run_paths, close_all, 0},
    {"costs", open_costs, NULL, run_costs, close_all, 0},
    {"gradient", open_gradient, NULL, run_gradient, close_all, 0},
    {"distance", open_context, NULL, run_distance, close_all, 0},
    {"dataset and plan", open_context, NULL, run_create, close_all, 0},
    {"dataset update", open_update, update, run_matrix, close_all, 0},
};
const size_t wwt_plan_job_count = sizeof wwt_plan_jobs / sizeof *wwt_plan_jobs;
