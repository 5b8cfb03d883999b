// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on a GPU: a work-group takes WW_WG * WW_DIAGONALS neighbouring diagonals and
// WW_BLOCK_ROWS rows, a work-item WW_DIAGONALS neighbouring diagonals. Covariances are in registers, and so are the
// columns that they are at: each step one column enters and one leaves. Rows and columns are staged in local memory,
// WW_PART rows at a time, WW_CHANNELS * 16 bytes for each of (WW_WG + WW_PART / WW_DIAGONALS) * (WW_DIAGONALS + 1)
// places: the one unused place after WW_DIAGONALS columns keeps work-items on different banks. Two barriers a part.
//
// The fast form computes WW_DIAGONALS steps and only asks whether any of their cells is above a limit; if so they are
// computed once more, cell by cell, from the covariances before them.
#ifndef WW_WG
#define WW_WG 128
#endif
#ifndef WW_DIAGONALS
#define WW_DIAGONALS 8 // a power of two
#endif

#define WW_WIDTH (WW_WG * WW_DIAGONALS)
#define WW_SPAN (WW_WIDTH + WW_PART)
#define WW_PLACE(c) ((c) + (c) / WW_DIAGONALS)
#define WW_PLACES (WW_PLACE(WW_SPAN) + 1)

#if WWK_DOUBLE
typedef double4 real4;
#else
typedef float4 real4;
#endif

// ---- exact sums: double, or pairs of floats (the value and what it lacks)

#if WW_WIDE == 1
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_wide;
#define ww_wide_minus(a, b) ((a) - (b))
#define ww_wide_add(sum, a, b) fma(a, b, sum)
#define ww_wide_real(a) ((real)(a))
#define WW_WIDE_ZERO 0.0
#else
typedef float2 ww_wide;
#define WW_WIDE_ZERO ((float2)(0.0f, 0.0f))
// The exact sum of two floats, as a pair.
WW_INLINE ww_wide ww_two_sum(const float a, const float b) {
    const float s = a + b, t = s - a;
    return (ww_wide)(s, (a - (s - t)) + (b - t));
}
WW_INLINE ww_wide ww_wide_plus(const ww_wide a, const ww_wide b) {
    const ww_wide s = ww_two_sum(a.x, b.x);
    return ww_two_sum(s.x, s.y + (a.y + b.y));
}
WW_INLINE ww_wide ww_wide_minus(const ww_wide a, const ww_wide b) {
    return ww_wide_plus(a, -b);
}
WW_INLINE ww_wide ww_wide_add(const ww_wide sum, const ww_wide a, const ww_wide b) {
    const float p = a.x * b.x;
    return ww_wide_plus(sum, (ww_wide)(p, fma(a.x, b.x, -p) + (a.x * b.y + a.y * b.x)));
}
#define ww_wide_real(a) ((real)(a).x)
#endif

__attribute__((reqd_work_group_size(WW_WG, 1, 1))) kernel void
ww_profile_items(const ww_profile_job job, global const real *row_table, global const real *column_table,
                 global const ww_wide *row_values, global const ww_wide *column_values, global const ww_wide *row_means,
                 global const float *row_reach, global const float *column_reach, global const float *row_reaches,
                 global const float *column_reaches, global const float *row_flat, global const float *column_flat,
                 global const uchar *row_state, global const uchar *column_state, global int *row_bounds,
                 global int *column_bounds, global uint *row_heads, global uint *column_heads, global uint4 *entries,
                 global uint *counters) {
    local real4 columns[WW_CHANNELS * WW_PLACES]; // df, dg, n, and of channel 0 the limit
    local real4 rows[WW_CHANNELS * WW_PART];
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

    const float tile_reach = ww_largest_reach(row_reaches, row0, WW_BLOCK_ROWS) *
                             ww_largest_reach(column_reaches, row0 + diagonal0, WW_BLOCK_ROWS + WW_WIDTH);
    if (!(tile_reach >= job.least && tile_reach < job.most))
        return;

        // The first row's covariances. Means are rounded, so the row's deviations do not sum up to exactly 0: their sum
        // times the column's first value is taken off again.
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
        const size_t row_channel = (size_t)c * job.row_points, column_channel = (size_t)c * job.column_points;
        const ww_wide mean = row_means[(size_t)c * job.row_stride + row0];
        const ww_wide origin = column_values[column_channel + row0 + diagonal0];
        ww_wide sums[WW_DIAGONALS], y[WW_DIAGONALS], first[WW_DIAGONALS], left = WW_WIDE_ZERO;
#pragma unroll
        for (uint q = 0; q < WW_DIAGONALS; q++)
            sums[q] = WW_WIDE_ZERO;
        for (uint t0 = 0; t0 < job.window; t0 += WW_PART) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint p = item; p < WW_SPAN; p += WW_WG)
                stage[WW_PLACE(p)] = ww_wide_minus(
                    column_values[column_channel + min(row0 + diagonal0 + t0 + p, job.column_points - 1)], origin);
            if (item < WW_PART)
                taps[item] = t0 + item < job.window ? ww_wide_minus(row_values[row_channel + row0 + t0 + item], mean)
                                                    : WW_WIDE_ZERO;
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint q = 0; q + 1 < WW_DIAGONALS; q++)
                y[q] = stage[place0 + q];
            if (t0 == 0) {
#pragma unroll
                for (uint q = 0; q < WW_DIAGONALS; q++)
                    first[q] = stage[place0 + q];
            }
            for (uint t = 0; t < WW_PART; t += WW_DIAGONALS) {
#pragma unroll
                for (uint s = 0; s < WW_DIAGONALS; s++) {
                    const uint newest = s + WW_DIAGONALS - 1;
                    const ww_wide tap = taps[t + s];
                    y[newest % WW_DIAGONALS] = stage[place0 + WW_PLACE(t) + WW_PLACE(newest)];
#if WW_WIDE == 1
                    left += tap;
#else
                    left = ww_wide_plus(left, tap);
#endif
#pragma unroll
                    for (uint q = 0; q < WW_DIAGONALS; q++)
                        sums[q] = ww_wide_add(sums[q], tap, y[(s + q) % WW_DIAGONALS]);
                }
            }
        }
#pragma unroll
        for (uint q = 0; q < WW_DIAGONALS; q++)
            cov[c][q] = ww_wide_real(ww_wide_add(sums[q], -left, first[q]));
    }

    for (uint part = 0; part < WW_BLOCK_ROWS; part += WW_PART) {
        const uint row1 = row0 + part, column1 = row1 + diagonal0;
        if (row1 >= job.rows || column1 >= job.columns)
            break;
        const float most_rows = ww_largest_reach(row_reaches, row1, WW_PART);
        const float most_columns = ww_largest_reach(column_reaches, column1, WW_SPAN);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint c = 0; c < WW_CHANNELS; c++) {
            for (uint p = item; p < WW_SPAN; p += WW_WG) {
                const uint j = column1 + p;
                real4 v =
                    (real4)(WW_DF(column_table, job.column_stride, c, j), WW_DG(column_table, job.column_stride, c, j),
                            WW_NORM(column_table, job.column_stride, c, j), 0);
#if WW_COLUMNS
                if (c == 0)
                    v.w = (real)(as_float(column_bounds[j]) - job.error * column_reach[j] * most_rows - job.rounding);
#endif
                columns[c * WW_PLACES + WW_PLACE(p)] = v;
            }
            if (item < WW_PART) {
                const uint i = row1 + item;
                real4 v = (real4)(WW_DF(row_table, job.row_stride, c, i), WW_DG(row_table, job.row_stride, c, i),
                                  WW_NORM(row_table, job.row_stride, c, i), 0);
                if (part + item == 0) // these covariances are there already
                    v.x = v.y = 0;
#if WW_ROWS
                if (c == 0)
                    v.w = (real)(as_float(row_bounds[i]) - job.error * row_reach[i] * most_columns - job.rounding);
#endif
                rows[c * WW_PART + item] = v;
            }
        }
#if WW_FLATS
        for (uint p = item; p < WW_SPAN; p += WW_WG)
            column_flats[WW_PLACE(p)] = column_flat[column1 + p];
        if (item < WW_PART)
            row_flats[item] = row_flat[row1 + item];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        real4 at[WW_CHANNELS][WW_DIAGONALS]; // the columns in registers
#if WW_FLATS
        float flat[WW_DIAGONALS];
#endif
#pragma unroll
        for (uint q = 0; q + 1 < WW_DIAGONALS; q++) {
#pragma unroll
            for (uint c = 0; c < WW_CHANNELS; c++)
                at[c][q] = columns[c * WW_PLACES + place0 + q];
#if WW_FLATS
            flat[q] = column_flats[place0 + q];
#endif
        }
        for (uint t = 0; t < WW_PART; t += WW_DIAGONALS) {
            real before[WW_CHANNELS][WW_DIAGONALS];
            int hit = 0;
#pragma unroll
            for (uint c = 0; c < WW_CHANNELS; c++) {
#pragma unroll
                for (uint q = 0; q < WW_DIAGONALS; q++)
                    before[c][q] = cov[c][q];
            }
#pragma unroll
            for (uint s = 0; s < WW_DIAGONALS; s++) {
                const uint newest = s + WW_DIAGONALS - 1;
                real4 row[WW_CHANNELS];
#pragma unroll
                for (uint c = 0; c < WW_CHANNELS; c++) {
                    row[c] = rows[c * WW_PART + t + s];
                    at[c][newest % WW_DIAGONALS] = columns[c * WW_PLACES + place0 + WW_PLACE(t) + WW_PLACE(newest)];
                }
#if WW_FLATS
                const float row_half = row_flats[t + s];
                flat[newest % WW_DIAGONALS] = column_flats[place0 + WW_PLACE(t) + WW_PLACE(newest)];
#endif
#pragma unroll
                for (uint q = 0; q < WW_DIAGONALS; q++) {
                    const uint slot = (s + q) % WW_DIAGONALS;
#if WW_FLATS
                    real value = (real)(row_half + flat[slot]);
#else
                    real value = 0;
#endif
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        cov[c][q] = fma(row[c].x, at[c][slot].y, fma(row[c].y, at[c][slot].x, cov[c][q]));
                        value = WW_CHANNELS == 1 && !WW_FLATS ? cov[c][q] * row[c].z * at[c][slot].z
                                                              : fma(cov[c][q] * row[c].z, at[c][slot].z, value);
                    }
#if WW_ROWS
                    hit |= value > row[0].w;
#endif
#if WW_COLUMNS
                    hit |= value > at[0][slot].w;
#endif
                }
            }
            if (!hit || item * WW_DIAGONALS >= job.active)
                continue;
            for (uint s = 0; s < WW_DIAGONALS; s++) {
                const uint i = row1 + t + s;
#pragma unroll
                for (uint q = 0; q < WW_DIAGONALS; q++) {
                    const uint place = place0 + WW_PLACE(t) + WW_PLACE(s + q);
#if WW_FLATS
                    real value = (real)(row_flats[t + s] + column_flats[place]);
#else
                    real value = 0;
#endif
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        const real4 row = rows[c * WW_PART + t + s], column = columns[c * WW_PLACES + place];
                        before[c][q] = fma(row.x, column.y, fma(row.y, column.x, before[c][q]));
                        value = fma(before[c][q] * row.z, column.z, value);
                    }
                    const uint j = i + diagonal0 + item * WW_DIAGONALS + q;
                    const int in_row = WW_ROWS && value > rows[t + s].w;
                    const int in_column = WW_COLUMNS && value > columns[place].w;
                    if ((in_row | in_column) == 0 || i >= job.rows || row_state[i] != WW_USABLE ||
                        !ww_counts(&job, i, j, column_state))
                        continue;
                    const float error = ww_error(&job, row_reach[i], column_reach[j]);
                    if (in_row)
                        ww_candidate(i, j, (float)value, error, &job, row_bounds, row_heads, entries, counters);
                    if (in_column)
                        ww_candidate(j, i, (float)value, error, &job, column_bounds, column_heads, entries, counters);
#if WW_RAISES && !WWK_DOUBLE
                    // Limits that are not negative have the order of integers; a negative one is below them.
                    const float row_limit =
                        (float)value - error - job.error * row_reach[i] * most_columns - job.rounding;
                    const float column_limit =
                        (float)value - error - job.error * column_reach[j] * most_rows - job.rounding;
                    if (in_row && row_limit > 0)
                        atomic_max((local int *)&rows[t + s] + 3, as_int(row_limit));
                    if (in_column && column_limit > 0)
                        atomic_max((local int *)&columns[place] + 3, as_int(column_limit));
#endif
                }
            }
        }
    }
}
