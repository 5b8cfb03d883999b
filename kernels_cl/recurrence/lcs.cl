// SPDX-License-Identifier: Apache-2.0
// Length of the longest common subsequence of symbols (Wagner and Fischer 1974).
//   L(i,0) = L(0,j) = 0, L = 0 outside the band
//   L(i,j) = x_i and y_j are the same ? L(i-1,j-1) + 1 : max(L(i-1,j), L(i,j-1))
//   result L(n,m)
#define WW_ORDER WW_MOST

#define WW_FUSED 1

// A match takes the diagonal in any case, and nothing else does. 0 is never more than a neighbour, -1 is always less.
WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                              ww_parameters p) {
    real match = WW_AT(x, 0) == WW_AT(y, 0) ? (real)1 : (real)0;
    for (int c = 1; c < WW_CHANNELS; c++)
        match = WW_AT(x, c) == WW_AT(y, c) ? match : (real)0;
    return ww_entries_of(match > 0 ? (real)0 : left, match > 0 ? (real)0 : up, match > 0 ? diagonal + 1 : (real)-1);
}
WW_INLINE real ww_node(real best, ww_point x, ww_point y, real lag, ww_parameters p) {
    return best;
}
WW_INLINE real ww_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                       const int parity, ww_parameters p) {
    const real longer = ww_max2(left, up);
    real value = WW_AT(x, 0) == WW_AT(y, 0) ? diagonal + 1 : longer;
    for (int c = 1; c < WW_CHANNELS; c++)
        value = WW_AT(x, c) == WW_AT(y, c) ? value : longer;
    return value;
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(value);
}
