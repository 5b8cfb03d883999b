// SPDX-License-Identifier: Apache-2.0
// Tests the caller's cell on ordinary points and neighbours, some of which are infinite as borders are. report: 1 and
// the values (left, up, diagonal, x, y) of the first that gives NaN, else 0. With WW_POINT_REGISTERS 0 it has two more
// values, for points.
#undef WW_GIVEN
#define WW_GIVEN given
__kernel void ww_user_check(__global ww_scalar *restrict report, const ww_parameters given) {
    const ww_scalar points[4] = {(ww_scalar)-1.5, 0, (ww_scalar)0.25, 3};
    const ww_scalar neighbours[3] = {0, (ww_scalar)2.5, INFINITY};
    report[0] = 0;
    for (uint k = 0; k < 4 * 4 * 27 && report[0] == 0; k++) {
        const ww_scalar x = points[k % 4], y = points[k / 4 % 4];
        const ww_scalar left = neighbours[k / 16 % 3], up = neighbours[k / 48 % 3], diagonal = neighbours[k / 144];
        ww_point a, b;
#if WW_POINT_REGISTERS
        for (int c = 0; c < WW_CHANNELS; c++) {
            a.value[c] = x;
            b.value[c] = y;
        }
#else
        // All channels are read from the same place.
        report[6] = x;
        report[7] = y;
        a.at = report + 6;
        b.at = report + 7;
        a.stride = b.stride = 0;
#endif
        const ww_column column = ww_column_make(b, b, 1, given), row = ww_column_make(a, a, 1, given);
        const ww_pair lengths = {4, 4};
        const ww_scalar value = WW_CELL(left, up, diagonal, row, column, 0, lengths, 0);
        if (isnan(value)) {
            report[0] = 1;
            report[1] = left;
            report[2] = up;
            report[3] = diagonal;
            report[4] = x;
            report[5] = y;
        }
    }
}
