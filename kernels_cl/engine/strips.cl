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
#define WW_MASKED (WW_BAND || !WW_POINT_REGISTERS)

// The steps of a chain are one sequence of instructions where that fits an instruction cache: a group that waits for no
// other has nothing else to do while it waits for instructions. Cells that it may have, by what a cell needs.
#define WW_SEQUENCE_CELLS                                                                                              \
    (WWK_DOUBLE || WW_CHANNELS > 1 || WW_ELEMENTS || WW_DIAGONAL || WW_CARRY || WW_OPEN || WW_SELECT ? 128 : 256)
#define WW_STEP_CELLS (WW_ROWS * WW_COLS)
#define WW_SEQUENCE (!WW_MASKED && WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL && 4 * WW_STEP_CELLS <= WW_SEQUENCE_CELLS)
#if WW_SEQUENCE
#define WW_EACH_STEP _Pragma("unroll")
#else
#define WW_EACH_STEP _Pragma("unroll 1")
#endif
#ifndef WW_CHAIN
#define WW_CHAIN_FITS(steps) ((steps) * WW_STEP_CELLS <= WW_SEQUENCE_CELLS)
#define WW_CHAIN (WW_SEQUENCE && WW_CHAIN_FITS(16) ? 16 : WW_SEQUENCE && !WW_CHAIN_FITS(8) ? 4 : 8)
#endif
// Row-steps of x kept: the work-group's skew, this chain and the next; a power of two.
#define WW_KEPT (WW_WG + 2 * WW_CHAIN)
#define WW_RING (WW_KEPT <= 32 ? 32 : WW_KEPT <= 64 ? 64 : 128)

// Entries of a chain that a work-item fetches.
#define WW_CHAIN_ROWS (WW_CHAIN * WW_ROWS)
#define WW_FETCHED ((WW_CHAIN_ROWS + WW_WG - 1) / WW_WG)

// A strip, and this lane's block of it. Row-steps are those of the matrix.
typedef struct {
    uint number, block;
    int padding;
    uint first, end;                // of the block; with WW_MASKED
    uint left_first, left_end;      // of the block to the left, in a band
    uint base, total;               // of the strip: lane 0's first, and steps of the work-group
    uint edge_first, edge_end;      // of the block to the left of the strip
    uint leave_first, leave_end;    // those whose last values go to the next strip
    uint owner, owned;              // the block and the register that hold the last column
} ww_strip;
WW_INLINE ww_strip ww_strip_of(ww_series x, ww_series y, ww_pair_band limits, uint number, uint lane) {
    ww_strip s;
    s.number = number;
    s.block = number * WW_WG + lane;
    s.padding = WW_PADDING(x.length);
    s.owner = (y.length - 1) / WW_COLS;
    s.owned = (y.length - 1) % WW_COLS;
#if WW_BAND
    const uint blocks = (y.length + WW_COLS - 1) / WW_COLS;
    s.first = s.block < blocks ? ww_block_first(limits, s.block) : 0;
    s.end = s.block < blocks ? ww_block_end(limits, s.block) : 0;
    s.left_first = s.block ? ww_block_first(limits, min(s.block, blocks) - 1) : 0;
    s.left_end = s.block ? ww_block_end(limits, min(s.block, blocks) - 1) : 0;
    const uint last_lane = min((uint)WW_WG, blocks - number * WW_WG) - 1;
    const bool goes_on = (number + 1) * WW_WG < blocks;
    s.base = ww_block_first(limits, number * WW_WG);
    s.total = ww_block_end(limits, number * WW_WG + last_lane) - s.base + last_lane;
    s.edge_first = number ? ww_block_first(limits, number * WW_WG - 1) : 0;
    s.edge_end = number ? ww_block_end(limits, number * WW_WG - 1) : 0;
    s.leave_first = goes_on ? ww_block_first(limits, number * WW_WG + WW_WG - 1) : 0;
    s.leave_end = goes_on ? ww_block_end(limits, number * WW_WG + WW_WG - 1) : 0;
#else
    const uint row_steps = (x.length + WW_ROWS - 1) / WW_ROWS, strip_columns = WW_WG * WW_COLS;
    const uint last_lane = min((uint)WW_WG, (y.length - number * strip_columns + WW_COLS - 1) / WW_COLS) - 1;
    const uint needed = row_steps + last_lane;
    s.first = s.left_first = s.left_end = 0;
    s.end = s.block * WW_COLS < y.length ? row_steps : 0;
    // Whole chains: padding rows come first.
    s.total = WW_MASKED ? needed : (needed + WW_CHAIN - 1) / WW_CHAIN * WW_CHAIN;
    s.base = WW_MASKED ? 0 : needed - s.total;
    s.edge_first = s.leave_first = 0;
    s.edge_end = row_steps;
    s.leave_end = y.length - number * strip_columns > strip_columns ? row_steps : 0;
#endif
    return s;
}

// Whether the edge has the entry: the block to the left of the strip has the row.
WW_INLINE bool ww_strip_in_edge(const ww_strip *s, uint at) {
    return at < s->edge_end * WW_ROWS && at >= s->edge_first * WW_ROWS;
}
// Entries of the chain from row-step `first_step` on are asked for, whether the neighbour has written them or not.
WW_INLINE void ww_strip_ask(const ww_strip *s, __global volatile ulong *edges, uint lane, uint first_step,
                            ww_edge_word *ahead) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHED; f++) {
        const uint at = first_step * WW_ROWS + f * WW_WG + lane;
        if (ww_strip_in_edge(s, at))
            ahead[f] = ww_edge_at(edges, at);
    }
}
// The same are awaited. `before`: what is above the edge's first row.
WW_INLINE void ww_strip_take(const ww_strip *s, __global volatile ulong *edges, uint lane, uint first_step,
                             const ww_edge_word *ahead, real before,
                             __local ww_scalar incoming[2][WW_CHAIN_ROWS], uint turn) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHED; f++) {
        const uint t = f * WW_WG + lane, at = first_step * WW_ROWS + t;
        if (t < WW_CHAIN_ROWS)
            incoming[turn][t] = ww_strip_in_edge(s, at) ? ww_take_over_asked(edges, at, s->number, ahead[f]) : before;
    }
}
// The last lane's rows of the chain that ended before row-step `end_step` of lane 0 go to the next strip. `turn` is the next
// chain's: the other half is chosen behind the condition, else the compiler spills in double.
WW_INLINE void ww_strip_pass_on(const ww_strip *s, __global volatile ulong *edges, uint lane, uint end_step,
                                __local ww_scalar leaving[2][WW_CHAIN_ROWS], uint turn) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHED; f++) {
        const uint t = f * WW_WG + lane, at = (end_step - WW_CHAIN - (WW_WG - 1)) * WW_ROWS + t;
        if (t < WW_CHAIN_ROWS && at < s->leave_end * WW_ROWS && at >= s->leave_first * WW_ROWS)
            ww_hand_over(edges, at, s->number, leaving[turn ^ 1][t]);
    }
}

// The block's columns, and what is above and left of them.
WW_INLINE void ww_strip_begin(const ww_strip *s, ww_block *w, const ww_launch_args args, ww_series x, ww_series y,
                              __global volatile ulong *edges, uint lane) {
    ww_set_pair(w, args, x.length, y.length);
    w->first_column = (int)(s->block * WW_COLS);
    ww_load_columns(w, args, y);
    ww_load_beside(w, args, y);
    ww_load_top(w, args, y, !WW_BAND || s->first == 0);
    w->previous = WW_BORDER;  // the left-hand neighbour's last value, one step ago
    const int first_row = WW_MASKED ? (int)(s->first * WW_ROWS) : (int)(s->base - lane) * WW_ROWS;
    ww_fill_diagonals(w, args, WW_ROWS, (real)(first_row - s->padding - w->first_column));
    if (WW_BAND) {
        if (lane == 0 && s->number && s->base > s->edge_first && s->base <= s->edge_end)
            w->previous = ww_take_over(edges, s->base * WW_ROWS - 1, s->number);
    } else if (WW_BORDERS) {
        if (lane == 0)
            w->previous = s->padding ? WW_OUTSIDE : w->corner_top;
    }
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        w->l[q] = WW_BORDERS && !WW_MASKED ? w->corner_top : WW_BORDER;
        w->v[q] = WW_BORDERS && !WW_MASKED ? w->c[WW_COLS - 1] : WW_BORDER;
    }
}
// Left of lane 0, above the first row.
WW_INLINE real ww_strip_before(const ww_strip *s, const ww_block *w, const ww_launch_args args, ww_series y) {
    if (WW_BORDERS && !WW_MASKED)
        return ww_top_at(y, s->number ? s->number * (WW_WG * WW_COLS) - 1 : 0, w->lengths, args);
    return WW_MASKED ? WW_OUTSIDE : WW_BORDER;
}
// The rows of x where points are held in registers: those of the chain after the next, requested, and those of the next
// step. Between the two they are in local memory, the ring.
#define WW_RING_ROWS (WW_POINT_REGISTERS ? WW_RING * WW_ROWS : 1)
#if WW_POINT_REGISTERS
typedef struct {
    ww_scalar fetched[WW_PARTS][WW_FETCHED];
    ww_point next[WW_ROWS];
} ww_strip_rows;
WW_INLINE ww_scalar ww_part(ww_series x, uint at, uint part, bool padding) {
    if (part == WW_CHANNELS)
        return padding ? 0 : x.extra[at];
    return padding ? (ww_scalar)INFINITY : x.at[at + (ulong)part * x.length];
}
WW_INLINE ww_point ww_ring_point(__local ww_scalar rows[WW_PARTS][WW_RING_ROWS], uint at) {
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
WW_INLINE void ww_keep_rows(__local ww_scalar rows[WW_PARTS][WW_RING_ROWS], ww_scalar fetched[WW_PARTS][WW_FETCHED],
                            uint lane, uint next) {
#pragma unroll
    for (uint f = 0; f < WW_FETCHED; f++)
        if (WW_CHAIN_ROWS % WW_WG == 0 || f * WW_WG + lane < WW_CHAIN_ROWS) {
#pragma unroll
            for (uint p = 0; p < WW_PARTS; p++)
                rows[p][(next + f * WW_WG + lane) % WW_RING_ROWS] = fetched[p][f];
        }
}
// The ring before the first step.
WW_INLINE void ww_ring_begin(const ww_strip *s, ww_strip_rows *r, ww_block *w, ww_series x, uint lane,
                             __local ww_scalar rows[WW_PARTS][WW_RING_ROWS]) {
    if (!WW_MASKED) {
        for (uint t = lane; t < WW_RING_ROWS; t += WW_WG)
            for (uint p = 0; p < WW_PARTS; p++)
                rows[p][t] = p < WW_CHANNELS ? (ww_scalar)INFINITY : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else if (WW_NEEDS_LAST) {
        ww_fetch_rows(r->fetched, x, lane, (s->base - WW_CHAIN) * WW_ROWS, s->padding);
        ww_keep_rows(rows, r->fetched, lane, (s->base - WW_CHAIN) * WW_ROWS);
    }
    ww_fetch_rows(r->fetched, x, lane, s->base * WW_ROWS, s->padding);
    ww_keep_rows(rows, r->fetched, lane, s->base * WW_ROWS);
    ww_fetch_rows(r->fetched, x, lane, (s->base + WW_CHAIN) * WW_ROWS, s->padding);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint q = 0; q < WW_ROWS; q++)
        r->next[q] = ww_ring_point(rows, (s->base - lane) % WW_RING * WW_ROWS + q);
    if (WW_NEEDS_LAST)
        w->last = ww_ring_point(rows, (s->base - lane - 1) % WW_RING * WW_ROWS + WW_ROWS - 1);
}
// Before the chain from row-step `first_step` on.
WW_INLINE void ww_ring_go_on(const ww_strip *s, ww_strip_rows *r, ww_series x, uint lane, uint first_step,
                             __local ww_scalar rows[WW_PARTS][WW_RING_ROWS]) {
    ww_keep_rows(rows, r->fetched, lane, (first_step + WW_CHAIN) * WW_ROWS);
    ww_fetch_rows(r->fetched, x, lane, (first_step + 2 * WW_CHAIN) * WW_ROWS, s->padding);
}
// This step's rows were read in the last one: so the compiler can't delay the loads and with them the rows.
WW_INLINE void ww_ring_take(ww_strip_rows *r, uint base, uint k, uint lane, __local ww_scalar rows[WW_PARTS][WW_RING_ROWS],
                            ww_point *own) {
#pragma unroll
    for (uint q = 0; q < WW_ROWS; q++) {
        own[q] = r->next[q];
        r->next[q] = ww_ring_point(rows, (base + k + 1 - lane) % WW_RING * WW_ROWS + q);
    }
}
#else
typedef struct {
    int none;
} ww_strip_rows;
WW_INLINE void ww_ring_begin(const ww_strip *s, ww_strip_rows *r, ww_block *w, ww_series x, uint lane,
                             __local ww_scalar rows[WW_PARTS][WW_RING_ROWS]) {}
WW_INLINE void ww_ring_go_on(const ww_strip *s, ww_strip_rows *r, ww_series x, uint lane, uint first_step,
                             __local ww_scalar rows[WW_PARTS][WW_RING_ROWS]) {}
WW_INLINE void ww_ring_take(ww_strip_rows *r, uint base, uint k, uint lane, __local ww_scalar rows[WW_PARTS][WW_RING_ROWS],
                            ww_point *own) {}
#endif

// The lane's row-step number `step`. own[] are its points; where points stay in memory they are set here.
WW_INLINE void ww_strip_sweep(const ww_strip *s, ww_block *w, const ww_launch_args args, ww_series x,
                              ww_pair_band limits, uint step, ww_point *own) {
    w->i = (int)step * WW_ROWS - s->padding;
    if (!WW_POINT_REGISTERS) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            own[q] = ww_row_point(x, w->i + q);
        if (WW_NEEDS_LAST)
            w->last = ww_row_point(x, w->i - 1);
    }
    ww_load_rows(w, args, own);
    ww_edge(w, args, s->block == 0, !WW_BAND || step < s->left_end,
            WW_BAND ? step > s->left_first && step <= s->left_end : !WW_MASKED || step > 0);
    ww_find_inside(w, limits);
    ww_sweep(w, args);
}

// The best of all lanes; together with that of the strips to the left it is passed on after the rows of the edge, or it is
// the result.
WW_INLINE void ww_strip_ends(const ww_strip *s, const ww_launch_args args, ww_series x, ww_series y,
                             __global volatile ulong *edges, __local const ww_scalar *bests, __global ww_scalar *out,
                             __global const uint *x_order, ww_task task) {
    real all = bests[0];
    for (uint other = 1; other < WW_WG; other++)
        all = ww_lesser(all, bests[other]);
    const uint at = (x.length + WW_ROWS - 1) / WW_ROWS * WW_ROWS;
    if (s->number)
        all = ww_lesser(all, ww_take_over(edges, at, s->number));
    if (s->owner < (s->number + 1) * WW_WG)
        ww_store_task(out, args, x_order, task, ww_final(all, x.length, y.length));
    else
        ww_hand_over(edges, at, s->number, all);
}
// In a kernel that returns early PoCL 3.1 takes a branch at the end, if the first work-item takes it, for all of them: so a
// barrier is behind it.
WW_INLINE void ww_strip_end_group(const ww_strip *s, const ww_launch_args args, ww_series x, ww_series y,
                                  __global volatile ulong *edges, uint lane, __local const ww_scalar *bests,
                                  __global ww_scalar *out, __global const uint *x_order, ww_task task) {
    if (lane == 0)
        ww_strip_ends(s, args, x, y, edges, bests, out, x_order, task);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Before step c of a chain lane 0 has its left-hand values from the strip, the others from their neighbours.
WW_INLINE void ww_strip_enter(ww_block *w, uint lane, uint strip, __local ww_scalar incoming[2][WW_CHAIN_ROWS], uint turn,
                              uint c) {
#pragma unroll
    for (uint q = 0; q < WW_ROWS; q++) {
        const real entered = strip ? incoming[turn][c * WW_ROWS + q] : WW_BORDER;
        w->l[q] = lane ? w->l[q] : entered;
    }
}
// Behind it the last lane's values leave.
WW_INLINE void ww_strip_leave(const ww_block *w, uint lane, __local ww_scalar leaving[2][WW_CHAIN_ROWS], uint turn, uint c) {
    if (lane == WW_WG - 1) {
#pragma unroll
        for (uint q = 0; q < WW_ROWS; q++)
            leaving[turn][c * WW_ROWS + q] = w->v[q];
    }
}

// The number of the work-group's strip, those of all pairs counted.
WW_INLINE uint ww_strip_ticket(__local uint *mine, __global uint *ticket, uint flags, uint lane) {
    if (lane == 0)
        *mine = flags & WW_LAUNCH_WHOLE ? (uint)get_group_id(0) : atomic_inc(ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *mine;
}

__kernel WW_EXCHANGE_KERNEL __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_strips(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
          __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
          __global const uint *restrict x_order, __global const uint *restrict y_order, __global const uint *restrict band,
          __global ww_scalar *restrict out, const ww_launch_args args, __global volatile ulong *edges, __global uint *ticket) {
    const uint lane = get_local_id(0);
    __local uint mine;
    __local ww_scalar incoming[2][WW_CHAIN_ROWS], leaving[2][WW_CHAIN_ROWS];
    __local ww_scalar rows[WW_PARTS][WW_RING_ROWS];
    __local ww_scalar handed[WW_PASSED(WW_WG, 0)];
    __local ww_scalar bests[WW_OPEN ? WW_WG : 1];
    const uint number = ww_strip_ticket(&mine, ticket, args.flags, lane), strips = args.strip_end - args.strip_begin;
    const uint pair = number / strips, strip = args.strip_begin + ww_rest(number, strips, pair);
    const ww_task task = ww_task_of(x_order, y_order, args, pair);
    const ww_series x = ww_series_load(x_values, x_series, task.x, args.channel);
    const ww_series y = ww_series_load(y_values, y_series, task.y, args.channel);
    // The whole work-group leaves, or none of it.
    if ((!WW_LIST && !task.wanted) || strip * (WW_WG * WW_COLS) >= y.length)
        return;
    edges += (ulong)pair * args.scratch * WW_EDGE_WORDS;

    const ww_pair_band limits = WW_BAND_OF(x, y);
    const ww_strip s = ww_strip_of(x, y, limits, strip, lane);
    ww_block w;
    ww_strip_begin(&s, &w, args, x, y, edges, lane);
    const uint last_step = (x.length + WW_ROWS - 1) / WW_ROWS - 1;
    real best = WW_OPEN && s.block == 0 ? ww_border_ends(WW_ROW_AT(x, 0), WW_POINT(y, 0), w.lengths) : WW_INF;
    const real before = ww_strip_before(&s, &w, args, y);
    ww_strip_rows r;
    ww_ring_begin(&s, &r, &w, x, lane, rows);
    ww_edge_word ahead[WW_FETCHED];
    if (strip) {
        if (!WW_BAND)
            ww_await_turn(edges, strip, &mine);
        ww_strip_ask(&s, edges, lane, s.base, ahead);
    }
    for (uint from = 0, turn = 0; from < s.total; from += WW_CHAIN, turn ^= 1) {
        ww_ring_go_on(&s, &r, x, lane, s.base + from, rows);
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_strip_pass_on(&s, edges, lane, s.base + from, leaving, turn);
        if (strip) {
            ww_strip_take(&s, edges, lane, s.base + from, ahead, before, incoming, turn);
            ww_strip_ask(&s, edges, lane, s.base + from + WW_CHAIN, ahead);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint steps = WW_MASKED ? min((uint)WW_CHAIN, s.total - from) : WW_CHAIN;
        WW_EACH_STEP
        for (uint c = 0; c < steps; c++) {
            const uint k = from + c;
            ww_strip_enter(&w, lane, strip, incoming, turn, c);
            ww_point own[WW_ROWS];
            ww_ring_take(&r, s.base, k, lane, rows, own);
            const uint step = s.base + k - lane;  // may wrap below 0: masked, it is past every end
            if (!WW_MASKED || (s.base + k >= lane && step >= s.first && step < s.end)) {
                ww_strip_sweep(&s, &w, args, x, limits, step, own);
                if (WW_OPEN)
                    best = ww_take_ends(&w, args, WW_ROWS, s.block == s.owner, step == last_step, best);
                ww_strip_leave(&w, lane, leaving, turn, c);
            }
            if (WW_NEEDS_LAST && WW_POINT_REGISTERS)
                w.last = own[WW_ROWS - 1];
            w.previous = w.l[WW_ROWS - 1];
            ww_pass_right(&w, 0, handed, k & 1, WW_WG, lane, lane, WW_WG, false);
        }
        // No barrier in a branch here: PoCL 3.1 loses the values from before it. After the loop it does not find the columns.
        if (WW_OPEN)
            bests[lane] = best;
        else if (from + steps == s.total && s.block == s.owner) {
            real result = w.c[0];  // by ww_owned_value() it is another column's in Oclgrind
#pragma unroll
            for (uint r = 1; r < WW_COLS; r++)
                result = r <= s.owned ? w.c[r] : result;
            ww_store_task(out, args, x_order, task, ww_final(result, x.length, y.length));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint last_chain = (s.total - 1) / WW_CHAIN;
    ww_strip_pass_on(&s, edges, lane, s.base + last_chain * WW_CHAIN + WW_CHAIN, leaving, last_chain % 2 ^ 1);
    if (WW_OPEN)
        ww_strip_end_group(&s, args, x, y, edges, lane, bests, out, x_order, task);
}
