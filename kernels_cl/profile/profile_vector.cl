// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on a CPU: a work-item takes WW_VECTORS vectors of WW_VECTOR neighbouring
// diagonals, whose covariances are in registers, and WW_BLOCK_ROWS rows. The columns of a vector are neighbours too and
// are read from the tables, unaligned. Local memory: a limit for each of the tile's columns and, where only the nearest
// is wanted, its best cell so far: in smooth series a column meets many better ones in turn, and only the last is a
// candidate. No barrier.
//
// S of a cell is as profile.cl says; of one channel a limit is multiplied by the column's size in place of a division a cell.
//
// Parameters: WW_VECTORS; WW_VECTOR.
#define WW_PROFILE_WIDTH (WW_VECTORS * WW_VECTOR)
#define WW_SPAN (WW_PROFILE_WIDTH + WW_PROFILE_BLOCK_ROWS) // columns of a tile
#define WW_KEEPS_BEST (WW_RAISES && WW_PROFILE_COLUMNS)

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef WW_PASTE(double, WW_VECTOR) ww_wide;
#define WW_FROM_WIDE(v) WW_PASTE(WW_PASTE(convert_, WW_REAL_NAME), WW_VECTOR)(v)
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

// What S of a column is compared with, where D is to be below `most`: of one channel a limit is multiplied by its size, 1 / n
// (profile_items.cl).
WW_INLINE ww_scalar ww_limit(const float most, const ww_scalar size) {
    const ww_scalar limit = (ww_scalar)WW_ALL_NEAR - (ww_scalar)most;
    return WW_ONE ? fmin(limit * size, (ww_scalar)1e30f) : limit;
}

// A tile: its first row and column, the largest conditions, a limit for each column, and with WW_KEEPS_BEST each column's best cell.
typedef struct {
    uint row0, column0, count; // rows
    float most_rows, most_columns, most_error; // the error without what is relative
    local ww_scalar *limits;
    local float *best; // D; INFINITY: none
    local uint *best_rows, *met;
    uint met_count; // columns that have a best cell
} ww_tile;

// What a row is compared with: D by its bound, the same for S, of one channel by its size.
typedef struct {
    float most;
    ww_scalar limit, size;
} ww_row_limit;

WW_INLINE real ww_sizes(global const ww_scalar *table, const ww_profile_args *job, const uint c, const uint j) {
    return WW_VLOAD(0, &WW_SIZE(table, job->column_stride, c, j));
}

WW_INLINE void ww_set_limits(const ww_tile *w, const ww_profile_args *job, global const ww_scalar *column_table,
                             const ww_profile_side *columns) {
    for (uint p = 0; WW_PROFILE_COLUMNS && p < w->count + WW_PROFILE_WIDTH; p++) {
        const uint j = w->column0 + p;
        if (WW_KEEPS_BEST)
            w->best[p] = INFINITY;
        w->limits[p] = ww_limit(ww_most(job, columns->bounds[j], w->most_rows, columns->condition[j]),
                                WW_SIZE(column_table, job->column_stride, 0, j));
    }
}

#if WW_TREND
// The first row's products of what lines leave of a channel's windows; see profile_items.cl. `line`, `lines`: means, and
// `slopes` windows behind them slopes.
WW_INLINE void ww_first_covariances(real *cov, const ww_profile_args *job, global const double *x, global const double *y,
                                    global const double *line, const size_t slope, global const double *lines,
                                    const size_t slopes) {
    const double middle = 0.5 * (job->window - 1), mean = line[0], rise = line[slope];
    double level = 0, tilt = 0, squares = 0;
    ww_wide sums[WW_VECTORS], means[WW_VECTORS], rises[WW_VECTORS];
    for (uint t = 0; t < job->window; t++) {
        const double at = (double)t - middle, left = fma(-rise, at, x[t] - mean);
        level += left;
        tilt = fma(left, at, tilt);
        squares = fma(at, at, squares);
    }
    level /= job->window;
    tilt /= squares;
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++) {
        sums[q] = 0;
        means[q] = WW_VLOAD(0, lines + q * WW_VECTOR);
        rises[q] = -WW_VLOAD(0, lines + slopes + q * WW_VECTOR);
    }
    for (uint t = 0; t < job->window; t++) {
        const double at = (double)t - middle, tap = fma(-rise, at, x[t] - mean) - fma(tilt, at, level);
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++)
            sums[q] = fma((ww_wide)tap, fma(rises[q], (ww_wide)at, WW_VLOAD(0, y + t + q * WW_VECTOR) - means[q]), sums[q]);
    }
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++)
        cov[q] = WW_FROM_WIDE(sums[q]);
}
#else
// The first row's covariances of a channel; see profile_items.cl. The values are padded by WW_PROFILE_WIDTH points.
WW_INLINE void ww_first_covariances(real *cov, const ww_profile_args *job, global const double *x,
                                    global const double *y, const double mean, global const double *means) {
    const double origin = y[0];
    double left = 0;
    ww_wide sums[WW_VECTORS];
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++)
        sums[q] = 0;
    for (uint t = 0; t < job->window; t++) {
        const double tap = x[t] - mean;
        left += tap;
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++)
            sums[q] = fma((ww_wide)tap, WW_VLOAD(0, y + t + q * WW_VECTOR) - origin, sums[q]);
    }
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++)
        cov[q] = WW_FROM_WIDE(sums[q] - left * (WW_VLOAD(0, means + q * WW_VECTOR) - origin));
}
#endif

// Row r's covariances of channel c.
WW_INLINE void ww_step(real *cov, const ww_tile *w, const ww_profile_args *job, global const ww_scalar *row_table,
                       global const ww_scalar *column_table, const uint r, const uint c) {
    const uint i = w->row0 + r, j = w->column0 + r;
    const ww_scalar df = r == 0 ? 0 : WW_DF(row_table, job->row_stride, c, i);
    const ww_scalar dg = r == 0 ? 0 : WW_DG(row_table, job->row_stride, c, i);
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++) {
        const uint k = j + q * WW_VECTOR;
        cov[q] = fma((real)df, WW_VLOAD(0, &WW_DG(column_table, job->column_stride, c, k)),
                     fma((real)dg, WW_VLOAD(0, &WW_DF(column_table, job->column_stride, c, k)), cov[q]));
    }
}

#if WW_TREND
// -D of a channel's cells in row i and the columns from k on; with `whole` 0 without what differs in tilts.
WW_INLINE real ww_trend_cells(const real cov, const ww_profile_args *job, global const ww_scalar *row_table,
                              global const ww_scalar *column_table, const uint c, const uint i, const uint k,
                              const int whole) {
    const ww_scalar norm = WW_SIZE(row_table, job->row_stride, c, i), bend = WW_BEND(row_table, job->row_stride, c, i);
    const real norms = ww_sizes(column_table, job, c, k);
    const real bends = WW_VLOAD(0, &WW_BEND(column_table, job->column_stride, c, k));
    const real near = fma(cov * norm, norms, -(bend + bends));
    if (!whole)
        return near;
    const real between = WW_VLOAD(0, &WW_TILT(column_table, job->column_stride, c, k)) -
                         WW_TILT(row_table, job->row_stride, c, i);
    return fma((real)-0.5f * between, between, near);
}
// -D of row r's cells in vector q.
WW_INLINE real ww_trend_sum(real cov[WW_CHANNELS][WW_VECTORS], const ww_profile_args *job,
                            global const ww_scalar *row_table, global const ww_scalar *column_table, const uint i,
                            const uint k, const uint q, const int whole) {
    real top[WW_BEST], value = 0;
    ww_top_empty(top);
    for (uint c = 0; c < WW_CHANNELS; c++) {
        const real of = ww_trend_cells(cov[c][q], job, row_table, column_table, c, i, k, whole);
        if (WW_SOME)
            ww_top_enter(top, c, of);
        else
            value += of;
    }
    return WW_SOME ? ww_top_sum(top) : value;
}
#endif

// S of row r's cells, of several channels.
WW_INLINE void ww_sum_channels(real *values, real cov[WW_CHANNELS][WW_VECTORS], const ww_tile *w,
                               const ww_profile_args *job, global const ww_scalar *row_table,
                               global const ww_scalar *column_table, const ww_profile_side *rows,
                               const ww_profile_side *columns, const uint r) {
    const uint i = w->row0 + r, j = w->column0 + r;
#if WW_TREND
    for (uint c = 0; c < WW_CHANNELS; c++)
        ww_step(cov[c], w, job, row_table, column_table, r, c);
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++)
        values[q] = ww_trend_sum(cov, job, row_table, column_table, i, j + q * WW_VECTOR, q, 0);
#else
    real tops[WW_VECTORS][WW_BEST];
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++) {
        ww_top_empty(tops[q]);
        values[q] = 0;
    }
    for (uint c = 0; c < WW_CHANNELS; c++) {
        const ww_scalar norm = WW_SIZE(row_table, job->row_stride, c, i);
        ww_step(cov[c], w, job, row_table, column_table, r, c);
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            const uint k = j + q * WW_VECTOR;
            if (!WW_SOME) {
                values[q] = fma(cov[c][q] * norm, ww_sizes(column_table, job, c, k), values[q]);
                continue;
            }
            real value = cov[c][q] * norm * ww_sizes(column_table, job, c, k);
            if (WW_FLATS) {
                const ww_float_bits bits = (WW_FLOAT_BITS(WW_FLOAT_VLOAD(0, columns->flat + k)) >> c & 1u) +
                                           (as_uint(rows->flat[i]) >> c & 1u);
                const uint place = WW_CHANNELS <= 16 ? c + 16u : c;
                const ww_float_bits gone = (WW_FLOAT_BITS(WW_FLOAT_VLOAD(0, columns->flat + k)) >> place |
                                            as_uint(rows->flat[i]) >> place) &
                                           (WW_CHANNELS <= 16 ? 1u : 0u);
                value += WW_TO_REAL(0.5f * WW_BITS_TO_FLOATS(bits) + WW_GONE * WW_BITS_TO_FLOATS(gone));
            }
            ww_top_enter(tops[q], c, value);
        }
    }
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++) {
        if (WW_SOME)
            values[q] = ww_top_sum(tops[q]);
        else if (WW_FLATS)
            values[q] += WW_TO_REAL(rows->flat[i] + WW_FLOAT_VLOAD(0, columns->flat + j + q * WW_VECTOR));
    }
#endif
}

// How far row r's cells are above one of their limits; gives the most. values: S, or of one channel the covariances.
WW_INLINE real ww_compare(real *above, const real *values, const ww_tile *w, const ww_profile_args *job,
                          global const ww_scalar *column_table, const ww_row_limit row, const uint r) {
    real hit = -1;
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++) {
        const uint k = w->column0 + r + q * WW_VECTOR;
        above[q] = -1;
        if (WW_PROFILE_ROWS && WW_ONE)
            above[q] = fma((real)-row.limit, ww_sizes(column_table, job, 0, k), values[q]);
        else if (WW_PROFILE_ROWS)
            above[q] = values[q] - (real)row.limit;
        if (WW_PROFILE_COLUMNS && WW_ONE)
            above[q] = ww_max2(above[q], fma((real)-row.size, WW_VLOAD(0, w->limits + r + q * WW_VECTOR), values[q]));
        else if (WW_PROFILE_COLUMNS)
            above[q] = ww_max2(above[q], values[q] - WW_VLOAD(0, w->limits + r + q * WW_VECTOR));
        hit = ww_max2(hit, above[q]);
    }
    return hit;
}

// Enters cell (i, column), of D, of the column at place p. Where the nearest alone is wanted it is kept if it is the best so far,
// and the one before is still a candidate if it may be as near.
WW_INLINE void ww_enter_column(ww_tile *w, const ww_profile_args *job, global const ww_scalar *column_table,
                               const ww_profile_side *columns, global uint4 *entries, global uint *counters, const uint i,
                               const uint p, const float d, const float error) {
    const uint column = w->column0 + p;
    if (!WW_KEEPS_BEST) {
        ww_candidate(column, i, d, error, job, columns, entries, counters);
        return;
    }
    const float before = w->best[p];
    if (before == INFINITY)
        w->met[w->met_count++] = p;
    if (d < before) {
        const float most = d + 2 * (w->most_error + job->relative * fabs(d));
        w->best[p] = d;
        if (before < most)
            ww_candidate(column, w->best_rows[p], before, w->most_error + job->relative * fabs(before), job, columns, entries,
                         counters);
        w->best_rows[p] = i;
        w->limits[p] = fmax(w->limits[p], ww_limit(most, WW_SIZE(column_table, job->column_stride, 0, column)));
    } else {
        ww_candidate(column, i, d, error, job, columns, entries, counters);
    }
}

// The nearest of a vector's cells lowers row i's bound before any is listed.
WW_INLINE void ww_lower_row(const ww_profile_args *job, const ww_profile_side *rows, const ww_profile_side *columns,
                            const float *d, const float most, const uint i, const uint j) {
    float least = INFINITY;
    for (uint lane = 0; lane < WW_VECTOR; lane++)
        if (d[lane] < most && d[lane] < least && ww_counts(job, i, j + lane, columns))
            least = fmin(least, d[lane] + ww_error(job, rows->condition[i], columns->condition[j + lane], d[lane]));
    if (least > 0)
        atomic_min(&rows->bounds[i], as_int(least));
}

// Lists what is nearer than a limit of row r's cells in a vector from place p on: D, and what is compared with the columns'
// limits, by lane.
WW_INLINE void ww_list(ww_tile *w, const ww_profile_args *job, global const ww_scalar *column_table,
                       const ww_profile_side *rows, const ww_profile_side *columns, global uint4 *entries,
                       global uint *counters, const ww_row_limit row, const float *d, const ww_scalar *compared,
                       const uint r, const uint first) {
    const uint i = w->row0 + r;
    if (WW_RAISES && WW_PROFILE_ROWS)
        ww_lower_row(job, rows, columns, d, row.most, i, w->column0 + first);
    for (uint lane = 0; lane < WW_VECTOR; lane++) {
        const uint p = first + lane, column = w->column0 + p;
        const int in_row = WW_PROFILE_ROWS && d[lane] < row.most;
        int in_column = 0;
        if (WW_PROFILE_COLUMNS)
            in_column = compared[lane] > (WW_ONE ? row.size * w->limits[p] : w->limits[p]);
        if ((in_row | in_column) == 0 || !ww_counts(job, i, column, columns))
            continue;
        const float error = ww_error(job, rows->condition[i], columns->condition[column], d[lane]);
        if (in_row)
            ww_candidate(i, column, d[lane], error, job, rows, entries, counters);
        if (in_column)
            ww_enter_column(w, job, column_table, columns, entries, counters, i, p, d[lane], error);
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
ww_profile_vector(const ww_profile_args job, global const ww_scalar *row_table, global const ww_scalar *column_table,
                  global const double *row_values, global const double *column_values, global const double *row_means,
                  global const double *column_means, global const float *row_reach, global const float *column_reach,
                  global const float *row_reaches, global const float *column_reaches, global const float *row_flat,
                  global const float *column_flat, global const uchar *row_state, global const uchar *column_state,
                  global int *row_bounds, global int *column_bounds, global uint *row_heads, global uint *column_heads,
                  global uint4 *entries, global uint *counters) {
    local ww_scalar limits[WW_PROFILE_COLUMNS ? WW_SPAN : 1];
    local float best[WW_KEEPS_BEST ? WW_SPAN : 1];
    local uint best_rows[WW_KEEPS_BEST ? WW_SPAN : 1], met[WW_KEEPS_BEST ? WW_SPAN : 1];
    const ww_profile_side rows = {row_reach, row_reaches, row_flat, row_state, row_bounds, row_heads};
    const ww_profile_side columns = {column_reach, column_reaches, column_flat, column_state, column_bounds, column_heads};
    const ulong tile = job.first + get_group_id(0);
    const uint band = (uint)(tile / job.blocks), block = (uint)(tile - (ulong)band * job.blocks);
    const uint row0 = block * WW_PROFILE_BLOCK_ROWS, diagonal0 = job.delta + band * WW_PROFILE_WIDTH;
    const uint column0 = row0 + diagonal0;
    if (row0 >= job.rows || (ulong)row0 + diagonal0 >= job.columns)
        return;
    const uint count = min(min((uint)WW_PROFILE_BLOCK_ROWS, job.rows - row0), job.columns - column0);
    const ww_reach row_most = ww_largest_reach(&rows, row0, count, job.rows, job.row_stride);
    const ww_reach column_most =
        ww_largest_reach(&columns, column0, count + WW_PROFILE_WIDTH, job.columns, job.column_stride);
    if (!ww_of_launch(&job, row_most, column_most))
        return;
    ww_tile w = {row0, column0, count, row_most.most, column_most.most,
                 ww_error(&job, row_most.most, column_most.most, 0), limits, best, best_rows, met, 0};
    ww_set_limits(&w, &job, column_table, &columns);
    real cov[WW_CHANNELS][WW_VECTORS];
    for (uint c = 0; c < WW_CHANNELS; c++)
#if WW_TREND
        ww_first_covariances(cov[c], &job, row_values + (size_t)c * job.row_points + row0,
                             column_values + (size_t)c * job.column_points + column0,
                             row_means + (size_t)c * job.row_stride + row0, (size_t)WW_CHANNELS * job.row_stride,
                             column_means + (size_t)c * job.column_stride + column0,
                             (size_t)WW_CHANNELS * job.column_stride);
#else
        ww_first_covariances(cov[c], &job, row_values + (size_t)c * job.row_points + row0,
                             column_values + (size_t)c * job.column_points + column0,
                             row_means[(size_t)c * job.row_stride + row0],
                             column_means + (size_t)c * job.column_stride + column0);
#endif
    for (uint r = 0; r < count; r++) {
        const uint i = row0 + r;
        real values[WW_VECTORS], above[WW_VECTORS];
        ww_row_limit row = {WW_PROFILE_ROWS ? ww_most(&job, row_bounds[i], row_reach[i], w.most_columns) : 0, 0, 0};
        row.size = WW_ONE ? WW_SIZE(row_table, job.row_stride, 0, i) : 1;
        row.limit = ww_limit(row.most, row.size);
        if (WW_ONE)
            ww_step(cov[0], &w, &job, row_table, column_table, r, 0);
        else
            ww_sum_channels(values, cov, &w, &job, row_table, column_table, &rows, &columns, r);
        const real hit = ww_compare(above, WW_ONE ? cov[0] : values, &w, &job, column_table, row, r);
        if (!ww_any(hit > 0) || row_state[i] != WW_USABLE)
            continue;
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            float d[WW_VECTOR];
            ww_scalar compared[WW_VECTOR];
            real s;
            if (!ww_any(above[q] > 0))
                continue;
#if WW_TREND
            s = ww_trend_sum(cov, &job, row_table, column_table, i, column0 + r + q * WW_VECTOR, q, 1);
#else
            if (WW_ONE)
                s = cov[0][q] / (ww_sizes(column_table, &job, 0, column0 + r + q * WW_VECTOR) * row.size);
            else
                s = values[q];
#endif
            WW_VSTORE(WW_ONE ? cov[0][q] : s, 0, compared);
            WW_FLOAT_VSTORE(WW_FLOATS((real)WW_ALL_NEAR - s), 0, d);
            ww_list(&w, &job, column_table, &rows, &columns, entries, counters, row, d, compared, r,
                    r + q * WW_VECTOR);
        }
    }
    for (uint n = 0; WW_KEEPS_BEST && n < w.met_count; n++)
        ww_candidate(column0 + met[n], best_rows[met[n]], best[met[n]],
                     w.most_error + job.relative * fabs(best[met[n]]), &job, &columns, entries, counters);
}
