// SPDX-License-Identifier: Apache-2.0
// Hashing, many queries at a time, by matrix units (l2 and cosine): as ww_lsh_join (lsh_join.cl), but which points of a
// bucket may be near to whom is told by the signs of products of halves (knn_halves.cl), 32 queries by 64 points at a
// time. What may be near is computed from both rows, in the order of the coordinates.
//
// Points become rows [ c_0 ... c_d-1  n n'  0 ... ], n n' in places WW_SLOT and WW_SLOT + 1. A query is such a row with
// ones there, and its sums begin with t: so one set of rows serves both sides.
//
// A warp's 32 work-items hold a query each, with its list in registers (WW_LIST), and make the products of the 32 together. The
// warps of a group have different queries and the same points. Local memory: 76 bytes a work-item and 512 a warp. Barriers:
// two for 64 points; with WW_MMA the warps do not wait for each other.
#define WW_SLOT ((WW_D + 1) / 2 * 2)
#define WW_WIDTH ((WW_SLOT + 2 + 15) / 16 * 16)
#define WW_STEPS (WW_WIDTH / 16)
#define WW_WARPS (WW_JOIN_WG / 32)
#define WW_VECTORS ((WW_D + 3) / 4)
#define WW_ROW_VECTORS (WW_STEPS * 2) // 16 bytes each
#define WW_ONES 0x3c003c00u // two halves
#define WW_ACROSS8 (WW_STEPS <= 2 && !WW_DOUBLE ? 4 : 2) // eights of points whose sums stand together
#if WW_MMA
#define ww_join_meet() ww_warp_join()
// What a work-item has of a row: in two steps of sixteen places it has eight of 32 that stand together, so that a row of 64
// bytes is one access of four work-items; an odd step more is four of sixteen.
#define WW_PAIRS (WW_STEPS / 2)
WW_INLINE void ww_join_part(__global const uint4 *row, uint across, uint2 *part) {
#pragma unroll
    for (uint s = 0; s < WW_PAIRS; s++) {
        const uint4 eight = row[s * 4 + across];
        part[2 * s] = eight.lo;
        part[2 * s + 1] = eight.hi;
    }
    if (WW_STEPS % 2)
        part[WW_STEPS - 1] = ((__global const uint2 *)(row + WW_PAIRS * 4))[across];
}
// Whose part has the places WW_SLOT and WW_SLOT + 1, and in which step of its own.
#define WW_SLOT_ODD (WW_SLOT / 32 == WW_PAIRS)
#define WW_SLOT_ACROSS (WW_SLOT_ODD ? WW_SLOT % 16 / 4 : WW_SLOT % 32 / 8)
#define WW_SLOT_STEP (WW_SLOT_ODD ? WW_STEPS - 1 : WW_SLOT / 32 * 2 + WW_SLOT % 8 / 4)
#else
#define ww_join_meet() barrier(CLK_LOCAL_MEM_FENCE)
#endif

// Rows of halves of `count` points; norms from `first_norm` on.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_halves(__global const ww_value4 *restrict rows, __global const ww_value4 *restrict mean,
              __global const ww_scalar *restrict norms, const uint first_norm, const uint count, const float scale,
              __global half *restrict halves) {
    const uint point = (uint)get_global_id(0);
    if (point >= count)
        return;
    const ww_scalar norm = norms[first_norm + point], by = ww_tensor_scale(norm, scale);
    const ulong row = (ulong)point * WW_WIDTH;
    for (uint v = 0; v < WW_WIDTH / 4; v++) {
        ww_value4 four = (ww_value4)0;
        if (v < WW_VECTORS)
            four = WW_JOIN_TAKE(rows[(ulong)point * WW_VECTORS + v], v) * by;
        vstore_half4_rte((float4)((float)four.x, (float)four.y, (float)four.z, (float)four.w), 0, halves + row + 4 * v);
    }
    ww_store_above(ww_tensor_point((float)(norm * by * by), WW_WIDTH), row + WW_SLOT, halves);
}

// A query's t.
WW_INLINE float ww_join_tensor_cut(ww_scalar radius, ww_scalar norm, float scale) {
    if (radius == (ww_scalar)INFINITY || (WW_METRIC == 3 ? norm == 0 : scale == 0))
        return WW_PASSES_ALL;
    return ww_tensor_cut(norm, radius, WW_WIDTH, scale, scale * scale);
}

__kernel __attribute__((reqd_work_group_size(WW_JOIN_WG, 1, 1))) void
ww_lsh_join_tensor(WW_JOIN_ARGUMENTS, __global const uint4 *restrict query_halves,
                   __global const uint4 *restrict base_halves, const float scale) {
    __local ulong near[WW_JOIN_WG];
    __local float cuts[WW_JOIN_WG];
    __local uint ids[2][WW_WARPS][64];
    const uint item = (uint)get_local_id(0), warp = item / 32, lane = item % 32, down = lane / 4, across = lane % 4;
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint query_end = min(task.y + WW_JOIN_WG, query_offsets[task.x + 1]);
    const uint begin = offsets[task.x], end = offsets[task.x + 1];
#if WW_MMA
    if (task.y + warp * 32 >= query_end)
        return;
#endif
    // The work-item's own query.
    const bool mine = task.y + item < query_end;
    const uint row = query_entries[min(task.y + item, query_end - 1)];
    const ulong list = ww_join_list(job, task.x, row);
    const uint own = job.own == WW_NOBODY ? WW_NOBODY : job.own + row; // which it meets in every table
    const ww_scalar norm = query_norms[job.query_first + row];
    __global const ww_value4 *query = queries + (ulong)(job.query_row + row) * WW_VECTORS;
#if WW_LIST
    ww_scalar near_values[WW_LIST];
    uint near_ids[WW_LIST];
    bool changed = false;
    // Merging empties all lists but the first. (The last row's list is not for work-items without a query to read.)
    ww_near_start(job.k, !mine || list >= (ulong)job.rows * job.k, best_values + list, best_ids + list, near_values,
                  near_ids);
    const ww_scalar limit = radii[row];
    ww_scalar radius = fmin(limit, near_values[WW_LIST - 1]);
#else
    ww_scalar radius = ww_join_radius(job, list, row, radii, best_values);
#endif
    cuts[item] = mine ? ww_join_tensor_cut(radius, norm, scale) : -(float)INFINITY;
    const bool many = query_end - task.y > warp * 32 + 16; // than sixteen queries of the warp's
    // Rows down and down + 8 of each sixteen of the warp's queries.
    __global const uint4 *from[4];
#pragma unroll
    for (uint h = 0; h < 4; h++)
        from[h] = query_halves +
                  (ulong)(job.query_row + query_entries[min(task.y + warp * 32 + h * 8 + down, query_end - 1)]) *
                      WW_ROW_VECTORS;
#if WW_MMA
    uint2 q[4][WW_STEPS];
#pragma unroll
    for (uint h = 0; h < 4; h++) {
        ww_join_part(from[h], across, q[h]);
        if (across == WW_SLOT_ACROSS) {
            if (WW_SLOT % 4)
                q[h][WW_SLOT_STEP].y = WW_ONES;
            else
                q[h][WW_SLOT_STEP].x = WW_ONES;
        }
    }
#endif
    uint turn = 0;
    for (uint first = begin; first < end; first += 64, turn ^= 1) {
        const uint there = min(end - first, 64u);
        __local uint *points = ids[turn][warp];
        points[lane] = entries[min(first + lane, end - 1)];
        points[lane + 32] = entries[min(first + lane + 32, end - 1)];
        ww_join_meet();
        float t[4];
        uint bits[4];
#pragma unroll
        for (uint h = 0; h < 4; h++) {
            t[h] = cuts[warp * 32 + h * 8 + down];
            bits[h] = 0;
        }
        for (uint n0 = 0; n0 * 8 < there; n0 += WW_ACROSS8) {
            float sum[2][WW_ACROSS8][4];
#pragma unroll
            for (uint m = 0; m < 2; m++)
#pragma unroll
                for (uint n = 0; n < WW_ACROSS8; n++) {
                    sum[m][n][0] = sum[m][n][1] = t[2 * m];
                    sum[m][n][2] = sum[m][n][3] = t[2 * m + 1];
                }
#if WW_MMA
            uint2 p[WW_ACROSS8][WW_STEPS];
#pragma unroll
            for (uint n = 0; n < WW_ACROSS8; n++)
                ww_join_part(base_halves + (ulong)points[(n0 + n) * 8 + down] * WW_ROW_VECTORS, across, p[n]);
#pragma unroll
            for (uint m = 0; m < 2; m++)
                if (m == 0 || many)
#pragma unroll
                    for (uint s = 0; s < WW_STEPS; s++)
#pragma unroll
                        for (uint n = 0; n < WW_ACROSS8; n++)
                            ww_mma(sum[m][n][0], sum[m][n][1], sum[m][n][2], sum[m][n][3], q[2 * m][s],
                                   q[2 * m + 1][s], p[n][s]);
#else
            for (uint n = 0; n < WW_ACROSS8; n++)
                for (uint m = 0; m < 2; m++)
                    for (uint e = 0; e < 4; e++) {
                        __global const half *c = WW_ROW_HALVES(
                            base_halves, points[(n0 + n) * 8 + across * 2 + e % 2], WW_WIDTH);
                        __global const half *x = (__global const half *)from[2 * m + e / 2];
                        float total = sum[m][n][e] + (vload_half(WW_SLOT, c) + vload_half(WW_SLOT + 1, c));
                        for (uint j = 0; j < WW_D; j++)
                            total = fma(vload_half(j, x), vload_half(j, c), total);
                        sum[m][n][e] = total;
                    }
#endif
            uint negative = 0xffffffffu;
#pragma unroll
            for (uint m = 0; m < 2; m++)
#pragma unroll
                for (uint n = 0; n < WW_ACROSS8; n++)
                    negative &=
                        as_uint(sum[m][n][0]) & as_uint(sum[m][n][1]) & as_uint(sum[m][n][2]) & as_uint(sum[m][n][3]);
            if (!(negative >> 31))
#pragma unroll
                for (uint n = 0; n < WW_ACROSS8; n++)
#pragma unroll
                    for (uint m = 0; m < 2; m++)
#pragma unroll
                        for (uint e = 0; e < 4; e++)
                            bits[2 * m + e / 2] |= (~as_uint(sum[m][n][e]) >> 31) << (n * 2 + e % 2) << n0 * 2;
        }
        // Who is near to a query: sixteen bits from each of the four work-items that have its sums.
        // Of their last eight points some may not be there.
        const int some = clamp((int)(there % 8) - (int)(2 * across), 0, 2);
        const uint valid = (1u << (there / 8 * 2 + (uint)some)) - 1;
#pragma unroll
        for (uint h = 0; h < 4; h++)
            ((__local ushort *)near)[(warp * 32 + h * 8 + down) * 4 + across] = (ushort)(bits[h] & valid);
        ww_join_meet();
        for (ulong left = near[item]; left; left &= left - 1) {
            const uint bit = 63 - (uint)clz(left & -left), c = bit % 16 / 2 * 8 + bit / 16 * 2 + bit % 2;
            const uint point = points[c], id = job.base_id + point;
            if (id == own)
                continue;
            const ww_scalar distance =
                ww_join_exact(query, base + (ulong)point * WW_VECTORS, WW_VECTORS, norm,
                              base_norms[job.base_first + point]);
#if WW_LIST
            if (distance <= radius && !(removed && (removed[id / 32] >> id % 32 & 1u))) {
                ww_near_insert(near_values, near_ids, distance, id);
                changed = true;
                radius = fmin(limit, near_values[WW_LIST - 1]);
                cuts[item] = ww_join_tensor_cut(radius, norm, scale);
            }
#else
            const ww_scalar now =
                ww_join_offer(job, list, row, point, distance, removed, radii, best_values, best_ids);
            if (now < radius)
                cuts[item] = ww_join_tensor_cut(now, norm, scale);
            radius = now;
#endif
        }
    }
#if WW_LIST
    if (changed)
        ww_near_store(job.k, near_values, near_ids, best_values + list, best_ids + list);
#endif
}
