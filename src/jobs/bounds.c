// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds on the device: envelopes, compiled kernel, launches. How they are used is in nearest.c.
#include "jobs/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "base/kit.h"
#include "engine/bands.h"
#include "jobs/bounds_args.h"

struct wwi_bounds {
    ww_context *context;
    wwi_stream *stream;
    uint64_t value_bytes;
    uint32_t channels, group, each;
    uint32_t envelope; // values of an envelope in each channel: the columns, or 1
    float scale;
    wwi_program *program;
    wwi_kernel *make_envelope, *make_bounds, *find_candidates;
    wwi_buffer *intervals, *lower, *upper, *count, *list;
};

bool wwi_bounds_known(const ww_measure *measure) {
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    // No bound is valid: an open end leaves rows out, and a soft minimum is below the minimum.
    return (row->flags & (WWI_MEASURE_BOUND_SUM | WWI_MEASURE_BOUND_MAX)) && !wwi_measure_is_open(measure) &&
           !wwi_measure_is_soft(measure) && wwi_measure_cost(measure) != WW_COST_USER;
}

void wwi_bounds_destroy(wwi_bounds **bounds) {
    wwi_bounds *b = wwi_taken(bounds);
    if (!b)
        return;
    WWI_KERNELS_DESTROY(&b->make_envelope, &b->make_bounds, &b->find_candidates);
    wwi_program_release(&b->program);
    WWI_BUFFERS_DESTROY(&b->intervals, &b->lower, &b->upper, &b->count, &b->list);
    wwi_context_release(b->context);
    free(b);
}

// For each column the rows (first, end) that the band holds there.
static ww_status upload_intervals(wwi_bounds *b, const ww_band *band, uint32_t n, uint32_t m) {
    WWI_ENDS(wwi_words_free) wwi_words words = {NULL, 0, 0};
    WWI_FREES uint32_t *intervals = NULL;
    WWI_TRY(wwi_new(intervals, 2 * (size_t)m));
    WWI_TRY(wwi_band_table(band, n, m, &words));
    // Both ends of the rows' intervals only move to the right.
    const uint32_t *rows = words.data;
    uint32_t first = 0, end = 0;
    for (uint32_t j = 0; j < m; j++) {
        while (first < n && rows[2 * first + 1] <= j)
            first++;
        while (end < n && rows[2 * end] <= j)
            end++;
        intervals[2 * j] = first;
        intervals[2 * j + 1] = end;
    }
    return wwi_upload(b->context, &b->intervals, intervals, 2 * (uint64_t)m * sizeof *intervals);
}

static ww_status compile(wwi_bounds *b, const ww_measure *measure, ww_precision precision, wwi_stream *stream) {
    // Neighbouring work-items take the columns, or else the lanes of a vector.
    const int width = b->group > 1 ? 1 : precision == WW_DOUBLE ? 8 : 16;
    const bool maximum = wwi_measure_row_by_id(measure->id)->flags & WWI_MEASURE_BOUND_MAX;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "base/launch_args.h", "base/tasks.cl", "jobs/bounds_args.h", "jobs/bounds.cl"},
        .defines = WWI_LIST({"WWK_DOUBLE", precision == WW_DOUBLE}, {"WW_VECTOR", width}, {"WW_CHANNELS", b->channels},
                            {"WW_COST", wwi_measure_cost(measure)}, {"WW_ROOT", measure->root != 0},
                            {"WW_INDEPENDENT", measure->independent && b->channels > 1}, {"WW_BOUNDS_MAXIMUM", maximum},
                            {"WW_GLOBAL", b->intervals == NULL}, {"WW_WG", b->group}, {"WW_BOUNDS_EACH", b->each}),
        .kernels = WWI_LIST({&b->make_envelope, "ww_envelope"}, {&b->make_bounds, "ww_bounds"},
                            {&b->find_candidates, "ww_candidates"}),
    };
    return wwi_program_make(b->context, stream, &parts, &b->program);
}

ww_status wwi_bounds_create(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, wwi_stream *stream,
                            wwi_bounds **bounds) {
    WWI_ENDS(wwi_bounds_destroy) wwi_bounds *b = NULL;
    *bounds = NULL;
    WWI_TRY(wwi_new_zeroed(b, 1));
    wwi_context_retain(rows->context);
    b->context = rows->context;
    b->stream = stream;
    b->value_bytes = wwi_precision_bytes(rows->precision);
    b->channels = (uint32_t)rows->channels;
    b->group = (uint32_t)wwi_tuning_for(b->context, rows->precision, "bounds.group", wwi_is_gpu(b->context) ? 64 : 1);
    b->each = b->group > 1 ? 4 : 32;
    b->envelope = 1;
    const uint32_t n = rows->rank_lengths[rows->rank_count - 1], m = columns->rank_lengths[columns->rank_count - 1];
    if (measure->band.kind != WW_BAND_NONE && rows->rank_count == 1 && columns->rank_count == 1) {
        b->envelope = m;
        WWI_TRY(upload_intervals(b, &measure->band, n, m));
    }
    // The errors of bound and distance are each below the roundings of as many additions as a path has cells.
    const double unit = rows->precision == WW_DOUBLE ? 0x1p-53 : 0x1p-24;
    b->scale = (float)(1 - fmax(2 * ((double)n + m + b->channels + 16) * unit, 0x1p-22));
    WWI_TRY(compile(b, measure, rows->precision, stream));
    WWI_TRY(wwi_buffer_create(b->context, sizeof(uint32_t), &b->count));
    *bounds = wwi_taken(&b);
    return WW_OK;
}

static ww_bounds_args job_of(const wwi_bounds *b, const wwi_area *area) {
    return (ww_bounds_args){
        .row = (uint32_t)area->at.row,
        .rows = (uint32_t)area->at.rows,
        .column = (uint32_t)area->at.column,
        .columns = (uint32_t)area->at.columns,
        .envelope = b->envelope,
        .exclude_self = area->exclude_self,
        .scale = b->scale,
    };
}

static uint64_t block_groups(const wwi_bounds *b, const wwi_area *area) {
    return area->at.rows * wwi_ceil_div(area->at.columns, (uint64_t)b->group * b->each);
}

ww_status wwi_bounds_compute(wwi_bounds *b, const wwi_area *area) {
    const ww_bounds_args job = job_of(b, area);
    const uint64_t values = (uint64_t)area->at.rows * b->channels * b->envelope;
    WWI_TRY(WWI_GROW(b->context, {&b->lower, values * b->value_bytes}, {&b->upper, values * b->value_bytes}));
    // Without intervals the kernel reads none.
    WWI_TRY(WWI_LAUNCH_ITEMS(b->make_envelope, values, b->group, WWI_BUFFER(area->row_window.values),
                             WWI_BUFFER(area->row_window.series), WWI_BUFFER(b->intervals ? b->intervals : b->count),
                             WWI_VALUE(job), WWI_BUFFER(b->lower), WWI_BUFFER(b->upper)));
    return WWI_LAUNCH(b->make_bounds, block_groups(b, area), b->group, WWI_BUFFER(area->row_window.values),
                      WWI_BUFFER(area->row_window.series), WWI_BUFFER(area->column_window.values),
                      WWI_BUFFER(area->column_window.series), WWI_BUFFER(b->lower), WWI_BUFFER(b->upper),
                      WWI_VALUE(job), WWI_BUFFER(area->bounds));
}

ww_status wwi_bounds_candidates(wwi_bounds *b, const wwi_area *area, wwi_buffer *best_values, uint32_t k,
                                uint32_t *count, uint32_t *pairs) {
    ww_bounds_args job = job_of(b, area);
    const uint64_t bytes = pairs ? (uint64_t)*count * 3 * sizeof *pairs : sizeof *pairs;
    job.k = k;
    job.fill = pairs != NULL;
    WWI_TRY(wwi_grow_buffer(b->context, &b->list, bytes));
    WWI_TRY(wwi_buffer_fill_u32(b->count, 0, sizeof *count, 0));
    WWI_TRY(WWI_LAUNCH(b->find_candidates, block_groups(b, area), b->group, WWI_BUFFER(area->bounds),
                       WWI_BUFFER(area->distances), WWI_BUFFER(best_values), WWI_VALUE(job), WWI_BUFFER(b->count),
                       WWI_BUFFER(b->list)));
    return pairs ? wwi_stream_read(b->stream, b->list, 0, bytes, pairs)
                 : wwi_stream_read(b->stream, b->count, 0, sizeof *count, count);
}
