// SPDX-License-Identifier: Apache-2.0
// Threads of the host that work for one call, and end with it; pages of memory that they fill. Nothing here calls
// OpenCL.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "internal.h"

void *wwi_in_large_pages(void *array, size_t bytes) {
    enum { PAGE = 4096, LEAST = 8 << 20 };
    const size_t skipped = (PAGE - (uintptr_t)array % PAGE) % PAGE;
    if (array && bytes >= LEAST)
        (void)madvise((char *)array + skipped, (bytes - skipped) / PAGE * PAGE, MADV_HUGEPAGE); // only advice
    return array;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // Linux 5.14
#endif

enum { LARGE_PAGE = 1 << 21, LEAST_PAGES = 4 };

static ww_status make_page(void *user, uint64_t piece) {
    (void)madvise((char *)user + piece * LARGE_PAGE, LARGE_PAGE, MADV_POPULATE_WRITE); // an older kernel has it not
    return WW_OK;
}

ww_status wwi_make_pages(void *array, size_t bytes) {
    const size_t skipped = (LARGE_PAGE - (uintptr_t)array % LARGE_PAGE) % LARGE_PAGE;
    const size_t pages = bytes > skipped ? (bytes - skipped) / LARGE_PAGE : 0;
    if (pages < LEAST_PAGES)
        return WW_OK;
    (void)wwi_in_large_pages(array, bytes);
    const unsigned threads = wwi_processors() < 8 ? wwi_processors() : 8;
    return wwi_share(pages < 2ull * threads ? 2 : threads, pages, make_page, (char *)array + skipped);
}

// The last large array that was freed, whose first word is its size. The kernel may take its pages when it needs
// memory; until then they need not be made again, which takes as long as filling them.
static _Atomic(size_t *) kept;

enum { LEAST_KEPT = 8 << 20 };

void *wwi_large_new(size_t bytes) {
    size_t *const array = bytes < LEAST_KEPT ? NULL : atomic_exchange(&kept, NULL);
    if (array && *array >= bytes && *array / 2 <= bytes)
        return array;
    free(array);
    return wwi_in_large_pages(malloc(bytes), bytes);
}

void wwi_large_free(void *array, size_t bytes) {
    size_t *now_kept = array;
    if (array && bytes >= LEAST_KEPT) {
        const size_t skipped = (LARGE_PAGE - (uintptr_t)array % LARGE_PAGE) % LARGE_PAGE;
        const size_t pages = bytes > skipped ? (bytes - skipped) / LARGE_PAGE : 0;
        (void)madvise((char *)array + skipped, pages * LARGE_PAGE, MADV_FREE);
        *now_kept = bytes;
        now_kept = atomic_exchange(&kept, now_kept);
    }
    free(now_kept);
}

unsigned wwi_processors(void) {
    cpu_set_t processors;
    const int there = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
    return there < 1 ? 1 : there < WWI_MOST_THREADS ? (unsigned)there : WWI_MOST_THREADS;
}

typedef struct worker {
    void (*work)(void *user, unsigned index);
    void *user;
    unsigned index;
    bool started;
    pthread_t thread;
} worker;

static void *run_worker(void *state) {
    const worker *w = state;
    w->work(w->user, w->index);
    return NULL;
}

void wwi_in_threads(unsigned count, void (*work)(void *user, unsigned index), void *user) {
    worker workers[WWI_MOST_THREADS];
    sigset_t all, before;
    // The caller's own threads handle its signals. What can't have a thread is done by the caller.
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 1; i < count; i++) {
        workers[i] = (worker){.work = work, .user = user, .index = i};
        workers[i].started = pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    work(user, 0);
    for (unsigned i = 1; i < count; i++) {
        if (workers[i].started)
            (void)pthread_join(workers[i].thread, NULL);
        else
            work(user, i);
    }
}

// ---- pieces

typedef struct share {
    wwi_share_fn each;
    void *user;
    uint64_t pieces;
    _Atomic uint64_t next;
    atomic_bool failed;
    pthread_mutex_t lock; // guards the error
    ww_error error;
} share;

static void keep_error(share *s) {
    (void)pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->failed)) {
        s->error = *ww_last_error();
        atomic_store(&s->failed, true);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static void take_pieces(void *user, unsigned index) {
    share *s = user;
    while (!atomic_load(&s->failed)) {
        // The caller's thread asks first, also where the others leave it no piece.
        ww_status status = index == 0 ? wwi_interrupted() : WW_OK;
        const uint64_t piece = status == WW_OK ? atomic_fetch_add(&s->next, 1) : 0;
        if (piece >= s->pieces)
            return;
        if (status == WW_OK)
            status = s->each(s->user, piece);
        if (status != WW_OK)
            keep_error(s);
    }
}

ww_status wwi_share(unsigned threads, uint64_t pieces, wwi_share_fn each, void *user) {
    share s = {.each = each, .user = user, .pieces = pieces};
    const uint64_t most = threads < WWI_MOST_THREADS ? threads : WWI_MOST_THREADS;
    atomic_init(&s.next, 0);
    atomic_init(&s.failed, false);
    (void)pthread_mutex_init(&s.lock, NULL);
    wwi_in_threads((unsigned)(most < pieces ? most : pieces), take_pieces, &s);
    (void)pthread_mutex_destroy(&s.lock);
    return atomic_load(&s.failed) ? wwi_fail_restore(&s.error, NULL) : WW_OK;
}
