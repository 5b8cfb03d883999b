// SPDX-License-Identifier: Apache-2.0
// The job `nearest`: blocks of distances on the device, of which only each row's k smallest leave it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "select.h"

struct wwi_nearest {
    wwi_selector *selector;
    uint32_t k; // of the selection: not more than there are columns
    wwi_buffer *best_values, *best_indices;
};

void wwi_nearest_destroy(struct wwi_nearest **nearest) {
    if (!nearest || !*nearest)
        return;
    struct wwi_nearest *n = *nearest;
    *nearest = NULL;
    wwi_selector_destroy(&n->selector);
    wwi_buffer_destroy(&n->best_values);
    wwi_buffer_destroy(&n->best_indices);
    free(n);
}

// Rows and columns of the block that begins at (row, column): whole rows where they fit.
static void block_shape(const ww_plan *p, size_t row, size_t column, size_t *rows, size_t *columns) {
    const uint64_t room = wwi_plan_room(p) / wwi_precision_bytes(p->rows->precision);
    const uint64_t most = room < 1 ? 1 : room > 0x7fffffff ? 0x7fffffff : room;
    *rows = wwi_dataset_window_limit(p->rows, row, 0);
    *columns = wwi_dataset_window_limit(p->columns, column, 0);
    if (*columns > most)
        *columns = (size_t)most;
    // Every block of a row of blocks has the rows of its first.
    const uint64_t widest = p->columns->count < most ? p->columns->count : most;
    if (*rows > most / widest)
        *rows = (size_t)(most / widest);
}

static ww_status make(ww_plan *p, size_t k) {
    ww_status status;
    size_t rows, columns;
    p->nearest = calloc(1, sizeof *p->nearest);
    if (!p->nearest)
        return wwi_fail_memory(sizeof *p->nearest);
    struct wwi_nearest *n = p->nearest;
    p->k = k;
    n->k = (uint32_t)(k < p->columns->count ? k : p->columns->count);
    block_shape(p, 0, 0, &rows, &columns);
    if ((status = wwi_selector_create(p->context, p->rows->precision, n->k, &n->selector)) != WW_OK ||
        (status = wwi_buffer_create(p->context, rows * n->k * wwi_precision_bytes(p->rows->precision),
                                    &n->best_values)) != WW_OK ||
        (status = wwi_buffer_create(p->context, rows * n->k * sizeof(uint32_t), &n->best_indices)) != WW_OK)
        return status;
    status = wwi_plan_ensure_out(p, (uint64_t)rows * columns * wwi_precision_bytes(p->rows->precision));
    return status == WW_OK ? wwi_plan_prepare(p, 0, rows, 0, columns) : status;
}

ww_status ww_plan_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                          const ww_plan_options *options, ww_plan **plan) {
    ww_plan *p;
    uint64_t cells = 0, bytes;
    if (!plan)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "plan is NULL");
    *plan = NULL;
    if (k == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is 0; ask for at least one neighbour");
    ww_status status = wwi_plan_create(WWI_NEAREST, measure, queries, base, options, &p);
    if (status != WW_OK)
        return status;
    if (!wwi_mul_u64(p->rows->count, k, &bytes) || !wwi_mul_u64(bytes, 8, &bytes))
        status =
            wwi_fail(WW_ERROR_OVERFLOW, "%zu neighbours of %zu series are more than 64 bits count", k, p->rows->count);
    if (status != WW_OK || (status = wwi_plan_count_cells(p, &cells)) != WW_OK || (status = make(p, k)) != WW_OK) {
        ww_plan_destroy(&p);
        return status;
    }
    // The runner counts whole rectangles, a series' distance to itself included.
    p->all_cells = cells;
    p->info.cells = cells;
    p->info.pairs = (uint64_t)p->rows->count * p->columns->count;
    if (p->self) {
        p->info.cells -= wwi_plan_diagonal_cells(p);
        p->info.pairs -= p->rows->count;
    }
    p->info.engine = wwi_runner_engine(p->runner);
    *plan = p;
    return WW_OK;
}

// The best of `rows` rows to the caller's arrays.
static ww_status deliver(ww_plan *p, size_t row, size_t rows, int64_t *indices, unsigned char *distances) {
    ww_status status;
    const struct wwi_nearest *n = p->nearest;
    const size_t size = wwi_precision_bytes(p->rows->precision), missing = p->k - n->k;
    uint32_t *found = malloc(rows * n->k * sizeof *found);
    unsigned char *values = malloc(rows * n->k * size);
    const float none_float = INFINITY;
    const double none_double = (double)INFINITY;
    const void *none = p->rows->precision == WW_DOUBLE ? (const void *)&none_double : &none_float;
    if (!found || !values) {
        status = wwi_fail_memory(rows * n->k * (sizeof *found + size));
        goto done;
    }
    if ((status = wwi_buffer_read(n->best_indices, 0, rows * n->k * sizeof *found, found)) != WW_OK ||
        (status = wwi_buffer_read(n->best_values, 0, rows * n->k * size, values)) != WW_OK)
        goto done;
    for (size_t i = 0; i < rows; i++) {
        int64_t *to = indices + (row + i) * p->k;
        for (size_t s = 0; s < p->k; s++) {
            const uint32_t index = s < n->k ? found[i * n->k + s] : WWI_NOBODY;
            to[s] = index == WWI_NOBODY ? -1 : (int64_t)index;
        }
        if (!distances)
            continue;
        unsigned char *at = distances + (row + i) * p->k * size;
        memcpy(at, values + i * n->k * size, n->k * size);
        for (size_t s = 0; s < missing; s++)
            memcpy(at + (n->k + s) * size, none, size);
    }
done:
    free(found);
    free(values);
    return status;
}

// Rows [row, row+rows): all their distances, block by block.
static ww_status run_rows(ww_plan *p, size_t row, size_t rows) {
    ww_status status;
    struct wwi_nearest *n = p->nearest;
    for (size_t column = 0, columns; column < p->columns->count; column += columns) {
        size_t unused;
        block_shape(p, row, column, &unused, &columns);
        if (columns > p->columns->count - column)
            columns = p->columns->count - column;
        if ((status = wwi_plan_rectangle(p, row, rows, column, columns)) != WW_OK)
            return status;
        const wwi_selection selection = {
            .values = p->out,
            .row_stride = columns,
            .rows = rows,
            .columns = (uint32_t)columns,
            .column_base = (uint32_t)column,
            .leave_own = p->self,
            .own_base = (uint32_t)row,
            .fresh = column == 0,
            .best_values = n->best_values,
            .best_indices = n->best_indices,
        };
        if ((status = wwi_select(n->selector, &selection)) != WW_OK)
            return status;
    }
    return WW_OK;
}

ww_status ww_plan_run_nearest(ww_plan *plan, int64_t *indices, void *distances) {
    ww_status status = WW_OK;
    if (!plan || !indices)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_plan_run_nearest: the plan or the indices are NULL");
    if (plan->kind != WWI_NEAREST) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_plan_run_nearest: the plan is for another job");
        return wwi_fail_hint("run a plan with the function its job has");
    }
    wwi_plan_start(plan);
    plan->info.cells_done = 0;
    const size_t most = (size_t)(wwi_buffer_bytes(plan->nearest->best_indices) / sizeof(uint32_t) / plan->nearest->k);
    for (size_t row = 0, rows; status == WW_OK && row < plan->rows->count; row += rows) {
        size_t unused;
        block_shape(plan, row, 0, &rows, &unused);
        if (rows > most)
            rows = most;
        status = run_rows(plan, row, rows);
        if (status == WW_OK)
            status = deliver(plan, row, rows, indices, distances);
    }
    if (status == WW_OK)
        plan->info.cells_done = plan->info.cells;
    return wwi_plan_finish(plan, status);
}
