// SPDX-License-Identifier: Apache-2.0
// A matrix that is more than one batch: batch after batch to a sink.
#ifndef WAVEWARP_BLOCKS_H
#define WAVEWARP_BLOCKS_H

#include "jobs/plan.h"

// Receives row_count x column_count values of the rows and columns from (row, column) on.
typedef ww_status (*wwi_sink)(ww_plan *plan, void *target, size_t row, size_t row_count, size_t column,
                              size_t column_count, const unsigned char *values);

typedef struct wwi_blocks {
    bool upper;      // a symmetric measure of a set with itself: only batches that reach above the diagonal
    bool whole_rows; // in row order, where a row of results fits
    wwi_sink deliver;
    void *target;
} wwi_blocks;

// Cells that the blocks compute.
ww_status wwi_blocks_cells(const ww_plan *plan, const wwi_blocks *blocks, uint64_t *cells);
ww_status wwi_blocks_run(ww_plan *plan, const wwi_blocks *blocks);
// Zeroes the diagonal of a part of the matrix of a set with itself.
void wwi_zero_diagonal(const ww_plan *plan, size_t row, size_t row_count, size_t column, size_t column_count,
                       unsigned char *values);

#endif
