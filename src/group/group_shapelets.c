// SPDX-License-Identifier: Apache-2.0
// Shapelets on a group of devices. One of them, the lead, grows the tree: it compares the chosen with the series, and
// searches small nodes. The candidates of a large node are divided by their series: whoever takes a part of them begins
// with the best that all have found so far, which leave candidates out, and what it finds is joined with them.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "data/dataset_host.h"
#include "group/group.h"
#include "shapelets/shapelet_growth.h"

// Nodes that the lead is expected to search in a smaller part of a tile's time are not divided.
#define DIVIDED_FROM 0.25

// A device, from when it first has work.
typedef struct member {
    bool open;
    wwi_shapelet_seat seat;
    double rate; // cells a second, of launches
} member;

typedef struct crew {
    ww_group *group;
    ww_group_dataset *train;
    wwi_growth *growth;
    const ww_series_set *set;
    ww_run_options own; // a device's, which does not tell the caller's progress function
    member *members;    // one a device
    size_t lead;
    atomic_bool stop; // the caller asked to
    // the node that is divided
    const wwi_shapelet_node *node;
    size_t k, first;      // first: of its part
    uint64_t done;        // cells of the searches before
    pthread_mutex_t lock; // of what follows, and of the growth's progress
    wwi_shapelet_found *best;
    size_t count;
} crew;

// ---- devices

static ww_status open_member(crew *c, size_t device) {
    member *m = &c->members[device];
    ww_context *context = c->group->contexts[device];
    ww_status status = wwi_group_check_part(c->train->parts[device], &c->train->errors[device]);
    if (status == WW_OK)
        status = wwi_shapelet_seat_open(context, &c->own, c->growth->kind, c->set, &m->seat);
    if (status != WW_OK) {
        wwi_shapelet_seat_close(&m->seat);
        return status;
    }
    m->rate = wwi_pace_guess(wwi_context_info(context), m->seat.device.gpu ? 20 : 1);
    m->open = true;
    return WW_OK;
}

// A device that was lost stays so.
static ww_status need_member(crew *c, size_t device) {
    const wwi_worker *w = &c->group->workers[device];
    if (w->lost)
        return wwi_fail_again(&w->error, w->error.status);
    return c->members[device].open ? WW_OK : open_member(c, device);
}

static void lose(crew *c, size_t device, ww_status status) {
    wwi_worker *w = &c->group->workers[device];
    if (w->lost)
        return;
    w->lost = true;
    w->error = *ww_last_error();
    w->error.status = status;
}

static void lead_by(crew *c, size_t device) {
    c->lead = device;
    c->growth->seat = &c->members[device].seat;
    c->growth->progress.pace.stream = c->growth->seat->device.stream;
    c->growth->progress.rate = c->members[device].rate;
}

// The first device that is not lost leads: one in reserve when all others are.
static ww_status choose_lead(crew *c) {
    ww_status status = WW_ERROR_INTERNAL;
    for (size_t i = 0; i < 2 * c->group->count; i++) {
        const size_t device = i % c->group->count;
        wwi_worker *w = &c->group->workers[device];
        if (w->reserve != (i >= c->group->count))
            continue;
        if ((status = need_member(c, device)) == WW_OK) {
            w->reserve = false;
            lead_by(c, device);
            return WW_OK;
        }
        if (!wwi_schedule_loses_worker(status))
            return status;
        lose(c, device, status);
    }
    return status;
}

static size_t able(const crew *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->group->count; i++)
        count += !c->group->workers[i].lost && !c->group->workers[i].reserve;
    return count;
}

static ww_status open_crew(wwi_growth *g, const ww_series_set *train) {
    crew *c = g->user;
    if (g->options.checkpoint) {
        (void)wwi_fail(WW_ERROR_UNSUPPORTED, "several devices keep no checkpoint of shapelets");
        return wwi_fail_hint("take one device, or leave the checkpoint out");
    }
    c->growth = g;
    c->set = train;
    c->own = g->run;
    c->own.progress = NULL;
    if (!(c->members = calloc(c->group->count, sizeof *c->members)))
        return wwi_fail_memory(c->group->count * sizeof *c->members);
    wwi_group_begin(c->group);
    return choose_lead(c);
}

static bool replace_lead(wwi_growth *g, ww_status status) {
    crew *c = g->user;
    if (!wwi_schedule_loses_worker(status))
        return false;
    lose(c, c->lead, status);
    return choose_lead(c) == WW_OK;
}

static void close_crew(wwi_growth *g) {
    crew *c = g->user;
    for (size_t i = 0; c->members && i < c->group->count; i++) {
        wwi_shapelet_seat *seat = &c->members[i].seat;
        if (!c->members[i].open)
            continue;
        g->model->info.launches += wwi_stream_launches(seat->device.stream);
        g->model->info.seconds_device += wwi_stream_seconds(seat->device.stream);
        wwi_shapelet_seat_close(seat);
    }
    free(c->members);
}

// ---- a node on all devices

static ww_status begin_device(void *user, size_t device, void **own) {
    crew *c = user;
    *own = &c->members[device];
    return need_member(c, device);
}

static int stopped(void *user, uint64_t done, uint64_t total) {
    (void)done;
    (void)total;
    return atomic_load(&((crew *)user)->stop);
}

// Before a part: the best of all so far. False where the time is over, and something was searched.
static bool take_best(crew *c, wwi_shapelet_found *best, size_t *count) {
    wwi_shapelet_progress *all = &c->growth->progress;
    (void)pthread_mutex_lock(&c->lock);
    *count = c->count;
    memcpy(best, c->best, c->count * sizeof *best);
    const bool late = all->deadline > 0 && all->candidates > 0 && wwi_seconds() > all->deadline;
    all->stopped |= late;
    (void)pthread_mutex_unlock(&c->lock);
    return !late;
}

static void join_best(crew *c, const wwi_shapelet_found *best, size_t count, const wwi_shapelet_progress *done) {
    wwi_shapelet_progress *all = &c->growth->progress;
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < count; i++)
        wwi_shapelet_insert(c->best, &c->count, c->k, &best[i]);
    all->cells += done->cells;
    all->candidates += done->candidates;
    all->examined += done->examined;
    all->stopped |= done->stopped;
    (void)pthread_mutex_unlock(&c->lock);
}

static ww_status search_part(crew *c, member *m, size_t first, size_t count, wwi_shapelet_found *best) {
    const wwi_growth *g = c->growth;
    wwi_shapelet_device *device = &m->seat.device;
    const wwi_shapelet_data *data = &m->seat.data;
    wwi_shapelet_node node = *c->node;
    wwi_shapelet_progress progress = {.rate = m->rate, .deadline = g->progress.deadline};
    size_t found;
    node.after = NULL;
    node.part_first = c->first + first;
    node.part_count = count;
    if (!take_best(c, best, &found))
        return WW_OK;
    progress.pace = wwi_pace_make(device->stream, g->run.launch_seconds, stopped, c);
    wwi_pace_start(&progress.pace, wwi_shapelet_cells(data, &g->options, &node));
    ww_status status = wwi_shapelet_search(device, data, &g->gains, &g->options, &node, c->k, &progress, best, &found);
    status = wwi_finish_after(device->stream, status);
    m->rate = progress.rate;
    if (status == WW_OK)
        join_best(c, best, found, &progress);
    return status;
}

static ww_status run_part(void *user, void *own, size_t first, size_t count) {
    crew *c = user;
    wwi_shapelet_found *best = malloc(c->k * sizeof *best);
    const ww_status status = best ? search_part(c, own, first, count, best) : wwi_fail_memory(c->k * sizeof *best);
    free(best);
    return status;
}

// By the calling thread, of the node that is divided.
static int tell(void *user, uint64_t done, uint64_t total) {
    crew *c = user;
    const wwi_growth *g = c->growth;
    const uint64_t all = g->progress.pace.total;
    (void)total;
    const int stop = g->run.progress(g->run.progress_user, wwi_least(c->done + done, all), all);
    if (stop)
        atomic_store(&c->stop, true);
    return stop;
}

// Those that were stopped in the middle of a part were not lost.
static void forgive(ww_group *group) {
    for (size_t i = 0; i < group->count; i++)
        if (group->workers[i].error.status == WW_ERROR_CANCELLED)
            group->workers[i].lost = false;
}

static ww_status find_divided(crew *c, size_t units, double *before) {
    static const wwi_group_kind kind = {.begin = begin_device, .run = run_part};
    wwi_growth *g = c->growth;
    const ww_run_options report = {.progress = tell, .progress_user = c};
    wwi_shapelet_cells_before(&g->seat->data, &g->options, c->node, before);
    c->done = g->progress.pace.done;
    ww_status status = wwi_group_go_on(c->group, &kind, c, units, before, g->run.progress ? &report : NULL);
    g->progress.pace.done = wwi_least(c->done + (uint64_t)before[units], g->progress.pace.total);
    if (status == WW_ERROR_CANCELLED)
        forgive(c->group);
    else if (status == WW_OK && c->group->workers[c->lead].lost)
        status = choose_lead(c);
    return status;
}

static ww_status find_by_lead(crew *c, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                              size_t *count, double cells) {
    const double start = wwi_seconds();
    wwi_worker *w = &c->group->workers[c->lead];
    const ww_status status = wwi_growth_find_alone(c->growth, node, k, found, count);
    const double seconds = wwi_seconds() - start;
    if (status != WW_OK)
        return status;
    w->tiles++;
    w->work += cells;
    w->seconds += seconds;
    if (seconds > 1e-6)
        w->rate = cells / seconds;
    return WW_OK;
}

static ww_status find_node(wwi_growth *g, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                           size_t *count) {
    crew *c = g->user;
    const size_t units = node->part_count ? node->part_count : node->count;
    const double cells = (double)wwi_shapelet_cells(&g->seat->data, &g->options, node);
    const double expected = cells / c->group->workers[c->lead].rate;
    if (able(c) < 2 || units < 2 || expected < DIVIDED_FROM * c->group->tile_seconds)
        return find_by_lead(c, node, k, found, count, cells);
    double *before = malloc((units + 1) * sizeof *before);
    if (!before)
        return wwi_fail_memory((units + 1) * sizeof *before);
    c->node = node;
    c->first = node->part_count ? node->part_first : 0;
    c->k = k;
    c->best = found;
    c->count = *count;
    const ww_status status = find_divided(c, units, before);
    *count = c->count;
    free(before);
    return status;
}

ww_status ww_group_shapelets(ww_group_dataset *train, const ww_shapelets_options *options, ww_shapelets **shapelets) {
    static const wwi_shapelet_crew kind = {
        .open = open_crew, .find = find_node, .replace = replace_lead, .close = close_crew};
    ww_series_set *set = NULL;
    if (shapelets)
        *shapelets = NULL;
    if (!train || !shapelets)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "train or shapelets is NULL");
    ww_status status = WW_ERROR_INTERNAL;
    for (size_t i = 0; !set && i < train->group->count; i++)
        if (train->parts[i] && (status = wwi_dataset_series(train->parts[i], &set)) != WW_OK)
            set = NULL;
    if (!set)
        return status;
    crew c = {.group = train->group, .train = train};
    wwi_growth g = {.crew = &kind, .user = &c};
    (void)pthread_mutex_init(&c.lock, NULL);
    status = wwi_shapelets_grow(&g, set, options, shapelets);
    (void)pthread_mutex_destroy(&c.lock);
    ww_series_set_destroy(&set);
    return status;
}
