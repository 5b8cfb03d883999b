// SPDX-License-Identifier: Apache-2.0
// Where digits are lost: powers of vectors, long time stamps, gaps far from 0, weights of long series, values near the
// end of a number's range.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const ww_engine engines[] = {WW_ENGINE_LANES, WW_ENGINE_STENCIL, WW_ENGINE_PACKED, WW_ENGINE_STRIPS};
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
            ck_assert_msg(wwt_close(value, expected, precision), "%s: %.17g, not %.17g", ww_engine_name(options.engine),
                          value, expected);
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
    wwt_ok(ww_plan_matrix(measure, sets[0], sets[1], &options, &plan));
    wwt_ok(ww_plan_run(plan, precision == WW_DOUBLE ? (void *)&value : &narrow));
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
    ck_assert_msg(wwt_close(value, expected, precision), "%s: %.17g, not %.17g", ww_engine_name(engine_of(_i)), value,
                  expected);
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
    return wwt_run(suite);
}
