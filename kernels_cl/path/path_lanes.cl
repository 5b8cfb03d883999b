// SPDX-License-Identifier: Apache-2.0
// Warping paths by adjacent work-items (lanes): args.group_width lanes a tile, each with WW_COLS columns of a strip in
// registers, WW_ROWS rows a step (engine/walk.cl). path.cl says what is kept between tiles.
//
// Tried, not taken: 4, 16 or 32 lanes with 8 to 32 columns: 1.08 to 1.84 ms for 1.10.
//
// A tile wider than its lanes' columns is computed strip by strip; the last column of a strip is in the tile's own
// column line, which the next strip reads, and writes again behind that. Rows are padded at the top of the matrix, so
// tiles are cut in padded rows, and each has whole row-steps but for the last.
//
// Work-groups take units from a counter. Without directions a unit is a tile of the diagonal; with them it is a pair,
// whose walk (path_walk.cl) is at most in one tile, and each pair of a launch has room for the directions of a tile.
//
// Directions of a tile: strip by strip, moment by moment, a word a row for every 16 columns: what the lanes compute at
// the same moment lies side by side, lane l being l row-steps behind the first. With four rows a step these are stored
// as one: NVIDIA's compiler makes four partial stores of a vstore4().
//
// Parameters: WW_COLS (at most 16), WW_ROWS, WW_WG (a multiple of the group's width), WW_EXCHANGE. Local memory: a few
// words a group; with WW_EXCHANGE 0 2*WW_ROWS*WW_WG values and one barrier a step.
#ifndef WW_WG
#define WW_WG 32
#endif
#if WW_COLS > 32
#error "directions of a row of a lane are in two words"
#endif
__kernel WW_EXCHANGE_KERNEL __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_path_lanes(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
              __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
              __global const uint *restrict x_order, __global const uint *restrict y_order,
              __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
              const ww_path_args path, __global ww_path_pair *pairs, __global ww_scalar *edges,
              __global uint *directions, __global uint *steps, __global uint *restrict counter) {
    const uint lid = (uint)get_local_id(0);
    const uint width = args.group_width, lane = lid & (width - 1), group = lid / width;
    const uint groups = WW_WG / width;
    __local uint taken, most_strips, most_steps;
#if WW_EXCHANGE == 0
    __local ww_scalar passed[2][WW_ROWS * WW_WG];
#endif
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            taken = atomic_add(counter, groups);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (taken >= path.units)
            return;
        const uint unit = min(taken + group, path.units - 1);
        const bool mine = taken + group < path.units;
        const uint slot = WW_WALKS ? unit : unit / path.each;
        const uint task = args.row_begin + slot;
        __global ww_path_pair *pair = pairs + slot;
        const ww_series x = ww_series_load(x_values, x_series, WW_TASK_X(task), args.channel);
        const ww_series y = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);
        const uint padding = (uint)WW_PADDING(x.length), padded = x.length + padding;
#if WW_WALKS
        __global uint *own_directions = directions + (ulong)(unit - path.first) * path.direction_words;
        const ulong edge_base = path.whole ? (ulong)(unit - path.first) * path.edge_values : pair->edges;
#else
        const ulong edge_base = pair->edges;
#endif
        const ww_path_matrix t = ww_path_matrix_of(x.length, y.length, padding, path, edges + edge_base);
        const uint tile_height = path.whole ? padded : path.rows, tile_width = path.whole ? y.length : path.columns;
#if WW_BAND
        const ww_pair_band limits = WW_BAND_OF(x, y);
#endif
        ww_pair lengths;
        lengths.rows = (real)x.length;
        lengths.columns = (real)y.length;
        WW_SET_PAIR(lengths)
#if WW_WALKS
        // The tile that the walk is in.
        if (lane == 0 && mine && pair->state == WW_WALK_NEW && !path.whole)
            WW_PATH_FIND_END(t, x, y)
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        const uint walk_i = path.whole ? x.length : pair->i, walk_j = path.whole ? y.length : pair->j;
        const bool active = mine && (path.whole || pair->state != WW_WALK_DONE) && walk_i && walk_j;
        const uint row_last = walk_i ? walk_i - 1 : 0, column_last = walk_j ? walk_j - 1 : 0;
        const uint tile_row = (row_last + padding) / tile_height, tile_column = column_last / tile_width;
        const uint row_first = tile_row * tile_height, column_first = tile_column * tile_width;
        const uint row_end = (row_last + padding) / WW_ROWS * WW_ROWS + WW_ROWS, column_end = column_last + 1;
#else
        const uint k = unit - slot * path.each;
        const uint first_row = path.diagonal < t.tile_columns ? 0 : path.diagonal - t.tile_columns + 1;
        const uint tile_row = first_row + k, tile_column = path.diagonal - min(tile_row, path.diagonal);
        const bool active = mine && tile_row < t.tile_rows && tile_row <= path.diagonal;
        const uint row_first = tile_row * tile_height, column_first = tile_column * tile_width;
        const uint row_end = min(row_first + tile_height, padded);
        const uint column_end = min(column_first + tile_width, y.length);
#endif
        if (lid == 0)
            most_strips = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint strip_columns = width * WW_COLS;
        const uint strips = active ? (column_end - column_first + strip_columns - 1) / strip_columns : 0;
        if (lane == 0)
            atomic_max(&most_strips, strips);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint all_strips = most_strips;
#if WW_WALKS
        const uint moments = (tile_height + WW_ROWS - 1) / WW_ROWS + width - 1;
#endif
        __global ww_scalar *row_line = ww_row_line(t, active ? tile_row : 0);
        __global const ww_scalar *top_line = ww_row_line(t, active && tile_row ? tile_row - 1 : 0);
        __global ww_scalar *column_line = ww_column_line(t, active ? tile_column : 0);
        __global const ww_scalar *left_line = ww_column_line(t, active && tile_column ? tile_column - 1 : 0);
        for (uint strip = 0; strip < all_strips; strip++) {
            const uint strip_first = column_first + strip * strip_columns;
            const uint first_column = min(strip_first + lane * WW_COLS, 0x7fffffffu - WW_COLS);
            uint from = row_first / WW_ROWS, to = active && strip < strips ? row_end / WW_ROWS : from;
#if WW_BAND
            // Rows whose intervals touch the strip.
            if (from < to) {
                from = max(from, (ww_band_top(limits, strip_first) + padding) / WW_ROWS);
                const uint strip_end = min(strip_first + strip_columns, y.length);
                to = min(to, (ww_band_bottom(limits, strip_end) + padding + WW_ROWS - 1) / WW_ROWS);
                if (strip_first == 0 && tile_row == 0)
                    from = 0;
            }
#endif
            const uint own_steps = to > from ? to - from : 0;
            const uint own_columns = column_end - min(first_column, column_end);
            __global ww_scalar *own_row_line = row_line + first_column;
            // The strip before has written its last column.
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (lid == 0)
                most_steps = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane == 0)
                atomic_max(&most_steps, own_steps);
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint total = most_steps ? most_steps + width - 1 : 0;
            __global const ww_scalar *before_line = strip ? column_line : left_line;
            const bool at_border = first_column == 0, from_line = lane == 0 && !at_border && own_steps;
            const bool at_top = from * WW_ROWS == row_first;
            ww_block w;
            w.n = x.length;
            w.m = y.length;
            w.lengths = lengths;
            w.first_column = (int)first_column;
            w.i = (int)(from * WW_ROWS) - (int)padding;
            ww_point a[WW_ROWS];
            real ahead[WW_ROWS];
            if (WW_NEEDS_LAST)
                w.last = ww_row_point(x, w.i - 1);
            w.previous = WW_BORDER;
            ww_load_columns(&w, args, y);
            ww_load_beside(&w, args, y);
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++) {
                a[q] = ww_row_point(x, w.i + q);
                w.l[q] = WW_BORDER;
                w.v[q] = WW_BORDER;
                ahead[q] = WW_OUTSIDE;
            }
            // What is above the strip: the matrix's border, the line of the tiles above, or what is outside the band.
            const bool has_above = row_first != 0 || !at_top;
            if (!has_above) {
                ww_load_top(&w, args, y, true);
            } else {
#pragma unroll
                for (uint r = 0; r < WW_COLS; r++) {
                    const uint j = first_column + r;
                    const bool known = at_top && own_steps && j < y.length;
                    w.c[r] = known && WW_PATH_INSIDE(limits, (uint)(w.i - 1), j) ? top_line[j] : WW_OUTSIDE;
                }
                if (own_steps && w.i > 0) {
                    const uint j = first_column - 1;
                    if (at_border)
                        w.previous = ww_border_left(WW_ROW_AT(x, (uint)w.i - 1), (real)(w.i - 1), lengths);
                    else if (first_column > y.length || !WW_PATH_INSIDE(limits, (uint)(w.i - 1), j))
                        w.previous = WW_OUTSIDE;
                    else
                        w.previous = at_top ? top_line[j] : lane == 0 ? before_line[w.i - 1 + (int)padding] : WW_OUTSIDE;
                }
            }
            if (from_line) {
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    ahead[q] = before_line[w.i + q + (int)padding];
            }
            ww_fill_diagonals(&w, args, WW_ROWS, (real)(w.i - w.first_column));
#if WW_WALKS
            __global uint *to_directions =
                own_directions + (((ulong)strip * moments + (from - row_first / WW_ROWS)) * width * WW_NOTE_WORDS + lane) * WW_ROWS;
#endif

            for (uint k = 0; k < total; k++) {
                const bool now = k >= lane && k - lane < own_steps;
                if (now) {
                    const int row = w.i + (int)padding;
                    if (from_line) {
#pragma unroll
                        for (int q = 0; q < WW_ROWS; q++) {
                            const bool inside = WW_PATH_INSIDE(limits, (uint)max(w.i + q, 0), strip_first - 1);
                            w.l[q] = inside ? ahead[q] : WW_OUTSIDE;
                        }
#pragma unroll
                        for (int q = 0; q < WW_ROWS; q++)
                            ahead[q] = before_line[min((uint)(row + WW_ROWS + q), padded - 1)];
                    }
                    ww_load_rows(&w, args, a);
                    ww_edge(&w, args, at_border, true, has_above || k != lane);
#if WW_BAND
                    ww_find_inside(&w, limits);
#endif
#pragma unroll
                    for (int q = 0; q < WW_ROWS; q++)
                        a[q] = WW_POINT(x, (uint)min(w.i + WW_ROWS + q, (int)x.length - 1));
#if WW_WALKS
#pragma unroll
                    for (int q = 0; q < WW_NOTE_WORDS * WW_ROWS; q++)
                        w.noted[q] = 0;
#endif
                    ww_sweep(&w, args);
#if WW_WALKS
                    __global uint *to = to_directions + (ulong)k * (width * WW_NOTE_WORDS * WW_ROWS);
#pragma unroll
                    for (int word = 0; word < WW_NOTE_WORDS; word++, to += width * WW_ROWS) {
                        const uint *noted = w.noted + word * WW_ROWS;
#if WW_ROWS == 4
                        *(__global uint4 *)to = (uint4)(noted[0], noted[1], noted[2], noted[3]);
#else
#pragma unroll
                        for (int q = 0; q < WW_ROWS; q++)
                            to[q] = noted[q];
#endif
                    }
#endif
                    if (lane == width - 1) {
#pragma unroll
                        for (int q = 0; q < WW_ROWS; q++)
                            column_line[row + q] = w.v[q];
                    }
                    if ((from + k - lane + 1) * WW_ROWS == min(row_first + tile_height, padded)) {
#pragma unroll
                        for (uint r = 0; r < WW_COLS; r++)
                            if (r < own_columns)
                                own_row_line[r] = w.c[r];
                    }
                    w.i += WW_ROWS;
                }
                w.previous = k >= lane ? w.l[WW_ROWS - 1] : w.previous;
#if WW_EXCHANGE == 0
                __local ww_scalar *edge = passed[k & 1];
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    edge[q * WW_WG + lid] = w.v[q];
                barrier(CLK_LOCAL_MEM_FENCE);
                const uint neighbour = (lid & ~(width - 1)) | ((lane - 1) & (width - 1));
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    w.l[q] = edge[q * WW_WG + neighbour];
#else
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    w.l[q] = ww_exchange_up(w.v[q], width);
#endif
            }
        }
#if WW_WALKS
        // The walk begins at the end of what was computed.
        if (path.whole) {
            barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
            if (lane == 0 && mine)
                WW_PATH_FIND_END(t, x, y)
        }
#endif
    }
}
