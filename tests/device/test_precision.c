// SPDX-License-Identifier: Apache-2.0
// Where digits are lost: powers of vectors, long time stamps, gaps far from 0, weights of long series, values near the
// end of a number's range.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const ww_engine engines[] = {WW_ENGINE_LANES, WW_ENGINE_PACKED, WW_ENGINE_STRIPS};
enum { ENGINES = sizeof(engines) / sizeof(engines[0]) };

// Loops count the engines in float, then in double.
static ww_precision precision_of(int loop) {
    wwt_seed((unsigned)loop);
    return loop < ENGINES ? WW_FLOAT : WW_DOUBLE;
}

static ww_engine engine_of(int loop) {
    return engines[loop % ENGINES];
}

// Random walks with equal points, small and large steps side by side.
static wwt_set uneven_set(size_t channels, size_t least, size_t most, size_t count) {
    wwt_set set = wwt_set_random(channels, least, most, count);
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += set.lengths[i] * channels;
    for (size_t v = 0; v < total; v++)
        set.values[v] = v % 3 == 0 ? 0 : v % 7 == 0 ? set.values[v] * 64 : set.values[v];
    return set;
}

// Vectors hold pow() of several numbers; each program with it takes a CPU seconds to compile.
static bool is_spared(int loop) {
    return !wwt_device_is_gpu() && engine_of(loop) < WW_ENGINE_PACKED;
}

static void check_uneven(const ww_measure *measure, wwr_value_cost user, size_t channels, int loop) {
    const size_t most = engine_of(loop) == WW_ENGINE_STRIPS ? 200 : 60;
    wwt_set rows = uneven_set(channels, 20, most, 4), columns = uneven_set(channels, 20, most, 20);
    wwt_check_matrix(measure, user, &rows, &columns, precision_of(loop), engine_of(loop));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}

START_TEST(degrees) {
    ww_measure measure = wwt_measure(WW_TWED);
    if (is_spared(_i))
        return;
    wwt_ok(ww_measure_set(&measure, "degree", 3));
    wwt_ok(ww_measure_set(&measure, "no_root", engine_of(_i) == WW_ENGINE_STRIPS));
    check_uneven(&measure, NULL, 2, _i);
}
END_TEST

static double cube(double x, double y) {
    return pow(fabs(x - y), 3.0);
}

START_TEST(powers_of_users) {
    static const char cubes[] =
        "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) {\n"
        "    return pow(fabs(WW_AT(x, 0) - WW_AT(y, 0)), (real)3) + fmin(diagonal, fmin(left, up));\n"
        "}\n";
    ww_measure measure = wwt_measure(WW_DTW), mine = wwt_measure(WW_USER);
    if (is_spared(_i))
        return;
    measure.cost = WW_COST_USER;
    measure.cost_expression = "pow(fabs(x - y), (real)3)";
    check_uneven(&measure, cube, 1, _i);
    // The same as a recurrence.
    wwt_set rows = uneven_set(1, 30, 60, 4), columns = uneven_set(1, 30, 60, 20);
    const ww_precision precision = precision_of(_i);
    const ww_plan_options options = wwt_engine(engine_of(_i));
    mine.recurrence = cubes;
    void *values = wwt_matrix(&mine, &rows, &columns, precision, &options);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < rows.count; i++)
        for (size_t j = 0; j < columns.count; j++) {
            wwr_series x = wwt_series(&rows, i), y = wwt_series(&columns, j);
            const double value = wwt_value(values, precision, i * columns.count + j),
                         expected = wwr_distance(&measure, cube, &x, &y);
            ck_assert_msg(wwt_close(value, expected, precision), "%s: %.17g, not %.17g",
                          ww_word(WW_WORD_ENGINE, options.engine), value, expected);
        }
    wwt_guarded_free(values);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// ---- time stamps

static double timed_distance(const ww_measure *measure, double *x, double *y, size_t length, ww_engine engine,
                             ww_precision precision) {
    ww_dataset *sets[2] = {NULL, NULL};
    double *side[2] = {x, y}, value = 0.0;
    float narrow = 0.0f;
    const ww_plan_options options = wwt_engine(engine);
    ww_plan *plan = NULL;
    for (int k = 0; k < 2; k++) {
        ww_series_view view = WW_SERIES_VIEW_INIT;
        ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
        view.values = side[k];
        view.precision = WW_DOUBLE;
        view.count = 1;
        view.length = length;
        view.channels = 2;
        make.times = 1;
        make.precision = precision;
        wwt_ok(ww_dataset_create(wwt_context, &view, &make, &sets[k]));
    }
    wwt_ok(ww_plan_create_matrix(measure, sets[0], sets[1], &options, &plan));
    wwt_ok(wwt_plan_run(plan, precision == WW_DOUBLE ? (void *)&value : &narrow));
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&sets[0]);
    ww_dataset_destroy(&sets[1]);
    return precision == WW_DOUBLE ? value : (double)narrow;
}

// Only differences count, however late the series are.
START_TEST(late_time_stamps) {
    enum { N = 30 };
    const ww_precision precision = precision_of(_i);
    const double origin = precision == WW_DOUBLE ? 1.7e9 : 1.6e7;
    double x[2 * N], y[2 * N];
    ww_measure measure = wwt_measure(WW_TWED);
    wwt_ok(ww_measure_set(&measure, "nu", 0.1));
    for (size_t t = 0; t < N; t++) {
        x[t] = (double)(float)wwt_random();
        y[t] = (double)(float)wwt_random();
        x[N + t] = origin + (double)(3 * t);
        y[N + t] = origin + (double)(3 * t + t % 2);
    }
    const double value = timed_distance(&measure, x, y, N, engine_of(_i), precision);
    wwr_series xs = {x, N, 1}, ys = {y, N, 1};
    const double expected = wwr_distance_timed(&measure, NULL, &xs, x + N, &ys, y + N);
    ck_assert_msg(wwt_close(value, expected, precision), "%s: %.17g, not %.17g", ww_word(WW_WORD_ENGINE, engine_of(_i)),
                  value, expected);
}
END_TEST

// ---- gaps far from 0

static void scale(wwt_set *set, double factor, double shift) {
    size_t total = 0;
    for (size_t i = 0; i < set->count; i++)
        total += set->lengths[i] * set->channels;
    for (size_t v = 0; v < total; v++)
        set->values[v] = (double)(float)(set->values[v] * factor + shift);
}

START_TEST(distant_gaps) {
    static const struct { double g, factor, shift; } cases[] = {{0.5, 1e-15, 0}, {1e5, 1, 0}, {0.37, 1e-3, 0.37}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (c != (size_t)_i % 3 && !wwt_device_is_gpu())
            continue;
        ww_measure measure = wwt_measure(WW_ERP);
        wwt_ok(ww_measure_set(&measure, "g", cases[c].g));
        for (size_t channels = 1; channels <= 2; channels++) {
            wwt_set rows = wwt_set_random(channels, 40, 40, 3), columns = wwt_set_random(channels, 40, 40, 5);
            scale(&rows, cases[c].factor, cases[c].shift);
            scale(&columns, cases[c].factor, cases[c].shift);
            wwt_check_matrix(&measure, NULL, &rows, &columns, precision_of(_i), engine_of(_i));
            wwt_set_free(&rows);
            wwt_set_free(&columns);
        }
    }
}
END_TEST

// ---- weights of long series

START_TEST(long_weights) {
    // With g = 0.05 the weight of the diagonal is the least float at 3500 points; a larger g needs fewer.
    const size_t lengths[] = {200, 350, 350, 420}, others[] = {220, 350, 330, 430};
    ww_measure measure = wwt_measure(WW_WDTW);
    wwt_ok(ww_measure_set(&measure, "g", precision_of(_i) == WW_DOUBLE ? 3.8 : 0.51));
    wwt_set rows = wwt_set_make(1, lengths, 4), columns = wwt_set_make(1, others, 4);
    scale(&rows, 1e6, 0);
    scale(&columns, 1e6, 0);
    wwt_check_pairs(&measure, NULL, &rows, &columns, precision_of(_i), engine_of(_i));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// The default g, with weights on both sides of where they are scaled: 2^k with k from 64 in float is at 1775 points.
START_TEST(default_weights) {
    const size_t lengths[] = {1700, 1800, 1776, 4000}, others[] = {1720, 1800, 1770, 3990};
    const ww_measure measure = wwt_measure(WW_WDTW);
    if (engine_of(_i) != WW_ENGINE_STRIPS && !(engine_of(_i) == WW_ENGINE_PACKED && precision_of(_i) == WW_FLOAT))
        return;
    wwt_set rows = wwt_set_make(1, lengths, 4), columns = wwt_set_make(1, others, 4);
    wwt_check_pairs(&measure, NULL, &rows, &columns, precision_of(_i), engine_of(_i));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// ---- the end of the range

// Runs all the jobs on one plan's data. The distances are right, or refused by all.
static bool run_all(const ww_measure *measure, const wwt_set *set, ww_precision precision, double *distances) {
    enum { N = 4 };
    unsigned char values[N * N * sizeof(double)];
    int64_t indices[N];
    ww_dataset *data = wwt_dataset(set, precision);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(measure, data, data, NULL, &plan);
    if (status == WW_OK)
        status = wwt_plan_run(plan, values);
    ck_assert_msg(status == WW_OK || status == WW_ERROR_OVERFLOW, "%s", ww_last_error()->message);
    for (size_t i = 0; status == WW_OK && i < N * N; i++)
        distances[i] = wwt_value(values, precision, i);
    ww_plan_destroy(&plan);
    if (status == WW_ERROR_OVERFLOW) {
        // The nearest of others may be near enough; what is given must be finite.
        ww_status other = ww_plan_create_pairs(measure, data, data, NULL, NULL, N, NULL, &plan);
        other = other == WW_OK ? wwt_plan_run(plan, values) : other;
        ck_assert(other == WW_OK || other == WW_ERROR_OVERFLOW);
        ww_plan_destroy(&plan);
        other = ww_plan_create_nearest(measure, data, NULL, 1, NULL, &plan);
        other = other == WW_OK ? ww_plan_run_nearest(plan, indices, values) : other;
        for (size_t i = 0; other == WW_OK && i < N; i++)
            ck_assert(isfinite(wwt_value(values, precision, i)));
        ww_plan_destroy(&plan);
    }
    ww_dataset_destroy(&data);
    return status == WW_OK;
}

START_TEST(end_of_the_range) {
    enum { N = 4 };
    static const ww_measure_id ids[] = {WW_DTW, WW_FRECHET, WW_ADTW, WW_WDTW, WW_DDTW, WW_WDDTW,
                                        WW_ERP, WW_EDR,     WW_LCSS, WW_MSM,  WW_TWED};
    const size_t count = sizeof ids / sizeof *ids, channels = 1 + (size_t)_i % 2;
    const ww_precision precision = _i < 2 ? WW_FLOAT : WW_DOUBLE;
    size_t refused = 0;
    for (size_t k = 0; k < count; k++) {
        wwt_seed((unsigned)k);
        ww_measure measure = wwt_measure(ids[k]);
        measure.independent = 0;
        wwt_set set = wwt_set_random(channels, 20, 30, N);
        scale(&set, 1, 0);
        size_t total = 0;
        for (size_t i = 0; i < N; i++)
            total += set.lengths[i] * channels;
        for (size_t v = 0; v < total; v++)
            set.values[v] *= precision == WW_DOUBLE ? 1e300 : 1e25;
        double distances[N * N];
        if (!run_all(&measure, &set, precision, distances))
            refused++;
        else
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++) {
                    wwr_series x = wwt_series(&set, i), y = wwt_series(&set, j);
                    const double expected = wwr_distance(&measure, NULL, &x, &y);
                    ck_assert(isfinite(distances[i * N + j]));
                    // The reference is in double itself.
                    ck_assert_msg(precision == WW_DOUBLE || wwt_close(distances[i * N + j], expected, precision),
                                  "%s: %.9g, not %.9g", ww_measure_info_by_id(ids[k])->name, distances[i * N + j],
                                  expected);
                }
        wwt_set_free(&set);
    }
    // Squares do not fit; absolute differences of one channel, and numbers of matches, do.
    ck_assert_uint_ge(refused, 5);
    ck_assert_uint_le(refused, channels == 1 ? 5 : 9);
}
END_TEST

// What fits is not refused, however large the values.
START_TEST(large_and_close) {
    wwt_seed(1);
    wwt_set set = wwt_set_random(1, 30, 30, 4);
    ww_measure measure = wwt_measure(WW_DTW);
    double distances[16];
    scale(&set, 1e15, 1e19);
    ck_assert(run_all(&measure, &set, WW_FLOAT, distances));
    for (size_t i = 0; i < 16; i++) {
        wwr_series x = wwt_series(&set, i / 4), y = wwt_series(&set, i % 4);
        ck_assert(wwt_close(distances[i], wwr_distance(&measure, NULL, &x, &y), WW_FLOAT));
    }
    wwt_set_free(&set);
}
END_TEST

// A match of dependent MSM is decided by a ball's surface, where rounding may decide otherwise in float; not in double.
START_TEST(surface_of_balls) {
    if (!wwt_device_has_double())
        return;
    wwt_seed(7);
    wwt_set rows = wwt_set_random(2, 40, 40, 6), columns = wwt_set_random(2, 40, 40, 6);
    ww_measure measure = wwt_measure(WW_MSM);
    measure.independent = 0;
    // Whole numbers: many points are exactly on a surface.
    for (size_t v = 0; v < 6 * 80; v++) {
        rows.values[v] = floor(rows.values[v] * 3);
        columns.values[v] = floor(columns.values[v] * 3);
    }
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_DOUBLE, WW_ENGINE_AUTO));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("precision");
    const int all = ENGINES * wwt_precision_count();
    wwt_add(suite, degrees, all);
    wwt_add(suite, powers_of_users, all);
    wwt_add(suite, late_time_stamps, all);
    wwt_add(suite, distant_gaps, all);
    wwt_add(suite, long_weights, all);
    wwt_add(suite, default_weights, all);
    wwt_add(suite, end_of_the_range, 2 * wwt_precision_count());
    wwt_add(suite, large_and_close, 1);
    wwt_add(suite, surface_of_balls, 1);
    return wwt_run(suite);
}
