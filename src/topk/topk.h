// SPDX-License-Identifier: Apache-2.0
// The k smallest values of every row of a matrix on the device.
#ifndef WAVEWARP_SELECT_H
#define WAVEWARP_SELECT_H

#include <wavewarp/series.h>

#include "host.h"

// The index where there are fewer than k.
#define WWI_NO_INDEX UINT32_MAX

// `rows` x `columns` values, and the place of the results. Smallest first, ties to the lower index; NaN is "no value".
typedef struct wwi_selection {
    wwi_buffer *values;
    uint64_t offset, row_stride; // in elements
    uint64_t rows;
    uint32_t columns;     // up to 2^31
    uint32_t column_base; // index of the first column
    wwi_buffer *indices;  // NULL: counted from column_base; else the index of every value, 32 bits, laid out like them
    wwi_buffer *counts;   // NULL: all columns; else how many each row has, 32 bits
    bool exclude_self;    // row r never takes index own_base + r
    uint32_t own_base;
    bool largest;             // the k largest: `best_values` are negated, and +inf again where there are fewer
    bool fresh;               // begin with an empty list; else merge with the content of the arrays below
    wwi_buffer *best_values;  // rows x k; +inf where there are fewer
    wwi_buffer *best_indices; // rows x k, 32 bits; WWI_NO_INDEX where there are fewer
} wwi_selection;

typedef struct wwi_selector wwi_selector;

// Compiles for a k from 1 to 2^31. Any k works; up to 1024 a GPU's work-groups share a row.
ww_status wwi_selector_create(ww_context *context, wwi_stream *stream, ww_precision precision, uint32_t k,
                              wwi_selector **selector);
void wwi_selector_destroy(wwi_selector **selector);
// Enqueues a selection. The result does not depend on the order or the number of blocks of the values.
ww_status wwi_topk(wwi_selector *selector, const wwi_selection *selection);

#endif
