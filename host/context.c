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
    for (size_t i = 0; i < context->device_count; i++)
        ww_context_destroy(&context->devices[i]);
    wwi_counted_release(context->store);
    free(context->devices);
    free(context->shares);
    if (context->part)
        WWI_RELEASE(context, clReleaseDevice(context->part));
    wwi_tuning_free(context);
    wwi_kernel_texts_free(context);
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

// ---- several devices

size_t ww_context_device_count(const ww_context *context) {
    return !context ? 0 : context->devices ? context->device_count : 1;
}

ww_context *ww_context_device(ww_context *context, size_t i) {
    return i < ww_context_device_count(context) ? wwi_context_on(context, i) : NULL;
}

ww_context *wwi_context_on(ww_context *context, size_t device) {
    return context && context->devices ? context->devices[device] : context;
}

bool wwi_context_is_divided(const ww_context *context) {
    return context && context->devices;
}

struct ww_store *wwi_context_store(const ww_context *context) {
    return (struct ww_store *)context->store;
}

void wwi_counted_retain(wwi_counted *counted) {
    atomic_fetch_add(&counted->references, 1);
}

void wwi_counted_release(wwi_counted *counted) {
    if (counted && atomic_fetch_sub(&counted->references, 1) == 1)
        counted->destroy(counted);
}

double wwi_context_tile_seconds(const ww_context *context) {
    return context->tile_seconds;
}

void wwi_context_note_share(ww_context *context, size_t device, const ww_device_share *share) {
    (void)pthread_mutex_lock(&context->lock);
    context->shares[device] = *share;
    (void)pthread_mutex_unlock(&context->lock);
}

ww_status ww_context_get_share(const ww_context *context, size_t i, ww_device_share *share) {
    ww_device_share own = WW_DEVICE_SHARE_INIT;
    if (!context || !share || i >= ww_context_device_count(context))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the context or the record is NULL, or it has no device %zu", i);
    if (context->devices) {
        pthread_mutex_t *lock = &((ww_context *)(uintptr_t)context)->lock;
        (void)pthread_mutex_lock(lock);
        own = context->shares[i];
        (void)pthread_mutex_unlock(lock);
    }
    return wwi_struct_give(share, &own, "ww_device_share");
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
    return context->devices ? &context->devices[0]->info : &context->info;
}

bool wwi_context_loses_arrays(const ww_context *context) {
    return wwi_text_contains(context->info.name, "llvmpipe");
}

ww_status ww_context_get_device_info(const ww_context *context, ww_device_info *info) {
    if (!context || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_context_get_device_info needs both of its arguments");
    return wwi_struct_give(info, wwi_context_info(context), "ww_device_info");
}

const char *ww_context_kernel_source(const ww_context *context) {
    if (context && context->devices)
        context = context->devices[0];
    return context && context->kernel_folder ? context->kernel_folder : "built in";
}

uint64_t ww_context_bytes(const ww_context *context) {
    uint64_t sum = context ? atomic_load(&context->bytes) : 0;
    for (size_t i = 0; context && i < context->device_count; i++)
        sum += atomic_load(&context->devices[i]->bytes);
    return sum;
}

uint64_t ww_context_programs(const ww_context *context) {
    uint64_t sum = context ? atomic_load(&context->built_programs) : 0;
    for (size_t i = 0; context && i < context->device_count; i++)
        sum += atomic_load(&context->devices[i]->built_programs);
    return sum;
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
    context = wwi_context_first(context);
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
