// SPDX-License-Identifier: Apache-2.0
// Filter by matrix units, for the metrics that are computed from products. Points become rows of 16-bit floats:
//   a point of the base  [ c_0 ... c_d-1   n n' 1 1   0 ... ]
//   a query              [ q_0 ... q_d-1   1 1 t t'   0 ... ]
// so that the product of two rows is q.c + n + t, and the point may be near where that is not negative; n and t are two
// halves each, of which the second is rounded up (knn/knn_halves.cl). Then the filter is one matrix product and a test
// of signs.
//
// Tried, not taken: two halves of a coordinate (0.043 for 0.020 s at 128), blocks of 4 x 16 or 8 x 16 (within 5 %).
//
// Division of the work: a warp computes WW_DOWN16 x 16 queries by WW_ACROSS8 x 8 points at a time. Up to WW_STEPS x 16
// numbers a row the queries stay in registers, and the warps of a group have different queries and the same points;
// with WW_STEPS 0 (any length) two of them stand side by side down, the others across. No local memory, no barrier.
//
// Parameters: WW_STEPS, WW_DOWN16, WW_ACROSS8; WW_MMA (base/vendor.cl; 0: the portable form, where every work-item computes the
// same sums alone).
#define WW_WARPS (WW_WG / 32)
#define WW_WARPS_DOWN (WW_STEPS ? WW_WARPS : 2)
#define WW_WARP_ROWS (WW_DOWN16 * 16)
#define WW_GROUP_POINTS (WW_WARPS / WW_WARPS_DOWN * WW_ACROSS8 * 8)

// Rows of the points from `first` on: of the base, or of queries that have no cut yet. `width` is a multiple of 16.
// Rows of points that do not exist are zeros.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
ww_tensor_rows(__global const ww_stored *restrict tiles, __global const ww_scalar *restrict mean,
               __global const ww_scalar *restrict norms, const uint first, const uint count, const uint dimension,
               const uint width, const uint queries, const float scale, __global half *restrict rows) {
    const uint i = (uint)get_global_id(0);
    const ulong row = (ulong)i * width;
    const bool there = i < count;
    const uint point = there ? first + i : first;
    const ww_scalar norm = norms[point], by = ww_tensor_scale(norm, scale);
    __global const ww_stored *from = tiles + ww_tile_at(point, dimension);
    for (uint j = 0; j < dimension; j++) {
#if WW_CENTRE
        const float x = there ? (float)((ww_stored_value(from + j * WW_KNN_TILE) - mean[j]) * by) : 0;
#else
        const float x = there ? (float)(ww_stored_value(from + j * WW_KNN_TILE) * by) : 0;
#endif
        vstore_half_rte(x, row + j, rows);
    }
    const float square = (float)(norm * by * by);
    const float n = ww_tensor_point(square, width);
    if (queries) {
        vstore_half_rte(1.0f, row + dimension, rows);
        vstore_half_rte(1.0f, row + dimension + 1, rows);
    } else {
        ww_store_above(there ? n : -WW_PASSES_ALL, row + dimension, rows);
        vstore_half_rte(1.0f, row + dimension + 2, rows);
        vstore_half_rte(1.0f, row + dimension + 3, rows);
    }
    for (uint j = dimension + 4; j < width; j++)
        vstore_half_rte(0.0f, row + j, rows);
}

// The queries' t, from their k-th best so far. The metric's values are multiplied by `square_scale`.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
ww_tensor_cuts(__global const ww_scalar *restrict query_norms, __global const ww_scalar *restrict best,
               const ww_knn_args job, const uint width, const uint slot, const float scale, const float square_scale,
               __global half *restrict rows) {
    const uint row = (uint)get_global_id(0);
    float t = -WW_PASSES_ALL;
    if (row < job.query_count) {
        const ww_scalar norm = query_norms[job.query_first + row], by = ww_tensor_scale(norm, scale);
        const ww_scalar kth = best[(ulong)row * job.k + job.k - 1];
        // No point comes before a list whose k-th distance is 0, or (cosine) the list of a query of zeros.
        const bool done = WW_METRIC == WWK_METRIC_L2_SQUARED ? kth == 0
                          : WW_METRIC == WWK_METRIC_COSINE   ? kth == 0 || norm == 0
                                                             : false;
        if (kth == (ww_scalar)INFINITY || !(job.reach < 1e18f))
            t = WW_PASSES_ALL;
        else if (!done)
            t = ww_tensor_cut(ww_tensor_point((float)(norm * by * by), width), kth, width, square_scale);
    }
    ww_store_above(t, (ulong)row * width + slot, rows);
}

// A work-item's sums of a block of a warp: four of each 16 queries and 8 points.
#define WW_EACH_SUM                                                                                                    \
    _Pragma("unroll") for (uint m = 0; m < WW_DOWN16; m++) _Pragma("unroll") for (uint n = 0; n < WW_ACROSS8; n++)

#if !WW_MMA
// Sums of sixteen places, as ww_mma makes them: `q` and `c` are the first of the lane's own row and column.
WW_INLINE float ww_half_product(float sum, __global const half *q, __global const half *c) {
    for (uint j = 0; j < 16; j++)
        sum = fma(vload_half(j, q), vload_half(j, c), sum);
    return sum;
}
WW_INLINE void ww_tensor_sums(float (*sum)[WW_ACROSS8][4], __global const uint2 *query_rows,
                              __global const uint2 *base_rows, const uint row, const uint point, const uint steps) {
    for (uint s = 0; s < steps; s++)
        for (uint m = 0; m < WW_DOWN16; m++)
            for (uint n = 0; n < WW_ACROSS8; n++)
                for (uint e = 0; e < 4; e++)
                    sum[m][n][e] = ww_half_product(
                        sum[m][n][e], WW_ROW_HALVES(query_rows, row + m * 16 + e / 2 * 8, steps * 16) + s * 16,
                        WW_ROW_HALVES(base_rows, point + n * 8 + e % 2, steps * 16) + s * 16);
}
#elif WW_STEPS
// A work-item's part of its warp's queries.
WW_INLINE void ww_fetch_queries(__global const uint2 *queries, uint2 q[WW_DOWN16][WW_STEPS][2]) {
#pragma unroll
    for (uint m = 0; m < WW_DOWN16; m++)
#pragma unroll
        for (uint s = 0; s < WW_STEPS; s++) {
            q[m][s][0] = queries[m * 16 * (WW_STEPS * 4) + s * 4];
            q[m][s][1] = queries[(m * 16 + 8) * (WW_STEPS * 4) + s * 4];
        }
}
// A work-item's part of WW_ACROSS8 times eight points, the first of which is `first`.
WW_INLINE void ww_fetch_points(__global const uint2 *rows, uint first, uint across, uint2 next[WW_STEPS][WW_ACROSS8]) {
#pragma unroll
    for (uint s = 0; s < WW_STEPS; s++)
#pragma unroll
        for (uint n = 0; n < WW_ACROSS8; n++)
            next[s][n] = rows[((ulong)first + n * 8) * (WW_STEPS * 4) + s * 4 + across];
}
#else
// The sums of rows of any length, read as they are needed.
WW_INLINE void ww_tensor_sums(float (*sum)[WW_ACROSS8][4], __global const uint2 *queries, __global const uint2 *points,
                              const uint steps) {
#pragma unroll 1
    for (uint s = 0; s < steps; s++) {
        uint2 p[WW_ACROSS8], q[WW_DOWN16][2];
#pragma unroll
        for (uint n = 0; n < WW_ACROSS8; n++)
            p[n] = points[n * 8 * (steps * 4) + s * 4];
#pragma unroll
        for (uint m = 0; m < WW_DOWN16; m++) {
            q[m][0] = queries[m * 16 * (steps * 4) + s * 4];
            q[m][1] = queries[(m * 16 + 8) * (steps * 4) + s * 4];
        }
        WW_EACH_SUM
            ww_mma(sum[m][n], q[m][0], q[m][1], p[n]);
    }
}
#endif

// Lists the points whose sums are not negative, from row `row` and point `point` on.
WW_INLINE void ww_tensor_list(float (*sum)[WW_ACROSS8][4], const ww_knn_args job, const uint row, const uint point,
                              __global uint *counts, __global uint *ids, __global uint *overflow) {
    uint negative = 0xffffffffu;
    WW_EACH_SUM
        negative &= as_uint(sum[m][n][0]) & as_uint(sum[m][n][1]) & as_uint(sum[m][n][2]) & as_uint(sum[m][n][3]);
    if (negative >> 31)
        return;
#pragma unroll
    for (uint n = 0; n < WW_ACROSS8; n++) {
        uint bits = 0;
#pragma unroll
        for (uint m = 0; m < WW_DOWN16; m++)
#pragma unroll
            for (uint e = 0; e < 4; e++)
                bits |= (~as_uint(sum[m][n][e]) >> 31) << (m * 4 + e);
        while (bits) {
            const uint bit = ww_lowest(&bits);
            ww_knn_list(job, row + bit / 4 * 16 + bit % 4 / 2 * 8, point + n * 8 + bit % 2, counts, ids, overflow);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_knn_tensor(__global const uint2 *restrict query_rows, __global const uint2 *restrict base_rows, const ww_knn_args job,
              const uint any_steps, __global uint *restrict counts, __global uint *restrict ids,
              __global uint *restrict overflow) {
    const uint steps = WW_STEPS ? WW_STEPS : any_steps;
    const uint item = (uint)get_local_id(0), warp = item / 32, down = item % 32 / 4, across = item % 4;
    const uint row0 = ((uint)(get_group_id(0) % job.query_groups) * WW_WARPS_DOWN + warp % WW_WARPS_DOWN) * WW_WARP_ROWS;
    const uint part = job.base_first + (uint)(get_group_id(0) / job.query_groups) * job.part;
    const uint begin = part + warp / WW_WARPS_DOWN * (WW_ACROSS8 * 8), end = min(part + job.part, job.base_end);
#if WW_MMA
    __global const uint2 *queries = query_rows + (ulong)(row0 + down) * (steps * 4) + across;
#if WW_STEPS
    // The next points are fetched one iteration ahead.
    uint2 q[WW_DOWN16][WW_STEPS][2], next[WW_STEPS][WW_ACROSS8];
    ww_fetch_queries(queries, q);
    if (begin < end)
        ww_fetch_points(base_rows, begin + down, across, next);
#endif
#endif
    for (uint first = begin; first < end; first += WW_GROUP_POINTS) {
        float sum[WW_DOWN16][WW_ACROSS8][4];
        WW_EACH_SUM
            sum[m][n][0] = sum[m][n][1] = sum[m][n][2] = sum[m][n][3] = 0;
#if !WW_MMA
        ww_tensor_sums(sum, query_rows, base_rows, row0 + down, first + across * 2, steps);
#elif WW_STEPS
        uint2 now[WW_STEPS][WW_ACROSS8];
#pragma unroll
        for (uint s = 0; s < WW_STEPS; s++)
#pragma unroll
            for (uint n = 0; n < WW_ACROSS8; n++)
                now[s][n] = next[s][n];
        if (first + WW_GROUP_POINTS < end)
            ww_fetch_points(base_rows, first + WW_GROUP_POINTS + down, across, next);
#pragma unroll
        for (uint s = 0; s < WW_STEPS; s++)
            WW_EACH_SUM
                ww_mma(sum[m][n], q[m][s][0], q[m][s][1], now[s][n]);
#else
        ww_tensor_sums(sum, queries, base_rows + (ulong)(first + down) * (steps * 4) + across, steps);
#endif
        ww_tensor_list(sum, job, row0 + down, first + across * 2, counts, ids, overflow);
#if WW_MMA
        ww_warp_join();
#endif
    }
}
