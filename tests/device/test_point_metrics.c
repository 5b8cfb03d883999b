// SPDX-License-Identifier: Apache-2.0
// Metrics of points that are computed of every pair (Minkowski, Canberra, Bray-Curtis, correlation, L2 with missing
// coordinates) against their formulae in double; refusals. The other metrics are in test_knn.c.
#include <math.h>
#include <stdlib.h>

#include "reference/knn_reference.h"
#include "support.h"

enum { DIMENSION = 7, BASE = 700, QUERIES = 40, K = 9 };

static const struct {
    ww_metric metric;
    double p;
} cases[] = {{WW_METRIC_MINKOWSKI, 3}, {WW_METRIC_MINKOWSKI, 1.5}, {WW_METRIC_MINKOWSKI, 2.2}, {WW_METRIC_MINKOWSKI, 0},
             {WW_METRIC_CANBERRA, 0},  {WW_METRIC_BRAY_CURTIS, 0}, {WW_METRIC_CORRELATION, 0}, {WW_METRIC_NAN_L2, 0}};
enum { CASES = sizeof cases / sizeof *cases };

// One point is zero, one constant or without any coordinate; `missing`: other coordinates are missing, too.
static double *make_values(size_t count, bool missing) {
    double *values = malloc(count * DIMENSION * sizeof *values);
    for (size_t i = 0; i < count * DIMENSION; i++)
        values[i] = (double)(float)(wwt_random() + 0.2);
    for (size_t j = 0; j < DIMENSION; j++) {
        values[3 * DIMENSION + j] = 0;
        values[5 * DIMENSION + j] = missing ? (double)NAN : 0.7;
    }
    for (size_t i = 6 * DIMENSION; missing && i < count * DIMENSION; i += wwt_random_size(1, 9))
        values[i] = (double)NAN;
    return values;
}

static ww_points *upload(const double *values, size_t count, ww_precision precision, bool missing, uint64_t max_bytes) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    view.values = values;
    view.precision = WW_DOUBLE;
    view.count = count;
    view.dimension = DIMENSION;
    options.precision = precision;
    options.max_bytes = max_bytes;
    options.missing = missing;
    wwt_ok(ww_points_create(wwt_context, &view, &options, &points));
    return points;
}

// A query's neighbours against the sorted distances of those that have one.
static void check_query(ww_metric metric, double p, const double *query, const double *base, ww_precision precision,
                        const int64_t *ids, const void *distances, size_t found) {
    double all[BASE], wanted[K];
    int64_t places[K];
    size_t there = 0;
    for (size_t c = 0; c < BASE; c++) {
        const double value = wwr_every_distance(metric, p, query, base + c * DIMENSION, DIMENSION);
        all[c] = isnan(value) ? (double)INFINITY : value;
        there += isnan(value) ? 0 : 1;
    }
    wwr_k_smallest(all, BASE, SIZE_MAX, K, places, wanted);
    ck_assert_uint_eq(found, there < K ? there : K);
    for (size_t i = 0; i < K; i++) {
        const double value = wwt_value(distances, precision, i);
        const double allowed = (precision == WW_DOUBLE ? 1e-13 : 5e-5) * (1 + fabs(wanted[i]));
        if (i >= found) {
            ck_assert_int_eq(ids[i], -1);
            continue;
        }
        ck_assert(ids[i] >= 0 && ids[i] < BASE);
        ck_assert_msg(fabs(value - wanted[i]) <= allowed && fabs(all[(size_t)ids[i]] - value) <= allowed,
                      "%s p %g: neighbour %zu at %.17g for %.17g", ww_word(WW_WORD_METRIC, metric), p, i, value,
                      wanted[i]);
    }
}

START_TEST(every_metric) {
    const ww_metric metric = cases[_i / 2].metric;
    const bool missing = metric == WW_METRIC_NAN_L2;
    const ww_precision precision = _i % 2 ? WW_DOUBLE : WW_FLOAT;
    const size_t size = precision == WW_DOUBLE ? 8 : 4;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    if (_i % 2 >= wwt_precision_count())
        return;
    wwt_seed((unsigned)_i + 50);
    double *base = make_values(BASE, missing), *queries = make_values(QUERIES, missing);
    options.metric = metric;
    options.p = cases[_i / 2].p;
    for (int parts = 0; parts < 2; parts++) {
        ww_points *b = upload(base, BASE, precision, missing, parts ? 256 * DIMENSION * 8 : 0);
        ww_points *q = upload(queries, QUERIES, precision, missing, 0);
        int64_t ids[QUERIES * K];
        uint32_t found[QUERIES];
        void *distances = wwt_guarded(QUERIES * K, precision);
        ww_knn *knn;
        wwt_ok(ww_knn_create(b, q, K, &options, &knn));
        wwt_ok(ww_knn_run(knn, ids, distances, found));
        for (size_t i = 0; i < QUERIES; i++)
            check_query(metric, options.p != 0 ? options.p : 2, queries + i * DIMENSION, base, precision, ids + i * K,
                        (const char *)distances + i * K * size, found[i]);
        ww_knn_destroy(&knn);
        wwt_guarded_free(distances);
        ww_points_destroy(&q);
        ww_points_destroy(&b);
    }
    free(base);
    free(queries);
}
END_TEST

START_TEST(refused) {
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn *knn;
    wwt_seed(60);
    double *numbers = make_values(20, false), *gaps = make_values(20, true);
    ww_points *whole = upload(numbers, 20, WW_FLOAT, false, 0), *with_gaps = upload(gaps, 20, WW_FLOAT, true, 0), *none;
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options missing = WW_POINTS_OPTIONS_INIT;
    view.values = gaps;
    view.precision = WW_DOUBLE;
    view.count = 20;
    view.dimension = DIMENSION;
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &none), WW_ERROR_NOT_FINITE);
    missing.missing = 1;
    gaps[DIMENSION + 2] = (double)INFINITY;
    wwt_fails(ww_points_create(wwt_context, &view, &missing, &none), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, 1);
    wwt_fails(ww_knn_create(with_gaps, NULL, 1, &options, &knn), WW_ERROR_INVALID_ARGUMENT);
    options.metric = WW_METRIC_MINKOWSKI;
    wwt_fails(ww_knn_create(with_gaps, NULL, 1, &options, &knn), WW_ERROR_INVALID_ARGUMENT);
    options.p = 0.5;
    wwt_fails(ww_knn_create(whole, NULL, 1, &options, &knn), WW_ERROR_INVALID_ARGUMENT);
    options.p = (double)NAN;
    wwt_fails(ww_knn_create(whole, NULL, 1, &options, &knn), WW_ERROR_INVALID_ARGUMENT);
    options.p = 500;
    wwt_fails(ww_knn_create(whole, NULL, 1, &options, &knn), WW_ERROR_OVERFLOW);
    ww_points_destroy(&whole);
    ww_points_destroy(&with_gaps);
    free(numbers);
    free(gaps);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("point_metrics");
    wwt_add(suite, every_metric, CASES * 2);
    wwt_add(suite, refused, 1);
    return wwt_run(suite);
}
