// SPDX-License-Identifier: Apache-2.0
// Which pairs a launch computes and where their results go; the same for every engine.
//
// Series are described by (offset in elements, length | rank << 32); rank numbers the different lengths of a side. Channel
// c of a series of length n begins at offset + c*n. With WW_TABLED the offset of a row series is that of its first row in the
// table, with the values of a row above it (base/launch_args.h); that of a column series, the number of its first column.
//   WW_LIST 0: a rectangle: row slots [row_begin, row_end) of x_order against column slots [column_begin, column_end) of
//              y_order; with WW_LAUNCH_HALF only row slot < column slot.
//   WW_LIST 1: tasks [row_begin, row_end) of a list: x_order holds (row id, column id, number of the result) of each;
//              with WW_LAUNCH_HALF none (a kernel that is only to be compiled).
//   WW_BAND: what `band` holds and how a row's interval of columns comes from it: base/band.cl.
#ifndef WW_LIST
#define WW_LIST 0
#endif
#ifndef WW_BAND
#define WW_BAND WWK_BAND_NONE
#endif
// The value besides the channels of a series: see base/points.cl. Bounds use only the channels.
#ifndef WW_ALL_CHANNELS
#define WW_ALL_CHANNELS WW_CHANNELS
#endif
#ifndef WW_EXTRA_EACH
#define WW_EXTRA_EACH 0
#endif

typedef struct {
    __global const ww_scalar *at, *extra;
    uint length, rank;
#if WW_TABLED
    uint pitch, column;  // values from one row of the table to the next; place of the first column
#endif
} ww_series;

WW_INLINE ww_series ww_series_load(__global const ww_scalar *values, __global const ulong2 *series, uint id,
                                   uint channel) {
    const ulong2 entry = series[id];
    ww_series s;
    s.length = (uint)entry.y;
    s.rank = (uint)(entry.y >> 32);
#if WW_TABLED
    s.at = s.extra = values + WW_TABLE_FIRST(entry.x);
    s.pitch = WW_TABLE_PITCH(entry.x);
    s.column = (uint)entry.x;
    return s;
#endif
    s.at = values + entry.x + (ulong)channel * s.length;
    s.extra = values + entry.x + (ulong)(WW_ALL_CHANNELS + (WW_EXTRA_EACH ? channel : 0)) * s.length;
    return s;
}

// The point at time t.
#if WW_TABLED
WW_INLINE ww_point ww_table_point(ww_series s, uint t) {
    ww_point point;
    point.value = 0;
    point.at = s.at + (ulong)t * s.pitch;
    point.column = s.column + t;
    return point;
}
#define WW_POINT(s, t) ww_table_point(s, t)
#elif WW_VECTOR == 1
#define WW_POINT(s, t) ww_point_load((s).at + (t), (s).length, (s).extra + (t))
#endif

#if !WW_BAND
// Without a band a row has all columns.
typedef struct {
    uint n, m;
} ww_pair_band;
WW_INLINE ww_pair_band ww_band_none(uint n, uint m) {
    const ww_pair_band b = {n, m};
    return b;
}
WW_INLINE uint ww_band_lo(ww_pair_band b, uint i) {
    return 0;
}
WW_INLINE uint ww_band_hi(ww_pair_band b, uint i) {
    return b.m;
}
WW_INLINE uint ww_band_top(ww_pair_band b, uint c) {
    return 0;
}
WW_INLINE uint ww_band_bottom(ww_pair_band b, uint e) {
    return b.n;
}
#define WW_BAND_OF(x, y) ww_band_none((x).length, (y).length)
#endif

WW_INLINE void ww_put(__global ww_scalar *out, ww_launch_args args, ulong index, ww_scalar value) {
    out[index] = args.flags & WW_LAUNCH_ACCUMULATE ? out[index] + value : value;
}

// ---- which pair, and where its result goes
//
// A unit is the work of a work-group, or of a part of one, at a time. There are three kinds:
//   ww_task_of()  a pair
//   ww_run_of()   a rectangle: one column and a chunk of rows_per_group row slots; a list: rows_per_group tasks
//   ww_pack_of()  WW_PACKED column slots side by side and a chunk of row slots; a list: WW_PACKED tasks
// The caller adds args.unit_begin to the unit, except for ww_task_of(), which adds it itself.

// A pair: the ids of its series, and its place in the list.
typedef struct {
    uint x, y, at;
    bool wanted;  // false: below a half's diagonal
} ww_task;

// Task number t of a list.
#define WW_TASK_X(t) x_order[3 * (ulong)(t)]
#define WW_TASK_Y(t) x_order[3 * (ulong)(t) + 1]
#define WW_TASK_RESULT(t) x_order[3 * (ulong)(t) + 2]
// The row series of a unit's step t, which is a task of a list or a row slot.
#define WW_STEP_X(t) x_order[WW_LIST ? 3 * (ulong)(t) : (ulong)(t)]

WW_INLINE ww_task ww_task_of(__global const uint *x_order, __global const uint *y_order, ww_launch_args args, uint unit) {
    ww_task task;
    unit += args.unit_begin;
#if WW_LIST
    (void)y_order;
    task.at = args.row_begin + unit;
    task.x = WW_TASK_X(task.at);
    task.y = WW_TASK_Y(task.at);
    task.wanted = !(args.flags & WW_LAUNCH_HALF);
#else
    const uint columns = args.column_end - args.column_begin, row_slot = unit / columns;
    const uint row = args.row_begin + row_slot, column = args.column_begin + ww_rest(unit, columns, row_slot);
    task.x = x_order[row];
    task.y = y_order[column];
    task.at = 0;
    task.wanted = !(args.flags & WW_LAUNCH_HALF) || row < column;
#endif
    return task;
}

// Steps [task, end) of a unit: tasks of a list, or the row slots of the column slot.
typedef struct {
    uint task, end, column;
} ww_run;

WW_INLINE ww_run ww_run_of(ww_launch_args args, uint unit) {
    ww_run run;
#if WW_LIST
    run.column = 0;
    run.task = args.row_begin + unit * args.rows_per_group;
    run.end = min(run.task + args.rows_per_group, args.row_end);
#else
    const uint columns = args.column_end - args.column_begin, chunk = unit / columns;
    run.column = args.column_begin + ww_rest(unit, columns, chunk);
    run.task = min(args.row_begin + chunk * args.rows_per_group, args.row_end);
    run.end = min(run.task + args.rows_per_group, args.row_end);
    if (args.flags & WW_LAUNCH_HALF)
        run.end = max(run.task, min(run.end, run.column));
#endif
    return run;
}

// The most of the values that the groups of a work-group have, to all its work-items. A barrier is before the next call.
WW_INLINE uint ww_most_of_groups(__local uint *most, uint own, uint lid, uint lane) {
    if (lid == 0)
        *most = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        atomic_max(most, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *most;
}
// Steps of a work-group whose groups have `own` steps a lane, each lane a step behind the one before it.
WW_INLINE uint ww_steps_of_groups(__local uint *most, uint own, uint lid, uint lane, uint width) {
    const uint steps = ww_most_of_groups(most, own, lid, lane);
    return steps ? steps + width - 1 : 0;
}

// Slots side by side: `first` is the first of a pack, `end` the end of all; past it a pack repeats its last slot. In a
// rectangle they are computed with the row slots [row_begin, row_end).
typedef struct {
    uint pack, first, end, row_begin, row_end;
} ww_pack;

WW_INLINE ww_pack ww_pack_of(ww_launch_args args, uint unit, uint packs, uint width) {
    ww_pack p;
    const uint chunk = unit / packs;
    p.pack = ww_rest(unit, packs, chunk);
#if WW_LIST
    p.first = args.row_begin + p.pack * width;
    p.end = args.row_end;
    p.row_begin = p.row_end = 0;
#else
    p.first = args.column_begin + p.pack * width;
    p.end = args.column_end;
    p.row_begin = args.row_begin + chunk * args.rows_per_group;
    p.row_end = min(p.row_begin + args.rows_per_group, args.row_end);
#endif
    return p;
}
#define WW_PACK_SLOT(p, v) min((p).first + (v), (p).end - 1)
#define WW_PACK_COUNT(p, width) min((uint)(width), (p).end - (p).first)
// Whether row slot `row` and a pack's slot v are on the computed side of a half. A list has no halves.
#define WW_PACK_WANTED(p, row, v) (WW_LIST || !(args.flags & WW_LAUNCH_HALF) || (row) < (p).first + (v))
// No slot of the pack is: its last slot is the largest.
#define WW_PACK_DONE(p, row, width) ((args.flags & WW_LAUNCH_HALF) && (row) >= min((p).first + (width), (p).end) - 1)

// Stores the result of row id x, column id y; in a list, at the number `result`.
WW_INLINE void ww_store(__global ww_scalar *out, ww_launch_args args, uint x, uint y, uint result, ww_scalar value) {
#if WW_LIST
    (void)x;
    (void)y;
    ww_put(out, args, result, value);
#else
    (void)result;
    if (args.layout == WW_RESULTS_CONDENSED) {
        const ulong a = min(x, y), b = max(x, y);
        ww_put(out, args, a * (2 * (ulong)args.count - a - 1) / 2 + (b - a - 1), value);
    } else {
        const ulong i = x - args.row_base, j = y - args.column_base;
        ww_put(out, args, i * args.row_stride + j * args.column_stride, value);
        if (args.layout == WW_RESULTS_MIRRORED)
            ww_put(out, args, j * args.row_stride + i * args.column_stride, value);
    }
#endif
}
// The same for a task. The number of a list's result is read here again, so that it needs no register meanwhile.
WW_INLINE void ww_store_task(__global ww_scalar *out, ww_launch_args args, __global const uint *x_order, ww_task task,
                             ww_scalar value) {
    ww_store(out, args, task.x, task.y, WW_LIST ? WW_TASK_RESULT(task.at) : 0, value);
}
