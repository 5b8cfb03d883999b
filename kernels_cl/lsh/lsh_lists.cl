// SPDX-License-Identifier: Apache-2.0
// Hashing: the lists of a search by buckets. A list has the k nearest points found so far, ordered by distance, then id,
// and holds no id twice; after them +infinity and WW_NO_INDEX. A row has several lists of equal length, a launch's
// tables one each (lsh/lsh_join.cl); list l of row r begins at (l * rows + r) * k. One work-item a row, or an entry. No
// local memory, no barrier.
//
// WW_LSH_LIST  k, where a work-item keeps its list in registers: inserting a point into a list in global memory delays all of
//          a warp for some twenty accesses. 0: it does not. Of the lists after the first, those in registers only store
//          whether they are empty.

// Empty lists: `count` entries, of `rows` rows.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_start(const ulong count, const ulong rows, __global ww_scalar *restrict best_values,
             __global uint *restrict best_ids, __global ww_scalar *restrict radii) {
    const ulong at = get_global_id(0);
    if (at >= count)
        return;
    best_values[at] = (ww_scalar)INFINITY;
    best_ids[at] = WW_NO_INDEX;
    if (at < rows)
        radii[at] = (ww_scalar)INFINITY;
}

// Inserts a point into a list of k, unless it is there or comes after all others. Returns the new k-th best.
WW_INLINE ww_scalar ww_list_insert(__global ww_scalar *values, __global uint *ids, uint k, ww_scalar value, uint id) {
    const ww_scalar last = values[k - 1];
    if (value > last || (value == last && id >= ids[k - 1]))
        return last;
    uint low = 0, high = k - 1; // the first that comes after
    while (low < high) {
        const uint middle = (low + high) / 2;
        const ww_scalar there = values[middle];
        if (there < value || (there == value && ids[middle] <= id))
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && ids[low - 1] == id)
        return last;
    for (uint i = k - 1; i > low; i--) {
        values[i] = values[i - 1];
        ids[i] = ids[i - 1];
    }
    values[low] = value;
    ids[low] = id;
    return values[k - 1];
}

#if WW_LSH_LIST
// The same in registers.
WW_INLINE void ww_near_start(bool empty, __global const ww_scalar *values, __global const uint *ids,
                             ww_scalar *near_values, uint *near_ids) {
#pragma unroll
    for (uint i = 0; i < WW_LSH_LIST; i++) {
        near_values[i] = (ww_scalar)INFINITY;
        near_ids[i] = WW_NO_INDEX;
    }
    if (empty)
        return;
#pragma unroll
    for (uint i = 0; i < WW_LSH_LIST; i++) {
        near_values[i] = values[i];
        near_ids[i] = ids[i];
    }
}

// As ww_list_insert(), without a branch.
#define WW_NEAR_AFTER(i) ((value < near_values[i]) | ((value == near_values[i]) & (id < near_ids[i])))
WW_INLINE void ww_near_insert(ww_scalar *near_values, uint *near_ids, ww_scalar value, uint id) {
    int fresh = 1;
#pragma unroll
    for (uint i = 0; i < WW_LSH_LIST; i++)
        fresh &= near_ids[i] != id;
    int after = fresh & WW_NEAR_AFTER(WW_LSH_LIST - 1); // whether entry i comes after it
#pragma unroll
    for (uint i = WW_LSH_LIST - 1; i > 0; i--) {
        const int above = fresh & WW_NEAR_AFTER(i - 1);
        near_values[i] = above ? near_values[i - 1] : after ? value : near_values[i];
        near_ids[i] = above ? near_ids[i - 1] : after ? id : near_ids[i];
        after = above;
    }
    near_values[0] = after ? value : near_values[0];
    near_ids[0] = after ? id : near_ids[0];
}

WW_INLINE void ww_near_store(const ww_scalar *near_values, const uint *near_ids, __global ww_scalar *values,
                             __global uint *ids) {
#pragma unroll
    for (uint i = 0; i < WW_LSH_LIST; i++) {
        values[i] = near_values[i];
        ids[i] = near_ids[i];
    }
}
#endif

// Merges each row's lists into the first and empties the others. radii: the new k-th best. One work-item a
// row.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_merge(const uint rows, const uint k, const uint lists, __global ww_scalar *best_values, __global uint *best_ids,
             __global ww_scalar *restrict radii) {
    const uint row = (uint)get_global_id(0);
    if (row >= rows)
        return;
    __global ww_scalar *values = best_values + (ulong)row * k;
    __global uint *ids = best_ids + (ulong)row * k;
#if WW_LSH_LIST
    ww_scalar near_values[WW_LSH_LIST];
    uint near_ids[WW_LSH_LIST];
    bool changed = false;
    ww_near_start(false, values, ids, near_values, near_ids);
    for (uint l = 1; l < lists; l++) {
        const ulong list = ((ulong)l * rows + row) * k;
        for (uint i = 0; i < WW_LSH_LIST; i++) {
            const uint id = best_ids[list + i];
            const ww_scalar value = best_values[list + i];
            if (id == WW_NO_INDEX || value > near_values[WW_LSH_LIST - 1])
                break;
            ww_near_insert(near_values, near_ids, value, id);
            changed = true;
        }
        if (best_ids[list] != WW_NO_INDEX)
            best_ids[list] = WW_NO_INDEX;
    }
    if (changed)
        ww_near_store(near_values, near_ids, values, ids);
    radii[row] = near_values[WW_LSH_LIST - 1];
#else
    for (uint l = 1; l < lists; l++) {
        const ulong list = ((ulong)l * rows + row) * k;
        for (uint i = 0; i < k && best_ids[list + i] != WW_NO_INDEX; i++) {
            ww_list_insert(values, ids, k, best_values[list + i], best_ids[list + i]);
            best_values[list + i] = (ww_scalar)INFINITY;
            best_ids[list + i] = WW_NO_INDEX;
        }
    }
    radii[row] = values[k - 1];
#endif
}
