// SPDX-License-Identifier: Apache-2.0
// Value and slopes of soft minima by definition, in long double: right at any gamma, where central differences of a
// value that is many times gamma have no digits left.
#ifndef WAVEWARP_SLOPES_REFERENCE_H
#define WAVEWARP_SLOPES_REFERENCE_H

#include "reference.h"

// DTW, WDTW, ADTW, ERP, MSM (one channel) and TWED of a pair of up to 64 points, without a band, with gamma above 0.
// Gives the value; by_x and by_y get the slopes, channel by channel.
double wwr_soft_slopes(const ww_measure *measure, const wwr_series *x, const wwr_series *y, double *by_x, double *by_y);

#endif
