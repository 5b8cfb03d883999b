// SPDX-License-Identifier: Apache-2.0
// Tests the caller's cost expression, which precedes this, on ordinary points. report: 1 and x, y of the first pair for
// which it is not a number, else 0.
__kernel void ww_cost_check(__global ww_scalar *restrict report) {
    const ww_scalar points[4] = {(ww_scalar)-1.5, 0, (ww_scalar)0.25, 3};
    report[0] = 0;
    for (uint k = 0; k < 4 * 4 && report[0] == 0; k++) {
        const ww_scalar value = ww_user_expression(points[k % 4], points[k / 4]);
        if (isnan(value)) {
            report[0] = 1;
            report[1] = points[k % 4];
            report[2] = points[k / 4];
        }
    }
}
