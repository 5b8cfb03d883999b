// SPDX-License-Identifier: Apache-2.0
// Engine lanes: a group of work-items a pair, each a block of columns (kernels_cl/engine/lanes.cl), or a lane a pair
// for narrow bands (ribbon.h).
#include "engine/lanes.h"

#include <stdlib.h>

#include "base/grow.h"
#include "engine/batch.h"
#include "engine/ribbon.h"
#include "engine/tiling.h"

static const wwi_form form = {
    .engine = "lanes", .kernel = "ww_lanes", .texts = {"engine/walk.cl", "engine/lanes.cl"}, .exchanges = true};

bool wwi_lanes_few(const wwi_work *w, uint32_t limit) {
    return !w->b.list && w->b.rows < 32 && w->b.columns >= 4 * w->b.rows && w->n <= limit;
}

static bool wants_exchange(const wwi_runner *r, const wwi_work *w) {
    const uint32_t limit = wwi_lanes_limit(r);
    uint32_t below;
    // A ribbon takes a pack of column series side by side.
    if (r->of.banded && wwi_ribbon_columns(r, w, &below))
        return w->b.columns < RIBBON_PACK && w->b.rows - w->b.row_begin > w->b.columns;
    return (w->m > limit && w->n <= limit) || wwi_lanes_few(w, limit);
}

// The cut for a banded batch: least work for its longest pair among those that fit all its pairs. columns 0: none fits.
static ww_status banded_tiling(wwi_runner *r, wwi_work *w) {
    const uint32_t most = wwi_lane_columns(r, true);
    wwi_tiling candidates[24];
    double work[24];
    size_t count = 0;
    r->words.count = 0;
    WWI_TRY(wwi_band_table(&r->of.measure.band, w->n, w->m, &r->words));
    for (uint32_t columns = 4; columns <= most && columns <= 32; columns *= 2)
        for (uint32_t width = 1; width <= r->width; width *= 2) {
            const wwi_tiling c = {columns, wwi_lane_rows(r, w->n), width};
            if (!wwi_band_fits(r->words.data, w->n, w->m, c))
                continue;
            // A row-step costs its cells and something for itself.
            candidates[count] = c;
            work[count++] = (double)wwi_band_duration(w->n, w->m, c) * width * (columns * c.rows + 8.0);
            break;
        }
    w->tiling = (wwi_tiling){0, 1, 1};
    while (count) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (work[i] < work[best])
                best = i;
        wwi_tiling c = candidates[best];
        for (; c.width <= r->width; c.width *= 2) {
            bool fits;
            WWI_TRY(wwi_work_bands(r, w, &c, &fits));
            if (w->too_large)
                return WW_OK;
            if (fits) {
                w->tiling = c;
                return WW_OK;
            }
        }
        candidates[best] = candidates[count - 1];
        work[best] = work[--count];
    }
    return WW_OK;
}

static ww_status takes(wwi_runner *r, wwi_work *w, wwi_refusal *refusal) {
    const uint32_t limit = wwi_lanes_limit(r);
    if (!r->of.banded)
        return w->m > limit ? wwi_refuse(refusal, "the series are too long for its lanes", limit) : WW_OK;
    w->ribbon = wwi_ribbon_columns(r, w, &w->below);
    if (w->ribbon)
        return WW_OK;
    WWI_TRY(banded_tiling(r, w));
    return !w->too_large && w->tiling.columns == 0 ? wwi_refuse(refusal, "the band is too wide for its lanes", limit)
                                                   : WW_OK;
}

static ww_status launch(wwi_runner *r, wwi_work *w, const wwi_form *of, wwi_tiling tiling, double cells) {
    wwi_variant *v;
    ww_launch_args *a = &w->args;
    wwi_variant_key key = wwi_work_key(r, w, of);
    key.columns = tiling.columns;
    key.rows = tiling.rows;
    key.group = wwi_lane_group(r);
    WWI_TRY(wwi_runner_variant(r, key, &v));
    const uint64_t rows = a->row_end - a->row_begin, columns = a->column_end - a->column_begin;
    a->group_width = tiling.width;
    a->rows_per_group = wwi_rows_per_group(r, rows, columns, tiling.width, w->b.list);
    const uint64_t chunks = wwi_ceil_div(rows, a->rows_per_group);
    if (r->preparing)
        a->row_end = a->row_begin; // a group's other pairs may lie inside the half
    wwi_units u =
        wwi_units_of(r, w, wwi_ceil_div(w->b.list ? chunks : chunks * columns, key.group / tiling.width), cells);
    while (wwi_units_next(&u)) {
        a->unit_begin = (uint32_t)u.at;
        WWI_TRY(wwi_units_launch(&u, v, u.take, NULL, 0));
    }
    return WW_OK;
}

static uint32_t column_length(const wwi_work *w, size_t i) {
    if (w->sides.columns->rank_count == 1)
        return w->sides.columns->rank_lengths[0];
    return w->sides.columns->lengths[w->b.list ? w->b.pairs[3 * i + 1] : w->b.column_ids[i]];
}

// Slots [begin, end) of the columns, or of a list.
typedef struct wwi_lane_part {
    size_t begin, end, rows;
    wwi_tiling tiling;
    double cells;
} wwi_lane_part;

// The slots from `begin` on whose columns have the tiling of the first.
static wwi_lane_part part_at(const wwi_runner *r, const wwi_work *w, size_t begin, wwi_tiling_fn *tiling_of) {
    const wwi_batch *b = &w->b;
    const size_t columns = b->list ? b->rows : b->columns;
    wwi_shape shape = {.n = w->row_ranks == 1 ? w->n : 0,
                       .longest = w->n,
                       .m = column_length(w, begin),
                       .many = w->column_ranks > 3,
                       .pairs = w->pairs};
    wwi_lane_part p = {.begin = begin, .end = begin + 1, .tiling = tiling_of(r, shape)};
    if (w->sides.columns->rank_count == 1)
        p.end = columns;
    for (; p.end < columns; p.end++) {
        if (column_length(w, p.end) == shape.m)
            continue;
        shape.m = column_length(w, p.end);
        const wwi_tiling next = tiling_of(r, shape);
        if (next.columns != p.tiling.columns || next.width != p.tiling.width)
            break;
    }
    wwi_batch part = *b;
    if (b->list) {
        part.pairs = b->pairs ? b->pairs + 3 * begin : NULL;
        part.rows = p.end - begin;
    } else {
        part.column_ids = b->column_ids + begin;
        part.columns = p.end - begin;
        part.rows = b->half && p.end < b->rows ? p.end : b->rows;
    }
    p.rows = part.rows;
    if (b->list || part.rows > b->row_begin)
        p.cells = wwi_batch_cells(r, &w->sides, &part);
    return p;
}

static ww_status find_parts(const wwi_runner *r, wwi_work *w, wwi_tiling_fn *tiling_of) {
    const size_t columns = w->b.list ? w->b.rows : w->b.columns;
    size_t capacity = 0;
    for (size_t begin = 0; begin < columns; begin = w->parts[w->part_count - 1].end) {
        WWI_TRY(wwi_grow(&w->parts, &capacity, w->part_count + 1, sizeof *w->parts));
        w->parts[w->part_count++] = part_at(r, w, begin, tiling_of);
    }
    return WW_OK;
}

ww_status wwi_lanes_run(wwi_runner *r, wwi_work *w, const wwi_form *of, wwi_tiling_fn *tiling_of) {
    if (r->of.banded)
        return launch(r, w, of, w->tiling, w->cells);
    if (!w->parts)
        WWI_TRY(find_parts(r, w, tiling_of));
    const ww_launch_args whole = w->args;
    for (size_t i = 0; i < w->part_count; i++) {
        const wwi_lane_part *p = &w->parts[i];
        w->args = whole;
        if (w->b.list) {
            w->args.row_begin = (uint32_t)p->begin;
            w->args.row_end = (uint32_t)p->end;
        } else {
            w->args.column_begin = (uint32_t)p->begin;
            w->args.column_end = (uint32_t)p->end;
            w->args.row_end = (uint32_t)p->rows;
            if (w->args.row_end <= w->args.row_begin)
                continue;
        }
        WWI_TRY(launch(r, w, of, p->tiling, p->cells));
    }
    return WW_OK;
}

static ww_status run(wwi_runner *r, wwi_work *w) {
    return w->ribbon ? wwi_ribbon_run(r, w) : wwi_lanes_run(r, w, &form, wwi_lanes_tiling);
}

const wwi_engine wwi_lanes = {"lanes", 4, 0.05, wants_exchange, takes, run};
