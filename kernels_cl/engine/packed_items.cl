// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs: a work-item a pair, WW_PACK pairs side by side in a work-group. No exchange.
//
// Tried, not taken: columns of DTW in local memory, 16 or 32 rows in registers: 8.0 for 8.9 TCUPS.
//
// A work-item walks its matrix in strips of WW_COLS columns. The strip's previous row is in registers; a step takes
// WW_ROWS rows across the strip, each one column behind the row above it. The values of the strip's last column go to
// the next strip through `scratch` (4 or 8 bytes a row, neighbouring work-items beside each other). All work-items of a
// pack are at the same step of the same strip, so loops and borders are uniform.
//
// The row series of a pack are interleaved (interleave.cl) so that they end together: a shorter one has padding rows
// before its first, and so has every one to fill the first row-step. The last row is then in the registers when a strip
// ends. In a rectangle all work-items share the column series; in a list the column series are interleaved too.
// Columns behind a column series' end are computed and never read.
//
// Bands, open ends and soft minima: items_edges.cl.
//
// Which pairs are a work-group's: items_pack.cl.
//
// Parameters: WW_COLS (with a band a multiple of 8), WW_ROWS, WW_WG (= WW_PACK). Scratch: args.scratch rows x WW_PACK
// values a work-group. Local memory: a few words.

// Column t of this work-item, and the border above it: D(0,t+1).
WW_INLINE ww_column ww_item_column(const ww_item *t, const ww_block *w, const ww_launch_args args, const ww_series y,
                                   const uint column) {
    if (WW_LIST)
        return ww_column_make(ww_item_point(t->ys, column), ww_item_point(t->ys, column ? column - 1 : 0), (real)column);
    return WW_COLUMN_AT(y, column);
}
WW_INLINE real ww_item_top(const ww_item *t, const ww_block *w, const ww_launch_args args, const ww_series y,
                                   const uint column) {
    if (WW_LIST)
        return ww_border_top(ww_item_point(t->ys, min(column, t->widest - 1)), (real)column, w->lengths);
    return ww_top_at(y, column, w->lengths, args);
}
// D(i+1,0) of row i, which is row `step` of the pack, or what is left of a padding row.
WW_INLINE real ww_item_border(const ww_item *t, const ww_block *w, const ww_launch_args args, const int i, const uint step) {
    if (i < 0)
        return WW_CORNER ? WW_OUTSIDE : (real)0;
    if (!WW_BORDERS)
        return WW_BORDER;
    const ww_row row = ww_row_make(ww_item_point(t->xs, step), ww_item_point(t->xs, step ? step - 1 : 0), (real)i);
    return ww_border_left(row, (real)i, w->lengths);
}
// The best of the ends on the border.
#if WW_OPEN
WW_INLINE real ww_item_border_ends(const ww_item *t, const ww_block *w, const ww_launch_args args, const ww_series y) {
    const ww_point last = ww_item_point(t->xs, t->rows - 1), before = ww_item_point(t->xs, t->rows - 2);
    ww_point first = WW_POINT(y, 0);
    if (WW_LIST)
        first = ww_item_point(t->ys, 0);
    return ww_border_ends(ww_row_make(last, before, w->lengths.rows - 1), first, w->lengths);
}
#endif

// A strip's columns and what is above and left of it.
WW_INLINE void ww_item_begin_strip(ww_item *t, ww_block *w, const ww_launch_args args, const ww_series y) {
    const uint first_column = (uint)w->first_column;
    const bool reached_corner = ww_item_strip(t, w);
    w->i = (int)w->n - (int)t->rows + (int)t->from_row;
    if (WW_NEEDS_LAST)
        w->last = t->from_row ? ww_item_point(t->xs, t->from_row - 1) : ww_point_infinite();
    if (WW_CARRY)
        w->beside = ww_item_column(t, w, args, y, first_column ? first_column - 1 : 0);
    if (WW_BORDERS)
        w->corner_top = ww_item_top(t, w, args, y, first_column ? first_column - 1 : 0);
    w->previous = reached_corner   ? t->edges[(ulong)(t->from_row - 1) * WW_PACK]
                  : t->at_border ? (WW_CORNER ? WW_OUTSIDE : (real)0)
                                 : ww_edge_top(w);
    t->reached = reached_corner;
#if WW_COLUMNS_LOCAL
    ww_local_bring(&t->shared, y, first_column, t->lane);
#else
    // Without limits the addresses are constants apart. (More than a value each would leave the uniform registers.)
    if (WW_CHANNELS == 1 && !WW_ELEMENTS && first_column + WW_COLS <= t->widest) {
#pragma unroll
        for (uint r = 0; r < WW_COLS; r++)
            w->b[r] = ww_item_column(t, w, args, y, first_column + r);
    } else {
#pragma unroll
        for (uint r = 0; r < WW_COLS; r++)
            w->b[r] = ww_item_column(t, w, args, y, min(first_column + r, t->widest - 1));
    }
#pragma unroll
    for (uint r = 0; r < WW_COLS; r++)
#if WW_TOP_NEXT
        w->c[r] = r ? ww_top_next(w->c[r ? r - 1 : 0], w->b[r]) : ww_item_top(t, w, args, y, first_column);
#else
        w->c[r] = WW_BORDERS ? ww_item_top(t, w, args, y, first_column + r) : WW_BORDER;
#endif
#endif
    if (WW_BAND)
        ww_item_clip_top(t, w);
    // The border stands where a strip to the left would have left its values: then no step asks which it is.
    if (t->at_border)
        for (uint step = t->from_row; step < t->to_row; step++)
            t->edges[(ulong)step * WW_PACK] = ww_item_border(t, w, args, w->i + (int)(step - t->from_row), step);
}

// The value of column m, where the strip has it.
WW_INLINE real ww_item_result(const ww_item *t, const ww_block *w, const uint owned) {
#if WW_COLUMNS_LOCAL
    return t->shared.c[owned];
#else
    return ww_owned_value(w, owned);
#endif
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_packed_items(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
                __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
                __global const uint *restrict x_order, __global const uint *restrict y_order,
                __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
                __global const ww_scalar *restrict x_packed, __global const ulong *restrict x_pack_offset,
                __global const ww_scalar *restrict y_packed, __global const ulong *restrict y_pack_offset,
                __global ww_scalar *scratch, __global uint *restrict counter, const uint packs, const uint units) {
    const uint lane = (uint)get_local_id(0);
    __local uint taken;
    ww_item t;
    t.edges = ww_items_edges(scratch, args, lane);
    t.lane = lane;
#if WW_COLUMNS_LOCAL
    __local float4 column_points[WW_COLS * WW_COLUMN_FOURS];
    __local float columns_above[WW_WG * WW_COLUMNS_APART];
    t.shared.points = column_points;
    t.shared.c = columns_above + lane * WW_COLUMNS_APART;
#endif
    __local int compared[4];
    t.compared = compared;

    for (;;) {
        const uint unit = ww_items_next(counter, &taken, lane);
        if (unit >= units)
            return;
        const ww_items_unit u = ww_items_unit_of(args, unit, packs, x_order, x_pack_offset, lane);
        const ww_series x = ww_series_load(x_values, x_series, u.x, args.channel);
        ww_block w;
        w.n = x.length;
        w.lengths.rows = (real)x.length;
        t.xs = x_packed + x_pack_offset[u.pack] + lane;
        t.rows = u.rows;
        for (uint column = u.column_begin; column < u.column_end; column++) {
            // A pack's first row has the smallest slot.
            if (!ww_items_wants(args, args.row_begin + u.pack * WW_PACK, column))
                continue;
            const uint y_id = ww_items_column(args, u, x_order, y_order, column);
            const ww_series y = ww_series_load(y_values, y_series, y_id, args.channel);
            w.m = y.length;
            w.lengths.columns = (real)y.length;
            WW_SET_PAIR(w.lengths)
            t.ys = y_packed + y_pack_offset[WW_LIST ? u.pack : 0] + lane;
            t.widest = WW_LIST ? ww_items_length(y_pack_offset, u.pack) : y.length;
            t.limits = WW_BAND_OF(x, y);
#if WW_OPEN
            t.best = ww_item_border_ends(&t, &w, args, y);
#endif
            real result = WW_BORDER;
            ww_item_pair(&t, &w);
            for (uint first_column = 0; first_column < t.widest; first_column += WW_COLS) {
                w.first_column = (int)first_column;
                t.at_border = first_column == 0;
                t.more = first_column + WW_COLS < t.widest;
                ww_item_begin_strip(&t, &w, args, y);
                ww_item_strip_steps(&t, &w, args);
                if (!WW_OPEN && y.length > first_column && y.length <= first_column + WW_COLS)
                    result = ww_item_result(&t, &w, y.length - 1 - first_column);
            }
#if WW_OPEN
            result = t.best;
#endif
            if (u.mine && ww_items_wants(args, u.slot, column))
                ww_store(out, args, u.x, y_id, u.result, ww_final(result, x.length, y.length));
        }
    }
}
