// SPDX-License-Identifier: Apache-2.0
// What a launch of path/costs.cl takes: which tiles of a pair's accumulated costs, and where their lines are.
#ifndef WAVEWARP_COSTS_ARGS_H
#define WAVEWARP_COSTS_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_costs_args {
    ww_ulong first;              // values of the output before its first row
    ww_ulong lines;              // values before the pair's lines (one set of lines a channel that is computed alone)
    ww_uint rows, columns;       // of a tile
    ww_uint row_begin, row_end;  // rows of the matrix that this launch's output has
    ww_uint tile_row, tile_rows; // the first row of tiles of the launch, and how many the output has
    ww_uint diagonal, units;     // of tiles, counted from the output's first tile; tiles of the launch
    ww_uint tile_columns, accumulate;
} ww_costs_args;

#endif
