// SPDX-License-Identifier: Apache-2.0
// Divides a matrix or a rectangle of it into batches that fit the device, computes them one after the other and passes
// each to a sink. The other sinks are in matrix.c.
#include "jobs/blocks.h"

#include <stdlib.h>
#include <string.h>

// Rows of the batches from `row` on, at most `most`.
static size_t batch_rows(const ww_plan *p, const wwi_blocks *s, size_t row, uint64_t most) {
    const size_t columns = s->all.columns, left = s->all.row + s->all.rows - row;
    const size_t rows = wwi_least(wwi_dataset_slice_limit(p->pair.rows, row), left);
    if (s->whole_rows && most >= columns)
        return wwi_least(rows, most / columns);
    if ((uint64_t)rows * columns <= most)
        return rows;
    // About square: the least transfer of series for the results.
    size_t side = 1;
    while ((uint64_t)side * side * 4 <= most)
        side *= 2;
    return rows < side ? rows : side;
}

static size_t batch_columns(const ww_plan *p, const wwi_blocks *s, size_t row, size_t rows, size_t column,
                            uint64_t most) {
    const size_t limit = wwi_least(wwi_dataset_slice_limit(p->pair.columns, column), most / rows);
    const size_t columns = wwi_least(limit, s->all.column + s->all.columns - column);
    // The batch at the diagonal is square.
    return s->upper && !s->whole_rows && column == row ? wwi_least(columns, rows) : columns;
}

ww_status wwi_blocks_cells(const ww_plan *p, const wwi_blocks *s, uint64_t *cells) {
    const uint64_t most = wwi_plan_most_values(p, 1);
    *cells = p->square_cells;
    if (!s->upper || p->square_cells == UINT64_MAX)
        return WW_OK;
    // Rows go with all columns from their own on. Where the measure is symmetric that is half of the square and half of
    // the squares of these rows with themselves, which take less time to count.
    uint64_t sum = 0;
    for (size_t row = 0, rows; row < p->pair.rows->count; row += rows) {
        uint64_t part;
        rows = batch_rows(p, s, row, most);
        const wwi_rectangle of = {row, rows, row, p->symmetric ? rows : p->pair.columns->count - row};
        WWI_TRY(wwi_plan_count_area(p, of, &part));
        sum += part;
    }
    *cells = p->symmetric ? (p->square_cells + sum) / 2 : sum;
    return WW_OK;
}

ww_status wwi_to_matrix(ww_plan *p, void *target, wwi_rectangle of, const unsigned char *values) {
    const wwi_square *to = target;
    const size_t size = p->pair.value_bytes;
    unsigned char *at = to->values + ((of.row - to->row) * to->stride + (of.column - to->column)) * size;
    for (size_t i = 0; i < of.rows; i++)
        memcpy(at + i * to->stride * size, values + i * of.columns * size, of.columns * size);
    return WW_OK;
}

void wwi_zero_diagonal(const ww_plan *p, wwi_rectangle of, unsigned char *values) {
    const size_t size = p->pair.value_bytes;
    for (size_t i = of.row; i < of.row + of.rows; i++)
        if (i >= of.column && i < of.column + of.columns)
            memset(values + ((i - of.row) * of.columns + (i - of.column)) * size, 0, size);
}

// One batch from the device to the sink.
static ww_status run_batch(ww_plan *p, const wwi_blocks *s, wwi_rectangle of, unsigned char *values) {
    WWI_TRY((s->compute ? s->compute : wwi_plan_rectangle)(p, of));
    WWI_TRY(wwi_plan_fetch(p, p->out, (uint64_t)of.rows * of.columns, values));
    if (p->self && p->zero_on_self)
        wwi_zero_diagonal(p, of, values);
    return s->deliver(p, s->target, of, values);
}

ww_status wwi_blocks_run(ww_plan *p, const wwi_blocks *s) {
    const uint64_t size = p->pair.value_bytes, most = wwi_plan_most_values(p, 1);
    WWI_FREES unsigned char *values = NULL;
    uint64_t capacity = 0;
    const size_t row_end = s->all.row + s->all.rows, column_end = s->all.column + s->all.columns;
    for (size_t row = s->all.row, rows; row < row_end; row += rows) {
        rows = batch_rows(p, s, row, most);
        for (size_t column = s->upper ? row : s->all.column, columns; column < column_end; column += columns) {
            columns = batch_columns(p, s, row, rows, column, most);
            const uint64_t bytes = (uint64_t)rows * columns * size;
            if (bytes > capacity) {
                free(values);
                WWI_TRY(wwi_new(values, bytes));
                capacity = bytes;
            }
            WWI_TRY(run_batch(p, s, (wwi_rectangle){row, rows, column, columns}, values));
        }
    }
    return WW_OK;
}
