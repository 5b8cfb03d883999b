// SPDX-License-Identifier: Apache-2.0
// Contexts: retain, release, properties. open.c creates them.
#include <stdlib.h>
#include <wavewarp/opencl.h>

#include "internal.h"
#include "options.h"

// ---- retain and release

void wwi_context_retain(ww_context *context) {
    atomic_fetch_add(&context->references, 1);
}

void wwi_context_release(ww_context *context) {
    if (!context || atomic_fetch_sub(&context->references, 1) != 1)
        return;
    const bool forked = wwi_is_forked(context);
    if (context->queue) {
        if (!forked) {
            (void)clFinish(context->queue); // no launch may still use the objects released next
            (void)wwi_spares_free(context);
        }
        wwi_pinned_free(context);
        wwi_programs_free(context);
        WWI_RELEASE(context, clReleaseCommandQueue(context->queue));
    }
    if (context->cl)
        WWI_RELEASE(context, clReleaseContext(context->cl));
    wwi_tuning_free(context);
    free(context->kernel_folder);
    if (!forked) { // else a thread that no longer exists may hold them
        (void)pthread_cond_destroy(&context->built);
        (void)pthread_mutex_destroy(&context->lock);
        (void)pthread_mutex_destroy(&context->pinned_lock);
    }
    free(context);
}

void ww_context_destroy(ww_context **context) {
    if (!context)
        return;
    wwi_context_release(*context);
    *context = NULL;
}

// ---- properties

const ww_device_info *wwi_context_info(const ww_context *context) {
    return &context->info;
}

ww_status ww_context_get_device_info(const ww_context *context, ww_device_info *info) {
    if (!context || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_context_get_device_info needs both of its arguments");
    return wwi_struct_give(info, &context->info, "ww_device_info");
}

const char *ww_context_kernel_source(const ww_context *context) {
    return context && context->kernel_folder ? context->kernel_folder : "built in";
}

uint64_t ww_context_bytes(const ww_context *context) {
    return context ? atomic_load(&context->bytes) : 0;
}

uint64_t ww_context_programs(const ww_context *context) {
    return context ? atomic_load(&context->built_programs) : 0;
}

wwi_exchange wwi_context_exchange(const ww_context *context) {
    return context->exchange;
}

unsigned wwi_context_exchange_width(const ww_context *context) {
    return context->exchange_width;
}

ww_status ww_context_get_opencl(ww_context *context, cl_context *cl, cl_device_id *device, cl_command_queue *queue) {
    if (!context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_context_opencl needs a context");
    if (cl)
        *cl = context->cl;
    if (device)
        *device = context->device;
    if (queue)
        *queue = context->queue;
    return WW_OK;
}
