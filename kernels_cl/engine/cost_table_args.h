// SPDX-License-Identifier: Apache-2.0
// What a launch that fills a table of costs is told (cost_table.cl).
#ifndef WAVEWARP_COST_TABLE_ARGS_H
#define WAVEWARP_COST_TABLE_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_table_args {
    ww_uint unit_begin, units; // tiles of this launch: from the first on, of all
    ww_uint channels;
    ww_uint rows, columns;    // rectangle: its series; list: rows are its tasks
    ww_uint first_row;        // rectangle: slot of the first row series
    ww_uint all_rows, across; // rectangle: points of all row series; tiles side by side
    ww_uint pitch;            // rectangle: values of a row of the table
    ww_uint upper;            // rectangle: only pairs of a row slot below the column slot are wanted
    // Points of each row series, tiles of each task; columns of each column series from slot first_column on, where those
    // before have none. 0: they differ.
    ww_uint row_each, column_each, first_column;
} ww_table_args;

// Of an id in a list: the series is one of the other side.
#define WW_TABLE_OTHER 0x80000000u

#endif
