// SPDX-License-Identifier: Apache-2.0
// Host memory that the device writes directly: one piece a context, allocated when a fetch (fetch.c) first needs it,
// kept until the context is destroyed.
#include "internal.h"

bool wwi_pinned_get(ww_context *context, size_t bytes) {
    cl_int code = CL_SUCCESS;
    if (context->pinned)
        return true;
    cl_mem mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (!mem)
        return false;
    void *memory =
        clEnqueueMapBuffer(context->queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    if (!memory) {
        (void)clReleaseMemObject(mem);
        return false;
    }
    wwi_count_objects(1);
    context->pinned = mem;
    context->pinned_memory = memory;
    return true;
}

void wwi_pinned_free(ww_context *context) {
    if (!context->pinned)
        return;
    if (!wwi_is_forked(context)) {
        (void)clEnqueueUnmapMemObject(context->queue, context->pinned, context->pinned_memory, 0, NULL, NULL);
        (void)clFinish(context->queue);
    }
    WWI_RELEASE(context, clReleaseMemObject(context->pinned));
}
