// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on a GPU: a work-group takes WW_WG * WW_DIAGONALS neighbouring diagonals and
// WW_BLOCK_ROWS rows, a work-item WW_DIAGONALS neighbouring diagonals. Covariances are in registers, and so are the
// columns that they are at: each step one column enters and one leaves. Rows and columns are staged in local memory,
// WW_PART rows at a time, WW_CHANNELS * 16 bytes for each of (WW_WG + WW_PART / WW_DIAGONALS) * (WW_DIAGONALS + 1)
// places: the one unused place after WW_DIAGONALS columns keeps work-items on different banks. Two barriers a part, four
// where something is above a limit.
//
// Tried, not taken: a queue in local memory (-2 % of the time), float columns by planes (+7 %), 4096 rows (no gain).
//
// Columns are a ring: a part takes in WW_PART new ones, and the others keep their limits.
//
// The steps only ask whether any cell of WW_DIAGONALS x WW_DIAGONALS is above the least limit of their rows and columns:
// cov n_i n_j > limit of one channel as cov - (limit / n_i) / n_j > 0, one multiply-add, and half a maximum of three
// integers: a positive float is a positive integer. At the part's end the group follows the diagonals where a cell was
// above it once more, from the covariances that the part began with, a work-item a diagonal: first each cell above a limit
// of its own raises it, then what is still above one is listed.
#ifndef WW_WG
#define WW_WG 128
#endif
#ifndef WW_DIAGONALS
#define WW_DIAGONALS 8 // a power of two
#endif

#ifndef WW_PART
#define WW_PART 64 // rows staged at a time
#endif

#define WW_STEPS (WW_PART / 32 > WW_DIAGONALS ? WW_PART / 32 : WW_DIAGONALS) // rows of a bit that says where a limit is exceeded
#define WW_WIDTH (WW_WG * WW_DIAGONALS)
#define WW_TAPS (WW_PART * 2) // points staged at a time for the first covariances
#define WW_NO_LIMIT 1e30f // is above all
#define WW_SPAN (WW_WIDTH + WW_PART)
#define WW_PLACE(c) (WW_DIAGONALS > 1 ? (c) + (c) / WW_DIAGONALS : (c))
#define WW_PLACES (WW_PLACE(WW_SPAN) + 1)
#define WW_WRAP(c) ((c) < WW_SPAN ? (c) : (c) - WW_SPAN)

#if WWK_DOUBLE
typedef double4 real4;
#else
typedef float4 real4;
#endif

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_wide; // first covariances are summed in it
#define ww_wide_minus(a, b) ((a) - (b))
#define ww_wide_add(sum, a, b) fma(a, b, sum)
#define ww_wide_real(a) ((real)(a))
#define WW_WIDE_ZERO 0.0

// Positive for numbers above 0, not for others.
#if WWK_DOUBLE
#define ww_order(a) as_int2(a).y
#else
#define ww_order(a) as_int(a)
#endif

// Raises a limit in local memory while others read it. Positive numbers have the order of integers, and a negative limit
// is below them. Of a double the upper half is raised, to less than the number: the lower half may be any.
WW_INLINE void ww_raise(local real4 *at, const real limit) {
    if (limit > 0)
        atomic_max((local int *)at + (WWK_DOUBLE ? 7 : 3), ww_order(limit) - WWK_DOUBLE);
}

__attribute__((reqd_work_group_size(WW_WG, 1, 1))) kernel void
ww_profile_items(const ww_profile_job job, global const real *row_table, global const real *column_table,
                 global const ww_wide *row_values, global const ww_wide *column_values, global const ww_wide *row_means,
                 global const ww_wide *column_means, global const float *row_reach, global const float *column_reach, global const float *row_reaches,
                 global const float *column_reaches, global const float *row_flat, global const float *column_flat,
                 global const uchar *row_state, global const uchar *column_state, global int *row_bounds,
                 global int *column_bounds, global uint *row_heads, global uint *column_heads, global uint4 *entries,
                 global uint *counters) {
    local real4 columns[WW_CHANNELS * WW_PLACES]; // df, dg, n or 1 / n, and of channel 0 the limit
    local real4 rows[WW_CHANNELS * WW_PART];
    local real starts[WW_CHANNELS * WW_WIDTH]; // covariances before the part
    local uint2 found[WW_WG];                  // work-items with cells above a limit, and in which steps
    local uint founds[1];
    local float least_columns[WW_SPAN / WW_DIAGONALS], least_rows[WW_PART / WW_DIAGONALS]; // limits of WW_DIAGONALS
#if WW_FLATS
    local float column_flats[WW_PLACES], row_flats[WW_PART];
#endif
    local ww_wide *stage = (local ww_wide *)columns, *taps = (local ww_wide *)rows;

    const uint item = (uint)get_local_id(0);
    const ulong tile = job.first + get_group_id(0);
    const uint band = (uint)(tile / job.blocks), block = (uint)(tile - (ulong)band * job.blocks);
    const uint row0 = block * WW_BLOCK_ROWS, diagonal0 = job.delta + band * WW_WIDTH;
    const uint place0 = item * (WW_DIAGONALS + (WW_DIAGONALS > 1));
    real cov[WW_CHANNELS][WW_DIAGONALS];
    if (row0 >= job.rows || (ulong)row0 + diagonal0 >= job.columns) // of the whole group
        return;

    const float most_rows = ww_largest_reach(row_reaches, row0, WW_BLOCK_ROWS, job.rows);
    const float most_columns =
        ww_largest_reach(column_reaches, row0 + diagonal0, WW_BLOCK_ROWS + WW_WIDTH, job.columns);
    if (!(most_rows * most_columns >= job.least && most_rows * most_columns < job.most))
        return;

        // The first row's covariances. Means are rounded, so the row's deviations do not sum up to exactly 0: their sum
        // times the column's mean is taken off again. A work-item's columns count from its first value: another level
        // before them, however high, is not in their sums.
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
        const size_t row_channel = (size_t)c * job.row_points, column_channel = (size_t)c * job.column_points;
        const ww_wide mean = row_means[(size_t)c * job.row_stride + row0];
        const ww_wide origin =
            column_values[column_channel + min(row0 + diagonal0 + item * WW_DIAGONALS, job.column_points - 1)];
        ww_wide sums[WW_DIAGONALS], y[WW_DIAGONALS], left = WW_WIDE_ZERO;
#pragma unroll
        for (uint q = 0; q < WW_DIAGONALS; q++)
            sums[q] = WW_WIDE_ZERO;
        for (uint t0 = 0; t0 < job.window; t0 += WW_TAPS) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint p = item; p < WW_WIDTH + WW_TAPS; p += WW_WG)
                stage[WW_PLACE(p)] =
                    column_values[column_channel + min(row0 + diagonal0 + t0 + p, job.column_points - 1)];
            for (uint p = item; p < WW_TAPS; p += WW_WG)
                taps[p] = t0 + p < job.window ? ww_wide_minus(row_values[row_channel + row0 + t0 + p], mean)
                                              : WW_WIDE_ZERO;
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint q = 0; q + 1 < WW_DIAGONALS; q++)
                y[q] = ww_wide_minus(stage[place0 + q], origin);
            for (uint t = 0; t < WW_TAPS; t += WW_DIAGONALS) {
#pragma unroll
                for (uint s = 0; s < WW_DIAGONALS; s++) {
                    const uint newest = s + WW_DIAGONALS - 1;
                    const ww_wide tap = taps[t + s];
                    y[newest % WW_DIAGONALS] =
                        ww_wide_minus(stage[place0 + WW_PLACE(t) + WW_PLACE(newest)], origin);
                    left += tap;
#pragma unroll
                    for (uint q = 0; q < WW_DIAGONALS; q++)
                        sums[q] = ww_wide_add(sums[q], tap, y[(s + q) % WW_DIAGONALS]);
                }
            }
        }
#pragma unroll
        for (uint q = 0; q < WW_DIAGONALS; q++)
            cov[c][q] = ww_wide_real(ww_wide_add(
                sums[q], -left,
                ww_wide_minus(column_means[(size_t)c * job.column_stride +
                                           min(row0 + diagonal0 + item * WW_DIAGONALS + q, job.columns - 1)],
                              origin)));
    }

    if (item == 0)
        founds[0] = 0;
    uint turn = 0; // where the part's first column is in the ring
    for (uint part = 0;; part += WW_PART) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint count = founds[0];
        for (uint list = !WW_RAISES; list < 2 && count > 0; list++) { // of the whole group
            const uint row1 = row0 + part - WW_PART;
            for (uint e = item; e < count * WW_DIAGONALS; e += WW_WG) {
                const uint first = found[e / WW_DIAGONALS].x * WW_DIAGONALS + e % WW_DIAGONALS;
                uint steps = found[e / WW_DIAGONALS].y;
                real value, walk[WW_CHANNELS];
#pragma unroll
                for (uint c = 0; c < WW_CHANNELS; c++)
                    walk[c] = starts[c * WW_WIDTH + first];
                for (uint t = 0; steps != 0; t++) {
                    const uint p = WW_WRAP(turn + first + t), place = WW_PLACE(p), i = row1 + t;
                    const uint j = i + diagonal0 + first;
#if WW_CHANNELS == 1
                    const real4 row = rows[t], column = columns[place];
                    walk[0] = fma(row.x, column.y, fma(row.y, column.x, walk[0]));
                    value = walk[0] / (row.z * column.z);
#else
#if WW_SOME
                    WW_TOP_EMPTY(real);
#elif WW_FLATS
                    value = (real)(row_flats[t] + column_flats[place]);
#else
                    value = 0;
#endif
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        const real4 row = rows[c * WW_PART + t], column = columns[c * WW_PLACES + place];
                        walk[c] = fma(row.x, column.y, fma(row.y, column.x, walk[c]));
#if WW_SOME && WW_FLATS
                        ww_top_enter(top, walk[c] * row.z * column.z +
                                               (real)WW_FLAT_OF(row_flats[t], column_flats[place], c));
#elif WW_SOME
                        ww_top_enter(top, walk[c] * row.z * column.z);
#else
                        value = fma(walk[c] * row.z, column.z, value);
#endif
                    }
#if WW_SOME
                    value = ww_top_sum(top);
#endif
#endif
                    const int above_row = WW_ROWS && value > rows[t].w;
                    const int above_column = WW_COLUMNS && value > columns[place].w;
                    const uint looked = steps & 1u;
                    if (t % WW_STEPS == WW_STEPS - 1)
                        steps >>= 1;
                    if (!looked || !(above_row || above_column) || i >= job.rows || row_state[i] != WW_USABLE ||
                        !ww_counts(&job, i, j, column_state))
                        continue;
                    const float s = (float)value, error = ww_error(&job, row_reach[i], column_reach[j]);
                    if (list) {
                        if (above_row)
                            ww_candidate(i, j, s, error, &job, row_bounds, row_heads, entries, counters);
                        if (above_column)
                            ww_candidate(j, i, s, error, &job, column_bounds, column_heads, entries, counters);
                    } else {
                        if (above_row)
                            ww_raise(&rows[t], s - error - job.error * row_reach[i] * most_columns - job.rounding);
                        if (above_column)
                            ww_raise(&columns[place], s - error - job.error * column_reach[j] * most_rows - job.rounding);
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const uint row1 = row0 + part, column1 = row1 + diagonal0;
        if (part >= WW_BLOCK_ROWS || row1 >= job.rows || column1 >= job.columns)
            break;
        if (item == 0)
            founds[0] = 0;
        turn = part == 0 ? 0 : WW_WRAP(turn + WW_PART);
#pragma unroll
        for (uint c = 0; c < WW_CHANNELS; c++) {
            for (uint p = item + (part == 0 ? 0 : WW_WIDTH); p < WW_SPAN; p += WW_WG) {
                const uint j = column1 + p;
                real4 v =
                    (real4)(WW_DF(column_table, job.column_stride, c, j), WW_DG(column_table, job.column_stride, c, j),
                            WW_SIZE(column_table, job.column_stride, c, j), WW_NO_LIMIT);
#if WW_COLUMNS
                if (c == 0)
                    v.w = as_float(column_bounds[j]) - job.error * column_reach[j] * most_rows - job.rounding;
#endif
                columns[c * WW_PLACES + WW_PLACE(WW_WRAP(turn + p))] = v;
            }
            if (item < WW_PART) {
                const uint i = row1 + item;
                real4 v = (real4)(WW_DF(row_table, job.row_stride, c, i), WW_DG(row_table, job.row_stride, c, i),
                                  WW_SIZE(row_table, job.row_stride, c, i), WW_NO_LIMIT);
                if (part + item == 0) // these covariances are there already
                    v.x = v.y = 0;
#if WW_ROWS
                if (c == 0)
                    v.w = as_float(row_bounds[i]) - job.error * row_reach[i] * most_columns - job.rounding;
#endif
                rows[c * WW_PART + item] = v;
            }
        }
#if WW_FLATS
        for (uint p = item + (part == 0 ? 0 : WW_WIDTH); p < WW_SPAN; p += WW_WG)
            column_flats[WW_PLACE(WW_WRAP(turn + p))] = column_flat[column1 + p];
        if (item < WW_PART)
            row_flats[item] = row_flat[row1 + item];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        real4 at[WW_CHANNELS][WW_DIAGONALS]; // the columns in registers
#if WW_FLATS
        float flat[WW_DIAGONALS];
#endif
        uint column = WW_WRAP(turn + item * WW_DIAGONALS), place = WW_PLACE(column);
        float least = WW_NO_LIMIT;
#pragma unroll
        for (uint q = 0; q < WW_DIAGONALS; q++) { // the newest comes with the first step
#pragma unroll
            for (uint c = 0; c < WW_CHANNELS; c++)
                at[c][q] = columns[c * WW_PLACES + place + q];
#if WW_FLATS
            flat[q] = column_flats[place + q];
#endif
            least = fmin(least, (float)at[0][q].w);
        }
        least_columns[item] = least;
        if (item < WW_PART / WW_DIAGONALS) {
            const uint more = WW_PLACE(WW_WRAP(turn + WW_WIDTH + item * WW_DIAGONALS));
            float least_more = WW_NO_LIMIT, least_row = WW_NO_LIMIT;
            for (uint q = 0; q < WW_DIAGONALS; q++) {
                least_more = fmin(least_more, (float)columns[more + q].w);
                least_row = fmin(least_row, (float)rows[item * WW_DIAGONALS + q].w);
            }
            least_columns[WW_WG + item] = least_more;
            least_rows[item] = least_row;
        }
#pragma unroll
        for (uint c = 0; c < WW_CHANNELS; c++) {
#pragma unroll
            for (uint q = 0; q < WW_DIAGONALS; q++)
                starts[c * WW_WIDTH + item * WW_DIAGONALS + q] = cov[c][q];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        uint steps = 0;
        for (uint t = 0; t < WW_PART; t += WW_DIAGONALS) {
            int hit = 0;
#if WW_CHANNELS == 1
            int other = 0;
#endif
            const uint chunk = t / WW_DIAGONALS, here = place;
            column = WW_WRAP(column + WW_DIAGONALS);
            place = WW_PLACE(column);
            const real limit =
                fmin(least_rows[chunk], fmin(least_columns[item + chunk], least_columns[item + chunk + (WW_DIAGONALS > 1)]));
#pragma unroll
            for (uint s = 0; s < WW_DIAGONALS; s++) {
                const uint newest = s + WW_DIAGONALS - 1, from = s == 0 ? here + newest : place + s - 1;
                real4 row[WW_CHANNELS];
#pragma unroll
                for (uint c = 0; c < WW_CHANNELS; c++) {
                    row[c] = rows[c * WW_PART + t + s];
                    at[c][newest % WW_DIAGONALS] = columns[c * WW_PLACES + from];
                }
#if WW_FLATS
                const float row_half = row_flats[t + s];
                flat[newest % WW_DIAGONALS] = column_flats[from];
#endif
#if WW_CHANNELS == 1
                const real row_limit = -limit * row[0].z;
#endif
#pragma unroll
                for (uint q = 0; q < WW_DIAGONALS; q++) {
                    const uint slot = (s + q) % WW_DIAGONALS;
#if WW_CHANNELS == 1
                    cov[0][q] = fma(row[0].x, at[0][slot].y, fma(row[0].y, at[0][slot].x, cov[0][q]));
                    const int above = ww_order(fma(row_limit, at[0][slot].z, cov[0][q]));
                    hit = q % 2 == 0 && q + 1 < WW_DIAGONALS ? hit : max(max(above, other), hit);
                    other = above;
#elif WW_SOME
                    real value;
                    WW_TOP_EMPTY(real);
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        cov[c][q] = fma(row[c].x, at[c][slot].y, fma(row[c].y, at[c][slot].x, cov[c][q]));
#if WW_FLATS
                        ww_top_enter(top, cov[c][q] * row[c].z * at[c][slot].z + (real)WW_FLAT_OF(row_half, flat[slot], c));
#else
                        ww_top_enter(top, cov[c][q] * row[c].z * at[c][slot].z);
#endif
                    }
                    value = ww_top_sum(top);
#else
#if WW_FLATS
                    real value = (real)(row_half + flat[slot]);
#else
                    real value = 0;
#endif
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        cov[c][q] = fma(row[c].x, at[c][slot].y, fma(row[c].y, at[c][slot].x, cov[c][q]));
                        value = fma(cov[c][q] * row[c].z, at[c][slot].z, value);
                    }
#endif
#if WW_CHANNELS > 1
                    hit |= value > limit;
#endif
                }
            }
            steps |= hit > 0 ? 1u << t / WW_STEPS : 0;
        }
        if (steps != 0 && item * WW_DIAGONALS < job.active)
            found[atomic_inc(founds)] = (uint2)(item, steps);
    }
}
