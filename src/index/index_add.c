// SPDX-License-Identifier: Apache-2.0
// Adding series to an index: each finds its neighbours by a walk, is linked to some of them, and they to it. All is
// made beside the index, which changes only when everything is there.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "index/series_index.h"

// Of the series in the graph, so many are added at a time, since those of a batch see each other only where they have
// the same nearest series.
enum { LEAST_BATCH = 256, BATCH_SHARE = 16, TOGETHER = 16 };

// A link that found no room: what `from` might be linked to.
typedef struct wish {
    uint32_t from, to;
} wish;

typedef struct adding {
    ww_index *index; // the new one
    uint32_t k;      // neighbours of a series
    uint32_t first;  // of a batch
    size_t count;    // of it
    wwi_near *lists; // count x k, sorted
    uint32_t *ids;   // of those
    double *distances;
    wish *wishes;
    size_t wish_count, wish_room;
    wwi_index_pairs pairs;
} adding;

static void batch_close(adding *a) {
    wwi_free_taken(&a->lists);
    wwi_free_taken(&a->ids);
    wwi_free_taken(&a->distances);
    wwi_free_taken(&a->wishes);
    a->wish_room = 0;
    wwi_index_pairs_close(&a->pairs);
}

// ---- neighbours of a batch

static ww_status find(adding *a) {
    ww_index *x = a->index;
    WWI_FREES uint32_t *rows = NULL;
    WWI_TRY(wwi_new(rows, a->count));
    for (size_t i = 0; i < a->count; i++)
        rows[i] = a->first + (uint32_t)i;
    const uint32_t beam = x->beam > 2 * a->k ? x->beam : 2 * a->k;
    wwi_index_walk walk = {.queries = x->base,
                           .rows = rows,
                           .own = rows,
                           .count = a->count,
                           .removed = true,
                           .beam = beam,
                           .k = a->k,
                           .ids = a->ids,
                           .distances = a->distances};
    WWI_TRY(wwi_index_run(x, &walk));
    x->info.build_distances += walk.examined;
    for (size_t i = 0; i < a->count * a->k; i++)
        a->lists[i] = (wwi_near){(float)a->distances[i], a->ids[i]};
    return WW_OK;
}

static void offer(adding *a, size_t series, wwi_near one) {
    wwi_near *list = a->lists + series * a->k;
    uint32_t to = a->k - 1;
    for (uint32_t i = 0; i < a->k; i++)
        if (list[i].id == one.id)
            return;
    if (!wwi_is_nearer(one, list[to]))
        return;
    for (; to > 0 && wwi_is_nearer(one, list[to - 1]); to--)
        list[to] = list[to - 1];
    list[to] = one;
}

static int by_nearest(const void *p, const void *q, void *user) {
    const adding *a = user;
    const uint32_t i = *(const uint32_t *)p, j = *(const uint32_t *)q;
    const uint32_t x = a->ids[(size_t)i * a->k], y = a->ids[(size_t)j * a->k];
    return x != y ? (x < y ? -1 : 1) : i < j ? -1 : i > j;
}

static void put(adding *a, uint32_t row, uint32_t column) {
    wwi_index_pairs *p = &a->pairs;
    p->pairs[3 * p->count] = row;
    p->pairs[3 * p->count + 1] = column;
    p->pairs[3 * p->count + 2] = (uint32_t)p->count;
    if (p->bounded)
        wwi_set_value(p->radii, a->index->precision, p->count, (double)INFINITY);
    p->count++;
}

static ww_status compare_some(adding *a) {
    ww_index *x = a->index;
    WWI_TRY(wwi_index_pairs_run(x, &a->pairs));
    x->info.build_distances += a->pairs.count;
    for (size_t i = 0; i < a->pairs.count; i++) {
        const uint32_t p = a->pairs.pairs[3 * i], q = a->pairs.pairs[3 * i + 1];
        const float distance = (float)wwi_index_pairs_value(x, &a->pairs, i);
        offer(a, p - a->first, (wwi_near){distance, q});
        if (x->symmetric)
            offer(a, q - a->first, (wwi_near){distance, p});
    }
    a->pairs.count = 0;
    return WW_OK;
}

// Series of a batch that have the same nearest one are compared, each with the next TOGETHER of them.
static ww_status compare(adding *a) {
    WWI_FREES uint32_t *order = NULL;
    WWI_TRY(wwi_new(order, a->count));
    for (size_t i = 0; i < a->count; i++)
        order[i] = (uint32_t)i;
    wwi_sort(order, a->count, sizeof *order, by_nearest, a);
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = i + 1; j < a->count && j <= i + TOGETHER; j++) {
            if (a->ids[(size_t)order[i] * a->k] != a->ids[(size_t)order[j] * a->k])
                break;
            if (a->pairs.count + 2 > a->pairs.room)
                WWI_TRY(compare_some(a));
            put(a, a->first + order[i], a->first + order[j]);
            if (!a->index->symmetric)
                put(a, a->first + order[j], a->first + order[i]);
        }
    return a->pairs.count ? compare_some(a) : WW_OK;
}

// ---- links of a batch

// What leads on from a series: the neighbours of one of the batch, the links of another.
static const uint32_t *onward(const void *user, uint32_t id, uint32_t *count) {
    const adding *a = user;
    const ww_index *x = a->index;
    const bool fresh = id >= a->first;
    const uint32_t *at = fresh ? a->ids + (size_t)(id - a->first) * a->k : x->links + (size_t)id * x->degree;
    const uint32_t most = fresh ? a->k : x->degree;
    *count = 0;
    while (*count < most && at[*count] != WWI_NO_LINK)
        ++*count;
    return at;
}

static void link_forward(adding *a) {
    ww_index *x = a->index;
    uint32_t chosen[WW_INDEX_MOST_DEGREE];
    for (size_t i = 0; i < a->count * a->k; i++)
        a->ids[i] = a->lists[i].id;
    for (size_t i = 0; i < a->count; i++) {
        const uint32_t self = a->first + (uint32_t)i;
        uint32_t count;
        const uint32_t *ids = onward(a, self, &count);
        const uint32_t made = wwi_index_prune(ids, count, x->degree / 2, onward, a, chosen);
        for (uint32_t j = 0; j < made; j++)
            x->links[(size_t)self * x->degree + j] = ids[chosen[j]];
    }
}

static ww_status link_back(adding *a) {
    ww_index *x = a->index;
    for (uint32_t rank = 0; rank < x->degree / 2; rank++)
        for (size_t i = 0; i < a->count; i++) {
            const uint32_t self = a->first + (uint32_t)i, to = x->links[(size_t)self * x->degree + rank];
            if (to == WWI_NO_LINK || wwi_index_add_link(x, to, self))
                continue;
            WWI_TRY(wwi_grow(&a->wishes, &a->wish_room, a->wish_count + 1, sizeof *a->wishes));
            a->wishes[a->wish_count++] = (wish){to, self};
        }
    return WW_OK;
}

static int by_from(const void *p, const void *q, void *user) {
    const wish *a = p, *b = q;
    (void)user;
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : a->to < b->to ? -1 : a->to > b->to;
}

// Chooses anew among the links of a series and those that it might have, whose distances are known from `at` on.
static void choose_anew(adding *a, const wish *wishes, size_t count, size_t at) {
    ww_index *x = a->index;
    uint32_t *links = x->links + (size_t)wishes->from * x->degree;
    wwi_near near[2 * WW_INDEX_MOST_DEGREE];
    uint32_t ids[2 * WW_INDEX_MOST_DEGREE], chosen[WW_INDEX_MOST_DEGREE], all = 0;
    for (size_t i = 0; i < x->degree + count; i++) {
        const wwi_near one = {(float)wwi_index_pairs_value(x, &a->pairs, at + i), a->pairs.pairs[3 * (at + i) + 1]};
        uint32_t to = all++;
        for (; to > 0 && wwi_is_nearer(one, near[to - 1]); to--)
            near[to] = near[to - 1];
        near[to] = one;
    }
    for (uint32_t i = 0; i < all; i++)
        ids[i] = near[i].id;
    const uint32_t made = wwi_index_prune(ids, all, x->degree, onward, a, chosen);
    for (uint32_t j = 0; j < made; j++)
        links[j] = ids[chosen[j]];
}

// Ends of the runs of wishes of one series; at most as many as it has links.
static size_t run_of(const adding *a, size_t first) {
    size_t end = first + 1;
    while (end < a->wish_count && a->wishes[end].from == a->wishes[first].from && end - first < a->index->degree)
        end++;
    return end;
}

// Wishes [first, end), whole runs, whose distances fit a batch of pairs.
static ww_status grant_some(adding *a, size_t first, size_t end) {
    ww_index *x = a->index;
    for (size_t i = first, next; i < end; i = next) {
        next = run_of(a, i);
        for (uint32_t j = 0; j < x->degree; j++)
            put(a, a->wishes[i].from, x->links[(size_t)a->wishes[i].from * x->degree + j]);
        for (size_t j = i; j < next; j++)
            put(a, a->wishes[i].from, a->wishes[j].to);
    }
    WWI_TRY(wwi_index_pairs_run(x, &a->pairs));
    x->info.build_distances += a->pairs.count;
    for (size_t i = first, at = 0, next; i < end; i = next) {
        next = run_of(a, i);
        choose_anew(a, a->wishes + i, next - i, at);
        at += x->degree + (next - i);
    }
    a->pairs.count = 0;
    return WW_OK;
}

static ww_status grant(adding *a) {
    const size_t most = a->pairs.room / (2 * (size_t)a->index->degree); // runs
    wwi_sort(a->wishes, a->wish_count, sizeof *a->wishes, by_from, NULL);
    for (size_t first = 0, end; first < a->wish_count; first = end) {
        end = first;
        for (size_t runs = 0; end < a->wish_count && runs < most; runs++) {
            const size_t next = run_of(a, end);
            // A second run of the same series chooses among what the first one leaves.
            if (end > first && a->wishes[end].from == a->wishes[end - 1].from)
                break;
            end = next;
        }
        WWI_TRY(grant_some(a, first, end));
    }
    a->wish_count = 0;
    return WW_OK;
}

static ww_status add_batch(adding *a) {
    enum { PAIRS = 1 << 17 };
    ww_index *x = a->index;
    WWI_TRY(wwi_new(a->lists, a->count * a->k));
    WWI_TRY(wwi_new(a->ids, a->count * a->k));
    WWI_TRY(wwi_new(a->distances, a->count * a->k));
    WWI_TRY(wwi_index_pairs_open(x, x->base, x->base, PAIRS, &a->pairs));
    WWI_TRY(find(a));
    WWI_TRY(compare(a));
    link_forward(a);
    x->count += a->count;
    wwi_index_forget(x);
    WWI_TRY(link_back(a));
    return a->wish_count ? grant(a) : WW_OK;
}

static ww_status add_all(ww_index *x, size_t all) {
    adding a = {.index = x, .k = x->neighbours};
    while (x->count < all) {
        const size_t share = x->count / BATCH_SHARE;
        a.first = (uint32_t)x->count;
        a.count = (size_t)wwi_least(all - x->count, share > LEAST_BATCH ? share : LEAST_BATCH);
        const ww_status status = add_batch(&a);
        batch_close(&a);
        WWI_TRY(status);
    }
    WWI_TRY(wwi_index_enter(x));
    return wwi_index_join(x);
}

// ---- all

static ww_status check_added(const ww_index *x, const ww_dataset *series) {
    const ww_dataset *base = x->base;
    if (series->context != base->context || series->precision != base->precision)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the series are of another context or precision than the index");
    if (series->channels != base->channels || series->timed != base->timed)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the series have %zu channels%s, those of the index %zu%s",
                        series->channels, series->timed ? " and time stamps" : "", base->channels,
                        base->timed ? " and time stamps" : "");
    if (series->count > INT32_MAX - base->count)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu series and %zu more; at most 2^31 - 1", base->count, series->count);
    return WW_OK;
}

static void beside_close(ww_index *x) {
    wwi_index_forget(x);
    ww_dataset_destroy(&x->base);
    free(x->links);
    free(x->entries);
    free(x->removed);
}

// The index with room for `all` series, of which it has those it had.
static ww_status copy(const ww_index *x, size_t all, ww_dataset *base, ww_index *y) {
    *y = *x;
    y->links = y->entries = y->removed = NULL;
    y->device_links = NULL;
    y->base = base;
    y->info.build_distances = 0;
    WWI_TRY(wwi_new(y->links, all * y->degree));
    memcpy(y->links, x->links, x->count * x->degree * sizeof *y->links);
    for (size_t i = x->count * x->degree; i < all * x->degree; i++)
        y->links[i] = WWI_NO_LINK;
    WWI_TRY(wwi_new(y->entries, x->entry_count));
    memcpy(y->entries, x->entries, x->entry_count * sizeof *y->entries);
    if (!x->removed)
        return WW_OK;
    WWI_TRY(wwi_new_zeroed(y->removed, all / 32 + 1));
    memcpy(y->removed, x->removed, (x->count / 32 + 1) * sizeof *y->removed);
    return WW_OK;
}

static ww_status join_bases(const ww_index *x, ww_dataset *series, ww_dataset **joined) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_TRY(ww_series_set_create(x->base->channels, &set));
    WWI_TRY(wwi_index_append(x->base, NULL, x->count, set));
    WWI_TRY(wwi_index_append(series, NULL, series->count, set));
    return wwi_index_upload(x->base, set, joined);
}

static ww_status build_anew(ww_index *y, size_t all) {
    wwi_free_taken(&y->links);
    wwi_free_taken(&y->entries);
    y->entry_count = y->must_count = y->start_count = 0;
    y->info.parts = 0;
    y->count = all;
    return wwi_index_build(y);
}

ww_status ww_index_add(ww_index *x, ww_dataset *series) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *joined = NULL;
    ww_index y = {0};
    const double start = wwi_seconds();
    WWI_NEEDS("index, series", x, series);
    WWI_TRY(check_added(x, series));
    const size_t all = x->count + series->count;
    x->done = 0;
    x->total = all;
    WWI_TRY(join_bases(x, series, &joined));
    ww_status status = copy(x, all, wwi_taken(&joined), &y);
    if (status == WW_OK)
        status = series->count >= x->count ? build_anew(&y, all) : add_all(&y, all);
    if (status == WW_OK) {
        const ww_index old = *x;
        *x = y;
        y = old;
        x->info.seconds_build = wwi_seconds() - start;
        wwi_index_count(x);
    }
    beside_close(&y);
    return status;
}
