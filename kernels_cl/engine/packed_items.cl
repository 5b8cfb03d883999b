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
// The point in row (or column) t of this work-item's interleaved series.
WW_INLINE ww_point ww_item_point(__global const ww_scalar *at, uint t) {
    ww_point point;
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = at[((ulong)t * WW_PARTS + c) * WW_PACK];
#if WW_EXTRA
    point.extra = at[((ulong)t * WW_PARTS + WW_CHANNELS) * WW_PACK];
#endif
    return point;
}
#if WW_LIST
#define WW_ITEM_COLUMN_POINT(t) ww_item_point(ys, t)
#define WW_ITEM_COLUMN(t) ww_column_make(ww_item_point(ys, t), ww_item_point(ys, (t) ? (t)-1 : 0), (real)(t))
#define WW_ITEM_TOP(j) ww_border_top(ww_item_point(ys, min((uint)(j), widest - 1)), (real)(j), lengths)
#else
#define WW_ITEM_COLUMN_POINT(t) WW_POINT(y, t)
#define WW_ITEM_COLUMN(t) WW_COLUMN_AT(y, t)
#define WW_ITEM_TOP(j) WW_TOP_AT(y, j)
#endif
#if WW_TOP_NEXT
#define WW_ITEM_TOP_OF(r) ((r) ? ww_top_next(c[(r) ? (r)-1 : 0], b[r]) : WW_ITEM_TOP(first_column))
#else
#define WW_ITEM_TOP_OF(r) WW_ITEM_TOP(first_column + (r))
#endif

#define WW_ITEM_LAST_ROW ww_row_make(ww_item_point(xs, rows - 1), ww_item_point(xs, rows - 2), lengths.rows - 1)

// D(t+1,0), or what is left of a padding row (t < 0); and what is above the left of a strip's first row-step.
#if WW_CORNER
#define WW_ITEM_PADDING_BORDER(t) WW_OUTSIDE
#else
#define WW_ITEM_PADDING_BORDER(t) ((real)0)
#endif
#if WW_BORDERS
#define WW_ITEM_BORDER(t)                                                                                              \
    ((t) < 0 ? WW_ITEM_PADDING_BORDER(t)                                                                               \
             : ww_border_left(ww_row_make(ww_item_point(xs, step), ww_item_point(xs, step ? step - 1 : 0), (real)(t)),         \
                       (real)(t), lengths))
#else
#define WW_ITEM_BORDER(t) ((t) < 0 ? WW_ITEM_PADDING_BORDER(t) : WW_BORDER)
#endif
#define WW_ITEM_CORNER (at_border ? (WW_CORNER ? WW_OUTSIDE : (real)0) : WW_TOP_LEFT)

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_packed_items(WW_ITEMS_ARGUMENTS) {
    const uint lane = (uint)get_local_id(0);
    __global ww_scalar *edges = WW_ITEMS_EDGES;
    __local uint taken;
#if WW_COLUMNS_LOCAL
    WW_ITEM_LOCAL_COLUMNS
#endif
#if WW_EDGED
    __local int compared[4];
#endif

    for (;;) {
        WW_ITEMS_UNIT
        ww_pair lengths;
        lengths.rows = (real)n;
        WW_ITEMS_EACH {
            WW_ITEMS_COLUMN
            lengths.columns = (real)m;
            WW_SET_PAIR(lengths)
#if WW_OPEN
            real best = ww_border_ends(WW_ITEM_LAST_ROW, WW_ITEM_COLUMN_POINT(0), lengths);
#else
            real result = WW_BORDER;
#endif
            WW_ITEM_PAIR
            for (uint first_column = 0; first_column < widest; first_column += WW_COLS) {
                const bool at_border = first_column == 0, more = first_column + WW_COLS < widest;
                WW_ITEM_STRIP
                const int i = (int)n - (int)rows + (int)from_row;  // the first row
                (void)i, (void)to_row;
#if !WW_COLUMNS_LOCAL
                ww_column b[WW_COLS];
                real c[WW_COLS];  // the strip's previous row
#endif
#if WW_NEEDS_LAST
                // The point above the row-step's.
                ww_point last = from_row ? ww_item_point(xs, from_row - 1) : ww_point_infinite();
#endif
#if WW_CARRY
                const ww_column beside = WW_ITEM_COLUMN(first_column ? first_column - 1 : 0);
#endif
#if WW_BORDERS
                const real corner_top = WW_ITEM_TOP(first_column ? first_column - 1 : 0);
#endif
                real previous = reached_corner ? edges[(ulong)(from_row - 1) * WW_PACK] : WW_ITEM_CORNER;
#if WW_COLUMNS_LOCAL
                WW_ITEM_BRING_COLUMNS
                for (uint r = 0; r < width; r++)
                    c[r] = WW_BORDER;
#else
                // Without limits the addresses are constants apart. (More than a value each would leave the uniform registers.)
                if (WW_CHANNELS == 1 && !WW_ELEMENTS && first_column + WW_COLS <= widest) {
#pragma unroll
                    for (uint r = 0; r < WW_COLS; r++)
                        b[r] = WW_ITEM_COLUMN(first_column + r);
                } else {
#pragma unroll
                    for (uint r = 0; r < WW_COLS; r++)
                        b[r] = WW_ITEM_COLUMN(min(first_column + r, widest - 1));
                }
#pragma unroll
                for (uint r = 0; r < WW_COLS; r++)
#if WW_BORDERS
                    c[r] = WW_ITEM_TOP_OF(r);
#else
                    c[r] = WW_BORDER;
#endif
#endif
                WW_ITEM_CLIP_TOP
                // The border stands where a strip to the left would have left its values: then no step asks which it is.
                if (at_border)
                    for (uint step = from_row; step < to_row; step++) {
                        const int t = i + (int)(step - from_row);
                        edges[(ulong)step * WW_PACK] = WW_ITEM_BORDER(t);
                    }
#if WW_CARRY
                bool reached = reached_corner;
#endif
                WW_ITEM_STRIP_STEPS
#if !WW_OPEN
                if (m > first_column && m <= first_column + WW_COLS) {
                    // The last r <= owned wins; an equality would let the compiler index c and keep it in memory.
                    const uint owned = m - 1 - first_column;
#if WW_COLUMNS_LOCAL
                    result = c[owned];
#else
                    result = c[0];
#pragma unroll
                    for (uint r = 1; r < WW_COLS; r++)
                        result = r <= owned ? c[r] : result;
#endif
                }
#endif
            }
#if WW_OPEN
            const real result = best;
#endif
            WW_ITEMS_STORE(result)
        }
    }
}
