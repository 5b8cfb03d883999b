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
#if WWK_DOUBLE
#define WW_LEAST_WEIGHT DBL_MIN
#define WW_MOST_WEIGHT DBL_MAX
#define WW_SCALED_FROM 512
#define WW_STEEPNESS (p.g * M_LOG2E)
#define WW_STEEPNESS_LOST 0
#else
#define WW_LEAST_WEIGHT FLT_MIN
#define WW_MOST_WEIGHT FLT_MAX
#define WW_SCALED_FROM 64
// g / log(2), and its rounding error in float: the exponents of long series are large numbers.
#define WW_STEEPNESS ((float)p.g * M_LOG2E_F)
#define WW_STEEPNESS_LOST                                                                                              \
    (fma((float)p.g, M_LOG2E_F, -WW_STEEPNESS) + ((float)p.g * 1.925963033500e-8f + (float)p.g_lost * M_LOG2E_F))
#endif

#if defined(WW_SELECT) && WW_SELECT == 1
#define WW_SCALED(k) ((void)(k), (real)(ww_scalar)0)
#else
#define WW_SCALED(k) ((k) > (real)(ww_scalar)WW_SCALED_FROM ? (k) : (real)(ww_scalar)0)
#endif
// k for series of n and m points; 0 for all but long ones, and with the soft minimum, whose values can't be scaled.
WW_INLINE real ww_scale_of(real n, real m, ww_parameters p) {
    const real behind = (real)(ww_scalar)0.5 * fmax(n, m) - fabs(n - m);
    const real k = rint(fmin((real)WW_STEEPNESS * behind, (real)(ww_scalar)30000));
    return WW_SCALED(k);
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

#define WW_PAIR_READY(lengths)                                                                                         \
    lengths.scale = ww_scale_of(lengths.rows, lengths.columns, WW_GIVEN);                                         \
    lengths.unscaled = exp2(-lengths.scale);

// On NVIDIA a multiply-add of three registers takes as long as two of two registers: a difference is multiplied by the
// weight's root, then squared.
#if WW_EXCHANGE == 1 && WW_CHANNELS == 1 && WW_COST == 1 && !WWK_DOUBLE && !defined(WW_GRADIENT)
#define WW_WEIGHT_ROOT 1
#undef WW_LEAST_WEIGHT
#undef WW_MOST_WEIGHT
#define WW_LEAST_WEIGHT 1.0842022e-19f  // the roots
#define WW_MOST_WEIGHT 1.8446743e19f
#define WW_WEIGHT_OF(sum) ww_rsqrt_float(sum)
#define WW_TIMES_MOST(weight) (sqrt(p.w_max) * (weight))
#else
#define WW_WEIGHT_ROOT 0
#define WW_WEIGHT_OF(sum) ww_recip(sum)
#define WW_TIMES_MOST(weight) (p.w_max * (weight))
#endif

// The weight, times 2^k; or the root of that.
WW_INLINE real ww_diagonal(real lag, ww_pair lengths, ww_parameters p) {
    const real behind = (ww_scalar)0.5 * ww_max2(lengths.rows, lengths.columns) - fabs(lag);
    const real power = fma((real)WW_STEEPNESS, behind, fma((real)WW_STEEPNESS_LOST, behind, -lengths.scale));
#if WW_I_w_max == 1
    const real weight = WW_WEIGHT_OF(lengths.unscaled + ww_exp2(power));
#else
    const real weight = WW_TIMES_MOST(WW_WEIGHT_OF(lengths.unscaled + ww_exp2(power)));
#endif
    // A weight of 0, or an infinite one, would make the padding rows at the top, or a cost of 0, NaN.
    return ww_max2(ww_min2(weight, (real)WW_MOST_WEIGHT), (real)WW_LEAST_WEIGHT);
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
