// SPDX-License-Identifier: Apache-2.0
// A search of nearest points: what knn.c makes and knn_run.c runs.
#ifndef WAVEWARP_KNN_SEARCH_H
#define WAVEWARP_KNN_SEARCH_H

#include "base/pace.h"
#include "data/dataset.h"
#include "data/points.h"
#include "knn/knn_job.h"
#include "knn/knn_shard.h"
#include "topk/topk.h"

typedef enum knn_filter {
    FILTER_NARROW,
    FILTER_WIDE,
    FILTER_VECTOR,
    FILTER_TENSOR,
    FILTER_SETS,
    FILTER_ALL
} knn_filter;

typedef struct knn_side {
    ww_points *points;
    wwi_slice window;
    wwi_buffer *norms;
    size_t normed_first, normed_count; // the slice to which the norms belong
    float reach;                       // norm of its longest point
    wwi_buffer *rows;                  // in row order, for the exact kernel; NULL: it reads tiles
    wwi_buffer *halves;                // for the tensor filter: of the slice, or of a block of queries
    wwi_buffer *wide;                  // narrow queries: the tiles of a block, which are `window` then
    wwi_slice stored;                  // likewise: the slice of which they are
    struct {
        wwi_kernel *norms, *rows, *halves;
    } make;
} knn_side;

// The sizes of the tensor filter; see kernels_cl/knn/knn_tensor.cl.
typedef struct knn_tensor {
    uint32_t width; // of a row: a multiple of 16
    uint32_t steps; // width / 16 where that is compiled in, else 0
    uint32_t down, across;
} knn_tensor;

struct ww_knn {
    ww_context *context;
    wwi_stream *stream;
    ww_knn_options options;
    ww_run_options run;
    knn_side base, queries;
    wwi_knn_shard shard;
    uint32_t *places; // of a subset: where its points are in the whole base; else NULL
    bool drops_self;  // whose points are the queries, too: k is one more than the caller's
    bool gpu, centred, direct, rows;
    uint32_t k;
    ww_precision precision;
    uint64_t value_bytes;
    knn_filter filter;
    knn_tensor tensor;
    uint32_t group, group_rows; // work-items of the filter's groups, and rows of each group
    uint32_t row_group;         // work-items of the exact kernel's groups, one a row
    struct {                    // of a block of rows
        uint32_t first_chunk, capacity;
        size_t most_rows;
    } room;
    struct {
        float margin, slack; // as in ww_knn_args
        double base;         // by which the base's squared norms are multiplied
    } allowed;
    wwi_program *program, *wide_program; // the second: of queries, where the base is narrow
    wwi_kernel *filter_kernel, *exact, *make_cuts;
    wwi_selector *selector;
    wwi_buffer *counts, *ids, *values, *best_values, *best_ids, *overflow, *mean;
    wwi_pace pace; // in pairs
    ww_knn_info info;
    wwi_team *team; // several devices: the search on each of them
};

static inline uint32_t wwi_knn_round_up(uint64_t value, uint32_t to) {
    return (uint32_t)(wwi_ceil_div(value, to) * to);
}

// The neighbours that the caller asked for.
static inline uint32_t wwi_knn_wanted(const ww_knn *s) {
    return s->k - s->drops_self;
}

// No filter: every chunk is computed exactly.
static inline bool wwi_knn_computes_all(const ww_knn *s) {
    return s->filter == FILTER_SETS || s->filter == FILTER_ALL;
}

// Queries have rows of their own for the exact kernel: they are no points of the base, or not as sums have them.
static inline bool wwi_knn_has_query_rows(const ww_knn *s) {
    return s->rows && (s->queries.points != s->base.points || wwi_points_are_narrow(s->queries.points));
}

// Coordinates of a point in row order.
static inline uint32_t wwi_knn_row_stride(const ww_knn *s) {
    return wwi_knn_round_up(s->base.points->words, 4);
}

#endif
