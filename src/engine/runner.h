// SPDX-License-Identifier: Apache-2.0
// A runner's inside: what engine.c, which chooses and launches, and engine_program.c, which compiles, both see.
#ifndef WAVEWARP_RUNNER_H
#define WAVEWARP_RUNNER_H

#include "engine/bands.h"
#include "engine/bit_planes.h"
#include "engine/engine.h"
#include "measure/measure_table.h"

// Most channels a point may have to be held in registers on a GPU.
#define REGISTER_CHANNELS 16
#define RIBBON_PACK 32 // column series side by side in kernels_cl/engine/ribbon.cl
#define VARIANTS 32

// What a program is compiled for; two variants are the same when these are.
typedef struct wwi_variant_key {
    ww_engine engine;
    int list, band, vector;
    uint32_t columns, rows, group;
    int registers;
    uint32_t below; // a ribbon's columns left of the diagonal, plus 1; 0: not a ribbon
    int abandon;    // engine packed: lists with radii
    int strips;     // engine bits: the text for long pairs
} wwi_variant_key;

typedef struct wwi_variant {
    wwi_variant_key key;
    wwi_program *program;
    wwi_kernel *kernel;
    wwi_kernel *interleave; // engines packed and bits on a CPU, and narrow bands in engine lanes
} wwi_variant;

struct wwi_runner {
    ww_context *context;
    ww_measure measure;
    const wwi_measure_row *recurrence;
    ww_dataset *rows, *columns;
    ww_precision precision;
    wwi_plan_settings options;
    uint32_t channels, passes; // channels of a point; passes over single channels when they are independent
    uint32_t extra;            // values of a point beside the channels, of which a kernel sees 0 or 1
    bool banded, symmetric;
    bool gpu;
    wwi_exchange exchange;
    uint32_t width; // lanes that can hand values on
    int vector;     // engines packed and strips on a CPU
    ww_engine engine;
    wwi_variant variants[VARIANTS];
    size_t variant_count;
    wwi_buffer *row_order, *column_order, *band, *edges, *counter;
    wwi_buffer *row_packed, *row_offsets, *column_packed, *column_offsets, *scratch, *abandoned;
    bool bits; // engine bits can compute the measure here; else: why not
    const char *no_bits;
    wwi_bit_planes *planes; // what it computes on; NULL: on the points themselves
    wwi_words words;
    double rate[WW_ENGINE_BITS + 1]; // cells a second, by engine
    uint64_t done, total;            // progress, in cells
    uint64_t waiting;                // cells enqueued since the last wait
    double waited;                   // when that was
    bool preparing;                  // programs are compiled, nothing is computed
};

// Bytes of a value in the runner's precision.
uint64_t wwi_runner_value_bytes(const wwi_runner *r);
// The compiled variant for a key, built on first use. It stays valid until the next call.
ww_status wwi_runner_variant(wwi_runner *r, wwi_variant_key key, wwi_variant **found);
// Whether the user's recurrence, if it is one, keeps its word on a few values: WW_ERROR_BUILD,
// WW_ERROR_INVALID_ARGUMENT.
ww_status wwi_runner_check_user(wwi_runner *r);

#endif
