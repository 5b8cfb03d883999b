// SPDX-License-Identifier: Apache-2.0
// Averages: DBA against the textbook's, published examples, objectives that never rise, starts, weights, refusals.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/choices.h"
#include "set_jobs.h"
#include "support.h"

static ww_series_set *set_of(size_t channels, const double *const *values, const size_t *lengths, size_t count) {
    ww_series_set *set;
    wwt_ok(ww_series_set_create(channels, &set));
    for (size_t i = 0; i < count; i++)
        wwt_ok(ww_series_set_add(set, lengths[i], values[i], NULL));
    return set;
}

static ww_series_set *random_set(size_t channels, size_t least, size_t most, size_t count) {
    wwt_set made = wwt_set_random(channels, least, most, count);
    ww_series_set *set;
    wwt_ok(ww_series_set_create(channels, &set));
    for (size_t i = 0; i < count; i++)
        wwt_ok(ww_series_set_add(set, made.lengths[i], made.values + made.offsets[i], NULL));
    wwt_set_free(&made);
    return set;
}

static ww_precision best_precision(void) {
    return wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
}

static void check_falls(const ww_average_result *r) {
    for (size_t i = 1; i <= r->iterations; i++)
        ck_assert_msg(r->objective[i] <= r->objective[i - 1], "iteration %zu raises the objective from %.17g to %.17g",
                      i, r->objective[i - 1], r->objective[i]);
}

// ---- the textbook

// One iteration: the centre's points become the weighted means of what is matched with them; the objective before it.
static double textbook_iteration(const ww_measure *measure, const ww_series_set *set, const double *weights,
                                 double *centre, size_t length) {
    const size_t channels = ww_series_set_channels(set), most = length + ww_series_set_max_length(set);
    double *sums = calloc(length * channels, sizeof *sums), *shares = calloc(length, sizeof *shares), objective = 0;
    int32_t(*cells)[2] = calloc(most, sizeof *cells);
    for (size_t k = 0; k < ww_series_set_count(set); k++) {
        const wwr_series c = {centre, length, channels};
        const wwr_series x = {ww_series_set_values(set, k), ww_series_set_length(set, k), channels};
        const size_t count = wwr_path(measure, &c, &x, cells);
        objective += weights[k] * wwr_path_value(measure, &c, &x, cells, count);
        for (size_t s = 0; s < count; s++) {
            const size_t i = (size_t)cells[s][0], j = (size_t)cells[s][1];
            for (size_t a = 0; a < channels; a++)
                sums[a * length + i] += weights[k] * x.values[a * x.length + j];
            shares[i] += weights[k];
        }
    }
    for (size_t i = 0; i < length; i++)
        for (size_t a = 0; a < channels; a++)
            centre[a * length + i] = sums[a * length + i] / shares[i];
    free(sums);
    free(shares);
    free(cells);
    return objective;
}

START_TEST(textbook) {
    enum { COUNT = 9, ITERATIONS = 4 };
    const double weights[COUNT] = {1, 2, 0.5, 1, 0, 3, 1, 1, 0.25};
    const size_t channels = _i == 1 ? 2 : 1;
    ww_measure measure = wwt_measure(_i == 2 ? WW_ADTW : WW_DTW);
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result result = WW_AVERAGE_RESULT_INIT;
    wwt_seed((unsigned)_i);
    if (_i == 2)
        measure.parameters[0] = 0.25;
    if (_i == 1)
        measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 6};
    ww_series_set *set = random_set(channels, 20, 40, COUNT);
    options.weights = weights;
    options.iterations = ITERATIONS;
    options.tolerance = 0;
    options.length = _i == 1 ? 25 : 0;
    options.start = _i == 2 ? WW_AVERAGE_START_MEDOID : WW_AVERAGE_START_MEAN;
    // The start alone.
    options.iterations = 0;
    wwt_ok(wwt_average(&measure, set, best_precision(), &options, &result));
    ck_assert_uint_eq(result.iterations, 0);
    ck_assert_uint_eq(result.channels, channels);
    const size_t length = result.length;
    double *centre = malloc(length * channels * sizeof *centre), objectives[ITERATIONS];
    memcpy(centre, result.centre, length * channels * sizeof *centre);
    ww_average_result_free(&result);
    for (int i = 0; i < ITERATIONS; i++)
        objectives[i] = textbook_iteration(&measure, set, weights, centre, length);

    options.iterations = ITERATIONS;
    wwt_ok(wwt_average(&measure, set, best_precision(), &options, &result));
    check_falls(&result);
    const double tolerance = best_precision() == WW_DOUBLE ? 1e-11 : 1e-3;
    for (size_t i = 0; i < ITERATIONS && i <= result.iterations; i++)
        ck_assert_msg(fabs(result.objective[i] - objectives[i]) <= tolerance * objectives[i],
                      "%zu: %.17g, textbook %.17g", i, result.objective[i], objectives[i]);
    for (size_t v = 0; result.iterations == ITERATIONS && v < length * channels; v++)
        ck_assert_msg(fabs(result.centre[v] - centre[v]) <= tolerance * (1 + fabs(centre[v])),
                      "value %zu: %.17g, %.17g", v, result.centre[v], centre[v]);
    ww_average_result_free(&result);
    free(centre);
    ww_series_set_destroy(&set);
}
END_TEST

// Of the documentation of tslearn's dtw_barycenter_averaging().
START_TEST(published) {
    static const double a[] = {1, 2, 3, 4}, b[] = {1, 2, 4, 5}, c[] = {1, 2, 3, 4, 5};
    static const double zero[] = {0, 0, 0}, ten[] = {10, 10, 10}, shares[] = {0.75, 0.25}, three[] = {3, 1};
    static const struct {
        const double *values[2];
        size_t lengths[2];
        const double *weights;
        size_t length;
        double wanted[5];
    } rows[] = {{{a, b}, {4, 4}, NULL, 4, {1, 2, 3.5, 4.5}},
                {{a, c}, {4, 5}, NULL, 5, {1, 2, 3, 4, 4.5}},
                {{zero, ten}, {3, 3}, shares, 3, {2.5, 2.5, 2.5}},
                {{a, b}, {4, 4}, three, 4, {1, 2, 3.25, 4.25}}};
    const ww_measure measure = wwt_measure(WW_DTW);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
        ww_average_result result = WW_AVERAGE_RESULT_INIT;
        ww_series_set *set = set_of(1, rows[r].values, rows[r].lengths, 2);
        options.weights = rows[r].weights;
        wwt_ok(wwt_average(&measure, set, best_precision(), &options, &result));
        ck_assert_uint_eq(result.length, rows[r].length);
        for (size_t t = 0; t < result.length; t++)
            ck_assert_double_eq_tol(result.centre[t], rows[r].wanted[t], 1e-6);
        ck_assert_int_eq(result.converged, 1);
        ww_average_result_free(&result);
        ww_series_set_destroy(&set);
    }
}
END_TEST

START_TEST(never_rises) {
    static const ww_measure_id measures[] = {WW_DTW, WW_FRECHET, WW_MSM};
    ww_measure measure = wwt_measure(measures[_i]);
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result result = WW_AVERAGE_RESULT_INIT;
    wwt_seed(50);
    ww_series_set *set = random_set(1, 25, 40, 12);
    options.tolerance = 0;
    wwt_ok(wwt_average(&measure, set, WW_FLOAT, &options, &result));
    check_falls(&result);
    ck_assert_double_lt(result.objective[result.iterations], result.objective[0] * 1.0000001);
    ww_average_result_free(&result);
    ww_series_set_destroy(&set);
}
END_TEST

static int stop(void *user, uint64_t done, uint64_t total) {
    if (total <= 1) // a compile, before the work is counted
        return 0;
    (void)user;
    (void)done;
    return 1;
}

START_TEST(one_member_and_refusals) {
    static const double a[] = {1, 2, 3, 4}, b[] = {1, 2, 4, 5}, hole[] = {1, NAN, 2, 3};
    const double *const values[] = {a, b}, *const holed[] = {a, hole};
    const size_t lengths[] = {4, 4}, second[] = {1}, third[] = {2};
    double weights[] = {0, 0}, given[] = {1, INFINITY};
    ww_measure measure = wwt_measure(WW_DTW);
    ww_average_result result = WW_AVERAGE_RESULT_INIT;
    ww_series_set *set = set_of(1, values, lengths, 2), *missing = set_of(1, holed, lengths, 2);
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    options.members = second;
    options.member_count = 1;
    wwt_ok(wwt_average(&measure, set, WW_FLOAT, &options, &result));
    ck_assert_int_eq(memcmp(result.centre, b, sizeof b), 0);
    ck_assert_double_eq(result.objective[0], 0);
    ck_assert_int_eq(result.converged, 1);
    ww_average_result_free(&result);

    options.member_count = 0;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_EMPTY);
    options.members = third;
    options.member_count = 1;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_INVALID_ARGUMENT);
    options = (ww_average_options)WW_AVERAGE_OPTIONS_INIT;
    options.weights = weights;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_INVALID_ARGUMENT);
    weights[0] = -1;
    weights[1] = 2;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_INVALID_ARGUMENT);
    options = (ww_average_options)WW_AVERAGE_OPTIONS_INIT;
    options.start = WW_AVERAGE_START_GIVEN;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_INVALID_ARGUMENT);
    options.given = given;
    options.given_length = 2;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_NOT_FINITE);
    given[1] = 4;
    options.length = 5;
    wwt_ok(wwt_average(&measure, set, WW_FLOAT, &options, &result));
    ck_assert_uint_eq(result.length, 5);
    ww_average_result_free(&result);
    options = (ww_average_options)WW_AVERAGE_OPTIONS_INIT;
    wwt_fails(wwt_average(&measure, missing, WW_FLOAT, &options, &result), WW_ERROR_NOT_FINITE);
    options.tolerance = -1;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_INVALID_ARGUMENT);
    options = (ww_average_options)WW_AVERAGE_OPTIONS_INIT;
    measure = wwt_measure(WW_EDR);
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_UNSUPPORTED);
    measure = wwt_measure(WW_DTW);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    run.progress = stop;
    plan.run = &run;
    options.plan = &plan;
    wwt_fails(wwt_average(&measure, set, WW_FLOAT, &options, &result), WW_ERROR_CANCELLED);
    ck_assert_ptr_null(result.centre);
    ww_series_set_destroy(&set);
    ww_series_set_destroy(&missing);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("average");
    wwt_add(suite, textbook, 3);
    wwt_add(suite, published, 1);
    wwt_add(suite, never_rises, 3);
    wwt_add(suite, one_member_and_refusals, 1);
    return wwt_run(suite);
}
