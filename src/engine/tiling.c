// SPDX-License-Identifier: Apache-2.0
// How a matrix is divided into columns, rows and strips for each engine. Nothing is launched here.
#include "engine/tiling.h"

#include "base/pace.h"

#include "measure/measure_table.h"

long wwi_tuned(const wwi_runner *r, const char *name, long fallback) {
    return wwi_tuning_for(r->of.context, r->of.precision, name, fallback);
}

bool wwi_by_items(const wwi_runner *r) {
    return r->gpu || wwi_forced(r->of.context, "form.items", 1, 0) == 1;
}

bool wwi_points_in_registers(const wwi_runner *r) {
    return r->of.channels <= REGISTER_CHANNELS;
}

// Whether the values kept for columns fit besides the registers counted: in float with NVIDIA's compiler, not with
// AMD's.
static bool keeps_beside(const wwi_runner *r) {
    return r->of.exchange == WWI_EXCHANGE_NV_SHFL && r->of.precision == WW_FLOAT;
}

// Most columns a lane can hold: a column takes a value and a point.
uint32_t wwi_lane_columns(const wwi_runner *r, bool banded) {
    if (r->tabled) // a column takes its value, and the costs of a row-step
        return r->of.precision == WW_DOUBLE ? 8 : 16;
    if (!wwi_points_in_registers(r))
        return 8;
    const long values = wwi_tuned(r, "lanes.values", r->gpu ? (r->of.precision == WW_DOUBLE ? 64 : 128) : 32) -
                        4 * r->of.row->row_values;
    const uint32_t kept = keeps_beside(r) ? 0 : (uint32_t)r->of.row->column_registers;
    uint32_t columns =
        (values < 0 ? 0 : (uint32_t)values) / (r->of.channels + 1 + kept + (uint32_t)r->of.row->column_values +
                                               (r->of.row->transform == WWI_TRANSFORM_TIMES ? r->of.extra : 0));
    // A user's cost may need many registers of its own.
    if (wwi_measure_cost(&r->of.measure) == WW_COST_USER)
        columns /= 2;
    // So do the best of open ends and the logarithms of the soft minimum.
    if (r->of.open || r->of.soft)
        columns /= 2;
    const uint32_t most = banded ? (uint32_t)wwi_tuned(r, "lanes.banded", 16) : 64;
    if (columns > most)
        columns = most;
    return columns < 4 ? 4 : columns & ~1u;
}

// Rows a step; `n` the rows of all pairs, 0 when they differ. Eight run best where few of them are padding.
uint32_t wwi_lane_rows(const wwi_runner *r, uint32_t n) {
    if (r->tabled)
        return 4;
    if (!wwi_points_in_registers(r))
        return 1;
    if (r->of.channels > 4)
        return 2;
    // The kept values move by as many registers as there are columns, for any number of rows a step.
    const bool many = keeps_beside(r) && r->of.row->column_registers;
    const uint32_t rows = (uint32_t)wwi_tuned(r, "lanes.rows", many ? 8 : 4);
    return rows > 4 && (r->of.banded || (n && (rows - n % rows) % rows * 50 > n)) ? 4 : rows;
}

uint32_t wwi_lane_group(const wwi_runner *r) {
    const long group = wwi_tuned(r, "lanes.group", r->gpu ? 64 : 16);
    return group < (long)r->width ? r->width : (uint32_t)group;
}

uint32_t wwi_lanes_limit(const wwi_runner *r) {
    return r->width * wwi_lane_columns(r, false);
}

bool wwi_can_vector(const wwi_runner *r) {
    return r->of.channels <= VECTOR_CHANNELS || r->summed;
}

bool wwi_vector_strips(const wwi_runner *r) {
    return !wwi_by_items(r) && r->of.channels <= VECTOR_CHANNELS;
}

wwi_fit wwi_fit_of(const wwi_runner *r, const wwi_engine *lanes) {
    const ww_dataset *x = r->rows, *y = r->columns;
    const double cells = (double)x->count * (double)y->count * (double)x->rank_lengths[x->rank_count - 1] *
                         (double)y->rank_lengths[y->rank_count - 1];
    // A guess that is never refined: the choice is the same in every run.
    const double seconds =
        cells / wwi_pace_guess(wwi_context_info(r->of.context), r->gpu ? lanes->gpu_rate : lanes->cpu_rate);
    // Compiling takes most of a second. A tiling of few costs an eighth of the speed at most, the one for any length a
    // half.
    const wwi_fit fit = seconds < 0.002 ? WWI_FIT_ANY : seconds < 4 ? WWI_FIT_FEW : WWI_FIT_OWN;
    return (wwi_fit)wwi_forced(r->of.context, "form.fit", 2, (long)fit);
}

// Lanes that a GPU computes at once: a warp in each of the four schedulers of a compute unit.
static uint64_t lanes_at_once(const wwi_runner *r) {
    return wwi_compute_units(r->of.context) * 128;
}

// How long a batch takes with a tiling, in cycles: a step of few lanes takes as long as the dependences in it (a few
// hundred cycles and some for each column), one of many as long as their instructions. Measured with DTW on one GPU,
// where it orders the tilings of 500 to 30 000 pairs of 128 to 2048 points as their times do.
static double lanes_cost(const wwi_runner *r, wwi_tiling t, wwi_shape shape) {
    const double at_once = (double)lanes_at_once(r), lanes = (double)shape.pairs * t.width;
    const double waiting = 300 + 12 * t.columns + (t.columns > 48 ? 300 : 0);
    const double working = (15.5 * t.columns + 110) * (lanes > at_once ? lanes / at_once : 1);
    const double steps = (double)wwi_ceil_div(shape.longest, t.rows) + t.width - 1;
    return steps * (waiting > working ? waiting : working);
}

// The widest columns of a lane that are `columns` or a power of two fewer, at least `fewest`, and reach m.
static uint32_t halved(uint32_t columns, uint32_t fewest, uint32_t width, uint32_t m) {
    while (columns / 2 >= fewest && (uint64_t)width * (columns / 2 & ~1u) >= m)
        columns = columns / 2 & ~1u;
    return columns;
}

wwi_tiling wwi_lanes_tiling(const wwi_runner *r, wwi_shape shape) {
    const uint32_t most = wwi_lane_columns(r, false), m = shape.m;
    const bool any = r->fit == WWI_FIT_ANY;
    wwi_tiling best = {most, wwi_lane_rows(r, any ? 0 : shape.n), r->width};
    double least = 0;
    for (uint32_t width = 1; width <= r->width; width *= 2) {
        wwi_tiling t = {most, best.rows, width};
        if ((uint64_t)width * most < m && width < r->width)
            continue;
        if (any) {
            t.columns = r->gpu ? halved(most, 8, width, m) : halved(most, most < 8 ? 4 : most / 2, r->width, m);
        } else {
            const uint32_t columns = (uint32_t)wwi_ceil_div(m, width);
            const uint32_t step = shape.many || r->fit == WWI_FIT_FEW ? (columns > 16 ? 8 : 4) : r->tabled ? 4 : 2;
            t.columns = (uint32_t)wwi_ceil_div(columns, step) * step;
            t.columns = t.columns < most ? t.columns : most;
        }
        if ((uint64_t)width * t.columns < m && width < r->width)
            continue;
        const double cost = lanes_cost(r, t, shape);
        if (least == 0 || cost < least) {
            best = t;
            least = cost;
        }
        if (!r->gpu || t.columns <= 8)
            break;
    }
    return best;
}

uint32_t wwi_rows_per_group(const wwi_runner *r, uint64_t rows, uint64_t columns, uint32_t width, bool list) {
    const uint64_t units = wwi_compute_units(r->of.context);
    const uint64_t groups = units * (uint64_t)wwi_tuned(r, "lanes.resident", 4096) / width + 1;
    const uint64_t pairs = list ? rows : rows * columns;
    const uint64_t take = wwi_least(wwi_least(pairs / groups, list ? 32 : 64), rows);
    return take ? (uint32_t)take : 1;
}

// Columns a lane of a strip holds: as many as leave strips enough to fill the device.
wwi_tiling wwi_strips_tiling(const wwi_runner *r, uint64_t pairs, uint32_t m) {
    wwi_tiling tiling = {8, wwi_lane_rows(r, 0), r->width};
    if (!r->of.banded)
        tiling.columns = (uint32_t)wwi_tuned(r, "strips.columns", 8);
    if (wwi_vector_strips(r)) {
        // A strip's lanes wait for each other: of doubles no more than a processor's vector has.
        tiling.width = r->of.precision == WW_DOUBLE && r->vector > 4 ? 4 : (uint32_t)r->vector;
        tiling.rows = 4;
        if (r->of.channels > 1)
            tiling.columns = 4;
        return tiling;
    }
    const uint64_t wanted = wwi_compute_units(r->of.context) * (uint64_t)wwi_tuned(r, "strips.resident", 4);
    const uint32_t most = wwi_lane_columns(r, r->of.banded);
    if (tiling.columns > most)
        tiling.columns = most;
    while (tiling.columns * 2 <= most && pairs * wwi_ceil_div(m, 2 * tiling.columns * tiling.width) >= wanted)
        tiling.columns *= 2;
    // Short steps fill the pipeline of a few strips sooner; many strips fill the device in any case, and are faster
    // with long steps.
    if (tiling.rows >= 4) {
        const bool few = !r->of.banded && pairs * wwi_ceil_div(m, (uint64_t)tiling.columns * tiling.width) < 4 * wanted;
        tiling.rows = few ? (uint32_t)wwi_tuned(r, "strips.rows", 4) : 4;
    }
    return tiling;
}

// ---- bits

// Most words of a lane: each needs its planes and, for what the measure keeps, about four registers. AMD's
// compiler needs more.
static uint32_t most_words(const wwi_runner *r) {
    const uint32_t values = r->of.exchange == WWI_EXCHANGE_NV_SHFL ? 96 : 48;
    const uint32_t held = r->planes ? r->planes->bits : r->of.precision == WW_DOUBLE ? 64 : 32;
    const uint32_t words = values / (held + 4);
    return words > 16 ? 16 : words < 1 ? 1 : words;
}

bool wwi_vector_bits(const wwi_runner *r) {
    return !wwi_by_items(r) && r->planes;
}

static uint64_t words_of(uint32_t m) {
    return wwi_ceil_div(m, 32);
}

uint32_t wwi_bits_limit(const wwi_runner *r) {
    return r->width * most_words(r) * 32;
}

// Rows of a step. Points of rows are held, each in a register or two.
static uint32_t bits_rows(const wwi_runner *r) {
    return r->planes ? BITS_ROWS : 8;
}

// Words and width for a column series of m points.
wwi_tiling wwi_bits_tiling(const wwi_runner *r, wwi_shape shape) {
    const uint32_t m = shape.m;
    const uint32_t most = most_words(r);
    wwi_tiling tiling = {1, bits_rows(r), 1};
    while (tiling.width < r->width && (uint64_t)tiling.width * most < words_of(m))
        tiling.width *= 2;
    tiling.columns = (uint32_t)wwi_ceil_div(words_of(m), tiling.width);
    // A program for every number of words would be compiled for ever where lengths differ.
    if (tiling.columns > 4)
        tiling.columns = (tiling.columns + 1) & ~1u;
    tiling.columns = tiling.columns < most ? tiling.columns : most;
    return tiling;
}

wwi_tiling wwi_bits_strips_tiling(const wwi_runner *r, uint64_t pairs, uint32_t m) {
    wwi_tiling tiling = {1, bits_rows(r), wwi_vector_bits(r) ? BITS_VECTOR : r->width};
    const uint64_t wanted = wwi_compute_units(r->of.context) * 2;
    const uint32_t most = wwi_vector_bits(r) ? BITS_WORDS : most_words(r);
    while (tiling.columns * 2 <= most &&
           pairs * wwi_ceil_div(m, 64 * (uint64_t)tiling.columns * tiling.width) >= wanted)
        tiling.columns *= 2;
    return tiling;
}
