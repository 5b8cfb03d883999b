// SPDX-License-Identifier: Apache-2.0
// Z-normalisation on the host, and which values are constant: one rule for sets, searches, profiles and shapelets.
#ifndef WAVEWARP_NORMAL_H
#define WAVEWARP_NORMAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/constant.h"

// Whether values of double from `low` to `high` differ by no more than rounding can make (kernels_cl/base/constant.h).
bool wwi_is_constant(double low, double high);

// Makes finite values mean 0 and population deviation 1; all 0 where they are constant. No square overflows or
// underflows, whatever the values' scale.
void wwi_znormalise(double *x, size_t count);

#endif
