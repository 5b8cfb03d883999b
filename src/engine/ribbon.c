// SPDX-License-Identifier: Apache-2.0
// Chooses and launches the kernel that has the whole width of a narrow band in one lane.
#include "engine/ribbon.h"

#include "engine/batch.h"
#include "engine/tiling.h"

static const wwi_form form = {.engine = "lanes",
                              .kernel = "ww_ribbon",
                              .interleave = "ww_interleave",
                              .texts = {"engine/interleave.cl", "engine/ribbon.cl"},
                              .pack = RIBBON_PACK};

uint32_t wwi_ribbon_width(const wwi_runner *r, bool list, bool one_length, uint32_t n, uint32_t m, uint32_t *below) {
    const ww_band *band = &r->of.measure.band;
    if (r->of.open || r->of.soft || list || r->of.channels != 1 || !(r->of.row->flags & WWI_MEASURE_PLAIN) ||
        !(band->width <= 4096))
        return 0;
    const uint32_t width = (uint32_t)band->width;
    const long most = wwi_tuned(r, "lanes.ribbon", r->gpu ? (r->of.precision == WW_DOUBLE ? 32 : 104) : 0);
    uint32_t columns = 0;
    if (band->kind == WW_BAND_SAKOE_CHIBA) {
        *below = width;
        columns = 2 * width + 1;
    } else if (band->kind == WW_BAND_CORNER && one_length) {
        const uint64_t all = 2 * (uint64_t)width + 1 + (n > m ? n - m : m - n);
        *below = width + (n > m ? n - m : 0);
        columns = all <= UINT32_MAX ? (uint32_t)all : 0;
    }
    return (long)columns <= most ? columns : 0;
}

uint32_t wwi_ribbon_columns(const wwi_runner *r, const wwi_work *w, uint32_t *below) {
    return wwi_ribbon_width(r, w->b.list, w->row_ranks == 1 && w->column_ranks == 1, w->n, w->m, below);
}

ww_status wwi_ribbon_run(wwi_runner *r, wwi_work *w) {
    wwi_variant *v;
    const wwi_batch *b = &w->b;
    wwi_variant_key key = wwi_work_key(r, w, &form);
    key.band = 0; // the band is the shape of the ribbon, not a table
    key.columns = w->ribbon;
    key.rows = r->of.precision == WW_FLOAT && w->ribbon <= 32 ? 8 : 4;
    key.group = 64;
    key.below = w->below;
    // Beyond both ends of a series the columns of a row-step go on.
    const wwi_packing packing = {RIBBON_PACK,
                                 1,
                                 r->of.channels + r->of.extra,
                                 RIBBON_PACK,
                                 0,
                                 wwi_runner_value_bytes(r),
                                 w->ribbon + 2 * key.rows};
    WWI_TRY(wwi_runner_variant(r, key, &v));
    WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_COLUMN, packing));
    const uint64_t rows = b->rows - b->row_begin;
    const uint32_t packs = (uint32_t)wwi_ceil_div(b->columns, RIBBON_PACK);
    w->args.rows_per_group = wwi_rows_per_group(r, rows, b->columns, 1, false);
    const uint32_t units = (uint32_t)(packs * wwi_ceil_div(rows, w->args.rows_per_group));
    if (r->preparing)
        w->args.row_end = w->args.row_begin;
    wwi_units u = wwi_units_of(r, w, wwi_ceil_div(units, key.group / RIBBON_PACK), w->cells);
    while (wwi_units_next(&u)) {
        w->args.unit_begin = (uint32_t)u.at;
        WWI_TRY(wwi_units_launch(&u, v, u.take,
                                 WWI_ARGS(WWI_BUFFER(w->uploads.packed[WWI_SIDE_COLUMN]),
                                          WWI_BUFFER(w->uploads.offsets[WWI_SIDE_COLUMN]), WWI_VALUE(packs),
                                          WWI_VALUE(units))));
    }
    return WW_OK;
}
