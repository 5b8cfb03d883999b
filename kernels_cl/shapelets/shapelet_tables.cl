// SPDX-License-Identifier: Apache-2.0
// The tables of columns and windows, in double, rounded once to float. Welford's recurrence over the length l, for the
// window from s on, values x counted from its first point so that offsets do not cost digits:
//   mean(l + 1) = mean(l) + (x - mean(l)) / (l + 1)
//   columns: a[l] = (x - mean(l)) * l / (l + 1);   windows: b[l] = x - mean(l);   cov(l + 1) = cov(l) + a[l] b[l]
//   norm(l)^2 = sum of (x - mean)^2
// A window is flat where its range is at most 1e-10 of its largest absolute value. Raw: both tables hold x - centre.
//
// Each work-item has one column, or one window of a tile. No local memory, no barrier. src/shapelets/shapelet_tables.c
// is the same for devices without double.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifndef WW_U
#define WW_U 16
#endif
#define WW_FLAT 1e-10

#define WW_WELFORD(x, first, l, mean, squares, low, high, gap)                                                         \
    do {                                                                                                               \
        gap = ((x) - (first)) - mean;                                                                                  \
        mean += gap / (double)((l) + 1);                                                                               \
        squares += gap * (((x) - (first)) - mean);                                                                     \
        low = fmin(low, x);                                                                                            \
        high = fmax(high, x);                                                                                          \
    } while (0)

WW_INLINE int ww_is_flat(double low, double high) {
    return high - low <= WW_FLAT * fmax(fabs(low), fabs(high));
}

// columns: series, start, reach, place of the series in the node.
kernel void ww_shapelet_columns(global const double *values, global const ulong *offsets, global const uint4 *columns,
                                global float *a, global float *norms, const double centre, const ww_shapelet_job job) {
    const uint c = (uint)get_global_id(0);
    if (c >= job.columns)
        return;
    const uint4 column = columns[c];
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
            WW_WELFORD(x[l], x[0], l, mean, squares, low, high, gap);
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
                                const uint count, const ww_shapelet_job job) {
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
                WW_WELFORD(x[u + l], x[u], l, mean, squares, low, high, gap);
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
