// SPDX-License-Identifier: Apache-2.0
// Every public function refuses every value that its enumerations do not have: a table of them all. Nothing is
// computed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/kmeans.h>
#include <wavewarp/topk.h>

#include "support.h"

enum { N = 3, LENGTH = 4 };
static const double numbers[N * LENGTH] = {1, 2, 3, 4, 2, 3, 4, 6, 1, 0, 3, 5};
static const size_t first[1] = {0}, second[1] = {1};

static ww_series_view view;
static ww_point_view point_view;
static ww_dataset *data;
static ww_points *points;

static void setup(void) {
    wwt_context_setup();
    view = (ww_series_view)WW_SERIES_VIEW_INIT;
    view.values = numbers;
    view.precision = WW_DOUBLE;
    view.count = N;
    view.length = LENGTH;
    point_view = (ww_point_view)WW_POINT_VIEW_INIT;
    point_view.values = numbers;
    point_view.precision = WW_DOUBLE;
    point_view.count = N;
    point_view.dimension = LENGTH;
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &data));
    wwt_ok(ww_points_create(wwt_context, &point_view, NULL, &points));
}

static void teardown(void) {
    ww_points_destroy(&points);
    ww_dataset_destroy(&data);
    wwt_context_teardown();
}

// ---- what takes a measure: its id, cost and band

typedef ww_status (*measure_job)(const ww_measure *measure);

static double result[64];
static int64_t ids[64];

static ww_status by_distance(const ww_measure *m) {
    return ww_distance(wwt_context, m, numbers, LENGTH, numbers, LENGTH, 1, result);
}
static ww_status by_path(const ww_measure *m) {
    ww_paths path = WW_PATHS_INIT;
    return ww_path(wwt_context, m, numbers, LENGTH, numbers, LENGTH, 1, &path);
}
static ww_status by_matrix(const ww_measure *m) {
    ww_plan *plan = NULL;
    return ww_plan_create_matrix(m, data, NULL, NULL, &plan);
}
static ww_status by_one_matrix(const ww_measure *m) {
    const ww_output to = WW_OUTPUT_HOST(result);
    return ww_matrix(m, data, NULL, &to);
}
static ww_status by_pairs(const ww_measure *m) {
    ww_plan *plan = NULL;
    return ww_plan_create_pairs(m, data, data, first, second, 1, NULL, &plan);
}
static ww_status by_nearest(const ww_measure *m) {
    ww_plan *plan = NULL;
    return ww_plan_create_nearest(m, data, NULL, 1, NULL, &plan);
}
static ww_status by_shard(const ww_measure *m) {
    ww_plan *plan = NULL;
    const ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    return ww_plan_create_nearest_shard(m, data, NULL, 1, &shard, NULL, &plan);
}
static ww_status by_one_nearest(const ww_measure *m) {
    return ww_nearest(m, data, NULL, 1, NULL, ids, result);
}
static ww_status by_paths(const ww_measure *m) {
    ww_plan *plan = NULL;
    return ww_plan_create_paths(m, data, data, first, second, 1, NULL, &plan);
}
static ww_status by_gradient(const ww_measure *m) {
    ww_gradient *gradient = NULL;
    return ww_gradient_create_pairs(m, data, data, first, second, 1, NULL, &gradient);
}
static ww_status by_gradient_matrix(const ww_measure *m) {
    ww_gradient *gradient = NULL;
    return ww_gradient_create_matrix(m, data, NULL, NULL, &gradient);
}
static ww_status by_classifier(const ww_measure *m) {
    ww_classifier *classifier = NULL;
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    options.targets = numbers;
    return ww_classifier_create(m, data, &options, &classifier);
}
static ww_status by_average(const ww_measure *m) {
    ww_average_result average = WW_AVERAGE_RESULT_INIT;
    return ww_average(m, data, NULL, &average);
}
static ww_status by_kmeans(const ww_measure *m) {
    return ww_cluster_kmeans(m, data, 2, NULL, ids, NULL, NULL, NULL);
}
static ww_status by_search(const ww_measure *m) {
    ww_search *search = NULL;
    return ww_search_create(wwt_context, m, &view, NULL, &search);
}
static ww_status by_stream(const ww_measure *m) {
    ww_search_stream *stream = NULL;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    options.has_threshold = 1;
    return ww_search_stream_create(wwt_context, m, &view, &options, &stream);
}

static const measure_job measure_jobs[] = {
    by_distance, by_path,     by_matrix,          by_one_matrix, by_pairs,   by_nearest, by_shard,  by_one_nearest,
    by_paths,    by_gradient, by_gradient_matrix, by_classifier, by_average, by_kmeans,  by_search, by_stream};

START_TEST(measures) {
    static const int unknown[] = {-1, 99, 1 << 30};
    for (size_t j = 0; j < sizeof measure_jobs / sizeof *measure_jobs; j++)
        for (size_t i = 0; i < 3; i++)
            for (int what = 0; what < 3; what++) {
                ww_measure m = wwt_measure(WW_DTW);
                if (what == 0)
                    m.id = (ww_measure_id)unknown[i];
                else if (what == 1)
                    m.cost = (ww_cost)unknown[i];
                else
                    m.band.kind = (ww_band_kind)unknown[i];
                const ww_status status = measure_jobs[j](&m);
                ck_assert_msg(status == WW_ERROR_INVALID_ARGUMENT || status == WW_ERROR_UNSUPPORTED,
                              "job %zu, %d of the measure %d: %s", j, what, unknown[i], ww_status_name(status));
            }
}
END_TEST

// ---- all other enumerations

typedef ww_status (*enum_job)(int value);

static ww_status engine(int value) {
    ww_plan *plan = NULL;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    const ww_measure m = wwt_measure(WW_DTW);
    options.engine = (ww_engine)value;
    return ww_plan_create_matrix(&m, data, NULL, &options, &plan);
}
static ww_status layout(int value) {
    ww_output to = WW_OUTPUT_HOST(result);
    const ww_measure m = wwt_measure(WW_DTW);
    to.layout = (ww_layout)value;
    return ww_matrix(&m, data, NULL, &to);
}
static ww_status dataset_precision(int value) {
    ww_dataset *made = NULL;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = (ww_precision)value;
    return ww_dataset_create(wwt_context, &view, &options, &made);
}
static ww_status view_precision(int value) {
    ww_dataset *made = NULL;
    ww_series_view own = view;
    own.precision = (ww_precision)value;
    return ww_dataset_create(wwt_context, &own, NULL, &made);
}
static ww_status points_precision(int value) {
    ww_points *made = NULL;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    options.precision = (ww_precision)value;
    return ww_points_create(wwt_context, &point_view, &options, &made);
}
static ww_status point_view_precision(int value) {
    ww_points *made = NULL;
    ww_point_view own = point_view;
    own.precision = (ww_precision)value;
    return ww_points_create(wwt_context, &own, NULL, &made);
}
static ww_status point_kind(int value) {
    ww_points *made = NULL;
    ww_point_view own = point_view;
    own.kind = (ww_point_kind)value;
    return ww_points_create(wwt_context, &own, NULL, &made);
}
static ww_status read_kind(int value) {
    ww_point_set *set = NULL;
    return ww_point_set_read("/dev/null", (ww_point_kind)value, &set);
}
static ww_status knn_metric(int value) {
    ww_knn *knn = NULL;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    options.metric = (ww_metric)value;
    return ww_knn_create(points, NULL, 1, &options, &knn);
}
static ww_status find_metric(int value) {
    return ww_knn_find(wwt_context, &point_view, NULL, 1, (ww_metric)value, WW_FLOAT, ids, NULL);
}
static ww_status find_precision(int value) {
    return ww_knn_find(wwt_context, &point_view, NULL, 1, WW_METRIC_L2, (ww_precision)value, ids, NULL);
}
static ww_status lsh_metric(int value) {
    ww_lsh *lsh = NULL;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    options.metric = (ww_metric)value;
    return ww_lsh_create(points, &options, &lsh);
}
static ww_status lsh_path(int value) {
    ww_lsh *lsh = NULL;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    options.path = (ww_lsh_path)value;
    return ww_lsh_create(points, &options, &lsh);
}
static ww_status target_metric(int value) {
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    target.metric = (ww_metric)value;
    return ww_lsh_choose(points, &target, &options, &choice);
}
static ww_status topk_precision(int value) {
    ww_topk *topk = NULL;
    ww_topk_options options = WW_TOPK_OPTIONS_INIT;
    options.precision = (ww_precision)value;
    return ww_topk_create(wwt_context, 2, 2, 1, &options, &topk);
}
static ww_status merged_precision(int value) {
    int64_t other[2] = {0, 1};
    return ww_neighbours_merge(1, 2, (ww_precision)value, 0, ids, result, other, numbers);
}
static ww_status search_kind(int value) {
    ww_search *search = NULL;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    const ww_measure m = wwt_measure(WW_DTW);
    options.kind = (ww_search_kind)value;
    return ww_search_create(wwt_context, &m, &view, &options, &search);
}
static ww_status search_precision(int value) {
    ww_search *search = NULL;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    const ww_measure m = wwt_measure(WW_DTW);
    options.precision = (ww_precision)value;
    return ww_search_create(wwt_context, &m, &view, &options, &search);
}
static ww_status profile_precision(int value) {
    ww_profile *profile = NULL;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    options.precision = (ww_precision)value;
    return ww_profile_create(wwt_context, &view, 0, NULL, 0, 2, &options, &profile);
}
static ww_status vote(int value) {
    ww_classifier *classifier = NULL;
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    const ww_measure m = wwt_measure(WW_DTW);
    options.vote = (ww_vote)value;
    options.targets = numbers;
    return ww_classifier_create(&m, data, &options, &classifier);
}
static ww_status average_method(int value) {
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result average = WW_AVERAGE_RESULT_INIT;
    const ww_measure m = wwt_measure(WW_DTW);
    options.method = (ww_average_method)value;
    return ww_average(&m, data, &options, &average);
}
static ww_status average_start(int value) {
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result average = WW_AVERAGE_RESULT_INIT;
    const ww_measure m = wwt_measure(WW_DTW);
    options.start = (ww_average_start)value;
    return ww_average(&m, data, &options, &average);
}
static ww_status quality(int value) {
    ww_shapelets *shapelets = NULL;
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    options.quality = (ww_shapelet_quality)value;
    return ww_shapelets_create(data, &options, &shapelets);
}
static ww_status linkage(int value) {
    ww_merge merges[N];
    return ww_cluster_agglomerate(numbers, WW_DOUBLE, N, (ww_linkage)value, NULL, merges);
}
static ww_status linked_precision(int value) {
    ww_merge merges[N];
    return ww_cluster_agglomerate(numbers, (ww_precision)value, N, (ww_linkage)0, NULL, merges);
}
static ww_status medoids_precision(int value) {
    size_t medoids[2];
    return ww_cluster_medoids(numbers, (ww_precision)value, N, 2, NULL, ids, medoids, NULL);
}
static ww_status silhouette_precision(int value) {
    const int64_t labels[N] = {0, 0, 1};
    return ww_cluster_silhouette(numbers, (ww_precision)value, N, labels, result, NULL);
}

static const struct {
    const char *name;
    enum_job job;
    int end; // the first value that there is not
} enum_jobs[] = {{"engine", engine, 77},
                 {"layout", layout, 2},
                 {"a dataset's precision", dataset_precision, 2},
                 {"a view's precision", view_precision, 2},
                 {"points' precision", points_precision, 2},
                 {"a point view's precision", point_view_precision, 2},
                 {"points' kind", point_kind, 3},
                 {"a file's kind of points", read_kind, 3},
                 {"knn's metric", knn_metric, 14},
                 {"ww_knn_find()'s metric", find_metric, 14},
                 {"ww_knn_find()'s precision", find_precision, 2},
                 {"lsh's metric", lsh_metric, 14},
                 {"lsh's path", lsh_path, 3},
                 {"a target's metric", target_metric, 14},
                 {"topk's precision", topk_precision, 2},
                 {"merged neighbours' precision", merged_precision, 2},
                 {"search kind", search_kind, 3},
                 {"a search's precision", search_precision, 2},
                 {"a profile's precision", profile_precision, 2},
                 {"vote", vote, 2},
                 {"average method", average_method, 77},
                 {"average start", average_start, 77},
                 {"quality", quality, 4},
                 {"linkage", linkage, 77},
                 {"linked distances' precision", linked_precision, 2},
                 {"medoids' precision", medoids_precision, 2},
                 {"silhouettes' precision", silhouette_precision, 2}};

START_TEST(enumerations) {
    for (size_t j = 0; j < sizeof enum_jobs / sizeof *enum_jobs; j++) {
        const int unknown[] = {-1, enum_jobs[j].end, 99, 1 << 30};
        for (size_t i = 0; i < 4; i++) {
            const ww_status status = enum_jobs[j].job(unknown[i]);
            ck_assert_msg(status == WW_ERROR_INVALID_ARGUMENT || status == WW_ERROR_UNSUPPORTED, "%s %d: %s",
                          enum_jobs[j].name, unknown[i], ww_status_name(status));
        }
    }
}
END_TEST

// ---- files

START_TEST(files) {
    static const int unknown[] = {-1, 99, 1 << 30};
    ww_series_set *set = NULL, *read = NULL;
    ww_generate_options generate = WW_GENERATE_OPTIONS_INIT;
    char path[] = "/tmp/wavewarp-enums-XXXXXX";
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    (void)dprintf(file, "1,2,3\n4,5,6\n");
    wwt_ok(ww_series_set_create(1, &set));
    wwt_ok(ww_series_set_add(set, LENGTH, numbers, NULL));
    for (size_t i = 0; i < 3; i++) {
        const int none = unknown[i];
        ww_array_file *array = NULL;
        wwt_fails(ww_series_set_write(set, "/nonexistent/a.csv", (ww_format)none, WW_DOUBLE),
                  WW_ERROR_INVALID_ARGUMENT);
        wwt_fails(ww_series_set_write(set, "/nonexistent/a.csv", WW_FORMAT_CSV, (ww_precision)none),
                  WW_ERROR_INVALID_ARGUMENT);
        wwt_fails(ww_series_set_fill_missing(set, (ww_missing)none), WW_ERROR_INVALID_ARGUMENT);
        wwt_fails(ww_series_set_generate((ww_generator)none, &generate, &read), WW_ERROR_INVALID_ARGUMENT);
        wwt_fails(ww_array_write("/nonexistent/a.npy", numbers, (ww_precision)none, 1, 1), WW_ERROR_INVALID_ARGUMENT);
        wwt_fails(ww_array_file_create("/nonexistent/a.npy", (ww_precision)none, 1, 1, &array),
                  WW_ERROR_INVALID_ARGUMENT);
        for (int what = 0; what < 5; what++) {
            ww_read_options options = WW_READ_OPTIONS_INIT;
            options.format = what == 0 ? (ww_format)none : options.format;
            options.axes = what == 1 ? (ww_axes)none : options.axes;
            options.rows = what == 2 ? (ww_rows)none : options.rows;
            options.header = what == 3 ? (ww_header)none : options.header;
            options.missing = what == 4 ? (ww_missing)none : options.missing;
            wwt_fails(ww_series_set_read(path, &options, &read), WW_ERROR_INVALID_ARGUMENT);
        }
    }
    ck_assert_int_eq(remove(path), 0);
    ww_series_set_destroy(&set);
}
END_TEST

// Names of what there is not, and metrics by value: no crash, and a word.
START_TEST(names) {
    static const int unknown[] = {-1, 99, 1 << 30};
    for (size_t i = 0; i < 3; i++) {
        const int none = unknown[i];
        const char *const said[] = {ww_status_name((ww_status)none),
                                    ww_word(WW_WORD_PRECISION, (ww_precision)none),
                                    ww_word(WW_WORD_FORMAT, (ww_format)none),
                                    ww_word(WW_WORD_GENERATOR, (ww_generator)none),
                                    ww_word(WW_WORD_METRIC, (ww_metric)none),
                                    ww_word(WW_WORD_ENGINE, (ww_engine)none),
                                    ww_word(WW_WORD_COST, (ww_cost)none),
                                    ww_word(WW_WORD_LINKAGE, (ww_linkage)none),
                                    ww_word(WW_WORD_SHAPELET_QUALITY, (ww_shapelet_quality)none)};
        for (size_t n = 0; n < sizeof said / sizeof *said; n++)
            ck_assert_ptr_nonnull(said[n]);
        ck_assert_ptr_null(ww_measure_info_by_id((ww_measure_id)none));
        (void)ww_metric_kind((ww_metric)none);
        (void)ww_lsh_collision((ww_metric)none, 1, 1, 1);
    }
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("enums");
    TCase *tcase = wwt_case(suite, "enums", 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    wwt_add_to(tcase, measures, 0, 1);
    wwt_add_to(tcase, enumerations, 0, 1);
    wwt_add_to(tcase, files, 0, 1);
    wwt_add_to(tcase, names, 0, 1);
    return wwt_run(suite);
}
