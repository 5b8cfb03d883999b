// SPDX-License-Identifier: Apache-2.0
// What shapelet_extend.cl computes, by matrix units (base/vendor.cl): the covariances of WW_COLUMNS columns and WW_WINDOWS
// windows of one series are a sum of products of two small matrices, whose inner places are points. cov(l + 1) = cov(l) + a[l] b[l]
// (shapelet_tables.cl); a and b are two halves each, high + low, so that a point takes four places,
//   (high a + low a) (high b + low b) = high a (high b) + high a (low b) + low a (high b) + low a (low b).
// One instruction adds a point to 16 x 8 covariances (up to four before the least length). At each length a covariance
// takes one and a half operations more: what is sought is the least of |column| - cov / |window|, as in shapelet_rows.cl.
//
// Tried, not taken: 64 x 64 and 32 x 128 tiles, tf32, the next numbers read ahead: 0 to 53 % slower.
//
// A warp has neighbouring columns and a tile of windows, in registers while the length grows. Columns come with the longest
// reach first, so that they end together; where the tile's upper half is past the series' end, only the lower half is gone
// through. The least of all tiles is found by atomic operations on `nearest`: |column| - cov / |window| is never below 0
// but by rounding, and such floats compare as integers. Before, `nearest` has the largest finite number. No local memory, no
// barrier.
//
// Error: the sums are rounded towards zero, once an instruction; see error_each in shapelet.cl.
//
// With WW_MMA 0 a work-item adds up those covariances that it would have in the warp's matrices: for tests.
//
// Every length from the least on. On the host: TENSOR_COLUMNS, TENSOR_WINDOWS, in the tables WW_TILE.
#define WW_DOWN 2   // matrices of 16 columns
#define WW_ACROSS 8 // and of 8 windows
#define WW_ROWS (2 * WW_DOWN) // of a work-item, neighbouring columns
#define WW_COLUMNS (8 * WW_ROWS)
#define WW_WINDOWS (8 * WW_ACROSS)
#define WW_TENSOR_ROW (2 * WW_WINDOWS)

#define WW_READ_FOURS(to, count, from)                                                                                 \
    _Pragma("unroll") for (uint q = 0; q < (count); q += 4) {                                                          \
        const uint4 four = *(global const uint4 *)((from) + q);                                                        \
        to[q] = four.x;                                                                                                \
        to[q + 1] = four.y;                                                                                            \
        to[q + 2] = four.z;                                                                                            \
        to[q + 3] = four.w;                                                                                            \
    }

// Adds points to all covariances in the first ACROSS matrices: WW_ADD_POINT that with number `at`, WW_ADD_FOUR those from l on,
// up to four and before `upto`.
#if WW_MMA
#define WW_HIGHS 0x1010u // of a number's two halves the first, twice
#define WW_LOWS 0x3232u
#define WW_NOTHING 0x4444u
#define WW_READ_POINT(ACROSS, at)                                                                                      \
    uint x[WW_ROWS], y[ACROSS];                                                                                        \
    WW_READ_FOURS(x, WW_ROWS, from + (ulong)(at) * job.columns)                                                        \
    WW_READ_FOURS(y, ACROSS, row + (ulong)(at) * WW_TENSOR_ROW + down * WW_ACROSS)
#define WW_ADD_FOUR(ACROSS)                                                                                            \
    do {                                                                                                               \
        const uint at = min(l + across, upto - 1), high = l + across < upto ? WW_HIGHS : WW_NOTHING;                   \
        const uint low_ = l + across < upto ? WW_LOWS : WW_NOTHING;                                                    \
        WW_READ_POINT(ACROSS, at)                                                                                      \
        _Pragma("unroll") for (uint m = 0; m < WW_DOWN; m++) {                                                         \
            const uint2 a0 = (uint2)(ww_bytes(x[2 * m], high), ww_bytes(x[2 * m], low_));                              \
            const uint2 a8 = (uint2)(ww_bytes(x[2 * m + 1], high), ww_bytes(x[2 * m + 1], low_));                      \
            _Pragma("unroll") for (uint n = 0; n < (ACROSS); n++)                                                      \
                ww_mma(sum[m][n][0], sum[m][n][1], sum[m][n][2], sum[m][n][3], a0, a8, ((uint2)(y[n], y[n])));         \
        }                                                                                                              \
    } while (0)
#define WW_ADD_POINT(ACROSS, at)                                                                                       \
    do {                                                                                                               \
        WW_READ_POINT(ACROSS, at)                                                                                      \
        _Pragma("unroll") for (uint m = 0; m < WW_DOWN; m++) {                                                         \
            const uint a0 = ww_bytes(x[2 * m], which), a8 = ww_bytes(x[2 * m + 1], which);                             \
            _Pragma("unroll") for (uint n = 0; n < (ACROSS); n++)                                                      \
                ww_mma_short(sum[m][n][0], sum[m][n][1], sum[m][n][2], sum[m][n][3], a0, a8, y[n]);                    \
        }                                                                                                              \
    } while (0)
#else
WW_INLINE float ww_two_halves(global const uint *place) {
    return vload_half(0, (global const half *)place) + vload_half(1, (global const half *)place);
}
#define WW_ADD_FOUR(ACROSS)                                                                                            \
    for (uint p = l; p < min(l + 4, upto); p++)                                                                        \
    WW_ADD_POINT(ACROSS, p)
#define WW_ADD_POINT(ACROSS, p)                                                                                        \
    for (uint n = 0; n < (ACROSS); n++)                                                                                \
        for (uint r = 0; r < WW_ROWS; r++)                                                                             \
            for (uint k = 0; k < 2; k++)                                                                               \
                sum[r / 2][n][r % 2 * 2 + k] =                                                                         \
                    fma(ww_two_halves(from + (ulong)(p) * job.columns + r),                                            \
                        ww_two_halves(row + (ulong)(p) * WW_TENSOR_ROW + (2 * across + k) * WW_ACROSS + n),            \
                        sum[r / 2][n][r % 2 * 2 + k]);
#endif

// The least of |column| - cov / |window| of each of the work-item's columns. A matrix's two windows are in reverse order: so
// a covariance and its 1 / |window| are in different banks of registers.
#define WW_FIND_LEAST(ACROSS)                                                                                          \
    do {                                                                                                               \
        global const float *unit = (global const float *)row + (ulong)(length - 1) * WW_TENSOR_ROW + WW_WINDOWS +      \
                                   across * (2 * WW_ACROSS);                                                           \
        _Pragma("unroll") for (uint n = 0; n < (ACROSS); n += 2) {                                                     \
            const float4 units = *(global const float4 *)(unit + 2 * n);                                               \
            _Pragma("unroll") for (uint r = 0; r < WW_ROWS; r++) {                                                     \
                const uint m = r / 2, e = r % 2 * 2;                                                                   \
                low[r] = min(min(as_int(fma(-sum[m][n][e], units.y, norm[r])),                                         \
                                 as_int(fma(-sum[m][n][e + 1], units.x, norm[r]))),                                    \
                             low[r]);                                                                                  \
                low[r] = min(min(as_int(fma(-sum[m][n + 1][e], units.w, norm[r])),                                     \
                                 as_int(fma(-sum[m][n + 1][e + 1], units.z, norm[r]))),                                \
                             low[r]);                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

// What `nearest` has before: four numbers at a time.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void ww_shapelet_clear(global float4 *nearest,
                                                                                 const ulong fours) {
    for (ulong i = get_global_id(0); i < fours; i += get_global_size(0))
        nearest[i] = (float4)(FLT_MAX);
}

// a, norms, b: see shapelet_tables.cl. points: of each series. first: of the tiles.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_tensor(global const uint *restrict a, global const float *restrict norms, global const uint *restrict b,
                   global const uint4 *restrict tiles, const uint first, global const uint *restrict reaches,
                   global const uint *restrict points, global int *restrict nearest, const ww_shapelet_job job) {
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0), down = id % 32 / 4, across = id % 4;
    const uint blocks = job.columns / (WW_COLUMNS * (WW_WG / 32)), t = group / blocks;
    const uint c0 = (ww_rest(group, blocks, t) * (WW_WG / 32) + id / 32) * WW_COLUMNS;
    const uint4 tile = tiles[first + t];
    const uint stop = min(reaches[c0], tile.z), left = points[tile.x] - tile.y;
    global const uint *from = a + c0 + WW_ROWS * down, *row = b + (ulong)tile.w * WW_TENSOR_ROW;
    global const float *own = norms + (ulong)job.count * job.columns + c0 + WW_ROWS * down;
    float sum[WW_DOWN][WW_ACROSS][4];
    if (stop < job.least)
        return;
#pragma unroll
    for (uint m = 0; m < WW_DOWN; m++)
#pragma unroll
        for (uint n = 0; n < WW_ACROSS; n++)
            sum[m][n][0] = sum[m][n][1] = sum[m][n][2] = sum[m][n][3] = 0;
#if WW_MMA
    // Of a point a work-item has the high halves, the low halves or nothing; of its columns it is left with a quarter.
    const uint which = across == 0 ? WW_HIGHS : across == 1 ? WW_LOWS : WW_NOTHING;
    const int odd = across % 2, upper = across / 2;
    global int *to = nearest + (ulong)tile.x * job.count * job.columns + c0 + WW_ROWS * down +
                     odd * (WW_ROWS / 2) + upper * (WW_ROWS / 4);
#else
    global int *to = nearest + (ulong)tile.x * job.count * job.columns + c0 + WW_ROWS * down;
#endif
    const uint upto = job.least - 1;
    for (uint l = 0; l < upto; l += 4)
        WW_ADD_FOUR(WW_ACROSS);
    for (uint length = job.least; length <= stop; length++) {
        const float4 norms4 = *(global const float4 *)own;
        const float norm[WW_ROWS] = {norms4.x, norms4.y, norms4.z, norms4.w};
        int low[WW_ROWS];
#pragma unroll
        for (uint r = 0; r < WW_ROWS; r++)
            low[r] = as_int(FLT_MAX);
        if (length + WW_WINDOWS / 2 <= left) {
            WW_ADD_POINT(WW_ACROSS, length - 1);
            WW_FIND_LEAST(WW_ACROSS);
        } else {
            WW_ADD_POINT(WW_ACROSS / 2, length - 1);
            WW_FIND_LEAST(WW_ACROSS / 2);
        }
#if WW_MMA
#pragma unroll
        for (uint r = 0; r < WW_ROWS / 2; r++) {
            const int other = odd ? low[r] : low[r + WW_ROWS / 2];
            low[r] = min(odd ? low[r + WW_ROWS / 2] : low[r], as_int(ww_swap_word(as_float(other), 1)));
        }
#pragma unroll
        for (uint r = 0; r < WW_ROWS / 4; r++) {
            const int other = upper ? low[r] : low[r + WW_ROWS / 4];
            atomic_min(&to[r], min(upper ? low[r + WW_ROWS / 4] : low[r], as_int(ww_swap_word(as_float(other), 2))));
        }
#else
        for (uint r = 0; r < WW_ROWS; r++)
            atomic_min(&to[r], low[r]);
#endif
        own += job.columns;
        to += job.columns;
    }
}
