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
WW_INLINE bool ww_path_inside(ww_pair_band limits, uint i, uint j) {
    return !WW_BAND || (ww_band_lo(limits, i) <= j && j < ww_band_hi(limits, i));
}

#if WW_WALKS
// Where a path ends, and the value there: the best of the ends, the first of them row by row.
typedef struct {
    ww_scalar value;
    uint i, j;
} ww_path_end;
WW_INLINE void ww_path_take_end(ww_path_end *best, ww_scalar value, uint i, uint j) {
    const bool better = value < best->value;
    best->value = better ? value : best->value;
    best->i = better ? i : best->i;
    best->j = better ? j : best->j;
}
// `top` and `left`: D(0,m) and D(n,0).
WW_INLINE ww_path_end ww_path_open_end(ww_path_matrix t, ww_pair_band limits, ww_scalar top, ww_scalar left,
                                       ww_launch_args args) {
    __global const ww_scalar *last_row = ww_row_line(t, t.tile_rows - 1);
    __global const ww_scalar *last_column = ww_column_line(t, t.tile_columns - 1);
    ww_path_end best = {INFINITY, t.n, t.m};
    if (args.end_x >= t.n) {
        best.value = top;
        best.i = 0;
    }
    for (uint i = t.n - min(args.end_x, t.n); i < t.n; i++)
        if (i && ww_path_inside(limits, i - 1, t.m - 1))
            ww_path_take_end(&best, last_column[i - 1 + t.padding], i, t.m);
    if (args.end_y >= t.m)
        ww_path_take_end(&best, left, t.n, 0);
    for (uint j = t.m - min(args.end_y, t.m); j <= t.m; j++)
        if (j && ww_path_inside(limits, t.n - 1, j - 1))
            ww_path_take_end(&best, last_row[j - 1], t.n, j);
    return best;
}
WW_INLINE ww_path_end ww_path_closed_end(ww_path_matrix t) {
    const ww_path_end corner = {ww_row_line(t, t.tile_rows - 1)[t.m - 1], t.n, t.m};
    return corner;
}
// The walk of `pair` begins; the pair's result is known and returned.
WW_INLINE ww_scalar ww_path_begin_walk(__global ww_path_pair *pair, ww_path_matrix t, ww_pair_band limits, ww_scalar top,
                                       ww_scalar left, ww_launch_args args) {
    const ww_path_end end = WW_OPEN ? ww_path_open_end(t, limits, top, left, args) : ww_path_closed_end(t);
    pair->i = pair->end_i = end.i;
    pair->j = pair->end_j = end.j;
    pair->state = WW_WALK_ON;
    return ww_final(end.value, t.n, t.m);
}
// Whether a path begins in (i, j): in the corner, or on the border where an open end skips points.
WW_INLINE bool ww_path_is_begin(uint i, uint j, ww_launch_args args) {
    return (i == 0 && j <= (WW_OPEN ? args.begin_y : 0)) || (j == 0 && i <= (WW_OPEN ? args.begin_x : 0));
}

// Outside the band the value of LCS and LCSS is 0, as on the border, so that a path may come from there: from a match
// whose points before are outside, or where neither point beside is inside. The path goes on to the border on that side
// of the band by steps that skip points: it comes to no other cell of the band, and the costs along it are those of its
// value. Of two steps that lead to 0 the one that stays inside is taken.
WW_INLINE bool ww_path_allowed(ww_pair_band limits, uint i, uint j) {
    return i == 0 || j == 0 || ww_path_inside(limits, i - 1, j - 1);
}
WW_INLINE uint ww_path_stay(ww_pair_band limits, uint step, uint i, uint j) {
    if (!WW_BAND || WW_ORDER != WW_MOST)
        return step;
    if (!ww_path_allowed(limits, i, j))
        return j - 1 < ww_band_lo(limits, i - 1) ? 3 : 1;
    return step == 1 && !ww_path_allowed(limits, i - 1, j) && ww_path_allowed(limits, i, j - 1) ? 3 : step;
}

// Steps of a path, sixteen to a word: those stored, and the word that is not yet full.
typedef struct {
    __global uint *words;
    uint count, pushed;
} ww_path_steps;

WW_INLINE ww_path_steps ww_path_steps_of(__global uint *words, uint count) {
    ww_path_steps s = {words, count, 0};
    s.pushed = count & 15 ? words[count >> 4] : 0;
    return s;
}
WW_INLINE void ww_push_step(ww_path_steps *s, uint step) {
    s->pushed |= step << (2 * (s->count & 15));
    if ((++s->count & 15) == 0) {
        s->words[(s->count >> 4) - 1] = s->pushed;
        s->pushed = 0;
    }
}
// The walk stops at (i, j), for this launch or for good.
WW_INLINE void ww_path_leave_walk(__global ww_path_pair *pair, const ww_path_steps *s, uint i, uint j, bool done) {
    if (s->count & 15)
        s->words[s->count >> 4] = s->pushed;
    pair->i = i;
    pair->j = j;
    pair->count = s->count;
    pair->state = done ? WW_WALK_DONE : WW_WALK_ON;
}
#endif
