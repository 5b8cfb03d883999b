// SPDX-License-Identifier: Apache-2.0
// The reference classifies the archives' data sets as published: the figures that device tests rely on.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wavewarp/series.h>

#include "check_main.h"
#include "reference/reference.h"
#include "vectors/known_accuracy.h"

static wwr_series series_of(const ww_series_set *set, size_t i) {
    wwr_series series = {ww_series_set_values(set, i), ww_series_set_length(set, i), ww_series_set_channels(set)};
    return series;
}

static const char *nearest_label(const ww_measure *measure, const ww_series_set *train, const wwr_series *x) {
    double least = INFINITY;
    const char *label = NULL;
    for (size_t j = 0; j < ww_series_set_count(train); j++) {
        wwr_series y = series_of(train, j);
        double distance = wwr_distance(measure, NULL, x, &y);
        if (distance < least) {
            least = distance;
            label = ww_series_set_label(train, j);
        }
    }
    return label;
}

START_TEST(accuracy) {
    const known_accuracy *known = &known_accuracies[_i % (int)KNOWN_ACCURACY_COUNT];
    ww_measure measure;
    ww_measure_init(&measure, _i < (int)KNOWN_ACCURACY_COUNT ? WW_DTW : WW_FRECHET);
    ww_series_set *train = known_accuracy_read(known, "TRAIN"), *test = known_accuracy_read(known, "TEST");
    ck_assert_ptr_nonnull(train);
    ck_assert_ptr_nonnull(test);
    ck_assert_uint_eq(ww_series_set_count(test), known->total);
    size_t correct = 0;
    for (size_t i = 0; i < known->total; i++) {
        wwr_series x = series_of(test, i);
        const char *label = nearest_label(&measure, train, &x);
        correct += label && strcmp(label, ww_series_set_label(test, i)) == 0;
    }
    size_t expected = measure.id == WW_DTW ? known->dtw : known->frechet;
    ck_assert_msg(correct == expected, "%s under %s: %zu right, not %zu", known->name,
                  ww_measure_info_by_id(measure.id)->name, correct, expected);
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

int main(void) {
    if (!known_accuracy_folder()) {
        printf("1..0 # SKIP no data sets: set WAVEWARP_TEST_DATA to their folder\n");
        return EXIT_SUCCESS;
    }
    Suite *suite = suite_create("reference_data");
    TCase *tcase = wwt_case(suite, "reference_data", 120);
    tcase_add_loop_test(tcase, accuracy, 0, 2 * (int)KNOWN_ACCURACY_COUNT);
    return wwt_run(suite);
}
