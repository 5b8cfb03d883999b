// SPDX-License-Identifier: Apache-2.0
// Divides a matrix or a rectangle of it into batches that fit the device, computes them one after the other and passes
// each to a sink. The other sinks are in matrix.c.
#include "jobs/blocks.h"

#include <stdlib.h>
#include <string.h>

// Values of a batch: at least one, and what 31 bits count.
static uint64_t most_values(const ww_plan *p) {
    const uint64_t most = wwi_plan_memory(p) / wwi_precision_bytes(p->pair.rows->precision);
    return most < 1 ? 1 : most < 0x7fffffff ? most : 0x7fffffff;
}

// Rows of the batches from `row` on, at most `most`.
static size_t batch_rows(const ww_plan *p, const wwi_blocks *s, size_t row, uint64_t most) {
    const size_t columns = s->column_end - s->column, left = s->row_end - row;
    const size_t limit = wwi_dataset_slice_limit(p->pair.rows, row), rows = limit < left ? limit : left;
    const uint64_t fitting = most / columns;
    if (s->whole_rows && fitting >= 1)
        return rows < fitting ? rows : (size_t)fitting;
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
    const size_t left = s->column_end - column, limit = wwi_dataset_slice_limit(p->pair.columns, column);
    size_t columns = limit < left ? limit : left;
    if (columns > most / rows)
        columns = (size_t)(most / rows);
    if (s->upper && !s->whole_rows && column == row && columns > rows)
        columns = rows; // the batch at the diagonal is square
    return columns;
}

ww_status wwi_blocks_cells(const ww_plan *p, const wwi_blocks *s, uint64_t *cells) {
    ww_status status = WW_OK;
    const uint64_t most = most_values(p);
    *cells = p->square_cells;
    if (!s->upper || p->square_cells == UINT64_MAX)
        return WW_OK;
    // Rows go with all columns from their own on. Where the measure is symmetric that is half of the square and half of
    // the squares of these rows with themselves, which take less time to count.
    uint64_t sum = 0;
    for (size_t row = 0, rows; status == WW_OK && row < p->pair.rows->count; row += rows) {
        uint64_t part = 0;
        rows = batch_rows(p, s, row, most);
        status = wwi_plan_count_area(p, row, rows, row, p->symmetric ? rows : p->pair.columns->count - row, &part);
        sum += part;
    }
    *cells = p->symmetric ? (p->square_cells + sum) / 2 : sum;
    return status;
}

ww_status wwi_to_matrix(ww_plan *p, void *target, size_t row, size_t row_count, size_t column, size_t column_count,
                        const unsigned char *values) {
    const wwi_square *to = target;
    const size_t size = wwi_precision_bytes(p->pair.rows->precision);
    unsigned char *at = to->values + ((row - to->row) * to->stride + (column - to->column)) * size;
    for (size_t i = 0; i < row_count; i++)
        memcpy(at + i * to->stride * size, values + i * column_count * size, column_count * size);
    return WW_OK;
}

void wwi_zero_diagonal(const ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count,
                       unsigned char *values) {
    const size_t size = wwi_precision_bytes(p->pair.rows->precision);
    for (size_t i = row; i < row + row_count; i++)
        if (i >= column && i < column + column_count)
            memset(values + ((i - row) * column_count + (i - column)) * size, 0, size);
}

// One batch from the device to the sink.
static ww_status run_batch(ww_plan *p, const wwi_blocks *s, size_t row, size_t rows, size_t column, size_t columns,
                           unsigned char *values) {
    ww_status status =
        s->compute ? s->compute(p, row, rows, column, columns) : wwi_plan_rectangle(p, row, rows, column, columns);
    if (status == WW_OK)
        status = wwi_plan_fetch(p, p->out, (uint64_t)rows * columns, values);
    if (status != WW_OK)
        return status;
    if (p->self && p->zero_on_self)
        wwi_zero_diagonal(p, row, rows, column, columns, values);
    return s->deliver(p, s->target, row, rows, column, columns, values);
}

ww_status wwi_blocks_run(ww_plan *p, const wwi_blocks *s) {
    ww_status status = WW_OK;
    const uint64_t size = wwi_precision_bytes(p->pair.rows->precision), most = most_values(p);
    unsigned char *values = NULL;
    uint64_t capacity = 0;
    for (size_t row = s->row, rows; status == WW_OK && row < s->row_end; row += rows) {
        rows = batch_rows(p, s, row, most);
        for (size_t column = s->upper ? row : s->column, columns; status == WW_OK && column < s->column_end;
             column += columns) {
            columns = batch_columns(p, s, row, rows, column, most);
            const uint64_t bytes = (uint64_t)rows * columns * size;
            if (bytes > capacity) {
                free(values);
                values = malloc(bytes);
                capacity = values ? bytes : 0;
            }
            status = values ? run_batch(p, s, row, rows, column, columns, values) : wwi_fail_memory(bytes);
        }
    }
    free(values);
    return status;
}
