// SPDX-License-Identifier: Apache-2.0
// Warping paths: as rows of a file of doubles, joined from them, and their output. For path, merge and the ranks of
// wavewarp-mpi.
#ifndef WAVEWARP_CLI_PATHS_H
#define WAVEWARP_CLI_PATHS_H

#include "rows.h"
#include "series_rows.h"

// Says what the rows are: pairs of a cli_series_rows, `series`, of which one set may have a single series. A row has
// the distance, the number of cells, and each cell as one number. All but what `job` says of progress, measure and
// device; `more`: what a journal says of it.
enum { CLI_PATHS_MORE = 64 };
int cli_paths_divide(cli_series_rows *series, cli_row_job *job, char more[CLI_PATHS_MORE]);
// How many pairs there are.
size_t cli_paths_count(const ww_series_set *const sets[2]);

// A cell's number is the first index times this, and the second; both from -1 on.
double cli_paths_base(const ww_series_set *columns);

// What rows are joined to.
typedef struct cli_paths {
    ww_paths found;   // cli_paths_free(), not the library's function
    uint64_t columns; // of a row
    double base;      // of a cell's number
    uint64_t room;    // cells
} cli_paths;

bool cli_paths_shape_read(const cli_row_shape *shape, cli_paths *paths);
int cli_paths_allocate(cli_paths *paths, size_t count);
void cli_paths_free(cli_paths *paths);
// Takes the rows one after the other (cli_rows_each(); `paths` is a cli_paths).
int cli_paths_take(void *paths, uint64_t row, const double *values);

// An .npy of pair, i and j, or lines of them; NULL: to standard output.
int cli_paths_write(const ww_paths *found, const char *path);
// "distances" and "paths": [...], without their cells where a file has these.
void cli_paths_json(cli_json *json, const ww_paths *found, bool cells);

#endif
