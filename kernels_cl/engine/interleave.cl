// SPDX-License-Identifier: Apache-2.0
// Interleaves WW_PACK series, one value of each after the other: value of time j, channel c, lane v at
// (j*WW_PARTS + c)*WW_PACK + v, the extra value after the channels. The engines packed and lanes (ribbon.cl) read it in
// full vectors.
//
// Pack p holds WW_PACK consecutive slots of an order (or tasks of a list: field order_offset of triples), the last slot
// repeated to fill the last pack. It begins at pack_offset[p] (in values) and is as long as its longest series; beyond a
// series' end is infinity. With `step` above 0 the series end together, padding rows before them (infinitely far points)
// fill the pack to a multiple of `step`. `margin` (ribbon.cl, not with `step`): so many points of minus infinity before
// each series, and from its end to that many behind the longest.
//
// With vectors (CPUs) one work-group a pack, any size, no local memory; a list's pack is interleaved where it is computed,
// by a function. Else work-groups of WW_PACK work-items, any number
// of them a pack: a square of WW_PACK series x WW_PACK times goes through local memory ((WW_PACK + 1) * WW_PACK values), so
// that both sides of the global memory are accessed in whole rows; two barriers a square.
#define WW_SLOT_ID(v) order[(ulong)min(begin + pack * WW_PACK + (v), end - 1) * order_stride + order_offset]

#if WW_SUMMED
#define WW_PACK_PARTS channels
#define WW_PACK_CHANNELS channels
#else
#define WW_PACK_PARTS WW_PARTS
#define WW_PACK_CHANNELS WW_CHANNELS
#endif

#if WW_VECTOR > 1 && WW_LIST
// WW_VECTOR times of each of as many series, to the values of each time side by side: the halves of a pack are shuffled
// like cards, until each has gone round.
WW_INLINE void ww_turn(real *values) {
#pragma unroll
    for (int turn = 1; turn < WW_VECTOR; turn *= 2) {
        real next[WW_VECTOR];
#pragma unroll
        for (int v = 0; v < WW_VECTOR / 2; v++) {
            next[2 * v].even = values[v].lo;
            next[2 * v].odd = values[v + WW_VECTOR / 2].lo;
            next[2 * v + 1].even = values[v].hi;
            next[2 * v + 1].odd = values[v + WW_VECTOR / 2].hi;
        }
#pragma unroll
        for (int v = 0; v < WW_VECTOR; v++)
            values[v] = next[v];
    }
}

// The series of a list's pack to `target`, which is as long as the longest of them. The work-item that computes the pack
// calls it (packed.cl).
WW_INLINE void ww_interleave_pack(const ww_series *of, uint longest, uint shortest, uint channels,
                                  __global ww_scalar *target) {
    for (uint c = 0; c < WW_PACK_PARTS; c++) {
        __global const ww_scalar *at[WW_VECTOR];
        for (uint v = 0; v < WW_VECTOR; v++)
            at[v] = c < WW_PACK_CHANNELS ? of[v].at + (ulong)c * of[v].length : of[v].extra;
        uint j = 0;
        for (; j + WW_VECTOR <= shortest; j += WW_VECTOR) {
            real values[WW_VECTOR];
#pragma unroll
            for (int v = 0; v < WW_VECTOR; v++)
                values[v] = WW_VLOAD(0, at[v] + j);
            ww_turn(values);
#pragma unroll
            for (int t = 0; t < WW_VECTOR; t++)
                WW_VSTORE(values[t], (ulong)(j + t) * WW_PACK_PARTS + c, target);
        }
        for (; j < longest; j++)
#pragma unroll 1
            for (uint v = 0; v < WW_VECTOR; v++)
                target[((ulong)j * WW_PACK_PARTS + c) * WW_VECTOR + v] = j < of[v].length ? at[v][j] : (ww_scalar)INFINITY;
    }
}
#elif WW_VECTOR > 1
__kernel void ww_interleave(__global const ww_scalar *restrict values, __global const ulong2 *restrict series,
                            __global const uint *restrict order, const uint order_stride, const uint order_offset,
                            const uint begin, const uint end, const uint channel, const uint step,
                            const uint margin, __global const ulong *restrict pack_offset,
                            __global ww_scalar *restrict packed
#if WW_SUMMED
                            ,
                            const uint channels
#endif
) {
    const uint pack = (uint)get_group_id(0);
    uint longest = 0;
    for (uint v = 0; v < WW_PACK; v++)
        longest = max(longest, (uint)series[WW_SLOT_ID(v)].y);
    if (step)
        longest = (longest + step - 1) / step * step;
    __global ww_scalar *target = packed + pack_offset[pack];
    for (uint v = (uint)get_local_id(0); v < WW_PACK; v += (uint)get_local_size(0)) {
        const ww_series s = ww_series_load(values, series, WW_SLOT_ID(v), channel);
        for (uint c = 0; c < WW_PACK_PARTS; c++) {
            __global const ww_scalar *source = c < WW_PACK_CHANNELS ? s.at + (ulong)c * s.length : s.extra;
            const uint before = step ? longest - s.length : 0;
            const ww_scalar none = step && c >= WW_PACK_CHANNELS ? 0 : (ww_scalar)INFINITY;
            for (uint j = 0; j < longest; j++)
                target[((ulong)j * WW_PACK_PARTS + c) * WW_PACK + v] = j - before < s.length ? source[j - before] : none;
        }
    }
}
#else
__kernel __attribute__((reqd_work_group_size(WW_PACK, 1, 1))) void
ww_interleave(__global const ww_scalar *restrict values, __global const ulong2 *restrict series,
              __global const uint *restrict order, const uint order_stride, const uint order_offset, const uint begin,
              const uint end, const uint channel, const uint step, const uint margin,
              __global const ulong *restrict pack_offset, __global ww_scalar *restrict packed) {
    __local ww_scalar square[WW_PACK][WW_PACK + 1];
    __local ulong offsets[WW_PACK], extras[WW_PACK];  // of each series' values
    __local uint lengths[WW_PACK];
    const uint lane = (uint)get_local_id(0), packs = (end - begin + WW_PACK - 1) / WW_PACK;
    const uint part = (uint)get_group_id(0) / packs, pack = ww_rest((uint)get_group_id(0), packs, part);
    const uint parts = max((uint)get_num_groups(0) / packs, 1u);
    const ww_series own = ww_series_load(values, series, WW_SLOT_ID(lane), channel);
    offsets[lane] = (ulong)(own.at - values);
    extras[lane] = (ulong)(own.extra - values);
    lengths[lane] = own.length;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Of all its times, in a rectangle's or a list's rows with the padding: the offset of the next pack says it.
    const uint longest = (uint)((pack_offset[pack + 1] - pack_offset[pack]) / (WW_PARTS * WW_PACK));
    __global ww_scalar *target = packed + pack_offset[pack];
    for (uint first = part * WW_PACK; first < longest; first += parts * WW_PACK)
        for (uint c = 0; c < WW_PARTS; c++) {
            const ww_scalar none = step && c >= WW_CHANNELS ? 0 : margin ? -(ww_scalar)INFINITY : (ww_scalar)INFINITY;
#pragma unroll 8
            for (uint v = 0; v < WW_PACK; v++) {
                const uint length = lengths[v], j = first + lane - (step ? longest - length : margin);
                const ulong at = c < WW_CHANNELS ? offsets[v] + (ulong)c * length : extras[v];
                square[v][lane] = j < length ? values[at + j] : none;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
            for (uint t = 0; t < WW_PACK; t++)
                if (first + t < longest)
                    target[((ulong)(first + t) * WW_PARTS + c) * WW_PACK + lane] = square[lane][t];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
}
#endif
