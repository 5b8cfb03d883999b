// SPDX-License-Identifier: Apache-2.0
// What both passes of gradients share: which block of which pair a work-item computes, its points, and its D. No kernel.
//
// A block has WW_ROWS x WW_COLS cells. A work-item computes one, or, with vectors, that of WW_VECTOR pairs, a lane each. A launch
// computes either the blocks of one anti-diagonal of blocks, or all blocks of its pairs, one after the other: ww_blocks_find()
// alone decides.
//
// Values of pairs side by side lie WW_STRIDE apart. Where the lanes of a vector are such pairs (WW_PACKED), they are in the same
// block, and one load or store serves all; those behind the last pair compute what nobody reads. Else each lane has a place
// of its own.
//
// Parameters: WW_ROWS, WW_COLS, WW_WG; WW_SIDE_BY_SIDE.
#if WW_VECTOR == 1
#define WW_EACH_CELL _Pragma("unroll")
#define WW_IF(condition, a, b) ((condition) ? (a) : (b))
#define WW_ALL 1
#else
#define WW_EACH_CELL
#define WW_IF(condition, a, b) (WW_TO_MASK(condition) ? (a) : (b))
#define WW_ALL (ww_ints)(-1)
#endif
// Pairs side by side: a constant, so that addresses differ by constants.
#define WW_STRIDE ((ulong)WW_SIDE_BY_SIDE)
#define WW_PACKED (WW_VECTOR > 1 && WW_SIDE_BY_SIDE == WW_VECTOR)
#define WW_BLOCK_PLACES (WW_PACKED ? 1 : WW_VECTOR)
#define WW_CHECKPOINT (WW_ROWS + WW_COLS + 1) // values

// The block of each lane, and where its values begin in the buffers.
typedef struct {
    ww_gradient_task task[WW_BLOCK_PLACES];
    uint i[WW_BLOCK_PLACES], j[WW_BLOCK_PLACES];                 // the block's row and column of blocks
    ulong x[WW_BLOCK_PLACES], y[WW_BLOCK_PLACES];                // points of its rows and columns
    ulong x_before[WW_BLOCK_PLACES], y_before[WW_BLOCK_PLACES];  // those before them
    ulong row[WW_BLOCK_PLACES], column[WW_BLOCK_PLACES];         // carried, from block to block: D or A
    ulong checkpoint[WW_BLOCK_PLACES];
    uint lane[WW_BLOCK_PLACES];  // its number in the launch
    bool live[WW_BLOCK_PLACES];  // false: the lane has no block, and computes another's
} ww_blocks;

// Its pair's task, and whether it has one, of a lane.
WW_INLINE ww_gradient_task ww_lane_task(const ww_blocks *at, const ww_gradient_args args,
                                        __global const ww_gradient_task *tasks, const int v) {
    if (!WW_PACKED)
        return at->task[WW_PACKED ? 0 : v];
    return tasks[args.first + min(at->lane[0] + (uint)v, args.count - 1)];
}
WW_INLINE bool ww_lane_live(const ww_blocks *at, const ww_gradient_args args, const int v) {
    return WW_PACKED ? at->lane[0] + (uint)v < args.count : at->live[WW_PACKED ? 0 : v];
}

// Which block of a pair, in rows and columns of blocks: block `walked` in the order of the pass, or number `turn` of the
// launch's diagonal. False where the pair has none: block 0 of the pass's columns then.
WW_INLINE bool ww_block_find(const ww_gradient_args args, const ww_gradient_task task, uint walked, uint turn, bool has,
                             const bool backward, uint *i, uint *j) {
    const uint wide = min(args.column_end, task.wide) - min(args.column_begin, task.wide);
    uint down, right;
    if (args.whole) {
        down = wide ? walked / wide : 0;
        right = wide ? ww_rest(walked, wide, down) : 0;
    } else {
        down = (args.diagonal >= wide ? args.diagonal - wide + 1 : 0) + turn;
        right = args.diagonal - min(down, args.diagonal);
    }
    const bool live = has && wide && down < task.tall && (args.whole || down <= args.diagonal);
    *i = !live ? 0 : backward ? task.tall - 1 - down : down;
    *j = args.column_begin + (!live ? 0 : backward ? wide - 1 - right : right);
    return live;
}

// The blocks of the lanes: block `walked` of their pairs in the order of the pass, or those of the launch's diagonal. False where
// no lane has one.
WW_INLINE bool ww_blocks_find(ww_blocks *at, const ww_gradient_args args, __global const ww_gradient_task *tasks, uint walked,
                              const bool backward) {
    bool any = false;
    // Whole packs.
    const uint each = WW_PACKED ? (args.count + WW_VECTOR - 1) / WW_VECTOR * WW_VECTOR : args.count;
    for (int v = 0; v < WW_BLOCK_PLACES; v++) {
        const uint item = (uint)get_global_id(0) * WW_VECTOR + (uint)v, turn = args.whole ? 0 : item / each;
        const uint t = args.whole ? item : ww_rest(item, each, turn);
        const bool has = args.whole ? item < args.count : turn < args.turns;
        at->lane[v] = has ? t : 0;
        at->task[v] = tasks[args.first + at->lane[v]];
        const ww_gradient_task task = at->task[v];
        uint i, j;
        const bool live = ww_block_find(args, task, walked, turn, has, backward, &i, &j);
        any |= live;
        at->live[v] = live;
        at->i[v] = i;
        at->j[v] = j;
        at->x[v] = task.x + (ulong)i * (WW_ROWS * WW_PARTS * WW_STRIDE);
        at->y[v] = task.y + (ulong)j * (WW_COLS * WW_PARTS * WW_STRIDE);
        at->x_before[v] = task.x + (ulong)(i ? i * WW_ROWS - 1 : 0) * (WW_PARTS * WW_STRIDE);
        at->y_before[v] = task.y + (ulong)(j ? j * WW_COLS - 1 : 0) * (WW_PARTS * WW_STRIDE);
        at->row[v] = task.carried + (ulong)j * WW_COLS * WW_STRIDE;
        at->column[v] = task.carried + ((ulong)task.wide * WW_COLS + (ulong)i * (WW_ROWS + 1)) * WW_STRIDE;
        const uint columns = args.segment_columns ? args.checkpoint_columns : task.wide;
        at->checkpoint[v] = task.checkpoints + ((ulong)i * columns + (j - args.column_begin)) * WW_CHECKPOINT * WW_STRIDE;
    }
    return any;
}

// ---- a value a lane

WW_INLINE ww_ints ww_ints_of(const int *each) {
#if WW_VECTOR == 1
    return each[0];
#else
    return WW_PASTE(vload, WW_VECTOR)(0, each);
#endif
}
WW_INLINE real ww_real_of(const ww_scalar *each) {
#if WW_VECTOR == 1
    return each[0];
#else
    return WW_VLOAD(0, each);
#endif
}
WW_INLINE void ww_each_of(real value, ww_scalar *each) {
#if WW_VECTOR == 1
    each[0] = value;
#else
    WW_VSTORE(value, 0, each);
#endif
}

// Value k behind where each lane's begin, `from`.
WW_INLINE real ww_read(__global const ww_scalar *buffer, const ulong *from, ulong k) {
#if WW_PACKED
    return WW_VLOAD(0, buffer + (from[0] + k * WW_STRIDE));
#else
    ww_scalar each[WW_VECTOR];
    for (int v = 0; v < WW_VECTOR; v++)
        each[v] = buffer[from[v] + k * WW_STRIDE];
    return ww_real_of(each);
#endif
}
WW_INLINE void ww_write(const ww_blocks *at, __global ww_scalar *buffer, const ulong *from, ulong k, real value) {
#if WW_PACKED
    WW_VSTORE(value, 0, buffer + (from[0] + k * WW_STRIDE));
#else
    ww_scalar each[WW_VECTOR];
    ww_each_of(value, each);
    for (int v = 0; v < WW_VECTOR; v++)
        if (at->live[v])
            buffer[from[v] + k * WW_STRIDE] = each[v];
#endif
}
WW_INLINE void ww_add(const ww_blocks *at, __global ww_scalar *buffer, const ulong *from, ulong k, real value) {
#if WW_PACKED
    __global ww_scalar *sum = buffer + (from[0] + k * WW_STRIDE);
    WW_VSTORE(WW_VLOAD(0, sum) + value, 0, sum);
#else
    ww_scalar each[WW_VECTOR];
    ww_each_of(value, each);
    for (int v = 0; v < WW_VECTOR; v++)
        if (at->live[v])
            buffer[from[v] + k * WW_STRIDE] += each[v];
#endif
}
// The point t behind where each lane's begin.
WW_INLINE ww_point ww_read_point(__global const ww_scalar *packed, const ulong *from, uint t) {
    ww_point point;
#if WW_TABLED
    point = ww_point_infinite();
#elif WW_POINT_REGISTERS
    WW_EACH_CELL for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = ww_read(packed, from, (ulong)t * WW_PARTS + (uint)c);
#else
    point.at = packed + (from[0] + (ulong)t * WW_PARTS * WW_STRIDE);
    point.stride = WW_STRIDE;
#endif
#if WW_EXTRA
    point.extra = ww_read(packed, from, (ulong)t * WW_PARTS + WW_CHANNELS);
#endif
    return point;
}

// ---- a block's cells

// What the cells of a block need. The arrays are the kernel's own: where loops are not unrolled, a compiler keeps them apart.
typedef struct {
    ww_ints i0, j0, n, m;  // first row and column; lengths
    ww_ints has_above, has_left;
    real lag;  // i0 - j0
    ww_pair lengths;
    ww_row *a;     // rows, from the one before the first
    ww_column *b;  // likewise columns
    real *along;   // with WW_DIAGONAL, of each diagonal of cells
    real *d;       // D, with the row above and the column to the left: ww_cell_at()
    ww_ints *band_lo, *band_hi;  // with WW_BAND, of each row
    real *costs;   // with WW_TABLED, of each cell
} ww_block;
#define WW_BLOCK_DIAGONALS (WW_ROWS + WW_COLS - 1)
#define WW_BLOCK_VALUES ((WW_ROWS + 1) * (WW_COLS + 1))

WW_INLINE int ww_cell_at(const int q, const int r) {
    return (q + 1) * (WW_COLS + 1) + r + 1;
}
WW_INLINE real ww_block_along(const ww_block *block, const int q, const int r) {
    return WW_DIAGONAL ? block->along[q - r + WW_COLS - 1] : block->lag + (ww_scalar)(q - r);
}
// `value`, or outside the band `other`.
WW_INLINE real ww_in_band(const ww_block *block, real value, const int q, const int r, real other) {
    if (!WW_BAND)
        return value;
    return WW_IF((block->j0 + r >= block->band_lo[q]) & (block->j0 + r < block->band_hi[q]), value, other);
}

#if WW_BAND
WW_INLINE void ww_block_limits(ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                               __global const ww_gradient_task *tasks, __global const uint *band) {
    WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++) {
        int lo[WW_VECTOR], hi[WW_VECTOR];
        for (int v = 0; v < WW_VECTOR; v++) {
            const ww_gradient_task task = ww_lane_task(at, args, tasks, v);
            const ww_pair_band limits = ww_band_make(band, WW_BAND == WWK_BAND_TABLE ? 0 : task.band, task.band, 1,
                                                     args.band_width, args.corner != 0, task.n, task.m);
            const uint t = min(at->i[WW_PACKED ? 0 : v] * WW_ROWS + (uint)q, task.n - 1);
            lo[v] = (int)ww_band_lo(limits, t);
            hi[v] = (int)ww_band_hi(limits, t);
        }
        block->band_lo[q] = ww_ints_of(lo);
        block->band_hi[q] = ww_ints_of(hi);
    }
}
#endif

// Column r in row q.
WW_INLINE ww_column ww_block_column(const ww_block *block, const int q, const int r) {
    ww_column y = block->b[r + 1];
#if WW_TABLED
    WW_OWN(y).value = block->costs[q * WW_COLS + r];
#endif
    return y;
}
#if WW_TABLED
// The costs of the block's cells; behind the end of a series those of its last point.
WW_INLINE void ww_block_costs(ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                              __global const ww_gradient_task *tasks, __global const ww_scalar *table) {
#if WW_VECTOR == 1
    const ww_gradient_task task = at->task[0];
    const uint pitch = (task.m + 3) & ~3u, i0 = at->i[0] * WW_ROWS, j0 = at->j[0] * WW_COLS;
    WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++) {
        __global const ww_scalar *row = table + task.table + (ulong)min(i0 + q, task.n - 1) * pitch;
        WW_EACH_CELL for (int r = 0; r < WW_COLS; r += 4) {
            const ww_four four = *(__global const ww_four *)(row + min(j0 + r, pitch - 4));
            block->costs[q * WW_COLS + r] = four.s0;
            block->costs[q * WW_COLS + r + 1] = four.s1;
            block->costs[q * WW_COLS + r + 2] = four.s2;
            block->costs[q * WW_COLS + r + 3] = four.s3;
        }
    }
#else
    ulong first[WW_VECTOR];
    uint n[WW_VECTOR], m[WW_VECTOR];
    for (int v = 0; v < WW_VECTOR; v++) {
        const ww_gradient_task task = ww_lane_task(at, args, tasks, v);
        first[v] = task.table;
        n[v] = task.n;
        m[v] = task.m;
    }
    for (int q = 0; q < WW_ROWS; q++)
        for (int r = 0; r < WW_COLS; r++) {
            ww_scalar each[WW_VECTOR];
            for (int v = 0; v < WW_VECTOR; v++) {
                const uint place = WW_PACKED ? 0 : v, i = min(at->i[place] * WW_ROWS + (uint)q, n[v] - 1);
                each[v] = table[first[v] + (ulong)i * ((m[v] + 3) & ~3u) + min(at->j[place] * WW_COLS + (uint)r, m[v] - 1)];
            }
            block->costs[q * WW_COLS + r] = ww_real_of(each);
        }
#endif
}
// What is in `costs` goes to their places.
WW_INLINE void ww_block_put(const ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                            __global const ww_gradient_task *tasks, __global ww_scalar *table) {
    for (int v = 0; v < WW_VECTOR; v++) {
        const ww_gradient_task task = ww_lane_task(at, args, tasks, v);
        const int place = WW_PACKED ? 0 : v;
        const uint pitch = (task.m + 3) & ~3u, i0 = at->i[place] * WW_ROWS, j0 = at->j[place] * WW_COLS;
        if (!ww_lane_live(at, args, v))
            continue;
        WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++) {
            WW_EACH_CELL for (int r = 0; r < WW_COLS; r++) {
                ww_scalar each[WW_VECTOR];
                ww_each_of(block->costs[q * WW_COLS + r], each);
                if (i0 + q < task.n && j0 + r < task.m)
                    table[task.table + (ulong)(i0 + q) * pitch + j0 + r] = each[v];
            }
        }
    }
}
#else
#define ww_block_put(block, at, args, tasks, table)
#endif

// Sets all of a block but D.
WW_INLINE void ww_block_take(ww_block *block, const ww_blocks *at, const ww_gradient_args args,
                             __global const ww_gradient_task *tasks, __global const uint *band,
                             __global const ww_scalar *packed) {
    int i0[WW_VECTOR], j0[WW_VECTOR], n[WW_VECTOR], m[WW_VECTOR];
    for (int v = 0; v < WW_VECTOR; v++) {
        const ww_gradient_task task = ww_lane_task(at, args, tasks, v);
        i0[v] = (int)(at->i[WW_PACKED ? 0 : v] * WW_ROWS);
        j0[v] = (int)(at->j[WW_PACKED ? 0 : v] * WW_COLS);
        n[v] = (int)task.n;
        m[v] = (int)task.m;
    }
    block->i0 = ww_ints_of(i0);
    block->j0 = ww_ints_of(j0);
    block->n = ww_ints_of(n);
    block->m = ww_ints_of(m);
    block->has_above = block->i0 > 0;
    block->has_left = block->j0 > 0;
    block->lag = WW_TO_REAL(block->i0 - block->j0);
    ww_pair lengths;
    lengths.rows = WW_TO_REAL(block->n);
    lengths.columns = WW_TO_REAL(block->m);
    WW_SET_PAIR(lengths)
    block->lengths = lengths;
    ww_point own, last = ww_read_point(packed, at->x_before, 0);
    block->a[0] = ww_row_make(last, last, WW_TO_REAL(max(block->i0 - 1, (ww_ints)0)));
    WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++) {
        own = ww_read_point(packed, at->x, (uint)q);
        block->a[q + 1] = ww_row_make(own, last, WW_TO_REAL(block->i0 + q));
        last = own;
    }
    last = ww_read_point(packed, at->y_before, 0);
    block->b[0] = ww_column_make(last, last, WW_TO_REAL(max(block->j0 - 1, (ww_ints)0)));
    WW_EACH_CELL for (int r = 0; r < WW_COLS; r++) {
        own = ww_read_point(packed, at->y, (uint)r);
        block->b[r + 1] = ww_column_make(own, last, WW_TO_REAL(block->j0 + r));
        last = own;
    }
#if WW_DIAGONAL
    WW_EACH_CELL for (int k = 0; k < WW_BLOCK_DIAGONALS; k++)
        block->along[k] = ww_diagonal(block->lag + (ww_scalar)(k - (WW_COLS - 1)), lengths);
#endif
#if WW_BAND
    ww_block_limits(block, at, args, tasks, band);
#endif
}

// A cell's three neighbours, with what their edges cost.
WW_INLINE ww_entries ww_block_entries(const ww_block *block, const ww_gradient_args args, const int q, const int r) {
    const ww_pair lengths = block->lengths;
    const real along = ww_block_along(block, q, r);
    real diagonal = block->d[ww_cell_at(q - 1, r - 1)];
    if (WW_CARRY)
        diagonal = WW_IF((q ? WW_ALL : block->has_above) & (r ? WW_ALL : block->has_left),
                         ww_carry(diagonal, block->a[q], block->b[r], along), diagonal);
    return ww_enter(block->d[ww_cell_at(q, r - 1)], block->d[ww_cell_at(q - 1, r)], diagonal, block->a[q + 1],
                    ww_block_column(block, q, r), along, lengths, WW_GIVEN);
}

// The shares that a cell's three neighbours have in it. In vectors, the pass back keeps those of a block when it computes D again,
// whose exponentials they are.
#define WW_KEEP_SHARES (WW_VECTOR > 1 && WW_SELECT == WW_SELECT_SOFT)
#if WW_KEEP_SHARES
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

WW_INLINE void ww_fill_cell(ww_block *block, const ww_gradient_args args, const int q, const int r, ww_entries *shares) {
#if WW_KEEP_SHARES
    const ww_entries e = ww_block_entries(block, args, q, r);
    const real best = shares ? ww_choose_shares(e, &shares[q * WW_COLS + r], WW_GIVEN) : ww_choose(e, 0, WW_GIVEN);
#else
    const real best = ww_choose(ww_block_entries(block, args, q, r), 0, WW_GIVEN);
#endif
    const real value = ww_node(best, block->a[q + 1], ww_block_column(block, q, r), ww_block_along(block, q, r), WW_GIVEN);
    block->d[ww_cell_at(q, r)] = ww_in_band(block, value, q, r, WW_OUTSIDE);
}
// D of all cells; where shares are kept, into shares[WW_ROWS * WW_COLS], unless it is 0.
WW_INLINE void ww_fill_block(ww_block *block, const ww_gradient_args args, ww_entries *shares) {
#if WW_VECTOR == 1
    WW_EACH_CELL for (int q = 0; q < WW_ROWS; q++) {
        WW_EACH_CELL for (int r = 0; r < WW_COLS; r++)
            ww_fill_cell(block, args, q, r, shares);
    }
#else
    // By diagonals, whose cells don't wait for each other.
    for (int s = 0; s < WW_BLOCK_DIAGONALS; s++)
        for (int q = max(0, s - WW_COLS + 1); q <= min(s, WW_ROWS - 1); q++)
            ww_fill_cell(block, args, q, s - q, shares);
#endif
}
