// SPDX-License-Identifier: Apache-2.0
// Spares: memory given up and not yet given back.
//
// A GPU's driver takes its time to give memory back, and to find it again: some 50 us a buffer, while nothing runs.
// What buffers leave behind is kept for the next ones, up to a 64th of the device's memory. The queue is in order, so
// whoever comes next can have it at once.
#include "internal.h"

static void forget_spare(ww_context *context, size_t i) {
    (void)clReleaseMemObject(context->spares[i].mem);
    context->spare_bytes -= context->spares[i].bytes;
    context->spare_count--;
    for (; i < context->spare_count; i++)
        context->spares[i] = context->spares[i + 1];
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
        mem = context->spares[best].mem;
        *had = context->spares[best].bytes;
        (void)clRetainMemObject(mem);
        forget_spare(context, best);
    }
    (void)pthread_mutex_unlock(&context->lock);
    return mem;
}

// The oldest make room.
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
