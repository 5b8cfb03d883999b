// SPDX-License-Identifier: Apache-2.0
// Open ends and the soft minimum; see wwr_distance() in reference.h. Closed ends and the hard minimum as well.
#ifndef WAVEWARP_CHOICES_H
#define WAVEWARP_CHOICES_H

#include <stdint.h>

#include "reference.h"

// Of series that are already derived, where the measure derives them. MSM of one channel, or independent ones.
double wwr_choice(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const double *x_times,
                  const wwr_series *y, const double *y_times);
// The same, and all accumulated costs, n x m, before the last step of LCSS, EDR and a root; infinite outside the band.
double wwr_costs(const ww_measure *measure, const wwr_series *x, const wwr_series *y, double *costs);
// The same by an enumeration of all paths. Lengths up to 5.
double wwr_choice_all_paths(const ww_measure *measure, const wwr_series *x, const wwr_series *y);

// The warping path of series that are already derived: cells (i, j) from 0, -1 where a point has no partner, to
// `cells`, which has room for x->length + y->length; their number. The first of diagonal, up and left that is the best;
// of open ends the first, row by row. Also LCS and LCSS. One channel, or dependent ones.
size_t wwr_path(const ww_measure *measure, const wwr_series *x, const wwr_series *y, int32_t (*cells)[2]);
// What the distance is along a path of cells; NAN when they are no path of the measure: not connected, outside the
// band, or begun or ended where it must not.
double wwr_path_value(const ww_measure *measure, const wwr_series *x, const wwr_series *y, int32_t (*cells)[2],
                      size_t count);
// The same path as wwr_path(), chosen from all paths: of those of the least value the one that is the first, compared
// from its end, in the order diagonal, up, left. Not for Frechet, whose best paths need not be best up to each cell.
// Lengths up to 6, sums that are exact.
size_t wwr_path_of_all(const ww_measure *measure, const wwr_series *x, const wwr_series *y, int32_t (*cells)[2]);

#endif
