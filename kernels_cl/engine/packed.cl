// SPDX-License-Identifier: Apache-2.0
// Engine `packed`: WW_VECTOR pairs in one work-item, one pair a vector lane. No barrier, no shuffle: the engine for CPUs.
//
// WW_ROWS rows at a time are held in registers and computed column by column; the last of them is kept in `scratch`
// (one vector a column) for the rows after it. The column series of a pack are interleaved beforehand by interleave.cl
// (value of column j, channel c, lane v at (j*WW_PARTS + c)*WW_VECTOR + v); in a rectangle all lanes share the row
// series, in a list the row series are interleaved too. A pack's lanes may differ in length and in band; a lane's
// result is taken when its own last cell is reached. Work-groups of one work-item take packs from a counter until none
// is left.
//
// With WW_ABANDON a list's pack is abandoned, and its unfinished results are infinity, as soon as every lane has a row
// with all values above the lane's radius: no later value is smaller. Only for recurrences with this property.
//
// Parameters: WW_VECTOR 4, 8, 16; WW_ROWS rows at a time (a power of two); WW_ABANDON. Scratch: args.scratch vectors a
// work-group.
#ifndef WW_ABANDON
#define WW_ABANDON 0
#endif
#ifndef WW_ROWS
#define WW_ROWS 8
#endif

WW_INLINE ww_point ww_broadcast_point(ww_series s, uint t) {
    ww_point point;
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = (real)s.at[t + (ulong)c * s.length];
#if WW_EXTRA
    point.extra = (real)s.extra[t];
#endif
    return point;
}

// Only where the recurrence needs them: the column before, and the values passed along the diagonal.
#if WW_BEFORE
#define WW_COLUMN_BEFORE column_before
#define WW_COLUMN_DONE column_before = own;
#define WW_COLUMN_FIRST ww_point column_before = ww_packed_point(ys, from ? from - 1 : 0);
#else
#define WW_COLUMN_BEFORE own
#define WW_COLUMN_DONE
#define WW_COLUMN_FIRST
#endif
#if WW_CARRY
#define WW_NEXT_DIAGONAL(value, q)                                                                                     \
    diagonal = g[q];                                                                                                   \
    g[q] = ww_carry(value, a[q], y, WW_ALONG(q));
#define WW_CORNER_ON(top) (i == 0 ? (top) : ww_carry(top, row_above, y, WW_LAG((real)(ww_scalar)((int)i - 1 - (int)j))))
#define WW_CARRY_FIRST(rows)                                                                                           \
    real g[rows];                                                                                                      \
    for (int q = 0; q < (rows); q++)                                                                                   \
        g[q] = c[q];                                                                                                   \
    if (from > 0 && i > 0)                                                                                             \
        corner = ww_carry(corner, row_above, WW_PACKED_COLUMN(from - 1), WW_LAG((real)(ww_scalar)((int)i - (int)from)));
#else
#define WW_NEXT_DIAGONAL(value, q) diagonal = left;
#define WW_CORNER_ON(top) (top)
#define WW_CARRY_FIRST(rows)
#endif
#define WW_PACKED_COLUMN(j)                                                                                            \
    ww_column_make(ww_packed_point(ys, j), ww_packed_point(ys, (j) ? (j)-1 : 0), (real)(ww_scalar)(j))
#if WW_BEFORE
#define WW_PACKED_ROW(t) ww_row_make(WW_ROW(t), WW_ROW((t) ? (t)-1 : 0), (real)(ww_scalar)(t))
#else
#define WW_PACKED_ROW(t) ww_row_make(WW_ROW(t), WW_ROW(t), (real)(ww_scalar)(t))
#endif
#if WW_CARRY || WW_BORDERS
#define WW_ROW_ABOVE const ww_row row_above = WW_PACKED_ROW(i ? i - 1 : 0);
#define WW_BORDER_ABOVE ww_border_left(row_above, (real)(ww_scalar)(i - 1), lengths)
#else
#define WW_ROW_ABOVE
#define WW_BORDER_ABOVE WW_BORDER
#endif

// The values of ww_diagonal() move down a row with every column.
#if WW_DIAGONAL
#define WW_ALONG_FIRST(rows)                                                                                           \
    real along[rows];                                                                                                  \
    for (int q = 0; q < (rows); q++)                                                                                   \
        along[q] = ww_diagonal((real)(ww_scalar)((int)i + q + 1 - (int)from), lengths);
#define WW_NEXT_ALONG(rows)                                                                                            \
    _Pragma("unroll") for (int q = (rows)-1; q > 0; q--) along[q] = along[q - 1];                                      \
    along[0] = ww_diagonal((real)(ww_scalar)((int)i - (int)j), lengths);
#define WW_ALONG(q) along[q]
#else
#define WW_ALONG_FIRST(rows)
#define WW_NEXT_ALONG(rows)
#define WW_ALONG(q) (real)(ww_scalar)((int)i + (q) - (int)j)
#endif

// One column for the rows in registers. `keep(value, q)` masks what is outside the band.
#define WW_COLUMN_STEP(rows, KEEP)                                                                                     \
    {                                                                                                                  \
        const ww_point own = ww_packed_point(ys, j);                                                                   \
        const ww_column y = ww_column_make(own, WW_COLUMN_BEFORE, (real)(ww_scalar)j);                                 \
        const real top = i == 0 ? ww_border_top(own, (real)(ww_scalar)j, lengths) : WW_VLOAD(j, row);                            \
        real up = top, diagonal = corner;                                                                              \
        WW_NEXT_ALONG(rows)                                                                                            \
        _Pragma("unroll") for (int q = 0; q < (rows); q++) {                                                           \
            const real left = c[q];                                                                                    \
            real value = WW_CELL(left, up, diagonal, a[q], y, WW_ALONG(q), lengths, 2);                                   \
            KEEP(value, q)                                                                                             \
            WW_NEXT_DIAGONAL(value, q)                                                                                 \
            up = value;                                                                                                \
            c[q] = value;                                                                                              \
        }                                                                                                              \
        corner = WW_CORNER_ON(top);                                                                                    \
        WW_COLUMN_DONE                                                                                                 \
        WW_VSTORE(up, j, row);                                                                                         \
        WW_NOTE_LEAST(up)                                                                                              \
    }
// A soft minimum takes some hundred cycles, and the next cell of its row and of its column wait for it. So columns are computed
// WW_TILE at a time there, by diagonals, whose cells do not wait for each other.
#if WW_SELECT == WW_SELECT_SOFT
#define WW_TILE 8
#define WW_TILES(rows)                                                                                                 \
    if ((rows) == WW_ROWS)                                                                                             \
        for (; j + WW_TILE <= calm_end; j += WW_TILE)                                                                  \
            WW_TILE_STEP(rows)
#define WW_TILE_STEP(rows)                                                                                             \
    {                                                                                                                  \
        ww_column y[WW_TILE];                                                                                          \
        real above[WW_TILE + 1], aslant[WW_TILE], cell[rows][WW_TILE];                                                 \
        _Pragma("unroll") for (int k = 0; k < WW_TILE; k++) {                                                          \
            const ww_point own = ww_packed_point(ys, j + (uint)k);                                                     \
            y[k] = ww_column_make(own, WW_COLUMN_BEFORE, (real)(ww_scalar)(j + (uint)k));                              \
            above[k] = i == 0 ? ww_border_top(own, (real)(ww_scalar)(j + (uint)k), lengths)                            \
                              : WW_VLOAD(j + (uint)k, row);                                                            \
            aslant[k] = corner;                                                                                        \
            WW_TILE_CORNER(k)                                                                                          \
            WW_COLUMN_DONE                                                                                             \
        }                                                                                                              \
        WW_TILE_ALONG_FIRST(rows)                                                                                      \
        _Pragma("unroll") for (int d = 0; d < (rows) + WW_TILE - 1; d++)                                               \
            _Pragma("unroll") for (int q = 0; q < (rows); q++) {                                                       \
            const int k = d - q;                                                                                       \
            if (k < 0 || k >= WW_TILE)                                                                                 \
                continue;                                                                                              \
            const real left = k ? cell[q][k - 1] : c[q], up = q ? cell[q - 1][k] : above[k];                           \
            const real diagonal = q ? WW_TILE_ASLANT(q - 1, k - 1) : aslant[k];                                        \
            cell[q][k] = WW_CELL(left, up, diagonal, a[q], y[k], WW_TILE_ALONG(q, k), lengths, 2);                     \
        }                                                                                                              \
        WW_TILE_DONE(rows)                                                                                             \
        _Pragma("unroll") for (int q = 0; q < (rows); q++) c[q] = cell[q][WW_TILE - 1];                                \
        _Pragma("unroll") for (int k = 0; k < WW_TILE; k++) {                                                          \
            WW_VSTORE(cell[(rows)-1][k], j + (uint)k, row);                                                            \
            WW_NOTE_LEAST(cell[(rows)-1][k])                                                                           \
        }                                                                                                              \
    }
#if WW_DIAGONAL
#define WW_TILE_ALONG_FIRST(rows)                                                                                      \
    real tile_along[(rows) + WW_TILE - 1];                                                                             \
    _Pragma("unroll") for (int d = 0; d < (rows) + WW_TILE - 1; d++) tile_along[d] =                                   \
        ww_diagonal((real)(ww_scalar)((int)i - (int)j + d - WW_TILE + 1), lengths);                                    \
    _Pragma("unroll") for (int q = 0; q < (rows); q++) along[q] = tile_along[q];
#define WW_TILE_ALONG(q, k) tile_along[(q) - (k) + WW_TILE - 1]
#else
#define WW_TILE_ALONG_FIRST(rows)
#define WW_TILE_ALONG(q, k) (real)(ww_scalar)((int)i + (q) - (int)j - (k))
#endif
#if WW_CARRY
#define WW_TILE_CORNER(k)                                                                                              \
    corner = i == 0 ? above[k]                                                                                         \
                    : ww_carry(above[k], row_above, y[k], WW_LAG((real)(ww_scalar)((int)i - 1 - (int)j - (k))));
#define WW_TILE_CARRY(q, k) ww_carry(cell[q][k], a[q], y[k], WW_TILE_ALONG(q, k))
#define WW_TILE_ASLANT(q, k) ((k) < 0 ? g[q] : WW_TILE_CARRY(q, max(k, 0)))
#define WW_TILE_DONE(rows)                                                                                             \
    _Pragma("unroll") for (int q = 0; q < (rows); q++) g[q] = WW_TILE_CARRY(q, WW_TILE - 1);
#else
#define WW_TILE_CORNER(k) corner = above[k];
#define WW_TILE_ASLANT(q, k) ((k) < 0 ? c[q] : cell[q][max(k, 0)])
#define WW_TILE_DONE(rows)
#endif
#else
#define WW_TILES(rows)
#endif
#if WW_ABANDON
#define WW_NOTE_LEAST(value) nearest = nearest < (value) ? nearest : (value);
// Roots of vectors and of scalars may differ in the last bit.
#if WW_ROOT
#define WW_REACHED(value) (sqrt(value) * (ww_scalar)(1 - 1e-6))
#else
#define WW_REACHED(value) (value)
#endif
#else
#define WW_NOTE_LEAST(value)
#endif
#define WW_KEEP_ALL(value, q)
#define WW_KEEP_BAND(value, q)                                                                                         \
    value = WW_TO_MASK(((int)j >= lo[q]) & ((int)j < hi[q])) ? value : WW_OUTSIDE;
#if WW_BAND
#define WW_KEEP_EDGE WW_KEEP_BAND
#else
#define WW_KEEP_EDGE WW_KEEP_ALL
#endif

// A block of `rows` rows from row i on. Columns [from, calm_begin) and [calm_end, to) are near an edge of the band or at the
// end of a series; between them no test is needed.
#define WW_BLOCK(rows)                                                                                                 \
    {                                                                                                                  \
        real c[rows];                                                                                                  \
        ww_row a[rows];                                                                                                \
        for (int q = 0; q < (rows); q++) {                                                                             \
            a[q] = WW_PACKED_ROW(i + (uint)q);                                                                         \
            c[q] = ww_border_left(a[q], (real)(ww_scalar)(i + (uint)q), lengths);                                                \
        }                                                                                                              \
        WW_ROW_ABOVE                                                                                                   \
        real corner = i == 0 ? (real)0 : WW_BORDER_ABOVE;                                                              \
        uint from = 0, to = longest, calm_begin = 0, calm_end = WW_OPEN ? 0 : shortest - 1;                            \
        WW_BLOCK_BAND(rows)                                                                                            \
        WW_CARRY_FIRST(rows)                                                                                           \
        WW_ALONG_FIRST(rows)                                                                                           \
        WW_COLUMN_FIRST                                                                                                \
        uint j = from;                                                                                                 \
        for (; j < calm_begin; j++) {                                                                                  \
            WW_COLUMN_STEP(rows, WW_KEEP_EDGE)                                                                         \
            WW_TAKE(rows)                                                                                              \
        }                                                                                                              \
        WW_TILES(rows)                                                                                                 \
        for (; j < calm_end; j++)                                                                                      \
            WW_COLUMN_STEP(rows, WW_KEEP_ALL)                                                                          \
        for (; j < to; j++) {                                                                                          \
            WW_COLUMN_STEP(rows, WW_KEEP_EDGE)                                                                         \
            WW_TAKE(rows)                                                                                              \
        }                                                                                                              \
        i += (rows);                                                                                                   \
    }

// Results of the lanes whose last column this is, and whose last row is among these.
#if WW_OPEN
#define WW_TAKE(rows)                                                                                                  \
    for (int q = 0; q < (rows); q++) {                                                                                 \
        const ww_ints row_left = row_lengths - ((int)i + q + 1), column_left = column_lengths - ((int)j + 1);          \
        const ww_ints taken = ((row_left == 0) & (column_left >= 0) & (column_left <= (int)args.end_y)) |              \
                              ((column_left == 0) & (row_left >= 0) & (row_left <= (int)args.end_x));                  \
        result = WW_TO_MASK(taken) ? ww_lesser(result, c[q]) : result;                                                 \
    }
#elif WW_LIST
#define WW_TAKE(rows)                                                                                                  \
    for (int q = 0; q < (rows); q++)                                                                                   \
        result = WW_TO_MASK((column_lengths == (int)j + 1) & (row_lengths == (int)i + q + 1)) ? c[q] : result;
#else
#define WW_TAKE(rows) result = WW_TO_MASK(column_lengths == (int)j + 1) ? c[(rows)-1] : result;
#endif

#if WW_BAND
// The rows' intervals, lane by lane. Cells left of the block's first column are outside; so are those of the row above
// that it did not have.
#define WW_BLOCK_BAND(rows)                                                                                            \
    ww_ints lo[rows], hi[rows];                                                                                        \
    int least = 0x7fffffff, most_lo = 0, least_hi = 0x7fffffff, most = 0;                                              \
    for (int q = 0; q < (rows); q++) {                                                                                 \
        int lane_lo[WW_VECTOR], lane_hi[WW_VECTOR];                                                                    \
        for (int v = 0; v < WW_VECTOR; v++) {                                                                          \
            const uint t = min(i + (uint)q, row_length[v] - 1);                                                            \
            lane_lo[v] = (int)ww_band_lo(limits[v], t);                                                                \
            lane_hi[v] = (int)ww_band_hi(limits[v], t);                                                                \
            least = min(least, lane_lo[v]);                                                                            \
            most_lo = max(most_lo, lane_lo[v]);                                                                        \
            least_hi = min(least_hi, lane_hi[v]);                                                                      \
            most = max(most, lane_hi[v]);                                                                              \
        }                                                                                                              \
        lo[q] = WW_PASTE(vload, WW_VECTOR)(0, lane_lo);                                                                \
        hi[q] = WW_PASTE(vload, WW_VECTOR)(0, lane_hi);                                                                \
    }                                                                                                                  \
    from = (uint)least;                                                                                                \
    to = (uint)most;                                                                                                   \
    calm_begin = min((uint)most_lo, to);                                                                               \
    calm_end = min(calm_end, (uint)least_hi);                                                                          \
    for (; filled < to; filled++)                                                                                      \
        WW_VSTORE(WW_OUTSIDE, filled, row);                                                                            \
    if (from > 0)                                                                                                      \
        corner = i == 0 ? WW_BORDER : from > reached ? WW_VLOAD(from - 1, row) : WW_OUTSIDE;                           \
    reached = from;                                                                                                    \
    if (from > 0)                                                                                                      \
        for (int q = 0; q < (rows); q++)                                                                               \
            c[q] = WW_OUTSIDE;
#else
#define WW_BLOCK_BAND(rows)
#endif

#if WW_LIST
#define WW_ROW(t) ww_packed_point(xs, t)
#define WW_HEIGHT(v) row_length[v]
#else
#define WW_ROW(t) ww_broadcast_point(x, t)
#define WW_HEIGHT(v) x.length
#endif

// A copy of the parameters that no store can change: a CPU's compiler then takes them out of the loops.
#ifdef WW_PARAMETERS
#undef WW_GIVEN
#define WW_GIVEN given
#define WW_COPY_PARAMETERS const ww_parameters given = args.parameters;
#else
#define WW_COPY_PARAMETERS
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_packed(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
          __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
          __global const uint *restrict x_order, __global const uint *restrict y_order,
          __global const uint *restrict band, __global ww_scalar *restrict out, const ww_launch_args args,
          __global const ww_scalar *restrict x_packed, __global const ulong *restrict x_pack_offset,
          __global const ww_scalar *restrict y_packed, __global const ulong *restrict y_pack_offset,
          __global ww_scalar *restrict scratch, __global uint *restrict counter, const uint packs, const uint units
#if WW_ABANDON
          ,
          __global const ww_scalar *restrict radii, const uint radius_results, const uint radius_k,
          __global uint *restrict abandoned
#endif
) {
    __global ww_scalar *row = scratch + (ulong)get_group_id(0) * args.scratch * WW_VECTOR;
    WW_COPY_PARAMETERS
    for (;;) {
        const uint unit = atomic_inc(counter);
        if (unit >= units)
            return;
        const ww_pack p = ww_pack_of(args, unit, packs, WW_VECTOR);
        __global const ww_scalar *ys = y_packed + y_pack_offset[p.pack];
        uint ids[WW_VECTOR];
        int lane_length[WW_VECTOR];
        uint longest = 0, shortest = 0xffffffffu;
#if WW_LIST
        __global const ww_scalar *xs = x_packed + x_pack_offset[p.pack];
        int lane_height[WW_VECTOR];
        uint row_length[WW_VECTOR];
        uint tallest = 0;
#endif
#if WW_BAND
        ww_pair_band limits[WW_VECTOR];
#if !WW_LIST
        ww_series lane_series[WW_VECTOR];
#endif
#endif
        for (uint v = 0; v < WW_VECTOR; v++) {
#if WW_LIST
            const uint slot = WW_PACK_SLOT(p, v);
            ids[v] = WW_TASK_RESULT(slot);
            const ww_series xv = ww_series_load(x_values, x_series, WW_TASK_X(slot), args.channel);
            const ww_series yv = ww_series_load(y_values, y_series, WW_TASK_Y(slot), args.channel);
            row_length[v] = xv.length;
            lane_height[v] = (int)xv.length;
            tallest = max(tallest, xv.length);
#if WW_BAND
            limits[v] = WW_BAND_OF(xv, yv);
#endif
#else
            const uint slot = WW_PACK_SLOT(p, v);
            ids[v] = y_order[slot];
            const ww_series yv = ww_series_load(y_values, y_series, ids[v], args.channel);
#if WW_BAND
            lane_series[v] = yv;
#endif
#endif
            lane_length[v] = (int)yv.length;
            longest = max(longest, yv.length);
            shortest = min(shortest, yv.length);
        }
        const ww_ints column_lengths = WW_PASTE(vload, WW_VECTOR)(0, lane_length);
        ww_pair lengths;
        lengths.columns = WW_TO_REAL(column_lengths);
#if WW_LIST
        const ww_ints row_lengths = WW_PASTE(vload, WW_VECTOR)(0, lane_height);
#if WW_ABANDON
        ww_scalar lane_radius[WW_VECTOR];
        for (int v = 0; v < WW_VECTOR; v++)
            lane_radius[v] = radii[(ulong)(ids[v] / radius_results) * radius_k + radius_k - 1];
        const real radius = WW_VLOAD(0, lane_radius);
#endif
        lengths.rows = WW_TO_REAL(row_lengths);
        const uint r = 0, x_id = 0;  // each lane has its own
#else
        for (uint r = p.row_begin; r < p.row_end; r++) {
            if (WW_PACK_DONE(p, r, WW_VECTOR))
                break;
            const uint x_id = x_order[r];
            const ww_series x = ww_series_load(x_values, x_series, x_id, args.channel);
            const uint tallest = x.length;
            lengths.rows = (real)(ww_scalar)x.length;
#if WW_BAND
            uint row_length[WW_VECTOR];
            for (int v = 0; v < WW_VECTOR; v++) {
                limits[v] = WW_BAND_OF(x, lane_series[v]);
                row_length[v] = x.length;
            }
#endif
#endif
#if WW_BAND
            uint filled = 0, reached = 0;  // columns of the scratch row that are valid: [reached, filled)
#endif
            WW_SET_PAIR(lengths)
#if WW_OPEN
#if !WW_LIST
            const ww_ints row_lengths = (ww_ints)(int)tallest;
#endif
            real result = ww_border_ends(WW_PACKED_ROW(0), ww_packed_point(ys, 0), lengths);
#else
            real result = WW_BORDER;
#endif
            uint i = 0;
            while (i + WW_ROWS <= tallest) {
#if WW_ABANDON
                real nearest = WW_INF;
#endif
                WW_BLOCK(WW_ROWS)
#if WW_ABANDON
                if (i < tallest && all((WW_REACHED(nearest) > radius) | WW_TO_MASK(row_lengths <= (int)i))) {
                    for (uint v = 0; v < WW_PACK_COUNT(p, WW_VECTOR); v++)
                        if (row_length[v] > i)
                            atomic_inc(abandoned);
                    i = tallest;
                }
#endif
            }
#if WW_ABANDON
            real nearest = WW_INF; // not needed for the remaining rows
#endif
            // The remaining rows, by halves.
#if WW_ROWS > 8
            if (i + 8 <= tallest)
                WW_BLOCK(8)
#endif
#if WW_ROWS > 4
            if (i + 4 <= tallest)
                WW_BLOCK(4)
#endif
#if WW_ROWS > 2
            if (i + 2 <= tallest)
                WW_BLOCK(2)
#endif
#if WW_ROWS > 1
            if (i < tallest)
                WW_BLOCK(1)
#endif
            ww_scalar values[WW_VECTOR];
            WW_VSTORE(result, 0, values);
            const uint count = WW_PACK_COUNT(p, WW_VECTOR);
            for (uint v = 0; v < count; v++)
                if (WW_PACK_WANTED(p, r, v))
                    ww_store(out, args, x_id, ids[v], ids[v], ww_final(values[v], WW_HEIGHT(v), (uint)lane_length[v]));
#if !WW_LIST
        }
#endif
    }
}
