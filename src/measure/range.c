// SPDX-License-Identifier: Apache-2.0
// See range.h. A bound from the largest value and the longest series shows in nearly all cases that nothing can
// overflow. Else the results are checked: a path through a cell that overflowed has infinite cost, so that a finite
// result belongs to another path, and is right if that path costs less than any cell that can have overflowed.
#include "measure/range.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "host.h"
#include "measure/measure_table.h"

static double top_of(const wwi_range *range) {
    return range->precision == WW_DOUBLE ? DBL_MAX : (double)FLT_MAX;
}

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
    double least = top_of(range);
    if (channels > 1 && norm)
        least = sqrt(top_of(range));
    if (channels > 1 && id == WW_TWED && wwi_measure_parameter(measure, "no_root") == 0)
        least = pow(top_of(range), 1 / wwi_measure_parameter(measure, "degree"));
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
    if (bound < top_of(range) / 4 && apart < top_of(range) / 4 && (channels == 1 || square < top_of(range) / 4))
        return (double)INFINITY;
    // Of these an overflow on the way can make a cell smaller, or a match of none.
    const bool threshold =
        measure->id == WW_LCSS || (measure->id == WW_EDR && wwi_measure_parameter(measure, "aeon") != 0);
    if (isfinite(largest) && ((measure->id == WW_MSM && (channels > 1 ? square : apart) > top_of(range)) ||
                              (threshold && channels > 1 && square > top_of(range) &&
                               wwi_measure_parameter(measure, "epsilon") >= sqrt(top_of(range)))))
        return 0;
    return least_overflow(measure, range, channels);
}

// The power of a difference that the measure adds up; 0: none, or not known.
static double power_of(const ww_measure *measure, double channels) {
    const ww_cost cost = wwi_measure_cost(measure);
    switch (measure->id) {
    case WW_EDR:
    case WW_LCSS:
    case WW_ERP:
    case WW_MSM:
        return channels > 1 ? 2 : 1;
    case WW_TWED:
        return channels > 1 || wwi_measure_parameter(measure, "no_root") != 0 ? wwi_measure_parameter(measure, "degree")
                                                                              : 1;
    case WW_DTW:
    case WW_FRECHET:
    case WW_ADTW:
    case WW_WDTW:
    case WW_DDTW:
    case WW_WDDTW:
        return cost == WW_COST_USER                                                     ? 0
               : cost == WW_COST_SQUARED || (cost == WW_COST_EUCLIDEAN && channels > 1) ? 2
                                                                                        : 1;
    default:
        return 0;
    }
}

static ww_status refuse(ww_status status, const ww_measure *measure, const wwi_range *range, const char *what) {
    wwi_fail(status, "values of up to %g are too %s for %s in %s", range->largest, what,
             ww_measure_info_by_id(measure->id)->name, ww_word(WW_WORD_PRECISION, range->precision));
    return wwi_fail_hint("%smultiply all series by the same power of two, which changes no digit",
                         range->precision == WW_FLOAT ? "use double precision, or " : "");
}

ww_status wwi_range_check_small(const ww_measure *measure, const wwi_range *range) {
    const double channels = measure->independent ? 1 : (double)range->channels;
    const double least = range->precision == WW_DOUBLE ? DBL_MIN / DBL_EPSILON : (double)(FLT_MIN / FLT_EPSILON);
    const double largest = range->largest + fabs(measure->id == WW_ERP ? wwi_measure_parameter(measure, "g") : 0);
    const double power = power_of(measure, channels);
    // Beside a soft minimum's gamma such costs are nothing.
    if (largest > 0 && power > 0 && measure->gamma <= 0 && pow(largest, power) < least)
        return refuse(WW_ERROR_UNSUPPORTED, measure, range, "small");
    return WW_OK;
}

ww_status wwi_range_too_large(const ww_measure *measure, const wwi_range *range) {
    return refuse(WW_ERROR_OVERFLOW, measure, range, "large");
}
