// SPDX-License-Identifier: Apache-2.0
// Which candidates need not be examined closely: bounds of their gains, in 32-bit whole numbers. The keys of
// shapelet_split.cl are sorted and gone through. A split between keys farther apart than the error of both is certain.
// Keys nearer than that make a *cluster*: at a split within one the classes of its keys may be on either side, each at
// the better of its ends. The best certain gain of all candidates is a bound for all; those whose most is below it are
// out, usually nearly all.
//
// A group has WW_T candidates of one length at a time. A work-item sorts WW_HELD_KEYS keys in registers and then goes
// through as many steps of a bitonic merge as that many keys allow. WW_WG / WW_T work-items then go through a
// candidate's keys, each through a share of them and the cluster that reaches over its end. Local memory: the keys; two
// numbers for each series; a count for each class, share and candidate; two numbers a work-item. Five barriers a
// candidate, and two or more each doubling of WW_HELD_KEYS to WW_PLACES.
//
// Parameters: WW_T; WW_HELD_KEYS; WW_PLACES: a power of two, at least WW_HELD_KEYS and the number of series. WW_V is 1
#ifndef WW_T
#define WW_T 32
#endif
#ifndef WW_HELD_KEYS
#define WW_HELD_KEYS 16
#endif
#ifndef WW_PLACES
#define WW_PLACES 256
#endif
#define WW_SHARES (WW_WG / WW_T)
// Where place p is. Of few candidates a group, places WW_HELD_KEYS apart would be in the same banks of local memory.
#define WW_AT(p) (((p) + (WW_T < 32 ? (p) / WW_HELD_KEYS : 0)) * WW_T)
// k log2 k in the units of these bounds.
#define WW_ENTROPY(k) ((int)(entropy[k] >> shift))

#define WW_EXCHANGE_KEYS(a, b)                                                                                         \
    do {                                                                                                               \
        const uint lower_ = a, upper_ = b;                                                                             \
        a = min(lower_, upper_);                                                                                       \
        b = max(lower_, upper_);                                                                                       \
    } while (0)

// Sorts held keys: Batcher's odd-even merges.
WW_INLINE void ww_sort_held(uint *x) {
#pragma unroll
    for (uint size = 1; size < WW_HELD_KEYS; size *= 2)
#pragma unroll
        for (uint step = size; step; step /= 2)
#pragma unroll
            for (uint i = 0; i < WW_HELD_KEYS; i++)
                // From place step % size on every other `step` places, not past the end of a pair of merged parts.
                if (i >= step % size && ((i - step % size) & step) == 0 && i + step < WW_HELD_KEYS &&
                    i / (2 * size) == (i + step) / (2 * size))
                    WW_EXCHANGE_KEYS(x[i], x[i + step]);
}

// Steps of a bitonic merge of `count` held keys from x on: distances from `far` down to 1 places.
WW_INLINE void ww_merge_held(uint *x, const uint count, const uint far) {
#pragma unroll
    for (uint step = count / 2; step; step /= 2)
        if (step <= far)
#pragma unroll
            for (uint i = 0; i < count; i++)
                if (!(i & step))
                    WW_EXCHANGE_KEYS(x[i], x[i + step]);
}

// Merges the halves of each block of `size` places: a work-item first takes keys `far` places apart.
WW_INLINE void ww_merge(local uint *keys, const uint lid, const uint size) {
    uint x[WW_HELD_KEYS];
    const uint R = WW_HELD_KEYS, far = size / R, t = lid % WW_T;
    for (uint item = lid / WW_T; item < WW_PLACES / R; item += WW_SHARES) {
        const uint block = item / far, at = item % far;
        // All comparisons are in one direction: the second half is taken from its end on.
        local uint *low = keys + WW_AT(block * size + at) + t;
        local uint *high = keys + WW_AT(block * size + size / 2 + (far - 1 - at)) + t;
#pragma unroll
        for (uint i = 0; i < R / 2; i++) {
            x[i] = low[WW_AT(i * far)];
            x[R / 2 + i] = high[WW_AT(i * far)];
        }
#pragma unroll
        for (uint i = 0; i < R / 2; i++)
            WW_EXCHANGE_KEYS(x[i], x[R - 1 - i]);
        ww_merge_held(x, R / 2, R);
        ww_merge_held(x + R / 2, R / 2, R);
#pragma unroll
        for (uint i = 0; i < R / 2; i++) {
            low[WW_AT(i * far)] = x[i];
            high[WW_AT(i * far)] = x[R / 2 + i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint left = far; left > 1; left = left > R ? left / R : 1) {
        const uint near_ = left > R ? left / R : 1;
        for (uint item = lid / WW_T; item < WW_PLACES / R; item += WW_SHARES) {
            local uint *from = keys + WW_AT(item / near_ * R * near_ + item % near_) + t;
#pragma unroll
            for (uint i = 0; i < R; i++)
                x[i] = from[WW_AT(i * near_)];
            ww_merge_held(x, R, left / 2);
#pragma unroll
            for (uint i = 0; i < R; i++)
                from[WW_AT(i * near_)] = x[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// entropy: k log2 k. sifted, each: as in shapelet_split.cl.
kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_sift(global const float *restrict nearest, global const float *restrict norms,
                 global const uint *restrict flats, global const uint *restrict reaches,
                 global const uint *restrict own, global const uint *restrict class_of,
                 global const uint *restrict totals, global const float *restrict before,
                 global const long *restrict entropy, global ulong *restrict most_gain, global float *restrict most_gap,
                 global uint *restrict sifted, const uint shift, const uint each, local uint *keys,
                 const ww_shapelet_job job) {
    local int found[2 * WW_WG];
    const uint lid = (uint)get_local_id(0), n = job.series, bits = job.class_bits, mask = (1u << bits) - 1u;
    const uint t = lid % WW_T, share = lid / WW_T, K = job.classes;
    // Of a split: what its sizes add to the gain. Of a class: the change where one more of it is on the left.
    local int *sizes = (local int *)(keys + WW_AT(WW_PLACES)), *moves = sizes + n + 1;
    local uint *counts = (local uint *)(moves + n);
    for (uint p = lid; p <= n; p += WW_WG)
        sizes[p] = WW_ENTROPY(n) - WW_ENTROPY(p) - WW_ENTROPY(n - p);
    for (uint k = 0, from = 0; k < K; from += totals[k++])
        for (uint x = lid; x < totals[k]; x += WW_WG)
            moves[from + x] = WW_ENTROPY(x + 1) + WW_ENTROPY(totals[k] - x - 1) - WW_ENTROPY(x) - WW_ENTROPY(totals[k] - x);
    const uint blocks = job.columns / WW_T, tasks = blocks * job.count;
    const float steps_of_q = (float)(1u << (32u - bits));
    // Every entropy is rounded down.
    const int margin = 2 * (int)K + 4;
    for (uint task = (uint)get_group_id(0); task < tasks; task += (uint)get_num_groups(0)) {
        const uint li = task / blocks, c0 = ww_rest(task, blocks, li) * WW_T;
        const uint of_list = job.least + li * job.step;
        // Columns come with the longest reach first.
        if (reaches[c0] < (job.single ? 1u : of_list)) {
            for (uint i = lid; i < WW_T; i += WW_WG)
                most_gain[(ulong)li * job.columns + c0 + i] = 0;
            continue;
        }
        const uint c = c0 + t, l = job.single ? reaches[c] : of_list;
        for (uint low = share * WW_HELD_KEYS; low < WW_PLACES; low += WW_SHARES * WW_HELD_KEYS) {
            local uint *to = keys + WW_AT(low) + t;
#pragma unroll 4
            for (uint i = 0; i < WW_HELD_KEYS; i++) {
                const uint j = min(low + i, n - 1);
                const float q = ww_q_of(nearest, norms, flats, own, before, j, li, c, l, job);
                const uint key = (uint)(q * (steps_of_q * 0.9999999f)) << bits | class_of[j];
                to[i * WW_T] = low + i < n ? key : 0xffffffffu;
            }
            uint x[WW_HELD_KEYS];
#pragma unroll
            for (uint i = 0; i < WW_HELD_KEYS; i++)
                x[i] = to[i * WW_T];
            ww_sort_held(x);
#pragma unroll
            for (uint i = 0; i < WW_HELD_KEYS; i++)
                to[i * WW_T] = x[i];
        }
        for (uint k = 0; k < K; k++)
            counts[(share * K + k) * WW_T + t] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        // lid; but were it known to be, the places of all merges would be kept in registers for all tasks, and spill.
        const uint me = WW_T > 8 ? lid + (task >> 31) : lid;
#pragma unroll
        for (uint size = 2 * WW_HELD_KEYS; size <= WW_PLACES; size *= 2)
            ww_merge(keys, me, size);
        const uint first = n * (me / WW_T) / WW_SHARES, last = n * (me / WW_T + 1) / WW_SHARES;
        for (uint p = first; p < last; p++)
            counts[(share * K + (keys[WW_AT(p) + t] & mask)) * WW_T + t]++;
        barrier(CLK_LOCAL_MEM_FENCE);
        // How many of each class are before each share: as places in `moves`.
        for (uint k = share; k < K; k += WW_SHARES) {
            uint at = 0;
            for (uint i = 0; i < k; i++)
                at += totals[i];
            for (uint i = 0; i < WW_SHARES; i++) {
                const uint many = counts[(i * K + k) * WW_T + t];
                counts[(i * K + k) * WW_T + t] = at;
                at += many;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint apart = (uint)(2.0f * ww_error(l, job) * steps_of_q) + 1u;
        local uint *own_counts = counts + share * K * WW_T + t;
        int gain = 0; // without what the sizes add
        for (uint k = 0, from = 0; k < K; from += totals[k++]) {
            const uint x = own_counts[k * WW_T] - from;
            gain += WW_ENTROPY(x) + WW_ENTROPY(totals[k] - x) - WW_ENTROPY(totals[k]);
        }
        // Of the cluster: its keys, the gain before it, the sum of the moves that add and the best of them, the most
        // that sizes add within.
        uint members = 0;
        int start = gain, added = 0, move = INT_MIN, size = INT_MIN, sure = 0, most = 0;
        uint q_before = first ? keys[WW_AT(first - 1) + t] >> bits : 0;
        int foreign = 0; // a cluster that the share before this one began
        for (uint p = first; p <= n; p++) {
            const uint key = p < n ? keys[WW_AT(p) + t] : 0, q = key >> bits;
            const int certain = p == 0 || p == n || q - q_before > apart;
            if (p == first)
                foreign = !certain;
            if (certain) {
                if (members > 1 && !foreign)
                    most = max(most, start + (members == 2 ? move : added) + size);
                if (p == n || p >= last)
                    break;
                foreign = 0;
                sure = p ? max(sure, gain + sizes[p]) : sure;
                start = gain;
                members = 0;
                added = 0;
                move = size = INT_MIN;
            } else {
                if (p >= last && foreign)
                    break;
                size = max(size, sizes[p]);
            }
            const uint k = (key & mask) * WW_T, at = own_counts[k];
            const int change = moves[at];
            own_counts[k] = at + 1;
            gain += change;
            added += max(change, 0);
            move = max(move, change);
            members++;
            q_before = q;
        }
        found[2 * lid] = sure;
        found[2 * lid + 1] = most;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < WW_T) {
            for (uint i = 1; i < WW_SHARES; i++) {
                sure = max(sure, found[2 * (lid + i * WW_T)]);
                most = max(most, found[2 * (lid + i * WW_T) + 1]);
            }
            const ulong place = (ulong)li * job.columns + c;
            const int valid = l && reaches[c] >= l;
            most_gain[place] = valid ? (ulong)(max(sure, most) + margin) << shift : 0;
            most_gap[place] = INFINITY;
            const uint at = each ? own[c] : 0, told = (uint)max(sure - margin, 0);
            if (valid && told > sifted[at])
                atomic_max(&sifted[at], told);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
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
