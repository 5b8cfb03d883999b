// SPDX-License-Identifier: Apache-2.0
// Spares: device memory of released buffers that is not yet returned to the driver.
//
// A GPU's driver needs some 50 us a buffer to free memory or to allocate it, while nothing runs. Memory of released
// buffers is kept for new ones, up to a 64th of the device's memory. The queue is in order, so a new buffer can use it
// at once.
#include "internal.h"

static cl_mem take_out(ww_context *context, size_t i) {
    const cl_mem mem = context->spares[i].mem;
    context->spare_bytes -= context->spares[i].bytes;
    context->spare_count--;
    for (; i < context->spare_count; i++)
        context->spares[i] = context->spares[i + 1];
    return mem;
}

static void forget_spare(ww_context *context, size_t i) {
    (void)clReleaseMemObject(take_out(context, i));
}

bool wwi_spares_free(ww_context *context) {
    (void)pthread_mutex_lock(&context->lock);
    const bool some = context->spare_count > 0;
    while (context->spare_count > 0)
        forget_spare(context, context->spare_count - 1);
    (void)pthread_mutex_unlock(&context->lock);
    return some;
}

// The smallest that is not much too large, or NULL.
cl_mem wwi_spares_take(ww_context *context, uint64_t bytes, uint64_t *had) {
    cl_mem mem = NULL;
    size_t best = WWI_SPARES;
    (void)pthread_mutex_lock(&context->lock);
    for (size_t i = 0; i < context->spare_count; i++) {
        const uint64_t there = context->spares[i].bytes;
        if (there >= bytes && there - bytes <= bytes / 8 + 256 &&
            (best == WWI_SPARES || there < context->spares[best].bytes))
            best = i;
    }
    if (best != WWI_SPARES) {
        *had = context->spares[best].bytes;
        mem = take_out(context, best);
    }
    (void)pthread_mutex_unlock(&context->lock);
    return mem;
}

// The oldest are released first.
bool wwi_spares_keep(ww_context *context, cl_mem mem, uint64_t bytes) {
    const uint64_t most = context->info.global_bytes / 64;
    if (context->info.type != WW_DEVICE_GPU || bytes > most)
        return false;
    (void)pthread_mutex_lock(&context->lock);
    while (context->spare_count == WWI_SPARES || context->spare_bytes + bytes > most)
        forget_spare(context, 0);
    context->spares[context->spare_count++] = (wwi_spare){mem, bytes};
    context->spare_bytes += bytes;
    (void)pthread_mutex_unlock(&context->lock);
    return true;
}
