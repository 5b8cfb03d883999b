// SPDX-License-Identifier: Apache-2.0
// See values.h. The values are numbered as the dataset has them, and taken in pieces of this order. A line (one channel
// of one series) is read once: it is converted, and the largest absolute value says whether all are finite, since the
// bits of such numbers order as they do. Only a line whose largest is not plain is looked at value by value.
#include "data/values.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/kit.h"

#define WHOLE_IN_FLOAT 16777216.0 // 2^24: whole numbers up to it are exact

typedef struct place {
    size_t series, channel, point;
} place;

// What was found in values. `first` and `rounded` are the first in the dataset's order.
typedef struct findings {
    bool refused, decreases, any_rounded[2]; // [1] of time stamps
    place first, rounded[2];
    double value, rounded_value[2], largest[2];
} findings;

typedef struct taking {
    const ww_dataset *dataset;
    const ww_series_view *view;
    const double *times;
    unsigned char *host; // where pieces go that have no other target; NULL: values are only looked at
    pthread_mutex_t lock;
    findings found; // in all pieces
} taking;

// ---- one line

// Converts `count` values that are `stride` apart; `to` NULL: they are only looked at. Returns the bits of the largest
// absolute value. Infinity's are above those of all numbers, NaN's above infinity's.
#define TAKE(name, from_type, bits_type, most_bits, to_type)                                                           \
    static bits_type name(const from_type *from, int64_t stride, size_t count, to_type *to) {                          \
        bits_type most = 0;                                                                                            \
        for (size_t t = 0; to && stride != 1 && t < count; t++)                                                        \
            to[t] = (to_type)from[(int64_t)t * stride];                                                                \
        for (size_t t = 0; stride != 1 && t < count; t++) {                                                            \
            bits_type bits;                                                                                            \
            memcpy(&bits, &from[(int64_t)t * stride], sizeof bits);                                                    \
            bits &= most_bits;                                                                                         \
            most = bits > most ? bits : most;                                                                          \
        }                                                                                                              \
        for (size_t t = 0; stride == 1 && t < count; t++) {                                                            \
            bits_type bits;                                                                                            \
            memcpy(&bits, &from[t], sizeof bits);                                                                      \
            bits &= most_bits;                                                                                         \
            most = bits > most ? bits : most;                                                                          \
            if (to)                                                                                                    \
                to[t] = (to_type)from[t];                                                                              \
        }                                                                                                              \
        return most;                                                                                                   \
    }
TAKE(floats_to_floats, float, int32_t, INT32_MAX, float)
TAKE(floats_to_doubles, float, int32_t, INT32_MAX, double)
TAKE(doubles_to_floats, double, int64_t, INT64_MAX, float)
TAKE(doubles_to_doubles, double, int64_t, INT64_MAX, double)

double wwi_line_take(wwi_line from, size_t begin, size_t count, ww_precision precision, void *to) {
    const int64_t at = (int64_t)begin * from.stride;
    if (from.doubles) {
        const double *doubles = from.doubles + at;
        const int64_t bits = precision == WW_FLOAT ? doubles_to_floats(doubles, from.stride, count, to)
                                                   : doubles_to_doubles(doubles, from.stride, count, to);
        double largest;
        memcpy(&largest, &bits, sizeof largest);
        return largest;
    }
    const float *floats = from.floats + at;
    const int32_t bits = precision == WW_FLOAT ? floats_to_floats(floats, from.stride, count, to)
                                               : floats_to_doubles(floats, from.stride, count, to);
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    return (double)largest;
}

static void refuse(findings *f, place at, double value, bool decreases) {
    f->refused = true;
    f->decreases = decreases;
    f->first = at;
    f->value = value;
}

// Value by value, until one is refused.
static void look_at_line(const ww_dataset *d, wwi_line from, place at, size_t end, findings *f) {
    const bool is_float = d->precision == WW_FLOAT, is_time = at.channel == d->channels;
    for (; at.point < end && !f->refused; at.point++) {
        const double value = wwi_line_at(from, at.point);
        const float in_float = (float)value;
        if (!d->unspecified && !(is_float ? isfinite(in_float) : isfinite(value)))
            refuse(f, at, value, false);
        else if (is_time && at.point > 0 && value < wwi_line_at(from, at.point - 1))
            refuse(f, at, value, true);
        f->largest[is_time] = fabs(value) > f->largest[is_time] ? fabs(value) : f->largest[is_time];
        const bool inexact = is_float && fabs(value) > WHOLE_IN_FLOAT && (double)in_float != value;
        if ((inexact || (!is_time && fabs(value) >= WWI_MOST_WHOLE)) && !f->any_rounded[is_time]) {
            f->any_rounded[is_time] = true;
            f->rounded[is_time] = at;
            f->rounded_value[is_time] = value;
        }
    }
}

static void take_part(const taking *t, place at, size_t count, void *to, findings *f) {
    const ww_dataset *d = t->dataset;
    const uint64_t before = d->offsets[at.series] / (d->channels + d->extra);
    const wwi_line from = at.channel == t->view->channels ? (wwi_line){NULL, t->times + before, 1}
                                                          : wwi_view_line(t->view, at.series, before, at.channel);
    const double largest = wwi_line_take(from, at.point, count, d->precision, to);
    const bool plain = d->precision == WW_FLOAT && from.doubles ? largest <= WHOLE_IN_FLOAT : largest < WWI_MOST_WHOLE;
    if (!plain || at.channel == d->channels)
        look_at_line(d, from, at, at.point + count, f);
    else if (largest > f->largest[0])
        f->largest[0] = largest;
}

// ---- pieces

static bool is_before(place a, place b) {
    return a.series != b.series     ? a.series < b.series
           : a.channel != b.channel ? a.channel < b.channel
                                    : a.point < b.point;
}

static void merge(findings *all, const findings *f) {
    if (f->refused && (!all->refused || is_before(f->first, all->first)))
        refuse(all, f->first, f->value, f->decreases);
    for (int k = 0; k < 2; k++) {
        all->largest[k] = f->largest[k] > all->largest[k] ? f->largest[k] : all->largest[k];
        if (!f->any_rounded[k] || (all->any_rounded[k] && is_before(all->rounded[k], f->rounded[k])))
            continue;
        all->any_rounded[k] = true;
        all->rounded[k] = f->rounded[k];
        all->rounded_value[k] = f->rounded_value[k];
    }
}

static ww_status report(const findings *f) {
    const place at = f->first;
    if (f->decreases) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the time stamps of series %zu decrease at point %zu", at.series, at.point);
        return wwi_fail_where((int64_t)at.series, (int64_t)at.point);
    }
    if (isfinite(f->value))
        wwi_fail(WW_ERROR_NOT_FINITE, "value %g of series %zu (point %zu, channel %zu) is too large for float",
                 f->value, at.series, at.point, at.channel);
    else
        wwi_fail(WW_ERROR_NOT_FINITE, "series %zu has %s at point %zu, channel %zu", at.series,
                 isnan(f->value) ? "NaN (a missing value)" : "infinity", at.point, at.channel);
    wwi_fail_hint(isfinite(f->value) ? "use double precision, or scale the series"
                                     : "fill or drop missing values before computing");
    wwi_fail_channel((int64_t)at.channel);
    return wwi_fail_where((int64_t)at.series, (int64_t)at.point);
}

// The series of value `at`.
static size_t series_of(const ww_dataset *d, uint64_t at) {
    size_t first = 0, end = d->count;
    while (end - first > 1) {
        const size_t middle = first + (end - first) / 2;
        if (d->offsets[middle] <= at)
            first = middle;
        else
            end = middle;
    }
    return first;
}

// Bytes [at, at + bytes) of all values to `target`.
static ww_status take_piece(void *user, uint64_t at, uint64_t bytes, void *target) {
    taking *t = user;
    const ww_dataset *d = t->dataset;
    const uint64_t size = wwi_precision_bytes(d->precision);
    unsigned char *to = target;
    uint64_t number = at / size, left = bytes / size;
    findings f = {.refused = false};
    for (size_t i = series_of(d, number); left && !f.refused; i++)
        while (left && number < d->offsets[i + 1] && !f.refused) {
            const uint64_t inside = number - d->offsets[i], length = d->lengths[i];
            const place from = {i, (size_t)(inside / length), (size_t)(inside % length)};
            const uint64_t some = wwi_least(left, length - from.point);
            take_part(t, from, (size_t)some, to, &f);
            to = to ? to + some * size : NULL;
            number += some;
            left -= some;
        }
    (void)pthread_mutex_lock(&t->lock);
    merge(&t->found, &f);
    (void)pthread_mutex_unlock(&t->lock);
    return f.refused ? report(&f) : WW_OK;
}

static uint64_t bytes_of(const ww_dataset *d) {
    return d->offsets[d->count] * wwi_precision_bytes(d->precision);
}

static ww_status take_in_memory(void *user, uint64_t piece) {
    taking *t = user;
    const uint64_t at = piece * WWI_SEND_PIECE;
    return take_piece(t, at, wwi_least(bytes_of(t->dataset) - at, WWI_SEND_PIECE), t->host ? t->host + at : NULL);
}

static ww_status take_all(taking *t, bool send) {
    const ww_dataset *d = t->dataset;
    const uint64_t bytes = bytes_of(d);
    (void)pthread_mutex_init(&t->lock, NULL);
    const ww_status status =
        send ? wwi_send(d->values, 0, bytes, take_piece, t)
             : wwi_share(wwi_send_threads(d->context, bytes), wwi_ceil_div(bytes, WWI_SEND_PIECE), take_in_memory, t);
    (void)pthread_mutex_destroy(&t->lock);
    // Of several pieces that failed at once any may have been told.
    return t->found.refused && status != WW_ERROR_CANCELLED ? report(&t->found) : status;
}

static void note(ww_dataset *d, const findings *f) {
    wwi_rounded *rounded[] = {&d->rounded_value, &d->rounded_time};
    for (int k = 0; k < 2; k++)
        *rounded[k] = (wwi_rounded){f->any_rounded[k], f->rounded[k].series, f->rounded[k].point, f->rounded_value[k]};
    d->largest_value = fmax(d->largest_value, f->largest[0]);
    d->largest_time = fmax(d->largest_time, f->largest[1]);
}

ww_status wwi_values_take(ww_dataset *d, const ww_series_view *view, const double *times) {
    taking t = {.dataset = d, .view = view, .times = times, .host = d->host};
    WWI_TRY(take_all(&t, d->host == NULL));
    note(d, &t.found);
    return WW_OK;
}

ww_status wwi_values_update(ww_dataset *d, const ww_series_view *view) {
    taking t = {.dataset = d, .view = view};
    // Of several pieces the first would be on the device when the last is refused.
    if (bytes_of(d) > WWI_SEND_PIECE)
        WWI_TRY(take_all(&t, false));
    WWI_TRY(take_all(&t, true));
    note(d, &t.found);
    return WW_OK;
}
