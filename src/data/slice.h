// SPDX-License-Identifier: Apache-2.0
// The part of a set of series or points that is on the device. A slice belongs to the plan or search that opens it,
// never to the set: a set does not change after its creation, and many threads may use it at once.
#ifndef WAVEWARP_SLICE_H
#define WAVEWARP_SLICE_H

#include "data/dataset.h"

// Start with a zeroed one. A copy of an open slice is valid until the original is opened again or closed.
typedef struct wwi_slice {
    wwi_buffer *values;  // series: channel by channel; points: tiles (src/data/points.h), or the sets' members
    wwi_buffer *series;  // (offset, length | rank << 32) of every series; sets: where each starts, else NULL
    size_t first, count; // the series or points that are there
    bool own; // created for this slice; else the buffers are those of the set, which is on the device as a whole
} wwi_slice;

enum { WWI_SIDE_ROW = 0, WWI_SIDE_COLUMN = 1 };

// Uploads series [first, first+count), unless the slice has them already.
ww_status wwi_dataset_slice(const ww_dataset *dataset, size_t first, size_t count, wwi_slice *slice);
// Most consecutive series from `first` on that one slice can hold; >= 1.
size_t wwi_dataset_slice_limit(const ww_dataset *dataset, size_t first);
void wwi_slice_close(wwi_slice *slice);

#endif
