// SPDX-License-Identifier: Apache-2.0
// The table of measures and the check of a caller's measure.
// Long because: the table has a row for each of the measures.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "measure/band.h"
#include "measure/measure_table.h"
#include "options.h"

#define LARGEST 1e30 // in float too

// Off by default.
#define SWITCH(name, meaning)                                                                                          \
    { name, 0.0, 0.0, 1.0, meaning, 1 }

static const ww_parameter_info adtw_parameters[] = {
    {"penalty", 1.0, 0.0, LARGEST, "added to every step that is not diagonal", 0},
};
#define USER_PARAMETER(number)                                                                                         \
    { "p" #number, 0.0, -LARGEST, LARGEST, "WW_P_p" #number " in the text", 0 }
static const ww_parameter_info user_parameters[] = {USER_PARAMETER(0), USER_PARAMETER(1), USER_PARAMETER(2),
                                                    USER_PARAMETER(3), USER_PARAMETER(4), USER_PARAMETER(5),
                                                    USER_PARAMETER(6), USER_PARAMETER(7)};
static const ww_parameter_info wdtw_parameters[] = {
    {"g", 0.05, 0.0, 1e6, "steepness of the weights", 0},
    {"w_max", 1.0, 0.0, LARGEST, "largest weight", 0},
};
static const ww_parameter_info erp_parameters[] = {
    {"g", 0.0, -LARGEST, LARGEST, "value of a gap, of every channel", 0},
    SWITCH("border_total", "1: all borders are the total of the gaps, as in aeon and sktime"),
};
static const ww_parameter_info edr_parameters[] = {
    {"epsilon", 0.25, 0.0, LARGEST, "points match when no channel differs by more", 0},
    SWITCH("normalised", "1: divided by the longer length"),
    SWITCH("aeon", "1: as aeon: points match when nearer than epsilon, and the borders are 0"),
};
static const ww_parameter_info lcss_parameters[] = {
    {"epsilon", 1.0, 0.0, LARGEST, "points match when no farther apart", 0},
    SWITCH("similarity", "1: the share of matched points, not 1 less it"),
};
static const ww_parameter_info msm_parameters[] = {
    {"c", 1.0, 0.0, LARGEST, "cost of a split or merge", 0},
};
static const ww_parameter_info twed_parameters[] = {
    {"nu", 0.001, 0.0, LARGEST, "stiffness: cost of a unit of time", 0},
    {"lambda", 1.0, 0.0, LARGEST, "cost of a deletion", 0},
    {"degree", 2.0, 1.0, 1000.0, "of the norm between points", 0},
    SWITCH("no_root", "1: the norm without its root, as Marteau's own program"),
};
static const ww_parameter_info levenshtein_parameters[] = {
    {"insertion", 1.0, 0.0, LARGEST, "cost of a symbol of the second sequence alone", 0},
    {"deletion", 1.0, 0.0, LARGEST, "cost of a symbol of the first sequence alone", 0},
    {"substitution", 1.0, 0.0, LARGEST, "cost of two different symbols for each other", 0},
};

static const wwi_measure_row measures[] = {
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_DTW,
                 .name = "dtw",
                 .title = "Dynamic time warping",
                 .reference = "H. Sakoe, S. Chiba: Dynamic programming algorithm optimization for spoken word "
                              "recognition. IEEE Trans. ASSP 26(1), 1978",
                 .is_metric = 0,
                 .is_symmetric = 1,
                 .formula = "D = c + min(left, up, diagonal)",
                 .cost = WW_COST_SQUARED,
                 .any_cost = 1},
        .recurrence = "recurrence/dtw.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_BOUND_SUM | WWI_MEASURE_ZERO_ON_SELF |
                 WWI_MEASURE_PLAIN | WWI_MEASURE_ENCLOSED | WWI_MEASURE_OPEN | WWI_MEASURE_SOFT,
        .rounding = 1,
    },
    {
        // A metric up to repeated points: a series and the same with a point repeated have distance 0. It stays one
        // with the absolute cost and with the root, but not with the squared cost or inside a band.
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_FRECHET,
                 .name = "frechet",
                 .title = "Discrete Fréchet distance (dog-keeper)",
                 .reference =
                     "T. Eiter, H. Mannila: Computing discrete Fréchet distance. TR CD-TR 94/64, TU Wien, 1994",
                 .is_metric = 1,
                 .is_symmetric = 1,
                 .formula = "D = max(c, min(left, up, diagonal))",
                 .cost = WW_COST_EUCLIDEAN,
                 .any_cost = 1},
        .recurrence = "recurrence/frechet.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_BOUND_MAX | WWI_MEASURE_ZERO_ON_SELF |
                 WWI_MEASURE_PLAIN | WWI_MEASURE_ENCLOSED | WWI_MEASURE_OPEN,
        .rounding = 1,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_ADTW,
                 .name = "adtw",
                 .title = "DTW with a penalty for warping (amerced DTW)",
                 .reference = "M. Herrmann, G. I. Webb: Amercing: An intuitive and effective constraint for dynamic "
                              "time warping. Pattern Recognition 137, 2023",
                 .is_metric = 0,
                 .is_symmetric = 1,
                 .parameter_count = sizeof(adtw_parameters) / sizeof(adtw_parameters[0]),
                 .parameters = adtw_parameters,
                 .formula = "D = c + min(left + penalty, up + penalty, diagonal)",
                 .cost = WW_COST_SQUARED,
                 .any_cost = 1},
        .recurrence = "recurrence/adtw.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_BOUND_SUM | WWI_MEASURE_ZERO_ON_SELF |
                 WWI_MEASURE_PLAIN | WWI_MEASURE_ENCLOSED | WWI_MEASURE_OPEN | WWI_MEASURE_SOFT,
        .rounding = 1,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_WDTW,
                 .name = "wdtw",
                 .title = "Weighted DTW",
                 .reference = "Y.-S. Jeong, M. K. Jeong, O. A. Omitaomu: Weighted dynamic time warping for time series "
                              "classification. Pattern Recognition 44(9), 2011",
                 .is_metric = 0,
                 .is_symmetric = 1,
                 .parameter_count = sizeof(wdtw_parameters) / sizeof(wdtw_parameters[0]),
                 .parameters = wdtw_parameters,
                 .formula = "D = w(|i-j|) c + min(left, up, diagonal), w(a) = w_max / (1 + exp(-g (a - max(n,m)/2)))",
                 .cost = WW_COST_SQUARED,
                 .any_cost = 1},
        .recurrence = "recurrence/wdtw.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_PLAIN |
                 WWI_MEASURE_ENCLOSED | WWI_MEASURE_OPEN | WWI_MEASURE_SOFT,
        .column_registers = 1,
        .rounding = 1,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_DDTW,
                 .name = "ddtw",
                 .title = "DTW of the derivatives",
                 .reference = "E. J. Keogh, M. J. Pazzani: Derivative dynamic time warping. SDM 2001",
                 .is_metric = 0,
                 .is_symmetric = 1,
                 .formula = "DTW of x'_i = ((x_i - x_{i-1}) + (x_{i+1} - x_{i-1})/2) / 2",
                 .cost = WW_COST_SQUARED,
                 .any_cost = 1},
        .recurrence = "recurrence/dtw.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_BOUND_SUM | WWI_MEASURE_ZERO_ON_SELF |
                 WWI_MEASURE_PLAIN | WWI_MEASURE_ENCLOSED | WWI_MEASURE_OPEN | WWI_MEASURE_SOFT,
        .transform = WWI_TRANSFORM_DERIVATIVE,
        .rounding = 3,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_WDDTW,
                 .name = "wddtw",
                 .title = "Weighted DTW of the derivatives",
                 .reference = "Y.-S. Jeong, M. K. Jeong, O. A. Omitaomu: Weighted dynamic time warping for time series "
                              "classification. Pattern Recognition 44(9), 2011",
                 .is_metric = 0,
                 .is_symmetric = 1,
                 .parameter_count = sizeof(wdtw_parameters) / sizeof(wdtw_parameters[0]),
                 .parameters = wdtw_parameters,
                 .formula = "WDTW of x'_i = ((x_i - x_{i-1}) + (x_{i+1} - x_{i-1})/2) / 2",
                 .cost = WW_COST_SQUARED,
                 .any_cost = 1},
        .recurrence = "recurrence/wdtw.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_PLAIN |
                 WWI_MEASURE_ENCLOSED | WWI_MEASURE_OPEN | WWI_MEASURE_SOFT,
        .transform = WWI_TRANSFORM_DERIVATIVE,
        .column_registers = 1,
        .rounding = 3,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_ERP,
                 .name = "erp",
                 .title = "Edit distance with real penalty",
                 .reference = "L. Chen, R. Ng: On the marriage of Lp-norms and edit distance. VLDB 2004",
                 .is_metric = 1,
                 .is_symmetric = 1,
                 .parameter_count = sizeof(erp_parameters) / sizeof(erp_parameters[0]),
                 .parameters = erp_parameters,
                 .formula = "D = min(left + |y_j - g|, up + |x_i - g|, diagonal + |x_i - y_j|)",
                 .cost = WW_COST_EUCLIDEAN},
        .recurrence = "recurrence/erp.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_SOFT,
        .transform = WWI_TRANSFORM_ERP,
        .rounding = 2,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_EDR,
                 .name = "edr",
                 .title = "Edit distance on real sequences",
                 .reference = "L. Chen, M. T. Ozsu, V. Oria: Robust and fast similarity search for moving object "
                              "trajectories. SIGMOD 2005",
                 .is_metric = 0,
                 .is_symmetric = 1,
                 .parameter_count = sizeof(edr_parameters) / sizeof(edr_parameters[0]),
                 .parameters = edr_parameters,
                 .formula = "D = min(left + 1, up + 1, diagonal + (all |x_i - y_j| <= epsilon ? 0 : 1))",
                 .cost = WW_COST_EUCLIDEAN},
        .recurrence = "recurrence/edr.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_OPEN,
    },
    {
        .info =
            {.struct_size = sizeof(ww_measure_info),
             .id = WW_LCSS,
             .name = "lcss",
             .title = "Longest common subsequence of points within epsilon",
             .reference =
                 "M. Vlachos, G. Kollios, D. Gunopulos: Discovering similar multidimensional trajectories. ICDE 2002",
             .is_metric = 0,
             .is_symmetric = 1,
             .parameter_count = sizeof(lcss_parameters) / sizeof(lcss_parameters[0]),
             .parameters = lcss_parameters,
             .formula = "L = |x_i - y_j| <= epsilon ? diagonal + 1 : max(left, up); 1 - L / min(n,m)",
             .cost = WW_COST_EUCLIDEAN},
        .recurrence = "recurrence/lcss.cl",
        .flags = WWI_MEASURE_NONNEGATIVE,
    },
    {
        .info =
            {.struct_size = sizeof(ww_measure_info),
             .id = WW_MSM,
             .name = "msm",
             .title = "Move-split-merge",
             .reference =
                 "A. Stefan, V. Athitsos, G. Das: The move-split-merge metric for time series. IEEE TKDE 25(6), 2013",
             .is_metric = 1,
             .is_symmetric = 1,
             .parameter_count = sizeof(msm_parameters) / sizeof(msm_parameters[0]),
             .parameters = msm_parameters,
             .formula = "D = min(left + C(y_j; x_i, y_{j-1}), up + C(x_i; x_{i-1}, y_j), diagonal + |x_i - y_j|), C = "
                        "c or more",
             .cost = WW_COST_ABSOLUTE,
             .is_independent = 1},
        .recurrence = "recurrence/msm.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_ENCLOSED |
                 WWI_MEASURE_SOFT,
        .column_values = 2,
        .rounding = 2,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_TWED,
                 .name = "twed",
                 .title = "Time warp edit distance",
                 .reference = "P.-F. Marteau: Time warp edit distance with stiffness adjustment for time series "
                              "matching. IEEE TPAMI 31(2), 2009",
                 .is_metric = 1,
                 .is_symmetric = 1,
                 .parameter_count = sizeof(twed_parameters) / sizeof(twed_parameters[0]),
                 .parameters = twed_parameters,
                 .formula = "D = min(left + |y_j - y_{j-1}| + nu ds + lambda, up + |x_i - x_{i-1}| + nu dt + lambda, "
                            "diagonal + M(i,j) + M(i-1,j-1)), M = |x_i - y_j| + nu |t_i - s_j|",
                 .cost = WW_COST_EUCLIDEAN,
                 .uses_times = 1},
        .recurrence = "recurrence/twed.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_ENCLOSED | WWI_MEASURE_SOFT,
        .transform = WWI_TRANSFORM_TIMES,
        .column_values = 1,
        .rounding = 2,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_LEVENSHTEIN,
                 .name = "levenshtein",
                 .title = "Edit distance of sequences of symbols",
                 .reference = "V. I. Levenshtein: Binary codes capable of correcting deletions, insertions and "
                              "reversals. Soviet Physics Doklady 10(8), 1966",
                 .is_metric = 1,
                 .is_symmetric = 1,
                 .parameter_count = sizeof(levenshtein_parameters) / sizeof(levenshtein_parameters[0]),
                 .parameters = levenshtein_parameters,
                 .formula = "D = min(left + insertion, up + deletion, diagonal + (x_i = y_j ? 0 : substitution))",
                 .cost = WW_COST_ABSOLUTE,
                 .is_of_symbols = 1},
        .recurrence = "recurrence/levenshtein.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_OPEN,
    },
    {
        .info =
            {.struct_size = sizeof(ww_measure_info),
             .id = WW_LCS,
             .name =
                 "lcs",
             .title = "Length of the longest common subsequence of symbols",
             .reference =
                 "R. A. Wagner, M. J. Fischer: The string-to-string correction problem. Journal of the ACM 21(1), 1974",
             .is_metric = 0,
             .is_symmetric = 1,
             .is_similarity = 1,
             .formula = "L = x_i = y_j ? diagonal + 1 : max(left, up)",
             .cost = WW_COST_ABSOLUTE,
             .is_of_symbols = 1},
        .recurrence = "recurrence/lcs.cl",
        .flags = WWI_MEASURE_NONNEGATIVE,
    },
    {
        .info = {.struct_size = sizeof(ww_measure_info),
                 .id = WW_USER,
                 .name = "user",
                 .title = "A recurrence of your own (--recurrence FILE.cl)",
                 .reference = "docs/kernels.md",
                 .parameter_count = sizeof(user_parameters) / sizeof(user_parameters[0]),
                 .parameters = user_parameters,
                 .formula = "D = ww_user_cell(left, up, diagonal, x_i, y_j, i - j)",
                 .cost = WW_COST_SQUARED,
                 .any_cost = 1},
        .recurrence = "recurrence/user.cl",
        .flags = WWI_MEASURE_OPEN | WWI_MEASURE_SOFT,
        .column_values = 1,
    },
};

#define MEASURE_COUNT (sizeof(measures) / sizeof(measures[0]))

const wwi_measure_row *wwi_measure_row_by_id(ww_measure_id id) {
    for (size_t i = 0; i < MEASURE_COUNT; i++)
        if (measures[i].info.id == id)
            return &measures[i];
    return NULL;
}

size_t ww_measure_count(void) {
    return MEASURE_COUNT;
}

const ww_measure_info *ww_measure_info_at(size_t position) {
    return position < MEASURE_COUNT ? &measures[position].info : NULL;
}

const ww_measure_info *ww_measure_info_by_id(ww_measure_id id) {
    const wwi_measure_row *row = wwi_measure_row_by_id(id);
    return row ? &row->info : NULL;
}

const ww_measure_info *ww_measure_info_by_name(const char *name) {
    for (size_t i = 0; name && i < MEASURE_COUNT; i++)
        if (strcmp(measures[i].info.name, name) == 0)
            return &measures[i].info;
    return NULL;
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
    if (!given)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "measure is NULL");
    if (given->struct_size < offsetof(ww_measure, recurrence)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "struct_size of the measure is %zu", given->struct_size);
        return wwi_fail_hint("fill the measure with ww_measure_init()");
    }
    (void)make_default(given->id, own);
    const ww_status status = wwi_options_take(own, given, "ww_measure");
    return status == WW_OK ? wwi_measure_check(own) : status;
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
    if (!measure || !parameter)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "measure or parameter is NULL");
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)measure->id);
    for (size_t p = 0; p < info->parameter_count; p++) {
        if (strcmp(info->parameters[p].name, parameter) != 0)
            continue;
        ww_status status = check_parameter(info, p, value);
        if (status == WW_OK)
            measure->parameters[p] = value;
        return status;
    }
    return fail_unknown_parameter(info, parameter);
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
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "WW_COST_USER without an expression");
        return wwi_fail_hint("set cost_expression, for example \"fabs(x - y) * 2\"");
    }
    if (measure->cost != WW_COST_USER && text) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a cost expression, but the cost is not WW_COST_USER");
        return wwi_fail_hint("set cost to WW_COST_USER, or cost_expression to NULL");
    }
    return WW_OK;
}

// The engines walk intervals of columns whose ends go forward only. Where paths begin at the corner alone, a row's
// cells left of where an earlier row begins are reached by none; elsewhere a path may begin there.
static ww_status check_rows_forward(const ww_measure *measure) {
    const ww_band *band = &measure->band;
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    if (band->kind != WW_BAND_ROWS || (row->flags & WWI_MEASURE_ENCLOSED && !wwi_measure_is_open(measure)))
        return WW_OK;
    for (size_t i = 1; i < band->rows; i++)
        if (band->lo[i] < band->lo[i - 1]) {
            wwi_fail(WW_ERROR_UNSUPPORTED, "row %zu of the band begins at column %zu, before the row above, at %zu: %s",
                     i, band->lo[i], band->lo[i - 1], row->info.name);
            wwi_fail_hint("%s takes bands whose rows begin no earlier than those above", row->info.name);
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
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a recurrence, but the measure is %s",
                 wwi_measure_row_by_id(measure->id)->info.name);
        return wwi_fail_hint("set the measure to WW_USER, or recurrence to NULL");
    }
    const char *name = measure->recurrence_name ? measure->recurrence_name : "recurrence";
    if (!text || (!strstr(text, "ww_user_cell") && !strstr(text, "ww_user_enter"))) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, text ? "%s defines no ww_user_cell()" : "there is no %s", name);
        return wwi_fail_hint("docs/kernels.md says what a recurrence defines");
    }
    static const char *const foreign[] = {"__kernel", "barrier(", "get_global_id", "get_local_id", "__local"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strstr(text, foreign[i])) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s uses %s", name, foreign[i]);
            return wwi_fail_hint("a recurrence computes one cell from its neighbours and nothing else");
        }
    if (strpbrk(name, "\"\\\n"))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the recurrence's name has a quote, a backslash or a line's end");
    return WW_OK;
}

static double parameter(const ww_measure *measure, const char *name) {
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    for (size_t p = 0; p < info->parameter_count; p++)
        if (strcmp(info->parameters[p].name, name) == 0)
            return measure->parameters[p];
    return 0.0;
}

// Of the user's recurrence the text says what it has.
static bool has(const ww_measure *measure, unsigned flag, const char *word) {
    return (wwi_measure_row_by_id(measure->id)->flags & flag) &&
           (measure->id != WW_USER || strstr(measure->recurrence, word) != NULL);
}

static ww_status check_ends(const ww_measure *measure) {
    const char *name = wwi_measure_row_by_id(measure->id)->info.name;
    if (!wwi_measure_is_open(measure))
        return WW_OK;
    if (has(measure, WWI_MEASURE_OPEN, "WW_USER_OPEN_BORDER") &&
        (measure->id != WW_EDR || parameter(measure, "aeon") == 0.0))
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no open ends%s", name, measure->id == WW_EDR ? " in aeon's form" : "");
    if (measure->id == WW_USER)
        return wwi_fail_hint("define WW_USER_OPEN_BORDER in the recurrence: docs/kernels.md");
    return wwi_fail_hint("leave the relaxation at 0; docs/measures.md says which measures have open ends");
}

static ww_status check_gamma(const ww_measure *measure) {
    const char *name = wwi_measure_row_by_id(measure->id)->info.name;
    if (measure->gamma == 0.0)
        return WW_OK;
    // Written so that NaN fails.
    if (!(measure->gamma >= 1 / LARGEST && measure->gamma <= LARGEST)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "gamma of the soft minimum is %g", measure->gamma);
        return wwi_fail_hint("give a value from %g to %g, or 0 for the minimum itself", 1 / LARGEST, LARGEST);
    }
    if (!has(measure, WWI_MEASURE_SOFT, "WW_USER_ENTER")) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no soft minimum", name);
        return measure->id == WW_USER
                   ? wwi_fail_hint("define WW_USER_ENTER in the recurrence: docs/kernels.md")
                   : wwi_fail_hint("leave gamma at 0; docs/measures.md says which measures have one");
    }
    if (wwi_measure_is_open(measure)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a soft minimum together with open ends");
        return wwi_fail_hint("leave gamma or the relaxation at 0");
    }
    if (measure->root)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the root of a soft value, which may be negative");
    return WW_OK;
}

ww_status wwi_measure_check(const ww_measure *measure) {
    if (!measure)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "measure is NULL");
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)measure->id);
    ww_status status;
    if ((status = check_cost(measure)) == WW_OK)
        status = check_recurrence(measure);
    for (size_t p = 0; status == WW_OK && p < info->parameter_count; p++)
        status = check_parameter(info, p, measure->parameters[p]);
    if (status == WW_OK && (status = check_ends(measure)) == WW_OK && (status = check_gamma(measure)) == WW_OK)
        status = wwi_band_check(&measure->band);
    return status == WW_OK ? check_rows_forward(measure) : status;
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
    if (measure->id == WW_LEVENSHTEIN && parameter(measure, "insertion") != parameter(measure, "deletion"))
        symmetric = false;
    if (measure->id == WW_EDR && parameter(measure, "aeon") != 0.0)
        symmetric = false; // only one of the borders ends in infinity
    return symmetric && measure->cost != WW_COST_USER && wwi_band_is_symmetric(&measure->band);
}

bool wwi_measure_is_zero_on_self(const ww_measure *measure) {
    bool zero = (wwi_measure_row_by_id(measure->id)->flags & WWI_MEASURE_ZERO_ON_SELF) != 0;
    if (measure->id == WW_EDR)
        zero = parameter(measure, "aeon") == 0.0;
    if (measure->id == WW_LCSS)
        zero = parameter(measure, "similarity") == 0.0;
    // With open ends the value is not above that of closed ones, and never negative.
    zero = zero && !wwi_measure_is_soft(measure);
    return zero && measure->cost != WW_COST_USER && wwi_band_has_diagonal(&measure->band);
}

bool wwi_measure_is_bits_of_symbols(const ww_measure *measure) {
    if (wwi_measure_is_open(measure))
        return false;
    return measure->id == WW_LCS ||
           (measure->id == WW_LEVENSHTEIN && parameter(measure, "insertion") == 1.0 &&
            parameter(measure, "deletion") == 1.0 && parameter(measure, "substitution") == 1.0);
}

bool wwi_measure_is_bits_of_points(const ww_measure *measure) {
    // aeon's EDR asks for less than epsilon, and its border is neither distance's.
    if (wwi_measure_is_open(measure))
        return false;
    return measure->id == WW_LCSS || (measure->id == WW_EDR && parameter(measure, "aeon") == 0.0);
}

bool wwi_measure_is_similarity(const ww_measure *measure) {
    return wwi_measure_row_by_id(measure->id)->info.is_similarity || parameter(measure, "similarity") != 0.0;
}

uint64_t ww_measure_cells(const ww_measure *given, size_t n, size_t m) {
    ww_measure measure;
    if (wwi_measure_take(given, &measure) != WW_OK)
        return 0;
    const size_t less = wwi_measure_row_by_id(measure.id)->transform == WWI_TRANSFORM_DERIVATIVE ? 2 : 0;
    if (n <= less || m <= less)
        return 0;
    return wwi_band_cells(&measure.band, n - less, m - less);
}
