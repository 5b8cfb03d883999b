// SPDX-License-Identifier: Apache-2.0
// The mean of the points that warping paths match with each point of a centre. The rows of the pairs are the centre,
// one series; the columns are the members. Paths do not leave the device.
//
//   ww_path_intervals  a work-item a pair: of each point of the centre the first of the member's points matched with it,
//                      and the end of them, one path beside the other
//   ww_path_sums       a work-group a point and channel of the centre: adds up the weighted values, members among its
//                      work-items, in an order that is always the same
//   ww_path_means      a work-item a value: the mean; a point that nothing is matched with stays as it is
#define WW_SUM_GROUP 64

// The pairs [first, first + count) of the table. A path never comes back to a point, so what is matched with one is an
// interval; empty where the path has none.
__kernel void ww_path_intervals(__global const ww_path_pair *restrict pairs, __global const uint *restrict steps,
                                const uint first, const uint count, const uint length,
                                __global uint2 *restrict intervals) {
    const uint k = (uint)get_global_id(0);
    if (k >= count)
        return;
    const ww_path_pair pair = pairs[first + k];
    __global const uint *words = steps + pair.steps;
    for (uint i = 0; i < length; i++)
        intervals[(ulong)i * count + k] = (uint2)(0, 0);
    uint i = pair.end_i, j = pair.end_j, end = j, word = 0;
    for (uint s = 0; s < pair.count; s++) {
        word = s & 15 ? word >> 2 : words[s >> 4];
        const uint step = word & 3;
        // The row is left: its interval is complete.
        if (step != 3 && i && j)
            intervals[(ulong)(i - 1) * count + k] = (uint2)(j - 1, end);
        i -= step != 3;
        j -= step != 1;
        end = step != 3 ? j : end;
    }
    // An open beginning ends in the middle of a row's interval never: its last step goes into the border.
}

__kernel __attribute__((reqd_work_group_size(WW_SUM_GROUP, 1, 1))) void
ww_path_sums(__global const uint2 *restrict intervals, __global const uint *restrict list, const uint first,
             const uint count, __global const uint *restrict numbers, __global const ww_scalar *restrict weights,
             __global const ww_scalar *restrict values, __global const ulong2 *restrict series, const uint length,
             const uint channels, __global ww_scalar *restrict sums) {
    __local ww_scalar sum[WW_SUM_GROUP], weight[WW_SUM_GROUP];
    const uint lid = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const uint channel = group / length, i = group - channel * length;
    ww_scalar own = 0, own_weight = 0;
    for (uint k = lid; k < count; k += WW_SUM_GROUP) {
        const uint2 matched = intervals[(ulong)i * count + k];
        const uint member = list[3 * (ulong)(first + k) + 1];
        const ulong2 entry = series[member];
        __global const ww_scalar *at = values + entry.x + (ulong)channel * (uint)entry.y;
        ww_scalar part = 0;
        for (uint j = matched.s0; j < matched.s1; j++)
            part += at[j];
        const ww_scalar w = weights[numbers[list[3 * (ulong)(first + k) + 2]]];
        own = fma(w, part, own);
        own_weight = fma(w, (ww_scalar)(matched.s1 - matched.s0), own_weight);
    }
    sum[lid] = own;
    weight[lid] = own_weight;
    for (uint half_way = WW_SUM_GROUP / 2; half_way; half_way /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_way) {
            sum[lid] += sum[lid + half_way];
            weight[lid] += weight[lid + half_way];
        }
    }
    if (lid == 0) {
        sums[group] += sum[0];
        if (channel == 0)
            sums[(ulong)channels * length + i] += weight[0];
    }
}

__kernel void ww_path_means(__global const ww_scalar *restrict sums, const uint length, const uint channels,
                            __global ww_scalar *restrict centre) {
    const uint at = (uint)get_global_id(0);
    if (at >= channels * length)
        return;
    const ww_scalar weight = sums[(ulong)channels * length + at % length];
    if (weight > 0)
        centre[at] = sums[at] / weight;
}
