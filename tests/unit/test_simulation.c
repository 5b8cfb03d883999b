// SPDX-License-Identifier: Apache-2.0
// The plan for many devices, under a clock that nobody waits for: the decisions of a group's schedule with devices that
// only sleep and fail.
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "check_main.h"
#include "error.h"
#include "work/deal.h"

// ---- what happens next: the earliest of times, of those at one time the one of the lowest number

typedef struct event {
    double time;
    size_t who;
} event;

typedef struct events {
    event *heap;
    size_t count;
} events;

static bool before(event a, event b) {
    return a.time < b.time || (!(b.time < a.time) && a.who < b.who);
}

static void add(events *c, double time, size_t who) {
    size_t i = c->count++;
    const event e = {time, who};
    for (; i > 0 && before(e, c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = e;
}

static event take(events *c) {
    const event first = c->heap[0], last = c->heap[--c->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < c->count; i = child) {
        child += child + 1 < c->count && before(c->heap[child + 1], c->heap[child]);
        if (!before(c->heap[child], last))
            break;
        c->heap[i] = c->heap[child];
    }
    c->heap[i] = last;
    return first;
}

// Not ck_assert(), which writes to a file each time.
static void hold(bool right, const char *what, size_t where) {
    if (!right)
        ck_abort_msg("%s: %zu", what, where);
}

static void *some(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

// ---- a group

typedef struct device {
    double speed;    // work a second
    double fails_at; // INFINITY: never
    double start;    // of its tile
    wwi_span tile;
    bool waits;
} device;

typedef struct group {
    size_t items, count, band; // no tile crosses a multiple of the band; 0: any
    double overhead;           // seconds of a tile
    double *work_before;
    device *devices;
    wwi_worker *workers;
    int *done;
    wwi_schedule schedule;
    wwi_deal deal;
    events events;
    double all_taken, end; // when a device first found nothing to do, and when all was done
    double longest, last;  // seconds of a tile; of one that ended after all_taken
    size_t late;           // devices that were lost after it
} group;

static size_t band_end(void *user, size_t first) {
    const group *g = user;
    const size_t end = first - first % g->band + g->band;
    return end < g->items ? end : g->items;
}

// Unlike items, one of eight without work.
static void group_make(group *g, size_t items, size_t count, uint64_t *seed) {
    *g = (group){.items = items, .count = count, .all_taken = INFINITY};
    g->work_before = some(items + 1, sizeof *g->work_before);
    for (size_t i = 0; i < items; i++)
        g->work_before[i + 1] = g->work_before[i] + (double)(wwi_random(seed) % 8);
    g->devices = some(count, sizeof *g->devices);
    g->workers = some(count, sizeof *g->workers);
    g->done = some(items, sizeof *g->done);
    g->events.heap = some(count, sizeof *g->events.heap);
    g->deal.returned = some(count, sizeof *g->deal.returned);
    for (size_t i = 0; i < count; i++) {
        const double speed = pow(100, wwi_random_unit(seed)); // 1 to 100
        g->devices[i] = (device){.speed = speed, .fails_at = INFINITY};
        g->workers[i].rate = speed;
    }
}

static void group_free(group *g) {
    free(g->work_before);
    free(g->devices);
    free(g->workers);
    free(g->done);
    free(g->events.heap);
    free(g->deal.returned);
}

static double work_of(const group *g, wwi_span tile) {
    return g->work_before[tile.first + tile.count] - g->work_before[tile.first];
}

static void ask(group *g, size_t who, double now) {
    device *d = &g->devices[who];
    const wwi_turn turn = wwi_deal_take(&g->deal, &g->workers[who], &d->tile);
    d->waits = turn == WWI_TURN_WAIT;
    if (turn != WWI_TURN_TILE && now < g->all_taken)
        g->all_taken = now;
    if (turn != WWI_TURN_TILE)
        return;
    hold(d->tile.count > 0, "no item", who);
    hold(!g->band || d->tile.first / g->band == (d->tile.first + d->tile.count - 1) / g->band, "two bands", who);
    d->start = now;
    const double end = now + g->overhead + work_of(g, d->tile) / d->speed;
    add(&g->events, end < d->fails_at ? end : d->fails_at, who);
}

static void ended(group *g, size_t who, double now) {
    device *d = &g->devices[who];
    const double seconds = now - d->start;
    ww_status status = WW_OK;
    if (now < d->fails_at) {
        for (size_t i = d->tile.first; i < d->tile.first + d->tile.count; i++)
            g->done[i]++;
        g->end = now;
    } else {
        status = wwi_fail(WW_ERROR_OPENCL, "device %zu fell over", who);
        g->late += now >= g->all_taken;
    }
    g->longest = fmax(g->longest, seconds);
    g->last = now > g->all_taken ? fmax(g->last, seconds) : g->last;
    wwi_deal_finish(&g->deal, &g->workers[who], d->tile, status, seconds);
}

static void group_run(group *g, double tile_seconds) {
    g->schedule = (wwi_schedule){.items = g->items,
                                 .before = g->work_before,
                                 .end = g->band ? band_end : NULL,
                                 .user = g,
                                 .tile_seconds = tile_seconds};
    g->deal.schedule = &g->schedule;
    g->deal.workers = g->workers;
    g->deal.count = g->count;
    for (size_t i = 0; i < g->count; i++)
        ask(g, i, 0);
    while (g->events.count > 0) {
        const event e = take(&g->events);
        ended(g, e.who, e.time);
        for (size_t i = 0; i < g->count; i++)
            if ((i == e.who && !g->workers[i].lost) || g->devices[i].waits)
                ask(g, i, e.time);
    }
    ck_assert(!wwi_deal_left(&g->deal));
    for (size_t i = 0; i < g->items; i++)
        hold(g->done[i] == 1, "not done once", i);
}

// When devices that never wait, until they fail, would have done all the work.
static double ideal(const group *g) {
    double low = 0, high = 1e12;
    for (int step = 0; step < 200; step++) {
        const double middle = (low + high) / 2;
        double work = 0;
        for (size_t i = 0; i < g->count; i++)
            work += g->devices[i].speed * fmin(middle, g->devices[i].fails_at);
        if (work < g->work_before[g->items])
            low = middle;
        else
            high = middle;
    }
    return high;
}

// How long the largest item lasts on the slowest device.
static double longest_item(const group *g) {
    double slowest = INFINITY;
    for (size_t i = 0; i < g->count; i++)
        slowest = fmin(slowest, g->devices[i].speed);
    return 7 / slowest;
}

static const size_t counts[] = {1, 2, 3, 7, 30, 100, 300, 1000};
enum { COUNTS = sizeof counts / sizeof *counts };
// About 20 tiles for each device, and items of at most a quarter of a tile of the slowest.
#define TILE_SECONDS 28.0
#define ITEMS_EACH 4000

// Rates that are known: devices a hundred times as fast as others end with them, within a sixteenth of a tile's time
// and the items at the ends of two.
START_TEST(devices_end_together) {
    uint64_t seed = 3;
    for (int i = 0; i < COUNTS; i++) {
        group g;
        group_make(&g, counts[i] * ITEMS_EACH, counts[i], &seed);
        g.band = i % 2 ? 999 : 0;
        group_run(&g, TILE_SECONDS);
        const double item = longest_item(&g), best = ideal(&g);
        ck_assert_double_le(g.all_taken, best * (1 + 1e-9));
        ck_assert_double_le(g.longest, TILE_SECONDS + item);
        ck_assert_double_le(g.last, TILE_SECONDS / 16 + 2 * item);
        ck_assert_double_le(g.end, best + TILE_SECONDS / 16 + 2 * item);
        group_free(&g);
    }
}
END_TEST

// Rates guessed too high or too low by up to eight times, tiles that cost something: no tile is much longer than
// wanted, and the work ends within one.
START_TEST(wrong_guesses) {
    uint64_t seed = 4;
    for (int i = 0; i < COUNTS; i++) {
        group g;
        group_make(&g, counts[i] * ITEMS_EACH, counts[i], &seed);
        g.overhead = TILE_SECONDS / 100;
        for (size_t k = 0; k < g.count; k++)
            g.workers[k].rate *= pow(2, 6 * wwi_random_unit(&seed) - 3);
        group_run(&g, TILE_SECONDS);
        const double longest = TILE_SECONDS + g.overhead + longest_item(&g), best = ideal(&g);
        ck_assert_double_le(g.longest, longest);
        ck_assert_msg(g.end <= 1.03 * best + longest, "%zu devices: %g s of %g", g.count, g.end, best);
        group_free(&g);
    }
}
END_TEST

// Jobs of few tiles, each of which costs an eighth of the wanted time: the last tiles are not so short that their cost
// is most of them, and the next shorter still.
START_TEST(tiles_that_cost) {
    uint64_t seed = 6;
    for (int i = 1; i < COUNTS; i++) {
        group g;
        group_make(&g, counts[i] * ITEMS_EACH / 8, counts[i], &seed);
        g.overhead = TILE_SECONDS / 8;
        group_run(&g, TILE_SECONDS);
        const double best = ideal(&g);
        uint64_t tiles = 0;
        for (size_t k = 0; k < g.count; k++)
            tiles += g.workers[k].tiles;
        ck_assert_uint_le(tiles, 10 * g.count);
        ck_assert_msg(g.end <= best + 12 * g.overhead, "%zu devices: %g s of %g", g.count, g.end, best);
        group_free(&g);
    }
}
END_TEST

// A third of the devices is lost, at the beginning and at any later time, some when nothing is left but what they have
// in hand. What they give back is done by the others, however slow, in tiles of their own.
START_TEST(lost_devices) {
    uint64_t seed = 5;
    size_t lost = 0, late = 0;
    for (int round = 0; round < 2 * COUNTS; round++) {
        group g;
        const size_t count = counts[round % COUNTS];
        group_make(&g, count * ITEMS_EACH, count, &seed);
        const double begin = TILE_SECONDS / 1000, middle = ideal(&g);
        for (size_t k = 1; k < count; k++)
            if (wwi_random(&seed) % 4 == 0)
                g.devices[k].fails_at = fmax(begin, middle * (1.2 * wwi_random_unit(&seed) - 0.1));
        const double best = ideal(&g);
        for (size_t k = 1; k < count; k++)
            if (wwi_random(&seed) % 10 == 0)
                g.devices[k].fails_at = best + TILE_SECONDS / 16 * wwi_random_unit(&seed);
        group_run(&g, TILE_SECONDS);
        ck_assert_double_le(g.longest, TILE_SECONDS + longest_item(&g));
        // A device that is lost loses a tile's time; when others wait it keeps them for another tile.
        double wasted = 0, rates = 0;
        for (size_t k = 0; k < count; k++) {
            hold(g.workers[k].lost == (g.workers[k].error.status == WW_ERROR_OPENCL), "lost", k);
            wasted += g.workers[k].lost ? g.devices[k].speed * g.longest : 0;
            rates += g.workers[k].lost ? 0 : g.devices[k].speed;
            lost += g.workers[k].lost;
        }
        late += g.late;
        ck_assert_double_le(g.end, ideal(&g) + wasted / rates + (double)(g.late + 1) * g.longest);
        group_free(&g);
    }
    ck_assert_uint_gt(lost, 600);
    ck_assert_uint_gt(late, 5);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("simulation");
    TCase *tcase = wwt_case(suite, "simulation", 10);
    tcase_add_test(tcase, devices_end_together);
    tcase_add_test(tcase, wrong_guesses);
    tcase_add_test(tcase, tiles_that_cost);
    tcase_add_test(tcase, lost_devices);
    return wwt_run(suite);
}
