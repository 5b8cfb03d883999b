// SPDX-License-Identifier: Apache-2.0
// What is known of a pair whose path is found, and the steps of a path. No kernel is here.
//
// A step has two bits, the first step of the walk, which is the last of the path, in the lowest bits of the first word:
// 0 diagonal, 1 up, 3 left. A walk leads from the path's end to where it begins: with closed ends the corner (0, 0).

// The host's twin is wwi_path_pair in src/path/path.h.
typedef struct {
    ulong edges;    // values before the pair's lines; with one tile: those of its group
    ulong steps;    // words before its steps
    uint i, j;      // the cell that the walk has reached, from 1; at last where the path begins
    uint end_i, end_j;
    uint count;     // steps so far
    uint state;     // one of those below
} ww_path_pair;
enum { WW_WALK_NEW, WW_WALK_ON, WW_WALK_DONE };
