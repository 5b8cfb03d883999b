// SPDX-License-Identifier: Apache-2.0
// The tables of columns and windows made by the host, for devices without double: what the kernels of
// kernels_cl/shapelets/shapelet_tables.cl compute, whose comment has the formulae.
#include <math.h>

#include <stdlib.h>

#include "shapelets/shapelet_node.h"

#define FLAT 1e-10

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
    return w->high - w->low <= FLAT * fmax(fabs(w->low), fabs(w->high));
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
    ww_status status;
    const uint32_t W = s->job.columns;
    const uint64_t a_bytes = (uint64_t)W * s->data->channels * s->job.longest * 4;
    const uint64_t norm_bytes = (uint64_t)W * (s->data->channels + 1) * s->job.count * 4;
    uint32_t *reaches = malloc(W * sizeof *reaches), *own = malloc(W * sizeof *own);
    float *a = malloc(a_bytes), *norms = calloc(norm_bytes, 1);
    if (!reaches || !own || !a || !norms) {
        status = wwi_fail_memory(a_bytes + norm_bytes);
        goto done;
    }
    for (uint32_t c = 0; c < W; c++) {
        reaches[c] = columns[c].reach;
        own[c] = columns[c].own;
    }
    fill_columns(s->data, s->device->kind, columns, &s->job, a, norms);
    if ((status = wwi_buffer_write(s->scratch->columns.reaches, 0, W * 4, reaches)) == WW_OK &&
        (status = wwi_buffer_write(s->scratch->columns.own, 0, W * 4, own)) == WW_OK &&
        (status = wwi_buffer_write(s->scratch->columns.a, 0, a_bytes, a)) == WW_OK)
        status = wwi_buffer_write(s->scratch->columns.norms, 0, norm_bytes, norms);
done:
    free(reaches);
    free(own);
    free(a);
    free(norms);
    return status;
}

ww_status wwi_node_host_windows(wwi_node_search *s) {
    ww_status status;
    const uint64_t bytes = s->table.bytes;
    const uint64_t flat_bytes = s->node->count * (s->job.single ? s->job.longest : s->job.count) * 4;
    float *b = malloc(bytes);
    uint32_t *flats = calloc(flat_bytes, 1);
    if (!b || !flats) {
        status = wwi_fail_memory(bytes);
    } else if ((status = wwi_stream_read(s->device->stream, s->scratch->windows.constant, 0, flat_bytes, flats)) ==
               WW_OK) {
        fill_windows(s->data, s->device->kind, s->node->ids, s->table.tiles, s->table.tile_count, s->device->windows,
                     &s->job, b, flats);
        if ((status = wwi_buffer_write(s->scratch->windows.b, 0, bytes, b)) == WW_OK)
            status = wwi_buffer_write(s->scratch->windows.constant, 0, flat_bytes, flats);
    }
    free(b);
    free(flats);
    return status;
}
