// SPDX-License-Identifier: Apache-2.0
// What every other file of host/ may use: the count of live OpenCL objects, the clock, arithmetic checked for overflow,
// the log. Calls no OpenCL.
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "internal.h"

static atomic_long live_objects;

void wwi_count_objects(long change) {
    atomic_fetch_add(&live_objects, change);
}

long wwi_live_objects(void) {
    return atomic_load(&live_objects);
}

double wwi_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool wwi_mul_u64(uint64_t a, uint64_t b, uint64_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

bool wwi_add_u64(uint64_t a, uint64_t b, uint64_t *sum) {
    return !__builtin_add_overflow(a, b, sum);
}

bool wwi_is_logged(const ww_context *context) {
    return context->log != NULL;
}

// The caller's function may call the library: what that has to say does not reach it, or it would never end.
void wwi_log(const ww_context *context, int level, const char *format, ...) {
    static _Thread_local bool is_logging;
    char text[1024];
    if (!context->log || is_logging)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const ww_error error = *ww_last_error();
    is_logging = true;
    context->log(context->log_user, level, text);
    is_logging = false;
    (void)wwi_fail_restore(&error, NULL);
}
