// SPDX-License-Identifier: Apache-2.0
// Edit distance on real sequences (Chen, Ozsu and Oria 2005).
//   D(i,0) = i, D(0,j) = j
//   D(i,j) = min(D(i-1,j-1) + (x_i and y_j match ? 0 : 1), D(i-1,j) + 1, D(i,j-1) + 1)
//   match: no channel differs by more than epsilon
//   result D(n,m), with `normalised` divided by max(n,m)
// With `aeon`: match is |x_i - y_j| < epsilon, D(i,0) = 0, D(0,j) = 0 but D(0,m) = infinity.
#define WW_ORDER WW_LEAST
#define WW_BORDERS 1

// The value compared with epsilon.
WW_INLINE real ww_apart(ww_point x, ww_point y) {
#if WW_I_aeon
    return ww_cost(x, y);
#else
    real most = fabs(WW_AT(x, 0) - WW_AT(y, 0));
    for (int c = 1; c < WW_CHANNELS; c++)
        most = ww_max2(most, fabs(WW_AT(x, c) - WW_AT(y, c)));
    return most;
#endif
}

#if WW_I_aeon
#define WW_ELEMENTS 1
#define WW_CORNER 1

typedef struct {
    ww_point own;
    real edit, deletion;  // a padding row can only be deleted, at no cost
} ww_row;
typedef ww_point ww_column;

WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    ww_row x;
    x.own = own;
    x.edit = t < 0 ? WW_INF : (real)1;
    x.deletion = t < 0 ? (real)0 : (real)1;
    return x;
}
WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return own;
}
WW_INLINE real ww_left(ww_row x, real t, ww_pair lengths, ww_parameters p) {
    return 0;
}
WW_INLINE real ww_top(ww_point y, real t, ww_pair lengths, ww_parameters p) {
    return t + 1 < lengths.columns ? (real)0 : WW_INF;
}
WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_row x, ww_column y, real lag, ww_pair lengths,
                              ww_parameters p) {
    const real replaced = ww_apart(x.own, y) < p.epsilon ? (real)0 : x.edit;
    return ww_entries_of(left + x.edit, up + x.deletion, diagonal + replaced);
}
WW_INLINE real ww_node(real best, ww_row x, ww_column y, real lag, ww_parameters p) {
    return best;
}
#else
WW_INLINE real ww_left(ww_point x, real t, ww_pair lengths, ww_parameters p) {
    return t + 1;
}
WW_INLINE real ww_top(ww_point y, real t, ww_pair lengths, ww_parameters p) {
    return t + 1;
}
#define WW_FUSED 1
#define WW_OPEN_BORDER 0

WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                              ww_parameters p) {
    return ww_entries_of(left + 1, up + 1, diagonal + (1 - ww_at_most(ww_apart(x, y), (real)p.epsilon)));
}
WW_INLINE real ww_node(real best, ww_point x, ww_point y, real lag, ww_parameters p) {
    return best;
}
// A padding row, infinitely far from all, gives the border: from 0 at its left every step to the right costs 1.
WW_INLINE real ww_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag, ww_pair lengths,
                       const int parity, ww_parameters p) {
    return ww_least(left, up, diagonal - ww_at_most(ww_apart(x, y), (real)p.epsilon), parity) + 1;
}
#endif

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
#if WW_I_normalised
    value /= (ww_scalar)max(n, m);
#endif
    return ww_root(value);
}
