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
    {WW_DTW, WW_ENGINE_LANES, WW_COST_SQUARED, WW_BAND_SAKOE_CHIBA, true, false, true, false, NULL},
    {WW_DTW, WW_ENGINE_AUTO, WW_COST_SQUARED, WW_BAND_NONE, false, false, false, true, NULL},
    {WW_DTW, WW_ENGINE_AUTO, WW_COST_ABSOLUTE, WW_BAND_SAKOE_CHIBA, true, true, false, false, NULL},
    {WW_DDTW, WW_ENGINE_AUTO, WW_COST_EUCLIDEAN, WW_BAND_NONE, true, false, true, false, NULL},
    {WW_WDTW, WW_ENGINE_AUTO, WW_COST_USER, WW_BAND_SLANTED, false, false, false, true, NULL},
    {WW_DTW, WW_ENGINE_PACKED, WW_COST_SQUARED, WW_BAND_NONE, false, false, false, false, "default form.items 1\n"},
    {WW_WDTW, WW_ENGINE_PACKED, WW_COST_EUCLIDEAN, WW_BAND_SAKOE_CHIBA, false, true, false, true,
     "default form.items 1\n"},
    {WW_ADTW, WW_ENGINE_PACKED, WW_COST_USER, WW_BAND_SLANTED, false, false, true, false, "default form.items 1\n"},
    {WW_FRECHET, WW_ENGINE_PACKED, WW_COST_ABSOLUTE, WW_BAND_NONE, false, true, false, false, "default form.items 1\n"},
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
    measure.band.width = f->band == WW_BAND_SLANTED ? 0.3 : f->band == WW_BAND_NONE ? 0 : f->pairs ? 25 : 40;
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
    const bool done =
        (f->pairs ? wwt_check_pairs : wwt_check_matrix)(&measure, user, rows, columns, precision, f->engine);
    // The points of fewer may need more registers than a lane has.
    ck_assert(done || rows->channels <= 16);
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
    // And as where each cell reads its points.
    ww_context *usual = wwt_context;
    wwt_context = wwt_context_tuned("default form.few 4096\n");
    float *each = wwt_matrix(&measure, &set, NULL, WW_FLOAT, &options);
    ww_context_destroy(&wwt_context);
    wwt_context = usual;
    ck_assert(wwt_same(all, each, count * count, WW_FLOAT));
    wwt_guarded_free(each);
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

// Points that match by their distance: a measure of one cost.
START_TEST(matches) {
    static const ww_engine engines[] = {WW_ENGINE_AUTO, WW_ENGINE_LANES, WW_ENGINE_PACKED};
    static const size_t channels[] = {13, 17, 65};
    ww_context *usual = wwt_context;
    if (_i == 2)
        wwt_context = wwt_context_tuned("default form.items 1\n");
    wwt_seed((unsigned)_i);
    for (size_t k = 0; k < sizeof channels / sizeof *channels; k++) {
        ww_measure measure = wwt_measure(WW_LCSS);
        wwt_set rows = wwt_set_random(channels[k], 5, 40, 5), columns = wwt_set_random(channels[k], 5, 40, 9);
        wwt_ok(ww_measure_set(&measure, "epsilon", sqrt((double)channels[k])));
        for (int band = 0; band < 2; band++) {
            measure.band.kind = band ? WW_BAND_SAKOE_CHIBA : WW_BAND_NONE;
            measure.band.width = band ? 36 : 0;
            const bool done = wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, engines[_i]);
            ck_assert(done || channels[k] <= 16);
        }
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
    if (wwt_context != usual)
        ww_context_destroy(&wwt_context);
    wwt_context = usual;
}
END_TEST

// A work-item a pair: several groups of series, their last ones not whole, of all lengths; halves. The same bits as
// from a table.
START_TEST(products) {
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_precision precision = _i ? WW_DOUBLE : WW_FLOAT;
    const size_t rows = 35, columns = 19;
    if (_i && !wwt_device_has_double())
        return;
    ww_context *usual = wwt_context;
    wwt_seed((unsigned)_i);
    wwt_set x = wwt_set_random(21, 1, 40, rows), y = wwt_set_random(21, 1, 40, columns);
    const ww_plan_options packed = wwt_engine(WW_ENGINE_PACKED), lanes = wwt_engine(WW_ENGINE_LANES);
    wwt_context = wwt_context_tuned("default form.items 1\n");
    ck_assert(wwt_check_matrix(&measure, NULL, &x, &y, precision, WW_ENGINE_PACKED));
    void *found = wwt_matrix(&measure, &x, &y, precision, &packed);
    void *half = wwt_matrix(&measure, &x, NULL, precision, &packed);
    ww_context_destroy(&wwt_context);
    wwt_context = usual;
    void *table = wwt_matrix(&measure, &x, &y, precision, &lanes);
    void *half_table = wwt_matrix(&measure, &x, NULL, precision, &lanes);
    ck_assert(wwt_same(found, table, rows * columns, precision));
    ck_assert(wwt_same(half, half_table, rows * rows, precision));
    wwt_guarded_free(found);
    wwt_guarded_free(half);
    wwt_guarded_free(table);
    wwt_guarded_free(half_table);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// Paths by lanes: the value, and the sum of the costs along the path.
START_TEST(paths) {
    static const size_t n[] = {64, 9, 70}, m[] = {66, 30, 63};
    ww_measure measure = wwt_measure(WW_DTW);
    for (int k = 0; k < NUMBERS; k++) {
        wwt_seed((unsigned)k);
        wwt_set sets[2] = {wwt_set_make(numbers[k], n, 3), wwt_set_make(numbers[k], m, 3)};
        ww_dataset *rows = wwt_dataset(&sets[0], WW_FLOAT), *columns = wwt_dataset(&sets[1], WW_FLOAT);
        const ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
        ww_plan *plan = NULL;
        ww_paths found = WW_PATHS_INIT;
        wwt_ok(ww_plan_create_paths(&measure, rows, columns, NULL, NULL, 3, &options, &plan));
        wwt_ok(ww_plan_run_paths(plan, &found));
        for (size_t p = 0; p < 3; p++) {
            const wwr_series x = wwt_series(&sets[0], p), y = wwt_series(&sets[1], p);
            double sum = 0;
            for (size_t s = found.offsets[p]; s < found.offsets[p + 1]; s++)
                for (size_t c = 0; c < numbers[k]; c++) {
                    const double t = x.values[c * x.length + (size_t)found.cells[2 * s]] -
                                     y.values[c * y.length + (size_t)found.cells[2 * s + 1]];
                    sum += t * t;
                }
            ck_assert(wwt_close(found.distances[p], wwr_distance(&measure, NULL, &x, &y), WW_FLOAT));
            ck_assert(wwt_close(sum, found.distances[p], WW_FLOAT));
        }
        ww_paths_free(&found);
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&rows);
        ww_dataset_destroy(&columns);
        wwt_set_free(&sets[0]);
        wwt_set_free(&sets[1]);
    }
}
END_TEST

// ---- gradients

typedef struct slope_form {
    ww_measure_id id;
    int cost;
    double gamma;
    int band;
    bool is_double, divergence, few_bytes;
    const char *tuning;
} slope_form;
static const slope_form slope_forms[] = {
    {WW_DTW, WW_COST_SQUARED, 4, WW_BAND_NONE, false, false, false, NULL},
    {WW_DTW, WW_COST_EUCLIDEAN, 1, WW_BAND_SAKOE_CHIBA, true, false, false, NULL},
    {WW_WDTW, WW_COST_ABSOLUTE, 2, WW_BAND_NONE, true, true, false, NULL},
    {WW_FRECHET, WW_COST_EUCLIDEAN, 0, WW_BAND_NONE, true, false, true, NULL},
    {WW_DDTW, WW_COST_SQUARED, 1, WW_BAND_NONE, true, false, true, NULL},
    // By tiles.
    {WW_DTW, WW_COST_SQUARED, 4, WW_BAND_NONE, false, true, false, "default form.tiles 2\n"},
    {WW_DTW, WW_COST_EUCLIDEAN, 1, WW_BAND_NONE, false, false, true, "default form.tiles 2\n"},
    {WW_DDTW, WW_COST_SQUARED, 40, WW_BAND_NONE, false, false, false,
     "default form.tiles 2\ndefault gradient.fill 1\n"},
    {WW_DTW, WW_COST_ABSOLUTE, 2, WW_BAND_NONE, false, false, false, "default form.tiles 1\ndefault gradient.fill 1\n"},
};
// Of few of these the tiles have a table, too.
static const size_t slope_numbers[] = {5, 13, 17, 257};
enum { SLOPE_NUMBERS = sizeof slope_numbers / sizeof *slope_numbers };
enum { SLOPE_FORMS = sizeof slope_forms / sizeof *slope_forms };

static double value_of(const ww_measure *measure, bool divergence, const wwr_series *x, const wwr_series *y) {
    const double value = wwr_distance(measure, NULL, x, y);
    if (!divergence)
        return value;
    return value - (wwr_distance(measure, NULL, x, x) + wwr_distance(measure, NULL, y, y)) / 2;
}

// Some slopes of a side, by differences of the reference.
static void check_slopes(const slope_form *f, const ww_measure *measure, wwt_set *sets, int side, const void *slopes) {
    const ww_precision precision = f->is_double ? WW_DOUBLE : WW_FLOAT;
    for (int k = 0; k < 24; k++) {
        const size_t i = wwt_random_size(0, sets[0].count - 1), points = sets[side].lengths[i] * sets[side].channels;
        double *at = sets[side].values + sets[side].offsets[i] + wwt_random_size(0, points - 1);
        const double kept = *at, step = 1e-5;
        const wwr_series x = wwt_series(&sets[0], i), y = wwt_series(&sets[1], i);
        *at = kept + step;
        const double above = value_of(measure, f->divergence, &x, &y);
        *at = kept - step;
        const double slope = (above - value_of(measure, f->divergence, &x, &y)) / (2 * step);
        const double found = wwt_value(slopes, precision, (size_t)(at - sets[side].values));
        *at = kept;
        ck_assert_msg(fabs(found - slope) <= (f->is_double ? 2e-5 : 2e-3) * (1 + fabs(slope)),
                      "%zu channels, side %d: slope %.9g, difference %.9g", sets[0].channels, side, found, slope);
    }
}

// With an upstream, and by one side alone: the slopes times their pair's factor.
static void check_upstream(ww_gradient *gradient, const wwt_set *set, int side, const void *slopes,
                           ww_precision precision) {
    static const double factors[] = {2, -0.5, 0};
    const size_t values = set->offsets[2] + set->lengths[2] * set->channels;
    void *found = wwt_guarded(values, precision);
    const ww_output output = WW_OUTPUT_HOST(found);
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    const float single[] = {2, -0.5f, 0};
    *(side ? &to.columns : &to.rows) = &output;
    to.upstream = precision == WW_DOUBLE ? (const void *)factors : single;
    wwt_ok(ww_gradient_run(gradient, &to));
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < set->lengths[i] * set->channels; k++) {
            const double slope = wwt_value(slopes, precision, set->offsets[i] + k);
            const double scaled = wwt_value(found, precision, set->offsets[i] + k);
            ck_assert(fabs(scaled - factors[i] * slope) <= 1e-5 * (1 + fabs(slope)));
        }
    wwt_guarded_free(found);
}

START_TEST(gradients) {
    const slope_form *f = &slope_forms[_i];
    static const size_t n[] = {64, 9, 70}, m[] = {66, 30, 63};
    const ww_precision precision = f->is_double ? WW_DOUBLE : WW_FLOAT;
    if (f->is_double && !wwt_device_has_double())
        return;
    ww_measure measure = wwt_measure(f->id);
    measure.cost = (ww_cost)f->cost;
    measure.gamma = f->gamma;
    measure.band.kind = (ww_band_kind)f->band;
    measure.band.width = f->band == WW_BAND_NONE ? 0 : 25;
    ww_context *usual = wwt_context;
    ww_context *tuned = f->tuning ? wwt_context_tuned(f->tuning) : NULL;
    wwt_context = tuned ? tuned : usual;
    for (int k = 0; k < SLOPE_NUMBERS; k++) {
        wwt_seed((unsigned)(_i * NUMBERS + k));
        wwt_set sets[2] = {wwt_set_make(slope_numbers[k], n, 3), wwt_set_make(slope_numbers[k], m, 3)};
        ww_dataset *rows = wwt_dataset(&sets[0], precision), *columns = wwt_dataset(&sets[1], precision);
        ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
        ww_run_options run = WW_RUN_OPTIONS_INIT;
        ww_gradient *gradient = NULL;
        // A batch for each pair, and some pairs in segments.
        run.max_bytes = f->few_bytes ? 400000 + 3000 * slope_numbers[k] : 0;
        options.run = &run;
        options.divergence = f->divergence;
        ww_gradient_info info = WW_GRADIENT_INFO_INIT;
        wwt_ok(ww_gradient_create_pairs(&measure, rows, columns, NULL, NULL, 3, &options, &gradient));
        wwt_ok(ww_gradient_get_info(gradient, &info));
        void *values = wwt_guarded(3, precision);
        void *slopes[2] = {wwt_guarded(info.rows, precision), wwt_guarded(info.columns, precision)};
        const ww_output outputs[3] = {WW_OUTPUT_HOST(values), WW_OUTPUT_HOST(slopes[0]), WW_OUTPUT_HOST(slopes[1])};
        ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
        to.values = &outputs[0];
        to.rows = &outputs[1];
        to.columns = &outputs[2];
        wwt_ok(ww_gradient_run(gradient, &to));
        for (size_t i = 0; i < 3; i++) {
            const wwr_series x = wwt_series(&sets[0], i), y = wwt_series(&sets[1], i);
            const double expected = value_of(&measure, f->divergence, &x, &y);
            ck_assert(fabs(wwt_value(values, precision, i) - expected) <= 1e-5 * (fabs(expected) + 200 * f->gamma));
        }
        check_slopes(f, &measure, sets, 0, slopes[0]);
        check_slopes(f, &measure, sets, 1, slopes[1]);
        check_upstream(gradient, &sets[k % 2], k % 2, slopes[k % 2], precision);
        wwt_guarded_free(values);
        for (int side = 0; side < 2; side++) {
            wwt_guarded_free(slopes[side]);
            wwt_set_free(&sets[side]);
        }
        ww_gradient_destroy(&gradient);
        ww_dataset_destroy(&rows);
        ww_dataset_destroy(&columns);
    }
    wwt_context = usual;
    if (tuned)
        ww_context_destroy(&tuned);
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
    wwt_add(suite, products, 2);
    wwt_add(suite, matches, 3);
    wwt_add(suite, paths, 1);
    wwt_add(suite, gradients, SLOPE_FORMS);
    wwt_add(suite, programs, 1);
    return wwt_run(suite);
}
