// SPDX-License-Identifier: Apache-2.0
// Exact distances of a chunk: of the points listed for each query, or of all. One work-group a query; no local memory, no
// barrier. Each distance is summed in the order of the coordinates, wherever it is computed: equal points have equal
// distances.
//
// With WW_EXACT_ROWS both sides are in row order (ww_knn_rows): listed points are anywhere, and from tiles a whole
// sector of memory would be read for each coordinate. On a CPU (WW_ROW_WG 1) WW_VECTOR neighbours in a tile are
// computed together, where all are needed.

WW_INLINE ulong ww_exact_at(uint point, uint dimension) {
    return WW_EXACT_ROWS ? (ulong)point * ((dimension + 3) / 4 * 4) : ww_tile_at(point, dimension);
}

// One more coordinate of a sum. Cosine: half the squared distance of the two directions, which is exactly 0 for equal
// points, and never negative.
#if WW_KNN_WORDS
#define WW_EXACT_ADD(sum, x, y, x_scale, y_scale) ((sum) + popcount((x) ^ (y)))
#elif WW_METRIC == WWK_METRIC_COSINE
#define WW_EXACT_ADD(sum, x, y, x_scale, y_scale)                                                                      \
    fma((x) * (x_scale) - (y) * (y_scale), (x) * (x_scale) - (y) * (y_scale), (sum))
#else
#define WW_EXACT_ADD(sum, x, y, x_scale, y_scale)                                                                      \
    (WW_METRIC == WWK_METRIC_L2_SQUARED ? fma((x) - (y), (x) - (y), (sum)) : WW_METRIC == WWK_METRIC_L1 ? (sum) + fabs((x) - (y)) \
     : WW_METRIC == WWK_METRIC_INNER_PRODUCT ? fma(-(x), (y), (sum)) : fmax((sum), fabs((x) - (y))))
#endif

// The distance from its sum. Jaccard's from the bits that differ and the members of both, all whole numbers except the
// result: 0 for two empty sets.
WW_INLINE ww_scalar ww_exact_of(ww_value sum, ww_scalar q_norm, ww_scalar c_norm) {
    const ww_scalar all = (ww_scalar)sum;
    if (WW_METRIC == WWK_METRIC_JACCARD_BITS)
        return all > 0 ? all / ((q_norm + c_norm + all) / 2) : 0;
    return WW_METRIC == WWK_METRIC_COSINE ? all / 2 : all;
}

// Four coordinates of a sum.
WW_INLINE ww_value ww_exact_four(ww_value sum, ww_value4 x, ww_value4 y, ww_scalar x_scale, ww_scalar y_scale) {
    sum = WW_EXACT_ADD(sum, x.x, y.x, x_scale, y_scale);
    sum = WW_EXACT_ADD(sum, x.y, y.y, x_scale, y_scale);
    sum = WW_EXACT_ADD(sum, x.z, y.z, x_scale, y_scale);
    return WW_EXACT_ADD(sum, x.w, y.w, x_scale, y_scale);
}

// Of two rows, each of `vectors` times four coordinates: their padding adds nothing.
WW_INLINE ww_scalar ww_exact_rows(__global const ww_value4 *q, __global const ww_stored4 *c, uint vectors,
                                  ww_scalar q_norm, ww_scalar c_norm) {
    ww_value sum = 0;
    if (WW_METRIC == WWK_METRIC_COSINE && (q_norm == 0 || c_norm == 0))
        return 1;
    const ww_scalar q_scale = WW_METRIC == WWK_METRIC_COSINE ? ww_knn_scale(q_norm) : 1;
    const ww_scalar c_scale = WW_METRIC == WWK_METRIC_COSINE ? ww_knn_scale(c_norm) : 1;
    (void)q_scale, (void)c_scale;
    for (uint v = 0; v < vectors; v++)
        sum = ww_exact_four(sum, q[v], ww_stored_four(c + v), q_scale, c_scale);
    return ww_exact_of(sum, q_norm, c_norm);
}

WW_INLINE ww_scalar ww_exact(__global const ww_value *q, __global const ww_stored *c, uint dimension, ww_scalar q_norm,
                             ww_scalar c_norm) {
    if (WW_EXACT_ROWS)
        return ww_exact_rows((__global const ww_value4 *)q, (__global const ww_stored4 *)c, (dimension + 3) / 4, q_norm,
                             c_norm);
    if (WW_METRIC == WWK_METRIC_COSINE && (q_norm == 0 || c_norm == 0))
        return 1;
    const ww_scalar q_scale = WW_METRIC == WWK_METRIC_COSINE ? ww_knn_scale(q_norm) : 1;
    const ww_scalar c_scale = WW_METRIC == WWK_METRIC_COSINE ? ww_knn_scale(c_norm) : 1;
    (void)q_scale, (void)c_scale;
    ww_value sum = 0;
    for (uint j = 0; j < dimension; j++)
        sum = WW_EXACT_ADD(sum, q[j * WW_KNN_TILE], ww_stored_value(c + j * WW_KNN_TILE), q_scale, c_scale);
    return ww_exact_of(sum, q_norm, c_norm);
}

// The same for several points, where a kernel text has vectors; cosine's scales and Jaccard's quotients are computed by
// the function above.
#define WW_EXACT_TOGETHER                                                                                              \
    (!WW_EXACT_ROWS && WW_ROW_WG == 1 && WW_VECTOR > 1 && WW_METRIC != WWK_METRIC_COSINE &&                            \
     WW_METRIC != WWK_METRIC_JACCARD_BITS)
#if WW_EXACT_TOGETHER
typedef WW_PASTE(WW_VALUE_NAME, WW_VECTOR) ww_exact_values;
#endif

__kernel __attribute__((reqd_work_group_size(WW_ROW_WG, 1, 1))) void
ww_knn_exact(__global const ww_value *restrict queries, __global const ww_stored *restrict base,
             __global const ww_scalar *restrict query_norms, __global const ww_scalar *restrict base_norms,
             const ww_knn_args job, __global const uint *restrict counts, __global const uint *restrict ids,
             __global ww_scalar *restrict values) {
    const uint row = (uint)get_group_id(0), query = job.query_first + row;
    const uint dimension = job.dimension;
    const ulong out = (ulong)row * job.capacity;
    __global const ww_value *q = queries + ww_exact_at(query, dimension);
    const uint count = job.listed ? min(counts[row], job.capacity) : job.base_end - job.base_first;
    uint done = 0;
#if WW_EXACT_TOGETHER
    for (; !job.listed && done + WW_VECTOR <= count; done += WW_VECTOR) {
        __global const ww_stored *c = base + ww_tile_at(job.base_first + done, dimension);
        ww_exact_values sum = 0;
        for (uint j = 0; j < dimension; j++)
            sum = WW_EXACT_ADD(sum, (ww_exact_values)q[j * WW_KNN_TILE], ww_stored_vector(c + j * WW_KNN_TILE), 0, 0);
#if WW_METRIC == WWK_METRIC_HAMMING
        WW_VSTORE(WW_PASTE(convert_, WW_PASTE(WW_REAL_NAME, WW_VECTOR))(sum), 0, values + out + done);
#else
        WW_VSTORE(sum, 0, values + out + done);
#endif
    }
#endif
    for (uint i = done + (uint)get_local_id(0); i < count; i += WW_ROW_WG) {
        const uint point = job.listed ? ids[out + i] - job.base_id : job.base_first + i;
        values[out + i] =
            ww_exact(q, base + ww_exact_at(point, dimension), dimension, query_norms[query], base_norms[point]);
    }
}
