// SPDX-License-Identifier: Apache-2.0
// What is decided at an edge, once in each job, in every run: which of equal ones is taken, what an exclusion leaves
// out, which path the edge of a band leaves. Whole numbers, so that what is equal is so on every device.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/choices.h"
#include "reference/knn_reference.h"
#include "reference/profile_reference.h"
#include "reference/search_reference.h"
#include "support.h"

static double whole(size_t least, size_t most) {
    return (double)wwt_random_size(least, most);
}

// ---- of equal ones the first

// A work-item a row, and a work-group a row, whose queue is merged more than once.
START_TEST(of_equal_values) {
    enum { ROWS = 3, COLUMNS = 1500, K = 4 };
    const ww_precision precision = (ww_precision)(_i % 2);
    ww_context *context = _i < 2 ? wwt_context : wwt_context_tuned("default select.group 64\n");
    ww_topk_options options = WW_TOPK_OPTIONS_INIT;
    ww_topk *topk = NULL;
    double values[ROWS * COLUMNS], expected[K];
    float narrow[ROWS * COLUMNS];
    int64_t indices[ROWS * K], ids[K];
    wwt_seed((unsigned)_i);
    // One row of few values, one whose least come last, one of 0 and -0.
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        values[i] = i < COLUMNS       ? whole(0, 2)
                    : i < 2 * COLUMNS ? (double)((2 * COLUMNS - i) / 3)
                    : whole(0, 1) > 0 ? 0.0
                                      : -0.0;
        narrow[i] = (float)values[i];
    }
    options.precision = precision;
    wwt_ok(ww_topk_create(context, ROWS, COLUMNS, K, &options, &topk));
    wwt_ok(ww_topk_run(topk, precision == WW_DOUBLE ? (const void *)values : narrow, indices, NULL));
    for (size_t row = 0; row < ROWS; row++) {
        wwr_k_smallest(values + row * COLUMNS, COLUMNS, SIZE_MAX, K, ids, expected);
        ck_assert_mem_eq(indices + row * K, ids, sizeof ids);
    }
    ww_topk_destroy(&topk);
    if (context != wwt_context)
        ww_context_destroy(&context);
}
END_TEST

// Of a set with itself and of two sets.
START_TEST(of_equal_series) {
    enum { N = 60, LENGTH = 3, K = 5 };
    const ww_measure measure = wwt_measure(WW_DTW);
    const size_t lengths[N] = {[0 ... N - 1] = LENGTH};
    wwt_set set = wwt_set_make(1, lengths, N);
    double all[N], nearest[K];
    int64_t indices[N * K], ids[K];
    ww_plan *plan = NULL;
    for (size_t v = 0; v < N * LENGTH; v++)
        set.values[v] = whole(0, 2);
    ww_dataset *dataset = wwt_dataset(&set, WW_FLOAT);
    for (int self = 0; self < 2; self++) {
        wwt_ok(ww_plan_create_nearest(&measure, dataset, self ? NULL : dataset, K, NULL, &plan));
        wwt_ok(ww_plan_run_nearest(plan, indices, NULL));
        ww_plan_destroy(&plan);
        for (size_t i = 0; i < N; i++) {
            const wwr_series x = wwt_series(&set, i);
            for (size_t j = 0; j < N; j++) {
                const wwr_series y = wwt_series(&set, j);
                all[j] = wwr_distance(&measure, NULL, &x, &y);
            }
            wwr_k_smallest(all, N, self ? i : SIZE_MAX, K, ids, nearest);
            ck_assert_mem_eq(indices + i * K, ids, sizeof ids);
        }
    }
    ww_dataset_destroy(&dataset);
    wwt_set_free(&set);
}
END_TEST

START_TEST(of_equal_points) {
    enum { N = 300, D = 3, K = 6 };
    double values[N * D], all[N], nearest[K];
    int64_t indices[N * K], ids[K];
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *points = NULL;
    ww_knn *knn = NULL;
    for (size_t i = 0; i < N * D; i++)
        values[i] = whole(0, 3);
    view.precision = WW_DOUBLE;
    view.values = values;
    view.count = N;
    view.dimension = D;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &points));
    wwt_ok(ww_knn_create(points, NULL, K, NULL, &knn));
    wwt_ok(ww_knn_run(knn, indices, NULL, NULL));
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++)
            all[j] = wwr_point_distance(WW_METRIC_L2, values + i * D, values + j * D, D);
        wwr_k_smallest(all, N, i, K, ids, nearest);
        ck_assert_mem_eq(indices + i * K, ids, sizeof ids);
    }
    ww_knn_destroy(&knn);
    ww_points_destroy(&points);
}
END_TEST

// ---- windows of one series

enum { POINTS = 200, PERIOD = 17, WINDOW = 8, WINDOWS = POINTS - WINDOW + 1 };

// With a period: the first of the same windows. Else just as far as the exclusion allows.
START_TEST(of_a_profile) {
    enum { EXCLUSION = 11 };
    double x[POINTS] = {0}, distances[WINDOWS], expected[WINDOWS];
    int64_t indices[WINDOWS], ids[WINDOWS];
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    const ww_series_view view = wwt_view_of(x, POINTS, 1);
    wwt_seed(3);
    for (size_t t = 0; t < POINTS; t++)
        x[t] = t < PERIOD ? whole(0, 50) + 0.1 : x[t - PERIOD];
    options.exclusion = EXCLUSION;
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, &options, distances, indices));
    for (size_t i = 0; i < WINDOWS; i++)
        ck_assert_int_eq(indices[i], (int64_t)(i < PERIOD ? i + PERIOD : i % PERIOD));
    // A parabola's windows are the nearer, the less they are apart.
    for (size_t t = 0; t < POINTS; t++)
        x[t] = (double)(t * t);
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, &options, distances, indices));
    wwr_profile(x, POINTS, NULL, 0, WINDOW, 1, EXCLUSION, WWR_PROFILE_ALL, 1, expected, ids);
    for (size_t i = 0; i < WINDOWS; i++) {
        ck_assert(fabs(distances[i] - expected[i]) < 1e-5 * WINDOW);
        ck_assert_int_eq(labs((long)(indices[i] - (int64_t)i)), EXCLUSION + 1);
    }
    // Windows at rest are all alike.
    for (size_t t = 0; t < POINTS; t++)
        x[t] = 7;
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, &options, distances, indices));
    for (size_t i = 0; i < WINDOWS; i++)
        ck_assert_int_eq(indices[i], i <= EXCLUSION ? (int64_t)i + EXCLUSION + 1 : 0);
}
END_TEST

// Matches with open ends that are the same again and again: the first of them, and the next ones behind the exclusion.
START_TEST(of_equal_matches) {
    enum { N = 6, K = 3, SKIP = 4 };
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_match matches[K];
    double x[POINTS] = {0}, values[POINTS];
    size_t places[K], found = 0;
    wwt_seed(4);
    for (size_t t = 0; t < POINTS; t++)
        x[t] = t < SKIP ? whole(0, 4) : x[t - SKIP]; // just as far apart as they may be
    const ww_series_view query = wwt_view_of(x + 2 * SKIP + 2, N, 1), stream = wwt_view_of(x, POINTS, 1);
    const wwr_series q = {x + 2 * SKIP + 2, N, 1}, s = {x, POINTS, 1};
    options.kind = WW_SEARCH_OPEN;
    options.k = K;
    options.exclusion = SKIP;
    wwt_ok(ww_search_create(wwt_context, &measure, &query, &options, &search));
    wwt_ok(ww_search_run(search, &stream, matches, &found));
    wwr_search_ends(&measure, &q, &s, values);
    ck_assert_uint_eq(found, wwr_search_choose(values, POINTS, SKIP, K, 0, places));
    for (size_t i = 0; i < found; i++) {
        ck_assert_int_eq(matches[i].end - 1, (int64_t)places[i]);
        ck_assert_double_eq(matches[i].distance, 0);
    }
    ww_search_destroy(&search);
}
END_TEST

// ---- paths

// The first of equal directions, and what a band leaves: LCSS, whose matches may lie at its edge, and DTW.
START_TEST(of_equal_paths) {
    enum { N = 24, PAIRS = 6 };
    const size_t lengths[PAIRS] = {N, N, N, N, N, N};
    ww_measure measure = wwt_measure(_i ? WW_LCSS : WW_DTW);
    int32_t wanted[2 * N][2];
    ww_plan *plan = NULL;
    ww_paths paths = WW_PATHS_INIT;
    wwt_seed((unsigned)_i);
    wwt_set rows = wwt_set_make(1, lengths, PAIRS), columns = wwt_set_make(1, lengths, PAIRS);
    for (size_t v = 0; v < PAIRS * N; v++) {
        rows.values[v] = whole(0, 2);
        // Half of them the row's own, moved as far as the band is wide.
        columns.values[v] = v / N % 2 || v % N < 3 ? whole(0, 2) : rows.values[v - 3];
    }
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 3.0};
    if (_i)
        measure.parameters[0] = 0.5;
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = wwt_dataset(&columns, WW_FLOAT);
    wwt_ok(ww_plan_create_paths(&measure, a, b, NULL, NULL, PAIRS, NULL, &plan));
    wwt_ok(ww_plan_run_paths(plan, &paths));
    for (size_t p = 0; p < PAIRS; p++) {
        const wwr_series x = wwt_series(&rows, p), y = wwt_series(&columns, p);
        const size_t count = wwr_path(&measure, &x, &y, wanted);
        ck_assert_uint_eq(paths.offsets[p + 1] - paths.offsets[p], count);
        ck_assert_mem_eq(paths.cells + 2 * paths.offsets[p], wanted, count * sizeof *wanted);
        ck_assert(wwt_close(paths.distances[p], wwr_path_value(&measure, &x, &y, wanted, count), WW_FLOAT));
    }
    ww_paths_free(&paths);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("edges");
    TCase *tcase = wwt_case(suite, "edges", 120);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    for (int way = 0; way < 4; way++)
        if (way % 2 == 0 || wwt_device_has_double())
            tcase_add_loop_test(tcase, of_equal_values, way, way + 1);
    tcase_add_test(tcase, of_equal_series);
    tcase_add_test(tcase, of_equal_points);
    tcase_add_test(tcase, of_a_profile);
    tcase_add_test(tcase, of_equal_matches);
    tcase_add_loop_test(tcase, of_equal_paths, 0, 2);
    return wwt_run(suite);
}
