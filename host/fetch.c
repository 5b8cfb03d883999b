// SPDX-License-Identifier: Apache-2.0
// Copies results from the device to the caller. A driver copies into ordinary memory through a small buffer of its own,
// on one core; then the values would be read once more. Here pieces are copied into memory that the device writes
// directly, and while some are being copied others are processed, by a few threads.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

// Each thread has one piece being copied while it processes another.
enum { SLOTS = 2 };

typedef struct fetch {
    const wwi_fetch_part *parts;
    uint64_t pieces;
    _Atomic uint64_t next;
} fetch;

typedef struct worker {
    fetch *of;
    unsigned char *slots;
    pthread_t thread;
    bool started;
    ww_status status;
    ww_error error;
} worker;

// A piece whose copy was started; part NULL: none is left.
typedef struct piece {
    const wwi_fetch_part *part;
    uint64_t at, bytes;
    cl_event event;
} piece;

static uint64_t pieces_of(const wwi_fetch_part *part) {
    return (part->bytes + WWI_FETCH_PIECE - 1) / WWI_FETCH_PIECE;
}

static ww_status ask(fetch *f, void *slot, piece *p) {
    uint64_t number = atomic_fetch_add(&f->next, 1);
    *p = (piece){0};
    if (number >= f->pieces)
        return WW_OK;
    const wwi_fetch_part *part = f->parts;
    for (; number >= pieces_of(part); part++)
        number -= pieces_of(part);
    const uint64_t at = number * WWI_FETCH_PIECE, left = part->bytes - at;
    *p = (piece){.part = part, .at = at, .bytes = left < WWI_FETCH_PIECE ? left : WWI_FETCH_PIECE};
    const ww_context *context = part->buffer->context;
    cl_int code = clEnqueueReadBuffer(context->queue, part->buffer->mem, CL_FALSE, (size_t)at, (size_t)p->bytes, slot,
                                      0, NULL, &p->event);
    if (code != CL_SUCCESS) {
        p->event = NULL;
        return wwi_fail_cl(context, code, "clEnqueueReadBuffer", "can't fetch %llu bytes from the device",
                           (unsigned long long)p->bytes);
    }
    wwi_count_objects(1);
    (void)clFlush(context->queue);
    return WW_OK;
}

static ww_status await(piece *p) {
    if (!p->event)
        return WW_OK;
    const cl_int code = clWaitForEvents(1, &p->event);
    (void)clReleaseEvent(p->event);
    wwi_count_objects(-1);
    p->event = NULL;
    return code == CL_SUCCESS ? WW_OK
                              : wwi_fail_cl(p->part->buffer->context, code, "clWaitForEvents",
                                            "can't fetch %llu bytes from the device", (unsigned long long)p->bytes);
}

static void *work(void *user) {
    worker *w = user;
    piece now = {0}, next = {0};
    unsigned slot = 0;
    w->status = ask(w->of, w->slots, &now);
    while (w->status == WW_OK && now.part) {
        w->status = ask(w->of, w->slots + (1 - slot) * WWI_FETCH_PIECE, &next);
        const ww_status came = await(&now);
        if (w->status == WW_OK)
            w->status = came;
        if (w->status == WW_OK)
            now.part->take(now.part->user, now.at, now.bytes, w->slots + slot * WWI_FETCH_PIECE);
        now = next;
        slot = 1 - slot;
    }
    if (w->status != WW_OK) {
        w->error = *ww_last_error();
        atomic_store(&w->of->next, w->of->pieces); // the other threads may stop
        (void)await(&now);
    }
    return NULL;
}

// ---- all pieces

static unsigned choose_threads(const ww_context *context, uint64_t pieces) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = wwi_tuning(context, "fetch.threads", NULL, context->info.type == WW_DEVICE_GPU ? 6 : 1);
    if (threads > cores)
        threads = cores;
    if (threads > WWI_FETCH_THREADS)
        threads = WWI_FETCH_THREADS;
    if (threads > (long)pieces)
        threads = (long)pieces;
    return threads < 1 ? 1 : (unsigned)threads;
}

static ww_status run(fetch *f, unsigned threads, unsigned char *slots) {
    ww_status status = WW_OK;
    worker workers[WWI_FETCH_THREADS] = {{0}};
    sigset_t all, before;
    for (unsigned i = 0; i < threads; i++) {
        workers[i].of = f;
        workers[i].slots = slots + i * SLOTS * WWI_FETCH_PIECE;
    }
    // The caller's own threads handle its signals. When a thread can't be created, the others do its work.
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 1; i < threads; i++)
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)work(&workers[0]);
    for (unsigned i = 1; i < threads; i++)
        if (workers[i].started)
            (void)pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < threads && status == WW_OK; i++)
        if (workers[i].status != WW_OK)
            status = wwi_fail_restore(&workers[i].error, NULL);
    return status;
}

ww_status wwi_fetch(const wwi_fetch_part *parts, size_t count) {
    ww_status status = WW_OK;
    fetch f = {.parts = parts};
    for (size_t i = 0; i < count; i++) {
        if (parts[i].bytes > parts[i].buffer->bytes)
            return wwi_fail(WW_ERROR_INTERNAL, "%llu bytes are wanted of a device buffer of %llu",
                            (unsigned long long)parts[i].bytes, (unsigned long long)parts[i].buffer->bytes);
        f.pieces += pieces_of(&parts[i]);
    }
    if (f.pieces == 0)
        return WW_OK;
    ww_context *context = parts[0].buffer->context;
    if ((status = wwi_check_process(context)) != WW_OK)
        return status;
    const unsigned threads = choose_threads(context, f.pieces);
    if (context->info.type == WW_DEVICE_GPU && f.pieces > SLOTS) {
        // One at a time.
        (void)pthread_mutex_lock(&context->pinned_lock);
        const bool pinned = wwi_pinned_get(context, (size_t)(WWI_FETCH_THREADS * SLOTS * WWI_FETCH_PIECE));
        if (pinned)
            status = run(&f, threads, context->pinned_memory);
        (void)pthread_mutex_unlock(&context->pinned_lock);
        if (pinned)
            return status;
    }
    // Ordinary memory is used for devices that are no GPU, for short results, and where there is no other memory.
    const size_t bytes = (size_t)(threads * SLOTS * WWI_FETCH_PIECE);
    unsigned char *slots = malloc(bytes);
    if (!slots)
        return wwi_fail_memory(bytes);
    status = run(&f, threads, slots);
    free(slots);
    return status;
}
