// SPDX-License-Identifier: Apache-2.0
// The best correlation of every candidate with every series where the lengths are sparse (one channel, z-normalised,
// every start), on CPUs. For one length l the covariances of a diagonal follow from each other: with
//   f[s] = (x[s+l-1] - x[s-1]) / 2,  g[s] = (x[s+l-1] - mean[s]) + (x[s-1] - mean[s-1]),
//   cov(s, u) = cov(s-1, u-1) + f[s] g[u] + f[u] g[s],
// four operations a cell, whatever the step between the lengths is. A work-item holds WW_ROWS consecutive starts of one
// series (its rows) against WW_DIAGONALS neighbouring diagonals. The first row's covariances are extended from length
// to length as in shapelet_extend.cl, so the recurrence starts anew after WW_ROWS cells and its error stays small.
//
// Columns are in the order (group, row, work-item). Windows before the first and after the last of a series take part
// in the recurrence, with the series' ends continued, and never in the maximum: their 1 / norm is NaN.
// A group has WW_WG * WW_V series' rows and one series. No local memory, no barrier.
#ifndef WW_DIAGONALS
#define WW_DIAGONALS 16
#endif
#define WW_LANES (WW_WG * WW_V)

// a: of the first rows. steps: f and g of columns. lefts: of each group, the most points from a first row on to its
// series' end. windows: f and g of the windows, sizes: their 1 / norm; `wide` of each series and length, from window
// 1 - WW_ROWS on.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_diagonal(global const float *restrict a, global const float *restrict steps, global const float *restrict b,
                     global const uint4 *restrict tiles, global const uint *restrict first_tile,
                     global const uint *restrict lefts, global const uint *restrict points,
                     global const float2 *restrict windows, global const float *restrict sizes, const uint wide,
                     global float *restrict nearest, const ww_shapelet_job job) {
    const uint item = (uint)get_group_id(0), group = item / job.many, j = job.first + ww_rest(item, job.many, group);
    const uint lane = (uint)get_local_id(0) * WW_V, firsts = job.columns / WW_ROWS, left = lefts[group];
    const uint c0 = group * (WW_ROWS * WW_LANES) + lane, begin = first_tile[j - job.table];
    for (uint t = begin; t < first_tile[j - job.table + 1]; t++) {
        const uint4 tile = tiles[t];
        const int k0 = (int)tile.y;
        if (tile.z == 0)
            break;
        global const float *row = b + (ulong)tile.w * WW_DIAGONALS;
        global const float *from = a + group * WW_LANES + lane;
        ww_columns start[WW_DIAGONALS];
#pragma unroll
        for (uint d = 0; d < WW_DIAGONALS; d++)
            start[d] = (ww_columns)0;
        for (uint li = 0, l = 0; li < job.count; li++) {
            const uint length = job.least + li * job.step;
            if (length > tile.z || length > left)
                break;
            for (; l < length; l++, row += WW_DIAGONALS, from += firsts) {
                const ww_columns x = WW_LOAD_COLUMNS(from);
#pragma unroll
                for (uint d = 0; d < WW_DIAGONALS; d++)
                    start[d] = fma(x, (ww_columns)(row[d]), start[d]);
            }
            // Rows that some series still has, and that still have a window.
            const int rows = min(min((int)WW_ROWS, (int)(left - length) + 1), (int)(points[j] - length) + 1 - k0);
            const ulong table = ((ulong)(j - job.table) * job.count + li) * wide + (ulong)(k0 + (int)WW_ROWS - 1);
            global const float2 *window = windows + table;
            global const float *size = sizes + table;
            global float *to = nearest + ((ulong)j * job.count + li) * job.columns + c0;
            global const float *step = steps + 2 * ((ulong)li * job.columns + group * (WW_ROWS * WW_LANES));
            ww_columns cov[WW_DIAGONALS];
#pragma unroll
            for (uint d = 0; d < WW_DIAGONALS; d++)
                cov[d] = start[d];
            for (int r = 0; r < rows; r += WW_DIAGONALS) {
#pragma unroll
                for (uint i = 0; i < WW_DIAGONALS; i++) {
                    if (r + (int)i >= rows)
                        break;
                    const ww_columns f = WW_LOAD_COLUMNS(step + 2 * (r + i) * WW_LANES + lane),
                                     g = WW_LOAD_COLUMNS(step + (2 * (r + i) + 1) * WW_LANES + lane);
                    ww_columns best = (ww_columns)(-INFINITY);
#pragma unroll
                    for (uint d = 0; d < WW_DIAGONALS; d++) {
                        // Of a first row f and g are 0.
                        cov[d] = fma(f, (ww_columns)(window[r + i + d].y),
                                     fma(g, (ww_columns)(window[r + i + d].x), cov[d]));
                        const ww_columns value = cov[d] * (ww_columns)(size[r + i + d]);
                        best = WW_LARGER(value, best);
                    }
                    if (t != begin)
                        best = WW_LARGER(WW_LOAD_COLUMNS(to + (r + i) * WW_LANES), best);
                    WW_STORE_COLUMNS(best, to + (r + i) * WW_LANES);
                }
            }
        }
    }
}
