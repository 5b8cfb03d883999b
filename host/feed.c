// SPDX-License-Identifier: Apache-2.0
// Sends data to buffers while the context's own queue runs kernels. Several threads make it, piece by piece, in memory
// that the device reads directly, and enqueue it on a queue of the feed's own: so copying on the host, the bus and the
// kernels are busy at the same time. Each thread has two slots of that memory: it fills one while the other is on its
// way. The thread that waits takes part.
#include <signal.h>
#include <stdlib.h>

#include "internal.h"

enum { SLOTS = 2 }; // of a thread

typedef struct worker {
    wwi_feed *feed;
    unsigned char *slots;
    cl_event events[SLOTS]; // the last write of what a slot has
    unsigned turn;
    pthread_t thread;
} worker;

struct wwi_feed {
    wwi_kept kept; // by the context, between two users
    ww_context *context;
    cl_command_queue queue;
    wwi_pinned pinned; // or there is none: `memory` is ordinary memory
    unsigned char *memory;
    uint64_t slot_bytes;
    worker workers[WWI_FEED_THREADS + 1]; // the first is the thread that waits
    unsigned wanted, started;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t work, done;
    wwi_feed_make_fn make;
    void *user;
    uint64_t pieces, next, enqueued; // of the present block
    bool stop, failed;
    ww_error error;
};

// The caller holds the lock.
static void keep_error(wwi_feed *f) {
    if (f->failed)
        return;
    f->failed = true;
    f->error = *ww_last_error();
}

static void forget_event(worker *w, unsigned slot) {
    if (!w->events[slot])
        return;
    WWI_RELEASE(w->feed->context, clReleaseEvent(w->events[slot]));
    w->events[slot] = NULL;
}

static ww_status send_piece(worker *w, uint64_t number) {
    const wwi_feed *f = w->feed;
    const unsigned slot = w->turn++ % SLOTS;
    unsigned char *memory = w->slots + slot * f->slot_bytes;
    wwi_feed_part parts[WWI_FEED_PARTS];
    size_t count = 0;
    cl_int code = w->events[slot] ? clWaitForEvents(1, &w->events[slot]) : CL_SUCCESS;
    forget_event(w, slot);
    if (code != CL_SUCCESS)
        return wwi_fail_cl(f->context, code, "clWaitForEvents", "can't send data to the device");
    WWI_TRY(f->make(f->user, number, memory, parts, &count));
    for (size_t p = 0; p < count; p++) {
        const wwi_feed_part *part = &parts[p];
        if (part->at > part->buffer->bytes || part->bytes > part->buffer->bytes - part->at ||
            part->from + part->bytes > f->slot_bytes)
            return wwi_fail(WW_ERROR_INTERNAL, "a piece of %llu bytes at %llu is outside its buffer",
                            (unsigned long long)part->bytes, (unsigned long long)part->at);
        // A slot is free when its last write has ended: the queue is in order.
        code = clEnqueueWriteBuffer(f->queue, part->buffer->mem, CL_FALSE, (size_t)part->at, (size_t)part->bytes,
                                    memory + part->from, 0, NULL, p + 1 == count ? &w->events[slot] : NULL);
        if (code != CL_SUCCESS) {
            w->events[slot] = NULL;
            (void)clFinish(f->queue);
            return wwi_fail_cl(f->context, code, "clEnqueueWriteBuffer", "can't send %llu bytes to the device",
                               (unsigned long long)part->bytes);
        }
    }
    if (count)
        wwi_count_objects(1);
    (void)clFlush(f->queue);
    return WW_OK;
}

// Takes and sends a piece, if there is one. The caller holds the lock, which is released meanwhile.
static bool take_one(worker *w) {
    wwi_feed *f = w->feed;
    if (f->next >= f->pieces)
        return false;
    const uint64_t number = f->next++;
    if (!f->failed) {
        (void)pthread_mutex_unlock(&f->lock);
        const ww_status status = send_piece(w, number);
        (void)pthread_mutex_lock(&f->lock);
        if (status != WW_OK)
            keep_error(f);
    }
    if (++f->enqueued == f->pieces)
        (void)pthread_cond_signal(&f->done);
    return true;
}

static void *work(void *user) {
    worker *w = user;
    wwi_feed *f = w->feed;
    (void)pthread_mutex_lock(&f->lock);
    while (!f->stop)
        if (!take_one(w))
            (void)pthread_cond_wait(&f->work, &f->lock);
    (void)pthread_mutex_unlock(&f->lock);
    return NULL;
}

static ww_status make_memory(wwi_feed *f, uint64_t bytes) {
    f->memory =
        wwi_pinned_make(f->context, f->queue, (size_t)bytes, &f->pinned) ? f->pinned.memory : malloc((size_t)bytes);
    return f->memory ? WW_OK : wwi_fail_memory(bytes);
}

ww_status wwi_feed_create(ww_context *context, unsigned threads, uint64_t slot_bytes, wwi_feed **out) {
    cl_int code = CL_SUCCESS;
    WWI_ENDS(wwi_feed_destroy) wwi_feed *f = NULL;
    *out = NULL;
    WWI_TRY(wwi_check_process(context));
    WWI_TRY(wwi_new_zeroed(f, 1));
    wwi_context_retain(context);
    f->context = context;
    f->slot_bytes = slot_bytes;
    f->wanted = threads < WWI_FEED_THREADS ? threads : WWI_FEED_THREADS;
    (void)pthread_mutex_init(&f->lock, NULL);
    (void)pthread_cond_init(&f->work, NULL);
    (void)pthread_cond_init(&f->done, NULL);
    f->queue = clCreateCommandQueue(context->cl, context->device, 0, &code);
    if (!f->queue)
        return wwi_fail_cl(context, code, "clCreateCommandQueue", "can't open a second queue on the device");
    wwi_count_objects(1);
    WWI_TRY(make_memory(f, (uint64_t)(f->wanted + 1) * SLOTS * slot_bytes));
    for (unsigned i = 0; i <= f->wanted; i++) {
        f->workers[i].feed = f;
        f->workers[i].slots = f->memory + (uint64_t)i * SLOTS * slot_bytes;
    }
    *out = wwi_taken(&f);
    return WW_OK;
}

void wwi_feed_start(wwi_feed *f, uint64_t pieces, unsigned threads, wwi_feed_make_fn make, void *user) {
    sigset_t all, before;
    (void)pthread_mutex_lock(&f->lock);
    f->make = make;
    f->user = user;
    f->pieces = pieces;
    f->next = f->enqueued = 0;
    f->failed = false;
    (void)pthread_cond_broadcast(&f->work);
    (void)pthread_mutex_unlock(&f->lock);
    // The caller's own threads handle its signals. When a thread can't be created, the others do its work.
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (f->started < f->wanted && f->started < threads && f->started + 1 < pieces &&
           pthread_create(&f->workers[f->started + 1].thread, NULL, work, &f->workers[f->started + 1]) == 0)
        f->started++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

ww_status wwi_feed_wait(wwi_feed *f) {
    WWI_TRY(wwi_check_process(f->context));
    (void)pthread_mutex_lock(&f->lock);
    do {
        (void)pthread_mutex_unlock(&f->lock);
        const ww_status status = wwi_interrupted();
        (void)pthread_mutex_lock(&f->lock);
        if (status != WW_OK)
            keep_error(f);
    } while (take_one(&f->workers[0]));
    while (f->enqueued < f->pieces)
        (void)pthread_cond_wait(&f->done, &f->lock);
    const bool failed = f->failed;
    (void)pthread_mutex_unlock(&f->lock);
    const cl_int code = clFinish(f->queue);
    if (failed)
        return wwi_fail_restore(&f->error, NULL);
    return code == CL_SUCCESS ? WW_OK : wwi_fail_cl(f->context, code, "clFinish", "can't send data to the device");
}

void wwi_feed_rest(wwi_feed *f) {
    if (!f || wwi_is_forked(f->context))
        return;
    (void)pthread_mutex_lock(&f->lock);
    // What is left of a block is not sent; what was begun is.
    f->pieces = f->next;
    while (f->enqueued < f->pieces)
        (void)pthread_cond_wait(&f->done, &f->lock);
    f->stop = true;
    (void)pthread_cond_broadcast(&f->work);
    (void)pthread_mutex_unlock(&f->lock);
    (void)clFinish(f->queue);
    while (f->started > 0)
        (void)pthread_join(f->workers[f->started--].thread, NULL);
    f->stop = false;
}

void wwi_feed_destroy(wwi_feed **pointer) {
    wwi_feed *f = wwi_taken(pointer);
    if (!f)
        return;
    const bool forked = wwi_is_forked(f->context);
    if (f->queue)
        wwi_feed_rest(f);
    for (unsigned i = 0; i <= f->wanted; i++)
        for (unsigned slot = 0; slot < SLOTS && f->queue; slot++)
            forget_event(&f->workers[i], slot);
    if (f->pinned.mem)
        wwi_pinned_free(f->context, f->queue, &f->pinned);
    else
        free(f->memory);
    if (f->queue)
        WWI_RELEASE(f->context, clReleaseCommandQueue(f->queue));
    if (!forked) {
        (void)pthread_cond_destroy(&f->done);
        (void)pthread_cond_destroy(&f->work);
        (void)pthread_mutex_destroy(&f->lock);
    }
    wwi_context_release(f->context);
    free(f);
}

unsigned char *wwi_feed_memory(const wwi_feed *feed) {
    return feed->memory;
}

// ---- feeds of a context

static void destroy_kept(wwi_kept *kept) {
    wwi_feed *feed = (wwi_feed *)kept;
    wwi_feed_destroy(&feed);
}

static bool fits(const wwi_kept *kept, const void *user) {
    const wwi_feed *feed = (const wwi_feed *)kept, *wanted = user;
    return kept->destroy == destroy_kept && feed->wanted >= wanted->wanted && feed->slot_bytes == wanted->slot_bytes;
}

ww_status wwi_feed_take(ww_context *context, unsigned threads, uint64_t slot_bytes, wwi_feed **feed) {
    const wwi_feed wanted = {.wanted = threads, .slot_bytes = slot_bytes};
    *feed = (wwi_feed *)wwi_context_take(context, fits, &wanted);
    return *feed ? WW_OK : wwi_feed_create(context, threads, slot_bytes, feed);
}

void wwi_feed_keep(wwi_feed **pointer) {
    wwi_feed *feed = wwi_taken(pointer);
    if (!feed)
        return;
    feed->kept.destroy = destroy_kept;
    if (wwi_is_forked(feed->context)) // nobody takes it there
        destroy_kept(&feed->kept);
    else
        wwi_context_keep(feed->context, &feed->kept);
}
