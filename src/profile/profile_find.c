// SPDX-License-Identifier: Apache-2.0
// What is read off a profile: motifs, discords, and the distances of one window. On the host.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_job.h"

ww_status ww_profile_get_distances(const ww_profile *p, size_t i, double *distances) {
    WWI_NEEDS("profile, distances", p, distances);
    if (i >= p->series.windows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no window %zu; there are %zu", i, p->series.windows);
    const wwi_profile_series *other = wwi_profile_other(p);
    for (size_t j = 0; j < other->windows; j++) {
        const bool apart = !p->self || (i < j ? j - i : i - j) > p->exclusion;
        const bool usable = p->series.state[i] != WWI_WINDOW_NOT_FINITE && other->state[j] != WWI_WINDOW_NOT_FINITE;
        distances[j] = apart && usable ? ldexp(sqrt(wwi_profile_distance2(&p->series, i, other, j)), p->series.exponent)
                                       : INFINITY;
    }
    return WW_OK;
}

ww_status ww_profile_get_channels(const ww_profile *p, size_t i, size_t j, double *distances) {
    WWI_NEEDS("profile, distances", p, distances);
    const wwi_profile_series *own = &p->series, *other = wwi_profile_other(p);
    if (i >= own->windows || j >= other->windows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "windows %zu and %zu are not among the %zu and %zu", i, j,
                        own->windows, other->windows);
    const bool usable = own->state[i] != WWI_WINDOW_NOT_FINITE && other->state[j] != WWI_WINDOW_NOT_FINITE;
    for (size_t c = 0; c < own->channels; c++) {
        const double square = own->p > 0 ? wwi_profile_raw_channel2(own, i, other, j, c)
                                         : wwi_profile_channel_distance2(own, i, other, j, c) * (double)p->window;
        // Where all channels count it is not kept which of them has the missing value.
        distances[wwi_profile_series_channel(own, c)] =
            usable || own->partial ? ldexp(sqrt(square), own->exponent) : INFINITY;
    }
    return WW_OK;
}

// ---- windows sorted by a key

typedef struct ranked {
    double key;
    size_t window;
} ranked;

static int ascending(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->window < y->window ? -1 : x->window > y->window;
}

// Marks the windows that are within `separation` of one.
static void take_out(unsigned char *taken, size_t windows, size_t window, size_t separation) {
    const size_t first = window > separation ? window - separation : 0;
    const size_t end = windows - window > separation ? window + separation + 1 : windows;
    memset(taken + first, 1, end - first);
}

static ww_status check(const ww_profile *p, const void *distances, const void *results, size_t *separation,
                       const size_t *found) {
    WWI_NEEDS("profile, distances, results, found", p, distances, results, found);
    if (*separation == WW_PROFILE_EXCLUSION_AUTO)
        *separation = p->self ? p->exclusion : (p->window + 3) / 4;
    return WW_OK;
}

ww_status ww_profile_find_discords(const ww_profile *p, const double *distances, size_t separation, size_t count,
                                   int64_t *windows, size_t *found) {
    WWI_FREES ranked *order = NULL;
    WWI_FREES unsigned char *taken = NULL;
    WWI_TRY(check(p, distances, windows, &separation, found));
    *found = 0;
    const size_t all = p->series.windows;
    WWI_TRY(wwi_new(order, all));
    WWI_TRY(wwi_new_zeroed(taken, all));
    for (size_t i = 0; i < all; i++)
        order[i] = (ranked){-distances[i * p->k], i};
    qsort(order, all, sizeof *order, ascending);
    for (size_t r = 0; r < all && *found < count; r++) {
        if (!isfinite(order[r].key) || taken[order[r].window])
            continue;
        windows[(*found)++] = (int64_t)order[r].window;
        take_out(taken, all, order[r].window, separation);
    }
    return WW_OK;
}

void ww_profile_motifs_free(ww_profile_motif *motifs, size_t count) {
    for (size_t i = 0; motifs && i < count; i++) {
        free(motifs[i].neighbours);
        motifs[i].neighbours = NULL;
        motifs[i].count = 0;
    }
}

// A search for motifs. `rows`: of the distances from both windows of a pair.
typedef struct search {
    ranked *order, *near;
    unsigned char *taken;
    double *rows;
    size_t separation;
    double radius, within;
} search;

static void search_free(search *s) {
    free(s->order);
    free(s->near);
    free(s->taken);
    free(s->rows);
}

// The windows near one of the pair, nearest first, that overlap neither each other nor a window that is taken.
static ww_status find_neighbours(const ww_profile *p, search *s, ww_profile_motif *motif) {
    const size_t all = p->series.windows;
    const double *rows = s->rows;
    // Infinity times 0 is no number.
    const double scaled = s->radius * motif->distance, limit = scaled > s->within ? scaled : s->within;
    const bool every = isinf(s->radius);
    ranked *order = s->near;
    size_t near = 0;
    WWI_TRY(ww_profile_get_distances(p, (size_t)motif->first, s->rows));
    WWI_TRY(ww_profile_get_distances(p, (size_t)motif->second, s->rows + all));
    for (size_t i = 0; i < all; i++) {
        const double nearer = rows[i] < rows[all + i] ? rows[i] : rows[all + i];
        if ((every ? isfinite(nearer) : nearer <= limit) && !s->taken[i])
            order[near++] = (ranked){nearer, i};
    }
    if (near == 0)
        return WW_OK;
    WWI_TRY(wwi_new(motif->neighbours, near));
    qsort(order, near, sizeof *order, ascending);
    for (size_t r = 0; r < near; r++) {
        if (s->taken[order[r].window])
            continue;
        motif->neighbours[motif->count++] = (int64_t)order[r].window;
        take_out(s->taken, all, order[r].window, s->separation);
    }
    return WW_OK;
}

// Pairs of a window and its nearest, and the windows near them.
static ww_status find_motifs(const ww_profile *p, search *s, const double *distances, const int64_t *indices,
                             size_t count, ww_profile_motif *motifs, size_t *found) {
    const size_t all = p->series.windows;
    for (size_t i = 0; i < all; i++)
        s->order[i] = (ranked){distances[i * p->k], i};
    qsort(s->order, all, sizeof *s->order, ascending);
    for (size_t r = 0; r < all && *found < count; r++) {
        const int64_t i = (int64_t)s->order[r].window, j = indices[(size_t)i * p->k];
        if (!isfinite(s->order[r].key) || s->taken[i] || j < 0 || (size_t)j >= all || s->taken[j])
            continue;
        ww_profile_motif *motif = &motifs[(*found)++];
        *motif = (ww_profile_motif){.first = j < i ? j : i, .second = j < i ? i : j, .distance = s->order[r].key};
        take_out(s->taken, all, (size_t)i, s->separation);
        take_out(s->taken, all, (size_t)j, s->separation);
        if (s->radius > 0 || s->within > 0)
            WWI_TRY(find_neighbours(p, s, motif));
    }
    return WW_OK;
}

// The radius about a pair whose own distance says nothing, as that of equal windows.
static double least_radius(const ww_profile *p) {
    return p->series.p > 0 ? 0 : sqrt(0.002 * (double)p->window * (double)p->series.best);
}

ww_status ww_profile_find_motifs(const ww_profile *p, const double *distances, const int64_t *indices,
                                 size_t separation, double radius, size_t count, ww_profile_motif *motifs,
                                 size_t *found) {
    return ww_profile_find_motifs_within(p, distances, indices, separation, radius, WW_PROFILE_WITHIN_AUTO, count,
                                         motifs, found);
}

ww_status ww_profile_find_motifs_within(const ww_profile *p, const double *distances, const int64_t *indices,
                                        size_t separation, double radius, double within, size_t count,
                                        ww_profile_motif *motifs, size_t *found) {
    WWI_TRY(check(p, distances, motifs, &separation, found));
    *found = 0;
    WWI_NEEDS("indices", indices);
    if (!(radius >= 0))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "the radius is %g; it must be 0 or more, in distances of the motif's pair", radius);
    if (!(within >= 0) && within != WW_PROFILE_WITHIN_AUTO)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "within is %g; it must be a distance of 0 or more", within);
    if (!p->self) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "two series have no motifs");
        return wwi_fail_hint("a motif is a pair of windows of one series");
    }
    const size_t all = p->series.windows;
    const double least = within >= 0 ? within : radius > 0 ? least_radius(p) : 0;
    WWI_ENDS(search_free) search s = {.separation = separation, .radius = radius, .within = least};
    memset(motifs, 0, count * sizeof *motifs);
    WWI_TRY(wwi_new(s.order, all));
    WWI_TRY(wwi_new(s.near, all));
    WWI_TRY(wwi_new_zeroed(s.taken, all));
    WWI_TRY(wwi_new(s.rows, 2 * all));
    const ww_status status = find_motifs(p, &s, distances, indices, count, motifs, found);
    if (status != WW_OK)
        ww_profile_motifs_free(motifs, *found);
    return status;
}
