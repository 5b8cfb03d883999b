// SPDX-License-Identifier: Apache-2.0
// Warping paths of listed pairs on a group of devices, in runs of the list.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "group/group.h"
#include "host.h"
#include "options.h"
#include "path/path.h"

// The paths of a run.
typedef struct part {
    size_t first; // pair
    ww_paths paths;
} part;

typedef struct job {
    wwi_group_job pairs;
    part *parts;
    size_t count, capacity;
} job;

static ww_status plan_paths(const wwi_group_job *pairs, ww_dataset *rows, ww_dataset *columns, ww_plan **plan) {
    return ww_plan_create_paths(pairs->measure, rows, columns ? columns : rows, pairs->row_index, pairs->column_index,
                                pairs->count, &pairs->options, plan);
}

static ww_status keep(job *j, size_t first, ww_paths *paths) {
    pthread_mutex_t *lock = &j->pairs.group->lock;
    (void)pthread_mutex_lock(lock);
    const ww_status status = wwi_grow(&j->parts, &j->capacity, j->count + 1, sizeof *j->parts);
    if (status == WW_OK) {
        j->parts[j->count++] = (part){first, *paths};
        *paths = (ww_paths)WW_PATHS_INIT;
    }
    (void)pthread_mutex_unlock(lock);
    return status;
}

static ww_status run_pairs(const wwi_group_seat *seat, size_t first, size_t count) {
    WWI_ENDS(ww_paths_free) ww_paths paths = WW_PATHS_INIT;
    WWI_TRY(wwi_plan_run_some_paths(seat->own, first, count, &paths));
    return keep(seat->job, first, &paths);
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
    paths->count = j->pairs.count;
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

ww_status ww_group_paths(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                         const size_t *row_index, const size_t *column_index, size_t count,
                         const ww_plan_options *options, ww_paths *paths) {
    static const wwi_group_kind kind = {
        .begin = wwi_group_begin_plan, .run = run_pairs, .finish = wwi_group_finish_plan, .work = wwi_group_pair_work};
    WWI_ENDS(job_close)
    job j = {.pairs = {.plan = plan_paths, .row_index = row_index, .column_index = column_index, .count = count}};
    WWI_ENDS(ww_paths_free) ww_paths found = WW_PATHS_INIT;
    WWI_NEEDS("paths", paths);
    WWI_TRY(wwi_struct_give(paths, &found, "ww_paths"));
    WWI_TRY(wwi_group_job_begin(&j.pairs, measure, rows, columns, options));
    WWI_TRY(wwi_group_check_pairs(&j.pairs));
    WWI_TRY(wwi_group_run_units(j.pairs.group, &kind, &j, count, &j.pairs.run));
    WWI_TRY(join(&j, &found));
    WWI_TRY(wwi_struct_give(paths, &found, "ww_paths"));
    found = (ww_paths)WW_PATHS_INIT; // the caller's now
    return WW_OK;
}
