// SPDX-License-Identifier: Apache-2.0
// Queries in streams with open ends: the value of the best match that ends at each point of the stream, D(n,j). With
// WW_SEARCH_START also where that match begins.
//
// Tried, not taken: 4, 7 to 12 columns a step, four queries a group, two groups a query: no gain.
//
// Rows are the query's points, columns the stream's. The rows of a query are spread over `WW_SEARCH_LANES` lanes, up to WW_COLS of
// them in the registers of each; the stream passes from lane to lane, WW_SEARCH_STEP columns at a time, and a lane computes its
// rows of these columns as WW_SEARCH_STEP independent chains of cells. Lanes are WW_SEARCH_GROUP adjacent work-items (WW_VECTOR 1), or
// the lanes of a vector in one work-item (WW_SEARCH_GROUP 1). A query with more rows is divided into strips, one launch each:
// the last row of a strip is written to `ends`, where the next strip reads it, in place. What the last column of a
// block needs for the next block is in `state_out`, so that a stream may be cut anywhere.
//
// With WW_SEARCH_CHAIN above 1 a query has so many groups of lanes, of one work-group: a group follows the one above it
// WW_SEARCH_CHAIN_LAG steps later, and the rows that are handed on go through local memory. So few queries keep more of a compute
// unit busy. A barrier every WW_SEARCH_CHAIN_STEPS steps; what is written between two barriers is read after the next one at the
// earliest, and nothing that is still needed is overwritten. With WW_SEARCH_CHAIN 1 no local memory, no barrier.
//
// Where the rows do not fill the lanes, the first registers of a lane, at most WW_SEARCH_PADS, are padding: such a cell has the
// value of the one above.
//
// With WW_SEARCH_START each value has the column in which its path begins: that of the chosen neighbour, of equal ones the diagonal,
// then the upper, then the left. A path begins in the first column that it does not skip.
//
// Parameters: base/points.cl's, WW_EMIT 1; WW_SEARCH_GROUP, WW_SEARCH_CHAIN, WW_COLS, WW_SEARCH_STEP, WW_SEARCH_PADS, WW_SEARCH_START, WW_SEARCH_STRIPS (0: one strip is all of a
// query), WW_WG (with WW_SEARCH_CHAIN above 1 WW_SEARCH_GROUP * WW_SEARCH_CHAIN).
#ifndef WW_SEARCH_GROUP
#define WW_SEARCH_GROUP 1
#endif
#ifndef WW_SEARCH_STEP
#define WW_SEARCH_STEP 4
#endif
#ifndef WW_SEARCH_PADS
#define WW_SEARCH_PADS 1
#endif
#ifndef WW_SEARCH_START
#define WW_SEARCH_START 0
#endif
#ifndef WW_WG
#define WW_WG 32
#endif
#ifndef WW_SEARCH_STRIPS
#define WW_SEARCH_STRIPS 1
#endif
#define WW_SEARCH_FIRST_STRIP (!WW_SEARCH_STRIPS || args.strip == 0)
#ifndef WW_SEARCH_CHAIN
#define WW_SEARCH_CHAIN 1
#endif
#define WW_SEARCH_LANES (WW_SEARCH_GROUP * WW_SEARCH_CHAIN * WW_VECTOR)
#define WW_SEARCH_GROUP_LANES (WW_SEARCH_GROUP * WW_VECTOR)
#if WW_SEARCH_CHAIN > 1
#if WW_VECTOR > 1 || WW_WG != WW_SEARCH_LANES || WW_SEARCH_GROUP > 32
#error "a chain is one query of a work-group, in groups of work-items"
#endif
// A step's last lane is WW_SEARCH_GROUP - 1 steps behind its first: with this lag what it hands on is at least WW_SEARCH_CHAIN_STEPS
// steps old when it is read, and a place of the ring is written again no earlier than that after it was read.
#define WW_SEARCH_CHAIN_STEPS 32
#define WW_SEARCH_CHAIN_LAG 64
#define WW_SEARCH_CHAIN_RING 64
#endif
#if WW_SEARCH_START && WW_SELECT != WW_SELECT_VALUE
#error "a path of a soft minimum has no start"
#endif

WW_INLINE real ww_pick(ww_ints mask, real a, real b) {
    return WW_TO_MASK(mask) ? a : b;
}
WW_INLINE ww_ints ww_pick_ints(ww_ints mask, ww_ints a, ww_ints b) {
    return mask ? a : b;
}

// The value of the lane above; the first lane receives `first`.
#if WW_VECTOR > 1
WW_INLINE real ww_from_above(real v, ww_scalar first, const bool is_first) {
#if WW_VECTOR == 4
    return (real)(first, v.s012);
#elif WW_VECTOR == 8
    return (real)(first, v.s0123, v.s456);
#else
    return (real)(first, v.s01234567, v.s89ab, v.scde);
#endif
}
WW_INLINE ww_ints ww_start_above(ww_ints v, int first, const bool is_first) {
#if WW_VECTOR == 4
    return (ww_ints)(first, v.s012);
#elif WW_VECTOR == 8
    return (ww_ints)(first, v.s0123, v.s456);
#else
    return (ww_ints)(first, v.s01234567, v.s89ab, v.scde);
#endif
}
#define WW_LAST_LANE(v) WW_PASTE(v.s, WW_LAST)
#if WW_VECTOR == 4
#define WW_LAST 3
#elif WW_VECTOR == 8
#define WW_LAST 7
#else
#define WW_LAST f
#endif
#elif WW_SEARCH_GROUP > 1
WW_INLINE real ww_from_above(real v, ww_scalar first, const bool is_first) {
    const real other = ww_exchange_up(v, WW_SEARCH_GROUP);
    return is_first ? first : other;
}
WW_INLINE int ww_start_above(int v, int first, const bool is_first) {
    const int other = (int)ww_exchange_up((uint)v, WW_SEARCH_GROUP);
    return is_first ? first : other;
}
#define WW_LAST_LANE(v) (v)
#else
#define ww_from_above(v, first, is_first) (first)
#define ww_start_above(v, first, is_first) (first)
#define WW_LAST_LANE(v) (v)
#endif

#if WW_SEARCH_START
#define WW_STARTS(text) text
#else
#define WW_STARTS(text)
#endif

// Cell (r, q): row r of the lane, column q of the step.
#if WW_SEARCH_START && defined(WW_CELL_ALONE)
// What the cell is with one neighbour alone says which it came from.
#define WW_CELL_OF(left, up, diagonal, r, q) ww_cell(left, up, diagonal, x[r], y[q], (real)0, lengths, 0, WW_GIVEN)
#define WW_OPEN_CELL(r, q)                                                                                             \
    real value = WW_CELL_OF(left, v[q], d[q], r, q);                                                                   \
    ww_ints start = ww_pick_ints(WW_SAME(WW_CELL_OF(WW_OUTSIDE, v[q], WW_OUTSIDE, r, q), value), vs[q], left_start);   \
    start = ww_pick_ints(WW_SAME(WW_CELL_OF(WW_OUTSIDE, WW_OUTSIDE, d[q], r, q), value), ds[q], start);
#elif WW_SEARCH_START
#define WW_OPEN_CELL(r, q)                                                                                             \
    const ww_entries e = ww_enter(left, v[q], d[q], x[r], y[q], (real)0, lengths, WW_GIVEN);                                     \
    const ww_ints by_up = WW_SEARCH_BETTER(e.up, e.diagonal);                                                                 \
    real best = ww_pick(by_up, e.up, e.diagonal);                                                                      \
    ww_ints start = ww_pick_ints(by_up, vs[q], ds[q]);                                                                 \
    const ww_ints by_left = WW_SEARCH_BETTER(e.left, best);                                                                   \
    best = ww_pick(by_left, e.left, best);                                                                             \
    start = ww_pick_ints(by_left, left_start, start);                                                                  \
    real value = ww_node(best, x[r], y[q], (real)0, WW_GIVEN);
#else
#define WW_OPEN_CELL(r, q) real value = WW_CELL(left, v[q], d[q], x[r], y[q], (real)0, lengths, (r)&1);
#endif
#if WW_VECTOR > 1 && WWK_DOUBLE
#define WW_TO_INTS(mask) WW_PASTE(convert_int, WW_VECTOR)(mask)
#else
#define WW_TO_INTS(mask) (mask)
#endif
#define WW_SEARCH_BETTER(a, b) WW_TO_INTS((a) < (b))
#define WW_SAME(a, b) WW_TO_INTS((a) == (b))
#define WW_PAD_CELL(r, q)                                                                                              \
    if ((r) < WW_SEARCH_PADS) {                                                                                               \
        const ww_ints padding = (r) < pad;                                                                             \
        value = ww_pick(padding, v[q], value);                                                                         \
        WW_STARTS(start = ww_pick_ints(padding, vs[q], start);)                                                        \
    }
// A column that is not there leaves the state as it is.
#define WW_GUARD_CELL(q)                                                                                               \
    value = ww_pick(there[q], value, left);                                                                            \
    WW_STARTS(start = ww_pick_ints(there[q], start, left_start);)
#define WW_NO_GUARD(q)

#define WW_ROWS_OF_STEP(GUARD)                                                                                         \
    _Pragma("unroll") for (int w = 0; w < WW_COLS + WW_SEARCH_STEP - 1; w++) {                                                \
        _Pragma("unroll") for (int q = WW_SEARCH_STEP - 1; q >= 0; q--) {                                                     \
            const int r = w - q;                                                                                       \
            if (r >= 0 && r < WW_COLS) {                                                                               \
                const real left = q ? v[q ? q - 1 : 0] : c[r];                                                         \
                WW_STARTS(const ww_ints left_start = q ? vs[q ? q - 1 : 0] : cs[r];)                                   \
                WW_OPEN_CELL(r, q)                                                                                     \
                WW_PAD_CELL(r, q)                                                                                      \
                GUARD(q)                                                                                               \
                d[q] = left;                                                                                           \
                v[q] = value;                                                                                          \
                WW_STARTS(ds[q] = left_start; vs[q] = start;)                                                          \
                if (q == WW_SEARCH_STEP - 1) {                                                                                \
                    c[r] = value;                                                                                      \
                    WW_STARTS(cs[r] = start;)                                                                          \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

// The row above the strip's first lane in column `at` of the task: the open border, or what the strip before wrote.
WW_INLINE ww_scalar ww_above_at(__global const ww_scalar *row, bool border, uint at, uint count) {
    return border ? (ww_scalar)WW_OPEN_BORDER : row[min(at, count - 1)];
}

// The corner where nothing goes on: the border of the row above the lanes' first, left of the first column; above the
// first row it is open.
#if WW_EXTRA
#define WW_OVER_EXTRA(value) over.extra = (value);
#else
#define WW_OVER_EXTRA(value)
#endif
#define WW_CORNER_READY(channel, extra_value)                                                                          \
    if (!continues) {                                                                                                  \
        ww_point over;                                                                                                 \
        for (int ch = 0; ch < WW_CHANNELS; ch++)                                                                       \
            over.value[ch] = channel;                                                                                  \
        WW_OVER_EXTRA(extra_value)                                                                                     \
        const real time = WW_TO_REAL(max(row_above, (ww_ints)0));                                                      \
        const real border = inside ? WW_OUTSIDE : ww_border_left(ww_row_make(over, over, time), time, lengths);        \
        corner = ww_pick(row_above < 0, (real)(ww_scalar)WW_OPEN_BORDER, border);                                      \
    }
// After the points and the state of the lanes' row r are loaded: its element, and the border where there is no state.
#define WW_ROW_READY(r)                                                                                                \
    x[r] = ww_row_make(here, before, WW_TO_REAL(max(own, (ww_ints)0)));                                                         \
    if (!continues)                                                                                                    \
        c[r] = ww_pick(own < 0, c[r], inside ? WW_OUTSIDE : ww_border_left(x[r], WW_TO_REAL(max(own, (ww_ints)0)), lengths));
#if WW_VECTOR > 1
#define WW_LOAD_INTS(lanes) WW_PASTE(vload, WW_VECTOR)(0, lanes)
#endif

// The column before the first: where nothing goes on from it, what is there is not of this part of the stream, and may be
// no number. Then the first one stands for it, as it does for a pair's series.
#if WW_BEFORE
#define WW_FIRST_BEFORE (continues ? -1 : 0)
#else
#define WW_FIRST_BEFORE -1
#endif

// Points of the stream in columns [column, column + WW_SEARCH_STEP) of each lane, and the row above the first lane. On a GPU what
// step `at_step` needs is loaded during the step before: few work-groups are on a compute unit at a time, so nothing else
// would hide the time of a load.
#if WW_VECTOR == 1
#define WW_LOAD_AHEAD(at_step, INNER)                                                                                  \
    {                                                                                                                  \
        const int at = ((int)(at_step)-lane) * WW_SEARCH_STEP;                                                                \
        _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                          \
            const int column = (INNER) ? at + q : clamp(at + q, WW_FIRST_BEFORE, (int)task.count - 1);                \
            for (int ch = 0; ch < WW_CHANNELS; ch++)                                                                   \
                ahead[q].value[ch] = stream[column + (long)(ch * args.stride)];                                        \
            top_ahead[q] = ww_above_at(row, WW_SEARCH_FIRST_STRIP, (uint)(at_step)*WW_SEARCH_STEP + (uint)q, task.count);            \
        }                                                                                                              \
    }
#define WW_LOAD_COLUMNS(INNER)                                                                                         \
    _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                              \
        point[q] = ahead[q];                                                                                           \
        top[q] = top_ahead[q];                                                                                         \
    }                                                                                                                  \
    WW_LOAD_AHEAD(k + 1, INNER)
#else
#define WW_LOAD_COLUMNS(INNER)                                                                                         \
    _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                              \
        const uint column = min(k * WW_SEARCH_STEP + (uint)q, task.count - 1);                                                \
        for (int ch = 0; ch < WW_CHANNELS; ch++)                                                                       \
            point[q].value[ch] = ww_from_above(point[q].value[ch], stream[column + ch * args.stride], false);          \
        top[q] = ww_above_at(row, WW_SEARCH_FIRST_STRIP, column, task.count);                                                 \
    }
#endif

// y[q] of the points; the point before the first is the lane's last one of the step before.
#define WW_MAKE_COLUMNS                                                                                                \
    _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++)                                                                \
        y[q] = ww_column_make(point[q], q ? point[q ? q - 1 : 0] : earlier, (real)1);                                  \
    earlier = point[WW_SEARCH_STEP - 1];

// INNER 1: a step in which every lane has all of its columns, and the first of them the next ones but for a step's
// columns after the end, which may be read.
#define WW_STEP_OF(GUARD, KEEP_CORNER, INNER)                                                                          \
    {                                                                                                                  \
        WW_LOAD_COLUMNS(INNER)                                                                                         \
        WW_MAKE_COLUMNS                                                                                                \
        _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                          \
            const uint column = k * WW_SEARCH_STEP + (uint)q;                                                                 \
            (void)column;                                                                                              \
            v[q] = ww_from_above(bottom[q], WW_HANDED(top[q], handed, k, q), lane == 0);                               \
            WW_STARTS(vs[q] = ww_start_above(                                                                          \
                          bottom_start[q],                                                                             \
                          WW_HANDED(WW_SEARCH_FIRST_STRIP ? (int)column + 1 : starts[min(column, task.count - 1)],           \
                                    handed_starts, k, q),                                                              \
                          lane == 0);)                                                                                 \
        }                                                                                                              \
        _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                          \
            d[q] = q ? v[q ? q - 1 : 0] : corner;                                                                      \
            WW_STARTS(ds[q] = q ? vs[q ? q - 1 : 0] : corner_start;)                                                   \
        }                                                                                                              \
        KEEP_CORNER                                                                                                    \
        WW_ROWS_OF_STEP(GUARD)                                                                                         \
        _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                          \
            bottom[q] = v[q];                                                                                          \
            WW_STARTS(bottom_start[q] = vs[q];)                                                                        \
        }                                                                                                              \
    }
#define WW_CORNER_ALWAYS                                                                                               \
    corner = v[WW_SEARCH_STEP - 1];                                                                                           \
    WW_STARTS(corner_start = vs[WW_SEARCH_STEP - 1];)
#define WW_CORNER_GUARDED                                                                                              \
    corner = ww_pick(there[WW_SEARCH_STEP - 1], v[WW_SEARCH_STEP - 1], corner);                                                      \
    WW_STARTS(corner_start = ww_pick_ints(there[WW_SEARCH_STEP - 1], vs[WW_SEARCH_STEP - 1], corner_start);)

// The row above a group that is not the first of its chain.
#if WW_SEARCH_CHAIN > 1
#define WW_HANDED(top, ring, k, q) (chain ? ring[chain - 1][(k) % WW_SEARCH_CHAIN_RING][q] : (top))
#define WW_HAND_ON                                                                                                     \
    if (lane == WW_SEARCH_GROUP - 1 && chain + 1 < WW_SEARCH_CHAIN && k + 1 >= WW_SEARCH_GROUP) {                                           \
        const uint place = (k + 1 - WW_SEARCH_GROUP) % WW_SEARCH_CHAIN_RING;                                                         \
        _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                          \
            handed[chain][place][q] = bottom[q];                                                                       \
            WW_STARTS(handed_starts[chain][place][q] = bottom_start[q];)                                               \
        }                                                                                                              \
    }
#else
#define WW_HANDED(top, ring, k, q) (top)
#define WW_HAND_ON
#endif

// Writes the last lane's columns of a step.
#define WW_WRITE_ENDS(INNER)                                                                                           \
    WW_HAND_ON                                                                                                         \
    if (writes) {                                                                                                      \
        const int at = ((int)k - (WW_SEARCH_GROUP_LANES - 1)) * WW_SEARCH_STEP;                                                      \
        _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) if ((INNER) || (at + q >= 0 && at + q < (int)task.count)) { \
            const ww_scalar value = WW_LAST_LANE(bottom[q]);                                                           \
            row[at + q] = is_result ? ww_final(value, task.x_stride, task.x_stride) : value;                           \
            WW_STARTS(starts[at + q] = WW_LAST_LANE(bottom_start[q]);)                                                 \
        }                                                                                                              \
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
    const ww_open_task task = tasks[min(own_task, args.tasks - 1)];
#if WW_SEARCH_CHAIN > 1
    __local ww_scalar handed[WW_SEARCH_CHAIN - 1][WW_SEARCH_CHAIN_RING][WW_SEARCH_STEP];
    WW_STARTS(__local int handed_starts[WW_SEARCH_CHAIN - 1][WW_SEARCH_CHAIN_RING][WW_SEARCH_STEP];)
    const uint chain = item / WW_SEARCH_GROUP % WW_SEARCH_CHAIN;
#else
    const uint chain = 0;
#endif
#if WW_VECTOR == 1
    const int lane = (int)(item % WW_SEARCH_GROUP);
    const int lane_index = lane;
#else
    const int lane = 0;
    int lane_numbers[WW_VECTOR];
    for (int g = 0; g < WW_VECTOR; g++)
        lane_numbers[g] = g;
    const ww_ints lane_index = WW_LOAD_INTS(lane_numbers);
#endif
    const bool idle = (task.flags & WW_TASK_IDLE) != 0 || own_task >= args.tasks;
#if WW_VECTOR > 1
    const bool writes = !idle;
#else
    const bool writes = !idle && lane == WW_SEARCH_GROUP - 1 && chain + 1 == WW_SEARCH_CHAIN;
#endif
    const bool continues = (task.flags & WW_TASK_CONTINUE) != 0, inside = (task.flags & WW_TASK_INSIDE) != 0;
    const bool is_result = !WW_SEARCH_STRIPS || args.strip + 1 == args.strips;
    __global const ww_scalar *stream = values + task.first;
    __global ww_scalar *row = ends + task.rows_of;
    WW_STARTS(__global int *starts = all_starts + task.rows_of;)
    (void)all_starts;
    (void)chain;
    (void)starts_in;
    (void)starts_out;
    const uint lanes = args.strips * WW_SEARCH_LANES;

    ww_pair lengths;
    lengths.rows = (real)(ww_scalar)task.n;
    lengths.columns = (real)(ww_scalar)task.n;
    // A match has a point of the query.
    lengths.begin_x = (real)(ww_scalar)(task.flags & WW_TASK_BEGIN ? min(args.begin_x, task.x_stride - 1) : 0);
    lengths.begin_y = WW_INF;
    lengths.end_x = lengths.end_y = 0;
    WW_PAIR_READY(lengths)

    // The rows of each lane, and the column before the first.
    ww_row x[WW_COLS];
    real c[WW_COLS], corner;
    WW_STARTS(ww_ints cs[WW_COLS]; ww_ints corner_start = 0;)
    ww_ints pad;
    {
#if WW_VECTOR > 1
        int lane_pad[WW_VECTOR], lane_above[WW_VECTOR], lane_own[WW_COLS][WW_VECTOR];
        ww_scalar lane_corner[WW_VECTOR];
        WW_STARTS(int lane_start[WW_COLS][WW_VECTOR]; int lane_corner_start[WW_VECTOR];)
        ww_scalar lane_c[WW_COLS][WW_VECTOR], lane_x[WW_COLS * WW_CHANNELS][WW_VECTOR];
        ww_scalar lane_before[WW_COLS * WW_CHANNELS][WW_VECTOR], lane_over[WW_CHANNELS][WW_VECTOR];
#if WW_EXTRA
        ww_scalar lane_extra[WW_COLS][WW_VECTOR], lane_over_extra[WW_VECTOR];
#endif
        for (int g = 0; g < WW_VECTOR; g++) {
            const uint index = args.strip * WW_SEARCH_LANES + (uint)g;
#else
        const uint index = args.strip * WW_SEARCH_LANES + chain * WW_SEARCH_GROUP + (uint)lane;
#endif
        const uint begin = (uint)((ulong)index * task.n / lanes), end = (uint)((ulong)(index + 1) * task.n / lanes);
        const int padding = WW_COLS - (int)(end - begin);
        const uint over_at = task.x + (begin ? begin - 1 : 0);
        // Row i's value in the column before the first.
#define WW_START_OF(i) (continues && (i) >= 0 ? starts_in[task.state_in + (uint)max(i, 0)] - args.shift : 0)
#define WW_STATE_OF(i) (continues && (i) >= 0 ? states_in[task.state_in + (uint)max(i, 0)] : (ww_scalar)WW_OPEN_BORDER)
#if WW_VECTOR > 1
            lane_pad[g] = padding;
            lane_above[g] = (int)begin - 1;
            lane_corner[g] = WW_STATE_OF((int)begin - 1);
            WW_STARTS(lane_corner_start[g] = WW_START_OF((int)begin - 1);)
            for (int ch = 0; ch < WW_CHANNELS; ch++)
                lane_over[ch][g] = x_values[over_at + (ulong)ch * task.x_stride];
#if WW_EXTRA
            lane_over_extra[g] = x_values[over_at + (ulong)WW_CHANNELS * task.x_stride];
#endif
            for (int r = 0; r < WW_COLS; r++) {
                const int i = (int)begin + r - padding;
                const int own = i < (int)begin ? (int)begin - 1 : i, at = max(own, 0);
                lane_c[r][g] = WW_STATE_OF(own);
                WW_STARTS(lane_start[r][g] = WW_START_OF(own);)
                lane_own[r][g] = own;
                for (int ch = 0; ch < WW_CHANNELS; ch++) {
                    lane_x[r * WW_CHANNELS + ch][g] = x_values[task.x + (uint)at + (ulong)ch * task.x_stride];
                    lane_before[r * WW_CHANNELS + ch][g] =
                        x_values[task.x + (uint)max(at - 1, 0) + (ulong)ch * task.x_stride];
                }
#if WW_EXTRA
                lane_extra[r][g] = x_values[task.x + (uint)at + (ulong)WW_CHANNELS * task.x_stride];
#endif
            }
        }
        pad = WW_LOAD_INTS(lane_pad);
        corner = WW_VLOAD(0, lane_corner);
        WW_STARTS(corner_start = WW_LOAD_INTS(lane_corner_start);)
        const ww_ints row_above = WW_LOAD_INTS(lane_above);
        WW_CORNER_READY(WW_VLOAD(0, lane_over[ch]), WW_VLOAD(0, lane_over_extra))
        for (int r = 0; r < WW_COLS; r++) {
            ww_point here, before;
            for (int ch = 0; ch < WW_CHANNELS; ch++) {
                here.value[ch] = WW_VLOAD(0, lane_x[r * WW_CHANNELS + ch]);
                before.value[ch] = WW_VLOAD(0, lane_before[r * WW_CHANNELS + ch]);
            }
#if WW_EXTRA
            here.extra = before.extra = WW_VLOAD(0, lane_extra[r]);
#endif
            const ww_ints own = WW_LOAD_INTS(lane_own[r]);
            c[r] = WW_VLOAD(0, lane_c[r]);
            WW_STARTS(cs[r] = WW_LOAD_INTS(lane_start[r]);)
            WW_ROW_READY(r)
        }
#else
        pad = padding;
        corner = WW_STATE_OF((int)begin - 1);
        WW_STARTS(corner_start = WW_START_OF((int)begin - 1);)
#pragma unroll
        for (int r = 0; r < WW_COLS; r++) {
            const int i = (int)begin + r - padding;
            const int own = i < (int)begin ? (int)begin - 1 : i, at = max(own, 0);
            ww_point here, before;
            c[r] = WW_STATE_OF(own);
            WW_STARTS(cs[r] = WW_START_OF(own);)
            for (int ch = 0; ch < WW_CHANNELS; ch++) {
                here.value[ch] = x_values[task.x + (uint)at + (ulong)ch * task.x_stride];
                before.value[ch] = x_values[task.x + (uint)max(at - 1, 0) + (ulong)ch * task.x_stride];
            }
#if WW_EXTRA
            here.extra = before.extra = x_values[task.x + (uint)at + (ulong)WW_CHANNELS * task.x_stride];
#endif
            WW_ROW_READY(r)
        }
        const ww_ints row_above = (int)begin - 1;
        WW_CORNER_READY(x_values[over_at + (ulong)ch * task.x_stride],
                        x_values[over_at + (ulong)WW_CHANNELS * task.x_stride])
#endif
    }

    real v[WW_SEARCH_STEP], d[WW_SEARCH_STEP], bottom[WW_SEARCH_STEP];
    WW_STARTS(ww_ints vs[WW_SEARCH_STEP]; ww_ints ds[WW_SEARCH_STEP]; ww_ints bottom_start[WW_SEARCH_STEP];)
    ww_column y[WW_SEARCH_STEP];
    ww_point point[WW_SEARCH_STEP], earlier;
    ww_scalar top[WW_SEARCH_STEP];
#pragma unroll
    for (int q = 0; q < WW_SEARCH_STEP; q++) {
        bottom[q] = 0;
        WW_STARTS(bottom_start[q] = 0;)
        for (int ch = 0; ch < WW_CHANNELS; ch++)
            point[q].value[ch] = (real)stream[WW_FIRST_BEFORE + (long)(ch * args.stride)];
#if WW_EXTRA
        point[q].extra = 0;  // the border above is open
#endif
    }
    earlier = point[0];
#if WW_VECTOR == 1
    ww_point ahead[WW_SEARCH_STEP];
    ww_scalar top_ahead[WW_SEARCH_STEP];
#if WW_EXTRA
    for (int q = 0; q < WW_SEARCH_STEP; q++)
        ahead[q].extra = 0;
#endif
    WW_LOAD_AHEAD(0, 0)
#endif

    const uint steps = (task.count + WW_SEARCH_STEP - 1) / WW_SEARCH_STEP, full = task.count / WW_SEARCH_STEP;
    const uint fill = min((uint)WW_SEARCH_GROUP_LANES - 1, steps), all = steps + WW_SEARCH_GROUP_LANES - 1;
    ww_ints there[WW_SEARCH_STEP];
#define WW_WHICH                                                                                                       \
    _Pragma("unroll") for (int q = 0; q < WW_SEARCH_STEP; q++) {                                                              \
        const ww_ints at = ((int)k - lane_index) * WW_SEARCH_STEP + q;                                                        \
        there[q] = (at >= 0) & (at < (int)task.count);                                                                 \
    }
    uint k = 0;
#if WW_SEARCH_CHAIN > 1
    for (uint turn = 0; turn < all + (WW_SEARCH_CHAIN - 1) * WW_SEARCH_CHAIN_LAG; turn += WW_SEARCH_CHAIN_STEPS) {
        const uint lag = chain * WW_SEARCH_CHAIN_LAG, next = turn + WW_SEARCH_CHAIN_STEPS;
        const uint end = next > lag ? min(next - lag, all) : 0;
#else
    {
        const uint end = all;
#endif
        for (; k < min(fill, end); k++) {
            WW_WHICH
            WW_STEP_OF(WW_GUARD_CELL, WW_CORNER_GUARDED, 0)
            WW_WRITE_ENDS(0)
        }
        for (; k < min(full, end); k++) {
            WW_STEP_OF(WW_NO_GUARD, WW_CORNER_ALWAYS, 1)
            WW_WRITE_ENDS(1)
        }
        for (; k < end; k++) {
            WW_WHICH
            WW_STEP_OF(WW_GUARD_CELL, WW_CORNER_GUARDED, 0)
            WW_WRITE_ENDS(0)
        }
#if WW_SEARCH_CHAIN > 1
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }

    if ((task.flags & (WW_TASK_SAVE | WW_TASK_LAST)) && !idle) {
        const bool last = (task.flags & WW_TASK_LAST) != 0;
#if WW_VECTOR > 1
        for (int r = 0; r < WW_COLS; r++) {
            ww_scalar lane_c[WW_VECTOR];
            WW_VSTORE(c[r], 0, lane_c);
            WW_STARTS(int lane_s[WW_VECTOR]; WW_PASTE(vstore, WW_VECTOR)(cs[r], 0, lane_s);)
            for (int g = 0; g < WW_VECTOR; g++) {
                const uint index = args.strip * WW_SEARCH_LANES + (uint)g;
#else
#pragma unroll
        for (int r = 0; r < WW_COLS; r++) {
            {
                const uint index = args.strip * WW_SEARCH_LANES + chain * WW_SEARCH_GROUP + (uint)lane;
#endif
                const uint begin = (uint)((ulong)index * task.n / lanes),
                           end = (uint)((ulong)(index + 1) * task.n / lanes);
                const int i = (int)begin + r - (WW_COLS - (int)(end - begin));
                if (i >= (int)begin && (!last || i + 1 == (int)task.n)) {
                    const uint at = task.state_out + (last ? 0 : (uint)i);
#if WW_VECTOR > 1
                    states_out[at] = last ? ww_final(lane_c[g], task.x_stride, task.x_stride) : lane_c[g];
                    WW_STARTS(starts_out[at] = lane_s[g];)
#else
                    states_out[at] = last ? ww_final(c[r], task.x_stride, task.x_stride) : c[r];
                    WW_STARTS(starts_out[at] = cs[r];)
#endif
                }
            }
        }
    }
}
