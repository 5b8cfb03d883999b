// SPDX-License-Identifier: Apache-2.0
// Classifiers: votes, probabilities, regression and neighbours against ones counted by hand; near ties in double.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set_jobs.h"
#include "support.h"

// Series of one point: the distance is the squared difference.
static ww_series_set *points(const double *values, const char *const *labels, size_t count) {
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < count; i++)
        wwt_ok(ww_series_set_add(set, 1, &values[i], labels ? labels[i] : NULL));
    return set;
}

typedef struct sets {
    ww_series_set *train_set, *test_set;
    ww_dataset *train, *test;
} sets;

enum { TRAIN = 5, TEST = 3 };
static const double train_values[TRAIN] = {0, 1, 2, 10, 11}, test_values[TEST] = {0.5, 2, 7};
static const char *const train_labels[TRAIN] = {"a", "b", "b", "c", "a"}, *const test_labels[TEST] = {"a", "b", "z"};

static sets open_sets(void) {
    sets s;
    s.train_set = points(train_values, train_labels, TRAIN);
    s.test_set = points(test_values, test_labels, TEST);
    s.train = wwt_upload(s.train_set, WW_FLOAT);
    s.test = wwt_upload(s.test_set, WW_FLOAT);
    return s;
}

static void close_sets(sets *s) {
    ww_dataset_destroy(&s->train);
    ww_dataset_destroy(&s->test);
    ww_series_set_destroy(&s->train_set);
    ww_series_set_destroy(&s->test_set);
}

// One classifier, run on two sets; the caller's options, targets and measure are gone by then.
START_TEST(votes) {
    sets s = open_sets();
    ww_classifier *classifier = NULL;
    ww_classification r = WW_CLASSIFICATION_INIT;
    {
        ww_measure measure = wwt_measure(WW_DTW);
        ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
        options.k = 3;
        options.vote = _i ? WW_VOTE_DISTANCE : WW_VOTE_UNIFORM;
        options.want_neighbours = options.want_probabilities = 1;
        wwt_ok(ww_classifier_create(&measure, s.train, &options, &classifier));
        memset(&measure, 0xff, sizeof measure);
        memset(&options, 0xff, sizeof options);
    }
    ww_dataset_destroy(&s.train); // the classifier keeps it
    wwt_ok(ww_classifier_run(classifier, s.test, &r));
    ck_assert_uint_eq(r.k, 3);
    ck_assert_uint_eq(r.classes, 3);
    const int64_t nearest[TEST][3] = {{0, 1, 2}, {2, 1, 0}, {3, 4, 2}};
    const double distances[TEST][3] = {{0.25, 0.25, 2.25}, {0, 1, 4}, {9, 16, 25}};
    // Of a, b, c. By distance: 4, 4 and 4/9; the equal one alone; 1/9, 1/16 and 1/25.
    const double near = 1.0 / 9 + 1.0 / 16 + 1.0 / 25;
    const double shares[2][TEST][3] = {{{1.0 / 3, 2.0 / 3, 0}, {1.0 / 3, 2.0 / 3, 0}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
                                       {{4 / (8 + 4.0 / 9), (4 + 4.0 / 9) / (8 + 4.0 / 9), 0},
                                        {0, 1, 0},
                                        {1.0 / 16 / near, 1.0 / 25 / near, 1.0 / 9 / near}}};
    const int64_t predicted[TEST] = {1, 1, 2};
    for (size_t i = 0; i < TEST; i++) {
        ck_assert_int_eq(r.predicted[i], predicted[i]);
        for (size_t j = 0; j < 3; j++) {
            ck_assert_int_eq(r.neighbours[i * 3 + j], nearest[i][j]);
            ck_assert_double_eq_tol(r.distances[i * 3 + j], distances[i][j], 1e-5);
            ck_assert_double_eq_tol(r.probabilities[i * 3 + j], shares[_i][i][j], 1e-5);
        }
    }
    ck_assert_uint_eq(r.correct, 1);
    ck_assert_ptr_null(r.values);
    ww_classification_free(&r);
    ck_assert_ptr_null(r.neighbours);
    wwt_ok(ww_classifier_run(classifier, NULL, &r)); // leave-one-out
    ck_assert_uint_eq(r.total, TRAIN);
    ck_assert_int_eq(r.neighbours[0], 1);
    ww_classification_free(&r);
    ww_classifier_destroy(&classifier);
    ck_assert_ptr_null(classifier);
    ww_classifier_destroy(&classifier);
    close_sets(&s);
}
END_TEST

START_TEST(regression) {
    sets s = open_sets();
    const ww_measure measure = wwt_measure(WW_DTW);
    double targets[TRAIN] = {1, 2, 4, 8, 16};
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    ww_classification r = WW_CLASSIFICATION_INIT;
    ww_classifier *classifier = NULL;
    options.k = 2;
    options.targets = targets;
    wwt_ok(ww_classifier_create(&measure, s.train, &options, &classifier));
    targets[0] = 1000; // they were copied
    wwt_ok(ww_classifier_run(classifier, s.test, &r));
    const double means[TEST] = {1.5, 3, 12};
    for (size_t i = 0; i < TEST; i++)
        ck_assert_double_eq_tol(r.values[i], means[i], 1e-12);
    ck_assert_ptr_null(r.predicted);
    ck_assert_ptr_null(r.confusion);
    ck_assert_ptr_null(r.neighbours);
    ww_classification_free(&r);
    ww_classifier_destroy(&classifier);
    options.vote = WW_VOTE_DISTANCE;
    wwt_ok(ww_classify(&measure, s.train, s.test, &options, &r));
    ck_assert_double_eq_tol(r.values[1], 4, 1e-12);
    ck_assert_double_eq_tol(r.values[2], (8.0 / 9 + 16.0 / 16) / (1.0 / 9 + 1.0 / 16), 1e-5);
    ww_classification_free(&r);
    // More neighbours than series: all of them.
    options.k = 100;
    options.vote = WW_VOTE_UNIFORM;
    options.want_neighbours = 1;
    wwt_ok(ww_classify(&measure, s.train, s.test, &options, &r));
    ck_assert_double_eq_tol(r.values[0], 1030.0 / 5, 1e-9);
    ck_assert_int_eq(r.neighbours[TRAIN], -1);
    ck_assert(isinf(r.distances[TRAIN]));
    ww_classification_free(&r);
    close_sets(&s);
}
END_TEST

// Near ties that float does not tell apart: neighbours as in double.
START_TEST(nearest_in_double) {
    enum { N = 40, K = 4 };
    double values[N];
    int64_t found[N * K], expected[N * K];
    double distances[N * K], precise[N * K];
    const ww_measure measure = wwt_measure(WW_DTW);
    if (!wwt_device_has_double())
        return;
    for (size_t i = 0; i < N; i++)
        values[i] = 1000 + 0.1 * (double)(i * 7 % N) * (1 + 1e-9 * (double)i);
    ww_series_set *set = points(values, NULL, N);
    ww_dataset *data = wwt_upload(set, WW_FLOAT), *wide = wwt_upload(set, WW_DOUBLE);
    wwt_ok(ww_nearest(&measure, data, NULL, K, NULL, found, distances));
    wwt_ok(ww_nearest(&measure, wide, NULL, K, NULL, expected, precise));
    for (size_t i = 0; i < N * K; i++)
        ck_assert_int_eq(found[i], expected[i]);
    ww_plan *plan = NULL;
    float narrow[N * K];
    size_t differ = 0;
    wwt_ok(ww_plan_create_nearest(&measure, data, NULL, K, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, found, narrow));
    for (size_t i = 0; i < N * K; i++)
        differ += found[i] != expected[i];
    ck_assert_uint_gt(differ, 0); // else the test shows nothing
    ww_plan_destroy(&plan);
    wwt_fails(ww_nearest(&measure, data, NULL, 0, NULL, found, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_nearest(&measure, NULL, data, 1, NULL, found, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_nearest(&measure, data, wide, 1, NULL, found, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_nearest(&measure, data, data, N + 1, NULL, (int64_t[N * (N + 1)]){0}, NULL));
    ww_dataset_destroy(&data);
    ww_dataset_destroy(&wide);
    ww_series_set_destroy(&set);
}
END_TEST

// Memory is not the square of the classes: of many no confusion matrix is made.
START_TEST(many_classes) {
    enum { CLASSES = WW_CLASSIFY_MOST_CONFUSED + 1 };
    const ww_measure measure = wwt_measure(WW_DTW);
    for (size_t n = CLASSES - 1; n <= CLASSES; n++) {
        ww_series_set *set = NULL;
        ww_classification r = WW_CLASSIFICATION_INIT;
        wwt_ok(ww_series_set_create(1, &set));
        for (size_t i = 0; i < n; i++) {
            char name[16];
            const double value = (double)i;
            (void)snprintf(name, sizeof name, "c%zu", i);
            wwt_ok(ww_series_set_add(set, 1, &value, name));
        }
        ww_dataset *data = wwt_upload(set, WW_FLOAT);
        wwt_ok(ww_classify(&measure, data, data, NULL, &r));
        ck_assert_uint_eq(r.correct, n);
        ck_assert((r.confusion != NULL) == (n < CLASSES));
        ww_classification_free(&r);
        ww_dataset_destroy(&data);
        ww_series_set_destroy(&set);
    }
}
END_TEST

START_TEST(refusals) {
    sets s = open_sets();
    ww_measure measure = wwt_measure(WW_DTW);
    double targets[TRAIN] = {1, 2, NAN, 8, 16};
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    ww_classification r = WW_CLASSIFICATION_INIT;
    ww_classifier *classifier = (ww_classifier *)&s;
    wwt_fails(ww_classifier_create(&measure, NULL, NULL, &classifier), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(classifier);
    wwt_fails(ww_classifier_create(&measure, s.train, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_classifier_create(NULL, s.train, NULL, &classifier), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_classifier_run(NULL, s.test, &r), WW_ERROR_INVALID_ARGUMENT);
    options.k = 0;
    wwt_fails(ww_classifier_create(&measure, s.train, &options, &classifier), WW_ERROR_INVALID_ARGUMENT);
    options = (ww_classify_options)WW_CLASSIFY_OPTIONS_INIT;
    options.vote = (ww_vote)2;
    wwt_fails(ww_classifier_create(&measure, s.train, &options, &classifier), WW_ERROR_INVALID_ARGUMENT);
    options.vote = WW_VOTE_DISTANCE;
    measure.gamma = 1;
    wwt_fails(ww_classifier_create(&measure, s.train, &options, &classifier), WW_ERROR_UNSUPPORTED);
    measure = wwt_measure(WW_LCS);
    wwt_fails(ww_classifier_create(&measure, s.train, &options, &classifier), WW_ERROR_UNSUPPORTED);
    measure = wwt_measure(WW_DTW);
    options = (ww_classify_options)WW_CLASSIFY_OPTIONS_INIT;
    options.targets = targets;
    wwt_fails(ww_classifier_create(&measure, s.train, &options, &classifier), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, 2);
    ck_assert_ptr_null(classifier);
    close_sets(&s);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("classifier");
    wwt_add(suite, votes, 2);
    wwt_add(suite, regression, 1);
    wwt_add(suite, nearest_in_double, 1);
    wwt_add(suite, many_classes, 1);
    wwt_add(suite, refusals, 1);
    return wwt_run(suite);
}
