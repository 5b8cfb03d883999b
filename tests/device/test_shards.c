// SPDX-License-Identifier: Apache-2.0
// Nearest series by shards: parts of the base, and of the queries, give the bytes of the whole.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { BASE = 203, QUERIES = 31 };

// Series [first, first + count) of a set.
static ww_dataset *part_of(const wwt_set *set, size_t first, size_t count, ww_precision precision) {
    const wwt_set part = {count, set->channels, set->lengths + first, set->offsets, set->values + set->offsets[first]};
    return wwt_dataset(&part, precision);
}

static size_t value_bytes(ww_precision precision) {
    return precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
}

typedef struct search {
    const ww_measure *measure;
    const wwt_set *queries, *base;
    ww_precision precision;
    size_t k;
    bool exclude_self;
} search;

static void run(const search *s, size_t query, size_t queries, size_t base, size_t count, const void *initial,
                int64_t *indices, void *distances) {
    ww_dataset *a = part_of(s->queries, query, queries, s->precision), *b = part_of(s->base, base, count, s->precision);
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    ww_plan *plan = NULL;
    shard.query_offset = query;
    shard.base_offset = base;
    shard.exclude_self = s->exclude_self;
    shard.initial = initial;
    wwt_ok(ww_plan_create_nearest_shard(s->measure, a, b, s->k, &shard, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, distances));
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
}

// The k-th distances of a result.
static void last_of(const search *s, size_t count, const unsigned char *distances, unsigned char *last) {
    const size_t size = value_bytes(s->precision);
    for (size_t i = 0; i < count; i++)
        memcpy(last + i * size, distances + (i * s->k + s->k - 1) * size, size);
}

// The whole search in shards of `wide` series, queries `high` at a time; later shards know the k-th distances.
static void check_shards(const search *s, size_t high, size_t wide, bool pruned, const int64_t *indices,
                         const unsigned char *distances) {
    const size_t size = value_bytes(s->precision);
    const bool similarity = s->measure->id == WW_LCS;
    int64_t *found = calloc(high * s->k, sizeof *found), *other = calloc(high * s->k, sizeof *other);
    unsigned char *values = calloc(high * s->k, size), *others = calloc(high * s->k, size), *last = calloc(high, size);
    for (size_t query = 0; query < s->queries->count; query += high) {
        const size_t rows = high < s->queries->count - query ? high : s->queries->count - query;
        for (size_t base = 0; base < s->base->count; base += wide) {
            const size_t count = wide < s->base->count - base ? wide : s->base->count - base;
            last_of(s, rows, values, last);
            run(s, query, rows, base, count, pruned && base ? last : NULL, base ? other : found,
                base ? others : values);
            for (size_t t = 0; base && pruned && t < rows * s->k; t++) {
                const double limit = wwt_value(last, s->precision, t / s->k);
                const double value = wwt_value(others, s->precision, t);
                ck_assert(other[t] < 0 || (similarity ? value >= limit : value <= limit));
                ck_assert(other[t] >= 0 || isinf(value));
            }
            if (base)
                wwt_ok(ww_neighbours_merge(rows, s->k, s->precision, similarity, found, values, other, others));
        }
        ck_assert_mem_eq(found, indices + query * s->k, rows * s->k * sizeof *found);
        ck_assert_mem_eq(values, distances + query * s->k * size, rows * s->k * size);
    }
    free(found);
    free(other);
    free(values);
    free(others);
    free(last);
}

static const ww_measure_id measures[] = {WW_DTW, WW_FRECHET, WW_MSM, WW_LEVENSHTEIN, WW_LCS, WW_ADTW};
enum { MEASURES = sizeof measures / sizeof *measures };

static void small_numbers(wwt_set *set) {
    for (size_t t = 0; t < set->offsets[set->count - 1] + set->lengths[set->count - 1]; t++)
        set->values[t] = fmod(fabs(round(set->values[t])), 3);
}

// Loops: measures, by precision, by two sets or one. Symbols give many ties.
START_TEST(bytes_of_the_whole) {
    const ww_measure_id id = measures[_i % MEASURES];
    const ww_precision precision = _i / MEASURES % 2 ? WW_DOUBLE : WW_FLOAT;
    const bool self = _i / MEASURES / 2;
    if (precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed((unsigned)_i);
    const ww_measure measure = wwt_measure(id);
    const bool symbols = ww_measure_info_by_id(id)->is_of_symbols;
    const size_t least = symbols ? 3 : 100, most = symbols ? 6 : 140;
    wwt_set base = wwt_set_random(1, least, most, self ? 61 : BASE), queries = wwt_set_random(1, least, most, QUERIES);
    if (symbols) {
        small_numbers(&base);
        small_numbers(&queries);
    }
    static const size_t ks[] = {1, 3, 70};
    for (size_t n = 0; n < 3; n++) {
        const search s = {&measure, self ? &base : &queries, &base, precision, ks[n], self};
        const size_t count = s.queries->count * s.k;
        ww_dataset *a = wwt_dataset(s.queries, precision), *b = self ? NULL : wwt_dataset(s.base, precision);
        ww_plan *plan = NULL;
        int64_t *indices = calloc(count, sizeof *indices);
        unsigned char *distances = calloc(count, value_bytes(precision));
        wwt_ok(ww_plan_create_nearest(&measure, a, b, s.k, NULL, &plan));
        wwt_ok(ww_plan_run_nearest(plan, indices, distances));
        check_shards(&s, 13, self ? 17 : 67, false, indices, distances);
        check_shards(&s, QUERIES, 101, true, indices, distances);
        free(indices);
        free(distances);
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&b);
        ww_dataset_destroy(&a);
    }
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

// The distances of the best known bound what is computed: where all are far, nearly nothing is.
START_TEST(initial_distances_prune) {
    wwt_seed(5);
    const ww_measure measure = wwt_measure(WW_DTW);
    size_t lengths[BASE];
    for (size_t i = 0; i < BASE; i++)
        lengths[i] = 200;
    wwt_set base = wwt_set_make(1, lengths, BASE), queries = wwt_set_make(1, lengths, QUERIES);
    ww_dataset *a = wwt_dataset(&queries, WW_FLOAT), *b = wwt_dataset(&base, WW_FLOAT);
    float initial[QUERIES], distances[QUERIES];
    int64_t indices[QUERIES];
    uint64_t done[2];
    for (int known = 0; known < 2; known++) {
        ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
        ww_plan *plan = NULL;
        ww_plan_info info = WW_PLAN_INFO_INIT;
        for (size_t i = 0; i < QUERIES; i++)
            initial[i] = 1e-20f;
        shard.initial = known ? initial : NULL;
        shard.base_offset = 1000;
        wwt_ok(ww_plan_create_nearest_shard(&measure, a, b, 1, &shard, NULL, &plan));
        memset(initial, 0, sizeof initial); // it was copied
        wwt_ok(ww_plan_run_nearest(plan, indices, distances));
        wwt_ok(ww_plan_get_info(plan, &info));
        done[known] = info.cells_done;
        for (size_t i = 0; i < QUERIES; i++) {
            ck_assert(known ? indices[i] == -1 : indices[i] >= 1000 && indices[i] < 1000 + BASE);
            ck_assert(known ? isinf(distances[i]) != 0 : distances[i] > 0);
        }
        ww_plan_destroy(&plan);
    }
    printf("# cells: %llu, with initial distances %llu\n", (unsigned long long)done[0], (unsigned long long)done[1]);
    ck_assert_uint_lt(done[1], done[0]);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

START_TEST(refusals) {
    wwt_seed(6);
    const ww_measure measure = wwt_measure(WW_DTW);
    wwt_set set = wwt_set_random(1, 10, 10, 4);
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    ww_plan *plan = NULL;
    shard.query_offset = 1;
    wwt_fails(ww_plan_create_nearest_shard(&measure, a, NULL, 1, &shard, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    shard.base_offset = (uint64_t)INT64_MAX - 3;
    wwt_fails(ww_plan_create_nearest_shard(&measure, a, a, 1, &shard, NULL, &plan), WW_ERROR_OVERFLOW);
    // One set with itself, somewhere in the whole.
    int64_t indices[4];
    shard.query_offset = shard.base_offset = INT64_C(1) << 40;
    wwt_ok(ww_plan_create_nearest_shard(&measure, a, NULL, 1, &shard, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, NULL));
    for (int64_t i = 0; i < 4; i++)
        ck_assert(indices[i] != i + (INT64_C(1) << 40) && indices[i] >= INT64_C(1) << 40);
    ww_plan_destroy(&plan);
    // Far apart: no series is in both.
    shard.base_offset = 0;
    shard.exclude_self = 1;
    wwt_ok(ww_plan_create_nearest_shard(&measure, a, a, 1, &shard, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, NULL));
    for (int64_t i = 0; i < 4; i++)
        ck_assert_int_eq(indices[i], i);
    ww_plan_destroy(&plan);
    float one[2] = {1, (float)INFINITY}, two[2] = {1, 2};
    int64_t first[2] = {7, -1}, second[2] = {3, 7};
    wwt_fails(ww_neighbours_merge(1, 0, WW_FLOAT, 0, first, one, second, two), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_neighbours_merge(1, 2, WW_FLOAT, 0, first, NULL, second, two), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_neighbours_merge(SIZE_MAX, 2, WW_FLOAT, 0, first, one, second, two), WW_ERROR_OVERFLOW);
    wwt_ok(ww_neighbours_merge(1, 2, WW_FLOAT, 0, first, one, second, two));
    ck_assert(first[0] == 3 && first[1] == 7 && one[0] == 1 && one[1] == 1);
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shards");
    wwt_add(suite, bytes_of_the_whole, 4 * MEASURES);
    wwt_add(suite, initial_distances_prune, 1);
    wwt_add(suite, refusals, 1);
    return wwt_run(suite);
}
