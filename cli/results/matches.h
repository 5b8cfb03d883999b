// SPDX-License-Identifier: Apache-2.0
// The matches of a search, and their output.
#ifndef WAVEWARP_CLI_MATCHES_H
#define WAVEWARP_CLI_MATCHES_H

#include "base/json.h"

typedef struct cli_matches {
    size_t queries, k;
    ww_precision precision;
    ww_match *matches; // queries x k
    size_t *found;     // of each query
} cli_matches;

// Room for the matches.
int cli_matches_allocate(cli_matches *m);
void cli_matches_free(cli_matches *m);

// Lines of query, stream, begin, end and distance into a file (.csv: with a first line of names, by commas), or, with
// NULL, to standard output.
int cli_matches_write(const cli_matches *m, const char *path);
// "matches": [...], a list a query.
void cli_matches_json(cli_json *json, const cli_matches *m);

#endif
