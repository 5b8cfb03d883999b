// SPDX-License-Identifier: Apache-2.0
// The scheduler of several devices, with some that only sleep and fail; and its decisions alone, on a clock of the
// test's own.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "check_main.h"
#include "error.h"
#include "work/deal.h"

enum { MOST_ITEMS = 4000, MOST_WORKERS = 8 };

typedef struct device {
    double seconds_each; // of a unit of work
    int fails_at;        // tile; -1: never
    ww_status fails_with;
    int begun, finished;
    atomic_int tiles;
    int settles, settle_fails_at; // call; 0: never
    int left[MOST_ITEMS];         // items that are not settled: how often
} device;

typedef struct job {
    pthread_mutex_t lock;
    device devices[MOST_WORKERS];
    double before[MOST_ITEMS + 1];
    int done[MOST_ITEMS]; // how often
    size_t items, band;   // no tile crosses a multiple of it; 0: any
    uint64_t told, calls, stop_at;
    double longest; // seconds of a tile
} job;

static job j;

static size_t band_end(void *user, size_t first) {
    const job *own = user;
    const size_t end = first - first % own->band + own->band;
    return end < own->items ? end : own->items;
}

static ww_status begin(void *user, size_t worker) {
    device *d = &((job *)user)->devices[worker];
    d->begun++;
    return d->fails_at == 0 ? wwi_fail(d->fails_with, "device %zu has no power", worker) : WW_OK;
}

// Whether a device that will fail has tiles to do before.
static bool some_fail_later(const job *own) {
    for (size_t i = 0; i < MOST_WORKERS; i++)
        if (own->devices[i].tiles < own->devices[i].fails_at)
            return true;
    return false;
}

static ww_status run(void *user, size_t worker, wwi_span items) {
    job *own = user;
    const size_t first = items.first, count = items.count;
    device *d = &own->devices[worker];
    const double seconds = (own->before[first + count] - own->before[first]) * d->seconds_each;
    const struct timespec rest = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    ck_assert_int_eq(d->begun, 1);
    ck_assert_int_eq(d->finished, 0);
    // Whoever goes on leaves those their tiles, however late their threads are.
    do
        (void)nanosleep(&rest, NULL);
    while (d->fails_at < 0 && some_fail_later(own));
    if (++d->tiles == d->fails_at)
        return wwi_fail(d->fails_with, "device %zu fell over", worker);
    ck_assert(!own->band || first / own->band == (first + count - 1) / own->band);
    (void)pthread_mutex_lock(&own->lock);
    for (size_t i = first; i < first + count; i++)
        own->done[i]++;
    if (own->longest < seconds)
        own->longest = seconds;
    (void)pthread_mutex_unlock(&own->lock);
    return WW_OK;
}

// As run(), but what is done stays with the device until it settles.
static ww_status run_and_leave(void *user, size_t worker, wwi_span items) {
    job *own = user;
    WWI_TRY(run(user, worker, items));
    (void)pthread_mutex_lock(&own->lock);
    for (size_t i = items.first; i < items.first + items.count; i++) {
        own->done[i]--;
        own->devices[worker].left[i]++;
    }
    (void)pthread_mutex_unlock(&own->lock);
    return WW_OK;
}

static ww_status settle(void *user, size_t worker) {
    job *own = user;
    device *d = &own->devices[worker];
    if (++d->settles == d->settle_fails_at) {
        if (d->tiles < d->fails_at) // nobody waits for that
            d->tiles = d->fails_at;
        return wwi_fail(d->fails_with, "device %zu lost what it had", worker);
    }
    (void)pthread_mutex_lock(&own->lock);
    for (size_t i = 0; i < MOST_ITEMS; i++) {
        own->done[i] += d->left[i];
        d->left[i] = 0;
    }
    (void)pthread_mutex_unlock(&own->lock);
    return WW_OK;
}

static void finish(void *user, size_t worker) {
    ((job *)user)->devices[worker].finished++;
}

static int listen(void *user, uint64_t done, uint64_t total) {
    job *own = user;
    ck_assert_uint_ge(done, own->told);
    ck_assert_uint_le(done, total);
    own->told = done;
    own->calls++;
    return own->stop_at && own->calls >= own->stop_at;
}

static wwi_schedule make(size_t items, size_t workers) {
    memset(&j, 0, sizeof j);
    (void)pthread_mutex_init(&j.lock, NULL);
    for (size_t i = 0; i < workers; i++)
        j.devices[i] = (device){.seconds_each = 1e-5, .fails_at = -1, .fails_with = WW_ERROR_OPENCL};
    for (size_t i = 0; i < items; i++)
        j.before[i + 1] = j.before[i] + 1;
    return (wwi_schedule){.items = items,
                          .before = j.before,
                          .begin = begin,
                          .run = run,
                          .finish = finish,
                          .user = &j,
                          .tile_seconds = 0.01};
}

static ww_status start(const wwi_schedule *s, wwi_worker *workers, size_t count) {
    for (size_t i = 0; i < count; i++)
        workers[i] = (wwi_worker){.rate = 1e5};
    const ww_status status = wwi_schedule_run(s, workers, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(j.devices[i].begun, j.devices[i].finished);
    return status;
}

static void all_done(size_t items) {
    for (size_t i = 0; i < items; i++)
        ck_assert_msg(j.done[i] == 1, "item %zu was done %d times", i, j.done[i]);
}

START_TEST(every_item_once) {
    wwi_worker workers[MOST_WORKERS];
    uint64_t seed = 17;
    for (int round = 0; round < 40; round++) {
        const size_t count = 1 + wwi_random(&seed) % MOST_WORKERS, items = wwi_random(&seed) % 300;
        wwi_schedule s = make(items, count);
        for (size_t i = 0; i < items; i++) // unlike items, some without work
            j.before[i + 1] = j.before[i] + (double)(wwi_random(&seed) % 4);
        for (size_t i = 0; i < count; i++)
            j.devices[i].seconds_each = 1e-6 * (double)(1 + wwi_random(&seed) % 50);
        j.items = items;
        j.band = round % 2 ? 7 : 0;
        s.end = j.band ? band_end : NULL;
        ck_assert_int_eq(start(&s, workers, count), WW_OK);
        all_done(items);
        double work = 0;
        for (size_t i = 0; i < count; i++) {
            work += workers[i].work;
            ck_assert_int_eq((int)workers[i].tiles, (int)j.devices[i].tiles);
        }
        ck_assert_double_eq(work, j.before[items]);
    }
}
END_TEST

// Lost devices: at the beginning, and in any of the first tiles.
START_TEST(others_do_the_work_of_a_lost_device) {
    wwi_worker workers[4];
    uint64_t seed = 5;
    for (int round = 0; round < 30; round++) {
        const wwi_schedule s = make(2000, 4);
        const size_t lost = wwi_random(&seed) % 4, also = wwi_random(&seed) % 4;
        j.devices[lost].fails_at = round % 4;
        j.devices[also].fails_at = 1 + round % 2;
        ck_assert_int_eq(start(&s, workers, 4), WW_OK);
        all_done(2000);
        for (size_t i = 0; i < 4; i++) {
            ck_assert_int_eq(workers[i].lost, i == lost || i == also);
            if (workers[i].lost)
                ck_assert_int_eq(workers[i].error.status, WW_ERROR_OPENCL);
        }
    }
}
END_TEST

// What a device has not settled is lost with it, in whichever tile or settling that is, and others do it.
START_TEST(what_is_not_settled_is_done_again) {
    wwi_worker workers[4];
    uint64_t seed = 23;
    int settles = 0, tiles = 0;
    for (int round = 0; round < 40; round++) {
        wwi_schedule s = make(2000, 4);
        s.run = run_and_leave;
        s.settle = settle;
        const size_t lost = wwi_random(&seed) % 4, also = wwi_random(&seed) % 4;
        if (round % 4 < 3)
            j.devices[lost].settle_fails_at = 1 + round % 4;
        if (round % 2)
            j.devices[also].fails_at = 1 + round % 7;
        ck_assert_int_eq(start(&s, workers, 4), WW_OK);
        all_done(2000);
        double work = 0;
        for (size_t i = 0; i < 4; i++) {
            work += workers[i].work;
            settles += j.devices[i].settles;
            tiles += j.devices[i].tiles;
            ck_assert(!workers[i].lost || i == lost || i == also);
        }
        ck_assert_double_eq(work, 2000);
    }
    ck_assert_int_lt(settles, tiles / 2);
}
END_TEST

START_TEST(all_lost_in_settling) {
    wwi_worker workers[3];
    wwi_schedule s = make(1000, 3);
    s.run = run_and_leave;
    s.settle = settle;
    for (int i = 0; i < 3; i++)
        j.devices[i].settle_fails_at = 1;
    ck_assert_int_eq(start(&s, workers, 3), WW_ERROR_OPENCL);
    ck_assert(strstr(ww_last_error()->message, "lost what it had") != NULL);
}
END_TEST

START_TEST(all_lost) {
    wwi_worker workers[3];
    const wwi_schedule s = make(1000, 3);
    for (int i = 0; i < 3; i++)
        j.devices[i].fails_at = i;
    ck_assert_int_eq(start(&s, workers, 3), WW_ERROR_OPENCL);
    ck_assert_int_eq(ww_last_error()->status, WW_ERROR_OPENCL);
    ck_assert(strstr(ww_last_error()->message, "device ") != NULL);
}
END_TEST

// A device that was lost before the job takes no part in it.
START_TEST(who_is_lost_before_is_not_begun) {
    wwi_worker workers[2] = {{.rate = 1e5, .lost = true}, {.rate = 1e5}};
    const wwi_schedule s = make(1000, 2);
    ck_assert_int_eq(wwi_schedule_run(&s, workers, 2), WW_OK);
    all_done(1000);
    ck_assert(j.devices[0].begun == 0 && workers[0].lost && workers[0].tiles == 0);
}
END_TEST

// What every device would find ends the job: nobody gets another tile.
START_TEST(wrong_input_ends_the_job) {
    wwi_worker workers[3];
    const wwi_schedule s = make(4000, 3);
    j.devices[1].fails_at = 1;
    j.devices[1].fails_with = WW_ERROR_NO_PATH;
    ck_assert_int_eq(start(&s, workers, 3), WW_ERROR_NO_PATH);
    ck_assert_str_eq(ww_last_error()->message, "device 1 fell over");
    for (size_t i = 0; i < 3; i++)
        ck_assert(!workers[i].lost);
    wwi_span returned[3], tiles[3], more;
    wwi_deal deal = {.schedule = &s, .workers = workers, .count = 3, .returned = returned};
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(wwi_deal_take(&deal, &workers[i], &tiles[i]), WWI_TURN_TILE);
    wwi_deal_finish(&deal, &workers[1], tiles[1], wwi_fail(WW_ERROR_NO_PATH, "no path"), 0.1);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(wwi_deal_take(&deal, &workers[i], &more), WWI_TURN_END);
    ck_assert_int_eq(deal.status, WW_ERROR_NO_PATH);
}
END_TEST

START_TEST(progress_is_told_and_may_cancel) {
    wwi_worker workers[2];
    ww_run_options report = WW_RUN_OPTIONS_INIT;
    report.progress = listen;
    report.progress_user = &j;
    wwi_schedule s = make(1000, 2);
    s.report = &report;
    ck_assert_int_eq(start(&s, workers, 2), WW_OK);
    ck_assert_uint_eq(j.told, 1000);
    s = make(4000, 2);
    s.report = &report;
    j.stop_at = 2;
    j.devices[0].seconds_each = j.devices[1].seconds_each = 1e-2; // far longer than the first two reports
    ck_assert_int_eq(start(&s, workers, 2), WW_ERROR_CANCELLED);
    ck_assert_uint_lt(j.told, 4000);
}
END_TEST

// Tiles grow to the wanted time and become short at the end, so that a device four times as fast does four times as
// much. Always the device that is free first takes the next tile.
START_TEST(unlike_devices_end_together) {
    const double each[2] = {2e-4, 5e-5}, best = 4000 / (1 / each[0] + 1 / each[1]);
    const wwi_schedule s = make(4000, 2);
    wwi_worker workers[2] = {{.rate = 1e5}, {.rate = 1e5}}; // a guess that is wrong
    wwi_span returned[2], tiles[2] = {{0, 0}, {0, 0}};
    double ends[2] = {0, 0}, longest = 0;
    wwi_deal deal = {.schedule = &s, .workers = workers, .count = 2, .returned = returned};
    while (deal.done < 4000) {
        const int first = ends[0] <= ends[1] ? 0 : 1;
        if (tiles[first].count) {
            const double seconds = each[first] * (double)tiles[first].count;
            longest = seconds > longest ? seconds : longest;
            wwi_deal_finish(&deal, &workers[first], tiles[first], WW_OK, seconds);
        }
        tiles[first].count = 0;
        if (wwi_deal_take(&deal, &workers[first], &tiles[first]) == WWI_TURN_TILE)
            ends[first] += each[first] * (double)tiles[first].count;
        else if (deal.done < 4000)
            ends[first] = ends[1 - first] + 1e-9; // it waits for the other's tile
    }
    const double seconds = ends[0] > ends[1] ? ends[0] : ends[1];
    ck_assert_msg(seconds < 1.05 * best, "%.4f s where %.4f would do", seconds, best);
    ck_assert_double_gt(workers[1].work, 3.5 * workers[0].work);
    ck_assert_double_lt(longest, 3 * s.tile_seconds); // also after a guess that was wrong
}
END_TEST

int main(void) {
    Suite *suite = suite_create("schedule");
    TCase *tcase = wwt_case(suite, "schedule", 20);
    tcase_add_test(tcase, every_item_once);
    tcase_add_test(tcase, others_do_the_work_of_a_lost_device);
    tcase_add_test(tcase, all_lost);
    tcase_add_test(tcase, what_is_not_settled_is_done_again);
    tcase_add_test(tcase, all_lost_in_settling);
    tcase_add_test(tcase, who_is_lost_before_is_not_begun);
    tcase_add_test(tcase, wrong_input_ends_the_job);
    tcase_add_test(tcase, progress_is_told_and_may_cancel);
    tcase_add_test(tcase, unlike_devices_end_together);
    return wwt_run(suite);
}
