// SPDX-License-Identifier: Apache-2.0
// Gradients of few pairs by waves (kernels_cl/gradient/gradient_wave.cl), here on any device, against the blocks of all
// measures in double where the device has it, which test_gradient.c compares with central differences.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "support.h"

typedef struct form {
    ww_measure_id id;
    ww_precision precision;
    size_t channels;
    ww_cost cost;
    int independent, per_pair, divergence;
} form;

// One channel to eight are in registers of small groups, more in a table. Results go where the caller has them, or
// through sums.
static const form forms[] = {
    {WW_DTW, WW_FLOAT, 1, WW_COST_DEFAULT, 0, 1, 0},   {WW_DTW, WW_DOUBLE, 1, WW_COST_DEFAULT, 0, 1, 0},
    {WW_DTW, WW_FLOAT, 6, WW_COST_EUCLIDEAN, 0, 1, 0}, {WW_DTW, WW_DOUBLE, 4, WW_COST_ABSOLUTE, 0, 0, 1},
    {WW_DTW, WW_FLOAT, 9, WW_COST_DEFAULT, 0, 1, 0},   {WW_DTW, WW_DOUBLE, 17, WW_COST_EUCLIDEAN, 0, 1, 1},
    {WW_DDTW, WW_FLOAT, 1, WW_COST_DEFAULT, 0, 1, 0},  {WW_DTW, WW_FLOAT, 2, WW_COST_DEFAULT, 1, 0, 0},
};
#define FORMS ((int)(sizeof forms / sizeof *forms))

typedef struct result {
    void *values, *rows, *columns;
    ww_gradient_info info;
} result;

static void free_result(result *r) {
    wwt_guarded_free(r->values);
    wwt_guarded_free(r->rows);
    wwt_guarded_free(r->columns);
}

static result bounded(const form *f, const wwt_set *x, const wwt_set *y, ww_precision precision, double gamma,
                      const double *upstream, long wave, uint64_t max_bytes) {
    ww_dataset *rows = wwt_dataset(x, precision), *columns = wwt_dataset(y, precision);
    ww_gradient *gradient = NULL;
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    ww_measure measure = wwt_measure(f->id);
    result r = {.info = WW_GRADIENT_INFO_INIT};
    float *narrow = calloc(x->count, sizeof *narrow);
    for (size_t p = 0; p < x->count; p++)
        narrow[p] = (float)upstream[p];
    measure.gamma = gamma;
    measure.cost = f->cost;
    measure.independent = f->independent;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    limits.max_bytes = max_bytes;
    options.run = &limits;
    options.per_pair = f->per_pair;
    options.divergence = f->divergence;
    wwt_ok(wwi_tuning_try(wwt_context, "form.tiles", NULL, 0));
    wwt_ok(wwi_tuning_try(wwt_context, "form.wave", NULL, wave));
    wwt_ok(ww_gradient_create_pairs(&measure, rows, columns, NULL, NULL, x->count, &options, &gradient));
    wwt_ok(ww_gradient_get_info(gradient, &r.info));
    r.values = wwt_guarded(r.info.pairs, precision);
    r.rows = wwt_guarded(r.info.rows, precision);
    r.columns = wwt_guarded(r.info.columns, precision);
    const ww_output values = WW_OUTPUT_HOST(r.values), by_rows = WW_OUTPUT_HOST(r.rows),
                    by_columns = WW_OUTPUT_HOST(r.columns);
    to.upstream = precision == WW_DOUBLE ? (const void *)upstream : narrow;
    to.values = &values;
    to.rows = &by_rows;
    to.columns = &by_columns;
    wwt_ok(ww_gradient_run(gradient, &to));
    // One alone has the same bits.
    void *alone = wwt_guarded(r.info.columns, precision);
    const ww_output again = WW_OUTPUT_HOST(alone);
    to.values = to.rows = NULL;
    to.columns = &again;
    wwt_ok(ww_gradient_run(gradient, &to));
    ck_assert(wwt_same(alone, r.columns, r.info.columns, precision));
    wwt_guarded_free(alone);
    wwt_ok(ww_gradient_get_info(gradient, &r.info));
    ww_gradient_destroy(&gradient);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    free(narrow);
    return r;
}

static result computed(const form *f, const wwt_set *x, const wwt_set *y, ww_precision precision, double gamma,
                       const double *upstream, long wave) {
    return bounded(f, x, y, precision, gamma, upstream, wave, 0);
}

static void compare(const char *what, const void *got, const void *expected, size_t count, ww_precision precision,
                    ww_precision wide, double scale, double gamma) {
    const double tolerance = precision == WW_DOUBLE ? 1e-10 : 2e-4;
    for (size_t k = 0; k < count; k++) {
        const double a = wwt_value(got, precision, k), b = wwt_value(expected, wide, k);
        ck_assert_msg(fabs(a - b) <= tolerance * (scale + fabs(b)), "%s %zu: %.12g, expected %.12g (gamma %g)", what, k,
                      a, b, gamma);
    }
}

// Lengths at the ends of waves and chunks, both sides longer; walks and noise.
START_TEST(waves) {
    static const double gammas[] = {0.05, 1, 100};
    static const size_t n[] = {1, 31, 32, 33, 64, 100, 7, 65, 8, 1}, m[] = {1, 32, 31, 64, 9, 90, 130, 65, 1, 40};
    enum { PAIRS = sizeof n / sizeof *n };
    const form *f = &forms[_i];
    double upstream[PAIRS];
    if (f->precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed(40);
    const size_t more = f->id == WW_DDTW ? 3 : 0; // points that a derivative takes
    size_t high[PAIRS], broad[PAIRS];
    for (size_t p = 0; p < PAIRS; p++) {
        upstream[p] = p % 3 ? 0.5 + (double)p : -2.0;
        high[p] = n[p] + more;
        broad[p] = m[p] + more;
    }
    wwt_set x = wwt_set_make(f->channels, high, PAIRS), y = wwt_set_make(f->channels, broad, PAIRS);
    for (size_t k = 0; k < high[5]; k++)
        x.values[x.offsets[5] + k] = 2 * wwt_random();
    const ww_precision wide = wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    for (size_t g = 0; g < sizeof gammas / sizeof *gammas; g++) {
        result expected = computed(f, &x, &y, wide, gammas[g], upstream, 0);
        result got = computed(f, &x, &y, f->precision, gammas[g], upstream, 1);
        if (f->per_pair && !f->divergence && f->id == WW_DTW) // costs, and slopes by one side
            ck_assert_uint_eq(got.info.launches, f->channels <= 8 ? 1 : 3);
        compare("value", got.values, expected.values, got.info.pairs, f->precision, wide, 1 + gammas[g], gammas[g]);
        compare("by row", got.rows, expected.rows, got.info.rows, f->precision, wide, 20, gammas[g]);
        compare("by column", got.columns, expected.columns, got.info.columns, f->precision, wide, 20, gammas[g]);
        free_result(&expected);
        free_result(&got);
    }
    wwt_ok(wwi_tuning_try(wwt_context, "form.wave", NULL, 0));
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// A pair's bits are its own: not those of the group's size, nor of the other pairs.
START_TEST(alone) {
    const form *f = &forms[_i];
    const size_t n[] = {20, 90, 200}, m[] = {33, 100, 10};
    const double upstream[] = {1, 1, 1};
    if (f->precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed(41);
    wwt_set x = wwt_set_make(1, n, 3), y = wwt_set_make(1, m, 3);
    result all = computed(f, &x, &y, f->precision, 0.3, upstream, 1);
    for (size_t p = 0, row = 0, column = 0; p < 3; row += n[p], column += m[p], p++) {
        wwt_set a = wwt_set_make(1, &n[p], 1), b = wwt_set_make(1, &m[p], 1);
        memcpy(a.values, x.values + x.offsets[p], n[p] * sizeof *a.values);
        memcpy(b.values, y.values + y.offsets[p], m[p] * sizeof *b.values);
        result one = computed(f, &a, &b, f->precision, 0.3, upstream, 1);
        const size_t size = f->precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
        ck_assert_mem_eq(one.values, (char *)all.values + p * size, size);
        ck_assert_mem_eq(one.rows, (char *)all.rows + row * size, n[p] * size);
        ck_assert_mem_eq(one.columns, (char *)all.columns + column * size, m[p] * size);
        free_result(&one);
        wwt_set_free(&a);
        wwt_set_free(&b);
    }
    free_result(&all);
    wwt_ok(wwi_tuning_try(wwt_context, "form.wave", NULL, 0));
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// Several batches; also where values are not wanted (in the second run of bounded()).
START_TEST(batches) {
    enum { PAIRS = 40 };
    const form *f = &forms[_i];
    size_t n[PAIRS], m[PAIRS];
    double upstream[PAIRS];
    wwt_seed(43);
    for (size_t p = 0; p < PAIRS; p++) {
        n[p] = wwt_random_size(1, 60);
        m[p] = wwt_random_size(1, 60);
        upstream[p] = 1;
    }
    wwt_set x = wwt_set_make(f->channels, n, PAIRS), y = wwt_set_make(f->channels, m, PAIRS);
    result at_once = computed(f, &x, &y, WW_FLOAT, 0.3, upstream, 1);
    result apart = bounded(f, &x, &y, WW_FLOAT, 0.3, upstream, 1, 400000);
    ck_assert_uint_eq(at_once.info.batches, 1);
    ck_assert_uint_ge(apart.info.batches, 3);
    // Sums over batches are rounded batch by batch.
    if (f->per_pair && !f->divergence) {
        ck_assert(wwt_same(at_once.values, apart.values, PAIRS, WW_FLOAT));
        ck_assert(wwt_same(at_once.rows, apart.rows, apart.info.rows, WW_FLOAT));
        ck_assert(wwt_same(at_once.columns, apart.columns, apart.info.columns, WW_FLOAT));
    } else {
        compare("value", apart.values, at_once.values, PAIRS, WW_FLOAT, WW_FLOAT, 1, 0.3);
        compare("by row", apart.rows, at_once.rows, apart.info.rows, WW_FLOAT, WW_FLOAT, 1, 0.3);
        compare("by column", apart.columns, at_once.columns, apart.info.columns, WW_FLOAT, WW_FLOAT, 1, 0.3);
    }
    free_result(&at_once);
    free_result(&apart);
    wwt_ok(wwi_tuning_try(wwt_context, "form.wave", NULL, 0));
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// A kernel that takes smaller groups than the device: other forms compute the same.
static uint64_t most_items;
uint64_t __real_wwi_kernel_max_work_group(const wwi_kernel *kernel);
uint64_t __wrap_wwi_kernel_max_work_group(const wwi_kernel *kernel);
uint64_t __wrap_wwi_kernel_max_work_group(const wwi_kernel *kernel) {
    return most_items ? most_items : __real_wwi_kernel_max_work_group(kernel);
}

START_TEST(small_groups) {
    const form *f = &forms[_i];
    const size_t n[] = {20, 90}, m[] = {33, 100};
    const double upstream[] = {1, 1};
    wwt_seed(42);
    wwt_set x = wwt_set_make(f->channels, n, 2), y = wwt_set_make(f->channels, m, 2);
    result expected = computed(f, &x, &y, WW_FLOAT, 0.3, upstream, 0);
    most_items = 64;
    result got = computed(f, &x, &y, WW_FLOAT, 0.3, upstream, 1);
    most_items = 0;
    ck_assert(wwt_same(got.values, expected.values, got.info.pairs, WW_FLOAT));
    ck_assert(wwt_same(got.rows, expected.rows, got.info.rows, WW_FLOAT));
    ck_assert(wwt_same(got.columns, expected.columns, got.info.columns, WW_FLOAT));
    ck_assert_uint_eq(got.info.launches, expected.info.launches);
    free_result(&expected);
    free_result(&got);
    wwt_ok(wwi_tuning_try(wwt_context, "form.wave", NULL, 0));
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("gradient_wave");
    wwt_add(suite, waves, FORMS);
    wwt_add(suite, alone, 2);
    wwt_add(suite, batches, 5);
    wwt_add(suite, small_groups, 5); // the fifth has a table
    return wwt_run(suite);
}
