// SPDX-License-Identifier: Apache-2.0
// Profiles of series that grow. A push plans the profile of all points that are kept, and runs the rectangle of all
// windows with the new ones, into the lists that there are: what a plan costs is in proportion to the points, and the
// lists are the whole's, bit for bit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "options.h"
#include "profile/profile_job.h"

// Points that are taken at a time.
#define MOST_POINTS ((size_t)1 << 20)

struct ww_profile_stream {
    ww_context *context;
    ww_profile_options options;
    ww_run_options run;
    size_t channels, window, keep, exclusion;
    double *values; // points x channels, of those that are kept
    size_t points, capacity;
    uint64_t forgotten;
    wwi_profile_nearest nearest;
};

void ww_profile_stream_destroy(ww_profile_stream **stream) {
    ww_profile_stream *s = wwi_taken(stream);
    if (!s)
        return;
    free(s->values);
    wwi_profile_nearest_free(&s->nearest);
    wwi_context_release(s->context);
    free(s);
}

// What a profile of enough points would refuse is refused now.
static ww_status try_options(const ww_profile_stream *s) {
    WWI_FREES double *zeros = NULL;
    WWI_ENDS(ww_profile_destroy) ww_profile *tried = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_profile_options options = s->options;
    uint64_t count;
    const size_t points = s->window + s->window / 2 + 2;
    if (!wwi_mul_u64(points, s->channels, &count) || count > PTRDIFF_MAX / sizeof *zeros)
        return wwi_fail(WW_ERROR_OVERFLOW, "a window of %zu points of %zu channels are too many is too large",
                        s->window, s->channels);
    WWI_TRY(wwi_new_zeroed(zeros, count));
    view.values = zeros;
    view.precision = WW_DOUBLE;
    view.count = s->channels > 0;
    view.channels = s->channels;
    view.length = points;
    options.exclusion = 0;
    return ww_profile_create(s->context, &view, 0, NULL, 0, s->window, &options, &tried);
}

ww_status ww_profile_stream_create(ww_context *context, size_t channels, size_t window, size_t keep,
                                   const ww_profile_options *options, ww_profile_stream **stream) {
    WWI_ENDS(ww_profile_stream_destroy) ww_profile_stream *s = NULL;
    if (stream)
        *stream = NULL;
    WWI_NEEDS("context, stream", context, stream);
    if (window < WW_PROFILE_LEAST_WINDOW || window > UINT32_MAX / 8)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the window has %zu points; it needs %d at least", window,
                        WW_PROFILE_LEAST_WINDOW);
    WWI_TRY(wwi_new_zeroed(s, 1));
    wwi_context_retain(context);
    s->context = context;
    s->options = (ww_profile_options)WW_PROFILE_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&s->options, options, "ww_profile_options"));
    WWI_TRY(wwi_run_take(s->options.run, &s->run));
    s->options.run = &s->run;
    if (s->options.share > 0 && s->options.share < 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a series that grows has no share: all lags are compared");
    if (s->options.flat || s->options.other_flat)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a series that grows has no flat or other_flat; use flat_below");
    s->channels = channels;
    s->window = window;
    s->keep = keep;
    s->exclusion = s->options.exclusion == WW_PROFILE_EXCLUSION_AUTO ? (window + 3) / 4 : s->options.exclusion;
    WWI_TRY(try_options(s));
    if (keep && (keep <= window || keep - window <= s->exclusion)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu points are kept, which leaves no pair of windows", keep);
        return wwi_fail_hint("keep more points than a window and its exclusion have");
    }
    WWI_TRY(wwi_profile_nearest_make(0, s->options.k, s->options.left_right ? WWI_PROFILE_LISTS : 1, &s->nearest));
    *stream = wwi_taken(&s);
    return WW_OK;
}

static size_t windows_of(const ww_profile_stream *s, size_t points) {
    return points >= s->window ? points - s->window + 1 : 0;
}

static ww_status make_room(ww_profile_stream *s, size_t points) {
    size_t capacity = s->capacity ? s->capacity : 1024;
    uint64_t bytes;
    if (points <= s->capacity)
        return WW_OK;
    while (capacity < points)
        capacity *= 2;
    if (!wwi_mul_u64(capacity, s->channels * sizeof *s->values, &bytes) || bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu points of %zu channels are too many", points, s->channels);
    double *grown = realloc(s->values, bytes);
    if (!grown)
        return wwi_fail_memory(bytes);
    s->values = grown;
    s->capacity = capacity;
    return WW_OK;
}

// Copies lists to longer ones, whose distances are of values scaled otherwise; without the first windows.
static void copy_lists(const wwi_profile_nearest *from, size_t dropped, wwi_profile_nearest *to) {
    to->empty = false;
    const size_t k = from->k, kept = from->windows - dropped, count = (kept < to->windows ? kept : to->windows) * k;
    for (int list = 0; list < from->lists; list++)
        for (size_t i = 0; i < count; i++) {
            to->best[list][i] = ldexp(from->best[list][dropped * k + i], 2 * (from->exponent - to->exponent));
            to->ids[list][i] = from->ids[list][dropped * k + i];
        }
}

// The lists of so many points become `to`: all windows have met.
static ww_status meet(const ww_profile_stream *s, size_t points, wwi_profile_nearest *to) {
    WWI_ENDS(ww_profile_destroy) ww_profile *p = NULL;
    const size_t windows = windows_of(s, points);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_profile_output none = WW_PROFILE_OUTPUT_INIT;
    wwi_profile_part part = WWI_PROFILE_RECTANGLE(0, windows, s->nearest.windows, windows);
    view.values = s->values;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.channels = s->channels;
    view.length = points;
    view.time_major = 1;
    WWI_TRY(ww_profile_create(s->context, &view, 0, NULL, 0, s->window, &s->options, &p));
    if (s->keep) {
        part.apart = s->keep - s->window + 1;
        part.diagonal_end = (int64_t)part.apart;
    }
    for (size_t i = 0; p->team && i < p->team->count; i++)
        if (p->team->on[i])
            ((ww_profile *)p->team->on[i])->series.origin = (size_t)s->forgotten;
    p->series.origin = (size_t)s->forgotten;
    copy_lists(&s->nearest, 0, &p->nearest);
    WWI_TRY(wwi_profile_run_anywhere(p, &part, true, false, &none));
    *to = p->nearest;
    memset(&p->nearest, 0, sizeof p->nearest);
    return WW_OK;
}

// Leaves the last `keep` points, and their windows.
static ww_status forget(ww_profile_stream *s) {
    wwi_profile_nearest left = {.windows = 0};
    const size_t dropped = s->points - s->keep;
    ww_status status = wwi_profile_nearest_make(windows_of(s, s->keep), s->nearest.k, s->nearest.lists, &left);
    if (status != WW_OK) {
        wwi_profile_nearest_free(&left);
        return status;
    }
    left.exponent = s->nearest.exponent;
    copy_lists(&s->nearest, dropped, &left);
    wwi_profile_nearest_free(&s->nearest);
    s->nearest = left;
    memmove(s->values, s->values + dropped * s->channels, s->keep * s->channels * sizeof *s->values);
    s->points = s->keep;
    s->forgotten += dropped;
    return WW_OK;
}

static ww_status take(ww_profile_stream *s, const double *values, size_t count) {
    const size_t points = s->points + count, windows = windows_of(s, points);
    wwi_profile_nearest lists = {.windows = 0};
    WWI_TRY(make_room(s, points));
    memcpy(s->values + s->points * s->channels, values, count * s->channels * sizeof *values);
    ww_status status = windows > s->exclusion + 1
                           ? meet(s, points, &lists)
                           : wwi_profile_nearest_make(windows, s->nearest.k, s->nearest.lists, &lists);
    if (status != WW_OK) {
        wwi_profile_nearest_free(&lists);
        return status;
    }
    wwi_profile_nearest_free(&s->nearest);
    s->nearest = lists;
    s->points = points;
    return s->keep && points > s->keep ? forget(s) : WW_OK;
}

ww_status ww_profile_stream_push(ww_profile_stream *s, const double *values, size_t count) {
    WWI_NEEDS("stream", s);
    if (count && !values)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "values is NULL");
    for (size_t from = 0, taken; from < count; from += taken) {
        taken = count - from < MOST_POINTS ? count - from : MOST_POINTS;
        WWI_TRY(take(s, values + from * s->channels, taken));
    }
    return WW_OK;
}

uint64_t ww_profile_stream_points(const ww_profile_stream *s) {
    return s ? s->forgotten + s->points : 0;
}

uint64_t ww_profile_stream_first(const ww_profile_stream *s) {
    return s ? s->forgotten : 0;
}

size_t ww_profile_stream_windows(const ww_profile_stream *s) {
    return s ? s->nearest.windows : 0;
}

ww_status ww_profile_stream_get(const ww_profile_stream *s, ww_profile_output *output) {
    ww_profile_output to;
    WWI_NEEDS("stream, output", s, output);
    WWI_TRY(wwi_profile_take_output(s->options.left_right, output, &to));
    return wwi_profile_nearest_give(&s->nearest, false, &to);
}
