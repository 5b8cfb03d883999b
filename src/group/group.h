// SPDX-License-Identifier: Apache-2.0
// What a group's jobs share.
#ifndef WAVEWARP_GROUP_INTERNAL_H
#define WAVEWARP_GROUP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <wavewarp/group.h>

#include "base/kit.h"
#include "group/schedule.h"
#include "jobs/plan.h"

struct ww_group {
    atomic_long references;
    double tile_seconds;
    size_t count;
    ww_context **contexts;
    wwi_worker *workers;        // of the last job
    atomic_bool stop;           // the caller of the job that runs asked to
    pthread_mutex_t lock;       // of what the job's devices make together
    ww_search_info last_search; // what all of them did
};

struct ww_group_dataset {
    atomic_long references;
    ww_group *group;
    ww_dataset **parts; // one a device; NULL where it could not be made
    ww_error *errors;   // why not
    size_t count, channels;
    double *points; // count + 1: points of a channel before each series
};

// What one of the devices has, of an array of pointers that has one for each device, or NULL.
void *wwi_group_any(const ww_group *group, const void *parts);

// A device in a job. `job` is the job's own struct, `own` what a device keeps for its runs.
typedef struct wwi_group_seat {
    void *job;
    size_t device;
    void *own;
} wwi_group_seat;

// Makes a part for each device, one after the other. A device that can't have it is left out: errors[device] says why.
// Fails when all are, or by an error that every device would find.
ww_status wwi_group_make_parts(const ww_group *group, ww_error *errors, void *user,
                               ww_status (*make)(void *user, size_t device));
// The same in each device's own thread, all at once: for what takes long. `report`, or NULL: its progress function is
// told 0 of `work` several times a second, and all of it at the end.
ww_status wwi_group_make_together(ww_group *group, ww_error *errors, void *job, ww_status (*make)(wwi_group_seat *seat),
                                  double work, const ww_run_options *report);
// Of a part that a device has or has not: why not. One in reserve was not asked to make its own.
static inline ww_status wwi_group_check_part(const void *part, const ww_error *error) {
    if (part)
        return WW_OK;
    return error->status != WW_OK ? wwi_fail_again(error, error->status)
                                  : wwi_fail(WW_ERROR_NO_DEVICE, "a device in reserve has no part of this job");
}
// What a device runs with: not the caller's progress function, which other threads don't call, but one that ends its
// work between two launches when the caller has asked to stop.
ww_run_options wwi_group_own_run(ww_group *group, const ww_run_options *run);
ww_group *wwi_group_retain(ww_group *group);
void wwi_group_release(ww_group *group);

// What a job does on its devices. One constant a job. Called by the device's thread; different devices at once.
typedef struct wwi_group_kind {
    ww_status (*begin)(wwi_group_seat *seat); // NULL: there is nothing to do
    // Units (queries, pairs, rectangles) [first, first + count), which are independent of others.
    ww_status (*run)(const wwi_group_seat *seat, size_t first, size_t count);
    void (*finish)(wwi_group_seat *seat);         // likewise; also after a failure
    double (*work)(const void *job, size_t unit); // wwi_group_run_units()
    size_t step;                                  // likewise: runs begin at its multiples; 0: at any unit
    size_t (*end)(const void *job, size_t first); // wwi_group_run(): the largest end of a run that begins there
} wwi_group_kind;

// Runs a job on the group's devices. `before`: units + 1, the work of all units before each.
ww_status wwi_group_run(ww_group *group, const wwi_group_kind *kind, void *job, size_t units, const double *before,
                        const ww_run_options *report);
// A job in several runs: what the devices do adds up, and who was lost in one run has lost before the next.
void wwi_group_begin(ww_group *group);
ww_status wwi_group_go_on(ww_group *group, const wwi_group_kind *kind, void *job, size_t units, const double *before,
                          const ww_run_options *report);
// wwi_group_run() with the work of each unit.
ww_status wwi_group_run_units(ww_group *group, const wwi_group_kind *kind, void *job, size_t units,
                              const ww_run_options *report);

// Points on the devices, as ww_group_dataset has series.
struct ww_group_points {
    ww_group *group;
    ww_points **parts;
    ww_error *errors;
};

// A job on series while it runs. What a kind's functions get as `job` begins with it.
typedef struct wwi_group_job {
    ww_group *group;
    const ww_measure *measure;
    ww_group_dataset *rows, *columns; // columns: `rows` of a set with itself
    bool self;
    ww_plan_options options;
    ww_run_options run, own;                // the caller's; a device's
    const size_t *row_index, *column_index; // pairs
    size_t count, k;                        // pairs; neighbours
    // Of the result.
    ww_output to;
    size_t value_bytes;
    int64_t *indices;
    unsigned char *distances;
    struct wwi_tiles *tiles;
    // Jobs by plans: a device's. columns NULL: the rows with themselves.
    ww_status (*plan)(const struct wwi_group_job *job, ww_dataset *rows, ww_dataset *columns, ww_plan **plan);
} wwi_group_job;

// Checks what all jobs take.
ww_status wwi_group_job_begin(wwi_group_job *job, const ww_measure *measure, ww_group_dataset *rows,
                              ww_group_dataset *columns, const ww_plan_options *options);
// A device's part of the series; why it has none. *columns: NULL of a set with itself.
ww_status wwi_group_sides(const wwi_group_job *job, size_t device, ww_dataset **rows, ww_dataset **columns);
// `begin` and `finish` of jobs by plans; what a device keeps is its plan.
ww_status wwi_group_begin_plan(wwi_group_seat *seat);
void wwi_group_finish_plan(wwi_group_seat *seat);
// A result in host memory, which is `what` in messages.
ww_status wwi_group_take_output(ww_output *to, const ww_output *given, const char *what, const wwi_result *result);
// Listed pairs, or the i-th row with the i-th column.
ww_status wwi_group_check_pairs(const wwi_group_job *job);
double wwi_group_pair_work(const void *job, size_t pair);
double wwi_group_query_work(const void *job, size_t query);

#endif
