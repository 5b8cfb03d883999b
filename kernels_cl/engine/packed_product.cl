// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs, of points of many channels in a rectangle: a work-item a pair, and the costs of a block of its matrix
// are summed over the channels in its registers (cost_sum.cl), where the recurrence takes them (WW_TABLED: base/points.cl). No
// cost goes to memory.
//
// A work-group has WW_DOWN row series and WW_PACK column series, a work-item one of each. All take the same blocks of WW_ROWS rows
// and WW_COLS columns, down a strip of columns and then the next. Of a block the points of all the group's series are in local
// memory, up to WW_STEP channels at a time, twice: those of the next step are copied while this one is summed. So a value there serves
// WW_COLS x WW_DOWN or WW_ROWS x WW_PACK costs. ww_product_pack brings a group's series together beforehand, in the order of the copies:
// sixteen bytes at a time, of places that follow each other. (Copied from where they are, value by value, they took a quarter
// of the time.)
//
// Rows that do not fill a row-step are padded at the top, as in lanes.cl: a padding row has infinite costs. Columns behind the last
// have some cost, which nothing of worth depends on. Work-items without a block take part in the copies alone. What a strip leaves
// at its right-hand edge is in `scratch`, args.scratch rows of WW_WG values for each work-group, neighbours beside each other.
//
// Work-groups take units from a counter, those of the longest series first.
//
// Parameters: WW_ROWS = WW_COLS (8; 4 in double), WW_WG, WW_PACK, WW_ASYNC (base/vendor.cl). Local memory: 2 WW_STEP (WW_DOWN WW_ROWS +
// WW_PACK WW_COLS) values (in float 24 KiB) and some words. Barriers: one a step.
#if WW_ROWS != WW_COLS
#error "a block has as many rows as columns"
#endif
#define WW_DOWN (WW_WG / WW_PACK)
#define WW_STEP 16
#define WW_ROW_POINTS (WW_DOWN * WW_ROWS)
#define WW_COLUMN_POINTS (WW_PACK * WW_COLS)
// Of a channel, in sixteen bytes.
#define WW_ROW_CHUNKS (WW_ROW_POINTS * (uint)sizeof(ww_scalar) / 16)
#define WW_COLUMN_CHUNKS (WW_COLUMN_POINTS * (uint)sizeof(ww_scalar) / 16)
#define WW_CHUNKS(values) ((__global const float4 *)(values))

// The points of a pack of row series (`step` not 0), or of column series: block after block, channel after channel, those of a
// series' block side by side, in columns four by four. Of the blocks of a pack `parts` work-groups have every so manieth. Row series have
// their first point again in the place of padding rows, column series their last one behind it.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_product_pack(__global const ww_scalar *restrict values, __global const ulong2 *restrict series, __global const uint *restrict order,
                const uint order_stride, const uint order_offset, const uint begin, const uint end, const uint channel, const uint step,
                const uint margin, __global const ulong *restrict pack_offset, __global ww_scalar *restrict packed, const uint channels) {
    const uint width = step ? WW_DOWN : WW_PACK, points = width * WW_COLS, lid = (uint)get_local_id(0);
    const uint parts = max((uint)get_num_groups(0) / ((end - begin + width - 1) / width), 1u), pack = (uint)get_group_id(0) / parts;
    const uint blocks = (uint)((pack_offset[pack + 1] - pack_offset[pack]) / ((ulong)channels * points));
    const uint point = lid % points, number = point / WW_COLS, q = point % WW_COLS;
    const uint slot = min(begin + pack * width + number, end - 1);
    const ww_series s = ww_series_load(values, series, order[(ulong)slot * order_stride + order_offset], 0);
    const int first = (int)q - (step ? WW_PADDING(s.length) : 0);
    __global ww_scalar *to = packed + pack_offset[pack] + (step ? point : (q / 4 * WW_PACK + number) * 4 + q % 4);
    for (uint block = ww_rest((uint)get_group_id(0), parts, pack); block < blocks; block += parts) {
        const uint t = (uint)clamp((int)(block * WW_COLS) + first, 0, (int)s.length - 1);
        for (uint c = lid / points; c < channels; c += WW_WG / points)
            to[((ulong)block * channels + c) * points] = s.at[t + (ulong)c * s.length];
    }
}
// Copies `count` channels.
WW_INLINE void ww_copy_channels(__local ww_scalar *to, __global const float4 *from, const uint chunks, uint count, uint lid) {
#pragma unroll
    for (uint k = 0; k < WW_STEP * chunks / WW_WG; k++) {
        const uint at = k * WW_WG + lid;
        if (at < count * chunks)
            ww_copy_ahead((__local float4 *)to + at, from + at);
    }
}

// The group's slots, and the series of a work-item: behind the last slot it has the last again, and no pair.
typedef struct {
    uint row_pack, column_pack, first_row, first_column;
    bool wanted, mine;
} ww_product_unit;
WW_INLINE ww_product_unit ww_product_unit_of(const ww_launch_args args, uint unit, uint lid) {
    const uint across = (args.column_end - args.column_begin + WW_PACK - 1) / WW_PACK;
    const uint down = (args.row_end - args.row_begin + WW_DOWN - 1) / WW_DOWN;
    const uint turn = unit / across;
    ww_product_unit u;
    u.row_pack = down - 1 - turn;
    u.column_pack = across - 1 - ww_rest(unit, across, turn);
    u.first_row = args.row_begin + u.row_pack * WW_DOWN;
    u.first_column = args.column_begin + u.column_pack * WW_PACK;
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
    WW_EACH_COST(q, r) w->costs[q][r] = ww_summed_cost(w->costs[q][r]);
    if (w->i < 0) {
        WW_EACH_COST(q, r) w->costs[q][r] = w->i + q < 0 ? WW_INF : w->costs[q][r];
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
                  __global const ww_scalar *restrict x_packed, __global const ulong *restrict x_pack_offset,
                  __global const ww_scalar *restrict y_packed, __global const ulong *restrict y_pack_offset,
                  __global ww_scalar *scratch, __global uint *restrict counter, const uint units, const uint channels) {
    __local ww_scalar x_step[2][WW_STEP * WW_ROW_POINTS] __attribute__((aligned(32)));
    __local ww_scalar y_step[2][WW_STEP * WW_COLUMN_POINTS] __attribute__((aligned(32)));
    __local uint taken, range[2];
    const uint lid = (uint)get_local_id(0);
    __local const ww_scalar *own_x = x_step[0] + lid / WW_PACK * WW_ROWS, *own_y = y_step[0] + lid % WW_PACK * 4;
    // Steps of a block, all of nearly as many channels.
    const uint steps_each = (channels + WW_STEP - 1) / WW_STEP, most = (channels + steps_each - 1) / steps_each;
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
            // The next step to be copied. A row-step's points are behind those of the one before.
            __global const float4 *x_next = WW_CHUNKS(x_packed + x_pack_offset[u.row_pack]) + (ulong)steps.s0 * channels * WW_ROW_CHUNKS;
            __global const float4 *const y_first =
                WW_CHUNKS(y_packed + y_pack_offset[u.column_pack]) + (ulong)block * channels * WW_COLUMN_CHUNKS;
            __global const float4 *y_next = y_first;
            ww_copy_channels(x_step[turn], x_next, WW_ROW_CHUNKS, most, lid);
            ww_copy_channels(y_step[turn], y_next, WW_COLUMN_CHUNKS, most, lid);
            for (uint step = steps.s0; step < steps.s1; step++) {
                ww_no_costs(w.costs);
                for (uint left = channels, count = most; left; left -= count, turn ^= 1) {
                    ww_copy_wait();
                    barrier(CLK_LOCAL_MEM_FENCE);
                    count = min(most, left);
                    const bool more = count < left;
                    x_next += count * WW_ROW_CHUNKS;
                    y_next = more ? y_next + count * WW_COLUMN_CHUNKS : y_first;
                    if (more || step + 1 < steps.s1) {
                        const uint next = more ? min(most, left - count) : most;
                        ww_copy_channels(x_step[turn ^ 1], x_next, WW_ROW_CHUNKS, next, lid);
                        ww_copy_channels(y_step[turn ^ 1], y_next, WW_COLUMN_CHUNKS, next, lid);
                    }
                    __local const ww_scalar *const xs = own_x + turn * (WW_STEP * WW_ROW_POINTS);
                    __local const ww_scalar *const ys = own_y + turn * (WW_STEP * WW_COLUMN_POINTS);
#pragma unroll 1
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
