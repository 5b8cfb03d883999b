// SPDX-License-Identifier: Apache-2.0
/// \file
/// Interoperation with the caller's own OpenCL objects. The only public header that needs OpenCL's.
#ifndef WAVEWARP_OPENCL_H
#define WAVEWARP_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <wavewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a context on the caller's OpenCL context, device and in-order queue. All three are retained.
/// \return WW_ERROR_INVALID_ARGUMENT (they do not belong together; an out-of-order queue), WW_ERROR_NO_DEVICE,
/// WW_ERROR_KERNEL_SOURCE, WW_ERROR_OPENCL. *Ownership*: the caller's. *Thread-safety*: any thread; with several
/// threads the queue's order is that of their calls. *Blocking*: while tiny kernels are tried.
WW_API_STATUS ww_context_wrap(cl_context context, cl_device_id device, cl_command_queue queue,
                              const ww_context_options *options, ww_context **out);

/// The OpenCL objects of a context; NULL where one is not wanted. \return WW_ERROR_INVALID_ARGUMENT.
/// *Ownership*: the context's; retain what you keep. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_context_get_opencl(ww_context *context, cl_context *cl, cl_device_id *device, cl_command_queue *queue);

/// Makes a dataset of `count` series of equal `length` from a device buffer, channel by channel, series after series.
/// Nothing is copied or checked: the buffer is retained, must stay unchanged while plans run, and holds values of
/// `precision`, all finite.
///
/// Between runs the buffer's content may change, and plans use the new content, except where a plan computes on copies
/// that were made when the plan was created: under WW_ERP, WW_DDTW and WW_WDDTW, under WW_TWED where the other side has
/// time stamps, and in engine `bits` (WW_LEVENSHTEIN, WW_LCS). Create a new plan in these cases.
/// \return WW_ERROR_INVALID_ARGUMENT (a buffer too small or of another OpenCL context), WW_ERROR_EMPTY,
/// WW_ERROR_OVERFLOW, WW_ERROR_UNSUPPORTED. *Ownership*: the caller's; plans keep it alive. *Thread-safety*: any
/// thread. *Blocking*: while lengths are uploaded.
WW_API_STATUS ww_dataset_wrap(ww_context *context, cl_mem buffer, size_t count, size_t channels, size_t length,
                              ww_precision precision, ww_dataset **dataset);

/// Makes a ww_buffer for results from the caller's OpenCL buffer, which is retained.
/// \return WW_ERROR_INVALID_ARGUMENT (not a buffer, or of another OpenCL context), WW_ERROR_OPENCL.
/// *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_buffer_wrap(ww_context *context, cl_mem memory, ww_buffer **buffer);

/// The OpenCL object of a buffer; NULL for NULL. *Ownership*: the buffer's; retain what you keep. *Thread-safety*: any
/// thread. *Blocking*: no.
WW_API cl_mem ww_buffer_opencl(const ww_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
