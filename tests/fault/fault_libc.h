// SPDX-License-Identifier: Apache-2.0
// Makes one allocation, or one operation on a file, fail: the N-th, counted by wrappers. $WAVEWARP_FAULT and
// $WAVEWARP_FAULT_COUNTS are obeyed as by fault_layer.c: "allocation N", "file N".
#ifndef WAVEWARP_FAULT_LIBC_H
#define WAVEWARP_FAULT_LIBC_H

#include <stdatomic.h>

extern atomic_long wwt_allocations;        // since this was last set to 0
extern atomic_long wwt_allocation_to_fail; // counted from 1; 0: none
extern atomic_long wwt_file_operations;    // likewise: opening, reading, writing, looking, closing, naming
extern atomic_long wwt_file_operation_to_fail;
// Its name; NULL when none failed yet.
extern const char *wwt_failed_operation;

#endif
