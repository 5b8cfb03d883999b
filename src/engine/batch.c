// SPDX-License-Identifier: Apache-2.0
// What a batch is, sorted and measured; the arguments and buffers of its kernels; its launches.
#include "engine/batch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/tiling.h"
#include "measure/band.h"

// ---- what is in a batch

// First and number of the ranks of a side's series: `count` ids, `stride` apart, which nobody reads where all series
// have one length.
static void find_ranks(const ww_dataset *d, const uint32_t *ids, size_t stride, size_t count, uint32_t *first,
                       uint32_t *ranks) {
    const bool one = d->rank_count == 1;
    uint32_t least = one ? 0 : UINT32_MAX, most = 0;
    for (size_t i = 0; !one && i < count; i++) {
        const uint32_t rank = d->ranks[ids[i * stride]];
        least = rank < least ? rank : least;
        most = rank > most ? rank : most;
    }
    *first = least;
    *ranks = most - least + 1;
}

static void measure_work(wwi_work *w) {
    const wwi_batch *b = &w->b;
    const ww_parameters parameters = w->args.parameters;
    if (b->list) {
        find_ranks(w->sides.rows, b->pairs, 3, b->rows, &w->row_rank, &w->row_ranks);
        find_ranks(w->sides.columns, b->pairs ? b->pairs + 1 : NULL, 3, b->rows, &w->column_rank, &w->column_ranks);
    } else {
        find_ranks(w->sides.rows, b->row_ids + b->row_begin, 1, b->rows - b->row_begin, &w->row_rank, &w->row_ranks);
        find_ranks(w->sides.columns, b->column_ids, 1, b->columns, &w->column_rank, &w->column_ranks);
    }
    w->n = w->sides.rows->rank_lengths[w->row_rank + w->row_ranks - 1];
    w->m = w->sides.columns->rank_lengths[w->column_rank + w->column_ranks - 1];
    w->pairs = b->list ? b->rows : (uint64_t)(b->rows - b->row_begin) * b->columns;
    w->x = b->row;
    w->y = b->column;
    w->args = (ww_launch_args){
        .row_stride = b->row_stride,
        .column_stride = b->column_stride,
        .row_begin = (uint32_t)b->row_begin,
        .row_end = (uint32_t)b->rows,
        .column_end = (uint32_t)b->columns,
        .row_base = b->row_base,
        .column_base = b->column_base,
        .layout = b->layout,
        .count = b->count,
        .flags = b->half ? WW_LAUNCH_HALF : 0,
        .rank_row_base = w->row_rank,
        .rank_column_base = w->column_rank,
        .rank_columns = w->column_ranks,
        .group_width = 1,
        .rows_per_group = 1,
        .parameters = parameters,
    };
}

ww_status wwi_work_make(const wwi_runner *r, const wwi_batch *batch, wwi_work *w) {
    const size_t rows = batch->rows * (batch->list ? 3 : 1), columns = batch->list ? 0 : batch->columns;
    uint32_t *ids = NULL;
    if (!batch->tasks)
        WWI_TRY(wwi_new(ids, rows + columns));
    *w =
        (wwi_work){.b = *batch, .ids = ids, .uploads = w->uploads, .sides = {r->rows, r->columns}, .tiling = {0, 1, 1}};
    w->args.parameters = r->of.parameters.values;
    w->args_bytes = wwi_args_bytes(&r->of.parameters, offsetof(ww_launch_args, parameters));
    if (ids)
        memcpy(ids, batch->list ? batch->pairs : batch->row_ids, rows * sizeof *ids);
    if (batch->list) {
        w->b.pairs = ids;
    } else {
        memcpy(ids + rows, batch->column_ids, columns * sizeof *ids);
        w->b.row_ids = ids;
        w->b.column_ids = ids + rows;
    }
    measure_work(w);
    return WW_OK;
}

void wwi_uploads_close(wwi_uploads *uploads) {
    WWI_BUFFERS_DESTROY(&uploads->row_order, &uploads->column_order, &uploads->band, &uploads->offsets[0],
                        &uploads->offsets[1], &uploads->packed[0], &uploads->packed[1], &uploads->table_series[0],
                        &uploads->table_series[1], &uploads->table_begins[0], &uploads->table_begins[1],
                        &uploads->table_tasks);
}

void wwi_work_exchange(wwi_work *w) {
    const wwi_batch *b = &w->b;
    wwi_batch t = *b;
    t.row = b->column;
    t.column = b->row;
    t.row_ids = b->column_ids;
    t.column_ids = b->row_ids;
    if (b->list) {
        for (size_t i = 0; i < b->rows; i++) {
            const uint32_t id = w->ids[3 * i];
            w->ids[3 * i] = w->ids[3 * i + 1];
            w->ids[3 * i + 1] = id;
        }
    } else {
        t.rows = b->columns;
        t.columns = b->rows - b->row_begin;
        t.column_ids = b->row_ids + b->row_begin;
        t.row_begin = 0;
    }
    t.row_stride = b->column_stride;
    t.column_stride = b->row_stride;
    t.row_base = b->column_base;
    t.column_base = b->row_base;
    w->b = t;
    w->sides = (wwi_sides){w->sides.columns, w->sides.rows};
    w->exchanged = !w->exchanged;
    measure_work(w);
}

static int by_lengths(const void *a, const void *b, void *sides) {
    const wwi_sides *s = sides;
    const uint32_t *p = a, *q = b;
    const uint32_t pm = s->columns->lengths[p[1]], qm = s->columns->lengths[q[1]];
    if (pm != qm)
        return pm < qm ? -1 : 1;
    const uint32_t pn = s->rows->lengths[p[0]], qn = s->rows->lengths[q[0]];
    if (pn != qn)
        return pn < qn ? -1 : 1;
    return p[2] < q[2] ? -1 : p[2] > q[2];
}

void wwi_work_sort(wwi_work *w) {
    if (w->b.list && (w->sides.rows->rank_count > 1 || w->sides.columns->rank_count > 1))
        wwi_sort(w->ids, w->b.rows, 3 * sizeof *w->ids, by_lengths, &w->sides);
}

static double sum_lengths(const ww_dataset *d, const uint32_t *ids, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += d->lengths[ids[i]];
    return sum;
}

double wwi_batch_cells(const wwi_runner *r, const wwi_sides *s, const wwi_batch *b) {
    double cells = 0;
    uint32_t n = 1, m = 1;
    if (b->list && s->rows->rank_count == 1 && s->columns->rank_count == 1) {
        n = s->rows->rank_lengths[0];
        m = s->columns->rank_lengths[0];
        cells = (double)b->rows * (double)n * (double)m;
    } else if (b->list) {
        for (size_t t = 0; t < b->rows; t++) {
            const uint32_t x = s->rows->lengths[b->pairs[3 * t]], y = s->columns->lengths[b->pairs[3 * t + 1]];
            cells += (double)x * (double)y;
            n = x > n ? x : n;
            m = y > m ? y : m;
        }
    } else {
        cells = sum_lengths(s->rows, b->row_ids + b->row_begin, b->rows - b->row_begin) *
                sum_lengths(s->columns, b->column_ids, b->columns);
        if (b->half)
            cells /= 2;
        n = s->rows->lengths[b->row_ids[b->rows - 1]];
        m = s->columns->lengths[b->column_ids[b->columns - 1]];
    }
    if (r->of.banded) {
        const uint64_t inside = wwi_band_cells(&r->of.measure.band, n, m);
        if (inside && inside != UINT64_MAX)
            cells *= (double)inside / ((double)n * (double)m);
    }
    return cells;
}

// ---- what a kernel is given

wwi_variant_key wwi_work_key(const wwi_runner *r, const wwi_work *w, const wwi_form *form) {
    wwi_variant_key key;
    memset(&key, 0, sizeof key); // compared byte by byte
    key.form = form;
    key.list = w->b.list;
    key.band = (int)r->of.band;
    key.vector = 1;
    key.columns = 1;
    key.rows = 1;
    key.group = 1;
    key.registers = wwi_points_in_registers(r);
    key.tabled = w->tabled;
    return key;
}

static wwi_buffer *order_of_rows(const wwi_work *w) {
    return w->b.tasks ? w->b.tasks : w->uploads.row_order;
}

size_t wwi_work_args(const wwi_work *w, wwi_arg *args) {
    size_t count = 0;
    args[count++] = WWI_BUFFER(w->x.values);
    args[count++] = WWI_BUFFER(w->x.series);
    args[count++] = WWI_BUFFER(w->y.values);
    args[count++] = WWI_BUFFER(w->y.series);
    wwi_buffer *rows = w->b.list && w->tabled ? w->uploads.table_tasks : order_of_rows(w);
    args[count++] = WWI_BUFFER(rows);
    args[count++] = WWI_BUFFER(w->b.list ? rows : w->uploads.column_order);
    if (!w->is_bits) // it has no bands; a kernel that needs no words of a band reads none
        args[count++] = WWI_BUFFER(w->uploads.band ? w->uploads.band : order_of_rows(w));
    args[count++] = WWI_BUFFER(w->b.out);
    args[count++] = (wwi_arg){WWI_ARG_VALUE, w->args_bytes, &w->args};
    return count;
}

// No more than a kernel's int holds, which is more than any length.
static uint32_t skipped(size_t points) {
    return (uint32_t)wwi_least(points, 0x7fffffff);
}

void wwi_work_ends(const ww_measure *measure, wwi_work *w) {
    w->args.begin_x = skipped(w->exchanged ? measure->relax_begin_y : measure->relax_begin_x);
    w->args.end_x = skipped(w->exchanged ? measure->relax_end_y : measure->relax_end_x);
    w->args.begin_y = skipped(w->exchanged ? measure->relax_begin_x : measure->relax_begin_y);
    w->args.end_y = skipped(w->exchanged ? measure->relax_end_x : measure->relax_end_y);
}

ww_status wwi_work_upload(wwi_runner *r, wwi_work *w) {
    const wwi_batch *b = &w->b;
    wwi_uploads *u = &w->uploads;
    if (r->words.count)
        WWI_TRY(wwi_upload(r->of.context, &u->band, r->words.data, r->words.count * 4));
    if (b->list)
        return b->tasks ? WW_OK : wwi_upload(r->of.context, &u->row_order, b->pairs, b->rows * 12);
    WWI_TRY(wwi_upload(r->of.context, &u->row_order, b->row_ids, b->rows * 4));
    return wwi_upload(r->of.context, &u->column_order, b->column_ids, b->columns * 4);
}

// Slots of an order, or tasks of a list: the side's id is field `field` of every `stride` words.
typedef struct pack_range {
    uint32_t begin, end, stride, field;
} pack_range;

// Where the packs of a side begin, in values, and one entry more: where the last one ends. Uploaded once for a batch.
static ww_status place_packs(wwi_runner *r, wwi_work *w, int side, wwi_packing packing, const uint32_t *ids,
                             pack_range range) {
    const ww_dataset *d = side == WWI_SIDE_ROW ? w->sides.rows : w->sides.columns;
    const size_t packs = (size_t)wwi_ceil_div(range.end - range.begin, packing.width);
    WWI_FREES uint64_t *at = NULL;
    uint64_t total = 0;
    WWI_TRY(wwi_new(at, packs + 1));
    for (size_t p = 0, i = range.begin; p < packs; p++) {
        uint32_t longest = d->rank_count == 1 ? d->rank_lengths[0] : 0;
        for (; d->rank_count > 1 && i < range.end && i < range.begin + (p + 1) * packing.width; i++) {
            const uint32_t length = d->lengths[ids[i * range.stride + range.field]];
            longest = length > longest ? length : longest;
        }
        if (side == WWI_SIDE_ROW && packing.step)
            longest = (uint32_t)wwi_ceil_div(longest, packing.step) * packing.step;
        at[p] = total;
        total += wwi_ceil_div(longest + 2 * packing.margin, packing.points) * packing.values * packing.width;
    }
    at[packs] = total;
    WWI_TRY(wwi_grow_buffer(r->of.context, &w->uploads.packed[side], total * packing.value_bytes));
    WWI_TRY(wwi_upload(r->of.context, &w->uploads.offsets[side], at, (packs + 1) * sizeof *at));
    w->placed[side] = true;
    return WW_OK;
}

// Work-groups for each pack: enough to fill the device where packs are few and series are long.
static uint64_t parts_of(const wwi_runner *r, uint64_t packs, uint32_t longest, wwi_packing packing) {
    if (packing.group == 1)
        return 1;
    const uint64_t wanted = wwi_ceil_div(wwi_compute_units(r->of.context) * 32, packs);
    return wwi_least(wanted, wwi_ceil_div(longest, packing.width));
}

ww_status wwi_interleave(wwi_runner *r, const wwi_variant *v, wwi_work *w, int side, wwi_packing packing) {
    const wwi_batch *b = &w->b;
    const bool rows = side == WWI_SIDE_ROW;
    const wwi_slice source = rows ? w->x : w->y;
    wwi_buffer *order = b->list || rows ? order_of_rows(w) : w->uploads.column_order;
    const ww_dataset *d = rows ? w->sides.rows : w->sides.columns;
    const uint32_t step = rows ? packing.step : 0, at_end = rows;
    // A rectangle has ids, a list triples of which the field is the side's id.
    const uint32_t *ids = b->list ? b->pairs : rows ? b->row_ids : b->column_ids;
    const pack_range range = {.begin = step ? (uint32_t)b->row_begin : 0,
                              .end = (uint32_t)(b->list || rows ? b->rows : b->columns),
                              .stride = b->list ? 3 : 1,
                              .field = b->list && !rows};
    if (w->packed[side])
        return WW_OK;
    if (!w->placed[side])
        WWI_TRY(place_packs(r, w, side, packing, ids, range));
    wwi_arg args[13] = {WWI_BUFFER(source.values), WWI_BUFFER(source.series), WWI_BUFFER(order),
                        WWI_VALUE(range.stride),   WWI_VALUE(range.field),    WWI_VALUE(range.begin),
                        WWI_VALUE(range.end),      WWI_VALUE(w->args.channel)};
    size_t count = 8;
    args[count++] = w->is_bits ? WWI_VALUE(at_end) : WWI_VALUE(step);
    if (!w->is_bits)
        args[count++] = WWI_VALUE(packing.margin);
    args[count++] = WWI_BUFFER(w->uploads.offsets[side]);
    args[count++] = WWI_BUFFER(w->uploads.packed[side]);
    if (v->key.summed || v->key.tabled)
        args[count++] = WWI_VALUE(r->of.channels);
    const uint64_t packs = wwi_ceil_div(range.end - range.begin, packing.width);
    const uint64_t parts = parts_of(r, packs, rows ? w->n : w->m, packing);
    WWI_TRY(wwi_launch(v->interleave, r->preparing ? 1 : packs * parts, packing.group, args, count));
    // A pass over single channels has its own packs; series in a caller's buffer may be others the next time.
    w->packed[side] = !r->preparing && r->of.passes == 1 && !d->foreign;
    return WW_OK;
}

uint64_t wwi_share_out(const wwi_runner *r, wwi_work *w, uint64_t packs, uint64_t workers) {
    if (w->b.list)
        return packs;
    const uint64_t rows = w->b.rows - w->b.row_begin;
    uint64_t take = rows * packs / (workers * 16);
    if (!r->gpu) {
        // All that work at once end within a launch's time.
        const double most = r->pace.aim * r->rate[w->engine] * (double)(rows * packs) / (w->cells * (double)workers);
        take = (double)take > most ? (uint64_t)most : take;
    }
    w->args.rows_per_group = take < 1 ? 1 : take > 64 ? 64 : (uint32_t)take;
    return packs * wwi_ceil_div(rows, w->args.rows_per_group);
}

// ---- launches

// Up to what fills the device a launch may last so many times as long as others: one of less takes nearly as long.
#define LONGER 4

wwi_units wwi_units_of(wwi_runner *r, const wwi_work *w, uint64_t units, double cells) {
    return (wwi_units){
        .runner = r, .work = w, .rate = &r->rate[w->engine], .units = units, .cells_each = cells / (double)units};
}

bool wwi_units_next(wwi_units *u) {
    if (u->at >= u->units)
        return false;
    const wwi_pace *pace = &u->runner->pace;
    const uint64_t left = u->units - u->at;
    u->take = wwi_pace_units(pace, *u->rate, left, u->cells_each);
    if (u->take < u->fill && u->take < left) {
        const double longer = LONGER * pace->aim * *u->rate / (u->cells_each > 1 ? u->cells_each : 1);
        const uint64_t most = u->fill < left ? u->fill : left;
        u->take = longer >= (double)most ? most : longer > (double)u->take ? (uint64_t)longer : u->take;
    } else if (u->fill && u->take < left) {
        u->take -= u->take % u->fill;
    }
    return true;
}

ww_status wwi_units_launch(wwi_units *u, const wwi_variant *v, uint64_t groups, const wwi_arg *more, size_t count) {
    const bool preparing = u->runner->preparing;
    wwi_arg args[COMMON_ARGS + MORE_ARGS];
    const size_t common = wwi_work_args(u->work, args);
    for (size_t i = 0; i < count; i++)
        args[common + i] = more[i];
    WWI_TRY(wwi_launch(v->kernel, preparing ? 1 : groups, v->key.group, args, common + count));
    u->at = preparing ? u->units : u->at + u->take;
    if (preparing)
        return WW_OK;
    return wwi_pace_launched(&u->runner->pace, u->rate, u->cells_each * (double)u->take, u->more || u->at < u->units);
}

ww_status wwi_packs_launch(wwi_runner *r, wwi_work *w, const wwi_variant *v, wwi_packs p) {
    // A rectangle has packs of one side alone.
    const int x = w->b.list || p.rows ? WWI_SIDE_ROW : WWI_SIDE_COLUMN;
    const int y = w->b.list || !p.rows ? WWI_SIDE_COLUMN : WWI_SIDE_ROW;
    const wwi_uploads *of = &w->uploads;
    const uint32_t packs = p.packs;
    WWI_TRY(wwi_grow_buffer(r->of.context, &r->scratch, p.workers * p.scratch_bytes));
    WWI_TRY(wwi_grow_buffer(r->of.context, &r->counter, 4));
    wwi_units u = wwi_units_of(r, w, p.units, w->cells);
    u.fill = r->gpu ? p.workers : wwi_least(p.workers, wwi_compute_units(r->of.context));
    while (wwi_units_next(&u)) {
        const uint32_t end = (uint32_t)(u.at + u.take);
        wwi_arg more[8 + PACKS_MORE] = {WWI_BUFFER(of->packed[x]), WWI_BUFFER(of->offsets[x]),
                                        WWI_BUFFER(of->packed[y]), WWI_BUFFER(of->offsets[y]),
                                        WWI_BUFFER(r->scratch),    WWI_BUFFER(r->counter),
                                        WWI_VALUE(packs),          WWI_VALUE(end)};
        for (size_t i = 0; i < p.more_count; i++)
            more[8 + i] = p.more[i];
        WWI_TRY(wwi_buffer_fill_u32(r->counter, 0, 4, r->preparing ? end : (uint32_t)u.at));
        WWI_TRY(wwi_units_launch(&u, v, wwi_least(u.take, p.workers), more, 8 + p.more_count));
    }
    return WW_OK;
}
