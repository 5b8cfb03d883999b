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
                target[((ulong)w * WW_BITS + b) * WW_VECTOR + v] = !at_end       ? ww_bits_column(s, w, b)
                                                                   : w >= before ? s.planes[(ulong)(w - before) * WW_BITS + b]
                                                                                 : 0;
    }
}

// The columns of a pack's lanes.
typedef struct {
    uint ids[WW_VECTOR];  // of the series, or in a list of the results
    ww_ints lengths;
    uint words;           // of the longest
} ww_bits_columns;
WW_INLINE ww_bits_columns ww_bits_columns_of(ww_pack p, __global const uint *x_order, __global const uint *y_order,
                                             __global const ulong2 *y_series) {
    ww_bits_columns c;
    int lengths[WW_VECTOR];
    c.words = 0;
    for (uint v = 0; v < WW_VECTOR; v++) {
        const uint slot = WW_PACK_SLOT(p, v), y = WW_LIST ? WW_TASK_Y(slot) : y_order[slot];
        c.ids[v] = WW_LIST ? WW_TASK_RESULT(slot) : y;
        lengths[v] = (int)(uint)y_series[y].y;
        c.words = max(c.words, ((uint)lengths[v] + 31) / 32);
    }
    c.lengths = WW_PASTE(vload, WW_VECTOR)(0, lengths);
    return c;
}
// The rows of the lanes: in a list each has its own, at their ends in a pack; in a rectangle all have the same.
typedef struct {
    uint steps;
    ww_row_word lengths;
#if WW_LIST
    __global const uint *packed;
    uint words;               // of the longest
    ww_word padding;          // rows before the first
#else
    ww_symbols x;
#endif
} ww_bits_rows;
#if WW_LIST
WW_INLINE ww_bits_rows ww_bits_rows_of(ww_pack p, __global const uint *x_order, __global const ulong2 *x_series,
                                       __global const uint *packed) {
    ww_bits_rows r;
    uint heights[WW_VECTOR], tallest = 0;
    for (uint v = 0; v < WW_VECTOR; v++) {
        heights[v] = (uint)x_series[WW_TASK_X(WW_PACK_SLOT(p, v))].y;
        tallest = max(tallest, heights[v]);
    }
    r.packed = packed;
    r.lengths = WW_WORD_LOAD(0, heights);
    r.steps = ww_bits_steps(tallest);
    r.words = (tallest + 31) / 32;
    r.padding = r.steps * WW_ROWS - r.lengths;
    return r;
}
// Those of a step; gives how many of them are padding.
WW_INLINE ww_row_word ww_bits_take_rows(const ww_bits_rows *r, ww_row_word *rows, const uint step) {
    const uint bit = r->words * 32 - (r->steps - step) * WW_ROWS;
#pragma unroll
    for (int b = 0; b < WW_BITS; b++)
        rows[b] = WW_WORD_LOAD((ulong)(bit / 32) * WW_BITS + b, r->packed) >> bit % 32;
    const ww_word before = (ww_word)(step * WW_ROWS);
    return min(max(r->padding, before) - before, (uint)WW_ROWS);
}
#else
WW_INLINE ww_bits_rows ww_bits_rows_of_series(ww_symbols x) {
    const ww_bits_rows r = {ww_bits_steps(x.length), x.length, x};
    return r;
}
WW_INLINE ww_row_word ww_bits_take_rows(const ww_bits_rows *r, ww_row_word *rows, const uint step) {
    ww_bits_read_rows(rows, r->x, step);
    return step ? 0 : ww_bits_padding(r->x.length);
}
#endif
// The sums of a pack's lanes, `ys` being its interleaved columns.
WW_INLINE ww_word ww_bits_sums(const ww_bits_columns *c, const ww_bits_rows *r, __global const uint *ys, __global uint *edges,
                               const ww_launch_args args) {
    ww_word sum = (ww_word)(WW_BITS_FROM * r->lengths);
    for (uint first_word = 0; first_word < c->words; first_word += WW_WORDS) {
        ww_bits_block s;
#pragma unroll
        for (int w = 0; w < WW_WORDS; w++)
#pragma unroll
            for (int b = 0; b < WW_BITS; b++)
                s.own[w][b] = WW_WORD_LOAD(min(first_word + w, c->words - 1) * WW_BITS + b, ys);
        ww_bits_clear(&s);
        for (uint step = 0; step < r->steps; step++) {
            ww_row_word rows[WW_BITS];
            const ww_row_word padding = ww_bits_take_rows(r, rows, step);
            ww_word edge = first_word ? WW_WORD_LOAD(step, edges) : ww_bits_border(padding);
            edge = ww_bits_step(&s, rows, ww_bits_padding_mask(padding), edge, args);
            WW_WORD_STORE(edge, step, edges);
        }
        sum += ww_bits_counts(&s, c->lengths - (int)first_word * 32);
    }
    return sum;
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
        const ww_bits_columns columns = ww_bits_columns_of(p, x_order, y_order, y_series);
        const uint row_end = WW_LIST ? p.row_begin + 1 : p.row_end;
        for (uint row = p.row_begin; row < row_end; row++) {
            if (!WW_LIST && WW_PACK_DONE(p, row, WW_VECTOR))
                break;
#if WW_LIST
            const uint x_id = 0;  // each lane has its own
            const ww_bits_rows rows = ww_bits_rows_of(p, x_order, x_series, x_packed + x_pack_offset[p.pack]);
#else
            const uint x_id = x_order[row];
            const ww_bits_rows rows = ww_bits_rows_of_series(ww_symbols_load(x_planes, x_series, x_id, args.channel));
#endif
            const ww_word sum = ww_bits_sums(&columns, &rows, ys, edges, args);
            uint sums[WW_VECTOR];
            WW_WORD_STORE(sum, 0, sums);
            const uint count = WW_PACK_COUNT(p, WW_VECTOR);
            for (uint v = 0; v < count; v++)
                if (WW_PACK_WANTED(p, row, v))
                    ww_store(out, args, x_id, columns.ids[v], columns.ids[v], ww_root((ww_scalar)sums[v]));
        }
    }
}
