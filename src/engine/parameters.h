// SPDX-License-Identifier: Apache-2.0
// How the measure's parameters reach a kernel: as values at the end of its launch arguments, named by a text that the
// program begins with.
#ifndef WAVEWARP_PARAMETERS_H
#define WAVEWARP_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <wavewarp/measure.h>
#include <wavewarp/series.h>

#include "base/kernel_types.h"

// Which names a program knows depends on the measure alone, never on the values, but for a few values for which a
// recurrence has other code.
typedef struct wwi_parameters {
    ww_parameters values;
    size_t bytes;    // of the values that programs with a recurrence take; 0: none
    bool fixed;      // a user's text needs the values when it is compiled: they are in `text`
    char text[2048]; // what the program begins with
} wwi_parameters;

// What such programs' kernels take of a struct that ends with the parameters, which begin at `begin`.
static inline size_t wwi_args_bytes(const wwi_parameters *parameters, size_t begin) {
    return begin + (parameters->bytes + 7) / 8 * 8;
}

// Of a checked measure.
void wwi_parameters_make(const ww_measure *measure, ww_precision precision, wwi_parameters *parameters);

#endif
