// SPDX-License-Identifier: Apache-2.0
/// \file
/// Interoperation with the caller's own OpenCL objects. The only public header that needs OpenCL's.
#ifndef WAVEWARP_OPENCL_H
#define WAVEWARP_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <wavewarp/distance.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a context on the caller's OpenCL context, device and in-order queue. All three are retained.
WW_API ww_status ww_context_wrap(cl_context context, cl_device_id device, cl_command_queue queue,
                                 const ww_context_options *options, ww_context **out);

/// The OpenCL objects of a context. *Ownership*: the context's; retain what you keep.
WW_API ww_status ww_context_opencl(ww_context *context, cl_context *cl, cl_device_id *device, cl_command_queue *queue);

/// Makes a dataset of `count` series of equal `length` from a device buffer, channel by channel, series after series.
/// Nothing is copied or checked: the buffer is retained, must stay unchanged while plans run, and holds values of
/// `precision`, all finite.
WW_API ww_status ww_dataset_wrap(ww_context *context, cl_mem buffer, size_t count, size_t channels, size_t length,
                                 ww_precision precision, ww_dataset **dataset);

/// Runs a matrix or pairs plan and leaves the result in a device buffer (`rows x columns` values, or `count`).
/// \return WW_ERROR_UNSUPPORTED for a plan whose result does not fit one block.
/// *Blocking*: no; the work is on the context's queue when this returns.
WW_API ww_status ww_plan_run_device(ww_plan *plan, cl_mem result);

#ifdef __cplusplus
}
#endif
#endif
