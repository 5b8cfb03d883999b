// SPDX-License-Identifier: Apache-2.0
// Nearest points by shards: parts of the base, and of the queries, give the bytes of the whole, under every metric.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { COUNT = 900, QUERIES = 45, DIMENSION = 6, WORDS = 3, MOST = 9 };

typedef struct cloud {
    ww_point_kind kind;
    size_t count;
    double *numbers;
    uint8_t *bits;
    uint64_t *offsets;
    uint32_t *members;
} cloud;

// Lattices have ties; `far`: far from the origin.
static cloud make(ww_point_kind kind, size_t count, bool far) {
    cloud c = {.kind = kind, .count = count};
    c.numbers = malloc(count * DIMENSION * sizeof *c.numbers);
    c.bits = malloc(count * WORDS);
    c.offsets = malloc((count + 1) * sizeof *c.offsets);
    c.members = malloc(count * DIMENSION * sizeof *c.members);
    for (size_t i = 0; i < count * DIMENSION; i++)
        c.numbers[i] = far ? 1000 + wwt_random() : (double)wwt_random_size(0, 3) - 1;
    for (size_t i = 0; i < count * WORDS; i++)
        c.bits[i] = (uint8_t)(wwt_random_size(0, 255) & wwt_random_size(0, 255));
    c.offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t size = wwt_random_size(0, DIMENSION);
        for (size_t j = 0; j < size; j++)
            c.members[c.offsets[i] + j] = (uint32_t)(2 * j + wwt_random_size(0, 1));
        c.offsets[i + 1] = c.offsets[i] + size;
    }
    return c;
}

static void cloud_free(cloud *c) {
    free(c->numbers);
    free(c->bits);
    free(c->offsets);
    free(c->members);
}

static ww_points *upload(ww_context *context, const cloud *c, size_t first, size_t count, ww_precision precision) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    uint64_t offsets[COUNT + 1];
    view.kind = c->kind;
    view.count = count;
    view.precision = WW_DOUBLE;
    view.dimension = c->kind == WW_POINTS_BITS ? WORDS * 8 : DIMENSION;
    view.values = c->kind == WW_POINTS_BITS ? (const void *)(c->bits + first * WORDS)
                                            : (const void *)(c->numbers + first * DIMENSION);
    if (c->kind == WW_POINTS_SETS) {
        for (size_t i = 0; i <= count; i++)
            offsets[i] = c->offsets[first + i] - c->offsets[first];
        view.values = c->members + c->offsets[first];
        view.offsets = offsets;
        view.dimension = 0;
    }
    options.precision = precision;
    wwt_ok(ww_points_create(context, &view, &options, &points));
    return points;
}

typedef struct job {
    ww_context *context;
    ww_metric metric;
    ww_precision precision;
    const cloud *base, *queries;
    size_t k;
    bool self;
} job;

static size_t value_bytes(const job *j) {
    return j->precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
}

static void run(const job *j, size_t query, size_t queries, size_t base, size_t count, const void *initial,
                int64_t *ids, void *distances) {
    ww_points *a = upload(j->context, j->queries, query, queries, j->precision),
              *b = upload(j->context, j->base, base, count, j->precision);
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn *knn = NULL;
    uint32_t found[COUNT];
    options.metric = j->metric;
    shard.query_offset = query;
    shard.base_offset = base;
    shard.exclude_self = j->self;
    shard.initial = initial;
    wwt_ok(ww_knn_create_shard(b, a, j->k, &shard, &options, &knn));
    wwt_ok(ww_knn_run(knn, ids, distances, found));
    for (size_t i = 0; i < queries * j->k; i++) {
        const double value = wwt_value(distances, j->precision, i);
        ck_assert(ids[i] < 0 ? isinf(value) != 0 : (size_t)ids[i] >= base && (size_t)ids[i] < base + count);
        ck_assert_int_eq(ids[i] >= 0, i % j->k < found[i / j->k]);
        ck_assert(!j->self || ids[i] != (int64_t)(query + i / j->k));
        ck_assert(!initial || ids[i] < 0 || value <= wwt_value(initial, j->precision, i / j->k));
    }
    if (initial) { // without distances the same ids
        int64_t *alone = malloc(queries * j->k * sizeof *alone);
        wwt_ok(ww_knn_run(knn, alone, NULL, NULL));
        ck_assert_mem_eq(alone, ids, queries * j->k * sizeof *ids);
        free(alone);
    }
    ww_knn_destroy(&knn);
    ww_points_destroy(&a);
    ww_points_destroy(&b);
}

// Queries from `split` on apart; the base cut at `cuts`, of which the first is 0. Later parts know the k-th distances.
static void check_parts(const job *j, size_t split, const size_t *cuts, size_t parts, bool pruned, const int64_t *ids,
                        const unsigned char *distances) {
    const size_t size = value_bytes(j), all = j->queries->count;
    int64_t *joined = calloc(all * j->k, sizeof *joined), *own = calloc(all * j->k, sizeof *own);
    unsigned char *values = calloc(all * j->k, size), *others = calloc(all * j->k, size), *last = calloc(all, size);
    for (size_t first = 0; first < all; first = first ? all : split) {
        const size_t rows = first || split >= all ? all - first : split;
        for (size_t p = 0; p < parts; p++) {
            const size_t part = parts == 3 ? parts - 1 - p : p; // later ones first: ties take what is there
            const size_t end = part + 1 < parts ? cuts[part + 1] : j->base->count;
            for (size_t i = 0; i < rows; i++)
                memcpy(last + i * size, values + (i * j->k + j->k - 1) * size, size);
            run(j, first, rows, cuts[part], end - cuts[part], pruned && p ? last : NULL, p ? own : joined,
                p ? others : values);
            if (p)
                wwt_ok(ww_neighbours_merge(rows, j->k, j->precision, 0, joined, values, own, others));
        }
        ck_assert_mem_eq(joined, ids + first * j->k, rows * j->k * sizeof *ids);
        ck_assert_mem_eq(values, distances + first * j->k * size, rows * j->k * size);
        if (split >= all)
            break;
    }
    free(last);
    free(others);
    free(values);
    free(own);
    free(joined);
}

static void check(ww_context *context, ww_metric metric, ww_precision precision, bool self, bool far) {
    const size_t cuts[][5] = {{0}, {0, 1}, {0, 301, 870}, {0, 2, 130, 771}, {0, 7, 400, 401, 650}};
    // Parts that begin with the query after the first: the number before the base's first one.
    const size_t own_cuts[][5] = {{0}, {0, 1}, {0, 1, 290}, {0, 1, 44, 257}, {0, 1, 133, 134, 217}};
    const size_t ks[] = {1, MOST};
    cloud base = make(ww_metric_kind(metric), self ? 333 : COUNT, far),
          queries = make(ww_metric_kind(metric), QUERIES, far);
    for (size_t n = 0; n < 2; n++) {
        const job j = {context, metric, precision, &base, self ? &base : &queries, ks[n], self};
        const size_t count = j.queries->count * j.k;
        int64_t *ids = calloc(count, sizeof *ids);
        unsigned char *distances = calloc(count, value_bytes(&j));
        ww_points *b = upload(context, j.base, 0, j.base->count, precision),
                  *q = self ? NULL : upload(context, &queries, 0, QUERIES, precision);
        ww_knn_options options = WW_KNN_OPTIONS_INIT;
        ww_knn *knn = NULL;
        options.metric = metric;
        wwt_ok(ww_knn_create(b, q, j.k, &options, &knn));
        wwt_ok(ww_knn_run(knn, ids, distances, NULL));
        for (size_t p = 0; p < 5; p++)
            check_parts(&j, p % 2 ? 19 : 1000, self ? own_cuts[p] : cuts[p], p + 1, p != 3, ids, distances);
        ww_knn_destroy(&knn);
        ww_points_destroy(&q);
        ww_points_destroy(&b);
        free(distances);
        free(ids);
    }
    cloud_free(&queries);
    cloud_free(&base);
}

// Loops: the metrics but l2, by two sets or one; then in double, and far from the origin.
START_TEST(bytes_of_the_whole) {
    const ww_metric metric = (ww_metric)(_i % 8 + 1);
    wwt_seed((unsigned)_i);
    if (_i < 16)
        check(wwt_context, metric, WW_FLOAT, _i / 8, false);
    else if (wwt_device_has_double())
        check(wwt_context, WW_METRIC_L2_SQUARED, WW_DOUBLE, true, true);
}
END_TEST

// ---- tables

static ww_lsh *tables_of(ww_points *points, ww_metric metric) {
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_lsh *lsh = NULL;
    options.metric = metric;
    options.tables = 5;
    options.functions = 5;
    options.width = 3;
    options.path = WW_LSH_BUCKETS;
    wwt_ok(ww_lsh_create(points, &options, &lsh));
    return lsh;
}

// Parts of the tables against tables to which the parts were added; `self`: the points ask.
static void check_tables(const cloud *base, const cloud *queries, ww_metric metric, const size_t *cuts, size_t parts,
                         bool self) {
    enum { K = 6 };
    const size_t count = self ? base->count : queries->count;
    const cloud *asking = self ? base : queries;
    ww_points *q = upload(wwt_context, asking, 0, count, WW_FLOAT), *p[5] = {NULL};
    int64_t *wanted = calloc(count * K, sizeof *wanted), *joined = calloc(count * K, sizeof *joined),
            *own = calloc(count * K, sizeof *own);
    float *distances[3], *initial = calloc(count, sizeof *initial);
    uint32_t *found = calloc(count, sizeof *found);
    ww_lsh *whole = NULL;
    for (int i = 0; i < 3; i++)
        distances[i] = calloc(count * K, sizeof(float));
    for (size_t i = 0; i < parts; i++) {
        p[i] = upload(wwt_context, base, cuts[i], (i + 1 < parts ? cuts[i + 1] : base->count) - cuts[i], WW_FLOAT);
        if (i)
            wwt_ok(ww_lsh_add(whole, p[i]));
        else
            whole = tables_of(p[i], metric);
    }
    wwt_ok(ww_lsh_run(whole, self ? NULL : q, K, wanted, distances[0], found));
    for (size_t i = 0; i < parts; i++) {
        ww_lsh *lsh = tables_of(p[i], metric);
        ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
        shard.base_offset = cuts[i];
        shard.exclude_self = self;
        for (size_t n = 0; n < count; n++)
            initial[n] = distances[1][n * K + K - 1];
        shard.initial = i % 2 ? initial : NULL;
        const bool alone = self && parts == 1; // or by their own tables
        wwt_ok(ww_lsh_run_shard(lsh, alone ? NULL : q, K, &shard, i ? own : joined, distances[i ? 2 : 1], found));
        for (size_t n = 0; n < count * K; n++)
            ck_assert_int_eq((i ? own : joined)[n] >= 0, n % K < found[n / K]);
        for (size_t n = 0; i % 2 && n < count * K; n++)
            ck_assert(own[n] < 0 || distances[2][n] <= initial[n / K]);
        if (i)
            wwt_ok(ww_neighbours_merge(count, K, WW_FLOAT, 0, joined, distances[1], own, distances[2]));
        ww_lsh_destroy(&lsh);
    }
    ck_assert_mem_eq(joined, wanted, count * K * sizeof *wanted);
    ck_assert_mem_eq(distances[0], distances[1], count * K * sizeof(float));
    ww_lsh_destroy(&whole);
    for (size_t i = 0; i < parts; i++)
        ww_points_destroy(&p[i]);
    ww_points_destroy(&q);
    for (int i = 0; i < 3; i++)
        free(distances[i]);
    free(found);
    free(initial);
    free(own);
    free(joined);
    free(wanted);
}

// Loops: the families, by other queries and the points themselves.
START_TEST(tables) {
    static const ww_metric metrics[] = {WW_METRIC_L2_SQUARED, WW_METRIC_COSINE, WW_METRIC_HAMMING, WW_METRIC_JACCARD};
    const size_t cuts[][5] = {{0}, {0, 1}, {0, 301, 570}, {0, 2, 130, 371}, {0, 7, 400, 401, 550}};
    wwt_seed((unsigned)_i);
    cloud base = make(ww_metric_kind(metrics[_i % 4]), 600, false),
          queries = make(ww_metric_kind(metrics[_i % 4]), QUERIES, false);
    for (size_t n = 0; n < 5; n++)
        check_tables(&base, &queries, metrics[_i % 4], cuts[n], n + 1, _i / 4);
    cloud_free(&queries);
    cloud_free(&base);
}
END_TEST

// Loops: the filters that a CPU does not choose.
START_TEST(filters) {
    static const char *const tunings[] = {"default form.filter 1\ndefault knn.row_group 64\ndefault knn.group 64\n",
                                          "default form.filter 4\ndefault knn.row_group 64\n"};
    ww_context *context = wwt_context_tuned(tunings[_i]);
    wwt_seed((unsigned)_i + 50);
    check(context, WW_METRIC_L2_SQUARED, WW_FLOAT, true, true);
    check(context, WW_METRIC_COSINE, WW_FLOAT, false, false);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(refusals) {
    wwt_seed(7);
    cloud c = make(WW_POINTS_NUMBERS, 20, false);
    ww_points *a = upload(wwt_context, &c, 0, 20, WW_FLOAT);
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn *knn = NULL;
    wwt_fails(ww_knn_create_shard(a, NULL, 1, &shard, &options, &knn), WW_ERROR_UNSUPPORTED);
    options.metric = WW_METRIC_L1;
    shard.query_offset = 1;
    wwt_fails(ww_knn_create_shard(a, NULL, 1, &shard, &options, &knn), WW_ERROR_INVALID_ARGUMENT);
    shard.base_offset = (uint64_t)INT64_MAX - 3;
    wwt_fails(ww_knn_create_shard(a, a, 1, &shard, &options, &knn), WW_ERROR_OVERFLOW);
    shard.struct_size = 0;
    wwt_fails(ww_knn_create_shard(a, a, 1, &shard, &options, &knn), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh *lsh = tables_of(a, WW_METRIC_L2);
    shard = (ww_nearest_shard)WW_NEAREST_SHARD_INIT;
    int64_t none[20];
    wwt_fails(ww_lsh_run_shard(lsh, NULL, 1, &shard, none, NULL, NULL), WW_ERROR_UNSUPPORTED);
    wwt_ok(ww_lsh_run_shard(lsh, NULL, 1, NULL, none, NULL, NULL));
    ww_lsh_destroy(&lsh);
    lsh = tables_of(a, WW_METRIC_L1);
    wwt_fails(ww_lsh_run_shard(NULL, NULL, 1, &shard, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run_shard(lsh, NULL, 1, &shard, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run_shard(lsh, NULL, 0, &shard, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    shard.exclude_self = 1;
    wwt_fails(ww_lsh_run_shard(lsh, a, WW_LSH_MOST_K, &shard, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    shard.query_offset = 1;
    wwt_fails(ww_lsh_run_shard(lsh, NULL, 1, &shard, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh_destroy(&lsh);
    // Far apart no point is in both; NaN is no distance.
    float initial[20], distances[20];
    int64_t ids[20];
    for (size_t i = 0; i < 20; i++)
        initial[i] = i % 2 ? NAN : -1;
    shard = (ww_nearest_shard)WW_NEAREST_SHARD_INIT;
    shard.base_offset = INT64_C(1) << 40;
    shard.exclude_self = 1;
    shard.initial = initial;
    wwt_ok(ww_knn_create_shard(a, a, 1, &shard, &options, &knn));
    memset(initial, 0, sizeof initial); // it was copied
    wwt_ok(ww_knn_run(knn, ids, distances, NULL));
    for (size_t i = 0; i < 20; i++) {
        ck_assert(i % 2 ? ids[i] >= INT64_C(1) << 40 && distances[i] == 0 : ids[i] == -1);
        ck_assert(i % 2 || isinf(distances[i]));
    }
    ww_knn_destroy(&knn);
    ww_points_destroy(&a);
    cloud_free(&c);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("point_shards");
    wwt_add(suite, bytes_of_the_whole, 17);
    wwt_add(suite, filters, 2);
    wwt_add(suite, tables, 8);
    wwt_add(suite, refusals, 1);
    return wwt_run(suite);
}
