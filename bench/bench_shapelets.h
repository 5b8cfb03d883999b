// SPDX-License-Identifier: Apache-2.0
// Textbook C for the bench of shapelets.
#ifndef WAVEWARP_BENCH_SHAPELETS_H
#define WAVEWARP_BENCH_SHAPELETS_H

#include <stddef.h>
#include <stdint.h>

// Distances of all windows of x (every length from `least` on by `step`, every start) to y, both of `points` points, in
// the order (length, start). scratch: (points + 1)^2 + 4 (points + 1) numbers. How many cells there were.
uint64_t bench_shapelets_pair(const double *x, const double *y, size_t points, size_t least, size_t step,
                              double *scratch, double *nearest);

#endif
