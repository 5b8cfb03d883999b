// SPDX-License-Identifier: Apache-2.0
// Distances of patterns to series in double, directly: for every window its mean and norm, then the sum of squared
// differences. What decides between candidates, and what predicts. src/shapelets/shapelet_exact.c is the same for
// devices without double. ww_shapelet_near: the same for many candidates of one length, which are windows of the series
// themselves; ww_shapelet_weigh then sorts a candidate's distances and finds its gain, so that only the best go to the
// host.
//
// A group has one pattern and one series; its work-items take the windows in turn. patterns: z-normalised by the host
// (raw: as they are), channel by channel. places: where each begins, its length; flat_: whether a channel is flat. The
// result is the mean squared difference over points and channels, and the first window that has it.
// Local memory: a number and an index a work-item. One barrier.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WW_FLAT 1e-10
// What counts of a value of a window with these statistics.
#if WW_RAW
#define WW_COUNTED(value, origin, of) ((value) * (of).y)
#else
#define WW_COUNTED(value, origin, of) ((((value) - (origin)) - (of).x) * (of).y)
#endif

// A window's mean, from its first value on, and 1 / deviation: 0 of a flat one.
WW_INLINE double2 ww_statistics(global const double *x, const uint l) {
    double mean = 0, squares = 0, low = x[0], high = x[0];
    for (uint t = 0; t < l; t++) {
        mean += x[t] - x[0];
        low = fmin(low, x[t]);
        high = fmax(high, x[t]);
    }
    mean /= l;
    for (uint t = 0; t < l; t++) {
        const double gap = (x[t] - x[0]) - mean;
        squares += gap * gap;
    }
    return (double2)(mean, high - low <= WW_FLAT * fmax(fabs(low), fabs(high)) ? 0 : sqrt(l / squares));
}

// One channel's part of the sum: window y and the pattern x, which is flat or not.
WW_INLINE double ww_part_of(global const double *x, const uint other, global const double *y, const uint l) {
    double own = 0;
    const double2 of = WW_RAW ? (double2)(0, 1) : ww_statistics(y, l);
    const uint flat = of.y == 0;
#if WW_C > 1 // else sm_80 spills; with one channel it is the other way round
#pragma unroll 4
#endif
    for (uint t = 0; t < l; t++) {
        const double gap = x[t] - WW_COUNTED(y[t], y[0], of);
        own += gap * gap;
    }
    return flat && other ? 0 : flat || other ? (double)l : own;
}

kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_exact(global const double *restrict values, global const ulong *restrict offsets,
                  global const uint *restrict ids, const uint series, global const double *restrict patterns,
                  global const uint2 *restrict places, global const uint *restrict flat_,
                  global double *restrict nearest, global uint *restrict at) {
    local double least[WW_WG];
    local uint where[WW_WG];
    const uint lid = (uint)get_local_id(0), group = (uint)get_group_id(0), p = group / series;
    const uint j = ww_rest(group, series, p);
    const uint id = ids[j], l = places[p].y;
    const uint length = (uint)((offsets[id + 1] - offsets[id]) / WW_C);
    double best = INFINITY;
    uint best_at = 0;
    for (uint u = lid; u + l <= length; u += WW_WG) {
        double sum = 0;
        for (uint ch = 0; ch < WW_C; ch++)
            sum += ww_part_of(patterns + places[p].x + ch * l, flat_[p * WW_C + ch],
                              values + offsets[id] + (ulong)ch * length + u, l);
        if (sum < best) {
            best = sum;
            best_at = u;
        }
    }
    least[lid] = best;
    where[lid] = best_at;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        for (uint i = 1; i < WW_WG; i++)
            if (least[i] < best || (least[i] == best && where[i] < best_at)) {
                best = least[i];
                best_at = where[i];
            }
        nearest[(ulong)p * series + j] = best / ((double)l * WW_C);
        at[(ulong)p * series + j] = best_at;
    }
}

// Statistics of all windows of `l` points: of (series, channel) `wide` each. A work-item a window.
kernel void ww_shapelet_statistics(global const double *restrict values, global const ulong *restrict offsets,
                                   global const uint *restrict ids, const uint series, const uint wide, const uint l,
                                   global double2 *restrict statistics) {
    const ulong item = get_global_id(0);
    const uint row = (uint)(item / wide), u = (uint)(item - (ulong)row * wide), j = row / WW_C, ch = row - j * WW_C;
    if (j >= series)
        return;
    const uint id = ids[j], length = (uint)((offsets[id + 1] - offsets[id]) / WW_C);
    if (u + l <= length)
        statistics[item] = ww_statistics(values + offsets[id] + (ulong)ch * length + u, l);
}

// The values of candidates first to first + count - 1, which have l points: those of one place follow each other.
// candidates: series (of the data), start, length, place of the series in the node. A work-item a value.
kernel void ww_shapelet_patterns(global const double *restrict values, global const ulong *restrict offsets,
                                 global const uint4 *restrict candidates, const uint first, const uint count,
                                 const uint wide, const uint l, global const double2 *restrict statistics,
                                 global double *restrict patterns) {
    const ulong item = get_global_id(0);
    const uint place = (uint)(item / count), ch = place / l, t = place - ch * l;
    if (ch >= WW_C)
        return;
    const uint4 own = candidates[first + (uint)(item - (ulong)place * count)];
    const ulong length = (offsets[own.x + 1] - offsets[own.x]) / WW_C;
    global const double *x = values + offsets[own.x] + ch * length + own.y;
    const double2 of = WW_RAW ? (double2)(0, 1) : statistics[((ulong)own.w * WW_C + ch) * wide + own.y];
    patterns[item] = WW_COUNTED(x[t], x[0], of);
}

// The distances of these candidates to every series, as above; 0 to their own. (A flat window's values are 0 here: that
// makes 0 and l of the sums, but for rounding.) A group has `across` candidates and one series, whose windows are divided
// among the work-items of a candidate. Local memory: a number a work-item. One barrier.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_near(global const double *restrict values, global const ulong *restrict offsets,
                 global const uint *restrict ids, const uint series, global const uint4 *restrict candidates,
                 const uint first, const uint count, const uint wide, const uint l, const uint across,
                 global const double2 *restrict statistics, global const double *restrict patterns,
                 global double *restrict nearest) {
    local double least[WW_WG];
    const uint lid = (uint)get_local_id(0), group = (uint)get_group_id(0), block = group / series;
    const uint j = ww_rest(group, series, block), id = ids[j], lane = lid % across;
    const uint p = min(block * across + lane, count - 1), length = (uint)((offsets[id + 1] - offsets[id]) / WW_C);
    double best = INFINITY;
    for (uint u = lid / across; u + l <= length; u += WW_WG / across) {
        double sum = 0;
        global const double *x = patterns + p;
#pragma unroll 1
        for (uint ch = 0; ch < WW_C; ch++) {
            global const double *y = values + offsets[id] + (ulong)ch * length + u;
            const double2 of = WW_RAW ? (double2)(0, 1) : statistics[((ulong)j * WW_C + ch) * wide + u];
#pragma unroll 4
            for (uint t = 0; t < l; t++, x += count) {
                const double gap = x[0] - WW_COUNTED(y[t], y[0], of);
                sum += gap * gap;
            }
        }
        best = fmin(best, sum);
    }
    least[lid] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < across && block * across + lid < count) {
        for (uint i = lid + across; i < WW_WG; i += across)
            best = fmin(best, least[i]);
        nearest[(ulong)(first + p) * series + j] = j == candidates[first + p].w ? 0 : best / ((double)l * WW_C);
    }
}

#if WW_C == 1 && !WW_RAW
#define WW_SHORT 8
// The values of all windows of `l` points in float, with zeros up to 4 or 8 of them. A work-item a window.
kernel void ww_shapelet_short_windows(global const double *restrict values, global const ulong *restrict offsets,
                                      global const uint *restrict ids, const uint series, const uint wide, const uint l,
                                      global float *restrict windows, const uint first) {
    const ulong item = get_global_id(0);
    const uint j = (uint)(item / wide), u = (uint)(item - (ulong)j * wide);
    if (j >= series)
        return;
    const uint id = ids[j], length = (uint)(offsets[id + 1] - offsets[id]);
    global const double *x = values + offsets[id] + u;
    const int inside = u + l <= length;
    const double2 of = inside ? ww_statistics(x, l) : (double2)(0, 0);
    for (uint t = 0; t < WW_SHORT; t++)
        windows[first + item * WW_SHORT + t] = inside && t < l ? (float)WW_COUNTED(x[t], x[0], of) : 0.0f;
}

// Half the distance of every candidate of `l` points, number li of the lengths, to every series, over sqrt(l): sqrt(q).
// Differences are of values rounded to float, so near distances are far more precise than from correlations. A group has
// one series and WW_SHORT_COLUMNS columns a work-item, whose values are in registers; a window is read once for all.
#define WW_SHORT_COLUMNS 4
#define WW_SHORT_POINTS(L)                                                                                             \
    case L:                                                                                                            \
        for (uint u = 0; u < places; u++, window += WW_SHORT / 4) {                                                    \
            const float4 y0 = window[0], y1 = L > 4 ? window[1] : y0;                                                  \
            const float y[WW_SHORT] = {y0.x, y0.y, y0.z, y0.w, y1.x, y1.y, y1.z, y1.w};                                \
            _Pragma("unroll") for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {                                            \
                float sum = 0;                                                                                         \
                _Pragma("unroll") for (uint t = 0; t < L; t++) {                                                       \
                    const float gap = x[i][t] - y[t];                                                                  \
                    sum = fma(gap, gap, sum);                                                                          \
                }                                                                                                      \
                best[i] = fmin(best[i], sum);                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        break;
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_short(global const ulong *restrict offsets, global const uint *restrict ids,
                  global const uint4 *restrict columns, global const float *restrict windows, const uint first,
                  const uint wide, const uint l, const uint li, global float *restrict nearest,
                  const ww_shapelet_job job) {
    const uint lid = (uint)get_local_id(0), group = (uint)get_group_id(0), block = group / job.series;
    const uint j = ww_rest(group, job.series, block), id = ids[j];
    const uint places = (uint)(offsets[id + 1] - offsets[id]) - l + 1;
    float x[WW_SHORT_COLUMNS][WW_SHORT], best[WW_SHORT_COLUMNS];
#pragma unroll
    for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
        const uint c = (block * WW_SHORT_COLUMNS + i) * WW_WG + lid;
        const uint4 column = columns[min(c, job.columns - 1)];
        const int inside = column.z >= l;
        global const float *from = windows + first + (inside ? ((ulong)column.w * wide + column.y) * WW_SHORT : 0);
#pragma unroll
        for (uint t = 0; t < WW_SHORT; t++)
            x[i][t] = from[t];
        best[i] = INFINITY;
    }
    global const float4 *window = (global const float4 *)(windows + first) + (ulong)j * wide * (WW_SHORT / 4);
    switch (l) {
        WW_SHORT_POINTS(2)
        WW_SHORT_POINTS(3)
        WW_SHORT_POINTS(4)
        WW_SHORT_POINTS(5)
        WW_SHORT_POINTS(6)
        WW_SHORT_POINTS(7)
        WW_SHORT_POINTS(8)
    }
#pragma unroll
    for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
        const uint c = (block * WW_SHORT_COLUMNS + i) * WW_WG + lid;
        if (c < job.columns)
            nearest[((ulong)j * job.count + li) * job.columns + c] = 0.5f * sqrt(best[i] / (float)l);
    }
}
#endif

// Of each candidate the best gain, and of equal gains the largest gap, as src/shapelets/shapelet_quality.c finds them,
// but with splits at half the difference that it asks for: so never less, whatever rounding did. A group has a
// candidate. before, combine: as in shapelet_split.cl, but distances. sorted, classes: a number for each series; counts: for each
// class. Two barriers, and one each step of the bitonic sort.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_weigh(global const double *restrict nearest, global const uint4 *restrict candidates,
                  global const uint *restrict class_of, global const uint *restrict totals,
                  global const double *restrict before, global const long *restrict steps, const uint n,
                  const uint class_count, const uint combine, const uint unscaled, local double *sorted,
                  local uint *classes, local uint *counts, global long *restrict gains, global double *restrict gaps) {
    const uint lid = (uint)get_local_id(0), p = (uint)get_group_id(0);
    const double scale = unscaled ? (double)candidates[p].z : 1.0;
    for (uint j = lid; j < n; j += WW_WG) {
        double d = sqrt(nearest[(ulong)p * n + j] * scale);
        d = combine == 1 ? fmax(d, before[j]) : combine == 2 ? fmin(d, before[j]) : d;
        sorted[j] = d;
        classes[j] = class_of[j];
    }
    for (uint k = lid; k < class_count; k += WW_WG)
        counts[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size < 2 * n; size *= 2)
        for (uint step = size / 2; step; step /= 2) {
            const uint pairs = (n + size - 1) / size * (size / 2);
            for (uint e = lid; e < pairs; e += WW_WG) {
                const uint low = (e & ~(step - 1)) * 2 + (e & (step - 1));
                const uint high = step == size / 2 ? low ^ (size - 1) : low + step;
                if (high < n && sorted[high] < sorted[low]) {
                    const double d = sorted[low];
                    const uint k = classes[low];
                    sorted[low] = sorted[high];
                    classes[low] = classes[high];
                    sorted[high] = d;
                    classes[high] = k;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    if (lid)
        return;
    const double largest = sorted[n - 1], same = isfinite(largest) ? 0.5e-10 * largest : 0;
    double sum = 0, left_sum = 0, best_gap = -INFINITY;
    long gain = 0, best = 0;
    for (uint j = 0; j < n; j++)
        sum += sorted[j];
    for (uint i = 0; i + 1 < n; i++) {
        const uint k = classes[i], left = counts[k], right = totals[k] - left;
        counts[k] = left + 1;
        gain += steps[left] - steps[right - 1] - steps[i] + steps[n - i - 1];
        left_sum += sorted[i];
        if (gain < best || !(sorted[i + 1] - sorted[i] > same))
            continue;
        const double gap = (sum - left_sum) / (n - i - 1) - left_sum / (i + 1);
        best_gap = gain > best || !(gap < best_gap) ? gap : best_gap;
        best = gain;
    }
    gains[p] = best;
    gaps[p] = best_gap;
}
