// SPDX-License-Identifier: Apache-2.0
// Tiles of the soft minimum of DTW, in float: what engine/packed_soft.cl and gradient/gradient_soft_*.cl share. No kernel. One
// channel, no band, a cost that grows with the distance of two points; or, with several channels or WW_TABLED, any cost: then the
// costs of cells are in the places of the columns' points (WW_SOFT_POINTED 0).
//
// Tried, not taken: costs bounded by all rows: no gain; next tile by prefetch 2.23, in registers 2.06, for 2.27 TCUPS.
//
// With P(i,j) = exp(-D(i,j)/gamma) a cell is P = exp(-c/gamma) (P left + P up + P diagonal). Values between tiles are in the
// log domain, R = -log2 P in float. A tile is computed in one of two ways:
//
//   products (WW_SOFT_WIDE 1)  P in double, times a power of two that is the tile's own: an exponential, an addition, a product
//       and a multiply-add a cell. Doubles for their range; exponentials are float.
//   pairs  the log domain: a cell is (M, s), P = s 2^-M, M the cost of the best path within the tile and s at least 1 and at
//       most the number of paths: two exponentials a cell, of the differences of the neighbours' M, and no logarithm.
//
// A tile of products has its greatest entering value at 2^WW_SOFT_LIFT, and loses what is below 2^-1022. Each value that leaves it
// is a path's product at most below one that enters: where the entering values and the greatest cost show that none is
// 2^WW_SOFT_SPREAD below the greatest, what is lost is nothing in any of them (ww_soft_fits).
#define WW_SOFT_FAR 1e30f     // R of what nothing reaches
#define WW_SOFT_LIFT 960.0f    // bits
#define WW_SOFT_SPREAD 1860.0f
#define WW_SOFT_LEAST -1000.0f
#ifndef WW_HAS_AGREEMENT
#define ww_all_agree(own) (own)
#endif
// NVIDIA's compiler heeds a limit of registers (-cl-nv-maxrregcount) only where the size of groups is left open.
#if WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL
#define WW_SOFT_GROUP
#else
#define WW_SOFT_GROUP __attribute__((reqd_work_group_size(WW_WG, 1, 1)))
#endif
#define WW_SOFT_UNROLL _Pragma("unroll")
#define WW_SOFT_POINTED (!WW_TABLED && WW_CHANNELS == 1)
WW_INLINE float ww_soft_cost(float x, float y) {
#if !WW_SOFT_POINTED
    return y;
#else
    ww_point a, b;
    a.value[0] = x;
    b.value[0] = y;
    return ww_cost(a, b);
#endif
}

// What a strip's last row `c` holds: P as a double or R as a float, its low word.
#if WW_SOFT_WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_soft_state;
#define WW_SOFT_LOG(c) as_float(as_uint2(c).x)
#define WW_SOFT_STATE(r) as_double((uint2)(as_uint(r), 0))
#else
typedef float ww_soft_state;
#define WW_SOFT_LOG(c) (c)
#define WW_SOFT_STATE(r) (r)
#endif

#if WW_SOFT_WIDE
// 2^a, a from -1000 to 1000: a fraction's in float, and the rest in the exponent. The magic number puts a + 896 into the
// lowest bits, 896 being the difference of the biases.
WW_INLINE double ww_wide_exp2(float a) {
    const float limited = fmax(a, WW_SOFT_LEAST), near = limited + 12583808.0f;
    const uint part = as_uint(ww_exp2(limited - (near - 12583808.0f)));
    return as_double((uint2)(part << 29, (part >> 3) + (as_uint(near) << 20)));
}
// 2^a of a whole number from -1022 to 1023.
WW_INLINE double ww_wide_power(float a) {
    return as_double((uint2)(0, as_uint(a + 12583935.0f) << 20));
}
// A positive float of at least 2^-126 as a double. Its low word is the float itself, less than 2^-20 of the value.
WW_INLINE double ww_wide(float a) {
    return as_double((uint2)(as_uint(a), (as_uint(a) >> 3) + 0x38000000u));
}
// Of a positive double's high word: its exponent, and log2 of the double.
WW_INLINE float ww_wide_exponent(uint high) {
    return as_float(0x4b000000u + (high >> 20)) - 8389631.0f;
}
WW_INLINE float ww_wide_log2_of(uint high) {
    return ww_wide_exponent(high) + ww_log2(as_float(((high & 0xfffffu) << 3) | 0x3f800000u));
}
WW_INLINE float ww_wide_log2(double a) {
    return ww_wide_log2_of(as_uint2(a).y);
}

// R of a row or a column: the least, the most, and the last.
typedef struct {
    float least, most, last;
} ww_soft_range;
WW_INLINE ww_soft_range ww_soft_range_of(const float *r, const int count) {
    ww_soft_range range = {r[0], r[0], r[count - 1]};
    WW_SOFT_UNROLL for (int k = 1; k < count; k++) {
        range.least = fmin(range.least, r[k]);
        range.most = fmax(range.most, r[k]);
    }
    return range;
}
// Of a strip's last row c[WW_COLS], which holds P, times 2^-base (`products`), or R; of P but for the fractions.
WW_INLINE ww_soft_range ww_soft_last_row(const ww_soft_state *c, float base, bool products) {
    ww_soft_range range;
    if (products) {
        uint word = as_uint2(c[0]).y, top = word, bottom = word;
        WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
            word = as_uint2(c[r]).y;
            top = max(top, word);
            bottom = min(bottom, word);
        }
        range.least = base - ww_wide_exponent(top);
        range.most = base - ww_wide_exponent(bottom);
        range.last = base - ww_wide_exponent(word);
    } else {
        range.least = range.most = range.last = WW_SOFT_LOG(c[0]);
        WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
            range.last = WW_SOFT_LOG(c[r]);
            range.least = fmin(range.least, range.last);
            range.most = fmax(range.most, range.last);
        }
    }
    return range;
}

// Whether products hold a tile of WW_ROWS x `columns` cells between the row `above` and the column to the left (`beside`): `best` is
// the least R of all, the corner's too, `cost` the greatest of a cell, in bits.
WW_INLINE bool ww_soft_fits(ww_soft_range above, ww_soft_range beside, float corner, float best, float cost, float columns) {
    const float limit = best + WW_SOFT_SPREAD, along = columns * cost, down = WW_ROWS * cost;
    const bool right = beside.most + along < limit || above.last + down < limit;
    const bool below = above.most + down < limit || beside.last + along < limit;
    return cost < 120.0f && fabs(best) < 4194304.0f && ((right && below) || corner + along + down < limit);
}
#endif

// ---- pairs

// What is beside a cell in its row: the cell to the left, and above that one.
typedef struct {
    float value, sum;
    float last, last_sum;
} ww_soft_beside;
WW_INLINE ww_soft_beside ww_soft_beside_of(float left, float corner) {
    const ww_soft_beside beside = {left, 1, corner, 1};
    return beside;
}
// A cell, and what it is made of.
typedef struct {
    ww_soft_beside from;
    float up, up_sum;
    float side, other;   // 2^-|difference| of the neighbours beside and above, and of the lesser of them and the diagonal one
    float lesser;        // of the first two
    float value, sum;
} ww_soft_pair;
// The cell below (up, up_sum). `squares`: the cost of points that have the scale in them; else it is times `scale`.
WW_INLINE ww_soft_pair ww_soft_pair_of(ww_soft_beside from, float up, float up_sum, float x, float y, float scale,
                                       const bool squares) {
    ww_soft_pair cell;
    cell.from = from;
    cell.up = up;
    cell.up_sum = up_sum;
    // The lesser's sum, and 2^-|difference| of the other's.
    cell.side = ww_exp2(-fabs(from.value - up));
    cell.lesser = fmin(from.value, up);
    const float sides = from.value < up ? fma(up_sum, cell.side, from.sum) : fma(from.sum, cell.side, up_sum);
    cell.other = ww_exp2(-fabs(cell.lesser - from.last));
    const float least = fmin(cell.lesser, from.last);
    cell.sum = cell.lesser < from.last ? fma(from.last_sum, cell.other, sides) : fma(sides, cell.other, from.last_sum);
    const float added = squares ? fma(x - y, x - y, least) : fma(scale, ww_soft_cost(x, y), least);
    cell.value = fmin(added, WW_SOFT_FAR);
    return cell;
}
// What is beside the next cell.
WW_INLINE ww_soft_beside ww_soft_beside_after(ww_soft_pair cell) {
    const ww_soft_beside beside = {cell.value, cell.sum, cell.up, cell.up_sum};
    return beside;
}
// A row across `columns`: above[] and sum[] of the row above become its own. Gives its last cell's.
WW_INLINE ww_soft_beside ww_soft_pairs_row(float *above, float *sum, const float *b, const int columns, ww_soft_beside beside,
                                           float x, float scale, const bool squares) {
    WW_SOFT_UNROLL for (int r = 0; r < columns; r++) {
        const ww_soft_pair cell = ww_soft_pair_of(beside, above[r], sum[r], x, b[r], scale, squares);
        above[r] = cell.value;
        sum[r] = cell.sum;
        beside = ww_soft_beside_after(cell);
    }
    return beside;
}
// Before the pairs of a tile: else differences of points, which both ways take, are computed before the branch and kept in
// registers.
WW_INLINE void ww_soft_rename(float *x) {
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
        ww_rename(x[q]);
}
