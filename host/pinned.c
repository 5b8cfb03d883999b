// SPDX-License-Identifier: Apache-2.0
// Host memory that the device reads and writes directly: a context's, which a fetch (fetch.c) first needs, and a feed's
// own (feed.c).
#include "internal.h"

bool wwi_pinned_make(ww_context *context, cl_command_queue queue, size_t bytes, wwi_pinned *pinned) {
    cl_int code = CL_SUCCESS;
    const cl_mem mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (!mem)
        return false;
    void *memory = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    if (!memory) {
        (void)clReleaseMemObject(mem);
        return false;
    }
    wwi_count_objects(1);
    *pinned = (wwi_pinned){mem, memory};
    return true;
}

void wwi_pinned_free(ww_context *context, cl_command_queue queue, wwi_pinned *pinned) {
    if (!pinned->mem)
        return;
    if (!wwi_is_forked(context)) {
        (void)clEnqueueUnmapMemObject(queue, pinned->mem, pinned->memory, 0, NULL, NULL);
        (void)clFinish(queue);
    }
    WWI_RELEASE(context, clReleaseMemObject(pinned->mem));
    *pinned = (wwi_pinned){NULL, NULL};
}
