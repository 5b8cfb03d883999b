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
#include "options.h"

void ww_plan_destroy(ww_plan **plan) {
    ww_plan *p = wwi_taken(plan);
    if (!p)
        return;
    WWI_TEAM_CLOSE(ww_plan, p->team, p);
    if (p->job->destroy)
        p->job->destroy(p);
    wwi_work_destroy(&p->whole);
    wwi_work_destroy(&p->diagonal);
    wwi_runner_destroy(&p->runner);
    WWI_BUFFERS_DESTROY(&p->zeros, &p->out);
    wwi_pairing_close(&p->pair);
    free(p->row_ids);
    free(p->column_ids);
    free(p);
}

static ww_status take_options(const ww_plan_options *options, wwi_plan_settings *settings) {
    ww_plan_options o = WW_PLAN_OPTIONS_INIT;
    ww_run_options run;
    WWI_TRY(wwi_options_take(&o, options, "ww_plan_options"));
    WWI_TRY(wwi_run_take(o.run, &run));
    if (!wwi_engine_known(o.engine))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.engine is %d", (int)o.engine);
    *settings = (wwi_plan_settings){.engine = o.engine,
                                    .no_bounds = o.no_bounds,
                                    .one_way = o.one_way,
                                    .max_bytes = run.max_bytes,
                                    .launch_seconds = run.launch_seconds,
                                    .progress = run.progress,
                                    .progress_user = run.progress_user};
    return WW_OK;
}

ww_status wwi_plan_create(const wwi_job_class *job, const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                          const ww_plan_options *options, ww_plan **plan) {
    wwi_plan_settings settings;
    WWI_ENDS(ww_plan_destroy) ww_plan *p = NULL;
    *plan = NULL;
    WWI_TRY(take_options(options, &settings));
    WWI_TRY(wwi_new_zeroed(p, 1));
    p->job = job;
    p->self = !columns;
    p->options = settings;
    p->info = (ww_plan_info)WW_PLAN_INFO_INIT;
    WWI_TRY(wwi_pairing_open(measure, rows, columns, &p->pair));
    wwi_stream_watch(p->pair.stream, settings.progress, settings.progress_user);
    rows = p->pair.rows;
    columns = p->pair.columns;
    WWI_TRY(wwi_new(p->row_ids, rows->count));
    WWI_TRY(wwi_new(p->column_ids, columns->count));
    p->symmetric = wwi_measure_is_symmetric(&p->pair.measure);
    p->zero_on_self = wwi_measure_is_zero_on_self(&p->pair.measure);
    WWI_TRY(wwi_runner_create(&p->pair.recurrence, rows, columns, &p->options, &p->runner));
    *plan = wwi_taken(&p);
    return WW_OK;
}

// How often each length occurs among series [first, first+count).
static uint64_t *count_ranks(const ww_dataset *d, size_t first, size_t count) {
    uint64_t *counts = calloc(d->rank_count, sizeof *counts);
    for (size_t i = first; counts && i < first + count; i++)
        counts[d->ranks[i]]++;
    return counts;
}

ww_status wwi_plan_count_area(const ww_plan *p, wwi_rectangle of, uint64_t *cells) {
    WWI_FREES uint64_t *rows = count_ranks(p->pair.rows, of.row, of.rows);
    WWI_FREES uint64_t *columns = count_ranks(p->pair.columns, of.column, of.columns);
    uint64_t sum = 0;
    if (!rows || !columns)
        return wwi_fail_memory(8 * ((uint64_t)p->pair.rows->rank_count + p->pair.columns->rank_count));
    for (uint32_t i = 0; i < p->pair.rows->rank_count; i++)
        for (uint32_t j = 0; rows[i] && j < p->pair.columns->rank_count; j++) {
            if (!columns[j])
                continue;
            const uint32_t n = p->pair.rows->rank_lengths[i], m = p->pair.columns->rank_lengths[j];
            const uint64_t each = wwi_pairing_cells(&p->pair, n, m);
            uint64_t pairs, product;
            if (each == 0)
                return wwi_pairing_no_path(&p->pair, n, m);
            // Only for progress and speed: a sum beyond 64 bits stays at the largest number.
            if (!wwi_mul_u64(rows[i], columns[j], &pairs) || !wwi_mul_u64(pairs, each, &product) ||
                !wwi_add_u64(sum, product, &sum))
                sum = UINT64_MAX;
        }
    *cells = sum;
    return WW_OK;
}

ww_status wwi_plan_count_cells(ww_plan *p, uint64_t *cells) {
    return wwi_plan_count_area(p, wwi_pairing_all(&p->pair), cells);
}

uint64_t wwi_plan_diagonal_cells(const ww_plan *p) {
    uint64_t sum = 0;
    for (size_t i = 0; i < p->pair.rows->count; i++)
        sum += wwi_pairing_cells(&p->pair, p->pair.rows->lengths[i], p->pair.rows->lengths[i]);
    return sum;
}

uint64_t wwi_plan_memory(const ww_plan *p) {
    uint64_t budget = p->options.max_bytes ? p->options.max_bytes : wwi_context_bytes_free(p->pair.context) / 2;
    if (p->out && !p->options.max_bytes)
        budget += wwi_buffer_bytes(p->out) / 2;
    return wwi_least(budget, wwi_context_max_buffer(p->pair.context));
}

uint64_t wwi_plan_most_values(const ww_plan *p, uint64_t arrays) {
    const uint64_t most = wwi_plan_memory(p) / p->pair.value_bytes / arrays;
    return most < 1 ? 1 : wwi_least(most, 0x7fffffff);
}

void wwi_plan_ids(const ww_dataset *d, size_t first, size_t count, uint32_t *ids) {
    size_t at = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->sorted[i] >= first && d->sorted[i] - first < count)
            ids[at++] = d->sorted[i];
}

void wwi_plan_start(ww_plan *p) {
    wwi_stream_start(p->pair.stream);
    p->start_seconds = wwi_seconds();
    p->pending = false;
    p->run_cells = p->info.cells_done = p->info.pairs_pruned = p->info.pairs_abandoned = 0;
}

void wwi_plan_expect(ww_plan *p, uint64_t cells) {
    p->run_cells = cells;
    wwi_runner_start(p->runner, cells, p->pending);
}

ww_status wwi_plan_end(ww_plan *p, ww_status status) {
    status = wwi_run_end(p->pair.stream, status, p->start_seconds, &p->info.launches, &p->info.seconds_device,
                         &p->info.seconds_wall);
    // What launches report are estimates. Nothing is left to cancel.
    if (status == WW_OK && p->options.progress && p->run_cells && wwi_runner_cells(p->runner) != p->run_cells)
        (void)p->options.progress(p->options.progress_user, p->run_cells, p->run_cells);
    p->pending = false;
    if (status != WW_OK) {
        wwi_work_forget(p->whole);
        wwi_work_forget(p->diagonal);
    }
    p->info.engine = wwi_runner_engine(p->runner);
    if (status == WW_OK)
        wwi_runner_learn(p->runner, p->info.seconds_device);
    return status;
}

bool wwi_plan_is_one_batch(const ww_plan *p, uint64_t elements) {
    uint64_t bytes;
    return !p->pair.rows->host && !p->pair.columns->host && elements <= 0x7fffffff &&
           wwi_mul_u64(elements, p->pair.value_bytes, &bytes) && bytes <= wwi_plan_memory(p);
}

// ---- batches

ww_status wwi_plan_batch(ww_plan *p, wwi_rectangle of, wwi_batch *b) {
    wwi_plan_ids(p->pair.rows, of.row, of.rows, p->row_ids);
    wwi_plan_ids(p->pair.columns, of.column, of.columns, p->column_ids);
    *b = (wwi_batch){.row_ids = p->row_ids,
                     .column_ids = p->column_ids,
                     .rows = of.rows,
                     .columns = of.columns,
                     .row_stride = of.columns,
                     .column_stride = 1,
                     .row_base = (uint32_t)of.row,
                     .column_base = (uint32_t)of.column,
                     .out = p->out};
    return wwi_pairing_slices(&p->pair, of, &b->row, &b->column);
}

ww_status wwi_plan_rectangle(ww_plan *p, wwi_rectangle of) {
    wwi_batch b;
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, (uint64_t)of.rows * of.columns * p->pair.value_bytes));
    WWI_TRY(wwi_plan_batch(p, of, &b));
    return wwi_runner_block(p->runner, &b);
}

ww_status wwi_plan_prepare_rectangle(ww_plan *p, size_t row_count, size_t column_count, wwi_work **work) {
    wwi_batch b;
    WWI_TRY(wwi_plan_batch(p, (wwi_rectangle){0, row_count, 0, column_count}, &b));
    return wwi_runner_prepare(p->runner, &b, work);
}

ww_status wwi_plan_list(ww_plan *p, const uint32_t *pairs, size_t count, wwi_batch *b) {
    *b = (wwi_batch){.list = true, .pairs = pairs, .rows = count};
    return wwi_pairing_slices(&p->pair, wwi_pairing_all(&p->pair), &b->row, &b->column);
}

ww_status wwi_plan_prepare_list(ww_plan *p, const uint32_t *pairs, size_t count, wwi_work **work) {
    wwi_batch b;
    WWI_TRY(wwi_plan_list(p, pairs, count, &b));
    return wwi_runner_prepare(p->runner, &b, work);
}

ww_status wwi_plan_place(ww_plan *p, const ww_output *to, wwi_buffer *device, const wwi_result *result) {
    const uint64_t row_bytes = result->columns * result->value_bytes;
    return to->row_stride ? wwi_buffer_copy_rows(p->out, device, to->offset, row_bytes, result->rows,
                                                 to->row_stride * result->value_bytes)
                          : wwi_buffer_copy(p->out, 0, device, to->offset, result->rows * row_bytes);
}

ww_status wwi_plan_to_device(ww_plan *p, const ww_output *to, wwi_buffer *device, const wwi_result *result,
                             ww_status (*enqueue)(ww_plan *, ww_layout, wwi_buffer *)) {
    const uint64_t bytes = result->rows * result->columns * result->value_bytes;
    if (to->offset == 0 && to->row_stride == 0)
        return enqueue(p, to->layout, device);
    // A kernel's results begin where its buffer does, one row after the other.
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, bytes));
    WWI_TRY(enqueue(p, to->layout, p->out));
    return wwi_plan_place(p, to, device, result);
}

// ---- running

ww_status wwi_plan_other_job(const ww_plan *plan, const char *function) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the plan is for another job", function);
    return wwi_fail_hint("%s() runs it", plan->job->runs);
}

ww_status wwi_plan_check_output(const ww_plan *plan, const ww_output *output, ww_output *to, wwi_result *result,
                                wwi_buffer **device) {
    WWI_NEEDS("plan, output", plan, output);
    if (!plan->job->run)
        return wwi_plan_other_job(plan, "ww_plan_run");
    *to = (ww_output)WW_OUTPUT_INIT;
    WWI_TRY(wwi_options_take(to, output, "ww_output"));
    WWI_TRY(plan->job->result(plan, to->layout, result));
    return wwi_result_check(to, plan->pair.context, result, device);
}

ww_status wwi_plan_run_alone(ww_plan *plan, const ww_output *output) {
    ww_output to;
    wwi_buffer *device;
    wwi_result result;
    WWI_TRY(wwi_plan_check_output(plan, output, &to, &result, &device));
    wwi_plan_start(plan);
    plan->pending = device != NULL;
    const ww_status status = plan->job->run(plan, &to, device);
    return status == WW_OK && device ? WW_OK : wwi_plan_end(plan, status);
}

void wwi_plan_add_info(ww_plan_info *sum, const ww_plan *did) {
    sum->cells_done += did->info.cells_done;
    sum->pairs_pruned += did->info.pairs_pruned;
    sum->pairs_abandoned += did->info.pairs_abandoned;
    sum->launches += did->info.launches;
    sum->seconds_device += did->info.seconds_device;
}

void wwi_plan_give_info(ww_plan *plan, const ww_plan_info *sum, double start) {
    plan->info.cells_done = sum->cells_done;
    plan->info.pairs_pruned = sum->pairs_pruned;
    plan->info.pairs_abandoned = sum->pairs_abandoned;
    plan->info.launches = sum->launches;
    plan->info.seconds_device = sum->seconds_device;
    plan->info.seconds_wall = wwi_seconds() - start;
}

ww_status ww_plan_finish(ww_plan *plan) {
    WWI_NEEDS("plan", plan);
    return plan->pending ? wwi_plan_end(plan, WW_OK) : WW_OK;
}

WWI_GIVES_INFO(plan, plan)
