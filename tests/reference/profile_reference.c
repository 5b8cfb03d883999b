// SPDX-License-Identifier: Apache-2.0
// Matrix profiles by brute force, from the definition; and STOMP.
#include "profile_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "windows.h"

double wwr_profile_distance(const double *x, size_t x_length, size_t i, const double *y, size_t y_length, size_t j,
                            size_t m, size_t channels) {
    wwr_windows a = wwr_windows_make(x, x_length, i, 1, m, channels, false);
    wwr_windows b = wwr_windows_make(y, y_length, j, 1, m, channels, false);
    const double distance = sqrt(wwr_windows_distance(&a, 0, &b, 0));
    wwr_windows_free(&a);
    wwr_windows_free(&b);
    return distance;
}

// Of a channel the norm; p infinite: the largest difference.
static double raw_norm(const double *x, const double *y, size_t m, double p) {
    double most = 0, sum = 0;
    for (size_t t = 0; t < m; t++) {
        const double d = fabs(x[t] - y[t]);
        if (!isfinite(d))
            return INFINITY;
        most = fmax(most, d);
    }
    for (size_t t = 0; t < m && most > 0; t++)
        sum += pow(fabs(x[t] - y[t]) / most, p);
    return isinf(p) || most == 0 ? most : most * pow(sum, 1 / p);
}

double wwr_raw_distance(const double *x, size_t x_length, size_t i, const double *y, size_t y_length, size_t j,
                        size_t m, size_t channels, size_t best, double p) {
    double norms[32];
    const double zeros[32] = {0};
    for (size_t c = 0; c < channels; c++) {
        const double norm = raw_norm(x + c * x_length + i, y + c * y_length + j, m, p);
        size_t at = c;
        for (; at > 0 && norms[at - 1] > norm; at--)
            norms[at] = norms[at - 1];
        norms[at] = norm;
    }
    return raw_norm(norms, zeros, best, p);
}

// ---- profiles

static bool counts(size_t i, size_t j, bool self, size_t exclusion, wwr_profile_side side) {
    if (self && (i < j ? j - i : i - j) <= exclusion)
        return false;
    return side == WWR_PROFILE_LEFT ? j <= i : side == WWR_PROFILE_RIGHT ? j >= i : true;
}

static void insert(double *best, int64_t *ids, size_t k, double d, int64_t j) {
    size_t at = k - 1;
    for (; at > 0 && best[at - 1] > d; at--) {
        best[at] = best[at - 1];
        ids[at] = ids[at - 1];
    }
    best[at] = d;
    ids[at] = j;
}

void wwr_profile(const double *x, size_t x_length, const double *y, size_t y_length, size_t m, size_t channels,
                 size_t exclusion, wwr_profile_side side, size_t k, double *distances, int64_t *indices) {
    wwr_windows a = wwr_windows_make(x, x_length, 0, x_length < m ? 0 : x_length - m + 1, m, channels, false), b = a;
    if (y)
        b = wwr_windows_make(y, y_length, 0, y_length < m ? 0 : y_length - m + 1, m, channels, false);
    for (size_t i = 0; i < a.count; i++) {
        for (size_t r = 0; r < k; r++) {
            distances[i * k + r] = INFINITY;
            indices[i * k + r] = -1;
        }
        for (size_t j = 0; j < b.count; j++) {
            if (!counts(i, j, y == NULL, exclusion, side))
                continue;
            const double d = sqrt(wwr_windows_distance(&a, i, &b, j));
            if (d < distances[i * k + k - 1])
                insert(distances + i * k, indices + i * k, k, d, (int64_t)j);
        }
    }
    if (y)
        wwr_windows_free(&b);
    wwr_windows_free(&a);
}

// The windows of x and their nearest in y.
static void nearest(const double *x, size_t x_length, const double *y, size_t y_length, size_t m, size_t channels,
                    double p, double *distances, int64_t *indices) {
    if (!(p > 0)) {
        wwr_profile(x, x_length, y, y_length, m, channels, 0, WWR_PROFILE_ALL, 1, distances, indices);
        return;
    }
    for (size_t i = 0; i + m <= x_length; i++) {
        distances[i] = INFINITY;
        for (size_t j = 0; j + m <= y_length; j++) {
            const double d = wwr_raw_distance(x, x_length, i, y, y_length, j, m, channels, channels, p);
            if (d < distances[i]) {
                distances[i] = d;
                indices[i] = (int64_t)j;
            }
        }
    }
}

wwr_consensus wwr_profile_consensus(const double *const *series, const size_t *lengths, size_t count, size_t m,
                                    size_t channels, double p) {
    wwr_consensus best = {.radius = INFINITY};
    for (size_t a = 0; a < count; a++) {
        const size_t windows = lengths[a] - m + 1;
        double *distances = calloc(count * windows, sizeof *distances);
        int64_t *indices = calloc(count * windows, sizeof *indices);
        for (size_t b = 0; b < count && distances && indices; b++)
            if (b != a)
                nearest(series[a], lengths[a], series[b], lengths[b], m, channels, p, distances + b * windows,
                        indices + b * windows);
        for (size_t i = 0; i < windows && distances && indices; i++) {
            wwr_consensus own = {.of = a};
            for (size_t b = 0; b < count; b++) {
                own.distances[b] = distances[b * windows + i];
                own.windows[b] = b == a ? (int64_t)i : indices[b * windows + i];
                own.radius = fmax(own.radius, own.distances[b]);
            }
            if (own.radius < best.radius)
                best = own;
        }
        free(distances);
        free(indices);
    }
    return best;
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
