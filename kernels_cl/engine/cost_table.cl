// SPDX-License-Identifier: Apache-2.0
// The costs of all cells of a batch, for points of many channels: c(x_i, y_j) in rows of a table that the engines read
// (base/points.cl, WW_TABLED). No recurrence.
//
// A work-group computes a tile of WW_TILE x WW_TILE costs, a work-item WW_COLS x WW_COLS of them in registers (cost_sum.cl).
// WW_STEP channels at a time are in local memory, twice: those of the next step are requested before this one is computed.
//
//   WW_LIST 0: a rectangle. The points of its row series, one series after the other, are the rows of the table, and those of its
//              column series its columns, each series' columns filled to fours.
//   WW_LIST 1: a table for each task, one after the other; a row has the column series' points, filled to fours.
//
// Local memory: 4 * WW_STEP * WW_TILE values. A barrier a step.
#define WW_TABLE_SIDE (WW_TILE / WW_COLS)  // work-items on a side
#define WW_TABLE_ITEMS (WW_TABLE_SIDE * WW_TABLE_SIDE)
#define WW_FETCHES (WW_STEP * WW_TILE / WW_TABLE_ITEMS)
#define WW_TABLE_FOURS (WW_COLS / 4)

// The last of `count` series that begins at or before `place`; `each`: what all have, or 0.
WW_INLINE uint ww_table_find(__global const uint *begins, uint count, uint place, uint each) {
    uint first = 0;
    if (each)
        return min(place / each, count - 1);
    for (uint left = count; left > 1;) {
        const uint middle = left / 2;
        const bool later = begins[first + middle] <= place;
        first += later ? middle : 0;
        left = later ? left - middle : middle;
    }
    return first;
}
// Where a point's channel 0 is, and how far the next channel is.
typedef struct {
    __global const ww_scalar *at;
    uint stride;
} ww_table_source;
WW_INLINE ww_table_source ww_table_source_of(__global const ww_scalar *values, ulong2 series, uint t) {
    const uint length = (uint)series.y;
    ww_table_source s;
    s.at = values + series.x + min(t, length - 1);
    s.stride = length;
    return s;
}

// A tile: its first row and column, in the table of its rectangle or task.
typedef struct {
    uint row, column, rows, pitch;
    ulong first;  // where that table begins
    ww_table_source x, y;  // of this work-item
    bool wanted;
} ww_table_tile;

#if WW_LIST
// `begins`: the first tile of each task. `x_table` says where the task's table is.
WW_INLINE ww_table_tile ww_table_tile_of(const ww_table_args args, uint unit, uint lane, __global const ww_scalar *x_values,
                                         __global const ulong2 *x_series, __global const ww_scalar *y_values,
                                         __global const ulong2 *y_series, __global const uint *x_order,
                                         __global const uint *y_order, __global const uint *begins,
                                         __global const uint *column_begins, __global const ulong2 *x_table) {
    const uint task = ww_table_find(begins, args.rows, unit, args.row_each), number = unit - begins[task];
    const uint x_id = x_order[3 * (ulong)task], y_id = x_order[3 * (ulong)task + 1];
    const bool x_other = (x_id & WW_TABLE_OTHER) != 0, y_other = (y_id & WW_TABLE_OTHER) != 0;
    const ulong2 x = (x_other ? y_series : x_series)[x_id & ~WW_TABLE_OTHER];
    const ulong2 y = (y_other ? x_series : y_series)[y_id & ~WW_TABLE_OTHER];
    const uint across = ((uint)y.y + WW_TILE - 1) / WW_TILE, down = number / across;
    ww_table_tile t;
    t.row = down * WW_TILE;
    t.column = ww_rest(number, across, down) * WW_TILE;
    t.rows = (uint)x.y;
    t.pitch = WW_TABLE_PITCH(x_table[task].x);
    t.first = WW_TABLE_FIRST(x_table[task].x);
    t.x = ww_table_source_of(x_other ? y_values : x_values, x, t.row + lane);
    t.y = ww_table_source_of(y_other ? x_values : y_values, y, t.column + lane);
    t.wanted = true;
    return t;
}
#else
WW_INLINE uint ww_table_column(const ww_table_args args, __global const uint *begins, uint place) {
    const uint first = args.column_each ? args.first_column : 0;
    return first + ww_table_find(begins, args.columns - first, place, args.column_each);
}
WW_INLINE ww_table_tile ww_table_tile_of(const ww_table_args args, uint unit, uint lane, __global const ww_scalar *x_values,
                                         __global const ulong2 *x_series, __global const ww_scalar *y_values,
                                         __global const ulong2 *y_series, __global const uint *x_order,
                                         __global const uint *y_order, __global const uint *begins,
                                         __global const uint *column_begins, __global const ulong2 *x_table) {
    const uint down = unit / args.across;
    ww_table_tile t;
    t.row = down * WW_TILE;
    t.column = ww_rest(unit, args.across, down) * WW_TILE;
    t.rows = args.all_rows;
    t.pitch = args.pitch;
    t.first = 0;
    const uint i = t.row + lane, j = t.column + lane;
    const uint row = ww_table_find(begins, args.rows, i, args.row_each), column = ww_table_column(args, column_begins, j);
    t.x = ww_table_source_of(x_values, x_series[x_order[args.first_row + row]], i - begins[row]);
    t.y = ww_table_source_of(y_values, y_series[y_order[column]], j - column_begins[column]);
    t.wanted = !args.upper || args.first_row + ww_table_find(begins, args.rows, t.row, args.row_each) <
                                 ww_table_column(args, column_begins, t.column + WW_TILE - 1);
    return t;
}
#endif

// The values of this work-item's points in the step from channel `first` on; behind the last channel both are 0.
WW_INLINE void ww_table_fetch(ww_scalar *fetched, ww_table_source s, uint part, uint first, uint channels) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHES; f++) {
        const uint c = first + part + f * (WW_STEP / WW_FETCHES);
        fetched[f] = c < channels ? s.at[(ulong)c * s.stride] : (ww_scalar)0;
    }
}
WW_INLINE void ww_table_keep(__local ww_scalar *to, const ww_scalar *fetched, uint part) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHES; f++)
        to[(part + f * (WW_STEP / WW_FETCHES)) * WW_TILE] = fetched[f];
}

WW_INLINE ww_four ww_table_four(const ww_scalar *sum) {
    return (ww_four)(ww_summed_cost(sum[0]), ww_summed_cost(sum[1]), ww_summed_cost(sum[2]), ww_summed_cost(sum[3]));
}
// A work-item's columns are fours, WW_TABLE_SIDE fours apart.
WW_INLINE void ww_table_store(__global ww_scalar *table, const ww_table_tile t, ww_scalar sum[WW_COLS][WW_COLS], uint row,
                              uint column) {
#pragma unroll
    for (int q = 0; q < WW_COLS; q++)
#pragma unroll
        for (int f = 0; f < WW_TABLE_FOURS; f++) {
            const uint i = t.row + row + q, j = t.column + column + f * (4 * WW_TABLE_SIDE);
            if (i < t.rows && j < t.pitch)
                *(__global ww_four *)(table + t.first + (ulong)i * t.pitch + j) = ww_table_four(sum[q] + 4 * f);
        }
}

__kernel __attribute__((reqd_work_group_size(WW_TABLE_ITEMS, 1, 1))) void
ww_cost_table(const ww_table_args args, __global const ww_scalar *restrict x_values,
              __global const ulong2 *restrict x_series, __global const ww_scalar *restrict y_values,
              __global const ulong2 *restrict y_series, __global const uint *restrict x_order,
              __global const uint *restrict y_order, __global const uint *restrict begins,
              __global const uint *restrict column_begins, __global const ulong2 *restrict x_table,
              __global ww_scalar *restrict table) {
    __local ww_scalar x_step[2][WW_STEP * WW_TILE] __attribute__((aligned(32)));
    __local ww_scalar y_step[2][WW_STEP * WW_TILE] __attribute__((aligned(32)));
    const uint lid = (uint)get_local_id(0), lane = lid % WW_TILE, part = lid / WW_TILE;
    const uint unit = args.unit_begin + (uint)get_group_id(0);
    if (unit >= args.units)
        return;
    const ww_table_tile t = ww_table_tile_of(args, unit, lane, x_values, x_series, y_values, y_series, x_order, y_order, begins, column_begins, x_table);
    // The whole work-group leaves, or none of it.
    if (!t.wanted)
        return;
    const uint row = lid / WW_TABLE_SIDE * WW_COLS, column = lid % WW_TABLE_SIDE * 4;
    ww_scalar sum[WW_COLS][WW_COLS], x_next[WW_FETCHES], y_next[WW_FETCHES];
    ww_no_costs(sum);
    ww_table_fetch(x_next, t.x, part, 0, args.channels);
    ww_table_fetch(y_next, t.y, part, 0, args.channels);
    for (uint first = 0, turn = 0; first < args.channels; first += WW_STEP, turn ^= 1) {
        ww_table_keep(x_step[turn] + lane, x_next, part);
        ww_table_keep(y_step[turn] + lane, y_next, part);
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_table_fetch(x_next, t.x, part, first + WW_STEP, args.channels);
        ww_table_fetch(y_next, t.y, part, first + WW_STEP, args.channels);
        const uint count = min((uint)WW_STEP, args.channels - first);
#pragma unroll 1
        for (uint k = 0; k < count; k++)
            ww_sum_costs(sum, x_step[turn] + k * WW_TILE + row, y_step[turn] + k * WW_TILE + column, WW_TABLE_SIDE);
    }
    ww_table_store(table, t, sum, row, column);
}
