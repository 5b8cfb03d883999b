// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on devices without double: covariances are pairs of floats (hi, lo), hi the sum
// rounded and lo what that loses, some 45 bits together. A work-item takes one diagonal and WW_PROFILE_BLOCK_ROWS rows. What it
// lists is compared in double by the host (src/profile/profile_host.c). No local memory, no barrier.
//
// Sums: D. Knuth's two-sum; products by fma. T. Dekker, Numerische Mathematik 18, 1971. Nothing here may be contracted
// or reordered.
#pragma OPENCL FP_CONTRACT OFF
#define WW_PROFILE_WIDTH WW_WG

// a + b, |a| >= |b| or not.
WW_INLINE float2 ww_two_sum(const float a, const float b) {
    const float s = a + b, t = s - a;
    return (float2)(s, (a - (s - t)) + (b - t));
}

WW_INLINE float2 ww_two_add(const float2 a, const float2 b) {
    const float2 s = ww_two_sum(a.x, b.x), t = ww_two_sum(a.y, b.y);
    const float2 u = ww_two_sum(s.x, s.y + t.x);
    return ww_two_sum(u.x, u.y + t.y);
}

WW_INLINE float2 ww_two_product(const float2 a, const float2 b) {
    const float p = a.x * b.x;
    return ww_two_sum(p, fma(a.x, b.x, -p) + fma(a.x, b.y, a.y * b.x));
}

#if WW_TREND
// What the line of a mean and a slope leaves of a value.
WW_INLINE float2 ww_line_leaves(const float2 value, const float2 mean, const float2 rise, const float at) {
    return ww_two_add(ww_two_add(value, -mean), -ww_two_product(rise, (float2)(at, 0)));
}
// The same products of what lines leave; see profile_items.cl.
WW_INLINE float2 ww_first_covariance(global const float2 *x, global const float2 *y, global const float2 *line,
                                     const size_t slope, global const float2 *other, const size_t other_slope,
                                     const uint window) {
    const float middle = 0.5f * (float)(window - 1), squares = (float)window * ((float)window * (float)window - 1) / 12;
    float2 sum = 0, level = 0, tilt = 0;
    for (uint t = 0; t < window; t++) {
        const float at = (float)t - middle;
        const float2 left = ww_line_leaves(x[t], line[0], line[slope], at);
        level = ww_two_add(level, left);
        tilt = ww_two_add(tilt, ww_two_product(left, (float2)(at, 0)));
    }
    level.x = (level.x + level.y) / (float)window;
    tilt.x = (tilt.x + tilt.y) / squares;
    for (uint t = 0; t < window; t++) {
        const float at = (float)t - middle;
        const float2 left = ww_line_leaves(x[t], line[0], line[slope], at);
        const float2 tap = ww_two_add(left, -ww_two_add((float2)(level.x, 0), ww_two_product((float2)(tilt.x, 0), (float2)(at, 0))));
        sum = ww_two_add(sum, ww_two_product(tap, ww_line_leaves(y[t], other[0], other[other_slope], at)));
    }
    return sum;
}
// -D of a channel in cell (i, j).
WW_INLINE float ww_trend_cell(const float2 cov, const ww_profile_args *job, global const float2 *row_table,
                              global const float2 *column_table, const uint c, const uint i, const uint j) {
    const float2 between = ww_two_add(WW_TILT(row_table, job->row_stride, c, i), -WW_TILT(column_table, job->column_stride, c, j));
    const float2 bends = ww_two_add(WW_BEND(row_table, job->row_stride, c, i), WW_BEND(column_table, job->column_stride, c, j));
    const float2 product = ww_two_product(ww_two_product(cov, WW_SIZE(row_table, job->row_stride, c, i)),
                                          WW_SIZE(column_table, job->column_stride, c, j));
    return ww_two_add(product, -bends).x - 0.5f * between.x * between.x;
}
#else
// A diagonal's covariance of one channel in its first row. `y` counts from its first value. The row's deviations do not sum up to
// exactly 0: their sum times the column's mean is taken off again.
WW_INLINE float2 ww_first_covariance(global const float2 *x, global const float2 *y, const float2 row_mean,
                                     const float2 column_mean, const uint window) {
    const float2 mean = -row_mean, origin = -y[0];
    const float2 level = ww_two_add(column_mean, origin);
    float2 sum = 0, left = 0;
    for (uint t = 0; t < window; t++) {
        const float2 tap = ww_two_add(x[t], mean);
        left = ww_two_add(left, tap);
        sum = ww_two_add(sum, ww_two_product(tap, ww_two_add(y[t], origin)));
    }
    return ww_two_add(sum, -ww_two_product(left, level));
}
#endif

// D of cell (i,j), whose covariances are moved on from the cell before, if there is one.
WW_INLINE float ww_pairs_cell(float2 *cov, const ww_profile_args *job, global const float2 *row_table,
                              global const float2 *column_table, const ww_profile_side *rows,
                              const ww_profile_side *columns, const uint i, const uint j, const bool later) {
    float value = !WW_SOME && WW_FLATS && !WW_TREND ? rows->flat[i] + columns->flat[j] : 0, top[WW_BEST];
    ww_top_empty(top);
    for (uint c = 0; c < WW_CHANNELS; c++) {
        if (later)
            cov[c] = ww_two_add(cov[c], ww_two_add(ww_two_product(WW_DF(row_table, job->row_stride, c, i),
                                                                  WW_DG(column_table, job->column_stride, c, j)),
                                                   ww_two_product(WW_DF(column_table, job->column_stride, c, j),
                                                                  WW_DG(row_table, job->row_stride, c, i))));
        const float2 row_size = WW_SIZE(row_table, job->row_stride, c, i);
        const float2 column_size = WW_SIZE(column_table, job->column_stride, c, j);
        const float row = row_size.x, column = column_size.x;
#if WW_TREND
        const float of = ww_trend_cell(cov[c], job, row_table, column_table, c, i, j);
        if (WW_SOME)
            ww_top_enter(top, c, of);
        else
            value += of;
        continue;
#endif
        if (WW_ONE) // also where D is far below the roundings of S
            return ww_two_add(ww_two_product(row_size, column_size), -cov[c]).x / row / column;
        if (WW_SOME && WW_FLATS)
            ww_top_enter(top, c, cov[c].x * row * column + ww_flat_of(rows->flat[i], columns->flat[j], c));
        else if (WW_SOME)
            ww_top_enter(top, c, cov[c].x * row * column);
        else
            value = fma(cov[c].x * row, column, value);
    }
    return (float)WW_ALL_NEAR - (WW_SOME ? ww_top_sum(top) : value);
}

kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_profile_pairs(const ww_profile_args job, global const float2 *row_table, global const float2 *column_table,
                 global const float2 *row_values, global const float2 *column_values, global const float2 *row_means,
                 global const float2 *column_means, global const float *row_reach, global const float *column_reach,
                 global const float *row_reaches, global const float *column_reaches, global const float *row_flat,
                 global const float *column_flat, global const uchar *row_state, global const uchar *column_state,
                 global int *row_bounds, global int *column_bounds, global uint *row_heads, global uint *column_heads,
                 global uint4 *entries, global uint *counters) {
    const ww_profile_side rows = {row_reach, row_reaches, row_flat, row_state, row_bounds, row_heads};
    const ww_profile_side columns = {column_reach, column_reaches, column_flat, column_state, column_bounds, column_heads};
    const ulong tile = job.first + get_group_id(0);
    const uint band = (uint)(tile / job.blocks), block = (uint)(tile - (ulong)band * job.blocks);
    const uint item = (uint)get_local_id(0), row0 = block * WW_PROFILE_BLOCK_ROWS;
    const uint diagonal = job.delta + band * WW_PROFILE_WIDTH + item;
    float2 cov[WW_CHANNELS];
    if (row0 >= job.rows || (ulong)row0 + diagonal >= job.columns || item >= job.active)
        return;
    for (uint c = 0; c < WW_CHANNELS; c++)
#if WW_TREND
        cov[c] = ww_first_covariance(row_values + (size_t)c * job.row_points + row0,
                                     column_values + (size_t)c * job.column_points + row0 + diagonal,
                                     row_means + (size_t)c * job.row_stride + row0, (size_t)WW_CHANNELS * job.row_stride,
                                     column_means + (size_t)c * job.column_stride + row0 + diagonal,
                                     (size_t)WW_CHANNELS * job.column_stride, job.window);
#else
        cov[c] = ww_first_covariance(row_values + (size_t)c * job.row_points + row0,
                                     column_values + (size_t)c * job.column_points + row0 + diagonal,
                                     row_means[(size_t)c * job.row_stride + row0],
                                     column_means[(size_t)c * job.column_stride + row0 + diagonal], job.window);
#endif
    const uint count = min(min((uint)WW_PROFILE_BLOCK_ROWS, job.rows - row0), job.columns - row0 - diagonal);
    for (uint r = 0; r < count; r++) {
        const uint i = row0 + r, j = i + diagonal;
        const float value = ww_pairs_cell(cov, &job, row_table, column_table, &rows, &columns, i, j, r > 0);
        const float error = ww_error(&job, row_reach[i], column_reach[j], value);
        const int in_row = WW_PROFILE_ROWS && value < as_float(row_bounds[i]) + error;
        const int in_column = WW_PROFILE_COLUMNS && value < as_float(column_bounds[j]) + error;
        if (!(in_row | in_column) || row_state[i] != WW_USABLE || !ww_counts(&job, i, j, &columns))
            continue;
        if (in_row)
            ww_candidate(i, j, value, error, &job, &rows, entries, counters);
        if (in_column)
            ww_candidate(j, i, value, error, &job, &columns, entries, counters);
    }
}
