// SPDX-License-Identifier: Apache-2.0
// Values of listed pairs, as the pass back needs them (gradient_backward.cl):
//
//   ww_gradient_forward   D in each block, from the row above it and the column to its left: D(i,j) is the recurrence's, with the
//                         soft minimum or the hard one
//
// A work-item computes a block at a time (gradient_blocks.cl). What a block hands on is in a row and a column of the pair, in
// place (`carried`). The checkpoint of each block, the row above and the column to its left, is noted: WW_ROWS + WW_COLS + 1
// values of the block's WW_ROWS * WW_COLS. So the pass back needs no memory for D itself. Where there is no room for all
// checkpoints, columns of blocks are taken in segments, from the right: a first pass notes the last column of each segment
// (`edges`), and then each segment has a pass of its own.
//
// No local memory, no barriers.

// The row above a block: the border, or what the block above left.
WW_INLINE void ww_take_row(ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                           __global const ww_scalar *packed, __global const ww_scalar *carried) {
    const ww_pair lengths = block->lengths;
    (void)lengths;
    WW_EACH_CELL for (int r = 0; r < WW_COLS; r++) {
        const real above = ww_read(carried, at->row, (ulong)r);
        real border = WW_BORDER;
        if (WW_BORDERS)
            border = ww_top(ww_read_point(packed, at->y, (uint)r), WW_TO_REAL(block->j0 + r), lengths);
        block->d[ww_cell_at(-1, r)] = WW_IF(block->has_above, above, border);
    }
}
// The column to the left, and the corner: the border, what the block there left, or the last column of the segment before.
WW_INLINE void ww_take_edge(ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                            __global const ww_scalar *edges) {
    ulong from[WW_VECTOR], corner[WW_VECTOR];
    int first[WW_VECTOR];
    for (int v = 0; v < WW_BLOCK_PLACES; v++) {
        const ulong row = ((ulong)(args.segment - 1) * at->task[v].tall + at->i[v]) * WW_ROWS;
        from[v] = at->task[v].edges + row * WW_STRIDE;
        corner[v] = from[v] - (at->i[v] ? WW_STRIDE : 0);
        first[v] = at->j[v] == args.column_begin ? -1 : 0;
    }
    WW_EACH_CELL for (int q = -1; q < WW_ROWS; q++) {
        const real edge = ww_read(edges, q < 0 ? corner : from, (ulong)max(q, 0));
        block->d[ww_cell_at(q, -1)] = WW_IF(ww_ints_of(first), edge, block->d[ww_cell_at(q, -1)]);
    }
}
WW_INLINE void ww_take_column(ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                              __global const ww_scalar *packed, __global const ww_scalar *carried,
                              __global const ww_scalar *edges) {
    const ww_pair lengths = block->lengths;
    (void)lengths;
    WW_EACH_CELL for (int q = -1; q < WW_ROWS; q++)
        block->d[ww_cell_at(q, -1)] = ww_read(carried, at->column, (ulong)(q + 1));
    // Pairs side by side in vectors are in one segment.
    if (!WW_PACKED && args.column_begin > 0 && args.keep)
        ww_take_edge(block, at, args, edges);
    WW_EACH_CELL for (int q = -1; q < WW_ROWS; q++) {
        const real before = block->d[ww_cell_at(q, -1)];
        real border = WW_BORDER, top = WW_BORDER;
        if (WW_BORDERS)
            border = ww_left(block->a[max(q, 0) + (q >= 0)], WW_TO_REAL(max(block->i0 + q, (ww_ints)0)), lengths);
        if (q < 0) {
            if (WW_BORDERS)
                top = ww_top(ww_read_point(packed, at->y_before, 0), WW_TO_REAL(max(block->j0 - 1, (ww_ints)0)), lengths);
            const real corner = WW_IF(block->has_left, top, (real)0);
            block->d[ww_cell_at(-1, -1)] = WW_IF(block->has_above, WW_IF(block->has_left, before, border), corner);
        } else {
            block->d[ww_cell_at(q, -1)] = WW_IF(block->has_left, before, border);
        }
    }
}

// Hands on the last row and column.
WW_INLINE void ww_leave(const ww_block *block, const ww_blocks *at, const ww_gradient_args args, __global ww_scalar *carried,
                        __global ww_scalar *edges, real corner) {
    WW_EACH_CELL for (int r = 0; r < WW_COLS; r++)
        ww_write(at, carried, at->row, (ulong)r, block->d[ww_cell_at(WW_ROWS - 1, r)]);
    ww_write(at, carried, at->column, 0, corner);
    WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++)
        ww_write(at, carried, at->column, (ulong)(q + 1), block->d[ww_cell_at(q, WW_COLS - 1)]);
    if (WW_PACKED || args.keep || !args.segment_columns)
        return;
    // The first pass of several: the last column of a segment.
    for (int v = 0; v < WW_BLOCK_PLACES; v++) {
        const ww_gradient_task task = at->task[v];
        const uint end = at->j[v] + 1;
        if (at->live[v] && end % args.segment_columns == 0 && end < task.wide) {
            const ulong row = ((ulong)(at->j[v] / args.segment_columns) * task.tall + at->i[v]) * WW_ROWS;
            for (int q = 0; q < WW_ROWS; q++)
                edges[task.edges + (row + (ulong)q) * WW_STRIDE] = carried[at->column[v] + (ulong)(q + 1) * WW_STRIDE];
        }
    }
}

// The results of lanes whose last cell is in the block.
WW_INLINE bool ww_lane_ends(const ww_blocks *at, const ww_gradient_args args, __global const ww_gradient_task *tasks,
                            const int v) {
    const ww_gradient_task task = ww_lane_task(at, args, tasks, v);
    const int place = WW_PACKED ? 0 : v;
    return ww_lane_live(at, args, v) && at->i[place] == (task.n - 1) / WW_ROWS && at->j[place] == (task.m - 1) / WW_COLS;
}
WW_INLINE void ww_end(const ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                      __global const ww_gradient_task *tasks, __global ww_scalar *ends) {
    bool ending = false;
    for (int v = 0; v < WW_VECTOR; v++)
        ending |= ww_lane_ends(at, args, tasks, v);
    if (!ending)
        return;
    real value = 0;
    WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++) {
        WW_EACH_CELL for (int r = 0; r < WW_COLS; r++)
            value = WW_IF((block->i0 + q < block->n) & (block->j0 + r < block->m), block->d[ww_cell_at(q, r)], value);
    }
    ww_scalar found[WW_VECTOR];
    ww_each_of(value, found);
    for (int v = 0; v < WW_VECTOR; v++)
        if (ww_lane_ends(at, args, tasks, v))
            ends[ww_lane_task(at, args, tasks, v).number] = found[v];
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_gradient_forward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                    __global const uint *restrict band, __global const ww_scalar *restrict packed,
                    __global ww_scalar *restrict carried, __global ww_scalar *restrict checkpoints,
                    __global ww_scalar *restrict edges, __global ww_scalar *restrict ends
#if WW_TABLED
                    , __global const ww_scalar *restrict table
#endif
) {
    ww_blocks at;
    for (uint walked = 0; ww_blocks_find(&at, args, tasks, walked, false); walked++) {
        ww_row a[WW_ROWS + 1];
        ww_column b[WW_COLS + 1];
        real along[WW_BLOCK_DIAGONALS], d[WW_BLOCK_VALUES];
        ww_ints band_lo[WW_ROWS], band_hi[WW_ROWS];
        ww_block block = {.a = a, .b = b, .along = along, .d = d, .band_lo = band_lo, .band_hi = band_hi};
        ww_block_take(&block, &at, args, tasks, band, packed);
#if WW_TABLED
        real costs[WW_ROWS * WW_COLS];
        block.costs = costs;
        ww_block_costs(&block, &at, args, tasks, table);
#endif
        ww_take_row(&block, &at, args, packed, carried);
        ww_take_column(&block, &at, args, packed, carried, edges);
        if (args.keep) {
            WW_EACH_CELL for (int r = 0; r < WW_COLS; r++)
                ww_write(&at, checkpoints, at.checkpoint, (ulong)r, d[ww_cell_at(-1, r)]);
            WW_EACH_CELL for (int q = -1; q < WW_ROWS; q++)
                ww_write(&at, checkpoints, at.checkpoint, (ulong)(WW_COLS + 1 + q), d[ww_cell_at(q, -1)]);
        }
        const real corner = d[ww_cell_at(-1, WW_COLS - 1)];
        ww_fill_block(&block, args, 0);
        ww_leave(&block, &at, args, carried, edges, corner);
        ww_end(&block, &at, args, tasks, ends);
        if (!args.whole)
            return;
    }
}
