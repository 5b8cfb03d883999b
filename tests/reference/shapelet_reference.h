// SPDX-License-Identifier: Apache-2.0
// Shapelets by brute force in double: every candidate, every series, every window, every split.
#ifndef WAVEWARP_SHAPELET_REFERENCE_H
#define WAVEWARP_SHAPELET_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wwr_shapelet_set {
    size_t count, channels, classes;
    const size_t *lengths;
    const double *const *values; // of each series, channel by channel
    const size_t *labels;        // class of each
} wwr_shapelet_set;

typedef struct wwr_shapelet_search {
    size_t min_length, max_length, length_step, start_step;
    bool raw, unscaled;
    int quality;          // as ww_shapelet_quality
    const double *before; // distances so far, or NULL
    bool any;             // 1: the smaller of both, 0: the larger
} wwr_shapelet_search;

typedef struct wwr_shapelet {
    size_t series, start, length;
    double quality, gain, gap, threshold;
} wwr_shapelet;

// The least distance of a pattern (channels x length) to a series, and its first window that has it.
double wwr_shapelet_distance(const double *pattern, size_t stride, size_t length, size_t channels, const double *series,
                             size_t points, bool raw, bool unscaled, size_t *at);
// What such a distance, to the window at `at`, is off by at most: docs/shapelets.md.
double wwr_shapelet_off_by(const double *pattern, size_t stride, size_t length, size_t channels, const double *series,
                           size_t points, bool raw, bool unscaled, double distance, size_t at);
// The best split of distances. errors: what each is off by, or NULL: nothing.
void wwr_shapelet_split(const double *distances, const double *errors, const size_t *labels, size_t count,
                        size_t classes, int quality, wwr_shapelet *found);
// The k best of all candidates, best first, without overlap; how many there are.
size_t wwr_shapelet_best(const wwr_shapelet_set *set, const wwr_shapelet_search *search, size_t k, wwr_shapelet *best);

#endif
