// SPDX-License-Identifier: Apache-2.0
// Takes the candidates of each window: those that may be among its k best are compared with it in double, directly, by
// ww_distance() of profile_distance.cl or, of windows as they are, of profile_raw_distance.cl, and enter its list of the k best
// by (d2, index). A work-item a window. No local memory, no barrier.
//
// Parameters: WW_PROFILE_K: k; WW_MERGE_WG: work-items of a group.

// The k-th least of what D of the chain's candidates is at most; INFINITY if they are fewer.
WW_INLINE float ww_kth_bound(const uint head, global const uint4 *entries) {
    float kept[WW_PROFILE_K]; // least first
    uint count = 0;
    for (uint e = head; e != WW_NO_ENTRY; e = entries[e].y) {
        const float d = as_float(entries[e].z) + as_float(entries[e].w);
        if (count == WW_PROFILE_K && !(d < kept[WW_PROFILE_K - 1]))
            continue;
        uint at = count < WW_PROFILE_K ? count++ : WW_PROFILE_K - 1;
        for (; at > 0 && kept[at - 1] > d; at--)
            kept[at] = kept[at - 1];
        kept[at] = d;
    }
    return count == WW_PROFILE_K ? kept[WW_PROFILE_K - 1] : INFINITY;
}

// Whether (distance, id) comes before an entry of the list, which may be empty: (INFINITY, -1).
WW_INLINE int ww_comes_before(const double distance, const long id, const double best, const long best_id) {
    return distance < best || (distance == best && (best_id < 0 || id < best_id));
}
WW_INLINE void ww_enter_best(global double *best, global long *best_ids, const double distance, const long id) {
    uint at = WW_PROFILE_K - 1;
    if (!(distance < INFINITY) || !ww_comes_before(distance, id, best[at], best_ids[at]))
        return;
    for (; at > 0 && ww_comes_before(distance, id, best[at - 1], best_ids[at - 1]); at--) {
        best[at] = best[at - 1];
        best_ids[at] = best_ids[at - 1];
    }
    best[at] = distance;
    best_ids[at] = id;
}

__attribute__((reqd_work_group_size(WW_MERGE_WG, 1, 1))) kernel void
ww_profile_merge(const ww_profile_merge_args job, global const double *own_values, global const double *other_values,
                 global const double2 *own_statistics, global const double2 *other_statistics, global int *bounds,
                 global uint *heads, global const uint4 *entries, global double *best, global long *best_ids) {
    const uint i = (uint)get_global_id(0);
    if (i >= job.own)
        return;
    const uint head = heads[i];
    if (head == WW_NO_ENTRY)
        return;
    heads[i] = WW_NO_ENTRY;
    float most = as_float(bounds[i]);
    if (WW_PROFILE_K > 1)
        most = fmin(most, ww_kth_bound(head, entries));
    const ww_sides at = {own_values, other_values, own_statistics, other_statistics};
    best += (size_t)i * WW_PROFILE_K;
    best_ids += (size_t)i * WW_PROFILE_K;
    for (uint e = head; e != WW_NO_ENTRY; e = entries[e].y) {
        const uint j = entries[e].x;
        const long id = (long)(job.other_first + j);
        if (as_float(entries[e].z) - as_float(entries[e].w) > most)
            continue;
        int known = 0;
        for (uint r = 0; r < WW_PROFILE_K; r++)
            known |= best_ids[r] == id;
        if (!known)
            ww_enter_best(best, best_ids, ww_distance(&job, &at, i, j, best[WW_PROFILE_K - 1]), id);
    }
    // D of the k-th, rounded up.
    if (best_ids[WW_PROFILE_K - 1] >= 0) {
        const float d = (float)ww_d_of(&job, best[WW_PROFILE_K - 1]) * WW_BOUND_MORE + (WW_NORM ? WW_RAW_LEAST : WW_BOUND_LEAST);
        if (d < as_float(bounds[i]))
            bounds[i] = as_int(d);
    }
}
