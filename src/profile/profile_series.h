// SPDX-License-Identifier: Apache-2.0
// A series prepared for its profile, on the host: finite values, means and norms of its windows, which of them are
// constant.
#ifndef WAVEWARP_PROFILE_SERIES_H
#define WAVEWARP_PROFILE_SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <wavewarp/series.h>

// What a window may be; kernels_cl/profile/profile.cl knows the first.
enum { WWI_WINDOW_USABLE = 0, WWI_WINDOW_FLAT = 1, WWI_WINDOW_NOT_FINITE = 2 };

typedef struct wwi_profile_series {
    size_t points, windows, window, channels;
    size_t best; // channels that count in a pair of windows, the nearest
    // Channel by channel. Values are shifted and scaled, which changes no distance.
    double *values; // points
    double *means;  // windows
    double *sizes;  // windows: |x - mean|, of the finite values
    double *norms;  // windows: 1 / size; 0 for a constant one
    // Of each window.
    unsigned char *state; // WWI_WINDOW_FLAT only of a series of one channel
    float *
        reach; // the largest size of the windows before, as many as a diagonal is followed, by its own; of all channels
    float *flat;         // half the number of constant channels
    uint32_t *flat_bits; // which of the first 32 are constant
    bool has_flats;      // more than one channel, and some are constant somewhere
    size_t flat_count;   // windows with WWI_WINDOW_FLAT
} wwi_profile_series;

// Copies series `index` of the view. `best`: as above. The reach is not made yet.
ww_status wwi_profile_series_make(const ww_series_view *view, size_t index, size_t window, size_t best,
                                  wwi_profile_series *series);
// Makes the reach, for diagonals that are followed for `rows` windows.
ww_status wwi_profile_series_reach(wwi_profile_series *series, size_t rows);
void wwi_profile_series_free(wwi_profile_series *series);

// The squared distance of two windows, as kernels_cl/profile/profile_merge.cl computes it.
double wwi_profile_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j);

#endif
