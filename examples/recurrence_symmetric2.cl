// SPDX-License-Identifier: Apache-2.0
// Symmetric DTW whose diagonal steps count twice, so that all paths weigh n + m - 1, the first cell once (H. Sakoe,
// S. Chiba, IEEE TASSP 26(1), 1978; "symmetric2" of dtw-python and R's dtw, and their "symmetricP0"). p0 = 1: the result
// divided by n + m.
//     wavewarp matrix --recurrence recurrence_symmetric2.cl --cost absolute --param p0=1 series.ts
#define WW_USER_OPEN_BORDER 0
#define WW_USER_FINAL

real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {
    const real c = ww_cost(x, y), beside = fmin(left, up);
    // The first cell has no neighbour beside it, and 0 before it.
    return c + fmin(beside, beside < WW_INF || diagonal > 0 ? diagonal + c : diagonal);
}

ww_scalar ww_user_final(ww_scalar value, uint n, uint m) {
    return WW_P_p0 != 0 ? value / (ww_scalar)(n + m) : value;
}
