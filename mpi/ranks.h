// SPDX-License-Identifier: Apache-2.0
// What the ranks of a job agree on: failures in one message, series that one rank read, tiles from one counter.
#ifndef WAVEWARP_MPI_RANKS_H
#define WAVEWARP_MPI_RANKS_H

#include <mpi.h>

#include "base/common.h"

extern int rank, ranks;

// From here on only the first rank prints; what another one prints is kept, and shown by ranks_agree() when it fails.
void ranks_begin(void);
// The first failure of any rank, or CLI_GO_ON; called by all. Rank 0 prints the message of the first rank that failed.
int ranks_agree(int result);
// Whether every rank has the text of rank 0; called by all. Else the message of the first that has not says what
// (`what`) differs, and, `lines`, the first line that does.
int ranks_same(const char *what, const char *text, bool lines);
// Gives every rank what rank 0 has.
void ranks_broadcast(void *values, size_t bytes);
// Gives every rank the set that rank 0 has.
int ranks_share(ww_series_set **set);

// Points that one rank read.
typedef struct rank_view {
    ww_point_set *set; // on rank 0
    ww_point_view view;
    void *values; // on the others, as the offsets
    uint64_t *offsets;
} rank_view;
int ranks_share_points(rank_view *points);
void rank_view_free(rank_view *points);

// Numbers from 0 on, each to one rank.
typedef struct rank_counter {
    MPI_Win window;
    int64_t *next;
} rank_counter;
void ranks_count_begin(rank_counter *counter);
int64_t ranks_count(rank_counter *counter);
void ranks_count_stop(rank_counter *counter); // no rank gets a small number any more
void ranks_count_end(rank_counter *counter);

#endif
