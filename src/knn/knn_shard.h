// SPDX-License-Identifier: Apache-2.0
// Where the queries and the base of a search are in a whole that is searched in parts.
#ifndef WAVEWARP_KNN_SHARD_H
#define WAVEWARP_KNN_SHARD_H

#include <stdbool.h>
#include <wavewarp/knn.h>

#include "host.h"

typedef struct wwi_knn_shard {
    bool self;              // queries and base are one
    bool excludes;          // a query's own point is no neighbour
    int64_t apart;          // number of the first query less that of the base's first point
    uint64_t base_offset;   // added to ids
    unsigned char *initial; // NULL, or each query's k-th distance so far
    ww_precision precision;
    bool whole; // distances are whole numbers
} wwi_knn_shard;

// Takes what a caller says, or NULL. `self`: queries and base are one.
ww_status wwi_knn_shard_take(const ww_nearest_shard *given, bool self, size_t queries, size_t base, ww_metric metric,
                             ww_precision precision, wwi_knn_shard *shard);
void wwi_knn_shard_free(wwi_knn_shard *shard);
// The id in the base of query `first`, where one of `rows` queries from it on has any, else WWI_NO_INDEX; the id of
// row r is this one + r, modulo 2^32. On the device all ids are *shift more than in the base, so that it is not
// WWI_NO_INDEX.
uint32_t wwi_knn_shard_own(const wwi_knn_shard *shard, size_t first, size_t rows, size_t base, uint32_t *shift);
// Puts lists of k entries that are as far as the initial distances, or a little farther, into both buffers: neighbours
// that are not nearer take no place.
ww_status wwi_knn_shard_seed(const wwi_knn_shard *shard, size_t first, size_t rows, size_t k, wwi_buffer *values,
                             wwi_buffer *ids);
// From the device's ids to those of the whole; what is farther than initial distances is left out. `distances` of rows
// x k may only be NULL without initial distances.
void wwi_knn_shard_place(const wwi_knn_shard *shard, size_t first, size_t rows, size_t k, uint32_t shift, int64_t *ids,
                         void *distances);

#endif
