// SPDX-License-Identifier: Apache-2.0
// Filter for points of any dimension on a GPU: a matrix product that is not stored. A work-group of 16 x 16 computes
// 128 queries by 128 points at a time, 8 x 8 a work-item in registers; both sides pass through local memory, WW_KNN_DEPTH
// coordinates at a time, the next ones being fetched meanwhile.
//
// Tried, not taken: exact distances from tiles in place of rows: 0.083 for 0.069 s.
//
// Local memory: 4 * WW_KNN_DEPTH * 128 values. Barriers: one for WW_KNN_DEPTH coordinates of 128 points.
#define WW_KNN_DEPTH 8
#define WW_SIDE 128u
#define WW_FETCH (WW_KNN_DEPTH * WW_SIDE / 4 / WW_WG) // vectors of each side that a work-item fetches

// Vector i of coordinates [from, from + WW_KNN_DEPTH) of a tile pair.
WW_INLINE ulong ww_wide_at(uint i, uint from, uint dimension) {
    const uint j = from + i / (WW_SIDE / 4), point = i % (WW_SIDE / 4) * 4;
    return ((ulong)(point / WW_KNN_TILE) * dimension + j) * WW_KNN_TILE + point % WW_KNN_TILE;
}
WW_INLINE ww_value4 ww_wide_less(ww_value4 v, __global const ww_scalar *mean, uint i, uint from) {
#if WW_CENTRE
    v -= mean[from + i / (WW_SIDE / 4)];
#endif
    return v;
}
#define WW_WIDE_THERE(i, from, dimension) ((from) + (i) / (WW_SIDE / 4) < (dimension))
WW_INLINE ww_value4 ww_wide_query(__global const ww_value *pair, __global const ww_scalar *mean, uint i, uint from,
                                  uint dimension) {
    return WW_WIDE_THERE(i, from, dimension)
               ? ww_wide_less(*(__global const ww_value4 *)(pair + ww_wide_at(i, from, dimension)), mean, i, from)
               : (ww_value4)0;
}
WW_INLINE ww_value4 ww_wide_point(__global const ww_stored *pair, __global const ww_scalar *mean, uint i, uint from,
                                  uint dimension) {
    return WW_WIDE_THERE(i, from, dimension)
               ? ww_wide_less(ww_stored_four((__global const ww_stored4 *)(pair + ww_wide_at(i, from, dimension))), mean, i, from)
               : (ww_value4)0;
}

// ---- a work-item's sums: of eight rows, and of two vectors of four points

// They begin with the points' norms, where the metric takes them.
WW_INLINE void ww_wide_start(ww_value4 (*sum)[2], __global const ww_scalar *norms) {
#pragma unroll
    for (uint h = 0; h < 2; h++) {
#if WW_KNN_STARTS
        const ww_value4 start = *(__global const ww_value4 *)(norms + h * 64) * (ww_scalar)-0.5;
#else
        const ww_value4 start = (ww_value4)0;
#endif
#pragma unroll
        for (uint r = 0; r < 8; r++)
            sum[r][h] = start;
    }
}

// Cosine: the sums become q.c / |c|.
WW_INLINE void ww_wide_scale(ww_value4 (*sum)[2], __global const ww_scalar *norms) {
#if WW_METRIC == WWK_METRIC_COSINE
#pragma unroll
    for (uint h = 0; h < 2; h++) {
        const ww_value4 norm = *(__global const ww_value4 *)(norms + h * 64);
        const ww_value4 scale =
            (ww_value4)(ww_knn_scale(norm.x), ww_knn_scale(norm.y), ww_knn_scale(norm.z), ww_knn_scale(norm.w));
#pragma unroll
        for (uint r = 0; r < 8; r++)
            sum[r][h] *= scale;
    }
#endif
}

// Lists the points that may be near, from row `row` and point `point` on.
WW_INLINE void ww_wide_list(ww_value4 (*sum)[2], const ww_value *cut, const ww_knn_args job, const uint row,
                            const uint point, __global uint *counts, __global uint *ids, __global uint *overflow) {
    int near = 0;
#pragma unroll
    for (uint r = 0; r < 8; r++)
#pragma unroll
        for (uint h = 0; h < 2; h++)
            near |= ww_any4(sum[r][h], cut[r]);
    if (!near)
        return;
#pragma unroll
    for (uint h = 0; h < 2; h++) {
        uint bits = 0;
#pragma unroll
        for (uint r = 0; r < 8; r++)
            bits |= ww_near4(sum[r][h], cut[r], 4 * r);
        while (bits) {
            const uint bit = ww_lowest(&bits), r = bit / 4;
            ww_knn_list(job, row + r / 4 * 64 + r % 4, point + h * 64 + bit % 4, counts, ids, overflow);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void ww_knn_wide(WW_KNN_FILTER_ARGUMENTS) {
    __local ww_value4 query_part[2][WW_KNN_DEPTH * WW_SIDE / 4], point_part[2][WW_KNN_DEPTH * WW_SIDE / 4];
    const uint item = (uint)get_local_id(0), across = item % 16, down = item / 16;
    const uint dimension = job.dimension, steps = (dimension + WW_KNN_DEPTH - 1) / WW_KNN_DEPTH;
    const uint row0 = (uint)(get_group_id(0) % job.query_groups) * WW_SIDE;
    const uint begin = job.base_first + (uint)(get_group_id(0) / job.query_groups) * job.part;
    const uint end = min(begin + job.part, job.base_end);
    __global const ww_value *query_pair = queries + (ulong)(job.query_first + row0) * dimension;

    ww_value cut[8];
#pragma unroll
    for (uint r = 0; r < 8; r++)
        cut[r] = ww_knn_row_cut(job, row0 + r / 4 * 64 + down * 4 + r % 4, query_norms, best);

    for (uint first = begin; first < end; first += WW_SIDE) {
        __global const ww_stored *point_pair = base + (ulong)first * dimension;
        ww_value4 sum[8][2];
        ww_wide_start(sum, base_norms + first + across * 4);
        for (uint f = 0; f < WW_FETCH; f++) {
            query_part[0][f * WW_WG + item] = ww_wide_query(query_pair, mean, f * WW_WG + item, 0, dimension);
            point_part[0][f * WW_WG + item] = ww_wide_point(point_pair, mean, f * WW_WG + item, 0, dimension);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 0; step < steps; step++) {
            const uint now = step % 2;
            ww_value4 next_query[WW_FETCH], next_point[WW_FETCH];
            if (step + 1 < steps)
#pragma unroll
                for (uint f = 0; f < WW_FETCH; f++) {
                    const uint from = (step + 1) * WW_KNN_DEPTH;
                    next_query[f] = ww_wide_query(query_pair, mean, f * WW_WG + item, from, dimension);
                    next_point[f] = ww_wide_point(point_pair, mean, f * WW_WG + item, from, dimension);
                }
            ww_block_add(sum, query_part[now], point_part[now], WW_KNN_DEPTH, WW_SIDE / 8, down, across);
            if (step + 1 < steps)
#pragma unroll
                for (uint f = 0; f < WW_FETCH; f++) {
                    query_part[1 - now][f * WW_WG + item] = next_query[f];
                    point_part[1 - now][f * WW_WG + item] = next_point[f];
                }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        ww_wide_scale(sum, base_norms + first + across * 4);
        ww_wide_list(sum, cut, job, row0 + down * 4, first + across * 4, counts, ids, overflow);
    }
}
