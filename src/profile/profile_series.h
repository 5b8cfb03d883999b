// SPDX-License-Identifier: Apache-2.0
// A series prepared for its profile, on the host: finite values, means and norms of its windows, which of them are
// constant.
#ifndef WAVEWARP_PROFILE_SERIES_H
#define WAVEWARP_PROFILE_SERIES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <wavewarp/series.h>

#include "profile/profile_args.h"

// What a window may be; kernels_cl/profile/profile.cl knows the first.
enum { WWI_WINDOW_USABLE = 0, WWI_WINDOW_FLAT = 1, WWI_WINDOW_NOT_FINITE = 2 };

// Windows with a larger norm have covariances that may be below the least float: their condition in float is
// WW_PROFILE_DEEP at least.
#define WWI_PROFILE_MOST_NORM 0x1p43
// The condition in float, at least, of a window on whose way rows repeat: tiles in which both are such are computed in
// double; where one is, the margin is above that of errors that all have one sign. Its square is WW_PROFILE_DEEP or
// more.
#define WWI_PROFILE_REPEATS 11.32f
// The condition of a window whose correlations are lost where diagonals are followed, in double too. Their error is
// above 2 with any other window, so that all are candidates. Their size in the tables is such that what is computed for
// them is within half of that error. The product of two is a float.
#define WWI_PROFILE_LOST 2e15f

typedef struct wwi_profile_series {
    size_t points, windows, window, channels;
    size_t origin; // what neighbours call window 0: of a stream, how many are forgotten
    size_t best;   // channels that count in a pair of windows, the nearest
    // Of them these always do: the caller's bits. Their channels are the first here: `order` has the caller's.
    uint32_t forced;
    size_t forced_count;
    unsigned char order[32];
    // Channel by channel. Values are shifted and scaled, which changes no distance.
    double *values; // points
    double *lasts;  // windows: their last value less their mean, right to a rounding of the window's size
    double *sizes;  // windows: |x - mean|, of the finite values
    double *norms;  // windows: 1 / size; 0 for a constant one, below 0 where a value is missing
    // Of each window.
    unsigned char *state; // WWI_WINDOW_FLAT only of a series of one channel
    uint32_t *close;      // how many channels are close to straight lines, or constant
    // A window is close to a line whose squares from it are this part of those from its mean, or less.
    double closeness;
    bool has_close; // some are, in as many channels as count, and are neighbours of some
    // Of lines by least squares; only where tiles know them (wwi_profile_series_find_bends()). Channel by channel:
    double *slopes, *edges, *bends; // the rise a point; by what a line misses its window's first point and its last,
                                    // as the recurrence takes it; half the squares left of a window of size 1
    double *left;                   // at least the size of what a line leaves, with what its sums were made from
    float *flat;                    // half the number of constant channels
    uint32_t *flat_bits; // which of the first 32 are constant; with `partial` of 16, and in the high half: are missing
    bool has_flats;      // more than one channel, and some are constant or missing somewhere
    bool partial;        // a window with a missing value is left out in that value's channel alone
    size_t flat_count;   // windows with WWI_WINDOW_FLAT
    // Windows of a kind, from 1 to `kinds`, have distance 0 to all others of it; 0: of none. Of one channel: straight
    // lines, within what is promised of distances; of windows as they are: those that are equal.
    uint32_t *kind;
    size_t kinds;
    size_t *kind_windows, *kind_starts; // the windows of each kind: wwi_profile_series_list_kinds()
    double p;                           // 0: normalised windows; else they are as they are, and this is the norm's
    int exponent;                       // of these: a distance is that of `values` times 2^exponent
    // The reach, of each window: what follows depends on how far a plan follows diagonals.
    // The largest size of the windows before, as many as a diagonal is followed, by its own; of all channels. Or
    // WWI_PROFILE_LOST.
    float *condition;
    float *single; // the same for tiles in float: see WWI_PROFILE_MOST_NORM and WWI_PROFILE_REPEATS
    float most_single;
    float *bent; // the condition of tiles that know lines, of what lines leave
} wwi_profile_series;

// What counts as constant by the caller's word: ww_profile_options.flat_below, and a value for each window of each
// channel or NULL.
typedef struct wwi_profile_word {
    double below;
    const unsigned char *flat;
} wwi_profile_word;
// Copies series `index` of the view to one that is zeroed but for `forced`, which the caller frees also after a
// failure, by so many threads. `best`: as above. The reach is not made yet.
ww_status wwi_profile_series_make(const ww_series_view *view, size_t index, size_t window, size_t best,
                                  wwi_profile_word word, double closeness, unsigned threads,
                                  wwi_profile_series *series);
// The least and the largest value of a channel.
typedef struct wwi_extremes {
    double least, most;
} wwi_extremes;
// What both kinds of series begin with: copies the values, of what is not finite the one before, and says so in the
// windows' states. `extremes`: of each channel.
ww_status wwi_profile_series_begin(const ww_series_view *view, size_t index, size_t window, size_t best, double p,
                                   unsigned threads, wwi_profile_series *series, wwi_extremes *extremes);
// What both end with: the states of windows with constant or missing channels.
ww_status wwi_profile_series_end(wwi_profile_series *series, unsigned threads);
// Finds the windows whose points are no farther from a straight line than `tolerance` times its deviation: a kind that
// rises, and one that falls.
ww_status wwi_profile_series_find_lines(wwi_profile_series *series, double tolerance, unsigned threads);
// Lists the windows of each kind, if there are any: of kind i from kind_starts[i + 1] to kind_starts[i + 2].
ww_status wwi_profile_series_list_kinds(wwi_profile_series *series);
// Makes the reach, of a series without one, which the caller frees also after a failure, for diagonals that are
// followed for `rows` windows. `grain`: no size on the way counts as less. `watch`: diagonals are followed in float, so
// that rows which repeat matter.
ww_status wwi_profile_series_reach(wwi_profile_series *series, size_t rows, double grain, bool watch, unsigned threads);
// Of windows [first, end) that are neighbours of some, the largest condition in float, or 1.
float wwi_profile_series_most_single(const wwi_profile_series *series, size_t first, size_t end);
// What the recurrence adds at a window, from 1 on: half the difference of its last point and the one before its first,
// and the sum of their deviations.
static inline double wwi_profile_series_df(const wwi_profile_series *s, size_t c, size_t i) {
    const double *x = s->values + c * s->points;
    return (x[i + s->window - 1] - x[i - 1]) / 2;
}

static inline double wwi_profile_series_dg(const wwi_profile_series *s, size_t c, size_t i) {
    const double *x = s->values + c * s->points, *lasts = s->lasts + c * s->windows;
    // Not from the means: those of windows far from 0 are rounded to more than a quiet window's size.
    return lasts[i] + ((x[i - 1] - x[i + s->window - 2]) + lasts[i - 1]);
}
// A window's mean, and its size as the tables have it: of a window that is lost, a larger one.
static inline double wwi_profile_series_mean(const wwi_profile_series *s, size_t c, size_t i) {
    return s->values[c * s->points + i + s->window - 1] - s->lasts[c * s->windows + i];
}

static inline double wwi_profile_series_size(const wwi_profile_series *s, size_t c, size_t i) {
    const double size = s->sizes[c * s->windows + i];
    // No window's size is above twice the root of its points.
    return s->condition[i] < WWI_PROFILE_LOST ? size : fmax(size, 4 * sqrt((double)s->window) / WWI_PROFILE_LOST);
}
// Whether a window is near to all others that are close to a line: correlations with them are computed in double.
static inline bool wwi_profile_series_close(const wwi_profile_series *series, size_t window) {
    return series->state[window] == WWI_WINDOW_USABLE && series->close[window] >= series->best;
}
void wwi_profile_series_free(wwi_profile_series *series); // all but the reach

// ---- profile_trend.c

// Finds the lines through all windows; their part of the reach (wwi_profile_series_reach()); what the recurrence
// of what they leave adds at a window, from 1 on.
ww_status wwi_profile_series_find_bends(wwi_profile_series *series, unsigned threads);
ww_status wwi_profile_series_bent_reach(wwi_profile_series *series, size_t rows, double grain);
// The tilt of a window of size 1; 0 of one that is constant or missing.
double wwi_profile_series_tilt(const wwi_profile_series *series, size_t channel, size_t window);
double wwi_profile_series_bent_df(const wwi_profile_series *series, size_t channel, size_t window);
double wwi_profile_series_bent_dg(const wwi_profile_series *series, size_t channel, size_t window);

// ---- profile_series.c

// The part of a channel in the squared distance: infinite where a value is missing.
double wwi_profile_channel_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j,
                                     size_t channel);
// The caller's channel of one of the series'.
static inline size_t wwi_profile_series_channel(const wwi_profile_series *series, size_t channel) {
    return series->forced_count ? series->order[channel] : channel;
}
// Puts what a channel has into the `best` least, where fewer than all count.
static inline void wwi_profile_keep_least(const wwi_profile_series *series, size_t channel, double value,
                                          double least[32]) {
    if (channel < series->forced_count) {
        least[channel] = value;
        return;
    }
    for (size_t r = series->forced_count; r < series->best; r++) {
        const double more = value > least[r] ? value : least[r];
        least[r] = value > least[r] ? least[r] : value;
        value = more;
    }
}
double wwi_profile_normal_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j);

// ---- profile_raw.c

// Copies two series whose windows are not normalised (`other_view` NULL: one), scaled alike; finds equal windows.
ww_status wwi_profile_series_make_raw(const ww_series_view *view, size_t index, const ww_series_view *other_view,
                                      size_t other_index, size_t window, size_t best, double p, unsigned threads,
                                      wwi_profile_series *series, wwi_profile_series *other);
// The squared distance of two such windows, of the scaled values, as kernels_cl/profile/profile_raw_distance.cl
// computes it.
double wwi_profile_raw_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j);

// Of one channel alone.
double wwi_profile_raw_channel2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j,
                                size_t channel);
// A squared distance as kernels_cl/profile/profile_raw.cl has it, its power p; of a large p the distance.
double wwi_profile_raw_power(const wwi_profile_series *series, double squared);
// The p of a norm that tiles have as if it was infinite, or more: powers of it leave the floats.
#define WWI_RAW_MOST_POWER 16.0

// The squared distance of two windows, of normalised ones as kernels_cl/profile/profile_distance.cl computes it.
static inline double wwi_profile_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b,
                                           size_t j) {
    return a->p > 0 ? wwi_profile_raw_distance2(a, i, b, j) : wwi_profile_normal_distance2(a, i, b, j);
}

#endif
