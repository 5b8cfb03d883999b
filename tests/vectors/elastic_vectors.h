// SPDX-License-Identifier: Apache-2.0
// Made by make_vectors.py: don't edit. Published values of elastic measures, and where they are from.
// clang-format off
#ifndef WAVEWARP_ELASTIC_VECTORS_H
#define WAVEWARP_ELASTIC_VECTORS_H

#include <stddef.h>

typedef struct elastic_parameter {
    const char *name;
    double value;     // 1 for true, 0 for false and for a text
    const char *text; // NULL for a number
} elastic_parameter;

typedef struct elastic_vector {
    const char *name;
    const char *distance;
    const double *x; // channel by channel
    size_t n;
    const double *y;
    size_t m;
    size_t channels;
    elastic_parameter parameters[5];
    size_t parameter_count;
    double expected;  // as published
    double precise;   // the same to double precision
    int published;    // 0: computed to tell two conventions apart
    const char *source;
} elastic_vector;

static const double elastic_series_0[] = {573.0, 375.0, 301.0, 212.0, 55.0, 34.0, 25.0, 33.0, 113.0, 143.0, 303.0, 615.0, 1226.0, 1281.0, 1221.0, 1081.0, 866.0, 1096.0, 1039.0, 975.0, 746.0, 581.0, 409.0, 182.0};
static const double elastic_series_1[] = {603.0, 348.0, 176.0, 177.0, 47.0, 30.0, 40.0, 42.0, 101.0, 180.0, 401.0, 777.0, 1344.0, 1573.0, 1408.0, 1243.0, 1141.0, 1178.0, 1256.0, 1114.0, 814.0, 635.0, 304.0, 168.0};
static const double elastic_series_2[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0};
static const double elastic_series_3[] = {11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0};
static const double elastic_series_4[] = {2.0, 2.0, 2.0, 2.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0};
static const double elastic_series_5[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 0.0, 1.0, 0.0, 2.0, 0.0};
static const double elastic_series_6[] = {11.0, 12.0, 13.0, 14.0, 7.0, 8.0, 9.0, 20.0, 1.0, 3.0, 4.0, 5.0};
static const double elastic_series_7[] = {1.0, 2.0, 3.0};
static const double elastic_series_8[] = {4.0, 5.0, 6.0, 7.0};
static const double elastic_series_9[] = {4.0, 5.0, 6.0};
static const double elastic_series_10[] = {1.0, 2.0, 2.0, 3.0, 4.0};
static const double elastic_series_11[] = {3.0, 4.0, -3.0};
static const double elastic_series_12[] = {1.0, 0.0, 2.0, 4.0};
static const double elastic_series_13[] = {-2.0, 5.0, 7.0};
static const double elastic_series_14[] = {1.0, 2.0, 3.0, 1.0, 2.0, 3.0};
static const double elastic_series_15[] = {1.0, 2.0, 3.0, 2.0, 3.0, 1.0, 2.0, 3.0, 2.0, 3.0};
static const double elastic_series_16[] = {1.0, 2.0, 2.0, 3.0};
static const double elastic_series_17[] = {1.0, 2.0, 3.0, 4.0};
static const double elastic_series_18[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
static const double elastic_series_19[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
static const double elastic_series_20[] = {1.0, 4.0};
static const double elastic_series_21[] = {2.0, 0.0, 2.0, 0.0};
static const double elastic_series_22[] = {0.0, 0.0, 1.0, 1.0};
static const double elastic_series_23[] = {0.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 0.0};
static const double elastic_series_24[] = {0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
static const double elastic_series_25[] = {0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0};
static const double elastic_series_26[] = {2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0};
static const double elastic_series_27[] = {0.4967141530112327, 0.8030401002835401, 1.7556552957214353, 1.9596700711292323, -0.6015375277226138, -0.7136356930081161, 1.8644397907035009, 2.068639015109389, 1.2372399515879524, 1.7380054384552048};
static const double elastic_series_28[] = {-0.46341769281246226, 0.47557464788446785, 1.349929029186777, -1.4766400299365912, -2.092301985512311, -1.0417862652999084, -0.7276041451383144, 1.615451618551754, 0.7986902620016937, -0.21685830646605142, 1.7630986428400808, -0.3345591469758037, 0.4629943726547153, -0.04102296396962268, 1.4316743611581477, 1.7587054164710374, -0.43932329104586265, 0.4059653369185835, -0.3777783058122859, 0.8044835475570902};
static const double elastic_series_29[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
static const double elastic_series_30[] = {1.0, 2.0, 3.0, 3.0, 5.0};
static const double elastic_series_31[] = {1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 4.0};
static const double elastic_series_32[] = {4.0, 4.0, 5.0, 5.0, 6.0, 6.0, 7.0, 7.0};
static const double elastic_series_33[] = {23.0, 4.0, 5.0, 6.0, 7.0};
static const double elastic_series_34[] = {3.0, 4.0, 5.0, 6.0, 7.0};
static const double elastic_series_35[] = {0.0, 1.0, 2.0};
static const double elastic_series_36[] = {3.0, 4.0, 5.0};
static const double elastic_series_37[] = {0.0, 3.0, 7.0, 7.0, 5.0, 9.0, 11.0, 0.0, 4.0, 4.0, 8.0, 3.0, 3.0, 5.0};
static const double elastic_series_38[] = {3.0, 1.0, 9.0, 11.0, 0.0, 6.0, 6.0, 8.0};
static const double elastic_series_39[] = {0.417, 0.7203, 0.0001, 0.3023, 0.1468, 0.0923, 0.1863, 0.3456, 0.3968, 0.5388};
static const double elastic_series_40[] = {0.436, 0.0259, 0.5497, 0.4353, 0.4204, 0.3303, 0.2046, 0.6193, 0.2997, 0.2668};
static const double elastic_series_41[] = {0.417, 0.7203, 0.0001, 0.3023, 0.1468};

static const elastic_vector elastic_vectors[] = {
    {"unittest_dtw_w0.0", "dtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"window_fraction_aeon", 0.0, NULL}, {"cost", 0.0, "squared"}, {"final_sqrt", 0.0, NULL}}, 3, 384147.0, 384147.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_dtw_w0.1", "dtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"window_fraction_aeon", 0.1, NULL}, {"cost", 0.0, "squared"}, {"final_sqrt", 0.0, NULL}}, 3, 315012.0, 315012.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_dtw_w1.0", "dtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"window_fraction_aeon", 1.0, NULL}, {"cost", 0.0, "squared"}, {"final_sqrt", 0.0, NULL}}, 3, 275854.0, 275854.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_wdtw_g0.0", "wdtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 0.0, NULL}}, 1, 137927.0, 137927.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_wdtw_g0.1", "wdtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 0.1, NULL}}, 1, 68406.15849, 68406.15849254503, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_wdtw_g1.0", "wdtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 1.0, NULL}}, 1, 2.2296, 2.229616350833304, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_erp_w0.0", "erp", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 0.0, NULL}, {"window_fraction_aeon", 0.0, NULL}}, 2, 2275.0, 2275.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_erp_w0.1", "erp", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 0.0, NULL}, {"window_fraction_aeon", 0.1, NULL}}, 2, 2275.0, 2275.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_erp_w1.0", "erp", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 0.0, NULL}, {"window_fraction_aeon", 1.0, NULL}}, 2, 2275.0, 2275.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_lcss_e0.0", "lcss_distance", elastic_series_0, 24, elastic_series_1, 24, 1, {{"epsilon", 0.0, NULL}, {"compare", 0.0, "<="}}, 2, 1.0, 1.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_lcss_e50.0", "lcss_distance", elastic_series_0, 24, elastic_series_1, 24, 1, {{"epsilon", 50.0, NULL}, {"compare", 0.0, "<="}}, 2, 0.45833, 0.45833333333333337, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_lcss_e200.0", "lcss_distance", elastic_series_0, 24, elastic_series_1, 24, 1, {{"epsilon", 200.0, NULL}, {"compare", 0.0, "<="}}, 2, 0.08333, 0.08333333333333337, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_edr_e0.0", "edr_normalised", elastic_series_0, 24, elastic_series_1, 24, 1, {{"epsilon", 0.0, NULL}, {"compare", 0.0, "<"}}, 2, 1.0, 1.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_edr_e50.0", "edr_normalised", elastic_series_0, 24, elastic_series_1, 24, 1, {{"epsilon", 50.0, NULL}, {"compare", 0.0, "<"}}, 2, 0.58333, 0.5833333333333334, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_edr_e200.0", "edr_normalised", elastic_series_0, 24, elastic_series_1, 24, 1, {{"epsilon", 200.0, NULL}, {"compare", 0.0, "<"}}, 2, 0.125, 0.125, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_ddtw_w0.0", "ddtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"window_fraction_aeon", 0.0, NULL}}, 1, 80806.0, 80806.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_ddtw_w0.1", "ddtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"window_fraction_aeon", 0.1, NULL}}, 1, 76289.0625, 76289.0625, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_ddtw_w1.0", "ddtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"window_fraction_aeon", 1.0, NULL}}, 1, 76289.0625, 76289.0625, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_wddtw_g0.0", "wddtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 0.0, NULL}}, 1, 38144.53125, 38144.53125, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_wddtw_g0.1", "wddtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 0.1, NULL}}, 1, 19121.4927, 19121.49270568185, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_wddtw_g1.0", "wddtw", elastic_series_0, 24, elastic_series_1, 24, 1, {{"g", 1.0, NULL}}, 1, 1.34957, 1.349575093857179, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_twe_w0.0", "twed", elastic_series_0, 24, elastic_series_1, 24, 1, {{"nu", 0.001, NULL}, {"lam", 1.0, NULL}, {"window_fraction_aeon", 0.0, NULL}, {"timestamps", 0.0, "index"}}, 4, 4536.0, 4536.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_twe_w0.1", "twed", elastic_series_0, 24, elastic_series_1, 24, 1, {{"nu", 0.001, NULL}, {"lam", 1.0, NULL}, {"window_fraction_aeon", 0.1, NULL}, {"timestamps", 0.0, "index"}}, 4, 3192.022, 3192.022000000001, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_twe_w1.0", "twed", elastic_series_0, 24, elastic_series_1, 24, 1, {{"nu", 0.001, NULL}, {"lam", 1.0, NULL}, {"window_fraction_aeon", 1.0, NULL}, {"timestamps", 0.0, "index"}}, 4, 3030.036, 3030.036000000001, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_msm_c0.0", "msm", elastic_series_0, 24, elastic_series_1, 24, 1, {{"c", 0.0, NULL}}, 1, 1515.0, 1515.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_msm_c0.2", "msm", elastic_series_0, 24, elastic_series_1, 24, 1, {{"c", 0.2, NULL}}, 1, 1517.8, 1517.8000000000004, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"unittest_msm_c3.0", "msm", elastic_series_0, 24, elastic_series_1, 24, 1, {{"c", 3.0, NULL}}, 1, 1557.0, 1557.0, 1, "aeon aeon/distances/elastic/tests/test_distance_correctness.py (UnitTest train cases 0 and 2)"},
    {"doc_dtw", "dtw", elastic_series_2, 10, elastic_series_3, 10, 1, {{NULL, 0.0, NULL}}, 0, 768.0, 768.0, 1, "aeon docstring"},
    {"doc_adtw", "adtw", elastic_series_2, 10, elastic_series_3, 10, 1, {{"warp_penalty", 1.0, NULL}}, 1, 783.0, 783.0, 1, "aeon docstring"},
    {"doc_twe", "twed", elastic_series_2, 10, elastic_series_3, 10, 1, {{"nu", 0.001, NULL}, {"lam", 1.0, NULL}}, 2, 46.018, 46.017999999999994, 1, "aeon docstring"},
    {"doc_soft", "softdtw", elastic_series_2, 10, elastic_series_3, 10, 1, {{"gamma", 1.0, NULL}}, 1, 767.43894416832, 767.43894416832, 1, "aeon docstring"},
    {"doc_erp", "erp", elastic_series_2, 10, elastic_series_4, 10, 1, {{"g", 0.0, NULL}}, 1, 4.0, 4.0, 1, "aeon docstring"},
    {"doc_dtw_3ch_unequal", "dtw", elastic_series_5, 5, elastic_series_6, 4, 3, {{"layout", 0.0, "(time,channel)"}}, 1, 564.0, 564.0, 1, "aeon docstring"},
    {"doc_adtw_3ch", "adtw", elastic_series_5, 5, elastic_series_6, 4, 3, {{"warp_penalty", 1.0, NULL}}, 1, 565.0, 565.0, 1, "aeon docstring"},
    {"doc_twe_unequal", "twed", elastic_series_7, 3, elastic_series_8, 4, 1, {{"nu", 0.001, NULL}, {"lam", 1.0, NULL}}, 2, 13.005, 13.004999999999999, 1, "aeon docstring"},
    {"doc_msm", "msm", elastic_series_7, 3, elastic_series_9, 3, 1, {{"c", 1.0, NULL}}, 1, 8.0, 8.0, 1, "aeon docstring"},
    {"doc_erp3", "erp", elastic_series_7, 3, elastic_series_9, 3, 1, {{"g", 0.0, NULL}}, 1, 9.0, 9.0, 1, "aeon docstring"},
    {"ts_dtw", "dtw", elastic_series_7, 3, elastic_series_10, 5, 1, {{"final_sqrt", 1.0, NULL}}, 1, 1.0, 1.0, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_dtw2", "dtw", elastic_series_7, 3, elastic_series_11, 3, 1, {{"final_sqrt", 1.0, NULL}}, 1, 6.4807, 6.48074069840786, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_frechet", "frechet", elastic_series_7, 3, elastic_series_11, 3, 1, {{NULL, 0.0, NULL}}, 0, 6.0, 6.0, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_frechet2", "frechet", elastic_series_7, 3, elastic_series_12, 4, 1, {{NULL, 0.0, NULL}}, 0, 1.0, 1.0, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_frechet3", "frechet", elastic_series_7, 3, elastic_series_13, 3, 1, {{NULL, 0.0, NULL}}, 0, 4.0, 4.0, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_frechet_2d", "frechet", elastic_series_14, 3, elastic_series_15, 5, 2, {{NULL, 0.0, NULL}}, 0, 1.41421356, 1.4142135623730951, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_soft", "softdtw", elastic_series_7, 3, elastic_series_11, 3, 1, {{"gamma", 1.0, NULL}}, 1, 41.1876, 41.187627311413216, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_softdiv", "softdtw_divergence", elastic_series_7, 3, elastic_series_11, 3, 1, {{"gamma", 1.0, NULL}}, 1, 42.0586, 42.0585634538742, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_soft_self", "softdtw", elastic_series_16, 4, elastic_series_16, 4, 1, {{"gamma", 0.01, NULL}}, 1, -0.01098612, -0.010986122886681098, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_soft_neg", "softdtw", elastic_series_16, 4, elastic_series_17, 4, 1, {{"gamma", 1.0, NULL}}, 1, -0.8954437807, -0.8954437807217475, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_soft_8d", "softdtw", elastic_series_18, 10, elastic_series_19, 12, 8, {{"gamma", 1.0, NULL}}, 1, 91.9806137, 91.98061035026274, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_sub", "subsequence_dtw", elastic_series_20, 2, elastic_series_10, 5, 1, {{"final_sqrt", 1.0, NULL}}, 1, 1.41421356, 1.4142135623730951, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_lcss", "lcss_similarity", elastic_series_7, 3, elastic_series_13, 3, 1, {{"epsilon", 3.0, NULL}}, 1, 0.6666666666666666, 0.6666666666666666, 1, "tslearn docstring / tests/test_metrics.py"},
    {"ts_lcss_band", "lcss_similarity", elastic_series_21, 4, elastic_series_22, 4, 1, {{"epsilon", 0.0, NULL}, {"radius", 1.0, NULL}}, 2, 0.25, 0.25, 1, "tslearn docstring / tests/test_metrics.py"},
    {"dtai_1", "dtw", elastic_series_23, 9, elastic_series_24, 9, 1, {{"final_sqrt", 1.0, NULL}}, 1, 1.4142135623730951, 1.4142135623730951, 1, "dtaidistance tests"},
    {"dtai_abs", "dtw", elastic_series_23, 9, elastic_series_24, 9, 1, {{"cost", 0.0, "absolute"}}, 1, 2.0, 2.0, 1, "dtaidistance tests"},
    {"dtai_pen0", "dtw", elastic_series_25, 13, elastic_series_26, 13, 1, {{"final_sqrt", 1.0, NULL}}, 1, 3.1622776601683795, 3.1622776601683795, 1, "dtaidistance tests"},
    {"dtai_pen1", "dtw_penalty", elastic_series_25, 13, elastic_series_26, 13, 1, {{"final_sqrt", 1.0, NULL}, {"penalty", 1.0, NULL}, {"note", 0.0, "penalty is squared internally"}}, 3, 3.7416573867739413, 3.7416573867739413, 1, "dtaidistance tests"},
    {"cutwed", "twed", elastic_series_27, 10, elastic_series_28, 20, 1, {{"nu", 1.0, NULL}, {"lam", 1.0, NULL}, {"degree", 2.0, NULL}, {"root", 1.0, NULL}, {"timestamps", 0.0, "0..n-1"}}, 5, 54.543169, 54.543169336785205, 1, "cuTWED tests/test_basic.py, test_reference.py, test_batch.py"},
    {"cutwed_noroot", "twed", elastic_series_27, 10, elastic_series_28, 20, 1, {{"nu", 1.0, NULL}, {"lam", 1.0, NULL}, {"degree", 2.0, NULL}, {"root", 0.0, NULL}, {"timestamps", 0.0, "0..n-1"}}, 5, 58.981692, 58.981692216629284, 1, "cuTWED tests/test_basic.py, test_reference.py, test_batch.py"},
    {"cutwed_zero", "twed", elastic_series_27, 10, elastic_series_29, 20, 1, {{"nu", 1.0, NULL}, {"lam", 1.0, NULL}, {"degree", 2.0, NULL}, {"root", 1.0, NULL}, {"timestamps", 0.0, "0..n-1"}}, 5, 44.739147, 44.73914863500923, 1, "cuTWED tests/test_basic.py, test_reference.py, test_batch.py"},
    {"cutimewarp_soft", "softdtw", elastic_series_30, 5, elastic_series_31, 8, 1, {{"gamma", 0.1, NULL}}, 1, 2.80539, 2.8053849883357147, 1, "cuTimeWarp test/test_soft_dtw_cpu.cpp"},
    {"khiva_abs", "dtw", elastic_series_32, 8, elastic_series_33, 5, 1, {{"cost", 0.0, "absolute"}}, 1, 19.0, 19.0, 1, "khiva test/distancesTest.cpp"},
    {"dtwcpp_abs", "dtw", elastic_series_7, 3, elastic_series_34, 5, 1, {{"cost", 0.0, "absolute"}}, 1, 13.0, 13.0, 1, "DTW-C++ unit_test_warping.cpp"},
    {"augurs", "dtw", elastic_series_35, 3, elastic_series_36, 3, 1, {{"final_sqrt", 1.0, NULL}}, 1, 5.0990195135927845, 5.0990195135927845, 1, "augurs-dtw README"},
    {"frechet_2d_avitase", "frechet", elastic_series_37, 7, elastic_series_38, 4, 2, {{NULL, 0.0, NULL}}, 0, 5.0, 5.0, 1, "issue atharvaaalok/geosimilarity#2 (comment by avitase)"},
    {"sep_erp_cum", "erp", elastic_series_39, 10, elastic_series_40, 10, 1, {{"g", 0.3, NULL}, {"border", 0.0, "cumulative"}}, 2, 1.5021, 1.5021, 0, "computed with elastic_ref.py"},
    {"sep_erp_const", "erp", elastic_series_39, 10, elastic_series_40, 10, 1, {{"g", 0.3, NULL}, {"border", 0.0, "aeon constant total"}}, 2, 1.5400999999999998, 1.5400999999999998, 0, "computed with elastic_ref.py"},
    {"sep_twed_root", "twed", elastic_series_39, 10, elastic_series_40, 10, 1, {{"nu", 0.1, NULL}, {"lam", 0.1, NULL}, {"root", 1.0, NULL}}, 3, 4.0264, 4.0264, 0, "computed with elastic_ref.py"},
    {"sep_twed_noroot", "twed", elastic_series_39, 10, elastic_series_40, 10, 1, {{"nu", 0.1, NULL}, {"lam", 0.1, NULL}, {"root", 0.0, NULL}}, 3, 1.57282868, 1.57282868, 0, "computed with elastic_ref.py"},
    {"sep_edr_paper_5v10", "edr_normalised", elastic_series_41, 5, elastic_series_40, 10, 1, {{"epsilon", 0.2, NULL}, {"border", 0.0, "paper"}}, 2, 0.6, 0.6, 0, "computed with elastic_ref.py"},
    {"sep_edr_aeon_5v10", "edr_normalised", elastic_series_41, 5, elastic_series_40, 10, 1, {{"epsilon", 0.2, NULL}, {"border", 0.0, "aeon zero"}}, 2, 0.2, 0.2, 0, "computed with elastic_ref.py"},
    {"sep_dtw_sq", "dtw", elastic_series_39, 10, elastic_series_40, 10, 1, {{NULL, 0.0, NULL}}, 0, 0.34456718000000003, 0.34456718000000003, 0, "computed with elastic_ref.py"},
    {"sep_dtw_abs", "dtw", elastic_series_39, 10, elastic_series_40, 10, 1, {{"cost", 0.0, "absolute"}}, 1, 1.6867999999999999, 1.6867999999999999, 0, "computed with elastic_ref.py"},
    {"sep_frechet", "frechet", elastic_series_39, 10, elastic_series_40, 10, 1, {{NULL, 0.0, NULL}}, 0, 0.28430000000000005, 0.28430000000000005, 0, "computed with elastic_ref.py"},
    {"sep_msm_5v10", "msm", elastic_series_41, 5, elastic_series_40, 10, 1, {{"c", 0.5, NULL}}, 1, 3.9442000000000004, 3.9442000000000004, 0, "computed with elastic_ref.py"},
    {"sep_soft", "softdtw", elastic_series_39, 10, elastic_series_40, 10, 1, {{"gamma", 0.1, NULL}}, 1, -0.46569837037311096, -0.46569837037311096, 0, "computed with elastic_ref.py"},
};

#define ELASTIC_VECTOR_COUNT (sizeof(elastic_vectors) / sizeof(elastic_vectors[0]))

#endif
