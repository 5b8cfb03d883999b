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
// Every length from the least on. On the host: TENSOR_COLUMNS, TENSOR_WINDOWS, in the tables WW_SHAPELET_TILE.
#define WW_SHAPELET_DOWN 2   // matrices of 16 columns
#define WW_ACROSS 8 // and of 8 windows
#define WW_TENSOR_ROWS (2 * WW_SHAPELET_DOWN) // of a work-item, neighbouring columns
#define WW_COLUMNS (8 * WW_TENSOR_ROWS)
#define WW_WINDOWS (8 * WW_ACROSS)
#define WW_TENSOR_ROW (2 * WW_WINDOWS)

// Where a work-item reads: points of its columns, and of the tile's windows.
typedef struct {
    global const uint *from, *row;
    uint columns; // of the chunk
    uint down, across, which;
} ww_sources;

#if WW_MMA
// Of a number's two halves the first, twice; the second, twice; nothing.
enum { WW_HIGHS = 0x1010, WW_LOWS = 0x3232, WW_NOTHING = 0x4444 };

WW_INLINE void ww_read_fours(uint *to, const uint count, global const uint *from) {
#pragma unroll
    for (uint q = 0; q < count; q += 4) {
        const uint4 four = *(global const uint4 *)(from + q);
        to[q] = four.x;
        to[q + 1] = four.y;
        to[q + 2] = four.z;
        to[q + 3] = four.w;
    }
}
// Point number `at`, of the work-item's columns and the first `wide` windows.
WW_INLINE void ww_read_point(ww_sources o, uint *x, uint *y, const uint wide, uint at) {
    ww_read_fours(x, WW_TENSOR_ROWS, o.from + (ulong)at * o.columns);
    ww_read_fours(y, wide, o.row + (ulong)at * WW_TENSOR_ROW + o.down * WW_ACROSS);
}

// Adds points to all covariances in the first `wide` matrices, a constant: those from l on, up to four and before `upto`;
// and that with number `at`.
WW_INLINE void ww_add_four(ww_sources o, float sum[WW_SHAPELET_DOWN][WW_ACROSS][4], const uint wide, uint l, uint upto) {
    const uint at = min(l + o.across, upto - 1), high = l + o.across < upto ? WW_HIGHS : WW_NOTHING;
    const uint low = l + o.across < upto ? WW_LOWS : WW_NOTHING;
    uint x[WW_TENSOR_ROWS], y[WW_ACROSS];
    ww_read_point(o, x, y, wide, at);
#pragma unroll
    for (uint m = 0; m < WW_SHAPELET_DOWN; m++) {
        const uint2 a0 = (uint2)(ww_bytes(x[2 * m], high), ww_bytes(x[2 * m], low));
        const uint2 a8 = (uint2)(ww_bytes(x[2 * m + 1], high), ww_bytes(x[2 * m + 1], low));
#pragma unroll
        for (uint n = 0; n < wide; n++)
            ww_mma(sum[m][n], a0, a8, (uint2)(y[n], y[n]));
    }
}
WW_INLINE void ww_add_point(ww_sources o, float sum[WW_SHAPELET_DOWN][WW_ACROSS][4], const uint wide, uint at) {
    uint x[WW_TENSOR_ROWS], y[WW_ACROSS];
    ww_read_point(o, x, y, wide, at);
#pragma unroll
    for (uint m = 0; m < WW_SHAPELET_DOWN; m++) {
        const uint a0 = ww_bytes(x[2 * m], o.which), a8 = ww_bytes(x[2 * m + 1], o.which);
#pragma unroll
        for (uint n = 0; n < wide; n++)
            ww_mma_short(sum[m][n], a0, a8, y[n]);
    }
}
#else
WW_INLINE float ww_two_halves(global const uint *place) {
    return vload_half(0, (global const half *)place) + vload_half(1, (global const half *)place);
}
WW_INLINE void ww_add_point(ww_sources o, float sum[WW_SHAPELET_DOWN][WW_ACROSS][4], const uint wide, uint p) {
    for (uint n = 0; n < wide; n++)
        for (uint r = 0; r < WW_TENSOR_ROWS; r++)
            for (uint k = 0; k < 2; k++)
                sum[r / 2][n][r % 2 * 2 + k] =
                    fma(ww_two_halves(o.from + (ulong)p * o.columns + r),
                        ww_two_halves(o.row + (ulong)p * WW_TENSOR_ROW + (2 * o.across + k) * WW_ACROSS + n),
                        sum[r / 2][n][r % 2 * 2 + k]);
}
WW_INLINE void ww_add_four(ww_sources o, float sum[WW_SHAPELET_DOWN][WW_ACROSS][4], const uint wide, uint l, uint upto) {
    for (uint p = l; p < min(l + 4, upto); p++)
        ww_add_point(o, sum, wide, p);
}
#endif

// The least of |column| - cov / |window| of each of the work-item's columns. A matrix's two windows are in reverse order: so
// a covariance and its 1 / |window| are in different banks of registers.
WW_INLINE void ww_find_least(ww_sources o, float sum[WW_SHAPELET_DOWN][WW_ACROSS][4], const uint wide, uint length,
                             const float *norm, int *low) {
    global const float *unit = (global const float *)o.row + (ulong)(length - 1) * WW_TENSOR_ROW + WW_WINDOWS +
                               o.across * (2 * WW_ACROSS);
#pragma unroll
    for (uint n = 0; n < wide; n += 2) {
        const float4 units = *(global const float4 *)(unit + 2 * n);
#pragma unroll
        for (uint r = 0; r < WW_TENSOR_ROWS; r++) {
            const uint m = r / 2, e = r % 2 * 2;
            low[r] = min(min(as_int(fma(-sum[m][n][e], units.y, norm[r])),
                             as_int(fma(-sum[m][n][e + 1], units.x, norm[r]))),
                         low[r]);
            low[r] = min(min(as_int(fma(-sum[m][n + 1][e], units.w, norm[r])),
                             as_int(fma(-sum[m][n + 1][e + 1], units.z, norm[r]))),
                         low[r]);
        }
    }
}

// Into `nearest` the least of a row: with matrices a work-item is left with a quarter of its columns, from `to` on.
WW_INLINE void ww_store_least(global int *to, int *low, const int odd, const int upper) {
#if WW_MMA
#pragma unroll
    for (uint r = 0; r < WW_TENSOR_ROWS / 2; r++) {
        const int other = odd ? low[r] : low[r + WW_TENSOR_ROWS / 2];
        low[r] = min(odd ? low[r + WW_TENSOR_ROWS / 2] : low[r], as_int(ww_swap_word(as_float(other), 1)));
    }
#pragma unroll
    for (uint r = 0; r < WW_TENSOR_ROWS / 4; r++) {
        const int other = upper ? low[r] : low[r + WW_TENSOR_ROWS / 4];
        atomic_min(&to[r], min(upper ? low[r + WW_TENSOR_ROWS / 4] : low[r], as_int(ww_swap_word(as_float(other), 2))));
    }
#else
    for (uint r = 0; r < WW_TENSOR_ROWS; r++)
        atomic_min(&to[r], low[r]);
#endif
}

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
                   global const uint *restrict points, global int *restrict nearest, const ww_shapelet_args job) {
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0), down = id % 32 / 4, across = id % 4;
    const uint blocks = job.columns / (WW_COLUMNS * (WW_WG / 32)), t = group / blocks;
    const uint c0 = (ww_rest(group, blocks, t) * (WW_WG / 32) + id / 32) * WW_COLUMNS;
    const uint4 tile = tiles[first + t];
    const uint stop = min(reaches[c0], tile.z), left = points[tile.x] - tile.y;
    ww_sources source = {a + c0 + WW_TENSOR_ROWS * down, b + (ulong)tile.w * WW_TENSOR_ROW, job.columns, down, across, 0};
    global const float *own = norms + (ulong)job.count * job.columns + c0 + WW_TENSOR_ROWS * down;
    float sum[WW_SHAPELET_DOWN][WW_ACROSS][4];
    if (stop < job.least)
        return;
#pragma unroll
    for (uint m = 0; m < WW_SHAPELET_DOWN; m++)
#pragma unroll
        for (uint n = 0; n < WW_ACROSS; n++)
            sum[m][n][0] = sum[m][n][1] = sum[m][n][2] = sum[m][n][3] = 0;
#if WW_MMA
    // Of a point a work-item has the high halves, the low halves or nothing; of its columns it is left with a quarter.
    source.which = across == 0 ? WW_HIGHS : across == 1 ? WW_LOWS : WW_NOTHING;
    const int odd = across % 2, upper = across / 2;
#else
    const int odd = 0, upper = 0;
#endif
    global int *to = nearest + (ulong)tile.x * job.count * job.columns + c0 + WW_TENSOR_ROWS * down +
                     odd * (WW_TENSOR_ROWS / 2) + upper * (WW_TENSOR_ROWS / 4);
    const uint upto = job.least - 1;
    for (uint l = 0; l < upto; l += 4)
        ww_add_four(source, sum, WW_ACROSS, l, upto);
    for (uint length = job.least; length <= stop; length++) {
        const float4 norms4 = *(global const float4 *)own;
        const float norm[WW_TENSOR_ROWS] = {norms4.x, norms4.y, norms4.z, norms4.w};
        int low[WW_TENSOR_ROWS];
#pragma unroll
        for (uint r = 0; r < WW_TENSOR_ROWS; r++)
            low[r] = as_int(FLT_MAX);
        if (length + WW_WINDOWS / 2 <= left) {
            ww_add_point(source, sum, WW_ACROSS, length - 1);
            ww_find_least(source, sum, WW_ACROSS, length, norm, low);
        } else {
            ww_add_point(source, sum, WW_ACROSS / 2, length - 1);
            ww_find_least(source, sum, WW_ACROSS / 2, length, norm, low);
        }
        ww_store_least(to, low, odd, upper);
        own += job.columns;
        to += job.columns;
    }
}
