// SPDX-License-Identifier: Apache-2.0
// Ids and distances on their way from the device to the caller.
#ifndef WAVEWARP_RESULTS_H
#define WAVEWARP_RESULTS_H

#include "host.h"

// `count` 32-bit ids into 64 bits: WWI_NOBODY becomes -1. *missing (may be NULL): how many did.
ww_status wwi_fetch_ids(wwi_buffer *buffer, size_t count, int64_t *ids, uint64_t *missing);
// `count` distances, or the roots of them.
ww_status wwi_fetch_distances(wwi_buffer *buffer, size_t count, ww_precision precision, bool roots, void *distances);
// Of a row of k ids, those before the first -1.
uint32_t wwi_count_found(const int64_t *ids, size_t k);

#endif
