// SPDX-License-Identifier: Apache-2.0
// The nearest points of queries, a few queries at a time. For rows.h and the ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_POINT_ROWS_H
#define WAVEWARP_CLI_POINT_ROWS_H

#include "base/point_options.h"
#include "base/rows.h"
#include "results/neighbours.h"

typedef struct cli_point_rows {
    ww_metric metric;
    double radius;     // INFINITY: none
    bool part;         // what is beyond the radius is left out of the rows
    cli_series_job *s; // its files have points
    const ww_point_view *queries;
    ww_points *base;
    bool self; // the queries are the base
    size_t k;
    ww_knn **knn;             // of the last queries
    char more[128];           // what a journal says of it
    size_t full;              // queries whose k neighbours are all within the radius
    void (*note)(void *user); // called when some are computed; NULL: nothing
    void *user;
} cli_point_rows;

// Says what the rows are, queries: all but what `job` says of inputs and `s`.
void cli_points_divide(cli_point_rows *rows, cli_row_job *job);
double cli_points_weight(void *user, uint64_t row); // of rows of points: they are alike

// Neighbours of a query that a radius asks for at first.
enum { CLI_RADIUS_K = 1024 };
// --radius, of distances alone. Without a text *radius stays as it is.
int cli_points_radius(const char *command, const char *text, ww_metric metric, double *radius);
// Takes out the neighbours beyond the radius. Gives the number of queries that have k within it.
size_t cli_points_within(const cli_neighbours *n, double radius);
// Says that these may have more, where the base has.
void cli_points_say_full(size_t full, const cli_neighbours *n, size_t base_count, double radius);

#endif
