// SPDX-License-Identifier: Apache-2.0
// Engine packed on GPUs, of points of many channels: how a rectangle is cut and launched.
#include "engine/packed_product.h"

#include "engine/batch.h"
#include "engine/cost_table.h"
#include "engine/tiling.h"

#define ACROSS 8  // column series of a work-group
#define GROUP 128 // and 16 row series
#define SIDE 8    // rows and columns of a block: as many costs as registers hold
#define SIDE_DOUBLE 4
#define RESIDENT 4 // work-groups of a compute unit at once, by registers
#define ENOUGH 256 // pairs a compute unit: of fewer a table of costs is faster

static const wwi_form form = {
    .engine = "packed",
    .kernel = "ww_packed_product",
    .interleave = "ww_product_pack",
    .texts = {"engine/items_pack.cl", "engine/walk.cl", "engine/cost_sum.cl", "engine/packed_product.cl"},
    .exchanges = true, // it does not, but a vendor's own forms of instructions are there with it
    .copies_ahead = true,
    .pack = ACROSS};

bool wwi_packed_product(const wwi_runner *r) {
    return wwi_by_items(r) && wwi_has_tables(&r->of, REGISTER_CHANNELS);
}

bool wwi_packed_product_pays(const wwi_runner *r, bool list, size_t rows, size_t columns) {
    return !list && wwi_packed_product(r) && rows >= ACROSS && columns >= ACROSS &&
           (uint64_t)rows * columns >= wwi_compute_units(r->of.context) * ENOUGH;
}

// More row series than column series are side by side.
bool wwi_packed_product_exchange(const wwi_work *w) {
    const size_t rows = w->b.rows - w->b.row_begin;
    return !w->b.list && rows < GROUP / ACROSS && w->b.columns > rows;
}

// A batch is cut where the copies of its series, which lie in the order of the kernel, would need too much memory.
ww_status wwi_packed_product_takes(wwi_runner *r, wwi_work *w) {
    const uint64_t rows = w->b.rows - w->b.row_begin, columns = w->b.columns, side = SIDE + r->of.channels;
    const uint64_t values = r->of.channels * (w->n * (rows + GROUP / ACROSS) + w->m * (columns + ACROSS)) + side;
    const uint64_t budget = r->options.max_bytes ? r->options.max_bytes / 4 : wwi_context_bytes_free(r->of.context) / 8;
    w->too_large =
        w->pairs > 1 && values * wwi_runner_value_bytes(r) > wwi_least(budget, wwi_context_max_buffer(r->of.context));
    return wwi_work_bands(r, w, NULL, NULL);
}

ww_status wwi_packed_product_run(wwi_runner *r, wwi_work *w) {
    wwi_variant *v;
    const wwi_batch *b = &w->b;
    const uint64_t value_bytes = wwi_runner_value_bytes(r);
    wwi_variant_key key = wwi_work_key(r, w, &form);
    key.rows = key.columns = r->of.precision == WW_DOUBLE ? SIDE_DOUBLE : SIDE;
    key.group = GROUP;
    key.tabled = true; // its costs are known where the recurrence begins
    WWI_TRY(wwi_runner_variant(r, key, &v));
    const wwi_packing down = {GROUP / ACROSS, 1, r->of.channels, GROUP, key.rows, value_bytes, 0};
    const wwi_packing across = {ACROSS, key.columns, key.columns * r->of.channels, GROUP, 0, value_bytes, 0};
    WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_ROW, down));
    WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_COLUMN, across));
    w->args.scratch = (uint32_t)wwi_ceil_div(w->n, key.rows) * key.rows;
    const uint64_t group_bytes = (uint64_t)w->args.scratch * GROUP * value_bytes;
    const uint64_t budget = r->options.max_bytes ? r->options.max_bytes : wwi_context_bytes_free(r->of.context) / 4;
    const uint64_t fitting = wwi_least(budget, wwi_context_max_buffer(r->of.context)) / group_bytes;
    const uint64_t wanted = wwi_compute_units(r->of.context) * RESIDENT;
    const uint64_t workers = fitting ? wwi_least(fitting, wanted) : 1;
    WWI_TRY(wwi_grow_buffer(r->of.context, &r->scratch, workers * group_bytes));
    WWI_TRY(wwi_grow_buffer(r->of.context, &r->counter, 4));
    const uint64_t tiles = wwi_ceil_div(b->rows - b->row_begin, GROUP / ACROSS) * wwi_ceil_div(b->columns, ACROSS);
    wwi_units u = wwi_units_of(r, w, tiles, w->cells);
    u.fill = workers;
    while (wwi_units_next(&u)) {
        const uint32_t end = (uint32_t)(u.at + u.take);
        const wwi_arg more[] = {WWI_BUFFER(w->uploads.packed[WWI_SIDE_ROW]),
                                WWI_BUFFER(w->uploads.offsets[WWI_SIDE_ROW]),
                                WWI_BUFFER(w->uploads.packed[WWI_SIDE_COLUMN]),
                                WWI_BUFFER(w->uploads.offsets[WWI_SIDE_COLUMN]),
                                WWI_BUFFER(r->scratch),
                                WWI_BUFFER(r->counter),
                                WWI_VALUE(end),
                                WWI_VALUE(r->of.channels)};
        WWI_TRY(wwi_buffer_fill_u32(r->counter, 0, 4, r->preparing ? end : (uint32_t)u.at));
        WWI_TRY(wwi_units_launch(&u, v, wwi_least(u.take, workers), more, sizeof more / sizeof *more));
    }
    return WW_OK;
}
