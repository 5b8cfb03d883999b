// SPDX-License-Identifier: Apache-2.0
// See range.h. A bound from the largest value and the longest series shows in nearly all cases that nothing can
// overflow. Else the results are checked: a path through a cell that overflowed has infinite cost, so that a finite
// result belongs to another path, and is right if that path costs less than any cell that can have overflowed.
#include "measure/range.h"

#include <math.h>
#include <string.h>

#include "measure/measure_table.h"

static double twed_step(const ww_measure *measure, const wwi_range *range, double apart, double channels) {
    const double times = fmax(range->largest_time, (double)range->longest);
    const bool plain = channels == 1 && wwi_measure_parameter(measure, "no_root") == 0;
    return wwi_measure_parameter(measure, "lambda") + 4 * wwi_measure_parameter(measure, "nu") * times +
           2 * (plain ? apart
                      : fmax(channels * apart, channels * pow(apart, wwi_measure_parameter(measure, "degree"))));
}

// A cell's cost, times a weight, and a penalty.
static double warping_step(const ww_measure *measure, double apart, double channels) {
    const double square = channels * apart * apart, sum = channels * apart;
    const ww_cost cost = wwi_measure_cost(measure);
    if (cost == WW_COST_USER)
        return (double)INFINITY;
    const bool plain = cost == WW_COST_ABSOLUTE || (cost == WW_COST_EUCLIDEAN && channels == 1);
    return (plain ? sum : fmax(square, sum)) * fmax(1, wwi_measure_parameter(measure, "w_max")) +
           wwi_measure_parameter(measure, "penalty");
}

// The most that a step of a path adds, in pure numbers without end.
static double largest_step(const ww_measure *measure, const wwi_range *range, double apart, double channels) {
    const double square = channels * apart * apart, sum = channels * apart;
    const double norm = channels > 1 ? fmax(square, sum) : sum;
    switch (measure->id) {
    case WW_EDR:
    case WW_LCSS:
    case WW_LCS:
        return 1;
    case WW_LEVENSHTEIN:
        return wwi_measure_parameter(measure, "insertion") + wwi_measure_parameter(measure, "deletion") +
               wwi_measure_parameter(measure, "substitution");
    case WW_MSM:
        return wwi_measure_parameter(measure, "c") + norm;
    case WW_TWED:
        return twed_step(measure, range, apart, channels);
    case WW_ERP:
        return norm;
    case WW_DTW:
    case WW_FRECHET:
    case WW_ADTW:
    case WW_WDTW:
    case WW_DDTW:
    case WW_WDDTW:
        return warping_step(measure, apart, channels);
    default: // not known: the results are looked at
        return (double)INFINITY;
    }
}

// The least that a cell can have been whose value overflowed.
static double least_overflow(const ww_measure *measure, const wwi_range *range, double channels) {
    const ww_measure_id id = measure->id;
    const bool norm =
        id == WW_ERP || (ww_measure_info_by_id(id)->any_cost && wwi_measure_cost(measure) == WW_COST_EUCLIDEAN);
    double least = range->top;
    if (channels > 1 && norm)
        least = sqrt(range->top);
    if (channels > 1 && id == WW_TWED && wwi_measure_parameter(measure, "no_root") == 0)
        least = pow(range->top, 1 / wwi_measure_parameter(measure, "degree"));
    if (id == WW_WDTW || id == WW_WDDTW)
        least *= wwi_measure_parameter(measure, "w_max") /
                 (1 + exp(wwi_measure_parameter(measure, "g") * (double)range->longest / 2));
    return measure->root ? sqrt(least) : least;
}

double wwi_range_limit(const ww_measure *measure, const wwi_range *range) {
    if (measure->id == WW_USER)
        return (double)INFINITY;
    const double channels = measure->independent ? 1 : (double)range->channels;
    double largest = range->largest + fabs(measure->id == WW_ERP ? wwi_measure_parameter(measure, "g") : 0);
    if (wwi_measure_row_by_id(measure->id)->transform == WWI_TRANSFORM_DERIVATIVE)
        largest *= 1.5;
    const double apart = 2 * largest, square = channels * apart * apart;
    // Twice: a path has up to n + m steps.
    const double bound =
        2 * (double)range->longest * (double)range->channels * largest_step(measure, range, apart, channels);
    if (bound < range->top / 4 && apart < range->top / 4 && (channels == 1 || square < range->top / 4))
        return (double)INFINITY;
    // Of these an overflow on the way can make a cell smaller, or a match of none.
    const bool threshold =
        measure->id == WW_LCSS || (measure->id == WW_EDR && wwi_measure_parameter(measure, "aeon") != 0);
    if (isfinite(largest) && ((measure->id == WW_MSM && (channels > 1 ? square : apart) > range->top) ||
                              (threshold && channels > 1 && square > range->top &&
                               wwi_measure_parameter(measure, "epsilon") >= sqrt(range->top))))
        return 0;
    return least_overflow(measure, range, channels);
}
