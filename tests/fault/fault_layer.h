// SPDX-License-Identifier: Apache-2.0
// How a test program in the same process controls the layer: it opens the loaded library again and looks this table up
// as "wwt_fault_control".
#ifndef WAVEWARP_FAULT_LAYER_H
#define WAVEWARP_FAULT_LAYER_H

#include <stdatomic.h>

typedef struct wwt_fault_table {
    atomic_long calls;       // that could fail, since this was last set to 0
    atomic_long fail_at;     // the call to fail, counted from 1; 0: none
    atomic_int code;         // its return value
    atomic_long objects;     // made or retained and not yet released
    const char *failed_call; // its name; NULL when none failed yet
    atomic_long waits;       // calls that waited for the device: blocking reads and writes, waits for events
    // A launch that is enqueued well and fails on the device: the next one of this thread (pthread_self()). 0: none; so
    // it is again when the launch was chosen.
    atomic_uintptr_t break_thread;
} wwt_fault_table;

#endif
