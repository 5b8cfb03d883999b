// SPDX-License-Identifier: Apache-2.0
// See rounding.h.
//
// Rounding to float moves a value by at most 2^-24 of it, so a difference of two by at most e = 2^-23 largest, and by
// 2^-24 of itself when it is taken. Along a path of S cells over C channels that moves a sum of squares D by at most 2
// e sqrt(C S D) + C S e^2 (Cauchy-Schwarz), a sum of absolute values by C S e, of Euclidean costs by sqrt(C) S e; a
// maximum is one cell, S = 1. Sums add 2^-24 of D for each addition. The factor of other measures is in the table
// (`rounding`); the errors of their parameters are added.
#include "measure/rounding.h"

#include <float.h>
#include <math.h>

#include "measure/measure_table.h"

typedef struct errors {
    double difference; // of two values
    double sum;        // of the distance, beside those of its differences
    double additions;  // beside one a cell and a channel
} errors;

static void add_parameters(const ww_measure *measure, const wwi_rounding *of, double u, double steps, errors *e) {
    const double *p = measure->parameters;
    switch (measure->id) {
    case WW_ERP:
        e->difference += 2 * u * fabs(p[0]);
        break;
    case WW_MSM: // a quotient of differences
        e->additions += 16;
        break;
    case WW_WDTW:
    case WW_WDDTW: // an exponential whose argument is at most g S / 4
        e->additions += 8 + p[0] * steps / 4;
        e->difference *= fmax(p[1], 1);
        break;
    case WW_TWED: // times nu, four to a step; a power, whose slope is largest at the largest difference
        e->sum = 8 * u * steps * p[0] * of->latest;
        e->additions += p[2] == 1 || p[2] == 2 ? 0 : 32;
        e->difference *= p[3] != 0  ? p[2] * pow(2 * of->largest, p[2] - 1) * sqrt(of->channels)
                         : p[2] < 2 ? sqrt(of->channels)
                                    : 1;
        break;
    default:
        break;
    }
}

double wwi_rounding_error(const ww_measure *measure, const wwi_rounding *of, double distance) {
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    const double u = ldexp(1.0, -24), channels = of->channels;
    const double steps = row->flags & WWI_MEASURE_BOUND_MAX ? 1 : of->steps;
    const double d = measure->root ? distance * distance : distance;
    errors all = {2 * u * row->rounding * of->largest, 0, 4};
    add_parameters(measure, of, u, steps, &all);
    const double e = all.difference;
    double error = all.sum;
    switch (wwi_measure_cost(measure)) {
    case WW_COST_SQUARED:
        error += 2 * e * sqrt(channels * steps * d) + channels * steps * e * e;
        break;
    case WW_COST_ABSOLUTE:
        error += channels * steps * e;
        break;
    default:
        error += sqrt(channels) * steps * e;
    }
    error = 1.1 * (error + (steps + channels + all.additions) * u * d + steps * (double)FLT_MIN);
    if (!measure->root)
        return error;
    // Independent channels have a root each, and some may be near 0.
    const double root = sqrt(error);
    if (measure->independent && channels > 1)
        return channels * root;
    return distance > root ? error / distance + u * distance : root;
}
