// SPDX-License-Identifier: Apache-2.0
// The links of an index: chosen among the neighbours of each series, in both directions; the entries of searches; parts
// that no link leads to are joined to what is near.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "index/series_index.h"

// ---- choosing

// A neighbour that another, nearer one leads to is less needed (the detours of CAGRA, Ootomo and others, ICDE 2024).
uint32_t wwi_index_prune(const uint32_t *ids, uint32_t count, uint32_t most, wwi_index_list list, const void *user,
                         uint32_t *chosen) {
    uint16_t detours[2 * WW_INDEX_MOST_DEGREE];
    for (uint32_t i = 0; i < count; i++)
        detours[i] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t others;
        const uint32_t *other = list(user, ids[i], &others);
        for (uint32_t j = i + 1; j < count; j++)
            for (uint32_t o = 0; o < others; o++)
                if (other[o] == ids[j]) {
                    detours[j]++;
                    break;
                }
    }
    // By detours, then by distance: the counts are small.
    uint32_t made = 0;
    for (uint32_t d = 0; d < count && made < most; d++)
        for (uint32_t i = 0; i < count && made < most; i++)
            if (detours[i] == d)
                chosen[made++] = i;
    return made;
}

typedef struct linking {
    ww_index *index;
    const uint32_t *ids;     // the neighbours of each series: count x neighbours
    uint8_t *forward, *used; // links of each series to neighbours it has chosen, and all
    uint32_t *targets;       // of all series, where their links of one rank lead to
} linking;

static void linking_close(linking *l) {
    free(l->forward);
    free(l->used);
    free(l->targets);
}

static const uint32_t *neighbours_of(const void *user, uint32_t id, uint32_t *count) {
    const linking *l = user;
    const uint32_t *at = l->ids + (size_t)id * l->index->neighbours;
    uint32_t n = 0;
    while (n < l->index->neighbours && at[n] != WWI_NO_LINK)
        n++;
    *count = n;
    return at;
}

static void link_forward(void *user, size_t first, size_t end) {
    const linking *l = user;
    ww_index *x = l->index;
    uint32_t chosen[WW_INDEX_MOST_DEGREE];
    for (size_t i = first; i < end; i++) {
        uint32_t count;
        const uint32_t *ids = neighbours_of(l, (uint32_t)i, &count);
        const uint32_t made = wwi_index_prune(ids, count, x->degree / 2, neighbours_of, l, chosen);
        for (uint32_t j = 0; j < x->degree; j++)
            x->links[i * x->degree + j] = j < made ? ids[chosen[j]] : WWI_NO_LINK;
        l->forward[i] = l->used[i] = (uint8_t)made;
    }
}

bool wwi_index_has_link(const ww_index *x, size_t from, uint32_t to) {
    for (uint32_t j = 0; j < x->degree; j++)
        if (x->links[from * x->degree + j] == to)
            return true;
    return false;
}

// Links back, where there is room: those of one rank of all series, in the order of the series. Each thread takes the
// series that are its own.
static void link_back(void *user, size_t first, size_t end) {
    const linking *l = user;
    ww_index *x = l->index;
    for (size_t i = 0; i < x->count; i++) {
        const uint32_t to = l->targets[i];
        if (to < first || to >= end || l->used[to] == x->degree || wwi_index_has_link(x, to, (uint32_t)i))
            continue;
        x->links[(size_t)to * x->degree + l->used[to]++] = (uint32_t)i;
    }
}

static ww_status link_all(linking *l) {
    ww_index *x = l->index;
    WWI_TRY(wwi_new(l->forward, x->count));
    WWI_TRY(wwi_new(l->used, x->count));
    WWI_TRY(wwi_new(l->targets, x->count));
    WWI_TRY(wwi_new(x->links, x->count * x->degree));
    wwi_index_share(x, x->count, link_forward, l);
    for (uint32_t rank = 0; rank < x->degree / 2; rank++) {
        for (size_t i = 0; i < x->count; i++)
            l->targets[i] = rank < l->forward[i] ? x->links[i * x->degree + rank] : WWI_NO_LINK;
        wwi_index_share(x, x->count, link_back, l);
        WWI_TRY(wwi_interrupted());
    }
    return WW_OK;
}

ww_status wwi_index_link(ww_index *x, const wwi_near *lists) {
    WWI_FREES uint32_t *ids = NULL;
    WWI_ENDS(linking_close) linking l = {.index = x};
    WWI_TRY(wwi_new(ids, x->count * x->neighbours));
    for (size_t i = 0; i < x->count * x->neighbours; i++)
        ids[i] = lists[i].id;
    l.ids = ids;
    WWI_TRY(link_all(&l));
    WWI_TRY(wwi_index_enter(x));
    return wwi_index_join(x);
}

// ---- entries

static bool is_entry(const ww_index *x, uint32_t id) {
    for (size_t i = 0; i < x->entry_count; i++)
        if (x->entries[i] == id)
            return true;
    return false;
}

static ww_status add_entry(ww_index *x, uint32_t id) {
    size_t room = x->entry_count;
    WWI_TRY(wwi_grow(&x->entries, &room, x->entry_count + 1, sizeof *x->entries));
    x->entries[x->entry_count++] = id;
    return WW_OK;
}

// One that all searches begin with.
static ww_status add_must(ww_index *x, uint32_t id) {
    WWI_TRY(add_entry(x, id));
    x->entries[x->entry_count - 1] = x->entries[x->must_count];
    x->entries[x->must_count++] = id;
    x->start_count = x->start_count > x->must_count ? x->start_count : x->must_count;
    return WW_OK;
}

// So many that each part of the data may have some; how many searches begin with is chosen by their recall.
ww_status wwi_index_enter(ww_index *x) {
    enum { LEAST = 32, MOST = 1024, USUAL = 256 };
    uint64_t state = x->seed;
    const size_t wanted = (size_t)wwi_least(x->count, wwi_least(MOST, LEAST + (uint64_t)(3 * sqrt((double)x->count))));
    while (x->entry_count < wanted) {
        const uint32_t id = (uint32_t)(wwi_random(&state) % x->count);
        if (!is_entry(x, id))
            WWI_TRY(add_entry(x, id));
    }
    if (x->start_count == 0)
        x->start_count = (size_t)wwi_least(x->entry_count, USUAL);
    return WW_OK;
}

// ---- parts

// Marks what can be reached from the `count` series in `queue`, which are marked and which has room for all.
static void flood(const ww_index *x, bool *reached, uint32_t *queue, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < x->degree; j++) {
            const uint32_t to = x->links[(size_t)queue[i] * x->degree + j];
            if (to == WWI_NO_LINK)
                break;
            if (!reached[to]) {
                reached[to] = true;
                queue[count++] = to;
            }
        }
}

bool wwi_index_add_link(ww_index *x, uint32_t from, uint32_t to) {
    uint32_t *at = x->links + (size_t)from * x->degree;
    for (uint32_t j = 0; j < x->degree; j++) {
        if (at[j] == to)
            return true;
        if (at[j] == WWI_NO_LINK) {
            at[j] = to;
            return true;
        }
    }
    return false;
}

// One series of each part that can't be reached: with them everything can. *heads: free with free.
static ww_status find_heads(const ww_index *x, uint32_t **heads, size_t *count) {
    WWI_FREES bool *reached = NULL;
    WWI_FREES uint32_t *queue = NULL;
    size_t room = 0;
    const size_t least = x->must_count > WWI_INDEX_LEAST_STARTS ? x->must_count : WWI_INDEX_LEAST_STARTS;
    const size_t starts = (size_t)wwi_least(x->entry_count, least);
    WWI_TRY(wwi_new_zeroed(reached, x->count));
    WWI_TRY(wwi_new(queue, x->count));
    for (size_t i = 0; i < starts; i++) {
        queue[i] = x->entries[i];
        reached[queue[i]] = true;
    }
    flood(x, reached, queue, starts);
    for (size_t i = 0; i < x->count; i++) {
        if (reached[i])
            continue;
        WWI_TRY(wwi_grow(heads, &room, *count + 1, sizeof **heads));
        (*heads)[(*count)++] = queue[0] = (uint32_t)i;
        reached[i] = true;
        flood(x, reached, queue, 1);
    }
    return WW_OK;
}

ww_status wwi_index_join(ww_index *x) {
    enum { NEAR = 32 }; // of which one may have room for a link
    WWI_FREES uint32_t *heads = NULL, *ids = NULL;
    WWI_FREES double *distances = NULL;
    size_t count = 0;
    WWI_TRY(find_heads(x, &heads, &count));
    x->info.parts += count;
    if (count == 0)
        return WW_OK;
    WWI_TRY(wwi_new(ids, count * NEAR));
    WWI_TRY(wwi_new(distances, count * NEAR));
    wwi_index_walk walk = {.queries = x->base,
                           .rows = heads,
                           .own = heads,
                           .count = count,
                           .removed = true,
                           .beam = 2 * NEAR,
                           .k = NEAR,
                           .ids = ids,
                           .distances = distances};
    WWI_TRY(wwi_index_run(x, &walk));
    wwi_index_forget(x);
    x->info.build_distances += walk.examined;
    for (size_t i = 0; i < count; i++) {
        bool joined = false;
        for (size_t j = 0; j < NEAR && ids[i * NEAR + j] != WWI_NO_LINK; j++) {
            if (j == 0)
                (void)wwi_index_add_link(x, heads[i], ids[i * NEAR]);
            if ((joined = wwi_index_add_link(x, ids[i * NEAR + j], heads[i])))
                break;
        }
        if (!joined)
            WWI_TRY(add_must(x, heads[i]));
    }
    return WW_OK;
}
