// SPDX-License-Identifier: Apache-2.0
// Searches of parts of a base: numbers in the whole, and distances that are known beforehand.
#include "knn/knn_shard.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "options.h"
#include "topk/topk.h"

// Ids of entries that stand for initial distances: after those of all points.
#define SEEDS (UINT32_C(0x80000000) - WW_KNN_MOST)

ww_status wwi_knn_shard_take(const ww_nearest_shard *given, bool self, size_t queries, size_t base, ww_metric metric,
                             ww_precision precision, wwi_knn_shard *shard) {
    ww_nearest_shard own = WW_NEAREST_SHARD_INIT;
    WWI_TRY(wwi_options_take(&own, given, "ww_nearest_shard"));
    if (self && own.query_offset != own.base_offset)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "queries and base are the same points, and their offsets differ: %" PRIu64 " and %" PRIu64,
                        own.query_offset, own.base_offset);
    if (own.query_offset > INT64_MAX - queries || own.base_offset > INT64_MAX - base ||
        (own.initial && base >= SEEDS - 1))
        return wwi_fail(WW_ERROR_OVERFLOW, "a point's number is beyond 63 bits, or %zu points are too many", base);
    if (given && metric == WW_METRIC_L2) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a search under l2 has no shards");
        return wwi_fail_hint("search under l2-squared, and take the roots of what is merged: distances whose roots "
                             "round alike are ordered by their squares");
    }
    *shard = (wwi_knn_shard){.self = self,
                             .excludes = self || own.exclude_self,
                             .apart = (int64_t)own.query_offset - (int64_t)own.base_offset,
                             .base_offset = own.base_offset,
                             .precision = precision,
                             .whole = metric == WW_METRIC_HAMMING};
    if (!own.initial)
        return WW_OK;
    const size_t bytes = queries * wwi_precision_bytes(precision);
    WWI_TRY(wwi_new(shard->initial, bytes));
    memcpy(shard->initial, own.initial, bytes);
    return WW_OK;
}

void wwi_knn_shard_free(wwi_knn_shard *shard) {
    free(shard->initial);
    shard->initial = NULL;
}

uint32_t wwi_knn_shard_own(const wwi_knn_shard *shard, size_t first, size_t rows, size_t base, uint32_t *shift) {
    *shift = 0;
    const int64_t own = shard->apart + (int64_t)first;
    if (!shard->excludes || own + (int64_t)rows <= 0 || own >= (int64_t)base)
        return WWI_NO_INDEX;
    *shift = own == -1;
    return (uint32_t)(own + (int64_t)*shift);
}

// A number above `value`, by as little as filters tell apart.
static double above(const wwi_knn_shard *shard, double value) {
    const double least = shard->precision == WW_DOUBLE ? DBL_MIN : (double)FLT_MIN;
    if (fabs(value) < least)
        value = least;
    else
        value = shard->precision == WW_DOUBLE ? nextafter(value, INFINITY) : (double)nextafterf((float)value, INFINITY);
    return shard->whole ? fmax(value, floor(value) + 1) : value;
}

ww_status wwi_knn_shard_seed(const wwi_knn_shard *shard, size_t first, size_t rows, size_t k, wwi_buffer *values,
                             wwi_buffer *ids) {
    const size_t size = wwi_precision_bytes(shard->precision), count = rows * k;
    WWI_FREES unsigned char *seeds = NULL;
    WWI_FREES uint32_t *seed_ids = NULL;
    WWI_TRY(wwi_new(seeds, count * size));
    WWI_TRY(wwi_new(seed_ids, count));
    for (size_t r = 0; r < rows; r++) {
        const double known = wwi_value_at(shard->initial, shard->precision, first + r);
        const bool any = known < (double)INFINITY;
        for (size_t i = 0; i < k; i++) {
            wwi_set_value(seeds, shard->precision, r * k + i, any ? above(shard, known) : INFINITY);
            seed_ids[r * k + i] = any ? SEEDS + (uint32_t)i : WWI_NO_INDEX;
        }
    }
    WWI_TRY(wwi_buffer_write(values, 0, count * size, seeds));
    return wwi_buffer_write(ids, 0, count * sizeof *seed_ids, seed_ids);
}

void wwi_knn_shard_place(const wwi_knn_shard *shard, size_t first, size_t rows, size_t k, uint32_t shift, int64_t *ids,
                         void *distances) {
    for (size_t i = 0; i < rows * k; i++) {
        const bool known = shard->initial && ids[i] >= 0;
        if (known && (ids[i] >= (int64_t)SEEDS || wwi_value_at(distances, shard->precision, i) >
                                                      wwi_value_at(shard->initial, shard->precision, first + i / k))) {
            ids[i] = -1;
            wwi_set_value(distances, shard->precision, i, INFINITY);
        }
        if (ids[i] >= 0)
            ids[i] += (int64_t)(shard->base_offset - shift);
    }
}
