// SPDX-License-Identifier: Apache-2.0
// Nearest-neighbour descent (Dong, Charikar, Li: WWW 2011): each series begins with random neighbours; in each round
// neighbours of a series, of which one at least is new to it, are compared with each other.
//
// What a round compares is fixed when it begins, and the nearest of all that were seen are the same in whatever order
// they come: the result does not depend on threads, batches or devices.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "index/series_index.h"

// Neighbours of a series that a round compares, of the new and of the old; rounds; a round that leaves no more than
// this share of all neighbours new is the last.
enum { SAMPLE = 20, ROUNDS = 12, LOCKS = 1 << 16 };
#define FEW_NEW 0.05
// Pairs of a batch: more need more memory, fewer leave a device waiting.
enum { CPU_PAIRS = 1 << 18, GPU_PAIRS = 1 << 20 };

// Neighbours of a series that a round compares, the SAMPLE with the least random numbers: random << 32 | id, sorted.
typedef struct picked {
    uint64_t of[SAMPLE];
} picked;

// Pairs of the series [first, end).
typedef struct batch {
    wwi_index_pairs pairs;
    size_t *starts; // where each series' pairs begin, and one more
    size_t first, end;
} batch;

typedef struct descent descent;
// How many pairs a series has in a round, and those of a batch's series [first, end).
typedef struct comparison {
    size_t (*count)(const descent *d, size_t series);
    void (*fill)(const descent *d, const batch *b, size_t first, size_t end);
} comparison;

struct descent {
    ww_index *index;
    wwi_near *lists; // count x k
    uint32_t k;
    picked *fresh, *old; // count each
    uint8_t *fresh_count, *old_count;
    atomic_flag *locks;       // LOCKS
    _Atomic(float) *farthest; // distance of each series' last neighbour: what is not nearer needs no lock
    batch batches[3];
    batch *running, *taken, *filled; // at one time; NULL: none
    const comparison *compares;
    uint64_t seed;                      // of the round
    atomic_uint_least64_t fresh_in_all; // new neighbours of all series
};

static void descent_close(descent *d) {
    for (size_t i = 0; i < 3; i++) {
        wwi_index_pairs_close(&d->batches[i].pairs);
        free(d->batches[i].starts);
    }
    free(d->lists);
    free(d->fresh);
    free(d->old);
    free(d->fresh_count);
    free(d->old_count);
    free(d->locks);
    free(d->farthest);
}

static void lock(descent *d, size_t id) {
    while (atomic_flag_test_and_set_explicit(&d->locks[id % LOCKS], memory_order_acquire))
        ;
}

static void unlock(descent *d, size_t id) {
    atomic_flag_clear_explicit(&d->locks[id % LOCKS], memory_order_release);
}

static uint64_t mix(uint64_t seed, uint64_t a, uint64_t b) {
    uint64_t state = seed ^ a * UINT64_C(0xd1342543de82ef95) ^ b * UINT64_C(0x9fb21c651e98df25);
    return wwi_random(&state);
}

// ---- neighbours

// Of equal distances another one is first for each series, so that many equal series are not all linked to the same
// few.
static bool comes_before(uint32_t series, wwi_near a, wwi_near b) {
    return a.distance < b.distance ||
           (a.distance == b.distance &&
            ((a.id & ~WWI_INDEX_NEW) ^ series) * 2654435761u < ((b.id & ~WWI_INDEX_NEW) ^ series) * 2654435761u);
}

// Takes a neighbour in a series' list, unless it is there or too far. The series' lock is held.
static bool offer(wwi_near *list, uint32_t k, uint32_t series, wwi_near one) {
    uint32_t to = k - 1;
    if (list[to].id != WWI_NO_LINK && !comes_before(series, one, list[to]))
        return false;
    for (uint32_t i = 0; i < k; i++)
        if ((list[i].id & ~WWI_INDEX_NEW) == one.id)
            return false;
    for (; to > 0 && (list[to - 1].id == WWI_NO_LINK || comes_before(series, one, list[to - 1])); to--)
        list[to] = list[to - 1];
    list[to] = (wwi_near){one.distance, one.id | WWI_INDEX_NEW};
    return true;
}

static void offer_to(descent *d, uint32_t series, wwi_near one) {
    wwi_near *list = d->lists + (size_t)series * d->k;
    if (!(one.distance <= atomic_load_explicit(&d->farthest[series], memory_order_relaxed)))
        return;
    lock(d, series);
    if (offer(list, d->k, series, one))
        atomic_store_explicit(&d->farthest[series], list[d->k - 1].distance, memory_order_relaxed);
    unlock(d, series);
}

// Results of a batch, for both series of each pair.
static void take(descent *d, const batch *of, size_t first, size_t end) {
    const ww_index *x = d->index;
    for (size_t i = first; i < end; i++) {
        const uint32_t a = of->pairs.pairs[3 * i], b = of->pairs.pairs[3 * i + 1];
        const float distance = (float)wwi_index_pairs_value(x, &of->pairs, i);
        offer_to(d, a, (wwi_near){distance, b});
        if (x->symmetric)
            offer_to(d, b, (wwi_near){distance, a});
    }
}

// ---- what a round compares

static void pick(picked *of, uint8_t *count, uint64_t one) {
    uint32_t at = *count;
    for (uint32_t i = 0; i < at; i++)
        if ((uint32_t)of->of[i] == (uint32_t)one)
            return;
    if (at == SAMPLE) {
        if (one >= of->of[SAMPLE - 1])
            return;
        at--;
    } else {
        ++*count;
    }
    for (; at > 0 && one < of->of[at - 1]; at--)
        of->of[at] = of->of[at - 1];
    of->of[at] = one;
}

static void pick_for(descent *d, uint32_t series, bool fresh, uint32_t id, uint64_t random) {
    lock(d, series);
    pick(fresh ? &d->fresh[series] : &d->old[series], fresh ? &d->fresh_count[series] : &d->old_count[series],
         random << 32 | id);
    unlock(d, series);
}

// Each neighbour for its series, and the series for each neighbour.
static void pick_all(void *user, size_t first, size_t end) {
    descent *d = user;
    for (size_t i = first; i < end; i++)
        for (uint32_t j = 0; j < d->k; j++) {
            const wwi_near near = d->lists[i * d->k + j];
            const uint32_t id = near.id & ~WWI_INDEX_NEW, self = (uint32_t)i;
            if (near.id == WWI_NO_LINK)
                break;
            // One random number for both directions of a link.
            const uint64_t random = mix(d->seed, self < id ? self : id, self < id ? id : self) >> 32;
            pick_for(d, self, near.id & WWI_INDEX_NEW, id, random);
            pick_for(d, id, near.id & WWI_INDEX_NEW, self, random);
        }
}

// A neighbour that was picked is new no more.
static void age(void *user, size_t first, size_t end) {
    descent *d = user;
    for (size_t i = first; i < end; i++)
        for (uint32_t j = 0; j < d->k; j++) {
            wwi_near *near = &d->lists[i * d->k + j];
            for (uint32_t c = 0; near->id != WWI_NO_LINK && near->id & WWI_INDEX_NEW && c < d->fresh_count[i]; c++)
                if ((uint32_t)d->fresh[i].of[c] == (near->id & ~WWI_INDEX_NEW))
                    near->id &= ~WWI_INDEX_NEW;
        }
}

// ---- pairs

// Radius of a pair: the farther of both series' last neighbours.
static float radius_of(const descent *d, uint32_t a, uint32_t b) {
    const float x = atomic_load_explicit(&d->farthest[a], memory_order_relaxed);
    const float y = atomic_load_explicit(&d->farthest[b], memory_order_relaxed);
    return d->index->symmetric && y > x ? y : x;
}

static void put(const descent *d, const batch *to, size_t at, uint32_t a, uint32_t b) {
    uint32_t *pair = to->pairs.pairs + 3 * at;
    pair[0] = a;
    pair[1] = b;
    pair[2] = (uint32_t)at;
    if (to->pairs.bounded) // to float and back may have rounded it down
        wwi_set_value(to->pairs.radii, d->index->precision, at, (double)nextafterf(radius_of(d, a, b), INFINITY));
}

static size_t put_both(const descent *d, const batch *to, size_t at, uint32_t a, uint32_t b) {
    put(d, to, at++, a < b ? a : b, a < b ? b : a);
    if (!d->index->symmetric)
        put(d, to, at++, a < b ? b : a, a < b ? a : b);
    return at;
}

static size_t first_pairs(const descent *d, size_t i) {
    (void)i;
    return d->k;
}

// The first neighbours, at random.
static void fill_first(const descent *d, const batch *to, size_t first, size_t end) {
    const uint64_t n = d->index->count;
    for (size_t i = first; i < end; i++)
        for (uint32_t j = 0; j < d->k; j++) {
            const uint32_t self = (uint32_t)(to->first + i), other = (uint32_t)(mix(d->seed, self, j) % (n - 1));
            put(d, to, to->starts[i] + j, self, other < self ? other : other + 1);
        }
}

static size_t pairs_of(const descent *d, size_t i) {
    const size_t fresh = d->fresh_count[i], pairs = fresh * (fresh - 1) / 2 + fresh * d->old_count[i];
    return fresh == 0 ? 0 : d->index->symmetric ? pairs : 2 * pairs;
}

static void fill(const descent *d, const batch *to, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        const size_t series = to->first + i;
        const picked *fresh = &d->fresh[series], *old = &d->old[series];
        size_t at = to->starts[i];
        for (uint32_t a = 0; a < d->fresh_count[series]; a++) {
            for (uint32_t b = a + 1; b < d->fresh_count[series]; b++)
                at = put_both(d, to, at, (uint32_t)fresh->of[a], (uint32_t)fresh->of[b]);
            for (uint32_t b = 0; b < d->old_count[series]; b++)
                if ((uint32_t)fresh->of[a] != (uint32_t)old->of[b])
                    at = put_both(d, to, at, (uint32_t)fresh->of[a], (uint32_t)old->of[b]);
        }
        // A neighbour that is both new, by one link, and old, by the other, is not compared with itself: in its place
        // one whose distance is known.
        while (at < to->starts[i + 1])
            at = put_both(d, to, at, (uint32_t)series, (uint32_t)fresh->of[0]);
    }
}

// ---- batches: while one is computed, the results of the one before are taken, and the one behind is filled

// The next batch, from `first` on.
static void cut(const descent *d, batch *b, size_t first) {
    const size_t n = d->index->count;
    size_t pairs = 0, end;
    b->starts[0] = 0;
    for (end = first; end < n; end++) {
        const size_t more = d->compares->count(d, end);
        if (pairs + more > b->pairs.room)
            break;
        b->starts[end + 1 - first] = pairs += more;
    }
    b->first = first;
    b->end = end;
    b->pairs.count = pairs;
}

static ww_status run(void *user) {
    const descent *d = user;
    return d->running->pairs.count ? wwi_index_pairs_run(d->index, &d->running->pairs) : WW_OK;
}

// Parts [first, end) of PARTS of both.
enum { PARTS = 1 << 20 };
static size_t part_of(size_t all, size_t part) {
    return (size_t)((unsigned __int128)all * part / PARTS);
}

static void beside(void *user, size_t first, size_t end) {
    descent *d = user;
    if (d->taken)
        take(d, d->taken, part_of(d->taken->pairs.count, first), part_of(d->taken->pairs.count, end));
    if (d->filled) {
        const size_t series = d->filled->end - d->filled->first;
        d->compares->fill(d, d->filled, part_of(series, first), part_of(series, end));
    }
}

static const comparison beginning = {first_pairs, fill_first}, rounds = {pairs_of, fill};

static ww_status run_all(descent *d, const comparison *of) {
    const size_t n = d->index->count;
    batch *const b = d->batches;
    size_t at = 0;
    d->compares = of;
    cut(d, &b[0], 0);
    d->taken = NULL;
    d->filled = &b[0];
    wwi_index_share(d->index, PARTS, beside, d);
    while (b[at].first < n) {
        batch *const next = &b[(at + 1) % 3];
        d->running = &b[at];
        cut(d, next, d->running->end);
        d->filled = next;
        WWI_TRY(wwi_index_beside(d->index, run, PARTS, beside, d));
        d->index->info.build_distances += d->running->pairs.count;
        d->taken = d->running;
        at = (at + 1) % 3;
        WWI_TRY(wwi_index_tell(d->index, d->taken->end - d->taken->first));
    }
    d->filled = NULL;
    wwi_index_share(d->index, PARTS, beside, d);
    return WW_OK;
}

// ---- all

static ww_status open(ww_index *x, descent *d) {
    const size_t n = x->count;
    const size_t room = wwi_is_gpu(x->context) ? GPU_PAIRS : CPU_PAIRS;
    d->index = x;
    d->k = x->neighbours;
    WWI_TRY(wwi_new(d->lists, n * d->k));
    WWI_TRY(wwi_new(d->fresh, n));
    WWI_TRY(wwi_new(d->old, n));
    WWI_TRY(wwi_new(d->fresh_count, n));
    WWI_TRY(wwi_new(d->old_count, n));
    WWI_TRY(wwi_new(d->locks, LOCKS));
    WWI_TRY(wwi_new(d->farthest, n));
    for (size_t i = 0; i < 3; i++) {
        WWI_TRY(wwi_new(d->batches[i].starts, n + 1));
        WWI_TRY(wwi_index_pairs_open(x, x->base, x->base, room, &d->batches[i].pairs));
    }
    for (size_t i = 0; i < LOCKS; i++)
        atomic_flag_clear(&d->locks[i]);
    for (size_t i = 0; i < n; i++)
        atomic_init(&d->farthest[i], INFINITY);
    for (size_t i = 0; i < n * d->k; i++)
        d->lists[i] = (wwi_near){INFINITY, WWI_NO_LINK};
    return WW_OK;
}

static void count_fresh(void *user, size_t first, size_t end) {
    descent *d = user;
    uint64_t count = 0;
    for (size_t i = first * d->k; i < end * d->k; i++)
        count += d->lists[i].id != WWI_NO_LINK && d->lists[i].id & WWI_INDEX_NEW;
    atomic_fetch_add(&d->fresh_in_all, count);
}

static ww_status run_round(descent *d, uint64_t number) {
    ww_index *x = d->index;
    d->seed = mix(x->seed, number, 1);
    memset(d->fresh_count, 0, x->count);
    memset(d->old_count, 0, x->count);
    wwi_index_share(x, x->count, pick_all, d);
    wwi_index_share(x, x->count, age, d);
    WWI_TRY(run_all(d, &rounds));
    atomic_store(&d->fresh_in_all, 0);
    wwi_index_share(x, x->count, count_fresh, d);
    return WW_OK;
}

ww_status wwi_index_descend(ww_index *x, wwi_near **lists) {
    WWI_ENDS(descent_close) descent d = {0};
    x->done = 0;
    x->total = (uint64_t)x->count * (ROUNDS + 1);
    x->info.build_distances = 0;
    WWI_TRY(open(x, &d));
    d.seed = mix(x->seed, 0, 0);
    WWI_TRY(run_all(&d, &beginning));
    const double few = FEW_NEW * (double)x->count * d.k;
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        WWI_TRY(run_round(&d, i));
        if ((double)atomic_load(&d.fresh_in_all) <= few)
            break;
    }
    for (size_t i = 0; i < x->count * d.k; i++)
        if (d.lists[i].id != WWI_NO_LINK)
            d.lists[i].id &= ~WWI_INDEX_NEW;
    *lists = wwi_taken(&d.lists);
    return WW_OK;
}
