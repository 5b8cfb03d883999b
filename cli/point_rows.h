// SPDX-License-Identifier: Apache-2.0
// The nearest points of queries, a few queries at a time. For rows.h and the ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_POINT_ROWS_H
#define WAVEWARP_CLI_POINT_ROWS_H

#include "neighbours.h"
#include "point_options.h"
#include "series_job.h"

typedef struct cli_point_rows {
    ww_metric metric;
    double radius;     // of what is computed; INFINITY: all neighbours
    cli_series_job *s; // its files have points
    const ww_point_view *queries;
    ww_points *base;
    bool self; // the queries are the base
    size_t k;
    ww_knn **knn;             // of the last queries
    size_t full;              // queries whose k neighbours are all within the radius
    void (*note)(void *user); // called when some are computed; NULL: nothing
    void *user;
} cli_point_rows;

// The functions of a cli_row_job, whose `user` is a cli_point_rows.
double cli_points_weight(void *user, uint64_t row);
int cli_points_compute(void *user, uint64_t first, uint64_t count, void *values); // 2 k doubles a row
// What else the values depend on: its `more`.
enum { CLI_POINTS_MORE = 128 };
void cli_points_more(ww_metric metric, double radius, char more[CLI_POINTS_MORE]);

// Takes out the neighbours beyond the radius. Gives the number of queries that have k within it.
size_t cli_points_within(const cli_neighbours *n, double radius);
// Says that these may have more, where the base has.
void cli_points_say_full(size_t full, const cli_neighbours *n, size_t base_count, double radius);

#endif
