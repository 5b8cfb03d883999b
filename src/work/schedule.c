// SPDX-License-Identifier: Apache-2.0
// The threads of a schedule; deal.c has its decisions.
#include "work/schedule.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/run.h"
#include "host.h"
#include "work/deal.h"

#define REPORT_NANOSECONDS 100000000

typedef struct state {
    wwi_deal deal;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t running; // threads
} state;

typedef struct seat {
    state *s;
    size_t worker;
    pthread_t thread;
} seat;

// Waits while others have tiles.
static wwi_turn take(state *s, const wwi_worker *w, wwi_span *tile) {
    wwi_turn turn;
    while ((turn = wwi_deal_take(&s->deal, w, tile)) == WWI_TURN_WAIT)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    return turn;
}

static void *work(void *given) {
    const seat *own = given;
    state *s = own->s;
    const wwi_schedule *c = s->deal.schedule;
    wwi_worker *w = &s->deal.workers[own->worker];
    wwi_span tile;
    wwi_turn turn;
    ww_status status = w->lost ? WW_OK : c->begin(c->user, own->worker);
    (void)pthread_mutex_lock(&s->lock);
    if (status != WW_OK) {
        wwi_deal_lose(&s->deal, w, status);
        (void)pthread_cond_broadcast(&s->changed);
    }
    while (!w->lost && (turn = take(s, w, &tile)) != WWI_TURN_END) {
        const bool settles = turn == WWI_TURN_SETTLE;
        (void)pthread_mutex_unlock(&s->lock);
        const double start = wwi_seconds();
        status = settles ? c->settle(c->user, own->worker) : c->run(c->user, own->worker, tile);
        const double seconds = wwi_seconds() - start;
        (void)pthread_mutex_lock(&s->lock);
        if (settles)
            wwi_deal_settle(&s->deal, w, status);
        else
            wwi_deal_finish(&s->deal, w, tile, status, seconds);
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
    const ww_run_options *report = s->deal.schedule->report;
    (void)pthread_mutex_lock(&s->lock);
    while (s->running > 0) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += REPORT_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&s->changed, &s->lock, &until);
        if (!report || !report->progress || s->deal.stop || !(s->deal.done < total))
            continue;
        const double done = s->deal.done;
        (void)pthread_mutex_unlock(&s->lock);
        const ww_status status =
            wwi_run_report(report->progress, report->progress_user, wwi_work_told(done), wwi_work_told(total));
        (void)pthread_mutex_lock(&s->lock);
        if (status != WW_OK && !s->deal.stop) {
            s->deal.stop = true;
            s->deal.status = status;
            s->deal.error = *ww_last_error();
            (void)pthread_cond_broadcast(&s->changed);
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static ww_status start(state *s, seat *seats) {
    size_t started = 0;
    (void)pthread_mutex_lock(&s->lock);
    for (; started < s->deal.count; started++) {
        seats[started] = (seat){.s = s, .worker = started};
        s->running++;
        if (pthread_create(&seats[started].thread, NULL, work, &seats[started]) != 0) {
            s->running--;
            s->deal.stop = true;
            (void)pthread_cond_broadcast(&s->changed);
            break;
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    const bool all = started == s->deal.count;
    if (all)
        wait_for_all(s, s->deal.schedule->before[s->deal.schedule->items]);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(seats[i].thread, NULL);
    return all ? WW_OK : wwi_fail(WW_ERROR_OUT_OF_MEMORY, "a thread for a device could not be made");
}

static ww_status outcome(const state *s) {
    const wwi_schedule *c = s->deal.schedule;
    const uint64_t total = wwi_work_told(c->before[c->items]);
    if (s->deal.status != WW_OK)
        return wwi_fail_again(&s->deal.error, s->deal.status);
    if (wwi_deal_left(&s->deal)) // every worker is lost
        return wwi_fail_again(&s->deal.error, s->deal.error.status);
    return c->report ? wwi_run_report(c->report->progress, c->report->progress_user, total, total) : WW_OK;
}

ww_status wwi_schedule_run(const wwi_schedule *schedule, wwi_worker *workers, size_t count) {
    state s = {.deal = {.schedule = schedule, .workers = workers, .count = count}};
    WWI_FREES seat *seats = NULL;
    WWI_FREES wwi_span *returned = NULL;
    WWI_TRY(wwi_new_zeroed(seats, count));
    WWI_TRY(wwi_new_zeroed(returned, count * (WWI_UNSETTLED + 1)));
    s.deal.returned = returned;
    for (size_t i = 0; i < count; i++) {
        workers[i].unsettled_count = 0; // of a run that was stopped
        workers[i].unsettled_seconds = 0;
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
    return status;
}
