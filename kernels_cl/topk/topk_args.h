// SPDX-License-Identifier: Apache-2.0
// What a launch of the selection takes (topk/topk.cl).
#ifndef WAVEWARP_TOPK_ARGS_H
#define WAVEWARP_TOPK_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_topk_args {
    ww_ulong offset, row_stride; // of the values, in elements
    ww_uint columns;
    ww_uint column_base; // index of the first column
    ww_uint own_base;    // with WW_SELECT_OWN: row r never takes index own_base + r
    ww_uint parts, part_columns;
    ww_uint k;
    ww_uint flags;
    ww_uint spare;
} ww_topk_args;

#define WW_SELECT_OWN 1u      // a row's own index is not taken
#define WW_SELECT_FRESH 2u    // begin with an empty list; else with the content of `best`
#define WW_SELECT_LISTED 4u   // indices are read from a list as long as the values, not counted
#define WW_SELECT_COUNTED 8u  // row r has only counts[r] columns; in one part
#define WW_SELECT_LARGEST 16u // values are negated as they are read: the k largest

#endif
