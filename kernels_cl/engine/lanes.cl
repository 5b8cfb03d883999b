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

// What a lane does: a list of pairs, and of each its blocks of columns, one in a matrix without a band.
typedef struct {
    uint task;                 // or row slot
    uint begin;                // step at which lane 0 begins the pair
    uint block, blocks;        // of the pair
    uint start, end;           // steps of the block
    uint owner, owned;         // the block and the register that hold the last column
    uint left_end;             // step at which the block to the left ends, of a band
    bool above_known;          // whether it has the row above this block's first
    bool fresh, enter;         // a new pair, a new block
} ww_lane;

// Row-steps of a lane for a pair, from the beginning of its first block to the end of its last.
WW_INLINE uint ww_lane_blocks(uint m) {
    return (m + WW_COLS - 1) / WW_COLS;
}
WW_INLINE uint ww_lane_steps(uint n, uint m, uint width) {
    const uint steps = (n + WW_ROWS - 1) / WW_ROWS;
    return WW_BAND ? steps + ((ww_lane_blocks(m) - 1) & ~(width - 1)) : steps;
}
WW_INLINE void ww_lane_next(ww_lane *s, uint n, uint m, uint width) {
    s->begin += ww_lane_steps(n, m, width);
    s->task++;
}

// Row-steps of all pairs of a list, on its group's first lane; `y_length`: of a rectangle's column series.
WW_INLINE uint ww_lane_list_steps(__global const ulong2 *x_series, __global const ulong2 *y_series,
                                  __global const uint *x_order, ww_run run, uint y_length, uint lane, uint width) {
    uint steps = 0;
    if (lane != 0)
        return 0;
    for (uint t = run.task; t < run.end; t++) {
        const uint n = (uint)x_series[WW_STEP_X(t)].y;
        const uint m = !WW_BAND ? 0 : WW_LIST ? (uint)y_series[WW_TASK_Y(t)].y : y_length;
        steps += ww_lane_steps(n, m, width);
    }
    return steps;
}

// A pair begins; false where the lane has no block of it.
WW_INLINE bool ww_lane_begin_pair(ww_lane *s, ww_block *w, const ww_launch_args args, ww_series x, ww_series y, uint lane,
                                  uint width) {
    s->block = lane;
    s->blocks = ww_lane_blocks(y.length);
    if (WW_BAND && s->block >= s->blocks) {
        ww_lane_next(s, x.length, y.length, width);
        return false;
    }
    ww_set_pair(w, args, x.length, y.length);
    s->owner = (y.length - 1) / WW_COLS;
    s->owned = (y.length - 1) % WW_COLS;
    return true;
}
// A block begins: its steps, its columns and what is above and left of it; a[] are the points of its first row-step.
WW_INLINE void ww_lane_begin_block(ww_lane *s, ww_block *w, const ww_launch_args args, ww_series x, ww_series y,
                                   ww_pair_band limits, uint lane, ww_point *a) {
    w->first_column = (int)(s->block * WW_COLS);
    if (WW_BAND) {
        const uint block = s->block, first = ww_block_first(limits, block), before = block ? ww_block_end(limits, block - 1) : 0;
        s->start = s->begin + first + block;
        s->end = s->begin + ww_block_end(limits, block) + block;
        w->i = (int)(first * WW_ROWS) - WW_PADDING(x.length);
        s->left_end = block ? s->begin + before + block : 0;
        s->above_known = block && ww_block_first(limits, block - 1) < first && before >= first;
    } else {
        s->start = s->begin + lane;
        s->end = s->start + (x.length + WW_ROWS - 1) / WW_ROWS;
        w->i = -WW_PADDING(x.length);
    }
    if (WW_LIST != 0 || WW_BAND != 0)
        ww_load_columns(w, args, y);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        a[q] = ww_row_point(x, w->i + q);
    if (WW_NEEDS_LAST)
        w->last = ww_row_point(x, w->i - 1);
    ww_load_beside(w, args, y);
    // Only the first row-step is below the matrix's border.
    ww_load_top(w, args, y, w->i <= 0);
    ww_fill_diagonals(w, args, WW_ROWS, (real)(w->i - w->first_column));
    s->enter = s->fresh = false;
}

// Before the first pair.
WW_INLINE void ww_lane_start(ww_lane *s, ww_block *w, uint task, uint lane) {
    s->task = task;
    s->block = lane;
    s->begin = s->start = s->end = s->owner = s->owned = s->left_end = s->blocks = 0;
    s->above_known = false;
    s->fresh = s->enter = true;
    w->previous = WW_BORDER;
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        w->l[q] = WW_BORDER;
        w->v[q] = WW_BORDER;
    }
    w->i = 0;
    w->first_column = (int)(lane * WW_COLS);
}

// The sweep of a row-step behind its left edge; a[] become the next one's points.
WW_INLINE void ww_lane_sweep(ww_block *w, const ww_launch_args args, ww_series x, ww_pair_band limits, ww_point *a) {
    ww_find_inside(w, limits);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        a[q] = WW_POINT(x, (uint)min(w->i + WW_ROWS + q, (int)x.length - 1));
    ww_sweep(w, args);
}
// The block has ended; the lane's next one is of this pair, or of the next.
WW_INLINE void ww_lane_end_block(ww_lane *s, uint n, uint m, uint width) {
    s->enter = true;
    s->block += WW_BAND ? width : 0;
    s->fresh = !WW_BAND || s->block >= s->blocks;
    if (s->fresh)
        ww_lane_next(s, n, m, width);
}

__kernel WW_EXCHANGE_KERNEL __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_lanes(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
         __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
         __global const uint *restrict x_order, __global const uint *restrict y_order,
         __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args) {
    const uint lid = get_local_id(0);
    const uint width = args.group_width, lane = lid & (width - 1);
    const ww_run run = ww_run_of(args, (args.unit_begin + (uint)get_group_id(0)) * (WW_WG / width) + lid / width);
    const uint y_id = WW_LIST ? 0 : y_order[run.column];  // in a list each task has its own
    ww_series x, y;
    if (!WW_LIST)
        y = ww_series_load(y_values, y_series, y_id, args.channel);

    // Steps of the longest list in the work-group, so that all its work-items leave the loop together.
    __local uint most;
    const uint y_length = WW_LIST ? 0 : y.length;
    const uint own_steps = ww_lane_list_steps(x_series, y_series, x_order, run, y_length, lane, width);
    const uint total = ww_steps_of_groups(&most, own_steps, lid, lane, width);

    __local ww_scalar passed[WW_PASSED(WW_WG, WW_OPEN ? 1 : 0)];
    ww_block w;
    ww_point a[WW_ROWS];            // the next row-step's points
    uint id = 0;                    // the row series, or a list's result
    real best = WW_INF;             // WW_OPEN: of the ends in this block; at the block's end also of those to the left
    real left_best = WW_INF;        // the left-hand neighbour's
    ww_pair_band limits;
    ww_lane s;
    ww_lane_start(&s, &w, run.task, lane);
    if (!WW_LIST && !WW_BAND)
        ww_load_columns(&w, args, y);

    for (uint k = 0; k < total; k++) {
        while (s.enter && s.task < run.end) {
            if (s.fresh) {
                id = WW_LIST ? WW_TASK_RESULT(s.task) : WW_STEP_X(s.task);
                if (WW_LIST)
                    y = ww_series_load(y_values, y_series, WW_TASK_Y(s.task), args.channel);
                x = ww_series_load(x_values, x_series, WW_STEP_X(s.task), args.channel);
                limits = WW_BAND_OF(x, y);
                if (!ww_lane_begin_pair(&s, &w, args, x, y, lane, width))
                    continue;
            }
            ww_lane_begin_block(&s, &w, args, x, y, limits, lane, a);
            if (WW_OPEN)
                best = s.block == s.owner ? ww_border_ends(WW_ROW_AT(x, 0), WW_POINT(y, 0), w.lengths) : WW_INF;
        }

        if (!s.enter && k >= s.start) {
            // The left edge: the neighbour's values where it was inside its block, else the matrix's border or the outside.
            ww_load_rows(&w, args, a);
            ww_edge(&w, args, s.block == 0, !WW_BAND || k < s.left_end,
                    k == s.start ? s.above_known : !WW_BAND || k <= s.left_end);
            ww_lane_sweep(&w, args, x, limits, a);
            if (WW_OPEN) {
                const bool last_step = w.i + WW_ROWS == (int)x.length;
                best = ww_take_ends(&w, args, WW_ROWS, s.block == s.owner, last_step, best);
                // The block to the left has cells of the last row where it ended one step ago.
                const bool beside = WW_BAND ? s.block && s.left_end == s.end : lane != 0;
                best = last_step && beside ? ww_lesser(best, left_best) : best;
            }
            w.i += WW_ROWS;
            if (k + 1 == s.end) {
                if (s.block == s.owner) {
                    const real result = WW_OPEN ? best : ww_owned_value(&w, s.owned);
                    ww_store(out, args, id, y_id, id, ww_final(result, x.length, y.length));
                }
                ww_lane_end_block(&s, x.length, y.length, width);
            }
        }
        w.previous = w.l[WW_ROWS - 1];
        left_best = best;
        ww_pass_right(&w, WW_OPEN ? &left_best : 0, passed, k & 1, WW_WG, lid, lane, width, WW_BAND != 0);
    }
}
