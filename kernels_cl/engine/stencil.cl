// SPDX-License-Identifier: Apache-2.0
// Engine `stencil`: three anti-diagonals in local memory, one work-group a pair, one work-item a cell of the diagonal, one
// barrier a diagonal. Simple, and correct on every device: the other engines are compared with it.
//
// Cell (i, j), 0 <= i <= n, 0 <= j <= m, of diagonal i+j is at [diagonal % 3][i]; row 0 and column 0 are the border.
// Local memory: `diagonals`, 3*(n+1) values of the longest row series (args.scratch = n+1); with open ends WW_WG more.
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
    const ww_task task = ww_task_of(x_order, y_order, args, (uint)get_group_id(0));
    const ww_series x = ww_series_load(x_values, x_series, task.x, args.channel);
    const ww_series y = ww_series_load(y_values, y_series, task.y, args.channel);
    // The whole work-group leaves, or none of it.
    if (!task.wanted)
        return;

    const int n = (int)x.length, m = (int)y.length;
    ww_pair lengths;
    lengths.rows = (real)n;
    lengths.columns = (real)m;
    WW_SET_PAIR(lengths)
#if WW_OPEN
    __local ww_scalar bests[WW_WG];
    ww_scalar best = ww_border_ends(WW_ROW_AT(x, 0), WW_POINT(y, 0), lengths);
#endif
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
                value = ww_border_top(WW_POINT(y, (uint)j - 1), (real)(j - 1), lengths);
            else if (j == 0)
                value = ww_border_left(WW_ROW_AT(x, (uint)i - 1), (real)(i - 1), lengths);
            else if (i < first || i > last)
                value = WW_OUTSIDE;
            else {
                ww_scalar corner = two_before[i - 1];
#if WW_CARRY
                if (i > 1 && j > 1)
                    corner = ww_carry(corner, WW_ROW_AT(x, (uint)i - 2), WW_COLUMN_AT(y, (uint)j - 2),
                                      WW_LAG((real)(i - j)));
#endif
                const ww_row own_row = WW_ROW_AT(x, (uint)i - 1);
                const ww_column own_column = WW_COLUMN_AT(y, (uint)j - 1);
                value = WW_CELL(before[i], before[i - 1], corner, own_row, own_column, WW_LAG((real)(i - j)), lengths, 0);
#if WW_OPEN
                if ((i == n && WW_END_COLUMN(j, m)) || (j == m && WW_END_ROW(i, n)))
                    best = ww_lesser(best, value);
#endif
            }
            now[i] = value;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#if WW_OPEN
    bests[lid] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int other = 0; lid == 0 && other < WW_WG; other++)
        best = ww_lesser(best, bests[other]);
#else
    const ww_scalar best = diagonals[(uint)((n + m) % 3) * stride + (uint)n];
#endif
    if (lid == 0)
        ww_store_task(out, args, x_order, task, ww_final(best, x.length, y.length));
}
