// SPDX-License-Identifier: Apache-2.0
// The host memory that the library and the test itself have: what nobody freed by the end of a test is told with the
// place that allocated it. The driver's memory is not counted: its compiler never frees what it allocates.
#ifndef WAVEWARP_TEST_HOST_MEMORY_H
#define WAVEWARP_TEST_HOST_MEMORY_H

// From here on allocations count.
void wwt_host_mark(void);
// Fails when memory that was allocated since the mark is still there.
void wwt_host_check(void);

#endif
