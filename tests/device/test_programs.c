// SPDX-License-Identifier: Apache-2.0
// How many programs are compiled: one for all values of a measure's parameters, few for all lengths. The values of the
// results are compared with the reference in the same runs.
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "support.h"

typedef struct subject {
    ww_measure_id id;
    const char *names[3];
    double values[3][3]; // of each name, in three settings
    const char *text;    // of a recurrence
    uint64_t most;       // programs for the three
} subject;

static const char sideways[] =
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
    "    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);\n"
    "}\n";
static const char sideways_before[] =
    "#define WW_USER_BEFORE\n"
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, ww_point before_x,\n"
    "                  ww_point before_y, real lag) {\n"
    "    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);\n"
    "}\n";
static const subject subjects[] = {
    {WW_ADTW, {"penalty"}, {{0.1, 2, 0.7}}, NULL, 1},
    {WW_WDTW, {"g"}, {{0.05, 0.3, 0.011}}, NULL, 1},
    // A largest weight of 1 is a program of its own.
    {WW_WDTW, {"g", "w_max"}, {{0.05, 0.3, 0.011}, {1, 2.5, 0.3}}, NULL, 2},
    {WW_ERP, {"g"}, {{0.3, -1.5, 0.7}}, NULL, 1},
    // A gap of 0 is a program of its own.
    {WW_ERP, {"g"}, {{0, -1.5, 0.7}}, NULL, 2},
    {WW_EDR, {"epsilon", "aeon"}, {{0.1, 0.4, 2}, {1, 1, 1}}, NULL, 1},
    {WW_LCSS, {"epsilon"}, {{0.1, 0.4, 2}}, NULL, 1},
    {WW_MSM, {"c"}, {{0.1, 1, 0.4}}, NULL, 1},
    {WW_TWED, {"nu", "lambda"}, {{0.001, 0.2, 0.05}, {1, 0.3, 0}}, NULL, 1},
    // So are the degrees 1 and 2; others may need a test of the device's pow().
    {WW_TWED, {"degree", "no_root"}, {{3, 2, 2.5}, {1, 1, 1}}, NULL, 3},
    {WW_LEVENSHTEIN, {"insertion", "deletion", "substitution"}, {{1, 2, 0.5}, {2, 1, 3}, {1, 3, 2}}, NULL, 1},
    // One, and the one that checks the text.
    {WW_USER, {"p0"}, {{0.1, 2, 0.7}}, sideways, 2},
    {WW_USER, {"p0"}, {{0.1, 2, 0.7}}, sideways_before, 2},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, SETTINGS = 3, N = 3, M = 4 };

static bool user_is_adtw(const subject *s, const ww_measure *measure, const wwt_set *rows, const wwt_set *columns) {
    ww_measure known = wwt_measure(WW_ADTW);
    bool same = true;
    wwt_ok(ww_measure_set(&known, "penalty", measure->parameters[0]));
    ck_assert_int_eq(s->id, WW_USER);
    void *values = wwt_matrix(measure, rows, columns, WW_FLOAT, NULL);
    for (size_t i = 0; i < N * M; i++) {
        const wwr_series x = wwt_series(rows, i / M), y = wwt_series(columns, i % M);
        same = same && wwt_close(wwt_value(values, WW_FLOAT, i), wwr_distance(&known, NULL, &x, &y), WW_FLOAT);
    }
    wwt_guarded_free(values);
    return same;
}

START_TEST(parameters) {
    const subject *s = &subjects[_i];
    wwt_set rows = wwt_set_random(1, 9, 30, N), columns = wwt_set_random(1, 9, 30, M);
    for (size_t i = 0; s->id == WW_LEVENSHTEIN && i < N; i++)
        for (size_t t = 0; t < rows.lengths[i]; t++)
            rows.values[rows.offsets[i] + t] = (double)(t * (i + 2) % 3);
    for (size_t i = 0; s->id == WW_LEVENSHTEIN && i < M; i++)
        for (size_t t = 0; t < columns.lengths[i]; t++)
            columns.values[columns.offsets[i] + t] = (double)(t * (i + 1) % 3);
    const uint64_t before = ww_context_programs(wwt_context);
    for (size_t k = 0; k < SETTINGS; k++) {
        ww_measure measure = wwt_measure(s->id);
        measure.recurrence = s->text;
        for (size_t p = 0; p < 3 && s->names[p]; p++)
            wwt_ok(ww_measure_set(&measure, s->names[p], s->values[p][k]));
        if (s->text)
            ck_assert(user_is_adtw(s, &measure, &rows, &columns));
        else
            ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, WW_ENGINE_PACKED));
    }
    const uint64_t programs = ww_context_programs(wwt_context) - before;
    ck_assert_msg(programs >= 1 && programs <= s->most, "%s: %llu programs, not %llu",
                  ww_measure_info_by_id(s->id)->name, (unsigned long long)programs, (unsigned long long)s->most);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// A soft minimum's gamma: no more programs than the first one needs.
START_TEST(gammas) {
    static const double softness[] = {0.6, 1, 3}; // kernels may have other forms below 0.5 and from 4 on
    wwt_set rows = wwt_set_random(1, 9, 30, N), columns = wwt_set_random(1, 9, 30, M);
    uint64_t first = 0;
    double last = 0;
    for (size_t k = 0; k < SETTINGS; k++) {
        ww_measure measure = wwt_measure(WW_DTW);
        measure.gamma = softness[k];
        void *values = wwt_matrix(&measure, &rows, &columns, WW_FLOAT, NULL);
        ck_assert_ptr_nonnull(values);
        // The softer, the smaller.
        ck_assert(k == 0 || wwt_value(values, WW_FLOAT, 0) < last);
        last = wwt_value(values, WW_FLOAT, 0);
        wwt_guarded_free(values);
        first = k ? first : ww_context_programs(wwt_context);
    }
    ck_assert_uint_eq(ww_context_programs(wwt_context), first);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Where a function of the text that the library does not call uses a parameter, the values are part of the text.
START_TEST(user_functions) {
    static const char text[] =
        "real more(real a) { return a + WW_P_p0; } // ww_user_cell\n"
        "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
        "    return ww_cost(x, y) + fmin(diagonal, more(fmin(left, up)));\n"
        "}\n";
    const subject user = {.id = WW_USER};
    wwt_set rows = wwt_set_random(1, 9, 30, N), columns = wwt_set_random(1, 9, 30, M);
    const uint64_t before = ww_context_programs(wwt_context);
    for (size_t k = 0; k < 2; k++) {
        ww_measure measure = wwt_measure(WW_USER);
        measure.recurrence = text;
        wwt_ok(ww_measure_set(&measure, "p0", k ? 0.25 : 2));
        ck_assert(user_is_adtw(&user, &measure, &rows, &columns));
    }
    ck_assert_uint_eq(ww_context_programs(wwt_context) - before, 4);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

static const size_t lengths[] = {5, 33, 64, 65, 96, 100, 101, 128, 150, 200, 257, 300};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static uint64_t programs_for_lengths(ww_engine engine, size_t most) {
    const uint64_t before = ww_context_programs(wwt_context);
    const ww_measure measure = wwt_measure(WW_DTW);
    for (size_t k = 0; k < LENGTHS; k++) {
        if (lengths[k] > most)
            continue;
        wwt_set rows = wwt_set_random(1, lengths[k], lengths[k], 2),
                columns = wwt_set_random(1, lengths[k], lengths[k], 3);
        ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, engine));
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
    return ww_context_programs(wwt_context) - before;
}

START_TEST(lengths_by_choice) {
    ck_assert_uint_le(programs_for_lengths(WW_ENGINE_AUTO, SIZE_MAX), 6);
}
END_TEST

// Columns of a lane: the same for nearly all lengths where there is little to compute, else one of few numbers, or each
// length's own.
START_TEST(lengths_in_lanes) {
    static const uint64_t most[] = {2, 6, LENGTHS};
    wwt_ok(wwi_tuning_try(wwt_context, "form.fit", NULL, _i));
    ck_assert_uint_le(programs_for_lengths(WW_ENGINE_LANES, 256), most[_i]);
}
END_TEST

// A search takes one program for all its lists.
START_TEST(search) {
    wwt_set base = wwt_set_random(1, 100, 100, 40), queries = wwt_set_random(1, 100, 100, 5);
    ww_dataset *rows = wwt_dataset(&queries, WW_FLOAT), *columns = wwt_dataset(&base, WW_FLOAT);
    ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    int64_t found[5];
    const uint64_t before = ww_context_programs(wwt_context);
    wwt_ok(ww_plan_create_nearest(&measure, rows, columns, 1, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, found, NULL));
    // Bounds, selection, lists, rectangles.
    ck_assert_uint_le(ww_context_programs(wwt_context) - before, 4);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    wwt_set_free(&base);
    wwt_set_free(&queries);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("programs");
    wwt_add(suite, parameters, SUBJECTS);
    wwt_add(suite, gammas, 1);
    wwt_add(suite, user_functions, 1);
    wwt_add(suite, lengths_by_choice, 1);
    wwt_add(suite, lengths_in_lanes, 3);
    wwt_add(suite, search, 1);
    return wwt_run(suite);
}
