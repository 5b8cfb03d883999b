// SPDX-License-Identifier: Apache-2.0
// Jobs that go on after an end: a journal for each rank, of what it did. Any number of ranks goes on with
// them.
#ifndef WAVEWARP_MPI_RESTART_H
#define WAVEWARP_MPI_RESTART_H

#include "base/division.h"
#include "base/tiles.h"
#include "ranks.h"

typedef struct restart_job {
    cli_work work;                 // its units are the marks
    const char *checkpoint, *path; // checkpoint: NAME of NAME.0, NAME.1, ...; path: of the file
    bool resume, any_device;
} restart_job;

// All 0: nothing is kept.
typedef struct restart {
    ww_journal *journal;  // of this rank
    unsigned char *known; // marks of what was done before
    uint64_t found_done;
    int found; // there is a file with them
    char *path, *checkpoint;
    cli_marks marks;
    bool unwritten, was_there; // was_there: the journal of this rank
} restart;

// Called by all ranks.
int restart_open(restart *r, const restart_job *job);
// The side of the tiles of a matrix's journal, by which it goes on with any number of ranks; 0: there is none, or it is
// of something else, which restart_open() says.
uint64_t restart_side(const char *checkpoint);
bool restart_has(const restart *r, uint64_t first, uint64_t count);
// These are in the file.
int restart_done(restart *r, ww_array_file *file, uint64_t first, uint64_t count);
// Brings all marks to the disk.
int restart_write(restart *r, ww_array_file *file);
// Whether there is anything to go on from; called by all ranks.
bool restart_begun(const restart *r);
// `finished`: removes the journals, also those of ranks that there are no longer. Not `begun`: those that this run
// made.
void restart_close(restart *r, bool finished, bool begun);

#endif
