// SPDX-License-Identifier: Apache-2.0
// One job's work among unlike workers: tiles of consecutive items from one counter, each as large as its worker does in
// a given time. A worker is a device in a group; tests have workers that sleep and fail.
#ifndef WAVEWARP_SCHEDULE_H
#define WAVEWARP_SCHEDULE_H

#include <stdbool.h>
#include <wavewarp/run.h>

typedef struct wwi_span {
    size_t first, count;
} wwi_span;

// The most tiles that a worker has run and not settled.
enum { WWI_UNSETTLED = 64 };

typedef struct wwi_worker {
    double rate;    // work a second; at the start a guess, above 0
    double cost;    // seconds that a tile takes beside its work, by the last short one
    double longest; // work of a tile
    uint64_t tiles; // finished
    double work;    // of these
    double seconds; // of these
    bool lost;      // it failed, and others do its work; one that is lost before the run takes no part
    ww_error error; // why
    wwi_span unsettled[WWI_UNSETTLED];
    size_t unsettled_count;
    double unsettled_seconds;
} wwi_worker;

typedef struct wwi_schedule {
    size_t items;
    const double *before;                    // items + 1: the work of all items before each
    size_t (*end)(void *user, size_t first); // the largest end of a tile that begins there; NULL: any
    // Called by the worker's own thread: `begin` once before its tiles, `finish` once after them, also after a failure.
    ww_status (*begin)(void *user, size_t worker);
    ww_status (*run)(void *user, size_t worker, wwi_span items);
    // Makes safe what the worker's tiles gave; until then it is lost with the worker. Called when they have taken four
    // times tile_seconds, or no tile is left. NULL: tiles are safe when they have run.
    ww_status (*settle)(void *user, size_t worker);
    void (*finish)(void *user, size_t worker);
    void *user;
    double tile_seconds;          // what a tile should last; the last ones are shorter
    const ww_run_options *report; // progress, called by the calling thread several times a second; NULL: none
} wwi_schedule;

// Work as progress functions are told it.
static inline uint64_t wwi_work_told(double work) {
    return work < 0x1p63 ? (uint64_t)work : (uint64_t)INT64_MAX;
}

// Work that a worker has done: it learns its rate from long tiles, what a tile costs from short ones.
void wwi_worker_did(wwi_worker *worker, double work, double seconds);

// Whether an error is of a device, and another one may do better; not of the work, or the caller's wish.
bool wwi_schedule_loses_worker(ww_status status);

// Runs all items, each at least once: those of a worker that is lost, and has not settled them, another runs again. A
// worker is lost by an error of its device. WW_ERROR_CANCELLED; an error of the work itself, which every worker would
// find; when all workers are lost the last one's error.
ww_status wwi_schedule_run(const wwi_schedule *schedule, wwi_worker *workers, size_t count);

#endif
