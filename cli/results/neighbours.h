// SPDX-License-Identifier: Apache-2.0
// The k nearest of every query and their output: printed, in JSON, to files. For nearest, knn and lsh.
#ifndef WAVEWARP_CLI_NEIGHBOURS_H
#define WAVEWARP_CLI_NEIGHBOURS_H

#include "base/json.h"

typedef struct cli_neighbours {
    size_t queries, k;
    ww_precision precision;
    int64_t *ids; // queries x k, -1 behind the last
    void *distances;
} cli_neighbours;

typedef struct cli_neighbour_options {
    uint64_t k;
    const char *output, *ids, *distances;
    bool json;
} cli_neighbour_options;

#define CLI_NEIGHBOUR_OPTIONS(n)                                                                                       \
    CLI_NUMBER("k", 'k', "K", "neighbours of every query, default 1; of points at most 1048576, by hashing 1024",      \
               &(n).k, 1),                                                                                             \
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "write the lines there; .csv: query,index,distance",             \
                   &(n).output),                                                                                       \
        CLI_OPTION("ids", 0, CLI_OUTPUT, "FILE", "write the indices there: .ivecs, .npy (64-bit integers), else text", \
                   &(n).ids),                                                                                          \
        CLI_OPTION("distances", 0, CLI_OUTPUT, "FILE", "write the distances there: .fvecs, .npy, else text",           \
                   &(n).distances),                                                                                    \
        CLI_SWITCH("json", 'j', "print one JSON object", &(n).json)

// Room for queries x k of them.
int cli_neighbours_allocate(cli_neighbours *n);
void cli_neighbours_free(cli_neighbours *n);
// The first file that is asked for; NULL: none is.
const char *cli_neighbours_output(const cli_neighbour_options *options);

// Writes the files that were asked for, and prints a line a query (its index, then index:distance of each neighbour)
// where neither a file nor JSON was.
int cli_neighbours_write(const cli_neighbours *n, const cli_neighbour_options *options);
// Whether the neighbours are written in the JSON: no file has them.
bool cli_neighbours_in_json(const cli_neighbour_options *options);
// "neighbours": [...], null where a file has them.
void cli_neighbours_json(cli_json *json, const cli_neighbours *n, const cli_neighbour_options *options);

#endif
