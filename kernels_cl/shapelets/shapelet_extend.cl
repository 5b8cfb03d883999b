// SPDX-License-Identifier: Apache-2.0
// The best correlation (raw: the least sum of squared differences) of every candidate with every series, by extending
// the length: for starts s and u, cov(l + 1) = cov(l) + a_s[l] * b_u[l] (shapelet_tables.cl), three operations a cell
// where a length is in the list: multiply-add, times 1 / norm of the window, maximum.
//
// Tried, not taken: 1 or 4 columns, groups of 64, the next row read ahead: 90 to 144 for 87 ms.
//
// A group takes a block of WW_WG * WW_S column vectors and one series, whose windows it goes through in tiles of WW_U;
// a work-item keeps the covariances of its WW_S columns and the tile's windows in registers while the length grows.
// Columns come with the longest reach first, so that a block ends together.
//
// With WW_PARTS above 1 a group's work-items are that many parts with the same columns, each with a tile of its own: the
// best of WW_BLOCK lengths go to local memory, and only the best of all parts to global memory, whose bandwidth would
// else be the limit. Local memory: WW_PARTS * WW_BLOCK numbers a column; two barriers a block. With 1: none.
//
// Parameters: WW_S, WW_U, WW_PARTS, WW_BLOCK; WW_STEP 1: every length from the least on, 0: a list, 2: one length a column
#ifndef WW_S
#define WW_S 2
#endif
#ifndef WW_U
#define WW_U 16
#endif
#ifndef WW_PARTS
#define WW_PARTS 1 // above 1: every length, WW_V 1
#endif
#ifndef WW_BLOCK
#define WW_BLOCK 8
#endif
#define WW_LANES (WW_WG / WW_PARTS)
#ifndef WW_STEP
#define WW_STEP 1
#endif
#if WW_RAW
#define WW_TABLE_ROW (WW_C * WW_U)
#define WW_SUMS 1
#define WW_WORST INFINITY
#define WW_BETTER WW_SMALLER
#elif WW_C == 1
#define WW_TABLE_ROW (2 * WW_U)
#define WW_SUMS 1
#define WW_WORST -INFINITY
#define WW_BETTER WW_LARGER
#else
#define WW_TABLE_ROW ((2 * WW_C + 1) * WW_U)
#define WW_SUMS WW_C
#define WW_WORST -INFINITY
#define WW_BETTER WW_LARGER
#endif

// WW_U neighbouring values of a row into `to`. On GPUs four at a time: rows are aligned for it.
WW_INLINE void ww_read_row(float *to, global const float *place) {
    if (WW_V == 1 && WW_U % 4 == 0) {
#pragma unroll
        for (uint q = 0; q < WW_U / 4; q++) {
            const float4 four = ((global const float4 *)place)[q];
            to[4 * q] = four.x;
            to[4 * q + 1] = four.y;
            to[4 * q + 2] = four.z;
            to[4 * q + 3] = four.w;
        }
    } else {
#pragma unroll
        for (uint q = 0; q < WW_U; q++)
            to[q] = place[q];
    }
}

// One more point: `from` of the columns, whose channels are `plane` apart, `row` of the windows.
WW_INLINE void ww_extend(ww_columns *sum, global const float *from, global const float *row, const ulong plane) {
#pragma unroll
    for (uint ch = 0; ch < WW_C; ch++) {
        ww_columns x[WW_S];
        float ys[WW_U];
#pragma unroll
        for (uint s = 0; s < WW_S; s++)
            x[s] = WW_LOAD_COLUMNS(from + ch * plane + s * (WW_LANES * WW_V));
        ww_read_row(ys, row + ch * WW_U);
#pragma unroll
        for (uint u = 0; u < WW_U; u++) {
            const ww_columns y = (ww_columns)(ys[u]);
#pragma unroll
            for (uint s = 0; s < WW_S; s++) {
                const uint at = ((WW_RAW ? 0 : ch) * WW_S + s) * WW_U + u;
                sum[at] = WW_RAW ? fma(x[s] - y, x[s] - y, sum[at]) : fma(x[s], y, sum[at]);
            }
        }
    }
}

// With parts: one more point, and the best of the tile's windows for each column.
WW_INLINE void ww_best_of_tile(ww_columns *best, ww_columns *sum, global const float *from, global const float *row,
                               const ulong plane) {
    float unit[WW_U];
    ww_extend(sum, from, row, plane);
    if (!WW_RAW)
        ww_read_row(unit, row + WW_U);
#pragma unroll
    for (uint s = 0; s < WW_S; s++) {
#pragma unroll
        for (uint u = 0; u < WW_U; u++) {
            const ww_columns value = WW_RAW ? sum[s * WW_U + u] : sum[s * WW_U + u] * unit[u];
            best[s] = u ? WW_BETTER(value, best[s]) : value;
        }
    }
}
#define WW_STORE_BEST(best, i)                                                                                         \
    _Pragma("unroll") for (uint s = 0; s < WW_S; s++)                                                                  \
        parts[((part * WW_BLOCK + (i)) * WW_S + s) * WW_LANES + lane] = best[s]

kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_extend(global const float *restrict a, global const float *restrict norms, global const float *restrict b,
                   global const uint4 *restrict tiles, global const uint *restrict first_tile,
                   global const uint *restrict reaches, global float *restrict nearest, const ww_shapelet_job job) {
    const uint group = (uint)get_group_id(0), block = group / job.many, j = job.first + ww_rest(group, job.many, block);
    const uint c0 = block * (WW_S * WW_LANES * WW_V), c = c0 + (uint)get_local_id(0) % WW_LANES * WW_V;
    const uint reach = reaches[c0];
    const ulong plane = (ulong)job.longest * job.columns;
    const uint begin = first_tile[j - job.table], end = first_tile[j - job.table + 1];
#if WW_STEP == 2
    const uint shortest = max(reaches[c0 + WW_S * WW_LANES * WW_V - 1], 1u); // of the padding 0
#endif
#if WW_PARTS > 1
    local float parts[WW_PARTS * WW_BLOCK * WW_S * WW_LANES];
    const uint lid = (uint)get_local_id(0), part = lid / WW_LANES, lane = lid % WW_LANES;
    for (uint t = begin; t < end; t += WW_PARTS) {
        // The first tile's windows are the longest.
        const uint4 tile = tiles[min(t + part, end - 1)];
        const uint all = min(reach, tiles[t].z), stop = t + part < end ? min(reach, tile.z) : 0;
        global const float *row = b + (ulong)tile.w * WW_TABLE_ROW;
        global const float *from = a + c;
        global float *to = nearest + (ulong)j * job.count * job.columns + c0;
        ww_columns sum[WW_SUMS * WW_S * WW_U];
#pragma unroll
        for (uint i = 0; i < WW_SUMS * WW_S * WW_U; i++)
            sum[i] = (ww_columns)0;
        for (uint l = 0; l + 1 < job.least && l < stop; l++, row += WW_TABLE_ROW, from += job.columns)
            ww_extend(sum, from, row, plane);
        for (uint l = job.least - 1; l < all; l += WW_BLOCK) {
            if (l + WW_BLOCK <= stop) {
                for (uint i = 0; i < WW_BLOCK; i++, row += WW_TABLE_ROW, from += job.columns) {
                    ww_columns best[WW_S];
                    ww_best_of_tile(best, sum, from, row, plane);
                    WW_STORE_BEST(best, i);
                }
            } else {
                for (uint i = 0; i < WW_BLOCK; i++) {
                    ww_columns best[WW_S];
#pragma unroll
                    for (uint s = 0; s < WW_S; s++)
                        best[s] = (ww_columns)(WW_WORST);
                    if (l + i < stop) {
                        ww_best_of_tile(best, sum, from, row, plane);
                        row += WW_TABLE_ROW;
                        from += job.columns;
                    }
                    WW_STORE_BEST(best, i);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint e = lid; e < WW_BLOCK * WW_S * WW_LANES; e += WW_WG) {
                const uint i = e / (WW_S * WW_LANES);
                float best = parts[e];
#pragma unroll
                for (uint p = 1; p < WW_PARTS; p++)
                    best = WW_BETTER(parts[p * (WW_BLOCK * WW_S * WW_LANES) + e], best);
                if (l + i < all) {
                    global float *const place =
                        to + (ulong)(l + i + 1 - job.least) * job.columns + (e - i * (WW_S * WW_LANES));
                    *place = t == begin ? best : WW_BETTER(*place, best);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
#else
    for (uint t = begin; t < end; t++) {
        const uint4 tile = tiles[t];
        const uint stop = min(reach, tile.z);
        global const float *row = b + (ulong)tile.w * WW_TABLE_ROW;
        global const float *from = a + c;
        global float *to = nearest + (ulong)j * job.count * job.columns + c;
        ww_columns sum[WW_SUMS * WW_S * WW_U];
#pragma unroll
        for (uint i = 0; i < WW_SUMS * WW_S * WW_U; i++)
            sum[i] = (ww_columns)0;
        uint l = 0;
#if WW_STEP == 1
        for (; l + 1 < job.least; l++, row += WW_TABLE_ROW, from += job.columns)
            ww_extend(sum, from, row, plane);
#elif WW_STEP == 0
        uint wanted = job.least;
#if WW_C > 1 && !WW_RAW
        uint li = 0;
#endif
#endif
        for (; l < stop; l++, row += WW_TABLE_ROW, from += job.columns) {
            ww_extend(sum, from, row, plane);
#if WW_STEP == 0
            if (l + 1 != wanted)
                continue;
            wanted += job.step;
#elif WW_STEP == 2
            if (l + 1 < shortest)
                continue;
#endif
#pragma unroll
            for (uint s = 0; s < WW_S; s++) {
                ww_columns best = (ww_columns)(WW_WORST);
#if WW_C > 1 && !WW_RAW
                ww_columns norm[WW_C];
#pragma unroll
                for (uint ch = 0; ch < WW_C; ch++)
#if WW_STEP == 0
                    norm[ch] = WW_LOAD_COLUMNS(norms + ((ulong)ch * job.count + li) * job.columns + c + s * (WW_LANES * WW_V));
#elif WW_STEP == 1
                    norm[ch] = WW_LOAD_COLUMNS(norms + ((ulong)ch * job.count + l + 1 - job.least) * job.columns + c +
                                               s * (WW_LANES * WW_V));
#else
                    norm[ch] = WW_LOAD_COLUMNS(norms + (ulong)ch * job.columns + c + s * (WW_LANES * WW_V));
#endif
#endif
#pragma unroll
                for (uint u = 0; u < WW_U; u++) {
#if WW_RAW
                    // Windows past the series' end: infinitely far.
                    const ww_columns value = sum[s * WW_U + u];
#elif WW_C == 1
                    const ww_columns value = sum[s * WW_U + u] * (ww_columns)(row[WW_U + u]);
#else
                    ww_columns value = (ww_columns)(row[2 * WW_C * WW_U + u]);
#pragma unroll
                    for (uint ch = 0; ch < WW_C; ch++)
                        value = fma(sum[(ch * WW_S + s) * WW_U + u] * (ww_columns)(row[(WW_C + ch) * WW_U + u]), norm[ch],
                                    value);
#endif
                    best = WW_BETTER(value, best);
                }
                global float *const place = to + s * (WW_LANES * WW_V);
#if WW_STEP == 2
                // Nothing is there when the shortest are met first.
                const ww_columns old =
                    t == begin && l + 1 == shortest ? (ww_columns)(WW_WORST) : WW_LOAD_COLUMNS(place);
                best = WW_BETTER(best, old);
                best = WW_LOAD_IDS(reaches + c + s * (WW_LANES * WW_V)) == (ww_column_ids)(l + 1) ? best : old;
#else
                if (t != begin)
                    best = WW_BETTER(WW_LOAD_COLUMNS(place), best);
#endif
                WW_STORE_COLUMNS(best, place);
            }
#if WW_STEP != 2
            to += job.columns;
#endif
#if WW_STEP == 0 && WW_C > 1 && !WW_RAW
            li++;
#endif
        }
    }
#endif
}
