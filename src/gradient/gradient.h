// SPDX-License-Identifier: Apache-2.0
// What the files of gradient/ share: the prepared gradient, and a batch of its tasks.
//
// A task is a pair to be computed: one of the caller's, or with `divergence` a series with itself. Outputs are sums
// over tasks: each task has entries in the lists of the outputs that it contributes to.
#ifndef WAVEWARP_GRADIENT_INTERNAL_H
#define WAVEWARP_GRADIENT_INTERNAL_H

#include <wavewarp/gradient.h>

#include "base/pace.h"
#include "engine/bands.h"
#include "gradient/gradient_args.h"
#include "jobs/plan.h"

#define WWI_OTHER_SIDE 0x80000000u // of a series' id: it is one of the columns

// A pair to be computed. `pair`: the caller's, or NO_PAIR.
#define WWI_NO_PAIR UINT32_MAX
typedef struct wwi_gradient_pair {
    uint32_t x_id, y_id, n, m, pair;
} wwi_gradient_pair;

// The entries of a batch in one kind of output, on the device.
typedef struct wwi_gradient_list {
    wwi_buffer *entries, *begins, *outputs;
    uint32_t count; // outputs that have entries
    uint32_t most;  // points of the longest
    bool many;      // the outputs have so many entries, on average, that several work-items share them
} wwi_gradient_list;

// Tasks that are computed at a time: `count` from `first` of the sorted ones.
typedef struct wwi_gradient_batch {
    size_t first, count;
    uint32_t stride;                        // tasks side by side
    bool whole;                             // a work-item computes a whole pair
    bool chained[2];                        // forward, back: a strip of a pair, in one launch
    uint64_t head;                          // by tiles: words before the values of pairs
    uint32_t tall, wide, segment, segments; // most blocks; columns of blocks of a segment, and how many there are
    uint64_t cells;
    uint64_t packed, carried, checkpoints, edges, slopes, sums; // values of the buffers
    uint64_t more_checkpoints;                                  // of a second buffer of checkpoints
    size_t later;                                               // the first task whose checkpoints are there
    wwi_buffer *tasks, *band;
    // Many channels: values of the table of costs; its series, where each task's costs are, and the first tile of each
    // in the kernels of costs, of slopes by rows and of those by columns; how many tiles there are.
    uint64_t table;
    wwi_buffer *table_order, *table_places, *table_tiles[3];
    uint32_t tiles[3];
    wwi_gradient_list rows, columns, pairs;
} wwi_gradient_batch;

// The passes, compiled for a number of tasks side by side.
typedef struct wwi_gradient_program {
    wwi_program *program;
    wwi_kernel *forward, *backward;
} wwi_gradient_program;

// The sizes of blocks and programs.
typedef struct wwi_gradient_form {
    uint32_t channels, passes, parts; // channels of a point, passes over single ones, values of a point
    uint32_t rows, columns, vector, group, slope_channels, parameters; // of a block; of the program
    bool before, border;
    int registers;     // a point is held in registers
    bool tabled;       // costs come from a table (engine/cost_table.h)
    bool weighed;      // W goes to a table, from which slopes are summed: with costs from a table, else by tiles
    int tiles;         // of soft-DTW: gradient_soft_*.cl, 1 by pairs, 2 also by products; 0: the texts of all measures
    uint32_t noted;    // values of a block that are its checkpoint
    bool may_chain;    // of tiles: a strip's work-item may wait for another's
    uint32_t chunk;    // of tiles: row-steps of a work-item on a diagonal
    bool wave;         // gradient_wave.cl: a work-group has a pair, a work-item a row
    bool direct;       // by waves or tiles: each output is one task's, and is written where the caller has it
    uint32_t across;   // with a table: channels of a tile of slopes
    size_t args_bytes; // of ww_gradient_args that a kernel takes
} wwi_gradient_form;

// As large as the largest batch so far.
typedef struct wwi_gradient_scratch {
    wwi_buffer *packed, *carried, *adjoints, *checkpoints, *more_checkpoints, *edges, *slopes, *sums, *ends, *upstream;
    wwi_buffer *table, *weights; // of costs; by tiles of W, else it takes their places
} wwi_gradient_scratch;

typedef struct wwi_gradient_side {
    ww_dataset *given; // as the caller gave it, before it is derived
    uint32_t *of;      // the series of each pair
    size_t *begin;     // divergence: where each series' pairs begin in `pairs`
    uint32_t *pairs;
    uint64_t *offsets; // of each output, in values
} wwi_gradient_side;

struct ww_gradient {
    wwi_pairing pair;
    ww_gradient_options options; // `run` is read when it is created
    wwi_gradient_side sides[2];  // rows and columns
    size_t first, count;         // the caller's pairs; of a part the first of them, else 0
    wwi_gradient_pair *tasks;    // sorted by length
    size_t task_count;
    uint64_t *alignment_offsets; // of each pair
    uint32_t longest;
    size_t all; // pairs of the whole of which it is a part
    wwi_gradient_form form;
    wwi_gradient_program blocks[3]; // for tasks alone, side by side, and likewise by strips in one launch
    wwi_program *sums;
    wwi_kernel *pack, *by_border, *by_single, *by_series, *by_pairs;
    wwi_program *table_program; // with a table of costs
    wwi_kernel *fill, *slopes;
    wwi_pace pace;
    double rate, waiting; // cells a second; cells enqueued since the last look at the clock
    double guess;         // `rate` before the first launch
    uint64_t max_bytes;
    wwi_gradient_scratch scratch;
    wwi_team *team;          // several devices divide the pairs; each makes a part's gradient when it is run
    wwi_gradient_batch kept; // the only one, where all tasks are one batch
    bool is_kept, pending;
    double start_seconds;
    ww_gradient_info info;
};

// Pairs [first, first + count) of a whole, on one device: a gradient of these alone, whose weights have as many values
// a pair as the whole's.
ww_status wwi_gradient_create_part(const ww_gradient *whole, ww_dataset *rows, ww_dataset *columns, size_t first,
                                   size_t count, const ww_run_options *run, ww_gradient **part);
// ww_gradient_run() on one device.
ww_status wwi_gradient_run_alone(ww_gradient *g, const ww_gradient_outputs *outputs);

// What a run computes, in device memory; NULL: it is not wanted.
typedef struct wwi_gradient_targets {
    wwi_buffer *values, *rows, *columns, *parameters, *weights, *alignment, *upstream;
} wwi_gradient_targets;

#define WWI_WAVE_AT_ONCE ((uint64_t)12 << 30) // bytes of a batch by waves
#define WWI_WAVE_BESIDE 40                    // columns that a wave's rows have besides in gradient_wave.cl
#define WWI_TILE_AHEAD 512                    // work-items of the pass forward by tiles a compute unit, all at once
#define WWI_SIDE_BY_SIDE 32                   // tasks whose values lie side by side on a GPU
// Chooses the sizes; compiles the program of sums and makes its kernels.
ww_status wwi_gradient_build(ww_gradient *g);
// The passes for so many tasks side by side.
ww_status wwi_gradient_passes(ww_gradient *g, uint32_t stride, bool chained);
// The batch from task `first` on that fits; its tables are uploaded. It is to be closed, also after a failure.
// WW_ERROR_DEVICE_MEMORY.
ww_status wwi_gradient_batch_make(ww_gradient *g, size_t first, wwi_gradient_batch *batch);
void wwi_gradient_batch_close(wwi_gradient_batch *batch);
// Enqueues a batch.
ww_status wwi_gradient_batch_run(ww_gradient *g, const wwi_gradient_batch *batch, const wwi_gradient_targets *to);

#endif
