// SPDX-License-Identifier: Apache-2.0
// Uses OpenCL's types, but makes no OpenCL call: passes the buffers of wavewarp/opencl.h to host/ unchanged.
#include <wavewarp/opencl.h>

#include "data/dataset.h"
#include "jobs/plan.h"

ww_status ww_dataset_wrap(ww_context *context, cl_mem buffer, size_t count, size_t channels, size_t length,
                          ww_precision precision, ww_dataset **dataset) {
    return wwi_dataset_wrap(context, buffer, count, channels, NULL, length, precision, dataset);
}

ww_status ww_buffer_wrap(ww_context *context, cl_mem memory, ww_buffer **buffer) {
    return wwi_output_wrap(context, memory, buffer);
}

cl_mem ww_buffer_opencl(const ww_buffer *buffer) {
    return buffer && !wwi_context_is_cuda(buffer->context) ? wwi_buffer_handle(buffer->memory) : NULL;
}
