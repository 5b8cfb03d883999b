// SPDX-License-Identifier: Apache-2.0
// Results on their way to the caller. A driver copies into ordinary memory through a small buffer of its own, on one
// core; then the values would be gone through once more. Here pieces go straight into memory that the device can write,
// and while one is under way others are worked on, by a few threads.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

typedef struct fetch {
    wwi_buffer *buffer;
    uint64_t offset, bytes;
    wwi_take take;
    void *user;
    _Atomic uint64_t next; // where the next piece begins
} fetch;

typedef struct worker {
    fetch *of;
    void *slot;
    pthread_t thread;
    bool started;
    ww_status status;
    ww_error error;
} worker;

static void *work(void *user) {
    worker *w = user;
    fetch *f = w->of;
    uint64_t at;
    while (w->status == WW_OK && (at = atomic_fetch_add(&f->next, WWI_FETCH_PIECE)) < f->bytes) {
        const uint64_t some = f->bytes - at < WWI_FETCH_PIECE ? f->bytes - at : WWI_FETCH_PIECE;
        w->status = wwi_buffer_read(f->buffer, f->offset + at, some, w->slot);
        if (w->status == WW_OK)
            f->take(f->user, at, some, w->slot);
    }
    if (w->status != WW_OK) {
        w->error = *ww_last_error();
        atomic_store(&f->next, f->bytes); // the others need not go on
    }
    return NULL;
}

// ---- memory that the device writes

static bool pin_slot(ww_context *context, wwi_slot *slot) {
    cl_int code = CL_SUCCESS;
    slot->mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, WWI_FETCH_PIECE, NULL, &code);
    if (!slot->mem)
        return false;
    slot->memory = clEnqueueMapBuffer(context->queue, slot->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      WWI_FETCH_PIECE, 0, NULL, NULL, &code);
    if (!slot->memory) {
        (void)clReleaseMemObject(slot->mem);
        slot->mem = NULL;
        return false;
    }
    wwi_count_objects(1);
    return true;
}

// Ordinary memory serves where it need not be crossed, for what is short, and where there is no other.
static bool make_slot(ww_context *context, wwi_slot *slot, bool pinned) {
    if (slot->memory && (slot->mem || !pinned))
        return true;
    free(slot->memory);
    slot->memory = NULL;
    if (!pinned || !pin_slot(context, slot))
        slot->memory = malloc(WWI_FETCH_PIECE);
    return slot->memory != NULL;
}

void wwi_slots_free(ww_context *context) {
    for (size_t i = 0; i < WWI_FETCH_THREADS; i++) {
        wwi_slot *slot = &context->slots[i];
        if (slot->mem) {
            (void)clEnqueueUnmapMemObject(context->queue, slot->mem, slot->memory, 0, NULL, NULL);
            (void)clFinish(context->queue);
            (void)clReleaseMemObject(slot->mem);
            wwi_count_objects(-1);
        } else {
            free(slot->memory);
        }
    }
}

// ---- the whole

static uint64_t choose_threads(const ww_context *context, uint64_t bytes) {
    const uint64_t pieces = (bytes + WWI_FETCH_PIECE - 1) / WWI_FETCH_PIECE;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = wwi_tuning(context, "fetch.threads", NULL, context->info.type == WW_DEVICE_GPU ? 4 : 1);
    if (threads > cores)
        threads = cores;
    if (threads > WWI_FETCH_THREADS)
        threads = WWI_FETCH_THREADS;
    return threads < 1 ? 1 : (uint64_t)threads < pieces ? (uint64_t)threads : pieces;
}

ww_status wwi_buffer_fetch(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, wwi_take take, void *user) {
    ww_status status = WW_OK;
    ww_context *context = buffer->context;
    const bool pinned = context->info.type == WW_DEVICE_GPU && bytes > WWI_FETCH_PIECE;
    worker workers[WWI_FETCH_THREADS] = {{0}};
    sigset_t all, before;
    fetch f = {.buffer = buffer, .offset = offset, .bytes = bytes, .take = take, .user = user};
    (void)pthread_mutex_lock(&context->slots_lock);
    uint64_t threads = choose_threads(context, bytes);
    for (uint64_t i = 0; i < threads; i++) {
        workers[i].of = &f;
        if (!make_slot(context, &context->slots[i], pinned))
            threads = i;
        else
            workers[i].slot = context->slots[i].memory;
    }
    if (threads == 0) {
        status = wwi_fail_memory(WWI_FETCH_PIECE);
        goto done;
    }
    // The caller's signals are for its own threads. A thread that can't be had leaves its work to the others.
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint64_t i = 1; i < threads; i++)
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)work(&workers[0]);
    for (uint64_t i = 1; i < threads; i++)
        if (workers[i].started)
            (void)pthread_join(workers[i].thread, NULL);
    for (uint64_t i = 0; i < threads && status == WW_OK; i++)
        if (workers[i].status != WW_OK)
            status = wwi_fail_restore(&workers[i].error, NULL);
done:
    (void)pthread_mutex_unlock(&context->slots_lock);
    return status;
}
