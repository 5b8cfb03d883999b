// SPDX-License-Identifier: Apache-2.0
// What a group's jobs share.
#ifndef WAVEWARP_GROUP_INTERNAL_H
#define WAVEWARP_GROUP_INTERNAL_H

#include <stdatomic.h>
#include <wavewarp/group.h>

#include "group/schedule.h"

struct ww_group {
    atomic_long references;
    double tile_seconds;
    size_t count;
    ww_context **contexts;
    wwi_worker *workers; // of the last job
};

struct ww_group_dataset {
    atomic_long references;
    ww_group *group;
    ww_dataset **parts; // one a device; NULL where it could not be made
    ww_error *errors;   // why not
    size_t count;
    double *points; // count + 1: points of a channel before each series
};

// Makes a part for each device, one after the other. A device that can't have it is left out: errors[device] says why.
// Fails when all are, or by an error that every device would find.
ww_status wwi_group_make_parts(const ww_group *group, ww_error *errors, void *user,
                               ww_status (*make)(void *user, size_t device));
void wwi_group_retain(ww_group *group);
void wwi_group_release(ww_group *group);
// Runs a schedule, whose tile_seconds this sets, on the group's devices.
ww_status wwi_group_run(ww_group *group, wwi_schedule *schedule);

// Consecutive units of work (queries, pairs) as a schedule's items: `each` units an item.
typedef struct wwi_runs {
    size_t count, each, items;
    double *before; // items + 1
} wwi_runs;

// Items begin at multiples of `step` units. `work` is of unit i. Free runs->before at the end.
ww_status wwi_runs_make(wwi_runs *runs, size_t count, size_t step, const void *user,
                        double (*work)(const void *user, size_t i));
// The number of units of `items` items from item `item` on; *first is the first of them.
size_t wwi_runs_units(const wwi_runs *runs, size_t item, size_t items, size_t *first);

// Points on the devices, as ww_group_dataset has series.
struct ww_group_points {
    ww_group *group;
    ww_points **parts;
    ww_error *errors;
};

// A job on series while it runs: a plan for each device that takes part.
typedef struct wwi_group_job {
    ww_group *group;
    const ww_measure *measure;
    ww_group_dataset *rows, *columns; // columns: `rows` of a set with itself
    bool self;
    ww_plan_options options;
    ww_run_options run, own; // the caller's; a device's, which does not tell the caller's progress function
    ww_plan **plans;
    ww_status (*plan)(struct wwi_group_job *job, ww_dataset *rows, ww_dataset *columns, ww_plan **plan);
    const size_t *row_index, *column_index; // pairs
    size_t k;                               // nearest
    // Of the result.
    ww_output to;
    size_t value_bytes;
    int64_t *indices;
    unsigned char *distances;
    struct wwi_tiles *tiles;
    wwi_runs runs;
} wwi_group_job;

// Checks what all jobs take.
ww_status wwi_group_job_begin(wwi_group_job *job, const ww_measure *measure, ww_group_dataset *rows,
                              ww_group_dataset *columns, const ww_plan_options *options);
// Divides `items` among the devices and waits; schedule.h has what the rest is.
ww_status wwi_group_job_run(wwi_group_job *job, size_t items, const double *before,
                            size_t (*end)(void *user, size_t first),
                            ww_status (*run)(void *user, size_t device, size_t first, size_t count));

#endif
