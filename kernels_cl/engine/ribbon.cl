// SPDX-License-Identifier: Apache-2.0
// Engine `lanes` for narrow bands along the diagonal: -WW_BELOW <= j - i <= WW_COLS - 1 - WW_BELOW, the whole width of the
// band in the registers of one lane, one pair a lane.
//
// Register s holds the cell of the current row i in column i - WW_BELOW + s: the band moves with the rows, every cell
// computed is inside it, and there is nothing to mask. In these terms a cell's left neighbour is s-1 of its own row, the upper
// one s+1 and the diagonal one s of the row above; so one array of registers holds both rows. A step computes WW_ROWS
// rows, each two cells behind the row above it. Columns left of the first and right of the last are infinitely far
// points; so are the padding rows at the top to fill the first step.
//
// A pack of 32 column series is interleaved (interleave.cl); the lanes of a pack compute the row series of a chunk one
// after the other, and read the same row. No local memory, no barrier, no exchange.
#ifndef WW_WG
#define WW_WG 64
#endif
#ifndef WW_PACK
#define WW_PACK 32
#endif

// Column j's value of this lane's series. Outside it minus infinity, which is infinitely far from the padding rows'
// infinity as well.
#define WW_RIBBON_Y(j) ((uint)(j) < (uint)m ? ys[(ulong)(uint)(j) * WW_PACK] : -(ww_scalar)INFINITY)

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
        ww_pair lengths;
        lengths.rows = (real)n;
        lengths.columns = (real)m;
        WW_SET_PAIR(lengths)
        real c[WW_COLS];
        real b[WW_COLS + WW_ROWS - 1];  // columns of the step's rows
        real a[WW_ROWS], fresh[WW_ROWS];
#pragma unroll
        for (int s = 0; s < WW_COLS; s++)
            c[s] = WW_BORDER;
#pragma unroll
        for (int s = 0; s < WW_COLS + WW_ROWS - 1; s++)
            b[s] = WW_RIBBON_Y(s - WW_BELOW - padding);
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            a[q] = q < padding ? WW_INF : x.at[q - padding];
        for (int i = -padding; i < n; i += WW_ROWS) {
            // The values for the next step, fetched while this one computes.
            real next[WW_ROWS];
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++) {
                fresh[q] = WW_RIBBON_Y(i + WW_COLS + WW_ROWS - 1 - WW_BELOW + q);
                next[q] = x.at[min(i + WW_ROWS + q, n - 1)];
            }
#pragma unroll
            for (int t = 0; t < WW_COLS + 2 * (WW_ROWS - 1); t++) {
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++) {
                    const int s = t - 2 * q;
                    if (s >= 0 && s < WW_COLS) {
                        const real left = s > 0 ? c[s > 0 ? s - 1 : 0] : WW_OUTSIDE;
                        const real up = s + 1 < WW_COLS ? c[s + 1 < WW_COLS ? s + 1 : s] : WW_OUTSIDE;
                        // The corner of the matrix is above and left of its first cell.
                        const real diagonal = s == WW_BELOW && i + q == 0 ? (real)0 : c[s];
                        ww_point px, py;
                        px.value[0] = a[q];
                        py.value[0] = b[s + q];
                        c[s] = WW_CELL(left, up, diagonal, px, py, WW_LAG((real)(WW_BELOW - s)), lengths, q & 1);
                    }
                }
            }
#pragma unroll
            for (int s = 0; s < WW_COLS - 1; s++)
                b[s] = b[s + WW_ROWS];
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++) {
                b[WW_COLS - 1 + q] = fresh[q];
                a[q] = next[q];
            }
        }
        const int last = m - n + WW_BELOW;
        real result = c[0];
#pragma unroll
        for (int s = 1; s < WW_COLS; s++)
            result = s <= last ? c[s] : result;
        if (mine && WW_PACK_WANTED(p, row, lane))
            ww_store(out, args, x_id, y_id, 0, ww_final(result, x.length, (uint)m));
    }
}
