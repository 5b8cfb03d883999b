// SPDX-License-Identifier: Apache-2.0
// Open ends and the soft minimum, every engine that takes them against the double reference; what a recurrence's fused
// cell gives against its parts; what is refused.
//
// A program is what costs time here: the rows cover pairs of engine, precision, list, band, channels and measure, not
// all.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "support.h"
#include "vectors/vector_measure.h"

// ---- what is computed

typedef struct work {
    ww_measure_id id;
    ww_engine engine;
    ww_precision precision;
    bool list, banded;
    size_t channels;
    double gamma;
} work;

static const char user_text[] = "#define WW_USER_ENTER\n"
                                "#define WW_USER_OPEN_BORDER 0\n"
                                "ww_entries ww_user_enter(real left, real up, real diagonal, ww_point x, ww_point y, "
                                "real lag) {\n"
                                "    return ww_entries_of(left + WW_P_p0, up + WW_P_p0, diagonal);\n"
                                "}\n"
                                "real ww_user_node(real best, ww_point x, ww_point y, real lag) {\n"
                                "    return best + ww_cost(x, y);\n"
                                "}\n";

static ww_measure measure_of(const work *w) {
    ww_measure measure = wwt_measure(w->id);
    if (w->id == WW_USER) {
        measure.recurrence = user_text;
        measure.parameters[0] = 0.5;
    }
    if (w->banded)
        measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 4.0};
    measure.gamma = w->gamma;
    return measure;
}

// The reference has ADTW for the user's text.
static double expected_of(const ww_measure *measure, const wwr_series *x, const wwr_series *y) {
    ww_measure known = *measure;
    if (measure->id == WW_USER) {
        known = wwt_measure(WW_ADTW);
        memcpy(known.parameters, measure->parameters, sizeof known.parameters);
        known.band = measure->band;
        known.gamma = measure->gamma;
        known.relax_begin_x = measure->relax_begin_x;
        known.relax_end_x = measure->relax_end_x;
        known.relax_begin_y = measure->relax_begin_y;
        known.relax_end_y = measure->relax_end_y;
    }
    return wwr_distance(&known, NULL, x, y);
}

// A soft value is a difference of costs and of gamma times a logarithm for each step: its error goes with these.
static bool close_enough(const ww_measure *measure, double value, double expected, const wwr_series *x,
                         const wwr_series *y, ww_precision precision) {
    const double steps = (double)(x->length + y->length);
    return isfinite(value) &&
           fabs(value - expected) <= wwt_tolerance(precision) * (fabs(expected) + 1e-30 + measure->gamma * steps);
}

static wwt_set set_of(const work *w, size_t least, size_t most, size_t count) {
    wwt_set set = wwt_set_random(w->channels, least, most, count);
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += set.lengths[i] * w->channels;
    for (size_t v = 0; w->id == WW_LEVENSHTEIN && v < total; v++)
        set.values[v] = floor(set.values[v] * 2.0);
    return set;
}

static void check(const work *w, const ww_measure *measure, const wwt_set *rows, const wwt_set *columns) {
    ww_plan_options options = wwt_engine(w->engine);
    void *values = w->list ? wwt_pairs(measure, rows, columns, w->precision, &options)
                           : wwt_matrix(measure, rows, columns, w->precision, &options);
    const wwt_set *across = columns ? columns : rows;
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < rows->count; i++)
        for (size_t j = 0; j < (w->list ? 1 : across->count); j++) {
            const wwr_series x = wwt_series(rows, i), y = wwt_series(across, w->list ? i : j);
            const double value = wwt_value(values, w->precision, w->list ? i : i * across->count + j);
            const double expected = expected_of(measure, &x, &y);
            ck_assert_msg(close_enough(measure, value, expected, &x, &y, w->precision),
                          "%s %s gamma %g ends %zu %zu %zu %zu: (%zu,%zu) of %zu x %zu is %.17g, reference %.17g",
                          ww_measure_info_by_id(measure->id)->name, ww_word(WW_WORD_ENGINE, w->engine), measure->gamma,
                          measure->relax_begin_x, measure->relax_end_x, measure->relax_begin_y, measure->relax_end_y, i,
                          j, x.length, y.length, value, expected);
        }
    wwt_guarded_free(values);
}

// Lengths about those of row-steps, blocks and groups; a strip's is 128 columns or more.
static void check_lengths(const work *w, const ww_measure *measure) {
    const size_t least = w->id == WW_DDTW || w->id == WW_WDDTW ? 3 : 1;
    wwt_set rows = set_of(w, least, 37, 9), columns = set_of(w, least, 37, 9);
    check(w, measure, &rows, &columns);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
    if (w->engine != WW_ENGINE_STRIPS)
        return;
    static const size_t row_lengths[] = {127, 300, 401}, column_lengths[] = {128, 129, 400};
    rows = wwt_set_make(w->channels, row_lengths, 3);
    columns = wwt_set_make(w->channels, column_lengths, 3);
    for (size_t v = 0; w->id == WW_LEVENSHTEIN && v < 827 * w->channels; v++)
        rows.values[v] = floor(rows.values[v] * 2.0);
    for (size_t v = 0; w->id == WW_LEVENSHTEIN && v < 657 * w->channels; v++)
        columns.values[v] = floor(columns.values[v] * 2.0);
    check(w, measure, &rows, &columns);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}

static bool can_run(const work *w) {
    return w->precision == WW_FLOAT || wwt_device_has_double();
}

// ---- open ends

static const work open_work[] = {
    {WW_DTW, WW_ENGINE_LANES, WW_FLOAT, false, false, 1, 0},
    {WW_DTW, WW_ENGINE_PACKED, WW_DOUBLE, true, true, 1, 0},
    {WW_DTW, WW_ENGINE_LANES, WW_FLOAT, false, true, 1, 0},
    {WW_DTW, WW_ENGINE_STRIPS, WW_FLOAT, false, false, 1, 0},
    {WW_ADTW, WW_ENGINE_LANES, WW_DOUBLE, true, false, 1, 0},
    {WW_WDTW, WW_ENGINE_PACKED, WW_FLOAT, false, false, 1, 0},
    {WW_FRECHET, WW_ENGINE_STRIPS, WW_DOUBLE, true, true, 1, 0},
    {WW_EDR, WW_ENGINE_PACKED, WW_FLOAT, true, false, 2, 0},
    {WW_LEVENSHTEIN, WW_ENGINE_STRIPS, WW_FLOAT, false, false, 1, 0},
    {WW_LEVENSHTEIN, WW_ENGINE_LANES, WW_FLOAT, false, false, 1, 0},
    {WW_DDTW, WW_ENGINE_LANES, WW_DOUBLE, true, true, 3, 0},
    {WW_USER, WW_ENGINE_PACKED, WW_FLOAT, false, true, 1, 0},
};
enum { OPEN_WORK = sizeof open_work / sizeof *open_work };

static void relax(ww_measure *measure, const size_t by[4]) {
    measure->relax_begin_x = by[0];
    measure->relax_end_x = by[1];
    measure->relax_begin_y = by[2];
    measure->relax_end_y = by[3];
}

START_TEST(open_ends) {
    static const size_t relaxations[][4] = {{0, 0, SIZE_MAX, SIZE_MAX},
                                            {SIZE_MAX, SIZE_MAX, 0, 0},
                                            {1, 2, 3, 4},
                                            {5, 0, 0, 0},
                                            {0, 0, 0, 7},
                                            {2, 3, 2, 3},
                                            {SIZE_MAX, 1, 2, SIZE_MAX},
                                            {9, 9, 9, 9}};
    const work *w = &open_work[_i];
    ww_measure measure = measure_of(w);
    if (!can_run(w))
        return;
    wwt_seed((unsigned)_i);
    if (w->id == WW_LEVENSHTEIN)
        wwt_ok(ww_measure_set(&measure, "deletion", 1.5));
    for (size_t k = 0; k < sizeof relaxations / sizeof *relaxations; k++) {
        relax(&measure, relaxations[k]);
        check_lengths(w, &measure);
        if (!w->list) { // a set with itself: half of it where the relaxation is the same both ways
            wwt_set set = set_of(w, 3, 30, 7);
            check(w, &measure, &set, NULL);
            wwt_set_free(&set);
        }
    }
}
END_TEST

static void no_path(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns) {
    ww_dataset *x = wwt_dataset(rows, WW_FLOAT), *y = wwt_dataset(columns, WW_FLOAT);
    ww_plan *plan = NULL;
    wwt_fails(ww_plan_create_matrix(measure, x, y, NULL, &plan), WW_ERROR_NO_PATH);
    ww_dataset_destroy(&x);
    ww_dataset_destroy(&y);
}

// Bands that end before the longer series does, the rest of which may be skipped: every engine and measure. Of one
// point beside an open border no path is looked for, so that lengths begin at 2.
START_TEST(ends_inside_bands) {
    static const size_t relaxations[][4] = {
        {0, SIZE_MAX, 0, SIZE_MAX}, {2, SIZE_MAX, 3, SIZE_MAX}, {SIZE_MAX, 40, SIZE_MAX, 40}, {0, 31, SIZE_MAX, 31}};
    const work w = open_work[_i];
    ww_measure measure = measure_of(&w);
    if (!can_run(&w) || w.id == WW_USER)
        return;
    const size_t derived = w.id == WW_DDTW ? 2 : 0, one_x = 12 + derived, one_y = 31 + derived;
    wwt_seed((unsigned)_i + 40);
    if (w.id == WW_LEVENSHTEIN)
        wwt_ok(ww_measure_set(&measure, "deletion", 1.5));
    for (size_t k = 0; k < sizeof relaxations / sizeof *relaxations; k++) {
        relax(&measure, relaxations[k]);
        measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = k < 2 ? (double)(4 * k) : 3};
        wwt_set rows = set_of(&w, 2 + derived, 33 + derived, 9), columns = set_of(&w, 2 + derived, 33 + derived, 9);
        check(&w, &measure, &rows, &columns);
        if (!w.list)
            check(&w, &measure, &rows, NULL);
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
    // As many points as have to be skipped, and one less; a side's own end alone.
    wwt_set short_one = set_of(&w, one_x, one_x, 1), long_one = set_of(&w, one_y, one_y, 1);
    measure.band.width = 5;
    for (size_t begin = 0; begin < 5; begin += 4)
        for (size_t side = 0; side < 2; side++) {
            wwt_set *x = side ? &long_one : &short_one, *y = side ? &short_one : &long_one;
            measure.relax_begin_x = measure.relax_begin_y = begin;
            measure.relax_end_x = side ? 14 : 0;
            measure.relax_end_y = side ? 0 : 14;
            check(&w, &measure, x, y);
            measure.relax_end_x = side ? 13 : 14;
            measure.relax_end_y = side ? 14 : 13;
            no_path(&measure, x, y);
        }
    wwt_set_free(&short_one);
    wwt_set_free(&long_one);
}
END_TEST

// Strips by work-groups, which CPUs take for nothing else. One pair, so that these are narrow: some have a strip on
// either side.
START_TEST(open_ends_of_groups) {
    static const size_t lengths[] = {401, 530};
    static const work groups[] = {{WW_DTW, WW_ENGINE_STRIPS, WW_FLOAT, false, false, 1, 0},
                                  {WW_FRECHET, WW_ENGINE_STRIPS, WW_DOUBLE, true, true, 1, 0}};
    const work *w = &groups[_i];
    ww_measure measure = measure_of(w);
    ww_context *own = wwt_context;
    if (!can_run(w))
        return;
    wwt_seed((unsigned)_i);
    wwt_set rows = wwt_set_make(1, &lengths[0], 1), columns = wwt_set_make(1, &lengths[1], 1);
    wwt_context = wwt_context_tuned("default form.items 1\n");
    measure.relax_begin_x = 20;
    measure.relax_end_x = 30;
    measure.relax_begin_y = 10;
    measure.relax_end_y = 140;
    if (w->banded)
        measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 260.0};
    check(w, &measure, &rows, &columns);
    measure.relax_end_y = 0;
    check(w, &measure, &rows, &columns);
    measure.relax_end_y = 140;
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 60.0}; // which ends before y does
    check(w, &measure, &rows, &columns);
    ww_context_destroy(&wwt_context);
    wwt_context = own;
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Few long series against many short ones and the other way: roles are exchanged, and the relaxation with them.
START_TEST(roles_of_open_ends) {
    ww_measure measure = wwt_measure(WW_DTW);
    const work w = {WW_DTW, WW_ENGINE_PACKED, WW_FLOAT, false, false, 1, 0};
    wwt_seed((unsigned)_i);
    wwt_set few = set_of(&w, 20, 60, 2), many = set_of(&w, 5, 25, 40);
    measure.relax_begin_x = 4;
    measure.relax_end_x = 1;
    measure.relax_end_y = 7;
    check(&w, &measure, &many, &few);
    check(&w, &measure, &few, &many);
    wwt_set_free(&few);
    wwt_set_free(&many);
}
END_TEST

// Neighbours: no bound and no early end that open ends or a soft minimum make wrong.
START_TEST(neighbours) {
    enum { BASE = 150, QUERIES = 4, K = 3, LENGTH = 70 };
    ww_measure measure = wwt_measure(WW_DTW);
    wwt_seed((unsigned)_i);
    wwt_set base = wwt_set_random(1, LENGTH, LENGTH, BASE), queries = wwt_set_random(1, LENGTH, LENGTH, QUERIES);
    for (size_t v = 0; v < BASE * LENGTH; v++)
        base.values[v] += (double)(v / LENGTH * 37 % 50) / 2.0;
    if (_i)
        measure.gamma = 1.0;
    else
        measure.relax_begin_y = measure.relax_end_y = measure.relax_begin_x = 40;
    void *all = wwt_matrix(&measure, &queries, &base, WW_FLOAT, NULL);
    ww_dataset *b = wwt_dataset(&base, WW_FLOAT), *q = wwt_dataset(&queries, WW_FLOAT);
    ww_plan *plan = NULL;
    int64_t indices[QUERIES * K];
    float found[QUERIES * K];
    wwt_ok(ww_plan_create_nearest(&measure, q, b, K, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, found));
    for (size_t i = 0; i < QUERIES; i++) {
        bool taken[BASE] = {false};
        for (size_t place = 0; place < K; place++) {
            size_t best = BASE;
            for (size_t j = 0; j < BASE; j++)
                if (!taken[j] && (best == BASE || ((float *)all)[i * BASE + j] < ((float *)all)[i * BASE + best]))
                    best = j;
            taken[best] = true;
            ck_assert_int_eq(indices[i * K + place], (int64_t)best);
            ck_assert(found[i * K + place] == ((float *)all)[i * BASE + best]);
        }
    }
    // Soft values of a series with itself are below 0, not taken for 0.
    if (_i) {
        void *self = wwt_matrix(&measure, &queries, NULL, WW_FLOAT, NULL);
        ck_assert(((float *)self)[0] < 0);
        wwt_guarded_free(self);
    }
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&q);
    wwt_guarded_free(all);
    wwt_set_free(&base);
    wwt_set_free(&queries);
}
END_TEST

// ---- the soft minimum

static const work soft_work[] = {
    {WW_DTW, WW_ENGINE_LANES, WW_FLOAT, false, false, 1, 1.0},
    {WW_DTW, WW_ENGINE_LANES, WW_DOUBLE, true, true, 1, 0.1},
    {WW_DTW, WW_ENGINE_STRIPS, WW_FLOAT, false, true, 1, 1e-4},
    {WW_DTW, WW_ENGINE_PACKED, WW_FLOAT, false, false, 3, 1e4},
    {WW_ADTW, WW_ENGINE_LANES, WW_FLOAT, false, false, 1, 0.5},
    {WW_WDTW, WW_ENGINE_PACKED, WW_DOUBLE, true, false, 1, 0.01},
    {WW_DDTW, WW_ENGINE_PACKED, WW_FLOAT, false, true, 1, 1.0},
    {WW_ERP, WW_ENGINE_STRIPS, WW_FLOAT, false, false, 1, 1.0},
    {WW_ERP, WW_ENGINE_PACKED, WW_DOUBLE, true, false, 2, 1e-4},
    {WW_MSM, WW_ENGINE_LANES, WW_FLOAT, false, true, 1, 0.3},
    {WW_MSM, WW_ENGINE_STRIPS, WW_DOUBLE, true, false, 1, 1e4},
    {WW_TWED, WW_ENGINE_STRIPS, WW_FLOAT, false, true, 1, 0.5},
    {WW_TWED, WW_ENGINE_LANES, WW_DOUBLE, false, false, 2, 1.0},
    {WW_TWED, WW_ENGINE_PACKED, WW_FLOAT, true, false, 1, 0.5},
    {WW_TWED, WW_ENGINE_PACKED, WW_DOUBLE, false, true, 2, 1.0},
    {WW_WDTW, WW_ENGINE_PACKED, WW_FLOAT, false, false, 1, 0.3},
    {WW_MSM, WW_ENGINE_PACKED, WW_FLOAT, false, false, 1, 0.3},
    {WW_USER, WW_ENGINE_LANES, WW_FLOAT, true, false, 1, 0.2},
};
enum { SOFT_WORK = sizeof soft_work / sizeof *soft_work };

START_TEST(soft) {
    const work *w = &soft_work[_i];
    const ww_measure measure = measure_of(w);
    if (!can_run(w))
        return;
    wwt_seed((unsigned)_i);
    check_lengths(w, &measure);
    if (!w->list) {
        wwt_set set = set_of(w, 3, 30, 7);
        check(w, &measure, &set, NULL);
        wwt_set_free(&set);
    }
    // None of a pack is short: on a CPU its cells go by tiles of 8 x 8.
    wwt_set rows = set_of(w, 20, 45, 9), columns = set_of(w, 20, 45, 9);
    check(w, &measure, &rows, &columns);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Weights that plain values scale by a power of two and soft ones do not: of the diagonal 3e-7 with g = 0.05, less than
// the least normal number with the larger g.
static const work soft_weights[] = {
    {WW_WDTW, WW_ENGINE_PACKED, WW_DOUBLE, true, false, 1, 0.01},
    {WW_WDTW, WW_ENGINE_STRIPS, WW_DOUBLE, true, false, 1, 0.01},
    {WW_WDTW, WW_ENGINE_PACKED, WW_FLOAT, true, false, 1, 0.01},
    {WW_WDTW, WW_ENGINE_STRIPS, WW_FLOAT, true, false, 1, 0.01},
};
enum { SOFT_WEIGHTS = sizeof soft_weights / sizeof *soft_weights };

START_TEST(soft_weights_of_long_series) {
    static const size_t row_lengths[] = {600, 600, 590, 611}, column_lengths[] = {600, 580, 640, 611};
    const work *w = &soft_weights[_i / 2];
    ww_measure measure = measure_of(w);
    if (!can_run(w))
        return;
    if (_i % 2)
        wwt_ok(ww_measure_set(&measure, "g", w->precision == WW_DOUBLE ? 2.5 : 0.31));
    wwt_seed((unsigned)_i);
    wwt_set rows = wwt_set_make(1, row_lengths, 4), columns = wwt_set_make(1, column_lengths, 4);
    check(w, &measure, &rows, &columns);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// As gamma goes to 0 the value goes to that of the minimum, from below, by no more than gamma log 3 a step.
START_TEST(soft_tends_to_hard) {
    enum { N = 5, LENGTH = 40 };
    ww_measure measure = wwt_measure(_i ? WW_MSM : WW_DTW);
    const ww_precision precision = wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    wwt_seed((unsigned)_i);
    wwt_set set = wwt_set_random(1, LENGTH, LENGTH, N);
    void *hard = wwt_matrix(&measure, &set, &set, precision, NULL);
    measure.gamma = 1e-5;
    void *soft_values = wwt_matrix(&measure, &set, &set, precision, NULL);
    for (size_t i = 0; i < N * N; i++) {
        const double value = wwt_value(soft_values, precision, i), limit = wwt_value(hard, precision, i);
        ck_assert_double_le(value, limit + wwt_tolerance(precision) * (1 + limit));
        ck_assert_double_ge(value,
                            limit - 2 * LENGTH * 1.0986123 * measure.gamma - wwt_tolerance(precision) * (1 + limit));
    }
    wwt_guarded_free(hard);
    wwt_guarded_free(soft_values);
    wwt_set_free(&set);
}
END_TEST

// ---- published values

static double distance_of(const ww_measure *measure, const double *x, size_t n, const double *y, size_t m,
                          size_t channels, ww_precision precision) {
    wwt_set sets[2];
    sets[0] = wwt_set_make(channels, &n, 1);
    sets[1] = wwt_set_make(channels, &m, 1);
    memcpy(sets[0].values, x, n * channels * sizeof *x);
    memcpy(sets[1].values, y, m * channels * sizeof *y);
    void *value = wwt_pairs(measure, &sets[0], &sets[1], precision, NULL);
    const double result = wwt_value(value, precision, 0);
    wwt_guarded_free(value);
    wwt_set_free(&sets[0]);
    wwt_set_free(&sets[1]);
    return result;
}

START_TEST(published) {
    const ww_precision precision = (ww_precision)_i;
    size_t tested = 0;
    for (size_t k = 0; k < ELASTIC_VECTOR_COUNT; k++) {
        const elastic_vector *v = &elastic_vectors[k];
        ww_measure measure;
        if (!vector_measure(v, &measure) || (measure.gamma == 0.0 && !measure.relax_end_y))
            continue;
        double value = distance_of(&measure, v->x, v->n, v->y, v->m, v->channels, precision);
        if (vector_is_divergence(v))
            value -= (distance_of(&measure, v->x, v->n, v->x, v->n, v->channels, precision) +
                      distance_of(&measure, v->y, v->m, v->y, v->m, v->channels, precision)) /
                     2;
        const double tolerance = precision == WW_DOUBLE ? 1e-9 : 1e-5;
        ck_assert_msg(fabs(value - v->precise) <= tolerance * (fabs(v->precise) + measure.gamma),
                      "%s: %.17g, not %.17g", v->name, value, v->precise);
        tested++;
    }
    ck_assert_uint_eq(tested, 9);
}
END_TEST

// ---- a recurrence's fused cell and its parts

static const char parts_text[] =
    "__kernel void ww_parts(__global ww_scalar *restrict report) {\n"
    "    const ww_scalar points[5] = {(ww_scalar)-1.5, 0, (ww_scalar)0.25, (ww_scalar)0.4, 3};\n"
    "    const ww_scalar neighbours[4] = {0, (ww_scalar)2, 3, 7};\n"
    "    const ww_pair lengths = {4, 4};\n"
    "#ifdef WW_PARAMETERS\n"
    "    const ww_parameters given = {(ww_scalar)0.3};\n"
    "#endif\n"
    "    report[0] = 0;\n"
    "    for (uint k = 0; k < 625 * 64; k++) {\n"
    "        ww_point p[4];\n"
    "        for (int c = 0; c < WW_CHANNELS; c++)\n"
    "            for (uint i = 0, d = k; i < 4; i++, d /= 5)\n"
    "                p[i].value[c] = points[(d % 5 + (uint)c * i) % 5];\n"
    "        const ww_row x = ww_row_make(p[0], p[1], 2);\n"
    "        const ww_column y = ww_column_make(p[2], p[3], 2);\n"
    "        const uint n = k / 625;\n"
    "        const ww_scalar left = neighbours[n % 4], up = neighbours[n / 4 % 4], diagonal = neighbours[n / 16];\n"
    "#if !WW_BAND\n"
    "        if (WW_ORDER == WW_MOST && (diagonal > left || diagonal > up || left > diagonal + 1 || up > diagonal + "
    "1))\n"
    "            continue;\n"
    "#endif\n"
    "        const ww_scalar whole = ww_cell(left, up, diagonal, x, y, 0, lengths, 0, WW_GIVEN);\n"
    "        const ww_scalar parted = WW_CELL(left, up, diagonal, x, y, 0, lengths, 0);\n"
    "        if (!(whole == parted)) {\n"
    "            report[0] = (ww_scalar)(k + 1);\n"
    "            report[1] = whole;\n"
    "            report[2] = parted;\n"
    "        }\n"
    "    }\n"
    "}\n";

static const struct {
    const char *file, *parameters;
    int channels, band;
} fused[] = {
    {"recurrence/edr.cl",
     "#define WW_PARAMETERS epsilon\n#define WW_GIVEN given\n#define WW_I_aeon 0\n#define WW_I_normalised 0\n", 2, 0},
    {"recurrence/lcss.cl", "#define WW_PARAMETERS epsilon\n#define WW_GIVEN given\n#define WW_I_similarity 0\n", 1, 0},
    {"recurrence/lcss.cl", "#define WW_PARAMETERS epsilon\n#define WW_GIVEN given\n#define WW_I_similarity 0\n", 1, 1},
    {"recurrence/lcs.cl", "", 2, 1}};

START_TEST(cell_is_its_parts) {
    wwi_stream *stream = NULL;
    wwi_program *program = NULL;
    wwi_kernel *kernel = NULL;
    wwi_buffer *report = NULL;
    float values[3] = {-1, 0, 0};
    char options[256];
    const wwi_source sources[] = {{"parameters", fused[_i].parameters},
                                  {"base/number.cl", NULL},
                                  {"base/vendor.cl", NULL},
                                  {"base/points.cl", NULL},
                                  {fused[_i].file, NULL},
                                  {"base/launch_args.h", NULL},
                                  {"base/tasks.cl", NULL},
                                  {"base/choose.cl", NULL},
                                  {"base/elements.cl", NULL},
                                  {"parts", parts_text}};
    snprintf(options, sizeof options,
             "-DWWK_DOUBLE=0 -DWW_CHANNELS=%d -DWW_BAND=%d -DWW_COST=%d -DWW_SELECT=0 -DWW_PARTED=1",
             fused[_i].channels, fused[_i].band, (int)WW_COST_EUCLIDEAN);
    wwt_ok(wwi_program_get(wwt_context, sources, sizeof sources / sizeof *sources, options, &program));
    wwt_ok(wwi_stream_create(wwt_context, &stream));
    wwt_ok(wwi_kernel_create(stream, program, "ww_parts", &kernel));
    wwt_ok(wwi_buffer_create(wwt_context, sizeof values, &report));
    const wwi_arg args[] = {WWI_BUFFER(report)};
    wwt_ok(wwi_launch(kernel, 1, 1, args, 1));
    wwt_ok(wwi_buffer_read(report, 0, sizeof values, values));
    ck_assert_msg(values[0] == 0, "%s: case %g is %g whole and %g in parts", fused[_i].file, (double)values[0] - 1,
                  (double)values[1], (double)values[2]);
    wwi_buffer_destroy(&report);
    wwi_kernel_destroy(&kernel);
    wwi_program_release(&program);
    wwi_stream_destroy(&stream);
}
END_TEST

// ---- what is refused

START_TEST(refusals) {
    static const size_t length = 9;
    static const ww_measure_id closed[] = {WW_ERP, WW_LCSS, WW_MSM, WW_TWED, WW_LCS};
    static const ww_measure_id hard[] = {WW_FRECHET, WW_EDR, WW_LCSS, WW_LEVENSHTEIN, WW_LCS};
    wwt_set set = wwt_set_make(1, &length, 1);
    ww_dataset *d = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_measure measure;
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        measure = wwt_measure(closed[i]);
        measure.relax_end_x = 1;
        wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_UNSUPPORTED);
    }
    measure = wwt_measure(WW_EDR);
    measure.relax_begin_y = 1;
    wwt_ok(ww_measure_set(&measure, "aeon", 1));
    wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_UNSUPPORTED);
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        measure = wwt_measure(hard[i]);
        measure.gamma = 1;
        wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_UNSUPPORTED);
    }
    static const double wrong[] = {-1, 1e-31, 1e31, (double)INFINITY, (double)NAN};
    measure = wwt_measure(WW_DTW);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        measure.gamma = wrong[i];
        wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    }
    measure.gamma = 1;
    measure.root = 1;
    wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    measure.root = 0;
    measure.relax_begin_x = 1;
    wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_UNSUPPORTED);
    // A user's text that says nothing of either.
    measure = wwt_measure(WW_USER);
    measure.recurrence = "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
                         "    return ww_cost(x, y) + fmin(diagonal, fmin(left, up));\n}\n";
    measure.gamma = 1;
    wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_UNSUPPORTED);
    measure.gamma = 0;
    measure.relax_end_y = 1;
    wwt_fails(ww_plan_create_matrix(&measure, d, NULL, NULL, &plan), WW_ERROR_UNSUPPORTED);
    // Engine bits has neither.
    ww_plan_options bits = wwt_engine(WW_ENGINE_BITS);
    measure = wwt_measure(WW_LEVENSHTEIN);
    measure.relax_end_y = 1;
    ck_assert_int_ne(ww_plan_create_matrix(&measure, d, NULL, &bits, &plan), WW_OK);
    // The band has to leave a path to where the series may end: 8 points lie behind it.
    static const size_t longer = 20;
    wwt_set other = wwt_set_make(1, &longer, 1);
    ww_dataset *e = wwt_dataset(&other, WW_FLOAT);
    measure = wwt_measure(WW_DTW);
    measure.relax_end_y = 7;
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 3.0};
    wwt_fails(ww_plan_create_matrix(&measure, d, e, NULL, &plan), WW_ERROR_NO_PATH);
    ww_dataset_destroy(&e);
    ww_dataset_destroy(&d);
    wwt_set_free(&other);
    wwt_set_free(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("choices");
    wwt_add(suite, open_ends, OPEN_WORK);
    wwt_add(suite, ends_inside_bands, OPEN_WORK);
    wwt_add(suite, open_ends_of_groups, 2);
    wwt_add(suite, roles_of_open_ends, 1);
    wwt_add(suite, neighbours, 2);
    wwt_add(suite, soft, SOFT_WORK);
    wwt_add(suite, soft_weights_of_long_series, 2 * SOFT_WEIGHTS);
    wwt_add(suite, soft_tends_to_hard, 2);
    wwt_add(suite, published, wwt_precision_count());
    wwt_add(suite, cell_is_its_parts, (int)(sizeof fused / sizeof *fused));
    wwt_add(suite, refusals, 1);
    return wwt_run(suite);
}
