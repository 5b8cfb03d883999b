// SPDX-License-Identifier: Apache-2.0
// An allocator that refuses what `is_refused(size)` says, which the test has before it includes this. Linked by --wrap.
#ifndef WAVEWARP_TEST_REFUSING_H
#define WAVEWARP_TEST_REFUSING_H

#include <stddef.h>
#include <stdint.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size) {
    return is_refused(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return count && is_refused(size > SIZE_MAX / count ? SIZE_MAX : count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    return is_refused(size) ? NULL : __real_realloc(old, size);
}

#endif
