// SPDX-License-Identifier: Apache-2.0
// Collision probabilities against integrals of their definitions; recall.
#include <math.h>
#include <stdbool.h>
#include <wavewarp/lsh.h>

#include "check_main.h"

static const double pi = 3.14159265358979323846;

static double half_gauss(double x) {
    return sqrt(2 / pi) * exp(-x * x / 2);
}

static double half_cauchy(double x) {
    return 2 / (pi * (1 + x * x));
}

// Two projections lie |X| d apart, X of this density; a border of segments of the width falls between them with
// probability |X| d / width. Simpson's rule over the values of |X| at which they may share a segment.
static double integral(double (*density)(double), double distance, double width) {
    enum { STEPS = 20000 };
    const double end = width / distance, h = end / STEPS;
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        const double x = i * h;
        sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * density(x) * (1 - x * distance / width);
    }
    return sum * h / 3;
}

START_TEST(segments) {
    for (double distance = 0.05; distance < 40; distance *= 1.7)
        for (double width = 0.1; width < 10; width *= 2.3) {
            const double gauss = integral(half_gauss, distance, width), cauchy = integral(half_cauchy, distance, width);
            ck_assert_double_eq_tol(ww_lsh_collision(WW_METRIC_L2, distance, width, 0), gauss, 1e-7);
            ck_assert_double_eq_tol(ww_lsh_collision(WW_METRIC_L2_SQUARED, distance * distance, width, 0), gauss, 1e-7);
            ck_assert_double_eq_tol(ww_lsh_collision(WW_METRIC_L1, distance, width, 0), cauchy, 1e-7);
        }
}
END_TEST

START_TEST(the_others) {
    for (int i = 0; i <= 16; i++) {
        const double angle = pi * i / 16;
        ck_assert_double_eq_tol(ww_lsh_collision(WW_METRIC_COSINE, 1 - cos(angle), 0, 0), 1 - angle / pi, 1e-12);
        ck_assert_double_eq_tol(ww_lsh_collision(WW_METRIC_HAMMING, i, 0, 16), 1 - i / 16.0, 1e-15);
        ck_assert_double_eq_tol(ww_lsh_collision(WW_METRIC_JACCARD, i / 16.0, 0, 0), 1 - i / 16.0, 1e-15);
    }
    static const ww_metric with[] = {WW_METRIC_L2, WW_METRIC_L2_SQUARED, WW_METRIC_L1, WW_METRIC_COSINE,
                                     WW_METRIC_JACCARD};
    for (size_t m = 0; m < sizeof with / sizeof *with; m++) {
        double last = 1;
        ck_assert_double_eq(ww_lsh_collision(with[m], 0, 1, 8), 1);
        for (double d = 0.01; d < 3; d += 0.01) {
            const double p = ww_lsh_collision(with[m], d, 1, 8);
            ck_assert(p <= last && p >= 0);
            last = p;
        }
    }
    ck_assert(isnan(ww_lsh_collision(WW_METRIC_LINF, 1, 1, 8)));
    ck_assert(isnan(ww_lsh_collision(WW_METRIC_INNER_PRODUCT, 1, 1, 8)));
    ck_assert(isnan(ww_lsh_collision(WW_METRIC_L2, -1, 1, 8)));
    ck_assert(isnan(ww_lsh_collision(WW_METRIC_L2, (double)NAN, 1, 8)));
    ck_assert(isnan(ww_lsh_collision(WW_METRIC_HAMMING, 1, 1, 0)));
}
END_TEST

START_TEST(recall) {
    const float inf = INFINITY;
    const float exact[] = {1, 2, 2, 3, 4, inf}, all[] = {1, 2, 2, 3, 4, inf};
    const float some[] = {1, 2, 5, 3, inf, inf}, none[] = {9, 9, 9, inf, inf, inf};
    ck_assert_double_eq(ww_knn_recall(exact, all, 2, 3, WW_FLOAT), 1);
    ck_assert_double_eq_tol(ww_knn_recall(exact, some, 2, 3, WW_FLOAT), 3.0 / 5, 1e-15);
    ck_assert_double_eq(ww_knn_recall(exact, none, 2, 3, WW_FLOAT), 0);
    const double wide[] = {0, 1e-3}, near[] = {0, 1e-3 * (1 + 1e-9)};
    ck_assert_double_eq(ww_knn_recall(wide, near, 1, 2, WW_DOUBLE), 0.5);
    ck_assert(isnan(ww_knn_recall(NULL, near, 1, 2, WW_DOUBLE)));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lsh_math");
    TCase *tcase = wwt_case(suite, "lsh_math", 30);
    tcase_add_test(tcase, segments);
    tcase_add_test(tcase, the_others);
    tcase_add_test(tcase, recall);
    return wwt_run(suite);
}
