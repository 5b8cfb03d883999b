// SPDX-License-Identifier: Apache-2.0
// Filter for CPUs: one work-item compares a tile of 64 queries with a part of the chunk, WW_QUERIES queries by
// WW_VECTOR points at a time. A tile of the base stays in the L1 cache for all 64 queries. No local memory, no barrier.
//
// Tried, not taken: two vectors of points a query, signs in place of comparisons: no gain.
typedef WW_PASTE(WW_VALUE_NAME, WW_VECTOR) ww_values;

// Whether a comparison is true in any place. (On x86 any() is compiled to a branch for each of the 16.)
#if WW_VECTOR == 16
#define WW_FOLD(m) ((m).lo.lo | (m).lo.hi | (m).hi.lo | (m).hi.hi)
#elif WW_VECTOR == 8
#define WW_FOLD(m) ((m).lo | (m).hi)
#else
#define WW_FOLD(m) (m)
#endif
WW_INLINE int ww_somewhere(ww_mask m) {
    const WW_PASTE(WW_MASK_NAME, 4) four = WW_FOLD(m);
    return (four.x | four.y | four.z | four.w) != 0;
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void ww_knn_vector(WW_KNN_FILTER_ARGUMENTS) {
    const uint dimension = WW_D ? WW_D : job.dimension;
    const uint row0 = (uint)(get_group_id(0) % job.query_groups) * WW_KNN_TILE;
    const uint begin = job.base_first + (uint)(get_group_id(0) / job.query_groups) * job.part;
    const uint end = min(begin + job.part, job.base_end);
    __global const ww_value *tile = queries + (ulong)(job.query_first + row0) * dimension;
    ww_value cuts[WW_KNN_TILE];
    for (uint r = 0; r < WW_KNN_TILE; r++)
        cuts[r] = ww_knn_row_cut(job, row0 + r, query_norms, best);
    const uint rows = min((uint)WW_KNN_TILE, job.query_count - row0);

    for (uint first = begin; first < end; first += WW_KNN_TILE)
        for (uint r0 = 0; r0 < rows; r0 += WW_QUERIES) {
            __global const ww_value *q = tile + r0;
            for (uint v = 0; v < WW_KNN_TILE; v += WW_VECTOR) {
                __global const ww_stored *p = base + (ulong)first * dimension + v;
                ww_values sum[WW_QUERIES];
#if WW_KNN_STARTS
                const ww_values start = WW_VLOAD(0, base_norms + first + v) * (ww_scalar)-0.5;
#else
                const ww_values start = (ww_values)0;
#endif
#pragma unroll
                for (uint r = 0; r < WW_QUERIES; r++)
                    sum[r] = start;
                for (uint j = 0; j < dimension; j++) {
                    const ww_value origin = WW_CENTRE ? (ww_value)mean[j] : 0;
                    ww_values point = ww_stored_vector(p + j * WW_KNN_TILE);
                    if (WW_CENTRE)
                        point -= origin;
#pragma unroll
                    for (uint r = 0; r < WW_QUERIES; r++) {
                        const ww_value query = q[j * WW_KNN_TILE + r];
                        sum[r] = WW_ADD(sum[r], (ww_values)(WW_CENTRE ? query - origin : query), point);
                    }
                }
#if WW_METRIC == WWK_METRIC_COSINE
                const ww_values norm = WW_VLOAD(0, base_norms + first + v);
                const ww_values scale = norm > 0 ? 1 / sqrt(norm) : (ww_values)0;
#pragma unroll
                for (uint r = 0; r < WW_QUERIES; r++)
                    sum[r] *= scale;
#endif
                ww_mask near = 0;
#pragma unroll
                for (uint r = 0; r < WW_QUERIES; r++)
                    near |= WW_NEAR(sum[r], (ww_values)cuts[r0 + r]);
                if (!ww_somewhere(near))
                    continue;
#pragma unroll
                for (uint r = 0; r < WW_QUERIES; r++) {
                    ww_value sums[WW_VECTOR];
                    if (!ww_somewhere(WW_NEAR(sum[r], (ww_values)cuts[r0 + r])))
                        continue;
                    WW_VSTORE(sum[r], 0, sums);
                    for (uint e = 0; e < WW_VECTOR; e++)
                        if (WW_NEAR(sums[e], cuts[r0 + r]))
                            ww_knn_list(job, row0 + r0 + r, first + v + e, counts, ids, overflow);
                }
            }
        }
}
