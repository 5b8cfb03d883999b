// SPDX-License-Identifier: Apache-2.0
// What the files of engine/ share: the struct of a runner, and the row of an engine. Other folders use engine.h.
#ifndef WAVEWARP_RUNNER_H
#define WAVEWARP_RUNNER_H

#include "base/pace.h"
#include "engine/bands.h"
#include "engine/bit_planes.h"
#include "engine/cost_table_args.h"
#include "engine/engine.h"

#define RIBBON_PACK 32 // column series side by side in kernels_cl/engine/ribbon.cl
#define BITS_VECTOR 16 // pairs side by side in kernels_cl/engine/bits_packed.cl
#define VARIANTS 32
#define ENGINES (WW_ENGINE_BITS + 1)

// A kernel of an engine, and the texts that make it.
typedef struct wwi_form {
    const char *engine; // for messages
    const char *kernel;
    const char *interleave;           // a second kernel of the same texts; NULL: none
    const char *walk;                 // a third, which walks back along paths; NULL: none
    const char *texts[7];             // after those of the recurrence
    bool exchanges;                   // work-items hand values on: the program is told how
    bool is_bits;                     // the options are those of engine bits
    int (*tiles)(const wwi_runner *); // soft minima by tiles: of which kind; NULL: not by tiles
    bool own_rows;                    // engine bits: WW_OWN_ROWS also in a rectangle
    uint32_t pack;                    // WW_PACK; 0: the vector's width
    bool copies_ahead;                // into local memory, where the device can (WW_ASYNC)
    int select, emit;                 // WW_SELECT, 0: the measure's own; what WW_EMIT has besides open ends
} wwi_form;

// What a program is compiled for; two variants are the same when these are.
typedef struct wwi_variant_key {
    const wwi_form *form;
    int list, band, vector;
    uint32_t columns, rows, group;
    int registers;
    int tabled;     // costs come from a table (cost_table.h)
    int summed;     // engine packed sums them itself, of any number of channels
    uint32_t below; // a ribbon's columns left of the diagonal
    int abandon;    // engine packed: lists with radii
} wwi_variant_key;

typedef struct wwi_variant {
    wwi_variant_key key;
    wwi_program *program;
    wwi_kernel *kernel;
    wwi_kernel *interleave, *walk; // of a form that has one
} wwi_variant;

typedef struct wwi_engine wwi_engine;

// How closely the columns of a lane fit the lengths: one program for nearly all of them, one of few, or each its own.
typedef enum wwi_fit { WWI_FIT_ANY, WWI_FIT_FEW, WWI_FIT_OWN } wwi_fit;

// What a batch needs on the device beside series and results.
typedef struct wwi_uploads {
    wwi_buffer *row_order, *column_order, *band; // ids or a list; tables
    wwi_buffer *offsets[2], *packed[2];          // of packs; the packs, of rows and columns
    // Of a table of costs: where each series has its costs, where its points or a task's tiles begin; a list's tasks by
    // number.
    wwi_buffer *table_series[2], *table_begins[2], *table_tasks;
} wwi_uploads;

// What fills a table of costs.
typedef struct wwi_table_program {
    wwi_program *program;
    wwi_kernel *kernel;
    uint32_t group;
} wwi_table_program;

struct wwi_runner {
    wwi_recurrence of;
    ww_dataset *rows, *columns;
    wwi_plan_settings options;
    bool symmetric; // rows and columns may exchange their roles
    bool gpu;
    wwi_fit fit;
    uint32_t width;               // lanes that can hand values on
    int vector;                   // engines packed and strips on a CPU
    ww_engine engine;             // of the last batch
    double engine_cells[ENGINES]; // computed by each since the start
    wwi_variant variants[VARIANTS];
    size_t variant_count;
    // What all batches share: launches follow each other.
    wwi_buffer *edges, *counter, *scratch, *abandoned;
    wwi_uploads kept; // of the last batch that was run once
    bool bits;        // engine bits can compute the measure here; else: why not
    const char *no_bits;
    wwi_bit_planes *planes; // what it computes on; NULL: on the points themselves
    wwi_words words;        // tables of the bands of a batch
    wwi_pace pace;          // in cells
    double rate[ENGINES];   // cells a second
    bool preparing;         // programs are compiled, nothing is computed
    bool tabled;            // points have so many channels that costs come from a table, which has room
    bool summed;            // points have so many channels that engine packed sums them itself on a CPU
    wwi_buffer *table;
    wwi_table_program table_programs[2]; // of a rectangle, of a list
    double table_rate;                   // differences a second
};

// The sides of a batch in the roles the engine gives them.
typedef struct wwi_sides {
    ww_dataset *rows, *columns;
} wwi_sides;

// A batch, prepared for an engine.
struct wwi_work {
    wwi_batch b;
    uint32_t *ids; // those of the batch, a copy
    ww_engine engine;
    wwi_uploads uploads;
    bool placed[2]; // the offsets of a side's packs are there
    bool packed[2]; // so are the packs, of series that do not change
    double cells;
    wwi_sides sides;
    bool exchanged;                                          // rows and columns have changed places
    uint32_t row_rank, column_rank, row_ranks, column_ranks; // first and number of the lengths on each side
    uint32_t n, m;                                           // longest row and column series
    uint64_t pairs;
    bool too_large;      // its bands or packs need more room than there is: each run halves it
    wwi_slice x, y;      // what the kernel reads of each side
    wwi_slice points[2]; // with a table of costs: what that is made of
    ww_table_args table;
    bool tabled;
    bool is_bits;                // engine bits: other arguments, bit planes where there are some
    wwi_tiling tiling;           // where the engine has one for all pairs
    struct wwi_lane_part *parts; // engine lanes: slots whose columns have one tiling, found once
    size_t part_count;
    uint32_t ribbon, below; // engine lanes: columns of a ribbon, those left of the diagonal; 0: none
    ww_launch_args args;
    size_t args_bytes; // of them that the kernels take
};

// Why an engine does not take a batch; `why` NULL: it does. `limit`: the most it takes, 0 where there is no such
// number.
typedef struct wwi_refusal {
    const char *why;
    uint64_t limit;
} wwi_refusal;

// Says so, which is no failure.
static inline ww_status wwi_refuse(wwi_refusal *refusal, const char *why, uint64_t limit) {
    *refusal = (wwi_refusal){why, limit};
    return WW_OK;
}

struct wwi_engine {
    const char *name;
    double gpu_rate, cpu_rate; // cells a clock of a compute unit, until it is measured
    // Whether the batch is faster with rows and columns exchanged; only called for symmetric measures.
    bool (*wants_exchange)(const wwi_runner *r, const wwi_work *w);
    // Whether the engine can compute the batch. Cuts it, and makes its bands in r->words, or sets w->too_large.
    ww_status (*takes)(wwi_runner *r, wwi_work *w, wwi_refusal *refusal);
    // Launches a pass over the batch: w->args are filled but for what the engine alone knows.
    ww_status (*run)(wwi_runner *r, wwi_work *w);
};
extern const wwi_engine wwi_lanes, wwi_packed, wwi_strips, wwi_bits;
const wwi_engine *wwi_engine_row(ww_engine engine);
// The engine for a batch of that shape when the choice is free.
ww_engine wwi_engine_choose(const wwi_runner *r, bool list, size_t rows, size_t columns, uint32_t longest_row,
                            uint32_t longest_column);

// Bytes of a value in the runner's precision.
uint64_t wwi_runner_value_bytes(const wwi_runner *r);
void wwi_variant_end(wwi_variant *v);
// The compiled variant for a key, built on first use. It stays valid until the next call.
ww_status wwi_runner_variant(wwi_runner *r, wwi_variant_key key, wwi_variant **found);

#endif
