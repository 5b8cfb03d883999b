// SPDX-License-Identifier: Apache-2.0
// Gradients of soft-DTW in float, behind gradient_soft_forward.cl, by tiles:
//
//   ww_soft_backward  the adjoint A(i,j) = dV/dD(i,j), the share of the paths that go through (i,j), up the strips; the slope by
//                     a point is the sum of A times the slope of the cell's cost
//
// A work-item computes strips of a pair from the last row-step up (gradient_soft_places.cl). What A the row below hands on is in
// local memory and, between chunks, in `adjoints`. A block is taken in parts of WW_PART columns, from the right. A part is computed again
// from its checkpoint, as the pass forward has computed it:
//   by products: the notes are P, the high words of doubles, and the base. B(i,j), the sum over the successors s of
//       exp(-c(s)/gamma) B(s), as P is, and A = P B. Up a strip B is handed on as it is
//   by pairs: the notes are R. Each cell keeps which shares its neighbours above and on the diagonal have in it, and A goes
//       back by these
// Between strips, and between a block of the one kind and one of the other, A is handed on. Where A is below what float holds,
// it is lost, and means nothing: it is a probability. B stays within its range: what is handed on is at most the reciprocal of P of
// where it goes, and exp(-c/gamma) is at most 1.
//
// Over gradient_backward.cl it wins, besides the exponentials: with whole pairs only what counts is followed, WW_SOFT_COUNTS of the
// paths: each work-item is at a block of its own, and takes the next pair when it is through with one. What a block needs is
// requested into local memory while that below is computed.
//
// Local memory of a work-item, its own: A or B, WW_COLS of them; points and slopes of columns; for each set of requests 2 +
// WW_CHECKPOINT_FOURS fours and a word, and points and slopes of rows. At most 1536 bytes, of which a group then has 48 KiB: with several
// channels 264 and 176 a channel, or 96 with WW_WEIGHTS_TABLED. With WW_CHAINED a word of the group, and a barrier at the beginning. No
// others.
//
// With WW_WEIGHTS_TABLED W of what is not followed is 0.

// What the next strip begins with is requested as soon as that is known, into a set of its own, where copies are asynchronous; with
// several channels, where a block takes longer, that was no faster.
#define WW_SOFT_EARLY (WW_ASYNC && !WW_SOFT_SEVERAL)
#define WW_SOFT_SETS (1 + WW_SOFT_EARLY)
// Of a set, what comes from the right, with one channel points and slopes of x, then the checkpoint.
#define WW_SOFT_NOTED (WW_SOFT_POINTED ? 3 : 1)
#define WW_SOFT_REQUESTS (WW_SOFT_NOTED + WW_CHECKPOINT_FOURS + 1)
// Less of the paths than this is not followed.
#define WW_SOFT_COUNTS 0x1p-28f
// Columns whose points and slopes are kept; of several channels fours of both.
#define WW_SOFT_POINTS (WW_SOFT_POINTED ? WW_COLS : 1)
#define WW_SOFT_FOURS (WW_COLS / 4 * WW_CHANNELS)
// Slopes of several channels are summed here.
#define WW_SOFT_SUMS (WW_SOFT_SEVERAL && !WW_WEIGHTS_TABLED)
#if WW_SOFT_WIDE
typedef double ww_soft_adjoint;
#else
typedef float ww_soft_adjoint;
#endif

// A work-item's local memory: points and slopes of a strip's columns; A, or B, that is handed up them; the next strip's points; of a
// block what comes from the right, points and slopes of x, and its checkpoint; and the base of that. Of several channels points are where
// they were requested (`turn`, `x`); both sides' slopes in fours.
typedef struct {
    __local float (*points)[WW_WG], (*y_slopes)[WW_WG];
    __local ww_soft_adjoint (*handed)[WW_WG];
    __local float4 (*turn)[WW_WG], (*ahead)[WW_WG], (*x)[WW_WG], (*sums)[WW_WG];
    __local float (*bases)[WW_WG];
    __global const float *packed, *slopes;
    __global float *adjoints;
    uint lane;
} ww_soft_item;
// A pair on its way back.
typedef struct {
    uint number, tall, checkpoint_row, base_at;
    uint end_column;             // the last, where A enters from below; else far
    ulong place;                 // of the pair, in fours of one channel: `tall` of x, those of y, and in `adjoints` the corners
    __global const float4 *checkpoints;
    uint i, j, turns;            // the block; strips so far
    uint least_row, next_row, next_least;  // where the strip to the right has handed on what counts: to the last, and from the first
    float root, origin, carried;           // `carried`: for the corner of the row-step below
    float handed_base;                     // WW_SOFT_FAR: A is handed up the strip; else B of products with this base
#if WW_TABLED
    __global const float *table;
#endif
#if WW_WEIGHTS_TABLED
    __global float *weights;
    ww_soft_table costs;
#endif
} ww_soft_way;
// The checkpoint of its block, and of the block above.
typedef struct {
    __local float4 (*now)[WW_WG];
    __global const float4 *own, *above;
    __global const float *own_base, *above_base;
    uint row_above;
    bool asked;  // what comes from the right of the row above can be requested
} ww_soft_checkpoint;
// A row of blocks' values: points and slopes; A from the right, then A to the left; A for the corner; the most that goes upwards.
typedef struct {
    float x[WW_ROWS], x_slope[WW_ROWS], from_right[WW_ROWS], corner, upwards;
} ww_soft_rows;

// ---- requests

WW_INLINE void ww_request_rows(const ww_soft_way *way, const ww_soft_item *item, uint turn, uint row) {
    __local float4 (*to)[WW_WG] = item->ahead + turn % WW_SOFT_SETS * WW_SOFT_REQUESTS;
    ww_copy_ahead(&to[0][item->lane], WW_FOURS_OF(item->adjoints) + way->place + row);
#if WW_SOFT_POINTED
    ww_copy_ahead(&to[1][item->lane], WW_FOURS_OF(item->packed) + way->place + row);
    ww_copy_ahead(&to[2][item->lane], WW_FOURS_OF(item->slopes) + way->place + row);
#elif WW_SOFT_SEVERAL
    to = item->x + WW_SOFT_X(row);
    WW_SOFT_UNROLL for (uint c = 0; c < WW_CHANNELS; c++)
        ww_copy_ahead(&to[c][item->lane], WW_FOURS_OF(item->packed) + (way->place + row) * WW_CHANNELS + c);
#endif
}
WW_INLINE void ww_request_corner(const ww_soft_way *way, const ww_soft_item *item, __local float4 (*to)[WW_WG],
                                 __global const float4 *checkpoint, uint row) {
    ww_copy_ahead(&to[WW_SOFT_NOTED + WW_CHECKPOINT_FOURS][item->lane],
                  checkpoint + WW_CHECKPOINT_LEFT(0) * WW_STRIDE - (row ? way->checkpoint_row : 0));
}
// All of the first block of a strip, and its points, for a turn.
WW_INLINE void ww_request_strip(const ww_soft_way *way, const ww_soft_item *item, uint turn, __global const float4 *checkpoint,
                                __global const float *base, uint strip) {
    __local float4 (*to)[WW_WG] = item->ahead + turn % WW_SOFT_SETS * WW_SOFT_REQUESTS;
    ww_request_rows(way, item, turn, way->i);
    ww_request_corner(way, item, to, checkpoint, way->i);
    ww_word_ahead(&item->bases[turn % WW_SOFT_SETS][item->lane], base);
    WW_SOFT_UNROLL for (int k = 0; k < WW_CHECKPOINT_FOURS; k++)
        ww_copy_ahead(&to[WW_SOFT_NOTED + k][item->lane], checkpoint + (k < WW_COLS / 4 ? ww_checkpoint_at((uint)k, way->number) : k * WW_STRIDE));
    WW_SOFT_UNROLL for (uint k = 0; k < WW_SOFT_FOURS && !WW_TABLED; k++)
        ww_copy_ahead(&item->turn[k][item->lane],
                      WW_FOURS_OF(item->packed) + (way->place + way->tall) * WW_CHANNELS + strip * WW_SOFT_FOURS + k);
}
// Of the block above, when this one's part is read: its checkpoint's part; with the last part what is the row's, and the corner.
WW_INLINE void ww_request_part(const ww_soft_way *way, const ww_soft_item *item, const ww_soft_checkpoint *checkpoint, int part) {
    const uint lane = item->lane;
    ww_copy_ahead(&checkpoint->now[WW_SOFT_NOTED + WW_CHECKPOINT_LEFT(part)][lane], checkpoint->above + WW_CHECKPOINT_LEFT(part) * WW_STRIDE);
    WW_SOFT_UNROLL for (int k = 0; k < WW_PART / 4; k++)
        ww_copy_ahead(&checkpoint->now[WW_SOFT_NOTED + part * (WW_PART / 4) + k][lane],
                      checkpoint->above + ww_checkpoint_at((uint)(part * (WW_PART / 4) + k), way->number));
    if (part == WW_PARTS_OF_BLOCK - 1) {
        if (!WW_CHAINED || checkpoint->asked)
            ww_request_rows(way, item, way->turns, checkpoint->row_above);
        ww_request_corner(way, item, checkpoint->now, checkpoint->above, checkpoint->row_above);
        ww_word_ahead(&item->bases[way->turns % WW_SOFT_SETS][lane], checkpoint->above_base);
    }
}

// ---- a block

// The slope of the cost of two points as they are here, over WW_SOFT_SLOPE_UNIT.
WW_INLINE float ww_soft_slope(float x, float y) {
#if !WW_SOFT_POINTED
    return 0;
#elif WW_COST == WWK_COST_SQUARED
    return x - y;
#else
    ww_point a, b;
    a.value[0] = x;
    b.value[0] = y;
    return ww_cost_slope(a, b, 0);
#endif
}
// The points of a part's columns, or the costs of its cells.
WW_INLINE void ww_part_costs(const ww_soft_way *way, const ww_soft_item *item, float *b, int part, float scale) {
#if WW_SOFT_POINTED
    WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
        b[r] = item->points[part * WW_PART + r][item->lane];
#elif WW_SOFT_SEVERAL
    ww_soft_costs(b, item->x + WW_SOFT_X(way->i), item->turn + part * (WW_PART / 4) * WW_CHANNELS, item->lane, 0, WW_ROWS, WW_PART, scale);
#else
    ww_soft_costs(b, way->table, way->costs, way->i * WW_ROWS, WW_ROWS, (way->j * WW_COLS + (uint)part * WW_PART) / 4, WW_PART, scale);
#endif
}
#if WW_SOFT_SUMS
// Adds the slopes of a part's cells, of W.
WW_INLINE void ww_part_slopes(const ww_soft_way *way, const ww_soft_item *item, const float *weights, int part) {
    const uint lane = item->lane;
    __local const float4 (*x)[WW_WG] = item->x + WW_SOFT_X(way->i), (*y)[WW_WG] = item->turn + part * (WW_PART / 4) * WW_CHANNELS;
    __local float4 (*by_y)[WW_WG] = item->sums + WW_CHANNELS + part * (WW_PART / 4) * WW_CHANNELS;
    ww_copy_wait_marked();
    float4 next = x[0][lane], next_others[WW_PART / 4];
    WW_SOFT_UNROLL for (int k = 0; k < WW_PART / 4; k++)
        next_others[k] = y[k * WW_CHANNELS][lane];
#pragma unroll 1
    for (int c = 0; c < WW_CHANNELS; c++) {
        const float4 points = next, before = item->sums[c][lane];
        const int after = min(c + 1, WW_CHANNELS - 1);
        float by_x[WW_ROWS];
        next = x[after][lane];
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
            by_x[q] = ww_at_of(before, q);
        WW_SOFT_UNROLL for (int k = 0; k < WW_PART / 4; k++) {
            const float4 others = next_others[k];
            float by[4] = {0, 0, 0, 0};
            next_others[k] = y[k * WW_CHANNELS + after][lane];
            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
                WW_SOFT_UNROLL for (int r = 0; r < 4; r++) {
                    const float t = ww_at_of(points, q) - ww_at_of(others, r), slope = WW_COST == WWK_COST_ABSOLUTE ? ww_sign(t) : t;
                    by_x[q] = fma(weights[q * WW_PART + 4 * k + r], slope, by_x[q]);
                    by[r] = fma(weights[q * WW_PART + 4 * k + r], slope, by[r]);
                }
            }
            by_y[k * WW_CHANNELS + c][lane] -= (float4)(by[0], by[1], by[2], by[3]);
        }
        item->sums[c][lane] = (float4)(by_x[0], by_x[1], by_x[2], by_x[3]);
    }
}
#endif
// W of a part's cells, of their A; stores it, or adds the slopes.
WW_INLINE void ww_part_weights(const ww_soft_way *way, const ww_soft_item *item, float *shares, int part) {
#if !WW_SOFT_POINTED
    float costs[WW_ROWS * WW_PART];
    if (WW_COST == WWK_COST_EUCLIDEAN)
        ww_part_costs(way, item, costs, part, 1);
    WW_SOFT_UNROLL for (int k = 0; k < WW_ROWS * WW_PART; k++)
        shares[k] = WW_COST == WWK_COST_EUCLIDEAN ? ww_share(shares[k], costs[k]) : WW_COST == WWK_COST_SQUARED ? 2 * shares[k] : shares[k];
#if WW_SOFT_SUMS
    ww_part_slopes(way, item, shares, part);
#else
    const uint row = way->i * WW_ROWS, four = (way->j * WW_COLS + (uint)part * WW_PART) / 4;
    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
        WW_SOFT_UNROLL for (uint k = 0; k < WW_PART / 4; k++) {
            const float *some = &shares[q * WW_PART + 4 * k];
            if (row + q < way->costs.rows && four + k < way->costs.fours)
                WW_FOURS(way->weights + way->costs.first)[(row + q) * way->costs.fours + four + k] =
                    (float4)(some[0], some[1], some[2], some[3]);
        }
    }
#endif
#endif
}
// Else the compiler keeps in registers, for each cell, what it can compute again from these. `hidden` is 0, which no compiler
// can know: NVIDIA's sees through ww_rename().
WW_INLINE void ww_soft_forget(ww_soft_rows *rows, float *first, float *second, uint hidden) {
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
        rows->x[q] = as_float(as_uint(rows->x[q]) | hidden);
    WW_SOFT_UNROLL for (int k = 0; k < WW_ROWS * WW_PART; k++) {
        ww_rename(first[k]);
        ww_rename(second[k]);
    }
}

#if WW_SOFT_WIDE
// The reciprocal of a positive double that is far from the ends of its range.
WW_INLINE double ww_wide_recip(double a) {
    const uint high = as_uint2(a).y, part = as_uint(ww_recip(as_float(((high & 0xfffffu) << 3) | 0x3f800000u)));
    return as_double((uint2)(0, (part >> 3) + ((1919u - (high >> 20)) << 20)));
}
// a times b, from 0 to 1, as a float, from the double's high word: an error of 2^-21, and of 2^-120.
WW_INLINE float ww_wide_product(double a, double b) {
    return as_float((as_uint2(fma(a, b, 0x1p-120)).y << 3) + 0x40000004u);
}
// A part by products, computed again from its checkpoint: its points b, P of its cells, and their exponentials. Gives P to its left;
// corner_high: P above that.
WW_INLINE float4 ww_part_products(const ww_soft_way *way, const ww_soft_item *item, const ww_soft_checkpoint *checkpoint, const ww_soft_rows *rows, int part,
                                  float base, float corner_high, float *b, float *kept, float *factors) {
    __local float4 (*now)[WW_WG] = checkpoint->now;
    const uint lane = item->lane;
    double c[WW_PART];
    float4 leftmost = now[WW_SOFT_NOTED + WW_CHECKPOINT_LEFT(part)][lane];
    if (part == 0)
        leftmost = (float4)(WW_HIGH(ww_wide_exp2(base - leftmost.x)), WW_HIGH(ww_wide_exp2(base - leftmost.y)),
                            WW_HIGH(ww_wide_exp2(base - leftmost.z)), WW_HIGH(ww_wide_exp2(base - leftmost.w)));
    WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
        c[r] = WW_FROM_HIGH(ww_at_of(now[WW_SOFT_NOTED + part * (WW_PART / 4) + r / 4][lane], r % 4));
    }
    ww_part_costs(way, item, b, part, way->root);
    double last = WW_FROM_HIGH(part ? now[WW_SOFT_NOTED - 1 + part * (WW_PART / 4)][lane].w : corner_high);
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
        const double left = WW_FROM_HIGH(ww_at_of(leftmost, q));
        ww_soft_product_row(rows->x[q], &b[WW_SOFT_ROW(q, WW_PART)], c, left, last, WW_PART, &kept[q * WW_PART], &factors[q * WW_PART]);
        last = left;
    }
    return leftmost;
}
// A of a part's cells, P B, and their slopes. h: exp(-c/gamma) B of the row below; before the last row what comes from all below it.
// from_part: the same from the right, then what goes to the left.
WW_INLINE void ww_part_adjoints(const ww_soft_way *way, const ww_soft_item *item, ww_soft_rows *rows, int part, const float *b, const float *kept, const float *factors, double *h,
                                double *from_part, float *y_slope) {
    float shares[WW_ROWS * WW_PART];
    WW_SOFT_UNROLL for (int q = WW_ROWS - 1; q >= 0; q--) {
        double right = from_part[q], diagonal = 0;
        const double before = q == WW_ROWS - 1 ? 0 : h[0];
        WW_SOFT_UNROLL for (int r = WW_PART - 1; r >= 0; r--) {
            const double all = q == WW_ROWS - 1 || r == WW_PART - 1 ? right + h[r] : right + (h[r] + diagonal);
            const float share = ww_wide_product(WW_FROM_HIGH(kept[q * WW_PART + r]), all);
            const float slope = ww_soft_slope(rows->x[q], b[r]);
            shares[q * WW_PART + r] = share;
            rows->x_slope[q] = fma(share, slope, rows->x_slope[q]);
            y_slope[r] = fma(-share, slope, y_slope[r]);
            rows->upwards = q == 0 ? fmax(rows->upwards, share) : rows->upwards;
            diagonal = h[r];
            right = all * ww_wide(factors[q * WW_PART + r]);
            h[r] = right;
        }
        from_part[q] = right + before;
    }
    ww_part_weights(way, item, shares, part);
}
// By products. `hands_a`: the row above came as R, then A is handed up and between parts: P that is computed there is not rounded as
// P here is.
WW_INLINE void ww_back_by_products(ww_soft_way *way, const ww_soft_item *item, const ww_soft_checkpoint *checkpoint, ww_soft_rows *rows,
                                   float base, bool hands_a, float corner_checkpoint, uint hidden) {
    __local float4 (*now)[WW_WG] = checkpoint->now;
    const uint lane = item->lane;
    // B times 2^-base; from the right at first A.
    double from_part[WW_ROWS], corner_part = 0;
    float4 leftmost = 0;
    const float corner_high = WW_HIGH(ww_wide_exp2(base - corner_checkpoint));
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
        from_part[q] = rows->from_right[q];
    const double shift = fabs(way->handed_base) < WW_SOFT_FAR ? ww_wide_power(way->handed_base - base) : 1.0;
#pragma unroll 1
    for (int part = WW_PARTS_OF_BLOCK - 1; part >= 0; part--) {
        const int first = part * WW_PART;
        float b[WW_SOFT_ROW(WW_ROWS - 1, WW_PART) + WW_PART], y_slope[WW_PART], kept[WW_ROWS * WW_PART], factors[WW_ROWS * WW_PART];
        double h[WW_PART];
        leftmost = ww_part_products(way, item, checkpoint, rows, part, base, corner_high, b, kept, factors);
        WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
            h[r] = shift * item->handed[first + r][lane];
            y_slope[r] = 0;
        }
        if (hands_a) {
            WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
                item->handed[first + r][lane] = WW_FROM_HIGH(ww_at_of(now[WW_SOFT_NOTED + part * (WW_PART / 4) + r / 4][lane], r % 4));
        }
        ww_request_part(way, item, checkpoint, part);
        ww_soft_forget(rows, kept, factors, hidden);
        if (way->handed_base >= WW_SOFT_FAR) {
            WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
                h[r] *= ww_wide_recip(WW_FROM_HIGH(kept[(WW_ROWS - 1) * WW_PART + r]));
        }
        if (part == WW_PARTS_OF_BLOCK - 1 || hands_a) {
            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                from_part[q] *= ww_wide_recip(WW_FROM_HIGH(kept[q * WW_PART + WW_PART - 1]));
        }
        ww_part_adjoints(way, item, rows, part, b, kept, factors, h, from_part, y_slope);
        const double to_corner = h[0];
        WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
            h[r] += r + 1 < WW_PART ? h[r + 1 < WW_PART ? r + 1 : 0] : corner_part;
            if (WW_SOFT_POINTED)
                item->y_slopes[WW_SOFT_POINTED ? first + r : 0][lane] += y_slope[r];
        }
        corner_part = to_corner;
        if (hands_a) {
            WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
                h[r] *= item->handed[first + r][lane];
            if (part) {
                WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                    from_part[q] *= WW_FROM_HIGH(ww_at_of(leftmost, q));
            }
        }
        WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
            item->handed[first + r][lane] = h[r];
    }
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
        rows->from_right[q] = ww_wide_product(WW_FROM_HIGH(ww_at_of(leftmost, q)), from_part[q]);
    rows->corner = ww_wide_product(WW_FROM_HIGH(corner_high), corner_part);
    way->handed_base = hands_a ? WW_SOFT_FAR : base;
}
#endif

// Shares of the neighbours above (first) and on the diagonal in a cell.
WW_INLINE void ww_soft_shares(ww_soft_pair cell, float *first, float *second) {
    const float all = ww_recip(cell.sum), straight = cell.lesser < cell.from.last ? all : all * cell.other;
    *first = (cell.from.value < cell.up ? cell.up_sum * cell.side : cell.up_sum) * straight;
    *second = (cell.lesser < cell.from.last ? cell.from.last_sum * cell.other : cell.from.last_sum) * all;
}
// What row r of a part hands on, as A.
WW_INLINE float ww_handed_adjoint(const ww_soft_way *way, ww_soft_adjoint handed, float above, float sum) {
#if WW_SOFT_WIDE
    if (way->handed_base < WW_SOFT_FAR)
        handed *= ww_wide_exp2(way->handed_base - (above - ww_log2(sum)));
    return convert_float(handed);
#else
    return handed;
#endif
}
// By pairs. `ends_here`: the matrix' last cell is in the block, and A does not enter from below.
WW_INLINE void ww_back_by_pairs(ww_soft_way *way, const ww_soft_item *item, const ww_soft_checkpoint *checkpoint, ww_soft_rows *rows,
                                uint n, uint m, bool ends_here, float corner_checkpoint, uint hidden) {
    __local float4 (*now)[WW_WG] = checkpoint->now;
    const uint lane = item->lane;
    float *x = rows->x;
#pragma unroll 1
    for (int part = WW_PARTS_OF_BLOCK - 1; part >= 0; part--) {
        const int first = part * WW_PART;
        float b[WW_SOFT_ROW(WW_ROWS - 1, WW_PART) + WW_PART], above[WW_PART], sum[WW_PART], v[WW_ROWS], below[WW_PART], y_slope[WW_PART], to_left[WW_ROWS];
        float kept_first[WW_ROWS * WW_PART], kept_second[WW_ROWS * WW_PART], shares[WW_ROWS * WW_PART], to_corner = 0;
        float corner = part ? now[WW_SOFT_NOTED - 1 + part * (WW_PART / 4)][lane].w : corner_checkpoint;
        const float4 left = now[WW_SOFT_NOTED + WW_CHECKPOINT_LEFT(part)][lane];
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
            v[q] = ww_at_of(left, q);
        WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
            above[r] = ww_at_of(now[WW_SOFT_NOTED + part * (WW_PART / 4) + r / 4][lane], r % 4);
            y_slope[r] = 0;
            sum[r] = 1;
        }
        const uint end_row = n - 1 - way->i * WW_ROWS, end_column = m - 1 - (way->j * WW_COLS + first);
        const int end = ends_here && end_column < WW_PART ? (int)(end_row * WW_PART + end_column) : -1;
        ww_soft_rename(x);
        ww_part_costs(way, item, b, part, way->root);
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
            ww_soft_beside beside = ww_soft_beside_of(v[q], corner);
            corner = v[q];
            WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
                const ww_soft_pair cell = ww_soft_pair_of(beside, above[r], sum[r], x[q], b[WW_SOFT_ROW(q, WW_PART) + r], 1, false);
                ww_soft_shares(cell, &kept_first[q * WW_PART + r], &kept_second[q * WW_PART + r]);
                beside = ww_soft_beside_after(cell);
                above[r] = cell.value;
                sum[r] = cell.sum;
            }
        }
        ww_request_part(way, item, checkpoint, part);
        ww_soft_forget(rows, kept_first, kept_second, hidden);
        WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++)
            below[r] = ww_handed_adjoint(way, item->handed[first + r][lane], above[r], sum[r]);
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
            to_left[q] = 0;
        WW_SOFT_UNROLL for (int q = WW_ROWS - 1; q >= 0; q--) {
            float from_cell = rows->from_right[q], pending = 0;
            WW_SOFT_UNROLL for (int r = WW_PART - 1; r >= 0; r--) {
                const float all = end == q * WW_PART + r ? 1.0f : below[r] + from_cell;
                const float up = all * kept_first[q * WW_PART + r], diagonal = all * kept_second[q * WW_PART + r];
                const float leftwards = fmax(all - up - diagonal, 0.0f);
                const float slope = ww_soft_slope(x[q], b[r]);
                shares[q * WW_PART + r] = all;
                rows->x_slope[q] = fma(all, slope, rows->x_slope[q]);
                y_slope[r] = fma(-all, slope, y_slope[r]);
                rows->upwards = q == 0 ? fmax(rows->upwards, all) : rows->upwards;
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
        ww_part_weights(way, item, shares, part);
        below[WW_PART - 1] += rows->corner;
        rows->corner = to_corner;
        WW_SOFT_UNROLL for (int r = 0; r < WW_PART; r++) {
            item->handed[first + r][lane] = below[r];
            if (WW_SOFT_POINTED)
                item->y_slopes[WW_SOFT_POINTED ? first + r : 0][lane] += y_slope[r];
        }
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
            rows->from_right[q] = to_left[q];
    }
    way->handed_base = WW_SOFT_FAR;
}

// ---- a pair, and a strip

// With WW_CHAINED `tall` is known: read again, it makes ptxas (13, sm_90) spill.
WW_INLINE void ww_begin_pair(ww_soft_way *way, const ww_gradient_args args, __global const ww_gradient_task *tasks,
                             __global const float *checkpoints, __global const float *more_checkpoints, uint tall) {
    const uint n = tasks[way->number].n, m = tasks[way->number].m;
    way->end_column = ww_soft_ends_below(WW_SOFT_WHOLE, n) ? m - 1 : 0xffffffffu;
    way->tall = tall;
#if WW_WEIGHTS_TABLED
    way->costs = ww_soft_table_of(tasks, way->number);
#endif
    way->place = tasks[way->number].x / (4 * WW_CHANNELS);
    way->checkpoints = WW_FOURS_OF((tasks[way->number].later ? more_checkpoints : checkpoints) + tasks[way->number].checkpoints);
    const uint checkpoint_columns = args.segment_columns ? args.checkpoint_columns : tasks[way->number].wide;
    way->checkpoint_row = WW_CHECKPOINT_ROW(checkpoint_columns);
    way->base_at = ww_base_at(checkpoint_columns, 0, way->number);
    if (WW_SOFT_WHOLE) {
        way->j = (m - 1) / WW_COLS;
        way->i = way->least_row = (n - 1) / WW_ROWS;
    }
}
// Where the slopes of several channels of a strip's columns are.
#define ww_slopes_of_strip(way, values) (WW_FOURS(values) + ((way)->place + (way)->tall) * WW_CHANNELS + (way)->j * WW_SOFT_FOURS)
// The points of a strip's columns, and what is handed up them to begin with.
WW_INLINE void ww_begin_strip(ww_soft_way *way, const ww_soft_item *item, const ww_gradient_args args, float slope_scale) {
    const uint lane = item->lane, j = way->j;
    const bool ends_below = WW_SOFT_WHOLE && way->end_column / WW_COLS == j;
    way->origin = WW_SOFT_POINTED ? ww_soft_origin(item->turn[0][lane].x, way->root) : 0;
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS && WW_SOFT_POINTED; r++)
        item->points[r][lane] = ww_soft_scaled(ww_at_of(item->turn[r / 4][lane], r % 4), way->root, way->origin);
    if (!WW_SOFT_CHUNKS) {
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
            item->y_slopes[WW_SOFT_POINTED ? r : 0][lane] = 0;
            item->handed[r][lane] = 0;
        }
        if (ends_below)
            item->handed[way->end_column % WW_COLS][lane] = 1;
    } else {
#pragma unroll 4
        for (int r = 0; r < WW_COLS; r++) {
            if (WW_SOFT_POINTED)
                item->y_slopes[WW_SOFT_POINTED ? r : 0][lane] = item->slopes[4 * (way->place + way->tall) + j * WW_COLS + r] * slope_scale;
            item->handed[r][lane] = item->adjoints[4 * (way->place + way->tall) + j * WW_COLS + r];
        }
    }
    WW_SOFT_UNROLL for (int k = 0; k < WW_SOFT_FOURS && WW_SOFT_SUMS; k++)
        item->sums[WW_CHANNELS + k][lane] = WW_SOFT_CHUNKS ? ww_slopes_of_strip(way, item->slopes)[k] : (float4)0;
    way->carried = 0;
    // Zeros are B as well as A.
    way->handed_base = WW_CHAINED || (WW_SOFT_WHOLE && !ends_below) ? -WW_SOFT_FAR : WW_SOFT_FAR;
}
// A strip's slopes, and what its chunk leaves.
WW_INLINE void ww_end_strip(const ww_soft_way *way, const ww_soft_item *item, const ww_gradient_args args, __global float *slopes,
                            float slope_unit, uint wide, uint from) {
    const uint lane = item->lane;
    __local float (*const y)[WW_WG] = item->y_slopes;
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS && WW_SOFT_POINTED; r += 4)
        WW_FOURS(slopes)[way->place + way->tall + way->j * (WW_COLS / 4) + r / 4] =
            slope_unit * (float4)(y[r][lane], y[r + 1][lane], y[r + 2][lane], y[r + 3][lane]);
    WW_SOFT_UNROLL for (int k = 0; k < WW_SOFT_FOURS && WW_SOFT_SUMS; k++)
        ww_slopes_of_strip(way, slopes)[k] = item->sums[WW_CHANNELS + k][lane];
    if (WW_SOFT_CHUNKS) {
        // The corner above the chunk is in the strip to the left: it is added to what that strip hands on.
        __global float *corner = item->adjoints + 4 * way->place + way->tall * WW_ROWS + wide * WW_COLS + from;
        item->handed[WW_COLS - 1][lane] += *corner;
        *corner = way->carried;
#pragma unroll 4
        for (int r = 0; r < WW_COLS; r++)
            item->adjoints[4 * (way->place + way->tall) + way->j * WW_COLS + r] = item->handed[r][lane];
    }
}

WW_INLINE void ww_begin_way(ww_soft_way *way, const float soft_scale) {
    way->next_row = way->next_least = way->turns = 0;
    way->root = WW_SOFT_ROOT(soft_scale);
    way->origin = way->carried = 0;
    way->handed_base = WW_SOFT_FAR;
}
// The strip to the right of strip j, if there is one up to column `end`, is the one before.
WW_INLINE ww_soft_chain ww_chain_back(__global float *head, const ww_gradient_args args, uint number, uint j, uint end) {
    ww_soft_chain chained;
    chained.own = ww_chain_word(head, args, number, j);
    chained.before = chained.own + 1;
    chained.seen = chained.newest = j + 1 < end ? 0 : 0xffffffffu;
    return chained;
}
// The block hands to the strip to the left what counts; `first` of its strip. `early`: the first block there is requested now.
WW_INLINE void ww_reach_left(ww_soft_way *way, const ww_soft_item *item, const ww_soft_checkpoint *checkpoint, bool first, bool early) {
    way->next_least = way->i;
    if (first) {
        way->next_row = way->i;
        if (early)
            ww_request_strip(way, item, way->turns + 1, checkpoint->own - WW_CHECKPOINT_FOURS * WW_STRIDE, checkpoint->own_base - WW_STRIDE,
                             way->j - 1);
    }
}
WW_INLINE void ww_next_strip(ww_soft_way *way) {
    way->j--;
    way->turns++;
    way->i = way->next_row;
    way->least_row = way->next_least;
}
// The next pair that no work-item has: their ways differ in length. False: there is none.
WW_INLINE bool ww_next_pair(ww_soft_way *way, const ww_gradient_args args, __global float *head) {
    const uint next = (uint)get_global_size(0) + atomic_inc((volatile __global uint *)head);
    way->number = args.first + next;
    return next < args.count;
}

// ---- a row-step

// The checkpoint of the way's block, in column `column` of those that are noted. `more`: there is a block above, whose checkpoint is
// requested while this one is computed.
WW_INLINE void ww_place_checkpoint(ww_soft_checkpoint *checkpoint, const ww_soft_way *way, const uint column, const bool more) {
    __global const float4 *row = way->checkpoints + (ulong)way->i * way->checkpoint_row;
    checkpoint->own = row + column * WW_CHECKPOINT_FOURS * (uint)WW_STRIDE;
    checkpoint->above = checkpoint->own - (more ? way->checkpoint_row : 0);
    checkpoint->own_base = (__global const float *)row + column * (uint)WW_STRIDE + way->base_at;
    checkpoint->above_base = checkpoint->own_base - (more ? way->checkpoint_row * 4 : 0);
}
WW_INLINE void ww_take_rows(ww_soft_rows *rows, const ww_soft_way *way, const ww_soft_item *item, const ww_soft_checkpoint *checkpoint,
                            const float slope_scale) {
    const uint lane = item->lane;
    const float4 right = checkpoint->now[0][lane], point = WW_SOFT_POINTED ? checkpoint->now[1][lane] : (float4)0;
    const float4 slope = WW_SOFT_POINTED ? checkpoint->now[2][lane] * slope_scale : (float4)0;
    rows->corner = rows->upwards = 0;
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
        rows->x[q] = ww_soft_scaled(ww_at_of(point, q), way->root, way->origin);
        rows->x_slope[q] = ww_at_of(slope, q);
        rows->from_right[q] = ww_at_of(right, q);
    }
    // Of several channels the slopes are there when the first part's A are.
    WW_SOFT_UNROLL for (uint c = 0; c < WW_CHANNELS && WW_SOFT_SUMS; c++)
        ww_copy_ahead(&item->sums[c][lane], WW_FOURS_OF(item->slopes) + (way->place + way->i) * WW_CHANNELS + c);
    ww_copy_mark();
}
// The block, in the way that the pass forward has noted.
WW_INLINE void ww_back_block(ww_soft_way *way, const ww_soft_item *item, const ww_soft_checkpoint *checkpoint, ww_soft_rows *rows,
                             __global const ww_gradient_task *tasks, const float corner_checkpoint, const uint hidden,
                             const ww_gradient_args args) {
#if WW_SOFT_WIDE
    const float noted_base = item->bases[way->turns % WW_SOFT_SETS][item->lane], base = floor(noted_base);
    if (base < WW_SOFT_FAR)
        ww_back_by_products(way, item, checkpoint, rows, base, noted_base > base, corner_checkpoint, hidden);
    else
#endif
    {
        const uint n = tasks[way->number].n, m = tasks[way->number].m;
        const bool ends_here = !ww_soft_ends_below(WW_SOFT_WHOLE, n) && way->i == (n - 1) / WW_ROWS && way->j == (m - 1) / WW_COLS;
        ww_back_by_pairs(way, item, checkpoint, rows, n, m, ends_here, corner_checkpoint, hidden);
    }
}
// Hands A to the strip to the left, and stores the slopes of x. Gives the most of A.
WW_INLINE float ww_hand_left(ww_soft_way *way, const ww_soft_item *item, ww_soft_rows *rows, __global float *adjoints,
                             __global float *slopes, const float slope_unit) {
    float *to_left = rows->from_right;
    to_left[WW_ROWS - 1] += way->carried;
    way->carried = rows->corner;
    WW_FOURS(adjoints)[way->place + way->i] = (float4)(to_left[0], to_left[1], to_left[2], to_left[3]);
    if (WW_SOFT_POINTED)
        WW_FOURS(slopes)[way->place + way->i] =
            slope_unit * (float4)(rows->x_slope[0], rows->x_slope[1], rows->x_slope[2], rows->x_slope[3]);
    WW_SOFT_UNROLL for (uint c = 0; c < WW_CHANNELS && WW_SOFT_SUMS; c++)
        WW_FOURS(slopes)[(way->place + way->i) * WW_CHANNELS + c] = item->sums[c][item->lane];
    return fmax(fmax(to_left[0], to_left[1]), fmax(to_left[2], to_left[3]));
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_soft_backward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                 __global const uint *restrict band, __global const float *restrict packed,
                 __global const float *restrict checkpoints, __global float *restrict adjoints,
                 __global float *restrict slopes, __global float *restrict sums, __global float *restrict alignment,
                 __global const float *restrict more_checkpoints WW_SOFT_TABLE WW_SOFT_WEIGHTS) {
    __local float points[WW_SOFT_POINTS][WW_WG], y_slopes[WW_SOFT_POINTS][WW_WG];
    __local ww_soft_adjoint handed[WW_COLS][WW_WG];
    __local float4 ahead[WW_SOFT_SETS * WW_SOFT_REQUESTS][WW_WG], turn[WW_SOFT_FOURS][WW_WG];
    __local float4 x[WW_SOFT_SEVERAL ? 2 * WW_CHANNELS : 1][WW_WG], slope_sums[WW_SOFT_SUMS ? WW_CHANNELS + WW_SOFT_FOURS : 1][WW_WG];
    __local float bases[WW_SOFT_SETS][WW_WG];
    const uint lane = (uint)get_local_id(0), hidden = args.whole & 2u;
    WW_SOFT_TICKET
    const ww_soft_place at = ww_soft_find(args, tasks, adjoints);
    if (!at.live)
        return;
    const ww_soft_item item = {points, y_slopes, handed, turn, ahead, x, slope_sums, bases, packed, slopes, adjoints, lane};
    ww_soft_way way;
    way.number = at.number;
    way.j = at.strip_end - 1;
    way.i = at.to - 1;
    way.least_row = at.from;
    ww_begin_way(&way, args.parameters.soft_scale);
    WW_SOFT_HAS_TABLE(way, at.number) WW_SOFT_HAS_WEIGHTS(way)
    bool fresh = true, hands_left = false, begins = true;  // of the strip; it has handed on what counts; of the pair
    // What slopes here are times those of the points, and back.
    const float slope_unit = WW_SOFT_SLOPE_UNIT(way.root), slope_scale = 1 / slope_unit;
    ww_soft_chain chained = ww_chain_back(adjoints, args, at.number, way.j, min(args.column_end, tasks[at.number].wide));
#pragma unroll 1
    for (;;) {
        ww_soft_checkpoint checkpoint;
        checkpoint.now = ahead + way.turns % WW_SOFT_SETS * WW_SOFT_REQUESTS;
        if (begins)
            ww_begin_pair(&way, args, tasks, checkpoints, more_checkpoints, WW_CHAINED ? at.to : tasks[way.number].tall);
        const bool more = way.i > at.from;
        checkpoint.row_above = more ? way.i - 1 : way.i;
        ww_place_checkpoint(&checkpoint, &way, way.j - args.column_begin, more);
        const uint needs = way.tall - checkpoint.row_above;
        if (WW_CHAINED && begins)
            ww_chain_wait(&chained, 1);
        checkpoint.asked = !WW_CHAINED || ww_chain_has(&chained, needs, way.tall);
        if (begins || (!WW_SOFT_EARLY && fresh)) {
            // What was requested last, for a row above that is not followed, must not come later.
            ww_copy_wait();
            ww_request_strip(&way, &item, way.turns, checkpoint.own, checkpoint.own_base, way.j);
        }
        begins = false;
        ww_copy_wait();
        if (fresh) {
            ww_begin_strip(&way, &item, args, slope_scale);
            fresh = hands_left = false;
        }
        ww_soft_rows rows;
        const float corner_checkpoint = way.i ? checkpoint.now[WW_SOFT_NOTED + WW_CHECKPOINT_FOURS][lane].w : way.j ? WW_SOFT_FAR : 0.0f;
        ww_take_rows(&rows, &way, &item, &checkpoint, slope_scale);
        ww_back_block(&way, &item, &checkpoint, &rows, tasks, corner_checkpoint, hidden, args);
        if (ww_hand_left(&way, &item, &rows, adjoints, slopes, slope_unit) > WW_SOFT_COUNTS) {
            ww_reach_left(&way, &item, &checkpoint, !hands_left, WW_SOFT_EARLY && WW_SOFT_WHOLE && way.j > at.strip);
            hands_left = true;
        }
        if (WW_CHAINED)
            ww_chain_count(&chained, way.tall - way.i, way.tall);
        if (way.i > at.from && (way.i > way.least_row || rows.upwards > WW_SOFT_COUNTS)) {
            if (WW_CHAINED && !checkpoint.asked) {
                ww_chain_wait(&chained, needs);
                ww_request_rows(&way, &item, way.turns, checkpoint.row_above);
            }
            way.i--;
            continue;
        }
        ww_end_strip(&way, &item, args, slopes, slope_unit, tasks[way.number].wide, at.from);
        fresh = true;
        if (way.j > at.strip && hands_left) {
            ww_next_strip(&way);
            continue;
        }
        if (!WW_SOFT_WHOLE || !ww_next_pair(&way, args, adjoints))
            return;
        begins = true;
    }
}
