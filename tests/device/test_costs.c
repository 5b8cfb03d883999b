// SPDX-License-Identifier: Apache-2.0
// Accumulated costs: every measure, both precisions, bands, open ends, soft minima and channels against the textbook's
// matrix, cell by cell; in runs of rows, rows apart, device memory; limits and refusals.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/choices.h"
#include "support.h"

static const ww_measure_id measures[] = {WW_DTW, WW_FRECHET, WW_ADTW, WW_WDTW,        WW_ERP, WW_EDR, WW_LCSS,
                                         WW_MSM, WW_TWED,    WW_DDTW, WW_LEVENSHTEIN, WW_LCS, WW_USER};
enum { MEASURES = sizeof measures / sizeof *measures };

static const char cell_text[] =
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
    "    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);\n"
    "}\n";

static ww_measure measure_of(ww_measure_id id) {
    ww_measure measure = wwt_measure(id);
    if (id == WW_USER)
        measure.recurrence = cell_text;
    if (id == WW_ADTW || id == WW_EDR || id == WW_LCSS || id == WW_USER)
        measure.parameters[0] = 0.5;
    return measure;
}

// What the textbook has of it: of a derivative DTW.
static ww_measure textbook_of(const ww_measure *of) {
    ww_measure measure = *of;
    if (of->id == WW_DDTW)
        measure.id = WW_DTW;
    if (of->id == WW_USER) {
        measure = wwt_measure(WW_ADTW);
        measure.parameters[0] = of->parameters[0];
        measure.band = of->band;
    }
    return measure;
}

static wwr_series derived(const wwr_series *s) {
    double *values = calloc(s->length - 2, sizeof *values);
    for (size_t t = 1; t + 1 < s->length; t++)
        values[t - 1] = ((s->values[t] - s->values[t - 1]) + (s->values[t + 1] - s->values[t - 1]) / 2) / 2;
    return (wwr_series){values, s->length - 2, 1};
}

// Series of n and m points with whole numbers for symbols.
static wwt_set make_set(const ww_measure *measure, size_t channels, size_t n, size_t m) {
    const size_t lengths[] = {n, m};
    wwt_set set = wwt_set_make(channels, lengths, 2);
    for (size_t v = 0; ww_measure_info_by_id(measure->id)->is_of_symbols && v < (n + m) * channels; v++)
        set.values[v] = (double)wwt_random_size(0, 3);
    return set;
}

// The costs of a pair, in host memory with `apart` values between rows, or with `device` by way of device memory.
static void *run(const ww_measure *measure, ww_dataset *data, size_t n, size_t m, ww_precision precision, size_t apart,
                 bool device, const ww_run_options *limits) {
    const size_t count = (n - 1) * (m + apart) + m, size = precision == WW_DOUBLE ? 8 : 4;
    void *values = wwt_guarded(count, precision);
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    ww_plan *plan;
    options.run = limits;
    wwt_ok(ww_plan_create_costs(measure, data, data, 0, 1, &options, &plan));
    ww_output to = WW_OUTPUT_HOST_BYTES(values, count * size);
    to.row_stride = apart ? m + apart : 0;
    if (device) {
        ww_buffer *buffer;
        wwt_ok(ww_buffer_create(wwt_context, (count + 3) * size, &buffer));
        to = (ww_output){.struct_size = sizeof to, .device = buffer, .offset = 3 * size, .row_stride = to.row_stride};
        wwt_ok(ww_plan_run(plan, &to));
        wwt_ok(ww_plan_finish(plan));
        wwt_ok(ww_buffer_read(buffer, 3 * size, count * size, values));
        ww_buffer_destroy(&buffer);
    } else {
        wwt_ok(ww_plan_run(plan, &to));
    }
    wwt_ok(ww_plan_get_info(plan, &info));
    ck_assert_uint_eq(info.pairs, 1);
    ck_assert_uint_eq(info.cells_done, info.cells);
    ww_plan_destroy(&plan);
    return values;
}

static void compare(const ww_measure *measure, const wwr_series *x, const wwr_series *y, const void *values,
                    ww_precision precision, size_t apart) {
    const size_t n = x->length, m = y->length;
    const ww_measure textbook = textbook_of(measure);
    double *costs = calloc(n * m, sizeof *costs);
    (void)wwr_costs(&textbook, x, y, costs);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double found = wwt_value(values, precision, i * (m + apart) + j), wanted = costs[i * m + j];
            ck_assert_msg(isinf(wanted) ? isinf(found) : wwt_close(found, wanted, precision),
                          "%s, %zu x %zu, cell %zu, %zu: %.17g for %.17g", ww_measure_info_by_id(measure->id)->name, n,
                          m, i, j, found, wanted);
        }
    free(costs);
}

static void check(const ww_measure *measure, size_t channels, size_t n, size_t m, ww_precision precision,
                  const ww_run_options *limits) {
    const bool derives = measure->id == WW_DDTW;
    wwt_set set = make_set(measure, channels, n, m);
    ww_dataset *data = wwt_dataset(&set, precision);
    wwr_series x = wwt_series(&set, 0), y = wwt_series(&set, 1);
    if (derives) {
        x = derived(&x);
        y = derived(&y);
    }
    const size_t apart = wwt_random_size(0, 2);
    for (int device = 0; device < (limits ? 1 : 2); device++) {
        void *values = run(measure, data, x.length, y.length, precision, apart, device, limits);
        compare(measure, &x, &y, values, precision, apart);
        wwt_guarded_free(values);
    }
    if (derives) {
        free((double *)(uintptr_t)x.values);
        free((double *)(uintptr_t)y.values);
    }
    ww_dataset_destroy(&data);
    wwt_set_free(&set);
}

// ---- every measure

static bool chosen(const void *subject, int loop) {
    (void)subject;
    return (loop % 2 == 0 || wwt_device_has_double()) && wwt_turn(loop, 6);
}

START_TEST(every_measure) {
    // One point, ends beside those of blocks and tiles, long against short.
    static const size_t n[] = {3, 4, 64, 65, 130, 9}, m[] = {3, 19, 256, 257, 40, 600};
    const ww_measure measure = measure_of(measures[_i / 2]);
    wwt_seed((unsigned)_i);
    for (size_t k = 0; k < sizeof n / sizeof *n; k++)
        check(&measure, 1, n[k], m[k], _i % 2 ? WW_DOUBLE : WW_FLOAT, NULL);
    if (measure.id != WW_DDTW)
        check(&measure, 1, 1, 1, _i % 2 ? WW_DOUBLE : WW_FLOAT, NULL);
}
END_TEST

// ---- bands, open ends, soft minima, channels

static const ww_band bands[] = {{.kind = WW_BAND_CORNER, .width = 9},
                                {.kind = WW_BAND_SLANTED, .width = 0.05},
                                {.kind = WW_BAND_ITAKURA, .width = 2.5}};
static const ww_measure_id banded[] = {WW_DTW, WW_TWED, WW_LCSS, WW_MSM};

START_TEST(in_bands) {
    ww_measure measure = measure_of(banded[_i % 4]);
    measure.band = bands[_i / 4];
    wwt_seed((unsigned)_i + 100);
    check(&measure, 1, 150, 170, WW_FLOAT, NULL);
    check(&measure, 1, 33, 20, WW_FLOAT, NULL);
    check(&measure, 1, 300, 520, WW_FLOAT, NULL);
}
END_TEST

START_TEST(ends_and_soft) {
    ww_measure measure = measure_of(WW_DTW);
    wwt_seed((unsigned)_i + 200);
    if (_i == 0) {
        measure.relax_begin_x = 3;
        measure.relax_begin_y = measure.relax_end_y = SIZE_MAX;
    } else {
        measure.gamma = 0.5;
    }
    check(&measure, 1, 70, 300, WW_FLOAT, NULL);
    check(&measure, 1, 5, 3, WW_FLOAT, NULL);
}
END_TEST

START_TEST(channels) {
    static const size_t counts[] = {3, 20, 3};
    ww_measure measure = measure_of(_i == 2 ? WW_MSM : WW_DTW);
    measure.independent = _i == 2;
    wwt_seed((unsigned)_i + 300);
    check(&measure, counts[_i], 70, 90, WW_FLOAT, NULL);
}
END_TEST

// ---- memory, refusals

START_TEST(limits) {
    const ww_measure measure = measure_of(WW_DTW);
    ww_run_options run_options = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_plan *plan;
    wwt_seed(400);
    // Room for a row of tiles, and for three.
    run_options.max_bytes = 64 * 300 * 4 + 8000;
    check(&measure, 1, 260, 300, WW_FLOAT, &run_options);
    run_options.max_bytes *= 3;
    check(&measure, 1, 260, 300, WW_FLOAT, &run_options);

    wwt_set set = make_set(&measure, 1, 100, 90);
    ww_dataset *data = wwt_dataset(&set, WW_FLOAT);
    float *values = calloc(100 * 90, sizeof *values);
    ww_output to = WW_OUTPUT_HOST_BYTES(values, 100 * 90 * 4);
    options.run = &run_options;
    run_options.max_bytes = 100;
    wwt_ok(ww_plan_create_costs(&measure, data, data, 0, 1, &options, &plan));
    wwt_fails(ww_plan_run(plan, &to), WW_ERROR_DEVICE_MEMORY);
    to.bytes--;
    wwt_fails(ww_plan_run(plan, &to), WW_ERROR_INVALID_ARGUMENT);
    to.layout = WW_LAYOUT_CONDENSED;
    wwt_fails(ww_plan_run(plan, &to), WW_ERROR_INVALID_ARGUMENT);
    ww_plan_destroy(&plan);
    wwt_fails(ww_plan_create_costs(&measure, data, data, 0, 2, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(plan);
    wwt_fails(ww_plan_create_costs(&measure, data, NULL, 0, 0, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    options = wwt_engine(WW_ENGINE_STRIPS);
    wwt_fails(ww_plan_create_costs(&measure, data, data, 0, 1, &options, &plan), WW_ERROR_UNSUPPORTED);
    ww_measure narrow = measure;
    narrow.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 2};
    wwt_fails(ww_plan_create_costs(&narrow, data, data, 0, 1, NULL, &plan), WW_ERROR_NO_PATH);
    free(values);
    ww_dataset_destroy(&data);
    wwt_set_free(&set);
}
END_TEST

// dtaidistance's documentation: warping_paths([1, 2, 3], [1, 2, 2, 3]) but for its border and roots.
START_TEST(one_call) {
    const double x[] = {1, 2, 3}, y[] = {1, 2, 2, 3}, wanted[] = {0, 1, 2, 6, 1, 0, 0, 1, 5, 1, 1, 0};
    const ww_measure measure = measure_of(WW_DTW);
    double costs[12];
    wwt_ok(ww_costs(wwt_context, &measure, x, 3, y, 4, 1, costs));
    ck_assert_int_eq(memcmp(costs, wanted, sizeof wanted), 0);
    wwt_fails(ww_costs(wwt_context, &measure, x, 0, y, 4, 1, costs), WW_ERROR_EMPTY);
    wwt_fails(ww_costs(wwt_context, &measure, x, 3, y, 4, 1, NULL), WW_ERROR_INVALID_ARGUMENT);
    const double gap[] = {1, (double)NAN, 3};
    wwt_fails(ww_costs(wwt_context, &measure, gap, 3, y, 4, 1, costs), WW_ERROR_NOT_FINITE);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("costs");
    wwt_add_chosen(suite, every_measure, MEASURES * 2, NULL, chosen);
    wwt_add(suite, in_bands, 12);
    wwt_add(suite, ends_and_soft, 2);
    wwt_add(suite, channels, 3);
    wwt_add(suite, limits, 1);
    wwt_add(suite, one_call, 1);
    return wwt_run(suite);
}
