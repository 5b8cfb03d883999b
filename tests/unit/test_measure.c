// SPDX-License-Identifier: Apache-2.0
// The table of measures, and what is refused.
#include <math.h>
#include <string.h>

#include "check_main.h"
#include "measure/measure_table.h"

static ww_measure measure;

static void setup(void) {
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_DTW), WW_OK);
}

START_TEST(table_is_whole) {
    ck_assert_uint_ge(ww_measure_count(), 2);
    ck_assert_ptr_null(ww_measure_info_at(ww_measure_count()));
    for (size_t i = 0; i < ww_measure_count(); i++) {
        const ww_measure_info *info = ww_measure_info_at(i);
        const wwi_measure_row *row = wwi_measure_row_by_id(info->id);
        ck_assert_ptr_eq(info, ww_measure_info_by_id(info->id));
        ck_assert_ptr_eq(info, ww_measure_info_by_name(info->name));
        ck_assert_ptr_eq(info, &row->info);
        ck_assert(info->title && info->reference && info->formula && row->recurrence);
        ck_assert_int_ne(info->cost, WW_COST_DEFAULT);
        ck_assert_uint_le(info->parameter_count, WW_MEASURE_PARAMETERS);
        ww_measure initial;
        ck_assert_int_eq(ww_measure_init(&initial, sizeof initial, info->id), WW_OK);
        if (info->id == WW_USER)
            initial.recurrence = "real ww_user_cell() { return 0; }";
        ck_assert_int_eq(wwi_measure_check(&initial), WW_OK);
        for (size_t p = 0; p < info->parameter_count; p++)
            ck_assert_int_eq(ww_measure_set(&initial, info->parameters[p].name, info->parameters[p].maximum), WW_OK);
    }
    ck_assert_ptr_null(ww_measure_info_by_name("warp"));
    ck_assert_ptr_null(ww_measure_info_by_name(NULL));
    ck_assert_ptr_null(ww_measure_info_by_id((ww_measure_id)999));
}
END_TEST

START_TEST(defaults) {
    ck_assert_uint_eq(measure.struct_size, sizeof(measure));
    ck_assert_int_eq(measure.cost, WW_COST_DEFAULT);
    ck_assert_int_eq(measure.root, 0);
    ck_assert_int_eq(measure.independent, 0);
    ck_assert_int_eq(measure.band.kind, WW_BAND_NONE);
    ck_assert_int_eq(wwi_measure_cost(&measure), WW_COST_SQUARED);
    ck_assert_int_eq(ww_measure_info_by_id(WW_DTW)->is_metric, 0);
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_FRECHET), WW_OK);
    ck_assert_int_eq(wwi_measure_cost(&measure), WW_COST_EUCLIDEAN);
    ck_assert_int_eq(ww_measure_info_by_id(WW_FRECHET)->is_metric, 1);
    measure.cost = WW_COST_SQUARED;
    ck_assert_int_eq(wwi_measure_cost(&measure), WW_COST_SQUARED);
}
END_TEST

// Which properties of the table hold with open ends and a soft minimum, and that the two exclude each other.
START_TEST(ends_and_gamma) {
    ck_assert(!wwi_measure_is_open(&measure));
    ck_assert(!wwi_measure_is_soft(&measure));
    measure.relax_end_y = SIZE_MAX;
    ck_assert_int_eq(wwi_measure_check(&measure), WW_OK);
    ck_assert(wwi_measure_is_open(&measure));
    ck_assert(!wwi_measure_is_symmetric(&measure));
    ck_assert(wwi_measure_roles_exchange(&measure));
    ck_assert(wwi_measure_is_zero_on_self(&measure));
    measure.relax_end_x = SIZE_MAX;
    ck_assert(wwi_measure_is_symmetric(&measure));
    measure.relax_begin_x = 1;
    ck_assert(!wwi_measure_is_symmetric(&measure));
    measure.gamma = 1;
    ck_assert_int_eq(wwi_measure_check(&measure), WW_ERROR_UNSUPPORTED);
    measure.relax_begin_x = measure.relax_end_x = measure.relax_end_y = 0;
    ck_assert_int_eq(wwi_measure_check(&measure), WW_OK);
    ck_assert(wwi_measure_is_symmetric(&measure));
    ck_assert(!wwi_measure_is_zero_on_self(&measure));
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_LEVENSHTEIN), WW_OK);
    ck_assert(wwi_measure_is_bits_of_symbols(&measure));
    measure.relax_begin_y = 3;
    ck_assert(!wwi_measure_is_bits_of_symbols(&measure));
}
END_TEST

START_TEST(symmetry_and_zero) {
    ck_assert(wwi_measure_is_symmetric(&measure));
    ck_assert(wwi_measure_is_zero_on_self(&measure));
    measure.band = (ww_band){.kind = WW_BAND_ITAKURA, .width = 2.0};
    ck_assert(!wwi_measure_is_symmetric(&measure));
    ck_assert(wwi_measure_is_zero_on_self(&measure));
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 2.0};
    ck_assert(wwi_measure_is_symmetric(&measure));
    measure.cost = WW_COST_USER;
    measure.cost_expression = "x + 1";
    ck_assert(!wwi_measure_is_symmetric(&measure));
    ck_assert(!wwi_measure_is_zero_on_self(&measure));
}
END_TEST

// What depends on parameters.
START_TEST(symmetry_of_edits) {
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_LEVENSHTEIN), WW_OK);
    ck_assert_int_eq(ww_measure_info_by_id(WW_LEVENSHTEIN)->is_metric, 1);
    ck_assert_int_eq(ww_measure_info_by_id(WW_LEVENSHTEIN)->is_symmetric, 1);
    ck_assert(wwi_measure_is_symmetric(&measure));
    ck_assert_int_eq(ww_measure_set(&measure, "substitution", 3), WW_OK);
    ck_assert(wwi_measure_is_symmetric(&measure));
    ck_assert_int_eq(ww_measure_set(&measure, "insertion", 2), WW_OK);
    ck_assert(!wwi_measure_is_symmetric(&measure));
    ck_assert(wwi_measure_is_zero_on_self(&measure));
    ck_assert_int_eq(ww_measure_set(&measure, "deletion", 2), WW_OK);
    ck_assert(wwi_measure_is_symmetric(&measure));
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_EDR), WW_OK);
    ck_assert(wwi_measure_is_symmetric(&measure) && wwi_measure_is_zero_on_self(&measure));
    ck_assert_int_eq(ww_measure_set(&measure, "aeon", 1), WW_OK);
    ck_assert(!wwi_measure_is_symmetric(&measure) && !wwi_measure_is_zero_on_self(&measure));
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_LCSS), WW_OK);
    ck_assert(!wwi_measure_is_similarity(&measure));
    ck_assert_int_eq(ww_measure_set(&measure, "similarity", 1), WW_OK);
    ck_assert(wwi_measure_is_similarity(&measure) && !wwi_measure_is_zero_on_self(&measure));
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_LCS), WW_OK);
    ck_assert(wwi_measure_is_similarity(&measure));
}
END_TEST

START_TEST(channels_by_default) {
    for (size_t i = 0; i < ww_measure_count(); i++) {
        const ww_measure_info *info = ww_measure_info_at(i);
        ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, info->id), WW_OK);
        ck_assert_int_eq(measure.independent, info->id == WW_MSM);
        ck_assert_int_eq(info->is_independent, info->id == WW_MSM);
        ck_assert_int_eq(info->uses_times, info->id == WW_TWED);
        ck_assert_int_eq(info->is_of_symbols, info->id == WW_LEVENSHTEIN || info->id == WW_LCS);
        if (info->id == WW_USER)
            measure.recurrence = "real ww_user_cell() { return 0; }";
        measure.cost = WW_COST_ABSOLUTE;
        ck_assert_int_eq(wwi_measure_check(&measure) == WW_OK, info->any_cost);
    }
}
END_TEST

START_TEST(hints_of_parameters) {
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_ERP), WW_OK);
    ck_assert_int_eq(ww_measure_set(&measure, "gap", 1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->hint, "its parameters are g, border_total");
    ck_assert_int_eq(ww_measure_set(&measure, "border_total", 2), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->hint, "border_total is a switch: give 0 or 1");
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_MSM), WW_OK);
    ck_assert_int_eq(ww_measure_set(&measure, "c", -1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->hint, "give a value from 0 to 1e+30");
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, WW_DTW), WW_OK);
    ck_assert_int_eq(ww_measure_set(&measure, "g", 1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->hint, "it has none");
}
END_TEST

// A switch that is half on would be on in one place and off in another.
START_TEST(switches) {
    size_t count = 0;
    for (size_t i = 0; i < ww_measure_count(); i++) {
        const ww_measure_info *info = ww_measure_info_at(i);
        for (size_t p = 0; p < info->parameter_count; p++) {
            ck_assert_int_eq(info->parameters[p].is_switch != 0, info->parameters[p].maximum == 1.0);
            if (!info->parameters[p].is_switch)
                continue;
            count++;
            ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, info->id), WW_OK);
            ck_assert_int_eq(ww_measure_set(&measure, info->parameters[p].name, 0.5), WW_ERROR_INVALID_ARGUMENT);
            ck_assert_ptr_nonnull(strstr(ww_last_error()->message, info->parameters[p].name));
            measure.parameters[p] = 0.25;
            ck_assert_int_eq(wwi_measure_check(&measure), WW_ERROR_INVALID_ARGUMENT);
            ck_assert_int_eq(ww_measure_set(&measure, info->parameters[p].name, 1), WW_OK);
            ck_assert_int_eq(wwi_measure_check(&measure), WW_OK);
        }
    }
    ck_assert_uint_eq(count, 5);
}
END_TEST

// Paths that may begin at the border, or anywhere, reach cells left of where an earlier row begins.
START_TEST(rows_that_go_back) {
    const size_t lo[] = {0, 1, 0}, hi[] = {3, 3, 3};
    for (size_t i = 0; i < ww_measure_count(); i++) {
        const ww_measure_id id = ww_measure_info_at(i)->id;
        const bool refused =
            id == WW_ERP || id == WW_EDR || id == WW_LCSS || id == WW_LEVENSHTEIN || id == WW_LCS || id == WW_USER;
        ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, id), WW_OK);
        if (id == WW_USER)
            measure.recurrence = "real ww_user_cell() { return 0; }";
        measure.band = (ww_band){.kind = WW_BAND_ROWS, .lo = lo, .hi = hi, .rows = 2};
        ck_assert_int_eq(wwi_measure_check(&measure), WW_OK);
        measure.band.rows = 3;
        ck_assert_int_eq(wwi_measure_check(&measure), refused ? WW_ERROR_UNSUPPORTED : WW_OK);
        if (refused) {
            ck_assert_int_eq(ww_last_error()->position, 2);
            ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "row 2"));
        }
    }
}
END_TEST

START_TEST(cells) {
    ck_assert_uint_eq(ww_measure_cells(&measure, 30, 50), 1500);
    ck_assert_uint_eq(ww_measure_cells(&measure, 0, 50), 0);
    ck_assert_uint_eq(ww_measure_cells(NULL, 30, 50), 0);
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 2.0};
    ck_assert_uint_eq(ww_measure_cells(&measure, 30, 50), 0); // no path
    ck_assert_uint_eq(ww_measure_cells(&measure, 30, 30), 5 * 30 - 6);
}
END_TEST

static void check_refused(void) {
    ww_measure taken;
    ck_assert_int_eq(wwi_measure_take(&measure, &taken), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_last_error()->status, WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_ne(ww_last_error()->message, "");
    setup();
}

START_TEST(refused) {
    ck_assert_int_eq(wwi_measure_check(NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_measure_init(NULL, sizeof(ww_measure), WW_DTW), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_measure_init(&measure, sizeof measure, (ww_measure_id)999), WW_ERROR_INVALID_ARGUMENT);
    setup();
    measure.struct_size = 0;
    check_refused();
    measure.struct_size = (size_t)-1;
    check_refused();
    measure.id = (ww_measure_id)-3;
    check_refused();
    measure.cost = (ww_cost)17;
    check_refused();
    measure.cost = WW_COST_USER;
    check_refused();
    measure.cost = WW_COST_USER;
    measure.cost_expression = " \n";
    check_refused();
    measure.cost_expression = "fabs(x - y)"; // without WW_COST_USER it would have no effect
    check_refused();
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = NAN};
    check_refused();
    measure.band = (ww_band){.kind = (ww_band_kind)99};
    check_refused();
    ck_assert_int_eq(ww_measure_set(&measure, "no such thing", 1.0), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_measure_set(NULL, "gamma", 1.0), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_measure_set(&measure, NULL, 1.0), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

// A structure of a later header is accepted while what is unknown here is zero; one of an earlier header has the
// measure's defaults for what it lacks.
START_TEST(structures_of_other_versions) {
    struct {
        ww_measure known;
        double later[2];
    } longer;
    ww_measure taken;
    memset(&longer, 0, sizeof(longer));
    longer.known = measure;
    longer.known.struct_size = sizeof(longer);
    ck_assert_int_eq(wwi_measure_take(&longer.known, &taken), WW_OK);
    ck_assert_uint_eq(taken.struct_size, sizeof taken);
    ck_assert_uint_eq(ww_measure_cells(&longer.known, 3, 4), 12);
    longer.later[1] = 1.0;
    ck_assert_int_eq(wwi_measure_take(&longer.known, &taken), WW_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(ww_measure_cells(&longer.known, 3, 4), 0);

    ww_measure older = measure;
    older.struct_size = offsetof(ww_measure, recurrence);
    older.recurrence = "not read";
    ck_assert_int_eq(wwi_measure_take(&older, &taken), WW_OK);
    ck_assert_ptr_null(taken.recurrence);
    older.struct_size--;
    ck_assert_int_eq(wwi_measure_take(&older, &taken), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwi_measure_take(NULL, &taken), WW_ERROR_INVALID_ARGUMENT);

    memset(&older, 0x5a, sizeof older);
    ck_assert_int_eq(ww_measure_init(&older, offsetof(ww_measure, recurrence), WW_MSM), WW_OK);
    ck_assert_uint_eq(older.struct_size, offsetof(ww_measure, recurrence));
    ck_assert_int_eq(older.independent, 1);
    ck_assert(older.recurrence != NULL); // beyond its end: as it was
    ck_assert_int_eq(ww_measure_init(&older, 3, WW_MSM), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("measure");
    TCase *tcase = wwt_case(suite, "measure", 10);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, table_is_whole);
    tcase_add_test(tcase, defaults);
    tcase_add_test(tcase, ends_and_gamma);
    tcase_add_test(tcase, symmetry_and_zero);
    tcase_add_test(tcase, symmetry_of_edits);
    tcase_add_test(tcase, channels_by_default);
    tcase_add_test(tcase, hints_of_parameters);
    tcase_add_test(tcase, switches);
    tcase_add_test(tcase, rows_that_go_back);
    tcase_add_test(tcase, cells);
    tcase_add_test(tcase, refused);
    tcase_add_test(tcase, structures_of_other_versions);
    return wwt_run(suite);
}
