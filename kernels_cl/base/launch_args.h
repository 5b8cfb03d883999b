// SPDX-License-Identifier: Apache-2.0
// Which pairs a launch of an engine's kernel computes and where their results go (base/tasks.cl).
#ifndef WAVEWARP_LAUNCH_ARGS_H
#define WAVEWARP_LAUNCH_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_launch_args {
    ww_ulong row_stride, column_stride; // of results, in elements
    ww_uint row_begin, row_end, column_begin, column_end;
    ww_uint row_base, column_base; // ids at (0, 0) of the results
    ww_uint rows_per_group, group_width;
    ww_uint layout; // of the results: WW_RESULTS_...
    ww_uint count;  // condensed: series of the set
    ww_uint flags;
    ww_uint channel; // first channel used (independent channels), else 0
    ww_uint rank_row_base, rank_column_base, rank_columns;
    ww_uint strip_begin, strip_end;         // engine strips
    ww_uint scratch;                        // elements of scratch memory of a group or pair
    ww_uint band_width;                     // base/band.cl
    ww_uint unit_begin;                     // the first unit of this launch; the engine defines a unit
    ww_uint begin_x, end_x, begin_y, end_y; // open ends: points that may be skipped, x the row series
    // The measure's, by name, as many as it has; in C there is room for the most. They begin at a multiple of 8 bytes.
#ifdef WW_PARAMETERS
    ww_parameters parameters;
#endif
} ww_launch_args;

// A series in a table of costs (base/points.cl): where it begins, and the values of a row of the table, which are fours.
#define WW_TABLE_ENTRY(first, pitch) ((ww_ulong)(first) | (ww_ulong)((pitch) / 4) << 40)
#define WW_TABLE_FIRST(entry) ((entry)&0xfffffffffful)
#define WW_TABLE_PITCH(entry) ((ww_uint)((entry) >> 40) * 4u)

#define WW_RESULTS_STRIDED 0u
#define WW_RESULTS_MIRRORED 1u  // the same and mirrored
#define WW_RESULTS_CONDENSED 2u // the upper triangle
#define WW_LAUNCH_HALF 1u
#define WW_LAUNCH_ACCUMULATE 2u
#define WW_LAUNCH_CORNER 4u
#define WW_LAUNCH_WHOLE 8u // engine strips: a work-group computes a whole pair

#endif
