// SPDX-License-Identifier: Apache-2.0
// Hash tables on every device of a group, and searches of them by parts of the queries.
#include <stdlib.h>

#include "base/run.h"
#include "group/group.h"
#include "host.h"
#include "lsh/lsh_index.h"
#include "options.h"

struct ww_group_lsh {
    ww_group *group;
    ww_run_options run, own; // the caller's; a device's
    ww_lsh **parts;          // one a device; NULL where they could not be built
    ww_error *errors;        // why not
    const ww_lsh *any;       // of them
    ww_lsh_info info;
};

// ---- building

typedef struct source {
    ww_group_lsh *to;
    const ww_group_points *points;
    ww_lsh_options options;
    atomic_uint_least64_t *done; // entries that a device has made; IDLE: it does not build
    uint64_t told;               // the most that the caller was told
} source;

#define IDLE UINT64_MAX

// By a device's thread.
static int note(void *user, uint64_t done, uint64_t total) {
    const wwi_group_seat *seat = user;
    const source *from = seat->job;
    if (total > 1) // not a compile before the first table
        atomic_store(&from->done[seat->device], done);
    return atomic_load(&from->to->group->stop);
}

// By the calling thread: what the slowest device has done.
static int tell(void *user, uint64_t done, uint64_t total) {
    source *from = user;
    const ww_run_options *run = &from->to->run;
    uint64_t least = IDLE;
    for (size_t i = 0; i < from->to->group->count; i++)
        least = wwi_least(least, atomic_load(&from->done[i]));
    if (done == total)
        from->told = total;
    else if (least != IDLE && least > from->told)
        from->told = wwi_least(least, total);
    return run->progress(run->progress_user, from->told, total);
}

static ww_status build(wwi_group_seat *seat) {
    source *from = seat->job;
    const size_t device = seat->device;
    ww_lsh **part = &from->to->parts[device];
    ww_points *points = from->points->parts[device];
    ww_run_options run = from->to->own;
    ww_lsh_options options = from->options;
    WWI_TRY(wwi_group_check_part(points, &from->points->errors[device]));
    if (from->to->run.progress) {
        run.progress = note;
        run.progress_user = seat;
    }
    options.run = &run;
    atomic_store(&from->done[device], 0);
    const ww_status status = ww_lsh_create(points, &options, part);
    atomic_store(&from->done[device], IDLE);
    if (status != WW_OK)
        return status;
    options = (*part)->options;
    options.run = &from->to->own; // of searches
    return ww_lsh_set_options(*part, &options);
}

static ww_status build_all(ww_group_lsh *g, source *from) {
    const double start = wwi_seconds();
    const ww_run_options report = {.progress = g->run.progress ? tell : NULL, .progress_user = from};
    const ww_points *any = wwi_group_any(g->group, from->points->parts);
    const double work = (double)any->count * from->options.tables;
    WWI_TRY(wwi_new_zeroed(g->parts, g->group->count));
    WWI_TRY(wwi_new_zeroed(g->errors, g->group->count));
    for (size_t i = 0; i < g->group->count; i++)
        atomic_init(&from->done[i], IDLE);
    WWI_TRY(wwi_group_make_together(g->group, g->errors, from, build, work, &report));
    g->any = wwi_group_any(g->group, g->parts);
    g->info = g->any->info;
    g->info.points = g->any->total;
    g->info.dimension = g->any->kind == WW_POINTS_SETS ? 0 : g->any->dimension;
    g->info.seconds_build = wwi_seconds() - start;
    return WW_OK;
}

ww_status ww_group_lsh_create(ww_group_points *points, const ww_lsh_options *options, ww_group_lsh **lsh) {
    if (lsh)
        *lsh = NULL;
    WWI_NEEDS("points, lsh", points, lsh);
    WWI_FREES atomic_uint_least64_t *done = NULL;
    WWI_ENDS(ww_group_lsh_destroy) ww_group_lsh *g = NULL;
    WWI_TRY(wwi_new(done, points->group->count));
    WWI_TRY(wwi_new_zeroed(g, 1));
    g->group = wwi_group_retain(points->group);
    source from = {.to = g, .points = points, .options = WW_LSH_OPTIONS_INIT, .done = done};
    WWI_TRY(wwi_options_take(&from.options, options, "ww_lsh_options"));
    WWI_TRY(wwi_run_take(from.options.run, &g->run));
    g->own = wwi_group_own_run(g->group, &g->run);
    WWI_TRY(build_all(g, &from));
    *lsh = wwi_taken(&g);
    return WW_OK;
}

void ww_group_lsh_destroy(ww_group_lsh **lsh) {
    ww_group_lsh *g = wwi_taken(lsh);
    if (!g)
        return;
    for (size_t i = 0; g->parts && i < g->group->count; i++)
        ww_lsh_destroy(&g->parts[i]);
    wwi_group_release(g->group);
    free(g->parts);
    free(g->errors);
    free(g);
}

const ww_lsh *ww_group_lsh_tables(const ww_group_lsh *lsh) {
    return lsh ? lsh->any : NULL;
}

WWI_GIVES_INFO(group_lsh, lsh)

// ---- searching

typedef struct job {
    ww_group_lsh *lsh;
    const ww_group_points *queries; // NULL: the tables' own points
    size_t k;
    int64_t *ids;
    void *distances;
    uint32_t *found;
} job;

static double query_work(const void *user, size_t query) {
    const ww_lsh *any = ((const job *)user)->lsh->any;
    (void)query;
    return (double)any->options.tables * any->options.probes * any->options.functions * any->words;
}

static ww_status begin_device(wwi_group_seat *seat) {
    const job *j = seat->job;
    const size_t device = seat->device;
    WWI_TRY(wwi_group_check_part(j->lsh->parts[device], &j->lsh->errors[device]));
    return j->queries ? wwi_group_check_part(j->queries->parts[device], &j->queries->errors[device]) : WW_OK;
}

static ww_status run_queries(const wwi_group_seat *seat, size_t first, size_t count) {
    const job *j = seat->job;
    ww_group_lsh *g = j->lsh;
    ww_lsh *part = g->parts[seat->device];
    const size_t place = first * j->k, value = wwi_precision_bytes(g->any->precision);
    unsigned char *distances = j->distances ? (unsigned char *)j->distances + place * value : NULL;
    WWI_TRY(ww_lsh_run_rows(part, j->queries ? j->queries->parts[seat->device] : NULL, first, count, j->k,
                            j->ids + place, distances, j->found ? j->found + first : NULL));
    (void)pthread_mutex_lock(&g->group->lock);
    g->info.path = part->info.path;
    g->info.examined += part->info.examined;
    g->info.capped += part->info.capped;
    g->info.incomplete += part->info.incomplete;
    (void)pthread_mutex_unlock(&g->group->lock);
    return WW_OK;
}

ww_status ww_group_lsh_run(ww_group_lsh *g, ww_group_points *queries, size_t k, int64_t *ids, void *distances,
                           uint32_t *found) {
    // On the device queries are in tiles, of which a search takes whole ones.
    static const wwi_group_kind kind = {
        .begin = begin_device, .run = run_queries, .work = query_work, .step = WWI_TILE_PAIR};
    job j = {.lsh = g, .queries = queries, .k = k, .ids = ids, .distances = distances, .found = found};
    WWI_NEEDS("lsh, ids", g, ids);
    if (queries && queries->group != g->group)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the queries belong to another group");
    const double start = wwi_seconds();
    g->info.examined = g->info.capped = g->info.incomplete = 0;
    const ww_points *any = queries ? wwi_group_any(g->group, queries->parts) : NULL;
    const size_t count = any ? any->count : g->any->total;
    const ww_status status = wwi_group_run_units(g->group, &kind, &j, count, &g->run);
    g->info.seconds_search = wwi_seconds() - start;
    return status;
}
