// SPDX-License-Identifier: Apache-2.0
// Shapelets on one device, or on several. One of these, the leading one, grows the tree: it compares the chosen with
// the series, and searches small nodes. The candidates of a large node are divided by their series: whoever takes a
// part of them begins with the best that all have found so far, which leave candidates out, and what it finds is joined
// with them.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "data/dataset_host.h"
#include "options.h"
#include "shapelets/shapelet_growth.h"

// Nodes that the leading device is expected to search in a smaller part of a tile's time are not divided.
#define DIVIDED_FROM 0.25

// A device, from when it first has work.
typedef struct member {
    bool open;
    wwi_shapelet_worker worker;
    double rate; // cells a second, of launches
} member;

typedef struct job {
    wwi_team *team;
    ww_dataset *train;
    wwi_growth *growth;
    const ww_series_set *set;
    member *members; // one a device
    size_t leading;  // the device that grows the tree
    // the node that is divided
    const wwi_shapelet_node *node;
    size_t k, first; // first: of its part
    uint64_t done;   // cells of the searches before
    // by all devices, as is the growth's progress
    wwi_shapelet_found *best;
    size_t count;
} job;

// ---- devices

// Opens it when it first has work. One that was lost stays so.
static ww_status need_member(job *j, size_t device) {
    member *m = &j->members[device];
    const wwi_worker *w = &j->team->workers[device];
    ww_context *context = wwi_context_on(j->team->context, device);
    ww_dataset *train;
    if (w->lost)
        return wwi_fail_again(&w->error, w->error.status);
    if (m->open)
        return WW_OK;
    WWI_TRY(wwi_dataset_on(j->train, device, &train));
    const ww_status status = wwi_shapelet_worker_open(context, &j->team->own, j->growth->kind, j->set, &m->worker);
    if (status != WW_OK) {
        wwi_shapelet_worker_close(&m->worker);
        return status;
    }
    m->rate = wwi_pace_guess(wwi_context_info(context), m->worker.device.gpu ? 20 : 1);
    m->open = true;
    return WW_OK;
}

static void lose(job *j, size_t device, ww_status status) {
    wwi_worker *w = &j->team->workers[device];
    if (w->lost)
        return;
    w->lost = true;
    w->error = *ww_last_error();
    w->error.status = status;
}

static void follow(job *j, size_t device) {
    j->leading = device;
    j->growth->leading = &j->members[device].worker;
    j->growth->progress.pace.stream = j->growth->leading->device.stream;
    j->growth->progress.rate = j->members[device].rate;
}

// The first device that is not lost leads.
static ww_status choose_leading(job *j) {
    ww_status status = WW_ERROR_INTERNAL;
    for (size_t device = 0; device < j->team->count; device++) {
        if ((status = need_member(j, device)) == WW_OK) {
            follow(j, device);
            return WW_OK;
        }
        if (!wwi_schedule_loses_worker(status))
            return status;
        lose(j, device, status);
    }
    return status;
}

static size_t able(const job *j) {
    size_t count = 0;
    for (size_t i = 0; i < j->team->count; i++)
        count += !j->team->workers[i].lost;
    return count;
}

static ww_status open_devices(wwi_growth *g, const ww_series_set *train) {
    job *j = g->user;
    j->growth = g;
    j->set = train;
    WWI_TRY(wwi_new_zeroed(j->members, j->team->count));
    wwi_team_begin(j->team);
    return choose_leading(j);
}

static bool replace_leading(wwi_growth *g, ww_status status) {
    job *j = g->user;
    if (!wwi_schedule_loses_worker(status))
        return false;
    lose(j, j->leading, status);
    return choose_leading(j) == WW_OK;
}

static void close_devices(wwi_growth *g) {
    job *j = g->user;
    for (size_t i = 0; j->members && i < j->team->count; i++) {
        wwi_shapelet_worker *worker = &j->members[i].worker;
        if (!j->members[i].open)
            continue;
        g->model->info.launches += wwi_stream_launches(worker->device.stream);
        g->model->info.seconds_device += wwi_stream_seconds(worker->device.stream);
        wwi_shapelet_worker_close(worker);
    }
    free(j->members);
    wwi_team_note_shares(j->team);
}

// ---- a node on all devices

static ww_status open_device(wwi_seat *seat) {
    return need_member(seat->of, seat->device);
}

// Before a part: the best of all so far. False where the time is over, and something was searched.
static bool take_best(job *j, wwi_shapelet_found *best, size_t *count) {
    wwi_shapelet_progress *all = &j->growth->progress;
    (void)pthread_mutex_lock(&j->team->lock);
    *count = j->count;
    memcpy(best, j->best, j->count * sizeof *best);
    const bool late = all->deadline > 0 && all->candidates > 0 && wwi_seconds() > all->deadline;
    all->stopped |= late;
    (void)pthread_mutex_unlock(&j->team->lock);
    return !late;
}

// After a part, from the node's series `first` on.
static ww_status join_best(job *j, size_t first, size_t series, const wwi_shapelet_found *best, size_t count,
                           const wwi_shapelet_progress *done) {
    ww_status status = WW_OK;
    wwi_shapelet_progress *all = &j->growth->progress;
    (void)pthread_mutex_lock(&j->team->lock);
    for (size_t i = 0; i < count; i++)
        wwi_shapelet_insert(j->best, &j->count, j->k, &best[i]);
    all->cells += done->cells;
    all->candidates += done->candidates;
    all->examined += done->examined;
    all->stopped |= done->stopped;
    if (!done->stopped)
        status = wwi_growth_save_series(j->growth, first, series, j->best, j->count);
    (void)pthread_mutex_unlock(&j->team->lock);
    return status;
}

static ww_status search_part(job *j, member *m, size_t first, size_t count, wwi_shapelet_found *best) {
    const wwi_growth *g = j->growth;
    wwi_shapelet_device *device = &m->worker.device;
    const wwi_shapelet_data *data = &m->worker.data;
    wwi_shapelet_node node = *j->node;
    wwi_shapelet_progress progress = {.rate = m->rate, .deadline = g->progress.deadline};
    size_t found;
    node.after = NULL;
    node.part_first = j->first + first;
    node.part_count = count;
    if (!take_best(j, best, &found))
        return WW_OK;
    progress.pace =
        wwi_pace_make(device->stream, g->run.launch_seconds, j->team->own.progress, j->team->own.progress_user);
    wwi_pace_start(&progress.pace, wwi_shapelet_cells(data, &g->options, &node));
    ww_status status = wwi_shapelet_search(device, data, &g->gains, &g->options, &node, j->k, &progress, best, &found);
    status = wwi_finish_after(device->stream, status);
    m->rate = progress.rate;
    return status == WW_OK ? join_best(j, first, count, best, found, &progress) : status;
}

// Without those that an earlier run did.
static ww_status run_part(const wwi_seat *seat, wwi_span series) {
    job *j = seat->of;
    const size_t first = series.first, count = series.count;
    const wwi_growth *g = j->growth;
    WWI_FREES wwi_shapelet_found *best = NULL;
    WWI_TRY(wwi_new(best, j->k));
    for (size_t at = first, end; at < first + count; at = end + 1) {
        for (end = at; end < first + count && !wwi_growth_has_series(g, end);)
            end++;
        if (end > at)
            WWI_TRY(search_part(j, &j->members[seat->device], at, end - at, best));
    }
    return WW_OK;
}

// By the calling thread, of the node that is divided.
static int tell(void *user, uint64_t done, uint64_t total) {
    job *j = user;
    const wwi_growth *g = j->growth;
    const uint64_t all = g->progress.pace.total;
    (void)total;
    return g->run.progress(g->run.progress_user, wwi_least(j->done + done, all), all);
}

// Takes the work of series that an earlier run did out of what is before each. Returns how much it is.
static uint64_t leave_out(const wwi_growth *g, size_t units, double *before) {
    double done = 0, own;
    for (size_t i = 0, next = 1; i < units; i++, next++) {
        own = before[next] - (before[i] + done);
        done += wwi_growth_has_series(g, i) ? own : 0;
        before[next] -= done;
    }
    return (uint64_t)done;
}

static ww_status find_divided(job *j, size_t units, double *before) {
    static const wwi_job kind = {.open = open_device, .run = run_part};
    wwi_growth *g = j->growth;
    const ww_run_options report = {.progress = tell, .progress_user = j};
    WWI_TRY(wwi_growth_divide(g, units));
    wwi_shapelet_cells_before(&g->leading->data, &g->options, j->node, before);
    j->done = g->progress.pace.done + leave_out(g, units, before);
    const ww_status status = wwi_team_go_on(j->team, &kind, j, units, before, g->run.progress ? &report : NULL);
    g->progress.pace.done = wwi_least(j->done + (uint64_t)before[units], g->progress.pace.total);
    WWI_TRY(status);
    return j->team->workers[j->leading].lost ? choose_leading(j) : WW_OK;
}

static ww_status find_by_leading(job *j, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                                 size_t *count, double cells) {
    const double start = wwi_seconds();
    WWI_TRY(wwi_growth_find_alone(j->growth, node, k, found, count));
    wwi_worker_did(&j->team->workers[j->leading], cells, wwi_seconds() - start);
    return WW_OK;
}

static ww_status find_node(wwi_growth *g, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                           size_t *count) {
    job *j = g->user;
    const size_t units = node->part_count ? node->part_count : node->count;
    const double cells = (double)wwi_shapelet_cells(&g->leading->data, &g->options, node);
    const double expected = cells / j->team->workers[j->leading].rate;
    if (able(j) < 2 || units < 2 || expected < DIVIDED_FROM * wwi_context_tile_seconds(j->team->context))
        return find_by_leading(j, node, k, found, count, cells);
    WWI_FREES double *before = NULL;
    WWI_TRY(wwi_new(before, units + 1));
    j->node = node;
    j->first = node->part_count ? node->part_first : 0;
    j->k = k;
    j->best = found;
    j->count = *count;
    const ww_status status = find_divided(j, units, before);
    *count = j->count;
    return status;
}

static ww_status create(ww_dataset *train, ww_context *context, const ww_shapelets_options *options,
                        ww_shapelets **shapelets) {
    static const wwi_shapelet_devices kind = {
        .open = open_devices, .find = find_node, .replace = replace_leading, .close = close_devices};
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_ENDS(wwi_team_close) wwi_team *team = NULL;
    WWI_TRY(wwi_options_take(&o, options, "ww_shapelets_options"));
    WWI_TRY(wwi_dataset_series(train, &set));
    WWI_TRY(wwi_team_open(context, o.run, &team));
    job j = {.team = team, .train = train};
    wwi_growth g = {.devices = &kind, .user = &j};
    return wwi_shapelets_grow(&g, set, options, shapelets);
}

ww_status ww_shapelets_create(ww_dataset *train, const ww_shapelets_options *options, ww_shapelets **shapelets) {
    if (shapelets)
        *shapelets = NULL;
    WWI_NEEDS("train, shapelets", train, shapelets);
    ww_context *context = wwi_datasets_divide(train, NULL);
    if (context)
        WWI_TRY(wwi_store_refuse_part(wwi_context_store(context), "a search for shapelets"));
    return context ? create(train, context, options, shapelets) : wwi_shapelets_create_alone(train, options, shapelets);
}
