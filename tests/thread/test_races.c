// SPDX-License-Identifier: Apache-2.0
// Every job of a group once, small and in many tiles, for ThreadSanitizer: what its devices share is under a lock. The
// results are other tests' matter (tests/device/test_group*.c).
#include "device/devices.h"
#include "device/set_jobs.h"
#include "host.h"

enum { SERIES = 24, LENGTH = 20, POINTS = 600, DIMENSIONS = 4, K = 3, STREAM = 8000, WINDOW = 16 };

static ww_context *group;
static wwt_set set;
static ww_dataset *data;
static ww_measure measure;
static size_t left[SERIES], right[SERIES];

static void setup(void) {
    const size_t lengths[SERIES] = {[0 ... SERIES - 1] = LENGTH};
    wwt_context_setup();
    wwt_seed(9);
    group = wwt_group_open(1e-5);
    set = wwt_set_make(1, lengths, SERIES);
    data = wwt_group_upload(group, &set, WW_FLOAT);
    measure = wwt_measure(WW_DTW);
    for (size_t i = 0; i < SERIES; i++) {
        left[i] = i;
        right[i] = i * i % SERIES;
    }
}

static void teardown(void) {
    int lost;
    ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0); // more than one took part
    ww_dataset_destroy(&data);
    wwt_set_free(&set);
    ww_context_destroy(&group);
    wwt_context_teardown();
}

START_TEST(matrix_pairs_neighbours) {
    float values[SERIES * SERIES];
    int64_t indices[SERIES * K];
    const ww_output to = WW_OUTPUT_HOST(values);
    wwt_ok(wwt_run_matrix(&measure, data, NULL, NULL, &to));
    wwt_ok(wwt_run_pairs(&measure, data, NULL, left, right, SERIES, NULL, &to));
    wwt_ok(wwt_run_nearest(&measure, data, NULL, K, NULL, indices, NULL));
}
END_TEST

START_TEST(paths_and_gradients) {
    float values[SERIES];
    const ww_output to = WW_OUTPUT_HOST(values);
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    ww_paths paths = WW_PATHS_INIT;
    wwt_ok(wwt_run_paths(&measure, data, NULL, left, right, SERIES, NULL, &paths));
    ww_paths_free(&paths);
    outputs.values = &to;
    measure.gamma = 1;
    wwt_ok(wwt_run_gradient(&measure, data, NULL, left, right, SERIES, NULL, &outputs));
}
END_TEST

// Windows by parts of the stream, open ends by queries. So many places that joining them takes as long as finding them:
// the driver has locks too, and two threads that join one after the other are in order by those.
START_TEST(searches) {
    enum { PLACES = 1500 };
    static ww_match matches[2 * PLACES];
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    size_t found[2];
    float *stream = calloc(STREAM, sizeof *stream);
    const size_t queries[] = {WINDOW, WINDOW};
    wwt_set two = wwt_set_make(1, queries, 2);
    const ww_series_view query = wwt_view(&two);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ck_assert_ptr_nonnull(stream);
    for (size_t i = 0; i < STREAM; i++)
        stream[i] = (float)(i * i % 97);
    view.values = stream;
    view.count = 1;
    view.length = _i ? 5000 : STREAM;
    options.kind = _i ? WW_SEARCH_OPEN : WW_SEARCH_WINDOWS;
    options.k = _i ? K : PLACES;
    wwt_ok(wwt_run_search(group, &measure, &query, &options, &view, matches, found));
    wwt_set_free(&two);
    free(stream);
}
END_TEST

START_TEST(profiles) {
    enum { LONG = 4000 };
    double *x = calloc(LONG, sizeof *x), *distances = calloc(LONG, sizeof *distances);
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    ww_profile *profile = NULL;
    ck_assert(x && distances);
    for (size_t i = 0; i < LONG; i++)
        x[i] = wwt_random();
    const ww_series_view view = wwt_view_of(x, LONG, 1);
    to.distances = distances;
    wwt_ok(ww_profile_create(group, &view, 0, NULL, 0, WINDOW, NULL, &profile));
    wwt_ok(ww_profile_run(profile, &to));
    ww_profile_destroy(&profile);
    free(distances);
    free(x);
}
END_TEST

// Walks of the host, whose lists the devices divide while other threads take distances; and walks on each device.
START_TEST(indices) {
    static int64_t ids[SERIES * K];
    ww_index_options options = WW_INDEX_OPTIONS_INIT;
    ww_index *index = NULL;
    options.beam = 8;
    wwt_ok(ww_index_create(&measure, data, &options, &index));
    for (size_t i = 0; i < ww_context_device_count(group); i++)
        wwt_ok(wwi_tuning_try(wwi_context_on(group, i), "form.index", NULL, _i));
    wwt_ok(ww_index_search(index, NULL, K, ids, NULL));
    ww_index_destroy(&index);
}
END_TEST

START_TEST(points_and_hashing) {
    static float values[POINTS * DIMENSIONS];
    static int64_t ids[POINTS * K];
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_points *points = NULL;
    ww_lsh *lsh = NULL;
    for (size_t i = 0; i < POINTS * DIMENSIONS; i++)
        values[i] = (float)wwt_random();
    view.values = values;
    view.count = POINTS;
    view.dimension = DIMENSIONS;
    wwt_ok(ww_points_create(group, &view, NULL, &points));
    if (_i == 0) {
        wwt_ok(wwt_run_knn(points, NULL, K, NULL, ids, NULL));
    } else {
        options.tables = 4;
        options.functions = 3;
        options.width = 1;
        wwt_ok(ww_lsh_create(points, &options, &lsh));
        wwt_ok(ww_lsh_run(lsh, NULL, K, ids, NULL, NULL));
        ww_lsh_destroy(&lsh);
    }
    ww_points_destroy(&points);
}
END_TEST

START_TEST(shapelets) {
    ww_dataset_options upload = WW_DATASET_OPTIONS_INIT;
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    ww_series_set *bumps = wwt_set_of_bumps(12, 1, 20, 24, 2, 1, 0);
    ww_dataset *train = NULL;
    ww_shapelets *model = NULL;
    upload.precision = wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    options.best = 3;
    options.max_depth = 1;
    wwt_ok(ww_dataset_create_from_set(group, bumps, &upload, &train));
    wwt_ok(ww_shapelets_create(train, &options, &model));
    ww_shapelets_destroy(&model);
    ww_dataset_destroy(&train);
    ww_series_set_destroy(&bumps);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("races");
    TCase *tcase = wwt_case(suite, "races", 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, matrix_pairs_neighbours);
    tcase_add_test(tcase, paths_and_gradients);
    tcase_add_loop_test(tcase, searches, 0, 2);
    tcase_add_test(tcase, profiles);
    tcase_add_loop_test(tcase, indices, 0, 2);
    tcase_add_loop_test(tcase, points_and_hashing, 0, 2);
    tcase_add_test(tcase, shapelets);
    return wwt_run(suite);
}
