// SPDX-License-Identifier: Apache-2.0
// Engine `strips`: long pairs. The matrix is divided into strips of WW_WG*WW_COLS columns, each computed from top to
// bottom by one work-group as in engine lanes (walk.cl); strip s+1 follows strip s a few row-steps behind, so that one
// pair fills a device.
//
// Tried, not taken: lanes two steps behind their neighbours, one buffer for a chain's edges: 18 to 29 % slower.
//
// The values of a strip's last column are passed to the next strip through `edges` (handover.cl), one entry a row:
// memory is linear in the rows, for any number of strips. Work-groups take strips from a counter, in order: a strip's
// left-hand neighbour has always been started, or was finished by an earlier launch, so waiting for it ends. With
// WW_LAUNCH_WHOLE a pair has one strip: the counter is not used, and the edges may hold anything.
//
// A strip is computed in chains of WW_CHAIN row-steps. Between them the work-group puts the rows of x and of the
// left-hand strip's edge that come next into local memory, requested a chain before, so that no work-item waits for
// global memory unless the left-hand strip is late; and the last lane's values of a chain, which it has put into local
// memory step by step, go to the next strip, a work-item an entry. Local memory: (WW_RING + 4*WW_CHAIN)*WW_ROWS values,
// with WW_EXCHANGE 0 2*WW_ROWS*WW_WG more, with open ends WW_WG. Barriers: two every WW_CHAIN steps; with WW_EXCHANGE 0
// one more a step.
//
// Before its first row-step a lane computes padding rows, after its last one rows that are never read: so the code has
// no branch there, which the compiler optimises better. Padding row-steps make whole chains. In a band, and with points
// in memory, a lane is masked outside its steps.
#ifndef WW_WG
#define WW_WG 32
#endif
#define WW_MASKED (WW_BAND || !WW_POINT_REGISTERS)

// The steps of a chain are one sequence of instructions where that fits an instruction cache: a group that waits for no
// other has nothing else to do while it waits for instructions. Cells that it may have, by what a cell needs.
#define WW_SEQUENCE_CELLS                                                                                              \
    (WWK_DOUBLE || WW_CHANNELS > 1 || WW_ELEMENTS || WW_DIAGONAL || WW_CARRY || WW_OPEN || WW_SELECT ? 128 : 256)
#define WW_STEP_CELLS (WW_ROWS * WW_COLS)
#if !WW_MASKED && WW_EXCHANGE == 1 && 4 * WW_STEP_CELLS <= WW_SEQUENCE_CELLS
#define WW_SEQUENCE 1
#else
#define WW_SEQUENCE 0
#endif
#ifndef WW_CHAIN
#if !WW_SEQUENCE || (8 * WW_STEP_CELLS <= WW_SEQUENCE_CELLS && 16 * WW_STEP_CELLS > WW_SEQUENCE_CELLS)
#define WW_CHAIN 8
#elif 16 * WW_STEP_CELLS <= WW_SEQUENCE_CELLS
#define WW_CHAIN 16
#else
#define WW_CHAIN 4
#endif
#endif
// Row-steps of x kept: the work-group's skew, this chain and the next; a power of two.
#if WW_WG + 2 * WW_CHAIN <= 32
#define WW_RING 32
#elif WW_WG + 2 * WW_CHAIN <= 64
#define WW_RING 64
#else
#define WW_RING 128
#endif

// Entries of a chain that a work-item fetches.
#define WW_CHAIN_ROWS (WW_CHAIN * WW_ROWS)
#define WW_FETCHED ((WW_CHAIN_ROWS + WW_WG - 1) / WW_WG)

#if WW_POINT_REGISTERS
WW_INLINE ww_scalar ww_part(ww_series x, uint at, uint part, bool padding) {
#if WW_EXTRA
    if (part == WW_CHANNELS)
        return padding ? 0 : x.extra[at];
#endif
    return padding ? (ww_scalar)INFINITY : x.at[at + (ulong)part * x.length];
}
WW_INLINE ww_point ww_ring_point(__local ww_scalar rows[WW_PARTS][WW_RING * WW_ROWS], uint at) {
    ww_point point;
#pragma unroll
    for (int channel = 0; channel < WW_CHANNELS; channel++)
        point.value[channel] = rows[channel][at];
#if WW_EXTRA
    point.extra = rows[WW_CHANNELS][at];
#endif
    return point;
}
// A chain's rows, from row `next` (padding counted) on: requested, and put into the ring.
WW_INLINE void ww_fetch_rows(ww_scalar fetched[WW_PARTS][WW_FETCHED], ww_series x, uint lane, uint next, int padding) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHED; f++) {
        const int i = (int)(next + f * WW_WG + lane) - padding;
        const uint at = (uint)clamp(i, 0, (int)x.length - 1);
#pragma unroll
        for (uint p = 0; p < WW_PARTS; p++)
            fetched[p][f] = ww_part(x, at, p, i < 0);
    }
}
WW_INLINE void ww_keep_rows(__local ww_scalar rows[WW_PARTS][WW_RING * WW_ROWS], ww_scalar fetched[WW_PARTS][WW_FETCHED],
                            uint lane, uint next) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHED; f++)
        if (WW_CHAIN_ROWS % WW_WG == 0 || f * WW_WG + lane < WW_CHAIN_ROWS) {
#pragma unroll
            for (uint p = 0; p < WW_PARTS; p++)
                rows[p][(next + f * WW_WG + lane) % (WW_RING * WW_ROWS)] = fetched[p][f];
        }
}
#endif

// Macros: as functions these two cost 7 % more instructions in double (ptxas, sm_90, through local memory).
// WW_ASK_FOR_EDGE reads the entries of `edges` for the chain from row-step `first_step` on, whether the neighbour has written
// them or not.
#define WW_IN_EDGE(at) ((at) < edge_end * WW_ROWS && (at) >= edge_first * WW_ROWS)
// The rows of the chain that ended before row-step `end_step` of lane 0, from the last lane to the next strip.
#define WW_PASS_ON(turn, end_step)                                                                                     \
    _Pragma("unroll") for (uint f = 0; f < WW_FETCHED; f++) {                                                          \
        const uint t = f * WW_WG + lane, at = ((end_step) - WW_CHAIN - (WW_WG - 1)) * WW_ROWS + t;         \
        if (t < WW_CHAIN_ROWS && at < leave_end * WW_ROWS && at >= leave_first * WW_ROWS)                              \
            ww_hand_over(edges, at, strip, leaving[turn][t]);                                                          \
    }
#define WW_ASK_FOR_EDGE(first_step)                                                                                    \
    _Pragma("unroll") for (uint f = 0; f < WW_FETCHED; f++) {                                                          \
        const uint at = (first_step) * WW_ROWS + f * WW_WG + lane;                                                     \
        if (WW_IN_EDGE(at))                                                                                            \
            ahead[f] = ww_edge_at(edges, at);                                                                          \
    }

__kernel WW_EXCHANGE_KERNEL __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_strips(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
          __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
          __global const uint *restrict x_order, __global const uint *restrict y_order, __global const uint *restrict band,
          __global ww_scalar *restrict out, const ww_launch_args args, __global volatile ulong *edges, __global uint *ticket) {
    const uint lane = get_local_id(0);
    __local uint mine[1];
    __local ww_scalar incoming[2][WW_CHAIN_ROWS], leaving[2][WW_CHAIN_ROWS];
#if WW_POINT_REGISTERS
    __local ww_scalar rows[WW_PARTS][WW_RING * WW_ROWS];
#endif
#if WW_EXCHANGE == 0
    __local ww_scalar handed[2][WW_ROWS * WW_WG];
#endif
#if WW_OPEN
    __local ww_scalar bests[WW_WG];
#endif
    if (lane == 0)
        mine[0] = args.flags & WW_LAUNCH_WHOLE ? (uint)get_group_id(0) : atomic_inc(ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint strips = args.strip_end - args.strip_begin;
    const uint pair = mine[0] / strips, strip = args.strip_begin + ww_rest(mine[0], strips, pair);
    const ww_task task = ww_task_of(x_order, y_order, args, pair);
    const ww_series x = ww_series_load(x_values, x_series, task.x, args.channel);
    const ww_series y = ww_series_load(y_values, y_series, task.y, args.channel);
    const uint strip_columns = WW_WG * WW_COLS;
    // The whole work-group leaves, or none of it.
    if ((!WW_LIST && !task.wanted) || strip * strip_columns >= y.length)
        return;
    edges += (ulong)pair * args.scratch * WW_EDGE_WORDS;

    ww_block w;
    w.n = x.length;
    w.m = y.length;
    w.lengths.rows = (real)x.length;
    w.lengths.columns = (real)y.length;
    WW_SET_PAIR(w.lengths)

    const uint block = strip * WW_WG + lane;
    w.first_column = (int)(block * WW_COLS);
    const uint owner = (y.length - 1) / WW_COLS, owned = (y.length - 1) % WW_COLS;
    const int padding = WW_PADDING(x.length);
    // Row-steps of this lane's block, of the strip, and of the block to the left of the strip.
#if WW_BAND
    const ww_pair_band limits = WW_BAND_OF(x, y);
    const uint blocks = (y.length + WW_COLS - 1) / WW_COLS;
    const uint first = block < blocks ? ww_block_first(limits, block) : 0;
    const uint end = block < blocks ? ww_block_end(limits, block) : 0;
    const uint left_first = block ? ww_block_first(limits, min(block, blocks) - 1) : 0;
    const uint left_end = block ? ww_block_end(limits, min(block, blocks) - 1) : 0;
    const uint base = ww_block_first(limits, strip * WW_WG);
    const uint last_lane = min((uint)WW_WG, blocks - strip * WW_WG) - 1;
    const uint total = ww_block_end(limits, strip * WW_WG + last_lane) - base + last_lane;
    const uint edge_first = strip ? ww_block_first(limits, strip * WW_WG - 1) : 0;
    const uint edge_end = strip ? ww_block_end(limits, strip * WW_WG - 1) : 0;
    const bool goes_on = (strip + 1) * WW_WG < blocks;
    const uint leave_first = goes_on ? ww_block_first(limits, strip * WW_WG + WW_WG - 1) : 0;
    const uint leave_end = goes_on ? ww_block_end(limits, strip * WW_WG + WW_WG - 1) : 0;
#else
    const uint row_steps = (x.length + WW_ROWS - 1) / WW_ROWS;
#if WW_MASKED
    const uint first = 0, end = block * WW_COLS < y.length ? row_steps : 0;
#endif
    const uint last_lane = min((uint)WW_WG, (y.length - strip * strip_columns + WW_COLS - 1) / WW_COLS) - 1;
    const uint needed = row_steps + last_lane;
#if WW_MASKED
    const uint base = 0, total = needed;
#else
    // Whole chains: padding rows come first.
    const uint total = (needed + WW_CHAIN - 1) / WW_CHAIN * WW_CHAIN, base = needed - total;
#endif
    const uint edge_first = 0, edge_end = row_steps;
    const uint leave_first = 0, leave_end = y.length - strip * strip_columns > strip_columns ? row_steps : 0;
#endif

    ww_load_columns(&w, args, y);
    ww_load_beside(&w, args, y);
#if WW_BAND
    ww_load_top(&w, args, y, first == 0);
#else
    ww_load_top(&w, args, y, true);
#endif
#if WW_OPEN
    real best = block == 0 ? ww_border_ends(WW_ROW_AT(x, 0), WW_POINT(y, 0), w.lengths) : WW_INF;
    const int last_step = (int)((x.length + WW_ROWS - 1) / WW_ROWS) - 1;
#endif
    w.previous = WW_BORDER;  // the left-hand neighbour's last value, one step ago
#if WW_MASKED
    ww_fill_diagonals(&w, args, WW_ROWS, (real)((int)(first * WW_ROWS) - padding - w.first_column));
#else
    ww_fill_diagonals(&w, args, WW_ROWS, (real)((int)(base - lane) * WW_ROWS - padding - w.first_column));
#endif
#if WW_BAND
    if (lane == 0 && strip && base > edge_first && base <= edge_end)
        w.previous = ww_take_over(edges, base * WW_ROWS - 1, strip);
#elif WW_BORDERS
    if (lane == 0)
        w.previous = padding ? WW_OUTSIDE : w.corner_top;
#endif
#if WW_BORDERS && !WW_MASKED
    // Left of lane 0, above the first row.
    const real before = ww_top_at(y, strip ? strip * strip_columns - 1 : 0, w.lengths, args);
#else
    const real before = WW_MASKED ? WW_OUTSIDE : WW_BORDER;
#endif
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        w.l[q] = WW_BORDERS && !WW_MASKED ? w.corner_top : WW_BORDER;
        w.v[q] = WW_BORDERS && !WW_MASKED ? w.c[WW_COLS - 1] : WW_BORDER;
    }
#if WW_POINT_REGISTERS
    ww_scalar fetched[WW_PARTS][WW_FETCHED];
#if !WW_MASKED
    for (uint t = lane; t < WW_RING * WW_ROWS; t += WW_WG)
        for (uint p = 0; p < WW_PARTS; p++)
            rows[p][t] = p < WW_CHANNELS ? (ww_scalar)INFINITY : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#elif WW_NEEDS_LAST
    ww_fetch_rows(fetched, x, lane, (base - WW_CHAIN) * WW_ROWS, padding);
    ww_keep_rows(rows, fetched, lane, (base - WW_CHAIN) * WW_ROWS);
#endif
    ww_fetch_rows(fetched, x, lane, base * WW_ROWS, padding);
    ww_keep_rows(rows, fetched, lane, base * WW_ROWS);
    ww_fetch_rows(fetched, x, lane, (base + WW_CHAIN) * WW_ROWS, padding);
    barrier(CLK_LOCAL_MEM_FENCE);
    ww_point a[WW_ROWS];
#pragma unroll
    for (uint q = 0; q < WW_ROWS; q++)
        a[q] = ww_ring_point(rows, (base - lane) % WW_RING * WW_ROWS + q);
#if WW_NEEDS_LAST
    w.last = ww_ring_point(rows, (base - lane - 1) % WW_RING * WW_ROWS + WW_ROWS - 1);
#endif
#endif
    ww_edge_word ahead[WW_FETCHED];
    if (strip) {
#if !WW_BAND
        ww_await_turn(edges, strip, &mine[0]);
#endif
        WW_ASK_FOR_EDGE(base)
    }
    for (uint from = 0, turn = 0; from < total; from += WW_CHAIN, turn ^= 1) {
#if WW_POINT_REGISTERS
        ww_keep_rows(rows, fetched, lane, (base + from + WW_CHAIN) * WW_ROWS);
        ww_fetch_rows(fetched, x, lane, (base + from + 2 * WW_CHAIN) * WW_ROWS, padding);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        WW_PASS_ON(turn ^ 1, base + from)
        if (strip) {
#pragma unroll
            for (uint f = 0; f < WW_FETCHED; f++) {
                const uint t = f * WW_WG + lane, at = (base + from) * WW_ROWS + t;
                if (t < WW_CHAIN_ROWS)
                    incoming[turn][t] = WW_IN_EDGE(at) ? ww_take_over_asked(edges, at, strip, ahead[f]) : before;
            }
            WW_ASK_FOR_EDGE(base + from + WW_CHAIN)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if WW_MASKED
        const uint steps = min((uint)WW_CHAIN, total - from);
#else
        const uint steps = WW_CHAIN;
#endif
#if WW_SEQUENCE
#pragma unroll
#else
#pragma unroll 1
#endif
        for (uint s = 0; s < steps; s++) {
            const uint k = from + s;
            // Lane 0 has its left-hand values from the strip, the others from their neighbours.
#pragma unroll
            for (uint q = 0; q < WW_ROWS; q++) {
                const real entered = strip ? incoming[turn][s * WW_ROWS + q] : WW_BORDER;
                w.l[q] = lane ? w.l[q] : entered;
            }
#if WW_POINT_REGISTERS
            // This step's rows were fetched in the last one: so the compiler can't delay the loads and with them the
            // rows.
            ww_point own[WW_ROWS];
#pragma unroll
            for (uint q = 0; q < WW_ROWS; q++) {
                own[q] = a[q];
                a[q] = ww_ring_point(rows, (base + k + 1 - lane) % WW_RING * WW_ROWS + q);
            }
#endif
#if WW_MASKED
            const uint step = base + k - lane;  // may wrap below 0: then it is past every end
            if (base + k >= lane && step >= first && step < end)
#else
            const int step = (int)(base + k - lane);
#endif
            {
                w.i = (int)step * WW_ROWS - padding;
#if !WW_POINT_REGISTERS
                ww_point own[WW_ROWS];
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    own[q] = ww_row_point(x, w.i + q);
                if (WW_NEEDS_LAST)
                    w.last = ww_row_point(x, w.i - 1);
#endif
                ww_load_rows(&w, args, own);
#if WW_BAND
                ww_edge(&w, args, block == 0, step < left_end, step > left_first && step <= left_end);
                ww_find_inside(&w, limits);
#else
                ww_edge(&w, args, block == 0, true, !WW_MASKED || step > 0);
#endif
                ww_sweep(&w, args);
#if WW_OPEN
                best = ww_take_ends(&w, args, WW_ROWS, block == owner, (int)step == last_step, best);
#endif
                if (lane == WW_WG - 1) {
#pragma unroll
                    for (uint q = 0; q < WW_ROWS; q++)
                        leaving[turn][s * WW_ROWS + q] = w.v[q];
                }
            }
#if WW_NEEDS_LAST && WW_POINT_REGISTERS
            w.last = own[WW_ROWS - 1];
#endif
            w.previous = w.l[WW_ROWS - 1];
#if WW_EXCHANGE == 0
            __local ww_scalar *edge = handed[k & 1];
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                edge[q * WW_WG + lane] = w.v[q];
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                w.l[q] = edge[q * WW_WG + (lane ? lane - 1 : 0)];
#else
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                w.l[q] = ww_exchange_up(w.v[q], WW_WG);
#endif
        }
#if WW_OPEN
        // No barrier in a branch here: PoCL 3.1 loses the values from before it.
        bests[lane] = best;
        (void)owned;
#else
        // After the loop PoCL 3.1 does not find the columns.
        if (from + steps == total && block == owner) {
            real result = w.c[0];
#pragma unroll
            for (uint r = 1; r < WW_COLS; r++)
                result = r <= owned ? w.c[r] : result;
            ww_store_task(out, args, x_order, task, ww_final(result, x.length, y.length));
        }
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    WW_PASS_ON((total - 1) / WW_CHAIN % 2, base + (total - 1) / WW_CHAIN * WW_CHAIN + WW_CHAIN)
#if WW_OPEN
    // The best of all lanes; together with that of the strips to the left it is passed on after the rows of the edge.
    if (lane == 0) {
        real all = bests[0];
        for (uint other = 1; other < WW_WG; other++)
            all = ww_lesser(all, bests[other]);
        const uint at = (x.length + WW_ROWS - 1) / WW_ROWS * WW_ROWS;
        if (strip)
            all = ww_lesser(all, ww_take_over(edges, at, strip));
        if (owner < (strip + 1) * WW_WG)
            ww_store_task(out, args, x_order, task, ww_final(all, x.length, y.length));
        else
            ww_hand_over(edges, at, strip, all);
    }
#endif
}
