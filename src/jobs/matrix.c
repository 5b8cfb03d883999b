// SPDX-License-Identifier: Apache-2.0
// The job `matrix`: all rows with all columns, in one batch where that fits the device, else streamed. Of a set with
// itself only the half above the diagonal is computed where the measure is symmetric.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/transpose.h"
#include "jobs/blocks.h"

// Compiles for the first block, or one much like it.
static ww_status compile_block(ww_plan *p) {
    const uint64_t most = wwi_plan_memory(p) / wwi_precision_bytes(p->pair.rows->precision);
    size_t rows = wwi_dataset_slice_limit(p->pair.rows, 0), columns = wwi_dataset_slice_limit(p->pair.columns, 0);
    while ((uint64_t)rows * columns > (most < 0x7fffffff ? most : 0x7fffffff) && rows * columns > 1)
        if (rows > columns)
            rows /= 2;
        else
            columns /= 2;
    return wwi_plan_prepare_rectangle(p, rows, columns, NULL);
}

static bool is_half(const ww_plan *p) {
    return p->self && p->symmetric;
}

// Cells of the half without the diagonal.
static uint64_t half_cells(const ww_plan *p) {
    return (p->square_cells - wwi_plan_diagonal_cells(p)) / 2;
}

// ---- sinks

// Above the diagonal, and mirrored below it; blocks at the diagonal contain both.
static ww_status to_mirror(ww_plan *p, void *target, size_t row, size_t row_count, size_t column, size_t column_count,
                           const unsigned char *values) {
    const wwi_square *to = target;
    const size_t size = wwi_precision_bytes(p->pair.rows->precision);
    wwi_to_matrix(p, target, row, row_count, column, column_count, values);
    if (row != column)
        wwi_transpose(to->values + (column * to->stride + row) * size, to->stride, values, column_count, row_count,
                      column_count, size);
    return WW_OK;
}

static ww_status to_condensed(ww_plan *p, void *target, size_t row, size_t row_count, size_t column,
                              size_t column_count, const unsigned char *values) {
    const size_t size = wwi_precision_bytes(p->pair.rows->precision), n = p->pair.rows->count;
    for (size_t i = row; i < row + row_count; i++) {
        const size_t from = column > i + 1 ? column : i + 1;
        if (from < column + column_count)
            memcpy((unsigned char *)target + (i * (2 * n - i - 1) / 2 + (from - i - 1)) * size,
                   values + ((i - row) * column_count + (from - column)) * size, (column + column_count - from) * size);
    }
    return WW_OK;
}

typedef struct callback {
    ww_block_fn call;
    void *user;
} callback;

static ww_status to_callback(ww_plan *p, void *target, size_t row, size_t row_count, size_t column, size_t column_count,
                             const unsigned char *values) {
    const callback *c = target;
    (void)p;
    if (c->call(c->user, row, row_count, column, column_count, values) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "the block function asked to stop");
    return WW_OK;
}

typedef struct condensed_callback {
    ww_condensed_fn call;
    void *user;
} condensed_callback;

static ww_status to_condensed_callback(ww_plan *p, void *target, size_t row, size_t row_count, size_t column,
                                       size_t column_count, const unsigned char *values) {
    const condensed_callback *c = target;
    const size_t size = wwi_precision_bytes(p->pair.rows->precision);
    const uint64_t n = p->pair.rows->count;
    for (size_t i = row; i < row + row_count; i++) {
        const size_t from = column > i + 1 ? column : i + 1;
        if (from >= column + column_count)
            continue;
        const unsigned char *at = values + ((i - row) * column_count + (from - column)) * size;
        const uint64_t first = (uint64_t)i * (2 * n - i - 1) / 2 + (from - i - 1), count = column + column_count - from;
        WWI_TRY(wwi_plan_check_results(p, at, count));
        if (c->call(c->user, first, count, at) != 0)
            return wwi_fail(WW_ERROR_CANCELLED, "the function that takes the values asked to stop");
    }
    return WW_OK;
}

// ---- one batch

// The half of a set with itself above the diagonal; the layout is a run's.
static ww_status prepare_half(ww_plan *p) {
    wwi_batch b = {0};
    const size_t n = p->pair.rows->count;
    WWI_TRY(wwi_pairing_slice(&p->pair, WWI_SIDE_ROW, 0, n, &b.row));
    b.column = b.row;
    wwi_plan_ids(p->pair.rows, 0, n, p->row_ids);
    b.row_ids = b.column_ids = p->row_ids;
    b.rows = b.columns = n;
    b.half = true;
    b.row_stride = n;
    b.column_stride = 1;
    b.count = (uint32_t)n;
    return wwi_runner_prepare(p->runner, &b, &p->whole);
}

// The diagonal of a set with itself, into the full layout.
static ww_status prepare_diagonal(ww_plan *p) {
    const size_t n = p->pair.rows->count;
    uint32_t *pairs;
    WWI_TRY(wwi_new(pairs, n * 3));
    for (size_t i = 0; i < n; i++) {
        pairs[3 * i] = pairs[3 * i + 1] = (uint32_t)i;
        pairs[3 * i + 2] = (uint32_t)(i * n + i);
    }
    const ww_status status = wwi_plan_prepare_list(p, pairs, n, &p->diagonal);
    free(pairs);
    return status;
}

// What a run of one batch will need, unless it is there.
static ww_status prepare_batch(ww_plan *p, ww_layout layout) {
    ww_status status = WW_OK;
    if (!p->whole)
        status = is_half(p) ? prepare_half(p)
                            : wwi_plan_prepare_rectangle(p, p->pair.rows->count, p->pair.columns->count, &p->whole);
    if (status == WW_OK && !p->diagonal && is_half(p) && layout == WW_LAYOUT_FULL && !p->zero_on_self)
        status = prepare_diagonal(p);
    return status;
}

// Everything into `out`, which is large enough.
static ww_status enqueue_batch(ww_plan *p, ww_layout layout, wwi_buffer *out) {
    const size_t n = p->pair.rows->count;
    const bool full = layout == WW_LAYOUT_FULL;
    const uint64_t elements = full ? n * n : n * (n - 1) / 2;
    WWI_TRY(prepare_batch(p, layout));
    if (!is_half(p))
        return wwi_runner_run(p->runner, p->whole, out, WW_RESULTS_STRIDED);
    WWI_TRY(wwi_buffer_fill_u32(out, 0, elements * wwi_precision_bytes(p->pair.rows->precision), 0));
    WWI_TRY(wwi_runner_run(p->runner, p->whole, out, full ? WW_RESULTS_MIRRORED : WW_RESULTS_CONDENSED));
    return full ? wwi_runner_run(p->runner, p->diagonal, out, WW_RESULTS_STRIDED) : WW_OK;
}

// Whether one batch is enough. In the kernels the half of a set has the same numbering as its square.
static bool is_one_batch(const ww_plan *p, ww_layout layout, uint64_t elements) {
    const uint64_t n = p->pair.rows->count;
    if (layout == WW_LAYOUT_FULL)
        return wwi_plan_is_one_batch(p, elements);
    return p->symmetric && wwi_plan_is_one_batch(p, elements) && n * n <= 0x7fffffff;
}

static ww_status run_to_host(ww_plan *p, void *values, ww_layout layout, uint64_t elements) {
    const uint64_t bytes = elements * wwi_precision_bytes(p->pair.rows->precision);
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, bytes));
    WWI_TRY(enqueue_batch(p, layout, p->out));
    WWI_TRY(wwi_plan_fetch(p, p->out, elements, values));
    if (p->self && p->zero_on_self && layout == WW_LAYOUT_FULL)
        wwi_zero_diagonal(p, 0, p->pair.rows->count, 0, p->pair.columns->count, values);
    return WW_OK;
}

// The full layout, by way of one whose rows follow one another: what is between the caller's rows is not touched.
static ww_status run_to_rows(ww_plan *p, wwi_square *whole, uint64_t elements) {
    const uint64_t bytes = elements * wwi_precision_bytes(p->pair.rows->precision);
    unsigned char *values = malloc(bytes);
    ww_status status = values ? run_to_host(p, values, WW_LAYOUT_FULL, elements) : wwi_fail_memory(bytes);
    if (status == WW_OK)
        status = wwi_to_matrix(p, whole, 0, p->pair.rows->count, 0, p->pair.columns->count, values);
    free(values);
    return status;
}

// ---- the job

static ww_status prepare_first(ww_plan *p) {
    return is_one_batch(p, WW_LAYOUT_FULL, (uint64_t)p->pair.rows->count * p->pair.columns->count)
               ? prepare_batch(p, WW_LAYOUT_FULL)
               : compile_block(p);
}

ww_status ww_plan_create_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                const ww_plan_options *options, ww_plan **plan) {
    ww_plan *p;
    if (!plan)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "plan is NULL");
    *plan = NULL;
    ww_status status;
    WWI_TRY(wwi_plan_create(&wwi_matrix_job, measure, rows, columns, options, &p));
    if ((status = wwi_plan_count_cells(p, &p->square_cells)) != WW_OK || (status = prepare_first(p)) != WW_OK) {
        ww_plan_destroy(&p);
        return status;
    }
    const uint64_t n = p->pair.rows->count, diagonal = p->self ? wwi_plan_diagonal_cells(p) : 0;
    p->info.pairs = n * p->pair.columns->count;
    p->info.cells = p->square_cells;
    if (is_half(p)) {
        p->info.pairs = n * (n - 1) / 2 + (p->zero_on_self ? 0 : n);
        p->info.cells = half_cells(p) + (p->zero_on_self ? 0 : diagonal);
    } else if (p->self && p->zero_on_self) {
        p->info.pairs -= n;
        p->info.cells -= diagonal;
    }
    p->info.engine = wwi_runner_engine(p->runner);
    *plan = p;
    return WW_OK;
}

static ww_status matrix_result(const ww_plan *p, ww_layout layout, wwi_result *result) {
    const uint64_t n = p->pair.rows->count;
    if (layout != WW_LAYOUT_FULL && layout != WW_LAYOUT_CONDENSED)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "output.layout is %d", (int)layout);
    if (layout == WW_LAYOUT_CONDENSED && !p->self)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a condensed matrix is of one set with itself");
    const bool full = layout == WW_LAYOUT_FULL;
    *result = (wwi_result){"matrix", full ? n : 1, full ? p->pair.columns->count : n * (n - 1) / 2,
                           wwi_precision_bytes(p->pair.rows->precision), full};
    return WW_OK;
}

static ww_status refuse_device(void) {
    wwi_fail(WW_ERROR_UNSUPPORTED, "the series or the result are more than one block on the device");
    return wwi_fail_hint("run the plan into host memory, which works block by block");
}

static ww_status matrix_run(ww_plan *p, const ww_output *to, wwi_buffer *device) {
    ww_status status;
    uint64_t cells = 0;
    wwi_result result;
    const bool full = to->layout == WW_LAYOUT_FULL;
    const uint64_t diagonal = is_half(p) && full && !p->zero_on_self ? wwi_plan_diagonal_cells(p) : 0;
    if ((status = matrix_result(p, to->layout, &result)) != WW_OK || result.columns == 0)
        return status;
    const uint64_t elements = result.rows * result.columns;
    wwi_square whole = {to->host, to->row_stride ? to->row_stride : result.columns, 0, 0};
    const bool on_device =
        !p->pair.rows->host && !p->pair.columns->host && elements <= 0x7fffffff &&
        (full || (p->symmetric && (uint64_t)p->pair.rows->count * p->pair.rows->count <= 0x7fffffff));
    if (device && !on_device)
        return refuse_device();
    if (device || is_one_batch(p, to->layout, elements)) {
        wwi_plan_expect(p, is_half(p) ? half_cells(p) + diagonal : p->square_cells);
        status = device           ? wwi_plan_to_device(p, to, device, &result, enqueue_batch)
                 : to->row_stride ? run_to_rows(p, &whole, elements)
                                  : run_to_host(p, to->host, to->layout, elements);
    } else {
        const wwi_blocks blocks = {.row_end = p->pair.rows->count,
                                   .column_end = p->pair.columns->count,
                                   .upper = !full || is_half(p),
                                   .deliver = !full        ? to_condensed
                                              : is_half(p) ? to_mirror
                                                           : wwi_to_matrix,
                                   .target = full ? (void *)&whole : to->host};
        WWI_TRY(wwi_blocks_cells(p, &blocks, &cells));
        wwi_plan_expect(p, cells);
        status = wwi_blocks_run(p, &blocks);
    }
    if (status == WW_OK)
        p->info.cells_done = full || p->zero_on_self ? p->info.cells : p->info.cells - wwi_plan_diagonal_cells(p);
    return status;
}

// Runs block by block; `done`: the cells that were asked for.
static ww_status run_blocks(ww_plan *plan, const wwi_blocks *blocks, uint64_t done) {
    uint64_t cells = 0;
    WWI_TRY(wwi_blocks_cells(plan, blocks, &cells));
    wwi_plan_start(plan);
    wwi_plan_expect(plan, cells);
    const ww_status status = wwi_blocks_run(plan, blocks);
    if (status == WW_OK)
        plan->info.cells_done = done;
    return wwi_plan_end(plan, status);
}

static ww_status check_job(const ww_plan *plan, const char *function) {
    if (plan->job == &wwi_matrix_job)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the plan is for another job", function);
    return wwi_fail_hint("run a plan with the function its job has");
}

ww_status ww_plan_run_blocks(ww_plan *plan, ww_block_fn block, void *user) {
    callback c = {block, user};
    if (!plan || !block)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the plan or the block function is NULL");
    const ww_status status = check_job(plan, "ww_plan_run_blocks");
    const wwi_blocks blocks = {.row_end = plan->pair.rows->count,
                               .column_end = plan->pair.columns->count,
                               .whole_rows = true,
                               .deliver = to_callback,
                               .target = &c};
    return status == WW_OK ? run_blocks(plan, &blocks, plan->info.cells) : status;
}

ww_status ww_plan_run_condensed_blocks(ww_plan *plan, ww_condensed_fn values, void *user) {
    condensed_callback c = {values, user};
    wwi_result result = {0};
    if (!plan || !values)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the plan or the function is NULL");
    ww_status status = check_job(plan, "ww_plan_run_condensed_blocks");
    if (status == WW_OK)
        status = matrix_result(plan, WW_LAYOUT_CONDENSED, &result);
    if (status != WW_OK || result.columns == 0)
        return status;
    const wwi_blocks blocks = {.row_end = plan->pair.rows->count,
                               .column_end = plan->pair.columns->count,
                               .upper = true,
                               .whole_rows = true,
                               .deliver = to_condensed_callback,
                               .target = &c};
    return run_blocks(plan, &blocks,
                      plan->zero_on_self ? plan->info.cells : plan->info.cells - wwi_plan_diagonal_cells(plan));
}

static ww_status matrix_prepare(ww_plan *p) {
    const uint64_t n = p->pair.rows->count, half = n * (n - 1) / 2;
    uint64_t elements = n * p->pair.columns->count;
    if (!is_one_batch(p, WW_LAYOUT_FULL, elements)) {
        if (!is_half(p) || !is_one_batch(p, WW_LAYOUT_CONDENSED, half))
            return WW_OK; // what a block needs was compiled when the plan was made
        elements = half;
    }
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, elements * wwi_precision_bytes(p->pair.rows->precision)));
    return prepare_batch(p, WW_LAYOUT_FULL);
}

static void matrix_destroy(ww_plan *p) {
    (void)p;
}

const wwi_job_class wwi_matrix_job = {matrix_result, matrix_run, matrix_prepare, matrix_destroy};
