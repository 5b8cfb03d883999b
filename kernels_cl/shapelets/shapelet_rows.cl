// SPDX-License-Identifier: Apache-2.0
// What shapelet_diagonal.cl computes, for GPUs: the best correlation of every candidate with every series by diagonals.
// The formulae are there. A group has WW_WG lanes in WW_PARTS parts. A lane holds WW_ROWS consecutive starts of one
// series, its rows, the same in all parts; the parts take turns at the tiles of WW_DIAGONALS neighbouring diagonals of
// the other series, so that a group goes through all diagonals of one length before the next. With WW_SERIES above 1 they
// are so many teams with a series each. The first row's
// covariances, which the next length extends, wait in scratch memory: a number for WW_ROWS cells.
//
// Tried, not taken: rows and windows in local memory, scratch read ahead, 64 lanes in 2 parts: 25 to 38 for 24 ms.
//
// What is sought is the least of |row| - cov(s, u) / |window|, which is never below 0 but by rounding: such floats
// compare as integers, of which NVIDIA and AMD find the least of three in one instruction. A window that is none has NaN.
//
// Columns are in the order (group, row, lane). A group has WW_WG series' rows and takes one series after the other. Local
// memory: four numbers of each row of a lane, and for each team four of each of WW_PIECE windows and the least of each row;
// two barriers for WW_PIECE windows and one more for each length.
#ifndef WW_DIAGONALS
#define WW_DIAGONALS 16
#endif
#ifndef WW_ROWS
#define WW_ROWS 32
#endif
#ifndef WW_PARTS
#define WW_PARTS 4
#endif
#define WW_ITEMS (WW_WG * WW_PARTS)
#ifndef WW_SERIES
#define WW_SERIES 1 // divides WW_PARTS
#endif
#define WW_TEAM (WW_WG * WW_SHARE)
#define WW_SHARE (WW_PARTS / WW_SERIES)
#define WW_PIECE (WW_SERIES == 1 ? 512 : 192)
#define WW_TILES (WW_PIECE / WW_DIAGONALS)

// Row t of a block of WW_DIAGONALS rows: the window of diagonal d is held at place (t + d) % WW_DIAGONALS.
#define WW_HELD(held, d, t) held[((d) + (t)) % WW_DIAGONALS]

// sums, rises, steps, norms: of columns; falls, windows: of series, see shapelet_tables.cl. lefts: of each group, the most
// points from a first row on to its series' end. scratch: `room` numbers of each team of a group. items: groups of columns
// times takes of WW_SERIES series.
kernel __attribute__((reqd_work_group_size(WW_ITEMS, 1, 1))) void
ww_shapelet_rows(global const float *restrict sums, global const float *restrict rises,
                 global const float *restrict steps, global const float *restrict norms,
                 global const float *restrict falls, const uint fallen, global const uint *restrict lefts,
                 global const uint *restrict points, global const float4 *restrict windows, const uint wide,
                 global float *restrict nearest, global float *restrict scratch, const uint room, const uint items,
                 const ww_shapelet_job job) {
    // The row behind the last is read ahead.
    local float4 own[(WW_ROWS + 1) * WW_WG], helds[WW_SERIES * (WW_PIECE + WW_ROWS)];
    local int leasts[WW_SERIES * WW_ROWS * WW_WG];
    const uint id = (uint)get_local_id(0), lane = id % WW_WG, firsts = job.columns / WW_ROWS;
    const uint team = id / WW_TEAM, member = id % WW_TEAM, part = member / WW_WG;
    const uint takes = (job.many + WW_SERIES - 1) / WW_SERIES;
    local float4 *held = helds + team * (WW_PIECE + WW_ROWS);
    local int *least = leasts + team * (WW_ROWS * WW_WG);
    for (uint item = (uint)get_group_id(0); item < items; item += (uint)get_num_groups(0)) {
        // The last teams may have the same series.
        const uint group = item / takes, begun = ww_rest(item, takes, group) * WW_SERIES;
        const uint j = job.first + min(begun + team, job.many - 1);
        const uint left = lefts[group], all = points[j], first = group * WW_WG + lane;
        const uint column = group * (WW_ROWS * WW_WG);
        uint longest = all;
        for (uint s = 0; s < WW_SERIES; s++)
            longest = max(longest, points[job.first + min(begun + s, job.many - 1)]);
        for (uint li = 0; li < job.count; li++) {
            const uint length = job.least + li * job.step, before = li ? length - job.step : 0;
            if (length > left)
                break;
            global const float *step = steps + 2 * ((ulong)li * job.columns + column);
            global const float *norm = norms + (ulong)li * job.columns + column;
            global const float4 *window = windows + ((ulong)(j - job.table) * job.count + li) * wide;
            // Tiles with a window of this length.
            const uint tiles = (all - length + WW_ROWS - 1) / WW_DIAGONALS + 1;
            const uint most = (longest - length + WW_ROWS - 1) / WW_DIAGONALS + 1;
            for (uint begin = 0; begin < most; begin += WW_TILES) {
                const uint end = min(tiles, begin + WW_TILES);
                const uint places = begin < end ? (end - begin) * WW_DIAGONALS + WW_ROWS - 1 : 0;
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint e = id; begin == 0 && e < WW_ROWS * WW_WG; e += WW_ITEMS) {
                    const uint row = e / WW_WG;
                    const float unit = norm[e];
                    // Of a first row f and g are 0.
                    own[e] = (float4)(step[row * WW_WG + e], step[(row + 1) * WW_WG + e], unit > 0 ? 1 / unit : 0.0f, 0);
                }
                for (uint e = member; begin == 0 && e < WW_ROWS * WW_WG; e += WW_TEAM)
                    least[e] = as_int(INFINITY);
                for (uint e = member; e < places; e += WW_TEAM)
                    held[e] = window[begin * WW_DIAGONALS + e];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint t = begin + part; t < end; t += WW_SHARE) {
                    global float *kept = scratch + ((ulong)get_group_id(0) * WW_SERIES + team) * room +
                                         t * (WW_DIAGONALS * WW_WG) + lane;
                    // Rows that some series still has, and that still have a window.
                    const int k0 = (int)(t * WW_DIAGONALS) - (WW_ROWS - 1);
                    const int rows = min((int)(left - length) + 1, (int)(all - length) + 1 - k0);
                    // The first tile's first rows have no window: it begins with the row before its first that has one.
                    const uint skipped = t ? 0 : WW_ROWS - WW_DIAGONALS, late = before + (skipped ? skipped - 1 : 0);
                    if ((int)skipped >= rows)
                        continue;
                    const uint which = first + (skipped ? firsts : 0);
                    // Of the four copies the one that is aligned from here on.
                    global const float *fall = falls + (ulong)((j - job.table) * 4 + late % 4) * fallen + late / 4 * 4;
                    global const float *sum = sums + which;
                    const float rise = rises[(ulong)li * 2 * firsts + which];
                    float cov[WW_DIAGONALS];
#pragma unroll
                    for (uint d = 0; d < WW_DIAGONALS; d++)
                        cov[d] = li ? kept[d * WW_WG] : 0.0f;
                    for (uint l = before; l + 1 < length; l += 4) {
                        global const float4 *fours = (global const float4 *)(fall + t * WW_DIAGONALS + (l - before));
                        float y[WW_DIAGONALS + 4];
#pragma unroll
                        for (uint q = 0; q < WW_DIAGONALS / 4 + 1; q++) {
                            const float4 four = fours[q];
                            y[4 * q] = four.x;
                            y[4 * q + 1] = four.y;
                            y[4 * q + 2] = four.z;
                            y[4 * q + 3] = four.w;
                        }
#pragma unroll
                        for (uint i = 0; i < 4; i++) {
                            const float x = sum[(ulong)(WW_SUMS_OF(job, li) + l - before + i) * 2 * firsts];
#pragma unroll
                            for (uint d = 0; d < WW_DIAGONALS; d++)
                                cov[d] = fma(x, y[d + i], cov[d]);
                        }
                    }
                    local const float4 *at = held + (t - begin) * WW_DIAGONALS + skipped;
                    local const float4 *mine = own + skipped * WW_WG + lane;
                    local int *to = least + skipped * WW_WG + lane;
                    float f[WW_DIAGONALS], g[WW_DIAGONALS], n[WW_DIAGONALS];
#pragma unroll
                    for (uint d = 0; d < WW_DIAGONALS; d++) {
                        const float4 w = at[d];
                        f[d] = w.x;
                        g[d] = w.y;
                        n[d] = w.z;
                        cov[d] = fma(rise, skipped ? at[(int)d - 1].w : w.w, cov[d]);
                        kept[d * WW_WG] = cov[d];
                    }
                    float4 row = mine[0];
#pragma unroll 1
                    for (int from = (int)skipped; from < WW_ROWS && from < rows; from += WW_DIAGONALS) {
#pragma unroll
                        for (uint r = 0; r < WW_DIAGONALS; r++) {
                            if (r % 8 == 0 && from + (int)r >= rows)
                                break;
                            const uint newest = (r + WW_DIAGONALS - 1) % WW_DIAGONALS;
                            const float4 next_row = mine[(r + 1) * WW_WG], w = at[r + WW_DIAGONALS - 1];
                            f[newest] = w.x;
                            g[newest] = w.y;
                            n[newest] = w.z;
                            int value[WW_DIAGONALS];
#pragma unroll
                            for (uint d = 0; d < WW_DIAGONALS; d++) {
                                cov[d] = fma(row.x, WW_HELD(g, d, r), fma(row.y, WW_HELD(f, d, r), cov[d]));
                                value[d] = as_int(fma(-cov[d], WW_HELD(n, d, r), row.z));
                            }
                            int low = value[0], other = value[1];
#pragma unroll
                            for (uint d = 2; d < WW_DIAGONALS; d += 4) {
                                low = min(min(value[d], value[d + 1]), low);
                                if (d + 2 < WW_DIAGONALS)
                                    other = min(min(value[d + 2], value[d + 3]), other);
                            }
                            atomic_min(&to[r * WW_WG], min(low, other));
                            row = next_row;
                        }
                        at += WW_DIAGONALS;
                        mine += WW_DIAGONALS * WW_WG;
                        to += WW_DIAGONALS * WW_WG;
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            global float *to = nearest + ((ulong)j * job.count + li) * job.columns + column;
            for (uint e = member; e < WW_ROWS * WW_WG; e += WW_TEAM)
                to[e] = own[e].z - as_float(least[e]);
        }
    }
}
