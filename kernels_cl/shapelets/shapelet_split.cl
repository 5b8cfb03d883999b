// SPDX-License-Identifier: Apache-2.0
// The best split of every candidate. Its distances to the node's series become keys, q in fixed point with the class
// below, which are sorted; then they are gone through, and classes counted.
//
// Tried, not taken: a sort with 32 or 8 keys a work-item, or half the registers: the same or slower.
//
// N * gain = sum K(left of c) + sum K(right of c) - K(left) - K(right) + constant, K(k) = k log2 k in whole numbers
// (the host's table of K(k + 1) - K(k)): exact, and the same on every device. A split between keys farther apart than
// the error of both is certain: its gain is also that of exact distances. At other splits the keys within the error may
// be on either side; since the gain is a convex function of the counts on the left, it is at most that of the best
// corner: some classes of those keys wholly on the left, the others wholly on the right. So every candidate gets two
// gains: one that it has, and one that it does not exceed. ww_shapelet_bound finds the best of the first (with its
// gap), and ww_shapelet_keep lists the candidates whose second is not below it. The host decides between those in
// double.
//
// A group sorts WW_T vectors of WW_V candidates of one length at a time. WW_SHARES work-items then go through a
// candidate's keys, each through a share of them: the classes before it are counted, and its first gain is a sum of K.
// Local memory: the keys, and two counts for each class, share and candidate, and 24 bytes a work-item. A barrier each
// step or two of the bitonic sort, up to five more each task.
//
// Parameters: WW_T; WW_KEYS_GLOBAL 1: keys and counts are in global memory; WW_LISTED 1: the candidates `listed` alone;
// WW_SHARES: WW_WG / WW_T, or 1; above 1 only with WW_V 1 and keys in local memory
#if WW_KEYS_GLOBAL
#define WW_SHAPELET_KEYS global
#define WW_FENCE CLK_GLOBAL_MEM_FENCE
#else
#define WW_SHAPELET_KEYS local
#define WW_FENCE CLK_LOCAL_MEM_FENCE
#endif
#define WW_ACROSS (WW_T * WW_V)

typedef struct {
    long sure, most;          // gain that it has; that it does not exceed
    float sure_gap, most_gap; // with the gain: the gap that it has at least; at most
} ww_found;

// Unsigned integers in the order of floats.
WW_INLINE ulong ww_ordered(float x) {
    const uint bits = as_uint(x);
    return bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
}

WW_INLINE int ww_before(long gain, float gap, long than_gain, float than_gap) {
    return gain > than_gain || (gain == than_gain && gap > than_gap);
}

// The change of N * gain when an item of a class goes from the right to the left.
#define WW_MOVE(of_class, of_right, left)                                                                              \
    (steps[of_class] - steps[(of_right)-1] - steps[left] + steps[job.series - (left)-1])

// The most that N * gain can be at a split near place `begin` whose order float does not tell: all before it are on the
// left, those of [begin, end) on either side. `gain`, counts: with those before `begin` alone. inside: zeros, and zeros
// again afterwards. LONG_MIN where only one class is inside: then an end of it is better.
#define WW_CORNERS 4
WW_INLINE long ww_most_near(WW_SHAPELET_KEYS const uint *keys, WW_SHAPELET_KEYS const uint *counts, WW_SHAPELET_KEYS uint *inside,
                            global const long *steps, global const uint *totals, uint begin, uint end, long gain,
                            const ww_shapelet_args job) {
    const uint mask = (1u << job.class_bits) - 1u;
    uint classes = 0, of[WW_CORNERS];
    long most = LONG_MIN;
#pragma unroll
    for (uint i = 0; i < WW_CORNERS; i++)
        of[i] = 0;
    for (uint p = begin; p < end; p++) {
        const uint k = keys[p * WW_ACROSS] & mask;
        if (inside[k * WW_ACROSS]++ == 0) {
#pragma unroll
            for (uint i = 0; i < WW_CORNERS; i++)
                of[i] = classes == i ? k : of[i];
            classes++;
        }
    }
    if (classes > WW_CORNERS) {
        // Each class at its better end, and the sizes at the best place between: not a split that exists, but no
        // split exceeds it.
        long sizes = 0, best = 0;
        most = gain;
        for (uint p = begin; p < end; p++) {
            const uint k = keys[p * WW_ACROSS] & mask, from = counts[k * WW_ACROSS], many = inside[k * WW_ACROSS];
            long change = 0;
            for (uint n = from; n < from + many; n++)
                change += steps[n] - steps[totals[k] - n - 1];
            inside[k * WW_ACROSS] = 0;
            most += max(change, 0l);
            sizes += -steps[p] + steps[job.series - p - 1];
            best = max(best, sizes);
        }
        most += best;
    } else if (classes > 1) {
        for (uint corner = 1; corner + 1 < 1u << classes; corner++) {
            long value = gain;
            uint left = begin;
#pragma unroll
            for (uint i = 0; i < WW_CORNERS; i++)
                if (corner >> i & 1) {
                    const uint k = of[i], from = counts[k * WW_ACROSS], to = from + inside[k * WW_ACROSS];
                    for (uint n = from; n < to; n++, left++)
                        value += WW_MOVE(n, totals[k] - n, left);
                }
            most = max(most, value);
        }
    }
    for (uint p = begin; p < end; p++)
        inside[(keys[p * WW_ACROSS] & mask) * WW_ACROSS] = 0;
    return most;
}

// Sums of distances at the places [begin, end), in whole numbers that add up exactly: with the error subtracted from each q, and
// added. roots: keys are of distances.
#define WW_DISTANCE 1073741824.0f
WW_INLINE ulong2 ww_sums(WW_SHAPELET_KEYS const uint *keys, uint begin, uint end, float unit, float error, uint bits, int roots) {
    ulong2 sum = 0;
#pragma unroll 1
    for (uint p = begin; p < end; p++) {
        const float q = (float)(keys[p * WW_ACROSS] >> bits) * unit, least = fmax(q - error, 0.0f), most = q + error;
        sum.x += (uint)((roots ? least : sqrt(least)) * WW_DISTANCE);
        sum.y += (uint)((roots ? most : sqrt(most)) * WW_DISTANCE);
    }
    return sum;
}
// The means of the places behind a split less that of those before it.
WW_INLINE float ww_gap_of(ulong left, ulong right, uint at, uint n) {
    return ((float)right / (float)(n - at) - (float)left / (float)at) / WW_DISTANCE;
}

// The key, or vector of keys, number t at place p.
WW_INLINE ww_column_ids ww_split_key(WW_SHAPELET_KEYS const uint *keys, uint p, uint t) {
    return WW_LOAD_IDS(keys + (p * WW_T + t) * WW_V);
}
WW_INLINE void ww_set_key(WW_SHAPELET_KEYS uint *keys, ww_column_ids key, uint p, uint t) {
    WW_STORE_COLUMNS(key, keys + (p * WW_T + t) * WW_V);
}
WW_INLINE void ww_sort_places(WW_SHAPELET_KEYS uint *keys, uint low, uint high, uint t) {
    const ww_column_ids lower = ww_split_key(keys, low, t), upper = ww_split_key(keys, high, t);
    ww_set_key(keys, min(lower, upper), low, t);
    ww_set_key(keys, max(lower, upper), high, t);
}

// Two steps of a bitonic sort at once: places `step` apart, and then half as far.
WW_INLINE void ww_sort_four(WW_SHAPELET_KEYS uint *keys, uint low, uint step, uint n, uint t) {
    const uint near_ = step / 2;
    if (low + 3 * near_ < n) {
        const ww_column_ids x0 = ww_split_key(keys, low, t), x1 = ww_split_key(keys, low + near_, t);
        const ww_column_ids x2 = ww_split_key(keys, low + step, t), x3 = ww_split_key(keys, low + step + near_, t);
        const ww_column_ids y0 = min(x0, x2), y1 = min(x1, x3), y2 = max(x0, x2), y3 = max(x1, x3);
        ww_set_key(keys, min(y0, y1), low, t);
        ww_set_key(keys, max(y0, y1), low + near_, t);
        ww_set_key(keys, min(y2, y3), low + step, t);
        ww_set_key(keys, max(y2, y3), low + step + near_, t);
    } else {
        if (low + step < n)
            ww_sort_places(keys, low, low + step, t);
        if (low + near_ < n)
            ww_sort_places(keys, low, low + near_, t);
    }
}

// Bitonic, all comparisons in one direction: places past the end would hold the largest keys. After the first step of a
// size two steps at a time.
WW_INLINE void ww_sort_keys(WW_SHAPELET_KEYS uint *keys, uint n, uint lid) {
    for (uint size = 2; size < 2 * n; size *= 2) {
        const uint blocks = (n + size - 1) / size;
        for (uint e = lid; e < blocks * (size / 2) * WW_T; e += WW_WG) {
            const uint pair_ = e / WW_T, t = e - pair_ * WW_T, half_ = size / 2;
            const uint low = (pair_ & ~(half_ - 1)) * 2 + (pair_ & (half_ - 1)), high = low ^ (size - 1);
            if (high < n)
                ww_sort_places(keys, low, high, t);
        }
        barrier(WW_FENCE);
        uint step = size / 4;
        for (; step > 1; step /= 4) {
            const uint near_ = step / 2;
            for (uint e = lid; e < blocks * (size / 4) * WW_T; e += WW_WG) {
                const uint four = e / WW_T, t = e - four * WW_T;
                ww_sort_four(keys, (four & ~(near_ - 1)) * 4 + (four & (near_ - 1)), step, n, t);
            }
            barrier(WW_FENCE);
        }
        for (uint e = lid; step == 1 && e < blocks * (size / 2) * WW_T; e += WW_WG) {
            const uint pair_ = e / WW_T, t = e - pair_ * WW_T;
            if (2 * pair_ + 1 < n)
                ww_sort_places(keys, 2 * pair_, 2 * pair_ + 1, t);
        }
        if (step == 1)
            barrier(WW_FENCE);
    }
}

// What going through keys finds: the place of the best certain split, and the last place of a certain one with its gain.
typedef struct {
    ww_found found;
    uint sure_at, last_at;
} ww_scanned;

// How far apart keys are of which one is certainly before the other.
WW_INLINE uint ww_apart(float error, uint bits) {
    return (uint)(2.0f * error * (float)(1u << (32u - bits))) + 1u;
}

// The splits at the places [first, last), by information gain. counts: the classes of the keys before `first`; gain: of
// the split there. inside: zeros. known: gains below it are of no interest.
WW_INLINE ww_scanned ww_scan(WW_SHAPELET_KEYS const uint *keys, WW_SHAPELET_KEYS uint *counts, WW_SHAPELET_KEYS uint *inside,
                             global const long *steps, global const uint *totals, uint first, uint last, long gain,
                             uint apart, long known, const ww_shapelet_args job) {
    const uint n = job.series, bits = job.class_bits, mask = (1u << bits) - 1u;
    const long change = 2 * steps[n - 1]; // WW_MOVE at most
    ww_scanned s = {{0, 0, -INFINITY, -INFINITY}, 0, 0};
    uint before = first ? keys[(first - 1) * WW_ACROSS] >> bits : 0, end = 0;
    for (uint p = first; p < last; p++) {
        const uint key = keys[p * WW_ACROSS], q = key >> bits, k = key & mask;
        if (p && q - before > apart) {
            s.sure_at = gain > s.found.sure ? p : s.sure_at;
            s.last_at = gain >= s.found.sure ? p : s.last_at;
            s.found.sure = max(gain, s.found.sure);
        }
        // What is less than the error from this one may be on either side of a split here.
        for (end = max(end, p + 1); end < n && (keys[end * WW_ACROSS] >> bits) - q <= apart;)
            end++;
        if (end > p + 1 && gain + (long)(end - p) * change >= known) {
            const long most = ww_most_near(keys, counts, inside, steps, totals, p, end, gain, job);
            if (most > s.found.most || (most == s.found.most && most > 0)) {
                s.found.most = most;
                s.found.most_gap = INFINITY;
            }
        }
        const uint left = counts[k * WW_ACROSS];
        gain += WW_MOVE(left, totals[k] - left, p);
        counts[k * WW_ACROSS] = left + 1;
        before = q;
    }
    return s;
}

// What is found of a candidate. `known`: gains below it are of no interest.
WW_INLINE ww_found ww_best_split(WW_SHAPELET_KEYS const uint *keys, ww_scanned s, float error, float scale, int roots,
                                 long known, const ww_shapelet_args job) {
    const uint n = job.series, bits = job.class_bits;
    const float unit = 1.0f / (float)(1u << (32u - bits));
    ww_found found = s.found;
    if (found.sure > found.most) {
        found.most = found.sure;
        found.most_gap = -INFINITY;
    }
    if (found.sure < 1 || found.most < known)
        return found;
    ulong2 left = ww_sums(keys, 0, s.sure_at, unit, error, bits, roots), right = ww_sums(keys, s.sure_at, n, unit, error, bits, roots);
    found.sure_gap = scale * (ww_gap_of(left.y, right.x, s.sure_at, n) - 1e-5f);
    // Of several splits of the same gain the greatest gap counts: at most that of all places between them.
#pragma unroll 1
    for (uint p = s.sure_at; p <= s.last_at && found.most == found.sure; p++) {
        found.most_gap = fmax(found.most_gap, scale * (ww_gap_of(left.x, right.y, p, n) + 1e-5f));
        const ulong2 one = ww_sums(keys, p, p + 1, unit, error, bits, roots);
        left += one;
        right -= one;
    }
    return found;
}

// ---- other measures than information gain, in float. counts: of each class, zeros before.

// The distance, or q of a short candidate, of a key.
WW_INLINE float ww_key_root(const uint key, const uint bits, const float unit) {
    return sqrt((float)(key >> bits) * unit);
}
// The F statistic: the variance between the classes by that within them.
WW_INLINE float ww_f_statistic(WW_SHAPELET_KEYS const uint *keys, WW_SHAPELET_KEYS uint *counts, global const uint *totals,
                               const ww_shapelet_args job) {
    const uint n = job.series, bits = job.class_bits, mask = (1u << bits) - 1u;
    const float unit = 1.0f / (float)(1u << (32u - bits));
    float mean = 0, within = 0, between = 0;
    uint present = 0;
    for (uint p = 0; p < n; p++)
        mean += ww_key_root(keys[p * WW_ACROSS], bits, unit);
    mean /= (float)n;
    for (uint p = 0; p < n; p++) {
        const uint key = keys[p * WW_ACROSS], k = (key & mask) * WW_ACROSS;
        counts[k] = as_uint(as_float(counts[k]) + ww_key_root(key, bits, unit) - mean);
    }
    for (uint k = 0; k < job.classes; k++)
        if (totals[k]) {
            const float sum = as_float(counts[k * WW_ACROSS]);
            between += sum * sum / (float)totals[k];
            present++;
        }
    for (uint p = 0; p < n; p++) {
        const uint key = keys[p * WW_ACROSS], k = key & mask;
        const float gap = ww_key_root(key, bits, unit) - mean - as_float(counts[k * WW_ACROSS]) / (float)totals[k];
        within += gap * gap;
    }
    return present < n ? between / (float)(present - 1) / (fmax(within, 1e-12f) / (float)(n - present)) : 0.0f;
}
// Kruskal and Wallis: by ranks, equal keys share theirs.
WW_INLINE float ww_kruskal_wallis(WW_SHAPELET_KEYS const uint *keys, WW_SHAPELET_KEYS uint *counts,
                                  global const uint *totals, const ww_shapelet_args job) {
    const uint n = job.series, bits = job.class_bits, mask = (1u << bits) - 1u;
    float value = 0;
    for (uint p = 0; p < n;) {
        uint end = p + 1;
        while (end < n && keys[end * WW_ACROSS] >> bits == keys[p * WW_ACROSS] >> bits)
            end++;
        for (uint i = p; i < end; i++) // twice the rank: whole
            counts[(keys[i * WW_ACROSS] & mask) * WW_ACROSS] += p + 1 + end;
        p = end;
    }
    for (uint k = 0; k < job.classes; k++)
        if (totals[k]) {
            const float mean = 0.5f * (float)counts[k * WW_ACROSS] / (float)totals[k] - 0.5f * (float)(n + 1);
            value += mean * mean * (float)totals[k];
        }
    value *= 12.0f / ((float)n * (float)(n + 1));
    return value;
}
// Both gains are the value, with a margin for rounding.
WW_INLINE ww_found ww_other_quality(WW_SHAPELET_KEYS const uint *keys, WW_SHAPELET_KEYS uint *counts,
                                    WW_SHAPELET_KEYS uint *starts, global const uint *totals, const ww_shapelet_args job) {
    const uint n = job.series, bits = job.class_bits, mask = (1u << bits) - 1u;
    float value = 0;
    for (uint k = 0; k < job.classes; k++)
        counts[k * WW_ACROSS] = starts[k * WW_ACROSS] = 0;
    if (job.quality == 1) {
        value = ww_f_statistic(keys, counts, totals, job);
    } else if (job.quality == 2) {
        value = ww_kruskal_wallis(keys, counts, totals, job);
    } else { // Mood: who is above the median (a function of its own makes ptxas spill)
        const float half_ =
            0.5f * ((float)(keys[(n - 1) / 2 * WW_ACROSS] >> bits) + (float)(keys[n / 2 * WW_ACROSS] >> bits));
        uint above = 0;
        for (uint p = 0; p < n; p++)
            if ((float)(keys[p * WW_ACROSS] >> bits) > half_) {
                counts[(keys[p * WW_ACROSS] & mask) * WW_ACROSS]++;
                above++;
            }
        const float share = (float)above / (float)n;
        for (uint k = 0; k < job.classes; k++)
            if (totals[k] && above && above < n) {
                const float gap = (float)counts[k * WW_ACROSS] - share * (float)totals[k];
                value += gap * gap / ((float)totals[k] * share * (1 - share));
            }
    }
    // The order of close distances moves ranks and the median: 2 %, and what a place more or less makes at the least.
    const float margin = 0.02f * value + (job.quality == 1 ? 1e-3f : 4.0f / (float)n);
    value = fmin(value, 1e9f);
    const ww_found found = {(long)((value - margin) * 1048576.0f), (long)((value + margin) * 1048576.0f), INFINITY, INFINITY};
    return found;
}

// ---- the best of a group

// The best pair of the group becomes the first. A barrier for each halving.
WW_INLINE void ww_best_of(local ulong *both, uint lid) {
    for (uint half_ = WW_WG / 2; half_; half_ /= 2) {
        const uint other = lid + half_;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_ && (both[2 * other] > both[2 * lid] ||
                            (both[2 * other] == both[2 * lid] && both[2 * other + 1] > both[2 * lid + 1]))) {
            both[2 * lid] = both[2 * other];
            both[2 * lid + 1] = both[2 * other + 1];
        }
    }
}

// ---- keys

// A candidate: the length number li from column c, of l points; where its gain goes.
typedef struct {
    uint li, c, l;
    ulong place;
} ww_split_candidate;

WW_INLINE ww_split_candidate ww_candidate_of(uint li, uint c, global const uint *reaches, const ww_shapelet_args job) {
    const ww_split_candidate x = {li, c, job.single ? reaches[c] : job.least + li * job.step, (ulong)li * job.columns + c};
    return x;
}

#if WW_LISTED
WW_INLINE ww_split_candidate ww_candidate_at(uint place, global const uint *reaches, const ww_shapelet_args job) {
    const uint li = place / job.columns, c = ww_rest(place, job.columns, li);
    const ww_split_candidate x = {li, c, job.single ? reaches[c] : job.least + li * job.step, place};
    return x;
}
#endif

// The key of a q below 1: `steps_of_q` is how many there are of q.
#if WW_V == 1
WW_INLINE uint ww_key_of(float q, float steps_of_q, uint of_class, uint bits) {
    return (uint)(q * (steps_of_q * 0.9999999f)) << bits | of_class;
}
// The keys of every WW_WG / WW_T-th series, from `j` on.
WW_INLINE void ww_make_candidate_keys(WW_SHAPELET_KEYS uint *keys, const ww_q_tables *tables, global const uint *class_of,
                                      const ww_split_candidate x, float steps_of_q, uint j, uint t,
                                      const ww_shapelet_args job) {
#pragma unroll 4
    for (; j < job.series; j += WW_WG / WW_T) {
        const float q = ww_q_of(tables, j, x.li, x.c, x.l, job);
        keys[j * WW_T + t] = ww_key_of(q, steps_of_q, class_of[j], job.class_bits);
    }
}
#else
// q of the candidates from column c on, as ww_q_of().
WW_INLINE ww_columns ww_q_vector(const ww_q_tables *tables, uint j, uint li, uint c, uint of_list,
                                 const ww_shapelet_args job) {
    const ww_columns value = WW_SHAPELET_LOAD_COLUMNS(tables->nearest + ((ulong)j * job.count + li) * job.columns + c);
    ww_columns q;
    if (WW_RAW) {
        const ww_column_ids l = job.single ? WW_LOAD_IDS(tables->reaches + c) : (ww_column_ids)(of_list);
        q = value * job.scale / convert_float16(l);
    } else if (WW_C == 1) {
        const ww_column_ids l = job.single ? WW_LOAD_IDS(tables->reaches + c) : (ww_column_ids)(of_list);
        const ww_columns norm = WW_SHAPELET_LOAD_COLUMNS(tables->norms + (ulong)li * job.columns + c);
        ww_columns flat = (ww_columns)(0);
        if (job.single) {
            uint lengths[16];
            float found[16];
            vstore16(l, 0, lengths);
            for (uint i = 0; i < 16; i++)
                found[i] = (float)(tables->flats[(ulong)j * job.longest + max(lengths[i], 1u) - 1] & 1u);
            flat = vload16(0, found);
        } else {
            flat = (ww_columns)((float)(tables->flats[(ulong)j * job.count + li] & 1u));
        }
        const ww_columns low = flat * 1.5f - 1.0f, product = value * norm;
        ww_columns close = product > low ? product : low;
        close = norm == (ww_columns)(0) ? flat * 0.5f + 0.5f : close;
        q = (1.0f - close) * 0.5f;
    } else {
        const ww_columns halves =
            WW_SHAPELET_LOAD_COLUMNS(tables->norms + ((ulong)WW_C * job.count + li) * job.columns + c);
        q = (1.0f - (value + halves) * (1.0f / WW_C)) * 0.5f;
    }
    // The distance of a candidate to its own series is 0.
    q = WW_LOAD_IDS(tables->own + c) == (ww_column_ids)(j) ? (ww_columns)(0) : q;
    if (job.combine)
        q = job.combine == 1 ? fmax(q, (ww_columns)(tables->before[j])) : fmin(q, (ww_columns)(tables->before[j]));
    return fmin(fmax(q, (ww_columns)(0)), (ww_columns)(1));
}
#endif

// The keys of the candidates of one length from column c0 on.
WW_INLINE void ww_make_keys(WW_SHAPELET_KEYS uint *keys, const ww_q_tables *tables, global const uint *class_of, uint li, uint c0,
                            uint of_list, float steps_of_q, uint lid, const ww_shapelet_args job) {
    for (uint e = lid; e < job.series * WW_T; e += WW_WG) {
        const uint j = e / WW_T, c = c0 + (e - j * WW_T) * WW_V;
#if WW_V == 1
        const float q = ww_q_of(tables, j, li, c, job.single ? tables->reaches[c] : of_list, job);
        keys[e] = ww_key_of(q, steps_of_q, class_of[j], job.class_bits);
#else
        const ww_columns q = ww_q_vector(tables, j, li, c, of_list, job);
        vstore16(convert_uint16(q * (steps_of_q * 0.9999999f)) << job.class_bits | (ww_column_ids)(class_of[j]), e, keys);
#endif
    }
}

// ---- scanning in shares: a work-item has the share lid / WW_T of candidate lid % WW_T

// What each share finds: two gains, and the first and the last place of the best certain splits.
typedef struct {
    local ulong *gains;
    local uint2 *splits;
} ww_shares;

WW_INLINE void ww_scan_share(const ww_shares shares, WW_SHAPELET_KEYS const uint *keys, WW_SHAPELET_KEYS uint *counts,
                             global const long *steps, global const long *entropy, global const uint *totals,
                             float error, uint lid, long known, const ww_shapelet_args job) {
    const uint n = job.series, bits = job.class_bits, mask = (1u << bits) - 1u;
    const uint t = lid % WW_T, share = lid / WW_T;
    const uint first = n * share / WW_SHARES, last = n * (share + 1) / WW_SHARES;
    const uint stride = 2 * job.classes * WW_ACROSS;
    WW_SHAPELET_KEYS uint *own_counts = counts + share * stride + t, *own_inside = own_counts + job.classes * WW_ACROSS;
    long gain = entropy[n] - entropy[first] - entropy[n - first];
    for (uint k = 0; k < job.classes; k++)
        own_counts[k * WW_ACROSS] = 0;
    for (uint p = first; p < last; p++)
        own_counts[(keys[p * WW_ACROSS + t] & mask) * WW_ACROSS]++;
    barrier(WW_FENCE);
    for (uint k = 0; k < job.classes; k++) {
        uint sum = 0;
        for (uint i = 0; i < share; i++)
            sum += counts[i * stride + k * WW_ACROSS + t];
        own_inside[k * WW_ACROSS] = sum;
        gain += entropy[sum] + entropy[totals[k] - sum] - entropy[totals[k]];
    }
    barrier(WW_FENCE);
    for (uint k = 0; k < job.classes; k++) {
        own_counts[k * WW_ACROSS] = own_inside[k * WW_ACROSS];
        own_inside[k * WW_ACROSS] = 0;
    }
    const ww_scanned s = ww_scan(keys + t, own_counts, own_inside, steps, totals, first, last, gain,
                                 ww_apart(error, bits), known, job);
    shares.gains[2 * lid] = (ulong)s.found.sure;
    shares.gains[2 * lid + 1] = (ulong)s.found.most;
    shares.splits[lid] = (uint2)(s.sure_at, s.last_at);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// What the shares of candidate t found together.
WW_INLINE ww_scanned ww_join_shares(const ww_shares shares, uint t) {
    ww_scanned s = {{0, 0, -INFINITY, -INFINITY}, 0, 0};
    for (uint i = t; i < WW_WG; i += WW_T) {
        const long sure = (long)shares.gains[2 * i], most = (long)shares.gains[2 * i + 1];
        s.sure_at = sure > s.found.sure ? shares.splits[i].x : s.sure_at;
        s.last_at = sure >= s.found.sure ? shares.splits[i].y : s.last_at;
        s.found.sure = max(sure, s.found.sure);
        s.found.most = max(most, s.found.most);
    }
    s.found.most_gap = s.found.most > 0 ? INFINITY : -INFINITY;
    return s;
}

// ---- a candidate's split

WW_INLINE ww_found ww_find_split(const ww_shares shares, WW_SHAPELET_KEYS const uint *keys, WW_SHAPELET_KEYS uint *counts,
                                 WW_SHAPELET_KEYS uint *starts, global const long *steps, global const uint *totals, uint l,
                                 float error, uint t, long known, const ww_shapelet_args job) {
    const float scale = (WW_RAW ? sqrt(1.0f / job.scale) : 2.0f) * (job.unscaled ? sqrt((float)l) : 1.0f);
    ww_scanned s;
    if (job.quality)
        return ww_other_quality(keys + t, counts + t, starts + t, totals, job);
    if (WW_SHARES > 1) {
        s = ww_join_shares(shares, t);
    } else {
        for (uint k = 0; k < job.classes; k++)
            counts[k * WW_ACROSS + t] = starts[k * WW_ACROSS + t] = 0;
        s = ww_scan(keys + t, counts + t, starts + t, steps, totals, 0, job.series, 0, ww_apart(error, job.class_bits),
                    known, job);
    }
    return ww_best_split(keys + t, s, error, scale, l <= job.shorts, known, job);
}

// The best pair of the group, by gain and then gap, into `to`.
WW_INLINE void ww_store_best(local ulong *both, global ulong *to, ulong gain, ulong gap, uint lid) {
    both[2 * lid] = gain;
    both[2 * lid + 1] = gap;
    ww_best_of(both, lid);
    if (lid == 0) {
        to[0] = both[0];
        to[1] = both[1];
    }
}

// bound: the best N * gain so far, and its gap, both as unsigned integers in order. most: gain and gap of every
// candidate, place * columns + column. certain: the best certain gain so far, shifted right; with `each` that of every
// series' own candidates. best: of every group. flats: see shapelet_tables.cl. before: q of each series.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void ww_shapelet_split(
    global const float *restrict nearest, global const float *restrict norms, global const uint *restrict flats,
    global const uint *restrict reaches, global const uint *restrict own, global const uint *restrict class_of,
    global const uint *restrict totals, global const float *restrict before, global const long *restrict steps,
    global const ulong *restrict bound, global ulong *restrict most_gain, global float *restrict most_gap,
    global ulong *restrict best, global uint *restrict scratch, global const uint *restrict listed,
    global const uint *restrict listed_count, global uint *certain, const uint shift, const uint each,
    global const long *restrict entropy, local uint *shared_, const ww_shapelet_args job) {
    local ulong both[2 * WW_WG];
    local uint2 splits[WW_SHARES > 1 ? WW_WG : 1];
    const ww_shares shares = {both, splits};
    const ww_q_tables tables = {nearest, norms, flats, reaches, own, before};
    const uint lid = (uint)get_local_id(0), n = job.series;
#if WW_KEYS_GLOBAL
    WW_SHAPELET_KEYS uint *keys = scratch + (ulong)get_group_id(0) * (n + 2 * job.classes) * WW_ACROSS;
#else
    WW_SHAPELET_KEYS uint *keys = shared_;
#endif
    WW_SHAPELET_KEYS uint *counts = keys + (ulong)n * WW_ACROSS, *starts = counts + (ulong)job.classes * WW_ACROSS;
    const float steps_of_q = (float)(1u << (32u - job.class_bits));
    const long known = max((long)bound[0], each ? 0l : (long)((ulong)certain[0] << shift));
    long best_gain = 0;
    float best_gap = -INFINITY;
    const uint blocks = (job.columns + WW_ACROSS - 1) / WW_ACROSS;
    const uint tasks = WW_LISTED ? (listed_count[0] + WW_ACROSS - 1) / WW_ACROSS : blocks * job.count;
    for (uint task = (uint)get_group_id(0); task < tasks; task += (uint)get_num_groups(0)) {
#if WW_LISTED
        // A work-item has keys of one candidate.
        const uint number = task * WW_ACROSS + lid % WW_T;
        const ww_split_candidate its = ww_candidate_at(listed[number < listed_count[0] ? number : 0], reaches, job);
        ww_make_candidate_keys(keys, &tables, class_of, its, steps_of_q, lid / WW_T, lid % WW_T, job);
#else
        const uint li = task / blocks, c0 = ww_rest(task, blocks, li) * WW_ACROSS;
        const uint of_list = job.least + li * job.step;
        // Columns come with the longest reach first.
        if (reaches[c0] < (job.single ? 1u : of_list))
            continue;
        const ww_split_candidate its = ww_candidate_of(li, c0 + lid % WW_T, reaches, job);
        ww_make_keys(keys, &tables, class_of, li, c0, of_list, steps_of_q, lid, job);
#endif
        barrier(WW_FENCE);
        ww_sort_keys(keys, n, lid);
        float error = 0;
        if (WW_SHARES > 1 && !job.quality) {
            error = ww_error(&tables, its.li, its.c, its.l, job);
            ww_scan_share(shares, keys, counts, steps, entropy, totals, error, lid, known, job);
        }
        for (uint t = lid; t < WW_ACROSS; t += WW_WG) {
#if WW_LISTED
            if (number >= listed_count[0]) // of t, which is lid
                continue;
            const ww_split_candidate x = ww_candidate_at(listed[task * WW_ACROSS + t], reaches, job);
#else
            const ww_split_candidate x = ww_candidate_of(li, c0 + t, reaches, job);
            if (x.l == 0 || reaches[x.c] < x.l) {
                most_gain[x.place] = 0;
                most_gap[x.place] = -INFINITY;
                continue;
            }
#endif
            if (WW_SHARES == 1) // else t is lid
                error = ww_error(&tables, x.li, x.c, x.l, job);
            const ww_found found = ww_find_split(shares, keys, counts, starts, steps, totals, x.l, error, t, known, job);
            most_gain[x.place] = (ulong)max(found.most, 0l);
            most_gap[x.place] = found.most_gap;
            if (each && job.quality == 0 && (uint)(found.sure >> shift) > certain[own[x.c]])
                atomic_max(&certain[own[x.c]], (uint)(found.sure >> shift));
            if (ww_before(found.sure, found.sure_gap, best_gain, best_gap)) {
                best_gain = found.sure;
                best_gap = found.sure_gap;
            }
        }
        barrier(WW_FENCE);
    }
    ww_store_best(both, best + 2 * get_group_id(0), (ulong)best_gain, ww_ordered(best_gap), lid);
}

// One work-group: the best of `count` and of the bound, which it becomes.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_bound(global const ulong *best, const uint count, local ulong *both, global ulong *bound) {
    const uint lid = (uint)get_local_id(0);
    ulong gain = bound[0], gap = bound[1];
#pragma unroll 8
    for (uint i = lid; i < count; i += WW_WG) {
        const ulong one = best[2 * i], its_gap = best[2 * i + 1];
        if (one > gain || (one == gain && its_gap > gap)) {
            gain = one;
            gap = its_gap;
        }
    }
    ww_store_best(both, bound, gain, gap, lid);
}

// Where `k` candidates without overlap are wanted: those of different series do not overlap, so the k-th is not worse
// than the k-th best of the series' best. One work-group.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_rank(global const uint *certain, const uint series, const uint k, const uint shift, global ulong *bound) {
    for (uint j = (uint)get_local_id(0); j < series; j += WW_WG) {
        const uint own = certain[j];
        uint before = 0;
        for (uint i = 0; i < series; i++)
            before += certain[i] > own || (certain[i] == own && i < j);
        if (before + 1 == k && (ulong)own << shift > bound[0]) {
            bound[0] = (ulong)own << shift;
            bound[1] = 0;
        }
    }
}

// Lists the candidates that may be as good as the bound: place, gap, gain in two halves. A place is the length's number
// times `total`, and the column of all, of which the chunk's begin at `first`. count[0]: how many there are, also where
// the list has no room. With WW_LISTED 1 of those `listed`, which all are candidates.
kernel void ww_shapelet_keep(global const ulong *most_gain, global const float *most_gap, global const ulong *bound,
                             global const uint *reaches, global uint *count, global uint4 *kept, const uint capacity,
                             const uint first, const uint total, global const uint *listed,
                             global const uint *listed_count, const ww_shapelet_args job) {
    const uint end = WW_LISTED ? listed_count[0] : job.columns * job.count;
    for (uint i = (uint)get_global_id(0); i < end; i += (uint)get_global_size(0)) {
        const uint place = WW_LISTED ? listed[i] : i;
        const uint li = place / job.columns, c = ww_rest(place, job.columns, li);
        if (!WW_LISTED && reaches[c] < (job.single ? 1u : job.least + li * job.step))
            continue;
        const ulong gain = most_gain[place];
        if (gain < bound[0] || (gain == bound[0] && ww_ordered(most_gap[place]) < bound[1]) || gain == 0)
            continue;
        const uint slot = atomic_inc(count);
        if (slot < capacity)
            kept[slot] = (uint4)(li * total + first + c, as_uint(most_gap[place]), (uint)gain, (uint)(gain >> 32));
    }
}
