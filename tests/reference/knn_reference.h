// SPDX-License-Identifier: Apache-2.0
// Nearest neighbours by brute force in double.
#ifndef WAVEWARP_KNN_REFERENCE_H
#define WAVEWARP_KNN_REFERENCE_H

#include <stddef.h>
#include <stdint.h>
#include <wavewarp/knn.h>

// The distance of two points of numbers (values in double, row order).
double wwr_point_distance(ww_metric metric, const double *x, const double *y, size_t dimension);
// The same under the metrics that are computed of every pair; NAN coordinates are missing (WW_METRIC_NAN_L2).
double wwr_every_distance(ww_metric metric, double p, const double *x, const double *y, size_t dimension);
// Number of different bits; 1 - |a n b| / |a u b| of ascending lists.
double wwr_hamming(const unsigned char *x, const unsigned char *y, size_t bits);
double wwr_jaccard_bits(const unsigned char *x, const unsigned char *y, size_t bits);
double wwr_jaccard(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);
// The k smallest of `count` distances, smallest first, ties to the lower id; `own` (or SIZE_MAX) is left out. ids -1
// and distances +infinity where there are fewer.
void wwr_k_smallest(const double *distances, size_t count, size_t own, size_t k, int64_t *ids, double *smallest);

// One query's k nearest under L2 as people write it, in float on one core: the baseline of the bench.
void wwr_knn_float(const float *query, const float *base, size_t count, size_t dimension, size_t k, uint32_t *ids,
                   float *squares);

#endif
