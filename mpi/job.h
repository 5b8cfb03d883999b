// SPDX-License-Identifier: Apache-2.0
// A job of the ranks: units from one counter, which each rank computes into one file, or parts of a folder.
#ifndef WAVEWARP_MPI_JOB_H
#define WAVEWARP_MPI_JOB_H

#include "base/json.h"
#include "base/precision.h"
#include "base/rows.h"
#include "base/series_job.h"
#include "base/tiles.h"
#include "ranks.h"
#include "restart.h"
#include "results/classified.h"
#include "results/gradients.h"
#include "results/lsh_rows.h"
#include "results/neighbours.h"
#include "results/paths.h"
#include "results/point_rows.h"
#include "results/profiles.h"
#include "results/search_job.h"
#include "results/series_rows.h"

// How many units there are for a rank, so that all end together.
enum { RANK_UNITS_EACH = 32 };

typedef struct rank_job rank_job;

typedef struct rank_kind {
    const char *name;
    int sets, most; // files, at least and at most
    // Gives every rank the inputs; called by all together.
    int (*read)(rank_job *j);
    // On every rank: uploads, and says what the work is.
    int (*prepare)(rank_job *j);
    // Computes a unit's marks into the file.
    int (*run)(rank_job *j, uint64_t first, uint64_t count);
    // All of a part, for `wavewarp merge`.
    int (*part)(rank_job *j, cli_division *part);
    // On rank 0: writes the outputs from the file. NULL: it is the output.
    int (*finish)(rank_job *j);
    // The job's own options, of which --output and --json go to j->wanted; NULL: it has none.
    int (*check)(rank_job *j);
} rank_kind;

// Unit i has the marks [i * each, (i + 1) * each): tiles of a matrix, pairs, queries.
typedef struct rank_work {
    uint64_t marks, each;
    ww_precision precision; // of the file
    uint64_t rows, columns; // of the file; columns 0: a list
    char *options;          // of the journals
    char inputs[256];
    char *path; // of the file
    ww_array_file *file;
    void *values; // of a unit
} rank_work;

// Points in place of series.
typedef struct rank_points {
    int metric;
    const char *radius_text;
    double radius; // INFINITY: none
    rank_view all[2];
    ww_points *base;
    ww_knn *knn;
    cli_point_rows rows;
} rank_points;

// Matches of queries in streams, sets[1] or a file of plain numbers that every rank reads.
typedef struct rank_search {
    cli_search_wanted wanted;
    ww_search_options options;
    cli_raw_stream raw; // file -1: sets[1]
    cli_search_units units;
} rank_search;

typedef struct rank_profile {
    cli_profile_wanted wanted;
    cli_profile_units units;
} rank_profile;

// Classes of sets[1] by sets[0].
typedef struct rank_classes {
    const char *predictions;
    cli_classify_rows rows;
} rank_classes;

typedef struct rank_gradient {
    int of;
    bool divergence;
    cli_gradient_rows rows;
} rank_gradient;

// Of the points that rank_points has.
typedef struct rank_lsh {
    cli_lsh_wanted asked;
    ww_lsh_options options;
    ww_points *queries; // NULL: the base
    ww_lsh *tables;
    cli_lsh_rows rows;
} rank_lsh;

struct rank_job {
    const rank_kind *kind;
    cli_series_job s;                    // of one device; its sets are those of all ranks
    const char *paths[CLI_MOST_QUERIES]; // the second NULL: the first set with itself
    size_t path_count;
    cli_neighbour_options wanted; // output and json of all jobs
    bool share, any_device, resume, no_bounds;
    const char *checkpoint, *parts;
    uint64_t tile, part_count;
    ww_plan *plan;
    rank_work work;
    cli_tile_shape shape; // of a matrix
    cli_row_job rows;     // of others
    cli_series_rows series;
    rank_points points;
    rank_search search;
    rank_profile profile;
    rank_classes classes;
    cli_path_rows path_rows;
    rank_gradient gradient;
    rank_lsh lsh;
    restart restart;
    uint64_t done; // marks of this rank
    double seconds;
};

#define RANK_OPTIONS(j)                                                                                                \
    CLI_NUMBER("tile", 0, "N", "a tile's rows and columns, queries or pairs; else by work", &(j).tile, 1),             \
        CLI_OPTION("checkpoint", 0, CLI_MADE, "FILE", "keep a journal for each rank there", &(j).checkpoint),          \
        CLI_OPTION("parts", 0, CLI_TEXT, "DIR", "write parts for 'wavewarp merge', not a shared file", &(j).parts),    \
        CLI_NUMBER("count", 0, "N", "number of --parts; some for each rank", &(j).part_count, 1),                      \
        CLI_SWITCH("resume", 0, "go on from --checkpoint, or with --parts", &(j).resume),                              \
        CLI_SWITCH("share-devices", 0, "several ranks may use one device", &(j).share),                                \
        CLI_SWITCH("any-device", 0, "devices may differ, and last bits with them", &(j).any_device),                   \
        CLI_DEVICE_OPTIONS((j).s.device)
#define RANK_SERIES_OPTIONS(j)                                                                                         \
    CLI_MEASURE_OPTIONS((j).s.measure_options), CLI_ENGINE_OPTION((j).s.device), CLI_READ_OPTIONS((j).s.read)

// A context a rank, of devices that fit together.
int rank_devices_open(rank_job *j);
// Gives every rank the sets that rank 0 read, where `result` is how it went; reads those of the files, too.
int rank_share_sets(rank_job *j, int result, bool two);
int rank_read_sets(rank_job *j, bool complete);
// Reads series, and fits the measure to them.
int rank_read_series(rank_job *j);
// Reads points of this metric; `bits`: sets that are given as bits.
int rank_read_points(rank_job *j, ww_metric metric, bool bits);
// Parses the arguments, and does the job. Called by all ranks; frees what the job has.
int rank_job_run(rank_job *j, const cli_command *command, const cli_option *options, size_t count, int argc,
                 char **argv);

// Jobs by rows, j->rows: how many a unit has and what a journal says; a unit; a part.
int rank_rows_prepare(rank_job *j);
int rank_rows_run(rank_job *j, uint64_t first, uint64_t count);
int rank_rows_part(rank_job *j, cli_division *part);
int rank_finish_neighbours(rank_job *j);

extern const rank_kind rank_matrix, rank_pairs, rank_nearest, rank_knn, rank_search_kind, rank_profile_kind, rank_path,
    rank_classify, rank_gradient_kind, rank_lsh_kind;

#endif
