// SPDX-License-Identifier: Apache-2.0
// Values and gradients of listed pairs: the matrix in blocks of WW_ROWS x WW_COLS cells, a work-item a block (on a CPU:
// WW_VECTOR blocks, of any pairs, a vector lane each). What the other gradient texts share is in gradient_tasks.cl.
//
//   ww_gradient_forward   D in each block, from the row above it and the column to its left
//   ww_gradient_backward  A(i,j) = dV/dD(i,j) in each block, from the blocks below and to the right:
//       A(n,m) = 1,  A(i,j) = sum over the three successors s of A(s) dD(s)/dD(i,j)
//     with dD(s)/dD(i,j) = exp((best(s) - entry)/gamma), the share that the entry has in the soft minimum of s; with the
//     hard minimum 1 on the chosen path, where the first of diagonal, up, left wins among equals. A is a probability, so it
//     needs no scale.
//
// A launch computes either the blocks of one anti-diagonal of blocks, or all blocks of its pairs, one after the other.
// What a block hands on is in a row and a column of the pair, in place (`roll`: D; `flow`: A). The forward pass notes the
// row above and the column to the left of each block (`marks`, WW_ROWS + WW_COLS + 1 values of the block's WW_ROWS*WW_COLS);
// the backward pass computes the block's D again from these. Where there is no room for all marks, columns of blocks are
// taken in segments, from the right: a first pass notes the last column of each segment (`edges`).
//
// All sums are in a fixed order: no atomic operations.
//
// Parameters: WW_ROWS, WW_COLS, WW_WG; WW_SLOPE_CHANNELS channels whose slopes are summed in one launch; WW_WANT_PARAMETERS,
// WW_WANT_LAGS, WW_WANT_ALIGNMENT. No local memory, no barriers.

#if WW_VECTOR == 1
#define WW_UNROLL _Pragma("unroll")
#else
#define WW_UNROLL
#endif
#define WW_EACH_LANE for (int v = 0; v < WW_VECTOR; v++)
// Pairs side by side: a constant, so that addresses differ by constants.
#ifndef WW_SIDE_BY_SIDE
#define WW_SIDE_BY_SIDE 1
#endif
#define WW_STRIDE ((ulong)WW_SIDE_BY_SIDE)
// 1: the lanes are pairs side by side, in the same block, and one load or store serves all. Those behind the last pair
// compute what nobody reads.
#define WW_PACKED (WW_VECTOR > 1 && WW_SIDE_BY_SIDE == WW_VECTOR)
// One value a lane, to or from a `real`. `here` is the lane's place, the first lane's where they are packed.
#if WW_PACKED
#define WW_PLACE_COUNT 1
#define here place[0]
#define WW_LANES (min(here.lane + WW_VECTOR, args.count) - here.lane)
#define WW_LANE_TASK tasks[args.first + here.lane + min((uint)v, WW_LANES - 1)]
#define WW_LANE_LIVE ((uint)v < WW_LANES)
#define WW_READ(target, buffer, index) target = WW_VLOAD(0, (buffer) + (index));
#define WW_WRITE(buffer, index, value) WW_VSTORE(value, 0, (buffer) + (index));
#define WW_ADD(buffer, index, value)                                                                                   \
    {                                                                                                                  \
        __global ww_scalar *sum_at = (buffer) + (index);                                                               \
        WW_VSTORE(WW_VLOAD(0, sum_at) + (value), 0, sum_at);                                                           \
    }
#else
#define WW_PLACE_COUNT WW_VECTOR
#define here place[v]
#define WW_LANE_TASK here.task
#define WW_LANE_LIVE here.live
#endif
#if WW_VECTOR == 1
#define WW_READ(target, buffer, index)                                                                                 \
    {                                                                                                                  \
        const int v = 0;                                                                                               \
        target = (buffer)[index];                                                                                      \
    }
#define WW_WRITE(buffer, index, value)                                                                                 \
    {                                                                                                                  \
        const int v = 0;                                                                                               \
        if (here.live)                                                                                                 \
            (buffer)[index] = value;                                                                                   \
    }
#define WW_ADD(buffer, index, value)                                                                                   \
    {                                                                                                                  \
        const int v = 0;                                                                                               \
        if (here.live)                                                                                                 \
            (buffer)[index] += value;                                                                                  \
    }
#define WW_INTS(target, expression)                                                                                    \
    {                                                                                                                  \
        const int v = 0;                                                                                               \
        target = expression;                                                                                           \
    }
#define WW_IF(condition, a, b) ((condition) ? (a) : (b))
#define WW_ALL 1
#else
#if !WW_PACKED
#define WW_READ(target, buffer, index)                                                                                 \
    {                                                                                                                  \
        ww_scalar each[WW_VECTOR];                                                                                     \
        WW_EACH_LANE each[v] = (buffer)[index];                                                                        \
        target = WW_VLOAD(0, each);                                                                                    \
    }
#define WW_WRITE(buffer, index, value)                                                                                 \
    {                                                                                                                  \
        ww_scalar each[WW_VECTOR];                                                                                     \
        WW_VSTORE(value, 0, each);                                                                                     \
        WW_EACH_LANE if (here.live)(buffer)[index] = each[v];                                                          \
    }
#define WW_ADD(buffer, index, value)                                                                                   \
    {                                                                                                                  \
        ww_scalar each[WW_VECTOR];                                                                                     \
        WW_VSTORE(value, 0, each);                                                                                     \
        WW_EACH_LANE if (here.live)(buffer)[index] += each[v];                                                         \
    }
#endif
#define WW_INTS(target, expression)                                                                                    \
    {                                                                                                                  \
        int each[WW_VECTOR];                                                                                           \
        WW_EACH_LANE each[v] = expression;                                                                             \
        target = WW_PASTE(vload, WW_VECTOR)(0, each);                                                                  \
    }
#if WWK_DOUBLE
#define WW_IF(condition, a, b) (WW_PASTE(convert_long, WW_VECTOR)(condition) ? (a) : (b))
#else
#define WW_IF(condition, a, b) ((condition) ? (a) : (b))
#endif
#define WW_ALL (ww_ints)(-1)
#endif

// A lane's pair, and its block.
typedef struct {
    ww_gradient_task task;
    uint i, j;        // the block's row and column of blocks
    ulong roll_top, roll_left;  // first of its row and of its column in `roll` and `flow`
    ulong mark;       // first of its marks
    uint lane;        // its number in the launch
    bool live;        // false: the lane has no block, and computes another's
} ww_place;

// The place of each lane: block `step` of its pair in the order of the pass, or block `step` of the launch's diagonal.
// False where no lane has one.
#define WW_PLACES(backward)                                                                                            \
    bool any = false;                                                                                                  \
    for (int v = 0; v < WW_PLACE_COUNT; v++) {                                                                         \
        const uint item = (uint)get_global_id(0) * WW_VECTOR + (uint)v;                                                \
        /* Whole packs. */                                                                                             \
        const uint each = WW_PACKED ? (args.count + WW_VECTOR - 1) / WW_VECTOR * WW_VECTOR : args.count;               \
        const uint turn = args.whole ? 0 : item / each;                                                                \
        const uint t = args.whole ? item : ww_rest(item, each, turn);                                                  \
        const bool has = args.whole ? item < args.count : turn < args.turns;                                           \
        here.lane = has ? t : 0;                                                                                       \
        here.task = tasks[args.first + here.lane];                                                                     \
        const uint tall = here.task.tall, wide = min(args.column_end, here.task.wide) - min(args.column_begin, here.task.wide); \
        const uint step = args.whole ? walked : turn;                                                                  \
        uint down, right;                                                                                              \
        if (args.whole) {                                                                                              \
            down = wide ? step / wide : 0;                                                                             \
            right = wide ? ww_rest(step, wide, down) : 0;                                                              \
        } else {                                                                                                       \
            const uint from = args.diagonal >= wide ? args.diagonal - wide + 1 : 0;                                    \
            down = from + step;                                                                                        \
            right = args.diagonal - min(down, args.diagonal);                                                          \
        }                                                                                                              \
        here.live = has && wide && down < tall && (args.whole || down <= args.diagonal);                               \
        any |= here.live;                                                                                              \
        if (!here.live)                                                                                                \
            down = right = 0;                                                                                          \
        here.i = (backward) ? tall - 1 - down : down;                                                                  \
        here.j = args.column_begin + ((backward) && here.live ? wide - 1 - right : right);                             \
        if (!here.live) {                                                                                              \
            here.i = 0;                                                                                                \
            here.j = args.column_begin;                                                                                \
        }                                                                                                              \
        here.roll_top = here.task.roll + (ulong)here.j * WW_COLS * WW_STRIDE;                                          \
        here.roll_left = here.task.roll + ((ulong)here.task.wide * WW_COLS + (ulong)here.i * (WW_ROWS + 1)) * WW_STRIDE; \
        here.mark = here.task.marks +                                                                                  \
                    ((ulong)here.i * (args.segment_columns ? args.mark_columns : here.task.wide) + (here.j - args.column_begin)) * WW_MARKS * WW_STRIDE;         \
    }
#define WW_MARKS (WW_ROWS + WW_COLS + 1)
// Places in the buffers, of the lane's block.
#define WW_ROLL_TOP(r) here.roll_top + (ulong)(r) * WW_STRIDE
#define WW_ROLL_LEFT(q) here.roll_left + (ulong)(q) * WW_STRIDE
#define WW_MARK(k) here.mark + (ulong)(k) * WW_STRIDE
#define WW_EDGE_AT(segment, q) here.task.edges + ((ulong)(segment) * here.task.tall * WW_ROWS + (ulong)here.i * WW_ROWS + (q)) * WW_STRIDE

// The point at row or column t of a series of the lane.
#if WW_POINT_REGISTERS
#if WW_EXTRA
#define WW_LOAD_EXTRA(point, at, t) WW_READ(point.extra, packed, (at) + ((ulong)(t) * WW_PARTS + WW_CHANNELS) * WW_STRIDE)
#else
#define WW_LOAD_EXTRA(point, at, t)
#endif
#define WW_LOAD_POINT(point, at, t)                                                                                    \
    {                                                                                                                  \
        WW_UNROLL for (int c = 0; c < WW_CHANNELS; c++)                                                                \
            WW_READ(point.value[c], packed, (at) + ((ulong)(t) * WW_PARTS + (uint)c) * WW_STRIDE)                      \
        WW_LOAD_EXTRA(point, at, t)                                                                                    \
    }
#else
#if WW_EXTRA
#define WW_LOAD_EXTRA(point, place_of) point.extra = packed[(place_of) + WW_CHANNELS * WW_STRIDE];
#else
#define WW_LOAD_EXTRA(point, place_of)
#endif
#define WW_LOAD_POINT(point, at_, t)                                                                                   \
    {                                                                                                                  \
        const int v = 0;                                                                                               \
        const ulong place_of = (at_) + (ulong)(t) * WW_PARTS * WW_STRIDE;                                              \
        point.at = packed + place_of;                                                                                  \
        point.stride = WW_STRIDE;                                                                                      \
        WW_LOAD_EXTRA(point, place_of)                                                                                 \
    }
#endif

// The elements of a block's rows and columns: a[], b[], and where they are needed those before the first.
#define WW_BLOCK_OF_PAIR                                                                                               \
    ww_ints i0, j0, n_of, m_of;                                                                                        \
    WW_INTS(i0, (int)(here.i * WW_ROWS))                                                                               \
    WW_INTS(j0, (int)(here.j * WW_COLS))                                                                               \
    WW_INTS(n_of, (int)WW_LANE_TASK.n)                                                                                  \
    WW_INTS(m_of, (int)WW_LANE_TASK.m)                                                                                  \
    const ww_ints has_above = i0 > 0, has_left = j0 > 0;                                                               \
    const real lag0 = WW_TO_REAL(i0 - j0);                                                                             \
    ww_pair lengths;                                                                                                   \
    lengths.rows = WW_TO_REAL(n_of);                                                                                   \
    lengths.columns = WW_TO_REAL(m_of);                                                                                \
    WW_SET_PAIR(lengths)                                                                                               \
    ww_row a[WW_ROWS], a_before;                                                                                       \
    ww_column b[WW_COLS], b_before;                                                                                    \
    {                                                                                                                  \
        ww_point own, last;                                                                                            \
        WW_LOAD_POINT(last, here.task.x, here.i ? here.i * WW_ROWS - 1 : 0)                                            \
        a_before = ww_row_make(last, last, WW_TO_REAL(max(i0 - 1, (ww_ints)0)));                                       \
        WW_UNROLL for (int q = 0; q < WW_ROWS; q++) {                                                                  \
            WW_LOAD_POINT(own, here.task.x + (ulong)here.i * (WW_ROWS * WW_PARTS * WW_STRIDE), q)                                                \
            a[q] = ww_row_make(own, last, WW_TO_REAL(i0 + q));                                                         \
            last = own;                                                                                                \
        }                                                                                                              \
        WW_LOAD_POINT(last, here.task.y, here.j ? here.j * WW_COLS - 1 : 0)                                            \
        b_before = ww_column_make(last, last, WW_TO_REAL(max(j0 - 1, (ww_ints)0)));                                    \
        WW_UNROLL for (int r = 0; r < WW_COLS; r++) {                                                                  \
            WW_LOAD_POINT(own, here.task.y + (ulong)here.j * (WW_COLS * WW_PARTS * WW_STRIDE), r)                                                \
            b[r] = ww_column_make(own, last, WW_TO_REAL(j0 + r));                                                      \
            last = own;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    (void)has_above;                                                                                                   \
    (void)has_left;                                                                                                    \
    (void)a_before;                                                                                                    \
    (void)b_before;                                                                                                    \
    WW_BLOCK_DIAGONALS                                                                                                 \
    WW_BLOCK_LIMITS
#if WW_DIAGONAL
#define WW_BLOCK_DIAGONALS                                                                                             \
    real along[WW_ROWS + WW_COLS - 1];                                                                                 \
    WW_UNROLL for (int k = 0; k < WW_ROWS + WW_COLS - 1; k++)                                                          \
        along[k] = ww_diagonal(lag0 + (ww_scalar)(k - (WW_COLS - 1)), lengths);
#define WW_ALONG(q, r) along[(q) - (r) + WW_COLS - 1]
#else
#define WW_BLOCK_DIAGONALS
#define WW_ALONG(q, r) (lag0 + (ww_scalar)((q) - (r)))
#endif

// Cells outside the band.
#if WW_BAND
#define WW_BLOCK_LIMITS                                                                                                \
    ww_ints band_lo[WW_ROWS], band_hi[WW_ROWS];                                                                        \
    WW_UNROLL for (int q = 0; q < WW_ROWS; q++) {                                                                      \
        int lo[WW_VECTOR], hi[WW_VECTOR];                                                                              \
        WW_EACH_LANE {                                                                                                 \
            const uint band_of = WW_LANE_TASK.band, n = WW_LANE_TASK.n;                                                \
            const ww_pair_band limits = ww_band_make(band, WW_BAND == 1 ? 0 : band_of, band_of, 1, args.band_width,    \
                                                     args.corner != 0, n, WW_LANE_TASK.m);                             \
            const uint t = min(here.i * WW_ROWS + (uint)q, n - 1);                                                     \
            lo[v] = (int)ww_band_lo(limits, t);                                                                        \
            hi[v] = (int)ww_band_hi(limits, t);                                                                        \
        }                                                                                                              \
        WW_INTS(band_lo[q], lo[v])                                                                                     \
        WW_INTS(band_hi[q], hi[v])                                                                                     \
    }
#define WW_INSIDE(value, q, r, other) WW_IF((j0 + (r) >= band_lo[q]) & (j0 + (r) < band_hi[q]), value, other)
#else
#define WW_BLOCK_LIMITS
#define WW_INSIDE(value, q, r, other) (value)
#endif

// The block has the lane's last cell.
#define WW_LANE_ENDS                                                                                                   \
    (WW_LANE_LIVE && here.i == (WW_LANE_TASK.n - 1) / WW_ROWS && here.j == (WW_LANE_TASK.m - 1) / WW_COLS)

// D with the row above and the column to the left: d[].
#define WW_D(q, r) d[((q) + 1) * (WW_COLS + 1) + (r) + 1]
#if WW_CARRY
#define WW_DIAGONAL_OF(q, r)                                                                                           \
    WW_IF(((q) ? WW_ALL : has_above) & ((r) ? WW_ALL : has_left),                                                      \
          ww_carry(WW_D((q) - 1, (r) - 1), (q) ? a[(q) ? (q) - 1 : 0] : a_before, (r) ? b[(r) ? (r) - 1 : 0] : b_before, WW_ALONG(q, r)), \
          WW_D((q) - 1, (r) - 1))
#else
#define WW_DIAGONAL_OF(q, r) WW_D((q) - 1, (r) - 1)
#endif
#define WW_ENTRIES(q, r) ww_enter(WW_D(q, (r) - 1), WW_D((q) - 1, r), WW_DIAGONAL_OF(q, r), a[q], b[r], WW_ALONG(q, r), lengths, WW_GIVEN)
#define WW_FILL_CELL(q, r, choice)                                                                                     \
    {                                                                                                                  \
        const real best = choice(WW_ENTRIES(q, r), q, r);                                                              \
        WW_D(q, r) = WW_INSIDE(ww_node(best, a[q], b[r], WW_ALONG(q, r), WW_GIVEN), q, r, WW_OUTSIDE);                 \
    }
#if WW_VECTOR == 1
#define WW_FILL_BLOCK(choice)                                                                                          \
    WW_UNROLL for (int q = 0; q < WW_ROWS; q++) {                                                                      \
        WW_UNROLL for (int r = 0; r < WW_COLS; r++)                                                                    \
            WW_FILL_CELL(q, r, choice)                                                                                 \
    }
#else
// By diagonals, whose cells don't wait for each other.
#define WW_FILL_BLOCK(choice)                                                                                          \
    for (int s = 0; s < WW_ROWS + WW_COLS - 1; s++)                                                                    \
        for (int q = max(0, s - WW_COLS + 1); q <= min(s, WW_ROWS - 1); q++)                                           \
            WW_FILL_CELL(q, s - q, choice)
#endif
#define WW_CHOICE(e, q, r) ww_choose(e, 0, WW_GIVEN)

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_gradient_forward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                    __global const uint *restrict band, __global const ww_scalar *restrict packed,
                    __global ww_scalar *restrict roll, __global ww_scalar *restrict marks,
                    __global ww_scalar *restrict edges, __global ww_scalar *restrict ends) {
    ww_place place[WW_PLACE_COUNT];
    (void)band;
    for (uint walked = 0;; walked++) {
        WW_PLACES(false)
        if (!any)
            return;
        WW_BLOCK_OF_PAIR
        real d[(WW_ROWS + 1) * (WW_COLS + 1)];
        // The row above: the border, or what the block above left.
        WW_UNROLL for (int r = 0; r < WW_COLS; r++) {
            real above, border;
            WW_READ(above, roll, WW_ROLL_TOP(r))
#if WW_BORDERS
            ww_point own;
            WW_LOAD_POINT(own, here.task.y + (ulong)here.j * (WW_COLS * WW_PARTS * WW_STRIDE), r)
            border = ww_top(own, WW_TO_REAL(j0 + r), lengths);
#else
            border = WW_BORDER;
#endif
            WW_D(-1, r) = WW_IF(has_above, above, border);
        }
        // The column to the left: the border, what the block there left, or the edge of the segment before.
        WW_UNROLL for (int q = -1; q < WW_ROWS; q++) {
            real before, border = WW_BORDER;
            WW_READ(before, roll, WW_ROLL_LEFT(q + 1))
#if !WW_PACKED  // pairs side by side are in one segment
            if (args.column_begin > 0 && args.keep) {
                real edge;
                WW_READ(edge, edges, WW_EDGE_AT(args.segment - 1, here.i || q >= 0 ? q : 0))
                ww_ints first;
                WW_INTS(first, here.j == args.column_begin ? -1 : 0)
                before = WW_IF(first, edge, before);
            }
#endif
#if WW_BORDERS
            border = ww_left(q < 0 ? a_before : a[q < 0 ? 0 : q], WW_TO_REAL(max(i0 + q, (ww_ints)0)), lengths);
            if (q < 0) {
                ww_point own;
                WW_LOAD_POINT(own, here.task.y, here.j ? here.j * WW_COLS - 1 : 0)
                const real top = ww_top(own, WW_TO_REAL(max(j0 - 1, (ww_ints)0)), lengths);
                WW_D(-1, -1) = WW_IF(has_above, WW_IF(has_left, before, border), WW_IF(has_left, top, (real)0));
            } else {
                WW_D(q, -1) = WW_IF(has_left, before, border);
            }
#else
            if (q < 0)
                WW_D(-1, -1) = WW_IF(has_above, WW_IF(has_left, before, border), WW_IF(has_left, border, (real)0));
            else
                WW_D(q, -1) = WW_IF(has_left, before, border);
#endif
        }
        if (args.keep) {
            WW_UNROLL for (int r = 0; r < WW_COLS; r++)
                WW_WRITE(marks, WW_MARK(r), WW_D(-1, r))
            WW_UNROLL for (int q = -1; q < WW_ROWS; q++)
                WW_WRITE(marks, WW_MARK(WW_COLS + 1 + q), WW_D(q, -1))
        }
        const real corner = WW_D(-1, WW_COLS - 1);
        WW_FILL_BLOCK(WW_CHOICE)
        WW_UNROLL for (int r = 0; r < WW_COLS; r++)
            WW_WRITE(roll, WW_ROLL_TOP(r), WW_D(WW_ROWS - 1, r))
        WW_WRITE(roll, WW_ROLL_LEFT(0), corner)
        WW_UNROLL for (int q = 0; q < WW_ROWS; q++)
            WW_WRITE(roll, WW_ROLL_LEFT(q + 1), WW_D(q, WW_COLS - 1))
#if !WW_PACKED
        if (!args.keep && args.segment_columns) {
            // The first pass of several: the last column of a segment.
            WW_EACH_LANE if (here.live && (here.j + 1) % args.segment_columns == 0 && here.j + 1 < here.task.wide) {
                for (int q = 0; q < WW_ROWS; q++)
                    edges[WW_EDGE_AT(here.j / args.segment_columns, q)] = roll[WW_ROLL_LEFT(q + 1)];
            }
        }
#endif
        bool ending = false;
        WW_EACH_LANE ending |= WW_LANE_ENDS;
        if (ending) {
            real value = 0;
            WW_UNROLL for (int q = 0; q < WW_ROWS; q++) {
                WW_UNROLL for (int r = 0; r < WW_COLS; r++)
                    value = WW_IF((i0 + q < n_of) & (j0 + r < m_of), WW_D(q, r), value);
            }
            ww_scalar found[WW_VECTOR];
#if WW_VECTOR == 1
            found[0] = value;
#else
            WW_VSTORE(value, 0, found);
#endif
            WW_EACH_LANE if (WW_LANE_ENDS)
                ends[WW_LANE_TASK.number] = found[v];
        }
        if (!args.whole)
            return;
    }
}

// ---- the way back

// What comes of A for the neighbours: its shares in the choice. In vectors the shares of a block are kept when its D is computed
// again, whose exponentials they are.
#define WW_KEEP_SHARES (WW_VECTOR > 1 && WW_SELECT == WW_SELECT_SOFT)
#if WW_KEEP_SHARES
#define WW_CHOICE_BACK(e, q, r) ww_choose_shares(e, &shares[(q)*WW_COLS + (r)], WW_GIVEN)
#else
#define WW_CHOICE_BACK WW_CHOICE
#endif
#if WW_SELECT == WW_SELECT_SOFT
#if !WW_KEEP_SHARES
WW_INLINE ww_entries ww_shares(ww_entries e, real a, ww_parameters p) {
    const real least = ww_lesser(ww_lesser(ww_lesser(e.left, e.up), e.diagonal), WW_FAR);
    const real left = ww_soft_exp2((least - e.left) * p.soft_scale), up = ww_soft_exp2((least - e.up) * p.soft_scale),
               diagonal = ww_soft_exp2((least - e.diagonal) * p.soft_scale);
    // Out of reach all three are 0, else one of them is 1.
    const real share = a / ww_greater(left + up + diagonal, (real)1);
    return ww_entries_of(left * share, up * share, diagonal * share);
}
#else
// ww_choose(), and the shares of 1.
WW_INLINE real ww_choose_shares(ww_entries e, ww_entries *shares, ww_parameters p) {
    const real sides = ww_lesser(e.left, e.up), least = ww_lesser(ww_lesser(sides, e.diagonal), WW_FAR);
    const real more = ww_greater(e.left, e.up), second = ww_greater(sides, e.diagonal);
    const real of_second = ww_soft_exp2((least - second) * p.soft_scale), of_more = ww_soft_exp2((least - more) * p.soft_scale);
    const real sum = 1 + of_second + of_more, over = WW_IF(least < WW_FAR, 1 / sum, (real)0), other = of_second * over;
    const real lesser = WW_IF(e.diagonal < sides, other, over), greater = of_more * over;
    *shares = ww_entries_of(WW_IF(e.left < e.up, lesser, greater), WW_IF(e.left < e.up, greater, lesser),
                            WW_IF(e.diagonal < sides, over, other));
    return fma(ww_soft_log2(sum), -(real)p.soft_unit, least);
}
#endif
#else
WW_INLINE ww_entries ww_shares(ww_entries e, real a, ww_parameters p) {
    const real up_or_left = e.up <= e.left ? a : (real)0;
    const real least = e.up <= e.left ? e.up : e.left;
    return ww_entries_of(e.diagonal <= least ? (real)0 : a - up_or_left, e.diagonal <= least ? (real)0 : up_or_left,
                         e.diagonal <= least ? a : (real)0);
}
#endif
// Rows and columns of points, and where their slopes are added; those by the points before them come after.
#define WW_X_SLOPE(q, c, before)                                                                                       \
    here.task.x_slopes + ((((before) ? (ulong)here.task.tall * WW_ROWS : 0) + (ulong)here.i * WW_ROWS) * WW_CHANNELS + (c)) * WW_STRIDE + (ulong)(q) * WW_CHANNELS * WW_STRIDE
#define WW_Y_SLOPE(r, c, before)                                                                                       \
    here.task.y_slopes + ((((before) ? (ulong)here.task.wide * WW_COLS : 0) + (ulong)here.j * WW_COLS) * WW_CHANNELS + (c)) * WW_STRIDE + (ulong)(r) * WW_CHANNELS * WW_STRIDE

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_gradient_backward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                     __global const uint *restrict band, __global const ww_scalar *restrict packed,
                     __global const ww_scalar *restrict marks, __global ww_scalar *restrict flow,
                     __global ww_scalar *restrict slopes, __global ww_scalar *restrict sums,
                     __global ww_scalar *restrict alignment) {
    ww_place place[WW_PLACE_COUNT];
    (void)band;
    for (uint walked = 0;; walked++) {
        WW_PLACES(true)
        if (!any)
            return;
        WW_BLOCK_OF_PAIR
        real d[(WW_ROWS + 1) * (WW_COLS + 1)];
        WW_UNROLL for (int r = 0; r < WW_COLS; r++)
            WW_READ(WW_D(-1, r), marks, WW_MARK(r))
        WW_UNROLL for (int q = -1; q < WW_ROWS; q++)
            WW_READ(WW_D(q, -1), marks, WW_MARK(WW_COLS + 1 + q))
#if WW_KEEP_SHARES
        ww_entries shares[WW_ROWS * WW_COLS];
#endif
        WW_FILL_BLOCK(WW_CHOICE_BACK)
        // below[r]: what comes from the row below; to_left[q]: what goes to the block on the left; to_left[-1]: to the
        // corner, which that block hands on.
        real below[WW_COLS], from_right[WW_ROWS], to_left[WW_ROWS], corner_in, to_corner = 0;
        real x_slope[WW_ROWS * WW_SLOPE_CHANNELS], y_slope[WW_COLS * WW_SLOPE_CHANNELS];
#if WW_ENTER_SLOPES && WW_BEFORE
        real x_before[WW_ROWS * WW_SLOPE_CHANNELS], y_before[WW_COLS * WW_SLOPE_CHANNELS];
#endif
        WW_UNROLL for (int r = 0; r < WW_COLS; r++)
            WW_READ(below[r], flow, WW_ROLL_TOP(r))
        WW_UNROLL for (int q = 0; q < WW_ROWS; q++) {
            WW_READ(from_right[q], flow, WW_ROLL_LEFT(q + 1))
            to_left[q] = 0;
        }
        WW_READ(corner_in, flow, WW_ROLL_LEFT(0))
        WW_UNROLL for (int k = 0; k < WW_ROWS * WW_SLOPE_CHANNELS; k++)
            x_slope[k] = 0;
        WW_UNROLL for (int k = 0; k < WW_COLS * WW_SLOPE_CHANNELS; k++)
            y_slope[k] = 0;
#if WW_ENTER_SLOPES && WW_BEFORE
        WW_UNROLL for (int k = 0; k < WW_ROWS * WW_SLOPE_CHANNELS; k++)
            x_before[k] = 0;
        WW_UNROLL for (int k = 0; k < WW_COLS * WW_SLOPE_CHANNELS; k++)
            y_before[k] = 0;
#endif
#if WW_WANT_PARAMETERS
        real parameter[WW_PARAMETER_SLOPES];
        WW_UNROLL for (int p = 0; p < WW_PARAMETER_SLOPES; p++)
            parameter[p] = 0;
#endif
#if WW_WANT_LAGS
        real by_lag[WW_ROWS + WW_COLS - 1];
        WW_UNROLL for (int k = 0; k < WW_ROWS + WW_COLS - 1; k++)
            by_lag[k] = 0;
#endif
        WW_UNROLL for (int q = WW_ROWS - 1; q >= 0; q--) {
            real from_cell = from_right[q], pending = 0;  // from the cell on the right; its diagonal, for the row above
            WW_UNROLL for (int r = WW_COLS - 1; r >= 0; r--) {
                real all = below[r] + from_cell;
                all = WW_IF((i0 + q + 1 == n_of) & (j0 + r + 1 == m_of), (real)1, all);
                all = WW_INSIDE(all, q, r, (real)0);
#if WW_KEEP_SHARES
                const ww_entries kept = shares[q * WW_COLS + r];
                const real node = all;
                const ww_entries s = ww_entries_of(all * kept.left, all * kept.up, all * kept.diagonal);
#elif WW_NODE_MOST
                const ww_entries e = WW_ENTRIES(q, r);
                const real best = ww_choose(e, 0, WW_GIVEN);
                const real on = ww_node(best, a[q], b[r], WW_ALONG(q, r), WW_GIVEN) > best ? (real)0 : all, node = all - on;
                const ww_entries s = ww_shares(e, on, WW_GIVEN);
#else
                const real node = all;
                const ww_entries s = ww_shares(WW_ENTRIES(q, r), all, WW_GIVEN);
#endif
                (void)node;
                below[r] = s.up + pending;
                pending = s.diagonal;
                if (r == 0) {
                    to_left[q] += s.left;
                    if (q)
                        to_left[q ? q - 1 : 0] += s.diagonal;
                    else
                        to_corner = s.diagonal;
                } else {
                    from_cell = s.left;
                }
#if WW_CARRY
                const real carried = WW_IF(((q) ? WW_ALL : has_above) & ((r) ? WW_ALL : has_left), s.diagonal, (real)0);
#elif WW_ENTER_SLOPES || WW_WANT_PARAMETERS
                const real carried = 0;
#endif
                WW_UNROLL for (int k = 0; k < WW_SLOPE_CHANNELS; k++) {
#if WW_SLOPE_CHANNELS == WW_CHANNELS
                    const int c = k;
#else
                    const int c = min((int)args.slope_channel + k, WW_CHANNELS - 1);
#endif
#ifdef WW_NODE_SLOPE
                    const real by_x = node * (WW_NODE_SLOPE(a[q], b[r], WW_ALONG(q, r), c));
                    x_slope[q * WW_SLOPE_CHANNELS + k] += by_x;
                    y_slope[r * WW_SLOPE_CHANNELS + k] -= by_x;
#endif
#if WW_ENTER_SLOPES
                    const ww_slopes by = ww_enter_slope(s, carried, a[q], b[r], q ? a[q ? q - 1 : 0] : a_before,
                                                        r ? b[r ? r - 1 : 0] : b_before, c, WW_GIVEN);
                    x_slope[q * WW_SLOPE_CHANNELS + k] += by.x;
                    y_slope[r * WW_SLOPE_CHANNELS + k] += by.y;
#if WW_BEFORE
                    x_before[q * WW_SLOPE_CHANNELS + k] += by.x_before;
                    y_before[r * WW_SLOPE_CHANNELS + k] += by.y_before;
#endif
#endif
                }
#if WW_WANT_PARAMETERS
                WW_UNROLL for (int p = 0; p < WW_PARAMETER_SLOPES; p++)
                    parameter[p] += ww_parameter_slope(s, carried, node, a[q], b[r], q ? a[q ? q - 1 : 0] : a_before,
                                                       r ? b[r ? r - 1 : 0] : b_before, WW_ALONG(q, r),
                                                       lag0 + (ww_scalar)(q - r), lengths, p, WW_GIVEN);
#endif
#if WW_WANT_LAGS
                by_lag[q - r + WW_COLS - 1] += node * ww_cost(a[q], b[r]);
#endif
#if WW_WANT_ALIGNMENT
                {
                    ww_scalar each_all[WW_VECTOR];
#if WW_VECTOR == 1
                    each_all[0] = all;
#else
                    WW_VSTORE(all, 0, each_all);
#endif
                    WW_EACH_LANE {
                        const uint i = here.i * WW_ROWS + (uint)q, j = here.j * WW_COLS + (uint)r;
                        if (WW_LANE_LIVE && i < WW_LANE_TASK.n && j < WW_LANE_TASK.m && args.slope_channel == 0 && WW_LANE_TASK.aligned)
                            alignment[WW_LANE_TASK.alignment + (ulong)i * WW_LANE_TASK.m + j] = each_all[v];
                    }
                }
#endif
            }
        }
        below[WW_COLS - 1] += corner_in;
        const bool handing = args.slope_channel == args.last_slope_channel;
        if (handing) {
            WW_UNROLL for (int r = 0; r < WW_COLS; r++)
                WW_WRITE(flow, WW_ROLL_TOP(r), below[r])
            WW_WRITE(flow, WW_ROLL_LEFT(0), to_corner)
            WW_UNROLL for (int q = 0; q < WW_ROWS; q++)
                WW_WRITE(flow, WW_ROLL_LEFT(q + 1), to_left[q])
        }
        WW_UNROLL for (int k = 0; k < WW_SLOPE_CHANNELS; k++) {
            const uint c = (WW_SLOPE_CHANNELS == WW_CHANNELS ? 0 : args.slope_channel) + (uint)k;
            if (c < WW_CHANNELS) {
                WW_UNROLL for (int q = 0; q < WW_ROWS; q++)
                    WW_ADD(slopes, WW_X_SLOPE(q, c, 0), x_slope[q * WW_SLOPE_CHANNELS + k])
                WW_UNROLL for (int r = 0; r < WW_COLS; r++)
                    WW_ADD(slopes, WW_Y_SLOPE(r, c, 0), y_slope[r * WW_SLOPE_CHANNELS + k])
#if WW_ENTER_SLOPES && WW_BEFORE
                WW_UNROLL for (int q = 0; q < WW_ROWS; q++)
                    WW_ADD(slopes, WW_X_SLOPE(q, c, 1), x_before[q * WW_SLOPE_CHANNELS + k])
                WW_UNROLL for (int r = 0; r < WW_COLS; r++)
                    WW_ADD(slopes, WW_Y_SLOPE(r, c, 1), y_before[r * WW_SLOPE_CHANNELS + k])
#endif
            }
        }
        if (args.slope_channel == 0) {
#if WW_WANT_PARAMETERS
            WW_UNROLL for (int p = 0; p < WW_PARAMETER_SLOPES; p++)
                WW_ADD(sums, here.task.sums + ((ulong)here.i * WW_PARAMETER_SLOPES + (uint)p) * WW_STRIDE, parameter[p])
#endif
#if WW_WANT_LAGS
            // Weights of a pair may be scaled (recurrence/wdtw.cl).
            WW_UNROLL for (int k = 0; k < WW_ROWS + WW_COLS - 1; k++)
                WW_ADD(sums, here.task.lags + ((ulong)here.i * WW_ROWS + (ulong)(here.task.wide - here.j) * WW_COLS + (uint)k) * WW_STRIDE,
                       by_lag[k] * exp2(lengths.scale))
#endif
        }
        if (!args.whole)
            return;
    }
}
