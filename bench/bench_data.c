// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "../tests/reference/reference.h"

// Different series kept in host memory. A prime, so that an engine that is wrong by a power of two gets another series.
#define DIFFERENT 251

// Cells the plain reference is given for one case, and the pair above which the diagonal form takes over.
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

int bench_data_make(bench_data *data, size_t count, size_t min_length, size_t max_length, ww_precision precision,
                    uint64_t seed) {
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

// DTW, squared cost, no band, in double along the anti-diagonals: the reference's recurrence in an order that a
// compiler can vectorise, for pairs that would take it minutes. Negative when there is no memory.
static double dtw_by_diagonals(const double *x, size_t n, const double *y, size_t m) {
    double *memory = malloc((3 * (n + 1) + m) * sizeof *memory);
    if (!memory)
        return -1;
    double *before = memory, *last = memory + n + 1, *now = memory + 2 * (n + 1), *reversed = memory + 3 * (n + 1);
    for (size_t j = 0; j < m; j++)
        reversed[m - 1 - j] = y[j];
    // Diagonal d holds the cells (i, d - i), at index i. Diagonals 0 and 1 are borders: D(0,0) = 0, all else infinite.
    for (size_t i = 0; i <= n; i++)
        before[i] = last[i] = now[i] = INFINITY;
    before[0] = 0;
    for (size_t d = 2; d <= n + m; d++) {
        size_t first = d > m ? d - m : 1, end = d - 1 < n ? d - 1 : n;
        for (size_t i = first; i <= end; i++) {
            // y_j with j = d - i stands at reversed[m - j].
            double difference = x[i - 1] - reversed[m + i - d];
            double up = last[i - 1], left = last[i], diagonal = before[i - 1];
            double least = up < left ? up : left;
            least = diagonal < least ? diagonal : least;
            now[i] = difference * difference + least;
        }
        now[0] = INFINITY;
        if (first > 1)
            now[first - 1] = INFINITY;
        if (end < n)
            now[end + 1] = INFINITY;
        double *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    double result = last[n];
    free(memory);
    return result;
}

static double expected(const ww_measure *measure, const wwr_series *x, const wwr_series *y) {
    int plain = measure->id == WW_DTW && measure->cost == WW_COST_DEFAULT && measure->band.kind == WW_BAND_NONE;
    if (plain && (double)x->length * (double)y->length > LONG_CELLS)
        return dtw_by_diagonals(x->values, x->length, y->values, y->length);
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
        // The first and the last pair always, then any.
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
        // NaN is as wrong as can be, and compares as nothing.
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

double bench_textbook(size_t n, size_t m, double seconds) {
    float *x = malloc((n + 3 * m + 2) * sizeof *x);
    double samples[64], begin = bench_seconds();
    size_t count = 0;
    uint64_t state = 5;
    volatile float sink = 0;

    if (!x)
        return 0;
    float *y = x + n, *rows = y + m;
    for (size_t t = 0; t < n + m; t++)
        x[t] = (float)uniform(&state);
    size_t repeats = 1 + (size_t)(4e6 / ((double)n * (double)m));
    do {
        double start = bench_seconds();
        for (size_t k = 0; k < repeats; k++)
            sink = sink + wwr_dtw_float(x, n, y, m, rows);
        samples[count++] = bench_seconds() - start;
    } while (count < 64 && (count < 3 || bench_seconds() - begin < seconds));
    free(x);
    return (double)repeats * (double)n * (double)m / bench_summary(samples, count).median;
}
