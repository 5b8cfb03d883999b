// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of distances of windows as they are, not normalised:
//   D(i,j) = join over channels, t of |x_{i+t} - y_{j+t}|^p,    join: the sum, or for p infinite the largest difference,
// so that D is the distance to the power p, of an infinite p the distance. With fewer best channels than channels, D joins the
// least of the channels' own. What counts is that D is below the limit of its row or of its column (profile.cl).
//
// A work-item follows WW_VECTORS vectors of WW_VECTOR neighbouring diagonals through WW_PROFILE_BLOCK_ROWS rows. Nothing is
// ever taken off a sum: the points of a diagonal are cut in blocks of WW_RAW_ROWS, and a window is the end of one block, whole
// blocks, and the beginning of one (M. van Herk, Pattern Recognition Letters 13, 1992). For WW_RAW_ROWS rows the ends are
// summed up backwards, the whole blocks are joined once from a ring that holds one value for each, and the beginning grows:
// two differences a cell whatever the window is. So a cell's error is in proportion to D, but for what values lose as floats.
// No local memory, no barrier.
//
// Parameters: WW_NORM: WWK_NORM_..., POWER: job.power. WW_WHOLE: that power where it is a whole number, else 0. WW_WG; WW_VECTORS; WW_RAW_ROWS: no more than the window has points, and
// no fewer than it has whole blocks.
#define WW_PROFILE_WIDTH (WW_WG * WW_VECTORS * WW_VECTOR)
#define WW_PROFILE_SUMS (WW_SOME ? WW_CHANNELS : 1) // values that a window has: of each channel where some of them count
#define WW_PROFILE_FAR 1e20f                        // of a channel that is missing, as a part of D

#if WW_VECTOR == 1
#define WW_LOAD(p) (*(p))
#define WW_FLOATS(v) ((float)(v))
#define WW_BITS_AT(p) as_uint(*(p))
#define WW_BOUNDS_AT(p) as_float(*(p))
typedef float ww_floats;
#else
#define WW_LOAD(p) WW_VLOAD(0, p)
#define WW_FLOATS(v) WW_PASTE(convert_float, WW_VECTOR)(v)
#define WW_BITS_AT(p) WW_PASTE(as_uint, WW_VECTOR)(WW_VLOAD(0, p))
#define WW_BOUNDS_AT(p) WW_PASTE(as_float, WW_VECTOR)(WW_VLOAD(0, p))
typedef WW_PASTE(float, WW_VECTOR) ww_floats;
#endif

WW_INLINE real ww_join(const real a, const real b) {
    return WW_NORM == WWK_NORM_INFINITE ? ww_max2(a, b) : a + b;
}

WW_INLINE real ww_power(const real d, const float power) {
    if (WW_NORM == WWK_NORM_2)
        return d * d;
#if WW_WHOLE
    const real one = fabs(d), two = one * one, four = two * two, eight = four * four;
    real made = WW_WHOLE & 1 ? one : (real)1;
    if (WW_WHOLE & 2)
        made *= two;
    if (WW_WHOLE & 4)
        made *= four;
    if (WW_WHOLE & 8)
        made *= eight;
    if (WW_WHOLE & 16)
        made *= eight * eight;
    return made;
#elif WW_NORM == WWK_NORM_POWER
    return WW_TO_REAL(exp2(power * log2(WW_FLOATS(fabs(d))))); // a float's digits are within the margin; of 0 it is 0
#else
    return fabs(d);
#endif
}

// A work-item's diagonals: the first of each vector, and its values from the tile's first row on.
typedef struct {
    global const ww_scalar *x, *y; // y: of the first diagonal
} ww_tile;

// Vector q's first diagonal, from the work-item's: neighbouring work-items have neighbouring vectors.
WW_INLINE uint ww_shift(const uint q) {
    return q * (WW_WG * WW_VECTOR);
}

// Point `at` of the diagonals comes to sums.
WW_INLINE void ww_enter(real sums[WW_VECTORS][WW_PROFILE_SUMS], const ww_tile *w, const ww_profile_args *job, const uint at) {
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
        const uint s = WW_SOME ? c : 0;
        const ww_scalar x = w->x[(size_t)c * job->row_points + at];
#pragma unroll
        for (uint q = 0; q < WW_VECTORS; q++) {
            const real y = WW_LOAD(w->y + (size_t)c * job->column_points + at + ww_shift(q));
            sums[q][s] = ww_join(sums[q][s], ww_power((real)x - y, job->power));
        }
    }
}

WW_INLINE void ww_copy(real to[WW_VECTORS][WW_PROFILE_SUMS], real from[WW_VECTORS][WW_PROFILE_SUMS]) {
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++)
        for (uint s = 0; s < WW_PROFILE_SUMS; s++)
            to[q][s] = from[q][s];
}
WW_INLINE void ww_join_all(real to[WW_VECTORS][WW_PROFILE_SUMS], real from[WW_VECTORS][WW_PROFILE_SUMS]) {
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++)
        for (uint s = 0; s < WW_PROFILE_SUMS; s++)
            to[q][s] = ww_join(to[q][s], from[q][s]);
}
WW_INLINE void ww_empty(real to[WW_VECTORS][WW_PROFILE_SUMS]) {
#pragma unroll
    for (uint q = 0; q < WW_VECTORS; q++)
        for (uint s = 0; s < WW_PROFILE_SUMS; s++)
            to[q][s] = 0;
}

// D of a vector: of the end of a block, of whole ones and of the beginning of one. `row_bits`, `column_bits`: the channels that
// are missing (profile.cl).
WW_INLINE real ww_cells(const real *end, const real *whole, const real *beginning, const float row_bits,
                        global const float *column_bits) {
    real least[WW_BEST];
    if (!WW_SOME)
        return ww_join(ww_join(whole[0], beginning[0]), end[0]);
#pragma unroll
    for (uint b = 0; b < WW_BEST; b++)
        least[b] = (real)(ww_scalar)WW_PROFILE_FAR;
#pragma unroll
    for (uint c = 0; c < WW_PROFILE_SUMS; c++) {
        real entered = ww_join(ww_join(whole[c], beginning[c]), end[c]);
        if (WW_FLATS && WW_CHANNELS <= 16)
            entered = ww_max2(entered, WW_TO_REAL((WW_BITS_AT(column_bits) | as_uint(row_bits)) >> (16u + c) & 1u) *
                                           (real)(ww_scalar)WW_PROFILE_FAR);
        if (c < WW_FORCED) {
            least[c] = entered;
            continue;
        }
#pragma unroll
        for (uint b = WW_FORCED; b < WW_BEST; b++) {
            const real other = ww_max2(least[b], entered);
            least[b] = ww_lesser(least[b], entered);
            entered = other;
        }
    }
#pragma unroll
    for (uint b = 1; b < WW_BEST; b++)
        least[0] = ww_join(least[0], least[b]);
    return least[0];
}

// Lists what is nearer than a limit among the cells (i, j) and those right of it.
WW_INLINE void ww_list(const ww_profile_args *job, const ww_profile_side *rows, const ww_profile_side *columns,
                       global uint4 *entries, global uint *counters, const float *d, const uint i, const uint j) {
    for (uint lane = 0; lane < WW_VECTOR; lane++) {
        const uint column = j + lane;
        const float error = ww_error(job, 0, 0, d[lane]);
        if (!ww_counts(job, i, column, columns))
            continue;
        if (WW_PROFILE_ROWS)
            ww_candidate(i, column, d[lane], error, job, rows, entries, counters);
        if (WW_PROFILE_COLUMNS)
            ww_candidate(column, i, d[lane], error, job, columns, entries, counters);
    }
}

// Compares row i's cells with their limits. True: some are below one.
WW_INLINE int ww_compare(const real cells, float *d, const ww_profile_args *job, const ww_profile_side *rows,
                         const ww_profile_side *columns, const uint i, const uint j) {
    const ww_floats values = WW_FLOATS(cells);
    ww_floats limit = -1;
    if (WW_PROFILE_ROWS)
        limit = (ww_floats)ww_most(job, rows->bounds[i], 0, 0);
    if (WW_PROFILE_COLUMNS) {
        const ww_floats bounds = WW_BOUNDS_AT(columns->bounds + j);
        limit = fmax(limit, bounds + (bounds * job->relative + job->rounding));
    }
#if WW_VECTOR == 1
    *d = values;
    return values < limit;
#else
    if (!any(values < limit))
        return 0;
    WW_VSTORE(values, 0, d);
    return 1;
#endif
}

kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_profile_raw(const ww_profile_args job, global const ww_scalar *row_values, global const ww_scalar *column_values,
               global const float *row_flat, global const float *column_flat, global const uchar *row_state,
               global const uchar *column_state, global int *row_bounds, global int *column_bounds,
               global uint *row_heads, global uint *column_heads, global uint4 *entries, global uint *counters) {
    const ww_profile_side rows = {0, 0, row_flat, row_state, row_bounds, row_heads};
    const ww_profile_side columns = {0, 0, column_flat, column_state, column_bounds, column_heads};
    const ulong tile = job.first + get_group_id(0);
    const uint band = (uint)(tile / job.blocks), block = (uint)(tile - (ulong)band * job.blocks);
    const uint item = (uint)get_local_id(0), row0 = block * WW_PROFILE_BLOCK_ROWS;
    const uint diagonal = job.delta + band * WW_PROFILE_WIDTH + item * WW_VECTOR;
    if (row0 >= job.rows || (ulong)row0 + diagonal >= job.columns || item * WW_VECTOR >= job.active)
        return;
    const uint count = min(min((uint)WW_PROFILE_BLOCK_ROWS, job.rows - row0), job.columns - row0 - diagonal);
    const ww_tile w = {row_values + row0, column_values + row0 + diagonal};
    const uint blocks = (job.window - WW_RAW_ROWS) / WW_RAW_ROWS, rest = (job.window - WW_RAW_ROWS) % WW_RAW_ROWS;
    real ring[WW_RAW_ROWS][WW_VECTORS][WW_PROFILE_SUMS], ends[WW_RAW_ROWS][WW_VECTORS][WW_PROFILE_SUMS];
    real beginning[WW_VECTORS][WW_PROFILE_SUMS], head[WW_VECTORS][WW_PROFILE_SUMS], whole[WW_VECTORS][WW_PROFILE_SUMS];
    uint turn = 0; // the ring's oldest
    for (uint b = 0; b < blocks; b++) {
        ww_empty(ring[b]);
        for (uint t = 0; t < WW_RAW_ROWS; t++)
            ww_enter(ring[b], &w, &job, (b + 1) * WW_RAW_ROWS + t);
    }
    ww_empty(head); // the first `rest` points of the block behind the ring's
    for (uint t = job.window - rest; t < job.window; t++)
        ww_enter(head, &w, &job, t);
    for (uint r0 = 0; r0 < count; r0 += WW_RAW_ROWS) {
        ww_empty(beginning);
        for (uint t = WW_RAW_ROWS; t-- > 0;) {
            ww_enter(beginning, &w, &job, r0 + t);
            ww_copy(ends[t], beginning);
        }
        ww_copy(whole, head);
        for (uint b = 0; b < blocks; b++)
            ww_join_all(whole, ring[b]);
        ww_empty(beginning);
        for (uint s = 0; s < WW_RAW_ROWS; s++) {
            const uint r = r0 + s, i = row0 + r;
#pragma unroll
            for (uint q = 0; q < WW_VECTORS; q++) {
                const uint j = i + diagonal + ww_shift(q);
                float d[WW_VECTOR];
                const real cells = ww_cells(ends[s][q], whole[q], beginning[q], row_flat[i], column_flat + j);
                if (r < count && ww_compare(cells, d, &job, &rows, &columns, i, j) && row_state[i] == WW_USABLE)
                    ww_list(&job, &rows, &columns, entries, counters, d, i, j);
            }
            ww_enter(beginning, &w, &job, r + job.window);
            if (s + rest + 1 != WW_RAW_ROWS)
                continue;
            // A block is whole now, and another begins.
            ww_join_all(whole, beginning);
            ww_join_all(head, beginning);
            if (blocks > 0) {
                ww_copy(ring[turn], head);
                turn = turn + 1 < blocks ? turn + 1 : 0;
            }
            ww_empty(beginning);
        }
        ww_copy(head, beginning);
    }
}
