// SPDX-License-Identifier: Apache-2.0
// A recurrence of one's own: DTW-AROW, dynamic time warping of series with missing values (Yurtman, Soenen, Meert and
// Blockeel, "Estimating dynamic time warping distance between time series with missing data", ECML PKDD 2023). A pair with
// a missing value costs nothing, and a missing value is met by one value alone: before, in and behind a gap steps are
// diagonal. The sum is multiplied by the number of values, with the missing ones, over the number without them.
//
//     wavewarp matrix --recurrence recurrence_arow.cl --root series.ts
//
// After the channels of values, 0 where one is missing, a series has two more: 1 where a value is missing, else 0; at the
// last point the number of values that are there, else 0. Two series that no path aligns have distance infinity.
// docs/measures.md has the lines of Python that make these channels of NaN.
#define WW_USER_BEFORE
#define WW_USER_FINAL
#define GONE(point) WW_AT(point, WW_CHANNELS - 2)
#define COUNT(point) WW_AT(point, WW_CHANNELS - 1)

real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, ww_point before_x, ww_point before_y, real lag) {
    const real here = GONE(x) + GONE(y);
    real cost = 0;
    for (int c = 0; c < WW_CHANNELS - 2; c++)
        cost += (WW_AT(x, c) - WW_AT(y, c)) * (WW_AT(x, c) - WW_AT(y, c));
    cost = here > 0 ? (real)0 : cost;
    left = here + GONE(before_y) > 0 ? (real)WW_INF : left;
    up = here + GONE(before_x) > 0 ? (real)WW_INF : up;
    const real sum = cost + fmin(diagonal, fmin(left, up));
    return COUNT(x) * COUNT(y) > 0 ? sum / (COUNT(x) + COUNT(y)) : sum;
}

ww_scalar ww_user_final(ww_scalar value, uint n, uint m) {
    return value * (n + m);
}
