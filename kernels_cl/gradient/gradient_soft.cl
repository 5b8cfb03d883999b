// SPDX-License-Identifier: Apache-2.0
// Values and gradients of soft-DTW in float, in blocks of WW_ROWS x WW_COLS cells as tiles (engine/soft_tiles.cl): what
// gradient.cl is for all measures, with its tasks, buffers and passes. One channel, no band; no expected alignments.
//
// Tried, not taken: 2, 4 x 4 or 8 x 4 rows a tile 0.19 to 0.31 for 0.34 TCUPS; each its own line: 60 for 20 ms.
//
//   ww_soft_forward   R = -log2 P down strips of WW_COLS columns
//   ww_soft_backward  A(i,j) = dV/dD(i,j), the share of the paths that go through (i,j), up the strips
//
// A work-item computes a chunk of args.chunk row-steps of a strip: that which is its on an anti-diagonal of chunks, or one after
// the other all strips of its pair (args.whole, then a chunk has all row-steps), or all row-steps of a strip (WW_FLOW: all strips
// are in one launch, and each waits for what the one before hands on). A strip's row is in registers and, between chunks, in
// `roll`; so is, for the way back, what A the row below hands on, in local memory and in `flow`.
//
// With whole pairs the way back follows only what counts, WW_SOFT_COUNTS of the paths: each work-item is at a block of its own, and
// takes the next pair when it is through with one. What a block needs is requested into local memory while that below is computed.
//
// The way back takes a block in parts of WW_PART columns, from the right. The forward pass notes what enters a block from above,
// and what enters its parts from the left, and the part is computed again from these, as the forward pass has computed it:
//   by products: the notes are P, the high words of doubles, and the base. B(i,j), the sum over the successors s of
//       exp(-c(s)/gamma) B(s), as P is, and A = P B. Up a strip B is handed on as it is
//   by pairs: the notes are R. Each cell keeps which shares its neighbours above and on the diagonal have in it, and A goes
//       back by these
// Between strips, and between a block of the one kind and one of the other, A is handed on. Where A is below what float holds,
// it is lost, and means nothing: it is a probability.
//
// B stays within its range: what is handed on is at most the reciprocal of P of where it goes, and exp(-c/gamma) is at most 1.
//
// Local memory of a work-item, its own: forward 8 words; back 4 or 5 WW_COLS words, and for each set of requests 4 + WW_MARK_FOURS fours
// and a word; with WW_FLOW a word of the group, and a barrier at the beginning. No others.
#ifndef WW_PART
#define WW_PART 8
#endif
#define WW_PARTS_OF_BLOCK (WW_COLS / WW_PART)
#define WW_STRIDE ((ulong)WW_SIDE_BY_SIDE)
#ifndef WW_FLOW
#define WW_FLOW 0
#endif
// A work-item takes all strips of its pair. What it reads of another's: with WW_FLOW that may be writing.
#if WW_FLOW
#define WW_WHOLE 0
#define WW_HANDED volatile __global float *
#define WW_FLOW_EACH 2 // row-steps that are told at once: a fence takes as long as a part of one
#else
#define WW_WHOLE args.whole
#define WW_HANDED __global float *
#endif
// Of a block, in fours: the row above; what the strip to the left has handed on, R; and for each part but the first the column to its
// left. Behind those of a row of blocks a word of each: the base of its products, or WW_SOFT_FAR, and a half more where the row
// above came as R.
#define WW_MARK_FOURS (WW_COLS / 4 + WW_PARTS_OF_BLOCK)
#define WW_MARK_LEFT(part) (WW_COLS / 4 + (part))
// A pair's row lies together, from a four of it that is side by side with those of the other pairs: the way back reads it in one go.
#if WW_SIDE_BY_SIDE > 1
// The first term is 0; with it ptxas (13, sm_90) spills nothing.
#define WW_MARK_AT(k) \
    ((k) / (WW_COLS / 4) * WW_COLS * WW_STRIDE + (k) % (WW_COLS / 4) + number % WW_SIDE_BY_SIDE * (WW_COLS / 4 - 1))
#else
#define WW_MARK_AT(k) (k)
#endif
#define WW_MARK_ROW(columns) (((columns)*WW_MARK_FOURS + ((columns) + 3) / 4) * (uint)WW_STRIDE)
// From a row's fours to its word of a column, side by side.
#define WW_BASE_AT(columns, column, number) \
    (((columns)*WW_MARK_FOURS * 4 + (column)) * (uint)WW_STRIDE - (number) % WW_SIDE_BY_SIDE * 3)
// Fours of a pair's values from a place on. What the pass forward notes and what a strip there hands to the next lies side by side in
// fours: value k, and the corner that a chunk from row-step `from` on leaves. All else of a pair lies together.
#define WW_FOURS(values) ((__global float4 *)(values))
#define WW_FOURS_OF(values) ((__global const float4 *)(values))
#define WW_SIDE_AT(k) (((k) & ~3ul) * WW_STRIDE + ((k) & 3ul))
#define WW_CORNER_AT(from) WW_SIDE_AT(task.tall * WW_ROWS + (from))
WW_INLINE float ww_at_of(const float4 a, int k) {
    return k == 0 ? a.x : k == 1 ? a.y : k == 2 ? a.z : a.w;
}
#if WW_SOFT_WIDE
// Products of x[WW_ROWS] and b[columns]: c, v as doubles; `start` is the corner's. `note(q, r)` may use `value`, the cell's, and
// `factor`, its exponential; `after(q)` the row's last value.
#define WW_SOFT_PRODUCTS(columns, start, enter, note, after)                                                           \
    {                                                                                                                  \
        double diagonal = start;                                                                                       \
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {                                                             \
            double last = diagonal, value = enter(q);                                                                  \
            diagonal = value;                                                                                          \
            WW_SOFT_UNROLL for (int r = 0; r < (columns); r++) {                                                       \
                const float factor = ww_exp2(-scale * ww_soft_cost(x[q], b[r]));                                       \
                const double up = c[r], wide = ww_wide(factor);                                                        \
                value = fma(wide, value, wide * (up + last));                                                          \
                last = up;                                                                                             \
                c[r] = value;                                                                                          \
                note(q, r)                                                                                             \
            }                                                                                                          \
            after(q)                                                                                                   \
        }                                                                                                              \
    }
// A double's high word, and a double in the middle of those that have it.
#define WW_HIGH(a) as_float(as_uint2(a).y)
#define WW_FROM_HIGH(a) as_double((uint2)(0x80000000u, as_uint(a)))
#endif

// Whether a pair's last cell is in the last row of a block, in launches of whole pairs: then its A, 1, is as if handed up there.
#define WW_SOFT_ENDS_BELOW(n) (WW_WHOLE && (n) % WW_ROWS == 0)

// A work-item's pair, its strips [strip, strip_end) and its row-steps [from, to), by the launch.
typedef struct {
    uint strip, strip_end, from, to;
    bool live;
} ww_soft_place;
WW_INLINE ww_soft_place ww_soft_place_of(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks, uint *task) {
    ww_soft_place at;
    const uint item = (uint)get_global_id(0), turn = args.whole ? 0 : item / args.count;
    const uint t = args.whole ? item : ww_rest(item, args.count, turn);
    const bool has = args.whole ? item < args.count : turn < args.turns;
    *task = args.first + (has ? t : 0);
    const uint tall = tasks[*task].tall, end = min(args.column_end, tasks[*task].wide), begin = min(args.column_begin, end);
    if (args.whole) {
        at.strip = begin;
        at.strip_end = end;
        at.from = 0;
        at.to = tall;
        at.live = has && begin < end;
    } else {
        const uint wide = end - begin, first = args.diagonal >= wide ? args.diagonal - wide + 1 : 0, down = first + turn;
        const uint right = args.diagonal - min(down, args.diagonal), chunks = (tall + args.chunk - 1) / args.chunk;
        at.live = has && wide && down < chunks && down <= args.diagonal;
        // Backward passes count from the end.
        const uint chunk = args.backward ? chunks - 1 - min(down, chunks - 1) : down;
        at.strip = args.backward ? end - 1 - min(right, end - 1) : begin + right;
        at.strip_end = at.strip + 1;
        at.from = min(chunk * args.chunk, tall);
        at.to = min(at.from + args.chunk, tall);
    }
    return at;
}
#if WW_FLOW
// A work-item takes all row-steps of a strip of its pair, a group those of 32 pairs side by side. Groups number themselves, so that
// whom one waits for has begun before it: the strip before, which counts its row-steps in a word behind `head`, after what
// it hands on is written.
WW_INLINE ww_soft_place ww_soft_ticket(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                                       volatile __global uint *head, __local uint *ticket, uint *task) {
    ww_soft_place at;
    if (get_local_id(0) == 0)
        *ticket = atomic_inc(head);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint packs = (args.count + WW_SIDE_BY_SIDE - 1) / WW_SIDE_BY_SIDE, turn = *ticket / packs;
    const uint t = (*ticket - turn * packs) * WW_SIDE_BY_SIDE + (uint)get_local_id(0);
    const bool has = t < args.count;
    *task = args.first + (has ? t : 0);
    const uint tall = tasks[*task].tall, end = min(args.column_end, tasks[*task].wide);
    at.live = has && turn < end;
    at.strip = args.backward ? end - 1 - min(turn, end - 1) : turn;
    at.strip_end = at.strip + 1;
    at.from = 0;
    at.to = tall;
    return at;
}
#define WW_FLOW_WORD(head, strip) ((head) + 4 + number / WW_SIDE_BY_SIDE * args.column_end + (strip))
// Behind a row-step, the `steps`th: tells the next strip. What was read of the strip before, `read`, may be relied upon behind that.
#define WW_FLOW_COUNT(word, steps, read)                                                                                     \
    if ((steps) % WW_FLOW_EACH == 0 || (steps) == at.to) {                                                             \
        ww_publish(word, steps);                                                                                       \
        seen = max(seen, read);                                                                                        \
    }
// Waits until the strip before is so far.
#define WW_FLOW_WAIT(word, steps)                                                                                      \
    {                                                                                                                  \
        while (seen < (steps))                                                                                         \
            seen = *(word);                                                                                            \
        ww_acquire();                                                                                                  \
    }
#endif
// Points are times `root`, less what is the first point of the strip, so that they are rounded by what the strip spans. Then the
// scale of costs is in them. Points so large that two of them are the same or far from each other stay as they are: root times them
// may overflow.
#define WW_SOFT_LARGE 1e25f
#if WW_COST == 1
#define WW_SOFT_ROOT(scale) sqrt(scale)
#define WW_SOFT_SLOPE_UNIT(root) (2 / (root))
#else
#define WW_SOFT_ROOT(scale) (scale)
#define WW_SOFT_SLOPE_UNIT(root) 1.0f
#endif
#define WW_SOFT_SCALED(a) (fabs(a) < WW_SOFT_LARGE ? fma(a, root, -origin) : (a))
#define WW_SOFT_ORIGIN(a) (fabs(a) < WW_SOFT_LARGE ? root * (a) : 0)

#define WW_SOFT_ENTER(q) entering[q]
#define WW_SOFT_ENTER_HIGH(q) WW_FROM_HIGH(v[q])
#define WW_SOFT_FIRST(q) corner

// What enters the parts but the first from the left, in row q.
#define WW_AT_PART(r) (((r) + 1) % WW_PART == 0 && (r) + 1 < WW_COLS)
#define WW_PART_AFTER(r) (((r) + 1) / WW_PART % WW_PARTS_OF_BLOCK)
#define WW_SOFT_NOTE_PRODUCT(q, r)                                                                                     \
    if (WW_AT_PART(r))                                                                                                 \
        inner[WW_PART_AFTER(r)][q] = WW_HIGH(value);
#define WW_SOFT_NOTE_PAIR(q, r)                                                                                        \
    if (WW_AT_PART(r))                                                                                                 \
        inner[WW_PART_AFTER(r)][q] = next - ww_log2(next_sum);
#define WW_SOFT_NOTE_PAIR_OF_ROW(q, r)                                                                                 \
    if (WW_AT_PART(r) && args.keep)                                                                                    \
        ((__global float *)&mark[WW_MARK_LEFT(WW_PART_AFTER(r)) * WW_STRIDE])[q] = WW_SOFT_NOTED(next - ww_log2(next_sum));
// Where the work-items beside one must compute by pairs, it notes P where it can.
#define WW_SOFT_NOTED(r) (notes_products ? WW_HIGH(ww_wide_exp2(base - (r))) : (r))
#define WW_NOTE(to, a) mark[(to)*WW_STRIDE] = a;
#define WW_NOTE_FOUR(to, of, a, k) WW_NOTE(to, (float4)(of((a)[k]), of((a)[(k) + 1]), of((a)[(k) + 2]), of((a)[(k) + 3])))
#define WW_FOUR_OF(of, a, k) (float4)(of((a)[k]), of((a)[(k) + 1]), of((a)[(k) + 2]), of((a)[(k) + 3]))
#define WW_NOTE_ROW_ALONE(of, row)                                                                                     \
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r += 4)                                                                \
        mark[WW_MARK_AT(r / 4)] = WW_FOUR_OF(of, row, r);
// Four work-items write each other's rows, one after the other, so that a row is written at once: halves of a sector cost more.
#if defined(WW_HAS_SWAP) && WW_SIDE_BY_SIDE == 32 && WW_COLS == 16
#define WW_SWAP_FOURS(a, b, bit)                                                                                       \
    {                                                                                                                  \
        const bool upper = (lane & (bit)) != 0;                                                                        \
        const float4 got = ww_swap(upper ? a : b, bit);                                                                \
        a = upper ? got : a;                                                                                           \
        b = upper ? b : got;                                                                                           \
    }
#define WW_NOTE_ROW(of, row)                                                                                           \
    if (together) {                                                                                                    \
        float4 f0 = WW_FOUR_OF(of, row, 0), f1 = WW_FOUR_OF(of, row, 4), f2 = WW_FOUR_OF(of, row, 8),                  \
               f3 = WW_FOUR_OF(of, row, 12);                                                                           \
        WW_SWAP_FOURS(f0, f1, 1u)                                                                                      \
        WW_SWAP_FOURS(f2, f3, 1u)                                                                                      \
        WW_SWAP_FOURS(f0, f2, 2u)                                                                                      \
        WW_SWAP_FOURS(f1, f3, 2u)                                                                                      \
        __global float4 *const four_rows = mark - lane + (lane / 4 * 16 + lane % 4);                                   \
        four_rows[0] = f0;                                                                                             \
        four_rows[4] = f1;                                                                                             \
        four_rows[8] = f2;                                                                                             \
        four_rows[12] = f3;                                                                                            \
    } else {                                                                                                           \
        WW_NOTE_ROW_ALONE(of, row)                                                                                     \
    }
#else
#define WW_NOTE_ROW WW_NOTE_ROW_ALONE
#endif
#define WW_SOFT_LEAVE(q) v[q] = base - ww_wide_log2(value);
#define WW_SOFT_LEAVES(q) v[q] = value - ww_log2(value_sum);
// Behind row q of the matrix' last block.
#define WW_SOFT_RESULT(q)                                                                                              \
    if (ending && i * WW_ROWS + (q) + 1 == tasks[number].n) {                                                          \
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)                                                               \
            result = j * WW_COLS + r + 1 == tasks[number].m ? above[r] - ww_log2(sum[r]) : result;                     \
    }
#define WW_SOFT_PAIR_LEAVES(q)                                                                                         \
    WW_SOFT_LEAVES(q)                                                                                                  \
    WW_SOFT_RESULT(q)
#define WW_SOFT_FORWARD_AHEAD(row)                                                                                     \
    ww_copy_ahead(&ahead[0][lane], WW_FOURS_OF(packed + task.x) + (row));                                              \
    ww_copy_ahead(&ahead[1][lane], (__global const float4 *)in + (ulong)(row)*in_row);
#if WW_FLOW
// Where the strip before is not so far, that is asked for behind this block.
#define WW_SOFT_FORWARD_NEXT                                                                                           \
    const bool asked = i + 1 >= to || !waits || seen > i + 1;                                                          \
    if (waits && fresh < to)                                                                                           \
        fresh = *left_count;                                                                                           \
    if (asked && i + 1 < to) {                                                                                         \
        WW_SOFT_FORWARD_AHEAD(i + 1)                                                                                   \
    }
#else
#define WW_SOFT_FORWARD_NEXT                                                                                           \
    if (i + 1 < to) {                                                                                                  \
        WW_SOFT_FORWARD_AHEAD(i + 1)                                                                                   \
    }
#endif
// What block i takes; that of the next is requested.
#define WW_SOFT_TAKE                                                                                                   \
    {                                                                                                                  \
        ww_copy_wait();                                                                                                \
        const float4 points = ahead[0][lane], left = j == 0 ? (float4)WW_SOFT_FAR : ahead[1][lane];                    \
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {                                                             \
            x[q] = WW_SOFT_SCALED(ww_at_of(points, q));                                                                \
            v[q] = ww_at_of(left, q);                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    if (notes_left)                                                                                                    \
        WW_NOTE_FOUR(WW_MARK_LEFT(0), , v, 0)                                                                          \
    WW_SOFT_FORWARD_NEXT                                                                                               \
    corner = previous;                                                                                                 \
    previous = v[WW_ROWS - 1];                                                                                         \
    ending = i == last_row && j == last_column;
// The first pass of several: the last column of a segment.
#define WW_SOFT_HAND_ON                                                                                                \
    out[(ulong)i * out_row] = (float4)(v[0], v[1], v[2], v[3]);                                                               \
    if (!args.keep && args.segment_columns && (j + 1) % args.segment_columns == 0 && j + 1 < task.wide)                \
        WW_FOURS(edges + task.edges)[((ulong)(j / args.segment_columns) * task.tall + i) * WW_STRIDE] =                \
            (float4)(v[0], v[1], v[2], v[3]);
#if WW_SOFT_WIDE
// Whether products hold the block; then its base is `best` + WW_SOFT_LIFT.
#define WW_SOFT_ASK                                                                                                    \
    float low, high, end, most_x = x[0], least_x = x[0], least = v[0], most = v[0];                                    \
    WW_SOFT_UNROLL for (int q = 1; q < WW_ROWS; q++) {                                                                 \
        most_x = fmax(most_x, x[q]);                                                                                   \
        least_x = fmin(least_x, x[q]);                                                                                 \
        least = fmin(least, v[q]);                                                                                     \
        most = fmax(most, v[q]);                                                                                       \
    }                                                                                                                  \
    WW_SOFT_LAST_ROW(low, high, end)                                                                                   \
    const float cost = scale * fmax(ww_soft_cost(most_x, least_y), ww_soft_cost(least_x, most_y));                     \
    best = floor(fmin(fmin(low, least), corner));                                                                      \
    fits = (!ending || WW_SOFT_ENDS_BELOW(task.n)) && ww_soft_fits(low, high, end, least, most, v[WW_ROWS - 1], corner, best, cost, WW_COLS);
#endif

__kernel WW_SOFT_GROUP void
ww_soft_forward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                __global const uint *restrict band, __global const float *restrict packed, __global float *restrict roll,
                __global float *restrict marks, __global float *restrict edges, __global float *restrict ends,
                __global float *restrict more_marks) {
    uint number;
#if WW_FLOW
    __local uint ticket;
    ww_soft_place at = ww_soft_ticket(args, tasks, (volatile __global uint *)roll, &ticket, &number);
#else
    ww_soft_place at = ww_soft_place_of(args, tasks, &number);
#endif
    // Points of the next row-step, and what comes from the left, requested while a block is computed.
    __local float4 ahead[2][WW_WG];
    const uint lane = (uint)get_local_id(0);
    if (!at.live)
        return;
    // Whether all of the group have a pair.
    const bool together = (WW_WHOLE || WW_FLOW) && ((WW_FLOW ? number : (uint)get_global_id(0)) | (WW_WG - 1)) < args.count;
    (void)together;
    const ww_gradient_task task = tasks[number];
    const float root = WW_SOFT_ROOT(args.parameters.soft_scale), scale = 1;
    const uint last_row = (task.n - 1) / WW_ROWS, last_column = (task.m - 1) / WW_COLS;
    // A work-item reads rows that another has written, in a launch before.
    __global float *side = roll + task.roll + (ulong)task.wide * WW_COLS * WW_STRIDE;
    __global float *const notes = (task.later ? more_marks : marks) + task.marks;
    const uint mark_columns = args.segment_columns ? args.mark_columns : task.wide;
    const uint mark_row = WW_MARK_ROW(mark_columns);
    for (uint from = at.from, j = at.strip; from < at.to;) {
        const uint to = min(from + args.chunk, at.to);
        __global float *top = roll + task.roll + (ulong)j * WW_COLS * WW_STRIDE;
        // What a strip hands to the next is what that notes, or in a pass without notes a column that all write in turn.
        const uint column = j - args.column_begin;
        const bool notes_left = args.keep && column == 0, from_edge = notes_left && j > 0;
        __global float4 *const marks_above = WW_FOURS(notes) + column * WW_MARK_FOURS * WW_STRIDE;
        __global float4 *const in = from_edge ? WW_FOURS(edges + task.edges) + (ulong)(args.segment - 1) * task.tall * WW_STRIDE
                                    : args.keep && column ? marks_above + WW_MARK_LEFT(0) * WW_STRIDE
                                                          : WW_FOURS(side);
        const uint in_row = args.keep && column ? mark_row : WW_STRIDE;
        const bool noted_right = args.keep && j + 1 < args.column_end && j + 1 < task.wide;
        __global float4 *const out = noted_right ? marks_above + (WW_MARK_FOURS + WW_MARK_LEFT(0)) * WW_STRIDE : WW_FOURS(side);
        const uint out_row = noted_right ? mark_row : WW_STRIDE;
        float b[WW_COLS], most_y = -INFINITY, least_y = INFINITY, result = 0;
        ww_soft_state c[WW_COLS];
        const float origin = WW_SOFT_ORIGIN(packed[task.y + (ulong)j * WW_COLS]);
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r += 4) {
            const float4 points = WW_FOURS_OF(packed + task.y)[(j * WW_COLS + r) / 4];
            const float4 above = from ? WW_FOURS(top)[r / 4 * WW_STRIDE] : (float4)WW_SOFT_FAR;
            WW_SOFT_UNROLL for (int k = 0; k < 4; k++) {
                b[r + k] = WW_SOFT_SCALED(ww_at_of(points, k));
                most_y = fmax(most_y, b[r + k]);
                least_y = fmin(least_y, b[r + k]);
                c[r + k] = WW_SOFT_STATE(ww_at_of(above, k));
            }
        }
        // The corner: of the matrix, of its border, or what the strip before has handed on; where that is written over, in a place
        // of its own.
        float corner, previous = from == 0                   ? (j ? WW_SOFT_FAR : 0.0f)
                                 : j == 0                        ? WW_SOFT_FAR
                                 : args.keep                     ? in[(ulong)(from - 1) * in_row].w
                                                                 : side[WW_CORNER_AT(from)];
        const float handed = WW_SOFT_LOG(c[WW_COLS - 1]);
        __global float4 *mark = marks_above + (ulong)from * mark_row;
        __global float *base_mark = notes + (ulong)from * mark_row * 4 + WW_BASE_AT(mark_columns, column, number);
#if WW_FLOW
        volatile __global uint *const own_count = WW_FLOW_WORD((volatile __global uint *)roll, j), *const left_count = own_count - 1;
        const bool waits = j > 0;
        uint seen = 0;
        if (waits)
            WW_FLOW_WAIT(left_count, 1u)
        uint fresh = seen;
#endif
        WW_SOFT_FORWARD_AHEAD(from)
        uint i = from;
        float x[WW_ROWS], v[WW_ROWS];
#if WW_SOFT_WIDE
        bool products = false;
        float base = 0, best;
#pragma unroll 1
        while (i < to) {
            bool fits, ending;
            WW_SOFT_TAKE
            WW_SOFT_ASK
            if (ww_all_agree(fits && !ending && (!products || fabs(best + WW_SOFT_LIFT - base) < 1000.0f))) {
                float inner[WW_PARTS_OF_BLOCK][WW_ROWS];
                if (products) {
                    const double shift = ww_wide_power(best + WW_SOFT_LIFT - base);
                    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
                        c[r] *= shift;
                } else {
                    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
                        c[r] = ww_wide_exp2(best + WW_SOFT_LIFT - WW_SOFT_LOG(c[r]));
                }
                base = best + WW_SOFT_LIFT;
                const double start = ww_wide_exp2(base - corner);
                WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                    v[q] = WW_HIGH(ww_wide_exp2(base - v[q]));
                if (args.keep) {
                    WW_NOTE_ROW(WW_HIGH, c)
                    *base_mark = products ? base : base + 0.5f;
                }
                products = true;
                WW_SOFT_PRODUCTS(WW_COLS, start, WW_SOFT_ENTER_HIGH, WW_SOFT_NOTE_PRODUCT, WW_SOFT_LEAVE)
                if (args.keep) {
                    WW_SOFT_UNROLL for (int part = 1; part < WW_PARTS_OF_BLOCK; part++)
                        WW_NOTE_FOUR(WW_MARK_LEFT(part), , inner[part], 0)
                }
                WW_SOFT_HAND_ON
            } else {
                if (products) {
                    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
                        c[r] = WW_SOFT_STATE(base - ww_wide_log2(c[r]));
                }
                products = false;
                // By pairs: a loop over rows, for the instruction cache, which reads their points and values again.
                const bool notes_products = fits;
                base = best + WW_SOFT_LIFT;
                float above[WW_COLS], sum[WW_COLS];
                WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
                    above[r] = WW_SOFT_LOG(c[r]);
                    sum[r] = 1;
                }
                if (args.keep) {
                    WW_NOTE_ROW(WW_SOFT_NOTED, above)
                    *base_mark = notes_products ? base + 0.5f : WW_SOFT_FAR;
                }
                float x_next = packed[task.x + i * WW_ROWS], v_next = v[0];
#pragma unroll 1
                for (int q = 0; q < WW_ROWS; q++) {
                    const uint row = i * WW_ROWS + q, after = min(q + 1, WW_ROWS - 1);
                    const float x_own = WW_SOFT_SCALED(x_next);
                    float last = corner, last_sum = 1, value = v_next, value_sum = 1;
                    x_next = packed[task.x + i * WW_ROWS + after];
                    v_next = j == 0 ? WW_SOFT_FAR : ((WW_HANDED)&in[(ulong)i * in_row])[after];
                    corner = value;
                    WW_SOFT_PAIRS_ROW(WW_COLS, q, x_own, WW_SOFT_NOTE_PAIR_OF_ROW)
                    const float left = value - ww_log2(value_sum);
                    ((__global float *)&out[(ulong)i * out_row])[q] = left;
                    if (!args.keep && args.segment_columns && (j + 1) % args.segment_columns == 0 && j + 1 < task.wide)
                        edges[task.edges + (ulong)(j / args.segment_columns) * task.tall * WW_ROWS * WW_STRIDE + WW_SIDE_AT(row)] = left;
                    WW_SOFT_RESULT(q)
                }
                WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
                    c[r] = WW_SOFT_STATE(above[r] - ww_log2(sum[r]));
            }
#else
#pragma unroll 1
        while (i < to) {
            bool ending;
            WW_SOFT_TAKE
            float above[WW_COLS], sum[WW_COLS], inner[WW_PARTS_OF_BLOCK][WW_ROWS];
            WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
                above[r] = c[r];
                sum[r] = 1;
            }
            if (args.keep) {
                WW_NOTE_ROW(, above)
                *base_mark = WW_SOFT_FAR;
            }
            WW_SOFT_PAIRS(WW_COLS, WW_SOFT_FIRST, WW_SOFT_NOTE_PAIR, WW_SOFT_PAIR_LEAVES)
            WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
                c[r] = above[r] - ww_log2(sum[r]);
            if (args.keep) {
                WW_SOFT_UNROLL for (int part = 1; part < WW_PARTS_OF_BLOCK; part++)
                    WW_NOTE_FOUR(WW_MARK_LEFT(part), , inner[part], 0)
            }
            WW_SOFT_HAND_ON
#endif
            if (ending)
                ends[task.number] = result < 0.9f * WW_SOFT_FAR ? result * args.parameters.soft_unit : 2e36f;
#if WW_FLOW
            WW_FLOW_COUNT(own_count, i + 1, fresh)
            if (!asked) {
                WW_FLOW_WAIT(left_count, i + 2)
                WW_SOFT_FORWARD_AHEAD(i + 1)
            }
#endif
            mark += mark_row;
            base_mark += mark_row * 4;
            i++;
        }
#if WW_SOFT_WIDE
        if (products) {
            WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
                c[r] = WW_SOFT_STATE(base - ww_wide_log2(c[r]));
        }
#endif
        if (!WW_WHOLE && !WW_FLOW) {
            WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r += 4)
                WW_FOURS(top)[r / 4 * WW_STRIDE] = (float4)(WW_SOFT_LOG(c[r]), WW_SOFT_LOG(c[r + 1]), WW_SOFT_LOG(c[r + 2]), WW_SOFT_LOG(c[r + 3]));
            side[WW_CORNER_AT(from)] = handed;
        }
        if (++j == at.strip_end) {
            j = at.strip;
            from = to;
        }
    }
}

// ---- the way back

// Requests, into local memory: what comes from the right, points and slopes of x; and what is noted of a block's part, with the last
// part the former, with the first the corner.
#define WW_SOFT_AHEAD_OF_X(to, row)                                                                                    \
    ww_copy_ahead(&(to)[0][lane], WW_FOURS_OF(flow) + place + (row));                                                  \
    ww_copy_ahead(&(to)[1][lane], WW_FOURS_OF(packed) + place + (row));                                                \
    ww_copy_ahead(&(to)[2][lane], WW_FOURS_OF(slopes) + place + (row));
// All of the first block of a strip, and its points.
#define WW_SOFT_AHEAD_OF_CORNER(to, mark, row)                                                                         \
    ww_copy_ahead(&(to)[3 + WW_MARK_FOURS][lane], (mark) + WW_MARK_LEFT(0) * WW_STRIDE - ((row) ? mark_row : 0));
#define WW_SOFT_AHEAD_OF_STRIP(to, turn_of, mark, base_mark, row, strip)                                                        \
    WW_SOFT_AHEAD_OF_X(to, row)                                                                                        \
    WW_SOFT_AHEAD_OF_CORNER(to, mark, row)                                                                             \
    ww_word_ahead(&bases[turn_of][lane], base_mark);                                                           \
    WW_SOFT_UNROLL for (int k = 0; k < WW_MARK_FOURS; k++)                                                             \
        ww_copy_ahead(&(to)[3 + k][lane], (mark) + (k < WW_COLS / 4 ? WW_MARK_AT((uint)k) : k * WW_STRIDE));                 \
    WW_SOFT_UNROLL for (int k = 0; k < WW_COLS / 4; k++)                                                               \
        ww_copy_ahead(&turn[k][lane], WW_FOURS_OF(packed) + place + tall + (strip) * (WW_COLS / 4) + k);
#define WW_SOFT_AHEAD_OF_PART                                                                                          \
    ww_copy_ahead(&now[3 + WW_MARK_LEFT(part)][lane], mark_above + WW_MARK_LEFT(part) * WW_STRIDE);                              \
    WW_SOFT_UNROLL for (int k = 0; k < WW_PART / 4; k++)                                                               \
        ww_copy_ahead(&now[3 + part * (WW_PART / 4) + k][lane], mark_above + WW_MARK_AT((uint)(part * (WW_PART / 4) + k)));              \
    if (part == WW_PARTS_OF_BLOCK - 1) {                                                                               \
        WW_SOFT_NEXT_X                                                                                                    \
        WW_SOFT_AHEAD_OF_CORNER(now, mark_above, row_above)                                                            \
        ww_word_ahead(&bases[turns % WW_SOFT_SETS][lane], base_above);                                                            \
    }
#if WW_FLOW
#define WW_SOFT_NEXT_X                                                                                                 \
    if (asked) {                                                                                                       \
        WW_SOFT_AHEAD_OF_X(now, row_above)                                                                             \
    }
#else
#define WW_SOFT_NEXT_X WW_SOFT_AHEAD_OF_X(now, row_above)
#endif
// What the next strip begins with is requested as soon as that is known, into a set of its own, where copies are asynchronous.
#define WW_SOFT_EARLY WW_ASYNC
#define WW_SOFT_SETS (1 + WW_SOFT_EARLY)
// Less of the paths than this is not followed.
#define WW_SOFT_COUNTS 0x1p-28f

// Shares of the neighbours above and on the diagonal in a cell.
#define WW_SOFT_NOTE_SHARES(q, r)                                                                                      \
    {                                                                                                                  \
        const float all = ww_recip(next_sum), straight = lesser < last ? all : all * other;                            \
        kept_first[(q)*WW_PART + (r)] = (value < up ? up_sum * side : up_sum) * straight;                              \
        kept_second[(q)*WW_PART + (r)] = (lesser < last ? last_sum * other : last_sum) * all;                          \
    }
#define WW_SOFT_NOTE_P(q, r)                                                                                           \
    kept[(q)*WW_PART + (r)] = WW_HIGH(value);                                                                          \
    factors[(q)*WW_PART + (r)] = factor;
#define WW_KEPT(q, r) WW_FROM_HIGH(kept[(q)*WW_PART + (r)])
#define WW_SOFT_NOTHING(q)
// Else the compiler keeps in registers, for each cell, what it can compute again from these. `hidden` is 0, which no compiler
// can know: NVIDIA's sees through ww_rename().
#define WW_SOFT_FORGET(rename)                                                                                                 \
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)                                                                   \
        x[q] = as_float(as_uint(x[q]) | hidden);                                                                       \
    WW_SOFT_UNROLL for (int k = 0; k < WW_ROWS * WW_PART; k++)                                                         \
        rename(k)
#define WW_RENAME_SHARES(k)                                                                                            \
    {                                                                                                                  \
        ww_rename(kept_first[k]);                                                                                      \
        ww_rename(kept_second[k]);                                                                                     \
    }
#define WW_RENAME_KEPT(k)                                                                                              \
    {                                                                                                                  \
        ww_rename(kept[k]);                                                                                            \
        ww_rename(factors[k]);                                                                                         \
    }
// The slope of the cost of two points as they are here, over WW_SOFT_SLOPE_UNIT.
WW_INLINE float ww_soft_slope(float x, float y) {
#if WW_COST == 1
    return x - y;
#else
    ww_point a, b;
    a.value[0] = x;
    b.value[0] = y;
    return ww_cost_slope(a, b, 0);
#endif
}
#if WW_SOFT_WIDE
typedef double ww_soft_flow;
// The reciprocal of a positive double that is far from the ends of its range.
WW_INLINE double ww_wide_recip(double a) {
    const uint high = as_uint2(a).y, part = as_uint(ww_recip(as_float(((high & 0xfffffu) << 3) | 0x3f800000u)));
    return as_double((uint2)(0, (part >> 3) + ((1919u - (high >> 20)) << 20)));
}
// a times b, from 0 to 1, as a float, from the double's high word: an error of 2^-21, and of 2^-120.
WW_INLINE float ww_wide_product(double a, double b) {
    return as_float((as_uint2(fma(a, b, 0x1p-120)).y << 3) + 0x40000004u);
}
// What is handed up the strip: A, or B of products with this base.
#define WW_SOFT_HANDS_A (handed_base >= WW_SOFT_FAR)
#else
typedef float ww_soft_flow;
#endif

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_soft_backward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                 __global const uint *restrict band, __global const float *restrict packed,
                 __global const float *restrict marks, __global float *restrict flow, __global float *restrict slopes,
                 __global float *restrict sums, __global float *restrict alignment,
                 __global const float *restrict more_marks) {
    __local float points[WW_COLS][WW_WG], y_slopes[WW_COLS][WW_WG];
    __local ww_soft_flow handed[WW_COLS][WW_WG];
    // Of the block: what comes from the right, points and slopes of x, and what the pass forward has noted.
    __local float4 ahead[WW_SOFT_SETS][4 + WW_MARK_FOURS][WW_WG], turn[WW_COLS / 4][WW_WG];
    __local float bases[WW_SOFT_SETS][WW_WG];
    const uint lane = (uint)get_local_id(0);
    uint number;
#if WW_FLOW
    __local uint ticket;
    ww_soft_place at = ww_soft_ticket(args, tasks, (volatile __global uint *)flow, &ticket, &number);
#else
    ww_soft_place at = ww_soft_place_of(args, tasks, &number);
#endif
    if (!at.live)
        return;
    const float root = WW_SOFT_ROOT(args.parameters.soft_scale), scale = 1;
    const uint hidden = args.whole & 2u;
    // What slopes here are times those of the points, and back.
    const float slope_unit = WW_SOFT_SLOPE_UNIT(root), slope_scale = 1 / slope_unit;
    uint tall, mark_columns, end_column;
    // Of the pair in `packed`, `slopes` and `flow`, in fours: `tall` of x, those of y, and in `flow` the corners.
    ulong place;
    __global const float4 *marks_of;
    uint mark_row;
    // Where the strip to the right has handed on what counts: the last row-step and the first.
    uint j = at.strip_end - 1, i = at.to - 1, least_row = at.from, next_row = 0, next_least = 0;
    uint turns = 0;
    bool fresh = true, hands_left = false, begins = true;
#if WW_FLOW
    volatile __global uint *const own_count = WW_FLOW_WORD((volatile __global uint *)flow, j), *const right_count = own_count + 1;
    const bool waits = j + 1 < min(args.column_end, tasks[number].wide);
    uint seen = 0, newest = 0;
#endif
    float origin = 0, carried = 0;  // for the corner of the row-step below
#if WW_SOFT_WIDE
    float handed_base = WW_SOFT_FAR;
#endif
#pragma unroll 1
    for (;;) {
        __local float4(*now)[WW_WG] = ahead[turns % WW_SOFT_SETS];
        if (begins) {
            const uint n = tasks[number].n, m = tasks[number].m;
            end_column = WW_SOFT_ENDS_BELOW(n) ? m - 1 : 0xffffffffu;
            tall = tasks[number].tall;
            mark_columns = args.segment_columns ? args.mark_columns : tasks[number].wide;
            place = tasks[number].x / 4;
            marks_of = WW_FOURS_OF((tasks[number].later ? more_marks : marks) + tasks[number].marks);
            mark_row = WW_MARK_ROW(mark_columns);
            if (WW_WHOLE) {
                j = (m - 1) / WW_COLS;
                i = least_row = (n - 1) / WW_ROWS;
            }
        }
        // What the next block needs is requested while this one is computed.
        const uint row_above = i > at.from ? i - 1 : i;
        const uint column = j - args.column_begin;
        __global const float4 *row_mark = marks_of + (ulong)i * mark_row, *own_mark = row_mark + column * WW_MARK_FOURS * (uint)WW_STRIDE;
        __global const float4 *mark_above = own_mark - (i > at.from ? mark_row : 0);
        __global const float *own_base = (__global const float *)row_mark + WW_BASE_AT(mark_columns, column, number);
        __global const float *base_above = own_base - (i > at.from ? mark_row * 4 : 0);
#if WW_FLOW
        if (begins && waits)
            WW_FLOW_WAIT(right_count, 1u)
        const uint needs = tall - row_above;
        const bool asked = !waits || seen >= needs;
        if (waits && newest < tall)
            newest = *right_count;
#endif
        if (begins || (!WW_SOFT_EARLY && fresh)) {
            // What was requested last, for a row above that is not followed, must not come later.
            ww_copy_wait();
            WW_SOFT_AHEAD_OF_STRIP(now, turns % WW_SOFT_SETS, own_mark, own_base, i, j)
        }
        begins = false;
        ww_copy_wait();
        if (fresh) {
            origin = WW_SOFT_ORIGIN(turn[0][lane].x);
            WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
                points[r][lane] = WW_SOFT_SCALED(ww_at_of(turn[r / 4][lane], r % 4));
            if (WW_WHOLE || WW_FLOW) {
                WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
                    y_slopes[r][lane] = 0;
                    handed[r][lane] = 0;
                }
                if (WW_WHOLE && end_column / WW_COLS == j)
                    handed[end_column % WW_COLS][lane] = 1;
            } else {
#pragma unroll 4
                for (int r = 0; r < WW_COLS; r++) {
                    y_slopes[r][lane] = slopes[4 * (place + tall) + j * WW_COLS + r] * slope_scale;
                    handed[r][lane] = flow[4 * (place + tall) + j * WW_COLS + r];
                }
            }
            fresh = hands_left = false;
            carried = 0;
#if WW_SOFT_WIDE
            // Zeros are B as well as A.
            handed_base = WW_FLOW || (WW_WHOLE && end_column / WW_COLS != j) ? -WW_SOFT_FAR : WW_SOFT_FAR;
#endif
        }
        float x[WW_ROWS], x_slope[WW_ROWS], from_right[WW_ROWS], corner_flow = 0, upwards = 0;
        {
            const float4 right = now[0][lane], point = now[1][lane], slope = now[2][lane] * slope_scale;
            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
                x[q] = WW_SOFT_SCALED(ww_at_of(point, q));
                x_slope[q] = ww_at_of(slope, q);
                from_right[q] = ww_at_of(right, q);
            }
        }
        const float corner_mark = i ? now[3 + WW_MARK_FOURS][lane].w : j ? WW_SOFT_FAR : 0.0f;
#if WW_SOFT_WIDE
        const float noted_base = bases[turns % WW_SOFT_SETS][lane], base = floor(noted_base);
        // Where the row above came as R, A is handed up and between parts: P that is computed there is not rounded as P here is.
        const bool hands_a = noted_base > base;
        if (base < WW_SOFT_FAR) {
            // B times 2^-base; from the right at first A.
            double from_part[WW_ROWS], corner_part = 0;
            float4 leftmost = 0;
            const float corner_high = WW_HIGH(ww_wide_exp2(base - corner_mark));
            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                from_part[q] = from_right[q];
            const double shift = fabs(handed_base) < WW_SOFT_FAR ? ww_wide_power(handed_base - base) : 1.0;
#pragma unroll 1
            for (int part = WW_PARTS_OF_BLOCK - 1; part >= 0; part--) {
                const int first = part * WW_PART;
                float b[WW_PART], y_slope[WW_PART], kept[WW_ROWS * WW_PART], factors[WW_ROWS * WW_PART];
                double entering[WW_ROWS], h[WW_PART];
                {
                    double c[WW_PART];
                    leftmost = now[3 + WW_MARK_LEFT(part)][lane];
                    if (part == 0)
                        leftmost = (float4)(WW_HIGH(ww_wide_exp2(base - leftmost.x)), WW_HIGH(ww_wide_exp2(base - leftmost.y)),
                                            WW_HIGH(ww_wide_exp2(base - leftmost.z)), WW_HIGH(ww_wide_exp2(base - leftmost.w)));
                    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                        entering[q] = WW_FROM_HIGH(ww_at_of(leftmost, q));
                    WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
                        const float4 row = now[3 + part * (WW_PART / 4) + r / 4][lane];
                        b[r] = points[first + r][lane];
                        c[r] = WW_FROM_HIGH(ww_at_of(row, r % 4));
                    }
                    const double start = WW_FROM_HIGH(part ? now[2 + part * (WW_PART / 4)][lane].w : corner_high);
                    WW_SOFT_PRODUCTS(WW_PART, start, WW_SOFT_ENTER, WW_SOFT_NOTE_P, WW_SOFT_NOTHING)
                }
                WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
                    h[r] = shift * handed[first + r][lane];
                    y_slope[r] = 0;
                }
                if (hands_a) {
                    WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
                        handed[first + r][lane] = WW_FROM_HIGH(ww_at_of(now[3 + part * (WW_PART / 4) + r / 4][lane], r % 4));
                }
                WW_SOFT_AHEAD_OF_PART
                WW_SOFT_FORGET(WW_RENAME_KEPT)
                if (WW_SOFT_HANDS_A) {
                    WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
                        h[r] *= ww_wide_recip(WW_KEPT(WW_ROWS - 1, r));
                }
                if (part == WW_PARTS_OF_BLOCK - 1 || hands_a) {
                    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                        from_part[q] *= ww_wide_recip(WW_KEPT(q, WW_PART - 1));
                }
                // h: exp(-c/gamma) B of the row below; before the last row what comes from all below it.
                WW_SOFT_UNROLL for (int q = WW_ROWS - 1; q >= 0; q--) {
                    double right = from_part[q], diagonal = 0;
                    const double before = q == WW_ROWS - 1 ? 0 : h[0];
                    WW_SOFT_UNROLL for (int r = WW_PART - 1; r >= 0; r--) {
                        const double all = q == WW_ROWS - 1 || r == WW_PART - 1 ? right + h[r] : right + (h[r] + diagonal);
                        const float share = ww_wide_product(WW_KEPT(q, r), all), slope = ww_soft_slope(x[q], b[r]);
                        x_slope[q] = fma(share, slope, x_slope[q]);
                        y_slope[r] = fma(-share, slope, y_slope[r]);
                        upwards = q == 0 ? fmax(upwards, share) : upwards;
                        diagonal = h[r];
                        right = all * ww_wide(factors[q * WW_PART + r]);
                        h[r] = right;
                    }
                    from_part[q] = right + before;
                }
                const double to_corner = h[0];
                WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
                    h[r] += r + 1 < WW_PART ? h[r + 1 < WW_PART ? r + 1 : 0] : corner_part;
                    y_slopes[first + r][lane] += y_slope[r];
                }
                corner_part = to_corner;
                if (hands_a) {
                    WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
                        h[r] *= handed[first + r][lane];
                    if (part) {
                        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                            from_part[q] *= WW_FROM_HIGH(ww_at_of(leftmost, q));
                    }
                }
                WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
                    handed[first + r][lane] = h[r];
            }
            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                from_right[q] = ww_wide_product(WW_FROM_HIGH(ww_at_of(leftmost, q)), from_part[q]);
            corner_flow = ww_wide_product(WW_FROM_HIGH(corner_high), corner_part);
            handed_base = hands_a ? WW_SOFT_FAR : base;
        } else
#endif
        {
            const uint n = tasks[number].n, m = tasks[number].m;
            const bool ending = !WW_SOFT_ENDS_BELOW(n) && i == (n - 1) / WW_ROWS && j == (m - 1) / WW_COLS;
#pragma unroll 1
            for (int part = WW_PARTS_OF_BLOCK - 1; part >= 0; part--) {
                const int first = part * WW_PART;
                float b[WW_PART], above[WW_PART], sum[WW_PART], v[WW_ROWS], below[WW_PART], y_slope[WW_PART], to_left[WW_ROWS];
                float kept_first[WW_ROWS * WW_PART], kept_second[WW_ROWS * WW_PART], to_corner = 0;
                float corner = part ? now[2 + part * (WW_PART / 4)][lane].w : corner_mark;
                const float4 left = now[3 + WW_MARK_LEFT(part)][lane];
                WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                    v[q] = ww_at_of(left, q);
                WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
                    const float4 row = now[3 + part * (WW_PART / 4) + r / 4][lane];
                    b[r] = points[first + r][lane];
                    above[r] = ww_at_of(row, r % 4);
                    y_slope[r] = 0;
                    sum[r] = 1;
                }
                const uint end_row = n - 1 - i * WW_ROWS, end_column = m - 1 - (j * WW_COLS + first);
                const int end = ending && end_column < WW_PART ? (int)(end_row * WW_PART + end_column) : -1;
                WW_SOFT_PAIRS(WW_PART, WW_SOFT_FIRST, WW_SOFT_NOTE_SHARES, WW_SOFT_NOTHING)
                WW_SOFT_AHEAD_OF_PART
                WW_SOFT_FORGET(WW_RENAME_SHARES)
                WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
#if WW_SOFT_WIDE
                    double flow_in = handed[first + r][lane];
                    if (!WW_SOFT_HANDS_A)
                        flow_in *= ww_wide_exp2(handed_base - (above[r] - ww_log2(sum[r])));
                    below[r] = convert_float(flow_in);
#else
                    below[r] = handed[first + r][lane];
#endif
                }
                WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                    to_left[q] = 0;
                WW_SOFT_UNROLL for (int q = WW_ROWS - 1; q >= 0; q--) {
                    float from_cell = from_right[q], pending = 0;
                    WW_SOFT_UNROLL for (int r = WW_PART - 1; r >= 0; r--) {
                        const float all = end == q * WW_PART + r ? 1.0f : below[r] + from_cell;
                        const float up = all * kept_first[q * WW_PART + r], diagonal = all * kept_second[q * WW_PART + r];
                        const float leftwards = fmax(all - up - diagonal, 0.0f);
                        const float slope = ww_soft_slope(x[q], b[r]);
                        x_slope[q] = fma(all, slope, x_slope[q]);
                        y_slope[r] = fma(-all, slope, y_slope[r]);
                        upwards = q == 0 ? fmax(upwards, all) : upwards;
                        below[r] = up + pending;
                        pending = diagonal;
                        from_cell = leftwards;
                        if (r == 0) {
                            to_left[q] += leftwards;
                            if (q)
                                to_left[q ? q - 1 : 0] += diagonal;
                            else
                                to_corner = diagonal;
                        }
                    }
                }
                below[WW_PART - 1] += corner_flow;
                corner_flow = to_corner;
                WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
                    handed[first + r][lane] = below[r];
                    y_slopes[first + r][lane] += y_slope[r];
                }
                WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                    from_right[q] = to_left[q];
            }
#if WW_SOFT_WIDE
            handed_base = WW_SOFT_FAR;
#endif
        }
        from_right[WW_ROWS - 1] += carried;
        carried = corner_flow;
        WW_FOURS(flow)[place + i] = (float4)(from_right[0], from_right[1], from_right[2], from_right[3]);
        WW_FOURS(slopes)[place + i] = slope_unit * (float4)(x_slope[0], x_slope[1], x_slope[2], x_slope[3]);
        if (fmax(fmax(from_right[0], from_right[1]), fmax(from_right[2], from_right[3])) > WW_SOFT_COUNTS) {
            next_least = i;
            if (!hands_left) {
                hands_left = true;
                next_row = i;
                if (WW_SOFT_EARLY && WW_WHOLE && j > at.strip) {
                    __local float4(*other)[WW_WG] = ahead[(turns + 1) % WW_SOFT_SETS];
                    WW_SOFT_AHEAD_OF_STRIP(other, (turns + 1) % WW_SOFT_SETS, own_mark - WW_MARK_FOURS * WW_STRIDE, own_base - WW_STRIDE, i, j - 1)
                }
            }
        }
#if WW_FLOW
        WW_FLOW_COUNT(own_count, tall - i, newest)
#endif
        if (i > at.from && (i > least_row || upwards > WW_SOFT_COUNTS)) {
#if WW_FLOW
            if (!asked) {
                WW_FLOW_WAIT(right_count, needs)
                WW_SOFT_AHEAD_OF_X(now, row_above)
            }
#endif
            i--;
            continue;
        }
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r += 4)
            WW_FOURS(slopes)[place + tall + j * (WW_COLS / 4) + r / 4] =
                slope_unit * (float4)(y_slopes[r][lane], y_slopes[r + 1][lane], y_slopes[r + 2][lane], y_slopes[r + 3][lane]);
        if (!WW_WHOLE && !WW_FLOW) {
            // The corner above the chunk is in the strip to the left: it is added to what that strip hands on.
            __global float *corner = flow + 4 * place + tall * WW_ROWS + tasks[number].wide * WW_COLS + at.from;
            handed[WW_COLS - 1][lane] += *corner;
            *corner = carried;
#pragma unroll 4
            for (int r = 0; r < WW_COLS; r++)
                flow[4 * (place + tall) + j * WW_COLS + r] = handed[r][lane];
        }
        fresh = true;
        if (j > at.strip && hands_left) {
            j--;
            turns++;
            i = next_row;
            least_row = next_least;
            continue;
        }
        if (!WW_WHOLE)
            return;
        // The next pair. Their ways differ in length.
        number = (uint)get_global_size(0) + atomic_inc((volatile __global uint *)flow);
        if (number >= args.count)
            return;
        number += args.first;
        begins = true;
    }
}
