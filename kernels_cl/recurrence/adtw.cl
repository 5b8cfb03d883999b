// SPDX-License-Identifier: Apache-2.0
// Dynamic time warping with a penalty for warping (amerced DTW: Herrmann and Webb 2023).
//   D(0,0) = 0, D(i,0) = D(0,j) = infinity
//   D(i,j) = c(x_i, y_j) + min(D(i-1,j-1), D(i,j-1) + w, D(i-1,j) + w)
//   result D(n,m), its square root with WW_ROOT
#define WW_ORDER WW_LEAST
#define WW_OPEN_BORDER 0

WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                              ww_parameters p) {
    return ww_entries_of(left + p.penalty, up + p.penalty, diagonal);
}
WW_INLINE real ww_node(real best, ww_point x, ww_point y, real lag, ww_parameters p) {
    return ww_add_cost(x, y, best);
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(value);
}

#ifdef WW_GRADIENT
#define WW_NODE_SLOPES 1
WW_INLINE real ww_node_slope(ww_point x, ww_point y, real along, const int c) {
    return ww_cost_slope(x, y, c);
}
#define WW_PARAMETER_SLOPES 1
WW_INLINE real ww_parameter_slope(ww_entries a, real carried, real node, ww_point x, ww_point y, ww_point x_before,
                                  ww_point y_before, real along, real lag, ww_pair lengths, const int which,
                                  ww_parameters p) {
    return a.left + a.up;
}
#endif
