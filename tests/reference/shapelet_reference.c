// SPDX-License-Identifier: Apache-2.0
// See shapelet_reference.h.
#include "shapelet_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "windows.h"

// All windows of one length of a series, z-normalised unless raw.
static wwr_windows all_windows(const double *series, size_t points, size_t length, size_t channels, bool raw) {
    return wwr_windows_make(series, points, 0, points < length ? 0 : points - length + 1, length, channels, raw);
}

// From window `at_pattern` of one series to the nearest window of another.
static double nearest_window(const wwr_windows *pattern, size_t at_pattern, const wwr_windows *series, bool unscaled,
                             size_t *at) {
    double best = INFINITY;
    for (size_t u = 0; u < series->count; u++) {
        const double sum = wwr_windows_distance(pattern, at_pattern, series, u) /
                           ((double)series->channels * (unscaled ? 1 : (double)series->length));
        if (sum < best) {
            best = sum;
            if (at)
                *at = u;
        }
    }
    return sqrt(best);
}

double wwr_shapelet_distance(const double *pattern, size_t stride, size_t length, size_t channels, const double *series,
                             size_t points, bool raw, bool unscaled, size_t *at) {
    wwr_windows x = wwr_windows_make(pattern, stride, 0, 1, length, channels, raw);
    wwr_windows y = all_windows(series, points, length, channels, raw);
    const double distance = nearest_window(&x, 0, &y, unscaled, at);
    wwr_windows_free(&x);
    wwr_windows_free(&y);
    return distance;
}

// What rounding may do to a window, as docs/shapelets.md says: in units of 2^-52, of the root mean square of its
// values.
static double window_off_by(const double *window, size_t stride, size_t length, size_t channels, bool raw) {
    double most = 0;
    double *z = malloc(length * sizeof *z);
    for (size_t c = 0; c < channels; c++) {
        const double *x = window + c * stride;
        double largest = 0, mean = 0, squares = 0;
        for (size_t t = 0; t < length; t++) {
            largest = fmax(largest, fabs(x[t]));
            mean += (x[t] - x[0]) / (double)length;
        }
        for (size_t t = 0; t < length; t++)
            squares += pow(x[t] - x[0] - mean, 2);
        if (raw)
            most = fmax(most, largest);
        else if (wwr_normalise(x, length, z) == WWR_VARIES)
            most =
                fmax(most, pow((double)length, 1.5) + 6 + (length > 2 ? largest / sqrt(squares / (double)length) : 0));
    }
    free(z);
    return most;
}

double wwr_shapelet_off_by(const double *pattern, size_t stride, size_t length, size_t channels, const double *series,
                           size_t points, bool raw, bool unscaled, double distance, size_t at) {
    const double off_by = window_off_by(pattern, stride, length, channels, raw) +
                          window_off_by(series + at, points, length, channels, raw);
    return DBL_EPSILON * (off_by * (unscaled ? sqrt((double)length) : 1) + (double)(length * channels) * distance);
}

static double entropy(const size_t *counts, size_t classes, size_t total) {
    double h = 0;
    for (size_t k = 0; k < classes; k++)
        if (counts[k])
            h -= (double)counts[k] / (double)total * log2((double)counts[k] / (double)total);
    return h;
}

static const double *sorted_by;
static int by_distance(const void *a, const void *b) {
    const double x = sorted_by[*(const size_t *)a], y = sorted_by[*(const size_t *)b];
    return x < y ? -1 : x > y;
}

static double other_quality(const double *d, const size_t *labels, size_t n, size_t classes, int quality,
                            const size_t *order) {
    double value = 0, mean = 0, between = 0, within = 0;
    size_t present = 0, above = 0;
    const double median = 0.5 * (d[order[(n - 1) / 2]] + d[order[n / 2]]);
    for (size_t j = 0; j < n; j++) {
        mean += d[j] / (double)n;
        above += d[j] > median + 1e-10;
    }
    const double share = (double)above / (double)n;
    for (size_t k = 0; k < classes; k++) {
        double sum = 0, ranks = 0, high = 0;
        size_t own = 0;
        for (size_t p = 0; p < n; p++) {
            const size_t j = order[p];
            if (labels[j] != k)
                continue;
            size_t first = p, last = p;
            while (first > 0 && d[order[first]] - d[order[first - 1]] <= 1e-10)
                first--;
            while (last + 1 < n && d[order[last + 1]] - d[order[last]] <= 1e-10)
                last++;
            own++;
            sum += d[j];
            ranks += 0.5 * (double)(first + last) + 1;
            high += d[j] > median + 1e-10;
        }
        if (!own)
            continue;
        present++;
        between += (double)own * pow(sum / (double)own - mean, 2);
        for (size_t j = 0; j < n; j++)
            within += labels[j] == k ? pow(d[j] - sum / (double)own, 2) : 0;
        if (quality == 2)
            value += 12.0 / ((double)n * (double)(n + 1)) * (double)own *
                     pow(ranks / (double)own - 0.5 * (double)(n + 1), 2);
        if (quality == 3 && above && above < n)
            value += pow(high - share * (double)own, 2) / ((double)own * share * (1 - share));
    }
    if (quality == 1 && present < n)
        value = between / (double)(present - 1) / (fmax(within, 1e-300) / (double)(n - present));
    return fmin(value, 1e9);
}

void wwr_shapelet_split(const double *d, const double *errors, const size_t *labels, size_t n, size_t classes,
                        int quality, wwr_shapelet *found) {
    size_t *order = malloc(n * sizeof *order), *left = calloc(3 * classes, sizeof *left), *right = left + classes,
           *all = right + classes;
    for (size_t j = 0; j < n; j++) {
        order[j] = j;
        all[labels[j]]++;
    }
    sorted_by = d;
    qsort(order, n, sizeof *order, by_distance);
    found->gain = found->gap = 0;
    found->threshold = d[order[n - 1]];
    for (size_t p = 1; p < n; p++) {
        const double gap_here = d[order[p]] - d[order[p - 1]];
        if (gap_here <= 1e-10 * d[order[n - 1]] || (errors && gap_here <= errors[order[p]] + errors[order[p - 1]]))
            continue;
        double low = 0, high = 0;
        memset(left, 0, 2 * classes * sizeof *left);
        for (size_t i = 0; i < n; i++) {
            (i < p ? left : right)[labels[order[i]]]++;
            *(i < p ? &low : &high) += d[order[i]];
        }
        const double gain = entropy(all, classes, n) - (double)p / (double)n * entropy(left, classes, p) -
                            (double)(n - p) / (double)n * entropy(right, classes, n - p);
        const double gap = high / (double)(n - p) - low / (double)p;
        if (gain > found->gain + 1e-9 || (gain > found->gain - 1e-9 && gap > found->gap + 1e-9)) {
            found->gain = gain;
            found->gap = gap;
            found->threshold = 0.5 * (d[order[p]] + d[order[p - 1]]);
        }
    }
    found->quality = quality ? other_quality(d, labels, n, classes, quality, order) : found->gain;
    free(order);
    free(left);
}

// Whether a is better than b.
static bool better(const wwr_shapelet *a, const wwr_shapelet *b) {
    if (fabs(a->quality - b->quality) > 1e-9 * fmax(1, fabs(b->quality)))
        return a->quality > b->quality;
    if (fabs(a->gap - b->gap) > 1e-9)
        return a->gap > b->gap;
    if (a->length != b->length)
        return a->length < b->length;
    if (a->series != b->series)
        return a->series < b->series;
    return a->start < b->start;
}

size_t wwr_shapelet_best(const wwr_shapelet_set *set, const wwr_shapelet_search *search, size_t k, wwr_shapelet *best) {
    size_t total = 0, count = 0, found = 0;
    const size_t steps = search->max_length < search->min_length
                             ? 0
                             : (search->max_length - search->min_length) / search->length_step + 1;
    for (size_t i = 0; i < set->count; i++)
        total += set->lengths[i] * set->lengths[i];
    wwr_shapelet *all = malloc(total * sizeof *all);
    double *d = malloc(set->count * sizeof *d), *errors = calloc(set->count, sizeof *errors);
    wwr_windows *own = malloc((steps * set->count + 1) * sizeof *own); // of each length and series
    for (size_t n = 0; n < steps * set->count; n++)
        own[n] = all_windows(set->values[n % set->count], set->lengths[n % set->count],
                             search->min_length + n / set->count * search->length_step, set->channels, search->raw);
    for (size_t i = 0; i < set->count; i++)
        for (size_t step = 0; step < steps; step++) {
            const size_t l = search->min_length + step * search->length_step;
            const wwr_windows *of = own + step * set->count;
            for (size_t s = 0; s + l <= set->lengths[i]; s += search->start_step) {
                for (size_t j = 0; j < set->count; j++) {
                    size_t at = 0;
                    d[j] = errors[j] = 0;
                    if (i != j) {
                        d[j] = nearest_window(&of[i], s, &of[j], search->unscaled, &at);
                        errors[j] =
                            wwr_shapelet_off_by(set->values[i] + s, set->lengths[i], l, set->channels, set->values[j],
                                                set->lengths[j], search->raw, search->unscaled, d[j], at);
                    }
                    if (search->before)
                        d[j] = search->any ? fmin(d[j], search->before[j]) : fmax(d[j], search->before[j]);
                }
                wwr_shapelet *one = &all[count++];
                *one = (wwr_shapelet){i, s, l, 0, 0, 0, 0};
                wwr_shapelet_split(d, errors, set->labels, set->count, set->classes, search->quality, one);
            }
        }
    for (size_t n = 0; n < steps * set->count; n++)
        wwr_windows_free(&own[n]);
    free(own);
    while (found < k) {
        wwr_shapelet *top = NULL;
        for (size_t c = 0; c < count; c++)
            if (all[c].length && all[c].quality > 1e-9 && (!top || better(&all[c], top)))
                top = &all[c];
        if (!top)
            break;
        best[found] = *top;
        for (size_t c = 0; c < count; c++)
            if (all[c].series == best[found].series && all[c].start < best[found].start + best[found].length &&
                best[found].start < all[c].start + all[c].length)
                all[c].length = 0;
        found++;
    }
    free(all);
    free(d);
    free(errors);
    return found;
}
