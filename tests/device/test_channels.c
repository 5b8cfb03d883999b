// SPDX-License-Identifier: Apache-2.0
// Points of many channels against the double reference: every form of the engines, by numbers of channels on both sides
// of where costs come from a table (src/engine/cost_table.c); lengths that fill no tile, bands, open ends, soft minima,
// lists, halves, tables that are cut. One program serves all numbers of channels of a row here.
#include <math.h>
#include <stdlib.h>

#include "support.h"

typedef struct form {
    ww_measure_id id;
    ww_engine engine;
    int cost; // ww_cost
    int band; // ww_band_kind
    bool pairs, open, soft, is_double;
    const char *tuning;
} form;

// Every value of every column is in a row of each kind of engine.
static const form forms[] = {
    {WW_DTW, WW_ENGINE_LANES, WW_COST_SQUARED, WW_BAND_NONE, false, false, false, false, NULL},
    {WW_DTW, WW_ENGINE_LANES, WW_COST_ABSOLUTE, WW_BAND_SAKOE_CHIBA, true, false, false, true, NULL},
    {WW_WDTW, WW_ENGINE_LANES, WW_COST_EUCLIDEAN, WW_BAND_NONE, true, true, false, false, NULL},
    {WW_ADTW, WW_ENGINE_LANES, WW_COST_USER, WW_BAND_NONE, false, false, true, true, NULL},
    {WW_DTW, WW_ENGINE_STRIPS, WW_COST_EUCLIDEAN, WW_BAND_SLANTED, false, false, false, false,
     "default form.items 1\n"},
    {WW_FRECHET, WW_ENGINE_STRIPS, WW_COST_SQUARED, WW_BAND_NONE, true, true, false, true, "default form.items 1\n"},
    {WW_DTW, WW_ENGINE_STENCIL, WW_COST_SQUARED, WW_BAND_SAKOE_CHIBA, true, false, true, false, NULL},
    {WW_DTW, WW_ENGINE_AUTO, WW_COST_SQUARED, WW_BAND_NONE, false, false, false, true, NULL},
    {WW_DTW, WW_ENGINE_AUTO, WW_COST_ABSOLUTE, WW_BAND_SAKOE_CHIBA, true, true, false, false, NULL},
    {WW_DDTW, WW_ENGINE_AUTO, WW_COST_EUCLIDEAN, WW_BAND_NONE, true, false, true, false, NULL},
    {WW_WDTW, WW_ENGINE_AUTO, WW_COST_USER, WW_BAND_SLANTED, false, false, false, true, NULL},
};
enum { FORMS = sizeof forms / sizeof *forms };
static const size_t numbers[] = {13, 16, 17, 64, 257};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

// The caller's cost: of two zeros it is not 0.
static double user_cost(double x, double y) {
    return fabs(x - y) * 0.5 + 0.25;
}

static ww_measure measure_of(const form *f) {
    ww_measure measure = wwt_measure(f->id);
    measure.cost = (ww_cost)f->cost;
    if (f->cost == WW_COST_USER)
        measure.cost_expression = "fabs(x - y) * (real)0.5 + (real)0.25";
    measure.band.kind = (ww_band_kind)f->band;
    measure.band.width = f->band == WW_BAND_SLANTED ? 0.3 : f->band == WW_BAND_NONE ? 0 : 25;
    if (f->soft)
        measure.gamma = 8;
    if (f->open)
        measure.relax_begin_x = measure.relax_end_y = 5;
    return measure;
}

static void check(const form *f, const wwt_set *rows, const wwt_set *columns) {
    const ww_measure measure = measure_of(f);
    const wwr_value_cost user = f->cost == WW_COST_USER ? user_cost : NULL;
    const ww_precision precision = f->is_double ? WW_DOUBLE : WW_FLOAT;
    ck_assert((f->pairs ? wwt_check_pairs : wwt_check_matrix)(&measure, user, rows, columns, precision, f->engine));
}

START_TEST(many) {
    const form *f = &forms[_i];
    // Less than a tile of costs, more than one, and a multiple of one.
    static const size_t row_lengths[] = {64, 3, 70, 41}, column_lengths[] = {66, 30, 63, 64};
    ww_context *usual = wwt_context;
    ww_context *tuned = f->tuning ? wwt_context_tuned(f->tuning) : NULL;
    wwt_context = tuned ? tuned : usual;
    wwt_seed((unsigned)_i);
    for (int k = 0; k < NUMBERS && (!f->is_double || wwt_device_has_double()); k++) {
        const bool near = f->band != WW_BAND_NONE || f->open;
        wwt_set rows = wwt_set_make(numbers[k], near ? column_lengths : row_lengths, 4);
        wwt_set columns = wwt_set_make(numbers[k], column_lengths, 4);
        check(f, &rows, &columns);
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
    wwt_context = usual;
    if (tuned)
        ww_context_destroy(&tuned);
}
END_TEST

// The same cell by both ways: up to the limit each number of channels has its own program.
START_TEST(few) {
    static const size_t channels[] = {1, 2, 12};
    const form plain = {
        WW_DTW, _i ? WW_ENGINE_LANES : WW_ENGINE_AUTO, WW_COST_SQUARED, WW_BAND_NONE, false, false, false, false, NULL};
    wwt_seed((unsigned)_i);
    for (size_t k = 0; k < sizeof channels / sizeof *channels; k++) {
        wwt_set rows = wwt_set_random(channels[k], 5, 40, 3), columns = wwt_set_random(channels[k], 5, 40, 5);
        check(&plain, &rows, &columns);
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
}
END_TEST

// A half's pairs, and tables that hold a part of the batch alone: the same bits as all at once.
START_TEST(halves) {
    const ww_measure measure = wwt_measure(WW_DTW);
    const size_t count = 23;
    wwt_seed(1);
    wwt_set set = wwt_set_random(20, 30, 70, count);
    wwt_check_half(&measure, &set, WW_ENGINE_LANES);
    ww_plan_options options = wwt_engine(WW_ENGINE_LANES), little = options;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = 200000;
    little.run = &run;
    float *all = wwt_matrix(&measure, &set, NULL, WW_FLOAT, &options);
    float *parts = wwt_matrix(&measure, &set, NULL, WW_FLOAT, &little);
    float *rectangle = wwt_matrix(&measure, &set, &set, WW_FLOAT, &little);
    ck_assert(wwt_same(all, parts, count * count, WW_FLOAT));
    ck_assert(wwt_same(all, rectangle, count * count, WW_FLOAT));
    wwt_guarded_free(all);
    wwt_guarded_free(parts);
    wwt_guarded_free(rectangle);
    float *pairs = wwt_pairs(&measure, &set, &set, WW_FLOAT, &little);
    for (size_t i = 0; i < count; i++)
        ck_assert(pairs[i] == 0);
    wwt_guarded_free(pairs);
    wwt_set_free(&set);
}
END_TEST

// Two pairs of numbers of channels, two programs in all: of the costs and of the engine.
START_TEST(programs) {
    const form *f = &forms[0];
    size_t before = 0, after = 0;
    for (int k = 0; k < 2; k++) {
        wwt_set rows = wwt_set_random(20 + 300 * (size_t)k, 60, 60, 2),
                columns = wwt_set_random(20 + 300 * (size_t)k, 60, 60, 2);
        before = after;
        check(f, &rows, &columns);
        after = ww_context_programs(wwt_context);
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
    ck_assert_uint_eq(after, before);
}
END_TEST

int main(void) {
    int exit_code = 0;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("channels");
    wwt_add(suite, many, FORMS);
    wwt_add(suite, few, 2);
    wwt_add(suite, halves, 1);
    wwt_add(suite, programs, 1);
    return wwt_run(suite);
}
