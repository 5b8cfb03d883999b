// SPDX-License-Identifier: Apache-2.0
// Each thread's interrupt function, and when it is asked. Calls no OpenCL.
#include <wavewarp/run.h>

#include "internal.h"

#define LEAST_SECONDS 0.02 // between two questions

static _Thread_local struct {
    ww_interrupt_fn function;
    void *user;
    double asked;
    bool is_asking;
} own;

void ww_thread_set_interrupt(ww_interrupt_fn interrupt, void *user) {
    own.function = interrupt;
    own.user = user;
    own.asked = 0;
}

bool wwi_can_interrupt(void) {
    return own.function != NULL;
}

ww_status wwi_interrupted(void) {
    if (!own.function || own.is_asking)
        return WW_OK;
    const double now = wwi_seconds();
    if (now - own.asked < LEAST_SECONDS)
        return WW_OK;
    own.asked = now;
    own.is_asking = true;
    const int stop = own.function(own.user);
    own.is_asking = false;
    return stop ? wwi_fail(WW_ERROR_CANCELLED, "the thread's interrupt function asked to stop") : WW_OK;
}
