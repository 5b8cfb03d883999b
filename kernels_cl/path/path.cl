// SPDX-License-Identifier: Apache-2.0
// Warping paths: what their kernels (path_lanes.cl with path_walk.cl, path_packed.cl) share. No kernel is here.
//
// The matrix of a pair is cut into tiles of path.rows x path.columns cells. Without WW_EMIT_DIRECTIONS a launch computes
// the tiles of one diagonal of tiles, of all pairs, and keeps each tile's last row and last column: the lines. With it a
// pair's path is walked back from its end: the tile that the walk is in is computed again from the lines, now with the
// two bits of each of its cells, then the walk goes through it to the tile that it enters. A matrix that is one tile
// needs no lines of others, and the launches before are left out.
//
// Lines of a pair, from its `edges` on: the last row of each row of tiles (m values each), then the last column of each
// column of tiles (a value for each row, path.padding rows before the first).

// The host's twin of the arguments is in src/path/path.h; a pair's entry is in path_pair.cl.
typedef struct {
    ulong direction_words;  // of a group
    ulong edge_values;      // of a group, with one tile
    uint rows, columns;     // of a tile
    uint units;
    uint diagonal, each;    // a diagonal of tiles, and how many of its tiles a pair has at most
    uint turns;             // most tiles that a walk goes through in this launch (path_packed.cl)
    uint whole;             // each matrix is one tile
    uint first;             // the unit that has the first directions (path_lanes.cl)
} ww_path_args;

#define WW_WALKS (WW_EMIT & WW_EMIT_DIRECTIONS)

// A pair and its lines.
typedef struct {
    uint n, m;
    uint padding;  // rows before the first
    uint tile_rows, tile_columns;
    __global ww_scalar *lines;
} ww_path_matrix;

WW_INLINE __global ww_scalar *ww_row_line(ww_path_matrix t, uint tile_row) {
    return t.lines + (ulong)tile_row * t.m;
}
WW_INLINE __global ww_scalar *ww_column_line(ww_path_matrix t, uint tile_column) {
    return t.lines + (ulong)t.tile_rows * t.m + (ulong)tile_column * (t.n + t.padding);
}
WW_INLINE ww_path_matrix ww_path_matrix_of(uint n, uint m, uint padding, ww_path_args path,
                                           __global ww_scalar *lines) {
    ww_path_matrix t;
    t.n = n;
    t.m = m;
    t.padding = padding;
    t.tile_rows = path.whole ? 1 : (n + padding + path.rows - 1) / path.rows;
    t.tile_columns = path.whole ? 1 : (m + path.columns - 1) / path.columns;
    t.lines = lines;
    return t;
}

// Whether row i (from 0) has column j (from 0) inside the band.
#if WW_BAND
#define WW_PATH_INSIDE(limits, i, j) (ww_band_lo(limits, i) <= (j) && (j) < ww_band_hi(limits, i))
#else
#define WW_PATH_INSIDE(limits, i, j) true
#endif

#if WW_WALKS
#if WW_ORDER == WW_MOST
#define WW_PATH_BETTER(a, b) ((a) > (b))
#else
#define WW_PATH_BETTER(a, b) ((a) < (b))
#endif

// Where a path ends: the best of the ends, the first of them row by row. Sets the walk's cell, gives the value.
WW_INLINE ww_scalar ww_path_closed_end(__global ww_path_pair *pair, ww_path_matrix t) {
    pair->i = t.n;
    pair->j = t.m;
    return ww_row_line(t, t.tile_rows - 1)[t.m - 1];
}
#if WW_OPEN
WW_INLINE ww_scalar ww_path_open_end(__global ww_path_pair *pair, ww_path_matrix t, uint end_x, uint end_y,
                                     ww_scalar border_top, ww_scalar border_left, __global const uint *band,
                                     uint row_rank, uint column_rank, ww_launch_args args) {
    __global const ww_scalar *last_row = ww_row_line(t, t.tile_rows - 1);
    __global const ww_scalar *last_column = ww_column_line(t, t.tile_columns - 1);
    ww_scalar best = INFINITY;
    uint at_i = t.n, at_j = t.m;
#if WW_BAND
    const ww_pair_band limits = ww_band_make(band, row_rank, column_rank, args.rank_columns, args.band_width,
                                             (args.flags & WW_LAUNCH_CORNER) != 0, t.n, t.m);
#endif
    if (end_x >= t.n) {
        best = border_top;
        at_i = 0;
    }
    for (uint i = t.n - min(end_x, t.n); i < t.n; i++) {
        if (i == 0 || !WW_PATH_INSIDE(limits, i - 1, t.m - 1))
            continue;
        const ww_scalar value = last_column[i - 1 + t.padding];
        if (value < best) {
            best = value;
            at_i = i;
        }
    }
    if (end_y >= t.m && border_left < best) {
        best = border_left;
        at_i = t.n;
        at_j = 0;
    }
    for (uint j = t.m - min(end_y, t.m); j <= t.m; j++) {
        if (j == 0 || !WW_PATH_INSIDE(limits, t.n - 1, j - 1))
            continue;
        const ww_scalar value = last_row[j - 1];
        if (value < best) {
            best = value;
            at_i = t.n;
            at_j = j;
        }
    }
    pair->i = at_i;
    pair->j = at_j;
    return best;
}
#define WW_PATH_OPEN(points) args.points
#define WW_PATH_END(t, x, y)                                                                                           \
    ww_path_open_end(pair, t, args.end_x, args.end_y, WW_PATH_LAST_TOP, WW_PATH_LAST_LEFT, band,                       \
                     (x).rank - args.rank_row_base, (y).rank - args.rank_column_base, args)
#else
#define WW_PATH_OPEN(points) 0u
#define WW_PATH_END(t, x, y) ww_path_closed_end(pair, t)
#endif
// The walk of `pair` begins; the pair's result is known.
#define WW_PATH_FIND_END(t, x, y)                                                                                               \
    {                                                                                                                  \
        const ww_scalar value_ = WW_PATH_END(t, x, y);                                                                 \
        pair->end_i = pair->i;                                                                                         \
        pair->end_j = pair->j;                                                                                         \
        pair->state = WW_WALK_ON;                                                                                      \
        out[WW_TASK_RESULT(task)] = ww_final(value_, (x).length, (y).length);                                          \
    }
#if WW_VECTOR == 1
#define WW_PATH_LIMITS limits
// D(0,m) and D(n,0), which open ends may take.
#define WW_PATH_LAST_TOP ww_border_top(WW_POINT(y, y.length - 1), (real)(y.length - 1), lengths)
#define WW_PATH_LAST_LEFT ww_border_left(WW_ROW_AT(x, x.length - 1), (real)(x.length - 1), lengths)
#endif

// Outside the band the value of LCS and LCSS is 0, as on the border, so that a path may come from there: from a match
// whose points before are outside, or where neither point beside is inside. The path goes on to the border on that side
// of the band by steps that skip points: it comes to no other cell of the band, and the costs along it are those of its
// value. Of two steps that lead to 0 the one that stays inside is taken.
#if WW_BAND && WW_ORDER == WW_MOST
#define WW_PATH_ALLOWED(i, j) ((i) == 0 || (j) == 0 || WW_PATH_INSIDE(WW_PATH_LIMITS, (i)-1, (j)-1))
#define WW_PATH_STAY(step, i, j)                                                                                       \
    if (!WW_PATH_ALLOWED(i, j))                                                                                        \
        step = (j)-1 < ww_band_lo(WW_PATH_LIMITS, (i)-1) ? 3 : 1;                                                      \
    else if (step == 1 && !WW_PATH_ALLOWED((i)-1, j) && WW_PATH_ALLOWED(i, (j)-1))                                     \
        step = 3;
#else
#define WW_PATH_STAY(step, i, j)
#endif
#endif
