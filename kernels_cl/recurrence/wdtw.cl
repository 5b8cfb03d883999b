// SPDX-License-Identifier: Apache-2.0
// Weighted dynamic time warping (Jeong, Jeong and Omitaomu 2011).
//   D(0,0) = 0, D(i,0) = D(0,j) = infinity
//   D(i,j) = w(|i-j|) c(x_i, y_j) + min(D(i,j-1), D(i-1,j), D(i-1,j-1))
//   w(a) = w_max / (1 + exp(-g (a - max(n,m)/2)))
//   result D(n,m), its square root with WW_ROOT
//
// Tried, not taken: weights in local memory in place of registers: no gain.
//
// Near the diagonal of long series the weights are too small for their precision. Then all weights of a pair are
// multiplied by 2^k, where 2^-k is about the weight of the corner (n, m), in which every path ends; the result is
// divided by 2^k.
#define WW_ORDER WW_LEAST
#define WW_OPEN_BORDER 0
#define WW_DIAGONAL 2
// On NVIDIA a multiply-add of three registers takes as long as two of two registers: a difference is multiplied by the
// weight's root, then squared.
#if WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL && WW_CHANNELS == 1 && !WW_TABLED && WW_COST == WWK_COST_SQUARED && !WWK_DOUBLE &&         \
    !defined(WW_GRADIENT)
#define WW_WEIGHT_ROOT 1
#else
#define WW_WEIGHT_ROOT 0
#endif

// g / log(2), and its rounding error in float: the exponents of long series are large numbers.
WW_INLINE ww_scalar ww_steepness(ww_parameters p) {
#if WWK_DOUBLE
    return p.g * M_LOG2E;
#else
    return (float)p.g * M_LOG2E_F;
#endif
}
WW_INLINE ww_scalar ww_steepness_lost(ww_parameters p) {
#if WWK_DOUBLE
    return 0;
#else
    return fma((float)p.g, M_LOG2E_F, -ww_steepness(p)) + ((float)p.g * 1.925963033500e-8f + (float)p.g_lost * M_LOG2E_F);
#endif
}

// k for series of n and m points; 0 for all but long ones, and with the soft minimum, whose values can't be scaled.
WW_INLINE real ww_scale_of(real n, real m, ww_parameters p) {
#if WW_SELECT == 1
    return (real)(ww_scalar)0;
#else
    const real behind = (real)(ww_scalar)0.5 * fmax(n, m) - fabs(n - m), from = (real)(ww_scalar)(WWK_DOUBLE ? 512 : 64);
    const real k = rint(fmin((real)ww_steepness(p) * behind, (real)(ww_scalar)30000));
    return k > from ? k : (real)(ww_scalar)0;
#endif
}
// The exponent by which a result is divided.
WW_INLINE int ww_unscale(uint n, uint m, ww_parameters p) {
    const real k = ww_scale_of((real)(ww_scalar)n, (real)(ww_scalar)m, p);
#if WW_VECTOR == 1
    return -(int)k;
#else
    return -(int)k.s0;
#endif
}

WW_INLINE void ww_scale_pair(ww_pair *lengths, ww_parameters p) {
    lengths->scale = ww_scale_of(lengths->rows, lengths->columns, p);
    lengths->unscaled = exp2(-lengths->scale);
}
#define WW_PAIR_READY(lengths) ww_scale_pair(&(lengths), WW_GIVEN);

// The weight 1 / sum of w_max 1, times w_max; or the root of that.
WW_INLINE real ww_weight_of(real sum, ww_parameters p) {
#if WW_WEIGHT_ROOT
    const real weight = ww_rsqrt_float(sum);
#else
    const real weight = ww_recip(sum);
#endif
#if WW_I_w_max == 1
    return weight;
#else
    return (WW_WEIGHT_ROOT ? sqrt(p.w_max) : p.w_max) * weight;
#endif
}
// A weight of 0, or an infinite one, would make the padding rows at the top, or a cost of 0, NaN.
WW_INLINE real ww_limit_weight(real weight) {
#if WWK_DOUBLE
    return ww_max2(ww_min2(weight, (real)DBL_MAX), (real)DBL_MIN);
#else
    const float least = WW_WEIGHT_ROOT ? 1.0842022e-19f : FLT_MIN, most = WW_WEIGHT_ROOT ? 1.8446743e19f : FLT_MAX;
    return ww_max2(ww_min2(weight, (real)most), (real)least);
#endif
}
// The weight, times 2^k; or the root of that.
WW_INLINE real ww_diagonal(real lag, ww_pair lengths, ww_parameters p) {
    const real behind = (ww_scalar)0.5 * ww_max2(lengths.rows, lengths.columns) - fabs(lag);
    const real power = fma((real)ww_steepness(p), behind, fma((real)ww_steepness_lost(p), behind, -lengths.scale));
    return ww_limit_weight(ww_weight_of(lengths.unscaled + ww_exp2(power), p));
}

WW_INLINE ww_entries ww_enter(real left, real up, real diagonal, ww_point x, ww_point y, real weight, ww_pair lengths,
                              ww_parameters p) {
    return ww_entries_of(left, up, diagonal);
}
WW_INLINE real ww_node(real best, ww_point x, ww_point y, real weight, ww_parameters p) {
#if WW_WEIGHT_ROOT
    const real t = weight * (WW_AT(x, 0) - WW_AT(y, 0));
    return fma(t, t, best);
#else
    return fma(weight, ww_cost(x, y), best);
#endif
}

WW_INLINE ww_scalar ww_final(ww_scalar value, uint n, uint m, ww_parameters p) {
    return ww_root(ldexp(value, ww_unscale(n, m, p)));
}

#ifdef WW_GRADIENT
#define WW_NODE_SLOPES 1
WW_INLINE real ww_node_slope(ww_point x, ww_point y, real along, const int c) {
    return along * ww_cost_slope(x, y, c);
}
#define WW_PARAMETER_SLOPES 2
// By g: dw/dg = w (1 - w/w_max) (|i-j| - max(n,m)/2). By w_max: w/w_max.
WW_INLINE real ww_parameter_slope(ww_entries a, real carried, real node, ww_point x, ww_point y, ww_point x_before,
                                  ww_point y_before, real along, real lag, ww_pair lengths, const int which,
                                  ww_parameters p) {
    const real cost = node * ww_cost(x, y), behind = (ww_scalar)0.5 * ww_max2(lengths.rows, lengths.columns) - fabs(lag);
    const real share = ww_share(along * lengths.unscaled, (real)p.w_max);
    return cost * (which ? ww_share(along, (real)p.w_max) : along * (share - 1) * behind);
}
#define WW_FINAL_SLOPE 1
WW_INLINE ww_scalar ww_final_slope(ww_scalar value, uint n, uint m, ww_parameters p) {
    const int k = ww_unscale(n, m, p);
#if WW_ROOT
    return value > 0 ? ldexp((ww_scalar)0.5 / sqrt(ldexp(value, k)), k) : (ww_scalar)0;
#else
    return ldexp((ww_scalar)1, k);
#endif
}
#endif
