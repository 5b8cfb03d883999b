// SPDX-License-Identifier: Apache-2.0
// The walk back through a tile whose directions path_lanes.cl has stored, a work-item a pair. Its text comes first.
//
// A walk waits for memory at each word of directions that it enters. So the words of WW_LOOK row-steps, one above the
// other, are read together. No local memory, no barrier.
#define WW_LOOK 4

// A row-step's words of 16 columns.
#if WW_ROWS == 4
typedef uint4 ww_path_words;
#define WW_ROW_WORD(words, row) ((row)&2 ? ((row)&1 ? words.s3 : words.s2) : (row)&1 ? words.s1 : words.s0)
#elif WW_ROWS == 2
typedef uint2 ww_path_words;
#define WW_ROW_WORD(words, row) ((row)&1 ? words.s1 : words.s0)
#elif WW_ROWS == 1
typedef uint ww_path_words;
#define WW_ROW_WORD(words, row) (words)
#else
#error "directions of 1, 2 or 4 rows a step"
#endif

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_path_walk(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
             __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
             __global const uint *restrict x_order, __global const uint *restrict y_order,
             __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
             const ww_path_args path, __global ww_path_pair *pairs, __global ww_scalar *edges,
             __global const uint *restrict directions, __global uint *restrict steps, __global uint *restrict counter) {
    const uint slot = path.first + (uint)get_global_id(0);
    if (slot >= path.units || pairs[slot].state != WW_WALK_ON)
        return;
    const uint task = args.row_begin + slot, width = args.group_width;
    const ww_series x = ww_series_load(x_values, x_series, WW_TASK_X(task), args.channel);
    const ww_series y = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);
    const uint padding = (uint)WW_PADDING(x.length);
    const ww_pair_band limits = WW_BAND_OF(x, y);
    const uint tile_height = path.whole ? x.length + padding : path.rows;
    const uint tile_width = path.whole ? y.length : path.columns;
    const uint moments = (tile_height + WW_ROWS - 1) / WW_ROWS + width - 1, strip_columns = width * WW_COLS;
    __global const ww_path_words *words =
        (__global const ww_path_words *)(directions + (ulong)(slot - path.first) * path.direction_words);
    uint i = pairs[slot].i, j = pairs[slot].j;
    ww_path_steps own = ww_path_steps_of(steps + pairs[slot].steps, pairs[slot].count);
    // The tile's first cell, from 1.
    const uint row_first = i ? (i - 1 + padding) / tile_height * tile_height : 0;
    const uint column_first = j ? (j - 1) / tile_width * tile_width : 0;
    const uint first_i = row_first + 1 > padding ? row_first + 1 - padding : 1, first_j = column_first + 1;
    while (i >= first_i && j >= first_j) {
        const uint p = i - 1 + padding - row_first, c = j - 1 - column_first;
        const uint strip = c / strip_columns, rest = c - strip * strip_columns, lane = rest / WW_COLS;
        const uint r = rest - lane * WW_COLS, word = r / 16, last = min((uint)WW_COLS, word * 16 + 16) - 1;
        const uint step = p / WW_ROWS;
        const ulong at = (((ulong)strip * moments + step + lane) * WW_NOTE_WORDS + word) * width + lane;
        ww_path_words near[WW_LOOK];
#pragma unroll
        for (uint b = 0; b < WW_LOOK; b++)
            near[b] = words[at - min(b, step) * (ulong)(WW_NOTE_WORDS * width)];
        // Rows and columns left in the words.
        int row = (int)(p % WW_ROWS), column = (int)(r - word * 16), shift = (int)(2 * (last - r));
#pragma unroll
        for (uint b = 0; b < WW_LOOK; b++) {
            while (row >= 0 && column >= 0 && i >= first_i) {
                const uint bits = WW_ROW_WORD(near[b], (uint)row) >> shift & 3;
                const uint taken = ww_path_stay(limits, bits & 1 ? bits : 0, i, j);
                ww_push_step(&own, taken);
                const int up = taken != 3, left = taken != 1;
                i -= (uint)up;
                j -= (uint)left;
                row -= up;
                column -= left;
                shift += 2 * left;
            }
            row += WW_ROWS;
        }
    }
    // Along the matrix's border, up to where an open end begins.
    bool done = false;
    while ((i == 0 || j == 0) && !done) {
        done = ww_path_is_begin(i, j, args);
        if (!done) {
            const uint taken = i == 0 ? 3 : 1;
            ww_push_step(&own, taken);
            i -= taken != 3;
            j -= taken != 1;
        }
    }
    ww_path_leave_walk(pairs + slot, &own, i, j, done);
}
