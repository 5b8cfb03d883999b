// SPDX-License-Identifier: Apache-2.0
// Tiles of the soft minimum of DTW, in float: what engine/packed_soft.cl and gradient/gradient_soft.cl share. No kernel. One
// channel, no band, a cost that grows with the distance of two points.
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
#ifndef WW_SOFT_WIDE
#define WW_SOFT_WIDE 0
#endif
#ifndef WW_HAS_AGREEMENT
#define ww_all_agree(own) (own)
#endif
// NVIDIA's compiler heeds a limit of registers (-cl-nv-maxrregcount) only where the size of groups is left open.
#if WW_EXCHANGE == 1
#define WW_SOFT_GROUP
#else
#define WW_SOFT_GROUP __attribute__((reqd_work_group_size(WW_WG, 1, 1)))
#endif
#define WW_SOFT_UNROLL _Pragma("unroll")
WW_INLINE float ww_soft_cost(float x, float y) {
    ww_point a, b;
    a.value[0] = x;
    b.value[0] = y;
    return ww_cost(a, b);
}

// A cell's cost in bits, added to `least`.
#define WW_SOFT_ADDED(x, y, least) fma(scale, ww_soft_cost(x, y), least)

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

// R of a strip's last row c[WW_COLS] at least, at most, and in its last column; `products`: it holds P, times 2^-base.
#define WW_SOFT_LAST_ROW(low, high, end)                                                                               \
    if (products) {                                                                                                    \
        uint word = as_uint2(c[0]).y, top = word, bottom = word;                                                       \
        WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {                                                            \
            word = as_uint2(c[r]).y;                                                                                   \
            top = max(top, word);                                                                                      \
            bottom = min(bottom, word);                                                                                \
        }                                                                                                              \
        low = base - ww_wide_exponent(top);                                                                            \
        high = base - ww_wide_exponent(bottom);                                                                        \
        end = base - ww_wide_exponent(word);                                                                           \
    } else {                                                                                                           \
        low = high = end = WW_SOFT_LOG(c[0]);                                                                          \
        WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {                                                            \
            end = WW_SOFT_LOG(c[r]);                                                                                   \
            low = fmin(low, end);                                                                                      \
            high = fmax(high, end);                                                                                    \
        }                                                                                                              \
    }

// Whether products hold a tile of WW_ROWS x `columns` cells. R: `low`, `high` at least and at most and `end` the last of the row
// above, likewise `least`, `most` and `last` of the column to the left, and the corner; `best` the least of all, `cost` the
// greatest of a cell, in bits.
WW_INLINE bool ww_soft_fits(float low, float high, float end, float least, float most, float last, float corner, float best,
                            float cost, float columns) {
    const float room = best + WW_SOFT_SPREAD, along = columns * cost, down = WW_ROWS * cost;
    const bool right = most + along < room || end + down < room, below = high + down < room || last + along < room;
    return cost < 120.0f && fabs(best) < 4194304.0f && ((right && below) || corner + along + down < room);
}
#endif
// Pairs: above[], sum[] of the row above. A row of them, of point x_own: (value, value_sum) to the left, (last, last_sum) above
// that. `note(q, r)` may use the neighbours' (value, value_sum), (up, up_sum), (last, last_sum) and the cell's (next, next_sum).
#define WW_SOFT_PAIRS_ROW(columns, q, x_own, note)                                                                     \
    WW_SOFT_UNROLL for (int r = 0; r < (columns); r++) {                                                               \
        const float up = above[r], up_sum = sum[r];                                                                    \
        /* The lesser's sum, and 2^-|difference| of the other's. */                                                    \
        const float side = ww_exp2(-fabs(value - up)), lesser = fmin(value, up);                                       \
        const float sides = value < up ? fma(up_sum, side, value_sum) : fma(value_sum, side, up_sum);                  \
        const float other = ww_exp2(-fabs(lesser - last)), least = fmin(lesser, last);                                 \
        const float next_sum = lesser < last ? fma(last_sum, other, sides) : fma(sides, other, last_sum);              \
        const float next = fmin(WW_SOFT_ADDED(x_own, b[r], least), WW_SOFT_FAR);                                       \
        note(q, r)                                                                                                     \
        value = next;                                                                                                  \
        value_sum = next_sum;                                                                                          \
        last = up;                                                                                                     \
        last_sum = up_sum;                                                                                             \
        above[r] = value;                                                                                              \
        sum[r] = value_sum;                                                                                            \
    }
// All rows of a tile: v[] of the column to the left, whose sums are 1. `first(q)` is R above and left of row q.
#define WW_SOFT_PAIRS(columns, first, note, after)                                                                     \
    /* Else differences of points, which both ways take, are computed before the branch and kept in registers. */      \
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)                                                                   \
        ww_rename(x[q]);                                                                                               \
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {                                                                 \
        float last = first(q), last_sum = 1, value = v[q], value_sum = 1;                                              \
        corner = value;                                                                                                \
        WW_SOFT_PAIRS_ROW(columns, q, x[q], note)                                                                      \
        after(q)                                                                                                       \
    }
