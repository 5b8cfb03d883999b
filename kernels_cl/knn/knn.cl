// SPDX-License-Identifier: Apache-2.0
// Nearest neighbours of points: what the kernels in knn/ share. No kernel is here: filters are in knn_narrow.cl,
// knn_wide.cl, knn_vector.cl, knn_tensor.cl, distances in knn_exact.cl, norms in knn_points.cl.
//
// Points are stored in tiles of 64: coordinate j of point i at (i / 64 * dimension + j) * 64 + i % 64. Both sides are
// padded to whole pairs of tiles. A search processes the base in chunks. For a chunk a *filter* (knn/knn_narrow.cl,
// knn/knn_wide.cl, knn/knn_vector.cl) lists for every query the points that may be among its k nearest, given the k-th
// best so far; ww_knn_exact computes the distances of those listed, and topk/topk.cl takes the best. The filter works
// with q.c - |c|^2/2 where the metric allows, and accepts every point within its rounding error; results come only from
// ww_knn_exact.
//
// Parameters, all given by the host; the last four but WW_STORED where a text asks for them:
//   WW_METRIC  WWK_METRIC_...
//   WW_DIRECT  1: the filter computes the metric itself (always so for L1, Linf and of bits)
//   WW_CENTRE  1: the filter subtracts `mean` from every point first
//   WW_D       the dimension where it is fixed at compile time, else 0
//   WW_STORED  WWK_STORED_...; of queries WWK_STORED_PRECISION: the host has them widened
//   WW_WG      work-items of a filter's group
//   WW_ROW_WG  work-items of a group that serves one query
#pragma OPENCL FP_CONTRACT OFF
#define WW_KNN_TILE 64u
#define WW_NO_INDEX 0xffffffffu
// Coordinates are words of bits.
#define WW_KNN_WORDS (WW_METRIC == WWK_METRIC_HAMMING || WW_METRIC == WWK_METRIC_JACCARD_BITS)

// A coordinate, and the type of sums of coordinates; with 4 and WW_VECTOR of them together.
#if WW_KNN_WORDS
#define WW_VALUE_NAME uint
#else
#define WW_VALUE_NAME WW_REAL_NAME
#endif
typedef WW_VALUE_NAME ww_value;
typedef WW_PASTE(WW_VALUE_NAME, 4) ww_value4;

// What a coordinate of the base is stored in, alone and four of them, by WW_STORED; of halves the bits.
typedef ww_value ww_stored_0;
typedef uchar ww_stored_1;
typedef char ww_stored_2;
typedef ushort ww_stored_3;
typedef ww_value4 ww_stored4_0;
typedef uchar4 ww_stored4_1;
typedef char4 ww_stored4_2;
typedef ushort4 ww_stored4_3;
typedef WW_PASTE(ww_stored_, WW_STORED) ww_stored;
typedef WW_PASTE(ww_stored4_, WW_STORED) ww_stored4;
// It is read by these alone: one; four, which begin at a multiple of four; WW_VECTOR of them.
#define WW_STORED_TO(count) WW_PASTE(convert_, WW_PASTE(WW_VALUE_NAME, count))
WW_INLINE ww_value ww_stored_value(__global const ww_stored *at) {
    return WW_STORED == WWK_STORED_HALF ? (ww_value)vload_half(0, (__global const half *)at) : (ww_value)*at;
}
WW_INLINE ww_value4 ww_stored_four(__global const ww_stored4 *at) {
    if (WW_STORED == WWK_STORED_HALF)
        return WW_STORED_TO(4)(vloada_half4(0, (__global const half *)at));
    return WW_STORED_TO(4)(*at);
}
#define ww_stored_vector(at)                                                                                           \
    (WW_STORED == WWK_STORED_HALF ? WW_STORED_TO(WW_VECTOR)(WW_PASTE(vload_half, WW_VECTOR)(0, (__global const half *)(at))) \
                                  : WW_STORED_TO(WW_VECTOR)(WW_VLOAD(0, at)))

WW_INLINE ulong ww_tile_at(uint point, uint dimension) {
    return (ulong)(point / WW_KNN_TILE) * dimension * WW_KNN_TILE + point % WW_KNN_TILE;
}

// Coordinates j to j + 3, as they are stored, of a point that begins at `point` in its tile; those after the last one are zero.
WW_INLINE ww_stored4 ww_tile_four(__global const ww_stored *point, uint j, uint dimension) {
    ww_stored4 four = (ww_stored4)0;
    four.x = point[(ulong)j * WW_KNN_TILE];
    if (j + 1 < dimension)
        four.y = point[(ulong)(j + 1) * WW_KNN_TILE];
    if (j + 2 < dimension)
        four.z = point[(ulong)(j + 2) * WW_KNN_TILE];
    if (j + 3 < dimension)
        four.w = point[(ulong)(j + 3) * WW_KNN_TILE];
    return four;
}

// ---- filters

// Sums start at ww_knn_start(), computed from the norm of c where WW_KNN_STARTS is 1; WW_ADD adds a coordinate; a point is listed
// where WW_NEAR is true. What rounding may do to a pair's sum of products is at most margin * (|q| + |c|)^2 (4: margin * |q| * |c|):
// of that the point's share is in its start (its norm is stored as less by that: ww_knn_norms), the query's in its cut, so
// that a far point costs no other anything.
#define WW_KNN_STARTS ((WW_METRIC == WWK_METRIC_L2_SQUARED || WW_METRIC == WWK_METRIC_INNER_PRODUCT) && !WW_DIRECT)
#if WW_KNN_WORDS
#define WW_ADD(sum, q, c) ((sum) + popcount((q) ^ (c)))
#define WW_NEAR(sum, cut) ((sum) < (cut))
#define WW_NEVER 0u
#define WW_ALWAYS 0xffffffffu
#else
#define WW_PRODUCTS (WW_METRIC != WWK_METRIC_L1 && WW_METRIC != WWK_METRIC_LINF && !WW_DIRECT)
#define WW_ADD(sum, q, c)                                                                                              \
    (WW_METRIC == WWK_METRIC_L1 ? (sum) + fabs((q) - (c)) : WW_METRIC == WWK_METRIC_LINF ? fmax((sum), fabs((q) - (c))) \
                                : fma(WW_DIRECT ? (q) - (c) : (q), WW_DIRECT ? (q) - (c) : (c), (sum)))
#define WW_NEAR(sum, cut) (WW_PRODUCTS ? (sum) >= (cut) : (sum) <= (cut))
#define WW_NEVER (WW_PRODUCTS ? (ww_scalar)INFINITY : -(ww_scalar)INFINITY)
#define WW_ALWAYS (-WW_NEVER)
#endif
WW_INLINE ww_value ww_knn_start(ww_scalar norm) {
    return (ww_value)(WW_KNN_STARTS ? norm * (ww_scalar)-0.5 : 0);
}
// Cosine: the sum is q.c; the value compared is q.c/|c|.
WW_INLINE ww_scalar ww_knn_scale(ww_scalar norm) {
    return norm > 0 ? 1 / sqrt(norm) : 0;
}

// The value with which a query's sums are compared (its cut), from the k-th best distance so far (+inf: fewer than k)
// and its squared norm. Points come in the order of their ids: one that equals the k-th best comes after it.
WW_INLINE ww_value ww_knn_cut(ww_knn_args job, ww_scalar best, ww_scalar norm) {
    if (best == (ww_scalar)INFINITY)
        return WW_ALWAYS;
    if (WW_KNN_WORDS)
        return (ww_value)best;
    if (WW_METRIC == WWK_METRIC_INNER_PRODUCT)
        return (ww_value)(-best - job.slack * norm);
    // A query of zeros has distance 1 to all.
    if (WW_METRIC == WWK_METRIC_COSINE)
        return norm == 0 || best == 0 ? WW_NEVER : (ww_value)((1 - best - job.margin) * sqrt(norm));
    if (!WW_KNN_STARTS)
        return best == 0 ? WW_NEVER : (ww_value)(best * (1 + job.margin));
    return best == 0 ? WW_NEVER : (ww_value)((norm - best) / 2 - job.slack * norm);
}

// Lists a point of the base for a row; where a row's list is full, reports that instead.
WW_INLINE void ww_knn_list(ww_knn_args job, uint row, uint point, __global uint *counts, __global uint *ids,
                           __global uint *overflow) {
    const uint id = job.base_id + point;
    if (point >= job.base_end || (job.own != WW_NO_INDEX && id == job.own + row))
        return;
    const uint slot = atomic_inc(counts + row);
    if (slot < job.capacity)
        ids[(ulong)row * job.capacity + slot] = id;
    else
        *overflow = 1;
}

// One bit, at `bit` and above, for each of four sums whose point may be near; whether any may.
WW_INLINE uint ww_near4(ww_value4 sums, ww_value cut, const uint bit) {
    return (uint)WW_NEAR(sums.x, cut) << bit | (uint)WW_NEAR(sums.y, cut) << (bit + 1) |
           (uint)WW_NEAR(sums.z, cut) << (bit + 2) | (uint)WW_NEAR(sums.w, cut) << (bit + 3);
}
WW_INLINE int ww_any4(ww_value4 sums, ww_value cut) {
    return WW_NEAR(sums.x, cut) | WW_NEAR(sums.y, cut) | WW_NEAR(sums.z, cut) | WW_NEAR(sums.w, cut);
}
// Takes the lowest bit out of *bits.
WW_INLINE uint ww_lowest(uint *bits) {
    const uint lowest = 31 - clz(*bits & -*bits);
    *bits &= *bits - 1;
    return lowest;
}

// ---- sums of eight rows by two vectors of four points, of a work-item of knn_wide.cl and lsh/lsh_join.cl

// One coordinate of a row.
WW_INLINE void ww_block_row(ww_value4 *sum, const ww_value q, const ww_value4 p0, const ww_value4 p1) {
    sum[0] = WW_ADD(sum[0], (ww_value4)(q), p0);
    sum[1] = WW_ADD(sum[1], (ww_value4)(q), p1);
}
// `depth` coordinates; one has 2 * `half_side` vectors of each side, of which the block has number `down` (`across`) of either half.
WW_INLINE void ww_block_add(ww_value4 (*sum)[2], __local const ww_value4 *queries, __local const ww_value4 *points,
                            const uint depth, const uint half_side, const uint down, const uint across) {
#pragma unroll
    for (uint j = 0; j < depth; j++) {
        const uint low = j * (2 * half_side), high = low + half_side;
        const ww_value4 p0 = points[low + across], p1 = points[high + across];
        const ww_value4 q0 = queries[low + down], q1 = queries[high + down];
        ww_block_row(sum[0], q0.x, p0, p1);
        ww_block_row(sum[1], q0.y, p0, p1);
        ww_block_row(sum[2], q0.z, p0, p1);
        ww_block_row(sum[3], q0.w, p0, p1);
        ww_block_row(sum[4], q1.x, p0, p1);
        ww_block_row(sum[5], q1.y, p0, p1);
        ww_block_row(sum[6], q1.z, p0, p1);
        ww_block_row(sum[7], q1.w, p0, p1);
    }
}

#define WW_KNN_SIDES __global const ww_value *restrict queries, __global const ww_stored *restrict base,                 \
    __global const ww_scalar *restrict query_norms, __global const ww_scalar *restrict base_norms,                     \
    __global const ww_scalar *restrict mean
#define WW_KNN_FILTER_ARGUMENTS WW_KNN_SIDES, __global const ww_scalar *restrict best, const ww_knn_args job,            \
    __global uint *restrict counts, __global uint *restrict ids, __global uint *restrict overflow

// The cut of a row; for a row that does not exist one that no point passes.
WW_INLINE ww_value ww_knn_row_cut(ww_knn_args job, uint row, __global const ww_scalar *query_norms,
                                  __global const ww_scalar *best) {
    if (row >= job.query_count)
        return WW_NEVER;
    return ww_knn_cut(job, best[(ulong)row * job.k + job.k - 1], query_norms[job.query_first + row]);
}

// The Jaccard distance 1 - |A n B| / |A u B| of two ascending lists of integers; two empty sets are equal.
WW_INLINE ww_scalar ww_jaccard(__global const uint *a, uint a_count, __global const uint *b, uint b_count) {
    uint common = 0, s = 0, t = 0;
    while (s < a_count && t < b_count) {
        const uint x = a[s], y = b[t];
        common += x == y;
        s += x <= y;
        t += y <= x;
    }
    const uint all = a_count + b_count - common;
    return all ? (ww_scalar)(all - common) / (ww_scalar)all : 0;
}
