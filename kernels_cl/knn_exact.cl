// SPDX-License-Identifier: Apache-2.0
// Exact distances of a chunk: of the points listed for each query, or of all. One work-group a query; no local memory, no
// barrier. Each distance is summed in the order of the coordinates, wherever it is computed: equal points are equally far.

WW_INLINE ww_scalar ww_exact(__global const ww_value *q, __global const ww_value *c, uint dimension, ww_scalar q_norm,
                             ww_scalar c_norm) {
#if WW_METRIC == 5
    uint sum = 0;
    for (uint j = 0; j < dimension; j++)
        sum += popcount(q[j * WW_TILE] ^ c[j * WW_TILE]);
    return (ww_scalar)sum;
#else
    ww_scalar sum = 0;
#if WW_METRIC == 3
    // Half the squared distance of the two directions: exactly 0 for equal points, and never negative.
    if (q_norm == 0 || c_norm == 0)
        return 1;
    const ww_scalar q_scale = 1 / sqrt(q_norm), c_scale = 1 / sqrt(c_norm);
#endif
    for (uint j = 0; j < dimension; j++) {
        const ww_scalar x = q[j * WW_TILE], y = c[j * WW_TILE];
#if WW_METRIC == 0
        sum = fma(x - y, x - y, sum);
#elif WW_METRIC == 1
        sum += fabs(x - y);
#elif WW_METRIC == 2
        sum = fmax(sum, fabs(x - y));
#elif WW_METRIC == 3
        const ww_scalar t = x * q_scale - y * c_scale;
        sum = fma(t, t, sum);
#else
        sum = fma(-x, y, sum);
#endif
    }
#if WW_METRIC == 3
    sum /= 2;
#endif
    return sum;
#endif
}

__kernel __attribute__((reqd_work_group_size(WW_ROW_WG, 1, 1))) void
ww_knn_exact(__global const ww_value *restrict queries, __global const ww_value *restrict base,
             __global const ww_scalar *restrict query_norms, __global const ww_scalar *restrict base_norms,
             const ww_knn_job job, __global const uint *restrict counts, __global const uint *restrict ids,
             __global ww_scalar *restrict values) {
    const uint row = (uint)get_group_id(0), query = job.query_first + row;
    const uint dimension = job.dimension;
    const ulong out = (ulong)row * job.capacity;
    __global const ww_value *q = queries + ww_tile_at(query, dimension);
    const uint count = job.listed ? min(counts[row], job.capacity) : job.base_end - job.base_first;
    for (uint i = (uint)get_local_id(0); i < count; i += WW_ROW_WG) {
        const uint point = job.listed ? ids[out + i] - job.base_id : job.base_first + i;
        values[out + i] =
            ww_exact(q, base + ww_tile_at(point, dimension), dimension, query_norms[query], base_norms[point]);
    }
}
