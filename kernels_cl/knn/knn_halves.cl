// SPDX-License-Identifier: Apache-2.0
// Points as rows of 16-bit floats, which matrix units multiply (base/vendor.cl): what knn/knn_tensor.cl and
// lsh/lsh_join_tensor.cl share. A product is q.c + n + t, and the point may be near where that is not negative: n
// belongs to the point, t to the query and its k-th best so far. Both include the bound on all rounding errors. Errors:
// docs/knn.md. No kernel is here.
//
// Before that points are scaled by a power of two (cosine: each to its own length), so that none is longer than 128:
// all sums are far below the largest half.
#define WW_LONGEST_SQUARE 16384.0f
#define WW_PASSES_ALL 60000.0f // larger than the absolute value of any sum of the rest

// The bound on the rounding error of a product: relative to |q|^2/2 + |c|^2/2 (of halves, of sums in float), and where
// halves become denormal to |q| + |c|.
WW_INLINE float ww_tensor_slack(float square, uint width) {
    const float halves = 1.002f / 1024;
    const float sums = (float)(width + 16) / (1 << 22);
    return square * (halves / 2 + sums) + sqrt(square * (float)width) / (1 << 23) + 1.0f / (1 << 24);
}

// Two halves whose sum is not below x.
WW_INLINE void ww_store_above(float x, ulong at, __global half *row) {
    vstore_half_rte(x, at, row);
    vstore_half_rtp(x - vload_half(at, row), at + 1, row);
}

// The factor by which a point is multiplied.
WW_INLINE ww_scalar ww_tensor_scale(ww_scalar norm, float scale) {
    return WW_METRIC == WWK_METRIC_COSINE ? ww_knn_scale(norm) * 128 : (ww_scalar)scale;
}

// n, of a point whose scaled squared norm this is.
WW_INLINE float ww_tensor_point(float square, uint width) {
    return ww_tensor_slack(square, width) - (WW_METRIC == WWK_METRIC_L2_SQUARED ? square / 2 : 0);
}

// t, of a query whose own n this is, or a little more: points as near as `kth`, which is finite, pass. The metric's
// values are multiplied with `square_scale` (cosine: the longest square).
WW_INLINE float ww_tensor_cut(float n, ww_scalar kth, uint width, float square_scale) {
    const float sums = (float)(width + 16) / (1 << 22);
#if WW_METRIC == WWK_METRIC_COSINE
    return n + ((float)(kth - 1) + sums) * WW_LONGEST_SQUARE;
#else
    const float scaled = (float)(kth * square_scale);
    return n + (WW_METRIC == WWK_METRIC_L2_SQUARED ? scaled / 2 : scaled) + fabs(scaled) * sums;
#endif
}

#define WW_ROW_HALVES(pointer, row, width) ((__global const half *)(pointer) + (ulong)(row) * (width))
