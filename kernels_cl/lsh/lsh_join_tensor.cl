// SPDX-License-Identifier: Apache-2.0
// Hashing, many queries at a time, by matrix units (l2 and cosine): as ww_lsh_join (lsh/lsh_join.cl), but the signs of
// products of halves (knn/knn_halves.cl) tell which pairs of a bucket may be near, 32 queries by 64 points at a time.
// The distances of these pairs are computed from both rows, in the order of the coordinates.
//
// Tried, not taken: two to eight warps a group, long tasks first: within 3 %.
//
// Points become rows [ c_0 ... c_d-1  n n'  0 ... ], n n' in places WW_SLOT and WW_SLOT + 1. A query is such a row with
// ones there, and its sums begin with t: so the same rows are used for both sides.
//
// A group is a warp: 32 work-items hold a query each, with its list in registers (WW_LSH_LIST), and compute the products of
// the 32 together. Local memory: 896 bytes. Barriers: two for 64 points (with WW_MMA the warp's own).
#define WW_SLOT ((WW_D + 1) / 2 * 2)
#define WW_WIDTH ((WW_SLOT + 2 + 15) / 16 * 16)
#define WW_LSH_STEPS (WW_WIDTH / 16)
#define WW_ROW_VECTORS (WW_LSH_STEPS * 2) // 16 bytes each
#define WW_ONES 0x3c003c00u // two halves
#define WW_LSH_ACROSS8 (WWK_DOUBLE ? 1 : WW_LSH_STEPS <= 2 ? 4 : 2) // groups of eight points whose sums are computed together
#if WW_MMA
#define ww_join_meet() ww_warp_join()
#define ww_join_sign(bits, x) ww_push_sign(bits, x)
// The part of a row that a work-item has: in two steps of sixteen places it has eight consecutive ones of 32, so that a
// row of 64 bytes is one access of four work-items; in a last odd step it has four of sixteen.
#define WW_PAIRS (WW_LSH_STEPS / 2)
WW_INLINE void ww_join_part(__global const uint4 *row, uint across, uint2 *part) {
#pragma unroll
    for (uint s = 0; s < WW_PAIRS; s++) {
        const uint4 eight = row[s * 4 + across];
        part[2 * s] = eight.lo;
        part[2 * s + 1] = eight.hi;
    }
    if (WW_LSH_STEPS % 2)
        part[WW_LSH_STEPS - 1] = ((__global const uint2 *)(row + WW_PAIRS * 4))[across];
}
// The work-item whose part has the places WW_SLOT and WW_SLOT + 1, and in which of its steps.
#define WW_SLOT_ODD (WW_SLOT / 32 == WW_PAIRS)
#define WW_SLOT_ACROSS (WW_SLOT_ODD ? WW_SLOT % 16 / 4 : WW_SLOT % 32 / 8)
#define WW_SLOT_STEP (WW_SLOT_ODD ? WW_LSH_STEPS - 1 : WW_SLOT / 32 * 2 + WW_SLOT % 8 / 4)
#else
#define ww_join_meet() barrier(CLK_LOCAL_MEM_FENCE)
#define ww_join_sign(bits, x) bits = 2 * (bits) + ((x) < 0)
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
        if (v < WW_JOIN_VECTORS)
            four = WW_JOIN_TAKE(rows[(ulong)point * WW_JOIN_VECTORS + v], v) * by;
        vstore_half4_rte((float4)((float)four.x, (float)four.y, (float)four.z, (float)four.w), 0, halves + row + 4 * v);
    }
    ww_store_above(ww_tensor_point((float)(norm * by * by), WW_WIDTH), row + WW_SLOT, halves);
}

// A query's t, from the n of its own row. (Cosine: a query of zeros has products of 0, and distance 1 to all.)
WW_INLINE float ww_join_tensor_cut(ww_scalar radius, float n, float scale) {
    if (radius == (ww_scalar)INFINITY || (WW_METRIC != WWK_METRIC_COSINE && scale == 0))
        return WW_PASSES_ALL;
    return ww_tensor_cut(n, radius, WW_WIDTH, scale * scale);
}

// The sums of 32 queries and WW_LSH_ACROSS8 times eight points, which begin with t: of rows down and down + 8 of each sixteen queries
// (numbers 0 and 2 of t, 1 and 3) and two points.
#if WW_MMA
// A query's part, with ones in place of n.
WW_INLINE void ww_join_query(__global const uint4 *row, uint across, uint2 *q) {
    ww_join_part(row, across, q);
    if (across == WW_SLOT_ACROSS) {
        if (WW_SLOT % 4)
            q[WW_SLOT_STEP].y = WW_ONES;
        else
            q[WW_SLOT_STEP].x = WW_ONES;
    }
}
#define WW_JOIN_QUERY(q, h) q[h]
#define WW_JOIN_QUERIES uint2 q[4][WW_LSH_STEPS] // of rows down and down + 8 of each sixteen
WW_INLINE void ww_join_sums(float sum[2][WW_LSH_ACROSS8][4], const float *t, WW_JOIN_QUERIES,
                            __global const uint4 *base_halves, __local const uint *points, uint down, uint across) {
    uint2 p[WW_LSH_ACROSS8][WW_LSH_STEPS];
#pragma unroll
    for (uint n = 0; n < WW_LSH_ACROSS8; n++)
        ww_join_part(base_halves + (ulong)points[n * 8 + down] * WW_ROW_VECTORS, across, p[n]);
#pragma unroll
    for (uint m = 0; m < 2; m++)
#pragma unroll
        for (uint n = 0; n < WW_LSH_ACROSS8; n++)
            ww_mma_upon(sum[m][n], t[2 * m], t[2 * m + 1],
                        q[2 * m][0], q[2 * m + 1][0], p[n][0]);
#pragma unroll
    for (uint s = 1; s < WW_LSH_STEPS; s++)
#pragma unroll
        for (uint m = 0; m < 2; m++)
#pragma unroll
            for (uint n = 0; n < WW_LSH_ACROSS8; n++)
                ww_mma(sum[m][n], q[2 * m][s], q[2 * m + 1][s],
                       p[n][s]);
}
#else
#define WW_JOIN_QUERIES __global const uint4 *q[4] // their rows
#define WW_JOIN_QUERY(q, h) &q[h]
WW_INLINE void ww_join_query(__global const uint4 *row, uint across, __global const uint4 **q) {
    *q = row;
}
WW_INLINE void ww_join_sums(float sum[2][WW_LSH_ACROSS8][4], const float *t, WW_JOIN_QUERIES,
                            __global const uint4 *base_halves, __local const uint *points, uint down, uint across) {
    for (uint n = 0; n < WW_LSH_ACROSS8; n++)
        for (uint m = 0; m < 2; m++)
            for (uint e = 0; e < 4; e++) {
                __global const half *c = WW_ROW_HALVES(
                    base_halves, points[n * 8 + across * 2 + e % 2], WW_WIDTH);
                __global const half *x = (__global const half *)q[2 * m + e / 2];
                float total = t[2 * m + e / 2] + (vload_half(WW_SLOT, c) + vload_half(WW_SLOT + 1, c));
                for (uint j = 0; j < WW_D; j++)
                    total = fma(vload_half(j, x), vload_half(j, c), total);
                sum[m][n][e] = total;
            }
}
#endif

// A bucket's 64 points at a time, of which `there` exist: for each of a work-item's four rows a bit a point, 1 where the sum is
// negative, the last point's lowest.
WW_INLINE void ww_join_signs(uint *far, __local const float *cuts, WW_JOIN_QUERIES, __global const uint4 *base_halves,
                             __local const uint *points, const uint there, const uint down, const uint across) {
    float t[4];
#pragma unroll
    for (uint h = 0; h < 4; h++) {
        t[h] = cuts[h * 8 + down];
        far[h] = 0;
    }
    for (uint n0 = 0; n0 * 8 < there; n0 += WW_LSH_ACROSS8) {
        float sum[2][WW_LSH_ACROSS8][4];
        ww_join_sums(sum, t, q, base_halves, points + n0 * 8, down, across);
#pragma unroll
        for (uint m = 0; m < 2; m++)
#pragma unroll
            for (uint n = 0; n < WW_LSH_ACROSS8; n++)
#pragma unroll
                for (uint e = 0; e < 4; e++)
                    ww_join_sign(far[2 * m + e / 2], sum[m][n][e]);
    }
}

// A bit for each of a bucket's 64 points, of which `there` exist: those near to a query, from the signs of its sums. Sixteen bits from
// each of the four work-items that have its sums, the first point's highest. Some of the last eight points may not exist.
WW_INLINE void ww_join_near(__local ulong *near, const uint *far, const uint there, const uint down, const uint across) {
    const uint after = 16 - (there + 8 * WW_LSH_ACROSS8 - 1) / (8 * WW_LSH_ACROSS8) * (2 * WW_LSH_ACROSS8);
    const int some = clamp((int)(there % 8) - (int)(2 * across), 0, 2);
    const uint valid = 0xffff0000u >> (there / 8 * 2 + (uint)some);
#pragma unroll
    for (uint h = 0; h < 4; h++)
        ((__local ushort *)near)[(h * 8 + down) * 4 + across] = (ushort)(~far[h] << after & valid);
}
// The point of such a bit.
WW_INLINE uint ww_join_point(const uint bit) {
    const uint of = 15 - bit % 16;
    return of / 2 * 8 + bit / 16 * 2 + of % 2;
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void
ww_lsh_join_tensor(WW_JOIN_ARGUMENTS, __global const uint4 *restrict query_halves,
                   __global const uint4 *restrict base_halves, const float scale) {
    __local ulong near[32];
    __local float cuts[32];
    __local uint ids[2][64];
    const uint lane = (uint)get_local_id(0), down = lane / 4, across = lane % 4;
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint query_end = min(task.y + 32, query_offsets[task.x + 1]);
    const uint begin = offsets[task.x], end = offsets[task.x + 1];
    // The work-item's own query.
    const bool mine = task.y + lane < query_end;
    const uint row = query_entries[min(task.y + lane, query_end - 1)];
    const ulong list = ww_join_list(job, task.x, row);
    const ww_scalar norm = WW_JOIN_NORM(query_norms, job.query_first + row);
    __global const ww_value4 *query = queries + (ulong)(job.query_row + row) * WW_JOIN_VECTORS;
    __global const half *ns = WW_ROW_HALVES(query_halves, job.query_row + row, WW_WIDTH) + WW_SLOT;
    const float n = vload_half(0, ns) + vload_half(1, ns);
#if WW_LSH_LIST
    ww_scalar near_values[WW_LSH_LIST];
    uint near_ids[WW_LSH_LIST];
    bool changed = false;
    // Merging empties all lists but the first. (Work-items without a query must not read the last row's list.)
    ww_near_start(!mine || list >= (ulong)job.rows * job.k, best_values + list, best_ids + list, near_values,
                  near_ids);
    const ww_scalar limit = radii[row];
    ww_scalar radius = fmin(limit, near_values[WW_LSH_LIST - 1]);
#else
    ww_scalar radius = ww_join_radius(job, list, row, radii, best_values);
#endif
    cuts[lane] = mine ? ww_join_tensor_cut(radius, n, scale) : -(float)INFINITY;
#if WW_MMA
    uint2 q[4][WW_LSH_STEPS];
#else
    __global const uint4 *q[4];
#endif
#pragma unroll
    for (uint h = 0; h < 4; h++) {
        const uint other = query_entries[min(task.y + h * 8 + down, query_end - 1)];
        ww_join_query(query_halves + (ulong)(job.query_row + other) * WW_ROW_VECTORS, across, WW_JOIN_QUERY(q, h));
    }
    uint turn = 0;
    for (uint first = begin; first < end; first += 64, turn ^= 1) {
        const uint there = min(end - first, 64u);
        __local uint *points = ids[turn];
        points[lane] = entries[min(first + lane, end - 1)];
        points[lane + 32] = entries[min(first + lane + 32, end - 1)];
        ww_join_meet();
        uint far[4];
        ww_join_signs(far, cuts, q, base_halves, points, there, down, across);
        ww_join_near(near, far, there, down, across);
        ww_join_meet();
        for (ulong left = near[lane]; left;) {
            const uint bit = 63 - (uint)clz(left), point = points[ww_join_point(bit)], id = job.base_id + point;
            left ^= 1ul << bit;
            if (ww_join_own(job, row, id)) // the row itself, which is in its bucket of every table
                continue;
            const ww_scalar distance =
                ww_exact_rows(query, base + (ulong)point * WW_JOIN_VECTORS, WW_JOIN_VECTORS, norm,
                              WW_JOIN_NORM(base_norms, job.base_first + point));
#if WW_LSH_LIST
            if (distance <= radius && !ww_join_removed(removed, id)) {
                ww_near_insert(near_values, near_ids, distance, id);
                changed = true;
                radius = fmin(limit, near_values[WW_LSH_LIST - 1]);
                cuts[lane] = ww_join_tensor_cut(radius, n, scale);
            }
#else
            const ww_scalar now =
                ww_join_offer(job, list, row, point, distance, removed, radii, best_values, best_ids);
            if (now < radius)
                cuts[lane] = ww_join_tensor_cut(now, n, scale);
            radius = now;
#endif
        }
    }
#if WW_LSH_LIST
    if (changed)
        ww_near_store(near_values, near_ids, best_values + list, best_ids + list);
#endif
}
