// SPDX-License-Identifier: Apache-2.0
// The best correlation of every candidate with every series where the lengths are sparse (one channel, z-normalised,
// every start), on CPUs. For one length l the covariances of a diagonal follow from each other: with
//   f[s] = (x[s+l-1] - x[s-1]) / 2,  g[s] = (x[s+l-1] - mean[s]) + (x[s-1] - mean[s-1]),
//   cov(s, u) = cov(s-1, u-1) + f[s] g[u] + f[u] g[s],
// four operations a cell, whatever the step between the lengths is. A work-item holds WW_ROWS consecutive starts of one
// series (its rows) against WW_DIAGONALS neighbouring diagonals. The first row's covariances are extended from length
// to length (shapelet_tables.cl), so the recurrence starts anew after WW_ROWS cells and its error stays small.
//
// Tried, not taken: every length by diagonals: its error at short lengths is above the bound.
//
// Columns are in the order (group, row, work-item). Windows before the first and after the last of a series take part
// in the recurrence, with the series' ends continued, and never in the maximum: their 1 / norm is NaN.
// A group has WW_WG * WW_V series' rows and one series. No local memory, no barrier.
#define WW_SHAPELET_LANES (WW_WG * WW_V)

// One length's rows where cov is a sum of its own products.
WW_INLINE void ww_direct_rows(global float *to, global const float *step, global const float4 *window, const uint lane,
                              const int rows, const bool first) {
    for (int r = 0; r < rows; r++) {
        const ww_columns f = WW_SHAPELET_LOAD_COLUMNS(step + 2 * r * WW_SHAPELET_LANES + lane),
                         g = WW_SHAPELET_LOAD_COLUMNS(step + (2 * r + 1) * WW_SHAPELET_LANES + lane);
        ww_columns best = (ww_columns)(-INFINITY);
#pragma unroll
        for (uint d = 0; d < WW_DIAGONALS; d++) {
            const float4 at = window[r + d];
            best = ww_larger(fma(f, (ww_columns)(at.y), g * (ww_columns)(at.x)) * (ww_columns)(at.z), best);
        }
        if (!first)
            best = ww_larger(WW_SHAPELET_LOAD_COLUMNS(to + r * WW_SHAPELET_LANES), best);
        WW_STORE_COLUMNS(best, to + r * WW_SHAPELET_LANES);
    }
}

// sums, increments, steps: of columns; differences, windows: of series, `wide` windows of each length, from window 1 - WW_ROWS on.
// lefts: of each group, the most points from a first row on to its series' end.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_diagonal(global const float *restrict sums, global const float *restrict increments,
                     global const float *restrict steps, global const float *restrict differences, const uint difference_count,
                     global const uint *restrict lefts, global const uint *restrict points,
                     global const float4 *restrict windows, const uint wide, global float *restrict nearest,
                     const ww_shapelet_args job) {
    const uint item = (uint)get_group_id(0), group = item / job.many, j = job.first + ww_rest(item, job.many, group);
    const uint lane = (uint)get_local_id(0) * WW_V, firsts = job.columns / WW_ROWS, left = lefts[group], all = points[j];
    const uint c0 = group * (WW_ROWS * WW_SHAPELET_LANES) + lane, first = group * WW_SHAPELET_LANES + lane;
    global const float *difference = differences + (ulong)(j - job.table) * 4 * difference_count;
    for (int k0 = 1 - (int)WW_ROWS; k0 <= (int)(all - job.least); k0 += WW_DIAGONALS, difference += WW_DIAGONALS) {
        ww_columns start[WW_DIAGONALS];
#pragma unroll
        for (uint d = 0; d < WW_DIAGONALS; d++)
            start[d] = (ww_columns)0;
        for (uint li = 0, l = 0; li < job.count; li++) {
            const uint length = job.least + li * job.step;
            if ((int)length > (int)all - max(k0, 0) || length > left)
                break;
            const ulong table = ((ulong)(j - job.table) * job.count + li) * wide + (ulong)(k0 + (int)WW_ROWS - 1);
            global const float4 *window = windows + table;
            global const float *from = sums + (ulong)ww_sums_of(job, li) * 2 * firsts + first;
            for (; l + 1 < length; l++, from += 2 * firsts) {
                const ww_columns x = WW_SHAPELET_LOAD_COLUMNS(from);
#pragma unroll
                for (uint d = 0; d < WW_DIAGONALS; d++)
                    start[d] = fma(x, (ww_columns)(difference[l + d]), start[d]);
            }
            l = length;
            const ww_columns increment = WW_SHAPELET_LOAD_COLUMNS(increments + (ulong)li * 2 * firsts + first);
#pragma unroll
            for (uint d = 0; d < WW_DIAGONALS; d++)
                start[d] = fma(increment, (ww_columns)(window[d].w), start[d]);
            // Rows that some series still has, and that still have a window.
            const int rows = min(min((int)WW_ROWS, (int)(left - length) + 1), (int)(all - length) + 1 - k0);
            global float *to = nearest + ((ulong)j * job.count + li) * job.columns + c0;
            global const float *step = steps + 2 * ((ulong)li * job.columns + group * (WW_ROWS * WW_SHAPELET_LANES));
            if (length <= job.direct) {
                ww_direct_rows(to, step, window, lane, rows, k0 == 1 - (int)WW_ROWS);
                continue;
            }
            ww_columns cov[WW_DIAGONALS];
#pragma unroll
            for (uint d = 0; d < WW_DIAGONALS; d++)
                cov[d] = start[d];
            for (int r = 0; r < rows; r += WW_DIAGONALS) {
#pragma unroll
                for (uint i = 0; i < WW_DIAGONALS; i++) {
                    if (r + (int)i >= rows)
                        break;
                    const ww_columns f = WW_SHAPELET_LOAD_COLUMNS(step + 2 * (r + i) * WW_SHAPELET_LANES + lane),
                                     g = WW_SHAPELET_LOAD_COLUMNS(step + (2 * (r + i) + 1) * WW_SHAPELET_LANES + lane);
                    ww_columns best = (ww_columns)(-INFINITY);
#pragma unroll
                    for (uint d = 0; d < WW_DIAGONALS; d++) {
                        // Of a first row f and g are 0.
                        cov[d] = fma(f, (ww_columns)(window[r + i + d].y),
                                     fma(g, (ww_columns)(window[r + i + d].x), cov[d]));
                        const ww_columns value = cov[d] * (ww_columns)(window[r + i + d].z);
                        best = ww_larger(value, best);
                    }
                    if (k0 > 1 - (int)WW_ROWS)
                        best = ww_larger(WW_SHAPELET_LOAD_COLUMNS(to + (r + i) * WW_SHAPELET_LANES), best);
                    WW_STORE_COLUMNS(best, to + (r + i) * WW_SHAPELET_LANES);
                }
            }
        }
    }
}
