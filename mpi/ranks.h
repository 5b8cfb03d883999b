// SPDX-License-Identifier: Apache-2.0
// What the ranks of a job agree on: failures in one message, and pieces of work from one counter.
#ifndef WAVEWARP_MPI_RANKS_H
#define WAVEWARP_MPI_RANKS_H

#include <mpi.h>

#include "base/common.h"

extern int rank, ranks;

// From here on only the first rank prints; what another one prints is kept, and shown where it fails first.
void ranks_begin(void);
void ranks_end(void);
// The first failure of any rank, or CLI_GO_ON; called by all until one has failed, and then no more. Rank 0 prints the
// message of the first rank that failed. `finished`: this rank has no more to do; *all: nobody has (may be NULL).
int ranks_agree(int result, bool finished, bool *all);
// Whether a rank has failed.
bool ranks_failed(void);
// Whether every rank has the text of rank 0; called by all. Else the message of the first that has not says what
// (`what`) differs, and the first word of those between `separator` that does.
int ranks_same(const char *what, const char *text, char separator);

// As of ww_store_share: pieces of job `job`, each to one rank; and the end of it.
uint64_t ranks_next(void *user, uint64_t job, uint64_t pieces);
int ranks_wait(void *user);

#endif
