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

// Only the reference count changes, but by points_change.c while there is no reference but the caller's.
struct ww_points {
    atomic_long references;
    ww_context *context;
    ww_point_kind kind;
    ww_precision precision; // of distances, and of coordinates that are not narrower
    ww_element element;     // what numbers are stored in
    size_t count, dimension;
    int64_t *ids;               // the points' own; NULL: they count from 0
    int64_t next_id;            // one more than the largest that there ever was
    uint32_t words;             // coordinates in a tile: the dimension, or 32 bits each; sets: 0
    uint64_t word_bytes;        // of one
    uint64_t *offsets;          // sets: count + 1
    unsigned char *host;        // original values, in the points' element; NULL when the device holds them
    bool column_order;          // of those
    bool missing;               // NaN is a missing coordinate
    uint64_t max_bytes;         // most that one slice may have
    wwi_buffer *tiles;          // or the sets' members; NULL when they stay on the host; there may be room behind them
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

// Whether numbers have to be widened before sums take them as queries.
static inline bool wwi_points_are_narrow(const ww_points *points) {
    return points->element != WW_ELEMENT_PRECISION;
}
// Tiles of points [first, first + count) of a slice of narrow numbers, in the precision; `first`: that of a tile.
ww_status wwi_points_widen(const ww_points *points, wwi_stream *stream, const wwi_slice *slice, size_t first,
                           size_t count, wwi_buffer *tiles);

// The points at these places, ascending, as points of their own whose ids are those of the places.
ww_status wwi_points_select(ww_points *points, const uint32_t *places, size_t count, ww_points **selected);
// The places, ascending, of a subset by ids, or by bits; of any id that no point has it fails.
ww_status wwi_points_places(const ww_points *points, const int64_t *ids, size_t ids_count, const uint8_t *bits,
                            uint32_t **places, size_t *count);
// The id of a place.
static inline int64_t wwi_points_id(const ww_points *points, size_t place) {
    return points->ids ? points->ids[place] : (int64_t)place;
}
// ww_points_create() on one device.
ww_status wwi_points_create_alone(ww_context *context, const ww_point_view *view, const ww_points_options *options,
                                  ww_points **points);
ww_status wwi_points_program(ww_points *points); // makes what copies them
uint64_t wwi_points_bytes(const ww_points *points, size_t first, size_t count);

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
