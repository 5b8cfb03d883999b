// SPDX-License-Identifier: Apache-2.0
// The reference: the formulae of docs/measures.md, line by line. Indices of cells count from 1, D(0,0) is the corner.
#include "reference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "recurrences.h"

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "reference: no memory for %zu x %zu bytes\n", count, size);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static double min3(double a, double b, double c) {
    return fmin(fmin(a, b), c);
}

// ---- local cost

// c(i,j) of x_i and y_j.
static double cost(const wwr_options *options, const wwr_series *x, size_t i, const wwr_series *y, size_t j) {
    double sum = 0.0;
    for (size_t c = 0; c < x->channels; c++) {
        double a = x->values[c * x->length + i - 1], b = y->values[c * y->length + j - 1];
        if (options->cost == WW_COST_USER)
            sum += options->user(a, b);
        else if (options->cost == WW_COST_ABSOLUTE)
            sum += fabs(a - b);
        else
            sum += (a - b) * (a - b);
    }
    return options->cost == WW_COST_EUCLIDEAN ? sqrt(sum) : sum;
}

// ---- the band and the matrix

// First and last column of row i inside the band, from 1; none when first > last.
static size_t first_column(const wwr_options *options, size_t i) {
    return options->lo ? options->lo[i - 1] + 1 : 1;
}

static size_t last_column(const wwr_options *options, const wwr_series *y, size_t i) {
    return options->hi ? options->hi[i - 1] : y->length;
}

static double *row(const wwr_matrix *D, size_t i) {
    return D->cells + (i % D->rows) * D->columns;
}

static void fill_row(const wwr_matrix *D, size_t i, double value) {
    for (size_t j = 0; j < D->columns; j++)
        row(D, i)[j] = value;
}

// ---- the measures

// D(0,0) = 0, borders +inf; D(i,j) = c(i,j) + min(D(i-1,j), D(i,j-1), D(i-1,j-1)).
static double dtw(const wwr_series *x, const wwr_series *y, const wwr_options *options, const wwr_matrix *D) {
    fill_row(D, 0, INFINITY);
    row(D, 0)[0] = 0.0;
    for (size_t i = 1; i <= x->length; i++) {
        const double *above = row(D, i - 1);
        double *here = row(D, i);
        fill_row(D, i, INFINITY);
        for (size_t j = first_column(options, i); j <= last_column(options, y, i); j++)
            here[j] = cost(options, x, i, y, j) + min3(above[j], here[j - 1], above[j - 1]);
    }
    return row(D, x->length)[y->length];
}

// D(0,0) = 0, borders +inf; D(i,j) = max(c(i,j), min(D(i-1,j), D(i,j-1), D(i-1,j-1))).
static double frechet(const wwr_series *x, const wwr_series *y, const wwr_options *options, const wwr_matrix *D) {
    fill_row(D, 0, INFINITY);
    row(D, 0)[0] = 0.0;
    for (size_t i = 1; i <= x->length; i++) {
        const double *above = row(D, i - 1);
        double *here = row(D, i);
        fill_row(D, i, INFINITY);
        for (size_t j = first_column(options, i); j <= last_column(options, y, i); j++)
            here[j] = fmax(cost(options, x, i, y, j), min3(above[j], here[j - 1], above[j - 1]));
    }
    return row(D, x->length)[y->length];
}

// ---- what is common to all measures

typedef double (*measure_function)(const wwr_series *x, const wwr_series *y, const wwr_options *options,
                                   const wwr_matrix *D);

static wwr_series channel(const wwr_series *series, size_t c) {
    wwr_series one = {series->values + c * series->length, series->length, 1};
    return one;
}

static double root_if_asked(double value, const wwr_options *options) {
    return options->root ? sqrt(value) : value;
}

// The final value: of the series as they are, or summed over the channels taken one by one.
static double final_value(measure_function measure, const wwr_series *x, const wwr_series *y,
                          const wwr_options *options) {
    wwr_matrix D = {allocate(2 * (y->length + 1), sizeof(double)), 2, y->length + 1};
    double value = 0.0;
    if (options->independent) {
        for (size_t c = 0; c < x->channels; c++) {
            wwr_series xc = channel(x, c), yc = channel(y, c);
            value += root_if_asked(measure(&xc, &yc, options, &D), options);
        }
    } else {
        value = root_if_asked(measure(x, y, options, &D), options);
    }
    free(D.cells);
    return value;
}

double wwr_dtw(const wwr_series *x, const wwr_series *y, const wwr_options *options) {
    return final_value(dtw, x, y, options);
}

double wwr_frechet(const wwr_series *x, const wwr_series *y, const wwr_options *options) {
    return final_value(frechet, x, y, options);
}

double wwr_dtw_matrix(const wwr_series *x, const wwr_series *y, const wwr_options *options, double *matrix) {
    wwr_matrix D = {matrix, x->length + 1, y->length + 1};
    return dtw(x, y, options, &D);
}

double wwr_frechet_matrix(const wwr_series *x, const wwr_series *y, const wwr_options *options, double *matrix) {
    wwr_matrix D = {matrix, x->length + 1, y->length + 1};
    return frechet(x, y, options, &D);
}

// ---- every path

typedef struct all_paths {
    const wwr_series *x, *y;
    const wwr_options *options;
    double (*join)(double, double); // of the costs along a path
} all_paths;

static double join_sum(double a, double b) {
    return a + b;
}

static int in_band(const wwr_options *options, const wwr_series *y, size_t i, size_t j) {
    return j >= first_column(options, i) && j <= last_column(options, y, i);
}

// The best path from (i,j) to the last cell, the costs before (i,j) joined to `before`.
static double best_path(const all_paths *p, size_t i, size_t j, double before) {
    if (i > p->x->length || j > p->y->length || !in_band(p->options, p->y, i, j))
        return INFINITY;
    double here = p->join(before, cost(p->options, p->x, i, p->y, j));
    if (i == p->x->length && j == p->y->length)
        return here;
    return min3(best_path(p, i + 1, j, here), best_path(p, i, j + 1, here), best_path(p, i + 1, j + 1, here));
}

double wwr_dtw_all_paths(const wwr_series *x, const wwr_series *y, const wwr_options *options) {
    all_paths p = {x, y, options, join_sum};
    return best_path(&p, 1, 1, 0.0);
}

double wwr_frechet_all_paths(const wwr_series *x, const wwr_series *y, const wwr_options *options) {
    all_paths p = {x, y, options, fmax};
    return best_path(&p, 1, 1, 0.0);
}

// ---- the library's description of a measure

// x'[i] = ((x[i] - x[i-1]) + (x[i+1] - x[i-1]) / 2) / 2 (Keogh and Pazzani 2001): two points shorter.
static wwr_series derivative(const wwr_series *x) {
    size_t length = x->length - 2;
    double *values = allocate(x->channels * length, sizeof(*values));
    for (size_t c = 0; c < x->channels; c++)
        for (size_t i = 0; i < length; i++) {
            const double *v = x->values + c * x->length + i;
            values[c * length + i] = ((v[1] - v[0]) + (v[2] - v[0]) / 2.0) / 2.0;
        }
    wwr_series result = {values, length, x->channels};
    return result;
}

static double banded_distance(const ww_measure *measure, wwr_value_cost user, const wwr_series *x,
                              const double *x_times, const wwr_series *y, const double *y_times) {
    wwr_options options = {measure->cost, user, measure->root, measure->independent, NULL, NULL};
    if (measure->gamma != 0.0 || measure->relax_begin_x || measure->relax_end_x || measure->relax_begin_y ||
        measure->relax_end_y)
        return wwr_choice(measure, user, x, x_times, y, y_times);
    if (options.cost == WW_COST_DEFAULT)
        options.cost = measure->id == WW_FRECHET ? WW_COST_EUCLIDEAN : WW_COST_SQUARED;
    size_t *lo = allocate(x->length, sizeof(*lo)), *hi = allocate(x->length, sizeof(*hi));
    double value = NAN;
    ww_status status = ww_band_rows(&measure->band, x->length, y->length, lo, hi);
    options.lo = lo;
    options.hi = hi;
    if (status == WW_ERROR_NO_PATH)
        value = INFINITY;
    else if (status == WW_OK && (measure->id == WW_DTW || measure->id == WW_DDTW))
        value = wwr_dtw(x, y, &options);
    else if (status == WW_OK && measure->id == WW_FRECHET)
        value = wwr_frechet(x, y, &options);
    else if (status == WW_OK)
        value = wwr_recurrence(measure->id, measure->parameters, x, x_times, y, y_times, &options);
    free(lo);
    free(hi);
    return value;
}

double wwr_distance_timed(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const double *x_times,
                          const wwr_series *y, const double *y_times) {
    if (measure->id != WW_DDTW && measure->id != WW_WDDTW)
        return banded_distance(measure, user, x, x_times, y, y_times);
    if (x->length < 3 || y->length < 3)
        return NAN;
    wwr_series dx = derivative(x), dy = derivative(y);
    double value = banded_distance(measure, user, &dx, NULL, &dy, NULL);
    free((double *)(uintptr_t)dx.values);
    free((double *)(uintptr_t)dy.values);
    return value;
}

double wwr_distance(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const wwr_series *y) {
    return wwr_distance_timed(measure, user, x, NULL, y, NULL);
}

// ---- bands, cell by cell

static void mask_slanted(double fraction, size_t n, size_t m, unsigned char *mask) {
    size_t shorter = n < m ? n : m, longer = n < m ? m : n, steps = longer + 1;
    size_t thickness = (size_t)(fraction * (double)shorter);
    for (size_t s = 0; s < steps; s++) {
        size_t along = (size_t)floor((double)s / (double)steps * (double)longer);
        size_t centre = (size_t)floor((double)s / (double)steps * (double)shorter);
        for (size_t k = 0; k < shorter; k++)
            if (k + thickness >= centre && k <= centre + thickness)
                mask[n <= m ? k * m + along : along * m + k] = 1;
    }
}

// The line of `slope` through the last cell, at column j. One product a statement, so that none is fused with the sum.
static double line_to_end(double slope, size_t n, size_t m, size_t j) {
    double whole = slope * (double)(m - 1);
    double start = (double)(n - 1) - whole;
    double rise = slope * (double)j;
    return start + rise;
}

static double two_decimals(double value) {
    return rint(value * 100.0) / 100.0;
}

static void mask_itakura(double slope, size_t n, size_t m, unsigned char *mask) {
    double scale = (double)n / (double)m, steep = slope * scale, flat = 1.0 / slope * scale;
    for (size_t j = 0; j < m; j++) {
        double from = ceil(fmax(two_decimals(flat * (double)j), two_decimals(line_to_end(steep, n, m, j))));
        double to = floor(fmin(two_decimals(steep * (double)j), two_decimals(line_to_end(flat, n, m, j))) + 1.0);
        for (size_t i = 0; i < n; i++)
            mask[i * m + j] = (double)i >= from && (double)i < to;
    }
}

void wwr_band_mask(const ww_band *band, size_t n, size_t m, unsigned char *mask) {
    double before = n > m ? (double)(n - m) : 0.0, after = m > n ? (double)(m - n) : 0.0;
    memset(mask, 0, n * m);
    if (band->kind == WW_BAND_SLANTED)
        mask_slanted(band->width, n, m, mask);
    if (band->kind == WW_BAND_ITAKURA)
        mask_itakura(band->width, n, m, mask);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double ahead = (double)j - (double)i;
            if (band->kind == WW_BAND_NONE)
                mask[i * m + j] = 1;
            if (band->kind == WW_BAND_SAKOE_CHIBA)
                mask[i * m + j] = fabs(ahead) <= band->width;
            if (band->kind == WW_BAND_CORNER)
                mask[i * m + j] = -ahead <= before + band->width && ahead <= after + band->width;
            if (band->kind == WW_BAND_ROWS)
                mask[i * m + j] = j >= band->lo[i] && j < band->hi[i];
        }
}

int wwr_mask_has_path(const unsigned char *mask, size_t n, size_t m) {
    unsigned char *reached = allocate(n * m, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            int from = (i == 0 && j == 0) || (i > 0 && reached[(i - 1) * m + j]) || (j > 0 && reached[i * m + j - 1]) ||
                       (i > 0 && j > 0 && reached[(i - 1) * m + j - 1]);
            reached[i * m + j] = mask[i * m + j] && from;
        }
    int result = reached[n * m - 1];
    free(reached);
    return result;
}
