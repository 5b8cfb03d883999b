// SPDX-License-Identifier: Apache-2.0
// What shapelet_extend.cl computes, by matrix units (base/vendor.cl): the covariances of 32 columns and 64 windows of one
// series are a sum of products of two small matrices, whose inner places are points. cov(l + 1) = cov(l) + a[l] b[l]
// (shapelet_tables.cl); a and b are two halves each, high + low, so that a point takes four places,
//   (high a + low a) (high b + low b) = high a (high b) + high a (low b) + low a (high b) + low a (low b).
// One instruction adds two points, or four, to 16 x 8 covariances. At each length of the list a covariance takes one and a
// half operations more: what is sought is the least of |column| - cov / |window|, as in shapelet_rows.cl.
//
// A warp has WW_COLUMNS neighbouring columns and a tile of WW_WINDOWS windows, in registers while the length grows. Columns come
// with the longest reach first, so that they end together; where the tile's upper half is past the series' end, only the
// lower half is gone through. The best of all tiles is found by atomic operations on `nearest`, which is -infinity
// before. No local memory, no barrier.
//
// Error: the sums are rounded towards zero, once an instruction; see wwi_shapelet_job's error_each.
//
// With WW_MMA 0 a work-item adds up those covariances that it would have in the warp's matrices: for tests.
//
// Parameters: WW_EACH 1: every length from the least on, 0: a list
#ifndef WW_EACH
#define WW_EACH 1
#endif
#define WW_COLUMNS 32
#define WW_WINDOWS 64
#define WW_TENSOR_ROW (2 * WW_WINDOWS)
#define WW_MATRICES (WW_WINDOWS / 8) // next to each other

// Adds points of all covariances in the first ACROSS matrices: WW_ADD_FOUR those from l on, up to four and before `upto`,
// WW_ADD_TWO one or two.
#if WW_MMA
#define WW_HIGHS 0x1010u // of a number's two halves the first, twice
#define WW_LOWS 0x3232u
#define WW_NOTHING 0x4444u
#define WW_ADD_FOUR(ACROSS)                                                                                            \
    do {                                                                                                               \
        const uint at = min(l + across, upto - 1), high = l + across < upto ? WW_HIGHS : WW_NOTHING;                   \
        const uint low = l + across < upto ? WW_LOWS : WW_NOTHING;                                                     \
        const uint4 x = *(global const uint4 *)(from + (ulong)at * job.columns);                                       \
        WW_READ_WINDOWS(ACROSS, at)                                                                                    \
        const uint2 x0 = (uint2)(ww_bytes(x.x, high), ww_bytes(x.x, low));                                             \
        const uint2 x1 = (uint2)(ww_bytes(x.y, high), ww_bytes(x.y, low));                                             \
        const uint2 x2 = (uint2)(ww_bytes(x.z, high), ww_bytes(x.z, low));                                             \
        const uint2 x3 = (uint2)(ww_bytes(x.w, high), ww_bytes(x.w, low));                                             \
        _Pragma("unroll") for (uint n = 0; n < (ACROSS); n++) {                                                        \
            const uint2 both = (uint2)(y[n], y[n]);                                                                    \
            ww_mma(sum[0][n][0], sum[0][n][1], sum[0][n][2], sum[0][n][3], x0, x1, both);                              \
            ww_mma(sum[1][n][0], sum[1][n][1], sum[1][n][2], sum[1][n][3], x2, x3, both);                              \
        }                                                                                                              \
    } while (0)
#define WW_ADD_TWO(ACROSS)                                                                                             \
    do {                                                                                                               \
        const uint at = min(l + point, upto - 1), which = l + point < upto ? pick : WW_NOTHING;                        \
        const uint4 x = *(global const uint4 *)(from + (ulong)(at) * job.columns);                                     \
        WW_READ_WINDOWS(ACROSS, at)                                                                                    \
        const uint4 one = (uint4)(ww_bytes(x.x, which), ww_bytes(x.y, which), ww_bytes(x.z, which), ww_bytes(x.w, which)); \
        _Pragma("unroll") for (uint n = 0; n < (ACROSS); n++) {                                                        \
            ww_mma_short(sum[0][n][0], sum[0][n][1], sum[0][n][2], sum[0][n][3], one.x, one.y, y[n]);                  \
            ww_mma_short(sum[1][n][0], sum[1][n][1], sum[1][n][2], sum[1][n][3], one.z, one.w, y[n]);                  \
        }                                                                                                              \
    } while (0)
#define WW_READ_WINDOWS(ACROSS, at)                                                                                    \
    uint y[ACROSS];                                                                                                    \
    _Pragma("unroll") for (uint n = 0; n < (ACROSS); n += 4) {                                                         \
        const uint4 four = *(global const uint4 *)(row + (ulong)(at) * WW_TENSOR_ROW + down * WW_MATRICES + n);        \
        y[n] = four.x;                                                                                                 \
        y[n + 1] = four.y;                                                                                             \
        y[n + 2] = four.z;                                                                                             \
        y[n + 3] = four.w;                                                                                             \
    }
#else
WW_INLINE float ww_two_halves(global const uint *place) {
    return vload_half(0, (global const half *)place) + vload_half(1, (global const half *)place);
}
#define WW_ADD_FOUR(ACROSS)                                                                                            \
    for (uint p = l; p < min(l + 4, upto); p++)                                                                        \
    WW_ADD_ONE(ACROSS, p)
#define WW_ADD_TWO(ACROSS)                                                                                             \
    for (uint p = l; p < upto; p++)                                                                                    \
    WW_ADD_ONE(ACROSS, p)
#define WW_ADD_ONE(ACROSS, p)                                                                                          \
    for (uint n = 0; n < (ACROSS); n++)                                                                                \
        for (uint r = 0; r < 4; r++)                                                                                   \
            for (uint k = 0; k < 2; k++)                                                                               \
                sum[r / 2][n][r % 2 * 2 + k] =                                                                         \
                    fma(ww_two_halves(from + (ulong)(p) * job.columns + r),                                            \
                        ww_two_halves(row + (ulong)(p) * WW_TENSOR_ROW + (2 * across + k) * WW_MATRICES + n),          \
                        sum[r / 2][n][r % 2 * 2 + k]);
#endif

// The least of |column| - cov / |window| of the work-item's four columns.
#define WW_FIND_LEAST(ACROSS)                                                                                          \
    do {                                                                                                               \
        global const float *unit = (global const float *)row + (ulong)(length - 1) * WW_TENSOR_ROW + WW_WINDOWS +      \
                                   across * (2 * WW_MATRICES);                                                         \
        _Pragma("unroll") for (uint n = 0; n < (ACROSS); n += 2) {                                                     \
            const float4 units = *(global const float4 *)(unit + 2 * n);                                               \
            _Pragma("unroll") for (uint r = 0; r < 4; r++) {                                                           \
                low[r] = min(min(as_int(fma(-sum[r / 2][n][r % 2 * 2], units.x, norm[r])),                             \
                                 as_int(fma(-sum[r / 2][n][r % 2 * 2 + 1], units.y, norm[r]))),                        \
                             low[r]);                                                                                  \
                low[r] = min(min(as_int(fma(-sum[r / 2][n + 1][r % 2 * 2], units.z, norm[r])),                         \
                                 as_int(fma(-sum[r / 2][n + 1][r % 2 * 2 + 1], units.w, norm[r]))),                    \
                             low[r]);                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

// Floats of one sign are in the order of their bits.
WW_INLINE void ww_raise(global float *place, float value) {
    if (value >= 0)
        atomic_max((volatile global int *)place, as_int(value));
    else
        atomic_min((volatile global uint *)place, as_uint(value));
}

// a, norms, b: see shapelet_tables.cl. points: of each series. first: of the tiles.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_tensor(global const uint *restrict a, global const float *restrict norms, global const uint *restrict b,
                   global const uint4 *restrict tiles, const uint first, global const uint *restrict reaches,
                   global const uint *restrict points, global float *restrict nearest, const ww_shapelet_job job) {
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0), down = id % 32 / 4, across = id % 4;
    const uint blocks = job.columns / (WW_COLUMNS * (WW_WG / 32)), t = group / blocks;
    const uint c0 = (ww_rest(group, blocks, t) * (WW_WG / 32) + id / 32) * WW_COLUMNS;
    const uint4 tile = tiles[first + t];
    const uint stop = min(reaches[c0], tile.z), left = points[tile.x] - tile.y;
    global const uint *from = a + c0 + 4 * down, *row = b + (ulong)tile.w * WW_TENSOR_ROW;
    global const float *own = norms + (ulong)job.count * job.columns + c0;
    global float *to = nearest + (ulong)tile.x * job.count * job.columns + c0;
    float sum[2][WW_MATRICES][4];
#pragma unroll
    for (uint n = 0; n < WW_MATRICES; n++)
#pragma unroll
        for (uint i = 0; i < 4; i++)
            sum[0][n][i] = sum[1][n][i] = 0;
    if (stop < job.least)
        return;
    uint l = 0;
#if WW_EACH
    for (const uint upto = job.least - 1; l < upto; l += 4)
        WW_ADD_FOUR(WW_MATRICES);
#endif
#if WW_MMA
    // Two points: a work-item has the high halves of one, or the low halves.
    const uint pick = across % 2 ? WW_LOWS : WW_HIGHS, point = across / 2;
#endif
    for (uint length = job.least; length <= stop; length += job.step) {
        const uint upto = length;
        const float4 norms4 = *(global const float4 *)(own + 4 * down);
        const float norm[4] = {norms4.x, norms4.y, norms4.z, norms4.w};
        int low[4] = {as_int((float)INFINITY), as_int((float)INFINITY), as_int((float)INFINITY), as_int((float)INFINITY)};
        const int whole = length + WW_WINDOWS / 2 <= left;
#if WW_EACH
        l = length - 1;
        if (whole) {
            WW_ADD_TWO(WW_MATRICES);
            WW_FIND_LEAST(WW_MATRICES);
        } else {
            WW_ADD_TWO(WW_MATRICES / 2);
            WW_FIND_LEAST(WW_MATRICES / 2);
        }
#else
        for (; l + 2 < upto; l += 4)
            WW_ADD_FOUR(WW_MATRICES);
        if (l < upto)
            WW_ADD_TWO(WW_MATRICES);
        l = length;
        if (whole)
            WW_FIND_LEAST(WW_MATRICES);
        else
            WW_FIND_LEAST(WW_MATRICES / 2);
#endif
#if WW_MMA
        // Each work-item is left with one column.
        const int odd = across % 2, upper = across / 2;
        int mine = min(odd ? low[2] : low[0], ww_warp_swap(odd ? low[0] : low[2], 1));
        const int other = min(odd ? low[3] : low[1], ww_warp_swap(odd ? low[1] : low[3], 1));
        mine = min(upper ? other : mine, ww_warp_swap(upper ? mine : other, 2));
        const uint c = 4 * down + 2 * odd + upper;
        ww_raise(to + c, own[c] - as_float(mine));
#else
        for (uint r = 0; r < 4; r++)
            ww_raise(to + 4 * down + r, norm[r] - as_float(low[r]));
#endif
        own += job.columns;
        to += job.columns;
    }
}
