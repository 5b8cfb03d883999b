// SPDX-License-Identifier: Apache-2.0
// What a launch of the matrix profile takes: its tiles, and the comparison of their candidates
// (profile/profile_merge.cl).
#ifndef WAVEWARP_PROFILE_ARGS_H
#define WAVEWARP_PROFILE_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

// Tiles whose largest conditions have this product, or a larger one, are computed in double.
#define WW_PROFILE_DEEP 128.0f
// A bound is D of a window's k-th neighbour times this, and so much more, for what rounding makes of it and of D.
#define WW_BOUND_MORE 1.0000005f
#define WW_BOUND_LEAST 4e-24f
// The same of windows that are not normalised, whose D may be small powers: what floats lose near 0.
#define WW_RAW_LEAST 2.4e-38f

typedef struct ww_profile_args {
    ww_ulong first;                    // tile of the launch's first group
    ww_uint blocks;                    // blocks of rows: tile = band * blocks + block
    ww_uint rows, columns;             // windows
    ww_uint delta;                     // the first diagonal: column - row
    ww_uint window;                    // points of a window
    ww_uint active;                    // diagonals of a band that may have candidates
    ww_uint row_points, column_points; // of the series, a channel
    ww_uint row_stride, column_stride; // of the tables' planes
    ww_uint stripes, capacity;         // counters of entries, and entries of each
    ww_long offset;                    // index of column 0 less that of row 0
    ww_long exclusion;                 // indices this far apart or nearer are no neighbours; -1: all are
    float error;                       // of D, for a condition of 1
    float rounding, relative;          // of D whatever the condition is (profile/profile.cl), and in proportion to D
    float least, most; // the tiles to compute: the product of their largest conditions is in this interval
    float power;       // of windows that are not normalised (profile/profile_raw.cl)
} ww_profile_args;

typedef struct ww_profile_merge_args {
    ww_ulong other_first; // index of the other side's first window
    ww_uint own, window;
    ww_uint own_points, other_points, own_stride, other_stride;
} ww_profile_merge_args;

#endif
