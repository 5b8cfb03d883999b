// SPDX-License-Identifier: Apache-2.0
// Every measure x engine x precision against published values and the double reference, over shapes, bands, costs and
// channels.
#include <math.h>

#include "support.h"
#include "vectors/vector_measure.h"

static const ww_measure_id measures[] = {WW_DTW, WW_FRECHET};
static const ww_engine engines[] = {WW_ENGINE_LANES, WW_ENGINE_PACKED, WW_ENGINE_STRIPS, WW_ENGINE_AUTO};
enum {
    MEASURES = sizeof(measures) / sizeof(measures[0]),
    ENGINES = sizeof(engines) / sizeof(engines[0]),
    FLOAT_LOOPS = MEASURES * ENGINES // loops count floats first, then doubles
};

typedef struct slot {
    ww_measure_id measure;
    ww_engine engine;
    ww_precision precision;
} slot;

static slot slot_of(int loop) {
    slot s = {measures[loop % MEASURES], engines[loop / MEASURES % ENGINES], loop < FLOAT_LOOPS ? WW_FLOAT : WW_DOUBLE};
    wwt_seed((unsigned)loop);
    return s;
}

// Each pair as a set of its own, with its own options: what a caller with one pair does.
START_TEST(published) {
    slot s = slot_of(_i);
    for (size_t v = 0; v < ELASTIC_VECTOR_COUNT; v++) {
        const elastic_vector *vector = &elastic_vectors[v];
        ww_measure measure;
        // Open ends and soft minima: test_choices.c.
        if (!vector_measure(vector, &measure) || measure.id != s.measure || measure.gamma != 0 || measure.relax_end_y)
            continue;
        size_t n = vector->n, m = vector->m, zero = 0;
        wwt_set x = {1, vector->channels, &n, &zero, (double *)(uintptr_t)vector->x};
        wwt_set y = {1, vector->channels, &m, &zero, (double *)(uintptr_t)vector->y};
        ww_plan_options options = wwt_engine(s.engine);
        void *values = wwt_pairs(&measure, &x, &y, s.precision, &options);
        if (!values)
            continue;
        double value = wwt_value(values, s.precision, 0);
        double tolerance = s.precision == WW_DOUBLE ? 1e-9 : 1e-5;
        ck_assert_msg(fabs(value - vector->precise) <= tolerance * fabs(vector->precise), "%s: %.17g, not %.17g",
                      vector->name, value, vector->precise);
        wwt_guarded_free(values);
    }
}
END_TEST

// Edges of groups and vectors, primes, one point. All against all, so that a batch is a mix of lengths.
START_TEST(shapes) {
    slot s = slot_of(_i);
    const size_t lengths[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 7, 61, 211};
    wwt_set rows = wwt_set_make(1, lengths, 16), columns = wwt_set_make(1, lengths, 16);
    ww_measure measure = wwt_measure(s.measure);
    // No engine may refuse the plain case.
    ck_assert_msg(wwt_check_matrix(&measure, NULL, &rows, &columns, s.precision, s.engine), "%s refused",
                  ww_word(WW_WORD_ENGINE, s.engine));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// One length, many series: whole batches, and a rest.
START_TEST(equal_lengths) {
    slot s = slot_of(_i);
    ww_measure measure = wwt_measure(s.measure);
    wwt_set rows = wwt_set_random(1, 50, 50, 13), columns = wwt_set_random(1, 64, 64, 37);
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, s.precision, s.engine));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(huge_ratios) {
    slot s = slot_of(_i);
    const size_t n[] = {1, 5000, 1000, 3, 1, 2, 600, 1031}, m[] = {5000, 1, 3, 1000, 1, 4099, 1031, 600};
    wwt_set x = wwt_set_make(1, n, 8), y = wwt_set_make(1, m, 8);
    ww_measure measure = wwt_measure(s.measure);
    wwt_check_pairs(&measure, NULL, &x, &y, s.precision, s.engine);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

static void check_band(const slot *s, ww_band_kind kind, double width, const wwt_set *rows, const wwt_set *columns) {
    ww_measure measure = wwt_measure(s->measure);
    measure.band.kind = kind;
    measure.band.width = width;
    wwt_check_matrix(&measure, NULL, rows, columns, s->precision, s->engine);
}

START_TEST(bands) {
    slot s = slot_of(_i);
    const size_t row_lengths[] = {61, 64, 65, 70, 96, 100}, column_lengths[] = {64, 66, 69, 80, 97};
    const size_t equal[] = {1, 100, 100, 100, 64, 33};
    wwt_set rows = wwt_set_make(1, row_lengths, 6), columns = wwt_set_make(1, column_lengths, 5);
    wwt_set x = wwt_set_make(1, equal, 6), y = wwt_set_make(1, equal, 6);
    check_band(&s, WW_BAND_SAKOE_CHIBA, 39.0, &rows, &columns);
    check_band(&s, WW_BAND_SAKOE_CHIBA, 1e9, &rows, &columns);
    check_band(&s, WW_BAND_CORNER, 0.0, &rows, &columns);
    check_band(&s, WW_BAND_CORNER, 7.0, &rows, &columns);
    check_band(&s, WW_BAND_SLANTED, 0.0, &rows, &columns);
    check_band(&s, WW_BAND_SLANTED, 0.1, &rows, &columns);
    check_band(&s, WW_BAND_ITAKURA, 2.5, &rows, &columns);
    for (int kind = WW_BAND_SAKOE_CHIBA; kind <= WW_BAND_ITAKURA; kind++) {
        ww_measure measure = wwt_measure(s.measure);
        measure.band.kind = (ww_band_kind)kind;
        measure.band.width = kind == WW_BAND_SLANTED ? 0.05 : kind == WW_BAND_ITAKURA ? 1.2 : 3.0;
        wwt_check_pairs(&measure, NULL, &x, &y, s.precision, s.engine);
    }
    wwt_set_free(&rows);
    wwt_set_free(&columns);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// Intervals that wander, narrow to one cell, and go back to the left.
START_TEST(bands_by_rows) {
    slot s = slot_of(_i);
    enum { N = 70, M = 90 };
    size_t lo[N], hi[N];
    for (size_t i = 0; i < N; i++) {
        size_t centre = i * (M - 1) / (N - 1);
        lo[i] = centre > 9 ? centre - 9 + i % 4 : 0;
        hi[i] = centre + 6 + i % 5 < M ? centre + 6 + i % 5 : M;
        if (i % 23 == 11) {
            lo[i] = centre;
            hi[i] = centre + 1;
        }
    }
    hi[N - 1] = M;
    wwt_set rows = wwt_set_random(1, N, N, 5), columns = wwt_set_random(1, M, M, 6);
    ww_measure measure = wwt_measure(s.measure);
    measure.band = (ww_band){.kind = WW_BAND_ROWS, .lo = lo, .hi = hi, .rows = N};
    wwt_check_matrix(&measure, NULL, &rows, &columns, s.precision, s.engine);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(band_as_long_as_the_series_is_none) {
    slot s = slot_of(_i);
    wwt_set rows = wwt_set_random(1, 20, 90, 6), columns = wwt_set_random(1, 20, 90, 6);
    ww_measure measure = wwt_measure(s.measure);
    ww_plan_options options = wwt_engine(s.engine);
    void *none = wwt_matrix(&measure, &rows, &columns, s.precision, &options);
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 90.0};
    void *wide = wwt_matrix(&measure, &rows, &columns, s.precision, &options);
    if (none && wide)
        ck_assert(wwt_same(none, wide, 36, s.precision));
    wwt_guarded_free(none);
    wwt_guarded_free(wide);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

static double twice_absolute(double x, double y) {
    return fabs(x - y) * 2.0;
}

static double lopsided(double x, double y) {
    return fmax(x - y, (y - x) * 2.0);
}

static void check_cost(const slot *s, ww_cost cost, const char *expression, wwr_value_cost user, int root) {
    wwt_set rows = wwt_set_random(2, 20, 70, 5), columns = wwt_set_random(2, 20, 70, 6);
    ww_measure measure = wwt_measure(s->measure);
    measure.cost = cost;
    measure.cost_expression = expression;
    measure.root = root;
    wwt_check_matrix(&measure, user, &rows, &columns, s->precision, s->engine);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}

START_TEST(costs) {
    slot s = slot_of(_i);
    check_cost(&s, WW_COST_SQUARED, NULL, NULL, 1);
    check_cost(&s, WW_COST_ABSOLUTE, NULL, NULL, 0);
    check_cost(&s, WW_COST_EUCLIDEAN, NULL, NULL, 0);
}
END_TEST

START_TEST(user_costs) {
    slot s = slot_of(_i);
    check_cost(&s, WW_COST_USER, "fabs(x - y) * 2", twice_absolute, 0);
    check_cost(&s, WW_COST_USER, "fmax(x - y, (y - x) * 2)", lopsided, 1);
}
END_TEST

START_TEST(dependent_channels) {
    slot s = slot_of(_i);
    const size_t counts[] = {1, 2, 3, 6, 12, 20};
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        wwt_set rows = wwt_set_random(counts[c], 5, 70, 4), columns = wwt_set_random(counts[c], 5, 70, 5);
        ww_measure measure = wwt_measure(s.measure);
        wwt_check_matrix(&measure, NULL, &rows, &columns, s.precision, s.engine);
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
}
END_TEST

START_TEST(independent_channels) {
    slot s = slot_of(_i);
    for (size_t channels = 1; channels <= 6; channels += 5)
        for (int root = 0; root <= 1; root++) {
            // One channel with a root and six without, or the reverse.
            if (!wwt_all_cases() && (channels == 1) == ((root + _i / MEASURES) % 2 == 0))
                continue;
            wwt_set rows = wwt_set_random(channels, 5, 70, 4), columns = wwt_set_random(channels, 5, 70, 5);
            ww_measure measure = wwt_measure(s.measure);
            measure.independent = 1;
            measure.root = root;
            measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 9.0};
            wwt_check_matrix(&measure, NULL, &rows, &columns, s.precision, s.engine);
            wwt_set_free(&rows);
            wwt_set_free(&columns);
        }
}
END_TEST

START_TEST(properties) {
    slot s = slot_of(_i);
    enum { N = 12 };
    wwt_set set = wwt_set_random(2, 3, 80, N);
    ww_measure measure = wwt_measure(s.measure);
    measure.cost = WW_COST_EUCLIDEAN;
    ww_plan_options options = wwt_engine(s.engine);
    void *values = wwt_matrix(&measure, &set, &set, s.precision, &options);
    wwt_set_free(&set);
    if (!values)
        return;
    double d[N][N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            d[i][j] = wwt_value(values, s.precision, i * N + j);
    for (size_t i = 0; i < N; i++) {
        ck_assert_double_eq(d[i][i], 0.0);
        for (size_t j = 0; j < N; j++) {
            ck_assert(wwt_close(d[i][j], d[j][i], s.precision));
            for (size_t k = 0; s.measure == WW_FRECHET && k < N; k++)
                ck_assert_double_le(d[i][k], (d[i][j] + d[j][k]) * (1.0 + wwt_tolerance(s.precision)));
        }
    }
    wwt_guarded_free(values);
}
END_TEST

// A subject's cases are every pair of (subject, measure, engine, precision): every test meets every engine, measure and
// precision, and every engine every measure in both precisions.
enum {
    PUBLISHED,
    SHAPES,
    EQUAL_LENGTHS,
    HUGE_RATIOS,
    BANDS,
    ROWS,
    WIDE,
    PROPERTIES,
    COSTS,
    USER_COSTS,
    DEPENDENT,
    INDEPENDENT,
    SUBJECTS
};

static bool chosen(int subject, int loop) {
    const wwt_product product = {4, {SUBJECTS, MEASURES, ENGINES, wwt_precision_count()}};
    const int values[] = {subject, loop % MEASURES, loop / MEASURES % ENGINES, loop / FLOAT_LOOPS};
    return wwt_covers(&product, values);
}

// The plain case in every engine in float at least.
static bool chosen_shapes(int subject, int loop) {
    return loop < FLOAT_LOOPS || chosen(subject, loop);
}

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("values");
    int all = FLOAT_LOOPS * wwt_precision_count();
    wwt_add_chosen(suite, published, all, PUBLISHED, chosen);
    wwt_add_chosen(suite, shapes, all, SHAPES, chosen_shapes);
    wwt_add_chosen(suite, equal_lengths, all, EQUAL_LENGTHS, chosen_shapes);
    wwt_add_chosen(suite, huge_ratios, all, HUGE_RATIOS, chosen_shapes);
    wwt_add_chosen(suite, bands, all, BANDS, chosen);
    wwt_add_chosen(suite, bands_by_rows, all, ROWS, chosen);
    wwt_add_chosen(suite, band_as_long_as_the_series_is_none, all, WIDE, chosen);
    wwt_add_chosen(suite, properties, all, PROPERTIES, chosen);
    wwt_add_chosen(suite, costs, all, COSTS, chosen);
    wwt_add_chosen(suite, user_costs, all, USER_COSTS, chosen);
    wwt_add_chosen(suite, dependent_channels, all, DEPENDENT, chosen);
    wwt_add_chosen(suite, independent_channels, all, INDEPENDENT, chosen);
    return wwt_run(suite);
}
