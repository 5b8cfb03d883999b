// SPDX-License-Identifier: Apache-2.0
// 1-NN accuracy on the archives' data sets, to the single series. Skipped where the data are absent.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

typedef struct known {
    const char *name;
    size_t dtw, frechet; // right of `total`; DTW with squared cost, no band
    size_t total;
} known;

static const known sets[] = {
    {"GunPoint", 136, 119, 150},  {"ArrowHead", 123, 121, 175},          {"ItalyPowerDemand", 978, 939, 1029},
    {"BasicMotions", 39, 30, 40}, {"PickupGestureWiimoteZ", 35, 32, 50}, {"JapaneseVowels", 351, 347, 370},
};
enum { SETS = sizeof(sets) / sizeof(sets[0]) };

static const char *data_folder(void) {
    const char *folder = getenv("WAVEWARP_TEST_DATA");
    return folder ? folder : ".";
}

static ww_series_set *read_part(const char *name, const char *part) {
    char path[4096];
    ww_series_set *set = NULL;
    snprintf(path, sizeof(path), "%s/%s/%s_%s.ts", data_folder(), name, name, part);
    wwt_ok(ww_series_set_read(path, NULL, &set));
    return set;
}

START_TEST(accuracy) {
    const known *known_set = &sets[_i % SETS];
    ww_measure measure = wwt_measure(_i < SETS ? WW_DTW : WW_FRECHET);
    ww_series_set *train = read_part(known_set->name, "TRAIN"), *test = read_part(known_set->name, "TEST");
    for (int no_bounds = 0; no_bounds <= 1; no_bounds++) {
        ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
        options.plan.no_bounds = no_bounds;
        ww_classification result;
        wwt_ok(ww_classify(wwt_context, &measure, train, test, &options, &result));
        ck_assert_uint_eq(result.total, known_set->total);
        ck_assert_uint_eq(result.labelled, known_set->total);
        size_t expected = measure.id == WW_DTW ? known_set->dtw : known_set->frechet;
        ck_assert_msg(result.correct == expected, "%s under %s: %zu right, not %zu", known_set->name,
                      ww_measure_info_by_id(measure.id)->name, result.correct, expected);
        ww_classification_free(&result);
    }
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

int main(void) {
    int exit_code;
    if (access(data_folder(), R_OK) != 0 || !getenv("WAVEWARP_TEST_DATA")) {
        printf("1..0 # SKIP no data sets in %s\n", data_folder());
        return EXIT_SUCCESS;
    }
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("accuracy");
    TCase *tcase = wwt_case(suite, "accuracy", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    tcase_add_loop_test(tcase, accuracy, 0, 2 * SETS);
    return wwt_run(suite);
}
