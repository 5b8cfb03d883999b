// SPDX-License-Identifier: Apache-2.0
// Rows of a result over two sets of series, a few at a time: pairs and their paths, the nearest of queries and their
// classes. For rows.h and the ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_SERIES_ROWS_H
#define WAVEWARP_CLI_SERIES_ROWS_H

#include "common.h"

typedef struct cli_series_rows {
    const ww_measure *measure;
    const cli_device_options *device;
    const ww_plan_options *options;
    ww_context *context;
    const ww_series_set *sets[2]; // the second NULL: the first with itself
    ww_dataset *const *data;      // as the sets; of the nearest of a second set the first is not needed
    size_t k;                     // of the nearest
    ww_plan **plan;               // of the last rows
    void (*note)(void *user);     // called when these are computed; NULL: nothing
    void *user;
} cli_series_rows;

// The functions of a cli_row_job, whose `user` is a cli_series_rows or begins with one.
double cli_pairs_weight(void *user, uint64_t row);
int cli_pairs_compute(void *user, uint64_t first, uint64_t count, void *values);
double cli_nearest_weight(void *user, uint64_t row);
int cli_nearest_compute(void *user, uint64_t first, uint64_t count, void *values); // 2 k doubles a row

// For rows of other kinds. The series of a set that belongs to a pair: one series is in all pairs.
size_t cli_series_member(const ww_series_set *set, uint64_t pair);
// Plans pairs, or what is computed of them, into *r->plan.
typedef ww_status (*cli_plan_of_pairs)(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                       const size_t *row_index, const size_t *column_index, size_t count,
                                       const ww_plan_options *options, ww_plan **plan);
int cli_pairs_plan(const cli_series_rows *r, uint64_t first, uint64_t count, cli_plan_of_pairs create);
// Some of the first set, as a dataset.
int cli_series_some(const cli_series_rows *r, uint64_t first, uint64_t count, ww_dataset **some);
void cli_series_note(const cli_series_rows *r);

#endif
