// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on a GPU: a work-group takes WW_WG * WW_DIAGONALS neighbouring diagonals and
// WW_BLOCK_ROWS rows, a work-item WW_DIAGONALS neighbouring diagonals. Covariances are in registers, and so are the
// columns that they are at: each step one column enters and one leaves. Rows and columns are staged in local memory,
// WW_PART rows at a time, WW_CHANNELS * 16 bytes for each of (WW_WG + WW_PART / WW_DIAGONALS) * (WW_DIAGONALS + 1)
// places: the one unused place after WW_DIAGONALS columns keeps work-items on different banks. Two barriers a part.
//
// The fast form computes WW_DIAGONALS steps and only asks whether any of their cells is above a limit; if so they are
// computed once more, cell by cell, from the covariances before them.
//
// Of one channel, cov n_i n_j > limit is asked as cov - (limit / n_i) / n_j > 0, which is a multiply-add for the row's
// limit and one for the column's, and one maximum of three integers: a positive float is a positive integer.
#ifndef WW_WG
#define WW_WG 128
#endif
#ifndef WW_DIAGONALS
#define WW_DIAGONALS 8 // a power of two
#endif

#ifndef WW_PART
#define WW_PART 64 // rows staged at a time
#endif

#define WW_WIDTH (WW_WG * WW_DIAGONALS)
#define WW_SPAN (WW_WIDTH + WW_PART)
#define WW_PLACE(c) (WW_DIAGONALS > 1 ? (c) + (c) / WW_DIAGONALS : (c))
#define WW_PLACES (WW_PLACE(WW_SPAN) + 1)

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

// The columns of a part from the t-th on go into registers, all but the newest.
#if WW_FLATS
#define WW_FILL_FLAT(q, place) flat[q] = column_flats[place]
#else
#define WW_FILL_FLAT(q, place)
#endif
#define WW_FILL_REGISTERS(t)                                                                                           \
    _Pragma("unroll") for (uint q = 0; q + 1 < WW_DIAGONALS; q++) {                                                    \
        const uint filled = place0 + WW_PLACE(t) + WW_PLACE(q);                                                        \
        _Pragma("unroll") for (uint c = 0; c < WW_CHANNELS; c++) at[c][q] = columns[c * WW_PLACES + filled];           \
        WW_FILL_FLAT(q, filled);                                                                                       \
    }

// What a row or a column is compared with. `size` is 1 / n of one channel.
WW_INLINE real ww_limit(const float limit, const real size) {
    return WW_CHANNELS == 1 ? fmin((real)limit * size, (real)1e30f) : (real)limit;
}

__attribute__((reqd_work_group_size(WW_WG, 1, 1))) kernel void
ww_profile_items(const ww_profile_job job, global const real *row_table, global const real *column_table,
                 global const ww_wide *row_values, global const ww_wide *column_values, global const ww_wide *row_means,
                 global const float *row_reach, global const float *column_reach, global const float *row_reaches,
                 global const float *column_reaches, global const float *row_flat, global const float *column_flat,
                 global const uchar *row_state, global const uchar *column_state, global int *row_bounds,
                 global int *column_bounds, global uint *row_heads, global uint *column_heads, global uint4 *entries,
                 global uint *counters) {
    local real4 columns[WW_CHANNELS * WW_PLACES]; // df, dg, n or 1 / n, and of channel 0 the limit or limit / n
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

    const float tile_reach = ww_largest_reach(row_reaches, row0, WW_BLOCK_ROWS, job.rows) *
                             ww_largest_reach(column_reaches, row0 + diagonal0, WW_BLOCK_ROWS + WW_WIDTH, job.columns);
    if (!(tile_reach >= job.least && tile_reach < job.most))
        return;

        // The first row's covariances. Means are rounded, so the row's deviations do not sum up to exactly 0: their sum
        // times the column's first value is taken off again.
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
        const size_t row_channel = (size_t)c * job.row_points, column_channel = (size_t)c * job.column_points;
        const ww_wide mean = row_means[(size_t)c * job.row_stride + row0];
        const ww_wide origin = column_values[column_channel + row0 + diagonal0];
        ww_wide sums[WW_DIAGONALS], y[WW_DIAGONALS], left = WW_WIDE_ZERO;
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
            for (uint t = 0; t < WW_PART; t += WW_DIAGONALS) {
#pragma unroll
                for (uint s = 0; s < WW_DIAGONALS; s++) {
                    const uint newest = s + WW_DIAGONALS - 1;
                    const ww_wide tap = taps[t + s];
                    y[newest % WW_DIAGONALS] = stage[place0 + WW_PLACE(t) + WW_PLACE(newest)];
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
                ww_wide_minus(column_values[column_channel + min(row0 + diagonal0 + item * WW_DIAGONALS + q,
                                                                 job.column_points - 1)],
                              origin)));
    }

    for (uint part = 0; part < WW_BLOCK_ROWS; part += WW_PART) {
        const uint row1 = row0 + part, column1 = row1 + diagonal0;
        if (row1 >= job.rows || column1 >= job.columns)
            break;
        const float most_rows = ww_largest_reach(row_reaches, row1, WW_PART, job.rows);
        const float most_columns = ww_largest_reach(column_reaches, column1, WW_SPAN, job.columns);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint c = 0; c < WW_CHANNELS; c++) {
            for (uint p = item; p < WW_SPAN; p += WW_WG) {
                const uint j = column1 + p;
                real4 v =
                    (real4)(WW_DF(column_table, job.column_stride, c, j), WW_DG(column_table, job.column_stride, c, j),
                            WW_SIZE(column_table, job.column_stride, c, j), 0);
#if WW_COLUMNS
                if (c == 0)
                    v.w = ww_limit(as_float(column_bounds[j]) - job.error * column_reach[j] * most_rows - job.rounding,
                                   v.z);
#endif
                columns[c * WW_PLACES + WW_PLACE(p)] = v;
            }
            if (item < WW_PART) {
                const uint i = row1 + item;
                real4 v = (real4)(WW_DF(row_table, job.row_stride, c, i), WW_DG(row_table, job.row_stride, c, i),
                                  WW_SIZE(row_table, job.row_stride, c, i), 0);
                if (part + item == 0) // these covariances are there already
                    v.x = v.y = 0;
#if WW_ROWS
                if (c == 0)
                    v.w = ww_limit(as_float(row_bounds[i]) - job.error * row_reach[i] * most_columns - job.rounding,
                                   v.z);
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
        WW_FILL_REGISTERS(0);
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
#if WW_CHANNELS == 1
                    cov[0][q] = fma(row[0].x, at[0][slot].y, fma(row[0].y, at[0][slot].x, cov[0][q]));
#if WW_ROWS
                    const real above_row = fma(-row[0].w, at[0][slot].z, cov[0][q]);
#else
                    const real above_row = -1;
#endif
#if WW_COLUMNS
                    const real above_column = fma(-row[0].z, at[0][slot].w, cov[0][q]);
#else
                    const real above_column = -1;
#endif
#if WWK_DOUBLE
                    hit |= fmax(above_row, above_column) > 0;
#else
                    hit = max(max(as_int(above_row), as_int(above_column)), hit);
#endif
#elif WW_SOME
                    real value;
                    WW_TOP_EMPTY(real);
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        cov[c][q] = fma(row[c].x, at[c][slot].y, fma(row[c].y, at[c][slot].x, cov[c][q]));
#if WW_FLATS
                        WW_TOP_ENTER(real, cov[c][q] * row[c].z * at[c][slot].z + (real)WW_FLAT_OF(row_half, flat[slot], c));
#else
                        WW_TOP_ENTER(real, cov[c][q] * row[c].z * at[c][slot].z);
#endif
                    }
                    WW_TOP_SUM(value);
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
#if WW_ROWS
                    hit |= value > row[0].w;
#endif
#if WW_COLUMNS
                    hit |= value > at[0][slot].w;
#endif
#endif
                }
            }
            if (hit <= 0 || item * WW_DIAGONALS >= job.active)
                continue;
            for (uint s = 0; s < WW_DIAGONALS; s++) {
                const uint i = row1 + t + s;
                uint in_row = 0, in_column = 0, next = 0; // next: the largest of the row, which raises its bound first
                real most = -INFINITY;
#if WW_CHANNELS > 1
                real values[WW_DIAGONALS];
#endif
#pragma unroll
                for (uint q = 0; q < WW_DIAGONALS; q++) {
                    const uint place = place0 + WW_PLACE(t) + WW_PLACE(s + q);
#if WW_CHANNELS == 1
                    const real4 row = rows[t + s], column = columns[place];
                    before[0][q] = fma(row.x, column.y, fma(row.y, column.x, before[0][q]));
                    const int above_row = WW_ROWS && fma(-row.w, column.z, before[0][q]) > 0;
                    const int above_column = WW_COLUMNS && fma(-row.z, column.w, before[0][q]) > 0;
                    const real value = before[0][q] / column.z;
#elif WW_SOME
                    WW_TOP_EMPTY(real);
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        const real4 row = rows[c * WW_PART + t + s], column = columns[c * WW_PLACES + place];
                        before[c][q] = fma(row.x, column.y, fma(row.y, column.x, before[c][q]));
#if WW_FLATS
                        WW_TOP_ENTER(real, before[c][q] * row.z * column.z +
                                               (real)WW_FLAT_OF(row_flats[t + s], column_flats[place], c));
#else
                        WW_TOP_ENTER(real, before[c][q] * row.z * column.z);
#endif
                    }
                    WW_TOP_SUM(values[q]);
#else
#if WW_FLATS
                    values[q] = (real)(row_flats[t + s] + column_flats[place]);
#else
                    values[q] = 0;
#endif
#pragma unroll
                    for (uint c = 0; c < WW_CHANNELS; c++) {
                        const real4 row = rows[c * WW_PART + t + s], column = columns[c * WW_PLACES + place];
                        before[c][q] = fma(row.x, column.y, fma(row.y, column.x, before[c][q]));
                        values[q] = fma(before[c][q] * row.z, column.z, values[q]);
                    }
#endif
#if WW_CHANNELS > 1
                    const int above_row = WW_ROWS && values[q] > rows[t + s].w;
                    const int above_column = WW_COLUMNS && values[q] > columns[place].w;
                    const real value = values[q];
#endif
                    in_row |= above_row ? 1u << q : 0u;
                    in_column |= above_column ? 1u << q : 0u;
                    next = above_row && value > most ? q : next;
                    most = above_row ? fmax(value, most) : most;
                }
                if (i >= job.rows || row_state[i] != WW_USABLE)
                    continue;
                if (in_row == 0 && in_column != 0)
                    next = 31 - clz(in_column & (0u - in_column));
                for (uint left = in_row | in_column; left != 0; next = 31 - clz(left & (0u - left))) {
                    left &= ~(1u << next);
#if WW_CHANNELS == 1
                    const uint place = place0 + WW_PLACE(t) + WW_PLACE(s + next);
#endif
                    const uint j = i + diagonal0 + item * WW_DIAGONALS + next;
                    real chosen = 0;
#pragma unroll
                    for (uint q = 0; q < WW_DIAGONALS; q++) {
#if WW_CHANNELS == 1
                        chosen = q == next ? before[0][q] : chosen;
#else
                        chosen = q == next ? values[q] : chosen;
#endif
                    }
#if WW_CHANNELS == 1
                    chosen /= rows[t + s].z * columns[place].z;
#endif
                    const float value = (float)chosen;
                    if (ww_counts(&job, i, j, column_state)) {
                        const float error = ww_error(&job, row_reach[i], column_reach[j]);
                        if (in_row >> next & 1u)
                            ww_candidate(i, j, value, error, &job, row_bounds, row_heads, entries, counters);
                        if (in_column >> next & 1u)
                            ww_candidate(j, i, value, error, &job, column_bounds, column_heads, entries, counters);
#if WW_RAISES && !WWK_DOUBLE && WW_CHANNELS == 1
                        // Limits that are not negative have the order of integers; a negative one is below them.
                        const float row_limit = value - error - job.error * row_reach[i] * most_columns - job.rounding;
                        const float column_limit = value - error - job.error * column_reach[j] * most_rows - job.rounding;
                        if ((in_row >> next & 1u) && row_limit > 0)
                            atomic_max((local int *)&rows[t + s] + 3, as_int(row_limit * rows[t + s].z));
                        if ((in_column >> next & 1u) && column_limit > 0)
                            atomic_max((local int *)&columns[place] + 3, as_int(column_limit * columns[place].z));
#endif
                    }
                    if (left == 0)
                        break;
                }
            }
            // Nothing is kept in registers during all this but the covariances.
            WW_FILL_REGISTERS(t + WW_DIAGONALS);
        }
    }
}
