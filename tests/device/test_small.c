// SPDX-License-Identifier: Apache-2.0
// A few tiny shapes of every engine: small enough for Oclgrind, valgrind and the sanitizers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <wavewarp/lsh.h>

#include "host.h"
#include "reference/knn_reference.h"
#include "reference/search_reference.h"
#include "support.h"

static const ww_engine engines[] = {WW_ENGINE_LANES, WW_ENGINE_PACKED, WW_ENGINE_STRIPS};
enum { ENGINES = sizeof(engines) / sizeof(engines[0]) };

// Loops count the engines under DTW first, then under Fréchet.
static ww_measure loop_measure(int loop) {
    wwt_seed((unsigned)loop);
    return wwt_measure(loop < ENGINES ? WW_DTW : WW_FRECHET);
}

START_TEST(mixed_lengths) {
    ww_measure measure = loop_measure(_i);
    const size_t lengths[] = {1, 2, 9, 17};
    wwt_set rows = wwt_set_make(1, lengths, 4), columns = wwt_set_make(1, lengths, 4);
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, engines[_i % ENGINES]) ||
              (engines[_i % ENGINES] == WW_ENGINE_PACKED && wwi_context_loses_arrays(wwt_context)));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// More rows and columns than one work-item takes at a time, by the engine that is chosen.
START_TEST(free_choice) {
    ww_measure measure = loop_measure(_i * ENGINES);
    wwt_set rows = wwt_set_random(1, 3, 70, 35), columns = wwt_set_random(1, 4, 90, 14);
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, WW_ENGINE_AUTO));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(channels_in_a_band) {
    // Oclgrind's compiler makes an intrinsic of this one kernel that Oclgrind itself does not know.
    if (engines[_i % ENGINES] == WW_ENGINE_PACKED && getenv("WAVEWARP_TEST_OCLGRIND"))
        return;
    ww_measure measure = loop_measure(_i);
    measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 2.0};
    const size_t lengths[] = {5, 33};
    wwt_set rows = wwt_set_make(2, lengths, 2), columns = wwt_set_make(2, lengths, 2);
    wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, engines[_i % ENGINES]);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Each of the other measures once, in one engine after another.
static const ww_measure_id others[] = {WW_ADTW, WW_WDTW, WW_DDTW, WW_WDDTW,       WW_ERP, WW_EDR,
                                       WW_LCSS, WW_MSM,  WW_TWED, WW_LEVENSHTEIN, WW_LCS};
enum { OTHERS = sizeof(others) / sizeof(others[0]) };

START_TEST(other_measures) {
    ww_measure measure = wwt_measure(others[_i]);
    wwt_seed((unsigned)_i);
    const size_t lengths[] = {3, 9, 40};
    wwt_set rows = wwt_set_make(1, lengths, 3), columns = wwt_set_make(1, lengths, 3);
    for (size_t v = 0; v < 52 && (measure.id == WW_LEVENSHTEIN || measure.id == WW_LCS); v++) {
        rows.values[v] = floor(rows.values[v] * 2.0);
        columns.values[v] = floor(columns.values[v] * 2.0);
    }
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, engines[_i % ENGINES]) ||
              (engines[_i % ENGINES] == WW_ENGINE_PACKED && wwi_context_loses_arrays(wwt_context)));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(bits) {
    wwt_seed((unsigned)_i);
    static const ww_measure_id ids[] = {WW_LEVENSHTEIN, WW_LCS, WW_EDR, WW_LCSS};
    ww_measure measure = wwt_measure(ids[_i]);
    const size_t lengths[] = {1, 17, 33, 70};
    wwt_set rows = wwt_set_make(1, lengths, 4), columns = wwt_set_make(1, lengths, 4);
    for (size_t v = 0; v < 121; v++) {
        rows.values[v] = (double)wwt_random_size(0, 2);
        columns.values[v] = (double)wwt_random_size(0, 2);
    }
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, WW_ENGINE_BITS));
    ck_assert(wwt_check_pairs(&measure, NULL, &rows, &columns, WW_FLOAT, WW_ENGINE_BITS));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// The upper triangle of a set with itself, as a list and as a whole matrix.
START_TEST(half_of_a_matrix) {
    enum { N = 5 };
    ww_measure measure = loop_measure(0);
    const size_t lengths[N] = {9, 1, 17, 2, 5};
    wwt_set set = wwt_set_make(1, lengths, N);
    wwt_check_half(&measure, &set, engines[_i]);
    wwt_set_free(&set);
}
END_TEST

START_TEST(nearest_with_bounds) {
    wwt_seed(7);
    ww_measure measure = wwt_measure(WW_DTW);
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 2.0};
    wwt_set base = wwt_set_random(1, 16, 16, 6);
    ww_dataset *dataset = wwt_dataset(&base, WW_FLOAT);
    ww_plan *plan = NULL;
    int64_t indices[6];
    wwt_ok(ww_plan_create_nearest(&measure, dataset, dataset, 1, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, NULL));
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(indices[i], i);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&dataset);
    wwt_set_free(&base);
}
END_TEST

// Hashed into one bucket, points find all that are nearest; whole numbers, of which many are as near.
START_TEST(one_bucket) {
    enum { N = 70, D = 13, K = 3 };
    static const long joins[] = {4, 1}; // by matrix units or their twin, by sums in registers
    double values[N * D];
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_points *points = NULL;
    ww_lsh *lsh = NULL;
    int64_t ids[N * K];
    float distances[N * K];
    wwt_seed(8);
    wwt_ok(wwi_tuning_try(wwt_context, "form.join", NULL, joins[_i]));
    for (size_t i = 0; i < N * D; i++)
        values[i] = (double)wwt_random_size(0, 1);
    view.precision = WW_DOUBLE;
    view.values = values;
    view.count = N;
    view.dimension = D;
    options.tables = 2;
    options.functions = 3;
    options.width = 1e9;
    options.path = WW_LSH_BUCKETS;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &points));
    wwt_ok(ww_lsh_create(points, &options, &lsh));
    wwt_ok(ww_lsh_run(lsh, NULL, K, ids, distances, NULL));
    for (size_t q = 0; q < N; q++) {
        double all[N], smallest[K];
        int64_t nearest[K];
        for (size_t p = 0; p < N; p++)
            all[p] = wwr_point_distance(WW_METRIC_L2, values + q * D, values + p * D, D);
        wwr_k_smallest(all, N, q, K, nearest, smallest);
        for (size_t i = 0; i < K; i++) {
            ck_assert_int_eq(ids[q * K + i], nearest[i]);
            ck_assert_double_eq_tol((double)distances[q * K + i], smallest[i], 1e-5);
        }
    }
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
}
END_TEST

// The best places of a query in two streams, one of which has a missing point: with open ends, and windows.
START_TEST(searches) {
    enum { STREAMS = 2, K = 3, N = 7, EACH = 40 };
    const size_t query_length = N, lengths[STREAMS] = {20, 12};
    ww_measure measure = loop_measure(0);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_match matches[K];
    double values[STREAMS * EACH];
    size_t places[K], found = 0;
    wwt_seed(77);
    wwt_set query = wwt_set_make(1, &query_length, 1), streams = wwt_set_make(1, lengths, STREAMS);
    const ww_series_view q = wwt_view(&query), t = wwt_view(&streams);
    const wwr_series x = wwt_series(&query, 0);
    streams.values[9] = NAN;
    options.kind = _i ? WW_SEARCH_WINDOWS : WW_SEARCH_OPEN;
    options.znormalise = _i;
    options.k = K;
    if (_i)
        measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 2, NULL, NULL, 0};
    else
        measure.root = 1;
    if (_i && wwi_context_loses_arrays(wwt_context)) {
        wwt_fails(ww_search_create(wwt_context, &measure, &q, &options, &search), WW_ERROR_UNSUPPORTED);
        goto done;
    }
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    wwt_ok(ww_search_run(search, &t, matches, &found));
    for (size_t p = 0; p < STREAMS * EACH; p++)
        values[p] = INFINITY;
    for (size_t i = 0; i < STREAMS; i++) {
        const wwr_series y = wwt_series(&streams, i);
        if (_i)
            wwr_search_windows(&measure, &x, &y, 1, values + i * EACH);
        else
            wwr_search_ends(&measure, &x, &y, values + i * EACH);
    }
    ck_assert_uint_eq(found, wwr_search_choose(values, STREAMS * EACH, (N + 1) / 2, K, 0, places));
    ck_assert_uint_ge(found, 2);
    for (size_t i = 0; i < found; i++) {
        const size_t stream = places[i] / EACH, place = places[i] % EACH;
        ck_assert_int_eq(matches[i].stream, (int64_t)stream);
        ck_assert_int_eq(_i ? matches[i].begin : matches[i].end - 1, (int64_t)place);
        ck_assert(fabs(matches[i].distance - values[places[i]]) < 1e-4);
    }
done:
    ww_search_destroy(&search);
    wwt_set_free(&streams);
    wwt_set_free(&query);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("small");
    TCase *tcase = wwt_case(suite, "small", 240);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    // Where a compiler takes a minute a program: each engine once.
    const bool few = getenv("WAVEWARP_TEST_FEW") != NULL;
    // Two runs on Oclgrind. Where it also looks for uninitialized values, it takes buffers that were filled and lanes
    // of vectors that nothing reads for such, and crashes on vectors of 16: the tests with those are in the other run.
    const char *oclgrind = getenv("WAVEWARP_TEST_OCLGRIND");
    const bool uninitialized = oclgrind && strcmp(oclgrind, "uninitialized") == 0;
    if (!uninitialized) {
        wwt_add_to(tcase, one_bucket, 0, 2);
        wwt_add_to(tcase, searches, 0, 2);
    }
    if (oclgrind && !uninitialized)
        return wwt_run(suite);
    wwt_add_to(tcase, mixed_lengths, 0, few ? ENGINES : 2 * ENGINES);
    if (!few)
        wwt_add_to(tcase, channels_in_a_band, 0, 2 * ENGINES);
    wwt_add_to(tcase, bits, 0, few ? 1 : 4);
    if (!few) {
        wwt_add_to(tcase, half_of_a_matrix, 0, ENGINES);
        wwt_add_to(tcase, nearest_with_bounds, 0, 1);
    }
    // Oclgrind has seen their engines by then, and takes long.
    if (!oclgrind)
        wwt_add_to(tcase, free_choice, 0, 2);
    if (!few && !oclgrind)
        wwt_add_to(tcase, other_measures, 0, OTHERS);
    return wwt_run(suite);
}
