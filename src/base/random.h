// SPDX-License-Identifier: Apache-2.0
// Random bits from a seed: splitmix64 (Steele, Lea and Flood 2014). The same on every machine.
#ifndef WAVEWARP_RANDOM_H
#define WAVEWARP_RANDOM_H

#include <stdint.h>

static inline uint64_t wwi_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// At least 0, below 1.
static inline double wwi_random_unit(uint64_t *state) {
    return (double)(wwi_random(state) >> 11) * 0x1p-53;
}

#endif
