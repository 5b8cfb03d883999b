// SPDX-License-Identifier: Apache-2.0
// The host memory that the library and the test itself have: what nobody freed by the end of a test is told with the
// place that allocated it. The driver's memory is not counted: its compiler never frees what it allocates.
#ifndef WAVEWARP_TEST_HOST_MEMORY_H
#define WAVEWARP_TEST_HOST_MEMORY_H

#include <stddef.h>

// From here on allocations count.
void wwt_host_mark(void);
// Fails when memory that was allocated since the mark is still there.
void wwt_host_check(void);

// For programs with functions of their own in the place of malloc() and its kin: memory that one gave, or is to free.
void *wwt_host_note(void *memory, size_t bytes, const void *caller);
void wwt_host_forget(const void *memory);

#endif
