// SPDX-License-Identifier: Apache-2.0
// Correlates the columns of a chunk with the windows of the node's series, in the way that shapelet_ways.c has chosen:
// the tables of both, and launches bounded in time.
#include <stdlib.h>
#include <string.h>

#include "shapelets/shapelet_node.h"

// ---- the tables of a chunk

static uint32_t tile_windows(const wwi_node_search *s) {
    const wwi_shapelet_way *way = s->correlator.way;
    return way->tile_windows ? way->tile_windows : way->diagonals ? s->device->diagonals : s->device->windows;
}

static ww_status send_columns(wwi_node_search *s, size_t first, size_t count) {
    const uint32_t W = s->job.columns;
    const bool on_device = s->device->has_double; // the tables are made there
    WWI_FREES wwi_shapelet_column *padded = NULL;
    if (count < W || !on_device) {
        WWI_TRY(wwi_new(padded, W));
        memcpy(padded, s->candidates.columns + first, count * sizeof *padded);
        for (size_t c = count; c < W; c++)
            padded[c] = (wwi_shapelet_column){s->node->ids[0], 0, 0, UINT32_MAX};
    }
    if (on_device)
        WWI_TRY(padded ? wwi_buffer_write(s->scratch->columns.places, 0, W * sizeof *padded, padded)
                       : wwi_buffer_copy(s->scratch->node.columns, first * sizeof *padded, s->scratch->columns.places,
                                         0, W * sizeof *padded));
    s->candidates.at = first;
    s->candidates.padded = padded;
    return s->correlator.way->make_columns(s);
}

// The tiles of series j of the node. *rows: those of the table before, and after.
static ww_status add_tiles(wwi_node_search *s, size_t j, size_t *capacity, uint64_t *rows) {
    wwi_node_table *t = &s->table;
    const bool diagonals = s->correlator.way->diagonals;
    const uint32_t U = tile_windows(s), length = (uint32_t)wwi_shapelet_length(s->data, s->node->ids[j]);
    const int32_t before = diagonals ? (int32_t)s->device->rows - 1 : 0;
    const int32_t end = (int32_t)(length - s->job.least) + 1 + (diagonals ? before + (int32_t)U : 0);
    for (int32_t u = -before; u < end; u += (int32_t)U) {
        const uint32_t left = u < 0 ? length : (uint32_t)u < length ? length - (uint32_t)u : 0;
        const uint32_t lengths = left < s->job.least ? 0 : left < s->job.longest ? left : s->job.longest;
        WWI_TRY(wwi_grow(&t->tiles, capacity, t->tile_count + 1, sizeof *t->tiles));
        t->tiles[t->tile_count++] = (wwi_shapelet_tile){(uint32_t)j, (uint32_t)u, lengths, (uint32_t)*rows};
        *rows += diagonals ? 0 : lengths;
    }
    return WW_OK;
}

// Tiles of the windows of series [first, ...) as far as the tables may grow; at least one series.
static ww_status make_tiles(wwi_node_search *s, size_t first, uint64_t most_bytes) {
    size_t capacity = 0;
    wwi_node_table *t = &s->table;
    const bool diagonals = s->correlator.way->diagonals;
    const uint64_t row_bytes = wwi_shapelet_row(s->device->kind, tile_windows(s)) * 4; // not by diagonals
    const uint64_t windows = (uint64_t)s->job.count * s->correlator.wide;
    const uint64_t differences = (uint64_t)s->correlator.difference_count * 16,
                   each = diagonals ? windows * 20 + differences : 0;
    uint64_t rows = 0;
    free(t->tiles);
    t->tiles = NULL;
    t->tile_count = t->count = 0;
    t->first_tile[0] = 0;
    t->first = first;
    for (size_t j = first; j < s->node->count; j++) {
        uint64_t after = rows;
        const size_t begin = t->tile_count;
        WWI_TRY(add_tiles(s, j, &capacity, &after));
        if (j > first && after * row_bytes + (j + 1 - first) * each > most_bytes) {
            t->tile_count = begin;
            break;
        }
        rows = after;
        t->first_tile[++t->count] = (uint32_t)t->tile_count;
    }
    if (rows >> 32)
        return wwi_fail(WW_ERROR_OVERFLOW, "a series has too many windows of too many lengths");
    t->bytes = rows * row_bytes;
    if (!diagonals)
        return wwi_grow_buffer(s->device->context, &s->scratch->windows.b, t->bytes);
    return WWI_GROW(s->device->context, {&s->scratch->windows.steps, t->count * windows * 16},
                    {&s->scratch->windows.passed, t->count * windows * 4},
                    {&s->scratch->windows.differences, t->count * differences});
}

// Of a table of all series what is sent stays.
static ww_status send_tiles(wwi_node_search *s, wwi_buffer **to, const void *from, uint64_t bytes) {
    return s->table.count == s->node->count ? wwi_node_post(s->device, to, from, bytes)
                                            : wwi_upload(s->device->context, to, from, bytes);
}

// The table of the windows of series from `first` on.
static ww_status make_windows(wwi_node_search *s, size_t first, uint64_t most_bytes) {
    const wwi_node_table *t = &s->table;
    WWI_TRY(make_tiles(s, first, most_bytes));
    s->job.table = (uint32_t)first;
    WWI_TRY(send_tiles(s, &s->scratch->windows.tiles, t->tiles, t->tile_count * sizeof *t->tiles));
    if (!s->correlator.way->diagonals)
        WWI_TRY(send_tiles(s, &s->scratch->windows.first, t->first_tile, (t->count + 1) * 4));
    return s->correlator.way->make_windows(s);
}

// ---- launches

// The chunk's columns with the series of the table.
static ww_status correlate_table(wwi_node_search *s, double cells_each, bool last) {
    wwi_pace *pace = &s->progress->pace;
    for (size_t at = 0; at < s->table.count;) {
        const uint64_t many = wwi_pace_units(pace, s->progress->rate, s->table.count - at, cells_each);
        s->job.first = (uint32_t)(s->table.first + at);
        s->job.many = (uint32_t)many;
        WWI_TRY(s->correlator.way->launch(s));
        at += many;
        WWI_TRY(
            wwi_pace_launched(pace, &s->progress->rate, cells_each * (double)many, !(last && at == s->table.count)));
    }
    return WW_OK;
}

ww_status wwi_correlate(wwi_node_search *s, const wwi_node_chunk *now) {
    const uint64_t table_bytes = wwi_node_memory(s) / 4;
    const double each = (double)now->cells / (double)s->node->count;
    WWI_TRY(send_columns(s, now->first, now->count));
    if (s->correlator.way->begin)
        WWI_TRY(s->correlator.way->begin(s));
    for (size_t j = 0; j < s->node->count; j += s->table.count) {
        // One table for all series serves all chunks.
        if (!(s->table.first == 0 && s->table.count == s->node->count))
            WWI_TRY(make_windows(s, j, table_bytes));
        WWI_TRY(correlate_table(s, each, j + s->table.count == s->node->count));
    }
    return WW_OK;
}
