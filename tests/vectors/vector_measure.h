// SPDX-License-Identifier: Apache-2.0
// A published row as a measure of the library.
#ifndef WAVEWARP_VECTOR_MEASURE_H
#define WAVEWARP_VECTOR_MEASURE_H

#include <string.h>
#include <wavewarp/measure.h>

#include "elastic_vectors.h"

// Fills `measure`; 0 when the row is of a measure or has an option that the library has not got.
static inline int vector_measure(const elastic_vector *vector, ww_measure *measure) {
    const ww_measure_info *info = ww_measure_info_by_name(vector->distance);
    if (!info || ww_measure_init(measure, info->id) != WW_OK)
        return 0;
    for (size_t p = 0; p < vector->parameter_count; p++) {
        const elastic_parameter *parameter = &vector->parameters[p];
        if (strcmp(parameter->name, "window_fraction_aeon") == 0) {
            measure->band.kind = WW_BAND_SLANTED;
            measure->band.width = parameter->value;
        } else if (strcmp(parameter->name, "final_sqrt") == 0) {
            measure->root = parameter->value != 0.0;
        } else if (strcmp(parameter->name, "cost") == 0 && strcmp(parameter->text, "squared") == 0) {
            measure->cost = WW_COST_SQUARED;
        } else if (strcmp(parameter->name, "cost") == 0 && strcmp(parameter->text, "absolute") == 0) {
            measure->cost = WW_COST_ABSOLUTE;
        } else if (strcmp(parameter->name, "layout") != 0) { // make_vectors.py has seen to the layout
            return 0;
        }
    }
    return 1;
}

#endif
