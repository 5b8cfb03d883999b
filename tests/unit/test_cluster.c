// SPDX-License-Identifier: Apache-2.0
// Clusters from matrices: medoids against all exchanges, merges against the definition of each linkage, cuts,
// silhouettes and agreement by hand.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/cluster.h>

#include "check_main.h"

enum { MOST = 24 };

static uint32_t seed;
static double uniform(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 24);
}

static double square[MOST][MOST], condensed[MOST * MOST];

static void condense(size_t n) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            condensed[at++] = square[i][j];
}

// Distances of points in the plane; with `ties`, rounded so that many are equal.
static void make(size_t n, bool ties) {
    double x[MOST], y[MOST];
    for (size_t i = 0; i < n; i++) {
        x[i] = 8 * uniform();
        y[i] = 8 * uniform();
        for (size_t j = 0; j <= i; j++) {
            const double d = hypot(x[i] - x[j], y[i] - y[j]);
            square[i][j] = square[j][i] = ties ? round(d) : d;
        }
    }
    condense(n);
}

static double cost_of(size_t n, const size_t *medoids, size_t k) {
    double cost = 0;
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY;
        for (size_t m = 0; m < k; m++)
            least = fmin(least, medoids[m] == i ? 0 : square[i][medoids[m]]);
        cost += least;
    }
    return cost;
}

START_TEST(medoids_are_a_local_minimum) {
    for (seed = 1; seed <= 40; seed++) {
        const size_t n = 2 + seed % (MOST - 1), k = 1 + seed % (n < 5 ? n : 5);
        int64_t labels[MOST];
        size_t medoids[MOST];
        ww_medoids_info info = WW_MEDOIDS_INFO_INIT;
        make(n, seed % 3 == 0);
        ck_assert_int_eq(ww_cluster_medoids(condensed, WW_DOUBLE, n, k, NULL, labels, medoids, &info), WW_OK);
        ck_assert_double_eq_tol(info.cost, cost_of(n, medoids, k), 1e-12);
        ck_assert(info.converged && info.cost <= info.first_cost + 1e-12);
        for (size_t m = 0; m < k; m++)
            ck_assert_int_eq(labels[medoids[m]], (int64_t)m);
        int64_t found = 0; // numbered by first items
        for (size_t i = 0; i < n; i++) {
            ck_assert_int_le(labels[i], found);
            found += labels[i] == found;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t m = 0; m < k; m++)
                ck_assert(i == medoids[labels[i]] || square[i][medoids[labels[i]]] <= square[i][medoids[m]]);
        for (size_t m = 0; m < k; m++) // no exchange is better
            for (size_t c = 0; c < n; c++) {
                size_t other[MOST];
                memcpy(other, medoids, sizeof other);
                other[m] = c;
                ck_assert_double_ge(cost_of(n, other, k), info.cost - 1e-9);
            }
    }
}
END_TEST

START_TEST(medoids_of_groups) {
    // Three groups of four on a line, float distances, one exchange allowed.
    const double at[12] = {0, 1, 2, 3, 100, 101, 102, 103, 1000, 1001, 1002, 1003};
    float values[66];
    int64_t labels[12];
    size_t medoids[12], n = 0;
    for (size_t i = 0; i < 12; i++)
        for (size_t j = i + 1; j < 12; j++)
            values[n++] = (float)(at[j] - at[i]);
    ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
    ck_assert_int_eq(ww_cluster_medoids(values, WW_FLOAT, 12, 3, &options, labels, medoids, NULL), WW_OK);
    for (size_t i = 0; i < 12; i++)
        ck_assert_int_eq(labels[i], (int64_t)(i / 4));
    ck_assert_int_eq(ww_cluster_medoids(values, WW_FLOAT, 12, 12, &options, labels, medoids, NULL), WW_OK);
    for (size_t i = 0; i < 12; i++)
        ck_assert_int_eq(labels[i], (int64_t)i);
}
END_TEST

// ---- merges

static double linkage_of(ww_linkage linkage, const int64_t *labels, size_t n, int64_t a, int64_t b) {
    double least = INFINITY, most = 0, sum = 0, pairs = 0, inside[3] = {0, 0, 0}, size[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        size[0] += labels[i] == a;
        size[1] += labels[i] == b;
        for (size_t j = 0; j < n; j++) {
            const double d = square[i][j];
            if (labels[i] == a && labels[j] == b) {
                least = fmin(least, d);
                most = fmax(most, d);
                sum += d;
                pairs++;
            }
            if (labels[i] == a && labels[j] == a)
                inside[0] += d * d / 2;
            if (labels[i] == b && labels[j] == b)
                inside[1] += d * d / 2;
            if ((labels[i] == a || labels[i] == b) && (labels[j] == a || labels[j] == b))
                inside[2] += d * d / 2;
        }
    }
    switch (linkage) {
    case WW_LINKAGE_SINGLE:
        return least;
    case WW_LINKAGE_COMPLETE:
        return most;
    case WW_LINKAGE_AVERAGE:
        return sum / pairs;
    default: // twice the growth of the sum of squares, which is the sum of squared distances over the size
        return sqrt(2 * (inside[2] / (size[0] + size[1]) - inside[0] / size[0] - inside[1] / size[1]));
    }
}

START_TEST(merges_follow_the_linkage) {
    const ww_linkage linkage = (ww_linkage)_i;
    for (seed = 1; seed <= 12; seed++) {
        const size_t n = 2 + (seed * 7) % (MOST - 1);
        int64_t labels[MOST], name[MOST];
        ww_merge merges[MOST];
        make(n, false);
        ck_assert_int_eq(ww_cluster_agglomerate(condensed, WW_DOUBLE, n, linkage, NULL, merges), WW_OK);
        for (size_t i = 0; i < n; i++)
            labels[i] = name[i] = (int64_t)i;
        for (size_t m = 0; m + 1 < n; m++) {
            // By definition: the two nearest of all clusters that are left.
            double least = INFINITY;
            int64_t a = -1, b = -1, size = 0;
            for (size_t i = 0; i < n; i++)
                for (size_t j = i + 1; j < n; j++)
                    if (labels[i] != labels[j]) {
                        const double d = linkage_of(linkage, labels, n, labels[i], labels[j]);
                        if (d < least - 1e-12) {
                            least = d;
                            a = labels[i];
                            b = labels[j];
                        }
                    }
            ck_assert_double_eq_tol(merges[m].distance, least, 1e-9);
            ck_assert_int_eq(merges[m].left, name[a] < name[b] ? name[a] : name[b]);
            ck_assert_int_eq(merges[m].right, name[a] < name[b] ? name[b] : name[a]);
            for (size_t i = 0; i < n; i++) {
                labels[i] = labels[i] == b ? a : labels[i];
                size += labels[i] == a;
            }
            ck_assert_int_eq(merges[m].size, size);
            name[a] = (int64_t)(n + m);
            // The cut into this many clusters is the same partition.
            int64_t cut[MOST];
            size_t clusters;
            ck_assert_int_eq(ww_cluster_cut(merges, n, INFINITY, n - 1 - m, cut, &clusters), WW_OK);
            ck_assert_uint_eq(clusters, n - 1 - m);
            ck_assert_int_eq(cut[0], 0);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    ck_assert((labels[i] == labels[j]) == (cut[i] == cut[j]));
            ck_assert_int_eq(ww_cluster_cut(merges, n, merges[m].distance, 1, cut, &clusters), WW_OK);
            ck_assert_uint_eq(clusters, n - 1 - m);
        }
    }
}
END_TEST

// A power of two scales the heights of a tree, exactly, also where squares and sums are no numbers.
START_TEST(merges_at_any_scale) {
    static const int exponents[] = {-1000, -600, 300, 600, 1018};
    const size_t n = 20;
    ww_merge merges[MOST], scaled[MOST];
    seed = 77;
    make(n, false);
    for (size_t p = 0; p < n * (n - 1) / 2; p++)
        condensed[p] /= 12; // below 1
    ck_assert_int_eq(ww_cluster_agglomerate(condensed, WW_DOUBLE, n, (ww_linkage)_i, NULL, merges), WW_OK);
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        double far[MOST * MOST];
        for (size_t p = 0; p < n * (n - 1) / 2; p++)
            far[p] = ldexp(condensed[p], exponents[e]);
        ck_assert_int_eq(ww_cluster_agglomerate(far, WW_DOUBLE, n, (ww_linkage)_i, NULL, scaled), WW_OK);
        for (size_t m = 0; m + 1 < n; m++) {
            ck_assert_int_eq(scaled[m].left, merges[m].left);
            ck_assert_int_eq(scaled[m].right, merges[m].right);
            ck_assert_int_eq(scaled[m].size, merges[m].size);
            ck_assert(fabs(ldexp(scaled[m].distance, -exponents[e]) - merges[m].distance) < 1e-15);
        }
    }
}
END_TEST

START_TEST(equal_distances_merge_in_order) {
    const double equal[6] = {1, 1, 1, 1, 1, 1};
    ww_merge merges[3];
    for (int linkage = 0; linkage < 4; linkage++) {
        ck_assert_int_eq(ww_cluster_agglomerate(equal, WW_DOUBLE, 4, (ww_linkage)linkage, NULL, merges), WW_OK);
        for (int m = 1; m < 3; m++)
            ck_assert(merges[m].distance >= merges[m - 1].distance && merges[m].left < merges[m].right);
        ck_assert_int_eq(merges[2].size, 4);
    }
}
END_TEST

// ---- quality

START_TEST(silhouettes) {
    const double line[6] = {1, 10, 11, 9, 10, 1}; // points at 0, 1, 10, 11
    const int64_t labels[4] = {0, 0, 1, 1}, one[4] = {0, 0, 0, 0}, alone[4] = {0, 1, 1, 1};
    double each[4], mean;
    ck_assert_int_eq(ww_cluster_silhouette(line, WW_DOUBLE, 4, labels, each, &mean), WW_OK);
    ck_assert_double_eq_tol(each[0], (10.5 - 1) / 10.5, 1e-15);
    ck_assert_double_eq_tol(each[1], (9.5 - 1) / 9.5, 1e-15);
    ck_assert_double_eq_tol(mean, (each[0] + each[1]) / 2, 1e-15);
    ck_assert_int_eq(ww_cluster_silhouette(line, WW_DOUBLE, 4, one, each, &mean), WW_OK);
    ck_assert_double_eq(mean, 0);
    ck_assert_int_eq(ww_cluster_silhouette(line, WW_DOUBLE, 4, alone, each, &mean), WW_OK);
    ck_assert_double_eq(each[0], 0);
    ck_assert_double_eq_tol(each[1], (1 - 9.5) / 9.5, 1e-15);
}
END_TEST

static int stop_asking(void *user) {
    (void)user;
    return 1;
}

START_TEST(interrupts) {
    const double line[6] = {1, 10, 11, 9, 10, 1};
    const int64_t labels[4] = {0, 0, 1, 1};
    double mean;
    ww_thread_set_interrupt(stop_asking, NULL);
    ck_assert_int_eq(ww_cluster_silhouette(line, WW_DOUBLE, 4, labels, NULL, &mean), WW_ERROR_CANCELLED);
    ww_thread_set_interrupt(NULL, NULL);
    ck_assert_int_eq(ww_cluster_silhouette(line, WW_DOUBLE, 4, labels, NULL, &mean), WW_OK);
}
END_TEST

START_TEST(agreement) {
    const int64_t a[6] = {0, 0, 0, 1, 1, 1}, same[6] = {5, 5, 5, 2, 2, 2}, b[6] = {0, 0, 1, 1, 2, 2};
    const int64_t partly[6] = {0, 0, -1, 1, -2, 1};
    double index;
    ck_assert_int_eq(ww_cluster_agreement(a, same, 6, &index), WW_OK);
    ck_assert_double_eq(index, 1);
    // 2 pairs in both, 6 and 3 in each, of 15: (2 - 18/15) / (4.5 - 18/15)
    ck_assert_int_eq(ww_cluster_agreement(a, b, 6, &index), WW_OK);
    ck_assert_double_eq_tol(index, 0.8 / 3.3, 1e-15);
    ck_assert_int_eq(ww_cluster_agreement(partly, a, 6, &index), WW_OK);
    ck_assert_double_eq(index, 1);
    ck_assert_int_eq(ww_cluster_agreement(partly, a, 1, &index), WW_ERROR_EMPTY);
}
END_TEST

static int stop(void *user, uint64_t done, uint64_t total) {
    ck_assert_uint_le(done, total);
    return ++*(int *)user >= 2;
}

START_TEST(refusals) {
    double values[3] = {1, 2, 3};
    int64_t labels[3];
    size_t medoids[3];
    ww_merge merges[2];
    double mean;
#define MEDOIDS(n, k) ww_cluster_medoids(values, WW_DOUBLE, n, k, NULL, labels, medoids, NULL)
#define MERGE(linkage) ww_cluster_agglomerate(values, WW_DOUBLE, 3, linkage, NULL, merges)
    ck_assert_int_eq(MEDOIDS(0, 1), WW_ERROR_EMPTY);
    ck_assert_int_eq(MEDOIDS(3, 0), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(MEDOIDS(3, 4), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(MEDOIDS(SIZE_MAX / 2, 1), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(MEDOIDS(1, 1), WW_OK);
    ck_assert_int_eq(MERGE((ww_linkage)9), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_cluster_agglomerate(NULL, WW_DOUBLE, 1, WW_LINKAGE_WARD, NULL, NULL), WW_OK);
    ck_assert_int_eq(MERGE(WW_LINKAGE_WARD), WW_OK);
    merges[0].right = 7;
    ck_assert_int_eq(ww_cluster_cut(merges, 3, INFINITY, 1, labels, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_cluster_cut(merges, 3, NAN, 1, labels, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_cluster_cut(merges, 3, 1, 4, labels, NULL), WW_ERROR_INVALID_ARGUMENT);
    const int64_t largest[3] = {0, INT64_MAX, 0};
    ck_assert_int_eq(ww_cluster_silhouette(values, WW_DOUBLE, 3, largest, NULL, &mean), WW_ERROR_INVALID_ARGUMENT);
    values[1] = -2;
    ck_assert_int_eq(MERGE(WW_LINKAGE_WARD), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(MERGE(WW_LINKAGE_AVERAGE), WW_OK);
    labels[0] = labels[1] = labels[2] = 0;
    ck_assert_int_eq(ww_cluster_silhouette(values, WW_DOUBLE, 3, labels, NULL, &mean), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(MEDOIDS(3, 2), WW_OK);
    values[1] = INFINITY;
    ck_assert_int_eq(MERGE(WW_LINKAGE_SINGLE), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(MEDOIDS(3, 2), WW_ERROR_NOT_FINITE);

    int calls = 0;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
    options.run = &run;
    run.progress = stop;
    run.progress_user = &calls;
    make(MOST, false);
    ww_merge many[MOST];
    int64_t numbers[MOST];
    size_t centres[MOST];
    ck_assert_int_eq(ww_cluster_agglomerate(condensed, WW_DOUBLE, MOST, WW_LINKAGE_SINGLE, &run, many),
                     WW_ERROR_CANCELLED);
    calls = 0;
    ck_assert_int_eq(ww_cluster_medoids(condensed, WW_DOUBLE, MOST, 3, &options, numbers, centres, NULL),
                     WW_ERROR_CANCELLED);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cluster");
    TCase *tcase = wwt_case(suite, "cluster", 20);
    tcase_add_test(tcase, medoids_are_a_local_minimum);
    tcase_add_test(tcase, medoids_of_groups);
    tcase_add_loop_test(tcase, merges_follow_the_linkage, 0, 4);
    tcase_add_loop_test(tcase, merges_at_any_scale, 0, 4);
    tcase_add_test(tcase, equal_distances_merge_in_order);
    tcase_add_test(tcase, silhouettes);
    tcase_add_test(tcase, interrupts);
    tcase_add_test(tcase, agreement);
    tcase_add_test(tcase, refusals);
    return wwt_run(suite);
}
