// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs, soft minima of DTW in float: a work-item a pair as in packed_items.cl, whose packs, order of
// work and arguments these are, in tiles of WW_ROWS rows x WW_COLS columns, a strip's (soft_tiles.cl).
//
// What products win (H200, 512 points, gamma 10): 2.27 for 1.44 TCUPS by pairs alone.
// Tried, not taken: strips of 20 or 24 columns 2.26, 2.12, 16 rows 1.94, rows in a loop 1.66 to 1.88, for 2.27 TCUPS.
//
// With WW_SOFT_WIDE 1 a tile is computed by products (soft_tiles.cl) where these hold it. A strip hands on, for each row, R of its
// last column as a float, or after a tile of products the high word of P, times the power of two that was the tile's: that takes no
// exponential and no logarithm. For each tile there is a word more, behind those of the rows: the power's exponent, or WW_SOFT_FAR
// for R. Where products do not hold a tile, it is computed by pairs, and after several such tiles products are tried less often.
// Where the work-items of a warp can agree, all take the same way. Pairs beside products are rare: their rows are a loop, for the
// instruction cache. Unrolled, such a tile took the time of ten of products.
//
// A strip's last row `c` holds P as a double in the one state, and R as a float (of a double its low word) in the other. Points
// of squared costs are times the root of `scale`, less what is the first point of the strip, so that they are rounded by what the
// strip spans.
#define WW_SOFT_SQUARES (WW_COST == WWK_COST_SQUARED && WW_SOFT_WIDE)
#define WW_SOFT_PATIENCE 8  // most row-steps by pairs until products are tried again

// A strip of a pair, and its present tile. x[] are the tile's points, v[] what enters from the left, a[] and l[] both of the next
// tile; `corner` is R above the left.
typedef struct {
    float b[WW_COLS];
    ww_soft_state c[WW_COLS];
    float a[WW_ROWS], l[WW_ROWS], x[WW_ROWS], v[WW_ROWS], corner;
    float most_y, least_y, scale, root, origin;
    int i;                     // the tile's first row; below 0: a padding row
    uint step, rows;           // the same in rows of the pack; all of these
    bool at_border, more;      // the first strip; not the last
    __global float *from, *to; // in `edges`, of the next tile and of this one
    uint doubt, failures;      // row-steps by pairs until products are tried again; and how many when they do not hold a tile then
} ww_soft_strip;

WW_INLINE float ww_soft_scaled(const ww_soft_strip *s, float a) {
    return WW_SOFT_SQUARES ? fma(a, s->root, -s->origin) : a;
}
// Column t: of this work-item's own series in a list, else of the one that all have.
WW_INLINE float ww_soft_column(__global const float *ys, __global const float *y, uint t) {
    return WW_LIST ? ys[(ulong)t * WW_PACK] : y[t];
}

// Row q of the next tile; `xa` are its points.
WW_INLINE void ww_soft_read(ww_soft_strip *s, __global const float *xa, const uint q) {
    s->a[q] = xa[q * WW_PACK];
    s->l[q] = s->from[q * WW_PACK];
}
WW_INLINE void ww_soft_read_all(ww_soft_strip *s, __global const float *xa) {
    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++)
        ww_soft_read(s, xa, q);
}
// The next tile is the present one; gives where the points of that behind it are.
WW_INLINE __global const float *ww_soft_take(ww_soft_strip *s, __global const float *xa) {
    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
        s->x[q] = ww_soft_scaled(s, s->a[q]);
        s->v[q] = s->l[q];
    }
    s->to = s->from;
    if (s->step + WW_ROWS < s->rows) {
        xa += WW_ROWS * WW_PACK;
        s->from += WW_ROWS * WW_PACK;
    }
    return xa;
}
// R above and left of row q. D(0,0) may be below padding rows.
WW_INLINE float ww_soft_first(const ww_soft_strip *s, int q, float corner) {
    return s->at_border && s->i + q == 0 ? 0.0f : corner;
}

// A strip begins: nothing is above it, and its first tile is requested.
WW_INLINE void ww_soft_begin_strip(ww_soft_strip *s, __global const float *xs, __global const float *ys, __global const float *y,
                                   __global float *edges, uint first_column, uint widest) {
    s->at_border = first_column == 0;
    s->more = first_column + WW_COLS < widest;
    s->origin = WW_SOFT_SQUARES ? ww_soft_column(ys, y, first_column) * s->root : 0;
    s->most_y = -INFINITY;
    s->least_y = INFINITY;
    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
        // Behind the last point: any other.
        s->b[r] = ww_soft_scaled(s, ww_soft_column(ys, y, min(first_column + r, widest - 1)));
        s->b[r] = s->b[r] < INFINITY ? s->b[r] : s->b[0];
        s->most_y = fmax(s->most_y, s->b[r]);
        s->least_y = fmin(s->least_y, s->b[r]);
        s->c[r] = WW_SOFT_STATE(WW_SOFT_FAR);
    }
    // A work-item reads what it has written itself.
    if (s->at_border)
        for (uint step = 0; step < s->rows + WW_SOFT_WIDE * s->rows / WW_ROWS; step++)
            edges[(ulong)step * WW_PACK] = WW_SOFT_FAR;
    s->step = s->doubt = s->failures = 0;
    s->from = edges;
    ww_soft_read_all(s, xs);
}
WW_INLINE ww_soft_state ww_soft_owned(const ww_soft_state *c, const uint owned) {
    // The last r <= owned wins; an equality would let the compiler index c and keep it in memory.
    ww_soft_state found = c[0];
    WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++)
        found = r <= owned ? c[r] : found;
    return found;
}

// Both forms: what each keeps of a strip besides (ww_soft_form), a strip's beginning, its row-steps, and R in its column `owned`.
#if WW_SOFT_WIDE
WW_INLINE float ww_soft_bits_of(const ww_soft_strip *s, float x, float y) {
    return WW_SOFT_SQUARES ? (x - y) * (x - y) : s->scale * ww_soft_cost(x, y);
}
// The greatest cost of the tile's cells, in bits.
WW_INLINE float ww_soft_greatest(const ww_soft_strip *s) {
    float most_x = s->x[0], least_x = s->x[0];
    WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {
        most_x = fmax(most_x, s->x[q]);
        least_x = fmin(least_x, s->x[q]);
    }
    return fmax(ww_soft_bits_of(s, most_x, s->least_y), ww_soft_bits_of(s, least_x, s->most_y));
}
// R of a value that a tile of products with the base `v_base` handed on; with WW_SOFT_FAR the value is R.
WW_INLINE float ww_soft_r_of(float left, float v_base) {
    return v_base < WW_SOFT_FAR ? v_base - ww_wide_log2_of(as_uint(left)) : left;
}
// The tile by pairs, c being R: a loop over rows, which reads their points and values again.
WW_INLINE void ww_soft_by_pairs(ww_soft_strip *s, __global const float *xs, float v_base) {
    float above[WW_COLS], sum[WW_COLS], corner = s->corner;
    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
        above[r] = WW_SOFT_LOG(s->c[r]);
        sum[r] = 1;
    }
    __global const float *const xr = xs + (ulong)s->step * WW_PACK;
    float x_next = xr[0], v_next = s->to[0];
#pragma unroll 1
    for (int q = 0; q < WW_ROWS; q++) {
        const int next_row = min(q + 1, WW_ROWS - 1);
        const float x_own = ww_soft_scaled(s, x_next), left = ww_soft_r_of(v_next, v_base);
        ww_soft_beside beside = ww_soft_beside_of(left, ww_soft_first(s, q, corner));
        x_next = xr[next_row * WW_PACK];
        v_next = s->to[next_row * WW_PACK];
        corner = left;
        beside = ww_soft_pairs_row(above, sum, s->b, WW_COLS, beside, x_own, s->scale, WW_SOFT_SQUARES);
        s->to[q * WW_PACK] = beside.value - ww_log2(beside.sum);
    }
    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
        s->c[r] = WW_SOFT_STATE(above[r] - ww_log2(sum[r]));
}

typedef struct {
    bool products;                    // c holds P times 2^-base
    float base;
    float next_base, v_base;          // of l[] and v[]: their words are those of P times 2^-v_base, or with WW_SOFT_FAR they are R
    __global float *bases, *base_to;  // of the next tile and of this one
    ww_soft_range left;               // R of v[]
    float best;                       // the greatest that enters the tile, as R, at least
} ww_soft_form;
WW_INLINE void ww_soft_begin(ww_soft_strip *s, ww_soft_form *t, __global float *edges) {
    t->bases = edges + (ulong)s->rows * WW_PACK;
    t->products = false;
    t->base = 0;
    t->next_base = t->bases[0];
    t->left.last = WW_SOFT_FAR;
}
WW_INLINE __global const float *ww_soft_take_wide(ww_soft_strip *s, ww_soft_form *t, __global const float *xa) {
    xa = ww_soft_take(s, xa);
    s->corner = s->at_border && s->i == 0 ? 0.0f : t->left.last;
    t->v_base = t->next_base;
    t->base_to = t->bases;
    if (s->step + WW_ROWS < s->rows)
        t->bases += WW_PACK;
    if (t->v_base < WW_SOFT_FAR) {
        uint top = as_uint(s->v[0]), bottom = top;
        WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {
            top = max(top, as_uint(s->v[q]));
            bottom = min(bottom, as_uint(s->v[q]));
        }
        t->left.least = t->v_base - ww_wide_exponent(top);
        t->left.most = t->v_base - ww_wide_exponent(bottom);
        t->left.last = t->v_base - ww_wide_log2_of(as_uint(s->v[WW_ROWS - 1]));
    } else {
        t->left = ww_soft_range_of(s->v, WW_ROWS);
    }
    return xa;
}
// Whether products hold the tile; then its base is `best` + WW_SOFT_LIFT.
WW_INLINE bool ww_soft_ask(const ww_soft_strip *s, ww_soft_form *t) {
    const ww_soft_range above = ww_soft_last_row(s->c, t->base, t->products);
    t->best = floor(fmin(fmin(above.least, t->left.least), s->corner));
    return ww_soft_fits(above, t->left, s->corner, t->best, ww_soft_greatest(s), WW_COLS);
}
// The tile by products, c and `base` being its own.
WW_INLINE void ww_soft_by_products(ww_soft_strip *s, ww_soft_form *t, __global const float *xa) {
    if (t->v_base < WW_SOFT_FAR) {
        const int shift = (int)clamp(t->base - t->v_base, -2047.0f, 2047.0f) * (1 << 20);
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
            s->v[q] = as_float(max(as_int(s->v[q]) + shift, 0));
    } else {
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
            s->v[q] = as_float(as_uint2(ww_wide_exp2(t->base - s->v[q])).y);
    }
    double diagonal = ww_wide_exp2(t->base - s->corner);
    WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
        double last = diagonal, value = as_double((uint2)(0, as_uint(s->v[q])));
        diagonal = value;
        WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
            const double up = s->c[r], wide = ww_wide(ww_exp2(-ww_soft_bits_of(s, s->x[q], s->b[r])));
            value = fma(wide, value, wide * (up + last));
            last = up;
            s->c[r] = value;
        }
        s->to[q * WW_PACK] = as_float(as_uint2(value).y + (as_uint2(value).x >> 31));
        // The next tile's, where this row's were; the last row's while there is time.
        if (q < WW_ROWS - 1)
            ww_soft_read(s, xa, (uint)q);
        if (q == WW_ROWS - 2) {
            ww_soft_read(s, xa, WW_ROWS - 1);
            t->next_base = *t->bases;
        }
    }
    *t->base_to = t->base;
    s->i += WW_ROWS;
    s->step += WW_ROWS;
}
// All tiles by products that follow each other, in a loop of their own: c stays where it is. The tile that they stop at is taken.
WW_INLINE __global const float *ww_soft_products(ww_soft_strip *s, ww_soft_form *t, __global const float *xa) {
    t->base = t->best + WW_SOFT_LIFT;
    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
        s->c[r] = ww_wide_exp2(t->base - WW_SOFT_LOG(s->c[r]));
    t->products = true;
#pragma unroll 1
    for (;;) {
        ww_soft_by_products(s, t, xa);
        if (s->step >= s->rows)
            return xa;
        xa = ww_soft_take_wide(s, t, xa);
        const bool fits = ww_soft_ask(s, t);
        if (!ww_all_agree(fits && fabs(t->best + WW_SOFT_LIFT - t->base) < 1000.0f))
            break;
        const double shift = ww_wide_power(t->best + WW_SOFT_LIFT - t->base);
        t->base = t->best + WW_SOFT_LIFT;
        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
            s->c[r] *= shift;
    }
    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
        s->c[r] = WW_SOFT_STATE(t->base - ww_wide_log2(s->c[r]));
    t->products = false;
    return xa;
}
WW_INLINE void ww_soft_steps(ww_soft_strip *s, ww_soft_form *t, __global const float *xs) {
    __global const float *xa = xs;
#pragma unroll 1
    while (s->step < s->rows) {
        xa = ww_soft_take_wide(s, t, xa);
        const bool asked = s->doubt == 0;
        bool agreed = false;
        if (asked)
            agreed = ww_all_agree(ww_soft_ask(s, t));
        else
            s->doubt--;
        if (agreed) {
            s->failures = 0;
            xa = ww_soft_products(s, t, xa);
            if (s->step >= s->rows)
                break;
        }
        if (asked) {
            s->doubt = s->failures;
            s->failures = min(s->failures + 1, (uint)WW_SOFT_PATIENCE);
        }
        ww_soft_by_pairs(s, xs, t->v_base);
        *t->base_to = WW_SOFT_FAR;
        ww_soft_read_all(s, xa);
        t->next_base = *t->bases;
        s->i += WW_ROWS;
        s->step += WW_ROWS;
    }
}
WW_INLINE float ww_soft_result(const ww_soft_strip *s, const ww_soft_form *t, const uint owned) {
    const double found = ww_soft_owned(s->c, owned);
    return t->products ? t->base - ww_wide_log2(found) : WW_SOFT_LOG(found);
}

#else
// By pairs alone: for a small gamma, and where doubles are slow.
typedef struct {
    float previous;  // R in the last row to the left
} ww_soft_form;
WW_INLINE void ww_soft_begin(ww_soft_strip *s, ww_soft_form *t, __global float *edges) {
    t->previous = WW_SOFT_FAR;
}
WW_INLINE void ww_soft_steps(ww_soft_strip *s, ww_soft_form *t, __global const float *xs) {
    __global const float *xa = xs;
#pragma unroll 1
    for (; s->step < s->rows; s->step += WW_ROWS) {
        xa = ww_soft_take(s, xa);
        float corner = s->at_border && s->i == 0 ? 0.0f : t->previous, above[WW_COLS], sum[WW_COLS];
        t->previous = s->v[WW_ROWS - 1];
        ww_soft_read_all(s, xa);
        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
            above[r] = s->c[r];
            sum[r] = 1;
        }
        ww_soft_rename(s->x);
        WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
            ww_soft_beside beside = ww_soft_beside_of(s->v[q], ww_soft_first(s, q, corner));
            corner = s->v[q];
            beside = ww_soft_pairs_row(above, sum, s->b, WW_COLS, beside, s->x[q], s->scale, false);
            s->v[q] = beside.value - ww_log2(beside.sum);
        }
        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
            s->c[r] = above[r] - ww_log2(sum[r]);
        if (s->more) {
            WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++)
                s->to[q * WW_PACK] = s->v[q];
        }
        s->i += WW_ROWS;
    }
}
WW_INLINE float ww_soft_result(const ww_soft_strip *s, const ww_soft_form *t, const uint owned) {
    return ww_soft_owned(s->c, owned);
}
#undef WW_SOFT_GROUP
#define WW_SOFT_GROUP __attribute__((reqd_work_group_size(WW_WG, 1, 1)))
#endif

__kernel WW_SOFT_GROUP void
ww_packed_soft(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
               __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
               __global const uint *restrict x_order, __global const uint *restrict y_order,
               __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
               __global const ww_scalar *restrict x_packed, __global const ulong *restrict x_pack_offset,
               __global const ww_scalar *restrict y_packed, __global const ulong *restrict y_pack_offset,
               __global ww_scalar *scratch, __global uint *restrict counter, const uint packs, const uint units) {
    const uint lane = (uint)get_local_id(0);
    __global float *edges = ww_items_edges(scratch, args, lane);
    __local uint taken;
    ww_soft_strip s;
    s.scale = args.parameters.soft_scale;
    s.root = WW_SOFT_SQUARES ? sqrt(s.scale) : 0;

    for (;;) {
        const uint unit = ww_items_next(counter, &taken, lane);
        if (unit >= units)
            return;
        const ww_items_unit u = ww_items_unit_of(args, unit, packs, x_order, x_pack_offset, lane);
        const uint n = ww_series_load(x_values, x_series, u.x, args.channel).length;
        __global const float *xs = x_packed + x_pack_offset[u.pack] + lane;
        s.rows = u.rows;
        for (uint column = u.column_begin; column < u.column_end; column++) {
            // A pack's first row has the smallest slot.
            if (!ww_items_wants(args, args.row_begin + u.pack * WW_PACK, column))
                continue;
            const uint y_id = ww_items_column(args, u, x_order, y_order, column);
            const ww_series y = ww_series_load(y_values, y_series, y_id, args.channel);
            const uint m = y.length, widest = WW_LIST ? ww_items_length(y_pack_offset, u.pack) : m;
            __global const float *ys = y_packed + y_pack_offset[WW_LIST ? u.pack : 0] + lane;
            float result = WW_SOFT_FAR;
            for (uint first_column = 0; first_column < widest; first_column += WW_COLS) {
                ww_soft_form form;
                s.i = (int)n - (int)u.rows;
                ww_soft_begin_strip(&s, xs, ys, y.at, edges, first_column, widest);
                ww_soft_begin(&s, &form, edges);
                ww_soft_steps(&s, &form, xs);
                if (m > first_column && m <= first_column + WW_COLS)
                    result = ww_soft_result(&s, &form, m - 1 - first_column);
            }
            // Not a number: infinities that met.
            result = result < 0.9f * WW_SOFT_FAR ? result * args.parameters.soft_unit : INFINITY;
            if (u.mine && ww_items_wants(args, u.slot, column))
                ww_store(out, args, u.x, y_id, u.result, ww_final(result, n, m));
        }
    }
}
