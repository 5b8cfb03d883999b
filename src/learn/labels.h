// SPDX-License-Identifier: Apache-2.0
// The numbers of clusters.
#ifndef WAVEWARP_LABELS_H
#define WAVEWARP_LABELS_H

#include <stddef.h>
#include <stdint.h>

// Numbers clusters in the order of their first items. `labels` holds a cluster below `bound` for each item, and then
// its number; `number` has `bound` elements; order[k], unless NULL, gets the cluster that has number k. Returns how
// many clusters have an item.
size_t wwi_number_clusters(int64_t *labels, size_t count, size_t bound, size_t *number, size_t *order);

#endif
