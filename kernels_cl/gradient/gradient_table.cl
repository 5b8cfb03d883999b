// SPDX-License-Identifier: Apache-2.0
// Slopes by the points of many channels, from a table of costs that the pass back has filled with W(i,j), what the result changes
// by with the difference of a cell's points (base/slopes.cl): by channel c of x_i the sum over j of W(i,j) (x_ic - y_jc), of the
// signs of these with absolute costs; by y_j the sum over i, negative. Behind cost_table.cl: a matrix product like the costs, with
// differences as they are.
//
// A work-group computes WW_TILE points x WW_SLOPE_TILE channels, a work-item WW_SLOPE_POINTS x 4 of them; WW_SLOPE_STEP points of the other series at
// a time are in local memory, twice: those of the next step are requested before this one is computed. A step whose W are all 0, as
// most are far from the paths, is left out. Sums are in the order of the points: no atomic operations.
//
// Local memory: 2 WW_SLOPE_STEP (WW_TILE + WW_SLOPE_TILE + 8) values, and two words. A barrier a step.
//
// Parameters: WW_SLOPE_TILE, 32 channels, or 16 where there are no more; WW_SLOPES_DIRECT 1: slopes go where the caller has them, times
// the pair's upstream where there is one.
#ifndef WW_SLOPES_DIRECT
#define WW_SLOPES_DIRECT 0
#endif
#ifndef WW_SLOPE_TILE
#define WW_SLOPE_TILE 32
#endif
#define WW_SLOPE_STEP (WWK_DOUBLE ? 4 : 8)
#define WW_SLOPE_ITEMS 64
#define WW_SLOPE_POINTS (WW_SLOPE_TILE / 4)
#define WW_SLOPE_ACROSS (WW_SLOPE_TILE / 4)
// From one step to the next in local memory: neighbouring work-items use different banks.
#define WW_WEIGHTS_APART (WW_TILE + 4)
#define WW_POINTS_APART (WW_SLOPE_TILE + 4)
#define WW_WEIGHT_FETCHES (WW_TILE * WW_SLOPE_STEP / WW_SLOPE_ITEMS)
#define WW_POINT_FETCHES (WW_SLOPE_TILE * WW_SLOPE_STEP / WW_SLOPE_ITEMS)

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

// What a work-item brings of a step: W of some of the tile's points with some of the other series', and some channels of these. W is
// read along the rows of the table: by rows a step's points are side by side there, by columns the tile's.
typedef struct {
    __global const ww_scalar *weight, *point;  // the first, in the next step
    uint weights_apart, points_apart, ahead;   // from one to the next; of weights from one step to the next
    uint rows, left, channels;                 // by rows: how many there are; how many of the other series' points, of the tile's channels
    bool column;
} ww_slope_source;
typedef struct {
    ww_scalar weights[WW_WEIGHT_FETCHES], points[WW_POINT_FETCHES];
} ww_slope_fetched;
WW_INLINE ww_slope_source ww_slope_source_of(__global const ww_scalar *table, uint pitch, bool column, ww_slope_series own,
                                             ww_slope_series other, uint first_point, uint first_channel, uint channels, uint lid) {
    const uint step = lid % WW_SLOPE_STEP, part = lid / WW_SLOPE_STEP, each = WW_SLOPE_ITEMS / WW_SLOPE_STEP;
    const uint p = min(first_point + (column ? lid : part), own.length - 1), c = min(first_channel + part, channels - 1);
    const uint before = column ? lid : part, count = own.length - min(first_point + before, own.length);
    ww_slope_source s;
    s.column = column;
    s.weight = table + (column ? (ulong)p : (ulong)p * pitch + step);
    s.weights_apart = column ? pitch : pitch * each;
    s.ahead = column ? pitch * WW_SLOPE_STEP : WW_SLOPE_STEP;
    s.rows = column ? count : (count + each - 1) / each;
    s.left = other.length;
    s.point = other.values + (ulong)c * other.length + step;
    s.points_apart = other.length * each;
    s.channels = (channels - c + each - 1) / each;
    return s;
}
WW_INLINE void ww_slope_fetch(ww_slope_fetched *to, ww_slope_source *s, uint lid) {
    const uint step = lid % WW_SLOPE_STEP, here = step < s->left ? s->rows : 0, below = s->rows ? s->left : 0;
    const uint weights = s->column ? below : here, points = step < s->left ? s->channels : 0;
#pragma unroll
    for (uint f = 0; f < WW_WEIGHT_FETCHES; f++)
        to->weights[f] = f < weights ? s->weight[(ulong)f * s->weights_apart] : (ww_scalar)0;
#pragma unroll
    for (uint f = 0; f < WW_POINT_FETCHES; f++)
        to->points[f] = f < points ? s->point[(ulong)f * s->points_apart] : (ww_scalar)0;
    s->weight += s->ahead;
    s->point += WW_SLOPE_STEP;
    s->left -= min(s->left, (uint)WW_SLOPE_STEP);
}
// Puts them into local memory. Gives whether any W is not 0.
WW_INLINE bool ww_slope_keep(const ww_slope_fetched *of, __local ww_scalar *weights, __local ww_scalar *points, bool column, uint lid) {
    const uint step = lid % WW_SLOPE_STEP, part = lid / WW_SLOPE_STEP, each = WW_SLOPE_ITEMS / WW_SLOPE_STEP;
    bool any = false;
#pragma unroll
    for (uint f = 0; f < WW_WEIGHT_FETCHES; f++) {
        weights[column ? f * WW_WEIGHTS_APART + lid : step * WW_WEIGHTS_APART + part + f * each] = of->weights[f];
        any = any || of->weights[f] != 0;
    }
#pragma unroll
    for (uint f = 0; f < WW_POINT_FETCHES; f++)
        points[step * WW_POINTS_APART + part + f * each] = of->points[f];
    return any;
}

// Adds the slopes of a step.
WW_INLINE void ww_slope_add(ww_scalar sum[WW_SLOPE_POINTS][4], ww_scalar mine[WW_SLOPE_POINTS][4], __local const ww_scalar *weights,
                            __local const ww_scalar *points) {
    const ww_four four = *(__local const ww_four *)(points);
    const ww_scalar theirs[4] = {four.s0, four.s1, four.s2, four.s3};
    ww_scalar w[WW_SLOPE_POINTS];
#pragma unroll
    for (int p = 0; p < WW_SLOPE_POINTS; p += 4) {
        const ww_four some = *(__local const ww_four *)(weights + p);
        w[p] = some.s0, w[p + 1] = some.s1, w[p + 2] = some.s2, w[p + 3] = some.s3;
    }
#pragma unroll
    for (int p = 0; p < WW_SLOPE_POINTS; p++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const ww_scalar t = mine[p][c] - theirs[c];
#if WW_COST == WWK_COST_ABSOLUTE
            sum[p][c] += t > 0 ? w[p] : t < 0 ? -w[p] : (ww_scalar)0;
#else
            sum[p][c] = fma(w[p], t, sum[p][c]);
#endif
        }
}
// Stores a work-item's slopes. A channel lies together, in fours (ww_slope_place()); with WW_SLOPES_DIRECT as the caller has them.
WW_INLINE void ww_slope_store(__global ww_scalar *slopes, ww_scalar sum[WW_SLOPE_POINTS][4], uint length, uint first_point,
                              uint first_channel, uint channels, uint stride, ww_scalar factor) {
    const uint each = WW_SLOPES_DIRECT ? length : (length + 3) & ~3u;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const uint at = first_channel + (uint)c;
#pragma unroll
        for (int p = 0; p < WW_SLOPE_POINTS; p += 4) {
            const uint t = first_point + (uint)p;
            const ulong place = (ulong)at * each + t;
            const bool here = t < length && at < channels;
#if WW_SLOPES_DIRECT
#pragma unroll
            for (uint k = 0; k < 4; k++)
                if (here && t + k < length)
                    slopes[place + k] = factor * sum[p + k][c];
#else
            if (here && stride == 1)
                *(__global ww_four *)(slopes + place) = (ww_four)(sum[p][c], sum[p + 1][c], sum[p + 2][c], sum[p + 3][c]);
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (here && stride != 1)
                    slopes[(place + k) * stride] = sum[p + k][c];
#endif
        }
    }
}

// tiles: the first tile of each task, of the side that the slopes are by (`column`).
__kernel __attribute__((reqd_work_group_size(WW_SLOPE_ITEMS, 1, 1))) void
ww_table_slopes(const ww_table_args args, __global const ww_scalar *restrict x_values,
                __global const ulong2 *restrict x_series, __global const ww_scalar *restrict y_values,
                __global const ulong2 *restrict y_series, __global const uint *restrict order,
                __global const uint *restrict tiles, __global const ulong2 *restrict x_table,
                __global const ww_scalar *restrict table, __global const ww_gradient_task *restrict tasks,
                __global ww_scalar *restrict slopes, const uint column, const uint stride,
                __global const ww_scalar *restrict upstream, const uint scaled) {
    __local ww_scalar weights[2][WW_SLOPE_STEP * WW_WEIGHTS_APART] __attribute__((aligned(32)));
    __local ww_scalar points[2][WW_SLOPE_STEP * WW_POINTS_APART] __attribute__((aligned(32)));
    __local uint wanted[2];  // the last step in this half that has a W
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
    ww_slope_fetched next;
    ww_slope_source source = ww_slope_source_of(costs, pitch, column, own, other, first_point, first_channel, args.channels, lid);
    if (lid < 2)
        wanted[lid] = 0xffffffffu;
    barrier(CLK_LOCAL_MEM_FENCE);
    ww_slope_fetch(&next, &source, lid);
    for (uint q = 0, turn = 0; q < other.length; q += WW_SLOPE_STEP, turn ^= 1) {
        if (ww_slope_keep(&next, weights[turn], points[turn], column, lid))
            wanted[turn] = q;
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_slope_fetch(&next, &source, lid);
        const uint steps = wanted[turn] == q ? WW_SLOPE_STEP : 0;
#pragma unroll 2
        for (uint step = 0; step < steps; step++) {
            ww_slope_add(sum, mine, weights[turn] + step * WW_WEIGHTS_APART + point, points[turn] + step * WW_POINTS_APART + channel);
        }
    }
    const ulong to = column ? tasks[task].y_slopes : tasks[task].x_slopes;
    const ww_scalar factor = WW_SLOPES_DIRECT && scaled ? upstream[tasks[task].number] : (ww_scalar)1;
    ww_slope_store(slopes + to, sum, own.length, first_point + point, first_channel + channel, args.channels, stride, factor);
    // In a kernel that returns early PoCL 3.1 takes a branch at the end, if the first work-item takes it, for all of them.
    barrier(CLK_LOCAL_MEM_FENCE);
}
