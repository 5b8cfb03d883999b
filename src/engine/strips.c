// SPDX-License-Identifier: Apache-2.0
// Engine strips: the matrix divided into strips that follow each other (kernels_cl/engine/strips.cl, strips_vector.cl).
#include "engine/strips.h"

#include "engine/batch.h"
#include "engine/tiling.h"

static const wwi_form groups = {.engine = "strips",
                                .kernel = "ww_strips",
                                .texts = {"engine/walk.cl", "engine/handover.cl", "engine/strips.cl"},
                                .exchanges = true};
static const wwi_form vectors = {.engine = "strips",
                                 .kernel = "ww_strips",
                                 .texts = {"engine/walk.cl", "engine/handover.cl", "engine/strips_vector.cl"}};

static bool wants_exchange(const wwi_runner *r, const wwi_work *w) {
    (void)r;
    // Few rows make short pipelines.
    return w->n < w->m;
}

static ww_status takes(wwi_runner *r, wwi_work *w, wwi_refusal *refusal) {
    (void)refusal;
    w->tiling = wwi_strips_tiling(r, w->pairs, w->m);
    return wwi_work_bands(r, w, NULL, NULL);
}

// Whether a work-group computes a whole pair. Then nothing has to be cleared before the launch: nobody else writes the
// pair's edges, and there is no order of strips to keep. One thread of a CPU computes a short pair about as fast as two
// that wait for each other.
static bool is_whole(const wwi_runner *r, const wwi_work *w, bool vector, uint32_t strips, uint64_t pairs) {
    if (w->is_bits || r->preparing)
        return false;
    return strips == 1 ||
           (vector && (pairs >= wwi_compute_units(r->of.context) ||
                       (uint64_t)w->n * w->m < (uint64_t)wwi_forced(r->of.context, "form.whole", 1 << 18, 1 << 18)));
}

ww_status wwi_strips_run(wwi_runner *r, wwi_work *w, const wwi_form *form, wwi_tiling tiling, uint32_t vector) {
    wwi_variant *v;
    ww_launch_args *a = &w->args;
    wwi_variant_key key = wwi_work_key(r, w, form);
    key.vector = (int)vector;
    key.registers = vector > 1 || wwi_points_in_registers(r);
    key.columns = tiling.columns;
    key.rows = tiling.rows;
    key.group = vector > 1 ? 1 : tiling.width;
    WWI_TRY(wwi_runner_variant(r, key, &v));
    const uint64_t strip_columns = (uint64_t)tiling.columns * tiling.width * (w->is_bits ? 32 : 1);
    const uint32_t strips = (uint32_t)wwi_ceil_div(w->m, strip_columns);
    const uint64_t row_steps = wwi_ceil_div(w->n, tiling.rows);
    a->scratch = (uint32_t)(w->is_bits ? row_steps + 1 : row_steps * tiling.rows + r->of.open);
    const uint64_t pair_bytes = a->scratch * (w->is_bits ? 8 : 2 * wwi_runner_value_bytes(r));
    const uint64_t budget = r->options.max_bytes ? r->options.max_bytes : wwi_context_bytes_free(r->of.context) / 4;
    const uint64_t fitting = budget / pair_bytes, at_once = fitting < 1 ? 1 : fitting > 1u << 20 ? 1u << 20 : fitting;
    wwi_units pairs = wwi_units_of(r, w, w->pairs, w->cells);
    while (wwi_units_next(&pairs)) {
        const uint64_t take = wwi_least(pairs.take, at_once);
        WWI_TRY(wwi_grow_buffer(r->of.context, &r->edges, take * pair_bytes));
        WWI_TRY(wwi_grow_buffer(r->of.context, &r->counter, 4));
        a->unit_begin = (uint32_t)pairs.at;
        pairs.at += take;
        // Several pairs take all their strips in one launch; a pair alone may need several launches.
        wwi_units u = wwi_units_of(r, w, strips, pairs.cells_each * (double)take);
        u.more = pairs.at < pairs.units;
        while (wwi_units_next(&u)) {
            u.take = take > 1 ? strips : u.take;
            const bool whole = u.take == strips && is_whole(r, w, vector > 1, strips, take);
            a->flags = whole ? a->flags | WW_LAUNCH_WHOLE : a->flags & ~WW_LAUNCH_WHOLE;
            a->strip_begin = r->preparing ? strips : (uint32_t)u.at; // past the last one
            a->strip_end = a->strip_begin + (uint32_t)u.take;
            if (!whole && u.at == 0)
                WWI_TRY(wwi_buffer_fill_u32(r->edges, 0, take * pair_bytes, 0));
            if (!whole)
                WWI_TRY(wwi_buffer_fill_u32(r->counter, 0, 4, 0));
            WWI_TRY(wwi_units_launch(&u, v, whole ? take : take * u.take,
                                     WWI_ARGS(WWI_BUFFER(r->edges), WWI_BUFFER(r->counter))));
            if (r->preparing)
                return WW_OK;
        }
    }
    return WW_OK;
}

static ww_status run(wwi_runner *r, wwi_work *w) {
    const bool vector = wwi_vector_strips(r);
    return wwi_strips_run(r, w, vector ? &vectors : &groups, w->tiling, vector ? w->tiling.width : 1);
}

const wwi_engine wwi_strips = {"strips", 0.5, 0.5, wants_exchange, takes, run};
