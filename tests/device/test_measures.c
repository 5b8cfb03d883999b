// SPDX-License-Identifier: Apache-2.0
// The measures beside DTW and Frechet x engine x precision against the double reference: shapes, bands, channels,
// parameters, time stamps, properties.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "set_jobs.h"
#include "support.h"
#include "vectors/vector_measure.h"

static const ww_measure_id measures[] = {WW_ADTW, WW_WDTW, WW_DDTW, WW_WDDTW,       WW_ERP, WW_EDR,
                                         WW_LCSS, WW_MSM,  WW_TWED, WW_LEVENSHTEIN, WW_LCS};
static const ww_engine engines[] = {WW_ENGINE_LANES, WW_ENGINE_PACKED, WW_ENGINE_STRIPS};
enum {
    MEASURES = sizeof(measures) / sizeof(measures[0]),
    ENGINES = sizeof(engines) / sizeof(engines[0]),
    FLOAT_LOOPS = MEASURES * ENGINES // loops count floats first, then doubles
};

typedef struct slot {
    ww_measure measure;
    ww_engine engine;
    ww_precision precision;
} slot;

static slot slot_of(int loop) {
    slot s = {wwt_measure(measures[loop % MEASURES]), engines[loop / MEASURES % ENGINES],
              loop < FLOAT_LOOPS ? WW_FLOAT : WW_DOUBLE};
    wwt_seed((unsigned)loop);
    return s;
}

// Every two of (subject, measure, engine, precision) meet in a case.
enum { PUBLISHED, SHAPES, BANDS, CHANNELS, TIME_STAMPS, SUBJECTS };

static bool chosen(int subject, int loop) {
    const wwt_product product = {4, {SUBJECTS, MEASURES, ENGINES, wwt_precision_count()}};
    const int values[] = {subject, loop % MEASURES, loop / MEASURES % ENGINES, loop / FLOAT_LOOPS};
    return wwt_covers(&product, values);
}

// The plain case of every measure in every engine in float at least.
static bool chosen_shapes(int subject, int loop) {
    return loop < FLOAT_LOOPS || chosen(subject, loop);
}

// Of TWED alone: every engine in float.
static bool chosen_times(int subject, int loop) {
    return measures[loop % MEASURES] == WW_TWED && chosen_shapes(subject, loop);
}

static bool is_symbols(ww_measure_id id) {
    return id == WW_LEVENSHTEIN || id == WW_LCS;
}

// Random series; of few whole numbers where they are symbols.
static wwt_set set_of(const slot *s, size_t channels, size_t least, size_t most, size_t count) {
    wwt_set set = wwt_set_random(channels, least, most, count);
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += set.lengths[i] * channels;
    for (size_t v = 0; is_symbols(s->measure.id) && v < total; v++)
        set.values[v] = floor(set.values[v] * 2.0);
    return set;
}

static void check_matrix(const slot *s, const wwt_set *rows, const wwt_set *columns) {
    wwt_check_matrix(&s->measure, NULL, rows, columns, s->precision, s->engine);
}

static void check_random(const slot *s, size_t channels, size_t least, size_t most, size_t rows, size_t columns) {
    wwt_set a = set_of(s, channels, least, most, rows), b = set_of(s, channels, least, most, columns);
    check_matrix(s, &a, &b);
    wwt_set_free(&a);
    wwt_set_free(&b);
}

static const double from_zero[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

// One series as a dataset, with the time stamps from 0 or without any.
static ww_dataset *one_dataset(const double *values, size_t length, size_t channels, bool timed,
                               ww_precision precision) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *dataset = NULL;
    double *all = calloc((channels + 1) * length, sizeof *all);
    ck_assert_ptr_nonnull(all);
    memcpy(all, values, channels * length * sizeof *all);
    for (size_t t = 0; timed && t < length; t++)
        all[channels * length + t] = from_zero[t];
    view.values = all;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.channels = channels + timed;
    view.length = length;
    options.precision = precision;
    options.times = timed;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &dataset));
    ck_assert_uint_eq(ww_dataset_channels(dataset), channels);
    free(all);
    return dataset;
}

START_TEST(published) {
    slot s = slot_of(_i);
    for (size_t v = 0; v < ELASTIC_VECTOR_COUNT; v++) {
        const elastic_vector *vector = &elastic_vectors[v];
        ww_measure measure;
        if (!vector_measure(vector, &measure) || measure.id != s.measure.id)
            continue;
        const bool timed = vector_times_from_zero(vector);
        ww_dataset *x = one_dataset(vector->x, vector->n, vector->channels, timed, s.precision);
        ww_dataset *y = one_dataset(vector->y, vector->m, vector->channels, timed, s.precision);
        ww_plan_options options = wwt_engine(s.engine);
        ww_plan *plan = NULL;
        double value = 0.0;
        float narrow = 0.0f;
        wwt_ok(ww_plan_create_pairs(&measure, x, y, NULL, NULL, 1, &options, &plan));
        wwt_ok(wwt_plan_run(plan, s.precision == WW_DOUBLE ? (void *)&value : &narrow));
        if (s.precision == WW_FLOAT)
            value = (double)narrow;
        double tolerance = s.precision == WW_DOUBLE ? 1e-9 : 1e-5;
        ck_assert_msg(fabs(value - vector->precise) <= tolerance * fabs(vector->precise), "%s: %.17g, not %.17g",
                      vector->name, value, vector->precise);
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&x);
        ww_dataset_destroy(&y);
    }
}
END_TEST

START_TEST(shapes) {
    slot s = slot_of(_i);
    const size_t least = s.measure.id == WW_DDTW || s.measure.id == WW_WDDTW ? 3 : 1;
    check_random(&s, 1, least, 10, 5, 6);
    if (s.engine != WW_ENGINE_LANES) // which compiles a program for every few columns more
        check_random(&s, 1, least, 150, 8, 9);
    check_random(&s, 1, 64, 64, 3, 20);
    if (s.engine == WW_ENGINE_STRIPS)
        check_random(&s, 1, 400, 600, 2, 2);
}
END_TEST

START_TEST(bands) {
    slot s = slot_of(_i);
    s.measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 5.0};
    check_random(&s, 1, 20, 140, 5, 6);
    if (s.engine == WW_ENGINE_STRIPS) {
        s.measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 9.0};
        check_random(&s, 1, 300, 305, 2, 3);
    }
}
END_TEST

// A few of each measure's parameters.
START_TEST(parameters) {
    slot s = slot_of(_i);
    static const struct {
        ww_measure_id id;
        const char *name;
        double value;
    } settings[] = {{WW_ADTW, "penalty", 0.25},
                    {WW_WDTW, "g", 0.3},
                    {WW_WDTW, "w_max", 2.5},
                    {WW_ERP, "g", 0.37},
                    {WW_ERP, "border_total", 1},
                    {WW_EDR, "epsilon", 0.5},
                    {WW_EDR, "normalised", 1},
                    {WW_EDR, "aeon", 1},
                    {WW_LCSS, "epsilon", 0.4},
                    {WW_LCSS, "similarity", 1},
                    {WW_MSM, "c", 0.2},
                    {WW_TWED, "nu", 0.1},
                    {WW_TWED, "degree", 1},
                    {WW_TWED, "no_root", 1},
                    {WW_LEVENSHTEIN, "insertion", 2},
                    {WW_LEVENSHTEIN, "substitution", 0.5}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (settings[i].id != s.measure.id)
            continue;
        // One in each engine; those that change the borders in all, and in a band.
        const bool borders = strcmp(settings[i].name, "aeon") == 0 || strcmp(settings[i].name, "border_total") == 0;
        if (!borders && engines[i % ENGINES] != s.engine)
            continue;
        wwt_ok(ww_measure_set(&s.measure, settings[i].name, settings[i].value));
        check_random(&s, 1, 40, 64, 4, 5);
        s.measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 4.0};
        if (borders)
            check_random(&s, 1, 30, 90, 3, 4);
        s.measure.band = (ww_band){.kind = WW_BAND_NONE};
    }
}
END_TEST

START_TEST(channels) {
    slot s = slot_of(_i);
    s.measure.independent = 0;
    check_random(&s, 2, 40, 60, 3, 4);
    // Too many for registers.
    if (s.engine == WW_ENGINE_LANES)
        check_random(&s, 18, 40, 60, 2, 2);
    s.measure.independent = 1;
    check_random(&s, 2, 40, 60, 3, 4);
}
END_TEST

START_TEST(degrees) {
    slot s = slot_of(_i);
    if (s.measure.id != WW_TWED || s.engine != WW_ENGINE_PACKED)
        return;
    for (int degree = 1; degree <= 4; degree++)
        for (int no_root = 0; no_root <= 1; no_root++) {
            if (!wwt_all_cases() && no_root != degree % 2)
                continue;
            wwt_ok(ww_measure_set(&s.measure, "degree", degree == 4 ? 2.5 : degree));
            wwt_ok(ww_measure_set(&s.measure, "no_root", no_root));
            check_random(&s, 2, 5, 60, 3, 3);
        }
}
END_TEST

// Irregular time stamps on either side, on both, on one.
START_TEST(time_stamps) {
    slot s = slot_of(_i);
    wwt_ok(ww_measure_set(&s.measure, "nu", 0.125));
    for (int sides = 1; sides <= 3; sides++) {
        enum { N = 37, M = 50 };
        double x[2 * N], y[2 * M];
        double *side[2] = {x, y};
        for (int k = 0; k < 2; k++) {
            const size_t length = k ? M : N;
            double now = 0.0;
            for (size_t t = 0; t < length; t++) {
                side[k][t] = (double)(float)wwt_random();
                now += 0.25 * (double)wwt_random_size(0, 8);
                side[k][length + t] = now;
            }
        }
        ww_dataset *sets[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            ww_series_view view = WW_SERIES_VIEW_INIT;
            ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
            view.values = side[k];
            view.precision = WW_DOUBLE;
            view.count = 1;
            view.length = k ? M : N;
            make.times = (sides >> k) & 1;
            view.channels = 1 + (size_t)make.times;
            make.precision = s.precision;
            wwt_ok(ww_dataset_create(wwt_context, &view, &make, &sets[k]));
        }
        ww_plan_options options = wwt_engine(s.engine);
        ww_plan *plan = NULL;
        double value = 0.0;
        float narrow = 0.0f;
        wwt_ok(ww_plan_create_matrix(&s.measure, sets[0], sets[1], &options, &plan));
        wwt_ok(wwt_plan_run(plan, s.precision == WW_DOUBLE ? (void *)&value : &narrow));
        value = s.precision == WW_DOUBLE ? value : (double)narrow;
        wwr_series xs = {x, N, 1}, ys = {y, M, 1};
        double expected =
            wwr_distance_timed(&s.measure, NULL, &xs, sides & 1 ? x + N : NULL, &ys, sides & 2 ? y + M : NULL);
        ck_assert_msg(wwt_close(value, expected, s.precision), "%s, sides %d: %.17g, not %.17g",
                      ww_word(WW_WORD_ENGINE, s.engine), sides, value, expected);
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&sets[0]);
        ww_dataset_destroy(&sets[1]);
    }
}
END_TEST

static bool has_triangle(ww_measure_id id) {
    return id == WW_ERP || id == WW_MSM || id == WW_TWED || id == WW_LEVENSHTEIN;
}

START_TEST(properties) {
    slot s = slot_of(_i);
    enum { N = 9 };
    if (s.measure.id == WW_LCS || s.engine != WW_ENGINE_PACKED)
        return;
    wwt_set set = set_of(&s, 1, 3, 60, N);
    ww_plan_options options = wwt_engine(s.engine);
    // As two sets: then nothing is taken for granted.
    void *values = wwt_matrix(&s.measure, &set, &set, s.precision, &options);
    wwt_set_free(&set);
    ck_assert_ptr_nonnull(values);
    double d[N][N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            d[i][j] = wwt_value(values, s.precision, i * N + j);
    for (size_t i = 0; i < N; i++) {
        ck_assert_double_eq(d[i][i], 0.0);
        for (size_t j = 0; j < N; j++) {
            ck_assert(wwt_close(d[i][j], d[j][i], s.precision));
            for (size_t k = 0; has_triangle(s.measure.id) && k < N; k++)
                ck_assert_double_le(d[i][k], (d[i][j] + d[j][k]) * (1.0 + wwt_tolerance(s.precision)));
        }
    }
    wwt_guarded_free(values);
}
END_TEST

// Without a penalty ADTW is DTW; without a slope WDTW is half of it.
START_TEST(kin_of_dtw) {
    slot s = slot_of(_i);
    if ((s.measure.id != WW_ADTW && s.measure.id != WW_WDTW) || s.engine != WW_ENGINE_PACKED)
        return;
    enum { N = 6 };
    wwt_set rows = set_of(&s, 1, 5, 90, N), columns = set_of(&s, 1, 5, 90, N);
    ww_measure dtw = wwt_measure(WW_DTW);
    ww_plan_options options = wwt_engine(s.engine);
    wwt_ok(ww_measure_set(&s.measure, s.measure.id == WW_ADTW ? "penalty" : "g", 0.0));
    void *mine = wwt_matrix(&s.measure, &rows, &columns, s.precision, &options);
    void *plain = wwt_matrix(&dtw, &rows, &columns, s.precision, &options);
    for (size_t i = 0; i < N * N; i++)
        ck_assert(wwt_close(wwt_value(mine, s.precision, i) * (s.measure.id == WW_WDTW ? 2.0 : 1.0),
                            wwt_value(plain, s.precision, i), s.precision));
    wwt_guarded_free(mine);
    wwt_guarded_free(plain);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Series with and without time stamps of their own, as a set.
static ww_series_set *timed_set(size_t count, size_t width, bool timed) {
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(width, &set));
    for (size_t i = 0; i < count; i++) {
        double values[2 * 60], times[60], now = 3.0;
        const size_t length = wwt_random_size(20, 60);
        for (size_t t = 0; t < length * width; t++)
            values[t] = (double)(float)wwt_random();
        for (size_t t = 0; t < length; t++)
            times[t] = now += 0.25 * (double)wwt_random_size(0, 8);
        wwt_ok(ww_series_set_add(set, length, values, NULL));
        if (timed && i != 1) // which has its index
            wwt_ok(ww_series_set_set_times(set, i, times));
    }
    return set;
}

static const ww_measure_id with_times[] = {WW_TWED, WW_DTW, WW_DDTW, WW_ERP, WW_MSM, WW_LCSS};
enum { IDS = sizeof with_times / sizeof *with_times };

static bool chosen_sets(int unused, int loop) {
    const wwt_product product = {3, {IDS, 2, wwt_precision_count()}};
    const int values[] = {loop % IDS, loop / IDS % 2, loop / (2 * IDS)};
    (void)unused;
    return wwt_covers(&product, values);
}

// A set's time stamps go to the device with it, and only TWED sees them.
START_TEST(times_of_sets) {
    enum { N = 5 };
    const ww_precision precision = (ww_precision)(_i / (2 * IDS));
    const size_t width = 1 + (size_t)(_i / IDS % 2);
    ww_measure measure = wwt_measure(with_times[_i % IDS]);
    wwt_seed((unsigned)_i);
    ww_series_set *rows = timed_set(N, width, true), *columns = timed_set(N, width, true);
    if (measure.id == WW_TWED)
        wwt_ok(ww_measure_set(&measure, "nu", 0.125));
    void *values = wwt_guarded(N * N, precision);
    wwt_ok(wwt_set_matrix(&measure, rows, columns, precision, values));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            const wwr_series x = {ww_series_set_values(rows, i), ww_series_set_length(rows, i), width};
            const wwr_series y = {ww_series_set_values(columns, j), ww_series_set_length(columns, j), width};
            const bool times = measure.id == WW_TWED;
            const double expected = wwr_distance_timed(&measure, NULL, &x, times ? ww_series_set_times(rows, i) : NULL,
                                                       &y, times ? ww_series_set_times(columns, j) : NULL);
            ck_assert_msg(wwt_close(wwt_value(values, precision, i * N + j), expected, precision), "%.17g, not %.17g",
                          wwt_value(values, precision, i * N + j), expected);
        }
    // The same moment for all: nothing changes, or by rounding at most.
    wwt_ok(ww_series_set_shift_times(rows, -3.25));
    wwt_ok(ww_series_set_shift_times(columns, -3.25));
    void *shifted = wwt_guarded(N * N, precision);
    wwt_ok(wwt_set_matrix(&measure, rows, columns, precision, shifted));
    for (size_t i = 0; i < N * N; i++)
        ck_assert(wwt_close(wwt_value(shifted, precision, i), wwt_value(values, precision, i), precision));
    wwt_guarded_free(shifted);
    wwt_guarded_free(values);
    ww_series_set_destroy(&rows);
    ww_series_set_destroy(&columns);
}
END_TEST

// Neighbours of a base with time stamps, with bounds: only the channels are looked at.
START_TEST(times_and_bounds) {
    enum { BASE = 120, QUERIES = 6, LENGTH = 60 };
    ww_series_set *sets[2][2] = {{NULL}}; // [timed][base]
    for (int timed = 0; timed < 2; timed++)
        for (int base = 0; base < 2; base++) {
            wwt_seed((unsigned)base);
            wwt_ok(ww_series_set_create(1, &sets[timed][base]));
            for (size_t i = 0; i < (base ? BASE : QUERIES); i++) {
                double values[LENGTH], times[LENGTH];
                for (size_t t = 0; t < LENGTH; t++) {
                    values[t] = wwt_random() + (double)(i * 37 % 50);
                    times[t] = 1e6 * (double)t;
                }
                wwt_ok(ww_series_set_add(sets[timed][base], LENGTH, values, NULL));
                if (timed)
                    wwt_ok(ww_series_set_set_times(sets[timed][base], i, times));
            }
        }
    const ww_measure measure = wwt_measure(WW_DTW);
    int64_t found[2][QUERIES];
    float distances[2][QUERIES];
    for (int timed = 0; timed < 2; timed++) {
        ww_dataset *base = NULL, *queries = NULL;
        ww_plan *plan = NULL;
        wwt_ok(ww_dataset_create_from_set(wwt_context, sets[timed][1], NULL, &base));
        wwt_ok(ww_dataset_create_from_set(wwt_context, sets[timed][0], NULL, &queries));
        wwt_ok(ww_plan_create_nearest(&measure, queries, base, 1, NULL, &plan));
        wwt_ok(ww_plan_run_nearest(plan, found[timed], distances[timed]));
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&base);
        ww_dataset_destroy(&queries);
        ww_series_set_destroy(&sets[timed][0]);
        ww_series_set_destroy(&sets[timed][1]);
    }
    ck_assert_mem_eq(found[0], found[1], sizeof found[0]);
    ck_assert_mem_eq(distances[0], distances[1], sizeof distances[0]);
}
END_TEST

// What float would round away is refused where it counts, and nowhere else.
START_TEST(beyond_float) {
    static const double symbols[] = {16777216, 16777217, 3}, few[] = {1, 2, 3}, late[] = {1.7e9, 1.7e9 + 1, 1.7e9 + 2};
    for (int times = 0; times < 2; times++) {
        ww_series_set *set = NULL;
        wwt_ok(ww_series_set_create(1, &set));
        wwt_ok(ww_series_set_add(set, 3, few, NULL));
        wwt_ok(ww_series_set_add(set, 3, times ? few : symbols, NULL));
        if (times)
            wwt_ok(ww_series_set_set_times(set, 1, late));
        const ww_measure measure = wwt_measure(times ? WW_TWED : WW_LEVENSHTEIN), dtw = wwt_measure(WW_DTW);
        float values[4];
        double precise[4];
        wwt_fails(wwt_set_matrix(&measure, set, NULL, WW_FLOAT, values), WW_ERROR_UNSUPPORTED);
        ck_assert_int_eq(ww_last_error()->series, 1);
        ck_assert_int_eq(ww_last_error()->position, 1);
        wwt_ok(wwt_set_matrix(&dtw, set, NULL, WW_FLOAT, values));
        if (wwt_device_has_double()) {
            wwt_ok(wwt_set_matrix(&measure, set, NULL, WW_DOUBLE, precise));
            ck_assert(times || precise[1] == 2.0);
        }
        ww_series_set_destroy(&set);
    }
}
END_TEST

static bool chosen_similarities(int unused, int loop) {
    const wwt_product product = {3, {2, 2, wwt_precision_count()}};
    const int values[] = {loop % 2, loop / 2 % 2, loop / 4};
    (void)unused;
    return wwt_covers(&product, values);
}

// Under a similarity the nearest are the largest, ties to the lower index.
START_TEST(nearest_of_similarities) {
    enum { QUERIES = 7, BASE = 90, K = 5 };
    const bool lcs = _i % 2 == 0;
    const ww_precision precision = (ww_precision)(_i / 4);
    const bool self = _i / 2 % 2 != 0;
    ww_measure measure = wwt_measure(lcs ? WW_LCS : WW_LCSS);
    slot s = {measure, WW_ENGINE_AUTO, precision};
    wwt_seed((unsigned)_i);
    if (!lcs)
        wwt_ok(ww_measure_set(&measure, "similarity", 1));
    wwt_set base = set_of(&s, 1, 5, 40, BASE), queries = set_of(&s, 1, 5, 40, QUERIES);
    ww_dataset *b = wwt_dataset(&base, precision), *q = wwt_dataset(&queries, precision);
    const wwt_set *rows = self ? &base : &queries;
    void *all = wwt_matrix(&measure, rows, &base, precision, NULL);
    void *found = wwt_guarded(rows->count * K, precision);
    int64_t *indices = calloc(rows->count * K, sizeof *indices);
    ck_assert(all && indices);
    for (int small = 0; small < 2; small++) {
        ww_plan_options options = WW_PLAN_OPTIONS_INIT;
        ww_plan *plan = NULL;
        ww_run_options run = WW_RUN_OPTIONS_INIT;
        run.max_bytes = small ? 1000 : 0;
        options.run = &run;
        wwt_ok(ww_plan_create_nearest(&measure, self ? b : q, self ? NULL : b, K, &options, &plan));
        wwt_ok(ww_plan_run_nearest(plan, indices, found));
        ww_plan_destroy(&plan);
        for (size_t i = 0; i < rows->count; i++) {
            bool taken[BASE] = {false};
            for (size_t place = 0; place < K; place++) {
                size_t best = BASE;
                for (size_t j = 0; j < BASE; j++)
                    if (!taken[j] && !(self && i == j) &&
                        (best == BASE ||
                         wwt_value(all, precision, i * BASE + j) > wwt_value(all, precision, i * BASE + best)))
                        best = j;
                taken[best] = true;
                ck_assert_int_eq(indices[i * K + place], (int64_t)best);
                ck_assert_double_eq(wwt_value(found, precision, i * K + place),
                                    wwt_value(all, precision, i * BASE + best));
            }
        }
    }
    // More than there are.
    ww_plan *plan = NULL;
    int64_t many[BASE + 1];
    double values[BASE + 1];
    wwt_set one = set_of(&s, 1, 5, 40, 1);
    ww_dataset *o = wwt_dataset(&one, precision);
    wwt_ok(ww_plan_create_nearest(&measure, o, b, BASE + 1, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, many, values));
    ck_assert_int_eq(many[BASE], -1);
    ck_assert_double_eq(wwt_value(values, precision, BASE), (double)-INFINITY);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&o);
    wwt_set_free(&one);
    wwt_guarded_free(all);
    wwt_guarded_free(found);
    free(indices);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&q);
    wwt_set_free(&base);
    wwt_set_free(&queries);
}
END_TEST

// A set with itself: half of the matrix only where the measure is symmetric.
START_TEST(halves_of_edits) {
    static const char *const words[] = {"kitten", "sitting", "abc", "c", "mitten", "bcd"};
    enum { N = 6 };
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < N; i++)
        wwt_ok(ww_series_set_add_text(set, words[i], strlen(words[i]), NULL));
    ww_measure measure = wwt_measure(WW_LEVENSHTEIN);
    static const double weights[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 0.5}, {2, 2, 5}, {0, 1, 1}};
    for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
        wwt_ok(ww_measure_set(&measure, "insertion", weights[w][0]));
        wwt_ok(ww_measure_set(&measure, "deletion", weights[w][1]));
        wwt_ok(ww_measure_set(&measure, "substitution", weights[w][2]));
        float half[N * N], whole[N * N];
        wwt_ok(wwt_set_matrix(&measure, set, NULL, WW_FLOAT, half));
        wwt_ok(wwt_set_matrix(&measure, set, set, WW_FLOAT, whole));
        ck_assert_mem_eq(half, whole, sizeof half);
        ck_assert(w != 0 || whole[1] == 3.0F);
        ck_assert(w != 1 || whole[1] == 4.0F);     // one insertion more
        ck_assert(w != 1 || whole[1 * N] == 3.0F); // one deletion
    }
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(refusals) {
    const double values[] = {1, 2, 3, 4};
    ww_dataset *dataset = one_dataset(values, 2, 1, false, WW_FLOAT), *none = NULL;
    ww_plan *plan = NULL;
    ww_measure measure = wwt_measure(WW_DDTW);
    wwt_fails(ww_plan_create_matrix(&measure, dataset, NULL, NULL, &plan), WW_ERROR_EMPTY);
    measure = wwt_measure(WW_MSM);
    measure.cost = WW_COST_SQUARED;
    wwt_fails(ww_plan_create_matrix(&measure, dataset, dataset, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    const double backwards[] = {1, 2, 5, 4};
    view.values = backwards;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.channels = 2;
    view.length = 2;
    options.times = 1;
    wwt_fails(ww_dataset_create(wwt_context, &view, &options, &none), WW_ERROR_INVALID_ARGUMENT);
    view.channels = 1;
    wwt_fails(ww_dataset_create(wwt_context, &view, &options, &none), WW_ERROR_CHANNELS);
    ww_dataset_destroy(&dataset);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("measures");
    const int all = FLOAT_LOOPS * wwt_precision_count();
    const int most = wwt_all_cases() ? all : FLOAT_LOOPS;
    wwt_add_chosen(suite, published, all, PUBLISHED, chosen);
    wwt_add_chosen(suite, shapes, all, SHAPES, chosen_shapes);
    wwt_add_chosen(suite, bands, all, BANDS, chosen);
    wwt_add(suite, properties, most);
    // A program for each: float alone.
    wwt_add(suite, parameters, FLOAT_LOOPS);
    wwt_add_chosen(suite, channels, all, CHANNELS, chosen);
    wwt_add(suite, degrees, FLOAT_LOOPS);
    wwt_add_chosen(suite, time_stamps, all, TIME_STAMPS, chosen_times);
    wwt_add(suite, kin_of_dtw, most);
    wwt_add_chosen(suite, times_of_sets, 2 * IDS * wwt_precision_count(), 0, chosen_sets);
    wwt_add(suite, times_and_bounds, 1);
    wwt_add(suite, beyond_float, 1);
    wwt_add_chosen(suite, nearest_of_similarities, 4 * wwt_precision_count(), 0, chosen_similarities);
    wwt_add(suite, halves_of_edits, 1);
    wwt_add(suite, refusals, 1);
    return wwt_run(suite);
}
