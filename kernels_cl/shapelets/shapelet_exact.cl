// SPDX-License-Identifier: Apache-2.0
// Distances of patterns to series in double, directly: for every window its mean and norm, then the sum of squared
// differences. What decides between candidates, and what predicts. src/shapelets/shapelet_exact.c is the same for
// devices without double. ww_shapelet_near: the same for many candidates of one length, which are windows of the series
// themselves; ww_shapelet_rescore then sorts a candidate's distances and finds its gain, so that only the best go to the
// host.
//
// A group has one pattern and one series; its work-items take the windows in turn. patterns: z-normalised by the host
// (raw: as they are), channel by channel. places: where each begins, its length; flat_: whether a channel is flat. The
// result is the mean squared difference over points and channels, and the first window that has it.
// Local memory: a number and an index a work-item. One barrier.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
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
    return (double2)(mean, ww_is_flat(low, high) ? 0 : sqrt(l / squares));
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

// The values of candidates first to first + count - 1, which have l points: those of one place follow each other, on a CPU
// (a group is one work-item) those of one candidate.
// candidates: series (of the data), start, length, place of the series in the node. A work-item a value.
kernel void ww_shapelet_patterns(global const double *restrict values, global const ulong *restrict offsets,
                                 global const uint4 *restrict candidates, const uint first, const uint count,
                                 const uint wide, const uint l, global const double2 *restrict statistics,
                                 global double *restrict patterns) {
    const ulong item = get_global_id(0);
#if WW_WG == 1
    const uint p = (uint)(item / (WW_C * l)), place = (uint)(item - (ulong)p * (WW_C * l));
    if (p >= count)
        return;
#else
    const uint place = (uint)(item / count), p = (uint)(item - (ulong)place * count);
#endif
    const uint ch = place / l, t = place - ch * l;
    if (ch >= WW_C)
        return;
    const uint4 own = candidates[first + p];
    const ulong length = (offsets[own.x + 1] - offsets[own.x]) / WW_C;
    global const double *x = values + offsets[own.x] + ch * length + own.y;
    const double2 of = WW_RAW ? (double2)(0, 1) : statistics[((ulong)own.w * WW_C + ch) * wide + own.y];
    patterns[item] = WW_COUNTED(x[t], x[0], of);
}

#if WW_WG == 1
// The sum of squares of a window and a pattern's values, or, where it is above `most`, a part of it that is too.
WW_INLINE double ww_near_sum(global const double *restrict x, global const double *restrict y, const uint l,
                             const double2 of, double sum, const double most) {
    const double8 origin = (double8)(WW_RAW ? 0 : y[0]), mean = (double8)(of.x), unit = (double8)(of.y);
    double8 sums = 0;
    uint t = 0;
    // One of 16 values tells most windows apart.
    for (; t + 16 <= l; t += 16) {
        const double8 a = vload8(0, x + t) - ((vload8(0, y + t) - origin) - mean) * unit;
        const double8 b = vload8(0, x + t + 8) - ((vload8(0, y + t + 8) - origin) - mean) * unit;
        sums += a * a + b * b;
        const double4 four = sums.lo + sums.hi;
        if (sum + ((four.x + four.y) + (four.z + four.w)) > most)
            return INFINITY;
    }
    const double4 four = sums.lo + sums.hi;
    sum += (four.x + four.y) + (four.z + four.w);
    for (; t < l; t++) {
        const double gap = x[t] - WW_COUNTED(y[t], y[0], of);
        sum += gap * gap;
    }
    return sum;
}

// Window u of a series and a pattern: INFINITY where it is certainly above `most`.
WW_INLINE double ww_near_window(global const double *restrict pattern, global const double *restrict of_series,
                                global const double2 *restrict statistics, const uint length, const uint wide, const uint l,
                                const uint u, const double most) {
    double sum = 0;
    for (uint ch = 0; ch < WW_C && sum <= most; ch++)
        sum = ww_near_sum(pattern + ch * l, of_series + (ulong)ch * length + u, l,
                          WW_RAW ? (double2)(0, 1) : statistics[(ulong)ch * wide + u], sum, most);
    return sum;
}
#endif

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
#if WW_WG == 1
    // The window where the candidate is from is often the nearest, and makes the others short.
    global const double *pattern = patterns + (ulong)p * (WW_C * l), *of_series = values + offsets[id];
    global const double2 *of = statistics + (ulong)j * WW_C * wide;
    if (l <= length)
        best = ww_near_window(pattern, of_series, of, length, wide, l, min(candidates[first + p].y, length - l), INFINITY);
    for (uint u = 0; u + l <= length; u++)
        best = fmin(best, ww_near_window(pattern, of_series, of, length, wide, l, u, best));
#else
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
#endif
    least[lid] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < across && block * across + lid < count) {
        for (uint i = lid + across; i < WW_WG; i += across)
            best = fmin(best, least[i]);
        nearest[(ulong)(first + p) * series + j] = j == candidates[first + p].w ? 0 : best / ((double)l * WW_C);
    }
}

#if WW_C == 1 && !WW_RAW
// Windows of up to four points, which correlations hardly tell apart: their distances are found far more precisely here.
//
// z-normalised windows of three points lie on a circle, those of two at its opposite ends: the distance of two is a chord.
// Angles are in 2^32 to a turn; bit 0 is set of a flat window.
WW_INLINE uint ww_angle(global const double *x, const uint l) {
    const double a = x[1] - x[0], b = l > 2 ? x[2] - x[0] : 0;
    const double low = l > 2 ? fmin(fmin(x[0], x[1]), x[2]) : fmin(x[0], x[1]);
    const double high = l > 2 ? fmax(fmax(x[0], x[1]), x[2]) : fmax(x[0], x[1]);
    if (ww_is_flat(low, high))
        return 1;
    const double turns = atan2(l > 2 ? (2 * b - a) * 0.57735026918962576451 : 0.0, a) * 0.15915494309189533577;
    return (uint)(long)(turns * 4294967296.0) & ~1u;
}

// The angles of all windows of l points, `wide` a series from `first` on, and those of windows that are not flat in order.
// counts: of these, doubled, and 1 more where there are flat ones. A group has a series. keys: `places` numbers, a power
// of two, at least `wide`. A barrier each step of the bitonic sort.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_angles(global const double *restrict values, global const ulong *restrict offsets,
                   global const uint *restrict ids, const uint wide, const uint l, const uint places, local uint *keys,
                   global uint *restrict angles, global uint *restrict sorted, global uint *restrict counts) {
    local uint flats;
    const uint lid = (uint)get_local_id(0), j = (uint)get_group_id(0), id = ids[j];
    const uint windows = (uint)(offsets[id + 1] - offsets[id]) - l + 1;
    if (lid == 0)
        flats = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint u = lid; u < places; u += WW_WG) {
        const uint angle = u < windows ? ww_angle(values + offsets[id] + u, l) : 1;
        if (u < windows) {
            angles[(ulong)j * wide + u] = angle;
            if (angle & 1)
                atomic_inc(&flats);
        }
        keys[u] = angle & 1 ? 0xffffffffu : angle;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= places; size *= 2)
        for (uint step = size / 2; step; step /= 2) {
            for (uint e = lid; e < places / 2; e += WW_WG) {
                const uint low = (e & ~(step - 1)) * 2 + (e & (step - 1));
                const uint high = step == size / 2 ? low ^ (size - 1) : low + step;
                const uint lower = keys[low], upper = keys[high];
                keys[low] = min(lower, upper);
                keys[high] = max(lower, upper);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    for (uint u = lid; u < windows; u += WW_WG)
        sorted[(ulong)j * wide + u] = keys[u];
    if (lid == 0)
        counts[j] = 2 * (windows - flats) + (flats > 0);
}

// sqrt(q) of a window of this angle and the nearest of `count` angles, of which `at` are less.
WW_INLINE float ww_nearest_angle(local const uint *keys, const uint count, const uint at, const uint angle,
                                 const uint some_flat) {
    // Of a flat window to one that is not.
    float distance = some_flat ? 0.5f : INFINITY;
    if (angle & 1) {
        distance = some_flat ? 0.0f : 0.5f;
    } else if (count) {
        const uint up = keys[at == count ? 0 : at] - angle, down = angle - keys[at == 0 ? count - 1 : at - 1];
        const uint gap = min(min(up, 0u - up), min(down, 0u - down));
        distance = fmin(distance, sinpi((float)gap * (1.0f / 4294967296.0f)));
    }
    return distance;
}

// sqrt(q) of every candidate of two or three points, number li of the lengths, to every series: by binary searches. A group
// has WW_SHORT_COLUMNS columns a work-item, whose angles are in registers, and `many` series one after the other, with the
// angles of one in local memory. Two barriers a series.
#define WW_SHORT_COLUMNS 4
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_circle(global const uint4 *restrict columns, global const uint *restrict angles,
                   global const uint *restrict sorted, global const uint *restrict counts, const uint wide, const uint l,
                   const uint li, const uint places, const uint many, local uint *keys, global float *restrict nearest,
                   const ww_shapelet_args job) {
    const uint lid = (uint)get_local_id(0), group = (uint)get_group_id(0), parts = (job.series + many - 1) / many;
    const uint block = group / parts, first = ww_rest(group, parts, block) * many;
    uint angle[WW_SHORT_COLUMNS];
#pragma unroll
    for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
        const uint4 column = columns[min((block * WW_SHORT_COLUMNS + i) * WW_WG + lid, job.columns - 1)];
        angle[i] = column.z >= l ? angles[(ulong)column.w * wide + column.y] : 1;
    }
    for (uint j = first; j < min(first + many, job.series); j++) {
        const uint count = counts[j] / 2, some_flat = counts[j] & 1;
        for (uint u = lid; u < count; u += WW_WG)
            keys[u] = sorted[(ulong)j * wide + u];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint at[WW_SHORT_COLUMNS]; // angles that are less
#pragma unroll
        for (uint i = 0; i < WW_SHORT_COLUMNS; i++)
            at[i] = 0;
        for (uint step = places / 2; step; step /= 2)
#pragma unroll
            for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
                const uint next = at[i] + step;
                at[i] = next <= count && keys[next - 1] < angle[i] ? next : at[i];
            }
#pragma unroll
        for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
            const uint c = (block * WW_SHORT_COLUMNS + i) * WW_WG + lid;
            const float distance = ww_nearest_angle(keys, count, at[i], angle[i], some_flat);
            if (c < job.columns)
                nearest[((ulong)j * job.count + li) * job.columns + c] = distance;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// All windows of four points: their values have the sum 0, so three numbers tell their distances. A work-item a window.
kernel void ww_shapelet_fours(global const double *restrict values, global const ulong *restrict offsets,
                              global const uint *restrict ids, const uint series, const uint wide,
                              global float4 *restrict windows) {
    const ulong item = get_global_id(0);
    const uint j = (uint)(item / wide), u = (uint)(item - (ulong)j * wide);
    if (j >= series)
        return;
    const uint id = ids[j], length = (uint)(offsets[id + 1] - offsets[id]);
    global const double *x = values + offsets[id] + u;
    double y[4] = {0, 0, 0, 0};
    if (u + 4 <= length) {
        const double2 of = ww_statistics(x, 4);
        for (uint t = 0; t < 4; t++)
            y[t] = WW_COUNTED(x[t], x[0], of);
    }
    const double a = y[0] - y[3], b = y[1] - y[2], both = y[0] + y[3];
    windows[item] = (float4)((float)(0.5 * (a + b)), (float)(0.5 * (a - b)), (float)both, 0.0f);
}

// sqrt(q) of every candidate of four points, number li of the lengths, to every series, from differences. A group has one
// series and WW_SHORT_COLUMNS columns a work-item, whose values are in registers; a window is read once for all.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_near_fours(global const ulong *restrict offsets, global const uint *restrict ids,
                       global const uint4 *restrict columns, global const float4 *restrict windows, const uint wide,
                       const uint li, global float *restrict nearest, const ww_shapelet_args job) {
    const uint lid = (uint)get_local_id(0), group = (uint)get_group_id(0), block = group / job.series;
    const uint j = ww_rest(group, job.series, block), id = ids[j];
    const uint places = (uint)(offsets[id + 1] - offsets[id]) - 3;
    float4 x[WW_SHORT_COLUMNS];
    float best[WW_SHORT_COLUMNS];
#pragma unroll
    for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
        const uint4 column = columns[min((block * WW_SHORT_COLUMNS + i) * WW_WG + lid, job.columns - 1)];
        x[i] = windows[column.z >= 4 ? (ulong)column.w * wide + column.y : 0];
        best[i] = INFINITY;
    }
    global const float4 *window = windows + (ulong)j * wide;
#pragma unroll 2
    for (uint u = 0; u < places; u++) {
        const float4 y = window[u];
#pragma unroll
        for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
            const float p = x[i].x - y.x, q = x[i].y - y.y, r = x[i].z - y.z;
            best[i] = fmin(best[i], fma(p, p, fma(q, q, r * r)));
        }
    }
#pragma unroll
    for (uint i = 0; i < WW_SHORT_COLUMNS; i++) {
        const uint c = (block * WW_SHORT_COLUMNS + i) * WW_WG + lid;
        if (c < job.columns)
            nearest[((ulong)j * job.count + li) * job.columns + c] = 0.25f * sqrt(best[i]);
    }
}
#endif

// A bitonic sort of distances with their classes by a group, all comparisons in one direction. A barrier each step.
WW_INLINE void ww_sort_distances(local double *sorted, local uint *classes, const uint n, const uint lid) {
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
}

// Of each candidate the best gain, and of equal gains the largest gap, as src/shapelets/shapelet_quality.c finds them,
// but with splits at half the difference that it asks for: so never less, whatever rounding did. A group has a
// candidate. before, combine: as in shapelet_split.cl, but distances. sorted, classes: a number for each series; counts: for each
// class. Two barriers, and one each step of the bitonic sort.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_rescore(global const double *restrict nearest, global const uint4 *restrict candidates,
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
    ww_sort_distances(sorted, classes, n, lid);
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
