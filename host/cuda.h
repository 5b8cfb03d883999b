// SPDX-License-Identifier: Apache-2.0
// OpenCL objects of our own that work in a CUDA context: device memory and streams are CUDA's, so a caller's tensors
// are used where they lie, in the order of its own stream. An OpenCL loader calls the functions that an object's first
// field names (cl_khr_icd); so all of host/ uses these objects as it uses a driver's.
//
// Kernels are compiled by NVIDIA's OpenCL driver. Its binaries are PTX, which CUDA loads (cuda_ptx.c).
#ifndef WAVEWARP_HOST_CUDA_H
#define WAVEWARP_HOST_CUDA_H

#include "internal.h"

#include <CL/cl_icd.h>

// What of the CUDA driver is used, as cuda.h declares it (which need not be installed): each returns 0, or an error.
#define WWI_CUDA_FUNCTIONS(X)                                                                                          \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                  \
    X(device_get, "cuDeviceGet", (int *device, int ordinal))                                                           \
    X(device_pci, "cuDeviceGetPCIBusId", (char *text, int bytes, int device))                                          \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                        \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                   \
    X(push, "cuCtxPushCurrent_v2", (void *context))                                                                    \
    X(pop, "cuCtxPopCurrent_v2", (void **context))                                                                     \
    X(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                                                \
    X(stream_destroy, "cuStreamDestroy_v2", (void *stream))                                                            \
    X(stream_wait, "cuStreamSynchronize", (void *stream))                                                              \
    X(memory_new, "cuMemAlloc_v2", (unsigned long long *memory, size_t bytes))                                         \
    X(memory_free, "cuMemFree_v2", (unsigned long long memory))                                                        \
    X(host_new, "cuMemAllocHost_v2", (void **memory, size_t bytes))                                                    \
    X(host_free, "cuMemFreeHost", (void *memory))                                                                      \
    X(write, "cuMemcpyHtoDAsync_v2", (unsigned long long to, const void *from, size_t bytes, void *stream))            \
    X(read, "cuMemcpyDtoHAsync_v2", (void *to, unsigned long long from, size_t bytes, void *stream))                   \
    X(copy, "cuMemcpyDtoDAsync_v2", (unsigned long long to, unsigned long long from, size_t bytes, void *stream))      \
    X(copy_rows, "cuMemcpy2DAsync_v2", (const wwi_cuda_rows *rows, void *stream))                                      \
    X(fill, "cuMemsetD32Async", (unsigned long long memory, unsigned word, size_t words, void *stream))                \
    X(module_load, "cuModuleLoadDataEx",                                                                               \
      (void **module, const void *image, unsigned count, int *options, void **values))                                 \
    X(module_unload, "cuModuleUnload", (void *module))                                                                 \
    X(function_get, "cuModuleGetFunction", (void **function, void *module, const char *name))                          \
    X(function_about, "cuFuncGetAttribute", (int *value, int what, void *function))                                    \
    X(launch, "cuLaunchKernel",                                                                                        \
      (void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned items_x, unsigned items_y,    \
       unsigned items_z, unsigned shared, void *stream, void **parameters, void **extra))                              \
    X(event_new, "cuEventCreate", (void **event, unsigned flags))                                                      \
    X(event_free, "cuEventDestroy_v2", (void *event))                                                                  \
    X(event_record, "cuEventRecord", (void *event, void *stream))                                                      \
    X(event_wait, "cuEventSynchronize", (void *event))                                                                 \
    X(event_state, "cuEventQuery", (void *event))                                                                      \
    X(event_between, "cuEventElapsedTime", (float *milliseconds, void *from, void *to))

// CUDA_MEMCPY2D; both sides are device memory.
typedef struct wwi_cuda_rows {
    size_t from_x, from_y;
    unsigned from_type;
    const void *from_host;
    unsigned long long from;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    unsigned to_type;
    void *to_host;
    unsigned long long to;
    void *to_array;
    size_t to_pitch;
    size_t bytes, rows;
} wwi_cuda_rows;

#define WWI_CUDA_MEMBER(member, name, parameters) int(*member) parameters;
typedef struct wwi_cuda {
    WWI_CUDA_FUNCTIONS(WWI_CUDA_MEMBER)
} wwi_cuda;

enum { WWI_CUDA_PARAMETERS = 32, WWI_CUDA_PARAMETER_BYTES = 4096 }; // of a kernel, at most

// What PTX says of a kernel.
typedef struct wwi_ptx_kernel {
    unsigned count;
    unsigned bytes[WWI_CUDA_PARAMETERS]; // of each parameter
    bool local[WWI_CUDA_PARAMETERS];     // whether it is the address of local memory
    bool global[WWI_CUDA_PARAMETERS];    // whether it is the address of a buffer
    size_t group;                        // the group size that it needs; 0: any
} wwi_ptx_kernel;
// False: there is no such kernel, or it is none that can be launched here.
bool wwi_ptx_describe(const char *ptx, const char *name, wwi_ptx_kernel *kernel);
// PTX of NVIDIA's OpenCL as CUDA takes it; free with free(). NULL: no memory, or it asks for what CUDA does not give.
char *wwi_ptx_for_cuda(const char *ptx);

// ---- the objects

struct _cl_platform_id {
    const cl_icd_dispatch *dispatch;
};

struct _cl_device_id {
    const cl_icd_dispatch *dispatch;
    cl_device_id opencl;            // the same device of NVIDIA's OpenCL
    uint32_t index, platform_index; // its places there
};

struct _cl_context {
    const cl_icd_dispatch *dispatch;
    atomic_uint references;
    const wwi_cuda *cuda;
    void *current; // CUDA's context
    int ordinal;   // CUDA's device
    struct _cl_platform_id platform;
    struct _cl_device_id device;
    pthread_mutex_t lock; // guards what follows
    cl_context compiler;  // of NVIDIA's OpenCL: made when a program has to be compiled
    cl_event idle;        // events that nobody holds
};

// How what is counted and belongs to a context begins.
#define WWI_CUDA_HEAD                                                                                                  \
    const cl_icd_dispatch *dispatch;                                                                                   \
    atomic_uint references;                                                                                            \
    cl_context context

struct _cl_command_queue {
    WWI_CUDA_HEAD;
    void *stream;
    bool own; // else the caller's
};

struct _cl_mem {
    WWI_CUDA_HEAD;
    unsigned long long memory; // on the device; or
    void *host;                // memory of the host
    size_t bytes;
    bool foreign; // the caller's
    void *mapped; // device memory, for the host: a copy
    size_t mapped_at, mapped_bytes;
};

struct _cl_program {
    WWI_CUDA_HEAD;
    char *source, *ptx, *log; // ptx: as NVIDIA's OpenCL gave it
    void *module;
};

struct _cl_kernel {
    const cl_icd_dispatch *dispatch;
    cl_program program;
    void *function;
    wwi_ptx_kernel about;
    size_t local_bytes[WWI_CUDA_PARAMETERS]; // of local memory, by parameter
    void *values[WWI_CUDA_PARAMETERS];       // into `bytes`
    _Alignas(16) unsigned char bytes[WWI_CUDA_PARAMETER_BYTES];
};

struct _cl_event {
    const cl_icd_dispatch *dispatch;
    cl_context context;
    void *begin, *end;
    bool timed;
    cl_event next; // of the idle ones
};

// Fill in the functions of cuda_program.c and of cuda_memory.c.
void wwi_cuda_of_programs(cl_icd_dispatch *dispatch);
void wwi_cuda_of_memory(cl_icd_dispatch *dispatch);
const cl_icd_dispatch *wwi_cuda_functions(void);
// Objects in the primary context of CUDA's device, which is `opencl` in NVIDIA's OpenCL.
ww_status wwi_cuda_context(const wwi_cuda *cuda, int device, cl_device_id opencl, cl_context *context);
void wwi_cuda_retain(cl_context context);
// An object of so many bytes that begins with WWI_CUDA_HEAD, zero but for that; NULL: no memory.
void *wwi_cuda_new(cl_context context, size_t bytes);
void wwi_cuda_release(cl_context context);
// CUDA's context becomes the thread's, until wwi_cuda_leave(), which gives OpenCL's code for CUDA's.
cl_int wwi_cuda_enter(cl_context context);
cl_int wwi_cuda_leave(cl_context context, int code);
cl_int wwi_cuda_code(int code);
// Answers a clGet...Info().
cl_int wwi_cuda_tell(const void *value, size_t bytes, size_t room, void *target, size_t *needed);
#define WWI_CUDA_TELL(value) wwi_cuda_tell(&(value), sizeof(value), room, target, needed)
// An event of the context, or NULL. Inside of enter and leave.
cl_event wwi_cuda_event(cl_context context, bool timed);

// The driver's functions; NULL, with a record, where it is not there.
const wwi_cuda *wwi_cuda_driver(void);

#endif
