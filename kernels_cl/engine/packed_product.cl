// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs, of points of many channels in a rectangle: a work-item a pair, and the costs of a block of its matrix
// are summed over the channels in its registers (cost_sum.cl), where the recurrence takes them (WW_TABLED: base/points.cl). No
// cost goes to memory.
//
// A work-group has WW_DOWN row series and WW_PACK column series, a work-item one of each. All take the same blocks of WW_ROWS rows
// and WW_COLS columns, down a strip of columns and then the next. Of a block the points of all the group's series are in local
// memory, WW_STEP channels at a time, twice: those of the next step are copied while this one is summed. So a value there serves
// WW_COLS x WW_DOWN or WW_ROWS x WW_PACK costs.
//
// Rows that do not fill a row-step are padded at the top, as in lanes.cl: a padding row has infinite costs. Columns behind the last
// have some cost, which nothing of worth depends on. Work-items without a block take part in the copies alone. What a strip leaves
// at its right-hand edge is in `scratch`, args.scratch rows of WW_WG values for each work-group, neighbours beside each other.
//
// Work-groups take units from a counter, those of the longest series first.
//
// Parameters: WW_ROWS = WW_COLS (8; 4 in double), WW_WG, WW_PACK, WW_ASYNC (base/vendor.cl). Local memory: 2 WW_STEP (WW_DOWN WW_ROWS +
// WW_PACK WW_COLS) values and some words. Barriers: one a step.
#if WW_ROWS != WW_COLS
#error "a block has as many rows as columns"
#endif
#define WW_DOWN (WW_WG / WW_PACK)
#define WW_STEP 8
#define WW_ROW_POINTS (WW_DOWN * WW_ROWS)
#define WW_COLUMN_POINTS (WW_PACK * WW_COLS)
// Work-items that copy the same point, each some of its channels.
#define WW_ROW_PARTS (WW_WG / WW_ROW_POINTS)
#define WW_COLUMN_PARTS (WW_WG / WW_COLUMN_POINTS)

// A point that this work-item copies, of one of the group's series; its place among them.
typedef struct {
    __global const ww_scalar *at;
    uint length, place, part;
} ww_copied_point;
WW_INLINE ww_copied_point ww_copied_point_of(ww_series s, uint place, uint part) {
    ww_copied_point point;
    point.at = s.at;
    point.length = s.length;
    point.place = place;
    point.part = part;
    return point;
}
// Copies the step from channel `first` on of point t, or the nearest that there is.
WW_INLINE void ww_copy_point(__local ww_scalar *to, ww_copied_point point, int t, uint first, uint channels, const uint points,
                             const uint parts) {
    const uint here = (uint)clamp(t, 0, (int)point.length - 1);
#pragma unroll
    for (uint f = 0; f < WW_STEP / parts; f++) {
        const uint c = point.part + f * parts;
        __global const ww_scalar *from = point.at + here + (ulong)(first + c) * point.length;
        if (first + c < channels) {
#if WWK_DOUBLE
            to[c * points + point.place] = *from;
#else
            ww_word_ahead(to + c * points + point.place, from);
#endif
        }
    }
}

// The group's slots, and the series of a work-item: behind the last slot it has the last again, and no pair.
typedef struct {
    uint first_row, first_column;
    bool wanted, mine;
} ww_product_unit;
WW_INLINE ww_product_unit ww_product_unit_of(const ww_launch_args args, uint unit, uint lid) {
    const uint across = (args.column_end - args.column_begin + WW_PACK - 1) / WW_PACK;
    const uint down = (args.row_end - args.row_begin + WW_DOWN - 1) / WW_DOWN;
    const uint turn = unit / across;
    ww_product_unit u;
    u.first_row = args.row_begin + (down - 1 - turn) * WW_DOWN;
    u.first_column = args.column_begin + (across - 1 - ww_rest(unit, across, turn)) * WW_PACK;
    const bool upper = (args.flags & WW_LAUNCH_HALF) != 0;
    const uint row = u.first_row + lid / WW_PACK, column = u.first_column + lid % WW_PACK;
    u.wanted = !upper || u.first_row < min(u.first_column + WW_PACK, args.column_end) - 1;
    u.mine = row < args.row_end && column < args.column_end && (!upper || row < column);
    return u;
}
WW_INLINE ww_series ww_product_row(const ww_launch_args args, ww_product_unit u, __global const ww_scalar *x_values,
                                   __global const ulong2 *x_series, __global const uint *x_order, uint number) {
    return ww_series_load(x_values, x_series, x_order[min(u.first_row + number, args.row_end - 1)], 0);
}
WW_INLINE ww_series ww_product_column(const ww_launch_args args, ww_product_unit u, __global const ww_scalar *y_values,
                                      __global const ulong2 *y_series, __global const uint *y_order, uint number) {
    return ww_series_load(y_values, y_series, y_order[min(u.first_column + number, args.column_end - 1)], 0);
}

// The least and the most of what the work-items have; the same for all.
WW_INLINE uint2 ww_group_range(__local uint *range, uint least, uint most, uint lid) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        range[0] = 0xffffffffu;
        range[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_min(&range[0], least);
    atomic_max(&range[1], most);
    barrier(CLK_LOCAL_MEM_FENCE);
    return (uint2)(range[0], range[1]);
}

// A work-item's pair, and its block of columns: row-steps [first, end), and where the block to the left ended.
typedef struct {
    ww_series x, y;
    ww_pair_band limits;
    __global ww_scalar *edges;  // a row's value is WW_WG values behind that of the row above
    uint blocks, block;         // none behind the last
    uint first, end, left_end;
    bool above_known;
    real best;  // WW_OPEN
} ww_product_pair;
WW_INLINE void ww_product_begin_pair(ww_product_pair *p, ww_block *w, const ww_launch_args args, bool mine) {
    p->blocks = mine ? (p->y.length + WW_COLS - 1) / WW_COLS : 0;
    p->end = 0;
    ww_set_pair(w, args, p->x.length, p->y.length);
    p->best = WW_OPEN ? ww_border_ends(WW_ROW_AT(p->x, 0), WW_POINT(p->y, 0), w->lengths) : WW_INF;
}
WW_INLINE void ww_product_begin_block(ww_product_pair *p, ww_block *w, const ww_launch_args args, uint block) {
    const uint first_before = p->first, end_before = p->end;
    p->block = block;
    p->first = WW_BAND ? ww_block_first(p->limits, block) : 0;
    p->end = WW_BAND ? ww_block_end(p->limits, block) : (p->x.length + WW_ROWS - 1) / WW_ROWS;
    p->left_end = block ? end_before : 0;
    p->above_known = WW_BAND && block && first_before < p->first && end_before >= p->first;
    w->first_column = (int)(block * WW_COLS);
    w->i = (int)(p->first * WW_ROWS) - WW_PADDING(p->x.length);
    w->previous = p->above_known ? p->edges[(ulong)(p->first * WW_ROWS - 1) * WW_WG] : WW_BORDER;
    w->y = p->y;
    if (WW_NEEDS_LAST)
        w->last = ww_row_point(p->x, w->i - 1);
    ww_load_beside(w, args, p->y);
    ww_load_top(w, args, p->y, w->i <= 0);
    ww_fill_diagonals(w, args, WW_ROWS, (real)(w->i - w->first_column));
}
// The row-step of the block whose costs are known.
WW_INLINE void ww_product_step(ww_product_pair *p, ww_block *w, const ww_launch_args args, uint step) {
    __global ww_scalar *edges = p->edges + (ulong)(step * WW_ROWS) * WW_WG;
    const uint owner = (p->y.length - 1) / WW_COLS;
    ww_point own[WW_ROWS];
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        w->l[q] = p->block ? edges[q * WW_WG] : WW_BORDER;
        own[q] = ww_row_point(p->x, w->i + q);
    }
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
#pragma unroll
        for (int r = 0; r < WW_COLS; r++)
            w->costs[q][r] = ww_summed_cost(w->costs[q][r]);
    if (w->i < 0) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
#pragma unroll
            for (int r = 0; r < WW_COLS; r++)
                w->costs[q][r] = w->i + q < 0 ? WW_INF : w->costs[q][r];
    }
    ww_load_rows(w, args, own);
    ww_edge(w, args, p->block == 0, !WW_BAND || step < p->left_end,
            step == p->first ? p->above_known : !WW_BAND || step <= p->left_end);
    ww_find_inside(w, p->limits);
    ww_move_diagonals(w, args, WW_ROWS);
    ww_sweep_columns(w, args, WW_ROWS, 0, WW_COLS, WW_CELLS_ALL);
    if (p->block < owner) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            edges[q * WW_WG] = w->v[q];
    }
    if (WW_OPEN)
        p->best = ww_take_ends(w, args, WW_ROWS, p->block == owner, w->i + WW_ROWS == (int)p->x.length, p->best);
    w->previous = w->l[WW_ROWS - 1];
    w->i += WW_ROWS;
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_packed_product(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
                  __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
                  __global const uint *restrict x_order, __global const uint *restrict y_order,
                  __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
                  __global ww_scalar *scratch, __global uint *restrict counter, const uint units, const uint channels) {
    __local ww_scalar x_step[2][WW_STEP * WW_ROW_POINTS] __attribute__((aligned(32)));
    __local ww_scalar y_step[2][WW_STEP * WW_COLUMN_POINTS] __attribute__((aligned(32)));
    __local uint taken, range[2];
    const uint lid = (uint)get_local_id(0);
    __local const ww_scalar *own_x = x_step[0] + lid / WW_PACK * WW_ROWS, *own_y = y_step[0] + lid % WW_PACK * 4;
    ww_product_pair p;
    p.edges = scratch + (ulong)get_group_id(0) * args.scratch * WW_WG + lid;
    for (;;) {
        const uint unit = ww_items_next(counter, &taken, lid);
        if (unit >= units)
            return;
        const ww_product_unit u = ww_product_unit_of(args, unit, lid);
        if (!u.wanted)
            continue;
        ww_block w;
        // The points to be copied: row q of a series is behind that before it, a column is in its four.
        const uint x_point = lid % WW_ROW_POINTS, y_point = lid % WW_COLUMN_POINTS, r = y_point % WW_COLS;
        const ww_copied_point x = ww_copied_point_of(
            ww_product_row(args, u, x_values, x_series, x_order, x_point / WW_ROWS), x_point, lid / WW_ROW_POINTS);
        const ww_copied_point y =
            ww_copied_point_of(ww_product_column(args, u, y_values, y_series, y_order, y_point / WW_COLS),
                               (r / 4 * WW_PACK + y_point / WW_COLS) * 4 + r % 4, lid / WW_COLUMN_POINTS);
        const int x_first = (int)(x_point % WW_ROWS) - WW_PADDING(x.length);
        p.x = ww_product_row(args, u, x_values, x_series, x_order, lid / WW_PACK);
        p.y = ww_product_column(args, u, y_values, y_series, y_order, lid % WW_PACK);
        p.limits = WW_BAND_OF(p.x, p.y);
        ww_product_begin_pair(&p, &w, args, u.mine);
        const uint blocks = ww_group_range(range, 0, p.blocks, lid).s1;
        uint2 steps = (uint2)(0, 0);
        uint turn = 0;
        for (uint block = 0; block < blocks; block++) {
            const bool here = block < p.blocks;
            if (here)
                ww_product_begin_block(&p, &w, args, block);
            if (WW_BAND || block == 0)
                steps = ww_group_range(range, here ? p.first : 0xffffffffu, here ? p.end : 0, lid);
            const int column = (int)(block * WW_COLS + r);
            ww_copy_point(x_step[turn], x, (int)(steps.s0 * WW_ROWS) + x_first, 0, channels, WW_ROW_POINTS, WW_ROW_PARTS);
            ww_copy_point(y_step[turn], y, column, 0, channels, WW_COLUMN_POINTS, WW_COLUMN_PARTS);
            for (uint step = steps.s0; step < steps.s1; step++) {
                const int row = (int)(step * WW_ROWS) + x_first;
                ww_no_costs(w.costs);
                for (uint first = 0; first < channels; first += WW_STEP, turn ^= 1) {
                    ww_copy_wait();
                    barrier(CLK_LOCAL_MEM_FENCE);
                    const bool more = first + WW_STEP < channels;
                    if (more || step + 1 < steps.s1) {
                        const uint next = more ? first + WW_STEP : 0;
                        ww_copy_point(x_step[turn ^ 1], x, more ? row : row + WW_ROWS, next, channels, WW_ROW_POINTS, WW_ROW_PARTS);
                        ww_copy_point(y_step[turn ^ 1], y, column, next, channels, WW_COLUMN_POINTS, WW_COLUMN_PARTS);
                    }
                    __local const ww_scalar *const xs = own_x + turn * (WW_STEP * WW_ROW_POINTS);
                    __local const ww_scalar *const ys = own_y + turn * (WW_STEP * WW_COLUMN_POINTS);
                    const uint count = min((uint)WW_STEP, channels - first);
#pragma unroll 2
                    for (uint k = 0; k < count; k++)
                        ww_sum_costs(w.costs, xs + k * WW_ROW_POINTS, ys + k * WW_COLUMN_POINTS, WW_PACK);
                }
                if (here && step >= p.first && step < p.end)
                    ww_product_step(&p, &w, args, step);
            }
            if (here && block + 1 == p.blocks) {
                const real result = WW_OPEN ? p.best : ww_owned_value(&w, (p.y.length - 1) % WW_COLS);
                ww_store(out, args, x_order[u.first_row + lid / WW_PACK], y_order[u.first_column + lid % WW_PACK], 0,
                         ww_final(result, p.x.length, p.y.length));
            }
        }
    }
}
