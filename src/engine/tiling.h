// SPDX-License-Identifier: Apache-2.0
// How engines divide a matrix: columns and rows of a lane, lanes of a group, strips. Each tiling follows from the
// longest series, the registers of the device and the tuning parameters; nothing is launched here.
#ifndef WAVEWARP_TILING_H
#define WAVEWARP_TILING_H

#include "engine/runner.h"

enum { BITS_ROWS = 16, BITS_WORDS = 4 }; // engine bits: rows of a step of symbols; on CPUs words of a lane

// A parameter by name for the runner's precision.
long wwi_tuned(const wwi_runner *r, const char *name, long fallback);
// Whether kernels take their form for GPUs, of single numbers in place of vectors: on a CPU by form.items 1.
bool wwi_by_items(const wwi_runner *r);
// Whether a point's channels can be registers in the engine.
bool wwi_points_in_registers(const wwi_runner *r);
// Whether a point can stay in a vector engine's private memory.
bool wwi_can_vector(const wwi_runner *r);

// Most columns a lane can hold.
uint32_t wwi_lane_columns(const wwi_runner *r, bool banded);
// Rows a step; `n` the rows of all pairs, 0 when they differ.
uint32_t wwi_lane_rows(const wwi_runner *r, uint32_t n);
uint32_t wwi_lane_group(const wwi_runner *r);
// Longest column series engine lanes can hold without a band.
uint32_t wwi_lanes_limit(const wwi_runner *r);
// How closely tilings fit the lengths, by how long the runner's sets take: from its creation on, so that no block of a
// job needs another program than the first.
wwi_fit wwi_fit_of(const wwi_runner *r, const wwi_engine *lanes);
// What a tiling without a band is for: n the rows of all pairs, 0 when they differ, and the most; a column series of m
// points; `many`: there are many lengths.
typedef struct wwi_shape {
    uint32_t n, longest, m;
    bool many;
    uint64_t pairs;
} wwi_shape;
wwi_tiling wwi_lanes_tiling(const wwi_runner *r, wwi_shape shape);
// Row series that a group computes one after the other: few enough that the device is still filled several times.
uint32_t wwi_rows_per_group(const wwi_runner *r, uint64_t rows, uint64_t columns, uint32_t width, bool list);

// Whether engine strips runs as vectors in a work-item, not as work-groups.
bool wwi_vector_strips(const wwi_runner *r);
wwi_tiling wwi_strips_tiling(const wwi_runner *r, uint64_t pairs, uint32_t m);

// The same for engine bits, in words of 32 columns.
bool wwi_vector_bits(const wwi_runner *r);
uint32_t wwi_bits_limit(const wwi_runner *r);
wwi_tiling wwi_bits_tiling(const wwi_runner *r, wwi_shape shape);
wwi_tiling wwi_bits_strips_tiling(const wwi_runner *r, uint64_t pairs, uint32_t m);

#endif
