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

// A job while it runs: a plan for each device that takes part.
typedef struct wwi_group_job {
    ww_group *group;
    const ww_measure *measure;
    ww_group_dataset *rows, *columns; // columns: `rows` of a set with itself
    bool self;
    ww_plan_options options;
    ww_run_options run, own; // the caller's; a device's, which does not tell the caller's progress function
    ww_plan **plans;
    ww_status (*plan)(struct wwi_group_job *job, size_t device, ww_dataset *rows, ww_dataset *columns, ww_plan **plan);
    size_t k;
    // Of the result.
    ww_output to;
    size_t value_bytes;
    int64_t *indices;
    unsigned char *distances;
    struct wwi_tiles *tiles;
} wwi_group_job;

// Checks what all jobs take.
ww_status wwi_group_job_begin(wwi_group_job *job, const ww_measure *measure, ww_group_dataset *rows,
                              ww_group_dataset *columns, const ww_plan_options *options);
// Divides `items` among the devices and waits; schedule.h has what the rest is.
ww_status wwi_group_job_run(wwi_group_job *job, size_t items, const double *before,
                            size_t (*end)(void *user, size_t first),
                            ww_status (*run)(void *user, size_t device, size_t first, size_t count));

#endif
