// SPDX-License-Identifier: Apache-2.0
// The consensus motif of several series: of all their windows the one that is nearest to all series, by the farthest of
// its nearest windows in the others (K. Kamgar et al., Matrix Profile XV, ICDM 2019). Profiles of each series against
// the others, one after another: the radius of a window only grows, and windows that are farther than the best so far
// are left. Two series have their nearest pair from both sides: radii that rounding alone may make different
// are equal.
#include <math.h>
#include <stdlib.h>

#include "base/kit.h"
#include "data/view.h"
#include "error.h"
#include "options.h"
#include "profile/profile_job.h"

// What it costs to begin a range of windows, besides a window's points, in windows.
#define BEGINNING 64

typedef struct consensus {
    ww_context *context;
    const ww_series_view *series; // dense
    size_t window, most;          // most: windows of the longest
    const ww_profile_options *options;
    double *distances, *radius, *sum; // of one series' windows: nearest in another; the farthest so far; all together
    int64_t *indices;
    double least, least_sum; // radius, and of these the sum of distances
    size_t of;
    int64_t at;
} consensus;

static void end_consensus(consensus *c) {
    free(c->distances);
    free(c->radius);
    free(c->sum);
    free(c->indices);
}

static size_t windows_of(const consensus *c, size_t series) {
    return wwi_view_length(c->series, series) - c->window + 1;
}

// What rounding makes of a radius.
static double rounding(const consensus *c, double radius) {
    const double values = (double)c->window * (double)c->series->channels;
    return isfinite(radius) ? (c->options->p > 0 ? 0 : 1e-10 * sqrt(values)) + 1e-12 * radius : 0;
}

// The windows from *first on that are no farther than `most`, with those between them that cost less than to begin
// anew.
static size_t next_range(const consensus *c, size_t windows, double most, size_t *first) {
    while (*first < windows && c->radius[*first] > most)
        ++*first;
    size_t end = *first;
    for (size_t i = end; i < windows && i <= end + c->window + BEGINNING; i++)
        if (c->radius[i] <= most)
            end = i + 1;
    return end;
}

// The nearest windows of series `a` in series `b`, of windows no farther than `most` so far; of others, too, or none.
static ww_status join(consensus *c, size_t a, size_t b, double most) {
    WWI_ENDS(ww_profile_destroy) ww_profile *profile = NULL;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    const size_t windows = windows_of(c, a), others = windows_of(c, b);
    size_t rows = 0;
    output.distances = c->distances;
    output.indices = c->indices;
    WWI_TRY(ww_profile_create(c->context, c->series, a, c->series, b, c->window, c->options, &profile));
    for (size_t first = 0, end; (end = next_range(c, windows, most, &first)) > first; first = end)
        rows += end - first + c->window + BEGINNING;
    if (rows == 0 || rows >= windows)
        return ww_profile_run(profile, &output);
    bool begun = false;
    for (size_t first = 0, end; (end = next_range(c, windows, most, &first)) > first; first = end) {
        const wwi_profile_part part = WWI_PROFILE_RECTANGLE(first, end, 0, others);
        WWI_TRY(wwi_profile_run_anywhere(profile, &part, false, !begun, &output));
        begun = true;
    }
    return WW_OK;
}

// The windows of one series, until all are farther than the best.
static ww_status try_series(consensus *c, size_t a) {
    const size_t count = c->series->count, windows = windows_of(c, a);
    double least = 0;
    for (size_t i = 0; i < windows; i++)
        c->radius[i] = c->sum[i] = 0;
    for (size_t n = 1; n < count; n++) {
        const double most = c->least + rounding(c, c->least);
        if (least > most)
            return WW_OK;
        WWI_TRY(join(c, a, (a + n) % count, most));
        least = INFINITY;
        for (size_t i = 0; i < windows; i++) {
            c->radius[i] = fmax(c->radius[i], c->distances[i]);
            c->sum[i] += c->distances[i];
            least = fmin(least, c->radius[i]);
        }
    }
    for (size_t i = 0; i < windows; i++) {
        const double more = rounding(c, c->least), radius = c->radius[i], sum = c->sum[i];
        if (radius < c->least - more || (radius <= c->least + more && sum < c->least_sum - (double)count * more)) {
            c->least = fmin(radius, c->least);
            c->least_sum = sum;
            c->of = a;
            c->at = (int64_t)i;
        }
    }
    return WW_OK;
}

static ww_status find(consensus *c, double *radius, int64_t *windows, double *distances) {
    for (size_t a = 0; a < c->series->count; a++)
        WWI_TRY(try_series(c, a));
    if (!isfinite(c->least)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "no window of %zu points has a neighbour in every other series", c->window);
        return wwi_fail_hint("a window with NaN or infinity is nobody's neighbour");
    }
    for (size_t i = 0; i < windows_of(c, c->of); i++)
        c->radius[i] = i == (size_t)c->at ? 0 : (double)INFINITY;
    *radius = 0;
    for (size_t b = 0; b < c->series->count; b++) {
        if (b != c->of)
            WWI_TRY(join(c, c->of, b, 0));
        const double distance = b == c->of ? 0 : c->distances[c->at];
        *radius = fmax(*radius, distance);
        if (windows)
            windows[b] = b == c->of ? c->at : c->indices[c->at];
        if (distances)
            distances[b] = distance;
    }
    return WW_OK;
}

static ww_status check(const consensus *c, const ww_profile_options *o) {
    if (c->series->count < 2)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a consensus needs 2 or more series; there are %zu",
                        c->series->count);
    if (o->k != 1 || o->left_right || o->flat || o->other_flat || (o->share > 0 && o->share < 1)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a consensus has no k, left_right, share, flat or other_flat");
        return wwi_fail_hint("leave them at their defaults");
    }
    for (size_t i = 0; i < c->series->count; i++)
        if (wwi_view_length(c->series, i) < c->window || c->window < WW_PROFILE_LEAST_WINDOW) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the window has %zu points, series %zu has %zu", c->window, i,
                     wwi_view_length(c->series, i));
            wwi_fail_where((int64_t)i, -1);
            return wwi_fail_hint("a window has %d points at least, and is no longer than the shortest series",
                                 WW_PROFILE_LEAST_WINDOW);
        }
    return WW_OK;
}

ww_status ww_profile_find_consensus(ww_context *context, const ww_series_view *series, size_t window,
                                    const ww_profile_options *options, size_t *of, double *radius, int64_t *windows,
                                    double *distances) {
    ww_profile_options o = WW_PROFILE_OPTIONS_INIT;
    ww_series_view view;
    WWI_FREES void *copy = NULL;
    WWI_NEEDS("context, series, of, radius", context, series, of, radius);
    WWI_TRY(wwi_options_take(&o, options, "ww_profile_options"));
    WWI_TRY(wwi_view_make_dense(series, &view, &copy));
    WWI_ENDS(end_consensus)
    consensus c = {.context = context, .series = &view, .window = window, .options = &o, .least = (double)INFINITY};
    c.least_sum = (double)INFINITY;
    WWI_TRY(check(&c, &o));
    for (size_t i = 0; i < view.count; i++)
        c.most = windows_of(&c, i) > c.most ? windows_of(&c, i) : c.most;
    WWI_TRY(wwi_new(c.distances, c.most));
    WWI_TRY(wwi_new(c.radius, c.most));
    WWI_TRY(wwi_new(c.sum, c.most));
    WWI_TRY(wwi_new(c.indices, c.most));
    WWI_TRY(find(&c, radius, windows, distances));
    *of = c.of;
    return WW_OK;
}
