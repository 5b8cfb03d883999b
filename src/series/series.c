// SPDX-License-Identifier: Apache-2.0
// Series sets: one array of values that grows, and for each series its place, length and class.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/series.h>

#include "base/grow.h"
#include "base/normal.h"
#include "host.h"
#include "options.h"
#include "series/classes.h"
#include "series/held.h"
#include "series/join.h"
#include "series/set.h"

void wwi_series_set_retain(ww_series_set *set) {
    atomic_fetch_add(&set->holders, 1);
}

ww_status wwi_series_set_check_own(const ww_series_set *set) {
    if (atomic_load(&set->holders) == 1)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the set is held by a dataset that was made from it, and can't change");
    return wwi_fail_hint("change it first, or destroy the dataset");
}

ww_status ww_series_set_create(size_t channels, ww_series_set **set) {
    WWI_NEEDS("set", set);
    *set = NULL;
    if (channels < 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a series has at least one channel");
    ww_series_set *made;
    WWI_TRY(wwi_new_zeroed(made, 1));
    made->channels = channels;
    atomic_init(&made->holders, 1);
    *set = made;
    return WW_OK;
}

void ww_series_set_destroy(ww_series_set **set) {
    ww_series_set *s = wwi_taken(set);
    if (!s || atomic_fetch_sub(&s->holders, 1) != 1)
        return;
    wwi_class_names_free(&s->names);
    free(s->values);
    free(s->times);
    free(s->classes);
    free(s->lengths);
    free(s->offsets);
    wwi_notes_free(&s->notes);
    free(s);
}

// Time stamps of a series that was given none.
static void count_times(double *times, size_t length) {
    for (size_t t = 0; t < length; t++)
        times[t] = (double)(t + 1);
}

static double *times_of(const ww_series_set *set, size_t i) {
    return set->times + set->offsets[i] / set->channels;
}

// For so many values and series in all.
static ww_status make_room(ww_series_set *set, size_t values, size_t series) {
    WWI_TRY(wwi_grow(&set->values, &set->values_capacity, values, sizeof *set->values));
    WWI_TRY(wwi_grow(&set->offsets, &set->offsets_capacity, series, sizeof *set->offsets));
    WWI_TRY(wwi_grow(&set->lengths, &set->lengths_capacity, series, sizeof *set->lengths));
    WWI_TRY(wwi_grow(&set->classes, &set->classes_capacity, series, sizeof *set->classes));
    return set->timed ? wwi_grow(&set->times, &set->times_capacity, values / set->channels, sizeof *set->times) : WW_OK;
}

ww_status ww_series_set_add(ww_series_set *set, size_t length, const double *values, const char *label) {
    if (!set || (length && !values))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_add: %s is NULL", set ? "values" : "set");
    WWI_TRY(wwi_series_set_check_own(set));
    if (length < 1) {
        wwi_fail(WW_ERROR_EMPTY, "series %zu has length 0", set->count);
        wwi_fail_hint("leave it out: a series has a point at least");
        return wwi_fail_where((int64_t)set->count, -1);
    }
    uint64_t added, total;
    if (!wwi_mul_u64(length, set->channels, &added) || !wwi_add_u64(added, set->value_count, &total))
        return wwi_fail(WW_ERROR_OVERFLOW, "the set has more than 2^64 values");
    WWI_TRY(make_room(set, (size_t)total, set->count + 1));
    long class_number = -1;
    if (label)
        WWI_TRY(wwi_class_of_label(&set->names, label, &class_number));
    memcpy(set->values + set->value_count, values, (size_t)added * sizeof *values);
    for (size_t i = 0; i < (size_t)added; i++)
        set->missing += isnan(values[i]) ? 1 : 0;
    set->offsets[set->count] = set->value_count;
    set->lengths[set->count] = length;
    set->classes[set->count] = class_number;
    set->value_count = (size_t)total;
    set->count++;
    if (set->timed)
        count_times(times_of(set, set->count - 1), length);
    return WW_OK;
}

typedef struct copies {
    ww_series_set *const *sets;
    unsigned count;
    size_t values; // of all sets but the first
} copies;

// The index-th part of the values behind those of the first set.
static void copy_values(void *user, unsigned index) {
    const copies *c = user;
    ww_series_set *to = c->sets[0];
    const size_t channels = to->channels, each = c->values / channels / c->count;
    const size_t begin = index * each * channels, end = index + 1 < c->count ? begin + each * channels : c->values;
    size_t first = 0;
    for (unsigned k = 1; k < c->count; first += c->sets[k++]->value_count) {
        const ww_series_set *from = c->sets[k];
        const size_t low = begin > first ? begin : first;
        const size_t high = end < first + from->value_count ? end : first + from->value_count;
        if (low >= high)
            continue;
        memcpy(to->values + to->value_count + low, from->values + (low - first), (high - low) * sizeof *to->values);
        if (to->timed)
            memcpy(to->times + (to->value_count + low) / channels, from->times + (low - first) / channels,
                   (high - low) / channels * sizeof *to->times);
    }
}

bool wwi_series_set_join(ww_series_set *const *sets, unsigned count,
                         void (*in_threads)(unsigned count, void (*work)(void *user, unsigned index), void *user)) {
    if (count < 2)
        return true;
    ww_series_set *to = sets[0];
    size_t values = 0, series = 0;
    for (unsigned k = 0; k < count; k++) {
        if (sets[k]->channels != to->channels || sets[k]->timed != to->timed)
            return false;
        values += sets[k]->value_count;
        series += sets[k]->count;
    }
    if (make_room(to, values, series) != WW_OK)
        return false;
    size_t at = to->count;
    for (unsigned k = 1; k < count; k++) {
        const ww_series_set *from = sets[k];
        // Classes are numbered by first appearance, in the pieces as in the whole.
        WWI_FREES long *classes = NULL;
        if (wwi_new(classes, from->names.count + 1) != WW_OK)
            return false;
        for (size_t c = 0; c < from->names.count; c++)
            if (wwi_class_of_name(&to->names, from->names.names[c], &classes[c]) != WW_OK)
                return false;
        for (size_t i = 0; i < from->count; i++, at++)
            to->classes[at] = from->classes[i] < 0 ? -1 : classes[from->classes[i]];
    }
    copies c = {sets, count, values - to->value_count};
    in_threads(count, copy_values, &c);
    for (unsigned k = 1; k < count; k++) {
        const ww_series_set *from = sets[k];
        for (size_t i = 0; i < from->count; i++) {
            to->offsets[to->count] = to->value_count + from->offsets[i];
            to->lengths[to->count++] = from->lengths[i];
        }
        to->value_count += from->value_count;
        to->missing += from->missing;
    }
    return true;
}

ww_status ww_series_set_set_times(ww_series_set *set, size_t i, const double *times) {
    WWI_NEEDS("set, times", set, times);
    if (i >= set->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_set_times: there is no series %zu; there are %zu", i,
                        set->count);
    WWI_TRY(wwi_series_set_check_own(set));
    const size_t length = set->lengths[i];
    for (size_t t = 0; t < length; t++) {
        if (isfinite(times[t]) && (t == 0 || times[t] >= times[t - 1]))
            continue;
        if (isfinite(times[t]))
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the time stamps of series %zu decrease at point %zu", i, t);
        else
            wwi_fail(WW_ERROR_NOT_FINITE, "series %zu has no finite time stamp at point %zu", i, t);
        return wwi_fail_where((int64_t)i, (int64_t)t);
    }
    if (!set->timed) {
        WWI_TRY(wwi_grow(&set->times, &set->times_capacity, set->value_count / set->channels, sizeof *set->times));
        set->timed = true;
        for (size_t k = 0; k < set->count; k++)
            count_times(times_of(set, k), set->lengths[k]);
    }
    memcpy(times_of(set, i), times, length * sizeof *times);
    return WW_OK;
}

const double *ww_series_set_times(const ww_series_set *set, size_t i) {
    return set && set->timed && i < set->count ? times_of(set, i) : NULL;
}

ww_status ww_series_set_shift_times(ww_series_set *set, double shift) {
    if (!set || !isfinite(shift))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_shift_times: %s",
                        set ? "shift is not finite" : "set is NULL");
    WWI_TRY(wwi_series_set_check_own(set));
    for (size_t t = 0; set->timed && t < set->value_count / set->channels; t++)
        set->times[t] += shift;
    return WW_OK;
}

size_t ww_series_set_count(const ww_series_set *set) {
    return set ? set->count : 0;
}

size_t ww_series_set_channels(const ww_series_set *set) {
    return set ? set->channels : 0;
}

size_t ww_series_set_length(const ww_series_set *set, size_t i) {
    return set && i < set->count ? set->lengths[i] : 0;
}

size_t ww_series_set_min_length(const ww_series_set *set) {
    size_t least = ww_series_set_length(set, 0);
    for (size_t i = 1; i < ww_series_set_count(set); i++)
        if (set->lengths[i] < least)
            least = set->lengths[i];
    return least;
}

size_t ww_series_set_max_length(const ww_series_set *set) {
    size_t most = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        if (set->lengths[i] > most)
            most = set->lengths[i];
    return most;
}

const double *ww_series_set_values(const ww_series_set *set, size_t i) {
    return set && i < set->count ? set->values + set->offsets[i] : NULL;
}

const char *ww_series_set_label(const ww_series_set *set, size_t i) {
    const long k = ww_series_set_class(set, i);
    return k < 0 ? NULL : set->names.names[k];
}

size_t ww_series_set_class_count(const ww_series_set *set) {
    return set ? set->names.count : 0;
}

const char *ww_series_set_class_name(const ww_series_set *set, size_t k) {
    return set && k < set->names.count ? set->names.names[k] : NULL;
}

int64_t ww_series_set_class(const ww_series_set *set, size_t i) {
    return set && i < set->count ? set->classes[i] : -1;
}

size_t ww_series_set_missing(const ww_series_set *set) {
    return set ? set->missing : 0;
}

ww_status ww_series_set_znormalise(ww_series_set *set) {
    WWI_NEEDS("set", set);
    WWI_TRY(wwi_series_set_check_own(set));
    for (size_t i = 0; i < set->count; i++) {
        const double *values = set->values + set->offsets[i];
        for (size_t t = 0; t < set->channels * set->lengths[i]; t++)
            if (!isfinite(values[t])) {
                const size_t at = t % set->lengths[i];
                wwi_fail(WW_ERROR_NOT_FINITE, "series %zu has %s at position %zu and can't be z-normalised", i,
                         isnan(values[t]) ? "a missing value (NaN)" : "an infinite value", at);
                wwi_fail_hint("fill in or remove what is missing");
                wwi_fail_channel((int64_t)(t / set->lengths[i]));
                return wwi_fail_where((int64_t)i, (int64_t)at);
            }
    }
    for (size_t i = 0; i < set->count; i++)
        for (size_t c = 0; c < set->channels; c++)
            wwi_znormalise(set->values + set->offsets[i] + c * set->lengths[i], set->lengths[i]);
    return WW_OK;
}

// Channel c of `values` before, `length` points, as 2 reach + 1 channels: the k-th has the point k - reach later.
static void embed_channel(const double *values, size_t length, size_t reach, double *embedded) {
    for (size_t k = 0; k <= 2 * reach; k++)
        for (size_t t = 0; t < length; t++) {
            const size_t at = t + k < reach ? 0 : t + k - reach;
            embedded[k * length + t] = values[at < length ? at : length - 1];
        }
}

ww_status ww_series_set_embed(ww_series_set *set, size_t reach) {
    WWI_NEEDS("set", set);
    WWI_TRY(wwi_series_set_check_own(set));
    uint64_t width, channels, count, bytes;
    if (!wwi_mul_u64(reach, 2, &width) || width == UINT64_MAX || !wwi_mul_u64(++width, set->channels, &channels) ||
        !wwi_mul_u64(width, set->value_count, &count) || !wwi_mul_u64(count, sizeof *set->values, &bytes) ||
        bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "a reach of %zu points makes too many channels", reach);
    if (width == 1)
        return WW_OK;
    double *embedded;
    WWI_TRY(wwi_new(embedded, count ? count : 1));
    set->missing = 0;
    for (size_t i = 0; i < set->count; i++) {
        const size_t length = set->lengths[i];
        for (size_t c = 0; c < set->channels; c++)
            embed_channel(set->values + set->offsets[i] + c * length, length, reach,
                          embedded + (set->offsets[i] + c * length) * width);
        set->offsets[i] *= width;
    }
    for (size_t k = 0; k < count; k++)
        set->missing += isnan(embedded[k]) != 0;
    free(set->values);
    set->values = embedded;
    set->value_count = count;
    set->values_capacity = count ? count : 1;
    set->channels = channels;
    return WW_OK;
}

ww_status ww_series_set_view(const ww_series_set *set, ww_series_view *view) {
    WWI_NEEDS("set, view", set, view);
    const ww_series_view made = {.struct_size = sizeof made,
                                 .values = set->values,
                                 .precision = WW_DOUBLE,
                                 .count = set->count,
                                 .channels = set->channels,
                                 .length = ww_series_set_max_length(set),
                                 .lengths = set->lengths,
                                 .offsets = set->offsets,
                                 .time_major = 0};
    return wwi_struct_give(view, &made, "ww_series_view");
}
