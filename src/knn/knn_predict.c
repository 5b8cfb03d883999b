// SPDX-License-Identifier: Apache-2.0
// Prediction of classes and values from neighbours. The search is in knn.c.
#include <inttypes.h>
#include <math.h>
#include <wavewarp/knn.h>

#include "host.h"

static ww_status check(const int64_t *ids, size_t k, const void *known, size_t base_count, const void *predicted) {
    if (!ids || !known || !predicted || k == 0 || base_count == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "an array is NULL, k is 0 or the base is empty");
    return WW_OK;
}

static ww_status fail_id(size_t query, int64_t id) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "query %zu has the neighbour %" PRId64 ", outside the base", query, id);
    return wwi_fail_where((int64_t)query, -1);
}

ww_status ww_knn_vote(const int64_t *ids, size_t queries, size_t k, const int64_t *labels, size_t base_count,
                      int64_t *predicted) {
    WWI_TRY(check(ids, k, labels, base_count, predicted));
    for (size_t q = 0; q < queries; q++) {
        const int64_t *near = ids + q * k;
        size_t most = 0;
        predicted[q] = -1;
        for (size_t i = 0; i < k && near[i] >= 0; i++) {
            if ((uint64_t)near[i] >= base_count)
                return fail_id(q, near[i]);
            const int64_t label = labels[near[i]];
            if (label < 0) {
                wwi_fail(WW_ERROR_NO_LABELS, "point %" PRId64 " has no class", near[i]);
                return wwi_fail_where(near[i], -1);
            }
            // Counted where the class is met first: nearer classes come first, and a later one must have more.
            size_t votes = 0;
            for (size_t j = 0; j < k && near[j] >= 0 && (uint64_t)near[j] < base_count; j++)
                votes += labels[near[j]] == label;
            if (votes > most) {
                most = votes;
                predicted[q] = label;
            }
        }
    }
    return WW_OK;
}

ww_status ww_knn_mean(const int64_t *ids, size_t queries, size_t k, const double *values, size_t base_count,
                      double *predicted) {
    WWI_TRY(check(ids, k, values, base_count, predicted));
    for (size_t q = 0; q < queries; q++) {
        double sum = 0;
        size_t n = 0;
        for (; n < k && ids[q * k + n] >= 0; n++) {
            if ((uint64_t)ids[q * k + n] >= base_count)
                return fail_id(q, ids[q * k + n]);
            sum += values[ids[q * k + n]];
        }
        predicted[q] = n ? sum / (double)n : (double)NAN;
    }
    return WW_OK;
}
