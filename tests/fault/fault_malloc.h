// SPDX-License-Identifier: Apache-2.0
// Makes one allocation fail: the N-th, counted by wrappers of malloc, calloc and realloc.
#ifndef WAVEWARP_FAULT_MALLOC_H
#define WAVEWARP_FAULT_MALLOC_H

#include <stdatomic.h>

extern atomic_long wwt_allocations;        // since this was last set to 0
extern atomic_long wwt_allocation_to_fail; // counted from 1; 0: none

#endif
