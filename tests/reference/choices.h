// SPDX-License-Identifier: Apache-2.0
// Open ends and the soft minimum; see wwr_distance() in reference.h. Closed ends and the hard minimum as well.
#ifndef WAVEWARP_CHOICES_H
#define WAVEWARP_CHOICES_H

#include "reference.h"

// Of series that are already derived, where the measure derives them. MSM of one channel, or independent ones.
double wwr_choice(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const double *x_times,
                  const wwr_series *y, const double *y_times);
// The same by an enumeration of all paths. Lengths up to 5.
double wwr_choice_all_paths(const ww_measure *measure, const wwr_series *x, const wwr_series *y);

#endif
