// SPDX-License-Identifier: Apache-2.0
/// \file
/// Limits of a run: memory, length of launches, progress and cancellation. One struct for every plan, search,
/// build and choice; their options point to it.
#ifndef WAVEWARP_RUN_H
#define WAVEWARP_RUN_H

#include <wavewarp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Called between launches with the work done and the work in all, in units that the job's declaration names; in cells
/// the work done is an estimate until the last call, which gives the total. Return 0 to go on, anything else to cancel:
/// the job ends with WW_ERROR_CANCELLED, and what it has written is unspecified. Called by the thread that called
/// the library for the job, during that call, never by a thread of the library's own nor by two at once for one job; it
/// must not call the library with the job's objects, but where a declaration allows it.
///
/// Also called before and after each program that is not in memory and has to be compiled or loaded, with the numbers
/// of the call before, or 0 of 1. So creating an object may be cancelled too: it fails with WW_ERROR_CANCELLED.
typedef int (*ww_progress_fn)(void *user, uint64_t done, uint64_t total);

typedef struct ww_run_options {
    size_t struct_size; ///< sizeof(ww_run_options)
    uint64_t
        max_bytes; ///< most device bytes for results and scratch (an index: its tables) at a time; 0: as many as fit
    double launch_seconds;   ///< aim for launches no longer than this, 0 to 3600; 0: 0.25
    ww_progress_fn progress; ///< NULL: none. With one, the job waits after each launch
    void *progress_user;     ///< passed to it; must live as long as the object whose options contain it
} ww_run_options;

#define WW_RUN_OPTIONS_INIT                                                                                            \
    { sizeof(ww_run_options), 0, 0.0, NULL, NULL }

/// Fills options of `struct_size` bytes with the defaults. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_run_options_init(ww_run_options *options, size_t struct_size);

#ifdef __cplusplus
}
#endif
#endif
