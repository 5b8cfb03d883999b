// SPDX-License-Identifier: Apache-2.0
// A published row as a measure of the library.
#ifndef WAVEWARP_VECTOR_MEASURE_H
#define WAVEWARP_VECTOR_MEASURE_H

#include <stdint.h>
#include <string.h>
#include <wavewarp/measure.h>

#include "elastic_vectors.h"

static inline int vector_is(const elastic_vector *vector, const char *distance) {
    return strcmp(vector->distance, distance) == 0;
}

// The measure of the row's name, with what the name itself says.
static inline int vector_base(const elastic_vector *vector, ww_measure *measure) {
    const char *name = vector->distance;
    if (vector_is(vector, "lcss_distance") || vector_is(vector, "lcss_similarity"))
        name = "lcss";
    if (vector_is(vector, "edr_normalised"))
        name = "edr";
    if (vector_is(vector, "dtw_penalty"))
        name = "adtw";
    if (vector_is(vector, "softdtw") || vector_is(vector, "softdtw_divergence") || vector_is(vector, "subsequence_dtw"))
        name = "dtw";
    const ww_measure_info *info = ww_measure_info_by_name(name);
    if (!info || ww_measure_init(measure, sizeof *measure, info->id) != WW_OK)
        return 0;
    if (vector_is(vector, "lcss_similarity"))
        return ww_measure_set(measure, "similarity", 1.0) == WW_OK;
    if (vector_is(vector, "subsequence_dtw"))
        measure->relax_begin_y = measure->relax_end_y = SIZE_MAX;
    if (vector_is(vector, "edr_normalised"))
        return ww_measure_set(measure, "normalised", 1.0) == WW_OK;
    return 1;
}

// One parameter of a row; 0 when it is unknown.
static inline int vector_parameter(const elastic_vector *vector, const elastic_parameter *parameter,
                                   ww_measure *measure) {
    const char *name = parameter->name, *text = parameter->text ? parameter->text : "";
    // make_vectors.py has seen to the layout, vector_times() sees to the time stamps.
    if (strcmp(name, "layout") == 0 || strcmp(name, "timestamps") == 0 || strcmp(name, "note") == 0)
        return 1;
    if (strcmp(name, "window_fraction_aeon") == 0) {
        measure->band.kind = WW_BAND_SLANTED;
        measure->band.width = parameter->value;
    } else if (strcmp(name, "radius") == 0) {
        measure->band.kind = WW_BAND_CORNER;
        measure->band.width = parameter->value;
    } else if (strcmp(name, "gamma") == 0) {
        measure->gamma = parameter->value;
    } else if (strcmp(name, "final_sqrt") == 0) {
        measure->root = parameter->value != 0.0;
    } else if (strcmp(name, "cost") == 0 && strcmp(text, "squared") == 0) {
        measure->cost = WW_COST_SQUARED;
    } else if (strcmp(name, "cost") == 0 && strcmp(text, "absolute") == 0) {
        measure->cost = WW_COST_ABSOLUTE;
    } else if (strcmp(name, "warp_penalty") == 0) {
        return ww_measure_set(measure, "penalty", parameter->value) == WW_OK;
    } else if (strcmp(name, "penalty") == 0) { // dtaidistance squares it
        return ww_measure_set(measure, "penalty", parameter->value * parameter->value) == WW_OK;
    } else if (strcmp(name, "lam") == 0) {
        return ww_measure_set(measure, "lambda", parameter->value) == WW_OK;
    } else if (strcmp(name, "root") == 0) {
        return ww_measure_set(measure, "no_root", parameter->value == 0.0) == WW_OK;
    } else if (strcmp(name, "compare") == 0) {
        return strcmp(text, "<=") == 0 || ww_measure_set(measure, "aeon", 1.0) == WW_OK;
    } else if (strcmp(name, "border") == 0 && strcmp(text, "aeon zero") == 0) {
        return ww_measure_set(measure, "aeon", 1.0) == WW_OK;
    } else if (strcmp(name, "border") == 0 && strcmp(text, "aeon constant total") == 0) {
        return ww_measure_set(measure, "border_total", 1.0) == WW_OK;
    } else if (strcmp(name, "border") == 0) {
        return strcmp(text, "paper") == 0 || strcmp(text, "cumulative") == 0;
    } else {
        (void)vector;
        return ww_measure_set(measure, name, parameter->value) == WW_OK;
    }
    return 1;
}

// Fills `measure`; 0 when the row is of a measure or has an option that the library has not got.
static inline int vector_measure(const elastic_vector *vector, ww_measure *measure) {
    if (!vector_base(vector, measure))
        return 0;
    for (size_t p = 0; p < vector->parameter_count; p++)
        if (!vector_parameter(vector, &vector->parameters[p], measure))
            return 0;
    return 1;
}

// The row is V(x,y) - V(x,x)/2 - V(y,y)/2 of the measure, not its value.
static inline int vector_is_divergence(const elastic_vector *vector) {
    return vector_is(vector, "softdtw_divergence");
}

// Whether the row's time stamps count from 0; the library's own do from 1.
static inline int vector_times_from_zero(const elastic_vector *vector) {
    for (size_t p = 0; p < vector->parameter_count; p++)
        if (strcmp(vector->parameters[p].name, "timestamps") == 0 && strcmp(vector->parameters[p].text, "0..n-1") == 0)
            return 1;
    return 0;
}

#endif
