// SPDX-License-Identifier: Apache-2.0
// Edit distance with real penalty (Chen and Ng 2004).
//   D(0,0) = 0, D(i,0) = |x_1 - g| + ... + |x_i - g|, D(0,j) likewise; with border_total each is the sum of all
//   D(i,j) = min(D(i-1,j-1) + |x_i - y_j|, D(i-1,j) + |x_i - g|, D(i,j-1) + |y_j - g|)
//
// The extra values are the border's. A difference of two points is computed from the original values: after subtracting
// g, small values would lose their digits.
#define WW_ORDER WW_LEAST
#define WW_ELEMENTS 1
#define WW_BORDERS 1
#define WW_CORNER 1
#define WW_TOP_NEXT !WW_I_border_total
#define WW_OPEN_BORDER 0  // of a search's streams; the border of a pair's series is a sum of its points

typedef struct {
    ww_point own;
    real gap;
} ww_row;
typedef ww_point ww_column;

// The rounding error of g in float is subtracted last. With g = 0 nothing is.
WW_INLINE real ww_less_gap(real value, ww_parameters p) {
    if (WW_I_g == 0)
        return value;
#if WWK_DOUBLE
    return value - p.g;
#else
    return (value - p.g) - p.g_lost;
#endif
}

// The distance of a point from the gap's value.
WW_INLINE real ww_gap(ww_point x, ww_parameters p) {
    if (WW_CHANNELS == 1)
        return fabs(ww_less_gap(WW_AT(x, 0), p));
    real sum = 0;
    for (int c = 0; c < WW_CHANNELS; c++) {
        const real t = ww_less_gap(WW_AT(x, c), p);
        sum = fma(t, t, sum);
    }
    return sqrt(sum);
}
WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    ww_row x;
    x.own = own;
    x.gap = t < 0 ? (real)0 : ww_gap(own, p);
    return x;
}
WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return own;
}
WW_INLINE real ww_left(ww_row x, real t, ww_pair lengths, ww_parameters p) {
    return x.own.extra;
}
WW_INLINE real ww_top(ww_point y, real t, ww_pair lengths, ww_parameters p) {
    return y.extra;
}

WW_INLINE real ww_top_next(real before, ww_column y, ww_parameters p) {
    return before + ww_gap(y, p);
}

WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_row x, ww_column y, real lag, ww_pair lengths,
                              ww_parameters p) {
    return ww_entries_of(left + ww_gap(y, p), up + x.gap, diagonal + ww_cost(x.own, y));
}
WW_INLINE real ww_node(real best, ww_row x, ww_column y, real lag, ww_parameters p) {
    return best;
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(value);
}

#ifdef WW_GRADIENT
#define WW_ENTER_SLOPES 1
#define WW_BORDER_SLOPES 1
#define WW_PARAMETER_SLOPES 1
WW_INLINE real ww_gap_slope(ww_point x, const int c, ww_parameters p) {
    if (WW_CHANNELS == 1)
        return ww_sign(ww_less_gap(WW_AT(x, 0), p));
    return ww_share(ww_less_gap(WW_AT(x, c), p), ww_gap(x, p));
}
// Of a gap by g.
WW_INLINE real ww_gap_parameter(ww_point x, ww_parameters p) {
    real sum = 0;
    for (int c = 0; c < WW_CHANNELS; c++)
        sum -= ww_gap_slope(x, c, p);
    return sum;
}
WW_INLINE ww_slopes ww_enter_slope(ww_entries a, real carried, ww_row x, ww_column y, ww_row x_before, ww_column y_before,
                                   const int c, ww_parameters p) {
    const real match = a.diagonal * ww_cost_slope(x.own, y, c);
    ww_slopes s;
    s.x = fma(a.up, ww_gap_slope(x.own, c, p), match);
    s.y = fma(a.left, ww_gap_slope(y, c, p), -match);
    s.x_before = 0;
    s.y_before = 0;
    return s;
}
WW_INLINE real ww_parameter_slope(ww_entries a, real carried, real node, ww_row x, ww_column y, ww_row x_before,
                                  ww_column y_before, real along, real lag, ww_pair lengths, const int which,
                                  ww_parameters p) {
    return fma(a.up, ww_gap_parameter(x.own, p), a.left * ww_gap_parameter(y, p));
}
#endif
