// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs (packed_items.cl): the row-steps of a strip, and what is special at the edges of a matrix: bands,
// padding rows and last columns that pass values on (open ends, soft minima). No kernel is here.
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
#define WW_EDGED (WW_BAND || WW_OPEN)
#ifndef WW_COLUMNS_LOCAL
#define WW_COLUMNS_LOCAL 0
#endif
#ifndef WW_FETCH_AHEAD
#define WW_FETCH_AHEAD 1
#endif
// Rows of a step at the edges: fewer than elsewhere waste fewer cells, and their code stays in the instruction cache.
#ifndef WW_EDGE_ROWS
#define WW_EDGE_ROWS (WW_ROWS < 4 ? WW_ROWS : 4)
#endif
#define WW_BLOCK_COLS 8
#if WW_BAND && WW_COLS % WW_BLOCK_COLS
#error "with a band WW_COLS is a multiple of 8"
#endif
// What is special in the rows up to the second one (padding rows, no point before, D(0,0)) is behind a branch that no other
// row-step takes: as selections it would cost 2 or 3 % of all row-steps.
#define WW_FIRST_APART (WW_ELEMENTS && !WW_BAND && !WW_OPEN)
#define WW_CORNER_APART (WW_CORNER && !WW_BAND && !WW_OPEN)
#define WW_FAR_LEFT (-0x7fffffff)
#define WW_FAR_RIGHT 0x7fffffff

// A work-item's pair and its strip. Rows are those of the pack.
typedef struct {
    __global const ww_scalar *xs, *ys;  // the interleaved series of this work-item; ys only in a list
    __global ww_scalar *edges;          // what the strip before leaves, and what this one leaves for the next
    uint rows, widest;                  // of the pack
    uint from_row, to_row;              // of the strip, and of the one before
    uint from_before, to_before;
    int calm_from, calm_to;
    bool at_border, more;               // the first strip; not the last
    bool reached;                       // what is left of the strip has the row above the row-step
    int least_m, padded;                // the shortest column series; rows with padding in some pair, which pass on the row above
    bool even;
    uint lane;
    __local int *compared;
    ww_pair_band limits;
#if WW_BAND == WWK_BAND_SLANTED
    ww_band_walk walk;
#endif
#if WW_COLUMNS_LOCAL
    ww_local_columns shared;
#endif
#if WW_OPEN
    real best;
#endif
} ww_item;

// The point in row (or column) t of an interleaved series.
WW_INLINE ww_point ww_item_point(__global const ww_scalar *at, uint t) {
    ww_point point;
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = at[((ulong)t * WW_PARTS + c) * WW_PACK];
#if WW_EXTRA
    point.extra = at[((ulong)t * WW_PARTS + WW_CHANNELS) * WW_PACK];
#endif
    return point;
}

#if WW_EDGED
// Of all pairs of the pack: the least of s0 and s2, the most of s1 and s3.
WW_INLINE int4 ww_item_compare(const ww_item *t, const int4 own) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t->lane < 4)
        t->compared[t->lane] = t->lane & 1 ? WW_FAR_LEFT : WW_FAR_RIGHT;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_min(&t->compared[0], own.s0);
    atomic_max(&t->compared[1], own.s1);
    atomic_min(&t->compared[2], own.s2);
    atomic_max(&t->compared[3], own.s3);
    barrier(CLK_LOCAL_MEM_FENCE);
    return (int4)(t->compared[0], t->compared[1], t->compared[2], t->compared[3]);
}
#endif

// Once a pair.
WW_INLINE void ww_item_pair(ww_item *t, const ww_block *w) {
#if WW_EDGED
    const int n = (int)w->n, m = (int)w->m;
    const int4 all = ww_item_compare(t, (int4)(n, n, m, m));
    t->least_m = all.s2;
    t->padded = WW_TRANSPARENT ? ((int)t->rows - all.s0 + WW_ROWS - 1) / WW_ROWS * WW_ROWS : 0;
    t->even = all.s0 == all.s1 && all.s2 == all.s3;
    t->from_before = t->to_before = 0;
#endif
}

// ---- once a strip

// Whether the strip has the last column of some pair, which may be an end.
WW_INLINE bool ww_item_has_end(const ww_item *t, const ww_block *w) {
    return WW_OPEN && t->least_m < w->first_column + WW_COLS;
}

#if WW_BAND
// A number of rows in whole steps of the edges.
#define WW_DOWN(count) ((count) / WW_EDGE_ROWS * WW_EDGE_ROWS)
#define WW_UP(count) WW_DOWN((count) + WW_EDGE_ROWS - 1)
// The strip's rows, and those that are calm.
WW_INLINE void ww_item_limits(ww_item *t, const ww_block *w) {
    const uint first_column = (uint)w->first_column, m = w->m, own = t->rows - w->n;
    const bool here = m > first_column;
    const uint begin = min(first_column, m - 1), end = min(first_column + WW_COLS, m);
    const uint all = ww_band_top(t->limits, end - 1);
    int4 rows;  // from, to, the calm ones' end, their beginning
    rows.s0 = here ? (int)WW_DOWN(ww_band_top(t->limits, begin) + own) : WW_FAR_RIGHT;
    rows.s1 = here ? (int)WW_UP(ww_band_bottom(t->limits, end) + own) : 0;
    rows.s2 = here ? (int)WW_DOWN(ww_band_bottom(t->limits, begin + 1) + own) : WW_FAR_RIGHT;
    rows.s3 = here ? (int)(all ? WW_UP(all + own) : WW_DOWN(own)) : 0;
    if (!t->even)
        rows = ww_item_compare(t, rows);
    t->from_row = (uint)rows.s0;
    t->to_row = (uint)rows.s1;
    t->calm_from = max(rows.s3, t->padded);
    t->calm_to = rows.s2;
    if (ww_item_has_end(t, w) || t->calm_to < t->calm_from)
        t->calm_from = t->calm_to = rows.s1;
}
#endif
// Row 0 has not all columns: the border above the others.
WW_INLINE void ww_item_clip_top(const ww_item *t, ww_block *w) {
    const int first_end = (int)ww_band_hi(t->limits, 0) - w->first_column;
#pragma unroll
    for (int r = 0; r < WW_COLS; r++)
        w->c[r] = r < first_end ? w->c[r] : WW_OUTSIDE;
}

// The strip's rows; gives whether what is left of it has the row above the first of them.
WW_INLINE bool ww_item_strip(ww_item *t, const ww_block *w) {
#if WW_BAND
    ww_item_limits(t, w);
    const bool reached = w->first_column && t->from_row > t->from_before;
    // Below the end of the strip before is the outside.
    if (w->first_column)
        for (uint step = max(t->to_before, t->from_row); step < t->to_row; step++)
            t->edges[(ulong)step * WW_PACK] = WW_OUTSIDE;
    t->from_before = t->from_row;
    t->to_before = t->to_row;
    return reached;
#else
    t->from_row = 0;
    t->to_row = t->rows;
    return false;
#endif
}

// ---- once a row-step

// The row elements under other names: where two branches sweep the same, they are else computed before the branch
// (ww_rename()). They are structs of reals.
WW_INLINE void ww_item_rename_rows(ww_block *w, const int rows) {
#pragma unroll
    for (int q = 0; q < rows; q++) {
#pragma unroll
        for (uint k = 0; k < sizeof(ww_row) / sizeof(real); k++) {
            ww_rename(((real *)&w->e[q])[k]);
        }
    }
}
WW_INLINE void ww_item_load_rows(ww_block *w, const ww_launch_args args, const int rows, const ww_point *points) {
    ww_make_rows(w, args, rows, points, WW_FIRST_APART);
    if (WW_FIRST_APART && w->i < 1) {
        ww_make_rows(w, args, rows, points, false);
        ww_item_rename_rows(w, rows);
    }
    ww_enter_rows(w, args, rows, points);
}

// Left of the strip: `edges` has the values of the strip before, or the border. What goes on along the diagonal from
// there is carried, but for the border; that no row-step asks for each row which it is, it is behind a branch.
WW_INLINE void ww_item_left(ww_item *t, ww_block *w, const ww_launch_args args, const int rows) {
    const bool corner = WW_CORNER && !WW_CORNER_APART && t->at_border;
    w->d[0] = corner && w->i == 0 ? (real)0 : w->previous;
#pragma unroll
    for (int q = 0; q < rows; q++)
        w->v[q] = w->l[q];
#pragma unroll
    for (int q = 1; q < rows; q++)
        w->d[q] = corner && w->i + q == 0 ? (real)0 : w->l[q - 1];
    if (WW_CARRY && !t->at_border) {
        w->d[0] = t->reached ? ww_from_left(w, args, w->d[0], w->above, 0) : w->d[0];
        ww_rename(w->d[0]);
#pragma unroll
        for (int q = 1; q < rows; q++) {
            w->d[q] = ww_from_left(w, args, w->l[q - 1], w->e[q - 1], q);
            ww_rename(w->d[q]);
        }
    }
    t->reached = true;
    if (WW_CORNER_APART && t->at_border && w->i <= 0) {
#pragma unroll
        for (int q = 0; q < rows; q++) {
            w->d[q] = w->i + q == 0 ? (real)0 : w->d[q];
            ww_rename(w->d[q]);
        }
    }
}

#if !WW_BAND
WW_INLINE void ww_item_columns(ww_item *t, ww_block *w, const ww_launch_args args, const int rows, const int what) {
    ww_move_diagonals(w, args, rows);
#if WW_COLUMNS_LOCAL
    ww_sweep_local(w, args, t->shared, rows, what);
#else
    ww_sweep_columns(w, args, rows, 0, WW_COLS, what);
#endif
}
WW_INLINE void ww_item_sweep(ww_item *t, ww_block *w, const ww_launch_args args, const uint step, const int rows,
                             const bool calm) {
    (void)calm;
    if (WW_OPEN && (int)step >= t->padded && !ww_item_has_end(t, w)) {
        ww_item_columns(t, w, args, rows, WW_CELLS_DIAGONAL);
    } else {
        if (WW_OPEN)
            ww_item_rename_rows(w, rows);
        ww_item_columns(t, w, args, rows, WW_CELLS_DIAGONAL | WW_CELLS_PASS);
    }
}
#else
#if WW_BAND == WWK_BAND_SLANTED
// The ends of the rows, one after another.
WW_INLINE void ww_item_row_ends(ww_item *t, const ww_block *w, const int rows, int *row_lo, int *row_hi) {
    bool exact = true;
#pragma unroll
    for (int q = 0; q < rows; q++) {
        exact = exact && t->walk.lo_rest && t->walk.hi_rest;
        row_lo[q] = WW_BAND_WALK_LO(t->walk);
        row_hi[q] = WW_BAND_WALK_HI(t->walk, t->limits.m);
        t->walk = ww_band_walk_on(t->walk);
    }
    if (exact)
        return;
#pragma unroll 1
    for (int row = max(w->i, 0); row < w->i + rows; row++) {
        const int lo = (int)ww_band_lo(t->limits, (uint)row), hi = (int)ww_band_hi(t->limits, (uint)row);
#pragma unroll
        for (int q = 0; q < rows; q++) {
            row_lo[q] = w->i + q == row ? lo : row_lo[q];
            row_hi[q] = w->i + q == row ? hi : row_hi[q];
        }
    }
}
#else
WW_INLINE void ww_item_row_ends(ww_item *t, const ww_block *w, const int rows, int *row_lo, int *row_hi) {
#pragma unroll
    for (int q = 0; q < rows; q++) {
        row_lo[q] = (int)ww_band_lo(t->limits, (uint)max(w->i + q, 0));
        row_hi[q] = (int)ww_band_hi(t->limits, (uint)max(w->i + q, 0));
    }
}
#endif
WW_INLINE uint ww_item_below(int column, uint first_column) {
    const int count = clamp(column - (int)first_column, 0, 32);
    return count > 31 ? 0xffffffffu : (1u << count) - 1;
}
// Columns before s0 and from s1 on have no cell of the band in these rows. What lies behind the last column is inside.
WW_INLINE int2 ww_item_row_limits(ww_item *t, ww_block *w, const int rows) {
    const ww_pair_band limits = t->limits;
#if WW_BAND == WWK_BAND_DIAGONAL
    const int last_end = w->i < 0 ? WW_FAR_RIGHT : (int)ww_band_hi(limits, (uint)(w->i + rows - 1));
    const int first_lo = w->i < 0 ? 0 : (int)ww_band_lo(limits, (uint)w->i);
    return (int2)(first_lo, last_end >= (int)limits.m ? WW_FAR_RIGHT : last_end);
#else
    // A padding row has all columns.
    int row_lo[WW_ROWS], row_hi[WW_ROWS];
    ww_item_row_ends(t, w, rows, row_lo, row_hi);
#pragma unroll
    for (int q = 0; q < rows; q++) {
        row_lo[q] = w->i + q < 0 ? 0 : row_lo[q];
        row_hi[q] = w->i + q < 0 || row_hi[q] >= (int)limits.m ? WW_FAR_RIGHT : row_hi[q];
        w->inside[q] = ww_item_below(row_hi[q], (uint)w->first_column) & ~ww_item_below(row_lo[q], (uint)w->first_column);
    }
    return (int2)(row_lo[0], row_hi[rows - 1]);
#endif
}
// A block outside: its right-hand edge is what is outside, but for the row above.
WW_INLINE void ww_item_skip(ww_block *w, const ww_launch_args args, const int rows, const int from) {
    const int last = from + WW_BLOCK_COLS - 1;
    w->d[0] = ww_above(w, args, 0, last, w->c[last], ww_block_column(w, args, 0, last));
#pragma unroll
    for (int r = WW_OPEN ? from : last; r <= last; r++)
        w->c[r] = WW_OUTSIDE;
#pragma unroll
    for (int q = 0; q < rows; q++) {
        w->v[q] = WW_OUTSIDE;
        w->d[q] = q ? WW_OUTSIDE : w->d[q];
        if (WW_CARRY)
            w->g[q] = WW_OUTSIDE;
    }
}
// Along a diagonal all cells are inside or all outside.
WW_INLINE void ww_item_masks(const ww_item *t, ww_block *w, const int rows, const int from) {
#if WW_BAND == WWK_BAND_DIAGONAL
    const uint left = min(t->limits.left, t->limits.n), span = left + min(t->limits.right, t->limits.m);
    const int along_left = w->first_column - w->i + (int)left;
#pragma unroll
    for (int k = 0; k < WW_BLOCK_COLS + rows - 1; k++)
        w->mask[WW_ROWS + from + k - rows] = (uint)(along_left + from + k - rows + 1) <= span ? -1 : 0;
#endif
}
// By blocks of columns.
WW_INLINE void ww_item_edge_sweep(ww_item *t, ww_block *w, const ww_launch_args args, const int rows) {
    ww_move_diagonals(w, args, rows);
#if WW_DIAGONAL == 1
#pragma unroll
    for (int r = 0; r < WW_COLS + rows; r++)
        w->along[r] = ww_diagonal(w->shift + (real)(r - WW_COLS), w->lengths);
#endif
    const int2 ends = ww_item_row_limits(t, w, rows);
#pragma unroll
    for (int block = 0; block < WW_COLS / WW_BLOCK_COLS; block++) {
        const int from = WW_BLOCK_COLS * block, at = w->first_column + from;
        if (w->m <= (uint)w->first_column || at + WW_BLOCK_COLS <= ends.s0 || at >= ends.s1) {
            ww_item_skip(w, args, rows, from);
        } else {
            ww_item_masks(t, w, rows, from);
            ww_sweep_columns(w, args, rows, from, from + WW_BLOCK_COLS,
                             WW_CELLS_PASS | (WW_BAND == WWK_BAND_DIAGONAL ? WW_CELLS_MASKED : WW_CELLS_BANDED));
        }
    }
    // A padding row is not masked: in it the border went on to the right.
    if (WW_BORDERS && w->i + rows <= 0)
        ww_item_clip_top(t, w);
}
WW_INLINE void ww_item_sweep(ww_item *t, ww_block *w, const ww_launch_args args, const uint step, const int rows,
                             const bool calm) {
    (void)step;
    if (calm) {
        ww_move_diagonals(w, args, rows);
        ww_sweep_columns(w, args, rows, 0, WW_COLS, WW_CELLS_DIAGONAL);
    } else {
        ww_item_edge_sweep(t, w, args, rows);
    }
}
#endif

// The row-steps [begin, end) of a strip. What a step needs is fetched while the one before computes; after the last, the
// same once more.
WW_INLINE void ww_item_steps(ww_item *t, ww_block *w, const ww_launch_args args, const uint begin, const uint end,
                             const int rows, const bool calm) {
    if (begin >= end)
        return;
    ww_point a[WW_ROWS];
    __global const ww_scalar *xa = t->xs + (ulong)begin * WW_PARTS * WW_PACK;
    __global ww_scalar *ea = t->edges + (ulong)begin * WW_PACK;
    w->i = (int)w->n - (int)t->rows + (int)begin;
    ww_fill_diagonals(w, args, rows, (real)(w->i - w->first_column));
#if WW_BAND == WWK_BAND_SLANTED
    if (!calm)
        t->walk = ww_band_walk_from(t->limits, w->i);
#endif
#pragma unroll
    for (int q = 0; q < rows; q++) {
        if (WW_FETCH_AHEAD)
            a[q] = ww_item_point(xa, (uint)q);
        w->l[q] = ea[q * WW_PACK];
    }
#pragma unroll 1
    for (uint step = begin; step < end; step += (uint)rows) {
#pragma unroll
        for (int q = 0; q < rows; q++)
            if (!WW_FETCH_AHEAD)
                a[q] = ww_item_point(xa, (uint)q);
        ww_item_load_rows(w, args, rows, a);
        ww_item_left(t, w, args, rows);
        w->previous = w->l[rows - 1];
        __global ww_scalar *const ew = ea;
        if (step + (uint)rows < end) {
            xa += rows * WW_PARTS * WW_PACK;
            ea += rows * WW_PACK;
        }
#pragma unroll
        for (int q = 0; q < rows; q++)
            if (WW_FETCH_AHEAD)
                a[q] = ww_item_point(xa, (uint)q);
#pragma unroll
        for (int q = 0; q < rows; q++)
            w->l[q] = ea[q * WW_PACK];
        ww_item_sweep(t, w, args, step, rows, calm);
        if (t->more) {
#pragma unroll
            for (int q = 0; q < rows; q++)
                ew[q * WW_PACK] = w->v[q];
        }
#if WW_OPEN
        const uint first_column = (uint)w->first_column;
        const bool has_column = w->m > first_column && w->m <= first_column + WW_COLS;
        t->best = ww_take_ends(w, args, rows, has_column, step + (uint)rows == t->rows, t->best);
#endif
        w->i += rows;
    }
}

// All row-steps of a strip: above the calm ones, these, and below them.
WW_INLINE void ww_item_strip_steps(ww_item *t, ww_block *w, const ww_launch_args args) {
#if WW_BAND
    const uint calm_from = (uint)t->calm_from, calm_to = (uint)t->calm_to;
#pragma unroll 1
    for (int phase = 0; phase < 3; phase++) {
        if (phase == 1) {
            const uint whole = calm_from + (calm_to - calm_from) / WW_ROWS * WW_ROWS;
            ww_item_steps(t, w, args, calm_from, whole, WW_ROWS, true);
            ww_item_steps(t, w, args, whole, calm_to, 1, true);
        } else {
            ww_item_steps(t, w, args, phase ? calm_to : t->from_row, phase ? t->to_row : calm_from, WW_EDGE_ROWS, false);
        }
    }
#else
    ww_item_steps(t, w, args, 0, t->rows, WW_ROWS, true);
#endif
}
