// SPDX-License-Identifier: Apache-2.0
// Reading a condensed matrix of distances: the upper triangle without its diagonal, row after row.
#ifndef WAVEWARP_CONDENSED_H
#define WAVEWARP_CONDENSED_H

#include <math.h>

#include <wavewarp/dataset.h>

#include "base/kit.h"
#include "error.h"

typedef struct wwi_condensed {
    const void *values;
    ww_precision precision;
    size_t count;
} wwi_condensed;

// Where pair (i, j), i < j, is.
static inline uint64_t wwi_condensed_index(size_t count, size_t i, size_t j) {
    const uint64_t n = count, r = i;
    return r * (2 * n - r - 1) / 2 + (j - i - 1);
}

static inline double wwi_condensed_at(const wwi_condensed *m, size_t i, size_t j) {
    if (i == j)
        return 0;
    const uint64_t at = i < j ? wwi_condensed_index(m->count, i, j) : wwi_condensed_index(m->count, j, i);
    return wwi_value_at(m->values, m->precision, at);
}

// Checks the arguments all functions of wavewarp/cluster.h share, and every distance. `least`: the smallest allowed.
ww_status wwi_condensed_take(const void *values, ww_precision precision, size_t count, double least,
                             wwi_condensed *matrix);

#endif
