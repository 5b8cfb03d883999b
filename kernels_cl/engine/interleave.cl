// SPDX-License-Identifier: Apache-2.0
// Interleaves WW_PACK series, one value of each after the other: value of time j, channel c, lane v at
// (j*WW_PARTS + c)*WW_PACK + v, the extra value after the channels. The engines packed and lanes (ribbon.cl) read it in
// full vectors.
//
// Pack p holds WW_PACK consecutive slots of an order (or tasks of a list: field order_offset of triples), the last slot
// repeated to fill the last pack. It begins at pack_offset[p] (in values) and is as long as its longest series; beyond a
// series' end is infinity. With `step` above 0 the series end together, padding rows before them (infinitely far points)
// fill the pack to a multiple of `step`. One work-group a pack, any size. No local memory.
__kernel void ww_interleave(__global const ww_scalar *restrict values, __global const ulong2 *restrict series,
                            __global const uint *restrict order, const uint order_stride, const uint order_offset,
                            const uint begin, const uint end, const uint channel, const uint step,
                            __global const ulong *restrict pack_offset, __global ww_scalar *restrict packed) {
    const uint pack = (uint)get_group_id(0);
    uint longest = 0;
    for (uint v = 0; v < WW_PACK; v++) {
        const uint slot = min(begin + pack * WW_PACK + v, end - 1);
        longest = max(longest, (uint)series[order[(ulong)slot * order_stride + order_offset]].y);
    }
    if (step)
        longest = (longest + step - 1) / step * step;
    __global ww_scalar *target = packed + pack_offset[pack];
    for (uint v = (uint)get_local_id(0); v < WW_PACK; v += (uint)get_local_size(0)) {
        const uint slot = min(begin + pack * WW_PACK + v, end - 1);
        const ww_series s = ww_series_load(values, series, order[(ulong)slot * order_stride + order_offset], channel);
        for (uint c = 0; c < WW_PARTS; c++) {
            __global const ww_scalar *source = c < WW_CHANNELS ? s.at + (ulong)c * s.length : s.extra;
            const uint before = step ? longest - s.length : 0;
            const ww_scalar none = step && c >= WW_CHANNELS ? 0 : (ww_scalar)INFINITY;
            for (uint j = 0; j < longest; j++)
                target[((ulong)j * WW_PARTS + c) * WW_PACK + v] = j - before < s.length ? source[j - before] : none;
        }
    }
}
