// SPDX-License-Identifier: Apache-2.0
// The rows of the table of measures and their parameters, nothing else: checks and look-up are in measure.c.
#include "measure/measure_table.h"

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

// What all kinds of warping have.
#define WARPING                                                                                                        \
    (WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_PLAIN |                   \
     WWI_MEASURE_ENCLOSED)
#define MEASURE(which, word) .struct_size = sizeof(ww_measure_info), .id = (which), .name = (word)
#define PARAMETERS(array) .parameter_count = sizeof(array) / sizeof *(array), .parameters = (array)

const wwi_measure_row wwi_measures[] = {
    {
        .info = {MEASURE(WW_DTW, "dtw"), .title = "Dynamic time warping",
                 .reference = "H. Sakoe, S. Chiba: Dynamic programming algorithm optimization for spoken word "
                              "recognition. IEEE Trans. ASSP 26(1), 1978",
                 .is_symmetric = 1, .formula = "D = c + min(left, up, diagonal)", .cost = WW_COST_SQUARED,
                 .any_cost = 1, .has_open_ends = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/dtw.cl",
        .flags = WARPING | WWI_MEASURE_SOFT_TILES | WWI_MEASURE_BOUND_SUM,
        .rounding = 1,
        .slopes = {.any = true},
    },
    {
        // A metric up to repeated points: a series and the same with a point repeated have distance 0. It stays one
        // with the absolute cost and with the root, but not with the squared cost or inside a band.
        .info = {MEASURE(WW_FRECHET, "frechet"), .title = "Discrete Fréchet distance (dog-keeper)",
                 .reference =
                     "T. Eiter, H. Mannila: Computing discrete Fréchet distance. TR CD-TR 94/64, TU Wien, 1994",
                 .is_metric = 1, .is_symmetric = 1, .formula = "D = max(c, min(left, up, diagonal))",
                 .cost = WW_COST_EUCLIDEAN, .any_cost = 1, .has_open_ends = 1},
        .recurrence = "recurrence/frechet.cl",
        .flags = WARPING | WWI_MEASURE_BOUND_MAX,
        .rounding = 1,
        .slopes = {.any = true},
    },
    {
        .info = {MEASURE(WW_ADTW, "adtw"), .title = "DTW with a penalty for warping (amerced DTW)",
                 .reference = "M. Herrmann, G. I. Webb: Amercing: An intuitive and effective constraint for dynamic "
                              "time warping. Pattern Recognition 137, 2023",
                 .is_symmetric = 1, PARAMETERS(adtw_parameters),
                 .formula = "D = c + min(left + penalty, up + penalty, diagonal)", .cost = WW_COST_SQUARED,
                 .any_cost = 1, .has_open_ends = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/adtw.cl",
        .flags = WARPING | WWI_MEASURE_BOUND_SUM,
        .rounding = 1,
        .slopes = {.any = true, .parameters = 1},
    },
    {
        .info = {MEASURE(WW_WDTW, "wdtw"), .title = "Weighted DTW",
                 .reference = "Y.-S. Jeong, M. K. Jeong, O. A. Omitaomu: Weighted dynamic time warping for time series "
                              "classification. Pattern Recognition 44(9), 2011",
                 .is_symmetric = 1, PARAMETERS(wdtw_parameters),
                 .formula = "D = w(|i-j|) c + min(left, up, diagonal), w(a) = w_max / (1 + exp(-g (a - max(n,m)/2)))",
                 .cost = WW_COST_SQUARED, .any_cost = 1, .has_open_ends = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/wdtw.cl",
        .flags = WARPING | WWI_MEASURE_FROM_BEGIN,
        .column_registers = 1,
        .special = {{1, 1}}, // a largest weight of 1 multiplies nothing
        .special_count = 1,
        .rounding = 1,
        .slopes = {.weights = true, .any = true, .parameters = 2},
    },
    {
        .info = {MEASURE(WW_DDTW, "ddtw"), .title = "DTW of the derivatives",
                 .reference = "E. J. Keogh, M. J. Pazzani: Derivative dynamic time warping. SDM 2001",
                 .is_symmetric = 1, .formula = "DTW of x'_i = ((x_i - x_{i-1}) + (x_{i+1} - x_{i-1})/2) / 2",
                 .cost = WW_COST_SQUARED, .any_cost = 1, .has_open_ends = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/dtw.cl",
        .flags = WARPING | WWI_MEASURE_SOFT_TILES | WWI_MEASURE_BOUND_SUM,
        .transform = WWI_TRANSFORM_DERIVATIVE,
        .rounding = 3,
        .slopes = {.any = true},
    },
    {
        .info = {MEASURE(WW_WDDTW, "wddtw"), .title = "Weighted DTW of the derivatives",
                 .reference = "Y.-S. Jeong, M. K. Jeong, O. A. Omitaomu: Weighted dynamic time warping for time series "
                              "classification. Pattern Recognition 44(9), 2011",
                 .is_symmetric = 1, PARAMETERS(wdtw_parameters),
                 .formula = "WDTW of x'_i = ((x_i - x_{i-1}) + (x_{i+1} - x_{i-1})/2) / 2", .cost = WW_COST_SQUARED,
                 .any_cost = 1, .has_open_ends = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/wdtw.cl",
        .flags = WARPING | WWI_MEASURE_FROM_BEGIN,
        .transform = WWI_TRANSFORM_DERIVATIVE,
        .column_registers = 1,
        .special = {{1, 1}}, // a largest weight of 1 multiplies nothing
        .special_count = 1,
        .rounding = 3,
        .slopes = {.weights = true, .any = true, .parameters = 2},
    },
    {
        .info = {MEASURE(WW_ERP, "erp"), .title = "Edit distance with real penalty",
                 .reference = "L. Chen, R. Ng: On the marriage of Lp-norms and edit distance. VLDB 2004",
                 .is_metric = 1, .is_symmetric = 1, PARAMETERS(erp_parameters),
                 .formula = "D = min(left + |y_j - g|, up + |x_i - g|, diagonal + |x_i - y_j|)",
                 .cost = WW_COST_EUCLIDEAN, .has_soft_minimum = 1},
        .recurrence = "recurrence/erp.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_OPEN_STREAMS |
                 WWI_MEASURE_BORDER_SUMS,
        .transform = WWI_TRANSFORM_ERP,
        .rounding = 2,
        .special = {{0, 0}}, // a gap of 0 is not subtracted
        .special_count = 1,
        .slopes = {.any = true, .border = true, .parameters = 1},
    },
    {
        .info = {MEASURE(WW_EDR, "edr"), .title = "Edit distance on real sequences",
                 .reference = "L. Chen, M. T. Ozsu, V. Oria: Robust and fast similarity search for moving object "
                              "trajectories. SIGMOD 2005",
                 .is_symmetric = 1, PARAMETERS(edr_parameters),
                 .formula = "D = min(left + 1, up + 1, diagonal + (all |x_i - y_j| <= epsilon ? 0 : 1))",
                 .cost = WW_COST_EUCLIDEAN, .has_open_ends = 1},
        .recurrence = "recurrence/edr.cl",
        .flags = WWI_MEASURE_NONNEGATIVE,
    },
    {
        .info =
            {MEASURE(WW_LCSS, "lcss"), .title = "Longest common subsequence of points within epsilon",
             .reference =
                 "M. Vlachos, G. Kollios, D. Gunopulos: Discovering similar multidimensional trajectories. ICDE 2002",
             .is_symmetric = 1, PARAMETERS(lcss_parameters),
             .formula = "L = |x_i - y_j| <= epsilon ? diagonal + 1 : max(left, up); 1 - L / min(n,m)",
             .cost = WW_COST_EUCLIDEAN},
        .recurrence = "recurrence/lcss.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MATCHES | WWI_MEASURE_BAND_IN_CELL | WWI_MEASURE_COST_ALONE,
    },
    {
        .info =
            {MEASURE(WW_MSM, "msm"), .title = "Move-split-merge",
             .reference =
                 "A. Stefan, V. Athitsos, G. Das: The move-split-merge metric for time series. IEEE TKDE 25(6), 2013",
             .is_metric = 1, .is_symmetric = 1, PARAMETERS(msm_parameters),
             .formula = "D = min(left + C(y_j; x_i, y_{j-1}), up + C(x_i; x_{i-1}, y_j), diagonal + |x_i - y_j|), C = "
                        "c or more",
             .cost = WW_COST_ABSOLUTE, .is_independent = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/msm.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_ENCLOSED |
                 WWI_MEASURE_OPEN_STREAMS,
        .column_values = 2,
        .rounding = 2,
        .slopes = {.any = true, .before = true, .parameters = 1},
    },
    {
        .info = {MEASURE(WW_TWED, "twed"), .title = "Time warp edit distance",
                 .reference = "P.-F. Marteau: Time warp edit distance with stiffness adjustment for time series "
                              "matching. IEEE TPAMI 31(2), 2009",
                 .is_metric = 1, .is_symmetric = 1, PARAMETERS(twed_parameters),
                 .formula = "D = min(left + |y_j - y_{j-1}| + nu ds + lambda, up + |x_i - x_{i-1}| + nu dt + lambda, "
                            "diagonal + M(i,j) + M(i-1,j-1)), M = |x_i - y_j| + nu |t_i - s_j|",
                 .cost = WW_COST_EUCLIDEAN, .uses_times = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/twed.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_ZERO_ON_SELF | WWI_MEASURE_ENCLOSED | WWI_MEASURE_FROM_BEGIN,
        .transform = WWI_TRANSFORM_TIMES,
        .column_values = 1,
        .rounding = 2,
        .exponent = 3,
        .special = {{2, 1}, {2, 2}}, // degrees that need no pow()
        .special_count = 2,
        .slopes = {.any = true, .before = true, .parameters = 2},
    },
    {
        .info = {MEASURE(WW_LEVENSHTEIN, "levenshtein"), .title = "Edit distance of sequences of symbols",
                 .reference = "V. I. Levenshtein: Binary codes capable of correcting deletions, insertions and "
                              "reversals. Soviet Physics Doklady 10(8), 1966",
                 .is_metric = 1, .is_symmetric = 1, PARAMETERS(levenshtein_parameters),
                 .formula = "D = min(left + insertion, up + deletion, diagonal + (x_i = y_j ? 0 : substitution))",
                 .cost = WW_COST_ABSOLUTE, .is_of_symbols = 1, .has_open_ends = 1},
        .recurrence = "recurrence/levenshtein.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_ZERO_ON_SELF,
        .row_values = 2,
    },
    {
        .info =
            {MEASURE(WW_LCS, "lcs"), .title = "Length of the longest common subsequence of symbols",
             .reference =
                 "R. A. Wagner, M. J. Fischer: The string-to-string correction problem. Journal of the ACM 21(1), 1974",
             .is_symmetric = 1, .is_similarity = 1, .formula = "L = x_i = y_j ? diagonal + 1 : max(left, up)",
             .cost = WW_COST_ABSOLUTE, .is_of_symbols = 1},
        .recurrence = "recurrence/lcs.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MATCHES,
    },
    {
        .info = {MEASURE(WW_USER, "user"), .title = "A recurrence of your own (--recurrence FILE.cl)",
                 .reference = "docs/kernels.md", PARAMETERS(user_parameters),
                 .formula = "D = ww_user_cell(left, up, diagonal, x_i, y_j, i - j)", .cost = WW_COST_SQUARED,
                 .any_cost = 1, .has_open_ends = 1, .has_soft_minimum = 1},
        .recurrence = "recurrence/user.cl",
        .flags = WWI_MEASURE_OF_TEXT,
        .column_values = 1,
    },
};

const size_t wwi_measure_count = sizeof wwi_measures / sizeof wwi_measures[0];
