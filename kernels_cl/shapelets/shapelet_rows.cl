// SPDX-License-Identifier: Apache-2.0
// What shapelet_diagonal.cl computes, for GPUs: the best correlation of every candidate with every series where the
// lengths are sparse. The formulae are there. A work-item holds WW_ROWS consecutive starts of one series against
// WW_DIAGONALS neighbouring diagonals; for one length it goes through all diagonals of the series and keeps the best of
// its rows in registers, so that what a cell reads of memory is little. The first row's covariances, which the next
// length extends, wait in scratch memory: a number for WW_ROWS cells.
//
// Columns are in the order (group, row, work-item). A group has WW_WG series' rows and takes one series after the other.
// No local memory, no barrier.
#ifndef WW_DIAGONALS
#define WW_DIAGONALS 16
#endif
#ifndef WW_ROWS
#define WW_ROWS 32
#endif

// Row t of a block of WW_DIAGONALS rows: the window of diagonal d is held at place (t + d) % WW_DIAGONALS.
#define WW_HELD(held, d, t) held[((d) + (t)) % WW_DIAGONALS]

// a, steps, b, tiles, first_tile, lefts, points: as in shapelet_diagonal.cl. windows: f and g of the windows; sizes: their
// 1 / norm. scratch: `room` numbers of each group. items: groups of columns times series.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_rows(global const float *restrict a, global const float *restrict steps, global const float *restrict b,
                 global const uint4 *restrict tiles, global const uint *restrict first_tile,
                 global const uint *restrict lefts, global const uint *restrict points,
                 global const float2 *restrict windows, global const float *restrict sizes, const uint wide,
                 global float *restrict scratch, const uint room, global float *restrict nearest, const uint items,
                 const ww_shapelet_job job) {
    const uint lane = (uint)get_local_id(0), firsts = job.columns / WW_ROWS;
    for (uint item = (uint)get_group_id(0); item < items; item += (uint)get_num_groups(0)) {
        const uint group = item / job.many, j = job.first + ww_rest(item, job.many, group);
        const uint left = lefts[group], begin = first_tile[j - job.table], end = first_tile[j - job.table + 1];
        global float *first = scratch + (ulong)get_group_id(0) * room + lane;
        for (uint li = 0; li < job.count; li++) {
            const uint length = job.least + li * job.step;
            if (length > left)
                break;
            global const float *step = steps + 2 * ((ulong)li * job.columns + group * (WW_ROWS * WW_WG)) + lane;
            global const float *from = a + group * WW_WG + lane;
            const ulong table = ((ulong)(j - job.table) * job.count + li) * wide + (WW_ROWS - 1);
            float best[WW_ROWS];
#pragma unroll
            for (uint r = 0; r < WW_ROWS; r++)
                best[r] = -INFINITY;
            for (uint t = begin; t < end; t++) {
                const uint4 tile = tiles[t];
                if (tile.z < length)
                    break;
                const int k0 = (int)tile.y;
                global float *kept = first + (t - begin) * (WW_DIAGONALS * WW_WG);
                float cov[WW_DIAGONALS];
#pragma unroll
                for (uint d = 0; d < WW_DIAGONALS; d++)
                    cov[d] = li ? kept[d * WW_WG] : 0.0f;
                for (uint l = li ? length - job.step : 0; l < length; l++) {
                    const float x = from[(ulong)l * firsts];
                    global const float4 *row = (global const float4 *)(b + (ulong)(tile.w + l) * WW_DIAGONALS);
#pragma unroll
                    for (uint d = 0; d < WW_DIAGONALS / 4; d++) {
                        const float4 y = row[d];
                        cov[4 * d] = fma(x, y.x, cov[4 * d]);
                        cov[4 * d + 1] = fma(x, y.y, cov[4 * d + 1]);
                        cov[4 * d + 2] = fma(x, y.z, cov[4 * d + 2]);
                        cov[4 * d + 3] = fma(x, y.w, cov[4 * d + 3]);
                    }
                }
#pragma unroll
                for (uint d = 0; d < WW_DIAGONALS; d++)
                    kept[d * WW_WG] = cov[d];
                // Rows that some series still has, and that still have a window.
                const int rows = min((int)(left - length) + 1, (int)(points[j] - length) + 1 - k0);
                global const float2 *window = windows + (table + (ulong)(long)k0);
                global const float *size = sizes + (table + (ulong)(long)k0);
                float f[WW_DIAGONALS], g[WW_DIAGONALS], n[WW_DIAGONALS];
#pragma unroll
                for (uint d = 0; d + 1 < WW_DIAGONALS; d++) {
                    f[d] = window[d].x;
                    g[d] = window[d].y;
                    n[d] = size[d];
                }
#pragma unroll
                for (uint r = 0; r < WW_ROWS; r++) {
                    if (r % 8 == 0 && (int)r >= rows)
                        break;
                    const uint newest = r + WW_DIAGONALS - 1;
                    f[newest % WW_DIAGONALS] = window[newest].x;
                    g[newest % WW_DIAGONALS] = window[newest].y;
                    n[newest % WW_DIAGONALS] = size[newest];
                    const float own_f = step[2 * r * WW_WG], own_g = step[(2 * r + 1) * WW_WG];
#pragma unroll
                    for (uint d = 0; d < WW_DIAGONALS; d++) {
                        // Of a first row f and g are 0.
                        cov[d] = fma(own_f, WW_HELD(g, d, r), fma(own_g, WW_HELD(f, d, r), cov[d]));
                        best[r] = fmax(cov[d] * WW_HELD(n, d, r), best[r]);
                    }
                }
            }
            global float *to = nearest + ((ulong)j * job.count + li) * job.columns + group * (WW_ROWS * WW_WG) + lane;
#pragma unroll
            for (uint r = 0; r < WW_ROWS; r++)
                to[r * WW_WG] = best[r];
        }
    }
}
