// SPDX-License-Identifier: Apache-2.0
// ww_distance() called again and again: what a call keeps never changes a result, whatever comes between.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

enum { N = 37, M = 41, PAIRS = 4 };

static const ww_measure_id ids[] = {WW_DTW, WW_DDTW, WW_ERP, WW_LCSS, WW_TWED, WW_LEVENSHTEIN, WW_LCS};
enum { IDS = sizeof ids / sizeof *ids };

// Pairs of series with one length on each side.
static void make_sets(ww_measure_id id, size_t count, wwt_set *rows, wwt_set *columns) {
    *rows = wwt_set_random(1, N, N, count);
    *columns = wwt_set_random(1, M, M, count);
    if (!ww_measure_info_by_id(id)->is_of_symbols)
        return;
    for (size_t i = 0; i < count * N; i++)
        rows->values[i] = (double)(i * i % 5);
    for (size_t i = 0; i < count * M; i++)
        columns->values[i] = (double)(i * 3 % 5);
}

static double call(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns, size_t i) {
    double distance = (double)NAN;
    wwt_ok(ww_distance(wwt_context, measure, rows->values + rows->offsets[i], rows->lengths[i],
                       columns->values + columns->offsets[i], columns->lengths[i], 1, &distance));
    return distance;
}

static bool device_has_double(void) {
    return wwt_precision_count() == 2;
}

START_TEST(values) {
    const ww_measure measure = wwt_measure(ids[_i]);
    const ww_precision precision = device_has_double() ? WW_DOUBLE : WW_FLOAT;
    wwt_set rows, columns;
    wwt_seed((unsigned)_i);
    make_sets(ids[_i], PAIRS, &rows, &columns);
    void *plain = wwt_pairs(&measure, &rows, &columns, precision, NULL);
    uint64_t programs = 0;
    for (size_t k = 0; k < 3 * PAIRS; k++) {
        const size_t i = k % PAIRS;
        const wwr_series x = wwt_series(&rows, i), y = wwt_series(&columns, i);
        const double distance = call(&measure, &rows, &columns, i);
        ck_assert_msg(wwt_close(distance, wwr_distance(&measure, NULL, &x, &y), precision), "%.17g", distance);
        // To the bit what a plan gives for many pairs at once.
        ck_assert_msg(!(distance < wwt_value(plain, precision, i)) && !(distance > wwt_value(plain, precision, i)),
                      "%.17g, not %.17g", distance, wwt_value(plain, precision, i));
        ck_assert(k == 0 || ww_context_programs(wwt_context) == programs);
        programs = ww_context_programs(wwt_context);
    }
    wwt_guarded_free(plain);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

static const ww_measure_id kinds[] = {WW_DTW, WW_DDTW, WW_ERP, WW_MSM, WW_TWED, WW_EDR, WW_FRECHET};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Several channels, dependent and each alone: kept pairs give to the bit what a plan gives, also after a call with
// other channels of as many values.
START_TEST(channels) {
    const bool twice = _i % 2 != 0;
    const size_t count = twice ? 3 : 2;
    ww_measure measure = wwt_measure(kinds[_i / 2]);
    wwt_seed((unsigned)_i);
    measure.independent = twice;
    wwt_set rows = wwt_set_random(count, 6 * N, 6 * N, PAIRS), columns = wwt_set_random(count, 6 * N, 6 * N, PAIRS);
    const ww_precision precision = device_has_double() ? WW_DOUBLE : WW_FLOAT;
    void *plain = wwt_pairs(&measure, &rows, &columns, precision, NULL);
    for (size_t k = 0; k < 3 * PAIRS; k++) {
        const size_t i = k % PAIRS;
        double distance = (double)NAN, other;
        wwt_ok(ww_distance(wwt_context, &measure, rows.values + rows.offsets[i], 6 * N,
                           columns.values + columns.offsets[i], 6 * N, count, &distance));
        ck_assert_msg(!(distance < wwt_value(plain, precision, i)) && !(distance > wwt_value(plain, precision, i)),
                      "%.17g, not %.17g", distance, wwt_value(plain, precision, i));
        if (k % 2)
            wwt_ok(ww_distance(wwt_context, &measure, rows.values, 6 * N / count, columns.values, 6 * N / count,
                               count * count, &other));
    }
    wwt_guarded_free(plain);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// A pair whose strips one work-group computes, one after the other, and the same strips computed at once.
START_TEST(strips) {
    char name[] = "calls-XXXXXX";
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    const ww_measure measure = wwt_measure(ids[_i]);
    ww_context *other = NULL;
    wwt_set rows, columns;
    const int file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    static const char text[] = "default form.whole 0\n";
    ck_assert_int_eq(write(file, text, sizeof text - 1), (ssize_t)(sizeof text - 1));
    (void)close(file);
    options.device = getenv("WAVEWARP_DEVICE");
    options.tuning_file = name;
    wwt_ok(ww_context_create(&options, &other));
    (void)unlink(name);
    make_sets(ids[_i], PAIRS, &rows, &columns);
    for (size_t i = 0; i < PAIRS; i++) {
        double distance = (double)NAN;
        wwt_ok(ww_distance(other, &measure, rows.values + rows.offsets[i], rows.lengths[i],
                           columns.values + columns.offsets[i], columns.lengths[i], 1, &distance));
        const double whole = call(&measure, &rows, &columns, i);
        ck_assert_msg(!(distance < whole) && !(distance > whole), "%.17g, not %.17g", distance, whole);
    }
    ww_context_destroy(&other);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Other measures, parameters, lengths and bad values between the calls.
START_TEST(changes) {
    ww_measure dtw = wwt_measure(WW_DTW), adtw = wwt_measure(WW_ADTW), banded = dtw;
    wwt_set rows, columns;
    banded.band = (ww_band){.kind = WW_BAND_CORNER, .width = 2};
    make_sets(WW_DTW, 1, &rows, &columns);
    const wwr_series x = wwt_series(&rows, 0), y = wwt_series(&columns, 0);
    const double first = call(&dtw, &rows, &columns, 0);
    for (int k = 0; k < 3; k++) {
        double kept = rows.values[7], distance;
        wwt_ok(ww_measure_set(&adtw, "penalty", 0.1 * (k + 1)));
        ck_assert(wwt_close(call(&adtw, &rows, &columns, 0), wwr_distance(&adtw, NULL, &x, &y), WW_DOUBLE) ||
                  !device_has_double());
        ck_assert(call(&banded, &rows, &columns, 0) >= first);
        rows.values[7] = (double)NAN;
        wwt_fails(ww_distance(wwt_context, &dtw, rows.values, N, columns.values, M, 1, &distance), WW_ERROR_NOT_FINITE);
        rows.values[7] = 1e300;
        ck_assert_int_ne(ww_distance(wwt_context, &dtw, rows.values, N, columns.values, M, 1, &distance), WW_OK);
        rows.values[7] = kept;
        wwt_fails(ww_distance(wwt_context, &dtw, rows.values, 0, columns.values, M, 1, &distance), WW_ERROR_EMPTY);
        for (size_t n = 1; n < 12; n++) {
            const wwr_series part = {x.values, n, 1};
            wwt_ok(ww_distance(wwt_context, &dtw, rows.values, n, columns.values, M, 1, &distance));
            ck_assert(wwt_close(distance, wwr_distance(&dtw, NULL, &part, &y),
                                wwt_precision_count() == 2 ? WW_DOUBLE : WW_FLOAT));
        }
        const double again = call(&dtw, &rows, &columns, 0);
        ck_assert(!(again < first) && !(again > first));
    }
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Only a few pairs are kept.
START_TEST(memory) {
    static double x[4000];
    const ww_measure dtw = wwt_measure(WW_DTW);
    uint64_t most = 0;
    double distance;
    for (size_t t = 0; t < 4000; t++)
        x[t] = (double)(t % 7);
    for (size_t n = 1; n <= 40; n++) {
        wwt_ok(ww_distance(wwt_context, &dtw, x, n, x + 3, 20, 1, &distance));
        if (n == 10)
            most = ww_context_bytes(wwt_context);
    }
    ck_assert_uint_lt(ww_context_bytes(wwt_context), 4 * most);
}
END_TEST

typedef struct caller {
    pthread_t thread;
    const wwt_set *rows, *columns;
    const double *expected;
    size_t first, wrong;
} caller;

static void *call_often(void *user) {
    caller *c = user;
    const ww_measure dtw = wwt_measure(WW_DTW);
    for (size_t k = 0; k < 40; k++) {
        const size_t i = (k * 3 + c->first) % PAIRS;
        double distance = 0;
        const ww_status status = ww_distance(wwt_context, &dtw, c->rows->values + c->rows->offsets[i], N,
                                             c->columns->values + c->columns->offsets[i], M, 1, &distance);
        c->wrong += status != WW_OK || distance < c->expected[i] || distance > c->expected[i];
    }
    return NULL;
}

START_TEST(threads) {
    enum { THREADS = 4 };
    const ww_measure dtw = wwt_measure(WW_DTW);
    double expected[PAIRS];
    caller callers[THREADS];
    wwt_set rows, columns;
    make_sets(WW_DTW, PAIRS, &rows, &columns);
    for (size_t i = 0; i < PAIRS; i++)
        expected[i] = call(&dtw, &rows, &columns, i);
    for (size_t t = 0; t < THREADS; t++) {
        callers[t] = (caller){.rows = &rows, .columns = &columns, .expected = expected, .first = t};
        ck_assert_int_eq(pthread_create(&callers[t].thread, NULL, call_often, &callers[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++) {
        ck_assert_int_eq(pthread_join(callers[t].thread, NULL), 0);
        ck_assert_uint_eq(callers[t].wrong, 0);
    }
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

static int answer(void *user) {
    return *(const int *)user;
}

// A thread's interrupt function ends its calls, also those without options of a run; not those of another thread.
START_TEST(interrupts) {
    const ww_measure dtw = wwt_measure(WW_DTW);
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan *plan = NULL;
    int stop = 0;
    double expected[PAIRS];
    wwt_set rows, columns;
    make_sets(WW_DTW, 20 * PAIRS, &rows, &columns);
    ww_dataset *x = wwt_dataset(&rows, WW_FLOAT), *y = wwt_dataset(&columns, WW_FLOAT);
    void *distances = wwt_guarded(rows.count * columns.count, WW_FLOAT);
    run.launch_seconds = 1e-9;
    options.run = &run;
    ww_thread_set_interrupt(answer, &stop);
    for (size_t i = 0; i < PAIRS; i++)
        expected[i] = call(&dtw, &rows, &columns, i);
    wwt_ok(ww_plan_create_matrix(&dtw, x, y, &options, &plan));
    wwt_ok(wwt_plan_run(plan, distances));
    stop = 1;
    ww_thread_set_interrupt(answer, &stop); // is asked at once: between two launches, before a compile
    wwt_fails(wwt_plan_run(plan, distances), WW_ERROR_CANCELLED);
    ww_thread_set_interrupt(answer, &stop);
    wwt_fails(ww_context_self_test(wwt_context), WW_ERROR_CANCELLED);
    const ww_series_view view = wwt_view(&rows);
    ww_dataset *data = NULL;
    ww_thread_set_interrupt(answer, &stop);
    wwt_fails(ww_dataset_create(wwt_context, &view, NULL, &data), WW_ERROR_CANCELLED);
    ww_point_view numbers = WW_POINT_VIEW_INIT;
    ww_points *points = NULL;
    numbers.values = rows.values;
    numbers.precision = WW_DOUBLE;
    numbers.count = rows.count;
    numbers.dimension = N;
    ww_thread_set_interrupt(answer, &stop);
    wwt_fails(ww_points_create(wwt_context, &numbers, NULL, &points), WW_ERROR_CANCELLED);
    ck_assert(!data && !points);
    caller other = {.rows = &rows, .columns = &columns, .expected = expected};
    ck_assert_int_eq(pthread_create(&other.thread, NULL, call_often, &other), 0);
    ck_assert_int_eq(pthread_join(other.thread, NULL), 0);
    ck_assert_uint_eq(other.wrong, 0);
    ww_thread_set_interrupt(NULL, NULL);
    wwt_ok(wwt_plan_run(plan, distances));
    wwt_guarded_free(distances);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&x);
    ww_dataset_destroy(&y);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("calls");
    wwt_add(suite, values, IDS);
    wwt_add(suite, channels, KINDS * 2);
    wwt_add(suite, strips, IDS);
    wwt_add(suite, changes, 1);
    wwt_add(suite, memory, 1);
    wwt_add(suite, threads, 1);
    wwt_add(suite, interrupts, 1);
    return wwt_run(suite);
}
