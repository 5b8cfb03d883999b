// SPDX-License-Identifier: Apache-2.0
// The tables of columns and windows made by the host, for devices without double: what the kernels of
// kernels_cl/shapelets/shapelet_tables.cl compute, whose comment has the formulae.
#include <math.h>

#include "base/normal.h"
#include "shapelets/shapelet_node.h"

// A window that grows.
typedef struct window {
    double mean, squares, low, high, gap;
} window;

static const window empty = {0, 0, INFINITY, -INFINITY, 0};

static void grow(window *w, double x, double first, uint32_t l) {
    w->gap = (x - first) - w->mean;
    w->mean += w->gap / (double)(l + 1);
    w->squares += w->gap * ((x - first) - w->mean);
    w->low = fmin(w->low, x);
    w->high = fmax(w->high, x);
}

static bool is_flat(const window *w) {
    return wwi_is_constant(w->low, w->high);
}

static void fill_columns(const wwi_shapelet_data *data, wwi_shapelet_kind kind, const wwi_shapelet_column *columns,
                         const ww_shapelet_args *job, float *a, float *norms) {
    const size_t width = job->columns;
    for (size_t c = 0; c < width; c++)
        for (size_t ch = 0; ch < kind.channels; ch++) {
            const wwi_shapelet_column *column = &columns[c];
            const double *x = data->values + data->offsets[column->series] +
                              ch * wwi_shapelet_length(data, column->series) + column->start;
            float *to = a + ch * job->longest * width + c;
            window w = empty;
            uint32_t wanted = job->single ? column->reach : job->least, li = 0;
            for (uint32_t l = 0; l < job->longest; l++) {
                const bool inside = l < column->reach;
                if (inside && !kind.raw)
                    grow(&w, x[l], x[0], l);
                to[l * width] = !inside    ? 0
                                : kind.raw ? (float)(x[l] - data->centre)
                                           : (float)(w.gap * (double)l / (l + 1.0));
                if (kind.raw || l + 1 != wanted || li >= job->count)
                    continue;
                const bool flat = inside && is_flat(&w);
                norms[(ch * job->count + li) * width + c] = inside && !flat ? (float)(1 / sqrt(w.squares)) : 0;
                if (kind.channels > 1) {
                    float *halves = norms + (kind.channels * job->count + li) * width + c;
                    *halves = (ch ? *halves : 0) + (flat ? 0.5f : 0);
                }
                li++;
                wanted += job->step;
            }
        }
}

static void fill_windows(const wwi_shapelet_data *data, wwi_shapelet_kind kind, const uint32_t *ids,
                         const wwi_shapelet_tile *tiles, size_t count, uint32_t windows, const ww_shapelet_args *job,
                         float *b, uint32_t *flats) {
    const size_t width = wwi_shapelet_row(kind, windows), C = kind.channels;
    for (size_t item = 0; item < count * windows; item++) {
        const wwi_shapelet_tile *tile = &tiles[item / windows];
        const uint32_t lane = (uint32_t)(item % windows), u = tile->first + lane, id = ids[tile->series];
        const size_t length = wwi_shapelet_length(data, id);
        for (size_t ch = 0; ch < C; ch++) {
            const double *x = data->values + data->offsets[id] + ch * length;
            float *row = b + tile->row * width + lane;
            window w = empty;
            uint32_t wanted = job->least, li = 0;
            for (uint32_t l = 0; l < tile->lengths; l++, row += width) {
                const bool inside = u + l < length;
                if (kind.raw) {
                    row[ch * windows] = inside ? (float)(x[u + l] - data->centre) : INFINITY;
                    continue;
                }
                if (inside)
                    grow(&w, x[u + l], x[u], l);
                row[ch * windows] = inside ? (float)w.gap : 0;
                const bool flat = inside && is_flat(&w);
                const float norm = inside && !flat ? (float)(1 / sqrt(w.squares)) : 0;
                if (C > 1) {
                    float *halves = row + 2 * C * windows;
                    row[(C + ch) * windows] = norm;
                    *halves = inside ? (ch ? *halves : 0) + (flat ? 0.5f : 0) : NAN;
                    continue;
                }
                row[windows] = inside && !flat ? norm : NAN;
                if (l + 1 != wanted && !job->single)
                    continue;
                if (flat)
                    flats[(size_t)tile->series * (job->single ? job->longest : job->count) + (job->single ? l : li)] =
                        1;
                li++;
                wanted += job->step;
            }
        }
    }
}

// ---- of a chunk, and of the node

ww_status wwi_node_host_columns(wwi_node_search *s) {
    const wwi_shapelet_column *columns = s->candidates.padded;
    const struct wwi_shapelet_columns_scratch *to = &s->scratch->columns;
    const uint32_t W = s->job.columns;
    const uint64_t values = (uint64_t)W * s->data->channels * s->job.longest;
    const uint64_t norm_count = (uint64_t)W * (s->data->channels + 1) * s->job.count;
    WWI_FREES uint32_t *reaches = NULL, *own = NULL;
    WWI_FREES float *a = NULL, *norms = NULL;
    WWI_TRY(wwi_new(reaches, W));
    WWI_TRY(wwi_new(own, W));
    WWI_TRY(wwi_new(a, values));
    WWI_TRY(wwi_new_zeroed(norms, norm_count));
    for (uint32_t c = 0; c < W; c++) {
        reaches[c] = columns[c].reach;
        own[c] = columns[c].own;
    }
    fill_columns(s->data, s->device->kind, columns, &s->job, a, norms);
    WWI_TRY(wwi_buffer_write(to->reaches, 0, W * 4, reaches));
    WWI_TRY(wwi_buffer_write(to->own, 0, W * 4, own));
    WWI_TRY(wwi_buffer_write(to->a, 0, values * 4, a));
    return wwi_buffer_write(to->norms, 0, norm_count * 4, norms);
}

ww_status wwi_node_host_windows(wwi_node_search *s) {
    const struct wwi_shapelet_windows_scratch *to = &s->scratch->windows;
    const uint64_t flat_count = s->node->count * (s->job.single ? s->job.longest : s->job.count);
    WWI_FREES float *b = NULL;
    WWI_FREES uint32_t *flats = NULL;
    WWI_TRY(wwi_new(b, s->table.bytes / sizeof *b));
    WWI_TRY(wwi_new(flats, flat_count));
    WWI_TRY(wwi_stream_read(s->device->stream, to->constant, 0, flat_count * 4, flats));
    fill_windows(s->data, s->device->kind, s->node->ids, s->table.tiles, s->table.tile_count, s->device->windows,
                 &s->job, b, flats);
    WWI_TRY(wwi_buffer_write(to->b, 0, s->table.bytes, b));
    return wwi_buffer_write(to->constant, 0, flat_count * 4, flats);
}
