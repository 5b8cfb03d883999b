// SPDX-License-Identifier: Apache-2.0
// Engine packed: a vector lane a pair, packs from a counter (kernels_cl/engine/packed.cl); on GPUs a work-item a pair
// (packed_items.h).
#include "engine/batch.h"
#include "engine/packed_items.h"
#include "engine/packed_product.h"
#include "engine/tiling.h"

static const wwi_form form = {.engine = "packed",
                              .kernel = "ww_packed",
                              .interleave = "ww_interleave",
                              .texts = {"engine/interleave.cl", "engine/packed_block.cl", "engine/packed.cl"}};
// A pack of a list is interleaved by the work-item that computes it.
static const wwi_form lists = {.engine = "packed",
                               .kernel = "ww_packed",
                               .texts = {"engine/interleave.cl", "engine/packed_block.cl", "engine/packed.cl"}};

#define SUMMED_ROWS 8 // that share a column's channels

static bool wants_exchange(const wwi_runner *r, const wwi_work *w) {
    if (wwi_packed_items(r))
        return wwi_packed_items_exchange(w);
    if (wwi_packed_product(r))
        return wwi_packed_product_exchange(w);
    return !w->b.list && w->b.columns < (size_t)r->vector && w->b.rows > w->b.columns;
}

static ww_status takes(wwi_runner *r, wwi_work *w, wwi_refusal *refusal) {
    if (wwi_context_loses_arrays(r->of.context))
        return wwi_refuse(refusal, "this driver computes it wrongly", 0);
    if (wwi_packed_items(r))
        return wwi_work_bands(r, w, NULL, NULL);
    if (wwi_packed_product(r) && !w->b.list)
        return wwi_packed_product_takes(r, w);
    if (!wwi_can_vector(r))
        return wwi_refuse(refusal, "too many channels", VECTOR_CHANNELS);
    return wwi_work_bands(r, w, NULL, NULL);
}

static ww_status run(wwi_runner *r, wwi_work *w) {
    wwi_variant *v;
    const wwi_batch *b = &w->b;
    const uint32_t vector = (uint32_t)r->vector;
    const uint64_t value_bytes = wwi_runner_value_bytes(r);
    const wwi_packing packing = {vector, 1, r->of.channels + r->of.extra, 1, 0, value_bytes, 0};
    if (wwi_packed_items(r))
        return wwi_packed_items_run(r, w);
    if (wwi_packed_product(r) && !b->list)
        return wwi_packed_product_run(r, w);
    wwi_variant_key key = wwi_work_key(r, w, b->list ? &lists : &form);
    key.vector = r->vector;
    key.registers = 1;
    key.summed = r->summed;
    key.rows = r->summed             ? SUMMED_ROWS
               : r->of.channels == 1 ? (uint32_t)wwi_tuned(r, "packed.rows", 8)
               : r->of.channels <= 4 ? 4
                                     : 2;
    // A sum over channels must not be abandoned because of one of them.
    key.abandon = b->list && b->radii && r->of.passes == 1 && !r->of.open && !r->of.soft &&
                  (r->of.row->flags & WWI_MEASURE_MONOTONE);
    WWI_TRY(wwi_runner_variant(r, key, &v));
    if (!b->list)
        WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_COLUMN, packing));
    const uint32_t packs = (uint32_t)wwi_ceil_div(b->list ? b->rows : b->columns, vector);
    const uint64_t workers = wwi_compute_units(r->of.context) * (r->gpu ? 64 : 2);
    w->args.scratch = w->m + (b->list ? (w->n + w->m) * packing.values : 0);
    if (key.abandon && !r->abandoned) {
        WWI_TRY(wwi_grow_buffer(r->of.context, &r->abandoned, 4));
        WWI_TRY(wwi_buffer_fill_u32(r->abandoned, 0, 4, 0));
    }
    wwi_arg more[PACKS_MORE] = {WWI_BUFFER(b->radii), WWI_VALUE(b->radius_results), WWI_VALUE(b->radius_k),
                                WWI_BUFFER(r->abandoned)};
    size_t more_count = key.abandon ? PACKS_MORE - 1 : 0;
    if (r->summed)
        more[more_count++] = WWI_VALUE(r->of.channels);
    return wwi_packs_launch(r, w, v,
                            (wwi_packs){.packs = packs,
                                        .units = wwi_share_out(r, w, packs, workers),
                                        .workers = workers,
                                        .scratch_bytes = (uint64_t)w->args.scratch * vector * value_bytes,
                                        .more = more,
                                        .more_count = more_count});
}

const wwi_engine wwi_packed = {"packed", 4, 1, wants_exchange, takes, run};
