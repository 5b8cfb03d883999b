// SPDX-License-Identifier: Apache-2.0
// What a launch of hashing takes: keys, tables and single queries (lsh/lsh.cl), many queries (lsh/lsh_join.cl).
#ifndef WAVEWARP_LSH_ARGS_H
#define WAVEWARP_LSH_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

#define WW_LSH_WG 64 // work-items of a group of most kernels, and the points of a tile

typedef struct ww_lsh_args {
    ww_uint count;  // rows
    ww_uint groups; // work-groups of a table
    ww_uint dimension, tables;
    ww_uint shift;         // 32 - log2 of the buckets of a table
    ww_uint first;         // first of the rows in their tiles
    ww_uint probe, probes; // first probe, and how many
    ww_uint base_id;       // id of the table's first point
    ww_uint own;           // of row 0, which row 0 never finds (row 1 never own + 1, ...)
    ww_uint capacity;      // candidates of a query
    ww_uint tile;          // rows of a task
    ww_uint inside;        // 1: the rows are points of the table
    ww_uint first_group;   // of a launch that does a part of the work
} ww_lsh_args;

typedef struct ww_join_args {
    ww_uint first_task;
    ww_uint query_first, base_first; // of the rows and points in their tiles
    ww_uint query_row;               // of the rows among the side's rows; the points' begin with 0
    ww_uint base_id, own;            // ids as in ww_lsh_args
    ww_uint dimension, k;
    ww_uint rows;        // of all lists of one number
    ww_uint lists;       // of a row, of this launch: its tables
    ww_uint shift; // as in ww_lsh_args
    ww_uint settled; // 1: the tables before were of the same points
    float margin;    // as in ww_knn_args
} ww_join_args;

#endif
