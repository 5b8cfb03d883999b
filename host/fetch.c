// SPDX-License-Identifier: Apache-2.0
// Copies results from the device to the caller. A driver copies into ordinary memory through a small buffer of its own,
// on one core; then the values would be read once more. Here pieces are copied into memory that the device writes
// directly. One thread alone calls OpenCL: it asks for pieces ahead and waits for them, mostly while the kernel that
// makes them still runs. Others, which are there by then, process those that have come.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

enum { SLOTS = 2 * WWI_FETCH_THREADS }; // pieces that are asked for or being processed

// Pieces are numbered; piece k has slot k % SLOTS. The lock guards what the workers use.
typedef struct fetch {
    const wwi_fetch_part *parts;
    uint64_t pieces;
    unsigned char *slots;
    cl_event events[SLOTS];
    uint64_t asked;
    pthread_mutex_t lock;
    pthread_cond_t came, freed;
    uint64_t arrived, next;   // pieces that are there; the first of them that nobody has taken
    uint64_t freed_by[SLOTS]; // pieces of the slot that are done with
    bool stop, alone;         // no workers
} fetch;

typedef struct piece {
    const wwi_fetch_part *part;
    uint64_t at, bytes;
} piece;

static uint64_t pieces_of(const wwi_fetch_part *part) {
    return (part->bytes + WWI_FETCH_PIECE - 1) / WWI_FETCH_PIECE;
}

static piece piece_of(const fetch *f, uint64_t number) {
    const wwi_fetch_part *part = f->parts;
    for (; number >= pieces_of(part); part++)
        number -= pieces_of(part);
    const uint64_t at = number * WWI_FETCH_PIECE, left = part->bytes - at;
    return (piece){part, at, left < WWI_FETCH_PIECE ? left : WWI_FETCH_PIECE};
}

static unsigned char *slot_of(const fetch *f, uint64_t number) {
    return f->slots + number % SLOTS * WWI_FETCH_PIECE;
}

// Processes a piece that has come, if there is one. The caller holds the lock, which is released meanwhile.
static bool take_one(fetch *f) {
    if (f->next >= f->arrived)
        return false;
    const uint64_t number = f->next++;
    (void)pthread_mutex_unlock(&f->lock);
    const piece p = piece_of(f, number);
    p.part->take(p.part->user, p.at, p.bytes, slot_of(f, number));
    (void)pthread_mutex_lock(&f->lock);
    f->freed_by[number % SLOTS]++;
    (void)pthread_cond_signal(&f->freed);
    return true;
}

static void *work(void *user) {
    fetch *f = user;
    (void)pthread_mutex_lock(&f->lock);
    while (take_one(f) || (!f->stop && f->next < f->pieces))
        if (f->next >= f->arrived && !f->stop && f->next < f->pieces)
            (void)pthread_cond_wait(&f->came, &f->lock);
    (void)pthread_mutex_unlock(&f->lock);
    return NULL;
}

// Starts the copies of as many pieces as there are free slots. The caller holds the lock.
static ww_status ask(fetch *f) {
    const uint64_t before = f->asked;
    const ww_context *context = f->parts->buffer->context;
    ww_status status = WW_OK;
    while (status == WW_OK && f->asked < f->pieces && f->freed_by[f->asked % SLOTS] == f->asked / SLOTS) {
        const piece p = piece_of(f, f->asked);
        cl_event event = NULL;
        const cl_int code =
            clEnqueueReadBuffer(context->queue, p.part->buffer->mem, CL_FALSE, (size_t)(p.part->from + p.at),
                                (size_t)p.bytes, slot_of(f, f->asked), 0, NULL, &event);
        if (code != CL_SUCCESS) {
            status = wwi_fail_cl(context, code, "clEnqueueReadBuffer", "can't fetch %llu bytes from the device",
                                 (unsigned long long)p.bytes);
        } else {
            wwi_count_objects(1);
            f->events[f->asked++ % SLOTS] = event;
        }
    }
    if (f->asked > before)
        (void)clFlush(context->queue);
    return status;
}

// Waits for the oldest piece on its way.
static ww_status await(fetch *f) {
    const uint64_t number = f->arrived;
    const cl_int code = clWaitForEvents(1, &f->events[number % SLOTS]);
    (void)clReleaseEvent(f->events[number % SLOTS]);
    wwi_count_objects(-1);
    return code == CL_SUCCESS
               ? WW_OK
               : wwi_fail_cl(f->parts->buffer->context, code, "clWaitForEvents",
                             "can't fetch %llu bytes from the device", (unsigned long long)piece_of(f, number).bytes);
}

// The thread that calls OpenCL. What it does not wait for it processes too.
static ww_status bring(fetch *f) {
    ww_status status = WW_OK;
    (void)pthread_mutex_lock(&f->lock);
    while (status == WW_OK && f->arrived < f->pieces) {
        if ((status = ask(f)) != WW_OK)
            break;
        if (f->asked == f->arrived) {
            // All slots are full.
            if (!take_one(f))
                (void)pthread_cond_wait(&f->freed, &f->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&f->lock);
        status = await(f);
        if (status == WW_OK)
            status = wwi_interrupted();
        (void)pthread_mutex_lock(&f->lock);
        f->arrived++;
        (void)pthread_cond_signal(&f->came);
        if (status == WW_OK && f->alone)
            (void)take_one(f);
    }
    if (status != WW_OK)
        f->next = f->pieces; // nothing more is taken
    // Copies still on their way write to the slots.
    const ww_error error = *ww_last_error();
    for (; f->arrived < f->asked; f->arrived++)
        (void)await(f);
    if (status != WW_OK) {
        // A wait that failed does not say that its copy has ended.
        (void)clFinish(f->parts->buffer->context->queue);
        f->arrived = f->pieces;
        (void)wwi_fail_restore(&error, NULL);
    }
    f->stop = true;
    (void)pthread_cond_broadcast(&f->came);
    while (take_one(f))
        continue;
    (void)pthread_mutex_unlock(&f->lock);
    return status;
}

// ---- all pieces

// To start a thread takes as long as to copy a piece or two.
static unsigned choose_threads(const ww_context *context, uint64_t pieces) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), worth = 1 + (long)(pieces < 64 ? pieces : 64) / 4;
    long threads = wwi_tuning(context, "fetch.threads", NULL, context->info.type == WW_DEVICE_GPU ? 6 : 1);
    if (threads > cores)
        threads = cores;
    if (threads > WWI_FETCH_THREADS)
        threads = WWI_FETCH_THREADS;
    if (threads > worth && context->info.type == WW_DEVICE_GPU)
        threads = worth;
    if (threads > (long)pieces)
        threads = (long)pieces;
    return threads < 1 ? 1 : (unsigned)threads;
}

static ww_status run(fetch *f, unsigned threads, unsigned char *slots) {
    pthread_t workers[WWI_FETCH_THREADS];
    unsigned started = 0;
    sigset_t all, before;
    f->slots = slots;
    (void)pthread_mutex_init(&f->lock, NULL);
    (void)pthread_cond_init(&f->came, NULL);
    (void)pthread_cond_init(&f->freed, NULL);
    // The caller's own threads handle its signals. When a thread can't be created, the others do its work.
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started + 1 < threads && pthread_create(&workers[started], NULL, work, f) == 0)
        started++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    f->alone = started == 0;
    const ww_status status = bring(f);
    while (started > 0)
        (void)pthread_join(workers[--started], NULL);
    (void)pthread_cond_destroy(&f->freed);
    (void)pthread_cond_destroy(&f->came);
    (void)pthread_mutex_destroy(&f->lock);
    return status;
}

ww_status wwi_fetch(const wwi_fetch_part *parts, size_t count) {
    fetch f = {.parts = parts};
    for (size_t i = 0; i < count; i++) {
        if (parts[i].from > parts[i].buffer->bytes || parts[i].bytes > parts[i].buffer->bytes - parts[i].from)
            return wwi_fail(WW_ERROR_INTERNAL, "%llu bytes are wanted of a device buffer of %llu",
                            (unsigned long long)parts[i].bytes, (unsigned long long)parts[i].buffer->bytes);
        f.pieces += pieces_of(&parts[i]);
    }
    if (f.pieces == 0)
        return WW_OK;
    ww_context *context = parts[0].buffer->context;
    WWI_TRY(wwi_check_process(context));
    const unsigned threads = choose_threads(context, f.pieces);
    if (context->info.type == WW_DEVICE_GPU) {
        ww_status status = WW_OK;
        // One at a time.
        (void)pthread_mutex_lock(&context->pinned_lock);
        const bool pinned = context->pinned.mem || wwi_pinned_make(context, context->queue,
                                                                   (size_t)(SLOTS * WWI_FETCH_PIECE), &context->pinned);
        if (pinned)
            status = run(&f, threads, context->pinned.memory);
        (void)pthread_mutex_unlock(&context->pinned_lock);
        if (pinned)
            return status;
    }
    // Ordinary memory is used for devices that are no GPU, and where there is no other memory.
    const size_t bytes = (size_t)((f.pieces < SLOTS ? f.pieces : SLOTS) * WWI_FETCH_PIECE);
    WWI_FREES unsigned char *slots = NULL;
    WWI_TRY(wwi_new(slots, bytes));
    return run(&f, threads, slots);
}
