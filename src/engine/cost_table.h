// SPDX-License-Identifier: Apache-2.0
// Points of many channels: the costs of a batch's cells in a table, made before its engine runs
// (kernels_cl/engine/cost_table.cl).
#ifndef WAVEWARP_COST_TABLE_H
#define WAVEWARP_COST_TABLE_H

#include "engine/cost_table_args.h"
#include "engine/runner.h"

enum {
    WWI_TABLE_TILE = 64,     // costs on a side of a work-group's tile
    WWI_SLOPE_CHANNELS = 32, // channels of a tile of slopes (kernels_cl/gradient/gradient_table.cl)
    WWI_TABLE_SLACK = 256    // values behind a table, which the columns behind the last one are read from
};

// Options of the kernels' program (cost_table.cl), and the work-items of a group that fills a tile.
uint32_t wwi_table_options(ww_precision precision, bool list, char *options, size_t bytes);
// Whether costs of the measure come from a table: points have more channels than a `few`, and it is written over the
// local cost of two points, and nothing else of them.
bool wwi_has_tables(const wwi_recurrence *of, uint32_t few);
// Bytes for a table of costs; `given`: max_bytes, or 0.
uint64_t wwi_table_budget(const ww_context *context, uint64_t given);
// Whether the runner's points have many channels, and the costs of its longest pair fit a table.
bool wwi_table_fits(const wwi_runner *r);
// Whether the work's kernels read a table: of the engine, which is known.
bool wwi_work_tabled(const wwi_runner *r, const wwi_work *w);
// Whether the batch's table is larger than one should be. Of a pair alone it is not.
bool wwi_table_too_large(const wwi_runner *r, const wwi_work *w);
// Uploads what says where the costs of each series are, behind the work's own ids; the work's kernels are given the
// table in place of the points.
ww_status wwi_table_upload(wwi_runner *r, wwi_work *w);
// Fills the table.
ww_status wwi_table_fill(wwi_runner *r, wwi_work *w);

#endif
