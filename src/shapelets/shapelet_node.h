// SPDX-License-Identifier: Apache-2.0
// The search of one node, inside: candidates (columns: places where they start), ways to correlate them with windows,
// bounds of their gains, the list of those that may be among the best, and the search that joins them
// (shapelet_candidates.c, shapelet_ways.c, shapelet_correlate.c, shapelet_brief.c, shapelet_bounds.c,
// shapelet_rescore.c, shapelet_shortlist.c, shapelet_node.c).
#ifndef WAVEWARP_SHAPELET_NODE_H
#define WAVEWARP_SHAPELET_NODE_H

#include "shapelets/shapelet_search.h"

typedef struct wwi_node_search wwi_node_search;

// ---- candidates

// Columns whose candidates are listed against the k-th best of the sections before.
typedef struct wwi_node_section {
    size_t first, count;
} wwi_node_section;

// Columns that are processed at a time.
typedef struct wwi_node_chunk {
    size_t first, count;
    uint64_t cells, candidates;
} wwi_node_chunk;

typedef struct wwi_node_candidates {
    wwi_shapelet_column *columns;
    size_t count;
    wwi_node_section *sections;
    size_t section_count;
    uint64_t *cells;                   // of a column by its number of lengths
    uint32_t *lengths;                 // of a column by its reach
    uint32_t block;                    // columns of a chunk are a multiple of it
    size_t most, at;                   // of a chunk; the first of this one
    const wwi_shapelet_column *padded; // of this chunk, where they are not all; without double always
} wwi_node_candidates;

ww_shapelet_args wwi_node_job(const wwi_shapelet_data *data, const ww_shapelets_options *options);
// The columns, or how many there are where their order follows from their way; after the choice of that.
ww_status wwi_node_columns(wwi_node_search *s);
// Draws `wanted` different candidates. Each becomes a column of one length.
ww_status wwi_node_sample(wwi_node_search *s, size_t wanted);
// Cuts the columns into sections, once it is known how many make a chunk, and counts their cells.
ww_status wwi_node_sections(wwi_node_search *s);
wwi_node_chunk wwi_node_chunk_of(const wwi_node_search *s, size_t first, size_t count);

// ---- ways to correlate

// All that a way has of its own. Its tables are in wwi_shapelet_scratch.
typedef struct wwi_shapelet_way {
    bool diagonals;        // sums along diagonals: columns follow each other in rows
    uint32_t tile_windows; // by matrix units; else 0: the device's
    ww_status (*compile)(wwi_node_search *s);
    uint32_t (*block)(const wwi_node_search *s);
    uint64_t (*column_bytes)(const wwi_node_search *s); // of its tables
    ww_status (*allocate)(wwi_node_search *s, uint64_t columns);
    ww_status (*begin)(wwi_node_search *s); // of a chunk; NULL: nothing
    ww_status (*make_columns)(wwi_node_search *s);
    ww_status (*make_windows)(wwi_node_search *s);
    ww_status (*launch)(wwi_node_search *s); // of the chunk's columns with the job's series
} wwi_shapelet_way;

// The windows of series first, first + 1, ... of the node.
typedef struct wwi_node_table {
    wwi_shapelet_tile *tiles;
    uint32_t *first_tile; // count + 1
    size_t tile_count, first, count;
    uint64_t bytes;
} wwi_node_table;

typedef struct wwi_node_correlator {
    const wwi_shapelet_way *way;
    wwi_program *program;
    wwi_kernel *kernel, *clear;
    double unit;                 // of the tables: by matrix units what values are multiplied by, else their centre
    uint32_t group_items;        // by extension
    uint32_t lanes, wide;        // by diagonals: of a group; windows of a series in the table
    uint32_t takes;              // series of a group at a time
    uint32_t difference_count;   // of a series: of neighbours, four copies
    uint32_t groups, group_room; // by rows: groups at a time, and numbers that each keeps
} wwi_node_correlator;

void wwi_correlate_choose(wwi_node_search *s);
// Tables by the host, for devices without double (shapelet_tables.c).
ww_status wwi_node_host_columns(wwi_node_search *s);
ww_status wwi_node_host_windows(wwi_node_search *s);
// The columns of a chunk with all series of the node.
ww_status wwi_correlate(wwi_node_search *s, const wwi_node_chunk *now);

// The distances of short candidates, which correlations leave too imprecise, on GPUs: whether they are to be found so,
// what they need once in a search, and those of a chunk.
void wwi_brief_choose(wwi_node_search *s);
ww_status wwi_brief_windows(wwi_node_search *s);
ww_status wwi_brief_find(wwi_node_search *s);

// ---- bounds of gains

typedef struct wwi_node_bounds {
    wwi_program *split_program, *prune_program;
    wwi_kernel *split, *raise, *rank, *keep, *prune, *survive;
    bool prunes;                                // before the sort, those that can't be the best are taken out
    uint32_t prune_group, prune_groups;         // work-items of a group, groups
    uint32_t field, words;                      // bits of a count in the histogram, words of a bin
    uint32_t shift;                             // bits of gains that its bound leaves out
    uint32_t across, split_group, split_groups; // candidates of a group, its work-items, groups
    uint32_t shares;                            // work-items that go through a candidate's keys
    bool keys_global;
    uint64_t first[2]; // gain and gap that a listed candidate has at least
} wwi_node_bounds;

ww_status wwi_node_bounds_compile(wwi_node_search *s);
ww_status wwi_node_bounds_allocate(wwi_node_search *s, uint64_t columns);
// Candidates that are not worse than the best so far are listed.
ww_status wwi_node_bounds_send(wwi_node_search *s);
// Those of a chunk, and what is kept of it.
ww_status wwi_node_bounds_find(wwi_node_search *s);

// ---- the list

// A candidate that the device listed.
typedef struct wwi_node_listed {
    int64_t gain;
    float gap;
    wwi_shapelet_place place;
    uint32_t own;  // the series' place in the node
    bool rescored; // by distances in double
} wwi_node_listed;

typedef struct wwi_node_shortlist {
    wwi_node_listed *items;
    size_t count, capacity;
    uint32_t columns, first; // of the places in the device's list: all columns, the chunk's first
} wwi_node_shortlist;

// How many candidates wwi_node_rescore() takes at a time; 0: none, on this device or with so many series.
size_t wwi_node_rescores(const wwi_node_search *s);
// Gives those that are not rescored the gain, and the gap, by distances in double: by rounding they may be those of
// wwi_shapelet_split() or a little more.
ww_status wwi_node_rescore(wwi_node_search *s, wwi_node_listed *items, size_t item_count);
// Adds what the device kept. whole: false where there was no room for it.
ww_status wwi_shortlist_take(wwi_node_search *s, size_t first, bool *whole);
// Takes the best of the list, one after the other: each is examined before it is taken, and those that overlap with one
// taken are out. Where there are many to examine, the device rescores them first. The list is empty afterwards.
ww_status wwi_shortlist_select(wwi_node_search *s);

// ---- the search

// What is sent to the device once, and stays until the search ends.
typedef struct wwi_node_sent {
    uint32_t *totals, *points; // of each class; of each series
    uint32_t *lefts;           // by diagonals: points left from the first row of each block of columns on
    float *before;
} wwi_node_sent;

struct wwi_node_search {
    wwi_shapelet_device *device;
    wwi_shapelet_scratch *scratch; // its buffers
    const wwi_shapelet_data *data;
    const wwi_shapelet_gains *gains;
    const ww_shapelets_options *options;
    const wwi_shapelet_node *node;
    wwi_shapelet_progress *progress;
    size_t k;
    ww_shapelet_args job;
    wwi_node_candidates candidates;
    wwi_node_table table;
    wwi_node_correlator correlator;
    wwi_node_bounds bounds;
    wwi_node_shortlist shortlist;
    wwi_node_sent sent;
    bool ahead; // chunks are queued one after the other, and their lists are read at the end
    bool ended; // all that was queued
    wwi_shapelet_found *best_found;
    size_t best_count;
};

// Bytes that the tables and results of a search may take.
uint64_t wwi_node_memory(const wwi_node_search *s);
// To a buffer of the device, without waiting: the values stay until the search ends.
static inline ww_status wwi_node_post(wwi_shapelet_device *device, wwi_buffer **buffer, const void *values,
                                      uint64_t bytes) {
    WWI_TRY(wwi_grow_buffer(device->context, buffer, bytes));
    return wwi_buffer_send(*buffer, bytes, values);
}

#endif
