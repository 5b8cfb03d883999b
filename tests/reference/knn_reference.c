// SPDX-License-Identifier: Apache-2.0
// Distances of points and nearest neighbours by brute force in double: the reference for searches.
#include "knn_reference.h"

#include <math.h>

double wwr_point_distance(ww_metric metric, const double *x, const double *y, size_t dimension) {
    double squares = 0, sum = 0, largest = 0, product = 0, xx = 0, yy = 0;
    for (size_t j = 0; j < dimension; j++) {
        const double difference = x[j] - y[j];
        squares += difference * difference;
        sum += fabs(difference);
        largest = fmax(largest, fabs(difference));
        product += x[j] * y[j];
        xx += x[j] * x[j];
        yy += y[j] * y[j];
    }
    switch (metric) {
    case WW_METRIC_L2:
        return sqrt(squares);
    case WW_METRIC_L2_SQUARED:
        return squares;
    case WW_METRIC_L1:
        return sum;
    case WW_METRIC_LINF:
        return largest;
    case WW_METRIC_COSINE:
        return xx == 0 || yy == 0 ? 1 : 1 - product / sqrt(xx * yy);
    case WW_METRIC_INNER_PRODUCT:
        return -product;
    default:
        return NAN;
    }
}

// Pearson's correlation; NAN where one side is constant.
static double correlation(const double *x, const double *y, size_t dimension) {
    double x_mean = 0, y_mean = 0, xx = 0, yy = 0, product = 0;
    for (size_t j = 0; j < dimension; j++) {
        x_mean += x[j];
        y_mean += y[j];
    }
    x_mean /= (double)dimension;
    y_mean /= (double)dimension;
    for (size_t j = 0; j < dimension; j++) {
        xx += (x[j] - x_mean) * (x[j] - x_mean);
        yy += (y[j] - y_mean) * (y[j] - y_mean);
        product += (x[j] - x_mean) * (y[j] - y_mean);
    }
    // What is left of constants is the rounding of their mean.
    return xx > 1e-25 && yy > 1e-25 ? product / sqrt(xx * yy) : NAN;
}

double wwr_every_distance(ww_metric metric, double p, const double *x, const double *y, size_t dimension) {
    double powers = 0, canberra = 0, apart = 0, sizes = 0, squares = 0, there = 0;
    for (size_t j = 0; j < dimension; j++) {
        if (isnan(x[j]) || isnan(y[j]))
            continue;
        const double difference = fabs(x[j] - y[j]), size = fabs(x[j]) + fabs(y[j]);
        powers += pow(difference, p);
        canberra += size > 0 ? difference / size : 0;
        apart += difference;
        sizes += fabs(x[j] + y[j]);
        squares += difference * difference;
        there++;
    }
    switch (metric) {
    case WW_METRIC_MINKOWSKI:
        return pow(powers, 1 / p);
    case WW_METRIC_CANBERRA:
        return canberra;
    case WW_METRIC_BRAY_CURTIS:
        return sizes > 0 ? apart / sizes : 0;
    case WW_METRIC_CORRELATION: {
        const double r = correlation(x, y, dimension);
        return isnan(r) ? 1 : 1 - r;
    }
    case WW_METRIC_NAN_L2:
        return there > 0 ? sqrt(squares * (double)dimension / there) : NAN;
    default:
        return NAN;
    }
}

double wwr_hamming(const unsigned char *x, const unsigned char *y, size_t bits) {
    size_t different = 0;
    for (size_t b = 0; b < bits; b++)
        different += ((x[b / 8] ^ y[b / 8]) >> b % 8) & 1;
    return (double)different;
}

double wwr_jaccard_bits(const unsigned char *x, const unsigned char *y, size_t bits) {
    size_t common = 0, all = 0;
    for (size_t b = 0; b < bits; b++) {
        common += (x[b / 8] & y[b / 8]) >> b % 8 & 1;
        all += (x[b / 8] | y[b / 8]) >> b % 8 & 1;
    }
    return all ? 1 - (double)common / (double)all : 0;
}

double wwr_jaccard(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    size_t common = 0;
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            common += a[i] == b[j];
    const size_t all = a_count + b_count - common;
    return all ? 1 - (double)common / (double)all : 0;
}

void wwr_k_smallest(const double *distances, size_t count, size_t own, size_t k, int64_t *ids, double *smallest) {
    size_t kept = 0;
    for (size_t i = 0; i < k; i++) {
        ids[i] = -1;
        smallest[i] = INFINITY;
    }
    for (size_t c = 0; c < count; c++) {
        if (c == own || (kept == k && !(distances[c] < smallest[k - 1])))
            continue;
        size_t at = kept < k ? kept++ : k - 1;
        for (; at > 0 && smallest[at - 1] > distances[c]; at--) {
            smallest[at] = smallest[at - 1];
            ids[at] = ids[at - 1];
        }
        smallest[at] = distances[c];
        ids[at] = (int64_t)c;
    }
}

void wwr_knn_float(const float *query, const float *base, size_t count, size_t dimension, size_t k, uint32_t *ids,
                   float *squares) {
    for (size_t i = 0; i < k; i++) {
        ids[i] = UINT32_MAX;
        squares[i] = INFINITY;
    }
    for (size_t c = 0; c < count; c++) {
        float sum = 0;
        for (size_t j = 0; j < dimension; j++) {
            const float difference = query[j] - base[c * dimension + j];
            sum += difference * difference;
        }
        if (!(sum < squares[k - 1]))
            continue;
        size_t at = k - 1;
        for (; at > 0 && squares[at - 1] > sum; at--) {
            squares[at] = squares[at - 1];
            ids[at] = ids[at - 1];
        }
        squares[at] = sum;
        ids[at] = (uint32_t)c;
    }
}
