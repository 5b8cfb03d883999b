// SPDX-License-Identifier: Apache-2.0
// Windows of a series, z-normalised once, and their distances: for the references of profiles and shapelets.
#ifndef WAVEWARP_WINDOWS_H
#define WAVEWARP_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum wwr_form { WWR_VARIES, WWR_FLAT, WWR_MISSING } wwr_form; // flat: constant; missing: has NaN or infinity

typedef struct wwr_windows {
    size_t count, length, channels;
    double *values;  // window by window, channel by channel
    wwr_form *forms; // window by window, channel by channel
} wwr_windows;

// Windows first to first + count - 1 of a series whose channels are `stride` apart; raw: as they are, and none is flat.
wwr_windows wwr_windows_make(const double *series, size_t stride, size_t first, size_t count, size_t length,
                             size_t channels, bool raw);
void wwr_windows_free(wwr_windows *windows);
// The squared distance of window i of x and window j of y, in one channel and in all; NaN where a value is missing.
double wwr_windows_channel(const wwr_windows *x, size_t i, const wwr_windows *y, size_t j, size_t channel);
double wwr_windows_distance(const wwr_windows *x, size_t i, const wwr_windows *y, size_t j);
// z-normalises one window of one channel. Where it does not vary, `to` is not set.
wwr_form wwr_normalise(const double *x, size_t length, double *to);

#endif
