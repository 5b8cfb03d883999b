// SPDX-License-Identifier: Apache-2.0
// A matrix, or a rectangle of it, that is more than one batch: batch after batch to a sink.
#ifndef WAVEWARP_BLOCKS_H
#define WAVEWARP_BLOCKS_H

#include "jobs/plan.h"

// Receives the values of a rectangle, row after row.
typedef ww_status (*wwi_sink)(ww_plan *plan, void *target, wwi_rectangle of, const unsigned char *values);

typedef struct wwi_blocks {
    wwi_rectangle all; // `upper`: the whole matrix
    bool upper;        // a symmetric measure of a set with itself: only batches that reach above the diagonal
    bool whole_rows;   // in row order, where a row of results fits
    wwi_sink deliver;
    void *target;
    // Computes a batch into plan->out; NULL: wwi_plan_rectangle().
    ww_status (*compute)(ww_plan *plan, wwi_rectangle of);
} wwi_blocks;

// The full layout in host memory, from a rectangle's first value on: the target of wwi_to_matrix().
typedef struct wwi_square {
    unsigned char *values;
    uint64_t stride;    // elements between rows
    size_t row, column; // of the first value
} wwi_square;
ww_status wwi_to_matrix(ww_plan *plan, void *target, wwi_rectangle of, const unsigned char *values);

// Cells that the blocks of the whole matrix compute.
ww_status wwi_blocks_cells(const ww_plan *plan, const wwi_blocks *blocks, uint64_t *cells);
ww_status wwi_blocks_run(ww_plan *plan, const wwi_blocks *blocks);
// Zeroes the diagonal of a part of the matrix of a set with itself.
void wwi_zero_diagonal(const ww_plan *plan, wwi_rectangle of, unsigned char *values);

#endif
