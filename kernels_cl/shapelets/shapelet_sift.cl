// SPDX-License-Identifier: Apache-2.0
// Which candidates need not be sorted: bounds of their gains, in 32-bit whole numbers, from a histogram by class. The
// bins are between the least and the largest of a few of a candidate's keys; the first and the last are open.
//
// Tried, not taken: 32 bins, groups of 64 or 256, a second histogram: no gain; a sort behind it: 5 to 6 ms more.
//
// A split within a bin has between L and R of each class on its left. N * gain is a convex function of these numbers,
// so of two classes (WW_TWO 1) it is at most that of the best of four corners. Of more classes there are too many
// corners: the gain is a convex function of each number and a concave one of their sum p, so for any slope s it is at
// most the sum of what is larger of each class at L and at R, less s times that number, and the most of what the sizes
// p add, and s p; s is the slope of the sizes from one end of the bin to the other. That is far above in bins that have
// one class mostly. A key nearer to an edge than its error may be in the bin beside. Of two classes all such keys of a
// class are taken from L and added to R; of more classes the most that a key changes, for each such key, is added to
// the bounds of both bins. A split at an edge that no key is near is certain. The best certain gain of all candidates
// is a bound for all; those whose most is below it are out, usually nearly all.
//
// A work-item has a candidate. Its counts are in local memory, several classes to a word: WW_BINS times `words` numbers
// a work-item, and of two classes once more `words` for keys near edges, besides three for each series and one for each
// class. One barrier. WW_V is 1.
#define WW_BINS 16
#define WW_SAMPLES 16
#ifndef WW_TWO
#define WW_TWO 0
#endif
#define WW_COUNTED (WW_BINS + WW_TWO)
#define WW_AT_ONCE 8 // keys whose correlations are read at a time
// k log2 k in the units of these bounds.
#define WW_ENTROPY(k) ((int)(entropy[k] >> shift))

// Combines the q of the series from `first` on with those before.
WW_INLINE void ww_combine_before(float *q, global const float *before, uint first, uint n, uint l,
                                 const ww_shapelet_job job) {
#pragma unroll
    for (uint i = 0; i < WW_AT_ONCE; i++) {
        const float known = before[min(first + i, n - 1)], so_far = l <= job.shorts ? sqrt(known) : known;
        q[i] = job.combine == 1 ? fmax(q[i], so_far) : fmin(q[i], so_far);
    }
}

// A candidate's q, as ww_q_of() but for rounding, with what is common to all series apart.
#if WW_C == 1 && !WW_RAW
typedef struct {
    float a, b, most; // q = a value + b, at most `most` to a series with a flat window
    int own;
    ulong at; // in `nearest`, of series 0
} ww_candidate;

WW_INLINE ww_candidate ww_candidate_at(global const float *norms, global const uint *own, uint li, uint c, uint l,
                                       const ww_shapelet_job job) {
    const ulong at = (ulong)li * job.columns + c;
    const float norm = norms[at];
    const int none = norm == 0, simple = l <= job.shorts;
    const float by = job.gaps ? 0.5f : -0.5f, from = job.gaps ? 0.0f : 0.5f;
    const ww_candidate x = {simple ? 1.0f : by * norm, simple ? 0.0f : none ? 0.25f : from,
                            simple ? 1.0f : none ? 0.0f : 0.25f, (int)own[c], at};
    return x;
}

WW_INLINE float ww_candidate_q(const ww_candidate x, global const float *nearest, global const uint *flats,
                               global const float *before, uint j, uint li, uint l, const ww_shapelet_job job) {
    float q = fma(x.a, nearest[x.at + (ulong)j * job.count * job.columns], x.b);
    const uint flat = flats[(ulong)j * (job.single ? job.longest : job.count) + (job.single ? l - 1 : li)];
    q = flat ? fmin(q, x.most) : q;
    return (int)j == x.own ? 0.0f : q;
}
#define WW_CANDIDATE(x) const ww_candidate x = ww_candidate_at(norms, own, li, c, l, job)
#define WW_CANDIDATE_Q(x, j) ww_candidate_q(x, nearest, flats, before, j, li, l, job)
#else
#define WW_CANDIDATE(x)
#define WW_CANDIDATE_Q(x, j) ww_q_of(nearest, norms, flats, own, before, j, li, c, l, job)
#endif

#if WW_TWO
// Of the keys of a bin, and before it, that are of a class: at least WW_LESS(x, i), where x are before bin i, and at
// most WW_MORE(x, i), where x are up to its end. doubt: the class's keys that are near an edge. Bit i of `touched`: the
// edge before bin i has such keys.
#define WW_LESS(x, i) ((x) - ((i) ? min(x, doubt & -(touched >> (i)&1u)) : 0))
#define WW_MORE(x, i, all) min((x) + ((i) + 1 < WW_BINS ? doubt & -(touched >> ((i) + 1) & 1u) : 0), all)

// Of two classes: the best certain gain, and what no split exceeds.
WW_INLINE int2 ww_sift_corners(local const uint *bins, uint words, uint field, uint touched, global const uint *totals,
                               local const int *sizes, local const int *parts) {
    const uint fields = 32 / field, mask = (uint)((1ul << field) - 1), stride = words * WW_WG;
    const uint down = 1 % fields * field, all = totals[0], all_second = totals[1];
    local const uint *first = bins, *second = bins + 1 / fields * WW_WG;
    local const int *parts_second = parts + all + 1;
    const uint doubt_first = first[WW_BINS * stride] & mask, doubt_second = second[WW_BINS * stride] >> down & mask;
    int sure = 0, top = 0;
    uint x = 0, y = 0;
    for (uint i = 0; i < WW_BINS; i++) {
        uint doubt = doubt_first;
        const uint left = WW_LESS(x, i);
        x += first[i * stride] & mask;
        const uint right = WW_MORE(x, i, all);
        doubt = doubt_second;
        const uint below = WW_LESS(y, i);
        y += second[i * stride] >> down & mask;
        const uint above = WW_MORE(y, i, all_second);
        const int of_left = parts[left], of_right = parts[right];
        const int of_below = parts_second[below], of_above = parts_second[above];
        const int end = sizes[right + above] + of_right + of_above;
        top = max(top, max(sizes[left + above] + of_left + of_above, sizes[right + below] + of_right + of_below));
        top = max(top, max(sizes[left + below] + of_left + of_below, end));
        if (i + 1 < WW_BINS && !(touched >> (i + 1) & 1u))
            sure = max(sure, end);
    }
    return (int2)(sure, top);
}

#else
// The same of any classes. doubtful: keys near edges, of which each may change a gain by each_key.
WW_INLINE int2 ww_sift_slopes(local const uint *bins, uint words, uint field, uint touched, uint doubtful, int each_key,
                              global const uint *totals, local const int *sizes, local const int *parts, uint shift,
                              const ww_shapelet_job job) {
    const float bits_of = exp2((float)shift - 32.0f);
    const uint n = job.series, K = job.classes, fields = 32 / field, mask = (uint)((1ul << field) - 1);
    uint on_left[WW_BINS];
    int slope[WW_BINS], most[WW_BINS], exact[WW_BINS];
    int sure = 0, top = 0;
#pragma unroll
    for (uint i = 0; i < WW_BINS; i++)
        on_left[i] = 0;
    for (uint k = 0; k < K; k++) {
        local const uint *word = bins + k / fields * WW_WG;
        const uint down = k % fields * field;
        uint x = 0;
#pragma unroll
        for (uint i = 0; i < WW_BINS; i++) {
            x += word[i * words * WW_WG] >> down & mask;
            on_left[i] += x;
        }
    }
#pragma unroll
    for (uint i = 0; i < WW_BINS; i++) {
        const uint from = i ? on_left[i - 1] : 0, to = on_left[i];
        slope[i] = (int)((float)(sizes[from] - sizes[to]) / (float)max(to - from, 1u));
        // Where sizes and slope are at their most: log2((n - p) / p) = -slope.
        const uint at = clamp((uint)((float)n / (1.0f + exp2(-(float)slope[i] * bits_of))), from, to);
        const uint next = min(at + 1, to);
        most[i] = max(sizes[at] + slope[i] * (int)at, sizes[next] + slope[i] * (int)next);
        exact[i] = sizes[to];
    }
    for (uint k = 0, from = 0; k < K; from += totals[k++] + 1) {
        local const uint *word = bins + k / fields * WW_WG;
        const uint down = k % fields * field;
        uint x = 0;
        int here = parts[from];
#pragma unroll
        for (uint i = 0; i < WW_BINS; i++) {
            const int x_here = (int)x * slope[i];
            x += word[i * words * WW_WG] >> down & mask;
            const int there = parts[from + x];
            most[i] += max(here - x_here, there - (int)x * slope[i]);
            exact[i] += there;
            here = there;
        }
    }
#pragma unroll
    for (uint i = 0; i < WW_BINS; i++) {
        const uint edges = touched >> i & (i ? 3u : 2u);
        top = max(top, most[i] + (edges ? each_key * (int)doubtful : 0));
        if (i + 1 < WW_BINS && !(edges & 2u))
            sure = max(sure, exact[i]);
    }
    return (int2)(sure, top);
}
#endif

// entropy: k log2 k. sifted, each: as in shapelet_split.cl. words: of a bin, with counts of `field` bits.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void ww_shapelet_sift(
    global const float *restrict nearest, global const float *restrict norms, global const uint *restrict flats,
    global const uint *restrict reaches, global const uint *restrict own, global const uint *restrict class_of,
    global const uint *restrict totals, global const float *restrict before, global const long *restrict entropy,
    global ulong *restrict most_gain, global uint *restrict sifted, const uint shift, const uint each, const uint field,
    const uint words, local uint *bins, const ww_shapelet_job job) {
    const uint lid = (uint)get_local_id(0), n = job.series, K = job.classes, fields = 32 / field;
    // Where a series is counted; what the sizes of a split add; what so many of a class on the left add.
    local uint *places = bins + WW_COUNTED * words * WW_WG;
    local int *sizes = (local int *)(places + n), *parts = sizes + n + 1;
    for (uint p = lid; p <= n; p += WW_WG)
        sizes[p] = WW_ENTROPY(n) - WW_ENTROPY(p) - WW_ENTROPY(n - p);
    for (uint j = lid; j < n; j += WW_WG)
        places[j] = class_of[j] / fields * WW_WG << 8 | class_of[j] % fields * field;
    for (uint k = 0, from = 0; k < K; from += totals[k++] + 1)
        for (uint x = lid; x <= totals[k]; x += WW_WG)
            parts[from + x] = WW_ENTROPY(x) + WW_ENTROPY(totals[k] - x) - WW_ENTROPY(totals[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong all = (ulong)job.columns * job.count;
    const int margin = 2 * (int)K + 4; // every entropy is rounded down
#if !WW_TWO
    const int each_key = 2 * (WW_ENTROPY(n) - WW_ENTROPY(n - 1) + 1); // the most that a key changes
#endif
    bins += lid;
    for (ulong place = get_global_id(0); place < all; place += get_global_size(0)) {
        const uint li = (uint)(place / job.columns), c = (uint)(place - (ulong)li * job.columns);
        const uint l = job.single ? reaches[c] : job.least + li * job.step;
        if (l == 0 || reaches[c] < l) {
            most_gain[place] = 0;
            continue;
        }
        for (uint i = 0; i < WW_COUNTED * words; i++)
            bins[i * WW_WG] = 0;
        WW_CANDIDATE(x);
        float low = 1, high = 0;
        for (uint i = 0; i < WW_SAMPLES; i++) {
            const float q = WW_CANDIDATE_Q(x, (i * n + n / 2) / WW_SAMPLES);
            low = fmin(low, q);
            high = fmax(high, q);
        }
        // The least and the largest of these are in the middle of bins. Rounding is monotonic: edges are where they
        // are.
        const float unit = (WW_BINS - 3) / fmax(high - low, 1e-20f), zero = 1.5f - low * unit;
        const float near_ = 1.25f * ww_error(l, job) * unit + 8e-6f;
        uint touched = 0;
#if !WW_TWO
        uint doubtful = 0;
#endif
        for (uint first = 0; first < n; first += WW_AT_ONCE) {
            float q[WW_AT_ONCE];
#pragma unroll
            for (uint i = 0; i < WW_AT_ONCE; i++)
                q[i] = WW_CANDIDATE_Q(x, min(first + i, n - 1));
            if (WW_C == 1 && !WW_RAW && job.combine)
                ww_combine_before(q, before, first, n, l, job);
#pragma unroll
            for (uint i = 0; i < WW_AT_ONCE; i++) {
                const float at = fmin(fmax(fma(q[i], unit, zero), 0.5f), WW_BINS - 0.5f);
                // The next edge: its number is in the last bits of a sum with 2^23.
                const float marked = at + 8388608.0f, beyond = at - (marked - 8388608.0f);
                const uint edge = as_uint(marked) & 31u, counted = places[min(first + i, n - 1)];
                const uint one = first + i < n, doubt = fabs(beyond) <= near_ ? one : 0;
#if WW_TWO
                if (doubt) { // rare
                    touched |= 1u << edge;
                    bins[WW_BINS * words * WW_WG + (counted >> 8)] += 1u << (counted & 255u);
                }
#else
                touched |= doubt << edge;
                doubtful += doubt;
#endif
                bins[(edge - (beyond < 0)) * (words * WW_WG) + (counted >> 8)] += one << (counted & 255u);
            }
        }
#if WW_TWO
        const int2 found = ww_sift_corners(bins, words, field, touched, totals, sizes, parts);
#else
        const int2 found =
            ww_sift_slopes(bins, words, field, touched, doubtful, each_key, totals, sizes, parts, shift, job);
#endif
        const int known = near_ < 0.5f; // else a key may be bins away
        most_gain[place] = (ulong)(uint)(known ? found.y + margin : INT_MAX) << shift;
        const uint at = each ? own[c] : 0, told = known ? (uint)max(found.x - margin, 0) : 0;
        if (told > sifted[at])
            atomic_max(&sifted[at], told);
    }
}

// Lists those that may reach the bound.
kernel void ww_shapelet_survive(global const ulong *most_gain, global const ulong *bound, global const uint *sifted,
                                const uint shift, const uint each, global uint *listed, global uint *listed_count,
                                const ww_shapelet_job job) {
    const ulong least = max(bound[0], each ? 1ul : (ulong)sifted[0] << shift);
    const uint end = job.columns * job.count;
    for (uint place = (uint)get_global_id(0); place < end; place += (uint)get_global_size(0)) {
        const ulong most = most_gain[place];
        if (most && most >= least)
            listed[atomic_inc(listed_count)] = place;
    }
}
