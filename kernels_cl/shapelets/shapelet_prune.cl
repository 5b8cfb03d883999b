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
#define WW_COUNTED (WW_BINS + WW_TWO)
#define WW_SHAPELET_AT_ONCE 8 // keys whose correlations are read at a time
// k log2 k in the units of these bounds.
#define WW_ENTROPY(k) ((int)(entropy[k] >> shift))

// Combines the q of the series from `first` on with those before.
WW_INLINE void ww_combine_before(float *q, global const float *before, uint first, uint n, uint l,
                                 const ww_shapelet_args job) {
#pragma unroll
    for (uint i = 0; i < WW_SHAPELET_AT_ONCE; i++) {
        const float known = before[min(first + i, n - 1)], so_far = l <= job.shorts ? sqrt(known) : known;
        q[i] = job.combine == 1 ? fmax(q[i], so_far) : fmin(q[i], so_far);
    }
}

// A candidate (the length number li from column c, of l points), and with one channel and z-normalisation what its q to all series
// have in common, so that a series costs a multiply-add: as ww_q_of() but for rounding.
typedef struct {
    uint li, c, l;
    float a, b, most; // q = a value + b, at most `most` to a series with a constant window
    int own;
    ulong at; // in `nearest`, of series 0
} ww_candidate;
#define WW_COMMON (WW_C == 1 && !WW_RAW)

WW_INLINE ww_candidate ww_candidate_at(const ww_q_tables *tables, uint li, uint c, uint l, const ww_shapelet_args job) {
    ww_candidate x = {li, c, l, 0, 0, 0, 0, 0};
    if (!WW_COMMON)
        return x;
    x.at = (ulong)li * job.columns + c;
    const float norm = tables->norms[x.at];
    const int none = norm == 0, simple = l <= job.shorts;
    const float by = job.gaps ? 0.5f : -0.5f, from = job.gaps ? 0.0f : 0.5f;
    x.a = simple ? 1.0f : by * norm;
    x.b = simple ? 0.0f : none ? 0.25f : from;
    x.most = simple ? 1.0f : none ? 0.0f : 0.25f;
    x.own = (int)tables->own[c];
    return x;
}

// q to series j; of its windows the worst condition number, by diagonals.
WW_INLINE float2 ww_candidate_q(const ww_candidate *x, const ww_q_tables *tables, uint j, const ww_shapelet_args job) {
    if (!WW_COMMON)
        return (float2)(ww_q_of(tables, j, x->li, x->c, x->l, job), 0);
    float q = fma(x->a, tables->nearest[x->at + (ulong)j * job.count * job.columns], x->b);
    const uint flat = tables->flats[(ulong)j * (job.single ? job.longest : job.count) + (job.single ? x->l - 1 : x->li)];
    q = flat & 1u ? fmin(q, x->most) : q;
    return (float2)((int)j == x->own ? 0.0f : q, as_float(flat));
}

// What a group has in local memory for all candidates: where a series is counted, what the sizes of a split add, what so many
// of a class on the left add; and the counts, of which `bins` are the work-item's.
typedef struct {
    local uint *bins, *places;
    local int *sizes, *parts;
    uint words, field; // of a bin; bits of a count
} ww_histogram;

#if WW_TWO
// Of the keys of a bin, and before it, that are of a class: at least WW_LESS(x, i), where x are before bin i, and at
// most WW_MORE(x, i), where x are up to its end. doubt: the class's keys that are near an edge. Bit i of `touched`: the
// edge before bin i has such keys.
#define WW_LESS(x, i) ((x) - ((i) ? min(x, doubt & -(touched >> (i)&1u)) : 0))
#define WW_MORE(x, i, all) min((x) + ((i) + 1 < WW_BINS ? doubt & -(touched >> ((i) + 1) & 1u) : 0), all)

// Of two classes: the best certain gain, and what no split exceeds.
WW_INLINE int2 ww_bound_gains(const ww_histogram *h, uint2 doubts, int each_key, global const uint *totals, uint shift,
                              const ww_shapelet_args job) {
    local const uint *bins = h->bins;
    local const int *sizes = h->sizes, *parts = h->parts;
    const uint touched = doubts.x, field = h->field;
    const uint fields = 32 / field, mask = (uint)((1ul << field) - 1), stride = h->words * WW_WG;
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
// The same of any classes: the edges with keys near them, and how many these are, of which each may change a gain by each_key.
WW_INLINE int2 ww_bound_gains(const ww_histogram *h, uint2 doubts, int each_key, global const uint *totals, uint shift,
                              const ww_shapelet_args job) {
    local const uint *bins = h->bins;
    local const int *sizes = h->sizes, *parts = h->parts;
    const uint touched = doubts.x, doubtful = doubts.y, words = h->words, field = h->field;
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

WW_INLINE void ww_fill_tables(const ww_histogram *h, global const uint *class_of, global const uint *totals,
                              global const long *entropy, const uint shift, const ww_shapelet_args job) {
    const uint lid = (uint)get_local_id(0), n = job.series, K = job.classes, fields = 32 / h->field;
    for (uint p = lid; p <= n; p += WW_WG)
        h->sizes[p] = WW_ENTROPY(n) - WW_ENTROPY(p) - WW_ENTROPY(n - p);
    for (uint j = lid; j < n; j += WW_WG)
        h->places[j] = class_of[j] / fields * WW_WG << 8 | class_of[j] % fields * h->field;
    for (uint k = 0, from = 0; k < K; from += totals[k++] + 1)
        for (uint x = lid; x <= totals[k]; x += WW_WG)
            h->parts[from + x] = WW_ENTROPY(x) + WW_ENTROPY(totals[k] - x) - WW_ENTROPY(totals[k]);
}

// The least and the largest of a few of a candidate's keys.
WW_INLINE float2 ww_sample_keys(const ww_candidate *x, const ww_q_tables *tables, const ww_shapelet_args job) {
    float low = 1, high = 0;
    for (uint i = 0; i < WW_SAMPLES; i++) {
        const float q = ww_candidate_q(x, tables, (i * job.series + job.series / 2) / WW_SAMPLES, job).x;
        low = fmin(low, q);
        high = fmax(high, q);
    }
    return (float2)(low, high);
}

// Counts the candidate's keys: bin q * unit + zero. Gives the edges with keys nearer than near_.x and near_.y for each unit of
// the series' condition number, and of more classes than two how many keys these are.
WW_INLINE uint2 ww_count_keys(const ww_histogram *h, const ww_candidate *x, const ww_q_tables *tables, const float unit,
                              const float zero, const float2 near_, const ww_shapelet_args job) {
    const uint n = job.series;
    uint touched = 0, doubtful = 0;
    for (uint first = 0; first < n; first += WW_SHAPELET_AT_ONCE) {
        float q[WW_SHAPELET_AT_ONCE], worst[WW_SHAPELET_AT_ONCE];
#pragma unroll
        for (uint i = 0; i < WW_SHAPELET_AT_ONCE; i++) {
            const float2 found = ww_candidate_q(x, tables, min(first + i, n - 1), job);
            q[i] = found.x;
            worst[i] = found.y;
        }
        if (WW_COMMON && job.combine)
            ww_combine_before(q, tables->before, first, n, x->l, job);
#pragma unroll
        for (uint i = 0; i < WW_SHAPELET_AT_ONCE; i++) {
            const float at = fmin(fmax(fma(q[i], unit, zero), 0.5f), WW_BINS - 0.5f);
            // The next edge: its number is in the last bits of a sum with 2^23.
            const float marked = at + 8388608.0f, beyond = at - (marked - 8388608.0f);
            const uint edge = as_uint(marked) & 31u, counted = h->places[min(first + i, n - 1)];
            const uint one = first + i < n, doubt = fabs(beyond) <= fma(near_.y, worst[i], near_.x) ? one : 0;
            if (!WW_TWO) {
                touched |= doubt << edge;
                doubtful += doubt;
            } else if (doubt) { // rare
                touched |= 1u << edge;
                h->bins[WW_BINS * h->words * WW_WG + (counted >> 8)] += 1u << (counted & 255u);
            }
            h->bins[(edge - (beyond < 0)) * (h->words * WW_WG) + (counted >> 8)] += one << (counted & 255u);
        }
    }
    return (uint2)(touched, doubtful);
}

// entropy: k log2 k. certain, each: as in shapelet_split.cl. words: of a bin, with counts of `field` bits.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void ww_shapelet_prune(
    global const float *restrict nearest, global const float *restrict norms, global const uint *restrict flats,
    global const uint *restrict reaches, global const uint *restrict own, global const uint *restrict class_of,
    global const uint *restrict totals, global const float *restrict before, global const long *restrict entropy,
    global ulong *restrict most_gain, global uint *restrict certain, const uint shift, const uint each, const uint field,
    const uint words, local uint *bins, const ww_shapelet_args job) {
    const ww_q_tables tables = {nearest, norms, flats, reaches, own, before};
    local uint *places = bins + WW_COUNTED * words * WW_WG;
    local int *sizes = (local int *)(places + job.series);
    const ww_histogram h = {bins + (uint)get_local_id(0), places, sizes, sizes + job.series + 1, words, field};
    ww_fill_tables(&h, class_of, totals, entropy, shift, job);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int margin = 2 * (int)job.classes + 4; // every entropy is rounded down
    // The most that a key changes.
    const int each_key = WW_TWO ? 0 : 2 * (WW_ENTROPY(job.series) - WW_ENTROPY(job.series - 1) + 1);
    const ulong all = (ulong)job.columns * job.count;
    for (ulong place = get_global_id(0); place < all; place += get_global_size(0)) {
        const uint li = (uint)(place / job.columns), c = (uint)(place - (ulong)li * job.columns);
        const uint l = job.single ? reaches[c] : job.least + li * job.step;
        if (l == 0 || reaches[c] < l) {
            most_gain[place] = 0;
            continue;
        }
        for (uint i = 0; i < WW_COUNTED * words; i++)
            h.bins[i * WW_WG] = 0;
        const ww_candidate x = ww_candidate_at(&tables, li, c, l, job);
        // The least and the largest of these are in the middle of bins. Rounding is monotonic: edges are where they are.
        const float2 range = ww_sample_keys(&x, &tables, job);
        const float unit = (WW_BINS - 3) / fmax(range.y - range.x, 1e-20f), zero = 1.5f - range.x * unit;
        const float2 near_ = unit * (float2)(1.25f, 1.001f) * ww_error_parts(&tables, li, c, l, job) + (float2)(8e-6f, 0);
        const uint2 doubts = ww_count_keys(&h, &x, &tables, unit, zero, near_, job);
        const int2 found = ww_bound_gains(&h, doubts, each_key, totals, shift, job);
        // Else a key may be bins away.
        const float worst = near_.y > 0 ? as_float(flats[job.series * job.count + li]) : 0.0f;
        const int known = fma(near_.y, worst, near_.x) < 0.5f;
        most_gain[place] = (ulong)(uint)(known ? found.y + margin : INT_MAX) << shift;
        const uint at = each ? own[c] : 0, told = known ? (uint)max(found.x - margin, 0) : 0;
        if (told > certain[at])
            atomic_max(&certain[at], told);
    }
}

// Lists those that may reach the bound.
kernel void ww_shapelet_survive(global const ulong *most_gain, global const ulong *bound, global const uint *certain,
                                const uint shift, const uint each, global uint *listed, global uint *listed_count,
                                const ww_shapelet_args job) {
    const ulong least = max(bound[0], each ? 1ul : (ulong)certain[0] << shift);
    const uint end = job.columns * job.count;
    for (uint place = (uint)get_global_id(0); place < end; place += (uint)get_global_size(0)) {
        const ulong most = most_gain[place];
        if (most && most >= least)
            listed[atomic_inc(listed_count)] = place;
    }
}
