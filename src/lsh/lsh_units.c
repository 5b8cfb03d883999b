// SPDX-License-Identifier: Apache-2.0
// Hash tables on one device, or on several: each has all of them, which are the same because they follow from the seed,
// and takes runs of the queries.
#include <inttypes.h>
#include <stdlib.h>

#include "base/run.h"
#include "lsh/lsh_index.h"
#include "options.h"

// ---- building

typedef struct creation {
    ww_points *points;
    ww_lsh_options options;
    wwi_team *team;
    atomic_uint_least64_t *done; // entries that a device has made; IDLE: it does not build
    uint64_t told;               // the most that the caller was told
} creation;

#define IDLE UINT64_MAX

// In a device's thread.
static int note(void *user, uint64_t done, uint64_t total) {
    const wwi_seat *seat = user;
    const creation *c = seat->of;
    if (total > 1) // not a compile before the first table
        atomic_store(&c->done[seat->device], done);
    return atomic_load(&seat->team->stop);
}

// In the caller's thread: what the slowest device has done.
static int tell(void *user, uint64_t done, uint64_t total) {
    creation *c = user;
    const ww_run_options *run = &c->team->run;
    uint64_t least = IDLE;
    for (size_t i = 0; i < c->team->count; i++)
        least = wwi_least(least, atomic_load(&c->done[i]));
    if (done == total)
        c->told = total;
    else if (least != IDLE && least > c->told)
        c->told = wwi_least(least, total);
    return run->progress(run->progress_user, c->told, total);
}

static ww_status build_on(wwi_seat *seat) {
    creation *c = seat->of;
    WWI_ENDS(ww_lsh_destroy) ww_lsh *made = NULL;
    ww_points *points;
    ww_run_options run = seat->team->own;
    ww_lsh_options options = c->options;
    WWI_TRY(wwi_points_on(c->points, seat->device, &points));
    if (run.progress) {
        run.progress = note;
        run.progress_user = seat;
    }
    options.run = &run;
    atomic_store(&c->done[seat->device], 0);
    const ww_status status = wwi_lsh_create_alone(points, &options, &made);
    atomic_store(&c->done[seat->device], IDLE);
    WWI_TRY(status);
    options = made->options;
    options.run = &seat->team->own; // of searches
    WWI_TRY(wwi_lsh_set_options_alone(made, &options));
    seat->own = wwi_taken(&made);
    return WW_OK;
}

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_lsh, wwi_taken(team), NULL);
}

ww_status ww_lsh_create(ww_points *points, const ww_lsh_options *options, ww_lsh **lsh) {
    if (lsh)
        *lsh = NULL;
    WWI_NEEDS("points, lsh", points, lsh);
    ww_context *context = wwi_points_divide(points, NULL);
    if (!context)
        return wwi_lsh_create_alone(points, options, lsh);
    WWI_FREES atomic_uint_least64_t *done = NULL;
    WWI_ENDS(close_team) wwi_team *team = NULL;
    creation c = {.points = points, .options = WW_LSH_OPTIONS_INIT};
    const double start = wwi_seconds();
    WWI_TRY(wwi_options_take(&c.options, options, "ww_lsh_options"));
    WWI_TRY(wwi_team_open(context, c.options.run, &team));
    WWI_TRY(wwi_new(done, team->count));
    for (size_t i = 0; i < team->count; i++)
        atomic_init(&done[i], IDLE);
    c.team = team;
    c.done = done;
    const ww_run_options report = {.progress = team->run.progress ? tell : NULL, .progress_user = &c};
    WWI_TRY(wwi_team_make(team, build_on, &c, (double)points->count * c.options.tables, &report));
    ww_lsh *first = wwi_team_any(team);
    first->info.seconds_build = wwi_seconds() - start;
    first->team = wwi_taken(&team);
    *lsh = first;
    return WW_OK;
}

// ---- changes: of the caller's tables first, then of the others; a device that can't follow takes no part any more

static void drop(wwi_team *team, size_t device, ww_status status) {
    ww_lsh *h = team->on[device];
    team->workers[device].lost = true;
    team->workers[device].error = *ww_last_error();
    team->workers[device].error.status = status;
    team->on[device] = NULL;
    ww_lsh_destroy(&h);
}

#define ON_THE_OTHERS(of, ...)                                                                                         \
    for (size_t i = 0; (of)->team && i < (of)->team->count; i++) {                                                     \
        ww_lsh *const other = (of)->team->on[i];                                                                       \
        if (!other || other == (of))                                                                                   \
            continue;                                                                                                  \
        const ww_status wwi_status = (__VA_ARGS__);                                                                    \
        if (wwi_status != WW_OK)                                                                                       \
            drop((of)->team, i, wwi_status);                                                                           \
    }

static ww_status add_on(ww_lsh *other, ww_points *points, size_t device) {
    ww_points *on;
    WWI_TRY(wwi_points_on(points, device, &on));
    return wwi_lsh_add_alone(other, on);
}

ww_status ww_lsh_add(ww_lsh *h, ww_points *points) {
    WWI_NEEDS("lsh, points", h, points);
    if (h->team && wwi_points_divide(points, NULL) != h->team->context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the points are not on the devices of the tables");
    const double start = wwi_seconds();
    WWI_TRY(wwi_lsh_add_alone(h, points));
    ON_THE_OTHERS(h, add_on(other, points, i))
    h->info.seconds_build = wwi_seconds() - start;
    return WW_OK;
}

ww_status ww_lsh_remove(ww_lsh *h, const int64_t *ids, size_t count) {
    if (!h || (!ids && count))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "lsh or ids is NULL");
    WWI_TRY(wwi_lsh_remove_alone(h, ids, count));
    ON_THE_OTHERS(h, wwi_lsh_remove_alone(other, ids, count))
    return WW_OK;
}

ww_status ww_lsh_set_options(ww_lsh *h, const ww_lsh_options *options) {
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    WWI_NEEDS("lsh, options", h, options);
    if (!h->team)
        return wwi_lsh_set_options_alone(h, options);
    wwi_team *team = h->team;
    WWI_TRY(wwi_options_take(&o, options, "ww_lsh_options"));
    const ww_run_options before = team->run;
    if (o.run)
        WWI_TRY(wwi_team_set_run(team, o.run));
    o.run = &team->own;
    const ww_status status = wwi_lsh_set_options_alone(h, &o);
    if (status != WW_OK) {
        (void)wwi_team_set_run(team, &before);
        return status;
    }
    ON_THE_OTHERS(h, wwi_lsh_set_options_alone(other, &o))
    return WW_OK;
}

// ---- searching

typedef struct job {
    const ww_lsh *h; // the caller's
    ww_points *queries;
    size_t row, k;
    int64_t *ids;
    unsigned char *distances;
    uint32_t *found;
    ww_lsh_info sum;
} job;

static double query_work(const void *of, size_t query) {
    const ww_lsh *h = ((const job *)of)->h;
    (void)query;
    return (double)h->options.tables * h->options.probes * h->options.functions * h->words;
}

static ww_status open_tables(wwi_seat *seat) {
    ww_points *queries;
    return wwi_points_on(((const job *)seat->of)->queries, seat->device, &queries);
}

static ww_status run_queries(const wwi_seat *seat, wwi_span some) {
    job *j = seat->of;
    ww_lsh *h = seat->team->on[seat->device];
    ww_points *queries;
    const size_t place = some.first * j->k;
    WWI_TRY(wwi_points_on(j->queries, seat->device, &queries));
    WWI_TRY(wwi_lsh_run_alone(h, queries, j->row + some.first, some.count, j->k, j->ids + place,
                              j->distances ? j->distances + place * h->value_bytes : NULL,
                              j->found ? j->found + some.first : NULL));
    (void)pthread_mutex_lock(&seat->team->lock);
    j->sum.path = h->info.path;
    j->sum.examined += h->info.examined;
    j->sum.capped += h->info.capped;
    j->sum.incomplete += h->info.incomplete;
    (void)pthread_mutex_unlock(&seat->team->lock);
    return WW_OK;
}

// The tables follow from the seed and the points, which are inputs; those of a file are known by their coefficients.
static void name_queries(const void *of, FILE *to) {
    const job *j = of;
    const ww_lsh *h = j->h;
    const ww_lsh_options *o = &h->options;
    char sum[65], removed[65] = "";
    wwi_checksum_text(h->coefficients, h->coefficient_bytes, sum);
    if (h->removed.count)
        wwi_checksum_text(h->removed.bits, (h->total + 31) / 32 * sizeof *h->removed.bits, removed);
    fprintf(to,
            "lsh\npoints %zu row %zu k %zu metric %s tables %u functions %u width %.17g probes %u candidates %u seed "
            "%" PRIu64 " complete %d %s %s removed %s distances %d found %d",
            h->total, j->row, j->k, ww_word(WW_WORD_METRIC, o->metric), o->tables, o->functions, o->width, o->probes,
            o->candidates, o->seed, o->complete != 0, ww_word(WW_WORD_PRECISION, h->precision), sum, removed,
            j->distances != NULL, j->found != NULL);
}

static ww_status give_queries(const wwi_seat *seat, wwi_span some, wwi_bytes *to) {
    const job *j = seat->of;
    WWI_TRY(wwi_bytes_put_rows(to, j->ids, some, j->k * sizeof *j->ids));
    WWI_TRY(wwi_bytes_put_rows(to, j->distances, some, j->k * j->h->value_bytes));
    return wwi_bytes_put_rows(to, j->found, some, sizeof *j->found);
}

static ww_status take_queries(void *of, wwi_span some, wwi_taken_bytes *from) {
    const job *j = of;
    WWI_TRY(wwi_bytes_take_rows(from, j->ids, some, j->k * sizeof *j->ids));
    WWI_TRY(wwi_bytes_take_rows(from, j->distances, some, j->k * j->h->value_bytes));
    return wwi_bytes_take_rows(from, j->found, some, sizeof *j->found);
}

static ww_status divide(ww_lsh *h, job *j, size_t rows) {
    // On the device queries are in tiles, of which a search takes whole ones.
    static const wwi_job kind = {.work = query_work,
                                 .step = WWI_TILE_PAIR,
                                 .open = open_tables,
                                 .run = run_queries,
                                 .name = name_queries,
                                 .give = give_queries,
                                 .take = take_queries};
    const double start = wwi_seconds();
    WWI_TRY(wwi_team_run(h->team, &kind, j, rows));
    h->info.path = j->sum.path;
    h->info.examined = j->sum.examined;
    h->info.capped = j->sum.capped;
    h->info.incomplete = j->sum.incomplete;
    h->info.seconds_search = wwi_seconds() - start;
    return WW_OK;
}

ww_status ww_lsh_run_rows(ww_lsh *h, ww_points *queries, size_t row, size_t rows, size_t k, int64_t *ids,
                          void *distances, uint32_t *found) {
    WWI_NEEDS("lsh, ids", h, ids);
    if (k < 1 || k > WW_LSH_MOST_K)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; it can be 1 to %d", k, WW_LSH_MOST_K);
    const size_t all = queries ? queries->count : h->total;
    if (row > all || rows > all - row)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "rows %zu and %zu more are not in the %zu queries", row, rows, all);
    if (!h->team || (queries && wwi_points_divide(queries, NULL) != h->team->context))
        WWI_ALONE(h->team, wwi_lsh_run_alone(h, queries, row, rows, k, ids, distances, found));
    return divide(
        h, &(job){.h = h, .queries = queries, .row = row, .k = k, .ids = ids, .distances = distances, .found = found},
        rows);
}

ww_status ww_lsh_run(ww_lsh *h, ww_points *queries, size_t k, int64_t *ids, void *distances, uint32_t *found) {
    return ww_lsh_run_rows(h, queries, 0, queries ? queries->count : h ? h->total : 0, k, ids, distances, found);
}
