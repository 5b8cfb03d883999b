// SPDX-License-Identifier: Apache-2.0
// The measures beside DTW and Frechet, each as its borders, its cell and its final value, as in docs/measures.md.
// Points and cells count from 1; point 0 is all zero at time 0.
#include "recurrences.h"

#include <math.h>
#include <stdlib.h>

// The pair that a recurrence computes.
typedef struct pair {
    const wwr_series *x, *y;
    const double *x_times, *y_times; // NULL: the index
    const wwr_options *options;
    const double *parameters;
} pair;

typedef struct recurrence {
    double (*left_border)(const pair *p, size_t i); // D(i,0), i >= 1
    double (*top_border)(const pair *p, size_t j);  // D(0,j), j >= 1
    double (*cell)(const pair *p, size_t i, size_t j, double left, double up, double diagonal);
    double (*final)(const pair *p, double value);
    double outside; // of the band
} recurrence;

// ---- points

static double at(const wwr_series *series, size_t i, size_t channel) {
    return i ? series->values[channel * series->length + i - 1] : 0.0;
}

static double time_of(const double *times, size_t i) {
    return i == 0 ? 0.0 : times ? times[i - 1] : (double)i;
}

// (sum over the channels of |a - b|^p)^(1/p), without the root when `power`.
static double norm(const wwr_series *a, size_t i, const wwr_series *b, size_t j, double degree, int power) {
    double sum = 0.0;
    for (size_t c = 0; c < a->channels; c++)
        sum += pow(fabs(at(a, i, c) - at(b, j, c)), degree);
    return power ? sum : pow(sum, 1.0 / degree);
}

static double euclidean(const wwr_series *a, size_t i, const wwr_series *b, size_t j) {
    double sum = 0.0;
    for (size_t c = 0; c < a->channels; c++)
        sum += (at(a, i, c) - at(b, j, c)) * (at(a, i, c) - at(b, j, c));
    return sqrt(sum);
}

static double cost(const pair *p, size_t i, size_t j) {
    double sum = 0.0;
    for (size_t c = 0; c < p->x->channels; c++) {
        double a = at(p->x, i, c), b = at(p->y, j, c);
        if (p->options->cost == WW_COST_USER)
            sum += p->options->user(a, b);
        else
            sum += p->options->cost == WW_COST_ABSOLUTE ? fabs(a - b) : (a - b) * (a - b);
    }
    return p->options->cost == WW_COST_EUCLIDEAN ? sqrt(sum) : sum;
}

static double min3(double a, double b, double c) {
    return fmin(fmin(a, b), c);
}

// ---- what several share

static double infinite_border(const pair *p, size_t i) {
    (void)p;
    (void)i;
    return INFINITY;
}

static double zero_border(const pair *p, size_t i) {
    (void)p;
    (void)i;
    return 0.0;
}

static double same_value(const pair *p, double value) {
    (void)p;
    return value;
}

static double shorter(const pair *p) {
    return (double)(p->x->length < p->y->length ? p->x->length : p->y->length);
}

static double longer(const pair *p) {
    return (double)(p->x->length > p->y->length ? p->x->length : p->y->length);
}

// ---- ADTW: c(i,j) + min(diagonal, left + w, up + w)

static double adtw_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    double penalty = p->parameters[0];
    return cost(p, i, j) + min3(diagonal, left + penalty, up + penalty);
}

// ---- WDTW: c(i,j) * w_max / (1 + exp(-g (|i-j| - max(n,m)/2))) + min(diagonal, left, up)

static double wdtw_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    double g = p->parameters[0], ahead = fabs((double)i - (double)j);
    double weight = p->parameters[1] / (1.0 + exp(-g * (ahead - longer(p) / 2.0)));
    return weight * cost(p, i, j) + min3(diagonal, left, up);
}

// ---- ERP: min(diagonal + |x_i - y_j|, up + |x_i - g|, left + |y_j - g|)

static double erp_gap(const pair *p, const wwr_series *series, size_t i) {
    double sum = 0.0;
    for (size_t c = 0; c < series->channels; c++)
        sum += (at(series, i, c) - p->parameters[0]) * (at(series, i, c) - p->parameters[0]);
    return sqrt(sum);
}

// The gaps up to i; with border_total all of them.
static double erp_border(const pair *p, const wwr_series *series, size_t i) {
    double sum = 0.0;
    size_t last = p->parameters[1] != 0.0 ? series->length : i;
    for (size_t k = 1; k <= last; k++)
        sum += erp_gap(p, series, k);
    return sum;
}

static double erp_left(const pair *p, size_t i) {
    return erp_border(p, p->x, i);
}

static double erp_top(const pair *p, size_t j) {
    return erp_border(p, p->y, j);
}

static double erp_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    return min3(diagonal + euclidean(p->x, i, p->y, j), up + erp_gap(p, p->x, i), left + erp_gap(p, p->y, j));
}

// ---- EDR: min(diagonal + (match ? 0 : 1), up + 1, left + 1)

static double edr_left(const pair *p, size_t i) {
    return p->parameters[2] != 0.0 ? 0.0 : (double)i;
}

static double edr_top(const pair *p, size_t j) {
    if (p->parameters[2] != 0.0)
        return j == p->y->length ? INFINITY : 0.0;
    return (double)j;
}

static double edr_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    double epsilon = p->parameters[0];
    int match = 1;
    if (p->parameters[2] != 0.0)
        match = euclidean(p->x, i, p->y, j) < epsilon;
    else
        for (size_t c = 0; c < p->x->channels; c++)
            match = match && fabs(at(p->x, i, c) - at(p->y, j, c)) <= epsilon;
    return min3(diagonal + (match ? 0.0 : 1.0), up + 1.0, left + 1.0);
}

static double edr_final(const pair *p, double value) {
    return p->parameters[1] != 0.0 ? value / longer(p) : value;
}

// ---- LCSS: the longest common subsequence, two points being common when they are within epsilon

static double lcss_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    return euclidean(p->x, i, p->y, j) <= p->parameters[0] ? diagonal + 1.0 : fmax(left, up);
}

static double lcss_final(const pair *p, double value) {
    double share = value / shorter(p);
    return p->parameters[1] != 0.0 ? share : 1.0 - share;
}

// ---- MSM

// Moving a, between b1 and b2: the ball over the segment from b1 to b2.
static double msm_cost(double c, const wwr_series *a, size_t ai, const wwr_series *b1, size_t i1, const wwr_series *b2,
                       size_t i2) {
    double across = 0.0, off = 0.0;
    for (size_t k = 0; k < a->channels; k++) {
        double one = at(b1, i1, k), other = at(b2, i2, k), centre = (one + other) / 2.0;
        across += (one - other) * (one - other);
        off += (centre - at(a, ai, k)) * (centre - at(a, ai, k));
    }
    if (sqrt(off) <= sqrt(across) / 2.0)
        return c;
    return c + fmin(euclidean(a, ai, b1, i1), euclidean(a, ai, b2, i2));
}

static double msm_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    double c = p->parameters[0], match = norm(p->x, i, p->y, j, 1.0, 1);
    double from_above = isinf(up) ? up : up + msm_cost(c, p->x, i, p->x, i - 1, p->y, j);
    double from_left = isinf(left) ? left : left + msm_cost(c, p->y, j, p->x, i, p->y, j - 1);
    return min3(diagonal + match, from_above, from_left);
}

// ---- TWED

static double twed_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    double nu = p->parameters[0], lambda = p->parameters[1], degree = p->parameters[2];
    int power = p->parameters[3] != 0.0;
    double t = time_of(p->x_times, i), t_before = time_of(p->x_times, i - 1);
    double s = time_of(p->y_times, j), s_before = time_of(p->y_times, j - 1);
    double delete_x = norm(p->x, i, p->x, i - 1, degree, power) + nu * (t - t_before) + lambda;
    double delete_y = norm(p->y, j, p->y, j - 1, degree, power) + nu * (s - s_before) + lambda;
    double match = norm(p->x, i, p->y, j, degree, power) + norm(p->x, i - 1, p->y, j - 1, degree, power) +
                   nu * (fabs(t - s) + fabs(t_before - s_before));
    return min3(diagonal + match, up + delete_x, left + delete_y);
}

// ---- Levenshtein and the longest common subsequence, of symbols

static double levenshtein_left(const pair *p, size_t i) {
    return (double)i * p->parameters[1];
}

static double levenshtein_top(const pair *p, size_t j) {
    return (double)j * p->parameters[0];
}

static int same_symbol(const pair *p, size_t i, size_t j) {
    int same = 1;
    for (size_t c = 0; c < p->x->channels; c++)
        same = same && at(p->x, i, c) == at(p->y, j, c);
    return same;
}

static double levenshtein_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    return min3(diagonal + (same_symbol(p, i, j) ? 0.0 : p->parameters[2]), up + p->parameters[1],
                left + p->parameters[0]);
}

static double lcs_cell(const pair *p, size_t i, size_t j, double left, double up, double diagonal) {
    return same_symbol(p, i, j) ? diagonal + 1.0 : fmax(left, up);
}

// ---- the walk

static const recurrence *recurrence_of(ww_measure_id id) {
    static const recurrence adtw = {infinite_border, infinite_border, adtw_cell, same_value, INFINITY};
    static const recurrence wdtw = {infinite_border, infinite_border, wdtw_cell, same_value, INFINITY};
    static const recurrence erp = {erp_left, erp_top, erp_cell, same_value, INFINITY};
    static const recurrence edr = {edr_left, edr_top, edr_cell, edr_final, INFINITY};
    static const recurrence lcss = {zero_border, zero_border, lcss_cell, lcss_final, 0.0};
    static const recurrence msm = {infinite_border, infinite_border, msm_cell, same_value, INFINITY};
    static const recurrence twed = {infinite_border, infinite_border, twed_cell, same_value, INFINITY};
    static const recurrence levenshtein = {levenshtein_left, levenshtein_top, levenshtein_cell, same_value, INFINITY};
    static const recurrence lcs = {zero_border, zero_border, lcs_cell, same_value, 0.0};
    switch (id) {
    case WW_ADTW:
        return &adtw;
    case WW_WDTW:
    case WW_WDDTW:
        return &wdtw;
    case WW_ERP:
        return &erp;
    case WW_EDR:
        return &edr;
    case WW_LCSS:
        return &lcss;
    case WW_MSM:
        return &msm;
    case WW_TWED:
        return &twed;
    case WW_LEVENSHTEIN:
        return &levenshtein;
    case WW_LCS:
        return &lcs;
    default:
        return NULL;
    }
}

static double walk(const recurrence *r, const pair *p) {
    size_t n = p->x->length, m = p->y->length;
    double *above = calloc(m + 1, sizeof *above), *here = calloc(m + 1, sizeof *here);
    if (!above || !here)
        abort();
    for (size_t j = 1; j <= m; j++)
        above[j] = r->top_border(p, j);
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++)
            here[j] = r->outside;
        here[0] = r->left_border(p, i);
        for (size_t j = p->options->lo ? p->options->lo[i - 1] + 1 : 1;
             j <= (p->options->hi ? p->options->hi[i - 1] : m); j++)
            here[j] = r->cell(p, i, j, here[j - 1], above[j], above[j - 1]);
        double *swap = above;
        above = here;
        here = swap;
    }
    double value = above[m];
    free(above);
    free(here);
    return p->options->root ? sqrt(r->final(p, value)) : r->final(p, value);
}

double wwr_recurrence(ww_measure_id id, const double *parameters, const wwr_series *x, const double *x_times,
                      const wwr_series *y, const double *y_times, const wwr_options *options) {
    const recurrence *r = recurrence_of(id);
    double sum = 0.0;
    if (!r)
        return NAN;
    for (size_t c = 0; c < (options->independent ? x->channels : 1); c++) {
        wwr_series one_x = {x->values + c * x->length, x->length, 1}, one_y = {y->values + c * y->length, y->length, 1};
        pair p = {options->independent ? &one_x : x,
                  options->independent ? &one_y : y,
                  x_times,
                  y_times,
                  options,
                  parameters};
        sum += walk(r, &p);
    }
    return sum;
}
