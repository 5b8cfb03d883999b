// SPDX-License-Identifier: Apache-2.0
// The types of what C and kernels share: kernels_cl/base/number.cl has the same names for kernels.
#ifndef WAVEWARP_KERNEL_TYPES_H
#define WAVEWARP_KERNEL_TYPES_H

#include <stdint.h>

typedef uint32_t ww_uint;
typedef int32_t ww_int;
typedef uint64_t ww_ulong;
typedef int64_t ww_long;

// The measure's parameters (engine/parameters.h): room for the most. A kernel has those of its measure, or none.
#define WW_PARAMETERS 20
typedef union ww_parameters {
    float f32[WW_PARAMETERS];
    double f64[WW_PARAMETERS / 2];
} ww_parameters;

#endif
