// SPDX-License-Identifier: Apache-2.0
// Decimal numbers in text: correctly rounded to double, as strtod() in the C locale.
#ifndef WAVEWARP_NUMBER_H
#define WAVEWARP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// Bytes after a text's end that wwi_number_scan() may read.
#define WWI_NUMBER_SLACK 16

// Reads the number that starts at `at`, in a text that ends in a NUL and WWI_NUMBER_SLACK more bytes, and gives the
// place after it. NULL when no number starts there, or one that takes strtod(): "inf", "nan", more than 19 digits,
// powers of ten beyond 22, and the few that are all but half way between two doubles.
const char *wwi_number_scan(const char *at, double *value);

#endif
