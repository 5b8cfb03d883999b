// SPDX-License-Identifier: Apache-2.0
// Locality-sensitive hashing: both ways to search give the same and the right answer, functions agree as often as their
// family's closed form says, tables are partitions, probes come in order, recall never falls; points come and go,
// blocks, files, chosen parameters.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lsh/lsh_index.h"
#include "support.h"

// ---- points of any kind

typedef struct cloud {
    ww_metric metric;
    ww_precision precision;
    size_t count, dimension;
    void *values;
    uint64_t *offsets;
} cloud;

static void cloud_free(cloud *c) {
    free(c->values);
    free(c->offsets);
}

// Numbers from -1 to 1 about `centre`; bits; sets of up to 24 of 60 members. The last quarter lies near the first.
static cloud make_cloud(ww_metric metric, ww_precision precision, size_t count, size_t dimension, double centre) {
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
static ww_point_view part_of(const cloud *c, size_t first, size_t count) {
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

static ww_points *upload(const cloud *c, size_t first, size_t count, uint64_t max_bytes) {
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

static answer make_answer(size_t queries, size_t k, ww_precision precision) {
    return (answer){queries,
                    k,
                    precision,
                    malloc(queries * k * sizeof(int64_t)),
                    wwt_guarded(queries * k, precision),
                    malloc(queries * sizeof(uint32_t))};
}

static void answer_free(answer *a) {
    free(a->ids);
    free(a->found);
    wwt_guarded_free(a->distances);
}

static answer ask(ww_lsh *lsh, ww_points *queries, size_t k) {
    answer a = make_answer(queries ? ww_points_count(queries) : ww_lsh_count(lsh), k, ww_lsh_precision(lsh));
    wwt_ok(ww_lsh_run(lsh, queries, k, a.ids, a.distances, a.found));
    return a;
}

static answer ask_exactly(ww_points *base, ww_points *queries, ww_metric metric, size_t k) {
    answer a = make_answer(ww_points_count(queries ? queries : base), k, ww_points_precision(base));
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn *knn = NULL;
    options.metric = metric;
    wwt_ok(ww_knn_create(base, queries, k, &options, &knn));
    wwt_ok(ww_knn_run(knn, a.ids, a.distances, a.found));
    ww_knn_destroy(&knn);
    return a;
}

static void same(const answer *a, const answer *b) {
    for (size_t i = 0; i < a->queries * a->k; i++)
        ck_assert_msg(a->ids[i] == b->ids[i], "query %zu, place %zu: %lld and %lld", i / a->k, i % a->k,
                      (long long)a->ids[i], (long long)b->ids[i]);
    ck_assert(wwt_same(a->distances, b->distances, a->queries * a->k, a->precision));
    ck_assert(memcmp(a->found, b->found, a->queries * sizeof *a->found) == 0);
}

// Ascending, each id once and never the query's own, none nearer than the exact one, -1 and infinity behind the last.
static void check_order(const answer *a, const answer *exact, bool self) {
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

static ww_lsh_options options_of(ww_metric metric, uint32_t tables, uint32_t functions, double width, uint32_t probes) {
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    o.metric = metric;
    o.tables = tables;
    o.functions = functions;
    o.width = width;
    o.probes = probes;
    o.candidates = 4096;
    return o;
}

static void walk(ww_lsh *lsh, ww_lsh_path path, int complete) {
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    wwt_ok(ww_lsh_get_options(lsh, &o));
    o.path = path;
    o.complete = complete;
    wwt_ok(ww_lsh_set_options(lsh, &o));
}

// ---- both ways to search

// The ways to join buckets, as the tuning parameter form.lsh.join has them; 0: what is best.
enum { BEST, NARROW, WIDE, TENSOR = 4 };

static const struct {
    ww_metric metric;
    ww_precision precision;
    size_t count, dimension;
    double centre, width;
    long join;
} cases[] = {
    {WW_METRIC_L2, WW_FLOAT, 600, 10, 0, 2, BEST},          {WW_METRIC_L2, WW_FLOAT, 500, 19, 90, 4, BEST},
    {WW_METRIC_L2_SQUARED, WW_DOUBLE, 400, 13, 0, 2, BEST}, {WW_METRIC_L1, WW_FLOAT, 500, 5, 0, 3, BEST},
    {WW_METRIC_COSINE, WW_FLOAT, 500, 16, 0, 1, BEST},      {WW_METRIC_HAMMING, WW_FLOAT, 500, 75, 0, 1, BEST},
    {WW_METRIC_JACCARD, WW_FLOAT, 500, 0, 0, 1, BEST},      {WW_METRIC_L2, WW_FLOAT, 200, 301, 7, 20, BEST},
    {WW_METRIC_L2, WW_FLOAT, 500, 10, 0, 2, NARROW},        {WW_METRIC_L2, WW_FLOAT, 400, 28, 0, 4, WIDE},
    {WW_METRIC_L2, WW_FLOAT, 700, 28, 0, 4, TENSOR},        {WW_METRIC_L2_SQUARED, WW_FLOAT, 500, 13, 90, 2, TENSOR},
    {WW_METRIC_L2, WW_DOUBLE, 300, 15, 0, 3, TENSOR},       {WW_METRIC_COSINE, WW_FLOAT, 500, 33, 0, 1, TENSOR},
    {WW_METRIC_L2, WW_FLOAT, 200, 62, 7, 9, TENSOR}};

static void join_by(long join) {
    if (join != BEST)
        wwt_ok(wwi_tuning_try(wwt_context, "form.lsh.join", NULL, join));
}

START_TEST(both_ways) {
    wwt_seed((unsigned)_i);
    const ww_metric metric = cases[_i].metric;
    const size_t n = cases[_i].count, asked = 90, k = 7;
    if (cases[_i].precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    join_by(cases[_i].join);
    cloud c = make_cloud(metric, cases[_i].precision, n, cases[_i].dimension, cases[_i].centre);
    cloud q = make_cloud(metric, cases[_i].precision, asked, cases[_i].dimension, cases[_i].centre);
    ww_points *points = upload(&c, 0, n, 0), *queries = upload(&q, 0, asked, 0);
    const ww_lsh_options o = options_of(metric, 4, metric == WW_METRIC_JACCARD ? 2 : 4, cases[_i].width, 3);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    for (int self = 0; self < 2; self++) {
        ww_lsh_info info = WW_LSH_INFO_INIT;
        answer exact = ask_exactly(points, self ? NULL : queries, metric, k);
        walk(lsh, WW_LSH_BUCKETS, 0);
        answer buckets = ask(lsh, self ? NULL : queries, k);
        check_order(&buckets, &exact, self);
        wwt_ok(ww_lsh_get_info(lsh, &info));
        ck_assert_uint_gt(info.examined, 0);
        const double recall = ww_knn_recall(exact.distances, buckets.distances, buckets.queries, k, c.precision);
        ck_assert_msg(!self || (recall > 0.2 && recall < 1), "%s: recall %g", ww_metric_name(metric), recall);
        if (metric != WW_METRIC_JACCARD) {
            walk(lsh, WW_LSH_QUERIES, 0);
            answer single = ask(lsh, self ? NULL : queries, k);
            same(&buckets, &single);
            answer_free(&single);
            walk(lsh, WW_LSH_QUERIES, 1);
            answer whole = ask(lsh, self ? NULL : queries, n);
            answer all = ask_exactly(points, self ? NULL : queries, metric, n);
            same(&whole, &all);
            answer_free(&all);
            answer_free(&whole);
        }
        // More than there are: completed, all are found.
        walk(lsh, WW_LSH_BUCKETS, 1);
        answer whole = ask(lsh, self ? NULL : queries, n + 3);
        answer all = ask_exactly(points, self ? NULL : queries, metric, n + 3);
        same(&whole, &all);
        answer_free(&all);
        answer_free(&whole);
        answer_free(&buckets);
        answer_free(&exact);
    }
    ww_lsh_destroy(&lsh);
    ck_assert_ptr_null(lsh);
    ww_points_destroy(&queries);
    ww_points_destroy(&points);
    cloud_free(&q);
    cloud_free(&c);
}
END_TEST

// Made for one probe or for more and then asked for one: the same tables, the same answer.
START_TEST(one_probe) {
    wwt_seed(20);
    const ww_metric metric = _i == 0 ? WW_METRIC_L2_SQUARED : WW_METRIC_COSINE;
    const ww_precision precision = _i == 0 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    cloud c = make_cloud(metric, precision, 333, _i == 0 ? 13 : 16, 0);
    ww_points *points = upload(&c, 0, 333, 0);
    ww_lsh_options o = options_of(metric, 4, 4, 2, 3);
    ww_lsh *one = NULL, *more = NULL;
    wwt_ok(ww_lsh_create(points, &o, &more));
    o.probes = 1;
    wwt_ok(ww_lsh_set_options(more, &o));
    wwt_ok(ww_lsh_create(points, &o, &one));
    answer a = ask(one, NULL, 6), b = ask(more, NULL, 6);
    same(&a, &b);
    answer_free(&a);
    answer_free(&b);
    ww_lsh_destroy(&one);
    ww_lsh_destroy(&more);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// One bucket holds all: every pair is met once in each table, and the answer is exact.
START_TEST(one_bucket) {
    wwt_seed(21);
    enum { N = 500, K = 9 };
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, N, 10, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_options o = options_of(WW_METRIC_L2, 3, 4, 1e12, 3);
    ww_lsh *lsh = NULL;
    ww_lsh_info info = WW_LSH_INFO_INIT;
    answer exact = ask_exactly(points, NULL, WW_METRIC_L2, K);
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    walk(lsh, WW_LSH_BUCKETS, 0);
    answer found = ask(lsh, NULL, K);
    same(&found, &exact);
    wwt_ok(ww_lsh_get_info(lsh, &info));
    ck_assert_uint_eq(info.examined, (uint64_t)3 * N * N);
    ck_assert_uint_eq(info.incomplete, 0);
    answer_free(&found);
    o.path = WW_LSH_QUERIES;
    o.candidates = 100;
    wwt_ok(ww_lsh_set_options(lsh, &o));
    found = ask(lsh, NULL, K);
    wwt_ok(ww_lsh_get_info(lsh, &info));
    ck_assert_uint_eq(info.capped, N);
    ck_assert_uint_eq(info.examined, 100 * N);
    answer_free(&found);
    answer_free(&exact);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// ---- functions, tables and probes

// Queries at a distance from a table's only point: how often they share its bucket. (Functions and dimensions are those
// of the cases above, whose programs are compiled already.)
START_TEST(collision_rates) {
    enum { MOST = 16, BITS = 75, BIT_BYTES = 10, DIRECTIONS = 24, TABLES = 1500, ITEMS = 48 };
    static const ww_metric metrics[] = {WW_METRIC_L2, WW_METRIC_L1, WW_METRIC_COSINE, WW_METRIC_HAMMING,
                                        WW_METRIC_JACCARD};
    static const size_t dimensions[] = {10, 5, 16, BITS, 0};
    static const double steps[] = {0.1, 0.4, 1, 2, 4.5};
    const size_t D = dimensions[_i];
    const uint32_t functions = _i == 4 ? 2 : 4;
    wwt_seed(23);
    const ww_metric metric = metrics[_i];
    float origin[MOST] = {0}, x[DIRECTIONS * MOST];
    unsigned char zero_bits[BIT_BYTES] = {0}, bits[DIRECTIONS * BIT_BYTES];
    uint32_t items[DIRECTIONS * ITEMS];
    uint64_t offsets[DIRECTIONS + 1] = {0};
    origin[0] = metric == WW_METRIC_COSINE;
    ww_point_view view = WW_POINT_VIEW_INIT;
    view.kind = ww_metric_kind(metric);
    view.count = 1;
    view.dimension = D;
    for (uint32_t j = 0; j < ITEMS; j++)
        items[j] = j * 31;
    const uint64_t first_offsets[2] = {0, ITEMS / 2};
    view.values = metric == WW_METRIC_HAMMING   ? (const void *)zero_bits
                  : metric == WW_METRIC_JACCARD ? (const void *)items
                                                : (const void *)origin;
    view.offsets = first_offsets;
    ww_points *base = NULL;
    ww_lsh *lsh = NULL;
    ww_lsh_options o = options_of(metric, TABLES, functions, 3, 3);
    o.path = WW_LSH_BUCKETS;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &base));
    wwt_ok(ww_lsh_create(base, &o, &lsh));
    o.probes = 1;
    wwt_ok(ww_lsh_set_options(lsh, &o));
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        double distance = steps[s];
        for (size_t q = 0; q < DIRECTIONS; q++) {
            double norm = 0, *direction = (double[MOST]){0};
            const size_t numbers = view.kind == WW_POINTS_NUMBERS ? D : 0;
            for (size_t j = metric == WW_METRIC_COSINE; j < numbers; j++) {
                direction[j] = wwt_random();
                norm += metric == WW_METRIC_L1 ? fabs(direction[j]) : direction[j] * direction[j];
            }
            norm = metric == WW_METRIC_L1 ? norm : sqrt(norm);
            for (size_t j = 0; j < numbers; j++)
                x[q * D + j] = (float)(metric == WW_METRIC_COSINE
                                           ? (j == 0 ? cos(steps[s] * 0.6) : sin(steps[s] * 0.6) * direction[j] / norm)
                                           : steps[s] * direction[j] / norm);
            memset(bits + q * BIT_BYTES, 0, BIT_BYTES);
            for (size_t flips = (size_t)(steps[s] * 10); flips > 0;) {
                const size_t bit = wwt_random_size(0, BITS - 1);
                unsigned char *byte = bits + q * BIT_BYTES + bit / 8;
                flips -= !(*byte >> bit % 8 & 1);
                *byte |= (unsigned char)(1u << bit % 8);
            }
            // Members from `shift` on: the rest is common.
            const uint32_t shift = (uint32_t)(steps[s] * 5);
            for (uint32_t j = 0; j < ITEMS / 2; j++)
                items[q * (ITEMS / 2) + j] = (j + shift) * 31;
            offsets[q + 1] = (q + 1) * (ITEMS / 2);
        }
        if (metric == WW_METRIC_COSINE)
            distance = 1 - cos(steps[s] * 0.6);
        if (metric == WW_METRIC_HAMMING)
            distance = (double)(size_t)(steps[s] * 10);
        if (metric == WW_METRIC_JACCARD) {
            const double shift = (uint32_t)(steps[s] * 5);
            distance = 1 - fmax(ITEMS / 2 - shift, 0) / (ITEMS / 2 + fmin(shift, ITEMS / 2));
        }
        view.count = DIRECTIONS;
        view.offsets = offsets;
        view.values = metric == WW_METRIC_HAMMING   ? (const void *)bits
                      : metric == WW_METRIC_JACCARD ? (const void *)items
                                                    : (const void *)x;
        ww_points *queries = NULL;
        ww_lsh_info info = WW_LSH_INFO_INIT;
        wwt_ok(ww_points_create(wwt_context, &view, NULL, &queries));
        answer a = ask(lsh, queries, 1);
        wwt_ok(ww_lsh_get_info(lsh, &info));
        const double rate = (double)info.examined / (DIRECTIONS * TABLES);
        double p = pow(ww_lsh_collision(metric, distance, o.width, D), functions);
        p += (1 - p) / 64; // different values meet in one of the 64 buckets
        // Five deviations of four trials a table, not of all 24, which share its functions; of sets all are the same.
        const double trials = metric == WW_METRIC_JACCARD ? TABLES : 4 * TABLES;
        ck_assert_msg(fabs(rate - p) <= 5 * sqrt(p * (1 - p) / trials) + 1e-3, "%s distance %g: rate %g, expected %g",
                      ww_metric_name(metric), distance, rate, p);
        answer_free(&a);
        ww_points_destroy(&queries);
    }
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&base);
}
END_TEST

// Offsets ascend, every table's entries are its points, each once, and equal points are in one bucket.
START_TEST(tables_are_partitions) {
    wwt_seed(24);
    enum { N = 777 };
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, N, 10, 0);
    memcpy((float *)c.values + 400 * 10, (float *)c.values + 5 * 10, 10 * sizeof(float));
    ww_points *points = upload(&c, 0, N, 0);
    const ww_lsh_options o = options_of(WW_METRIC_L2, 6, 4, 1, 3);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    ck_assert_uint_eq(lsh->block_count, 1);
    const wwi_lsh_block *b = lsh->blocks;
    const size_t buckets = (size_t)1 << b->bits;
    uint32_t *offsets = malloc((o.tables * buckets + 1) * 4), *entries = malloc(o.tables * N * 4);
    wwt_ok(wwi_buffer_read(b->offsets, 0, (o.tables * buckets + 1) * 4, offsets));
    wwt_ok(wwi_buffer_read(b->entries, 0, o.tables * N * 4, entries));
    ck_assert_uint_eq(offsets[0], 0);
    for (size_t i = 0; i < o.tables * buckets; i++)
        ck_assert_uint_le(offsets[i], offsets[i + 1]);
    for (uint32_t t = 0; t <= o.tables; t++)
        ck_assert_uint_eq(offsets[t * buckets], t * N);
    for (uint32_t t = 0; t < o.tables; t++) {
        uint32_t seen[N] = {0}, bucket_of[N];
        for (size_t i = t * buckets; i < (t + 1) * buckets; i++)
            for (uint32_t e = offsets[i]; e < offsets[i + 1]; e++) {
                ck_assert_uint_lt(entries[e], N);
                seen[entries[e]]++;
                bucket_of[entries[e]] = (uint32_t)i;
            }
        for (size_t i = 0; i < N; i++)
            ck_assert_uint_eq(seen[i], 1);
        ck_assert_uint_eq(bucket_of[5], bucket_of[400]);
    }
    free(entries);
    free(offsets);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// All sets of moves, each once, in order of their mean cost over random points.
START_TEST(probe_sequence) {
    enum { DRAWS = 40000, MOST = 243 };
    wwt_seed(25);
    for (uint32_t m = 1; m <= 5; m++) {
        uint64_t masks[MOST + 7];
        uint32_t all = 1;
        double mean[10] = {0};
        for (uint32_t j = 0; j < m; j++)
            all *= 3; // each function stays, falls or rises
        ck_assert_uint_eq(wwi_lsh_make_masks(WWI_LSH_STABLE, m, MOST + 7, masks), all);
        for (int draw = 0; draw < DRAWS; draw++) {
            double costs[10];
            for (uint32_t j = 0; j < m; j++) {
                const double f = (wwt_random() + 1) / 2;
                costs[2 * j] = f * f;
                costs[2 * j + 1] = (1 - f) * (1 - f);
            }
            qsort(costs, 2 * m, sizeof *costs, compare);
            for (uint32_t j = 0; j < 2 * m; j++)
                mean[j] += costs[j] / DRAWS;
        }
        double last = 0;
        for (uint32_t p = 0; p < all; p++) {
            double cost = 0;
            for (uint32_t j = 0; j < 2 * m; j++)
                cost += masks[p] >> j & 1 ? mean[j] : 0;
            for (uint32_t j = 0; j < m; j++)
                ck_assert(!(masks[p] >> j & 1 && masks[p] >> (2 * m - 1 - j) & 1));
            for (uint32_t earlier = 0; earlier < p; earlier++)
                ck_assert(masks[earlier] != masks[p]);
            ck_assert_msg(cost >= last - 0.02, "%u functions, probe %u: cost %g after %g", m, p, cost, last);
            last = fmax(cost, last);
        }
    }
    uint64_t masks[64];
    ck_assert_uint_eq(wwi_lsh_make_masks(WWI_LSH_COSINE, 4, 64, masks), 16);
    ck_assert(masks[0] == 0 && masks[1] == 1 && masks[2] == 2);
}
END_TEST

START_TEST(recall_never_falls) {
    static const ww_metric families[] = {WW_METRIC_L2, WW_METRIC_COSINE};
    static const uint32_t dimensions[] = {10, 16}, most_probes[] = {48, 12};
    enum { N = 900, K = 5 };
    wwt_seed(30 + (unsigned)_i);
    cloud c = make_cloud(families[_i], WW_FLOAT, N, dimensions[_i], 0);
    ww_points *points = upload(&c, 0, N, 0);
    answer exact = ask_exactly(points, NULL, families[_i], K);
    double last = 0;
    for (uint32_t tables = 1; tables <= 8; tables *= 2) {
        ww_lsh_options o = options_of(families[_i], tables, 4, 1, most_probes[_i]);
        ww_lsh *lsh = NULL;
        wwt_ok(ww_lsh_create(points, &o, &lsh));
        double before = 0;
        for (o.probes = tables == 4 ? 1 : most_probes[_i]; o.probes <= most_probes[_i]; o.probes *= 3) {
            wwt_ok(ww_lsh_set_options(lsh, &o));
            answer a = ask(lsh, NULL, K);
            const double recall = ww_knn_recall(exact.distances, a.distances, N, K, WW_FLOAT);
            ck_assert_msg(recall >= before, "%u probes: %g after %g", o.probes, recall, before);
            before = recall;
            answer_free(&a);
        }
        ck_assert_msg(before >= last, "%u tables: %g after %g", tables, before, last);
        last = before;
        ww_lsh_destroy(&lsh);
    }
    ck_assert_msg(last > 0.6, "%s: recall %g", ww_metric_name(families[_i]), last);
    answer_free(&exact);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// ---- points that come and go, blocks, files

static const struct {
    ww_metric metric;
    size_t dimension;
} kinds[] = {{WW_METRIC_L2, 10}, {WW_METRIC_HAMMING, 75}, {WW_METRIC_JACCARD, 0}};

// Different keys that share a bucket do so by its number, which goes by the points of a block: so many that none do.
static void many_buckets(void) {
    wwt_ok(wwi_tuning_try(wwt_context, "form.lsh.bits", NULL, 18));
}

static ww_lsh_options small(ww_metric metric) {
    return options_of(metric, 4, metric == WW_METRIC_JACCARD ? 2 : 4, 2, 3);
}

// Ids of an answer through a list of those that were left.
static void rename_ids(answer *a, const int64_t *left) {
    for (size_t i = 0; i < a->queries * a->k; i++)
        a->ids[i] = a->ids[i] < 0 ? -1 : left[a->ids[i]];
}

START_TEST(add_and_remove) {
    many_buckets();
    wwt_seed(40 + (unsigned)_i);
    enum { N = 600, HALF = 256, K = 6 };
    const ww_metric metric = kinds[_i].metric;
    cloud c = make_cloud(metric, WW_FLOAT, N, kinds[_i].dimension, 0);
    if (metric == WW_METRIC_JACCARD) {
        // A view of sets begins with the first.
        cloud_free(&c);
        c = make_cloud(metric, WW_FLOAT, N, 0, 0);
    }
    ww_points *whole = upload(&c, 0, N, 0), *first = upload(&c, 0, HALF, 0), *second = NULL;
    ww_point_view rest = part_of(&c, HALF, N - HALF);
    uint64_t *offsets = NULL;
    if (c.offsets) {
        offsets = malloc((N - HALF + 1) * sizeof *offsets);
        for (size_t i = 0; i <= N - HALF; i++)
            offsets[i] = c.offsets[HALF + i] - c.offsets[HALF];
        rest.values = (const uint32_t *)c.values + c.offsets[HALF];
        rest.offsets = offsets;
    }
    wwt_ok(ww_points_create(wwt_context, &rest, NULL, &second));
    const ww_lsh_options o = small(metric);
    ww_lsh *grown = NULL, *fresh = NULL;
    wwt_ok(ww_lsh_create(whole, &o, &fresh));
    wwt_ok(ww_lsh_create(first, &o, &grown));
    wwt_ok(ww_lsh_remove(grown, (const int64_t[]){3}, 1));
    wwt_ok(ww_lsh_add(grown, second));
    wwt_ok(ww_lsh_remove(fresh, (const int64_t[]){3, 3}, 2));
    for (int path = WW_LSH_BUCKETS; path <= (metric == WW_METRIC_JACCARD ? WW_LSH_BUCKETS : WW_LSH_QUERIES); path++) {
        walk(grown, (ww_lsh_path)path, 0);
        walk(fresh, (ww_lsh_path)path, 0);
        answer a = ask(grown, NULL, K), b = ask(fresh, NULL, K);
        same(&a, &b);
        ck_assert_uint_eq(a.found[3], 0);
        for (size_t i = 0; i < N * K; i++)
            ck_assert_int_ne(a.ids[i], 3);
        answer_free(&a);
        answer_free(&b);
    }
    if (!c.offsets) {
        // Without every third point: the same as an index that never had them.
        int64_t gone[N], left[N];
        size_t gone_count = 0, left_count = 0;
        unsigned char *values = malloc(N * 10 * sizeof(float));
        const size_t row = metric == WW_METRIC_HAMMING ? 10 : 10 * sizeof(float);
        for (int64_t i = 0; i < N; i++) {
            if (i % 3 == 0) {
                gone[gone_count++] = i;
                continue;
            }
            memcpy(values + left_count * row, (unsigned char *)c.values + (size_t)i * row, row);
            left[left_count++] = i;
        }
        ww_point_view view = part_of(&c, 0, left_count);
        view.values = values;
        ww_points *kept = NULL;
        ww_lsh *without = NULL;
        ww_lsh_info info = WW_LSH_INFO_INIT;
        wwt_ok(ww_points_create(wwt_context, &view, NULL, &kept));
        wwt_ok(ww_lsh_create(kept, &o, &without));
        wwt_ok(ww_lsh_remove(grown, gone, gone_count));
        wwt_ok(ww_lsh_get_info(grown, &info));
        ck_assert_uint_eq(info.points, left_count);
        walk(grown, WW_LSH_BUCKETS, 1);
        walk(without, WW_LSH_BUCKETS, 1);
        answer a = ask(grown, kept, K), b = ask(without, kept, K);
        rename_ids(&b, left);
        same(&a, &b);
        answer_free(&a);
        answer_free(&b);
        ww_lsh_destroy(&without);
        ww_points_destroy(&kept);
        free(values);
    }
    wwt_fails(ww_lsh_remove(grown, (const int64_t[]){1, N}, 2), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh_destroy(&grown);
    ww_lsh_destroy(&fresh);
    ww_points_destroy(&second);
    ww_points_destroy(&first);
    ww_points_destroy(&whole);
    free(offsets);
    cloud_free(&c);
}
END_TEST

START_TEST(blocks_change_nothing) {
    many_buckets();
    wwt_seed(50 + (unsigned)_i);
    enum { N = 700, K = 6 };
    const ww_metric metric = kinds[_i].metric;
    cloud c = make_cloud(metric, WW_FLOAT, N, kinds[_i].dimension, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_points *streamed = upload(&c, 0, N, metric == WW_METRIC_HAMMING ? 128 * 12 * 2 : 128 * 40 * 2);
    ww_lsh_options o = small(metric);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    answer expected = ask(lsh, NULL, K);
    ww_lsh_destroy(&lsh);
    wwt_ok(ww_lsh_create(streamed, &o, &lsh)); // the points do not stay on the device
    ck_assert_uint_gt(lsh->block_count, 2);
    answer found = ask(lsh, NULL, K);
    same(&found, &expected);
    answer_free(&found);
    found = ask(lsh, points, K + 1);
    ck_assert_uint_eq(found.found[0] > 0, 1);
    answer_free(&found);
    ww_lsh_destroy(&lsh);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = 40000; // nor do the tables
    o.run = &run;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    ck_assert_uint_gt(lsh->block_count, 1);
    found = ask(lsh, NULL, K);
    same(&found, &expected);
    answer_free(&found);
    answer_free(&expected);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&streamed);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

static void write_bytes(const char *path, const unsigned char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

START_TEST(save_and_load) {
    many_buckets();
    wwt_seed(60 + (unsigned)_i);
    enum { N = 300, K = 6 };
    const ww_metric metric = kinds[_i].metric;
    char path[] = "/tmp/wavewarp-lsh-XXXXXX";
    close(mkstemp(path));
    cloud c = make_cloud(metric, WW_FLOAT, N, kinds[_i].dimension, 0);
    ww_points *points = upload(&c, 0, N, _i == 0 ? 128 * 40 : 0);
    ww_lsh_options o = small(metric);
    o.seed = 99;
    ww_lsh *lsh = NULL, *loaded = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    wwt_ok(ww_lsh_remove(lsh, (const int64_t[]){7, 290}, 2));
    wwt_ok(ww_lsh_save(lsh, path));
    wwt_ok(ww_lsh_load(wwt_context, path, NULL, &loaded));
    answer a = ask(lsh, NULL, K), b = ask(loaded, NULL, K);
    same(&a, &b);
    ck_assert_uint_eq(ww_lsh_count(loaded), N);
    wwt_ok(ww_lsh_get_options(loaded, &o));
    ck_assert(o.seed == 99 && o.metric == metric && o.tables == 4);
    ww_lsh_destroy(&loaded);
    // Damaged anywhere, cut anywhere, of another version, or something else.
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[1 << 20];
    const size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 0; at < count; at += at < 100 ? 9 : count / 7) {
        bytes[at] ^= 0x10;
        write_bytes(path, bytes, count);
        wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_FORMAT);
        ck_assert_ptr_null(loaded);
        bytes[at] ^= 0x10;
        write_bytes(path, bytes, at);
        wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_FORMAT);
    }
    bytes[8]++;
    write_bytes(path, bytes, count);
    wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "version 2"));
    unlink(path);
    wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_IO);
    wwt_fails(ww_lsh_save(lsh, "/nowhere/at/all"), WW_ERROR_IO);
    answer_free(&a);
    answer_free(&b);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// ---- chosen parameters

static void choose(ww_metric metric, size_t dimension) {
    wwt_seed(70 + (unsigned)metric);
    enum { N = 4000, K = 4 };
    cloud c = make_cloud(metric, WW_FLOAT, N, dimension, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    ww_lsh_options chosen = WW_LSH_OPTIONS_INIT;
    ww_lsh *lsh = NULL;
    target.metric = metric;
    target.k = K;
    target.recall = 0.85;
    target.sample = 250;
    wwt_ok(ww_lsh_choose(points, &target, &chosen, &choice));
    ck_assert_msg(choice.measured_recall >= target.recall, "%s: measured %g, predicted %g", ww_metric_name(metric),
                  choice.measured_recall, choice.recall);
    ck_assert(choice.recall >= target.recall && choice.neighbour > 0 && choice.neighbour < choice.random);
    wwt_ok(ww_lsh_create(points, &chosen, &lsh));
    answer exact = ask_exactly(points, NULL, metric, K), found = ask(lsh, NULL, K);
    // A sample of 1000 neighbours, whose tables are the same: five deviations.
    const double recall = ww_knn_recall(exact.distances, found.distances, N, K, WW_FLOAT);
    ck_assert_msg(recall >= target.recall - 5 * sqrt(0.85 * 0.15 / 1000), "%s: recall %g", ww_metric_name(metric),
                  recall);
    answer_free(&exact);
    answer_free(&found);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}

START_TEST(chosen_parameters_reach_the_recall) {
    choose(WW_METRIC_L2, 10);
}
END_TEST

START_TEST(chosen_parameters_of_sets) {
    choose(WW_METRIC_JACCARD, 0);
}
END_TEST

// Queries unlike the points: parameters that are learnt from the points miss most of their neighbours; learnt from the
// queries they do not. Outliers in the points, which set the mean distance, change nothing.
START_TEST(chosen_for_other_queries) {
    enum { N = 4000, Q = 600, K = 4, D = 3 };
    float *values = malloc((N + Q) * D * sizeof *values);
    wwt_seed(91);
    for (size_t i = 0; i < N + Q; i++)
        for (size_t d = 0; d < D; d++) { // dense clusters; queries anywhere among them
            const double anywhere = 2 + 2 * wwt_random();
            values[i * D + d] = (float)(i < N ? floor(anywhere) + 0.01 * wwt_random() : anywhere);
        }
    values[0] = 1e5f;
    values[D] = -1e5f;
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *points = NULL, *queries = NULL;
    view.precision = WW_FLOAT;
    view.dimension = D;
    view.count = N;
    view.values = values;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &points));
    view.count = Q;
    view.values = values + N * D;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &queries));
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    target.k = K;
    target.recall = 0.95;
    answer exact = ask_exactly(points, queries, WW_METRIC_L2, K);
    double recall[2];
    for (int own = 0; own < 2; own++) {
        ww_lsh_options chosen = WW_LSH_OPTIONS_INIT;
        ww_lsh *lsh = NULL;
        target.asking = own ? queries : NULL;
        wwt_ok(ww_lsh_choose(points, &target, &chosen, &choice));
        wwt_ok(ww_lsh_create(points, &chosen, &lsh));
        answer found = ask(lsh, queries, K);
        recall[own] = ww_knn_recall(exact.distances, found.distances, Q, K, WW_FLOAT);
        answer_free(&found);
        ww_lsh_destroy(&lsh);
        ck_assert(choice.recall_low <= choice.measured_recall && choice.measured_recall <= choice.recall_high);
        ck_assert(choice.recall_low < choice.recall_high);
    }
    ck_assert_msg(recall[0] < 0.9, "%g: the test's data do not tell", recall[0]);
    ck_assert_msg(recall[1] >= 0.95 && choice.recall_low >= 0.95, "%g, measured %g to %g", recall[1], choice.recall_low,
                  choice.recall_high);
    answer_free(&exact);
    ww_points_destroy(&queries);
    ww_points_destroy(&points);
    free(values);
}
END_TEST

// ---- the rest

static int stop(void *user, uint64_t done, uint64_t total) {
    uint64_t *calls = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_le(done, total);
    return ++*calls == 3;
}

static int count_up(void *user, uint64_t done, uint64_t total) {
    uint64_t *last = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert(done > *last && done <= total);
    *last = done;
    return 0;
}

START_TEST(seeds_and_progress) {
    wwt_seed(80);
    enum { N = 500, K = 4 };
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, N, 10, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_options o = small(WW_METRIC_L2);
    answer answers[3];
    for (int run = 0; run < 3; run++) {
        ww_lsh *lsh = NULL;
        o.seed = run == 2 ? 6 : 5;
        wwt_ok(ww_lsh_create(points, &o, &lsh));
        answers[run] = ask(lsh, NULL, K);
        ww_lsh_destroy(&lsh);
    }
    same(&answers[0], &answers[1]);
    ck_assert(memcmp(answers[0].ids, answers[2].ids, N * K * sizeof(int64_t)) != 0);
    uint64_t calls = 0, last = 0;
    ww_lsh *lsh = NULL;
    ww_run_options how = WW_RUN_OPTIONS_INIT;
    how.progress = stop;
    how.progress_user = &calls;
    o.run = &how;
    o.path = WW_LSH_BUCKETS;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    wwt_fails(ww_lsh_run(lsh, NULL, K, answers[0].ids, NULL, NULL), WW_ERROR_CANCELLED);
    how.progress = count_up;
    how.progress_user = &last;
    wwt_ok(ww_lsh_set_options(lsh, &o));
    wwt_ok(ww_lsh_run(lsh, NULL, K, answers[0].ids, NULL, NULL));
    ck_assert_uint_eq(last, (uint64_t)N * 4 * 3);
    ww_lsh_destroy(&lsh);
    for (int run = 0; run < 3; run++)
        answer_free(&answers[run]);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// Many equal points, in one dimension: the lowest ids, at distance 0.
START_TEST(duplicates) {
    float values[300];
    join_by(_i == 0 ? BEST : TENSOR);
    for (size_t i = 0; i < 300; i++)
        values[i] = (float)(i % 3);
    cloud c = {WW_METRIC_L2, WW_FLOAT, 300, 1, values, NULL};
    ww_points *points = upload(&c, 0, 300, 0);
    const ww_lsh_options o = options_of(WW_METRIC_L2, 9, 2, 0.7, 1);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    for (int path = WW_LSH_BUCKETS; path <= WW_LSH_QUERIES; path++) {
        walk(lsh, (ww_lsh_path)path, 0);
        answer a = ask(lsh, NULL, 5);
        for (size_t q = 0; q < 300; q++)
            for (size_t i = 0; i < 5; i++) {
                const size_t own = q / 3;
                ck_assert_int_eq(a.ids[q * 5 + i], (int64_t)(q % 3 + 3 * (i + (i >= own))));
                ck_assert(((float *)a.distances)[q * 5 + i] <= 0);
            }
        answer_free(&a);
    }
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
}
END_TEST

// Very short and very long points, and points without a direction: the rows of halves leave nobody out.
START_TEST(halves_hold_all) {
    enum { N = 400, D = 28, K = 6 };
    static const float lengths[] = {1e-12f, 1e18f, 1};
    const ww_metric metric = _i < 2 ? WW_METRIC_L2 : WW_METRIC_COSINE;
    wwt_seed(85 + (unsigned)_i);
    join_by(TENSOR);
    cloud c = make_cloud(metric, WW_FLOAT, N, D, 0);
    float *values = c.values;
    for (size_t i = 0; i < (size_t)N * D; i++)
        values[i] *= metric == WW_METRIC_COSINE && i / D % 50 == 3 ? 0 : lengths[_i];
    ww_points *points = upload(&c, 0, N, 0);
    const ww_lsh_options o = options_of(metric, 5, 3, 5 * (double)lengths[_i], 1);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    walk(lsh, WW_LSH_BUCKETS, 0);
    answer buckets = ask(lsh, NULL, K);
    walk(lsh, WW_LSH_QUERIES, 0);
    answer single = ask(lsh, NULL, K);
    same(&buckets, &single);
    answer_free(&single);
    answer_free(&buckets);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

START_TEST(refusals) {
    wwt_seed(90);
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, 10, 10, 0), other = make_cloud(WW_METRIC_L2, WW_FLOAT, 10, 4, 0);
    ww_points *points = upload(&c, 0, 10, 0), *wrong = upload(&other, 0, 10, 0);
    ww_lsh *lsh = NULL;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    ww_lsh_options chosen = WW_LSH_OPTIONS_INIT;
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    const ww_lsh_options defaults = o;
    o.metric = WW_METRIC_LINF;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_UNSUPPORTED);
    o.metric = WW_METRIC_HAMMING;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = defaults;
    o.width = 0;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = defaults;
    o.probes = 64;
    o.functions = 33; // more than 64 positions
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = defaults;
    o.candidates = 4097;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = small(WW_METRIC_L2);
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    wwt_fails(ww_lsh_run(lsh, NULL, 0, &(int64_t){0}, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run(lsh, wrong, 1, &(int64_t){0}, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_add(lsh, wrong), WW_ERROR_INVALID_ARGUMENT);
    o.tables++;
    wwt_fails(ww_lsh_set_options(lsh, &o), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh_destroy(&lsh);
    target.metric = WW_METRIC_LINF;
    wwt_fails(ww_lsh_choose(points, &target, &chosen, &choice), WW_ERROR_UNSUPPORTED);
    target.metric = WW_METRIC_L2;
    target.recall = 1;
    wwt_fails(ww_lsh_choose(points, &target, &chosen, &choice), WW_ERROR_INVALID_ARGUMENT);
    ww_points_destroy(&wrong);
    ww_points_destroy(&points);
    // What is not a number never gets that far; what is too large for its norm is refused here.
    float odd[32] = {0, 1, 2, 3, 4, 5, 6, NAN};
    cloud bad = {WW_METRIC_COSINE, WW_FLOAT, 2, 16, odd, NULL};
    ww_point_view view = part_of(&bad, 0, 2);
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &points), WW_ERROR_NOT_FINITE);
    odd[7] = 1e30f;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &points));
    o = small(WW_METRIC_COSINE);
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_OVERFLOW);
    ck_assert_ptr_null(lsh);
    ww_points_destroy(&points);
    cloud_free(&other);
    cloud_free(&c);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("lsh");
    TCase *tcase = wwt_case(suite, "lsh", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, both_ways, 0, sizeof cases / sizeof *cases);
    wwt_add_to(tcase, one_probe, 0, 2);
    wwt_add_to(tcase, one_bucket, 0, 1);
    wwt_add_to(tcase, collision_rates, 0, 5);
    wwt_add_to(tcase, tables_are_partitions, 0, 1);
    wwt_add_to(tcase, probe_sequence, 0, 1);
    wwt_add_to(tcase, recall_never_falls, 0, 2);
    wwt_add_to(tcase, add_and_remove, 0, 3);
    wwt_add_to(tcase, blocks_change_nothing, 0, 3);
    wwt_add_to(tcase, save_and_load, 0, 3);
    wwt_add_to(tcase, chosen_parameters_reach_the_recall, 0, 1);
    wwt_add_to(tcase, chosen_parameters_of_sets, 0, 1);
    wwt_add_to(tcase, chosen_for_other_queries, 0, 1);
    wwt_add_to(tcase, seeds_and_progress, 0, 1);
    wwt_add_to(tcase, duplicates, 0, 2);
    wwt_add_to(tcase, halves_hold_all, 0, 3);
    wwt_add_to(tcase, refusals, 0, 1);
    return wwt_run(suite);
}
