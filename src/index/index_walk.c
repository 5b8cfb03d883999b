// SPDX-License-Identifier: Apache-2.0
// Walks of queries through the links of an index: each keeps the nearest series it has seen, and looks at the links of
// the nearest that it has not looked at yet. All queries of a batch take a step at once: the distances of a step are
// one list of pairs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/series_index.h"

// Pairs of a step, and as many queries as have room for theirs; from so many queries on two crews take turns.
enum { CPU_PAIRS = 1 << 19, GPU_PAIRS = 1 << 22, FEW_QUERIES = 1024 };

// A series that was seen.
typedef struct seen {
    double distance;
    uint32_t id;
    bool looked; // its links have been looked at
} seen;

typedef struct walker {
    uint32_t row, own; // WWI_NO_LINK: it is no series of the base
    seen *best;        // `beam` at most, sorted
    uint32_t count;
    uint32_t *marks; // hash set of the series that were seen; WWI_NO_LINK: free
    uint32_t mark_room, mark_count;
    uint32_t *asked; // whose distances this step computes
    uint32_t asked_count, asked_room;
    size_t at; // of its pairs
    bool failed;
} walker;

typedef struct walking walking;

// Queries [first, first + count), which walk together.
typedef struct crew {
    walking *of;
    wwi_index_pairs pairs;
    walker *walkers;
    uint32_t *active; // those that are not at their end
    size_t active_count, first, count;
    enum { IDLE, LISTED, COMPUTED } state; // of the distances of a step
} crew;

// Two crews: while the distances of one are computed, those of the other are taken.
struct walking {
    ww_index *index;
    wwi_index_walk *of;
    uint32_t beam;
    size_t next, most; // queries that no crew has yet, from there on; of a crew
    crew crews[2];
    crew *computed, *taken; // at one time
};

static void walker_close(walker *w) {
    free(w->best);
    free(w->marks);
    free(w->asked);
}

// ---- a query

// Whether a series had not been seen; now it has.
static bool mark(walker *w, uint32_t id) {
    uint32_t at = id * 2654435761u & (w->mark_room - 1);
    for (; w->marks[at] != WWI_NO_LINK; at = (at + 1) & (w->mark_room - 1))
        if (w->marks[at] == id)
            return false;
    w->marks[at] = id;
    w->mark_count++;
    return true;
}

// Room for so many more marks, half of which stays free.
static bool make_room(walker *w, uint32_t more) {
    const uint32_t before = w->mark_room;
    uint32_t *old = w->marks;
    while (w->mark_room < 2 * (w->mark_count + more))
        w->mark_room = w->mark_room ? 2 * w->mark_room : 1024;
    if (w->mark_room == before)
        return true;
    if (!(w->marks = malloc(w->mark_room * sizeof *w->marks))) {
        w->marks = old;
        w->mark_room = before;
        return false;
    }
    memset(w->marks, 0xff, w->mark_room * sizeof *w->marks);
    w->mark_count = 0;
    for (uint32_t i = 0; i < before; i++)
        if (old[i] != WWI_NO_LINK)
            (void)mark(w, old[i]);
    free(old);
    return true;
}

static bool ask(walker *w, const uint32_t *ids, size_t count) {
    size_t room = w->asked_room;
    if (!make_room(w, (uint32_t)count) || wwi_grow(&w->asked, &room, w->asked_count + count, sizeof *w->asked) != WW_OK)
        return false;
    w->asked_room = (uint32_t)room;
    // The set is in no cache: all of its places are fetched at once.
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(&w->marks[ids[i] * 2654435761u & (w->mark_room - 1)]);
    for (size_t i = 0; i < count && ids[i] != WWI_NO_LINK; i++)
        if (mark(w, ids[i]))
            w->asked[w->asked_count++] = ids[i];
    return true;
}

static void insert(walker *w, uint32_t beam, double distance, uint32_t id) {
    uint32_t to = w->count;
    if (to == beam) {
        const seen *last = &w->best[beam - 1];
        if (!(distance < last->distance || (distance == last->distance && id < last->id)))
            return;
        to--;
    } else if (isnan(distance)) {
        return;
    } else {
        w->count++;
    }
    for (; to > 0 &&
           (distance < w->best[to - 1].distance || (distance == w->best[to - 1].distance && id < w->best[to - 1].id));
         to--)
        w->best[to] = w->best[to - 1];
    w->best[to] = (seen){distance, id, false};
}

static bool begin(const walking *k, walker *w) {
    const ww_index *x = k->index;
    if (!(w->best = malloc(k->beam * sizeof *w->best)) || !make_room(w, 1))
        return false;
    if (w->own != WWI_NO_LINK)
        (void)mark(w, w->own);
    if (w->own != WWI_NO_LINK && k->of->from_links)
        return wwi_index_is_removed(x, w->own) || ask(w, x->links + (size_t)w->own * x->degree, x->degree);
    return ask(w, x->entries, x->start_count);
}

// The next step of a query; with nothing asked it is at its end.
static bool step(const walking *k, walker *w) {
    const ww_index *x = k->index;
    w->asked_count = 0;
    for (uint32_t i = 0, looked = 0; i < w->count && looked < WWI_INDEX_WIDTH; i++) {
        if (w->best[i].looked)
            continue;
        w->best[i].looked = true;
        const uint32_t before = w->asked_count;
        if (!ask(w, x->links + (size_t)w->best[i].id * x->degree, x->degree))
            return false;
        looked += w->asked_count > before; // what leads nowhere new costs nothing
    }
    return true;
}

// ---- a crew

static void begin_some(void *user, size_t first, size_t end) {
    const crew *c = user;
    for (size_t i = first; i < end; i++)
        c->walkers[i].failed = !begin(c->of, &c->walkers[i]);
}

static void list_pairs(void *user, size_t first, size_t end) {
    const crew *c = user;
    const uint32_t beam = c->of->beam;
    for (size_t i = first; i < end; i++) {
        const walker *w = &c->walkers[c->active[i]];
        const double radius = w->count == beam ? w->best[beam - 1].distance : (double)INFINITY;
        for (uint32_t j = 0; j < w->asked_count; j++) {
            c->pairs.pairs[3 * (w->at + j)] = w->row;
            c->pairs.pairs[3 * (w->at + j) + 1] = w->asked[j];
            c->pairs.pairs[3 * (w->at + j) + 2] = (uint32_t)(w->at + j);
            if (c->pairs.bounded)
                wwi_set_value(c->pairs.radii, c->of->index->precision, w->at + j, radius);
        }
    }
}

static void take_distances(void *user, size_t first, size_t end) {
    const walking *k = user;
    const crew *c = k->taken;
    for (size_t i = first; i < end; i++) {
        walker *w = &c->walkers[c->active[i]];
        for (uint32_t j = 0; j < w->asked_count; j++)
            insert(w, k->beam, wwi_index_pairs_value(k->index, &c->pairs, w->at + j), w->asked[j]);
        w->failed = w->failed || !step(k, w);
    }
}

static ww_status drop_idle(crew *c) {
    size_t left = 0, pairs = 0;
    for (size_t i = 0; i < c->active_count; i++) {
        walker *w = &c->walkers[c->active[i]];
        if (w->failed)
            return wwi_fail_memory(c->of->beam * sizeof *w->best + w->mark_room * 2 * sizeof *w->marks);
        w->at = pairs;
        pairs += w->asked_count;
        if (w->asked_count)
            c->active[left++] = c->active[i];
    }
    c->active_count = left;
    c->pairs.count = pairs;
    c->of->of->examined += pairs;
    return WW_OK;
}

static void give(const walking *k, const walker *w, size_t at) {
    const wwi_index_walk *of = k->of;
    size_t made = 0;
    for (uint32_t i = 0; i < w->count && made < of->k; i++) {
        if (!of->removed && wwi_index_is_removed(k->index, w->best[i].id))
            continue;
        of->ids[at * of->k + made] = w->best[i].id;
        of->distances[at * of->k + made++] = w->best[i].distance;
    }
    for (; made < of->k; made++) {
        of->ids[at * of->k + made] = WWI_NO_LINK;
        of->distances[at * of->k + made] = (double)INFINITY;
    }
}

// A result of queries [first, first + count) that is larger than its precision holds has overflowed.
static ww_status check_range(const ww_plan *plan, const wwi_index_walk *of, size_t first, size_t count) {
    double value = 0;
    for (size_t i = first * of->k; !isinf(plan->pair.limit) && i < (first + count) * of->k; i++) {
        if (of->ids[i] == WWI_NO_LINK)
            continue;
        wwi_set_value(&value, plan->pair.rows->precision, 0, of->distances[i]);
        WWI_TRY(wwi_plan_check_results(plan, &value, 1));
    }
    return WW_OK;
}

static void disband(crew *c) {
    for (size_t i = 0; i < c->count; i++)
        walker_close(&c->walkers[i]);
    c->count = 0;
}

static void give_some(void *user, size_t first, size_t end) {
    const crew *c = user;
    for (size_t i = first; i < end; i++)
        give(c->of, &c->walkers[i], c->first + i);
}

static ww_status end_crew(crew *c) {
    wwi_index_share(c->of->index, c->count, give_some, c);
    WWI_TRY(check_range(c->pairs.plan, c->of->of, c->first, c->count));
    WWI_TRY(wwi_index_tell(c->of->index, c->count));
    disband(c);
    return WW_OK;
}

// Takes the next queries.
static void begin_crew(crew *c) {
    walking *k = c->of;
    c->first = k->next;
    c->count = c->active_count = (size_t)wwi_least(k->most, k->of->count - k->next);
    k->next += c->count;
    for (size_t i = 0; i < c->count; i++) {
        const size_t query = c->first + i;
        c->walkers[i] = (walker){.row = k->of->rows ? k->of->rows[query] : (uint32_t)query,
                                 .own = k->of->own ? k->of->own[query] : WWI_NO_LINK};
        c->active[i] = (uint32_t)i;
    }
    wwi_index_share(k->index, c->count, begin_some, c);
}

// Lists what the queries ask for; a crew whose queries are all at their end gives their results and takes others.
static ww_status list(crew *c) {
    WWI_TRY(drop_idle(c));
    while (c->active_count == 0) {
        if (c->count)
            WWI_TRY(end_crew(c));
        c->state = IDLE;
        if (c->of->next == c->of->of->count)
            return WW_OK;
        begin_crew(c);
        WWI_TRY(drop_idle(c));
    }
    wwi_index_share(c->of->index, c->active_count, list_pairs, c);
    c->state = LISTED;
    return WW_OK;
}

// ---- all

static ww_status compute(void *user) {
    const walking *k = user;
    return wwi_index_pairs_run(k->index, &k->computed->pairs);
}

// Computes the distances of one crew while those of the other, which lists its next step then, are taken.
static ww_status turn(walking *k, crew *computed, crew *taken) {
    const bool computes = computed->state == LISTED, takes = taken->state == COMPUTED;
    k->computed = computed;
    k->taken = taken;
    if (computes && takes)
        WWI_TRY(wwi_index_beside(k->index, compute, taken->active_count, take_distances, k));
    else if (computes)
        WWI_TRY(compute(k));
    else if (takes)
        wwi_index_share(k->index, taken->active_count, take_distances, k);
    if (computes)
        computed->state = COMPUTED;
    return takes ? list(taken) : WW_OK;
}

static void walking_close(walking *k) {
    for (size_t i = 0; i < 2; i++) {
        disband(&k->crews[i]);
        wwi_index_pairs_close(&k->crews[i].pairs);
        free(k->crews[i].walkers);
        free(k->crews[i].active);
    }
}

static ww_status open_crew(walking *k, crew *c, size_t each) {
    ww_index *x = k->index;
    c->of = k;
    WWI_TRY(wwi_new(c->walkers, k->most));
    WWI_TRY(wwi_new(c->active, k->most));
    if (!c->pairs.plan)
        WWI_TRY(wwi_index_pairs_plan(x, k->of->queries, x->base, &c->pairs));
    WWI_TRY(wwi_index_pairs_room(x, k->most * each, &c->pairs));
    return list(c);
}

static ww_status walk_on_host(walking *k) {
    const ww_index *x = k->index;
    const size_t links = WWI_INDEX_WIDTH * (size_t)x->degree, each = x->start_count > links ? x->start_count : links;
    const size_t pairs = wwi_is_gpu(x->context) ? GPU_PAIRS : CPU_PAIRS, crews = k->of->count < FEW_QUERIES ? 1 : 2;
    k->most = (size_t)wwi_least(wwi_ceil_div(k->of->count, crews), pairs / each + 1);
    for (size_t i = 0; i < crews; i++)
        WWI_TRY(open_crew(k, &k->crews[i], each));
    for (size_t i = 0; k->crews[0].state != IDLE || k->crews[1].state != IDLE; i ^= 1)
        WWI_TRY(turn(k, &k->crews[i], &k->crews[i ^ 1]));
    return WW_OK;
}

ww_status wwi_index_run(ww_index *x, wwi_index_walk *of) {
    WWI_ENDS(walking_close) walking k = {.index = x, .of = of};
    // Removed series are walked over: they take places of the beam, as many as their share.
    const double wide = (double)of->beam * (double)x->count / (double)(wwi_index_live(x) ? wwi_index_live(x) : 1);
    k.beam = (uint32_t)wwi_least(of->removed ? of->beam : (uint64_t)ceil(wide), x->count);
    of->examined = 0;
    if (of->count == 0)
        return WW_OK;
    wwi_index_pairs *pairs = &k.crews[0].pairs;
    WWI_TRY(wwi_index_pairs_plan(x, of->queries, x->base, pairs));
    if (!wwi_index_on_device(x, pairs->plan))
        return walk_on_host(&k);
    WWI_TRY(wwi_index_run_on_device(x, pairs->plan, k.beam, of));
    return check_range(pairs->plan, of, 0, of->count);
}
