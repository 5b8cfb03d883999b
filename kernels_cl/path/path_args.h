// SPDX-License-Identifier: Apache-2.0
// What a launch of path kernels takes, what is known of a pair whose path is found, and the steps of a path.
//
// A step has two bits, the first step of the walk, which is the last of the path, in the lowest bits of the first word:
// 0 diagonal, 1 up, 3 left. A walk leads from the path's end to where it begins: with closed ends the corner (0, 0).
#ifndef WAVEWARP_PATH_ARGS_H
#define WAVEWARP_PATH_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_path_pair {
    ww_ulong edges; // values before the pair's lines; with one tile: those of its group
    ww_ulong steps; // words before its steps
    ww_uint i, j;   // the cell that the walk has reached, from 1; at last where the path begins
    ww_uint end_i, end_j;
    ww_uint count; // steps so far
    ww_uint state; // one of those below
} ww_path_pair;
enum { WW_WALK_NEW, WW_WALK_ON, WW_WALK_DONE };

typedef struct ww_path_args {
    ww_ulong direction_words; // of a group
    ww_ulong edge_values;     // of a group, with one tile
    ww_uint rows, columns;    // of a tile
    ww_uint units;
    ww_uint diagonal, each; // a diagonal of tiles, and how many of its tiles a pair has at most
    ww_uint turns;          // most tiles that a walk goes through in this launch (path_packed.cl)
    ww_uint whole;          // each matrix is one tile
    ww_uint first;          // the unit that has the first directions (path_lanes.cl)
} ww_path_args;

#endif
