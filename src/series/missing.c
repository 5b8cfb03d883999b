// SPDX-License-Identifier: Apache-2.0
// Missing values: filled in along a line, or their points left out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "host.h"
#include "series/held.h"
#include "series/set.h"

// The line between the nearest values before and after; before the first and after the last value, that one. There is
// one at least. `times` NULL: points are evenly spaced.
static void interpolate(double *x, size_t n, const double *times) {
    size_t before = SIZE_MAX;
    for (size_t t = 0; t < n; t++) {
        if (isnan(x[t]))
            continue;
        for (size_t gap = before == SIZE_MAX ? 0 : before + 1; gap < t; gap++) {
            if (before == SIZE_MAX) {
                x[gap] = x[t];
                continue;
            }
            const double span = times ? times[t] - times[before] : (double)(t - before);
            const double part = times ? times[gap] - times[before] : (double)(gap - before);
            const double share = span > 0 ? part / span : 0;
            x[gap] = x[before] * (1 - share) + x[t] * share; // no difference of two values that overflows
        }
        before = t;
    }
    for (size_t gap = before + 1; gap < n; gap++)
        x[gap] = x[before];
}

static bool has_value(const ww_series_set *set, size_t i, size_t channel) {
    const double *x = set->values + set->offsets[i] + channel * set->lengths[i];
    for (size_t t = 0; t < set->lengths[i]; t++)
        if (!isnan(x[t]))
            return true;
    return false;
}

static void fill(ww_series_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        const size_t n = set->lengths[i];
        const double *times = set->timed ? set->times + set->offsets[i] / set->channels : NULL;
        for (size_t c = 0; c < set->channels; c++)
            interpolate(set->values + set->offsets[i] + c * n, n, times);
    }
}

static ww_status fail_empty(size_t i, size_t channel, ww_missing how) {
    if (how == WW_MISSING_DROP)
        wwi_fail(WW_ERROR_EMPTY, "series %zu has a missing value in each of its points", i);
    else
        wwi_fail(WW_ERROR_EMPTY, "series %zu has no value in channel %zu, so that none can be filled in", i, channel);
    wwi_fail_hint("leave the series out");
    return wwi_fail_where((int64_t)i, -1);
}

static bool is_whole(const ww_series_set *set, size_t i, size_t t) {
    for (size_t c = 0; c < set->channels; c++)
        if (isnan(set->values[set->offsets[i] + c * set->lengths[i] + t]))
            return false;
    return true;
}

// Points of series i without a missing value.
static size_t count_whole(const ww_series_set *set, size_t i) {
    size_t count = 0;
    for (size_t t = 0; t < set->lengths[i]; t++)
        count += is_whole(set, i, t);
    return count;
}

// Moves the points that stay to the front, in place: a value never moves behind one that is still to be read. `stays`
// has room for the longest series.
static void drop(ww_series_set *set, bool *stays) {
    size_t at = 0;
    for (size_t i = 0; i < set->count; i++) {
        const size_t n = set->lengths[i], from = set->offsets[i], point = at / set->channels;
        size_t kept = 0;
        for (size_t t = 0; t < n; t++)
            stays[t] = is_whole(set, i, t);
        for (size_t t = 0; t < n; t++) {
            if (stays[t] && set->timed)
                set->times[point + kept] = set->times[from / set->channels + t];
            kept += stays[t];
        }
        for (size_t c = 0; c < set->channels; c++)
            for (size_t t = 0; t < n; t++)
                if (stays[t])
                    set->values[at++] = set->values[from + c * n + t];
        set->offsets[i] = at - kept * set->channels;
        set->lengths[i] = kept;
    }
    set->value_count = at;
}

ww_status ww_series_set_fill_missing(ww_series_set *set, ww_missing how) {
    if (!set || how < WW_MISSING_KEEP || how > WW_MISSING_DROP)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_fill_missing: %s",
                        set ? "how is no value of ww_missing" : "set is NULL");
    if (!set->missing || how == WW_MISSING_KEEP)
        return WW_OK;
    WWI_TRY(wwi_series_set_check_own(set));
    // A failure leaves the set as it was: what can't be done is found first.
    for (size_t i = 0; i < set->count; i++)
        for (size_t c = 0; c < (how == WW_MISSING_DROP ? 1 : set->channels); c++)
            if (how == WW_MISSING_DROP ? count_whole(set, i) == 0 : !has_value(set, i, c))
                return fail_empty(i, c, how);
    if (how == WW_MISSING_DROP) {
        WWI_FREES bool *stays = NULL;
        WWI_TRY(wwi_new(stays, ww_series_set_max_length(set)));
        drop(set, stays);
    } else {
        fill(set);
    }
    set->missing = 0;
    return WW_OK;
}
