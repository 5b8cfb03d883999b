// SPDX-License-Identifier: Apache-2.0
// Device memory. Every range is checked here, because not every driver does.
#include <stdlib.h>

#include "internal.h"

uint64_t wwi_context_max_buffer(const ww_context *context) {
    return context->info.max_buffer_bytes;
}

// A sixteenth is left for the driver and for other processes on the device.
uint64_t wwi_context_bytes_free(const ww_context *context) {
    uint64_t total = context->info.global_bytes - context->info.global_bytes / 16;
    uint64_t used = atomic_load(&context->bytes);
    return used < total ? total - used : 0;
}

static ww_status check_new(const ww_context *context, uint64_t bytes) {
    if (bytes == 0)
        return wwi_fail(WW_ERROR_INTERNAL, "a device buffer of 0 bytes was asked for");
    uint64_t used = atomic_load(&context->bytes), total = context->info.global_bytes;
    uint64_t largest = bytes > SIZE_MAX ? 0 : context->info.max_buffer_bytes;
    if (bytes <= largest && used <= total && bytes <= total - used)
        return WW_OK;
    if (bytes > largest)
        (void)wwi_fail(WW_ERROR_DEVICE_MEMORY, "a buffer of %llu bytes is above the device's limit of %llu for one",
                       (unsigned long long)bytes, (unsigned long long)largest);
    else
        (void)wwi_fail(WW_ERROR_DEVICE_MEMORY, "%llu more bytes do not fit the device: %llu of its %llu are in use",
                       (unsigned long long)bytes, (unsigned long long)used, (unsigned long long)total);
    (void)wwi_fail_hint("work in smaller blocks, give up datasets that are no longer needed, or take another device");
    return wwi_fail_device(context->info.name);
}

// Of a buffer without memory.
static void forget_new(wwi_buffer **buffer) {
    if (*buffer)
        wwi_context_release((*buffer)->context);
    free(*buffer);
}

static ww_status new_buffer(ww_context *context, uint64_t bytes, wwi_buffer **buffer) {
    WWI_TRY(wwi_new_zeroed(*buffer, 1));
    wwi_context_retain(context);
    (*buffer)->context = context;
    (*buffer)->bytes = bytes;
    return WW_OK;
}

ww_status wwi_buffer_create(ww_context *context, uint64_t bytes, wwi_buffer **out) {
    WWI_ENDS(forget_new) wwi_buffer *buffer = NULL;
    cl_int code = CL_SUCCESS;
    *out = NULL;
    WWI_TRY(wwi_check_process(context));
    WWI_TRY(check_new(context, bytes));
    WWI_TRY(new_buffer(context, bytes, &buffer));
    buffer->had = bytes;
    buffer->mem = wwi_spares_take(context, bytes, &buffer->had);
    if (!buffer->mem) {
        // Drivers often allocate memory at a buffer's first use: spare memory must leave room for it.
        if (bytes > wwi_context_bytes_free(context) / 2)
            (void)wwi_spares_free(context);
        buffer->mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
        if (!buffer->mem && wwi_spares_free(context))
            buffer->mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    }
    if (!buffer->mem) {
        // For an allocation, CL_OUT_OF_RESOURCES means a lack of memory.
        if (code == CL_OUT_OF_RESOURCES)
            code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return wwi_fail_cl(context, code, "clCreateBuffer", "can't have %llu bytes of device memory",
                           (unsigned long long)bytes);
    }
    wwi_count_objects(1);
    atomic_fetch_add(&context->bytes, bytes);
    *out = wwi_taken(&buffer);
    return WW_OK;
}

ww_status wwi_buffer_wrap(ww_context *context, void *cl_mem_handle, wwi_buffer **out) {
    cl_mem mem = cl_mem_handle;
    cl_mem_object_type type = 0;
    cl_context owner = NULL;
    size_t bytes = 0;
    WWI_ENDS(forget_new) wwi_buffer *buffer = NULL;
    *out = NULL;
    WWI_TRY(wwi_check_process(context));
    if (!mem || clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL) != CL_SUCCESS ||
        clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof(cl_context), &owner, NULL) != CL_SUCCESS ||
        clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS || type != CL_MEM_OBJECT_BUFFER)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "what was given is not an OpenCL buffer");
    if (owner != context->cl)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the OpenCL buffer belongs to another OpenCL context");
    WWI_TRY(new_buffer(context, bytes, &buffer));
    cl_int code = clRetainMemObject(mem);
    if (code != CL_SUCCESS)
        return wwi_fail_cl(context, code, "clRetainMemObject", "can't hold the caller's buffer");
    wwi_count_objects(1);
    buffer->mem = mem;
    buffer->foreign = true;
    *out = wwi_taken(&buffer);
    return WW_OK;
}

void wwi_buffer_destroy(wwi_buffer **pointer) {
    wwi_buffer *buffer = wwi_taken(pointer);
    if (!buffer)
        return;
    ww_context *context = buffer->context;
    if (!buffer->foreign && !wwi_is_forked(context) && wwi_spares_keep(context, buffer->mem, buffer->had))
        wwi_count_objects(-1);
    else
        WWI_RELEASE(context, clReleaseMemObject(buffer->mem));
    if (!buffer->foreign)
        atomic_fetch_sub(&context->bytes, buffer->bytes);
    wwi_context_release(context);
    free(buffer);
}

void *wwi_buffer_handle(const wwi_buffer *buffer) {
    return buffer->mem;
}

uint64_t wwi_buffer_bytes(const wwi_buffer *buffer) {
    return buffer ? buffer->bytes : 0;
}

ww_status wwi_buffer_check_range(const wwi_buffer *buffer, uint64_t offset, uint64_t bytes) {
    WWI_TRY(wwi_check_process(buffer->context));
    if (offset <= buffer->bytes && bytes <= buffer->bytes - offset)
        return WW_OK;
    return wwi_fail(WW_ERROR_INTERNAL, "%llu bytes at %llu are outside a device buffer of %llu",
                    (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)buffer->bytes);
}

static ww_status write_buffer(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, const void *source, cl_bool waits) {
    WWI_TRY(wwi_buffer_check_range(buffer, offset, bytes));
    if (bytes == 0)
        return WW_OK;
    cl_int code = clEnqueueWriteBuffer(buffer->context->queue, buffer->mem, waits, (size_t)offset, (size_t)bytes,
                                       source, 0, NULL, NULL);
    return code == CL_SUCCESS ? WW_OK
                              : wwi_fail_cl(buffer->context, code, "clEnqueueWriteBuffer",
                                            "can't send %llu bytes to the device", (unsigned long long)bytes);
}

ww_status wwi_buffer_put(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, const void *source) {
    return write_buffer(buffer, offset, bytes, source, CL_TRUE);
}

ww_status wwi_buffer_send(wwi_buffer *buffer, uint64_t bytes, const void *source) {
    return write_buffer(buffer, 0, bytes, source, CL_FALSE);
}

void wwi_buffer_settle(wwi_buffer *buffer) {
    if (buffer && !wwi_is_forked(buffer->context))
        (void)clFinish(buffer->context->queue);
}

ww_status wwi_buffer_get(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, void *target) {
    WWI_TRY(wwi_buffer_check_range(buffer, offset, bytes));
    if (bytes == 0)
        return WW_OK;
    cl_int code = clEnqueueReadBuffer(buffer->context->queue, buffer->mem, CL_TRUE, (size_t)offset, (size_t)bytes,
                                      target, 0, NULL, NULL);
    return code == CL_SUCCESS ? WW_OK
                              : wwi_fail_cl(buffer->context, code, "clEnqueueReadBuffer",
                                            "can't fetch %llu bytes from the device", (unsigned long long)bytes);
}

ww_status wwi_buffer_fill_u32(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, uint32_t pattern) {
    WWI_TRY(wwi_buffer_check_range(buffer, offset, bytes));
    if (bytes == 0)
        return WW_OK;
    if (offset % sizeof pattern != 0 || bytes % sizeof pattern != 0)
        return wwi_fail(WW_ERROR_INTERNAL, "a fill of %llu bytes at %llu is not in whole words",
                        (unsigned long long)bytes, (unsigned long long)offset);
    cl_int code = clEnqueueFillBuffer(buffer->context->queue, buffer->mem, &pattern, sizeof pattern, (size_t)offset,
                                      (size_t)bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? WW_OK
                              : wwi_fail_cl(buffer->context, code, "clEnqueueFillBuffer",
                                            "can't fill %llu bytes on the device", (unsigned long long)bytes);
}

ww_status wwi_buffer_copy(wwi_buffer *source, uint64_t source_offset, wwi_buffer *target, uint64_t target_offset,
                          uint64_t bytes) {
    WWI_TRY(wwi_buffer_check_range(source, source_offset, bytes));
    WWI_TRY(wwi_buffer_check_range(target, target_offset, bytes));
    if (bytes == 0)
        return WW_OK;
    cl_int code = clEnqueueCopyBuffer(target->context->queue, source->mem, target->mem, (size_t)source_offset,
                                      (size_t)target_offset, (size_t)bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? WW_OK
                              : wwi_fail_cl(target->context, code, "clEnqueueCopyBuffer",
                                            "can't copy %llu bytes on the device", (unsigned long long)bytes);
}

ww_status wwi_buffer_copy_rows(wwi_buffer *source, wwi_buffer *target, uint64_t target_offset, uint64_t row_bytes,
                               uint64_t rows, uint64_t stride_bytes) {
    if (rows == 0 || row_bytes == 0)
        return WW_OK;
    WWI_TRY(wwi_buffer_check_range(source, 0, rows * row_bytes));
    WWI_TRY(wwi_buffer_check_range(target, target_offset, (rows - 1) * stride_bytes + row_bytes));
    // NVIDIA refuses an origin behind the first row, a row that does not end in its pitch, and a last pitch that the
    // buffer does not hold whole.
    const uint64_t above = rows > 1 ? target_offset / stride_bytes : 0, left = target_offset - above * stride_bytes;
    if (rows == 1 || left + row_bytes > stride_bytes) {
        for (uint64_t row = 0; row < rows; row++)
            WWI_TRY(wwi_buffer_copy(source, row * row_bytes, target, target_offset + row * stride_bytes, row_bytes));
        return WW_OK;
    }
    if ((above + rows) * stride_bytes > wwi_buffer_bytes(target)) {
        rows--;
        WWI_TRY(wwi_buffer_copy(source, rows * row_bytes, target, target_offset + rows * stride_bytes, row_bytes));
    }
    const size_t from[3] = {0, 0, 0}, to[3] = {(size_t)left, (size_t)above, 0};
    const size_t region[3] = {(size_t)row_bytes, (size_t)rows, 1};
    const cl_int code = clEnqueueCopyBufferRect(target->context->queue, source->mem, target->mem, from, to, region,
                                                (size_t)row_bytes, 0, (size_t)stride_bytes, 0, 0, NULL, NULL);
    return code == CL_SUCCESS ? WW_OK
                              : wwi_fail_cl(target->context, code, "clEnqueueCopyBufferRect",
                                            "can't copy %llu rows of %llu bytes on the device",
                                            (unsigned long long)rows, (unsigned long long)row_bytes);
}
