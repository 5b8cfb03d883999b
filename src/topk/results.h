// SPDX-License-Identifier: Apache-2.0
// Copies ids and distances from the device to the caller.
#ifndef WAVEWARP_RESULTS_H
#define WAVEWARP_RESULTS_H

#include "host.h"

// Converts rows of k 32-bit ids to 64 bits: WWI_NO_INDEX becomes -1, and *incomplete (may be NULL) the number of rows
// whose last id is -1. With distances not NULL as many distances, or the roots of them.
ww_status wwi_results_fetch(wwi_buffer *best_ids, wwi_buffer *best_values, size_t rows, size_t k,
                            ww_precision precision, bool roots, int64_t *ids, void *distances, uint64_t *incomplete);
// The number of ids of a row of k before the first -1.
uint32_t wwi_count_found(const int64_t *ids, size_t k);

#endif
