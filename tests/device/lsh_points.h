// SPDX-License-Identifier: Apache-2.0
// Clouds of points of any kind, and answers of indices and of exact searches, for the tests of hashing.
#ifndef WAVEWARP_TEST_LSH_POINTS_H
#define WAVEWARP_TEST_LSH_POINTS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

// ---- points of any kind

typedef struct cloud {
    ww_metric metric;
    ww_precision precision;
    size_t count, dimension;
    void *values;
    uint64_t *offsets;
} cloud;

static inline void cloud_free(cloud *c) {
    free(c->values);
    free(c->offsets);
}

// Numbers from -1 to 1 about `centre`; bits; sets of up to 24 of 60 members. The last quarter lies near the first.
static inline cloud make_cloud(ww_metric metric, ww_precision precision, size_t count, size_t dimension,
                               double centre) {
    cloud c = {metric, precision, count, dimension, NULL, NULL};
    if (metric == WW_METRIC_JACCARD) {
        uint32_t *items = malloc(count * 24 * sizeof *items);
        c.offsets = calloc(count + 1, sizeof *c.offsets);
        for (size_t i = 0; i < count; i++) {
            size_t at = c.offsets[i];
            const bool copied = i >= count / 4 * 3;
            const size_t from = i - count / 4 * 3;
            if (copied)
                for (uint64_t j = c.offsets[from]; j < c.offsets[from + 1]; j++)
                    if (wwt_random() < 0.8)
                        items[at++] = items[j];
            for (uint32_t item = 0; !copied && item < 60 && at - c.offsets[i] < 24; item++)
                if (wwt_random() > 0.3 + 0.05 * (double)(i % 10))
                    items[at++] = item * 977;
            c.offsets[i + 1] = at;
        }
        c.values = items;
        return c;
    }
    const bool bits = metric == WW_METRIC_HAMMING;
    const size_t row = bits ? (dimension + 7) / 8 : dimension, size = bits ? 1 : precision == WW_DOUBLE ? 8 : 4;
    unsigned char *values = malloc(count * row * size);
    c.values = values;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < row; j++) {
            unsigned char *x = values + (i * row + j) * size, *like = values + (i - count / 4 * 3) % count * row * size;
            const bool copied = i >= count / 4 * 3;
            if (bits)
                *x = copied ? like[j] ^ (unsigned char)(wwt_random() > 0.7 ? 2 : 0)
                            : (unsigned char)wwt_random_size(0, 255);
            else if (precision == WW_DOUBLE)
                *(double *)(void *)x =
                    copied ? ((double *)(void *)like)[j] + 0.05 * wwt_random() : centre + wwt_random();
            else
                *(float *)(void *)x =
                    copied ? ((float *)(void *)like)[j] + 0.05f * (float)wwt_random() : (float)(centre + wwt_random());
        }
    return c;
}

// Points [first, first + count) of a cloud.
static inline ww_point_view part_of(const cloud *c, size_t first, size_t count) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    const size_t row =
        c->metric == WW_METRIC_HAMMING ? (c->dimension + 7) / 8 : c->dimension * (c->precision == WW_DOUBLE ? 8 : 4);
    view.kind = ww_metric_kind(c->metric);
    view.precision = c->precision;
    view.count = count;
    view.dimension = c->dimension;
    view.values = (const unsigned char *)c->values + (c->offsets ? 0 : first * row);
    view.offsets = c->offsets;
    return view;
}

static inline ww_points *upload(const cloud *c, size_t first, size_t count, uint64_t max_bytes) {
    ww_point_view view = part_of(c, first, count);
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    options.precision = c->precision;
    options.max_bytes = max_bytes;
    wwt_ok(ww_points_create(wwt_context, &view, &options, &points));
    return points;
}

// ---- answers

typedef struct answer {
    size_t queries, k;
    ww_precision precision;
    int64_t *ids;
    void *distances;
    uint32_t *found;
} answer;

static inline answer make_answer(size_t queries, size_t k, ww_precision precision) {
    return (answer){queries,
                    k,
                    precision,
                    malloc(queries * k * sizeof(int64_t)),
                    wwt_guarded(queries * k, precision),
                    malloc(queries * sizeof(uint32_t))};
}

static inline void answer_free(answer *a) {
    free(a->ids);
    free(a->found);
    wwt_guarded_free(a->distances);
}

static inline answer ask(ww_lsh *lsh, ww_points *queries, size_t k) {
    answer a = make_answer(queries ? ww_points_count(queries) : ww_lsh_count(lsh), k, ww_lsh_precision(lsh));
    wwt_ok(ww_lsh_run(lsh, queries, k, a.ids, a.distances, a.found));
    return a;
}

static inline answer ask_exactly(ww_points *base, ww_points *queries, ww_metric metric, size_t k) {
    answer a = make_answer(ww_points_count(queries ? queries : base), k, ww_points_precision(base));
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn *knn = NULL;
    options.metric = metric;
    wwt_ok(ww_knn_create(base, queries, k, &options, &knn));
    wwt_ok(ww_knn_run(knn, a.ids, a.distances, a.found));
    ww_knn_destroy(&knn);
    return a;
}

static inline void same(const answer *a, const answer *b) {
    for (size_t i = 0; i < a->queries * a->k; i++)
        ck_assert_msg(a->ids[i] == b->ids[i], "query %zu, place %zu: %lld and %lld", i / a->k, i % a->k,
                      (long long)a->ids[i], (long long)b->ids[i]);
    ck_assert(wwt_same(a->distances, b->distances, a->queries * a->k, a->precision));
    ck_assert(memcmp(a->found, b->found, a->queries * sizeof *a->found) == 0);
}

// Ascending, each id once and never the query's own, none nearer than the exact one, -1 and infinity behind the last.
static inline void check_order(const answer *a, const answer *exact, bool self) {
    for (size_t q = 0; q < a->queries; q++)
        for (size_t i = 0; i < a->k; i++) {
            const size_t at = q * a->k + i;
            const double d = wwt_value(a->distances, a->precision, at);
            ck_assert(!self || a->ids[at] != (int64_t)q);
            ck_assert_int_eq(a->ids[at] >= 0, i < a->found[q]);
            ck_assert_int_eq(isfinite(d), i < a->found[q]);
            ck_assert(d >= wwt_value(exact->distances, exact->precision, at));
            ck_assert(i == 0 || d >= wwt_value(a->distances, a->precision, at - 1));
            for (size_t j = q * a->k; j < at; j++)
                ck_assert(a->ids[j] != a->ids[at] || a->ids[at] < 0);
        }
}

static inline ww_lsh_options options_of(ww_metric metric, uint32_t tables, uint32_t functions, double width,
                                        uint32_t probes) {
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    o.metric = metric;
    o.tables = tables;
    o.functions = functions;
    o.width = width;
    o.probes = probes;
    o.candidates = 4096;
    return o;
}

static inline void walk(ww_lsh *lsh, ww_lsh_path path, int complete) {
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    wwt_ok(ww_lsh_get_options(lsh, &o));
    o.path = path;
    o.complete = complete;
    wwt_ok(ww_lsh_set_options(lsh, &o));
}

static inline ww_lsh_options small(ww_metric metric) {
    return options_of(metric, 4, metric == WW_METRIC_JACCARD ? 2 : 4, 2, 3);
}

#endif
