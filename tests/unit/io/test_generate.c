// SPDX-License-Identifier: Apache-2.0
// Generated sets: the same bits everywhere, and the published shapes.
#include <math.h>
#include <string.h>

#include "check_main.h"
#include <wavewarp/run.h>
#include <wavewarp/series.h>

static ww_series_set *generate(ww_generator kind, size_t count, size_t length, size_t max_length, size_t channels,
                               uint64_t seed) {
    ww_generate_options options = WW_GENERATE_OPTIONS_INIT;
    options.count = count;
    options.length = length;
    options.max_length = max_length;
    options.channels = channels;
    options.seed = seed;
    ww_series_set *set = NULL;
    ck_assert_int_eq(ww_series_set_generate(kind, &options, &set), WW_OK);
    return set;
}

static uint64_t fingerprint(const ww_series_set *set) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        for (size_t t = 0; t < ww_series_set_length(set, i) * ww_series_set_channels(set); t++) {
            uint64_t bits;
            memcpy(&bits, ww_series_set_values(set, i) + t, sizeof bits);
            for (int b = 0; b < 8; b++)
                hash = (hash ^ (bits >> (8 * b) & 255)) * UINT64_C(1099511628211);
        }
    return hash;
}

// A change of these numbers changes what every seed has ever given.
START_TEST(the_bits_are_pinned) {
    static const uint64_t expected[] = {UINT64_C(0x9f217c0dd6ab2040), UINT64_C(0x4fd5b2dee101ab2c),
                                        UINT64_C(0xb126dcab0f030822), UINT64_C(0x156b058085d40611),
                                        UINT64_C(0x08058e5e82e90e5c)};
    ww_series_set *set = generate((ww_generator)_i, 24, 0, 150, 2, 42);
    ck_assert_msg(fingerprint(set) == expected[_i], "generator %d: 0x%llx", _i, (unsigned long long)fingerprint(set));
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(a_larger_set_starts_with_the_smaller) {
    ww_series_set *small = generate((ww_generator)_i, 5, 20, 90, 2, 7);
    ww_series_set *large = generate((ww_generator)_i, 12, 20, 90, 2, 7);
    ww_series_set *other = generate((ww_generator)_i, 5, 20, 90, 2, 8);
    for (size_t i = 0; i < 5; i++) {
        const size_t length = ww_series_set_length(small, i);
        ck_assert_uint_eq(length, ww_series_set_length(large, i));
        ck_assert(length >= 20 && length <= 90);
        ck_assert_mem_eq(ww_series_set_values(small, i), ww_series_set_values(large, i), 2 * length * sizeof(double));
    }
    ck_assert_uint_ne(fingerprint(small), fingerprint(other));
    ww_series_set_destroy(&small);
    ww_series_set_destroy(&large);
    ww_series_set_destroy(&other);
}
END_TEST

START_TEST(every_length_from_1) {
    for (size_t length = 1; length <= 40; length++) {
        ww_series_set *set = generate((ww_generator)_i, 12, length, 0, 1, length);
        for (size_t i = 0; i < 12; i++)
            for (size_t t = 0; t < length; t++)
                ck_assert(isfinite(ww_series_set_values(set, i)[t]));
        ww_series_set_destroy(&set);
    }
}
END_TEST

START_TEST(normal_numbers_are_normal) {
    ww_series_set *set = generate(WW_GENERATE_RANDOM_WALK, 1, 200000, 0, 1, 3);
    const double *x = ww_series_set_values(set, 0);
    double sum = 0, squares = 0, fourth = 0;
    for (size_t t = 1; t < 200000; t++) {
        const double step = x[t] - x[t - 1];
        sum += step;
        squares += step * step;
        fourth += step * step * step * step;
    }
    ck_assert_double_eq_tol(sum / 2e5, 0.0, 0.01);
    ck_assert_double_eq_tol(squares / 2e5, 1.0, 0.015);
    ck_assert_double_eq_tol(fourth / 2e5, 3.0, 0.1);
    ww_series_set_destroy(&set);
}
END_TEST

static double mean(const double *x, size_t from, size_t to) {
    double sum = 0;
    for (size_t t = from; t < to; t++)
        sum += x[t];
    return sum / (double)(to - from);
}

START_TEST(classes_have_their_shapes) {
    ww_series_set *set = generate(WW_GENERATE_CBF, 300, 0, 0, 1, 1);
    double early[3] = {0}, late[3] = {0};
    for (size_t i = 0; i < 300; i++) {
        const double *x = ww_series_set_values(set, i);
        ck_assert_int_eq(ww_series_set_class(set, i), (long)(i % 3));
        early[i % 3] += mean(x, 32, 50) / 100;
        late[i % 3] += mean(x, 60, 80) / 100;
    }
    ck_assert_str_eq(ww_series_set_class_name(set, 1), "bell");
    ck_assert(early[0] > 5 && early[1] < 3 && early[2] > 3 && late[2] < early[2] && late[1] > early[1]);
    ww_series_set_destroy(&set);

    set = generate(WW_GENERATE_SYNTHETIC_CONTROL, 60, 0, 0, 1, 1);
    for (size_t i = 0; i < 60; i++) {
        const double *x = ww_series_set_values(set, i);
        const double rise = mean(x, 42, 60) - mean(x, 0, 18);
        const long kind = ww_series_set_class(set, i);
        ck_assert_double_eq_tol(x[0], 30.0, kind == 1 ? 21.0 : 6.01);
        ck_assert(kind == 2 || kind == 4 ? rise > 4 : kind == 3 || kind == 5 ? rise < -4 : fabs(rise) < 12);
    }
    ww_series_set_destroy(&set);

    set = generate(WW_GENERATE_TWO_PATTERNS, 40, 0, 0, 1, 1);
    for (size_t i = 0; i < 40; i++) {
        const double *x = ww_series_set_values(set, i);
        int steps = 0;
        double heights[4] = {0};
        for (size_t t = 0; t < 128; t++)
            if (fabs(x[t]) == 5.0 && (t == 0 || x[t] != x[t - 1]) && steps < 4)
                heights[steps++] = x[t];
        const long kind = ww_series_set_class(set, i);
        ck_assert(heights[0] == (kind & 2 ? 5.0 : -5.0));
        // Two steps that touch share a level.
        ck_assert(steps >= 3 && heights[steps - 1] == (kind & 1 ? -5.0 : 5.0));
    }
    ww_series_set_destroy(&set);

    set = generate(WW_GENERATE_SINE, 4, 400, 0, 1, 1);
    for (size_t i = 0; i < 4; i++)
        for (size_t t = 0; t < 400; t++)
            ck_assert(fabs(ww_series_set_values(set, i)[t]) < 1.7);
    ck_assert_ptr_null(ww_series_set_label(set, 0));
    ww_series_set_destroy(&set);
}
END_TEST

// Before anything is generated.
START_TEST(what_does_not_fit_the_memory_is_refused) {
    ww_generate_options o = WW_GENERATE_OPTIONS_INIT;
    ww_series_set *set = NULL;
    o.count = (size_t)1 << 41;
    ck_assert_int_eq(ww_series_set_generate(WW_GENERATE_CBF, &o, &set), WW_ERROR_OUT_OF_MEMORY);
    ck_assert_ptr_null(set);
}
END_TEST

START_TEST(bad_arguments_are_refused) {
    unsigned kind;
    ww_series_set *set = NULL;
    ck_assert_int_eq(ww_word_parse(WW_WORD_GENERATOR, "two-patterns", &kind), WW_OK);
    ck_assert_int_eq(kind, WW_GENERATE_TWO_PATTERNS);
    ck_assert_int_eq(ww_word_parse(WW_WORD_GENERATOR, "none", &kind), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_word_parse(WW_WORD_GENERATOR, NULL, &kind), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_generate((ww_generator)99, NULL, &set), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_generate(WW_GENERATE_CBF, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_generate_options options = WW_GENERATE_OPTIONS_INIT;
    options.count = 0;
    ck_assert_int_eq(ww_series_set_generate(WW_GENERATE_CBF, &options, &set), WW_ERROR_INVALID_ARGUMENT);
    options.count = 1;
    options.length = 10;
    options.max_length = 9;
    ck_assert_int_eq(ww_series_set_generate(WW_GENERATE_CBF, &options, &set), WW_ERROR_INVALID_ARGUMENT);
    options.max_length = SIZE_MAX;
    ck_assert_int_eq(ww_series_set_generate(WW_GENERATE_CBF, &options, &set), WW_ERROR_OVERFLOW);
    options.max_length = 10;
    options.count = SIZE_MAX / 2;
    ck_assert_int_eq(ww_series_set_generate(WW_GENERATE_CBF, &options, &set), WW_ERROR_OVERFLOW);
    ck_assert_ptr_null(set);
}
END_TEST

static int stop(void *user) {
    (void)user;
    return 1;
}

START_TEST(interrupts) {
    ww_series_set *set = NULL;
    ww_thread_set_interrupt(stop, NULL);
    ck_assert_int_eq(ww_series_set_generate((ww_generator)_i, NULL, &set), WW_ERROR_CANCELLED);
    ck_assert_ptr_null(set);
    ww_thread_set_interrupt(NULL, NULL);
    set = generate((ww_generator)_i, 2, 0, 0, 1, 1);
    ww_series_set_destroy(&set);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("generate");
    TCase *tcase = wwt_case(suite, "generate", 20);
    tcase_add_loop_test(tcase, the_bits_are_pinned, WW_GENERATE_CBF, WW_GENERATE_SINE + 1);
    tcase_add_loop_test(tcase, a_larger_set_starts_with_the_smaller, WW_GENERATE_CBF, WW_GENERATE_SINE + 1);
    tcase_add_loop_test(tcase, every_length_from_1, WW_GENERATE_CBF, WW_GENERATE_SINE + 1);
    tcase_add_loop_test(tcase, interrupts, WW_GENERATE_CBF, WW_GENERATE_SINE + 1);
    tcase_add_test(tcase, normal_numbers_are_normal);
    tcase_add_test(tcase, classes_have_their_shapes);
    tcase_add_test(tcase, what_does_not_fit_the_memory_is_refused);
    tcase_add_test(tcase, bad_arguments_are_refused);
    return wwt_run(suite);
}
