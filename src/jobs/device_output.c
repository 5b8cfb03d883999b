// SPDX-License-Identifier: Apache-2.0
// Where results go: the check of an output, and the public functions for device memory.
#include <inttypes.h>
#include <stdlib.h>
#include <wavewarp/cuda.h>

#include "jobs/plan.h"

void ww_buffer_destroy(ww_buffer **buffer) {
    ww_buffer *b = wwi_taken(buffer);
    if (!b)
        return;
    wwi_buffer_destroy(&b->memory);
    wwi_context_release(b->context);
    free(b);
}

// One without memory, for `buffer`, which is NULL until it has some.
static ww_status make(ww_context *context, ww_buffer **buffer, ww_buffer **made) {
    if (buffer)
        *buffer = NULL;
    WWI_NEEDS("context, buffer", context, buffer);
    WWI_TRY(wwi_new_zeroed(*made, 1));
    wwi_context_retain((*made)->context = wwi_context_first(context));
    return WW_OK;
}

ww_status ww_buffer_create(ww_context *context, uint64_t bytes, ww_buffer **buffer) {
    WWI_ENDS(ww_buffer_destroy) ww_buffer *b = NULL;
    WWI_TRY(make(context, buffer, &b));
    if (bytes == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a buffer can't have 0 bytes");
    WWI_TRY(wwi_buffer_create(b->context, bytes, &b->memory));
    *buffer = wwi_taken(&b);
    return WW_OK;
}

ww_status wwi_output_wrap(ww_context *context, void *memory, ww_buffer **buffer) {
    WWI_ENDS(ww_buffer_destroy) ww_buffer *b = NULL;
    WWI_TRY(make(context, buffer, &b));
    WWI_TRY(wwi_buffer_wrap(b->context, memory, &b->memory));
    *buffer = wwi_taken(&b);
    return WW_OK;
}

ww_status ww_buffer_wrap_cuda(ww_context *context, uint64_t memory, uint64_t bytes, ww_buffer **buffer) {
    WWI_ENDS(ww_buffer_destroy) ww_buffer *b = NULL;
    WWI_TRY(make(context, buffer, &b));
    WWI_TRY(wwi_buffer_wrap_cuda(b->context, memory, bytes, &b->memory));
    *buffer = wwi_taken(&b);
    return WW_OK;
}

uint64_t ww_buffer_bytes(const ww_buffer *buffer) {
    return buffer ? wwi_buffer_bytes(buffer->memory) : 0;
}

static ww_status check_part(const ww_buffer *buffer, uint64_t offset, uint64_t bytes, const void *host,
                            const char *name, const char *done) {
    if (!buffer || (!host && bytes))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "buffer or %s is NULL", name);
    const uint64_t all = wwi_buffer_bytes(buffer->memory);
    if (offset > all || bytes > all - offset)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the buffer ends before what is to be %s", done);
    return WW_OK;
}

ww_status ww_buffer_read(const ww_buffer *buffer, uint64_t offset, uint64_t bytes, void *target) {
    WWI_TRY(check_part(buffer, offset, bytes, target, "target", "read"));
    return wwi_buffer_read(buffer->memory, offset, bytes, target);
}

ww_status ww_buffer_write(ww_buffer *buffer, uint64_t offset, uint64_t bytes, const void *source) {
    WWI_TRY(check_part(buffer, offset, bytes, source, "source", "written"));
    return wwi_buffer_write(buffer->memory, offset, bytes, source);
}

static ww_status from_buffer(ww_context *context, ww_buffer *buffer, size_t count, size_t channels,
                             const size_t *lengths, size_t length, ww_precision precision, ww_dataset **dataset) {
    if (dataset)
        *dataset = NULL;
    if (!buffer || buffer->context != wwi_context_first(context))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the buffer is NULL, or belongs to another context");
    return wwi_dataset_wrap(context, wwi_buffer_handle(buffer->memory), count, channels, lengths, length, precision,
                            dataset);
}

ww_status ww_dataset_create_from_buffer(ww_context *context, ww_buffer *buffer, size_t count, size_t channels,
                                        size_t length, ww_precision precision, ww_dataset **dataset) {
    return from_buffer(context, buffer, count, channels, NULL, length, precision, dataset);
}

ww_status ww_dataset_create_from_lengths(ww_context *context, ww_buffer *buffer, size_t count, size_t channels,
                                         const size_t *lengths, ww_precision precision, ww_dataset **dataset) {
    if (dataset)
        *dataset = NULL;
    if (!lengths)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "lengths is NULL");
    return from_buffer(context, buffer, count, channels, lengths, 0, precision, dataset);
}

// ---- outputs

// Bytes from a result's first value to behind its last.
static ww_status result_bytes(const ww_output *to, const wwi_result *r, uint64_t *bytes) {
    const uint64_t stride = to->row_stride ? to->row_stride : r->columns;
    uint64_t values = 0;
    *bytes = 0;
    if (r->rows == 0 || r->columns == 0)
        return WW_OK;
    if (!wwi_mul_u64(r->rows - 1, stride, &values) || !wwi_add_u64(values, r->columns, &values) ||
        !wwi_mul_u64(values, r->value_bytes, bytes))
        return wwi_fail(WW_ERROR_OVERFLOW,
                        "%s: %" PRIu64 " rows, %" PRIu64 " elements apart, have more bytes than 64 bits count", r->name,
                        r->rows, stride);
    return WW_OK;
}

ww_status wwi_result_check(ww_output *to, const ww_context *context, const wwi_result *r, wwi_buffer **device) {
    uint64_t needed = 0;
    *device = NULL;
    if (!to->host == !to->device)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: set one of host and device, and not both", r->name);
    if (to->row_stride == r->columns && r->rows_may_be_apart)
        to->row_stride = 0;
    if (to->row_stride && (!r->rows_may_be_apart || to->row_stride < r->columns)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: row_stride is %" PRIu64, r->name, to->row_stride);
        return r->rows_may_be_apart
                   ? wwi_fail_hint("a row has %" PRIu64 " values; 0 is for rows that follow one another", r->columns)
                   : wwi_fail_hint("rows apart from each other are for matrices in the full layout");
    }
    WWI_TRY(result_bytes(to, r, &needed));
    if (to->host && needed > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%s: %" PRIu64 " bytes are more than host memory can have", r->name, needed);
    if (to->bytes && to->bytes < needed)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the output has %" PRIu64 " bytes, the result needs %" PRIu64,
                        r->name, to->bytes, needed);
    if (to->host)
        return to->offset ? wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: an offset is for device memory", r->name) : WW_OK;
    if (to->device->context != context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the buffer belongs to another context", r->name);
    const uint64_t has = wwi_buffer_bytes(to->device->memory);
    if (to->offset % r->value_bytes || to->offset > has || needed > has - to->offset)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "%s: the buffer has %" PRIu64 " bytes, the offset is %" PRIu64 ", the result needs %" PRIu64,
                        r->name, has, to->offset, needed);
    *device = to->device->memory;
    return WW_OK;
}
