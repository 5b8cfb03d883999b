// SPDX-License-Identifier: Apache-2.0
// Copies points, in row order or column order, into tiles; and computes their squared norms. One work-group a tile and
// coordinate, or a tile; one work-item a point. No local memory, no barrier.
#define WW_POINTS_WG 64

// Coordinate j of the i-th point is at i*row_step + j*column_step. Points after the last are zero.
__kernel __attribute__((reqd_work_group_size(WW_POINTS_WG, 1, 1))) void
ww_knn_tile(__global const ww_stored *restrict from, const ulong row_step, const ulong column_step, const uint first,
            const uint count, const uint dimension, __global ww_stored *restrict tiles) {
    const ulong group = get_group_id(0), tile = group / dimension; // the remainder, written as in ww_rest()
    const uint j = (uint)(group - min(tile * dimension, group)), i = (uint)tile * WW_KNN_TILE + (uint)get_local_id(0);
    tiles[ww_tile_at(first + i, dimension) + (ulong)j * WW_KNN_TILE] = i < count ? from[i * row_step + j * column_step] : 0;
}

// Points [first, first + count) of other tiles, or with `listed` those in `places`, into points `to` on of these. Points
// after them are zero, those before them in the same tile stay.
__kernel __attribute__((reqd_work_group_size(WW_POINTS_WG, 1, 1))) void
ww_knn_take(__global const ww_stored *restrict from, __global const uint *restrict places, const uint listed,
            const uint first, const uint count, const uint to, const uint dimension, __global ww_stored *restrict tiles) {
    const ulong group = get_group_id(0), tile = group / dimension;
    const uint j = (uint)(group - min(tile * dimension, group));
    const uint point = (to / WW_KNN_TILE + (uint)tile) * WW_KNN_TILE + (uint)get_local_id(0), i = point - to;
    if (point < to)
        return;
    const uint place = i >= count ? 0 : listed ? places[i] : first + i;
    tiles[ww_tile_at(point, dimension) + (ulong)j * WW_KNN_TILE] =
        i < count ? from[ww_tile_at(place, dimension) + (ulong)j * WW_KNN_TILE] : 0;
}

// Tiles from tile `first` on as sums have their coordinates.
__kernel __attribute__((reqd_work_group_size(WW_POINTS_WG, 1, 1))) void
ww_knn_widen(__global const ww_stored *restrict from, const uint first, const uint dimension,
             __global ww_value *restrict tiles) {
    const ulong at = get_global_id(0);
    tiles[at] = ww_stored_value(from + (ulong)first * dimension * WW_KNN_TILE + at);
}

// Points from tiles in row order, `stride` apart (a multiple of 4); places after the last coordinate are zero.
__kernel __attribute__((reqd_work_group_size(WW_POINTS_WG, 1, 1))) void
ww_knn_rows(__global const ww_stored *restrict tiles, const uint dimension, const uint stride,
            __global ww_stored4 *restrict rows) {
    const uint i = (uint)get_global_id(0);
    __global const ww_stored *point = tiles + ww_tile_at(i, dimension);
    for (uint j = 0; j < stride; j += 4)
        rows[((ulong)i * stride + j) / 4] = ww_tile_four(point, j, dimension);
}

// A squared norm above the first may be too large, or a distance's square; one below the second has lost digits.
WW_INLINE ww_scalar ww_norm_most(void) {
    return ldexp((ww_scalar)1, WWK_DOUBLE ? 1021 : 125);
}
WW_INLINE ww_scalar ww_norm_least(void) {
    return ldexp((ww_scalar)1, WWK_DOUBLE ? -970 : -103);
}

// Whether a point is not at the origin.
WW_INLINE bool ww_knn_is_somewhere(__global const ww_stored *point, const uint dimension) {
    bool somewhere = false;
    for (uint j = 0; j < dimension; j++)
        somewhere |= ww_stored_value(point + j * WW_KNN_TILE) != 0;
    return somewhere;
}

// Squared norms (Jaccard of bits: members) times `by`, and in largest[0] the largest of them as float bits, rounded up; in largest[1]
// 1 where one is too large, 2 where one is too small. With WW_CENTRE after subtracting the mean; of correlation after subtracting the
// mean of the point's own coordinates.
__kernel __attribute__((reqd_work_group_size(WW_POINTS_WG, 1, 1))) void
ww_knn_norms(__global const ww_stored *restrict tiles, __global const ww_scalar *restrict mean, const uint count,
             const uint dimension, __global ww_scalar *restrict norms, __global uint *restrict largest,
             const ww_scalar by) {
    const uint i = (uint)get_global_id(0);
    ww_scalar sum = 0;
#if WW_METRIC != WWK_METRIC_HAMMING
    __global const ww_stored *point = tiles + ww_tile_at(i, dimension);
#endif
#if WW_METRIC == WWK_METRIC_JACCARD_BITS
    uint members = 0;
    for (uint j = 0; i < count && j < dimension; j++)
        members += popcount(point[j * WW_KNN_TILE]);
    sum = (ww_scalar)members;
#elif WW_METRIC != WWK_METRIC_HAMMING
#if WW_METRIC == WWK_METRIC_CORRELATION
    ww_scalar own = 0, raw = 0;
    for (uint j = 0; i < count && j < dimension; j++) {
        const ww_scalar x = ww_stored_value(point + j * WW_KNN_TILE);
        own += x;
        raw = fma(x, x, raw);
    }
    own /= (ww_scalar)dimension;
#endif
    for (uint j = 0; i < count && j < dimension; j++) {
#if WW_CENTRE
        const ww_scalar x = ww_stored_value(point + j * WW_KNN_TILE) - mean[j];
#elif WW_METRIC == WWK_METRIC_CORRELATION
        const ww_scalar x = ww_stored_value(point + j * WW_KNN_TILE) - own;
#else
        const ww_scalar x = ww_stored_value(point + j * WW_KNN_TILE);
#endif
        sum = fma(x, x, sum);
    }
#endif
#if WW_METRIC == WWK_METRIC_CORRELATION
    // What is left of coordinates that are all alike is the rounding of their mean.
    const ww_scalar rounding = ldexp((ww_scalar)dimension, WWK_DOUBLE ? -52 : -23);
    sum = sum <= raw * rounding * rounding ? 0 : sum;
#endif
    // Of a direction each point's own norm counts. (Of the other metrics the host looks at the largest coordinates.)
    if (WW_METRIC == WWK_METRIC_COSINE && i < count && sum < ww_norm_least() &&
        ww_knn_is_somewhere(tiles + ww_tile_at(i, dimension), dimension))
        atomic_or(largest + 1, 2u);
    if ((WW_METRIC == WWK_METRIC_L2_SQUARED || WW_METRIC == WWK_METRIC_COSINE || WW_METRIC == WWK_METRIC_INNER_PRODUCT ||
         WW_METRIC == WWK_METRIC_CORRELATION) &&
        !(sum <= ww_norm_most()))
        atomic_or(largest + 1, 1u);
    norms[i] = sum * by;
    atomic_max(largest, as_uint((float)sum * 1.000001f));
}
