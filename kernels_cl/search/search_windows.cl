// SPDX-License-Identifier: Apache-2.0
// The distance of a query to windows of a stream, under any measure and band.
//
// A vector lane (WW_VECTOR 1: a work-item) has a window. Blocks of WW_ROWS rows of the query are held in registers and
// computed column by column; the last row of a block is kept for the block below, in local memory (WW_SEARCH_LOCAL) or in
// scratch memory. All windows have the query's length, so a row's band is the same for all: `rows` has its columns
// [lo, hi). With vectors the windows' points are normalised and interleaved once, in scratch memory. No barrier.
//
// WW_SEARCH_ABANDON 1: where no cell is below all its neighbours, a cell above the limit leads to no match. So a block begins
// in the first column in which the row above it is within the limit, and ends where nothing within it goes on: neither
// from that row nor from the left (M. Herrmann and G. I. Webb, Early abandoning and pruning for elastic distances including
// dynamic time warping, 2021). A cell within the limit has the value that it has in the whole matrix, bit for bit: by
// induction so has the neighbour from which it comes. A window with a row that is above the limit is given up; the work-item
// takes its next one at once. The items of a GPU's group keep step: so a step is WW_SEARCH_STRETCH columns of whatever block
// an item has reached, and not a block or a window, of which each item's is as long as it is.
// search_tail.cl lowers the limit for the rows above the last ones.
//
// Scratch: of a work-item's lanes, n values of a row; with vectors n points more.
// Parameters: search_points.cl's and search_tail.cl's; WW_ROWS, at most 8; WW_WG; WW_SEARCH_LOCAL 1: rows are in local memory, n values of a
// work-item.
#define WW_SEARCH_STRETCH 16
#define WW_SEARCH_LOOK 4  // columns from one look at the limit to the next

#if WW_SEARCH_LOCAL
#define WW_ROW_SPACE __local
#else
#define WW_ROW_SPACE __global
#endif

// What goes from one block to the next.
typedef struct {
    WW_ROW_SPACE ww_scalar *row;  // the last row computed
    ulong apart;                  // WW_VECTOR 1: from one value of it to the next. As uint it costs registers
    uint i;                       // rows computed
    uint begin, end;              // columns of `row` from which a path may go on
    bool shut;                    // no path begins in the border left of the last block
    real top;                     // of the border, above the last column
    real result;                  // the last block's last value
    ww_scalar most;               // cells above it lead to no match
    real tail, bound;             // what the path's last cells cost at least; what follows for the rows computed
} ww_window_state;

// The elements of a block's rows, and of the row above.
typedef struct {
    ww_row a[WW_ROWS], above;
} ww_window_rows;

// A block after a column: its values, with WW_CARRY what goes on along the diagonal from them, the same from the row
// above, and the column's point. Apart from ww_window_rows, of which nothing changes.
typedef struct {
    real c[WW_ROWS], g[WW_ROWS], corner;
    ww_point before;
    real nearest;                // the least value of the last row since the last look
    uint begin, end;             // columns from which a path may go on below
    bool over;                   // none goes on to the right
    uint j, to;                  // the next column, and the end of the rows' band; 0: no block has begun
    uint calm_begin, calm_end;   // columns that are inside the band of all rows
} ww_window_block;

WW_INLINE real ww_row_get(const ww_window_state *w, uint j) {
#if WW_SEARCH_LOCAL
    return w->row[j * WW_WG];
#elif WW_VECTOR == 1
    return w->row[j * w->apart];
#else
    return WW_VLOAD(j, w->row);
#endif
}
WW_INLINE void ww_row_put(const ww_window_state *w, real value, uint j) {
#if WW_SEARCH_LOCAL
    w->row[j * WW_WG] = value;
#elif WW_VECTOR == 1
    w->row[j * w->apart] = value;
#else
    WW_VSTORE(value, j, w->row);
#endif
}

// Whether any lane's value is within the bound.
WW_INLINE bool ww_window_within(const ww_window_state *w, real value) {
#if WW_VECTOR == 1
    return value <= w->bound;
#else
    return any(value <= w->bound);
#endif
}

// What is above a block in column j, in order.
WW_INLINE real ww_above_block(ww_window_state *w, ww_point own, ww_column y, uint j, ww_pair lengths,
                              const ww_window_args args) {
    const real row = j < w->end ? ww_row_get(w, j) : WW_OUTSIDE;
#if WW_TOP_NEXT
    return w->i == 0 ? (w->top = ww_top_next(w->top, y)) : row;
#else
    return w->i == 0 ? ww_border_top(own, (real)(ww_scalar)j, lengths) : row;
#endif
}

// A function's argument, both sides of && are computed: as branches they are a third more code, and spill.
WW_INLINE real ww_keep(bool inside, real value) {
    return inside ? value : WW_OUTSIDE;
}

// What goes on along the diagonal from the row above a block, whose value in column j is `top`.
WW_INLINE real ww_window_corner(real top, ww_row above, ww_column y, uint i, uint j, ww_pair lengths,
                                const ww_window_args args) {
    const real lag = WW_LAG((real)(ww_scalar)((int)i - 1 - (int)j));
    return !WW_CARRY || i == 0 ? top : ww_carry(top, above, y, lag);
}

// After columns [first, b->j): from which a path goes on below, and whether one goes on to the right.
WW_INLINE void ww_window_look(ww_window_block *b, const ww_window_state *w, const int rows, uint first) {
#if WW_SEARCH_ABANDON
    if (ww_window_within(w, b->nearest)) {
        b->begin = min(b->begin, first);
        b->end = b->j;
    }
    b->nearest = WW_INF;
    if (b->j > w->end) {
        real least = b->c[0];
#pragma unroll
        for (int q = 1; q < rows; q++)
            least = ww_lesser(least, b->c[q]);
        b->over = !ww_window_within(w, least);
    }
#endif
}

// Column j of a block. `masked`: some cells may be outside the band, which has the columns [lo, hi) of each row. These
// in a struct with the elements cost an address more in every column on AMD.
WW_INLINE void ww_window_column(ww_window_block *b, const ww_window_rows *x, const int *lo, const int *hi,
                                ww_window_state *w, const int rows, const bool masked, const ww_windows *windows,
                                uint j, ww_pair lengths, const ww_window_args args) {
    const ww_point own = ww_window_point(windows, args, j);
    const ww_column y = ww_column_make(own, b->before, (real)(ww_scalar)j);
    const real top = ww_above_block(w, own, y, j, lengths, args);
    real up = top, diagonal = b->corner;
#pragma unroll
    for (int q = 0; q < rows; q++) {
        const real left = b->c[q], lag = WW_LAG((real)(ww_scalar)((int)w->i + q - (int)j));
        const real value = WW_CELL(left, up, diagonal, x->a[q], y, lag, lengths, 2);
        up = masked ? ww_keep((int)j >= lo[q] && (int)j < hi[q], value) : value;
        diagonal = WW_CARRY ? b->g[q] : left;
        if (WW_CARRY)
            b->g[q] = ww_carry(up, x->a[q], y, lag);
        b->c[q] = up;
    }
    b->corner = ww_window_corner(top, x->above, y, w->i, j, lengths, args);
    b->before = own;
    ww_row_put(w, up, j);
    if (WW_SEARCH_ABANDON)
        b->nearest = ww_lesser(b->nearest, up);
}

// What is left of a block's column `from`: of its rows, and of the row above.
WW_INLINE void ww_window_left(ww_window_block *b, const ww_window_rows *x, const ww_window_state *w, const int rows,
                              const ww_windows *windows, uint from, ww_pair lengths, const ww_window_args args) {
    const uint i = w->i;
    b->before = ww_window_point(windows, args, from ? from - 1 : 0);
    b->corner = i == 0 ? (real)0 : ww_border_left(x->above, (real)(ww_scalar)(i - 1), lengths);
    if (from > 0)
        b->corner = i == 0                                   ? WW_BORDER
                    : from > w->begin && from - 1 < w->end ? ww_row_get(w, from - 1)
                                                             : WW_OUTSIDE;
#pragma unroll
    for (int q = 0; q < rows; q++) {
        if (from > 0)
            b->c[q] = WW_OUTSIDE;
        b->g[q] = b->c[q];
    }
    if (WW_CARRY && from > 0 && i > 0) {
        const ww_point earlier = ww_window_point(windows, args, from > 1 ? from - 2 : 0);
        const ww_column beside = ww_column_make(b->before, earlier, (real)(ww_scalar)(from - 1));
        b->corner = ww_window_corner(b->corner, x->above, beside, i, from - 1, lengths, args);
    }
}

// Begins the block of the next `rows` rows. band: the columns of each row.
WW_INLINE void ww_block_begin(ww_window_block *b, ww_window_rows *x, int *lo, int *hi, ww_window_state *w,
                              const int rows, const ww_windows *windows, __global const ww_scalar *x_values,
                              __global const uint *band, ww_pair lengths, const ww_window_query q,
                              const ww_window_args args) {
    const uint i = w->i;
    band += 2 * (ulong)q.order_at;
    w->bound = (real)w->most - (i + (uint)rows + WW_SEARCH_CORNERS <= args.n ? w->tail : (real)0);
    b->j = args.n;
    b->to = b->calm_begin = 0;
    b->calm_end = args.n;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        x->a[r] = ww_query_row(x_values, q, args, i + (uint)r);
        b->c[r] = ww_border_left(x->a[r], (real)(ww_scalar)(i + (uint)r), lengths);
        lo[r] = (int)band[2 * (i + (uint)r)];
        hi[r] = (int)band[2 * (i + (uint)r) + 1];
        b->j = min(b->j, (uint)lo[r]);
        b->to = max(b->to, (uint)hi[r]);
        b->calm_begin = max(b->calm_begin, (uint)lo[r]);
        b->calm_end = min(b->calm_end, (uint)hi[r]);
    }
    b->calm_begin = min(b->calm_begin, b->to);
    x->above = ww_query_row(x_values, q, args, i ? i - 1 : 0);
    // Paths may also begin in the border, whose values grow from row to row.
    w->shut = i > 0 && !(WW_BORDERS && ww_window_within(w, ww_border_left(x->above, (real)(ww_scalar)(i - 1), lengths)));
    if (WW_SEARCH_ABANDON && w->shut)
        b->j = max(b->j, w->begin);
    ww_window_left(b, x, w, rows, windows, b->j, lengths, args);
    b->begin = WW_SEARCH_ABANDON ? args.n : b->j;
    b->end = WW_SEARCH_ABANDON ? 0 : b->to;
    b->over = false;
    b->nearest = WW_INF;
}

// The next columns of the block of `rows` rows.
WW_INLINE void ww_next_columns(ww_window_block *b, ww_window_rows *x, int *lo, int *hi, ww_window_state *w,
                               const int rows, const ww_windows *windows, __global const ww_scalar *x_values,
                               __global const uint *band, ww_pair lengths, const ww_window_query q,
                               const ww_window_args args) {
    if (b->to == 0)
        ww_block_begin(b, x, lo, hi, w, rows, windows, x_values, band, lengths, q, args);
    const uint stop = WW_SEARCH_ABANDON && WW_VECTOR == 1 ? min(b->to, b->j + WW_SEARCH_STRETCH) : b->to;
    while (b->j < stop && !b->over) {
        const uint first = b->j, end = WW_SEARCH_ABANDON ? min(stop, first + WW_SEARCH_LOOK) : stop;
        // Three loops: one text of them, unrolled, computes its bounds at length on AMD.
        for (const uint before = min(end, b->calm_begin); b->j < before; b->j++)
            ww_window_column(b, x, lo, hi, w, rows, true, windows, b->j, lengths, args);
        for (const uint calm = min(end, b->calm_end); b->j < calm; b->j++)
            ww_window_column(b, x, lo, hi, w, rows, false, windows, b->j, lengths, args);
        for (; b->j < end; b->j++)
            ww_window_column(b, x, lo, hi, w, rows, true, windows, b->j, lengths, args);
        ww_window_look(b, w, rows, first);
    }
    if (b->j < b->to && !b->over)
        return;
    // The block ends.
    w->begin = b->begin;
    w->end = b->end;
    w->result = b->j == args.n ? b->c[rows - 1] : WW_INF;
    w->i += (uint)rows;
    b->to = 0;
}

// The pack's windows. NaN where one can't match.
WW_INLINE real ww_windows_ready(ww_windows *windows, __global const ww_scalar *values, __global const ww_scalar *table,
                                __global const uint *list, const ww_window_args args, const ww_window_query q, uint pack) {
#if WW_VECTOR > 1 && WW_SEARCH_LISTED
    ww_scalar lane_valid[WW_VECTOR];
    for (uint v = 0; v < WW_VECTOR; v++) {
        const uint p = ww_window_of(list, q, args, pack, v);
        lane_valid[v] = 0;
        for (int c = 0; c < WW_CHANNELS; c++) {
            __global const ww_scalar *at = values + (args.channel + c) * args.stride + p;
            const ww_scalar centre = WW_SEARCH_AFFINE == WWK_AFFINE_SHIFTED ? ww_table_of(table, args, c, 0)[p] : 0,
                            scale = ww_table_of(table, args, c, 1)[p],
                            shift = WW_SEARCH_AFFINE == WWK_AFFINE_SHIFTED ? ww_table_of(table, args, c, 2)[p] : 0;
            lane_valid[v] += scale;
            for (uint j = 0; j < args.n; j++)
                windows->points[((ulong)j * WW_CHANNELS + c) * WW_VECTOR + v] =
                    ww_affine(at[j], centre, scale, shift);
        }
    }
    return WW_VLOAD(0, lane_valid);
#else
    const ww_window window =
        ww_window_at(values, table, args, WW_VECTOR == 1 ? ww_window_of(list, q, args, pack, 0)
                                                         : q.first + pack * WW_VECTOR);
    real valid = 0;
    for (int c = 0; c < WW_CHANNELS; c++)
        valid += window.scale[c];
#if WW_VECTOR == 1
    *windows = window;
#else
    for (int c = 0; c < WW_CHANNELS; c++)
        for (uint j = 0; j < args.n; j++)
            WW_VSTORE(ww_window_value(&window, args, c, j), (ulong)j * WW_CHANNELS + c, windows->points);
#endif
    return valid;
#endif
}

// Makes the pack's windows ready: whether one of them may match. valid: NaN of those that can't.
WW_INLINE bool ww_window_begin(ww_window_state *w, ww_windows *windows, real *valid, __global const ww_scalar *values,
                               __global const ww_scalar *table, __global const ww_scalar *x, __global const uint *list,
                               const ww_window_args args, const ww_window_query q, uint pack) {
    *valid = ww_windows_ready(windows, values, table, list, args, q, pack);
    w->result = WW_INF;
    w->top = 0;
    w->i = w->begin = 0;
    w->end = WW_BORDERS ? args.n : 0;
    w->tail = WW_SEARCH_ABANDON ? ww_window_tail(windows, x, q, args) : (real)0;
    w->bound = (real)w->most - w->tail;
#if WW_VECTOR == 1
    if (*valid != *valid)
        return false;
#endif
    return !WW_SEARCH_ABANDON || ww_window_within(w, (real)0);
}

WW_INLINE void ww_window_store(__global ww_scalar *out, const ww_window_state *w, real valid, __global const uint *list,
                               const ww_window_args args, const ww_window_query q, uint pack) {
#if WW_VECTOR == 1
    ww_store_result(out, ww_window_of(list, q, args, pack, 0), w->result, valid == valid, q, args);
#else
    ww_scalar lanes[WW_VECTOR], valids[WW_VECTOR];
    WW_VSTORE(w->result, 0, lanes);
    WW_VSTORE(valid, 0, valids);
    for (uint v = 0; v < WW_VECTOR && pack * WW_VECTOR + v < q.count; v++)
        ww_store_result(out, ww_window_of(list, q, args, pack, v), lanes[v], valids[v] == valids[v], q, args);
#endif
}

// How many windows a pack has.
WW_INLINE uint ww_pack_windows(const ww_window_query q, uint pack) {
    return WW_VECTOR == 1 ? 1 : min((uint)WW_VECTOR, q.count - pack * WW_VECTOR);
}

// x: the queries' points, rows: their bands, list: their windows. counters[4 * query + 3]: abandoned windows.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_windows(__global const ww_scalar *restrict values, __global const ww_scalar *restrict table,
                  __global const ww_scalar *restrict x, __global const uint *restrict rows,
                  __global const ww_window_query *restrict queries, __global const uint *restrict list,
                  __global ww_scalar *restrict out, __global ww_scalar *restrict scratch,
                  __global const ww_scalar *restrict limits, __global uint *restrict counters, const ww_window_args args
#if WW_SEARCH_LOCAL
                  ,
                  __local ww_scalar *local_rows
#endif
) {
    const uint group = args.group + (uint)get_group_id(0);
    const ww_window_query q = ww_query_of(queries, args, group);
    const uint n = args.n, begin = (group - q.group) * args.span,
               packs = min((q.count + WW_VECTOR - 1) / WW_VECTOR, begin + args.span);
    uint abandoned = 0;
    ww_windows windows;
    ww_window_state w;
    w.apart = get_global_size(0);
#if WW_SEARCH_LOCAL
    w.row = local_rows + get_local_id(0);
#elif WW_VECTOR == 1
    w.row = scratch + get_global_id(0);
#else
    w.row = scratch + (ulong)get_global_id(0) * n * (1 + WW_CHANNELS) * WW_VECTOR;
    windows.points = w.row + (ulong)n * WW_VECTOR;
#endif
    w.most = WW_SEARCH_ABANDON ? ww_window_bound(limits[q.query], args) : INFINITY;
    ww_pair lengths;
    lengths.rows = (real)(ww_scalar)n;
    lengths.columns = (real)(ww_scalar)n;
    WW_PAIR_READY(lengths)
    ww_window_block b;
    ww_window_rows rows_of;
    int lo[WW_ROWS], hi[WW_ROWS];
    real valid = 0;
    uint pack = begin + (uint)get_local_id(0);
    w.i = b.to = 0;
    for (;;) {
        // Windows that can't match are passed over at once: the other items are not kept waiting by a block.
        while (w.i == 0 && b.to == 0 && pack < packs &&
               !ww_window_begin(&w, &windows, &valid, values, table, x, list, args, q, pack)) {
            ww_window_store(out, &w, valid, list, args, q, pack);
#if WW_VECTOR == 1
            abandoned += valid == valid;
#else
            abandoned += ww_pack_windows(q, pack);
#endif
            pack += WW_WG;
        }
        if (pack >= packs)
            break;
        const uint left = n - w.i;
        if (left >= WW_ROWS)
            ww_next_columns(&b, &rows_of, lo, hi, &w, WW_ROWS, &windows, x, rows, lengths, q, args);
        else if (WW_ROWS > 4 && left >= 4)
            ww_next_columns(&b, &rows_of, lo, hi, &w, 4, &windows, x, rows, lengths, q, args);
        else if (WW_ROWS > 2 && left >= 2)
            ww_next_columns(&b, &rows_of, lo, hi, &w, 2, &windows, x, rows, lengths, q, args);
        else if (WW_ROWS > 1)
            ww_next_columns(&b, &rows_of, lo, hi, &w, 1, &windows, x, rows, lengths, q, args);
        if (b.to)
            continue;
        const bool over = WW_SEARCH_ABANDON && w.i < n && w.begin >= w.end && (!WW_BORDERS || w.shut);
        if (w.i < n && !over)
            continue;
        if (over) {
            w.result = WW_INF;
            abandoned += ww_pack_windows(q, pack);
        }
        ww_window_store(out, &w, valid, list, args, q, pack);
        pack += WW_WG;
        w.i = 0;
    }
    if (abandoned)
        atomic_add(counters + 4 * q.query + 3, abandoned);
}
