// SPDX-License-Identifier: Apache-2.0
// How far a distance in float may be from the same in double.
#ifndef WAVEWARP_ROUNDING_H
#define WAVEWARP_ROUNDING_H

#include <wavewarp/measure.h>

// What is known of the series that a checked measure compares.
typedef struct wwi_rounding {
    double largest, latest; // absolute value and time
    double steps;           // most cells of a warping path
    double channels;
} wwi_rounding;

// The most by which rounding to float and computing in float change a result of `distance`. Of measures whose row has
// `rounding`.
double wwi_rounding_error(const ww_measure *measure, const wwi_rounding *of, double distance);

#endif
