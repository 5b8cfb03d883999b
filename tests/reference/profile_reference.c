// SPDX-License-Identifier: Apache-2.0
// Matrix profiles by brute force, from the definition; and STOMP.
#include "profile_reference.h"

#include <math.h>
#include <stdbool.h>
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

// ---- windows, normalised

typedef enum form { VARIES, CONSTANT, MISSING } form;

typedef struct windows {
    size_t count, m, channels;
    double *values; // window by window, channel by channel, m each
    form *forms;    // window by window, channel by channel
} windows;

static form normalise(const double *x, size_t m, double *out) {
    double mean, deviation;
    for (size_t t = 0; t < m; t++)
        if (!isfinite(x[t]))
            return MISSING;
    statistics(x, m, &mean, &deviation);
    if (deviation == 0)
        return CONSTANT;
    for (size_t t = 0; t < m; t++)
        out[t] = (x[t] - x[0] - mean) / deviation;
    return VARIES;
}

// Windows first to first + count - 1 of a series.
static windows make_windows(const double *x, size_t length, size_t first, size_t count, size_t m, size_t channels) {
    windows w = {count, m, channels, NULL, NULL};
    w.values = malloc((count * channels * m + 1) * sizeof *w.values);
    w.forms = malloc((count * channels + 1) * sizeof *w.forms);
    if (!w.values || !w.forms)
        abort();
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < channels; c++)
            w.forms[i * channels + c] = normalise(x + c * length + first + i, m, w.values + (i * channels + c) * m);
    return w;
}

static void free_windows(windows *w) {
    free(w->values);
    free(w->forms);
}

static double square_distance(const double *a, const double *b, size_t m) {
    double sums[4] = {0, 0, 0, 0}; // four chains of additions: each alone waits for the last
    size_t t = 0;
    for (; t + 4 <= m; t += 4)
        for (int s = 0; s < 4; s++)
            sums[s] += (a[t + (size_t)s] - b[t + (size_t)s]) * (a[t + (size_t)s] - b[t + (size_t)s]);
    for (; t < m; t++)
        sums[0] += (a[t] - b[t]) * (a[t] - b[t]);
    return sums[0] + sums[1] + sums[2] + sums[3];
}

static double window_distance(const windows *x, size_t i, const windows *y, size_t j) {
    double total = 0;
    for (size_t c = 0; c < x->channels; c++) {
        const size_t a = i * x->channels + c, b = j * x->channels + c;
        if (x->forms[a] == MISSING || y->forms[b] == MISSING)
            return NAN;
        if (x->forms[a] == VARIES && y->forms[b] == VARIES)
            total += square_distance(x->values + a * x->m, y->values + b * x->m, x->m);
        else
            total += x->forms[a] == y->forms[b] ? 0 : (double)x->m;
    }
    return sqrt(total);
}

double wwr_profile_distance(const double *x, size_t x_length, size_t i, const double *y, size_t y_length, size_t j,
                            size_t m, size_t channels) {
    windows a = make_windows(x, x_length, i, 1, m, channels), b = make_windows(y, y_length, j, 1, m, channels);
    const double distance = window_distance(&a, 0, &b, 0);
    free_windows(&a);
    free_windows(&b);
    return distance;
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
    windows a = make_windows(x, x_length, 0, x_length < m ? 0 : x_length - m + 1, m, channels), b = a;
    if (y)
        b = make_windows(y, y_length, 0, y_length < m ? 0 : y_length - m + 1, m, channels);
    for (size_t i = 0; i < a.count; i++) {
        for (size_t r = 0; r < k; r++) {
            distances[i * k + r] = INFINITY;
            indices[i * k + r] = -1;
        }
        for (size_t j = 0; j < b.count; j++) {
            if (!counts(i, j, y == NULL, exclusion, side))
                continue;
            const double d = window_distance(&a, i, &b, j);
            if (d < distances[i * k + k - 1])
                insert(distances + i * k, indices + i * k, k, d, (int64_t)j);
        }
    }
    if (y)
        free_windows(&b);
    free_windows(&a);
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
