// SPDX-License-Identifier: Apache-2.0
// What a window of a stream needs to be compared: how its points are normalised, and whether it has a point that is not
// a number. And the envelopes of a stream, for lower bounds.
//
// A point v of window p becomes (v - centre) * scale + shift (WW_AFFINE): for z-normalised windows scale is 1 over the
// population deviation, centre the mean in this precision and shift what that rounds away; a window with a deviation
// below 1e-8 |mean| + 1e-12 is all zero. scale is NaN where a point of the window, in any channel, is NaN or infinite.
//
// A work-item computes WW_RUN consecutive windows of a channel: the first directly, the others by adding a point and
// removing one. So an error lasts for WW_RUN windows, however long the stream is. Sums are of differences from the
// first point, in double where the device has it. Where the difference of the moments has lost digits, the window is
// computed again directly. No local memory, no barrier.
//
// Parameters: base/number.cl's; WW_ZNORM; WW_WIDE 1: the device has double; WW_RUN; WW_WG work-items of a group.
#ifndef WW_ZNORM
#define WW_ZNORM 1
#endif
#ifndef WW_WIDE
#define WW_WIDE 1
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

#define WW_IS_NUMBER(v) ((v) - (v) == 0)

#if WW_ZNORM
// Mean and deviation of n points, directly.
WW_INLINE void ww_moments_of(__global const ww_scalar *at, uint n, ww_wide *mean, ww_wide *deviation) {
    const ww_wide pivot = (ww_wide)at[0];
    ww_wide sum = 0, squares = 0;
    for (uint j = 0; j < n; j++)
        sum += (ww_wide)at[j] - pivot;
    const ww_wide centre = sum / (ww_wide)n;
    for (uint j = 0; j < n; j++) {
        const ww_wide t = ((ww_wide)at[j] - pivot) - centre;
        squares += t * t;
    }
    *mean = pivot + centre;
    *deviation = sqrt(squares / (ww_wide)n);
}
#endif

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
    ww_wide sum = 0, squares = 0;
    const ww_wide count = (ww_wide)n, pivot = WW_IS_NUMBER(at[first]) ? (ww_wide)at[first] : 0;
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
    for (uint p = first; p < end; p++) {
        const ww_scalar entering = at[p + n - 1], leaving = at[p];
        const bool enters = WW_IS_NUMBER(entering), leaves = WW_IS_NUMBER(leaving);
        bad += !enters;
        ww_scalar centre = 0, scale = 1, shift = 0;
#if WW_ZNORM
        const ww_wide v = enters ? (ww_wide)entering - pivot : 0, w = leaves ? (ww_wide)leaving - pivot : 0;
        sum += v;
        squares += v * v;
        ww_wide mean = sum / count;
        ww_wide variance = squares / count - mean * mean;
        ww_wide deviation = sqrt(variance > 0 ? variance : 0);
        mean += pivot;
        if (!(variance > squares * (ww_wide)(WW_WIDE ? 1e-7 : 1e-2) / count) && !bad)
            ww_moments_of(at + p, n, &mean, &deviation);
        centre = (ww_scalar)mean;
        scale = (ww_scalar)(1 / deviation);
        shift = (ww_scalar)(((ww_wide)centre - mean) / deviation);
        if (deviation < (ww_wide)1e-8 * fabs(mean) + (ww_wide)1e-12) {
            scale = 0;
            shift = 0;
        }
        sum -= w;
        squares -= w * w;
#endif
        centres[p] = centre;
        scales[p] = bad ? (ww_scalar)NAN : scale;
        shifts[p] = shift;
        bad -= !leaves;
    }
}

// The least and the largest value of up to `reach` points to each side, for `points` points of every channel.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_envelope(__global const ww_scalar *restrict values, __global ww_scalar *restrict lower,
                   __global ww_scalar *restrict upper, const ulong stride, const uint points, const uint channels,
                   const uint reach) {
    const uint unit = (uint)get_global_id(0);
    const uint channel = unit / points;
    if (channel >= channels)
        return;
    const uint t = ww_rest(unit, points, channel);
    __global const ww_scalar *at = values + channel * stride;
    const uint first = t > reach ? t - reach : 0, end = points - t > reach ? t + reach + 1 : points;
    ww_scalar least = at[first], most = least;
    for (uint j = first + 1; j < end; j++) {
        least = fmin(least, at[j]);
        most = fmax(most, at[j]);
    }
    lower[channel * stride + t] = least;
    upper[channel * stride + t] = most;
}
