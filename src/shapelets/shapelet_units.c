// SPDX-License-Identifier: Apache-2.0
// Shapelets on one device, or on several. One of these, the leading one, grows the tree: it compares the chosen with
// the series, and searches small nodes. The candidates of a large node are divided by their series: whoever takes a
// part of them begins with the best that all have found so far, which leave candidates out, and what it finds is joined
// with them.
//
// With a store each node is such a job, and a part of it keeps the best of all so far: joined, those of all parts are
// the best of the node, because candidates leave each other out within a series alone. A process that goes on takes
// them in place of the search, and so splits the node as before: the jobs of the nodes below are the same.
#include <inttypes.h>
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
    ww_store *store; // NULL: small nodes are the leading device's
    // the node that is divided
    const wwi_shapelet_node *node;
    size_t k;
    uint64_t done; // cells of the searches before
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

// What was not searched must not be kept as done; and a node can't be split by a part of its candidates.
static ww_status check_store(const ww_store *store, const ww_shapelets_options *o) {
    if (store && o->seconds > 0) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a search that ends after %g seconds is not kept in a store", o->seconds);
        return wwi_fail_hint("leave seconds out: cancelled at any time, the search goes on from its store");
    }
    return o->no_tree ? WW_OK : wwi_store_refuse_part(store, "a tree of shapelets");
}

static ww_status open_devices(wwi_growth *g, const ww_series_set *train) {
    job *j = g->user;
    j->growth = g;
    j->set = train;
    j->store = wwi_context_store(j->team->context);
    WWI_TRY(check_store(j->store, &g->options));
    WWI_TRY(wwi_new_zeroed(j->members, j->team->count));
    wwi_team_begin(j->team);
    WWI_TRY(choose_leading(j));
    const wwi_shapelet_data *data = &g->leading->data;
    wwi_store_add_input(j->store, data->values, (size_t)data->offsets[data->count] * sizeof *data->values);
    wwi_store_add_input(j->store, g->classes, data->count * sizeof *g->classes);
    return WW_OK;
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

// After a part.
static void join_best(job *j, const wwi_shapelet_found *best, size_t count, const wwi_shapelet_progress *done) {
    wwi_shapelet_progress *all = &j->growth->progress;
    (void)pthread_mutex_lock(&j->team->lock);
    for (size_t i = 0; i < count; i++)
        wwi_shapelet_insert(j->best, &j->count, j->k, &best[i]);
    all->cells += done->cells;
    all->candidates += done->candidates;
    all->examined += done->examined;
    all->stopped |= done->stopped;
    (void)pthread_mutex_unlock(&j->team->lock);
}

static ww_status run_part(const wwi_seat *seat, wwi_span series) {
    job *j = seat->of;
    member *m = &j->members[seat->device];
    const wwi_growth *g = j->growth;
    WWI_FREES wwi_shapelet_found *best = NULL;
    WWI_TRY(wwi_new(best, j->k));
    wwi_shapelet_device *device = &m->worker.device;
    const wwi_shapelet_data *data = &m->worker.data;
    wwi_shapelet_node node = *j->node;
    wwi_shapelet_progress progress = {.rate = m->rate, .deadline = g->progress.deadline};
    size_t found;
    node.after = NULL;
    node.part_first = series.first;
    node.part_count = series.count;
    if (!take_best(j, best, &found))
        return WW_OK;
    progress.pace =
        wwi_pace_make(device->stream, g->run.launch_seconds, j->team->own.progress, j->team->own.progress_user);
    wwi_pace_start(&progress.pace, wwi_shapelet_cells(data, &g->options, &node));
    ww_status status = wwi_shapelet_search(device, data, &g->gains, &g->options, &node, j->k, &progress, best, &found);
    status = wwi_finish_after(device->stream, status);
    m->rate = progress.rate;
    if (status == WW_OK)
        join_best(j, best, found, &progress);
    return status;
}

// ---- what a store keeps of it

// The options; the node, and what its candidates are joined with.
static void name_node(const void *of, FILE *to) {
    const job *j = of;
    const wwi_growth *g = j->growth;
    const wwi_shapelet_node *node = j->node;
    const ww_shapelets_options *o = &g->options;
    char ids[65];
    wwi_checksum_text(node->ids, node->count * sizeof *node->ids, ids);
    fprintf(to, "shapelets\nlength %zu %zu %zu start %zu sample %zu seed %" PRIu64, o->min_length, o->max_length,
            o->length_step, o->start_step, o->sample, o->seed);
    fprintf(to, " quality %s raw %d unscaled %d no_tree %d best %zu depth %zu size %zu terms %zu",
            ww_word(WW_WORD_SHAPELET_QUALITY, o->quality), o->raw != 0, o->unscaled != 0, o->no_tree != 0, o->best,
            o->max_depth, o->min_size, o->terms);
    fprintf(to, " channels %zu series %zu %s k %zu", g->leading->data.channels, node->count, ids, j->k);
    if (!node->before)
        return;
    for (size_t i = 0; i < g->terms->count; i++) {
        const wwi_shapelet_place *p = &g->terms->found[i].place;
        fprintf(to, " %d %" PRIu32 " %" PRIu32 " %" PRIu32, (int)g->terms->ops[i], p->series, p->start, p->length);
    }
    fprintf(to, " then %d", (int)node->op);
}

static ww_status give_best(const wwi_seat *seat, wwi_span series, wwi_bytes *to) {
    const job *j = seat->of;
    (void)series;
    (void)pthread_mutex_lock(&seat->team->lock);
    ww_status status = WW_OK;
    for (size_t i = 0; i < j->count && status == WW_OK; i++) {
        status = wwi_bytes_put(to, &j->best[i].place, sizeof j->best[i].place);
        if (status == WW_OK)
            status = wwi_bytes_put(to, &j->best[i].score, sizeof j->best[i].score);
    }
    (void)pthread_mutex_unlock(&seat->team->lock);
    return status;
}

static bool is_candidate(const job *j, const wwi_shapelet_place *p) {
    const wwi_shapelet_data *data = &j->growth->leading->data;
    return p->series < data->count && p->length >= j->growth->options.min_length &&
           p->length <= j->growth->options.max_length &&
           (uint64_t)p->start + p->length <= wwi_shapelet_length(data, p->series);
}

static ww_status take_best_of(void *of, wwi_span series, wwi_taken_bytes *from) {
    job *j = of;
    (void)series;
    while (from->left) {
        wwi_shapelet_found one;
        WWI_TRY(wwi_bytes_take(from, &one.place, sizeof one.place));
        WWI_TRY(wwi_bytes_take(from, &one.score, sizeof one.score));
        if (!is_candidate(j, &one.place))
            return wwi_fail(WW_ERROR_FORMAT, "a record of the store names a candidate that there is not");
        wwi_shapelet_insert(j->best, &j->count, j->k, &one);
    }
    return WW_OK;
}

// ---- nodes

// By the calling thread, of the node that is divided; a part of it is all that there is to do.
static int tell(void *user, uint64_t done, uint64_t total) {
    job *j = user;
    const wwi_growth *g = j->growth;
    const uint64_t all = wwi_store_is_part(j->store) ? total : g->progress.pace.total;
    return g->run.progress(g->run.progress_user, wwi_least(j->done + done, all), all);
}

static ww_status find_divided(job *j, size_t units, double *before) {
    static const wwi_job kind = {
        .open = open_device, .run = run_part, .name = name_node, .give = give_best, .take = take_best_of};
    wwi_growth *g = j->growth;
    const ww_run_options report = {.progress = tell, .progress_user = j};
    wwi_shapelet_cells_before(&g->leading->data, &g->options, j->node, before);
    j->done = g->progress.pace.done;
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
    const size_t units = node->count;
    const double cells = (double)wwi_shapelet_cells(&g->leading->data, &g->options, node);
    const double expected = cells / j->team->workers[j->leading].rate;
    const bool large = units > 1 && expected >= DIVIDED_FROM * wwi_context_tile_seconds(j->team->context);
    if (!j->store && (!large || able(j) < 2))
        return find_by_leading(j, node, k, found, count, cells);
    WWI_FREES double *before = NULL;
    WWI_TRY(wwi_new(before, units + 1));
    j->node = node;
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
    return context ? create(train, context, options, shapelets) : wwi_shapelets_create_alone(train, options, shapelets);
}
