// SPDX-License-Identifier: Apache-2.0
/// \file
/// Work in a CUDA context, beside other users of it (PyTorch, CuPy, Numba, CUDA's runtime): what they have in device
/// memory is used where it lies, in the order of their stream. The kernels are the same as on any OpenCL device.
///
/// NVIDIA's driver is loaded when the first of these functions is called; nothing of CUDA is needed to build or link.
/// Its OpenCL has to be there too: it compiles the kernels. Compiled ones are kept on disk (docs/devices.md), and with
/// them no OpenCL context is made. WAVEWARP_DEVICE and ww_context_options.device take "cuda" and "cuda:N" as well, for
/// a context with a stream of its own.
#ifndef WAVEWARP_CUDA_H
#define WAVEWARP_CUDA_H

#include <wavewarp/output.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a context in the primary context of a CUDA device, whose work goes to the caller's stream.
/// \param device CUDA's number of it, from 0 on; CUDA_VISIBLE_DEVICES counts.
/// \param stream a CUstream or cudaStream_t of that device; NULL: the default stream. It has to outlive the context.
/// \param options NULL: all defaults; `device` is not read.
/// \return WW_ERROR_NO_DEVICE (no such driver, no such device, or NVIDIA's OpenCL does not have it),
/// WW_ERROR_KERNEL_SOURCE, WW_ERROR_OPENCL. *Ownership*: the caller's. *Thread-safety*: any thread; with several
/// threads the stream's order is that of their calls. *Blocking*: while tiny kernels are tried.
WW_API_STATUS ww_context_create_cuda(int device, void *stream, const ww_context_options *options, ww_context **context);

/// Makes a buffer of the caller's device memory: for results, and for series by ww_dataset_create_from_buffer().
/// Nothing is copied; the memory has to stay until all objects that use the buffer are destroyed and their work is
/// done. \param context of CUDA. \param memory its address (a CUdeviceptr), a multiple of 16. \param bytes 1 or more.
/// \return WW_ERROR_INVALID_ARGUMENT (a context of OpenCL; another address). *Ownership*: the caller's; keeps its
/// context alive. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_buffer_wrap_cuda(ww_context *context, uint64_t memory, uint64_t bytes, ww_buffer **buffer);

#ifdef __cplusplus
}
#endif
#endif
