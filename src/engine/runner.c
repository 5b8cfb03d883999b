// SPDX-License-Identifier: Apache-2.0
// A runner: created for a measure and two datasets, it runs batches of pairs through an engine.
#include "engine/runner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/batch.h"
#include "engine/cost_table.h"
#include "engine/packed_product.h"
#include "engine/tiling.h"
#include "measure/band.h"

// On a CPU, beyond so many channels a block sums costs over them: the points of fewer stay in private memory, a program
// for each number.
#define PRIVATE_CHANNELS 12

// Of a CPU's rate, what a soft minimum leaves at least.
#define SOFT_SHARE 0.1

void wwi_runner_destroy(wwi_runner **runner) {
    wwi_runner *r = wwi_taken(runner);
    if (!r)
        return;
    for (size_t i = 0; i < r->variant_count; i++)
        wwi_variant_end(&r->variants[i]);
    for (size_t i = 0; i < 2; i++) {
        WWI_KERNELS_DESTROY(&r->table_programs[i].kernel);
        wwi_program_release(&r->table_programs[i].program);
    }
    WWI_BUFFERS_DESTROY(&r->edges, &r->counter, &r->scratch, &r->abandoned, &r->table);
    wwi_uploads_close(&r->kept);
    wwi_bit_planes_destroy(&r->planes);
    wwi_words_free(&r->words);
    free(r);
}

// Whether engine bits can compute the measure, on bit planes made here or on the points as they are.
static ww_status take_bits(wwi_runner *r) {
    const bool symbols = wwi_measure_is_bits_of_symbols(&r->of.measure);
    r->no_bits = "it supports only Levenshtein with all weights 1, LCS, LCSS, and EDR without aeon";
    if (r->options.engine != WW_ENGINE_AUTO && r->options.engine != WW_ENGINE_BITS)
        return WW_OK;
    if (!symbols && !wwi_measure_is_bits_of_points(&r->of.measure))
        return WW_OK;
    if (r->of.banded) {
        r->no_bits = "it does not support bands";
        return WW_OK;
    }
    if (symbols) {
        WWI_TRY(wwi_bit_planes_create(r->rows, r->columns, r->of.passes > 1, &r->planes, &r->no_bits));
        r->bits = r->planes != NULL;
        return WW_OK;
    }
    r->no_bits = "points of several channels stay in engine lanes";
    // On a CPU a vector of pairs is faster: there it runs only when it is requested.
    r->bits = r->of.channels == 1 && (r->gpu || r->options.engine == WW_ENGINE_BITS);
    return WW_OK;
}

ww_status wwi_runner_create(const wwi_recurrence *of, ww_dataset *rows, ww_dataset *columns,
                            const wwi_plan_settings *options, wwi_runner **runner) {
    WWI_ENDS(wwi_runner_destroy) wwi_runner *r = NULL;
    *runner = NULL;
    WWI_TRY(wwi_new_zeroed(r, 1));
    r->of = *of;
    r->rows = rows;
    r->columns = columns;
    r->options = *options;
    r->symmetric = wwi_measure_roles_exchange(&of->measure);
    const ww_device_info *info = wwi_context_info(of->context);
    r->gpu = wwi_is_gpu(of->context);
    r->fit = wwi_fit_of(r, &wwi_lanes);
    r->width = r->of.exchange != WWI_EXCHANGE_LOCAL ? wwi_context_exchange_width(r->of.context) : r->gpu ? 64 : 16;
    if (r->width > 32 && r->of.exchange != WWI_EXCHANGE_LOCAL)
        r->width = 32;
    r->vector = (int)wwi_tuned(r, "packed.vector", r->of.precision == WW_DOUBLE ? 8 : 16);
    r->tabled = wwi_table_fits(r);
    r->summed = !wwi_by_items(r) && wwi_has_tables(&r->of, PRIVATE_CHANNELS);
    r->table_rate = wwi_pace_guess(info, r->gpu ? 32 : 2);
    WWI_TRY(take_bits(r));
    r->engine = options->engine
                    ? options->engine
                    : wwi_engine_choose(r, false, rows->count, columns->count, rows->rank_lengths[rows->rank_count - 1],
                                        columns->rank_lengths[columns->rank_count - 1]);
    r->pace = wwi_pace_make(r->of.stream, options->launch_seconds, options->progress, options->progress_user);
    for (ww_engine e = WW_ENGINE_LANES; e < ENGINES; e++)
        r->rate[e] = wwi_pace_guess(info, r->gpu ? wwi_engine_row(e)->gpu_rate
                                                 : wwi_engine_row(e)->cpu_rate * (of->soft ? SOFT_SHARE : 1));
    if (wwi_packed_product(r))
        r->rate[WW_ENGINE_PACKED] = r->table_rate / r->of.channels;
    WWI_TRY(wwi_recurrence_test(of));
    *runner = wwi_taken(&r);
    return WW_OK;
}

ww_engine wwi_runner_engine(const wwi_runner *runner) {
    ww_engine most = runner->engine;
    for (ww_engine e = WW_ENGINE_LANES; e < ENGINES; e++)
        if (runner->engine_cells[e] > runner->engine_cells[most])
            most = e;
    return most;
}

bool wwi_runner_takes_tasks(const wwi_runner *r) {
    return !r->tabled && r->rows->rank_count == 1 && r->columns->rank_count == 1 &&
           r->rows->rank_lengths[0] == r->columns->rank_lengths[0]; // nothing is exchanged then
}

void wwi_runner_skip(wwi_runner *runner, uint64_t cells) {
    runner->pace.done += cells;
}

ww_status wwi_runner_abandoned(const wwi_runner *runner, uint64_t *pairs) {
    uint32_t count = 0;
    if (runner->abandoned)
        WWI_TRY(wwi_stream_read(runner->of.stream, runner->abandoned, 0, 4, &count));
    *pairs = count;
    return WW_OK;
}

uint64_t wwi_runner_cells(const wwi_runner *runner) {
    return runner->pace.done;
}

uint64_t wwi_recurrence_cells(const wwi_recurrence *of, uint32_t n, uint32_t m) {
    const uint64_t cells = wwi_measure_band_cells(&of->measure, n, m);
    return cells == UINT64_MAX ? cells : cells * of->passes;
}

void wwi_runner_start(wwi_runner *runner, uint64_t total, bool enqueue_only) {
    wwi_pace_start(&runner->pace, total);
    runner->pace.enqueue_only =
        enqueue_only && wwi_pace_may_enqueue(&runner->pace, runner->rate[wwi_runner_engine(runner)], (double)total);
    memset(runner->engine_cells, 0, sizeof runner->engine_cells);
    wwi_buffer_destroy(&runner->abandoned);
}

void wwi_runner_learn(wwi_runner *runner, double seconds_device) {
    const ww_engine most = wwi_runner_engine(runner);
    if (runner->pace.enqueue_only && seconds_device > 0)
        runner->rate[most] =
            wwi_pace_learn(&runner->pace, runner->rate[most], runner->engine_cells[most], seconds_device);
}

// ---- batches

static ww_status refuse(const wwi_runner *r, const wwi_engine *engine, wwi_refusal refusal) {
    if (refusal.limit)
        wwi_fail(WW_ERROR_UNSUPPORTED, "engine %s on %s: %s (limit %" PRIu64 ")", engine->name,
                 wwi_context_info(r->of.context)->name, refusal.why, refusal.limit);
    else
        wwi_fail(WW_ERROR_UNSUPPORTED, "engine %s: %s", engine->name, refusal.why);
    return wwi_fail_hint("leave the choice of engine to the library, or use strips");
}

// The engine for the work, and what its kernels need of it. Strips where another engine was not asked for and does not
// take it.
static ww_status take_work(wwi_runner *r, wwi_work *w) {
    wwi_refusal refusal = {NULL, 0};
    const wwi_work *like = w->b.like;
    w->engine = like ? like->engine : r->options.engine;
    // Of points of many channels engine packed has rectangles alone; in others the costs, and the values, are the same.
    if (like && w->b.list && w->engine == WW_ENGINE_PACKED && wwi_packed_product(r))
        w->engine = r->options.engine;
    if (w->engine == WW_ENGINE_AUTO)
        w->engine = wwi_engine_choose(r, w->b.list, w->b.rows, w->b.columns, w->n, w->m);
    if (like ? like->exchanged : r->symmetric && !w->b.half && wwi_engine_row(w->engine)->wants_exchange(r, w))
        wwi_work_exchange(w);
    wwi_work_sort(w);
    w->cells = wwi_batch_cells(r, &w->sides, &w->b);
    r->words.count = 0;
    WWI_TRY(wwi_engine_row(w->engine)->takes(r, w, &refusal));
    if (refusal.why && r->options.engine != WW_ENGINE_AUTO)
        return refuse(r, wwi_engine_row(w->engine), refusal);
    if (refusal.why) {
        w->engine = WW_ENGINE_STRIPS;
        refusal.why = NULL;
        WWI_TRY(wwi_engine_row(w->engine)->takes(r, w, &refusal));
    }
    w->tabled = wwi_work_tabled(r, w);
    w->too_large = w->too_large || (w->tabled && wwi_table_too_large(r, w));
    if (!w->too_large) {
        wwi_work_ends(&r->of.measure, w);
        WWI_TRY(wwi_work_upload(r, w));
        return w->tabled ? wwi_table_upload(r, w) : WW_OK;
    }
    if (w->exchanged)
        wwi_work_exchange(w); // its halves are taken anew
    return WW_OK;
}

// Halves a batch that needs too much room.
static ww_status run_halves(wwi_runner *r, const wwi_batch *b) {
    wwi_batch first = *b, second = *b;
    if (b->tasks)
        return wwi_fail(WW_ERROR_DEVICE_MEMORY, "%zu pairs of a list do not fit the device", b->rows);
    if (b->half) {
        // A half's upper rows, where they are columns too, and those rows with all columns behind them; then the rest.
        wwi_batch beside = *b;
        const size_t middle = b->rows - b->row_begin > 1 ? (b->row_begin + b->rows) / 2 : b->rows;
        first.rows = first.columns = second.row_begin = middle;
        beside.half = false;
        beside.rows = middle;
        beside.columns = b->columns - middle;
        beside.column_ids = b->column_ids + middle;
        WWI_TRY(wwi_runner_block(r, &first));
        WWI_TRY(wwi_runner_block(r, &beside));
        return wwi_runner_block(r, &second);
    }
    if (b->list) {
        first.rows = b->rows / 2;
        second.rows = b->rows - first.rows;
        second.pairs = b->pairs + 3 * first.rows;
    } else if (b->rows - b->row_begin > 1) {
        first.rows = second.row_begin = (b->row_begin + b->rows) / 2;
    } else {
        first.columns = b->columns / 2;
        second.columns = b->columns - first.columns;
        second.column_ids = b->column_ids + first.columns;
    }
    WWI_TRY(wwi_runner_block(r, &first));
    return wwi_runner_block(r, &second);
}

ww_status wwi_runner_run(wwi_runner *r, wwi_work *w, wwi_buffer *out, uint32_t layout) {
    if (!w)
        return WW_OK;
    w->b.out = out;
    w->b.layout = w->args.layout = layout;
    if (w->too_large)
        return run_halves(r, &w->b);
    for (uint32_t pass = 0; pass < r->of.passes; pass++) {
        const ww_launch_args args = w->args;
        w->args.channel = pass;
        w->args.flags |= (pass ? WW_LAUNCH_ACCUMULATE : 0) | (r->preparing ? WW_LAUNCH_HALF : 0);
        ww_status status = w->tabled ? wwi_table_fill(r, w) : WW_OK;
        if (status == WW_OK)
            status = wwi_engine_row(w->engine)->run(r, w);
        w->args = args;
        WWI_TRY(status);
    }
    r->engine = w->engine;
    if (!r->preparing)
        r->engine_cells[w->engine] += w->cells;
    return WW_OK;
}

static bool is_empty(const wwi_batch *b) {
    return b->rows == b->row_begin || (!b->list && b->columns == 0) || (b->half && b->columns <= b->row_begin + 1);
}

static ww_status make_work(wwi_runner *r, const wwi_batch *batch, wwi_work *w) {
    WWI_TRY(wwi_work_make(r, batch, w));
    return w->pairs > 0x7fffffff ? wwi_fail(WW_ERROR_INTERNAL, "a batch of %" PRIu64 " pairs", w->pairs)
                                 : take_work(r, w);
}

ww_status wwi_runner_block(wwi_runner *r, const wwi_batch *batch) {
    if (is_empty(batch))
        return WW_OK;
    wwi_work w = {.uploads = r->kept};
    memset(&r->kept, 0, sizeof r->kept);
    ww_status status = make_work(r, batch, &w);
    if (status == WW_OK)
        status = wwi_runner_run(r, &w, batch->out, batch->layout);
    wwi_uploads_close(&r->kept); // of halves
    r->kept = w.uploads;
    free(w.ids);
    free(w.parts);
    return status;
}

ww_status wwi_runner_prepare(wwi_runner *r, const wwi_batch *batch, wwi_work **work) {
    ww_status status;
    WWI_ENDS(wwi_work_destroy) wwi_work *w = NULL;
    if (!work) { // the memory of its uploads serves the batches to come
        r->preparing = true;
        status = wwi_runner_block(r, batch);
        r->preparing = false;
        return status;
    }
    *work = NULL;
    if (is_empty(batch))
        return WW_OK;
    WWI_TRY(wwi_new_zeroed(w, 1));
    r->preparing = true;
    if ((status = make_work(r, batch, w)) == WW_OK)
        status = wwi_runner_run(r, w, batch->out, batch->layout);
    r->preparing = false;
    if (status == WW_OK)
        *work = wwi_taken(&w);
    return status;
}

void wwi_work_forget(wwi_work *work) {
    if (work)
        work->packed[WWI_SIDE_ROW] = work->packed[WWI_SIDE_COLUMN] = false;
}

void wwi_work_destroy(wwi_work **work) {
    wwi_work *w = wwi_taken(work);
    if (!w)
        return;
    wwi_uploads_close(&w->uploads);
    free(w->ids);
    free(w->parts);
    free(w);
}
