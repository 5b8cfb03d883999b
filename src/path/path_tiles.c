// SPDX-License-Identifier: Apache-2.0
// How matrices are cut into tiles for warping paths, and the memory that takes. Nothing is launched here. docs/path.md
// has the formula.
#include <inttypes.h>

#include "engine/batch.h"
#include "engine/tiling.h"
#include "path/path.h"

#define VALUES 8 // rows of a block in path_packed.cl
#define MOST_TILE 65536
#define RESIDENT 16 // work-groups a compute unit
#define DIRECTION_BYTES (1ull << 30)

static uint64_t up(uint64_t a, uint64_t multiple) {
    return wwi_ceil_div(a, multiple) * multiple;
}

uint64_t wwi_path_most_steps(uint32_t n, uint32_t m) {
    return (uint64_t)n + m;
}

uint64_t wwi_path_lines(const wwi_path_tiles *t, uint32_t n, uint32_t m) {
    const uint64_t padded = up(n, t->step);
    return wwi_ceil_div(padded, t->tile_rows) * m + wwi_ceil_div(m, t->tile_columns) * padded;
}

uint64_t wwi_path_pair_bytes(const wwi_runner *r, const wwi_path_tiles *t, uint32_t n, uint32_t m) {
    const uint64_t steps = (wwi_ceil_div(wwi_path_most_steps(n, m), 16) + 1) * 4;
    const uint64_t lines = t->whole ? 0 : wwi_path_lines(t, n, m) * wwi_runner_value_bytes(r);
    const uint64_t table = t->lanes && r->tabled ? n * up(m, 4) * wwi_runner_value_bytes(r) : 0;
    return sizeof(ww_path_pair) + steps + lines + table + 12 + wwi_runner_value_bytes(r);
}

// What directions, lines and scratch of all workers take.
static void measure_tiles(const wwi_runner *r, wwi_path_tiles *t) {
    const uint64_t value = wwi_runner_value_bytes(r), parts = r->of.channels + r->of.extra;
    const uint64_t rows = t->tile_rows, columns = t->tile_columns;
    t->edge_values = t->whole ? rows + columns : 0;
    if (t->lanes) {
        // A lane is a row-step behind the one before.
        t->direction_words = wwi_ceil_div(columns, t->width * t->columns) *
                             (wwi_ceil_div(rows, t->step) + t->width - 1) * t->width * t->step *
                             wwi_ceil_div(t->columns, 16);
        t->scratch = 0;
        t->fixed_bytes = t->groups * (t->direction_words * 4 + t->edge_values * value);
    } else {
        // A block ends where the tile of a lane does.
        const uint64_t singles = (uint64_t)t->width * (VALUES - 1) + VALUES;
        const uint64_t blocks = rows < singles ? rows : rows / VALUES + singles;
        t->groups = t->workers * t->width;
        t->direction_words = rows + wwi_ceil_div(blocks * columns * t->width, 2);
        t->scratch = (rows + 2 + columns + 2) * parts + columns + 2 * rows;
        t->fixed_bytes = t->workers * (t->direction_words * 4 + t->width * value * (t->scratch + t->edge_values));
    }
}

// How many of `wanted` pairs have their directions on the device at a time: as many as fit `budget` bytes, up to
// DIRECTION_BYTES, or what fills the device.
static void choose_groups(uint64_t wanted, uint64_t filling, uint64_t budget, const wwi_runner *r, wwi_path_tiles *t) {
    t->groups = 1;
    measure_tiles(r, t);
    const uint64_t each = t->fixed_bytes, some = DIRECTION_BYTES / each, most = some > filling ? some : filling;
    const uint64_t at_once = wwi_least(budget / each, most);
    t->groups = at_once < 1 ? 1 : wwi_least(at_once, wanted);
    measure_tiles(r, t);
}

// Lanes and their columns for tiles of m columns.
static void choose_lanes(const wwi_runner *r, uint32_t m, wwi_path_tiles *t) {
    static const uint32_t narrower[] = {32, 24, 16, 12, 8};
    const uint32_t most_width = r->width < 32 ? r->width : 32;
    // The band's bits and the ends need registers of their own. In double RDNA's 256 do not hold 64.
    const bool narrow = r->of.exchange == WWI_EXCHANGE_AMD_BPERMUTE && r->of.precision == WW_DOUBLE;
    const uint32_t registers = (uint32_t)wwi_tuned(r, "path.values",
                                                   r->of.banded || r->of.open ? 32
                                                   : narrow                   ? 48
                                                                              : 64);
    // With a table of costs a column takes its value and the costs of a row-step.
    const uint32_t each = (r->tabled ? 3 : r->of.channels + r->of.extra) + 1 + (uint32_t)r->of.row->column_values +
                          (uint32_t)r->of.row->column_registers;
    // A user's cell is computed three times, his cost may need registers of its own.
    const bool user =
        wwi_measure_has(&r->of.measure, WWI_MEASURE_OF_TEXT) || wwi_measure_cost(&r->of.measure) == WW_COST_USER;
    const uint64_t value = wwi_runner_value_bytes(r) / 4 * (user ? 2 : 1);
    uint64_t least = UINT64_MAX;
    t->width = most_width;
    t->columns = 4;
    for (size_t i = 0; i < sizeof narrower / sizeof *narrower; i++) {
        const uint32_t columns = narrower[i];
        if ((!wwi_points_in_registers(r) && !r->tabled) || columns * each * value > registers)
            continue;
        for (uint32_t width = 2; width <= most_width; width *= 2) {
            const uint64_t all = up(m, (uint64_t)width * columns);
            // A strip that is too wide is idle columns, one more strip is another filling of the pipeline.
            const uint64_t cost = all + (all / width / columns - 1) * 64 + width;
            if (cost < least) {
                least = cost;
                t->width = width;
                t->columns = columns;
            }
        }
    }
}

// Columns of a strip: a strip wider than the band has mostly cells outside it.
static uint32_t strip_columns(const wwi_runner *r, uint32_t n, uint32_t m) {
    const uint64_t cells = wwi_measure_band_cells(&r->of.measure, n, m), each = cells == UINT64_MAX ? m : cells / n;
    return !r->of.banded || each > m ? m : each < 32 ? 32 : (uint32_t)each;
}

static ww_status too_small(const wwi_runner *r, uint32_t n, uint32_t m, uint64_t needed, uint64_t budget) {
    wwi_fail(WW_ERROR_DEVICE_MEMORY,
             "the path of series of %" PRIu32 " and %" PRIu32 " points needs %" PRIu64
             " bytes of %s, there are %" PRIu64,
             n, m, needed, wwi_context_info(r->of.context)->name, budget);
    return wwi_fail_hint("raise max_bytes, or use float precision");
}

// What is to be divided: pairs, the longest series, and work-groups that the device runs at a time.
typedef struct load {
    uint64_t count, budget, units, resident;
    uint32_t n, m;
} load;

static uint64_t at_once(const wwi_path_tiles *t) {
    return t->lanes ? t->group / t->width : t->width;
}

// A tile that is the whole matrix.
static wwi_path_tiles choose_one(const wwi_runner *r, load *of) {
    wwi_path_tiles t = {.lanes = r->options.engine == WW_ENGINE_LANES, .whole = true};
    if (t.lanes) {
        choose_lanes(r, strip_columns(r, of->n, of->m), &t);
        t.step = r->tabled ? 4 : wwi_points_in_registers(r) ? (r->of.channels > 4 ? 2 : 4) : 1;
        t.group = r->of.exchange == WWI_EXCHANGE_AMD_BPERMUTE ? 64 : 32;
        of->resident = r->gpu ? of->units * RESIDENT : of->units;
    } else {
        t.width = (uint32_t)r->vector;
        t.columns = t.step = t.group = 1;
        of->resident = of->units * 2;
    }
    t.tile_rows = (uint32_t)up(of->n, t.step);
    t.tile_columns = of->m;
    t.workers = wwi_least(of->resident, wwi_ceil_div(of->count, at_once(&t)));
    if (t.lanes)
        choose_groups(of->count, of->resident * at_once(&t), of->budget / 2, r, &t);
    else
        measure_tiles(r, &t);
    const uint64_t pair = wwi_path_pair_bytes(r, &t, of->n, of->m);
    while (!t.lanes && t.workers > 1 && t.fixed_bytes + pair > of->budget / 2 && t.workers * 4 > of->resident) {
        t.workers = (t.workers + 1) / 2;
        measure_tiles(r, &t);
    }
    return t;
}

// Whether matrices need not be cut. Few long pairs leave most of the device idle in one tile each; then tiles run side
// by side.
static bool one_is_enough(const wwi_runner *r, const load *of, const wwi_path_tiles *t) {
    const bool few = of->count * 2 < (t->lanes ? of->units : (uint64_t)r->vector) && of->n >= 1024 && of->m >= 1024;
    // A launch of less than a quarter of what fills the device leaves too much of it idle.
    const bool filled = !t->lanes || t->groups >= of->count || t->groups * 4 >= of->resident * at_once(t);
    return !few && filled && t->fixed_bytes + wwi_path_pair_bytes(r, t, of->n, of->m) <= of->budget / 2;
}

// Tiles of about `size` rows and columns. *needed: bytes that they need at least.
static bool cut(const wwi_runner *r, const load *of, uint32_t size, wwi_path_tiles *t, uint64_t *needed) {
    if (t->lanes)
        choose_lanes(r, strip_columns(r, of->n, of->m < size ? of->m : size), t);
    t->tile_rows = (uint32_t)up(size, t->lanes ? t->step : VALUES);
    t->tile_columns = (uint32_t)up(size, t->lanes ? t->width * t->columns : VALUES);
    t->workers = t->groups = 1;
    measure_tiles(r, t);
    const uint64_t lines = wwi_path_pair_bytes(r, t, of->n, of->m);
    *needed = t->fixed_bytes + lines;
    if (*needed > of->budget)
        return false;
    t->workers = t->lanes ? of->resident : wwi_least(of->resident, (of->budget - lines) / t->fixed_bytes);
    t->forward_workers = t->lanes ? of->resident * 2 : t->workers;
    if (t->lanes)
        choose_groups(of->count, of->resident * at_once(t), (of->budget - lines) / 2, r, t);
    else
        measure_tiles(r, t);
    return true;
}

ww_status wwi_path_tiles_choose(const wwi_runner *r, size_t count, uint32_t n, uint32_t m, uint64_t budget,
                                wwi_path_tiles *t) {
    const uint32_t shorter = n < m ? n : m, longer = n < m ? m : n;
    const long forced = wwi_tuned(r, "path.tile", 0);
    load of = {.count = count, .budget = budget, .units = wwi_compute_units(r->of.context), .n = n, .m = m};
    uint64_t needed;
    *t = choose_one(r, &of);
    if (!forced && one_is_enough(r, &of, t))
        return WW_OK;
    // Larger tiles have fewer lines, and more directions.
    t->whole = false;
    uint32_t size = forced > 0 ? (uint32_t)forced : t->lanes ? 512 : shorter / 16;
    if (!forced)
        size = size < 64 ? 64 : size > 512 ? 512 : size;
    for (; !cut(r, &of, size, t, &needed); size *= 2)
        if (size >= longer || size >= MOST_TILE)
            return too_small(r, n, m, needed, budget);
    return WW_OK;
}
