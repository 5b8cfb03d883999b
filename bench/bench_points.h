// SPDX-License-Identifier: Apache-2.0
// Inputs that the benches of points share.
#ifndef WAVEWARP_BENCH_POINTS_H
#define WAVEWARP_BENCH_POINTS_H

#include "bench.h"

typedef enum bench_cloud {
    BENCH_UNIFORM, // every coordinate from 0 to 1
    // 64 Gaussian clusters that share 8 directions of their own spread: like measured features, of lower dimension than
    // they have coordinates.
    BENCH_MIXTURE,
    BENCH_EVENTS // 28 coordinates: bench_events.c
} bench_cloud;

// The features of one event.
#define BENCH_FEATURES 28
void bench_event(uint64_t *state, float *features);

// Points in row order, the same for the same seed. NULL when there is no memory.
float *bench_cloud_make(bench_cloud kind, size_t count, size_t dimension, uint64_t seed);
ww_status bench_points_upload(const bench *b, const float *values, size_t count, size_t dimension,
                              ww_precision precision, ww_points **points);
double bench_points_verify(const float *base, size_t count, const float *queries, size_t asked, size_t dimension,
                           ww_metric metric, size_t k, const int64_t *ids, const void *distances,
                           ww_precision precision, size_t *verified);

#endif
