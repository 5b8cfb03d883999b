// SPDX-License-Identifier: Apache-2.0
// Engine `bits` on CPUs: WW_VECTOR pairs in one work-item, one pair a vector lane (bits_walk.cl). No barrier, no shuffle.
//
// WW_WORDS words of every pair's columns are held in registers for all rows, a step at a time; the steps' edges are
// kept in `scratch`, one vector a step, for the next words. The planes of a pack's series are interleaved beforehand
// (word w, plane b, lane v at (w*WW_BITS + b)*WW_VECTOR + v): columns are aligned at their beginnings, rows (of a list;
// in a rectangle all lanes share the row series) at their ends. Where a lane's series is shorter, its columns are not
// counted and its rows are padding. Work-groups of one work-item take packs from a counter until none is left.
//
// Parameters: WW_VECTOR 4, 8, 16. Scratch: args.scratch vectors a work-group.

#define WW_WORD_LOAD WW_PASTE(vload, WW_VECTOR)
#define WW_WORD_STORE WW_PASTE(vstore, WW_VECTOR)
#if WW_LIST
#define WW_HEIGHTS row_lengths
#else
#define WW_HEIGHTS x.length
#endif

// Slots of a pack: WW_VECTOR consecutive ones of an order (or tasks of a list: field order_offset of triples), the last one
// repeated. at_end: align the series at their ends, not at their beginnings. One work-group a pack.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_interleave_bits(__global const uint *restrict planes, __global const ulong2 *restrict series,
                   __global const uint *restrict order, const uint order_stride, const uint order_offset,
                   const uint begin, const uint end, const uint channel, const uint at_end,
                   __global const ulong *restrict pack_offset, __global uint *restrict packed) {
    const uint pack = (uint)get_group_id(0);
    __global uint *target = packed + pack_offset[pack];
    uint words = 0;
    for (uint v = 0; v < WW_VECTOR; v++) {
        const uint slot = min(begin + pack * WW_VECTOR + v, end - 1);
        const uint length = (uint)series[order[(ulong)slot * order_stride + order_offset]].y;
        words = max(words, (length + 31) / 32);
    }
    for (uint v = 0; v < WW_VECTOR; v++) {
        const uint slot = min(begin + pack * WW_VECTOR + v, end - 1);
        const ww_symbols s = ww_symbols_load(planes, series, order[(ulong)slot * order_stride + order_offset], channel);
        const uint before = words - s.words;
        for (uint w = 0; w < words; w++)
            for (uint b = 0; b < WW_BITS; b++)
                target[((ulong)w * WW_BITS + b) * WW_VECTOR + v] = !at_end       ? ww_column_held(s, w, b)
                                                                   : w >= before ? s.planes[(ulong)(w - before) * WW_BITS + b]
                                                                                 : 0;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_bits_packed(__global const uint *restrict x_planes, __global const ulong2 *restrict x_series,
               __global const uint *restrict y_planes, __global const ulong2 *restrict y_series,
               __global const uint *restrict x_order, __global const uint *restrict y_order,
               __global ww_scalar *restrict out, const ww_launch_args args, __global const uint *restrict x_packed,
               __global const ulong *restrict x_pack_offset, __global const uint *restrict y_packed,
               __global const ulong *restrict y_pack_offset, __global uint *restrict scratch,
               __global uint *restrict counter, const uint packs, const uint units) {
    __global uint *edges = scratch + (ulong)get_group_id(0) * args.scratch * WW_VECTOR;
    for (;;) {
        const uint unit = atomic_inc(counter);
        if (unit >= units)
            return;
        const ww_pack p = ww_pack_of(args, unit, packs, WW_VECTOR);
        __global const uint *ys = y_packed + y_pack_offset[p.pack];
        uint ids[WW_VECTOR];
        int lane_length[WW_VECTOR];
        uint words = 0;
#if WW_LIST
        __global const uint *xs = x_packed + x_pack_offset[p.pack];
        uint lane_height[WW_VECTOR];
        uint tallest = 0;
#endif
        for (uint v = 0; v < WW_VECTOR; v++) {
#if WW_LIST
            const uint slot = WW_PACK_SLOT(p, v);
            ids[v] = WW_TASK_RESULT(slot);
            lane_height[v] = (uint)x_series[WW_TASK_X(slot)].y;
            lane_length[v] = (int)(uint)y_series[WW_TASK_Y(slot)].y;
            tallest = max(tallest, lane_height[v]);
#else
            const uint slot = WW_PACK_SLOT(p, v);
            ids[v] = y_order[slot];
            lane_length[v] = (int)(uint)y_series[ids[v]].y;
#endif
            words = max(words, ((uint)lane_length[v] + 31) / 32);
        }
        const ww_ints column_lengths = WW_PASTE(vload, WW_VECTOR)(0, lane_length);
#if WW_LIST
        const ww_word row_lengths = WW_WORD_LOAD(0, lane_height);
        const uint steps = WW_STEPS(tallest), row_words = (tallest + 31) / 32;
        const ww_word all_padding = steps * WW_ROWS - row_lengths;
        const uint r = 0, x_id = 0;  // each lane has its own
        {
#else
        for (uint r = p.row_begin; r < p.row_end; r++) {
            if (WW_PACK_DONE(p, r, WW_VECTOR))
                break;
            const uint x_id = x_order[r];
            const ww_symbols x = ww_symbols_load(x_planes, x_series, x_id, args.channel);
            const uint steps = WW_STEPS(x.length);
#endif
            ww_word sum = (ww_word)WW_FROM(WW_HEIGHTS);
            for (uint first_word = 0; first_word < words; first_word += WW_WORDS) {
                ww_bits_block s;
#pragma unroll
                for (int w = 0; w < WW_WORDS; w++)
#pragma unroll
                    for (int b = 0; b < WW_BITS; b++)
                        s.own[w][b] = WW_WORD_LOAD(min(first_word + w, words - 1) * WW_BITS + b, ys);
                ww_bits_clear(&s);
                for (uint step = 0; step < steps; step++) {
                    ww_row_word rows[WW_BITS];
#if WW_LIST
                    const uint bit = row_words * 32 - (steps - step) * WW_ROWS;
#pragma unroll
                    for (int b = 0; b < WW_BITS; b++)
                        rows[b] = WW_WORD_LOAD((ulong)(bit / 32) * WW_BITS + b, xs) >> bit % 32;
                    const ww_word before = (ww_word)(step * WW_ROWS);
                    const ww_word padding = min(max(all_padding, before) - before, (uint)WW_ROWS);
#else
                    ww_read_rows(rows, x, step);
                    const uint padding = step ? 0 : WW_PADDING(x.length);
#endif
                    const ww_row_word padding_mask = WW_PADDING_MASK(padding);
                    ww_word edge = first_word ? WW_WORD_LOAD(step, edges) : WW_BORDER_EDGE(padding);
                    edge = ww_bits_step(&s, rows, padding_mask, edge, args);
                    WW_WORD_STORE(edge, step, edges);
                }
#pragma unroll
                for (int w = 0; w < WW_WORDS; w++) {
                    const ww_ints left = column_lengths - (int)(first_word + w) * 32;
                    sum += WW_COUNT(s, w, WW_KEEP(left));
                }
            }
            uint sums[WW_VECTOR];
            WW_WORD_STORE(sum, 0, sums);
            const uint count = WW_PACK_COUNT(p, WW_VECTOR);
            for (uint v = 0; v < count; v++)
                if (WW_PACK_WANTED(p, r, v))
                    ww_store(out, args, x_id, ids[v], ids[v], ww_root((ww_scalar)sums[v]));
        }
    }
}
