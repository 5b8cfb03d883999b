// SPDX-License-Identifier: Apache-2.0
// Warping paths: as rows of a file of doubles, joined from them, and their output. For path, merge and the ranks of
// wavewarp-mpi.
#ifndef WAVEWARP_CLI_PATHS_H
#define WAVEWARP_CLI_PATHS_H

#include "results/series_rows.h"

// Pairs, of which one set may have a single series. A row has the distance, the number of cells, and each cell as one
// number.
typedef struct cli_path_rows {
    cli_series_rows series; // set by the caller; the rest by cli_paths_divide()
    uint64_t columns;       // of a row
    double base;            // as of cli_paths
    char more[64];          // what a journal says of it
} cli_path_rows;

// Says what the rows of cli_rows_of() are.
int cli_paths_divide(cli_path_rows *rows, cli_row_job *job);
// How many pairs there are. cli_paths_check(): whether the sets, from these files, have pairs.
size_t cli_paths_count(const ww_series_set *const sets[2]);
int cli_paths_check(const char *const files[2], const ww_series_set *const sets[2]);

// What rows are joined to.
typedef struct cli_paths {
    ww_paths found;    // cli_paths_free(), not the library's function
    uint64_t columns;  // of a row
    double base;       // a cell's number is its first index times this, and its second; both from -1 on
    uint64_t capacity; // cells that found.cells can have
} cli_paths;

bool cli_paths_shape_read(const cli_row_shape *shape, cli_paths *paths);
int cli_paths_allocate(cli_paths *paths, size_t count);
void cli_paths_free(cli_paths *paths);
// Takes the rows one after the other (cli_rows_each(); `paths` is a cli_paths).
int cli_paths_take(void *paths, uint64_t row, const double *values);
// All rows of a job's file.
int cli_paths_join(cli_paths *paths, const cli_row_job *job, const ww_array_file *file);

// An .npy of pair, i and j, or lines of them; NULL: to standard output.
int cli_paths_write(const ww_paths *found, const char *path);
// "distances" and "paths": [...], without their cells where a file has these.
void cli_paths_json(cli_json *json, const ww_paths *found, bool cells);

#endif
