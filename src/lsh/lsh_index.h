// SPDX-License-Identifier: Apache-2.0
// Hashing: structs and functions that building, searching, saving and choosing share.
#ifndef WAVEWARP_LSH_INDEX_H
#define WAVEWARP_LSH_INDEX_H

#include <wavewarp/lsh.h>

#include "base/kit.h"
#include "base/pace.h"
#include "base/run.h"
#include "data/points.h"
#include "knn/knn_job.h"
#include "lsh/lsh_args.h"
#include "topk/topk.h"

#define WWI_LSH_GROUP ((uint32_t)WW_LSH_WG)
#define WWI_LSH_BLOCK 2048u // WW_LSH_BLOCK
#define WWI_LSH_BUCKETS 4u  // WW_BUCKETS
#define WWI_LSH_KEY_ROWS 4u // WW_KEY_ROWS

// Launches that are divided.
enum { WWI_LSH_KEYS, WWI_LSH_COUNT, WWI_LSH_SUMS, WWI_LSH_OFFSETS, WWI_LSH_SCATTER, WWI_LSH_DIVIDED };

// Rows of points as halves, for the join by matrix units. Start with a zeroed one.
typedef struct wwi_lsh_halves {
    wwi_buffer *rows; // NULL: not made
    float scale;      // that they were made with
} wwi_lsh_halves;

// Points that are hashed together. Their ids begin with `id`.
typedef struct wwi_lsh_block {
    ww_points *points; // retained
    size_t first;      // of the block in them
    uint32_t count, id;
    bool keep; // its tables stay on the device; else they are built again for every search
    // While the tables are on the device:
    wwi_slice window;
    wwi_buffer *norms, *rows, *offsets, *entries;
    uint32_t bits; // log2 of a table's buckets
    float reach;   // norm of the longest point
    wwi_lsh_halves halves;
} wwi_lsh_block;

typedef struct wwi_lsh_kernels {
    wwi_kernel *keys, *count, *block_sums, *scan_sums, *write_offsets, *scatter, *tasks, *start, *merge, *rows, *halves,
        *join, *gather, *exact, *norms;
} wwi_lsh_kernels;

// The kernel that searches buckets: WW_JOIN, WW_JOIN_WG, WW_QUERIES, WW_GROUPS and
// WW_LSH_LIST of lsh/lsh_join.cl.
typedef struct wwi_lsh_join {
    int kind;
    uint32_t group, queries, parts, list;
} wwi_lsh_join;

// The points that are removed: a bit for each point, on the host (NULL: none is) and on the device.
typedef struct wwi_lsh_removed {
    uint32_t *bits;
    wwi_buffer *sent;
    size_t count;
} wwi_lsh_removed;

struct ww_lsh {
    ww_context *context;
    wwi_stream *stream;
    ww_lsh_options options; // without its `run`
    ww_run_options run;
    int family;
    ww_point_kind kind;
    ww_precision precision;
    size_t dimension;
    uint32_t words; // as in ww_points
    uint64_t value_bytes;
    bool gpu, tensor, direct, centred;
    int together; // how keys are made: WW_TOGETHER of lsh/lsh.cl
    struct {
        float margin;
        double largest; // absolute value of a coordinate of its points
    } scale;
    double *mean;
    void *coefficients; // as the device has them
    uint64_t coefficient_bytes;
    uint32_t row_group, tile, lists;
    wwi_lsh_join join;
    char defines[384]; // options of all programs
    struct {
        uint32_t probes, candidates; // the most that searches may have
    } made;
    wwi_program *program;
    wwi_lsh_kernels kernels;
    wwi_buffer *device_coefficients, *masks, *device_mean, *largest;
    wwi_lsh_block *blocks;
    size_t block_count;
    size_t total; // points, removed ones included
    wwi_lsh_removed removed;
    ww_lsh_info info;
    wwi_pace pace;                 // of the build or search that runs
    uint64_t building;             // of its work, each divided launch; 0 in a search
    double rates[WWI_LSH_DIVIDED]; // work-groups a second
    wwi_team *team;                // several devices: the tables on each of them
};

// What the public functions of these names do on one device (lsh_units.c: on several).
ww_status wwi_lsh_create_alone(ww_points *points, const ww_lsh_options *options, ww_lsh **lsh);
ww_status wwi_lsh_add_alone(ww_lsh *lsh, ww_points *points);
ww_status wwi_lsh_remove_alone(ww_lsh *lsh, const int64_t *ids, size_t count);
ww_status wwi_lsh_set_options_alone(ww_lsh *lsh, const ww_lsh_options *options);
ww_status wwi_lsh_run_alone(ww_lsh *lsh, ww_points *queries, size_t row, size_t rows, size_t k, int64_t *ids,
                            void *distances, uint32_t *found);

// Bytes of a row of wwi_lsh_rows().
static inline uint64_t wwi_lsh_row_bytes(const ww_lsh *lsh) {
    return ((uint64_t)lsh->words + 3) / 4 * 4 * (lsh->kind == WW_POINTS_NUMBERS ? lsh->value_bytes : 4);
}

// Bytes of a row of wwi_lsh_make_halves(), two for each of WW_WIDTH in kernels_cl/lsh/lsh_join_tensor.cl; 0: none are
// wanted.
static inline uint64_t wwi_lsh_half_bytes(const ww_lsh *lsh) {
    return lsh->tensor ? (((uint64_t)lsh->words + 1) / 2 * 2 + 2 + 15) / 16 * 32 : 0;
}

static inline uint64_t wwi_lsh_groups(uint64_t items) {
    return wwi_ceil_div(items, WWI_LSH_GROUP);
}

// Fills `masks` with the wanted number of probes, or as many as there are, and returns how many (0: no memory). Bit j
// of a mask: the position with the j-th least cost is moved. The first moves nothing; they come in order of expected
// cost.
uint32_t wwi_lsh_make_masks(int family, uint32_t functions, uint32_t probes, uint64_t *masks);

// Makes an index without points. `like` says kind, precision, dimension and mean. `coefficients` NULL: drawn from the
// seed; else copied: `coefficient_bytes` must be what these options take (else WW_ERROR_FORMAT).
ww_status wwi_lsh_open(const ww_points *like, const ww_lsh_options *options, const ww_run_options *run,
                       const void *coefficients, uint64_t coefficient_bytes, ww_lsh **lsh);
ww_status wwi_lsh_append(ww_lsh *lsh, ww_points *points);
// Refuses points that tables can't have: numbers that are not as sums have them, ids of their own. NULL: none to look
// at.
ww_status wwi_lsh_check_points(const ww_points *points, bool as_queries);
// Prepares lsh->kernels.join for lists of k.
ww_status wwi_lsh_get_join(ww_lsh *lsh, uint32_t k);
// Marks the points of these bits, one for each of its points, as removed; no others are.
ww_status wwi_lsh_set_removed(ww_lsh *lsh, const uint32_t *bits);

// Takes `own` out of row `i` of k + 1 neighbours, or the last one where it is not there: row `i` of k, which may be in
// the same arrays. `values` may be NULL.
void wwi_lsh_drop_own(size_t i, size_t k, int64_t own, ww_precision precision, const int64_t *from,
                      const void *distances, int64_t *ids, void *values);

// Squared norms of a slice's points, where the metric needs them; *largest: the largest.
ww_status wwi_lsh_norms(ww_lsh *lsh, const wwi_slice *window, wwi_buffer **norms, float *largest);
// Points of a slice in row order, padded to a multiple of four coordinates; nothing for sets. *rows NULL: it is
// created.
ww_status wwi_lsh_rows(ww_lsh *lsh, const wwi_slice *window, size_t first, size_t count, wwi_buffer **rows);
// Halves of `count` rows whose norms stand from `first_norm` on, unless they were made with this scale.
ww_status wwi_lsh_make_halves(ww_lsh *lsh, wwi_buffer *rows, wwi_buffer *norms, uint32_t first_norm, size_t count,
                              float scale, wwi_lsh_halves *halves);
// Begins a build or a search of so much work.
void wwi_lsh_start(ww_lsh *lsh, uint64_t work);
// Puts a block's points and tables on the device, unless they are there; and removes them, unless they are to stay.
ww_status wwi_lsh_block_open(ww_lsh *lsh, wwi_lsh_block *block);
void wwi_lsh_block_close(wwi_lsh_block *block);

// Keys of rows for some probes.
ww_status wwi_lsh_keys(ww_lsh *lsh, const wwi_slice *window, const ww_lsh_args *job, wwi_buffer *keys);
// Scratch of a sort.
typedef struct wwi_lsh_sorter {
    wwi_buffer *ranks, *counts, *sums;
} wwi_lsh_sorter;
// For up to `rows` rows a table and tables of 2^bits buckets.
ww_status wwi_lsh_sorter_create(ww_lsh *lsh, uint64_t rows, uint32_t bits, wwi_lsh_sorter *sorter);
void wwi_lsh_sorter_free(wwi_lsh_sorter *sorter);
// Sorts rows by the keys that stand from `first_key` on: offsets (tables * buckets + 1), entries (tables * rows).
ww_status wwi_lsh_sort(ww_lsh *lsh, wwi_lsh_sorter *sorter, const ww_lsh_args *job, wwi_buffer *keys,
                       uint64_t first_key, wwi_buffer *offsets, wwi_buffer *entries);

#endif
