// SPDX-License-Identifier: Apache-2.0
// Edit distance of sequences of symbols (Levenshtein 1966).
//   D(i,0) = i deletion, D(0,j) = j insertion
//   D(i,j) = min(D(i-1,j-1) + (x_i = y_j ? 0 : substitution), D(i-1,j) + deletion, D(i,j-1) + insertion)
// A symbol is a value, or the values of all channels.
#define WW_ORDER WW_LEAST
#define WW_OPEN_BORDER 0
#define WW_ELEMENTS 1
#define WW_BORDERS 1
#define WW_CORNER 1

typedef struct {
    ww_point own;
    real insertion, deletion, substitution;  // a padding row can only be deleted, at no cost
} ww_row;
typedef ww_point ww_column;

WW_INLINE ww_row ww_row_make(ww_point own, ww_point before, real t, ww_parameters p) {
    ww_row x;
    x.own = own;
    x.insertion = t < 0 ? WW_INF : (real)p.insertion;
    x.deletion = t < 0 ? (real)0 : (real)p.deletion;
    x.substitution = t < 0 ? WW_INF : (real)p.substitution;
    return x;
}
WW_INLINE ww_column ww_column_make(ww_point own, ww_point before, real t, ww_parameters p) {
    return own;
}
WW_INLINE real ww_left(ww_row x, real t, ww_pair lengths, ww_parameters p) {
    return (t + 1) * p.deletion;
}
WW_INLINE real ww_top(ww_point y, real t, ww_pair lengths, ww_parameters p) {
    return (t + 1) * p.insertion;
}

WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_row x, ww_column y, real lag, ww_pair lengths,
                              ww_parameters p) {
    real replaced = WW_AT(x.own, 0) == WW_AT(y, 0) ? (real)0 : x.substitution;
    for (int c = 1; c < WW_CHANNELS; c++)
        replaced = WW_AT(x.own, c) == WW_AT(y, c) ? replaced : x.substitution;
    return ww_entries_of(left + x.insertion, up + x.deletion, diagonal + replaced);
}
WW_INLINE real ww_node(real best, ww_row x, ww_column y, real lag, ww_parameters p) {
    return best;
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(value);
}
