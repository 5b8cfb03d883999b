// SPDX-License-Identifier: Apache-2.0
// Engine bits against the double reference, number for number: alphabets, shapes, jobs, channels; long pairs against
// bit-parallel C with tables of matches; what the engine refuses. On a CPU both its texts run: vectors, and lanes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

enum { LEVENSHTEIN, LCS, MEASURES, TEXTS = 2, LOOPS = MEASURES * TEXTS };
static const ww_measure_id ids[MEASURES] = {WW_LEVENSHTEIN, WW_LCS};
// On points there is one text.
static const ww_measure_id of_points[] = {WW_EDR, WW_LCSS};
enum { OF_POINTS = sizeof of_points / sizeof *of_points };

// The loop's measure, in the loop's text: 0 the device's own, 1 that for GPUs.
static ww_measure begin(int loop) {
    wwt_seed((unsigned)loop);
    if (loop / MEASURES == 1) {
        ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
        char path[] = "/tmp/wavewarp-bits-XXXXXX";
        const int file = mkstemp(path);
        ck_assert_int_ge(file, 0);
        FILE *text = fdopen(file, "w");
        ck_assert_ptr_nonnull(text);
        fputs("default form.items 1\n", text);
        ck_assert_int_eq(fclose(text), 0);
        ww_context_destroy(&wwt_context);
        options.tuning_file = path;
        wwt_ok(ww_context_create(&options, &wwt_context));
        unlink(path);
    }
    return wwt_measure(ids[loop % MEASURES]);
}

// Turns values into symbols of an alphabet of whole numbers, some of them negative.
static void draw(wwt_set *set, size_t alphabet) {
    size_t total = 0;
    for (size_t i = 0; i < set->count; i++)
        total += set->lengths[i] * set->channels;
    for (size_t v = 0; v < total; v++)
        set->values[v] = (double)wwt_random_size(0, alphabet - 1) - floor((double)alphabet / 2.0);
}

static wwt_set symbols(size_t channels, const size_t *lengths, size_t count, size_t alphabet) {
    wwt_set set = wwt_set_make(channels, lengths, count);
    draw(&set, alphabet);
    return set;
}

// Values of eighths between -2 and 2.
static wwt_set points(size_t channels, const size_t *lengths, size_t count) {
    wwt_set set = symbols(channels, lengths, count, 33);
    for (size_t v = 0; v < set.offsets[count - 1] + channels * lengths[count - 1]; v++)
        set.values[v] /= 8.0;
    return set;
}

static wwt_set symbols_between(size_t least, size_t most, size_t count, size_t alphabet) {
    wwt_set set = wwt_set_random(1, least, most, count);
    draw(&set, alphabet);
    return set;
}

static double expected(const ww_measure *measure, const wwt_set *rows, size_t i, const wwt_set *columns, size_t j) {
    const wwr_series x = wwt_series(rows, i), y = wwt_series(columns, j);
    return wwr_distance(measure, NULL, &x, &y);
}

// The same number; where it is a quotient, but for its rounding.
static bool is(const ww_measure *measure, double value, double wanted, ww_precision precision) {
    if (measure->id == WW_LEVENSHTEIN || measure->id == WW_LCS)
        return value == (precision == WW_FLOAT ? (double)(float)wanted : wanted);
    return fabs(value - wanted) <= (precision == WW_FLOAT ? 1e-6 : 1e-14) * fmax(1.0, wanted);
}

static void check_matrix(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns,
                         ww_precision precision) {
    const ww_plan_options options = wwt_engine(WW_ENGINE_BITS);
    void *values = wwt_matrix(measure, rows, columns, precision, &options);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < rows->count; i++)
        for (size_t j = 0; j < columns->count; j++) {
            const double value = wwt_value(values, precision, i * columns->count + j);
            const double wanted = expected(measure, rows, i, columns, j);
            ck_assert_msg(is(measure, value, wanted, precision), "%zu x %zu symbols: %.17g, not %.17g",
                          rows->lengths[i], columns->lengths[j], value, wanted);
        }
    wwt_guarded_free(values);
}

static void check_pairs(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns) {
    const ww_plan_options options = wwt_engine(WW_ENGINE_BITS);
    void *values = wwt_pairs(measure, rows, columns, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < rows->count; i++)
        ck_assert(is(measure, wwt_value(values, WW_FLOAT, i), expected(measure, rows, i, columns, i), WW_FLOAT));
    wwt_guarded_free(values);
}

// One pair by its symbols.
static double one(const ww_measure *measure, const double *x, size_t n, const double *y, size_t m,
                  ww_precision precision) {
    const wwt_set rows = {1, 1, &n, (size_t[]){0}, (double *)x}, columns = {1, 1, &m, (size_t[]){0}, (double *)y};
    const ww_plan_options options = wwt_engine(WW_ENGINE_BITS);
    void *values = wwt_pairs(measure, &rows, &columns, precision, &options);
    ck_assert_ptr_nonnull(values);
    const double value = wwt_value(values, precision, 0);
    wwt_guarded_free(values);
    return value;
}

// Words as a set of sequences of their letters.
static wwt_set set_of_words(const char *const *words, size_t count) {
    size_t lengths[32];
    ck_assert(count <= 32);
    for (size_t i = 0; i < count; i++)
        lengths[i] = strlen(words[i]);
    wwt_set set = wwt_set_make(1, lengths, count);
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < lengths[i]; t++)
            set.values[set.offsets[i] + t] = words[i][t];
    return set;
}

START_TEST(published) {
    const ww_measure measure = begin(_i);
    static const struct {
        const char *x, *y;
        double edits, common; // -1: not published, the reference alone says it
    } known[] = {{"kitten", "sitting", 3, -1},
                 {"saturday", "sunday", 3, -1},
                 {"intention", "execution", 5, -1},
                 {"a", "nematode", 7, 1},
                 {"a", "a", 0, 1},
                 {"a", "b", 1, 0},
                 {"AGGTAB", "GXTXAYB", -1, 4},
                 {"ABCBDAB", "BDCABA", -1, 4},
                 {"XMJYAUZ", "MZJAWXU", -1, 4}};
    enum { COUNT = sizeof known / sizeof *known };
    const char *x[2 * COUNT], *y[2 * COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        x[k] = y[COUNT + k] = known[k].x;
        y[k] = x[COUNT + k] = known[k].y;
    }
    wwt_set rows = set_of_words(x, 2 * COUNT), columns = set_of_words(y, 2 * COUNT);
    const ww_plan_options options = wwt_engine(WW_ENGINE_BITS);
    void *values = wwt_pairs(&measure, &rows, &columns, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(values);
    for (size_t k = 0; k < 2 * COUNT; k++) {
        const double value = wwt_value(values, WW_FLOAT, k);
        const double wanted = measure.id == WW_LCS ? known[k % COUNT].common : known[k % COUNT].edits;
        ck_assert_msg(wanted < 0 || value == wanted, "%s, %s: %g, not %g", x[k], y[k], value, wanted);
        ck_assert_double_eq(value, expected(&measure, &rows, k, &columns, k));
    }
    wwt_guarded_free(values);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(alphabets) {
    const ww_measure measure = begin(_i);
    static const size_t sizes[] = {1, 2, 4, 20, 256, 70000};
    // Lanes have a program for every few words more: fewer of all.
    for (size_t k = (size_t)(_i / MEASURES); k < sizeof sizes / sizeof *sizes; k += 1 + (size_t)(_i / MEASURES)) {
        const size_t least = _i / MEASURES ? 257 : 1;
        wwt_set rows = symbols_between(1, 300, 9, sizes[k]), columns = symbols_between(least, 300, 20, sizes[k]);
        // Something in common, where the alphabet is large.
        for (size_t j = 0; j < columns.count; j++)
            for (size_t t = 3; t < columns.lengths[j] && t < rows.lengths[j % rows.count]; t += 1 + t % 3)
                columns.values[columns.offsets[j] + t - 3] = rows.values[rows.offsets[j % rows.count] + t];
        check_matrix(&measure, &rows, &columns, k % 2 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT);
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
}
END_TEST

// Around the ends of steps, words, lanes.
START_TEST(ends) {
    const ww_measure measure = begin(_i);
    static const size_t lengths[] = {1,  2,  7,  8,   9,   15,  16,  17,  31,  32,  33,  63,
                                     64, 65, 96, 127, 128, 129, 255, 256, 257, 320, 511, 513};
    enum { COUNT = sizeof lengths / sizeof *lengths };
    // Lanes have a program for every few words more.
    static const size_t few[] = {1, 31, 32, 33, 64, 127, 129};
    const bool lanes = _i / MEASURES == 1;
    wwt_set rows = symbols(1, lengths, COUNT, 3);
    wwt_set columns = lanes ? symbols(1, few, sizeof few / sizeof *few, 3) : symbols(1, lengths, COUNT, 3);
    check_matrix(&measure, &rows, &columns, WW_FLOAT);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
    static const size_t rows_of[] = {1, 300, 17, 64, 33, 5, 128, 2, 31, 200};
    static const size_t columns_of[2][10] = {{300, 1, 18, 64, 96, 200, 31, 2, 150, 40},
                                             {31, 1, 18, 64, 63, 50, 31, 2, 33, 40}};
    rows = symbols(1, rows_of, 10, 3);
    columns = symbols(1, columns_of[lanes], 10, 3);
    check_pairs(&measure, &rows, &columns);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// More pairs than a pack or a group takes at once.
START_TEST(many) {
    const ww_measure measure = begin(_i);
    wwt_set rows = symbols_between(20, 60, 150, 4), columns = symbols_between(20, 60, 150, 4);
    check_pairs(&measure, &rows, &columns);
    check_matrix(&measure, &rows, &columns, WW_FLOAT);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(half) {
    const ww_measure measure = begin(_i);
    enum { COUNT = 37 };
    const ww_plan_options options = wwt_engine(WW_ENGINE_BITS);
    wwt_set set = symbols_between(20, 60, COUNT, 4);
    void *values = wwt_matrix(&measure, &set, NULL, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++)
            ck_assert_double_eq(wwt_value(values, WW_FLOAT, i * COUNT + j), expected(&measure, &set, i, &set, j));
    wwt_guarded_free(values);
    ww_dataset *dataset = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL;
    float condensed[COUNT * (COUNT - 1) / 2];
    wwt_ok(ww_plan_create_matrix(&measure, dataset, NULL, NULL, &plan));
    wwt_ok(wwt_plan_run_condensed(plan, condensed));
    ww_plan_info info = WW_PLAN_INFO_INIT;
    wwt_ok(ww_plan_get_info(plan, &info));
    ck_assert_int_eq(info.engine, WW_ENGINE_BITS);
    for (size_t i = 0, at = 0; i < COUNT; i++)
        for (size_t j = i + 1; j < COUNT; j++, at++)
            ck_assert_double_eq((double)condensed[at], expected(&measure, &set, i, &set, j));
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&dataset);
    wwt_set_free(&set);
}
END_TEST

START_TEST(nearest) {
    const ww_measure measure = begin(_i);
    enum { ROWS = 7, COLUMNS = 60, K = 3 };
    const double sign = measure.id == WW_LCS ? -1 : 1; // the longest common subsequence is the nearest
    wwt_set rows = symbols_between(20, 60, ROWS, 4), columns = symbols_between(20, 60, COLUMNS, 4);
    ww_dataset *queries = wwt_dataset(&rows, WW_FLOAT), *base = wwt_dataset(&columns, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    int64_t indices[ROWS * K];
    float distances[ROWS * K];
    wwt_ok(ww_plan_create_nearest(&measure, queries, base, K, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, distances));
    wwt_ok(ww_plan_get_info(plan, &info));
    ck_assert_int_eq(info.engine, WW_ENGINE_BITS);
    for (size_t i = 0; i < ROWS; i++) {
        // The k-th in order of (distance, index).
        double last = -INFINITY;
        int64_t last_index = -1;
        for (size_t k = 0; k < K; k++) {
            double best = INFINITY;
            int64_t best_index = -1;
            for (int64_t j = 0; j < COLUMNS; j++) {
                const double d = sign * expected(&measure, &rows, i, &columns, (size_t)j);
                if ((d > last || (d == last && j > last_index)) && d < best) {
                    best = d;
                    best_index = j;
                }
            }
            ck_assert_int_eq(indices[i * K + k], best_index);
            ck_assert_double_eq(sign * (double)distances[i * K + k], best);
            last = best;
            last_index = best_index;
        }
    }
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&queries);
    ww_dataset_destroy(&base);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(channels) {
    ww_measure measure = begin(_i);
    static const size_t lengths[] = {40, 70, 33, 65, 90, 64};
    wwt_set rows = symbols(3, lengths, 5, 2), columns = symbols(3, lengths + 1, 5, 2);
    check_matrix(&measure, &rows, &columns, WW_FLOAT);
    measure.independent = 1;
    check_matrix(&measure, &rows, &columns, WW_FLOAT);
    if (wwt_device_has_double())
        check_matrix(&measure, &rows, &columns, WW_DOUBLE);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Fractions, values equal in float alone, the two zeros, infinities; and the root of the result.
START_TEST(odd_values) {
    ww_measure measure = begin(_i);
    const double x[] = {0.0, 0.1, 1.0 + 1e-12, -3.5, 16000000.5, -0.0, 0.1},
                 y[] = {-0.0, 0.1, 1.0, -3.5, 1e-30, 0.0, 0.1};
    const bool lcs = measure.id == WW_LCS;
    ck_assert_double_eq(one(&measure, x, 7, y, 7, WW_FLOAT), lcs ? 6 : 1);
    if (wwt_device_has_double())
        ck_assert_double_eq(one(&measure, x, 7, y, 7, WW_DOUBLE), lcs ? 5 : 2);
    measure.root = 1;
    const double a[] = {1, 2, 3, 4, 9, 9}, b[] = {1, 2, 3, 4};
    ck_assert_double_eq(one(&measure, a, 6, b, 4, WW_FLOAT), lcs ? 2 : (double)sqrtf(2.0f));
}
END_TEST

// ---- points

// Epsilon is a difference that the values have exactly, so that just as near and just too far both occur.
static ww_measure begin_points(int loop) {
    wwt_seed((unsigned)loop);
    ww_measure measure = wwt_measure(of_points[loop]);
    wwt_ok(ww_measure_set(&measure, "epsilon", 0.75));
    return measure;
}

START_TEST(point_ends) {
    ww_measure measure = begin_points(_i);
    static const size_t lengths[] = {1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 128, 129, 300};
    static const size_t few[] = {1, 31, 32, 33, 64, 65, 127};
    enum { COUNT = sizeof lengths / sizeof *lengths, FEW = sizeof few / sizeof *few };
    wwt_set rows = points(1, lengths, COUNT), columns = points(1, few, FEW);
    check_matrix(&measure, &rows, &columns, WW_FLOAT);
    if (wwt_device_has_double())
        check_matrix(&measure, &rows, &columns, WW_DOUBLE);
    measure.root = 1;
    wwt_ok(ww_measure_set(&measure, "epsilon", 0.0));
    wwt_ok(ww_measure_set(&measure, _i ? "similarity" : "normalised", 1.0));
    wwt_set_free(&rows);
    rows = points(1, lengths + 6, FEW);
    check_pairs(&measure, &rows, &columns);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

START_TEST(point_jobs) {
    ww_measure measure = begin_points(_i);
    enum { COUNT = 37 };
    size_t lengths[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        lengths[i] = wwt_random_size(20, 60);
    wwt_set set = points(1, lengths, COUNT);
    const ww_plan_options options = wwt_engine(WW_ENGINE_BITS);
    void *values = wwt_matrix(&measure, &set, NULL, WW_FLOAT, &options);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++)
            ck_assert_double_eq_tol(wwt_value(values, WW_FLOAT, i * COUNT + j), expected(&measure, &set, i, &set, j),
                                    1e-6);
    wwt_guarded_free(values);
    check_pairs(&measure, &set, &set);
    wwt_set_free(&set);
    static const size_t long_ones[] = {40, 70, 33, 65, 90, 64};
    wwt_set three = points(3, long_ones, 5), others = points(3, long_ones + 1, 5);
    measure.independent = 1;
    check_matrix(&measure, &three, &others, WW_FLOAT);
    // Chosen where a GPU computes; points of several channels are not for it anywhere.
    ww_dataset *x = wwt_dataset(&three, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    wwt_ok(ww_plan_create_matrix(&measure, x, NULL, NULL, &plan));
    wwt_ok(ww_plan_get_info(plan, &info));
    ck_assert_int_eq(info.engine == WW_ENGINE_BITS, wwt_device_is_gpu());
    ww_plan_destroy(&plan);
    measure.independent = 0;
    wwt_fails(ww_plan_create_matrix(&measure, x, NULL, &options, &plan), WW_ERROR_UNSUPPORTED);
    ww_dataset_destroy(&x);
    wwt_set_free(&three);
    wwt_set_free(&others);
}
END_TEST

// Beyond lanes, and beyond a strip.
START_TEST(point_strips) {
    const ww_measure measure = begin_points(_i);
    static const size_t shapes[][2] = {{3000, 5000}, {2101, 4097}, {300, 2500}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        wwt_set rows = points(1, &shapes[k][0], 1), columns = points(1, &shapes[k][1], 1);
        check_pairs(&measure, &rows, &columns);
        wwt_set_free(&rows);
        wwt_set_free(&columns);
    }
}
END_TEST

// Nothing matches what is not a number, and infinity does not match itself, as in the other engines.
START_TEST(point_not_finite) {
    const ww_measure measure = begin_points(_i);
    const float x[] = {1, (float)NAN, -(float)NAN, INFINITY, 2}, y[] = {1, (float)NAN, 1, INFINITY, 2};
    ww_series_view rows = WW_SERIES_VIEW_INIT, columns = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *of_rows = NULL, *of_columns = NULL;
    rows.values = x;
    columns.values = y;
    rows.count = columns.count = 1;
    rows.length = columns.length = 5;
    options.allow_not_finite = 1;
    wwt_ok(ww_dataset_create(wwt_context, &rows, &options, &of_rows));
    wwt_ok(ww_dataset_create(wwt_context, &columns, &options, &of_columns));
    const ww_plan_options bits = wwt_engine(WW_ENGINE_BITS), lanes = wwt_engine(WW_ENGINE_LANES);
    for (int k = 0; k < 2; k++) {
        ww_plan *plan = NULL;
        float value = -1;
        wwt_ok(ww_plan_create_matrix(&measure, of_rows, of_columns, k ? &lanes : &bits, &plan));
        wwt_ok(wwt_plan_run(plan, &value));
        ck_assert_double_eq_tol((double)value, measure.id == WW_EDR ? 3 : 0.6, 1e-6);
        ww_plan_destroy(&plan);
    }
    ww_dataset_destroy(&of_rows);
    ww_dataset_destroy(&of_columns);
}
END_TEST

// ---- long pairs

// Bit-parallel C over 64-bit words with a table of matches: Myers 1999, and Crochemore, Iliopoulos, Pinzon, Reid 2001.
static double by_table(ww_measure_id id, const double *x, size_t n, const double *y, size_t m, size_t alphabet) {
    const size_t words = (m + 63) / 64;
    uint64_t *match = calloc(alphabet * words, 8), *p = malloc(words * 8), *q = calloc(words, 8);
    ck_assert(match && p && q);
    for (size_t j = 0; j < m; j++)
        match[(size_t)y[j] * words + j / 64] |= UINT64_C(1) << j % 64;
    memset(p, 0xff, words * 8);
    double score = (double)m;
    for (size_t i = 0; i < n; i++) {
        uint64_t up = 1, down = 0, carry = 0;
        const uint64_t *same = match + (size_t)x[i] * words;
        for (size_t w = 0; w < words; w++) {
            if (id == WW_LCS) {
                const uint64_t common = p[w] & same[w], sum = p[w] + common, with = sum + carry;
                carry = (sum < common) | (with < sum);
                p[w] = with | (p[w] & ~same[w]);
                continue;
            }
            const uint64_t e = same[w] | down, vertical = same[w] | q[w], zero = (((e & p[w]) + p[w]) ^ p[w]) | e;
            uint64_t plus = q[w] | ~(zero | p[w]), minus = p[w] & zero;
            const uint64_t last = w + 1 == words ? (m - 1) % 64 : 63;
            const uint64_t next_up = plus >> last & 1, next_down = minus >> last & 1;
            plus = plus << 1 | up;
            minus = minus << 1 | down;
            p[w] = minus | ~(vertical | plus);
            q[w] = plus & vertical;
            up = next_up;
            down = next_down;
        }
        score += id == WW_LCS ? 0.0 : (double)up - (double)down;
    }
    if (id == WW_LCS) {
        score = 0;
        for (size_t j = 0; j < m; j++)
            score += (double)(~p[j / 64] >> j % 64 & 1);
    }
    free(match);
    free(p);
    free(q);
    return score;
}

static void check_long(const ww_measure *measure, size_t n, size_t m, size_t alphabet) {
    double *x = malloc((n + m) * sizeof *x), *y = x + n;
    ck_assert_ptr_nonnull(x);
    for (size_t t = 0; t < n + m; t++)
        x[t] = (double)wwt_random_size(0, alphabet - 1);
    // Much of one in the other, displaced.
    for (size_t t = 100; t < n && t < m; t++)
        if (wwt_random_size(0, 3))
            y[t] = x[t - t / 1000 % 50];
    ck_assert_double_eq(one(measure, x, n, y, m, WW_FLOAT), by_table(measure->id, x, n, y, m, alphabet));
    free(x);
}

START_TEST(long_pairs) {
    const ww_measure measure = begin(_i);
    const bool own = _i / MEASURES == 0;
    // Beyond lanes, and beyond a strip.
    check_long(&measure, 3000, 20000, 4);
    check_long(&measure, 5001, 4097, 4);
    check_long(&measure, 2000, 2017, 200);
    if (own)
        check_long(&measure, 100000, 100000, 4);
}
END_TEST

// Series of which one is the other with known changes, against the table too.
START_TEST(constructed) {
    const ww_measure measure = begin(_i);
    enum { N = 20000, CHANGED = 137 };
    double *x = malloc(2 * N * sizeof *x), *y = x + N;
    ck_assert_ptr_nonnull(x);
    for (size_t t = 0; t < N; t++)
        x[t] = y[t] = (double)(t % 977) + 1000.0 * (double)(t % 1009);
    for (size_t k = 0; k < CHANGED; k++)
        y[(k * 7919) % N] = -1.0;
    ck_assert_double_eq(one(&measure, x, N, y, N, WW_FLOAT), measure.id == WW_LCS ? N - CHANGED : CHANGED);
    ck_assert_double_eq(one(&measure, x, N, y + 10, N - 10, WW_FLOAT),
                        measure.id == WW_LCS ? N - 10 - CHANGED + 1 : 10 + CHANGED - 1);
    free(x);
}
END_TEST

START_TEST(refusals) {
    ww_measure measure = begin(_i);
    const ww_plan_options bits = wwt_engine(WW_ENGINE_BITS);
    double values[] = {1, 2, 3, 4};
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *dataset = NULL, *with_nan = NULL;
    ww_plan *plan = NULL;
    view.values = values;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.length = 4;
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &dataset));
    values[2] = (double)NAN;
    options.allow_not_finite = 1;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &with_nan));
    wwt_fails(ww_plan_create_matrix(&measure, dataset, with_nan, &bits, &plan), WW_ERROR_UNSUPPORTED);
    // What bits can't, another engine does: NaN is unequal to everything.
    ww_plan_info info = WW_PLAN_INFO_INIT;
    float value = 0;
    wwt_ok(ww_plan_create_matrix(&measure, dataset, with_nan, NULL, &plan));
    wwt_ok(wwt_plan_run(plan, &value));
    wwt_ok(ww_plan_get_info(plan, &info));
    ck_assert_int_ne(info.engine, WW_ENGINE_BITS);
    ck_assert_double_eq((double)value, measure.id == WW_LCS ? 3 : 1);
    ww_plan_destroy(&plan);
    measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 1.0};
    wwt_fails(ww_plan_create_matrix(&measure, dataset, dataset, &bits, &plan), WW_ERROR_UNSUPPORTED);
    ww_measure other = wwt_measure(WW_DTW);
    wwt_fails(ww_plan_create_matrix(&other, dataset, dataset, &bits, &plan), WW_ERROR_UNSUPPORTED);
    other = wwt_measure(WW_LEVENSHTEIN);
    wwt_ok(ww_measure_set(&other, "substitution", 2.0));
    wwt_fails(ww_plan_create_matrix(&other, dataset, dataset, &bits, &plan), WW_ERROR_UNSUPPORTED);
    ww_dataset_destroy(&dataset);
    ww_dataset_destroy(&with_nan);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("bits");
    wwt_add(suite, published, LOOPS);
    wwt_add(suite, alphabets, LOOPS);
    wwt_add(suite, ends, LOOPS);
    wwt_add(suite, many, LOOPS);
    wwt_add(suite, half, LOOPS);
    wwt_add(suite, nearest, LOOPS);
    wwt_add(suite, channels, LOOPS);
    wwt_add(suite, odd_values, LOOPS);
    wwt_add(suite, long_pairs, LOOPS);
    wwt_add(suite, constructed, LOOPS);
    wwt_add(suite, refusals, LOOPS);
    wwt_add(suite, point_ends, OF_POINTS);
    wwt_add(suite, point_jobs, OF_POINTS);
    wwt_add(suite, point_strips, OF_POINTS);
    wwt_add(suite, point_not_finite, OF_POINTS);
    return wwt_run(suite);
}
