// SPDX-License-Identifier: Apache-2.0
// What the kernels of gradients are told: a launch and its pairs. The host's twins are in src/gradient/gradient.h.
typedef struct {
    uint first, count;        // pairs [first, first + count)
    uint whole;               // 1: a work-item computes all blocks of its pair; 0: those of one diagonal
    uint diagonal, turns;     // 0: that diagonal, and most blocks on one
    uint column_begin, column_end;  // columns of blocks of this pass
    uint keep;                // forward: the pass before a backward one
    uint segment, segment_columns;  // which segment it is; columns of blocks of a segment, 0: there is one
    uint mark_columns;        // columns of blocks that marks are kept of
    uint stride;              // pairs side by side
    uint slope_channel, last_slope_channel;  // first channel whose slopes are summed in this launch, and in the last
    uint band_width, corner;  // base/band.cl
    uint channel;             // first channel, where they are independent
    uint scaled;              // 1: there is an upstream value for each pair
    uint chunk, backward;     // of gradient_soft_places.cl: row-steps of a chunk; which pass it is
#ifdef WW_PARAMETERS
    ww_parameters parameters;
#endif
} ww_gradient_args;

// A pair: where its parts begin in the buffers, in values, its lane added.
typedef struct {
    ulong x, y;               // series, interleaved
    ulong roll;               // a row of `wide` blocks, then a column of `tall` blocks
    ulong marks, edges;
    ulong x_slopes, y_slopes;
    ulong sums, lags;         // slopes by parameters, for each row of blocks; by weights, for each lag
    ulong alignment;
    uint n, m, tall, wide;    // lengths in points and in blocks
    uint x_id, y_id;          // of the series; the top bit: of the columns' dataset
    uint number;              // in the batch
    uint band;                // which pair of lengths
    uint aligned;             // its alignment is wanted
    uint later;               // its marks are in the second of their buffers
} ww_gradient_task;

// An entry of a sum: `factor` times the upstream of `pair` times what task `task` gives. role 0: by x, 1: by y.
typedef struct {
    uint task, role, pair;
    float factor;
} ww_gradient_entry;
