// SPDX-License-Identifier: Apache-2.0
// Look-up in the table of measures (measures.c), the check of a caller's measure, and what is true of a checked one.
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "measure/band.h"
#include "measure/measure_table.h"
#include "measure/user_text.h"
#include "options.h"

#define LARGEST_GAMMA 1e30 // in float too

const wwi_measure_row *wwi_measure_row_by_id(ww_measure_id id) {
    for (size_t i = 0; i < wwi_measure_count; i++)
        if (wwi_measures[i].info.id == id)
            return &wwi_measures[i];
    return NULL;
}

size_t ww_measure_count(void) {
    return wwi_measure_count;
}

const ww_measure_info *ww_measure_info_at(size_t position) {
    return position < wwi_measure_count ? &wwi_measures[position].info : NULL;
}

const ww_measure_info *ww_measure_info_by_id(ww_measure_id id) {
    const wwi_measure_row *row = wwi_measure_row_by_id(id);
    return row ? &row->info : NULL;
}

const ww_measure_info *ww_measure_info_by_name(const char *name) {
    for (size_t i = 0; name && i < wwi_measure_count; i++)
        if (strcmp(wwi_measures[i].info.name, name) == 0)
            return &wwi_measures[i].info;
    return NULL;
}

size_t wwi_measure_find_parameter(const ww_measure_info *info, const char *name) {
    size_t p = 0;
    while (p < info->parameter_count && strcmp(info->parameters[p].name, name) != 0)
        p++;
    return p;
}

// A measure's defaults; false: there is no such measure.
static bool make_default(ww_measure_id id, ww_measure *measure) {
    const ww_measure_info *info = ww_measure_info_by_id(id);
    memset(measure, 0, sizeof(*measure));
    measure->struct_size = sizeof(*measure);
    measure->id = id;
    if (!info)
        return false;
    measure->independent = info->is_independent;
    for (size_t p = 0; p < info->parameter_count; p++)
        measure->parameters[p] = info->parameters[p].initial;
    return true;
}

ww_status ww_measure_init(ww_measure *measure, size_t struct_size, ww_measure_id id) {
    ww_measure made;
    if (!measure || struct_size < sizeof struct_size)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "measure is NULL, or its size is %zu", struct_size);
    if (!make_default(id, &made))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)id);
    wwi_struct_init(measure, struct_size, &made);
    return WW_OK;
}

ww_status wwi_measure_take(const ww_measure *given, ww_measure *own) {
    WWI_NEEDS("measure", given);
    if (given->struct_size < offsetof(ww_measure, recurrence)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "struct_size of the measure is %zu", given->struct_size);
        return wwi_fail_hint("fill the measure with ww_measure_init()");
    }
    (void)make_default(given->id, own);
    WWI_TRY(wwi_options_take(own, given, "ww_measure"));
    return wwi_measure_check(own);
}

static ww_status check_parameter(const ww_measure_info *info, size_t p, double value) {
    const ww_parameter_info *parameter = &info->parameters[p];
    // Written so that NaN fails.
    if (value >= parameter->minimum && value <= parameter->maximum &&
        (!parameter->is_switch || value == 0.0 || value == 1.0))
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "parameter %s of %s is %g", parameter->name, info->name, value);
    if (parameter->is_switch)
        return wwi_fail_hint("%s is a switch: give 0 or 1", parameter->name);
    return wwi_fail_hint("give a value from %g to %g", parameter->minimum, parameter->maximum);
}

static ww_status fail_unknown_parameter(const ww_measure_info *info, const char *name) {
    char names[256] = "";
    for (size_t p = 0; p < info->parameter_count; p++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", p ? ", " : "", info->parameters[p].name);
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s has no parameter \"%.64s\"", info->name, name);
    return info->parameter_count ? wwi_fail_hint("its parameters are %s", names) : wwi_fail_hint("it has none");
}

ww_status ww_measure_set(ww_measure *measure, const char *parameter, double value) {
    WWI_NEEDS("measure, parameter", measure, parameter);
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)measure->id);
    const size_t p = wwi_measure_find_parameter(info, parameter);
    if (p == info->parameter_count)
        return fail_unknown_parameter(info, parameter);
    WWI_TRY(check_parameter(info, p, value));
    measure->parameters[p] = value;
    return WW_OK;
}

static ww_status check_cost(const ww_measure *measure) {
    if ((int)measure->cost < WW_COST_DEFAULT || (int)measure->cost > WW_COST_USER)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no cost number %d", (int)measure->cost);
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    if (measure->cost != WW_COST_DEFAULT && !row->info.any_cost) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the cost of %s is its own", row->info.name);
        return wwi_fail_hint("leave the cost at its default");
    }
    const char *text = measure->cost_expression;
    bool blank = !text || text[strspn(text, " \t\r\n")] == '\0';
    if (measure->cost == WW_COST_USER && blank) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the cost is WW_COST_USER, and there is no cost_expression");
        return wwi_fail_hint("set cost_expression, for example \"fabs(x - y) * 2\"");
    }
    if (measure->cost != WW_COST_USER && text) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is a cost_expression, and the cost is not WW_COST_USER");
        return wwi_fail_hint("set cost to WW_COST_USER, or cost_expression to NULL");
    }
    return text ? wwi_user_text_check("cost expression", text, true) : WW_OK;
}

// The engines walk intervals of columns whose ends go forward only. Where paths begin at the corner alone, a row's
// cells left of where an earlier row begins are reached by none; elsewhere a path may begin there. Where paths end at
// the corner alone, none comes from a cell right of where a later row ends; an open end may be there.
static ww_status check_rows_forward(const ww_measure *measure) {
    const ww_band *band = &measure->band;
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    if (band->kind != WW_BAND_ROWS || (row->flags & WWI_MEASURE_ENCLOSED && !wwi_measure_is_open(measure)))
        return WW_OK;
    for (size_t i = 1; i < band->rows; i++) {
        const bool begins = band->lo[i] < band->lo[i - 1];
        if (!begins && !(wwi_measure_is_open(measure) && band->hi[i] < band->hi[i - 1]))
            continue;
        const size_t *side = begins ? band->lo : band->hi;
        wwi_fail(WW_ERROR_UNSUPPORTED, "row %zu of the band %s at column %zu, before the row above, at %zu: %s", i,
                 begins ? "begins" : "ends", side[i], side[i - 1], row->info.name);
        wwi_fail_hint("%s takes bands whose rows %s no earlier than those above",
                      begins ? row->info.name : "with open ends it", begins ? "begin" : "end");
        return wwi_fail_where(-1, (int64_t)i);
    }
    return WW_OK;
}

// What can be said of a recurrence without compiling it.
static ww_status check_recurrence(const ww_measure *measure) {
    const char *text = measure->recurrence;
    if (measure->id != WW_USER) {
        if (!text)
            return WW_OK;
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is a recurrence, and the measure is %s",
                 wwi_measure_row_by_id(measure->id)->info.name);
        return wwi_fail_hint("set the measure to WW_USER, or recurrence to NULL");
    }
    const char *name = measure->recurrence_name ? measure->recurrence_name : "recurrence";
    if (!text || (!strstr(text, "ww_user_cell") && !strstr(text, "ww_user_enter"))) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, text ? "%s defines no ww_user_cell()" : "there is no %s", name);
        return wwi_fail_hint("docs/kernels.md says what a recurrence defines");
    }
    // It stands in a #line of the text that is compiled.
    bool plain = !strpbrk(name, "\"\\") && !strstr(name, "??");
    for (const char *c = name; *c; c++)
        plain = plain && (unsigned char)*c >= ' ' && *c != 0x7F;
    if (!plain)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "the recurrence's name has a quote, a backslash, '\?\?' or a control character");
    return wwi_user_text_check(name, text, false);
}

double wwi_measure_parameter(const ww_measure *measure, const char *name) {
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    const size_t p = wwi_measure_find_parameter(info, name);
    return p < info->parameter_count ? measure->parameters[p] : 0.0;
}

// Of the user's recurrence the text says what it has.
static bool has(const ww_measure *measure, int known, const char *word) {
    return known && (measure->id != WW_USER || strstr(measure->recurrence, word) != NULL);
}

static ww_status check_ends(const ww_measure *measure) {
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!wwi_measure_is_open(measure))
        return WW_OK;
    if (has(measure, info->has_open_ends, "WW_USER_OPEN_BORDER") &&
        (measure->id != WW_EDR || wwi_measure_parameter(measure, "aeon") == 0.0))
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no open ends%s", info->name, measure->id == WW_EDR ? " in aeon's form" : "");
    if (measure->id == WW_USER)
        return wwi_fail_hint("define WW_USER_OPEN_BORDER in the recurrence: docs/kernels.md");
    return wwi_fail_hint("leave the relaxation at 0; docs/measures.md says which measures have open ends");
}

static ww_status check_gamma(const ww_measure *measure) {
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (measure->gamma == 0.0)
        return WW_OK;
    // Written so that NaN fails.
    if (!(measure->gamma >= 1 / LARGEST_GAMMA && measure->gamma <= LARGEST_GAMMA)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "gamma of the soft minimum is %g", measure->gamma);
        return wwi_fail_hint("give a value from %g to %g, or 0 for the minimum itself", 1 / LARGEST_GAMMA,
                             LARGEST_GAMMA);
    }
    if (!has(measure, info->has_soft_minimum, "WW_USER_ENTER")) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no soft minimum", info->name);
        return measure->id == WW_USER
                   ? wwi_fail_hint("define WW_USER_ENTER in the recurrence: docs/kernels.md")
                   : wwi_fail_hint("leave gamma at 0; docs/measures.md says which measures have one");
    }
    if (wwi_measure_is_open(measure)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the soft minimum has no open ends");
        return wwi_fail_hint("leave gamma or the relaxation at 0");
    }
    if (measure->root)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a soft value may be negative, so it has no root");
    return WW_OK;
}

ww_status wwi_measure_check(const ww_measure *measure) {
    WWI_NEEDS("measure", measure);
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)measure->id);
    WWI_TRY(check_cost(measure));
    WWI_TRY(check_recurrence(measure));
    for (size_t p = 0; p < info->parameter_count; p++)
        WWI_TRY(check_parameter(info, p, measure->parameters[p]));
    WWI_TRY(check_ends(measure));
    WWI_TRY(check_gamma(measure));
    WWI_TRY(wwi_band_check(&measure->band));
    return check_rows_forward(measure);
}

ww_cost wwi_measure_cost(const ww_measure *measure) {
    return measure->cost == WW_COST_DEFAULT ? wwi_measure_row_by_id(measure->id)->info.cost : measure->cost;
}

bool wwi_measure_is_open(const ww_measure *measure) {
    return measure->relax_begin_x || measure->relax_end_x || measure->relax_begin_y || measure->relax_end_y;
}

bool wwi_measure_is_soft(const ww_measure *measure) {
    return measure->gamma != 0.0;
}

bool wwi_measure_is_symmetric(const ww_measure *measure) {
    return measure->relax_begin_x == measure->relax_begin_y && measure->relax_end_x == measure->relax_end_y &&
           wwi_measure_roles_exchange(measure);
}

bool wwi_measure_roles_exchange(const ww_measure *measure) {
    bool symmetric = wwi_measure_row_by_id(measure->id)->info.is_symmetric != 0;
    if (measure->id == WW_LEVENSHTEIN &&
        wwi_measure_parameter(measure, "insertion") != wwi_measure_parameter(measure, "deletion"))
        symmetric = false;
    if (measure->id == WW_EDR && wwi_measure_parameter(measure, "aeon") != 0.0)
        symmetric = false; // only one of the borders ends in infinity
    return symmetric && measure->cost != WW_COST_USER && wwi_band_is_symmetric(&measure->band);
}

bool wwi_measure_rounds_by_engine(const ww_measure *measure) {
    return wwi_measure_is_soft(measure) || wwi_measure_has(measure, WWI_MEASURE_BORDER_SUMS | WWI_MEASURE_OF_TEXT) ||
           wwi_measure_cost(measure) == WW_COST_USER;
}

bool wwi_measure_is_zero_on_self(const ww_measure *measure) {
    bool zero = (wwi_measure_row_by_id(measure->id)->flags & WWI_MEASURE_ZERO_ON_SELF) != 0;
    if (measure->id == WW_EDR)
        zero = wwi_measure_parameter(measure, "aeon") == 0.0;
    if (measure->id == WW_LCSS)
        zero = wwi_measure_parameter(measure, "similarity") == 0.0;
    // With open ends the value is not above that of closed ones, and never negative.
    zero = zero && !wwi_measure_is_soft(measure);
    return zero && measure->cost != WW_COST_USER && wwi_band_has_diagonal(&measure->band);
}

bool wwi_measure_is_bits_of_symbols(const ww_measure *measure) {
    if (wwi_measure_is_open(measure))
        return false;
    return measure->id == WW_LCS ||
           (measure->id == WW_LEVENSHTEIN && wwi_measure_parameter(measure, "insertion") == 1.0 &&
            wwi_measure_parameter(measure, "deletion") == 1.0 && wwi_measure_parameter(measure, "substitution") == 1.0);
}

bool wwi_measure_is_bits_of_points(const ww_measure *measure) {
    // aeon's EDR asks for less than epsilon, and its border is neither distance's.
    if (wwi_measure_is_open(measure))
        return false;
    return measure->id == WW_LCSS || (measure->id == WW_EDR && wwi_measure_parameter(measure, "aeon") == 0.0);
}

bool wwi_measure_form(const ww_measure *measure, size_t parameter, int *form) {
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    const double value = measure->parameters[parameter];
    bool found = row->info.parameters[parameter].is_switch;
    *form = found ? value != 0 : -1;
    for (size_t i = 0; i < row->special_count; i++) {
        if (row->special[i].parameter != parameter)
            continue;
        found = true;
        if (value == row->special[i].value)
            *form = row->special[i].value;
    }
    return found;
}

bool wwi_measure_has_power(const ww_measure *measure) {
    const int exponent = wwi_measure_row_by_id(measure->id)->exponent;
    int form;
    return exponent && wwi_measure_form(measure, (size_t)exponent - 1, &form) && form < 0;
}

bool wwi_measure_has_total_borders(const ww_measure *measure) {
    return wwi_measure_parameter(measure, "border_total") != 0.0;
}

bool wwi_measure_is_normalised(const ww_measure *measure) {
    return wwi_measure_parameter(measure, "normalised") != 0.0;
}

bool wwi_measure_is_similarity(const ww_measure *measure) {
    return wwi_measure_row_by_id(measure->id)->info.is_similarity ||
           wwi_measure_parameter(measure, "similarity") != 0.0;
}

int ww_measure_is_symmetric(const ww_measure *given) {
    ww_measure measure;
    return wwi_measure_take(given, &measure) == WW_OK && wwi_measure_is_symmetric(&measure);
}

int ww_measure_is_similarity(const ww_measure *given) {
    ww_measure measure;
    return wwi_measure_take(given, &measure) == WW_OK && wwi_measure_is_similarity(&measure);
}

uint64_t wwi_measure_band_cells(const ww_measure *measure, size_t n, size_t m) {
    const ww_band *band = &measure->band;
    if (n == 0 || m == 0 || !wwi_band_is_short(band, n, m) || measure->id == WW_USER)
        return wwi_band_cells(band, n, m);
    const bool wide = m > n;
    const size_t shorter = wide ? n : m, width = (size_t)band->width; // less than the longer one has points
    const size_t skipped = (wide ? m : n) - shorter - width, open = wide ? measure->relax_end_y : measure->relax_end_x;
    const bool enclosed = (wwi_measure_row_by_id(measure->id)->flags & WWI_MEASURE_ENCLOSED) != 0;
    if (skipped > open)
        return 0;
    // The one row, or column, has cells beside a border where paths begin.
    if (shorter == 1 && (!enclosed || (wide ? measure->relax_begin_y : measure->relax_begin_x) > width))
        return 0;
    const uint64_t cells = wwi_band_cells(band, wide ? n : n - skipped, wide ? m - skipped : m);
    return cells == UINT64_MAX ? cells : cells + skipped;
}

uint64_t ww_measure_cells(const ww_measure *given, size_t n, size_t m) {
    ww_measure measure;
    if (wwi_measure_take(given, &measure) != WW_OK)
        return 0;
    const size_t less = wwi_measure_row_by_id(measure.id)->transform == WWI_TRANSFORM_DERIVATIVE ? 2 : 0;
    if (n <= less || m <= less)
        return 0;
    return wwi_measure_band_cells(&measure, n - less, m - less);
}
