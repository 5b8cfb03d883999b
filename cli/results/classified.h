// SPDX-License-Identifier: Apache-2.0
// Classification by the nearest series, and its reports.
#ifndef WAVEWARP_CLI_CLASSIFIED_H
#define WAVEWARP_CLI_CLASSIFIED_H

#include "base/json.h"

typedef struct cli_classified {
    ww_classification found; // the library's; the caller frees it
    size_t k, train;         // neighbours, and training series
    const char *measure;     // its name
    int64_t euclid;          // correct ones by the Euclidean distance, CLI_EUCLID_NONE: not defined
    const char **classes, **test_classes;
    int64_t *labels; // of each test series among test_classes, -1: none
} cli_classified;

// All but `found` and `euclid`; the names are the sets'.
int cli_classified_make(const ww_measure *measure, const ww_series_set *train, const ww_series_set *test, size_t k,
                        cli_classified *c);
void cli_classified_free(cli_classified *c);

// The lines about accuracy and measure; the table of classes, where there are labels.
void cli_classified_print(const cli_classified *c);
void cli_classified_print_confusion(const cli_classified *c);
// "method" to "confusion".
void cli_classified_json(cli_json *json, const cli_classified *c, const char *method, const char *average);
int cli_classified_save(const cli_classified *c, const char *path);

#endif
