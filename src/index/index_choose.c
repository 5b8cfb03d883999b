// SPDX-License-Identifier: Apache-2.0
// How wide a beam reaches a recall: measured on a sample of queries, whose exact neighbours are known. And searches,
// which use it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "index/series_index.h"
#include "options.h"

// The first sample's size; the first beam; what a listed distance costs, in distances of an exact search, which has all
// of a row side by side; 97.5 % of a normal distribution.
enum { SAMPLE = 512, FIRST_BEAM = 8, LISTED_COST = 2 };
#define NORMAL 1.959963984540054

typedef struct choice {
    ww_index *index;
    size_t k, sample;
    double recall;
    ww_dataset *queries; // the sample
    uint32_t *own;       // of the base: theirs in it; NULL: none is in it
    int64_t *truth;      // sample x k
    void *truth_distances;
    uint32_t *ids;
    double *distances;
    double exact_work; // distances of a query, as an exact search computes them
    ww_index_info measured;
} choice;

static void choice_close(choice *c) {
    ww_dataset_destroy(&c->queries);
    free(c->own);
    free(c->truth);
    free(c->truth_distances);
    free(c->ids);
    free(c->distances);
}

ww_status wwi_index_check_target(const ww_index_target *target) {
    ww_index_target t = WW_INDEX_TARGET_INIT;
    WWI_TRY(wwi_options_take(&t, target, "ww_index_target"));
    if (t.k < 1 || t.k > WW_INDEX_MOST_BEAM)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; 1 to %d", t.k, WW_INDEX_MOST_BEAM);
    if (!(t.recall > 0 && t.recall < 1))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "recall is %g; it must be above 0 and below 1", t.recall);
    return WW_OK;
}

// ---- the sample

static int by_number(const void *a, const void *b, void *user) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    (void)user;
    return x < y ? -1 : x > y;
}

// `count` of the numbers in `from`, at random, in their order, to its beginning.
static void draw(uint32_t *from, size_t all, size_t count, uint64_t seed) {
    uint64_t state = seed;
    for (size_t i = 0; i < count; i++) {
        const size_t j = i + (size_t)(wwi_random(&state) % (all - i));
        const uint32_t drawn = from[j];
        from[j] = from[i];
        from[i] = drawn;
    }
    wwi_sort(from, count, sizeof *from, by_number, NULL);
}

static ww_status take_sample(choice *c, const ww_index_target *t) {
    ww_index *x = c->index;
    ww_dataset *from = t->asking ? t->asking : x->base;
    WWI_FREES uint32_t *numbers = NULL;
    size_t all = 0;
    WWI_TRY(wwi_new(numbers, from->count));
    for (size_t i = 0; i < from->count; i++)
        if (t->asking || !wwi_index_is_removed(x, i))
            numbers[all++] = (uint32_t)i;
    c->sample = (size_t)wwi_least(all, t->sample ? t->sample : SAMPLE);
    draw(numbers, all, c->sample, t->seed);
    WWI_TRY(wwi_index_take(from, numbers, c->sample, &c->queries));
    if (!t->asking)
        c->own = wwi_taken(&numbers);
    return WW_OK;
}

static ww_status find_truth(choice *c) {
    ww_index *x = c->index;
    double share;
    const size_t all = c->sample * c->k;
    WWI_TRY(wwi_new(c->truth, all));
    WWI_TRY((c->truth_distances = malloc(all * x->value_bytes)) ? WW_OK : wwi_fail_memory(all * x->value_bytes));
    WWI_TRY(wwi_new(c->ids, all));
    WWI_TRY(wwi_new(c->distances, all));
    WWI_TRY(wwi_index_exact(x, c->queries, c->own, c->k, c->truth, c->truth_distances, &share));
    c->exact_work = share * (double)wwi_index_live(x);
    return wwi_index_tell(x, c->sample);
}

// ---- measuring

// Of the k nearest of query i how many were found: they are the same, or as near as the last of them.
static size_t count_found(const choice *c, size_t i) {
    const ww_index *x = c->index;
    const int64_t *truth = c->truth + i * c->k;
    double last = wwi_value_at(c->truth_distances, x->precision, i * c->k + c->k - 1);
    size_t found = 0;
    if (x->similarity)
        last = -last;
    for (size_t j = 0; j < c->k; j++) {
        const uint32_t id = c->ids[i * c->k + j];
        bool is = id != WWI_NO_LINK && c->distances[i * c->k + j] <= last;
        for (size_t t = 0; !is && id != WWI_NO_LINK && t < c->k; t++)
            is = truth[t] == id;
        found += is;
    }
    return found;
}

// Wilson's interval, of as many trials as the spread between queries says that there are.
static void set_interval(const choice *c, double mean, double squares, ww_index_info *m) {
    const double n = (double)c->sample, variance = squares / n - mean * mean;
    const double inside = mean * (1 - mean);
    double trials = n;
    if (variance > 0 && inside > 0)
        trials = fmin(n * (double)c->k, n * inside / variance);
    const double z = NORMAL * NORMAL / trials, middle = (mean + z / 2) / (1 + z);
    const double half = NORMAL * sqrt(inside / trials + z / (4 * trials)) / (1 + z);
    m->recall = mean;
    m->recall_low = fmax(0, middle - half);
    m->recall_high = fmin(1, middle + half);
}

// What a beam reaches on the sample.
static ww_status measure(choice *c, uint32_t beam, ww_index_info *m) {
    wwi_index_walk walk = {.queries = c->queries,
                           .count = c->sample,
                           .own = c->own,
                           .beam = beam,
                           .k = c->k,
                           .ids = c->ids,
                           .distances = c->distances};
    double sum = 0, squares = 0;
    WWI_TRY(wwi_index_run(c->index, &walk));
    for (size_t i = 0; i < c->sample; i++) {
        const double share = (double)count_found(c, i) / (double)c->k;
        sum += share;
        squares += share * share;
    }
    set_interval(c, sum / (double)c->sample, squares, m);
    m->sample_examined = (double)walk.examined / (double)c->sample;
    m->beam = beam;
    return WW_OK;
}

static bool is_reached(const choice *c, const ww_index_info *m) {
    return m->recall_low >= c->recall;
}

// Whether an exact search takes less work.
static bool is_slow(const choice *c, const ww_index_info *m) {
    return LISTED_COST * m->sample_examined >= c->exact_work;
}

// The narrowest beam, to an eighth, that reaches the recall; beam 0 where none does by less than the exact work.
static ww_status find_beam(choice *c, ww_index_info *best) {
    const uint32_t most = (uint32_t)wwi_least(WW_INDEX_MOST_BEAM, c->index->count);
    uint32_t low = 0, high = (uint32_t)wwi_least(most, c->k > FIRST_BEAM ? c->k : FIRST_BEAM);
    ww_index_info m = WW_INDEX_INFO_INIT;
    for (;;) {
        WWI_TRY(measure(c, high, best));
        if (is_reached(c, best))
            break;
        if (high == most || is_slow(c, best)) {
            best->beam = 0;
            return WW_OK;
        }
        low = high;
        high = (uint32_t)wwi_least(most, 2 * (uint64_t)high);
    }
    while (low && high - low > 1 + low / 8) {
        const uint32_t middle = low + (high - low) / 2;
        WWI_TRY(measure(c, middle, &m));
        if (is_reached(c, &m)) {
            *best = m;
            high = middle;
        } else {
            low = middle;
        }
    }
    if (is_slow(c, best))
        best->beam = 0;
    return WW_OK;
}

// The number of entries with whose beam least distances are looked at.
static ww_status find_starts(choice *c) {
    ww_index *x = c->index;
    ww_index_info m = WW_INDEX_INFO_INIT;
    for (size_t starts = WWI_INDEX_LEAST_STARTS, last = 0; last < x->entry_count; starts *= 4) {
        const size_t wanted = starts > x->must_count ? starts : x->must_count;
        last = x->start_count = (size_t)wwi_least(x->entry_count, wanted);
        WWI_TRY(find_beam(c, &m));
        const bool better =
            m.beam ? c->measured.beam == 0 || m.sample_examined < c->measured.sample_examined : c->measured.beam == 0;
        if (better) {
            c->measured = m;
            c->measured.entries = x->start_count;
        }
    }
    return WW_OK;
}

static ww_status choose(choice *c, const ww_index_target *t) {
    enum { TRIALS = 24 };
    ww_index *x = c->index;
    const size_t others = wwi_index_live(x) - (t->asking == NULL);
    c->k = (size_t)wwi_least(t->k, others);
    c->measured = (ww_index_info)WW_INDEX_INFO_INIT;
    c->measured.entries = x->start_count;
    if (c->k == 0) // one series: there is nothing to measure
        return WW_OK;
    WWI_TRY(take_sample(c, t));
    x->done = 0;
    x->total = (uint64_t)c->sample * TRIALS;
    WWI_TRY(find_truth(c));
    WWI_TRY(find_starts(c));
    return wwi_index_tell(x, x->total);
}

ww_status ww_index_choose(ww_index *x, const ww_index_target *target) {
    ww_index_target t = WW_INDEX_TARGET_INIT;
    WWI_ENDS(choice_close) choice c = {.index = x};
    const double start = wwi_seconds();
    WWI_NEEDS("index", x);
    WWI_TRY(wwi_index_check_target(target));
    WWI_TRY(wwi_options_take(&t, target, "ww_index_target"));
    if (wwi_index_live(x) == 0)
        return wwi_fail(WW_ERROR_EMPTY, "all series of the index are removed");
    c.recall = t.recall;
    const size_t before = x->start_count;
    const ww_status status = choose(&c, &t);
    const ww_index_info *m = &c.measured;
    x->start_count = status == WW_OK ? m->entries : before;
    WWI_TRY(status);
    x->beam = m->beam;
    x->info.target_k = x->beam_k = t.k;
    x->info.target_recall = t.recall;
    x->info.recall = m->beam ? m->recall : 1;
    x->info.recall_low = m->beam ? m->recall_low : 1;
    x->info.recall_high = m->beam ? m->recall_high : 1;
    x->info.sample = c.sample;
    x->info.sample_examined = m->sample_examined;
    x->info.seconds_choose = wwi_seconds() - start;
    wwi_index_count(x);
    return WW_OK;
}

// ---- searches

static void give(const ww_index *x, const wwi_index_walk *walk, int64_t *ids, void *distances) {
    for (size_t i = 0; i < walk->count * walk->k; i++) {
        ids[i] = walk->ids[i] == WWI_NO_LINK ? -1 : (int64_t)walk->ids[i];
        if (distances)
            wwi_set_value(distances, x->precision, i, x->similarity ? 0 - walk->distances[i] : walk->distances[i]);
    }
}

static ww_status walk_all(ww_index *x, ww_dataset *queries, const uint32_t *own, size_t k, int64_t *ids,
                          void *distances) {
    WWI_FREES uint32_t *found = NULL;
    WWI_FREES double *values = NULL;
    const uint64_t wide = x->beam_k ? wwi_ceil_div((uint64_t)x->beam * k, x->beam_k) : x->beam;
    WWI_TRY(wwi_new(found, queries->count * k));
    WWI_TRY(wwi_new(values, queries->count * k));
    wwi_index_walk walk = {.queries = queries,
                           .count = queries->count,
                           .own = own,
                           .from_links = own != NULL,
                           .k = k,
                           .ids = found,
                           .distances = values};
    walk.beam = (uint32_t)(wide > x->beam ? wide : x->beam);
    walk.beam = walk.beam > k ? walk.beam : (uint32_t)k;
    WWI_TRY(wwi_index_run(x, &walk));
    x->info.examined = walk.examined;
    give(x, &walk, ids, distances);
    return WW_OK;
}

ww_status ww_index_search(ww_index *x, ww_dataset *queries, size_t k, int64_t *ids, void *distances) {
    WWI_FREES uint32_t *own = NULL;
    const double start = wwi_seconds();
    uint64_t values;
    WWI_NEEDS("index, ids", x, ids);
    if (k < 1 || k > WW_INDEX_MOST_BEAM)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; 1 to %d", k, WW_INDEX_MOST_BEAM);
    ww_dataset *asking = queries ? queries : x->base;
    if (!wwi_mul_u64(asking->count, k * sizeof(double), &values))
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu neighbours of %zu series are more than 64 bits count", k,
                        asking->count);
    if (!queries) {
        WWI_TRY(wwi_new(own, asking->count));
        for (size_t i = 0; i < asking->count; i++)
            own[i] = (uint32_t)i;
    }
    x->done = 0;
    x->total = asking->count;
    WWI_TRY(x->beam ? walk_all(x, asking, own, k, ids, distances)
                    : wwi_index_exact(x, asking, own, k, ids, distances, NULL));
    WWI_TRY(wwi_index_tell(x, x->total));
    x->info.seconds_search = wwi_seconds() - start;
    return WW_OK;
}
