// SPDX-License-Identifier: Apache-2.0
// DTW in which each point of x has one partner, and y goes on by 0, 1 or 2 points a step ("asymmetric" of dtw-python and
// R's dtw):
//     D(i,j) = c(x_i,y_j) + min(D(i-1,j), D(i-1,j-1), D(i-1,j-2))
// A step of 2 is two half steps of 0 or 1. So x has each point but its first twice, and one channel more, the last,
// that is 0 in the half steps and 1 elsewhere: x_1, x_2, x_2, x_3, x_3 ... with 1, 0, 1, 0, 1 ... y has a channel more,
// too, of any values. The cost is the squared difference, with p1 = 1 the absolute one, summed over the other channels.
// p0 = 1: the result divided by the number of x's points.
#define WW_USER_FINAL

real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {
    real c = 0;
    for (int k = 0; k + 1 < WW_CHANNELS; k++) {
        const real d = WW_AT(x, k) - WW_AT(y, k);
        c += WW_P_p1 != 0 ? fabs(d) : d * d;
    }
    return WW_AT(x, WW_CHANNELS - 1) * c + fmin(up, diagonal);
}

ww_scalar ww_user_final(ww_scalar value, uint n, uint m) {
    return WW_P_p0 != 0 ? value / (ww_scalar)((n + 1) / 2) : value;
}
