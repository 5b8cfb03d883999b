// SPDX-License-Identifier: Apache-2.0
// Walks of queries through the links of an index: each keeps the nearest series it has seen, and looks at the links of
// the nearest that it has not looked at yet. All queries of a batch take a step at once: the distances of a step are
// one list of pairs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/series_index.h"

// Series whose links a query looks at in a step: more need fewer steps, and a few more distances.
enum { WIDTH = 4 };
// Queries and pairs of a batch.
enum { CPU_QUERIES = 2048, GPU_QUERIES = 1 << 15, CPU_PAIRS = 1 << 19, GPU_PAIRS = 1 << 22 };

// A series that was seen.
typedef struct seen {
    double distance;
    uint32_t id;
    bool looked; // its links have been looked at
} seen;

typedef struct walker {
    uint32_t query;    // of the batch
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

typedef struct walking {
    ww_index *index;
    wwi_index_walk *of;
    uint32_t beam;
    wwi_index_pairs pairs;
    walker *walkers; // of a batch
    uint32_t *active;
    size_t active_count, first; // `first`: active ones before this have had their pairs
    size_t shown;               // of this launch
} walking;

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
    for (uint32_t i = 0, looked = 0; i < w->count && looked < WIDTH; i++) {
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

// ---- steps of a batch

static void begin_some(void *user, size_t first, size_t end) {
    walking *k = user;
    for (size_t i = first; i < end; i++)
        k->walkers[i].failed = !begin(k, &k->walkers[i]);
}

static void list_pairs(void *user, size_t first, size_t end) {
    walking *k = user;
    for (size_t i = k->first + first; i < k->first + end; i++) {
        const walker *w = &k->walkers[k->active[i]];
        const double radius = w->count == k->beam ? w->best[k->beam - 1].distance : (double)INFINITY;
        for (uint32_t j = 0; j < w->asked_count; j++) {
            k->pairs.pairs[3 * (w->at + j)] = w->row;
            k->pairs.pairs[3 * (w->at + j) + 1] = w->asked[j];
            if (k->pairs.bounded)
                wwi_set_value(k->pairs.radii, k->index->precision, w->at + j, radius);
        }
    }
}

static void take_distances(void *user, size_t first, size_t end) {
    walking *k = user;
    for (size_t i = k->first + first; i < k->first + end; i++) {
        walker *w = &k->walkers[k->active[i]];
        for (uint32_t j = 0; j < w->asked_count; j++)
            insert(w, k->beam, wwi_index_pairs_value(k->index, &k->pairs, w->at + j), w->asked[j]);
        w->failed = w->failed || !step(k, w);
    }
}

// Distances of all that active queries ask for, and their next step.
static ww_status run_step(walking *k) {
    for (k->first = 0; k->first < k->active_count; k->first += k->shown) {
        size_t pairs = 0;
        for (k->shown = 0; k->first + k->shown < k->active_count; k->shown++) {
            walker *w = &k->walkers[k->active[k->first + k->shown]];
            if (pairs + w->asked_count > k->pairs.room)
                break;
            w->at = pairs;
            pairs += w->asked_count;
        }
        k->pairs.count = pairs;
        k->of->examined += pairs;
        wwi_index_share(k->index, k->shown, list_pairs, k);
        WWI_TRY(wwi_index_pairs_run(k->index, &k->pairs));
        wwi_index_share(k->index, k->shown, take_distances, k);
    }
    return WW_OK;
}

static ww_status drop_idle(walking *k, uint64_t *ended) {
    size_t left = 0;
    for (size_t i = 0; i < k->active_count; i++) {
        const walker *w = &k->walkers[k->active[i]];
        if (w->failed)
            return wwi_fail_memory(k->beam * sizeof *w->best + w->mark_room * 2 * sizeof *w->marks);
        if (w->asked_count)
            k->active[left++] = k->active[i];
    }
    *ended = k->active_count - left;
    k->active_count = left;
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

// A result that is larger than its precision holds has overflowed.
static ww_status check_range(const walking *k, size_t first, size_t count) {
    const wwi_index_walk *of = k->of;
    const ww_plan *plan = k->pairs.plan;
    double value = 0;
    for (size_t i = first * of->k; !isinf(plan->pair.limit) && i < (first + count) * of->k; i++) {
        if (of->ids[i] == WWI_NO_LINK)
            continue;
        wwi_set_value(&value, k->index->precision, 0, of->distances[i]);
        WWI_TRY(wwi_plan_check_results(plan, &value, 1));
    }
    return WW_OK;
}

static ww_status run_batch(walking *k, size_t first, size_t count) {
    uint64_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t query = first + i;
        k->walkers[i] = (walker){.query = (uint32_t)query,
                                 .row = k->of->rows ? k->of->rows[query] : (uint32_t)query,
                                 .own = k->of->own ? k->of->own[query] : WWI_NO_LINK};
        k->active[i] = (uint32_t)i;
    }
    k->active_count = count;
    wwi_index_share(k->index, count, begin_some, k);
    WWI_TRY(drop_idle(k, &ended));
    WWI_TRY(wwi_index_tell(k->index, ended));
    while (k->active_count) {
        WWI_TRY(run_step(k));
        WWI_TRY(drop_idle(k, &ended));
        WWI_TRY(wwi_index_tell(k->index, ended));
    }
    for (size_t i = 0; i < count; i++)
        give(k, &k->walkers[i], first + i);
    return check_range(k, first, count);
}

// ---- all

static size_t queries_of_batch(const ww_index *x) {
    return wwi_is_gpu(x->context) ? GPU_QUERIES : CPU_QUERIES;
}

static void walking_close(walking *k) {
    wwi_index_pairs_close(&k->pairs);
    free(k->walkers);
    free(k->active);
}

static ww_status run_all(walking *k) {
    const size_t most = (size_t)wwi_least(k->of->count, queries_of_batch(k->index));
    for (size_t first = 0; first < k->of->count; first += most) {
        const size_t count = (size_t)wwi_least(most, k->of->count - first);
        const ww_status status = run_batch(k, first, count);
        for (size_t i = 0; i < count; i++)
            walker_close(&k->walkers[i]);
        WWI_TRY(status);
    }
    return WW_OK;
}

ww_status wwi_index_run(ww_index *x, wwi_index_walk *of) {
    WWI_ENDS(walking_close) walking k = {.index = x, .of = of};
    const size_t most = (size_t)wwi_least(of->count, queries_of_batch(x));
    // Removed series are walked over: they take places of the beam, as many as their share.
    const double wide = (double)of->beam * (double)x->count / (double)(wwi_index_live(x) ? wwi_index_live(x) : 1);
    k.beam = (uint32_t)wwi_least(of->removed ? of->beam : (uint64_t)ceil(wide), x->count);
    const size_t each = x->start_count > WIDTH * (size_t)x->degree ? x->start_count : WIDTH * (size_t)x->degree;
    const size_t room = (size_t)wwi_least((uint64_t)most * each, wwi_is_gpu(x->context) ? GPU_PAIRS : CPU_PAIRS);
    of->examined = 0;
    if (of->count == 0)
        return WW_OK;
    WWI_TRY(wwi_new(k.walkers, most));
    WWI_TRY(wwi_new(k.active, most));
    WWI_TRY(wwi_index_pairs_open(x, of->queries, x->base, room > each ? room : each, &k.pairs));
    return run_all(&k);
}
