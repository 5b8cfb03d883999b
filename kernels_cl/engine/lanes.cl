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
    ww_series y = ww_series_load(y_values, y_series, y_id, args.channel);
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
#if WW_POINT_REGISTERS
    ww_column b[WW_COLS];
#endif
    ww_point a[WW_ROWS];            // the next row-step's points
#if WW_NEEDS_LAST
    ww_point last;                  // the point above them
#endif
#if WW_CARRY
    ww_column beside;               // the column left of the block
#endif
#if WW_BORDERS
    real corner_top = WW_BORDER;    // the top border above and left of the block
#endif
    ww_pair lengths;
    real c[WW_COLS];                // the block's previous row
    WW_KEPT_DIAGONALS
    real l[WW_ROWS], v[WW_ROWS];    // the left-hand neighbour's values, and this lane's last column
    real previous = WW_BORDER;      // the left-hand neighbour's last value, one step ago
    uint id = 0;                    // the row series, or a list's result
    uint begin = 0;                 // step at which lane 0 begins the pair
    uint block = lane, first_column = lane * WW_COLS;
    int i = 0;                      // the next row
    uint start = 0, end = 0;        // steps of this lane's block
    uint owner = 0, owned = 0;      // the lane (or block) and register that hold the last column
#if WW_OPEN
    real best = WW_INF;             // of the ends in this block; at the block's end also of those to the left
    real left_best = WW_INF;        // the left-hand neighbour's
#endif
#if WW_BAND
    ww_pair_band limits;
    uint blocks = 0, left_end = 0, above_known = 0;
#endif
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        l[q] = WW_BORDER;
        v[q] = WW_BORDER;
    }

#if WW_POINT_REGISTERS && !WW_LIST && !WW_BAND
#pragma unroll
    for (uint r = 0; r < WW_COLS; r++)
        b[r] = WW_COLUMN_AT(y, min(first_column + r, y.length - 1));
#endif

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
                lengths.rows = (real)x.length;
                lengths.columns = (real)y.length;
                WW_SET_PAIR(lengths)
                owner = (y.length - 1) / WW_COLS;
                owned = (y.length - 1) % WW_COLS;
            }
            first_column = block * WW_COLS;
#if WW_BAND
            const uint first = ww_block_first(limits, block), before = block ? ww_block_end(limits, block - 1) : 0;
            start = begin + first + block;
            end = begin + ww_block_end(limits, block) + block;
            i = (int)(first * WW_ROWS) - WW_PADDING(x.length);
            left_end = block ? begin + before + block : 0;
            above_known = block && ww_block_first(limits, block - 1) < first && before >= first;
#else
            start = begin + lane;
            end = start + (x.length + WW_ROWS - 1) / WW_ROWS;
            i = -WW_PADDING(x.length);
#endif
#if WW_POINT_REGISTERS && (WW_LIST || WW_BAND)
#pragma unroll
            for (uint r = 0; r < WW_COLS; r++)
                b[r] = WW_COLUMN_AT(y, min(first_column + r, y.length - 1));
#endif
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                a[q] = ww_row_point(x, i + q);
#if WW_NEEDS_LAST
            last = ww_row_point(x, i - 1);
#endif
#if WW_CARRY
            beside = WW_COLUMN_AT(y, min(first_column ? first_column - 1 : 0, y.length - 1));
#endif
#if WW_BORDERS
            // Only the first row-step is below the matrix's border.
            corner_top = WW_TOP_AT(y, first_column ? first_column - 1 : 0);
#pragma unroll
            for (uint r = 0; r < WW_COLS; r++)
                c[r] = i <= 0 ? WW_TOP_OF(r, first_column) : WW_OUTSIDE;
#else
#pragma unroll
            for (int r = 0; r < WW_COLS; r++)
                c[r] = WW_BORDER;
#endif
            WW_FILL_DIAGONALS((real)(i - (int)first_column))
#if WW_OPEN
            best = block == owner ? ww_border_ends(WW_ROW_AT(x, 0), WW_POINT(y, 0), lengths) : WW_INF;
#endif
            enter = false;
            fresh = false;
        }

        if (!enter && k >= start) {
            real d[WW_ROWS];
            // The left edge: the neighbour's values where it was inside its block, else the matrix's border or the outside.
#if WW_BAND
            const bool at_border = block == 0, known = k < left_end;
            const bool reached = k == start ? above_known : k <= left_end;
#else
            const bool at_border = lane == 0, known = true, reached = k != start;
#endif
            WW_ROW_ELEMENTS(a)
            WW_EDGE
#if WW_BAND
            uint inside[WW_ROWS];
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                inside[q] = ww_inside(limits, (uint)clamp(i + q, 0, (int)x.length - 1), first_column);
#endif
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                a[q] = WW_POINT(x, (uint)min(i + WW_ROWS + q, (int)x.length - 1));

            WW_SWEEP(WW_ROWS)
#if WW_OPEN
            const bool last_step = i + WW_ROWS == (int)x.length;
            WW_TAKE_ENDS(block == owner, last_step)
#if WW_BAND
            // The block to the left has cells of the last row where it ended one step ago.
            best = last_step && block && left_end == end ? ww_lesser(best, left_best) : best;
#else
            best = last_step && lane ? ww_lesser(best, left_best) : best;
#endif
#endif
            i += WW_ROWS;

            if (k + 1 == end) {
                if (block == owner) {
#if WW_OPEN
                    const real result = best;
                    (void)owned;
#else
                    // The last r <= owned wins; with an equality the compiler would index c and keep it in memory.
                    real result = c[0];
#pragma unroll
                    for (uint r = 1; r < WW_COLS; r++)
                        result = r <= owned ? c[r] : result;
#endif
                    ww_store(out, args, id, y_id, id, ww_final(result, x.length, y.length));
                }
                enter = true;
#if WW_BAND
                block += width;
                if (block >= blocks) {
                    begin += WW_DURATION(x, y);
                    task++;
                    fresh = true;
                }
#else
                begin += (x.length + WW_ROWS - 1) / WW_ROWS;
                task++;
                fresh = true;
#endif
            }
        }

        previous = l[WW_ROWS - 1];
#if WW_EXCHANGE == 0
        __local ww_scalar *edge = edges[k & 1];
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            edge[q * WW_WG + lid] = v[q];
#if WW_OPEN
        edge[WW_ROWS * WW_WG + lid] = best;
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint from = (lid & ~(width - 1)) | ((lane - 1) & (width - 1));
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            l[q] = edge[q * WW_WG + from];
#if WW_OPEN
        left_best = edge[WW_ROWS * WW_WG + from];
#endif
#elif WW_BAND
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            l[q] = ww_exchange_rotate(v[q], width);
#if WW_OPEN
        left_best = ww_exchange_rotate(best, width);
#endif
#else
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            l[q] = ww_exchange_up(v[q], width);
#if WW_OPEN
        left_best = ww_exchange_up(best, width);
#endif
#endif
    }
}
