// SPDX-License-Identifier: Apache-2.0
// Makes and runs plans of matrices, pairs and nearest neighbours.
// Long because: all plans share the checks, the blocks of memory and the record of a run.
#include "jobs/plan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/transform.h"
#include "measure/band.h"
#include "measure/measure_table.h"
#include "measure/range.h"
#include "options.h"

void ww_plan_destroy(ww_plan **plan) {
    if (!plan || !*plan)
        return;
    ww_plan *p = *plan;
    *plan = NULL;
    wwi_nearest_destroy(&p->nearest);
    wwi_runner_destroy(&p->runner);
    wwi_buffer_destroy(&p->out);
    wwi_slice_close(&p->slices[WWI_SIDE_ROW]);
    wwi_slice_close(&p->slices[WWI_SIDE_COLUMN]);
    wwi_stream_destroy(&p->stream);
    ww_dataset *columns = p->columns;
    if (columns)
        ww_dataset_destroy(&columns);
    if (p->rows)
        ww_dataset_destroy(&p->rows);
    free(p->expression);
    free(p->recurrence);
    free(p->recurrence_name);
    free(p->band_lo);
    free(p->band_hi);
    free(p->row_ids);
    free(p->column_ids);
    free(p->pairs);
    free(p);
}

static void *copy_of(const void *source, size_t bytes) {
    void *copy = malloc(bytes);
    if (copy)
        memcpy(copy, source, bytes);
    return copy;
}

// Keeps what the caller's measure points to beyond the call.
static ww_status own_measure(ww_plan *p, const ww_measure *measure) {
    p->measure = *measure;
    if (wwi_measure_cost(measure) == WW_COST_USER) {
        p->expression = copy_of(measure->cost_expression, strlen(measure->cost_expression) + 1);
        if (!p->expression)
            return wwi_fail_memory(strlen(measure->cost_expression) + 1);
        p->measure.cost_expression = p->expression;
    }
    if (measure->id == WW_USER) {
        const char *name = measure->recurrence_name ? measure->recurrence_name : "recurrence";
        p->recurrence = copy_of(measure->recurrence, strlen(measure->recurrence) + 1);
        p->recurrence_name = copy_of(name, strlen(name) + 1);
        if (!p->recurrence || !p->recurrence_name)
            return wwi_fail_memory(strlen(measure->recurrence) + strlen(name) + 2);
        p->measure.recurrence = p->recurrence;
        p->measure.recurrence_name = p->recurrence_name;
    }
    if (measure->band.kind == WW_BAND_ROWS) {
        p->band_lo = copy_of(measure->band.lo, measure->band.rows * sizeof *measure->band.lo);
        p->band_hi = copy_of(measure->band.hi, measure->band.rows * sizeof *measure->band.hi);
        if (!p->band_lo || !p->band_hi)
            return wwi_fail_memory(2 * measure->band.rows * sizeof *measure->band.lo);
        p->measure.band.lo = p->band_lo;
        p->measure.band.hi = p->band_hi;
    }
    return WW_OK;
}

static ww_status take_dataset(const ww_measure *measure, ww_dataset *given, bool derived, ww_dataset **taken) {
    if (derived)
        return wwi_dataset_derive(given, measure, taken);
    wwi_dataset_retain(given);
    *taken = given;
    return WW_OK;
}

// Symbols that float makes equal, and times that it moves, would give wrong distances without a word.
static ww_status check_rounded(const ww_measure *measure, const ww_dataset *d) {
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    const bool symbols = row->info.is_of_symbols != 0;
    const wwi_rounded *rounded = symbols ? &d->rounded_value : &d->rounded_time;
    if ((!symbols && row->transform != WWI_TRANSFORM_TIMES) || !rounded->any)
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "float does not hold the %s %.17g of series %zu at point %zu",
             symbols ? "symbol" : "time stamp", rounded->value, rounded->series, rounded->point);
    wwi_fail_hint(symbols ? "use double precision, or number the symbols from 0; float is exact up to 2^24"
                          : "use double precision, or count time from a later moment; float is exact up to 2^24");
    return wwi_fail_where((int64_t)rounded->series, (int64_t)rounded->point);
}

static const char *precision_name(const ww_plan *p) {
    return p->rows->precision == WW_DOUBLE ? "double" : "float";
}

// Looks for values so large that results would be infinite, or wrong.
static ww_status check_range(ww_plan *p) {
    const ww_dataset *rows = p->rows, *columns = p->columns;
    const uint32_t tallest = rows->rank_lengths[rows->rank_count - 1],
                   widest = columns->rank_lengths[columns->rank_count - 1];
    const wwi_range range = {.channels = rows->channels,
                             .largest = fmax(rows->largest_value, columns->largest_value),
                             .largest_time = fmax(rows->largest_time, columns->largest_time),
                             .longest = tallest > widest ? tallest : widest,
                             .top = rows->precision == WW_DOUBLE ? DBL_MAX : (double)FLT_MAX};
    p->limit = rows->unspecified || columns->unspecified ? (double)INFINITY : wwi_range_limit(&p->measure, &range);
    if (p->limit > 0)
        return WW_OK;
    wwi_fail(WW_ERROR_OVERFLOW, "values of up to %g are too large for %s in %s", range.largest,
             ww_measure_info_by_id(p->measure.id)->name, precision_name(p));
    return wwi_fail_hint("scale the series, or use double precision");
}

ww_status wwi_plan_check_results(const ww_plan *p, const void *results, uint64_t count) {
    if (isinf(p->limit))
        return WW_OK;
    for (uint64_t i = 0; i < count; i++) {
        const double value =
            p->rows->precision == WW_DOUBLE ? ((const double *)results)[i] : (double)((const float *)results)[i];
        // Written so that NaN fails.
        if (!(value <= p->limit)) {
            wwi_fail(WW_ERROR_OVERFLOW, "a distance is too large for %s", precision_name(p));
            return wwi_fail_hint("scale the series, or use double precision");
        }
    }
    return WW_OK;
}

// The datasets as the measure compares them.
static ww_status take_datasets(ww_plan *p, const ww_measure *measure, ww_dataset *rows, ww_dataset *columns) {
    const wwi_transform transform = wwi_measure_row_by_id(measure->id)->transform;
    bool derive_rows = transform != WWI_TRANSFORM_NONE, derive_columns = derive_rows;
    if (transform == WWI_TRANSFORM_TIMES) {
        // Where one side has time stamps, the other gets them.
        derive_rows = !rows->timed && columns->timed;
        derive_columns = rows->timed && !columns->timed;
    }
    ww_status status = take_dataset(measure, rows, derive_rows, &p->rows);
    if (status != WW_OK)
        return status;
    if (columns != rows)
        return take_dataset(measure, columns, derive_columns, &p->columns);
    wwi_dataset_retain(p->rows);
    p->columns = p->rows;
    return WW_OK;
}

ww_status wwi_plan_create(wwi_job_kind kind, const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                          const ww_plan_options *options, ww_plan **plan) {
    ww_status status;
    ww_plan *p = NULL;
    ww_plan_options o = WW_PLAN_OPTIONS_INIT;

    *plan = NULL;
    if (!rows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rows are NULL");
    if ((status = wwi_options_take(&o, options, "ww_plan_options")) != WW_OK ||
        (status = wwi_measure_check(measure)) != WW_OK)
        return status;
    if (!wwi_engine_known(o.engine))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.engine is %d", (int)o.engine);
    if (!(o.launch_seconds >= 0 && o.launch_seconds <= 3600))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.launch_seconds is %g; 0 to 3600", o.launch_seconds);
    const bool self = !columns;
    if (self)
        columns = rows;
    if (columns->context != rows->context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets belong to different contexts");
    if (columns->precision != rows->precision)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets have different precisions");
    if (columns->channels != rows->channels) {
        wwi_fail(WW_ERROR_CHANNELS, "the rows have %zu channels, the columns %zu", rows->channels, columns->channels);
        return wwi_fail_hint("both sides of a distance need the same channels");
    }

    if ((status = check_rounded(measure, rows)) != WW_OK || (status = check_rounded(measure, columns)) != WW_OK)
        return status;

    p = calloc(1, sizeof *p);
    if (!p)
        return wwi_fail_memory(sizeof *p);
    p->kind = kind;
    p->context = rows->context;
    p->self = self;
    p->options = o;
    if ((status = wwi_stream_create(p->context, &p->stream)) != WW_OK ||
        (status = take_datasets(p, measure, rows, columns)) != WW_OK)
        goto done;
    rows = p->rows;
    columns = p->columns;
    p->row_ids = malloc(rows->count * sizeof *p->row_ids);
    p->column_ids = malloc(columns->count * sizeof *p->column_ids);
    if (!p->row_ids || !p->column_ids) {
        status = wwi_fail_memory((rows->count + columns->count) * sizeof *p->row_ids);
        goto done;
    }
    if ((status = own_measure(p, measure)) != WW_OK || (status = check_range(p)) != WW_OK)
        goto done;
    p->symmetric = wwi_measure_is_symmetric(measure);
    p->zero_on_self = wwi_measure_is_zero_on_self(measure);
    status = wwi_runner_create(&p->measure, rows, columns, &p->options, p->stream, &p->runner);
done:
    if (status != WW_OK)
        ww_plan_destroy(&p);
    *plan = p;
    return status;
}

static uint64_t *count_ranks(const ww_dataset *d) {
    uint64_t *counts = calloc(d->rank_count, sizeof *counts);
    for (size_t i = 0; counts && i < d->count; i++)
        counts[d->ranks[i]]++;
    return counts;
}

static ww_status no_path(const ww_plan *p, uint32_t n, uint32_t m) {
    if (p->measure.band.kind == WW_BAND_ROWS && p->measure.band.rows != n)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the band has %zu rows, a row series %" PRIu32 " points",
                        p->measure.band.rows, n);
    wwi_fail(WW_ERROR_NO_PATH, "the band leaves no path between series of %" PRIu32 " and %" PRIu32 " points", n, m);
    return wwi_fail_hint("widen the band, or use the corner or slanted band, which always leave one");
}

// Adds up the cells of all pairs of lengths that a rectangle of all rows and columns has.
ww_status wwi_plan_count_cells(ww_plan *p, uint64_t *cells) {
    ww_status status = WW_OK;
    uint64_t *rows = count_ranks(p->rows), *columns = count_ranks(p->columns);
    if (!rows || !columns) {
        status = wwi_fail_memory(8 * ((uint64_t)p->rows->rank_count + p->columns->rank_count));
        goto done;
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->rows->rank_count; i++)
        for (uint32_t j = 0; j < p->columns->rank_count; j++) {
            const uint32_t n = p->rows->rank_lengths[i], m = p->columns->rank_lengths[j];
            const uint64_t each = wwi_runner_pair_cells(p->runner, n, m);
            uint64_t pairs, product;
            if (each == 0) {
                status = no_path(p, n, m);
                goto done;
            }
            // Only for progress and speed: a sum beyond 64 bits stays at the largest number.
            if (!wwi_mul_u64(rows[i], columns[j], &pairs) || !wwi_mul_u64(pairs, each, &product) ||
                !wwi_add_u64(sum, product, &sum))
                sum = UINT64_MAX;
        }
    *cells = sum;
done:
    free(rows);
    free(columns);
    return status;
}

// Cells of the diagonal of a set with itself.
uint64_t wwi_plan_diagonal_cells(const ww_plan *p) {
    uint64_t sum = 0;
    for (size_t i = 0; i < p->rows->count; i++)
        sum += wwi_runner_pair_cells(p->runner, p->rows->lengths[i], p->rows->lengths[i]);
    return sum;
}

uint64_t wwi_plan_room(const ww_plan *p) {
    uint64_t room = p->options.max_bytes ? p->options.max_bytes : wwi_context_bytes_free(p->context) / 2;
    if (p->out && !p->options.max_bytes)
        room += wwi_buffer_bytes(p->out) / 2;
    const uint64_t largest = wwi_context_max_buffer(p->context);
    return room < largest ? room : largest;
}

void wwi_plan_ids(const ww_dataset *d, size_t first, size_t count, uint32_t *ids) {
    size_t at = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->sorted[i] >= first && d->sorted[i] - first < count)
            ids[at++] = d->sorted[i];
}

void wwi_plan_start(ww_plan *p) {
    wwi_stream_start(p->stream);
    p->start_seconds = wwi_seconds();
    p->info.pairs_pruned = 0;
    p->info.pairs_abandoned = 0;
    wwi_runner_start(p->runner, p->all_cells);
}

ww_status wwi_plan_finish(ww_plan *p, ww_status status) {
    status = wwi_finish_after(p->stream, status);
    p->info.engine = wwi_runner_engine(p->runner);
    p->info.launches = wwi_stream_launches(p->stream);
    p->info.seconds_device = wwi_stream_seconds(p->stream);
    p->info.seconds_wall = wwi_seconds() - p->start_seconds;
    if (status == WW_OK && p->kind != WWI_NEAREST)
        p->info.cells_done = p->info.cells;
    return status;
}

ww_status wwi_plan_slice(ww_plan *p, int side, size_t first, size_t count, wwi_slice *slice) {
    const ww_dataset *dataset = side == WWI_SIDE_ROW ? p->rows : p->columns;
    const ww_status status = wwi_dataset_slice(dataset, first, count, &p->slices[side]);
    *slice = p->slices[side];
    return status;
}

ww_status wwi_plan_ensure_out(ww_plan *p, uint64_t bytes) {
    if (p->out && wwi_buffer_bytes(p->out) >= bytes)
        return WW_OK;
    wwi_buffer_destroy(&p->out);
    return wwi_buffer_create(p->context, bytes, &p->out);
}

// ---- planning
// -----------------------------------------------------------------------------------------------------------

// Compiles for the first block, or one much like it.
static ww_status prepare_matrix(ww_plan *p) {
    const uint64_t most = wwi_plan_room(p) / wwi_precision_bytes(p->rows->precision);
    size_t rows = wwi_dataset_slice_limit(p->rows, 0, 0), columns = wwi_dataset_slice_limit(p->columns, 0, 0);
    while ((uint64_t)rows * columns > (most < 0x7fffffff ? most : 0x7fffffff) && rows * columns > 1)
        if (rows > columns)
            rows /= 2;
        else
            columns /= 2;
    return wwi_plan_prepare(p, 0, rows, 0, columns);
}

// Compiles for the pairs of the first windows.
static ww_status prepare_pairs(ww_plan *p) {
    ww_status status;
    wwi_batch b;
    const size_t rows = wwi_dataset_slice_limit(p->rows, 0, 0), columns = wwi_dataset_slice_limit(p->columns, 0, 0);
    memset(&b, 0, sizeof b);
    b.list = true;
    b.pairs = malloc(p->count * 3 * sizeof *b.pairs);
    if (!b.pairs)
        return wwi_fail_memory(p->count * 3 * sizeof *b.pairs);
    for (size_t t = 0; t < p->count; t++)
        if (p->pairs[3 * t] < rows && p->pairs[3 * t + 1] < columns)
            memcpy(b.pairs + 3 * b.rows++, p->pairs + 3 * t, 3 * sizeof *b.pairs);
    if ((status = wwi_plan_slice(p, WWI_SIDE_ROW, 0, rows, &b.row)) == WW_OK &&
        (status = wwi_plan_slice(p, WWI_SIDE_COLUMN, 0, columns, &b.column)) == WW_OK)
        status = wwi_runner_prepare(p->runner, &b);
    free(b.pairs);
    return status;
}

ww_status ww_plan_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                         const ww_plan_options *options, ww_plan **plan) {
    ww_plan *p;
    uint64_t cells = 0;
    if (!plan)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "plan is NULL");
    *plan = NULL;
    ww_status status = wwi_plan_create(WWI_MATRIX, measure, rows, columns, options, &p);
    if (status != WW_OK)
        return status;
    if ((status = wwi_plan_count_cells(p, &cells)) != WW_OK || (status = prepare_matrix(p)) != WW_OK) {
        ww_plan_destroy(&p);
        return status;
    }
    uint64_t pairs = (uint64_t)p->rows->count * p->columns->count;
    if (p->self) {
        pairs -= p->rows->count;
        cells -= wwi_plan_diagonal_cells(p);
        if (p->symmetric) {
            pairs /= 2;
            cells /= 2;
        }
    }
    p->info.pairs = pairs;
    p->info.cells = p->all_cells = cells;
    p->info.engine = wwi_runner_engine(p->runner);
    *plan = p;
    return WW_OK;
}

static ww_status take_pairs(ww_plan *p, const size_t *row_index, const size_t *column_index, size_t count) {
    p->count = count;
    p->pairs = calloc(count, 3 * sizeof *p->pairs);
    if (!p->pairs)
        return wwi_fail_memory(count * 3 * sizeof *p->pairs);
    uint64_t cells = 0, last = 0;
    uint32_t last_n = 0, last_m = 0;
    for (size_t t = 0; t < count; t++) {
        const size_t x = row_index ? row_index[t] : t, y = column_index ? column_index[t] : t;
        if (x >= p->rows->count || y >= p->columns->count) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "pair %zu names series %zu and %zu of %zu and %zu", t, x, y,
                     p->rows->count, p->columns->count);
            return wwi_fail_where((int64_t)t, -1);
        }
        p->pairs[3 * t] = (uint32_t)x;
        p->pairs[3 * t + 1] = (uint32_t)y;
        p->pairs[3 * t + 2] = (uint32_t)t;
        const uint32_t n = p->rows->lengths[x], m = p->columns->lengths[y];
        if (n != last_n || m != last_m)
            last = wwi_runner_pair_cells(p->runner, n, m);
        if (last == 0)
            return no_path(p, n, m);
        last_n = n;
        last_m = m;
        cells += last;
    }
    p->info.pairs = count;
    p->info.cells = p->all_cells = cells;
    return WW_OK;
}

ww_status ww_plan_pairs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, const size_t *row_index,
                        const size_t *column_index, size_t count, const ww_plan_options *options, ww_plan **plan) {
    ww_plan *p;
    if (!plan)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "plan is NULL");
    *plan = NULL;
    if (!columns)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the columns are NULL");
    if (!row_index != !column_index)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "one of row_index and column_index is NULL, the other is not");
    if (count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there are no pairs");
    if (count > 0x7fffffffu)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu pairs; the most is 2^31-1", count);
    ww_status status = wwi_plan_create(WWI_PAIRS, measure, rows, columns, options, &p);
    if (status != WW_OK)
        return status;
    if ((status = take_pairs(p, row_index, column_index, count)) != WW_OK || (status = prepare_pairs(p)) != WW_OK)
        ww_plan_destroy(&p);
    else
        p->info.engine = wwi_runner_engine(p->runner);
    *plan = p;
    return status;
}

// ---- running
// ------------------------------------------------------------------------------------------------------------

static ww_status rectangle(ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count,
                           ww_status (*run)(wwi_runner *, const wwi_batch *)) {
    ww_status status;
    wwi_batch b;
    memset(&b, 0, sizeof b);
    wwi_plan_ids(p->rows, row, row_count, p->row_ids);
    wwi_plan_ids(p->columns, column, column_count, p->column_ids);
    b.row_ids = p->row_ids;
    b.column_ids = p->column_ids;
    b.rows = row_count;
    b.columns = column_count;
    b.row_stride = column_count;
    b.column_stride = 1;
    b.row_base = (uint32_t)row;
    b.column_base = (uint32_t)column;
    if ((status = wwi_plan_slice(p, WWI_SIDE_ROW, row, row_count, &b.row)) != WW_OK ||
        (status = wwi_plan_slice(p, WWI_SIDE_COLUMN, column, column_count, &b.column)) != WW_OK)
        return status;
    b.out = p->out;
    return run(p->runner, &b);
}

ww_status wwi_plan_rectangle(ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count) {
    const uint64_t bytes = (uint64_t)row_count * column_count * wwi_precision_bytes(p->rows->precision);
    const ww_status status = wwi_plan_ensure_out(p, bytes);
    return status == WW_OK ? rectangle(p, row, row_count, column, column_count, wwi_runner_block) : status;
}

ww_status wwi_plan_prepare(ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count) {
    return rectangle(p, row, row_count, column, column_count, wwi_runner_prepare);
}

// Where the values of a finished block go.
typedef ww_status (*sink)(ww_plan *p, void *target, size_t row, size_t row_count, size_t column, size_t column_count,
                          const unsigned char *values);

static ww_status to_matrix(ww_plan *p, void *target, size_t row, size_t row_count, size_t column, size_t column_count,
                           const unsigned char *values) {
    const size_t size = wwi_precision_bytes(p->rows->precision), stride = p->columns->count;
    for (size_t i = 0; i < row_count; i++)
        memcpy((unsigned char *)target + ((row + i) * stride + column) * size, values + i * column_count * size,
               column_count * size);
    return WW_OK;
}

// Above the diagonal, and mirrored below it; blocks at the diagonal bring both.
static ww_status to_mirror(ww_plan *p, void *target, size_t row, size_t row_count, size_t column, size_t column_count,
                           const unsigned char *values) {
    const size_t size = wwi_precision_bytes(p->rows->precision), n = p->rows->count;
    to_matrix(p, target, row, row_count, column, column_count, values);
    for (size_t i = 0; row != column && i < row_count; i++)
        for (size_t j = 0; j < column_count; j++)
            memcpy((unsigned char *)target + ((column + j) * n + row + i) * size,
                   values + (i * column_count + j) * size, size);
    return WW_OK;
}

static ww_status to_condensed(ww_plan *p, void *target, size_t row, size_t row_count, size_t column,
                              size_t column_count, const unsigned char *values) {
    const size_t size = wwi_precision_bytes(p->rows->precision), n = p->rows->count;
    for (size_t i = row; i < row + row_count; i++) {
        const size_t from = column > i + 1 ? column : i + 1;
        if (from < column + column_count)
            memcpy((unsigned char *)target + (i * (2 * n - i - 1) / 2 + (from - i - 1)) * size,
                   values + ((i - row) * column_count + (from - column)) * size, (column + column_count - from) * size);
    }
    return WW_OK;
}

typedef struct callback {
    ww_block_fn call;
    void *user;
} callback;

static ww_status to_callback(ww_plan *p, void *target, size_t row, size_t row_count, size_t column, size_t column_count,
                             const unsigned char *values) {
    const callback *c = target;
    const ww_status status = wwi_plan_check_results(p, values, (uint64_t)row_count * column_count);
    if (status != WW_OK)
        return status;
    if (c->call(c->user, row, row_count, column, column_count, values) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "the block function asked to stop");
    return WW_OK;
}

// Zeroes the diagonal of a block of a set with itself, where the measure is known to be zero there.
static void zero_diagonal(const ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count,
                          unsigned char *values) {
    const size_t size = wwi_precision_bytes(p->rows->precision);
    for (size_t i = row; i < row + row_count; i++)
        if (i >= column && i < column + column_count)
            memset(values + ((i - row) * column_count + (i - column)) * size, 0, size);
}

// Computes the matrix block by block and hands each on. `upper`: only blocks that reach above the diagonal.
static ww_status run_streamed(ww_plan *p, bool upper, bool whole_rows, sink deliver, void *target) {
    ww_status status = WW_OK;
    const size_t rows = p->rows->count, columns = p->columns->count;
    const uint64_t size = wwi_precision_bytes(p->rows->precision);
    const uint64_t most = wwi_plan_room(p) / size < 0x7fffffff ? wwi_plan_room(p) / size : 0x7fffffff;
    unsigned char *values = NULL;
    uint64_t capacity = 0;
    for (size_t row = 0, row_count; status == WW_OK && row < rows; row += row_count) {
        row_count = wwi_dataset_slice_limit(p->rows, row, 0);
        const uint64_t fitting = most / columns;
        if (whole_rows && fitting >= 1 && row_count > fitting)
            row_count = (size_t)fitting;
        else if (!whole_rows && (uint64_t)row_count * columns > most) {
            // About square blocks: the least transfer of series for the results.
            size_t side = 1;
            while ((uint64_t)side * side * 4 <= most)
                side *= 2;
            row_count = row_count < side ? row_count : side;
        }
        for (size_t column = upper ? row : 0, column_count; status == WW_OK && column < columns;
             column += column_count) {
            column_count = wwi_dataset_slice_limit(p->columns, column, 0);
            const uint64_t wide = most / row_count ? most / row_count : 1;
            if (column_count > wide)
                column_count = (size_t)wide;
            if (upper && column == row && column_count > row_count)
                column_count = row_count; // the block at the diagonal is square
            const uint64_t bytes = (uint64_t)row_count * column_count * size;
            if (bytes > capacity) {
                free(values);
                values = malloc(bytes);
                capacity = values ? bytes : 0;
                if (!values) {
                    status = wwi_fail_memory(bytes);
                    break;
                }
            }
            if ((status = wwi_plan_rectangle(p, row, row_count, column, column_count)) != WW_OK ||
                (status = wwi_buffer_read(p->out, 0, bytes, values)) != WW_OK)
                break;
            if (p->self && p->zero_on_self)
                zero_diagonal(p, row, row_count, column, column_count, values);
            status = deliver(p, target, row, row_count, column, column_count, values);
        }
    }
    free(values);
    return status;
}

// The half of a set with itself in one block, laid out on the device.
static ww_status run_half(ww_plan *p, uint32_t layout, uint64_t elements) {
    ww_status status;
    wwi_batch b;
    const size_t n = p->rows->count;
    const uint64_t bytes = elements * wwi_precision_bytes(p->rows->precision);
    memset(&b, 0, sizeof b);
    if ((status = wwi_plan_ensure_out(p, bytes)) != WW_OK ||
        (status = wwi_buffer_fill_u32(p->out, 0, (bytes + 3) / 4 * 4, 0)) != WW_OK ||
        (status = wwi_plan_slice(p, WWI_SIDE_ROW, 0, n, &b.row)) != WW_OK)
        return status;
    b.column = b.row;
    wwi_plan_ids(p->rows, 0, n, p->row_ids);
    b.row_ids = b.column_ids = p->row_ids;
    b.rows = b.columns = n;
    b.half = true;
    b.layout = layout;
    b.row_stride = n;
    b.column_stride = 1;
    b.count = (uint32_t)n;
    b.out = p->out;
    return n > 1 ? wwi_runner_block(p->runner, &b) : WW_OK;
}

// Whether all results and series stand on the device at once.
static bool fits_one_block(const ww_plan *p, uint64_t rows, uint64_t columns) {
    uint64_t elements, bytes;
    return !p->rows->host && !p->columns->host && wwi_mul_u64(rows, columns, &elements) && elements <= 0x7fffffff &&
           wwi_mul_u64(elements, wwi_precision_bytes(p->rows->precision), &bytes) && bytes <= wwi_plan_room(p);
}

static ww_status run_pairs(ww_plan *p, void *distances);

static ww_status run_matrix(ww_plan *p, void *distances) {
    ww_status status;
    const size_t rows = p->rows->count, columns = p->columns->count;
    const uint64_t bytes = (uint64_t)rows * columns * wwi_precision_bytes(p->rows->precision);
    if (!fits_one_block(p, rows, columns))
        return p->self && p->symmetric && p->zero_on_self ? run_streamed(p, true, false, to_mirror, distances)
                                                          : run_streamed(p, false, false, to_matrix, distances);
    if (p->self && p->symmetric && p->zero_on_self)
        status = run_half(p, WWI_LAYOUT_MIRRORED, (uint64_t)rows * rows);
    else
        status = wwi_plan_rectangle(p, 0, rows, 0, columns);
    if (status == WW_OK)
        status = wwi_buffer_read(p->out, 0, bytes, distances);
    if (status == WW_OK && p->self && p->zero_on_self)
        zero_diagonal(p, 0, rows, 0, columns, distances);
    return status;
}

static ww_status check_run(const ww_plan *p, const void *target, wwi_job_kind kind, const char *function) {
    if (!p || !target)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the plan or the result is NULL", function);
    if (p->kind != kind) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the plan is for another job", function);
        return wwi_fail_hint("run a plan with the function its job has");
    }
    return WW_OK;
}

ww_status ww_plan_run(ww_plan *plan, void *distances) {
    if (plan && plan->kind == WWI_PAIRS)
        return ww_plan_run_condensed(plan, distances);
    ww_status status = check_run(plan, distances, WWI_MATRIX, "ww_plan_run");
    if (status != WW_OK)
        return status;
    wwi_plan_start(plan);
    status = run_matrix(plan, distances);
    if (status == WW_OK)
        status = wwi_plan_check_results(plan, distances, (uint64_t)plan->rows->count * plan->columns->count);
    return wwi_plan_finish(plan, status);
}

ww_status ww_plan_run_condensed(ww_plan *plan, void *distances) {
    ww_status status;
    if (plan && plan->kind == WWI_PAIRS) {
        if ((status = check_run(plan, distances, WWI_PAIRS, "ww_plan_run_condensed")) != WW_OK)
            return status;
        wwi_plan_start(plan);
        status = run_pairs(plan, distances);
        if (status == WW_OK)
            status = wwi_plan_check_results(plan, distances, plan->count);
        return wwi_plan_finish(plan, status);
    }
    if ((status = check_run(plan, distances, WWI_MATRIX, "ww_plan_run_condensed")) != WW_OK)
        return status;
    if (!plan->self)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a condensed matrix is of one set with itself");
    const uint64_t n = plan->rows->count, elements = n * (n - 1) / 2;
    if (elements == 0)
        return WW_OK;
    wwi_plan_start(plan);
    if (plan->symmetric && fits_one_block(plan, n, (n + 1) / 2) && n * n <= 0x7fffffff) {
        status = run_half(plan, WWI_LAYOUT_CONDENSED, elements);
        if (status == WW_OK)
            status = wwi_buffer_read(plan->out, 0, elements * wwi_precision_bytes(plan->rows->precision), distances);
    } else {
        status = run_streamed(plan, true, false, to_condensed, distances);
    }
    if (status == WW_OK)
        status = wwi_plan_check_results(plan, distances, elements);
    return wwi_plan_finish(plan, status);
}

ww_status ww_plan_run_blocks(ww_plan *plan, ww_block_fn block, void *user) {
    callback c = {block, user};
    ww_status status = check_run(plan, &c, WWI_MATRIX, "ww_plan_run_blocks");
    if (status != WW_OK)
        return status;
    if (!block)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the block function is NULL");
    wwi_plan_start(plan);
    return wwi_plan_finish(plan, run_streamed(plan, false, true, to_callback, &c));
}

// Pairs whose series lie in one window of each side, `most` at a time.
static ww_status run_pairs_between(ww_plan *p, size_t row, size_t rows, size_t column, size_t columns, uint64_t most,
                                   uint32_t *picked, uint32_t *numbers, unsigned char *values, void *distances) {
    ww_status status;
    const size_t size = wwi_precision_bytes(p->rows->precision);
    wwi_batch b;
    memset(&b, 0, sizeof b);
    b.list = true;
    b.pairs = picked;
    for (size_t t = 0; t < p->count;) {
        b.rows = 0;
        for (; t < p->count && b.rows < most; t++) {
            const uint32_t *pair = p->pairs + 3 * t;
            if (pair[0] < row || pair[0] - row >= rows || pair[1] < column || pair[1] - column >= columns)
                continue;
            picked[3 * b.rows] = pair[0];
            picked[3 * b.rows + 1] = pair[1];
            picked[3 * b.rows + 2] = (uint32_t)b.rows;
            numbers[b.rows++] = pair[2];
        }
        if (b.rows == 0)
            return WW_OK;
        if ((status = wwi_plan_ensure_out(p, b.rows * size)) != WW_OK ||
            (status = wwi_plan_slice(p, WWI_SIDE_ROW, row, rows, &b.row)) != WW_OK ||
            (status = wwi_plan_slice(p, WWI_SIDE_COLUMN, column, columns, &b.column)) != WW_OK)
            return status;
        b.out = p->out;
        if ((status = wwi_runner_block(p->runner, &b)) != WW_OK ||
            (status = wwi_buffer_read(p->out, 0, b.rows * size, values)) != WW_OK)
            return status;
        for (size_t i = 0; i < b.rows; i++)
            memcpy((unsigned char *)distances + numbers[i] * size, values + i * size, size);
    }
    return WW_OK;
}

static ww_status run_pairs(ww_plan *p, void *distances) {
    ww_status status = WW_OK;
    const uint64_t size = wwi_precision_bytes(p->rows->precision);
    uint64_t most = wwi_plan_room(p) / (size + 12);
    most = most < 1 ? 1 : most > p->count ? p->count : most;
    uint32_t *picked = malloc(most * 3 * sizeof *picked), *numbers = malloc(most * sizeof *numbers);
    unsigned char *values = malloc(most * size);
    if (!picked || !numbers || !values)
        status = wwi_fail_memory(most * (16 + size));
    for (size_t row = 0, rows; status == WW_OK && row < p->rows->count; row += rows) {
        rows = wwi_dataset_slice_limit(p->rows, row, 0);
        for (size_t column = 0, columns; status == WW_OK && column < p->columns->count; column += columns) {
            columns = wwi_dataset_slice_limit(p->columns, column, 0);
            status = run_pairs_between(p, row, rows, column, columns, most, picked, numbers, values, distances);
        }
    }
    free(picked);
    free(numbers);
    free(values);
    return status;
}

ww_status wwi_plan_run_device(ww_plan *plan, void *memory) {
    ww_status status;
    if (!plan || !memory || plan->kind == WWI_NEAREST)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the plan or the buffer is NULL, or the plan is for nearest");
    const bool pairs = plan->kind == WWI_PAIRS;
    const uint64_t rows = pairs ? plan->count : plan->rows->count, columns = pairs ? 1 : plan->columns->count;
    uint64_t elements;
    if (plan->rows->host || plan->columns->host || !wwi_mul_u64(rows, columns, &elements) || elements > 0x7fffffff) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the series or the result do not stand on the device at once");
        return wwi_fail_hint("run the plan into host memory, which works block by block");
    }
    wwi_buffer *mine = plan->out;
    plan->out = NULL;
    if ((status = wwi_buffer_wrap(plan->context, memory, &plan->out)) != WW_OK)
        goto done;
    if (wwi_buffer_bytes(plan->out) < elements * wwi_precision_bytes(plan->rows->precision)) {
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the buffer has %" PRIu64 " bytes, the result needs %" PRIu64,
                          wwi_buffer_bytes(plan->out), elements * wwi_precision_bytes(plan->rows->precision));
        goto done;
    }
    wwi_plan_start(plan);
    if (!pairs) {
        status = plan->self && plan->symmetric && plan->zero_on_self
                     ? run_half(plan, WWI_LAYOUT_MIRRORED, elements)
                     : wwi_plan_rectangle(plan, 0, (size_t)rows, 0, (size_t)columns);
    } else {
        wwi_batch b;
        memset(&b, 0, sizeof b);
        b.list = true;
        b.rows = plan->count;
        b.out = plan->out;
        b.pairs = malloc(plan->count * 3 * sizeof *b.pairs);
        if (!b.pairs) {
            status = wwi_fail_memory(plan->count * 3 * sizeof *b.pairs);
            goto done;
        }
        memcpy(b.pairs, plan->pairs, plan->count * 3 * sizeof *b.pairs);
        if ((status = wwi_plan_slice(plan, WWI_SIDE_ROW, 0, plan->rows->count, &b.row)) == WW_OK &&
            (status = wwi_plan_slice(plan, WWI_SIDE_COLUMN, 0, plan->columns->count, &b.column)) == WW_OK)
            status = wwi_runner_block(plan->runner, &b);
        free(b.pairs);
    }
done:
    wwi_buffer_destroy(&plan->out);
    plan->out = mine;
    return status;
}

ww_status ww_plan_describe(const ww_plan *plan, ww_plan_info *info) {
    if (!plan || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "plan or info is NULL");
    *info = plan->info;
    return WW_OK;
}
