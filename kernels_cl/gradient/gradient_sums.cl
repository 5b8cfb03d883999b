// SPDX-License-Identifier: Apache-2.0
// Before and after the passes of gradients, a program of its own for single values:
//   ww_gradient_pack    interleaves the series of pairs that are side by side, and repeats their last points to whole blocks
//   ww_gradient_border  adds what comes through the border of the matrix (ERP), a work-item a pair
//   ww_gradient_single  by tiles, gradients that are one task's each, where the caller has them, a work-group an output
//   ww_gradient_series  a series' gradient: the sum over its entries, a work-item a value
//   ww_gradient_pairs   values, and slopes by parameters and by weights, a work-group an output
// Sums run over entries in their order, with the rounding errors of the sum carried along.
#define WW_OTHER_SIDE 0x80000000u
#define WW_SUM_AHEAD 4 // entries
#define WW_SUM_VALUES 4 // of a work-item: entries, their tasks and factors are read once for all
#define WW_SUM_MANY 64 // entries that are summed in slices
// Where point t has its value c of so many. WW_IN_FOURS 1: points and slopes lie in fours (gradient_soft_places.cl).
WW_INLINE ulong ww_value_place(uint t, uint c, uint values) {
    return WW_IN_FOURS ? ((ulong)(t / 4) * values + c) * 4 + t % 4 : (ulong)t * values + c;
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_gradient_pack(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                 __global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
                 __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
                 __global ww_scalar *restrict packed) {
    // Where a series lies together, the work-items of a group write it together.
    const bool together = args.stride == 1;
    const uint item = together ? (uint)get_group_id(0) : (uint)get_global_id(0);
    if (item >= 2 * args.count)
        return;
    const ww_gradient_task task = tasks[args.first + item / 2];
    const bool column = item & 1;
    const uint id = column ? task.y_id : task.x_id, points = column ? task.wide * WW_COLS : task.tall * WW_ROWS;
    const ulong to = column ? task.y : task.x;
    const bool other = (id & WW_OTHER_SIDE) != 0;
    __global const ww_scalar *values = other ? y_values : x_values;
    __global const ulong2 *series = other ? y_series : x_series;
    const ulong2 entry = series[id & ~WW_OTHER_SIDE];
    const uint length = (uint)entry.y, step = together ? WW_WG : 1;
#pragma unroll 4
    for (uint t = together ? (uint)get_local_id(0) : 0; t < points; t += step) {
        const uint from = min(t, length - 1);
        for (uint c = 0; c < WW_CHANNELS; c++)
            packed[to + ww_value_place(t, c, WW_PARTS) * args.stride] = values[entry.x + (ulong)(args.channel + c) * length + from];
#if WW_EXTRA
        packed[to + ((ulong)t * WW_PARTS + WW_CHANNELS) * args.stride] =
            values[entry.x + (ulong)(WW_ALL_CHANNELS + (WW_EXTRA_EACH ? args.channel : 0)) * length + from];
#endif
    }
}

#if WW_BORDER_SLOPES
// D(i,0) depends on the points 1 to i, or with border_total on all of them.
WW_INLINE ww_point ww_packed_at(__global const ww_scalar *packed, ulong at, ulong stride) {
    ww_point point;
#if WW_POINT_REGISTERS
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = packed[at + c * stride];
#else
    point.at = packed + at;
    point.stride = stride;
#endif
#if WW_EXTRA
    point.extra = packed[at + WW_CHANNELS * stride];
#endif
    return point;
}

// Adds what comes through the border at point t, from 0, of the columns or of the rows.
WW_INLINE ww_scalar ww_border_add(ww_scalar all, __global const ww_scalar *adjoints, const ww_gradient_task task,
                                  const bool column, const uint t, const ulong stride) {
    const ulong left = task.carried + (ulong)task.wide * WW_COLS * stride;
    if (column)
        return all + adjoints[task.carried + t * stride];
    const uint i = t / WW_ROWS, q = t - i * WW_ROWS;
    all += adjoints[left + ((ulong)i * (WW_ROWS + 1) + q + 1) * stride];
    if (q == WW_ROWS - 1 && i + 1 < task.tall)
        all += adjoints[left + (ulong)(i + 1) * (WW_ROWS + 1) * stride];
    return all;
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_gradient_border(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                   __global const ww_scalar *restrict packed, __global const ww_scalar *restrict adjoints,
                   __global ww_scalar *restrict slopes, __global ww_scalar *restrict sums) {
    if (get_global_id(0) >= 2 * args.count)
        return;
    const ww_gradient_task task = tasks[args.first + get_global_id(0) / 2];
    const bool column = get_global_id(0) & 1;
    const ulong stride = args.stride;
    const uint points = column ? task.m : task.n;
    ww_scalar all = 0, by_gap = 0;
    for (uint t = points; WW_I_border_total && t-- > 0;)
        all = ww_border_add(all, adjoints, task, column, t, stride);
    for (uint t = points; t-- > 0;) {
        if (!WW_I_border_total)
            all = ww_border_add(all, adjoints, task, column, t, stride);
        const ww_point point = ww_packed_at(packed, (column ? task.y : task.x) + (ulong)t * WW_PARTS * stride, stride);
        const ulong at = (column ? task.y_slopes : task.x_slopes) + (ulong)t * WW_CHANNELS * stride;
        for (int c = 0; c < WW_CHANNELS; c++)
            slopes[at + c * stride] += all * ww_gap_slope(point, c, WW_GIVEN);
        by_gap += all * ww_gap_parameter(point, WW_GIVEN);
    }
    // A row of its own, behind those of the blocks.
    if (WW_WANT_PARAMETERS)
        sums[task.sums + (ulong)(task.tall + column) * stride] = by_gap;
}
#endif

// By tiles slopes have the places of points, and the task has those of the outputs.
__kernel __attribute__((reqd_work_group_size(WW_SUM_WG, 1, 1))) void
ww_gradient_single(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                   __global const ww_scalar *restrict slopes, __global const ww_scalar *restrict upstream,
                   __global ww_scalar *restrict out, const uint column) {
    __global const ww_gradient_task *task = tasks + get_group_id(0);
    const uint points = column ? task->m : task->n;
    const ulong from = column ? task->y : task->x, to = column ? task->y_slopes : task->x_slopes;
    const ww_scalar factor = args.scaled ? upstream[task->number] : (ww_scalar)1;
#pragma unroll 4
    for (uint e = (uint)get_local_id(0); e < points * WW_CHANNELS; e += WW_SUM_WG) {
        const uint c = e / points;
        out[to + e] = factor * slopes[from + ww_value_place(ww_rest(e, points, c), c, WW_CHANNELS)];
    }
}

// Where a series of so many points has the slope by channel c of point t: from a table of W a channel lies together.
WW_INLINE ulong ww_slope_place(uint t, uint c, uint points, uint channels) {
    return WW_WEIGHTS_TABLED ? (ulong)c * ((points + 3) & ~3u) + t : ww_value_place(t, c, channels);
}
// The gradient of D(n,m) of a pair by one value of its series.
WW_INLINE ww_scalar ww_pair_slope(__global const ww_gradient_task *tasks, __global const ww_scalar *slopes,
                                  uint number, uint role, uint t, uint c, uint channels, ulong stride) {
    const ww_gradient_task task = tasks[number];
    const uint points = role ? task.m : task.n, padded = role ? task.wide * WW_COLS : task.tall * WW_ROWS;
    const ulong at = role ? task.y_slopes : task.x_slopes;
    if (WW_DERIVED) {
        // x'_t = (x_t - x_{t-1})/2 + (x_{t+1} - x_{t-1})/4, t from 1.
        ww_scalar sum = 0;
        if (t < points)
            sum -= (ww_scalar)0.75 * slopes[at + ww_slope_place(t, c, points, channels) * stride];
        if (t >= 1 && t - 1 < points)
            sum += (ww_scalar)0.5 * slopes[at + ww_slope_place(t - 1, c, points, channels) * stride];
        if (t >= 2)
            sum += (ww_scalar)0.25 * slopes[at + ww_slope_place(t - 2, c, points, channels) * stride];
        return sum;
    }
    ww_scalar sum = slopes[at + ww_slope_place(t, c, points, channels) * stride];
    if (WW_ENTER_SLOPES && WW_BEFORE && t + 1 < points)
        sum += slopes[at + (((ulong)padded + t + 1) * channels + c) * stride];
    return sum;
}

// Adds a value; `lost` carries what was rounded off.
WW_INLINE void ww_sum_add(ww_scalar *sum, ww_scalar *lost, ww_scalar value) {
    const ww_scalar more = value - *lost, next = *sum + more;
    *lost = (next - *sum) - more;
    *sum = next;
}
// Adds, of values t of channels c, every `parts`-th entry from `begin` on.
WW_INLINE void ww_sum_slice(ww_scalar *sum, ww_scalar *lost, const ww_gradient_args args,
                            __global const ww_gradient_task *tasks, __global const ww_scalar *slopes,
                            __global const ww_scalar *ends, __global const ww_gradient_entry *entries,
                            __global const ww_scalar *upstream, const uint begin, const uint end, const uint parts,
                            const uint *t, const uint *c, const uint channels) {
    // Several are read before they are added: else each waits for its entry, its task and its slope.
    for (uint e = begin; e < end; e += WW_SUM_AHEAD * parts) {
        ww_scalar read[WW_SUM_AHEAD][WW_SUM_VALUES];
#pragma unroll
        for (uint k = 0; k < WW_SUM_AHEAD; k++) {
            if (e + k * parts >= end)
                continue;
            const ww_gradient_entry entry = entries[e + k * parts];
            const ww_scalar scale = (ww_scalar)entry.factor * (args.scaled ? upstream[entry.pair] : (ww_scalar)1) *
                                    ww_final_slope(ends[entry.task], tasks[entry.task].n, tasks[entry.task].m, WW_GIVEN);
#pragma unroll
            for (uint v = 0; v < WW_SUM_VALUES; v++)
                read[k][v] = scale * ww_pair_slope(tasks, slopes, entry.task, entry.role, t[v], c[v], channels, args.stride);
        }
#pragma unroll
        for (uint k = 0; k < WW_SUM_AHEAD; k++) {
#pragma unroll
            for (uint v = 0; v < WW_SUM_VALUES; v++)
                if (e + k * parts < end)
                    ww_sum_add(&sum[v], &lost[v], read[k][v]);
        }
    }
}
// outputs: where each begins in `out`, and its points; begins: its first entry, and one more. Many entries are summed in
// WW_SUM_SLICES slices, entry k in slice k % WW_SUM_SLICES, and then the slices in their order: with `slices` 1 by one work-item, else
// by as many. A work-item has WW_SUM_VALUES values of an output; those behind its last one are as that. Local memory: WW_SUM_WG
// values twice. Barriers.
__kernel __attribute__((reqd_work_group_size(WW_SUM_WG, 1, 1))) void
ww_gradient_series(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                   __global const ww_scalar *restrict slopes, __global const ww_scalar *restrict ends,
                   __global const ww_gradient_entry *restrict entries, __global const uint *restrict begins,
                   __global const ulong2 *restrict outputs, __global const ww_scalar *restrict upstream,
                   __global ww_scalar *restrict out, const uint chunks, const uint slices, const uint channels) {
#if WW_SUM_SLICES > 1
    __local ww_scalar sums[WW_SUM_WG], losts[WW_SUM_WG];
#endif
    const uint group = (uint)get_group_id(0), which = group / chunks, each = WW_SUM_WG / slices;
    const uint lane = (uint)get_local_id(0), own = lane / each, points = (uint)outputs[which].y;
    const uint first = ww_rest(group, chunks, which) * each * WW_SUM_VALUES + ww_rest(lane, each, own);
    const uint begin = begins[which], end = begins[which + 1];
    const uint parts = end - begin < WW_SUM_MANY ? 1 : WW_SUM_SLICES;
    uint t[WW_SUM_VALUES], c[WW_SUM_VALUES];
    ww_scalar all[WW_SUM_VALUES], all_lost[WW_SUM_VALUES];
#pragma unroll
    for (uint v = 0; v < WW_SUM_VALUES; v++) {
        const uint element = min(first + v * each, points * channels - 1);
        c[v] = element / points;
        t[v] = ww_rest(element, points, c[v]);
        all[v] = all_lost[v] = 0;
    }
    for (uint s = own; first < points * channels && s < parts; s += slices) {
        ww_scalar sum[WW_SUM_VALUES] = {0}, lost[WW_SUM_VALUES] = {0};
        ww_sum_slice(sum, lost, args, tasks, slopes, ends, entries, upstream, begin + s, end, parts, t, c, channels);
#pragma unroll
        for (uint v = 0; v < WW_SUM_VALUES; v++) {
            if (parts > 1) {
                ww_sum_add(&all[v], &all_lost[v], sum[v]);
                all_lost[v] += lost[v];
            } else {
                all[v] = sum[v];
            }
        }
    }
#pragma unroll
    for (uint v = 0; v < WW_SUM_VALUES; v++) {
#if WW_SUM_SLICES > 1
        if (slices > 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[lane] = all[v];
            losts[lane] = all_lost[v];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint s = 1; own == 0 && s < parts; s++) {
                ww_sum_add(&all[v], &all_lost[v], sums[lane + s * each]);
                all_lost[v] += losts[lane + s * each];
            }
        }
#endif
        if (first + v * each < points * channels && own == 0)
            out[outputs[which].x + (ulong)(args.channel + c[v]) * points + t[v]] += all[v];
    }
}

__kernel __attribute__((reqd_work_group_size(WW_SUM_WG, 1, 1))) void
ww_gradient_pairs(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                  __global const ww_scalar *restrict sums, __global const ww_scalar *restrict ends,
                  __global const ww_gradient_entry *restrict entries, __global const uint *restrict begins,
                  __global const uint *restrict outputs, __global const ww_scalar *restrict upstream,
                  __global ww_scalar *restrict values, __global ww_scalar *restrict parameters,
                  __global ww_scalar *restrict lags, const uint all_parameters, const uint all_lags, const uint wanted) {
    const uint which = (uint)get_group_id(0), lane = (uint)get_local_id(0);
    const uint pair = outputs[which];
    for (uint e = begins[which]; e < begins[which + 1]; e++) {
        const ww_gradient_entry entry = entries[e];
        const ww_gradient_task task = tasks[entry.task];
        const ww_scalar end = ends[entry.task];
        const ww_scalar scale = (ww_scalar)entry.factor * (args.scaled ? upstream[pair] : (ww_scalar)1) * ww_final_slope(end, task.n, task.m, WW_GIVEN);
        (void)scale;
        if (entry.role)
            continue;
        if (lane == 0 && (wanted & 1u))
            values[pair] += (ww_scalar)entry.factor * ww_final(end, task.n, task.m);
#if WW_WANT_PARAMETERS
        for (uint p = lane; p < WW_PARAMETER_SLOPES; p += WW_SUM_WG) {
            ww_scalar sum = 0;
            for (uint i = 0; i < task.tall + 2 * WW_BORDER_SLOPES; i++)
                sum += sums[task.sums + ((ulong)i * WW_PARAMETER_SLOPES + p) * args.stride];
            parameters[(ulong)pair * all_parameters + p] += scale * sum;
        }
#endif
#if WW_WANT_LAGS
        // Lag l is at l + wide * WW_COLS + WW_COLS - 1.
        const uint middle = task.wide * WW_COLS + WW_COLS - 1;
        for (uint l = lane; l < max(task.n, task.m); l += WW_SUM_WG) {
            ww_scalar sum = l < task.n ? sums[task.lags + (ulong)(middle + l) * args.stride] : (ww_scalar)0;
            if (l && l < task.m)
                sum += sums[task.lags + (ulong)(middle - l) * args.stride];
            lags[(ulong)pair * all_lags + l] += scale * sum;
        }
#endif
    }
}
