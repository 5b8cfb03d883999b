// SPDX-License-Identifier: Apache-2.0
// Warping paths: what the files of path/ share, and what learn/ uses of it.
#ifndef WAVEWARP_PATH_INTERNAL_H
#define WAVEWARP_PATH_INTERNAL_H

#include <wavewarp/path.h>

#include "jobs/plan.h"
#include "path/costs_args.h"
#include "path/path_args.h"

// Pairs whose paths have been found, and lie on the device until the function that is given them returns.
typedef struct wwi_path_batch {
    const uint32_t *pairs; // (row, column, number of the pair in the batch) each, in the order of the table
    size_t count;
    const uint32_t *numbers; // of the plan's pairs, by the number in the batch
    wwi_buffer *table;       // a ww_path_pair each
    wwi_buffer *steps;       // two bits a step
    uint64_t step_words;     // of all pairs
    wwi_buffer *values;      // results, by the number in the batch
    wwi_slice row, column;
} wwi_path_batch;
typedef ww_status (*wwi_path_take)(void *user, const wwi_path_batch *batch);

extern const wwi_job_class wwi_paths_job, wwi_costs_job;

// Finds the paths of pairs [first, first + pairs) of a plan and gives each batch to `take`. Between wwi_plan_start()
// and wwi_plan_end().
ww_status wwi_paths_find(ww_plan *plan, size_t first, size_t pairs, wwi_path_take take, void *user);
// ww_plan_run_paths() for these pairs alone, counted from 0 in the record.
// Memory for so many cells in all, which ww_paths_free() takes back by paths->offsets.
ww_status wwi_paths_hold(ww_paths *paths, uint64_t cells);
ww_status wwi_plan_run_some_paths(ww_plan *plan, size_t first, size_t pairs, ww_paths *paths);
// Most steps of a path: cells, and the border's.
uint64_t wwi_path_most_steps(uint32_t n, uint32_t m);

// What a plan of paths keeps from run to run.
typedef struct wwi_paths {
    wwi_buffer *table, *edges, *directions, *steps, *values;
} wwi_paths;

// How a batch is laid out (src/path/path_tiles.c).
typedef struct wwi_path_tiles {
    bool lanes, whole;       // lanes: path_lanes.cl, else path_packed.cl
    uint32_t width, columns; // lanes of a tile, columns of each; packed: lanes of the vector, 1
    uint32_t step, group;    // rows a step; work-group
    uint32_t tile_rows, tile_columns;
    uint64_t workers;         // work-groups that compute directions at a time
    uint64_t forward_workers; // and that compute tiles for their lines
    uint64_t groups;          // tiles with directions at a time; lanes: pairs of a launch
    uint64_t direction_words; // of a tile, packed: of a worker
    uint64_t edge_values;     // of a tile that is a matrix
    uint64_t scratch;         // vectors of a worker
    uint64_t fixed_bytes;     // directions, scratch and own edges of all tiles at a time
} wwi_path_tiles;
struct wwi_runner;
// For `count` pairs of up to n and m points, within `budget` bytes. WW_ERROR_DEVICE_MEMORY where one of them does not
// fit.
ww_status wwi_path_tiles_choose(const struct wwi_runner *runner, size_t count, uint32_t n, uint32_t m, uint64_t budget,
                                wwi_path_tiles *tiles);
// Bytes that a pair takes besides.
uint64_t wwi_path_pair_bytes(const struct wwi_runner *runner, const wwi_path_tiles *tiles, uint32_t n, uint32_t m);
// Values of a pair's lines between tiles.
uint64_t wwi_path_lines(const wwi_path_tiles *tiles, uint32_t n, uint32_t m);

#endif
