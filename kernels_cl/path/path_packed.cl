// SPDX-License-Identifier: Apache-2.0
// Warping paths, WW_VECTOR tiles in one work-item, a tile a vector lane: for CPUs. Without directions the lanes have
// tiles of one diagonal, of one pair or of several; with them each lane has a pair, and walks alone. path.cl says what
// is kept between tiles. No padding rows, no local memory, no barrier.
//
// As in engine/packed.cl, WW_ROWS rows are in registers and computed column by column, the last of them is kept in
// `row`. The points of the lanes' rows and columns, the row above their tiles and the column to the left are brought
// together first; after that only the band and the ends of the series differ between lanes. A block of rows ends where a
// lane's tile does, so that `row` then has the tile's last row. Directions: a word of 16 bits a column and lane for a
// block of rows.
//
// Scratch of a work-item, in vectors: points of rows and columns (two more each, before the first), `row`, the left and
// the right column; behind that, path.rows words that say where a row's directions are.
#ifndef WW_ROWS
#define WW_ROWS 8
#endif
#if WW_ROWS > 8
#error "directions of a block are in 16 bits"
#endif

// Elements `t` of the tile's rows and columns; -1 is the one before the first.
#if WW_BEFORE
#define WW_TILE_ROW(t) ww_row_make(ww_packed_point(xs, (uint)((t) + 2)), ww_packed_point(xs, (uint)((t) + 1)), row_time((t)))
#define WW_TILE_COLUMN(t) ww_column_make(ww_packed_point(ys, (uint)((t) + 2)), ww_packed_point(ys, (uint)((t) + 1)), column_time((t)))
#else
#define WW_TILE_ROW(t) ww_row_make(ww_packed_point(xs, (uint)((t) + 2)), ww_packed_point(xs, (uint)((t) + 2)), row_time((t)))
#define WW_TILE_COLUMN(t) ww_column_make(ww_packed_point(ys, (uint)((t) + 2)), ww_packed_point(ys, (uint)((t) + 2)), column_time((t)))
#endif
#define row_time(t) (first_time_x + (real)(ww_scalar)(t))
#define column_time(t) (first_time_y + (real)(ww_scalar)(t))

#if WW_DIAGONAL
#define WW_ALONG_FIRST(rows)                                                                                           \
    real along[rows];                                                                                                  \
    for (int q = 0; q < (rows); q++)                                                                                   \
        along[q] = ww_diagonal(shift + (real)(ww_scalar)(i + q + 1 - from), lengths);
#define WW_NEXT_ALONG(rows)                                                                                            \
    _Pragma("unroll") for (int q = (rows)-1; q > 0; q--) along[q] = along[q - 1];                                      \
    along[0] = ww_diagonal(shift + (real)(ww_scalar)(i - j), lengths);
#define WW_ALONG(q) along[q]
#else
#define WW_ALONG_FIRST(rows)
#define WW_NEXT_ALONG(rows)
#define WW_ALONG(q) (shift + (real)(ww_scalar)(i + (q)-j))
#endif

// With WW_CARRY the values passed along the diagonal; at the matrix's border they are passed as they are.
#if WW_CARRY
#define WW_CARRY_FIRST(rows)                                                                                           \
    const ww_row row_above = WW_TILE_ROW(i - 1);                                                                       \
    real g[rows];                                                                                                      \
    {                                                                                                                  \
        const ww_column beside = WW_TILE_COLUMN(from - 1);                                                             \
        for (int q = 0; q < (rows); q++)                                                                               \
            g[q] = ww_carry(c[q], a[q], beside, WW_LAG(shift + (real)(ww_scalar)(i + q - from + 1)));                  \
        const real carried = ww_carry(corner, row_above, beside, WW_LAG(shift + (real)(ww_scalar)(i - from)));         \
        corner = WW_AT_MATRIX(i, at_top, from, at_left) ? corner : carried;                                            \
    }
#define WW_AT_MATRIX(i, top, j, left) (((top) & WW_WHEN((i) == 0)) | ((left) & WW_WHEN((j) == 0)))
#define WW_WHEN(condition) (ww_mask)(condition ? -1 : 0)
#define WW_NEXT_DIAGONAL(value, q)                                                                                     \
    diagonal = g[q];                                                                                                   \
    g[q] = ww_carry(value, a[q], y, WW_ALONG(q));
#define WW_CORNER_ON(above)                                                                                            \
    ((at_top & WW_WHEN(i == 0)) ? (above) : ww_carry(above, row_above, y, WW_LAG(shift + (real)(ww_scalar)(i - 1 - j))))
#else
#define WW_CARRY_FIRST(rows)
#define WW_NEXT_DIAGONAL(value, q) diagonal = left;
#define WW_CORNER_ON(above) (above)
#endif
#if WW_WALKS
#define WW_PATH_LIMITS limits[v]
#define WW_NOTE_FIRST ww_flag noted = 0;
#define WW_NOTE(q) noted |= (WW_DIRECTION.away & (ww_flag)(1 << (2 * (q)))) | (WW_DIRECTION.aside & (ww_flag)(2 << (2 * (q))));
#define WW_NOTE_COLUMN                                                                                                 \
    WW_PASTE(vstore, WW_VECTOR)                                                                                        \
    (WW_PASTE(convert_ushort, WW_VECTOR)(noted), (ulong)block * path.columns + (ulong)j, noted_words);
#else
#define WW_NOTE_FIRST
#define WW_NOTE(q)
#define WW_NOTE_COLUMN
#endif
#define WW_TILE_STEP(rows, KEEP, TAKE)                                                                                 \
    {                                                                                                                  \
        const ww_column y = WW_TILE_COLUMN(j);                                                                         \
        const real above = WW_VLOAD(j, row);                                                                           \
        real up = above, diagonal = corner;                                                                            \
        WW_NEXT_ALONG(rows)                                                                                            \
        WW_NOTE_FIRST                                                                                                  \
        _Pragma("unroll") for (int q = 0; q < (rows); q++) {                                                           \
            const real left = c[q];                                                                                    \
            real value = WW_CELL(left, up, diagonal, a[q], y, WW_ALONG(q), lengths, 2);                                \
            WW_NOTE(q)                                                                                                 \
            KEEP(value, q)                                                                                             \
            WW_NEXT_DIAGONAL(value, q)                                                                                 \
            up = value;                                                                                                \
            c[q] = value;                                                                                              \
            TAKE(q)                                                                                                    \
        }                                                                                                              \
        corner = WW_CORNER_ON(above);                                                                                  \
        WW_NOTE_COLUMN                                                                                                 \
        WW_VSTORE(up, j, row);                                                                                         \
    }
#define WW_KEEP_ALL(value, q)
#define WW_TAKE_NONE(q)
#define WW_TAKE_RIGHT(q) right[q] = ends_here ? c[q] : right[q];
#if WW_BAND
#define WW_KEEP_EDGE(value, q) value = WW_TO_MASK((j >= lo[q]) & (j < hi[q])) ? value : WW_OUTSIDE;
#else
#define WW_KEEP_EDGE WW_KEEP_ALL
#endif
#if WW_BAND
// The rows' intervals, lane by lane, in columns of the tile.
#define WW_BLOCK_BAND(rows)                                                                                            \
    ww_ints lo[rows], hi[rows];                                                                                        \
    int least = 0x7fffffff, most_lo = 0, least_hi = 0x7fffffff, most = 0;                                              \
    for (int q = 0; q < (rows); q++) {                                                                                 \
        int lane_lo[WW_VECTOR], lane_hi[WW_VECTOR];                                                                    \
        for (int v = 0; v < WW_VECTOR; v++) {                                                                          \
            const uint t = first_i[v] + (uint)min(i + q, (int)height[v] - 1);                                          \
            lane_lo[v] = clamp((int)ww_band_lo(limits[v], t) - (int)first_j[v], 0, (int)columns[v]);                   \
            lane_hi[v] = clamp((int)ww_band_hi(limits[v], t) - (int)first_j[v], 0, (int)columns[v]);                   \
            least = min(least, lane_lo[v]);                                                                            \
            most_lo = max(most_lo, lane_lo[v]);                                                                        \
            least_hi = min(least_hi, lane_hi[v]);                                                                      \
            most = max(most, lane_hi[v]);                                                                              \
        }                                                                                                              \
        lo[q] = WW_PASTE(vload, WW_VECTOR)(0, lane_lo);                                                                \
        hi[q] = WW_PASTE(vload, WW_VECTOR)(0, lane_hi);                                                                \
    }                                                                                                                  \
    from = min(least, most);                                                                                           \
    to = most;                                                                                                         \
    calm_begin = min(most_lo, to);                                                                                     \
    calm_end = min(calm_end, least_hi);                                                                                \
    if (from > 0)                                                                                                      \
        corner = from > reached || i == 0 ? WW_VLOAD(from - 1, row) : WW_OUTSIDE;                                      \
    reached = from;                                                                                                    \
    if (from > 0)                                                                                                      \
        for (int q = 0; q < (rows); q++)                                                                               \
            c[q] = WW_OUTSIDE;
// What is above the next rows, beyond what these have.
#define WW_BLOCK_BAND_DONE                                                                                             \
    if (i == 0)                                                                                                        \
        for (int j = to; j < widest; j++)                                                                              \
            WW_VSTORE(WW_OUTSIDE, j, row);
#else
#define WW_BLOCK_BAND(rows)
#define WW_BLOCK_BAND_DONE
#endif
#define WW_BLOCK(rows)                                                                                                 \
    {                                                                                                                  \
        real c[rows], right[rows];                                                                                     \
        ww_row a[rows];                                                                                                \
        for (int q = 0; q < (rows); q++) {                                                                             \
            a[q] = WW_TILE_ROW(i + q);                                                                                 \
            c[q] = WW_VLOAD(i + q, left_edge);                                                                         \
            right[q] = WW_OUTSIDE;                                                                                     \
        }                                                                                                              \
        real corner = i ? WW_VLOAD(i - 1, left_edge) : top_left;                                                       \
        int from = 0, to = widest, calm_begin = 0, calm_end = narrowest - 1;                                           \
        WW_BLOCK_BAND(rows)                                                                                            \
        WW_CARRY_FIRST(rows)                                                                                           \
        WW_ALONG_FIRST(rows)                                                                                           \
        int j = from;                                                                                                  \
        for (; j < calm_begin; j++) {                                                                                  \
            const ww_mask ends_here = WW_TO_MASK(column_counts == j + 1);                                              \
            WW_TILE_STEP(rows, WW_KEEP_EDGE, WW_TAKE_RIGHT)                                                            \
        }                                                                                                              \
        for (; j < calm_end; j++)                                                                                      \
            WW_TILE_STEP(rows, WW_KEEP_ALL, WW_TAKE_NONE)                                                              \
        for (; j < to; j++) {                                                                                          \
            const ww_mask ends_here = WW_TO_MASK(column_counts == j + 1);                                              \
            WW_TILE_STEP(rows, WW_KEEP_EDGE, WW_TAKE_RIGHT)                                                            \
        }                                                                                                              \
        WW_BLOCK_BAND_DONE                                                                                             \
        for (int q = 0; q < (rows); q++) {                                                                             \
            WW_VSTORE(right[q], i + q, right_edge);                                                                    \
            WW_PLACE_ROW(i + q, q)                                                                                     \
        }                                                                                                              \
        i += (rows);                                                                                                   \
        WW_NEXT_BLOCK                                                                                                  \
    }
#if WW_WALKS
#define WW_PLACE_ROW(t, q) places[t] = block * 8 + (uint)(q);
#define WW_NEXT_BLOCK block++;
#define WW_PATH_AT(i, j)                                                                                               \
    ww_path_bits(noted_words, places[(i)-1 - first_i[v]], (j)-1 - first_j[v], path.columns, v)
WW_INLINE uint ww_path_bits(__global const ushort *words, uint place, uint column, uint columns, uint v) {
    return (uint)words[((ulong)(place >> 3) * columns + column) * WW_VECTOR + v] >> (2 * (place & 7)) & 3;
}
// D(0,m) and D(n,0), which open ends may take: they depend on the time alone.
#define WW_PATH_LAST_TOP ww_lane_of(ww_border_top(ww_packed_point(ys, 0), lengths.columns - 1, lengths), v)
#define WW_PATH_LAST_LEFT \
    ww_lane_of(ww_border_left(ww_row_make(ww_packed_point(xs, 0), ww_packed_point(xs, 0), (real)0), lengths.rows - 1, lengths), v)
#define WW_LANE_END(v)                                                                                                 \
    {                                                                                                                  \
        __global ww_path_pair *pair = pairs + slots[v];                                                                \
        const uint task = args.row_begin + slots[v];                                                                   \
        WW_PATH_FIND_END(matrices[v], x[v], y[v])                                                                      \
    }
WW_INLINE ww_scalar ww_lane_of(real values, uint v) {
    ww_scalar each[WW_VECTOR];
    WW_VSTORE(values, 0, each);
    return each[v];
}
#else
#define WW_PLACE_ROW(t, q)
#define WW_NEXT_BLOCK
#endif

#if WW_WALKS
// Walks from the pair's cell until it leaves the tile whose first cell is (first_i, first_j), from 1, or is done.
// `direction(i, j)` gives the two bits of a cell of the tile.
#define WW_PATH_WALK(pair, first_i, first_j, direction)                                                                \
    {                                                                                                                  \
        uint i_ = (pair)->i, j_ = (pair)->j, count_ = (pair)->count;                                                   \
        __global uint *steps_ = steps + (pair)->steps;                                                                 \
        uint word_ = count_ & 15 ? steps_[count_ >> 4] : 0;                                                            \
        bool done_ = false;                                                                                            \
        for (;;) {                                                                                                     \
            uint step_;                                                                                                \
            done_ = (i_ == 0 && j_ <= WW_PATH_OPEN(begin_y)) || (j_ == 0 && i_ <= WW_PATH_OPEN(begin_x));              \
            if (done_)                                                                                                 \
                break;                                                                                                 \
            if (i_ == 0)                                                                                               \
                step_ = 3;                                                                                             \
            else if (j_ == 0)                                                                                          \
                step_ = 1;                                                                                             \
            else if (i_ < (first_i) || j_ < (first_j))                                                                 \
                break;                                                                                                 \
            else {                                                                                                     \
                step_ = direction(i_, j_);                                                                             \
                step_ = step_ & 1 ? step_ : 0;                                                                         \
                WW_PATH_STAY(step_, i_, j_)                                                                            \
            }                                                                                                          \
            word_ |= step_ << (2 * (count_ & 15));                                                                     \
            if ((++count_ & 15) == 0) {                                                                                \
                steps_[(count_ >> 4) - 1] = word_;                                                                     \
                word_ = 0;                                                                                             \
            }                                                                                                          \
            i_ -= step_ != 3;                                                                                          \
            j_ -= step_ != 1;                                                                                          \
        }                                                                                                              \
        if (count_ & 15)                                                                                               \
            steps_[count_ >> 4] = word_;                                                                               \
        (pair)->i = i_;                                                                                                \
        (pair)->j = j_;                                                                                                \
        (pair)->count = count_;                                                                                        \
        (pair)->state = done_ ? WW_WALK_DONE : WW_WALK_ON;                                                             \
    }

#endif

// The points of a lane's rows or columns: `count` from `first` on, and two before them.
WW_INLINE void ww_gather(__global ww_scalar *to, ww_series s, uint first, uint count, uint v) {
    for (uint c = 0; c < WW_PARTS; c++) {
        __global const ww_scalar *source = c < WW_CHANNELS ? s.at + (ulong)c * s.length : s.extra;
        for (uint t = 0; t < count + 2; t++)
            to[((ulong)t * WW_PARTS + c) * WW_VECTOR + v] = source[min(max(first + t, 2u) - 2, s.length - 1)];
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_path_packed(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
               __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
               __global const uint *restrict x_order, __global const uint *restrict y_order,
               __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
               const ww_path_args path, __global ww_path_pair *pairs, __global ww_scalar *edges,
               __global uint *directions, __global uint *steps, __global uint *restrict counter,
               __global ww_scalar *scratch) {
    const uint worker = (uint)get_group_id(0);
    __global ww_scalar *xs = scratch + (ulong)worker * args.scratch * WW_VECTOR;
    __global ww_scalar *ys = xs + ((ulong)path.rows + 2) * WW_PARTS * WW_VECTOR;
    __global ww_scalar *row = ys + ((ulong)path.columns + 2) * WW_PARTS * WW_VECTOR;
    __global ww_scalar *left_edge = row + (ulong)path.columns * WW_VECTOR;
    __global ww_scalar *right_edge = left_edge + (ulong)path.rows * WW_VECTOR;
#if WW_WALKS
    __global uint *places = directions + (ulong)worker * path.direction_words;
    __global ushort *noted_words = (__global ushort *)(places + path.rows);
#endif
    for (;;) {
        const uint first_unit = atomic_add(counter, (uint)WW_VECTOR);
        if (first_unit >= path.units)
            return;
        ww_series x[WW_VECTOR], y[WW_VECTOR];
        ww_path_matrix matrices[WW_VECTOR];
        uint slots[WW_VECTOR], first_i[WW_VECTOR], first_j[WW_VECTOR], height[WW_VECTOR], columns[WW_VECTOR];
        uint tile_row[WW_VECTOR], tile_column[WW_VECTOR];
        bool active[WW_VECTOR];
        int lane_n[WW_VECTOR], lane_m[WW_VECTOR];
#if WW_BAND
        ww_pair_band limits[WW_VECTOR];
#endif
        for (uint v = 0; v < WW_VECTOR; v++) {
            const uint unit = min(first_unit + v, path.units - 1);
#if WW_WALKS
            slots[v] = unit;
            active[v] = first_unit + v < path.units && pairs[unit].state != WW_WALK_DONE;
#else
            slots[v] = unit / path.each;
            active[v] = first_unit + v < path.units;
            tile_row[v] = unit - slots[v] * path.each;
#endif
            const uint task = args.row_begin + slots[v];
            x[v] = ww_series_load(x_values, x_series, WW_TASK_X(task), args.channel);
            y[v] = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);
            lane_n[v] = (int)x[v].length;
            lane_m[v] = (int)y[v].length;
#if WW_BAND
            limits[v] = WW_BAND_OF(x[v], y[v]);
#endif
            const ulong edge_base = WW_WALKS && path.whole ? ((ulong)worker * WW_VECTOR + v) * path.edge_values : pairs[slots[v]].edges;
            matrices[v] = ww_path_matrix_of(x[v].length, y[v].length, 0, path, edges + edge_base);
#if !WW_WALKS
            const uint skipped = path.diagonal < matrices[v].tile_columns ? 0 : path.diagonal - matrices[v].tile_columns + 1;
            tile_row[v] += skipped;
            tile_column[v] = path.diagonal - min(tile_row[v], path.diagonal);
            active[v] = active[v] && tile_row[v] < matrices[v].tile_rows && tile_row[v] <= path.diagonal;
#endif
        }
        ww_pair lengths;
        lengths.rows = WW_TO_REAL(WW_PASTE(vload, WW_VECTOR)(0, lane_n));
        lengths.columns = WW_TO_REAL(WW_PASTE(vload, WW_VECTOR)(0, lane_m));
        WW_SET_PAIR(lengths)
#if WW_WALKS
        if (!path.whole)
            for (uint v = 0; v < WW_VECTOR; v++)
                if (active[v] && pairs[slots[v]].state == WW_WALK_NEW)
                    WW_LANE_END(v)
        for (uint turn = 0; turn < path.turns; turn++) {
#else
        for (uint turn = 0; turn < 1; turn++) {
#endif
            // The lanes' tiles: their first cells, from 0, and sizes. A lane without a tile has a cell of its matrix.
            uint tallest = 0;
            int widest = 0, narrowest = 0x7fffffff;
            ww_scalar lane_x[WW_VECTOR], lane_y[WW_VECTOR];
            int lane_columns[WW_VECTOR];
            for (uint v = 0; v < WW_VECTOR; v++) {
                first_i[v] = first_j[v] = 0;
                height[v] = columns[v] = 1;
#if WW_WALKS
                __global ww_path_pair *pair = pairs + slots[v];
                active[v] = active[v] && pair->state != WW_WALK_DONE;
                if (active[v]) {
                    uint i = x[v].length, j = y[v].length;
                    if (pair->state != WW_WALK_NEW) {
                        i = pair->i;
                        j = pair->j;
                    }
                    const uint high = path.whole ? x[v].length : path.rows, wide = path.whole ? y[v].length : path.columns;
                    tile_row[v] = (max(i, 1u) - 1) / high;
                    tile_column[v] = (max(j, 1u) - 1) / wide;
                    first_i[v] = tile_row[v] * high;
                    first_j[v] = tile_column[v] * wide;
                    height[v] = max(i, 1u) - first_i[v];
                    columns[v] = max(j, 1u) - first_j[v];
                }
#else
                if (active[v]) {
                    first_i[v] = tile_row[v] * path.rows;
                    first_j[v] = tile_column[v] * path.columns;
                    height[v] = min(path.rows, x[v].length - first_i[v]);
                    columns[v] = min(path.columns, y[v].length - first_j[v]);
#if WW_BAND
                    // A tile without a cell of the band.
                    if (ww_band_top(limits[v], first_j[v]) >= first_i[v] + height[v] ||
                        ww_band_bottom(limits[v], min(first_j[v] + columns[v], y[v].length)) <= first_i[v]) {
                        active[v] = false;
                        first_i[v] = first_j[v] = 0;
                        height[v] = columns[v] = 1;
                    }
#endif
                }
#endif
                tallest = max(tallest, height[v]);
                widest = max(widest, (int)columns[v]);
                narrowest = min(narrowest, (int)columns[v]);
                lane_columns[v] = (int)columns[v];
                lane_x[v] = (ww_scalar)first_i[v];
                lane_y[v] = (ww_scalar)first_j[v];
            }
            bool any = false;
            for (uint v = 0; v < WW_VECTOR; v++)
                any = any || active[v];
            if (!any)
                break;
            const ww_ints column_counts = WW_PASTE(vload, WW_VECTOR)(0, lane_columns);
            const real first_time_x = WW_VLOAD(0, lane_x), first_time_y = WW_VLOAD(0, lane_y);
            const real shift = first_time_x - first_time_y;
            const ww_mask at_top = first_time_x == (real)0, at_left = first_time_y == (real)0;
            for (uint v = 0; v < WW_VECTOR; v++) {
                ww_gather(xs, x[v], first_i[v], tallest, v);
                ww_gather(ys, y[v], first_j[v], (uint)widest, v);
                // The lines above and to the left.
                __global const ww_scalar *line = ww_row_line(matrices[v], first_i[v] ? tile_row[v] - 1 : 0);
                for (uint j = 0; j < (uint)widest; j++) {
                    const uint at = first_j[v] + j;
                    row[(ulong)j * WW_VECTOR + v] =
                        first_i[v] && at < y[v].length && WW_PATH_INSIDE(limits[v], first_i[v] - 1, at) ? line[at] : WW_OUTSIDE_VALUE;
                }
                lane_x[v] = first_i[v] && first_j[v] && WW_PATH_INSIDE(limits[v], first_i[v] - 1, first_j[v] - 1)
                                ? line[first_j[v] - 1]
                                : WW_OUTSIDE_VALUE;
                line = ww_column_line(matrices[v], first_j[v] ? tile_column[v] - 1 : 0);
                for (uint i = 0; i < tallest; i++) {
                    const uint at = first_i[v] + i;
                    left_edge[(ulong)i * WW_VECTOR + v] =
                        first_j[v] && at < x[v].length && WW_PATH_INSIDE(limits[v], at, first_j[v] - 1) ? line[at] : WW_OUTSIDE_VALUE;
                }
            }
            // The matrix's border.
            for (int j = 0; j < widest; j++)
                WW_VSTORE(at_top ? ww_border_top(ww_packed_point(ys, (uint)j + 2), column_time(j), lengths) : WW_VLOAD(j, row), j, row);
            for (int i = 0; i < (int)tallest; i++)
                WW_VSTORE(at_left ? ww_border_left(WW_TILE_ROW(i), row_time(i), lengths) : WW_VLOAD(i, left_edge), i, left_edge);
            const real border_above = ww_border_left(WW_TILE_ROW(-1), row_time(-1), lengths);
            const real border_before = ww_border_top(ww_packed_point(ys, 1), column_time(-1), lengths);
            const real lines_corner = WW_VLOAD(0, lane_x);
            const real top_left = at_top ? (at_left ? (real)0 : border_before) : at_left ? border_above : lines_corner;

#if WW_WALKS
            uint block = 0;
            ww_direction WW_DIRECTION;
#endif
#if WW_BAND
            int reached = 0;
#endif
            int i = 0;
            while (i < (int)tallest) {
                // The next end of a tile.
                int stop = (int)tallest;
                for (uint v = 0; v < WW_VECTOR; v++)
                    stop = (int)height[v] > i ? min(stop, (int)height[v]) : stop;
                while (i + WW_ROWS <= stop)
                    WW_BLOCK(WW_ROWS)
#if WW_ROWS > 1
                while (i < stop)
                    WW_BLOCK(1)
#endif
                for (uint v = 0; v < WW_VECTOR; v++) {
                    if ((int)height[v] != i || !active[v] || (WW_WALKS && !path.whole))
                        continue;
                    __global ww_scalar *line = ww_row_line(matrices[v], tile_row[v]);
                    for (uint j = 0; j < columns[v]; j++)
                        line[first_j[v] + j] = row[(ulong)j * WW_VECTOR + v];
                    line = ww_column_line(matrices[v], tile_column[v]);
                    for (uint k = 0; k < height[v]; k++)
                        line[first_i[v] + k] = right_edge[(ulong)k * WW_VECTOR + v];
                }
            }
#if WW_WALKS
            for (uint v = 0; v < WW_VECTOR; v++) {
                if (!active[v])
                    continue;
                __global ww_path_pair *pair = pairs + slots[v];
                if (pair->state == WW_WALK_NEW)
                    WW_LANE_END(v)
                WW_PATH_WALK(pair, first_i[v] + 1, first_j[v] + 1, WW_PATH_AT)
            }
#endif
        }
    }
}
