// SPDX-License-Identifier: Apache-2.0
// Jobs whose units are rows of a file: of their result (pairs, queries), or what each unit found, which is joined at
// the end (parts of streams, rectangles of windows). They are computed run by run into the file, by one run of the
// program or several (division.h).
#ifndef WAVEWARP_CLI_ROWS_H
#define WAVEWARP_CLI_ROWS_H

#include <math.h>

#include "base/series_job.h"

typedef struct cli_row_job {
    const char *name;
    const ww_series_set *sets[2];               // the inputs; the second may be NULL
    const ww_point_view *points[2];             // or these
    const char *more;                           // one line of what else the values depend on; NULL: nothing
    const char *stream;                         // the sum of an input that is no set; NULL: there is none
    cli_series_job *s;                          // device, progress, and how the measure was given
    const ww_measure *measure;                  // NULL: none
    uint64_t rows, columns, k;                  // of the result; columns 0: a list
    ww_precision precision, result;             // of the file, and of the values in it
    double (*weight)(void *user, uint64_t row); // a row's work, in any unit
    // Computes rows [first, first + count) into `values`; CLI_GO_ON, or the exit code after the error was reported.
    int (*compute)(void *user, uint64_t first, uint64_t count, void *values);
    void *user;
} cli_row_job;

// Rows of doubles over the sets of a job under its measure, but for what a kind of row sets itself.
cli_row_job cli_rows_of(cli_series_job *s);

// What the options of the journal begin with.
typedef struct cli_row_shape {
    uint64_t rows, columns, k, parts;
    ww_precision precision; // of the result
    const char *more;       // of the job; in the text
} cli_row_shape;
bool cli_row_shape_read(const char *text, cli_row_shape *shape);

// Values of a row in the file.
static inline size_t cli_row_values(const cli_row_job *job) {
    return job->columns ? (size_t)job->columns : 1;
}
// What a journal of the job says: options (NULL: not enough memory) and inputs, which begin as "".
char *cli_rows_options(const cli_row_job *job, uint64_t parts);
int cli_rows_inputs(const cli_row_job *job, char inputs[256]);

// Whether a value of a row, as a file has it, is a whole number from -1 to `most`: no index else.
static inline bool cli_row_index(double value, double most) {
    return value >= -1 && value <= most && value == floor(value);
}
#define CLI_ROW_MOST 9e15 // below 2^53

// Computes the rows that are not done. `whole`, rows x columns values: takes all of them; NULL: they are in d->file. A
// part is finished then; of a checkpoint the caller does so when it has written its outputs.
int cli_rows_run(cli_division *d, const cli_row_job *job, void *whole);

// Gives `take` rows [first, first + count) of the job, of `columns` doubles each, which are all that a file has.
int cli_rows_each(const ww_array_file *file, uint64_t first, uint64_t count, uint64_t columns,
                  int (*take)(void *user, uint64_t row, const double *values), void *user);

#endif
