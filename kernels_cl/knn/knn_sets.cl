// SPDX-License-Identifier: Apache-2.0
// Jaccard distances 1 - |A n B| / |A u B| of a chunk, sets being ascending lists of integers; two empty sets are equal.
// One work-group a query. No local memory, no barrier.
//
// Set i is items[offsets[i] ... offsets[i + 1]), as counted from the first of its side.
__kernel __attribute__((reqd_work_group_size(WW_ROW_WG, 1, 1))) void
ww_knn_sets(__global const uint *restrict query_items, __global const ulong *restrict query_offsets,
            __global const uint *restrict base_items, __global const ulong *restrict base_offsets, const ww_knn_job job,
            __global ww_scalar *restrict values) {
    const uint row = (uint)get_group_id(0);
    const ulong a0 = query_offsets[job.query_first + row];
    const uint a_count = (uint)(query_offsets[job.query_first + row + 1] - a0);
    __global const uint *a = query_items + a0;
    for (uint i = (uint)get_local_id(0); i < job.base_end - job.base_first; i += WW_ROW_WG) {
        const ulong b0 = base_offsets[job.base_first + i];
        const uint b_count = (uint)(base_offsets[job.base_first + i + 1] - b0);
        __global const uint *b = base_items + b0;
        uint common = 0, s = 0, t = 0;
        while (s < a_count && t < b_count) {
            const uint x = a[s], y = b[t];
            common += x == y;
            s += x <= y;
            t += y <= x;
        }
        const uint all = a_count + b_count - common;
        values[(ulong)row * job.capacity + i] = all ? (ww_scalar)(all - common) / (ww_scalar)all : 0;
    }
}
