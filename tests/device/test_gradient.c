// SPDX-License-Identifier: Apache-2.0
// Gradients (docs/gradient.md) against central differences of the double reference, for every measure that has slopes,
// soft and hard; shapes, bands, channels, sums over pairs, segments, divergence, alignment, refusals.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
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
                const double slope =
                    !has ? 0.0
                         : (value_of(&more, &a, &b, divergence) - value_of(&less, &a, &b, divergence)) / (2 * step);
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
    {WW_DTW, 1.0, 1, WW_COST_DEFAULT, 0},   {WW_DTW, 0.0, 1, WW_COST_DEFAULT, 0},
    {WW_DTW, 0.5, 2, WW_COST_EUCLIDEAN, 0}, {WW_DTW, 0.5, 6, WW_COST_ABSOLUTE, 0},
    {WW_DDTW, 0.3, 1, WW_COST_DEFAULT, 0},  {WW_ADTW, 0.5, 1, WW_COST_DEFAULT, 1},
    {WW_ADTW, 0.0, 1, WW_COST_DEFAULT, 1},  {WW_WDTW, 0.5, 1, WW_COST_DEFAULT, 1},
    {WW_WDDTW, 0.0, 2, WW_COST_DEFAULT, 1}, {WW_FRECHET, 0.0, 1, WW_COST_DEFAULT, 0},
    {WW_ERP, 0.5, 1, WW_COST_DEFAULT, 1},   {WW_ERP, 0.0, 2, WW_COST_DEFAULT, 1},
    {WW_MSM, 0.5, 1, WW_COST_DEFAULT, 1},   {WW_MSM, 0.0, 2, WW_COST_DEFAULT, 1},
    {WW_TWED, 0.5, 1, WW_COST_DEFAULT, 1},  {WW_TWED, 0.0, 2, WW_COST_DEFAULT, 1},
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
    // Every subject in double; in float every fourth, or where there is nothing else.
    const bool few = wwt_precision_count() > 1 && !wwt_all_cases() && _i % 4;
    for (ww_precision precision = few ? WW_DOUBLE : WW_FLOAT; (int)precision < wwt_precision_count(); precision++) {
        float narrow[4];
        for (size_t p = 0; p < 4; p++)
            narrow[p] = (float)upstream[p];
        result r =
            matched(&measure, &x, &y, precision, &options, precision == WW_DOUBLE ? (const void *)upstream : narrow);
        check(&measure, &x, &y, precision, &r, upstream, false);
        free_result(&r);
    }
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// ---- shapes: bands, segments, sums

// Marks that do not fit are computed again, segment by segment; equal bits with and without, but by tiles, whose bits
// depend on the pairs of a warp (`tiles` below has segments of these).
START_TEST(segments) {
    ww_measure measure = wwt_measure(WW_DTW);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    setup();
    wwt_ok(wwi_tuning_try(wwt_context, "form.wave", NULL, 0));
    wwt_ok(wwi_tuning_try(wwt_context, "form.tiles", NULL, 0));
    measure.gamma = 0.7;
    if (_i == 1) {
        measure.band.kind = WW_BAND_SAKOE_CHIBA;
        measure.band.width = 40;
    }
    const size_t n[] = {150, 61}, m[] = {131, 90};
    wwt_set x = wwt_set_make(1, n, 2), y = wwt_set_make(1, m, 2);
    result whole = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
    ck_assert_uint_eq(whole.info.segments, 1);
    check(&measure, &x, &y, WW_FLOAT, &whole, NULL, false);
    limits.max_bytes = 14500;
    options.run = &limits;
    result parts = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
    ck_assert_uint_ge(parts.info.segments, 3);
    ck_assert_uint_eq(parts.info.batches, 2);
    ck_assert(wwt_same(whole.values, parts.values, whole.info.pairs, WW_FLOAT));
    ck_assert(wwt_same(whole.rows, parts.rows, whole.info.rows, WW_FLOAT));
    ck_assert(wwt_same(whole.columns, parts.columns, whole.info.columns, WW_FLOAT));
    free_result(&whole);
    free_result(&parts);

    // Not even one column of blocks.
    ww_dataset *rows = wwt_dataset(&x, WW_FLOAT), *columns = wwt_dataset(&y, WW_FLOAT);
    ww_gradient *gradient = NULL;
    limits.max_bytes = 1000;
    wwt_fails(ww_gradient_create_pairs(&measure, rows, columns, NULL, NULL, 2, &options, &gradient),
              WW_ERROR_DEVICE_MEMORY);
    ck_assert_ptr_null(gradient);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// The other kinds of bands.
START_TEST(bands) {
    static const ww_band kinds[] = {{WW_BAND_CORNER, 3, NULL, NULL, 0},
                                    {WW_BAND_SLANTED, 0.3, NULL, NULL, 0},
                                    {WW_BAND_ITAKURA, 2.5, NULL, NULL, 0}};
    ww_measure measure = wwt_measure(_i == 1 ? WW_TWED : WW_DTW);
    const ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    setup();
    measure.gamma = 0.4;
    measure.band = kinds[_i];
    const size_t n[] = {19, 24, 9}, m[] = {26, 18, 13};
    wwt_set x = wwt_set_make(1, n, 3), y = wwt_set_make(1, m, 3);
    result r = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
    check(&measure, &x, &y, WW_FLOAT, &r, NULL, false);
    free_result(&r);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// A matrix's gradients are the sums of its pairs', for each series; with many pairs, so that a work-item has a whole
// one.
START_TEST(matrices) {
    ww_measure measure = wwt_measure(WW_DTW);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    setup();
    measure.gamma = 1.5;
    options.divergence = _i == 1;
    wwt_set x = wwt_set_random(1, 3, 20, _i == 1 ? 4 : 14), y = wwt_set_random(1, 3, 20, _i == 1 ? 3 : 11);
    ww_dataset *rows = wwt_dataset(&x, WW_FLOAT), *columns = wwt_dataset(&y, WW_FLOAT);
    ww_gradient *gradient = NULL;
    float upstream[14 * 11];
    const size_t pairs = x.count * y.count;
    for (size_t p = 0; p < pairs; p++)
        upstream[p] = (float)wwt_random();
    wwt_ok(ww_gradient_create_matrix(&measure, rows, columns, &options, &gradient));
    result r = run(gradient, &options, WW_FLOAT, upstream), again = run(gradient, &options, WW_FLOAT, upstream);
    ck_assert(wwt_same(r.rows, again.rows, r.info.rows, WW_FLOAT));
    ck_assert(wwt_same(r.columns, again.columns, r.info.columns, WW_FLOAT));
    for (int side = 0; side < 2; side++) {
        size_t at = 0;
        for (size_t s = 0; s < (side ? y.count : x.count); s++)
            for (size_t k = 0; k < (side ? y.lengths[s] : x.lengths[s]); k++, at++) {
                double expected = 0;
                if (k % 5 != s % 5) // a part of them is enough
                    continue;
                for (size_t o = 0; o < (side ? x.count : y.count); o++) {
                    const size_t i = side ? o : s, j = side ? s : o;
                    expected += (double)upstream[i * y.count + j] *
                                difference(&measure, &x, &y, i, j, side, k, options.divergence != 0);
                }
                check_number(wwt_value(side ? r.columns : r.rows, WW_FLOAT, at), expected, 20, 2e-4, "of a sum", at);
            }
    }
    for (size_t p = 0; p < pairs; p++) {
        const wwr_series a = wwt_series(&x, p / y.count), b = wwt_series(&y, p % y.count);
        const double expected = value_of(&measure, &a, &b, options.divergence != 0);
        check_number(wwt_value(r.values, WW_FLOAT, p), expected, 1 + fabs(expected), 1e-4, "value", p);
    }
    free_result(&r);
    free_result(&again);
    ww_gradient_destroy(&gradient);

    // Each pair for itself, in device memory with an offset, from upstream in device memory.
    ww_buffer *device = NULL, *factors = NULL;
    ww_output to = WW_OUTPUT_INIT, values = WW_OUTPUT_INIT;
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    const size_t first[] = {1, 0, 2}, second[] = {2, 2, 0};
    options.per_pair = 1;
    wwt_ok(ww_gradient_create_pairs(&measure, rows, columns, first, second, 3, &options, &gradient));
    wwt_ok(ww_gradient_get_info(gradient, &info));
    wwt_ok(ww_buffer_create(wwt_context, (info.columns + 5) * sizeof(float), &device));
    wwt_ok(ww_buffer_create(wwt_context, 3 * sizeof(float), &factors));
    // Values of DTW of single points as factors: nothing else writes to a buffer here.
    values.device = factors;
    outputs.values = &values;
    wwt_ok(ww_gradient_run(gradient, &outputs));
    wwt_ok(ww_gradient_finish(gradient));
    float scale[3];
    wwt_ok(ww_buffer_read(factors, 0, sizeof scale, scale));
    to.device = device;
    to.offset = 5 * sizeof(float);
    outputs = (ww_gradient_outputs)WW_GRADIENT_OUTPUTS_INIT;
    outputs.upstream_device = factors;
    outputs.columns = &to;
    wwt_ok(ww_gradient_run(gradient, &outputs));
    wwt_ok(ww_gradient_finish(gradient));
    float *found = malloc(info.columns * sizeof *found);
    ck_assert_ptr_nonnull(found);
    wwt_ok(ww_buffer_read(device, to.offset, info.columns * sizeof(float), found));
    for (size_t p = 0, at = 0; p < 3; at += y.lengths[second[p]], p++)
        for (size_t k = 0; k < y.lengths[second[p]]; k++)
            check_number((double)found[at + k],
                         (double)scale[p] * difference(&measure, &x, &y, first[p], second[p], 1, k, _i == 1),
                         10 + fabs((double)scale[p]) * 10, 2e-4, "of a pair", at + k);
    free(found);
    ww_gradient_destroy(&gradient);
    ww_buffer_destroy(&device);
    ww_buffer_destroy(&factors);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// ---- expected alignments and weights

// E(i,j) of soft-DTW from every path: the sum of exp(-cost/gamma) of the paths through a cell, by that of all.
static void walk_paths(const wwr_series *x, const wwr_series *y, double gamma, size_t i, size_t j, double cost,
                       unsigned char *through, double *sums, double *all) {
    const double t = x->values[i] - y->values[j];
    cost += t * t;
    through[i * y->length + j] = 1;
    if (i + 1 == x->length && j + 1 == y->length) {
        const double weight = exp(-cost / gamma);
        for (size_t k = 0; k < x->length * y->length; k++)
            sums[k] += through[k] ? weight : 0;
        *all += weight;
    } else {
        for (int step = 1; step < 4; step++) {
            const size_t to_i = i + (step & 1), to_j = j + (size_t)(step >> 1);
            if (to_i < x->length && to_j < y->length)
                walk_paths(x, y, gamma, to_i, to_j, cost, through, sums, all);
        }
    }
    through[i * y->length + j] = 0;
}

START_TEST(alignments) {
    ww_measure measure = wwt_measure(WW_DTW);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    setup();
    measure.gamma = _i == 1 ? 0.05 : 2.0;
    options.alignment = 1;
    const size_t n[] = {6, 1, 4}, m[] = {5, 6, 4};
    wwt_set x = wwt_set_make(1, n, 3), y = wwt_set_make(1, m, 3);
    result r = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
    for (size_t p = 0, at = 0; p < 3; at += n[p] * m[p], p++) {
        const wwr_series a = wwt_series(&x, p), b = wwt_series(&y, p);
        unsigned char through[36] = {0};
        double sums[36] = {0}, all = 0;
        walk_paths(&a, &b, measure.gamma, 0, 0, 0, through, sums, &all);
        for (size_t k = 0; k < n[p] * m[p]; k++)
            check_number(wwt_value(r.alignment, WW_FLOAT, at + k), sums[k] / all, 1, 1e-4, "E", k);
        // Every path begins and ends in the corners.
        check_number(wwt_value(r.alignment, WW_FLOAT, at), 1, 1, 1e-5, "E(1,1)", p);
        check_number(wwt_value(r.alignment, WW_FLOAT, at + n[p] * m[p] - 1), 1, 1, 0, "E(n,m)", p);
    }
    free_result(&r);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// The weights' slopes times their weights are the value of WDTW with the hard minimum, which is linear in them; and the
// slope by w_max is their sum with w/w_max.
START_TEST(weights) {
    ww_measure measure = wwt_measure(WW_WDTW);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    setup();
    options.weights = options.parameters = 1;
    const size_t n[] = {19, 8}, m[] = {11, 30};
    wwt_set x = wwt_set_make(1, n, 2), y = wwt_set_make(1, m, 2);
    result r = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
    for (size_t p = 0; p < 2; p++) {
        const double longer = n[p] > m[p] ? (double)n[p] : (double)m[p];
        double sum = 0;
        for (size_t l = 0; l < 30; l++) {
            const double slope = wwt_value(r.weights, WW_FLOAT, p * 30 + l);
            ck_assert(l < (size_t)longer || slope == 0);
            sum += slope / (1 + exp(-0.05 * ((double)l - longer / 2)));
        }
        check_number(sum, wwt_value(r.values, WW_FLOAT, p), 1 + fabs(sum), 1e-5, "sum over weights", p);
        check_number(wwt_value(r.parameters, WW_FLOAT, 2 * p + 1), sum, 1 + fabs(sum), 1e-5, "by w_max", p);
    }
    free_result(&r);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// ---- gamma

// From 1e-4 to 1e4 on walks and noise: finite, and the value that the reference has; the alignment's rows of a column
// sum to at least 1; for a small gamma the gradient is that of the hard minimum.
START_TEST(gammas) {
    static const double values_of_gamma[] = {1e-4, 1e-2, 1, 1e2, 1e4};
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    const ww_precision precision = wwt_device_has_double() && _i % 2 ? WW_DOUBLE : WW_FLOAT;
    setup();
    const size_t n[] = {70, 64}, m[] = {64, 77};
    wwt_set x = wwt_set_make(1, n, 2), y = wwt_set_make(1, m, 2);
    for (size_t k = 0; k < 64; k++) // noise
        x.values[x.offsets[1] + k] = 3 * wwt_random();
    ww_measure measure = wwt_measure(WW_DTW);
    result hard = matched(&measure, &x, &y, precision, &options, NULL);
    measure.gamma = values_of_gamma[_i];
    result r = matched(&measure, &x, &y, precision, &options, NULL);
    for (size_t p = 0; p < 2; p++) {
        const wwr_series a = wwt_series(&x, p), b = wwt_series(&y, p);
        const double expected = wwr_distance(&measure, NULL, &a, &b);
        check_number(wwt_value(r.values, precision, p), expected, fabs(expected) + measure.gamma * 150,
                     wwt_tolerance(precision), "value", p);
    }
    double size = 0, apart = 0;
    for (size_t k = 0; k < r.info.rows; k++) {
        ck_assert(isfinite(wwt_value(r.rows, precision, k)));
        size = fmax(size, fabs(wwt_value(hard.rows, precision, k)));
        apart = fmax(apart, fabs(wwt_value(hard.rows, precision, k) - wwt_value(r.rows, precision, k)));
    }
    if (values_of_gamma[_i] < 1e-3)
        ck_assert_msg(apart < 1e-3 * size, "hard and soft gradients are %g apart, of %g", apart, size);
    if (precision == WW_DOUBLE)
        check(&measure, &x, &y, precision, &r, NULL, false);
    free_result(&r);
    free_result(&hard);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// ---- tiles of soft-DTW

// The texts that GPUs take (gradient_soft_*.cl), here on any device, against those of all measures, in double where
// there is double. Few pairs; pairs side by side; a work-item a pair; segments; on GPUs the second and third without
// strips that wait. z-normalised walks and noise; the latter also with pairs in the lanes of vectors. Then points of
// several channels with slopes of up to 50, summed by tiles or from a table: the error is a share of them.
typedef struct tile_form {
    int way, products, divergence;
    size_t channels;
    ww_cost cost;
} tile_form;
static const tile_form several[] = {{0, 1, 1, 2, WW_COST_EUCLIDEAN}, {1, 1, 0, 5, WW_COST_SQUARED},
                                    {2, 1, 0, 3, WW_COST_ABSOLUTE},  {3, 0, 1, 2, WW_COST_SQUARED},
                                    {3, 1, 0, 8, WW_COST_EUCLIDEAN}, {2, 1, 1, 12, WW_COST_SQUARED},
                                    {4, 1, 0, 7, WW_COST_SQUARED},   {5, 1, 0, 4, WW_COST_SQUARED}};
enum { TILE_WAYS = 13, SEVERAL = sizeof several / sizeof *several };
START_TEST(tiles) {
    static const double values_of_gamma[] = {1e-2, 0.1, 1, 10, 1e4};
    enum { PAIRS = 35 };
    const bool one = _i < TILE_WAYS, packed = _i == TILE_WAYS - 1;
    const tile_form by =
        one ? (tile_form){packed ? 2 : _i / 2, _i % 2, 0, 1, WW_COST_DEFAULT} : several[_i - TILE_WAYS];
    const size_t few[] = {150, 61, 1, 40}, across[] = {131, 90, 47, 1};
    size_t n[PAIRS], m[PAIRS];
    const size_t pairs = by.way == 0 || by.way == 3 ? 4 : PAIRS;
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    setup();
    if (by.way >= 4 && !wwt_device_is_gpu())
        return;
    for (size_t p = 0; p < pairs; p++) {
        n[p] = pairs == PAIRS ? wwt_random_size(1, 70) : few[p];
        m[p] = pairs == PAIRS ? wwt_random_size(1, 70) : across[p];
    }
    wwt_set x = wwt_set_make(by.channels, n, pairs), y = wwt_set_make(by.channels, m, pairs);
    for (size_t k = 0; k < n[0]; k++) // noise
        x.values[x.offsets[0] + k] = 2 * wwt_random();
    const ww_precision wide = wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    ww_measure measure = wwt_measure(WW_DTW);
    measure.cost = by.cost;
    options.divergence = by.divergence;
    for (size_t g = one ? 0 : 1; g < sizeof values_of_gamma / sizeof *values_of_gamma; g++) {
        measure.gamma = values_of_gamma[g] * (double)by.channels;
        options.run = NULL;
        wwt_ok(wwi_tuning_try(wwt_context, "form.wave", NULL, 0));
        wwt_ok(wwi_tuning_try(wwt_context, "form.tiles", NULL, 0));
        wwt_ok(wwi_tuning_try(wwt_context, "gradient.fill", NULL, 1 << 20));
        result expected = matched(&measure, &x, &y, wide, &options, NULL);
        wwt_ok(wwi_tuning_try(wwt_context, "form.tiles", NULL, packed ? 0 : 1 + by.products));
        wwt_ok(wwi_tuning_try(wwt_context, "form.several", NULL, !one));
        wwt_ok(wwi_tuning_try(wwt_context, "gradient.fill", NULL, by.way == 2 || by.way == 5 ? 0 : 1 << 20));
        wwt_ok(wwi_tuning_try(wwt_context, "form.chain", NULL, by.way < 4));
        if (by.way == 3) {
            limits.max_bytes = 10000 + 5000 * by.channels + (by.channels > 7 ? 65000 : 0);
            options.run = &limits;
        }
        result got = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
        ck_assert(by.way != 3 || got.info.segments >= 3);
        for (size_t p = 0; p < pairs; p++) {
            const double value = wwt_value(expected.values, wide, p);
            check_number(wwt_value(got.values, WW_FLOAT, p), value, fabs(value) + measure.gamma * (double)(n[p] + m[p]),
                         wwt_tolerance(WW_FLOAT), "value", p);
        }
        for (size_t side = 0; side < 2; side++)
            for (size_t k = 0; k < (side ? got.info.columns : got.info.rows); k++) {
                const double slope = wwt_value(side ? expected.columns : expected.rows, wide, k);
                check_number(wwt_value(side ? got.columns : got.rows, WW_FLOAT, k), slope,
                             one ? 10 : fmax(10, fabs(slope)), 2e-4, side ? "by column" : "by row", k);
            }
        free_result(&expected);
        free_result(&got);
    }
    wwt_ok(wwi_tuning_try(wwt_context, "form.tiles", NULL, 0));
    wwt_ok(wwi_tuning_try(wwt_context, "form.chain", NULL, 1));
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// On a CPU a vector of pairs for every other core is enough for a launch a pass; its bits are those by diagonals.
START_TEST(launches) {
    enum { UNITS = 64, FEW = 7 };
    setup();
    const size_t units = wwi_context_info(wwt_context)->compute_units, count = 16 * (units < UNITS ? units : UNITS);
    size_t n[16 * UNITS], m[16 * UNITS];
    if (wwt_device_is_gpu() || units > UNITS)
        return;
    for (size_t p = 0; p < count; p++) {
        n[p] = wwt_random_size(30, 60);
        m[p] = wwt_random_size(30, 60);
    }
    wwt_set x = wwt_set_make(1, n, count), y = wwt_set_make(1, m, count);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_measure measure = wwt_measure(WW_DTW);
    measure.gamma = _i;
    result at_once = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
    wwt_ok(wwi_tuning_try(wwt_context, "gradient.fill", NULL, 1 << 20));
    result by_diagonals = matched(&measure, &x, &y, WW_FLOAT, &options, NULL);
    ck_assert_uint_le(at_once.info.launches, FEW);
    ck_assert_uint_gt(by_diagonals.info.launches, FEW);
    ck_assert_mem_eq(at_once.values, by_diagonals.values, count * sizeof(float));
    ck_assert_mem_eq(at_once.rows, by_diagonals.rows, at_once.info.rows * sizeof(float));
    ck_assert_mem_eq(at_once.columns, by_diagonals.columns, at_once.info.columns * sizeof(float));
    free_result(&at_once);
    free_result(&by_diagonals);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// ---- refusals

static int stop(void *user, uint64_t done, uint64_t total) {
    if (total <= 1) // a compile, before the work is counted
        return 0;
    (void)done;
    return ++*(int *)user > 0;
}

// Differences beyond float beside a value that is right: the slope is not.
START_TEST(too_large) {
    enum { POINTS = 6 };
    const float values[] = {3e38f, -3e38f, 3e38f, -3e38f, 3e38f, -3e38f};
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset *set = NULL;
    ww_gradient *gradient = NULL;
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    float value, slopes[POINTS];
    view.values = values;
    view.count = 1;
    view.length = POINTS;
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &set));
    ww_measure measure = wwt_measure(WW_DTW);
    measure.gamma = _i;
    wwt_ok(ww_gradient_create_pairs(&measure, set, set, NULL, NULL, 1, NULL, &gradient));
    const ww_output to_value = WW_OUTPUT_HOST(&value), to_slopes = WW_OUTPUT_HOST(slopes);
    outputs.values = &to_value;
    wwt_ok(ww_gradient_run(gradient, &outputs));
    ck_assert_double_eq((double)value, 0);
    outputs.rows = &to_slopes;
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_OVERFLOW);
    outputs.values = NULL;
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_OVERFLOW);
    ww_gradient_destroy(&gradient);
    ww_dataset_destroy(&set);
}
END_TEST

START_TEST(refusals) {
    static const ww_measure_id without[] = {WW_EDR, WW_LCSS, WW_LEVENSHTEIN, WW_LCS};
    const size_t lengths[] = {5, 7};
    wwt_set x = wwt_set_make(1, lengths, 2);
    ww_dataset *rows = wwt_dataset(&x, WW_FLOAT);
    ww_gradient *gradient = NULL;
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    ww_measure measure;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        measure = wwt_measure(without[i]);
        wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, NULL, &gradient), WW_ERROR_UNSUPPORTED);
    }
    measure = wwt_measure(WW_DTW);
    measure.relax_begin_y = 1;
    wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, NULL, &gradient), WW_ERROR_UNSUPPORTED);
    measure = wwt_measure(WW_DTW);
    measure.cost = WW_COST_USER;
    measure.cost_expression = "fabs(x - y)";
    wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, NULL, &gradient), WW_ERROR_UNSUPPORTED);
    measure = wwt_measure(WW_DTW);
    measure.gamma = -1;
    wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, NULL, &gradient), WW_ERROR_INVALID_ARGUMENT);
    measure.gamma = (double)NAN;
    wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, NULL, &gradient), WW_ERROR_INVALID_ARGUMENT);
    measure.gamma = 1;
    options.weights = 1;
    wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, &options, &gradient), WW_ERROR_UNSUPPORTED);
    options.weights = 0;
    options.parameters = 1;
    wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, &options, &gradient), WW_ERROR_UNSUPPORTED);
    options.parameters = 0;
    const size_t bad[] = {2};
    wwt_fails(ww_gradient_create_pairs(&measure, rows, rows, bad, bad, 1, &options, &gradient),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_gradient_create_pairs(&measure, rows, rows, bad, bad, 0, &options, &gradient), WW_ERROR_EMPTY);
    measure.band.kind = WW_BAND_SAKOE_CHIBA;
    measure.band.width = 1;
    wwt_fails(ww_gradient_create_matrix(&measure, rows, NULL, NULL, &gradient), WW_ERROR_NO_PATH);
    measure.band = (ww_band){.kind = WW_BAND_NONE};

    wwt_ok(ww_gradient_create_matrix(&measure, rows, NULL, NULL, &gradient));
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_INVALID_ARGUMENT);
    float values[4], factors[4] = {1, (float)NAN, 1, 1};
    const ww_output to = WW_OUTPUT_HOST(values);
    outputs.alignment = &to;
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_INVALID_ARGUMENT);
    outputs.alignment = NULL;
    outputs.values = &to;
    outputs.upstream = factors;
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_NOT_FINITE);
    outputs.upstream = NULL;
    wwt_ok(ww_gradient_run(gradient, &outputs));
    ww_gradient_destroy(&gradient);

    int calls = 0;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    limits.progress = stop;
    limits.progress_user = &calls;
    options.run = &limits;
    wwt_ok(ww_gradient_create_matrix(&measure, rows, NULL, &options, &gradient));
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_CANCELLED);
    ww_gradient_destroy(&gradient);
    ww_dataset_destroy(&rows);
    wwt_set_free(&x);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("gradient");
    wwt_add(suite, measures, SUBJECTS);
    wwt_add(suite, segments, 2);
    wwt_add(suite, bands, 3);
    wwt_add(suite, matrices, 2);
    wwt_add(suite, alignments, 2);
    wwt_add(suite, weights, 1);
    wwt_add(suite, gammas, 5);
    wwt_add(suite, tiles, TILE_WAYS + SEVERAL);
    wwt_add(suite, launches, 2);
    wwt_add(suite, too_large, 2);
    wwt_add(suite, refusals, 1);
    return wwt_run(suite);
}
