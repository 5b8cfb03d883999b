// SPDX-License-Identifier: Apache-2.0
// What launches of a search take: windows (search/search_windows.cl, search/search_bounds.cl), and without a length of
// their own (search/search_open.cl).
#ifndef WAVEWARP_SEARCH_ARGS_H
#define WAVEWARP_SEARCH_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

// A query of a launch over windows, which has those of several; all have the same length.
typedef struct ww_window_query {
    ww_uint query;          // whose limit, results and counters
    ww_uint x_at, order_at; // where it begins among the values of all, and among their points and terms
    ww_uint stages;         // how many bounds are used
    ww_uint first, count;   // consecutive windows; or how many of its list
    ww_uint group, spare;   // its first group, counted over all launches of its length
} ww_window_query;

typedef struct ww_window_args {
    ww_ulong stride;        // elements from one channel to the next, and from one row of the table to the next
    ww_ulong out_stride;    // from a query's row of results, and of windows left, to the next one's
    ww_uint n;              // points of a window
    ww_uint channel;        // of a pass over one channel, else 0
    ww_uint accumulate;     // 1: adds to what is there
    ww_uint x_stride;       // elements from one channel of the query to the next
    ww_uint query, queries; // the first one among the queries given; how many
    ww_uint group;          // the launch's first
    ww_uint span;           // packs of WW_VECTOR windows that a group has, at most
    ww_uint corners, terms; // of bounds: corners at each end, and points that are in none
    ww_uint spare;
    float margin;           // a bound times this is never above the computed value
    // As in base/launch_args.h.
#ifdef WW_PARAMETERS
    ww_parameters parameters;
#endif
} ww_window_args;

typedef struct ww_open_task {
    ww_ulong rows_of;     // where this task's columns begin in `ends`
    ww_uint x, n;         // where the query's points begin; how many there are
    ww_uint x_stride;     // the query's points, of which a task may have the first n
    ww_uint first, count; // columns: of `values` and of the row of `ends`
    ww_uint flags;
    ww_uint state_in, state_out; // where its states begin: n values each
} ww_open_task;
#define WW_TASK_CONTINUE 1u // the column before is in state_in
#define WW_TASK_BEGIN 2u    // the first column is the first of a stream: relaxation of the query's begin applies
#define WW_TASK_SAVE 4u     // the last column is needed
#define WW_TASK_IDLE 8u     // computes what a neighbour computes, stores nothing
#define WW_TASK_LAST 16u    // of the last column only the result is needed: it goes to state_out itself
#define WW_TASK_INSIDE 32u  // columns from the middle of a stream: no path begins left of them

typedef struct ww_open_args {
    ww_ulong stride; // of the channels of the stream
    ww_uint strip, strips;
    ww_uint begin_x; // rows that may be skipped at the beginning of a stream: all but one at most
    ww_uint tasks;
    ww_int shift; // columns from the block before to this one: starts count from the block's first
    ww_uint spare;
    // As in base/launch_args.h.
#ifdef WW_PARAMETERS
    ww_parameters parameters;
#endif
} ww_open_args;

#endif
