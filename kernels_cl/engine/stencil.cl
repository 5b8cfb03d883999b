// SPDX-License-Identifier: Apache-2.0
// Engine `stencil`: three anti-diagonals in local memory, one work-group a pair, one work-item a cell of the diagonal, one
// barrier a diagonal. Simple, and correct on every device: the other engines are compared with it.
//
// Cell (i, j), 0 <= i <= n, 0 <= j <= m, of diagonal i+j is at [diagonal % 3][i]; row 0 and column 0 are the border.
// Local memory: `diagonals`, 3*(n+1) values of the longest row series (args.scratch = n+1); with open ends WW_WG more.

// The pair, and the diagonal that is computed: its rows in [from, to], those of them inside the matrix and the band in [first, last],
// and the cells' values, with those of the two diagonals before.
typedef struct {
    int n, m, diagonal, from, to, first, last;
    ww_pair lengths;
    __local ww_scalar *now;
    __local const ww_scalar *before, *two_before;
} ww_stencil_diagonal;
// The next one. The ends of the band only move down. The cells just outside are read by the next two diagonals.
WW_INLINE void ww_stencil_go(ww_stencil_diagonal *d, ww_pair_band limits, __local ww_scalar *diagonals, uint stride, int diagonal) {
    const int n = d->n, m = d->m, top = max(0, diagonal - m), bottom = min(n, diagonal);
    d->diagonal = diagonal;
    d->now = diagonals + (uint)(diagonal % 3) * stride;
    d->before = diagonals + (uint)((diagonal + 2) % 3) * stride;
    d->two_before = diagonals + (uint)((diagonal + 1) % 3) * stride;
    if (WW_BAND) {
        while (d->first <= n && d->first + (int)ww_band_hi(limits, (uint)d->first - 1) < diagonal)
            d->first++;
        while (d->last < n && d->last + 1 + (int)ww_band_lo(limits, (uint)d->last) < diagonal)
            d->last++;
    } else {
        d->first = max(1, top);
        d->last = min(n, diagonal - 1);
    }
    d->from = WW_BAND ? max(top, d->first - 2) : top;
    d->to = WW_BAND ? min(bottom, d->last + 2) : bottom;
}
WW_INLINE ww_scalar ww_stencil_cell(const ww_stencil_diagonal *d, const ww_launch_args args, ww_series x, ww_series y, int i) {
    const int j = d->diagonal - i;
    const ww_pair lengths = d->lengths;
    if (d->diagonal == 0)
        return 0;
    if (i == 0)
        return ww_border_top(WW_POINT(y, (uint)j - 1), (real)(j - 1), lengths);
    if (j == 0)
        return ww_border_left(WW_ROW_AT(x, (uint)i - 1), (real)(i - 1), lengths);
    if (i < d->first || i > d->last)
        return WW_OUTSIDE;
    ww_scalar corner = d->two_before[i - 1];
    if (WW_CARRY && i > 1 && j > 1)
        corner = ww_carry(corner, WW_ROW_AT(x, (uint)i - 2), WW_COLUMN_AT(y, (uint)j - 2), WW_LAG((real)(i - j)));
    const ww_row own_row = WW_ROW_AT(x, (uint)i - 1);
    const ww_column own_column = WW_MEET(own_row, WW_COLUMN_AT(y, (uint)j - 1));
    return WW_CELL(d->before[i], d->before[i - 1], corner, own_row, own_column, WW_LAG((real)(i - j)), lengths, 0);
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_stencil(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
           __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
           __global const uint *restrict x_order, __global const uint *restrict y_order,
           __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
           __local ww_scalar *diagonals) {
    const int lid = (int)get_local_id(0);
    const ww_task task = ww_task_of(x_order, y_order, args, (uint)get_group_id(0));
    const ww_series x = ww_series_load(x_values, x_series, task.x, args.channel);
    const ww_series y = ww_series_load(y_values, y_series, task.y, args.channel);
    // The whole work-group leaves, or none of it.
    if (!task.wanted)
        return;

    ww_stencil_diagonal d;
    d.n = (int)x.length;
    d.m = (int)y.length;
    d.lengths.rows = (real)d.n;
    d.lengths.columns = (real)d.m;
    WW_SET_PAIR(d.lengths)
    d.first = 1;
    d.last = 0;
#if WW_OPEN
    __local ww_scalar bests[WW_WG];
    ww_scalar best = ww_border_ends(WW_ROW_AT(x, 0), WW_POINT(y, 0), d.lengths);
#endif
    const ww_pair_band limits = WW_BAND_OF(x, y);
    for (int diagonal = 0; diagonal <= d.n + d.m; diagonal++) {
        ww_stencil_go(&d, limits, diagonals, args.scratch, diagonal);
        for (int i = d.from + lid; i <= d.to; i += WW_WG) {
            const ww_scalar value = ww_stencil_cell(&d, args, x, y, i);
            d.now[i] = value;
#if WW_OPEN
            const int j = diagonal - i;
            const bool cell = i > 0 && j > 0 && i >= d.first && i <= d.last;
            if (cell && ((i == d.n && WW_END_COLUMN(j, d.m)) || (j == d.m && WW_END_ROW(i, d.n))))
                best = ww_lesser(best, value);
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#if WW_OPEN
    bests[lid] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int other = 0; lid == 0 && other < WW_WG; other++)
        best = ww_lesser(best, bests[other]);
#else
    const ww_scalar best = diagonals[(uint)((d.n + d.m) % 3) * args.scratch + (uint)d.n];
#endif
    if (lid == 0)
        ww_store_task(out, args, x_order, task, ww_final(best, x.length, y.length));
}
