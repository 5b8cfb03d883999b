// SPDX-License-Identifier: Apache-2.0
// Matrix profiles by brute force, from the definition; and STOMP.
#include "profile_reference.h"

#include <math.h>
#include <stdlib.h>

#include "reference.h"

// Mean and population deviation of a window; constant: 0 deviation.
static void statistics(const double *x, size_t m, double *mean, double *deviation) {
    double sum = 0, squares = 0, least = x[0], most = x[0], largest = fabs(x[0]);
    for (size_t t = 0; t < m; t++) {
        sum += x[t] - x[0];
        least = fmin(least, x[t]);
        most = fmax(most, x[t]);
        largest = fmax(largest, fabs(x[t]));
    }
    const double shift = sum / (double)m;
    for (size_t t = 0; t < m; t++)
        squares += (x[t] - x[0] - shift) * (x[t] - x[0] - shift);
    *mean = shift; // relative to the first value
    *deviation = most - least <= WWR_CONSTANT * largest ? 0 : sqrt(squares / (double)m);
}

static int is_finite(const double *x, size_t m) {
    for (size_t t = 0; t < m; t++)
        if (!isfinite(x[t]))
            return 0;
    return 1;
}

double wwr_profile_distance(const double *x, size_t x_length, size_t i, const double *y, size_t y_length, size_t j,
                            size_t m, size_t channels) {
    double total = 0;
    for (size_t c = 0; c < channels; c++) {
        const double *a = x + c * x_length + i, *b = y + c * y_length + j;
        double mean_a, mean_b, deviation_a, deviation_b;
        if (!is_finite(a, m) || !is_finite(b, m))
            return NAN;
        statistics(a, m, &mean_a, &deviation_a);
        statistics(b, m, &mean_b, &deviation_b);
        if (deviation_a == 0 || deviation_b == 0) {
            total += deviation_a == deviation_b ? 0 : (double)m;
            continue;
        }
        for (size_t t = 0; t < m; t++) {
            const double d = (a[t] - a[0] - mean_a) / deviation_a - (b[t] - b[0] - mean_b) / deviation_b;
            total += d * d;
        }
    }
    return sqrt(total);
}

void wwr_profile(const double *x, size_t x_length, const double *y, size_t y_length, size_t m, size_t channels,
                 size_t exclusion, wwr_profile_side side, size_t k, double *distances, int64_t *indices) {
    const int self = y == NULL;
    if (self) {
        y = x;
        y_length = x_length;
    }
    for (size_t i = 0; i + m <= x_length; i++) {
        double *best = distances + i * k;
        int64_t *ids = indices + i * k;
        for (size_t r = 0; r < k; r++) {
            best[r] = INFINITY;
            ids[r] = -1;
        }
        for (size_t j = 0; j + m <= y_length; j++) {
            if (self && (i < j ? j - i : i - j) <= exclusion)
                continue;
            if ((side == WWR_PROFILE_LEFT && j > i) || (side == WWR_PROFILE_RIGHT && j < i))
                continue;
            const double d = wwr_profile_distance(x, x_length, i, y, y_length, j, m, channels);
            if (!(d < best[k - 1]))
                continue;
            size_t at = k - 1;
            for (; at > 0 && best[at - 1] > d; at--) {
                best[at] = best[at - 1];
                ids[at] = ids[at - 1];
            }
            best[at] = d;
            ids[at] = (int64_t)j;
        }
    }
}

void wwr_stomp(const double *x, size_t length, size_t m, size_t exclusion, size_t rows, double *distances,
               int64_t *indices) {
    const size_t n = length - m + 1;
    double *products = malloc(n * sizeof *products), *first = malloc(n * sizeof *first);
    double *means = malloc(n * sizeof *means), *deviations = malloc(n * sizeof *deviations);
    for (size_t i = 0; i < n && products && first && means && deviations; i++) {
        double sum = 0, squares = 0, product = 0;
        for (size_t t = 0; t < m; t++) {
            sum += x[i + t];
            squares += x[i + t] * x[i + t];
            product += x[t] * x[i + t];
        }
        means[i] = sum / (double)m;
        deviations[i] = sqrt(squares / (double)m - means[i] * means[i]);
        products[i] = first[i] = product;
    }
    for (size_t i = 0; i < rows && i < n && products && first && means && deviations; i++) {
        if (i > 0) {
            for (size_t j = n - 1; j > 0; j--)
                products[j] = products[j - 1] - x[j - 1] * x[i - 1] + x[j + m - 1] * x[i + m - 1];
            products[0] = first[i];
        }
        double best = INFINITY;
        int64_t id = -1;
        for (size_t j = 0; j < n; j++) {
            if ((i < j ? j - i : i - j) <= exclusion)
                continue;
            const double d =
                2 * (double)m *
                (1 - (products[j] - (double)m * means[i] * means[j]) / ((double)m * deviations[i] * deviations[j]));
            if (d < best) {
                best = d;
                id = (int64_t)j;
            }
        }
        distances[i] = sqrt(fmax(best, 0));
        indices[i] = id;
    }
    free(deviations);
    free(means);
    free(first);
    free(products);
}
