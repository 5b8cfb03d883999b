// SPDX-License-Identifier: Apache-2.0
// Slopes of the local costs, for the kernels of gradients (gradient/). Included before the recurrence, which defines those
// of its edges and of its cell where WW_GRADIENT is defined. docs/gradient.md has the contract:
//   WW_NODE_SLOPES 1    ww_node_slope(): of what a cell itself adds, by channel c of the row's point; by the column's it is
//                       the negative. Without it a cell adds nothing.
//   WW_NODE_MOST 1      the cell is the greater of its own cost and its best neighbour, not their sum
//   WW_ENTER_SLOPES 1   ww_enter_slope(): of the edges' costs
//   WW_PARAMETER_SLOPES n  ww_parameter_slope(which): of the first n parameters
//   WW_BORDER_SLOPES 1  the border depends on the points: ww_gap_slope()
//   WW_FINAL_SLOPE 1    ww_final_slope(): of the result by D(n,m), where it is neither D(n,m) nor its root
// elements.cl has the defaults.
// `along` is what ww_enter() gets for a lag, `lag` is i - j.
#define WW_GRADIENT 1

// What a cell's edges add to the gradient by one channel of the points at its ends.
typedef struct {
    real x, y, x_before, y_before;
} ww_slopes;

WW_INLINE real ww_sign(real t) {
    return (t > (real)0 ? (real)1 : (real)0) - (t < (real)0 ? (real)1 : (real)0);
}
// a / b, 0 where b is 0.
WW_INLINE real ww_share(real a, real b) {
    return b > (real)0 ? a / b : (real)0;
}
// Of the Euclidean distance of two points, by channel c of the first.
WW_INLINE real ww_euclidean_slope(ww_point x, ww_point y, const int c) {
#if WW_CHANNELS == 1 || WW_TABLED
    return ww_sign(WW_AT(x, 0) - WW_AT(y, 0));
#else
    real sum = 0;
    for (int k = 0; k < WW_CHANNELS; k++) {
        const real t = WW_AT(x, k) - WW_AT(y, k);
        sum = fma(t, t, sum);
    }
    return ww_share(WW_AT(x, c) - WW_AT(y, c), sqrt(sum));
#endif
}
// Of ww_cost().
// With a table of costs, the factor of x - y alone, or of its sign (gradient/gradient_table.cl).
WW_INLINE real ww_cost_slope(ww_point x, ww_point y, const int c) {
#if WW_TABLED
    return WW_COST == WWK_COST_SQUARED ? (real)2 : WW_COST == WWK_COST_ABSOLUTE ? (real)1 : ww_share((real)1, y.value);
#elif WW_COST == WWK_COST_SQUARED
    return 2 * (WW_AT(x, c) - WW_AT(y, c));
#elif WW_COST == WWK_COST_ABSOLUTE
    return ww_sign(WW_AT(x, c) - WW_AT(y, c));
#else
    return ww_euclidean_slope(x, y, c);
#endif
}
