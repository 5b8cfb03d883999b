// SPDX-License-Identifier: Apache-2.0
// Which pairs a launch computes and where their results go; the same for every engine.
//
// Series are described by (offset in elements, length | rank << 32); rank numbers the different lengths of a side. Channel
// c of a series of length n begins at offset + c*n.
//   WW_LIST 0: a rectangle: row slots [row_begin, row_end) of x_order against column slots [column_begin, column_end) of
//              y_order; with WW_LAUNCH_HALF only row slot < column slot.
//   WW_LIST 1: tasks [row_begin, row_end) of a list: x_order holds (row id, column id, number of the result) of each;
//              with WW_LAUNCH_HALF none (a kernel that is only to be compiled).
//   WW_BAND: what `band` holds and how a row's interval of columns comes from it: base/band.cl.
#ifndef WW_LIST
#define WW_LIST 0
#endif
#ifndef WW_BAND
#define WW_BAND 0
#endif
// What stands beside the channels of a series: see base/points.cl. Bounds look at the channels alone.
#ifndef WW_ALL_CHANNELS
#define WW_ALL_CHANNELS WW_CHANNELS
#endif
#ifndef WW_EXTRA_EACH
#define WW_EXTRA_EACH 0
#endif

// The host's twin is wwi_job in src/engine/launch_args.h.
typedef struct {
    ulong row_stride, column_stride;  // of results, in elements
    uint row_begin, row_end, column_begin, column_end;
    uint row_base, column_base;       // ids that stand at (0, 0) of the results
    uint rows_per_group, group_width;
    uint layout;                      // 0 by strides, 1 the same and mirrored, 2 condensed upper triangle
    uint count;                       // condensed: series of the set
    uint flags;
    uint channel;                     // first channel used (independent channels), else 0
    uint rank_row_base, rank_column_base, rank_columns;
    uint strip_begin, strip_end;      // engine strips
    uint scratch;                     // elements of scratch a group or pair owns
    uint band_width;                  // base/band.cl
    uint unit_begin;                  // the first unit of this launch; what a unit is, the engine says
} ww_launch_args;
#define WW_LAUNCH_HALF 1u
#define WW_LAUNCH_ACCUMULATE 2u
#define WW_LAUNCH_CORNER 4u

typedef struct {
    __global const ww_scalar *at, *extra;
    uint length, rank;
} ww_series;

WW_INLINE ww_series ww_series_load(__global const ww_scalar *values, __global const ulong2 *series, uint id,
                                   uint channel) {
    const ulong2 entry = series[id];
    ww_series s;
    s.length = (uint)entry.y;
    s.rank = (uint)(entry.y >> 32);
    s.at = values + entry.x + (ulong)channel * s.length;
    s.extra = values + entry.x + (ulong)(WW_ALL_CHANNELS + (WW_EXTRA_EACH ? channel : 0)) * s.length;
    return s;
}

// The point at time t.
#if WW_VECTOR == 1
#define WW_POINT(s, t) ww_point_load((s).at + (t), (s).length, (s).extra + (t))
#endif

WW_INLINE void ww_put(__global ww_scalar *out, ww_launch_args args, ulong index, ww_scalar value) {
    out[index] = args.flags & WW_LAUNCH_ACCUMULATE ? out[index] + value : value;
}

// Stores the result of row id x, column id y; with WW_LIST, result number x.
WW_INLINE void ww_store(__global ww_scalar *out, ww_launch_args args, uint x, uint y, ww_scalar value) {
#if WW_LIST
    (void)y;
    ww_put(out, args, x, value);
#else
    if (args.layout == 2) {
        const ulong a = min(x, y), b = max(x, y);
        ww_put(out, args, a * (2 * (ulong)args.count - a - 1) / 2 + (b - a - 1), value);
    } else {
        const ulong i = x - args.row_base, j = y - args.column_base;
        ww_put(out, args, i * args.row_stride + j * args.column_stride, value);
        if (args.layout == 1)
            ww_put(out, args, j * args.row_stride + i * args.column_stride, value);
    }
#endif
}
