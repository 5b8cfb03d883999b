// SPDX-License-Identifier: Apache-2.0
// Decimal numbers in text: correctly rounded to double, as strtod() in the C locale. Whole numbers in bytes.
#ifndef WAVEWARP_NUMBER_H
#define WAVEWARP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes after a text's end that wwi_number_scan() may read.
#define WWI_NUMBER_SLACK 16

// Reads the number that starts at `at`, in a text that ends in a NUL and WWI_NUMBER_SLACK more bytes, and gives the
// place after it. NULL when no number starts there, or one that takes strtod(): "inf", "nan", more than 19 digits,
// powers of ten beyond 22, and the few that are all but half way between two doubles.
const char *wwi_number_scan(const char *at, double *value);

static inline bool wwi_is_little_endian(void) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

// The whole number in `bytes` bytes, the lowest first.
static inline uint64_t wwi_little(const char *at, size_t bytes) {
    uint64_t value = 0;
    for (size_t b = bytes; b-- > 0;)
        value = value << 8 | (unsigned char)at[b];
    return value;
}

#endif
