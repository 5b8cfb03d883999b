// SPDX-License-Identifier: Apache-2.0
// Which candidates need not be sorted: bounds of their gains from a histogram. A candidate's q from the least to the
// largest are counted by class in WW_BINS bins. A split between two bins is certain where nobody's error reaches across;
// its gain is exact. Within a bin (or several, where an error reaches across) the gain is at most that of the best corner,
// as in shapelet_split.cl. The best certain gain of all candidates is a bound for all; those whose most is below it are
// out, usually nearly all.
//
// Each work-item has a candidate. Local memory: WW_BINS + 2 counts of 16 bits for each class and work-item. No barrier.
//
// Parameters: WW_BINS, at most 64
#ifndef WW_BINS
#define WW_BINS 64
#endif
// Of a class count x of `of`: what it adds to the gain.
#define WW_PART(x, of) (entropy[x] + entropy[(of) - (x)])

// entropy: k log2 k. sifted, each: as in shapelet_split.cl.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_sift(global const float *restrict nearest, global const float *restrict norms,
                 global const uint *restrict flats, global const uint *restrict reaches,
                 global const uint *restrict own, global const uint *restrict class_of,
                 global const uint *restrict totals, global const float *restrict before,
                 global const long *restrict entropy, global ulong *restrict most_gain, global float *restrict most_gap,
                 global uint *restrict sifted, const uint shift, const uint each, local ushort *counts_, const ww_shapelet_job job) {
    const uint lid = (uint)get_local_id(0), n = job.series, K = job.classes;
    const ulong place = get_global_id(0);
    if (place >= (ulong)job.columns * job.count)
        return;
    const uint li = (uint)(place / job.columns), c = (uint)(place - (ulong)li * job.columns);
    const uint l = job.single ? reaches[c] : job.least + li * job.step;
    most_gap[place] = INFINITY;
    if (l == 0 || reaches[c] < l) {
        most_gain[place] = 0;
        return;
    }
    local ushort *bins = counts_ + lid, *left = bins + WW_BINS * K * WW_WG, *inside = left + K * WW_WG;
    for (uint i = 0; i < (WW_BINS + 2) * K; i++)
        bins[i * WW_WG] = 0;
    float low = 1, high = 0;
    for (uint j = 0; j < n; j++) {
        const float q = ww_q_of(nearest, norms, flats, own, before, j, li, c, l, job);
        low = fmin(low, q);
        high = fmax(high, q);
    }
    // Twice the error, and the rounding of a place in the histogram.
    const float error = 2.0f * (job.error + job.error_root * sqrt((float)l)) + 1e-6f * (high - low);
    const float unit = (float)WW_BINS / fmax(high - low, 1e-20f);
    ulong touched = 0; // bit i: somebody may be on either side of the lower end of bin i
    for (uint j = 0; j < n; j++) {
        const float q = ww_q_of(nearest, norms, flats, own, before, j, li, c, l, job);
        const int at = clamp((int)((q - low) * unit), 0, WW_BINS - 1);
        const int first = clamp((int)((q - error - low) * unit), 0, at), last = clamp((int)((q + error - low) * unit), at, WW_BINS - 1);
        for (int i = first; i < last; i++)
            touched |= 1ul << (i + 1);
        bins[((uint)at * K + class_of[j]) * WW_WG]++;
    }
    const long constant_ = entropy[n];
    long whole = constant_, sure = 0, most = 0;
    for (uint k = 0; k < K; k++)
        whole -= entropy[totals[k]];
    uint on_left = 0, within = 0;
    for (uint i = 0; i < WW_BINS; i++) {
        for (uint k = 0; k < K; k++) {
            const uint many = bins[(i * K + k) * WW_WG];
            inside[k * WW_WG] += many;
            within += many;
        }
        if (i + 1 < WW_BINS && (touched >> (i + 1) & 1))
            continue;
        if (within == 0)
            continue;
        // Splits within: each class at its better end, and the sizes at the best place between.
        const uint half_ = clamp(n / 2, on_left, on_left + within);
        const uint half_up = min(half_ + 1, on_left + within);
        long bound = whole - min(WW_PART(half_, n), WW_PART(half_up, n)), exact = whole;
        for (uint k = 0; k < K; k++) {
            const uint x = left[k * WW_WG], of = totals[k], m = inside[k * WW_WG];
            const long here = WW_PART(x, of), there = WW_PART(x + m, of);
            bound += max(here, there);
            exact += there;
        }
        if (K <= 4) {
            long corners = 0;
            for (uint corner = 0; corner < 1u << K; corner++) {
                long value = whole;
                uint size = on_left;
                for (uint k = 0; k < K; k++) {
                    const uint m = corner >> k & 1 ? inside[k * WW_WG] : 0, x = left[k * WW_WG] + m;
                    value += WW_PART(x, totals[k]);
                    size += m;
                }
                corners = max(corners, value - WW_PART(size, n));
            }
            bound = min(bound, corners);
        }
        most = max(most, bound);
        on_left += within;
        for (uint k = 0; k < K; k++) {
            left[k * WW_WG] += inside[k * WW_WG];
            inside[k * WW_WG] = 0;
        }
        if (on_left < n)
            sure = max(sure, exact - WW_PART(on_left, n));
        within = 0;
    }
    most_gain[place] = (ulong)most;
    const uint shifted = (uint)(sure >> shift), at = each ? own[c] : 0;
    if (shifted > sifted[at])
        atomic_max(&sifted[at], shifted);
}

// Lists those that may reach the bound; the others' most becomes 0.
kernel void ww_shapelet_survive(global ulong *most_gain, global const ulong *bound, global const uint *sifted,
                                const uint shift, const uint each, global uint *listed, global uint *listed_count,
                                const ww_shapelet_job job) {
    const ulong place = get_global_id(0);
    if (place >= (ulong)job.columns * job.count)
        return;
    const ulong most = most_gain[place];
    if (most && (each || most >> shift >= sifted[0]) && most >= bound[0])
        listed[atomic_inc(listed_count)] = (uint)place;
    else
        most_gain[place] = 0;
}
