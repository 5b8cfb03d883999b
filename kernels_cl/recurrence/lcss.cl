// SPDX-License-Identifier: Apache-2.0
// Longest common subsequence of points within epsilon (Vlachos, Kollios and Gunopulos 2002).
//   L(i,0) = L(0,j) = 0, L = 0 outside the band
//   L(i,j) = x_i and y_j are no farther apart than epsilon ? L(i-1,j-1) + 1 : max(L(i-1,j), L(i,j-1))
//   result 1 - L(n,m)/min(n,m), with `similarity` L(n,m)/min(n,m)
#define WW_ORDER WW_MOST

// The value compared with epsilon.
#define ww_apart(x, y) ww_cost(x, y)

#define WW_FUSED 1

// A match takes the diagonal in any case, and nothing else does. 0 is never more than a neighbour, -1 is always less.
WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                              ww_parameters p) {
    const real match = ww_at_most(ww_apart(x, y), (real)p.epsilon);
    return ww_entries_of(match > 0 ? (real)0 : left, match > 0 ? (real)0 : up, match > 0 ? diagonal + 1 : (real)-1);
}
WW_INLINE real ww_node(real best, ww_point x, ww_point y, real lag, ww_parameters p) {
    return best;
}
WW_INLINE real ww_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                       const int parity, ww_parameters p) {
#if WW_BAND
    return ww_apart(x, y) <= p.epsilon ? diagonal + 1 : ww_max2(left, up);
#else
    // Without a band a match is never worse than the other steps, and without a match the diagonal is never better.
    return ww_max3(left, up, diagonal + ww_at_most(ww_apart(x, y), (real)p.epsilon));
#endif
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    // Divided last, and limited to 1: on some devices the quotient of equal numbers is not 1.
    const ww_scalar most = (ww_scalar)min(n, m);
#if WW_I_similarity
    return ww_root(fmin(value / most, (ww_scalar)1));
#else
    return ww_root((most - value) / most);
#endif
}
