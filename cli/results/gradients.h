// SPDX-License-Identifier: Apache-2.0
// Gradients of pairs: as rows of a file of doubles, what is joined from them, and their output. For gradient, merge and
// the ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_GRADIENTS_H
#define WAVEWARP_CLI_GRADIENTS_H

#include "base/rows.h"

extern const char *const cli_gradient_sides[]; // by the series of X, of Y

typedef struct cli_gradients {
    ww_precision precision;
    size_t pairs, channels, parameters; // parameters: values of a pair, 0 none
    size_t longest, cells;              // most points of a series; cells of an alignment, 0: it is not wanted
    size_t label;                       // most bytes of a label
    ww_series_set *set;                 // a series for each pair
    size_t joined;                      // pairs in it
    uint64_t at, cells_at;              // their values, and cells
    void *values, *slopes, *by_parameters, *alignment;
} cli_gradients;

// "channels 1 parameters 0 longest 40 cells 0 label 3", as what a journal says of the job begins.
enum { CLI_GRADIENTS_MORE = 200 };
bool cli_gradients_shape_read(const char *text, cli_gradients *g);
size_t cli_gradients_columns(const cli_gradients *g);
// Begins to join rows. The sizes are set.
int cli_gradients_begin(cli_gradients *g);
// Joins a row of the job (cli_rows_each(); `g` is a cli_gradients), in the order of the pairs.
int cli_gradients_take(void *g, uint64_t row, const double *values);
// All rows of a job's file.
int cli_gradients_join(cli_gradients *g, const cli_row_job *job, const ww_array_file *file);
void cli_gradients_free(cli_gradients *g);

// Room for what such a gradient gives, by the series of X or (`of`) of Y, and its outputs, which are in `each`; where
// `parameters` and `cells` are 0 without these.
int cli_gradients_outputs(cli_gradients *g, const ww_gradient_info *info, int of, ww_output each[4],
                          ww_gradient_outputs *to);

// Adds a series of these values, from `at` on, to a set; *at is moved.
int cli_gradients_add(ww_series_set *set, ww_precision precision, const void *values, uint64_t *at, size_t length,
                      const char *label);
// Writes the gradient; NULL, "-": text to standard output.
int cli_gradients_write(const cli_gradients *g, const char *path);
// "values", "by_parameters" and "gradient"; `listed`: the gradient is not in a file.
void cli_gradients_json(cli_json *json, const cli_gradients *g, bool listed);

// ---- rows

typedef struct cli_gradient_rows {
    cli_series_job *s;
    int of; // 0: by the series of X, 1: of Y
    ww_gradient_options options;
    ww_gradient_info did; // of all runs
    cli_gradients shape;  // what rows have
    size_t shorter;       // points that an alignment leaves out
    char more[CLI_GRADIENTS_MORE], labels[66];
} cli_gradient_rows;

// Says what the rows of cli_rows_of() are.
int cli_gradients_divide(cli_gradient_rows *rows, cli_row_job *job);

#endif
