// SPDX-License-Identifier: Apache-2.0
// A pair's band: row i has the cells of columns [lo, hi); both ends never decrease with i. The same intervals as in
// src/measure/band.c: tests/unit/test_band_kernel.c compares the two for many lengths. WWK_BAND_TABLE: `band`
// holds, for each pair of ranks, where its rows begin; then (lo, hi) for each row. WWK_BAND_DIAGONAL: about the diagonal,
// args.band_width columns to each side; with WW_LAUNCH_CORNER, as many more below or beside it as the lengths differ.
//   WWK_BAND_SLANTED: `band` holds the thickness by the rank of the shorter series: of the args.band_width different
//              lengths of rows, then of columns.
// ww_band_lo, ww_band_hi: the interval of row i < n. ww_band_top: the first row whose interval reaches beyond column c < m;
// ww_band_bottom: the first row whose interval begins at column e or later, n when there is none.

// a - b, or 0. Signed, because the simulator we check races with does not know the saturating difference that LLVM makes of
// the unsigned one; lengths and columns are below 2^31.
WW_INLINE uint ww_less(uint a, uint b) {
    const int rest = (int)a - (int)(b & 0x80000000u ? 0x7fffffffu : b);
    return rest > 0 ? (uint)rest : 0u;
}

#if WW_BAND == WWK_BAND_TABLE
typedef struct {
    __global const uint *rows;
    uint n, m;
} ww_pair_band;

WW_INLINE ww_pair_band ww_band_make(__global const uint *band, uint row_rank, uint column_rank, uint rank_columns,
                               uint band_width, bool corner, uint n, uint m) {
    ww_pair_band b;
    (void)band_width;
    (void)corner;
    b.rows = band + band[(ulong)row_rank * rank_columns + column_rank];
    b.n = n;
    b.m = m;
    return b;
}
WW_INLINE uint ww_band_lo(ww_pair_band b, uint i) {
    return b.rows[2 * (ulong)i];
}
WW_INLINE uint ww_band_hi(ww_pair_band b, uint i) {
    return b.rows[2 * (ulong)i + 1];
}
// The first row whose lower (side 0) or upper end (side 1) is at least `column`.
WW_INLINE uint ww_band_search(ww_pair_band b, uint side, uint column) {
    uint first = 0, end = b.n;
    while (first < end) {
        const uint middle = first + (end - first) / 2;
        if (b.rows[2 * (ulong)middle + side] >= column)
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}
WW_INLINE uint ww_band_top(ww_pair_band b, uint c) {
    return ww_band_search(b, 1, c + 1);
}
WW_INLINE uint ww_band_bottom(ww_pair_band b, uint e) {
    return ww_band_search(b, 0, e);
}

#elif WW_BAND == WWK_BAND_DIAGONAL
typedef struct {
    uint left, right, n, m;  // columns before and after column i that row i has
} ww_pair_band;

WW_INLINE ww_pair_band ww_band_make(__global const uint *band, uint row_rank, uint column_rank, uint rank_columns,
                               uint band_width, bool corner, uint n, uint m) {
    ww_pair_band b;
    (void)band;
    (void)row_rank;
    (void)column_rank;
    (void)rank_columns;
    b.left = band_width + (corner && n > m ? n - m : 0);
    b.right = band_width + (corner && m > n ? m - n : 0);
    b.n = n;
    b.m = m;
    return b;
}
WW_INLINE uint ww_band_lo(ww_pair_band b, uint i) {
    return ww_less(i, b.left);
}
WW_INLINE uint ww_band_hi(ww_pair_band b, uint i) {
    return i < b.m && b.m - i > b.right + 1 ? i + b.right + 1 : b.m;
}
WW_INLINE uint ww_band_top(ww_pair_band b, uint c) {
    return min(b.n, ww_less(c, b.right));
}
WW_INLINE uint ww_band_bottom(ww_pair_band b, uint e) {
    return e == 0 ? 0 : b.left >= b.n ? b.n : min(b.n, e + b.left);
}

#elif WW_BAND == WWK_BAND_SLANTED
// The centre line has `steps` steps, one more than the longer series has points, and is at floor(step / steps * size)
// along a series of `size` points.
typedef struct {
    uint n, m, thickness;
    ulong inverse, across;  // of the divisors of a row's ends, and of a column's
} ww_pair_band;

// The largest whole number that is no larger than n / d, given ww_inverse(d). Most products fit 32 bits, of which GPUs
// multiply two in an instruction; the upper half of the inverse is the inverse for these.
WW_INLINE ulong ww_inverse(uint d) {
    return 0xfffffffffffffffful / d;
}
WW_INLINE ulong ww_divide(ulong n, uint d, ulong inverse) {
    if (n >> 32 == 0) {
        const uint low = (uint)n, below_low = mul_hi(low, (uint)(inverse >> 32));
        return (ulong)(low - below_low * d >= d ? below_low + 1 : below_low);
    }
    const ulong below = mul_hi(n, inverse);
    return n - below * d >= d ? below + 1 : below;
}

// The centre where step * size / steps is the whole number q > 0. band.c computes it in double: the quotient is rounded, and
// where that was down, the product may be rounded to q or fall below it. Here the same in whole numbers. With
// a/b = step/steps in [2^-t, 2^(1-t)) the rounded quotient is short of a/b by rest / (b * 2^(52+t)).
WW_INLINE uint ww_centre_whole(uint step, uint steps, uint size, uint q) {
    if (steps >> 26)
        return q;
    const uint t = clz(step) - clz(steps) + ((ulong)step << (clz(step) - clz(steps)) < steps);
    ulong rest = step;
    for (uint left = 52 + t; left;) {
        const uint shift = min(left, 32u);
        rest = (rest << shift) % (2 * (ulong)steps);
        left -= shift;
    }
    const bool odd = rest >= steps;
    rest -= odd ? steps : 0;
    if (rest == 0 || 2 * rest > steps || (2 * rest == steps && odd))
        return q;
    // Half the distance from q to the double below it: half as much where q is a power of two.
    const uint half_step = 31 - clz(q) + t - ((q & (q - 1)) == 0);
    return 2 * rest * size <= (ulong)steps << half_step ? q : q - 1;
}
// Position of the line at a step < steps; `inverse` of steps.
WW_INLINE uint ww_centre(uint step, uint steps, uint size, ulong inverse) {
    const ulong product = (ulong)step * size;
    const uint q = (uint)ww_divide(product, steps, inverse);
    return q && (ulong)q * steps == product ? ww_centre_whole(step, steps, size, q) : q;
}
// The first step at which the line is at `at` or beyond; `inverse` of size. Not below `steps` where it never is.
WW_INLINE uint ww_centre_reaches(uint at, uint steps, uint size, ulong inverse) {
    const ulong product = (ulong)at * steps;
    const uint step = (uint)ww_divide(product, size, inverse);
    if ((ulong)step * size != product)
        return step + 1;
    return at && step < steps && ww_centre_whole(step, steps, size, at) < at ? step + 1 : step;
}

WW_INLINE ww_pair_band ww_band_make(__global const uint *band, uint row_rank, uint column_rank, uint rank_columns,
                               uint band_width, bool corner, uint n, uint m) {
    ww_pair_band b;
    (void)rank_columns;
    (void)corner;
    b.thickness = n <= m ? band[row_rank] : band[band_width + column_rank];
    b.n = n;
    b.m = m;
    b.inverse = ww_inverse(n <= m ? n : n + 1);
    b.across = ww_inverse(n <= m ? m + 1 : m);
    return b;
}
WW_INLINE uint ww_band_lo(ww_pair_band b, uint i) {
    if (b.n <= b.m) {
        const uint step = i > b.thickness ? ww_centre_reaches(i - b.thickness, b.m + 1, b.n, b.inverse) : 0;
        return step ? step - 1 : 0;
    }
    const uint centre = i ? ww_centre(i + 1, b.n + 1, b.m, b.inverse) : 0;
    return ww_less(centre, b.thickness);
}
WW_INLINE uint ww_band_hi(ww_pair_band b, uint i) {
    if (b.n <= b.m)
        return min(b.m, max(ww_centre_reaches(i + b.thickness + 1, b.m + 1, b.n, b.inverse) - 1, 1u));
    return min(b.m, ww_centre(i + 1, b.n + 1, b.m, b.inverse) + b.thickness + 1);
}
WW_INLINE uint ww_band_top(ww_pair_band b, uint c) {
    if (b.n <= b.m) {
        const uint centre = ww_centre(c + 1, b.m + 1, b.n, b.across);
        return ww_less(centre, b.thickness);
    }
    const uint step = c > b.thickness ? ww_centre_reaches(c - b.thickness, b.n + 1, b.m, b.across) : 0;
    return step ? min(b.n, step - 1) : 0;
}
WW_INLINE uint ww_band_bottom(ww_pair_band b, uint e) {
    if (e == 0)
        return 0;
    if (b.n <= b.m)
        return min(b.n, ww_centre(e, b.m + 1, b.n, b.across) + b.thickness + 1);
    return min(b.n, ww_centre_reaches(e + b.thickness, b.n + 1, b.m, b.across) - 1);
}

// The intervals of one row after another, without divisions: the quotients that a row's ends come from, and what is left of
// them. Where nothing is left of one, it has to be looked at (ww_centre_whole()).
typedef struct {
    uint divisor, steps, more;  // a row farther, a quotient is `steps` and more / divisor greater
    int lo, hi, beside;
    uint lo_rest, hi_rest;
} ww_band_walk;

// Quotient and rest of count * factor; of a count below 0 the quotient is rounded down, too.
WW_INLINE int ww_band_quotient(int count, uint factor, uint divisor, ulong inverse, uint *rest) {
    const ulong product = (ulong)(uint)abs(count) * factor;
    const uint below = (uint)ww_divide(product, divisor, inverse), left = (uint)(product - (ulong)below * divisor);
    *rest = count < 0 && left ? divisor - left : left;
    return count < 0 ? -(int)below - (left != 0) : (int)below;
}
// From row i on, which may be a padding row.
WW_INLINE ww_band_walk ww_band_walk_from(ww_pair_band b, int i) {
    ww_band_walk w;
    const bool wide = b.n <= b.m;
    const int thickness = (int)b.thickness;
    const uint factor = wide ? b.m + 1 : b.m;
    w.divisor = wide ? b.n : b.n + 1;
    w.steps = (uint)ww_divide(factor, w.divisor, b.inverse);
    w.more = factor - w.steps * w.divisor;
    w.beside = wide ? 0 : thickness;
    w.lo = ww_band_quotient(wide ? i - thickness : i + 1, factor, w.divisor, b.inverse, &w.lo_rest);
    w.hi = ww_band_quotient(wide ? i + thickness + 1 : i + 1, factor, w.divisor, b.inverse, &w.hi_rest) + (wide ? 0 : 1);
    return w;
}
WW_INLINE ww_band_walk ww_band_walk_on(ww_band_walk w) {
    w.lo_rest += w.more;
    w.hi_rest += w.more;
    w.lo += (int)w.steps + (w.lo_rest >= w.divisor);
    w.hi += (int)w.steps + (w.hi_rest >= w.divisor);
    w.lo_rest -= w.lo_rest >= w.divisor ? w.divisor : 0;
    w.hi_rest -= w.hi_rest >= w.divisor ? w.divisor : 0;
    return w;
}
// Of the walk's row, where both rests are above 0.
#define WW_BAND_WALK_LO(w) max((w).lo - (w).beside, 0)
#define WW_BAND_WALK_HI(w, m) min((int)(m), max((w).hi + (w).beside, 1))
#endif

// The band of series x and y. A macro, because `args` is a variable of the kernel.
#define WW_BAND_OF(x, y)                                                                                               \
    ww_band_make(band, (x).rank - args.rank_row_base, (y).rank - args.rank_column_base, args.rank_columns,            \
                 args.band_width, (args.flags & WW_LAUNCH_CORNER) != 0, (x).length, (y).length)
