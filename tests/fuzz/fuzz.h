// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: the input as the file that the library opens, and checks of what it gives. A target is
// libFuzzer's LLVMFuzzerTestOneInput(); linked with replay.c it runs the inputs it is given instead.
#ifndef WAVEWARP_FUZZ_H
#define WAVEWARP_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <wavewarp/series.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the process where the condition does not hold: what libFuzzer and the replay count as a crash.
#define WWT_REQUIRE(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            wwt_fuzz_fail(__FILE__, __LINE__, #condition);                                                             \
    } while (0)
_Noreturn void wwt_fuzz_fail(const char *file, int line, const char *condition);

// The content of every text that the library opens from now on, whatever its path: the linker puts the functions of
// memory_file.c in the place of those that open files.
void wwt_fuzz_file(const void *bytes, size_t size);

// After a call of the library: either it succeeded, or its error record says why, and why is not a fault of its own.
void wwt_fuzz_status(ww_status status);

// A set that was read is whole, whatever it was read from.
void wwt_fuzz_set(const ww_series_set *set);

#endif
