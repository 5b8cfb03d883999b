// SPDX-License-Identifier: Apache-2.0
// A block: up to WW_ROWS rows of a matrix in registers, computed column by column, a matrix in each lane of a vector. Used by
// engine/packed.cl and path/path_packed.cl: they bring the points and the row above, keep the last row for the block below, and
// say which columns a block has. No kernel is here.
//
// `rows`, the rows that a block has, is a constant where these functions are inlined, and all loops over rows are unrolled: so
// the block's arrays are registers.
//
// Parameters: WW_ROWS, a power of two.

// A loop over a block's rows that is unrolled whether `rows` is known yet or not.
#define WW_BLOCK_ROWS(q, rows) _Pragma("unroll") for (int q = 0; q < WW_ROWS; q++) if (q < (rows))

// The measure's parameters: a copy that no store can change, so that a CPU's compiler takes them out of the loops.
#ifdef WW_PARAMETERS
#undef WW_GIVEN
#define WW_GIVEN given
#define WW_PARAMETERS_OF(args) (args).parameters
#else
#define WW_PARAMETERS_OF(args) 0
#endif

typedef struct {
    int i;                           // the first row
    real c[WW_ROWS];                 // values in the column before
    real g[WW_ROWS];                 // with WW_CARRY: what goes on along the diagonal from there
    real corner;                     // the same from the row above
    real along[WW_ROWS];             // with WW_DIAGONAL: its values in the column before
    real shift;                      // of a tile: the first row's number less the first column's
#if WW_SELECT == WW_SELECT_DIRECTION
    ww_flag noted;                   // two bits for each row: the directions of the column's cells
#endif
} ww_block;

// The elements of a block's rows and of the row above, and with a band the columns [lo, hi) of each row that are inside. Apart
// from what changes: in one struct they stay in registers over all columns of a block, and a band is 18 % slower.
typedef struct {
    ww_row a[WW_ROWS], above;
    ww_ints lo[WW_ROWS], hi[WW_ROWS];
#if WW_SUMMED
    uint channels, stride;  // of a row's point: from one channel to the next
    bool each;              // a vector has a row of each lane, else all have the same
#endif
} ww_block_rows;

// Columns [from, to); in [calm_begin, calm_end) no cell is outside the band, and no lane ends.
typedef struct {
    uint from, to, calm_begin, calm_end;
} ww_block_columns;

// Row i + q less column j.
WW_INLINE real ww_block_lag(const ww_block *b, int q, uint j) {
    return b->shift + (real)(ww_scalar)(b->i + q - (int)j);
}

// Before the first column; c, corner and the band are set.
WW_INLINE void ww_block_begin(ww_block *b, const int rows, uint from, ww_pair lengths, ww_parameters given) {
    WW_BLOCK_ROWS(q, rows) {
        b->g[q] = b->c[q];
        b->along[q] = WW_LAG(ww_block_lag(b, q + 1, from));
    }
}

// Column `y` in row q; `costs`: of all rows.
WW_INLINE ww_column ww_block_meet(ww_column y, const real *costs, const int q) {
#if WW_SUMMED
    WW_OWN(y).value = costs[q];
#endif
    return y;
}
// The costs of a column: a sum over the channels for each row, a vector of the column serves all rows.
#if WW_SUMMED
WW_INLINE void ww_block_costs(const ww_block_rows *x, const int rows, const ww_column column, real *costs) {
    __global const ww_scalar *y = WW_OWN(column).at;
    WW_BLOCK_ROWS(q, rows)
        costs[q] = 0;
    for (uint c = 0; c < x->channels; c++) {
        const real b = WW_VLOAD(c, y);
        WW_BLOCK_ROWS(q, rows) {
            __global const ww_scalar *at = WW_OWN(x->a[q]).at + (ulong)c * x->stride;
            const real a = x->each ? WW_VLOAD(0, at) : (real)at[0];
#if WW_COST == WWK_COST_SQUARED || WW_COST == WWK_COST_EUCLIDEAN
            costs[q] = fma(a - b, a - b, costs[q]);
#else
            costs[q] += ww_channel_cost(a, b);
#endif
        }
    }
#if WW_COST == WWK_COST_EUCLIDEAN
    WW_BLOCK_ROWS(q, rows)
        costs[q] = sqrt(costs[q]);
#endif
}
#else
WW_INLINE void ww_block_costs(const ww_block_rows *x, const int rows, const ww_column column, real *costs) {}
#endif

// The cells of column j below `top`; gives the last. `masked`: some may be outside the band.
WW_INLINE real ww_block_column(ww_block *b, const ww_block_rows *x, const int rows, const bool masked, ww_column y,
                               real top, uint j, ww_pair lengths, ww_parameters given) {
    real up = top, diagonal = b->corner, costs[WW_ROWS];
    ww_block_costs(x, rows, y, costs);
#if WW_SELECT == WW_SELECT_DIRECTION
    ww_direction WW_DIRECTION;
    b->noted = 0;
#endif
    // The values of ww_diagonal() move down a row with every column.
#pragma unroll
    for (int q = WW_ROWS - 1; q > 0; q--)
        b->along[q] = b->along[q - 1];
    b->along[0] = WW_LAG(ww_block_lag(b, 0, j));
    WW_BLOCK_ROWS(q, rows) {
        const real left = b->c[q], along = WW_DIAGONAL ? b->along[q] : ww_block_lag(b, q, j);
        real value = WW_CELL(left, up, diagonal, x->a[q], ww_block_meet(y, costs, q), along, lengths, 2);
#if WW_SELECT == WW_SELECT_DIRECTION
        b->noted |= (WW_DIRECTION.away & (ww_flag)(1 << (2 * q))) | (WW_DIRECTION.aside & (ww_flag)(2 << (2 * q)));
#endif
        if (masked)
            value = WW_TO_MASK(((int)j >= x->lo[q]) & ((int)j < x->hi[q])) ? value : WW_OUTSIDE;
        diagonal = WW_CARRY ? b->g[q] : left;
        b->g[q] = ww_carry(value, x->a[q], y, along);
        up = b->c[q] = value;
    }
    return up;
}
// What goes on from the row above the block, whose value in column j is `top`.
WW_INLINE real ww_block_corner(const ww_block *b, const ww_block_rows *x, ww_column y, real top, uint j,
                               ww_pair lengths, ww_parameters given) {
    return ww_carry(top, x->above, y, WW_LAG(ww_block_lag(b, -1, j)));
}

// The interval of row q, lane by lane: a block's columns are those of any row and lane, its calm ones those of all.
WW_INLINE void ww_block_limit(ww_block_rows *x, ww_block_columns *at, int q, const int *lo, const int *hi) {
    int from = (int)at->from, to = (int)at->to, calm_begin = (int)at->calm_begin, calm_end = (int)at->calm_end;
    for (int v = 0; v < WW_VECTOR; v++) {
        from = min(from, lo[v]);
        to = max(to, hi[v]);
        calm_begin = max(calm_begin, lo[v]);
        calm_end = min(calm_end, hi[v]);
    }
    at->from = (uint)from;
    at->to = (uint)to;
    at->calm_begin = (uint)calm_begin;
    at->calm_end = (uint)calm_end;
    x->lo[q] = WW_PASTE(vload, WW_VECTOR)(0, lo);
    x->hi[q] = WW_PASTE(vload, WW_VECTOR)(0, hi);
}
