// SPDX-License-Identifier: Apache-2.0
// Points of many channels: the costs of a batch's cells in a table, made before its engine runs
// (kernels_cl/engine/cost_table.cl).
#ifndef WAVEWARP_COST_TABLE_H
#define WAVEWARP_COST_TABLE_H

#include "engine/runner.h"

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
