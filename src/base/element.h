// SPDX-License-Identifier: Apache-2.0
// What the coordinates of points are stored in: bytes and halves beside float and double.
#ifndef WAVEWARP_ELEMENT_H
#define WAVEWARP_ELEMENT_H

#include <math.h>
#include <string.h>
#include <wavewarp/points.h>

#include "base/kit.h"

// Bytes of one; of WW_ELEMENT_PRECISION those of the precision.
static inline size_t wwi_element_bytes(ww_element element, ww_precision precision) {
    return element == WW_ELEMENT_PRECISION ? wwi_precision_bytes(precision) : element == WW_ELEMENT_FLOAT16 ? 2 : 1;
}

// The number whose binary16 these bits are.
static inline double wwi_half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? fraction ? (double)NAN : (double)INFINITY
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -size : size;
}

// Coordinate `at` of an array.
static inline double wwi_element_at(const void *values, ww_element element, ww_precision precision, uint64_t at) {
    switch (element) {
    case WW_ELEMENT_UINT8:
        return (double)((const uint8_t *)values)[at];
    case WW_ELEMENT_INT8:
        return (double)((const int8_t *)values)[at];
    case WW_ELEMENT_FLOAT16: {
        uint16_t bits; // of a caller's array, which may begin at any byte
        memcpy(&bits, (const unsigned char *)values + 2 * at, sizeof bits);
        return wwi_half_value(bits);
    }
    default:
        return wwi_value_at(values, precision, at);
    }
}

#endif
