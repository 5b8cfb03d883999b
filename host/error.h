// SPDX-License-Identifier: Apache-2.0
// The thread's error record: filled where an error is found, read by ww_last_error().
#ifndef WAVEWARP_ERROR_H
#define WAVEWARP_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wavewarp/status.h>

// Starts a new record and returns `status`. `format` is one sentence without a full stop.
ww_status wwi_fail_at(ww_status status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define wwi_fail(status, ...) wwi_fail_at((status), __FILE__, __LINE__, __VA_ARGS__)

// Add to the record just started. Each returns the record's status.
ww_status wwi_fail_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
ww_status wwi_fail_where(int64_t series, int64_t position);
ww_status wwi_fail_channel(int64_t channel);
// The record that another thread has filled, as this thread's. Returns `status`.
ww_status wwi_fail_again(const ww_error *error, ww_status status);
// Host memory: `bytes` could not be allocated.
ww_status wwi_fail_memory_at(const char *file, int line, uint64_t bytes);
#define wwi_fail_memory(bytes) wwi_fail_memory_at(__FILE__, __LINE__, (bytes))

// Goes on when a call succeeds; else the function that it stands in returns the call's status. Not where something is
// to be released by hand.
#define WWI_TRY(...)                                                                                                   \
    do {                                                                                                               \
        const ww_status wwi_tried = (__VA_ARGS__);                                                                     \
        if (wwi_tried != WW_OK)                                                                                        \
            return wwi_tried;                                                                                          \
    } while (0)

// The arguments of a public function that may not be NULL, and their names in the header: "context, points". The
// function that it stands in returns WW_ERROR_INVALID_ARGUMENT, which names the first that is NULL.
ww_status wwi_needs(const char *file, int line, const char *names, const void *const *given, size_t count);
#define WWI_NEEDS(names, ...)                                                                                          \
    WWI_TRY(wwi_needs(__FILE__, __LINE__, names, (const void *const[]){__VA_ARGS__},                                   \
                      sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))

// Whether the record is of an OpenCL call that failed because nothing works any more on its context.
bool wwi_device_is_lost(const ww_error *error);

#endif
