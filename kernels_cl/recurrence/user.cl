// SPDX-License-Identifier: Apache-2.0
// The caller's own recurrence, adapted to the engines. The caller's text, which precedes this one, defines
//   real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag)
// and, when it has one of these lines before that,
//   #define WW_USER_ENTER    instead of ww_user_cell(), the neighbours with their edge costs and what the cell adds to the best,
//                            ww_entries ww_user_enter(real left, real up, real diagonal, ww_point x, ww_point y, real lag) and
//                            real ww_user_node(real best, ww_point x, ww_point y, real lag): so the choice can be soft
//   #define WW_USER_BEFORE   ww_user_cell() (or ww_user_enter()) also takes the points before: (left, up, diagonal, x, y, before_x, before_y, lag)
//   #define WW_USER_BORDERS  real ww_user_left(ww_point x, real t): D(i,0), and real ww_user_top(ww_point y, real t): D(0,j),
//                            with t = i-1, j-1; else both are infinity, and D(0,0) = 0 in any case
//   #define WW_USER_OPEN_BORDER v: the border of points skipped at an open end, usually 0; else open ends are refused
//   #define WW_USER_OUTSIDE  v: the value of cells outside a band; else infinity
//   #define WW_USER_FINAL    ww_scalar ww_user_final(ww_scalar value, uint n, uint m): the result; else D(n,m)
#ifdef WW_USER_GIVEN
// They also take the parameters, from functions that have them as `p`.
#undef ww_user_cell
#undef ww_user_enter
#undef ww_user_node
#undef ww_user_left
#undef ww_user_top
#undef ww_user_final
#define WW_USER_P , p
#else
#define WW_USER_P
#endif
#ifdef WW_USER_OUTSIDE
#undef WW_OUTSIDE_VALUE
#define WW_OUTSIDE_VALUE WW_USER_OUTSIDE
#endif
#define WW_ORDER WW_LEAST
#define WW_ELEMENTS 1
#define WW_CORNER 1
#define WW_ANY_SIGN 1
// The result of a row of infinite points is not known.
#define WW_TRANSPARENT 1
#ifdef WW_USER_OPEN_BORDER
#define WW_OPEN_BORDER WW_USER_OPEN_BORDER
#endif

typedef struct {
    ww_point own;
#ifdef WW_USER_BEFORE
    ww_point before;
#endif
} ww_column;
typedef ww_column ww_row;
#define WW_OWN(element) (element).own

#ifdef WW_USER_BEFORE
#define WW_BEFORE 1
#define WW_USER_POINTS(x, y) (x).own, (y).own, (x).before, (y).before
#else
#define WW_USER_POINTS(x, y) (x).own, (y).own
#endif

WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t, ww_parameters p) {
    ww_column y;
    y.own = own;
#ifdef WW_USER_BEFORE
    y.before = before;
#endif
    return y;
}
WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return ww_column_make(own, before, t, p);
}
#ifdef WW_USER_BORDERS
#define WW_BORDERS 1
WW_INLINE real ww_left(ww_row x, real t, ww_pair lengths, ww_parameters p) {
    return ww_user_left(x.own, t WW_USER_P);
}
WW_INLINE real ww_top(ww_point y, real t, ww_pair lengths, ww_parameters p) {
    return ww_user_top(y, t WW_USER_P);
}
#endif

#ifdef WW_USER_ENTER
WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_row x, ww_column y, real lag, ww_pair lengths,
                              ww_parameters p) {
    return ww_user_enter(left, up, diagonal, WW_USER_POINTS(x, y), lag WW_USER_P);
}
WW_INLINE real ww_node(real best, ww_row x, ww_column y, real lag, ww_parameters p) {
    return ww_user_node(best, x.own, y.own, lag WW_USER_P);
}
#else
#define WW_FUSED 1
#define WW_CELL_ALONE 1
WW_INLINE real ww_cell(real left, real up, real diagonal, ww_row x, ww_column y, real lag, ww_pair lengths,
                       const int parity, ww_parameters p) {
    return ww_user_cell(left, up, diagonal, WW_USER_POINTS(x, y), lag WW_USER_P);
}
#endif

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
#ifdef WW_USER_FINAL
    value = ww_user_final(value, n, m WW_USER_P);
#endif
    return ww_root(value);
}
