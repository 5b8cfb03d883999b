// SPDX-License-Identifier: Apache-2.0
// Joins lists of the nearest, on the host.
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/topk.h>

#include "data/dataset.h"

// A query's list, as far as it is taken.
typedef struct list {
    const int64_t *indices;
    const unsigned char *distances;
    size_t at;
} list;

// The sign of the order of two lists' next neighbours; 0: they are the same.
static int order(const list *a, const list *b, ww_precision precision, int similarity) {
    const int64_t i = a->indices[a->at], j = b->indices[b->at];
    if (i < 0 || j < 0)
        return (i < 0) - (j < 0);
    const double p = wwi_value_at(a->distances, precision, a->at), q = wwi_value_at(b->distances, precision, b->at);
    const int by_distance = similarity ? (p < q) - (p > q) : (p > q) - (p < q);
    return by_distance ? by_distance : (i > j) - (i < j);
}

// The k nearest of both into `indices` and `distances`.
static void merge(list a, list b, size_t k, ww_precision precision, int similarity, int64_t *indices,
                  unsigned char *distances) {
    const size_t size = wwi_precision_bytes(precision);
    for (size_t s = 0; s < k; s++) {
        const int first = order(&a, &b, precision, similarity);
        const list *from = first <= 0 ? &a : &b;
        indices[s] = from->indices[from->at];
        memcpy(distances + s * size, from->distances + from->at * size, size);
        a.at += first <= 0;
        b.at += first >= 0;
    }
}

ww_status ww_neighbours_merge(size_t queries, size_t k, ww_precision precision, int similarity, int64_t *indices,
                              void *distances, const int64_t *other_indices, const void *other_distances) {
    uint64_t bytes;
    if (!indices || !distances || !other_indices || !other_distances)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_neighbours_merge: indices or distances are NULL");
    if (k == 0 || (precision != WW_FLOAT && precision != WW_DOUBLE))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_neighbours_merge: k is %zu, the precision %d", k,
                        (int)precision);
    if (!wwi_mul_u64(queries, k, &bytes) || !wwi_mul_u64(bytes, sizeof *indices, &bytes) || bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu queries with %zu neighbours", queries, k);
    const size_t size = wwi_precision_bytes(precision);
    WWI_FREES int64_t *merged = NULL;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(merged, k));
    WWI_TRY(wwi_new(values, k * size));
    for (size_t i = 0; i < queries; i++) {
        unsigned char *own = (unsigned char *)distances + i * k * size;
        const list a = {indices + i * k, own, 0};
        const list b = {other_indices + i * k, (const unsigned char *)other_distances + i * k * size, 0};
        merge(a, b, k, precision, similarity, merged, values);
        memcpy(indices + i * k, merged, k * sizeof *merged);
        memcpy(own, values, k * size);
    }
    return WW_OK;
}
