// SPDX-License-Identifier: Apache-2.0
/// \file
/// Limits of a run: memory, length of launches, progress and cancellation. One struct for every plan, search,
/// build and choice; their options point to it. And what ends any long call, with options or without: a thread's
/// interrupt function.
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

/// Asked, by long calls of the thread that it is set for, whether to end: 0 goes on, anything else ends the call with
/// WW_ERROR_CANCELLED, and what that has written is unspecified. Asked at most 50 times a second, between launches,
/// before and after compiles, and in loops of the host that may take long. It may call the library, but not with the
/// objects of the call that asks; about calls of its own it is not asked.
typedef int (*ww_interrupt_fn)(void *user);

/// Sets the interrupt function of the calling thread; NULL: none. A job with a progress function asks both. Work of
/// other threads, those of several devices too, ends with the call that waits for it. For programs that learn of a
/// signal or of a button by asking, and for bindings of languages whose signal handlers run in one thread. \param user
/// passed to it; must live until another function is set. *Thread-safety*: any thread; each has its own. *Blocking*:
/// no.
WW_API void ww_thread_set_interrupt(ww_interrupt_fn interrupt, void *user);

#ifdef __cplusplus
}
#endif
#endif
