// SPDX-License-Identifier: Apache-2.0
// Engine packed on GPUs: how strips are cut and launched (kernels_cl/engine/packed_items.cl).
#include "engine/packed_items.h"

#include <stdio.h>

#include "engine/batch.h"
#include "engine/ribbon.h"
#include "engine/tiling.h"
#include "measure/band.h"

// Pairs side by side: what a device computes at once.
#define PACK 32
#define PACK_WIDE 64
#define MANY_CHANNELS 8  // more than these leave registers for fewer rows of them
#define LOCAL_CHANNELS 5 // from these on a strip's columns are in local memory
#define MOST_CHANNELS 12 // beyond them only with columns in local memory, on NVIDIA: else registers do not suffice
#define LOCAL_COLUMNS 64 // which are so many
#define REUSE 60         // cells from which a value is worth interleaving

#define ITEMS_FORM(width, ...)                                                                                         \
    {                                                                                                                  \
        .engine = "packed", .kernel = "ww_packed_items", .interleave = "ww_interleave",                                \
        .texts = {"engine/interleave.cl", "engine/items_pack.cl", "engine/walk.cl",                                    \
                  __VA_ARGS__ "engine/items_edges.cl", "engine/packed_items.cl"},                                      \
        .exchanges = true, /* it does not, but a vendor's own forms of instructions are there with it */               \
            .pack = (width)                                                                                            \
    }
#define SOFT_FORM(width)                                                                                               \
    {                                                                                                                  \
        .engine = "packed", .kernel = "ww_packed_soft", .interleave = "ww_interleave",                                 \
        .texts = {"engine/interleave.cl", "engine/items_pack.cl", "engine/soft_tiles.cl", "engine/packed_soft.cl"},    \
        .exchanges = true, .tiles = wwi_soft_tiles, .pack = (width)                                                    \
    }
// By the width of a pack; with a strip's columns in local memory; of soft minima that are computed by tiles.
static const wwi_form forms[2] = {ITEMS_FORM(PACK, ), ITEMS_FORM(PACK_WIDE, )};
static const wwi_form local_forms[2] = {ITEMS_FORM(PACK, "engine/items_columns.cl", ),
                                        ITEMS_FORM(PACK_WIDE, "engine/items_columns.cl", )};
static const wwi_form soft_forms[2] = {SOFT_FORM(PACK), SOFT_FORM(PACK_WIDE)};

// AMD's older wavefronts have 64 work-items.
static const wwi_form *form_of(const wwi_runner *r, bool local) {
    const bool wide = r->of.exchange != WWI_EXCHANGE_LOCAL && wwi_context_exchange_width(r->of.context) >= PACK_WIDE;
    const int which = wwi_tuned(r, "packed.lanes", wide ? PACK_WIDE : PACK) >= PACK_WIDE;
    return wwi_soft_tiles(r) ? &soft_forms[which] : local ? &local_forms[which] : &forms[which];
}

// A cell is its cost, which grows with the distance of its points, and the soft minimum of its neighbours, without
// costs at edges.
bool wwi_soft_plain(const wwi_recurrence *of) {
    return of->soft && !of->banded && !of->open && (of->row->flags & WWI_MEASURE_SOFT_TILES) &&
           wwi_measure_cost(&of->measure) != WW_COST_USER;
}

int wwi_soft_tiles_tuned(const wwi_recurrence *of, bool tabled, int fallback) {
    if (!wwi_soft_plain(of) || of->precision != WW_FLOAT || (of->channels != 1 && !tabled))
        return 0;
    const int wanted = (int)wwi_forced(of->context, "form.tiles", 2, fallback);
    return wanted == 2 && !wwi_context_info(of->context)->has_double ? 1 : wanted;
}

int wwi_soft_tiles(const wwi_runner *r) {
    // Of z-normalised series products hold most tiles from a gamma of a half on.
    return wwi_soft_tiles_tuned(&r->of, false,
                                r->of.measure.gamma >= 0.5 && wwi_context_fast_double(r->of.context) ? 2 : 1);
}

bool wwi_packed_items(const wwi_runner *r) {
    return wwi_points_in_registers(r) && wwi_by_items(r);
}

// What a column keeps of its point beside the point.
static uint32_t edge_values(const wwi_runner *r) {
    return (uint32_t)r->of.row->column_values + (r->of.row->transform == WWI_TRANSFORM_TIMES ? r->of.extra : 0);
}

// Whether a column needs no registers but for its value and its point.
static bool is_plain(const wwi_runner *r) {
    return (r->of.row->flags & WWI_MEASURE_PLAIN) && !r->of.row->column_registers;
}

// Whether the pairs fill the device: twice over, or, where a cell is so simple that a pack alone in a scheduler is as
// fast as several, once nearly. A compute unit has four schedulers. With a band the other engines are slow: half is
// enough.
static bool fills(const wwi_runner *r, uint64_t pairs, uint64_t packed, uint64_t others) {
    const bool simple = is_plain(r) && r->of.precision == WW_FLOAT && r->of.channels == 1 && !r->of.banded &&
                        !r->of.open && !r->of.soft;
    const uint64_t pack = form_of(r, false)->pack, at_once = wwi_compute_units(r->of.context) * 4 * pack;
    const uint64_t rounds = wwi_ceil_div(wwi_ceil_div(packed, pack) * pack * others, at_once);
    const uint64_t enough = r->of.banded ? 2 * pack : simple ? pack * 16 / 5 : 256;
    return pairs >= wwi_compute_units(r->of.context) * enough &&
           (!simple || rounds > 2 || 5 * pairs >= 4 * rounds * at_once);
}

// Whether a strip's columns can be in local memory (kernels_cl/engine/items_columns.cl).
static bool can_be_local(const wwi_runner *r, bool list) {
    return !list && r->of.precision == WW_FLOAT && r->of.extra == 0 && is_plain(r) && !r->of.banded && !r->of.open &&
           !r->of.soft &&
           r->of.channels >= (uint32_t)wwi_forced(r->of.context, "form.local", LOCAL_CHANNELS, LOCAL_CHANNELS);
}

// Whether the batch is for this engine when the choice is free: pairs enough to fill the device, and cells enough for
// every value that is interleaved.
bool wwi_packed_items_pay(const wwi_runner *r, bool list, size_t rows, size_t columns, uint32_t n, uint32_t m) {
    const uint64_t pairs = list ? rows : (uint64_t)rows * columns;
    uint32_t below;
    const bool exchanged = !list && r->symmetric && rows < PACK && columns > rows;
    uint64_t cells = list        ? (uint64_t)n * m / ((uint64_t)n + m)
                     : exchanged ? (uint64_t)rows * n
                                 : columns * (uint64_t)m;
    // A narrow band is in a lane's registers as a whole.
    const bool one_length = r->rows->rank_count == 1 && r->columns->rank_count == 1;
    if (wwi_ribbon_width(r, list, one_length, n, m, &below))
        return false;
    // Measured on one GPU: in these cases engine lanes is as fast or faster.
    if (r->of.band == WWI_BAND_TABLE)
        return false;
    const bool many = can_be_local(r, list) && r->of.exchange == WWI_EXCHANGE_NV_SHFL;
    if ((r->of.channels > MOST_CHANNELS && !many) ||
        (r->of.precision == WW_DOUBLE && (r->of.channels > 1 || edge_values(r))))
        return false;
    if (r->of.banded) {
        const uint64_t inside = wwi_band_cells(&r->of.measure.band, n, m);
        cells = (uint64_t)((double)cells * (double)(inside == UINT64_MAX ? 0 : inside) / ((double)n * m));
    }
    // A cell of a soft minimum takes several times as long.
    const uint64_t reuse = wwi_soft_tiles(r) ? REUSE / 4 : REUSE;
    return wwi_packed_items(r) && cells >= reuse &&
           fills(r, pairs, exchanged ? columns : rows,
                 list        ? 1
                 : exchanged ? rows
                             : columns);
}

// The rows of a pack are side by side.
bool wwi_packed_items_exchange(const wwi_work *w) {
    const size_t rows = w->b.rows - w->b.row_begin;
    return !w->b.list && rows < PACK && w->b.columns > rows;
}

static uint32_t by_measure(const wwi_runner *r, const char *parameter, uint32_t fallback) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s.%s", parameter, r->of.row->info.name);
    return (uint32_t)wwi_tuned(r, name, (long)fallback);
}

// Most columns of a strip: packed.columns.MEASURE where the tuning file has it, else by the registers of a column: a
// value, its point, and what is kept of that. Costs at the edges need room for what they compute besides.
static uint32_t most_columns(const wwi_runner *r) {
    const uint32_t kept = edge_values(r), each = r->of.channels + 1 + (kept ? 2 * kept + 1 : 0);
    uint32_t columns = (uint32_t)wwi_tuned(r, "packed.values", r->of.precision == WW_DOUBLE ? 48 : 128) / each;
    if (r->of.channels == 1) {
        columns = by_measure(r, "packed.columns", columns);
    } else if (r->of.channels > MANY_CHANNELS) {
        columns = 12;
    } else {
        const uint32_t most = (uint32_t)wwi_tuned(r, "packed.channel_columns", 16);
        columns = columns < most ? columns : most;
    }
    // Tiles of the soft minimum (kernels_cl/engine/packed_soft.cl): those by pairs alone are faster in narrower strips.
    if (wwi_soft_tiles(r))
        return (uint32_t)wwi_tuned(r, "packed.tile_columns", wwi_soft_tiles(r) > 1 ? 16 : 12) & ~3u;
    // A user's cost, and the logarithms of a soft minimum, may need many registers of their own.
    if (wwi_measure_cost(&r->of.measure) == WW_COST_USER || r->of.soft)
        columns /= 2;
    // So do two sweeps over the same columns, whose code should stay in the instruction cache.
    uint32_t edged = columns;
    if (r->of.open)
        edged = (uint32_t)wwi_tuned(r, "packed.open", 24);
    else if (r->of.banded)
        edged = by_measure(r, "packed.banded", r->of.precision == WW_DOUBLE ? 8 : is_plain(r) ? 24 : 16);
    columns = columns < edged ? columns : edged;
    // A row's band is a word of bits where it is not along the diagonal.
    if (r->of.banded && r->of.band != WWI_BAND_DIAGONAL && columns > 32)
        columns = 32;
    if (r->of.banded)
        return columns < 8 ? 8 : columns & ~7u;
    return columns < 4 ? 4 : columns > 96 ? 96 : columns & ~3u;
}

// Columns of a strip for series of m points: strips of one width, and few columns behind the last point. Other widths
// than the best cost about a quarter of the difference; plain measures take a few more as well as fewer. Where lengths
// differ, a program for every width would be compiled for ever.
static uint32_t strip_columns(const wwi_runner *r, const wwi_work *w) {
    const uint32_t most = most_columns(r), step = r->of.banded ? 8 : 4;
    if (w->column_ranks > 3 && w->m > most)
        return most;
    if (r->of.banded || r->of.open || w->m <= most)
        return (uint32_t)wwi_ceil_div(wwi_ceil_div(w->m, wwi_ceil_div(w->m, most)), step) * step;
    const uint32_t widest = most + (is_plain(r) && r->of.channels == 1 && r->of.precision == WW_FLOAT ? 12 : 0);
    uint32_t best = most;
    double least = 0;
    for (uint32_t columns = most < 8 ? 4 : most / 2 & ~3u; columns <= widest; columns += 4) {
        const uint32_t away = columns < most ? most - columns : columns - most;
        const double cost = (double)(wwi_ceil_div(w->m, columns) * columns) * (1 + 0.25 * away / most);
        if (least == 0 || cost < least) {
            least = cost;
            best = columns;
        }
    }
    return best;
}

ww_status wwi_packed_items_run(wwi_runner *r, wwi_work *w) {
    wwi_variant *v;
    const wwi_batch *b = &w->b;
    const uint64_t value_bytes = wwi_runner_value_bytes(r);
    const bool local = can_be_local(r, b->list);
    const wwi_form *const of = form_of(r, local);
    const uint32_t pack = of->pack;
    wwi_variant_key key = wwi_work_key(r, w, of);
    key.columns = local ? LOCAL_COLUMNS : strip_columns(r, w);
    key.rows = (uint32_t)wwi_tuned(r, "packed.item_rows", r->of.channels > MANY_CHANNELS ? 4 : 8);
    key.group = pack;
    const wwi_packing packing = {pack, 1, r->of.channels + r->of.extra, pack, key.rows, value_bytes, 0};
    WWI_TRY(wwi_runner_variant(r, key, &v));
    WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_ROW, packing));
    if (b->list)
        WWI_TRY(wwi_interleave(r, v, w, WWI_SIDE_COLUMN, packing));
    const uint64_t rows = b->rows - b->row_begin;
    const uint32_t packs = (uint32_t)wwi_ceil_div(rows, pack);
    // Groups beyond those that fit the device find nothing left to do, but each has its own hand-over rows.
    // Tiles of products have a value more for each row-step.
    w->args.scratch = (uint32_t)wwi_ceil_div(w->n, key.rows) * (key.rows + (wwi_soft_tiles(r) == 2));
    const uint64_t group_bytes = w->args.scratch * pack * value_bytes;
    const uint64_t budget = r->options.max_bytes ? r->options.max_bytes : wwi_context_bytes_free(r->of.context) / 4;
    uint64_t workers = wwi_compute_units(r->of.context) * (uint64_t)wwi_tuned(r, "packed.resident", 16);
    if (workers > budget / group_bytes)
        workers = budget > group_bytes ? budget / group_bytes : 1;
    uint64_t columns = b->list ? 1 : packs * (uint64_t)b->columns / (workers * 16);
    columns = columns < 1 ? 1 : columns > 64 ? 64 : columns;
    w->args.rows_per_group = (uint32_t)columns;
    return wwi_packs_launch(r, w, v,
                            (wwi_packs){.rows = true,
                                        .packs = packs,
                                        .units = b->list ? packs : packs * wwi_ceil_div(b->columns, columns),
                                        .workers = workers,
                                        .scratch_bytes = group_bytes});
}
