// SPDX-License-Identifier: Apache-2.0
// Matrix profiles by brute force in double, and by STOMP as people write it.
#ifndef WAVEWARP_PROFILE_REFERENCE_H
#define WAVEWARP_PROFILE_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

// Which neighbours count: all, those before, those behind.
typedef enum wwr_profile_side { WWR_PROFILE_ALL, WWR_PROFILE_LEFT, WWR_PROFILE_RIGHT } wwr_profile_side;

// The distance of two windows of m points; channel c of a series begins at c * length. NaN where a window has NaN.
double wwr_profile_distance(const double *x, size_t x_length, size_t i, const double *y, size_t y_length, size_t j,
                            size_t m, size_t channels);
// The p-norm of the difference of two windows as they are, of at most 32 channels the `best` nearest. Infinite where a
// window has NaN or infinity.
double wwr_raw_distance(const double *x, size_t x_length, size_t i, const double *y, size_t y_length, size_t j,
                        size_t m, size_t channels, size_t best, double p);
// The k nearest windows of y for every window of x, or with y NULL of x itself, more than `exclusion` away.
// windows x k each.
void wwr_profile(const double *x, size_t x_length, const double *y, size_t y_length, size_t m, size_t channels,
                 size_t exclusion, wwr_profile_side side, size_t k, double *distances, int64_t *indices);
// The consensus of `count` series: the window whose farthest nearest window in the others is the nearest, and of each
// series the nearest one and its distance. p 0: normalised. At most 8 series.
typedef struct wwr_consensus {
    double radius, distances[8];
    size_t of;
    int64_t windows[8];
} wwr_consensus;
wwr_consensus wwr_profile_consensus(const double *const *series, const size_t *lengths, size_t count, size_t m,
                                    size_t channels, double p);
// Rows first to first + rows - 1 of the profile of a series with itself by the recurrence of STOMP (Y. Zhu et al.,
// Matrix Profile II, ICDM 2016), one row after the other, on one core: the baseline of the bench.
void wwr_stomp(const double *x, size_t length, size_t m, size_t exclusion, size_t rows, double *distances,
               int64_t *indices);

#endif
