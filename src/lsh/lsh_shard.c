// SPDX-License-Identifier: Apache-2.0
// Searches of tables over a part of the points: a plain search, whose results are moved to their numbers in the whole.
#include <stdlib.h>
#include <string.h>

#include "knn/knn_shard.h"
#include "lsh/lsh_index.h"
#include "topk/results.h"

// Takes each query's own point out of rows of k + 1, or the last one: rows of k.
static void drop_own(const wwi_knn_shard *shard, size_t queries, size_t k, size_t size, const int64_t *from,
                     const unsigned char *distances, int64_t *ids, unsigned char *values) {
    for (size_t q = 0; q < queries; q++) {
        const size_t row = q * (k + 1);
        size_t own = 0;
        while (own < k && from[row + own] != shard->apart + (int64_t)q)
            own++;
        for (size_t i = 0; i < k; i++) {
            const size_t at = row + i + (i >= own);
            ids[q * k + i] = from[at];
            if (values)
                memcpy(values + (q * k + i) * size, distances + at * size, size);
        }
    }
}

// With one neighbour more, which may be the query itself.
static ww_status run_and_drop(ww_lsh *h, ww_points *queries, size_t k, const wwi_knn_shard *shard, int64_t *ids,
                              void *distances) {
    const size_t size = wwi_precision_bytes(h->precision), count = queries->count * (k + 1);
    int64_t *more = malloc(count * sizeof *more);
    unsigned char *values = malloc(count * size);
    ww_status status = !more || !values ? wwi_fail_memory(count * (size + sizeof *more))
                                        : ww_lsh_run(h, queries, k + 1, more, values, NULL);
    if (status == WW_OK)
        drop_own(shard, queries->count, k, size, more, values, ids, distances);
    free(values);
    free(more);
    return status;
}

ww_status ww_lsh_run_shard(ww_lsh *h, ww_points *queries, size_t k, const ww_nearest_shard *shard, int64_t *ids,
                           void *distances, uint32_t *found) {
    wwi_knn_shard own = {.initial = NULL};
    void *values = NULL;
    if (!h || !ids)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "lsh or ids is NULL");
    const size_t count = queries ? queries->count : h->total;
    ww_status status = wwi_knn_shard_take(shard, !queries, count, h->total, h->options.metric, h->precision, &own);
    if (status != WW_OK)
        return status;
    const bool drops = queries && own.excludes && own.apart < (int64_t)h->total && own.apart + (int64_t)count > 0;
    const size_t most = WW_KNN_MOST - (drops ? 1 : 0);
    if (k < 1 || k > most) {
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is not 1 to %zu", most);
        goto done;
    }
    if (own.initial && !distances && !(values = malloc(count * k * wwi_precision_bytes(h->precision)))) {
        status = wwi_fail_memory(count * k * wwi_precision_bytes(h->precision));
        goto done;
    }
    values = values ? values : distances;
    status = drops ? run_and_drop(h, queries, k, &own, ids, values) : ww_lsh_run(h, queries, k, ids, values, NULL);
    if (status != WW_OK)
        goto done;
    wwi_knn_shard_place(&own, 0, count, k, 0, ids, values);
    for (size_t q = 0; found && q < count; q++)
        found[q] = wwi_count_found(ids + q * k, k);
done:
    if (values != distances)
        free(values);
    wwi_knn_shard_free(&own);
    return status;
}
