// SPDX-License-Identifier: Apache-2.0
// Allocations that fail on demand: linked with -Wl,--wrap, so only calls from our own objects pass here.
#include "fault_malloc.h"

#include <stdbool.h>
#include <stddef.h>

atomic_long wwt_allocations;
atomic_long wwt_allocation_to_fail;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool is_to_fail(void) {
    return atomic_fetch_add(&wwt_allocations, 1) + 1 == atomic_load(&wwt_allocation_to_fail);
}

void *__wrap_malloc(size_t bytes) {
    return is_to_fail() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return is_to_fail() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes) {
    return is_to_fail() ? NULL : __real_realloc(old, bytes);
}
