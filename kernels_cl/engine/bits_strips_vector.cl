// SPDX-License-Identifier: Apache-2.0
// Engine `bits` for long pairs on a CPU: the work-items of bits_strips.cl become the lanes of a vector, and passing an
// edge on becomes a rotation of it. One work-item computes one strip of WW_VECTOR*WW_WORDS words of columns; edges and
// the counter of strips as there.
//
// Lane v is v steps behind lane 0. Before its first step a lane computes padding rows, which change nothing; after its
// last it computes rows that are never read, and its columns are counted before that.
//
// Parameters: WW_VECTOR 16; WW_OWN_ROWS 1.

// Every lane takes its left neighbour's value, lane 0 takes `in`.
WW_INLINE ww_word ww_rotate(ww_word v, uint in) {
    v = v.sf0123456789abcde;
    v.s0 = in;
    return v;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_bits_strips(__global const uint *restrict x_planes, __global const ulong2 *restrict x_series,
               __global const uint *restrict y_planes, __global const ulong2 *restrict y_series,
               __global const uint *restrict x_order, __global const uint *restrict y_order,
               __global ww_scalar *restrict out, const ww_launch_args args, __global volatile ulong *edges,
               __global uint *ticket) {
    const uint mine = atomic_inc(ticket);
    const uint strips = args.strip_end - args.strip_begin;
    const uint pair = mine / strips, strip = args.strip_begin + ww_rest(mine, strips, pair);
    const ww_task task = ww_task_of(x_order, y_order, args, pair);
    if (!WW_LIST && !task.wanted)
        return;
    const ww_symbols x = ww_symbols_load(x_planes, x_series, task.x, args.channel);
    const ww_symbols y = ww_symbols_load(y_planes, y_series, task.y, args.channel);
    if (strip * (WW_VECTOR * WW_WORDS) >= y.words)
        return;
    edges += (ulong)pair * args.scratch;

    const uint first_word = strip * (WW_VECTOR * WW_WORDS), words = y.words - first_word;
    const uint lanes = min((words + WW_WORDS - 1) / WW_WORDS, (uint)WW_VECTOR), steps = ww_bits_steps(x.length);
    ww_bits_block s;
#pragma unroll
    for (uint w = 0; w < WW_WORDS; w++)
#pragma unroll
        for (uint b = 0; b < WW_BITS; b++) {
            uint values[WW_VECTOR];
            for (uint v = 0; v < WW_VECTOR; v++)
                values[v] = ww_bits_column(y, first_word + v * WW_WORDS + w, b);
            s.own[w][b] = WW_PASTE(vload, WW_VECTOR)(0, values);
        }
    int columns_left[WW_VECTOR];
    for (int v = 0; v < WW_VECTOR; v++)
        columns_left[v] = (int)y.length - ((int)first_word + v * WW_WORDS) * 32;
    const ww_ints left_of_first = WW_PASTE(vload, WW_VECTOR)(0, columns_left);

    ww_word rows[WW_BITS], padding_mask = (ww_word)((1u << WW_ROWS) - 1), edge = (ww_word)0;
    for (int b = 0; b < WW_BITS; b++)
        rows[b] = (ww_word)0;
    ww_bits_clear(&s);
    uint sum = 0;
    for (uint k = 0; k < steps + lanes - 1; k++) {
        uint next_rows[WW_BITS];
        const uint padding = k ? 0 : ww_bits_padding(x.length);
        ww_bits_read_rows(next_rows, x, min(k, steps - 1));
#pragma unroll
        for (int b = 0; b < WW_BITS; b++)
            rows[b] = ww_rotate(rows[b], next_rows[b]);
        padding_mask = ww_rotate(padding_mask, (1u << padding) - 1);
        const ww_word border = ww_bits_border(padding);
        edge = ww_rotate(edge, k >= steps ? 0 : strip ? ww_await(edges, k, strip, edges[k]) : border.s0);
        edge = ww_bits_step(&s, rows, padding_mask, edge, args);
        if (k >= WW_VECTOR - 1)
            ww_tag(edges, k - (WW_VECTOR - 1), strip, edge.sf);
        if (k + 1 >= steps) {
            uint each[WW_VECTOR];
            WW_PASTE(vstore, WW_VECTOR)(ww_bits_counts(&s, left_of_first), 0, each);
            sum += each[k + 1 - steps];
        }
    }
    sum += strip ? ww_await(edges, steps, strip, edges[steps]) : WW_BITS_FROM * x.length;
    if (words > WW_VECTOR * WW_WORDS)
        ww_tag(edges, steps, strip, sum);
    else
        ww_store_task(out, args, x_order, task, ww_root((ww_scalar)sum));
}
