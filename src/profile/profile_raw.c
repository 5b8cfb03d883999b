// SPDX-License-Identifier: Apache-2.0
// Series whose windows are compared as they are, not normalised: their values, scaled by one power of two, which
// windows are equal, and the distance of two of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "data/view.h"
#include "error.h"
#include "profile/profile_series.h"

// ---- values

// The offset of a channel of both series, taken off where that is exact; gives the largest value that is left.
static double offset_of(wwi_extremes of, double *offset) {
    *offset = 0;
    if (!(of.least <= of.most))
        return 0;
    if ((of.least > 0 && of.most <= 2 * of.least) || (of.most < 0 && of.least >= 2 * of.most)) {
        *offset = of.least;
        return of.most - of.least;
    }
    return fmax(fabs(of.least), fabs(of.most));
}

static void scale(wwi_profile_series *s, size_t c, double offset, int exponent) {
    double *x = s->values + c * s->points;
    for (size_t t = 0; t < s->points; t++)
        x[t] = ldexp(x[t] - offset, -exponent) + 0.0; // no -0, which has other bits
    s->exponent = exponent;
}

// Scales both alike: values are between -0.5 and 0.5, so that no power of a difference is above 1.
static ww_status scale_both(wwi_profile_series *s, const wwi_extremes *own, wwi_profile_series *other,
                            const wwi_extremes *others) {
    WWI_FREES double *offsets = NULL;
    double most = 0;
    WWI_TRY(wwi_new(offsets, s->channels));
    for (size_t c = 0; c < s->channels; c++) {
        wwi_extremes of = own[c];
        if (others) {
            of.least = fmin(of.least, others[c].least);
            of.most = fmax(of.most, others[c].most);
        }
        most = fmax(most, offset_of(of, &offsets[c]));
    }
    const int exponent = most > 0 ? ilogb(most) + 2 : 0;
    if (exponent + ilogb((double)s->window * (double)s->channels) > 1021) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "values of %g: double does not hold the distances of their windows", most);
        return wwi_fail_hint("scale them, or normalise the windows");
    }
    for (size_t c = 0; c < s->channels; c++) {
        scale(s, c, offsets[c], exponent);
        if (others)
            scale(other, c, offsets[c], exponent);
    }
    return WW_OK;
}

// ---- equal windows

typedef struct hashed {
    uint64_t hash;
    size_t window;
    wwi_profile_series *of;
} hashed;

static int by_hash(const void *a, const void *b) {
    const hashed *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static uint64_t scatter(uint64_t a) {
    a = (a ^ (a >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return a ^ (a >> 29);
}

static uint64_t hash_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return scatter(scatter(bits) + UINT64_C(0x9e3779b97f4a7c15));
}

// A polynomial of a window's values, which moves on by one multiplication. Equal windows have the same.
static void hash_windows(const wwi_profile_series *s, uint64_t *to) {
    const uint64_t base = UINT64_C(0x5851f42d4c957f2d);
    uint64_t leaving = 1;
    for (size_t t = 0; t < s->window; t++)
        leaving *= base;
    for (size_t c = 0; c < s->channels; c++) {
        const double *x = s->values + c * s->points;
        uint64_t hash = 0;
        for (size_t t = 0; t < s->points; t++) {
            hash = hash * base + hash_of(x[t]);
            if (t >= s->window)
                hash -= leaving * hash_of(x[t - s->window]);
            if (t + 1 >= s->window)
                to[t + 1 - s->window] = scatter(to[t + 1 - s->window] + scatter(hash));
        }
    }
}

static bool equal(const hashed *a, const hashed *b) {
    for (size_t c = 0; c < a->of->channels; c++)
        if (memcmp(a->of->values + c * a->of->points + a->window, b->of->values + c * b->of->points + b->window,
                   a->of->window * sizeof(double)) != 0)
            return false;
    return true;
}

static bool is_usable(const hashed *a) {
    return a->of->state[a->window] == WWI_WINDOW_USABLE;
}

// Windows with one hash: those that are equal to the first are a kind, if there are two. Windows that have the hash
// by chance are of none, and are found as others are.
static void make_kind(const hashed *from, size_t count, uint32_t kind) {
    size_t first = 0, members = 0;
    while (first < count && !is_usable(&from[first]))
        first++;
    for (size_t i = first; i < count; i++)
        if (is_usable(&from[i]) && equal(&from[first], &from[i])) {
            from[i].of->kind[from[i].window] = kind;
            members++;
        }
    if (members == 1)
        from[first].of->kind[from[first].window] = 0;
}

static bool has_bit(const uint64_t *bits, uint64_t at) {
    return bits[at / 64] >> at % 64 & 1;
}

// The windows whose hash another window has, and a few others: only these are sorted. Two bits for each of many places
// say whether one hash, and whether another, belongs there.
static ww_status list_twice(const uint64_t *hashes, size_t count, wwi_profile_series *s, wwi_profile_series *other,
                            hashed **listed, size_t *found) {
    WWI_FREES uint64_t *once = NULL, *twice = NULL;
    uint64_t places = 64;
    while (places < 16 * (uint64_t)count)
        places *= 2;
    WWI_TRY(wwi_new_zeroed(once, places / 64));
    WWI_TRY(wwi_new_zeroed(twice, places / 64));
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = hashes[i] & (places - 1), bit = UINT64_C(1) << at % 64;
        twice[at / 64] |= once[at / 64] & bit;
        once[at / 64] |= bit;
    }
    for (size_t i = 0; i < count; i++)
        *found += has_bit(twice, hashes[i] & (places - 1));
    WWI_TRY(wwi_new(*listed, *found + 1));
    hashed *to = *listed;
    for (size_t i = 0; i < count; i++)
        if (has_bit(twice, hashes[i] & (places - 1)))
            *to++ = i < s->windows ? (hashed){hashes[i], i, s} : (hashed){hashes[i], i - s->windows, other};
    return WW_OK;
}

// Both series, `other` NULL: one. Only where all channels count: else windows may be at distance 0 that are not equal.
static ww_status find_equals(wwi_profile_series *s, wwi_profile_series *other) {
    WWI_FREES uint64_t *hashes = NULL;
    WWI_FREES hashed *all = NULL;
    size_t count = s->windows + (other ? other->windows : 0);
    if (s->best < s->channels || count > UINT32_MAX)
        return WW_OK;
    WWI_TRY(wwi_new_zeroed(hashes, count));
    hash_windows(s, hashes);
    if (other)
        hash_windows(other, hashes + s->windows);
    WWI_TRY(wwi_interrupted());
    WWI_TRY(list_twice(hashes, count, s, other, &all, &count));
    qsort(all, count, sizeof *all, by_hash);
    uint32_t kinds = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].hash == all[i].hash;)
            end++;
        WWI_TRY(i % 64 == 0 ? wwi_interrupted() : WW_OK);
        if (end - i > 1)
            make_kind(all + i, end - i, ++kinds);
    }
    s->kinds = kinds;
    if (other)
        other->kinds = kinds;
    return WW_OK;
}

ww_status wwi_profile_series_make_raw(const ww_series_view *view, size_t index, const ww_series_view *other_view,
                                      size_t other_index, size_t window, size_t best, double p, unsigned threads,
                                      wwi_profile_series *s, wwi_profile_series *other) {
    WWI_FREES wwi_extremes *own = NULL, *others = NULL;
    WWI_TRY(wwi_new(own, view->channels));
    WWI_TRY(wwi_profile_series_begin(view, index, window, best, p, threads, s, own));
    if (other_view) {
        WWI_TRY(wwi_new(others, view->channels));
        WWI_TRY(wwi_profile_series_begin(other_view, other_index, window, best, p, threads, other, others));
    }
    WWI_TRY(scale_both(s, own, other, others));
    WWI_TRY(wwi_profile_series_end(s, threads));
    if (other_view)
        WWI_TRY(wwi_profile_series_end(other, threads));
    return find_equals(s, other_view ? other : NULL);
}

// ---- distances

// Of p = 1, 2 or infinite, the join of one channel, in the order of kernels_cl/profile/profile_raw_distance.cl.
static double channel_join(double p, const double *x, const double *y, size_t m) {
    const bool most = isinf(p), squares = p == 2;
    double sums[4] = {0, 0, 0, 0}, tail = 0;
    for (size_t t = 0; t < m; t++) {
        double *sum = t < m / 4 * 4 ? &sums[t % 4] : &tail;
        const double d = x[t] - y[t], one = squares ? d * d : fabs(d);
        if (t == m / 4 * 4)
            tail =
                most ? fmax(fmax(sums[0], sums[1]), fmax(sums[2], sums[3])) : (sums[0] + sums[1]) + (sums[2] + sums[3]);
        *sum = most ? fmax(*sum, one) : *sum + one;
    }
    if (m % 4)
        return tail;
    return most ? fmax(fmax(sums[0], sums[1]), fmax(sums[2], sums[3])) : (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Of another p the norm: by the largest difference, so that no power underflows which counts.
static double channel_norm(double p, const double *x, const double *y, size_t m) {
    double most = 0, sum = 0;
    for (size_t t = 0; t < m; t++)
        most = fmax(most, fabs(x[t] - y[t]));
    for (size_t t = 0; t < m && most > 0; t++)
        sum += pow(fabs(x[t] - y[t]) / most, p);
    return most > 0 ? most * pow(sum, 1 / p) : 0;
}

static bool is_summed(double p) {
    return p == 1 || p == 2 || isinf(p);
}

// What two channels have together.
static double join(double p, double a, double b) {
    if (isinf(p))
        return fmax(a, b);
    return is_summed(p) ? a + b : isinf(b) ? b : channel_norm(p, (double[]){a, b}, (double[]){0, 0}, 2);
}

// Of one channel the join, or the norm; infinite where a value is missing.
static double channel_part(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j, size_t c) {
    const double *x = a->values + c * a->points + i, *y = b->values + c * b->points + j;
    if (a->norms[c * a->windows + i] < 0 || b->norms[c * b->windows + j] < 0)
        return INFINITY;
    return is_summed(a->p) ? channel_join(a->p, x, y, a->window) : channel_norm(a->p, x, y, a->window);
}

double wwi_profile_raw_channel2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j,
                                size_t c) {
    const double one = channel_part(a, i, b, j, c);
    return a->p == 2 ? one : one * one;
}

double wwi_profile_raw_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j) {
    const double p = a->p;
    const size_t kept = a->best < a->channels ? a->best : 0;
    double total = 0, least[32]; // of the channels that count, the least first
    for (size_t r = 0; r < kept; r++)
        least[r] = INFINITY;
    for (size_t c = 0; c < a->channels; c++) {
        const double one = channel_part(a, i, b, j, c);
        if (kept == 0)
            total = join(p, total, one);
        else
            wwi_profile_keep_least(a, c, one, least);
    }
    for (size_t r = 0; r < kept; r++)
        total = join(p, total, least[r]);
    return p == 2 ? total : total * total;
}

double wwi_profile_raw_power(const wwi_profile_series *s, double squared) {
    if (s->p == 2)
        return squared;
    return s->p <= WWI_RAW_MOST_POWER ? pow(squared, s->p / 2) : sqrt(squared);
}
