// SPDX-License-Identifier: Apache-2.0
// The k smallest of every row of a matrix, smallest first, ties to the lower index.
//
// Tried, not taken: 8 values a work-item, nothing read ahead: 2.92 for 3.64 TB/s.
//
// One order for everything: the key (value, index). Keys are unique, so the result does not depend on the order of
// execution. A NaN means "no value" and is never taken. A row's result is k values and indices; where there are fewer,
// +inf and index 0xffffffff, which is after every key.
//
// A task is one part of one row: rows x parts tasks. With several parts each part stores its own k best, and a second
// launch selects among those (`listed`).
//
// Parameters:
//   WW_GROUPED 0: ww_select_item, 1: ww_select_group
//   WW_WG    work-items of a group
//   WW_K     k, rounded up to a power of two (ww_select_group)
//   WW_TOPK_EACH  columns a work-item tests together (ww_select_group)
//   WW_QUEUE candidates collected before they are merged: a power of two, >= WW_K and >= 2*WW_WG (ww_select_group)
#define WW_TOPK_NO_INDEX 0xffffffffu


// The data of a task.
typedef struct {
    __global const ww_scalar *values;
    __global const uint *list;
    uint columns, base, own;
    ww_scalar sign;
} ww_part;

WW_INLINE ww_part ww_part_of(__global const ww_scalar *values, __global const uint *list, __global const uint *counts,
                             ww_topk_args s, ulong task) {
    const ulong row = task / s.parts;
    const uint first = (uint)(task - row * s.parts) * s.part_columns;
    const ulong at = s.offset + row * s.row_stride + first;
    ww_part part;
    part.values = values + at;
    part.list = list + at;
    part.columns = min(s.part_columns, s.columns - first);
    if (s.flags & WW_SELECT_COUNTED)
        part.columns = min(s.columns, counts[row]);
    part.base = s.column_base + first;
    part.own = s.flags & WW_SELECT_OWN ? s.own_base + (uint)row : WW_TOPK_NO_INDEX;
    part.sign = s.flags & WW_SELECT_LARGEST ? -1 : 1;
    return part;
}

#if !WW_GROUPED
// ---- one work-item a task: CPUs, and any k
// --------------------------------------------------------------------------------
//
// The k best are a heap in `best` itself, with the largest key on top. No local memory, no barrier.

WW_INLINE bool ww_after(ww_scalar a, uint ia, ww_scalar b, uint ib) {
    return a > b || (a == b && ia > ib);
}

// Inserts (value, index) into a heap of n whose top is free.
WW_INLINE void ww_sift(__global ww_scalar *heap, __global uint *indices, uint n, ww_scalar value, uint index) {
    uint at = 0;
    for (uint child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && ww_after(heap[child + 1], indices[child + 1], heap[child], indices[child]))
            child++;
        if (!ww_after(heap[child], indices[child], value, index))
            break;
        heap[at] = heap[child];
        indices[at] = indices[child];
        at = child;
    }
    heap[at] = value;
    indices[at] = index;
}

// Values tested together: most blocks have no value that is near enough.
#define WW_TOPK_LOOK 16
WW_INLINE bool ww_any_within(__global const ww_scalar *values, ww_scalar sign, ww_scalar radius) {
    return any(sign * vload16(0, values) <= (WW_PASTE(WW_REAL_NAME, 16))radius);
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_select_item(__global const ww_scalar *restrict values, __global const uint *restrict list,
               __global const uint *restrict counts, const ww_topk_args s, const ulong tasks,
               __global ww_scalar *restrict best_values, __global uint *restrict best_indices) {
    const ulong task = get_global_id(0);
    if (task >= tasks)
        return;
    const ww_part part = ww_part_of(values, list, counts, s, task);
    __global ww_scalar *heap = best_values + task * s.k;
    __global uint *indices = best_indices + task * s.k;
    const uint k = s.k;
    if (s.flags & WW_SELECT_FRESH) {
        for (uint i = 0; i < k; i++) {
            heap[i] = (ww_scalar)INFINITY;
            indices[i] = WW_TOPK_NO_INDEX;
        }
    } else {
        // A descending list is a heap.
        for (uint i = 0; i < k / 2; i++) {
            const ww_scalar value = heap[i];
            const uint index = indices[i];
            heap[i] = heap[k - 1 - i];
            indices[i] = indices[k - 1 - i];
            heap[k - 1 - i] = value;
            indices[k - 1 - i] = index;
        }
    }
    for (uint c = 0; c < part.columns;) {
        uint end = min(c + WW_TOPK_LOOK, part.columns);
        if (end - c == WW_TOPK_LOOK && !ww_any_within(part.values + c, part.sign, heap[0])) {
            c = end;
            continue;
        }
        for (; c < end; c++) {
            const ww_scalar value = part.sign * part.values[c] + 0; // no -0
            if (!(value <= heap[0]))
                continue;
            const uint index = s.flags & WW_SELECT_LISTED ? part.list[c] : part.base + c;
            if (index != part.own && index != WW_TOPK_NO_INDEX && ww_after(heap[0], indices[0], value, index))
                ww_sift(heap, indices, k, value, index);
        }
    }
    for (uint n = k; n > 1; n--) {
        const ww_scalar value = heap[n - 1];
        const uint index = indices[n - 1];
        heap[n - 1] = heap[0];
        indices[n - 1] = indices[0];
        ww_sift(heap, indices, n - 1, value, index);
    }
}

#else
// ---- a work-group a task: GPUs, k <= WW_K
// ---------------------------------------------------------------------------------
//
// Values within the radius (the k-th best so far) are appended to a queue in local memory; a full queue is sorted and
// merged with the k best, which lowers the radius. Local memory: (WW_K + WW_QUEUE) keys. Barriers: four for
// WW_WG*WW_TOPK_EACH columns, and about log2(WW_QUEUE)^2/2 a merge.

#if WWK_DOUBLE
typedef ulong ww_bits;
#define WW_TOPK_SIGN 0x8000000000000000ul
#define WW_AS_BITS as_ulong
#define WW_AS_SCALAR as_double
typedef struct {
    ulong bits;
    uint index;
} ww_key;
#else
typedef uint ww_bits;
#define WW_TOPK_SIGN 0x80000000u
#define WW_AS_BITS as_uint
#define WW_AS_SCALAR as_float
typedef ulong ww_key; // bits << 32 | index
#endif

// Bits with the same order as the numbers.
WW_INLINE ww_bits ww_ordered(ww_scalar value) {
    const ww_bits bits = WW_AS_BITS(value + 0); // no -0
    return bits & WW_TOPK_SIGN ? ~bits : bits | WW_TOPK_SIGN;
}
WW_INLINE ww_scalar ww_unordered(ww_bits bits) {
    return WW_AS_SCALAR(bits & WW_TOPK_SIGN ? bits & ~WW_TOPK_SIGN : ~bits);
}

// Keys in local memory. A double's bits and index are in separate arrays: 12 bytes, where a structure has 16.
#if WWK_DOUBLE
#define WW_TOPK_KEYS(name, count)                                                                                           \
    __local ulong name##_bits[count]; __local uint name##_indices[count];                                              \
    const ww_keys name = {name##_bits, name##_indices}
typedef struct {
    __local ulong *bits;
    __local uint *indices;
} ww_keys;
WW_INLINE ww_key ww_key_make(ww_scalar value, uint index) {
    ww_key key;
    key.bits = index == WW_TOPK_NO_INDEX ? ~0ul : ww_ordered(value);
    key.index = index;
    return key;
}
WW_INLINE ww_bits ww_key_bits(ww_key key) {
    return key.bits;
}
WW_INLINE uint ww_key_index(ww_key key) {
    return key.index;
}
WW_INLINE bool ww_key_before(ww_key a, ww_key b) {
    return a.bits < b.bits || (a.bits == b.bits && a.index < b.index);
}
WW_INLINE ww_key ww_key_get(ww_keys keys, uint at) {
    ww_key key;
    key.bits = keys.bits[at];
    key.index = keys.indices[at];
    return key;
}
WW_INLINE void ww_key_put(ww_keys keys, uint at, ww_key key) {
    keys.bits[at] = key.bits;
    keys.indices[at] = key.index;
}
#else
#define WW_TOPK_KEYS(name, count)                                                                                           \
    __local ulong name##_keys[count];                                                                                  \
    __local ulong *const name = name##_keys
typedef __local ulong *ww_keys;
WW_INLINE ww_key ww_key_make(ww_scalar value, uint index) {
    return index == WW_TOPK_NO_INDEX ? ~0ul : (ulong)ww_ordered(value) << 32 | index;
}
WW_INLINE ww_bits ww_key_bits(ww_key key) {
    return (uint)(key >> 32);
}
WW_INLINE uint ww_key_index(ww_key key) {
    return (uint)key;
}
WW_INLINE bool ww_key_before(ww_key a, ww_key b) {
    return a < b;
}
WW_INLINE ww_key ww_key_get(ww_keys keys, uint at) {
    return keys[at];
}
WW_INLINE void ww_key_put(ww_keys keys, uint at, ww_key key) {
    keys[at] = key;
}
#endif

// The step of a bitonic sorter that compares keys `stride` apart; blocks of `size` are sorted up and down in turn.
WW_INLINE void ww_bitonic_step(ww_keys keys, uint count, uint size, uint stride, uint item) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = item; p < count / 2; p += WW_WG) {
        const uint i = 2 * p - (p & (stride - 1));
        const ww_key a = ww_key_get(keys, i), b = ww_key_get(keys, i + stride);
        const bool falling = (i & size) != 0;
        if (ww_key_before(b, a) != falling) {
            ww_key_put(keys, i, b);
            ww_key_put(keys, i + stride, a);
        }
    }
}

// Sorts the queue's `count` keys and merges them into the sorted k best; does nothing where count is 0. The loops'
// bounds ensure this, not a condition around them: PoCL 3.1 miscompiles barriers in loops under a condition.
WW_INLINE void ww_merge_queue(ww_keys best, ww_keys queue, uint count, uint item) {
    const uint merged = count ? WW_K : 0;
    uint filled = merged;
    while (filled < count)
        filled *= 2;
    for (uint i = count + item; i < filled; i += WW_WG)
        ww_key_put(queue, i, ww_key_make(0, WW_TOPK_NO_INDEX));
    for (uint size = 2; size <= filled; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2)
            ww_bitonic_step(queue, filled, size, stride, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    // One list compared with the other in reverse: the smaller of each pair are the WW_K smallest of both, and bitonic.
    for (uint i = item; i < merged; i += WW_WG) {
        const ww_key other = ww_key_get(queue, WW_K - 1 - i);
        if (ww_key_before(other, ww_key_get(best, i)))
            ww_key_put(best, i, other);
    }
    for (uint stride = merged / 2; stride > 0; stride /= 2)
        ww_bitonic_step(best, WW_K, WW_K, stride, item);
    barrier(CLK_LOCAL_MEM_FENCE);
}

WW_INLINE ww_scalar ww_radius(ww_key last) {
    return ww_key_index(last) == WW_TOPK_NO_INDEX ? (ww_scalar)INFINITY : ww_unordered(ww_key_bits(last));
}

// A work-item's values, the first in column `at`.
WW_INLINE void ww_fetch(ww_part part, uint at, ww_scalar *to) {
#pragma unroll
    for (uint e = 0; e < WW_TOPK_EACH; e++) {
        const uint c = at + e * WW_WG;
        to[e] = c < part.columns ? part.sign * part.values[c] : (ww_scalar)NAN;
    }
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_select_group(__global const ww_scalar *restrict values, __global const uint *restrict list,
                __global const uint *restrict counts, const ww_topk_args s, const ulong tasks,
                __global ww_scalar *restrict best_values, __global uint *restrict best_indices) {
    WW_TOPK_KEYS(kept, WW_K);
    WW_TOPK_KEYS(queue, WW_QUEUE);
    __local uint queued;
    const uint item = (uint)get_local_id(0);
    const ulong task = get_group_id(0);
    const ww_part part = ww_part_of(values, list, counts, s, task);
    __global ww_scalar *out_values = best_values + task * s.k;
    __global uint *out_indices = best_indices + task * s.k;
    (void)tasks;
    for (uint i = item; i < WW_K; i += WW_WG) {
        const bool there = !(s.flags & WW_SELECT_FRESH) && i < s.k;
        ww_key_put(kept, i, there ? ww_key_make(out_values[i], out_indices[i]) : ww_key_make(0, WW_TOPK_NO_INDEX));
    }
    if (item == 0)
        queued = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ww_key last = ww_key_get(kept, s.k - 1);
    ww_scalar radius = ww_radius(last);

    ww_scalar next[WW_TOPK_EACH]; // fetched while those before are tested
    ww_fetch(part, item, next);
    for (uint first = 0; first < part.columns; first += WW_WG * WW_TOPK_EACH) {
        ww_scalar value[WW_TOPK_EACH];
        uint waiting = 0; // a bit for each value that is not yet tested
#pragma unroll
        for (uint e = 0; e < WW_TOPK_EACH; e++)
            value[e] = next[e];
        if (first + WW_WG * WW_TOPK_EACH < part.columns)
            ww_fetch(part, first + WW_WG * WW_TOPK_EACH + item, next);
#pragma unroll
        for (uint e = 0; e < WW_TOPK_EACH; e++)
            waiting |= (uint)(value[e] <= radius) << e;
        uint full;
        do {
            for (uint bits = waiting; bits; bits &= bits - 1) {
                // Read again: registers can't be indexed, and few values get here.
                const uint e = 31 - clz(bits & -bits), c = first + e * WW_WG + item;
                const uint index = s.flags & WW_SELECT_LISTED ? part.list[c] : part.base + c;
                const ww_key key = ww_key_make(part.sign * part.values[c] + 0, index); // no -0
                const bool wanted = index != part.own && index != WW_TOPK_NO_INDEX && ww_key_before(key, last);
                const uint slot = wanted ? atomic_inc(&queued) : 0;
                if (wanted && slot < WW_QUEUE)
                    ww_key_put(queue, slot, key);
                if (!wanted || slot < WW_QUEUE)
                    waiting &= ~(1u << e);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint count = queued;
            full = count > WW_QUEUE;
            const bool merge = count * 2 > WW_QUEUE;
            // Its first barrier comes after the last reading of `queued`, its last before the next use.
            ww_merge_queue(kept, queue, merge ? min(count, (uint)WW_QUEUE) : 0, item);
            if (merge && item == 0)
                queued = 0;
            last = ww_key_get(kept, s.k - 1);
            radius = ww_radius(last);
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (full);
    }
    ww_merge_queue(kept, queue, queued, item);
    for (uint i = item; i < s.k; i += WW_WG) {
        const ww_key key = ww_key_get(kept, i);
        out_values[i] = ww_radius(key);
        out_indices[i] = ww_key_index(key);
    }
}
#endif
