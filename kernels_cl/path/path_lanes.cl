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
// whose walk (path_walk.cl) is at most in one tile, and each pair of a launch has memory for the directions of a tile.
//
// Directions of a tile: strip by strip, step by step, a word a row for every 16 columns: what the lanes compute at
// the same step lies side by side, lane l being l row-steps behind the first. With four rows a step these are stored
// as one: NVIDIA's compiler makes four partial stores of a vstore4().
//
// Parameters: WW_COLS (at most 16), WW_ROWS, WW_WG (a multiple of the group's width), WW_EXCHANGE. Local memory: a few
// words a group; with WW_EXCHANGE 0 2*WW_ROWS*WW_WG values and one barrier a step.
#if WW_COLS > 32
#error "directions of a row of a lane are in two words"
#endif

// The tile of a matrix that is computed: rows, the padding counted, and columns.
typedef struct {
    ww_path_matrix matrix;
    uint row, column;    // which tile
    uint height, width;  // of every tile
    uint row_first, row_end, column_first, column_end;
    bool wanted;
    __global const ww_scalar *top_line, *left_line;  // of the tiles before
    __global ww_scalar *row_line, *column_line;     // what it leaves
} ww_path_tile;
WW_INLINE ww_path_tile ww_path_any_tile(ww_path_matrix t, ww_path_args path) {
    ww_path_tile tile;
    tile.matrix = t;
    tile.height = path.whole ? t.n + t.padding : path.rows;
    tile.width = path.whole ? t.m : path.columns;
    return tile;
}
// The one that a walk at (i, j) is in, up to that cell.
WW_INLINE ww_path_tile ww_path_tile_of_walk(ww_path_matrix t, ww_path_args path, uint i, uint j) {
    ww_path_tile tile = ww_path_any_tile(t, path);
    const uint row_last = i ? i - 1 : 0, column_last = j ? j - 1 : 0;
    tile.row = (row_last + t.padding) / tile.height;
    tile.column = column_last / tile.width;
    tile.row_first = tile.row * tile.height;
    tile.column_first = tile.column * tile.width;
    tile.row_end = (row_last + t.padding) / WW_ROWS * WW_ROWS + WW_ROWS;
    tile.column_end = column_last + 1;
    tile.wanted = i && j;
    return tile;
}
// Number k of those of the launch's diagonal.
WW_INLINE ww_path_tile ww_path_tile_of_diagonal(ww_path_matrix t, ww_path_args path, uint k) {
    ww_path_tile tile = ww_path_any_tile(t, path);
    tile.row = k + (path.diagonal < t.tile_columns ? 0 : path.diagonal - t.tile_columns + 1);
    tile.column = path.diagonal - min(tile.row, path.diagonal);
    tile.row_first = tile.row * tile.height;
    tile.column_first = tile.column * tile.width;
    tile.row_end = min(tile.row_first + tile.height, t.n + t.padding);
    tile.column_end = min(tile.column_first + tile.width, t.m);
    tile.wanted = tile.row < t.tile_rows && tile.row <= path.diagonal;
    return tile;
}

// What lines a tile reads and leaves; those of no tile where it is not `active`.
WW_INLINE void ww_path_set_lines(ww_path_tile *tile, bool active) {
    const uint row = active ? tile->row : 0, column = active ? tile->column : 0;
    tile->row_line = ww_row_line(tile->matrix, row);
    tile->top_line = ww_row_line(tile->matrix, row ? row - 1 : 0);
    tile->column_line = ww_column_line(tile->matrix, column);
    tile->left_line = ww_column_line(tile->matrix, column ? column - 1 : 0);
}

// A lane's columns of a strip, from w.first_column on.
typedef struct {
    uint first_column;  // of the strip
    uint from, steps;   // its row-steps
    uint columns;              // of the tile that are behind the lane's first
    bool at_border;            // of the matrix
    bool from_line;            // left of the lane is a line: that of the tile before, or of the strip before
    bool at_top, has_above;    // it begins with the tile; above it is not the matrix's border
    __global const ww_scalar *before_line;      // left of the strip
    __global const ww_scalar *top_line;         // above the tile
    __global ww_scalar *row_line, *column_line;  // what the tile leaves
} ww_path_strip;
// The row-steps of a strip: those of rows whose intervals touch it.
WW_INLINE void ww_path_set_steps(ww_path_strip *s, const ww_path_tile *tile, ww_pair_band limits, uint columns,
                                 bool any) {
    uint from = tile->row_first / WW_ROWS, to = any ? tile->row_end / WW_ROWS : from;
    if (WW_BAND && from < to) {
        const uint padding = tile->matrix.padding, end = min(s->first_column + columns, tile->matrix.m);
        from = max(from, (ww_band_top(limits, s->first_column) + padding) / WW_ROWS);
        to = min(to, (ww_band_bottom(limits, end) + padding + WW_ROWS - 1) / WW_ROWS);
        if (s->first_column == 0 && tile->row == 0)
            from = 0;
    }
    s->from = from;
    s->steps = to > from ? to - from : 0;
}
WW_INLINE ww_path_strip ww_path_strip_of(const ww_path_tile *tile, ww_pair_band limits, uint number, bool any,
                                         uint lane, uint width) {
    ww_path_strip s;
    const uint columns = width * WW_COLS;
    s.first_column = tile->column_first + number * columns;
    ww_path_set_steps(&s, tile, limits, columns, any);
    const uint first_column = min(s.first_column + lane * WW_COLS, 0x7fffffffu - WW_COLS);
    s.columns = tile->column_end - min(first_column, tile->column_end);
    s.at_border = first_column == 0;
    s.from_line = lane == 0 && !s.at_border && s.steps;
    s.at_top = s.from * WW_ROWS == tile->row_first;
    s.has_above = tile->row_first != 0 || !s.at_top;
    s.row_line = tile->row_line + first_column;
    s.top_line = tile->top_line;
    s.column_line = tile->column_line;
    s.before_line = number ? s.column_line : tile->left_line;
    return s;
}

// Above a strip that does not begin at the matrix's border: the line of the tiles above, or what is outside the band.
WW_INLINE void ww_path_load_above(ww_block *w, const ww_launch_args args, const ww_path_strip *s, uint lane,
                                  uint padding, ww_series x, ww_series y, ww_pair_band limits) {
    const uint first_column = (uint)w->first_column, i = (uint)(w->i - 1), j = first_column - 1;
#pragma unroll
    for (uint r = 0; r < WW_COLS; r++) {
        const bool known = s->at_top && s->steps && first_column + r < y.length;
        w->c[r] = known && ww_path_inside(limits, i, first_column + r) ? s->top_line[first_column + r] : WW_OUTSIDE;
    }
    if (s->steps && w->i > 0) {
        if (s->at_border)
            w->previous = ww_border_left(WW_ROW_AT(x, i), (real)(w->i - 1), w->lengths);
        else if (first_column > y.length || !ww_path_inside(limits, i, j))
            w->previous = WW_OUTSIDE;
        else
            w->previous = s->at_top ? s->top_line[j] : lane == 0 ? s->before_line[w->i - 1 + (int)padding] : WW_OUTSIDE;
    }
}
// A strip begins: a[] and ahead[] are the points, and the values of a line to the left, of the next row-step.
WW_INLINE void ww_path_begin_strip(ww_block *w, const ww_launch_args args, const ww_path_strip *s, uint lane,
                                   uint padding, ww_series x, ww_series y, ww_pair_band limits, ww_point *a,
                                   real *ahead) {
    w->first_column = (int)min(s->first_column + lane * WW_COLS, 0x7fffffffu - WW_COLS);
    w->i = (int)(s->from * WW_ROWS) - (int)padding;
    if (WW_NEEDS_LAST)
        w->last = ww_row_point(x, w->i - 1);
    w->previous = WW_BORDER;
    ww_load_columns(w, args, y);
    ww_load_beside(w, args, y);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        a[q] = ww_row_point(x, w->i + q);
        w->l[q] = WW_BORDER;
        w->v[q] = WW_BORDER;
        ahead[q] = WW_OUTSIDE;
    }
    if (!s->has_above)
        ww_load_top(w, args, y, true);
    else
        ww_path_load_above(w, args, s, lane, padding, x, y, limits);
    if (s->from_line) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            ahead[q] = s->before_line[w->i + q + (int)padding];
    }
    ww_fill_diagonals(w, args, WW_ROWS, (real)(w->i - w->first_column));
}

// The directions of a row-step.
#if WW_WALKS
WW_INLINE void ww_path_clear_directions(ww_block *w) {
#pragma unroll
    for (int q = 0; q < WW_NOTE_WORDS * WW_ROWS; q++)
        w->noted[q] = 0;
}
WW_INLINE void ww_path_store_directions(const ww_block *w, __global uint *to, uint width) {
#pragma unroll
    for (int word = 0; word < WW_NOTE_WORDS; word++, to += width * WW_ROWS) {
        const uint *noted = w->noted + word * WW_ROWS;
#if WW_ROWS == 4
        *(__global uint4 *)to = (uint4)(noted[0], noted[1], noted[2], noted[3]);
#else
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            to[q] = noted[q];
#endif
    }
}
#else
WW_INLINE void ww_path_clear_directions(ww_block *w) {}
WW_INLINE void ww_path_store_directions(const ww_block *w, __global uint *to, uint width) {}
#endif

// A lane's row-step, the group's step k. `to`: the directions of step 0. What comes after the sweep is computed there:
// before it, it would take registers.
WW_INLINE void ww_path_row_step(ww_block *w, const ww_launch_args args, const ww_path_strip *s,
                                const ww_path_tile *tile, uint lane, uint width, uint padding, ww_series x,
                                ww_pair_band limits, ww_point *a, real *ahead, uint k, __global uint *to) {
    const uint padded = x.length + padding;
    const int row = w->i + (int)padding;
    if (s->from_line) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const bool inside = ww_path_inside(limits, (uint)max(w->i + q, 0), s->first_column - 1);
            w->l[q] = inside ? ahead[q] : WW_OUTSIDE;
        }
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            ahead[q] = s->before_line[min((uint)(row + WW_ROWS + q), padded - 1)];
    }
    ww_load_rows(w, args, a);
    ww_edge(w, args, s->at_border, true, s->has_above || k != lane);
    ww_find_inside(w, limits);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        a[q] = WW_POINT(x, (uint)min(w->i + WW_ROWS + q, (int)x.length - 1));
    ww_path_clear_directions(w);
    ww_sweep(w, args);
    ww_path_store_directions(w, to + (ulong)k * (width * WW_NOTE_WORDS * WW_ROWS), width);
    if (lane == width - 1) {
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            s->column_line[row + q] = w->v[q];
    }
    if ((s->from + k - lane + 1) * WW_ROWS == min(tile->row_first + tile->height, padded)) {
#pragma unroll
        for (uint r = 0; r < WW_COLS; r++)
            if (r < s->columns)
                s->row_line[r] = w->c[r];
    }
    w->i += WW_ROWS;
}

#if WW_WALKS
// The walk of `pair` begins; returns the pair's result.
WW_INLINE ww_scalar ww_path_find_end(__global ww_path_pair *pair, ww_path_matrix t, ww_pair_band limits, ww_series x,
                                     ww_series y, ww_pair lengths, ww_launch_args args) {
    const ww_scalar top = ww_border_top(WW_POINT(y, y.length - 1), (real)(y.length - 1), lengths);
    const ww_scalar left = ww_border_left(WW_ROW_AT(x, x.length - 1), (real)(x.length - 1), lengths);
    return ww_path_begin_walk(pair, t, limits, top, left, args);
}
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
    __local uint taken, most;
    __local ww_scalar passed[WW_PASSED(WW_WG, 0)];
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            taken = atomic_add(counter, WW_WG / width);
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
        const uint padding = (uint)WW_PADDING(x.length), of_group = unit - path.first;
        const ulong edge_base = WW_WALKS && path.whole ? (ulong)of_group * path.edge_values : pair->edges;
        const ww_path_matrix t = ww_path_matrix_of(x.length, y.length, padding, path, edges + edge_base);
        const ww_pair_band limits = WW_BAND_OF(x, y);
        const ww_pair lengths = ww_pair_of(args, x.length, y.length);
#if WW_WALKS
        if (lane == 0 && mine && pair->state == WW_WALK_NEW && !path.whole)
            out[WW_TASK_RESULT(task)] = ww_path_find_end(pair, t, limits, x, y, lengths, args);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        ww_path_tile tile =
            ww_path_tile_of_walk(t, path, path.whole ? x.length : pair->i, path.whole ? y.length : pair->j);
        const bool active = mine && tile.wanted && (path.whole || pair->state != WW_WALK_DONE);
#else
        ww_path_tile tile = ww_path_tile_of_diagonal(t, path, unit - slot * path.each);
        const bool active = mine && tile.wanted;
#endif
        ww_path_set_lines(&tile, active);
        const uint strip_columns = width * WW_COLS;
        const uint strips = active ? (tile.column_end - tile.column_first + strip_columns - 1) / strip_columns : 0;
        const uint all_strips = ww_most_of_groups(&most, strips, lid, lane);
        const uint tile_steps = (tile.height + WW_ROWS - 1) / WW_ROWS + width - 1;
        __global uint *own_directions = directions + (ulong)of_group * path.direction_words;
        for (uint number = 0; number < all_strips; number++) {
            const ww_path_strip s = ww_path_strip_of(&tile, limits, number, number < strips, lane, width);
            // The strip before has written its last column.
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            const uint total = ww_steps_of_groups(&most, s.steps, lid, lane, width);
            ww_block w;
            w.n = x.length;
            w.m = y.length;
            w.lengths = lengths;
            ww_point a[WW_ROWS];
            real ahead[WW_ROWS];
            ww_path_begin_strip(&w, args, &s, lane, padding, x, y, limits, a, ahead);
            const ulong steps_before = (ulong)number * tile_steps + (s.from - tile.row_first / WW_ROWS);
            __global uint *to = own_directions + (steps_before * width * WW_NOTE_WORDS + lane) * WW_ROWS;
            for (uint k = 0; k < total; k++) {
                if (k >= lane && k - lane < s.steps)
                    ww_path_row_step(&w, args, &s, &tile, lane, width, padding, x, limits, a, ahead, k, to);
                w.previous = k >= lane ? w.l[WW_ROWS - 1] : w.previous;
                ww_pass_right(&w, 0, passed, k & 1, WW_WG, lid, lane, width, false);
            }
        }
#if WW_WALKS
        // The walk begins at the end of what was computed.
        if (path.whole) {
            barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
            if (lane == 0 && mine)
                out[WW_TASK_RESULT(task)] = ww_path_find_end(pair, t, limits, x, y, lengths, args);
        }
#endif
    }
}
