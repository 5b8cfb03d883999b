// SPDX-License-Identifier: Apache-2.0
// The input series of the bench, and a sample of correct results for comparison.
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "../tests/reference/reference.h"

// Different series kept in host memory. A prime, so that an engine that is wrong by a power of two gets another series.
#define DIFFERENT 251

// Most cells of the plain reference for one case, and the size of a pair above which the diagonal form is used.
#define REFERENCE_CELLS 4e7
#define LONG_CELLS 3e7

static double uniform(uint64_t *state) {
    return (double)(bench_random(state) >> 11) * 0x1p-53;
}

static void random_walk(double *walk, size_t length, uint64_t *state) {
    double level = 0, sum = 0, squares = 0;
    for (size_t t = 0; t < length; t++) {
        level += uniform(state) - 0.5;
        walk[t] = level;
        sum += level;
        squares += level * level;
    }
    double mean = sum / (double)length;
    double deviation = sqrt(fmax(squares / (double)length - mean * mean, 0));
    for (size_t t = 0; t < length; t++)
        walk[t] = deviation > 0 ? (walk[t] - mean) / deviation : 0;
}

int bench_data_make(bench_data *data, size_t count, size_t min_length, size_t max_length, size_t symbols,
                    ww_precision precision, uint64_t seed) {
    size_t different = count < DIFFERENT ? count : DIFFERENT;
    size_t size = precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    double *walk = malloc(max_length * sizeof *walk);

    *data = (bench_data){WW_SERIES_VIEW_INIT, NULL, NULL, NULL, 0};
    data->lengths = malloc(count * sizeof *data->lengths);
    data->offsets = malloc(count * sizeof *data->offsets);
    data->values = malloc(different * max_length * size);
    if (!walk || !data->lengths || !data->offsets || !data->values) {
        free(walk);
        bench_data_free(data);
        return 0;
    }
    for (size_t i = 0; i < different; i++) {
        data->lengths[i] = min_length + (size_t)(bench_random(&state) % (max_length - min_length + 1));
        data->offsets[i] = i * max_length;
        random_walk(walk, data->lengths[i], &state);
        for (size_t t = 0; symbols && t < data->lengths[i]; t++)
            walk[t] = (double)(bench_random(&state) % symbols);
        for (size_t t = 0; t < data->lengths[i]; t++) {
            if (precision == WW_DOUBLE)
                ((double *)data->values)[i * max_length + t] = walk[t];
            else
                ((float *)data->values)[i * max_length + t] = (float)walk[t];
        }
    }
    for (size_t i = 0; i < count; i++) {
        data->lengths[i] = data->lengths[i % different];
        data->offsets[i] = data->offsets[i % different];
        data->total += data->lengths[i];
    }
    data->view.values = data->values;
    data->view.precision = precision;
    data->view.count = count;
    data->view.length = min_length;
    data->view.lengths = min_length == max_length ? NULL : data->lengths;
    data->view.offsets = data->offsets;
    free(walk);
    return 1;
}

double bench_data_value(const bench_data *data, size_t t) {
    t %= data->lengths[0];
    return data->view.precision == WW_DOUBLE ? ((const double *)data->values)[t]
                                             : (double)((const float *)data->values)[t];
}

void bench_data_free(bench_data *data) {
    free(data->lengths);
    free(data->offsets);
    free(data->values);
    *data = (bench_data){WW_SERIES_VIEW_INIT, NULL, NULL, NULL, 0};
}

static double *series_in_double(const bench_data *data, size_t i) {
    double *values = malloc(data->lengths[i] * sizeof *values);
    for (size_t t = 0; values && t < data->lengths[i]; t++) {
        size_t at = data->offsets[i] + t;
        values[t] = data->view.precision == WW_DOUBLE ? ((const double *)data->values)[at]
                                                      : (double)((const float *)data->values)[at];
    }
    return values;
}

static double expected(const ww_measure *measure, const wwr_series *x, const wwr_series *y) {
    double result;
    if (measure->band.kind == WW_BAND_NONE && (double)x->length * (double)y->length > LONG_CELLS &&
        bench_long_pair(measure->id, x->values, x->length, y->values, y->length, &result))
        return result;
    return wwr_distance(measure, NULL, x, y);
}

int bench_verify(const bench_case *c, const ww_measure *measure, const bench_data *rows, const bench_data *columns,
                 const void *distances, bench_result *result) {
    uint64_t state = 77;
    double cells = 0;
    size_t pairs = rows->view.count * columns->view.count;
    double longest = 0;

    result->verified = 0;
    result->error = 0;
    while (result->verified < 64 && result->verified < 2 * pairs &&
           (result->verified == 0 || cells < REFERENCE_CELLS)) {
        // The first and the last pair always, then random ones.
        uint64_t pair = result->verified == 0 ? 0 : result->verified == 1 ? pairs - 1 : bench_random(&state) % pairs;
        size_t i = (size_t)pair / columns->view.count, j = (size_t)pair % columns->view.count;
        double *x = series_in_double(rows, i), *y = series_in_double(columns, j);
        if (!x || !y) {
            free(x);
            free(y);
            return -1;
        }
        wwr_series a = {x, rows->lengths[i], 1}, b = {y, columns->lengths[j], 1};
        double want = expected(measure, &a, &b);
        double got =
            c->precision == WW_DOUBLE ? ((const double *)distances)[pair] : (double)((const float *)distances)[pair];
        double error = want == got ? 0 : fabs(got - want) / fmax(fabs(want), 1e-6);
        // NaN counts as an infinite error, because its comparisons are all false.
        if (!(error <= result->error))
            result->error = error >= 0 ? error : INFINITY;
        cells += (double)a.length * (double)b.length;
        longest = fmax(longest, (double)(a.length + b.length));
        result->verified++;
        free(x);
        free(y);
    }
    // Rounding of a sum grows with its length; the bound is stated for the usual lengths.
    result->allowed = (c->precision == WW_DOUBLE ? 1e-12 : 1e-5) * fmax(1, longest / 2048);
    return 0;
}
