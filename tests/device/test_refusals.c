// SPDX-License-Identifier: Apache-2.0
// Bad input of every public function: a specific status, a message, and no object created.
#include <math.h>
#include <string.h>

#include "set_jobs.h"
#include "support.h"

static wwt_set set;
static ww_dataset *dataset;
static ww_measure measure;

static void setup(void) {
    wwt_context_setup();
    wwt_seed(1);
    set = wwt_set_random(1, 20, 20, 5);
    dataset = wwt_dataset(&set, WW_FLOAT);
    measure = wwt_measure(WW_DTW);
}

static void teardown(void) {
    ww_dataset_destroy(&dataset);
    wwt_set_free(&set);
    wwt_context_teardown();
}

START_TEST(unknown_device) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    options.device = "no such device";
    wwt_fails(ww_context_create(&options, &context), WW_ERROR_NO_DEVICE);
    ck_assert_ptr_null(context);
    ww_device_info info = WW_DEVICE_INFO_INIT;
    ww_error record = *ww_last_error();
    wwt_ok(ww_context_get_device_info(wwt_context, &info));
    // Lists those there are.
    ck_assert_msg(strstr(record.message, info.name) || strstr(record.hint, info.name), "%s", record.message);
    wwt_fails(ww_context_create(NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(unreadable_kernel_folder) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    options.kernel_dir = "/no/such/folder";
    wwt_fails(ww_context_create(&options, &context), WW_ERROR_KERNEL_SOURCE);
    ck_assert_ptr_null(context);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "/no/such/folder"));
}
END_TEST

static ww_status create(const ww_series_view *view, const ww_dataset_options *options) {
    ww_dataset *refused = NULL;
    ww_status status = ww_dataset_create(wwt_context, view, options, &refused);
    if (status != WW_OK)
        ck_assert_ptr_null(refused);
    ww_dataset_destroy(&refused);
    return status;
}

START_TEST(datasets) {
    ww_series_view view = wwt_view(&set);
    wwt_fails(create(NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    view.struct_size = 0;
    wwt_fails(create(&view, NULL), WW_ERROR_INVALID_ARGUMENT);
    view = wwt_view(&set);
    view.values = NULL;
    wwt_fails(create(&view, NULL), WW_ERROR_INVALID_ARGUMENT);
    view = wwt_view(&set);
    view.channels = 0;
    wwt_fails(create(&view, NULL), WW_ERROR_INVALID_ARGUMENT);
    view = wwt_view(&set);
    view.count = 0;
    wwt_fails(create(&view, NULL), WW_ERROR_EMPTY);
    view = wwt_view(&set);
    const size_t with_empty[] = {20, 20, 0, 20, 20};
    view.lengths = with_empty;
    wwt_fails(create(&view, NULL), WW_ERROR_EMPTY);
    ck_assert_int_eq(ww_last_error()->series, 2);
    view.lengths = NULL;
    view.length = 0;
    wwt_fails(create(&view, NULL), WW_ERROR_EMPTY);
    view.length = SIZE_MAX / 8;
    wwt_fails(create(&view, NULL), WW_ERROR_OVERFLOW);
    view = wwt_view(&set);
    view.precision = (ww_precision)7;
    wwt_fails(create(&view, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset *made = NULL;
    view = wwt_view(&set);
    wwt_fails(ww_dataset_create(NULL, &view, NULL, &made), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(not_finite) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < 3; b++) {
        double *value = &set.values[set.offsets[3] + 5], kept = *value;
        ww_series_view view = wwt_view(&set);
        *value = bad[b];
        wwt_fails(create(&view, NULL), WW_ERROR_NOT_FINITE);
        ck_assert_int_eq(ww_last_error()->series, 3);
        ck_assert_int_eq(ww_last_error()->position, 5);
        ww_dataset_options allow = WW_DATASET_OPTIONS_INIT;
        allow.allow_not_finite = 1;
        wwt_ok(create(&view, &allow));
        double distance;
        wwt_fails(ww_distance(wwt_context, &measure, set.values + set.offsets[3], 20, set.values, 20, 1, &distance),
                  WW_ERROR_NOT_FINITE);
        *value = kept;
    }
    // Finite in double, but not in float.
    set.values[set.offsets[1]] = 1e300;
    ww_series_view view = wwt_view(&set);
    wwt_fails(create(&view, NULL), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, 1);
    ck_assert_int_eq(ww_last_error()->position, 0);
}
END_TEST

START_TEST(double_unsupported) {
    ww_series_view view = wwt_view(&set);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = WW_DOUBLE;
    if (wwt_device_has_double())
        wwt_ok(create(&view, &options));
    else
        wwt_fails(create(&view, &options), WW_ERROR_UNSUPPORTED);
}
END_TEST

static ww_status plan_matrix(ww_dataset *rows, ww_dataset *columns, const ww_plan_options *options) {
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(&measure, rows, columns, options, &plan);
    if (status != WW_OK)
        ck_assert_ptr_null(plan);
    ww_plan_destroy(&plan);
    return status;
}

START_TEST(plans) {
    ww_plan *plan = NULL;
    wwt_fails(ww_plan_create_matrix(NULL, dataset, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_create_matrix(&measure, NULL, dataset, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_create_matrix(&measure, dataset, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_plan_options options = wwt_engine((ww_engine)77);
    wwt_fails(plan_matrix(dataset, NULL, &options), WW_ERROR_INVALID_ARGUMENT);
    options = wwt_engine(WW_ENGINE_AUTO);
    options.struct_size = 3;
    wwt_fails(plan_matrix(dataset, NULL, &options), WW_ERROR_INVALID_ARGUMENT);
    options = wwt_engine(WW_ENGINE_AUTO);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.launch_seconds = NAN;
    options.run = &run;
    wwt_fails(plan_matrix(dataset, NULL, &options), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_create_nearest(&measure, dataset, NULL, 0, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    const size_t index[] = {0, 1}, outside[] = {0, 5};
    wwt_fails(ww_plan_create_pairs(&measure, dataset, dataset, index, outside, 2, NULL, &plan),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_create_pairs(&measure, dataset, dataset, outside, index, 2, NULL, &plan),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_create_pairs(&measure, dataset, dataset, index, NULL, 2, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_create_pairs(&measure, dataset, dataset, NULL, NULL, 6, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(plan);
    measure.band = (ww_band){.kind = WW_BAND_SLANTED, .width = 2.0};
    wwt_fails(plan_matrix(dataset, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

// A plan of one job run as another.
START_TEST(wrong_run) {
    ww_plan *matrix = NULL, *nearest = NULL, *pairs = NULL;
    float values[25];
    int64_t indices[5];
    wwt_ok(ww_plan_create_matrix(&measure, dataset, dataset, NULL, &matrix));
    wwt_ok(ww_plan_create_nearest(&measure, dataset, NULL, 1, NULL, &nearest));
    wwt_ok(ww_plan_create_pairs(&measure, dataset, dataset, NULL, NULL, 5, NULL, &pairs));
    wwt_fails(wwt_plan_run(matrix, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(wwt_plan_run(NULL, values), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(wwt_plan_run(nearest, values), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(wwt_plan_run_condensed(matrix, values), WW_ERROR_INVALID_ARGUMENT); // two sets have no half
    wwt_fails(ww_plan_run_nearest(matrix, indices, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_run_nearest(nearest, NULL, values), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_run_blocks(pairs, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_plan_destroy(&matrix);
    ww_plan_destroy(&nearest);
    ww_plan_destroy(&pairs);
}
END_TEST

START_TEST(sets_that_do_not_match) {
    wwt_set two = wwt_set_random(2, 20, 20, 3), longer = wwt_set_random(1, 40, 40, 3);
    ww_dataset *channels = wwt_dataset(&two, WW_FLOAT), *lengths = wwt_dataset(&longer, WW_FLOAT);
    wwt_fails(plan_matrix(dataset, channels, NULL), WW_ERROR_CHANNELS);
    if (wwt_device_has_double()) {
        ww_dataset *doubles = wwt_dataset(&longer, WW_DOUBLE);
        wwt_fails(plan_matrix(dataset, doubles, NULL), WW_ERROR_INVALID_ARGUMENT);
        ww_dataset_destroy(&doubles);
    }
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 19.0};
    wwt_fails(plan_matrix(dataset, lengths, NULL), WW_ERROR_NO_PATH);
    measure.band.width = 20.0;
    wwt_ok(plan_matrix(dataset, lengths, NULL));
    const size_t lo[20] = {0}, hi[20] = {0};
    measure.band = (ww_band){.kind = WW_BAND_ROWS, .lo = lo, .hi = hi, .rows = 20};
    wwt_fails(plan_matrix(dataset, lengths, NULL), WW_ERROR_NO_PATH);
    measure.band.rows = 19;
    wwt_fails(plan_matrix(dataset, lengths, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset_destroy(&channels);
    ww_dataset_destroy(&lengths);
    wwt_set_free(&two);
    wwt_set_free(&longer);
}
END_TEST

// The compiler's messages, with lines of the user's text; and the context still works.
START_TEST(user_cost_that_does_not_compile) {
    measure.cost = WW_COST_USER;
    measure.cost_expression = "fabs(x - nonsense)";
    wwt_fails(plan_matrix(dataset, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "nonsense"));
    measure.cost_expression = "fabs(x - y";
    wwt_fails(plan_matrix(dataset, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    measure.cost_expression = "fmin(x - y)";
    wwt_fails(plan_matrix(dataset, NULL, NULL), WW_ERROR_BUILD);
    ck_assert_str_ne(ww_last_build_log(), "");
    // Not a number where x < y: a least cost would hide it.
    measure.cost_expression = "sqrt(x - y)";
    wwt_fails(plan_matrix(dataset, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "NaN"));
    measure.cost_expression = "";
    wwt_fails(plan_matrix(dataset, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    measure.cost_expression = "fabs(x - y)";
    wwt_ok(plan_matrix(dataset, NULL, NULL));
}
END_TEST

START_TEST(classification_without_labels) {
    ww_series_set *train = NULL, *test = NULL;
    const double value = 1.0;
    wwt_ok(ww_series_set_create(1, &train));
    wwt_ok(ww_series_set_create(1, &test));
    wwt_ok(ww_series_set_add(test, 1, &value, "a"));
    ww_classification result = WW_CLASSIFICATION_INIT;
    wwt_fails(wwt_classify(&measure, train, test, WW_FLOAT, NULL, &result), WW_ERROR_EMPTY);
    wwt_ok(ww_series_set_add(train, 1, &value, "a"));
    wwt_ok(ww_series_set_add(train, 1, &value, NULL));
    wwt_fails(wwt_classify(&measure, train, test, WW_FLOAT, NULL, &result), WW_ERROR_NO_LABELS);
    ck_assert_int_eq(ww_last_error()->series, 1);
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

START_TEST(distance_of_nothing) {
    double distance, x = 1.0;
    wwt_fails(ww_distance(wwt_context, &measure, &x, 0, &x, 1, 1, &distance), WW_ERROR_EMPTY);
    wwt_fails(ww_distance(wwt_context, &measure, &x, 1, &x, 0, 1, &distance), WW_ERROR_EMPTY);
    wwt_fails(ww_distance(wwt_context, &measure, NULL, 1, &x, 1, 1, &distance), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_distance(wwt_context, &measure, &x, 1, &x, 1, 1, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_distance(wwt_context, &measure, &x, 1, &x, 1, 0, &distance), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_distance(wwt_context, &measure, &x, 1, &x, 1, SIZE_MAX, &distance), WW_ERROR_OVERFLOW);
}
END_TEST

// Series so small that their squares are no numbers, and symbols beyond what double has one by one: refused, by a kept
// pair too.
START_TEST(odd_scales) {
    const double tiny[] = {1e-165, 3e-165, 2e-165}, symbols[] = {9007199254740992.0, 1, 2}, few[] = {3, 1, 2};
    double distance;
    if (!wwt_device_has_double())
        return;
    ww_measure rooted = measure, edits = wwt_measure(WW_LEVENSHTEIN);
    rooted.root = 1;
    wwt_ok(ww_distance(wwt_context, &rooted, few, 3, few, 3, 1, &distance));
    wwt_fails(ww_distance(wwt_context, &rooted, tiny, 3, tiny, 2, 1, &distance), WW_ERROR_UNSUPPORTED);
    wwt_fails(ww_distance(wwt_context, &rooted, tiny, 3, tiny, 3, 1, &distance), WW_ERROR_UNSUPPORTED);
    rooted.cost = WW_COST_ABSOLUTE;
    wwt_ok(ww_distance(wwt_context, &rooted, tiny, 3, tiny, 2, 1, &distance));
    wwt_ok(ww_distance(wwt_context, &edits, few, 3, few, 3, 1, &distance));
    wwt_fails(ww_distance(wwt_context, &edits, few, 3, symbols, 3, 1, &distance), WW_ERROR_UNSUPPORTED);
    ck_assert_msg(strstr(ww_last_error()->message, "symbol"), "%s", ww_last_error()->message);
}
END_TEST

// ---- what is told

static void count_warnings(void *user, int level, const char *text) {
    *(int *)user += level == 1 && strstr(text, ww_float_fit_text(WW_FLOAT_LOSES)) == text;
}

// Values in double that float does not hold: a context's log hears of them, of series, points and streams.
START_TEST(float_that_loses_digits_is_told) {
    const double far[] = {1e8 + 1, 1e8 + 2, 1e8 + 4, 1e8 + 1, 1e8 + 2, 1e8 + 3};
    int warnings = 0;
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    options.log = count_warnings;
    options.log_user = &warnings;
    wwt_ok(ww_context_create(&options, &context));
    for (int fits = 0; fits < 2; fits++) {
        double values[6];
        ww_dataset *taken = NULL;
        ww_points *points = NULL;
        ww_search *search = NULL;
        ww_match match;
        ww_point_view of = WW_POINT_VIEW_INIT;
        ww_search_options found = WW_SEARCH_OPTIONS_INIT;
        const ww_measure dtw = wwt_measure(WW_DTW);
        for (int i = 0; i < 6; i++)
            values[i] = fits ? far[i] - 1e8 : far[i];
        const ww_series_view view = wwt_view_of(values, 6, 1);
        of.values = values;
        of.precision = WW_DOUBLE;
        of.count = 2;
        of.dimension = 3;
        ck_assert_int_eq(ww_series_view_float_fit(&view), fits ? WW_FLOAT_FITS : WW_FLOAT_LOSES);
        ck_assert_int_eq(ww_point_view_float_fit(&of), fits ? WW_FLOAT_FITS : WW_FLOAT_LOSES);
        ck_assert_str_eq(ww_float_fit_text(WW_FLOAT_FITS), "");
        warnings = 0;
        wwt_ok(ww_dataset_create(context, &view, NULL, &taken));
        ck_assert_int_eq(warnings, !fits);
        wwt_ok(ww_points_create(context, &of, NULL, &points));
        ck_assert_int_eq(warnings, 2 * !fits);
        wwt_ok(ww_search_create(context, &dtw, &view, &found, &search));
        wwt_ok(ww_search_run(search, &view, &match, NULL));
        ck_assert_int_eq(warnings, 3 * !fits);
        ww_search_destroy(&search);
        ww_points_destroy(&points);
        ww_dataset_destroy(&taken);
    }
    ww_context_destroy(&context);
}
END_TEST

// A band without a path is refused with what helps: with open ends, too, most bands have to reach both corners.
START_TEST(open_ends_in_bands) {
    const double x[5] = {0, 1, 2, 3, 4}, y[20] = {0, 1, 2, 3, 4, 9};
    static const size_t lo[5] = {0, 0, 0, 0, 0}, hi[5] = {4, 5, 6, 7, 8}, back[5] = {20, 20, 20, 4, 20};
    double distance;
    ww_measure warping = wwt_measure(WW_DTW);
    warping.relax_end_y = SIZE_MAX;
    warping.band.kind = WW_BAND_ROWS;
    warping.band.lo = lo;
    warping.band.hi = hi;
    warping.band.rows = 5;
    wwt_fails(ww_distance(wwt_context, &warping, x, 5, y, 20, 1, &distance), WW_ERROR_NO_PATH);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "from corner to corner"));
    // An end beside rows that end earlier would not be found.
    warping.band.hi = back;
    wwt_fails(ww_distance(wwt_context, &warping, x, 5, y, 20, 1, &distance), WW_ERROR_UNSUPPORTED);
    warping.relax_end_y = 0;
    wwt_ok(ww_distance(wwt_context, &warping, x, 5, y, 20, 1, &distance));
    warping.relax_end_y = SIZE_MAX;
    warping.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 4};
    wwt_ok(ww_distance(wwt_context, &warping, x, 5, y, 20, 1, &distance));
    ck_assert(distance == 0);
    warping.relax_end_y = 3;
    wwt_fails(ww_distance(wwt_context, &warping, x, 5, y, 20, 1, &distance), WW_ERROR_NO_PATH);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "skipped"));
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("refusals");
    TCase *tcase = wwt_case(suite, "refusals", 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    wwt_add_to(tcase, unknown_device, 0, 1);
    wwt_add_to(tcase, unreadable_kernel_folder, 0, 1);
    wwt_add_to(tcase, datasets, 0, 1);
    wwt_add_to(tcase, not_finite, 0, 1);
    wwt_add_to(tcase, double_unsupported, 0, 1);
    wwt_add_to(tcase, plans, 0, 1);
    wwt_add_to(tcase, wrong_run, 0, 1);
    wwt_add_to(tcase, sets_that_do_not_match, 0, 1);
    wwt_add_to(tcase, user_cost_that_does_not_compile, 0, 1);
    wwt_add_to(tcase, classification_without_labels, 0, 1);
    wwt_add_to(tcase, distance_of_nothing, 0, 1);
    wwt_add_to(tcase, odd_scales, 0, 1);
    wwt_add_to(tcase, float_that_loses_digits_is_told, 0, 1);
    wwt_add_to(tcase, open_ends_in_bands, 0, 1);
    return wwt_run(suite);
}
