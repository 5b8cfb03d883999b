// SPDX-License-Identifier: Apache-2.0
// The measures other than DTW and Frechet in plain C; see wwr_distance() in reference.h.
#ifndef WAVEWARP_RECURRENCES_H
#define WAVEWARP_RECURRENCES_H

#include "reference.h"

// `parameters` in the order of ww_measure_info. Times NULL: the index. NaN for a measure that is not here.
double wwr_recurrence(ww_measure_id id, const double *parameters, const wwr_series *x, const double *x_times,
                      const wwr_series *y, const double *y_times, const wwr_options *options);

#endif
