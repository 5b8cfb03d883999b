// SPDX-License-Identifier: Apache-2.0
// What a launch of the walks of an index takes (index/index_walk.cl).
#ifndef WAVEWARP_INDEX_ARGS_H
#define WAVEWARP_INDEX_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_index_args {
    ww_uint queries;
    ww_uint degree;    // links of a series
    ww_uint entries;   // series that a walk begins with
    ww_uint beam;
    ww_uint keep;      // of the beam: what a query's results have
    ww_uint each;      // most series whose distances a query asks for in a step: WIDTH times the degree
    ww_uint mark_room; // a power of two; a quarter of it stays free
    ww_uint flags;
} ww_index_args;

#define WW_INDEX_OWN 1u     // a query is a series of the base, which it does not find
#define WW_INDEX_LINKS 2u   // and begins at its links instead of the entries
#define WW_INDEX_LARGEST 4u // distances are similarities, which are negated

// Words of a place, where a query walks.
#define WW_INDEX_QUERY 0u  // number of the query; WW_INDEX_NONE: the place takes the next; WW_INDEX_IDLE: none is left
#define WW_INDEX_COUNT 1u  // series in its beam
#define WW_INDEX_MARKED 2u // series seen
#define WW_INDEX_BEGUN 3u  // entries asked for
#define WW_INDEX_ASKED 4u  // distances of the step in progress
#define WW_INDEX_AT 5u     // the first of them in the list
#define WW_INDEX_WORDS 8u
#define WW_INDEX_NONE 0xffffffffu
#define WW_INDEX_IDLE 0xfffffffeu

// Counters of all places.
#define WW_INDEX_NEXT 0u  // queries taken
#define WW_INDEX_PAIRS 1u // pairs in the list of a step
#define WW_INDEX_LEFT 2u  // queries given up, whose marks had no room
#define WW_INDEX_DONE 3u  // queries at their end
#define WW_INDEX_TOTALS 4u

#endif
