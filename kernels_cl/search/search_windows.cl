// SPDX-License-Identifier: Apache-2.0
// The distance of a query to windows of a stream, under any measure and band.
//
// A vector lane (WW_VECTOR 1: a work-item) has a window. WW_ROWS rows of the query at a time are held in registers and
// computed column by column; the last of them is kept in scratch memory for the rows after it. All windows have the
// query's length, so a row's band is the same for all: `rows` has its columns [lo, hi). With vectors the windows' points
// are normalised and interleaved once, in scratch memory. No local memory, no barrier.
//
// Scratch: of a work-item's lanes, n values of a row; with vectors n points more.
// Parameters: search_points.cl's; WW_ROWS; WW_WG; WW_SEARCH_ABANDON 1: a window is abandoned when every cell of a row is above
// the limit; WW_SEARCH_SIMILARITY 1: the value is stored with its sign changed.
#ifndef WW_ROWS
#define WW_ROWS 8
#endif
#ifndef WW_WG
#define WW_WG 1
#endif
#ifndef WW_SEARCH_ABANDON
#define WW_SEARCH_ABANDON 0
#endif
#ifndef WW_SEARCH_SIMILARITY
#define WW_SEARCH_SIMILARITY 0
#endif

#if WW_VECTOR == 1
#define WW_ROW_GET(j) row[(ulong)(j) * items]
#define WW_ROW_PUT(v, j) row[(ulong)(j) * items] = (v)
#else
#define WW_ROW_GET(j) WW_VLOAD(j, row)
#define WW_ROW_PUT(v, j) WW_VSTORE(v, j, row)
#endif

WW_INLINE real ww_keep(bool inside, real value) {
    return inside ? value : WW_OUTSIDE;
}

WW_INLINE ww_point ww_query_point(__global const ww_scalar *x, ww_window_args args, uint i) {
    ww_point point;
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = (real)x[i + (ulong)(args.channel + c) * args.x_stride];
#if WW_EXTRA
    point.extra = (real)x[i + (ulong)(WW_ALL_CHANNELS + (WW_EXTRA_EACH ? args.channel : 0)) * args.x_stride];
#endif
    return point;
}
#define WW_QUERY_ROW(i)                                                                                                \
    ww_row_make(ww_query_point(x, args, i), ww_query_point(x, args, (i) ? (i)-1 : 0), (real)(ww_scalar)(i))

#if WW_VECTOR == 1
#define WW_OWN_POINT(point, j)                                                                                         \
    for (int c = 0; c < WW_CHANNELS; c++)                                                                              \
        point.value[c] = ww_window_value(&window, args, c, j);
#else
#define WW_OWN_POINT(point, j)                                                                                         \
    for (int c = 0; c < WW_CHANNELS; c++)                                                                              \
        point.value[c] = WW_VLOAD((ulong)(j)*WW_CHANNELS + c, ys);
#endif
#if WW_EXTRA
#define WW_COLUMN_POINT(point, j)                                                                                      \
    WW_OWN_POINT(point, j)                                                                                             \
    point.extra = 0;
#else
#define WW_COLUMN_POINT(point, j) WW_OWN_POINT(point, j)
#endif

// The border above column j, from the one before.
#if WW_TOP_NEXT
#define WW_TOP(j) (top_before = ww_top_next(top_before, y))
#else
#define WW_TOP(j) ww_border_top(own, (real)(ww_scalar)(j), lengths)
#endif
#if WW_CARRY
#define WW_NEXT_DIAGONAL(value, q, lag)                                                                                \
    diagonal = g[q];                                                                                                   \
    g[q] = ww_carry(value, a[q], y, lag);
#define WW_CORNER_OF(top) (i == 0 ? (top) : ww_carry(top, above, y, WW_LAG((real)(ww_scalar)((int)i - 1 - (int)j))))
#else
#define WW_NEXT_DIAGONAL(value, q, lag) diagonal = left;
#define WW_CORNER_OF(top) (top)
#endif
#if WW_SEARCH_ABANDON
#define WW_NOTE(value) nearest = nearest < (value) ? nearest : (value);
#else
#define WW_NOTE(value)
#endif

#define WW_KEEP_ALL(value, q)
#define WW_KEEP_BAND(value, q) value = ww_keep((int)j >= lo[q] && (int)j < hi[q], value);

#define WW_COLUMN_STEP(count, KEEP)                                                                                    \
    {                                                                                                                  \
        ww_point own;                                                                                                  \
        WW_COLUMN_POINT(own, j)                                                                                        \
        const ww_column y = ww_column_make(own, before, (real)(ww_scalar)j);                                           \
        const real top = i == 0 ? WW_TOP(j) : WW_ROW_GET(j);                                                           \
        real up = top, diagonal = corner;                                                                              \
        _Pragma("unroll") for (int q = 0; q < (count); q++) {                                                          \
            const real left = c_[q], lag = WW_LAG((real)(ww_scalar)((int)i + q - (int)j));                             \
            real value = WW_CELL(left, up, diagonal, a[q], y, lag, lengths, 2);                                        \
            KEEP(value, q)                                                                                             \
            WW_NEXT_DIAGONAL(value, q, lag)                                                                            \
            up = value;                                                                                                \
            c_[q] = value;                                                                                             \
        }                                                                                                              \
        corner = WW_CORNER_OF(top);                                                                                    \
        before = own;                                                                                                  \
        WW_ROW_PUT(up, j);                                                                                             \
        WW_NOTE(up)                                                                                                    \
    }

// `count` rows from row i on. Columns [calm_begin, calm_end) are inside the band of all of them.
#define WW_BLOCK(count)                                                                                                \
    {                                                                                                                  \
        real c_[count];                                                                                                \
        ww_row a[count];                                                                                               \
        int lo[count], hi[count];                                                                                      \
        uint from = n, to = 0, calm_begin = 0, calm_end = n;                                                           \
        _Pragma("unroll") for (int q = 0; q < (count); q++) {                                                          \
            a[q] = WW_QUERY_ROW(i + (uint)q);                                                                          \
            c_[q] = ww_border_left(a[q], (real)(ww_scalar)(i + (uint)q), lengths);                                     \
            lo[q] = (int)rows[2 * (i + (uint)q)];                                                                      \
            hi[q] = (int)rows[2 * (i + (uint)q) + 1];                                                                  \
            from = min(from, (uint)lo[q]);                                                                             \
            to = max(to, (uint)hi[q]);                                                                                 \
            calm_begin = max(calm_begin, (uint)lo[q]);                                                                 \
            calm_end = min(calm_end, (uint)hi[q]);                                                                     \
        }                                                                                                              \
        const ww_row above = WW_QUERY_ROW(i ? i - 1 : 0);                                                              \
        real corner = i == 0 ? (real)0 : ww_border_left(above, (real)(ww_scalar)(i - 1), lengths);                     \
        for (; filled < to; filled++)                                                                                  \
            WW_ROW_PUT(WW_OUTSIDE, filled);                                                                            \
        ww_point before;                                                                                               \
        WW_COLUMN_POINT(before, from ? from - 1 : 0)                                                                   \
        if (from > 0) {                                                                                                \
            corner = i == 0 ? WW_BORDER : from > reached ? WW_ROW_GET(from - 1) : WW_OUTSIDE;                          \
            _Pragma("unroll") for (int q = 0; q < (count); q++) c_[q] = WW_OUTSIDE;                                    \
        }                                                                                                              \
        WW_CARRY_FIRST(count)                                                                                          \
        reached = from;                                                                                                \
        calm_begin = min(calm_begin, to);                                                                              \
        uint j = from;                                                                                                 \
        for (; j < calm_begin; j++)                                                                                    \
            WW_COLUMN_STEP(count, WW_KEEP_BAND)                                                                        \
        for (; j < calm_end; j++)                                                                                      \
            WW_COLUMN_STEP(count, WW_KEEP_ALL)                                                                         \
        for (; j < to; j++)                                                                                            \
            WW_COLUMN_STEP(count, WW_KEEP_BAND)                                                                        \
        result = c_[(count)-1];                                                                                        \
        i += (count);                                                                                                  \
    }
#if WW_CARRY
#define WW_CARRY_FIRST(count)                                                                                          \
    real g[count];                                                                                                     \
    _Pragma("unroll") for (int q = 0; q < (count); q++) g[q] = c_[q];                                                  \
    if (from > 0 && i > 0) {                                                                                           \
        ww_point earlier;                                                                                              \
        WW_COLUMN_POINT(earlier, from > 1 ? from - 2 : 0)                                                              \
        corner = ww_carry(corner, above, ww_column_make(before, earlier, (real)(ww_scalar)(from - 1)),                 \
                          WW_LAG((real)(ww_scalar)((int)i - (int)from)));                                              \
    }
#else
#define WW_CARRY_FIRST(count)
#endif

// The least number of a vector.
#if WW_VECTOR == 1
#define WW_LEAST_LANE(v) (v)
#else
WW_INLINE ww_scalar ww_least_lane(real v) {
    ww_scalar lanes[WW_VECTOR], least = INFINITY;
    WW_VSTORE(v, 0, lanes);
    for (int k = 0; k < WW_VECTOR; k++)
        least = lanes[k] < least ? lanes[k] : least;
    return least;
}
#define WW_LEAST_LANE(v) ww_least_lane(v)
#endif

// x: the query, rows: its band, list: windows, found: how many are listed. counters[4 * query + 3]: abandoned windows.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_windows(__global const ww_scalar *restrict values, __global const ww_scalar *restrict table,
                  __global const ww_scalar *restrict x, __global const uint *restrict rows,
                  __global const uint *restrict list, __global const uint *restrict found,
                  __global ww_scalar *restrict out, __global ww_scalar *restrict scratch,
                  __global const ww_scalar *restrict limits, __global uint *restrict counters,
                  const ww_window_args args) {
    WW_OF_QUERY(args)
    rows += 2 * (ulong)args.order_at;
    const uint n = args.n;
    const uint wanted = WW_SEARCH_LISTED ? *found : args.count;
    const uint items = (uint)get_global_size(0), item = (uint)get_global_id(0);
#if WW_SEARCH_ABANDON
    const ww_scalar limit = limits[args.query];
#endif
    (void)limits;
    uint abandoned = 0;
#if WW_VECTOR == 1
    __global ww_scalar *row = scratch + item;
#else
    __global ww_scalar *row = scratch + (ulong)item * n * (1 + WW_CHANNELS) * WW_VECTOR;
    __global ww_scalar *ys = row + (ulong)n * WW_VECTOR;
#endif
    ww_pair lengths;
    lengths.rows = (real)(ww_scalar)n;
    lengths.columns = (real)(ww_scalar)n;
    WW_PAIR_READY(lengths)
    for (uint unit = item; unit < (wanted + WW_VECTOR - 1) / WW_VECTOR; unit += items) {
        real valid = 0;  // NaN where a window can't match
#if WW_VECTOR == 1
        const uint p = WW_SEARCH_LISTED ? list[unit] : args.first + unit;
        const ww_window window = ww_window_at(values, table, args, p);
        for (int c = 0; c < WW_CHANNELS; c++)
            valid += window.scale[c];
        if (valid != valid) {
            out[p] = INFINITY;
            continue;
        }
#elif WW_SEARCH_LISTED
        ww_scalar lane_valid[WW_VECTOR];
        for (uint v = 0; v < WW_VECTOR; v++) {
            const uint p = list[min(unit * WW_VECTOR + v, wanted - 1)];
            lane_valid[v] = 0;
            for (int c = 0; c < WW_CHANNELS; c++) {
                __global const ww_scalar *at = values + (args.channel + c) * args.stride + p;
                const ww_scalar scale = ww_table_of(table, args, c, 1)[p];
                const ww_scalar centre = WW_SEARCH_AFFINE == 1 ? ww_table_of(table, args, c, 0)[p] : 0,
                                shift = WW_SEARCH_AFFINE == 1 ? ww_table_of(table, args, c, 2)[p] : 0;
                lane_valid[v] += scale;
                for (uint j = 0; j < n; j++)
                    ys[((ulong)j * WW_CHANNELS + c) * WW_VECTOR + v] = ww_affine(at[j], centre, scale, shift);
            }
        }
        valid = WW_VLOAD(0, lane_valid);
#else
        const uint p = args.first + unit * WW_VECTOR;
        const ww_window window = ww_window_at(values, table, args, p);
        for (int c = 0; c < WW_CHANNELS; c++) {
            valid += window.scale[c];
            for (uint j = 0; j < n; j++)
                WW_VSTORE(ww_window_value(&window, args, c, j), (ulong)j * WW_CHANNELS + c, ys);
        }
#endif
        real result = WW_INF, top_before = 0;
        (void)top_before;
        uint filled = 0, reached = 0, i = 0;
        while (i + WW_ROWS <= n) {
#if WW_SEARCH_ABANDON
            real nearest = WW_INF;
#endif
            WW_BLOCK(WW_ROWS)
#if WW_SEARCH_ABANDON
            if (i < n && ww_final(WW_LEAST_LANE(nearest), n, n) * (ww_scalar)(1 - 1e-6) > limit) {
                result = WW_INF;
                abandoned += min((uint)WW_VECTOR, wanted - unit * WW_VECTOR);
                i = n;
            }
#endif
        }
#if WW_SEARCH_ABANDON
        real nearest = WW_INF;  // not needed for the remaining rows
#endif
#if WW_ROWS > 4
        if (i + 4 <= n)
            WW_BLOCK(4)
#endif
#if WW_ROWS > 2
        if (i + 2 <= n)
            WW_BLOCK(2)
#endif
#if WW_ROWS > 1
        if (i < n)
            WW_BLOCK(1)
#endif
#if WW_VECTOR == 1
        const ww_scalar value = result < INFINITY ? ww_final(result, n, n) : INFINITY;
        const ww_scalar stored = WW_SEARCH_SIMILARITY ? -value : value;
        out[p] = args.accumulate ? out[p] + stored : stored;
#else
        ww_scalar lanes[WW_VECTOR], valids[WW_VECTOR];
        WW_VSTORE(result, 0, lanes);
        WW_VSTORE(valid, 0, valids);
        for (uint v = 0; v < WW_VECTOR && unit * WW_VECTOR + v < wanted; v++) {
            const uint at = WW_SEARCH_LISTED ? list[unit * WW_VECTOR + v] : args.first + unit * WW_VECTOR + v;
            const ww_scalar value = lanes[v] < INFINITY ? ww_final(lanes[v], n, n) : INFINITY;
            const ww_scalar stored = valids[v] != valids[v] ? INFINITY : WW_SEARCH_SIMILARITY ? -value : value;
            out[at] = args.accumulate ? out[at] + stored : stored;
        }
#endif
    }
    if (abandoned)
        atomic_add(counters + 4 * args.query + 3, abandoned);
}
