// SPDX-License-Identifier: Apache-2.0
// Plain textbook forms of every measure, in double: the reference for all other results. Slow and simple on purpose.
#ifndef WAVEWARP_REFERENCE_H
#define WAVEWARP_REFERENCE_H

#include <stddef.h>
#include <wavewarp/measure.h>

// A window whose range is at most this part of its largest absolute value is constant: 8 times 2^-52.
#define WWR_CONSTANT 0x1p-49

typedef struct wwr_series {
    const double *values; // channel by channel: value of channel c at time t is values[c * length + t]
    size_t length;
    size_t channels;
} wwr_series;

// A user's cost of two values of one channel.
typedef double (*wwr_value_cost)(double x, double y);

typedef struct wwr_options {
    ww_cost cost;        // never WW_COST_DEFAULT
    wwr_value_cost user; // WW_COST_USER
    int root;
    int independent;
    const size_t *lo, *hi; // row i (from 0) covers columns lo[i] <= j < hi[i]; NULL: all
} wwr_options;

// The accumulated matrix, (n+1) x (m+1) or fewer rows at a time. Row i lies at cells + (i % rows) * (m + 1).
typedef struct wwr_matrix {
    double *cells;
    size_t rows;
    size_t columns; // m + 1
} wwr_matrix;

// Distances. +infinity when the band leaves no path.
double wwr_dtw(const wwr_series *x, const wwr_series *y, const wwr_options *options);
double wwr_frechet(const wwr_series *x, const wwr_series *y, const wwr_options *options);

// The same for dependent channels and without the root, all of the accumulated matrix kept in `matrix`: (n+1) x (m+1).
double wwr_dtw_matrix(const wwr_series *x, const wwr_series *y, const wwr_options *options, double *matrix);
double wwr_frechet_matrix(const wwr_series *x, const wwr_series *y, const wwr_options *options, double *matrix);

// The same by trying every path from corner to corner, for dependent channels and without the root. Lengths up to 6.
double wwr_dtw_all_paths(const wwr_series *x, const wwr_series *y, const wwr_options *options);
double wwr_frechet_all_paths(const wwr_series *x, const wwr_series *y, const wwr_options *options);

// What the library computes for `measure`: its cost, band, root and independence. `user` replaces its expression.
// NaN when the band does not fit the lengths, +infinity when it leaves no path.
double wwr_distance(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const wwr_series *y);
// The same with time stamps (TWED), one a point; NULL: the index, from 1.
double wwr_distance_timed(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const double *x_times,
                          const wwr_series *y, const double *y_times);

// Cells of a band as a matrix of 0 and 1, n x m, marked cell by cell as each kind is defined.
void wwr_band_mask(const ww_band *band, size_t n, size_t m, unsigned char *mask);
// Whether a path of steps right, down and diagonal goes from corner to corner of a mask.
int wwr_mask_has_path(const unsigned char *mask, size_t n, size_t m);

#endif
