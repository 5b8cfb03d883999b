// SPDX-License-Identifier: Apache-2.0
// What both passes of soft-DTW by tiles share (gradient_soft_forward.cl, gradient_soft_backward.cl): which strips of which pair a
// work-item computes, where its values lie, points, and a tile by products. No kernel.
//
// Tasks, buffers and passes are those of gradient_forward.cl and gradient_backward.cl; here in float, without a band, in blocks of
// WW_ROWS x WW_COLS cells as tiles (engine/soft_tiles.cl), which the pass back takes in parts of WW_PART columns. A strip is a column of
// blocks, a row-step one of its blocks.
//
// One channel: points are in registers. Several: points are in local memory, and the costs of a block are computed before it. Many:
// costs come from a table (WW_TABLED). With WW_WEIGHTS_TABLED slopes are not summed here: W goes to a table (gradient_table.cl).
//
// There are three kinds of launches, and ww_soft_find() alone decides:
//   chunks  a work-item computes a chunk of args.chunk row-steps of a strip, which is its on an anti-diagonal of chunks. Between
//           chunks what a strip carries is in `carried`, and in `adjoints`
//   whole   (args.whole) one after the other all strips of its pair; a chunk has all row-steps
//   chained (WW_CHAINED) all row-steps of a strip; all strips are in one launch, and each waits for what the one before hands on
//
// Tried, not taken: 2, 4 x 4 or 8 x 4 rows a tile 0.19 to 0.31 for 0.34 TCUPS; each its own line: 60 for 20 ms. Several channels:
// docs/gradient.md.
#define WW_SOFT_SEVERAL (!WW_TABLED && WW_CHANNELS > 1)
#define WW_PARTS_OF_BLOCK (WW_COLS / WW_PART)
#define WW_STRIDE ((ulong)WW_SIDE_BY_SIDE)
#define WW_CHAIN_EACH 2 // row-steps that are told at once: a fence takes as long as a part of one
// What a work-item reads of another's, which with WW_CHAINED may be writing.
#if WW_CHAINED
#define WW_SOFT_HANDED volatile __global float *
#else
#define WW_SOFT_HANDED __global float *
#endif

// A block's checkpoint, in fours: the row above; what the strip to the left has handed on, R; and for each part but the first the
// column to its left. Behind those of a row of blocks a word of each: the base of its products, or WW_SOFT_FAR, and a half more where
// the row above came as R.
#define WW_CHECKPOINT_FOURS (WW_COLS / 4 + WW_PARTS_OF_BLOCK)
#define WW_CHECKPOINT_LEFT(part) (WW_COLS / 4 + (part))
#define WW_CHECKPOINT_ROW(columns) (((columns)*WW_CHECKPOINT_FOURS + ((columns) + 3) / 4) * (uint)WW_STRIDE)
// A pair's row lies together, from a four of it that is side by side with those of the other pairs: the way back reads it in one go.
#if WW_SIDE_BY_SIDE > 1
// The first term is 0; with it ptxas (13, sm_90) spills nothing.
#define ww_checkpoint_at(k, number)                                                                                                \
    ((k) / (WW_COLS / 4) * WW_COLS * WW_STRIDE + (k) % (WW_COLS / 4) + (number) % WW_SIDE_BY_SIDE * (WW_COLS / 4 - 1))
#else
#define ww_checkpoint_at(k, number) (k)
#endif
// From a row's fours to its word of a column, side by side.
WW_INLINE uint ww_base_at(uint columns, uint column, uint number) {
    return (columns * WW_CHECKPOINT_FOURS * 4 + column) * (uint)WW_STRIDE - number % WW_SIDE_BY_SIDE * 3;
}
// Fours of a pair's values from a place on. What the pass forward notes and what a strip there hands to the next lies side by side in
// fours: value k, and the corner that a chunk from row-step `from` on leaves. All else of a pair lies together.
#define WW_FOURS(values) ((__global float4 *)(values))
#define WW_FOURS_OF(values) ((__global const float4 *)(values))
#define WW_SIDE_AT(k) (((k) & ~3ul) * WW_STRIDE + ((k) & 3ul))
WW_INLINE float ww_at_of(const float4 a, int k) {
    return k == 0 ? a.x : k == 1 ? a.y : k == 2 ? a.z : a.w;
}
// Points of several channels, and their slopes, lie in fours of points, of each the channels one after the other. In local memory
// those of x have two places: the next row-step's are requested while one is computed.
#define WW_SOFT_X(row) (WW_SOFT_SEVERAL ? (row) % 2 * WW_CHANNELS : 0)
// Of row q of so many columns the points, or the costs.
#define WW_SOFT_ROW(q, columns) (WW_SOFT_POINTED ? 0 : (q) * (columns))

// The kind of the launch.
#define WW_SOFT_WHOLE (!WW_CHAINED && args.whole)
#define WW_SOFT_CHUNKS (!WW_CHAINED && !args.whole)
// A work-item's pair, its strips [strip, strip_end) and its row-steps [from, to), by the launch.
typedef struct {
    uint number, strip, strip_end, from, to;
    bool live;
} ww_soft_place;
WW_INLINE ww_soft_place ww_soft_place_of(const ww_gradient_args args, __global const ww_gradient_task *tasks) {
    ww_soft_place at;
    const uint item = (uint)get_global_id(0), turn = args.whole ? 0 : item / args.count;
    const uint t = args.whole ? item : ww_rest(item, args.count, turn);
    const bool has = args.whole ? item < args.count : turn < args.turns;
    at.number = args.first + (has ? t : 0);
    const uint tall = tasks[at.number].tall, end = min(args.column_end, tasks[at.number].wide);
    const uint begin = min(args.column_begin, end);
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
#if WW_CHAINED
// A group takes the strips of 32 pairs side by side. Groups number themselves, so that whom one waits for has begun before it: the
// strip before, which counts its row-steps in a word behind `head`, after what it hands on is written.
WW_INLINE ww_soft_place ww_soft_ticket(const ww_gradient_args args, __global const ww_gradient_task *tasks,
                                       volatile __global uint *head, __local uint *ticket) {
    ww_soft_place at;
    if (get_local_id(0) == 0)
        *ticket = atomic_inc(head);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint packs = (args.count + WW_SIDE_BY_SIDE - 1) / WW_SIDE_BY_SIDE, turn = *ticket / packs;
    const uint t = (*ticket - turn * packs) * WW_SIDE_BY_SIDE + (uint)get_local_id(0);
    const bool has = t < args.count;
    at.number = args.first + (has ? t : 0);
    const uint tall = tasks[at.number].tall, end = min(args.column_end, tasks[at.number].wide);
    at.live = has && turn < end;
    at.strip = args.backward ? end - 1 - min(turn, end - 1) : turn;
    at.strip_end = at.strip + 1;
    at.from = 0;
    at.to = tall;
    return at;
}
#define WW_SOFT_TICKET __local uint ticket;
#define ww_soft_find(args, tasks, head) ww_soft_ticket(args, tasks, (volatile __global uint *)(head), &ticket)
#else
#define WW_SOFT_TICKET
#define ww_soft_find(args, tasks, head) ww_soft_place_of(args, tasks)
#endif

// Strips that wait for each other: how far this one is, and the one before, of which `seen` row-steps may be relied upon. What was read
// of that last, `newest`, may be behind a row-step's count. Without one before both are above all.
typedef struct {
    volatile __global uint *own, *before;
    uint seen, newest;
} ww_soft_chain;
WW_INLINE volatile __global uint *ww_chain_word(__global float *head, const ww_gradient_args args, uint number, uint strip) {
    return (volatile __global uint *)head + 4 + number / WW_SIDE_BY_SIDE * args.column_end + strip;
}
// Waits until the strip before is so far.
WW_INLINE void ww_chain_wait(ww_soft_chain *chained, uint steps) {
    while (chained->seen < steps)
        chained->seen = *chained->before;
    ww_acquire();
}
// Behind a row-step, the `steps`th of `all`: tells the next strip.
WW_INLINE void ww_chain_count(ww_soft_chain *chained, uint steps, uint all) {
    if (steps % WW_CHAIN_EACH == 0 || steps == all) {
        ww_publish(chained->own, steps);
        chained->seen = max(chained->seen, chained->newest);
    }
}
// Whether what needs `steps` of the strip before can be read now.
WW_INLINE bool ww_chain_has(ww_soft_chain *chained, uint steps, uint all) {
    const bool has = chained->seen >= steps;
    if (chained->newest < all)
        chained->newest = *chained->before;
    return has;
}

// Points are times `root`, less what is the first point of the strip, so that they are rounded by what the strip spans. Then the
// scale of costs is in them. Points so large that two of them are the same or far from each other stay as they are: root times them
// may overflow.
#define WW_SOFT_LARGE 1e25f
#if WW_COST == WWK_COST_SQUARED && WW_SOFT_POINTED
#define WW_SOFT_ROOT(scale) sqrt(scale)
#define WW_SOFT_SLOPE_UNIT(root) (2 / (root))
#else
#define WW_SOFT_ROOT(scale) (scale)
#define WW_SOFT_SLOPE_UNIT(root) 1.0f
#endif
WW_INLINE float ww_soft_scaled(float a, float root, float origin) {
    return fabs(a) < WW_SOFT_LARGE ? fma(a, root, -origin) : a;
}
WW_INLINE float ww_soft_origin(float a, float root) {
    return fabs(a) < WW_SOFT_LARGE ? root * a : 0;
}
// A pair's table, of costs or of W, and which values of it are there: behind the last row and the last column the nearest are taken.
typedef struct {
    ulong first;
    uint rows, fours;  // of a row
} ww_soft_table;
WW_INLINE ww_soft_table ww_soft_table_of(__global const ww_gradient_task *tasks, uint number) {
    ww_soft_table t;
    t.first = tasks[number].table;
    t.rows = tasks[number].n;
    t.fours = (tasks[number].m + 3) / 4;
    return t;
}
// Costs of `rows` rows of a block and `count` columns from a four on, times `scale`: of the table, or of points in local memory.
#if WW_TABLED
WW_INLINE void ww_soft_costs(float *costs, __global const float *table, ww_soft_table t, uint row, const int rows, uint four,
                             const int count, float scale) {
    WW_SOFT_UNROLL for (int q = 0; q < rows; q++) {
        const uint begin = min(row + (uint)q, t.rows - 1) * t.fours;
        WW_SOFT_UNROLL for (int k = 0; k < count; k += 4) {
            const float4 some = WW_FOURS_OF(table + t.first)[begin + min(four + (uint)k / 4, t.fours - 1)];
            WW_SOFT_UNROLL for (int r = 0; r < 4; r++)
                costs[q * count + k + r] = ww_at_of(some, r) * scale;
        }
    }
}
#elif WW_SOFT_SEVERAL
// Sums go over the channels in their order, as in a table. A channel's points are read while the one before is computed.
WW_INLINE void ww_soft_costs(float *costs, __local const float4 (*x)[WW_WG], __local const float4 (*y)[WW_WG], uint lane, uint row,
                             const int rows, const int count, float scale) {
    float4 next = x[0][lane], next_others[WW_COLS / 4];
    WW_SOFT_UNROLL for (int k = 0; k < count / 4; k++)
        next_others[k] = y[k * WW_CHANNELS][lane];
    WW_SOFT_UNROLL for (int k = 0; k < rows * count; k++)
        costs[k] = 0;
#pragma unroll 1
    for (int c = 0; c < WW_CHANNELS; c++) {
        const float4 points = next;
        const int after = min(c + 1, WW_CHANNELS - 1);
        next = x[after][lane];
        WW_SOFT_UNROLL for (int k = 0; k < count; k += 4) {
            const float4 others = next_others[k / 4];
            next_others[k / 4] = y[k / 4 * WW_CHANNELS + after][lane];
            WW_SOFT_UNROLL for (int q = 0; q < rows; q++) {
                const float point = ww_at_of(points, rows == 1 ? (int)row : q);
                WW_SOFT_UNROLL for (int r = 0; r < 4; r++) {
                    const float t = point - ww_at_of(others, r), cost = costs[q * count + k + r];
                    costs[q * count + k + r] = WW_COST == WWK_COST_ABSOLUTE ? cost + fabs(t) : fma(t, t, cost);
                }
            }
        }
    }
    WW_SOFT_UNROLL for (int k = 0; k < rows * count; k++)
        costs[k] = scale * (WW_COST == WWK_COST_EUCLIDEAN ? sqrt(costs[k]) : costs[k]);
}
#endif
// The tables as kernels are given them, and as a strip or a way has them.
#if WW_TABLED
#define WW_SOFT_TABLE , __global const float *restrict table
#define WW_SOFT_HAS_TABLE(of, number) (of).table = table, (of).costs = ww_soft_table_of(tasks, number);
#else
#define WW_SOFT_TABLE
#define WW_SOFT_HAS_TABLE(of, number)
#endif
#if WW_WEIGHTS_TABLED
#define WW_SOFT_WEIGHTS , __global float *restrict weights
#define WW_SOFT_HAS_WEIGHTS(of) (of).weights = weights;
#else
#define WW_SOFT_WEIGHTS
#define WW_SOFT_HAS_WEIGHTS(of)
#endif
// Whether a pair's last cell is in the last row of a block, in launches of whole pairs: then its A, 1, is as if handed up there.
WW_INLINE bool ww_soft_ends_below(bool whole, uint n) {
    return whole && n % WW_ROWS == 0;
}

#if WW_SOFT_WIDE
// A double's high word, and a double in the middle of those that have it.
#define WW_HIGH(a) as_float(as_uint2(a).y)
#define WW_FROM_HIGH(a) as_double((uint2)(0x80000000u, as_uint(a)))
// A row of `columns` cells by products, of point x and b[]: c[], P of the row above, becomes the row's. `value` is P to the left, `last`
// above that. high[]: the high words of the cells; factors[]: their exponentials, or 0. Gives the last cell.
WW_INLINE double ww_soft_product_row(float x, const float *b, double *c, double value, double last, const int columns, float *high,
                                  float *factors) {
    const float scale = 1;
    WW_SOFT_UNROLL for (int r = 0; r < columns; r++) {
        const float factor = ww_exp2(-scale * ww_soft_cost(x, b[r]));
        const double up = c[r], wide = ww_wide(factor);
        value = fma(wide, value, wide * (up + last));
        last = up;
        c[r] = value;
        high[r] = WW_HIGH(value);
        if (factors)
            factors[r] = factor;
    }
    return value;
}
#endif
