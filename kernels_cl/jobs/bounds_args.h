// SPDX-License-Identifier: Apache-2.0
// What a launch of the lower bounds takes (jobs/bounds.cl).
#ifndef WAVEWARP_BOUNDS_ARGS_H
#define WAVEWARP_BOUNDS_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_bounds_args {
    ww_uint row, rows, column, columns; // the block: ids [row, row+rows) and [column, column+columns)
    ww_uint envelope;                   // values of an envelope in each channel
    ww_uint k;
    ww_uint exclude_self; // 1: a row is no candidate of itself
    ww_uint fill;         // ww_candidates: 0 count, 1 write
    float scale;          // of a bound, so that no neighbour is lost by rounding
    ww_uint spare;
} ww_bounds_args;

#endif
