// SPDX-License-Identifier: Apache-2.0
// 1-NN accuracies on the archives' data sets, to the single series.
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
    size_t dtw, frechet;  // right of `total`; default costs, no band, in double
    size_t frechet_float; // Fréchet of the values rounded to float
    size_t total;
} known_accuracy;

static const known_accuracy known_accuracies[] = {
    {"GunPoint", 136, 119, 119, 150},          {"ArrowHead", 123, 121, 121, 175},
    {"ItalyPowerDemand", 978, 939, 939, 1029}, {"BasicMotions", 39, 30, 30, 40},
    {"PickupGestureWiimoteZ", 35, 32, 33, 50}, {"JapaneseVowels", 351, 347, 347, 370},
};
#define KNOWN_ACCURACY_COUNT (sizeof(known_accuracies) / sizeof(known_accuracies[0]))

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
