// SPDX-License-Identifier: Apache-2.0
// Lower bounds of distances: which pairs can be left out of a search for neighbours.
#ifndef WAVEWARP_BOUNDS_H
#define WAVEWARP_BOUNDS_H

#include "pairing/pairing.h"

// A block of rows and columns, where their series are, and its distances so far: row after row, NaN where unknown.
typedef struct wwi_area {
    wwi_rectangle at;
    wwi_slice row_window, column_window;
    bool exclude_self; // a row is no candidate of itself
    wwi_buffer *distances;
    wwi_buffer *bounds; // rows x columns
} wwi_area;

typedef struct wwi_bounds wwi_bounds;

// Whether a bound is known for a checked measure.
bool wwi_bounds_known(const ww_measure *measure);
// Compiles; the datasets and the stream are borrowed.
ww_status wwi_bounds_create(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, wwi_stream *stream,
                            wwi_bounds **bounds);
void wwi_bounds_destroy(wwi_bounds **bounds);
// Enqueues the bounds of an area.
ww_status wwi_bounds_compute(wwi_bounds *bounds, const wwi_area *area);
// Counts the unknown pairs that may be within their row's radius, the last of its k best; with `pairs`, also lists
// them: (row, column, place in the area) of each, in any order. `pairs` has room for *count, as counted before.
ww_status wwi_bounds_candidates(wwi_bounds *bounds, const wwi_area *area, wwi_buffer *best_values, uint32_t k,
                                uint32_t *count, uint32_t *pairs);

#endif
