// SPDX-License-Identifier: Apache-2.0
// Windows whose neighbours are known. Of one channel, constant windows: their distances follow from the rule
// (0 to one another, sqrt(window) to all others), so that they are entered into the lists here, and the kernels leave
// them out. Straight lines (ramps, counters, time stamps, filled gaps): those that rise are equal to one another within
// what is promised of a distance, and so are those that fall. Of windows that are not normalised: those that are equal.
// The neighbours of such a kind are the first of it, at distance 0; where a window has as many as are wanted, it looks
// for no others, of which all would be candidates.
#include <stdlib.h>

#include "profile/profile_job.h"

// Windows of a kind: their indices, ascending.
typedef struct kind {
    const size_t *listed;
    size_t count;
} kind;

// Enters the k first windows of a kind that are allowed, of those in [begin, end).
static void enter_first(ww_profile *p, int list, size_t i, kind of, size_t begin, size_t end, double distance2) {
    const size_t *listed = of.listed;
    double *best = p->nearest.best[list] + i * p->k;
    int64_t *ids = p->nearest.ids[list] + i * p->k;
    size_t from = 0, entered = 0, to = of.count;
    const bool later = p->options.left_right && list == WWI_PROFILE_RIGHT,
               earlier = p->options.left_right && list == WWI_PROFILE_LEFT;
    if (later && begin <= i)
        begin = i + 1;
    if (earlier && end > i)
        end = i;
    // Of a stream that forgets, windows farther apart have not met.
    const size_t most = p->part.apart ? p->part.apart : SIZE_MAX / 2;
    begin = begin + most <= i ? i - most + 1 : begin;
    end = end >= i + most ? i + most : end;
    while (from < to) { // the first of them
        const size_t middle = from + (to - from) / 2;
        if (listed[middle] < begin)
            from = middle + 1;
        else
            to = middle;
    }
    for (size_t at = from; at < of.count && listed[at] < end && entered < p->k; at++) {
        if (p->self && (i < listed[at] ? listed[at] - i : i - listed[at]) <= p->exclusion)
            continue;
        wwi_profile_enter(best, ids, p->k, distance2, (int64_t)(listed[at] + wwi_profile_other(p)->origin));
        entered++;
    }
}

// Constant windows as neighbours, and the neighbours of a constant window, among windows [begin, end).
static void enter_window(ww_profile *p, int list, size_t i, kind constant, kind usables, size_t begin, size_t end) {
    const double half = (double)p->window;
    if (p->series.state[i] == WWI_WINDOW_FLAT) {
        enter_first(p, list, i, constant, begin, end, 0);
        enter_first(p, list, i, usables, begin, end, half);
    } else if (p->series.state[i] == WWI_WINDOW_USABLE) {
        enter_first(p, list, i, constant, begin, end, half);
    }
}

ww_status wwi_profile_enter_kinds(ww_profile *p) {
    const wwi_profile_series *own = &p->series, *other = wwi_profile_other(p);
    if (own->kinds == 0 || other->kinds == 0)
        return WW_OK;
    const wwi_profile_part *part = &p->part;
    const bool same = part->row == part->column && part->row_end == part->column_end;
    for (size_t i = 0; i < own->windows; i++) {
        if (own->kind[i] == 0 || own->kind[i] > other->kinds)
            continue;
        const size_t *starts = other->kind_starts + own->kind[i] + 1;
        const kind equals = {other->kind_windows + starts[0], starts[1] - starts[0]};
        if (i % 4096 == 0)
            WWI_TRY(wwi_interrupted());
        for (int list = 0; list < wwi_profile_lists(p); list++) {
            if (i >= part->row && i < part->row_end)
                enter_first(p, list, i, equals, part->column, part->column_end, 0);
            if (p->self && !same && i >= part->column && i < part->column_end)
                enter_first(p, list, i, equals, part->row, part->row_end, 0);
        }
    }
    return WW_OK;
}

ww_status wwi_profile_enter_flats(ww_profile *p) {
    const wwi_profile_series *own = &p->series, *other = wwi_profile_other(p);
    if (own->flat_count == 0 && other->flat_count == 0)
        return WW_OK;
    WWI_FREES size_t *flat = NULL, *usable = NULL;
    size_t constants = 0, usables = 0;
    WWI_TRY(wwi_new(flat, other->flat_count + 1));
    WWI_TRY(wwi_new(usable, other->windows));
    for (size_t j = 0; j < other->windows; j++) {
        if (other->state[j] == WWI_WINDOW_FLAT)
            flat[constants++] = j;
        else if (other->state[j] == WWI_WINDOW_USABLE)
            usable[usables++] = j;
    }
    const wwi_profile_part *part = &p->part;
    const bool same = part->row == part->column && part->row_end == part->column_end;
    const kind constant = {flat, constants}, other_kind = {usable, usables};
    for (int list = 0; list < wwi_profile_lists(p); list++) {
        for (size_t i = part->row; i < part->row_end; i++)
            enter_window(p, list, i, constant, other_kind, part->column, part->column_end);
        for (size_t i = part->column; p->self && !same && i < part->column_end; i++)
            enter_window(p, list, i, constant, other_kind, part->row, part->row_end);
    }
    return WW_OK;
}
