// SPDX-License-Identifier: Apache-2.0
// Recurrences of the caller's own: three of the library's measures written by a user, in every engine, against the
// library's.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char adtw[] =
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) {\n"
    "    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);\n"
    "}\n";
static const char msm[] =
    "#define WW_USER_BEFORE\n"
    "real split(real a, real b, real c) {\n"
    "    real outside = fmin(fabs(a - b), fabs(a - c));\n"
    "    return (a - b) * (c - a) >= 0 ? (real)WW_P_p1 : WW_P_p1 + outside;\n"
    "}\n"
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, ww_point before_x, ww_point "
    "before_y,\n"
    "                  real ahead) {\n"
    "    real a = WW_AT(x, 0), b = WW_AT(y, 0);\n"
    "    return fmin(diagonal + fabs(a - b),\n"
    "                fmin(up + split(a, WW_AT(before_x, 0), b), left + split(b, a, WW_AT(before_y, 0))));\n"
    "}\n";
static const char edr[] = "#define WW_USER_BORDERS\n"
                          "#define WW_USER_FINAL\n"
                          "real ww_user_left(ww_point x, real t) { return t + 1; }\n"
                          "real ww_user_top(ww_point y, real t) { return t + 1; }\n"
                          "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) {\n"
                          "    real mismatch = fabs(WW_AT(x, 0) - WW_AT(y, 0)) <= WW_P_p0 ? (real)0 : (real)1;\n"
                          "    return fmin(diagonal + mismatch, fmin(left, up) + 1);\n"
                          "}\n"
                          "ww_scalar ww_user_final(ww_scalar value, uint n, uint m) { return value / max(n, m); }\n";

static const struct {
    ww_measure_id id;
    const char *text, *parameter, *own;
    double value;
} kin[] = {{WW_ADTW, adtw, "penalty", "p0", 0.3}, {WW_MSM, msm, "c", "p1", 0.7}, {WW_EDR, edr, "epsilon", "p0", 0.4}};
static const ww_engine engines[] = {WW_ENGINE_LANES, WW_ENGINE_PACKED, WW_ENGINE_STRIPS};
enum { KIN = sizeof(kin) / sizeof(kin[0]), ENGINES = sizeof(engines) / sizeof(engines[0]) };

static ww_measure user_measure(const char *text) {
    ww_measure measure = wwt_measure(WW_USER);
    measure.recurrence = text;
    measure.recurrence_name = "mine.cl";
    return measure;
}

static void compare(const ww_measure *mine, const ww_measure *known, size_t least, size_t most, ww_precision precision,
                    ww_engine engine) {
    enum { N = 5, M = 7 };
    wwt_set rows = wwt_set_random(1, least, most, N), columns = wwt_set_random(1, least, most, M);
    ww_plan_options options = wwt_engine(engine);
    void *values = wwt_matrix(mine, &rows, &columns, precision, &options);
    options.engine = WW_ENGINE_AUTO;
    void *wanted = wwt_matrix(known, &rows, &columns, precision, &options);
    ck_assert(values && wanted);
    for (size_t i = 0; i < (size_t)N * M; i++)
        ck_assert_msg(wwt_close(wwt_value(values, precision, i), wwt_value(wanted, precision, i), precision),
                      "%s, engine %s: %.9g, not %.9g", ww_measure_info_by_id(known->id)->name,
                      ww_word(WW_WORD_ENGINE, engine), wwt_value(values, precision, i),
                      wwt_value(wanted, precision, i));
    wwt_guarded_free(values);
    wwt_guarded_free(wanted);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}

START_TEST(as_the_library) {
    const size_t k = (size_t)_i % KIN;
    const ww_engine engine = engines[(size_t)_i / KIN % ENGINES];
    const ww_precision precision = (size_t)_i < KIN * ENGINES ? WW_FLOAT : WW_DOUBLE;
    ww_measure mine = user_measure(kin[k].text), known = wwt_measure(kin[k].id);
    wwt_seed((unsigned)_i);
    wwt_ok(ww_measure_set(&mine, kin[k].own, kin[k].value));
    wwt_ok(ww_measure_set(&known, kin[k].parameter, kin[k].value));
    if (known.id == WW_EDR)
        wwt_ok(ww_measure_set(&known, "normalised", 1));
    compare(&mine, &known, 30, 64, precision, engine);
    if (engine == WW_ENGINE_STRIPS)
        compare(&mine, &known, 300, 400, precision, engine);
    if (precision == WW_FLOAT) {
        mine.band = known.band = (ww_band){.kind = WW_BAND_CORNER, .width = 6};
        compare(&mine, &known, 30, 64, precision, engine);
    }
}
END_TEST

// Nothing is known of it: no symmetry, no bounds. A cell that is not symmetric shows it.
START_TEST(nothing_is_assumed) {
    static const char uneven[] =
        "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) {\n"
        "    return fmin(diagonal, fmin(left + 1, up + 3)) + fmax(WW_AT(x, 0) - WW_AT(y, 0), (real)0);\n"
        "}\n";
    enum { N = 20 };
    ww_measure mine = user_measure(uneven);
    wwt_set set = wwt_set_random(1, 5, 30, N);
    ww_dataset *data = wwt_dataset(&set, WW_FLOAT);
    float *half = wwt_matrix(&mine, &set, NULL, WW_FLOAT, NULL), *whole = wwt_matrix(&mine, &set, &set, WW_FLOAT, NULL);
    ck_assert_mem_eq(half, whole, sizeof(float) * N * N);
    ck_assert(half[1] != half[N]);
    int64_t indices[N];
    float distances[N];
    ww_plan *plan = NULL;
    wwt_ok(ww_plan_create_nearest(&mine, data, NULL, 1, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, distances));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            ck_assert(i == j || whole[i * N + j] >= distances[i]);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&data);
    wwt_guarded_free(half);
    wwt_guarded_free(whole);
    wwt_set_free(&set);
}
END_TEST

START_TEST(refusals) {
    static const char start[] =
        "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) ";
    char text[512];
    wwt_set set = wwt_set_random(1, 5, 30, 3);
    ww_dataset *data = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_measure mine = user_measure(NULL);
    wwt_fails(ww_plan_create_matrix(&mine, data, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    mine.recurrence = "real cell(real a) { return a; }";
    wwt_fails(ww_plan_create_matrix(&mine, data, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    snprintf(text, sizeof text, "%s{ barrier(1); return left; }", start);
    mine.recurrence = text;
    wwt_fails(ww_plan_create_matrix(&mine, data, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    // The user's own line.
    snprintf(text, sizeof text, "%s{\n\n    return nonsense;\n}", start);
    wwt_fails(ww_plan_create_matrix(&mine, data, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "mine.cl:3: 'nonsense'"));
    snprintf(text, sizeof text, "%s{\n\n    return fmin(left);\n}", start);
    wwt_fails(ww_plan_create_matrix(&mine, data, NULL, NULL, &plan), WW_ERROR_BUILD);
    ck_assert_ptr_nonnull(strstr(ww_last_build_log(), "mine.cl"));
    // Not a number, of a border's infinity.
    snprintf(text, sizeof text, "%s{ return left - up; }", start);
    wwt_fails(ww_plan_create_matrix(&mine, data, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "NaN"));
    // A recurrence beside a measure of the library's.
    ww_measure other = wwt_measure(WW_DTW);
    other.recurrence = adtw;
    wwt_fails(ww_plan_create_matrix(&other, data, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset_destroy(&data);
    wwt_set_free(&set);
}
END_TEST

static bool chosen(int loop) {
    const wwt_product product = {3, {KIN, ENGINES, wwt_precision_count()}};
    const int values[] = {loop % (int)KIN, loop / (int)KIN % (int)ENGINES, loop / (int)(KIN * ENGINES)};
    return wwt_covers(&product, values);
}

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("user");
    TCase *tcase = wwt_case(suite, "user", 120);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    for (int loop = 0; loop < (int)(KIN * ENGINES) * wwt_precision_count(); loop++)
        if (chosen(loop))
            wwt_add_to(tcase, as_the_library, loop, loop + 1);
    wwt_add_to(tcase, nothing_is_assumed, 0, 1);
    wwt_add_to(tcase, refusals, 0, 1);
    return wwt_run(suite);
}
