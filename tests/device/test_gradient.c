// SPDX-License-Identifier: Apache-2.0
// Gradients (docs/gradient.md) against central differences of the double reference, for every measure that has slopes,
// soft and hard; shapes, bands, channels, sums over pairs, segments, divergence, alignment, refusals.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/choices.h"
#include "support.h"

static void setup(void) {
    wwt_seed(77);
}

// ---- one case

typedef struct result {
    void *values, *rows, *columns, *parameters, *weights, *alignment;
    ww_gradient_info info;
} result;

static result no_result(void) {
    result r = {.info = WW_GRADIENT_INFO_INIT};
    return r;
}

static void free_result(result *r) {
    wwt_guarded_free(r->values);
    wwt_guarded_free(r->rows);
    wwt_guarded_free(r->columns);
    if (r->parameters)
        wwt_guarded_free(r->parameters);
    if (r->weights)
        wwt_guarded_free(r->weights);
    if (r->alignment)
        wwt_guarded_free(r->alignment);
}

static result run(ww_gradient *gradient, const ww_gradient_options *options, ww_precision precision,
                  const void *upstream) {
    result r = no_result();
    wwt_ok(ww_gradient_get_info(gradient, &r.info));
    r.values = wwt_guarded(r.info.pairs, precision);
    r.rows = wwt_guarded(r.info.rows, precision);
    r.columns = wwt_guarded(r.info.columns, precision);
    if (options->parameters)
        r.parameters = wwt_guarded(r.info.parameters, precision);
    if (options->weights)
        r.weights = wwt_guarded(r.info.weights, precision);
    if (options->alignment)
        r.alignment = wwt_guarded(r.info.alignment, precision);
    const ww_output values = WW_OUTPUT_HOST(r.values), rows = WW_OUTPUT_HOST(r.rows),
                    columns = WW_OUTPUT_HOST(r.columns), parameters = WW_OUTPUT_HOST(r.parameters),
                    weights = WW_OUTPUT_HOST(r.weights), alignment = WW_OUTPUT_HOST(r.alignment);
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    to.upstream = upstream;
    to.values = &values;
    to.rows = &rows;
    to.columns = &columns;
    to.parameters = options->parameters ? &parameters : NULL;
    to.weights = options->weights ? &weights : NULL;
    to.alignment = options->alignment ? &alignment : NULL;
    wwt_ok(ww_gradient_run(gradient, &to));
    wwt_ok(ww_gradient_get_info(gradient, &r.info));
    return r;
}

static result matched(const ww_measure *measure, const wwt_set *x, const wwt_set *y, ww_precision precision,
                      const ww_gradient_options *options, const void *upstream) {
    ww_dataset *rows = wwt_dataset(x, precision), *columns = wwt_dataset(y, precision);
    ww_gradient *gradient = NULL;
    wwt_ok(ww_gradient_create_pairs(measure, rows, columns, NULL, NULL, x->count, options, &gradient));
    const result r = run(gradient, options, precision, upstream);
    ww_gradient_destroy(&gradient);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    return r;
}

// ---- the reference

static double value_of(const ww_measure *measure, const wwr_series *x, const wwr_series *y, bool divergence) {
    const double v = wwr_distance(measure, NULL, x, y);
    return divergence ? v - wwr_distance(measure, NULL, x, x) / 2 - wwr_distance(measure, NULL, y, y) / 2 : v;
}

// The slope by one value of x (side 0) or y.
static double difference(const ww_measure *measure, const wwt_set *x, const wwt_set *y, size_t i, size_t j, int side,
                         size_t at, bool divergence) {
    double *value = side ? &y->values[y->offsets[j] + at] : &x->values[x->offsets[i] + at];
    const double kept = *value, step = 1e-5;
    const wwr_series a = wwt_series(x, i), b = wwt_series(y, j);
    *value = kept + step;
    const double above = value_of(measure, &a, &b, divergence);
    *value = kept - step;
    const double below = value_of(measure, &a, &b, divergence);
    *value = kept;
    return (above - below) / (2 * step);
}

static void check_number(double found, double expected, double scale, double tolerance, const char *what, size_t at) {
    ck_assert_msg(fabs(found - expected) <= tolerance * scale, "%s %zu: %.12g, expected %.12g (scale %g)", what, at,
                  found, expected, scale);
}

// Compares a result of matched pairs with central differences.
static void check(const ww_measure *measure, const wwt_set *x, const wwt_set *y, ww_precision precision,
                  const result *r, const double *upstream, bool divergence) {
    const double tolerance = precision == WW_DOUBLE ? 2e-6 : 2e-4;
    size_t row_at = 0, column_at = 0;
    for (size_t p = 0; p < x->count; p++) {
        const wwr_series a = wwt_series(x, p), b = wwt_series(y, p);
        const double expected = value_of(measure, &a, &b, divergence), factor = upstream ? upstream[p] : 1.0;
        check_number(wwt_value(r->values, precision, p), expected, 1 + fabs(expected), tolerance, "value", p);
        for (size_t k = 0; k < a.length * a.channels; k++)
            check_number(wwt_value(r->rows, precision, row_at + k),
                         factor * difference(measure, x, y, p, p, 0, k, divergence), fabs(factor) * 10, tolerance,
                         "by row value", k);
        for (size_t k = 0; k < b.length * b.channels; k++)
            check_number(wwt_value(r->columns, precision, column_at + k),
                         factor * difference(measure, x, y, p, p, 1, k, divergence), fabs(factor) * 10, tolerance,
                         "by column value", k);
        row_at += a.length * a.channels;
        column_at += b.length * b.channels;
        if (r->parameters) {
            const ww_measure_info *info = ww_measure_info_by_id(measure->id);
            for (size_t k = 0; k < info->parameter_count; k++) {
                ww_measure more = *measure, less = *measure;
                const double step = 1e-6;
                // Of a switch, and of TWED's degree, there is no slope.
                const bool has = !info->parameters[k].is_switch && !(measure->id == WW_TWED && k >= 2);
                more.parameters[k] += step;
                less.parameters[k] -= step;
                const double slope = !has ? 0.0
                                          : (value_of(&more, &a, &b, divergence) - value_of(&less, &a, &b, divergence)) /
                                                (2 * step);
                check_number(wwt_value(r->parameters, precision, p * info->parameter_count + k), factor * slope,
                             fabs(factor) * (10 + fabs(slope)), 5 * tolerance, info->parameters[k].name, p);
            }
        }
    }
}

// ---- measures

typedef struct subject {
    ww_measure_id id;
    double gamma;
    size_t channels;
    ww_cost cost;
    int parameters;
} subject;

static const subject subjects[] = {
    {WW_DTW, 1.0, 1, WW_COST_DEFAULT, 0},     {WW_DTW, 0.0, 1, WW_COST_DEFAULT, 0},
    {WW_DTW, 0.5, 2, WW_COST_EUCLIDEAN, 0},   {WW_DTW, 0.5, 6, WW_COST_ABSOLUTE, 0},
    {WW_DDTW, 0.3, 1, WW_COST_DEFAULT, 0},    {WW_ADTW, 0.5, 1, WW_COST_DEFAULT, 1},
    {WW_ADTW, 0.0, 1, WW_COST_DEFAULT, 1},    {WW_WDTW, 0.5, 1, WW_COST_DEFAULT, 1},
    {WW_WDDTW, 0.0, 2, WW_COST_DEFAULT, 1},   {WW_FRECHET, 0.0, 1, WW_COST_DEFAULT, 0},
    {WW_ERP, 0.5, 1, WW_COST_DEFAULT, 1},     {WW_ERP, 0.0, 2, WW_COST_DEFAULT, 1},
    {WW_MSM, 0.5, 1, WW_COST_DEFAULT, 1},     {WW_MSM, 0.0, 2, WW_COST_DEFAULT, 1},
    {WW_TWED, 0.5, 1, WW_COST_DEFAULT, 1},    {WW_TWED, 0.0, 2, WW_COST_DEFAULT, 1},
};
#define SUBJECTS ((int)(sizeof subjects / sizeof *subjects))

START_TEST(measures) {
    const subject *s = &subjects[_i];
    ww_measure measure = wwt_measure(s->id);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    setup();
    measure.gamma = s->gamma;
    measure.cost = s->cost;
    options.parameters = s->parameters;
    if (s->id == WW_ERP)
        measure.parameters[0] = 0.123;
    // Blocks that are full, that are not, and single points.
    const size_t n[] = {9, 16, 3, 21}, m[] = {17, 8, 5, 3};
    const double upstream[] = {1.0, -2.0, 0.5, 3.0};
    wwt_set x = wwt_set_make(s->channels, n, 4), y = wwt_set_make(s->channels, m, 4);
    for (ww_precision precision = WW_FLOAT; (int)precision < wwt_precision_count(); precision++) {
        float narrow[4];
        for (size_t p = 0; p < 4; p++)
            narrow[p] = (float)upstream[p];
        result r = matched(&measure, &x, &y, precision, &options,
                           precision == WW_DOUBLE ? (const void *)upstream : narrow);
        check(&measure, &x, &y, precision, &r, upstream, false);
        free_result(&r);
    }
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("gradient");
    wwt_add(suite, measures, SUBJECTS);
    return wwt_run(suite);
}
