// SPDX-License-Identifier: Apache-2.0
// A search's options, what it reads, and its units: runs of the streams' points for windows, else a query in some of
// the streams. For the command and the ranks of wavewarp-mpi.
#ifndef WAVEWARP_CLI_SEARCH_JOB_H
#define WAVEWARP_CLI_SEARCH_JOB_H

#include "base/series_job.h"
#include "results/matches.h"

enum { CLI_MOST_QUERIES = 32 }; // files of them

extern const char *const cli_search_kinds[];

typedef struct cli_search_wanted {
    cli_list streams;
    uint64_t k, exclusion; // UINT64_MAX: half of the query
    const char *threshold, *output;
    int kind; // 0: windows with --znorm, else open; or 1 more than of ww_search_kind
    bool json, no_bounds;
} cli_search_wanted;

#define CLI_SEARCH_WANTED_INIT                                                                                         \
    { .k = 1, .exclusion = UINT64_MAX }
#define CLI_SEARCH_OPTIONS(w)                                                                                          \
    CLI_OPTION("in", 'i', CLI_INPUTS, "STREAM",                                                                        \
               "where to search; may be given several times; '-' with --threshold: follows", &(w).streams),            \
        CLI_NUMBER("k", 'k', "N", "matches for each query, default 1", &(w).k, 1),                                     \
        CLI_ONE_OF_OR_NONE(                                                                                            \
            "kind", 0, "K",                                                                                            \
            "matches: of any length (default), windows as long as the query (default with --znorm), or "               \
            "streams in queries",                                                                                      \
            &(w).kind, cli_search_kinds),                                                                              \
        CLI_NUMBER("exclusion", 0, "N", "least distance of two matches, default half of the query", &(w).exclusion,    \
                   0),                                                                                                 \
        CLI_OPTION("threshold", 0, CLI_TEXT, "D", "only matches with distances up to D", &(w).threshold),              \
        CLI_SWITCH("no-bounds", 0, "compute every window in full", &(w).no_bounds),                                    \
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE",                                                                  \
                   "write the matches there; .csv: query,stream,begin,end,distance", &(w).output),                     \
        CLI_SWITCH("json", 'j', "print one JSON object", &(w).json)

// The library's options; `znormalise`: windows.
int cli_search_options(const cli_search_wanted *wanted, bool znormalise, const cli_device_options *device,
                       ww_search_options *options);

// Whose files are read: queries have no missing values, and --columns chooses in those of a heading alone where it has
// names, or where the stream is followed.
typedef enum cli_search_files { CLI_STREAMS, CLI_QUERIES, CLI_QUERIES_OF_LIVE } cli_search_files;

// Appends the series of files; *all begins as NULL.
int cli_search_read(const char *const *paths, size_t count, const cli_read_options *read, cli_search_files files,
                    ww_series_set **all);

// A stream of plain numbers, in a file of any length, read where it is searched.
typedef struct cli_raw_stream {
    int file;     // -1: none
    size_t bytes; // of a point
    ww_search_source source;
} cli_raw_stream;
bool cli_raw_named(const char *path); // .f32, .f64
int cli_raw_open(const char *path, size_t channels, cli_raw_stream *raw);
void cli_raw_close(cli_raw_stream *raw);
// Whether float holds a file of plain doubles: pieces all over it tell. Else takes double, as cli_precision_of_sets().
int cli_raw_precision(cli_raw_stream *raw, cli_series_job *s, const char *path);
// Points [first, first + count), as the file has them; 0, or 1: can't be read. `user` is a cli_raw_stream.
int cli_raw_read(void *user, uint64_t first, size_t count, void *values);

#endif
