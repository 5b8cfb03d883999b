// SPDX-License-Identifier: Apache-2.0
// The part of a set of series that is on the device; src/data/points.c has the same for points.
#include "data/slice.h"

#include <string.h>

#include "base/kit.h"

size_t wwi_dataset_slice_limit(const ww_dataset *d, size_t first) {
    if (!d->host)
        return d->count - first;
    const uint64_t most = d->max_bytes / wwi_precision_bytes(d->precision);
    size_t count = 1;
    while (first + count < d->count && d->offsets[first + count + 1] - d->offsets[first] <= most)
        count++;
    return count;
}

ww_status wwi_dataset_slice(const ww_dataset *d, size_t first, size_t count, wwi_slice *slice) {
    if (!d->host) {
        wwi_slice_close(slice);
        *slice = (wwi_slice){d->values, d->series, 0, d->count, false};
        return WW_OK;
    }
    if (slice->own && slice->first == first && slice->count == count)
        return WW_OK;
    if (!slice->own)
        memset(slice, 0, sizeof *slice);
    const uint64_t size = wwi_precision_bytes(d->precision);
    const uint64_t bytes = (d->offsets[first + count] - d->offsets[first]) * size;
    slice->own = true;
    slice->count = 0; // until all of it is there
    WWI_TRY(wwi_upload(d->context, &slice->values, d->host + d->offsets[first] * size, bytes));
    WWI_TRY(wwi_dataset_send_entries(d, d->offsets[first], &slice->series));
    slice->first = first;
    slice->count = count;
    return WW_OK;
}

void wwi_slice_close(wwi_slice *slice) {
    if (slice->own)
        WWI_BUFFERS_DESTROY(&slice->values, &slice->series);
    memset(slice, 0, sizeof *slice);
}
