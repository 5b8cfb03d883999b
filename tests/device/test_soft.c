// SPDX-License-Identifier: Apache-2.0
// Soft minima: the stated error of values from gamma 1e-4 to 1e4 in every engine, of slopes from 1e-2 to 1e25, and soft
// barycentres.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "learn/average.h"
#include "learn/lbfgs.h"
#include "reference/choices.h"
#include "reference/slopes_reference.h"
#include "support.h"

// ---- values

static const double gammas[] = {1e-4, 1e-2, 0.1, 1, 10, 1e2, 1e4};
enum { GAMMAS = sizeof gammas / sizeof *gammas };

static double soft_value(const ww_measure *measure, const wwt_set *x, size_t i, const wwt_set *y, size_t j) {
    const wwr_series a = wwt_series(x, i), b = wwt_series(y, j);
    return wwr_distance(measure, NULL, &a, &b);
}

// The bound of docs/measures.md: 1e-5 of the value and of gamma times the number of points. A matrix, or matched pairs.
static void check_values(const wwt_set *x, const wwt_set *y, ww_precision precision, ww_engine engine, bool list) {
    ww_measure measure = wwt_measure(WW_DTW);
    const ww_plan_options options = wwt_engine(engine);
    for (int g = 0; g < GAMMAS; g++) {
        measure.gamma = gammas[g];
        void *got =
            list ? wwt_pairs(&measure, x, y, precision, &options) : wwt_matrix(&measure, x, y, precision, &options);
        if (!got)
            return;
        for (size_t i = 0; i < x->count; i++)
            for (size_t j = list ? i : 0; j < (list ? i + 1 : y->count); j++) {
                const double expected = soft_value(&measure, x, i, y, j);
                const double value = wwt_value(got, precision, list ? i : i * y->count + j);
                const double allowed =
                    wwt_tolerance(precision) * (fabs(expected) + gammas[g] * (double)(x->lengths[i] + y->lengths[j]));
                ck_assert_msg(fabs(value - expected) <= allowed,
                              "gamma %g, engine %s, (%zu, %zu): %.10g, expected %.10g", gammas[g],
                              ww_word(WW_WORD_ENGINE, engine), i, j, value, expected);
            }
        wwt_guarded_free(got);
    }
}

static void fill(wwt_set *set, int kind) {
    for (size_t i = 0; i < set->count; i++) {
        double *v = set->values + set->offsets[i], sum = 0, squares = 0;
        const size_t n = set->lengths[i];
        for (size_t t = 0; kind == 0 && t < n; t++)
            v[t] = 2 * wwt_random();
        for (size_t t = 0; t < n; t++) {
            sum += v[t];
            squares += v[t] * v[t];
        }
        const double mean = sum / (double)n, deviation = sqrt(squares / (double)n - mean * mean);
        for (size_t t = 0; t < n; t++)
            v[t] = (double)(float)((v[t] - mean) / (deviation > 0 ? deviation : 1));
    }
}

// Noise and walks, z-normalised.
START_TEST(values) {
    static const ww_engine engines[] = {WW_ENGINE_PACKED, WW_ENGINE_LANES, WW_ENGINE_STRIPS};
    const size_t n[] = {97, 128, 64}, m[] = {128, 80, 111};
    wwt_seed((unsigned)_i);
    wwt_set x = wwt_set_make(1, n, 3), y = wwt_set_make(1, m, 3);
    fill(&x, _i % 2);
    fill(&y, _i % 2);
    check_values(&x, &y, WW_FLOAT, engines[_i / 2], false);
    if (wwt_device_has_double() && _i == 2)
        check_values(&x, &y, WW_DOUBLE, engines[_i / 2], false);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// A work-item a pair, in tiles (kernels_cl/engine/packed_soft.cl), the text that GPUs take: here on any device. Ragged
// packs, strips that end behind a series, tiles that products can't hold beside those that they can.
START_TEST(tiles) {
    const size_t n[] = {203, 128, 97, 1, 60, 9}, m[] = {131, 200, 8, 77};
    const int kind = _i % 2, list = _i / 2 % 2;
    wwt_seed((unsigned)_i);
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, 1));
    wwt_ok(wwi_tuning_try(wwt_context, "form.tiles", NULL, (_i + 2) / 4 + 1));
    wwt_ok(wwi_tuning_try(wwt_context, "packed.tile_columns", NULL, list ? 16 : 8));
    wwt_set x = wwt_set_make(1, n, list ? 4 : 6), y = wwt_set_make(1, m, 4);
    fill(&x, kind);
    fill(&y, kind);
    check_values(&x, &y, WW_FLOAT, WW_ENGINE_PACKED, list);
    wwt_set_free(&x);
    wwt_set_free(&y);
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, 0));
}
END_TEST

// Real series.
START_TEST(real_series) {
    const char *folder = getenv("WAVEWARP_TEST_DATA");
    char path[1024];
    ww_series_set *set = NULL;
    snprintf(path, sizeof path, "%s/GunPoint/GunPoint_TRAIN.ts", folder ? folder : "");
    if (!folder || ww_series_set_read(path, NULL, &set) != WW_OK)
        return;
    size_t lengths[6];
    for (size_t i = 0; i < 6; i++)
        lengths[i] = ww_series_set_length(set, i);
    wwt_set x = wwt_set_make(1, lengths, 6);
    for (size_t i = 0; i < 6; i++)
        memcpy(x.values + x.offsets[i], ww_series_set_values(set, i), lengths[i] * sizeof(double));
    check_values(&x, &x, WW_FLOAT, WW_ENGINE_PACKED, false);
    wwt_set_free(&x);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- the search alone

static ww_status valley(void *user, const double *at, size_t count, double *value, double *gradient) {
    (void)count;
    ++*(int *)user;
    const double a = 1 - at[0], b = at[1] - at[0] * at[0];
    *value = a * a + 100 * b * b;
    gradient[0] = -2 * a - 400 * at[0] * b;
    gradient[1] = 200 * b;
    return WW_OK;
}

static bool go_on(void *user, size_t step, double value) {
    (void)user;
    (void)step;
    (void)value;
    return false;
}

static ww_status cliff(void *user, const double *at, size_t count, double *value, double *gradient) {
    (void)user;
    // The gradient promises what the value does not keep.
    *value = fabs(at[0]);
    for (size_t i = 0; i < count; i++)
        gradient[i] = 1;
    return WW_OK;
}

START_TEST(search) {
    double at[] = {-1.2, 1};
    int calls = 0;
    wwi_lbfgs_result found;
    wwt_ok(wwi_lbfgs(valley, go_on, &calls, at, 2, 200, &found));
    ck_assert(fabs(at[0] - 1) < 1e-5 && fabs(at[1] - 1) < 1e-5);
    ck_assert(found.value < 1e-12 && found.value <= found.start && calls < 150);
    double flat[] = {0, 5};
    wwt_ok(wwi_lbfgs(cliff, go_on, NULL, flat, 2, 10, &found));
    ck_assert(found.stuck && found.steps == 0 && flat[0] == 0 && flat[1] == 5);
}
END_TEST

// ---- barycentres

static double total(const ww_measure *measure, const wwt_set *set, const double *weights, const double *centre,
                    size_t length) {
    double sum = 0;
    for (size_t k = 0; k < set->count; k++) {
        const wwr_series z = {centre, length, set->channels}, x = wwt_series(set, k);
        sum += weights[k] * wwr_distance(measure, NULL, &z, &x);
    }
    return sum;
}

// The objective never rises, ends where the reference's does, and at a place where the reference's slopes are small.
START_TEST(barycentres) {
    const ww_precision precision = _i == 1 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    const size_t channels = _i == 2 ? 2 : 1, lengths[] = {30, 24, 35, 30, 28}, length = 26;
    double weights[] = {1, 2, 0.5, 0, 1}, objective[61], before, *centre = calloc(length * channels, sizeof *centre);
    ck_assert_ptr_nonnull(centre);
    wwt_seed((unsigned)(40 + _i));
    wwt_set set = wwt_set_make(channels, lengths, 5);
    const ww_series_view view = wwt_view(&set);
    ww_measure measure = wwt_measure(_i == 3 ? WW_ADTW : WW_DTW);
    measure.gamma = 0.5;
    for (size_t i = 0; i < length * channels; i++)
        centre[i] = wwt_random();
    before = total(&measure, &set, weights, centre, length);
    wwi_average a = {.context = wwt_context, .measure = measure, .view = view, .weights = weights};
    a.precision = precision;
    a.count = view.count;
    a.length = length;
    a.channels = channels;
    a.options = (ww_average_options)WW_AVERAGE_OPTIONS_INIT;
    a.options.iterations = 60;
    a.options.tolerance = 1e-7;
    a.result.centre = centre;
    a.result.objective = objective;
    wwt_ok(wwi_average_soft(&a));
    ck_assert_uint_gt(a.result.iterations, 3);
    ck_assert(fabs(objective[0] - before) <= 1e-5 * (fabs(before) + 100));
    for (size_t k = 0; k < a.result.iterations; k++)
        ck_assert(objective[k + 1] < objective[k]);
    const double after = total(&measure, &set, weights, centre, length);
    ck_assert(fabs(objective[a.result.iterations] - after) <= 1e-5 * (fabs(after) + 100));
    ck_assert(after < before);
    for (size_t i = 0; i < length * channels && a.result.converged; i++) {
        const double kept = centre[i];
        centre[i] = kept + 1e-4;
        const double above = total(&measure, &set, weights, centre, length);
        centre[i] = kept - 1e-4;
        const double slope = (above - total(&measure, &set, weights, centre, length)) / 2e-4;
        centre[i] = kept;
        ck_assert_msg(fabs(slope) < 0.05 * before, "slope %g at value %zu, from %g to %g", slope, i, before, after);
    }
    // No iteration: the start and its objective.
    a.options.iterations = 0;
    wwt_ok(wwi_average_soft(&a));
    ck_assert_uint_eq(a.result.iterations, 0);
    a.measure.gamma = 0;
    wwt_fails(wwi_average_soft(&a), WW_ERROR_UNSUPPORTED);
    wwt_set_free(&set);
    free(centre);
}
END_TEST

// ---- slopes

// The bound of docs/gradient.md, of values, and of slopes by one series; what the reference's differences make is
// added.
static void check_slopes(const ww_measure *measure, const wwr_series *x, const wwr_series *y, ww_precision precision,
                         const void *found_values, const void *found_slopes[2], const size_t at[3]) {
    double expected[2][64 * 2], most = 0;
    const double value = wwr_soft_slopes(measure, x, y, expected[0], expected[1]),
                 points = (double)(x->length + y->length);
    const double unit = precision == WW_DOUBLE ? 0x1p-53 : 0x1p-24,
                 allowed = 2 * unit * (points + fabs(value) / measure->gamma) + 3e-11;
    const size_t counts[2] = {x->length * x->channels, y->length * y->channels};
    ck_assert(fabs(wwt_value(found_values, precision, at[0]) - value) <=
              wwt_tolerance(precision) * (fabs(value) + measure->gamma * points));
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < counts[side]; k++)
            most = fmax(most, fabs(expected[side][k]));
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < counts[side]; k++) {
            const double found = wwt_value(found_slopes[side], precision, at[1 + side] + k);
            ck_assert_msg(fabs(found - expected[side][k]) <= allowed * most,
                          "%s, gamma %g, %zu x %zu, by %s %zu: %.17g, expected %.17g, allowed %g of %g",
                          ww_measure_info_by_id(measure->id)->name, measure->gamma, x->length, y->length,
                          side ? "column" : "row", k, found, expected[side][k], allowed, most);
        }
}

// All measures with a soft minimum whose slopes have a reference, at any gamma.
START_TEST(slopes) {
    static const double each[] = {1e-2, 1, 1e2, 1e6, 1e12, 1e25};
    static const struct {
        ww_measure_id id;
        size_t channels;
    } of[] = {{WW_DTW, 2}, {WW_WDTW, 1}, {WW_ADTW, 1}, {WW_ERP, 1}, {WW_ERP, 2}, {WW_MSM, 1}, {WW_TWED, 2}};
    static const size_t n[] = {12, 33, 64, 1, 40}, m[] = {9, 40, 60, 5, 1};
    const ww_precision precision = _i % 2 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    ww_measure measure = wwt_measure(of[_i / 2].id);
    const size_t channels = of[_i / 2].channels;
    wwt_seed(8800 + (unsigned)_i);
    if (measure.id == WW_ERP)
        wwt_ok(ww_measure_set(&measure, "g", 0.375));
    wwt_set x = wwt_set_make(channels, n, 5), y = wwt_set_make(channels, m, 5);
    ww_dataset *rows = wwt_dataset(&x, precision), *columns = wwt_dataset(&y, precision);
    for (size_t g = 0; g < sizeof each / sizeof *each; g++) {
        ww_gradient *gradient = NULL;
        ww_gradient_info info = WW_GRADIENT_INFO_INIT;
        ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
        measure.gamma = each[g];
        wwt_ok(ww_gradient_create_pairs(&measure, rows, columns, NULL, NULL, 5, NULL, &gradient));
        wwt_ok(ww_gradient_get_info(gradient, &info));
        void *value = wwt_guarded(info.pairs, precision), *by_x = wwt_guarded(info.rows, precision),
             *by_y = wwt_guarded(info.columns, precision);
        const ww_output outputs[] = {WW_OUTPUT_HOST(value), WW_OUTPUT_HOST(by_x), WW_OUTPUT_HOST(by_y)};
        to.values = &outputs[0];
        to.rows = &outputs[1];
        to.columns = &outputs[2];
        wwt_ok(ww_gradient_run(gradient, &to));
        const void *got[2] = {by_x, by_y};
        for (size_t p = 0, x_at = 0, y_at = 0; p < 5; x_at += n[p] * channels, y_at += m[p] * channels, p++) {
            const wwr_series a = wwt_series(&x, p), b = wwt_series(&y, p);
            check_slopes(&measure, &a, &b, precision, value, got, (size_t[]){p, x_at, y_at});
        }
        wwt_guarded_free(value);
        wwt_guarded_free(by_x);
        wwt_guarded_free(by_y);
        ww_gradient_destroy(&gradient);
    }
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("soft");
    wwt_add(suite, values, 8);
    wwt_add(suite, tiles, 6);
    wwt_add(suite, real_series, 1);
    wwt_add(suite, search, 1);
    wwt_add(suite, barycentres, 4);
    wwt_add(suite, slopes, 14);
    return wwt_run(suite);
}
