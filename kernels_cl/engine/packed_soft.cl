// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs, soft minima of DTW in float: a work-item a pair as in packed_items.cl, whose packs, order of
// work and arguments these are, in tiles of WW_ROWS rows x WW_COLS columns, a strip's (soft_tiles.cl).
//
// A strip's last row is in one of two forms, and a tile is computed in that:
//
//   gauged (WW_SOFT_GAUGED 1)  P(i,j) = S(i,j) 2^-(column(j) + row(i)) with whole numbers column(j) and row(i): S, a float,
//       stays near 1 while P ranges over thousands of bits. A cell is
//           S = exp(-c/gamma) 2^step (up + slope (diagonal + 2^-step left)),
//       step what row(i) grows by, slope = 2^(column(j) - column(j-1)): an exponential, three multiply-adds or products,
//       and what the cost takes. row(i) follows what enters from the left where that falls, and grows with a tile's
//       greatest cost; column(j) is set anew after each tile, so that S is 1 to 2. The values that leave to the right
//       are R.
//   pairs  the log domain, a tile at a time (soft_tiles.cl).
//
// Whether gauges hold a tile is known when it has been computed: no S was below 2^WW_SOFT_LOW (nothing that would count
// was lost), none of its last row above 2^WW_SOFT_HIGH. Else it is computed again by pairs, and after several such tiles the
// question is asked less often. Where the work-items of a warp can agree, all take the same way.
//
// Where R falls by more than 2^-WW_SOFT_SLOPE shows from one column to the next, S is left above 2 by up to WW_SOFT_ABOVE bits;
// where that is not enough, nothing from the left counts to the right: the slope is 0, and `cut` is by how much R falls there.
// A strip has one such place at most.
#ifndef WW_SOFT_GAUGED
#define WW_SOFT_GAUGED 0
#endif
#define WW_SOFT_ONE 0x3f800000
#define WW_SOFT_POWER(bits) (WW_SOFT_ONE + (bits) * (1 << 23))  // 2^bits as the float's bits
#define WW_SOFT_EXPONENT(a) ((as_int(a) >> 23) - 127)
#define WW_SOFT_LOW (-100)
#define WW_SOFT_HIGH 126
#define WW_SOFT_SLOPE (-124)  // the least
#define WW_SOFT_ABOVE 126
#define WW_SOFT_FEW 20        // up to so many bits of it are found without asking where
#define WW_SOFT_ROOM 30.0f  // what enters from the left is at most 2^this
#define WW_SOFT_FALL 60.0f  // bits that a path down a tile may fall by
#define WW_SOFT_STEEP 110.0f
#define WW_SOFT_ROUND 12582912.0f
#define WW_SOFT_MOST 4194304.0f  // |R| of which every bit is a whole one
#define WW_SOFT_PATIENCE 8 // most row-steps by pairs without the question
#ifndef WW_HAS_AGREEMENT
#define ww_all_agree(own) (own)
#endif
#if WW_LIST
#define WW_SOFT_COLUMN(t) ys[(ulong)(t)*WW_PACK]
#else
#define WW_SOFT_COLUMN(t) y.at[t]
#endif
// A tile's points where the cost is the square of their difference: times `root`, less what is the first point of the strip, so that
// their rounding is that of what the strip spans. Then `scale` is in them.
#if WW_COST == 1
#define WW_SOFT_SCALED(a) fma(a, root, -origin)
#define WW_SOFT_EXPONENT_OF(x, y, rise) fma(-((x) - (y)), (x) - (y), rise)
#else
#define WW_SOFT_SCALED(a) (a)
#define WW_SOFT_EXPONENT_OF(x, y, rise) fma(-scale, ww_soft_cost(x, y), rise)
#endif
// D(0,0) may be below padding rows.
#define WW_SOFT_FIRST(q) (at_border && i + q == 0 ? 0.0f : corner)
#define WW_SOFT_PAIR_LEAVES(q) v[q] = value - ww_log2(value_sum);

#if WW_SOFT_GAUGED
// By how much column() grows at a slope.
WW_INLINE float ww_soft_rise(float slope, int cut) {
    return slope > 0 ? (float)WW_SOFT_EXPONENT(slope) : -(float)cut;
}
// Sets column() anew where slopes are at their least; whether that can be. Only where `write` is set it is done.
WW_INLINE bool ww_soft_settle(__local float (*c)[WW_WG], __local float (*slope)[WW_WG], uint lane, int *cut, float *first_gauge,
                              float *last_gauge, bool write) {
    int less = WW_SOFT_EXPONENT(c[0][lane]), next_cut = 0;
    const int first = less;
    bool holds = true;
    if (write)
        c[0][lane] = as_float(as_int(c[0][lane]) - less * (1 << 23));
#pragma unroll 1
    for (uint r = 1; r < WW_COLS; r++) {
        const float value = c[r][lane], before = slope[r][lane];
        const int own = WW_SOFT_EXPONENT(value), fall = (before > 0 ? -WW_SOFT_EXPONENT(before) : *cut) + own - less;
        const bool cuts = fall > WW_SOFT_ABOVE - WW_SOFT_SLOPE;
        const int here = cuts ? fall : min(fall, -WW_SOFT_SLOPE);
        holds = holds && !(cuts && next_cut);
        next_cut = cuts ? fall : next_cut;
        less = own - (fall - here);
        if (write) {
            slope[r][lane] = cuts ? 0.0f : as_float(WW_SOFT_POWER(-here));
            c[r][lane] = as_float(as_int(value) - less * (1 << 23));
        }
    }
    if (write) {
        *cut = next_cut;
        *first_gauge -= (float)first;
        *last_gauge -= (float)less;
    }
    return holds;
}
#endif

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_packed_soft(WW_ITEMS_ARGUMENTS) {
    const uint lane = (uint)get_local_id(0);
    __global float *edges = WW_ITEMS_EDGES;
    const float scale = args.parameters.soft_scale;
#if WW_SOFT_GAUGED && WW_COST == 1
    const float root = sqrt(scale);
#endif
    __local uint taken;
#if WW_SOFT_GAUGED
    __local float kept[WW_COLS][WW_WG], slopes[WW_COLS][WW_WG];  // c and slope, where a tile's may not stay
#endif

    for (;;) {
        WW_ITEMS_UNIT
        WW_ITEMS_EACH {
            WW_ITEMS_COLUMN
            float result = WW_SOFT_FAR;
            for (uint first_column = 0; first_column < widest; first_column += WW_COLS) {
                const bool at_border = first_column == 0, more = first_column + WW_COLS < widest;
                float b[WW_COLS], most_y = -INFINITY, least_y = INFINITY;
                float c[WW_COLS];
                WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                    // Behind the last point: any other.
                    b[r] = WW_SOFT_COLUMN(min(first_column + r, widest - 1));
                    b[r] = b[r] < INFINITY ? b[r] : b[0];
                    most_y = fmax(most_y, b[r]);
                    least_y = fmin(least_y, b[r]);
                    c[r] = WW_SOFT_FAR;
                }
                int i = (int)n - (int)rows;  // the first row
                float previous = WW_SOFT_FAR;
                // A work-item reads what it has written itself.
                if (at_border)
                    for (uint step = 0; step < rows; step++)
                        edges[(ulong)step * WW_PACK] = WW_SOFT_FAR;
#if WW_SOFT_GAUGED
                bool gauged = false;
                uint doubt = 0, failures = 0;
                float slope[WW_COLS] = {0}, first_gauge = 0, last_gauge = 0;  // column() of the strip's first and last
                int cut = 0;
#endif
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
#if WW_SOFT_GAUGED
                    bool done = false;
                    if (doubt) {
                        doubt--;
                    } else {
                        float most_x = x[0], least_x = x[0];
                        WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {
                            most_x = fmax(most_x, x[q]);
                            least_x = fmin(least_x, x[q]);
                        }
                        const float cost = scale * fmax(ww_soft_cost(most_x, least_y), ww_soft_cost(least_x, most_y));
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
                                cut = 0;
                                gauged = true;
                            }
                            const float climb = fmax(cost - WW_SOFT_FALL / WW_ROWS, 0.0f) + WW_SOFT_ROUND - WW_SOFT_ROUND;
                            const float enters = WW_SOFT_ROUND + first_gauge - WW_SOFT_ROOM;
                            float row = 0, diagonal = ww_exp2(first_gauge - corner);
                            int least = WW_SOFT_ONE, most = WW_SOFT_ONE;
#if WW_COST == 1
                            const float origin = b[0] * root;
#endif
                            float y[WW_COLS];
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                                y[r] = WW_SOFT_SCALED(b[r]);
                                kept[r][lane] = c[r];
                            }
                            WW_SOFT_UNROLL for (int q = 0; q < WW_ROWS; q++) {
                                const float next = fmin(row + climb, v[q] + WW_SOFT_ROUND - enters), rise = next - row;
                                const float back = ww_exp2(-rise), own = WW_SOFT_SCALED(x[q]);
                                float last = diagonal, value = ww_exp2(first_gauge + next - v[q]);
                                diagonal = value;
                                row = next;
                                WW_SOFT_UNROLL for (int r = 0; r < WW_COLS; r++) {
                                    const float factor = ww_exp2(WW_SOFT_EXPONENT_OF(own, y[r], rise));
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
                            } else {
                                WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                    c[r] = kept[r][lane];
                                WW_SOFT_UNROLL for (uint q = 0; q < WW_ROWS; q++)
                                    v[q] = ew[q * WW_PACK];
                            }
                        }
                        bool settled = false;
                        if (done) {
                            // Each S less its exponent, for column(): `off`, with a float's bias.
                            int off = as_int(c[0]) & 0x7f800000, least = WW_SOFT_ONE;
                            const int first_off = off;
                            float next_c[WW_COLS], next_slope[WW_COLS];
                            next_c[0] = as_float(as_int(c[0]) - off + WW_SOFT_ONE);
                            WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                                const int before = as_int(slope[r]), wanted = before + (off - (as_int(c[r]) & 0x7f800000));
                                const int here = max(wanted, WW_SOFT_POWER(WW_SOFT_SLOPE));
                                least = min(least, wanted);
                                next_slope[r] = as_float(here);
                                off += before - here;
                                next_c[r] = as_float(as_int(c[r]) - off + WW_SOFT_ONE);
                            }
                            if (ww_all_agree(least >= WW_SOFT_POWER(WW_SOFT_SLOPE - WW_SOFT_FEW) && !cut)) {
                                WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                                    c[r] = next_c[r];
                                    slope[r] = next_slope[r];
                                }
                                first_gauge -= (float)((first_off >> 23) - 127);
                                last_gauge -= (float)((off >> 23) - 127);
                                settled = true;
                            }
                            failures = 0;
                        } else {
                            doubt = failures;
                            failures = min(failures + 1, (uint)WW_SOFT_PATIENCE);
                        }
                        if (gauged && !settled) {
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                                kept[r][lane] = c[r];
                                slopes[r][lane] = slope[r];
                            }
                            gauged = done && ww_all_agree(ww_soft_settle(kept, slopes, lane, &cut, &first_gauge, &last_gauge, false));
                            if (gauged) {
                                ww_soft_settle(kept, slopes, lane, &cut, &first_gauge, &last_gauge, true);
                            } else {
                                float here = first_gauge;
                                kept[0][lane] = here - ww_log2(c[0]);
#pragma unroll 1
                                for (uint r = 1; r < WW_COLS; r++) {
                                    here += ww_soft_rise(slopes[r][lane], cut);
                                    kept[r][lane] = here - ww_log2(kept[r][lane]);
                                }
                            }
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                                c[r] = kept[r][lane];
                                slope[r] = slopes[r][lane];
                            }
                        }
                    }
                    if (!done)
#endif
                    {
                        float above[WW_COLS], sum[WW_COLS];
                        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                            above[r] = c[r];
                            sum[r] = 1;
                        }
                        WW_SOFT_PAIRS(WW_COLS, WW_SOFT_FIRST, WW_SOFT_NO_NOTE, WW_SOFT_PAIR_LEAVES)
                        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                            c[r] = above[r] - ww_log2(sum[r]);
                    }
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
#if WW_SOFT_GAUGED
                    float here = first_gauge, gauge = here;
                    WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                        here += ww_soft_rise(slope[r], cut);
                        gauge = r <= owned ? here : gauge;
                    }
#endif
                    WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++)
                        found = r <= owned ? c[r] : found;
                    result = found;
#if WW_SOFT_GAUGED
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
