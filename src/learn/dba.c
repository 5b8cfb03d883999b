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
    ww_dataset *centre, *members;
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
    ww_status status;
    unsigned char *values = malloc(b->count * j->value);
    if (!values)
        return wwi_fail_memory(b->count * j->value);
    if ((status = wwi_stream_read(j->plan->pair.stream, b->values, 0, b->count * j->value, values)) == WW_OK &&
        (status = wwi_plan_check_results(j->plan, values, b->count)) == WW_OK)
        for (size_t t = 0; t < b->count; t++)
            j->distances[b->numbers[t]] = wwi_value_at(values, j->average->precision, t);
    free(values);
    return status == WW_OK && j->adds ? add_batch(j, b) : status;
}

static ww_status create(job *j) {
    ww_status status;
    wwi_average *a = j->average;
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    const size_t values = a->length * a->channels;
    unsigned char *weights = malloc(a->count * j->value);
    size_t *rows = calloc(a->count, sizeof *rows), *columns = malloc(a->count * sizeof *columns);
    j->distances = calloc(a->count, sizeof *j->distances);
    if (!weights || !rows || !columns || !j->distances) {
        status = wwi_fail_memory(a->count * 32);
        goto done;
    }
    make.precision = a->precision;
    for (size_t k = 0; k < a->count; k++) {
        columns[k] = k;
        wwi_set_value(weights, a->precision, k, a->weights[k]);
    }
    if ((status = ww_dataset_create(a->context, &a->view, &make, &j->members)) != WW_OK ||
        (status = wwi_dataset_of_doubles(a->context, a->precision, a->result.centre, 1, a->channels, a->length,
                                         &j->centre)) != WW_OK ||
        (status = ww_plan_create_paths(&a->measure, j->centre, j->members, rows, columns, a->count, a->options.plan,
                                       &j->plan)) != WW_OK ||
        (status = wwi_stream_create(a->context, &j->stream)) != WW_OK || (status = create_programs(j)) != WW_OK ||
        (status = WWI_GROW(a->context, {&j->totals, (values + a->length) * j->value},
                           {&j->before, values * j->value})) != WW_OK)
        goto done;
    if (j->centre->host)
        status = wwi_fail(WW_ERROR_DEVICE_MEMORY, "a centre of %zu values does not fit the device", values);
    else
        status = wwi_upload(a->context, &j->weights, weights, a->count * j->value);
done:
    free(weights);
    free(rows);
    free(columns);
    return status;
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
    WWI_TRY(wwi_buffer_copy(j->centre->values, 0, j->before, 0, values * j->value));
    return WWI_LAUNCH_ITEMS(j->means, values, SUM_GROUP, WWI_BUFFER(j->totals), WWI_VALUE(length), WWI_VALUE(channels),
                            WWI_BUFFER(j->centre->values));
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
            return wwi_buffer_copy(j->before, 0, j->centre->values, 0, wwi_buffer_bytes(j->before));
        }
        a->result.iterations = i;
        a->result.converged = note(a, objective) || objective == 0;
        if (a->result.converged || last)
            return WW_OK;
        WWI_TRY(move_centre(j));
    }
}

ww_status wwi_average_dba(wwi_average *a) {
    ww_status status;
    job j = {.average = a, .value = a->precision == WW_DOUBLE ? 8 : 4};
    const size_t values = a->length * a->channels;
    float *narrow = NULL;
    if ((status = check_measure(a)) != WW_OK || (status = create(&j)) != WW_OK)
        goto done;
    wwi_plan_start(j.plan);
    status = wwi_plan_end(j.plan, iterate(&j));
    if (status == WW_OK)
        status = wwi_finish(j.stream);
    if (status != WW_OK)
        goto done;
    a->result.seconds_device = j.plan->info.seconds_device + wwi_stream_seconds(j.stream);
    a->result.seconds_wall = j.plan->info.seconds_wall;
    if (j.value == 8) {
        status = wwi_buffer_read(j.centre->values, 0, values * 8, a->result.centre);
    } else if (!(narrow = malloc(values * sizeof *narrow))) {
        status = wwi_fail_memory(values * sizeof *narrow);
    } else if ((status = wwi_buffer_read(j.centre->values, 0, values * 4, narrow)) == WW_OK) {
        for (size_t i = 0; i < values; i++)
            a->result.centre[i] = (double)narrow[i];
    }
done:
    free(narrow);
    free(j.distances);
    WWI_KERNELS_DESTROY(&j.intervals, &j.sums, &j.means);
    wwi_program_release(&j.program);
    wwi_stream_destroy(&j.stream);
    WWI_BUFFERS_DESTROY(&j.matched, &j.list, &j.numbers, &j.weights, &j.totals, &j.before);
    ww_plan_destroy(&j.plan);
    ww_dataset_destroy(&j.centre);
    ww_dataset_destroy(&j.members);
    return status;
}
