// SPDX-License-Identifier: Apache-2.0
// What rounding may do to a distance, and splits that are judged with it: distances that it may make different are not
// told apart. Bounds, with epsilon 2^-52:
//
// - A value is known to a relative epsilon: it was rounded when it was read or computed. Raw, a window is off by
//   epsilon times its largest absolute value, in the root mean square that distances are of; z-normalised, by that
//   divided by its deviation (two points are +1 and -1, whatever they are).
// - The mean of l differences to the first value is off by l epsilon / 2 of their mean, which is at most sqrt(l)
//   deviations (no value is further from the mean), and so is the norm: less than epsilon (l sqrt(l) + 6) together.
// - Distances obey the triangle inequality: what both windows are off by is added. The sum of l squares of each channel
//   adds epsilon l times the distance, for each channel.
//
// To find all that of each distance takes longer than the distance, and is rarely needed. So there is a bound for all
// windows of the data too: a window is constant but for rounding, or it has three neighbours, or its slow drift, that
// differ.
#include <float.h>
#include <math.h>

#include "base/normal.h"
#include "shapelets/shapelet_search.h"

// A larger window of what is constant by threes has a range of more than this part of its values.
#define FLAT (WW_CONSTANT_EPSILONS * DBL_EPSILON)

// ---- all windows

// Neighbours that are flat by threes.
typedef struct run {
    double low, high, least; // least: absolute value
} run;

static const run no_run = {INFINITY, -INFINITY, INFINITY};

static void grow_run(run *r, double x) {
    r->low = fmin(r->low, x);
    r->high = fmax(r->high, x);
    r->least = fmin(r->least, fabs(x));
}

// No window of a series is steeper: of 1 / its extent, for windows of three points and more that are not flat.
static double steepest(const double *x, size_t length) {
    double value = 0, largest = 0;
    run flat = no_run;
    for (size_t t = 0; t < length; t++)
        largest = fmax(largest, fabs(x[t]));
    for (size_t t = 0; t + 3 <= length; t++) {
        const double low = fmin(fmin(x[t], x[t + 1]), x[t + 2]), high = fmax(fmax(x[t], x[t + 1]), x[t + 2]);
        if (!wwi_is_constant(low, high)) {
            value = fmax(value, largest / (high - low));
            flat = no_run;
            continue;
        }
        for (size_t i = t; i < t + 3; i++)
            grow_run(&flat, x[i]);
        // A slow drift: a window of it that is not flat is just not flat.
        if (flat.high - flat.low > FLAT * flat.least)
            return 1 / FLAT;
    }
    return fmin(value, 1 / FLAT);
}

void wwi_shapelet_find_steepest(wwi_shapelet_data *data) {
    for (size_t i = 0; i < data->count; i++) {
        const size_t length = wwi_shapelet_length(data, i);
        for (size_t ch = 0; ch < data->channels; ch++)
            data->steepest = fmax(data->steepest, steepest(data->values + data->offsets[i] + ch * length, length));
    }
}

double wwi_shapelet_rounding_most(const wwi_shapelet_data *data, wwi_shapelet_kind kind, size_t length) {
    const double l = (double)length, points = l * (double)kind.channels;
    const double largest = fabs(data->centre) + 0.5 * data->range;
    const double most = kind.raw ? 2 * largest + points * data->range
                                 : 2 * (l * sqrt(l) + 6 + data->steepest * sqrt(2 * l)) + 2 * points;
    return DBL_EPSILON * most * (kind.unscaled ? sqrt(l) : 1);
}

// ---- a window

// One channel, in epsilons.
static double off_by(const double *x, size_t length, bool raw) {
    const double l = (double)length;
    double mean = 0, squares = 0, low = x[0], high = x[0];
    for (size_t t = 0; t < length; t++) {
        mean += (x[t] - x[0]) / l;
        low = fmin(low, x[t]);
        high = fmax(high, x[t]);
    }
    const double largest = fmax(fabs(low), fabs(high));
    if (raw)
        return largest;
    if (wwi_is_constant(low, high))
        return 0;
    for (size_t t = 0; t < length; t++)
        squares += ((x[t] - x[0]) - mean) * ((x[t] - x[0]) - mean);
    return l * sqrt(l) + 6 + (length > 2 ? largest / sqrt(squares / l) : 0);
}

static double window_off_by(const wwi_shapelet_data *data, wwi_shapelet_kind kind, size_t series, size_t start,
                            size_t length) {
    const size_t points = wwi_shapelet_length(data, series);
    double most = 0;
    for (size_t ch = 0; ch < kind.channels; ch++)
        most = fmax(most, off_by(data->values + data->offsets[series] + ch * points + start, length, kind.raw));
    return most;
}

ww_status wwi_shapelet_rounding(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                                const wwi_shapelet_node *node, const wwi_shapelet_place *place, double *errors) {
    const wwi_shapelet_kind kind = device->kind;
    const size_t l = place->length;
    const double root = kind.unscaled ? sqrt((double)l) : 1;
    const double own = window_off_by(data, kind, place->series, place->start, l);
    const wwi_shapelet_pattern pattern = wwi_shapelet_pattern_at(data, place);
    WWI_FREES uint32_t *at = NULL;
    WWI_TRY(wwi_new(at, node->count));
    WWI_TRY(wwi_shapelet_exact(device, data, node->ids, node->count, &pattern, 1, errors, at));
    for (size_t j = 0; j < node->count; j++) {
        const double both = own + window_off_by(data, kind, node->ids[j], at[j], l);
        errors[j] = DBL_EPSILON * (root * both + (double)(l * kind.channels) * errors[j]);
        if (node->ids[j] == place->series)
            errors[j] = 0;
    }
    return WW_OK;
}

// ---- candidates

ww_status wwi_shapelet_judge(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                             const wwi_shapelet_gains *gains, const ww_shapelets_options *options,
                             const wwi_shapelet_node *node, const double *distances, wwi_shapelet_found *found) {
    bool told;
    WWI_FREES double *errors = NULL;
    // Joined distances may be those of any length.
    const double most =
        wwi_shapelet_rounding_most(data, device->kind, node->before ? options->max_length : found->place.length);
    WWI_TRY(wwi_shapelet_split(gains, node, options->quality, distances, most, NULL, &found->score, &told));
    if (told)
        return WW_OK;
    WWI_TRY(wwi_new(errors, node->count));
    WWI_TRY(wwi_shapelet_rounding(device, data, node, &found->place, errors));
    for (size_t j = 0; node->before && j < node->count; j++)
        errors[j] = fmax(errors[j], node->before_errors[j]);
    return wwi_shapelet_split(gains, node, options->quality, distances, most, errors, &found->score, &told);
}
