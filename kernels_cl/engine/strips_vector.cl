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
#define WW_ROTATED(v) (v).sf0123456789abcde
#define WW_LAST_LANE_OF(v) ((v).sf)
#elif WW_VECTOR == 8
#define WW_ROTATED(v) (v).s70123456
#define WW_LAST_LANE_OF(v) ((v).s7)
#else
#define WW_ROTATED(v) (v).s3012
#define WW_LAST_LANE_OF(v) ((v).s3)
#endif
WW_INLINE real ww_shift(real v, ww_scalar in) {
    v = WW_ROTATED(v);
    v.s0 = in;
    return v;
}
WW_INLINE ww_ints ww_shift_ints(ww_ints v, int in) {
    v = WW_ROTATED(v);
    v.s0 = in;
    return v;
}

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

// A strip: its row-steps from lane 0's first (base) on, those of the block to its left, and who has the last column.
typedef struct {
    uint number;
    int padding;
    uint row_steps;             // of the matrix
    uint base, total;
    uint edge_first, edge_end;
    uint owner, owned;          // the lane, which may be behind the strip, and its column
    ww_ints rows_behind;        // how far each lane is behind lane 0
} ww_strip;
WW_INLINE ww_strip ww_strip_of(ww_series x, ww_series y, ww_pair_band limits, uint number) {
    ww_strip s;
    s.number = number;
    s.padding = WW_PADDING(x.length);
    s.row_steps = (x.length + WW_ROWS - 1) / WW_ROWS;
    s.owner = (y.length - 1) / WW_COLS - number * WW_VECTOR;
    s.owned = (y.length - 1) % WW_COLS;
    const uint blocks = (y.length + WW_COLS - 1) / WW_COLS, last_lane = min((uint)WW_VECTOR, blocks - number * WW_VECTOR) - 1;
    int steps_behind[WW_VECTOR];
    for (int lane = 0; lane < WW_VECTOR; lane++)
        steps_behind[lane] = lane;
    s.rows_behind = WW_PASTE(vload, WW_VECTOR)(0, steps_behind) * WW_ROWS;
#if WW_BAND
    s.base = ww_block_first(limits, number * WW_VECTOR);
    s.total = ww_block_end(limits, number * WW_VECTOR + last_lane) - s.base + last_lane;
    s.edge_first = number ? ww_block_first(limits, number * WW_VECTOR - 1) : 0;
    s.edge_end = number ? ww_block_end(limits, number * WW_VECTOR - 1) : 0;
#else
    s.base = s.edge_first = 0;
    s.total = s.row_steps + last_lane;
    s.edge_end = s.row_steps;
#endif
    return s;
}

// Left of lane 0: in row q of the first strip, and of any other strip in the first row-step above that row.
WW_INLINE ww_scalar ww_left_of_first(const ww_block *w, const ww_launch_args args, const int q) {
    return WW_BORDERS ? ww_border_left(w->e[q], WW_TO_REAL(w->i + q), w->lengths).s0 : (ww_scalar)WW_BORDER_VALUE;
}
WW_INLINE ww_scalar ww_top_of_first(const ww_block *w, const ww_launch_args args, const ww_series y) {
    const ww_ints before = w->first_column - 1;
    if (!WW_BORDERS)
        return (ww_scalar)WW_BORDER_VALUE;
    return w->i.s0 < 0 ? (ww_scalar)WW_OUTSIDE_VALUE
                       : ww_border_top(ww_point_at(y, before), WW_TO_REAL(before), w->lengths).s0;
}
WW_INLINE ww_scalar ww_corner_of_first(const ww_block *w, const ww_launch_args args, const ww_strip *s, const ww_series y,
                                       __global volatile ulong *edges, const int i) {
    const bool under_corner = WW_CORNER ? i == 0 : i <= 0;
    if (s->number == 0)
        return under_corner ? 0 : (ww_scalar)WW_OUTSIDE_VALUE;
    if (i <= 0)
        return ww_top_of_first(w, args, y);
    return s->base > s->edge_first && s->base <= s->edge_end ? ww_take_over(edges, s->base * WW_ROWS - 1, s->number)
                                                              : (ww_scalar)WW_OUTSIDE_VALUE;
}

// The lanes' columns, and what is above and left of them; own[] are the points of the rows before.
WW_INLINE void ww_begin_strip(ww_block *w, const ww_launch_args args, const ww_strip *s, const ww_series x, const ww_series y,
                              ww_point *own) {
    int starts[WW_VECTOR];
    for (int lane = 0; lane < WW_VECTOR; lane++)
        starts[lane] = (int)((s->number * WW_VECTOR + (uint)lane) * WW_COLS);
    const ww_ints first_columns = WW_PASTE(vload, WW_VECTOR)(0, starts);
    w->first_column = first_columns;
#pragma unroll
    for (int r = 0; r < WW_COLS; r++) {
        const ww_ints j = first_columns + r;
        const ww_point point = ww_point_at(y, j);
        w->b[r] = ww_column_make(point, ww_point_at(y, j - 1), WW_TO_REAL(j));
        // The rows that a lane computes before its first give this value again.
        w->c[r] = !WW_BORDERS ? WW_BORDER : s->base == 0 ? ww_border_top(point, WW_TO_REAL(j), w->lengths) : WW_OUTSIDE;
    }
    if (WW_CARRY) {
        const ww_ints j = first_columns - 1;
        w->beside = ww_column_make(ww_point_at(y, j), ww_point_at(y, j - 1), WW_TO_REAL(j));
    }
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        own[q] = ww_point_infinite();
        w->v[q] = WW_BORDERS ? w->c[WW_COLS - 1] : WW_BORDER;
        // Before its first row a lane is outside; below the border it continues with the border's values.
        w->lo[q] = (ww_ints)(WW_BORDERS && s->base == 0 ? 0 : 0x7fffffff);
        w->hi[q] = (ww_ints)(WW_BORDERS && s->base == 0 ? 0x7fffffff : 0);
    }
#if WW_NEEDS_LAST
    // Lane 0 passes the row above the band's first on to the others.
    const int first_row = (int)(s->base * WW_ROWS) - s->padding;
    if (first_row > 0) {
#pragma unroll
        for (int channel = 0; channel < WW_CHANNELS; channel++)
            own[WW_ROWS - 1].value[channel].s0 = x.at[(uint)first_row - 1 + (ulong)channel * x.length];
#if WW_EXTRA
        own[WW_ROWS - 1].extra.s0 = x.extra[first_row - 1];
#endif
    }
#endif
    w->previous = WW_BORDER;
    ww_fill_diagonals(w, args, WW_ROWS, WW_TO_REAL((int)(s->base * WW_ROWS) - s->padding - s->rows_behind - first_columns));
}

// The rows of a row-step, lane 0's from row i on: each lane takes those of its left neighbour, lane 0 new ones.
WW_INLINE void ww_enter_strip_rows(ww_block *w, const ww_launch_args args, const ww_series x, ww_pair_band limits, ww_point *own,
                                   const int i) {
    w->last = own[WW_ROWS - 1];
    w->shift = WW_TO_REAL(w->i - w->first_column);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        const uint t = (uint)clamp(i + q, 0, (int)x.length - 1);
#pragma unroll
        for (int channel = 0; channel < WW_CHANNELS; channel++) {
            const ww_scalar value = i + q < 0 ? (ww_scalar)INFINITY : x.at[t + (ulong)channel * x.length];
            own[q].value[channel] = ww_shift(own[q].value[channel], value);
        }
#if WW_EXTRA
        own[q].extra = ww_shift(own[q].extra, x.extra[t]);
#endif
        w->e[q] = ww_row_make(own[q], !WW_BEFORE ? own[q] : q ? own[q ? q - 1 : 0] : w->last, WW_TO_REAL(w->i + q));
        if (WW_BAND) {
            w->lo[q] = ww_shift_ints(w->lo[q], (int)ww_band_lo(limits, t));
            w->hi[q] = ww_shift_ints(w->hi[q], (int)ww_band_hi(limits, t));
        }
    }
    if (WW_CARRY)
        w->above = ww_row_make(w->last, w->last, WW_TO_REAL(w->i - 1));
}
// What is left of them: each lane's of its neighbour, lane 0's of the strip before or the border.
WW_INLINE void ww_strip_left(ww_block *w, const ww_launch_args args, const ww_strip *s, __global volatile ulong *edges,
                             const uint step, const int i) {
    w->d[0] = ww_from_left(w, args, w->previous, w->above, 0);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        const ww_scalar border = i + q < 0 ? (WW_CORNER ? (ww_scalar)WW_OUTSIDE_VALUE : 0) : ww_left_of_first(w, args, q);
        const uint at = step * WW_ROWS + (uint)q;
        const ww_scalar in = s->number == 0 ? border
                             : step >= s->edge_first && step < s->edge_end
                                 ? ww_take_over(edges, at, s->number)
                                 : (ww_scalar)WW_OUTSIDE_VALUE;
        w->v[q] = ww_shift(w->v[q], in);
    }
    w->previous = w->v[WW_ROWS - 1];
#pragma unroll
    for (int q = 1; q < WW_ROWS; q++)
        w->d[q] = ww_from_left(w, args, w->v[q - 1], w->e[q - 1], q);
#if WW_CORNER
    // D(0,0) is just above the first row.
    if (s->number == 0 && i <= 0 && i + WW_ROWS > 0) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            w->d[q].s0 = i + q == 0 ? 0 : w->d[q].s0;
    }
#endif
}

// The best of `best` and of the ends in a row-step, lane by lane.
WW_INLINE real ww_take_strip_ends(const ww_block *w, const ww_launch_args args, const ww_series x, const ww_series y,
                                  real best) {
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        const ww_ints t = w->i + q;
        const ww_ints taken = (t >= 0) & (t < (int)x.length) & WW_END_ROWS(t + 1) &
                              (w->first_column + WW_COLS >= (int)y.length) & (w->first_column < (int)y.length);
        best = WW_TO_MASK(taken) ? ww_lesser(best, w->v[q]) : best;
    }
#pragma unroll
    for (int r = 0; r < WW_COLS; r++) {
        const ww_ints j = w->first_column + r + 1;
        const ww_ints taken = (w->i + WW_ROWS == (int)x.length) & WW_END_COLUMNS(j) & (j <= (int)y.length);
        best = WW_TO_MASK(taken) ? ww_lesser(best, w->c[r]) : best;
    }
    return best;
}
// The best of all lanes, and of the strips to the left, which is passed on after the rows of the edge.
WW_INLINE ww_scalar ww_best_of_strip(const ww_strip *s, __global volatile ulong *edges, real best) {
    ww_scalar bests[WW_VECTOR];
    WW_VSTORE(best, 0, bests);
    for (uint other = 1; other < WW_VECTOR; other++)
        bests[0] = min(bests[0], bests[other]);
    return s->number ? min(bests[0], ww_take_over(edges, s->row_steps * WW_ROWS, s->number)) : bests[0];
}
// D(n,m), where the strip has it.
WW_INLINE ww_scalar ww_last_of_strip(const ww_block *w, const ww_strip *s) {
    real last = w->c[0];
#pragma unroll
    for (uint r = 1; r < WW_COLS; r++)
        last = r <= s->owned ? w->c[r] : last;
    ww_scalar values[WW_VECTOR];
    WW_VSTORE(last, 0, values);
    return values[s->owner];
}

// A strip; stores the pair's result where the strip has it.
WW_INLINE void ww_run_strip(const ww_series x, const ww_series y, ww_pair_band limits, __global const uint *restrict x_order,
                            __global ww_scalar *restrict out, const ww_task task, const ww_launch_args args,
                            __global volatile ulong *edges, const uint number) {
    if (number * WW_VECTOR * WW_COLS >= y.length)
        return;
    const ww_strip s = ww_strip_of(x, y, limits, number);
    ww_block w;
    ww_point own[WW_ROWS];
    ww_set_pair(&w, args, x.length, y.length);
    ww_begin_strip(&w, args, &s, x, y, own);
#if WW_OPEN
    real best = WW_INF;  // of the ends in each lane
    if (number == 0)
        best.s0 = ww_border_ends(ww_row_make(own[0], own[0], (real)0), own[0], w.lengths).s0;
#endif
    for (uint k = 0; k < s.total; k++) {
        const uint step = s.base + k;  // lane 0's
        const int i = (int)(step * WW_ROWS) - s.padding;
        w.i = i - s.rows_behind;
        if (k == 0)
            w.previous.s0 = ww_corner_of_first(&w, args, &s, y, edges, i);
        ww_enter_strip_rows(&w, args, x, limits, own, i);
        ww_strip_left(&w, args, &s, edges, step, i);
        ww_sweep(&w, args);
#if WW_OPEN
        best = ww_take_strip_ends(&w, args, x, y, best);
#endif
        if (k >= WW_VECTOR - 1 && step - (WW_VECTOR - 1) < s.row_steps) {
            const uint done = step - (WW_VECTOR - 1);
#pragma unroll
            for (uint q = 0; q < WW_ROWS; q++)
                ww_hand_over(edges, done * WW_ROWS + q, number, WW_LAST_LANE_OF(w.v[q]));
        }
        if (!WW_OPEN && step == s.row_steps - 1 + s.owner)
            ww_store_task(out, args, x_order, task, ww_final(ww_last_of_strip(&w, &s), x.length, y.length));
    }
#if WW_OPEN
    const ww_scalar all = ww_best_of_strip(&s, edges, best);
    if (s.owner < WW_VECTOR)
        ww_store_task(out, args, x_order, task, ww_final(all, x.length, y.length));
    else
        ww_hand_over(edges, s.row_steps * WW_ROWS, number, all);
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
    const ww_pair_band limits = WW_BAND_OF(x, y);
    const uint end = whole ? args.strip_end : first + 1;
    for (uint strip = first; strip < end; strip++)
        ww_run_strip(x, y, limits, x_order, out, task, args, edges + (ulong)pair * args.scratch * WW_EDGE_WORDS, strip);
}
