// SPDX-License-Identifier: Apache-2.0
// The tables of columns and windows, in double, rounded once to float. Welford's recurrence over the length l, for the
// window from s on, values x counted from its first point so that offsets do not cost digits:
//   mean(l + 1) = mean(l) + (x - mean(l)) / (l + 1)
//   columns: a[l] = (x - mean(l)) * l / (l + 1);   windows: b[l] = x - mean(l);   cov(l + 1) = cov(l) + a[l] b[l]
//   norm(l)^2 = sum of (x - mean)^2
// A window is flat where it is constant but for rounding (base/constant.h). Raw: both tables hold x - centre.
//
// Each work-item has one column, or one window of a tile. No local memory, no barrier. src/shapelets/shapelet_tables.c
// is the same for devices without double.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Takes point number l into the mean and the sum of squares of points less the first, the least and the largest. Returns
// how far it is from the mean before.
WW_INLINE double ww_welford(double x, double first, uint l, double *mean, double *squares, double *low, double *high) {
    const double gap = (x - first) - *mean;
    *mean += gap / (double)(l + 1);
    *squares += gap * ((x - first) - *mean);
    *low = fmin(*low, x);
    *high = fmax(*high, x);
    return gap;
}

WW_INLINE int ww_is_flat(double low, double high) {
    return WW_IS_CONSTANT(low, high, fmax(fabs(low), fabs(high)), DBL_EPSILON);
}

// columns: series, start, reach, place of the series in the node; the last two also go to reaches and own.
WW_INLINE uint4 ww_take_column(global const uint4 *columns, uint c, global uint *reaches, global uint *own) {
    const uint4 column = columns[c];
    reaches[c] = column.z;
    own[c] = column.w;
    return column;
}

kernel void ww_shapelet_columns(global const double *values, global const ulong *offsets, global const uint4 *columns,
                                global float *a, global float *norms, global uint *reaches, global uint *own,
                                const double centre, const ww_shapelet_args job) {
    const uint c = (uint)get_global_id(0);
    if (c >= job.columns)
        return;
    const uint4 column = ww_take_column(columns, c, reaches, own);
    const ulong length = (offsets[column.x + 1] - offsets[column.x]) / WW_C;
    for (uint ch = 0; ch < WW_C; ch++) {
        global const double *x = values + offsets[column.x] + ch * length + column.y;
        global float *to = a + (ulong)ch * job.longest * job.columns + c;
#if !WW_RAW
        double mean = 0, squares = 0, low = INFINITY, high = -INFINITY, gap;
        uint wanted = job.single ? column.z : job.least, li = 0;
#endif
        for (uint l = 0; l < job.longest; l++) {
            if (l >= column.z) {
                to[(ulong)l * job.columns] = 0;
#if !WW_RAW
                if (!job.single && l + 1 == wanted) {
                    norms[((ulong)ch * job.count + li++) * job.columns + c] = 0;
                    wanted += job.step;
                }
#endif
                continue;
            }
#if WW_RAW
            to[(ulong)l * job.columns] = (float)(x[l] - centre);
#else
            gap = ww_welford(x[l], x[0], l, &mean, &squares, &low, &high);
            to[(ulong)l * job.columns] = (float)(gap * l / (l + 1.0));
            if (l + 1 == wanted) {
                const int flat = ww_is_flat(low, high);
                norms[((ulong)ch * job.count + li) * job.columns + c] = flat ? 0 : (float)rsqrt(squares);
#if WW_C > 1
                global float *half_ = norms + ((ulong)WW_C * job.count + li) * job.columns + c;
                *half_ = (ch ? *half_ : 0.0f) + (flat ? 0.5f : 0.0f);
#endif
                li++;
                wanted = job.single ? 0 : wanted + job.step;
            }
#endif
        }
    }
}

// tiles: series in the node, first window, lengths, first row in b. ids: the node's series. flat: bit 0 of (series,
// length) says that the series has a flat window of that length.
kernel void ww_shapelet_windows(global const double *values, global const ulong *offsets, global const uint *ids,
                                global const uint4 *tiles, global float *b, global uint *flats, const double centre,
                                const uint count, const ww_shapelet_args job) {
    const uint item = (uint)get_global_id(0), t = item / WW_U, lane = item % WW_U;
    if (t >= count)
        return;
    const uint4 tile = tiles[t];
    const uint id = ids[tile.x], u = tile.y + lane;
    const uint length = (uint)((offsets[id + 1] - offsets[id]) / WW_C);
#if WW_RAW
    const uint width = WW_C * WW_U;
#else
    const uint width = (WW_C == 1 ? 2 : 2 * WW_C + 1) * WW_U;
#endif
    for (uint ch = 0; ch < WW_C; ch++) {
        global const double *x = values + offsets[id] + (ulong)ch * length;
        global float *row = b + (ulong)tile.w * width + lane;
#if !WW_RAW
        double mean = 0, squares = 0, low = INFINITY, high = -INFINITY, gap;
#if WW_C == 1
        uint wanted = job.least, li = 0;
#endif
#endif
        for (uint l = 0; l < tile.z; l++, row += width) {
            const int inside = u + l < length;
#if WW_RAW
            row[ch * WW_U] = inside ? (float)(x[u + l] - centre) : INFINITY;
#else
            if (inside)
                gap = ww_welford(x[u + l], x[u], l, &mean, &squares, &low, &high);
            row[ch * WW_U] = inside ? (float)gap : 0.0f;
            const int flat = inside && ww_is_flat(low, high);
#if WW_C == 1
            // What is no candidate's best is NaN: the flat ones count by `flats`.
            row[WW_U] = inside && !flat ? (float)rsqrt(squares) : NAN;
            if (l + 1 == wanted || job.single) {
                if (flat)
                    atomic_or(&flats[(ulong)tile.x * (job.single ? job.longest : job.count) + (job.single ? l : li)], 1u);
                li++;
                wanted += job.step;
            }
#else
            row[(WW_C + ch) * WW_U] = inside && !flat ? (float)rsqrt(squares) : 0.0f;
            global float *half_ = row + 2 * WW_C * WW_U;
            *half_ = inside ? (ch ? *half_ : 0.0f) + (flat ? 0.5f : 0.0f) : NAN;
#endif
#endif
        }
    }
}

#if WW_C == 1 && !WW_RAW
// The tables of shapelet_tensor.cl: those above with two halves, high and low, in place of a float. scale: a power of two by
// which values are multiplied, so that none of their differences is above the largest half.
WW_INLINE uint ww_halves(double x) {
    ushort halves[2];
    vstore_half_rte((float)x, 0, (half *)halves);
    vstore_half_rte((float)(x - vload_half(0, (const half *)halves)), 1, (half *)halves);
    return halves[0] | (uint)halves[1] << 16;
}

// Every length. norms: 1 / norm of every length and column, then the norms themselves.
kernel void ww_shapelet_tensor_columns(global const double *values, global const ulong *offsets,
                                       global const uint4 *columns, global uint *a, global float *norms,
                                       global uint *reaches, global uint *own, const double scale,
                                       const ww_shapelet_args job) {
    const uint c = (uint)get_global_id(0);
    if (c >= job.columns)
        return;
    const uint4 column = ww_take_column(columns, c, reaches, own);
    global const double *x = values + offsets[column.x] + column.y;
    double mean = 0, squares = 0, low = INFINITY, high = -INFINITY, gap;
    for (uint l = 0; l < job.longest; l++) {
        const int inside = l < column.z;
        if (inside)
            gap = ww_welford(x[l], x[0], l, &mean, &squares, &low, &high);
        a[(ulong)l * job.columns + c] = inside ? ww_halves(gap * l / (l + 1.0) * scale) : 0;
        if (l + 1 >= job.least) {
            const int none = !inside || ww_is_flat(low, high);
            global float *norm = norms + (ulong)(l + 1 - job.least) * job.columns + c;
            norm[0] = none ? 0.0f : (float)(rsqrt(squares) / scale);
            norm[(ulong)job.count * job.columns] = none ? 0.0f : (float)(sqrt(squares) * scale);
        }
    }
}

// Tiles of WW_SHAPELET_TILE windows. A row of b has its windows' numbers, those of a work-item's column in all matrices side by
// side, and then 1 / norm of a work-item's windows in all products: two neighbours of each matrix, the second one first.
#define WW_SHAPELET_TILE 64
kernel void ww_shapelet_tensor_windows(global const double *values, global const ulong *offsets, global const uint *ids,
                                       global const uint4 *tiles, global uint *b, global uint *flats,
                                       const double scale, const uint count, const ww_shapelet_args job) {
    const uint item = (uint)get_global_id(0), t = item / WW_SHAPELET_TILE, lane = item % WW_SHAPELET_TILE;
    if (t >= count)
        return;
    const uint4 tile = tiles[t];
    const uint id = ids[tile.x], u = tile.y + lane, length = (uint)(offsets[id + 1] - offsets[id]);
    global const double *x = values + offsets[id];
    global uint *row = b + (ulong)tile.w * (2 * WW_SHAPELET_TILE) + lane % 8 * (WW_SHAPELET_TILE / 8) + lane / 8;
    global float *unit = (global float *)(b + (ulong)tile.w * (2 * WW_SHAPELET_TILE) + WW_SHAPELET_TILE) + lane % 8 / 2 * (WW_SHAPELET_TILE / 4) +
                         lane / 8 * 2 + (lane + 1) % 2;
    double mean = 0, squares = 0, low = INFINITY, high = -INFINITY, gap;
    for (uint l = 0; l < tile.z; l++, row += 2 * WW_SHAPELET_TILE, unit += 2 * WW_SHAPELET_TILE) {
        const int inside = u + l < length;
        if (inside)
            gap = ww_welford(x[u + l], x[u], l, &mean, &squares, &low, &high);
        *row = inside ? ww_halves(gap * scale) : 0;
        const int flat = inside && ww_is_flat(low, high);
        *unit = inside && !flat ? (float)(rsqrt(squares) / scale) : NAN;
        if (flat && l + 1 >= job.least)
            atomic_or(&flats[(ulong)tile.x * job.count + l + 1 - job.least], 1u);
    }
}

// The tables of shapelet_diagonal.cl and shapelet_rows.cl. Series are continued at their ends by their first and last
// value. The m points from length l to l + m add, with the means of the l points and of the m,
//   cov(l + m) = cov(l) + sum of (x[i] - mean_m) (y[i] - mean_m) + l m / (l + m) (mean_l - mean_m)_x (mean_l - mean_m)_y,
// and the sum is that of A[i] (y[i] - y[i + 1]) with A[i] = (x[0] - mean_m) + ... + (x[i] - mean_m): neither needs a
// table of its own for each window, and offsets do not cost digits. Up to job.direct points, which is 3 at most, f and g are
// instead A[0] and A[1] of columns, and of windows the second difference and the first.
WW_INLINE double ww_value_at(global const double *x, uint length, int t) {
    return x[clamp(t, 0, (int)length - 1)];
}

// A window's share of the condition number of those behind it on a diagonal (docs/shapelets.md).
WW_INLINE float ww_passed(double squares, float f, float g) {
    return (float)(2 * squares + 5.0 * f * f + 1.25 * g * g);
}

// The condition number of the last of the windows passed. passed: their shares; most: the largest of those.
WW_INLINE float ww_condition(float passed, float most, uint length, float norm) {
    return sqrt(passed + 3.0f * sqrt((float)length) * most) * norm;
}

// lanes: work-items and vector columns of a group there. sums: A of the first rows, and of those that are the first of
// a later tile, for each length as many as it adds points, rounded up to 4; increments: l m / (l + m) (mean_l - mean_m) of them. steps: f and g of every column, a row of lanes
// of the one after that of the other; norms as above, then of every column what ww_passed() is, 0 where none is.
kernel void ww_shapelet_row_steps(global const double *values, global const ulong *offsets, global const uint4 *columns,
                                  global float *sums, global float *increments, global float *steps, global float *norms,
                                  global uint *reaches, global uint *own, const uint lanes,
                                  const ww_shapelet_args job) {
    const uint c = (uint)get_global_id(0);
    if (c >= job.columns)
        return;
    const uint4 column = ww_take_column(columns, c, reaches, own);
    const uint block = c / lanes, lane = ww_rest(c, lanes, block), group = block / job.rows;
    const uint row = ww_rest(block, job.rows, group), firsts = job.columns / job.rows, first = group * lanes + lane;
    global const double *x = values + offsets[column.x] + column.y;
    double mean = 0, squares = 0, low = INFINITY, high = -INFINITY;
    for (uint li = 0, from = 0, length = job.least; li < job.count; li++, from = length, length += job.step) {
        const int inside = length <= column.z;
        const double old = mean;
        double part = 0;
        for (uint l = from; inside && l < length; l++) {
            ww_welford(x[l], x[0], l, &mean, &squares, &low, &high);
            part += x[l] - x[0];
        }
        const uint many = length - from;
        part /= (double)many;
        // shapelet_rows.cl has a tile that begins with a later row.
        if (row == 0 || row + WW_DIAGONALS + 1 == job.rows) {
            const uint which = row ? firsts + first : first;
            double sum = 0;
            for (uint i = 0; i < (many + 3) / 4 * 4; i++) {
                if (inside && i + 1 < many)
                    sum += x[from + i] - x[0] - part;
                sums[(ulong)(ww_sums_of(job, li) + i) * 2 * firsts + which] = i + 1 < many ? (float)sum : 0.0f;
            }
            increments[(ulong)li * 2 * firsts + which] =
                inside ? (float)((double)from * many / length * (old - part)) : 0.0f;
        }
        const ulong place = (ulong)li * job.columns;
        float f = 0, g = 0;
        if (inside && row) {
            const double before = x[-1] - x[0], last = x[length - 1] - x[0];
            f = (float)(0.5 * (last - before));
            g = (float)((last - mean) + (before - mean - (before - last) / length));
        }
        if (inside && length <= job.direct) {
            f = (float)-mean;
            g = length == 3 ? (float)(x[1] - x[0] - 2 * mean) : 0.0f;
        }
        steps[2 * (place + block * lanes) + lane] = f;
        steps[2 * (place + block * lanes) + lanes + lane] = g;
        norms[place + c] = inside && !ww_is_flat(low, high) ? (float)rsqrt(squares) : 0.0f;
        norms[(ulong)job.count * job.columns + place + c] = inside ? ww_passed(squares, f, g) : 0.0f;
    }
}

// Condition numbers of columns, in place of what ww_passed() is of them. A work-item has the rows of a lane.
kernel void ww_shapelet_row_conditions(global float *norms, const uint lanes, const ww_shapelet_args job) {
    const uint item = (uint)get_global_id(0), firsts = job.columns / job.rows, li = item / firsts;
    if (li >= job.count)
        return;
    const uint first = ww_rest(item, firsts, li), group = first / lanes, lane = ww_rest(first, lanes, group);
    global const float *norm = norms + (ulong)li * job.columns + (ulong)group * job.rows * lanes + lane;
    global float *of = norms + (ulong)job.count * job.columns + (norm - norms);
    float passed = 0, most = 0;
    for (uint row = 0; row < job.rows; row++, norm += lanes, of += lanes) {
        passed += *of;
        most = fmax(most, *of);
        *of = ww_condition(passed, most, job.least + li * job.step, *norm);
    }
}

// Tiles as above, from window 1 - rows on (so their first window is an int). windows: f, g, 1 / norm and mean_l - mean_m
// of `wide` windows of each series and length. differences: y[t] - y[t + 1] of each series in four copies of `difference_count` numbers,
// the first one from t = 1 - rows on, each other one place further, so that four at a time can be read from any place on.
// passed: ww_passed() of every window.
kernel void ww_shapelet_window_steps(global const double *values, global const ulong *offsets, global const uint *ids,
                                     global const uint4 *tiles, global float *differences, const uint difference_count,
                                     global uint *flats, global float4 *windows, global float *passed,
                                     const uint wide, const uint count, const ww_shapelet_args job) {
    const uint item = (uint)get_global_id(0), t = item / WW_DIAGONALS, lane = item % WW_DIAGONALS;
    if (t >= count)
        return;
    const uint4 tile = tiles[t];
    const uint id = ids[tile.x], all = (uint)(offsets[id + 1] - offsets[id]);
    const int u = (int)tile.y + (int)lane;
    const uint place = (uint)(u + (int)job.rows - 1);
    global const double *x = values + offsets[id];
    // As many work-items as the series has places in tiles.
    const uint items = (all - job.least + 2 * job.rows + 2 * WW_DIAGONALS - 2) / WW_DIAGONALS * WW_DIAGONALS;
    for (uint p = place; p < difference_count; p += items)
        for (uint copy = 0; copy < 4; copy++) {
            const int at = (int)(p + copy) - (int)(job.rows - 1);
            differences[(ulong)((tile.x - job.table) * 4 + copy) * difference_count + p] =
                at >= 0 && at + 1 < (int)all ? (float)(x[at] - x[at + 1]) : 0.0f;
        }
    const double first = ww_value_at(x, all, u), before = ww_value_at(x, all, u - 1) - first;
    double mean = 0, squares = 0, low = INFINITY, high = -INFINITY;
    for (uint li = 0, from = 0, length = job.least; li < job.count; li++, from = length, length += job.step) {
        const double old = mean;
        double part = 0;
        for (uint l = from; l < length; l++) {
            const double own = ww_value_at(x, all, u + (int)l);
            ww_welford(own, first, l, &mean, &squares, &low, &high);
            part += own - first;
        }
        part /= (double)(length - from);
        const double last = ww_value_at(x, all, u + (int)length - 1) - first;
        const int inside = u >= 0 && u + (int)length <= (int)all, flat = ww_is_flat(low, high);
        float f = (float)(0.5 * (last - before)),
              g = (float)((last - mean) + (before - mean - (before - last) / length));
        if (length <= job.direct) {
            f = (float)(ww_value_at(x, all, u + 1) - ww_value_at(x, all, u + 2));
            g = (float)(first - ww_value_at(x, all, u + 1));
        }
        const ulong at = ((ulong)(tile.x - job.table) * job.count + li) * wide + place;
        windows[at] = (float4)(f, g, inside && !flat ? (float)rsqrt(squares) : NAN, from ? (float)(old - part) : 0.0f);
        passed[at] = ww_passed(squares, f, g);
        if (inside && flat)
            atomic_or(&flats[(ulong)tile.x * job.count + li], 1u);
    }
}

// The largest condition numbers of windows of each length, beside the flags, which are all set. A work-item has a window of a
// length; its sum begins with any of the rows before.
kernel void ww_shapelet_window_conditions(global const uint *points, global const float4 *windows,
                                          global const float *passed, global uint *flats, const uint wide,
                                          const uint series, const ww_shapelet_args job) {
    const ulong at = get_global_id(0);
    const uint row = (uint)(at / wide), place = (uint)(at - (ulong)row * wide), j = row / job.count;
    const uint li = ww_rest(row, job.count, j), length = job.least + li * job.step;
    if (j >= series || place + 1 < job.rows || place + 1 - job.rows + length > points[job.table + j] ||
        !(windows[at].z > 0))
        return;
    float sum = 0, most = 0;
    for (uint k = 0; k < job.rows; k++) {
        const float one = passed[at - k];
        sum += one;
        most = fmax(most, one);
    }
    const uint condition = as_uint(ww_condition(sum, most, length, windows[at].z));
    global uint *own = &flats[(job.table + j) * job.count + li], *all = &flats[job.series * job.count + li];
    const uint marked = (condition & ~1u) | (*own & 1u);
    if (marked > *own)
        atomic_max(own, marked);
    if (condition > *all)
        atomic_max(all, condition);
}
#endif
