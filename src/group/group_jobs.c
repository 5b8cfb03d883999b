// SPDX-License-Identifier: Apache-2.0
// A matrix in tiles of rectangles, pairs in runs, and nearest series by parts of the queries, on a group of devices.
#include <stdlib.h>
#include <string.h>

#include "base/transpose.h"
#include "group/group.h"
#include "jobs/plan.h"
#include "measure/measure_table.h"
#include "options.h"

// ---- a matrix

// The items are rectangles of a grid: bands of rows, in each some columns. A device takes neighbours of one band. Of a
// half a band begins with its own square on the diagonal, of which a plan computes one half: a tile by itself.
enum { BAND_ROWS = 256, ITEM_COLUMNS = 1024, LEAST_ROWS = 16, LEAST_COLUMNS = 64, PARTS = 16 };
#define MOST_ITEMS ((size_t)1 << 21)

typedef struct wwi_tiles {
    size_t rows, columns; // of the matrix
    size_t height, width; // of an item; the last ones are smaller
    bool half;            // only what reaches above the diagonal
    size_t bands, items;
    size_t *first;  // bands + 1: the first item of each band
    double *before; // items + 1
} wwi_tiles;

static size_t between(size_t value, size_t least, size_t most) {
    return value < least ? least : value > most ? most : value;
}

// Where a band's items of the grid's width begin.
static size_t band_column(const wwi_tiles *t, size_t band) {
    return t->half ? between((band + 1) * t->height, 0, t->columns) : 0;
}

static size_t items_of(const wwi_tiles *t, size_t band) {
    return (t->columns - band_column(t, band) + t->width - 1) / t->width + t->half;
}

static size_t count_items(wwi_tiles *t) {
    size_t items = 0;
    t->bands = (t->rows + t->height - 1) / t->height;
    for (size_t band = 0; band < t->bands; band++)
        items += items_of(t, band);
    return items;
}

static ww_status make_tiles(wwi_tiles *t, const wwi_group_job *job) {
    const double *rows = job->rows->points, *columns = job->columns->points;
    const size_t parts = PARTS * job->group->count;
    t->rows = job->rows->count;
    t->columns = job->columns->count;
    t->half = job->self && wwi_measure_is_symmetric(job->measure);
    t->height = between(t->rows / parts, LEAST_ROWS, BAND_ROWS);
    t->width = between(t->columns / 8, LEAST_COLUMNS, ITEM_COLUMNS);
    while ((t->items = count_items(t)) > MOST_ITEMS)
        t->height *= 2, t->width *= 2;
    t->first = malloc((t->bands + 1) * sizeof *t->first);
    t->before = malloc((t->items + 1) * sizeof *t->before);
    if (!t->first || !t->before)
        return wwi_fail_memory((t->bands + 1) * sizeof *t->first + (t->items + 1) * sizeof *t->before);
    t->first[0] = 0;
    t->before[0] = 0;
    for (size_t band = 0, item = 0; band < t->bands; band++) {
        const size_t row_end = between((band + 1) * t->height, 0, t->rows);
        const double height = rows[row_end] - rows[band * t->height];
        if (t->half) {
            t->before[item + 1] = t->before[item] + height * height / 2;
            item++;
        }
        for (size_t column = band_column(t, band); column < t->columns; column += t->width, item++)
            t->before[item + 1] =
                t->before[item] + height * (columns[between(column + t->width, 0, t->columns)] - columns[column]);
        t->first[band + 1] = item;
    }
    return WW_OK;
}

static size_t band_of(const wwi_tiles *t, size_t item) {
    size_t low = 0, high = t->bands;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (t->first[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t band_end(const void *user, size_t first) {
    const wwi_tiles *t = ((const wwi_group_job *)user)->tiles;
    const size_t band = band_of(t, first);
    return t->half && first == t->first[band] ? first + 1 : t->first[band + 1];
}

static ww_status run_tile(void *user, void *own, size_t first, size_t count) {
    const wwi_group_job *job = user;
    const wwi_tiles *t = job->tiles;
    const size_t band = band_of(t, first), row = band * t->height;
    const size_t rows = between(row + t->height, 0, t->rows) - row;
    const bool square = t->half && first == t->first[band];
    const size_t column = square ? row : band_column(t, band) + (first - t->first[band] - t->half) * t->width;
    const size_t columns = square ? rows : between(column + count * t->width, 0, t->columns) - column;
    ww_output to = job->to;
    to.host = (unsigned char *)to.host + (row * to.row_stride + column) * job->value_bytes;
    to.bytes = 0; // checked as a whole
    const ww_status status = ww_plan_run_rectangle(own, row, rows, column, columns, &to);
    if (status == WW_OK && t->half && !square) // below the diagonal is what is above
        wwi_transpose((unsigned char *)job->to.host + (column * to.row_stride + row) * job->value_bytes, to.row_stride,
                      to.host, to.row_stride, rows, columns, job->value_bytes);
    return status;
}

static ww_status plan_matrix(const wwi_group_job *job, ww_dataset *rows, ww_dataset *columns, ww_plan **plan) {
    return ww_plan_create_matrix(job->measure, rows, columns, &job->options, plan);
}

static ww_status take_output(wwi_group_job *job, const ww_output *output, const wwi_result *result) {
    job->to = (ww_output)WW_OUTPUT_INIT;
    ww_status status = wwi_options_take(&job->to, output, "ww_output");
    if (status != WW_OK)
        return status;
    if (!job->to.host || job->to.device || job->to.layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a group writes its result in the full layout to host memory");
    wwi_buffer *none;
    status = wwi_result_check(&job->to, NULL, result, &none);
    if (job->to.row_stride == 0)
        job->to.row_stride = result->columns;
    return status;
}

ww_status ww_group_matrix(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                          const ww_plan_options *options, const ww_output *output) {
    wwi_tiles tiles = {0};
    static const wwi_group_kind kind = {
        .begin = wwi_group_begin_plan, .run = run_tile, .finish = wwi_group_finish_plan, .end = band_end};
    wwi_group_job job = {.plan = plan_matrix, .tiles = &tiles};
    if (!output)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_matrix: the output is NULL");
    ww_status status = wwi_group_job_begin(&job, measure, rows, columns, options);
    if (status == WW_OK)
        status = take_output(&job, output,
                             &(wwi_result){"matrix", job.rows->count, job.columns->count, job.value_bytes, true});
    if (status == WW_OK)
        status = make_tiles(&tiles, &job);
    if (status == WW_OK)
        status = wwi_group_run(job.group, &kind, &job, tiles.items, tiles.before, &job.run);
    free(tiles.first);
    free(tiles.before);
    return status;
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
    if (!job->row_index != !job->column_index)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "one of row_index and column_index is NULL, the other is not");
    if (job->count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there are no pairs");
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

static ww_status run_pairs(void *user, void *own, size_t first, size_t count) {
    const wwi_group_job *job = user;
    return wwi_plan_run_some_pairs(own, first, count, (unsigned char *)job->to.host + first * job->value_bytes);
}

ww_status ww_group_pairs(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                         const size_t *row_index, const size_t *column_index, size_t count,
                         const ww_plan_options *options, const ww_output *output) {
    static const wwi_group_kind kind = {
        .begin = wwi_group_begin_plan, .run = run_pairs, .finish = wwi_group_finish_plan, .work = wwi_group_pair_work};
    wwi_group_job job = {.plan = plan_pairs, .row_index = row_index, .column_index = column_index, .count = count};
    if (!output)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_pairs: the output is NULL");
    ww_status status = wwi_group_job_begin(&job, measure, rows, columns, options);
    if (status == WW_OK)
        status = wwi_group_check_pairs(&job);
    if (status == WW_OK)
        status = take_output(&job, output, &(wwi_result){"distances of pairs", 1, count, job.value_bytes, false});
    return status == WW_OK ? wwi_group_run_units(job.group, &kind, &job, count, &job.run) : status;
}

// ---- nearest

double wwi_group_query_work(const void *user, size_t i) {
    const wwi_group_job *job = user;
    return (job->rows->points[i + 1] - job->rows->points[i]) * job->columns->points[job->columns->count];
}

static ww_status plan_nearest(const wwi_group_job *job, ww_dataset *rows, ww_dataset *columns, ww_plan **plan) {
    return ww_plan_create_nearest(job->measure, rows, columns, job->k, &job->options, plan);
}

static ww_status run_queries(void *user, void *own, size_t first, size_t count) {
    const wwi_group_job *job = user;
    unsigned char *distances = job->distances ? job->distances + first * job->k * job->value_bytes : NULL;
    return ww_plan_run_nearest_rows(own, first, count, job->indices + first * job->k, distances);
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
    const ww_status status = wwi_group_job_begin(&job, measure, queries, base, options);
    return status == WW_OK ? wwi_group_run_units(job.group, &kind, &job, queries->count, &job.run) : status;
}
