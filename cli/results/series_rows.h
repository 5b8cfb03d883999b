// SPDX-License-Identifier: Apache-2.0
// Rows of a result over two sets of series, a few at a time: pairs and their paths, the nearest of queries and their
// classes. For rows.h and the ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_SERIES_ROWS_H
#define WAVEWARP_CLI_SERIES_ROWS_H

#include "base/rows.h"

typedef struct cli_series_rows {
    cli_series_job *s;        // its datasets: of the nearest of a second set the first is not needed
    size_t k;                 // of the nearest
    ww_plan **plan;           // of the last rows
    void (*note)(void *user); // called when these are computed; NULL: nothing
    void *user;
} cli_series_rows;

// Whether the sets have pairs.
int cli_pairs_check(const cli_series_job *s);
// All rows of such a job: pairs where k is 0, else the nearest, of 2 k doubles.
cli_row_job cli_series_rows_job(cli_series_rows *rows);

// For rows of other kinds; `user` of the weight is a cli_series_rows or begins with one. The series of a set that
// belongs to a pair: one series is in all pairs.
size_t cli_series_member(const ww_series_set *set, uint64_t pair);
// Plans pairs, or what is computed of them, into *r->plan.
typedef ww_status (*cli_plan_of_pairs)(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                       const size_t *row_index, const size_t *column_index, size_t count,
                                       const ww_plan_options *options, ww_plan **plan);
int cli_pairs_plan(const cli_series_rows *r, uint64_t first, uint64_t count, cli_plan_of_pairs create);
double cli_pairs_weight(void *user, uint64_t row);
// Some of a set, without their labels; and as a dataset.
int cli_series_copy(const ww_series_set *all, size_t first, size_t count, ww_series_set **some);
int cli_series_some(const cli_series_job *s, const ww_series_set *all, uint64_t first, uint64_t count,
                    ww_dataset **some);
void cli_series_note(const cli_series_rows *r);

#endif
