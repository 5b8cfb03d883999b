// SPDX-License-Identifier: Apache-2.0
// See cuda.h. Here: the driver, and what all objects need of a context.
#include "cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// ---- the driver

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static wwi_cuda driver;
static bool loaded;

// POSIX has functions in a void *.
static bool find_function(void *library, const char *name, void *member) {
    void *function = dlsym(library, name);
    memcpy(member, &function, sizeof function);
    return function != NULL;
}

// The library stays loaded: the driver's threads use it.
static void load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    loaded = library != NULL;
#define FIND(member, name, parameters) loaded = loaded && find_function(library, name, &driver.member);
    WWI_CUDA_FUNCTIONS(FIND)
    loaded = loaded && driver.init(0) == 0;
}

const wwi_cuda *wwi_cuda_driver(void) {
    (void)pthread_once(&loading, load);
    if (loaded)
        return &driver;
    (void)wwi_fail(WW_ERROR_NO_DEVICE, "NVIDIA's driver (libcuda.so.1) is not installed, or finds no GPU");
    (void)wwi_fail_hint("take a context of OpenCL: ww_context_create()");
    return NULL;
}

cl_int wwi_cuda_code(int code) {
    switch (code) {
    case 0:
        return CL_SUCCESS;
    case 1:
        return CL_INVALID_VALUE;
    case 2:
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case 700:
        return -9999; // an illegal memory access, as NVIDIA's OpenCL says it
    default:
        return CL_OUT_OF_RESOURCES;
    }
}

cl_int wwi_cuda_enter(cl_context context) {
    return wwi_cuda_code(context->cuda->push(context->current));
}

cl_int wwi_cuda_leave(cl_context context, int code) {
    void *other;
    const int left = context->cuda->pop(&other);
    return wwi_cuda_code(code ? code : left);
}

cl_int wwi_cuda_tell(const void *value, size_t bytes, size_t room, void *target, size_t *needed) {
    if (needed)
        *needed = bytes;
    if (!target)
        return CL_SUCCESS;
    if (room < bytes)
        return CL_INVALID_VALUE;
    memcpy(target, value, bytes);
    return CL_SUCCESS;
}

// ---- contexts and events

void wwi_cuda_retain(cl_context context) {
    atomic_fetch_add(&context->references, 1);
}

void *wwi_cuda_new(cl_context context, size_t bytes) {
    struct head {
        WWI_CUDA_HEAD;
    } *made = calloc(1, bytes);
    if (!made)
        return NULL;
    made->dispatch = context->dispatch;
    atomic_init(&made->references, 1);
    made->context = context;
    wwi_cuda_retain(context);
    return made;
}

static void free_events(cl_context context) {
    for (cl_event event; (event = context->idle);) {
        context->idle = event->next;
        (void)context->cuda->event_free(event->begin);
        (void)context->cuda->event_free(event->end);
        free(event);
    }
}

void wwi_cuda_release(cl_context context) {
    if (atomic_fetch_sub(&context->references, 1) != 1)
        return;
    if (wwi_cuda_enter(context) == CL_SUCCESS) {
        free_events(context);
        (void)wwi_cuda_leave(context, 0);
    }
    (void)context->cuda->context_release(context->ordinal);
    if (context->compiler)
        (void)clReleaseContext(context->compiler);
    (void)pthread_mutex_destroy(&context->lock);
    free(context);
}

// To make one takes CUDA longer than to record it: those that nobody holds are kept.
cl_event wwi_cuda_event(cl_context context, bool timed) {
    (void)pthread_mutex_lock(&context->lock);
    cl_event event = context->idle;
    if (event)
        context->idle = event->next;
    (void)pthread_mutex_unlock(&context->lock);
    if (!event && (event = calloc(1, sizeof *event)) != NULL) {
        event->dispatch = context->dispatch;
        event->context = context;
        if (context->cuda->event_new(&event->begin, 0) != 0 || context->cuda->event_new(&event->end, 0) != 0) {
            if (event->begin)
                (void)context->cuda->event_free(event->begin);
            free(event);
            event = NULL;
        }
    }
    if (!event)
        return NULL;
    event->timed = timed;
    wwi_cuda_retain(context);
    return event;
}
