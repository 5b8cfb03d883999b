// SPDX-License-Identifier: Apache-2.0
// Queries in streams with open ends: the value of the best match that ends at each point of the stream, D(n,j). With
// WW_SEARCH_START also where that match begins.
//
// Tried, not taken: 4, 7 to 12 columns a step, four queries a group, two groups a query: no gain.
//
// Rows are the query's points, columns the stream's. The rows of a query are spread over WW_SEARCH_LANES lanes, up to
// WW_COLS of them in the registers of each; the stream passes from lane to lane, WW_SEARCH_STEP columns at a time, and
// a lane computes its rows of these columns as WW_SEARCH_STEP independent chains of cells. Lanes are WW_SEARCH_GROUP
// adjacent work-items (WW_VECTOR 1), or the lanes of a vector in one work-item (WW_SEARCH_GROUP 1). A query with more
// rows is divided into strips, one launch each: the last row of a strip is written to `ends`, where the next strip
// reads it, in place. What the last column of a block needs for the next block is in `states_out`, so that a stream may
// be cut anywhere.
//
// With WW_SEARCH_CHAIN above 1 a query has so many groups of lanes, of one work-group: a group follows the one above it
// WW_SEARCH_CHAIN_LAG steps later, and the rows that are handed on go through local memory. So few queries keep more of
// a compute unit busy. A barrier every WW_SEARCH_CHAIN_STEPS steps; what is written between two barriers is read after
// the next one at the earliest, and nothing that is still needed is overwritten. With WW_SEARCH_CHAIN 1 no local
// memory, no barrier.
//
// Where the rows do not fill the lanes, the first registers of a lane, at most WW_SEARCH_PADS, are padding: such a cell
// has the value of the one above.
//
// With WW_SEARCH_START each value has the column in which its path begins: that of the chosen neighbour, of equal ones
// the diagonal, then the upper, then the left. A path begins in the first column that it does not skip.
//
// Parameters: base/points.cl's, WW_EMIT 1; WW_SEARCH_GROUP, WW_SEARCH_CHAIN, WW_COLS, WW_SEARCH_STEP, WW_SEARCH_PADS,
// WW_SEARCH_START, WW_SEARCH_STRIPS (0: one strip is all of a query), WW_WG (with WW_SEARCH_CHAIN above 1
// WW_SEARCH_GROUP * WW_SEARCH_CHAIN).
#define WW_SEARCH_FIRST_STRIP (!WW_SEARCH_STRIPS || args.strip == 0)
#define WW_SEARCH_LANES (WW_SEARCH_GROUP * WW_SEARCH_CHAIN * WW_VECTOR)
#define WW_SEARCH_GROUP_LANES (WW_SEARCH_GROUP * WW_VECTOR)
#if WW_SEARCH_CHAIN > 1 && (WW_VECTOR > 1 || WW_WG != WW_SEARCH_LANES || WW_SEARCH_GROUP > 32)
#error "a chain is one query of a work-group, in groups of work-items"
#endif
#if WW_SEARCH_START && WW_SELECT != WW_SELECT_VALUE
#error "a path of a soft minimum has no start"
#endif
// A step's last lane is WW_SEARCH_GROUP - 1 steps behind its first: with this lag what it hands on is at least
// WW_SEARCH_CHAIN_STEPS steps old when it is read, and a place of the ring is written again no earlier than that after
// it was read.
enum { WW_SEARCH_CHAIN_STEPS = 32, WW_SEARCH_CHAIN_LAG = 64, WW_SEARCH_CHAIN_RING = 64 };

// A value, and with WW_SEARCH_START the column in which its path begins.
typedef struct {
    real value;
    ww_ints start;
} ww_traced;

// The rows of a work-item's lanes, and what they need from one step to the next.
typedef struct {
    ww_open_task task;
    __global const ww_scalar *stream;  // at the task's first column
    __global ww_scalar *row;           // of `ends`
    __global int *starts;
    __local ww_scalar *handed;  // what each group but the last hands on: WW_SEARCH_CHAIN_RING steps
    __local int *handed_starts;
    uint chain;  // which group of its chain this is
    int lane;    // of a work-item
    ww_ints lane_index;
    ww_pair lengths;
    ww_ints pad;
    ww_row x[WW_COLS];
    ww_traced c[WW_COLS], corner;             // the column before; the corner above it
    ww_traced bottom[WW_SEARCH_STEP];         // the last row's columns of the step before
    ww_point point[WW_SEARCH_STEP], earlier;  // of the stream
    ww_point ahead[WW_SEARCH_STEP];           // of the next step, and the row above
    ww_scalar top_ahead[WW_SEARCH_STEP];
} ww_open_lanes;

WW_INLINE ww_traced ww_trace(real value, ww_ints start) {
    ww_traced t;
    t.value = value;
    t.start = start;
    return t;
}
WW_INLINE ww_traced ww_pick(ww_ints mask, ww_traced a, ww_traced b) {
    return ww_trace(WW_TO_MASK(mask) ? a.value : b.value, mask ? a.start : b.start);
}

// Values and integers of all lanes from an array, and into one.
#if WW_VECTOR > 1
#define ww_of_lanes(lanes) WW_VLOAD(0, lanes)
#define ww_ints_of_lanes(lanes) WW_PASTE(vload, WW_VECTOR)(0, lanes)
#define ww_to_lanes(v, lanes) WW_VSTORE(v, 0, lanes)
#define ww_ints_to_lanes(v, lanes) WW_PASTE(vstore, WW_VECTOR)(v, 0, lanes)
#else
#define ww_of_lanes(lanes) (lanes)[0]
#define ww_ints_of_lanes(lanes) (lanes)[0]
#define ww_to_lanes(v, lanes) ((lanes)[0] = (v))
#define ww_ints_to_lanes(v, lanes) ((lanes)[0] = (v))
#endif

// Whether the task has any of these flags.
WW_INLINE bool ww_task_is(const ww_open_lanes *o, uint flags) {
    return (o->task.flags & flags) != 0;
}

// The last lane's value, and the lanes but the last.
#if WW_VECTOR == 4
#define WW_LAST_LANE(v) (v).s3
#define WW_UPPER_LANES(v) (v).s012
#elif WW_VECTOR == 8
#define WW_LAST_LANE(v) (v).s7
#define WW_UPPER_LANES(v) (v).s0123, (v).s456
#elif WW_VECTOR == 16
#define WW_LAST_LANE(v) (v).sf
#define WW_UPPER_LANES(v) (v).s01234567, (v).s89ab, (v).scde
#else
#define WW_LAST_LANE(v) (v)
#endif

// The value of the lane above; the first lane receives `first`.
WW_INLINE real ww_from_above(real v, ww_scalar first, const bool is_first) {
#if WW_VECTOR > 1
    return (real)(first, WW_UPPER_LANES(v));
#elif WW_SEARCH_GROUP > 1
    const real other = ww_exchange_up(v, WW_SEARCH_GROUP);
    return is_first ? first : other;
#else
    return first;
#endif
}
WW_INLINE ww_ints ww_start_above(ww_ints v, int first, const bool is_first) {
#if WW_VECTOR > 1
    return (ww_ints)(first, WW_UPPER_LANES(v));
#elif WW_SEARCH_GROUP > 1
    const int other = (int)ww_exchange_up((uint)v, WW_SEARCH_GROUP);
    return is_first ? first : other;
#else
    return first;
#endif
}

#if WW_VECTOR > 1 && WWK_DOUBLE
#define WW_TO_INTS(mask) WW_PASTE(convert_int, WW_VECTOR)(mask)
#else
#define WW_TO_INTS(mask) (mask)
#endif
#define WW_SEARCH_BETTER(a, b) WW_TO_INTS((a) < (b))
#define WW_SAME(a, b) WW_TO_INTS((a) == (b))

// A cell from its neighbours. Its row's parity is a constant.
WW_INLINE ww_traced ww_open_cell(ww_traced left, ww_traced up, ww_traced diagonal, ww_row x, ww_column y,
                                 ww_pair lengths, const int parity, const ww_open_args args) {
#if !WW_SEARCH_START
    return ww_trace(WW_CELL(left.value, up.value, diagonal.value, x, y, (real)0, lengths, parity), 0);
#elif defined(WW_CELL_ALONE)
    // What the cell is with one neighbour alone says which it came from.
    const real value = ww_cell(left.value, up.value, diagonal.value, x, y, (real)0, lengths, 0, WW_GIVEN);
    const real by_up = ww_cell(WW_OUTSIDE, up.value, WW_OUTSIDE, x, y, (real)0, lengths, 0, WW_GIVEN);
    const real by_diagonal = ww_cell(WW_OUTSIDE, WW_OUTSIDE, diagonal.value, x, y, (real)0, lengths, 0, WW_GIVEN);
    const ww_ints start = WW_SAME(by_up, value) ? up.start : left.start;
    return ww_trace(value, WW_SAME(by_diagonal, value) ? diagonal.start : start);
#else
    const ww_entries e = ww_enter(left.value, up.value, diagonal.value, x, y, (real)0, lengths, WW_GIVEN);
    ww_traced best = ww_trace(e.diagonal, diagonal.start);
    best = ww_pick(WW_SEARCH_BETTER(e.up, best.value), ww_trace(e.up, up.start), best);
    best = ww_pick(WW_SEARCH_BETTER(e.left, best.value), ww_trace(e.left, left.start), best);
    return ww_trace(ww_node(best.value, x, y, (real)0, WW_GIVEN), best.start);
#endif
}

// All rows of the step's columns. A column that is not `there` leaves the state as it is; `inner`: all are.
WW_INLINE void ww_open_rows(ww_open_lanes *o, const ww_column *y, ww_traced *v, ww_traced *d, const ww_ints *there,
                            const bool inner, const ww_open_args args) {
#pragma unroll
    for (int w = 0; w < WW_COLS + WW_SEARCH_STEP - 1; w++) {
#pragma unroll
        for (int q = WW_SEARCH_STEP - 1; q >= 0; q--) {
            const int r = w - q;
            if (r >= 0 && r < WW_COLS) {
                const ww_traced left = q ? v[q ? q - 1 : 0] : o->c[r];
                ww_traced cell = ww_open_cell(left, v[q], d[q], o->x[r], y[q], o->lengths, r & 1, args);
                if (r < WW_SEARCH_PADS)
                    cell = ww_pick(r < o->pad, v[q], cell);
                if (!inner)
                    cell = ww_pick(there[q], cell, left);
                d[q] = left;
                v[q] = cell;
                if (q == WW_SEARCH_STEP - 1)
                    o->c[r] = cell;
            }
        }
    }
}

// The row above the strip's first lane in column `at` of the task: the open border, or what the strip before wrote.
WW_INLINE ww_scalar ww_above_at(__global const ww_scalar *row, bool border, uint at, uint count) {
    return border ? (ww_scalar)WW_OPEN_BORDER : row[min(at, count - 1)];
}

// The column before the first: where nothing goes on from it, what is there is not of this part of the stream, and may
// be no number. Then the first one stands for it, as it does for a pair's series.
WW_INLINE int ww_first_before(const ww_open_lanes *o) {
    return WW_BEFORE && !ww_task_is(o, WW_TASK_CONTINUE) ? 0 : -1;
}

// Asks for the points of step k, and the row above the first lane.
WW_INLINE void ww_load_ahead(ww_open_lanes *o, uint k, const bool inner, const ww_open_args args) {
    const int at = ((int)k - o->lane) * WW_SEARCH_STEP;
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++) {
        const int column = inner ? at + q : clamp(at + q, ww_first_before(o), (int)o->task.count - 1);
        for (int ch = 0; ch < WW_CHANNELS; ch++)
            o->ahead[q].value[ch] = o->stream[column + (long)(ch * args.stride)];
        o->top_ahead[q] = ww_above_at(o->row, WW_SEARCH_FIRST_STRIP, k * WW_SEARCH_STEP + (uint)q, o->task.count);
    }
}

// Points of the stream in each lane's columns of step k, and the row above the first lane. On a GPU what a step needs
// is loaded during the step before: few work-groups are on a compute unit at a time, so nothing else would hide the
// time of a load.
WW_INLINE void ww_load_columns(ww_open_lanes *o, ww_scalar *top, uint k, const bool inner, const ww_open_args args) {
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++) {
        if (WW_VECTOR == 1) {
            o->point[q] = o->ahead[q];
            top[q] = o->top_ahead[q];
        } else {
            const uint column = min(k * WW_SEARCH_STEP + (uint)q, o->task.count - 1);
            for (int ch = 0; ch < WW_CHANNELS; ch++)
                o->point[q].value[ch] =
                    ww_from_above(o->point[q].value[ch], o->stream[column + ch * args.stride], false);
            top[q] = ww_above_at(o->row, WW_SEARCH_FIRST_STRIP, column, o->task.count);
        }
    }
    if (WW_VECTOR == 1)
        ww_load_ahead(o, k + 1, inner, args);
}

// Where in the ring a group hands on its step k's columns.
WW_INLINE uint ww_ring_place(uint chain, uint k) {
    return (chain * WW_SEARCH_CHAIN_RING + k % WW_SEARCH_CHAIN_RING) * WW_SEARCH_STEP;
}

// What is above the first lane in column q of step k.
WW_INLINE ww_traced ww_first_above(const ww_open_lanes *o, const ww_scalar *top, uint k, const int q,
                                   const ww_open_args args) {
    const uint column = k * WW_SEARCH_STEP + (uint)q;
    if (WW_SEARCH_CHAIN > 1 && o->chain) {
        const uint place = ww_ring_place(o->chain - 1, k) + (uint)q;
        return ww_trace(o->handed[place], WW_SEARCH_START ? o->handed_starts[place] : 0);
    }
    if (!WW_SEARCH_START)
        return ww_trace(top[q], 0);
    return ww_trace(top[q], WW_SEARCH_FIRST_STRIP ? (int)column + 1 : o->starts[min(column, o->task.count - 1)]);
}

// `inner`: a step in which every lane has all of its columns, and the first of them the next ones but for a step's
// columns after the end, which may be read.
WW_INLINE void ww_open_step(ww_open_lanes *o, uint k, const bool inner, const ww_open_args args) {
    ww_scalar top[WW_SEARCH_STEP];
    ww_column y[WW_SEARCH_STEP];
    ww_traced v[WW_SEARCH_STEP], d[WW_SEARCH_STEP];
    ww_ints there[WW_SEARCH_STEP];
    ww_load_columns(o, top, k, inner, args);
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++) {
        const ww_ints at = ((int)k - o->lane_index) * WW_SEARCH_STEP + q;
        there[q] = (at >= 0) & (at < (int)o->task.count);
        y[q] = ww_column_make(o->point[q], q ? o->point[q ? q - 1 : 0] : o->earlier, (real)1);
    }
    o->earlier = o->point[WW_SEARCH_STEP - 1];
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++) {
        const ww_traced first = ww_first_above(o, top, k, q, args);
        v[q].value = ww_from_above(o->bottom[q].value, WW_LAST_LANE(first.value), o->lane == 0);
        v[q].start = WW_SEARCH_START ? ww_start_above(o->bottom[q].start, WW_LAST_LANE(first.start), o->lane == 0) : 0;
        d[q] = q ? v[q ? q - 1 : 0] : o->corner;
    }
    o->corner = inner ? v[WW_SEARCH_STEP - 1] : ww_pick(there[WW_SEARCH_STEP - 1], v[WW_SEARCH_STEP - 1], o->corner);
    ww_open_rows(o, y, v, d, there, inner, args);
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++)
        o->bottom[q] = v[q];
}

// Hands the last row's columns of step k on to the group below, and writes those of the last lane.
WW_INLINE void ww_write_ends(ww_open_lanes *o, uint k, const bool inner, const ww_open_args args) {
    if (WW_SEARCH_CHAIN > 1 && o->lane == WW_SEARCH_GROUP - 1 && o->chain + 1 < WW_SEARCH_CHAIN &&
        k + 1 >= WW_SEARCH_GROUP) {
        const uint place = ww_ring_place(o->chain, k + 1 - WW_SEARCH_GROUP);
#pragma unroll
        for (int q = 0; q < WW_SEARCH_STEP; q++) {
            o->handed[place + (uint)q] = WW_LAST_LANE(o->bottom[q].value);
            if (WW_SEARCH_START)
                o->handed_starts[place + (uint)q] = WW_LAST_LANE(o->bottom[q].start);
        }
    }
    if (ww_task_is(o, WW_TASK_IDLE) || o->lane != WW_SEARCH_GROUP - 1 || o->chain + 1 != WW_SEARCH_CHAIN)
        return;
    const bool is_result = !WW_SEARCH_STRIPS || args.strip + 1 == args.strips;
    const int at = ((int)k - (WW_SEARCH_GROUP_LANES - 1)) * WW_SEARCH_STEP;
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++)
        if (inner || (at + q >= 0 && at + q < (int)o->task.count)) {
            const ww_scalar value = WW_LAST_LANE(o->bottom[q].value);
            o->row[at + q] = is_result ? ww_final(value, o->task.x_stride, o->task.x_stride) : value;
            if (WW_SEARCH_START)
                o->starts[at + q] = WW_LAST_LANE(o->bottom[q].start);
        }
}

// Steps k to `end`; returns the next.
WW_INLINE uint ww_open_steps(ww_open_lanes *o, uint k, uint end, const ww_open_args args) {
    const uint steps = (o->task.count + WW_SEARCH_STEP - 1) / WW_SEARCH_STEP, full = o->task.count / WW_SEARCH_STEP;
    const uint fill = min((uint)WW_SEARCH_GROUP_LANES - 1, steps);
    for (; k < min(fill, end); k++) {
        ww_open_step(o, k, false, args);
        ww_write_ends(o, k, false, args);
    }
    for (; k < min(full, end); k++) {
        ww_open_step(o, k, true, args);
        ww_write_ends(o, k, true, args);
    }
    for (; k < end; k++) {
        ww_open_step(o, k, false, args);
        ww_write_ends(o, k, false, args);
    }
    return k;
}

// The first row of a lane, which has those up to the next one's.
WW_INLINE int ww_lane_begin(const ww_open_lanes *o, int g, const ww_open_args args) {
    const uint index = args.strip * WW_SEARCH_LANES + o->chain * WW_SEARCH_GROUP + (uint)(o->lane + g);
    return (int)((ulong)index * o->task.n / (args.strips * WW_SEARCH_LANES));
}

// Row i's value in the column before the first.
WW_INLINE ww_scalar ww_state_before(const ww_open_lanes *o, __global const ww_scalar *states, int i) {
    const bool known = ww_task_is(o, WW_TASK_CONTINUE) && i >= 0;
    return known ? states[o->task.state_in + (uint)max(i, 0)] : (ww_scalar)WW_OPEN_BORDER;
}
WW_INLINE int ww_start_before(const ww_open_lanes *o, __global const int *starts, int i, const ww_open_args args) {
    const bool known = WW_SEARCH_START && ww_task_is(o, WW_TASK_CONTINUE) && i >= 0;
    return known ? starts[o->task.state_in + (uint)max(i, 0)] - args.shift : 0;
}

// Each lane's point `at` of the query.
WW_INLINE real ww_query_value(const ww_open_lanes *o, __global const ww_scalar *x_values, const int *at, int channel) {
    ww_scalar lanes[WW_VECTOR];
    for (int g = 0; g < WW_VECTOR; g++)
        lanes[g] = x_values[o->task.x + (uint)at[g] + (ulong)channel * o->task.x_stride];
    return ww_of_lanes(lanes);
}
WW_INLINE ww_point ww_query_point(const ww_open_lanes *o, __global const ww_scalar *x_values, const int *at,
                                  const int *extra_at) {
    ww_point point;
    for (int ch = 0; ch < WW_CHANNELS; ch++)
        point.value[ch] = ww_query_value(o, x_values, at, ch);
#if WW_EXTRA
    point.extra = ww_query_value(o, x_values, extra_at, WW_CHANNELS);
#endif
    return point;
}

// Left of the first column where nothing goes on: the border of each lane's row x.
WW_INLINE real ww_left_of(const ww_open_lanes *o, ww_row x, real time, const ww_open_args args) {
    return ww_task_is(o, WW_TASK_INSIDE) ? WW_OUTSIDE : ww_border_left(x, time, o->lengths);
}

// The rows of each lane, and the column before the first.
WW_INLINE void ww_open_begin(ww_open_lanes *o, __global const ww_scalar *x_values, __global const ww_scalar *states,
                             __global const int *starts, const ww_open_args args) {
    int begin[WW_VECTOR], pad[WW_VECTOR], own[WW_VECTOR], at[WW_VECTOR], before[WW_VECTOR], start[WW_VECTOR];
    ww_scalar state[WW_VECTOR];
    for (int g = 0; g < WW_VECTOR; g++) {
        begin[g] = ww_lane_begin(o, g, args);
        pad[g] = WW_COLS - (ww_lane_begin(o, g + 1, args) - begin[g]);
        own[g] = begin[g] - 1;
        at[g] = max(own[g], 0);
        state[g] = ww_state_before(o, states, own[g]);
        start[g] = ww_start_before(o, starts, own[g], args);
    }
    o->pad = ww_ints_of_lanes(pad);
    o->corner = ww_trace(ww_of_lanes(state), ww_ints_of_lanes(start));
    if (!ww_task_is(o, WW_TASK_CONTINUE)) {
        const ww_ints above = ww_ints_of_lanes(own);
        const real time = WW_TO_REAL(max(above, (ww_ints)0));
        const ww_point over = ww_query_point(o, x_values, at, at);
        const real border = ww_left_of(o, ww_row_make(over, over, time), time, args);
        o->corner.value = WW_TO_MASK(above < 0) ? (real)(ww_scalar)WW_OPEN_BORDER : border;
    }
#pragma unroll
    for (int r = 0; r < WW_COLS; r++) {
        for (int g = 0; g < WW_VECTOR; g++) {
            own[g] = begin[g] + r - pad[g];
            own[g] = own[g] < begin[g] ? begin[g] - 1 : own[g];
            at[g] = max(own[g], 0);
            before[g] = max(at[g] - 1, 0);
            state[g] = ww_state_before(o, states, own[g]);
            start[g] = ww_start_before(o, starts, own[g], args);
        }
        const ww_ints row = ww_ints_of_lanes(own);
        const real time = WW_TO_REAL(max(row, (ww_ints)0));
        o->c[r] = ww_trace(ww_of_lanes(state), ww_ints_of_lanes(start));
        o->x[r] = ww_row_make(ww_query_point(o, x_values, at, at), ww_query_point(o, x_values, before, at), time);
        if (!ww_task_is(o, WW_TASK_CONTINUE)) {
            const real border = ww_left_of(o, o->x[r], time, args);
            o->c[r].value = WW_TO_MASK(row < 0) ? o->c[r].value : border;
        }
    }
}

// Writes what the next block needs of the last column, or its result.
WW_INLINE void ww_open_save(ww_open_lanes *o, __global ww_scalar *states, __global int *starts,
                            const ww_open_args args) {
    const bool last = ww_task_is(o, WW_TASK_LAST);
    ww_scalar value[WW_COLS][WW_VECTOR];
    int start[WW_COLS][WW_VECTOR];
#pragma unroll
    for (int r = 0; r < WW_COLS; r++) {
        ww_to_lanes(o->c[r].value, value[r]);
        ww_ints_to_lanes(o->c[r].start, start[r]);
    }
    for (int g = 0; g < WW_VECTOR; g++) {
        const int begin = ww_lane_begin(o, g, args), end = ww_lane_begin(o, g + 1, args);
#pragma unroll
        for (int r = 0; r < WW_COLS; r++) {
            const int i = end - WW_COLS + r;
            if (i >= begin && (!last || i + 1 == (int)o->task.n)) {
                const uint to = o->task.state_out + (last ? 0 : (uint)i);
                states[to] = last ? ww_final(value[r][g], o->task.x_stride, o->task.x_stride) : value[r][g];
                if (WW_SEARCH_START)
                    starts[to] = start[r][g];
            }
        }
    }
}

// The first step's points, and nothing above.
WW_INLINE void ww_open_ready(ww_open_lanes *o, const ww_open_args args) {
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++) {
        o->bottom[q] = ww_trace(0, 0);
        for (int ch = 0; ch < WW_CHANNELS; ch++)
            o->point[q].value[ch] = (real)o->stream[ww_first_before(o) + (long)(ch * args.stride)];
#if WW_EXTRA
        o->point[q].extra = o->ahead[q].extra = 0;  // the border above is open
#endif
    }
    o->earlier = o->point[0];
    if (WW_VECTOR == 1)
        ww_load_ahead(o, 0, false, args);
}

// tasks: of each group of each work-group; all tasks of a work-group have the same count. x: points of the queries,
// channel by channel.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) WW_EXCHANGE_KERNEL void
ww_search_open(__global const ww_scalar *restrict values, __global const ww_scalar *restrict x_values,
               __global const ww_open_task *restrict tasks, __global ww_scalar *restrict ends,
               __global int *restrict all_starts, __global const ww_scalar *restrict states_in,
               __global ww_scalar *restrict states_out, __global const int *restrict starts_in,
               __global int *restrict starts_out, const ww_open_args args) {
    const uint item = (uint)get_global_id(0), own_task = item / (WW_SEARCH_GROUP * WW_SEARCH_CHAIN);
    ww_open_lanes lanes, *const o = &lanes;
    o->task = tasks[min(own_task, args.tasks - 1)];
    if (own_task >= args.tasks)
        o->task.flags |= WW_TASK_IDLE;
    o->chain = item / WW_SEARCH_GROUP % WW_SEARCH_CHAIN;
    o->lane = WW_VECTOR > 1 ? 0 : (int)(item % WW_SEARCH_GROUP);
    int lane_numbers[WW_VECTOR];
    for (int g = 0; g < WW_VECTOR; g++)
        lane_numbers[g] = o->lane + g;
    o->lane_index = ww_ints_of_lanes(lane_numbers);
    o->stream = values + o->task.first;
    o->row = ends + o->task.rows_of;
    o->starts = all_starts + o->task.rows_of;
#if WW_SEARCH_CHAIN > 1
    __local ww_scalar handed[(WW_SEARCH_CHAIN - 1) * WW_SEARCH_CHAIN_RING * WW_SEARCH_STEP];
    __local int handed_starts[WW_SEARCH_START ? (WW_SEARCH_CHAIN - 1) * WW_SEARCH_CHAIN_RING * WW_SEARCH_STEP : 1];
    o->handed = handed;
    o->handed_starts = handed_starts;
#endif
    o->lengths.rows = o->lengths.columns = (real)(ww_scalar)o->task.n;
    // A match has a point of the query.
    o->lengths.begin_x = (real)(ww_scalar)(o->task.flags & WW_TASK_BEGIN ? min(args.begin_x, o->task.x_stride - 1) : 0);
    o->lengths.begin_y = WW_INF;
    o->lengths.end_x = o->lengths.end_y = 0;
    WW_PAIR_READY(o->lengths)

    ww_open_begin(o, x_values, states_in, starts_in, args);
    ww_open_ready(o, args);
    const uint all = (o->task.count + WW_SEARCH_STEP - 1) / WW_SEARCH_STEP + WW_SEARCH_GROUP_LANES - 1;
    const uint turns = all + (WW_SEARCH_CHAIN - 1) * WW_SEARCH_CHAIN_LAG;
    if (WW_SEARCH_CHAIN == 1)
        ww_open_steps(o, 0, all, args);
    else
        for (uint k = 0, turn = 0; turn < turns; turn += WW_SEARCH_CHAIN_STEPS) {
            const uint lag = o->chain * WW_SEARCH_CHAIN_LAG, next = turn + WW_SEARCH_CHAIN_STEPS;
            k = ww_open_steps(o, k, next > lag ? min(next - lag, all) : 0, args);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    if (ww_task_is(o, WW_TASK_SAVE | WW_TASK_LAST) && !ww_task_is(o, WW_TASK_IDLE))
        ww_open_save(o, states_out, starts_out, args);
}
