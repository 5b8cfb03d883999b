// SPDX-License-Identifier: Apache-2.0
// The distance of a query to windows of a stream where the band is narrow and along the diagonal: |i - j| <= WW_BELOW.
// One channel, recurrences with plain elements and infinite borders. For GPUs.
//
// Against search_windows.cl: no row goes through memory, and no cell outside the band is computed.
//
// A work-item has a window and holds the whole width of the band in registers: register s is the cell of the current row i in
// column i - WW_BELOW + s. A cell's left neighbour is s-1 of its own row, the upper one s+1 and the diagonal one s of the
// row above. A step computes WW_ROWS rows, each two cells behind the row above it. Columns outside the window are infinitely
// far. The query is in local memory: n rounded up to whole steps. One barrier. A work-item that gives a window up
// (WW_SEARCH_ABANDON 1) takes its next one at once, so that the items of a group, which keep step, all have rows to compute.
//
// Parameters: search_points.cl's and search_tail.cl's; WW_COLS the width, WW_BELOW half of it; WW_ROWS; WW_WG; WW_SEARCH_CHECK rows after which a
// window may be given up.
#define WW_SEARCH_CHECK 16
#define WW_RIBBON_Y(j) ((uint)(j) < n ? ww_window_value(window, args, 0, (uint)(j)) : -(ww_scalar)INFINITY)

// Whether every cell of the row c leads to no match.
WW_INLINE bool ww_search_ribbon_above(const real *c, ww_scalar bound) {
    real nearest = c[0];
#pragma unroll
    for (int s = 1; s < WW_COLS; s++)
        nearest = ww_min2(nearest, c[s]);
    return !(nearest <= bound);
}

// The query behind its padding: `length` values.
WW_INLINE void ww_search_ribbon_query(__local ww_scalar *query_rows, __global const ww_scalar *x, uint padding,
                                      uint length, const ww_window_args args) {
    for (uint i = (uint)get_local_id(0); i < length; i += WW_WG)
        query_rows[i] = i < padding ? (ww_scalar)INFINITY : x[i - padding + (ulong)args.channel * args.x_stride];
}

// A window's state above its first row.
WW_INLINE void ww_search_ribbon_begin(real *c, real *b, const ww_window *window, uint n, uint padding,
                                      const ww_window_args args) {
#pragma unroll
    for (int s = 0; s < WW_COLS; s++)
        c[s] = WW_BORDER;
#pragma unroll
    for (int s = 0; s < WW_COLS + WW_ROWS - 1; s++)
        b[s] = WW_RIBBON_Y(s - WW_BELOW - (int)padding);
}

// The rows from i on, which counts the padding too.
WW_INLINE void ww_search_ribbon_step(real *c, real *b, __local const ww_scalar *query_rows, const ww_window *window,
                                     uint i, uint n, uint padding, ww_pair lengths, const ww_window_args args) {
    real fresh[WW_ROWS];
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        fresh[q] = WW_RIBBON_Y((int)(i - padding) + WW_COLS + WW_ROWS - 1 - WW_BELOW + q);
#pragma unroll
    for (int t = 0; t < WW_COLS + 2 * (WW_ROWS - 1); t++) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const int s = t - 2 * q;
            if (s >= 0 && s < WW_COLS) {
                const real left = s > 0 ? c[s > 0 ? s - 1 : 0] : WW_OUTSIDE;
                const real up = s + 1 < WW_COLS ? c[s + 1 < WW_COLS ? s + 1 : s] : WW_OUTSIDE;
                const real diagonal = s == WW_BELOW && i + (uint)q == padding ? (real)0 : c[s];
                ww_point px, py;
                px.value[0] = query_rows[i + (uint)q];
                py.value[0] = b[s + q];
                c[s] = WW_CELL(left, up, diagonal, px, py, WW_LAG((real)(WW_BELOW - s)), lengths, q & 1);
            }
        }
    }
#pragma unroll
    for (int s = 0; s < WW_COLS - 1; s++)
        b[s] = b[s + WW_ROWS];
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        b[WW_COLS - 1 + q] = fresh[q];
}

// The same arguments as ww_search_windows; query_rows: local memory for n values, rounded up to a multiple of WW_ROWS.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_ribbon(__global const ww_scalar *restrict values, __global const ww_scalar *restrict table,
                 __global const ww_scalar *restrict x, __global const uint *restrict rows,
                 __global const ww_window_query *restrict queries, __global const uint *restrict list,
                 __global ww_scalar *restrict out, __global ww_scalar *restrict scratch,
                 __global const ww_scalar *restrict limits, __global uint *restrict counters,
                 const ww_window_args args, __local ww_scalar *query_rows) {
    const uint group = args.group + (uint)get_group_id(0);
    const ww_window_query q = ww_query_of(queries, args, group);
    const uint n = args.n, begin = (group - q.group) * args.span, end = min(q.count, begin + args.span);
    const uint padding = (0u - n) % WW_ROWS, length = n + padding;
    const ww_scalar most = WW_SEARCH_ABANDON ? ww_window_bound(limits[q.query], args) : INFINITY;
    uint abandoned = 0;
    ww_search_ribbon_query(query_rows, x + q.x_at, padding, length, args);
    barrier(CLK_LOCAL_MEM_FENCE);
    ww_pair lengths;
    lengths.rows = (real)(ww_scalar)n;
    lengths.columns = (real)(ww_scalar)n;
    WW_PAIR_READY(lengths)
    ww_window window;
    real c[WW_COLS], b[WW_COLS + WW_ROWS - 1];
    real tail = 0;
    uint pack = begin + (uint)get_local_id(0), i = 0, p = 0;
    for (;;) {
        // Windows that can't match are passed over at once: the other items are not kept waiting by rows.
        for (; i == 0 && pack < end; pack += WW_WG) {
            p = ww_window_of(list, q, args, pack, 0);
            window = ww_window_at(values, table, args, p);
            tail = WW_SEARCH_ABANDON ? ww_window_tail(&window, x, q, args) : 0;
            if (window.scale[0] == window.scale[0] && tail <= most)
                break;
            out[q.query * args.out_stride + p] = INFINITY;
            abandoned += window.scale[0] == window.scale[0];
        }
        if (pack >= end)
            break;
        if (i == 0)
            ww_search_ribbon_begin(c, b, &window, n, padding, args);
        for (const uint until = WW_SEARCH_ABANDON ? min(i + WW_SEARCH_CHECK, length) : length; i < until; i += WW_ROWS)
            ww_search_ribbon_step(c, b, query_rows, &window, i, n, padding, lengths, args);
        const bool over = WW_SEARCH_ABANDON && i < length &&
                          ww_search_ribbon_above(c, i + WW_SEARCH_CORNERS <= length ? most - tail : most);
        if (i < length && !over)
            continue;
        ww_store_result(out, p, over ? (ww_scalar)INFINITY : c[WW_BELOW], true, q, args);
        abandoned += over;
        pack += WW_WG;
        i = 0;
    }
    if (abandoned)
        atomic_add(counters + 4 * q.query + 3, abandoned);
}
