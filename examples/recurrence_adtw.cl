// SPDX-License-Identifier: Apache-2.0
// A recurrence of one's own: amerced DTW, DTW with a penalty for every step that is not diagonal. The library's `adtw`.
//
//     wavewarp matrix --recurrence recurrence_adtw.cl --param p0=0.5 series.ts
//
// The penalty is parameter p0. `real` is a number or a vector of numbers of different pairs: use functions and operators that
// take both, such as fmin(), fmax(), fabs(), sqrt(), fma(), and ?: with a comparison.
real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {
    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);
}
