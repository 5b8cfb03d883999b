// SPDX-License-Identifier: Apache-2.0
// Engine `packed`: WW_VECTOR pairs in one work-item, one pair a vector lane. No barrier, no shuffle: the engine for CPUs.
//
// WW_ROWS rows at a time are a block in registers (packed_block.cl), computed column by column; the last of them is kept in
// `scratch` (one vector a column) for the rows after it. In a rectangle the column series of a pack are interleaved
// beforehand by interleave.cl (value of column j, channel c, lane v at (j*WW_PARTS + c)*WW_VECTOR + v), and all lanes share
// the row series; in a list the work-item interleaves both sides of each pack in its scratch. A pack's lanes may differ in length and in band; a lane's
// result is taken when its own last cell is reached. Work-groups of one work-item take packs from a counter until none
// is left.
//
// With WW_ABANDON a list's pack is abandoned, and its unfinished results are infinity, as soon as every lane has a row
// with all values above the lane's radius: no later value is smaller. Only for recurrences with this property.
//
// With WW_SUMMED points have any number of channels, and a block sums the costs of a column over them before it computes it.
//
// Parameters: WW_VECTOR 4, 8, 16; WW_ROWS; WW_ABANDON. Scratch: args.scratch vectors a work-group; in a list with the points
// of its longest row and column series.
#define WW_TILE 8  // columns of a tile of soft minima

// A pack while its rows are computed.
typedef struct {
    __global const ww_scalar *xs, *ys;  // points of the rows of a list, of the columns
    ww_series x;                        // the row series of a rectangle
    __global ww_scalar *row;            // scratch
    uint filled, reached;               // with a band: the columns of it that are valid, [reached, filled)
    uint longest, shortest;             // columns of the lanes
    ww_ints row_lengths, column_lengths;
    int end_x, end_y;                   // with open ends: points that may be skipped
    ww_point before;                    // of the column before
    real nearest;                       // the least value of the block's last row
    real result;
    uint channels;                      // WW_SUMMED
} ww_packed_state;

// What each lane has of its own.
typedef struct {
    uint ids[WW_VECTOR];
    int heights[WW_VECTOR], lengths[WW_VECTOR];  // rows, columns
#if WW_BAND
    ww_pair_band limits[WW_VECTOR];
#endif
} ww_packed_lanes;

// Point t of a pack.
WW_INLINE ww_point ww_pack_point(const ww_packed_state *s, __global const ww_scalar *packed, uint t) {
#if WW_SUMMED
    ww_point point;
    point.value = 0;
    point.at = packed + (ulong)t * s->channels * WW_VECTOR;
    return point;
#else
    return ww_packed_point(packed, t);
#endif
}
WW_INLINE ww_point ww_broadcast_point(ww_series s, uint t) {
    ww_point point;
#if WW_SUMMED
    point.value = 0;
    point.at = s.at + t;
#else
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = (real)s.at[t + (ulong)c * s.length];
#if WW_EXTRA
    point.extra = (real)s.extra[t];
#endif
#endif
    return point;
}
WW_INLINE ww_point ww_packed_row_point(const ww_packed_state *s, int t) {
    return WW_LIST ? ww_pack_point(s, s->xs, (uint)t) : ww_broadcast_point(s->x, (uint)t);
}
WW_INLINE ww_row ww_packed_row(const ww_packed_state *s, int t, ww_parameters given) {
    const ww_point own = ww_packed_row_point(s, t);
    return ww_row_make(own, WW_BEFORE ? ww_packed_row_point(s, max(t, 1) - 1) : own, (real)(ww_scalar)t);
}
WW_INLINE ww_column ww_packed_column(ww_packed_state *s, ww_point own, uint j, ww_parameters given) {
    const ww_column y = ww_column_make(own, WW_BEFORE ? s->before : own, (real)(ww_scalar)j);
    s->before = own;
    return y;
}
// The value above column j of a block.
WW_INLINE real ww_packed_top(const ww_packed_state *s, const ww_block *b, ww_point y, uint j, ww_pair lengths,
                             ww_parameters given) {
    return b->i == 0 ? ww_border_top(y, (real)(ww_scalar)j, lengths) : WW_VLOAD(j, s->row);
}
WW_INLINE real ww_packed_corner(const ww_block *b, const ww_block_rows *x, ww_column y, real top, uint j, ww_pair lengths,
                                ww_parameters given) {
    return b->i == 0 ? top : ww_block_corner(b, x, y, top, j, lengths, given);
}
WW_INLINE void ww_packed_store(ww_packed_state *s, uint j, real value) {
    WW_VSTORE(value, j, s->row);
    s->nearest = s->nearest < value ? s->nearest : value;
}

WW_INLINE void ww_packed_step(ww_packed_state *s, ww_block *b, const ww_block_rows *x, const int rows, const bool masked,
                              uint j, ww_pair lengths, ww_parameters given) {
    const ww_point own = ww_pack_point(s, s->ys, j);
    const ww_column y = ww_packed_column(s, own, j, given);
    const real top = ww_packed_top(s, b, own, j, lengths, given);
    const real last = ww_block_column(b, x, rows, masked, y, top, j, lengths, given);
    b->corner = ww_packed_corner(b, x, y, top, j, lengths, given);
    ww_packed_store(s, j, last);
}

// A soft minimum takes some hundred cycles, and the next cell of its row and of its column wait for it. So columns are
// computed WW_TILE at a time there, by diagonals, whose cells do not wait for each other.
WW_INLINE void ww_packed_tile(ww_packed_state *s, ww_block *b, const ww_block_rows *x, uint j, ww_pair lengths,
                              ww_parameters given) {
    ww_column y[WW_TILE];
    real costs[WW_TILE][WW_ROWS];
    real above[WW_TILE], aslant[WW_TILE], cell[WW_ROWS][WW_TILE], along[WW_ROWS + WW_TILE - 1];
#pragma unroll
    for (int k = 0; k < WW_TILE; k++) {
        const ww_point own = ww_pack_point(s, s->ys, j + (uint)k);
        y[k] = ww_packed_column(s, own, j + (uint)k, given);
        ww_block_costs(x, WW_ROWS, y[k], costs[k]);
        above[k] = ww_packed_top(s, b, own, j + (uint)k, lengths, given);
        aslant[k] = b->corner;
        b->corner = ww_packed_corner(b, x, y[k], above[k], j + (uint)k, lengths, given);
    }
#pragma unroll
    for (int d = 0; d < WW_ROWS + WW_TILE - 1; d++)
        along[d] = WW_LAG(ww_block_lag(b, d - WW_TILE + 1, j));
#pragma unroll
    for (int d = 0; d < WW_ROWS + WW_TILE - 1; d++)
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const int k = d - q;
            if (k < 0 || k >= WW_TILE)
                continue;
            const real left = k ? cell[q][k - 1] : b->c[q], up = q ? cell[q - 1][k] : above[k];
            const real diagonal = q == 0 ? aslant[k]
                                  : k    ? ww_carry(cell[q - 1][k - 1], x->a[q - 1], y[k - 1], along[q - k + WW_TILE - 1])
                                  : WW_CARRY ? b->g[q - 1] : b->c[q - 1];
            cell[q][k] = WW_CELL(left, up, diagonal, x->a[q], ww_block_meet(y[k], costs[k], q), along[q - k + WW_TILE - 1], lengths, 2);
        }
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++) {
        b->along[q] = along[q];
        b->c[q] = cell[q][WW_TILE - 1];
        b->g[q] = ww_carry(b->c[q], x->a[q], y[WW_TILE - 1], along[q]);
    }
#pragma unroll
    for (int k = 0; k < WW_TILE; k++)
        ww_packed_store(s, j + (uint)k, cell[WW_ROWS - 1][k]);
}

// Results of the lanes whose last column this is, and whose last row is among these.
WW_INLINE void ww_packed_take(ww_packed_state *s, const ww_block *b, const int rows, uint j) {
    if ((WW_LIST | WW_OPEN) == 0) {
        s->result = WW_TO_MASK(s->column_lengths == (int)j + 1) ? b->c[rows - 1] : s->result;
        return;
    }
    WW_BLOCK_ROWS(q, rows) {
        const ww_ints row_left = s->row_lengths - (b->i + q + 1), column_left = s->column_lengths - ((int)j + 1);
        if (WW_OPEN) {
            const ww_ints taken = ((row_left == 0) & (column_left >= 0) & (column_left <= s->end_y)) |
                                  ((column_left == 0) & (row_left >= 0) & (row_left <= s->end_x));
            s->result = WW_TO_MASK(taken) ? ww_lesser(s->result, b->c[q]) : s->result;
        } else {
            s->result = WW_TO_MASK((row_left == 0) & (column_left == 0)) ? b->c[q] : s->result;
        }
    }
}

#if WW_BAND
// The rows' intervals, lane by lane. Cells left of the block's first column are outside; so are those of the row above
// that it did not have.
WW_INLINE void ww_packed_band(ww_packed_state *s, const ww_packed_lanes *lanes, ww_block *b, ww_block_rows *x,
                              ww_block_columns *at, const int rows) {
    at->from = 0x7fffffff;
    at->to = 0;
#pragma unroll 1
    for (int q = 0; q < rows; q++) {
        int lo[WW_VECTOR], hi[WW_VECTOR];
        for (int v = 0; v < WW_VECTOR; v++) {
            const uint t = min((uint)(b->i + q), (uint)lanes->heights[v] - 1);
            lo[v] = (int)ww_band_lo(lanes->limits[v], t);
            hi[v] = (int)ww_band_hi(lanes->limits[v], t);
        }
        ww_block_limit(x, at, q, lo, hi);
    }
    at->calm_begin = min(at->calm_begin, at->to);
    for (; s->filled < at->to; s->filled++)
        WW_VSTORE(WW_OUTSIDE, s->filled, s->row);
    if (at->from > 0) {
        b->corner = b->i == 0 ? WW_BORDER : at->from > s->reached ? WW_VLOAD(at->from - 1, s->row) : WW_OUTSIDE;
        WW_BLOCK_ROWS(q, rows)
            b->c[q] = WW_OUTSIDE;
    }
    s->reached = at->from;
}
#endif

// A block of `rows` rows from row i on.
WW_INLINE void ww_packed_block(ww_packed_state *s, const ww_packed_lanes *lanes, int i, const int rows, ww_pair lengths,
                               ww_parameters given) {
    ww_block b;
    ww_block_rows x;
    b.i = i;
    b.shift = 0;
#if WW_SUMMED
    x.channels = s->channels;
    x.stride = WW_LIST ? WW_VECTOR : s->x.length;
    x.each = WW_LIST;
#endif
    for (int q = 0; q < rows; q++)
        x.a[q] = ww_packed_row(s, i + q, given);
    WW_BLOCK_ROWS(q, rows)
        b.c[q] = ww_border_left(x.a[q], (real)(ww_scalar)(i + q), lengths);
    x.above = ww_packed_row(s, max(i, 1) - 1, given);
    b.corner = i == 0 ? (real)0 : ww_border_left(x.above, (real)(ww_scalar)(i - 1), lengths);
    ww_block_columns at = {0, s->longest, 0, WW_OPEN ? 0 : s->shortest - 1};
#if WW_BAND
    ww_packed_band(s, lanes, &b, &x, &at, rows);
#endif
    ww_block_begin(&b, rows, at.from, lengths, given);
    s->before = ww_pack_point(s, s->ys, max(at.from, 1u) - 1);
    if (WW_CARRY && at.from > 0 && i > 0) {
        const ww_point earlier = ww_pack_point(s, s->ys, max(at.from, 2u) - 2);
        const ww_column beside = ww_column_make(s->before, earlier, (real)(ww_scalar)(at.from - 1));
        b.corner = ww_block_corner(&b, &x, beside, b.corner, at.from - 1, lengths, given);
    }
    s->nearest = WW_INF;
    uint j = at.from;
    for (; j < at.calm_begin; j++) {
        ww_packed_step(s, &b, &x, rows, WW_BAND, j, lengths, given);
        ww_packed_take(s, &b, rows, j);
    }
    if (WW_SELECT == WW_SELECT_SOFT && rows == WW_ROWS)
        for (; j + WW_TILE <= at.calm_end; j += WW_TILE)
            ww_packed_tile(s, &b, &x, j, lengths, given);
    for (; j < at.calm_end; j++)
        ww_packed_step(s, &b, &x, rows, false, j, lengths, given);
    for (; j < at.to; j++) {
        ww_packed_step(s, &b, &x, rows, WW_BAND, j, lengths, given);
        ww_packed_take(s, &b, rows, j);
    }
}

// The remaining rows, by halves.
WW_INLINE void ww_packed_rest(ww_packed_state *s, const ww_packed_lanes *lanes, int i, int tallest, ww_pair lengths,
                              ww_parameters given) {
    if (WW_ROWS > 8 && i + 8 <= tallest) {
        ww_packed_block(s, lanes, i, 8, lengths, given);
        i += 8;
    }
    if (WW_ROWS > 4 && i + 4 <= tallest) {
        ww_packed_block(s, lanes, i, 4, lengths, given);
        i += 4;
    }
    if (WW_ROWS > 2 && i + 2 <= tallest) {
        ww_packed_block(s, lanes, i, 2, lengths, given);
        i += 2;
    }
    if (WW_ROWS > 1 && i < tallest)
        ww_packed_block(s, lanes, i, 1, lengths, given);
}

#if WW_LIST
// Interleaves a list's pack to `to`: its row series, then its column series. Returns the end.
WW_INLINE __global ww_scalar *ww_packed_bring(ww_packed_state *s, ww_pack p, __global const ww_scalar *x_values,
                                              __global const ulong2 *x_series, __global const ww_scalar *y_values,
                                              __global const ulong2 *y_series, __global const uint *x_order, uint channel,
                                              __global ww_scalar *to) {
    const uint channels = s->channels;
    s->xs = to;
#pragma unroll 1 // one copy of the code: it takes long to compile
    for (uint side = 0; side < 2; side++) {
        ww_series of[WW_VECTOR];
        uint longest = 0, shortest = 0xffffffffu;
        for (uint v = 0; v < WW_VECTOR; v++) {
            const uint id = x_order[3 * (ulong)WW_PACK_SLOT(p, v) + side];
            of[v] = ww_series_load(side ? y_values : x_values, side ? y_series : x_series, id, channel);
            longest = max(longest, of[v].length);
            shortest = min(shortest, of[v].length);
        }
        s->ys = to;
        ww_interleave_pack(of, longest, shortest, channels, to);
        to += (ulong)longest * WW_PACK_PARTS * WW_VECTOR;
    }
    return to;
}
#endif

// The columns' side of a pack.
WW_INLINE void ww_packed_set_columns(ww_packed_state *s, ww_packed_lanes *lanes, ww_pack p, __global const uint *x_order,
                                     __global const uint *y_order, __global const ulong2 *y_series) {
    s->longest = 0;
    s->shortest = 0xffffffffu;
    for (uint v = 0; v < WW_VECTOR; v++) {
        const uint slot = WW_PACK_SLOT(p, v), column = WW_LIST ? WW_TASK_Y(slot) : y_order[slot];
        const uint length = (uint)y_series[column].y;
        lanes->ids[v] = WW_LIST ? WW_TASK_RESULT(slot) : column;
        lanes->lengths[v] = (int)length;
        s->longest = max(s->longest, length);
        s->shortest = min(s->shortest, length);
    }
    s->column_lengths = WW_PASTE(vload, WW_VECTOR)(0, lanes->lengths);
}

#if WW_ABANDON
// Whether every lane that has rows from `rows` on is above its radius; then these lanes are counted. Roots of vectors and of
// scalars may differ in the last bit.
WW_INLINE bool ww_packed_abandon(const ww_packed_state *s, const ww_packed_lanes *lanes, int rows, uint count, real radius,
                                 __global uint *abandoned) {
    const real nearest = WW_ROOT ? sqrt(s->nearest) * (ww_scalar)(1 - 1e-6) : s->nearest;
    if (!all((nearest > radius) | WW_TO_MASK(s->row_lengths <= rows)))
        return false;
    for (uint v = 0; v < count; v++)
        if (lanes->heights[v] > rows)
            atomic_inc(abandoned);
    return true;
}
#endif

#if WW_SUMMED
#define WW_PACKED_MORE , const uint channels
#define WW_PACKED_CHANNELS channels
#else
#define WW_PACKED_MORE
#define WW_PACKED_CHANNELS WW_CHANNELS
#endif
WW_INLINE void ww_packed_begin(ww_packed_state *s, const ww_launch_args args, uint channels,
                               __global ww_scalar *own) {
    s->row = own;
    s->channels = channels;
    s->end_x = (int)args.end_x;
    s->end_y = (int)args.end_y;
}

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
          WW_PACKED_MORE) {
    const ww_parameters given = WW_PARAMETERS_OF(args);
    ww_packed_state s;
    __global ww_scalar *const own = scratch + (ulong)get_group_id(0) * args.scratch * WW_VECTOR;
    ww_packed_begin(&s, args, WW_PACKED_CHANNELS, own);
    for (uint unit; (unit = atomic_inc(counter)) < units;) {
        const ww_pack p = ww_pack_of(args, unit, packs, WW_VECTOR);
        ww_packed_lanes lanes;
#if WW_LIST
        s.row = ww_packed_bring(&s, p, x_values, x_series, y_values, y_series, x_order, args.channel, own);
#else
        s.ys = y_packed + y_pack_offset[p.pack];
#endif
        ww_packed_set_columns(&s, &lanes, p, x_order, y_order, y_series);
#if WW_ABANDON
        ww_scalar lane_radius[WW_VECTOR];
        for (int v = 0; v < WW_VECTOR; v++)
            lane_radius[v] = radii[(ulong)(lanes.ids[v] / radius_results) * radius_k + radius_k - 1];
        const real radius = WW_VLOAD(0, lane_radius);
#endif
        for (uint r = p.row_begin; r < p.row_end + WW_LIST; r++) {  // a list's pack: once
            if (WW_PACK_DONE(p, r, WW_VECTOR))
                break;
            const uint x_id = WW_LIST ? 0 : x_order[r], count = WW_PACK_COUNT(p, WW_VECTOR);
            int tallest = 0;
            if (!WW_LIST)
                s.x = ww_series_load(x_values, x_series, x_id, args.channel);
            for (uint v = 0; v < WW_VECTOR; v++) {
                const uint slot = WW_PACK_SLOT(p, v);
                const ww_series x = WW_LIST ? ww_series_load(x_values, x_series, WW_TASK_X(slot), args.channel) : s.x;
#if WW_BAND
                const uint y_id = WW_LIST ? WW_TASK_Y(slot) : y_order[slot];
                lanes.limits[v] = WW_BAND_OF(x, ww_series_load(y_values, y_series, y_id, args.channel));
#endif
                lanes.heights[v] = (int)x.length;
                tallest = max(tallest, lanes.heights[v]);
            }
            s.row_lengths = WW_PASTE(vload, WW_VECTOR)(0, lanes.heights);
            s.filled = s.reached = 0;
            ww_pair lengths;
            lengths.rows = WW_TO_REAL(s.row_lengths);
            lengths.columns = WW_TO_REAL(s.column_lengths);
            WW_SET_PAIR(lengths)
#if WW_OPEN
            s.result = ww_border_ends(ww_packed_row(&s, 0, given), ww_pack_point(&s, s.ys, 0), lengths);
#else
            s.result = WW_BORDER;
#endif
            int i = 0;
            for (; i + WW_ROWS <= tallest; i += WW_ROWS) {
                ww_packed_block(&s, &lanes, i, WW_ROWS, lengths, given);
#if WW_ABANDON
                const int next = i + WW_ROWS;
                if (next < tallest && ww_packed_abandon(&s, &lanes, next, count, radius, abandoned))
                    i = tallest;
#endif
            }
            ww_packed_rest(&s, &lanes, i, tallest, lengths, given);
            ww_scalar values[WW_VECTOR];
            WW_VSTORE(s.result, 0, values);
            for (uint v = 0; v < count; v++) {
                const uint id = lanes.ids[v], rows = (uint)lanes.heights[v], columns = (uint)lanes.lengths[v];
                if (WW_PACK_WANTED(p, r, v))
                    ww_store(out, args, x_id, id, id, ww_final(values[v], rows, columns));
            }
        }
    }
}
