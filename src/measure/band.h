// SPDX-License-Identifier: Apache-2.0
// Bands: which cells of a pair's matrix take part.
#ifndef WAVEWARP_BAND_H
#define WAVEWARP_BAND_H

#include <stdbool.h>
#include <wavewarp/measure.h>

// Whether a caller's band is in range, whatever the lengths. WW_ERROR_INVALID_ARGUMENT.
ww_status wwi_band_check(const ww_band *band);

// For a checked band: the band of m x n is the transpose of the band of n x m, for all lengths.
bool wwi_band_is_symmetric(const ww_band *band);

// For a checked band: the band of n x n holds the diagonal, for all lengths.
bool wwi_band_has_diagonal(const ww_band *band);

// For a checked band: cells of an n x m matrix inside it, UINT64_MAX when they do not fit; 0 when no path goes
// through. Leaves no error record.
uint64_t wwi_band_cells(const ww_band *band, size_t n, size_t m);

// For a checked band: whether it is a Sakoe-Chiba band that ends before the longer series of some n and m points does.
bool wwi_band_is_short(const ww_band *band, size_t n, size_t m);

// The rows of a band as ww_band_rows() gives them. Of a band that is short (wwi_band_is_short()) with the rest of the
// last row, or column, besides, so that a path goes from corner to corner: no end of a path there is less than that at
// the band's own end, since its only neighbour is the cell before, and costs are not negative.
ww_status wwi_band_stretched(const ww_band *band, size_t n, size_t m, size_t *lo, size_t *hi);

// Slanted: the cells that the band takes before and after its centre, along the shorter side of `size` points.
size_t wwi_band_thickness(const ww_band *band, size_t size);

#endif
