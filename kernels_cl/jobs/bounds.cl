// SPDX-License-Identifier: Apache-2.0
// Lower bounds of elastic distances (LB_Keogh, Keogh and Ratanamahatana 2005, with the ends of LB_Kim): fast to
// compute, and never above the distance except for rounding.
//
// A warping path contains a cell of the band in every column j of the matrix: it costs at least the distance of y_j
// from the envelope of x over the rows of the band in column j. It also contains the first and the last cell. Summed
// over the columns (WW_BOUNDS_MAXIMUM 0) or as a maximum (1): bound = c(x_1, y_1) + c(x_n, y_m) + sum over 1 < j < m of c(y_j,
// [lower_j, upper_j]) Where the band's columns are not the same for all pairs, and without a band, the envelope is the
// least and the largest value of x in each channel.
//
// Parameters, besides those of base/number.cl:
//   WW_CHANNELS, WW_COST (1 squared, 2 absolute, 3 euclidean), WW_ROOT: as in base/points.cl
//   WW_INDEPENDENT  1: the sum over the channels of each channel's bound
//   WW_BOUNDS_MAXIMUM      1: the maximum over the columns, 0: the sum
//   WW_GLOBAL       1: one envelope value a channel, 0: one a column
//   WW_WG           work-items of a group;  WW_VECTOR  columns a work-item takes at a time
// Work: ww_envelope a work-item each value; ww_bounds and ww_candidates WW_BOUNDS_EACH columns (series) of one row a work-item. No local
// memory, no barrier.

// lower and upper: for each row of the block and each channel `envelope` values. intervals: for each column the rows (first,
// end) of its band; with WW_GLOBAL all rows.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_envelope(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
            __global const uint *restrict intervals, const ww_bounds_args job, __global ww_scalar *restrict lower,
            __global ww_scalar *restrict upper) {
    const ulong at = get_global_id(0);
    const ulong side = at / job.envelope; // row and channel
    const ulong row = side / WW_CHANNELS;
    if (row >= job.rows)
        return;
    const uint j = (uint)(at - side * job.envelope);
    const ww_series x = ww_series_load(x_values, x_series, job.row + (uint)row, (uint)(side - row * WW_CHANNELS));
    const uint first = WW_GLOBAL ? 0 : intervals[2 * j], end = WW_GLOBAL ? x.length : intervals[2 * j + 1];
    ww_scalar least = x.at[first], most = least;
    for (uint t = first + 1; t < end; t++) {
        const ww_scalar value = x.at[t];
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    lower[at] = least;
    upper[at] = most;
}

// Adds channel distances up to a point's cost: `sum` before and after the channels.
#define WW_BOUNDS_ADD_CHANNEL(sum, d) (sum) = WW_COST == WWK_COST_ABSOLUTE ? (sum) + (d) : fma((d), (d), (sum))
#define WW_BOUNDS_WHOLE(sum) (WW_COST == WWK_COST_EUCLIDEAN ? sqrt(sum) : (sum))
#define WW_BOUNDS_GATHER(total, cost) (total) = !WW_BOUNDS_MAXIMUM ? (total) + (cost) : (total) > (cost) ? (total) : (cost)

// How far y is outside [low, high].
#define WW_OUTSIDE_BY(TYPE, y, low, high) fmax(fmax((y) - (high), (low) - (y)), (TYPE)0)

// Channels counted together.
#define WW_BOUNDS_TOGETHER (WW_INDEPENDENT ? 1 : WW_CHANNELS)

// The cost of matching point t of x and point s of y.
WW_INLINE ww_scalar ww_end_cost(ww_series x, uint t, ww_series y, uint s) {
    ww_scalar sum = 0;
    for (uint c = 0; c < WW_BOUNDS_TOGETHER; c++) {
        const ww_scalar d = fabs(x.at[t + (ulong)c * x.length] - y.at[s + (ulong)c * y.length]);
        WW_BOUNDS_ADD_CHANNEL(sum, d);
    }
    return WW_BOUNDS_WHOLE(sum);
}

#define WW_LIMITS(limits, j) (WW_GLOBAL ? (real)(*(limits)) : WW_VLOAD(0, (limits) + (j)))

// What column j of y adds, and what the WW_VECTOR columns from j on add.
WW_INLINE ww_scalar ww_column_cost(ww_series y, uint j, __global const ww_scalar *lower,
                                   __global const ww_scalar *upper, ulong envelope) {
    ww_scalar sum = 0;
    for (uint c = 0; c < WW_BOUNDS_TOGETHER; c++) {
        const ulong at = c * envelope + (WW_GLOBAL ? 0 : j);
        const ww_scalar d = WW_OUTSIDE_BY(ww_scalar, y.at[j + (ulong)c * y.length], lower[at], upper[at]);
        WW_BOUNDS_ADD_CHANNEL(sum, d);
    }
    return WW_BOUNDS_WHOLE(sum);
}
#if WW_VECTOR > 1
WW_INLINE real ww_columns_cost(ww_series y, uint j, __global const ww_scalar *lower, __global const ww_scalar *upper,
                               ulong envelope) {
    real sum = 0;
    for (uint c = 0; c < WW_BOUNDS_TOGETHER; c++) {
        const real value = WW_VLOAD(0, y.at + j + (ulong)c * y.length);
        const real low = WW_LIMITS(lower + c * envelope, j), high = WW_LIMITS(upper + c * envelope, j);
        const real d = WW_OUTSIDE_BY(real, value, low, high);
        WW_BOUNDS_ADD_CHANNEL(sum, d);
    }
    return WW_BOUNDS_WHOLE(sum);
}
#endif

WW_INLINE ww_scalar ww_bound(ww_series x, ww_series y, __global const ww_scalar *lower,
                             __global const ww_scalar *upper, ulong envelope) {
    ww_scalar bound = ww_end_cost(x, 0, y, 0);
    if (x.length + y.length > 2) {
        const ww_scalar end = ww_end_cost(x, x.length - 1, y, y.length - 1);
        WW_BOUNDS_GATHER(bound, end);
    }
    uint j = 1;
#if WW_VECTOR > 1
    real total = 0;
    for (; j + WW_VECTOR < y.length; j += WW_VECTOR) {
        const real costs = ww_columns_cost(y, j, lower, upper, envelope);
        WW_BOUNDS_GATHER(total, costs);
    }
    ww_scalar lanes[WW_VECTOR];
    WW_VSTORE(total, 0, lanes);
    for (uint v = 0; v < WW_VECTOR; v++)
        WW_BOUNDS_GATHER(bound, lanes[v]);
#endif
    for (; j + 1 < y.length; j++) {
        const ww_scalar cost = ww_column_cost(y, j, lower, upper, envelope);
        WW_BOUNDS_GATHER(bound, cost);
    }
    return WW_ROOT ? sqrt(bound) : bound;
}

// Where a work-item's columns begin: groups are numbered along the columns, row after row.
WW_INLINE uint ww_block_row(ww_bounds_args job, uint *first) {
    const uint chunks = (job.columns + WW_WG * WW_BOUNDS_EACH - 1) / (WW_WG * WW_BOUNDS_EACH);
    const uint row = (uint)(get_group_id(0) / chunks);
    *first = ((uint)get_group_id(0) - row * chunks) * (WW_WG * WW_BOUNDS_EACH) + (uint)get_local_id(0);
    return row;
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_bounds(__global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
          __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
          __global const ww_scalar *restrict lower, __global const ww_scalar *restrict upper, const ww_bounds_args job,
          __global ww_scalar *restrict bounds) {
    uint first;
    const uint row = ww_block_row(job, &first);
    for (uint e = 0; e < WW_BOUNDS_EACH; e++) {
        const uint column = first + e * WW_WG;
        if (column >= job.columns)
            break;
        ww_scalar bound = 0;
        for (uint channel = 0; channel < (WW_INDEPENDENT ? WW_CHANNELS : 1); channel++) {
            const ww_series x = ww_series_load(x_values, x_series, job.row + row, channel);
            const ww_series y = ww_series_load(y_values, y_series, job.column + column, channel);
            const ulong at = ((ulong)row * WW_CHANNELS + channel) * job.envelope;
            bound += ww_bound(x, y, lower + at, upper + at, job.envelope);
        }
        bounds[(ulong)row * job.columns + column] = bound;
    }
}

// The pairs whose distance is not known yet (NaN) and may be within their row's radius, the k-th best so far.
// count: their number; with `fill`, list: (row id, column id, place in the block) of each, in any order.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_candidates(__global const ww_scalar *restrict bounds, __global const ww_scalar *restrict distances,
              __global const ww_scalar *restrict best, const ww_bounds_args job, __global uint *restrict count,
              __global uint *restrict list) {
    uint first;
    const uint row = ww_block_row(job, &first);
    const ww_scalar radius = best[(ulong)row * job.k + job.k - 1];
    uint wanted = 0, found = 0;
    for (uint e = 0; e < WW_BOUNDS_EACH; e++) {
        const uint column = first + e * WW_WG;
        if (column >= job.columns || (job.exclude_self && job.row + row == job.column + column))
            continue;
        const ulong at = (ulong)row * job.columns + column;
        if (isnan(distances[at]) && !(bounds[at] * (ww_scalar)job.scale > radius)) {
            wanted |= 1u << e;
            found++;
        }
    }
    if (!found)
        return;
    uint slot = atomic_add(count, found);
    if (!job.fill)
        return;
    for (uint e = 0; e < WW_BOUNDS_EACH; e++)
        if (wanted >> e & 1u) {
            const uint column = first + e * WW_WG;
            list[3 * (ulong)slot] = job.row + row;
            list[3 * (ulong)slot + 1] = job.column + column;
            list[3 * (ulong)slot + 2] = row * job.columns + column;
            slot++;
        }
}
