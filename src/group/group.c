// SPDX-License-Identifier: Apache-2.0
// Groups of devices and the series on them; what their jobs share.
#include "group/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pace.h"
#include "base/run.h"
#include "data/dataset.h"
#include "measure/measure_table.h"
#include "options.h"

// ---- devices

// Of one piece of hardware that several drivers show, the device that would be chosen alone stays, else the first in
// the list. A CPU is one, through whatever driver.
static bool is_twin(const ww_device_info *a, const ww_device_info *b) {
    if (a->platform_index == b->platform_index || a->type != b->type)
        return false;
    return a->type == WW_DEVICE_CPU || (a->pci[0] && strcmp(a->pci, b->pci) == 0);
}

static bool has_better_twin(const ww_device_info *infos, size_t count, size_t i) {
    for (size_t other = 0; other < count; other++)
        if (infos[other].usable && is_twin(&infos[i], &infos[other]) &&
            (infos[other].chosen || (!infos[i].chosen && other < i)))
            return true;
    return false;
}

static ww_status open_one(ww_group *g, const ww_context_options *given, const char *device) {
    ww_context_options options = *given;
    options.device = device;
    WWI_TRY(ww_context_create(&options, &g->contexts[g->count]));
    const ww_device_info *info = wwi_context_info(g->contexts[g->count++]);
    for (size_t i = 0; i + 1 < g->count; i++)
        if (wwi_context_info(g->contexts[i])->index == info->index)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "device %u (%.100s) is in the group twice", info->index,
                            info->name);
    return WW_OK;
}

static ww_status make_room(ww_group *g, size_t most) {
    WWI_TRY(wwi_new_zeroed(g->contexts, most));
    return wwi_new_zeroed(g->workers, most);
}

static ww_status open_listed(ww_group *g, const ww_context_options *options, const char *devices) {
    WWI_FREES char *names = strdup(devices);
    char *rest = names, *name;
    size_t most = 1;
    if (!names)
        return wwi_fail_memory(strlen(devices));
    for (const char *at = devices; *at; at++)
        most += *at == ',';
    WWI_TRY(make_room(g, most));
    while ((name = strsep(&rest, ",")))
        WWI_TRY(*name ? open_one(g, options, name)
                      : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "\"%.100s\" has a device without a name", devices));
    return WW_OK;
}

static ww_status open_found(ww_group *g, const ww_context_options *options, const ww_device_list *list, bool gpus) {
    const size_t count = ww_device_list_count(list);
    WWI_FREES ww_device_info *infos = NULL;
    WWI_TRY(wwi_new_zeroed(infos, count));
    WWI_TRY(make_room(g, count));
    for (size_t i = 0; i < count; i++) {
        ww_device_info_init(&infos[i], sizeof infos[i]);
        WWI_TRY(ww_device_list_get_info(list, i, &infos[i]));
    }
    for (size_t i = 0; i < count; i++) {
        char index[16];
        if (!infos[i].usable || (gpus && infos[i].type != WW_DEVICE_GPU) || has_better_twin(infos, count, i))
            continue;
        (void)snprintf(index, sizeof index, "%u", infos[i].index);
        WWI_TRY(open_one(g, options, index));
    }
    if (g->count > 0)
        return WW_OK;
    (void)wwi_fail(WW_ERROR_NO_DEVICE, gpus ? "there is no usable GPU" : "there is no usable device");
    return wwi_fail_hint("`wavewarp devices` lists what there is");
}

static ww_status open_devices(ww_group *g, const ww_context_options *options, const char *devices) {
    WWI_ENDS(ww_device_list_destroy) ww_device_list *list = NULL;
    const bool gpus = devices && strcmp(devices, "gpus") == 0;
    if (devices && !gpus && strcmp(devices, "all") != 0)
        return open_listed(g, options, devices);
    WWI_TRY(ww_device_list_create(&list));
    return open_found(g, options, list, gpus);
}

ww_group *wwi_group_retain(ww_group *g) {
    atomic_fetch_add(&g->references, 1);
    return g;
}

void wwi_group_release(ww_group *g) {
    if (atomic_fetch_sub(&g->references, 1) > 1)
        return;
    for (size_t i = 0; i < g->count; i++)
        ww_context_destroy(&g->contexts[i]);
    (void)pthread_mutex_destroy(&g->lock);
    free(g->contexts);
    free(g->workers);
    free(g);
}

ww_status ww_group_create(const ww_group_options *given, ww_group **group) {
    ww_group_options options = WW_GROUP_OPTIONS_INIT;
    ww_context_options context = WW_CONTEXT_OPTIONS_INIT;
    if (!group)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_create needs a place for the group");
    *group = NULL;
    WWI_TRY(wwi_options_take(&options, given, "ww_group_options"));
    WWI_TRY(wwi_options_take(&context, options.context, "ww_context_options"));
    if (options.tile_seconds != 0 && !(options.tile_seconds >= 1e-6 && options.tile_seconds <= 3600))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "tile_seconds is %g; 0.000001 to 3600", options.tile_seconds);
    WWI_ENDS(ww_group_destroy) ww_group *g = NULL;
    WWI_TRY(wwi_new_zeroed(g, 1));
    atomic_init(&g->references, 1);
    (void)pthread_mutex_init(&g->lock, NULL);
    g->last_search = (ww_search_info)WW_SEARCH_INFO_INIT;
    g->tile_seconds = options.tile_seconds > 0 ? options.tile_seconds : 0.5;
    WWI_TRY(open_devices(g, &context, options.devices && options.devices[0] ? options.devices : NULL));
    *group = wwi_taken(&g);
    return WW_OK;
}

void ww_group_destroy(ww_group **group) {
    ww_group *g = wwi_taken(group);
    if (g)
        wwi_group_release(g);
}

size_t ww_group_count(const ww_group *group) {
    return group ? group->count : 0;
}

ww_context *ww_group_context(const ww_group *group, size_t i) {
    return group && i < group->count ? group->contexts[i] : NULL;
}

ww_status ww_group_get_info(const ww_group *group, size_t i, ww_group_info *info) {
    if (!group || !info || i >= group->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the group or the record is NULL, or it has no device %zu", i);
    const wwi_worker *w = &group->workers[i];
    ww_group_info own = WW_GROUP_INFO_INIT;
    own.tiles = w->tiles;
    own.work = w->work;
    own.seconds = w->seconds;
    own.lost = w->lost;
    if (w->lost) {
        own.status = w->error.status;
        (void)snprintf(own.message, sizeof own.message, "%s", w->error.message);
    }
    return wwi_struct_give(info, &own, "ww_group_info");
}

// ---- series

void ww_group_dataset_destroy(ww_group_dataset **dataset) {
    ww_group_dataset *d = wwi_taken(dataset);
    if (!d || atomic_fetch_sub(&d->references, 1) > 1)
        return;
    for (size_t i = 0; d->parts && i < d->group->count; i++)
        ww_dataset_destroy(&d->parts[i]);
    wwi_group_release(d->group);
    free(d->parts);
    free(d->errors);
    free(d->points);
    free(d);
}

void *wwi_group_any(const ww_group *group, const void *parts) {
    void *any = NULL;
    for (size_t i = group->count; !any && i-- > 0;)
        memcpy(&any, (const unsigned char *)parts + i * sizeof any, sizeof any);
    return any;
}

static ww_status count_points(ww_group_dataset *d) {
    const ww_dataset *any = wwi_group_any(d->group, d->parts);
    d->count = any->count;
    d->channels = any->channels;
    WWI_TRY(wwi_new(d->points, d->count + 1));
    d->points[0] = 0;
    for (size_t i = 0; i < d->count; i++)
        d->points[i + 1] = d->points[i] + any->lengths[i];
    return WW_OK;
}

ww_status wwi_group_make_parts(const ww_group *group, ww_error *errors, void *user,
                               ww_status (*make)(void *user, size_t device)) {
    ww_status status = WW_OK;
    bool any = false;
    for (size_t i = 0; i < group->count; i++) {
        status = make(user, i);
        any |= status == WW_OK;
        if (status == WW_OK)
            continue;
        if (!wwi_schedule_loses_worker(status))
            return status;
        errors[i] = *ww_last_error();
    }
    return any ? WW_OK : status;
}

// From a view, or from a set.
typedef struct source {
    ww_group_dataset *to;
    const ww_series_view *view;
    ww_series_set *set;
    const ww_dataset_options *options;
} source;

static ww_status make_part(void *user, size_t device) {
    const source *from = user;
    ww_context *context = from->to->group->contexts[device];
    ww_dataset **part = &from->to->parts[device];
    return from->set ? ww_dataset_create_from_set(context, from->set, from->options, part)
                     : ww_dataset_create(context, from->view, from->options, part);
}

static ww_status make_dataset(ww_group *group, const ww_series_view *view, ww_series_set *set,
                              const ww_dataset_options *options, ww_group_dataset **dataset) {
    WWI_ENDS(ww_group_dataset_destroy) ww_group_dataset *d = NULL;
    if (dataset)
        *dataset = NULL;
    if (!group || !dataset || !(view || set))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the group, the series or the place for the dataset is NULL");
    WWI_TRY(wwi_new_zeroed(d, 1));
    atomic_init(&d->references, 1);
    d->group = wwi_group_retain(group);
    WWI_TRY(wwi_new_zeroed(d->parts, group->count));
    WWI_TRY(wwi_new_zeroed(d->errors, group->count));
    WWI_TRY(wwi_group_make_parts(group, d->errors, &(source){d, view, set, options}, make_part));
    WWI_TRY(count_points(d));
    *dataset = wwi_taken(&d);
    return WW_OK;
}

ww_status ww_group_dataset_create(ww_group *group, const ww_series_view *view, const ww_dataset_options *options,
                                  ww_group_dataset **dataset) {
    return make_dataset(group, view, NULL, options, dataset);
}

ww_status ww_group_dataset_create_from_set(ww_group *group, ww_series_set *set, const ww_dataset_options *options,
                                           ww_group_dataset **dataset) {
    return make_dataset(group, NULL, set, options, dataset);
}

ww_status ww_group_dataset_series(ww_group_dataset *d, ww_series_set **set) {
    if (set)
        *set = NULL;
    if (!d || !set)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a dataset and a place for the set are needed");
    return ww_dataset_series(wwi_group_any(d->group, d->parts), set);
}

// ---- jobs

ww_status wwi_group_job_begin(wwi_group_job *job, const ww_measure *measure, ww_group_dataset *rows,
                              ww_group_dataset *columns, const ww_plan_options *options) {
    if (!measure || !rows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the measure or the rows are NULL");
    if (columns && columns->group != rows->group)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets belong to different groups");
    ww_measure checked;
    WWI_TRY(wwi_measure_take(measure, &checked));
    job->group = rows->group;
    job->measure = measure;
    job->rows = rows;
    job->self = columns == NULL || columns == rows;
    job->columns = job->self ? rows : columns;
    job->options = (ww_plan_options)WW_PLAN_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&job->options, options, "ww_plan_options"));
    WWI_TRY(wwi_run_take(job->options.run, &job->run));
    job->own = wwi_group_own_run(job->group, &job->run);
    job->options.run = &job->own;
    const ww_dataset *any = wwi_group_any(job->group, rows->parts);
    job->value_bytes = wwi_precision_bytes(any->precision);
    return WW_OK;
}

ww_status wwi_group_sides(const wwi_group_job *job, size_t device, ww_dataset **rows, ww_dataset **columns) {
    *rows = job->rows->parts[device];
    *columns = job->self ? NULL : job->columns->parts[device];
    WWI_TRY(wwi_group_check_part(*rows, &job->rows->errors[device]));
    return job->self ? WW_OK : wwi_group_check_part(*columns, &job->columns->errors[device]);
}

ww_status wwi_group_begin_plan(wwi_group_seat *seat) {
    const wwi_group_job *job = seat->job;
    ww_dataset *rows, *columns;
    ww_plan *plan = NULL;
    WWI_TRY(wwi_group_sides(job, seat->device, &rows, &columns));
    const ww_status status = job->plan(job, rows, columns, &plan);
    seat->own = plan;
    return status;
}

void wwi_group_finish_plan(wwi_group_seat *seat) {
    ww_plan *plan = seat->own;
    ww_plan_destroy(&plan);
}

ww_status wwi_group_take_output(ww_output *to, const ww_output *given, const char *what, const wwi_result *result) {
    wwi_buffer *none;
    *to = (ww_output)WW_OUTPUT_INIT;
    WWI_TRY(wwi_options_take(to, given, "ww_output"));
    if (!to->host || to->device || to->layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a group writes %s in the full layout to host memory", what);
    WWI_TRY(wwi_result_check(to, NULL, result, &none));
    to->bytes = 0; // checked as a whole
    return WW_OK;
}

// A job in runs of units: the schedule's items are `each` units.
typedef struct running {
    ww_group *group;
    const ww_run_options *report; // the caller's, or NULL
    const wwi_group_kind *kind;
    void *job;
    wwi_group_seat *seats; // one a device
    size_t units, each;
} running;

static ww_status begin_device(void *user, size_t device) {
    const running *r = user;
    r->seats[device] = (wwi_group_seat){.job = r->job, .device = device};
    return r->kind->begin ? r->kind->begin(&r->seats[device]) : WW_OK;
}

static void finish_device(void *user, size_t device) {
    const running *r = user;
    if (r->kind->finish)
        r->kind->finish(&r->seats[device]);
}

static ww_status run_items(void *user, size_t device, size_t item, size_t items) {
    const running *r = user;
    const size_t first = item * r->each, left = r->units - first, count = items * r->each;
    return r->kind->run(&r->seats[device], first, count < left ? count : left);
}

static size_t end_of_items(void *user, size_t first) {
    const running *r = user;
    return r->kind->end(r->job, first);
}

// Beside a GPU so much faster, a CPU does not make up for what the GPU's threads and its memory lose to it: PoCL on 16
// cores and an H200, 41 times as fast, took 1 to 4 % longer together than the H200 alone.
#define RESERVE_BELOW 0.0625

void wwi_group_begin(ww_group *g) {
    double fastest = 0;
    for (size_t i = 0; i < g->count; i++) {
        const ww_device_info *info = wwi_context_info(g->contexts[i]);
        const bool gpu = info->type == WW_DEVICE_GPU;
        g->workers[i] = (wwi_worker){.rate = wwi_pace_guess(info, gpu ? 20 : 1)};
        if (gpu && g->workers[i].rate > fastest)
            fastest = g->workers[i].rate;
    }
    for (size_t i = 0; i < g->count; i++)
        g->workers[i].reserve =
            wwi_context_info(g->contexts[i])->type == WW_DEVICE_CPU && g->workers[i].rate < RESERVE_BELOW * fastest;
}

static int stopped(void *user, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    return atomic_load((atomic_bool *)user);
}

ww_run_options wwi_group_own_run(ww_group *group, const ww_run_options *run) {
    ww_run_options own = *run;
    own.progress = run->progress ? stopped : NULL;
    own.progress_user = &group->stop;
    return own;
}

static int tell(void *user, uint64_t done, uint64_t total) {
    const running *r = user;
    const bool stop = wwi_run_report(r->report->progress, r->report->progress_user, done, total) != WW_OK;
    if (stop)
        atomic_store(&r->group->stop, true);
    return stop;
}

static ww_status run_job(running *r, size_t items, const double *before) {
    ww_group *g = r->group;
    const ww_run_options report = {.progress = tell, .progress_user = r};
    const wwi_schedule schedule = {.items = items,
                                   .before = before,
                                   .end = r->kind->end ? end_of_items : NULL,
                                   .begin = begin_device,
                                   .run = run_items,
                                   .finish = finish_device,
                                   .user = r,
                                   .tile_seconds = g->tile_seconds,
                                   .report = r->report && r->report->progress ? &report : NULL};
    WWI_FREES wwi_group_seat *seats = NULL;
    WWI_TRY(wwi_new(seats, g->count));
    r->seats = seats;
    const ww_status status = wwi_schedule_run(&schedule, g->workers, g->count);
    atomic_store(&g->stop, false);
    return status;
}

ww_status wwi_group_run(ww_group *g, const wwi_group_kind *kind, void *job, size_t units, const double *before,
                        const ww_run_options *report) {
    wwi_group_begin(g);
    return wwi_group_go_on(g, kind, job, units, before, report);
}

ww_status wwi_group_go_on(ww_group *g, const wwi_group_kind *kind, void *job, size_t units, const double *before,
                          const ww_run_options *report) {
    running r = {.group = g, .report = report, .kind = kind, .job = job, .units = units, .each = 1};
    return run_job(&r, units, before);
}

#define MOST_ITEMS ((size_t)1 << 21)

ww_status wwi_group_run_units(ww_group *g, const wwi_group_kind *kind, void *job, size_t units,
                              const ww_run_options *report) {
    const size_t step = kind->step ? kind->step : 1;
    running r = {.group = g,
                 .report = report,
                 .kind = kind,
                 .job = job,
                 .units = units,
                 .each = (units / MOST_ITEMS / step + 1) * step};
    const size_t items = wwi_ceil_div(units, r.each);
    WWI_FREES double *before = NULL;
    WWI_TRY(wwi_new(before, items + 1));
    before[0] = 0;
    for (size_t item = 0, i = 0; item < items; item++) {
        double sum = before[item];
        for (const size_t end = i + r.each; i < end && i < units; i++)
            sum += kind->work(job, i);
        before[item + 1] = sum;
    }
    wwi_group_begin(g);
    return run_job(&r, items, before);
}

// ---- making parts together: a job without units

ww_status wwi_group_make_together(ww_group *group, ww_error *errors, void *job, ww_status (*make)(wwi_group_seat *seat),
                                  double work, const ww_run_options *report) {
    const wwi_group_kind kind = {.begin = make};
    const ww_error *lost = NULL; // the first
    bool made = false;
    const ww_status status = wwi_group_run(group, &kind, job, 0, &work, report);
    for (size_t i = 0; i < group->count; i++) {
        const wwi_worker *w = &group->workers[i];
        errors[i] = w->error;
        made |= !w->lost && !w->reserve; // one in reserve was not asked
        lost = w->lost && !lost ? &errors[i] : lost;
    }
    return status != WW_OK || made || !lost ? status : wwi_fail_again(lost, lost->status);
}
