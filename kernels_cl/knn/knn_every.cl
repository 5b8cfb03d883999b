// SPDX-License-Identifier: Apache-2.0
// Exact distances under the metrics that have no filter of sums: Minkowski's, Canberra, Bray-Curtis, correlation, and L2 with
// missing coordinates. In place of knn_exact.cl, with the same kernel: one work-group a query; no local memory, no barrier. Each
// distance is summed in the order of the coordinates, wherever it is computed.
//
// On a CPU (WW_ROW_WG 1) WW_VECTOR neighbours in a tile are computed together; behind the last point a tile is padded. Powers and
// roots are exp2(log2(x) y), of vectors too: PoCL's pow() takes 130 ns. Their relative error is a few units of the last place times
// abs(log2(x) y).
//
// Parameters: WW_P_WHOLE: the whole part of Minkowski's p, where that is a multiple of 1/2 up to 8, else 0; WW_P_HALF: 1 where a
// half is left of it; WW_P_BITS: the bits of p.
#define WW_MINKOWSKI (WW_METRIC == WWK_METRIC_MINKOWSKI)
#define WW_CANBERRA (WW_METRIC == WWK_METRIC_CANBERRA)
#define WW_BRAY_CURTIS (WW_METRIC == WWK_METRIC_BRAY_CURTIS)
#define WW_MISSING (WW_METRIC == WWK_METRIC_NAN_L2)
#define WW_CORRELATION (WW_METRIC == WWK_METRIC_CORRELATION)

WW_INLINE ulong ww_exact_at(uint point, uint dimension) {
    return WW_EXACT_ROWS ? (ulong)point * ((dimension + 3) / 4 * 4) : ww_tile_at(point, dimension);
}
#define WW_EVERY_STEP (WW_EXACT_ROWS ? 1u : WW_KNN_TILE)

#if WWK_DOUBLE
#define WW_P as_double((ulong)WW_P_BITS)
#else
#define WW_P as_float((uint)WW_P_BITS)
#endif

// What several points have, or one.
#if WW_VECTOR > 1
typedef WW_PASTE(WW_VALUE_NAME, WW_VECTOR) ww_every;
#define ww_every_norms(at) WW_VLOAD(0, at)
#define ww_every_load(at) ww_stored_vector(at)
#else
typedef ww_value ww_every;
#define ww_every_norms(at) (*(at))
#define ww_every_load(at) ww_stored_value(at)
#endif

// Sums over the coordinates: the second is Bray-Curtis' divisor, or how many coordinates both points have.
typedef struct {
    ww_every sum, all;
} ww_every_sums;

WW_INLINE ww_every ww_every_power(ww_every apart) {
    ww_every power = apart;
    if (!WW_P_WHOLE)
        return exp2(log2(apart) * (ww_every)WW_P);
    for (int i = 1; i < WW_P_WHOLE; i++)
        power *= apart;
    return WW_P_HALF ? power * sqrt(apart) : power;
}
WW_INLINE ww_every_sums ww_every_add(ww_every_sums s, ww_every x, ww_every y) {
    const ww_every apart = fabs(x - y), size = WW_BRAY_CURTIS ? fabs(x + y) : fabs(x) + fabs(y);
    if (WW_MINKOWSKI)
        s.sum += ww_every_power(apart);
    else if (WW_CANBERRA)
        s.sum += size > 0 ? apart / size : (ww_every)0;
    else if (WW_BRAY_CURTIS)
        s.sum += apart;
    else
        s.sum += apart == apart ? apart * apart : (ww_every)0;
    s.all += WW_BRAY_CURTIS ? size : apart == apart ? (ww_every)1 : (ww_every)0;
    return s;
}
WW_INLINE ww_every ww_every_of(ww_every_sums s, uint dimension) {
    if (WW_MINKOWSKI)
        return s.sum > 0 ? exp2(log2(s.sum) / (ww_every)WW_P) : (ww_every)0;
    if (WW_BRAY_CURTIS)
        return s.all > 0 ? s.sum / s.all : (ww_every)0;
    if (WW_MISSING)
        return s.all > 0 ? sqrt(s.sum * ((ww_every)(ww_scalar)dimension / s.all)) : (ww_every)NAN;
    return s.sum;
}

// A query, and of correlation the mean of its coordinates.
typedef struct {
    __global const ww_value *at;
    uint dimension;
    ww_scalar mean, norm;
} ww_every_query;
WW_INLINE ww_every_query ww_every_query_of(__global const ww_value *at, uint dimension, ww_scalar norm) {
    ww_every_query q = {at, dimension, 0, norm};
    for (uint j = 0; WW_CORRELATION && j < dimension; j++)
        q.mean += at[j * WW_EVERY_STEP];
    q.mean /= (ww_scalar)dimension;
    return q;
}

// Half the squared distance of the two directions from the mean: exactly 0 for equal points, and never negative.
WW_INLINE ww_every ww_every_correlation(ww_every_query q, __global const ww_stored *c, ww_every c_norm) {
    const ww_scalar q_scale = ww_knn_scale(q.norm);
    const ww_every c_scale = c_norm > 0 ? 1 / sqrt(c_norm) : (ww_every)0;
    ww_every mean = 0, sum = 0;
    for (uint j = 0; j < q.dimension; j++)
        mean += ww_every_load(c + j * WW_EVERY_STEP);
    mean /= (ww_every)(ww_scalar)q.dimension;
    for (uint j = 0; j < q.dimension; j++) {
        const ww_scalar x = (q.at[j * WW_EVERY_STEP] - q.mean) * q_scale;
        const ww_every t = (ww_every)x - (ww_every_load(c + j * WW_EVERY_STEP) - mean) * c_scale;
        sum = fma(t, t, sum);
    }
    return q.norm == 0 ? (ww_every)1 : c_norm > 0 ? sum / 2 : (ww_every)1;
}

// The distances of points from c on, whose norms are `c_norm`.
WW_INLINE ww_every ww_every_distance(ww_every_query q, __global const ww_stored *c, ww_every c_norm) {
    ww_every_sums s = {(ww_every)0, (ww_every)0};
    if (WW_CORRELATION)
        return ww_every_correlation(q, c, c_norm);
    for (uint j = 0; j < q.dimension; j++)
        s = ww_every_add(s, (ww_every)q.at[j * WW_EVERY_STEP], ww_every_load(c + j * WW_EVERY_STEP));
    return ww_every_of(s, q.dimension);
}

__kernel __attribute__((reqd_work_group_size(WW_ROW_WG, 1, 1))) void
ww_knn_exact(__global const ww_value *restrict queries, __global const ww_stored *restrict base,
             __global const ww_scalar *restrict query_norms, __global const ww_scalar *restrict base_norms,
             const ww_knn_args job, __global const uint *restrict counts, __global const uint *restrict ids,
             __global ww_scalar *restrict values) {
    const uint row = (uint)get_group_id(0), query = job.query_first + row, count = job.base_end - job.base_first;
    const ww_every_query q = ww_every_query_of(queries + ww_exact_at(query, job.dimension), job.dimension, query_norms[query]);
    __global ww_scalar *to = values + (ulong)row * job.capacity;
    for (uint i = (uint)get_local_id(0) * WW_VECTOR; i < count; i += WW_ROW_WG * WW_VECTOR) {
        const uint point = job.base_first + i;
        const ww_every distance =
            ww_every_distance(q, base + ww_exact_at(point, job.dimension), ww_every_norms(base_norms + point));
#if WW_VECTOR > 1
        ww_scalar each[WW_VECTOR];
        WW_VSTORE(distance, 0, each);
        for (uint v = 0; v < min(count - i, (uint)WW_VECTOR); v++)
            to[i + v] = each[v];
#else
        to[i] = distance;
#endif
    }
}
