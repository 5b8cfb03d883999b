// SPDX-License-Identifier: Apache-2.0
// Engine `strips` on a CPU: the work-items of strips.cl become the lanes of a vector, and handing a value on becomes a
// rotation of it. One work-item walks one strip of WW_VECTOR*WW_COLS columns; edges and tickets as in strips.cl.
//
// Lane v is v row-steps behind lane 0. Before its first row-step a lane walks made-up rows of infinities (as in walk.cl), after
// its last it walks on over rows that nobody reads: no lane is ever masked, but for the band.
#if WW_DOUBLE
#define WW_TO_MASK(v) WW_PASTE(convert_long, WW_VECTOR)(v)
#else
#define WW_TO_MASK(v) (v)
#endif
typedef WW_PASTE(int, WW_VECTOR) ww_ints;

// Every lane takes its left neighbour's value, lane 0 takes `in`.
#if WW_VECTOR == 16
#define WW_SHIFT(v, in)                                                                                                \
    {                                                                                                                  \
        (v) = (v).sf0123456789abcde;                                                                                   \
        (v).s0 = (in);                                                                                                 \
    }
#define WW_LAST(v) ((v).sf)
#elif WW_VECTOR == 8
#define WW_SHIFT(v, in)                                                                                                \
    {                                                                                                                  \
        (v) = (v).s70123456;                                                                                           \
        (v).s0 = (in);                                                                                                 \
    }
#define WW_LAST(v) ((v).s7)
#else
#define WW_SHIFT(v, in)                                                                                                \
    {                                                                                                                  \
        (v) = (v).s3012;                                                                                               \
        (v).s0 = (in);                                                                                                 \
    }
#define WW_LAST(v) ((v).s3)
#endif

#if WW_BAND
#undef WW_KEEP
#define WW_KEEP(value, q, r)                                                                                           \
    (WW_TO_MASK((first_columns + (int)(r) >= lo[q]) & (first_columns + (int)(r) < hi[q])) ? (value) : WW_OUTSIDE)
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_strips(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
          __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
          __global const uint *restrict x_order, __global const uint *restrict y_order, __global const uint *restrict band,
          __global ww_scalar *restrict out, const ww_job job, __global volatile ulong *edges, __global uint *ticket) {
    const uint mine = atomic_inc(ticket);
    const uint strips = job.strip_end - job.strip_begin;
    const uint pair = mine / strips, strip = job.strip_begin + ww_rest(mine, strips, pair);
#if WW_LIST
    const uint x_id = x_order[3 * (job.row_begin + job.unit_begin + pair)], y_id = x_order[3 * (job.row_begin + job.unit_begin + pair) + 1];
#else
    const uint columns = job.column_end - job.column_begin;
    const uint unit = job.unit_begin + pair, row_slot = unit / columns;
    const uint row = job.row_begin + row_slot, column = job.column_begin + ww_rest(unit, columns, row_slot);
    const uint x_id = x_order[row], y_id = y_order[column];
    if ((job.flags & WW_JOB_HALF) && row >= column)
        return;
#endif
    const ww_series x = ww_series_load(x_values, x_series, x_id, job.channel);
    const ww_series y = ww_series_load(y_values, y_series, y_id, job.channel);
    const uint strip_columns = WW_VECTOR * WW_COLS;
    if (strip * strip_columns >= y.length)
        return;
    edges += (ulong)pair * job.scratch * WW_EDGE_WORDS;

    const int made_up = WW_MADE_UP(x.length);
    const uint row_steps = (x.length + WW_ROWS - 1) / WW_ROWS;
    const uint owner = (y.length - 1) / WW_COLS - strip * WW_VECTOR, owned = (y.length - 1) % WW_COLS;
#if WW_BAND
    __global const uint *table = ww_band_table(band, job, x.rank, y.rank);
    const uint blocks = table[1];
    __global const uint *intervals = table + 2 + 2 * blocks;
    const uint last_lane = min((uint)WW_VECTOR, blocks - strip * WW_VECTOR) - 1;
    const uint base = table[2 + 2 * strip * WW_VECTOR];
    const uint total = table[3 + 2 * (strip * WW_VECTOR + last_lane)] - base + last_lane;
    const uint edge_first = strip ? table[2 * strip * WW_VECTOR] : 0, edge_end = strip ? table[1 + 2 * strip * WW_VECTOR] : 0;
    ww_ints lo[WW_ROWS], hi[WW_ROWS];
    int starts[WW_VECTOR];
    for (int lane = 0; lane < WW_VECTOR; lane++)
        starts[lane] = (int)((strip * WW_VECTOR + (uint)lane) * WW_COLS);
    const ww_ints first_columns = WW_PASTE(vload, WW_VECTOR)(0, starts);
    for (int q = 0; q < WW_ROWS; q++) {
        lo[q] = (ww_ints)(0x7fffffff);
        hi[q] = (ww_ints)(0);
    }
#else
    const uint last_lane = min((uint)WW_VECTOR, (y.length - strip * strip_columns + WW_COLS - 1) / WW_COLS) - 1;
    const uint base = 0, total = row_steps + last_lane;
    const uint edge_first = 0, edge_end = row_steps;
#endif

    ww_point b[WW_COLS];
    for (uint r = 0; r < WW_COLS; r++)
        for (int channel = 0; channel < WW_CHANNELS; channel++) {
            ww_scalar values[WW_VECTOR];
            for (uint lane = 0; lane < WW_VECTOR; lane++)
                values[lane] = y.at[min((strip * WW_VECTOR + lane) * WW_COLS + r, y.length - 1) +
                                    (ulong)channel * y.length];
            b[r].value[channel] = WW_VLOAD(0, values);
        }
    real c[WW_COLS];
    for (int r = 0; r < WW_COLS; r++)
        c[r] = WW_BORDER;
    ww_point e[WW_ROWS];
    real v[WW_ROWS];
    for (int q = 0; q < WW_ROWS; q++) {
        e[q] = ww_point_infinite();
        v[q] = WW_BORDER;
    }
    // The left-hand values one row above this row-step's first.
    real previous = WW_BORDER;

    for (uint k = 0; k < total; k++) {
        const uint step = base + k;  // lane 0's
        const int i = (int)(step * WW_ROWS) - made_up;
        if (k == 0)
            previous.s0 = strip == 0 ? (i <= 0 ? 0 : (ww_scalar)WW_BORDER_VALUE)
                          : i <= 0   ? (ww_scalar)WW_BORDER_VALUE
                          : base > edge_first && base <= edge_end ? ww_take_over(edges, base * WW_ROWS - 1, strip)
                                                                  : (ww_scalar)WW_OUTSIDE_VALUE;
        real d[WW_ROWS];
        d[0] = previous;
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const ww_scalar border = i + q < 0 ? 0 : (ww_scalar)WW_BORDER_VALUE;
            const ww_scalar in = strip == 0                            ? border
                                 : step >= edge_first && step < edge_end ? ww_take_over(edges, step * WW_ROWS + (uint)q, strip)
                                                                         : (ww_scalar)WW_OUTSIDE_VALUE;
            WW_SHIFT(v[q], in)
            const uint t = (uint)clamp(i + q, 0, (int)x.length - 1);
#pragma unroll
            for (int channel = 0; channel < WW_CHANNELS; channel++) {
                const ww_scalar value = i + q < 0 ? (ww_scalar)INFINITY : x.at[t + (ulong)channel * x.length];
                WW_SHIFT(e[q].value[channel], value)
            }
#if WW_BAND
            WW_SHIFT(lo[q], (int)intervals[2 * t])
            WW_SHIFT(hi[q], (int)intervals[2 * t + 1])
#endif
        }
        previous = v[WW_ROWS - 1];
#pragma unroll
        for (int q = 1; q < WW_ROWS; q++)
            d[q] = v[q - 1];
        WW_SWEEP(WW_ROWS)

        if (k >= WW_VECTOR - 1 && step - (WW_VECTOR - 1) < row_steps) {
            const uint done = step - (WW_VECTOR - 1);
#pragma unroll
            for (uint q = 0; q < WW_ROWS; q++)
                ww_hand_over(edges, done * WW_ROWS + q, strip, WW_LAST(v[q]));
        }
        if (step == row_steps - 1 + owner) {
            real last = c[0];
            for (uint r = 1; r < WW_COLS; r++)
                last = r <= owned ? c[r] : last;
            ww_scalar values[WW_VECTOR];
            WW_VSTORE(last, 0, values);
#if WW_LIST
            ww_store(out, job, x_order[3 * (job.row_begin + job.unit_begin + pair) + 2], 0, ww_final(values[owner]));
#else
            ww_store(out, job, x_id, y_id, ww_final(values[owner]));
#endif
        }
    }
}
