// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer (OPENCL_LAYERS=this library) that makes one chosen call fail, and counts objects and waits. A call
// that fails is not passed on, like one a driver refuses. Releases never fail: there would be nothing a caller could
// do. A lost device fails every call from some point on.
//
// $WAVEWARP_FAULT is for a process that has no test in it: "call N CODE", "lost N", "launch N" or "dirty N", as the
// fields of fault_layer.h; "none 0". At the process' end the numbers of calls, launches and objects that are left are
// appended to the file $WAVEWARP_FAULT_COUNTS, a line "calls N", a line "launches N" and a line "objects N".
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_layer.h"

#define EXPORT __attribute__((visibility("default")))

extern EXPORT wwt_fault_table wwt_fault_control;
wwt_fault_table wwt_fault_control;
static const cl_icd_dispatch *next;
static cl_icd_dispatch ours;

// The queue that was made last, while it lives.
static _Atomic(cl_command_queue) queue;

// The code to fail with; CL_SUCCESS: pass the call on.
static cl_int to_fail(const char *call) {
    const long number = atomic_fetch_add(&wwt_fault_control.calls, 1) + 1;
    const long lost_at = atomic_load(&wwt_fault_control.lost_at);
    const int lost = lost_at > 0 && number >= lost_at;
    // Nothing runs on a device that is gone.
    if (number == lost_at && atomic_load(&queue))
        (void)next->clFinish(atomic_load(&queue));
    if (!lost && number != atomic_load(&wwt_fault_control.fail_at))
        return CL_SUCCESS;
    wwt_fault_control.failed_call = call;
    return lost ? CL_DEVICE_NOT_AVAILABLE : atomic_load(&wwt_fault_control.code);
}

__attribute__((constructor)) static void obey(void) {
    const char *wish = getenv("WAVEWARP_FAULT");
    char what[16] = "";
    long number = 0;
    int code = CL_OUT_OF_RESOURCES;
    if (!wish || sscanf(wish, "%15s %ld %d", what, &number, &code) < 2)
        return;
    atomic_store(&wwt_fault_control.code, code);
    if (strcmp(what, "call") == 0)
        atomic_store(&wwt_fault_control.fail_at, number);
    if (strcmp(what, "lost") == 0)
        atomic_store(&wwt_fault_control.lost_at, number);
    if (strcmp(what, "launch") == 0)
        atomic_store(&wwt_fault_control.break_at, number);
    if (strcmp(what, "dirty") == 0)
        atomic_store(&wwt_fault_control.dirt, (unsigned)number);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("WAVEWARP_FAULT_COUNTS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "calls %ld\nlaunches %ld\nobjects %ld\n", atomic_load(&wwt_fault_control.calls),
            atomic_load(&wwt_fault_control.launches), atomic_load(&wwt_fault_control.objects));
    fclose(file);
}

static cl_int count(cl_int code, long change) {
    if (code == CL_SUCCESS)
        atomic_fetch_add(&wwt_fault_control.objects, change);
    return code;
}

// ---- a launch that fails on the device: one at a time

static _Atomic(cl_event) broken;
// The thread that enqueued it. What it enqueues next builds on that launch, and is not run either: until it waits for
// the device, and can know.
static atomic_uintptr_t unaware;

// Its number: a new thread may have the name of one that has ended.
static uintptr_t this_thread(void) {
    static _Atomic(uintptr_t) last;
    static _Thread_local uintptr_t number;
    if (!number)
        number = atomic_fetch_add(&last, 1) + 1;
    return number;
}

static cl_int count_wait(cl_int code, cl_bool blocks) {
    uintptr_t self = this_thread();
    if (blocks == CL_TRUE)
        (void)atomic_compare_exchange_strong(&unaware, &self, 0);
    atomic_fetch_add(&wwt_fault_control.waits, blocks == CL_TRUE);
    return code;
}

// Whether this launch is to fail on the device.
static int is_to_break(void) {
    const long number = atomic_fetch_add(&wwt_fault_control.launches, 1) + 1;
    uintptr_t self = (uintptr_t)pthread_self();
    return number == atomic_load(&wwt_fault_control.break_at) ||
           atomic_compare_exchange_strong(&wwt_fault_control.break_thread, &self, 0);
}

static cl_int tell_broken_state(cl_int code, cl_event event, cl_event_info what, cl_int *state) {
    if (code == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && state && *state <= CL_COMPLETE &&
        event == atomic_load(&broken))
        *state = CL_OUT_OF_RESOURCES;
    return code;
}

static cl_int tell_broken_wait(cl_int code, cl_uint count, const cl_event *events) {
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
        if (events[i] == atomic_load(&broken))
            code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return count_wait(code, CL_TRUE);
}

static CL_API_ENTRY cl_int CL_API_CALL fault_clReleaseEvent(cl_event event) {
    cl_event gone = event;
    if (atomic_compare_exchange_strong(&broken, &gone, NULL))
        atomic_store(&unaware, 0); // nobody can learn of it any more
    return count(next->clReleaseEvent(event), -1);
}

static CL_API_ENTRY cl_int CL_API_CALL fault_clReleaseCommandQueue(cl_command_queue object) {
    cl_command_queue gone = object;
    (void)atomic_compare_exchange_strong(&queue, &gone, NULL);
    return count(next->clReleaseCommandQueue(object), -1);
}

// ---- all calls

// A call that returns its code.
#define PASS(name, parameters, arguments)                                                                              \
    static CL_API_ENTRY cl_int CL_API_CALL fault_##name parameters {                                                   \
        const cl_int refused = to_fail(#name);                                                                         \
        return refused ? refused : next->name arguments;                                                               \
    }

// One whose outcome may be changed.
#define PASS_AND(change, name, parameters, arguments, ...)                                                             \
    static CL_API_ENTRY cl_int CL_API_CALL fault_##name parameters {                                                   \
        const cl_int refused = to_fail(#name);                                                                         \
        return refused ? refused : change(next->name arguments, __VA_ARGS__);                                          \
    }

// An enqueue: where an event is asked for, one more object lives. `waited`: what the call is by itself a wait for.
#define ENQUEUE(name, parameters, arguments, waited)                                                                   \
    static CL_API_ENTRY cl_int CL_API_CALL fault_##name parameters {                                                   \
        const cl_int refused = to_fail(#name);                                                                         \
        return refused ? refused : count_wait(count(next->name arguments, event != NULL), waited);                     \
    }

// A write waits for the copy from the host's memory; nothing is learnt of the launches before it.
#define ENQUEUE_WRITE(name, parameters, arguments, waited)                                                             \
    static CL_API_ENTRY cl_int CL_API_CALL fault_##name parameters {                                                   \
        const cl_int refused = to_fail(#name);                                                                         \
        atomic_fetch_add(&wwt_fault_control.waits, !refused && waited == CL_TRUE);                                     \
        return refused ? refused : count(next->name arguments, event != NULL);                                         \
    }

// A call that returns an object and tells its code through the last parameter.
#define CREATE(type, name, parameters, arguments) CREATE_AND((void)0, type, name, parameters, arguments)
#define CREATE_AND(then, type, name, parameters, arguments)                                                            \
    static CL_API_ENTRY type CL_API_CALL fault_##name parameters {                                                     \
        const cl_int refused = to_fail(#name);                                                                         \
        if (refused) {                                                                                                 \
            if (code)                                                                                                  \
                *code = refused;                                                                                       \
            return NULL;                                                                                               \
        }                                                                                                              \
        type made = next->name arguments;                                                                              \
        (void)count(made ? CL_SUCCESS : CL_INVALID_VALUE, 1);                                                          \
        then;                                                                                                          \
        return made;                                                                                                   \
    }

#define RETAIN(name, type)                                                                                             \
    static CL_API_ENTRY cl_int CL_API_CALL fault_##name(type object) {                                                 \
        const cl_int refused = to_fail(#name);                                                                         \
        return refused ? refused : count(next->name(object), 1);                                                       \
    }

#define RELEASE(name, type)                                                                                            \
    static CL_API_ENTRY cl_int CL_API_CALL fault_##name(type object) {                                                 \
        return count(next->name(object), -1);                                                                          \
    }

// clang-format off
#define NOTIFY(type) void(CL_CALLBACK *notify)(type, void *)
PASS(clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *got), (n, p, got))
PASS(clGetPlatformInfo, (cl_platform_id p, cl_platform_info i, size_t n, void *v, size_t *got), (p, i, n, v, got))
PASS(clGetDeviceIDs, (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *got), (p, t, n, d, got))
PASS(clGetDeviceInfo, (cl_device_id d, cl_device_info i, size_t n, void *v, size_t *got), (d, i, n, v, got))
PASS(clGetContextInfo, (cl_context c, cl_context_info i, size_t n, void *v, size_t *got), (c, i, n, v, got))
PASS(clGetCommandQueueInfo, (cl_command_queue q, cl_command_queue_info i, size_t n, void *v, size_t *got), (q, i, n, v, got))
PASS(clGetMemObjectInfo, (cl_mem m, cl_mem_info i, size_t n, void *v, size_t *got), (m, i, n, v, got))
PASS(clBuildProgram, (cl_program p, cl_uint n, const cl_device_id *d, const char *o, NOTIFY(cl_program), void *u), (p, n, d, o, notify, u))
PASS(clGetProgramInfo, (cl_program p, cl_program_info i, size_t n, void *v, size_t *got), (p, i, n, v, got))
PASS(clGetProgramBuildInfo, (cl_program p, cl_device_id d, cl_program_build_info i, size_t n, void *v, size_t *got), (p, d, i, n, v, got))
PASS(clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))
PASS(clGetKernelInfo, (cl_kernel k, cl_kernel_info i, size_t n, void *v, size_t *got), (k, i, n, v, got))
PASS(clGetKernelWorkGroupInfo, (cl_kernel k, cl_device_id d, cl_kernel_work_group_info i, size_t n, void *v, size_t *got), (k, d, i, n, v, got))
PASS_AND(tell_broken_wait, clWaitForEvents, (cl_uint n, const cl_event *e), (n, e), n, e)
PASS_AND(tell_broken_state, clGetEventInfo, (cl_event e, cl_event_info i, size_t n, void *v, size_t *got), (e, i, n, v, got), e, i, v)
PASS(clGetEventProfilingInfo, (cl_event e, cl_profiling_info i, size_t n, void *v, size_t *got), (e, i, n, v, got))
PASS_AND(count_wait, clFinish, (cl_command_queue q), (q), CL_TRUE)
ENQUEUE(clEnqueueReadBuffer, (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void *p, cl_uint w, const cl_event *l, cl_event *event), (q, m, b, o, n, p, w, l, event), b)
ENQUEUE_WRITE(clEnqueueWriteBuffer, (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, const void *p, cl_uint w, const cl_event *l, cl_event *event), (q, m, b, o, n, p, w, l, event), b)
ENQUEUE(clEnqueueCopyBuffer, (cl_command_queue q, cl_mem s, cl_mem t, size_t so, size_t to, size_t n, cl_uint w, const cl_event *l, cl_event *event), (q, s, t, so, to, n, w, l, event), CL_FALSE)
ENQUEUE(clEnqueueCopyBufferRect, (cl_command_queue q, cl_mem s, cl_mem t, const size_t *so, const size_t *to, const size_t *r, size_t sr, size_t ss, size_t tr, size_t ts, cl_uint w, const cl_event *l, cl_event *event), (q, s, t, so, to, r, sr, ss, tr, ts, w, l, event), CL_FALSE)
ENQUEUE(clEnqueueFillBuffer, (cl_command_queue q, cl_mem m, const void *p, size_t pn, size_t o, size_t n, cl_uint w, const cl_event *l, cl_event *event), (q, m, p, pn, o, n, w, l, event), CL_FALSE)
ENQUEUE(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem m, void *p, cl_uint w, const cl_event *l, cl_event *event), (q, m, p, w, l, event), CL_FALSE)
PASS(clFlush, (cl_command_queue q), (q))
CREATE(cl_context, clCreateContext, (const cl_context_properties *p, cl_uint n, const cl_device_id *d, void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u, cl_int *code), (p, n, d, f, u, code))
CREATE_AND(atomic_store(&queue, made), cl_command_queue, clCreateCommandQueue, (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *code), (c, d, p, code))
CREATE(cl_program, clCreateProgramWithSource, (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *code), (c, n, s, l, code))
CREATE(cl_program, clCreateProgramWithBinary, (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b, cl_int *st, cl_int *code), (c, n, d, l, b, st, code))
CREATE(cl_kernel, clCreateKernel, (cl_program p, const char *name, cl_int *code), (p, name, code))
// clang-format on

// Memory as others leave it, and some behind it that is not the buffer's.
static cl_mem make_dirty(cl_context c, cl_mem_flags f, size_t n, cl_int *code) {
    enum { BEHIND = 1 << 16 };
    const unsigned word = atomic_load(&wwt_fault_control.dirt);
    const size_t words = (n + BEHIND) / sizeof word;
    unsigned *dirt = n < SIZE_MAX - BEHIND ? malloc(words * sizeof word) : NULL;
    for (size_t i = 0; dirt && i < words; i++)
        dirt[i] = word;
    const cl_mem made =
        dirt ? next->clCreateBuffer(c, f | CL_MEM_COPY_HOST_PTR, words * sizeof word, dirt, code) : NULL;
    free(dirt);
    return made;
}

static CL_API_ENTRY cl_mem CL_API_CALL fault_clCreateBuffer(cl_context c, cl_mem_flags f, size_t n, void *p,
                                                            cl_int *code) {
    const cl_int refused = to_fail("clCreateBuffer");
    if (refused) {
        if (code)
            *code = refused;
        return NULL;
    }
    cl_mem made = atomic_load(&wwt_fault_control.dirt) && n && !p ? make_dirty(c, f, n, code) : NULL;
    if (!made)
        made = next->clCreateBuffer(c, f, n, p, code);
    (void)count(made ? CL_SUCCESS : CL_INVALID_VALUE, 1);
    return made;
}

static CL_API_ENTRY cl_int CL_API_CALL fault_clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint d,
                                                                    const size_t *o, const size_t *g, const size_t *s,
                                                                    cl_uint w, const cl_event *l, cl_event *event) {
    const cl_int refused = to_fail("clEnqueueNDRangeKernel");
    if (refused)
        return refused;
    const int breaks = event && is_to_break();
    if (!breaks && atomic_load(&unaware) != this_thread())
        return count(next->clEnqueueNDRangeKernel(q, k, d, o, g, s, w, l, event), event != NULL);
    const cl_int code = count(next->clEnqueueMarkerWithWaitList(q, w, l, event), event != NULL);
    if (code == CL_SUCCESS && breaks) {
        atomic_store(&broken, *event);
        atomic_store(&unaware, this_thread());
    }
    return code;
}

static CL_API_ENTRY void *CL_API_CALL fault_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f,
                                                               size_t o, size_t n, cl_uint w, const cl_event *l,
                                                               cl_event *event, cl_int *code) {
    const cl_int refused = to_fail("clEnqueueMapBuffer");
    if (refused) {
        if (code)
            *code = refused;
        return NULL;
    }
    void *memory = next->clEnqueueMapBuffer(q, m, b, f, o, n, w, l, event, code);
    (void)count_wait(count(memory ? CL_SUCCESS : CL_INVALID_VALUE, event != NULL), b);
    return memory;
}

// clang-format off
RETAIN(clRetainContext, cl_context)
RETAIN(clRetainCommandQueue, cl_command_queue)
RETAIN(clRetainMemObject, cl_mem)
RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseMemObject, cl_mem)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseKernel, cl_kernel)

#define EACH(DO)                                                                                                       \
    DO(clGetPlatformIDs) DO(clGetPlatformInfo) DO(clGetDeviceIDs) DO(clGetDeviceInfo) DO(clGetContextInfo)             \
    DO(clGetCommandQueueInfo) DO(clGetMemObjectInfo) DO(clBuildProgram) DO(clGetProgramInfo)                           \
    DO(clGetProgramBuildInfo) DO(clSetKernelArg) DO(clGetKernelInfo) DO(clGetKernelWorkGroupInfo) DO(clWaitForEvents)  \
    DO(clGetEventInfo) DO(clGetEventProfilingInfo) DO(clFinish) DO(clEnqueueReadBuffer) DO(clEnqueueWriteBuffer)       \
    DO(clEnqueueCopyBuffer) DO(clEnqueueCopyBufferRect) DO(clEnqueueFillBuffer) DO(clEnqueueMapBuffer) DO(clEnqueueUnmapMemObject) DO(clFlush)     \
    DO(clEnqueueNDRangeKernel) DO(clCreateContext)                                                                     \
    DO(clCreateCommandQueue) DO(clCreateBuffer) DO(clCreateProgramWithSource) DO(clCreateProgramWithBinary)            \
    DO(clCreateKernel) DO(clRetainContext) DO(clRetainCommandQueue) DO(clRetainMemObject) DO(clReleaseContext)         \
    DO(clReleaseCommandQueue) DO(clReleaseMemObject) DO(clReleaseProgram) DO(clReleaseKernel) DO(clReleaseEvent)
// clang-format on
#define REPLACE(name) ours.name = fault_##name;

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *got) {
    cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what != CL_LAYER_API_VERSION || (value && size < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (got)
        *got = sizeof version;
    return CL_SUCCESS;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *our_entries,
                                                   const cl_icd_dispatch **our_table) {
    if (entries < sizeof ours / sizeof(void *) || !our_entries || !our_table)
        return CL_INVALID_VALUE;
    next = target;
    ours = *target;
    EACH(REPLACE)
    *our_entries = sizeof ours / sizeof(void *);
    *our_table = &ours;
    return CL_SUCCESS;
}
