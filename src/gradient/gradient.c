// SPDX-License-Identifier: Apache-2.0
// Public functions of wavewarp/gradient.h: what is to be computed, where it goes, and the loop over batches.
#include "gradient/gradient.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "data/values.h"
#include "measure/measure_table.h"
#include "options.h"

void ww_gradient_destroy(ww_gradient **gradient) {
    ww_gradient *g = wwi_taken(gradient);
    if (!g)
        return;
    wwi_team_close(&g->team);
    wwi_gradient_batch_close(&g->kept);
    for (size_t i = 0; i < 3; i++) {
        WWI_KERNELS_DESTROY(&g->blocks[i].forward, &g->blocks[i].backward);
        wwi_program_release(&g->blocks[i].program);
    }
    WWI_KERNELS_DESTROY(&g->pack, &g->by_border, &g->by_single, &g->by_series, &g->by_pairs, &g->fill, &g->slopes);
    wwi_program_release(&g->sums);
    wwi_program_release(&g->table_program);
    WWI_BUFFERS_DESTROY(&g->scratch.packed, &g->scratch.carried, &g->scratch.adjoints, &g->scratch.checkpoints,
                        &g->scratch.more_checkpoints, &g->scratch.edges, &g->scratch.slopes, &g->scratch.sums,
                        &g->scratch.ends, &g->scratch.upstream, &g->scratch.table, &g->scratch.weights);
    wwi_pairing_close(&g->pair);
    for (wwi_gradient_side *s = g->sides; s < g->sides + 2; s++) {
        ww_dataset_destroy(&s->given);
        free(s->of);
        free(s->begin);
        free(s->pairs);
        free(s->offsets);
    }
    free(g->tasks);
    free(g->alignment_offsets);
    free(g);
}

// ---- creation

static ww_status check_measure(const ww_measure *given, const ww_gradient_options *options, const ww_dataset *rows) {
    ww_measure measure;
    WWI_TRY(wwi_measure_take(given, &measure));
    const wwi_measure_row *row = wwi_measure_row_by_id(measure.id);
    if (!row->slopes.any) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no gradient", row->info.name);
        return wwi_fail_hint("dtw, ddtw, wdtw, wddtw, adtw, frechet, erp, msm and twed have one");
    }
    if (wwi_measure_cost(&measure) == WW_COST_USER) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the slope of a cost expression is not known");
        return wwi_fail_hint("take the squared, absolute or euclidean cost");
    }
    if (wwi_measure_is_open(&measure))
        return wwi_fail(WW_ERROR_UNSUPPORTED, "there is no gradient with open ends");
    if (options->weights && !row->slopes.weights)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no weights; wdtw and wddtw do", row->info.name);
    if (options->parameters && row->slopes.parameters == 0)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no parameters with a slope", row->info.name);
    if (options->alignment && measure.independent && rows->channels > 1)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "independent channels have an alignment each: compute them one by one");
    return WW_OK;
}

// The caller's list of pairs, or all rows with all columns.
typedef struct pair_list {
    const size_t *row_index, *column_index;
    size_t first, count;
    bool matrix;
    uint32_t longest;         // at least
    const ww_gradient *whole; // NULL, or whose pairs these are
} pair_list;

// Row and column of a pair.
static void pair_of(const pair_list *list, size_t columns, size_t p, size_t *x, size_t *y) {
    const size_t at = list->first + p;
    *x = list->whole       ? list->whole->sides[0].of[at]
         : list->matrix    ? p / columns
         : list->row_index ? list->row_index[at]
                           : at;
    *y = list->whole          ? list->whole->sides[1].of[at]
         : list->matrix       ? p % columns
         : list->column_index ? list->column_index[at]
                              : at;
}

static ww_status take_pairs(ww_gradient *g, const pair_list *list) {
    const ww_dataset *rows = g->pair.rows, *columns = g->pair.columns;
    const size_t count = g->count = list->count;
    WWI_TRY(wwi_new(g->sides[0].of, count));
    WWI_TRY(wwi_new(g->sides[1].of, count));
    for (size_t p = 0; p < count; p++) {
        size_t x, y;
        pair_of(list, columns->count, p, &x, &y);
        if (x >= rows->count || y >= columns->count)
            return wwi_pairs_outside(list->first + p, x, y, rows->count, columns->count);
        g->sides[0].of[p] = (uint32_t)x;
        g->sides[1].of[p] = (uint32_t)y;
        const uint32_t n = rows->lengths[x], m = columns->lengths[y];
        const uint64_t cells = wwi_pairing_cells(&g->pair, n, m);
        if (cells == 0)
            return wwi_pairing_no_path(&g->pair, n, m);
        g->info.cells += cells;
    }
    return WW_OK;
}

// Where the pairs of each of so many series are listed: begin[i] to begin[i + 1] of `pairs`.
static ww_status group_pairs(wwi_gradient_side *s, size_t count, size_t series) {
    WWI_TRY(wwi_new_zeroed(s->begin, series + 2));
    WWI_TRY(wwi_new(s->pairs, count));
    for (size_t p = 0; p < count; p++)
        s->begin[s->of[p] + 2]++;
    for (size_t i = 2; i <= series; i++)
        s->begin[i + 1] += s->begin[i];
    for (size_t p = 0; p < count; p++)
        s->pairs[s->begin[s->of[p] + 1]++] = (uint32_t)p;
    return WW_OK;
}

static int by_lengths(const void *a, const void *b) {
    const wwi_gradient_pair *p = a, *q = b;
    if (p->m != q->m)
        return p->m < q->m ? -1 : 1;
    if (p->n != q->n)
        return p->n < q->n ? -1 : 1;
    if (p->pair != q->pair)
        return p->pair < q->pair ? -1 : 1;
    return p->x_id < q->x_id ? -1 : p->x_id > q->x_id;
}

// Each series of a side that has pairs, with itself.
static ww_status list_itself(ww_gradient *g, const ww_dataset *d, const size_t *begin, uint32_t mark) {
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t id = i | mark, n = d->lengths[i];
        if (begin[i] == begin[i + 1])
            continue;
        if (wwi_pairing_cells(&g->pair, n, n) == 0)
            return wwi_pairing_no_path(&g->pair, n, n);
        g->tasks[g->task_count++] = (wwi_gradient_pair){id, id, n, n, WWI_NO_PAIR};
    }
    return WW_OK;
}

static ww_status list_tasks(ww_gradient *g) {
    const ww_dataset *rows = g->pair.rows, *columns = g->pair.columns;
    const bool divergence = g->options.divergence != 0;
    const size_t most = g->count + (divergence ? rows->count + columns->count : 0);
    WWI_TRY(wwi_new(g->tasks, most));
    for (size_t p = 0; p < g->count; p++) {
        const uint32_t x = g->sides[0].of[p], y = g->sides[1].of[p];
        g->tasks[p] = (wwi_gradient_pair){x, y | WWI_OTHER_SIDE, rows->lengths[x], columns->lengths[y], (uint32_t)p};
    }
    g->task_count = g->count;
    if (divergence) {
        WWI_TRY(group_pairs(&g->sides[0], g->count, rows->count));
        WWI_TRY(group_pairs(&g->sides[1], g->count, columns->count));
        WWI_TRY(list_itself(g, rows, g->sides[0].begin, 0));
        WWI_TRY(list_itself(g, columns, g->sides[1].begin, WWI_OTHER_SIDE));
    }
    qsort(g->tasks, g->task_count, sizeof *g->tasks, by_lengths);
    return WW_OK;
}

static ww_status place_outputs(ww_gradient *g) {
    uint64_t totals[2] = {0, 0};
    for (size_t side = 0; side < 2; side++) {
        wwi_gradient_side *s = &g->sides[side];
        const ww_dataset *d = s->given;
        const size_t count = g->options.per_pair ? g->count : d->count;
        WWI_TRY(wwi_new(s->offsets, count));
        for (size_t o = 0; o < count; o++) {
            s->offsets[o] = totals[side];
            totals[side] += (uint64_t)d->lengths[g->options.per_pair ? s->of[o] : o] * d->channels;
        }
    }
    for (size_t t = 0; t < g->task_count; t++) {
        g->longest = g->tasks[t].n > g->longest ? g->tasks[t].n : g->longest;
        g->longest = g->tasks[t].m > g->longest ? g->tasks[t].m : g->longest;
    }
    g->info.pairs = g->count;
    g->info.rows = totals[0];
    g->info.columns = totals[1];
    g->info.parameters = g->count * wwi_measure_row_by_id(g->pair.measure.id)->info.parameter_count;
    g->info.weights = (uint64_t)g->count * g->longest;
    WWI_TRY(wwi_new(g->alignment_offsets, g->count));
    for (size_t p = 0; p < g->count; p++) {
        g->alignment_offsets[p] = g->info.alignment;
        const uint32_t n = g->pair.rows->lengths[g->sides[0].of[p]];
        g->info.alignment += (uint64_t)n * g->pair.columns->lengths[g->sides[1].of[p]];
    }
    return WW_OK;
}

// What the measure and the series say of a block; its sizes come with the programs.
static void take_form(ww_gradient *g) {
    const wwi_measure_row *row = wwi_measure_row_by_id(g->pair.measure.id);
    g->form.channels = g->pair.recurrence.channels;
    g->form.passes = g->pair.recurrence.passes;
    g->form.parts = g->form.channels + (row->transform != WWI_TRANSFORM_NONE && g->pair.rows->extra);
    g->form.before = row->slopes.before;
    g->form.border = row->slopes.border;
    g->form.parameters = g->options.parameters ? (uint32_t)row->slopes.parameters : 0;
}

static void take_run(ww_gradient *g, const ww_run_options *run) {
    ww_context *context = g->pair.context;
    wwi_stream_watch(g->pair.stream, run->progress, run->progress_user);
    g->pace = wwi_pace_make(g->pair.stream, run->launch_seconds, run->progress, run->progress_user);
    g->rate = g->guess = wwi_pace_guess(wwi_context_info(context), wwi_is_gpu(context) ? 0.5 : 0.05);
    g->max_bytes = run->max_bytes;
    g->options.run = NULL;
}

static ww_status create_alone(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, const pair_list *list,
                              const ww_gradient_options *options, ww_gradient **gradient) {
    ww_run_options run;
    WWI_ENDS(ww_gradient_destroy) ww_gradient *g = NULL;
    *gradient = NULL;
    WWI_TRY(wwi_new_zeroed(g, 1));
    g->first = list->first;
    g->longest = list->longest;
    g->all = list->whole ? list->whole->count : list->count;
    g->options = (ww_gradient_options)WW_GRADIENT_OPTIONS_INIT;
    g->info = (ww_gradient_info)WW_GRADIENT_INFO_INIT;
    WWI_TRY(wwi_options_take(&g->options, options, "ww_gradient_options"));
    WWI_TRY(wwi_run_take(g->options.run, &run));
    WWI_TRY(check_measure(measure, &g->options, rows));
    WWI_TRY(wwi_pairing_open(measure, rows, columns, &g->pair));
    take_run(g, &run);
    wwi_dataset_retain(g->sides[0].given = rows);
    wwi_dataset_retain(g->sides[1].given = columns ? columns : rows);
    if (g->pair.rows->host || g->pair.columns->host) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the series are not on the device at once");
        return wwi_fail_hint("use fewer series at a time, or a device with more memory");
    }
    take_form(g);
    WWI_TRY(take_pairs(g, list));
    WWI_TRY(list_tasks(g));
    WWI_TRY(place_outputs(g));
    WWI_TRY(wwi_gradient_build(g));
    WWI_TRY(wwi_gradient_batch_make(g, 0, &g->kept));
    g->is_kept = g->kept.count == g->task_count; // one batch is enough
    if (!g->is_kept)
        wwi_gradient_batch_close(&g->kept);
    *gradient = wwi_taken(&g);
    return WW_OK;
}

// The caller's. Where both sides are on several devices, these divide its runs.
static ww_status create(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, const pair_list *list,
                        const ww_gradient_options *options, ww_gradient **gradient) {
    ww_gradient_options o = WW_GRADIENT_OPTIONS_INIT;
    ww_context *context = wwi_datasets_divide(rows, columns);
    WWI_TRY(wwi_options_take(&o, options, "ww_gradient_options"));
    WWI_ENDS(ww_gradient_destroy) ww_gradient *g = NULL;
    WWI_TRY(create_alone(measure, rows, columns, list, options, &g));
    if (context)
        WWI_TRY(wwi_team_open(context, o.run, &g->team));
    *gradient = wwi_taken(&g);
    return WW_OK;
}

ww_status ww_gradient_create_pairs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                   const size_t *row_index, const size_t *column_index, size_t count,
                                   const ww_gradient_options *options, ww_gradient **gradient) {
    WWI_NEEDS("gradient", gradient);
    *gradient = NULL;
    if (!rows || !columns)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rows or the columns are NULL");
    WWI_TRY(wwi_pairs_check(row_index, column_index, count));
    return create(measure, rows, columns, &(pair_list){row_index, column_index, 0, count, false, 0, NULL}, options,
                  gradient);
}

ww_status wwi_gradient_create_part(const ww_gradient *whole, ww_dataset *rows, ww_dataset *columns, size_t first,
                                   size_t count, const ww_run_options *run, ww_gradient **part) {
    const pair_list list = {NULL, NULL, first, count, false, whole->longest, whole};
    ww_gradient_options options = whole->options;
    options.run = run;
    return create_alone(&whole->pair.measure, rows, columns, &list, &options, part);
}

ww_status ww_gradient_create_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                    const ww_gradient_options *options, ww_gradient **gradient) {
    uint64_t pairs;
    WWI_NEEDS("gradient", gradient);
    *gradient = NULL;
    if (!rows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rows are NULL");
    const size_t other = columns ? columns->count : rows->count;
    if (!wwi_mul_u64(rows->count, other, &pairs) || pairs > 0x7fffffffu)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu x %zu pairs; the most is 2^31-1", rows->count, other);
    return create(measure, rows, columns, &(pair_list){NULL, NULL, 0, (size_t)pairs, true, 0, NULL}, options, gradient);
}

// ---- runs

// An output of a run: where it goes, and the device memory that it is computed in.
typedef struct sink {
    const char *name;
    const ww_output *wanted;
    bool computed; // wanted or not: what the programs were compiled for
    uint64_t values;
    ww_output to;
    wwi_buffer **target; // in wwi_gradient_targets
    wwi_buffer *own;     // where the result does not begin where the caller's buffer does
} sink;

enum { SINKS = 6 };

static void list_sinks(const ww_gradient *g, const ww_gradient_outputs *o, wwi_gradient_targets *to, sink *sinks) {
    const ww_gradient_options *with = &g->options;
    const ww_gradient_info *has = &g->info;
    const sink all[SINKS] = {
        {"values", o->values, false, has->pairs, .target = &to->values},
        {"gradients by rows", o->rows, false, has->rows, .target = &to->rows},
        {"gradients by columns", o->columns, false, has->columns, .target = &to->columns},
        {"gradients by parameters", o->parameters, with->parameters, has->parameters, .target = &to->parameters},
        {"gradients by weights", o->weights, with->weights, has->weights, .target = &to->weights},
        {"alignments", o->alignment, with->alignment, has->alignment, .target = &to->alignment},
    };
    memcpy(sinks, all, sizeof all);
    for (size_t i = 3; i < SINKS; i++)
        sinks[i].values = sinks[i].computed ? sinks[i].values : 0;
}

static void close_sinks(sink (*sinks)[SINKS]) {
    for (size_t i = 0; i < SINKS; i++)
        wwi_buffer_destroy(&(*sinks)[i].own);
}

static ww_status open_sink(const ww_gradient *g, sink *s) {
    const uint64_t size = g->pair.value_bytes, bytes = s->values * size;
    wwi_buffer *device;
    if (!s->wanted)
        return WW_OK;
    s->to = (ww_output)WW_OUTPUT_INIT;
    WWI_TRY(wwi_options_take(&s->to, s->wanted, "ww_output"));
    if (s->values == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the gradient was created without %s", s->name);
    if (s->to.layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s have the full layout only", s->name);
    const wwi_result result = {s->name, 1, s->values, size, false};
    WWI_TRY(wwi_result_check(&s->to, g->pair.context, &result, &device));
    if (!device || s->to.offset)
        WWI_TRY(wwi_buffer_create(g->pair.context, bytes, &s->own));
    *s->target = s->own ? s->own : device;
    return g->form.direct ? WW_OK : wwi_buffer_fill_u32(*s->target, 0, bytes, 0);
}

// What the programs were compiled for is computed, wanted or not.
static ww_status open_unwanted(const ww_gradient *g, sink *s) {
    if (s->wanted || !s->computed)
        return WW_OK;
    const uint64_t bytes = s->values * g->pair.value_bytes;
    WWI_TRY(wwi_buffer_create(g->pair.context, bytes, &s->own));
    *s->target = s->own;
    return WW_OK;
}

static ww_status fill_sink(const ww_gradient *g, const sink *s) {
    const uint64_t bytes = s->values * g->pair.value_bytes;
    if (!s->own || !s->wanted)
        return WW_OK;
    return s->to.host ? wwi_stream_read(g->pair.stream, s->own, 0, bytes, s->to.host)
                      : wwi_buffer_copy(s->own, 0, s->to.device->memory, s->to.offset, bytes);
}

static ww_status upload_upstream(ww_gradient *g, const void *upstream, uint64_t bytes) {
    for (size_t p = 0; p < g->count; p++) {
        const double value = wwi_value_at(upstream, g->pair.rows->precision, p);
        if (isfinite(value))
            continue;
        wwi_fail(WW_ERROR_NOT_FINITE, "the upstream of pair %zu is %g", g->first + p, value);
        return wwi_fail_where((int64_t)(g->first + p), -1);
    }
    return wwi_upload(g->pair.context, &g->scratch.upstream, upstream, bytes);
}

static ww_status copy_upstream(ww_gradient *g, const ww_buffer *from, uint64_t offset, uint64_t bytes) {
    const uint64_t size = g->pair.value_bytes, has = wwi_buffer_bytes(from->memory);
    if (from->context != g->pair.context || offset % size || offset > has || has - offset < bytes)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "upstream_device is of another context, or too small");
    WWI_TRY(wwi_grow_buffer(g->pair.context, &g->scratch.upstream, bytes));
    return wwi_buffer_copy(from->memory, offset, g->scratch.upstream, 0, bytes);
}

static ww_status take_upstream(ww_gradient *g, const ww_gradient_outputs *o, wwi_gradient_targets *to) {
    const uint64_t bytes = g->count * g->pair.value_bytes;
    if (!o->upstream && !o->upstream_device)
        return WW_OK;
    if (o->upstream && o->upstream_device)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "upstream and upstream_device are both set");
    WWI_TRY(o->upstream ? upload_upstream(g, o->upstream, bytes)
                        : copy_upstream(g, o->upstream_device, o->upstream_offset, bytes));
    to->upstream = g->scratch.upstream;
    return WW_OK;
}

static ww_status run_batches(ww_gradient *g, const wwi_gradient_targets *to) {
    g->info.batches = 0;
    g->info.segments = 1;
    if (g->is_kept) {
        g->info.batches = 1;
        g->info.segments = g->kept.segments;
        return wwi_gradient_batch_run(g, &g->kept, to);
    }
    for (size_t first = 0; first < g->task_count;) {
        WWI_ENDS(wwi_gradient_batch_close) wwi_gradient_batch batch = {.first = first};
        WWI_TRY(wwi_gradient_batch_make(g, first, &batch));
        first += batch.count;
        g->info.batches++;
        g->info.segments = batch.segments > g->info.segments ? batch.segments : g->info.segments;
        WWI_TRY(wwi_gradient_batch_run(g, &batch, to));
    }
    return WW_OK;
}

static ww_status check_values(const ww_gradient *g, const void *values) {
    const bool is_double = g->pair.rows->precision == WW_DOUBLE;
    if (g->pair.rows->unspecified || g->pair.columns->unspecified)
        return WW_OK;
    for (size_t p = 0; p < g->count; p++) {
        const double value = wwi_value_at(values, g->pair.rows->precision, p);
        // With a soft minimum the far values of cells that nothing reaches are this large.
        if (fabs(value) < (is_double ? 1e299 : 1e35))
            continue;
        wwi_fail(WW_ERROR_OVERFLOW, "the value of pair %zu is too large for %s", g->first + p,
                 is_double ? "double" : "float");
        wwi_fail_hint("scale the series, or use double precision");
        return wwi_fail_where((int64_t)(g->first + p), -1);
    }
    return WW_OK;
}

// Where a cost or a slope may be beyond the precision, which its value need not show.
static ww_status check_slopes(const ww_gradient *g, const sink *s) {
    if (isinf(g->pair.limit) || isfinite(wwi_largest(s->to.host, g->pair.rows->precision, s->values)))
        return WW_OK;
    wwi_fail(WW_ERROR_OVERFLOW, "%s: one is too large for %s", s->name,
             g->pair.rows->precision == WW_DOUBLE ? "double" : "float");
    return wwi_fail_hint("scale the series, or use double precision");
}

static ww_status end_run(ww_gradient *g, ww_status status) {
    status = wwi_run_end(g->pair.stream, status, g->start_seconds, &g->info.launches, &g->info.seconds_device,
                         &g->info.seconds_wall);
    if (status == WW_OK && g->pace.progress && g->pace.done < g->pace.total)
        (void)g->pace.progress(g->pace.user, g->pace.total, g->pace.total);
    g->pending = false;
    return status;
}

static ww_status compute(ww_gradient *g, const ww_gradient_outputs *o) {
    wwi_gradient_targets to = {.values = NULL};
    WWI_ENDS(close_sinks) sink sinks[SINKS] = {{.name = NULL}};
    bool any = false, to_host = false;
    list_sinks(g, o, &to, sinks);
    for (size_t i = 0; i < SINKS; i++) {
        WWI_TRY(open_sink(g, &sinks[i]));
        any |= sinks[i].wanted != NULL;
        to_host |= sinks[i].to.host != NULL;
    }
    if (!any)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "no output is set");
    wwi_pace_start(&g->pace, 2 * g->info.cells);
    g->pace.enqueue_only = !to_host && wwi_pace_may_enqueue(&g->pace, g->rate, 2 * (double)g->info.cells);
    g->waiting = 0;
    WWI_TRY(take_upstream(g, o, &to));
    for (size_t i = 0; i < SINKS; i++)
        WWI_TRY(open_unwanted(g, &sinks[i]));
    WWI_TRY(run_batches(g, &to));
    for (size_t i = 0; i < SINKS; i++)
        WWI_TRY(fill_sink(g, &sinks[i]));
    for (size_t i = 0; i < SINKS; i++)
        if (sinks[i].to.host)
            WWI_TRY(i ? check_slopes(g, &sinks[i]) : check_values(g, sinks[i].to.host));
    return WW_OK;
}

ww_status wwi_gradient_run_alone(ww_gradient *g, const ww_gradient_outputs *o) {
    wwi_stream_start(g->pair.stream);
    g->start_seconds = wwi_seconds();
    const ww_status status = compute(g, o);
    if (status != WW_OK || !g->pace.enqueue_only)
        return end_run(g, status);
    g->pending = true;
    return WW_OK;
}

ww_status ww_gradient_finish(ww_gradient *g) {
    WWI_NEEDS("gradient", g);
    return g->pending ? end_run(g, WW_OK) : WW_OK;
}

WWI_GIVES_INFO(gradient, gradient)
