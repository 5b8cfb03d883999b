// SPDX-License-Identifier: Apache-2.0
// Large texts are read by several threads: each takes a piece, cut at a line's end.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "files/read.h"
#include "host.h"
#include "series/join.h"

enum { MOST_THREADS = WWI_MOST_READ_THREADS, LEAST_BYTES = 1 << 20 };

unsigned wwi_read_threads(unsigned wanted, size_t bytes) {
    const char *named = getenv("WAVEWARP_READ_THREADS");
    const unsigned long asked = wanted ? wanted : named ? strtoul(named, NULL, 10) : 0;
    if (asked)
        return asked < MOST_THREADS ? (unsigned)asked : MOST_THREADS;
    cpu_set_t processors;
    const int there = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
    unsigned threads = there < 1 ? 1 : there < MOST_THREADS ? (unsigned)there : MOST_THREADS;
    if (threads > bytes / LEAST_BYTES)
        threads = (unsigned)(bytes / LEAST_BYTES);
    return threads ? threads : 1;
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
    worker workers[MOST_THREADS];
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

typedef struct piece {
    wwi_text text;
    ww_series_set *set;
    ww_status status;
} piece;

typedef struct job {
    piece *pieces;
    wwi_line_reader read;
    const void *how;
} job;

static void read_piece(void *user, unsigned index) {
    const job *j = user;
    piece *p = &j->pieces[index];
    p->status = j->read(&p->text, j->how, &p->set);
}

void wwi_text_cut(const wwi_text *text, unsigned count, unsigned index, wwi_text *to) {
    const char *end = text->bytes + text->size, *from = text->cursor;
    const size_t all = (size_t)(end - from), each = all / count;
    // The ends of the line after the index-th part of the text, and of the part before.
    const char *ends[2] = {from, end};
    for (unsigned i = 0; i < 2; i++) {
        const unsigned part = index + i;
        if (part == 0 || part == count)
            continue;
        const char *line_end = memchr(from + part * each, '\n', all - part * each);
        ends[i] = line_end ? line_end + 1 : end;
    }
    *to = *text;
    to->bytes = (char *)ends[0];
    to->size = (size_t)(ends[1] - ends[0]);
    to->cursor = ends[0];
    to->line_number = 0;
    to->unasked = 0;
}

// Joins the pieces' sets; false where one failed or they differ in what a file has one of.
static bool join(piece *pieces, unsigned count, char *stamps, ww_series_set **set) {
    ww_series_set *sets[MOST_THREADS];
    unsigned there = 0;
    for (unsigned i = 0; i < count; i++) {
        const char kind = pieces[i].text.stamps;
        if (pieces[i].status != WW_OK || (*stamps && kind && kind != *stamps))
            return false;
        *stamps = kind ? kind : *stamps;
        if (ww_series_set_count(pieces[i].set))
            sets[there++] = pieces[i].set;
    }
    if (!wwi_series_set_join(sets, there, wwi_in_threads))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (there == 0 || pieces[i].set == sets[0]) {
            *set = pieces[i].set;
            pieces[i].set = NULL;
            break;
        }
    return true;
}

ww_status wwi_read_pieces(wwi_text *text, wwi_line_reader read, const void *how, ww_series_set **set) {
    piece pieces[MOST_THREADS];
    job j = {pieces, read, how};
    const wwi_text start = *text;
    const unsigned count = text->threads < MOST_THREADS ? text->threads : MOST_THREADS;
    if (count < 2)
        return read(text, how, set);
    for (unsigned i = 0; i < count; i++) {
        pieces[i] = (piece){.status = WW_OK};
        wwi_text_cut(text, count, i, &pieces[i].text);
    }
    wwi_in_threads(count, read_piece, &j);
    const bool joined = join(pieces, count, &text->stamps, set);
    for (unsigned i = 0; i < count; i++)
        ww_series_set_destroy(&pieces[i].set);
    if (joined)
        return WW_OK;
    *text = start;
    return read(text, how, set);
}
