// SPDX-License-Identifier: Apache-2.0
// See cuda.h. Here: devices, contexts, queues and events as OpenCL asks for them, and how they begin.
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

// ---- platform and device

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t room, void *target,
                                        size_t *needed) {
    static const char name[] = WWI_CUDA, version[] = "OpenCL 1.2";
    (void)platform;
    return what == CL_PLATFORM_NAME      ? WWI_CUDA_TELL(name)
           : what == CL_PLATFORM_VERSION ? WWI_CUDA_TELL(version)
                                         : CL_INVALID_VALUE;
}

// Its platform and its parent are ours, all else is as NVIDIA's OpenCL says.
static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t room, void *target,
                                      size_t *needed) {
    cl_platform_id platform = &((cl_context)((char *)device - offsetof(struct _cl_context, device)))->platform;
    cl_device_id none = NULL;
    if (what == CL_DEVICE_PLATFORM)
        return WWI_CUDA_TELL(platform);
    if (what == CL_DEVICE_PARENT_DEVICE)
        return WWI_CUDA_TELL(none);
    return clGetDeviceInfo(device->opencl, what, room, target, needed);
}

// ---- contexts

static cl_int CL_API_CALL retain_context(cl_context context) {
    wwi_cuda_retain(context);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_context(cl_context context) {
    wwi_cuda_release(context);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL context_info(cl_context context, cl_context_info what, size_t room, void *target,
                                       size_t *needed) {
    cl_device_id device = &context->device;
    return what == CL_CONTEXT_DEVICES ? WWI_CUDA_TELL(device) : CL_INVALID_VALUE;
}

// ---- queues

static cl_command_queue new_queue(cl_context context, void *stream, bool own) {
    cl_command_queue queue = wwi_cuda_new(context, sizeof *queue);
    if (queue) {
        queue->stream = stream;
        queue->own = own;
    }
    return queue;
}

static cl_int CL_API_CALL retain_queue(cl_command_queue queue) {
    atomic_fetch_add(&queue->references, 1);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue) {
    if (atomic_fetch_sub(&queue->references, 1) != 1)
        return CL_SUCCESS;
    cl_context context = queue->context;
    if (queue->own && wwi_cuda_enter(context) == CL_SUCCESS)
        (void)wwi_cuda_leave(context, context->cuda->stream_destroy(queue->stream));
    free(queue);
    wwi_cuda_release(context);
    return CL_SUCCESS;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties, cl_int *code) {
    enum { BESIDE_OTHERS = 1 }; // CU_STREAM_NON_BLOCKING
    cl_command_queue queue = new_queue(context, NULL, false);
    (void)device, (void)properties;
    *code = queue ? wwi_cuda_enter(context) : CL_OUT_OF_HOST_MEMORY;
    if (*code == CL_SUCCESS)
        *code = wwi_cuda_leave(context, context->cuda->stream_create(&queue->stream, BESIDE_OTHERS));
    if (*code == CL_SUCCESS) {
        queue->own = true;
        return queue;
    }
    if (queue)
        (void)release_queue(queue);
    return NULL;
}

static cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info what, size_t room, void *target,
                                     size_t *needed) {
    cl_device_id device = &queue->context->device;
    const cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE;
    return what == CL_QUEUE_CONTEXT      ? WWI_CUDA_TELL(queue->context)
           : what == CL_QUEUE_DEVICE     ? WWI_CUDA_TELL(device)
           : what == CL_QUEUE_PROPERTIES ? WWI_CUDA_TELL(properties)
                                         : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL flush(cl_command_queue queue) {
    (void)queue;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue queue) {
    const cl_int code = wwi_cuda_enter(queue->context);
    return code == CL_SUCCESS ? wwi_cuda_leave(queue->context, queue->context->cuda->stream_wait(queue->stream)) : code;
}

// ---- events

static cl_int CL_API_CALL release_event(cl_event event) {
    cl_context context = event->context;
    (void)pthread_mutex_lock(&context->lock);
    event->next = context->idle;
    context->idle = event;
    (void)pthread_mutex_unlock(&context->lock);
    wwi_cuda_release(context);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events) {
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++) {
        cl_context context = events[i]->context;
        code = wwi_cuda_enter(context);
        if (code == CL_SUCCESS)
            code = wwi_cuda_leave(context, context->cuda->event_wait(events[i]->end));
    }
    return code;
}

static cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t room, void *target, size_t *needed) {
    enum { NOT_READY = 600 };
    if (what != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return CL_INVALID_VALUE;
    cl_int state = wwi_cuda_enter(event->context);
    if (state == CL_SUCCESS) {
        const int code = event->context->cuda->event_state(event->end);
        (void)wwi_cuda_leave(event->context, 0);
        state = code == NOT_READY ? CL_RUNNING : code == 0 ? CL_COMPLETE : wwi_cuda_code(code);
    }
    return WWI_CUDA_TELL(state);
}

// CUDA tells the time between two events: the beginning is said to be 0.
static cl_int CL_API_CALL event_times(cl_event event, cl_profiling_info what, size_t room, void *target,
                                      size_t *needed) {
    float milliseconds = 0;
    cl_ulong time = 0;
    if (!event->timed)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (what == CL_PROFILING_COMMAND_END) {
        cl_int code = wwi_cuda_enter(event->context);
        if (code == CL_SUCCESS)
            code = wwi_cuda_leave(event->context,
                                  event->context->cuda->event_between(&milliseconds, event->begin, event->end));
        if (code != CL_SUCCESS)
            return code;
        time = (cl_ulong)(1e6 * (double)milliseconds);
    }
    return WWI_CUDA_TELL(time);
}

// ---- making

static pthread_once_t filling = PTHREAD_ONCE_INIT;
static cl_icd_dispatch functions;

static void fill_functions(void) {
    functions = (cl_icd_dispatch){.clGetPlatformInfo = platform_info,
                                  .clGetDeviceInfo = device_info,
                                  .clRetainContext = retain_context,
                                  .clReleaseContext = release_context,
                                  .clGetContextInfo = context_info,
                                  .clCreateCommandQueue = create_queue,
                                  .clRetainCommandQueue = retain_queue,
                                  .clReleaseCommandQueue = release_queue,
                                  .clGetCommandQueueInfo = queue_info,
                                  .clFlush = flush,
                                  .clFinish = finish,
                                  .clReleaseEvent = release_event,
                                  .clWaitForEvents = wait_for_events,
                                  .clGetEventInfo = event_info,
                                  .clGetEventProfilingInfo = event_times};
    wwi_cuda_of_memory(&functions);
    wwi_cuda_of_programs(&functions);
}

const cl_icd_dispatch *wwi_cuda_functions(void) {
    (void)pthread_once(&filling, fill_functions);
    return &functions;
}

bool wwi_cuda_places(cl_device_id device, uint32_t *index, uint32_t *platform_index) {
    if (device->dispatch != &functions)
        return false;
    *index = device->index;
    *platform_index = device->platform_index;
    return true;
}

// NVIDIA's OpenCL has the device too, with the same address on the bus.
static ww_status find_opencl(const wwi_cuda *cuda, int device, struct _cl_device_id *found) {
    char pci[32] = "";
    WWI_ENDS(wwi_devices_free) wwi_device_list list = {NULL, 0, false};
    if (cuda->device_pci(pci, sizeof pci, device) != 0)
        return wwi_fail(WW_ERROR_NO_DEVICE, "CUDA does not say where its device %d is", device);
    wwi_opening_begin();
    const ww_status status = wwi_devices_find(&list);
    wwi_opening_end();
    for (size_t i = 0; status == WW_OK && i < list.count && !found->opencl; i++)
        if (strcmp(list.devices[i].info.platform, "NVIDIA CUDA") == 0 && list.devices[i].info.usable &&
            wwi_device_has_identity(&list.devices[i].info, pci))
            *found = (struct _cl_device_id){.opencl = list.devices[i].id,
                                            .index = list.devices[i].info.index,
                                            .platform_index = list.devices[i].info.platform_index};
    if (found->opencl)
        return WW_OK;
    (void)wwi_fail(WW_ERROR_NO_DEVICE, "NVIDIA's OpenCL, which compiles the kernels, does not have CUDA's device %d",
                   device);
    return wwi_fail_hint("see `clinfo`; libnvidia-opencl.so.1 belongs to NVIDIA's driver, and /etc/OpenCL/vendors has "
                         "to name it");
}

ww_status wwi_cuda_context(const wwi_cuda *cuda, int device, cl_device_id opencl, cl_context *context) {
    const cl_icd_dispatch *dispatch = wwi_cuda_functions();
    cl_context made;
    WWI_TRY(wwi_new_zeroed(made, 1));
    const int code = cuda->context_retain(&made->current, device);
    if (code != 0) {
        free(made);
        return wwi_fail_cl(NULL, wwi_cuda_code(code), "cuDevicePrimaryCtxRetain",
                           "can't open CUDA's device %d: error %d", device, code);
    }
    made->dispatch = made->platform.dispatch = dispatch;
    made->device = (struct _cl_device_id){dispatch, opencl, UINT32_MAX, UINT32_MAX};
    made->cuda = cuda;
    made->ordinal = device;
    atomic_init(&made->references, 1);
    (void)pthread_mutex_init(&made->lock, NULL);
    *context = made;
    return WW_OK;
}

static void free_context(cl_context *context) {
    if (*context)
        wwi_cuda_release(*context);
}

static ww_status open_context(const wwi_cuda *cuda, int ordinal, cl_context *context) {
    int device = 0, count = 0;
    struct _cl_device_id found = {.opencl = NULL};
    if (cuda->device_count(&count) != 0 || ordinal < 0 || ordinal >= count || cuda->device_get(&device, ordinal) != 0)
        return wwi_fail(WW_ERROR_NO_DEVICE, "CUDA has no device %d: it has %d", ordinal, count);
    WWI_TRY(find_opencl(cuda, device, &found));
    WWI_TRY(wwi_cuda_context(cuda, device, found.opencl, context));
    (*context)->device.index = found.index;
    (*context)->device.platform_index = found.platform_index;
    return WW_OK;
}

ww_status wwi_cuda_open(int ordinal, bool own_stream, void *stream, cl_context *context, cl_command_queue *queue) {
    WWI_ENDS(free_context) cl_context made = NULL;
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    const wwi_cuda *cuda = wwi_cuda_driver();
    if (!cuda)
        return WW_ERROR_NO_DEVICE;
    WWI_TRY(open_context(cuda, ordinal, &made));
    *queue = own_stream ? create_queue(made, &made->device, 0, &code) : new_queue(made, stream, false);
    if (!*queue)
        return wwi_fail_cl(NULL, code, "cuStreamCreate", "can't open a stream on CUDA's device %d", ordinal);
    *context = wwi_taken(&made);
    return WW_OK;
}
