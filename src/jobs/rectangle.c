// SPDX-License-Identifier: Apache-2.0
// Rectangles of a matrix plan, for work that is divided: the bits are those that a run of the whole matrix gives.
//
// Most distances have the same bits whichever engine computes them and whichever series is the row. Where that is not
// so (wwi_measure_rounds_by_engine()), a rectangle takes the engine of the whole matrix. A border's sums
// (WWI_MEASURE_BORDER_SUMS) are rounded differently for rows than for columns: of a set with itself the pairs of a
// rectangle are then listed as the whole matrix computes them, the series that comes first in the order of lengths as
// the row.
//
// Of a square on the diagonal of a set with itself the half above it is computed and mirrored, as of the whole.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/blocks.h"
#include "measure/measure_table.h"
#include "options.h"

// Pairs of a list.
#define LISTED ((size_t)1 << 20)

static bool is_listed(const ww_plan *p) {
    return p->whole && p->self && p->symmetric && wwi_measure_has(&p->pair.measure, WWI_MEASURE_BORDER_SUMS);
}

// The diagonal of a symmetric measure that is not 0 there: the whole matrix has it as a list.
static bool lists_diagonal(const ww_plan *p) {
    return p->diagonal && wwi_measure_rounds_by_engine(&p->pair.measure);
}

// The first series of a pair by length, then by index, as in a half of a set with itself.
static bool comes_first(const ww_dataset *d, size_t i, size_t j) {
    return d->ranks[i] != d->ranks[j] ? d->ranks[i] < d->ranks[j] : i < j;
}

// Computes listed pairs of a rectangle into `out`; all series are on the device.
static ww_status run_list(ww_plan *p, const uint32_t *pairs, size_t count, const wwi_work *like, wwi_buffer *out) {
    wwi_batch b;
    const ww_status status = wwi_plan_list(p, pairs, count, &b);
    b.out = out;
    b.like = like;
    return status == WW_OK ? wwi_runner_block(p->runner, &b) : status;
}

static ww_status compute_listed(ww_plan *p, size_t row, size_t rows, size_t column, size_t columns, wwi_buffer *out) {
    ww_status status = WW_OK;
    const uint64_t all = (uint64_t)rows * columns;
    const size_t most = all < LISTED ? (size_t)all : LISTED;
    uint32_t *pairs;
    WWI_TRY(wwi_new(pairs, most * 3));
    for (uint64_t at = 0, count; status == WW_OK && at < all; at += count) {
        for (count = 0; count < most && at + count < all; count++) {
            const size_t i = row + (size_t)((at + count) / columns), j = column + (size_t)((at + count) % columns);
            const bool first = comes_first(p->pair.rows, i, j);
            pairs[3 * count] = (uint32_t)(first ? i : j);
            pairs[3 * count + 1] = (uint32_t)(first ? j : i);
            pairs[3 * count + 2] = (uint32_t)(at + count);
        }
        status = run_list(p, pairs, (size_t)count, p->whole, out);
    }
    free(pairs);
    return status;
}

// The part of the diagonal that lies in a rectangle: elements [*first, *first + the result).
static size_t diagonal_of(size_t row, size_t rows, size_t column, size_t columns, size_t *first) {
    const size_t begin = row > column ? row : column;
    const size_t row_end = row + rows, column_end = column + columns, end = row_end < column_end ? row_end : column_end;
    *first = begin;
    return begin < end ? end - begin : 0;
}

static ww_status compute_diagonal(ww_plan *p, size_t row, size_t rows, size_t column, size_t columns, wwi_buffer *out) {
    size_t first;
    const size_t count = diagonal_of(row, rows, column, columns, &first);
    if (count == 0)
        return WW_OK;
    uint32_t *pairs;
    WWI_TRY(wwi_new(pairs, count * 3));
    for (size_t t = 0; t < count; t++) {
        pairs[3 * t] = pairs[3 * t + 1] = (uint32_t)(first + t);
        pairs[3 * t + 2] = (uint32_t)((first + t - row) * columns + (first + t - column));
    }
    const ww_status status = run_list(p, pairs, count, lists_diagonal(p) ? p->diagonal : NULL, out);
    free(pairs);
    return status;
}

// A square on the diagonal, where one half is enough.
static bool is_half(const ww_plan *p, size_t row, size_t rows, size_t column, size_t columns) {
    return p->self && p->symmetric && row == column && rows == columns && rows > 1 && !is_listed(p);
}

// Enqueues a rectangle that is one batch; its values begin where `out` does.
static ww_status compute_into(ww_plan *p, size_t row, size_t rows, size_t column, size_t columns, wwi_buffer *out) {
    wwi_batch b;
    ww_status status;
    const bool half = is_half(p, row, rows, column, columns);
    if (is_listed(p)) {
        status = compute_listed(p, row, rows, column, columns, out);
    } else if ((status = wwi_plan_batch(p, row, rows, column, columns, &b)) == WW_OK) {
        b.out = out;
        b.like = wwi_measure_rounds_by_engine(&p->pair.measure) ? p->whole : NULL;
        b.half = half;
        b.layout = half ? WW_RESULTS_MIRRORED : WW_RESULTS_STRIDED;
        if (half) // the diagonal
            status =
                wwi_buffer_fill_u32(out, 0, (uint64_t)rows * columns * wwi_precision_bytes(p->pair.rows->precision), 0);
        if (status == WW_OK)
            status = wwi_runner_block(p->runner, &b);
    }
    return status == WW_OK && (lists_diagonal(p) || (half && !p->zero_on_self))
               ? compute_diagonal(p, row, rows, column, columns, out)
               : status;
}

// The same into plan->out, for blocks.
static ww_status compute(ww_plan *p, size_t row, size_t rows, size_t column, size_t columns) {
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out,
                            (uint64_t)rows * columns * wwi_precision_bytes(p->pair.rows->precision)));
    return compute_into(p, row, rows, column, columns, p->out);
}

// Zeroes the diagonal in the device memory of an output: a column of zeros, one row and one value apart.
static ww_status zero_on_device(ww_plan *p, const wwi_blocks *r, const ww_output *to, wwi_buffer *device) {
    size_t first;
    const size_t columns = r->column_end - r->column,
                 count = diagonal_of(r->row, r->row_end - r->row, r->column, columns, &first);
    const uint64_t size = wwi_precision_bytes(p->pair.rows->precision),
                   stride = to->row_stride ? to->row_stride : columns;
    if (count == 0)
        return WW_OK;
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->zeros, count * size));
    WWI_TRY(wwi_buffer_fill_u32(p->zeros, 0, count * size, 0));
    return wwi_buffer_copy_rows(p->zeros, device, to->offset + ((first - r->row) * stride + (first - r->column)) * size,
                                size, count, (stride + 1) * size);
}

static ww_status run_to_device(ww_plan *p, const wwi_blocks *r, const ww_output *to, wwi_buffer *device,
                               const wwi_result *result) {
    const size_t rows = r->row_end - r->row, columns = r->column_end - r->column;
    const bool dense = to->offset == 0 && to->row_stride == 0;
    ww_status status = dense ? compute_into(p, r->row, rows, r->column, columns, device)
                             : compute(p, r->row, rows, r->column, columns);
    if (status == WW_OK && !dense)
        status = wwi_plan_place(p, to, device, result);
    return status == WW_OK && p->self && p->zero_on_self ? zero_on_device(p, r, to, device) : status;
}

static ww_status run_to_host(ww_plan *p, const wwi_blocks *r, const ww_output *to) {
    const size_t rows = r->row_end - r->row, columns = r->column_end - r->column;
    if (to->row_stride || !wwi_plan_is_one_batch(p, (uint64_t)rows * columns))
        return wwi_blocks_run(p, r);
    WWI_TRY(compute(p, r->row, rows, r->column, columns));
    WWI_TRY(wwi_plan_fetch(p, p->out, (uint64_t)rows * columns, to->host));
    if (p->self && p->zero_on_self)
        wwi_zero_diagonal(p, r->row, rows, r->column, columns, to->host);
    return WW_OK;
}

// ---- the interface

static ww_status check_range(const ww_plan *p, size_t row, size_t rows, size_t column, size_t columns) {
    if (p->job != &wwi_matrix_job)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a rectangle is of a plan for a matrix, and this is another");
    if (row > p->pair.rows->count || rows > p->pair.rows->count - row) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a rectangle of %zu rows from row %zu on", rows, row);
        return wwi_fail_hint("the matrix has %zu rows", p->pair.rows->count);
    }
    if (column > p->pair.columns->count || columns > p->pair.columns->count - column) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a rectangle of %zu columns from column %zu on", columns, column);
        return wwi_fail_hint("the matrix has %zu columns", p->pair.columns->count);
    }
    return WW_OK;
}

ww_status ww_plan_cells(const ww_plan *plan, size_t row, size_t rows, size_t column, size_t columns, uint64_t *cells) {
    if (!plan || !cells)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_plan_cells: the plan or the cells are NULL");
    *cells = 0;
    WWI_TRY(check_range(plan, row, rows, column, columns));
    return wwi_plan_count_area(plan, row, rows, column, columns, cells);
}

ww_status ww_plan_run_rectangle(ww_plan *plan, size_t row, size_t rows, size_t column, size_t columns,
                                const ww_output *output) {
    ww_status status = WW_OK;
    ww_output to = WW_OUTPUT_INIT;
    wwi_buffer *device;
    uint64_t cells;
    if (!plan || !output)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_plan_run_rectangle: the plan or the output is NULL");
    const wwi_result result = {"rectangle", rows, columns, wwi_precision_bytes(plan->pair.rows->precision), true};
    WWI_TRY(ww_plan_cells(plan, row, rows, column, columns, &cells));
    WWI_TRY(wwi_options_take(&to, output, "ww_output"));
    if (to.layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a rectangle has the full layout alone");
    WWI_TRY(wwi_result_check(&to, plan->pair.context, &result, &device));
    const bool on_device =
        !plan->pair.rows->host && !plan->pair.columns->host && (columns == 0 || rows <= (size_t)0x7fffffff / columns);
    if (device && !on_device) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the series or the rectangle are more than one block on the device");
        return wwi_fail_hint("run smaller rectangles, or into host memory, which works block by block");
    }
    wwi_square square = {to.host, to.row_stride ? to.row_stride : columns, row, column};
    const wwi_blocks blocks = {.row = row,
                               .row_end = row + rows,
                               .column = column,
                               .column_end = column + columns,
                               .deliver = wwi_to_matrix,
                               .target = &square,
                               .compute = compute};
    wwi_plan_start(plan);
    plan->pending = device != NULL;
    wwi_plan_expect(plan, cells);
    if (rows > 0 && columns > 0)
        status = device ? run_to_device(plan, &blocks, &to, device, &result) : run_to_host(plan, &blocks, &to);
    if (status == WW_OK)
        plan->info.cells_done = cells;
    return status == WW_OK && device ? WW_OK : wwi_plan_end(plan, status);
}
