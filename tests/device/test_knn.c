// SPDX-License-Identifier: Apache-2.0
// Exact nearest neighbours against brute force in double: every metric, filter, precision, order and edge.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reference/knn_reference.h"
#include "support.h"

static const ww_metric number_metrics[] = {WW_METRIC_L2,   WW_METRIC_L2_SQUARED, WW_METRIC_L1,
                                           WW_METRIC_LINF, WW_METRIC_COSINE,     WW_METRIC_INNER_PRODUCT};
enum { NUMBER_METRICS = sizeof(number_metrics) / sizeof(number_metrics[0]) };

// ---- contexts that force a filter by a tuning file

// In the order of form.filter's numbers; none of them is what a device would choose alone in all of its parts.
enum { NARROW, WIDE, VECTOR, TENSOR, TUNINGS };
static const char *const tunings[TUNINGS] = {"default form.filter 1\ndefault knn.row_group 64\ndefault knn.group 64\n",
                                             "default form.filter 2\ndefault select.group 64\n",
                                             "default form.filter 3\n",
                                             "default form.filter 4\ndefault knn.row_group 64\n"};
static const char *const filter_names[TUNINGS] = {"narrow", "wide", "vector", "tensor"};

// ---- points

typedef struct cloud {
    size_t count, dimension;
    double *values;
} cloud;

// Whole numbers from -spread to spread: distances are exact in float, and many are equal.
static cloud lattice(size_t count, size_t dimension, int spread) {
    cloud c = {count, dimension, malloc(count * dimension * sizeof(double))};
    for (size_t i = 0; i < count * dimension; i++)
        c.values[i] = floor((wwt_random() + 1) * 0.5 * (2 * spread + 1)) - spread;
    return c;
}

static cloud uniform(size_t count, size_t dimension, double offset) {
    cloud c = {count, dimension, malloc(count * dimension * sizeof(double))};
    for (size_t i = 0; i < count * dimension; i++)
        c.values[i] = (double)(float)(wwt_random() + offset);
    return c;
}

static ww_points *upload(ww_context *context, const cloud *c, ww_precision precision, bool columns,
                         uint64_t max_bytes) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    double *turned = malloc(c->count * c->dimension * sizeof(double));
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->dimension; j++)
            turned[columns ? j * c->count + i : i * c->dimension + j] = c->values[i * c->dimension + j];
    view.values = turned;
    view.precision = WW_DOUBLE;
    view.count = c->count;
    view.dimension = c->dimension;
    view.column_order = columns;
    options.precision = precision;
    options.max_bytes = max_bytes;
    wwt_ok(ww_points_create(context, &view, &options, &points));
    free(turned);
    return points;
}

typedef struct search_case {
    ww_metric metric;
    ww_precision precision;
    size_t k;
    bool columns;
    uint64_t points_bytes, scratch_bytes;
    bool exact;         // ids must agree, not distances alone
    const char *filter; // that must have served; NULL: any
} search_case;

static void check_query(const search_case *s, const double *distances, size_t count, size_t own, size_t query,
                        const int64_t *ids, const void *got, size_t found) {
    int64_t *wanted_ids = malloc(s->k * sizeof *wanted_ids);
    double *wanted = malloc(s->k * sizeof *wanted);
    wwr_k_smallest(distances, count, own, s->k, wanted_ids, wanted);
    const size_t there = count - (own < count);
    ck_assert_uint_eq(found, there < s->k ? there : s->k);
    for (size_t i = 0; i < s->k; i++) {
        const double value = wwt_value(got, s->precision, i);
        if (i >= found) {
            ck_assert_int_eq(ids[i], -1);
            ck_assert(isinf(value) && value > 0);
            continue;
        }
        // Squares and products err by their terms, which are at most a few here.
        const double allowed = (s->precision == WW_DOUBLE ? 1e-13 : 5e-5) * (1 + fabs(wanted[i]));
        // Check's own assertions cost too much to be made a million times.
        const bool valid = ids[i] >= 0 && (size_t)ids[i] < count && (size_t)ids[i] != own;
        if (!valid || !(fabs(value - wanted[i]) <= allowed && fabs(distances[ids[i]] - value) <= allowed) ||
            (s->exact && ids[i] != wanted_ids[i]))
            ck_abort_msg("%s k %zu query %zu: neighbour %zu is %ld at %.17g, should be %ld at %.17g",
                         ww_word(WW_WORD_METRIC, s->metric), s->k, query, i, (long)ids[i], value, (long)wanted_ids[i],
                         wanted[i]);
        for (size_t j = 0; j < i; j++)
            if (ids[j] == ids[i])
                ck_abort_msg("query %zu: neighbour %ld twice", query, (long)ids[i]);
    }
    free(wanted);
    free(wanted_ids);
}

// Searches and compares all queries; `queries` NULL: the base with itself.
static void check_search(ww_context *context, const search_case *s, const cloud *base, const cloud *queries) {
    const cloud *asked = queries ? queries : base;
    ww_points *b = upload(context, base, s->precision, s->columns, s->points_bytes);
    ww_points *q = queries ? upload(context, queries, s->precision, !s->columns, s->points_bytes) : NULL;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn *knn = NULL;
    int64_t *ids = malloc(asked->count * s->k * sizeof *ids);
    void *distances = wwt_guarded(asked->count * s->k, s->precision);
    uint32_t *found = malloc(asked->count * sizeof *found);
    double *all = malloc(base->count * sizeof *all);
    options.metric = s->metric;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = s->scratch_bytes;
    options.run = &run;
    wwt_ok(ww_knn_create(b, q, s->k, &options, &knn));
    wwt_ok(ww_knn_run(knn, ids, distances, found));
    if (s->filter) {
        ww_knn_info info = WW_KNN_INFO_INIT;
        wwt_ok(ww_knn_get_info(knn, &info));
        ck_assert_str_eq(info.filter, s->filter);
    }
    const size_t size = s->precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
    for (size_t i = 0; i < asked->count; i++) {
        for (size_t c = 0; c < base->count; c++)
            all[c] = wwr_point_distance(s->metric, asked->values + i * base->dimension,
                                        base->values + c * base->dimension, base->dimension);
        check_query(s, all, base->count, queries ? SIZE_MAX : i, i, ids + i * s->k,
                    (const char *)distances + i * s->k * size, found[i]);
    }
    ww_knn_destroy(&knn);
    ck_assert_ptr_null(knn);
    ww_points_destroy(&q);
    ww_points_destroy(&b);
    free(all);
    free(found);
    wwt_guarded_free(distances);
    free(ids);
}

// The order of equal distances is the reference's own where every distance is exact.
static bool is_exact(ww_metric metric) {
    return metric != WW_METRIC_COSINE;
}

// A program is built for each of these, which is what takes the time: every filter with every metric it serves once,
// and of more coordinates and of doubles a part.
typedef struct metric_case {
    int tuning, precision;
    size_t dimension;
    ww_metric metrics[NUMBER_METRICS];
    int count;
} metric_case;
static const metric_case metric_cases[] = {
    {NARROW, WW_FLOAT, 5, {0, 1, 2, 3, 4, 5}, 6},
    {VECTOR, WW_FLOAT, 5, {0, 1, 2, 3, 4, 5}, 6},
    {TENSOR, WW_FLOAT, 5, {WW_METRIC_L2, WW_METRIC_COSINE, WW_METRIC_INNER_PRODUCT}, 3},
    {WIDE, WW_FLOAT, 45, {WW_METRIC_L1, WW_METRIC_L2, WW_METRIC_COSINE}, 3},
    {VECTOR, WW_FLOAT, 77, {WW_METRIC_L1, WW_METRIC_COSINE}, 2},
    {TENSOR, WW_FLOAT, 77, {WW_METRIC_L2_SQUARED, WW_METRIC_COSINE}, 2},
    {NARROW, WW_DOUBLE, 5, {WW_METRIC_L2, WW_METRIC_COSINE}, 2},
    {WIDE, WW_DOUBLE, 5, {WW_METRIC_L2}, 1},
    {VECTOR, WW_DOUBLE, 5, {WW_METRIC_L2, WW_METRIC_LINF}, 2},
    {TENSOR, WW_DOUBLE, 5, {WW_METRIC_L2, WW_METRIC_COSINE, WW_METRIC_INNER_PRODUCT}, 3},
};
enum { METRIC_CASES = sizeof metric_cases / sizeof *metric_cases };

START_TEST(every_metric_and_filter) {
    const metric_case *m = &metric_cases[_i];
    wwt_seed((unsigned)_i);
    if (m->precision >= wwt_precision_count())
        return;
    ww_context *context = wwt_context_tuned(tunings[m->tuning]);
    ww_device_info device = WW_DEVICE_INFO_INIT;
    wwt_ok(ww_context_get_device_info(context, &device));
    if (m->tuning == WIDE && m->precision == WW_DOUBLE && device.type != WW_DEVICE_GPU) {
        ww_context_destroy(&context); // made for GPUs alone; PoCL takes 15 s to compile it
        return;
    }
    // A CPU is slow at what wide does.
    cloud base = lattice(m->tuning == WIDE ? 400 : 1000, m->dimension, 4), queries = lattice(70, m->dimension, 4);
    for (int i = 0; i < m->count; i++) {
        search_case s = {m->metrics[i],           (ww_precision)m->precision, 7, i % 2, 0, 0,
                         is_exact(m->metrics[i]), filter_names[m->tuning]};
        check_search(context, &s, &base, &queries);
        s.k = 3;
        check_search(context, &s, &base, NULL);
    }
    free(queries.values);
    free(base.values);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(shapes_at_the_edges) {
    wwt_seed(11);
    static const size_t counts[] = {1, 2, 63, 64, 65, 127, 128, 129, 300};
    static const size_t ks[] = {1, 2, 5, 64, 130, 300, 1024};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (size_t k = 0; k < sizeof ks / sizeof *ks; k++) {
            cloud base = lattice(counts[n], 1 + n % 3, 9);
            search_case s = {WW_METRIC_L2, WW_FLOAT, ks[k], false, 0, 0, true, NULL};
            check_search(wwt_context, &s, &base, NULL);
            free(base.values);
        }
}
END_TEST

START_TEST(one_dimension_to_many) {
    wwt_seed(12);
    static const size_t dimensions[] = {1, 2, 7, 17, 32, 33, 64, 65, 257};
    for (size_t d = 0; d < sizeof dimensions / sizeof *dimensions; d++) {
        cloud base = uniform(400, dimensions[d], 0), queries = uniform(9, dimensions[d], 0);
        search_case s = {number_metrics[d % NUMBER_METRICS], WW_FLOAT, 5, true, 0, 0, false, NULL};
        check_search(wwt_context, &s, &base, &queries);
        free(queries.values);
        free(base.values);
    }
}
END_TEST

START_TEST(large_k) {
    wwt_seed(13);
    static const int served[] = {WIDE, VECTOR, TENSOR};
    ww_context *context = wwt_context_tuned(tunings[served[_i]]);
    cloud base = lattice(4500, 3, 40), queries = lattice(5, 3, 40);
    search_case s = {WW_METRIC_L2_SQUARED, WW_FLOAT, served[_i] == WIDE ? 3000 : 1024, false, 0, 0, true, NULL};
    check_search(context, &s, &base, &queries);
    free(queries.values);
    free(base.values);
    ww_context_destroy(&context);
}
END_TEST

// All points equal, or few different ones: every list overflows.
START_TEST(duplicates) {
    wwt_seed(14);
    cloud base = lattice(5000, 4, 0), few = lattice(5000, 2, 1);
    for (int m = 0; m < NUMBER_METRICS; m++) {
        search_case s = {number_metrics[m], WW_FLOAT, 6, false, 0, 0, true, NULL};
        cloud some = {3, 4, base.values};
        check_search(wwt_context, &s, &base, &some);
        some = (cloud){20, 2, few.values};
        s.exact = is_exact(number_metrics[m]);
        check_search(wwt_context, &s, &few, &some);
    }
    free(few.values);
    free(base.values);
}
END_TEST

// Nearer and nearer points: what was seen says nothing about what comes.
START_TEST(sorted_against_the_search) {
    cloud base = {9000, 1, malloc(9000 * sizeof(double))}, query = {1, 1, &(double){0}};
    for (size_t i = 0; i < base.count; i++)
        base.values[i] = (double)(base.count - i);
    search_case s = {WW_METRIC_L2, WW_FLOAT, 10, false, 0, 0, true, NULL};
    check_search(wwt_context, &s, &base, &query);
    free(base.values);
}
END_TEST

// Far from the origin the products cancel; results must not suffer.
START_TEST(offset_points) {
    wwt_seed(15);
    for (int p = 0; p < wwt_precision_count(); p++) {
        cloud base = uniform(3000, 6, 1000), queries = uniform(20, 6, 1000);
        search_case s = {WW_METRIC_L2, (ww_precision)p, 5, false, 0, 0, false, NULL};
        check_search(wwt_context, &s, &base, &queries);
        free(queries.values);
        free(base.values);
    }
}
END_TEST

// Blocks of queries, each through a resident base.
START_TEST(blocks_of_queries) {
    wwt_seed(20);
    ww_context *context = wwt_context_tuned(tunings[_i == 0 ? TENSOR : WIDE]);
    cloud base = lattice(700, 6, 5), queries = lattice(900, 6, 5);
    // Enough for the tensor filter's rows of the base and the queries, not for the lists of all queries.
    search_case s = {WW_METRIC_L2, WW_FLOAT, 5, false, 0, 900000, true, filter_names[_i == 0 ? TENSOR : WIDE]};
    check_search(context, &s, &base, &queries);
    free(queries.values);
    free(base.values);
    ww_context_destroy(&context);
}
END_TEST

// Very long and very short points, and both at once: the tensor filter scales them into what a half can hold.
START_TEST(scales) {
    wwt_seed(21);
    ww_context *context = wwt_context_tuned(tunings[TENSOR]);
    static const double sizes[] = {1e-14, 1e-4, 1, 3e4, 1e8};
    cloud base = uniform(600, 6, 0), queries = uniform(20, 6, 0);
    for (size_t i = 0; i < base.count * 6; i++)
        base.values[i] = (double)(float)(base.values[i] * sizes[i / 6 % 5]);
    for (size_t i = 0; i < queries.count * 6; i++)
        queries.values[i] = (double)(float)(queries.values[i] * sizes[i / 6 % 5]);
    static const ww_metric scaled[] = {WW_METRIC_COSINE, WW_METRIC_L2};
    for (int m = 0; m < 2; m++) {
        ww_points *b = upload(context, &base, WW_FLOAT, false, 0), *q = upload(context, &queries, WW_FLOAT, false, 0);
        ww_knn_options options = WW_KNN_OPTIONS_INIT;
        ww_knn *knn = NULL;
        int64_t ids[20 * 5];
        float distances[20 * 5];
        options.metric = scaled[m];
        wwt_ok(ww_knn_create(b, q, 5, &options, &knn));
        wwt_ok(ww_knn_run(knn, ids, distances, NULL));
        for (size_t i = 0; i < queries.count; i++) {
            double all[600], wanted[5];
            int64_t wanted_ids[5];
            for (size_t c = 0; c < base.count; c++)
                all[c] = wwr_point_distance(scaled[m], queries.values + i * 6, base.values + c * 6, 6);
            wwr_k_smallest(all, base.count, SIZE_MAX, 5, wanted_ids, wanted);
            for (size_t j = 0; j < 5; j++)
                ck_assert_double_le(fabs((double)distances[i * 5 + j] - wanted[j]),
                                    m == 0 ? 1e-5 : 1e-5 * wanted[j] + 1e-30);
        }
        ww_knn_destroy(&knn);
        ww_points_destroy(&q);
        ww_points_destroy(&b);
    }
    free(queries.values);
    free(base.values);
    ww_context_destroy(&context);
}
END_TEST

// Rows of any numbers: infinite ones, NaN, both zeros, and more wanted than there are.
START_TEST(selection_alone) {
    wwt_seed(22);
    ww_context *context = wwt_context_tuned(_i == 0 ? "default select.group 1\n" : "default select.group 64\n");
    static const size_t columns[] = {1, 63, 512, 1025, 9000}, ks[] = {1, 100};
    for (size_t n = 0; n < sizeof columns / sizeof *columns; n++)
        for (size_t k = n % 2; k < 2; k++) {
            enum { ROWS = 3 };
            const size_t width = columns[n], total = ROWS * width;
            float *values = malloc(total * sizeof *values), smallest[ROWS * 100];
            double *row = malloc(width * sizeof *row), wanted[100];
            int64_t indices[ROWS * 100], wanted_ids[100];
            for (size_t i = 0; i < total; i++)
                values[i] = (float)floor(wwt_random() * 200);
            values[total - 1] = -INFINITY;
            if (width > 4) {
                values[0] = NAN;
                values[1] = -0.0f;
                values[2] = 0.0f;
                values[3] = INFINITY;
            }
            ww_topk *select = NULL;
            wwt_ok(ww_topk_create(context, ROWS, width, ks[k], NULL, &select));
            wwt_fails(ww_topk_run(select, NULL, indices, smallest), WW_ERROR_INVALID_ARGUMENT);
            wwt_ok(ww_topk_run(select, values, indices, smallest));
            memset(indices, 0x77, sizeof indices);
            wwt_ok(ww_topk_run(select, NULL, indices, smallest));
            for (size_t r = 0; r < ROWS; r++) {
                for (size_t c = 0; c < width; c++)
                    row[c] = (double)values[r * width + c];
                const size_t nan_at = r == 0 && width > 4 ? 0 : SIZE_MAX;
                wwr_k_smallest(row, width, nan_at, ks[k], wanted_ids, wanted);
                for (size_t i = 0; i < ks[k]; i++) {
                    ck_assert_int_eq(indices[r * ks[k] + i], wanted_ids[i]);
                    ck_assert((double)smallest[r * ks[k] + i] == wanted[i]);
                }
            }
            ww_topk_destroy(&select);
            ck_assert_ptr_null(select);
            free(row);
            free(values);
        }
    ww_topk *select = NULL;
    wwt_fails(ww_topk_create(context, 0, 5, 1, NULL, &select), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_topk_create(context, 5, 5, 0, NULL, &select), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_topk_create(context, 5, (size_t)1 << 31, 1, NULL, &select), WW_ERROR_OVERFLOW);
    wwt_fails(ww_topk_create(NULL, 5, 5, 1, NULL, &select), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(select);
    ww_context_destroy(&context);
}
END_TEST

// A far point costs no other query anything: as many pairs are computed as without it.
START_TEST(one_far_point) {
    static const ww_metric products[] = {WW_METRIC_L2, WW_METRIC_INNER_PRODUCT};
    wwt_seed(23);
    ww_context *context = wwt_context_tuned(tunings[_i / 2]);
    cloud base = uniform(3000, 16, 0), queries = uniform(64, 16, 0);
    uint64_t examined[2];
    for (int far = 0; far < 2; far++) {
        ww_points *b, *q = upload(context, &queries, WW_FLOAT, false, 0);
        ww_knn_options options = WW_KNN_OPTIONS_INIT;
        ww_knn_info info = WW_KNN_INFO_INIT;
        ww_knn *knn = NULL;
        int64_t ids[64 * 5];
        options.metric = products[_i % 2];
        for (size_t j = 0; far && j < 16; j++)
            base.values[j] = j % 2 ? 999 : -999;
        b = upload(context, &base, WW_FLOAT, false, 0);
        wwt_ok(ww_knn_create(b, q, 5, &options, &knn));
        wwt_ok(ww_knn_run(knn, ids, NULL, NULL));
        wwt_ok(ww_knn_get_info(knn, &info));
        examined[far] = info.examined;
        ww_knn_destroy(&knn);
        ww_points_destroy(&q);
        ww_points_destroy(&b);
    }
    ck_assert_uint_le(examined[1], examined[0]);
    free(queries.values);
    free(base.values);
    ww_context_destroy(&context);
}
END_TEST

// Points at a scale where what the metric adds up is no number, or has lost all digits, are refused.
START_TEST(odd_scales) {
    static const struct {
        ww_metric metric;
        double size;
        ww_precision precision;
        ww_status status;
    } cases[] = {{WW_METRIC_L2, 1e-25, WW_FLOAT, WW_ERROR_UNSUPPORTED},
                 {WW_METRIC_L2, 1e-25, WW_DOUBLE, WW_OK},
                 {WW_METRIC_L2_SQUARED, 1e-165, WW_DOUBLE, WW_ERROR_UNSUPPORTED},
                 {WW_METRIC_L2, 1e200, WW_DOUBLE, WW_ERROR_OVERFLOW},
                 {WW_METRIC_INNER_PRODUCT, 1e200, WW_DOUBLE, WW_ERROR_OVERFLOW},
                 {WW_METRIC_INNER_PRODUCT, 1e-25, WW_FLOAT, WW_ERROR_UNSUPPORTED},
                 {WW_METRIC_COSINE, 1e-25, WW_FLOAT, WW_ERROR_UNSUPPORTED},
                 {WW_METRIC_COSINE, 1e-100, WW_FLOAT, WW_ERROR_UNSUPPORTED}, // which float has made 0
                 {WW_METRIC_COSINE, 1e200, WW_DOUBLE, WW_ERROR_OVERFLOW},
                 {WW_METRIC_L1, 1e200, WW_DOUBLE, WW_OK},
                 {WW_METRIC_L1, 1e-25, WW_FLOAT, WW_OK},
                 {WW_METRIC_L1, 1e-40, WW_FLOAT, WW_ERROR_UNSUPPORTED},
                 {WW_METRIC_LINF, 1e308, WW_DOUBLE, WW_ERROR_OVERFLOW}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double size = cases[i].size;
        const double values[] = {0, size, 0, 1.7 * size, 0, 1.15 * size, 0, 1.06 * size};
        const ww_point_view view = {.struct_size = sizeof view,
                                    .kind = WW_POINTS_NUMBERS,
                                    .values = values,
                                    .precision = WW_DOUBLE,
                                    .count = 4,
                                    .dimension = 2};
        static const int64_t nearest[] = {3, 2, 3, 0};
        int64_t ids[4];
        if (cases[i].precision == WW_DOUBLE && !wwt_device_has_double())
            continue;
        const ww_status status =
            ww_knn_find(wwt_context, &view, NULL, 1, cases[i].metric, cases[i].precision, ids, NULL);
        ck_assert_msg(status == cases[i].status, "case %zu: %s", i, ww_last_error()->message);
        ck_assert(status != WW_OK || memcmp(ids, nearest, sizeof ids) == 0);
    }
}
END_TEST

START_TEST(zero_vectors_under_cosine) {
    wwt_seed(16);
    cloud base = lattice(300, 3, 1), queries = lattice(10, 3, 1);
    memset(queries.values, 0, 3 * sizeof(double));
    memset(base.values + 9, 0, 3 * sizeof(double));
    search_case s = {WW_METRIC_COSINE, WW_FLOAT, 4, false, 0, 0, false, NULL};
    check_search(wwt_context, &s, &base, &queries);
    free(queries.values);
    free(base.values);
}
END_TEST

START_TEST(streamed_in_blocks) {
    wwt_seed(17);
    ww_context *context = wwt_context_tuned(tunings[_i == 0 ? NARROW : VECTOR]);
    cloud base = lattice(2100, 6, 5), queries = lattice(500, 6, 5);
    // 128 points of 6 floats are 3072 bytes.
    search_case s = {WW_METRIC_L2, WW_FLOAT, 5, _i % 2, 3072 * 3, 300000, true, NULL};
    check_search(context, &s, &base, &queries);
    s.k = 200;
    check_search(context, &s, &base, NULL);
    free(queries.values);
    free(base.values);
    ww_context_destroy(&context);
}
END_TEST

// ---- bits and sets

START_TEST(sets_of_bits) {
    wwt_seed(18);
    ww_context *context = wwt_context_tuned(tunings[_i]);
    static const size_t bit_counts[] = {1, 8, 31, 33, 32, 200, 200, 1300, 1300};
    for (size_t n = 0; n < sizeof bit_counts / sizeof *bit_counts; n++) {
        const size_t width = bit_counts[n], bytes = (width + 7) / 8, count = _i == WIDE ? 200 : 700;
        unsigned char *values = malloc(count * bytes);
        for (size_t i = 0; i < count * bytes; i++)
            values[i] = (unsigned char)wwt_random_size(0, 255); // also behind the last bit
        ww_point_view view = {sizeof view, WW_POINTS_BITS,      values, WW_FLOAT, count, width, 0,
                              NULL,        WW_ELEMENT_PRECISION};
        const ww_metric metric = n % 2 ? WW_METRIC_HAMMING : WW_METRIC_JACCARD_BITS;
        memset(values, 0, 2 * bytes); // two empty sets
        search_case s = {metric, WW_FLOAT, 9, false, 0, 0, metric == WW_METRIC_HAMMING, NULL};
        int64_t *ids = malloc(count * s.k * sizeof *ids);
        float *distances = malloc(count * s.k * sizeof *distances);
        double *all = malloc(count * sizeof *all);
        wwt_ok(ww_knn_find(context, &view, NULL, s.k, s.metric, WW_FLOAT, ids, distances));
        for (size_t q = 0; q < count; q++) {
            for (size_t c = 0; c < count; c++)
                all[c] = (metric == WW_METRIC_HAMMING ? wwr_hamming : wwr_jaccard_bits)(values + q * bytes,
                                                                                        values + c * bytes, width);
            check_query(&s, all, count, q, q, ids + q * s.k, distances + q * s.k, s.k);
        }
        free(all);
        free(distances);
        free(ids);
        free(values);
    }
    ww_context_destroy(&context);
}
END_TEST

START_TEST(jaccard) {
    wwt_seed(19);
    enum { COUNT = 300 };
    uint64_t offsets[COUNT + 1] = {0};
    uint32_t *items = malloc(COUNT * 40 * sizeof *items);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t n = offsets[i];
        for (uint32_t m = 0; m < 40; m++)
            if (wwt_random() > 0.4 && i % 50 != 0)
                items[n++] = m * 1000003u;
        offsets[i + 1] = n;
    }
    ww_point_view view = {sizeof view, WW_POINTS_SETS, items, WW_FLOAT, COUNT, 0, 0, offsets, WW_ELEMENT_PRECISION};
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    options.max_bytes = _i ? 2000 : 0;
    ww_points *points = NULL;
    ww_knn *knn = NULL;
    ww_knn_options knn_options = WW_KNN_OPTIONS_INIT;
    search_case s = {WW_METRIC_JACCARD, WW_FLOAT, 9, false, 0, 0, false, NULL};
    int64_t ids[COUNT * 9];
    float distances[COUNT * 9];
    double all[COUNT];
    knn_options.metric = WW_METRIC_JACCARD;
    wwt_ok(ww_points_create(wwt_context, &view, &options, &points));
    wwt_ok(ww_knn_create(points, NULL, s.k, &knn_options, &knn));
    wwt_ok(ww_knn_run(knn, ids, distances, NULL));
    for (size_t q = 0; q < COUNT; q++) {
        for (size_t c = 0; c < COUNT; c++)
            all[c] = wwr_jaccard(items + offsets[q], offsets[q + 1] - offsets[q], items + offsets[c],
                                 offsets[c + 1] - offsets[c]);
        check_query(&s, all, COUNT, q, q, ids + q * 9, distances + q * 9, 9);
    }
    ww_knn_destroy(&knn);
    ww_points_destroy(&points);
    free(items);
}
END_TEST

// ---- refusals, progress, prediction

static int stop(void *user, uint64_t done, uint64_t total) {
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_le(done, total);
    ++*(int *)user;
    return 1;
}

START_TEST(refusals) {
    cloud a = lattice(10, 3, 5), b = lattice(10, 4, 5);
    ww_points *pa = upload(wwt_context, &a, WW_FLOAT, false, 0), *pb = upload(wwt_context, &b, WW_FLOAT, false, 0);
    ww_knn *knn = NULL;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    wwt_fails(ww_knn_create(pa, pb, 1, NULL, &knn), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_knn_create(pa, NULL, 0, NULL, &knn), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_knn_create(pa, NULL, WW_KNN_MOST + 1, NULL, &knn), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_knn_create(NULL, NULL, 1, NULL, &knn), WW_ERROR_INVALID_ARGUMENT);
    options.metric = WW_METRIC_HAMMING;
    wwt_fails(ww_knn_create(pa, NULL, 1, &options, &knn), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(knn);

    int calls = 0;
    int64_t ids[10];
    options.metric = WW_METRIC_L2;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.progress = stop;
    run.progress_user = &calls;
    options.run = &run;
    wwt_ok(ww_knn_create(pa, NULL, 1, &options, &knn));
    wwt_fails(ww_knn_run(knn, ids, NULL, NULL), WW_ERROR_CANCELLED);
    ck_assert_int_eq(calls, 1);
    wwt_fails(ww_knn_run(knn, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_knn_destroy(&knn);
    ww_points_destroy(&pb);
    ww_points_destroy(&pa);

    ww_point_view view = WW_POINT_VIEW_INIT;
    view.values = a.values;
    view.precision = WW_DOUBLE;
    view.dimension = 3;
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &pa), WW_ERROR_EMPTY);
    view.count = 10;
    a.values[16] = NAN;
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &pa), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, 5);
    ck_assert_int_eq(ww_last_error()->position, 1);
    a.values[16] = 1e300;
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &pa), WW_ERROR_NOT_FINITE);
    a.values[16] = 1e30;
    wwt_fails(ww_knn_find(wwt_context, &view, NULL, 1, WW_METRIC_L2, WW_FLOAT, ids, NULL), WW_ERROR_OVERFLOW);
    wwt_ok(ww_knn_find(wwt_context, &view, NULL, 1, WW_METRIC_L1, WW_FLOAT, ids, NULL));
    uint32_t items[] = {1, 3, 3};
    uint64_t offsets[] = {0, 3};
    ww_point_view sets = {sizeof sets, WW_POINTS_SETS, items, WW_FLOAT, 1, 0, 0, offsets, WW_ELEMENT_PRECISION};
    wwt_fails(ww_points_create(wwt_context, &sets, NULL, &pa), WW_ERROR_INVALID_ARGUMENT);
    free(b.values);
    free(a.values);
}
END_TEST

START_TEST(vote_and_mean) {
    const int64_t ids[] = {0, 1, 2, 3, 2, 1, 4, -1, -1, -1, -1, -1};
    const int64_t labels[] = {7, 8, 8, 7, 9};
    const double values[] = {1, 2, 3, 6, 5};
    int64_t predicted[4];
    double means[4];
    wwt_ok(ww_knn_vote(ids, 4, 3, labels, 5, predicted));
    ck_assert_int_eq(predicted[0], 8); // two of three
    ck_assert_int_eq(predicted[1], 8);
    ck_assert_int_eq(predicted[2], 9);
    ck_assert_int_eq(predicted[3], -1);
    wwt_ok(ww_knn_vote(ids, 3, 4, labels, 5, predicted));
    ck_assert_int_eq(predicted[0], 7); // a tie: the nearest
    wwt_ok(ww_knn_mean(ids, 4, 3, values, 5, means));
    ck_assert_double_eq(means[0], 2);
    ck_assert_double_eq(means[2], 5);
    ck_assert(isnan(means[3]));
    wwt_fails(ww_knn_vote(ids, 4, 3, labels, 2, predicted), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("knn");
    TCase *own = wwt_case(suite, "own context", 300);
    wwt_add_to(own, every_metric_and_filter, 0, METRIC_CASES);
    wwt_add_to(own, large_k, 0, 3);
    wwt_add_to(own, streamed_in_blocks, 0, 2);
    wwt_add_to(own, sets_of_bits, NARROW, VECTOR + 1);
    wwt_add_to(own, blocks_of_queries, 0, 2);
    wwt_add_to(own, scales, 0, 1);
    wwt_add_to(own, selection_alone, 0, 2);
    TCase *tcase = wwt_case(suite, "knn", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, shapes_at_the_edges, 0, 1);
    wwt_add_to(tcase, one_dimension_to_many, 0, 1);
    wwt_add_to(tcase, duplicates, 0, 1);
    wwt_add_to(tcase, sorted_against_the_search, 0, 1);
    wwt_add_to(tcase, offset_points, 0, 1);
    wwt_add_to(tcase, zero_vectors_under_cosine, 0, 1);
    wwt_add_to(tcase, one_far_point, 0, 2 * TENSOR);
    wwt_add_to(tcase, odd_scales, 0, 1);
    wwt_add_to(tcase, jaccard, 0, 2);
    wwt_add_to(tcase, refusals, 0, 1);
    wwt_add_to(tcase, vote_and_mean, 0, 1);
    return wwt_run(suite);
}
