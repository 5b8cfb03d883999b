// SPDX-License-Identifier: Apache-2.0
// Points on the device: the part that searches use.
#ifndef WAVEWARP_KNN_POINTS_H
#define WAVEWARP_KNN_POINTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <wavewarp/points.h>

#include "data/slice.h"
#include "work/team.h"

// Points of a tile, and the multiple to which numbers of points are padded on the device; see kernels_cl/knn/knn.cl.
#define WWI_TILE 64u
#define WWI_TILE_PAIR 128u

// Only the reference count changes after the creation.
struct ww_points {
    atomic_long references;
    ww_context *context;
    ww_point_kind kind;
    ww_precision precision;
    size_t count, dimension;
    uint32_t words;             // coordinates in a tile: the dimension, or 32 bits each; sets: 0
    uint64_t word_bytes;        // of one
    uint64_t *offsets;          // sets: count + 1
    unsigned char *host;        // original values, in the points' precision; NULL when the device holds them
    bool column_order;          // of those
    bool missing;               // NaN is a missing coordinate
    uint64_t max_bytes;         // most that one slice may have
    wwi_buffer *tiles;          // or the sets' members; NULL when they stay on the host
    wwi_buffer *starts;         // sets: offsets
    double *mean;               // numbers: of a sample of the points
    double mean_norm, variance; // its squared norm, and the summed variance of the coordinates
    double largest;             // numbers: the largest absolute value of a coordinate, as it was given
    wwi_program *program;       // copies points into tiles
    wwi_team *team;             // several devices: the points on each of them
};

void wwi_points_retain(ww_points *points);
// As wwi_dataset_on() and wwi_datasets_divide().
ww_status wwi_points_on(ww_points *points, size_t device, ww_points **on);
ww_context *wwi_points_divide(const ww_points *base, const ww_points *queries);
// Sends `count` coordinates of a mean, in the precision, to a buffer of `bytes` whose rest is 0.
ww_status wwi_points_send_mean(ww_context *context, ww_precision precision, const double *mean, size_t count,
                               uint64_t bytes, wwi_buffer **buffer);
// Most points from `first` on that a slice can have; >= 1.
size_t wwi_points_slice_limit(const ww_points *points, size_t first);
// Uploads points, unless the slice has them already. They count from 0 there.
ww_status wwi_points_slice(ww_points *points, wwi_stream *stream, size_t first, size_t count, wwi_slice *slice);

// Numbers, or words of bits, of points [first, first + count) in row order. `first`: that of a tile.
ww_status wwi_points_rows(const ww_points *points, size_t first, size_t count, void *rows);
// Members of the sets [first, first + count), one after the other.
ww_status wwi_points_members(const ww_points *points, size_t first, size_t count, uint32_t *members);
// The bytes of a view from words of bits.
void wwi_points_pack(const ww_points *points, const uint32_t *words, size_t count, unsigned char *bytes);

static inline size_t wwi_points_padded(size_t count) {
    return (count + WWI_TILE_PAIR - 1) / WWI_TILE_PAIR * WWI_TILE_PAIR;
}

// Makes a caller's points a part of what a store's jobs depend on; of a checked view. `store` NULL: nothing is done.
ww_status wwi_points_add_to(ww_store *store, const ww_point_view *view);

#endif
