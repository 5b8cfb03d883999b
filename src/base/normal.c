// SPDX-License-Identifier: Apache-2.0
// See normal.h.
#include "base/normal.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool wwi_is_constant(double low, double high) {
    return WW_IS_CONSTANT(low, high, fmax(fabs(low), fabs(high)), DBL_EPSILON);
}

void wwi_znormalise(double *x, size_t count) {
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    for (size_t t = 0; t < count; t++) {
        low = fmin(low, x[t]);
        high = fmax(high, x[t]);
    }
    if (!count || wwi_is_constant(low, high)) {
        memset(x, 0, count * sizeof *x);
        return;
    }
    // The largest value becomes 1 to 2, and what varies at all has squares that double holds: a power of two changes no
    // digit. Differences to the first value keep the digits that an offset would cost.
    const int exponent = -ilogb(fmax(fabs(low), fabs(high)));
    const double first = ldexp(x[0], exponent);
    for (size_t t = 0; t < count; t++) {
        x[t] = ldexp(x[t], exponent) - first;
        sum += x[t];
    }
    const double mean = sum / (double)count;
    for (size_t t = 0; t < count; t++)
        squares += (x[t] - mean) * (x[t] - mean);
    const double deviation = sqrt(squares / (double)count);
    for (size_t t = 0; t < count; t++)
        x[t] = (x[t] - mean) / deviation;
}
