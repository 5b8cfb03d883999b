// SPDX-License-Identifier: Apache-2.0
#include "engine/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/band.h"

// Room for the words of all bands of a block; larger blocks are halved.
#define BAND_WORDS (64u << 20)
// Most channels a point may have in a vector engine's private memory.
#define VECTOR_CHANNELS 64
#define BITS_VECTOR 16 // pairs side by side in kernels_cl/engine/bits_packed.cl
#define NO_LIMIT UINT32_MAX

static uint32_t least_u32(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

// At least 1, whatever the driver says.
static uint64_t compute_units(const wwi_runner *r) {
    const uint64_t units = wwi_context_info(r->context)->compute_units;
    return units ? units : 1;
}

static long tuned(const wwi_runner *r, const char *name, long fallback) {
    return wwi_tuning(r->context, name, r->precision == WW_DOUBLE ? "f64" : "f32", fallback);
}

// ---- making and choosing
// ------------------------------------------------------------------------------------------------

void wwi_runner_destroy(wwi_runner **runner) {
    if (!runner || !*runner)
        return;
    wwi_runner *r = *runner;
    *runner = NULL;
    for (size_t i = 0; i < r->variant_count; i++) {
        wwi_kernel_destroy(&r->variants[i].kernel);
        wwi_kernel_destroy(&r->variants[i].interleave);
        wwi_program_release(&r->variants[i].program);
    }
    wwi_buffer **buffers[] = {&r->row_order,      &r->column_order, &r->band,        &r->edges,
                              &r->counter,        &r->row_packed,   &r->row_offsets, &r->column_packed,
                              &r->column_offsets, &r->scratch,      &r->abandoned};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wwi_buffer_destroy(buffers[i]);
    wwi_bit_planes_destroy(&r->planes);
    wwi_words_free(&r->words);
    free(r);
}

// Whether a point's channels can be registers in the engine.
static bool points_in_registers(const wwi_runner *r) {
    return r->channels <= REGISTER_CHANNELS;
}

// Whether what columns keep finds room beside the registers counted: in float NVIDIA's compiler has them, AMD's has
// not.
static bool keeps_beside(const wwi_runner *r) {
    return r->exchange == WWI_EXCHANGE_NV_SHFL && r->precision == WW_FLOAT;
}

// Most columns a lane can hold: a column takes a value and a point.
static uint32_t lane_columns(const wwi_runner *r, bool banded) {
    if (!points_in_registers(r))
        return 8;
    const long values = tuned(r, "lanes.values", r->gpu ? (r->precision == WW_DOUBLE ? 64 : 128) : 32);
    const uint32_t kept = keeps_beside(r) ? 0 : (uint32_t)r->recurrence->column_registers;
    uint32_t columns = (uint32_t)values / (r->channels + 1 + kept + (uint32_t)r->recurrence->column_values +
                                           (r->recurrence->transform == WWI_TRANSFORM_TIMES ? r->extra : 0));
    // A user's cost may need many registers of its own.
    if (wwi_measure_cost(&r->measure) == WW_COST_USER)
        columns /= 2;
    // So do the best of open ends and the logarithms.
    if (r->open || r->soft)
        columns /= 2;
    const uint32_t most = banded ? (uint32_t)tuned(r, "lanes.banded", 16) : 64;
    if (columns > most)
        columns = most;
    return columns < 4 ? 4 : columns & ~1u;
}

// Rows a step; `n` the rows of all pairs, 0 when they differ. Eight run best where few of them are made up.
static uint32_t lane_rows(const wwi_runner *r, uint32_t n) {
    if (!points_in_registers(r))
        return 1;
    if (r->channels > 4)
        return 2;
    // What is kept moves on by as many registers as there are columns, however many rows a step has.
    const bool many = keeps_beside(r) && r->recurrence->column_registers;
    const uint32_t rows = (uint32_t)tuned(r, "lanes.rows", many ? 8 : 4);
    return rows > 4 && (r->banded || (n && (rows - n % rows) % rows * 50 > n)) ? 4 : rows;
}

static uint32_t lane_group(const wwi_runner *r) {
    const long group = tuned(r, "lanes.group", r->gpu ? 64 : 16);
    return group < (long)r->width ? r->width : (uint32_t)group;
}

// Longest column series engine lanes can hold without a band.
static uint32_t lanes_limit(const wwi_runner *r) {
    return r->width * lane_columns(r, false);
}

static uint32_t stencil_group(const wwi_runner *r) {
    return (uint32_t)tuned(r, "stencil.group", r->gpu ? 128 : 16);
}

static uint32_t stencil_limit(const wwi_runner *r) {
    const uint64_t bytes = wwi_context_info(r->context)->local_bytes;
    const uint64_t group = r->open ? (uint64_t)stencil_group(r) : 0; // a value for each work-item
    const uint64_t rows = (bytes / wwi_runner_value_bytes(r) - group) / 3;
    return rows > 2 ? least_u32(rows - 1, NO_LIMIT) : 1;
}

static bool can_vector(const wwi_runner *r) {
    return r->channels <= VECTOR_CHANNELS;
}

// Whether engine strips runs as vectors in a work-item, not as work-groups.
static bool vector_strips(const wwi_runner *r) {
    return !r->gpu && can_vector(r) && tuned(r, "strips.vector", 1) != 0;
}

static ww_engine choose_engine(const wwi_runner *r, bool list, size_t rows, size_t columns, uint32_t longest_row,
                               uint32_t longest_column) {
    if (r->bits)
        return WW_ENGINE_BITS;
    const uint32_t shorter = longest_row < longest_column ? longest_row : longest_column;
    if (r->gpu) {
        const uint32_t longer = longest_row < longest_column ? longest_column : longest_row;
        // Too few pairs to fill the device, and long enough that cutting them up pays.
        const uint64_t pairs = list ? rows : (uint64_t)rows * columns;
        if (pairs < compute_units(r) && shorter >= 256 && longer >= 4096)
            return WW_ENGINE_STRIPS;
        const uint32_t fitting = r->symmetric ? shorter : longest_column;
        return fitting <= lanes_limit(r) ? WW_ENGINE_LANES : WW_ENGINE_STRIPS;
    }
    if (!can_vector(r))
        return WW_ENGINE_LANES;
    const size_t lanes_used = list ? rows : r->symmetric && rows > columns ? rows : columns;
    // One lane in use of many: better the lanes of one pair, where it is long enough to fill them.
    if (lanes_used * 4 <= (size_t)r->vector && shorter >= 512)
        return WW_ENGINE_STRIPS;
    // The rows kept for all lanes should stay in the cache.
    if ((uint64_t)shorter * (uint64_t)r->vector * wwi_runner_value_bytes(r) > (8u << 20))
        return WW_ENGINE_STRIPS;
    return WW_ENGINE_PACKED;
}

// Whether engine bits can compute the measure, on bit planes made here or on the points as they are.
static ww_status take_bits(wwi_runner *r) {
    const bool symbols = wwi_measure_is_bits_of_symbols(&r->measure);
    r->no_bits = "it is for Levenshtein with all weights 1, LCS, LCSS, and EDR but aeon's";
    if (r->options.engine != WW_ENGINE_AUTO && r->options.engine != WW_ENGINE_BITS)
        return WW_OK;
    if (!symbols && !wwi_measure_is_bits_of_points(&r->measure))
        return WW_OK;
    if (r->banded) {
        r->no_bits = "it knows no bands";
        return WW_OK;
    }
    if (symbols) {
        const ww_status status = wwi_bit_planes_create(r->rows, r->columns, r->passes > 1, &r->planes, &r->no_bits);
        r->bits = r->planes != NULL;
        return status;
    }
    r->no_bits = "points of several channels stay in engine lanes";
    // On a CPU a vector of pairs is faster: there it runs when it is asked for.
    r->bits = r->channels == 1 && (r->gpu || r->options.engine == WW_ENGINE_BITS);
    return WW_OK;
}

ww_status wwi_runner_create(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                            const ww_plan_options *options, wwi_runner **runner) {
    *runner = NULL;
    wwi_runner *r = calloc(1, sizeof *r);
    if (!r)
        return wwi_fail_memory(sizeof *r);
    r->context = rows->context;
    r->measure = *measure;
    r->recurrence = wwi_measure_row_by_id(measure->id);
    r->rows = rows;
    r->columns = columns;
    r->precision = rows->precision;
    r->options = *options;
    const bool independent = measure->independent && rows->channels > 1;
    r->channels = independent ? 1 : (uint32_t)rows->channels;
    r->passes = independent ? (uint32_t)rows->channels : 1;
    r->extra = r->recurrence->transform != WWI_TRANSFORM_NONE && rows->extra;
    r->banded = measure->band.kind != WW_BAND_NONE;
    r->symmetric = wwi_measure_roles_exchange(measure);
    r->open = wwi_measure_is_open(measure);
    r->soft = wwi_measure_is_soft(measure);
    const ww_device_info *info = wwi_context_info(r->context);
    r->gpu = info->type == WW_DEVICE_GPU;
    r->exchange = wwi_context_exchange(r->context);
    r->width = r->exchange == WWI_EXCHANGE_LOCAL ? (uint32_t)tuned(r, "lanes.width", r->gpu ? 64 : 16)
                                                 : wwi_context_exchange_width(r->context);
    if (r->width > 32 && r->exchange != WWI_EXCHANGE_LOCAL)
        r->width = 32;
    r->vector = (int)tuned(r, "packed.vector", r->precision == WW_DOUBLE ? 8 : 16);
    ww_status status = take_bits(r);
    if (status != WW_OK) {
        wwi_runner_destroy(&r);
        return status;
    }
    uint32_t longest_row = rows->rank_lengths[rows->rank_count - 1];
    uint32_t longest_column = columns->rank_lengths[columns->rank_count - 1];
    r->engine = options->engine ? options->engine
                                : choose_engine(r, false, rows->count, columns->count, longest_row, longest_column);
    const double per_second = (double)info->compute_units * (double)info->clock_mhz * 1e6;
    r->rate[WW_ENGINE_LANES] = per_second * (r->gpu ? 4 : 0.05);
    r->rate[WW_ENGINE_STRIPS] = per_second * (r->gpu ? 0.5 : 0.5);
    r->rate[WW_ENGINE_STENCIL] = per_second * (r->gpu ? 0.2 : 0.01);
    r->rate[WW_ENGINE_PACKED] = per_second * (r->gpu ? 0.1 : 1);
    r->rate[WW_ENGINE_BITS] = per_second * 10;
    status = wwi_runner_check_user(r);
    if (status != WW_OK)
        wwi_runner_destroy(&r);
    *runner = r;
    return status;
}

ww_engine wwi_runner_engine(const wwi_runner *runner) {
    return runner->engine;
}

void wwi_runner_skip(wwi_runner *runner, uint64_t cells) {
    runner->done += cells;
}

ww_status wwi_runner_abandoned(const wwi_runner *runner, uint64_t *pairs) {
    uint32_t count = 0;
    const ww_status status = runner->abandoned ? wwi_buffer_read(runner->abandoned, 0, 4, &count) : WW_OK;
    *pairs = count;
    return status;
}

uint64_t wwi_runner_cells(const wwi_runner *runner) {
    return runner->done;
}

uint64_t wwi_runner_pair_cells(const wwi_runner *runner, uint32_t n, uint32_t m) {
    const uint64_t cells = wwi_band_cells(&runner->measure.band, n, m);
    return cells == UINT64_MAX ? cells : cells * runner->passes;
}

void wwi_runner_start(wwi_runner *runner, uint64_t total) {
    runner->done = 0;
    runner->total = total;
    wwi_buffer_destroy(&runner->abandoned);
    runner->waiting = 0;
    runner->waited = wwi_seconds();
}

static ww_status grow_buffer(wwi_runner *r, wwi_buffer **buffer, uint64_t bytes) {
    if (*buffer && wwi_buffer_bytes(*buffer) >= bytes)
        return WW_OK;
    wwi_buffer_destroy(buffer);
    return wwi_buffer_create(r->context, bytes ? bytes : 1, buffer);
}

static ww_status write_buffer(wwi_runner *r, wwi_buffer **buffer, uint64_t bytes, const void *source) {
    const ww_status status = grow_buffer(r, buffer, bytes);
    return status == WW_OK ? wwi_buffer_write(*buffer, 0, bytes, source) : status;
}

static wwi_variant_key key_of(const wwi_runner *r, ww_engine engine, const wwi_batch *block) {
    wwi_variant_key key;
    memset(&key, 0, sizeof key); // compared byte by byte
    key.engine = engine;
    key.list = block->list;
    key.band = r->banded;
    key.vector = 1;
    key.columns = 1;
    key.rows = 1;
    key.group = 1;
    key.registers = points_in_registers(r);
    return key;
}

// ---- launches
// -----------------------------------------------------------------------------------------------------------

// Waits for what was enqueued, learns the engine's rate from it, reports progress.
static ww_status wait_and_report(wwi_runner *r, ww_engine engine) {
    const ww_status status = wwi_finish(r->context);
    if (status != WW_OK)
        return status;
    const double now = wwi_seconds(), spent = now - r->waited;
    if (r->waiting && spent > 1e-3)
        r->rate[engine] = (double)r->waiting / spent;
    r->done += r->waiting;
    r->waiting = 0;
    if (r->options.progress && r->options.progress(r->options.progress_user, r->done, r->total) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "cancelled");
    r->waited = wwi_seconds();
    return WW_OK;
}

// Units [*begin, *begin + result) may go into one launch: as many as should take launch_seconds.
static uint64_t launch_units(const wwi_runner *r, ww_engine engine, uint64_t left, double cells_per_unit) {
    const double seconds = r->options.launch_seconds > 0 ? r->options.launch_seconds : 0.25;
    const double units = r->rate[engine] * seconds / (cells_per_unit > 1 ? cells_per_unit : 1);
    const uint64_t most = 0x7fffffff;
    uint64_t take = units < 1 ? 1 : units > (double)most ? most : (uint64_t)units;
    // Rather two halves than nearly all and a rest.
    if (take < left && take * 2 > left)
        take = (left + 1) / 2;
    return take < left ? take : left;
}

// Drivers that compile a kernel when it is first launched (PoCL) do so here too: for one group that finds nothing to
// do.
static ww_status enqueue(const wwi_runner *r, const wwi_variant *v, uint64_t groups, const wwi_arg *args,
                         size_t count) {
    return wwi_launch(v->kernel, r->preparing ? 1 : groups, v->key.group, args, count);
}

// After a launch of `cells`; `more` when others follow.
static ww_status launched(wwi_runner *r, ww_engine engine, double cells, bool more) {
    r->waiting += (uint64_t)cells;
    const double seconds = r->options.launch_seconds > 0 ? r->options.launch_seconds : 0.25;
    if (more || r->options.progress || (double)r->waiting > r->rate[engine] * seconds)
        return wait_and_report(r, engine);
    return WW_OK;
}

static double sum_lengths(const ww_dataset *d, const uint32_t *ids, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += d->lengths[ids[i]];
    return sum;
}

// Cells of a block, the share of the matrix inside the band estimated from its longest pair.
static double block_cells(const wwi_runner *r, const ww_dataset *rows, const ww_dataset *columns, const wwi_batch *b) {
    double cells = 0;
    uint32_t n = 1, m = 1;
    if (b->list) {
        for (size_t t = 0; t < b->rows; t++) {
            const uint32_t x = rows->lengths[b->pairs[3 * t]], y = columns->lengths[b->pairs[3 * t + 1]];
            cells += (double)x * (double)y;
            n = x > n ? x : n;
            m = y > m ? y : m;
        }
    } else {
        cells = sum_lengths(rows, b->row_ids + b->row_begin, b->rows - b->row_begin) *
                sum_lengths(columns, b->column_ids, b->columns);
        if (b->half)
            cells /= 2;
        n = rows->lengths[b->row_ids[b->rows - 1]];
        m = columns->lengths[b->column_ids[b->columns - 1]];
    }
    if (r->banded) {
        const uint64_t inside = wwi_band_cells(&r->measure.band, n, m);
        if (inside && inside != UINT64_MAX)
            cells *= (double)inside / ((double)n * (double)m);
    }
    return cells;
}

// ---- bands
// --------------------------------------------------------------------------------------------------------------

// Ranks of a block's rows and columns, and the tables of all pairs of lengths in it, in r->words; uploaded by the
// caller.
typedef struct rank_range {
    uint32_t row_base, column_base, rows, columns;
} rank_range;

static rank_range ranks_of(const ww_dataset *rows, const ww_dataset *columns, const wwi_batch *b) {
    uint32_t row_lo = NO_LIMIT, row_hi = 0, column_lo = NO_LIMIT, column_hi = 0;
    const size_t n = b->rows, m = b->list ? b->rows : b->columns;
    for (size_t i = b->row_begin; i < n; i++) {
        const uint32_t rank = rows->ranks[b->list ? b->pairs[3 * i] : b->row_ids[i]];
        row_lo = rank < row_lo ? rank : row_lo;
        row_hi = rank > row_hi ? rank : row_hi;
    }
    for (size_t j = 0; j < m; j++) {
        const uint32_t rank = columns->ranks[b->list ? b->pairs[3 * j + 1] : b->column_ids[j]];
        column_lo = rank < column_lo ? rank : column_lo;
        column_hi = rank > column_hi ? rank : column_hi;
    }
    return (rank_range){row_lo, column_lo, row_hi - row_lo + 1, column_hi - column_lo + 1};
}

// Builds the tables. *fits: see wwi_band_table(). *small is false when they are too many words for one block.
static ww_status build_bands(wwi_runner *r, const ww_dataset *rows, const ww_dataset *columns, const wwi_batch *b,
                             rank_range range, wwi_tiling tiling, bool *fits, bool *small) {
    ww_status status;
    *fits = true;
    *small = true;
    r->words.count = 0;
    const uint64_t heads = (uint64_t)range.rows * range.columns;
    if (heads > BAND_WORDS) {
        *small = false;
        return WW_OK;
    }
    if ((status = wwi_words_reserve(&r->words, (size_t)heads)) != WW_OK)
        return status;
    memset(r->words.data, 0, (size_t)heads * sizeof *r->words.data);
    r->words.count = (size_t)heads;
    const uint64_t pairs = b->list ? b->rows : heads;
    for (uint64_t p = 0; p < pairs; p++) {
        const uint32_t row = b->list ? rows->ranks[b->pairs[3 * p]] : range.row_base + (uint32_t)(p / range.columns);
        const uint32_t column =
            b->list ? columns->ranks[b->pairs[3 * p + 1]] : range.column_base + (uint32_t)(p % range.columns);
        const size_t head = (size_t)(row - range.row_base) * range.columns + (column - range.column_base);
        if (r->words.data[head])
            continue;
        if (r->words.count > BAND_WORDS && pairs > 1) {
            *small = false;
            return WW_OK;
        }
        r->words.data[head] = (uint32_t)r->words.count;
        status = wwi_band_table(&r->measure.band, rows->rank_lengths[row], columns->rank_lengths[column], tiling,
                                &r->words, fits);
        if (status != WW_OK || !*fits)
            return status;
    }
    return WW_OK;
}

// ---- engines
// ------------------------------------------------------------------------------------------------------------

// The sides of a block in the roles the engine gives them.
typedef struct sides {
    ww_dataset *rows, *columns;
} sides;

static void fill_job(const wwi_batch *b, rank_range range, wwi_launch_args *job) {
    memset(job, 0, sizeof *job);
    job->row_stride = b->row_stride;
    job->column_stride = b->column_stride;
    job->row_begin = (uint32_t)b->row_begin;
    job->row_end = (uint32_t)b->rows;
    job->column_end = (uint32_t)b->columns;
    job->row_base = b->row_base;
    job->column_base = b->column_base;
    job->layout = b->layout;
    job->count = b->count;
    job->flags = b->half ? WWI_LAUNCH_HALF : 0;
    job->rank_row_base = range.row_base;
    job->rank_column_base = range.column_base;
    job->rank_columns = range.columns;
    job->group_width = 1;
    job->rows_per_group = 1;
}

// No more than a kernel's int holds, which is more than any length.
static uint32_t skipped(size_t points) {
    return points > 0x7fffffff ? 0x7fffffff : (uint32_t)points;
}

static void fill_ends(const ww_measure *measure, bool exchanged, wwi_launch_args *job) {
    job->begin_x = skipped(exchanged ? measure->relax_begin_y : measure->relax_begin_x);
    job->end_x = skipped(exchanged ? measure->relax_end_y : measure->relax_end_x);
    job->begin_y = skipped(exchanged ? measure->relax_begin_x : measure->relax_begin_y);
    job->end_y = skipped(exchanged ? measure->relax_end_x : measure->relax_end_y);
}

static uint64_t block_pairs(const wwi_batch *b) {
    return b->list ? b->rows : (uint64_t)(b->rows - b->row_begin) * b->columns;
}

static uint64_t ceil_div(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

#define COMMON_ARGS(b, r, job)                                                                                         \
    WWI_BUFFER((b)->row.values), WWI_BUFFER((b)->row.series), WWI_BUFFER((b)->column.values),                          \
        WWI_BUFFER((b)->column.series), WWI_BUFFER((r)->row_order),                                                    \
        WWI_BUFFER((b)->list ? (r)->row_order : (r)->column_order),                                                    \
        WWI_BUFFER((r)->banded && (r)->band ? (r)->band : (r)->row_order), WWI_BUFFER((b)->out), WWI_VALUE(job)

// Width and columns of the lanes for a column series of m points, without a band; n as in lane_rows().
static wwi_tiling lanes_tiling(const wwi_runner *r, uint32_t n, uint32_t m, bool many_lengths) {
    const uint32_t most = lane_columns(r, false);
    wwi_tiling tiling = {most, lane_rows(r, n), 1};
    while (tiling.width < r->width && tiling.width * most < m)
        tiling.width *= 2;
    uint32_t columns = (uint32_t)ceil_div(m, tiling.width);
    // A program for every number of columns would be compiled for ever where lengths differ.
    const uint32_t step = many_lengths ? (columns > 16 ? 8 : 4) : 2;
    columns = (uint32_t)ceil_div(columns, step) * step;
    tiling.columns = columns < most ? columns : most;
    return tiling;
}

// Row series a group takes one after the other: enough that the device is still filled several times over.
static uint32_t rows_per_group(const wwi_runner *r, uint64_t rows, uint64_t columns, uint32_t width, bool list) {
    const uint64_t units = compute_units(r);
    const uint64_t groups = units * (uint64_t)tuned(r, "lanes.resident", 4096) / width + 1;
    const uint64_t pairs = list ? rows : rows * columns;
    uint64_t take = pairs / groups;
    const uint64_t most = list ? 32 : 64;
    if (take > most)
        take = most;
    if (take > rows)
        take = rows;
    return take ? (uint32_t)take : 1;
}

// Words a lane holds at most: each takes its planes and, for what the measure keeps, about four registers. AMD's
// compiler needs more.
static uint32_t most_words(const wwi_runner *r) {
    const long values = tuned(r, "bits.values", r->exchange == WWI_EXCHANGE_NV_SHFL ? 96 : 48);
    const uint32_t held = r->planes ? r->planes->bits : r->precision == WW_DOUBLE ? 64 : 32;
    const uint32_t words = (uint32_t)values / (held + 4);
    return words > 16 ? 16 : words < 1 ? 1 : words;
}

static bool vector_bits(const wwi_runner *r) {
    return !r->gpu && r->planes && tuned(r, "bits.vector", 16) > 1;
}

static uint64_t words_of(uint32_t m) {
    return ceil_div(m, 32);
}

static uint32_t bits_limit(const wwi_runner *r) {
    return r->width * most_words(r) * 32;
}

// Rows of a step. Points of rows are held, each in a register or two.
static uint32_t bits_rows(const wwi_runner *r) {
    return r->planes ? (uint32_t)tuned(r, "bits.rows", 16) : (uint32_t)tuned(r, "bits.point_rows", 8);
}

// Words and width for a column series of m points.
static wwi_tiling bits_tiling(const wwi_runner *r, uint32_t m) {
    const uint32_t most = most_words(r);
    wwi_tiling tiling = {1, bits_rows(r), 1};
    while (tiling.width < r->width && (uint64_t)tiling.width * most < words_of(m))
        tiling.width *= 2;
    tiling.columns = (uint32_t)ceil_div(words_of(m), tiling.width);
    // A program for every number of words would be compiled for ever where lengths differ.
    if (tiling.columns > 4)
        tiling.columns = (tiling.columns + 1) & ~1u;
    tiling.columns = tiling.columns < most ? tiling.columns : most;
    return tiling;
}

// The cut of engine lanes or bits.
static wwi_tiling group_tiling(const wwi_runner *r, ww_engine engine, uint32_t n, uint32_t m, bool many_lengths) {
    return engine == WW_ENGINE_BITS ? bits_tiling(r, m) : lanes_tiling(r, n, m, many_lengths);
}

// A side's planes and entries.
static wwi_slice planes_of(const wwi_runner *r, const ww_dataset *d) {
    return d == r->rows ? (wwi_slice){r->planes->row_planes, r->planes->row_series}
                        : (wwi_slice){r->planes->column_planes, r->planes->column_series};
}

// What an engine reads of a side: the points, or engine bits their planes where it has them.
static wwi_slice source_of(const wwi_runner *r, ww_engine engine, const ww_dataset *d, wwi_slice points) {
    return engine == WW_ENGINE_BITS && r->planes ? planes_of(r, d) : points;
}

#define BITS_ARGS(x, y, b, r, job)                                                                                     \
    WWI_BUFFER((x).values), WWI_BUFFER((x).series), WWI_BUFFER((y).values), WWI_BUFFER((y).series),                    \
        WWI_BUFFER((r)->row_order), WWI_BUFFER((b)->list ? (r)->row_order : (r)->column_order), WWI_BUFFER((b)->out),  \
        WWI_VALUE(job)

// Engines lanes and bits.
static ww_status launch_lanes(wwi_runner *r, ww_engine engine, const sides *s, const wwi_batch *b, wwi_launch_args job,
                              wwi_tiling tiling, double cells) {
    ww_status status;
    wwi_variant *v;
    wwi_variant_key key = key_of(r, engine, b);
    const bool bits = engine == WW_ENGINE_BITS;
    const wwi_slice x = source_of(r, engine, s->rows, b->row), y = source_of(r, engine, s->columns, b->column);
    key.columns = tiling.columns;
    key.rows = tiling.rows;
    key.group = lane_group(r);
    if ((status = wwi_runner_variant(r, key, &v)) != WW_OK)
        return status;
    const uint64_t rows = job.row_end - job.row_begin, columns = job.column_end - job.column_begin;
    job.group_width = tiling.width;
    job.rows_per_group = rows_per_group(r, rows, columns, tiling.width, b->list);
    const uint64_t chunks = ceil_div(rows, job.rows_per_group);
    const uint64_t groups = ceil_div(b->list ? chunks : chunks * columns, key.group / tiling.width);
    if (r->preparing)
        job.row_end = job.row_begin; // a group's other pairs may lie inside the half
    for (uint64_t at = 0; at < groups;) {
        const double per_group = cells / (double)groups;
        const uint64_t take = launch_units(r, engine, groups - at, per_group);
        job.unit_begin = (uint32_t)at;
        const wwi_arg args[] = {COMMON_ARGS(b, r, job)}, bits_args[] = {BITS_ARGS(x, y, b, r, job)};
        status = bits ? enqueue(r, v, take, bits_args, sizeof bits_args / sizeof *bits_args)
                      : enqueue(r, v, take, args, sizeof args / sizeof *args);
        if (status != WW_OK || r->preparing)
            return status;
        at += take;
        if ((status = launched(r, engine, per_group * (double)take, at < groups)) != WW_OK)
            return status;
    }
    return WW_OK;
}

// The cut for a banded block: least work for its longest pair among those that fit all its pairs. columns 0: none fits.
static ww_status banded_tiling(wwi_runner *r, const sides *s, const wwi_batch *b, rank_range range, wwi_tiling *tiling,
                               bool *small) {
    ww_status status;
    const uint32_t n = s->rows->rank_lengths[range.row_base + range.rows - 1];
    const uint32_t m = s->columns->rank_lengths[range.column_base + range.columns - 1];
    const uint32_t most = lane_columns(r, true);
    wwi_tiling candidates[24];
    double work[24];
    size_t count = 0;
    for (uint32_t columns = 4; columns <= most && columns <= 32; columns *= 2)
        for (uint32_t width = 1; width <= r->width; width *= 2) {
            bool fits;
            wwi_tiling c = {columns, lane_rows(r, n), width};
            r->words.count = 0;
            if ((status = wwi_band_table(&r->measure.band, n, m, c, &r->words, &fits)) != WW_OK)
                return status;
            if (!fits)
                continue;
            // A row-step costs its cells and something for itself.
            candidates[count] = c;
            work[count++] = (double)r->words.data[0] * width * (columns * c.rows + 8.0);
            break;
        }
    *tiling = (wwi_tiling){0, 1, 1};
    while (count) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (work[i] < work[best])
                best = i;
        wwi_tiling c = candidates[best];
        for (; c.width <= r->width; c.width *= 2) {
            bool fits;
            if ((status = build_bands(r, s->rows, s->columns, b, range, c, &fits, small)) != WW_OK)
                return status;
            if (!*small)
                return WW_OK;
            if (fits) {
                *tiling = c;
                return WW_OK;
            }
        }
        candidates[best] = candidates[count - 1];
        work[best] = work[--count];
    }
    *small = true;
    return WW_OK;
}

// Columns of a block from `begin` on that share a cut.
static size_t same_tiling(const wwi_runner *r, ww_engine engine, const sides *s, const wwi_batch *b, uint32_t n,
                          size_t begin, bool many, wwi_tiling *tiling) {
    const size_t count = b->list ? b->rows : b->columns;
#define COLUMN_LENGTH(i) s->columns->lengths[b->list ? b->pairs[3 * (i) + 1] : b->column_ids[i]]
    *tiling = group_tiling(r, engine, n, COLUMN_LENGTH(begin), many);
    size_t end = begin + 1;
    while (end < count) {
        const wwi_tiling next = group_tiling(r, engine, n, COLUMN_LENGTH(end), many);
        if (next.columns != tiling->columns || next.width != tiling->width)
            break;
        end++;
    }
#undef COLUMN_LENGTH
    return end;
}

static ww_status run_lanes(wwi_runner *r, ww_engine engine, const sides *s, const wwi_batch *b, wwi_launch_args job,
                           rank_range range, wwi_tiling tiling) {
    ww_status status;
    if (r->banded)
        return launch_lanes(r, engine, s, b, job, tiling, block_cells(r, s->rows, s->columns, b));
    const bool many = range.columns > 3;
    const uint32_t n = range.rows == 1 ? s->rows->rank_lengths[range.row_base] : 0;
    const size_t count = b->list ? b->rows : b->columns;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = same_tiling(r, engine, s, b, n, begin, many, &tiling);
        wwi_batch part = *b;
        if (b->list) {
            job.row_begin = (uint32_t)begin;
            job.row_end = (uint32_t)end;
            part.pairs = b->pairs + 3 * begin;
            part.rows = end - begin;
        } else {
            job.column_begin = (uint32_t)begin;
            job.column_end = (uint32_t)end;
            job.row_end = (uint32_t)(b->half && end < b->rows ? end : b->rows);
            if (job.row_end <= job.row_begin)
                continue;
            part.column_ids = b->column_ids + begin;
            part.columns = end - begin;
            part.rows = job.row_end;
        }
        if ((status = launch_lanes(r, engine, s, b, job, tiling, block_cells(r, s->rows, s->columns, &part))) != WW_OK)
            return status;
    }
    return WW_OK;
}

static ww_status run_stencil(wwi_runner *r, const sides *s, const wwi_batch *b, wwi_launch_args job, rank_range range) {
    ww_status status;
    wwi_variant *v;
    wwi_variant_key key = key_of(r, WW_ENGINE_STENCIL, b);
    key.group = stencil_group(r);
    if ((status = wwi_runner_variant(r, key, &v)) != WW_OK)
        return status;
    const uint32_t rows = s->rows->rank_lengths[range.row_base + range.rows - 1] + 1;
    job.scratch = rows;
    const uint64_t pairs = block_pairs(b);
    const double per_pair = block_cells(r, s->rows, s->columns, b) / (double)pairs;
    for (uint64_t at = 0; at < pairs;) {
        const uint64_t take = launch_units(r, WW_ENGINE_STENCIL, pairs - at, per_pair);
        job.unit_begin = (uint32_t)at;
        const wwi_arg args[] = {COMMON_ARGS(b, r, job), WWI_LOCAL(3 * rows * wwi_runner_value_bytes(r))};
        if ((status = enqueue(r, v, take, args, sizeof args / sizeof *args)) != WW_OK || r->preparing)
            return status;
        at += take;
        if ((status = launched(r, WW_ENGINE_STENCIL, per_pair * (double)take, at < pairs)) != WW_OK)
            return status;
    }
    return WW_OK;
}

// Interleaves one side. `field`: of a list's triple; 0 for a rectangle. Offsets of the packs in values.
static ww_status interleave(wwi_runner *r, wwi_variant *v, const ww_dataset *d, wwi_slice window, const uint32_t *ids,
                            size_t width, wwi_buffer *order, uint32_t stride, uint32_t field, size_t count,
                            uint32_t channel, wwi_buffer **packed, wwi_buffer **offsets) {
    ww_status status;
    const size_t packs = (count + width - 1) / width;
    uint64_t *at = malloc(packs * sizeof *at);
    if (!at)
        return wwi_fail_memory(packs * sizeof *at);
    uint64_t total = 0;
    for (size_t p = 0; p < packs; p++) {
        uint32_t longest = 0;
        for (size_t i = p * width; i < count && i < (p + 1) * width; i++)
            if (d->lengths[ids[i * stride + field]] > longest)
                longest = d->lengths[ids[i * stride + field]];
        at[p] = total;
        total += (uint64_t)longest * (r->channels + r->extra) * width;
    }
    if ((status = grow_buffer(r, packed, total * wwi_runner_value_bytes(r))) != WW_OK ||
        (status = write_buffer(r, offsets, packs * sizeof *at, at)) != WW_OK)
        goto done;
    const uint32_t begin = 0, end = (uint32_t)count;
    const wwi_arg args[] = {WWI_BUFFER(window.values), WWI_BUFFER(window.series), WWI_BUFFER(order), WWI_VALUE(stride),
                            WWI_VALUE(field),          WWI_VALUE(begin),          WWI_VALUE(end),    WWI_VALUE(channel),
                            WWI_BUFFER(*offsets),      WWI_BUFFER(*packed)};
    status =
        wwi_launch(v->interleave, r->preparing ? 1 : packs, v->key.below ? width : 1, args, sizeof args / sizeof *args);
done:
    free(at);
    return status;
}

// A band along the diagonal, the same for all pairs: `below` columns left of it and `columns` in all; 0 when it is
// none.
static uint32_t ribbon_columns(const wwi_runner *r, const sides *s, const wwi_batch *b, rank_range range,
                               uint32_t *below) {
    const ww_band *band = &r->measure.band;
    if (r->open || r->soft || b->list || r->channels != 1 || !(r->recurrence->flags & WWI_MEASURE_PLAIN) ||
        !(band->width <= 64))
        return 0;
    const uint32_t width = (uint32_t)band->width;
    const long most = tuned(r, "lanes.ribbon", r->gpu ? (r->precision == WW_DOUBLE ? 32 : 64) : 0);
    uint32_t columns = 0;
    if (band->kind == WW_BAND_SAKOE_CHIBA) {
        *below = width;
        columns = 2 * width + 1;
    } else if (band->kind == WW_BAND_CORNER && range.rows == 1 && range.columns == 1) {
        const uint32_t n = s->rows->rank_lengths[range.row_base], m = s->columns->rank_lengths[range.column_base];
        const uint64_t all = 2 * (uint64_t)width + 1 + (n > m ? n - m : m - n);
        *below = width + (n > m ? n - m : 0);
        columns = all <= 64 ? (uint32_t)all : 0;
    }
    return (long)columns <= most ? columns : 0;
}

static ww_status run_ribbon(wwi_runner *r, const sides *s, const wwi_batch *b, wwi_launch_args job, uint32_t columns,
                            uint32_t below) {
    ww_status status;
    wwi_variant *v;
    wwi_variant_key key = key_of(r, WW_ENGINE_LANES, b);
    key.band = 0; // the band is the shape of the ribbon, not a table
    key.columns = columns;
    key.rows = (uint32_t)tuned(r, "lanes.ribbon_rows", r->precision == WW_FLOAT && columns <= 48 ? 8 : 4);
    key.group = 64;
    key.below = below + 1;
    if ((status = wwi_runner_variant(r, key, &v)) != WW_OK ||
        (status = interleave(r, v, s->columns, b->column, b->column_ids, RIBBON_PACK, r->column_order, 1, 0, b->columns,
                             job.channel, &r->column_packed, &r->column_offsets)) != WW_OK)
        return status;
    const uint64_t rows = b->rows - b->row_begin;
    const uint32_t packs = (uint32_t)ceil_div(b->columns, RIBBON_PACK);
    job.rows_per_group = rows_per_group(r, rows, b->columns, 1, false);
    const uint64_t chunks = ceil_div(rows, job.rows_per_group);
    const uint32_t units = (uint32_t)(packs * chunks);
    const uint64_t groups = ceil_div(units, key.group / RIBBON_PACK);
    const double per_group = block_cells(r, s->rows, s->columns, b) / (double)groups;
    if (r->preparing)
        job.row_end = job.row_begin;
    for (uint64_t at = 0; at < groups;) {
        const uint64_t take = launch_units(r, WW_ENGINE_LANES, groups - at, per_group);
        job.unit_begin = (uint32_t)at;
        const wwi_arg args[] = {COMMON_ARGS(b, r, job), WWI_BUFFER(r->column_packed), WWI_BUFFER(r->column_offsets),
                                WWI_VALUE(packs), WWI_VALUE(units)};
        if ((status = enqueue(r, v, take, args, sizeof args / sizeof *args)) != WW_OK || r->preparing)
            return status;
        at += take;
        if ((status = launched(r, WW_ENGINE_LANES, per_group * (double)take, at < groups)) != WW_OK)
            return status;
    }
    return WW_OK;
}

// Units of an engine that takes packs of column series, or of a list's pairs, by workers; and the row series of each:
// few enough that all workers are busy to the end.
static uint64_t share_out(const wwi_batch *b, uint32_t packs, uint64_t workers, wwi_launch_args *job) {
    if (b->list)
        return packs;
    const uint64_t rows = b->rows - b->row_begin, take = rows * packs / (workers * 16);
    job->rows_per_group = take < 1 ? 1 : take > 64 ? 64 : (uint32_t)take;
    return packs * ceil_div(rows, job->rows_per_group);
}

static ww_status run_packed(wwi_runner *r, const sides *s, const wwi_batch *b, wwi_launch_args job, rank_range range) {
    ww_status status;
    wwi_variant *v;
    wwi_variant_key key = key_of(r, WW_ENGINE_PACKED, b);
    key.vector = r->vector;
    key.registers = 1;
    key.rows = r->channels == 1 ? (uint32_t)tuned(r, "packed.rows", 8) : r->channels <= 4 ? 4 : 2;
    // A sum over channels must not be given up for one of them.
    key.abandon =
        b->list && b->radii && r->passes == 1 && !r->open && !r->soft && (r->recurrence->flags & WWI_MEASURE_MONOTONE);
    if ((status = wwi_runner_variant(r, key, &v)) != WW_OK)
        return status;
    const size_t count = b->list ? b->rows : b->columns;
    if ((status = interleave(r, v, s->columns, b->column, b->list ? b->pairs : b->column_ids, (size_t)r->vector,
                             b->list ? r->row_order : r->column_order, b->list ? 3 : 1, b->list ? 1 : 0, count,
                             job.channel, &r->column_packed, &r->column_offsets)) != WW_OK)
        return status;
    if (b->list && (status = interleave(r, v, s->rows, b->row, b->pairs, (size_t)r->vector, r->row_order, 3, 0, count,
                                        job.channel, &r->row_packed, &r->row_offsets)) != WW_OK)
        return status;
    const uint32_t packs = (uint32_t)ceil_div(count, (uint64_t)r->vector);
    const uint64_t workers = compute_units(r) * (r->gpu ? 64 : 2);
    job.scratch = s->columns->rank_lengths[range.column_base + range.columns - 1];
    if ((status = grow_buffer(r, &r->scratch,
                              workers * job.scratch * (uint64_t)r->vector * wwi_runner_value_bytes(r))) != WW_OK ||
        (status = grow_buffer(r, &r->counter, 4)) != WW_OK)
        return status;
    if (key.abandon && !r->abandoned &&
        ((status = grow_buffer(r, &r->abandoned, 4)) != WW_OK ||
         (status = wwi_buffer_fill_u32(r->abandoned, 0, 4, 0)) != WW_OK))
        return status;
    const uint64_t units = share_out(b, packs, workers, &job);
    const double per_unit = block_cells(r, s->rows, s->columns, b) / (double)units;
    for (uint64_t at = 0; at < units;) {
        const uint64_t take = launch_units(r, WW_ENGINE_PACKED, units - at, per_unit);
        const uint32_t end = (uint32_t)(at + take);
        if ((status = wwi_buffer_fill_u32(r->counter, 0, 4, r->preparing ? end : (uint32_t)at)) != WW_OK)
            return status;
        const wwi_arg args[] = {COMMON_ARGS(b, r, job),
                                WWI_BUFFER(b->list ? r->row_packed : r->column_packed),
                                WWI_BUFFER(b->list ? r->row_offsets : r->column_offsets),
                                WWI_BUFFER(r->column_packed),
                                WWI_BUFFER(r->column_offsets),
                                WWI_BUFFER(r->scratch),
                                WWI_BUFFER(r->counter),
                                WWI_VALUE(packs),
                                WWI_VALUE(end),
                                WWI_BUFFER(b->radii),
                                WWI_VALUE(b->radius_results),
                                WWI_VALUE(b->radius_k),
                                WWI_BUFFER(r->abandoned)};
        const size_t arg_count = sizeof args / sizeof *args - (key.abandon ? 0 : 4);
        if ((status = enqueue(r, v, take < workers ? take : workers, args, arg_count)) != WW_OK || r->preparing)
            return status;
        at += take;
        if ((status = launched(r, WW_ENGINE_PACKED, per_unit * (double)take, at < units)) != WW_OK)
            return status;
    }
    return WW_OK;
}

// Columns a lane of a strip holds: as many as leave strips enough to fill the device.
static wwi_tiling strips_tiling(const wwi_runner *r, uint64_t pairs, uint32_t m) {
    wwi_tiling tiling = {8, lane_rows(r, 0), r->width};
    if (!r->banded)
        tiling.columns = (uint32_t)tuned(r, "strips.columns", 8);
    if (vector_strips(r)) {
        tiling.width = (uint32_t)r->vector;
        tiling.rows = 4;
        if (r->channels > 1)
            tiling.columns = 4;
        return tiling;
    }
    const uint64_t wanted = compute_units(r) * (uint64_t)tuned(r, "strips.resident", 4);
    const uint32_t most = lane_columns(r, r->banded);
    if (tiling.columns > most)
        tiling.columns = most;
    while (tiling.columns * 2 <= most && pairs * ceil_div(m, 2 * tiling.columns * tiling.width) >= wanted)
        tiling.columns *= 2;
    // Short steps fill the pipeline of a few strips sooner; many fill the device anyhow, and have more of long ones.
    if (tiling.rows >= 4) {
        const bool few = !r->banded && pairs * ceil_div(m, (uint64_t)tiling.columns * tiling.width) < 4 * wanted;
        tiling.rows = few ? (uint32_t)tuned(r, "strips.rows", 4) : 4;
    }
    return tiling;
}

static wwi_tiling bits_strips_tiling(const wwi_runner *r, uint64_t pairs, uint32_t m) {
    wwi_tiling tiling = {1, r->planes ? (uint32_t)tuned(r, "bits.strip_rows", 16) : bits_rows(r),
                         vector_bits(r) ? BITS_VECTOR : r->width};
    const uint64_t wanted = compute_units(r) * (uint64_t)tuned(r, "bits.resident", 2);
    const uint32_t most = vector_bits(r) ? (uint32_t)tuned(r, "bits.words", 4) : most_words(r);
    while (tiling.columns * 2 <= most && pairs * ceil_div(m, 64 * (uint64_t)tiling.columns * tiling.width) >= wanted)
        tiling.columns *= 2;
    return tiling;
}

// Engine strips, and bits for long pairs.
static ww_status run_strips(wwi_runner *r, ww_engine engine, const sides *s, const wwi_batch *b, wwi_launch_args job,
                            rank_range range, wwi_tiling tiling) {
    ww_status status;
    wwi_variant *v;
    wwi_variant_key key = key_of(r, engine, b);
    const bool bits = engine == WW_ENGINE_BITS, vector = bits ? vector_bits(r) : vector_strips(r);
    const wwi_slice x = source_of(r, engine, s->rows, b->row), y = source_of(r, engine, s->columns, b->column);
    key.vector = !vector ? 1 : bits ? BITS_VECTOR : r->vector;
    key.registers = vector || points_in_registers(r);
    key.columns = tiling.columns;
    key.rows = tiling.rows;
    key.group = vector ? 1 : tiling.width;
    key.strips = bits;
    if ((status = wwi_runner_variant(r, key, &v)) != WW_OK)
        return status;
    const uint32_t n = s->rows->rank_lengths[range.row_base + range.rows - 1];
    const uint32_t m = s->columns->rank_lengths[range.column_base + range.columns - 1];
    const uint32_t strips = (uint32_t)ceil_div(m, (uint64_t)tiling.columns * tiling.width * (bits ? 32 : 1));
    const uint64_t row_steps = ceil_div(n, tiling.rows);
    job.scratch = (uint32_t)(bits ? row_steps + 1 : row_steps * tiling.rows + r->open);
    const uint64_t pair_bytes = bits ? job.scratch * (uint64_t)8 : job.scratch * 2 * wwi_runner_value_bytes(r);
    const uint64_t room = r->options.max_bytes ? r->options.max_bytes : wwi_context_bytes_free(r->context) / 4;
    const uint64_t pairs = block_pairs(b);
    uint64_t at_once = room / pair_bytes;
    at_once = at_once < 1 ? 1 : at_once > 1u << 20 ? 1u << 20 : at_once;
    const double per_pair = block_cells(r, s->rows, s->columns, b) / (double)pairs;
    for (uint64_t at = 0; at < pairs;) {
        uint64_t take = launch_units(r, engine, pairs - at, per_pair);
        if (take > at_once)
            take = at_once;
        if ((status = grow_buffer(r, &r->edges, take * pair_bytes)) != WW_OK ||
            (status = grow_buffer(r, &r->counter, 4)) != WW_OK ||
            (status = wwi_buffer_fill_u32(r->edges, 0, take * pair_bytes, 0)) != WW_OK)
            return status;
        job.unit_begin = (uint32_t)at;
        // Several pairs take all their strips in one launch; a pair alone may need several launches.
        for (uint32_t strip = 0; strip < strips;) {
            const double per_strip = per_pair * (double)take / strips;
            const uint32_t part = take > 1 ? strips : (uint32_t)launch_units(r, engine, strips - strip, per_strip);
            job.strip_begin = r->preparing ? strips : strip; // past the last one
            job.strip_end = job.strip_begin + part;
            if ((status = wwi_buffer_fill_u32(r->counter, 0, 4, 0)) != WW_OK)
                return status;
            const wwi_arg args[] = {COMMON_ARGS(b, r, job), WWI_BUFFER(r->edges), WWI_BUFFER(r->counter)};
            const wwi_arg bits_args[] = {BITS_ARGS(x, y, b, r, job), WWI_BUFFER(r->edges), WWI_BUFFER(r->counter)};
            status = bits ? enqueue(r, v, take * part, bits_args, sizeof bits_args / sizeof *bits_args)
                          : enqueue(r, v, take * part, args, sizeof args / sizeof *args);
            if (status != WW_OK || r->preparing)
                return status;
            strip += part;
            if ((status = launched(r, engine, per_strip * part, strip < strips || at + take < pairs)) != WW_OK)
                return status;
        }
        at += take;
    }
    return WW_OK;
}

// Whether engine bits cuts pairs in strips: where they are too long for its lanes, or too few for the device.
static bool bits_in_strips(const wwi_runner *r, uint64_t pairs, uint64_t lanes_used, uint32_t n, uint32_t m) {
    if (vector_bits(r))
        return lanes_used * 2 <= BITS_VECTOR && n >= 1024 && m >= 1024;
    return m > bits_limit(r) || (pairs < compute_units(r) && m >= 1024 && n >= 4096);
}

// Interleaves one side's planes. `field`: of a list's triple; 0 for a rectangle.
static ww_status interleave_bits(wwi_runner *r, const wwi_variant *v, const ww_dataset *d, const uint32_t *ids,
                                 wwi_buffer *order, uint32_t stride, uint32_t field, size_t count, uint32_t channel,
                                 uint32_t at_end, wwi_buffer **packed, wwi_buffer **offsets) {
    ww_status status;
    const size_t packs = (count + BITS_VECTOR - 1) / BITS_VECTOR;
    const wwi_slice planes = planes_of(r, d);
    uint64_t *at = malloc(packs * sizeof *at), total = 0;
    if (!at)
        return wwi_fail_memory(packs * sizeof *at);
    for (size_t p = 0; p < packs; p++) {
        uint32_t longest = 0;
        for (size_t i = p * BITS_VECTOR; i < count && i < (p + 1) * BITS_VECTOR; i++)
            if (d->lengths[ids[i * stride + field]] > longest)
                longest = d->lengths[ids[i * stride + field]];
        at[p] = total;
        total += words_of(longest) * r->planes->bits * BITS_VECTOR;
    }
    if ((status = grow_buffer(r, packed, total * 4)) != WW_OK ||
        (status = write_buffer(r, offsets, packs * sizeof *at, at)) != WW_OK)
        goto done;
    const uint32_t begin = 0, end = (uint32_t)count;
    const wwi_arg args[] = {
        WWI_BUFFER(planes.values), WWI_BUFFER(planes.series), WWI_BUFFER(order),  WWI_VALUE(stride),
        WWI_VALUE(field),          WWI_VALUE(begin),          WWI_VALUE(end),     WWI_VALUE(channel),
        WWI_VALUE(at_end),         WWI_BUFFER(*offsets),      WWI_BUFFER(*packed)};
    status = wwi_launch(v->interleave, r->preparing ? 1 : packs, 1, args, sizeof args / sizeof *args);
done:
    free(at);
    return status;
}

static ww_status run_bits_packed(wwi_runner *r, const sides *s, const wwi_batch *b, wwi_launch_args job,
                                 rank_range range) {
    ww_status status;
    wwi_variant *v;
    wwi_variant_key key = key_of(r, WW_ENGINE_BITS, b);
    const wwi_slice x = planes_of(r, s->rows), y = planes_of(r, s->columns);
    const uint64_t most = words_of(s->columns->rank_lengths[range.column_base + range.columns - 1]);
    const uint32_t n = s->rows->rank_lengths[range.row_base + range.rows - 1];
    key.vector = BITS_VECTOR;
    key.rows = (uint32_t)tuned(r, "bits.rows", 16);
    key.columns = (uint32_t)tuned(r, "bits.words", 4);
    if (key.columns > most)
        key.columns = (uint32_t)most;
    if ((status = wwi_runner_variant(r, key, &v)) != WW_OK)
        return status;
    const size_t count = b->list ? b->rows : b->columns;
    if ((status = interleave_bits(r, v, s->columns, b->list ? b->pairs : b->column_ids,
                                  b->list ? r->row_order : r->column_order, b->list ? 3 : 1, b->list ? 1 : 0, count,
                                  job.channel, 0, &r->column_packed, &r->column_offsets)) != WW_OK ||
        (b->list && (status = interleave_bits(r, v, s->rows, b->pairs, r->row_order, 3, 0, count, job.channel, 1,
                                              &r->row_packed, &r->row_offsets)) != WW_OK))
        return status;
    const uint32_t packs = (uint32_t)ceil_div(count, BITS_VECTOR);
    const uint64_t workers = compute_units(r) * 2;
    job.scratch = (uint32_t)ceil_div(n, key.rows);
    if ((status = grow_buffer(r, &r->scratch, workers * job.scratch * BITS_VECTOR * 4)) != WW_OK ||
        (status = grow_buffer(r, &r->counter, 4)) != WW_OK)
        return status;
    const uint64_t units = share_out(b, packs, workers, &job);
    const double per_unit = block_cells(r, s->rows, s->columns, b) / (double)units;
    for (uint64_t at = 0; at < units;) {
        const uint64_t take = launch_units(r, WW_ENGINE_BITS, units - at, per_unit);
        const uint32_t end = (uint32_t)(at + take);
        if ((status = wwi_buffer_fill_u32(r->counter, 0, 4, r->preparing ? end : (uint32_t)at)) != WW_OK)
            return status;
        const wwi_arg args[] = {BITS_ARGS(x, y, b, r, job),
                                WWI_BUFFER(b->list ? r->row_packed : r->column_packed),
                                WWI_BUFFER(b->list ? r->row_offsets : r->column_offsets),
                                WWI_BUFFER(r->column_packed),
                                WWI_BUFFER(r->column_offsets),
                                WWI_BUFFER(r->scratch),
                                WWI_BUFFER(r->counter),
                                WWI_VALUE(packs),
                                WWI_VALUE(end)};
        if ((status = enqueue(r, v, take < workers ? take : workers, args, sizeof args / sizeof *args)) != WW_OK ||
            r->preparing)
            return status;
        at += take;
        if ((status = launched(r, WW_ENGINE_BITS, per_unit * (double)take, at < units)) != WW_OK)
            return status;
    }
    return WW_OK;
}

static ww_status run_bits(wwi_runner *r, const sides *s, const wwi_batch *b, wwi_launch_args job, rank_range range) {
    const uint32_t n = s->rows->rank_lengths[range.row_base + range.rows - 1];
    const uint32_t m = s->columns->rank_lengths[range.column_base + range.columns - 1];
    if (bits_in_strips(r, block_pairs(b), b->list ? b->rows : b->columns, n, m))
        return run_strips(r, WW_ENGINE_BITS, s, b, job, range, bits_strips_tiling(r, block_pairs(b), m));
    if (vector_bits(r))
        return run_bits_packed(r, s, b, job, range);
    return run_lanes(r, WW_ENGINE_BITS, s, b, job, range, (wwi_tiling){0, 1, 1});
}

// ---- blocks
// -------------------------------------------------------------------------------------------------------------

// The same pairs with the roles of rows and columns exchanged; only for symmetric measures.
static void exchange_roles(wwi_batch *b, sides *s) {
    wwi_batch t = *b;
    t.exchanged = !b->exchanged;
    t.row = b->column;
    t.column = b->row;
    t.row_ids = b->column_ids;
    t.column_ids = b->row_ids;
    if (b->list) {
        for (size_t i = 0; i < b->rows; i++) {
            const uint32_t id = b->pairs[3 * i];
            t.pairs[3 * i] = t.pairs[3 * i + 1];
            t.pairs[3 * i + 1] = id;
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
    *b = t;
    *s = (sides){s->columns, s->rows};
}

static bool wants_exchange(const wwi_runner *r, ww_engine engine, const wwi_batch *b, const sides *s,
                           rank_range range) {
    const uint32_t n = s->rows->rank_lengths[range.row_base + range.rows - 1];
    const uint32_t m = s->columns->rank_lengths[range.column_base + range.columns - 1];
    if (!r->symmetric || b->half)
        return false;
    uint32_t below;
    switch (engine) {
    case WW_ENGINE_LANES:
        // A ribbon takes a pack of column series side by side.
        if (r->banded && ribbon_columns(r, s, b, range, &below))
            return b->columns < RIBBON_PACK && b->rows - b->row_begin > b->columns;
        if (m > lanes_limit(r) && n <= lanes_limit(r))
            return true;
        // A few series against many: the many stream past the few, which stay in registers.
        return !b->list && b->rows < 32 && b->columns >= 4 * b->rows && n <= lanes_limit(r);
    case WW_ENGINE_STENCIL:
        return n > stencil_limit(r) && m <= stencil_limit(r);
    case WW_ENGINE_PACKED:
        return !b->list && b->columns < (size_t)r->vector && b->rows > b->columns;
    case WW_ENGINE_BITS:
        if (vector_bits(r))
            return !b->list && b->columns < BITS_VECTOR && b->rows - b->row_begin > b->columns;
        if (m > bits_limit(r))
            return n < m;
        return !b->list && b->rows < 32 && b->columns >= 4 * b->rows && n <= bits_limit(r);
    default:
        // Few rows make short pipelines.
        return n < m;
    }
}

static int by_lengths(const void *a, const void *b, void *both) {
    const sides *s = both;
    const uint32_t *p = a, *q = b;
    const uint32_t pm = s->columns->lengths[p[1]], qm = s->columns->lengths[q[1]];
    if (pm != qm)
        return pm < qm ? -1 : 1;
    const uint32_t pn = s->rows->lengths[p[0]], qn = s->rows->lengths[q[0]];
    if (pn != qn)
        return pn < qn ? -1 : 1;
    return p[2] < q[2] ? -1 : p[2] > q[2];
}

static ww_status refuse(const wwi_runner *r, ww_engine engine, const char *why, uint64_t limit) {
    if (limit)
        wwi_fail(WW_ERROR_UNSUPPORTED, "engine %s on %s: %s (limit %" PRIu64 ")", ww_engine_name(engine),
                 wwi_context_info(r->context)->name, why, limit);
    else
        wwi_fail(WW_ERROR_UNSUPPORTED, "engine %s: %s", ww_engine_name(engine), why);
    return wwi_fail_hint("leave the choice of engine to the library, or use strips");
}

// Halves a block whose bands need too much room.
static ww_status run_halves(wwi_runner *r, const wwi_batch *b) {
    ww_status status;
    wwi_batch first = *b, second = *b;
    if (b->list) {
        first.rows = b->rows / 2;
        second.rows = b->rows - first.rows;
        second.pairs = b->pairs + 3 * first.rows;
    } else if (b->rows - b->row_begin > 1) {
        first.rows = second.row_begin = (b->row_begin + b->rows) / 2;
    } else if (b->half) {
        return wwi_fail(WW_ERROR_INTERNAL, "the bands of one row of a half need too much room");
    } else {
        first.columns = b->columns / 2;
        second.columns = b->columns - first.columns;
        second.column_ids = b->column_ids + first.columns;
    }
    if ((status = wwi_runner_block(r, &first)) != WW_OK)
        return status;
    return wwi_runner_block(r, &second);
}

ww_status wwi_runner_block(wwi_runner *r, const wwi_batch *block) {
    ww_status status;
    wwi_batch b = *block;
    sides s = {r->rows, r->columns};
    if (b.rows == b.row_begin || (!b.list && b.columns == 0))
        return WW_OK;
    rank_range range = ranks_of(s.rows, s.columns, &b);
    ww_engine engine = r->options.engine;
    if (engine == WW_ENGINE_AUTO) {
        engine = choose_engine(r, b.list, b.rows, b.columns, s.rows->rank_lengths[range.row_base + range.rows - 1],
                               s.columns->rank_lengths[range.column_base + range.columns - 1]);
    }
    if (engine == WW_ENGINE_BITS && !r->bits)
        return refuse(r, engine, r->no_bits, 0);
    if (wants_exchange(r, engine, &b, &s, range)) {
        exchange_roles(&b, &s);
        range = ranks_of(s.rows, s.columns, &b);
    }
    const uint32_t n = s.rows->rank_lengths[range.row_base + range.rows - 1];
    const uint32_t m = s.columns->rank_lengths[range.column_base + range.columns - 1];
    const uint64_t pairs = block_pairs(&b);
    if (pairs > 0x7fffffff)
        return wwi_fail(WW_ERROR_INTERNAL, "a block of %" PRIu64 " pairs", pairs);

    if (engine == WW_ENGINE_STENCIL && n > stencil_limit(r))
        return refuse(r, engine, "the series are too long for its local memory", stencil_limit(r));
    if ((engine == WW_ENGINE_PACKED) && !can_vector(r))
        return refuse(r, engine, "too many channels", VECTOR_CHANNELS);
    if (b.list)
        qsort_r(b.pairs, b.rows, 3 * sizeof *b.pairs, by_lengths, &s);

    wwi_tiling tiling = {0, 1, 1};
    bool small = true, fits = true;
    uint32_t below = 0;
    const uint32_t ribbon = engine == WW_ENGINE_LANES && r->banded ? ribbon_columns(r, &s, &b, range, &below) : 0;
    if (ribbon) {
        r->words.count = 0;
    } else if (engine == WW_ENGINE_LANES && r->banded) {
        if ((status = banded_tiling(r, &s, &b, range, &tiling, &small)) != WW_OK)
            return status;
        if (small && tiling.columns == 0) {
            if (r->options.engine == WW_ENGINE_LANES)
                return refuse(r, engine, "the band is too wide for its lanes", lanes_limit(r));
            engine = WW_ENGINE_STRIPS;
        }
    } else if (engine == WW_ENGINE_LANES && m > lanes_limit(r)) {
        if (r->options.engine == WW_ENGINE_LANES)
            return refuse(r, engine, "the series are too long for its lanes", lanes_limit(r));
        engine = WW_ENGINE_STRIPS;
    }
    if (engine == WW_ENGINE_STRIPS)
        tiling = strips_tiling(r, pairs, m);
    if (r->banded && engine != WW_ENGINE_LANES) {
        // Strips give each block a lane of its own: any width will do.
        const wwi_tiling rows_and_blocks = {engine == WW_ENGINE_STRIPS ? tiling.columns : 0, tiling.rows, 1u << 30};
        if ((status = build_bands(r, s.rows, s.columns, &b, range, rows_and_blocks, &fits, &small)) != WW_OK)
            return status;
    }
    // A list's series are interleaved anew for each pair.
    if (engine == WW_ENGINE_PACKED && b.list && b.rows > (size_t)r->vector) {
        const uint64_t side = (uint64_t)(n > m ? n : m) * r->channels * wwi_runner_value_bytes(r);
        const uint64_t room = wwi_context_bytes_free(r->context) / 8, largest = wwi_context_max_buffer(r->context);
        small = small && side * b.rows <= (room < largest ? room : largest);
    }
    if (!small) {
        if (b.list && s.rows != r->rows)
            exchange_roles(&b, &s); // the list's own memory was exchanged
        return run_halves(r, block);
    }
    if (r->banded && !ribbon && (status = write_buffer(r, &r->band, r->words.count * 4, r->words.data)) != WW_OK)
        return status;
    if (b.list)
        status = write_buffer(r, &r->row_order, b.rows * 12, b.pairs);
    else if ((status = write_buffer(r, &r->row_order, b.rows * 4, b.row_ids)) == WW_OK)
        status = write_buffer(r, &r->column_order, b.columns * 4, b.column_ids);

    wwi_launch_args job;
    fill_job(&b, range, &job);
    fill_ends(&r->measure, b.exchanged, &job);
    if (r->preparing)
        job.flags |= WWI_LAUNCH_HALF;
    for (uint32_t pass = 0; status == WW_OK && pass < r->passes; pass++) {
        job.channel = pass;
        job.flags = (job.flags & ~(uint32_t)WWI_LAUNCH_ACCUMULATE) | (pass ? WWI_LAUNCH_ACCUMULATE : 0);
        switch (engine) {
        case WW_ENGINE_LANES:
            status =
                ribbon ? run_ribbon(r, &s, &b, job, ribbon, below) : run_lanes(r, engine, &s, &b, job, range, tiling);
            break;
        case WW_ENGINE_STENCIL:
            status = run_stencil(r, &s, &b, job, range);
            break;
        case WW_ENGINE_PACKED:
            status = run_packed(r, &s, &b, job, range);
            break;
        case WW_ENGINE_BITS:
            status = run_bits(r, &s, &b, job, range);
            break;
        default:
            status = run_strips(r, engine, &s, &b, job, range, tiling);
        }
    }
    if (status == WW_OK)
        r->engine = engine;
    return status;
}

ww_status wwi_runner_prepare(wwi_runner *r, const wwi_batch *block) {
    r->preparing = true;
    const ww_status status = wwi_runner_block(r, block);
    r->preparing = false;
    return status;
}
