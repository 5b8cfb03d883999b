// SPDX-License-Identifier: Apache-2.0
// What engines ask of a recurrence, and what a recurrence that does not say gets. docs/kernels.md has an example.
//
// Every recurrence defines WW_OUTSIDE_VALUE (a cell outside the band), WW_BORDER_VALUE, ww_cell() and ww_final(). Beyond that:
//   WW_ELEMENTS 1  ww_row and ww_column are its own: what the cells of a row (a column) need of it. ww_row_make() and
//                  ww_column_make() make them of a point, the point before it, and its time t, from 0. t < 0: a padding row
//                  above the first, whose point is infinitely far; it must give the row above itself, D(0,j).
//                  With t < 1 there is no point before: what is given then is unspecified.
//   WW_BEFORE 1    they need the point before.
//   WW_BORDERS 1   D(i,0) = ww_left(row i, time i-1, lengths), D(0,j) = ww_top(point j, time j-1, lengths).
//   WW_TOP_NEXT 1  D(0,j) is also ww_top_next(D(0,j-1), column j): saves reading it.
//   WW_CORNER 1    in the padding rows the border is WW_OUTSIDE; D(0,0) = 0 stands just above the first row. Else it is 0.
//   WW_CARRY 1     what goes on along the diagonal is not D but ww_carry(D, row, column, i - j).
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
WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t) {
    return own;
}
WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t) {
    return own;
}
#endif
#if !WW_BORDERS
WW_INLINE real ww_left(ww_row x, real t, ww_pair lengths) {
    return WW_BORDER;
}
WW_INLINE real ww_top(ww_point y, real t, ww_pair lengths) {
    return WW_BORDER;
}
#endif
#if !WW_CARRY
WW_INLINE real ww_carry(real value, ww_row x, ww_column y, real lag) {
    return value;
}
#endif

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
