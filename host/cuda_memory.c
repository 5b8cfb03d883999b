// SPDX-License-Identifier: Apache-2.0
// See cuda.h. Here: memory, and what is copied and filled.
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

static cl_mem new_memory(cl_context context, size_t bytes) {
    cl_mem memory = wwi_cuda_new(context, sizeof *memory);
    if (memory)
        memory->bytes = bytes;
    return memory;
}

static cl_int CL_API_CALL release_memory(cl_mem memory) {
    if (atomic_fetch_sub(&memory->references, 1) != 1)
        return CL_SUCCESS;
    cl_context context = memory->context;
    if (!memory->foreign && wwi_cuda_enter(context) == CL_SUCCESS) {
        if (memory->host)
            (void)context->cuda->host_free(memory->host);
        else if (memory->memory)
            (void)context->cuda->memory_free(memory->memory);
        (void)wwi_cuda_leave(context, 0);
    }
    free(memory);
    wwi_cuda_release(context);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL retain_memory(cl_mem memory) {
    atomic_fetch_add(&memory->references, 1);
    return CL_SUCCESS;
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                        cl_int *code) {
    (void)host;
    *code = wwi_cuda_enter(context);
    if (*code != CL_SUCCESS)
        return NULL;
    cl_mem memory = new_memory(context, bytes);
    const int made = !memory                           ? 2
                     : (flags & CL_MEM_ALLOC_HOST_PTR) ? context->cuda->host_new(&memory->host, bytes)
                                                       : context->cuda->memory_new(&memory->memory, bytes);
    *code = wwi_cuda_leave(context, made);
    if (*code == CL_SUCCESS || !memory)
        return memory;
    (void)release_memory(memory);
    return NULL;
}

static cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info what, size_t room, void *target, size_t *needed) {
    const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    return what == CL_MEM_TYPE      ? WWI_CUDA_TELL(type)
           : what == CL_MEM_CONTEXT ? WWI_CUDA_TELL(memory->context)
           : what == CL_MEM_SIZE    ? WWI_CUDA_TELL(memory->bytes)
                                    : CL_INVALID_VALUE;
}

// ---- mapping: of host memory that is there, of device memory a copy

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory, cl_bool waits, cl_map_flags flags,
                                    size_t offset, size_t bytes, cl_uint count, const cl_event *events, cl_event *event,
                                    cl_int *code) {
    const wwi_cuda *cuda = queue->context->cuda;
    (void)waits, (void)count, (void)events, (void)event;
    *code = memory->host ? CL_SUCCESS : memory->mapped ? CL_MAP_FAILURE : wwi_cuda_enter(queue->context);
    if (memory->host || *code != CL_SUCCESS)
        return memory->host ? (char *)memory->host + offset : NULL;
    int failed = cuda->host_new(&memory->mapped, bytes);
    if (!failed && (flags & CL_MAP_READ))
        failed = cuda->read(memory->mapped, memory->memory + offset, bytes, queue->stream);
    if (!failed)
        failed = cuda->stream_wait(queue->stream);
    if (failed && memory->mapped) {
        (void)cuda->host_free(memory->mapped);
        memory->mapped = NULL;
    }
    memory->mapped_at = offset;
    memory->mapped_bytes = bytes;
    *code = wwi_cuda_leave(queue->context, failed);
    return memory->mapped;
}

static cl_int CL_API_CALL unmap_buffer(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint count,
                                       const cl_event *events, cl_event *event) {
    const wwi_cuda *cuda = queue->context->cuda;
    (void)mapped, (void)count, (void)events, (void)event;
    const cl_int code = memory->mapped ? wwi_cuda_enter(queue->context) : CL_SUCCESS;
    if (!memory->mapped || code != CL_SUCCESS)
        return code;
    int failed = cuda->write(memory->memory + memory->mapped_at, memory->mapped, memory->mapped_bytes, queue->stream);
    if (!failed)
        failed = cuda->stream_wait(queue->stream);
    (void)cuda->host_free(memory->mapped);
    memory->mapped = NULL;
    return wwi_cuda_leave(queue->context, failed);
}

// ---- copies

// Ends what was enqueued with an error or 0: waits, or gives an event.
static cl_int ended(cl_command_queue queue, int code, cl_bool waits, cl_event *event) {
    cl_context context = queue->context;
    if (code == 0 && waits)
        code = context->cuda->stream_wait(queue->stream);
    if (code == 0 && event) {
        *event = wwi_cuda_event(context, false);
        code = *event ? context->cuda->event_record((*event)->end, queue->stream) : 2;
        if (*event && code != 0)
            (void)clReleaseEvent(*event);
    }
    return wwi_cuda_leave(context, code);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory, cl_bool waits, size_t offset,
                                       size_t bytes, const void *from, cl_uint count, const cl_event *events,
                                       cl_event *event) {
    (void)count, (void)events;
    const cl_int code = wwi_cuda_enter(queue->context);
    if (code != CL_SUCCESS)
        return code;
    return ended(queue, queue->context->cuda->write(memory->memory + offset, from, bytes, queue->stream), waits, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem memory, cl_bool waits, size_t offset, size_t bytes,
                                      void *to, cl_uint count, const cl_event *events, cl_event *event) {
    (void)count, (void)events;
    const cl_int code = wwi_cuda_enter(queue->context);
    if (code != CL_SUCCESS)
        return code;
    return ended(queue, queue->context->cuda->read(to, memory->memory + offset, bytes, queue->stream), waits, event);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_bytes,
                                      size_t offset, size_t bytes, cl_uint count, const cl_event *events,
                                      cl_event *event) {
    unsigned word;
    (void)count, (void)events;
    if (pattern_bytes != sizeof word)
        return CL_INVALID_VALUE;
    memcpy(&word, pattern, sizeof word);
    const cl_int code = wwi_cuda_enter(queue->context);
    if (code != CL_SUCCESS)
        return code;
    return ended(queue, queue->context->cuda->fill(memory->memory + offset, word, bytes / sizeof word, queue->stream),
                 CL_FALSE, event);
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                      size_t to_offset, size_t bytes, cl_uint count, const cl_event *events,
                                      cl_event *event) {
    (void)count, (void)events;
    const cl_int code = wwi_cuda_enter(queue->context);
    if (code != CL_SUCCESS)
        return code;
    return ended(queue,
                 queue->context->cuda->copy(to->memory + to_offset, from->memory + from_offset, bytes, queue->stream),
                 CL_FALSE, event);
}

static cl_int CL_API_CALL copy_rows(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                    const size_t *to_origin, const size_t *region, size_t from_pitch, size_t from_slice,
                                    size_t to_pitch, size_t to_slice, cl_uint count, const cl_event *events,
                                    cl_event *event) {
    enum { DEVICE_MEMORY = 2 };
    (void)count, (void)events, (void)from_slice, (void)to_slice;
    const wwi_cuda_rows rows = {.from_x = from_origin[0],
                                .from_y = from_origin[1],
                                .from_type = DEVICE_MEMORY,
                                .from = from->memory,
                                .from_pitch = from_pitch,
                                .to_x = to_origin[0],
                                .to_y = to_origin[1],
                                .to_type = DEVICE_MEMORY,
                                .to = to->memory,
                                .to_pitch = to_pitch,
                                .bytes = region[0],
                                .rows = region[1]};
    const cl_int code = wwi_cuda_enter(queue->context);
    if (code != CL_SUCCESS)
        return code;
    return ended(queue, queue->context->cuda->copy_rows(&rows, queue->stream), CL_FALSE, event);
}

void wwi_cuda_of_memory(cl_icd_dispatch *dispatch) {
    dispatch->clCreateBuffer = create_buffer;
    dispatch->clRetainMemObject = retain_memory;
    dispatch->clReleaseMemObject = release_memory;
    dispatch->clGetMemObjectInfo = memory_info;
    dispatch->clEnqueueMapBuffer = map_buffer;
    dispatch->clEnqueueUnmapMemObject = unmap_buffer;
    dispatch->clEnqueueWriteBuffer = write_buffer;
    dispatch->clEnqueueReadBuffer = read_buffer;
    dispatch->clEnqueueFillBuffer = fill_buffer;
    dispatch->clEnqueueCopyBuffer = copy_buffer;
    dispatch->clEnqueueCopyBufferRect = copy_rows;
}

// ---- the caller's memory

ww_status wwi_buffer_wrap_cuda(ww_context *context, uint64_t memory, uint64_t bytes, wwi_buffer **buffer) {
    *buffer = NULL;
    WWI_TRY(wwi_check_process(context));
    if (!wwi_context_is_cuda(context))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the context is not one of CUDA: see ww_context_create_cuda()");
    if (!memory || !bytes || memory % 16 != 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "%llu bytes of CUDA's memory at 0x%llx: there must be some, from a multiple of 16 on",
                        (unsigned long long)bytes, (unsigned long long)memory);
    cl_mem made = new_memory(context->cl, (size_t)bytes);
    if (!made)
        return wwi_fail_memory(sizeof *made);
    made->memory = memory;
    made->foreign = true;
    const ww_status status = wwi_buffer_wrap(context, made, buffer);
    (void)clReleaseMemObject(made);
    return status;
}
