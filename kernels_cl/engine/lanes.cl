// SPDX-License-Identifier: Apache-2.0
// Engine `lanes`: the matrix of a pair computed by G adjacent work-items (lanes), WW_ROWS rows a step. One lane's block
// is in walk.cl, narrow bands are in ribbon.cl.
//
// Tried, not taken: float minima of two (-17 % for DTW), groups of 32 or 128, a limit of registers: no gain.
// Nor: rows by way of local memory, a ring for a group: +34 % at 500 pairs of 2048 points, +1.4 % at 2000 of 512, else slower.
//
// A lane keeps one block of WW_COLS columns of the previous row in registers. A step computes WW_ROWS rows of the
// block, each row one column behind the row above it, so that no register is copied; then the lane passes the values of
// its last column to its right-hand neighbour, which computes the same rows one step later. Without a band, lane l has
// block l of every pair, and lane 0 begins the next pair while the others finish this one: the group never drains. With
// a band, block b is computed from row-step first(b) to end(b); lane l has the blocks b = l, l+G, ..., and the last
// lane passes its values to the first.
//
// Rows that do not fill a row-step are padded at the top: a row of infinities gives the border row itself (every match
// has infinite cost, so only steps to the right remain), and the last row is always in c.
//
// With open ends each lane keeps the best of the ends in its block, and passes it on with its last row-step: the lane
// of the last column has the best of all.
//
// A group takes a list of pairs: in a rectangle one column series and a chunk of row series, in a list rows_per_group
// consecutive tasks. In a rectangle the groups are numbered along the columns, chunk after chunk.
//
// Parameters: WW_COLS, WW_ROWS, WW_WG (work-group size, a multiple of the group's width), WW_EXCHANGE (base/vendor.cl; 0:
// through local memory). Local memory: one word, and with WW_EXCHANGE 0 2*WW_ROWS*WW_WG values (with open ends 2*WW_WG more) and one barrier a step.
#ifndef WW_WG
#define WW_WG 64
#endif

// Row-steps of a lane for a pair, from the beginning of its first block to the end of its last.
#if WW_BAND
#define WW_BLOCKS(y) (((y).length + WW_COLS - 1) / WW_COLS)
#define WW_DURATION(x, y) (((x).length + WW_ROWS - 1) / WW_ROWS + ((WW_BLOCKS(y) - 1) & ~(width - 1)))
#else
#define WW_DURATION(x, y) (((x).length + WW_ROWS - 1) / WW_ROWS)
#endif

// The last lane's value goes to the first only in a band, where a lane has several blocks.
#define WW_PASS_ON(value, width) (WW_BAND ? ww_exchange_rotate(value, width) : ww_exchange_up(value, width))

__kernel WW_EXCHANGE_KERNEL __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_lanes(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
         __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
         __global const uint *restrict x_order, __global const uint *restrict y_order,
         __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args) {
    const uint lid = get_local_id(0);
    const uint width = args.group_width;
    const uint lane = lid & (width - 1);
    const uint groups = WW_WG / width;
    const ww_run run = ww_run_of(args, (args.unit_begin + (uint)get_group_id(0)) * groups + lid / width);
    const uint task_end = run.end;
    uint task = run.task;
#if WW_LIST
    const uint y_id = 0;  // each task has its own
#else
    const uint y_id = y_order[run.column];
    const ww_series y = ww_series_load(y_values, y_series, y_id, args.channel);
#endif

    // Steps of the longest list in the work-group, so that all its work-items leave the loop together.
    __local uint longest;
    if (lid == 0)
        longest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        uint steps = 0;
        for (uint t = task; t < task_end; t++) {
#if WW_LIST && WW_BAND
            const ww_series y = ww_series_load(y_values, y_series, WW_TASK_Y(t), args.channel);
#endif
            const ww_series x = ww_series_load(x_values, x_series, WW_STEP_X(t), args.channel);
            steps += WW_DURATION(x, y);
        }
        atomic_max(&longest, steps);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint total = longest ? longest + width - 1 : 0;

#if WW_EXCHANGE == 0
    __local ww_scalar edges[2][(WW_ROWS + WW_OPEN) * WW_WG];
#endif
    ww_series x;
#if WW_LIST
    ww_series y;
#endif
    ww_block w;
    ww_point a[WW_ROWS];            // the next row-step's points
    uint id = 0;                    // the row series, or a list's result
    uint begin = 0;                 // step at which lane 0 begins the pair
    uint block = lane;
    uint start = 0, end = 0;        // steps of this lane's block
    uint owner = 0, owned = 0;      // the lane (or block) and register that hold the last column
#if WW_OPEN
    real best = WW_INF;             // of the ends in this block; at the block's end also of those to the left
    real left_best = WW_INF;        // the left-hand neighbour's
#endif
    uint left_end = 0;              // step at which the block to the left ends, of a band
    bool above_known = false;       // whether it has the row above this block's first
#if WW_BAND
    ww_pair_band limits;
    uint blocks = 0;
#endif
    w.previous = WW_BORDER;
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        w.l[q] = WW_BORDER;
        w.v[q] = WW_BORDER;
    }
    w.i = 0;
    w.first_column = (int)(lane * WW_COLS);
    if (!WW_LIST && !WW_BAND)
        ww_load_columns(&w, args, y);

    // A new pair (fresh) or a new block of it: 1 load the pair, 2 load the block's columns and its first rows.
    bool fresh = true, enter = true;
    for (uint k = 0; k < total; k++) {
        while (enter && task < task_end) {
            if (fresh) {
#if WW_LIST
                id = WW_TASK_RESULT(task);
                y = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);
#else
                id = WW_STEP_X(task);
#endif
                x = ww_series_load(x_values, x_series, WW_STEP_X(task), args.channel);
                block = lane;
#if WW_BAND
                limits = WW_BAND_OF(x, y);
                blocks = WW_BLOCKS(y);
                if (block >= blocks) {
                    begin += WW_DURATION(x, y);
                    task++;
                    continue;
                }
#endif
                w.n = x.length;
                w.m = y.length;
                w.lengths.rows = (real)x.length;
                w.lengths.columns = (real)y.length;
                WW_SET_PAIR(w.lengths)
                owner = (y.length - 1) / WW_COLS;
                owned = (y.length - 1) % WW_COLS;
            }
            w.first_column = (int)(block * WW_COLS);
#if WW_BAND
            const uint first = ww_block_first(limits, block), before = block ? ww_block_end(limits, block - 1) : 0;
            start = begin + first + block;
            end = begin + ww_block_end(limits, block) + block;
            w.i = (int)(first * WW_ROWS) - WW_PADDING(x.length);
            left_end = block ? begin + before + block : 0;
            above_known = block && ww_block_first(limits, block - 1) < first && before >= first;
#else
            start = begin + lane;
            end = start + (x.length + WW_ROWS - 1) / WW_ROWS;
            w.i = -WW_PADDING(x.length);
#endif
            if (WW_LIST || WW_BAND != 0)
                ww_load_columns(&w, args, y);
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                a[q] = ww_row_point(x, w.i + q);
            if (WW_NEEDS_LAST)
                w.last = ww_row_point(x, w.i - 1);
            ww_load_beside(&w, args, y);
            // Only the first row-step is below the matrix's border.
            ww_load_top(&w, args, y, w.i <= 0);
            ww_fill_diagonals(&w, args, WW_ROWS, (real)(w.i - w.first_column));
#if WW_OPEN
            best = block == owner ? ww_border_ends(WW_ROW_AT(x, 0), WW_POINT(y, 0), w.lengths) : WW_INF;
#endif
            enter = false;
            fresh = false;
        }

        if (!enter && k >= start) {
            // The left edge: the neighbour's values where it was inside its block, else the matrix's border or the outside.
            ww_load_rows(&w, args, a);
            ww_edge(&w, args, block == 0, !WW_BAND || k < left_end, k == start ? above_known : !WW_BAND || k <= left_end);
#if WW_BAND
            ww_find_inside(&w, limits);
#endif
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                a[q] = WW_POINT(x, (uint)min(w.i + WW_ROWS + q, (int)x.length - 1));

            ww_sweep(&w, args);
#if WW_OPEN
            const bool last_step = w.i + WW_ROWS == (int)x.length;
            best = ww_take_ends(&w, args, WW_ROWS, block == owner, last_step, best);
            // The block to the left has cells of the last row where it ended one step ago.
            const bool beside = WW_BAND ? block && left_end == end : lane != 0;
            best = last_step && beside ? ww_lesser(best, left_best) : best;
#endif
            w.i += WW_ROWS;

            if (k + 1 == end) {
                if (block == owner) {
#if WW_OPEN
                    const real result = best;
                    (void)owned;
#else
                    // The last r <= owned wins; with an equality the compiler would index c and keep it in memory.
                    real result = w.c[0];
#pragma unroll
                    for (uint r = 1; r < WW_COLS; r++)
                        result = r <= owned ? w.c[r] : result;
#endif
                    ww_store(out, args, id, y_id, id, ww_final(result, x.length, y.length));
                }
                enter = true;
#if WW_BAND
                block += width;
                fresh = block >= blocks;
#else
                fresh = true;
#endif
                if (fresh) {
                    begin += WW_DURATION(x, y);
                    task++;
                }
            }
        }

        w.previous = w.l[WW_ROWS - 1];
#if WW_EXCHANGE == 0
        __local ww_scalar *edge = edges[k & 1];
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            edge[q * WW_WG + lid] = w.v[q];
#if WW_OPEN
        edge[WW_ROWS * WW_WG + lid] = best;
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint from = (lid & ~(width - 1)) | ((lane - 1) & (width - 1));
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            w.l[q] = edge[q * WW_WG + from];
#if WW_OPEN
        left_best = edge[WW_ROWS * WW_WG + from];
#endif
#else
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            w.l[q] = WW_PASS_ON(w.v[q], width);
#if WW_OPEN
        left_best = WW_PASS_ON(best, width);
#endif
#endif
    }
}
