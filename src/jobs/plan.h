// SPDX-License-Identifier: Apache-2.0
// What the jobs share: a plan's parts and the way blocks of results go from the device to the caller.
#ifndef WAVEWARP_PLAN_H
#define WAVEWARP_PLAN_H

#include "engine/engine.h"

typedef enum wwi_job_kind { WWI_MATRIX, WWI_PAIRS, WWI_NEAREST } wwi_job_kind;

struct ww_plan {
    wwi_job_kind kind;
    ww_context *context;
    ww_measure measure; // with copies of what the caller's points to
    char *expression, *recurrence, *recurrence_name;
    size_t *band_lo, *band_hi;
    ww_dataset *rows, *columns; // columns == rows when `self`
    bool self;                  // one set with itself
    bool symmetric, zero_on_self;
    double limit; // results above it have overflowed; INFINITY: none can
    ww_plan_options options;
    wwi_stream *stream;
    wwi_slice slices[2]; // of the rows and the columns
    wwi_runner *runner;
    wwi_buffer *out;
    uint32_t *row_ids, *column_ids; // room for the ids of a block
    uint32_t *pairs;                // WWI_PAIRS: `count` x (row, column, number of the result)
    size_t count;
    size_t k;
    struct wwi_nearest *nearest; // WWI_NEAREST
    uint64_t all_cells;
    double start_seconds;
    ww_plan_info info;
};

// The part all three ww_plan_... functions share. `columns` NULL: `rows` with itself.
ww_status wwi_plan_create(wwi_job_kind kind, const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                          const ww_plan_options *options, ww_plan **plan);
// Cells of all rows with all columns; of each series of a set with itself. WW_ERROR_NO_PATH.
ww_status wwi_plan_count_cells(ww_plan *plan, uint64_t *cells);
uint64_t wwi_plan_diagonal_cells(const ww_plan *plan);
void wwi_nearest_destroy(struct wwi_nearest **nearest);
// Before and after a run.
void wwi_plan_start(ww_plan *plan);
ww_status wwi_plan_finish(ww_plan *plan, ww_status status);
// Bytes a block of results may take on the device.
uint64_t wwi_plan_room(const ww_plan *plan);
// Ids of [first, first+count) of a dataset by ascending length.
void wwi_plan_ids(const ww_dataset *dataset, size_t first, size_t count, uint32_t *ids);
// Computes rows [row, row+row_count) x columns [column, column+column_count) into plan->out, row after row.
ww_status wwi_plan_rectangle(ww_plan *plan, size_t row, size_t row_count, size_t column, size_t column_count);
// Compiles and allocates what that will need.
ww_status wwi_plan_prepare(ww_plan *plan, size_t row, size_t row_count, size_t column, size_t column_count);
// Makes series of one side available on the device. *slice is good until the next call for the same side.
ww_status wwi_plan_slice(ww_plan *plan, int side, size_t first, size_t count, wwi_slice *slice);
// Makes plan->out at least so large.
ww_status wwi_plan_ensure_out(ww_plan *plan, uint64_t bytes);
// Fails when one of these results has overflowed: WW_ERROR_OVERFLOW.
ww_status wwi_plan_check_results(const ww_plan *plan, const void *results, uint64_t count);
// Leaves the result in a foreign cl_mem: see ww_plan_run_device().
ww_status wwi_plan_run_device(ww_plan *plan, void *memory);

#endif
