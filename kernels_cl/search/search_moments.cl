// SPDX-License-Identifier: Apache-2.0
// What a window of a stream needs to be compared: how its points are normalised, and whether it has a point that is not
// a number. And the envelopes of a stream, for lower bounds.
//
// Tried, not taken: windows' moments straight from global memory: 17.5 for 6.4 ms.
//
// A point v of window p becomes (v - centre) * scale + shift (WW_AFFINE): for z-normalised windows scale is 1 over the
// population deviation, centre the mean in this precision and shift what that rounds away; a window with a deviation
// below 1e-8 |mean| + 1e-12 is all zero. scale is NaN where a point of the window, in any channel, is NaN or infinite.
//
// A work-item computes WW_RUN consecutive windows of a channel: the first directly, the others by adding a point and
// removing one. So an error lasts for WW_RUN windows, however long the stream is. Sums are of differences from the
// first point, in double where the device has it. Where the difference of the moments has lost digits, the window is
// computed again directly: where it is small beside the largest sum of squares that the run has had, whose rounding is
// still there when the points that made it so large have left. No local memory, no barrier.
//
// Parameters: base/number.cl's; WW_TILE 1: the form for GPUs (WW_MANY 1); WW_ZNORM; WW_WIDE 1: the device has double; WW_RUN; WW_WG work-items of a group. WW_MANY
// above 1, on CPUs with double: so many windows' deviations, and points of the envelope, at a time in a vector.
#ifndef WW_ZNORM
#define WW_ZNORM 1
#endif
#ifndef WW_WIDE
#define WW_WIDE 1
#endif
#ifndef WW_TILE
#define WW_TILE 0
#endif
#ifndef WW_MANY
#define WW_MANY 1
#endif
#ifndef WW_RUN
#define WW_RUN 64
#endif
#ifndef WW_WG
#define WW_WG 64
#endif
#if WW_WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_wide;
#else
typedef float ww_wide;
#endif

// Below this share of the run's largest second moment the difference of the moments is computed again.
#if WWK_DOUBLE
#define WW_LOST 1e-3
#else
#define WW_LOST (WW_WIDE ? 1e-7 : 1e-2)
#endif
#if WW_MANY > 1
typedef WW_PASTE(double, WW_MANY) ww_wides;
typedef WW_PASTE(WW_REAL_NAME, WW_MANY) ww_scalars;
#define WW_TO_SCALARS(v) WW_PASTE(WW_PASTE(convert_, WW_REAL_NAME), WW_MANY)(v)
#define WW_TO_WIDES(v) WW_PASTE(convert_double, WW_MANY)(v)
#endif

#define WW_IS_NUMBER(v) ((v) - (v) == 0)

#if WW_ZNORM
// Mean and deviation of n points, directly.
WW_INLINE void ww_moments_of(__global const ww_scalar *at, uint n, ww_wide *mean, ww_wide *deviation) {
    const ww_wide pivot = (ww_wide)at[0];
    ww_wide sum = 0, squares = 0;
#pragma unroll 4
    for (uint j = 0; j < n; j++)
        sum += (ww_wide)at[j] - pivot;
    const ww_wide centre = sum / (ww_wide)n;
#pragma unroll 4
    for (uint j = 0; j < n; j++) {
        const ww_wide t = ((ww_wide)at[j] - pivot) - centre;
        squares += t * t;
    }
    *mean = pivot + centre;
    *deviation = sqrt(squares / (ww_wide)n);
}

// Centre, scale and shift of a window of n points from the sums of its points and their squares, less `pivot`.
WW_INLINE void ww_normal_of(__global const ww_scalar *at, uint n, ww_wide sum, ww_wide squares, ww_wide peak,
                            ww_wide part, ww_wide pivot, bool bad, ww_scalar *result) {
    ww_wide mean = sum * part;
    ww_wide variance = squares * part - mean * mean;
    ww_wide deviation = sqrt(variance > 0 ? variance : 0);
    mean += pivot;
    if (!(variance > peak * part * (ww_wide)WW_LOST) && !bad)
        ww_moments_of(at, n, &mean, &deviation);
    const bool flat = deviation < (ww_wide)1e-8 * fabs(mean) + (ww_wide)1e-12;
    const ww_wide inverse = 1 / deviation;
    result[0] = (ww_scalar)mean;
    result[1] = flat ? (ww_scalar)0 : (ww_scalar)inverse;
    result[2] = flat ? (ww_scalar)0 : (ww_scalar)(((ww_wide)result[0] - mean) * inverse);
}
#endif

#if !WW_TILE
// values: channel c from c * stride on. table: for each channel centre, scale and shift of `windows` windows, `stride`
// numbers each.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_moments(__global const ww_scalar *restrict values, __global ww_scalar *restrict table, const ulong stride,
                  const uint n, const uint windows, const uint channels) {
    const uint runs = (windows + WW_RUN - 1) / WW_RUN;
    const uint unit = (uint)get_global_id(0);
    const uint channel = unit / runs;
    if (channel >= channels)
        return;
    const uint first = ww_rest(unit, runs, channel) * WW_RUN, end = min(first + WW_RUN, windows);
    __global const ww_scalar *at = values + channel * stride;
    __global ww_scalar *centres = table + 3 * channel * stride, *scales = centres + stride, *shifts = scales + stride;
    uint bad = 0;
#if WW_ZNORM
    ww_wide sum = 0, squares = 0, peak = 0;
    const ww_wide part = 1 / (ww_wide)n, pivot = WW_IS_NUMBER(at[first]) ? (ww_wide)at[first] : 0;
#endif
#if WW_ZNORM && WW_MANY > 1
    ww_wide sums[WW_RUN], all_squares[WW_RUN], peaks[WW_RUN];
    uint marks[WW_RUN];
    for (uint k = 0; k < WW_RUN; k++)
        sums[k] = all_squares[k] = peaks[k] = marks[k] = 0;
#endif
    for (uint j = first; j < first + n - 1; j++) {
        const bool number = WW_IS_NUMBER(at[j]);
        bad += !number;
#if WW_ZNORM
        const ww_wide v = number ? (ww_wide)at[j] - pivot : 0;
        sum += v;
        squares += v * v;
#endif
    }
#pragma unroll 1
    for (uint p = first; p < end; p++) {
        const ww_scalar entering = at[p + n - 1], leaving = at[p];
        const bool enters = WW_IS_NUMBER(entering), leaves = WW_IS_NUMBER(leaving);
        bad += !enters;
#if !WW_ZNORM || WW_MANY == 1
        ww_scalar normal[3] = {0, 1, 0};
#endif
#if WW_ZNORM
        const ww_wide v = enters ? (ww_wide)entering - pivot : 0, w = leaves ? (ww_wide)leaving - pivot : 0;
        const ww_wide own_sum = sum + v, own_squares = squares + v * v;
        sum += v - w;
        squares += v * v - w * w;
        peak = own_squares > peak ? own_squares : peak;
#if WW_MANY > 1
        peaks[p - first] = peak;
        sums[p - first] = own_sum;
        all_squares[p - first] = own_squares;
        marks[p - first] = bad;
#else
        ww_normal_of(at + p, n, own_sum, own_squares, peak, part, pivot, bad != 0, normal);
#endif
#endif
#if !WW_ZNORM || WW_MANY == 1
        centres[p] = normal[0];
        scales[p] = bad ? (ww_scalar)NAN : normal[1];
        shifts[p] = normal[2];
#endif
        bad -= !leaves;
    }
#if WW_ZNORM && WW_MANY > 1
    for (uint at_window = 0; at_window < WW_RUN; at_window += WW_MANY) {
        const ww_wides own_squares = WW_PASTE(vload, WW_MANY)(0, all_squares + at_window) * part,
                       limit = WW_PASTE(vload, WW_MANY)(0, peaks + at_window) * (part * (ww_wide)WW_LOST);
        ww_wides mean = WW_PASTE(vload, WW_MANY)(0, sums + at_window) * part;
        ww_wides variance = own_squares - mean * mean;
        ww_wides deviation = sqrt(fmax(variance, (ww_wides)0));
        mean += pivot;
        if (any(!(variance > limit))) {
            ww_wide means[WW_MANY], deviations[WW_MANY], variances[WW_MANY], limits[WW_MANY];
            WW_PASTE(vstore, WW_MANY)(mean, 0, means);
            WW_PASTE(vstore, WW_MANY)(deviation, 0, deviations);
            WW_PASTE(vstore, WW_MANY)(variance, 0, variances);
            WW_PASTE(vstore, WW_MANY)(limit, 0, limits);
            for (uint k = 0; k < WW_MANY; k++)
                if (first + at_window + k < end && !(variances[k] > limits[k]) && !marks[at_window + k])
                    ww_moments_of(at + first + at_window + k, n, &means[k], &deviations[k]);
            mean = WW_PASTE(vload, WW_MANY)(0, means);
            deviation = WW_PASTE(vload, WW_MANY)(0, deviations);
        }
        const ww_wides inverse = 1 / deviation;
        const ww_scalars centre = WW_TO_SCALARS(mean);
        ww_scalar own_scale[WW_MANY], own_centre[WW_MANY], own_shift[WW_MANY], flat[WW_MANY];
        WW_PASTE(vstore, WW_MANY)(centre, 0, own_centre);
        WW_PASTE(vstore, WW_MANY)(WW_TO_SCALARS(inverse), 0, own_scale);
        WW_PASTE(vstore, WW_MANY)(WW_TO_SCALARS((WW_TO_WIDES(centre) - mean) * inverse), 0, own_shift);
        // Not below 0: flat.
        WW_PASTE(vstore, WW_MANY)
        (WW_TO_SCALARS(deviation - (fabs(mean) * (ww_wide)1e-8 + (ww_wide)1e-12)), 0, flat);
        for (uint k = 0; k < WW_MANY && first + at_window + k < end; k++) {
            const uint p = first + at_window + k;
            const bool is_flat = flat[k] < 0;
            centres[p] = own_centre[k];
            scales[p] = marks[at_window + k] ? (ww_scalar)NAN : is_flat ? (ww_scalar)0 : own_scale[k];
            shifts[p] = is_flat ? (ww_scalar)0 : own_shift[k];
        }
    }
#endif
}

#else
#define WW_AT_ONCE 8
#define WW_PADDED(j) ((j) + (j) / WW_RUN)

// The same for GPUs: the points of a group's runs are in local memory, and the table is written through it, so that
// neighbours read and write neighbours. A group has WW_WG runs of one channel, `groups` of them a channel. tile: local
// memory for WW_PADDED(WW_WG * WW_RUN + n) points; those WW_RUN apart are in different banks. Barriers: 1 + 2 for every
// WW_AT_ONCE windows of a run.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_moments_tile(__global const ww_scalar *restrict values, __global ww_scalar *restrict table,
                       const ulong stride, const uint n, const uint windows, const uint groups,
                       __local ww_scalar *tile) {
    __local ww_scalar results[3][WW_WG * (WW_AT_ONCE + 1)];
    const uint group = (uint)get_group_id(0), channel = group / groups, own = (uint)get_local_id(0);
    const uint base = ww_rest(group, groups, channel) * (WW_WG * WW_RUN);
    __global const ww_scalar *at = values + channel * stride;
    const uint points = min((uint)(WW_WG * WW_RUN) + n - 1, windows + n - 1 - base);
    for (uint j = own; j < points; j += WW_WG)
        tile[WW_PADDED(j)] = at[base + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint from = own * WW_RUN, left = windows - base;
    uint bad = 0;
#if WW_ZNORM
    ww_wide sum = 0, squares = 0, peak = 0, pivot = 0;
    const ww_wide part = 1 / (ww_wide)n;
#endif
    if (from < left) {
#if WW_ZNORM
        const ww_scalar first = tile[WW_PADDED(from)];
        pivot = WW_IS_NUMBER(first) ? (ww_wide)first : 0;
#endif
        for (uint j = from; j < from + n - 1; j++) {
            const ww_scalar point = tile[WW_PADDED(j)];
            const bool number = WW_IS_NUMBER(point);
            bad += !number;
#if WW_ZNORM
            const ww_wide v = number ? (ww_wide)point - pivot : 0;
            sum += v;
            squares += v * v;
#endif
        }
    }
    for (uint begin = 0; begin < WW_RUN; begin += WW_AT_ONCE) {
        for (uint k = 0; k < WW_AT_ONCE && from + begin + k < left; k++) {
            const uint p = from + begin + k;
            const ww_scalar entering = tile[WW_PADDED(p + n - 1)], leaving = tile[WW_PADDED(p)];
            const bool enters = WW_IS_NUMBER(entering), leaves = WW_IS_NUMBER(leaving);
            ww_scalar normal[3] = {0, 1, 0};
            bad += !enters;
#if WW_ZNORM
            const ww_wide v = enters ? (ww_wide)entering - pivot : 0, w = leaves ? (ww_wide)leaving - pivot : 0;
            const ww_wide own_sum = sum + v, own_squares = squares + v * v;
            sum += v - w;
            squares += v * v - w * w;
            peak = own_squares > peak ? own_squares : peak;
            ww_normal_of(at + base + p, n, own_sum, own_squares, peak, part, pivot, bad != 0, normal);
#endif
            results[0][own * (WW_AT_ONCE + 1) + k] = normal[0];
            results[1][own * (WW_AT_ONCE + 1) + k] = bad ? (ww_scalar)NAN : normal[1];
            results[2][own * (WW_AT_ONCE + 1) + k] = normal[2];
            bad -= !leaves;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = own; k < WW_WG * WW_AT_ONCE; k += WW_WG) {
            const uint run = k / WW_AT_ONCE, p = run * WW_RUN + begin + k % WW_AT_ONCE;
            const uint kept = run * (WW_AT_ONCE + 1) + k % WW_AT_ONCE;
            if (p < left)
                for (int kind = 0; kind < 3; kind++)
                    table[(3 * (ulong)channel + (ulong)kind) * stride + base + p] = results[kind][kept];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

// How many of the windows [first, first + count) of a table have no missing value in any channel: added to counters[at]. A
// work-item has WW_RUN of them.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_whole(__global const ww_scalar *restrict table, __global uint *restrict counters, const ulong stride,
                const uint first, const uint count, const uint channels, const uint at) {
    const uint begin = (uint)get_global_id(0) * WW_RUN, end = min(begin + WW_RUN, count);
    uint whole = 0;
    for (uint p = begin; p < end; p++) {
        ww_scalar scale = 0;
        for (uint c = 0; c < channels; c++)
            scale += table[(3 * (ulong)c + 1) * stride + first + p];
        whole += scale == scale;
    }
    if (whole)
        atomic_add(counters + at, whole);
}

// The least and the largest value of up to `reach` points to each side, for `points` points of every channel.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_envelope(__global const ww_scalar *restrict values, __global ww_scalar *restrict lower,
                   __global ww_scalar *restrict upper, const ulong stride, const uint points, const uint channels,
                   const uint reach) {
    const uint unit = (uint)get_global_id(0), each = (points + WW_MANY - 1) / WW_MANY;
    const uint channel = unit / each;
    if (channel >= channels)
        return;
#if WW_MANY > 1
    const uint begin = ww_rest(unit, each, channel) * WW_MANY;
    if (begin >= reach && begin + WW_MANY + reach <= points) {
        __global const ww_scalar *from = values + channel * stride + begin;
        ww_scalars less = WW_PASTE(vload, WW_MANY)(0, from), more = less;
        for (uint d = 1; d <= reach; d++) {
            const ww_scalars v = WW_PASTE(vload, WW_MANY)(0, from + d), w = WW_PASTE(vload, WW_MANY)(0, from - d);
            less = v < less ? v : less;
            more = v > more ? v : more;
            less = w < less ? w : less;
            more = w > more ? w : more;
        }
        WW_PASTE(vstore, WW_MANY)(less, 0, lower + channel * stride + begin);
        WW_PASTE(vstore, WW_MANY)(more, 0, upper + channel * stride + begin);
        return;
    }
    for (uint t = begin; t < min(begin + WW_MANY, points); t++) {
#else
    {
        const uint t = ww_rest(unit, points, channel);
#endif
        __global const ww_scalar *at = values + channel * stride;
        const uint first = t - min(t, reach), end = points - t > reach ? t + reach + 1 : points;
        ww_scalar least = at[first], most = least;
        for (uint j = first + 1; j < end; j++) {
            least = fmin(least, at[j]);
            most = fmax(most, at[j]);
        }
        lower[channel * stride + t] = least;
        upper[channel * stride + t] = most;
    }
}
