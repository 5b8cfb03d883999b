// SPDX-License-Identifier: Apache-2.0
// What the engines lanes and strips share: WW_ROWS rows across a block of WW_COLS columns that stands in registers.
#ifndef WW_COLS
#define WW_COLS 16
#endif
#ifndef WW_ROWS
#define WW_ROWS 4
#endif
#if WW_BAND && WW_VECTOR == 1 && WW_COLS > 32
#error "a banded block has at most 32 columns"
#endif

#if WW_ROWS & (WW_ROWS - 1)
#error "WW_ROWS is a power of two"
#endif

// The columns of a block, in registers or read when needed.
#if WW_POINT_REGISTERS
#define WW_COLUMN(r) b[r]
#else
#define WW_COLUMN(r) WW_POINT(y, min(first_column + (r), y.length - 1))
#endif

// `rows` rows across the block. v: in, the left-hand neighbour's values in these rows; out, the last column's. d: the
// values above v. A macro, because arrays handed to a function stay in memory with NVIDIA's compiler. Neighbouring rows
// name the value they share in the same place (`q & 1`), which lets the register file's reuse cache serve it.
#if WW_BAND
#define WW_KEEP(value, q, r) ((inside[q] >> (r)) & 1u ? (value) : WW_OUTSIDE)
#else
#define WW_KEEP(value, q, r) (value)
#endif
#define WW_SWEEP(rows)                                                                                                 \
    _Pragma("unroll") for (int w = 0; w < WW_COLS + (rows)-1; w++) {                                                   \
        _Pragma("unroll") for (int q = (rows)-1; q >= 0; q--) {                                                        \
            const int r = w - q;                                                                                       \
            if (r >= 0 && r < WW_COLS) {                                                                               \
                const real up = q ? v[q - 1] : c[r];                                                                   \
                real value = ww_cell(v[q], up, d[q], e[q], WW_COLUMN(r), q & 1);                                       \
                value = WW_KEEP(value, q, r);                                                                          \
                d[q] = up;                                                                                             \
                v[q] = value;                                                                                          \
                if (q == (rows)-1)                                                                                     \
                    c[r] = value;                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

#if WW_BAND && WW_VECTOR == 1
// One bit a column of the block: set inside row i's interval.
WW_INLINE uint ww_inside(__global const uint *intervals, uint i, uint first_column) {
    const int lo = clamp((int)intervals[2 * i] - (int)first_column, 0, 32);
    const int hi = clamp((int)intervals[2 * i + 1] - (int)first_column, 0, 32);
    const uint below_hi = hi == 32 ? 0xffffffffu : (1u << hi) - 1;
    const uint below_lo = lo == 32 ? 0xffffffffu : (1u << lo) - 1;
    return below_hi & ~below_lo;
}
#endif

// Made-up rows above the first: as many as fill the first row-step.
#define WW_MADE_UP(n) ((int)((0u - (n)) % WW_ROWS))
#if WW_VECTOR == 1
// Row i's point.
WW_INLINE ww_point ww_row_point(ww_series x, int i) {
    ww_point point = WW_POINT(x, (uint)clamp(i, 0, (int)x.length - 1));
#if WW_ROWS > 1
    if (i < 0)
        point = ww_point_infinite();
#endif
    return point;
}
#endif
