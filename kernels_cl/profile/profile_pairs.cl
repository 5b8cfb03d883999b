// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on devices without double: covariances are pairs of floats (hi, lo), hi the sum
// rounded and lo what that loses, some 45 bits together. A work-item takes one diagonal and WW_BLOCK_ROWS rows. What it
// lists is compared in double by the host (src/profile/profile_host.c). No local memory, no barrier.
//
// Sums: D. Knuth's two-sum; products by fma. T. Dekker, Numerische Mathematik 18, 1971. Nothing here may be contracted
// or reordered.
#pragma OPENCL FP_CONTRACT OFF
#ifndef WW_WG
#define WW_WG 64
#endif
#define WW_WIDTH WW_WG

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

kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_profile_pairs(const ww_profile_job job, global const float2 *row_table, global const float2 *column_table,
                 global const float2 *row_values, global const float2 *column_values, global const float2 *row_means,
                 global const float2 *column_means, global const float *row_reach, global const float *column_reach, global const float *row_reaches,
                 global const float *column_reaches, global const float *row_flat, global const float *column_flat,
                 global const uchar *row_state, global const uchar *column_state, global int *row_bounds,
                 global int *column_bounds, global uint *row_heads, global uint *column_heads, global uint4 *entries,
                 global uint *counters) {
    const ulong tile = job.first + get_group_id(0);
    const uint band = (uint)(tile / job.blocks), block = (uint)(tile - (ulong)band * job.blocks);
    const uint item = (uint)get_local_id(0), row0 = block * WW_BLOCK_ROWS, diagonal = job.delta + band * WW_WIDTH + item;
    float2 cov[WW_CHANNELS];
    if (row0 >= job.rows || (ulong)row0 + diagonal >= job.columns || item >= job.active)
        return;
    for (uint c = 0; c < WW_CHANNELS; c++) {
        global const float2 *x = row_values + (size_t)c * job.row_points + row0;
        global const float2 *y = column_values + (size_t)c * job.column_points + row0 + diagonal;
        // y counts from its first value. The row's deviations do not sum up to exactly 0: their sum times the column's
        // mean is taken off again.
        const float2 mean = -row_means[(size_t)c * job.row_stride + row0], origin = -y[0];
        const float2 level = ww_two_add(column_means[(size_t)c * job.column_stride + row0 + diagonal], origin);
        float2 sum = 0, left = 0;
        for (uint t = 0; t < job.window; t++) {
            const float2 tap = ww_two_add(x[t], mean);
            left = ww_two_add(left, tap);
            sum = ww_two_add(sum, ww_two_product(tap, ww_two_add(y[t], origin)));
        }
        cov[c] = ww_two_add(sum, -ww_two_product(left, level));
    }
    const uint count = min(min((uint)WW_BLOCK_ROWS, job.rows - row0), job.columns - row0 - diagonal);
    for (uint r = 0; r < count; r++) {
        const uint i = row0 + r, j = i + diagonal;
#if WW_SOME
        float value;
        WW_TOP_EMPTY(float);
#elif WW_FLATS
        float value = row_flat[i] + column_flat[j];
#else
        float value = 0;
#endif
        for (uint c = 0; c < WW_CHANNELS; c++) {
            if (r)
                cov[c] = ww_two_add(cov[c], ww_two_add(ww_two_product(WW_DF(row_table, job.row_stride, c, i),
                                                                      WW_DG(column_table, job.column_stride, c, j)),
                                                       ww_two_product(WW_DF(column_table, job.column_stride, c, j),
                                                                      WW_DG(row_table, job.row_stride, c, i))));
            const float row = WW_SIZE(row_table, job.row_stride, c, i).x;
            const float column = WW_SIZE(column_table, job.column_stride, c, j).x;
#if WW_CHANNELS == 1
            value = cov[c].x / row / column;
#elif WW_SOME && WW_FLATS
            ww_top_enter(top, cov[c].x * row * column + WW_FLAT_OF(row_flat[i], column_flat[j], c));
#elif WW_SOME
            ww_top_enter(top, cov[c].x * row * column);
#else
            value = fma(cov[c].x * row, column, value);
#endif
        }
#if WW_SOME
        value = ww_top_sum(top);
#endif
        const float error = ww_error(&job, row_reach[i], column_reach[j]);
        int in_row = 0, in_column = 0;
#if WW_ROWS
        in_row = value > as_float(row_bounds[i]) - error;
#endif
#if WW_COLUMNS
        in_column = value > as_float(column_bounds[j]) - error;
#endif
        if (!(in_row | in_column) || row_state[i] != WW_USABLE || !ww_counts(&job, i, j, column_state))
            continue;
        if (in_row)
            ww_candidate(i, j, value, error, &job, row_bounds, row_heads, entries, counters);
        if (in_column)
            ww_candidate(j, i, value, error, &job, column_bounds, column_heads, entries, counters);
    }
}
