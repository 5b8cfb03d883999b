// SPDX-License-Identifier: Apache-2.0
// The devices of a context at work; see team.h. The schedule knows nothing of devices.
#include "work/team.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/pace.h"
#include "base/run.h"

// In a device's thread only the wish to stop goes on; in the caller's, its own function is told.
static int relay(void *user, uint64_t done, uint64_t total) {
    const wwi_team *t = user;
    return t->alone ? t->run.progress(t->run.progress_user, done, total) : atomic_load(&t->stop);
}

ww_status wwi_team_set_run(wwi_team *t, const ww_run_options *run) {
    WWI_TRY(wwi_run_take(run, &t->run));
    t->own = t->run;
    t->own.progress = t->run.progress ? relay : NULL;
    t->own.progress_user = t;
    return WW_OK;
}

ww_status wwi_team_open(ww_context *context, const ww_run_options *run, wwi_team **team) {
    WWI_ENDS(wwi_team_close) wwi_team *t = NULL;
    *team = NULL;
    const size_t count = ww_context_device_count(context);
    if (!wwi_context_is_divided(context))
        return WW_OK;
    WWI_TRY(wwi_new_zeroed(t, 1));
    (void)pthread_mutex_init(&t->lock, NULL);
    atomic_init(&t->stop, false);
    wwi_context_retain(t->context = context);
    t->count = count;
    WWI_TRY(wwi_new_zeroed(t->on, count));
    WWI_TRY(wwi_new_zeroed(t->workers, count));
    WWI_TRY(wwi_team_set_run(t, run));
    for (size_t i = 0; i < count; i++) {
        const ww_device_info *info = wwi_context_info(wwi_context_on(context, i));
        t->workers[i].rate = wwi_pace_guess(info, info->type == WW_DEVICE_GPU ? 20 : 1);
    }
    *team = wwi_taken(&t);
    return WW_OK;
}

void wwi_team_close(wwi_team **team) {
    wwi_team *t = wwi_taken(team);
    if (!t)
        return;
    (void)pthread_mutex_destroy(&t->lock);
    wwi_context_release(t->context);
    free(t->on);
    free(t->workers);
    free(t);
}

void *wwi_team_any(const wwi_team *t) {
    for (size_t i = 0; i < t->count; i++)
        if (t->on[i])
            return t->on[i];
    return NULL;
}

ww_status wwi_team_check(const wwi_team *t, size_t device) {
    return t->on[device] ? WW_OK : wwi_fail_again(&t->workers[device].error, t->workers[device].error.status);
}

// A job in runs of units: the schedule's items are `each` units, and begin with item `first` of the job.
typedef struct running {
    wwi_team *team;
    const ww_run_options *report;
    const wwi_job *job;
    wwi_seat *seats;                // one a device
    size_t units, each, first, end; // end: of the schedule's items
    ww_store *store;                // NULL: nothing is kept
    size_t number;                  // of the job there
    double done, all;               // work: before the schedule's, and of all
} running;

static ww_status open_device(void *user, size_t device) {
    const running *r = user;
    return r->job->open ? r->job->open(&r->seats[device]) : WW_OK;
}

static void close_device(void *user, size_t device) {
    const running *r = user;
    if (r->job->close)
        r->job->close(&r->seats[device]);
}

// The units of items of the job.
static wwi_span units_of(const running *r, wwi_span items) {
    const size_t first = items.first * r->each, left = r->units - first, count = items.count * r->each;
    return (wwi_span){first, count < left ? count : left};
}

static ww_status keep(const running *r, const wwi_seat *seat, wwi_span items) {
    WWI_ENDS(wwi_bytes_free) wwi_bytes gave = {.data = NULL};
    WWI_TRY(r->job->give(seat, units_of(r, items), &gave));
    return wwi_store_keep(r->store, r->number, items, &gave);
}

static ww_status run_items(void *user, size_t device, wwi_span items) {
    const running *r = user;
    items.first += r->first;
    WWI_TRY(r->job->run(&r->seats[device], units_of(r, items)));
    if (!r->store)
        return WW_OK;
    if (r->job->settle)
        WWI_TRY(r->job->settle(&r->seats[device]));
    return keep(r, &r->seats[device], items);
}

static ww_status settle_device(void *user, size_t device) {
    const running *r = user;
    return r->job->settle(&r->seats[device]);
}

static size_t end_of_items(void *user, size_t first) {
    const running *r = user;
    return (size_t)wwi_least(r->job->end(r->seats[0].of, r->first + first), r->end) - r->first;
}

static int tell(void *user, uint64_t done, uint64_t total) {
    const running *r = user;
    (void)total;
    const double now = r->done + (double)done;
    const bool stop = wwi_run_report(r->report->progress, r->report->progress_user,
                                     wwi_work_told(now < r->all ? now : r->all), wwi_work_told(r->all)) != WW_OK;
    if (stop)
        atomic_store(&r->team->stop, true);
    return stop;
}

void wwi_team_note_shares(const wwi_team *t) {
    for (size_t i = 0; i < t->count; i++) {
        const wwi_worker *w = &t->workers[i];
        ww_device_share share = WW_DEVICE_SHARE_INIT;
        share.tiles = w->tiles;
        share.work = w->work;
        share.seconds = w->seconds;
        share.lost = w->lost;
        if (w->lost) {
            share.status = w->error.status;
            (void)snprintf(share.message, sizeof share.message, "%s", w->error.message);
        }
        wwi_context_note_share(t->context, i, &share);
    }
}

static ww_status run_schedule(running *r, size_t items, const double *before) {
    wwi_team *t = r->team;
    const ww_run_options report = {.progress = tell, .progress_user = r};
    const wwi_schedule schedule = {.items = items,
                                   .before = before,
                                   .end = r->job->end ? end_of_items : NULL,
                                   .begin = open_device,
                                   .run = run_items,
                                   .settle = r->job->settle && !r->store ? settle_device : NULL,
                                   .finish = close_device,
                                   .user = r,
                                   .tile_seconds = wwi_context_tile_seconds(t->context),
                                   .report = r->report && r->report->progress ? &report : NULL};
    return wwi_schedule_run(&schedule, t->workers, t->count);
}

// ---- with a store

// Items that nothing is kept of, without a gap. What they are told counts from the first of them.
static ww_status run_missing(running *r, wwi_span items, const double *before) {
    WWI_FREES double *own = NULL;
    WWI_TRY(wwi_new(own, items.count + 1));
    for (size_t i = 0; i <= items.count; i++)
        own[i] = before[items.first + i] - before[items.first];
    r->first = items.first;
    r->end = items.first + items.count;
    const ww_status status = run_schedule(r, items.count, own);
    r->done += own[items.count];
    return status;
}

static ww_status take_items(void *of, wwi_span items, wwi_taken_bytes *from) {
    const running *r = of;
    return r->job->take((void *)(uintptr_t)r->seats[0].of, units_of(r, items), from);
}

// Units of a piece that nothing is kept of.
static ww_status run_piece(running *r, wwi_span piece, const double *before) {
    WWI_FREES wwi_span *missing = NULL;
    size_t count;
    WWI_TRY(wwi_store_missing(r->store, r->number, piece, &missing, &count));
    double left = 0;
    for (size_t i = 0; i < count; i++)
        left += before[missing[i].first + missing[i].count] - before[missing[i].first];
    r->done += before[piece.first + piece.count] - before[piece.first] - left;
    for (size_t i = 0; i < count; i++)
        WWI_TRY(run_missing(r, missing[i], before));
    return WW_OK;
}

static ww_status run_stored(running *r, size_t items, const double *before) {
    const wwi_store_job begun = {r->job->name, r->seats[0].of, r->team->context, items, before};
    const bool is_part = wwi_store_is_part(r->store);
    wwi_span part, piece;
    WWI_TRY(wwi_store_begin(r->store, &begun, &r->number, &part));
    if (!is_part)
        WWI_TRY(wwi_store_each(r->store, r->number, take_items, r));
    r->all = before[part.first + part.count] - before[part.first];
    for (wwi_store_next(r->store, r->number, &begun, part, &piece); piece.count > 0;
         wwi_store_next(r->store, r->number, &begun, part, &piece))
        WWI_TRY(run_piece(r, piece, before));
    WWI_TRY(wwi_store_wait(r->store));
    if (is_part)
        return wwi_store_part_done(r->store);
    WWI_TRY(wwi_store_each(r->store, r->number, take_items, r));
    return run_piece(r, part, before); // what a process took and never did
}

ww_status wwi_team_refuse_part(const wwi_team *t) {
    return t ? wwi_store_refuse_part(wwi_context_store(t->context), "this work") : WW_OK;
}

static ww_status run_job(running *r, void *of, size_t items, const double *before) {
    wwi_team *t = r->team;
    ww_store *store = items > 0 ? wwi_context_store(t->context) : NULL;
    WWI_FREES wwi_seat *seats = NULL;
    WWI_TRY(wwi_new(seats, t->count));
    r->seats = seats;
    r->end = items;
    r->all = before[items];
    for (size_t i = 0; i < t->count; i++)
        seats[i] = (wwi_seat){.team = t, .of = of, .device = i};
    if (store && !r->job->give) {
        WWI_TRY(wwi_store_refuse_part(store, "this job"));
        store = NULL;
    }
    r->store = store;
    const ww_status status = store ? run_stored(r, items, before) : run_schedule(r, items, before);
    atomic_store(&t->stop, false);
    if (items > 0)
        wwi_team_note_shares(t);
    return status;
}

void wwi_team_begin(wwi_team *t) {
    for (size_t i = 0; i < t->count; i++) {
        wwi_worker *w = &t->workers[i];
        w->tiles = 0;
        w->work = w->seconds = w->cost = w->longest = 0;
        w->lost = t->made && !t->on[i]; // who failed in the run before may try again
    }
}

ww_status wwi_team_go_on(wwi_team *t, const wwi_job *job, void *of, size_t units, const double *before,
                         const ww_run_options *report) {
    running r = {.team = t, .report = report, .job = job, .units = units, .each = 1};
    return run_job(&r, of, units, before);
}

#define MOST_ITEMS ((size_t)1 << 21)

ww_status wwi_team_run(wwi_team *t, const wwi_job *job, void *of, size_t units) {
    const size_t step = job->step ? job->step : 1;
    running r = {
        .team = t, .report = &t->run, .job = job, .units = units, .each = (units / MOST_ITEMS / step + 1) * step};
    const size_t items = wwi_ceil_div(units, r.each);
    WWI_FREES double *before = NULL;
    WWI_TRY(wwi_new(before, items + 1));
    before[0] = 0;
    for (size_t item = 0, i = 0; item < items; item++) {
        double sum = before[item];
        for (const size_t end = i + r.each; i < end && i < units; i++)
            sum += job->work(of, i);
        before[item + 1] = sum;
    }
    wwi_team_begin(t);
    return run_job(&r, of, items, before);
}

// ---- making what the devices have: a job without units

typedef struct making {
    ww_status (*make)(wwi_seat *seat);
    void *of;
} making;

static ww_status make_on(wwi_seat *seat) {
    const making *m = seat->of;
    wwi_seat own = {.team = seat->team, .of = m->of, .device = seat->device};
    const ww_status status = m->make(&own);
    seat->team->on[seat->device] = own.own;
    return status;
}

ww_status wwi_team_make(wwi_team *t, ww_status (*make)(wwi_seat *seat), void *of, double work,
                        const ww_run_options *report) {
    const wwi_job job = {.open = make_on};
    making m = {make, of};
    const ww_error *lost = NULL; // of the first
    t->made = true;
    WWI_TRY(wwi_team_go_on(t, &job, &m, 0, &work, report));
    for (size_t i = 0; i < t->count && !lost; i++)
        lost = t->workers[i].lost ? &t->workers[i].error : NULL;
    return wwi_team_any(t) || !lost ? WW_OK : wwi_fail_again(lost, lost->status);
}
