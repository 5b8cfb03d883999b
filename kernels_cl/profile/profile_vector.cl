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
#define WW_FLOATS(v) WW_PASTE(convert_float, WW_VECTOR)(v)
typedef WW_PASTE(uint, WW_VECTOR) ww_float_bits;
#define WW_FLOAT_BITS(v) WW_PASTE(as_uint, WW_VECTOR)(v)
#define WW_BITS_TO_FLOATS(v) WW_PASTE(convert_float, WW_VECTOR)(v)
#define WW_FLOAT_VLOAD WW_PASTE(vload, WW_VECTOR)
#define WW_FLOAT_VSTORE WW_PASTE(vstore, WW_VECTOR)

// Whether any lane of a mask is set.
WW_INLINE int ww_any(const ww_mask m) {
#if WW_VECTOR == 16
    const WW_PASTE(WW_MASK_NAME, 8) a = m.lo | m.hi;
#else
    const WW_PASTE(WW_MASK_NAME, 8) a = m;
#endif
    const WW_PASTE(WW_MASK_NAME, 4) b = a.lo | a.hi;
    const WW_PASTE(WW_MASK_NAME, 2) c = b.lo | b.hi;
    return (c.x | c.y) != 0;
}

// What a column is compared with: of one channel a limit is multiplied by its size, 1 / n (profile_items.cl).
WW_INLINE ww_scalar ww_limit(const float limit, const ww_scalar size) {
    return WW_CHANNELS == 1 ? fmin((ww_scalar)limit * size, (ww_scalar)1e30f) : (ww_scalar)limit;
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
ww_profile_vector(const ww_profile_job job, global const ww_scalar *row_table, global const ww_scalar *column_table,
                  global const double *row_values, global const double *column_values, global const double *row_means,
                  global const double *column_means, global const float *row_reach, global const float *column_reach, global const float *row_reaches,
                  global const float *column_reaches, global const float *row_flat, global const float *column_flat,
                  global const uchar *row_state, global const uchar *column_state, global int *row_bounds,
                  global int *column_bounds, global uint *row_heads, global uint *column_heads, global uint4 *entries,
                  global uint *counters) {
#if WW_COLUMNS
    local ww_scalar limits[WW_WIDTH + WW_BLOCK_ROWS];
#endif
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
    const float most_rows = ww_largest_reach(row_reaches, row0, count, job.rows);
    const float most_columns = ww_largest_reach(column_reaches, column0, count + WW_WIDTH, job.columns);
    if (!(most_rows * most_columns >= job.least && most_rows * most_columns < job.most))
        return;

#if WW_RAISES && WW_COLUMNS
    // Of any cell of this tile.
    const float most_error = job.error * most_rows * most_columns + job.rounding;
#endif
#if WW_COLUMNS
    for (uint p = 0; p < count + WW_WIDTH; p++) {
#if WW_RAISES
        best[p] = -INFINITY;
#endif
        limits[p] = ww_limit(as_float(column_bounds[column0 + p]) -
                                 job.error * column_reach[column0 + p] * most_rows - job.rounding,
                             WW_SIZE(column_table, job.column_stride, 0, column0 + p));
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
            cov[c][q] = WW_FROM_WIDE(
                sums[q] -
                left * (WW_VLOAD(0, column_means + (size_t)c * job.column_stride + column0 + q * WW_VECTOR) - origin));
    }

    for (uint r = 0; r < count; r++) {
        const uint i = row0 + r, j = column0 + r;
        real above[WW_VECTORS], hit = -1; // how far a cell is above one of its limits
#if WW_ROWS
        const float plain_limit = as_float(row_bounds[i]) - job.error * row_reach[i] * most_columns - job.rounding;
#endif
#if WW_CHANNELS == 1
        const ww_scalar df = r == 0 ? 0 : WW_DF(row_table, job.row_stride, 0, i);
        const ww_scalar dg = r == 0 ? 0 : WW_DG(row_table, job.row_stride, 0, i);
        const ww_scalar size = WW_SIZE(row_table, job.row_stride, 0, i);
#if WW_ROWS
        const ww_scalar row_limit = ww_limit(plain_limit, size);
#endif
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            const uint k = j + q * WW_VECTOR;
            cov[0][q] = fma((real)df, WW_VLOAD(0, &WW_DG(column_table, job.column_stride, 0, k)),
                            fma((real)dg, WW_VLOAD(0, &WW_DF(column_table, job.column_stride, 0, k)), cov[0][q]));
            above[q] = -1;
#if WW_ROWS
            above[q] = fma((real)-row_limit, WW_VLOAD(0, &WW_SIZE(column_table, job.column_stride, 0, k)), cov[0][q]);
#endif
#if WW_COLUMNS
            above[q] = ww_max2(above[q], fma((real)-size, WW_VLOAD(0, limits + r + q * WW_VECTOR), cov[0][q]));
#endif
            hit = ww_max2(hit, above[q]);
        }
#else
        real values[WW_VECTORS];
#if WW_SOME
        real tops[WW_VECTORS][WW_BEST];
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++)
#pragma unroll
            for (uint b = 0; b < WW_BEST; b++)
                tops[q][b] = -4;
#endif
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++)
            values[q] = 0;
        for (uint c = 0; c < WW_CHANNELS; c++) {
            const ww_scalar df = r == 0 ? 0 : WW_DF(row_table, job.row_stride, c, i);
            const ww_scalar dg = r == 0 ? 0 : WW_DG(row_table, job.row_stride, c, i);
            const ww_scalar norm = WW_SIZE(row_table, job.row_stride, c, i);
#pragma unroll
            for (uint q = 0; q < WW_VECTORS; q++) {
                const uint k = j + q * WW_VECTOR;
                cov[c][q] = fma((real)df, WW_VLOAD(0, &WW_DG(column_table, job.column_stride, c, k)),
                                fma((real)dg, WW_VLOAD(0, &WW_DF(column_table, job.column_stride, c, k)), cov[c][q]));
#if WW_SOME
                real *top = tops[q], value = cov[c][q] * norm * WW_VLOAD(0, &WW_SIZE(column_table, job.column_stride, c, k));
#if WW_FLATS
                const ww_float_bits bits = (WW_FLOAT_BITS(WW_FLOAT_VLOAD(0, column_flat + k)) >> c & 1u) +
                                           (as_uint(row_flat[i]) >> c & 1u);
                value += WW_TO_REAL(0.5f * WW_BITS_TO_FLOATS(bits));
#endif
                ww_top_enter(top, value);
#else
                values[q] =
                    fma(cov[c][q] * norm, WW_VLOAD(0, &WW_SIZE(column_table, job.column_stride, c, k)), values[q]);
#endif
            }
        }
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
#if WW_SOME
            const real *top = tops[q];
            values[q] = ww_top_sum(top);
#elif WW_FLATS
            values[q] += WW_TO_REAL(row_flat[i] + WW_FLOAT_VLOAD(0, column_flat + j + q * WW_VECTOR));
#endif
            above[q] = -1;
#if WW_ROWS
            above[q] = values[q] - (real)plain_limit;
#endif
#if WW_COLUMNS
            above[q] = ww_max2(above[q], values[q] - WW_VLOAD(0, limits + r + q * WW_VECTOR));
#endif
            hit = ww_max2(hit, above[q]);
        }
#endif
        if (!ww_any(hit > 0))
            continue;

        if (row_state[i] != WW_USABLE)
            continue;
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            float value[WW_VECTOR];
            if (!ww_any(above[q] > 0))
                continue;
#if WW_CHANNELS == 1
            const real sizes = WW_VLOAD(0, &WW_SIZE(column_table, job.column_stride, 0, j + q * WW_VECTOR)) * size;
            ww_scalar cov_lane[WW_VECTOR];
            WW_VSTORE(cov[0][q], 0, cov_lane);
            WW_FLOAT_VSTORE(WW_FLOATS(cov[0][q] / sizes), 0, value);
#else
            WW_FLOAT_VSTORE(WW_FLOATS(values[q]), 0, value);
#endif
#if WW_RAISES && WW_ROWS
            // The largest raises the bound before any is listed.
            float most = 0;
            for (uint lane = 0; lane < WW_VECTOR; lane++) {
                const uint column = j + q * WW_VECTOR + lane;
                if (value[lane] > plain_limit && value[lane] > most && ww_counts(&job, i, column, column_state))
                    most = fmax(most, value[lane] - ww_error(&job, row_reach[i], column_reach[column]));
            }
            if (most > 0)
                atomic_max(&row_bounds[i], as_int(most));
#endif
            for (uint lane = 0; lane < WW_VECTOR; lane++) {
                const uint p = q * WW_VECTOR + lane, column = j + p;
                int in_row = 0, in_column = 0;
#if WW_ROWS
                in_row = value[lane] > plain_limit;
#endif
#if WW_COLUMNS
                #if WW_CHANNELS == 1
                in_column = cov_lane[lane] > size * limits[r + p];
#else
                in_column = value[lane] > limits[r + p];
#endif
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
                    limits[r + p] =
                        fmax(limits[r + p], ww_limit(lower - 2 * most_error,
                                                     WW_SIZE(column_table, job.column_stride, 0, column)));
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
