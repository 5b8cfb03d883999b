// SPDX-License-Identifier: Apache-2.0
// Contexts: retain, release, properties. open.c creates them.
#include <stdlib.h>
#include <string.h>
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
        wwi_pinned_free(context, context->queue, &context->pinned);
        wwi_programs_free(context);
        WWI_RELEASE(context, clReleaseCommandQueue(context->queue));
    }
    if (context->cl)
        WWI_RELEASE(context, clReleaseContext(context->cl));
    if (context->part)
        WWI_RELEASE(context, clReleaseDevice(context->part));
    wwi_tuning_free(context);
    free(context->kernel_folder);
    if (!forked) { // else a thread that no longer exists may hold them
        (void)pthread_cond_destroy(&context->built);
        (void)pthread_mutex_destroy(&context->lock);
        (void)pthread_mutex_destroy(&context->pinned_lock);
    }
    free(context);
}

void ww_context_destroy(ww_context **pointer) {
    ww_context *context = wwi_taken(pointer);
    if (!context)
        return;
    const bool forked = wwi_is_forked(context); // then a thread that no longer exists may hold the lock
    if (!forked)
        (void)pthread_mutex_lock(&context->lock);
    wwi_kept *kept = context->kept;
    context->kept = NULL;
    context->given_up = true;
    if (!forked)
        (void)pthread_mutex_unlock(&context->lock);
    while (kept) {
        wwi_kept *next = kept->next;
        kept->destroy(kept);
        kept = next;
    }
    wwi_context_release(context);
}

// ---- what is kept

wwi_kept *wwi_context_take(ww_context *context, bool (*fits)(const wwi_kept *kept, const void *user),
                           const void *user) {
    if (wwi_is_forked(context))
        return NULL;
    (void)pthread_mutex_lock(&context->lock);
    wwi_kept **link = &context->kept;
    while (*link && !fits(*link, user))
        link = &(*link)->next;
    wwi_kept *found = *link;
    if (found)
        *link = found->next;
    (void)pthread_mutex_unlock(&context->lock);
    return found;
}

void wwi_context_keep(ww_context *context, wwi_kept *kept) {
    wwi_kept *superfluous = NULL;
    size_t count = 0;
    (void)pthread_mutex_lock(&context->lock);
    if (context->given_up) {
        superfluous = kept;
    } else {
        kept->next = context->kept;
        context->kept = kept;
        wwi_kept **link = &context->kept;
        while (*link && ++count <= WWI_KEPT)
            link = &(*link)->next;
        superfluous = *link;
        *link = NULL;
    }
    (void)pthread_mutex_unlock(&context->lock);
    if (superfluous)
        superfluous->destroy(superfluous);
}

// ---- properties

const ww_device_info *wwi_context_info(const ww_context *context) {
    return &context->info;
}

bool wwi_context_loses_arrays(const ww_context *context) {
    return wwi_text_contains(context->info.name, "llvmpipe");
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

bool wwi_context_fast_double(const ww_context *context) {
    static const char *const archs[] = {"sm_60",  "sm_70",  "sm_80",  "sm_90", "sm_100",
                                        "gfx906", "gfx908", "gfx90a", "gfx942"};
    for (size_t i = 0; context->info.has_double && i < sizeof archs / sizeof *archs; i++)
        if (strcmp(context->arch, archs[i]) == 0)
            return true;
    return false;
}

bool wwi_context_is_cuda(const ww_context *context) {
    return strcmp(context->info.platform, WWI_CUDA) == 0;
}

ww_status ww_context_get_opencl(ww_context *context, cl_context *cl, cl_device_id *device, cl_command_queue *queue) {
    if (!context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_context_get_opencl needs a context");
    if (wwi_context_is_cuda(context))
        return wwi_fail(WW_ERROR_UNSUPPORTED, "a context of CUDA has no OpenCL objects for others");
    if (cl)
        *cl = context->cl;
    if (device)
        *device = context->device;
    if (queue)
        *queue = context->queue;
    return WW_OK;
}
