// SPDX-License-Identifier: Apache-2.0
// The part of a plan common to all jobs: arguments of the caller, numbers of cells, the computation of a batch,
// reports. What a job does with its batches is in its class: matrix.c, pairs.c, nearest.c.
#include "jobs/plan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
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
    p->job->destroy(p);
    wwi_work_destroy(&p->whole);
    wwi_work_destroy(&p->diagonal);
    wwi_runner_destroy(&p->runner);
    wwi_buffer_destroy(&p->out);
    wwi_slice_close(&p->slices[WWI_SIDE_ROW]);
    wwi_slice_close(&p->slices[WWI_SIDE_COLUMN]);
    wwi_stream_destroy(&p->stream);
    ww_dataset_destroy(&p->columns);
    ww_dataset_destroy(&p->rows);
    free(p->expression);
    free(p->recurrence);
    free(p->recurrence_name);
    free(p->band_lo);
    free(p->band_hi);
    free(p->row_ids);
    free(p->column_ids);
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

// Symbols that float makes equal, and times that it rounds, would give wrong distances without an error.
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

const char *wwi_plan_precision(const ww_plan *p) {
    return p->rows->precision == WW_DOUBLE ? "double" : "float";
}

// Looks for values so large that results would be infinite, or wrong.
ww_status wwi_plan_check_range(ww_plan *p) {
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
             ww_measure_info_by_id(p->measure.id)->name, wwi_plan_precision(p));
    return wwi_fail_hint("scale the series, or use double precision");
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

static ww_status take_options(const ww_plan_options *options, wwi_plan_settings *settings) {
    ww_plan_options o = WW_PLAN_OPTIONS_INIT;
    ww_run_options run;
    ww_status status = wwi_options_take(&o, options, "ww_plan_options");
    if (status != WW_OK || (status = wwi_run_take(o.run, &run)) != WW_OK)
        return status;
    if (!wwi_engine_known(o.engine))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.engine is %d", (int)o.engine);
    *settings = (wwi_plan_settings){.engine = o.engine,
                                    .no_bounds = o.no_bounds,
                                    .max_bytes = run.max_bytes,
                                    .launch_seconds = run.launch_seconds,
                                    .progress = run.progress,
                                    .progress_user = run.progress_user};
    return WW_OK;
}

static ww_status check_sides(const ww_measure *measure, const ww_dataset *rows, const ww_dataset *columns) {
    if (columns->context != rows->context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets belong to different contexts");
    if (columns->precision != rows->precision)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets have different precisions");
    if (columns->channels != rows->channels) {
        wwi_fail(WW_ERROR_CHANNELS, "the rows have %zu channels, the columns %zu", rows->channels, columns->channels);
        return wwi_fail_hint("both sides of a distance need the same channels");
    }
    const ww_status status = check_rounded(measure, rows);
    return status == WW_OK ? check_rounded(measure, columns) : status;
}

ww_status wwi_plan_create(const wwi_job_class *job, const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                          const ww_plan_options *options, ww_plan **plan) {
    ww_status status;
    ww_plan *p = NULL;
    wwi_plan_settings settings;
    ww_measure taken;

    *plan = NULL;
    if (!rows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rows are NULL");
    const bool self = !columns;
    if (self)
        columns = rows;
    if ((status = take_options(options, &settings)) != WW_OK || (status = wwi_measure_take(measure, &taken)) != WW_OK ||
        (status = check_sides(&taken, rows, columns)) != WW_OK)
        return status;

    p = calloc(1, sizeof *p);
    if (!p)
        return wwi_fail_memory(sizeof *p);
    p->job = job;
    p->context = rows->context;
    p->self = self;
    p->options = settings;
    p->info = (ww_plan_info)WW_PLAN_INFO_INIT;
    if ((status = wwi_stream_create(p->context, &p->stream)) != WW_OK ||
        (status = take_datasets(p, &taken, rows, columns)) != WW_OK)
        goto done;
    rows = p->rows;
    columns = p->columns;
    p->row_ids = malloc(rows->count * sizeof *p->row_ids);
    p->column_ids = malloc(columns->count * sizeof *p->column_ids);
    if (!p->row_ids || !p->column_ids) {
        status = wwi_fail_memory((rows->count + columns->count) * sizeof *p->row_ids);
        goto done;
    }
    if ((status = own_measure(p, &taken)) != WW_OK || (status = wwi_plan_check_range(p)) != WW_OK)
        goto done;
    p->symmetric = wwi_measure_is_symmetric(&p->measure);
    p->zero_on_self = wwi_measure_is_zero_on_self(&p->measure);
    status = wwi_runner_create(&p->measure, rows, columns, &p->options, p->stream, &p->runner);
done:
    if (status != WW_OK)
        ww_plan_destroy(&p);
    *plan = p;
    return status;
}

// How often each length occurs among series [first, first+count).
static uint64_t *count_ranks(const ww_dataset *d, size_t first, size_t count) {
    uint64_t *counts = calloc(d->rank_count, sizeof *counts);
    for (size_t i = first; counts && i < first + count; i++)
        counts[d->ranks[i]]++;
    return counts;
}

ww_status wwi_plan_no_path(const ww_plan *p, uint32_t n, uint32_t m) {
    if (p->measure.band.kind == WW_BAND_ROWS && p->measure.band.rows != n)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the band has %zu rows, a row series %" PRIu32 " points",
                        p->measure.band.rows, n);
    wwi_fail(WW_ERROR_NO_PATH, "the band leaves no path between series of %" PRIu32 " and %" PRIu32 " points", n, m);
    return wwi_fail_hint("widen the band, or use the corner or slanted band, which always leave one");
}

ww_status wwi_plan_count_area(const ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count,
                              uint64_t *cells) {
    ww_status status = WW_OK;
    uint64_t *rows = count_ranks(p->rows, row, row_count), *columns = count_ranks(p->columns, column, column_count);
    uint64_t sum = 0;
    if (!rows || !columns) {
        status = wwi_fail_memory(8 * ((uint64_t)p->rows->rank_count + p->columns->rank_count));
        goto done;
    }
    for (uint32_t i = 0; i < p->rows->rank_count; i++)
        for (uint32_t j = 0; rows[i] && j < p->columns->rank_count; j++) {
            if (!columns[j])
                continue;
            const uint32_t n = p->rows->rank_lengths[i], m = p->columns->rank_lengths[j];
            const uint64_t each = wwi_runner_pair_cells(p->runner, n, m);
            uint64_t pairs, product;
            if (each == 0) {
                status = wwi_plan_no_path(p, n, m);
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

ww_status wwi_plan_count_cells(ww_plan *p, uint64_t *cells) {
    return wwi_plan_count_area(p, 0, p->rows->count, 0, p->columns->count, cells);
}

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
    p->info.cells_done = 0;
    p->run_cells = 0;
    p->pending = false;
    p->info.pairs_pruned = 0;
    p->info.pairs_abandoned = 0;
}

void wwi_plan_expect(ww_plan *p, uint64_t cells) {
    p->run_cells = cells;
    wwi_runner_start(p->runner, cells, p->pending);
}

ww_status wwi_plan_end(ww_plan *p, ww_status status) {
    status = wwi_finish_after(p->stream, status);
    // What launches report are estimates. Nothing is left to cancel.
    if (status == WW_OK && p->options.progress && p->run_cells && wwi_runner_cells(p->runner) != p->run_cells)
        (void)p->options.progress(p->options.progress_user, p->run_cells, p->run_cells);
    p->pending = false;
    if (status != WW_OK) {
        wwi_work_forget(p->whole);
        wwi_work_forget(p->diagonal);
    }
    p->info.engine = wwi_runner_engine(p->runner);
    p->info.launches = wwi_stream_launches(p->stream);
    p->info.seconds_device = wwi_stream_seconds(p->stream);
    p->info.seconds_wall = wwi_seconds() - p->start_seconds;
    if (status == WW_OK)
        wwi_runner_learn(p->runner, p->info.seconds_device);
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

bool wwi_plan_is_one_batch(const ww_plan *p, uint64_t elements) {
    uint64_t bytes;
    return !p->rows->host && !p->columns->host && elements <= 0x7fffffff &&
           wwi_mul_u64(elements, wwi_precision_bytes(p->rows->precision), &bytes) && bytes <= wwi_plan_room(p);
}

// ---- batches

static ww_status rectangle(ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count, wwi_batch *b) {
    memset(b, 0, sizeof *b);
    wwi_plan_ids(p->rows, row, row_count, p->row_ids);
    wwi_plan_ids(p->columns, column, column_count, p->column_ids);
    b->row_ids = p->row_ids;
    b->column_ids = p->column_ids;
    b->rows = row_count;
    b->columns = column_count;
    b->row_stride = column_count;
    b->column_stride = 1;
    b->row_base = (uint32_t)row;
    b->column_base = (uint32_t)column;
    b->out = p->out;
    const ww_status status = wwi_plan_slice(p, WWI_SIDE_ROW, row, row_count, &b->row);
    return status == WW_OK ? wwi_plan_slice(p, WWI_SIDE_COLUMN, column, column_count, &b->column) : status;
}

ww_status wwi_plan_rectangle(ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count) {
    const uint64_t bytes = (uint64_t)row_count * column_count * wwi_precision_bytes(p->rows->precision);
    wwi_batch b;
    ww_status status = wwi_plan_ensure_out(p, bytes);
    if (status == WW_OK)
        status = rectangle(p, row, row_count, column, column_count, &b);
    return status == WW_OK ? wwi_runner_block(p->runner, &b) : status;
}

ww_status wwi_plan_prepare_rectangle(ww_plan *p, size_t row, size_t row_count, size_t column, size_t column_count,
                                     wwi_work **work) {
    wwi_batch b;
    const ww_status status = rectangle(p, row, row_count, column, column_count, &b);
    return status == WW_OK ? wwi_runner_prepare(p->runner, &b, work) : status;
}

ww_status wwi_plan_prepare_list(ww_plan *p, const uint32_t *pairs, size_t count, wwi_work **work) {
    ww_status status;
    wwi_batch b;
    memset(&b, 0, sizeof b);
    b.list = true;
    b.pairs = pairs;
    b.rows = count;
    if ((status = wwi_plan_slice(p, WWI_SIDE_ROW, 0, p->rows->count, &b.row)) != WW_OK ||
        (status = wwi_plan_slice(p, WWI_SIDE_COLUMN, 0, p->columns->count, &b.column)) != WW_OK)
        return status;
    return wwi_runner_prepare(p->runner, &b, work);
}

ww_status wwi_plan_to_device(ww_plan *p, const ww_output *to, wwi_buffer *device, uint64_t values,
                             ww_status (*enqueue)(ww_plan *, ww_layout, wwi_buffer *)) {
    ww_status status;
    const uint64_t bytes = values * wwi_precision_bytes(p->rows->precision);
    if (to->offset == 0)
        return enqueue(p, to->layout, device);
    // A kernel's results begin where its buffer does.
    if ((status = wwi_plan_ensure_out(p, bytes)) != WW_OK || (status = enqueue(p, to->layout, p->out)) != WW_OK)
        return status;
    return wwi_buffer_copy(p->out, 0, device, to->offset, bytes);
}

// ---- running

ww_status ww_plan_prepare(ww_plan *plan) {
    if (!plan)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the plan is NULL");
    return plan->job->prepare ? plan->job->prepare(plan) : WW_OK;
}

// The device memory that an output names, checked; NULL for host memory.
static ww_status check_output(const ww_plan *p, const ww_output *to, wwi_buffer **device) {
    uint64_t values = 0;
    const uint64_t size = wwi_precision_bytes(p->rows->precision);
    const ww_status status = p->job->values(p, to->layout, &values);
    *device = NULL;
    if (status != WW_OK)
        return status;
    if (!to->host == !to->device)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "one of output.host and output.device must be set, not both");
    if (to->host)
        return to->offset ? wwi_fail(WW_ERROR_INVALID_ARGUMENT, "output.offset is for device memory") : WW_OK;
    if (to->device->context != p->context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the buffer belongs to another context than the plan");
    const uint64_t bytes = wwi_buffer_bytes(to->device->memory);
    if (to->offset % size || to->offset > bytes || values > (bytes - to->offset) / size)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "the buffer has %" PRIu64 " bytes, the offset is %" PRIu64 ", the result needs %" PRIu64
                        " values of %" PRIu64 " bytes",
                        bytes, to->offset, values, size);
    *device = to->device->memory;
    return WW_OK;
}

ww_status ww_plan_run(ww_plan *plan, const ww_output *output) {
    ww_status status;
    ww_output to = WW_OUTPUT_INIT;
    wwi_buffer *device;
    if (!plan || !output)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_plan_run: the plan or the output is NULL");
    if (!plan->job->run) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_plan_run: the plan is for another job");
        return wwi_fail_hint("run a plan with the function its job has");
    }
    if ((status = wwi_options_take(&to, output, "ww_output")) != WW_OK ||
        (status = check_output(plan, &to, &device)) != WW_OK)
        return status;
    wwi_plan_start(plan);
    plan->pending = device != NULL;
    status = plan->job->run(plan, &to, device);
    return status == WW_OK && device ? WW_OK : wwi_plan_end(plan, status);
}

ww_status ww_plan_finish(ww_plan *plan) {
    if (!plan)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the plan is NULL");
    return plan->pending ? wwi_plan_end(plan, WW_OK) : WW_OK;
}

ww_status ww_plan_get_info(const ww_plan *plan, ww_plan_info *info) {
    if (!plan || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "plan or info is NULL");
    return wwi_struct_give(info, &plan->info, "ww_plan_info");
}
