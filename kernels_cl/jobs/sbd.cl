// SPDX-License-Identifier: Apache-2.0
// Shape-based distances (Paparrizos and Gravano 2015): 1 less the largest cross-correlation of two series over all shifts, each of
// norm 1. The sum of a shift s is that over t of x(t) y(t - s), 1 - m to n - 1; of equal sums the lowest shift is taken.
//
// A work-group has a pair, a lane (WW_VECTOR of a work-item) a shift in WW_SBD_SPAN, WW_SBD_BLOCKS of them side by side: x(t) is
// the same for all, and the values of y, which lie in reverse order, are neighbours. Before and behind each channel of y are
// WW_SBD_SPAN zeros, so that no shift has a condition. Sums are in the order of t.
//
// Parameters: WW_WG, WW_VECTOR. Local memory: two words a work-item. One barrier.
#define WW_SBD_BLOCKS 4
#define WW_SBD_LANES (WW_WG * WW_VECTOR)
#define WW_SBD_SPAN (WW_SBD_LANES * WW_SBD_BLOCKS)
#if WW_VECTOR > 1
#define ww_sbd_load(at) WW_VLOAD(0, at)
#else
#define ww_sbd_load(at) (*(at))
#endif

// The largest sum so far of a work-item's lanes, and its shift.
typedef struct {
    ww_scalar sum;
    int shift;
} ww_sbd_best;

WW_INLINE void ww_sbd_take(ww_sbd_best *best, real sums, int shift, int end) {
    ww_scalar each[WW_VECTOR];
#if WW_VECTOR > 1
    if (!any(sums > (real)best->sum))
        return;
    WW_VSTORE(sums, 0, each);
#else
    each[0] = sums;
#endif
    for (int v = 0; v < WW_VECTOR; v++) {
        const bool better = each[v] > best->sum && shift + v < end;
        best->sum = better ? each[v] : best->sum;
        best->shift = better ? shift + v : best->shift;
    }
}

// x, y: (first value, length) of each series are in x_series and y_series. Pairs [first, first + groups) of rows x columns,
// row after row; their results begin where the buffers do, `base` pairs later.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_sbd(__global const ww_scalar *restrict x, __global const ulong2 *restrict x_series,
       __global const ww_scalar *restrict y, __global const ulong2 *restrict y_series, const ulong first, const ulong base,
       const uint columns, const uint channels, __global ww_scalar *restrict distances, __global int *restrict shifts) {
    __local ww_scalar sums[WW_WG];
    __local int found[WW_WG];
    const uint lid = (uint)get_local_id(0);
    const ulong pair = first + get_group_id(0), row = pair / columns;
    const ulong2 of_x = x_series[row], of_y = y_series[pair - row * columns];
    const int n = (int)of_x.y, m = (int)of_y.y;
    ww_sbd_best best = {-(ww_scalar)INFINITY, 0};
    for (int begin = 1 - m; begin < n; begin += WW_SBD_SPAN) {
        const int from = max(0, begin), to = min(n, m + begin + WW_SBD_SPAN - 1);
        const int own = begin + (int)lid * WW_VECTOR;
        real sum[WW_SBD_BLOCKS];
#pragma unroll
        for (int b = 0; b < WW_SBD_BLOCKS; b++)
            sum[b] = 0;
        for (uint c = 0; c < channels; c++) {
            __global const ww_scalar *a = x + of_x.x + (ulong)c * of_x.y;
            __global const ww_scalar *reversed =
                y + of_y.x + (ulong)c * (of_y.y + 2 * WW_SBD_SPAN) + (WW_SBD_SPAN + m - 1 + own);
            for (int t = from; t < to; t++) {
                const real value = a[t];
#pragma unroll
                for (int b = 0; b < WW_SBD_BLOCKS; b++)
                    sum[b] = fma(value, ww_sbd_load(reversed + b * WW_SBD_LANES - t), sum[b]);
            }
        }
#pragma unroll
        for (int b = 0; b < WW_SBD_BLOCKS; b++)
            ww_sbd_take(&best, sum[b], own + b * WW_SBD_LANES, n);
    }
    sums[lid] = best.sum;
    found[lid] = best.shift;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        for (uint i = 1; i < WW_WG; i++) {
            const bool better = sums[i] > best.sum || (sums[i] == best.sum && found[i] < best.shift);
            best.sum = better ? sums[i] : best.sum;
            best.shift = better ? found[i] : best.shift;
        }
        distances[pair - base] = fmax((ww_scalar)0, 1 - best.sum);
        shifts[pair - base] = best.shift;
    }
}
