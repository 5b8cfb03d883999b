// SPDX-License-Identifier: Apache-2.0
// k-means: labels and distances against the textbook's distances, planted clusters, empty clusters, seeds, refusals.
// Medoids of samples: the same.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/choices.h"
#include "set_jobs.h"
#include "support.h"

static ww_precision best_precision(void) {
    return wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
}

// `count` series around `shapes` bumps, each far from the others: series i is around bump i % shapes.
static ww_series_set *bumps(size_t channels, size_t shapes, size_t count, size_t least, size_t most) {
    wwt_set noise = wwt_set_random(channels, least, most, count);
    ww_series_set *set;
    wwt_ok(ww_series_set_create(channels, &set));
    for (size_t i = 0; i < count; i++) {
        double *values = noise.values + noise.offsets[i];
        const size_t length = noise.lengths[i], at = length * (i % shapes * 2 + 1) / (2 * shapes);
        for (size_t c = 0; c < channels; c++)
            for (size_t t = 0; t < length; t++) {
                const double away = ((double)t - (double)at) * 4.0 * (double)shapes / (double)length;
                values[c * length + t] = 0.05 * values[c * length + t] + (double)(i % shapes + 1) * exp(-away * away);
            }
        wwt_ok(ww_series_set_add(set, length, values, NULL));
    }
    wwt_set_free(&noise);
    return set;
}

static double reference(const ww_measure *measure, const ww_series_set *a, size_t i, const ww_series_set *b, size_t j) {
    const wwr_series x = {ww_series_set_values(a, i), ww_series_set_length(a, i), ww_series_set_channels(a)};
    const wwr_series y = {ww_series_set_values(b, j), ww_series_set_length(b, j), ww_series_set_channels(b)};
    return wwr_choice(measure, NULL, &x, NULL, &y, NULL);
}

// Every label is that of the nearest centre, clusters are numbered by their first series and none is empty, distances
// and objective are those of the textbook.
static void check(const ww_measure *measure, const ww_series_set *set, size_t k, ww_precision precision,
                  const int64_t *labels, const double *distances, const ww_series_set *centres,
                  const ww_kmeans_info *info) {
    const double tolerance = precision == WW_DOUBLE ? 1e-9 : 1e-3;
    double sum = 0;
    int64_t found = 0;
    ck_assert_uint_eq(ww_series_set_count(centres), k);
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        ck_assert_int_ge(labels[i], 0);
        ck_assert_int_le(labels[i], found);
        found += labels[i] == found;
        const double own = reference(measure, set, i, centres, (size_t)labels[i]);
        ck_assert_msg(fabs(distances[i] - own) <= tolerance * (1 + fabs(own)), "series %zu: %.17g, textbook %.17g", i,
                      distances[i], own);
        for (size_t c = 0; c < k; c++)
            ck_assert_msg(reference(measure, set, i, centres, c) >= own - tolerance * (1 + fabs(own)),
                          "series %zu is nearer to centre %zu than to its own, %d", i, c, (int)labels[i]);
        sum += distances[i];
    }
    ck_assert_int_eq(found, (int64_t)k);
    ck_assert_double_eq_tol(info->objective, sum, 1e-9 * (1 + fabs(sum)));
    ck_assert_double_le(info->objective, info->first_objective);
}

START_TEST(planted) {
    enum { COUNT = 18, SHAPES = 3 };
    static const struct {
        ww_measure_id measure;
        double gamma;
        size_t channels, least, most, length;
    } rows[] = {{WW_DTW, 0, 1, 40, 40, 0},
                {WW_DTW, 0, 2, 30, 45, 36},
                {WW_ADTW, 0, 1, 30, 40, 0},
                {WW_MSM, 0, 1, 32, 32, 0},
                {WW_DTW, 0.05, 1, 36, 36, 0}};
    ww_measure measure = wwt_measure(rows[_i].measure);
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_kmeans_info info = WW_KMEANS_INFO_INIT;
    ww_series_set *centres;
    int64_t labels[COUNT], again[COUNT];
    double distances[COUNT];
    measure.gamma = rows[_i].gamma;
    options.average = measure.gamma > 0 ? WW_AVERAGE_SOFT : WW_AVERAGE_DBA;
    options.length = rows[_i].length;
    options.starts = 6;
    wwt_seed((unsigned)_i);
    ww_series_set *set = bumps(rows[_i].channels, SHAPES, COUNT, rows[_i].least, rows[_i].most);
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), SHAPES, &options, labels, distances, &centres, &info));
    check(&measure, set, SHAPES, best_precision(), labels, distances, centres, &info);
    ck_assert_int_eq(info.converged, 1);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(labels[i], (int64_t)(i % SHAPES));
    for (size_t c = 0; rows[_i].length && c < SHAPES; c++)
        ck_assert_uint_eq(ww_series_set_length(centres, c), rows[_i].length);
    ww_series_set_destroy(&centres);
    // The same seed, the same result.
    ww_kmeans_info other = WW_KMEANS_INFO_INIT;
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), SHAPES, &options, again, NULL, &centres, &other));
    ck_assert_int_eq(memcmp(labels, again, sizeof labels), 0);
    ck_assert_double_eq(info.objective, other.objective);
    ww_series_set_destroy(&centres);
    ww_series_set_destroy(&set);
}
END_TEST

// One cluster: its centre is the average from the first centre.
START_TEST(one_cluster) {
    enum { COUNT = 7 };
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_kmeans_info info = WW_KMEANS_INFO_INIT;
    ww_average_options average = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result result = WW_AVERAGE_RESULT_INIT;
    ww_series_set *centres, *first;
    int64_t labels[COUNT];
    double distances[COUNT];
    wwt_seed(3);
    ww_series_set *set = bumps(1, 2, COUNT, 30, 30);
    options.iterations = 0;
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), 1, &options, labels, distances, &first, NULL));
    options.iterations = 1;
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), 1, &options, labels, distances, &centres, &info));
    check(&measure, set, 1, best_precision(), labels, distances, centres, &info);
    ck_assert_uint_eq(info.iterations, 1);
    average.start = WW_AVERAGE_START_GIVEN;
    average.given = ww_series_set_values(first, 0);
    average.given_length = ww_series_set_length(first, 0);
    average.iterations = options.average_iterations;
    wwt_ok(wwt_average(&measure, set, best_precision(), &average, &result));
    ck_assert_uint_eq(result.length, ww_series_set_length(centres, 0));
    ck_assert_int_eq(memcmp(result.centre, ww_series_set_values(centres, 0), result.length * sizeof(double)), 0);
    ww_average_result_free(&result);
    ww_series_set_destroy(&centres);
    ww_series_set_destroy(&first);
    ww_series_set_destroy(&set);
}
END_TEST

// First centres that are given, and weights: with twice the weights the objective is twice as large.
START_TEST(first_centres_and_weights) {
    enum { COUNT = 8, K = 2 };
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_kmeans_info info = WW_KMEANS_INFO_INIT, other = WW_KMEANS_INFO_INIT;
    ww_series_set *centres, *again, *first;
    int64_t labels[COUNT], twice[COUNT];
    double distances[COUNT], weights[COUNT];
    wwt_seed(5);
    ww_series_set *set = bumps(2, 2, COUNT, 20, 24);
    options.iterations = 0;
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), K, &options, labels, distances, &first, NULL));
    options.first = first;
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), K, &options, twice, distances, &again, &info));
    ck_assert_int_eq(memcmp(labels, twice, sizeof labels), 0);
    ck_assert_uint_eq(ww_series_set_length(again, 1), ww_series_set_length(first, 1));
    ww_series_set_destroy(&again);
    options.iterations = 5;
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), K, &options, labels, distances, &centres, &info));
    for (size_t i = 0; i < COUNT; i++)
        weights[i] = 2;
    options.weights = weights;
    wwt_ok(wwt_kmeans(&measure, set, best_precision(), K, &options, twice, distances, &again, &other));
    ck_assert_int_eq(memcmp(labels, twice, sizeof labels), 0);
    ck_assert_double_eq_tol(other.objective, 2 * info.objective, 1e-6 * info.objective);
    ww_series_set_destroy(&again);
    options.starts = 2;
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, K, &options, labels, NULL, &again, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.starts = 1;
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, K + 1, &options, labels, NULL, &again, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    for (int wrong = 0; wrong < 3; wrong++) {
        weights[3] = wrong == 0 ? -1 : wrong == 1 ? (double)NAN : (double)INFINITY;
        wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, K, &options, labels, NULL, &again, NULL),
                  WW_ERROR_INVALID_ARGUMENT);
    }
    memset(weights, 0, sizeof weights);
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, K, &options, labels, NULL, &again, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(again);
    ww_series_set_destroy(&centres);
    ww_series_set_destroy(&first);
    ww_series_set_destroy(&set);
}
END_TEST

// As many clusters as series, and as different series: equal series have no cluster of their own but by refilling.
START_TEST(every_series_a_cluster) {
    enum { COUNT = 6 };
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_kmeans_info info = WW_KMEANS_INFO_INIT;
    ww_series_set *set, *centres;
    int64_t labels[COUNT];
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < COUNT; i++) {
        const double level = (double)(_i ? i % 2 : i), values[] = {level, level + 1, level, level};
        wwt_ok(ww_series_set_add(set, 4, values, NULL));
    }
    wwt_ok(wwt_kmeans(&measure, set, WW_FLOAT, COUNT, &options, labels, NULL, &centres, &info));
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(labels[i], (int64_t)i);
    ck_assert_double_eq(info.objective, 0);
    ck_assert(_i ? info.refilled > 0 : info.refilled == 0);
    ww_series_set_destroy(&centres);
    ww_series_set_destroy(&set);
}
END_TEST

// More searches are never worse.
START_TEST(starts) {
    enum { COUNT = 20 };
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_series_set *centres;
    int64_t labels[COUNT];
    double before = INFINITY;
    wwt_seed(9);
    ww_series_set *set = bumps(1, 5, COUNT, 25, 25);
    for (options.starts = 1; options.starts <= 4; options.starts++) {
        ww_kmeans_info info = WW_KMEANS_INFO_INIT;
        wwt_ok(wwt_kmeans(&measure, set, WW_FLOAT, 5, &options, labels, NULL, &centres, &info));
        ck_assert_double_le(info.objective, before);
        ck_assert_uint_lt(info.start, options.starts);
        before = info.objective;
        ww_series_set_destroy(&centres);
    }
    ww_series_set_destroy(&set);
}
END_TEST

static int stop_at_third(void *user, uint64_t done, uint64_t total) {
    (void)total;
    *(uint64_t *)user = done;
    return done >= 2;
}

START_TEST(refusals) {
    enum { COUNT = 4 };
    ww_measure measure = wwt_measure(WW_DTW);
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_series_set *centres, *empty;
    int64_t labels[COUNT];
    uint64_t reached = 0;
    wwt_seed(1);
    ww_series_set *set = bumps(1, 2, COUNT, 20, 20);
    wwt_ok(ww_series_set_create(1, &empty));
    wwt_fails(wwt_kmeans(&measure, empty, WW_FLOAT, 1, NULL, labels, NULL, &centres, NULL), WW_ERROR_EMPTY);
    ck_assert_ptr_null(centres);
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 0, NULL, labels, NULL, &centres, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, COUNT + 1, NULL, labels, NULL, &centres, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, NULL, NULL, NULL, &centres, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, NULL, labels, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.starts = 0;
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, &options, labels, NULL, &centres, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    options = (ww_kmeans_options)WW_KMEANS_OPTIONS_INIT;
    options.tolerance = NAN;
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, &options, labels, NULL, &centres, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    options = (ww_kmeans_options)WW_KMEANS_OPTIONS_INIT;
    options.average_iterations = 0;
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, &options, labels, NULL, &centres, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    options = (ww_kmeans_options)WW_KMEANS_OPTIONS_INIT;
    options.average = WW_AVERAGE_SOFT; // without a gamma
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, &options, labels, NULL, &centres, NULL), WW_ERROR_UNSUPPORTED);
    options = (ww_kmeans_options)WW_KMEANS_OPTIONS_INIT;
    measure = wwt_measure(WW_EDR);
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, &options, labels, NULL, &centres, NULL), WW_ERROR_UNSUPPORTED);
    measure = wwt_measure(WW_DTW);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    run.progress = stop_at_third;
    run.progress_user = &reached;
    plan.run = &run;
    options.plan = &plan;
    options.starts = 3;
    wwt_fails(wwt_kmeans(&measure, set, WW_FLOAT, 2, &options, labels, NULL, &centres, NULL), WW_ERROR_CANCELLED);
    ck_assert_ptr_null(centres);
    ck_assert_uint_ge(reached, 2);
    ww_series_set_destroy(&set);
    ww_series_set_destroy(&empty);
}
END_TEST

// ---- medoids of samples

// Every series has its nearest medoid, clusters are numbered by their first series, and the cost is the sum.
static void check_sampled(const ww_measure *measure, const ww_series_set *set, size_t k, const int64_t *labels,
                          const size_t *medoids, const double *distances, double cost) {
    double sum = 0;
    int64_t found = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        ck_assert_int_le(labels[i], found);
        found += labels[i] == found;
        const double own = medoids[labels[i]] == i ? 0 : reference(measure, set, i, set, medoids[labels[i]]);
        ck_assert(fabs(distances[i] - own) <= 1e-9 * (1 + own));
        for (size_t m = 0; m < k; m++)
            ck_assert(reference(measure, set, i, set, medoids[m]) >= own - 1e-9 * (1 + own));
        sum += distances[i];
    }
    ck_assert_int_eq(found, (int64_t)k);
    ck_assert(fabs(sum - cost) <= 1e-9 * (1 + cost));
}

START_TEST(sampled_medoids) {
    enum { COUNT = 90, K = 3 };
    ww_measure measure = wwt_measure(_i ? WW_TWED : WW_DTW);
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
    ww_medoids_info info = WW_MEDOIDS_INFO_INIT, whole_info = WW_MEDOIDS_INFO_INIT;
    ww_dataset *data;
    int64_t labels[2][COUNT];
    size_t medoids[2][K];
    double distances[COUNT], condensed[COUNT * (COUNT - 1) / 2];
    if (!wwt_device_has_double())
        return;
    wwt_seed((unsigned)_i);
    ww_series_set *set = bumps(1, K, COUNT, _i ? 24 : 16, 24);
    make.precision = WW_DOUBLE;
    wwt_ok(ww_dataset_create_from_set(wwt_context, set, &make, &data));
    // As many as a sample may have, which are all: the medoids of the matrix.
    options.sample = COUNT;
    options.samples = 4;
    wwt_ok(ww_cluster_medoids_sampled(&measure, data, K, &options, labels[0], medoids[0], distances, &info));
    check_sampled(&measure, set, K, labels[0], medoids[0], distances, info.cost);
    for (size_t i = 0, at = 0; i < COUNT; i++)
        for (size_t j = i + 1; j < COUNT; j++)
            condensed[at++] = reference(&measure, set, i, set, j);
    wwt_ok(ww_cluster_medoids(condensed, WW_DOUBLE, COUNT, K, NULL, labels[1], medoids[1], &whole_info));
    ck_assert_mem_eq(medoids[0], medoids[1], sizeof *medoids);
    ck_assert_mem_eq(labels[0], labels[1], sizeof *labels);
    // Planted clusters are found from a few series, by each seed, the same each time.
    options.sample = 4 * K;
    options.samples = 3;
    for (options.seed = 0; options.seed < 4; options.seed++) {
        wwt_ok(ww_cluster_medoids_sampled(&measure, data, K, &options, labels[0], medoids[0], distances, &info));
        check_sampled(&measure, set, K, labels[0], medoids[0], distances, info.cost);
        ck_assert_mem_eq(labels[0], labels[1], sizeof *labels);
        ck_assert(info.cost >= whole_info.cost * (1 - 1e-9) && info.cost <= info.first_cost && info.converged);
        wwt_ok(ww_cluster_medoids_sampled(&measure, data, K, &options, labels[0], medoids[1], NULL, NULL));
        ck_assert_mem_eq(medoids[0], medoids[1], sizeof *medoids);
    }
    ww_dataset_destroy(&data);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(sampled_refusals) {
    enum { COUNT = 8 };
    ww_measure measure = wwt_measure(WW_DTW), similarity = wwt_measure(WW_LCS);
    ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_dataset *data;
    int64_t labels[COUNT];
    size_t medoids[COUNT];
    uint64_t reached = 0;
    wwt_seed(1);
    ww_series_set *set = bumps(1, 2, COUNT, 20, 20);
    wwt_ok(ww_dataset_create_from_set(wwt_context, set, NULL, &data));
    wwt_ok(ww_cluster_medoids_sampled(&measure, data, COUNT, NULL, labels, medoids, NULL, NULL)); // each a cluster
    ck_assert_uint_eq(medoids[COUNT - 1], COUNT - 1);
    wwt_ok(ww_cluster_medoids_sampled(&measure, data, 1, NULL, labels, medoids, NULL, NULL));
    wwt_fails(ww_cluster_medoids_sampled(&measure, data, 0, NULL, labels, medoids, NULL, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_cluster_medoids_sampled(&measure, data, COUNT + 1, NULL, labels, medoids, NULL, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_cluster_medoids_sampled(&similarity, data, 2, NULL, labels, medoids, NULL, NULL),
              WW_ERROR_UNSUPPORTED);
    wwt_fails(ww_cluster_medoids_sampled(&measure, data, 2, NULL, NULL, medoids, NULL, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    options.sample = 2;
    wwt_fails(ww_cluster_medoids_sampled(&measure, data, 2, &options, labels, medoids, NULL, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    options.sample = 0;
    options.samples = 1000001;
    wwt_fails(ww_cluster_medoids_sampled(&measure, data, 2, &options, labels, medoids, NULL, NULL),
              WW_ERROR_INVALID_ARGUMENT);
    options.samples = 3;
    options.sample = 4;
    run.progress = stop_at_third;
    run.progress_user = &reached;
    options.run = &run;
    wwt_fails(ww_cluster_medoids_sampled(&measure, data, 2, &options, labels, medoids, NULL, NULL), WW_ERROR_CANCELLED);
    ck_assert_uint_ge(reached, 2);
    ww_dataset_destroy(&data);
    ww_series_set_destroy(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("kmeans");
    wwt_add(suite, planted, 5);
    wwt_add(suite, one_cluster, 1);
    wwt_add(suite, first_centres_and_weights, 1);
    wwt_add(suite, every_series_a_cluster, 2);
    wwt_add(suite, starts, 1);
    wwt_add(suite, refusals, 1);
    wwt_add(suite, sampled_medoids, 2);
    wwt_add(suite, sampled_refusals, 1);
    return wwt_run(suite);
}
