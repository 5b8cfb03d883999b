// SPDX-License-Identifier: Apache-2.0
// A user's cost as the library frames it, for kernels.py.
WW_INLINE real ww_user_expression(real x, real y) {
    return (real)(fabs(x - y) * 2 + (x - y) * (x - y));
}
