// SPDX-License-Identifier: Apache-2.0
// Engine `bits` for long pairs: the matrix is divided into strips of WW_WG*WW_WORDS words of columns, each computed
// from top to bottom by one work-group as in bits.cl; strip s+1 follows strip s a few steps behind, so that one pair
// fills a device.
//
// Tried, not taken: strips for one or four times the compute units in place of two: 24 to 29 % slower.
//
// A strip's last lane passes its edge to the next strip through `edges` (handover.cl), one entry a step, and after them
// one for the count of the columns so far: 8 bytes a step, for any number of strips. Work-groups take strips from a
// counter, in order: a strip's left-hand neighbour has always been started, or was finished by an earlier launch, so
// waiting for it ends.
//
// Parameters: WW_WG; WW_EXCHANGE. Local memory: one word, and with WW_EXCHANGE 0 4*WW_WG and one barrier a step.

__kernel WW_EXCHANGE_KERNEL __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_bits_strips(__global const ww_plane *restrict x_planes, __global const ulong2 *restrict x_series,
               __global const ww_plane *restrict y_planes, __global const ulong2 *restrict y_series,
               __global const uint *restrict x_order, __global const uint *restrict y_order,
               __global ww_scalar *restrict out, const ww_launch_args args, __global volatile ulong *edges,
               __global uint *ticket) {
    const uint lane = get_local_id(0);
    __local uint mine[1];
    __local uint handed[WW_BITS_PASSED(WW_WG)];
    if (lane == 0)
        mine[0] = atomic_inc(ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint strips = args.strip_end - args.strip_begin;
    const uint pair = mine[0] / strips, strip = args.strip_begin + ww_rest(mine[0], strips, pair);
    const ww_task task = ww_task_of(x_order, y_order, args, pair);
    const ww_symbols x = ww_symbols_load(x_planes, x_series, task.x, args.channel);
    const ww_symbols y = ww_symbols_load(y_planes, y_series, task.y, args.channel);
    // The whole work-group leaves, or none of it.
    if ((!WW_LIST && !task.wanted) || strip * (WW_WG * WW_WORDS) >= y.words)
        return;
    edges += (ulong)pair * args.scratch;

    const uint first_word = (strip * WW_WG + lane) * WW_WORDS;
    const uint owner = (y.words - 1) / WW_WORDS - strip * WW_WG;  // the lane of the last column, if it is in this strip
    const uint steps = ww_bits_steps(x.length), total = steps + min(owner, (uint)WW_WG - 1);
    ww_bits_block s;
    ww_bits_load(&s, y, first_word);
    ww_row_held next_rows[WW_ROWS_HELD];
    ww_bits_clear(&s);
    ww_bits_read_rows(next_rows, x, 0);
    uint edge = 0, sum = 0;
    ulong ahead = strip ? edges[0] : 0;
    for (uint k = 0; k < total; k++) {
        const uint step = k - lane;  // may wrap below 0: then it is past every end
        if (k >= lane && step < steps) {
            const uint padding = step ? 0 : ww_bits_padding(x.length);
            if (lane == 0) {
                edge = strip ? ww_await(edges, step, strip, ahead) : ww_bits_border(padding);
                sum = WW_BITS_FROM * x.length;
                if (strip && step + 1 == steps)
                    sum = ww_await(edges, steps, strip, edges[steps]);
                ahead = edges[step + 1];
            }
            edge = ww_bits_lane_step(&s, x, step, steps, next_rows, padding, edge, args);
            if (step + 1 == steps) {
                sum += ww_bits_counts(&s, (int)y.length - (int)first_word * 32);
                if (lane == owner)
                    ww_store_task(out, args, x_order, task, ww_bits_result(sum, x.length, y.length, args));
            }
            if (lane == WW_WG - 1) {
                ww_tag(edges, step, strip, edge);
                if (step + 1 == steps)
                    ww_tag(edges, steps, strip, sum);
            }
        }
        if (WW_WG > 1)
            ww_bits_pass_right(&edge, &sum, handed, k & 1, WW_WG, lane, lane, WW_WG);
    }
}
