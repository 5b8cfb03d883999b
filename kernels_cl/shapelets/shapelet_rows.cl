// SPDX-License-Identifier: Apache-2.0
// What shapelet_diagonal.cl computes, for GPUs: the best correlation of every candidate with every series by diagonals.
// The formulae are there. A group has WW_WG lanes in WW_PARTS parts. A lane holds WW_ROWS consecutive starts of one
// series, its rows, the same in all parts; the parts take turns at the tiles of WW_DIAGONALS neighbouring diagonals of
// the other series, so that a group goes through all diagonals of one length before the next. With WW_SERIES above 1 they
// are so many teams with a series each. The first row's
// covariances, which the next length extends, wait in scratch memory: a number for WW_ROWS cells.
//
// What teams win (H200): 1000 x 152, every tenth length 63.2 for 72.1 ms; 200 x 427 1.4 %.
// Tried, not taken: rows and windows in local memory, scratch read ahead, 64 lanes in 2 parts: 25 to 38 for 24 ms.
//
// What is sought is the least of |row| - cov(s, u) / |window|, which is never below 0 but by rounding: such floats
// compare as integers, of which NVIDIA and AMD find the least of three in one instruction. A window that is none has NaN.
//
// Columns are in the order (group, row, lane). A group has WW_WG series' rows and takes one series after the other. Local
// memory: four numbers of each row of a lane, and for each team four of each of WW_PIECE windows and the least of each row;
// two barriers for WW_PIECE windows and one more for each length.
//
// Parameters: WW_ROWS, WW_DIAGONALS, WW_PARTS; WW_SERIES, which divides WW_PARTS.
#define WW_ITEMS (WW_WG * WW_PARTS)
#define WW_SHARE (WW_PARTS / WW_SERIES)
#define WW_TEAM (WW_WG * WW_SHARE)
#define WW_PIECE (WW_SERIES == 1 ? 512 : 192)
#define WW_TILES (WW_PIECE / WW_DIAGONALS)
#define WW_CELLS (WW_ROWS * WW_WG) // rows of a group's lanes

// Row t of a block of WW_DIAGONALS rows: the window of diagonal d is held at place (t + d) % WW_DIAGONALS.
#define WW_SHAPELET_HELD(held, d, t) held[((d) + (t)) % WW_DIAGONALS]

// A team's work: its lanes' rows against series j.
typedef struct {
    uint lane, part, member;
    uint j, first, column; // the series; the lane's first row, and the group's first column
    uint left, all;        // points from a first row on to its series' end, at most; of series j
    uint firsts;           // first rows of the chunk
    local float4 *own;     // of each row: f and g of the next row, |row|
    local float4 *held;    // windows of a piece
    local int *least;      // of each row
    global float *scratch;
} ww_team;

// A length of the list, and what it was before; where its tables begin.
typedef struct {
    uint li, length, before;
    global const float *step, *norm;
    global const float4 *window;
} ww_row_length;

// A length's rows, with the first piece, and the piece's windows of the tiles [begin, end).
WW_INLINE void ww_stage_piece(const ww_team *w, const ww_row_length *of, const uint id, const uint begin,
                              const uint end) {
    const uint places = begin < end ? (end - begin) * WW_DIAGONALS + WW_ROWS - 1 : 0;
    for (uint e = id; begin == 0 && e < WW_CELLS; e += WW_ITEMS) {
        const uint row = e / WW_WG;
        const float unit = of->norm[e];
        // Of a first row f and g are 0.
        w->own[e] =
            (float4)(of->step[row * WW_WG + e], of->step[(row + 1) * WW_WG + e], unit > 0 ? 1 / unit : 0.0f, 0);
    }
    for (uint e = w->member; begin == 0 && e < WW_CELLS; e += WW_TEAM)
        w->least[e] = as_int(INFINITY);
    for (uint e = w->member; e < places; e += WW_TEAM)
        w->held[e] = of->window[begin * WW_DIAGONALS + e];
}

// The covariances of a tile's first row, extended by the points from `before` on to one less than the length. `difference` is aligned
// from there on; sum: of the row.
WW_INLINE void ww_extend_row(float *cov, global const float *difference, global const float *sum, const ww_row_length *of,
                             const uint firsts, const ww_shapelet_args job) {
    for (uint l = of->before; l + 1 < of->length; l += 4) {
        global const float4 *fours = (global const float4 *)(difference + (l - of->before));
        float y[WW_DIAGONALS + 4];
#pragma unroll
        for (uint q = 0; q < WW_DIAGONALS / 4 + 1; q++) {
            const float4 four = fours[q];
            y[4 * q] = four.x;
            y[4 * q + 1] = four.y;
            y[4 * q + 2] = four.z;
            y[4 * q + 3] = four.w;
        }
#pragma unroll
        for (uint i = 0; i < 4; i++) {
            const float x = sum[(ulong)(ww_sums_of(job, of->li) + l - of->before + i) * 2 * firsts];
#pragma unroll
            for (uint d = 0; d < WW_DIAGONALS; d++)
                cov[d] = fma(x, y[d + i], cov[d]);
        }
    }
}

// Row r of a block of rows: its cells, the window `newest` entering; gives the least.
WW_INLINE int ww_row_cells(float *cov, float *f, float *g, float *n, const float4 row, const float4 newest,
                           const uint r) {
    const uint place = (r + WW_DIAGONALS - 1) % WW_DIAGONALS;
    int value[WW_DIAGONALS];
    f[place] = newest.x;
    g[place] = newest.y;
    n[place] = newest.z;
#pragma unroll
    for (uint d = 0; d < WW_DIAGONALS; d++) {
        cov[d] = fma(row.x, WW_SHAPELET_HELD(g, d, r), fma(row.y, WW_SHAPELET_HELD(f, d, r), cov[d]));
        value[d] = as_int(fma(-cov[d], WW_SHAPELET_HELD(n, d, r), row.z));
    }
    int low = value[0], other = value[1];
#pragma unroll
    for (uint d = 2; d < WW_DIAGONALS; d += 4) {
        low = min(min(value[d], value[d + 1]), low);
        if (d + 2 < WW_DIAGONALS)
            other = min(min(value[d + 2], value[d + 3]), other);
    }
    return min(low, other);
}

// Rows [skipped, rows) of a tile, from the windows `at` on.
WW_INLINE void ww_tile_rows(float *cov, float *f, float *g, float *n, const ww_team *w, local const float4 *at,
                            const uint skipped, const int rows) {
    local const float4 *mine = w->own + skipped * WW_WG + w->lane;
    local int *to = w->least + skipped * WW_WG + w->lane;
    float4 row = mine[0];
#pragma unroll 1
    for (int from = (int)skipped; from < WW_ROWS && from < rows; from += WW_DIAGONALS) {
#pragma unroll
        for (uint r = 0; r < WW_DIAGONALS; r++) {
            if (r % 8 == 0 && from + (int)r >= rows)
                break;
            const float4 next_row = mine[(r + 1) * WW_WG];
            atomic_min(&to[r * WW_WG], ww_row_cells(cov, f, g, n, row, at[r + WW_DIAGONALS - 1], r));
            row = next_row;
        }
        at += WW_DIAGONALS;
        mine += WW_DIAGONALS * WW_WG;
        to += WW_DIAGONALS * WW_WG;
    }
}

// Tile t of a length, of the piece that begins with tile `begin`.
WW_INLINE void ww_tile(const ww_team *w, const ww_row_length *of, global const float *sums, global const float *increments,
                       global const float *differences, const uint difference_count, const uint begin, const uint t,
                       const ww_shapelet_args job) {
    global float *kept = w->scratch + t * (WW_DIAGONALS * WW_WG) + w->lane;
    // Rows that some series still has, and that still have a window.
    const int k0 = (int)(t * WW_DIAGONALS) - (WW_ROWS - 1);
    const int rows = min((int)(w->left - of->length) + 1, (int)(w->all - of->length) + 1 - k0);
    // The first tile's first rows have no window: it begins with the row before its first that has one.
    const uint skipped = t ? 0 : WW_ROWS - WW_DIAGONALS, late = of->before + (skipped ? skipped - 1 : 0);
    if ((int)skipped >= rows)
        return;
    const uint which = w->first + (skipped ? w->firsts : 0);
    // Of the four copies the one that is aligned from here on.
    global const float *difference = differences + (ulong)((w->j - job.table) * 4 + late % 4) * difference_count + late / 4 * 4;
    const float increment = increments[(ulong)of->li * 2 * w->firsts + which];
    float cov[WW_DIAGONALS], f[WW_DIAGONALS], g[WW_DIAGONALS], n[WW_DIAGONALS];
#pragma unroll
    for (uint d = 0; d < WW_DIAGONALS; d++)
        cov[d] = of->li ? kept[d * WW_WG] : 0.0f;
    ww_extend_row(cov, difference + t * WW_DIAGONALS, sums + which, of, w->firsts, job);
    local const float4 *at = w->held + (t - begin) * WW_DIAGONALS + skipped;
#pragma unroll
    for (uint d = 0; d < WW_DIAGONALS; d++) {
        const float4 window = at[d];
        f[d] = window.x;
        g[d] = window.y;
        n[d] = window.z;
        cov[d] = fma(increment, skipped ? at[(int)d - 1].w : window.w, cov[d]);
        kept[d * WW_WG] = cov[d];
    }
    ww_tile_rows(cov, f, g, n, w, at, skipped, rows);
}

// sums, increments, steps, norms: of columns; differences, windows: of series, see shapelet_tables.cl. lefts: of each group, the most
// points from a first row on to its series' end. scratch: `room` numbers of each team of a group. items: groups of columns
// times takes of WW_SERIES series.
kernel __attribute__((reqd_work_group_size(WW_ITEMS, 1, 1))) void
ww_shapelet_rows(global const float *restrict sums, global const float *restrict increments,
                 global const float *restrict steps, global const float *restrict norms,
                 global const float *restrict differences, const uint difference_count, global const uint *restrict lefts,
                 global const uint *restrict points, global const float4 *restrict windows, const uint wide,
                 global float *restrict nearest, global float *restrict scratch, const uint room, const uint items,
                 const ww_shapelet_args job) {
    // The row behind the last is read ahead.
    local float4 own[(WW_ROWS + 1) * WW_WG], helds[WW_SERIES * (WW_PIECE + WW_ROWS)];
    local int leasts[WW_SERIES * WW_CELLS];
    const uint id = (uint)get_local_id(0), team = id / WW_TEAM, takes = (job.many + WW_SERIES - 1) / WW_SERIES;
    ww_team w;
    w.lane = id % WW_WG;
    w.member = id % WW_TEAM;
    w.part = w.member / WW_WG;
    w.firsts = job.columns / WW_ROWS;
    w.own = own;
    w.held = helds + team * (WW_PIECE + WW_ROWS);
    w.least = leasts + team * WW_CELLS;
    w.scratch = scratch + ((ulong)get_group_id(0) * WW_SERIES + team) * room;
    for (uint item = (uint)get_group_id(0); item < items; item += (uint)get_num_groups(0)) {
        // The last teams may have the same series.
        const uint group = item / takes, begun = ww_rest(item, takes, group) * WW_SERIES;
        w.j = job.first + min(begun + team, job.many - 1);
        w.left = lefts[group];
        w.all = points[w.j];
        w.first = group * WW_WG + w.lane;
        w.column = group * WW_CELLS;
        uint longest = w.all;
        for (uint s = 0; s < WW_SERIES; s++)
            longest = max(longest, points[job.first + min(begun + s, job.many - 1)]);
        for (uint li = 0; li < job.count; li++) {
            const uint length = job.least + li * job.step;
            if (length > w.left)
                break;
            const ww_row_length of = {li, length, li ? length - job.step : 0,
                                      steps + 2 * ((ulong)li * job.columns + w.column),
                                      norms + (ulong)li * job.columns + w.column,
                                      windows + ((ulong)(w.j - job.table) * job.count + li) * wide};
            // Tiles with a window of this length, of the team's series and of any.
            const uint tiles = (w.all - length + WW_ROWS - 1) / WW_DIAGONALS + 1;
            const uint most = (longest - length + WW_ROWS - 1) / WW_DIAGONALS + 1;
            for (uint begin = 0; begin < most; begin += WW_TILES) {
                const uint end = min(tiles, begin + WW_TILES);
                barrier(CLK_LOCAL_MEM_FENCE);
                ww_stage_piece(&w, &of, id, begin, end);
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint t = begin + w.part; t < end; t += WW_SHARE)
                    ww_tile(&w, &of, sums, increments, differences, difference_count, begin, t, job);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            global float *to = nearest + ((ulong)w.j * job.count + li) * job.columns + w.column;
            for (uint e = w.member; e < WW_CELLS; e += WW_TEAM)
                to[e] = own[e].z - as_float(w.least[e]);
        }
    }
}
