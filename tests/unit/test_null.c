// SPDX-License-Identifier: Apache-2.0
// What a function would have made is NULL after its failure, whatever it was before and whichever argument is wrong.
#include <stddef.h>
#include <wavewarp/opencl.h>
#include <wavewarp/wavewarp.h>

#include "check_main.h"

#define NOTHING(type, call)                                                                                            \
    do {                                                                                                               \
        static char garbage_;                                                                                          \
        type *out = (type *)(void *)&garbage_;                                                                         \
        ck_assert_msg((call) != WW_OK, "%s", #call);                                                                   \
        ck_assert_msg(out == NULL, "%s", #call);                                                                       \
    } while (0)

// The first argument is missing, or is none that there is.
START_TEST(outputs) {
    const ww_context_options nowhere = {0,    NULL, NULL, NULL, NULL,
                                        NULL, 0,    0,    NULL}; // refused before drivers are opened
    ww_read_options read = WW_READ_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_point_view points = WW_POINT_VIEW_INIT;
    ww_measure dtw;
    ck_assert_int_eq(ww_measure_init(&dtw, sizeof dtw, WW_DTW), WW_OK);
    NOTHING(ww_context, ww_context_create(&nowhere, &out));
    NOTHING(ww_context, ww_context_wrap(NULL, NULL, NULL, NULL, &out));
    NOTHING(ww_context, ww_context_create_cuda(-1, NULL, NULL, &out));
    NOTHING(ww_dataset, ww_dataset_create(NULL, &view, NULL, &out));
    NOTHING(ww_dataset, ww_dataset_create_from_set(NULL, NULL, NULL, &out));
    NOTHING(ww_dataset, ww_dataset_create_from_buffer(NULL, NULL, 1, 1, 1, WW_FLOAT, &out));
    NOTHING(ww_dataset, ww_dataset_create_from_lengths(NULL, NULL, 1, 1, NULL, WW_FLOAT, &out));
    NOTHING(ww_dataset, ww_dataset_wrap(NULL, NULL, 1, 1, 1, WW_FLOAT, &out));
    NOTHING(ww_series_set, ww_dataset_series(NULL, &out));
    NOTHING(ww_buffer, ww_buffer_create(NULL, 1, &out));
    NOTHING(ww_buffer, ww_buffer_wrap(NULL, NULL, &out));
    NOTHING(ww_buffer, ww_buffer_wrap_cuda(NULL, 16, 16, &out));
    NOTHING(ww_plan, ww_plan_create_matrix(&dtw, NULL, NULL, NULL, &out));
    NOTHING(ww_plan, ww_plan_create_matrix(NULL, NULL, NULL, NULL, &out));
    NOTHING(ww_plan, ww_plan_create_pairs(&dtw, NULL, NULL, NULL, NULL, 1, NULL, &out));
    NOTHING(ww_plan, ww_plan_create_nearest(&dtw, NULL, NULL, 1, NULL, &out));
    NOTHING(ww_plan, ww_plan_create_nearest(&dtw, NULL, NULL, 0, NULL, &out));
    NOTHING(ww_plan, ww_plan_create_paths(&dtw, NULL, NULL, NULL, NULL, 1, NULL, &out));
    NOTHING(ww_plan, ww_plan_create_costs(&dtw, NULL, NULL, 0, 0, NULL, &out));
    NOTHING(ww_series_set, ww_cluster_kshape(NULL, 2, NULL, NULL, NULL, &out, NULL));
    NOTHING(ww_index, ww_index_create(&dtw, NULL, NULL, &out));
    NOTHING(ww_index, ww_index_load(NULL, "no/such/file", NULL, &out));
    NOTHING(ww_index, ww_index_load_from(NULL, NULL, NULL, NULL, &out));
    NOTHING(ww_gradient, ww_gradient_create_pairs(&dtw, NULL, NULL, NULL, NULL, 1, NULL, &out));
    NOTHING(ww_gradient, ww_gradient_create_matrix(&dtw, NULL, NULL, NULL, &out));
    NOTHING(ww_series_set, ww_series_set_create(0, &out));
    NOTHING(ww_series_set, ww_series_set_read(NULL, NULL, &out));
    NOTHING(ww_series_set, ww_series_set_read("no/such/file", &read, &out));
    NOTHING(ww_series_set, ww_series_set_generate((ww_generator)99, NULL, &out));
    NOTHING(ww_store, ww_store_open(NULL, NULL, &out));
    NOTHING(ww_store, ww_store_open("no/such/file", NULL, &out));
    NOTHING(ww_store, ww_store_open_parts(NULL, 0, 0, &out));
    NOTHING(ww_array_file, ww_array_file_create(NULL, WW_FLOAT, 1, 1, &out));
    NOTHING(ww_array_file, ww_array_file_create("no/such/folder/file.npy", WW_FLOAT, 1, 1, &out));
    NOTHING(ww_file, ww_file_create(NULL, &out));
    NOTHING(ww_file, ww_file_create("no/such/folder/file", &out));
    NOTHING(ww_point_set, ww_point_set_read(NULL, WW_POINTS_NUMBERS, &out));
    NOTHING(ww_point_set, ww_point_set_of_bits(NULL, &out));
    NOTHING(ww_point_set, ww_point_set_of_bits(&points, &out));
    NOTHING(ww_point_set, ww_point_set_of_points(NULL, &out));
    NOTHING(ww_points, ww_points_create(NULL, &points, NULL, &out));
    NOTHING(ww_knn, ww_knn_create(NULL, NULL, 1, NULL, &out));
    NOTHING(ww_lsh, ww_lsh_create(NULL, NULL, &out));
    NOTHING(ww_lsh, ww_lsh_load(NULL, NULL, NULL, &out));
    NOTHING(ww_topk, ww_topk_create(NULL, 1, 1, 1, NULL, &out));
    NOTHING(ww_search, ww_search_create(NULL, &dtw, &view, NULL, &out));
    NOTHING(ww_search_stream, ww_search_stream_create(NULL, &dtw, &view, NULL, &out));
    NOTHING(ww_profile, ww_profile_create(NULL, &view, 0, NULL, 0, 8, NULL, &out));
    NOTHING(ww_profile, ww_profile_create_from_datasets(NULL, 0, NULL, 0, 8, NULL, &out));
    NOTHING(ww_profile_stream, ww_profile_stream_create(NULL, 1, 8, 0, NULL, &out));
    NOTHING(ww_classifier, ww_classifier_create(&dtw, NULL, NULL, &out));
    NOTHING(ww_shapelets, ww_shapelets_create(NULL, NULL, &out));
    NOTHING(ww_shapelets, ww_shapelets_read(NULL, &out));
    NOTHING(ww_shapelets, ww_shapelets_read("no/such/file", &out));
}
END_TEST

// The argument that is missing is named as in the header.
START_TEST(names) {
    ww_series_set *set = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_point_set *points = NULL;
    ck_assert_int_eq(ww_series_set_create(1, &set), WW_OK);
    ck_assert_int_eq(ww_series_set_set_times(NULL, 0, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->message, "set is NULL");
    ck_assert_int_eq(ww_series_set_set_times(set, 0, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->message, "times is NULL");
    ck_assert_int_eq(ww_series_set_view(set, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->message, "view is NULL");
    ck_assert_int_eq(ww_series_set_view(NULL, &view), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->message, "set is NULL");
    ck_assert_int_eq(ww_point_set_of_points(NULL, &points), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->message, "points is NULL");
    ck_assert_int_eq(ww_lsh_save_to(NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->message, "lsh is NULL");
    ck_assert_int_eq(ww_profile_get_distances(NULL, 0, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->message, "profile is NULL");
    ww_series_set_destroy(&set);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("null");
    TCase *tcase = wwt_case(suite, "null", 30);
    tcase_add_test(tcase, outputs);
    tcase_add_test(tcase, names);
    return wwt_run(suite);
}
