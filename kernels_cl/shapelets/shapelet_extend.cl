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
// Parameters: WW_S, WW_U, WW_BLOCK; WW_PARTS: above 1 with every length and WW_V 1 alone; WW_STEP 1: every length from the least
// on, 0: a list, 2: one length a column
#define WW_SHAPELET_LANES (WW_WG / WW_PARTS)
#define WW_NEXT (WW_SHAPELET_LANES * WW_V)      // from a column vector of a work-item to its next
#define WW_WEIGHED (WW_C > 1 && !WW_RAW) // channels have sums of their own, and norms of the columns
#define WW_SUMS (WW_WEIGHED ? WW_C : 1)
#define WW_TABLE_ROW ((WW_RAW ? WW_C : WW_C == 1 ? 2 : 2 * WW_C + 1) * WW_U)
#define WW_WORST (WW_RAW ? INFINITY : -INFINITY)

// The better of two values for a candidate: a `value` that is NaN counts for nothing.
WW_INLINE ww_columns ww_better(const ww_columns value, const ww_columns best) {
    return WW_RAW ? ww_smaller(value, best) : ww_larger(value, best);
}

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
            x[s] = WW_SHAPELET_LOAD_COLUMNS(from + ch * plane + s * WW_NEXT);
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
            best[s] = u ? ww_better(value, best[s]) : value;
        }
    }
}

// The tables of a launch as a work-item sees them: its columns' values, whose channels are `plane` apart, their norms, and the
// rows of windows; its first column vector, and the first of the group.
typedef struct {
    global const float *a, *b, *norms;
    ulong plane;
    uint c, c0;
} ww_extended;

#if WW_PARTS > 1
// ---- every length, in parts

// A group's work-items as parts: this one's part and lane, and the best of WW_BLOCK lengths of each part.
typedef struct {
    uint part, lane;
    local float *best;
} ww_parts;

WW_INLINE void ww_store_best(const ww_parts *of, const float *best, const uint i) {
#pragma unroll
    for (uint s = 0; s < WW_S; s++)
        of->best[((of->part * WW_BLOCK + i) * WW_S + s) * WW_SHAPELET_LANES + of->lane] = best[s];
}

// The best of all parts, of WW_BLOCK lengths from l + 1 on, of which those up to `all` count, into `to`.
WW_INLINE void ww_join_parts(const ww_parts *of, global float *to, const uint l, const uint all, const bool first_tile,
                             const ww_shapelet_args job) {
    for (uint e = (uint)get_local_id(0); e < WW_BLOCK * WW_S * WW_SHAPELET_LANES; e += WW_WG) {
        const uint i = e / (WW_S * WW_SHAPELET_LANES);
        float best = of->best[e];
#pragma unroll
        for (uint p = 1; p < WW_PARTS; p++)
            best = ww_better(of->best[p * (WW_BLOCK * WW_S * WW_SHAPELET_LANES) + e], best);
        if (l + i < all) {
            global float *const place = to + (ulong)(l + i + 1 - job.least) * job.columns + (e - i * (WW_S * WW_SHAPELET_LANES));
            *place = first_tile ? best : ww_better(*place, best);
        }
    }
}

// WW_BLOCK lengths from l + 1 on; the part's windows end at `stop`.
WW_INLINE void ww_extend_block(const ww_parts *of, float *sum, global const float **from, global const float **row,
                               const ulong plane, const uint l, const uint stop, const ww_shapelet_args job) {
    if (l + WW_BLOCK <= stop) {
        for (uint i = 0; i < WW_BLOCK; i++, *row += WW_TABLE_ROW, *from += job.columns) {
            float best[WW_S];
            ww_best_of_tile(best, sum, *from, *row, plane);
            ww_store_best(of, best, i);
        }
    } else {
#pragma unroll 1
        for (uint i = 0; i < WW_BLOCK; i++) {
            float best[WW_S];
#pragma unroll
            for (uint s = 0; s < WW_S; s++)
                best[s] = WW_WORST;
            if (l + i < stop) {
                ww_best_of_tile(best, sum, *from, *row, plane);
                *row += WW_TABLE_ROW;
                *from += job.columns;
            }
            ww_store_best(of, best, i);
        }
    }
}

// All tiles of series j, WW_PARTS at a time. reach: the longest length of the group's columns.
WW_INLINE void ww_extend_tiles(const ww_extended *x, local float *parts, global const uint4 *tiles,
                               global const uint *first_tile, global const uint *reaches, global float *nearest,
                               const uint j, const ww_shapelet_args job) {
    const uint begin = first_tile[j - job.table], end = first_tile[j - job.table + 1], reach = reaches[x->c0];
    const uint lid = (uint)get_local_id(0);
    const ww_parts of = {lid / WW_SHAPELET_LANES, lid % WW_SHAPELET_LANES, parts};
    for (uint t = begin; t < end; t += WW_PARTS) {
        // The first tile's windows are the longest.
        const uint4 tile = tiles[min(t + of.part, end - 1)];
        const uint all = min(reach, tiles[t].z), stop = t + of.part < end ? min(reach, tile.z) : 0;
        global const float *row = x->b + (ulong)tile.w * WW_TABLE_ROW, *from = x->a + x->c;
        float sum[WW_SUMS * WW_S * WW_U];
#pragma unroll
        for (uint i = 0; i < WW_SUMS * WW_S * WW_U; i++)
            sum[i] = 0;
        for (uint l = 0; l + 1 < job.least && l < stop; l++, row += WW_TABLE_ROW, from += job.columns)
            ww_extend(sum, from, row, x->plane);
        for (uint l = job.least - 1; l < all; l += WW_BLOCK) {
            ww_extend_block(&of, sum, &from, &row, x->plane, l, stop, job);
            barrier(CLK_LOCAL_MEM_FENCE);
            ww_join_parts(&of, nearest + (ulong)j * job.count * job.columns + x->c0, l, all, t == begin, job);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
#else
// ---- a tile at a time

// The best of a tile's windows for column vector s; li: the number of the length.
WW_INLINE ww_columns ww_best_window(const ww_extended *x, const ww_columns *sum, global const float *row, const uint s,
                                    const ulong li, const ww_shapelet_args job) {
    ww_columns best = (ww_columns)(WW_WORST), norm[WW_C];
#pragma unroll
    for (uint ch = 0; WW_WEIGHED && ch < WW_C; ch++)
        norm[ch] = WW_SHAPELET_LOAD_COLUMNS(x->norms + ((ulong)ch * job.count + li) * job.columns + x->c + s * WW_NEXT);
#pragma unroll
    for (uint u = 0; u < WW_U; u++) {
        ww_columns value;
        if (WW_RAW) {
            value = sum[s * WW_U + u]; // windows past the series' end: infinitely far
        } else if (WW_C == 1) {
            value = sum[s * WW_U + u] * (ww_columns)(row[WW_U + u]);
        } else {
            value = (ww_columns)(row[2 * WW_C * WW_U + u]);
#pragma unroll
            for (uint ch = 0; ch < WW_C; ch++)
                value = fma(sum[(ch * WW_S + s) * WW_U + u] * (ww_columns)(row[(WW_C + ch) * WW_U + u]), norm[ch], value);
        }
        best = ww_better(value, best);
    }
    return best;
}

// A length of l points of all columns, into `to`. first: nothing is there.
WW_INLINE void ww_store_length(const ww_extended *x, const ww_columns *sum, global const float *row,
                               global const uint *reaches, global float *to, const uint l, const ulong li,
                               const bool first, const ww_shapelet_args job) {
#pragma unroll
    for (uint s = 0; s < WW_S; s++) {
        ww_columns best = ww_best_window(x, sum, row, s, li, job);
        global float *const place = to + s * WW_NEXT;
        if (WW_STEP == 2) {
            const ww_columns old = first ? (ww_columns)(WW_WORST) : WW_SHAPELET_LOAD_COLUMNS(place);
            best = ww_better(best, old);
            best = WW_LOAD_IDS(reaches + x->c + s * WW_NEXT) == (ww_column_ids)(l) ? best : old;
        } else if (!first) {
            best = ww_better(WW_SHAPELET_LOAD_COLUMNS(place), best);
        }
        WW_STORE_COLUMNS(best, place);
    }
}

WW_INLINE void ww_extend_tiles(const ww_extended *x, local float *parts, global const uint4 *tiles,
                               global const uint *first_tile, global const uint *reaches, global float *nearest,
                               const uint j, const ww_shapelet_args job) {
    const uint begin = first_tile[j - job.table], end = first_tile[j - job.table + 1], reach = reaches[x->c0];
    const uint shortest = max(reaches[x->c0 + WW_S * WW_NEXT - 1], 1u); // of the padding 0
    for (uint t = begin; t < end; t++) {
        const uint4 tile = tiles[t];
        const uint stop = min(reach, tile.z);
        global const float *row = x->b + (ulong)tile.w * WW_TABLE_ROW, *from = x->a + x->c;
        global float *to = nearest + (ulong)j * job.count * job.columns + x->c;
        ww_columns sum[WW_SUMS * WW_S * WW_U];
#pragma unroll
        for (uint i = 0; i < WW_SUMS * WW_S * WW_U; i++)
            sum[i] = (ww_columns)0;
        uint l = 0, li = 0, wanted = job.least;
        for (; WW_STEP == 1 && l + 1 < job.least; l++, row += WW_TABLE_ROW, from += job.columns)
            ww_extend(sum, from, row, x->plane);
        for (; l < stop; l++, row += WW_TABLE_ROW, from += job.columns) {
            ww_extend(sum, from, row, x->plane);
            if (WW_STEP == 0 ? l + 1 != wanted : WW_STEP == 2 && l + 1 < shortest)
                continue;
            wanted += job.step;
            // Of one length a column nothing is there when the shortest are met first.
            ww_store_length(x, sum, row, reaches, to, l + 1, WW_STEP == 1 ? (ulong)l + 1 - job.least : li,
                            t == begin && (WW_STEP != 2 || l + 1 == shortest), job);
            if (WW_STEP != 2)
                to += job.columns;
            if (WW_STEP == 0)
                li++;
        }
    }
}
#endif

kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_extend(global const float *restrict a, global const float *restrict norms, global const float *restrict b,
                   global const uint4 *restrict tiles, global const uint *restrict first_tile,
                   global const uint *restrict reaches, global float *restrict nearest, const ww_shapelet_args job) {
    const uint group = (uint)get_group_id(0), block = group / job.many, j = job.first + ww_rest(group, job.many, block);
    const uint c0 = block * (WW_S * WW_NEXT), c = c0 + (uint)get_local_id(0) % WW_SHAPELET_LANES * WW_V;
    const ww_extended x = {a, b, norms, (ulong)job.longest * job.columns, c, c0};
    local float parts[WW_PARTS > 1 ? WW_PARTS * WW_BLOCK * WW_S * WW_SHAPELET_LANES : 1];
    ww_extend_tiles(&x, parts, tiles, first_tile, reaches, nearest, j, job);
}
