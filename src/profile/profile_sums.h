// SPDX-License-Identifier: Apache-2.0
// Sums of a window's values from those of its two parts (T. Chan et al., COMPSTAT 1982).
#ifndef WAVEWARP_PROFILE_SUMS_H
#define WAVEWARP_PROFILE_SUMS_H

#include <stddef.h>

typedef struct wwi_profile_part_sums {
    double mean, squares, least, most; // of count values: sum of (x - mean)^2
    double tilt;                       // sum of (t - mean t) (x - mean)
} wwi_profile_part_sums;

// Takes in the value behind the others; `count` with it.
static inline wwi_profile_part_sums wwi_profile_extend(wwi_profile_part_sums p, size_t count, double x) {
    const double d = x - p.mean;
    if (count == 1)
        return (wwi_profile_part_sums){x, 0, x, x, 0};
    p.mean += d / (double)count;
    p.squares += d * (x - p.mean);
    p.tilt += (double)count / 2 * (x - p.mean);
    p.least = x < p.least ? x : p.least;
    p.most = x > p.most ? x : p.most;
    return p;
}

// A window of the end of one block, which was summed up from its last value on (tilts have the other sign), and the
// `after` first values of the next.
static inline wwi_profile_part_sums wwi_profile_join(wwi_profile_part_sums end, size_t before,
                                                     wwi_profile_part_sums beginning, size_t after) {
    const double m = (double)(before + after), d = beginning.mean - end.mean;
    end.tilt = -end.tilt;
    if (after == 0)
        return end;
    end.mean += d * ((double)after / m);
    end.squares += beginning.squares + d * d * ((double)after * (double)before / m);
    end.tilt += beginning.tilt + d * ((double)after * (double)before / 2);
    end.least = beginning.least < end.least ? beginning.least : end.least;
    end.most = beginning.most > end.most ? beginning.most : end.most;
    return end;
}

#endif
