// SPDX-License-Identifier: Apache-2.0
// Engine `bits` in lanes: the matrix of a pair computed by G adjacent work-items, each with WW_WORDS words of columns
// in registers (bits_walk.cl), WW_ROWS rows a step. Strips are in bits_strips.cl, CPUs in bits_packed.cl.
//
// Tried, not taken: the compiler's own logic and shifts (14.3 instructions a word for 13.3), 8 words a lane (-5 %).
//
// After a step a lane passes its edge to its right-hand neighbour, which computes the same rows one step later,
// together with the count of the columns so far, which is complete after the last step. Lane 0 begins the next pair
// while the others finish this one: the group never drains. Lists of pairs as in engine lanes (lanes.cl): in a
// rectangle one column series and a chunk of row series, in a list rows_per_group consecutive tasks; groups are
// numbered along the columns, chunk after chunk.
//
// Parameters: WW_WG (a multiple of the group's width), WW_EXCHANGE (base/vendor.cl; 0: through local memory). Local memory: one
// word, and with WW_EXCHANGE 0 4*WW_WG and one barrier a step.

__kernel WW_EXCHANGE_KERNEL __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_bits(__global const ww_plane *restrict x_planes, __global const ulong2 *restrict x_series,
        __global const ww_plane *restrict y_planes, __global const ulong2 *restrict y_series,
        __global const uint *restrict x_order, __global const uint *restrict y_order, __global ww_scalar *restrict out,
        const ww_launch_args args) {
    const uint lid = get_local_id(0);
    const uint width = args.group_width;
    const uint lane = lid & (width - 1);
    const uint groups = WW_WG / width;
    const uint first_word = lane * WW_WORDS;
    const ww_run run = ww_run_of(args, (args.unit_begin + (uint)get_group_id(0)) * groups + lid / width);
    const uint y_id = WW_LIST ? 0 : y_order[run.column];  // in a list each task has its own
    ww_bits_block s;
    ww_symbols x = {x_planes, 0, 0}, y = {y_planes, 0, 0};
    if (!WW_LIST) {
        y = ww_symbols_load(y_planes, y_series, y_id, args.channel);
        ww_bits_load(&s, y, first_word);
    }

    // Steps of the longest list in the work-group, so that all its work-items leave the loop together.
    __local uint longest;
    uint own_steps = 0;
    if (lane == 0)
        for (uint t = run.task; t < run.end; t++)
            own_steps += ww_bits_steps((uint)x_series[WW_STEP_X(t)].y);
    const uint total = ww_steps_of_groups(&longest, own_steps, lid, lane, width);

    __local uint passed[WW_BITS_PASSED(WW_WG)];
    ww_row_held next_rows[WW_ROWS_HELD];
    uint edge = 0, sum = 0;         // in: the left-hand neighbour's; out: this lane's
    uint task = run.task, id = 0;   // the row series, or a list's result
    uint begin = 0;                 // step at which lane 0 begins the pair
    uint step = 0, steps = 0;       // of the pair
    bool fresh = true;
    for (uint k = 0; k < total; k++) {
        if (fresh && task < run.end) {
            id = WW_LIST ? WW_TASK_RESULT(task) : WW_STEP_X(task);
            x = ww_symbols_load(x_planes, x_series, WW_STEP_X(task), args.channel);
            if (WW_LIST) {
                y = ww_symbols_load(y_planes, y_series, WW_TASK_Y(task), args.channel);
                ww_bits_load(&s, y, first_word);
            }
            ww_bits_clear(&s);
            step = 0;
            steps = ww_bits_steps(x.length);
            ww_bits_read_rows(next_rows, x, 0);
            fresh = false;
        }

        if (!fresh && k >= begin + lane) {
            const uint padding = step ? 0 : ww_bits_padding(x.length);
            if (lane == 0) {
                edge = ww_bits_border(padding);
                sum = WW_BITS_FROM * x.length;
            }
            edge = ww_bits_lane_step(&s, x, step, steps, next_rows, padding, edge, args);
            step++;
            if (step == steps) {
                sum += ww_bits_counts(&s, (int)y.length - (int)first_word * 32);
                if (lane == (y.words - 1) / WW_WORDS)
                    ww_store(out, args, id, y_id, id, ww_bits_result(sum, x.length, y.length, args));
                begin += steps;
                task++;
                fresh = true;
            }
        }
        ww_bits_pass_right(&edge, &sum, passed, k & 1, WW_WG, lid, lane, width);
    }
}
