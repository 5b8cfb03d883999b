// SPDX-License-Identifier: Apache-2.0
// A tile lasts as long as wanted at its worker's measured rate, and no longer than half of what is left, divided by the
// workers' rates: so the last tiles become short, and all workers end together.
#include "group/schedule.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/run.h"
#include "host.h"

// No tile is shorter than this part of the wanted time.
#define SHORTEST 0.0625
// The first tile of a worker, whose rate is a guess.
#define FIRST 0.125
#define REPORT_NANOSECONDS 100000000

typedef struct span {
    size_t first, count;
} span;

typedef struct state {
    const wwi_schedule *schedule;
    wwi_worker *workers;
    size_t count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next;    // the first item that nobody has taken
    span *returned; // of lost workers: at most one each
    size_t returned_count;
    size_t busy;    // workers with a tile in hand
    size_t running; // threads
    double done;
    bool stop;
    ww_status status;
    ww_error error;
} state;

typedef struct seat {
    state *s;
    size_t worker;
    pthread_t thread;
} seat;

bool wwi_schedule_loses_worker(ww_status status) {
    switch (status) {
    case WW_ERROR_DEVICE_MEMORY:
    case WW_ERROR_NO_DEVICE:
    case WW_ERROR_UNSUPPORTED:
    case WW_ERROR_KERNEL_SOURCE:
    case WW_ERROR_BUILD:
    case WW_ERROR_OPENCL:
    case WW_ERROR_INTERNAL:
        return true;
    default:
        return false;
    }
}

static double rates(const state *s) {
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += s->workers[i].lost ? 0 : s->workers[i].rate;
    return sum;
}

// The end of a tile of about `work` that begins at `first`.
static size_t tile_end(const wwi_schedule *c, size_t first, double work) {
    size_t low = first + 1, high = c->end ? c->end(c->user, first) : c->items;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->before[middle] - c->before[first] < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static span next_tile(state *s, const wwi_worker *w) {
    const wwi_schedule *c = s->schedule;
    if (s->returned_count > 0)
        return s->returned[--s->returned_count];
    const double left = c->before[c->items] - c->before[s->next];
    const double aim = w->rate * c->tile_seconds, fair = left / 2 * (w->rate / rates(s));
    double work = w->tiles == 0 ? aim * FIRST : aim;
    if (work > fair)
        work = fair;
    if (work < aim * SHORTEST)
        work = aim * SHORTEST;
    const span tile = {s->next, tile_end(c, s->next, work) - s->next};
    s->next += tile.count;
    return tile;
}

// Waits while others have tiles in hand, which one of them may give back.
static bool take(state *s, const wwi_worker *w, span *tile) {
    while (!s->stop && s->returned_count == 0 && s->next == s->schedule->items && s->busy > 0)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    if (s->stop || (s->returned_count == 0 && s->next == s->schedule->items))
        return false;
    *tile = next_tile(s, w);
    s->busy++;
    return true;
}

static void lose(state *s, wwi_worker *w, ww_status status) {
    w->lost = true;
    w->error = *ww_last_error();
    w->error.status = status;
    s->error = w->error;
    if (wwi_schedule_loses_worker(status))
        return;
    s->stop = true;
    s->status = status;
}

static void finish_tile(state *s, wwi_worker *w, span tile, ww_status status, double seconds) {
    const double *before = s->schedule->before, work = before[tile.first + tile.count] - before[tile.first];
    s->busy--;
    if (status != WW_OK) {
        s->returned[s->returned_count++] = tile;
        lose(s, w, status);
        return;
    }
    w->tiles++;
    w->work += work;
    w->seconds += seconds;
    s->done += work;
    if (seconds > 1e-6 && work > 0)
        w->rate = work / seconds;
}

static void *work(void *given) {
    const seat *own = given;
    state *s = own->s;
    const wwi_schedule *c = s->schedule;
    wwi_worker *w = &s->workers[own->worker];
    span tile;
    ww_status status = c->begin(c->user, own->worker);
    (void)pthread_mutex_lock(&s->lock);
    if (status != WW_OK)
        lose(s, w, status);
    while (!w->lost && take(s, w, &tile)) {
        (void)pthread_mutex_unlock(&s->lock);
        const double start = wwi_seconds();
        status = c->run(c->user, own->worker, tile.first, tile.count);
        const double seconds = wwi_seconds() - start;
        (void)pthread_mutex_lock(&s->lock);
        finish_tile(s, w, tile, status, seconds);
        (void)pthread_cond_broadcast(&s->changed);
    }
    (void)pthread_mutex_unlock(&s->lock);
    c->finish(c->user, own->worker);
    (void)pthread_mutex_lock(&s->lock);
    s->running--;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

// Until all threads have ended; meanwhile it tells the progress function.
static void wait_for_all(state *s, double total) {
    const ww_run_options *report = s->schedule->report;
    (void)pthread_mutex_lock(&s->lock);
    while (s->running > 0) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += REPORT_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&s->changed, &s->lock, &until);
        if (!report || !report->progress || s->stop || !(s->done < total))
            continue;
        const double done = s->done;
        (void)pthread_mutex_unlock(&s->lock);
        const ww_status status =
            wwi_run_report(report->progress, report->progress_user, (uint64_t)done, (uint64_t)total);
        (void)pthread_mutex_lock(&s->lock);
        if (status != WW_OK && !s->stop) {
            s->stop = true;
            s->status = status;
            s->error = *ww_last_error();
            (void)pthread_cond_broadcast(&s->changed);
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static ww_status start(state *s, seat *seats) {
    size_t started = 0;
    (void)pthread_mutex_lock(&s->lock);
    for (; started < s->count; started++) {
        seats[started] = (seat){.s = s, .worker = started};
        s->running++;
        if (pthread_create(&seats[started].thread, NULL, work, &seats[started]) != 0) {
            s->running--;
            s->stop = true;
            break;
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    const bool all = started == s->count;
    if (all)
        wait_for_all(s, s->schedule->before[s->schedule->items]);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(seats[i].thread, NULL);
    return all ? WW_OK : wwi_fail(WW_ERROR_OUT_OF_MEMORY, "a thread for a device could not be made");
}

static ww_status outcome(const state *s) {
    const wwi_schedule *c = s->schedule;
    const uint64_t total = (uint64_t)c->before[c->items];
    if (s->status != WW_OK)
        return wwi_fail_again(&s->error, s->status);
    if (s->next < c->items || s->returned_count > 0) // every worker is lost
        return wwi_fail_again(&s->error, s->error.status);
    return c->report ? wwi_run_report(c->report->progress, c->report->progress_user, total, total) : WW_OK;
}

ww_status wwi_schedule_run(const wwi_schedule *schedule, wwi_worker *workers, size_t count) {
    state s = {.schedule = schedule, .workers = workers, .count = count};
    seat *seats = calloc(count, sizeof *seats);
    s.returned = calloc(count, sizeof *s.returned);
    if (!seats || !s.returned) {
        free(seats);
        free(s.returned);
        return wwi_fail_memory(count * sizeof *seats);
    }
    (void)pthread_mutex_init(&s.lock, NULL);
    pthread_condattr_t clock;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s.changed, &clock);
    (void)pthread_condattr_destroy(&clock);
    ww_status status = start(&s, seats);
    if (status == WW_OK)
        status = outcome(&s);
    (void)pthread_cond_destroy(&s.changed);
    (void)pthread_mutex_destroy(&s.lock);
    free(s.returned);
    free(seats);
    return status;
}
