// SPDX-License-Identifier: Apache-2.0
// Move-split-merge (Stefan, Athitsos and Das 2013).
//   D(1,1) = |x_1 - y_1|, and the borders by splits and merges alone
//   D(i,j) = min(D(i-1,j-1) + |x_i - y_j|, D(i-1,j) + C(x_i; x_{i-1}, y_j), D(i,j-1) + C(y_j; x_i, y_{j-1}))
//   C(a; b1, b2) = c if a lies between b1 and b2, else c + min(|a - b1|, |a - b2|)
//
// With one channel, the part of C beyond c is the distance of a from the interval from b1 to b2. With f = a - b1 that
// is |f| times (a - b2)/f limited to 0 to 1; a - b2 is the difference that the match needs as well. With several
// dependent channels a lies between b1 and b2 when it lies in the ball whose diameter is the line from b1 to b2 (as in
// aeon).
#define WW_ORDER WW_LEAST
#define WW_ELEMENTS 1
#define WW_BEFORE 1
#define WW_CORNER 1
#define WW_OPEN_BORDER 0  // of a search's streams

// In a stream with an open begin the border above the first row is 0 everywhere: a match begins there by a match of points
// alone, never by a split or merge of the first row with what is before it.
#if WW_OPEN
#define WW_UP_COST(x) (x).up
#define WW_SET_UP_COST(x, t) (x).up = (t) < 1 ? WW_INF : (real)p.c;
#else
#define WW_UP_COST(x) p.c
#define WW_SET_UP_COST(x, t)
#endif

#if WW_CHANNELS == 1
typedef struct {
    real own, size, inverse;  // the value; its distance from the one before; and 1 / difference, with its sign
#if WW_OPEN
    real up;
#endif
} ww_row;
typedef ww_row ww_column;

WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    ww_row x;
    WW_SET_UP_COST(x, t)
    x.own = WW_AT(own, 0);
    const real from = t < 1 ? (real)0 : WW_AT(own, 0) - WW_AT(before, 0);
    x.size = fabs(from);
    x.inverse = ww_recip(from);
    return x;
}
WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_row x, ww_column y, real lag, ww_pair lengths,
                              ww_parameters p) {
    const real t = x.own - y.own;
    return ww_entries_of(fma(y.size, ww_unit_product(-t, y.inverse), left + p.c),
                         fma(x.size, ww_unit_product(t, x.inverse), up + WW_UP_COST(x)), diagonal + fabs(t));
}
#else
typedef struct {
    ww_point own, before;
#if WW_OPEN
    real up;
#endif
} ww_row;
typedef ww_row ww_column;

WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    ww_row x;
    WW_SET_UP_COST(x, t)
    x.own = own;
    x.before = before;
#if WW_POINT_REGISTERS
    // No infinities, whose differences are NaN: the neighbours of a padding row are infinite already.
    for (int c = 0; c < WW_CHANNELS; c++) {
        x.own.value[c] = t < 0 ? (real)0 : own.value[c];
        x.before.value[c] = t < 1 ? (real)0 : before.value[c];
    }
#endif
    return x;
}
WW_INLINE real ww_move(ww_point a, ww_point b1, ww_point b2) {
    real across = 0, off = 0, one = 0, other = 0;
    for (int c = 0; c < WW_CHANNELS; c++) {
        const real f = WW_AT(b1, c), g = WW_AT(b2, c), h = WW_AT(a, c), centre = (f + g) / 2;
        across = fma(f - g, f - g, across);
        off = fma(centre - h, centre - h, off);
        one = fma(f - h, f - h, one);
        other = fma(g - h, g - h, other);
    }
    return sqrt(off) <= sqrt(across) / 2 ? (real)0 : sqrt(ww_min2(one, other));
}
WW_INLINE real ww_match(ww_row x, ww_column y) {
    real match = 0;
    for (int c = 0; c < WW_CHANNELS; c++)
        match += fabs(WW_AT(x.own, c) - WW_AT(y.own, c));
    return match;
}
WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_row x, ww_column y, real lag, ww_pair lengths,
                              ww_parameters p) {
    return ww_entries_of(left + p.c + ww_move(y.own, x.own, y.before), up + WW_UP_COST(x) + ww_move(x.own, x.before, y.own),
                         diagonal + ww_match(x, y));
}
#endif
WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return ww_row_make(own, before, t, p);
}

WW_INLINE real ww_node(real best, ww_row x, ww_column y, real lag, ww_parameters p) {
    return best;
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(value);
}

#ifdef WW_GRADIENT
#define WW_ENTER_SLOPES 1
#define WW_PARAMETER_SLOPES 1
#if WW_CHANNELS == 1
#define WW_NUMBER(x, c) (x).own
#else
#define WW_NUMBER(x, c) WW_AT((x).own, c)
#endif
// Of C(a; b1, b2): by a, where b1 is the nearer end, and where b2 is; the other is 0. By the nearer end it is the negative.
typedef struct {
    real first, second;
} ww_move_slopes;
WW_INLINE ww_move_slopes ww_move_slope(ww_row a, ww_row b1, ww_row b2, const int c) {
    ww_move_slopes s;
#if WW_CHANNELS == 1
    const real one = a.own - b1.own, other = a.own - b2.own, product = one * other;
    s.first = product > (real)0 ? (fabs(one) <= fabs(other) ? ww_sign(one) : (real)0) : (real)0;
    s.second = product > (real)0 ? (fabs(one) <= fabs(other) ? (real)0 : ww_sign(other)) : (real)0;
#else
    real across = 0, off = 0, one = 0, other = 0;
    for (int k = 0; k < WW_CHANNELS; k++) {
        const real f = WW_AT(b1.own, k), g = WW_AT(b2.own, k), h = WW_AT(a.own, k), centre = (f + g) / 2;
        across = fma(f - g, f - g, across);
        off = fma(centre - h, centre - h, off);
        one = fma(f - h, f - h, one);
        other = fma(g - h, g - h, other);
    }
    const real t = WW_AT(a.own, c);
    const real first = ww_share(t - WW_AT(b1.own, c), sqrt(one)), second = ww_share(t - WW_AT(b2.own, c), sqrt(other));
    const real inside = sqrt(off) <= sqrt(across) / 2 ? (real)0 : (real)1;
    s.first = inside * (one <= other ? first : (real)0);
    s.second = inside * (one <= other ? (real)0 : second);
#endif
    return s;
}
WW_INLINE ww_slopes ww_enter_slope(ww_entries a, real carried, ww_row x, ww_column y, ww_row x_before, ww_column y_before,
                                   const int c, ww_parameters p) {
    const real match = a.diagonal * ww_sign(WW_NUMBER(x, c) - WW_NUMBER(y, c));
    const ww_move_slopes up = ww_move_slope(x, x_before, y, c), left = ww_move_slope(y, x, y_before, c);
    ww_slopes s;
    s.x = match + a.up * (up.first + up.second) - a.left * left.first;
    s.y = a.left * (left.first + left.second) - a.up * up.second - match;
    s.x_before = -a.up * up.first;
    s.y_before = -a.left * left.second;
    return s;
}
WW_INLINE real ww_parameter_slope(ww_entries a, real carried, real node, ww_row x, ww_column y, ww_row x_before,
                                  ww_column y_before, real along, real lag, ww_pair lengths, const int which,
                                  ww_parameters p) {
    return a.left + a.up;
}
#endif
