// SPDX-License-Identifier: Apache-2.0
// Engine `packed` for GPUs, soft minima of DTW in float: a work-item a pair as in packed_items.cl, whose packs, order of
// work and arguments these are, in tiles of WW_ROWS rows x WW_COLS columns, a strip's (soft_tiles.cl).
//
// Where products do not hold a tile, it is computed by pairs, and after several such tiles the question is asked less often. Where
// the work-items of a warp can agree, all take the same way.
//
// A strip's last row `c` holds P as a double in the one state, and R as a float in its low word in the other.
#define WW_SOFT_PATIENCE 8 // most row-steps by pairs without the question
#ifndef WW_HAS_AGREEMENT
#define ww_all_agree(own) (own)
#endif
#ifndef WW_PACK
#define WW_PACK WW_WG
#endif
#if WW_LIST
#define WW_SOFT_COLUMN(t) ys[(ulong)(t)*WW_PACK]
#else
#define WW_SOFT_COLUMN(t) y.at[t]
#endif
#if WW_SOFT_WIDE
typedef double ww_soft_state;
#define WW_SOFT_LOG(c) as_float(as_uint2(c).x)
#define WW_SOFT_STATE(r) as_double((uint2)(as_uint(r), 0))
#else
typedef float ww_soft_state;
#define WW_SOFT_LOG(c) (c)
#define WW_SOFT_STATE(r) (r)
#endif
#define WW_SOFT_ENTER(q) ww_wide_exp2(base - v[q])
#define WW_SOFT_LEAVE(q) v[q] = base - ww_wide_log2(value);
// D(0,0) may be below padding rows.
#define WW_SOFT_FIRST(q) (at_border && i + q == 0 ? 0.0f : corner)
#define WW_SOFT_PAIR_LEAVES(q) v[q] = value - ww_log2(value_sum);

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_packed_soft(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
               __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
               __global const uint *restrict x_order, __global const uint *restrict y_order,
               __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
               __global const ww_scalar *restrict x_packed, __global const ulong *restrict x_pack_offset,
               __global const ww_scalar *restrict y_packed, __global const ulong *restrict y_pack_offset,
               __global ww_scalar *scratch, __global uint *restrict counter, const uint packs, const uint units) {
    const uint lane = (uint)get_local_id(0);
    __global float *edges = scratch + (ulong)get_group_id(0) * args.scratch * WW_PACK + lane;
    const float scale = args.parameters.soft_scale, unit = args.parameters.soft_unit;
    __local uint taken;

    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0)
            taken = atomic_inc(counter);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint work = taken;
        if (work >= units)
            return;
        const uint chunk = work / packs, pack = packs - 1 - ww_rest(work, packs, chunk);
        const uint slot = args.row_begin + pack * WW_PACK + lane;
        const bool mine = slot < args.row_end;
        __global const float *xs = x_packed + x_pack_offset[pack] + lane;
        const uint rows = (uint)((x_pack_offset[pack + 1] - x_pack_offset[pack]) / WW_PACK);
#if WW_LIST
        const uint task = min(slot, args.row_end - 1);
        const uint id = WW_TASK_RESULT(task);
        const ww_series x = ww_series_load(x_values, x_series, WW_TASK_X(task), args.channel);
        const ww_series y = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);
        __global const float *ys = y_packed + y_pack_offset[pack] + lane;
        const uint widest = (uint)((y_pack_offset[pack + 1] - y_pack_offset[pack]) / WW_PACK);
        const uint n = x.length, m = y.length;
        {
#else
        const uint id = x_order[min(slot, args.row_end - 1)];
        const uint n = ww_series_load(x_values, x_series, id, args.channel).length;
        const uint column_begin = args.column_begin + chunk * args.rows_per_group;
        const uint column_end = min(column_begin + args.rows_per_group, args.column_end);
        for (uint column = column_begin; column < column_end; column++) {
            // Half: a pack's first row has the smallest slot; where even that is not below, nothing is wanted.
            if ((args.flags & WW_LAUNCH_HALF) && column <= args.row_begin + pack * WW_PACK)
                continue;
            const uint y_id = y_order[column];
            const ww_series y = ww_series_load(y_values, y_series, y_id, args.channel);
            const uint m = y.length, widest = m;
#endif
            float result = WW_SOFT_FAR;
            for (uint first_column = 0; first_column < widest; first_column += WW_COLS) {
                const bool at_border = first_column == 0, more = first_column + WW_COLS < widest;
                float b[WW_COLS], most_y = -INFINITY, least_y = INFINITY;
                ww_soft_state c[WW_COLS];
                WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                    // Behind the last point: any other.
                    b[r] = WW_SOFT_COLUMN(min(first_column + r, widest - 1));
                    b[r] = b[r] < INFINITY ? b[r] : b[0];
                    most_y = fmax(most_y, b[r]);
                    least_y = fmin(least_y, b[r]);
                    c[r] = WW_SOFT_STATE(WW_SOFT_FAR);
                }
                int i = (int)n - (int)rows;  // the first row
                float previous = WW_SOFT_FAR;
                // A work-item reads what it has written itself.
                if (at_border)
                    for (uint step = 0; step < rows; step++)
                        edges[(ulong)step * WW_PACK] = WW_SOFT_FAR;
#if WW_SOFT_WIDE
                bool products = false;
                uint doubt = 0, failures = 0;
                float base = 0;  // P is c times 2^-base
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
#if WW_SOFT_WIDE
                    bool fits = false;
                    float best = 0;
                    if (doubt) {
                        doubt--;
                    } else {
                        float most_x = x[0], least_x = x[0], least = v[0], most = v[0];
                        WW_SOFT_UNROLL for (uint q = 1; q < WW_ROWS; q++) {
                            most_x = fmax(most_x, x[q]);
                            least_x = fmin(least_x, x[q]);
                            least = fmin(least, v[q]);
                            most = fmax(most, v[q]);
                        }
                        // R of the strip's last row at least, at most, and in its last column.
                        float low, high, end;
                        if (products) {
                            uint word = as_uint2(c[0]).y, top = word, bottom = word;
                            WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                                word = as_uint2(c[r]).y;
                                top = max(top, word);
                                bottom = min(bottom, word);
                            }
                            low = base - ww_wide_exponent(top);
                            high = base - ww_wide_exponent(bottom);
                            end = base - ww_wide_exponent(word);
                        } else {
                            low = high = end = WW_SOFT_LOG(c[0]);
                            WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++) {
                                end = WW_SOFT_LOG(c[r]);
                                low = fmin(low, end);
                                high = fmax(high, end);
                            }
                        }
                        const float cost =
                            scale * fmax(ww_soft_cost(most_x, least_y), ww_soft_cost(least_x, most_y));
                        best = floor(fmin(fmin(low, least), corner));
                        fits = ww_soft_fits(low, high, end, least, most, v[WW_ROWS - 1], corner, best, cost, WW_COLS) &&
                               (!products || fabs(best + WW_SOFT_LIFT - base) < 1000.0f);
                    }
                    const bool agreed = ww_all_agree(fits);
                    if (agreed) {
                        if (products) {
                            const double shift = ww_wide_power(best + WW_SOFT_LIFT - base);
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                c[r] *= shift;
                        } else {
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                c[r] = ww_wide_exp2(best + WW_SOFT_LIFT - WW_SOFT_LOG(c[r]));
                        }
                        base = best + WW_SOFT_LIFT;
                        products = true;
                        failures = 0;
                        WW_SOFT_PRODUCTS(WW_COLS, ww_wide_exp2(base - corner), WW_SOFT_ENTER, WW_SOFT_NO_NOTE, WW_SOFT_LEAVE)
                    } else
#endif
                    {
#if WW_SOFT_WIDE
                        if (products) {
                            WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                                c[r] = WW_SOFT_STATE(base - ww_wide_log2(c[r]));
                            products = false;
                        }
                        if (doubt == 0) {
                            doubt = failures;
                            failures = min(failures + 1, (uint)WW_SOFT_PATIENCE);
                        }
#endif
                        float above[WW_COLS], sum[WW_COLS];
                        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++) {
                            above[r] = WW_SOFT_LOG(c[r]);
                            sum[r] = 1;
                        }
                        WW_SOFT_PAIRS(WW_COLS, WW_SOFT_FIRST, WW_SOFT_NO_NOTE, WW_SOFT_PAIR_LEAVES)
                        WW_SOFT_UNROLL for (uint r = 0; r < WW_COLS; r++)
                            c[r] = WW_SOFT_STATE(above[r] - ww_log2(sum[r]));
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
                    ww_soft_state found = c[0];
                    WW_SOFT_UNROLL for (uint r = 1; r < WW_COLS; r++)
                        found = r <= owned ? c[r] : found;
#if WW_SOFT_WIDE
                    result = products ? base - ww_wide_log2(found) : WW_SOFT_LOG(found);
#else
                    result = found;
#endif
                }
            }
            // Not a number: infinities that met.
            result = result < 0.9f * WW_SOFT_FAR ? result * unit : INFINITY;
#if WW_LIST
            if (mine)
                ww_store(out, args, 0, 0, id, ww_final(result, n, m));
#else
            if (mine && (!(args.flags & WW_LAUNCH_HALF) || slot < column))
                ww_store(out, args, id, y_id, 0, ww_final(result, n, m));
#endif
        }
    }
}
