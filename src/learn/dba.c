// SPDX-License-Identifier: Apache-2.0
// DTW barycentre averaging: paths from the centre to every member, then the means of what they match
// (kernels_cl/path/path_average.cl), again and again. The common part is in average.c.
#include <math.h>
#include <stdlib.h>

#include "base/kit.h"
#include "data/dataset.h"
#include "engine/engine.h"
#include "learn/average.h"
#include "measure/measure_table.h"
#include "path/path.h"

#define SUM_GROUP 64

typedef struct job {
    wwi_average *average;
    wwi_average_pairs pairs;
    ww_plan *plan;
    wwi_stream *stream;
    wwi_program *program;
    wwi_kernel *intervals, *sums, *means;
    wwi_buffer *matched, *list, *numbers, *weights, *totals, *before;
    double *distances; // of this iteration, by member
    uint64_t value;    // bytes
    bool adds;         // paths become sums; else the objective alone is wanted
} job;

static ww_status check_measure(const wwi_average *a) {
    const wwi_measure_row *row = wwi_measure_row_by_id(a->measure.id);
    const bool timed = row->transform == WWI_TRANSFORM_TIMES && ww_series_set_times(a->set, 0);
    const bool transformed = row->transform != WWI_TRANSFORM_NONE && row->transform != WWI_TRANSFORM_TIMES;
    if (row->flags & WWI_MEASURE_ENCLOSED && !transformed && !timed)
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "dba does not average under %s%s", row->info.name, timed ? " with time stamps" : "");
    return wwi_fail_hint("it takes dtw, adtw, wdtw, frechet, msm and twed");
}

static ww_status create_programs(job *j) {
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "path/path_args.h", "path/path_average.cl"},
        .defines = {{"WWK_DOUBLE", j->value == 8}},
        .kernels =
            WWI_LIST({&j->intervals, "ww_path_intervals"}, {&j->sums, "ww_path_sums"}, {&j->means, "ww_path_means"}),
    };
    wwi_stream_watch(j->stream, j->plan->options.progress, j->plan->options.progress_user);
    return wwi_program_make(j->average->context, j->stream, &parts, &j->program);
}

// Adds the points that a batch's paths match to the sums.
static ww_status add_batch(job *j, const wwi_path_batch *b) {
    ww_context *context = j->average->context;
    const uint32_t length = (uint32_t)j->average->length, channels = (uint32_t)j->average->channels;
    const uint64_t each = (uint64_t)length * 8, budget = wwi_plan_memory(j->plan) / 2;
    const uint64_t most = wwi_least(budget / each < 1 ? 1 : budget / each, b->count);
    WWI_TRY(wwi_grow_buffer(context, &j->matched, most * each));
    WWI_TRY(wwi_upload(context, &j->list, b->pairs, b->count * 12));
    WWI_TRY(wwi_upload(context, &j->numbers, b->numbers, b->count * 4));
    for (uint64_t at = 0; at < b->count; at += most) {
        const uint32_t first = (uint32_t)at, count = (uint32_t)wwi_least(b->count - at, most);
        WWI_TRY(WWI_LAUNCH_ITEMS(j->intervals, count, SUM_GROUP, WWI_BUFFER(b->table), WWI_BUFFER(b->steps),
                                 WWI_VALUE(first), WWI_VALUE(count), WWI_VALUE(length), WWI_BUFFER(j->matched)));
        WWI_TRY(WWI_LAUNCH(j->sums, (uint64_t)length * channels, SUM_GROUP, WWI_BUFFER(j->matched), WWI_BUFFER(j->list),
                           WWI_VALUE(first), WWI_VALUE(count), WWI_BUFFER(j->numbers), WWI_BUFFER(j->weights),
                           WWI_BUFFER(b->column.values), WWI_BUFFER(b->column.series), WWI_VALUE(length),
                           WWI_VALUE(channels), WWI_BUFFER(j->totals)));
    }
    return WW_OK;
}

static ww_status take_batch(void *user, const wwi_path_batch *b) {
    job *j = user;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(values, b->count * j->value));
    WWI_TRY(wwi_stream_read(j->plan->pair.stream, b->values, 0, b->count * j->value, values));
    WWI_TRY(wwi_plan_check_results(j->plan, values, b->count));
    for (size_t t = 0; t < b->count; t++)
        j->distances[b->numbers[t]] = wwi_value_at(values, j->average->precision, t);
    return j->adds ? add_batch(j, b) : WW_OK;
}

static ww_status create(job *j) {
    const wwi_average *a = j->average;
    wwi_average_pairs *p = &j->pairs;
    const size_t values = a->length * a->channels;
    WWI_TRY(wwi_new_zeroed(j->distances, a->count));
    WWI_TRY(wwi_average_pairs_make(a, p));
    WWI_TRY(ww_plan_create_paths(&a->measure, p->centre, p->members, p->rows, p->columns, a->count, a->options.plan,
                                 &j->plan));
    WWI_TRY(wwi_stream_create(a->context, &j->stream));
    WWI_TRY(create_programs(j));
    WWI_TRY(WWI_GROW(a->context, {&j->totals, (values + a->length) * j->value}, {&j->before, values * j->value}));
    if (p->centre->host)
        return wwi_fail(WW_ERROR_DEVICE_MEMORY, "a centre of %zu values does not fit the device", values);
    return wwi_upload(a->context, &j->weights, p->weights, a->count * j->value);
}

static void job_close(job *j) {
    free(j->distances);
    WWI_KERNELS_DESTROY(&j->intervals, &j->sums, &j->means);
    wwi_program_release(&j->program);
    wwi_stream_destroy(&j->stream);
    WWI_BUFFERS_DESTROY(&j->matched, &j->list, &j->numbers, &j->weights, &j->totals, &j->before);
    ww_plan_destroy(&j->plan);
    wwi_average_pairs_free(&j->pairs);
}

// Paths from the centre to all members; the objective, and with `adds` the sums of what they match.
static ww_status align(job *j, bool adds, double *objective) {
    wwi_average *a = j->average;
    j->adds = adds;
    if (adds)
        WWI_TRY(wwi_buffer_fill_u32(j->totals, 0, wwi_buffer_bytes(j->totals) / 4 * 4, 0));
    WWI_TRY(wwi_paths_find(j->plan, 0, j->plan->count, take_batch, j));
    *objective = 0;
    for (size_t k = 0; k < a->count; k++)
        *objective += a->weights[k] * j->distances[k];
    return WW_OK;
}

// The centre becomes the means; the one before is kept.
static ww_status move_centre(job *j) {
    const uint32_t length = (uint32_t)j->average->length, channels = (uint32_t)j->average->channels;
    const uint64_t values = (uint64_t)length * channels;
    WWI_TRY(wwi_buffer_copy(j->pairs.centre->values, 0, j->before, 0, values * j->value));
    return WWI_LAUNCH_ITEMS(j->means, values, SUM_GROUP, WWI_BUFFER(j->totals), WWI_VALUE(length), WWI_VALUE(channels),
                            WWI_BUFFER(j->pairs.centre->values));
}

// Appends the objective of a centre that was accepted. Whether the search is over by the tolerance.
static int note(wwi_average *a, double objective) {
    double *to = a->result.objective + a->result.iterations;
    to[0] = objective;
    return a->result.iterations > 0 && to[-1] - to[0] <= a->options.tolerance * fabs(to[-1]);
}

static ww_status iterate(job *j) {
    wwi_average *a = j->average;
    double objective;
    wwi_plan_expect(j->plan, j->plan->info.cells * (a->options.iterations + 1));
    for (size_t i = 0;; i++) {
        const bool last = i == a->options.iterations;
        WWI_TRY(align(j, !last, &objective));
        if (i > 0 && !(objective < a->result.objective[i - 1])) {
            // Nothing is gained: the centre before is the result.
            a->result.converged = 1;
            a->result.iterations = i - 1;
            return wwi_buffer_copy(j->before, 0, j->pairs.centre->values, 0, wwi_buffer_bytes(j->before));
        }
        a->result.iterations = i;
        a->result.converged = note(a, objective) || objective == 0;
        if (a->result.converged || last)
            return WW_OK;
        WWI_TRY(move_centre(j));
    }
}

ww_status wwi_average_dba(wwi_average *a) {
    WWI_ENDS(job_close) job j = {.average = a, .value = wwi_precision_bytes(a->precision)};
    WWI_FREES unsigned char *centre = NULL;
    const size_t values = a->length * a->channels;
    WWI_TRY(check_measure(a));
    WWI_TRY(create(&j));
    wwi_plan_start(j.plan);
    WWI_TRY(wwi_plan_end(j.plan, iterate(&j)));
    WWI_TRY(wwi_finish(j.stream));
    a->result.seconds_device = j.plan->info.seconds_device + wwi_stream_seconds(j.stream);
    a->result.seconds_wall = j.plan->info.seconds_wall;
    WWI_TRY(wwi_new(centre, values * j.value));
    WWI_TRY(wwi_buffer_read(j.pairs.centre->values, 0, values * j.value, centre));
    for (size_t i = 0; i < values; i++)
        a->result.centre[i] = wwi_value_at(centre, a->precision, i);
    return WW_OK;
}
