// SPDX-License-Identifier: Apache-2.0
// The program's Euclidean nearest neighbour, which excludes most pairs by features of segments, against brute force.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "results/euclid.h"

// Correct ones by the definition: of equally near training series the first.
static int64_t brute_force(const ww_series_set *train, const ww_series_set *test) {
    const ww_series_set *from = test ? test : train;
    const size_t count = ww_series_set_length(train, 0) * ww_series_set_channels(train);
    int64_t correct = 0;
    for (size_t i = 0; i < ww_series_set_count(from); i++) {
        double least = INFINITY;
        size_t found = SIZE_MAX;
        for (size_t k = 0; k < ww_series_set_count(train); k++) {
            double sum = 0;
            for (size_t t = 0; t < count; t++) {
                const double d = ww_series_set_values(from, i)[t] - ww_series_set_values(train, k)[t];
                sum += d * d;
            }
            if ((test || k != i) && sum < least) {
                least = sum;
                found = k;
            }
        }
        correct += found != SIZE_MAX && strcmp(ww_series_set_label(from, i), ww_series_set_label(train, found)) == 0;
    }
    return correct;
}

// Whole numbers times a power of two, so that sums are exact in any order and ties are ties. Each series has a label of
// its own group of three, so that the number of correct ones tells neighbours apart.
static ww_series_set *make(size_t count, size_t length, size_t channels, double offset, double scale, unsigned seed) {
    ww_series_set *set = NULL;
    double values[2048];
    ck_assert_int_eq(ww_series_set_create(channels, &set), WW_OK);
    for (size_t i = 0; i < count; i++) {
        char label[16];
        uint32_t state = (uint32_t)(seed * 97 + i % 40 + 1) * 2654435761u; // some series are equal
        double at = 0;
        snprintf(label, sizeof label, "%zu", i / 3);
        for (size_t t = 0; t < length * channels; t++) {
            state = state * 1664525u + 1013904223u;
            at += (double)(int)((state >> 24) % 7) - 3;
            values[t] = offset + scale * (seed % 2 ? at : (double)(state >> 28));
        }
        ck_assert_int_eq(ww_series_set_add(set, length, values, label), WW_OK);
    }
    return set;
}

START_TEST(same_as_brute_force) {
    static const size_t lengths[] = {1, 5, 16, 63, 64, 65, 130, 512}, channels[] = {1, 3};
    static const double offsets[] = {0, 0x1p30}, scales[] = {1, 0x1p-10};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
        for (int variant = 0; variant < 16; variant++) {
            const size_t d = channels[variant & 1];
            const double offset = offsets[variant >> 1 & 1], scale = scales[variant >> 2 & 1];
            ww_series_set *train = make(60, lengths[n], d, offset, scale, 1 + (unsigned)(variant >> 3));
            ww_series_set *test = make(45, lengths[n], d, offset, scale, 3 + (unsigned)(variant >> 3));
            ck_assert_int_eq(cli_euclid_correct(train, test), brute_force(train, test));
            ck_assert_int_eq(cli_euclid_correct(train, NULL), brute_force(train, NULL));
            ck_assert_int_eq(cli_euclid_correct(train, train), brute_force(train, train));
            ww_series_set_destroy(&test);
            ww_series_set_destroy(&train);
        }
}
END_TEST

START_TEST(not_defined) {
    ww_series_set *train = make(4, 10, 1, 0, 1, 1), *longer = make(4, 11, 1, 0, 1, 1), *one = make(1, 10, 1, 0, 1, 1);
    ck_assert_int_eq(cli_euclid_correct(train, longer), -1);
    ck_assert_int_eq(cli_euclid_correct(one, NULL), 0); // nobody is left to ask
    ww_series_set_destroy(&one);
    ww_series_set_destroy(&longer);
    ww_series_set_destroy(&train);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("euclid");
    TCase *tcase = wwt_case(suite, "euclid", 20);
    tcase_add_test(tcase, same_as_brute_force);
    tcase_add_test(tcase, not_defined);
    return wwt_run(suite);
}
