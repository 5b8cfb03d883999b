// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer (OPENCL_LAYERS=this library) that makes a device smaller: wwt_small_bytes is its memory, a quarter of
// it the largest buffer, and what does not fit is refused. 0: the device as it is. Or larger than the machine: then
// wwt_small_refused is the most bytes of a buffer that is really made, and wwt_small_asked the most that anyone asked
// for.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))

extern EXPORT atomic_ulong wwt_small_bytes, wwt_small_used, wwt_small_most, wwt_small_refused, wwt_small_asked;
atomic_ulong wwt_small_bytes, wwt_small_used, wwt_small_most; // most: of used, since it was last set to 0
atomic_ulong wwt_small_refused, wwt_small_asked;
static const cl_icd_dispatch *next;
static cl_icd_dispatch ours;

static CL_API_ENTRY cl_int CL_API_CALL small_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room,
                                                             void *value, size_t *size) {
    const cl_int code = next->clGetDeviceInfo(device, what, room, value, size);
    const cl_ulong bytes = atomic_load(&wwt_small_bytes);
    if (code == CL_SUCCESS && bytes && value && what == CL_DEVICE_GLOBAL_MEM_SIZE)
        *(cl_ulong *)value = bytes;
    if (code == CL_SUCCESS && bytes && value && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)
        *(cl_ulong *)value = bytes / 4;
    return code;
}

static CL_API_ENTRY cl_mem CL_API_CALL small_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                                            void *host, cl_int *code) {
    const cl_ulong bytes = atomic_load(&wwt_small_bytes), used = atomic_load(&wwt_small_used);
    const cl_ulong refused = atomic_load(&wwt_small_refused);
    cl_ulong asked = atomic_load(&wwt_small_asked);
    while (size > asked && !atomic_compare_exchange_weak(&wwt_small_asked, &asked, size))
        ;
    if ((bytes && (size > bytes / 4 || used + size > bytes)) || (refused && size > refused)) {
        if (code)
            *code = bytes && size > bytes / 4 ? CL_INVALID_BUFFER_SIZE : CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    const cl_mem made = next->clCreateBuffer(context, flags, size, host, code);
    if (made) {
        const cl_ulong now = atomic_fetch_add(&wwt_small_used, size) + size;
        cl_ulong most = atomic_load(&wwt_small_most);
        while (now > most && !atomic_compare_exchange_weak(&wwt_small_most, &most, now))
            ;
    }
    return made;
}

static size_t size_of(cl_mem memory) {
    size_t size = 0;
    (void)next->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL);
    return size;
}

// A buffer counts once for each reference that the library has. The implementation has its own until its commands are
// done with: these do not count, so that what is free does not depend on the time.
static CL_API_ENTRY cl_int CL_API_CALL small_clRetainMemObject(cl_mem memory) {
    const size_t size = size_of(memory);
    const cl_int code = next->clRetainMemObject(memory);
    if (code == CL_SUCCESS)
        atomic_fetch_add(&wwt_small_used, size);
    return code;
}

static CL_API_ENTRY cl_int CL_API_CALL small_clReleaseMemObject(cl_mem memory) {
    const size_t size = size_of(memory);
    const cl_int code = next->clReleaseMemObject(memory);
    if (code == CL_SUCCESS)
        atomic_fetch_sub(&wwt_small_used, size);
    return code;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *size) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        *(cl_layer_api_version *)value = version;
    if (size)
        *size = sizeof version;
    return CL_SUCCESS;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *our_entries,
                                                   const cl_icd_dispatch **our_table) {
    if (entries < sizeof ours / sizeof(void *) || !our_entries || !our_table)
        return CL_INVALID_VALUE;
    next = target;
    ours = *target;
    ours.clGetDeviceInfo = small_clGetDeviceInfo;
    ours.clCreateBuffer = small_clCreateBuffer;
    ours.clRetainMemObject = small_clRetainMemObject;
    ours.clReleaseMemObject = small_clReleaseMemObject;
    *our_entries = sizeof ours / sizeof(void *);
    *our_table = &ours;
    return CL_SUCCESS;
}
