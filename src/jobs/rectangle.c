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
    WWI_TRY(wwi_plan_list(p, pairs, count, &b));
    b.out = out;
    b.like = like;
    return wwi_runner_block(p->runner, &b);
}

static ww_status compute_listed(ww_plan *p, wwi_rectangle of, wwi_buffer *out) {
    const uint64_t all = (uint64_t)of.rows * of.columns;
    const size_t most = wwi_least(all, LISTED);
    WWI_FREES uint32_t *pairs = NULL;
    WWI_TRY(wwi_new(pairs, most * 3));
    for (uint64_t at = 0, count; at < all; at += count) {
        for (count = 0; count < most && at + count < all; count++) {
            const uint64_t element = at + count;
            const size_t i = of.row + (size_t)(element / of.columns), j = of.column + (size_t)(element % of.columns);
            const bool first = comes_first(p->pair.rows, i, j);
            pairs[3 * count] = (uint32_t)(first ? i : j);
            pairs[3 * count + 1] = (uint32_t)(first ? j : i);
            pairs[3 * count + 2] = (uint32_t)element;
        }
        WWI_TRY(run_list(p, pairs, (size_t)count, p->whole, out));
    }
    return WW_OK;
}

// The part of the diagonal that lies in a rectangle: elements [*first, *first + the result).
static size_t diagonal_of(wwi_rectangle of, size_t *first) {
    const size_t end = wwi_least(of.row + of.rows, of.column + of.columns);
    *first = of.row > of.column ? of.row : of.column;
    return *first < end ? end - *first : 0;
}

static ww_status compute_diagonal(ww_plan *p, wwi_rectangle of, wwi_buffer *out) {
    size_t first;
    const size_t count = diagonal_of(of, &first);
    WWI_FREES uint32_t *pairs = NULL;
    if (count == 0)
        return WW_OK;
    WWI_TRY(wwi_new(pairs, count * 3));
    for (size_t t = 0; t < count; t++) {
        pairs[3 * t] = pairs[3 * t + 1] = (uint32_t)(first + t);
        pairs[3 * t + 2] = (uint32_t)((first + t - of.row) * of.columns + (first + t - of.column));
    }
    return run_list(p, pairs, count, lists_diagonal(p) ? p->diagonal : NULL, out);
}

// A square on the diagonal, where one half is enough.
static bool is_half(const ww_plan *p, wwi_rectangle of) {
    return p->self && p->symmetric && of.row == of.column && of.rows == of.columns && of.rows > 1 && !is_listed(p);
}

// Enqueues a rectangle that is one batch; its values begin where `out` does.
static ww_status compute_into(ww_plan *p, wwi_rectangle of, wwi_buffer *out) {
    const bool half = is_half(p, of);
    if (is_listed(p)) {
        WWI_TRY(compute_listed(p, of, out));
    } else {
        wwi_batch b;
        WWI_TRY(wwi_plan_batch(p, of, &b));
        b.out = out;
        b.like = wwi_measure_rounds_by_engine(&p->pair.measure) ? p->whole : NULL;
        b.half = half;
        b.layout = half ? WW_RESULTS_MIRRORED : WW_RESULTS_STRIDED;
        if (half) // the diagonal
            WWI_TRY(wwi_buffer_fill_u32(out, 0, (uint64_t)of.rows * of.columns * p->pair.value_bytes, 0));
        WWI_TRY(wwi_runner_block(p->runner, &b));
    }
    const bool apart = lists_diagonal(p) || (half && !p->zero_on_self);
    return apart ? compute_diagonal(p, of, out) : WW_OK;
}

// The same into plan->out, for blocks.
static ww_status compute(ww_plan *p, wwi_rectangle of) {
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, (uint64_t)of.rows * of.columns * p->pair.value_bytes));
    return compute_into(p, of, p->out);
}

// Zeroes the diagonal in the device memory of an output: a column of zeros, one row and one value apart.
static ww_status zero_on_device(ww_plan *p, wwi_rectangle of, const ww_output *to, wwi_buffer *device) {
    size_t first;
    const size_t count = diagonal_of(of, &first);
    const uint64_t size = p->pair.value_bytes, stride = to->row_stride ? to->row_stride : of.columns;
    if (count == 0)
        return WW_OK;
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->zeros, count * size));
    WWI_TRY(wwi_buffer_fill_u32(p->zeros, 0, count * size, 0));
    return wwi_buffer_copy_rows(p->zeros, device, to->offset + ((first - of.row) * stride + (first - of.column)) * size,
                                size, count, (stride + 1) * size);
}

static ww_status run_to_device(ww_plan *p, wwi_rectangle of, const ww_output *to, wwi_buffer *device,
                               const wwi_result *result) {
    if (to->offset == 0 && to->row_stride == 0) {
        WWI_TRY(compute_into(p, of, device));
    } else {
        WWI_TRY(compute(p, of));
        WWI_TRY(wwi_plan_place(p, to, device, result));
    }
    return p->self && p->zero_on_self ? zero_on_device(p, of, to, device) : WW_OK;
}

static ww_status run_to_host(ww_plan *p, wwi_rectangle of, const ww_output *to) {
    const uint64_t elements = (uint64_t)of.rows * of.columns;
    if (to->row_stride || !wwi_plan_is_one_batch(p, elements)) {
        wwi_square square = {to->host, to->row_stride ? to->row_stride : of.columns, of.row, of.column};
        const wwi_blocks blocks = {.all = of, .deliver = wwi_to_matrix, .target = &square, .compute = compute};
        return wwi_blocks_run(p, &blocks);
    }
    WWI_TRY(compute(p, of));
    WWI_TRY(wwi_plan_fetch(p, p->out, elements, to->host));
    if (p->self && p->zero_on_self)
        wwi_zero_diagonal(p, of, to->host);
    return WW_OK;
}

// ---- the interface

static ww_status check_side(const char *side, size_t first, size_t count, size_t has) {
    if (first <= has && count <= has - first)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu %ss from %s %zu on are not in the matrix", count, side, side, first);
    return wwi_fail_hint("the matrix has %zu %ss", has, side);
}

ww_status ww_plan_cells(const ww_plan *plan, size_t row, size_t rows, size_t column, size_t columns, uint64_t *cells) {
    if (!plan || !cells)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_plan_cells: the plan or the cells are NULL");
    *cells = 0;
    if (plan->job != &wwi_matrix_job)
        return wwi_plan_other_job(plan, "a rectangle");
    WWI_TRY(check_side("row", row, rows, plan->pair.rows->count));
    WWI_TRY(check_side("column", column, columns, plan->pair.columns->count));
    return wwi_plan_count_area(plan, (wwi_rectangle){row, rows, column, columns}, cells);
}

ww_status wwi_plan_check_rectangle(const ww_plan *plan, wwi_rectangle of, const ww_output *output, ww_output *to,
                                   wwi_buffer **device) {
    uint64_t cells;
    WWI_NEEDS("plan, output", plan, output);
    const wwi_result result = {"rectangle", of.rows, of.columns, plan->pair.value_bytes, true};
    WWI_TRY(ww_plan_cells(plan, of.row, of.rows, of.column, of.columns, &cells));
    *to = (ww_output)WW_OUTPUT_INIT;
    WWI_TRY(wwi_options_take(to, output, "ww_output"));
    if (to->layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a rectangle has the full layout only");
    return wwi_result_check(to, plan->pair.context, &result, device);
}

ww_status wwi_plan_rectangle_alone(ww_plan *plan, wwi_rectangle of, const ww_output *output) {
    ww_status status = WW_OK;
    ww_output to;
    wwi_buffer *device;
    uint64_t cells;
    WWI_TRY(wwi_plan_check_rectangle(plan, of, output, &to, &device));
    WWI_TRY(wwi_plan_count_area(plan, of, &cells));
    const wwi_result result = {"rectangle", of.rows, of.columns, plan->pair.value_bytes, true};
    const bool on_device = !plan->pair.rows->host && !plan->pair.columns->host &&
                           (of.columns == 0 || of.rows <= (size_t)0x7fffffff / of.columns);
    if (device && !on_device) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the series or the rectangle are more than one block on the device");
        return wwi_fail_hint("run smaller rectangles, or into host memory, which works block by block");
    }
    wwi_plan_start(plan);
    plan->pending = device != NULL;
    wwi_plan_expect(plan, cells);
    if (of.rows > 0 && of.columns > 0)
        status = device ? run_to_device(plan, of, &to, device, &result) : run_to_host(plan, of, &to);
    if (status == WW_OK)
        plan->info.cells_done = cells;
    return status == WW_OK && device ? WW_OK : wwi_plan_end(plan, status);
}
