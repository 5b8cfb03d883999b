// SPDX-License-Identifier: Apache-2.0
// Time warp edit distance (Marteau 2009), with time stamps t of x and s of y; x_0 = y_0 = 0 at time 0.
//   D(0,0) = 0, D(i,0) = D(0,j) = infinity
//   D(i,j) = min(D(i-1,j) + d(x_i, x_{i-1}) + nu (t_i - t_{i-1}) + lambda,
//                D(i,j-1) + d(y_j, y_{j-1}) + nu (s_j - s_{j-1}) + lambda,
//                D(i-1,j-1) + M(i,j) + M(i-1,j-1)),   M(i,j) = d(x_i, y_j) + nu |t_i - s_j|
//   d: the norm of the difference of degree p, with no_root its p-th power
//
// Tried, not taken: diagonals kept in registers (163 to 250 registers): no gain.
//
// The value passed along the diagonal is D(i,j) + M(i,j): so each M is computed once.
#define WW_ORDER WW_LEAST
#define WW_ELEMENTS 1
#define WW_BEFORE 1
#define WW_CORNER 1
#define WW_CARRY 1
// Without time stamps the times are the indices.
#define WW_DIAGONAL !WW_EXTRA

typedef struct {
    ww_point own;
    real gap;  // the cost of deleting the point
#if WW_EXTRA
    real time;
#endif
} ww_row;
typedef ww_row ww_column;

// |t|^p
WW_INLINE real ww_power(real t, ww_parameters p) {
    if (WW_I_degree == 1)
        return fabs(t);
    return WW_I_degree == 2 ? t * t : pow(fabs(t), (real)p.degree);
}
WW_INLINE real ww_distance(ww_point x, ww_point y, ww_parameters p) {
    if (WW_CHANNELS == 1 && !WW_I_no_root)
        return fabs(WW_AT(x, 0) - WW_AT(y, 0));
    real sum = 0;
    for (int c = 0; c < WW_CHANNELS; c++)
        sum += ww_power(WW_AT(x, c) - WW_AT(y, c), p);
    if (WW_I_no_root || WW_I_degree == 1)
        return sum;
    return WW_I_degree == 2 ? sqrt(sum) : pow(sum, (real)(1 / p.degree));
}
WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    ww_row x;
    x.own = own;
#if WW_EXTRA
    x.time = own.extra;
    const real since = own.extra - before.extra;
#else
    const real since = 1;
#endif
    // The neighbours of a first point, or of a padding one, are all infinite.
    x.gap = t < 1 ? (real)0 : ww_distance(own, before, p) + p.nu * since + p.lambda;
    return x;
}
WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return ww_row_make(own, before, t, p);
}
#if !WW_EXTRA
WW_INLINE real ww_diagonal(real lag, ww_pair lengths, ww_parameters p) {
    return p.nu * fabs(lag);
}
#endif
WW_INLINE real ww_match(ww_row x, ww_column y, real apart, ww_parameters p) {
#if WW_EXTRA
    // The difference is taken before it is scaled: time stamps may have many more digits than their difference.
    apart = p.nu * fabs(x.time - y.time);
#endif
    return ww_distance(x.own, y.own, p) + apart;
}

WW_INLINE real ww_carry(real value, ww_row x, ww_column y, real apart, ww_parameters p) {
    return value + ww_match(x, y, apart, p);
}
WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_row x, ww_column y, real apart, ww_pair lengths,
                              ww_parameters p) {
    return ww_entries_of(left + y.gap, up + x.gap, diagonal + ww_match(x, y, apart, p));
}
WW_INLINE real ww_node(real best, ww_row x, ww_column y, real apart, ww_parameters p) {
    return best;
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(value);
}

#ifdef WW_GRADIENT
#define WW_ENTER_SLOPES 1
#define WW_PARAMETER_SLOPES 2
// Of ww_distance() by channel c of the first point.
WW_INLINE real ww_distance_slope(ww_point x, ww_point y, const int c, ww_parameters p) {
    const real t = WW_AT(x, c) - WW_AT(y, c);
    if ((WW_CHANNELS == 1 && !WW_I_no_root) || WW_I_degree == 1)
        return ww_sign(t);
    if (WW_I_degree == 2)
        return WW_I_no_root ? 2 * t : ww_euclidean_slope(x, y, c);
    if (WW_I_no_root)
        return p.degree * ww_sign(t) * pow(fabs(t), (real)(p.degree - 1));
    return ww_sign(t) * pow(ww_share(fabs(t), ww_distance(x, y, p)), (real)(p.degree - 1));
}
WW_INLINE ww_slopes ww_enter_slope(ww_entries a, real carried, ww_row x, ww_column y, ww_row x_before, ww_column y_before,
                                   const int c, ww_parameters p) {
    const real match = a.diagonal * ww_distance_slope(x.own, y.own, c, p);
    const real before = carried * ww_distance_slope(x_before.own, y_before.own, c, p);
    const real up = a.up * ww_distance_slope(x.own, x_before.own, c, p);
    const real left = a.left * ww_distance_slope(y.own, y_before.own, c, p);
    ww_slopes s;
    s.x = match + up;
    s.y = left - match;
    s.x_before = before - up;
    s.y_before = -before - left;
    return s;
}
// By nu, and by lambda.
WW_INLINE real ww_parameter_slope(ww_entries a, real carried, real node, ww_row x, ww_column y, ww_row x_before,
                                  ww_column y_before, real along, real lag, ww_pair lengths, const int which,
                                  ww_parameters p) {
#if WW_EXTRA
    const real x_since = x.time - x_before.time, y_since = y.time - y_before.time;
    const real apart = fabs(x.time - y.time), apart_before = fabs(x_before.time - y_before.time);
#else
    const real x_since = 1, y_since = 1, apart = fabs(lag), apart_before = fabs(lag);
#endif
    if (which)
        return a.left + a.up;
    return fma(a.up, x_since, a.left * y_since) + fma(a.diagonal, apart, carried * apart_before);
}
#endif
