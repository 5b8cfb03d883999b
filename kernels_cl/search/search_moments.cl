// SPDX-License-Identifier: Apache-2.0
// What a window of a stream needs to be compared: how its points are normalised, and whether it has a point that is not
// a number. And the envelopes of a stream, for lower bounds.
//
// A point v of window p becomes (v - centre) * scale + shift: for z-normalised windows scale is 1 over the population
// deviation, centre the mean in this precision and shift what that rounds away; a window that is constant but for rounding
// (base/constant.h) is all zero. scale is NaN where a point of the window, in any channel, is NaN or infinite, and where
// 1 over the deviation is no number of this precision.
//
// A work-item computes a run: WW_SEARCH_RUN consecutive windows of a channel, the first directly, the others by adding a
// point and removing one. So an error lasts for a run, however long the stream is. Sums are of differences from the first
// point, in double where the device has it. Where the difference of the moments has lost digits, the window is computed
// again directly: where it is small beside the largest sum of squares that the run has had, whose rounding is still there
// when the points that made it so large have left. So are windows that may be constant, and such whose squares are hardly
// numbers.
//
// ww_search_moments reads the points one by one: no local memory, no barrier. ww_search_moments_tile, for GPUs, has those of
// a group's runs in local memory, so that neighbours read and write neighbours: 6.4 ms where the plain one takes 17.5.
//
// Parameters: base/number.cl's; WW_SEARCH_TILE 1: the form for GPUs (WW_SEARCH_MANY 1); WW_SEARCH_ZNORM; WW_SEARCH_DOUBLE 1:
// the device has double; WW_SEARCH_RUN; WW_WG work-items of a group. WW_SEARCH_MANY above 1, on CPUs with double: so many
// windows' deviations, and points of the envelope, at a time in a vector.
#if WW_SEARCH_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_sum;
#else
typedef float ww_sum;
#endif

// Below this share of the run's largest second moment the difference of the moments is computed again.
#define WW_SEARCH_LOST (WWK_DOUBLE ? 1e-3 : WW_SEARCH_DOUBLE ? 1e-7 : 1e-2)
// Below WW_SEARCH_LEAST a sum of squares may have lost digits; to 2 to the power of so much a window's largest point is
// scaled at most.
#if WW_SEARCH_DOUBLE
#define WW_SEARCH_LEAST 1e-280
#define WW_SEARCH_MOST_EXPONENT 1000
#else
#define WW_SEARCH_LEAST 1e-30f
#define WW_SEARCH_MOST_EXPONENT 120
#endif
// From 1 to the next number of the points' precision.
#if WWK_DOUBLE
#define WW_SEARCH_EPSILON DBL_EPSILON
#else
#define WW_SEARCH_EPSILON ((ww_sum)FLT_EPSILON)
#endif
#if WW_SEARCH_MANY > 1
typedef WW_PASTE(double, WW_SEARCH_MANY) ww_sums;
typedef WW_PASTE(WW_REAL_NAME, WW_SEARCH_MANY) ww_scalars;
#define WW_TO_SCALARS(v) WW_PASTE(WW_PASTE(convert_, WW_REAL_NAME), WW_SEARCH_MANY)(v)
#define WW_TO_SUMS(v) WW_PASTE(convert_double, WW_SEARCH_MANY)(v)
#define WW_LOAD_MANY WW_PASTE(vload, WW_SEARCH_MANY)
#define WW_STORE_MANY WW_PASTE(vstore, WW_SEARCH_MANY)
#endif

WW_INLINE bool ww_is_number(ww_scalar v) {
    return v - v == 0;
}

// The windows of a run, one after the other.
typedef struct {
    uint bad;                          // points of the window that are not numbers
    ww_sum pivot, part;                // the run's first point; 1 / n
    ww_sum sum, squares;               // of the points that the next window has too, less the pivot
    ww_sum own_sum, own_squares, peak; // of the window; the largest sum of squares so far
} ww_run;

WW_INLINE ww_run ww_run_begin(ww_scalar first, uint n) {
    ww_run r;
    r.bad = 0;
    r.pivot = WW_SEARCH_ZNORM && ww_is_number(first) ? (ww_sum)first : 0;
    r.part = 1 / (ww_sum)n;
    r.sum = r.squares = r.peak = 0;
    return r;
}
// A point of the first window but its last.
WW_INLINE void ww_run_add(ww_run *r, ww_scalar point) {
    const bool number = ww_is_number(point);
    const ww_sum v = number ? (ww_sum)point - r->pivot : 0;
    r->bad += !number;
    r->sum += v;
    r->squares += v * v;
}
// The next window, from its first to its last point. ww_run_leave() follows.
WW_INLINE void ww_run_next(ww_run *r, ww_scalar first, ww_scalar last) {
    const bool enters = ww_is_number(last), leaves = ww_is_number(first);
    const ww_sum v = enters ? (ww_sum)last - r->pivot : 0, w = leaves ? (ww_sum)first - r->pivot : 0;
    r->bad += !enters;
    r->own_sum = r->sum + v;
    r->own_squares = r->squares + v * v;
    r->sum += v - w;
    r->squares += v * v - w * w;
    r->peak = r->own_squares > r->peak ? r->own_squares : r->peak;
}
WW_INLINE void ww_run_leave(ww_run *r, ww_scalar first) {
    r->bad -= !ww_is_number(first);
}

#if WW_SEARCH_ZNORM
// A variance of at most this is computed again directly: that of a window which may be constant, whose range is at least
// twice the deviation.
WW_INLINE ww_sum ww_least_variance(ww_sum mean) {
    const ww_sum rounded = WW_CONSTANT_EPSILONS * WW_SEARCH_EPSILON * mean;
    return fmax(rounded * rounded, (ww_sum)WW_SEARCH_LEAST);
}

// Mean, less `base`, which is one of them, and deviation of n points, directly; deviation 0 where they are constant. The largest becomes 1 to 2,
// so that squares are numbers, whatever the points' scale.
WW_INLINE void ww_moments_of(__global const ww_scalar *at, uint n, ww_sum *base, ww_sum *mean, ww_sum *deviation) {
    ww_sum low = (ww_sum)at[0], high = low, sum = 0, squares = 0;
#pragma unroll 4
    for (uint j = 1; j < n; j++) {
        low = fmin(low, (ww_sum)at[j]);
        high = fmax(high, (ww_sum)at[j]);
    }
    const ww_sum largest = fmax(fabs(low), fabs(high));
    *base = (ww_sum)at[0];
    *mean = *deviation = 0;
    if (WW_IS_CONSTANT(low, high, largest, WW_SEARCH_EPSILON))
        return;
    const int exponent = clamp(ilogb(largest), -WW_SEARCH_MOST_EXPONENT, WW_SEARCH_MOST_EXPONENT);
    const ww_sum unit = ldexp((ww_sum)1, -exponent), pivot = (ww_sum)at[0] * unit;
#pragma unroll 4
    for (uint j = 0; j < n; j++)
        sum += (ww_sum)at[j] * unit - pivot;
    const ww_sum centre = sum / (ww_sum)n;
#pragma unroll 4
    for (uint j = 0; j < n; j++) {
        const ww_sum t = ((ww_sum)at[j] * unit - pivot) - centre;
        squares += t * t;
    }
    *mean = ldexp(centre, exponent);
    *deviation = ldexp(sqrt(squares / (ww_sum)n), exponent);
}

// A deviation's scale; NaN where it is no number.
WW_INLINE ww_scalar ww_scale_of(ww_scalar inverse) {
    return isinf(inverse) ? (ww_scalar)NAN : inverse;
}
#endif

// Centre, scale and shift of the run's window, whose points begin at `at`.
WW_INLINE void ww_run_normal(const ww_run *r, __global const ww_scalar *at, uint n, ww_scalar *result) {
    result[0] = result[2] = 0;
    result[1] = 1;
#if WW_SEARCH_ZNORM
    ww_sum base = r->pivot, mean = r->own_sum * r->part;
    ww_sum variance = r->own_squares * r->part - mean * mean;
    ww_sum deviation = sqrt(variance > 0 ? variance : 0);
    const ww_sum least = fmax(r->peak * r->part * (ww_sum)WW_SEARCH_LOST, ww_least_variance(r->pivot + mean));
    if (!(variance > least) && !r->bad)
        ww_moments_of(at, n, &base, &mean, &deviation);
    const bool flat = deviation == 0;
    const ww_sum inverse = 1 / deviation;
    // Of values far from 0 a mean is rounded to more than small variations: what that loses is part of the shift.
    result[0] = (ww_scalar)(base + mean);
    result[1] = flat ? (ww_scalar)0 : ww_scale_of((ww_scalar)inverse);
    result[2] = flat ? (ww_scalar)0 : (ww_scalar)((((ww_sum)result[0] - base) - mean) * inverse);
#endif
    result[1] = r->bad ? (ww_scalar)NAN : result[1];
}

#if !WW_SEARCH_TILE
// Where the table has a channel's windows.
typedef struct {
    __global ww_scalar *centres, *scales, *shifts;
} ww_normals;

#if WW_SEARCH_ZNORM && WW_SEARCH_MANY > 1
// The windows of a run.
typedef struct {
    ww_sum sums[WW_SEARCH_RUN], squares[WW_SEARCH_RUN], peaks[WW_SEARCH_RUN];
    uint bad[WW_SEARCH_RUN];
} ww_run_windows;

// Of windows [from, from + WW_SEARCH_MANY) of a run those before `count`: their means, less a base near it, and deviations,
// directly where digits are lost. The run's first point is at[0].
WW_INLINE void ww_many_moments(const ww_run_windows *w, const ww_run *r, __global const ww_scalar *at, uint n, uint from,
                               uint count, ww_sums *base, ww_sums *mean, ww_sums *deviation) {
    const ww_sums squares = WW_LOAD_MANY(0, w->squares + from) * r->part,
                  lost = WW_LOAD_MANY(0, w->peaks + from) * (r->part * (ww_sum)WW_SEARCH_LOST);
    *base = (ww_sums)r->pivot;
    *mean = WW_LOAD_MANY(0, w->sums + from) * r->part;
    const ww_sums variance = squares - *mean * *mean;
    *deviation = sqrt(fmax(variance, (ww_sums)0));
    const ww_sums rounded = (*mean + r->pivot) * (WW_CONSTANT_EPSILONS * WW_SEARCH_EPSILON);
    const ww_sums limit = fmax(fmax(lost, rounded * rounded), (ww_sums)WW_SEARCH_LEAST);
    if (!any(!(variance > limit)))
        return;
    ww_sum bases[WW_SEARCH_MANY], means[WW_SEARCH_MANY], deviations[WW_SEARCH_MANY], variances[WW_SEARCH_MANY], limits[WW_SEARCH_MANY];
    WW_STORE_MANY(*base, 0, bases);
    WW_STORE_MANY(*mean, 0, means);
    WW_STORE_MANY(*deviation, 0, deviations);
    WW_STORE_MANY(variance, 0, variances);
    WW_STORE_MANY(limit, 0, limits);
    for (uint k = 0; k < WW_SEARCH_MANY; k++)
        if (from + k < count && !(variances[k] > limits[k]) && !w->bad[from + k])
            ww_moments_of(at + from + k, n, &bases[k], &means[k], &deviations[k]);
    *base = WW_LOAD_MANY(0, bases);
    *mean = WW_LOAD_MANY(0, means);
    *deviation = WW_LOAD_MANY(0, deviations);
}

// Writes these windows' part of the table, which begins with the run's first.
WW_INLINE void ww_many_normals(const ww_run_windows *w, const ww_run *r, __global const ww_scalar *at, uint n, uint from,
                               uint count, ww_normals to) {
    ww_sums base, mean, deviation;
    ww_scalar centre[WW_SEARCH_MANY], scale[WW_SEARCH_MANY], shift[WW_SEARCH_MANY];
    ww_sum deviations[WW_SEARCH_MANY];
    ww_many_moments(w, r, at, n, from, count, &base, &mean, &deviation);
    const ww_sums inverse = 1 / deviation;
    const ww_scalars rounded = WW_TO_SCALARS(mean + base);
    WW_STORE_MANY(rounded, 0, centre);
    WW_STORE_MANY(WW_TO_SCALARS(inverse), 0, scale);
    WW_STORE_MANY(WW_TO_SCALARS(((WW_TO_SUMS(rounded) - base) - mean) * inverse), 0, shift);
    WW_STORE_MANY(deviation, 0, deviations);
    for (uint k = 0; k < WW_SEARCH_MANY && from + k < count; k++) {
        const bool flat = deviations[k] == 0;
        to.centres[from + k] = centre[k];
        to.scales[from + k] = w->bad[from + k] ? (ww_scalar)NAN : flat ? (ww_scalar)0 : ww_scale_of(scale[k]);
        to.shifts[from + k] = flat ? (ww_scalar)0 : shift[k];
    }
}
#endif

// Of the run's windows, whose points begin at at[0], the `count` that are there.
WW_INLINE void ww_run_normals(ww_run *r, __global const ww_scalar *at, uint n, uint count, ww_normals to) {
#if WW_SEARCH_ZNORM && WW_SEARCH_MANY > 1
    ww_run_windows w;
    for (uint k = 0; k < WW_SEARCH_RUN; k++)
        w.sums[k] = w.squares[k] = w.peaks[k] = w.bad[k] = 0;
#pragma unroll 1
    for (uint k = 0; k < count; k++) {
        ww_run_next(r, at[k], at[k + n - 1]);
        w.sums[k] = r->own_sum;
        w.squares[k] = r->own_squares;
        w.peaks[k] = r->peak;
        w.bad[k] = r->bad;
        ww_run_leave(r, at[k]);
    }
    for (uint k = 0; k < WW_SEARCH_RUN; k += WW_SEARCH_MANY)
        ww_many_normals(&w, r, at, n, k, count, to);
#else
#pragma unroll 1
    for (uint k = 0; k < count; k++) {
        ww_scalar normal[3];
        ww_run_next(r, at[k], at[k + n - 1]);
        ww_run_normal(r, at + k, n, normal);
        to.centres[k] = normal[0];
        to.scales[k] = normal[1];
        to.shifts[k] = normal[2];
        ww_run_leave(r, at[k]);
    }
#endif
}

// values: channel c from c * stride on. table: for each channel centre, scale and shift, `stride` numbers each, of which
// windows [begin, windows) are made. begin: a multiple of WW_SEARCH_RUN.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_moments(__global const ww_scalar *restrict values, __global ww_scalar *restrict table, const ulong stride,
                  const uint n, const uint begin, const uint windows, const uint channels) {
    const uint runs = (windows - begin + WW_SEARCH_RUN - 1) / WW_SEARCH_RUN;
    const uint unit = (uint)get_global_id(0);
    const uint channel = unit / runs;
    if (channel >= channels)
        return;
    const uint first = begin + ww_rest(unit, runs, channel) * WW_SEARCH_RUN;
    __global const ww_scalar *at = values + channel * stride + first;
    ww_run r = ww_run_begin(at[0], n);
    for (uint j = 0; j < n - 1; j++)
        ww_run_add(&r, at[j]);
    ww_normals to;
    to.centres = table + 3 * channel * stride + first;
    to.scales = to.centres + stride;
    to.shifts = to.scales + stride;
    ww_run_normals(&r, at, n, min((uint)WW_SEARCH_RUN, windows - first), to);
}

#else
#define WW_SEARCH_AT_ONCE 8
#define WW_PADDED(j) ((j) + (j) / WW_SEARCH_RUN)

// The points of a group's runs are in local memory, and the table is written through it. A group has WW_WG runs of one channel, `groups` of them a channel. tile: local
// memory for WW_PADDED(WW_WG * WW_SEARCH_RUN + n) points; those WW_SEARCH_RUN apart are in different banks. Barriers: 1 + 2 for every
// WW_SEARCH_AT_ONCE windows of a run.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_moments_tile(__global const ww_scalar *restrict values, __global ww_scalar *restrict table,
                       const ulong stride, const uint n, const uint begin, const uint windows, const uint groups,
                       __local ww_scalar *tile) {
    __local ww_scalar results[3][WW_WG * (WW_SEARCH_AT_ONCE + 1)];
    const uint group = (uint)get_group_id(0), channel = group / groups, own = (uint)get_local_id(0);
    const uint base = begin + ww_rest(group, groups, channel) * (WW_WG * WW_SEARCH_RUN);
    __global const ww_scalar *at = values + channel * stride;
    const uint points = min((uint)(WW_WG * WW_SEARCH_RUN) + n - 1, windows + n - 1 - base);
    for (uint j = own; j < points; j += WW_WG)
        tile[WW_PADDED(j)] = at[base + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint from = own * WW_SEARCH_RUN, left = windows - base;
    ww_run r = ww_run_begin(from < left ? tile[WW_PADDED(from)] : 0, n);
    if (from < left)
        for (uint j = from; j < from + n - 1; j++)
            ww_run_add(&r, tile[WW_PADDED(j)]);
    for (uint next = 0; next < WW_SEARCH_RUN; next += WW_SEARCH_AT_ONCE) {
        for (uint k = 0; k < WW_SEARCH_AT_ONCE && from + next + k < left; k++) {
            const uint p = from + next + k;
            const ww_scalar leaving = tile[WW_PADDED(p)];
            ww_scalar normal[3];
            ww_run_next(&r, leaving, tile[WW_PADDED(p + n - 1)]);
            ww_run_normal(&r, at + base + p, n, normal);
            for (int kind = 0; kind < 3; kind++)
                results[kind][own * (WW_SEARCH_AT_ONCE + 1) + k] = normal[kind];
            ww_run_leave(&r, leaving);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = own; k < WW_WG * WW_SEARCH_AT_ONCE; k += WW_WG) {
            const uint run = k / WW_SEARCH_AT_ONCE, p = run * WW_SEARCH_RUN + next + k % WW_SEARCH_AT_ONCE;
            const uint kept = run * (WW_SEARCH_AT_ONCE + 1) + k % WW_SEARCH_AT_ONCE;
            if (p < left)
                for (int kind = 0; kind < 3; kind++)
                    table[(3 * (ulong)channel + (ulong)kind) * stride + base + p] = results[kind][kept];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

// How many of the windows [first, first + count) of a table have no missing value in any channel: added to counters[at]. A
// work-item has WW_SEARCH_RUN of them.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_whole(__global const ww_scalar *restrict table, __global uint *restrict counters, const ulong stride,
                const uint first, const uint count, const uint channels, const uint at) {
    const uint begin = (uint)get_global_id(0) * WW_SEARCH_RUN, end = min(begin + WW_SEARCH_RUN, count);
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

// The least and the largest value of up to `reach` points to each side of point t.
WW_INLINE void ww_reach(__global const ww_scalar *at, uint t, uint points, uint reach, __global ww_scalar *lower,
                        __global ww_scalar *upper) {
    const uint first = t - min(t, reach), end = points - t > reach ? t + reach + 1 : points;
    ww_scalar least = at[first], most = least;
    for (uint j = first + 1; j < end; j++) {
        least = fmin(least, at[j]);
        most = fmax(most, at[j]);
    }
    lower[t] = least;
    upper[t] = most;
}

#if WW_SEARCH_MANY > 1
// The same of WW_SEARCH_MANY points from t on, all of whose neighbours are there.
WW_INLINE void ww_reach_many(__global const ww_scalar *at, uint t, uint reach, __global ww_scalar *lower,
                             __global ww_scalar *upper) {
    ww_scalars less = WW_LOAD_MANY(0, at + t), more = less;
    for (uint d = 1; d <= reach; d++) {
        const ww_scalars v = WW_LOAD_MANY(0, at + t + d), w = WW_LOAD_MANY(0, at + t - d);
        less = v < less ? v : less;
        more = v > more ? v : more;
        less = w < less ? w : less;
        more = w > more ? w : more;
    }
    WW_STORE_MANY(less, 0, lower + t);
    WW_STORE_MANY(more, 0, upper + t);
}
#endif

// lower, upper: of points [first, end) of every channel, which has `points`.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_envelope(__global const ww_scalar *restrict values, __global ww_scalar *restrict lower,
                   __global ww_scalar *restrict upper, const ulong stride, const uint points, const uint first,
                   const uint end, const uint channels, const uint reach) {
    const uint unit = (uint)get_global_id(0), each = (end - first + WW_SEARCH_MANY - 1) / WW_SEARCH_MANY;
    const uint channel = unit / each;
    if (channel >= channels)
        return;
    const uint begin = first + ww_rest(unit, each, channel) * WW_SEARCH_MANY;
    __global const ww_scalar *at = values + channel * stride;
    lower += channel * stride;
    upper += channel * stride;
#if WW_SEARCH_MANY > 1
    if (begin >= reach && begin + WW_SEARCH_MANY + reach <= points) {
        ww_reach_many(at, begin, reach, lower, upper);
        return;
    }
    for (uint t = begin; t < min(begin + WW_SEARCH_MANY, end); t++)
        ww_reach(at, t, points, reach, lower, upper);
#else
    ww_reach(at, begin, points, reach, lower, upper);
#endif
}
