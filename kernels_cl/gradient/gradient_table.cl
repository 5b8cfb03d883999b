// SPDX-License-Identifier: Apache-2.0
// Slopes by the points of many channels, from a table of costs that the pass back has filled with W(i,j), what the result changes
// by with the difference of a cell's points (base/slopes.cl): by channel c of x_i the sum over j of W(i,j) (x_ic - y_jc), of the
// signs of these with absolute costs; by y_j the sum over i, negative. Behind cost_table.cl: a matrix product like the costs, with
// differences as they are.
//
// A work-group computes WW_TILE points x WW_SLOPE_TILE channels, a work-item 8 x 4 of them; WW_SLOPE_STEP points of the other series at
// a time are in local memory. Sums are in the order of these points: no atomic operations.
//
// Local memory: WW_SLOPE_STEP * (WW_TILE + WW_SLOPE_TILE) values. Two barriers a step.
#define WW_SLOPE_TILE 32
#define WW_SLOPE_STEP 16
#define WW_SLOPE_ITEMS 64
#define WW_SLOPE_POINTS 8
#define WW_SLOPE_ACROSS (WW_SLOPE_TILE / 4)

typedef struct {
    __global const ww_scalar *values;  // channel 0 of a series
    uint length;
} ww_slope_series;
WW_INLINE ww_slope_series ww_slope_series_of(__global const ww_scalar *values, ulong2 series) {
    ww_slope_series s;
    s.values = values + series.x;
    s.length = (uint)series.y;
    return s;
}

// Brings W of the tile's points with points [q, q + WW_SLOPE_STEP) of the other series together, and these points.
WW_INLINE void ww_slope_bring(__local ww_scalar *weights, __local ww_scalar *points, __global const ww_scalar *table, uint pitch,
                              bool column, ww_slope_series own, ww_slope_series other, uint first_point, uint first_channel,
                              uint channels, uint q, uint lid) {
    for (uint k = lid; k < WW_SLOPE_STEP * WW_TILE; k += WW_SLOPE_ITEMS) {
        // Neighbouring work-items read neighbouring values of a row.
        const uint at = column ? k % WW_TILE : k / WW_SLOPE_STEP, step = column ? k / WW_TILE : k % WW_SLOPE_STEP;
        const uint p = first_point + at, o = q + step;
        const bool here = p < own.length && o < other.length;
        const ulong place = column ? (ulong)o * pitch + p : (ulong)p * pitch + o;
        weights[step * WW_TILE + at] = here ? table[place] : (ww_scalar)0;
    }
    for (uint k = lid; k < WW_SLOPE_STEP * WW_SLOPE_TILE; k += WW_SLOPE_ITEMS) {
        const uint step = k % WW_SLOPE_STEP, channel = k / WW_SLOPE_STEP;
        const uint c = min(first_channel + channel, channels - 1), o = min(q + step, other.length - 1);
        points[step * WW_SLOPE_TILE + channel] = other.values[(ulong)c * other.length + o];
    }
}

// tiles: the first tile of each task, of the side that the slopes are by (`column`).
__kernel __attribute__((reqd_work_group_size(WW_SLOPE_ITEMS, 1, 1))) void
ww_table_slopes(const ww_table_args args, __global const ww_scalar *restrict x_values,
                __global const ulong2 *restrict x_series, __global const ww_scalar *restrict y_values,
                __global const ulong2 *restrict y_series, __global const uint *restrict order,
                __global const uint *restrict tiles, __global const ulong2 *restrict x_table,
                __global const ww_scalar *restrict table, __global const ww_gradient_task *restrict tasks,
                __global ww_scalar *restrict slopes, const uint column, const uint stride) {
    __local ww_scalar weights[WW_SLOPE_STEP * WW_TILE] __attribute__((aligned(32)));
    __local ww_scalar points[WW_SLOPE_STEP * WW_SLOPE_TILE] __attribute__((aligned(32)));
    const uint lid = (uint)get_local_id(0), unit = args.unit_begin + (uint)get_group_id(0);
    if (unit >= args.units)
        return;
    const uint task = ww_table_find(tiles, args.rows, unit, args.row_each), number = unit - tiles[task];
    const uint across = (args.channels + WW_SLOPE_TILE - 1) / WW_SLOPE_TILE, down = number / across;
    const uint x_id = order[3 * (ulong)task], y_id = order[3 * (ulong)task + 1];
    const bool x_other = (x_id & WW_TABLE_OTHER) != 0, y_other = (y_id & WW_TABLE_OTHER) != 0;
    const ww_slope_series x = ww_slope_series_of(x_other ? y_values : x_values,
                                                 (x_other ? y_series : x_series)[x_id & ~WW_TABLE_OTHER]);
    const ww_slope_series y = ww_slope_series_of(y_other ? x_values : y_values,
                                                 (y_other ? x_series : y_series)[y_id & ~WW_TABLE_OTHER]);
    ww_slope_series own = x, other = y;
    if (column) {
        own = y;
        other = x;
    }
    const uint first_point = down * WW_TILE, first_channel = ww_rest(number, across, down) * WW_SLOPE_TILE;
    const uint point = lid / WW_SLOPE_ACROSS * WW_SLOPE_POINTS, channel = lid % WW_SLOPE_ACROSS * 4;
    __global const ww_scalar *costs = table + WW_TABLE_FIRST(x_table[task].x);
    const uint pitch = WW_TABLE_PITCH(x_table[task].x);
    ww_scalar sum[WW_SLOPE_POINTS][4], mine[WW_SLOPE_POINTS][4];
#pragma unroll
    for (int p = 0; p < WW_SLOPE_POINTS; p++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const uint from = min(first_channel + channel + c, args.channels - 1);
            sum[p][c] = 0;
            mine[p][c] = own.values[(ulong)from * own.length + min(first_point + point + p, own.length - 1)];
        }
    for (uint q = 0; q < other.length; q += WW_SLOPE_STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_slope_bring(weights, points, costs, pitch, column, own, other, first_point, first_channel, args.channels, q, lid);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (uint step = 0; step < WW_SLOPE_STEP; step++) {
            const ww_four four = *(__local const ww_four *)(points + step * WW_SLOPE_TILE + channel);
            const ww_scalar theirs[4] = {four.s0, four.s1, four.s2, four.s3};
            const ww_four w0 = *(__local const ww_four *)(weights + step * WW_TILE + point);
            const ww_four w1 = *(__local const ww_four *)(weights + step * WW_TILE + point + 4);
            const ww_scalar w[WW_SLOPE_POINTS] = {w0.s0, w0.s1, w0.s2, w0.s3, w1.s0, w1.s1, w1.s2, w1.s3};
#pragma unroll
            for (int p = 0; p < WW_SLOPE_POINTS; p++)
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    const ww_scalar t = mine[p][c] - theirs[c];
#if WW_COST == 2
                    sum[p][c] += t > 0 ? w[p] : t < 0 ? -w[p] : (ww_scalar)0;
#else
                    sum[p][c] = fma(w[p], t, sum[p][c]);
#endif
                }
        }
    }
    const ulong to = column ? tasks[task].y_slopes : tasks[task].x_slopes;
#pragma unroll
    for (int p = 0; p < WW_SLOPE_POINTS; p++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const uint t = first_point + point + p, at = first_channel + channel + c;
            if (t < own.length && at < args.channels)
                slopes[to + ((ulong)t * args.channels + at) * stride] = sum[p][c];
        }
}
