// SPDX-License-Identifier: Apache-2.0
// Device memory for results: public functions for the buffers of host/.
#include <stdlib.h>

#include "jobs/plan.h"

void ww_buffer_destroy(ww_buffer **buffer) {
    if (!buffer || !*buffer)
        return;
    ww_buffer *b = *buffer;
    *buffer = NULL;
    wwi_buffer_destroy(&b->memory);
    wwi_context_release(b->context);
    free(b);
}

static ww_status make(ww_context *context, ww_buffer **buffer) {
    *buffer = calloc(1, sizeof **buffer);
    if (!*buffer)
        return wwi_fail_memory(sizeof **buffer);
    (*buffer)->context = context;
    wwi_context_retain(context);
    return WW_OK;
}

ww_status ww_buffer_create(ww_context *context, uint64_t bytes, ww_buffer **buffer) {
    if (!context || !buffer)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context or buffer is NULL");
    *buffer = NULL;
    if (bytes == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a buffer of 0 bytes");
    ww_status status = make(context, buffer);
    if (status == WW_OK && (status = wwi_buffer_create(context, bytes, &(*buffer)->memory)) != WW_OK)
        ww_buffer_destroy(buffer);
    return status;
}

ww_status wwi_output_wrap(ww_context *context, void *memory, ww_buffer **buffer) {
    if (!context || !buffer)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context or buffer is NULL");
    *buffer = NULL;
    ww_status status = make(context, buffer);
    if (status == WW_OK && (status = wwi_buffer_wrap(context, memory, &(*buffer)->memory)) != WW_OK)
        ww_buffer_destroy(buffer);
    return status;
}

uint64_t ww_buffer_bytes(const ww_buffer *buffer) {
    return buffer ? wwi_buffer_bytes(buffer->memory) : 0;
}

ww_status ww_buffer_read(const ww_buffer *buffer, uint64_t offset, uint64_t bytes, void *target) {
    if (!buffer || (!target && bytes))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "buffer or target is NULL");
    const uint64_t all = wwi_buffer_bytes(buffer->memory);
    if (offset > all || bytes > all - offset)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the buffer ends before what is to be read");
    return wwi_buffer_read(buffer->memory, offset, bytes, target);
}
