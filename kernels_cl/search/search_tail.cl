// SPDX-License-Identifier: Apache-2.0
// What the kernels of windows share: their points, and what a cell of a window's matrix may have at most, if a path
// through it leads to a match: the limit, less what the path's last cells cost at least (WW_SEARCH_ABANDON 1).
//
// Corner s of the matrix has the cells of row n - 1 - s and of column n - 1 - s that are not above or left of its diagonal
// cell. A path to the last cell crosses the last WW_SEARCH_CORNERS of them one by one. Where the result is a sum of costs
// along a path (WW_SEARCH_TAIL 1), and more, it is at least a cell's value and the least cost of each corner that comes
// after the cell. The sums are rounded otherwise than the path's: a relative 1e-5 is allowed for that.
//
// Parameters: search_points.cl's; WW_SEARCH_ABANDON; WW_SEARCH_TAIL; WW_SEARCH_SIMILARITY 1: a value is stored with its
// sign changed. After base/elements.cl. No local memory, no barrier.
#define WW_SEARCH_CORNERS 6

// Where the windows' normalised points are read.
#if WW_VECTOR == 1
typedef ww_window ww_windows;
#else
typedef struct {
    __global ww_scalar *points;  // for each of a window's points and each channel the lanes' values
} ww_windows;
#endif

// Point i of the query. Offsets that a group has loaded, in place of pointers to its query, take half the registers.
WW_INLINE ww_point ww_query_point(__global const ww_scalar *x, const ww_window_query q, const ww_window_args args,
                                  uint i) {
    ww_point point;
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = (real)x[q.x_at + i + (ulong)(args.channel + c) * args.x_stride];
#if WW_EXTRA
    point.extra = (real)x[q.x_at + i + (ulong)(WW_ALL_CHANNELS + (WW_EXTRA_EACH ? args.channel : 0)) * args.x_stride];
#endif
    return point;
}

// Point j of each window.
WW_INLINE ww_point ww_window_point(const ww_windows *windows, const ww_window_args args, uint j) {
    ww_point point;
    for (int c = 0; c < WW_CHANNELS; c++)
#if WW_VECTOR == 1
        point.value[c] = ww_window_value(windows, args, c, j);
#else
        point.value[c] = WW_VLOAD((ulong)j * WW_CHANNELS + c, windows->points);
#endif
#if WW_EXTRA
    point.extra = 0;
#endif
    return point;
}

WW_INLINE ww_row ww_query_row(__global const ww_scalar *x, const ww_window_query q, const ww_window_args args, uint i) {
    return ww_row_make(ww_query_point(x, q, args, i), ww_query_point(x, q, args, i ? i - 1 : 0), (real)(ww_scalar)i);
}

// The query of a group, which counts over all launches of a length: the last one that begins at it or before it.
WW_INLINE ww_window_query ww_query_of(__global const ww_window_query *queries, const ww_window_args args, uint group) {
    uint low = args.query, high = args.query + args.queries;
    while (high - low > 1) {
        const uint middle = low + (high - low) / 2;
        if (queries[middle].group <= group)
            low = middle;
        else
            high = middle;
    }
    return queries[low];
}

// Which window lane v of a pack is.
WW_INLINE uint ww_window_of(__global const uint *list, const ww_window_query q, const ww_window_args args, uint pack,
                            uint v) {
    const uint at = WW_VECTOR == 1 ? pack : min(pack * WW_VECTOR + v, q.count - 1);
    return WW_SEARCH_LISTED ? list[q.query * args.out_stride + at] : q.first + at;
}

WW_INLINE void ww_store_result(__global ww_scalar *out, uint at, ww_scalar result, bool valid, const ww_window_query q,
                               const ww_window_args args) {
    out += q.query * args.out_stride;
    const ww_scalar value = result < INFINITY ? ww_final(result, args.n, args.n) : INFINITY;
    const ww_scalar stored = !valid ? INFINITY : WW_SEARCH_SIMILARITY ? -value : value;
    out[at] = args.accumulate ? out[at] + stored : stored;
}

// The largest value of a cell from which a result within the limit may come: ww_final() multiplies, and may take the
// root. What it rounds is added.
WW_INLINE ww_scalar ww_window_bound(ww_scalar limit, const ww_window_args args) {
    const ww_scalar ratio = limit / ww_final(1, args.n, args.n);
    return (WW_ROOT ? ratio * ratio : ratio) * (ww_scalar)(1 + 1e-5);
}

// What the last cells of a path cost at least. Corner s has the cells (n - 1 - s, j) and (i, n - 1 - s) below and to the
// right of (n - 1 - s, n - 1 - s).
WW_INLINE real ww_window_tail(const ww_windows *windows, __global const ww_scalar *x, const ww_window_query q,
                              const ww_window_args args) {
    real tail = 0;
#if WW_SEARCH_TAIL
    ww_point rows[WW_SEARCH_CORNERS], columns[WW_SEARCH_CORNERS];
    if (args.n <= WW_SEARCH_CORNERS)
        return tail;
#pragma unroll
    for (int s = 0; s < WW_SEARCH_CORNERS; s++) {
        rows[s] = ww_query_point(x, q, args, args.n - 1 - s);
        columns[s] = ww_window_point(windows, args, args.n - 1 - s);
        real least = ww_node((real)0, rows[s], columns[s], (real)0, WW_GIVEN);
#pragma unroll
        for (int t = 0; t < s; t++)
            least = ww_min2(least, ww_min2(ww_node((real)0, rows[s], columns[t], (real)0, WW_GIVEN),
                                           ww_node((real)0, rows[t], columns[s], (real)0, WW_GIVEN)));
        tail += least;
    }
#endif
    return tail * (ww_scalar)(1 - 1e-5);
}

