// SPDX-License-Identifier: Apache-2.0
// Engine `lanes` for narrow bands along the diagonal: -WW_BELOW <= j - i <= WW_COLS - 1 - WW_BELOW, the whole width of the
// band in the registers of one lane, one pair a lane.
//
// Register s holds the cell of the current row i in column i - WW_BELOW + s: the band moves with the rows, every cell
// computed is inside it, and there is nothing to mask. In these terms a cell's left neighbour is s-1 of its own row, the upper
// one s+1 and the diagonal one s of the row above; so one array of registers holds both rows. A step computes WW_ROWS
// rows, each two cells behind the row above it. Columns left of the first and right of the last are infinitely far
// points (minus infinity, so that they are far from the padding rows as well, which fill the first step at the top).
//
// A pack of 32 column series is interleaved (interleave.cl); the lanes of a pack compute the row series of a chunk one
// after the other, and read the same row. No local memory, no barrier, no exchange.

// Points of minus infinity before each series of a pack, and at least as many behind it: the host's packing.margin.
#define WW_MARGIN (WW_COLS + 2 * WW_ROWS)

// The band's cells, and the points of a row-step.
typedef struct {
    real c[WW_COLS + 2];                    // the first and the last are outside
    real a[WW_ROWS];                        // of the rows
    real column[WW_COLS + WW_ROWS - 1];     // of the columns
    __global const ww_scalar *b;            // where these are: the first of the first row's first cell
    int i;                                  // the first row
    ww_pair lengths;
} ww_ribbon_step;
// Row q's cell s. The first row reaches a column first; the corner of the matrix is above and left of its first cell.
WW_INLINE void ww_ribbon_cell(ww_ribbon_step *w, const ww_launch_args args, const int q, const int s) {
    const ww_pair lengths = w->lengths;
    ww_point px, py;
    if (q == 0 || s == WW_COLS - 1)
        w->column[s + q] = w->b[(s + q) * WW_PACK];
    px.value[0] = w->a[q];
    py.value[0] = w->column[s + q];
    const real diagonal = s == WW_BELOW && w->i + q == 0 ? (real)0 : w->c[s + 1];
    w->c[s + 1] = WW_CELL(w->c[s], w->c[s + 2], diagonal, px, py, WW_LAG((real)(WW_BELOW - s)), lengths, q & 1);
}
// Steps from the first row's first cell to the last row's.
#define WW_STEADY (2 * (WW_ROWS - 1))

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_ribbon(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
          __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
          __global const uint *restrict x_order, __global const uint *restrict y_order, __global const uint *restrict band,
          __global ww_scalar *restrict out, const ww_launch_args args, __global const ww_scalar *restrict y_packed,
          __global const ulong *restrict y_pack_offset, const uint packs, const uint units) {
    const uint lane = (uint)get_local_id(0) % WW_PACK;
    const uint unit = (args.unit_begin + (uint)get_group_id(0)) * (WW_WG / WW_PACK) + (uint)get_local_id(0) / WW_PACK;
    if (unit >= units)
        return;
    const ww_pack p = ww_pack_of(args, unit, packs, WW_PACK);
    const bool mine = p.first + lane < p.end;
    const uint y_id = y_order[WW_PACK_SLOT(p, lane)];
    const int m = (int)(uint)y_series[y_id].y;
    __global const ww_scalar *ys = y_packed + y_pack_offset[p.pack] + lane;

    for (uint row = p.row_begin; row < p.row_end; row++) {
        const uint x_id = x_order[row];
        const ww_series x = ww_series_load(x_values, x_series, x_id, args.channel);
        const int n = (int)x.length;
        const int padding = (int)((0u - (uint)n) % WW_ROWS);
        ww_ribbon_step w;
        w.lengths.rows = (real)n;
        w.lengths.columns = (real)m;
        WW_SET_PAIR(w.lengths)
        w.b = ys + (WW_MARGIN - WW_BELOW - padding) * WW_PACK;
#pragma unroll
        for (int s = 1; s <= WW_COLS; s++)
            w.c[s] = WW_BORDER;
        w.c[0] = w.c[WW_COLS + 1] = WW_OUTSIDE;
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            w.a[q] = q < padding ? WW_INF : x.at[q - padding];
        for (w.i = -padding; w.i < n; w.i += WW_ROWS) {
            // The rows of the next step, fetched while this one computes.
            real next[WW_ROWS];
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                next[q] = x.at[min(w.i + WW_ROWS + q, n - 1)];
            // Three loops, because compilers unroll none whose body is too large for all its turns.
#pragma unroll
            for (int t = 0; t < WW_STEADY; t++) {
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    if (t >= 2 * q && t - 2 * q < WW_COLS)
                        ww_ribbon_cell(&w, args, q, t - 2 * q);
            }
#pragma unroll
            for (int t = WW_STEADY; t < WW_COLS; t++) {
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    ww_ribbon_cell(&w, args, q, t - 2 * q);
            }
#pragma unroll
            for (int t = WW_COLS > WW_STEADY ? WW_COLS : WW_STEADY; t < WW_COLS + WW_STEADY; t++) {
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    if (t >= 2 * q && t - 2 * q < WW_COLS)
                        ww_ribbon_cell(&w, args, q, t - 2 * q);
            }
            w.b += WW_ROWS * WW_PACK;
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                w.a[q] = next[q];
        }
        const int last = m - n + WW_BELOW;
        real result = w.c[1];
#pragma unroll
        for (int s = 1; s < WW_COLS; s++)
            result = s <= last ? w.c[s + 1] : result;
        if (mine && WW_PACK_WANTED(p, row, lane))
            ww_store(out, args, x_id, y_id, 0, ww_final(result, x.length, (uint)m));
    }
}
