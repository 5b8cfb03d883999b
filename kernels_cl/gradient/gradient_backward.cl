// SPDX-License-Identifier: Apache-2.0
// Gradients of listed pairs, behind gradient_forward.cl:
//
//   ww_gradient_backward  the adjoint A(i,j) = dV/dD(i,j) in each block, from the blocks below and to the right:
//       A(n,m) = 1,  A(i,j) = sum over the three successors s of A(s) dD(s)/dD(i,j)
//     with dD(s)/dD(i,j) = exp((best(s) - entry)/gamma), the share that the entry has in the soft minimum of s; with the
//     hard minimum 1 on the chosen path, where the first of diagonal, up, left wins among equals. A is a probability, so it
//     needs no scale. The slopes by points, parameters and weights are sums of A times those of the cells' costs.
//
// A work-item computes a block at a time (gradient_blocks.cl), its D again from its checkpoint. What a block hands on is in a row
// and a column of the pair, in place (`adjoints`); slopes are added to those of the pair. All sums are in a fixed order: no
// atomic operations.
//
// With WW_TABLED the costs are in a table, where W takes their places (gradient_table.cl).
//
// Parameters: WW_SLOPE_CHANNELS channels whose slopes are summed in one launch; WW_WANT_PARAMETERS, WW_WANT_LAGS,
// WW_WANT_ALIGNMENT. No local memory, no barriers.

#if !WW_KEEP_SHARES
// What comes of A for the neighbours: its shares in the choice.
WW_INLINE ww_entries ww_shares(ww_entries e, real a, ww_parameters p) {
#if WW_SELECT == WW_SELECT_SOFT
    const real least = ww_lesser(ww_lesser(ww_lesser(e.left, e.up), e.diagonal), WW_FAR);
    const real left = ww_soft_exp2((least - e.left) * p.soft_scale), up = ww_soft_exp2((least - e.up) * p.soft_scale),
               diagonal = ww_soft_exp2((least - e.diagonal) * p.soft_scale);
    // Out of reach all three are 0, else one of them is 1.
    const real share = a / ww_greater(left + up + diagonal, (real)1);
    return ww_entries_of(left * share, up * share, diagonal * share);
#else
    const real up_or_left = e.up <= e.left ? a : (real)0;
    const real least = e.up <= e.left ? e.up : e.left;
    return ww_entries_of(e.diagonal <= least ? (real)0 : a - up_or_left, e.diagonal <= least ? (real)0 : up_or_left,
                         e.diagonal <= least ? a : (real)0);
#endif
}
#endif
// A cell's: `node`, what of A is its own cost's, and the shares of its neighbours.
typedef struct {
    real node;
    ww_entries shares;
} ww_adjoint;
WW_INLINE ww_adjoint ww_cell_adjoint(const ww_block *block, const ww_gradient_args args, const ww_entries *shares, const int q,
                                     const int r, real all) {
    ww_adjoint a;
    a.node = all;
#if WW_KEEP_SHARES
    const ww_entries kept = shares[q * WW_COLS + r];
    a.shares = ww_entries_of(all * kept.left, all * kept.up, all * kept.diagonal);
#else
    const ww_entries e = ww_block_entries(block, args, q, r);
    real on = all;
    if (WW_NODE_MOST) {
        const real best = ww_choose(e, 0, WW_GIVEN);
        const real value = ww_node(best, block->a[q + 1], ww_block_column(block, q, r), ww_block_along(block, q, r), WW_GIVEN);
        on = value > best ? (real)0 : all;
        a.node = all - on;
    }
    a.shares = ww_shares(e, on, WW_GIVEN);
#endif
    return a;
}

// The sums of a block: by points, by those before them, by parameters, by the weight of each lag. Arrays are the kernel's.
typedef struct {
    real *x, *y, *x_before, *y_before, *parameter, *lag;
} ww_block_slopes;
#define WW_SLOPES_BEFORE (WW_ENTER_SLOPES && WW_BEFORE)
#define WW_SUMMED_PARAMETERS (WW_WANT_PARAMETERS ? WW_PARAMETER_SLOPES : 0)
#define WW_SUMMED_LAGS (WW_WANT_LAGS ? WW_BLOCK_DIAGONALS : 0)

WW_INLINE void ww_clear(real *sums, const int count) {
    WW_EACH_CELL for (int k = 0; k < count; k++)
        sums[k] = 0;
}
WW_INLINE void ww_clear_slopes(ww_block_slopes *slopes) {
    ww_clear(slopes->x, WW_ROWS * WW_SLOPE_CHANNELS);
    ww_clear(slopes->y, WW_COLS * WW_SLOPE_CHANNELS);
    ww_clear(slopes->x_before, WW_SLOPES_BEFORE ? WW_ROWS * WW_SLOPE_CHANNELS : 0);
    ww_clear(slopes->y_before, WW_SLOPES_BEFORE ? WW_COLS * WW_SLOPE_CHANNELS : 0);
    ww_clear(slopes->parameter, WW_SUMMED_PARAMETERS);
    ww_clear(slopes->lag, WW_SUMMED_LAGS);
}
// Adds a cell's to them.
WW_INLINE void ww_sum_cell(ww_block_slopes *slopes, const ww_block *block, const ww_gradient_args args, const int q, const int r,
                           ww_adjoint of) {
    const ww_row x = block->a[q + 1], x_before = block->a[q];
    const ww_column y = ww_block_column(block, q, r), y_before = block->b[r];
    const real along = ww_block_along(block, q, r);
    real carried = 0;
    if (WW_CARRY)
        carried = WW_IF((q ? WW_ALL : block->has_above) & (r ? WW_ALL : block->has_left), of.shares.diagonal, (real)0);
    (void)x_before, (void)y_before, (void)along, (void)carried;
#if WW_TABLED
    block->costs[q * WW_COLS + r] = of.node * ww_node_slope(x, y, along, 0);
#else
    WW_EACH_CELL for (int k = 0; k < WW_SLOPE_CHANNELS; k++) {
        const int c = WW_SLOPE_CHANNELS == WW_CHANNELS ? k : min((int)args.slope_channel + k, WW_CHANNELS - 1);
        const int row = q * WW_SLOPE_CHANNELS + k, column = r * WW_SLOPE_CHANNELS + k;
#if WW_NODE_SLOPES
        const real by_x = of.node * ww_node_slope(x, y, along, c);
        slopes->x[row] += by_x;
        slopes->y[column] -= by_x;
#endif
#if WW_ENTER_SLOPES
        const ww_slopes by = ww_enter_slope(of.shares, carried, x, y, x_before, y_before, c, WW_GIVEN);
        slopes->x[row] += by.x;
        slopes->y[column] += by.y;
        if (WW_SLOPES_BEFORE) {
            slopes->x_before[row] += by.x_before;
            slopes->y_before[column] += by.y_before;
        }
#endif
    }
#endif
#if WW_WANT_PARAMETERS
    const ww_pair lengths = block->lengths;
    WW_EACH_CELL for (int p = 0; p < WW_PARAMETER_SLOPES; p++)
        slopes->parameter[p] += ww_parameter_slope(of.shares, carried, of.node, x, y, x_before, y_before, along,
                                                   block->lag + (ww_scalar)(q - r), lengths, p, WW_GIVEN);
#endif
#if WW_WANT_LAGS
    slopes->lag[q - r + WW_COLS - 1] += of.node * ww_cost(x, y);
#endif
}

// Adds slopes by rows or columns of points, `count` from where each lane's begin.
WW_INLINE void ww_add_points(const ww_blocks *at, __global ww_scalar *slopes, const ulong *from, const real *sums,
                             const int count, const int k, uint c) {
    WW_EACH_CELL for (int q = 0; q < count; q++)
        ww_add(at, slopes, from, (ulong)q * WW_CHANNELS + c, sums[q * WW_SLOPE_CHANNELS + k]);
}
// Adds a block's sums to the pair's. Those by the points before come behind those by points.
WW_INLINE void ww_add_slopes(const ww_block_slopes *of, const ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                             __global ww_scalar *slopes, __global ww_scalar *sums) {
    ulong x[WW_BLOCK_PLACES], y[WW_BLOCK_PLACES], x_before[WW_BLOCK_PLACES], y_before[WW_BLOCK_PLACES];
    ulong parameters[WW_BLOCK_PLACES], lags[WW_BLOCK_PLACES];
    for (int v = 0; v < WW_BLOCK_PLACES; v++) {
        const ww_gradient_task task = at->task[v];
        const ulong i = at->i[v], j = at->j[v];
        x[v] = task.x_slopes + i * (WW_ROWS * WW_CHANNELS * WW_STRIDE);
        y[v] = task.y_slopes + j * (WW_COLS * WW_CHANNELS * WW_STRIDE);
        x_before[v] = x[v] + (ulong)task.tall * (WW_ROWS * WW_CHANNELS * WW_STRIDE);
        y_before[v] = y[v] + (ulong)task.wide * (WW_COLS * WW_CHANNELS * WW_STRIDE);
        parameters[v] = task.sums + i * (WW_PARAMETER_SLOPES * WW_STRIDE);
        lags[v] = task.lags + (i * WW_ROWS + (task.wide - j) * WW_COLS) * WW_STRIDE;
    }
    WW_EACH_CELL for (int k = 0; k < WW_SLOPE_CHANNELS && !WW_TABLED; k++) {
        const uint c = (WW_SLOPE_CHANNELS == WW_CHANNELS ? 0 : args.slope_channel) + (uint)k;
        if (c < WW_CHANNELS) {
            ww_add_points(at, slopes, x, of->x, WW_ROWS, k, c);
            ww_add_points(at, slopes, y, of->y, WW_COLS, k, c);
            ww_add_points(at, slopes, x_before, of->x_before, WW_SLOPES_BEFORE ? WW_ROWS : 0, k, c);
            ww_add_points(at, slopes, y_before, of->y_before, WW_SLOPES_BEFORE ? WW_COLS : 0, k, c);
        }
    }
    if (args.slope_channel != 0)
        return;
    WW_EACH_CELL for (int p = 0; p < WW_SUMMED_PARAMETERS; p++)
        ww_add(at, sums, parameters, (ulong)p, of->parameter[p]);
#if WW_WANT_LAGS
    // Weights of a pair may be scaled (recurrence/wdtw.cl).
    WW_EACH_CELL for (int k = 0; k < WW_SUMMED_LAGS; k++)
        ww_add(at, sums, lags, (ulong)k, of->lag[k] * exp2(block->lengths.scale));
#endif
}

// The expected alignment: A of each cell.
WW_INLINE void ww_note_alignment(const ww_blocks *at, const ww_gradient_args args, __global const ww_gradient_task *tasks,
                                 __global ww_scalar *alignment, const int q, const int r, real all) {
    ww_scalar each[WW_VECTOR];
    ww_each_of(all, each);
    for (int v = 0; v < WW_VECTOR; v++) {
        const ww_gradient_task task = ww_lane_task(at, args, tasks, v);
        const int place = WW_PACKED ? 0 : v;
        const uint i = at->i[place] * WW_ROWS + (uint)q, j = at->j[place] * WW_COLS + (uint)r;
        if (ww_lane_live(at, args, v) && i < task.n && j < task.m && args.slope_channel == 0 && task.aligned)
            alignment[task.alignment + (ulong)i * task.m + j] = each[v];
    }
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_gradient_backward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                     __global const uint *restrict band, __global const ww_scalar *restrict packed,
                     __global const ww_scalar *restrict checkpoints, __global ww_scalar *restrict adjoints,
                     __global ww_scalar *restrict slopes, __global ww_scalar *restrict sums,
                     __global ww_scalar *restrict alignment
#if WW_TABLED
                     , __global ww_scalar *restrict table
#endif
) {
    ww_blocks at;
    for (uint walked = 0; ww_blocks_find(&at, args, tasks, walked, true); walked++) {
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
        WW_EACH_CELL for (int r = 0; r < WW_COLS; r++)
            d[ww_cell_at(-1, r)] = ww_read(checkpoints, at.checkpoint, (ulong)r);
        WW_EACH_CELL for (int q = -1; q < WW_ROWS; q++)
            d[ww_cell_at(q, -1)] = ww_read(checkpoints, at.checkpoint, (ulong)(WW_COLS + 1 + q));
        ww_entries shares[WW_KEEP_SHARES ? WW_ROWS * WW_COLS : 1];
        ww_fill_block(&block, args, shares);
        // below[r]: what comes from the row below; to_left[q]: what goes to the block on the left; to_corner, which that block
        // hands on.
        real below[WW_COLS], from_right[WW_ROWS], to_left[WW_ROWS], to_corner = 0;
        real x_slope[WW_ROWS * WW_SLOPE_CHANNELS], y_slope[WW_COLS * WW_SLOPE_CHANNELS];
        real x_before[WW_ROWS * WW_SLOPE_CHANNELS], y_before[WW_COLS * WW_SLOPE_CHANNELS];
        real parameter[WW_SUMMED_PARAMETERS + 1], by_lag[WW_SUMMED_LAGS + 1];
        ww_block_slopes by = {x_slope, y_slope, x_before, y_before, parameter, by_lag};
        WW_EACH_CELL for (int r = 0; r < WW_COLS; r++)
            below[r] = ww_read(adjoints, at.row, (ulong)r);
        WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++)
            from_right[q] = ww_read(adjoints, at.column, (ulong)(q + 1));
        const real corner_in = ww_read(adjoints, at.column, 0);
        ww_clear(to_left, WW_ROWS);
        ww_clear_slopes(&by);
        WW_EACH_CELL for (int q = WW_ROWS - 1; q >= 0; q--) {
            real from_cell = from_right[q], pending = 0;  // from the cell on the right; its diagonal, for the row above
            WW_EACH_CELL for (int r = WW_COLS - 1; r >= 0; r--) {
                real all = below[r] + from_cell;
                all = WW_IF((block.i0 + q + 1 == block.n) & (block.j0 + r + 1 == block.m), (real)1, all);
                all = ww_in_band(&block, all, q, r, (real)0);
                const ww_adjoint of = ww_cell_adjoint(&block, args, shares, q, r, all);
                below[r] = of.shares.up + pending;
                pending = of.shares.diagonal;
                if (r) {
                    from_cell = of.shares.left;
                } else {
                    to_left[q] += of.shares.left;
                    if (q)
                        to_left[max(q - 1, 0)] += pending;
                    else
                        to_corner = pending;
                }
                ww_sum_cell(&by, &block, args, q, r, of);
                if (WW_WANT_ALIGNMENT)
                    ww_note_alignment(&at, args, tasks, alignment, q, r, all);
            }
        }
        below[WW_COLS - 1] += corner_in;
        if (args.slope_channel == args.last_slope_channel) {
            WW_EACH_CELL for (int r = 0; r < WW_COLS; r++)
                ww_write(&at, adjoints, at.row, (ulong)r, below[r]);
            ww_write(&at, adjoints, at.column, 0, to_corner);
            WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++)
                ww_write(&at, adjoints, at.column, (ulong)(q + 1), to_left[q]);
        }
        ww_add_slopes(&by, &block, &at, args, slopes, sums);
        ww_block_put(&block, &at, args, tasks, table);
        if (!args.whole)
            return;
    }
}
