// SPDX-License-Identifier: Apache-2.0
// Whether this process is a child of the one that used OpenCL. A driver's worker threads exist only in the parent, and
// its locks are copied in their state: a call in a child hangs (PoCL) or fails without a reason (NVIDIA). So the child
// gets an error. pthread_atfork() detects this at no cost for each call; children made by posix_spawn() or vfork() run
// another program and are not affected.
#include "internal.h"

static atomic_uint generation;
static atomic_uint used_in; // generation in which OpenCL was first used, plus 1; 0: not yet
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void count_fork(void) {
    atomic_fetch_add(&generation, 1);
}

static void watch_forks(void) {
    (void)pthread_atfork(NULL, NULL, count_fork);
}

unsigned wwi_fork_generation(void) {
    return atomic_load(&generation);
}

bool wwi_is_forked(const ww_context *context) {
    return context->generation != atomic_load(&generation);
}

static ww_status fail_forked(const char *what) {
    (void)wwi_fail(WW_ERROR_UNSUPPORTED, "%s before this process was forked", what);
    return wwi_fail_hint("OpenCL's drivers do not work on in a child made by fork(): fork before the first use of "
                         "Wavewarp, or start the child as a program of its own (posix_spawn, or exec; in Python the "
                         "start method \"spawn\")");
}

ww_status wwi_check_process(const ww_context *context) {
    return wwi_is_forked(context) ? fail_forked("the context was made") : WW_OK;
}

ww_status wwi_check_first_use(void) {
    unsigned used = 0;
    (void)pthread_once(&once, watch_forks);
    const unsigned now = atomic_load(&generation) + 1;
    return atomic_compare_exchange_strong(&used_in, &used, now) || used == now ? WW_OK
                                                                               : fail_forked("OpenCL was in use");
}
