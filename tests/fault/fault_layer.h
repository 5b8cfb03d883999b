// SPDX-License-Identifier: Apache-2.0
// How a test program in the same process controls the layer: it opens the loaded library again and looks this table up
// as "wwt_fault_control". In another process $WAVEWARP_FAULT does: see fault_layer.c.
#ifndef WAVEWARP_FAULT_LAYER_H
#define WAVEWARP_FAULT_LAYER_H

#include <stdatomic.h>

typedef struct wwt_fault_table {
    atomic_long calls;       // that could fail, since this was last set to 0
    atomic_long fail_at;     // the call to fail, counted from 1; 0: none
    atomic_long lost_at;     // the device is lost from this call on, counted from 1; 0: never
    atomic_int code;         // its return value
    atomic_long objects;     // made or retained and not yet released
    const char *failed_call; // its name; NULL when none failed yet
    atomic_long waits;       // calls that waited for the device: blocking reads and writes, waits for events
    atomic_long launches;    // since this was last set to 0
    // A launch that is enqueued well and fails on the device, where it does nothing: this one, counted from 1; or the
    // next one of this thread (pthread_self()). 0: none; so the latter is again when the launch was chosen.
    atomic_long break_at;
    atomic_uintptr_t break_thread;
    atomic_uint dirt; // what new buffers hold, in every word, and memory behind them; 0: as the driver makes them
} wwt_fault_table;

#endif
