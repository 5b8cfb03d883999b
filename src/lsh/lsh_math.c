// SPDX-License-Identifier: Apache-2.0
// Collision probabilities, and recall.
#include <math.h>
#include <wavewarp/lsh.h>

#include "base/kit.h"

static const double pi = 3.14159265358979323846;

double ww_lsh_collision(ww_metric metric, double distance, double width, size_t dimension) {
    if (!(distance >= 0))
        return (double)NAN;
    switch (metric) {
    case WW_METRIC_L2_SQUARED:
        return ww_lsh_collision(WW_METRIC_L2, sqrt(distance), width, dimension);
    case WW_METRIC_L2: {
        // Datar, Immorlica, Indyk, Mirrokni: Locality-sensitive hashing scheme based on p-stable distributions (2004)
        if (distance == 0)
            return 1;
        const double z = width / distance;
        return erf(z / sqrt(2)) - sqrt(2 / pi) / z * -expm1(-z * z / 2);
    }
    case WW_METRIC_L1: {
        if (distance == 0)
            return 1;
        const double z = width / distance;
        return 2 / pi * atan(z) - log1p(z * z) / (pi * z);
    }
    case WW_METRIC_COSINE:
        // Charikar: Similarity estimation techniques from rounding algorithms (2002)
        return 1 - acos(fmax(1 - distance, -1)) / pi;
    case WW_METRIC_HAMMING:
        return dimension ? fmax(1 - distance / (double)dimension, 0) : (double)NAN;
    case WW_METRIC_JACCARD:
        // Broder: On the resemblance and containment of documents (1997)
        return fmax(1 - distance, 0);
    default:
        return (double)NAN;
    }
}

double ww_knn_recall(const void *exact, const void *approximate, size_t queries, size_t k, ww_precision precision) {
    uint64_t found = 0, there = 0;
    if (!exact || !approximate)
        return (double)NAN;
    const double slack = precision == WW_DOUBLE ? 1e-12 : 1e-5;
    for (size_t q = 0; q < queries; q++) {
        // Both ascend: the exact ones that are matched one by one.
        size_t a = 0;
        for (size_t i = 0; i < k; i++) {
            const size_t at = q * k;
            const double wanted = wwi_value_at(exact, precision, at + i);
            if (isinf(wanted) && wanted > 0)
                break;
            there++;
            const double got = wwi_value_at(approximate, precision, at + a);
            if (got <= wanted + slack * fabs(wanted)) {
                found++;
                a++;
            }
        }
    }
    return there ? (double)found / (double)there : 1;
}
