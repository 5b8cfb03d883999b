// SPDX-License-Identifier: Apache-2.0
// See euclid.h. On the host, in double, by threads. A pair is first compared by features: means and standard deviations
// of segments, whose distance is never above the series' (the Cauchy-Schwarz inequality on each segment). What they
// don't exclude is computed, and given up as soon as it is above the nearest one.
#include "results/euclid.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/release.h"

enum { STEP = 16, SEGMENTS = 16, FEATURES = 2 * SEGMENTS, MOST_THREADS = 64, SHORT = 64 };
#define MOST_STEPS 4e9

typedef struct work {
    const ww_series_set *from, *train;
    bool among;                          // the queries are the training series
    size_t count;                        // values of a series
    const double *of_queries, *of_train; // features; NULL: series so short that these save nothing
    double slack;                        // most that rounding adds to a distance of features
} work;

typedef struct part {
    const work *w;
    size_t first, end;
    double *bounds; // of one query
    pthread_t thread;
    bool started;
    int64_t correct;
} part;

static double distance(const double *a, const double *b, size_t count, double limit) {
    double sum = 0;
    size_t i = 0;
    for (; i + STEP <= count && sum <= limit; i += STEP) {
        double four[4] = {0, 0, 0, 0};
        for (size_t k = 0; k < STEP; k += 4)
            for (size_t j = 0; j < 4; j++)
                four[j] += (a[i + k + j] - b[i + k + j]) * (a[i + k + j] - b[i + k + j]);
        sum += four[0] + four[1] + (four[2] + four[3]);
    }
    for (; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static double feature_distance(const double *a, const double *b) {
    double four[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < FEATURES; k += 4)
        for (size_t j = 0; j < 4; j++)
            four[j] += (a[k + j] - b[k + j]) * (a[k + j] - b[k + j]);
    return four[0] + four[1] + (four[2] + four[3]);
}

// Means and standard deviations of all segments, times the root of the segment's length. Gives the largest value.
static double make_features(const double *values, size_t count, double *features) {
    double largest = 0;
    for (size_t s = 0; s < SEGMENTS; s++) {
        const size_t begin = count * s / SEGMENTS, end = count * (s + 1) / SEGMENTS;
        double mean = 0, squares = 0;
        for (size_t i = begin; i < end; i++) {
            mean += values[i];
            largest = fmax(largest, fabs(values[i]));
        }
        if (end > begin)
            mean /= (double)(end - begin);
        for (size_t i = begin; i < end; i++)
            squares += (values[i] - mean) * (values[i] - mean);
        features[2 * s] = mean * sqrt((double)(end - begin));
        features[2 * s + 1] = sqrt(squares);
    }
    return largest;
}

static double *features_of(const ww_series_set *set, size_t count, double *largest) {
    const size_t series = ww_series_set_count(set);
    double *features = malloc((series ? series : 1) * FEATURES * sizeof *features);
    for (size_t i = 0; features && i < series; i++)
        *largest = fmax(*largest, make_features(ww_series_set_values(set, i), count, features + i * FEATURES));
    return features;
}

// The nearest training series of a query; of equally near ones the first.
static size_t nearest(const work *w, size_t query, double *bounds) {
    const size_t columns = ww_series_set_count(w->train);
    const double *features = w->of_queries ? w->of_queries + query * FEATURES : NULL;
    const double *values = ww_series_set_values(w->from, query);
    size_t found = SIZE_MAX;
    if (!features && columns > w->among)
        found = w->among && query == 0;
    for (size_t k = 0; features && k < columns; k++) {
        bounds[k] = w->among && k == query ? INFINITY : feature_distance(features, w->of_train + k * FEATURES);
        if (bounds[k] < INFINITY && (found == SIZE_MAX || bounds[k] < bounds[found]))
            found = k;
    }
    if (found == SIZE_MAX) // there is no other, or all are infinitely far
        return SIZE_MAX;
    // The one of the least bound is a good first limit.
    double least = distance(values, ww_series_set_values(w->train, found), w->count, INFINITY), limit = NAN, of = NAN;
    least = isnan(least) ? INFINITY : least;
    for (size_t k = 0; k < columns; k++) {
        if (of != least) {
            of = least;
            limit = sqrt(least) * (1 + (double)w->count * DBL_EPSILON) + w->slack;
            limit *= limit;
        }
        if ((w->among && k == query) || (features && bounds[k] > limit))
            continue;
        const double d = distance(values, ww_series_set_values(w->train, k), w->count, least);
        if (d < least || (d == least && k < found)) {
            least = d;
            found = k;
        }
    }
    return least < INFINITY ? found : SIZE_MAX;
}

static void *work_part(void *argument) {
    part *p = argument;
    for (size_t i = p->first; i < p->end; i++) {
        const char *label = ww_series_set_label(p->w->from, i);
        const size_t found = label ? nearest(p->w, i, p->bounds) : SIZE_MAX;
        const char *name = found == SIZE_MAX ? NULL : ww_series_set_label(p->w->train, found);
        p->correct += label && name && strcmp(label, name) == 0;
    }
    return NULL;
}

static int64_t count_correct(const work *w, size_t rows, size_t columns) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores < 1 ? 1 : cores < MOST_THREADS ? (size_t)cores : MOST_THREADS;
    threads = threads < rows / 16 + 1 ? threads : rows / 16 + 1;
    part parts[MOST_THREADS];
    CLI_FREES double *bounds = malloc(threads * columns * sizeof *bounds);
    int64_t correct = 0;
    if (!bounds)
        return CLI_EUCLID_NO_MEMORY;
    for (size_t t = 0; t < threads; t++) {
        parts[t] = (part){.w = w, .first = rows * t / threads, .end = rows * (t + 1) / threads};
        parts[t].bounds = bounds + t * columns;
        parts[t].started = t + 1 < threads && pthread_create(&parts[t].thread, NULL, work_part, &parts[t]) == 0;
        if (!parts[t].started)
            work_part(&parts[t]);
    }
    for (size_t t = 0; t < threads; t++) {
        if (parts[t].started)
            pthread_join(parts[t].thread, NULL);
        correct += parts[t].correct;
    }
    return correct;
}

int64_t cli_euclid_correct(const ww_series_set *train, const ww_series_set *test) {
    work w = {.from = test ? test : train, .train = train, .among = !test};
    const size_t length = ww_series_set_max_length(train), channels = ww_series_set_channels(train);
    const size_t rows = ww_series_set_count(w.from), columns = ww_series_set_count(train);
    if (ww_series_set_min_length(train) != length || ww_series_set_min_length(w.from) != length ||
        ww_series_set_max_length(w.from) != length || ww_series_set_channels(w.from) != channels ||
        (double)rows * (double)columns * (double)length * (double)channels > MOST_STEPS)
        return CLI_EUCLID_NONE;
    CLI_FREES double *of_train = NULL;
    CLI_FREES double *of_test = NULL;
    double largest = 0;
    w.count = length * channels;
    if (w.count >= SHORT) {
        of_train = features_of(train, w.count, &largest);
        of_test = test ? features_of(test, w.count, &largest) : NULL;
        if (!of_train || (test && !of_test))
            return CLI_EUCLID_NO_MEMORY;
    }
    w.of_train = of_train;
    w.of_queries = test ? of_test : of_train;
    // Sums of so many terms, and what cancels when a mean is taken off.
    w.slack = DBL_EPSILON * largest * (double)w.count * (8 + sqrt((double)w.count));
    return count_correct(&w, rows, columns);
}
