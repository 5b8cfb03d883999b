// SPDX-License-Identifier: Apache-2.0
// Engine bits: a bit a cell, in lanes, in strips or, on a CPU, a vector lane a pair (kernels_cl/engine/bits*.cl).
#include "engine/batch.h"
#include "engine/lanes.h"
#include "engine/strips.h"
#include "engine/tiling.h"

#define TEXTS(last)                                                                                                    \
    { "engine/handover.cl", "engine/bits_walk.cl", last }
static const wwi_form lanes = {
    .engine = "bits", .kernel = "ww_bits", .texts = TEXTS("engine/bits.cl"), .exchanges = true, .is_bits = true};
static const wwi_form strips = {.engine = "bits",
                                .kernel = "ww_bits_strips",
                                .texts = TEXTS("engine/bits_strips.cl"),
                                .exchanges = true,
                                .is_bits = true,
                                .own_rows = true};
static const wwi_form vector_strips = {.engine = "bits",
                                       .kernel = "ww_bits_strips",
                                       .texts = TEXTS("engine/bits_strips_vector.cl"),
                                       .is_bits = true,
                                       .own_rows = true};
static const wwi_form packs = {.engine = "bits",
                               .kernel = "ww_bits_packed",
                               .interleave = "ww_interleave_bits",
                               .texts = TEXTS("engine/bits_packed.cl"),
                               .is_bits = true};

static bool wants_exchange(const wwi_runner *r, const wwi_work *w) {
    if (wwi_vector_bits(r))
        return !w->b.list && w->b.columns < BITS_VECTOR && w->b.rows - w->b.row_begin > w->b.columns;
    return w->m > wwi_bits_limit(r) ? w->n < w->m : wwi_lanes_few(w, wwi_bits_limit(r));
}

static ww_status takes(wwi_runner *r, wwi_work *w, wwi_refusal *refusal) {
    if (!r->bits)
        return wwi_refuse(refusal, r->no_bits, 0);
    w->is_bits = true;
    const wwi_bit_planes *p = r->planes;
    if (p) {
        w->args_bytes = offsetof(ww_launch_args, parameters); // no recurrence
        const wwi_slice rows = {.values = p->row_planes, .series = p->row_series},
                        columns = {.values = p->column_planes, .series = p->column_series};
        w->x = w->sides.rows == r->rows ? rows : columns;
        w->y = w->sides.columns == r->rows ? rows : columns;
    }
    return WW_OK;
}

// Whether pairs are cut in strips: where they are too long for the lanes, or too few for the device.
static bool in_strips(const wwi_runner *r, const wwi_work *w) {
    if (wwi_vector_bits(r))
        return (w->b.list ? w->b.rows : w->b.columns) * 2 <= BITS_VECTOR && w->n >= 1024 && w->m >= 1024;
    return w->m > wwi_bits_limit(r) || (w->pairs < wwi_compute_units(r->of.context) && w->m >= 1024 && w->n >= 4096);
}

static ww_status run_packs(wwi_runner *r, wwi_work *w) {
    wwi_variant *v;
    const wwi_batch *b = &w->b;
    const wwi_packing packing = {BITS_VECTOR, 32, r->planes->bits, 1, 0, 4, 0};
    wwi_variant_key key = wwi_work_key(r, w, &packs);
    key.vector = BITS_VECTOR;
    key.rows = BITS_ROWS;
    key.columns = (uint32_t)wwi_least(BITS_WORDS, wwi_ceil_div(w->m, 32));
    WWI_TRY(wwi_runner_variant(r, key, &v));
    WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_COLUMN, packing));
    if (b->list)
        WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_ROW, packing));
    const uint32_t pack_count = (uint32_t)wwi_ceil_div(b->list ? b->rows : b->columns, BITS_VECTOR);
    const uint64_t workers = wwi_compute_units(r->of.context) * 2;
    w->args.scratch = (uint32_t)wwi_ceil_div(w->n, key.rows);
    return wwi_packs_launch(r, w, v,
                            (wwi_packs){.packs = pack_count,
                                        .units = wwi_share_out(r, w, pack_count, workers),
                                        .workers = workers,
                                        .scratch_bytes = (uint64_t)w->args.scratch * BITS_VECTOR * 4});
}

static ww_status run(wwi_runner *r, wwi_work *w) {
    const bool vector = wwi_vector_bits(r);
    if (in_strips(r, w))
        return wwi_strips_run(r, w, vector ? &vector_strips : &strips, wwi_bits_strips_tiling(r, w->pairs, w->m),
                              vector ? BITS_VECTOR : 1);
    return vector ? run_packs(r, w) : wwi_lanes_run(r, w, &lanes, wwi_bits_tiling);
}

const wwi_engine wwi_bits = {"bits", 10, 10, wants_exchange, takes, run};
