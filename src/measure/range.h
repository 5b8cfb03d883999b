// SPDX-License-Identifier: Apache-2.0
// How large a measure's values can get: what may overflow, and which results are right all the same.
#ifndef WAVEWARP_RANGE_H
#define WAVEWARP_RANGE_H

#include <stddef.h>
#include <wavewarp/measure.h>
#include <wavewarp/series.h>

// What is known of the series that a checked measure compares.
typedef struct wwi_range {
    size_t channels;
    double largest, largest_time; // absolute values; INFINITY: not known
    size_t longest;
    ww_precision precision;
} wwi_range;

// A result of these series is right if it is at most this, also where values on the way overflowed. INFINITY: nothing
// can overflow, or the results of the measure are not checked (WW_USER). 0: these values are too large for the
// measure, since what overflows on the way would not show in the result.
double wwi_range_limit(const ww_measure *measure, const wwi_range *range);

// Refuses values so small that their products, which the measure adds up, are no numbers of the precision or have lost
// digits.
ww_status wwi_range_check_small(const ww_measure *measure, const wwi_range *range);
// The refusal of values too large: where the limit is 0, or the results are not looked at.
ww_status wwi_range_too_large(const ww_measure *measure, const wwi_range *range);

#endif
