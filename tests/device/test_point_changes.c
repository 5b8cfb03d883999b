// SPDX-License-Identifier: Apache-2.0
// Points as they are kept: in bytes and halves, with ids of their own, a subset of them, points that are added and
// removed. Each gives the bytes of a search that has no such thing. Metrics and filters are in test_knn.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { COUNT = 700, QUERIES = 150, DIMENSION = 6, MOST = COUNT, K = 7 };

// Points of any kind; `values` have the element's type.
typedef struct cloud {
    ww_point_kind kind;
    ww_element element;
    size_t count;
    unsigned char values[COUNT * DIMENSION * sizeof(float)];
    float numbers[COUNT * DIMENSION]; // the same as floats
    uint64_t offsets[COUNT + 1];
} cloud;

// The halves of small multiples of 1/8, and of a number below the least normal one.
static uint16_t half_of(int eighths) {
    if (eighths == 0)
        return 3; // 3 * 2^-24
    int exponent = 15, fraction = abs(eighths);
    while (fraction >= 16) // all are below 2048
        fraction /= 2, exponent++;
    while (fraction < 8)
        fraction *= 2, exponent--;
    return (uint16_t)((eighths < 0) << 15 | exponent << 10 | (fraction & 7) << 7);
}

static float half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent ? ldexp(fraction + 1024, exponent - 25) : ldexp(fraction, -24);
    return (float)(bits >> 15 ? -size : size);
}

static cloud *make(ww_point_kind kind, ww_element element, size_t count) {
    cloud *c = calloc(1, sizeof *c);
    *c = (cloud){.kind = kind, .element = element, .count = count};
    for (size_t i = 0; i < count * DIMENSION; i++) {
        const int number = (int)wwt_random_size(0, 60) - (element == WW_ELEMENT_UINT8 ? 0 : 30);
        const uint16_t half = half_of(number);
        c->numbers[i] = element == WW_ELEMENT_FLOAT16 ? half_value(half) : (float)number;
        if (element == WW_ELEMENT_FLOAT16)
            memcpy(c->values + 2 * i, &half, sizeof half);
        else if (element != WW_ELEMENT_PRECISION)
            c->values[i] = (unsigned char)number;
        else
            memcpy(c->values + sizeof(float) * i, &c->numbers[i], sizeof(float));
    }
    for (size_t i = 0; kind == WW_POINTS_SETS && i < count; i++) {
        const size_t size = wwt_random_size(0, DIMENSION);
        for (uint32_t j = 0; j < size; j++) {
            const uint32_t member = 2 * j + (uint32_t)wwt_random_size(0, 1);
            memcpy(c->values + sizeof member * (c->offsets[i] + j), &member, sizeof member);
        }
        c->offsets[i + 1] = c->offsets[i] + size;
    }
    return c;
}

static ww_point_view view_of(const cloud *c, bool as_floats) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    view.kind = c->kind;
    view.values = as_floats ? (const void *)c->numbers : (const void *)c->values;
    view.element = as_floats ? WW_ELEMENT_PRECISION : c->element;
    view.count = c->count;
    view.dimension = c->kind == WW_POINTS_BITS ? DIMENSION * 8 : DIMENSION;
    view.offsets = c->kind == WW_POINTS_SETS ? c->offsets : NULL;
    return view;
}

static ww_points *upload(ww_context *context, const cloud *c, bool as_floats, ww_precision precision,
                         uint64_t max_bytes, const int64_t *ids) {
    const ww_point_view view = view_of(c, as_floats);
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    options.precision = precision;
    options.max_bytes = max_bytes;
    options.ids = ids;
    wwt_ok(ww_points_create(context, &view, &options, &points));
    return points;
}

typedef struct found {
    int64_t ids[COUNT * COUNT];
    double distances[COUNT * COUNT]; // of the precision
    uint32_t found[COUNT];
    size_t queries, k;
} found;

static void search(ww_points *base, ww_points *queries, size_t k, const ww_knn_options *options, found *f) {
    ww_knn *knn = NULL;
    f->queries = ww_points_count(queries ? queries : base);
    f->k = k;
    wwt_ok(ww_knn_create(base, queries, k, options, &knn));
    wwt_ok(ww_knn_run(knn, f->ids, f->distances, f->found));
    ww_knn_destroy(&knn);
}

static void check_same(const found *a, const found *b, ww_precision precision) {
    const size_t count = a->queries * a->k;
    ck_assert_uint_eq(a->queries, b->queries);
    ck_assert_mem_eq(a->ids, b->ids, count * sizeof *a->ids);
    ck_assert_mem_eq(a->distances, b->distances, count * (precision == WW_DOUBLE ? sizeof(double) : sizeof(float)));
    ck_assert_mem_eq(a->found, b->found, a->queries * sizeof *a->found);
}

// ---- bytes and halves

static const struct {
    ww_metric metric;
    ww_precision precision;
    const char *tuning; // filters that a CPU does not choose
} stored_cases[] = {
    {WW_METRIC_L2, WW_FLOAT, ""},
    {WW_METRIC_COSINE, WW_DOUBLE, ""},
    {WW_METRIC_INNER_PRODUCT, WW_FLOAT, "default form.filter 1\ndefault knn.row_group 64\ndefault knn.group 64\n"},
    {WW_METRIC_L1, WW_FLOAT, "default form.filter 2\n"},
    {WW_METRIC_L2_SQUARED, WW_FLOAT, "default form.filter 4\ndefault knn.row_group 64\n"},
    {WW_METRIC_CANBERRA, WW_FLOAT, ""},
    {WW_METRIC_CORRELATION, WW_FLOAT, ""},
};
enum { STORED_CASES = sizeof stored_cases / sizeof *stored_cases };

// Both sides narrow, one of them, and the points with themselves; whole, and in slices and blocks.
START_TEST(stored) {
    const ww_element element = (ww_element)(1 + _i % 3);
    const ww_precision precision = stored_cases[_i / 3].precision;
    if ((int)precision >= wwt_precision_count())
        return;
    wwt_seed((unsigned)_i);
    ww_context *context = wwt_context_tuned(stored_cases[_i / 3].tuning);
    cloud *base = make(WW_POINTS_NUMBERS, element, COUNT), *queries = make(WW_POINTS_NUMBERS, element, QUERIES);
    found *plain = calloc(1, sizeof *plain), *narrow = calloc(1, sizeof *narrow);
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    options.metric = stored_cases[_i / 3].metric;
    for (int self = 0; self < 2; self++) {
        ww_points *b = upload(context, base, true, precision, 0, NULL);
        ww_points *q = self ? NULL : upload(context, queries, true, precision, 0, NULL);
        search(b, q, K, &options, plain);
        ww_points_destroy(&b);
        ww_points_destroy(&q);
        for (int form = 0; form < (self ? 2 : 4); form++) {
            const uint64_t max_bytes = form == 1 ? 256 * DIMENSION * 8 : 0;
            ww_run_options run = WW_RUN_OPTIONS_INIT;
            run.max_bytes = form == 1 ? 1 << 20 : 0;
            options.run = &run;
            b = upload(context, base, form == 3, precision, max_bytes, NULL);
            q = self ? NULL : upload(context, queries, form == 2, precision, max_bytes, NULL);
            ck_assert_int_eq(ww_points_element(b), form == 3 ? WW_ELEMENT_PRECISION : element);
            search(b, q, K, &options, narrow);
            check_same(narrow, plain, precision);
            ww_points_destroy(&b);
            ww_points_destroy(&q);
            options.run = NULL;
        }
    }
    ww_context_destroy(&context);
    free(base);
    free(queries);
    free(plain);
    free(narrow);
}
END_TEST

START_TEST(read_back) {
    for (int e = WW_ELEMENT_PRECISION; e <= WW_ELEMENT_FLOAT16; e++) {
        cloud *c = make(WW_POINTS_NUMBERS, (ww_element)e, 130);
        ww_point_view view = WW_POINT_VIEW_INIT;
        ww_point_set *set = NULL;
        ww_points *points = upload(wwt_context, c, false, WW_FLOAT, 0, NULL);
        wwt_ok(ww_point_set_of_points(points, &set));
        wwt_ok(ww_point_set_view(set, &view));
        ck_assert_int_eq(view.element, e);
        ck_assert_mem_eq(view.values, c->values,
                         c->count * DIMENSION *
                             (e == 0                    ? sizeof(float)
                              : e == WW_ELEMENT_FLOAT16 ? 2
                                                        : 1));
        ww_point_set_destroy(&set);
        ww_points_destroy(&points);
        free(c);
    }
}
END_TEST

// ---- subsets

static const struct {
    ww_point_kind kind;
    ww_element element;
    ww_metric metric;
} kinds[] = {{WW_POINTS_NUMBERS, WW_ELEMENT_PRECISION, WW_METRIC_L2},
             {WW_POINTS_NUMBERS, WW_ELEMENT_UINT8, WW_METRIC_L2},
             {WW_POINTS_BITS, WW_ELEMENT_PRECISION, WW_METRIC_HAMMING},
             {WW_POINTS_SETS, WW_ELEMENT_PRECISION, WW_METRIC_JACCARD}};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Of a search for all points those that `is_there` has, the first k of each query, by their ids.
static void leave(const found *all, const bool *is_there, const int64_t *ids, size_t k, found *left) {
    const float *from = (const float *)(const void *)all->distances;
    float *to = (float *)(void *)left->distances;
    left->queries = all->queries;
    left->k = k;
    for (size_t q = 0; q < all->queries; q++) {
        size_t at = 0;
        for (size_t i = 0; i < all->k && at < k; i++) {
            const int64_t id = all->ids[q * all->k + i];
            if (id < 0 || !is_there[id])
                continue;
            left->ids[q * k + at] = ids ? ids[id] : id;
            to[q * k + at++] = from[q * all->k + i];
        }
        left->found[q] = (uint32_t)at;
        for (; at < k; at++) {
            left->ids[q * k + at] = -1;
            to[q * k + at] = INFINITY;
        }
    }
}

// Loops: kinds, in slices or whole, with own ids or without.
START_TEST(subsets) {
    const int kind = _i % KINDS, sliced = _i / KINDS % 2, named = _i / KINDS / 2;
    wwt_seed((unsigned)_i + 100);
    cloud *base = make(kinds[kind].kind, kinds[kind].element, COUNT),
          *queries = make(kinds[kind].kind, kinds[kind].element, QUERIES);
    found *all = calloc(1, sizeof *all), *wanted = calloc(1, sizeof *wanted), *got = calloc(1, sizeof *got);
    int64_t ids[COUNT], subset[2 * COUNT];
    for (size_t i = 0; i < COUNT; i++)
        ids[i] = (int64_t)((i * 37) % COUNT) * INT64_C(1000000007);
    ww_points *plain = upload(wwt_context, base, false, WW_FLOAT, 0, NULL);
    ww_points *b = upload(wwt_context, base, false, WW_FLOAT, sliced ? 256 * DIMENSION * 4 : 0, named ? ids : NULL);
    for (int self = 0; self < 2; self++) {
        ww_points *q = self ? NULL : upload(wwt_context, queries, false, WW_FLOAT, 0, NULL);
        ww_knn_options options = WW_KNN_OPTIONS_INIT;
        options.metric = kinds[kind].metric;
        search(plain, q, COUNT, &options, all);
        for (int share = 1; share <= 400; share *= 20) {
            bool is_there[COUNT];
            uint8_t bits[(COUNT + 7) / 8] = {0};
            size_t count = 0;
            for (size_t i = 0; i < COUNT; i++) {
                is_there[i] = wwt_random_size(0, (size_t)share) == 0 || i == 17;
                bits[i / 8] = (uint8_t)(bits[i / 8] | is_there[i] << i % 8);
            }
            for (size_t i = COUNT; i-- > 0;) // in any order, and some twice
                for (size_t twice = 0; twice < 1 + i % 2 && is_there[i]; twice++)
                    subset[count++] = named ? ids[i] : (int64_t)i;
            leave(all, is_there, named ? ids : NULL, K, wanted);
            options.subset = subset;
            options.subset_count = count;
            search(b, q, K, &options, got);
            check_same(got, wanted, WW_FLOAT);
            options.subset = NULL;
            options.subset_bits = bits;
            search(b, q, K, &options, got);
            check_same(got, wanted, WW_FLOAT);
            options.subset_bits = NULL;
        }
        ww_points_destroy(&q);
    }
    ww_points_destroy(&b);
    ww_points_destroy(&plain);
    free(base);
    free(queries);
    free(all);
    free(wanted);
    free(got);
}
END_TEST

// ---- adding and removing

static cloud *part_of(const cloud *c, const size_t *places, size_t count) {
    cloud *p = calloc(1, sizeof *p);
    const size_t bytes = c->kind == WW_POINTS_BITS        ? DIMENSION
                         : c->element == WW_ELEMENT_UINT8 ? DIMENSION
                                                          : DIMENSION * sizeof(float);
    *p = (cloud){.kind = c->kind, .element = c->element, .count = count};
    for (size_t i = 0; i < count; i++) {
        const size_t at = places[i];
        if (c->kind != WW_POINTS_SETS) {
            memcpy(p->values + i * bytes, c->values + at * bytes, bytes);
            continue;
        }
        const uint64_t size = c->offsets[at + 1] - c->offsets[at];
        memcpy(p->values + p->offsets[i] * 4, c->values + c->offsets[at] * 4, size * 4);
        p->offsets[i + 1] = p->offsets[i] + size;
    }
    return p;
}

// Points that come and go, against points made of those that are there.
START_TEST(changes) {
    const int kind = _i % KINDS, sliced = _i / KINDS % 2, named = _i / KINDS / 2;
    wwt_seed((unsigned)_i + 200);
    cloud *all = make(kinds[kind].kind, kinds[kind].element, COUNT),
          *queries = make(kinds[kind].kind, kinds[kind].element, QUERIES);
    found *wanted = calloc(1, sizeof *wanted), *got = calloc(1, sizeof *got);
    const uint64_t max_bytes = sliced ? 256 * DIMENSION * 4 : 0;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_points *points = NULL, *q = upload(wwt_context, queries, false, WW_FLOAT, 0, NULL);
    size_t places[COUNT], count = 0, next = 0;
    int64_t ids[COUNT], told[COUNT];
    options.metric = kinds[kind].metric;
    while (next < COUNT) {
        const size_t some = next == 0 ? 40 : wwt_random_size(1, 160);
        const size_t more = some < COUNT - next ? some : COUNT - next;
        for (size_t i = 0; i < more; i++) {
            places[count + i] = next + i;
            ids[count + i] = named ? (int64_t)(5 * (next + i) + 3) : (int64_t)(next + i);
        }
        cloud *part = part_of(all, places + count, more);
        ww_points *added = upload(wwt_context, part, false, WW_FLOAT, max_bytes, named ? ids + count : NULL);
        if (points) {
            wwt_ok(ww_points_add(points, added));
            ww_points_destroy(&added);
        } else {
            points = added;
        }
        free(part);
        count += more;
        next += more;
        int64_t gone[COUNT];
        size_t gone_count = 0, left = 0;
        for (size_t i = 0; i < count; i++) {
            if (wwt_random_size(0, 9) == 0 && left + count - i > 1)
                gone[gone_count++] = ids[i];
            else
                places[left] = places[i], ids[left++] = ids[i];
        }
        wwt_ok(ww_points_remove(points, gone, gone_count));
        wwt_ok(ww_points_remove(points, gone, gone_count)); // twice is no error
        count = left;
        ck_assert_uint_eq(ww_points_count(points), count);
        wwt_ok(ww_points_get_ids(points, told));
        ck_assert_mem_eq(told, ids, count * sizeof *ids);
    }
    cloud *rest = part_of(all, places, count);
    ww_points *anew = upload(wwt_context, rest, false, WW_FLOAT, 0, ids);
    search(anew, q, K, &options, wanted);
    search(points, q, K, &options, got);
    check_same(got, wanted, WW_FLOAT);
    search(anew, NULL, K, &options, wanted);
    search(points, NULL, K, &options, got);
    check_same(got, wanted, WW_FLOAT);
    ww_points_destroy(&anew);
    ww_points_destroy(&points);
    ww_points_destroy(&q);
    free(rest);
    free(all);
    free(queries);
    free(wanted);
    free(got);
}
END_TEST

// ---- what is refused

START_TEST(refused) {
    cloud *c = make(WW_POINTS_NUMBERS, WW_ELEMENT_FLOAT16, 9), *bytes = make(WW_POINTS_NUMBERS, WW_ELEMENT_UINT8, 9);
    ww_point_view view = view_of(c, false);
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_knn_options search_options = WW_KNN_OPTIONS_INIT;
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    ww_lsh_options lsh_options = WW_LSH_OPTIONS_INIT;
    ww_points *points = NULL, *narrow = NULL;
    ww_knn *knn = NULL;
    ww_lsh *lsh = NULL;
    int64_t ids[9] = {0, 5, 10, 15, 20, 25, 30, 35, 40};
    const uint16_t kept = 0x3c00;
    for (int nan = 0; nan < 2; nan++) {
        const uint16_t odd = nan ? 0xfe01 : 0x7c00;
        memcpy(c->values + 2 * (4 * DIMENSION + 3), &odd, sizeof odd);
        wwt_fails(ww_points_create(wwt_context, &view, NULL, &points), WW_ERROR_NOT_FINITE);
        ck_assert_int_eq(ww_last_error()->series, 4);
        ck_assert_int_eq(ww_last_error()->position, 3);
    }
    memcpy(c->values + 2 * (4 * DIMENSION + 3), &kept, sizeof kept);
    view.element = (ww_element)4;
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &points), WW_ERROR_INVALID_ARGUMENT);
    view = view_of(bytes, false);
    view.kind = WW_POINTS_BITS;
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &points), WW_ERROR_INVALID_ARGUMENT);
    ids[3] = -1;
    options.ids = ids;
    view = view_of(c, true);
    wwt_fails(ww_points_create(wwt_context, &view, &options, &points), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_last_error()->series, 3);
    ids[3] = 15;
    wwt_ok(ww_points_create(wwt_context, &view, &options, &points));
    narrow = upload(wwt_context, bytes, false, WW_FLOAT, 0, NULL);
    wwt_fails(ww_points_add(points, narrow), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_points_add(points, points), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_points_remove(points, &(int64_t){41}, 1), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_points_remove(points, &(int64_t){-1}, 1), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_points_remove(points, ids, 9), WW_ERROR_EMPTY);
    wwt_ok(ww_points_remove(points, &(int64_t){7}, 1)); // no point has it
    ck_assert_uint_eq(ww_points_count(points), 9);
    search_options.subset = &(int64_t){7};
    search_options.subset_count = 1;
    wwt_fails(ww_knn_create(points, NULL, 1, &search_options, &knn), WW_ERROR_INVALID_ARGUMENT);
    search_options.subset = &(int64_t){-1};
    wwt_fails(ww_knn_create(points, NULL, 1, &search_options, &knn), WW_ERROR_INVALID_ARGUMENT);
    search_options.subset = &(int64_t){9};
    wwt_fails(ww_knn_create(narrow, NULL, 1, &search_options, &knn), WW_ERROR_INVALID_ARGUMENT);
    search_options.subset_count = 0;
    wwt_fails(ww_knn_create(points, NULL, 1, &search_options, &knn), WW_ERROR_EMPTY);
    search_options.subset_bits = (const uint8_t[]){1, 0};
    wwt_fails(ww_knn_create(points, NULL, 1, &search_options, &knn), WW_ERROR_INVALID_ARGUMENT);
    search_options.metric = WW_METRIC_L2_SQUARED;
    search_options.subset = NULL;
    wwt_fails(ww_knn_create_shard(narrow, NULL, 1, &shard, &search_options, &knn), WW_ERROR_UNSUPPORTED);
    search_options.subset_bits = NULL;
    wwt_fails(ww_knn_create_shard(points, NULL, 1, &shard, &search_options, &knn), WW_ERROR_UNSUPPORTED);
    wwt_fails(ww_lsh_create(points, &lsh_options, &lsh), WW_ERROR_UNSUPPORTED);
    wwt_fails(ww_lsh_create(narrow, &lsh_options, &lsh), WW_ERROR_UNSUPPORTED);
    wwt_ok(ww_knn_create(points, NULL, 1, &search_options, &knn));
    wwt_fails(ww_points_remove(points, ids, 1), WW_ERROR_INVALID_ARGUMENT); // in use
    ww_knn_destroy(&knn);
    wwt_ok(ww_points_remove(points, ids, 1));
    ww_points_destroy(&points);
    ww_points_destroy(&narrow);
    free(c);
    free(bytes);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("point_changes");
    wwt_add(suite, stored, 3 * STORED_CASES);
    wwt_add(suite, read_back, 1);
    wwt_add(suite, subsets, 4 * KINDS);
    wwt_add(suite, changes, 4 * KINDS);
    wwt_add(suite, refused, 1);
    return wwt_run(suite);
}
