// SPDX-License-Identifier: Apache-2.0
// What other folders use of engine/: engines by name, and a runner that runs batches of pairs through an engine.
#ifndef WAVEWARP_ENGINE_H
#define WAVEWARP_ENGINE_H

#include <wavewarp/plan.h>

#include "base/launch_args.h"
#include "data/slice.h"
#include "engine/bands.h"
#include "engine/cost_table_args.h"
#include "engine/parameters.h"
#include "measure/measure_table.h"

// Most channels a point may have to be held in registers on a GPU, and in a vector engine's private memory. Beyond the
// first costs come from a table where they can (cost_table.h): it is written and read once, which takes as long as two
// dozen channels do, but points that are read from memory again for each cell take thirty times as long.
#define REGISTER_CHANNELS 16
#define VECTOR_CHANNELS 64

// Pairs whose results go to one buffer.
typedef struct wwi_batch {
    bool list;               // true: `pairs`; false: every row with every column
    const uint32_t *row_ids; // rectangle: by ascending length
    const uint32_t *column_ids;
    size_t row_begin;      // rectangle: first row slot; the ids before it count for `half` alone
    size_t rows, columns;  // ends of the row and column slots; list: rows = number of pairs
    const uint32_t *pairs; // list: (row id, column id, number of the result) each
    wwi_buffer *tasks;     // list: NULL, or the same in device memory, instead: wwi_runner_takes_tasks()
    bool half;             // rectangle: the same ids on both sides; only row slot < column slot
    uint32_t layout;       // WW_RESULTS_...
    uint64_t row_stride, column_stride;
    uint32_t row_base, column_base, count;
    wwi_slice row, column;
    wwi_buffer *out;
    // list: NULL, or radius_k values for each radius_results results, the last of them a radius: a pair found to be
    // farther may be given up, its result is then infinity.
    wwi_buffer *radii;
    uint32_t radius_results, radius_k;
    // NULL, or prepared work: the engine and the roles of rows and columns are its own, so that rounding is the same.
    const struct wwi_work *like;
} wwi_batch;

typedef struct wwi_runner wwi_runner;
typedef struct wwi_work wwi_work;

// The plan's options and its ww_run_options, taken from whatever version's structs.
typedef struct wwi_plan_settings {
    ww_engine engine;
    int no_bounds, one_way;
    uint64_t max_bytes;
    double launch_seconds;
    ww_progress_fn progress;
    void *progress_user;
} wwi_plan_settings;

// Whether it is auto or an engine of the table.
bool wwi_engine_known(ww_engine engine);

// A measure as programs see it.
typedef struct wwi_recurrence {
    ww_context *context;
    wwi_stream *stream;
    ww_measure measure; // what it points to is its owner's
    const wwi_measure_row *row;
    wwi_parameters parameters;
    ww_precision precision;
    uint32_t channels, passes; // of a point; passes over single channels when they are independent
    uint32_t all_channels;     // of the series
    uint32_t extra;            // values of a point beside the channels, of which a kernel sees 0 or 1
    bool banded, open, soft;   // open: ends of the series
    wwi_band_form band;        // how kernels are told of it
    wwi_exchange exchange;
} wwi_recurrence;
// Of a checked measure and series that are derived for it. The stream and what the measure points to are borrowed.
void wwi_recurrence_make(const ww_measure *measure, const ww_dataset *rows, const ww_dataset *columns,
                         wwi_stream *stream, wwi_recurrence *recurrence);
// The same of series that are no dataset; whether a point has an extra value, and its ends are open, is the caller's to
// say.
void wwi_recurrence_of(ww_context *context, wwi_stream *stream, const ww_measure *measure, ww_precision precision,
                       size_t channels, wwi_recurrence *recurrence);

// `rows` and `columns` are borrowed and give lengths. Builds nothing yet.
ww_status wwi_runner_create(const wwi_recurrence *of, ww_dataset *rows, ww_dataset *columns,
                            const wwi_plan_settings *options, wwi_runner **runner);
void wwi_runner_destroy(wwi_runner **runner);

// Starts counting progress towards `total` cells. `enqueue_only`: without a progress function nothing waits between
// launches.
void wwi_runner_start(wwi_runner *runner, uint64_t total, bool enqueue_only);
// After the end of such a run: how long the launches of the next may be follows from the time it took.
void wwi_runner_learn(wwi_runner *runner, double seconds_device);
// Pairs given up since the start.
ww_status wwi_runner_abandoned(const wwi_runner *runner, uint64_t *pairs);
// Counts cells that need not be computed as done.
void wwi_runner_skip(wwi_runner *runner, uint64_t cells);
// Compiles, allocates and uploads what running the batch will need. Nothing is computed; its `out` is not used. The
// work keeps what it needs of the batch but the series; NULL: there is nothing to do. It goes before its runner.
// `work` NULL: none is kept, for a batch much like those to come.
ww_status wwi_runner_prepare(wwi_runner *runner, const wwi_batch *batch, wwi_work **work);
// Series are interleaved anew: after a failure those packs are not known to be there. NULL: nothing.
void wwi_work_forget(wwi_work *work);
void wwi_work_destroy(wwi_work **work);
// Enqueues the work, NULL: none; waits between launches where they must be bounded. Uploads nothing, unless the bands
// or packs are too large for the device at once. WW_ERROR_CANCELLED by the progress function.
ww_status wwi_runner_run(wwi_runner *runner, wwi_work *work, wwi_buffer *out, uint32_t layout);
// Both for a batch that is run once.
ww_status wwi_runner_block(wwi_runner *runner, const wwi_batch *batch);
// The engine of most cells since the start; before, that of the last batch prepared.
ww_engine wwi_runner_engine(const wwi_runner *runner);
// Whether the host has nothing to ask of a list's pairs: all series have one length, and costs are not from tables.
bool wwi_runner_takes_tasks(const wwi_runner *runner);
uint64_t wwi_runner_cells(const wwi_runner *runner);
// Cells of one pair by lengths, 0 when the band leaves no path.
uint64_t wwi_recurrence_cells(const wwi_recurrence *recurrence, uint32_t n, uint32_t m);
// Whether cells are their cost and a soft minimum, of all cells and whole series: the forms of soft-DTW may compute
// them.
bool wwi_soft_plain(const wwi_recurrence *recurrence);
// Whether the sums of soft minima may be made of tiles, and of which kind: what the tuning parameter says, else
// `fallback`. `tabled`: costs come from a table, of points of any number of channels.
int wwi_soft_tiles_tuned(const wwi_recurrence *recurrence, bool tabled, int fallback);

// ---- programs of other folders around the same recurrences

// What such a program is compiled for.
typedef struct wwi_texts {
    const char *const *texts; // after base/, the recurrence and the choice; ends with NULL
    bool slopes;              // base/slopes.cl comes before the recurrence
    int vector;               // pairs in a `real`
    uint32_t rows, columns, group;
    int registers;       // a point is held in registers
    bool tabled;         // costs come from a table (engine/cost_table.h)
    const char *options; // more of them
} wwi_texts;
// The measure's parameters end the by-value argument of such a program's kernels. WW_ERROR_BUILD and as
// wwi_program_get().
ww_status wwi_recurrence_compile(const wwi_recurrence *recurrence, const wwi_texts *texts, wwi_program **program);

// The same for texts whose sizes are all their own: their `options` say them. `vector` 1: work-items hand values on,
// where the device's can. `texts` ends with NULL.
ww_status wwi_recurrence_program(const wwi_recurrence *recurrence, int vector, const char *const *texts,
                                 const char *options, wwi_program **program);
// A program of points and their local cost alone, for any number of channels.
ww_status wwi_cost_program(const wwi_recurrence *recurrence, const char *const *texts, const char *options,
                           wwi_program **program);
// ---- tables of costs, for points of many channels (kernels_cl/engine/cost_table.cl)

#define WWI_TABLE_TILE 64             // costs on a side of a work-group's tile
#define WWI_SLOPE_CHANNELS 32         // most channels of a tile of slopes (kernels_cl/gradient/gradient_table.cl)
#define WWI_TABLE_WIDEST (1ull << 26) // a row has fewer values (WW_TABLE_ENTRY)
#define WWI_TABLE_SLACK 256           // values behind a table, which the columns behind the last one are read from

// Options of the kernels' program (cost_table.cl), and the work-items of a group that fills a tile.
uint32_t wwi_table_options(ww_precision precision, bool list, char *options, size_t bytes);
// Whether costs of the measure come from a table: points have more channels than a `few`, and it is written over the
// local cost of two points, and nothing else of them.
bool wwi_has_tables(const wwi_recurrence *of, uint32_t few);
// Bytes for a table of costs; `given`: max_bytes, or 0.
uint64_t wwi_table_budget(const ww_context *context, uint64_t given);
// Whether the measure's text, where the user has written it, is correct on a few values: WW_ERROR_BUILD,
// WW_ERROR_INVALID_ARGUMENT.
ww_status wwi_recurrence_test(const wwi_recurrence *recurrence);

#endif
