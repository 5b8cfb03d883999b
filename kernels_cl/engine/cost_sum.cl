// SPDX-License-Identifier: Apache-2.0
// Costs of WW_COLS x WW_COLS pairs of points of many channels, in registers: a value of a point serves WW_COLS of them. No kernel.
//
// A sum over channels for each pair of points is a matrix product with (x - y)^2 in place of x y. Points are not multiplied out
// (|x|^2 + |y|^2 - 2 x y loses what the difference of close points has), and each sum goes over the channels in their order, as in
// ww_cost(): a cost has the same bits, whatever computes it.

#define WW_EACH_COST(q, r)                                                                                             \
    _Pragma("unroll") for (int q = 0; q < WW_COLS; q++) _Pragma("unroll") for (int r = 0; r < WW_COLS; r++)

// Adds a channel's costs. The values of the points: `x` one after the other, `y` in fours, `apart` fours from each other.
WW_INLINE void ww_sum_costs(ww_scalar sum[WW_COLS][WW_COLS], __local const ww_scalar *x, __local const ww_scalar *y, const int apart) {
    ww_scalar a[WW_COLS], b[WW_COLS];
#pragma unroll
    for (int f = 0; f < WW_COLS / 4; f++) {
        const ww_four rows = ((__local const ww_four *)x)[f];
        const ww_four columns = ((__local const ww_four *)y)[f * apart];
        a[4 * f] = rows.s0, a[4 * f + 1] = rows.s1, a[4 * f + 2] = rows.s2, a[4 * f + 3] = rows.s3;
        b[4 * f] = columns.s0, b[4 * f + 1] = columns.s1, b[4 * f + 2] = columns.s2, b[4 * f + 3] = columns.s3;
    }
    WW_EACH_COST(q, r) {
#if WW_COST == WWK_COST_SQUARED || WW_COST == WWK_COST_EUCLIDEAN
        const ww_scalar t = a[q] - b[r];
        sum[q][r] = fma(t, t, sum[q][r]);
#else
        sum[q][r] += ww_channel_cost(a[q], b[r]);
#endif
    }
}
WW_INLINE void ww_no_costs(ww_scalar sum[WW_COLS][WW_COLS]) {
    WW_EACH_COST(q, r) sum[q][r] = 0;
}
// The cost, of the sum over all channels.
WW_INLINE ww_scalar ww_summed_cost(ww_scalar sum) {
    return WW_COST == WWK_COST_EUCLIDEAN ? sqrt(sum) : sum;
}
