// SPDX-License-Identifier: Apache-2.0
// Warping paths of listed pairs on a group of devices, in runs of the list.
#include <pthread.h>
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
    pthread_mutex_t lock;
    part *parts;
    size_t count, capacity;
} job;

static ww_status plan_paths(const wwi_group_job *pairs, ww_dataset *rows, ww_dataset *columns, ww_plan **plan) {
    return ww_plan_create_paths(pairs->measure, rows, columns ? columns : rows, pairs->row_index, pairs->column_index,
                                pairs->count, &pairs->options, plan);
}

static ww_status keep(job *j, const part *made) {
    (void)pthread_mutex_lock(&j->lock);
    const ww_status status = wwi_grow(&j->parts, &j->capacity, j->count + 1, sizeof *j->parts);
    if (status == WW_OK)
        j->parts[j->count++] = *made;
    (void)pthread_mutex_unlock(&j->lock);
    return status;
}

static ww_status run_pairs(void *user, void *own, size_t first, size_t count) {
    part made = {first, WW_PATHS_INIT};
    ww_status status = wwi_plan_run_some_paths(own, first, count, &made.paths);
    if (status == WW_OK)
        status = keep(user, &made);
    if (status != WW_OK)
        ww_paths_free(&made.paths);
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
    paths->count = j->pairs.count;
    paths->offsets = malloc((paths->count + 1) * sizeof *paths->offsets);
    paths->distances = malloc(paths->count * sizeof *paths->distances);
    paths->cells = malloc((cells ? cells : 1) * 2 * sizeof *paths->cells);
    if (!paths->offsets || !paths->distances || !paths->cells)
        return wwi_fail_memory(paths->count * 16 + cells * 2 * sizeof *paths->cells);
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

ww_status ww_group_paths(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                         const size_t *row_index, const size_t *column_index, size_t count,
                         const ww_plan_options *options, ww_paths *paths) {
    static const wwi_group_kind kind = {
        .begin = wwi_group_begin_plan, .run = run_pairs, .finish = wwi_group_finish_plan, .work = wwi_group_pair_work};
    job j = {.pairs = {.plan = plan_paths, .row_index = row_index, .column_index = column_index, .count = count}};
    ww_paths found = WW_PATHS_INIT;
    if (!paths)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_paths: the record is NULL");
    WWI_TRY(wwi_struct_give(paths, &found, "ww_paths"));
    WWI_TRY(wwi_group_job_begin(&j.pairs, measure, rows, columns, options));
    WWI_TRY(wwi_group_check_pairs(&j.pairs));
    (void)pthread_mutex_init(&j.lock, NULL);
    ww_status status = wwi_group_run_units(j.pairs.group, &kind, &j, count, &j.pairs.run);
    if (status == WW_OK)
        status = join(&j, &found);
    for (size_t i = 0; i < j.count; i++)
        ww_paths_free(&j.parts[i].paths);
    free(j.parts);
    (void)pthread_mutex_destroy(&j.lock);
    if (status == WW_OK)
        return wwi_struct_give(paths, &found, "ww_paths");
    ww_paths_free(&found);
    return status;
}
