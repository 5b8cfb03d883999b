// SPDX-License-Identifier: Apache-2.0
// What a team needs of a store (wavewarp/store.h): which units of a job are kept, what they gave, and a place for more.
//
// Jobs are numbered as a process begins them: the same calls begin the same jobs. Each has a text that says what its
// results depend on, which is compared when another process begins it.
#ifndef WAVEWARP_WORK_STORE_H
#define WAVEWARP_WORK_STORE_H

#include <stdio.h>
#include <wavewarp/store.h>

#include "work/schedule.h"

// What units gave, as it is kept.
typedef struct wwi_bytes {
    unsigned char *data;
    size_t size, capacity;
} wwi_bytes;
ww_status wwi_bytes_put(wwi_bytes *bytes, const void *values, size_t size);
void wwi_bytes_free(wwi_bytes *bytes);

// The same when it is taken.
typedef struct wwi_taken_bytes {
    const unsigned char *at;
    size_t left;
} wwi_taken_bytes;
// WW_ERROR_FORMAT where there are fewer. `values` NULL: they are left out.
ww_status wwi_bytes_take(wwi_taken_bytes *from, void *values, size_t size);
// Where these begin, which the caller reads in place.
ww_status wwi_bytes_point(wwi_taken_bytes *from, size_t size, const void **values);

// Rows of an array in host memory, of `bytes` each, which units are; NULL: nothing.
ww_status wwi_bytes_put_rows(wwi_bytes *bytes, const void *rows, wwi_span units, size_t row_bytes);
ww_status wwi_bytes_take_rows(wwi_taken_bytes *from, void *rows, wwi_span units, size_t row_bytes);

// Values that jobs to come depend on: they become a part of what is compared. `store` NULL: nothing is done.
void wwi_store_add_input(ww_store *store, const void *values, size_t size);

typedef struct wwi_store_job {
    // Prints the kind of job and a line feed, then all that its results depend on besides inputs and device, in one
    // line.
    void (*name)(const void *of, FILE *to);
    const void *of;
    const ww_context *context;
    size_t units;
    const double *before; // units + 1: the work before each
} wwi_store_job;

// Begins the next job. *number: of it, for what follows. *part: the units that this process has to do, of which some
// may be kept already.
ww_status wwi_store_begin(ww_store *store, const wwi_store_job *job, size_t *number, wwi_span *part);
// Gives all that is kept of a job, in the order in which it was kept; what this process has kept since
// wwi_store_begin() alone, it has already.
ww_status wwi_store_each(ww_store *store, size_t number,
                         ww_status (*take)(void *of, wwi_span units, wwi_taken_bytes *from), void *of);
// Of a job that processes share: the next piece of it; count 0: there is none left. Of another job: all of `part`,
// once.
void wwi_store_next(ww_store *store, size_t number, const wwi_store_job *job, wwi_span part, wwi_span *piece);
// Of a job that processes share: waits for all of them, and reads what they have kept.
ww_status wwi_store_wait(ww_store *store);
// The units of `part` that are not kept, in runs without a gap. *runs: free() it. Parts that are only read have to have
// all: WW_ERROR_FORMAT.
ww_status wwi_store_missing(const ww_store *store, size_t number, wwi_span part, wwi_span **runs, size_t *count);
// Keeps what units gave; any number of threads at once.
ww_status wwi_store_keep(ww_store *store, size_t number, wwi_span units, const wwi_bytes *gave);
// Whether jobs give no whole results, because other processes compute some units; and the failure that says so at the
// end of one.
bool wwi_store_is_part(const ww_store *store);
ww_status wwi_store_part_done(const ww_store *store);
// Fails for work that has no parts, where the store is one.
ww_status wwi_store_refuse_part(const ww_store *store, const char *what);

#endif
