// SPDX-License-Identifier: Apache-2.0
// A series prepared for its profile, on the host: finite values, means and norms of its windows, which of them are
// constant.
#ifndef WAVEWARP_PROFILE_SERIES_H
#define WAVEWARP_PROFILE_SERIES_H

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
    size_t best; // channels that count in a pair of windows, the nearest
    // Channel by channel. Values are shifted and scaled, which changes no distance.
    double *values; // points
    double *lasts;  // windows: their last value less their mean, right to a rounding of the window's size
    double *sizes;  // windows: |x - mean|, of the finite values
    double *norms;  // windows: 1 / size; 0 for a constant one, below 0 where a value is missing
    // Of each window.
    unsigned char *state; // WWI_WINDOW_FLAT only of a series of one channel
    // The largest size of the windows before, as many as a diagonal is followed, by its own; of all channels. Or
    // WWI_PROFILE_LOST.
    float *condition;
    float *single;       // the same for tiles in float: see WWI_PROFILE_MOST_NORM and WWI_PROFILE_REPEATS
    uint32_t *close;     // how many channels are close to straight lines, or constant
    float *flat;         // half the number of constant channels
    uint32_t *flat_bits; // which of the first 32 are constant; with `partial` of 16, and in the high half: are missing
    bool has_flats;      // more than one channel, and some are constant or missing somewhere
    bool partial;        // a window with a missing value is left out in that value's channel alone
    size_t flat_count;   // windows with WWI_WINDOW_FLAT
    // Of one channel: windows that are straight lines, within what is promised of distances: WWI_LINE_UP or
    // WWI_LINE_DOWN, else 0.
    unsigned char *line;
    size_t line_count;
} wwi_profile_series;

// Copies series `index` of the view to a zeroed one, which the caller frees also after a failure, by so many threads.
// `best`: as above. The condition is not made yet.
ww_status wwi_profile_series_make(const ww_series_view *view, size_t index, size_t window, size_t best,
                                  unsigned threads, wwi_profile_series *series);
enum { WWI_LINE_UP = 1, WWI_LINE_DOWN = 2, WWI_LINES = 3 };
// Finds the windows whose points are no farther from a straight line than `tolerance` times its deviation.
void wwi_profile_series_find_lines(wwi_profile_series *series, double tolerance);
// Makes both conditions, for diagonals that are followed for `rows` windows. `grain`: no size on the way counts as
// less. `watch`: diagonals are followed in float, so that rows which repeat matter.
ww_status wwi_profile_series_reach(wwi_profile_series *series, size_t rows, double grain, bool watch);
// What the recurrence adds at a window, from 1 on: half the difference of its last point and the one before its first,
// and the sum of their deviations.
double wwi_profile_series_df(const wwi_profile_series *series, size_t channel, size_t window);
double wwi_profile_series_dg(const wwi_profile_series *series, size_t channel, size_t window);
// A window's mean, and its size as the tables have it: of a window that is lost, a larger one.
double wwi_profile_series_mean(const wwi_profile_series *series, size_t channel, size_t window);
double wwi_profile_series_size(const wwi_profile_series *series, size_t channel, size_t window);
// Whether a window is near to all others that are close to a line: correlations with them are computed in double.
static inline bool wwi_profile_series_close(const wwi_profile_series *series, size_t window) {
    return series->state[window] == WWI_WINDOW_USABLE && series->close[window] >= series->best;
}
void wwi_profile_series_free(wwi_profile_series *series);

// The squared distance of two windows, as kernels_cl/profile/profile_merge.cl computes it.
double wwi_profile_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j);

#endif
