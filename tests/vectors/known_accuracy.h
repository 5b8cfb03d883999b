// SPDX-License-Identifier: Apache-2.0
// 1-NN accuracies on the archives' data sets: exact numbers of correct series.
#ifndef WAVEWARP_KNOWN_ACCURACY_H
#define WAVEWARP_KNOWN_ACCURACY_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wavewarp/series.h>

// PickupGestureWiimoteZ has values of three decimals, so that many Fréchet distances are equal but for the last bits:
// rounding the values to float decides one of them the other way. Classification in float therefore decides near ties
// in double. All other figures are the same in both precisions anyway.
typedef struct known_accuracy {
    const char *name;
    size_t dtw, frechet;  // correct of `total`; default costs, no band, in double
    size_t frechet_float; // Fréchet of the values rounded to float
    size_t total;
} known_accuracy;

static const known_accuracy known_accuracies[] = {
    {"GunPoint", 136, 119, 119, 150},          {"ArrowHead", 123, 121, 121, 175},
    {"ItalyPowerDemand", 978, 939, 939, 1029}, {"BasicMotions", 39, 30, 30, 40},
    {"PickupGestureWiimoteZ", 35, 32, 33, 50}, {"JapaneseVowels", 351, 347, 347, 370},
};
#define KNOWN_ACCURACY_COUNT (sizeof(known_accuracies) / sizeof(known_accuracies[0]))

// The other measures, with the parameters that make them aeon's: 1-NN by the distances of aeon 1.6.0 in double (numpy's
// argmin, which takes the first of equal ones) counted as many right, for every set in the order above.
typedef struct known_measure {
    const char *name;
    const char *parameters[2]; // set to `values`; NULL: none
    double values[2];
    size_t correct[KNOWN_ACCURACY_COUNT];
} known_measure;

static const known_measure known_measures[] = {
    {"adtw", {NULL}, {0}, {137, 142, 984, 39, 38, 344}},
    {"wdtw", {NULL}, {0}, {139, 130, 980, 36, 30, 352}},
    {"ddtw", {NULL}, {0}, {149, 136, 942, 38, 26, 235}},
    {"wddtw", {NULL}, {0}, {149, 149, 944, 35, 16, 227}},
    {"erp", {"border_total"}, {1}, {144, 135, 974, 37, 38, 346}},
    {"edr", {"aeon", "normalised"}, {1, 1}, {139, 137, 952, 13, 4, 81}},
    {"lcss", {"epsilon"}, {0.25}, {139, 139, 936, 13, 6, 340}},
    {"lcss", {"epsilon", "similarity"}, {0.25, 1}, {139, 139, 936, 13, 6, 340}},
    {"msm", {NULL}, {0}, {145, 139, 989, 38, 37, 329}},
    {"twed", {NULL}, {0}, {146, 137, 991, 29, 37, 342}},
};
#define KNOWN_MEASURE_COUNT (sizeof(known_measures) / sizeof(known_measures[0]))

// The folder of the data sets, NULL where there is none.
static inline const char *known_accuracy_folder(void) {
    const char *folder = getenv("WAVEWARP_TEST_DATA");
    return folder && access(folder, R_OK) == 0 ? folder : NULL;
}

// `part`: "TRAIN" or "TEST". NULL when it can't be read.
static inline ww_series_set *known_accuracy_read(const known_accuracy *known, const char *part) {
    char path[4096];
    ww_series_set *set = NULL;
    snprintf(path, sizeof(path), "%s/%s/%s_%s.ts", known_accuracy_folder(), known->name, known->name, part);
    return ww_series_set_read(path, NULL, &set) == WW_OK ? set : NULL;
}

#endif
