// SPDX-License-Identifier: Apache-2.0
// Hash tables by their options.
#ifndef WAVEWARP_CLI_LSH_OPTIONS_H
#define WAVEWARP_CLI_LSH_OPTIONS_H

#include "base/point_options.h"
#include "results/neighbours.h"

#define CLI_LSH_NOT_GIVEN UINT64_MAX
#define CLI_LSH_NO_METRIC (-1)

extern const char *const cli_lsh_paths[]; // as enum ww_lsh_path counts them

// What the options say of tables and their search.
typedef struct cli_lsh_wanted {
    const char *width;
    uint64_t tables, functions, probes, candidates, seed; // CLI_LSH_NOT_GIVEN until they are set
    int metric, path;                                     // metric CLI_LSH_NO_METRIC until it is given
    bool complete;
} cli_lsh_wanted;

#define CLI_LSH_WANTED_INIT                                                                                            \
    {                                                                                                                  \
        .tables = CLI_LSH_NOT_GIVEN, .functions = CLI_LSH_NOT_GIVEN, .probes = CLI_LSH_NOT_GIVEN,                      \
        .candidates = CLI_LSH_NOT_GIVEN, .seed = CLI_LSH_NOT_GIVEN, .metric = CLI_LSH_NO_METRIC                        \
    }

#define CLI_LSH_OPTIONS(w)                                                                                             \
    CLI_ONE_OF("metric", 'm', "M",                                                                                     \
               "distance of two points; l2, l2-squared, l1, cosine, hamming, jaccard and jaccard-bits can be hashed",  \
               &(w).metric, cli_metrics),                                                                              \
        CLI_NUMBER("tables", 'L', "L", "tables, default 10", &(w).tables, 1),                                          \
        CLI_NUMBER("functions", 'M', "M", "hash functions of a table, default 10, at most 64", &(w).functions, 1),     \
        CLI_OPTION("width", 'w', CLI_TEXT, "W", "l2 and l1: width of a segment, default 1.5", &(w).width),             \
        CLI_NUMBER("probes", 'P', "P", "buckets that a query looks into in every table, default 1", &(w).probes, 1),   \
        CLI_ONE_OF("path", 0, "P", "search by buckets or by queries, default auto", &(w).path, cli_lsh_paths),         \
        CLI_NUMBER("candidates", 0, "N",                                                                               \
                   "by queries: points that a query looks at, at most; default 2048, up to 4096", &(w).candidates, 1), \
        CLI_SWITCH("complete", 0, "search exactly for queries that find fewer than K points", &(w).complete),          \
        CLI_NUMBER("seed", 's', "N", "the same seed gives the same tables, default 1", &(w).seed, 0)

// Checks width and k, and fills the options but for `run`. Bits are searched as sets, whose metric the options get.
int cli_lsh_take(const char *command, const cli_lsh_wanted *wanted, uint64_t k, ww_lsh_options *options);
// Reads points of this metric, which is not of bits; `bits`: given as bits, they become sets.
int cli_lsh_read(const char *path, ww_metric metric, bool bits, ww_point_set **set, ww_point_view *view);
// Says on standard error which queries found too many or too few points.
void cli_lsh_say(const ww_lsh_info *info, const ww_lsh_options *options, size_t k);

#endif
