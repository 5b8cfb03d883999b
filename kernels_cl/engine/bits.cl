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
#ifndef WW_WG
#define WW_WG 64
#endif

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
    ww_bits_block s;
    const ww_run run = ww_run_of(args, (args.unit_begin + (uint)get_group_id(0)) * groups + lid / width);
    const uint task_end = run.end;
    uint task = run.task;
#if WW_LIST
    const uint y_id = 0;  // each task has its own
    ww_symbols y;
    y.planes = y_planes;
    y.length = y.words = 0;
#else
    const uint y_id = y_order[run.column];
    const ww_symbols y = ww_symbols_load(y_planes, y_series, y_id, args.channel);
    ww_bits_load(&s, y, first_word);
#endif

    // Steps of the longest list in the work-group, so that all its work-items leave the loop together.
    __local uint longest;
    if (lid == 0)
        longest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        uint steps = 0;
        for (uint t = task; t < task_end; t++)
            steps += WW_STEPS((uint)x_series[WW_STEP_X(t)].y);
        atomic_max(&longest, steps);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint total = longest ? longest + width - 1 : 0;

#if WW_EXCHANGE == 0
    __local uint edges[2][2 * WW_WG];
#endif
    ww_symbols x;
    x.planes = x_planes;
    x.length = x.words = 0;
    ww_row_held rows[WW_ROWS_HELD], next_rows[WW_ROWS_HELD];
    uint edge = 0, sum = 0;          // in: the left-hand neighbour's; out: this lane's
    uint id = 0;                     // the row series, or a list's result
    uint begin = 0;                  // step at which lane 0 begins the pair
    uint step = 0, steps = 0;        // of the pair
    bool fresh = true;
    for (uint k = 0; k < total; k++) {
        if (fresh && task < task_end) {
#if WW_LIST
            id = WW_TASK_RESULT(task);
#else
            id = WW_STEP_X(task);
#endif
            x = ww_symbols_load(x_planes, x_series, WW_STEP_X(task), args.channel);
#if WW_LIST
            y = ww_symbols_load(y_planes, y_series, WW_TASK_Y(task), args.channel);
            ww_bits_load(&s, y, first_word);
#endif
            ww_bits_clear(&s);
            step = 0;
            steps = WW_STEPS(x.length);
            ww_read_rows(next_rows, x, 0);
            fresh = false;
        }

        if (!fresh && k >= begin + lane) {
            const uint padding = step ? 0 : WW_PADDING(x.length);
            const uint padding_mask = WW_PADDING_MASK(padding);
            if (lane == 0) {
                edge = WW_BORDER_EDGE(padding);
                sum = WW_FROM(x.length);
            }
            // The next step's rows are loaded while these are computed.
#pragma unroll
            for (int b = 0; b < WW_ROWS_HELD; b++)
                rows[b] = next_rows[b];
            ww_read_rows(next_rows, x, min(step + 1, steps - 1));
            edge = ww_bits_step(&s, rows, padding_mask, edge, args);
            step++;
            if (step == steps) {
#pragma unroll
                for (int w = 0; w < WW_WORDS; w++) {
                    const int left = (int)y.length - ((int)first_word + w) * 32;
                    sum += WW_COUNT(s, w, WW_KEEP(left));
                }
                if (lane == (y.words - 1) / WW_WORDS) {
                    ww_store(out, args, id, y_id, id, WW_RESULT(sum, x.length, y.length));
                }
                begin += steps;
                task++;
                fresh = true;
            }
        }

#if WW_EXCHANGE == 0
        __local uint *handed = edges[k & 1];
        handed[lid] = edge;
        handed[WW_WG + lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint from = (lid & ~(width - 1)) | ((lane - 1) & (width - 1));
        edge = handed[from];
        sum = handed[WW_WG + from];
#else
        edge = ww_exchange_up(edge, width);
        sum = ww_exchange_up(sum, width);
#endif
    }
}
