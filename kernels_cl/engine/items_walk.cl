// SPDX-License-Identifier: Apache-2.0
// What engine packed (items) has of a walk: WW_ROWS rows across a block of WW_COLS columns held in registers, as macros. No kernel is
// here. WW_WHOLE_BLOCKS 1 (items_edges.cl): the engine masks cells outside a band itself.
//
// Tried, not taken: PTX to keep the order of a minimum's operands: DTW 8.87 for 9.02 TCUPS.
#ifndef WW_WHOLE_BLOCKS
#define WW_WHOLE_BLOCKS 0
#endif
#ifndef WW_COLS
#define WW_COLS 16
#endif
#ifndef WW_ROWS
#define WW_ROWS 4
#endif
#if WW_BAND && WW_VECTOR == 1 && WW_COLS > 32 && !WW_WHOLE_BLOCKS
#error "a banded block has at most 32 columns"
#endif

// Rows of a step, where an engine has steps of two sizes (items_edges.cl): a constant of the scope.
#ifndef WW_STEP
#define WW_STEP WW_ROWS
#endif

#if WW_ROWS & (WW_ROWS - 1)
#error "WW_ROWS is a power of two"
#endif

// The columns of a block, in registers or read when needed.
#ifdef WW_COLUMN
#elif WW_POINT_REGISTERS
#define WW_COLUMN(r) b[r]
#else
#define WW_COLUMN(r) WW_COLUMN_AT(y, min(first_column + (r), y.length - 1))
#endif

// `rows` rows across the block. v: in, the left-hand neighbour's values in these rows; out, the last column's. d: the
// values above v. A macro, because NVIDIA's compiler keeps arrays passed to a function in memory. Neighbouring rows use
// the value they share as the same operand (`q & 1`), so that it is read from the register file's reuse cache.
#if WW_BAND && !WW_WHOLE_BLOCKS
#define WW_KEEP(value, q, r) ((inside[q] >> (r)) & 1u ? (value) : WW_OUTSIDE)
#else
#define WW_KEEP(value, q, r) (value)
#endif
// `shift` is i - j of the first cell, `lengths` the lengths. A diagonal's first cell here is in the first column, or in
// the row above the first, which the carries need. Kept diagonals move by WW_ROWS a step; before a block's first step,
// WW_FILL_DIAGONALS makes those of the step before.
#if WW_DIAGONAL == 2
#define WW_KEPT_DIAGONALS real along[WW_COLS + WW_STEP];
#define WW_FILL_DIAGONALS(shift)                                                                                       \
    _Pragma("unroll") for (int r = WW_STEP; r < WW_COLS + WW_STEP; r++)                                                \
        along[r] = ww_diagonal((shift) + (real)(r - WW_STEP - WW_COLS), lengths);
#define WW_DIAGONALS(rows)                                                                                             \
    _Pragma("unroll") for (int r = 0; r < WW_COLS; r++)                                                                \
        along[r] = along[r + (rows)];                                                                                  \
    _Pragma("unroll") for (int q = 0; q < (rows); q++)                                                                 \
        along[WW_COLS + q] = ww_diagonal(shift + (real)q, lengths);
#define WW_NEW_DIAGONAL(q, r)
#else
#define WW_KEPT_DIAGONALS
#define WW_FILL_DIAGONALS(shift)
#if WW_DIAGONAL
#define WW_DIAGONALS(rows) real along[WW_COLS + (rows)];
#define WW_NEW_DIAGONAL(q, r)                                                                                          \
    if ((r) == 0)                                                                                                      \
        along[WW_COLS + (q)] = ww_diagonal(shift + (real)(q), lengths);                                                   \
    if ((q) == 0)                                                                                                      \
        along[WW_COLS - 1 - (r)] = ww_diagonal(shift - (real)((r) + 1), lengths);
#else
#define WW_DIAGONALS(rows)
#define WW_NEW_DIAGONAL(q, r)
#endif
#endif
#if WW_DIAGONAL
#define WW_ALONG(q, r) along[WW_COLS + (q) - (r)]
#else
#define WW_ALONG(q, r) shift + (real)((q) - (r))
#endif
#if WW_CARRY
#define WW_ABOVE(q, r) ((q) ? g[(q) ? (q)-1 : 0] : ww_carry(c[r], above, WW_COLUMN(r), WW_ALONG(-1, r)))
#define WW_GO_ON(q, r) g[q] = ww_carry(v[q], e[q], WW_COLUMN(r), WW_ALONG(q, r));
#else
#define WW_ABOVE(q, r) up
#define WW_GO_ON(q, r)
#endif
// The value that a padding row, and with open ends a column after the last, passes on unchanged: so D(i,m) is always in
// v.
#if WW_TRANSPARENT
#define WW_PASS_ROW(value, up, q) (WW_IS_PADDING(q) ? (up) : (value))
#else
#define WW_PASS_ROW(value, up, q) (value)
#endif
#if WW_OPEN
#define WW_PASS_COLUMN(value, left, r) (WW_IS_COLUMN(r) ? (value) : (left))
#else
#define WW_PASS_COLUMN(value, left, r) (value)
#endif
#if WW_VECTOR == 1
#define WW_IS_PADDING(q) (i + (q) < 0)
#define WW_IS_COLUMN(r) (first_column + (uint)(r) < y.length)
#endif
// What a kernel does with a cell's direction (base/choose.cl).
#ifndef WW_NOTE
#define WW_NOTE(q, r)
#endif
// Columns [from, to) of the block. `diagonal` makes a new diagonal's value; `keep`, `column` and `row` are what becomes of a
// cell's value outside the band, after the last column and in a padding row.
#define WW_SWEEP_CELL(rows, q, r, diagonal, keep, column, row)                                                         \
    {                                                                                                                  \
        diagonal(q, r)                                                                                                 \
        const real up = q ? v[q - 1] : c[r];                                                                           \
        real value = WW_CELL(v[q], up, d[q], e[q], WW_COLUMN(r), WW_ALONG(q, r), lengths, q & 1);                      \
        WW_NOTE(q, r)                                                                                                  \
        value = keep(value, q, r);                                                                                     \
        value = column(value, v[q], r);                                                                                \
        value = row(value, up, q);                                                                                     \
        d[q] = WW_ABOVE(q, r);                                                                                         \
        v[q] = value;                                                                                                  \
        WW_GO_ON(q, r)                                                                                                 \
        if (q == (rows)-1)                                                                                             \
            c[r] = value;                                                                                              \
    }
#ifndef WW_SWEEP_OF
#define WW_SWEEP_OF(rows, from, to, diagonal, keep, column, row)                                                       \
    _Pragma("unroll") for (int w = 0; w < (to) - (from) + (rows)-1; w++) {                                             \
        _Pragma("unroll") for (int q = (rows)-1; q >= 0; q--) {                                                        \
            const int r = w - q + (from);                                                                              \
            if (r >= (from) && r < (to))                                                                               \
                WW_SWEEP_CELL(rows, q, r, diagonal, keep, column, row)                                                 \
        }                                                                                                              \
    }
#endif
#define WW_SWEEP(rows)                                                                                                 \
    WW_DIAGONALS(rows)                                                                                                 \
    WW_SWEEP_OF(rows, 0, WW_COLS, WW_NEW_DIAGONAL, WW_KEEP, WW_PASS_COLUMN, WW_PASS_ROW)

#if WW_BAND && WW_VECTOR == 1 && !WW_WHOLE_BLOCKS
// One bit a column of the block: set inside row i's interval.
WW_INLINE uint ww_inside(ww_pair_band limits, uint i, uint first_column) {
    const int lo = clamp((int)ww_band_lo(limits, i) - (int)first_column, 0, 32);
    const int hi = clamp((int)ww_band_hi(limits, i) - (int)first_column, 0, 32);
    const uint below_hi = hi == 32 ? 0xffffffffu : (1u << hi) - 1;
    const uint below_lo = lo == 32 ? 0xffffffffu : (1u << lo) - 1;
    return below_hi & ~below_lo;
}
#endif

// Whether the value above and left of a row-step's first row i is D(0,0), or padding like it.
#if WW_CORNER
#define WW_UNDER_CORNER (i == 0)
#else
#define WW_UNDER_CORNER (i <= 0)
#endif

// Padding rows above the first: as many as fill the first row-step.
#define WW_PADDING(n) ((int)((0u - (n)) % WW_ROWS))
#if WW_BAND && !WW_WHOLE_BLOCKS
// First and end row-step of a block of columns, the padding rows counted.
WW_INLINE uint ww_block_first(ww_pair_band limits, uint block) {
    return block ? (ww_band_top(limits, block * WW_COLS) + (uint)WW_PADDING(limits.n)) / WW_ROWS : 0;
}
WW_INLINE uint ww_block_end(ww_pair_band limits, uint block) {
    const uint bottom = ww_band_bottom(limits, min((block + 1) * WW_COLS, limits.m));
    return (bottom + (uint)WW_PADDING(limits.n) + WW_ROWS - 1) / WW_ROWS;
}
#endif
#if WW_VECTOR == 1
// Row i's point.
WW_INLINE ww_point ww_row_point(ww_series x, int i) {
    ww_point point = WW_POINT(x, (uint)clamp(i, 0, (int)x.length - 1));
#if WW_ROWS > 1
    if (i < 0)
        point = ww_point_infinite();
#endif
    return point;
}
#endif

#if WW_VECTOR == 1
#define WW_TOP_AT(s, j) ww_border_top(WW_POINT(s, min((uint)(j), (s).length - 1)), (real)(j), lengths)

// The border above a block's first column and above the later ones.
#if WW_TOP_NEXT && WW_POINT_REGISTERS
#define WW_TOP_OF(r, first_column) ((r) ? ww_top_next(c[(r) ? (r)-1 : 0], b[r]) : WW_TOP_AT(y, first_column))
#else
#define WW_TOP_OF(r, first_column) WW_TOP_AT(y, first_column + (r))
#endif

// The elements of a row-step's rows, from their points; and the other values that the sweep needs.
#if WW_BEFORE
#define WW_POINT_BEFORE(points, q) ((q) ? points[(q) ? (q)-1 : 0] : last)
#else
#define WW_POINT_BEFORE(points, q) points[q]
#endif
#if WW_CARRY
#define WW_ROW_ABOVE const ww_row above = ww_row_make(last, last, (real)(i - 1));
#else
#define WW_ROW_ABOVE
#endif
#if WW_NEEDS_LAST
#define WW_KEEP_LAST(points) last = points[WW_STEP - 1];
#else
#define WW_KEEP_LAST(points)
#endif
// Elements of rows before the second one are special. An engine may make them apart (items_edges.cl).
#ifndef WW_FIRST_ELEMENTS
#define WW_ROW_TIME(q) (real)(i + (q))
#define WW_FIRST_ELEMENTS(points)
#endif
#define WW_ROW_ELEMENTS(points)                                                                                        \
    const real shift = (real)(i - (int)first_column);                                                                  \
    ww_row e[WW_STEP];                                                                                                 \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++)                                                                \
        e[q] = ww_row_make(points[q], WW_POINT_BEFORE(points, q), WW_ROW_TIME(q));                                     \
    WW_FIRST_ELEMENTS(points)                                                                                          \
    WW_ROW_ABOVE                                                                                                       \
    WW_KEEP_LAST(points)

// The left edge of a row-step: v and d from the neighbour's values l and `previous` where it was inside its block
// (`known`, and `reached` for the row above), else from the matrix's border (`at_border`) or the outside.
#if WW_CORNER
#define WW_BORDER_LEFT(q) (i + (q) < 0 ? WW_OUTSIDE : ww_border_left(e[q], (real)(i + (q)), lengths))
#else
#define WW_BORDER_LEFT(q) (i + (q) < 0 ? (real)0 : ww_border_left(e[q], (real)(i + (q)), lengths))
#endif
#if WW_BORDERS
// The border's value is kept for the next row-step in place of a neighbour's value.
#define WW_BORDER_ABOVE (WW_UNDER_CORNER ? (real)0 : i < 0 ? WW_OUTSIDE : previous)
#define WW_TOP_LEFT (i < 0 ? WW_OUTSIDE : i == 0 ? corner_top : WW_OUTSIDE)
#define WW_HOLD_BORDER l[WW_STEP - 1] = at_border ? v[WW_STEP - 1] : l[WW_STEP - 1];
#elif WW_CORNER
#define WW_BORDER_ABOVE (i == 0 ? (real)0 : WW_BORDER)
#define WW_TOP_LEFT (i <= 0 ? WW_BORDER : WW_OUTSIDE)
#define WW_HOLD_BORDER
#else
#define WW_BORDER_ABOVE (i <= 0 ? (real)0 : WW_BORDER)
#define WW_TOP_LEFT (i <= 0 ? WW_BORDER : WW_OUTSIDE)
#define WW_HOLD_BORDER
#endif
#if WW_CARRY
#define WW_CARRIES real g[WW_STEP];
#define WW_FROM_LEFT(value, row, q) ww_carry(value, row, beside, WW_LAG(shift + (real)(q)))
#else
#define WW_CARRIES
#define WW_FROM_LEFT(value, row, q) (value)
#endif
#ifdef WW_AT_CORNER
#elif WW_CORNER
#define WW_AT_CORNER(q, value) (at_border && i + (q) == 0 ? (real)0 : (value))
#else
#define WW_AT_CORNER(q, value) (value)
#endif
#define WW_EDGE                                                                                                        \
    WW_CARRIES                                                                                                         \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++)                                                                \
        v[q] = at_border ? WW_BORDER_LEFT(q) : known ? l[q] : WW_OUTSIDE;                                              \
    d[0] = at_border ? WW_BORDER_ABOVE : reached ? WW_FROM_LEFT(previous, above, 0) : WW_TOP_LEFT;                     \
    WW_HOLD_BORDER                                                                                                     \
    _Pragma("unroll") for (int q = 1; q < WW_STEP; q++)                                                                \
        d[q] = WW_AT_CORNER(q, WW_FROM_LEFT(v[q - 1], e[q - 1], q));

// With open ends: the best of what a block has of the ends after a row-step, in `best`. v holds the values of column m where
// the block has it, c those of row n after the last row-step.
#if WW_OPEN
#define WW_TAKE_ENDS(has_column, last_step)                                                                            \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++)                                                                \
        if ((has_column) && i + q >= 0 && i + q < (int)x.length && WW_END_ROW(i + q + 1, x.length))                    \
            best = ww_lesser(best, v[q]);                                                                              \
    if (last_step)                                                                                                     \
        _Pragma("unroll") for (int r = 0; r < WW_COLS; r++)                                                            \
            best = WW_IS_COLUMN(r) && WW_END_COLUMN((int)first_column + r + 1, y.length) ? ww_lesser(best, c[r]) : best;
#endif
#endif
