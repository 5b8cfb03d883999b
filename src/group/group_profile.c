// SPDX-License-Identifier: Apache-2.0
// The matrix profile on a group of devices, by rectangles of windows: each device has a plan of its own, and takes the
// neighbours that all have found so far into its next rectangle.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/topk.h>

#include "base/run.h"
#include "group/group.h"
#include "group/group_tiles.h"
#include "host.h"
#include "options.h"
#include "profile/profile_job.h"

// Bands of rows a device, and items of a band that is as wide as it is high. A rectangle's windows are put on the
// device first, so that few large ones are better.
enum { BANDS = 4, ITEMS = 4, LEAST_HEIGHT = 256 };

struct ww_group_profile {
    ww_group *group;
    ww_run_options run, own; // the caller's; a device's
    int left_right;
    ww_profile **plans;    // one a device; NULL where it could not be made
    ww_error *errors;      // why not
    const ww_profile *any; // of them
    wwi_tiles tiles;
    pthread_mutex_t lock; // of what follows
    wwi_profile_nearest nearest;
    ww_profile_info info;
};

// What is planned.
typedef struct source {
    ww_group_profile *to;
    const ww_series_view *series, *other; // other NULL: the series itself
    ww_group_dataset *sets[2];            // or these, likewise
    size_t index, other_index, window;
    ww_profile_options options;
} source;

static ww_status make_plan(void *user, size_t device) {
    const source *from = user;
    ww_profile **plan = &from->to->plans[device];
    ww_dataset *parts[2] = {NULL, NULL};
    for (int s = 0; s < 2 && from->sets[s]; s++) {
        parts[s] = from->sets[s]->parts[device];
        WWI_TRY(wwi_group_check_part(parts[s], &from->sets[s]->errors[device]));
    }
    return parts[0] ? ww_profile_create_from_datasets(parts[0], from->index, parts[1], from->other_index, from->window,
                                                      &from->options, plan)
                    : ww_profile_create(from->to->group->contexts[device], from->series, from->index, from->other,
                                        from->other_index, from->window, &from->options, plan);
}

static ww_status begin_device(void *user, size_t device, void **own) {
    const ww_group_profile *g = user;
    *own = g->plans[device];
    return wwi_group_check_part(*own, &g->errors[device]);
}

static void take_lists(const wwi_profile_nearest *from, size_t first, size_t count, wwi_profile_nearest *to) {
    const size_t at = first * from->k, values = count * from->k;
    for (int list = 0; list < from->lists; list++) {
        memcpy(to->best[list] + at, from->best[list] + at, values * sizeof **to->best);
        memcpy(to->ids[list] + at, from->ids[list] + at, values * sizeof **to->ids);
    }
}

// What both have, once.
static ww_status merge_lists(const wwi_profile_nearest *from, size_t first, size_t count, wwi_profile_nearest *to) {
    ww_status status = WW_OK;
    const size_t at = first * from->k;
    for (int list = 0; list < from->lists && status == WW_OK; list++)
        status = ww_neighbours_merge(count, from->k, WW_DOUBLE, 0, to->ids[list] + at, to->best[list] + at,
                                     from->ids[list] + at, from->best[list] + at);
    return status;
}

static ww_status run_tile(void *user, void *own, size_t first, size_t count) {
    ww_group_profile *g = user;
    ww_profile *p = own;
    const wwi_tile t = wwi_tiles_at(&g->tiles, first, count);
    const wwi_profile_part part = {t.row, t.row + t.rows, t.column, t.column + t.columns};
    const bool columns = p->self && t.row != t.column; // have lists, too
    (void)pthread_mutex_lock(&g->lock);
    take_lists(&g->nearest, t.row, t.rows, &p->nearest);
    if (columns)
        take_lists(&g->nearest, t.column, t.columns, &p->nearest);
    (void)pthread_mutex_unlock(&g->lock);
    WWI_TRY(wwi_profile_add_part(p, &part));
    (void)pthread_mutex_lock(&g->lock);
    ww_status status = merge_lists(&p->nearest, t.row, t.rows, &g->nearest);
    if (status == WW_OK && columns)
        status = merge_lists(&p->nearest, t.column, t.columns, &g->nearest);
    g->info.candidates += p->info.candidates;
    g->info.launches += p->info.launches;
    g->info.seconds_device += p->info.seconds_device;
    (void)pthread_mutex_unlock(&g->lock);
    return status;
}

static size_t band_end(const void *user, size_t first) {
    return wwi_tiles_end(&((const ww_group_profile *)user)->tiles, first);
}

static ww_status make_tiles(ww_group_profile *g) {
    wwi_tiles *t = &g->tiles;
    t->rows = g->any->series.windows;
    t->columns = wwi_profile_other(g->any)->windows;
    t->half = g->any->self;
    t->height = wwi_between(t->rows / (BANDS * g->group->count), LEAST_HEIGHT, SIZE_MAX);
    t->width = wwi_between(t->height / ITEMS, LEAST_HEIGHT, SIZE_MAX);
    return wwi_tiles_make(t, NULL, NULL);
}

static ww_status plan(ww_group_profile *g, source *from) {
    g->plans = calloc(g->group->count, sizeof(ww_profile *));
    g->errors = calloc(g->group->count, sizeof *g->errors);
    if (!g->plans || !g->errors)
        return wwi_fail_memory(g->group->count * sizeof *g->errors);
    WWI_TRY(wwi_group_make_together(g->group, g->errors, from, make_plan));
    for (size_t i = 0; i < g->group->count; i++)
        g->any = g->plans[i] ? g->plans[i] : g->any;
    g->info = g->any->info;
    WWI_TRY(make_tiles(g));
    return wwi_profile_nearest_make(g->any->series.windows, g->any->k, wwi_profile_lists(g->any), &g->nearest);
}

static ww_status create(source *from, ww_group *group, const ww_profile_options *options, ww_group_profile **profile) {
    ww_group_profile *g = calloc(1, sizeof *g);
    if (!g)
        return wwi_fail_memory(sizeof *g);
    wwi_group_retain(group);
    g->group = group;
    (void)pthread_mutex_init(&g->lock, NULL);
    from->to = g;
    from->options = (ww_profile_options)WW_PROFILE_OPTIONS_INIT;
    ww_status status = wwi_options_take(&from->options, options, "ww_profile_options");
    if (status == WW_OK)
        status = wwi_run_take(from->options.run, &g->run);
    g->own = g->run;
    g->own.progress = NULL;
    from->options.run = &g->own;
    g->left_right = from->options.left_right;
    if (status == WW_OK)
        status = plan(g, from);
    if (status == WW_OK)
        *profile = g;
    else
        ww_group_profile_destroy(&g);
    return status;
}

ww_status ww_group_profile_create(ww_group *group, const ww_series_view *series, size_t index,
                                  const ww_series_view *other, size_t other_index, size_t window,
                                  const ww_profile_options *options, ww_group_profile **profile) {
    source from = {.series = series, .other = other, .index = index, .other_index = other_index, .window = window};
    if (profile)
        *profile = NULL;
    if (!group || !series || !profile)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "group, series or profile is NULL");
    return create(&from, group, options, profile);
}

ww_status ww_group_profile_create_from_datasets(ww_group_dataset *series, size_t index, ww_group_dataset *other,
                                                size_t other_index, size_t window, const ww_profile_options *options,
                                                ww_group_profile **profile) {
    source from = {.sets = {series, other}, .index = index, .other_index = other_index, .window = window};
    if (profile)
        *profile = NULL;
    if (!series || !profile)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "series or profile is NULL");
    if (other && other->group != series->group)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets belong to different groups");
    return create(&from, series->group, options, profile);
}

ww_status ww_group_profile_run(ww_group_profile *g, ww_profile_output *output) {
    static const wwi_group_kind kind = {.begin = begin_device, .run = run_tile, .end = band_end};
    ww_profile_output to;
    if (!g || !output)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "profile or output is NULL");
    WWI_TRY(wwi_profile_take_output(g->left_right, output, &to));
    const double start = wwi_seconds();
    g->info.candidates = g->info.launches = 0;
    g->info.seconds_device = 0;
    wwi_profile_nearest_forget(&g->nearest);
    const ww_status status = wwi_group_run(g->group, &kind, g, g->tiles.items, g->tiles.before, &g->run);
    if (status == WW_OK)
        wwi_profile_nearest_give(&g->nearest, false, &to);
    g->info.seconds_wall = wwi_seconds() - start;
    return status;
}

ww_status ww_group_profile_get_info(const ww_group_profile *profile, ww_profile_info *info) {
    if (!profile || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "profile or info is NULL");
    return wwi_struct_give(info, &profile->info, "ww_profile_info");
}

const ww_profile *ww_group_profile_plan(const ww_group_profile *profile) {
    return profile ? profile->any : NULL;
}

void ww_group_profile_destroy(ww_group_profile **profile) {
    ww_group_profile *g = wwi_taken(profile);
    if (!g)
        return;
    for (size_t i = 0; g->plans && i < g->group->count; i++)
        ww_profile_destroy(&g->plans[i]);
    wwi_tiles_free(&g->tiles);
    wwi_profile_nearest_free(&g->nearest);
    (void)pthread_mutex_destroy(&g->lock);
    wwi_group_release(g->group);
    free(g->plans);
    free(g->errors);
    free(g);
}
