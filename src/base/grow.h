// SPDX-License-Identifier: Apache-2.0
// Arrays, those that grow, and device buffers that do.
#ifndef WAVEWARP_GROW_H
#define WAVEWARP_GROW_H

#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "host.h"

// Makes room for `wanted` elements of `element_bytes` in the array at `array` (the address of a pointer), at least
// doubling it. The content is kept, also when this fails.
static inline ww_status wwi_grow(void *array, size_t *capacity, size_t wanted, size_t element_bytes) {
    if (wanted <= *capacity)
        return WW_OK;
    size_t room = *capacity < 8 ? 8 : *capacity;
    if (room < wanted)
        room = room > SIZE_MAX / 2 || 2 * room < wanted ? wanted : 2 * room;
    uint64_t bytes;
    if (!wwi_mul_u64(room, element_bytes, &bytes) || bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "an array of %zu elements of %zu bytes", room, element_bytes);
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, (size_t)bytes);
    if (!grown)
        return wwi_fail_memory(bytes);
    (void)wwi_in_large_pages(grown, (size_t)bytes);
    memcpy(array, &grown, sizeof grown);
    *capacity = room;
    return WW_OK;
}

// A buffer of at least so many bytes. The content of a smaller one is lost.
static inline ww_status wwi_grow_buffer(ww_context *context, wwi_buffer **buffer, uint64_t bytes) {
    if (*buffer && wwi_buffer_bytes(*buffer) >= bytes)
        return WW_OK;
    wwi_buffer_destroy(buffer);
    return wwi_buffer_create(context, bytes ? bytes : 1, buffer);
}

#endif
