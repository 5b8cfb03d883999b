// SPDX-License-Identifier: Apache-2.0
// Weighted dynamic time warping (Jeong, Jeong and Omitaomu 2011).
//   D(0,0) = 0, D(i,0) = D(0,j) = infinity
//   D(i,j) = w(|i-j|) c(x_i, y_j) + min(D(i,j-1), D(i-1,j), D(i-1,j-1))
//   w(a) = w_max / (1 + exp(-g (a - max(n,m)/2)))
//   result D(n,m), its square root with WW_ROOT
//
#define WW_ORDER WW_LEAST
#define WW_OUTSIDE_VALUE INFINITY
#define WW_BORDER_VALUE INFINITY
#define WW_OPEN_BORDER 0
#define WW_DIAGONAL 2
#if WWK_DOUBLE
#define WW_LEAST_WEIGHT DBL_MIN
#define WW_LOG2_E M_LOG2E
#else
#define WW_LEAST_WEIGHT FLT_MIN
#define WW_LOG2_E M_LOG2E_F
#endif

// The weight.
WW_INLINE real ww_diagonal(real lag, ww_pair lengths) {
    const real behind = (ww_scalar)0.5 * ww_max2(lengths.rows, lengths.columns) - fabs(lag);
    // A weight of 0 would make the padding rows at the top NaN.
    return ww_max2(WW_P_w_max * ww_recip(1 + ww_exp2((ww_scalar)(WW_P_g * WW_LOG2_E) * behind)), (real)WW_LEAST_WEIGHT);
}

WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_point x, ww_point y, real weight, ww_pair lengths) {
    return ww_entries_of(left, up, diagonal);
}
WW_INLINE real ww_node(real best, ww_point x, ww_point y, real weight) {
    return fma(weight, ww_cost(x, y), best);
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m) {
    return ww_root(value);
}
