// SPDX-License-Identifier: Apache-2.0
// What the engines lanes, strips and packed (items) and the paths of lanes share: rows across a block of WW_COLS columns held
// in registers. No kernel is here. All loops over rows and columns are unrolled: indices are constants.
//
// Tried, not taken: PTX to keep the order of a minimum's operands: DTW 8.87 for 9.02 TCUPS.
#if WW_ROWS & (WW_ROWS - 1)
#error "WW_ROWS is a power of two"
#endif

// The directions of a block's cells are noted, 16 columns a word (path/path_lanes.cl).
#define WW_NOTES (WW_SELECT == WW_SELECT_DIRECTION && WW_VECTOR == 1)
#define WW_NOTE_WORDS ((WW_COLS + 15) / 16)

// A block of columns and the row-step that crosses it (no series: clang would no longer know that they are only read); in a vector (strips_vector.cl) each lane has its own. The order is that
// in which ptxas spills least for WDTW (40 bytes; others up to 520).
typedef struct {
    ww_column beside;               // WW_CARRY: the column left of the block
    real previous;                  // the value above l
    real along[WW_COLS + WW_ROWS];  // WW_DIAGONAL: of the diagonals, WW_COLS + i - j within the block
    ww_pair lengths;
    real d[WW_ROWS];                // the values above v
    real g[WW_ROWS];                // WW_CARRY: what goes on from v along the diagonal
    ww_row e[WW_ROWS];              // the rows
    real l[WW_ROWS];                // the values left of the block
    ww_point last;                  // WW_NEEDS_LAST: the point above the rows
    real c[WW_COLS];                // the values of the row above
    real shift;                     // i - first_column
    ww_ints i;                      // the row-step's first row; below 0: a padding row
    real v[WW_ROWS];                // the values left of the sweep; behind it those of the last column
    ww_ints first_column;           // of the block
    real corner_top;                // WW_BORDERS: the matrix's top border above and left of the block
#if WW_POINT_REGISTERS
    ww_column b[WW_COLS];           // the columns
#else
    ww_series y;                    // where they are read
#endif
    ww_row above;                   // WW_CARRY: the row above the rows
    uint n, m;                      // points of the series
#if WW_VECTOR == 1
    uint inside[WW_ROWS];           // WW_BAND: a bit a column
    int mask[WW_COLS + WW_ROWS];    // WW_CELLS_MASKED: of a diagonal, all bits or none, WW_ROWS - 1 + j - i within the block
#else
    ww_ints lo[WW_ROWS], hi[WW_ROWS];  // WW_BAND: a row's columns
#endif
#if WW_NOTES
    uint noted[WW_NOTE_WORDS * WW_ROWS];
#endif
#if WW_TABLED
    real costs[WW_ROWS][WW_COLS];   // of the row-step
#endif
} ww_block;

// The pair of series of n and m points.
WW_INLINE ww_pair ww_pair_of(const ww_launch_args args, const uint n, const uint m) {
    ww_pair lengths;
    lengths.rows = (real)(ww_scalar)n;
    lengths.columns = (real)(ww_scalar)m;
    WW_SET_PAIR(lengths)
    return lengths;
}
WW_INLINE void ww_set_pair(ww_block *w, const ww_launch_args args, const uint n, const uint m) {
    w->n = n;
    w->m = m;
    w->lengths = ww_pair_of(args, n, m);
}

WW_INLINE ww_column ww_block_column(const ww_block *w, const ww_launch_args args, const int q, const int r) {
#if WW_TABLED
    ww_column y;
    WW_OWN(y) = ww_point_infinite();
    WW_OWN(y).value = w->costs[q][r];
    return y;
#elif WW_POINT_REGISTERS
    return w->b[r];
#else
    return WW_COLUMN_AT(w->y, min((uint)w->first_column + (uint)r, w->y.length - 1));
#endif
}

// The costs of a row-step, four columns at a time: their places are multiples of four. A lane behind the last column has none.
#if WW_TABLED
#if WW_COLS % 4
#error "with a table of costs WW_COLS is a multiple of 4"
#endif
WW_INLINE void ww_bring_costs(ww_block *w, const int rows) {
    const uint first_column = (uint)w->first_column, column = w->y.column + first_column;
#pragma unroll
    for (int q = 0; q < rows; q++) {
        __global const ww_four *at = (__global const ww_four *)(WW_OWN(w->e[q]).at + column);
        const bool here = WW_OWN(w->e[q]).at && first_column < w->m;
#pragma unroll
        for (int r = 0; r < WW_COLS; r += 4) {
            const ww_four four = here ? at[r / 4] : (ww_four)INFINITY;
            w->costs[q][r] = four.s0;
            w->costs[q][r + 1] = four.s1;
            w->costs[q][r + 2] = four.s2;
            w->costs[q][r + 3] = four.s3;
        }
    }
}
#else
WW_INLINE void ww_bring_costs(ww_block *w, const int rows) {}
#endif

// Whether row q is padding; whether column r exists; whether both have a cell inside the band.
#define WW_IS_PADDING(w, q) WW_TO_MASK((w)->i + (q) < 0)
#if WW_VECTOR == 1
#define WW_IS_COLUMN(w, r) ((uint)(w)->first_column + (uint)(r) < (w)->m)
#define WW_IS_INSIDE(w, q, r) ((w)->inside[q] >> (r) & 1u)
#else
#define WW_IS_COLUMN(w, r) WW_TO_MASK((w)->first_column + (r) < (int)(w)->m)
#define WW_IS_INSIDE(w, q, r) WW_TO_MASK(((w)->first_column + (r) >= (w)->lo[q]) & ((w)->first_column + (r) < (w)->hi[q]))
#endif

// i - j, or what ww_diagonal() makes of it. A diagonal's first cell here is in the first column, or in the row above the
// first, which the carries need: at that cell its value is made. With WW_DIAGONAL 2 a row-step keeps those of the one before,
// which move by its rows.
WW_INLINE real ww_along(const ww_block *w, const int q, const int r) {
    return WW_DIAGONAL ? w->along[WW_COLS + q - r] : w->shift + (real)(q - r);
}
WW_INLINE void ww_new_diagonals(ww_block *w, const ww_launch_args args, const int q, const int r) {
#if WW_DIAGONAL == 1
    if (r == 0)
        w->along[WW_COLS + q] = ww_diagonal(w->shift + (real)q, w->lengths);
    if (q == 0)
        w->along[WW_COLS - 1 - r] = ww_diagonal(w->shift - (real)(r + 1), w->lengths);
#endif
}
// ww_move_diagonals(): a row-step's; before a block's first one ww_fill_diagonals() makes those of the one before that. `shift`
// is i - j of the first cell.
#if WW_DIAGONAL == 2
WW_INLINE void ww_move_diagonals(ww_block *w, const ww_launch_args args, const int rows) {
    const ww_pair lengths = w->lengths;
#pragma unroll
    for (int r = 0; r < WW_COLS; r++)
        w->along[r] = w->along[r + rows];
#pragma unroll
    for (int q = 0; q < rows; q++)
        w->along[WW_COLS + q] = ww_diagonal(w->shift + (real)q, lengths);
}
WW_INLINE void ww_fill_diagonals(ww_block *w, const ww_launch_args args, const int rows, const real shift) {
    const ww_pair lengths = w->lengths;
#pragma unroll
    for (int r = rows; r < WW_COLS + rows; r++)
        w->along[r] = ww_diagonal(shift + (real)(r - rows - WW_COLS), lengths);
}
#else
WW_INLINE void ww_move_diagonals(ww_block *w, const ww_launch_args args, const int rows) {}
WW_INLINE void ww_fill_diagonals(ww_block *w, const ww_launch_args args, const int rows, const real shift) {}
#endif

// What a sweep does besides the recurrence: new diagonals; what is outside the band, by a row's columns, or by masks of the
// diagonals; padding rows, and with open ends columns after the last, pass values on, so that D(i,m) is always in v.
enum {
    WW_CELLS_DIAGONAL = 1,
    WW_CELLS_BANDED = 2,
    WW_CELLS_MASKED = 4,
    WW_CELLS_PASS = 8,
    WW_CELLS_ALL = WW_CELLS_DIAGONAL | WW_CELLS_PASS | (WW_BAND ? WW_CELLS_BANDED : 0)
};
#if WW_VECTOR == 1
// A padding row needs a mask of its own where its values are not the outside.
WW_INLINE real ww_masked(const ww_block *w, const real value, const int q, const int r) {
    const int mask = w->mask[WW_ROWS - 1 + r - q] | (WW_CORNER || WW_BORDERS ? (w->i + q) >> 31 : 0);
#if WWK_DOUBLE
    return mask ? value : WW_OUTSIDE;
#else
    return bitselect(WW_OUTSIDE, value, as_float(mask));
#endif
}
#endif

// The value above v[q] behind column r.
WW_INLINE real ww_above(const ww_block *w, const ww_launch_args args, const int q, const int r, const real up,
                        const ww_column column) {
    return !WW_CARRY ? up : q ? w->g[q ? q - 1 : 0] : ww_carry(up, w->above, column, ww_along(w, -1, r));
}

// Row q's cell in column r, which is `column` and has the value `up` above it. Neighbouring rows use the value they share as
// the same operand (`q & 1`), so that it is read from the register file's reuse cache.
WW_INLINE void ww_block_cell(ww_block *w, const ww_launch_args args, const int q, const int r, const real up,
                             const ww_column column, const int what) {
    if (what & WW_CELLS_DIAGONAL)
        ww_new_diagonals(w, args, q, r);
#if WW_NOTES
    ww_direction WW_DIRECTION;
#endif
    real value = WW_CELL(w->v[q], up, w->d[q], w->e[q], column, ww_along(w, q, r), w->lengths, q & 1);
#if WW_NOTES
    w->noted[r / 16 * WW_ROWS + q] = ww_push_direction(w->noted[r / 16 * WW_ROWS + q], WW_DIRECTION);
#endif
    if (what & WW_CELLS_BANDED)
        value = WW_IS_INSIDE(w, q, r) ? value : WW_OUTSIDE;
#if WW_VECTOR == 1
    if (what & WW_CELLS_MASKED)
        value = ww_masked(w, value, q, r);
#endif
    if (WW_OPEN && (what & WW_CELLS_PASS))
        value = WW_IS_COLUMN(w, r) ? value : w->v[q];
    if (WW_TRANSPARENT && (what & WW_CELLS_PASS))
        value = WW_IS_PADDING(w, q) ? up : value;
    w->d[q] = ww_above(w, args, q, r, up, column);
    w->v[q] = value;
    if (WW_CARRY)
        w->g[q] = ww_carry(value, w->e[q], column, ww_along(w, q, r));
}

// `rows` rows across columns [from, to) of the block, each a column behind the row above it.
WW_INLINE void ww_sweep_columns(ww_block *w, const ww_launch_args args, const int rows, const int from, const int to,
                                const int what) {
#pragma unroll
    for (int k = 0; k < to - from + rows - 1; k++) {
#pragma unroll
        for (int q = rows - 1; q >= 0; q--) {
            const int r = k - q + from;
            if (r >= from && r < to) {
                ww_block_cell(w, args, q, r, q ? w->v[q ? q - 1 : 0] : w->c[r], ww_block_column(w, args, q, r), what);
                if (q == rows - 1)
                    w->c[r] = w->v[q];
            }
        }
    }
}
WW_INLINE void ww_sweep(ww_block *w, const ww_launch_args args) {
    ww_bring_costs(w, WW_ROWS);
    ww_move_diagonals(w, args, WW_ROWS);
    ww_sweep_columns(w, args, WW_ROWS, 0, WW_COLS, WW_CELLS_ALL);
}

// The value in the column left of the block, in row q - 1, as it goes on along the diagonal.
WW_INLINE real ww_from_left(const ww_block *w, const ww_launch_args args, const real value, const ww_row row, const int q) {
    const ww_pair lengths = w->lengths;
    (void)lengths;
    return WW_CARRY ? ww_carry(value, row, w->beside, WW_LAG(w->shift + (real)q)) : value;
}

// Padding rows above the first: as many as fill the first row-step.
#define WW_PADDING(n) ((int)((0u - (n)) % WW_ROWS))
// First and end row-step of a block of columns, the padding rows counted.
WW_INLINE uint ww_block_first(ww_pair_band limits, uint block) {
    return block ? (ww_band_top(limits, block * WW_COLS) + (uint)WW_PADDING(limits.n)) / WW_ROWS : 0;
}
WW_INLINE uint ww_block_end(ww_pair_band limits, uint block) {
    const uint bottom = ww_band_bottom(limits, min((block + 1) * WW_COLS, limits.m));
    return (bottom + (uint)WW_PADDING(limits.n) + WW_ROWS - 1) / WW_ROWS;
}

#if WW_VECTOR == 1
#if WW_BAND && WW_COLS > 32 && !(WW_BAND == WWK_BAND_DIAGONAL && defined(WW_PACK))
#error "a banded block has at most 32 columns, but masks of diagonals take any number (items_edges.cl)"
#endif
// One bit a column of the block: set inside row i's interval.
WW_INLINE uint ww_inside(ww_pair_band limits, uint i, uint first_column) {
    const int lo = clamp((int)ww_band_lo(limits, i) - (int)first_column, 0, 32);
    const int hi = clamp((int)ww_band_hi(limits, i) - (int)first_column, 0, 32);
    const uint below_hi = hi == 32 ? 0xffffffffu : (1u << hi) - 1;
    const uint below_lo = lo == 32 ? 0xffffffffu : (1u << lo) - 1;
    return below_hi & ~below_lo;
}
WW_INLINE void ww_find_inside(ww_block *w, ww_pair_band limits) {
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        if (WW_BAND)
            w->inside[q] = ww_inside(limits, (uint)max(w->i + q, 0), (uint)w->first_column);
}

// Row i's point.
WW_INLINE ww_point ww_row_point(ww_series x, int i) {
    ww_point point = WW_POINT(x, (uint)clamp(i, 0, (int)x.length - 1));
#if WW_ROWS > 1
    if (i < 0)
        point = ww_point_infinite();
#endif
    return point;
}

// The block that begins at `first_column`: its columns, and what is left of them.
WW_INLINE void ww_load_columns(ww_block *w, const ww_launch_args args, const ww_series y) {
#if WW_POINT_REGISTERS
    const uint first_column = (uint)w->first_column;
#pragma unroll
    for (uint r = 0; r < WW_COLS; r++)
        w->b[r] = WW_COLUMN_AT(y, min(first_column + r, y.length - 1));
#else
    w->y = y;
#endif
}
WW_INLINE void ww_load_beside(ww_block *w, const ww_launch_args args, const ww_series y) {
    const uint before = w->first_column ? (uint)w->first_column - 1 : 0;
    if (WW_CARRY)
        w->beside = WW_COLUMN_AT(y, min(before, y.length - 1));
}

// D(0,j+1), for a column j that may be behind the last.
WW_INLINE real ww_top_at(ww_series y, uint j, ww_pair lengths, const ww_launch_args args) {
    return ww_border_top(WW_POINT(y, min(j, y.length - 1)), (real)j, lengths);
}
// The row above the block: the matrix's border, or outside the band (not `at_top`).
WW_INLINE void ww_load_top(ww_block *w, const ww_launch_args args, const ww_series y, const bool at_top) {
    const uint first_column = (uint)w->first_column;
    if (WW_BORDERS)
        w->corner_top = ww_top_at(y, first_column ? first_column - 1 : 0, w->lengths, args);
#pragma unroll
    for (uint r = 0; r < WW_COLS; r++) {
#if WW_TOP_NEXT && WW_POINT_REGISTERS
        const real top = r ? ww_top_next(w->c[r ? r - 1 : 0], w->b[r]) : ww_top_at(y, first_column, w->lengths, args);
#else
        const real top = WW_BORDERS ? ww_top_at(y, first_column + r, w->lengths, args) : WW_BORDER;
#endif
        w->c[r] = !WW_BORDERS || at_top ? top : WW_OUTSIDE;
    }
}

// The elements of a row-step's rows. Those of rows before the second one are special; `later`: there are none.
WW_INLINE void ww_make_rows(ww_block *w, const ww_launch_args args, const int rows, const ww_point *points,
                            const bool later) {
#pragma unroll
    for (int q = 0; q < rows; q++) {
        const ww_point before = !WW_BEFORE ? points[q] : q ? points[q ? q - 1 : 0] : w->last;
        w->e[q] = ww_row_make(points[q], before, later ? (real)1 : (real)(w->i + q));
    }
}
// What else a row-step needs; the last point is kept for the next one.
WW_INLINE void ww_enter_rows(ww_block *w, const ww_launch_args args, const int rows, const ww_point *points) {
    w->shift = (real)(w->i - w->first_column);
    if (WW_CARRY)
        w->above = ww_row_make(w->last, w->last, (real)(w->i - 1));
    if (WW_NEEDS_LAST)
        w->last = points[rows - 1];
}
WW_INLINE void ww_load_rows(ww_block *w, const ww_launch_args args, const ww_point *points) {
    ww_make_rows(w, args, WW_ROWS, points, false);
    ww_enter_rows(w, args, WW_ROWS, points);
}

// The left edge of a row-step: v and d from the neighbour's values l and `previous` where it was inside its block
// (`known`, and `reached` for the row above), else from the matrix's border (`at_border`) or the outside. With WW_BORDERS
// the border's value is kept for the next row-step in place of a neighbour's value. D(0,0) is above and left of row 0.
WW_INLINE real ww_edge_border(const ww_block *w, const ww_launch_args args, const int q) {
    return w->i + q < 0 ? (WW_CORNER ? WW_OUTSIDE : (real)0) : ww_border_left(w->e[q], (real)(w->i + q), w->lengths);
}
WW_INLINE real ww_edge_corner(const ww_block *w) {
    if (WW_CORNER ? w->i == 0 : w->i <= 0)
        return (real)0;
    return !WW_BORDERS ? WW_BORDER : w->i < 0 ? WW_OUTSIDE : w->previous;
}
WW_INLINE real ww_edge_top(const ww_block *w) {
    if (WW_BORDERS)
        return w->i < 0 ? WW_OUTSIDE : w->i == 0 ? w->corner_top : WW_OUTSIDE;
    return w->i <= 0 ? WW_BORDER : WW_OUTSIDE;
}
WW_INLINE void ww_edge(ww_block *w, const ww_launch_args args, const bool at_border, const bool known,
                       const bool reached) {
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        w->v[q] = at_border ? ww_edge_border(w, args, q) : known ? w->l[q] : WW_OUTSIDE;
    w->d[0] = at_border ? ww_edge_corner(w)
              : reached ? ww_from_left(w, args, w->previous, w->above, 0)
                        : ww_edge_top(w);
    if (WW_BORDERS)
        w->l[WW_ROWS - 1] = at_border ? w->v[WW_ROWS - 1] : w->l[WW_ROWS - 1];
#pragma unroll
    for (int q = 1; q < WW_ROWS; q++) {
        const real left = ww_from_left(w, args, w->v[q - 1], w->e[q - 1], q);
        w->d[q] = WW_CORNER && at_border && w->i + q == 0 ? (real)0 : left;
    }
}

// A lane's v is its right-hand neighbour's l, and *also, unless that is 0, is replaced likewise; the group's first lane has
// what its last one has (`round`), or anything. Without an exchange through `passed`, local memory in two halves that take turns.
#define WW_PASSED(items, more) (WW_EXCHANGE ? 1 : 2 * (WW_ROWS + (more)) * (items))
WW_INLINE void ww_pass_right(ww_block *w, real *also, __local ww_scalar *passed, const uint turn, const uint items,
                             const uint lid, const uint lane, const uint width, const bool round) {
#if WW_EXCHANGE == WWK_EXCHANGE_LOCAL
    __local ww_scalar *edge = passed + turn * (WW_ROWS + (also ? 1 : 0)) * items;
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        edge[q * items + lid] = w->v[q];
    if (also)
        edge[WW_ROWS * items + lid] = *also;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint from = (lid & ~(width - 1)) | ((lane - 1) & (width - 1));
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        w->l[q] = edge[q * items + from];
    if (also)
        *also = edge[WW_ROWS * items + from];
#else
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        w->l[q] = round ? ww_exchange_rotate(w->v[q], width) : ww_exchange_up(w->v[q], width);
    if (also)
        *also = round ? ww_exchange_rotate(*also, width) : ww_exchange_up(*also, width);
#endif
}

// The best of `best` and of what a block has of the ends after a row-step. v holds the values of column m where the block has
// it (`has_column`), c those of row n after the last row-step.
WW_INLINE real ww_take_ends(const ww_block *w, const ww_launch_args args, const int rows, const bool has_column,
                            const bool last_step, real best) {
#pragma unroll
    for (int q = 0; q < rows; q++)
        if (has_column && w->i + q >= 0 && w->i + q < (int)w->n && WW_END_ROW(w->i + q + 1, w->n))
            best = ww_lesser(best, w->v[q]);
    if (last_step) {
#pragma unroll
        for (int r = 0; r < WW_COLS; r++) {
            const bool taken = WW_IS_COLUMN(w, r) && WW_END_COLUMN(w->first_column + r + 1, w->m);
            best = taken ? ww_lesser(best, w->c[r]) : best;
        }
    }
    return best;
}

// c[owned], the value of the matrix's last column. The last r <= owned wins; with an equality the compiler would index c and keep
// it in memory.
WW_INLINE real ww_owned_value(const ww_block *w, const uint owned) {
    real value = w->c[0];
#pragma unroll
    for (uint r = 1; r < WW_COLS; r++)
        value = r <= owned ? w->c[r] : value;
    return value;
}
#endif
