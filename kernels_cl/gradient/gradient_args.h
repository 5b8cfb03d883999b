// SPDX-License-Identifier: Apache-2.0
// What the kernels of gradients are told: a launch, its pairs, and what is summed.
#ifndef WAVEWARP_GRADIENT_ARGS_H
#define WAVEWARP_GRADIENT_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_gradient_args {
    ww_uint first, count;             // pairs [first, first + count)
    ww_uint whole;                    // 1: a work-item computes all blocks of its pair; 0: those of one diagonal
    ww_uint diagonal, turns;          // 0: that diagonal, and most blocks on one
    ww_uint column_begin, column_end; // columns of blocks of this pass
    ww_uint keep;                     // forward: the pass before a backward one
    ww_uint segment, segment_columns; // which segment it is; columns of blocks of a segment, 0: there is one
    ww_uint checkpoint_columns;       // columns of blocks that checkpoints are kept of
    ww_uint stride;                   // pairs side by side
    ww_uint slope_channel, last_slope_channel; // first channel whose slopes are summed in this launch, and in the last
    ww_uint band_width, corner;                // base/band.cl
    ww_uint channel;                           // first channel, where they are independent
    ww_uint scaled;                            // 1: there is an upstream value for each pair
    ww_uint chunk, backward;                   // of gradient_soft_places.cl: row-steps of a chunk; which pass it is
    // Of gradient_wave.cl: slopes of which sides, 1 rows, 2 columns; 1: results go where the caller has them, number by number.
    ww_uint wanted, direct;
    // As in base/launch_args.h.
#ifdef WW_PARAMETERS
    ww_parameters parameters;
#endif
} ww_gradient_args;

// A pair: where its parts begin in the buffers, in values, its lane added.
typedef struct ww_gradient_task {
    ww_ulong x, y;    // series, interleaved
    ww_ulong carried; // a row of `wide` blocks, then a column of `tall` blocks
    ww_ulong checkpoints, edges;
    ww_ulong x_slopes, y_slopes;
    ww_ulong sums, lags; // slopes by parameters, for each row of blocks; by weights, for each lag
    ww_ulong alignment;
    ww_ulong table; // many channels: where its costs begin, rows of a multiple of 4 columns
    ww_uint n, m, tall, wide; // lengths in points and in blocks
    ww_uint x_id, y_id;       // of the series; the top bit: of the columns' dataset
    ww_uint number;           // in the batch
    ww_uint band;             // which pair of lengths
    ww_uint aligned;          // its alignment is wanted
    ww_uint later;            // its checkpoints are in the second of their buffers
} ww_gradient_task;

// An entry of a sum: `factor` times the upstream of `pair` times what task `task` gives. role 0: by x, 1: by y.
typedef struct ww_gradient_entry {
    ww_uint task, role, pair;
    float factor;
} ww_gradient_entry;

#endif
