// SPDX-License-Identifier: Apache-2.0
// Measures and bands from text, and the names of enumerations: every name leads back to its value.
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

#include "check_main.h"

// Each word leads back to its value, and what is none is refused.
static void round_trip(ww_word_kind kind, unsigned count) {
    unsigned value;
    for (unsigned i = 0; i < count; i++) {
        value = count + 1;
        ck_assert_int_eq(ww_word_parse(kind, ww_word(kind, i), &value), WW_OK);
        ck_assert_uint_eq(value, i);
    }
    ck_assert_str_eq(ww_word(kind, count), "unknown");
    ck_assert_str_eq(ww_word(kind, UINT_MAX), "unknown");
    value = 1;
    ck_assert_int_eq(ww_word_parse(kind, "unknown", &value), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, ww_word(kind, 0)));
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, ww_word(kind, count - 1)));
    ck_assert_int_eq(ww_word_parse(kind, NULL, &value), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_word_parse(kind, ww_word(kind, 0), NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(value, 1);
}

START_TEST(names) {
    round_trip(WW_WORD_AVERAGE_METHOD, WW_AVERAGE_SOFT + 1);
    round_trip(WW_WORD_BAND_KIND, WW_BAND_ROWS + 1);
    round_trip(WW_WORD_COST, WW_COST_USER + 1);
    round_trip(WW_WORD_ENGINE, WW_ENGINE_BITS + 1);
    round_trip(WW_WORD_FORMAT, WW_FORMAT_FASTA + 1);
    round_trip(WW_WORD_GENERATOR, WW_GENERATE_SINE + 1);
    round_trip(WW_WORD_LINKAGE, WW_LINKAGE_WARD + 1);
    round_trip(WW_WORD_METRIC, WW_METRIC_NAN_L2 + 1);
    round_trip(WW_WORD_PRECISION, WW_DOUBLE + 1);
    round_trip(WW_WORD_SHAPELET_QUALITY, WW_SHAPELET_MOOD + 1);
    static const int none[] = {-1, WW_WORD_SHAPELET_QUALITY + 1, 1 << 30};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        unsigned value = 7;
        ck_assert_str_eq(ww_word((ww_word_kind)none[i], 0), "unknown");
        ck_assert_int_eq(ww_word_parse((ww_word_kind)none[i], "l2", &value), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_uint_eq(value, 7);
    }
}
END_TEST

// Widths are exact, or nearly so.
static bool is(double a, double b) {
    return !(a < b) && !(a > b);
}

START_TEST(bands) {
    static const struct {
        const char *text;
        size_t longest;
        ww_band_kind kind;
        double width;
    } good[] = {
        {"none", 0, WW_BAND_NONE, 0},
        {"sakoe-chiba:3", 0, WW_BAND_SAKOE_CHIBA, 3},
        {"sakoe-chiba:1e3", 0, WW_BAND_SAKOE_CHIBA, 1000},
        {"sakoe-chiba:10%", 20, WW_BAND_SAKOE_CHIBA, 2},
        {"sakoe-chiba:0%", 20, WW_BAND_SAKOE_CHIBA, 0},
        {"corner:29%", 20, WW_BAND_CORNER, 5},
        {"corner:100%", 20, WW_BAND_CORNER, 20},
        {"slanted:0.1", 0, WW_BAND_SLANTED, 0.1},
        {"itakura:2", 0, WW_BAND_ITAKURA, 2},
        {"slanted:0.10000000000000000555111512312578270211815834045410156", 0, WW_BAND_SLANTED, 0.1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ww_band band = {WW_BAND_ROWS, -1, NULL, NULL, 9};
        ck_assert_msg(ww_band_parse(good[i].text, good[i].longest, &band) == WW_OK, "%s: %s", good[i].text,
                      ww_last_error()->message);
        ck_assert_int_eq(band.kind, good[i].kind);
        ck_assert_msg(is(band.width, good[i].width), "%s: %.17g", good[i].text, band.width);
        ck_assert_uint_eq(band.rows, 0);
    }
}
END_TEST

START_TEST(wrong_bands) {
    static const struct {
        const char *text, *hint;
    } wrong[] = {
        {"", "sakoe-chiba:R"},
        {"sakoe:3", "itakura:S"},
        {"10%", "sakoe-chiba:10%"},
        {"5", "corner:5"},
        {"none:1", ""},
        {"corner", "corner:10%"},
        {"corner:", "corner:10%"},
        {"slanted", "slanted:0.1"},
        {"corner:-1", ""},
        {"corner:x", ""},
        {"corner:%", ""},
        {"corner:1 ", ""},
        {"corner: 1", ""},
        {"corner:0x10", ""},
        {"corner:nan", ""},
        {"corner:inf", ""},
        {"corner:1e999", ""},
        {"corner:101%", ""},
        {"corner:-1%", ""},
        {"corner:0.1", "corner:10%"},
        {"slanted:10%", ""},
        {"rows:file", "lo"},
        {"sakoe-chiba:111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111", ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ww_band band = {WW_BAND_CORNER, 7, NULL, NULL, 0};
        ck_assert_msg(ww_band_parse(wrong[i].text, 20, &band) == WW_ERROR_INVALID_ARGUMENT, "%s", wrong[i].text);
        ck_assert_msg(strstr(ww_last_error()->hint, wrong[i].hint) != NULL, "%s: %s", wrong[i].text,
                      ww_last_error()->hint);
        ck_assert(band.kind == WW_BAND_CORNER && is(band.width, 7)); // unchanged
    }
    ww_band band = {WW_BAND_CORNER, 7, NULL, NULL, 0};
    ck_assert_int_eq(ww_band_parse("corner:10%", 0, &band), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "longest"));
    ck_assert_int_eq(ww_band_parse(NULL, 0, &band), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_band_parse("none", 0, NULL), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

static ww_measure parsed(const char *text) {
    ww_measure measure;
    ck_assert_msg(ww_measure_parse(&measure, sizeof measure, text, 200) == WW_OK, "%s: %s", text,
                  ww_last_error()->message);
    ck_assert_uint_eq(measure.struct_size, sizeof measure);
    return measure;
}

START_TEST(measures) {
    for (size_t i = 0; i < ww_measure_count(); i++) {
        const ww_measure_info *info = ww_measure_info_at(i);
        ww_measure initial, measure = parsed(info->name);
        ck_assert_int_eq(ww_measure_init(&initial, sizeof initial, info->id), WW_OK);
        ck_assert(memcmp(&initial, &measure, sizeof measure) == 0);
        // No parameter has the name of another word.
        for (size_t p = 0; p < info->parameter_count; p++) {
            char word[64];
            const double value = info->parameters[p].maximum;
            snprintf(word, sizeof word, "%s=%.17g", info->parameters[p].name, value);
            ck_assert_int_eq(ww_measure_set_text(&measure, word, 0), WW_OK);
            ck_assert_msg(is(measure.parameters[p], value), "%s: %s", info->name, word);
        }
    }
    ww_measure m = parsed("dtw,root,cost=absolute,band=sakoe-chiba:10%");
    ck_assert(m.root == 1 && m.cost == WW_COST_ABSOLUTE && m.band.kind == WW_BAND_SAKOE_CHIBA && is(m.band.width, 20));
    m = parsed("msm,c=0.5,dependent");
    ck_assert(m.id == WW_MSM && m.independent == 0 && is(m.parameters[0], 0.5));
    m = parsed("dtw,independent,relax=0:all:3:99999999999999999999");
    ck_assert(m.independent == 1 && m.relax_begin_x == 0 && m.relax_end_x == SIZE_MAX && m.relax_begin_y == 3 &&
              m.relax_end_y == SIZE_MAX);
    ck_assert(is(parsed("dtw,gamma=0.25").gamma, 0.25) && is(parsed("dtw,soft=2,soft=4").gamma, 4));
    ck_assert_int_eq(ww_measure_set_text(&m, "relax=1,2,3,4", 0), WW_OK);
    ck_assert(m.relax_begin_x == 1 && m.relax_end_x == 2 && m.relax_begin_y == 3 && m.relax_end_y == 4);
}
END_TEST

START_TEST(wrong_measures) {
    static const struct {
        const char *text, *hint;
    } wrong[] = {
        {"", "dtw"},
        {"dwt", "dtw"},
        {"DTW", "dtw"},
        {"euclidean", "dtw,root,band=sakoe-chiba:0"},
        {"soft-dtw", "gamma"},
        {"dtw,", "root"},
        {"dtw,,root", "root"},
        {"dtw,rooted", "root"},
        {"dtw,root=1", ""},
        {"dtw,=1", "root"},
        {"dtw,penalty=1", ""},
        {"adtw,penalty", "penalty="},
        {"adtw,penalty=", "NUMBER"},
        {"adtw,penalty=x", "NUMBER"},
        {"adtw,penalty=-1", "give a value"},
        {"adtw,penalty=0,5", "penalty="},
        {"dtw,cost=chebyshev", "squared"},
        {"dtw,cost=user", "cost_expression"},
        {"dtw,band=10%", "sakoe-chiba:10%"},
        {"dtw,relax=1:2:3", "BX:EX:BY:EY"},
        {"dtw,relax=1:2:3:4:5", "BX:EX:BY:EY"},
        {"dtw,relax=1:2:-3:4", "BX:EX:BY:EY"},
        {"dtw,relax=1:2::4", "BX:EX:BY:EY"},
        {"dtw,gamma=nan", "NUMBER"},
        {"dtw,a name that is much too long for a word=1", ""},
    };
    ww_measure measure, kept;
    memset(&measure, 0x5a, sizeof measure);
    kept = measure;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(ww_measure_parse(&measure, sizeof measure, wrong[i].text, 20) == WW_ERROR_INVALID_ARGUMENT, "%s",
                      wrong[i].text);
        ck_assert_msg(strstr(ww_last_error()->hint, wrong[i].hint) != NULL, "%s: %s", wrong[i].text,
                      ww_last_error()->hint);
        ck_assert(memcmp(&measure, &kept, sizeof measure) == 0);
    }
    ck_assert_int_eq(ww_measure_parse(&measure, sizeof measure, NULL, 0), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_measure_parse(NULL, sizeof measure, "dtw", 0), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_measure_parse(&measure, 3, "dtw", 0), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_measure_set_text(NULL, "root", 0), WW_ERROR_INVALID_ARGUMENT);
    measure = parsed("dtw");
    ck_assert_int_eq(ww_measure_set_text(&measure, NULL, 0), WW_ERROR_INVALID_ARGUMENT);
    measure.struct_size = 0;
    ck_assert_int_eq(ww_measure_set_text(&measure, "root", 0), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

// A program built with an earlier header: nothing that the text says is lost without a word.
START_TEST(shorter_struct) {
    ww_measure older;
    memset(&older, 0x5a, sizeof older);
    const ww_measure kept = older;
    const size_t size = offsetof(ww_measure, gamma);
    ck_assert_int_eq(ww_measure_parse(&older, size, "dtw,root", 0), WW_OK);
    ck_assert(older.root == 1 && older.struct_size == size &&
              memcmp(&older.gamma, &kept.gamma, sizeof kept.gamma) == 0);
    ck_assert_int_eq(ww_measure_parse(&older, size, "dtw,gamma=1", 0), WW_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(locales) {
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8"))
        return;
    ck_assert(is(parsed("msm,c=0.5").parameters[0], 0.5));
    setlocale(LC_ALL, "C");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("words");
    TCase *tcase = wwt_case(suite, "words", 10);
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, bands);
    tcase_add_test(tcase, wrong_bands);
    tcase_add_test(tcase, measures);
    tcase_add_test(tcase, wrong_measures);
    tcase_add_test(tcase, shorter_struct);
    tcase_add_test(tcase, locales);
    return wwt_run(suite);
}
