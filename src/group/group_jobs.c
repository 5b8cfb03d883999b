// SPDX-License-Identifier: Apache-2.0
// A matrix in tiles of rectangles, pairs in runs, and nearest series by parts of the queries, on a group of devices.
#include <stdlib.h>
#include <string.h>

#include "base/transpose.h"
#include "group/group.h"
#include "group/group_tiles.h"
#include "jobs/plan.h"
#include "measure/measure_table.h"
#include "options.h"

// ---- a matrix

enum { BAND_ROWS = 256, ITEM_COLUMNS = 1024, LEAST_ROWS = 16, LEAST_COLUMNS = 64, PARTS = 16 };

static ww_status make_tiles(wwi_tiles *t, const wwi_group_job *job) {
    t->rows = job->rows->count;
    t->columns = job->columns->count;
    t->half = job->self && wwi_measure_is_symmetric(job->measure);
    t->height = wwi_between(t->rows / (PARTS * job->group->count), LEAST_ROWS, BAND_ROWS);
    t->width = wwi_between(t->columns / 8, LEAST_COLUMNS, ITEM_COLUMNS);
    return wwi_tiles_make(t, job->rows->points, job->columns->points);
}

static size_t band_end(const void *user, size_t first) {
    return wwi_tiles_end(((const wwi_group_job *)user)->tiles, first);
}

static ww_status run_tile(const wwi_group_seat *seat, size_t first, size_t count) {
    const wwi_group_job *job = seat->job;
    const wwi_tile r = wwi_tiles_at(job->tiles, first, count);
    ww_output to = job->to;
    to.host = (unsigned char *)to.host + (r.row * to.row_stride + r.column) * job->value_bytes;
    WWI_TRY(ww_plan_run_rectangle(seat->own, r.row, r.rows, r.column, r.columns, &to));
    if (job->tiles->half && r.row != r.column) // below the diagonal is what is above
        wwi_transpose((unsigned char *)job->to.host + (r.column * to.row_stride + r.row) * job->value_bytes,
                      to.row_stride, to.host, to.row_stride, r.rows, r.columns, job->value_bytes);
    return WW_OK;
}

static ww_status plan_matrix(const wwi_group_job *job, ww_dataset *rows, ww_dataset *columns, ww_plan **plan) {
    return ww_plan_create_matrix(job->measure, rows, columns, &job->options, plan);
}

ww_status ww_group_matrix(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                          const ww_plan_options *options, const ww_output *output) {
    WWI_ENDS(wwi_tiles_free) wwi_tiles tiles = {0};
    static const wwi_group_kind kind = {
        .begin = wwi_group_begin_plan, .run = run_tile, .finish = wwi_group_finish_plan, .end = band_end};
    wwi_group_job job = {.plan = plan_matrix, .tiles = &tiles};
    WWI_NEEDS("output", output);
    WWI_TRY(wwi_group_job_begin(&job, measure, rows, columns, options));
    const wwi_result result = {"matrix", job.rows->count, job.columns->count, job.value_bytes, true};
    WWI_TRY(wwi_group_take_output(&job.to, output, "its result", &result));
    if (job.to.row_stride == 0)
        job.to.row_stride = result.columns;
    WWI_TRY(make_tiles(&tiles, &job));
    return wwi_group_run(job.group, &kind, &job, tiles.items, tiles.before, &job.run);
}

// ---- pairs

typedef struct pair {
    size_t x, y;
} pair;

static pair pair_at(const wwi_group_job *job, size_t i) {
    return (pair){job->row_index ? job->row_index[i] : i, job->column_index ? job->column_index[i] : i};
}

double wwi_group_pair_work(const void *user, size_t i) {
    const wwi_group_job *job = user;
    const pair p = pair_at(job, i);
    return (job->rows->points[p.x + 1] - job->rows->points[p.x]) *
           (job->columns->points[p.y + 1] - job->columns->points[p.y]);
}

ww_status wwi_group_check_pairs(const wwi_group_job *job) {
    WWI_TRY(wwi_pairs_check(job->row_index, job->column_index, job->count));
    for (size_t i = 0; i < job->count; i++) {
        const pair p = pair_at(job, i);
        if (p.x >= job->rows->count || p.y >= job->columns->count)
            return wwi_pairs_outside(i, p.x, p.y, job->rows->count, job->columns->count);
    }
    return WW_OK;
}

static ww_status plan_pairs(const wwi_group_job *job, ww_dataset *rows, ww_dataset *columns, ww_plan **plan) {
    return ww_plan_create_pairs(job->measure, rows, columns ? columns : rows, job->row_index, job->column_index,
                                job->count, &job->options, plan);
}

static ww_status run_pairs(const wwi_group_seat *seat, size_t first, size_t count) {
    const wwi_group_job *job = seat->job;
    return wwi_plan_run_some_pairs(seat->own, first, count, (unsigned char *)job->to.host + first * job->value_bytes);
}

ww_status ww_group_pairs(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                         const size_t *row_index, const size_t *column_index, size_t count,
                         const ww_plan_options *options, const ww_output *output) {
    static const wwi_group_kind kind = {
        .begin = wwi_group_begin_plan, .run = run_pairs, .finish = wwi_group_finish_plan, .work = wwi_group_pair_work};
    wwi_group_job job = {.plan = plan_pairs, .row_index = row_index, .column_index = column_index, .count = count};
    WWI_NEEDS("output", output);
    WWI_TRY(wwi_group_job_begin(&job, measure, rows, columns, options));
    WWI_TRY(wwi_group_check_pairs(&job));
    const wwi_result result = {"distances of pairs", 1, count, job.value_bytes, false};
    WWI_TRY(wwi_group_take_output(&job.to, output, "its result", &result));
    return wwi_group_run_units(job.group, &kind, &job, count, &job.run);
}

// ---- nearest

double wwi_group_query_work(const void *user, size_t i) {
    const wwi_group_job *job = user;
    return (job->rows->points[i + 1] - job->rows->points[i]) * job->columns->points[job->columns->count];
}

static ww_status plan_nearest(const wwi_group_job *job, ww_dataset *rows, ww_dataset *columns, ww_plan **plan) {
    return ww_plan_create_nearest(job->measure, rows, columns, job->k, &job->options, plan);
}

static ww_status run_queries(const wwi_group_seat *seat, size_t first, size_t count) {
    const wwi_group_job *job = seat->job;
    unsigned char *distances = job->distances ? job->distances + first * job->k * job->value_bytes : NULL;
    return ww_plan_run_nearest_rows(seat->own, first, count, job->indices + first * job->k, distances);
}

ww_status ww_group_nearest(const ww_measure *measure, ww_group_dataset *queries, ww_group_dataset *base, size_t k,
                           const ww_plan_options *options, int64_t *indices, void *distances) {
    static const wwi_group_kind kind = {.begin = wwi_group_begin_plan,
                                        .run = run_queries,
                                        .finish = wwi_group_finish_plan,
                                        .work = wwi_group_query_work};
    wwi_group_job job = {.plan = plan_nearest, .k = k, .indices = indices, .distances = distances};
    if (!indices)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_nearest: the indices are NULL");
    WWI_TRY(wwi_group_job_begin(&job, measure, queries, base, options));
    return wwi_group_run_units(job.group, &kind, &job, queries->count, &job.run);
}
