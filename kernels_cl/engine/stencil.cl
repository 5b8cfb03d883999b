// SPDX-License-Identifier: Apache-2.0
// Engine `stencil`: three anti-diagonals in local memory, one work-group a pair, one work-item a cell of the diagonal, one
// barrier a diagonal. Plain, and right on every device: what the other engines are compared with there.
//
// Cell (i, j), 0 <= i <= n, 0 <= j <= m, of diagonal i+j stands at [diagonal % 3][i]; row 0 and column 0 are the border.
// Local memory: `diagonals`, 3*(n+1) values of the longest row series (job.scratch = n+1).
#ifndef WW_WG
#define WW_WG 64
#endif

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_stencil(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
           __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
           __global const uint *restrict x_order, __global const uint *restrict y_order,
           __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
           __local ww_scalar *diagonals) {
    const int lid = (int)get_local_id(0);
    const uint stride = args.scratch;
#if WW_LIST
    const uint task = args.row_begin + args.unit_begin + (uint)get_group_id(0);
    const uint x_id = x_order[3 * (ulong)task], y_id = x_order[3 * (ulong)task + 1];
    const bool mine = !(args.flags & WW_LAUNCH_HALF);
#else
    const uint columns = args.column_end - args.column_begin;
    const uint unit = args.unit_begin + (uint)get_group_id(0), row_slot = unit / columns;
    const uint row = args.row_begin + row_slot;
    const uint column = args.column_begin + ww_rest(unit, columns, row_slot);
    const uint x_id = x_order[row], y_id = y_order[column];
    const bool mine = !(args.flags & WW_LAUNCH_HALF) || row < column;
#endif
    const ww_series x = ww_series_load(x_values, x_series, x_id, args.channel);
    const ww_series y = ww_series_load(y_values, y_series, y_id, args.channel);
    // The whole work-group leaves, or none of it.
    if (!mine)
        return;

    const int n = (int)x.length, m = (int)y.length;
    ww_pair lengths;
    lengths.rows = (real)n;
    lengths.columns = (real)m;
    // Rows of the diagonal inside the matrix (and the band, whose ends only move down): [first, last].
    int first = 1, last = 0;
#if WW_BAND
    const ww_pair_band limits = WW_BAND_OF(x, y);
#endif
    for (int diagonal = 0; diagonal <= n + m; diagonal++) {
        __local ww_scalar *now = diagonals + (uint)(diagonal % 3) * stride;
        __local const ww_scalar *before = diagonals + (uint)((diagonal + 2) % 3) * stride;
        __local const ww_scalar *two_before = diagonals + (uint)((diagonal + 1) % 3) * stride;
        // The cells just outside are read by the next two diagonals.
        const int top = max(0, diagonal - m), bottom = min(n, diagonal);
#if WW_BAND
        while (first <= n && first + (int)ww_band_hi(limits, (uint)first - 1) < diagonal)
            first++;
        while (last < n && last + 1 + (int)ww_band_lo(limits, (uint)last) < diagonal)
            last++;
        const int from = max(top, first - 2), to = min(bottom, last + 2);
#else
        first = max(1, top);
        last = min(n, diagonal - 1);
        const int from = top, to = bottom;
#endif
        for (int i = from + lid; i <= to; i += WW_WG) {
            const int j = diagonal - i;
            ww_scalar value;
            if (diagonal == 0)
                value = 0;
            else if (i == 0)
                value = ww_top(WW_POINT(y, (uint)j - 1), (real)(j - 1), lengths);
            else if (j == 0)
                value = ww_left(WW_ROW_AT(x, (uint)i - 1), (real)(i - 1), lengths);
            else if (i < first || i > last)
                value = WW_OUTSIDE;
            else {
                ww_scalar corner = two_before[i - 1];
#if WW_CARRY
                if (i > 1 && j > 1)
                    corner = ww_carry(corner, WW_ROW_AT(x, (uint)i - 2), WW_COLUMN_AT(y, (uint)j - 2),
                                      WW_LAG((real)(i - j)));
#endif
                value = ww_cell(before[i], before[i - 1], corner, WW_ROW_AT(x, (uint)i - 1),
                                WW_COLUMN_AT(y, (uint)j - 1), WW_LAG((real)(i - j)), lengths, 0);
            }
            now[i] = value;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        const ww_scalar value = ww_final(diagonals[(uint)((n + m) % 3) * stride + (uint)n], x.length, y.length);
#if WW_LIST
        ww_store(out, args, x_order[3 * (ulong)task + 2], 0, value);
#else
        ww_store(out, args, x_id, y_id, value);
#endif
    }
}
