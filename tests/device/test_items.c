// SPDX-License-Identifier: Apache-2.0
// Engine packed with a work-item a pair, the text that GPUs take: here on any device, in strips of few columns.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "support.h"

static const ww_measure_id ids[] = {WW_DTW, WW_FRECHET, WW_ADTW, WW_WDTW, WW_DDTW, WW_WDDTW,      WW_ERP,
                                    WW_EDR, WW_LCSS,    WW_MSM,  WW_TWED, WW_USER, WW_LEVENSHTEIN};
enum { IDS = sizeof(ids) / sizeof(ids[0]) };

static const char recurrence[] =
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
    "    return ww_add_cost(x, y, ww_min3(left + (real)0.25f, up + (real)0.25f, diagonal));\n"
    "}\n";

static void tune(void) {
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, 1));
    wwt_ok(wwi_tuning_try(wwt_context, "packed.values", NULL, 24));
    wwt_ok(wwi_tuning_try(wwt_context, "packed.item_rows", NULL, 4));
    wwt_ok(wwi_tuning_try(wwt_context, "form.tiles", NULL, 1)); // of soft minima
}

static void free_tuning(void) {
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, 0));
}

static ww_measure measure_of(ww_measure_id id) {
    ww_measure measure = wwt_measure(id == WW_USER ? WW_ADTW : id);
    if (id == WW_ADTW || id == WW_USER)
        wwt_ok(ww_measure_set(&measure, "penalty", 0.25));
    return measure;
}

// The user's recurrence is ADTW's: the reference is that.
static void check(ww_measure_id id, const ww_measure *known, const wwt_set *rows, const wwt_set *columns,
                  ww_precision precision) {
    if (id != WW_USER) {
        ck_assert(wwt_check_matrix(known, NULL, rows, columns, precision, WW_ENGINE_PACKED));
        if (rows->count < columns->count)
            ck_assert(wwt_check_pairs(known, NULL, columns, columns, precision, WW_ENGINE_PACKED));
        return;
    }
    ww_measure own;
    const ww_plan_options options = wwt_engine(WW_ENGINE_PACKED);
    wwt_ok(ww_measure_init(&own, sizeof own, WW_USER));
    own.recurrence = recurrence;
    void *got = wwt_matrix(&own, rows, columns, precision, &options);
    for (size_t i = 0; i < rows->count; i++)
        for (size_t j = 0; j < columns->count; j++) {
            wwr_series x = wwt_series(rows, i), y = wwt_series(columns, j);
            ck_assert(wwt_close(wwt_value(got, precision, i * columns->count + j), wwr_distance(known, NULL, &x, &y),
                                precision));
        }
    wwt_guarded_free(got);
}

// More than a pack of row series and fewer; lengths around the strips and the row-steps.
START_TEST(measures) {
    static const size_t lengths[] = {3, 4, 5, 7, 8, 11, 12, 13, 24, 25, 31, 40, 41};
    enum { N = sizeof(lengths) / sizeof(lengths[0]) };
    const ww_measure_id id = ids[_i % IDS];
    const ww_precision precision = _i / IDS ? WW_DOUBLE : WW_FLOAT;
    wwt_seed((unsigned)_i);
    tune();
    const ww_measure measure = measure_of(id);
    size_t many[3 * N];
    for (size_t i = 0; i < 3 * N; i++)
        many[i] = lengths[(i * 7) % N];
    wwt_set rows = wwt_set_make(1, many, 3 * N), columns = wwt_set_make(1, lengths, N);
    if (id == WW_LEVENSHTEIN) {
        for (size_t v = 0; v < 3 * 224; v++)
            rows.values[v] = floor(rows.values[v] * 2.0);
        for (size_t v = 0; v < 224; v++)
            columns.values[v] = floor(columns.values[v] * 2.0);
        // Weights that leave it to the recurrence, and no exchange of roles.
        ww_measure weighted = measure;
        wwt_ok(ww_measure_set(&weighted, "insertion", 2));
        check(id, &weighted, &columns, &rows, precision);
    } else {
        check(id, &measure, &rows, &columns, precision);
        check(id, &measure, &columns, &rows, precision);
    }
    free_tuning();
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Channels, and the half of a matrix of a set with itself, in two layouts.
START_TEST(halves_and_channels) {
    enum { N = 37 };
    ww_measure measure = measure_of(_i ? WW_TWED : WW_DTW);
    size_t lengths[N];
    wwt_seed((unsigned)_i);
    tune();
    for (size_t i = 0; i < N; i++)
        lengths[i] = wwt_random_size(1, 30);
    wwt_set set = wwt_set_make(3, lengths, N);
    wwt_check_half(&measure, &set, WW_ENGINE_PACKED);
    free_tuning();
    wwt_set_free(&set);
}
END_TEST

// Many channels, whose columns are in local memory: lengths around the columns at a time and the strips, of one pack
// and of more, and independent channels, which are single ones.
START_TEST(many_channels) {
    static const ww_measure_id taken[] = {WW_DTW, WW_ADTW, WW_FRECHET, WW_USER, WW_DTW, WW_DTW};
    static const size_t channels[] = {5, 12, 8, 6, 16, 3};
    static const size_t lengths[] = {1, 2, 3, 4, 5, 9, 62, 63, 64, 65, 66, 68, 127, 130};
    enum { M = sizeof(lengths) / sizeof(lengths[0]), N = 35 };
    ww_measure measure = measure_of(taken[_i]);
    size_t many[N];
    wwt_seed((unsigned)_i);
    tune();
    wwt_ok(wwi_tuning_try(wwt_context, "form.local", NULL, 1));
    wwt_ok(wwi_tuning_try(wwt_context, "packed.lanes", NULL, _i % 2 ? 64 : 32));
    for (size_t i = 0; i < N; i++)
        many[i] = wwt_random_size(1, 70);
    if (_i == 5)
        measure.independent = 1;
    wwt_set rows = wwt_set_make(channels[_i], many, N), columns = wwt_set_make(channels[_i], lengths, M);
    check(taken[_i], &measure, &rows, &columns, WW_FLOAT);
    if (_i == 1)
        wwt_check_half(&measure, &rows, WW_ENGINE_PACKED);
    free_tuning();
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// A program is what costs time: by four columns and by two, and independent channels.
static bool many_channels_daily(int subject, int loop) {
    (void)subject;
    return wwt_all_cases() || loop == 0 || loop == 4 || loop == 5;
}

// The soft minimum gives what engine lanes gives.
START_TEST(soft) {
    static const ww_measure_id taken[] = {WW_DTW, WW_MSM, WW_TWED};
    ww_measure measure = measure_of(taken[_i]);
    measure.gamma = 0.5;
    wwt_seed((unsigned)_i);
    tune();
    wwt_set rows = wwt_set_random(1, 3, 40, 35), columns = wwt_set_random(1, 3, 40, 9);
    const ww_plan_options packed = wwt_engine(WW_ENGINE_PACKED), lanes = wwt_engine(WW_ENGINE_LANES);
    void *got = wwt_matrix(&measure, &rows, &columns, WW_FLOAT, &packed);
    void *expected = wwt_matrix(&measure, &rows, &columns, WW_FLOAT, &lanes);
    // The error goes with the logarithms of the steps as well as with the value.
    for (size_t i = 0; i < rows.count * columns.count; i++)
        ck_assert(fabs(wwt_value(got, WW_FLOAT, i) - wwt_value(expected, WW_FLOAT, i)) <=
                  wwt_tolerance(WW_FLOAT) * (fabs(wwt_value(expected, WW_FLOAT, i)) + measure.gamma * 80));
    free_tuning();
    wwt_guarded_free(got);
    wwt_guarded_free(expected);
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Bands of each kind, of series of one length and of many, in strips of more than one block.
typedef struct banded {
    ww_measure_id id;
    ww_band_kind kind;
    double width;
    bool even, list;
    ww_precision precision;
} banded;

static const banded bands[] = {
    {WW_DTW, WW_BAND_SAKOE_CHIBA, 9, true, false, WW_FLOAT},
    {WW_DTW, WW_BAND_CORNER, 3, false, true, WW_FLOAT},
    {WW_ERP, WW_BAND_CORNER, 5, false, false, WW_FLOAT},
    {WW_TWED, WW_BAND_SAKOE_CHIBA, 40, false, false, WW_FLOAT},
    {WW_TWED, WW_BAND_SLANTED, 0.08, false, false, WW_DOUBLE},
    {WW_MSM, WW_BAND_SLANTED, 0.12, false, true, WW_FLOAT},
    {WW_WDTW, WW_BAND_SAKOE_CHIBA, 21, true, false, WW_FLOAT},
    {WW_EDR, WW_BAND_CORNER, 4, false, true, WW_FLOAT},
    {WW_LCSS, WW_BAND_SAKOE_CHIBA, 42, false, true, WW_FLOAT},
    {WW_MSM, WW_BAND_SAKOE_CHIBA, 2, true, false, WW_DOUBLE},
    {WW_DTW, WW_BAND_ITAKURA, 2, true, false, WW_FLOAT},
};
enum { BANDS = sizeof bands / sizeof *bands };

static void tune_bands(ww_measure_id id) {
    char name[64];
    (void)snprintf(name, sizeof name, "packed.banded.%s", ww_measure_info_by_id(id)->name);
    tune();
    wwt_ok(wwi_tuning_try(wwt_context, "packed.values", NULL, 80));
    wwt_ok(wwi_tuning_try(wwt_context, name, NULL, 16));
}

START_TEST(in_bands) {
    enum { N = 37, M = 9 };
    const banded *b = &bands[_i];
    ww_measure measure = measure_of(b->id);
    measure.band = (ww_band){.kind = b->kind, .width = b->width};
    size_t lengths[N];
    wwt_seed((unsigned)_i);
    tune_bands(b->id);
    wwt_ok(wwi_tuning_try(wwt_context, "packed.lanes", NULL, _i % 3 == 1 ? 64 : 32));
    for (size_t i = 0; i < N; i++)
        lengths[i] = b->even ? 67 : wwt_random_size(30, 71);
    wwt_set rows = wwt_set_make(1, lengths, N), columns = wwt_set_make(1, lengths + 11, M);
    if (b->list) {
        wwt_set others = wwt_set_make(1, lengths + (b->even ? 0 : 1), N - 1);
        rows.count = N - 1;
        ck_assert(wwt_check_pairs(&measure, NULL, &rows, &others, b->precision, WW_ENGINE_PACKED));
        wwt_set_free(&others);
    } else {
        ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, b->precision, WW_ENGINE_PACKED));
        ck_assert(wwt_check_matrix(&measure, NULL, &columns, &rows, b->precision, WW_ENGINE_PACKED));
    }
    free_tuning();
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Open ends, in strips of whole and of cut columns, with a band and without.
START_TEST(open_ends) {
    enum { N = 35, M = 5 };
    ww_measure measure = measure_of(_i == 1 ? WW_EDR : WW_DTW);
    wwt_seed((unsigned)_i);
    tune_bands(measure.id);
    wwt_ok(wwi_tuning_try(wwt_context, "packed.open", NULL, 16));
    measure.relax_begin_x = 3;
    measure.relax_end_x = 5;
    measure.relax_begin_y = _i ? 2 : 0;
    measure.relax_end_y = _i ? 4 : 100;
    if (_i == 2)
        measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 9};
    if (_i == 3) { // the band ends before the longer series
        measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 6};
        measure.relax_end_x = measure.relax_end_y = 44;
    }
    wwt_set rows = wwt_set_random(1, _i == 3 ? 2 : 20, 50, N), columns = wwt_set_random(1, 30, 49, M);
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, WW_FLOAT, WW_ENGINE_PACKED));
    if (_i == 0)
        ck_assert(wwt_check_pairs(&measure, NULL, &rows, &rows, WW_FLOAT, WW_ENGINE_PACKED));
    free_tuning();
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// The ribbon of engine lanes, which GPUs take for narrow bands.
START_TEST(ribbons) {
    enum { N = 35, M = 5 };
    ww_measure measure = measure_of(_i ? WW_ADTW : WW_DTW);
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 14};
    wwt_seed((unsigned)_i);
    wwt_ok(wwi_tuning_try(wwt_context, "lanes.ribbon", NULL, 64));
    wwt_set rows = wwt_set_random(1, 8, 21, N), columns = wwt_set_random(1, 8, 21, M);
    const ww_precision precision = _i ? WW_DOUBLE : WW_FLOAT;
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, precision, WW_ENGINE_LANES));
    ck_assert(wwt_check_matrix(&measure, NULL, &columns, &rows, precision, WW_ENGINE_LANES));
    wwt_ok(wwi_tuning_try(wwt_context, "lanes.ribbon", NULL, 0));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

// Many rows for each group of engine lanes, shorter and longer than a lane's turn.
START_TEST(row_lists) {
    static const size_t lengths[] = {1, 2, 3, 4, 5, 8, 9, 40, 7, 70, 1, 6, 33, 64, 65};
    static const size_t others[] = {6, 17, 33, 40}; // from a lane alone on
    enum { N = sizeof(lengths) / sizeof(lengths[0]), M = sizeof(others) / sizeof(others[0]) };
    const ww_measure measure = measure_of(_i ? WW_TWED : WW_DTW);
    const ww_precision precision = _i ? WW_DOUBLE : WW_FLOAT;
    wwt_seed((unsigned)_i);
    wwt_ok(wwi_tuning_try(wwt_context, "lanes.resident", NULL, 1)); // a list of rows for a group
    wwt_set rows = wwt_set_make(1, lengths, N), columns = wwt_set_make(1, others, M);
    ck_assert(wwt_check_matrix(&measure, NULL, &rows, &columns, precision, WW_ENGINE_LANES));
    wwt_ok(wwi_tuning_try(wwt_context, "lanes.resident", NULL, 4096));
    wwt_set_free(&rows);
    wwt_set_free(&columns);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("items");
    TCase *tcase = wwt_case(suite, "items", 240);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, measures, 0, 2 * IDS);
    wwt_add_to(tcase, halves_and_channels, 0, 2);
    wwt_add_to(tcase, soft, 0, 3);
    wwt_add_chosen(suite, many_channels, 6, 0, many_channels_daily);
    wwt_add(suite, in_bands, BANDS);
    wwt_add(suite, open_ends, 4);
    wwt_add(suite, ribbons, 2);
    wwt_add(suite, row_lists, 2);
    return wwt_run(suite);
}
