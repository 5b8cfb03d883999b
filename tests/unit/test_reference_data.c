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

// What a float dataset holds of a set.
static ww_series_set *rounded_to_float(const ww_series_set *set) {
    ww_series_set *rounded = NULL;
    ck_assert_int_eq(ww_series_set_create(ww_series_set_channels(set), &rounded), WW_OK);
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        size_t length = ww_series_set_length(set, i), count = length * ww_series_set_channels(set);
        double *values = malloc(count * sizeof(double));
        ck_assert_ptr_nonnull(values);
        for (size_t k = 0; k < count; k++)
            values[k] = (double)(float)ww_series_set_values(set, i)[k];
        ck_assert_int_eq(ww_series_set_add(rounded, length, values, ww_series_set_label(set, i)), WW_OK);
        free(values);
    }
    return rounded;
}

static size_t count_correct(const ww_measure *measure, const ww_series_set *train, const ww_series_set *test) {
    size_t correct = 0;
    for (size_t i = 0; i < ww_series_set_count(test); i++) {
        wwr_series x = series_of(test, i);
        const char *label = nearest_label(measure, train, &x);
        correct += label && strcmp(label, ww_series_set_label(test, i)) == 0;
    }
    return correct;
}

static void check_accuracy(ww_measure_id id, const known_accuracy *known, int as_float, size_t expected) {
    ww_measure measure;
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, id), WW_OK);
    ww_series_set *train = known_accuracy_read(known, "TRAIN"), *test = known_accuracy_read(known, "TEST");
    ck_assert_ptr_nonnull(train);
    ck_assert_ptr_nonnull(test);
    ck_assert_uint_eq(ww_series_set_count(test), known->total);
    if (as_float) {
        ww_series_set *parts[2] = {rounded_to_float(train), rounded_to_float(test)};
        ww_series_set_destroy(&train);
        ww_series_set_destroy(&test);
        train = parts[0];
        test = parts[1];
    }
    size_t correct = count_correct(&measure, train, test);
    ck_assert_msg(correct == expected, "%s under %s: %zu right, not %zu", known->name, ww_measure_info_by_id(id)->name,
                  correct, expected);
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}

START_TEST(dtw) {
    check_accuracy(WW_DTW, &known_accuracies[_i], 0, known_accuracies[_i].dtw);
}
END_TEST

START_TEST(frechet) {
    check_accuracy(WW_FRECHET, &known_accuracies[_i], 0, known_accuracies[_i].frechet);
}
END_TEST

START_TEST(frechet_of_floats) {
    check_accuracy(WW_FRECHET, &known_accuracies[_i], 1, known_accuracies[_i].frechet_float);
}
END_TEST

int main(void) {
    if (!known_accuracy_folder()) {
        printf("1..0 # SKIP no data sets: set WAVEWARP_TEST_DATA to their folder\n");
        return EXIT_SUCCESS;
    }
    Suite *suite = suite_create("reference_data");
    TCase *tcase = wwt_case(suite, "reference_data", 120);
    tcase_add_loop_test(tcase, dtw, 0, (int)KNOWN_ACCURACY_COUNT);
    tcase_add_loop_test(tcase, frechet, 0, (int)KNOWN_ACCURACY_COUNT);
    tcase_add_loop_test(tcase, frechet_of_floats, 0, (int)KNOWN_ACCURACY_COUNT);
    return wwt_run(suite);
}
