// SPDX-License-Identifier: Apache-2.0
// What engines need from a recurrence, and the defaults for what a recurrence does not define. docs/kernels.md has an
// example.
//
// Every recurrence defines WW_ORDER, ww_enter(), ww_node() and ww_final(); base/choose.cl makes the cell from them. All
// functions take the measure's parameters last: an engine calls them by the macros at the end, which add what came with the
// launch. Optional:
//   WW_ELEMENTS 1  ww_row and ww_column are its own: what the cells of a row (a column) need of it. ww_row_make() and
//                  ww_column_make() make them of a point, the point before it, and its time t, from 0. t < 0: a padding row
//                  above the first, whose point is infinitely far; for plain values it must give the row above itself, D(0,j).
//                  With t < 1 there is no point before: what is given then is unspecified.
//   WW_BEFORE 1    they need the point before.
//   WW_BORDERS 1   D(i,0) = ww_left(row i, time i-1, lengths), D(0,j) = ww_top(point j, time j-1, lengths).
//   WW_TOP_NEXT 1  D(0,j) is also ww_top_next(D(0,j-1), column j): saves reading it.
//   WW_CORNER 1    in the padding rows the border is WW_OUTSIDE; D(0,0) = 0 is just above the first row. Else it is 0.
//   WW_OPEN_BORDER v  the border is v where an open begin skips points, and beyond it as if the series began there: for
//                  recurrences whose border depends on the time alone. Others that have it (ERP, MSM) are right where a search
//                  opens both ends of its streams and no point of the query is skipped. Without it there are no open ends.
//   WW_TRANSPARENT 1  a padding row copies the row above, whatever the recurrence computes; then WW_CORNER is 1. Always
//                  so where the choice is soft or an end is open.
//   WW_CARRY 1     what goes on along the diagonal is not D but ww_carry(D, row, column, i - j).
//   WW_PAIR_READY  a macro of `lengths`: sets lengths.scale and lengths.unscaled, once for a pair.
//   WW_DIAGONAL 1  ww_cell() and ww_carry() take ww_diagonal(i - j, lengths) where others take i - j: computed once for all
//                  cells of a diagonal that a work-item holds. 2: it is expensive, a work-item keeps it from one row-step to the
//                  next, in a register for each column.
#ifndef WW_ELEMENTS
#define WW_ELEMENTS 0
#endif
#ifndef WW_BEFORE
#define WW_BEFORE 0
#endif
#ifndef WW_BORDERS
#define WW_BORDERS 0
#endif
#ifndef WW_TOP_NEXT
#define WW_TOP_NEXT 0
#endif
#ifndef WW_CORNER
#define WW_CORNER 0
#endif
#ifndef WW_CARRY
#define WW_CARRY 0
#endif
#ifndef WW_DIAGONAL
#define WW_DIAGONAL 0
#endif
#ifndef WW_TRANSPARENT
#define WW_TRANSPARENT (WW_OPEN || WW_SELECT == WW_SELECT_SOFT)
#endif
#if WW_TRANSPARENT
#undef WW_CORNER
#define WW_CORNER 1
#endif
#if WW_DIAGONAL
#define WW_LAG(t) ww_diagonal(t, lengths)
#else
#define WW_LAG(t) (t)
#endif
// Whether the row above a row-step's first has to be known.
#define WW_NEEDS_LAST (WW_BEFORE || WW_CARRY)

#if !WW_ELEMENTS
typedef ww_point ww_row;
typedef ww_point ww_column;
WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return own;
}
WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return own;
}
#endif
#if !WW_BORDERS
WW_INLINE real ww_left(ww_row x, real t, ww_pair lengths, ww_parameters p) {
    return WW_BORDER;
}
WW_INLINE real ww_top(ww_point y, real t, ww_pair lengths, ww_parameters p) {
    return WW_BORDER;
}
#endif
#if !WW_CARRY
WW_INLINE real ww_carry(real value, ww_row x, ww_column y, real lag, ww_parameters p) {
    return value;
}
#endif

// The column where it meets a row: with WW_TABLED it takes their cost.
#ifndef WW_OWN
#define WW_OWN(element) (element)
#endif
#if WW_TABLED && WW_VECTOR == 1
WW_INLINE ww_column ww_meet(ww_row x, ww_column y) {
    WW_OWN(y).value = ww_table_cost(WW_OWN(x), WW_OWN(y));
    return y;
}
#define WW_MEET(x, y) ww_meet(x, y)
#else
#define WW_MEET(x, y) (y)
#endif

// Of gradients (base/slopes.cl).
#ifdef WW_GRADIENT
#ifndef WW_NODE_SLOPES
#define WW_NODE_SLOPES 0
#endif
#ifndef WW_NODE_MOST
#define WW_NODE_MOST 0
#endif
#ifndef WW_ENTER_SLOPES
#define WW_ENTER_SLOPES 0
#endif
#ifndef WW_PARAMETER_SLOPES
#define WW_PARAMETER_SLOPES 0
#endif
#ifndef WW_BORDER_SLOPES
#define WW_BORDER_SLOPES 0
#endif
#ifndef WW_FINAL_SLOPE
WW_INLINE ww_scalar ww_final_slope(ww_scalar value, uint n, uint m, ww_parameters p) {
    if (WW_ROOT)
        return value > 0 ? (ww_scalar)0.5 / sqrt(value) : (ww_scalar)0;
    return 1;
}
#endif
#endif

// The border of the matrix as the engines use it.
#if WW_OPEN
#ifndef WW_OPEN_BORDER
#error "this recurrence has no open ends"
#endif
#undef WW_BORDERS
#define WW_BORDERS 1
#undef WW_TOP_NEXT
#define WW_TOP_NEXT 0
WW_INLINE real ww_border_left(ww_row x, real t, ww_pair lengths, ww_parameters p) {
    return t < lengths.begin_x ? (real)WW_OPEN_BORDER : ww_left(x, t - lengths.begin_x, lengths, p);
}
WW_INLINE real ww_border_top(ww_point y, real t, ww_pair lengths, ww_parameters p) {
    return t < lengths.begin_y ? (real)WW_OPEN_BORDER : ww_top(y, t - lengths.begin_y, lengths, p);
}
// The best so far of a pair's ends, to begin with: D(n,0) and D(0,m), which are no cells, where they are ends. Takes
// the elements of any row and point.
WW_INLINE real ww_border_ends(ww_row x, ww_point y, ww_pair lengths, ww_parameters p) {
    const real left = lengths.end_y >= lengths.columns ? ww_border_left(x, lengths.rows - 1, lengths, p) : WW_INF;
    const real top = lengths.end_x >= lengths.rows ? ww_border_top(y, lengths.columns - 1, lengths, p) : WW_INF;
    return ww_lesser(left, top);
}
// Row i (from 1) of n is an end where D(i,m) is a candidate; likewise column j of m.
#define WW_END_ROW(i, n) ((i) + (int)min(args.end_x, (uint)(n)) >= (int)(n))
#define WW_END_COLUMN(j, m) ((j) + (int)min(args.end_y, (uint)(m)) >= (int)(m))
WW_INLINE void ww_set_ends(ww_pair *lengths, uint begin_x, uint end_x, uint begin_y, uint end_y) {
    lengths->begin_x = (real)(ww_scalar)begin_x;
    lengths->end_x = (real)(ww_scalar)end_x;
    lengths->begin_y = (real)(ww_scalar)begin_y;
    lengths->end_y = (real)(ww_scalar)end_y;
}
#define WW_SET_ENDS(lengths) ww_set_ends(&(lengths), args.begin_x, args.end_x, args.begin_y, args.end_y);
#else
#define ww_border_left(x, t, lengths) ww_left(x, t, lengths)
#define ww_border_top(y, t, lengths) ww_top(y, t, lengths)
#define ww_border_ends(x, y, lengths) WW_INF
#define WW_END_ROW(i, n) false
#define WW_END_COLUMN(j, m) false
#define WW_SET_ENDS(lengths)
#endif

// The recurrence's functions as engines call them, in a kernel.
#define ww_row_make(own, before, t) ww_row_make(own, before, t, WW_GIVEN)
#define ww_column_make(own, before, t) ww_column_make(own, before, t, WW_GIVEN)
#define ww_left(x, t, lengths) ww_left(x, t, lengths, WW_GIVEN)
#define ww_top(y, t, lengths) ww_top(y, t, lengths, WW_GIVEN)
#define ww_top_next(before, y) ww_top_next(before, y, WW_GIVEN)
#define ww_carry(value, x, y, lag) ww_carry(value, x, y, lag, WW_GIVEN)
#define ww_diagonal(lag, lengths) ww_diagonal(lag, lengths, WW_GIVEN)
#define ww_final(value, n, m) ww_final(value, n, m, WW_GIVEN)
#if WW_OPEN
#define ww_border_left(x, t, lengths) ww_border_left(x, t, lengths, WW_GIVEN)
#define ww_border_top(y, t, lengths) ww_border_top(y, t, lengths, WW_GIVEN)
#define ww_border_ends(x, y, lengths) ww_border_ends(x, y, lengths, WW_GIVEN)
#endif

// After the lengths of a pair are set: the rest of it.
#ifndef WW_PAIR_READY
#define WW_PAIR_READY(lengths)
#endif
#define WW_SET_PAIR(lengths)                                                                                           \
    WW_SET_ENDS(lengths)                                                                                               \
    WW_PAIR_READY(lengths)

#if WW_VECTOR == 1
// The element of a column, and of a row that is not padding.
#if WW_BEFORE
#define WW_COLUMN_AT(s, t) ww_column_make(WW_POINT(s, t), WW_POINT(s, (t) ? (t)-1 : 0), (real)(t))
#define WW_ROW_AT(s, t) ww_row_make(WW_POINT(s, t), WW_POINT(s, (t) ? (t)-1 : 0), (real)(t))
#else
#define WW_COLUMN_AT(s, t) ww_column_make(WW_POINT(s, t), WW_POINT(s, t), (real)(t))
#define WW_ROW_AT(s, t) ww_row_make(WW_POINT(s, t), WW_POINT(s, t), (real)(t))
#endif
#endif
