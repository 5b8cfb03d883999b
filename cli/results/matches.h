// SPDX-License-Identifier: Apache-2.0
// The matches of a search: as rows of a file of doubles, joined from them, and their output. For search, merge and the
// ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_MATCHES_H
#define WAVEWARP_CLI_MATCHES_H

#include "base/rows.h"

typedef struct cli_matches {
    size_t queries, k;
    ww_precision precision;
    ww_match *matches; // queries x k
    size_t *found;     // of each query
    // Joined from units:
    size_t places; // of a part of the streams; 0: a unit is a query in some of the streams
    bool similarity;
    ww_match *joined, *own; // queries x places: of the units so far, and of one
    size_t *exclusions;
} cli_matches;

// Room for the matches, and for what is joined. queries, k, precision, places and similarity are set.
int cli_matches_allocate(cli_matches *m);
void cli_matches_free(cli_matches *m);

// "queries 3 k 5 places 40 similarity 0", as what a journal says of the job begins.
void cli_matches_shape(const cli_matches *m, char *text, size_t size);
bool cli_matches_shape_read(const char *text, cli_matches *m);

// A row: of each of its queries (all, or the unit's one) the exclusion, and four values a place.
size_t cli_matches_columns(const cli_matches *m);
// `exclusions` NULL: 0. `matches` NULL: no places.
void cli_matches_pack(size_t queries, size_t places, const size_t *exclusions, const ww_match *matches, double *row);
// Joins a row of the job (cli_rows_each(); `m` is a cli_matches).
int cli_matches_take(void *m, uint64_t row, const double *values);
// When all are joined: the matches.
int cli_matches_choose(cli_matches *m);
// All rows of a job's file.
int cli_matches_join(cli_matches *m, const cli_row_job *job, const ww_array_file *file);

// Lines of query, stream, begin, end and distance into a file (.csv: with a first line of names, by commas), or, with
// NULL, to standard output.
int cli_matches_write(const cli_matches *m, const char *path);
// "matches": [...], a list a query.
void cli_matches_json(cli_json *json, const cli_matches *m);

#endif
