// SPDX-License-Identifier: Apache-2.0
// Warping paths: every measure, both engines, both precisions, whole matrices and tiles, bands, open ends and channels
// against the textbook path, cell by cell; small ones against every path; limits and refusals.
//
// Values are small whole numbers wherever that makes all sums exact, so that ties are ties on every device.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "reference/choices.h"
#include "support.h"

typedef struct work {
    ww_measure_id id;
    ww_engine engine;
    ww_precision precision;
    long tile; // 0: one tile a matrix
    size_t channels;
    ww_measure measure;
} work;

// Whole numbers from 0 to 2; walks for WDTW, whose sums are not exact.
static wwt_set exact_set(const work *w, const size_t *lengths, size_t count) {
    wwt_set set = wwt_set_make(w->channels, lengths, count);
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += lengths[i] * w->channels;
    for (size_t v = 0; w->id != WW_WDTW && w->id != WW_WDDTW && v < total; v++)
        set.values[v] = (double)wwt_random_size(0, 2);
    return set;
}

static ww_measure exact_measure(ww_measure_id id) {
    ww_measure measure = wwt_measure(id);
    measure.independent = 0;
    if (id == WW_TWED) {
        measure.parameters[0] = 0.125;
        measure.parameters[1] = 0.5;
    }
    if (id == WW_ADTW || id == WW_ERP || id == WW_EDR || id == WW_LCSS)
        measure.parameters[0] = 0.5;
    return measure;
}

static bool derives(ww_measure_id id) {
    return id == WW_DDTW || id == WW_WDDTW;
}

// What the measure compares: the derivative, where it does.
static wwr_series derived(ww_measure_id id, const wwr_series *s) {
    if (!derives(id))
        return *s;
    double *values = calloc(s->length - 2, sizeof *values);
    for (size_t t = 1; t + 1 < s->length; t++)
        values[t - 1] = ((s->values[t] - s->values[t - 1]) + (s->values[t + 1] - s->values[t - 1]) / 2) / 2;
    return (wwr_series){values, s->length - 2, 1};
}

static ww_measure textbook_of(const work *w) {
    ww_measure measure = w->measure;
    if (derives(w->id))
        measure.id = w->id == WW_DDTW ? WW_DTW : WW_WDTW;
    if (w->id == WW_USER) {
        measure = wwt_measure(WW_ADTW);
        measure.parameters[0] = w->measure.parameters[0];
        measure.band = w->measure.band;
    }
    return measure;
}

static void check_pair(const work *w, const wwr_series *a, const wwr_series *b, const ww_paths *found, size_t p) {
    const int32_t off = derives(w->id);
    const wwr_series x = derived(w->id, a), y = derived(w->id, b);
    const ww_measure measure = textbook_of(w);
    const size_t count = (size_t)(found->offsets[p + 1] - found->offsets[p]), most = x.length + y.length;
    int32_t(*cells)[2] = calloc(most + 1, sizeof *cells), (*wanted)[2] = calloc(most + 1, sizeof *wanted);
    ck_assert_uint_le(count, most);
    for (size_t c = 0; c < count; c++)
        for (int side = 0; side < 2; side++)
            cells[c][side] = found->cells[2 * (found->offsets[p] + c) + (size_t)side] - off;
    const double value = wwr_path_value(&measure, &x, &y, cells, count);
    ck_assert_msg(wwt_close(found->distances[p], value, w->precision), "%s, pair %zu: %.17g, along the path %.17g",
                  ww_measure_info_by_id(w->id)->name, p, found->distances[p], value);
    const size_t expected = wwr_path(&measure, &x, &y, wanted);
    bool same = expected == count;
    for (size_t c = 0; same && c < count; c++)
        same = cells[c][0] == wanted[c][0] && cells[c][1] == wanted[c][1];
    // In float two sums of WDTW that differ may be equal.
    if (w->precision == WW_DOUBLE || (w->id != WW_WDTW && w->id != WW_WDDTW))
        ck_assert_msg(same, "%s, pair %zu of %zu x %zu: another path than the textbook's",
                      ww_measure_info_by_id(w->id)->name, p, x.length, y.length);
    if (x.values != a->values) {
        free((double *)(uintptr_t)x.values);
        free((double *)(uintptr_t)y.values);
    }
    free(cells);
    free(wanted);
}

// The i-th row with the i-th column; and the distances have the bits of a plan of pairs.
static void check(const work *w, const size_t *n, const size_t *m, size_t count, const ww_run_options *run) {
    const wwt_set rows = exact_set(w, n, count), columns = exact_set(w, m, count);
    ww_dataset *a = wwt_dataset(&rows, w->precision), *b = wwt_dataset(&columns, w->precision);
    ww_plan_options options = wwt_engine(w->engine);
    ww_plan *plan, *pairs;
    ww_paths found = WW_PATHS_INIT;
    void *distances = wwt_guarded(count, w->precision);
    options.run = run;
    wwt_ok((ww_status)wwi_tuning_try(wwt_context, "path.tile", NULL, w->tile));
    // A small text: a CPU's compiler takes a minute for the other.
    if (!wwt_all_cases())
        wwt_ok((ww_status)wwi_tuning_try(wwt_context, "path.values", NULL, 16));
    wwt_ok(ww_plan_create_paths(&w->measure, a, b, NULL, NULL, count, &options, &plan));
    wwt_ok(ww_plan_run_paths(plan, &found));
    options.engine = WW_ENGINE_AUTO;
    options.run = NULL;
    wwt_ok(ww_plan_create_pairs(&w->measure, a, b, NULL, NULL, count, &options, &pairs));
    wwt_ok(wwt_plan_run(pairs, distances));
    ck_assert_uint_eq(found.count, count);
    for (size_t p = 0; p < count; p++) {
        const wwr_series x = wwt_series(&rows, p), y = wwt_series(&columns, p);
        check_pair(w, &x, &y, &found, p);
        ck_assert_msg(wwt_close(found.distances[p], wwt_value(distances, w->precision, p), w->precision),
                      "pair %zu: %.17g, by a plan of pairs %.17g", p, found.distances[p],
                      wwt_value(distances, w->precision, p));
    }
    ww_paths_free(&found);
    ww_paths_free(&found);
    wwt_guarded_free(distances);
    ww_plan_destroy(&pairs);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free((wwt_set *)(uintptr_t)&rows);
    wwt_set_free((wwt_set *)(uintptr_t)&columns);
}

// ---- every measure

static const ww_measure_id measures[] = {WW_DTW,  WW_FRECHET, WW_ADTW, WW_WDTW,        WW_DDTW, WW_ERP, WW_EDR,
                                         WW_LCSS, WW_MSM,     WW_TWED, WW_LEVENSHTEIN, WW_LCS,  WW_USER};
enum { MEASURES = sizeof measures / sizeof *measures };
static const wwt_product product = {4, {MEASURES, 2, 2, 2}};

static const char cell_text[] =
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
    "    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);\n"
    "}\n";

static work work_of(int loop) {
    const int values[4] = {loop / 8, loop / 4 % 2, loop / 2 % 2, loop % 2};
    work w = {.id = measures[values[0]],
              .engine = values[1] ? WW_ENGINE_LANES : WW_ENGINE_PACKED,
              .precision = values[2] ? WW_DOUBLE : WW_FLOAT,
              .tile = values[3] ? 16 : 0,
              .channels = 1};
    w.measure = exact_measure(w.id);
    if (w.id == WW_USER) {
        w.measure.recurrence = cell_text;
        w.measure.parameters[0] = 0.5;
    }
    return w;
}

static bool chosen(const void *subject, int loop) {
    const int values[4] = {loop / 8, loop / 4 % 2, loop / 2 % 2, loop % 2};
    (void)subject;
    return (values[2] == 0 || wwt_device_has_double()) && wwt_covers(&product, values);
}

START_TEST(every_measure) {
    const work w = work_of(_i);
    wwt_seed((unsigned)_i);
    // One point, ends at and beside those of tiles, long against short.
    const size_t n[] = {3, 3, 16, 17, 40, 5, 33, 21}, m[] = {3, 19, 16, 15, 9, 48, 32, 21};
    check(&w, n, m, sizeof n / sizeof *n, NULL);
}
END_TEST

// ---- bands, open ends, channels

START_TEST(bands_and_ends) {
    static const ww_band bands[] = {{.kind = WW_BAND_NONE},
                                    {.kind = WW_BAND_SAKOE_CHIBA, .width = 7},
                                    {.kind = WW_BAND_CORNER, .width = 2},
                                    {.kind = WW_BAND_SLANTED, .width = 0.15},
                                    {.kind = WW_BAND_ITAKURA, .width = 2.5}};
    const size_t n[] = {40, 37, 33, 16, 20}, m[] = {40, 41, 36, 16, 24};
    work w = {.id = _i == 6 ? WW_LCSS : WW_DTW, .precision = WW_FLOAT, .channels = 1};
    wwt_seed((unsigned)_i + 100);
    // A program is what costs time: in the daily run one of the engines.
    const bool both = wwt_all_cases();
    for (int k = both ? 0 : _i % 2; k < 2; k += both ? 1 : 2) {
        w.engine = k ? WW_ENGINE_LANES : WW_ENGINE_PACKED;
        w.tile = k == _i % 2 ? 16 : 0;
        w.measure = exact_measure(w.id);
        if (_i < 5)
            w.measure.band = bands[_i];
        if (_i == 6)
            w.measure.band = bands[1];
        if (_i == 0 || _i == 5) {
            w.measure.relax_begin_x = 3;
            w.measure.relax_end_x = 2;
            w.measure.relax_begin_y = w.measure.relax_end_y = _i ? SIZE_MAX : 5;
            w.measure.band = bands[_i ? 2 : 0];
        }
        check(&w, n, m, sizeof n / sizeof *n, NULL);
        if (_i == 1) { // the band ends before the longer series
            const size_t longer[] = {40, 9, 33, 60}, shorter[] = {20, 37, 5, 2};
            w.measure.relax_end_x = w.measure.relax_end_y = 60;
            check(&w, longer, shorter, 4, NULL);
            w.measure.relax_begin_x = 3;
            w.measure.relax_begin_y = SIZE_MAX;
            check(&w, longer, shorter, 4, NULL);
        }
    }
}
END_TEST

// Every measure in every band: the costs along the path are the distance, which is that of a plan of pairs. By the code
// of the band: about the diagonal, slanted, a table.
static const wwt_product band_product = {4, {MEASURES, 3, 2, 2}};

static bool chosen_band(const void *subject, int loop) {
    const int values[4] = {loop / 12, loop / 4 % 3, loop / 2 % 2, loop % 2};
    (void)subject;
    return (values[3] == 0 || wwt_device_has_double()) && wwt_covers(&band_product, values);
}

START_TEST(measures_in_bands) {
    enum { ROWS = 21, BANDS = 3 };
    size_t lo[ROWS], hi[ROWS], equal[] = {5, 17, 90, 33, 64, 12, 12, 48}, rows[4];
    const ww_band bands[3][BANDS] = {{{.kind = WW_BAND_SAKOE_CHIBA, .width = 0},
                                      {.kind = WW_BAND_SAKOE_CHIBA, .width = 3},
                                      {.kind = WW_BAND_CORNER, .width = 1}},
                                     {{.kind = WW_BAND_SLANTED, .width = 0},
                                      {.kind = WW_BAND_SLANTED, .width = 0.1},
                                      {.kind = WW_BAND_SLANTED, .width = 0.5}},
                                     {{.kind = WW_BAND_ITAKURA, .width = 2},
                                      {.kind = WW_BAND_ITAKURA, .width = 4},
                                      {.kind = WW_BAND_ROWS, .lo = lo, .hi = hi, .rows = ROWS}}};
    work w = {.id = measures[_i / 12],
              .engine = _i / 2 % 2 ? WW_ENGINE_LANES : WW_ENGINE_PACKED,
              .precision = _i % 2 ? WW_DOUBLE : WW_FLOAT,
              .channels = 1};
    wwt_seed((unsigned)_i + 600);
    w.measure = exact_measure(w.id);
    if (w.id == WW_USER) {
        w.measure.recurrence = cell_text;
        w.measure.parameters[0] = 0.5;
    }
    for (size_t i = 0; i < ROWS; i++) {
        lo[i] = i < 6 ? 0 : i - 4;
        hi[i] = i + 3 < ROWS ? i + 3 : ROWS;
    }
    for (size_t i = 0; i < 4; i++)
        rows[i] = ROWS + (derives(w.id) ? 2 : 0);
    for (size_t b = 0; b < BANDS; b++) {
        w.measure.band = bands[_i / 4 % 3][b];
        w.tile = b == 1 ? 16 : 0;
        if (w.measure.band.kind == WW_BAND_ROWS)
            check(&w, rows, rows, 4, NULL);
        else
            check(&w, equal, equal, sizeof equal / sizeof *equal, NULL);
    }
}
END_TEST

START_TEST(channels) {
    const size_t n[] = {20, 33}, m[] = {24, 31};
    work w = {.id = WW_DTW, .precision = WW_FLOAT, .channels = _i ? 20 : 3, .tile = _i ? 0 : 16};
    w.engine = _i == 1 ? WW_ENGINE_LANES : WW_ENGINE_PACKED;
    w.measure = exact_measure(WW_DTW);
    wwt_seed((unsigned)_i + 200);
    check(&w, n, m, 2, NULL);
}
END_TEST

// ---- all paths

START_TEST(all_paths) {
    static const ww_measure_id additive[] = {WW_DTW, WW_ADTW, WW_ERP, WW_EDR, WW_TWED, WW_LEVENSHTEIN, WW_MSM, WW_LCS};
    wwt_seed((unsigned)_i + 300);
    for (size_t k = 0; k < sizeof additive / sizeof *additive; k++)
        for (size_t n = 1; n <= 5; n++)
            for (size_t m = 1; m <= 5; m++) {
                const work w = {.id = additive[k], .channels = 1};
                ww_measure measure = exact_measure(w.id);
                if (_i == 1 && ww_measure_info_by_id(w.id)->has_open_ends)
                    measure.relax_begin_x = measure.relax_end_y = 2;
                const wwt_set x = exact_set(&w, &n, 1), y = exact_set(&w, &m, 1);
                const wwr_series a = wwt_series(&x, 0), b = wwt_series(&y, 0);
                int32_t one[16][2], other[16][2];
                const size_t count = wwr_path(&measure, &a, &b, one);
                const size_t all = wwr_path_of_all(&measure, &a, &b, other);
                ck_assert_uint_eq(count, all);
                ck_assert_msg(memcmp(one, other, count * sizeof *one) == 0, "%s, %zu x %zu",
                              ww_measure_info_by_id(w.id)->name, n, m);
                wwt_set_free((wwt_set *)(uintptr_t)&x);
                wwt_set_free((wwt_set *)(uintptr_t)&y);
            }
}
END_TEST

// ---- memory, cancelling, refusals

static int stop_at_once(void *user, uint64_t done, uint64_t total) {
    if (total <= 1) // a compile, before the work is counted
        return 0;
    (void)done;
    ++*(int *)user;
    return 1;
}

START_TEST(limits) {
    const size_t n[] = {700}, m[] = {650};
    work w = {.id = WW_DTW, .engine = WW_ENGINE_AUTO, .precision = WW_FLOAT, .channels = 1};
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_plan *plan;
    ww_paths found = WW_PATHS_INIT;
    int calls = 0;
    w.measure = exact_measure(WW_DTW);
    wwt_seed(400);
    // Less than the directions of the matrix, 113750 bytes, for each pair that a vector has room for.
    run.max_bytes = 700000;
    check(&w, n, m, 1, &run);

    const wwt_set rows = exact_set(&w, n, 1), columns = exact_set(&w, m, 1);
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = wwt_dataset(&columns, WW_FLOAT);
    options.run = &run;
    run.max_bytes = 1000;
    wwt_ok(ww_plan_create_paths(&w.measure, a, b, NULL, NULL, 1, &options, &plan));
    wwt_fails(ww_plan_run_paths(plan, &found), WW_ERROR_DEVICE_MEMORY);
    ck_assert_ptr_null(found.cells);
    ww_plan_destroy(&plan);

    run.max_bytes = 0;
    run.progress = stop_at_once;
    run.progress_user = &calls;
    wwt_ok(ww_plan_create_paths(&w.measure, a, b, NULL, NULL, 1, &options, &plan));
    wwt_fails(ww_plan_run_paths(plan, &found), WW_ERROR_CANCELLED);
    ck_assert_int_eq(calls, 1);
    ck_assert_ptr_null(found.offsets);
    void *value = wwt_guarded(1, WW_FLOAT);
    wwt_fails(wwt_plan_run(plan, value), WW_ERROR_INVALID_ARGUMENT);
    wwt_guarded_free(value);
    ww_plan_destroy(&plan);

    options = wwt_engine(WW_ENGINE_STRIPS);
    wwt_fails(ww_plan_create_paths(&w.measure, a, b, NULL, NULL, 1, &options, &plan), WW_ERROR_UNSUPPORTED);
    wwt_fails(ww_plan_create_paths(&w.measure, a, b, NULL, NULL, 0, NULL, &plan), WW_ERROR_EMPTY);
    w.measure.gamma = 1;
    wwt_fails(ww_plan_create_paths(&w.measure, a, b, NULL, NULL, 1, NULL, &plan), WW_ERROR_UNSUPPORTED);
    w.measure.gamma = 0;
    w.measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 10};
    wwt_fails(ww_plan_create_paths(&w.measure, a, b, NULL, NULL, 1, NULL, &plan), WW_ERROR_NO_PATH);
    ck_assert_ptr_null(plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free((wwt_set *)(uintptr_t)&rows);
    wwt_set_free((wwt_set *)(uintptr_t)&columns);
}
END_TEST

// Engine lanes with memory for the directions of a part of the pairs: launch after launch.
START_TEST(launches) {
    enum { PAIRS = 40 };
    size_t n[PAIRS], m[PAIRS];
    work w = {.id = WW_DTW, .engine = WW_ENGINE_LANES, .precision = WW_FLOAT, .channels = 1};
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    w.measure = exact_measure(WW_DTW);
    wwt_seed(500);
    for (size_t p = 0; p < PAIRS; p++) {
        n[p] = wwt_random_size(50, 64);
        m[p] = wwt_random_size(50, 64);
    }
    // Half of it for directions and lines, 1.5 KiB a pair. A GPU that so few pairs leave idle would have tiles.
    run.max_bytes = wwt_device_is_gpu() ? 400000 : 60000;
    check(&w, n, m, PAIRS, &run);
}
END_TEST

// The example of the documentation of dtaidistance and of tslearn's dtw_path(), by one call.
START_TEST(one_call) {
    const double x[] = {1, 2, 3}, y[] = {1, 2, 2, 3};
    const int32_t wanted[] = {0, 0, 1, 1, 1, 2, 2, 3};
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_paths path = WW_PATHS_INIT;
    wwt_ok(ww_path(wwt_context, &measure, x, 3, y, 4, 1, &path));
    ck_assert_uint_eq(path.count, 1);
    ck_assert_uint_eq(path.offsets[1], 4);
    ck_assert_int_eq(memcmp(path.cells, wanted, sizeof wanted), 0);
    ck_assert_double_eq(path.distances[0], 0);
    ww_paths_free(&path);
    wwt_fails(ww_path(wwt_context, &measure, x, 0, y, 4, 1, &path), WW_ERROR_EMPTY);
    // The same in two channels, the second without any difference; then with one that decides.
    const double x2[] = {1, 2, 3, 5, 5, 5}, y2[] = {1, 2, 2, 3, 5, 5, 5, 5}, y3[] = {1, 2, 2, 3, 5, 5, 6, 5};
    wwt_ok(ww_path(wwt_context, &measure, x2, 3, y2, 4, 2, &path));
    ck_assert_uint_eq(path.offsets[1], 4);
    ck_assert_int_eq(memcmp(path.cells, wanted, sizeof wanted), 0);
    ww_paths_free(&path);
    wwt_ok(ww_path(wwt_context, &measure, x2, 3, y3, 4, 2, &path));
    ck_assert_double_eq(path.distances[0], 1);
    ww_paths_free(&path);
    wwt_fails(ww_path(wwt_context, &measure, x, 3, y, 3, 0, &path), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("paths");
    wwt_add_chosen(suite, every_measure, MEASURES * 8, NULL, chosen);
    wwt_add(suite, bands_and_ends, 7);
    wwt_add_chosen(suite, measures_in_bands, MEASURES * 12, NULL, chosen_band);
    wwt_add(suite, channels, 2);
    wwt_add(suite, all_paths, 2);
    wwt_add(suite, limits, 1);
    wwt_add(suite, launches, 1);
    wwt_add(suite, one_call, 1);
    return wwt_run(suite);
}
