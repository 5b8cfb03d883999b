// SPDX-License-Identifier: Apache-2.0
// Filter for points of few coordinates on a GPU. A work-item has WW_QUERIES queries, at most 8, held in registers with their cuts;
// a tile pair of the chunk is in local memory, where all work-items read the same four points at a time. A pair of
// points costs WW_D multiply-adds and one comparison.
//
// Local memory: 128 * (WW_D + 1) values (+ 128 for cosine). Barriers: two for 128 points.
#define WW_KNN_STEP 128u // points in local memory

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void ww_knn_narrow(WW_KNN_FILTER_ARGUMENTS) {
    __local ww_value4 points[WW_KNN_STEP / 4 * WW_D];
    __local ww_value4 starts[WW_KNN_STEP / 4];
    __local ww_value4 scales[WW_METRIC == WWK_METRIC_COSINE ? WW_KNN_STEP / 4 : 1];
    const uint item = (uint)get_local_id(0);
    const uint row0 = (uint)(get_group_id(0) % job.query_groups) * (WW_WG * WW_QUERIES) + item;
    const uint begin = job.base_first + (uint)(get_group_id(0) / job.query_groups) * job.part;
    const uint end = min(begin + job.part, job.base_end);

    ww_value q[WW_QUERIES][WW_D], cut[WW_QUERIES];
#pragma unroll
    for (uint r = 0; r < WW_QUERIES; r++) {
        const uint row = row0 + r * WW_WG;
        const ulong at = ww_tile_at(job.query_first + min(row, job.query_count - 1), WW_D);
        cut[r] = ww_knn_row_cut(job, row, query_norms, best);
#pragma unroll
        for (uint j = 0; j < WW_D; j++) {
            q[r][j] = queries[at + j * WW_KNN_TILE];
            if (WW_CENTRE)
                q[r][j] -= mean[j];
        }
    }
    for (uint first = begin; first < end; first += WW_KNN_STEP) {
        __global const ww_stored4 *from = (__global const ww_stored4 *)(base + (ulong)first * WW_D);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < WW_KNN_STEP / 4 * WW_D; i += WW_WG) {
            ww_value4 four = ww_stored_four(from + i);
            if (WW_CENTRE)
                four -= (ww_value)mean[i / (WW_KNN_TILE / 4) % WW_D];
            points[i] = four;
        }
        for (uint i = item; i < WW_KNN_STEP; i += WW_WG) {
            ((__local ww_value *)starts)[i] = ww_knn_start(base_norms[first + i]);
            if (WW_METRIC == WWK_METRIC_COSINE)
                ((__local ww_value *)scales)[i] = ww_knn_scale(base_norms[first + i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint c = 0; c < WW_KNN_STEP; c += 4) {
            __local const ww_value4 *four = points + c / WW_KNN_TILE * (WW_D * WW_KNN_TILE / 4) + c % WW_KNN_TILE / 4;
            const ww_value4 start = starts[c / 4];
            ww_value4 sum[WW_QUERIES];
#pragma unroll
            for (uint r = 0; r < WW_QUERIES; r++)
                sum[r] = start;
#pragma unroll
            for (uint j = 0; j < WW_D; j++) {
                const ww_value4 p = four[j * (WW_KNN_TILE / 4)];
#pragma unroll
                for (uint r = 0; r < WW_QUERIES; r++)
                    sum[r] = WW_ADD(sum[r], (ww_value4)q[r][j], p);
            }
            int near = 0;
#pragma unroll
            for (uint r = 0; r < WW_QUERIES; r++) {
                if (WW_METRIC == WWK_METRIC_COSINE)
                    sum[r] *= scales[c / 4];
                near |= ww_any4(sum[r], cut[r]);
            }
            if (!near)
                continue;
            uint bits = 0;
#pragma unroll
            for (uint r = 0; r < WW_QUERIES; r++)
                bits |= ww_near4(sum[r], cut[r], 4 * r);
            while (bits) {
                const uint bit = ww_lowest(&bits);
                ww_knn_list(job, row0 + bit / 4 * WW_WG, first + c + bit % 4, counts, ids, overflow);
            }
        }
    }
}
