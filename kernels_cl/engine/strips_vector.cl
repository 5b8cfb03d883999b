// SPDX-License-Identifier: Apache-2.0
// Engine `strips` on a CPU: the work-items of strips.cl become the lanes of a vector, and passing a value on becomes a
// rotation of it. One work-item computes one strip of WW_VECTOR*WW_COLS columns; edges and the counter of strips as in
// strips.cl. With WW_LAUNCH_WHOLE it computes all strips of a pair, one after the other: the counter is not used, and
// the edges may hold anything, because each entry is written before it is read.
//
// Lane v is v row-steps behind lane 0. Before its first row-step a lane computes padding rows of infinities (as in
// walk.cl), after its last it computes rows that are never read: a lane is only masked by the band.

// Every lane takes its left neighbour's value, lane 0 takes `in`.
#if WW_VECTOR == 16
#define WW_SHIFT(v, in)                                                                                                \
    {                                                                                                                  \
        (v) = (v).sf0123456789abcde;                                                                                   \
        (v).s0 = (in);                                                                                                 \
    }
#define WW_LAST(v) ((v).sf)
#elif WW_VECTOR == 8
#define WW_SHIFT(v, in)                                                                                                \
    {                                                                                                                  \
        (v) = (v).s70123456;                                                                                           \
        (v).s0 = (in);                                                                                                 \
    }
#define WW_LAST(v) ((v).s7)
#else
#define WW_SHIFT(v, in)                                                                                                \
    {                                                                                                                  \
        (v) = (v).s3012;                                                                                               \
        (v).s0 = (in);                                                                                                 \
    }
#define WW_LAST(v) ((v).s3)
#endif

// The value left of lane 0 of the first strip in a row, and, in the first row-step, the value above that of any other
// strip.
#if WW_BORDERS
#define WW_BORDER_AT(q) (ww_border_left(e[q], WW_TO_REAL(times + (q)), lengths).s0)
#define WW_TOP_LEFT                                                                                                    \
    (i < 0 ? (ww_scalar)WW_OUTSIDE_VALUE : ww_border_top(ww_point_at(y, first_columns - 1), WW_TO_REAL(first_columns - 1), lengths).s0)
#else
#define WW_BORDER_AT(q) ((ww_scalar)WW_BORDER_VALUE)
#define WW_TOP_LEFT ((ww_scalar)WW_BORDER_VALUE)
#endif
#if WW_CARRY
#define WW_BESIDE beside
#else
#define WW_BESIDE b[0]
#endif

// The points of a series at the lanes' times.
WW_INLINE ww_point ww_point_at(ww_series s, ww_ints t) {
    int at[WW_VECTOR];
    WW_PASTE(vstore, WW_VECTOR)(clamp(t, 0, (int)s.length - 1), 0, at);
    ww_point point;
    ww_scalar values[WW_VECTOR];
    for (int channel = 0; channel < WW_CHANNELS; channel++) {
        for (int lane = 0; lane < WW_VECTOR; lane++)
            values[lane] = s.at[(uint)at[lane] + (ulong)channel * s.length];
        point.value[channel] = WW_VLOAD(0, values);
    }
#if WW_EXTRA
    for (int lane = 0; lane < WW_VECTOR; lane++)
        values[lane] = s.extra[at[lane]];
    point.extra = WW_VLOAD(0, values);
#endif
    return point;
}

// The same of all lanes.
#define WW_END_ROWS(i) ((i) + (int)min(args.end_x, x.length) >= (int)x.length)
#define WW_END_COLUMNS(j) ((j) + (int)min(args.end_y, y.length) >= (int)y.length)
#define WW_IS_PADDING(q) WW_TO_MASK(times + (q) < 0)
#define WW_IS_COLUMN(r) WW_TO_MASK(first_columns + (int)(r) < (int)y.length)

#if WW_BAND
#undef WW_KEEP
#define WW_KEEP(value, q, r)                                                                                           \
    (WW_TO_MASK((first_columns + (int)(r) >= lo[q]) & (first_columns + (int)(r) < hi[q])) ? (value) : WW_OUTSIDE)
#endif

WW_INLINE void ww_strip(const ww_series x, const ww_series y, __global const uint *restrict x_order,
                        __global const uint *restrict band, __global ww_scalar *restrict out, const ww_task task,
                        const ww_launch_args args, __global volatile ulong *edges, const uint strip) {
    const uint strip_columns = WW_VECTOR * WW_COLS;
    if (strip * strip_columns >= y.length)
        return;

    ww_pair lengths;
    lengths.rows = (real)(ww_scalar)x.length;
    lengths.columns = (real)(ww_scalar)y.length;
    WW_SET_PAIR(lengths)
    const int padding = WW_PADDING(x.length);
    const uint row_steps = (x.length + WW_ROWS - 1) / WW_ROWS;
    const uint owner = (y.length - 1) / WW_COLS - strip * WW_VECTOR, owned = (y.length - 1) % WW_COLS;
    int starts[WW_VECTOR], steps_behind[WW_VECTOR];
    for (int lane = 0; lane < WW_VECTOR; lane++) {
        starts[lane] = (int)((strip * WW_VECTOR + (uint)lane) * WW_COLS);
        steps_behind[lane] = lane;
    }
    const ww_ints first_columns = WW_PASTE(vload, WW_VECTOR)(0, starts);
    const ww_ints rows_behind = WW_PASTE(vload, WW_VECTOR)(0, steps_behind) * WW_ROWS;
#if WW_BAND
    const ww_pair_band limits = WW_BAND_OF(x, y);
    const uint blocks = (y.length + WW_COLS - 1) / WW_COLS;
    const uint last_lane = min((uint)WW_VECTOR, blocks - strip * WW_VECTOR) - 1;
    const uint base = ww_block_first(limits, strip * WW_VECTOR);
    const uint total = ww_block_end(limits, strip * WW_VECTOR + last_lane) - base + last_lane;
    const uint edge_first = strip ? ww_block_first(limits, strip * WW_VECTOR - 1) : 0;
    const uint edge_end = strip ? ww_block_end(limits, strip * WW_VECTOR - 1) : 0;
    ww_ints lo[WW_ROWS], hi[WW_ROWS];
    for (int q = 0; q < WW_ROWS; q++) {
        // Before its first row a lane is outside; below the border it continues with the border's values.
        lo[q] = (ww_ints)(WW_BORDERS && base == 0 ? 0 : 0x7fffffff);
        hi[q] = (ww_ints)(WW_BORDERS && base == 0 ? 0x7fffffff : 0);
    }
#else
    const uint last_lane = min((uint)WW_VECTOR, (y.length - strip * strip_columns + WW_COLS - 1) / WW_COLS) - 1;
    const uint base = 0, total = row_steps + last_lane;
    const uint edge_first = 0, edge_end = row_steps;
#endif

    ww_column b[WW_COLS];
    real c[WW_COLS];
    for (uint r = 0; r < WW_COLS; r++) {
        const ww_point own = ww_point_at(y, first_columns + (int)r);
        b[r] = ww_column_make(own, ww_point_at(y, first_columns + (int)r - 1),
                              WW_TO_REAL(first_columns + (int)r));
#if WW_BORDERS
        // The rows that a lane computes before its first give this value again.
        c[r] = base == 0 ? ww_border_top(own, WW_TO_REAL(first_columns + (int)r), lengths) : WW_OUTSIDE;
#else
        c[r] = WW_BORDER;
#endif
    }
#if WW_CARRY
    const ww_column beside = ww_column_make(ww_point_at(y, first_columns - 1), ww_point_at(y, first_columns - 2),
                                            WW_TO_REAL(first_columns - 1));
#endif
    ww_point own[WW_ROWS];
    real v[WW_ROWS];
    for (int q = 0; q < WW_ROWS; q++) {
        own[q] = ww_point_infinite();
#if WW_BORDERS
        v[q] = c[WW_COLS - 1];
#else
        v[q] = WW_BORDER;
#endif
    }
#if WW_NEEDS_LAST
    // Lane 0 passes the row above the band's first on to the others.
    const int first_row = (int)(base * WW_ROWS) - padding;
    if (first_row > 0) {
#pragma unroll
        for (int channel = 0; channel < WW_CHANNELS; channel++)
            own[WW_ROWS - 1].value[channel].s0 = x.at[(uint)first_row - 1 + (ulong)channel * x.length];
#if WW_EXTRA
        own[WW_ROWS - 1].extra.s0 = x.extra[first_row - 1];
#endif
    }
#endif
    // The left-hand values one row above this row-step's first.
    real previous = WW_BORDER;
    WW_KEPT_DIAGONALS
    WW_FILL_DIAGONALS(WW_TO_REAL((int)(base * WW_ROWS) - padding - rows_behind - first_columns))

#if WW_OPEN
    real best = WW_INF;  // of the ends in each lane
    if (strip == 0)
        best.s0 = ww_border_ends(ww_row_make(own[0], own[0], (real)0), own[0], lengths).s0;
#endif

    for (uint k = 0; k < total; k++) {
        const uint step = base + k;  // lane 0's
        const int i = (int)(step * WW_ROWS) - padding;
        if (k == 0)
            previous.s0 = strip == 0 ? (WW_UNDER_CORNER ? 0 : (ww_scalar)WW_OUTSIDE_VALUE)
                          : i <= 0   ? WW_TOP_LEFT
                          : base > edge_first && base <= edge_end
                              ? ww_take_over(edges, base * WW_ROWS - 1, strip)
                              : (ww_scalar)WW_OUTSIDE_VALUE;
#if WW_NEEDS_LAST
        const ww_point last = own[WW_ROWS - 1];
#endif
        const ww_ints times = i - rows_behind;
        const real shift = WW_TO_REAL(times - first_columns);
        ww_row e[WW_ROWS];
        real d[WW_ROWS];
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const uint t = (uint)clamp(i + q, 0, (int)x.length - 1);
#pragma unroll
            for (int channel = 0; channel < WW_CHANNELS; channel++) {
                const ww_scalar value = i + q < 0 ? (ww_scalar)INFINITY : x.at[t + (ulong)channel * x.length];
                WW_SHIFT(own[q].value[channel], value)
            }
#if WW_EXTRA
            WW_SHIFT(own[q].extra, x.extra[t])
#endif
#if WW_BEFORE
            e[q] = ww_row_make(own[q], q ? own[q ? q - 1 : 0] : last, WW_TO_REAL(times + q));
#else
            e[q] = ww_row_make(own[q], own[q], WW_TO_REAL(times + q));
#endif
#if WW_BAND
            WW_SHIFT(lo[q], (int)ww_band_lo(limits, t))
            WW_SHIFT(hi[q], (int)ww_band_hi(limits, t))
#endif
        }
#if WW_CARRY
        const ww_row above = ww_row_make(last, last, WW_TO_REAL(times - 1));
        real g[WW_ROWS];
        d[0] = ww_carry(previous, above, beside, WW_LAG(shift));
#else
        d[0] = previous;
#endif
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const ww_scalar border = i + q < 0 ? (WW_CORNER ? (ww_scalar)WW_OUTSIDE_VALUE : 0) : WW_BORDER_AT(q);
            const uint at = step * WW_ROWS + (uint)q;
            const ww_scalar in = strip == 0 ? border
                                 : step >= edge_first && step < edge_end
                                     ? ww_take_over(edges, at, strip)
                                     : (ww_scalar)WW_OUTSIDE_VALUE;
            WW_SHIFT(v[q], in)
        }
        previous = v[WW_ROWS - 1];
#pragma unroll
        for (int q = 1; q < WW_ROWS; q++)
            d[q] = ww_carry(v[q - 1], e[q - 1], WW_BESIDE, WW_LAG(shift + (real)(ww_scalar)q));
#if WW_CORNER
        // D(0,0) is just above the first row.
        if (strip == 0 && i <= 0 && i + WW_ROWS > 0) {
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                d[q].s0 = i + q == 0 ? 0 : d[q].s0;
        }
#endif
        WW_SWEEP(WW_ROWS)
#if WW_OPEN
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const ww_ints t = times + q;
            const ww_ints taken = (t >= 0) & (t < (int)x.length) & WW_END_ROWS(t + 1) &
                                  (first_columns + WW_COLS >= (int)y.length) & (first_columns < (int)y.length);
            best = WW_TO_MASK(taken) ? ww_lesser(best, v[q]) : best;
        }
#pragma unroll
        for (int r = 0; r < WW_COLS; r++) {
            const ww_ints j = first_columns + r + 1;
            const ww_ints taken = (times + WW_ROWS == (int)x.length) & WW_END_COLUMNS(j) & (j <= (int)y.length);
            best = WW_TO_MASK(taken) ? ww_lesser(best, c[r]) : best;
        }
#endif

        if (k >= WW_VECTOR - 1 && step - (WW_VECTOR - 1) < row_steps) {
            const uint done = step - (WW_VECTOR - 1);
#pragma unroll
            for (uint q = 0; q < WW_ROWS; q++)
                ww_hand_over(edges, done * WW_ROWS + q, strip, WW_LAST(v[q]));
        }
#if !WW_OPEN
        if (step == row_steps - 1 + owner) {
            real last = c[0];
            for (uint r = 1; r < WW_COLS; r++)
                last = r <= owned ? c[r] : last;
            ww_scalar values[WW_VECTOR];
            WW_VSTORE(last, 0, values);
            ww_store_task(out, args, x_order, task, ww_final(values[owner], x.length, y.length));
        }
#endif
    }
#if WW_OPEN
    ww_scalar bests[WW_VECTOR];
    WW_VSTORE(best, 0, bests);
    (void)owned;
    for (uint other = 1; other < WW_VECTOR; other++)
        bests[0] = min(bests[0], bests[other]);
    // Together with the best of the strips to the left it is passed on after the rows of the edge.
    if (strip)
        bests[0] = min(bests[0], ww_take_over(edges, row_steps * WW_ROWS, strip));
    if (owner < WW_VECTOR)
        ww_store_task(out, args, x_order, task, ww_final(bests[0], x.length, y.length));
    else
        ww_hand_over(edges, row_steps * WW_ROWS, strip, bests[0]);
#endif
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_strips(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
          __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
          __global const uint *restrict x_order, __global const uint *restrict y_order, __global const uint *restrict band,
          __global ww_scalar *restrict out, const ww_launch_args args, __global volatile ulong *edges, __global uint *ticket) {
    const bool whole = (args.flags & WW_LAUNCH_WHOLE) != 0;
    const uint strips = args.strip_end - args.strip_begin;
    const uint mine = whole ? (uint)get_group_id(0) * strips : atomic_inc(ticket);
    const uint pair = mine / strips, first = args.strip_begin + ww_rest(mine, strips, pair);
    const ww_task task = ww_task_of(x_order, y_order, args, pair);
    if (!WW_LIST && !task.wanted)
        return;
    const ww_series x = ww_series_load(x_values, x_series, task.x, args.channel);
    const ww_series y = ww_series_load(y_values, y_series, task.y, args.channel);
    const uint end = whole ? args.strip_end : first + 1;
    for (uint strip = first; strip < end; strip++)
        ww_strip(x, y, x_order, band, out, task, args, edges + (ulong)pair * args.scratch * WW_EDGE_WORDS, strip);
}
