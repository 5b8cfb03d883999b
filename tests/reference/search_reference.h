// SPDX-License-Identifier: Apache-2.0
// Searches by brute force in double, and the UCR Suite's cascade on one core: what searches are compared with.
#ifndef WAVEWARP_SEARCH_REFERENCE_H
#define WAVEWARP_SEARCH_REFERENCE_H

#include "reference.h"

// values[p]: the distance of the query to the window at p, each z-normalised where wanted; +infinity where the window
// has a point that is not finite. `count` windows: the stream's length less the query's, plus 1.
void wwr_search_windows(const ww_measure *measure, const wwr_series *query, const wwr_series *stream, int znormalise,
                        double *values);
// values[j]: the least distance of the query to a part of the stream that ends with point j, where that and all of the
// part are finite; measure->relax_begin_x and relax_end_x as of a search (the latter only where the stream ends).
void wwr_search_ends(const ww_measure *measure, const wwr_series *query, const wwr_series *stream, double *values);
// The best places in order, of equal ones the first, no two closer than `exclusion`. `most`: the largest is the best.
// Gives how many there are.
size_t wwr_search_choose(const double *values, size_t count, size_t exclusion, size_t k, int most, size_t *places);
// Mean 0 and population deviation 1, in place; a flat series is all zero.
void wwr_znormalise(double *values, size_t count);

// The window nearest to a query under DTW with a Sakoe-Chiba band, both z-normalised: T. Rakthanmanon et al., Searching
// and mining trillions of time series subsequences under dynamic time warping, KDD 2012. In the order of that paper:
// LB_Kim of up to three points at each end, LB_Keogh of the query's envelope with the query's points in descending
// order, LB_Keogh of the stream's envelope, then DTW abandoned by the row's least value and the rest of the bound; sums
// carried from window to window. One core. `place` and the squared distance.
void wwr_ucr_search(const double *query, size_t n, const double *stream, size_t length, size_t reach, size_t *place,
                    double *distance);

#endif
