// SPDX-License-Identifier: Apache-2.0
// Searches of tables over a part of the points: a plain search, whose results are moved to their numbers in the whole.
#include <stdlib.h>
#include <string.h>

#include "knn/knn_shard.h"
#include "lsh/lsh_index.h"
#include "topk/results.h"

void wwi_lsh_drop_own(size_t i, size_t k, int64_t own, ww_precision precision, const int64_t *from,
                      const void *distances, int64_t *ids, void *values) {
    size_t found = 0;
    while (found < k && from[i * (k + 1) + found] != own)
        found++;
    for (size_t j = 0; j < k; j++) {
        const size_t at = i * (k + 1) + j + (j >= found);
        ids[i * k + j] = from[at];
        if (values)
            wwi_set_value(values, precision, i * k + j, wwi_value_at(distances, precision, at));
    }
}

// With one neighbour more, which may be the query itself.
static ww_status run_and_drop(ww_lsh *h, ww_points *queries, size_t k, const wwi_knn_shard *shard, int64_t *ids,
                              void *distances) {
    const size_t count = queries->count * (k + 1);
    WWI_FREES int64_t *more = NULL;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(more, count));
    WWI_TRY(wwi_new(values, count * h->value_bytes));
    WWI_TRY(ww_lsh_run(h, queries, k + 1, more, values, NULL));
    for (size_t q = 0; q < queries->count; q++)
        wwi_lsh_drop_own(q, k, shard->apart + (int64_t)q, h->precision, more, values, ids, distances);
    return WW_OK;
}

ww_status ww_lsh_run_shard(ww_lsh *h, ww_points *queries, size_t k, const ww_nearest_shard *shard, int64_t *ids,
                           void *distances, uint32_t *found) {
    WWI_ENDS(wwi_knn_shard_free) wwi_knn_shard own = {.initial = NULL};
    WWI_FREES unsigned char *own_values = NULL;
    WWI_NEEDS("lsh, ids", h, ids);
    const size_t count = queries ? queries->count : h->total;
    WWI_TRY(wwi_knn_shard_take(shard, !queries, count, h->total, h->options.metric, h->precision, &own));
    const bool drops = queries && own.excludes && own.apart < (int64_t)h->total && own.apart + (int64_t)count > 0;
    const size_t most = WW_LSH_MOST_K - (drops ? 1 : 0);
    if (k < 1 || k > most)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is not 1 to %zu", most);
    if (own.initial && !distances) {
        WWI_TRY(wwi_new(own_values, count * k * h->value_bytes));
        distances = own_values;
    }
    WWI_TRY(drops ? run_and_drop(h, queries, k, &own, ids, distances)
                  : ww_lsh_run(h, queries, k, ids, distances, NULL));
    wwi_knn_shard_place(&own, 0, count, k, 0, ids, distances);
    for (size_t q = 0; found && q < count; q++)
        found[q] = wwi_count_found(ids + q * k, k);
    return WW_OK;
}
