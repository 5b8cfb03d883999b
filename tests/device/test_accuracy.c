// SPDX-License-Identifier: Apache-2.0
// 1-NN accuracy on the archives' data sets: the exact number of correct series. Skipped where the data are absent.
#include <stdio.h>
#include <stdlib.h>

#include "set_jobs.h"
#include "support.h"
#include "vectors/known_accuracy.h"

enum { SETS = KNOWN_ACCURACY_COUNT };

START_TEST(accuracy) {
    const known_accuracy *known = &known_accuracies[_i % SETS];
    ww_precision precision = _i < 2 * SETS ? WW_FLOAT : WW_DOUBLE;
    ww_measure measure = wwt_measure(_i / SETS % 2 == 0 ? WW_DTW : WW_FRECHET);
    // In float near ties are decided in double, where there is double.
    size_t frechet = wwt_device_has_double() ? known->frechet : known->frechet_float;
    size_t expected = measure.id == WW_DTW ? known->dtw : frechet;
    ww_series_set *train = known_accuracy_read(known, "TRAIN"), *test = known_accuracy_read(known, "TEST");
    ck_assert_ptr_nonnull(train);
    ck_assert_ptr_nonnull(test);
    for (int no_bounds = 0; no_bounds <= 1; no_bounds++) {
        ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
        ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
        plan.no_bounds = no_bounds;
        options.plan = &plan;
        ww_classification result = WW_CLASSIFICATION_INIT;
        wwt_ok(wwt_classify(&measure, train, test, precision, &options, &result));
        ck_assert_uint_eq(result.total, known->total);
        ck_assert_uint_eq(result.labelled, known->total);
        ck_assert_msg(result.correct == expected, "%s under %s in %s: %zu right, not %zu", known->name,
                      ww_measure_info_by_id(measure.id)->name, precision == WW_FLOAT ? "float" : "double",
                      result.correct, expected);
        ww_classification_free(&result);
    }
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

// In float, whose near ties are decided in double.
START_TEST(other_measures) {
    const known_accuracy *known = &known_accuracies[_i % SETS];
    const known_measure *of = &known_measures[_i / SETS];
    if (!wwt_device_has_double())
        return;
    ww_measure measure = wwt_measure(ww_measure_info_by_name(of->name)->id);
    for (int p = 0; p < 2 && of->parameters[p]; p++)
        wwt_ok(ww_measure_set(&measure, of->parameters[p], of->values[p]));
    ww_series_set *train = known_accuracy_read(known, "TRAIN"), *test = known_accuracy_read(known, "TEST");
    ck_assert(train && test);
    ww_classification result = WW_CLASSIFICATION_INIT;
    wwt_ok(wwt_classify(&measure, train, test, WW_FLOAT, NULL, &result));
    ck_assert_uint_eq(result.total, known->total);
    ck_assert_msg(result.correct == of->correct[_i % SETS], "%s under %s: %zu right, not %zu", known->name, of->name,
                  result.correct, of->correct[_i % SETS]);
    ww_classification_free(&result);
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

int main(void) {
    int exit_code;
    if (!known_accuracy_folder()) {
        printf("1..0 # SKIP no data sets: set WAVEWARP_TEST_DATA to their folder\n");
        return EXIT_SUCCESS;
    }
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("accuracy");
    TCase *tcase = wwt_case(suite, "accuracy", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, accuracy, 0, 2 * SETS * wwt_precision_count());
    wwt_add_to(tcase, other_measures, 0, (int)KNOWN_MEASURE_COUNT * SETS);
    return wwt_run(suite);
}
