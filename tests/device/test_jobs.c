// SPDX-License-Identifier: Apache-2.0
// The jobs against each other: pairs, matrix, half, condensed, blocks, nearest, classification, one-call functions.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "set_jobs.h"
#include "support.h"

static const ww_engine engines[] = {WW_ENGINE_LANES, WW_ENGINE_PACKED, WW_ENGINE_STRIPS, WW_ENGINE_AUTO};
enum { ENGINES = sizeof(engines) / sizeof(engines[0]) };

// Loops count the engines under DTW first, then under Fréchet.
static ww_measure loop_measure(int loop) {
    wwt_seed((unsigned)loop);
    return wwt_measure(loop < ENGINES ? WW_DTW : WW_FRECHET);
}

static ww_plan_options loop_options(int loop) {
    return wwt_engine(engines[loop % ENGINES]);
}

static float *floats(size_t count) {
    return wwt_guarded(count, WW_FLOAT);
}

START_TEST(pairs_are_cells_of_the_matrix) {
    ww_measure measure = loop_measure(_i);
    ww_plan_options options = loop_options(_i);
    enum { N = 9, M = 11, PAIRS = 40 };
    wwt_set rows = wwt_set_random(1, 3, 90, N), columns = wwt_set_random(1, 3, 90, M);
    float *matrix = wwt_matrix(&measure, &rows, &columns, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(matrix);
    size_t i[PAIRS], j[PAIRS];
    for (size_t p = 0; p < PAIRS; p++) {
        i[p] = wwt_random_size(0, N - 1);
        j[p] = wwt_random_size(0, M - 1);
    }
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = wwt_dataset(&columns, WW_FLOAT);
    ww_plan *plan = NULL;
    wwt_ok(ww_plan_create_pairs(&measure, a, b, i, j, PAIRS, &options, &plan));
    float *pairs = floats(PAIRS), *again = floats(PAIRS);
    wwt_ok(wwt_plan_run(plan, pairs));
    wwt_ok(wwt_plan_run(plan, again));
    for (size_t p = 0; p < PAIRS; p++)
        ck_assert_float_eq(pairs[p], matrix[i[p] * M + j[p]]);
    ck_assert(wwt_same(pairs, again, PAIRS, WW_FLOAT));
    ww_plan_info info = WW_PLAN_INFO_INIT;
    wwt_ok(ww_plan_get_info(plan, &info));
    uint64_t cells = 0;
    for (size_t p = 0; p < PAIRS; p++)
        cells += ww_measure_cells(&measure, rows.lengths[i[p]], columns.lengths[j[p]]);
    ck_assert_uint_eq(info.pairs, PAIRS);
    ck_assert_uint_eq(info.cells, cells);
    ck_assert_uint_eq(info.cells_done, cells);
    ck_assert_uint_ge(info.launches, 1);
    wwt_guarded_free(pairs);
    wwt_guarded_free(again);
    wwt_guarded_free(matrix);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

typedef struct block_state {
    size_t columns;
    float *values;
    unsigned char *seen;
    int blocks;
} block_state;

static int take_block(void *user, size_t row, size_t row_count, size_t column, size_t column_count,
                      const void *values) {
    block_state *state = user;
    for (size_t r = 0; r < row_count; r++)
        for (size_t c = 0; c < column_count; c++) {
            size_t at = (row + r) * state->columns + column + c;
            state->values[at] = ((const float *)values)[r * column_count + c];
            state->seen[at]++;
        }
    state->blocks++;
    return 0;
}

static int stop_at_second_block(void *user, size_t row, size_t row_count, size_t column, size_t column_count,
                                const void *values) {
    (void)row, (void)row_count, (void)column, (void)column_count, (void)values;
    return ++*(int *)user == 2;
}

// Full, half, condensed and by blocks are the same numbers.
START_TEST(forms_of_a_matrix) {
    ww_measure measure = loop_measure(_i);
    ww_plan_options options = loop_options(_i);
    enum { N = 23 };
    wwt_set set = wwt_set_random(1, 3, 70, N);
    float *square = wwt_matrix(&measure, &set, &set, WW_FLOAT, &options);
    float *half = wwt_matrix(&measure, &set, NULL, WW_FLOAT, &options);
    ck_assert(square && half);
    for (size_t i = 0; i < N; i++) {
        ck_assert_float_eq(half[i * N + i], 0.0f);
        for (size_t j = 0; j < N; j++) {
            ck_assert_float_eq(half[i * N + j], half[j * N + i]);
            ck_assert(wwt_close((double)half[i * N + j], (double)square[i * N + j], WW_FLOAT));
        }
    }
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = 4096;
    options.run = &run;
    wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
    float *condensed = floats(N * (N - 1) / 2);
    wwt_ok(wwt_plan_run_condensed(plan, condensed));
    for (size_t i = 0, at = 0; i < N; i++)
        for (size_t j = i + 1; j < N; j++, at++)
            ck_assert_float_eq(condensed[at], half[i * N + j]);
    unsigned char seen[N * N] = {0};
    block_state state = {N, floats(N * N), seen, 0};
    wwt_ok(ww_plan_run_blocks(plan, take_block, &state));
    ck_assert_int_ge(state.blocks, 1);
    for (size_t k = 0; k < N * N; k++) {
        ck_assert_int_eq(seen[k], 1);
        ck_assert(wwt_close((double)state.values[k], (double)square[k], WW_FLOAT));
    }
    int calls = 0;
    if (state.blocks > 1) {
        wwt_fails(ww_plan_run_blocks(plan, stop_at_second_block, &calls), WW_ERROR_CANCELLED);
        ck_assert_int_eq(calls, 2);
    }
    wwt_guarded_free(state.values);
    wwt_guarded_free(condensed);
    wwt_guarded_free(square);
    wwt_guarded_free(half);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

// A plan may be run again, and outlives the caller's hold on its datasets and context.
START_TEST(plan_keeps_what_it_needs) {
    ww_measure measure = loop_measure(_i);
    ww_plan_options options = loop_options(_i);
    wwt_set rows = wwt_set_random(1, 10, 60, 5), columns = wwt_set_random(1, 10, 60, 7);
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = wwt_dataset(&columns, WW_FLOAT);
    ww_plan *plan = NULL;
    float *first = floats(35), *second = floats(35);
    wwt_ok(ww_plan_create_matrix(&measure, a, b, &options, &plan));
    wwt_ok(wwt_plan_run(plan, first));
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    ww_context_destroy(&wwt_context);
    wwt_ok(wwt_plan_run(plan, second));
    ck_assert(wwt_same(first, second, 35, WW_FLOAT));
    ww_plan_destroy(&plan);
    wwt_guarded_free(first);
    wwt_guarded_free(second);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Streamed in small pieces: the same bits.
START_TEST(streamed_is_the_same) {
    ww_measure measure = loop_measure(_i);
    ww_plan_options options = loop_options(_i);
    enum { N = 40, M = 50 };
    wwt_set rows = wwt_set_random(1, 20, 90, N), columns = wwt_set_random(1, 20, 90, M);
    float *whole = wwt_matrix(&measure, &rows, &columns, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(whole);
    ww_series_view row_view = wwt_view(&rows), column_view = wwt_view(&columns);
    ww_dataset_options small = WW_DATASET_OPTIONS_INIT;
    small.max_bytes = 8192;
    ww_dataset *a = NULL, *b = NULL;
    ww_plan *plan = NULL;
    wwt_ok(ww_dataset_create(wwt_context, &row_view, &small, &a));
    wwt_ok(ww_dataset_create(wwt_context, &column_view, &small, &b));
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = 16384;
    options.run = &run;
    ww_status status = ww_plan_create_matrix(&measure, a, b, &options, &plan);
    if (status != WW_ERROR_UNSUPPORTED || options.engine == WW_ENGINE_AUTO) {
        wwt_ok(status);
        float *pieces = floats(N * M);
        wwt_ok(wwt_plan_run(plan, pieces));
        ck_assert(wwt_same(whole, pieces, N * M, WW_FLOAT));
        wwt_guarded_free(pieces);
    }
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_guarded_free(whole);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// A pair alone gives the bits that it gives among others.
START_TEST(neighbours_change_nothing) {
    ww_measure measure = loop_measure(_i);
    ww_plan_options options = loop_options(_i);
    if (options.engine == WW_ENGINE_AUTO)
        return; // may take another engine for one pair
    enum { N = 6, M = 19 };
    wwt_set rows = wwt_set_random(1, 3, 90, N), columns = wwt_set_random(1, 3, 90, M);
    float *batch = wwt_matrix(&measure, &rows, &columns, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(batch);
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < M; j += N) {
            wwt_set x = {1, 1, &rows.lengths[i], &rows.offsets[0], rows.values + rows.offsets[i]};
            wwt_set y = {1, 1, &columns.lengths[j], &columns.offsets[0], columns.values + columns.offsets[j]};
            float *alone = wwt_matrix(&measure, &x, &y, WW_FLOAT, &options);
            ck_assert(alone && wwt_same(alone, &batch[i * M + j], 1, WW_FLOAT));
            wwt_guarded_free(alone);
        }
    wwt_guarded_free(batch);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// ---- nearest

// The k least of a row of distances, ties to the lower index, `skip` left out.
static void select_nearest(const float *distances, size_t count, size_t skip, size_t k, int64_t *indices,
                           float *nearest) {
    for (size_t s = 0; s < k; s++) {
        indices[s] = -1;
        nearest[s] = INFINITY;
        for (size_t j = 0; j < count; j++) {
            bool taken = j == skip;
            for (size_t t = 0; t < s; t++)
                taken = taken || indices[t] == (int64_t)j;
            if (!taken && (indices[s] < 0 || distances[j] < nearest[s])) {
                indices[s] = (int64_t)j;
                nearest[s] = distances[j];
            }
        }
    }
}

enum { QUERIES = 11, BASE = 31, MOST_K = 40 };

// With bounds, without, and as selected from the whole matrix.
static void check_nearest(const ww_measure *measure, ww_plan_options options, const wwt_set *queries,
                          const wwt_set *base, size_t k) {
    const wwt_set *against = base ? base : queries;
    float *matrix = wwt_matrix(measure, queries, against, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(matrix);
    ww_dataset *q = wwt_dataset(queries, WW_FLOAT), *b = base ? wwt_dataset(base, WW_FLOAT) : NULL;
    for (int no_bounds = 0; no_bounds <= 1; no_bounds++) {
        ww_plan *plan = NULL;
        int64_t indices[QUERIES * MOST_K], only_indices[QUERIES * MOST_K], expected[MOST_K];
        float *distances = floats(queries->count * k), nearest[MOST_K];
        options.no_bounds = no_bounds;
        wwt_ok(ww_plan_create_nearest(measure, q, b, k, &options, &plan));
        wwt_ok(ww_plan_run_nearest(plan, indices, distances));
        wwt_ok(ww_plan_run_nearest(plan, only_indices, NULL));
        for (size_t i = 0; i < queries->count; i++) {
            select_nearest(matrix + i * against->count, against->count, base ? SIZE_MAX : i, k, expected, nearest);
            for (size_t s = 0; s < k; s++) {
                ck_assert_msg(indices[i * k + s] == expected[s],
                              "%s, bounds %s: neighbour %zu of query %zu is %lld (%.9g), not %lld (%.9g)",
                              ww_word(WW_WORD_ENGINE, options.engine), no_bounds ? "off" : "on", s, i,
                              (long long)indices[i * k + s], (double)distances[i * k + s], (long long)expected[s],
                              (double)nearest[s]);
                ck_assert_float_eq(distances[i * k + s], nearest[s]);
                ck_assert_int_eq(only_indices[i * k + s], expected[s]);
            }
        }
        ww_plan_info info = WW_PLAN_INFO_INIT;
        wwt_ok(ww_plan_get_info(plan, &info));
        if (no_bounds)
            ck_assert_uint_eq(info.pairs_pruned + info.pairs_abandoned, 0);
        ck_assert_uint_le(info.cells_done, info.cells);
        wwt_guarded_free(distances);
        ww_plan_destroy(&plan);
    }
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
    wwt_guarded_free(matrix);
}

START_TEST(nearest) {
    ww_measure measure = loop_measure(_i);
    wwt_set queries = wwt_set_random(1, 50, 50, QUERIES), base = wwt_set_random(1, 50, 50, BASE);
    // Duplicates, so that there are ties; and a query that is in the base.
    memcpy(base.values + base.offsets[20], base.values + base.offsets[4], 50 * sizeof(double));
    memcpy(base.values + base.offsets[30], base.values + base.offsets[4], 50 * sizeof(double));
    memcpy(queries.values, base.values + base.offsets[4], 50 * sizeof(double));
    check_nearest(&measure, loop_options(_i), &queries, &base, 1);
    check_nearest(&measure, loop_options(_i), &queries, &base, 5);
    check_nearest(&measure, loop_options(_i), &queries, &base, MOST_K); // more than there are
    check_nearest(&measure, loop_options(_i), &queries, NULL, 3);
    // Under a narrow band the bounds prune most.
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 3.0};
    check_nearest(&measure, loop_options(_i), &queries, &base, 1);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

START_TEST(nearest_of_unequal_lengths_and_channels) {
    ww_measure measure = loop_measure(_i);
    wwt_set queries = wwt_set_random(3, 20, 70, QUERIES), base = wwt_set_random(3, 20, 70, BASE);
    check_nearest(&measure, loop_options(_i), &queries, &base, 2);
    measure.root = 1;
    measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 2.0};
    check_nearest(&measure, loop_options(_i), &queries, &base, 2);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

static double twice_absolute(double x, double y) {
    return fabs(x - y) * 2.0;
}

// No bound is known for a user's cost: it must not be used.
START_TEST(nearest_under_a_user_cost) {
    ww_measure measure = loop_measure(_i);
    measure.cost = WW_COST_USER;
    measure.cost_expression = "fabs(x - y) * 2";
    wwt_set queries = wwt_set_random(1, 40, 40, QUERIES), base = wwt_set_random(1, 40, 40, BASE);
    wwr_series x = wwt_series(&queries, 0), y = wwt_series(&base, 0);
    ck_assert_double_gt(wwr_distance(&measure, twice_absolute, &x, &y), 0.0);
    check_nearest(&measure, loop_options(_i), &queries, &base, 2);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

// ---- one-call functions and classification

START_TEST(one_call_distance) {
    ww_measure measure = loop_measure(_i * ENGINES);
    ww_precision precision = wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    wwt_set set = wwt_set_random(1, 1, 130, 6);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            wwr_series x = wwt_series(&set, i), y = wwt_series(&set, j);
            double distance = NAN;
            wwt_ok(ww_distance(wwt_context, &measure, x.values, x.length, y.values, y.length, 1, &distance));
            ck_assert(wwt_close(distance, wwr_distance(&measure, NULL, &x, &y), precision));
        }
    wwt_set_free(&set);
}
END_TEST

static ww_series_set *series_set(const wwt_set *set, const char *const *labels) {
    ww_series_set *result = NULL;
    wwt_ok(ww_series_set_create(set->channels, &result));
    for (size_t i = 0; i < set->count; i++)
        wwt_ok(ww_series_set_add(result, set->lengths[i], set->values + set->offsets[i], labels ? labels[i] : NULL));
    return result;
}

START_TEST(one_call_matrix) {
    ww_measure measure = loop_measure(_i * ENGINES);
    wwt_set rows = wwt_set_random(2, 5, 60, 5), columns = wwt_set_random(2, 5, 60, 8);
    float *expected = wwt_matrix(&measure, &rows, &columns, WW_FLOAT, NULL);
    float *values = floats(40), *square = floats(25);
    ww_series_set *a = series_set(&rows, NULL), *b = series_set(&columns, NULL);
    wwt_ok(wwt_set_matrix(&measure, a, b, WW_FLOAT, values));
    ck_assert(wwt_same(values, expected, 40, WW_FLOAT));
    wwt_ok(wwt_set_matrix(&measure, a, NULL, WW_FLOAT, square));
    for (size_t i = 0; i < 5; i++)
        ck_assert_float_eq(square[i * 6], 0.0f);
    wwt_guarded_free(expected);
    wwt_guarded_free(values);
    wwt_guarded_free(square);
    ww_series_set_destroy(&a);
    ww_series_set_destroy(&b);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Series of one point: distances are plain numbers, votes can be counted by hand.
static ww_series_set *points(const double *values, const char *const *labels, size_t count) {
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < count; i++)
        wwt_ok(ww_series_set_add(set, 1, &values[i], labels[i]));
    return set;
}

START_TEST(classification_votes) {
    const double train_values[] = {0, 1, 2, 10, 11}, test_values[] = {0.2, 10.4, 2.4, 6.4};
    const char *const train_labels[] = {"a", "b", "b", "c", "a"}, *const test_labels[] = {"a", "c", "z", NULL};
    ww_measure measure = loop_measure(_i * ENGINES);
    ww_series_set *train = points(train_values, train_labels, 5), *test = points(test_values, test_labels, 4);
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    ww_classification result = WW_CLASSIFICATION_INIT;
    wwt_ok(wwt_classify(&measure, train, test, WW_FLOAT, &options, &result));
    const long nearest_class[] = {0, 2, 1, 2};
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(result.predicted[i], nearest_class[i]);
    const long actual[] = {0, 2, -2, -1};
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(result.actual[i], actual[i]);
    ck_assert_uint_eq(result.total, 4);
    ck_assert_uint_eq(result.labelled, 3);
    ck_assert_uint_eq(result.correct, 2);
    ck_assert_uint_eq(result.classes, 3);
    ck_assert_uint_eq(result.confusion[0 * 3 + 0], 1);
    ck_assert_uint_eq(result.confusion[2 * 3 + 2], 1);
    ck_assert_uint_eq(result.confusion[2 * 3 + 0], 0);
    ww_classification_free(&result);
    // Three votes: 0.2 has a, b, b. Two votes: 10.4 has one c and one a, and c is nearer.
    options.k = 3;
    wwt_ok(wwt_classify(&measure, train, test, WW_FLOAT, &options, &result));
    ck_assert_int_eq(result.predicted[0], 1);
    ww_classification_free(&result);
    options.k = 2;
    wwt_ok(wwt_classify(&measure, train, test, WW_FLOAT, &options, &result));
    ck_assert_int_eq(result.predicted[1], 2);
    ww_classification_free(&result);
    ck_assert_ptr_null(result.predicted);
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

// A training series among the others is as a test series with a training set that lacks it; `_i`: near ties too.
START_TEST(leave_one_out) {
    enum { N = 21 };
    double values[N];
    const char *labels[N], *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < N; i++) {
        values[i] = _i ? 0.25 * (double)(i * 7 % N) : 0.1 * (double)(i * i * 11 % 97);
        labels[i] = names[i * i % 3];
    }
    ww_measure measure;
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    ww_classification all = WW_CLASSIFICATION_INIT, one = WW_CLASSIFICATION_INIT;
    size_t correct = 0;
    wwt_ok(ww_measure_init(&measure, sizeof measure, WW_DTW));
    options.k = 3;
    ww_series_set *train = points(values, labels, N);
    wwt_ok(wwt_classify(&measure, train, NULL, WW_FLOAT, &options, &all));
    ck_assert_uint_eq(all.total, N);
    ck_assert_uint_eq(all.labelled, N);
    for (size_t i = 0; i < N; i++) {
        double other_values[N];
        const char *other_labels[N];
        for (size_t k = 0, n = 0; k < N; k++)
            if (k != i) {
                other_values[n] = values[k];
                other_labels[n++] = labels[k];
            }
        ww_series_set *others = points(other_values, other_labels, N - 1), *test = points(&values[i], &labels[i], 1);
        wwt_ok(wwt_classify(&measure, others, test, WW_FLOAT, &options, &one));
        ck_assert_str_eq(ww_series_set_class_name(others, (size_t)one.predicted[0]),
                         ww_series_set_class_name(train, (size_t)all.predicted[i]));
        correct += one.correct;
        ww_classification_free(&one);
        ww_series_set_destroy(&others);
        ww_series_set_destroy(&test);
    }
    ck_assert_uint_eq(all.correct, correct);
    ww_classification_free(&all);
    ww_series_set_destroy(&train);
    train = points(values, labels, 1);
    wwt_fails(wwt_classify(&measure, train, NULL, WW_FLOAT, NULL, &all), WW_ERROR_EMPTY);
    ww_series_set_destroy(&train);
}
END_TEST

// Datasets give the same in every call, and keep what the first near ties needed in double; `_i`: near ties.
START_TEST(classification_of_kept_sets) {
    enum { N = 12, CALLS = 3 };
    double values[N];
    const char *labels[N], *const names[] = {"a", "b"};
    for (size_t i = 0; i < N; i++) {
        values[i] = _i ? 0.1 * (double)(i * 7 % N) : 0.1 * (double)(i * i * 11 % 97);
        labels[i] = names[i * i % 3 == 1];
    }
    ww_series_set *sets[2] = {points(values, labels, N), points(values + 3, labels + 3, 4)};
    ww_measure measure;
    ww_classification expected = WW_CLASSIFICATION_INIT, result = WW_CLASSIFICATION_INIT;
    uint64_t bytes[CALLS];
    wwt_ok(ww_measure_init(&measure, sizeof measure, WW_DTW));
    const uint64_t before = ww_context_bytes(wwt_context);
    ww_dataset *train = wwt_upload(sets[0], WW_FLOAT), *test = wwt_upload(sets[1], WW_FLOAT);
    for (int call = 0; call < CALLS; call++) {
        wwt_ok(wwt_classify(&measure, sets[0], call == 1 ? NULL : sets[1], WW_FLOAT, NULL, &expected));
        wwt_ok(ww_classify(&measure, train, call == 1 ? NULL : test, NULL, &result));
        ck_assert_uint_eq(result.total, expected.total);
        ck_assert_uint_eq(result.correct, expected.correct);
        for (size_t i = 0; i < result.total; i++)
            ck_assert_int_eq(result.predicted[i], expected.predicted[i]);
        ww_classification_free(&expected);
        ww_classification_free(&result);
        bytes[call] = ww_context_bytes(wwt_context);
    }
    ck_assert_uint_gt(bytes[0], before);
    ck_assert_uint_eq(bytes[2], bytes[1]);
    wwt_fails(ww_classify(&measure, NULL, test, NULL, &result), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset_destroy(&train);
    ww_dataset_destroy(&test);
    ck_assert_uint_eq(ww_context_bytes(wwt_context), before);
    ww_series_set_destroy(&sets[0]);
    ww_series_set_destroy(&sets[1]);
}
END_TEST

// ---- progress

typedef struct progress_state {
    uint64_t last, total;
    int calls;
    int stop;
} progress_state;

static int on_progress(void *user, uint64_t done, uint64_t total) {
    progress_state *state = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_ge(done, state->last);
    ck_assert_uint_le(done, total);
    state->last = done;
    state->total = total;
    state->calls++;
    return state->stop;
}

START_TEST(progress_and_cancel) {
    ww_measure measure = loop_measure(_i);
    ww_plan_options options = loop_options(_i);
    progress_state state = {0};
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.progress = on_progress;
    run.progress_user = &state;
    run.max_bytes = 4096; // several launches
    options.run = &run;
    wwt_set rows = wwt_set_random(1, 60, 60, 40), columns = wwt_set_random(1, 60, 60, 40);
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = wwt_dataset(&columns, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(&measure, a, b, &options, &plan);
    if (status != WW_ERROR_UNSUPPORTED || options.engine == WW_ENGINE_AUTO) {
        wwt_ok(status);
        float *whole = floats(1600), *again = floats(1600);
        wwt_ok(wwt_plan_run(plan, whole));
        ck_assert_int_ge(state.calls, 1);
        ck_assert_uint_eq(state.last, state.total);
        state = (progress_state){.stop = 1};
        wwt_fails(wwt_plan_run(plan, again), WW_ERROR_CANCELLED);
        ck_assert_int_eq(state.calls, 1);
        // A cancelled plan can be run again.
        state = (progress_state){0};
        wwt_ok(wwt_plan_run(plan, again));
        ck_assert(wwt_same(whole, again, 1600, WW_FLOAT));
        wwt_guarded_free(whole);
        wwt_guarded_free(again);
    }
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

static int stop_always(void *user, uint64_t done, uint64_t total) {
    (void)user, (void)done, (void)total;
    return 1;
}

// A plan whose program is new is cancelled before the compile, and can be created again.
START_TEST(creation_is_cancelled) {
    ww_measure measure = wwt_measure(WW_DTW);
    measure.cost_expression = "fabs(x - y) * 1.0625f";
    measure.cost = WW_COST_USER;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    run.progress = stop_always;
    options.run = &run;
    wwt_set rows = wwt_set_random(1, 9, 9, 3);
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT);
    ww_plan *plan = NULL;
    wwt_fails(ww_plan_create_matrix(&measure, a, NULL, &options, &plan), WW_ERROR_CANCELLED);
    ck_assert_ptr_null(plan);
    run.progress = NULL;
    float found[9];
    wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
    wwt_ok(wwt_plan_run(plan, found));
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    wwt_set_free(&rows);
}
END_TEST

START_TEST(self_test_and_views) {
    wwt_ok(ww_context_self_test(wwt_context));
    // Point by point, with gaps, in float: the same series as channel by channel.
    wwt_seed(0);
    wwt_set set = wwt_set_random(3, 5, 40, 4);
    float scattered[4 * 200];
    size_t offsets[4];
    for (size_t i = 0; i < 4; i++) {
        offsets[i] = 200 * (3 - i) + i;
        for (size_t t = 0; t < set.lengths[i]; t++)
            for (size_t c = 0; c < 3; c++)
                scattered[offsets[i] + t * 3 + c] = (float)set.values[set.offsets[i] + c * set.lengths[i] + t];
    }
    ww_series_view view = wwt_view(&set);
    view.values = scattered;
    view.precision = WW_FLOAT;
    view.offsets = offsets;
    view.time_major = 1;
    ww_dataset *a = NULL, *b = wwt_dataset(&set, WW_FLOAT);
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &a));
    ck_assert_uint_eq(ww_dataset_count(a), 4);
    ck_assert_uint_eq(ww_dataset_channels(a), 3);
    ck_assert_uint_eq(ww_dataset_length(a, 2), set.lengths[2]);
    ck_assert_int_eq(ww_dataset_precision(a), WW_FLOAT);
    ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    float *values = floats(16), *expected = wwt_matrix(&measure, &set, &set, WW_FLOAT, NULL);
    wwt_ok(ww_plan_create_matrix(&measure, a, b, NULL, &plan));
    wwt_ok(wwt_plan_run(plan, values));
    ck_assert(wwt_same(values, expected, 16, WW_FLOAT));
    wwt_guarded_free(values);
    wwt_guarded_free(expected);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free(&set);
}
END_TEST

// Of the neighbours, whose programs are many: every two of (subject, measure, engine) meet.
enum { NEAREST, UNEQUAL, USER_COST, SUBJECTS };

static bool chosen(int subject, int loop) {
    const wwt_product product = {3, {SUBJECTS, 2, ENGINES}};
    const int values[] = {subject, loop / ENGINES, loop % ENGINES};
    return wwt_covers(&product, values);
}

static void add_chosen(TCase *tcase, const TTest *test, int subject) {
    for (int loop = 0; loop < 2 * ENGINES; loop++)
        if (chosen(subject, loop))
            wwt_add_to(tcase, test, loop, loop + 1);
}

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("jobs");
    TCase *tcase = wwt_case(suite, "jobs", 120);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, creation_is_cancelled, 0, 1);
    wwt_add_to(tcase, self_test_and_views, 0, 1);
    wwt_add_to(tcase, pairs_are_cells_of_the_matrix, 0, 2 * ENGINES);
    wwt_add_to(tcase, forms_of_a_matrix, 0, 2 * ENGINES);
    wwt_add_to(tcase, plan_keeps_what_it_needs, 0, ENGINES);
    wwt_add_to(tcase, streamed_is_the_same, 0, 2 * ENGINES);
    wwt_add_to(tcase, neighbours_change_nothing, 0, 2 * ENGINES);
    add_chosen(tcase, nearest, NEAREST);
    add_chosen(tcase, nearest_of_unequal_lengths_and_channels, UNEQUAL);
    add_chosen(tcase, nearest_under_a_user_cost, USER_COST);
    wwt_add_to(tcase, progress_and_cancel, 0, ENGINES);
    wwt_add_to(tcase, one_call_distance, 0, 2);
    wwt_add_to(tcase, one_call_matrix, 0, 2);
    wwt_add_to(tcase, classification_votes, 0, 2);
    wwt_add_to(tcase, leave_one_out, 0, 2);
    wwt_add_to(tcase, classification_of_kept_sets, 0, 2);
    return wwt_run(suite);
}
