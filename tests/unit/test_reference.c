// SPDX-License-Identifier: Apache-2.0
// The reference itself: against all paths, against its own full matrix, against published values.
#include <math.h>
#include <stdio.h>

#include "check_main.h"
#include "measure/measure_table.h"
#include "reference/choices.h"
#include "reference/reference.h"
#include "vectors/vector_measure.h"

enum { LONGEST = 6, CHANNELS = 2 };

static unsigned long long random_state;

// Small whole numbers and halves: sums are exact, ties frequent.
static double random_value(void) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(long long)(random_state >> 60) / 2.0 - 4.0;
}

static double lopsided(double x, double y) {
    return x > y ? 2.0 * (x - y) : y - x;
}

static void check_all_ways(const wwr_series *x, const wwr_series *y, const wwr_options *options) {
    double matrix[(LONGEST + 1) * (LONGEST + 1)];
    double value = wwr_dtw(x, y, options);
    ck_assert_double_eq_tol(value, wwr_dtw_all_paths(x, y, options), 1e-12);
    ck_assert_double_eq(value, wwr_dtw_matrix(x, y, options, matrix));
    ck_assert_double_eq(value, matrix[x->length * (y->length + 1) + y->length]);
    value = wwr_frechet(x, y, options);
    ck_assert_double_eq(value, wwr_frechet_all_paths(x, y, options));
    ck_assert_double_eq(value, wwr_frechet_matrix(x, y, options, matrix));
}

// Every pair of lengths, every cost, with and without a band.
START_TEST(every_path) {
    double values[2][LONGEST * CHANNELS];
    for (size_t i = 0; i < LONGEST * CHANNELS; i++) {
        values[0][i] = random_value();
        values[1][i] = random_value();
    }
    for (size_t n = 1; n <= LONGEST; n++)
        for (size_t m = 1; m <= LONGEST; m++)
            for (int cost = WW_COST_SQUARED; cost <= WW_COST_USER; cost++) {
                wwr_series x = {values[0], n, CHANNELS}, y = {values[1], m, CHANNELS};
                wwr_options options = {(ww_cost)cost, lopsided, 0, 0, NULL, NULL};
                check_all_ways(&x, &y, &options);
                size_t lo[LONGEST], hi[LONGEST];
                ww_band corner = {.kind = WW_BAND_CORNER, .width = 1.0};
                ck_assert_int_eq(ww_band_rows(&corner, n, m, lo, hi), WW_OK);
                options.lo = lo;
                options.hi = hi;
                check_all_ways(&x, &y, &options);
            }
}
END_TEST

// Measures with open ends, soft or as they are, on every pair of short lengths.
START_TEST(every_path_of_choices) {
    enum { SHORT = 5, RELAX = 6, GAMMAS = 3 };
    static const size_t relaxations[RELAX][4] = {{0, 0, 0, 0}, {1, 0, 0, 2},        {0, 2, 1, 0},
                                                 {1, 1, 1, 1}, {0, 0, 9, SIZE_MAX}, {9, 9, 9, 9}};
    static const double gammas[GAMMAS] = {0.0, 0.5, 20.0};
    size_t tried = 0;
    double values[2][SHORT * CHANNELS];
    for (size_t i = 0; i < SHORT * CHANNELS; i++) {
        values[0][i] = random_value();
        values[1][i] = random_value();
    }
    for (size_t k = 0; k < ww_measure_count() * RELAX * GAMMAS * 3; k++) {
        const size_t *relax = relaxations[k / 3 % RELAX];
        ww_measure measure;
        ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, ww_measure_info_at(k / (3 * RELAX * GAMMAS))->id),
                         WW_OK);
        const ww_measure_info *info = ww_measure_info_by_id(measure.id);
        measure.relax_begin_x = relax[0];
        measure.relax_end_x = relax[1];
        measure.relax_begin_y = relax[2];
        measure.relax_end_y = relax[3];
        measure.gamma = gammas[k / (3 * RELAX) % GAMMAS];
        if (k % 3)
            measure.band = (ww_band){.kind = k % 3 == 1 ? WW_BAND_CORNER : WW_BAND_SAKOE_CHIBA, .width = 1.0};
        if (measure.id == WW_USER || wwi_measure_check(&measure) != WW_OK ||
            !(info->has_open_ends || info->has_soft_minimum))
            continue;
        for (size_t n = 1; n <= SHORT; n++)
            for (size_t m = 1; m <= SHORT; m++) {
                wwr_series x = {values[0], n, CHANNELS}, y = {values[1], m, CHANNELS};
                const double value = wwr_choice(&measure, NULL, &x, NULL, &y, NULL);
                if (isinf(value)) { // outside the band
                    ck_assert(isinf(wwr_choice_all_paths(&measure, &x, &y)));
                    continue;
                }
                ck_assert_double_eq_tol(value, wwr_choice_all_paths(&measure, &x, &y), 1e-9 * (1 + fabs(value)));
                // The other reference knows closed ends and the hard minimum; derivatives are not taken here.
                const int derived = measure.id == WW_DDTW || measure.id == WW_WDDTW;
                if (!derived && !wwi_measure_is_open(&measure) && !wwi_measure_is_soft(&measure))
                    ck_assert_double_eq_tol(value, wwr_distance(&measure, NULL, &x, &y), 1e-9 * (1 + fabs(value)));
                tried++;
            }
    }
    ck_assert_uint_gt(tried, 3000);
}
END_TEST

START_TEST(no_path_is_infinity) {
    const double values[] = {1, 2, 3, 4};
    const size_t lo[] = {0, 0, 3, 3}, hi[] = {2, 1, 4, 4}; // row 2 begins two columns after row 1 ends
    wwr_series x = {values, 4, 1};
    wwr_options options = {WW_COST_SQUARED, NULL, 0, 0, lo, hi};
    ck_assert_double_infinite(wwr_dtw(&x, &x, &options));
    ck_assert_double_infinite(wwr_frechet(&x, &x, &options));
    ck_assert_double_infinite(wwr_dtw_all_paths(&x, &x, &options));
}
END_TEST

START_TEST(independent_is_the_sum_over_channels) {
    const double x_values[] = {1, 5, 2, 0, -3, 4}, y_values[] = {2, 2, 1, 1, 7, 0, -2, 3};
    wwr_series x = {x_values, 3, 2}, y = {y_values, 4, 2};
    for (int root = 0; root <= 1; root++) {
        wwr_options options = {WW_COST_SQUARED, NULL, root, 1, NULL, NULL};
        double sum = 0.0, largest_sum = 0.0;
        for (size_t c = 0; c < 2; c++) {
            wwr_series xc = {x_values + 3 * c, 3, 1}, yc = {y_values + 4 * c, 4, 1};
            sum += wwr_dtw(&xc, &yc, &options);
            largest_sum += wwr_frechet(&xc, &yc, &options);
        }
        ck_assert_double_eq(wwr_dtw(&x, &y, &options), sum);
        ck_assert_double_eq(wwr_frechet(&x, &y, &options), largest_sum);
    }
}
END_TEST

// Published numbers are rounded, to five significant digits at worst; `precise` is not.
START_TEST(published) {
    size_t tested = 0;
    for (size_t v = 0; v < ELASTIC_VECTOR_COUNT; v++) {
        const elastic_vector *vector = &elastic_vectors[v];
        ww_measure measure;
        if (!vector_measure(vector, &measure))
            continue;
        wwr_series x = {vector->x, vector->n, vector->channels}, y = {vector->y, vector->m, vector->channels};
        double times[64];

        for (size_t t = 0; t < 64; t++)
            times[t] = (double)t;
        const double *given = vector_times_from_zero(vector) ? times : NULL;
        double value = wwr_distance_timed(&measure, NULL, &x, given, &y, given);
        if (vector_is_divergence(vector))
            value -= (wwr_distance(&measure, NULL, &x, &x) + wwr_distance(&measure, NULL, &y, &y)) / 2;
        ck_assert_msg(fabs(value - vector->precise) <= 1e-9 * fabs(vector->precise), "%s: %.17g, not %.17g",
                      vector->name, value, vector->precise);
        ck_assert_msg(fabs(value - vector->expected) <= 1e-4 * fabs(vector->expected), "%s: %.17g, published %.17g",
                      vector->name, value, vector->expected);
        tested++;
    }
    ck_assert_uint_eq(ELASTIC_VECTOR_COUNT, 74);
    ck_assert_uint_eq(tested, ELASTIC_VECTOR_COUNT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reference");
    TCase *tcase = wwt_case(suite, "reference", 20);
    tcase_add_test(tcase, every_path);
    tcase_add_test(tcase, every_path_of_choices);
    tcase_add_test(tcase, no_path_is_infinity);
    tcase_add_test(tcase, independent_is_the_sum_over_channels);
    tcase_add_test(tcase, published);
    return wwt_run(suite);
}
