// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on a CPU: a work-item takes WW_VECTORS vectors of WW_VECTOR neighbouring
// diagonals, whose covariances are in registers, and WW_BLOCK_ROWS rows. The columns of a vector are neighbours too and
// are read from the tables, unaligned. Local memory: a limit for each of the tile's columns and, where only the nearest
// is wanted, its best cell so far: in smooth series a column meets many better ones in turn, and only the last is a
// candidate. No barrier.
#ifndef WW_VECTORS
#define WW_VECTORS 4
#endif
#define WW_WIDTH (WW_VECTORS * WW_VECTOR)

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef WW_PASTE(double, WW_VECTOR) ww_wide;
#define WW_TO_WIDE(v) WW_PASTE(convert_double, WW_VECTOR)(v)
#define WW_FROM_WIDE(v) WW_PASTE(WW_PASTE(convert_, WW_REAL_NAME), WW_VECTOR)(v)
typedef WW_PASTE(float, WW_VECTOR) ww_floats;
typedef WW_PASTE(int, WW_VECTOR) ww_ints;
#define WW_FLOATS(v) WW_PASTE(convert_float, WW_VECTOR)(v)

// Whether any lane is set: masks are 0 or -1.
WW_INLINE int ww_any(const ww_ints m) {
#if WW_VECTOR == 16
    const int8 a = m.lo | m.hi;
    const int4 b = a.lo | a.hi;
#elif WW_VECTOR == 8
    const int4 b = m.lo | m.hi;
#else
    const int4 b = m;
#endif
    const int2 c = b.lo | b.hi;
    return c.x | c.y;
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
ww_profile_vector(const ww_profile_job job, global const ww_scalar *row_table, global const ww_scalar *column_table,
                  global const double *row_values, global const double *column_values, global const double *row_means,
                  global const float *row_reach, global const float *column_reach, global const float *row_reaches,
                  global const float *column_reaches, global const float *row_flat, global const float *column_flat,
                  global const uchar *row_state, global const uchar *column_state, global int *row_bounds,
                  global int *column_bounds, global uint *row_heads, global uint *column_heads, global uint4 *entries,
                  global uint *counters) {
    local float limits[WW_WIDTH + WW_BLOCK_ROWS];
#if WW_RAISES && WW_COLUMNS
    local float best[WW_WIDTH + WW_BLOCK_ROWS]; // of a column
    local uint best_rows[WW_WIDTH + WW_BLOCK_ROWS], met[WW_WIDTH + WW_BLOCK_ROWS];
    uint met_count = 0; // columns that have a best cell
#endif
    const ulong tile = job.first + get_group_id(0);
    const uint band = (uint)(tile / job.blocks), block = (uint)(tile - (ulong)band * job.blocks);
    const uint row0 = block * WW_BLOCK_ROWS, diagonal0 = job.delta + band * WW_WIDTH;
    real cov[WW_CHANNELS][WW_VECTORS];
    if (row0 >= job.rows || (ulong)row0 + diagonal0 >= job.columns)
        return;
    const uint column0 = row0 + diagonal0;
    const uint count = min(min((uint)WW_BLOCK_ROWS, job.rows - row0), job.columns - column0);
    const float most_rows = ww_largest_reach(row_reaches, row0, count);
    const float most_columns = ww_largest_reach(column_reaches, column0, count + WW_WIDTH);
    if (!(most_rows * most_columns >= job.least && most_rows * most_columns < job.most))
        return;

    // Of any cell of this tile.
    const float most_error = job.error * most_rows * most_columns + job.rounding;
#if WW_COLUMNS
    for (uint p = 0; p < count + WW_WIDTH; p++) {
#if WW_RAISES
        best[p] = -INFINITY;
#endif
        limits[p] =
            as_float(column_bounds[column0 + p]) - job.error * column_reach[column0 + p] * most_rows - job.rounding;
    }
#endif

    // The first row's covariances; see profile_items.cl. The values are padded by WW_WIDTH points.
    for (uint c = 0; c < WW_CHANNELS; c++) {
        global const double *x = row_values + (size_t)c * job.row_points + row0;
        global const double *y = column_values + (size_t)c * job.column_points + column0;
        const double mean = row_means[(size_t)c * job.row_stride + row0], origin = y[0];
        double left = 0;
        ww_wide sums[WW_VECTORS];
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++)
            sums[q] = 0;
        for (uint t = 0; t < job.window; t++) {
            const double tap = x[t] - mean;
            left += tap;
#pragma unroll
            for (uint q = 0; q < WW_VECTORS; q++)
                sums[q] = fma((ww_wide)tap, WW_VLOAD(0, y + t + q * WW_VECTOR) - origin, sums[q]);
        }
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++)
            cov[c][q] = WW_FROM_WIDE(sums[q] - left * (WW_VLOAD(0, y + q * WW_VECTOR) - origin));
    }

    for (uint r = 0; r < count; r++) {
        const uint i = row0 + r, j = column0 + r;
        ww_floats values[WW_VECTORS];
        ww_ints hit = 0;
#if WW_ROWS
        const float row_limit = as_float(row_bounds[i]) - job.error * row_reach[i] * most_columns - job.rounding;
#endif
#if WW_CHANNELS == 1
        const ww_scalar df = r == 0 ? 0 : WW_DF(row_table, job.row_stride, 0, i);
        const ww_scalar dg = r == 0 ? 0 : WW_DG(row_table, job.row_stride, 0, i);
        const ww_scalar norm = WW_NORM(row_table, job.row_stride, 0, i);
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            cov[0][q] = fma(
                (real)df, WW_VLOAD(0, &WW_DG(column_table, job.column_stride, 0, j + q * WW_VECTOR)),
                fma((real)dg, WW_VLOAD(0, &WW_DF(column_table, job.column_stride, 0, j + q * WW_VECTOR)), cov[0][q]));
            const real value =
                cov[0][q] * norm * WW_VLOAD(0, &WW_NORM(column_table, job.column_stride, 0, j + q * WW_VECTOR));
            values[q] = WW_FLOATS(value);
        }
#else
        real sums[WW_VECTORS];
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++)
            sums[q] = 0;
        for (uint c = 0; c < WW_CHANNELS; c++) {
            const ww_scalar df = r == 0 ? 0 : WW_DF(row_table, job.row_stride, c, i);
            const ww_scalar dg = r == 0 ? 0 : WW_DG(row_table, job.row_stride, c, i);
            const ww_scalar norm = WW_NORM(row_table, job.row_stride, c, i);
#pragma unroll
            for (uint q = 0; q < WW_VECTORS; q++) {
                const uint k = j + q * WW_VECTOR;
                cov[c][q] = fma((real)df, WW_VLOAD(0, &WW_DG(column_table, job.column_stride, c, k)),
                                fma((real)dg, WW_VLOAD(0, &WW_DF(column_table, job.column_stride, c, k)), cov[c][q]));
                sums[q] = fma(cov[c][q] * norm, WW_VLOAD(0, &WW_NORM(column_table, job.column_stride, c, k)), sums[q]);
            }
        }
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            values[q] = WW_FLOATS(sums[q]);
#if WW_FLATS
            values[q] += row_flat[i] + WW_VLOAD(0, column_flat + j + q * WW_VECTOR);
#endif
        }
#endif
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
#if WW_ROWS
            hit |= values[q] > (ww_floats)row_limit;
#endif
#if WW_COLUMNS
            hit |= values[q] > WW_VLOAD(0, limits + r + q * WW_VECTOR);
#endif
        }
        if (!ww_any(hit))
            continue;

        if (row_state[i] != WW_USABLE)
            continue;
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            float value[WW_VECTOR];
            ww_ints mask = 0;
#if WW_ROWS
            mask |= values[q] > (ww_floats)row_limit;
#endif
#if WW_COLUMNS
            mask |= values[q] > WW_VLOAD(0, limits + r + q * WW_VECTOR);
#endif
            if (!ww_any(mask))
                continue;
            WW_VSTORE(values[q], 0, value);
#if WW_RAISES && WW_ROWS
            // The largest raises the bound before any is listed.
            float most = 0;
            for (uint lane = 0; lane < WW_VECTOR; lane++) {
                const uint column = j + q * WW_VECTOR + lane;
                if (value[lane] > row_limit && value[lane] > most && ww_counts(&job, i, column, column_state))
                    most = fmax(most, value[lane] - ww_error(&job, row_reach[i], column_reach[column]));
            }
            if (most > 0)
                atomic_max(&row_bounds[i], as_int(most));
#endif
            for (uint lane = 0; lane < WW_VECTOR; lane++) {
                const uint p = q * WW_VECTOR + lane, column = j + p;
                int in_row = 0, in_column = 0;
#if WW_ROWS
                in_row = value[lane] > row_limit;
#endif
#if WW_COLUMNS
                in_column = value[lane] > limits[r + p];
#endif
                if ((in_row | in_column) == 0 || !ww_counts(&job, i, column, column_state))
                    continue;
                const float error = ww_error(&job, row_reach[i], column_reach[column]);
                if (in_row)
                    ww_candidate(i, column, value[lane], error, &job, row_bounds, row_heads, entries, counters);
#if WW_COLUMNS
                if (!in_column)
                    continue;
#if WW_RAISES
                const float lower = value[lane], before = best[r + p];
                if (before == -INFINITY)
                    met[met_count++] = r + p;
                if (lower > before) { // the one before is still a candidate if it may be as near
                    best[r + p] = lower;
                    if (before > lower - 2 * most_error)
                        ww_candidate(column, best_rows[r + p], before, most_error, &job, column_bounds, column_heads,
                                     entries, counters);
                    best_rows[r + p] = i;
                    limits[r + p] = fmax(limits[r + p], lower - 2 * most_error);
                } else {
                    ww_candidate(column, i, lower, error, &job, column_bounds, column_heads, entries, counters);
                }
#else
                ww_candidate(column, i, value[lane], error, &job, column_bounds, column_heads, entries, counters);
#endif
#endif
            }
        }
    }
#if WW_RAISES && WW_COLUMNS
    for (uint n = 0; n < met_count; n++)
        ww_candidate(column0 + met[n], best_rows[met[n]], best[met[n]], most_error, &job, column_bounds, column_heads,
                     entries, counters);
#endif
}
