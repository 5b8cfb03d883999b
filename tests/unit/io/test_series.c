// SPDX-License-Identifier: Apache-2.0
// Series sets made by hand.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "check_main.h"
#include "options.h"
#include <wavewarp/series.h>

static ww_series_set *set;

static void setup(void) {
    ck_assert_int_eq(ww_series_set_create(2, &set), WW_OK);
}

static void teardown(void) {
    ww_series_set_destroy(&set);
    ck_assert_ptr_null(set);
}

START_TEST(holds_what_was_added) {
    const double first[] = {1, 2, 3, 4, 5, 6}, second[] = {7, NAN};
    ck_assert_int_eq(ww_series_set_add(set, 3, first, "b"), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 1, second, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 3, first, "a"), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 3, first, "b"), WW_OK);
    ck_assert_uint_eq(ww_series_set_count(set), 4);
    ck_assert_uint_eq(ww_series_set_channels(set), 2);
    ck_assert_uint_eq(ww_series_set_length(set, 1), 1);
    ck_assert_uint_eq(ww_series_set_min_length(set), 1);
    ck_assert_uint_eq(ww_series_set_max_length(set), 3);
    ck_assert_uint_eq(ww_series_set_missing(set), 1);
    ck_assert_mem_eq(ww_series_set_values(set, 2), first, sizeof first);
    ck_assert_uint_eq(ww_series_set_class_count(set), 2);
    ck_assert_str_eq(ww_series_set_class_name(set, 0), "b");
    ck_assert_str_eq(ww_series_set_class_name(set, 1), "a");
    ck_assert_int_eq(ww_series_set_class(set, 0), 0);
    ck_assert_int_eq(ww_series_set_class(set, 1), -1);
    ck_assert_int_eq(ww_series_set_class(set, 2), 1);
    ck_assert_int_eq(ww_series_set_class(set, 3), 0);
    ck_assert_str_eq(ww_series_set_label(set, 3), "b");
    ck_assert_ptr_null(ww_series_set_label(set, 1));
}
END_TEST

START_TEST(out_of_range_is_nothing) {
    ck_assert_uint_eq(ww_series_set_length(set, 0), 0);
    ck_assert_uint_eq(ww_series_set_min_length(set), 0);
    ck_assert_uint_eq(ww_series_set_max_length(set), 0);
    ck_assert_ptr_null(ww_series_set_values(set, 0));
    ck_assert_ptr_null(ww_series_set_label(set, 0));
    ck_assert_ptr_null(ww_series_set_class_name(set, 0));
    ck_assert_int_eq(ww_series_set_class(set, 0), -1);
    ck_assert_uint_eq(ww_series_set_count(NULL), 0);
    ck_assert_uint_eq(ww_series_set_channels(NULL), 0);
    ck_assert_uint_eq(ww_series_set_missing(NULL), 0);
    ck_assert_uint_eq(ww_series_set_class_count(NULL), 0);
    ck_assert_ptr_null(ww_series_set_values(NULL, 0));
    ww_series_set_destroy(NULL);
}
END_TEST

START_TEST(bad_arguments_are_refused) {
    const double value = 1.0;
    ww_series_set *other = set;
    ck_assert_int_eq(ww_series_set_create(0, &other), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(other);
    ck_assert_int_eq(ww_series_set_create(1, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_add(NULL, 1, &value, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_add(set, 1, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_add(set, 0, &value, NULL), WW_ERROR_EMPTY);
    ck_assert_int_eq(ww_series_set_add(set, SIZE_MAX, &value, NULL), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_series_set_add(set, SIZE_MAX / 16, &value, NULL), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_series_set_znormalise(NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_view(set, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(ww_series_set_count(set), 0);
}
END_TEST

START_TEST(many_classes_keep_their_numbers) {
    const double values[2] = {0, 0};
    char label[16];
    for (long i = 0; i < 3000; i++) {
        snprintf(label, sizeof label, "c%ld", i % 1000);
        ck_assert_int_eq(ww_series_set_add(set, 1, values, label), WW_OK);
    }
    ck_assert_uint_eq(ww_series_set_class_count(set), 1000);
    for (size_t i = 0; i < 3000; i++)
        ck_assert_int_eq(ww_series_set_class(set, i), (long)(i % 1000));
}
END_TEST

START_TEST(znormalised_has_mean_0_and_deviation_1) {
    // The second series is too large to be squared, the third too small; the fourth varies little, but more than
    // rounding makes; the last does not vary but for rounding.
    const double series[5][8] = {{1, 2, 3, 4, 10, 20, 30, -40},
                                 {1e300, 2e300, 3e300, -5e300, 4, 3, 2, 1},
                                 {1e-200, 2e-200, 3e-200, -5e-200, 1e-21, 0, 2e-21, 0},
                                 {1e9, 1e9 + 1e-3, 1e9 + 3e-3, 1e9 - 1e-3, -1e15, -1e15 + 8, -1e15, -1e15},
                                 {0.3, 0.1 + 0.2, 0.3, 0.3, 0, 0, 0, 0}};
    for (size_t i = 0; i < 5; i++)
        ck_assert_int_eq(ww_series_set_add(set, 4, series[i], NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_znormalise(set), WW_OK);
    for (size_t i = 0; i < 4; i++)
        for (size_t c = 0; c < 2; c++) {
            const double *x = ww_series_set_values(set, i) + c * 4;
            ck_assert_double_eq_tol(x[0] + x[1] + x[2] + x[3], 0.0, 1e-14);
            ck_assert_double_eq_tol(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], 4.0, 1e-13);
        }
    for (size_t t = 0; t < 8; t++)
        ck_assert_double_eq(ww_series_set_values(set, 4)[t], 0.0);
}
END_TEST

START_TEST(points_have_their_neighbours_as_channels) {
    const double series[2][6] = {{1, 2, 3, 10, NAN, 30}, {7, 8}};
    ck_assert_int_eq(ww_series_set_add(set, 3, series[0], "a"), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 1, series[1], "b"), WW_OK);
    ck_assert_int_eq(ww_series_set_embed(NULL, 1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_embed(set, SIZE_MAX), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_series_set_embed(set, SIZE_MAX / 64), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_series_set_embed(set, 0), WW_OK);
    ck_assert_uint_eq(ww_series_set_channels(set), 2);
    ck_assert_int_eq(ww_series_set_embed(set, 2), WW_OK); // farther than the second series is long
    ck_assert_uint_eq(ww_series_set_channels(set), 10);
    ck_assert_uint_eq(ww_series_set_missing(set), 3);
    for (size_t i = 0; i < 2; i++) {
        const size_t length = ww_series_set_length(set, i);
        ck_assert_uint_eq(length, i ? 1 : 3);
        for (size_t c = 0; c < 10; c++)
            for (size_t t = 0; t < length; t++) {
                const long at = (long)(t + c % 5) - 2, last = (long)length - 1;
                const double right = series[i][c / 5 * length + (size_t)(at < 0 ? 0 : at < last ? at : last)];
                const double got = ww_series_set_values(set, i)[c * length + t];
                ck_assert_msg(isnan(right) ? isnan(got) : got == right, "series %zu, channel %zu, point %zu", i, c, t);
            }
    }
    const double more[10] = {0}; // one more has so many channels
    ck_assert_int_eq(ww_series_set_add(set, 1, more, "a"), WW_OK);
    ck_assert_int_eq(ww_series_set_class(set, 2), 0);
}
END_TEST

START_TEST(missing_values_are_not_normalised) {
    const double good[] = {1, 2, 3, 4}, bad[] = {1, 2, 3, NAN};
    ck_assert_int_eq(ww_series_set_add(set, 2, good, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 2, bad, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_znormalise(set), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, 1);
    ck_assert_int_eq(ww_last_error()->position, 1);
    ck_assert_mem_eq(ww_series_set_values(set, 0), good, sizeof good);
}
END_TEST

START_TEST(view_shows_the_memory) {
    const double first[] = {1, 2, 3, 4}, second[] = {5, 6};
    ck_assert_int_eq(ww_series_set_add(set, 2, first, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 1, second, NULL), WW_OK);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ck_assert_int_eq(ww_series_set_view(set, &view), WW_OK);
    ck_assert_uint_eq(view.struct_size, sizeof view);
    ck_assert_uint_eq(view.count, 2);
    ck_assert_uint_eq(view.channels, 2);
    ck_assert_uint_eq(view.length, 2);
    ck_assert_int_eq(view.precision, WW_DOUBLE);
    ck_assert_uint_eq(view.lengths[1], 1);
    ck_assert_double_eq(((const double *)view.values)[view.offsets[1] + 1], 6.0);
}
END_TEST

START_TEST(options_of_other_versions) {
    struct options {
        size_t struct_size;
        int a, b;
    } known = {sizeof known, 1, 2};
    ck_assert_int_eq(wwi_options_take(&known, NULL, "options"), WW_OK);
    ck_assert_int_eq(known.a, 1);

    struct {
        size_t struct_size;
        int a;
    } older = {offsetof(struct options, b), 7};
    ck_assert_int_eq(wwi_options_take(&known, &older, "options"), WW_OK);
    ck_assert_int_eq(known.a, 7);
    ck_assert_int_eq(known.b, 2);
    ck_assert_uint_eq(known.struct_size, sizeof known);

    struct {
        struct options options;
        long more;
    } newer = {{sizeof newer, 3, 4}, 0};
    ck_assert_int_eq(wwi_options_take(&known, &newer, "options"), WW_OK);
    ck_assert_int_eq(known.b, 4);
    newer.more = 1;
    ck_assert_int_eq(wwi_options_take(&known, &newer, "options"), WW_ERROR_UNSUPPORTED);

    older.struct_size = 0;
    ck_assert_int_eq(wwi_options_take(&known, &older, "options"), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("series");
    TCase *tcase = wwt_case(suite, "series", 20);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, holds_what_was_added);
    tcase_add_test(tcase, out_of_range_is_nothing);
    tcase_add_test(tcase, bad_arguments_are_refused);
    tcase_add_test(tcase, many_classes_keep_their_numbers);
    tcase_add_test(tcase, znormalised_has_mean_0_and_deviation_1);
    tcase_add_test(tcase, points_have_their_neighbours_as_channels);
    tcase_add_test(tcase, missing_values_are_not_normalised);
    tcase_add_test(tcase, view_shows_the_memory);
    tcase_add_test(tcase, options_of_other_versions);
    return wwt_run(suite);
}
