// SPDX-License-Identifier: Apache-2.0
// Discrete Frechet distance (Eiter and Mannila 1994).
//   D(0,0) = 0, D(i,0) = D(0,j) = infinity
//   D(i,j) = max(c(x_i, y_j), min(D(i,j-1), D(i-1,j), D(i-1,j-1)))
//   result D(n,m), its square root with WW_ROOT
#define WW_ORDER WW_LEAST
#define WW_OPEN_BORDER 0

WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                              ww_parameters p) {
    return ww_entries_of(left, up, diagonal);
}
WW_INLINE real ww_node(real best, ww_point x, ww_point y, real lag, ww_parameters p) {
    return ww_max2(ww_cost(x, y), best);
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(value);
}

#ifdef WW_GRADIENT
// Of the pair of points whose cost is the result.
#define WW_NODE_SLOPES 1
WW_INLINE real ww_node_slope(ww_point x, ww_point y, real along, const int c) {
    return ww_cost_slope(x, y, c);
}
#define WW_NODE_MOST 1
#endif
