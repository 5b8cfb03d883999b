// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs, soft minima of DTW in float: a work-item a pair as in packed_items.cl, whose packs, order of
// work and arguments these are, in tiles of WW_ROWS rows x WW_COLS columns, a strip's (soft_tiles.cl).
//
// Tried, not taken: strips of 20 or 24 columns 2.26, 2.12, 16 rows 1.94, rows in a loop 1.66 to 1.88, for 2.27 TCUPS.
//
// Besides pairs a tile has one more form, by the program:
//
//   products (WW_SOFT_WIDE 1)  see soft_tiles.cl. A strip hands on, for each row, R of its last column as a float, or after a tile
//       of products the high word of P, times the power of two that was the tile's: that takes no exponential and no logarithm.
//       For each tile there is a word more, behind those of the rows: the power's exponent, or WW_SOFT_FAR for R.
//   gauged (WW_SOFT_GAUGED 1)  P(i,j) = S(i,j) 2^-(column(j) + row(i)) with whole numbers column(j) and row(i), and S a float.
//       A cell is
//           S = exp(-c/gamma) 2^rise (up + slope (diagonal + 2^-rise left)),
//       rise what row(i) grows by, slope = 2^(column(j) - column(j-1)): an exponential, three multiply-adds or products, and
//       what the cost takes. row(i) follows what enters from the left where that falls, and grows with the greatest cost of
//       the tile; column(j) is set anew after each tile, so that S is 1 to 2, or where R falls too much from one column to
//       the next, above. Whether gauges hold a tile is known when it has been computed: no S was below 2^WW_SOFT_LOW
//       (nothing that would count was lost), none of its last row above 2^WW_SOFT_HIGH. So S never is above 2^121.
//
// Where the other form does not hold a tile, it is computed by pairs, and after several such tiles the question is asked less
// often. Where the work-items of a warp can agree, all take the same way. Pairs beside another form are rare: their rows are a
// loop, for the instruction cache. Unrolled, such a tile took the time of ten of products.
//
// A strip's last row `c` holds P as a double, or S, in the one state, and R as a float (of a double its low word) in the other.
#ifndef WW_SOFT_GAUGED
#define WW_SOFT_GAUGED 0
#endif
#define WW_SOFT_ONE 0x3f800000
#define WW_SOFT_POWER(bits) (WW_SOFT_ONE + (bits) * (1 << 23))  // 2^bits as the float's bits
#define WW_SOFT_BITS(a) ((float)((as_int(a) >> 23) - 127))      // log2 of a power of two
#define WW_SOFT_LOW (-50)
#define WW_SOFT_HIGH 70
#define WW_SOFT_SLOPE (-120)  // the least
#define WW_SOFT_ROOM 30.0f    // what enters from the left is at most 2^this
#define WW_SOFT_FALL 40.0f    // bits that a path down a tile may fall by
#define WW_SOFT_STEEP 110.0f  // most of a cost
#define WW_SOFT_ROUND 12582912.0f
#define WW_SOFT_MOST 4194304.0f  // |R| of which every bit is a whole one
// Where the cost is the square of the points' difference they are times `root`, less what is the first point of the strip, so that
// they are rounded by what the strip spans. Then `scale` is in them.
#if WW_COST == 1 && (WW_SOFT_WIDE || WW_SOFT_GAUGED)
#define WW_SOFT_SCALED(a) fma(a, root, -origin)
#undef WW_SOFT_ADDED
#define WW_SOFT_ADDED(x, y, least) fma((x) - (y), (x) - (y), least)
#define WW_SOFT_RAISED(x, y, rise) fma(-((x) - (y)), (x) - (y), rise)
#define WW_SOFT_BITS_OF(x, y) (((x) - (y)) * ((x) - (y)))
#else
#define WW_SOFT_SCALED(a) (a)
#define WW_SOFT_RAISED(x, y, rise) fma(-scale, ww_soft_cost(x, y), rise)
#define WW_SOFT_BITS_OF(x, y) (scale * ww_soft_cost(x, y))
#endif
#define WW_SOFT_NO_NOTE(q, r)
#define WW_SOFT_PATIENCE 8 // most row-steps by pairs without the question
#if WW_LIST
#define WW_SOFT_COLUMN(t) ys[(ulong)(t)*WW_PACK]
#else
#define WW_SOFT_COLUMN(t) y.at[t]
#endif
// D(0,0) may be below padding rows.
#define WW_SOFT_FIRST(q) (at_border && i + q == 0 ? 0.0f : corner)

// What a tile of row `step` takes, which a[] and l[] have; `xa` and `ea` are then at the next one's.
#define WW_SOFT_TAKE                                                                                                   \
    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {                                                                \
        x[q] = WW_SOFT_SCALED(a[q]);                                                                                   \
        v[q] = l[q];                                                                                                   \
    }                                                                                                                  \
    ew = ea;                                                                                                           \
    if (step + WW_ROWS < rows) {                                                                                       \
        xa += WW_ROWS * WW_PACK;                                                                                       \
        ea += WW_ROWS * WW_PACK;                                                                                       \
    }
#define WW_SOFT_READ(q)                                                                                                \
    a[q] = xa[(q)*WW_PACK];                                                                                            \
    l[q] = ea[(q)*WW_PACK];
// A tile by pairs, c being R: a loop over rows, which reads their points and values again. WW_SOFT_READ_R(word): R of such a value.
#define WW_SOFT_PAIRS_LOOP                                                                                             \
    float above[WW_COLS], sum[WW_COLS];                                                                                \
    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {                                                                \
        above[r] = WW_SOFT_LOG(c[r]);                                                                                  \
        sum[r] = 1;                                                                                                    \
    }                                                                                                                  \
    __global const float *const xr = xs + (ulong)step * WW_PACK;                                                       \
    float x_next = xr[0], v_next = ew[0];                                                                              \
    _Pragma("unroll 1") for (int q = 0; q < WW_ROWS; q++) {                                                            \
        const int next_row = min(q + 1, WW_ROWS - 1);                                                                  \
        const float x_own = WW_SOFT_SCALED(x_next);                                                                    \
        float last = WW_SOFT_FIRST(q), last_sum = 1, value = WW_SOFT_READ_R(v_next), value_sum = 1;                    \
        x_next = xr[next_row * WW_PACK];                                                                               \
        v_next = ew[next_row * WW_PACK];                                                                               \
        corner = value;                                                                                                \
        WW_SOFT_PAIRS_ROW(WW_COLS, q, x_own, WW_SOFT_NO_NOTE)                                                          \
        ew[q * WW_PACK] = value - ww_log2(value_sum);                                                                  \
    }                                                                                                                  \
    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)                                                                  \
        c[r] = WW_SOFT_STATE(above[r] - ww_log2(sum[r]));
#if WW_SOFT_WIDE
#define WW_SOFT_READ_R(word) (v_base < WW_SOFT_FAR ? v_base - ww_wide_log2_of(as_uint(word)) : (word))
#else
#define WW_SOFT_READ_R(word) (word)
#endif
#define WW_SOFT_LEAVES(q) v[q] = value - ww_log2(value_sum);
#if WW_SOFT_WIDE
// Besides, the base of v[] (WW_SOFT_FAR: v[] is R), R of it at least, at most, and in the tile's last row, and the corner's.
#define WW_SOFT_TAKE_WIDE                                                                                              \
    WW_SOFT_TAKE                                                                                                       \
    corner = at_border && i == 0 ? 0.0f : last_left;                                                                   \
    v_base = next_base;                                                                                                \
    base_to = bases;                                                                                                   \
    if (step + WW_ROWS < rows)                                                                                         \
        bases += WW_PACK;                                                                                              \
    most_x = least_x = x[0];                                                                                           \
    WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {                                                                \
        most_x = fmax(most_x, x[q]);                                                                                   \
        least_x = fmin(least_x, x[q]);                                                                                 \
    }                                                                                                                  \
    if (v_base < WW_SOFT_FAR) {                                                                                        \
        uint top = as_uint(v[0]), bottom = top;                                                                        \
        WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {                                                            \
            top = max(top, as_uint(v[q]));                                                                             \
            bottom = min(bottom, as_uint(v[q]));                                                                       \
        }                                                                                                              \
        least = v_base - ww_wide_exponent(top);                                                                        \
        most = v_base - ww_wide_exponent(bottom);                                                                      \
        last_left = v_base - ww_wide_log2_of(as_uint(v[WW_ROWS - 1]));                                                 \
    } else {                                                                                                           \
        least = most = v[0];                                                                                           \
        WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {                                                            \
            least = fmin(least, v[q]);                                                                                 \
            most = fmax(most, v[q]);                                                                                   \
        }                                                                                                              \
        last_left = v[WW_ROWS - 1];                                                                                    \
    }
// `fits`: whether products hold the tile; then its base is `best` + WW_SOFT_LIFT.
#define WW_SOFT_ASK                                                                                                    \
    float low, high, end;                                                                                              \
    WW_SOFT_LAST_ROW(low, high, end)                                                                                   \
    const float cost = fmax(WW_SOFT_BITS_OF(most_x, least_y), WW_SOFT_BITS_OF(least_x, most_y));                             \
    best = floor(fmin(fmin(low, least), corner));                                                                      \
    const bool fits = ww_soft_fits(low, high, end, least, most, last_left, corner, best, cost, WW_COLS);
#endif

#if WW_SOFT_WIDE || WW_SOFT_GAUGED
__kernel WW_SOFT_GROUP void
ww_packed_soft(WW_ITEMS_ARGUMENTS) {
    const uint lane = (uint)get_local_id(0);
    __global float *edges = WW_ITEMS_EDGES;
    const float scale = args.parameters.soft_scale;
#if WW_COST == 1
    const float root = sqrt(scale);
#endif
#if WW_SOFT_GAUGED
    __local float kept[WW_COLS][WW_WG];  // c of a tile that gauges may not hold
#endif
    __local uint taken;

    for (;;) {
        WW_ITEMS_UNIT
        WW_ITEMS_EACH {
            WW_ITEMS_COLUMN
            float result = WW_SOFT_FAR;
            for (uint first_column = 0; first_column < widest; first_column += WW_COLS) {
                const bool at_border = first_column == 0;
                float b[WW_COLS], most_y = -INFINITY, least_y = INFINITY;
                ww_soft_state c[WW_COLS];
#if WW_COST == 1
                const float origin = WW_SOFT_COLUMN(first_column) * root;
#endif
                WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                    // Behind the last point: any other.
                    b[r] = WW_SOFT_SCALED(WW_SOFT_COLUMN(min(first_column + r, widest - 1)));
                    b[r] = b[r] < INFINITY ? b[r] : b[0];
                    most_y = fmax(most_y, b[r]);
                    least_y = fmin(least_y, b[r]);
                    c[r] = WW_SOFT_STATE(WW_SOFT_FAR);
                }
                int i = (int)n - (int)rows;  // the first row
                // A work-item reads what it has written itself.
                if (at_border)
                    for (uint step = 0; step < rows + WW_SOFT_WIDE * rows / WW_ROWS; step++)
                        edges[(ulong)step * WW_PACK] = WW_SOFT_FAR;
                float a[WW_ROWS], l[WW_ROWS], x[WW_ROWS], v[WW_ROWS], corner;
                __global const float *xa = xs;
                __global float *ea = edges, *ew;
                WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
                    WW_SOFT_READ(q)
                }
                uint step = 0;
#if WW_SOFT_WIDE
                __global float *bases = edges + (ulong)rows * WW_PACK, *base_to;
                bool products = false;
                uint doubt = 0, failures = 0;
                float base = 0;  // P is c times 2^-base
                float next_base = bases[0], v_base, most_x, least_x, least, most, last_left = WW_SOFT_FAR, best;
#pragma unroll 1
                while (step < rows) {
                    WW_SOFT_TAKE_WIDE
                    const bool asked = doubt == 0;
                    bool agreed = false;
                    if (asked) {
                        WW_SOFT_ASK
                        agreed = ww_all_agree(fits);
                    } else {
                        doubt--;
                    }
                    if (agreed) {
                        base = best + WW_SOFT_LIFT;
                        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                            c[r] = ww_wide_exp2(base - WW_SOFT_LOG(c[r]));
                        products = true;
                        failures = 0;
                        // All tiles that follow each other so, in a loop of their own: c stays where it is.
#pragma unroll 1
                        for (;;) {
                            if (v_base < WW_SOFT_FAR) {
                                const int shift = (int)clamp(base - v_base, -2047.0f, 2047.0f) * (1 << 20);
                                WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                                    v[q] = as_float(max(as_int(v[q]) + shift, 0));
                            } else {
                                WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++)
                                    v[q] = as_float(as_uint2(ww_wide_exp2(base - v[q])).y);
                            }
                            double diagonal = ww_wide_exp2(base - corner);
                            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
                                double last = diagonal, value = as_double((uint2)(0, as_uint(v[q])));
                                diagonal = value;
                                WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
                                    const double up = c[r], wide = ww_wide(ww_exp2(-WW_SOFT_BITS_OF(x[q], b[r])));
                                    value = fma(wide, value, wide * (up + last));
                                    last = up;
                                    c[r] = value;
                                }
                                ew[q * WW_PACK] = as_float(as_uint2(value).y + (as_uint2(value).x >> 31));
                                // The next tile's, where this row's were; the last row's while there is time.
                                if (q < WW_ROWS - 1) {
                                    WW_SOFT_READ(q)
                                }
                                if (q == WW_ROWS - 2) {
                                    WW_SOFT_READ(WW_ROWS - 1)
                                    next_base = *bases;
                                }
                            }
                            *base_to = base;
                            i += WW_ROWS;
                            step += WW_ROWS;
                            if (step >= rows)
                                break;
                            WW_SOFT_TAKE_WIDE
                            WW_SOFT_ASK
                            if (!ww_all_agree(fits && fabs(best + WW_SOFT_LIFT - base) < 1000.0f))
                                break;
                            const double shift = ww_wide_power(best + WW_SOFT_LIFT - base);
                            base = best + WW_SOFT_LIFT;
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                c[r] *= shift;
                        }
                        if (step >= rows)
                            break;
                        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                            c[r] = WW_SOFT_STATE(base - ww_wide_log2(c[r]));
                        products = false;
                    }
                    if (asked) {
                        doubt = failures;
                        failures = min(failures + 1, (uint)WW_SOFT_PATIENCE);
                    }
                    WW_SOFT_PAIRS_LOOP
                    *base_to = WW_SOFT_FAR;
                    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
                        WW_SOFT_READ(q)
                    }
                    next_base = *bases;
                    i += WW_ROWS;
                    step += WW_ROWS;
                }
#else
                float previous = WW_SOFT_FAR;
                bool gauged = false;
                uint doubt = 0, failures = 0;
                float slope[WW_COLS], first_gauge = 0, last_gauge = 0;  // column() of the strip's first and last
#pragma unroll 1
                for (; step < rows; step += WW_ROWS) {
                    WW_SOFT_TAKE
                    corner = at_border && i == 0 ? 0.0f : previous;
                    previous = v[WW_ROWS - 1];
                    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
                        WW_SOFT_READ(q)
                    }
                    bool done = false;
                    if (doubt) {
                        doubt--;
                    } else {
                        float most_x = x[0], least_x = x[0];
                        WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {
                            most_x = fmax(most_x, x[q]);
                            least_x = fmin(least_x, x[q]);
                        }
                        const float cost = fmax(WW_SOFT_BITS_OF(most_x, least_y), WW_SOFT_BITS_OF(least_x, most_y));
                        bool fits = cost < WW_SOFT_STEEP;
                        if (!gauged) {
                            // R within what slopes span.
                            float before = rint(c[0]);
                            fits = fits && fabs(before) < WW_SOFT_MOST;
                            WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                                const float here = fmax(rint(c[r]), before + WW_SOFT_SLOPE);
                                fits = fits && here - before < WW_SOFT_STEEP && here - c[r] < WW_SOFT_HIGH;
                                before = here;
                            }
                        }
                        if (ww_all_agree(fits)) {
                            if (!gauged) {
                                first_gauge = last_gauge = rint(c[0]);
                                c[0] = ww_exp2(first_gauge - c[0]);
                                WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                                    const float here = fmax(rint(c[r]), last_gauge + WW_SOFT_SLOPE);
                                    slope[r] = as_float(WW_SOFT_POWER((int)(here - last_gauge)));
                                    c[r] = ww_exp2(here - c[r]);
                                    last_gauge = here;
                                }
                                gauged = true;
                            }
                            const float climb = fmax(cost - WW_SOFT_FALL / WW_ROWS, 0.0f) + WW_SOFT_ROUND - WW_SOFT_ROUND;
                            const float enters = WW_SOFT_ROUND + first_gauge - WW_SOFT_ROOM;
                            float row = 0, diagonal = ww_exp2(first_gauge - corner);
                            int least = WW_SOFT_ONE, most = WW_SOFT_ONE;
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                kept[r][lane] = c[r];
                            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
                                const float next = fmin(row + climb, v[q] + WW_SOFT_ROUND - enters), rise = next - row;
                                const float back = ww_exp2(-rise);
                                float last = diagonal, value = ww_exp2(first_gauge + next - v[q]);
                                diagonal = value;
                                row = next;
                                WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
                                    const float factor = ww_exp2(WW_SOFT_RAISED(x[q], b[r], rise));
                                    const float up = c[r], side = fma(back, value, last);
                                    value = factor * (r ? fma(slope[r], side, up) : side + up);
                                    last = up;
                                    c[r] = value;
                                    least = min(least, as_int(value));
                                }
                                v[q] = last_gauge + row - ww_log2(value);
                            }
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                most = max(most, as_int(c[r]));
                            done = ww_all_agree(least > WW_SOFT_POWER(WW_SOFT_LOW) && most < WW_SOFT_POWER(WW_SOFT_HIGH) &&
                                                fabs(first_gauge) < WW_SOFT_MOST);
                            if (done) {
                                first_gauge += row;
                                last_gauge += row;
                                WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++)
                                    ew[q * WW_PACK] = v[q];
                            } else {
                                WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                    c[r] = kept[r][lane];
                            }
                        }
                        if (done) {
                            // Each S less its exponent, for column(); where the slope would be less than it may, less less.
                            int off = as_int(c[0]) & 0x7f800000;
                            first_gauge -= WW_SOFT_BITS(as_float(off));
                            c[0] = as_float(as_int(c[0]) - off + WW_SOFT_ONE);
                            WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                                const int before = as_int(slope[r]), own = as_int(c[r]) & 0x7f800000;
                                const int here = max(before + (off - own), WW_SOFT_POWER(WW_SOFT_SLOPE));
                                slope[r] = as_float(here);
                                off += before - here;
                                c[r] = as_float(as_int(c[r]) - off + WW_SOFT_ONE);
                            }
                            last_gauge -= WW_SOFT_BITS(as_float(off));
                            failures = 0;
                        } else {
                            doubt = failures;
                            failures = min(failures + 1, (uint)WW_SOFT_PATIENCE);
                        }
                        if (gauged && !done) {
                            float here = first_gauge;
                            c[0] = here - ww_log2(c[0]);
                            WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                                here += WW_SOFT_BITS(slope[r]);
                                c[r] = here - ww_log2(c[r]);
                            }
                            gauged = false;
                        }
                    }
                    if (!done) {
                        WW_SOFT_PAIRS_LOOP
                    }
                    i += WW_ROWS;
                }
#endif
                if (m > first_column && m <= first_column + WW_COLS) {
                    // The last r <= owned wins; an equality would let the compiler index c and keep it in memory.
                    const uint owned = m - 1 - first_column;
                    ww_soft_state found = c[0];
                    WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++)
                        found = r <= owned ? c[r] : found;
#if WW_SOFT_WIDE
                    result = products ? base - ww_wide_log2(found) : WW_SOFT_LOG(found);
#else
                    float here = first_gauge, gauge = here;
                    WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                        here += WW_SOFT_BITS(slope[r]);
                        gauge = r <= owned ? here : gauge;
                    }
                    result = gauged ? gauge - ww_log2(found) : found;
#endif
                }
            }
            // Not a number: infinities that met.
            result = result < 0.9f * WW_SOFT_FAR ? result * args.parameters.soft_unit : INFINITY;
            WW_ITEMS_STORE(result)
        }
    }
}
#else
// By pairs alone: for a small gamma, and where doubles are slow.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_packed_soft(WW_ITEMS_ARGUMENTS) {
    const uint lane = (uint)get_local_id(0);
    __global float *edges = WW_ITEMS_EDGES;
    const float scale = args.parameters.soft_scale;
    __local uint taken;

    for (;;) {
        WW_ITEMS_UNIT
        WW_ITEMS_EACH {
            WW_ITEMS_COLUMN
            float result = WW_SOFT_FAR;
            for (uint first_column = 0; first_column < widest; first_column += WW_COLS) {
                const bool at_border = first_column == 0, more = first_column + WW_COLS < widest;
                float b[WW_COLS], c[WW_COLS];
                WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                    // Behind the last point: any other.
                    b[r] = WW_SOFT_COLUMN(min(first_column + r, widest - 1));
                    b[r] = b[r] < INFINITY ? b[r] : b[0];
                    c[r] = WW_SOFT_FAR;
                }
                int i = (int)n - (int)rows;  // the first row
                float previous = WW_SOFT_FAR;
                // A work-item reads what it has written itself.
                if (at_border)
                    for (uint step = 0; step < rows; step++)
                        edges[(ulong)step * WW_PACK] = WW_SOFT_FAR;
                float a[WW_ROWS], l[WW_ROWS];
                __global const float *xa = xs;
                __global float *ea = edges;
                WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
                    a[q] = xa[q * WW_PACK];
                    l[q] = ea[q * WW_PACK];
                }
#pragma unroll 1
                for (uint step = 0; step < rows; step += WW_ROWS) {
                    float x[WW_ROWS], v[WW_ROWS];
                    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
                        x[q] = a[q];
                        v[q] = l[q];
                    }
                    float corner = at_border && i == 0 ? 0.0f : previous;
                    previous = l[WW_ROWS - 1];
                    __global float *const ew = ea;
                    if (step + WW_ROWS < rows) {
                        xa += WW_ROWS * WW_PACK;
                        ea += WW_ROWS * WW_PACK;
                    }
                    WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++) {
                        a[q] = xa[q * WW_PACK];
                        l[q] = ea[q * WW_PACK];
                    }
                    float above[WW_COLS], sum[WW_COLS];
                    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                        above[r] = c[r];
                        sum[r] = 1;
                    }
                    WW_SOFT_PAIRS(WW_COLS, WW_SOFT_FIRST, WW_SOFT_NO_NOTE, WW_SOFT_LEAVES)
                    WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                        c[r] = above[r] - ww_log2(sum[r]);
                    if (more) {
                        WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++)
                            ew[q * WW_PACK] = v[q];
                    }
                    i += WW_ROWS;
                }
                if (m > first_column && m <= first_column + WW_COLS) {
                    // The last r <= owned wins; an equality would let the compiler index c and keep it in memory.
                    const uint owned = m - 1 - first_column;
                    float found = c[0];
                    WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++)
                        found = r <= owned ? c[r] : found;
                    result = found;
                }
            }
            // Not a number: infinities that met.
            result = result < 0.9f * WW_SOFT_FAR ? result * args.parameters.soft_unit : INFINITY;
            WW_ITEMS_STORE(result)
        }
    }
}
#endif
