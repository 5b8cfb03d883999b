// SPDX-License-Identifier: Apache-2.0
// Jaccard distances of a chunk, by ww_jaccard().
// One work-group a query. No local memory, no barrier.
//
// Set i is items[offsets[i] ... offsets[i + 1]), as counted from the first of its side.
__kernel __attribute__((reqd_work_group_size(WW_ROW_WG, 1, 1))) void
ww_knn_sets(__global const uint *restrict query_items, __global const ulong *restrict query_offsets,
            __global const uint *restrict base_items, __global const ulong *restrict base_offsets, const ww_knn_args job,
            __global ww_scalar *restrict values) {
    const uint row = (uint)get_group_id(0);
    const ulong a0 = query_offsets[job.query_first + row];
    const uint a_count = (uint)(query_offsets[job.query_first + row + 1] - a0);
    __global const uint *a = query_items + a0;
    for (uint i = (uint)get_local_id(0); i < job.base_end - job.base_first; i += WW_ROW_WG) {
        const ulong b0 = base_offsets[job.base_first + i];
        const uint b_count = (uint)(base_offsets[job.base_first + i + 1] - b0);
        values[(ulong)row * job.capacity + i] = ww_jaccard(a, a_count, base_items + b0, b_count);
    }
}
