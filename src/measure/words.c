// SPDX-License-Identifier: Apache-2.0
// Measures, costs and bands as text: "dtw,root,band=sakoe-chiba:10%,cost=absolute". What the fields may be is checked
// where a measure is used (measure.c).
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "files/number.h"
#include "measure/measure_table.h"
#include "options.h"

// A finite number that takes all `length` bytes, in the C locale whatever the program's is.
static bool read_number(const char *text, size_t length, double *value) {
    char copy[64 + WWI_NUMBER_SLACK] = "";
    if (length == 0 || length >= 64 || !strchr("0123456789+-.", *text))
        return false;
    memcpy(copy, text, length);
    const char *end = wwi_number_scan(copy, value);
    if (end)
        return end == copy + length && isfinite(*value);
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return false;
    *value = strtod_l(copy, (char **)&end, c_locale);
    freelocale(c_locale);
    return end == copy + length && isfinite(*value);
}

// ---- bands

// Widths of these bands are numbers of points.
static bool counts_points(ww_band_kind kind) {
    return kind == WW_BAND_SAKOE_CHIBA || kind == WW_BAND_CORNER;
}

static ww_status fail_kind(const char *text) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no band '%.64s'", text);
    if (strchr("0123456789.%", *text) && *text)
        return wwi_fail_hint("a width follows its kind: give sakoe-chiba:%.32s or corner:%.32s", text, text);
    return wwi_fail_hint(
        "none, sakoe-chiba:R, corner:R (R points, or P%% of the longest series), slanted:F, itakura:S");
}

static ww_status fail_fraction(const char *text, const ww_band *band) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s': the width is a whole number of points", text);
    return wwi_fail_hint("a share of the length is a percentage, such as %s:%g%%",
                         ww_word(WW_WORD_BAND_KIND, band->kind), band->width < 1.0 ? 100.0 * band->width : 10.0);
}

static ww_status read_percent(const char *text, double percent, size_t longest, ww_band *band) {
    if (!counts_points(band->kind))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s': a percentage is for sakoe-chiba and corner", text);
    if (!(percent >= 0 && percent <= 100))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s': a percentage is from 0 to 100", text);
    if (longest == 0) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s': the length that it is a share of is not known", text);
        return wwi_fail_hint("give the longest series' length, or a number of points");
    }
    band->width = floor(percent * (double)longest / 100.0);
    return WW_OK;
}

// `width`: what follows the kind's name; NULL: nothing.
static ww_status read_width(const char *text, const char *width, size_t longest, ww_band *band) {
    const size_t digits = width ? strlen(width) : 0;
    if (!digits) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s' needs a width", text);
        return wwi_fail_hint("%s:%s", ww_word(WW_WORD_BAND_KIND, band->kind),
                             band->kind == WW_BAND_ITAKURA ? "2"
                             : counts_points(band->kind)   ? "10%"
                                                           : "0.1");
    }
    const bool percent = width[digits - 1] == '%';
    if (!read_number(width, digits - percent, &band->width) || (!percent && band->width < 0))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s': '%.32s' is not a width", text, width);
    if (percent)
        return read_percent(text, band->width, longest, band);
    return counts_points(band->kind) && band->width != floor(band->width) ? fail_fraction(text, band) : WW_OK;
}

ww_status ww_band_parse(const char *text, size_t longest, ww_band *band) {
    ww_band made = {WW_BAND_NONE, 0.0, NULL, NULL, 0};
    char name[16] = "";
    WWI_NEEDS("text, band", text, band);
    const size_t length = strcspn(text, ":");
    const char *width = text[length] ? text + length + 1 : NULL;
    if (length < sizeof name)
        memcpy(name, text, length);
    unsigned kind = 0;
    if (ww_word_parse(WW_WORD_BAND_KIND, name, &kind) != WW_OK)
        return fail_kind(text);
    made.kind = (ww_band_kind)kind;
    if (made.kind == WW_BAND_ROWS) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s': its rows are arrays, not text", text);
        return wwi_fail_hint("set kind, lo, hi and rows of the band");
    }
    if (made.kind == WW_BAND_NONE && width)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "band '%.64s': '%.32s' is not a width", text, width);
    WWI_TRY(made.kind == WW_BAND_NONE ? WW_OK : read_width(text, width, longest, &made));
    *band = made;
    return WW_OK;
}

// ---- measures

// Four counts, or "all", with commas or colons between them.
static ww_status read_relaxation(const char *text, ww_measure *measure) {
    size_t ends[4];
    const char *at = text;
    for (size_t i = 0; i < 4; i++) {
        const size_t length = strcspn(at, ",:");
        double count = 0;
        bool good = (at[length] != '\0') == (i < 3);
        if (good && length == 3 && strncmp(at, "all", 3) == 0) {
            ends[i] = SIZE_MAX;
        } else {
            good = good && strspn(at, "0123456789") == length && read_number(at, length, &count);
            ends[i] = count < 1e15 ? (size_t)count : SIZE_MAX;
        }
        if (!good) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the relaxation is '%.64s'", text);
            return wwi_fail_hint("BX:EX:BY:EY, each a number of points or all");
        }
        at += length + 1;
    }
    measure->relax_begin_x = ends[0];
    measure->relax_end_x = ends[1];
    measure->relax_begin_y = ends[2];
    measure->relax_end_y = ends[3];
    return WW_OK;
}

static ww_status fail_word(const ww_measure_info *info, const char *word) {
    char names[256] = "";
    for (size_t p = 0; p < info->parameter_count; p++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s=", info->parameters[p].name);
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s has no parameter '%.64s'", info->name, word);
    return wwi_fail_hint("root, independent, dependent, cost=, band=, gamma=, relax=%s", names);
}

static ww_status set_cost(ww_measure *measure, const char *value) {
    unsigned cost = WW_COST_DEFAULT;
    WWI_TRY(ww_word_parse(WW_WORD_COST, value, &cost));
    if (cost == WW_COST_USER) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a cost of one's own is an expression");
        return wwi_fail_hint("set cost and cost_expression of the measure");
    }
    measure->cost = (ww_cost)cost;
    return WW_OK;
}

static ww_status set_switch(ww_measure *measure, const ww_measure_info *info, const char *name) {
    if (strcmp(name, "root") == 0)
        measure->root = 1;
    else if (strcmp(name, "independent") == 0 || strcmp(name, "dependent") == 0)
        measure->independent = name[0] == 'i';
    else
        return fail_word(info, name);
    return WW_OK;
}

ww_status ww_measure_set_text(ww_measure *measure, const char *word, size_t longest) {
    char name[32] = "";
    double number;
    const ww_measure_info *info = measure ? ww_measure_info_by_id(measure->id) : NULL;
    if (!info || !word)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the word or the measure is NULL, or the measure was not filled");
    if (measure->struct_size < sizeof *measure) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "struct_size of the measure is %zu", measure->struct_size);
        return wwi_fail_hint("fill the measure with ww_measure_init()");
    }
    const size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    if (length == 0 || length >= sizeof name)
        return fail_word(info, word);
    memcpy(name, word, length);
    if (!value)
        return set_switch(measure, info, name);
    if (strcmp(name, "cost") == 0)
        return set_cost(measure, value);
    if (strcmp(name, "band") == 0)
        return ww_band_parse(value, longest, &measure->band);
    if (strcmp(name, "relax") == 0)
        return read_relaxation(value, measure);
    if (!read_number(value, strlen(value), &number)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "'%.64s' has no number", word);
        return wwi_fail_hint("NAME=NUMBER");
    }
    if (strcmp(name, "gamma") == 0 || strcmp(name, "soft") == 0) {
        measure->gamma = number;
        return WW_OK;
    }
    const bool known = wwi_measure_find_parameter(info, name) < info->parameter_count;
    return known ? ww_measure_set(measure, name, number) : fail_word(info, word);
}

static ww_status fail_measure(const char *name) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure '%.64s'", name);
    if (strstr(name, "euclid") || strcmp(name, "ed") == 0)
        return wwi_fail_hint("the Euclidean distance is dtw,root,band=sakoe-chiba:0");
    if (strncmp(name, "soft", 4) == 0)
        return wwi_fail_hint("soft-DTW is dtw,gamma=G with G above 0");
    char known[256] = "";
    for (size_t i = 0; i < wwi_measure_count; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", wwi_measures[i].info.name);
    return wwi_fail_hint("%s", known);
}

// To a caller's measure of another version's size: no field that the text sets may be left out.
static ww_status give(ww_measure *measure, size_t struct_size, const ww_measure *made) {
    ww_measure initial;
    WWI_TRY(ww_measure_init(&initial, sizeof initial, made->id));
    if (struct_size < sizeof initial && memcmp((const char *)&initial + struct_size, (const char *)made + struct_size,
                                               sizeof initial - struct_size) != 0)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "the text sets a field that a measure of %zu bytes lacks", struct_size);
    wwi_struct_init(measure, struct_size, made);
    return WW_OK;
}

ww_status ww_measure_parse(ww_measure *measure, size_t struct_size, const char *text, size_t longest) {
    ww_measure made;
    if (!measure || !text || struct_size < sizeof struct_size)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the measure or the text is NULL, or the size is %zu", struct_size);
    WWI_FREES char *words = strdup(text);
    if (!words)
        return wwi_fail_memory(strlen(text) + 1);
    char *at = words;
    at[strcspn(at, ",")] = '\0';
    const ww_measure_info *info = ww_measure_info_by_name(at);
    if (!info)
        return fail_measure(at);
    WWI_TRY(ww_measure_init(&made, sizeof made, info->id));
    for (size_t done = strlen(at); text[done]; done += strlen(at)) {
        at = words + ++done;
        at[strcspn(at, ",")] = '\0';
        WWI_TRY(ww_measure_set_text(&made, at, longest));
    }
    return give(measure, struct_size, &made);
}
