// SPDX-License-Identifier: Apache-2.0
// Values of soft-DTW in float, as the pass back needs them (gradient_soft_backward.cl), by tiles:
//
//   ww_soft_forward  R = -log2 P down strips of WW_COLS columns, P(i,j) = exp(-D(i,j)/gamma); the result is D(n,m)
//
// A work-item computes strips of a pair from row-step to row-step (gradient_soft_places.cl). The strip's row is in registers and,
// between chunks, in `carried`. Blocks are computed by products where these hold them, else by pairs (engine/soft_tiles.cl), and
// a group does so together. Over gradient_forward.cl it wins the exponentials: one a cell by products, for three, and no logarithm;
// and that rows need not be read and written between the blocks of a strip.
//
// Noted for the way back, for each block (`checkpoints`): what enters it from above, and what enters its parts from the left. By
// products these are P, the high words of doubles, and the base; by pairs R. Where only the work-items beside one must compute by
// pairs, it notes P, too.
//
// Local memory of a work-item, its own: 2 fours, with several channels 1 and 6 a channel; with WW_CHAINED a word of the group, and a
// barrier at the beginning.

// A strip on its way down; what it takes from the strip before, and what it hands to the next, are rows of fours.
typedef struct {
    uint number, lane, i, j, to;
    float root, origin;
    float most_y, least_y;       // of the strip's points
    float corner, previous;      // R above and left of the block, and of the next
    float base, best, result;
    bool products;               // the row is P times 2^-base, else R
    bool ending, together;       // the block has the last cell; all of the group have a pair
    bool notes_left, noted_edge;
    __local float4 (*ahead)[WW_WG], (*columns)[WW_WG];
    __global float4 *in, *out, *checkpoint;
    uint in_row, out_row;
    __global float *base_checkpoint;
    __global float *edge;        // of the first pass of several: where a segment's last column is noted
#if WW_TABLED
    __global const float *table;
    ww_soft_table costs;
#endif
} ww_soft_strip;
typedef struct {
    float x[WW_ROWS], v[WW_ROWS];              // points of rows; what enters from the left, then what leaves
    float b[WW_SOFT_POINTED ? WW_COLS : WW_ROWS * WW_COLS]; // points of columns, or costs
    ww_soft_state c[WW_COLS];                  // the row above
} ww_soft_cells;

// ---- checkpoints

// Four work-items write each other's rows, one after the other, so that a row is written at once: halves of a sector cost more.
#if defined(WW_HAS_SWAP) && WW_SIDE_BY_SIDE == 32 && WW_COLS == 16
WW_INLINE void ww_swap_fours(float4 *a, float4 *b, uint lane, const uint bit) {
    const bool upper = (lane & bit) != 0;
    const float4 got = ww_swap(upper ? *a : *b, bit);
    *a = upper ? got : *a;
    *b = upper ? *b : got;
}
WW_INLINE void ww_note_together(__global float4 *checkpoint, float4 *fours, uint lane) {
    ww_swap_fours(&fours[0], &fours[1], lane, 1u);
    ww_swap_fours(&fours[2], &fours[3], lane, 1u);
    ww_swap_fours(&fours[0], &fours[2], lane, 2u);
    ww_swap_fours(&fours[1], &fours[3], lane, 2u);
    __global float4 *const rows = checkpoint - lane + (lane / 4 * 16 + lane % 4);
    WW_SOFT_UNROLL for (int k = 0; k < 4; k++)
        rows[4 * k] = fours[k];
}
#define WW_NOTES_TOGETHER(s) (s)->together
#else
#define ww_note_together(checkpoint, fours, lane)
#define WW_NOTES_TOGETHER(s) false
#endif
WW_INLINE void ww_note_row(const ww_soft_strip *s, const float *row) {
    float4 fours[WW_COLS / 4];
    WW_SOFT_UNROLL for (int k = 0; k < WW_COLS / 4; k++)
        fours[k] = (float4)(row[4 * k], row[4 * k + 1], row[4 * k + 2], row[4 * k + 3]);
    if (WW_NOTES_TOGETHER(s)) {
        ww_note_together(s->checkpoint, fours, s->lane);
    } else {
        WW_SOFT_UNROLL for (int k = 0; k < WW_COLS / 4; k++)
            s->checkpoint[ww_checkpoint_at((uint)k, s->number)] = fours[k];
    }
}
WW_INLINE void ww_note_column(const ww_soft_strip *s, const int part, const float *v) {
    s->checkpoint[WW_CHECKPOINT_LEFT(part) * WW_STRIDE] = (float4)(v[0], v[1], v[2], v[3]);
}
// What enters the parts but the first from the left is noted behind their columns.
#define WW_AT_PART(r) (((r) + 1) % WW_PART == 0 && (r) + 1 < WW_COLS)
#define WW_PART_AFTER(r) (((r) + 1) / WW_PART % WW_PARTS_OF_BLOCK)

// ---- a row-step

// Requests the points of a row-step and what comes from the left.
WW_INLINE void ww_soft_request(const ww_soft_strip *s, __local float4 (*ahead)[WW_WG], __global const float *x, uint row) {
    WW_SOFT_UNROLL for (uint c = 0; c < WW_CHANNELS && !WW_TABLED; c++)
        ww_copy_ahead(&ahead[1 + WW_SOFT_X(row) + c][s->lane], WW_FOURS_OF(x) + row * WW_CHANNELS + c);
    ww_copy_ahead(&ahead[0][s->lane], (__global const float4 *)s->in + (ulong)row * s->in_row);
}
// What block i takes; that of the next is requested. False where the strip before is not so far: then that is to be done behind this
// block.
WW_INLINE bool ww_soft_take_strip(ww_soft_strip *s, ww_soft_cells *cells, ww_soft_chain *chained, __local float4 (*ahead)[WW_WG],
                            __global const float *x) {
    ww_copy_wait();
    const float4 points = WW_SOFT_POINTED ? ahead[1 + WW_SOFT_X(s->i)][s->lane] : (float4)0;
    const float4 left = s->j == 0 ? (float4)WW_SOFT_FAR : ahead[0][s->lane];
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
        cells->x[q] = ww_soft_scaled(ww_at_of(points, q), s->root, s->origin);
        cells->v[q] = ww_at_of(left, q);
    }
    if (s->notes_left)
        ww_note_column(s, 0, cells->v);
    const bool asked = !WW_CHAINED || ww_chain_has(chained, s->i + 2, s->to) || s->i + 1 >= s->to;
    if (asked && s->i + 1 < s->to)
        ww_soft_request(s, ahead, x, s->i + 1);
    s->corner = s->previous;
    s->previous = cells->v[WW_ROWS - 1];
    return asked;
}
// Costs of rows of the block from row q on take the places of points.
WW_INLINE void ww_soft_bring_costs(const ww_soft_strip *s, ww_soft_cells *cells, uint q, const int rows) {
#if WW_TABLED
    ww_soft_costs(cells->b, s->table, s->costs, s->i * WW_ROWS + q, rows, s->j * (WW_COLS / 4), WW_COLS, s->root);
#elif WW_SOFT_SEVERAL
    ww_soft_costs(cells->b, &s->ahead[1 + WW_SOFT_X(s->i)], s->columns, s->lane, q, rows, WW_COLS, s->root);
#endif
}
// Hands the right-hand column on.
WW_INLINE void ww_soft_hand_on(const ww_soft_strip *s, const float *v) {
    s->out[(ulong)s->i * s->out_row] = (float4)(v[0], v[1], v[2], v[3]);
    if (s->noted_edge)
        WW_FOURS(s->edge)[(ulong)s->i * WW_STRIDE] = (float4)(v[0], v[1], v[2], v[3]);
}
// Behind row q of the matrix' last block.
WW_INLINE void ww_soft_result(ww_soft_strip *s, __global const ww_gradient_task *restrict tasks, const float *above,
                              const float *sum, const int q) {
    if (s->ending && s->i * WW_ROWS + q + 1 == tasks[s->number].n) {
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
            s->result = s->j * WW_COLS + r + 1 == tasks[s->number].m ? above[r] - ww_log2(sum[r]) : s->result;
    }
}

#if WW_SOFT_WIDE
// The row as R.
WW_INLINE void ww_soft_to_logs(ww_soft_strip *s, ww_soft_cells *cells) {
    if (s->products) {
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
            cells->c[r] = WW_SOFT_STATE(s->base - ww_wide_log2(cells->c[r]));
    }
    s->products = false;
}
// The greatest cost of a cell in the block.
WW_INLINE float ww_soft_most_cost(const ww_soft_strip *s, ww_soft_cells *cells) {
#if !WW_SOFT_POINTED
    float most = 0;
    ww_soft_bring_costs(s, cells, 0, WW_ROWS);
    WW_SOFT_UNROLL for (int k = 0; k < WW_ROWS * WW_COLS; k++)
        most = fmax(most, cells->b[k]);
    return most;
#else
    const float *x = cells->x;
    float most_x = x[0], least_x = x[0];
    WW_SOFT_UNROLL for (int q = 1; q < WW_ROWS; q++) {
        most_x = fmax(most_x, x[q]);
        least_x = fmin(least_x, x[q]);
    }
    return fmax(ww_soft_cost(most_x, s->least_y), ww_soft_cost(least_x, s->most_y));
#endif
}
// Whether products hold the block; then its base is `best` + WW_SOFT_LIFT.
WW_INLINE bool ww_soft_holds(ww_soft_strip *s, ww_soft_cells *cells, bool ends_here) {
    const float *v = cells->v;
    const ww_soft_range above = ww_soft_last_row(cells->c, s->base, s->products), beside = ww_soft_range_of(v, WW_ROWS);
    const float cost = ww_soft_most_cost(s, cells);
    s->best = floor(fmin(fmin(above.least, beside.least), s->corner));
    return !ends_here && ww_soft_fits(above, beside, s->corner, s->best, cost, WW_COLS);
}
// A block by products.
WW_INLINE void ww_soft_by_products(ww_soft_strip *s, ww_soft_cells *cells, bool keep) {
    float inner[WW_PARTS_OF_BLOCK][WW_ROWS];
    const float before = s->base;
    s->base = s->best + WW_SOFT_LIFT;
    if (s->products) {
        const double shift = ww_wide_power(s->base - before);
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
            cells->c[r] *= shift;
    } else {
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
            cells->c[r] = ww_wide_exp2(s->base - WW_SOFT_LOG(cells->c[r]));
    }
    double last = ww_wide_exp2(s->base - s->corner);
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
        cells->v[q] = WW_HIGH(ww_wide_exp2(s->base - cells->v[q]));
    if (keep) {
        float noted[WW_COLS];
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
            noted[r] = WW_HIGH(cells->c[r]);
        ww_note_row(s, noted);
        *s->base_checkpoint = s->products ? s->base : s->base + 0.5f;
    }
    s->products = true;
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
        float high[WW_COLS];
        const double left = WW_FROM_HIGH(cells->v[q]);
        const double value = ww_soft_product_row(cells->x[q], &cells->b[WW_SOFT_ROW(q, WW_COLS)], cells->c, left, last, WW_COLS, high, 0);
        last = left;
        WW_SOFT_UNROLL for (int part = 1; part < WW_PARTS_OF_BLOCK; part++)
            inner[part][q] = high[part * WW_PART - 1];
        cells->v[q] = s->base - ww_wide_log2(value);
    }
    if (keep) {
        WW_SOFT_UNROLL for (int part = 1; part < WW_PARTS_OF_BLOCK; part++)
            ww_note_column(s, part, inner[part]);
    }
    ww_soft_hand_on(s, cells->v);
}
// Likewise by pairs: a loop over rows, for the instruction cache, which reads their points and values again. `fits`: P is noted.
WW_INLINE float ww_soft_noted(const ww_soft_strip *s, bool fits, float r) {
    return fits ? WW_HIGH(ww_wide_exp2(s->base - r)) : r;
}
WW_INLINE void ww_soft_by_pairs(ww_soft_strip *s, ww_soft_cells *cells, bool keep, bool fits,
                                __global const ww_gradient_task *restrict tasks, __global const float *points) {
    float above[WW_COLS], sum[WW_COLS], noted[WW_COLS];
    ww_soft_to_logs(s, cells);
    s->base = s->best + WW_SOFT_LIFT;
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
        above[r] = WW_SOFT_LOG(cells->c[r]);
        sum[r] = 1;
    }
    if (keep) {
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
            noted[r] = ww_soft_noted(s, fits, above[r]);
        ww_note_row(s, noted);
        *s->base_checkpoint = fits ? s->base + 0.5f : WW_SOFT_FAR;
    }
    float x_next = WW_SOFT_POINTED ? points[s->i * WW_ROWS] : 0, v_next = cells->v[0];
#pragma unroll 1
    for (int q = 0; q < WW_ROWS; q++) {
        const uint after = min(q + 1, WW_ROWS - 1);
        const float x_own = ww_soft_scaled(x_next, s->root, s->origin);
        ww_soft_beside beside = ww_soft_beside_of(v_next, s->corner);
        s->corner = v_next;
        x_next = WW_SOFT_POINTED ? points[s->i * WW_ROWS + after] : 0;
        ww_soft_bring_costs(s, cells, (uint)q, 1);
        v_next = s->j == 0 ? WW_SOFT_FAR : ((WW_SOFT_HANDED)&s->in[(ulong)s->i * s->in_row])[after];
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
            const ww_soft_pair cell = ww_soft_pair_of(beside, above[r], sum[r], x_own, cells->b[r], 1, false);
            if (WW_AT_PART(r) && keep)
                ((__global float *)&s->checkpoint[WW_CHECKPOINT_LEFT(WW_PART_AFTER(r)) * WW_STRIDE])[q] =
                    ww_soft_noted(s, fits, cell.value - ww_log2(cell.sum));
            beside = ww_soft_beside_after(cell);
            above[r] = cell.value;
            sum[r] = cell.sum;
        }
        const float left = beside.value - ww_log2(beside.sum);
        ((__global float *)&s->out[(ulong)s->i * s->out_row])[q] = left;
        if (s->noted_edge)
            s->edge[WW_SIDE_AT(s->i * WW_ROWS + q)] = left;
        ww_soft_result(s, tasks, above, sum, q);
    }
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
        cells->c[r] = WW_SOFT_STATE(above[r] - ww_log2(sum[r]));
}
// The block, by products where all of a group can.
WW_INLINE void ww_soft_block(ww_soft_strip *s, ww_soft_cells *cells, bool keep, bool ends_here,
                             __global const ww_gradient_task *restrict tasks, __global const float *points) {
    const bool fits = ww_soft_holds(s, cells, ends_here);
    if (ww_all_agree(fits && !s->ending && (!s->products || fabs(s->best + WW_SOFT_LIFT - s->base) < 1000.0f)))
        ww_soft_by_products(s, cells, keep);
    else
        ww_soft_by_pairs(s, cells, keep, fits, tasks, points);
}
#else
#define ww_soft_to_logs(s, cells)
// The block, by pairs.
WW_INLINE void ww_soft_block(ww_soft_strip *s, ww_soft_cells *cells, bool keep, bool ends_here,
                             __global const ww_gradient_task *restrict tasks, __global const float *points) {
    float above[WW_COLS], sum[WW_COLS], inner[WW_PARTS_OF_BLOCK][WW_ROWS], *v = cells->v, corner = s->corner;
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
        above[r] = cells->c[r];
        sum[r] = 1;
    }
    if (keep) {
        ww_note_row(s, above);
        *s->base_checkpoint = WW_SOFT_FAR;
    }
    ww_soft_rename(cells->x);
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
        ww_soft_beside beside = ww_soft_beside_of(v[q], corner);
        corner = v[q];
        ww_soft_bring_costs(s, cells, (uint)q, 1);
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
            const ww_soft_pair cell = ww_soft_pair_of(beside, above[r], sum[r], cells->x[q], cells->b[r], 1, false);
            if (WW_AT_PART(r))
                inner[WW_PART_AFTER(r)][q] = cell.value - ww_log2(cell.sum);
            beside = ww_soft_beside_after(cell);
            above[r] = cell.value;
            sum[r] = cell.sum;
        }
        v[q] = beside.value - ww_log2(beside.sum);
        ww_soft_result(s, tasks, above, sum, q);
    }
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++)
        cells->c[r] = above[r] - ww_log2(sum[r]);
    if (keep) {
        WW_SOFT_UNROLL for (int part = 1; part < WW_PARTS_OF_BLOCK; part++)
            ww_note_column(s, part, inner[part]);
    }
    ww_soft_hand_on(s, v);
}
#endif

// ---- a strip

// Where a pair's values lie: its checkpoints and the columns of them that are noted, and the values carried aside.
typedef struct {
    __global float *side, *notes;
    uint checkpoint_columns, checkpoint_row;
} ww_soft_places;

// What a strip hands to the next is what that notes, or in a pass without notes a column that all write in turn.
WW_INLINE void ww_soft_connect(ww_soft_strip *s, const ww_gradient_args args, const ww_gradient_task task,
                               const ww_soft_places *of, __global float *edges, __global float4 *checkpoints_above) {
    const uint j = s->j, column = j - args.column_begin;
    const bool from_checkpoint = args.keep && column, to_checkpoint = args.keep && j + 1 < args.column_end && j + 1 < task.wide;
    s->notes_left = args.keep && column == 0;
    s->in = s->notes_left && j > 0 ? WW_FOURS(edges + task.edges) + (ulong)(args.segment - 1) * task.tall * WW_STRIDE
            : from_checkpoint            ? checkpoints_above + WW_CHECKPOINT_LEFT(0) * WW_STRIDE
                                   : WW_FOURS(of->side);
    s->in_row = from_checkpoint ? of->checkpoint_row : WW_STRIDE;
    s->out = to_checkpoint ? checkpoints_above + (WW_CHECKPOINT_FOURS + WW_CHECKPOINT_LEFT(0)) * WW_STRIDE : WW_FOURS(of->side);
    s->out_row = to_checkpoint ? of->checkpoint_row : WW_STRIDE;
    s->noted_edge = !args.keep && args.segment_columns && (j + 1) % args.segment_columns == 0 && j + 1 < task.wide;
    s->edge = edges + task.edges;
    if (s->noted_edge)
        s->edge += (ulong)(j / args.segment_columns) * task.tall * WW_ROWS * WW_STRIDE;
}
// The strip's points, and the row above its chunk.
WW_INLINE void ww_soft_load_strip(ww_soft_strip *s, ww_soft_cells *cells, const ww_gradient_task task,
                                  __global const float *packed, __global const float *top, uint from) {
    s->most_y = -INFINITY;
    s->least_y = INFINITY;
    s->result = 0;
    s->origin = WW_SOFT_POINTED ? ww_soft_origin(packed[task.y + (ulong)s->j * WW_COLS], s->root) : 0;
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r += 4) {
        const float4 points = WW_SOFT_POINTED ? WW_FOURS_OF(packed + task.y)[(s->j * WW_COLS + r) / 4] : (float4)0;
        const float4 above = from ? WW_FOURS_OF(top)[r / 4 * WW_STRIDE] : (float4)WW_SOFT_FAR;
#if WW_SOFT_SEVERAL
        WW_SOFT_UNROLL for (uint c = 0; c < WW_CHANNELS; c++)
            ww_copy_ahead(&s->columns[r / 4 * WW_CHANNELS + c][s->lane],
                          WW_FOURS_OF(packed + task.y) + (s->j * (WW_COLS / 4) + r / 4) * WW_CHANNELS + c);
#endif
        WW_SOFT_UNROLL for (int k = 0; k < 4; k++) {
            cells->b[r + k] = ww_soft_scaled(ww_at_of(points, k), s->root, s->origin);
            s->most_y = fmax(s->most_y, cells->b[r + k]);
            s->least_y = fmin(s->least_y, cells->b[r + k]);
            cells->c[r + k] = WW_SOFT_STATE(ww_at_of(above, k));
        }
    }
}
// The row that a chunk leaves.
WW_INLINE void ww_soft_store_strip(const ww_soft_cells *cells, __global float *top) {
    WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r += 4)
        WW_FOURS(top)[r / 4 * WW_STRIDE] = (float4)(WW_SOFT_LOG(cells->c[r]), WW_SOFT_LOG(cells->c[r + 1]),
                                                    WW_SOFT_LOG(cells->c[r + 2]), WW_SOFT_LOG(cells->c[r + 3]));
}

__kernel WW_SOFT_GROUP void
ww_soft_forward(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                __global const uint *restrict band, __global const float *restrict packed,
                __global float *restrict carried, __global float *restrict checkpoints, __global float *restrict edges,
                __global float *restrict ends, __global float *restrict more_checkpoints WW_SOFT_TABLE) {
    WW_SOFT_TICKET
    const ww_soft_place at = ww_soft_find(args, tasks, carried);
    // What comes from the left at the next row-step, and its points, requested while a block is computed; points of the columns.
    __local float4 ahead[WW_SOFT_SEVERAL ? 1 + 2 * WW_CHANNELS : 2][WW_WG], columns[WW_SOFT_SEVERAL ? WW_COLS / 4 * WW_CHANNELS : 1][WW_WG];
    if (!at.live)
        return;
    const ww_gradient_task task = tasks[at.number];
    const uint last_row = (task.n - 1) / WW_ROWS, last_column = (task.m - 1) / WW_COLS;
    // A work-item reads rows that another has written, in a launch before.
    ww_soft_places of;
    of.side = carried + task.carried + (ulong)task.wide * WW_COLS * WW_STRIDE;
    of.notes = (task.later ? more_checkpoints : checkpoints) + task.checkpoints;
    of.checkpoint_columns = args.segment_columns ? args.checkpoint_columns : task.wide;
    of.checkpoint_row = WW_CHECKPOINT_ROW(of.checkpoint_columns);
    ww_soft_strip s;
    s.number = at.number, s.lane = (uint)get_local_id(0);
    s.together = !WW_SOFT_CHUNKS && ((WW_CHAINED ? at.number : (uint)get_global_id(0)) | (WW_WG - 1)) < args.count;
    s.root = WW_SOFT_ROOT(args.parameters.soft_scale);
    s.ahead = ahead;
    s.columns = columns;
    WW_SOFT_HAS_TABLE(s, at.number)
    for (uint from = at.from, j = at.strip; from < at.to;) {
        s.j = j;
        s.to = min(from + args.chunk, at.to);
        __global float *top = carried + task.carried + (ulong)j * WW_COLS * WW_STRIDE;
        const uint column = j - args.column_begin;
        __global float4 *const checkpoints_above = WW_FOURS(of.notes) + column * WW_CHECKPOINT_FOURS * WW_STRIDE;
        ww_soft_connect(&s, args, task, &of, edges, checkpoints_above);
        ww_soft_cells cells;
        ww_soft_load_strip(&s, &cells, task, packed, top, from);
        // The corner: of the matrix, of its border, or what the strip before has handed on; where that is written over, in a place
        // of its own.
        __global float *const corner = of.side + WW_SIDE_AT(task.tall * WW_ROWS + from);
        s.previous = from == 0 ? (j ? WW_SOFT_FAR : 0.0f)
                               : j == 0 ? WW_SOFT_FAR : args.keep ? s.in[(ulong)(from - 1) * s.in_row].w : *corner;
        const float handed = WW_SOFT_LOG(cells.c[WW_COLS - 1]);
        s.checkpoint = checkpoints_above + (ulong)from * of.checkpoint_row;
        s.base_checkpoint = of.notes + (ulong)from * of.checkpoint_row * 4 + ww_base_at(of.checkpoint_columns, column, at.number);
        ww_soft_chain chained;
        chained.own = ww_chain_word(carried, args, at.number, j);
        chained.before = chained.own - 1;
        chained.seen = j > 0 ? 0 : 0xffffffffu;
        if (WW_CHAINED)
            ww_chain_wait(&chained, 1);
        chained.newest = chained.seen;
        ww_soft_request(&s, ahead, packed + task.x, from);
        s.products = false;
        s.base = 0;
#pragma unroll 1
        for (s.i = from; s.i < s.to; s.i++) {
            const bool asked = ww_soft_take_strip(&s, &cells, &chained, ahead, packed + task.x);
            s.ending = s.i == last_row && j == last_column;
            ww_soft_block(&s, &cells, args.keep, s.ending && !ww_soft_ends_below(WW_SOFT_WHOLE, task.n), tasks, packed + task.x);
            if (s.ending)
                ends[task.number] = s.result < 0.9f * WW_SOFT_FAR ? s.result * args.parameters.soft_unit : 2e36f;
            if (WW_CHAINED) {
                ww_chain_count(&chained, s.i + 1, at.to);
                if (!asked) {
                    ww_chain_wait(&chained, s.i + 2);
                    ww_soft_request(&s, ahead, packed + task.x, s.i + 1);
                }
            }
            s.checkpoint += of.checkpoint_row;
            s.base_checkpoint += of.checkpoint_row * 4;
        }
        ww_soft_to_logs(&s, &cells);
        if (WW_SOFT_CHUNKS) {
            ww_soft_store_strip(&cells, top);
            *corner = handed;
        }
        if (++j == at.strip_end) {
            j = at.strip;
            from = s.to;
        }
    }
}
