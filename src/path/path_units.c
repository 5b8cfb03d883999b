// SPDX-License-Identifier: Apache-2.0
// Runs of plans for warping paths: of all pairs at once, or in runs of the list that several devices divide.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/run.h"
#include "options.h"
#include "path/path.h"

// The paths of a run.
typedef struct part {
    size_t first; // pair
    ww_paths paths;
} part;

typedef struct job {
    const ww_plan *plan;
    part *parts;
    size_t count, capacity;
    ww_plan_info sum;
} job;

static ww_status keep(job *j, size_t first, ww_paths *paths) {
    WWI_TRY(wwi_grow(&j->parts, &j->capacity, j->count + 1, sizeof *j->parts));
    j->parts[j->count++] = (part){first, *paths};
    *paths = (ww_paths)WW_PATHS_INIT;
    return WW_OK;
}

static double pair_work(const void *of, size_t pair) {
    return wwi_plan_pair_work(((const job *)of)->plan, pair);
}

static ww_status run_pairs(const wwi_seat *seat, wwi_span pairs) {
    job *j = seat->of;
    ww_plan *plan = seat->team->on[seat->device];
    WWI_ENDS(ww_paths_free) ww_paths paths = WW_PATHS_INIT;
    WWI_TRY(wwi_plan_run_some_paths(plan, pairs.first, pairs.count, &paths));
    (void)pthread_mutex_lock(&seat->team->lock);
    wwi_plan_add_info(&j->sum, plan);
    const ww_status status = keep(j, pairs.first, &paths);
    (void)pthread_mutex_unlock(&seat->team->lock);
    return status;
}

static int by_first(const void *a, const void *b) {
    const part *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

// The parts one after the other.
static ww_status join(job *j, ww_paths *paths) {
    uint64_t cells = 0;
    qsort(j->parts, j->count, sizeof *j->parts, by_first);
    for (size_t i = 0; i < j->count; i++)
        cells += j->parts[i].paths.offsets[j->parts[i].paths.count];
    if (cells > PTRDIFF_MAX / (2 * sizeof *paths->cells))
        return wwi_fail(WW_ERROR_OVERFLOW, "the paths have too many cells for one array");
    paths->count = j->plan->count;
    WWI_TRY(wwi_new(paths->offsets, paths->count + 1));
    WWI_TRY(wwi_new(paths->distances, paths->count));
    WWI_TRY(wwi_new(paths->cells, (cells ? cells : 1) * 2));
    paths->offsets[0] = 0;
    for (size_t i = 0; i < j->count; i++) {
        const size_t first = j->parts[i].first;
        ww_paths *from = &j->parts[i].paths;
        for (size_t p = 0; p < from->count; p++)
            paths->offsets[first + p + 1] = paths->offsets[first] + from->offsets[p + 1];
        memcpy(paths->distances + first, from->distances, from->count * sizeof *from->distances);
        memcpy(paths->cells + 2 * paths->offsets[first], from->cells,
               from->offsets[from->count] * 2 * sizeof *from->cells);
        ww_paths_free(from);
    }
    return WW_OK;
}

static void job_close(job *j) {
    for (size_t i = 0; i < j->count; i++)
        ww_paths_free(&j->parts[i].paths);
    free(j->parts);
}

static ww_status divide(ww_plan *plan, ww_paths *paths) {
    static const wwi_job kind = {.work = pair_work, .run = run_pairs};
    const double start = wwi_seconds();
    WWI_ENDS(job_close) job j = {.plan = plan};
    WWI_ENDS(ww_paths_free) ww_paths found = WW_PATHS_INIT;
    WWI_TRY(wwi_team_run(plan->team, &kind, &j, plan->count));
    WWI_TRY(join(&j, &found));
    wwi_plan_give_info(plan, &j.sum, start);
    WWI_TRY(wwi_struct_give(paths, &found, "ww_paths"));
    found = (ww_paths)WW_PATHS_INIT; // the caller's now
    return WW_OK;
}

ww_status ww_plan_run_paths(ww_plan *plan, ww_paths *paths) {
    const ww_paths none = WW_PATHS_INIT;
    WWI_NEEDS("plan, paths", plan, paths);
    WWI_TRY(wwi_struct_give(paths, &none, "ww_paths"));
    if (plan->job != &wwi_paths_job)
        return wwi_plan_other_job("ww_plan_run_paths");
    return plan->team ? divide(plan, paths) : wwi_plan_run_some_paths(plan, 0, plan->count, paths);
}
