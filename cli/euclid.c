// SPDX-License-Identifier: Apache-2.0
// See euclid.h. On the host, in double, a distance given up as soon as it is above the nearest one.
#include "euclid.h"

#include <math.h>
#include <string.h>

enum { STEP = 16 };
#define MOST_STEPS 4e9

static double distance(const double *a, const double *b, size_t count, double limit) {
    double sum = 0;
    for (size_t i = 0; i < count && sum < limit;) {
        const size_t end = count - i < STEP ? count : i + STEP;
        for (; i < end; i++)
            sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

int64_t cli_euclid_correct(const ww_series_set *train, const ww_series_set *test) {
    const ww_series_set *from = test ? test : train;
    const size_t length = ww_series_set_max_length(train), channels = ww_series_set_channels(train);
    const size_t rows = ww_series_set_count(from), columns = ww_series_set_count(train);
    int64_t correct = 0;
    if (ww_series_set_min_length(train) != length || ww_series_set_min_length(from) != length ||
        ww_series_set_max_length(from) != length || ww_series_set_channels(from) != channels ||
        (double)rows * (double)columns * (double)length * (double)channels > MOST_STEPS)
        return -1;
    for (size_t i = 0; i < rows; i++) {
        const char *label = ww_series_set_label(from, i), *found = NULL;
        double least = INFINITY;
        for (size_t k = 0; k < columns; k++) {
            if (!test && k == i)
                continue;
            const double d =
                distance(ww_series_set_values(from, i), ww_series_set_values(train, k), length * channels, least);
            if (d < least) {
                least = d;
                found = ww_series_set_label(train, k);
            }
        }
        correct += label && found && strcmp(label, found) == 0;
    }
    return correct;
}
