// SPDX-License-Identifier: Apache-2.0
// The accumulated costs of a pair: every D(i,j) of its matrix, row after row; cells outside the band are infinite.
//
// The matrix is cut into tiles of costs.rows x costs.columns cells; a launch computes the tiles of one diagonal of tiles, a
// work-item each. Between tiles go the lines: `above` has a value for each column, the last that was computed in it,
// `beside` one for each row, `corners` the last cell of a tile, by the diagonal that the tile lies on. So the output is
// written once and never read, and a matrix that does not fit the device is computed by runs of rows.
//
// A tile's rows are computed by blocks of WW_ROWS, column by column: the points of a block's rows and the values beside
// it are in registers. No padding rows, no local memory, no barrier.
//
// Parameters: WW_ROWS, WW_WG.

#define WW_COSTS_EACH_ROW(q) _Pragma("unroll") for (int q = 0; q < WW_ROWS; q++)

// A tile, from its first cell to behind its last, and its lines.
typedef struct {
    uint i, j, i_end, j_end;
    __global ww_scalar *above, *beside;
    real corner;  // above and left of the next block
    __global ww_scalar *out;  // of the cell (0, 0) of the matrix, were it there
    ulong stride;
    bool accumulate;
} ww_costs_tile;

// A block of its rows.
typedef struct {
    ww_row a[WW_ROWS], before;  // `before`: the row above
    real c[WW_ROWS], g[WW_ROWS];  // D in the column before, and what goes on along the diagonal from there
    real corner;                // D above that
    uint lo[WW_ROWS], hi[WW_ROWS];
    uint i;
} ww_costs_rows;

WW_INLINE real ww_costs_lag(uint i, uint j) {
    return (real)(ww_scalar)((int)i - (int)j);
}

// Left of column j of the matrix: the border, or `beside`.
WW_INLINE real ww_costs_left(const ww_costs_tile *t, ww_row x, uint i, ww_pair lengths, const ww_launch_args args) {
    return t->j == 0 ? ww_border_left(x, (real)(ww_scalar)i, lengths) : t->beside[i];
}
WW_INLINE real ww_costs_top(const ww_costs_tile *t, ww_series y, uint i, uint j, ww_pair lengths,
                            const ww_launch_args args) {
    return i == 0 ? ww_border_top(WW_POINT(y, j), (real)(ww_scalar)j, lengths) : t->above[j];
}
// Above and left of a tile's block.
WW_INLINE real ww_costs_corner(const ww_costs_tile *t, const ww_costs_rows *b, ww_series x, ww_series y,
                               ww_pair lengths, const ww_launch_args args) {
    if (b->i == 0)
        return t->j == 0 ? (real)0 : ww_border_top(WW_POINT(y, t->j - 1), (real)(ww_scalar)(t->j - 1), lengths);
    if (t->j == 0)
        return ww_border_left(b->before, (real)(ww_scalar)(b->i - 1), lengths);
    return t->corner;
}

// The block's rows, from row i on; of rows behind the tile's last the points are those of the last.
WW_INLINE void ww_costs_begin(ww_costs_rows *b, const ww_costs_tile *t, uint i, ww_series x, ww_series y,
                              ww_pair_band limits, ww_pair lengths, const ww_launch_args args) {
    b->i = i;
    b->before = WW_ROW_AT(x, i ? i - 1 : 0);
    WW_COSTS_EACH_ROW(q) {
        const uint row = min(i + (uint)q, t->i_end - 1);
        b->a[q] = WW_ROW_AT(x, row);
        b->lo[q] = ww_band_lo(limits, row);
        b->hi[q] = ww_band_hi(limits, row);
        b->c[q] = b->g[q] = ww_costs_left(t, b->a[q], row, lengths, args);
    }
    b->corner = ww_costs_corner(t, b, x, y, lengths, args);
    if (WW_CARRY && t->j) {
        const ww_column beside = WW_COLUMN_AT(y, t->j - 1);
        b->corner = i ? ww_carry(b->corner, b->before, beside, WW_LAG(ww_costs_lag(i, t->j))) : b->corner;
        WW_COSTS_EACH_ROW(q)
            b->g[q] = ww_carry(b->c[q], b->a[q], beside, WW_LAG(ww_costs_lag(i + (uint)q + 1, t->j)));
    }
}

WW_INLINE void ww_costs_put(const ww_costs_tile *t, uint i, uint j, real value) {
    __global ww_scalar *to = t->out + (ulong)i * t->stride + j;
    *to = t->accumulate ? *to + value : value;
}

// What goes on along the diagonal from the row above a block, whose value in column j is `top`: the border as it is.
WW_INLINE void ww_costs_go_on(ww_costs_rows *b, real top, ww_column column, uint j, ww_pair lengths,
                              const ww_launch_args args) {
    b->corner = WW_CARRY && b->i ? ww_carry(top, b->before, column, WW_LAG(ww_costs_lag(b->i, j + 1))) : top;
}

// Column j of a block.
WW_INLINE void ww_costs_column(ww_costs_rows *b, const ww_costs_tile *t, uint j, ww_series y, ww_pair lengths,
                               const ww_launch_args args) {
    const ww_column column = WW_COLUMN_AT(y, j);
    const real top = ww_costs_top(t, y, b->i, j, lengths, args);
    real up = top, diagonal = b->corner;
    WW_COSTS_EACH_ROW(q) {
        const real along = WW_LAG(ww_costs_lag(b->i + (uint)q, j));
        const bool inside = !WW_BAND || (j >= b->lo[q] && j < b->hi[q]);
        real value = WW_CELL(b->c[q], up, diagonal, b->a[q], column, along, lengths, 2);
        value = inside ? value : WW_OUTSIDE;
        diagonal = WW_CARRY ? b->g[q] : b->c[q];
        b->g[q] = ww_carry(value, b->a[q], column, along);
        b->c[q] = up = b->i + (uint)q < t->i_end ? value : up;
        if (b->i + (uint)q < t->i_end)
            ww_costs_put(t, b->i + (uint)q, j, inside ? value : WW_INF);
    }
    t->above[j] = up;
    ww_costs_go_on(b, top, column, j, lengths, args);
}
// A column that no row of the block has inside its band.
WW_INLINE void ww_costs_outside(ww_costs_rows *b, const ww_costs_tile *t, uint j, ww_series y, ww_pair lengths,
                                const ww_launch_args args) {
    const real top = ww_costs_top(t, y, b->i, j, lengths, args);
    WW_COSTS_EACH_ROW(q) {
        b->c[q] = b->g[q] = WW_OUTSIDE;
        if (b->i + (uint)q < t->i_end)
            ww_costs_put(t, b->i + (uint)q, j, WW_INF);
    }
    t->above[j] = WW_OUTSIDE;
    ww_costs_go_on(b, top, WW_COLUMN_AT(y, j), j, lengths, args);
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_costs(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
         __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
         __global const uint *restrict x_order, __global const uint *restrict y_order,
         __global const uint *restrict band, __global ww_scalar *out, const ww_launch_args args,
         const ww_costs_args costs, __global ww_scalar *lines) {
    const uint unit = (uint)get_global_id(0);
    const uint task = args.row_begin;
    if (unit < costs.units) {
        const ww_series x = ww_series_load(x_values, x_series, WW_TASK_X(task), args.channel);
        const ww_series y = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);
        const ww_pair_band limits = WW_BAND_OF(x, y);
        ww_pair lengths;
        lengths.rows = (real)(ww_scalar)x.length;
        lengths.columns = (real)(ww_scalar)y.length;
        WW_SET_PAIR(lengths)
        const uint row = costs.tile_row + unit, column = costs.diagonal - row;
        ww_costs_tile t;
        t.i = costs.row_begin + row * costs.rows;
        t.j = column * costs.columns;
        t.i_end = min(t.i + costs.rows, costs.row_end);
        t.j_end = min(t.j + costs.columns, y.length);
        t.above = lines + costs.lines;
        t.beside = t.above + y.length;
        // The tiles of a diagonal from the upper left to the lower right have one place, over all runs of rows.
        __global ww_scalar *corner =
            t.beside + x.length + (costs.tile_columns + costs.row_begin / costs.rows + row - column);
        t.corner = *corner;
        t.out = out + costs.first - (ulong)costs.row_begin * args.row_stride;
        t.stride = args.row_stride;
        t.accumulate = costs.accumulate != 0;
        for (uint i = t.i; i < t.i_end; i += WW_ROWS) {
            ww_costs_rows b;
            ww_costs_begin(&b, &t, i, x, y, limits, lengths, args);
            const uint last = min(i + WW_ROWS, t.i_end) - i - 1;
            t.corner = t.beside[i + last];
            const uint from = WW_BAND ? clamp(b.lo[0], t.j, t.j_end) : t.j;
            const uint to = WW_BAND ? clamp(ww_band_hi(limits, i + last), from, t.j_end) : t.j_end;
            uint j = t.j;
            for (; j < from; j++)
                ww_costs_outside(&b, &t, j, y, lengths, args);
            for (; j < to; j++)
                ww_costs_column(&b, &t, j, y, lengths, args);
            for (; j < t.j_end; j++)
                ww_costs_outside(&b, &t, j, y, lengths, args);
            WW_COSTS_EACH_ROW(q)
                if ((uint)q <= last)
                    t.beside[i + (uint)q] = b.c[q];
        }
        *corner = t.beside[t.i_end - 1];
    }
}
