// SPDX-License-Identifier: Apache-2.0
// Shape-based distances against plain sums in double: lengths, channels, precisions, runs of rows; k-shape's refusals
// and ends.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/shape.h>

#include "support.h"

// A z-normalised channel; all 0 where it is constant.
static void normalise(double *x, size_t n) {
    double mean = 0, square = 0;
    for (size_t t = 0; t < n; t++)
        mean += x[t] / (double)n;
    for (size_t t = 0; t < n; t++)
        square += (x[t] - mean) * (x[t] - mean) / (double)n;
    for (size_t t = 0; t < n; t++)
        x[t] = square > 1e-20 ? (x[t] - mean) / sqrt(square) : 0;
}

static double *prepared(const wwr_series *s, bool raw) {
    double *x = malloc(s->length * s->channels * sizeof *x);
    memcpy(x, s->values, s->length * s->channels * sizeof *x);
    for (size_t c = 0; c < s->channels && !raw; c++)
        normalise(x + c * s->length, s->length);
    return x;
}

// 1 - the largest sum over all shifts, and whether `shift` has it, but for rounding.
static double reference(const wwr_series *a, const wwr_series *b, bool raw, int32_t shift, bool *has) {
    double *x = prepared(a, raw), *y = prepared(b, raw), xx = 0, yy = 0, best = -INFINITY, at_shift = -INFINITY;
    const int64_t n = (int64_t)a->length, m = (int64_t)b->length;
    for (size_t i = 0; i < a->length * a->channels; i++)
        xx += x[i] * x[i];
    for (size_t i = 0; i < b->length * b->channels; i++)
        yy += y[i] * y[i];
    const double scale = xx > 0 && yy > 0 ? 1 / sqrt(xx * yy) : 0;
    for (int64_t s = 1 - m; s < n; s++) {
        double sum = 0;
        for (size_t c = 0; c < a->channels; c++)
            for (int64_t t = s > 0 ? s : 0; t < n && t - s < m; t++)
                sum += x[(int64_t)c * n + t] * y[(int64_t)c * m + t - s];
        best = fmax(best, sum * scale);
        at_shift = s == shift ? sum * scale : at_shift;
    }
    *has = fabs(at_shift - best) <= 1e-5;
    free(x);
    free(y);
    return 1 - best;
}

static void check(size_t channels, ww_precision precision, bool raw, uint64_t max_bytes) {
    static const size_t n[] = {1, 3, 64, 130, 40}, m[] = {2, 300, 65, 7};
    enum { ROWS = 5, COLUMNS = 4 };
    wwt_set rows = wwt_set_make(channels, n, ROWS), columns = wwt_set_make(channels, m, COLUMNS);
    for (size_t t = 0; t < 40 * channels; t++) // the last row is constant
        rows.values[(1 + 3 + 64 + 130) * channels + t] = 2;
    ww_dataset *a = wwt_dataset(&rows, precision), *b = wwt_dataset(&columns, precision);
    ww_sbd_options options = WW_SBD_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    int32_t shifts[ROWS * COLUMNS];
    void *distances = wwt_guarded(ROWS * COLUMNS, precision);
    run.max_bytes = max_bytes;
    options.raw = raw;
    options.run = &run;
    wwt_ok(ww_sbd(a, b, &options, distances, shifts));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            const wwr_series x = wwt_series(&rows, i), y = wwt_series(&columns, j);
            bool has = false;
            const double wanted = reference(&x, &y, raw, shifts[i * COLUMNS + j], &has);
            const double found = wwt_value(distances, precision, i * COLUMNS + j);
            ck_assert_msg(fabs(found - wanted) <= (precision == WW_DOUBLE ? 1e-12 : 3e-5), "%zu, %zu: %.17g for %.17g",
                          i, j, found, wanted);
            ck_assert_msg(has, "%zu, %zu: shift %d", i, j, (int)shifts[i * COLUMNS + j]);
        }
    // Without shifts, and a set with itself.
    wwt_ok(ww_sbd(b, NULL, NULL, distances, NULL));
    for (size_t j = 1; j < COLUMNS; j++)
        ck_assert(fabs(wwt_value(distances, precision, j * COLUMNS + j)) <= (precision == WW_DOUBLE ? 1e-12 : 3e-5));
    wwt_guarded_free(distances);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}

START_TEST(distances) {
    if (_i >= wwt_precision_count())
        return;
    wwt_seed((unsigned)_i + 1);
    check(1, (ww_precision)_i, false, 0);
    check(3, (ww_precision)_i, false, 50);
    check(2, (ww_precision)_i, true, 0);
}
END_TEST

static int stop(void *user, uint64_t done, uint64_t total) {
    (void)user, (void)done;
    return total > 1;
}

START_TEST(refused) {
    static const size_t n[] = {20, 20, 20, 20}, ragged[] = {20, 21};
    int64_t labels[4];
    double values[16];
    ww_series_set *centres;
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_kmeans_info info = WW_KMEANS_INFO_INIT;
    ww_sbd_options sbd = WW_SBD_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    const double weights[4] = {1, 1, 1, 1};
    wwt_seed(9);
    wwt_set set = wwt_set_make(1, n, 4), other = wwt_set_make(1, ragged, 2), wide = wwt_set_make(2, n, 2);
    ww_dataset *data = wwt_dataset(&set, WW_FLOAT), *lengths = wwt_dataset(&other, WW_FLOAT),
               *channels = wwt_dataset(&wide, WW_FLOAT);
    wwt_fails(ww_sbd(data, channels, NULL, values, NULL), WW_ERROR_CHANNELS);
    wwt_fails(ww_sbd(NULL, data, NULL, values, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_sbd(data, data, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    run.progress = stop;
    sbd.run = &run;
    wwt_fails(ww_sbd(data, NULL, &sbd, values, NULL), WW_ERROR_CANCELLED);
    wwt_fails(ww_cluster_kshape(lengths, 2, NULL, labels, NULL, &centres, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(centres);
    wwt_fails(ww_cluster_kshape(data, 5, NULL, labels, NULL, &centres, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_cluster_kshape(NULL, 2, NULL, labels, NULL, &centres, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.weights = weights;
    wwt_fails(ww_cluster_kshape(data, 2, &options, labels, NULL, &centres, NULL), WW_ERROR_UNSUPPORTED);
    options.weights = NULL;
    wwt_ok(ww_cluster_kshape(data, 4, &options, labels, values, &centres, &info));
    for (size_t i = 0; i < 4; i++)
        ck_assert(labels[i] == (int64_t)i && values[i] <= 1e-5);
    ck_assert_uint_eq(ww_series_set_count(centres), 4);
    ww_series_set_destroy(&centres);
    ww_dataset_destroy(&data);
    ww_dataset_destroy(&lengths);
    ww_dataset_destroy(&channels);
    wwt_set_free(&set);
    wwt_set_free(&other);
    wwt_set_free(&wide);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shape");
    wwt_add(suite, distances, 2);
    wwt_add(suite, refused, 1);
    return wwt_run(suite);
}
