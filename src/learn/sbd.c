// SPDX-License-Identifier: Apache-2.0
// Shape-based distances of two sets, by kernels_cl/jobs/sbd.cl. Sums are direct: a Fourier transform would save time
// from about a thousand points on, and would round each sum by the largest one.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/shape.h>

#include "base/kit.h"
#include "base/normal.h"
#include "base/pace.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "options.h"

#define BLOCKS 4           // kernels_cl/jobs/sbd.cl
#define LONGEST (1u << 30) // points
#define ADDS_A_CLOCK 8     // of a compute unit, until it is measured

typedef struct side {
    wwi_buffer *values, *series;
    size_t count;
    double points; // of all
} side;

typedef struct job {
    ww_context *context;
    wwi_stream *stream;
    ww_run_options run;
    ww_precision precision;
    bool raw;
    size_t channels;
    uint32_t group, vector, span;
    side rows, columns;
    wwi_program *program;
    wwi_kernel *kernel;
    wwi_buffer *distances, *shifts;
} job;

static void job_close(job *j) {
    WWI_BUFFERS_DESTROY(&j->rows.values, &j->rows.series, &j->columns.values, &j->columns.series, &j->distances,
                        &j->shifts);
    WWI_KERNELS_DESTROY(&j->kernel);
    wwi_program_release(&j->program);
    wwi_stream_destroy(&j->stream);
}

// A series of norm 1, or all 0; z-normalised first.
static void make_unit(const job *j, const double *values, size_t length, double *unit) {
    double largest = 0, norm = 0;
    memcpy(unit, values, length * j->channels * sizeof *unit);
    for (size_t c = 0; c < j->channels && !j->raw; c++)
        wwi_znormalise(unit + c * length, length);
    for (size_t i = 0; i < length * j->channels; i++)
        largest = fmax(largest, fabs(unit[i]));
    for (size_t i = 0; largest > 0 && i < length * j->channels; i++)
        norm += unit[i] / largest * (unit[i] / largest);
    for (size_t i = 0; largest > 0 && i < length * j->channels; i++)
        unit[i] = unit[i] / largest / sqrt(norm);
}

// The series of a side one after the other; `zeros` before and behind each channel, which then is in reverse order.
static ww_status send(job *j, ww_dataset *data, uint64_t zeros, side *to) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_FREES unsigned char *values = NULL;
    WWI_FREES double *unit = NULL;
    WWI_FREES uint64_t *series = NULL;
    WWI_TRY(wwi_dataset_series(data, &set));
    const size_t longest = ww_series_set_max_length(set);
    uint64_t total = 0;
    if (longest > LONGEST)
        return wwi_fail(WW_ERROR_OVERFLOW, "a series has %zu points; the most is 2^30", longest);
    to->count = ww_series_set_count(set);
    WWI_TRY(wwi_new(series, 2 * to->count));
    for (size_t i = 0; i < to->count; i++) {
        series[2 * i] = total;
        series[2 * i + 1] = ww_series_set_length(set, i);
        to->points += (double)series[2 * i + 1];
        total += (series[2 * i + 1] + 2 * zeros) * j->channels;
    }
    WWI_TRY(wwi_new_zeroed(values, total * wwi_precision_bytes(j->precision)));
    WWI_TRY(wwi_new(unit, longest * j->channels));
    for (size_t i = 0; i < to->count; i++) {
        const size_t n = series[2 * i + 1];
        make_unit(j, ww_series_set_values(set, i), n, unit);
        for (size_t c = 0; c < j->channels; c++)
            for (size_t t = 0; t < n; t++)
                wwi_set_value(values, j->precision, series[2 * i] + c * (n + 2 * zeros) + zeros + t,
                              unit[c * n + (zeros ? n - 1 - t : t)]);
    }
    WWI_TRY(wwi_upload(j->context, &to->values, values, total * wwi_precision_bytes(j->precision)));
    return wwi_upload(j->context, &to->series, series, 2 * to->count * sizeof *series);
}

static ww_status compile(job *j) {
    const bool doubles = j->precision == WW_DOUBLE, gpu = wwi_is_gpu(j->context);
    j->group = gpu ? 64 : 1;
    j->vector = gpu ? 1 : doubles ? 8 : 16;
    j->span = j->group * j->vector * BLOCKS;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "jobs/sbd.cl"},
        .defines = {{"WWK_DOUBLE", doubles}, {"WW_VECTOR", j->vector}, {"WW_WG", j->group}},
        .kernels = {{&j->kernel, "ww_sbd"}},
    };
    return wwi_program_make(j->context, j->stream, &parts, &j->program);
}

// Rows [first, first + rows), as many pairs a launch as its time allows.
static ww_status compute(job *j, wwi_pace *pace, double *rate, uint64_t first, uint64_t rows) {
    const uint32_t columns = (uint32_t)j->columns.count, channels = (uint32_t)j->channels;
    const uint64_t base = first * columns, end = base + rows * columns;
    // Products of a pair, by the means of the lengths.
    const double each = j->rows.points / (double)j->rows.count * (j->columns.points / columns) * (double)j->channels;
    for (uint64_t at = base, take; at < end; at += take) {
        take = wwi_pace_units(pace, *rate, wwi_least(end - at, 0x3fffffff), each);
        WWI_TRY(WWI_LAUNCH(j->kernel, take, j->group, WWI_BUFFER(j->rows.values), WWI_BUFFER(j->rows.series),
                           WWI_BUFFER(j->columns.values), WWI_BUFFER(j->columns.series), WWI_VALUE(at), WWI_VALUE(base),
                           WWI_VALUE(columns), WWI_VALUE(channels), WWI_BUFFER(j->distances), WWI_BUFFER(j->shifts)));
        WWI_TRY(wwi_pace_launched(pace, rate, each * (double)take, true));
    }
    return WW_OK;
}

static ww_status run(job *j, unsigned char *distances, int32_t *shifts) {
    const uint64_t size = wwi_precision_bytes(j->precision), row = j->columns.count * (size + sizeof *shifts);
    const uint64_t budget = wwi_memory_share(j->context, 2, j->run.max_bytes);
    const uint64_t most = budget / row < 1 ? 1 : wwi_least(budget / row, j->rows.count);
    wwi_pace pace = wwi_pace_make(j->stream, j->run.launch_seconds, j->run.progress, j->run.progress_user);
    double rate = wwi_pace_guess(wwi_context_info(j->context), ADDS_A_CLOCK);
    wwi_pace_start(&pace, (uint64_t)fmin(j->rows.points * j->columns.points * (double)j->channels, 1e18));
    WWI_TRY(WWI_GROW(j->context, {&j->distances, most * j->columns.count * size},
                     {&j->shifts, most * j->columns.count * sizeof *shifts}));
    for (uint64_t first = 0, rows; first < j->rows.count; first += rows) {
        rows = wwi_least(most, j->rows.count - first);
        const uint64_t place = first * j->columns.count, count = rows * j->columns.count;
        WWI_TRY(compute(j, &pace, &rate, first, rows));
        WWI_TRY(wwi_stream_read(j->stream, j->distances, 0, count * size, distances + place * size));
        if (shifts)
            WWI_TRY(wwi_stream_read(j->stream, j->shifts, 0, count * sizeof *shifts, shifts + place));
    }
    return WW_OK;
}

static ww_status check(const ww_dataset *rows, const ww_dataset *columns) {
    if (rows->context != columns->context || rows->precision != columns->precision)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "rows and columns have different contexts or precisions");
    if (rows->channels != columns->channels)
        return wwi_fail(WW_ERROR_CHANNELS, "the rows have %zu channels, the columns %zu", rows->channels,
                        columns->channels);
    return WW_OK;
}

ww_status ww_sbd(ww_dataset *rows, ww_dataset *columns, const ww_sbd_options *options, void *distances,
                 int32_t *shifts) {
    WWI_ENDS(job_close) job j = {0};
    ww_sbd_options o = WW_SBD_OPTIONS_INIT;
    WWI_NEEDS("rows, distances", rows, distances);
    columns = columns ? columns : rows;
    WWI_TRY(wwi_options_take(&o, options, "ww_sbd_options"));
    WWI_TRY(wwi_run_take(o.run, &j.run));
    WWI_TRY(check(rows, columns));
    j.context = rows->context;
    j.precision = rows->precision;
    j.channels = rows->channels;
    j.raw = o.raw != 0;
    WWI_TRY(wwi_run_stream(j.context, &j.run, &j.stream));
    WWI_TRY(compile(&j));
    WWI_TRY(send(&j, rows, 0, &j.rows));
    WWI_TRY(send(&j, columns, j.span, &j.columns));
    wwi_stream_start(j.stream);
    return run(&j, distances, shifts);
}
