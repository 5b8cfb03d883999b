// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs (packed_items.cl): what is special at the edges of a matrix: bands, padding rows and last
// columns that pass values on (open ends, soft minima). No kernel is here; the macros are parts of it.
//
// Tried, not taken: strips that begin at the band's first row: 10 % fewer instructions, no faster (more code).
//
// A strip walks the row-steps [from_row, to_row) that have cells of the band in it, in any pair of the pack. Those in
// [calm_from, calm_to) are inside it with all their cells, in all pairs, and contain nothing else that is special: they
// take the plain sweep (those that do not fill a step, one row at a time); a soft minimum without a band has one sweep for
// all. The others go by blocks of 8 columns: outside for a pair (which computes nothing), or masked. A sweep without masks
// for blocks inside would be faster by itself, but with it the instruction cache does not hold the code. Row-steps are
// counted in rows of the pack. Where all pairs of a pack have the same lengths ("even") every work-item finds a strip's
// limits by itself; else they are compared in local memory.
#define WW_WHOLE_BLOCKS 1
#define WW_EDGED (WW_BAND || WW_OPEN)

// Rows of a step at the edges: fewer than elsewhere waste fewer cells, and their code stays in the instruction cache.
#if WW_BAND
#ifndef WW_EDGE_ROWS
#define WW_EDGE_ROWS (WW_ROWS < 4 ? WW_ROWS : 4)
#endif
#define WW_STEP step_rows
#else
#define WW_EDGE_ROWS WW_ROWS
#endif

// What is special in the rows up to the second one (padding rows, and no point before) is behind a branch that no other
// row-step takes: as selections it would cost 2 or 3 % of all row-steps. Elements are structs of reals.
#if WW_ELEMENTS && !WW_BAND && !WW_OPEN
#define WW_ROW_TIME(q) (real)1
#define WW_FIRST_ELEMENTS(points)                                                                                      \
    if (i < 1) {                                                                                                       \
        _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                          \
            e[q] = ww_row_make(points[q], WW_POINT_BEFORE(points, q), (real)(i + q));                                  \
            _Pragma("unroll") for (uint k = 0; k < sizeof(ww_row) / sizeof(real); k++)                                 \
                ww_rename(((real *)&e[q])[k]);                                                                         \
        }                                                                                                              \
    }
#endif
#if WW_CORNER && !WW_BAND && !WW_OPEN
#define WW_AT_CORNER(q, value) (value)
#define WW_ITEM_AT_CORNER                                                                                              \
    if (at_border && i <= 0) {                                                                                         \
        _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                          \
            d[q] = i + q == 0 ? (real)0 : d[q];                                                                        \
            ww_rename(d[q]);                                                                                           \
        }                                                                                                              \
    }
#else
#define WW_ITEM_AT_CORNER
#endif
#define WW_AS_IT_IS(value, a, b) (value)
#define WW_FAR_LEFT (-0x7fffffff)
#define WW_FAR_RIGHT 0x7fffffff

// Least or largest of a value of all pairs of the pack: two of each at a time.
#define WW_ITEM_COMPARE(least_a, most_b, least_c, most_d)                                                              \
    {                                                                                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        if (lane < 4)                                                                                                  \
            compared[lane] = lane & 1 ? WW_FAR_LEFT : WW_FAR_RIGHT;                                                    \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        atomic_min(&compared[0], least_a);                                                                             \
        atomic_max(&compared[1], most_b);                                                                              \
        atomic_min(&compared[2], least_c);                                                                             \
        atomic_max(&compared[3], most_d);                                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        least_a = compared[0];                                                                                         \
        most_b = compared[1];                                                                                          \
        least_c = compared[2];                                                                                         \
        most_d = compared[3];                                                                                          \
    }

// ---- once a pair

#if WW_EDGED
#define WW_ITEM_LENGTHS                                                                                                \
    int least_n = (int)n, most_n = (int)n, least_m = (int)m, most_m = (int)m;                                          \
    WW_ITEM_COMPARE(least_n, most_n, least_m, most_m)                                                                  \
    /* Row-steps with padding rows in some pair, which pass on the row above. */                                       \
    const int padded = WW_TRANSPARENT ? ((int)rows - least_n + WW_ROWS - 1) / WW_ROWS * WW_ROWS : 0;
#else
#define WW_ITEM_LENGTHS
#endif
#if WW_BAND
#define WW_ITEM_PAIR                                                                                                   \
    WW_ITEM_LENGTHS                                                                                                    \
    const bool even = least_n == most_n && least_m == most_m;                                                          \
    const ww_pair_band limits = WW_BAND_OF(x, y);                                                                      \
    uint from_before = 0, to_before = 0;
#else
#define WW_ITEM_PAIR WW_ITEM_LENGTHS
#endif

// ---- once a strip

#if WW_OPEN
#define WW_ITEM_HAS_END (least_m < (int)(first_column + WW_COLS))
#else
#define WW_ITEM_HAS_END false
#endif
#if WW_BAND
// A number of rows in whole steps of the edges.
#define WW_DOWN(count) ((count) / WW_EDGE_ROWS * WW_EDGE_ROWS)
#define WW_UP(count) WW_DOWN((count) + WW_EDGE_ROWS - 1)
#define WW_ITEM_STRIP                                                                                                  \
    int from_least, to_most, calm_from, calm_to;                                                                       \
    {                                                                                                                  \
        const bool here = m > first_column;                                                                            \
        const uint own = rows - n, begin = min(first_column, m - 1), end = min(first_column + WW_COLS, m);             \
        const uint all = ww_band_top(limits, end - 1);                                                                 \
        from_least = here ? (int)WW_DOWN(ww_band_top(limits, begin) + own) : WW_FAR_RIGHT;                             \
        to_most = here ? (int)WW_UP(ww_band_bottom(limits, end) + own) : 0;                                            \
        calm_from = here ? (int)(all ? WW_UP(all + own) : WW_DOWN(own)) : 0;                                           \
        calm_to = here ? (int)WW_DOWN(ww_band_bottom(limits, begin + 1) + own) : WW_FAR_RIGHT;                         \
        if (!even)                                                                                                     \
            WW_ITEM_COMPARE(from_least, to_most, calm_to, calm_from)                                                   \
        calm_from = max(calm_from, padded);                                                                            \
        if (WW_ITEM_HAS_END || calm_to < calm_from)                                                                    \
            calm_from = calm_to = to_most;                                                                             \
    }                                                                                                                  \
    const uint from_row = (uint)from_least, to_row = (uint)to_most;                                                    \
    const bool reached_corner = first_column && from_row > from_before;                                                \
    /* Below the end of the strip before is the outside. */                                                            \
    if (first_column)                                                                                                  \
        for (uint step = max(to_before, from_row); step < to_row; step++)                                              \
            edges[(ulong)step * WW_PACK] = WW_OUTSIDE;                                                                 \
    from_before = from_row;                                                                                            \
    to_before = to_row;
// The border above the columns that row 0 has not.
#define WW_ITEM_CLIP_TOP                                                                                               \
    const int first_end = (int)ww_band_hi(limits, 0) - (int)first_column;                                              \
    _Pragma("unroll") for (int r = 0; r < WW_COLS; r++)                                                                \
        c[r] = r < first_end ? c[r] : WW_OUTSIDE;
#else
#define WW_ITEM_STRIP                                                                                                  \
    const uint from_row = 0, to_row = rows;                                                                            \
    const bool reached_corner = false;
#define WW_ITEM_CLIP_TOP
#endif

// ---- once a row-step

#define WW_ITEM_CALM_SWEEP                                                                                             \
    {                                                                                                                  \
        WW_DIAGONALS(WW_STEP)                                                                                          \
        WW_SWEEP_OF(WW_STEP, 0, WW_COLS, WW_NEW_DIAGONAL, WW_AS_IT_IS, WW_AS_IT_IS, WW_AS_IT_IS)                       \
    }
// A sweep with row elements of its own, which have the same values (ww_rename()). They are structs of reals.
#define WW_ITEM_APART(sweep)                                                                                           \
    {                                                                                                                  \
        ww_row same[WW_STEP];                                                                                          \
        _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) same[q] = e[q];                                            \
        {                                                                                                              \
            ww_row e[WW_STEP];                                                                                         \
            _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                      \
                e[q] = same[q];                                                                                        \
                _Pragma("unroll") for (uint k = 0; k < sizeof(ww_row) / sizeof(real); k++)                             \
                    ww_rename(((real *)&e[q])[k]);                                                                     \
            }                                                                                                          \
            sweep                                                                                                      \
        }                                                                                                              \
    }
#if WW_BAND
#define WW_BLOCK_COLS 8
#if WW_COLS % WW_BLOCK_COLS
#error "with a band WW_COLS is a multiple of 8"
#endif

#if WW_BAND == 2
// A mask has all bits or none.
#if WWK_DOUBLE
#define WW_ITEM_MASKED(value, mask) ((mask) ? (value) : WW_OUTSIDE)
#else
#define WW_ITEM_MASKED(value, mask) bitselect(WW_OUTSIDE, value, as_float((int)(mask)))
#endif
// Along a diagonal all cells are inside or all outside: a mask for each diagonal of a block. A padding row needs one of
// its own where its values are not the outside.
// Columns before first_lo and from last_hi on have no cell of the band. What lies behind the last column is inside.
#define WW_ITEM_ROW_LIMITS                                                                                             \
    const int along_left = (int)first_column - i + (int)min(limits.left, limits.n);                                    \
    const uint span = min(limits.left, limits.n) + min(limits.right, limits.m);                                        \
    const int end_of_last = i < 0 ? WW_FAR_RIGHT : (int)ww_band_hi(limits, (uint)(i + WW_STEP - 1));                   \
    const int first_lo = i < 0 ? 0 : (int)ww_band_lo(limits, (uint)i);                                                 \
    const int last_hi = end_of_last >= (int)limits.m ? WW_FAR_RIGHT : end_of_last;
#define WW_ITEM_MASKS(from)                                                                                            \
    int mask[WW_BLOCK_COLS + WW_STEP - 1];                                                                             \
    _Pragma("unroll") for (int k = 0; k < WW_BLOCK_COLS + WW_STEP - 1; k++)                                            \
        mask[k] = (uint)(along_left + (from) + k - WW_STEP + 1) <= span ? -1 : 0;
#if WW_CORNER || WW_BORDERS
#define WW_ITEM_PADDING_MASK(q) | ((i + (q)) >> 31)
#else
#define WW_ITEM_PADDING_MASK(q)
#endif
#define WW_ITEM_KEEP(value, q, r)                                                                                      \
    WW_ITEM_MASKED(value, mask[(r) - (q) + WW_STEP - 1 - WW_BLOCK_COLS * block] WW_ITEM_PADDING_MASK(q))
#else
// A bit a column of the strip for each row.
#if WW_COLS > 32
#error "bands that are not along the diagonal take a word of bits"
#endif
WW_INLINE uint ww_item_below(int column, uint first_column) {
    const int count = clamp(column - (int)first_column, 0, 32);
    return count > 31 ? 0xffffffffu : (1u << count) - 1;
}
#if WW_BAND == 3
#define WW_ITEM_ROWS_BEGIN                                                                                             \
    ww_band_walk walk = ww_band_walk_from(limits, i);                                                                  \
    (void)walk; /* of no use in calm rows */
#define WW_ITEM_ROW_ENDS                                                                                               \
    bool exact = true;                                                                                                 \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                              \
        exact = exact && walk.lo_rest && walk.hi_rest;                                                                 \
        row_lo[q] = WW_BAND_WALK_LO(walk);                                                                             \
        row_hi[q] = WW_BAND_WALK_HI(walk, limits.m);                                                                   \
        walk = ww_band_walk_on(walk);                                                                                  \
    }                                                                                                                  \
    if (!exact) {                                                                                                      \
        _Pragma("unroll 1") for (int row = max(i, 0); row < i + WW_STEP; row++) {                                      \
            const int lo = (int)ww_band_lo(limits, (uint)row), hi = (int)ww_band_hi(limits, (uint)row);                \
            _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                      \
                row_lo[q] = i + q == row ? lo : row_lo[q];                                                             \
                row_hi[q] = i + q == row ? hi : row_hi[q];                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#else
#define WW_ITEM_ROW_ENDS                                                                                               \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                              \
        row_lo[q] = (int)ww_band_lo(limits, (uint)max(i + q, 0));                                                      \
        row_hi[q] = (int)ww_band_hi(limits, (uint)max(i + q, 0));                                                      \
    }
#endif
// A padding row has all columns, and so has what lies behind the last one.
#define WW_ITEM_ROW_LIMITS                                                                                             \
    int row_lo[WW_STEP], row_hi[WW_STEP];                                                                              \
    uint bits[WW_STEP];                                                                                                \
    WW_ITEM_ROW_ENDS                                                                                                   \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                              \
        row_lo[q] = i + q < 0 ? 0 : row_lo[q];                                                                         \
        row_hi[q] = i + q < 0 || row_hi[q] >= (int)limits.m ? WW_FAR_RIGHT : row_hi[q];                                \
        bits[q] = ww_item_below(row_hi[q], first_column) & ~ww_item_below(row_lo[q], first_column);                    \
    }                                                                                                                  \
    const int first_lo = row_lo[0], last_hi = row_hi[WW_STEP - 1];
#define WW_ITEM_MASKS(from)
#define WW_ITEM_KEEP(value, q, r) (bits[q] & 1u << (r) ? (value) : WW_OUTSIDE)
#endif
#if WW_DIAGONAL == 1
#define WW_ITEM_ALL_DIAGONALS                                                                                          \
    _Pragma("unroll") for (int r = 0; r < WW_COLS + WW_STEP; r++)                                                      \
        along[r] = ww_diagonal(shift + (real)(r - WW_COLS), lengths);
#else
#define WW_ITEM_ALL_DIAGONALS
#endif
#define WW_ITEM_OLD_DIAGONAL(q, r)
#if WW_CARRY
#define WW_ITEM_NO_CARRY(q) g[q] = WW_OUTSIDE;
#else
#define WW_ITEM_NO_CARRY(q)
#endif
// A block outside: its right-hand edge is what is outside, but for the row above.
#define WW_ITEM_SKIP(from)                                                                                             \
    {                                                                                                                  \
        const real up = c[(from) + WW_BLOCK_COLS - 1];                                                                 \
        (void)up;                                                                                                      \
        d[0] = WW_ABOVE(0, (from) + WW_BLOCK_COLS - 1);                                                                \
    }                                                                                                                  \
    _Pragma("unroll") for (int r = WW_OPEN ? (from) : (from) + WW_BLOCK_COLS - 1; r < (from) + WW_BLOCK_COLS; r++)     \
        c[r] = WW_OUTSIDE;                                                                                             \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                              \
        v[q] = WW_OUTSIDE;                                                                                             \
        d[q] = q ? WW_OUTSIDE : d[q];                                                                                  \
        WW_ITEM_NO_CARRY(q)                                                                                            \
    }
#define WW_ITEM_EDGE_SWEEP                                                                                             \
    {                                                                                                                  \
        WW_DIAGONALS(WW_STEP)                                                                                          \
        WW_ITEM_ALL_DIAGONALS                                                                                          \
        WW_ITEM_ROW_LIMITS                                                                                             \
        _Pragma("unroll") for (int block = 0; block < WW_COLS / WW_BLOCK_COLS; block++) {                              \
            const int at = (int)first_column + WW_BLOCK_COLS * block;                                                  \
            if (m <= first_column || at + WW_BLOCK_COLS <= first_lo || at >= last_hi) {                                \
                WW_ITEM_SKIP(WW_BLOCK_COLS * block)                                                                    \
            } else {                                                                                                   \
                WW_ITEM_MASKS(WW_BLOCK_COLS * block)                                                                   \
                WW_SWEEP_OF(WW_STEP, WW_BLOCK_COLS * block, WW_BLOCK_COLS * (block + 1), WW_ITEM_OLD_DIAGONAL,         \
                            WW_ITEM_KEEP, WW_PASS_COLUMN, WW_PASS_ROW)                                                 \
            }                                                                                                          \
        }                                                                                                              \
        /* A padding row is not masked: in it the border went on to the right. */                                      \
        if (WW_BORDERS && i + WW_STEP <= 0) {                                                                          \
            WW_ITEM_CLIP_TOP                                                                                           \
        }                                                                                                              \
    }
// Above the calm row-steps, these, and below them.
#define WW_ITEM_STRIP_STEPS                                                                                            \
    _Pragma("unroll 1") for (int phase = 0; phase < 3; phase++) {                                                      \
        if (phase == 1) {                                                                                              \
            const uint whole = (uint)calm_from + (uint)(calm_to - calm_from) / WW_ROWS * WW_ROWS;                      \
            {                                                                                                          \
                enum { step_rows = WW_ROWS };                                                                          \
                WW_ITEM_STEPS((uint)calm_from, whole, WW_ITEM_CALM_SWEEP)                                              \
            }                                                                                                          \
            {                                                                                                          \
                enum { step_rows = 1 };                                                                                \
                WW_ITEM_STEPS(whole, (uint)calm_to, WW_ITEM_CALM_SWEEP)                                                \
            }                                                                                                          \
        } else {                                                                                                       \
            enum { step_rows = WW_EDGE_ROWS };                                                                         \
            const uint begin_row = phase ? (uint)calm_to : from_row, end_row = phase ? to_row : (uint)calm_from;       \
            WW_ITEM_STEPS(begin_row, end_row, WW_ITEM_EDGE_SWEEP)                                                      \
        }                                                                                                              \
    }
#elif WW_OPEN
#define WW_ITEM_ONE_SWEEP                                                                                                  \
    if ((int)step >= padded && !WW_ITEM_HAS_END)                                                                       \
        WW_ITEM_CALM_SWEEP                                                                                             \
    else                                                                                                               \
        WW_ITEM_APART(WW_SWEEP(WW_STEP))
#else
#define WW_ITEM_ONE_SWEEP WW_SWEEP(WW_STEP)
#endif
#if !WW_BAND
#define WW_ITEM_STRIP_STEPS WW_ITEM_STEPS(0, rows, WW_ITEM_ONE_SWEEP)
#endif

// Left of the strip: `edges` has the values of the strip before, or the border. What goes on along the diagonal from
// there is carried, but for the border; that no row-step asks for each row which it is, it is behind a branch.
#if WW_CARRY
#define WW_ITEM_CARRY_LEFT                                                                                             \
    WW_CARRIES                                                                                                         \
    if (!at_border) {                                                                                                  \
        d[0] = reached ? WW_FROM_LEFT(d[0], above, 0) : d[0];                                                          \
        ww_rename(d[0]);                                                                                               \
        _Pragma("unroll") for (int q = 1; q < WW_STEP; q++) {                                                          \
            d[q] = WW_FROM_LEFT(l[q - 1], e[q - 1], q);                                                                \
            ww_rename(d[q]);                                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    reached = true;
#else
#define WW_ITEM_CARRY_LEFT
#endif
#define WW_ITEM_LEFT                                                                                                   \
    d[0] = WW_AT_CORNER(0, previous);                                                                                  \
    _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) v[q] = l[q];                                                   \
    _Pragma("unroll") for (int q = 1; q < WW_STEP; q++) d[q] = WW_AT_CORNER(q, l[q - 1]);                              \
    WW_ITEM_CARRY_LEFT                                                                                                 \
    WW_ITEM_AT_CORNER
#if WW_OPEN
#define WW_ITEM_ENDS(last_step) WW_TAKE_ENDS(m > first_column && m <= first_column + WW_COLS, last_step)
#else
#define WW_ITEM_ENDS(last_step)
#endif
#ifndef WW_ITEM_ROWS_BEGIN
#define WW_ITEM_ROWS_BEGIN
#endif
#ifndef WW_FETCH_AHEAD
#define WW_FETCH_AHEAD 1
#endif
#define WW_ITEM_FETCH(q, now)                                                                                          \
    if (now)                                                                                                           \
        a[q] = ww_item_point(xa, (uint)(q));
// The row-steps [begin, end) of a strip. What a step needs is fetched while the one before computes; after the last, the
// same once more.
#define WW_ITEM_STEPS(begin, end, sweep)                                                                               \
    if ((begin) < (end)) {                                                                                             \
        real l[WW_STEP], v[WW_STEP];                                                                                   \
        ww_point a[WW_STEP];                                                                                           \
        __global const ww_scalar *restrict xa = xs + (ulong)(begin)*WW_PARTS * WW_PACK;                                \
        __global ww_scalar *ea = edges + (ulong)(begin)*WW_PACK;                                                       \
        int i = (int)n - (int)rows + (int)(begin);                                                                     \
        WW_KEPT_DIAGONALS                                                                                              \
        WW_FILL_DIAGONALS((real)(i - (int)first_column))                                                               \
        WW_ITEM_ROWS_BEGIN                                                                                             \
        _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) {                                                          \
            WW_ITEM_FETCH(q, WW_FETCH_AHEAD)                                                                           \
            l[q] = ea[q * WW_PACK];                                                                                    \
        }                                                                                                              \
        _Pragma("unroll 1") for (uint step = (begin); step < (end); step += WW_STEP) {                                 \
            real d[WW_STEP];                                                                                           \
            _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) WW_ITEM_FETCH(q, !WW_FETCH_AHEAD)                      \
            WW_ROW_ELEMENTS(a)                                                                                         \
            WW_ITEM_LEFT                                                                                               \
            previous = l[WW_STEP - 1];                                                                                 \
            __global ww_scalar *const ew = ea;                                                                         \
            if (step + WW_STEP < (end)) {                                                                              \
                xa += WW_STEP * WW_PARTS * WW_PACK;                                                                    \
                ea += WW_STEP * WW_PACK;                                                                               \
            }                                                                                                          \
            _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) WW_ITEM_FETCH(q, WW_FETCH_AHEAD)                       \
            _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) l[q] = ea[q * WW_PACK];                                \
            sweep                                                                                                      \
            if (more) {                                                                                                \
                _Pragma("unroll") for (int q = 0; q < WW_STEP; q++) ew[q * WW_PACK] = v[q];                            \
            }                                                                                                          \
            WW_ITEM_ENDS(step + WW_STEP == rows)                                                                       \
            i += WW_STEP;                                                                                              \
        }                                                                                                              \
    }
