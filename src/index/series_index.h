// SPDX-License-Identifier: Apache-2.0
// An index of series: structs and functions that building, searching, choosing, changing and saving share.
#ifndef WAVEWARP_SERIES_INDEX_H
#define WAVEWARP_SERIES_INDEX_H

#include <stdatomic.h>
#include <wavewarp/index.h>

#include "base/kit.h"
#include "base/run.h"
#include "data/dataset.h"
#include "jobs/plan.h"

#define WWI_NO_LINK UINT32_MAX
#define WWI_INDEX_NEW 0x80000000u // of wwi_near.id: this neighbour has not been compared with others yet
#define WWI_INDEX_EXACT 4096u     // bases of at most so many series are searched exactly for their links

// A series and its distance, rounded to float: graphs need no more. A similarity is negated.
typedef struct wwi_near {
    float distance;
    uint32_t id;
} wwi_near;

// Distances of listed pairs between two datasets, a batch at a time.
typedef struct wwi_index_pairs {
    ww_plan *plan;
    uint32_t *pairs; // `room` x (row, column, number)
    unsigned char *radii, *distances;
    size_t count, room;
    bool bounded; // radii are given, and of use
} wwi_index_pairs;

struct ww_index {
    ww_context *context;
    ww_measure measure; // with copies of what it points to
    ww_dataset *base;   // all series ever added
    bool similarity, symmetric;
    ww_precision precision;
    size_t value_bytes;
    uint32_t degree, neighbours;
    uint64_t seed;
    ww_run_options run;
    unsigned threads;
    size_t count;    // series of the base
    uint32_t *links; // count x degree, those that are not used behind the others: WWI_NO_LINK
    uint32_t
        *entries; // series that searches may begin with; the first `must_count` lead to parts that no link leads to
    size_t entry_count, must_count;
    size_t start_count; // of them, what searches do begin with
    uint32_t *removed;  // a bit for each series; NULL: none
    uint32_t beam;      // for `beam_k` neighbours; 0: exact searches
    size_t beam_k;      // 0: the beam is the caller's, for any number of neighbours
    ww_index_info info;
    wwi_buffer **device_links; // on each device the links, where walks there have needed them; NULL after a change
    uint64_t done, total;      // of the call in progress, in series
};

static inline bool wwi_index_is_removed(const ww_index *x, size_t id) {
    return x->removed && x->removed[id / 32] >> id % 32 & 1;
}
static inline size_t wwi_index_live(const ww_index *x) {
    return x->count - x->info.removed;
}
static inline bool wwi_is_nearer(wwi_near a, wwi_near b) {
    return a.distance < b.distance || (a.distance == b.distance && a.id < b.id);
}

static inline size_t wwi_index_devices(const ww_index *x) {
    return x->base->team ? x->base->team->count : 1;
}

// ---- index_base.c

// The devices' links, where links have changed.
void wwi_index_forget(ww_index *index);
// Calls `each` with runs of [0, count), from several threads.
typedef void (*wwi_index_each)(void *user, size_t first, size_t end);
void wwi_index_share(const ww_index *index, size_t count, wwi_index_each each, void *user);
// The same from all threads but the caller's, which calls `run` meanwhile.
ww_status wwi_index_beside(const ww_index *index, ww_status (*run)(void *user), size_t count, wwi_index_each each,
                           void *user);
// Options of plans that work for an index: its limits; their progress is that of the index.
void wwi_index_plan_run(ww_index *index, ww_run_options *run);
// Says that `done` series more are done. WW_ERROR_CANCELLED.
ww_status wwi_index_tell(ww_index *index, uint64_t done);
// Checks the options of an index without links, which is made. `degree` and `neighbours` are checked.
ww_status wwi_index_open(const ww_measure *measure, ww_dataset *base, const ww_index_options *options,
                         const ww_run_options *run, ww_index **index);
// The bytes of its graph, links and entries, into its info.
void wwi_index_count(ww_index *index);

// ---- index.c

// Links and entries of an index that has none.
ww_status wwi_index_build(ww_index *index);

// ---- index_pairs.c

// A plan; then room for its pairs.
ww_status wwi_index_pairs_plan(ww_index *index, ww_dataset *rows, ww_dataset *columns, wwi_index_pairs *pairs);
ww_status wwi_index_pairs_room(const ww_index *index, size_t room, wwi_index_pairs *pairs);
ww_status wwi_index_pairs_open(ww_index *index, ww_dataset *rows, ww_dataset *columns, size_t room,
                               wwi_index_pairs *pairs);
void wwi_index_pairs_close(wwi_index_pairs *pairs);
// Computes the distances of `count` pairs. Those of a similarity are negated.
ww_status wwi_index_pairs_run(ww_index *index, wwi_index_pairs *pairs);
static inline double wwi_index_pairs_value(const ww_index *index, const wwi_index_pairs *pairs, size_t i) {
    return wwi_value_at(pairs->distances, index->precision, i);
}

// ---- index_descent.c, index_exact.c

// The nearest neighbours of each series, about: count x neighbours, sorted; free with free. WWI_NO_LINK and infinity
// where there are fewer.
ww_status wwi_index_descend(ww_index *index, wwi_near **lists);
// The same, exactly.
ww_status wwi_index_search_all(ww_index *index, wwi_near **lists);
// The exact k nearest of queries, as ww_index_search() gives them. `own`: NULL, or for each the series of the base that
// it is, which it does not find. *share: of the cells of all pairs, those that were computed; NULL: not wanted.
ww_status wwi_index_exact(ww_index *index, ww_dataset *queries, const uint32_t *own, size_t k, int64_t *ids,
                          void *distances, double *share);
// Appends these series of a dataset, `numbers` NULL: the first `count`, to a set.
ww_status wwi_index_append(ww_dataset *from, const uint32_t *numbers, size_t count, ww_series_set *to);
// A set as a dataset of the precision, and on the devices, of another.
ww_status wwi_index_upload(const ww_dataset *like, ww_series_set *set, ww_dataset **dataset);
// These series of a dataset, as one of their own.
ww_status wwi_index_take(ww_dataset *from, const uint32_t *numbers, size_t count, ww_dataset **taken);

// ---- index_links.c

#define WWI_INDEX_LEAST_STARTS 64u // from so many entries every series can be reached

// Chooses up to `most` of `count` series, which are sorted by distance from one: those first over which fewest others
// lead there. `list` gives the neighbours of a series. Their positions, in that order; returns how many.
typedef const uint32_t *(*wwi_index_list)(const void *user, uint32_t id, uint32_t *count);
uint32_t wwi_index_prune(const uint32_t *ids, uint32_t count, uint32_t most, wwi_index_list list, const void *user,
                         uint32_t *chosen);
// Links and entries from the neighbours of each series.
ww_status wwi_index_link(ww_index *index, const wwi_near *lists);
// Links parts that can't be reached from the entries to what is near.
ww_status wwi_index_join(ww_index *index);
bool wwi_index_has_link(const ww_index *index, size_t from, uint32_t to);
// False: there is no room for one more.
bool wwi_index_add_link(ww_index *index, uint32_t from, uint32_t to);
// Takes more entries, as many as there should be.
ww_status wwi_index_enter(ww_index *index);

// ---- index_choose.c

// Whether a target, NULL: the defaults, can be asked for: WW_ERROR_INVALID_ARGUMENT.
ww_status wwi_index_check_target(const ww_index_target *target);

// ---- index_walk.c

// Series whose links a query looks at in a step: more need fewer steps, and a few more distances.
enum { WWI_INDEX_WIDTH = 4 };

// Queries that walk through the graph.
typedef struct wwi_index_walk {
    ww_dataset *queries;
    const uint32_t *rows; // NULL, or for each its series in them
    size_t count;
    const uint32_t *own; // NULL, or for each the series of the base that it is, which it does not find
    bool from_links;     // each begins with the links of its own series instead of the entries
    bool removed;        // removed series are found too
    uint32_t beam;
    size_t k;
    // Results: count x k. Numbers are WWI_NO_LINK and distances infinity where there are fewer. Similarities are
    // negated.
    uint32_t *ids;
    double *distances;
    uint64_t examined;
} wwi_index_walk;
ww_status wwi_index_run(ww_index *index, wwi_index_walk *walk);

// ---- index_device.c

// Whether walks whose pairs this plan has stay on the device.
bool wwi_index_on_device(const ww_index *index, const ww_plan *plan);
ww_status wwi_index_run_on_device(ww_index *index, ww_plan *plan, uint32_t beam, wwi_index_walk *walk);

#endif
