// SPDX-License-Identifier: Apache-2.0
// Warping paths, WW_VECTOR tiles in one work-item, a tile a vector lane: for CPUs. Without directions the lanes have
// tiles of one diagonal, of one pair or of several; with them each lane has a pair, and walks alone. path.cl says what
// is kept between tiles. No padding rows, no local memory, no barrier.
//
// A tile's rows are computed by blocks of WW_ROWS (engine/packed_block.cl), whose last row is kept in `row`. The points of the
// lanes' rows and columns, the row above their tiles and the column to the left are brought together first; after that only
// the band and the ends of the series differ between lanes. A block of rows ends where a lane's tile does, so that `row` then
// has the tile's last row. Directions: a word of 16 bits a column and lane for a block of rows.
//
// Scratch of a work-item, in vectors: points of rows and columns (two more each, before the first), `row`, the left and
// the right column; behind that, path.rows words that say where a row's directions are.
#if WW_ROWS > 8
#error "directions of a block are in 16 bits"
#endif

// The tiles of the lanes while they are computed.
typedef struct {
    __global ww_scalar *xs, *ys, *row, *left_edge, *right_edge;
    real time_x, time_y;       // of the first row and column
    real top_left;             // the value above the first row and left of the first column
    ww_mask at_top, at_left;   // whether the tile is at the matrix's border
    ww_ints column_counts;
    uint tallest, widest, narrowest;
    uint reached;              // with a band: the first column of `row` that is valid
    __global uint *places;     // with directions: the block and the row in it, of each row
    __global ushort *noted;
    uint block, columns;       // of the directions
} ww_path_tiles;

// What each lane has of its own.
typedef struct {
    ww_series x[WW_VECTOR], y[WW_VECTOR];
    ww_path_matrix matrices[WW_VECTOR];
    uint slots[WW_VECTOR], tile_row[WW_VECTOR], tile_column[WW_VECTOR];
    uint first_i[WW_VECTOR], first_j[WW_VECTOR], height[WW_VECTOR], columns[WW_VECTOR];
    bool active[WW_VECTOR];
    ww_pair_band limits[WW_VECTOR];
} ww_path_each;

// Elements of the tiles' rows and columns, or with `back` 1 of the row or column before.
WW_INLINE ww_row ww_path_row(const ww_path_tiles *t, uint i, const uint back, ww_parameters given) {
    __global const ww_scalar *before = t->xs + (1 - back) * WW_PARTS * WW_VECTOR;
    const ww_point own = ww_packed_point(before + WW_PARTS * WW_VECTOR, i);
    return ww_row_make(own, WW_BEFORE ? ww_packed_point(before, i) : own, t->time_x + (real)(ww_scalar)((int)i - (int)back));
}
WW_INLINE ww_column ww_path_column(const ww_path_tiles *t, uint j, const uint back, ww_parameters given) {
    __global const ww_scalar *before = t->ys + (1 - back) * WW_PARTS * WW_VECTOR;
    const ww_point own = ww_packed_point(before + WW_PARTS * WW_VECTOR, j);
    return ww_column_make(own, WW_BEFORE ? ww_packed_point(before, j) : own, t->time_y + (real)(ww_scalar)((int)j - (int)back));
}
WW_INLINE ww_mask ww_path_when(bool condition) {
    return (ww_mask)(condition ? -1 : 0);
}

WW_INLINE void ww_path_step(ww_path_tiles *t, ww_block *b, const ww_block_rows *x, const int rows, const bool masked, uint j,
                            ww_pair lengths, ww_parameters given) {
    const ww_column y = ww_path_column(t, j, 0, given);
    const real top = WW_VLOAD(j, t->row);
    const real last = ww_block_column(b, x, rows, masked, y, top, j, lengths, given);
    b->corner = top;
    if (WW_CARRY)
        b->corner = (t->at_top & ww_path_when(b->i == 0)) ? top : ww_block_corner(b, x, y, top, j, lengths, given);
#if WW_WALKS
    WW_PASTE(vstore, WW_VECTOR)
    (WW_PASTE(convert_ushort, WW_VECTOR)(b->noted), (ulong)t->block * t->columns + j, t->noted);
#endif
    WW_VSTORE(last, j, t->row);
}
// The same where a lane may end: then `right` is its last column.
WW_INLINE void ww_path_edge(ww_path_tiles *t, ww_block *b, const ww_block_rows *x, real *right, const int rows, uint j,
                            ww_pair lengths, ww_parameters given) {
    const ww_mask ends_here = WW_TO_MASK(t->column_counts == (int)j + 1);
    ww_path_step(t, b, x, rows, WW_BAND, j, lengths, given);
    WW_BLOCK_ROWS(q, rows)
        right[q] = ends_here ? b->c[q] : right[q];
}

#if WW_BAND
// The rows' intervals, lane by lane, in columns of the tile.
WW_INLINE void ww_path_band(ww_path_tiles *t, const ww_path_each *lanes, ww_block *b, ww_block_rows *x,
                            ww_block_columns *at, const int rows) {
    at->from = 0x7fffffff;
    at->to = 0;
#pragma unroll 1
    for (int q = 0; q < rows; q++) {
        int lo[WW_VECTOR], hi[WW_VECTOR];
        for (int v = 0; v < WW_VECTOR; v++) {
            const int first = (int)lanes->first_j[v], most = (int)lanes->columns[v];
            const uint i = lanes->first_i[v] + (uint)min(b->i + q, (int)lanes->height[v] - 1);
            lo[v] = clamp((int)ww_band_lo(lanes->limits[v], i) - first, 0, most);
            hi[v] = clamp((int)ww_band_hi(lanes->limits[v], i) - first, 0, most);
        }
        ww_block_limit(x, at, q, lo, hi);
    }
    at->from = min(at->from, at->to);
    at->calm_begin = min(at->calm_begin, at->to);
    if (at->from > 0) {
        b->corner = at->from > t->reached || b->i == 0 ? WW_VLOAD(at->from - 1, t->row) : WW_OUTSIDE;
        WW_BLOCK_ROWS(q, rows)
            b->c[q] = WW_OUTSIDE;
    }
    t->reached = at->from;
}
#endif

// A block of `rows` rows from row i on.
WW_INLINE void ww_path_block(ww_path_tiles *t, const ww_path_each *lanes, int i, const int rows, ww_pair lengths,
                             ww_parameters given) {
    ww_block b;
    ww_block_rows x;
    real right[WW_ROWS];
    b.i = i;
    b.shift = t->time_x - t->time_y;
    for (int q = 0; q < rows; q++)
        x.a[q] = ww_path_row(t, (uint)(i + q), 0, given);
    WW_BLOCK_ROWS(q, rows) {
        b.c[q] = WW_VLOAD(i + q, t->left_edge);
        right[q] = WW_OUTSIDE;
    }
    x.above = ww_path_row(t, (uint)i, 1, given);
    b.corner = i ? WW_VLOAD(i - 1, t->left_edge) : t->top_left;
    ww_block_columns at = {0, t->widest, 0, t->narrowest - 1};
#if WW_BAND
    ww_path_band(t, lanes, &b, &x, &at, rows);
#endif
    ww_block_begin(&b, rows, at.from, lengths, given);
    // What goes on along the diagonal; at the matrix's border values go on as they are.
    if (WW_CARRY) {
        const ww_column beside = ww_path_column(t, at.from, 1, given);
        const real carried = ww_block_corner(&b, &x, beside, b.corner, at.from - 1, lengths, given);
        const ww_mask border = (t->at_top & ww_path_when(i == 0)) | (t->at_left & ww_path_when(at.from == 0));
        b.corner = border ? b.corner : carried;
        WW_BLOCK_ROWS(q, rows)
            b.g[q] = ww_carry(b.c[q], x.a[q], beside, WW_LAG(ww_block_lag(&b, q + 1, at.from)));
    }
    uint j = at.from;
    for (; j < at.calm_begin; j++)
        ww_path_edge(t, &b, &x, right, rows, j, lengths, given);
    for (; j < at.calm_end; j++)
        ww_path_step(t, &b, &x, rows, false, j, lengths, given);
    for (; j < at.to; j++)
        ww_path_edge(t, &b, &x, right, rows, j, lengths, given);
    // What is above the next rows, beyond what these have.
    if (WW_BAND && i == 0)
        for (j = at.to; j < t->widest; j++)
            WW_VSTORE(WW_OUTSIDE, j, t->row);
    WW_BLOCK_ROWS(q, rows) {
        WW_VSTORE(right[q], i + q, t->right_edge);
        if (WW_WALKS)
            t->places[i + q] = t->block * 8 + (uint)q;
    }
    t->block++;
}

// The points of a lane's rows or columns: `count` from `first` on, and two before them.
WW_INLINE void ww_gather(__global ww_scalar *to, ww_series s, uint first, uint count, uint v) {
    for (uint c = 0; c < WW_PARTS; c++) {
        __global const ww_scalar *source = c < WW_CHANNELS ? s.at + (ulong)c * s.length : s.extra;
        for (uint t = 0; t < count + 2; t++)
            to[((ulong)t * WW_PARTS + c) * WW_VECTOR + v] = source[min(max(first + t, 2u) - 2, s.length - 1)];
    }
}

// Brings points and lines of a lane's tile; gives the value above its first row and left of its first column.
WW_INLINE ww_scalar ww_path_gather(const ww_path_tiles *t, const ww_path_each *lanes, uint v) {
    const uint first_i = lanes->first_i[v], first_j = lanes->first_j[v], n = lanes->x[v].length, m = lanes->y[v].length;
    ww_gather(t->xs, lanes->x[v], first_i, t->tallest, v);
    ww_gather(t->ys, lanes->y[v], first_j, t->widest, v);
    __global const ww_scalar *line = ww_row_line(lanes->matrices[v], first_i ? lanes->tile_row[v] - 1 : 0);
    for (uint j = 0; j < t->widest; j++) {
        const uint at = first_j + j;
        t->row[(ulong)j * WW_VECTOR + v] =
            first_i && at < m && ww_path_inside(lanes->limits[v], first_i - 1, at) ? line[at] : WW_OUTSIDE_VALUE;
    }
    const ww_scalar corner = first_i && first_j && ww_path_inside(lanes->limits[v], first_i - 1, first_j - 1)
                                 ? line[first_j - 1]
                                 : WW_OUTSIDE_VALUE;
    line = ww_column_line(lanes->matrices[v], first_j ? lanes->tile_column[v] - 1 : 0);
    for (uint i = 0; i < t->tallest; i++) {
        const uint at = first_i + i;
        t->left_edge[(ulong)i * WW_VECTOR + v] =
            first_j && at < n && ww_path_inside(lanes->limits[v], at, first_j - 1) ? line[at] : WW_OUTSIDE_VALUE;
    }
    return corner;
}
// The matrix's border, where a tile is at it.
WW_INLINE void ww_path_border(ww_path_tiles *t, real lines_corner, ww_pair lengths, ww_parameters given) {
    for (uint j = 0; j < t->widest; j++) {
        const ww_point point = ww_packed_point(t->ys + 2 * WW_PARTS * WW_VECTOR, j);
        const real border = ww_border_top(point, t->time_y + (real)(ww_scalar)j, lengths);
        WW_VSTORE(t->at_top ? border : WW_VLOAD(j, t->row), j, t->row);
    }
    for (uint i = 0; i < t->tallest; i++) {
        const real border = ww_border_left(ww_path_row(t, i, 0, given), t->time_x + (real)(ww_scalar)i, lengths);
        WW_VSTORE(t->at_left ? border : WW_VLOAD(i, t->left_edge), i, t->left_edge);
    }
    const real above = ww_border_left(ww_path_row(t, 0, 1, given), t->time_x + (real)(ww_scalar)-1, lengths);
    const real before = ww_border_top(ww_packed_point(t->ys, 1), t->time_y + (real)(ww_scalar)-1, lengths);
    t->top_left = t->at_top ? (t->at_left ? (real)0 : before) : t->at_left ? above : lines_corner;
}

// The matrix of lane v, whether it has work, and without directions the tile on the launch's diagonal.
WW_INLINE void ww_path_set_lane(ww_path_each *lanes, __global ww_path_pair *pairs, __global ww_scalar *edges,
                                ww_path_args path, uint first_unit, ulong own_edges, uint v) {
    const uint unit = min(first_unit + v, path.units - 1), slot = lanes->slots[v];
    __global ww_scalar *lines = edges + (WW_WALKS && path.whole ? own_edges : pairs[slot].edges);
    const ww_path_matrix matrix = ww_path_matrix_of(lanes->x[v].length, lanes->y[v].length, 0, path, lines);
    lanes->matrices[v] = matrix;
    lanes->active[v] = first_unit + v < path.units;
    if (WW_WALKS) {
        lanes->active[v] = lanes->active[v] && pairs[unit].state != WW_WALK_DONE;
        return;
    }
    const uint skipped = path.diagonal < matrix.tile_columns ? 0 : path.diagonal - matrix.tile_columns + 1;
    const uint row = unit - slot * path.each + skipped;
    lanes->tile_row[v] = row;
    lanes->tile_column[v] = path.diagonal - min(row, path.diagonal);
    lanes->active[v] = lanes->active[v] && row < matrix.tile_rows && row <= path.diagonal;
}

// The tile of lane v, from its first cell, from 0, on: the one that its walk is in, or that of the launch's diagonal. A lane
// without a tile has a cell of its matrix.
WW_INLINE void ww_path_choose(ww_path_each *lanes, __global ww_path_pair *pairs, ww_path_args path, uint v) {
    const uint n = lanes->x[v].length, m = lanes->y[v].length;
    lanes->first_i[v] = lanes->first_j[v] = 0;
    lanes->height[v] = lanes->columns[v] = 1;
#if WW_WALKS
    __global ww_path_pair *pair = pairs + lanes->slots[v];
    lanes->active[v] = lanes->active[v] && pair->state != WW_WALK_DONE;
    if (!lanes->active[v])
        return;
    const bool begins = pair->state == WW_WALK_NEW;
    const uint i = max(begins ? n : pair->i, 1u), j = max(begins ? m : pair->j, 1u);
    const uint high = path.whole ? n : path.rows, wide = path.whole ? m : path.columns;
    lanes->tile_row[v] = (i - 1) / high;
    lanes->tile_column[v] = (j - 1) / wide;
    lanes->first_i[v] = lanes->tile_row[v] * high;
    lanes->first_j[v] = lanes->tile_column[v] * wide;
    lanes->height[v] = i - lanes->first_i[v];
    lanes->columns[v] = j - lanes->first_j[v];
#else
    if (!lanes->active[v])
        return;
    lanes->first_i[v] = lanes->tile_row[v] * path.rows;
    lanes->first_j[v] = lanes->tile_column[v] * path.columns;
    lanes->height[v] = min(path.rows, n - lanes->first_i[v]);
    lanes->columns[v] = min(path.columns, m - lanes->first_j[v]);
#if WW_BAND
    const uint first_j = lanes->first_j[v], end_j = min(first_j + lanes->columns[v], m);
    if (ww_band_top(lanes->limits[v], first_j) >= lanes->first_i[v] + lanes->height[v] ||
        ww_band_bottom(lanes->limits[v], end_j) <= lanes->first_i[v]) {
        lanes->active[v] = false;  // no cell of the band
        lanes->first_i[v] = lanes->first_j[v] = 0;
        lanes->height[v] = lanes->columns[v] = 1;
    }
#endif
#endif
}
// All lanes' tiles; false where no lane has one.
WW_INLINE bool ww_path_set_tiles(ww_path_tiles *t, ww_path_each *lanes, __global ww_path_pair *pairs, ww_path_args path,
                                 ww_pair lengths, ww_parameters given) {
    bool any = false;
    int columns[WW_VECTOR];
    ww_scalar x[WW_VECTOR], y[WW_VECTOR], corner[WW_VECTOR];
    t->tallest = t->widest = 0;
    t->narrowest = 0x7fffffff;
    t->reached = t->block = 0;
    for (uint v = 0; v < WW_VECTOR; v++) {
        ww_path_choose(lanes, pairs, path, v);
        any = any || lanes->active[v];
        t->tallest = max(t->tallest, lanes->height[v]);
        t->widest = max(t->widest, lanes->columns[v]);
        t->narrowest = min(t->narrowest, lanes->columns[v]);
        columns[v] = (int)lanes->columns[v];
        x[v] = (ww_scalar)lanes->first_i[v];
        y[v] = (ww_scalar)lanes->first_j[v];
    }
    if (!any)
        return false;
    t->column_counts = WW_PASTE(vload, WW_VECTOR)(0, columns);
    t->time_x = WW_VLOAD(0, x);
    t->time_y = WW_VLOAD(0, y);
    t->at_top = t->time_x == (real)0;
    t->at_left = t->time_y == (real)0;
    for (uint v = 0; v < WW_VECTOR; v++)
        corner[v] = ww_path_gather(t, lanes, v);
    ww_path_border(t, WW_VLOAD(0, corner), lengths, given);
    return true;
}
// The lines that a lane's tile leaves to the tiles after it.
WW_INLINE void ww_path_leave(const ww_path_tiles *t, const ww_path_each *lanes, uint v) {
    __global ww_scalar *line = ww_row_line(lanes->matrices[v], lanes->tile_row[v]) + lanes->first_j[v];
    for (uint j = 0; j < lanes->columns[v]; j++)
        line[j] = t->row[(ulong)j * WW_VECTOR + v];
    line = ww_column_line(lanes->matrices[v], lanes->tile_column[v]) + lanes->first_i[v];
    for (uint i = 0; i < lanes->height[v]; i++)
        line[i] = t->right_edge[(ulong)i * WW_VECTOR + v];
}

#if WW_WALKS
WW_INLINE ww_scalar ww_lane_of(real values, uint v) {
    ww_scalar each[WW_VECTOR];
    WW_VSTORE(values, 0, each);
    return each[v];
}
// The walk of lane v begins. D(0,m) and D(n,0) depend on the time alone where open ends may take them.
WW_INLINE void ww_path_find_end(const ww_path_tiles *t, const ww_path_each *lanes, __global ww_path_pair *pairs,
                                __global const uint *x_order, __global ww_scalar *out, ww_launch_args args, uint v,
                                ww_pair lengths, ww_parameters given) {
    const uint task = args.row_begin + lanes->slots[v];
    const ww_point any = ww_packed_point(t->ys, 0), last_point = ww_packed_point(t->xs, 0);
    const real top = ww_border_top(any, lengths.columns - 1, lengths);
    const real left = ww_border_left(ww_row_make(last_point, last_point, (real)0), lengths.rows - 1, lengths);
    out[WW_TASK_RESULT(task)] = ww_path_begin_walk(pairs + lanes->slots[v], lanes->matrices[v], lanes->limits[v],
                                                   ww_lane_of(top, v), ww_lane_of(left, v), args);
}

// Walks from the pair's cell until it leaves the lane's tile, or is done.
WW_INLINE void ww_path_go_back(const ww_path_tiles *t, const ww_path_each *lanes, __global ww_path_pair *pairs,
                            __global uint *all_steps, ww_launch_args args, uint v) {
    __global ww_path_pair *pair = pairs + lanes->slots[v];
    ww_path_steps own = ww_path_steps_of(all_steps + pair->steps, pair->count);
    const uint first_i = lanes->first_i[v], first_j = lanes->first_j[v];
    uint i = pair->i, j = pair->j;
    bool done = false;
    for (;;) {
        uint step = 0;
        done = ww_path_is_begin(i, j, args);
        if (done || (i && j && (i <= first_i || j <= first_j)))
            break;
        if (i == 0)
            step = 3;
        else if (j == 0)
            step = 1;
        else {
            const uint place = t->places[i - 1 - first_i];
            const ulong at = (ulong)(place >> 3) * t->columns + (j - 1 - first_j);
            step = (uint)t->noted[at * WW_VECTOR + v] >> (2 * (place & 7)) & 3;
            step = ww_path_stay(lanes->limits[v], step & 1 ? step : 0, i, j);
        }
        ww_push_step(&own, step);
        i -= step != 3;
        j -= step != 1;
    }
    ww_path_leave_walk(pair, &own, i, j, done);
}
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_path_packed(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
               __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
               __global const uint *restrict x_order, __global const uint *restrict y_order,
               __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
               const ww_path_args path, __global ww_path_pair *pairs, __global ww_scalar *edges,
               __global uint *directions, __global uint *steps, __global uint *restrict counter,
               __global ww_scalar *scratch) {
    const uint worker = (uint)get_group_id(0);
    const ww_parameters given = WW_PARAMETERS_OF(args);
    ww_path_tiles t;
    t.xs = scratch + (ulong)worker * args.scratch * WW_VECTOR;
    t.ys = t.xs + ((ulong)path.rows + 2) * WW_PARTS * WW_VECTOR;
    t.row = t.ys + ((ulong)path.columns + 2) * WW_PARTS * WW_VECTOR;
    t.left_edge = t.row + (ulong)path.columns * WW_VECTOR;
    t.right_edge = t.left_edge + (ulong)path.rows * WW_VECTOR;
    t.places = directions + (ulong)worker * path.direction_words;
    t.noted = (__global ushort *)(t.places + path.rows);
    t.columns = path.columns;
    const bool leaves = WW_WALKS ? path.whole != 0 : true;  // lines for other tiles, or for the end of a path
    for (uint first_unit; (first_unit = atomic_add(counter, (uint)WW_VECTOR)) < path.units;) {
        ww_path_each lanes;
        int lane_n[WW_VECTOR], lane_m[WW_VECTOR];
        for (uint v = 0; v < WW_VECTOR; v++) {
            const uint unit = min(first_unit + v, path.units - 1), slot = WW_WALKS ? unit : unit / path.each;
            const uint task = args.row_begin + slot;
            const ww_series x = ww_series_load(x_values, x_series, WW_TASK_X(task), args.channel);
            const ww_series y = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);
            lanes.slots[v] = slot;
            lanes.x[v] = x;
            lanes.y[v] = y;
            lane_n[v] = (int)x.length;
            lane_m[v] = (int)y.length;
            lanes.limits[v] = WW_BAND_OF(x, y);
            const ulong own_edges = ((ulong)worker * WW_VECTOR + v) * path.edge_values;
            ww_path_set_lane(&lanes, pairs, edges, path, first_unit, own_edges, v);
        }
        ww_pair lengths;
        lengths.rows = WW_TO_REAL(WW_PASTE(vload, WW_VECTOR)(0, lane_n));
        lengths.columns = WW_TO_REAL(WW_PASTE(vload, WW_VECTOR)(0, lane_m));
        WW_SET_PAIR(lengths)
#if WW_WALKS
        if (!path.whole)
            for (uint v = 0; v < WW_VECTOR; v++)
                if (lanes.active[v] && pairs[lanes.slots[v]].state == WW_WALK_NEW)
                    ww_path_find_end(&t, &lanes, pairs, x_order, out, args, v, lengths, given);
#endif
        for (uint turn = 0; turn < (WW_WALKS ? path.turns : 1); turn++) {
            if (!ww_path_set_tiles(&t, &lanes, pairs, path, lengths, given))
                break;
            int i = 0;
            while (i < (int)t.tallest) {
                // The next end of a tile.
                int stop = (int)t.tallest;
                for (uint v = 0; v < WW_VECTOR; v++)
                    stop = (int)lanes.height[v] > i ? min(stop, (int)lanes.height[v]) : stop;
                for (; i + WW_ROWS <= stop; i += WW_ROWS)
                    ww_path_block(&t, &lanes, i, WW_ROWS, lengths, given);
                if (WW_ROWS > 1)
                    for (; i < stop; i++)
                        ww_path_block(&t, &lanes, i, 1, lengths, given);
                for (uint v = 0; v < WW_VECTOR; v++)
                    if ((int)lanes.height[v] == i && lanes.active[v] && leaves)
                        ww_path_leave(&t, &lanes, v);
            }
#if WW_WALKS
            for (uint v = 0; v < WW_VECTOR; v++) {
                if (!lanes.active[v])
                    continue;
                if (pairs[lanes.slots[v]].state == WW_WALK_NEW)
                    ww_path_find_end(&t, &lanes, pairs, x_order, out, args, v, lengths, given);
                ww_path_go_back(&t, &lanes, pairs, steps, args, v);
            }
#endif
        }
    }
}
