// SPDX-License-Identifier: Apache-2.0
// The matrix profile on a group of devices, by ranges of diagonals: each device has a plan of its own, whose tables are
// made once, and finds the nearest windows on its diagonals. At the end those of all devices are joined.
#include <stdlib.h>
#include <wavewarp/topk.h>

#include "base/run.h"
#include "group/group.h"
#include "host.h"
#include "options.h"
#include "profile/profile_job.h"

struct ww_group_profile {
    ww_group *group;
    ww_run_options run, own; // the caller's; a device's
    int left_right;
    ww_profile **plans; // one a device; NULL where it could not be made
    ww_error *errors;   // why not
    ww_profile *any;    // of them: takes what the others found
    int64_t first;      // diagonal
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

static ww_status make_plan(wwi_group_seat *seat) {
    const source *from = seat->job;
    const size_t device = seat->device;
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

static ww_status begin_device(wwi_group_seat *seat) {
    const ww_group_profile *g = seat->job;
    return wwi_group_check_part(g->plans[seat->device], &g->errors[seat->device]);
}

static ww_status run_diagonals(const wwi_group_seat *seat, size_t first, size_t count) {
    ww_group_profile *g = seat->job;
    ww_profile *p = g->plans[seat->device];
    const int64_t from = g->first + (int64_t)first;
    WWI_TRY(wwi_profile_add_diagonals(p, from, from + (int64_t)count));
    (void)pthread_mutex_lock(&g->group->lock);
    g->info.candidates += p->info.candidates;
    g->info.launches += p->info.launches;
    g->info.seconds_device += p->info.seconds_device;
    (void)pthread_mutex_unlock(&g->group->lock);
    return WW_OK;
}

// The pairs on a diagonal.
static double diagonal_work(const void *user, size_t at) {
    const ww_group_profile *g = user;
    const int64_t rows = (int64_t)g->any->series.windows, columns = (int64_t)wwi_profile_other(g->any)->windows;
    const int64_t diagonal = g->first + (int64_t)at;
    const int64_t end = columns - diagonal < rows ? columns - diagonal : rows;
    return (double)(diagonal < 0 ? end + diagonal : end);
}

// What another device found comes to that of one of them; what both have, once.
static ww_status merge_lists(const wwi_profile_nearest *from, wwi_profile_nearest *to) {
    for (int list = 0; list < from->lists; list++)
        WWI_TRY(ww_neighbours_merge(to->windows, to->k, WW_DOUBLE, 0, to->ids[list], to->best[list], from->ids[list],
                                    from->best[list]));
    return WW_OK;
}

static ww_status create(source *from, ww_group *group, const ww_profile_options *options, ww_group_profile **profile) {
    WWI_ENDS(ww_group_profile_destroy) ww_group_profile *g = NULL;
    WWI_TRY(wwi_new_zeroed(g, 1));
    g->group = wwi_group_retain(group);
    from->to = g;
    from->options = (ww_profile_options)WW_PROFILE_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&from->options, options, "ww_profile_options"));
    WWI_TRY(wwi_run_take(from->options.run, &g->run));
    g->own = wwi_group_own_run(group, &g->run);
    from->options.run = &g->own;
    g->left_right = from->options.left_right;
    WWI_TRY(wwi_new_zeroed(g->plans, group->count));
    WWI_TRY(wwi_new_zeroed(g->errors, group->count));
    WWI_TRY(wwi_group_make_together(group, g->errors, from, make_plan, 0, NULL));
    g->any = wwi_group_any(group, g->plans);
    g->info = g->any->info;
    g->first = wwi_profile_first_diagonal(g->any);
    *profile = wwi_taken(&g);
    return WW_OK;
}

ww_status ww_group_profile_create(ww_group *group, const ww_series_view *series, size_t index,
                                  const ww_series_view *other, size_t other_index, size_t window,
                                  const ww_profile_options *options, ww_group_profile **profile) {
    source from = {.series = series, .other = other, .index = index, .other_index = other_index, .window = window};
    if (profile)
        *profile = NULL;
    WWI_NEEDS("group, series, profile", group, series, profile);
    return create(&from, group, options, profile);
}

ww_status ww_group_profile_create_from_datasets(ww_group_dataset *series, size_t index, ww_group_dataset *other,
                                                size_t other_index, size_t window, const ww_profile_options *options,
                                                ww_group_profile **profile) {
    source from = {.sets = {series, other}, .index = index, .other_index = other_index, .window = window};
    if (profile)
        *profile = NULL;
    WWI_NEEDS("series, profile", series, profile);
    if (other && other->group != series->group)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets belong to different groups");
    return create(&from, series->group, options, profile);
}

// The diagonals on all devices, then constant windows.
static ww_status run(ww_group_profile *g) {
    const int64_t end = (int64_t)wwi_profile_other(g->any)->windows;
    const wwi_group_kind kind = {
        .begin = begin_device, .run = run_diagonals, .work = diagonal_work, .step = g->any->width};
    for (size_t i = 0; i < g->group->count; i++)
        if (g->plans[i]) {
            wwi_profile_nearest_forget(&g->plans[i]->nearest);
            g->plans[i]->current = false;
        }
    const ww_status status =
        g->first < end ? wwi_group_run_units(g->group, &kind, g, (size_t)(end - g->first), &g->run) : WW_OK;
    g->any->current = false;
    g->any->part = (wwi_profile_part)WWI_PROFILE_RECTANGLE(0, g->any->series.windows, 0, (size_t)end);
    WWI_TRY(status);
    for (size_t i = 0; i < g->group->count; i++)
        if (g->plans[i] && g->plans[i] != g->any)
            WWI_TRY(merge_lists(&g->plans[i]->nearest, &g->any->nearest));
    return wwi_profile_enter_flats(g->any);
}

ww_status ww_group_profile_run(ww_group_profile *g, ww_profile_output *output) {
    ww_profile_output to;
    WWI_NEEDS("profile, output", g, output);
    WWI_TRY(wwi_profile_take_output(g->left_right, output, &to));
    const double start = wwi_seconds();
    g->info.candidates = g->info.launches = 0;
    g->info.seconds_device = 0;
    const ww_status status = run(g);
    if (status == WW_OK)
        wwi_profile_nearest_give(&g->any->nearest, false, &to);
    g->info.seconds_wall = wwi_seconds() - start;
    return status;
}

WWI_GIVES_INFO(group_profile, profile)

const ww_profile *ww_group_profile_plan(const ww_group_profile *profile) {
    return profile ? profile->any : NULL;
}

void ww_group_profile_destroy(ww_group_profile **profile) {
    ww_group_profile *g = wwi_taken(profile);
    if (!g)
        return;
    for (size_t i = 0; g->plans && i < g->group->count; i++)
        ww_profile_destroy(&g->plans[i]);
    wwi_group_release(g->group);
    free(g->plans);
    free(g->errors);
    free(g);
}
