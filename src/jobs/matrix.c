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
    const uint64_t most = wwi_plan_most_values(p, 1);
    size_t rows = wwi_dataset_slice_limit(p->pair.rows, 0), columns = wwi_dataset_slice_limit(p->pair.columns, 0);
    while ((uint64_t)rows * columns > most)
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
static ww_status to_mirror(ww_plan *p, void *target, wwi_rectangle of, const unsigned char *values) {
    const wwi_square *to = target;
    const size_t size = p->pair.value_bytes;
    wwi_to_matrix(p, target, of, values);
    if (of.row != of.column)
        wwi_transpose(to->values + (of.column * to->stride + of.row) * size, to->stride, values, of.columns, of.rows,
                      of.columns, size);
    return WW_OK;
}

static ww_status to_condensed(ww_plan *p, void *target, wwi_rectangle of, const unsigned char *values) {
    const size_t size = p->pair.value_bytes, n = p->pair.rows->count;
    for (size_t i = of.row; i < of.row + of.rows; i++) {
        const size_t from = of.column > i + 1 ? of.column : i + 1, end = of.column + of.columns;
        if (from < end)
            memcpy((unsigned char *)target + (i * (2 * n - i - 1) / 2 + (from - i - 1)) * size,
                   values + ((i - of.row) * of.columns + (from - of.column)) * size, (end - from) * size);
    }
    return WW_OK;
}

typedef struct callback {
    ww_block_fn call;
    void *user;
} callback;

static ww_status to_callback(ww_plan *p, void *target, wwi_rectangle of, const unsigned char *values) {
    const callback *c = target;
    (void)p;
    if (c->call(c->user, of.row, of.rows, of.column, of.columns, values) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "the block function asked to stop");
    return WW_OK;
}

typedef struct condensed_callback {
    ww_condensed_fn call;
    void *user;
} condensed_callback;

static ww_status to_condensed_callback(ww_plan *p, void *target, wwi_rectangle of, const unsigned char *values) {
    const condensed_callback *c = target;
    const size_t size = p->pair.value_bytes;
    const uint64_t n = p->pair.rows->count;
    for (size_t i = of.row; i < of.row + of.rows; i++) {
        const size_t from = of.column > i + 1 ? of.column : i + 1, end = of.column + of.columns;
        if (from >= end)
            continue;
        const unsigned char *at = values + ((i - of.row) * of.columns + (from - of.column)) * size;
        const uint64_t first = (uint64_t)i * (2 * n - i - 1) / 2 + (from - i - 1), count = end - from;
        WWI_TRY(wwi_plan_check_results(p, at, count));
        if (c->call(c->user, first, count, at) != 0)
            return wwi_fail(WW_ERROR_CANCELLED, "the function that takes the values asked to stop");
    }
    return WW_OK;
}

// ---- one batch

// The half of a set with itself above the diagonal; the layout is a run's.
static ww_status prepare_half(ww_plan *p) {
    wwi_batch b;
    const size_t n = p->pair.rows->count;
    WWI_TRY(wwi_plan_batch(p, wwi_pairing_all(&p->pair), &b));
    b.half = true;
    b.count = (uint32_t)n;
    return wwi_runner_prepare(p->runner, &b, &p->whole);
}

// The diagonal of a set with itself, into the full layout.
static ww_status prepare_diagonal(ww_plan *p) {
    const size_t n = p->pair.rows->count;
    WWI_FREES uint32_t *pairs = NULL;
    WWI_TRY(wwi_new(pairs, n * 3));
    for (size_t i = 0; i < n; i++) {
        pairs[3 * i] = pairs[3 * i + 1] = (uint32_t)i;
        pairs[3 * i + 2] = (uint32_t)(i * n + i);
    }
    return wwi_plan_prepare_list(p, pairs, n, &p->diagonal);
}

// What a run of one batch will need, unless it is there.
static ww_status prepare_batch(ww_plan *p, ww_layout layout) {
    if (!p->whole)
        WWI_TRY(is_half(p) ? prepare_half(p)
                           : wwi_plan_prepare_rectangle(p, p->pair.rows->count, p->pair.columns->count, &p->whole));
    const bool apart = is_half(p) && layout == WW_LAYOUT_FULL && !p->zero_on_self;
    return apart && !p->diagonal ? prepare_diagonal(p) : WW_OK;
}

// Everything into `out`, which is large enough.
static ww_status enqueue_batch(ww_plan *p, ww_layout layout, wwi_buffer *out) {
    const size_t n = p->pair.rows->count;
    const bool full = layout == WW_LAYOUT_FULL;
    const uint64_t elements = full ? n * n : n * (n - 1) / 2;
    WWI_TRY(prepare_batch(p, layout));
    if (!is_half(p))
        return wwi_runner_run(p->runner, p->whole, out, WW_RESULTS_STRIDED);
    WWI_TRY(wwi_buffer_fill_u32(out, 0, elements * p->pair.value_bytes, 0));
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
    const uint64_t bytes = elements * p->pair.value_bytes;
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, bytes));
    WWI_TRY(enqueue_batch(p, layout, p->out));
    WWI_TRY(wwi_plan_fetch(p, p->out, elements, values));
    if (p->self && p->zero_on_self && layout == WW_LAYOUT_FULL)
        wwi_zero_diagonal(p, wwi_pairing_all(&p->pair), values);
    return WW_OK;
}

// The full layout, by way of one whose rows follow one another: what is between the caller's rows is not touched.
static ww_status run_to_rows(ww_plan *p, wwi_square *whole, uint64_t elements) {
    const uint64_t bytes = elements * p->pair.value_bytes;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(values, bytes));
    WWI_TRY(run_to_host(p, values, WW_LAYOUT_FULL, elements));
    return wwi_to_matrix(p, whole, wwi_pairing_all(&p->pair), values);
}

// ---- the job

static ww_status prepare_first(ww_plan *p) {
    return is_one_batch(p, WW_LAYOUT_FULL, (uint64_t)p->pair.rows->count * p->pair.columns->count)
               ? prepare_batch(p, WW_LAYOUT_FULL)
               : compile_block(p);
}

static ww_status create(const wwi_plan_creation *from, ww_dataset *rows, ww_dataset *columns,
                        const ww_plan_options *options, ww_plan **plan) {
    WWI_ENDS(ww_plan_destroy) ww_plan *p = NULL;
    WWI_TRY(wwi_plan_create(&wwi_matrix_job, from->measure, rows, columns, options, &p));
    WWI_TRY(wwi_plan_count_cells(p, &p->square_cells));
    WWI_TRY(prepare_first(p));
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
    *plan = wwi_taken(&p);
    return WW_OK;
}

ww_status ww_plan_create_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                const ww_plan_options *options, ww_plan **plan) {
    wwi_plan_creation from = {.create = create, .measure = measure, .rows = rows, .columns = columns};
    return wwi_plan_spread(&from, options, plan);
}

static ww_status matrix_result(const ww_plan *p, ww_layout layout, wwi_result *result) {
    const uint64_t n = p->pair.rows->count;
    if (layout != WW_LAYOUT_FULL && layout != WW_LAYOUT_CONDENSED)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "output.layout is %d", (int)layout);
    if (layout == WW_LAYOUT_CONDENSED && !p->self)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "only a matrix of one set with itself is condensed");
    if (layout == WW_LAYOUT_CONDENSED && !p->symmetric && !p->options.one_way) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s is not symmetric, so its matrix can't be condensed",
                 ww_measure_info_by_id(p->pair.measure.id)->name);
        return wwi_fail_hint(
            "a condensed matrix has only one of d(x, y) and d(y, x): take WW_LAYOUT_FULL, or set options.one_way");
    }
    const bool full = layout == WW_LAYOUT_FULL;
    *result = (wwi_result){"matrix", full ? n : 1, full ? p->pair.columns->count : n * (n - 1) / 2, p->pair.value_bytes,
                           full};
    return WW_OK;
}

static ww_status refuse_device(void) {
    wwi_fail(WW_ERROR_UNSUPPORTED, "the series or the result are more than one block on the device");
    return wwi_fail_hint("run the plan into host memory, which works block by block");
}

static ww_status matrix_run(ww_plan *p, const ww_output *to, wwi_buffer *device) {
    uint64_t cells;
    wwi_result result;
    const bool full = to->layout == WW_LAYOUT_FULL;
    const uint64_t diagonal = is_half(p) && full && !p->zero_on_self ? wwi_plan_diagonal_cells(p) : 0;
    WWI_TRY(matrix_result(p, to->layout, &result));
    if (result.columns == 0)
        return WW_OK;
    const uint64_t elements = result.rows * result.columns;
    wwi_square whole = {to->host, to->row_stride ? to->row_stride : result.columns, 0, 0};
    const bool on_device =
        !p->pair.rows->host && !p->pair.columns->host && elements <= 0x7fffffff &&
        (full || (p->symmetric && (uint64_t)p->pair.rows->count * p->pair.rows->count <= 0x7fffffff));
    if (device && !on_device)
        return refuse_device();
    if (device || is_one_batch(p, to->layout, elements)) {
        wwi_plan_expect(p, is_half(p) ? half_cells(p) + diagonal : p->square_cells);
        WWI_TRY(device           ? wwi_plan_to_device(p, to, device, &result, enqueue_batch)
                : to->row_stride ? run_to_rows(p, &whole, elements)
                                 : run_to_host(p, to->host, to->layout, elements));
    } else {
        const wwi_blocks blocks = {.all = wwi_pairing_all(&p->pair),
                                   .upper = !full || is_half(p),
                                   .deliver = !full        ? to_condensed
                                              : is_half(p) ? to_mirror
                                                           : wwi_to_matrix,
                                   .target = full ? (void *)&whole : to->host};
        WWI_TRY(wwi_blocks_cells(p, &blocks, &cells));
        wwi_plan_expect(p, cells);
        WWI_TRY(wwi_blocks_run(p, &blocks));
    }
    p->info.cells_done = full || p->zero_on_self ? p->info.cells : p->info.cells - wwi_plan_diagonal_cells(p);
    return WW_OK;
}

// Runs block by block; `done`: the cells that were asked for.
static ww_status run_blocks(ww_plan *plan, const wwi_blocks *blocks, uint64_t done) {
    uint64_t cells;
    WWI_TRY(wwi_blocks_cells(plan, blocks, &cells));
    wwi_plan_start(plan);
    wwi_plan_expect(plan, cells);
    const ww_status status = wwi_blocks_run(plan, blocks);
    if (status == WW_OK)
        plan->info.cells_done = done;
    return wwi_plan_end(plan, status);
}

ww_status wwi_plan_blocks_alone(ww_plan *plan, ww_block_fn block, void *user) {
    callback c = {block, user};
    const wwi_blocks blocks = {
        .all = wwi_pairing_all(&plan->pair), .whole_rows = true, .deliver = to_callback, .target = &c};
    return run_blocks(plan, &blocks, plan->info.cells);
}

ww_status wwi_plan_condensed_alone(ww_plan *plan, ww_condensed_fn values, void *user) {
    condensed_callback c = {values, user};
    const wwi_blocks blocks = {.all = wwi_pairing_all(&plan->pair),
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
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, elements * p->pair.value_bytes));
    return prepare_batch(p, WW_LAYOUT_FULL);
}

const wwi_job_class wwi_matrix_job = {"ww_plan_run", matrix_result, matrix_run, matrix_prepare, NULL};
