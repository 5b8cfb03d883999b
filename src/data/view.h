// SPDX-License-Identifier: Apache-2.0
// A caller's series in all layouts of ww_series_view.
#ifndef WAVEWARP_VIEW_H
#define WAVEWARP_VIEW_H

#include <stdbool.h>
#include <wavewarp/series.h>
#include <wavewarp/store.h>

// Kernels index within a series with signed 32-bit numbers; some range is left for what engines add.
#define WWI_LONGEST 0x7fff0000u

// One channel of a series, or its time stamps: the value at time t is at t * stride of the pointer that is not NULL.
typedef struct wwi_line {
    const float *floats;
    const double *doubles;
    int64_t stride;
} wwi_line;

static inline double wwi_line_at(wwi_line from, size_t t) {
    const int64_t at = (int64_t)t * from.stride;
    return from.doubles ? from.doubles[at] : (double)from.floats[at];
}

// Checks what a dataset takes: fields that belong together, lengths, and strides whose products fit.
// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_EMPTY, WW_ERROR_OVERFLOW.
ww_status wwi_view_check(const ww_series_view *view);
static inline size_t wwi_view_length(const ww_series_view *view, size_t i) {
    return view->lengths ? view->lengths[i] : view->length;
}
// Of a checked view. `before`: points of all series before series i.
wwi_line wwi_view_line(const ww_series_view *view, size_t i, uint64_t before, size_t channel);
// Takes a caller's view for jobs that read dense series alone: with strides or pointers the values are copied, and
// *copy is for the caller to free; else it is NULL, and nothing is checked.
ww_status wwi_view_make_dense(const ww_series_view *given, ww_series_view *own, void **copy);
// Makes a caller's series a part of what a store's jobs depend on; of a checked view. `store` NULL: nothing is done.
ww_status wwi_view_add_to(ww_store *store, const ww_series_view *view);

#endif
