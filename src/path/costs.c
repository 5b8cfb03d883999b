// SPDX-License-Identifier: Apache-2.0
// The job `costs`: all accumulated costs of a pair, by the tiles of path/costs.cl, in runs of rows that fit the device.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/batch.h"
#include "engine/tiling.h"
#include "path/path.h"

#define CELLS_A_CLOCK 0.2 // of a compute unit, until it is measured

typedef struct costs {
    uint32_t n, m;
    uint32_t rows, columns; // of a tile
    uint32_t step;          // rows of a block in costs.cl
    wwi_buffer *lines;
    double rate; // cells a second
} costs;

static const wwi_form form = {.engine = "costs", .kernel = "ww_costs", .texts = {"path/costs_args.h", "path/costs.cl"}};

static void costs_destroy(ww_plan *p) {
    costs *own = p->own;
    free(p->pairs);
    if (own)
        wwi_buffer_destroy(&own->lines);
    free(own);
}

// Small tiles on a GPU, because each is one work-item's; on a CPU each takes some microseconds.
static void choose_tiles(const ww_plan *p, costs *own) {
    const uint32_t channels = p->runner->of.channels;
    own->step = !p->runner->gpu || channels == 1 ? 8 : channels > 4 ? 2 : 4;
    own->rows = p->runner->gpu ? 8 : 64;
    own->columns = p->runner->gpu ? 32 : 256;
}

static ww_status create(ww_dataset *rows, ww_dataset *columns, const wwi_plan_creation *from,
                        const ww_plan_options *options, ww_plan **plan) {
    WWI_ENDS(ww_plan_destroy) ww_plan *p = NULL;
    costs *own;
    WWI_TRY(wwi_plan_create(&wwi_costs_job, from->measure, rows, columns, options, &p));
    WWI_TRY(wwi_new_zeroed(own, 1));
    p->own = own;
    if (p->options.engine != WW_ENGINE_AUTO) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "engine %s gives no accumulated costs",
                 ww_word(WW_WORD_ENGINE, p->options.engine));
        return wwi_fail_hint("leave the engine to the library");
    }
    WWI_TRY(wwi_plan_take_pairs(p, from->row_index, from->column_index, 1));
    own->n = p->pair.rows->lengths[p->pairs[0]];
    own->m = p->pair.columns->lengths[p->pairs[1]];
    own->rate = wwi_pace_guess(wwi_context_info(p->pair.context), CELLS_A_CLOCK);
    choose_tiles(p, own);
    *plan = wwi_taken(&p);
    return WW_OK;
}

ww_status ww_plan_create_costs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, size_t row,
                               size_t column, const ww_plan_options *options, ww_plan **plan) {
    const wwi_plan_creation from = {.measure = measure, .row_index = &row, .column_index = &column};
    WWI_NEEDS("plan", plan);
    *plan = NULL;
    WWI_NEEDS("rows, columns", rows, columns);
    // A cell needs those before it: one pair is one device's.
    if (wwi_datasets_divide(rows, columns)) {
        WWI_TRY(wwi_dataset_on(rows, 0, &rows));
        WWI_TRY(wwi_dataset_on(columns, 0, &columns));
    }
    return create(rows, columns, &from, options, plan);
}

// ---- a run

// Rows of the matrix that are computed one after the other, from `begin` on.
typedef struct job {
    ww_plan *plan;
    costs *own;
    wwi_work work;
    const wwi_variant *variant;
    ww_costs_args args;
    uint32_t passes;
} job;

static uint32_t tiles(uint32_t points, uint32_t size) {
    return (uint32_t)wwi_ceil_div(points, size);
}

// Values of the lines of a channel that is computed alone, or of all together.
static uint64_t line_values(const costs *own) {
    return (uint64_t)own->n + own->m + tiles(own->n, own->rows) + 2ull * tiles(own->m, own->columns) + 1;
}

static ww_status make_work(job *j) {
    ww_plan *p = j->plan;
    wwi_runner *r = p->runner;
    const uint32_t pair[3] = {p->pairs[0], p->pairs[1], 0};
    wwi_batch batch = {.list = true, .pairs = pair, .rows = 1};
    const wwi_rectangle of = {pair[0], 1, pair[1], 1};
    WWI_TRY(wwi_pairing_slices(&p->pair, of, &batch.row, &batch.column));
    WWI_TRY(wwi_work_make(r, &batch, &j->work));
    wwi_work_ends(&p->pair.measure, &j->work);
    WWI_TRY(wwi_work_bands(r, &j->work, NULL, NULL));
    WWI_TRY(wwi_work_upload(r, &j->work));
    wwi_variant_key key = wwi_work_key(r, &j->work, &form);
    wwi_variant *v;
    key.rows = j->own->step;
    key.group = r->gpu ? 32 : 1;
    WWI_TRY(wwi_runner_variant(r, key, &v));
    j->variant = v;
    return WW_OK;
}

// The tiles of rows [row_begin, row_end) of one channel, or of all together, into `out` from value `first` on.
static ww_status compute(job *j, wwi_buffer *out) {
    costs *own = j->own;
    wwi_runner *r = j->plan->runner;
    ww_costs_args *a = &j->args;
    const uint32_t down = tiles(a->row_end - a->row_begin, own->rows), across = a->tile_columns;
    const double cells =
        (double)(a->row_end - a->row_begin) * own->m * ((double)j->plan->info.cells / ((double)own->n * own->m));
    const double each = cells / j->passes / (down + across - 1);
    j->work.b.out = out;
    for (a->diagonal = 0; a->diagonal < down + across - 1; a->diagonal++) {
        wwi_arg args[COMMON_ARGS + 2];
        size_t count = wwi_work_args(&j->work, args);
        const uint32_t first = a->diagonal < across ? 0 : a->diagonal - across + 1;
        const uint32_t end = a->diagonal < down ? a->diagonal + 1 : down;
        a->tile_row = first;
        a->units = end - first;
        args[count++] = (wwi_arg)WWI_VALUE(*a);
        args[count++] = (wwi_arg)WWI_BUFFER(own->lines);
        WWI_TRY(wwi_launch_items(j->variant->kernel, a->units, j->variant->key.group, args, count));
        WWI_TRY(wwi_pace_launched(&r->pace, &own->rate, each, a->row_end < own->n || a->diagonal + 2 < down + across));
    }
    return WW_OK;
}

static ww_status compute_rows(job *j, uint32_t begin, uint32_t end, wwi_buffer *out, uint64_t first) {
    j->args.row_begin = begin;
    j->args.row_end = end;
    j->args.first = first;
    for (uint32_t pass = 0; pass < j->passes; pass++) {
        j->args.lines = pass * line_values(j->own);
        j->args.accumulate = pass > 0;
        j->work.args.channel = pass;
        WWI_TRY(compute(j, out));
    }
    return WW_OK;
}

static ww_status too_small(const ww_plan *p, uint64_t needed, uint64_t has) {
    const costs *own = p->own;
    wwi_fail(WW_ERROR_DEVICE_MEMORY,
             "%" PRIu32 " rows of %" PRIu32 " accumulated costs and the lines between tiles need %" PRIu64
             " bytes of %s, there are %" PRIu64,
             own->rows, own->m, needed, wwi_context_info(p->pair.context)->name, has);
    return wwi_fail_hint("raise max_bytes, or use float precision");
}

// Rows that fit the device at a time: all, or whole rows of tiles.
static ww_status find_rows(const ww_plan *p, uint64_t line_bytes, uint32_t *rows) {
    const costs *own = p->own;
    const uint64_t budget = wwi_plan_memory(p), row = own->m * (uint64_t)p->pair.value_bytes;
    const uint64_t fit = budget > line_bytes ? (budget - line_bytes) / row : 0;
    *rows = fit >= own->n ? own->n : (uint32_t)(fit / own->rows * own->rows);
    return *rows ? WW_OK : too_small(p, own->rows * row + line_bytes, budget);
}

// Brings rows to the caller's, which may be apart.
static ww_status fetch(const ww_plan *p, uint32_t rows, unsigned char *to, uint64_t stride) {
    const costs *own = p->own;
    const uint64_t row = own->m * (uint64_t)p->pair.value_bytes;
    if (stride == own->m)
        return wwi_stream_read(p->pair.stream, p->out, 0, rows * row, to);
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(values, rows * row));
    WWI_TRY(wwi_stream_read(p->pair.stream, p->out, 0, rows * row, values));
    for (uint32_t i = 0; i < rows; i++)
        memcpy(to + i * stride * p->pair.value_bytes, values + i * row, row);
    return WW_OK;
}

static ww_status run_to_host(job *j, unsigned char *to, uint64_t stride, uint64_t line_bytes) {
    ww_plan *p = j->plan;
    const costs *own = j->own;
    uint32_t most, end;
    WWI_TRY(find_rows(p, line_bytes, &most));
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, (uint64_t)most * own->m * p->pair.value_bytes));
    j->work.args.row_stride = own->m;
    for (uint32_t begin = 0; begin < own->n; begin = end) {
        end = own->n - begin < most ? own->n : begin + most;
        WWI_TRY(compute_rows(j, begin, end, p->out, 0));
        WWI_TRY(fetch(p, end - begin, to + begin * stride * p->pair.value_bytes, stride));
    }
    // The last cell is the sum of the others on its path.
    return wwi_plan_check_results(p, to + ((own->n - 1) * stride + own->m - 1) * p->pair.value_bytes,
                                  !wwi_measure_is_open(&p->pair.measure));
}

static ww_status run_work(job *j, const ww_output *to, wwi_buffer *device) {
    ww_plan *p = j->plan;
    const uint64_t stride = to->row_stride ? to->row_stride : j->own->m;
    const uint64_t line_bytes = line_values(j->own) * j->passes * p->pair.value_bytes;
    WWI_TRY(make_work(j));
    WWI_TRY(wwi_grow_buffer(p->pair.context, &j->own->lines, line_bytes));
    j->args.rows = j->own->rows;
    j->args.columns = j->own->columns;
    j->args.tile_columns = tiles(j->own->m, j->own->columns);
    if (!device)
        return run_to_host(j, to->host, stride, line_bytes);
    j->work.args.row_stride = stride;
    return compute_rows(j, 0, j->own->n, device, to->offset / p->pair.value_bytes);
}

static ww_status costs_run(ww_plan *p, const ww_output *to, wwi_buffer *device) {
    job j = {.plan = p, .own = p->own, .passes = p->runner->of.passes};
    wwi_plan_expect(p, p->info.cells);
    j.work.uploads = p->runner->kept;
    p->runner->kept = (wwi_uploads){.band = NULL};
    const ww_status status = run_work(&j, to, device);
    p->runner->kept = j.work.uploads;
    free(j.work.ids);
    WWI_TRY(status);
    p->info.cells_done = p->info.cells;
    return WW_OK;
}

static ww_status costs_result(const ww_plan *p, ww_layout layout, wwi_result *result) {
    const costs *own = p->own;
    if (layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "accumulated costs have the full layout only");
    *result = (wwi_result){"accumulated costs", own->n, own->m, p->pair.value_bytes, true};
    return WW_OK;
}

const wwi_job_class wwi_costs_job = {"ww_plan_run", costs_result, costs_run, NULL, costs_destroy};

// ---- one pair

ww_status ww_costs(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y, size_t m,
                   size_t channels, double *values) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *rows = NULL, *columns = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_FREES float *narrow = NULL;
    WWI_NEEDS("context, x, y, values", context, x, y, values);
    context = wwi_context_first(context);
    const ww_precision precision = wwi_context_info(context)->has_double ? WW_DOUBLE : WW_FLOAT;
    WWI_TRY(wwi_dataset_of_doubles(context, precision, x, 1, channels, n, &rows));
    WWI_TRY(wwi_dataset_of_doubles(context, precision, y, 1, channels, m, &columns));
    WWI_TRY(ww_plan_create_costs(measure, rows, columns, 0, 0, NULL, &plan));
    const costs *own = plan->own;
    const uint64_t count = (uint64_t)own->n * own->m;
    if (precision == WW_FLOAT)
        WWI_TRY(wwi_new(narrow, count));
    const ww_output to = WW_OUTPUT_HOST(narrow ? (void *)narrow : values);
    WWI_TRY(ww_plan_run(plan, &to));
    for (uint64_t i = 0; narrow && i < count; i++)
        values[i] = (double)narrow[i];
    return WW_OK;
}
