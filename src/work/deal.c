// SPDX-License-Identifier: Apache-2.0
// A tile lasts as long as wanted at its worker's measured rate, and no longer than half of what is left, divided by the
// workers' rates: so the last tiles become short, and all workers end together. What a lost worker gives back is cut in
// the same way: its tile may be many for a slower one.
#include "work/deal.h"

#include <math.h>

#include "base/run.h"

// No tile is shorter than this part of the wanted time, or than twice what a tile costs: half of that would save
// another worker at the end as long a wait as it costs.
#define SHORTEST 0.03125
// The first tile of a worker, whose rate is a guess.
#define FIRST 0.125

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

static double work_of(const wwi_deal *d, wwi_span span) {
    return d->schedule->before[span.first + span.count] - d->schedule->before[span.first];
}

// The summed rate of the workers that are not lost.
static double rates(const wwi_deal *d) {
    double sum = 0;
    for (size_t i = 0; i < d->count; i++)
        sum += d->workers[i].lost ? 0 : d->workers[i].rate;
    return sum;
}

static double work_left(const wwi_deal *d) {
    double sum = d->schedule->before[d->schedule->items] - d->schedule->before[d->next];
    for (size_t i = 0; i < d->returned_count; i++)
        sum += work_of(d, d->returned[i]);
    return sum;
}

// The end of a tile of about `work` that begins at `first`, at most `most`.
static size_t tile_end(const wwi_schedule *c, size_t first, size_t most, double work) {
    size_t low = first + 1, high = most;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->before[middle] - c->before[first] < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static wwi_span next_tile(wwi_deal *d, const wwi_worker *w) {
    const wwi_schedule *c = d->schedule;
    const double aim = w->rate * c->tile_seconds, fair = work_left(d) / 2 * (w->rate / rates(d));
    double work = w->tiles == 0 ? aim * FIRST : aim;
    if (work > fair)
        work = fair;
    work = fmax(work, fmax(aim * SHORTEST, 2 * w->rate * w->cost));
    wwi_span tile, *back = d->returned_count > 0 ? &d->returned[d->returned_count - 1] : NULL;
    tile.first = back ? back->first : d->next;
    const size_t most = back ? back->first + back->count : c->end ? c->end(c->user, tile.first) : c->items;
    tile.count = tile_end(c, tile.first, most, work) - tile.first;
    if (!back) {
        d->next += tile.count;
        return tile;
    }
    back->first += tile.count;
    back->count -= tile.count;
    d->returned_count -= back->count == 0;
    return tile;
}

bool wwi_deal_left(const wwi_deal *d) {
    return d->next < d->schedule->items || d->returned_count > 0;
}

static bool all_done(const wwi_deal *d) {
    return d->stop || (!wwi_deal_left(d) && d->busy == 0);
}

// Whether the worker has tiles to settle now: what a lost worker gives back has taken it no longer than this.
#define UNSETTLED_TILES 16
static bool must_settle(const wwi_deal *d, const wwi_worker *w) {
    return w->unsettled_count > 0 && (!wwi_deal_left(d) || w->unsettled_count == WWI_UNSETTLED ||
                                      w->unsettled_seconds >= UNSETTLED_TILES * d->schedule->tile_seconds);
}

wwi_turn wwi_deal_take(wwi_deal *d, const wwi_worker *w, wwi_span *tile) {
    if (all_done(d))
        return WWI_TURN_END;
    if (must_settle(d, w))
        return WWI_TURN_SETTLE;
    if (!wwi_deal_left(d))
        return WWI_TURN_WAIT;
    *tile = next_tile(d, w);
    d->busy += w->unsettled_count == 0;
    return WWI_TURN_TILE;
}

void wwi_deal_lose(wwi_deal *d, wwi_worker *w, ww_status status) {
    d->error = *ww_last_error();
    d->error.status = status;
    if (wwi_schedule_loses_worker(status)) {
        w->lost = true;
        w->error = d->error;
    } else {
        d->stop = true;
        d->status = status;
    }
}

// A first tile also pays what is paid once. After it the rate is that of long tiles. What short ones take beside is
// what each tile costs: at their rate the next would be shorter still, and cost the more.
void wwi_worker_did(wwi_worker *w, double work, double seconds) {
    const bool first = w->tiles == 0;
    w->tiles++;
    w->work += work;
    w->seconds += seconds;
    if (!(seconds > 1e-6 && work > 0))
        return;
    if (work < w->longest / 2) {
        w->cost = fmin(fmax(seconds - work / w->rate, 0), seconds * 0.75);
        return;
    }
    w->rate = work / (seconds - fmin(w->cost, seconds / 2));
    if (!first)
        w->longest = fmax(w->longest, work);
}

void wwi_deal_settle(wwi_deal *d, wwi_worker *w, ww_status status) {
    for (size_t i = 0; i < w->unsettled_count; i++) {
        const wwi_span tile = w->unsettled[i];
        if (status == WW_OK) {
            d->done += work_of(d, tile);
            continue;
        }
        d->returned[d->returned_count++] = tile;
        w->tiles--;
        w->work -= work_of(d, tile);
    }
    w->unsettled_count = 0;
    w->unsettled_seconds = 0;
    d->busy--;
    if (status != WW_OK)
        wwi_deal_lose(d, w, status);
}

void wwi_deal_finish(wwi_deal *d, wwi_worker *w, wwi_span tile, ww_status status, double seconds) {
    if (status != WW_OK) {
        d->returned[d->returned_count++] = tile;
        wwi_deal_settle(d, w, status);
        return;
    }
    wwi_worker_did(w, work_of(d, tile), seconds);
    w->unsettled[w->unsettled_count++] = tile;
    w->unsettled_seconds += seconds;
    if (!d->schedule->settle)
        wwi_deal_settle(d, w, WW_OK);
}
