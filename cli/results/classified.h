// SPDX-License-Identifier: Apache-2.0
// Classification by the nearest series: as rows of a file of doubles, what is joined from them, and its reports. For
// classify, merge and the ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_CLASSIFIED_H
#define WAVEWARP_CLI_CLASSIFIED_H

#include "results/series_rows.h"

typedef struct cli_classified {
    ww_classification found; // of the library, or else joined
    bool joined;
    size_t k, train;     // neighbours, and training series
    const char *measure; // its name
    int64_t euclid;      // correct ones by the Euclidean distance, CLI_EUCLID_NONE: not defined
    char *text;          // of all names
    const char **classes, **test_classes;
    size_t test_class_count;
    int64_t *numbers; // of each class of the test set that in the train set, -2: none
    int64_t *labels;  // of each test series among test_classes, -1: none
} cli_classified;

// From such a line: all but `found`, labels and euclid.
bool cli_classified_shape_read(const char *text, size_t k, size_t total, cli_classified *c);
// Of sets that are here: `found` is still the library's.
int cli_classified_make(const ww_measure *measure, const ww_series_set *train, const ww_series_set *test, size_t k,
                        cli_classified *c);
// Begins to join rows, and joins one (cli_rows_each(); `c` is a cli_classified).
int cli_classified_begin(cli_classified *c);
int cli_classified_take(void *c, uint64_t row, const double *values);
// All rows of a file, `text` as of cli_classified_shape_read().
int cli_classified_join(cli_classified *c, const char *text, size_t k, uint64_t rows, const ww_array_file *file);
void cli_classified_free(cli_classified *c); // of `found` only what was joined

// The lines about accuracy and measure; the table of classes, where there are labels.
void cli_classified_print(const cli_classified *c);
void cli_classified_print_confusion(const cli_classified *c);
// "method" to "confusion".
void cli_classified_json(cli_json *json, const cli_classified *c, const char *method, const char *average);
int cli_classified_save(const cli_classified *c, const char *path);

// ---- rows

enum { CLI_CLASSIFIED_COLUMNS = 3 };
typedef struct cli_classify_rows {
    cli_series_job *s; // the train and the test set; of the datasets the first
    ww_classifier *classifier;
    ww_classification did; // counts and times of all runs
    char *more;
} cli_classify_rows;

// Says what the rows of cli_rows_of() are, test series.
int cli_classify_divide(cli_classify_rows *rows, const ww_classify_options *options, cli_row_job *job);
void cli_classify_end(cli_classify_rows *rows);

#endif
