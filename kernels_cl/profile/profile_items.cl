// SPDX-License-Identifier: Apache-2.0
// Tiles of the matrix of correlations on a GPU. S and D of a cell are as profile.cl says; what counts here is that D is below
// the limit of its row or of its column.
//
// A work-group takes WW_WG * WW_DIAGONALS neighbouring diagonals and WW_PROFILE_BLOCK_ROWS rows, a work-item WW_DIAGONALS
// neighbouring diagonals. Covariances are in registers, and so are the columns that they are at: each step one column
// enters and one leaves. Rows and columns are staged in local memory, WW_PROFILE_PART rows at a time, WW_CHANNELS * 16 bytes for
// each of (WW_WG + WW_PROFILE_PART / WW_DIAGONALS) * (WW_DIAGONALS + 1) places: the one unused place after WW_DIAGONALS columns keeps
// work-items on different banks. Two barriers a part, four where something is above a limit. Columns are a ring: a part takes
// in WW_PROFILE_PART new ones, and the others keep their limits.
//
// The steps only ask whether any cell of WW_DIAGONALS x WW_DIAGONALS is below the largest limit of their rows and columns:
// cov n_i n_j > s, 1 less that limit, of one channel as cov - (s / n_i) / n_j > 0, one multiply-add, and half a maximum of
// three integers: a positive float is a positive integer. The plain form has a division and two comparisons a cell. At the
// part's end the group follows the diagonals where a cell was below it once more, from the covariances that the part began
// with, a work-item a diagonal: first each cell below a limit of its own lowers it, then what is still below one is listed.
//
// Tried, not taken: a queue in local memory (-2 % of the time), float columns by planes (+7 %), 4096 rows (no gain).
//
// Parameters: WW_WG; WW_DIAGONALS, a power of two; WW_PROFILE_PART: rows staged at a time.
#define WW_PROFILE_WIDTH (WW_WG * WW_DIAGONALS)
#define WW_TAPS (WW_PROFILE_PART * 2) // points staged at a time for the first covariances
#define WW_NO_LIMIT (-1e30f) // is below all
#define WW_SPAN (WW_PROFILE_WIDTH + WW_PROFILE_PART)
#define WW_PLACE(c) (WW_DIAGONALS > 1 ? (c) + (c) / WW_DIAGONALS : (c))
#define WW_PLACES (WW_PLACE(WW_SPAN) + 1)
#define WW_WRAP(c) ((c) < WW_SPAN ? (c) : (c) - WW_SPAN)
// Rows that share a bit which says that a cell is nearer than a limit.
#define WW_BIT_ROWS (WW_PROFILE_PART / 32 > WW_DIAGONALS ? WW_PROFILE_PART / 32 : WW_DIAGONALS)

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_wide; // first covariances are summed in it
// An integer that is positive for numbers above 0, not for others.
#if WWK_DOUBLE
typedef double4 real4;
#define ww_order(a) as_int2(a).y
#else
typedef float4 real4;
#define ww_order(a) as_int(a)
#endif

// Lowers a limit in local memory while others read it. Positive numbers have the order of integers, and a negative limit
// is below them. Of a double the upper half is lowered, to more than the number: the lower half may be any.
WW_INLINE void ww_lower(local real4 *at, const real limit) {
    if (limit > 0)
        atomic_min((local int *)at + (WWK_DOUBLE ? 7 : 3), ww_order(limit) + WWK_DOUBLE);
}

// A work-group's tile: its rows and columns, and its local memory.
typedef struct {
    uint item, row0, diagonal0;
    float most_rows, most_columns; // the largest conditions
    uint turn;                     // where the part's first column is in the ring
    local real4 *columns;          // df, dg, n or 1 / n, and of channel 0 the limit
    local real4 *rows;
    local float *column_flats, *row_flats; // with WW_FLATS
    local real *column_bends, *row_bends;  // with WW_TREND
    global const real *row_table, *column_table;
    local float *most_columns_of, *most_rows_of; // limits of WW_DIAGONALS
    local real *starts; // covariances before the part
    local uint2 *found; // work-items with cells below a limit, and in which steps
    local uint *founds;
} ww_tile;

// A work-item's diagonals: covariances, and the columns that they are at, column q of step s at (s + q) % WW_DIAGONALS.
typedef struct {
    real cov[WW_CHANNELS][WW_DIAGONALS];
    real4 at[WW_CHANNELS][WW_DIAGONALS];
    float flat[WW_DIAGONALS];
    real bend[WW_CHANNELS][WW_DIAGONALS];
} ww_cells;

// S of several channels, or with WW_TREND -D, summed up: `top` with WW_SOME, else `value`.
typedef struct {
    real value, top[WW_BEST];
} ww_sum;
WW_INLINE void ww_sum_begin(ww_sum *s, const float row_flat, const float column_flat) {
    ww_top_empty(s->top);
    s->value = WW_FLATS && !WW_TREND ? (real)(row_flat + column_flat) : (real)0;
}
WW_INLINE void ww_sum_enter(ww_sum *s, const uint c, const real cov, const real row_size, const real column_size,
                            const float row_flat, const float column_flat) {
    if (WW_SOME && WW_FLATS)
        ww_top_enter(s->top, c, cov * row_size * column_size + (real)ww_flat_of(row_flat, column_flat, c));
    else if (WW_SOME)
        ww_top_enter(s->top, c, cov * row_size * column_size);
    else
        s->value = fma(cov * row_size, column_size, s->value);
}
WW_INLINE real ww_sum_end(const ww_sum *s) {
    return WW_SOME ? ww_top_sum(s->top) : s->value;
}

// With WW_TREND: enters -D of a channel.
WW_INLINE void ww_sum_trend(ww_sum *s, const uint c, const real entered) {
    if (WW_SOME)
        ww_top_enter(s->top, c, entered);
    else
        s->value += entered;
}

// ---- the first row's covariances

// The values and means of a side's channel.
typedef struct {
    global const ww_wide *values, *means, *slopes; // slopes with WW_TREND
} ww_channel;

#if WW_TREND
// What the row's deviations from its line have of a level and a tilt, by the group: the line's numbers are rounded.
WW_INLINE double2 ww_line_left(const ww_tile *w, const ww_profile_args *job, const ww_channel row, const double rise) {
    local double2 *shares = (local double2 *)w->columns;
    const double middle = 0.5 * (job->window - 1), mean = row.means[w->row0];
    double2 share = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = w->item; t < job->window; t += WW_WG) {
        const double at = (double)t - middle, left = fma(-rise, at, row.values[w->row0 + t] - mean);
        share += (double2)(left, left * at);
    }
    shares[w->item] = share;
    barrier(CLK_LOCAL_MEM_FENCE);
    share = 0;
    for (uint p = 0; p < WW_WG; p++)
        share += shares[p];
    const double squares = (double)job->window * ((double)job->window * job->window - 1) / 12;
    return (double2)(share.x / job->window, share.y / squares);
}

// Products of what lines leave of a channel's windows: of each column by its own line.
WW_INLINE void ww_first_covariances(real *cov, const ww_tile *w, const ww_profile_args *job, const ww_channel row,
                                    const ww_channel column) {
    local ww_wide *stage = (local ww_wide *)w->columns, *taps = (local ww_wide *)w->rows;
    const uint item = w->item, column0 = w->row0 + w->diagonal0;
    const ww_wide middle = 0.5 * (job->window - 1), mean = row.means[w->row0], rise = row.slopes[w->row0];
    const double2 level = ww_line_left(w, job, row, rise);
    ww_wide sums[WW_DIAGONALS], means[WW_DIAGONALS], rises[WW_DIAGONALS];
#pragma unroll
    for (uint q = 0; q < WW_DIAGONALS; q++) {
        const uint j = min(column0 + item * WW_DIAGONALS + q, job->columns - 1);
        sums[q] = 0;
        means[q] = column.means[j];
        rises[q] = -column.slopes[j];
    }
    for (uint t0 = 0; t0 < job->window; t0 += WW_TAPS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint p = item; p < WW_PROFILE_WIDTH + WW_TAPS; p += WW_WG)
            stage[WW_PLACE(p)] = column.values[min(column0 + t0 + p, job->column_points - 1)];
        for (uint p = item; p < WW_TAPS; p += WW_WG) {
            const ww_wide at = (ww_wide)(t0 + p) - middle;
            taps[p] = t0 + p < job->window
                          ? fma(-rise, at, row.values[w->row0 + t0 + p] - mean) - fma(level.y, at, level.x)
                          : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint t = 0; t < WW_TAPS; t++) {
            const ww_wide tap = taps[t], at = (ww_wide)(t0 + t) - middle;
#pragma unroll
            for (uint q = 0; q < WW_DIAGONALS; q++)
                sums[q] = fma(tap, fma(rises[q], at, stage[WW_PLACE(item * WW_DIAGONALS + t + q)] - means[q]), sums[q]);
        }
    }
#pragma unroll
    for (uint q = 0; q < WW_DIAGONALS; q++)
        cov[q] = (real)sums[q];
}
#else
// Of one channel. Means are rounded, so the row's deviations do not sum up to exactly 0: their sum times the column's mean is
// taken off again. A work-item's columns count from its first value: another level before them, however high, is not in their
// sums.
WW_INLINE void ww_first_covariances(real *cov, const ww_tile *w, const ww_profile_args *job, const ww_channel row,
                                    const ww_channel column) {
    local ww_wide *stage = (local ww_wide *)w->columns, *taps = (local ww_wide *)w->rows;
    const uint item = w->item, column0 = w->row0 + w->diagonal0;
    const uint place0 = item * (WW_DIAGONALS + (WW_DIAGONALS > 1));
    const ww_wide mean = row.means[w->row0];
    const ww_wide origin = column.values[min(column0 + item * WW_DIAGONALS, job->column_points - 1)];
    ww_wide sums[WW_DIAGONALS], y[WW_DIAGONALS], left = 0;
#pragma unroll
    for (uint q = 0; q < WW_DIAGONALS; q++)
        sums[q] = 0;
    for (uint t0 = 0; t0 < job->window; t0 += WW_TAPS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint p = item; p < WW_PROFILE_WIDTH + WW_TAPS; p += WW_WG)
            stage[WW_PLACE(p)] = column.values[min(column0 + t0 + p, job->column_points - 1)];
        for (uint p = item; p < WW_TAPS; p += WW_WG)
            taps[p] = t0 + p < job->window ? row.values[w->row0 + t0 + p] - mean : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint q = 0; q + 1 < WW_DIAGONALS; q++)
            y[q] = stage[place0 + q] - origin;
        for (uint t = 0; t < WW_TAPS; t += WW_DIAGONALS) {
#pragma unroll
            for (uint s = 0; s < WW_DIAGONALS; s++) {
                const uint newest = s + WW_DIAGONALS - 1;
                const ww_wide tap = taps[t + s];
                y[newest % WW_DIAGONALS] = stage[place0 + WW_PLACE(t) + WW_PLACE(newest)] - origin;
                left += tap;
#pragma unroll
                for (uint q = 0; q < WW_DIAGONALS; q++)
                    sums[q] = fma(tap, y[(s + q) % WW_DIAGONALS], sums[q]);
            }
        }
    }
#pragma unroll
    for (uint q = 0; q < WW_DIAGONALS; q++) {
        const uint j = min(column0 + item * WW_DIAGONALS + q, job->columns - 1);
        cov[q] = (real)fma(-left, column.means[j] - origin, sums[q]);
    }
}
#endif

// ---- a part: staging it, its steps

// One plane's df, dg and n of window i.
WW_INLINE real4 ww_window_at(global const real *table, const uint stride, const uint c, const uint i) {
    return (real4)(WW_DF(table, stride, c, i), WW_DG(table, stride, c, i), WW_SIZE(table, stride, c, i), WW_NO_LIMIT);
}

// The part's new columns, of the first part all, and its rows.
WW_INLINE void ww_stage(const ww_tile *w, const ww_profile_args *job, global const real *row_table,
                        global const real *column_table, const ww_profile_side *rows, const ww_profile_side *columns,
                        const uint part) {
    const uint item = w->item, row1 = w->row0 + part, column1 = row1 + w->diagonal0;
    const uint kept = part == 0 ? 0 : WW_PROFILE_WIDTH;
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
        for (uint p = item + kept; p < WW_SPAN; p += WW_WG) {
            const uint j = column1 + p;
            real4 v = ww_window_at(column_table, job->column_stride, c, j);
            if (WW_PROFILE_COLUMNS && c == 0)
                v.w = ww_most(job, columns->bounds[j], w->most_rows, columns->condition[j]);
            w->columns[c * WW_PLACES + WW_PLACE(WW_WRAP(w->turn + p))] = v;
            if (WW_TREND)
                w->column_bends[c * WW_PLACES + WW_PLACE(WW_WRAP(w->turn + p))] =
                    WW_BEND(column_table, job->column_stride, c, j);
        }
        if (item < WW_PROFILE_PART) {
            const uint i = row1 + item;
            real4 v = ww_window_at(row_table, job->row_stride, c, i);
            if (part + item == 0) // these covariances are there already
                v.x = v.y = 0;
            if (WW_PROFILE_ROWS && c == 0)
                v.w = ww_most(job, rows->bounds[i], rows->condition[i], w->most_columns);
            w->rows[c * WW_PROFILE_PART + item] = v;
            if (WW_TREND)
                w->row_bends[c * WW_PROFILE_PART + item] = WW_BEND(row_table, job->row_stride, c, i);
        }
    }
    if (WW_FLATS) {
        for (uint p = item + kept; p < WW_SPAN; p += WW_WG)
            w->column_flats[WW_PLACE(WW_WRAP(w->turn + p))] = columns->flat[column1 + p];
        if (item < WW_PROFILE_PART)
            w->row_flats[item] = rows->flat[row1 + item];
    }
}

// The columns from place `place` on, of which the newest comes with the first step; and the largest limits.
WW_INLINE void ww_load_cells(ww_cells *x, const ww_tile *w, const uint place) {
    const uint item = w->item;
    float most = WW_NO_LIMIT;
#pragma unroll
    for (uint q = 0; q < WW_DIAGONALS; q++) {
#pragma unroll
        for (uint c = 0; c < WW_CHANNELS; c++) {
            x->at[c][q] = w->columns[c * WW_PLACES + place + q];
            if (WW_TREND)
                x->bend[c][q] = w->column_bends[c * WW_PLACES + place + q];
        }
        if (WW_FLATS)
            x->flat[q] = w->column_flats[place + q];
        most = fmax(most, (float)x->at[0][q].w);
    }
    w->most_columns_of[item] = most;
    if (item < WW_PROFILE_PART / WW_DIAGONALS) {
        const uint more = WW_PLACE(WW_WRAP(w->turn + WW_PROFILE_WIDTH + item * WW_DIAGONALS));
        float most_more = WW_NO_LIMIT, most_row = WW_NO_LIMIT;
        for (uint q = 0; q < WW_DIAGONALS; q++) {
            most_more = fmax(most_more, (float)w->columns[more + q].w);
            most_row = fmax(most_row, (float)w->rows[item * WW_DIAGONALS + q].w);
        }
        w->most_columns_of[WW_WG + item] = most_more;
        w->most_rows_of[item] = most_row;
    }
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
#pragma unroll
        for (uint q = 0; q < WW_DIAGONALS; q++)
            w->starts[c * WW_PROFILE_WIDTH + item * WW_DIAGONALS + q] = x->cov[c][q];
    }
}

// The cells of step s, one in each diagonal; `hit` is above 0 behind it if S of one is above the limit. With WW_TREND what
// differs in tilts is left out: D is this or more.
WW_INLINE void ww_step_cells(ww_cells *x, const real4 *row, const real *row_bend, const float row_flat, const uint s,
                             const real limit, int *hit, int *other) {
    const real row_limit = -limit * row[0].z;
#pragma unroll
    for (uint q = 0; q < WW_DIAGONALS; q++) {
        const uint slot = (s + q) % WW_DIAGONALS;
        ww_sum sum;
        ww_sum_begin(&sum, row_flat, x->flat[slot]);
#pragma unroll
        for (uint c = 0; c < WW_CHANNELS; c++) {
            const real4 column = x->at[c][slot];
            x->cov[c][q] = fma(row[c].x, column.y, fma(row[c].y, column.x, x->cov[c][q]));
            if (WW_TREND)
                ww_sum_trend(&sum, c, fma(x->cov[c][q] * row[c].z, column.z, -(row_bend[c] + x->bend[c][slot])));
            else if (!WW_ONE)
                ww_sum_enter(&sum, c, x->cov[c][q], row[c].z, column.z, row_flat, x->flat[slot]);
        }
        if (!WW_ONE) {
            *hit |= ww_sum_end(&sum) > limit;
            continue;
        }
        const int above = ww_order(fma(row_limit, x->at[0][slot].z, x->cov[0][q]));
        *hit = q % 2 == 0 && q + 1 < WW_DIAGONALS ? *hit : max(max(above, *other), *hit);
        *other = above;
    }
}

// WW_DIAGONALS steps from the part's row t on: the columns of the ring from `here` on, and then from `place` on, enter.
WW_INLINE int ww_step_rows(ww_cells *x, const ww_tile *w, const uint t, const uint here, const uint place) {
    int hit = 0, other = 0;
    const uint chunk = t / WW_DIAGONALS, beside = w->item + chunk;
    const real limit = (real)WW_ALL_NEAR - (real)fmax(w->most_rows_of[chunk],
                                                  fmax(w->most_columns_of[beside],
                                                       w->most_columns_of[beside + (WW_DIAGONALS > 1)]));
#pragma unroll
    for (uint s = 0; s < WW_DIAGONALS; s++) {
        const uint newest = s + WW_DIAGONALS - 1, from = s == 0 ? here + newest : place + s - 1;
        real4 row[WW_CHANNELS];
        real row_bend[WW_CHANNELS];
#pragma unroll
        for (uint c = 0; c < WW_CHANNELS; c++) {
            row[c] = w->rows[c * WW_PROFILE_PART + t + s];
            x->at[c][newest % WW_DIAGONALS] = w->columns[c * WW_PLACES + from];
            row_bend[c] = WW_TREND ? w->row_bends[c * WW_PROFILE_PART + t + s] : 0;
            if (WW_TREND)
                x->bend[c][newest % WW_DIAGONALS] = w->column_bends[c * WW_PLACES + from];
        }
        const float row_flat = WW_FLATS ? w->row_flats[t + s] : 0;
        if (WW_FLATS)
            x->flat[newest % WW_DIAGONALS] = w->column_flats[from];
        ww_step_cells(x, row, row_bend, row_flat, s, limit, &hit, &other);
    }
    return hit;
}

// A part's steps: a bit for each WW_BIT_ROWS rows in which a cell is below a limit.
WW_INLINE uint ww_steps(ww_cells *x, const ww_tile *w, uint column, uint place) {
    uint steps = 0;
    for (uint t = 0; t < WW_PROFILE_PART; t += WW_DIAGONALS) {
        const uint here = place;
        column = WW_WRAP(column + WW_DIAGONALS);
        place = WW_PLACE(column);
        steps |= ww_step_rows(x, w, t, here, place) > 0 ? 1u << t / WW_BIT_ROWS : 0;
    }
    return steps;
}

// ---- following diagonals once more

// What windows i and j differ in the tilts of their lines.
WW_INLINE real ww_tilts_differ(const ww_tile *w, const ww_profile_args *job, const uint c, const uint i, const uint j) {
    const real between = WW_TILT(w->row_table, job->row_stride, c, min(i, job->rows - 1)) -
                         WW_TILT(w->column_table, job->column_stride, c, min(j, job->columns - 1));
    return (real)0.5f * between * between;
}

// Moves a diagonal's covariances `walk` on to row t of the part, window i, and the column at `place`, window j; gives D there.
WW_INLINE real ww_follow_cell(real *walk, const ww_tile *w, const ww_profile_args *job, const uint t, const uint place,
                              const uint i, const uint j) {
    const float row_flat = WW_FLATS ? w->row_flats[t] : 0, column_flat = WW_FLATS ? w->column_flats[place] : 0;
    ww_sum sum;
    ww_sum_begin(&sum, row_flat, column_flat);
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
        const real4 row = w->rows[c * WW_PROFILE_PART + t], column = w->columns[c * WW_PLACES + place];
        walk[c] = fma(row.x, column.y, fma(row.y, column.x, walk[c]));
        if (WW_ONE)
            return 1 - walk[0] / (row.z * column.z);
        if (WW_TREND)
            ww_sum_trend(&sum, c, fma(walk[c] * row.z, column.z, -(w->row_bends[c * WW_PROFILE_PART + t] +
                                                                   w->column_bends[c * WW_PLACES + place])) -
                                      ww_tilts_differ(w, job, c, i, j));
        else
            ww_sum_enter(&sum, c, walk[c], row.z, column.z, row_flat, column_flat);
    }
    return (real)WW_ALL_NEAR - ww_sum_end(&sum);
}

// Whose limits a cell is below.
typedef struct {
    uint i, j;  // its row and column
    int row, column;
    local real4 *at_row, *at_column;  // where these limits are
} ww_near;

// A cell of D, which is below a limit: lowers it, or with `list` goes into lists.
WW_INLINE void ww_follow_near(const ww_tile *w, const ww_profile_args *job, const ww_profile_side *rows,
                               const ww_profile_side *columns, global uint4 *entries, global uint *counters,
                               const ww_near of, const float d, const uint list) {
    const float error = ww_error(job, rows->condition[of.i], columns->condition[of.j], d);
    if (list) {
        if (of.row)
            ww_candidate(of.i, of.j, d, error, job, rows, entries, counters);
        if (of.column)
            ww_candidate(of.j, of.i, d, error, job, columns, entries, counters);
    } else {
        if (of.row)
            ww_lower(of.at_row, ww_most(job, as_int(d + error), rows->condition[of.i], w->most_columns));
        if (of.column)
            ww_lower(of.at_column, ww_most(job, as_int(d + error), w->most_rows, columns->condition[of.j]));
    }
}

// The cells of a diagonal of the part before row1 + WW_PROFILE_PART, in the rows of the bits `steps`: those below a limit lower it,
// or with `list` go into lists.
WW_INLINE void ww_follow(const ww_tile *w, const ww_profile_args *job, const ww_profile_side *rows,
                         const ww_profile_side *columns, global uint4 *entries, global uint *counters, const uint row1,
                         const uint first, uint steps, const uint list) {
    real walk[WW_CHANNELS];
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++)
        walk[c] = w->starts[c * WW_PROFILE_WIDTH + first];
    for (uint t = 0; steps != 0; t++) {
        const uint p = WW_WRAP(w->turn + first + t), place = WW_PLACE(p), i = row1 + t;
        const uint j = i + w->diagonal0 + first;
        const real value = ww_follow_cell(walk, w, job, t, place, i, j);
        const int near_row = WW_PROFILE_ROWS && value < w->rows[t].w;
        const int near_column = WW_PROFILE_COLUMNS && value < w->columns[place].w;
        const uint looked = steps & 1u;
        if (t % WW_BIT_ROWS == WW_BIT_ROWS - 1)
            steps >>= 1;
        if (!looked || !(near_row || near_column) || i >= job->rows || rows->state[i] != WW_USABLE ||
            !ww_counts(job, i, j, columns))
            continue;
        const ww_near of = {i, j, near_row, near_column, &w->rows[t], &w->columns[place]};
        ww_follow_near(w, job, rows, columns, entries, counters, of, (float)value, list);
    }
}

// All that the part before `row1` found; of the whole group.
WW_INLINE void ww_follow_found(const ww_tile *w, const ww_profile_args *job, const ww_profile_side *rows,
                               const ww_profile_side *columns, global uint4 *entries, global uint *counters,
                               const uint row1) {
    const uint count = w->founds[0];
    for (uint list = !WW_RAISES; list < 2 && count > 0; list++) {
        for (uint e = w->item; e < count * WW_DIAGONALS; e += WW_WG) {
            const uint2 found = w->found[e / WW_DIAGONALS];
            ww_follow(w, job, rows, columns, entries, counters, row1, found.x * WW_DIAGONALS + e % WW_DIAGONALS, found.y,
                      list);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__attribute__((reqd_work_group_size(WW_WG, 1, 1))) kernel void
ww_profile_items(const ww_profile_args job, global const real *row_table, global const real *column_table,
                 global const ww_wide *row_values, global const ww_wide *column_values, global const ww_wide *row_means,
                 global const ww_wide *column_means, global const float *row_reach, global const float *column_reach,
                 global const float *row_reaches, global const float *column_reaches, global const float *row_flat,
                 global const float *column_flat, global const uchar *row_state, global const uchar *column_state,
                 global int *row_bounds, global int *column_bounds, global uint *row_heads, global uint *column_heads,
                 global uint4 *entries, global uint *counters) {
    local real4 staged_columns[WW_CHANNELS * WW_PLACES], staged_rows[WW_CHANNELS * WW_PROFILE_PART];
    local real starts[WW_CHANNELS * WW_PROFILE_WIDTH];
    local uint2 found[WW_WG];
    local uint founds[1];
    local float most_columns_of[WW_SPAN / WW_DIAGONALS], most_rows_of[WW_PROFILE_PART / WW_DIAGONALS];
    local float column_flats[WW_FLATS ? WW_PLACES : 1], row_flats[WW_FLATS ? WW_PROFILE_PART : 1];
    local real column_bends[WW_TREND ? WW_CHANNELS * WW_PLACES : 1], row_bends[WW_TREND ? WW_CHANNELS * WW_PROFILE_PART : 1];
    const ww_profile_side rows = {row_reach, row_reaches, row_flat, row_state, row_bounds, row_heads};
    const ww_profile_side columns = {column_reach, column_reaches, column_flat, column_state, column_bounds, column_heads};
    const uint item = (uint)get_local_id(0);
    const ulong tile = job.first + get_group_id(0);
    const uint band = (uint)(tile / job.blocks), block = (uint)(tile - (ulong)band * job.blocks);
    const uint row0 = block * WW_PROFILE_BLOCK_ROWS, diagonal0 = job.delta + band * WW_PROFILE_WIDTH;
    if (row0 >= job.rows || (ulong)row0 + diagonal0 >= job.columns) // of the whole group
        return;
    const ww_reach row_most = ww_largest_reach(&rows, row0, WW_PROFILE_BLOCK_ROWS, job.rows, job.row_stride);
    const ww_reach column_most =
        ww_largest_reach(&columns, row0 + diagonal0, WW_PROFILE_BLOCK_ROWS + WW_PROFILE_WIDTH, job.columns,
                         job.column_stride);
    if (!ww_of_launch(&job, row_most, column_most))
        return;
    ww_tile w = {item,           row0,        diagonal0,    row_most.most, column_most.most,
                 0,              staged_columns, staged_rows, column_flats,  row_flats,     column_bends, row_bends,
                 row_table,      column_table,
                 most_columns_of, most_rows_of, starts,      found,         founds};
    ww_cells x;
#pragma unroll
    for (uint c = 0; c < WW_CHANNELS; c++) {
        global const ww_wide *row_lines = row_means + (size_t)c * job.row_stride;
        global const ww_wide *column_lines = column_means + (size_t)c * job.column_stride;
        const ww_channel row = {row_values + (size_t)c * job.row_points, row_lines,
                                row_lines + (size_t)WW_CHANNELS * job.row_stride};
        const ww_channel column = {column_values + (size_t)c * job.column_points, column_lines,
                                   column_lines + (size_t)WW_CHANNELS * job.column_stride};
        ww_first_covariances(x.cov[c], &w, &job, row, column);
    }
    if (item == 0)
        founds[0] = 0;
    for (uint part = 0;; part += WW_PROFILE_PART) {
        const uint row1 = row0 + part;
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_follow_found(&w, &job, &rows, &columns, entries, counters, row1 - WW_PROFILE_PART);
        if (part >= WW_PROFILE_BLOCK_ROWS || row1 >= job.rows || row1 + diagonal0 >= job.columns)
            break;
        if (item == 0)
            founds[0] = 0;
        w.turn = part == 0 ? 0 : WW_WRAP(w.turn + WW_PROFILE_PART);
        ww_stage(&w, &job, row_table, column_table, &rows, &columns, part);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint column = WW_WRAP(w.turn + item * WW_DIAGONALS), place = WW_PLACE(column);
        ww_load_cells(&x, &w, place);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint steps = ww_steps(&x, &w, column, place);
        if (steps != 0 && item * WW_DIAGONALS < job.active)
            found[atomic_inc(founds)] = (uint2)(item, steps);
    }
}
