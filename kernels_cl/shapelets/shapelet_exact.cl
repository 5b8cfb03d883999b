// SPDX-License-Identifier: Apache-2.0
// Distances of a few patterns to series in double, directly: for every window its mean and norm, then the sum of squared
// differences. What decides between candidates, and what predicts. src/shapelets/shapelet_exact.c is the same for
// devices without double.
//
// A group has one pattern and one series; its work-items take the windows in turn. patterns: z-normalised by the host
// (raw: as they are), channel by channel. places: where each begins, its length; flat_: whether a channel is flat. The
// result is the mean squared difference over points and channels, and the first window that has it.
// Local memory: a number and an index a work-item. One barrier.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WW_FLAT 1e-10

kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_shapelet_exact(global const double *restrict values, global const ulong *restrict offsets,
                  global const uint *restrict ids, const uint series, global const double *restrict patterns,
                  global const uint2 *restrict places, global const uint *restrict flat_,
                  global double *restrict nearest, global uint *restrict at) {
    local double least[WW_WG];
    local uint where[WW_WG];
    const uint lid = (uint)get_local_id(0), group = (uint)get_group_id(0), p = group / series;
    const uint j = ww_rest(group, series, p);
    const uint id = ids[j], l = places[p].y;
    const uint length = (uint)((offsets[id + 1] - offsets[id]) / WW_C);
    double best = INFINITY;
    uint best_at = 0;
    for (uint u = lid; u + l <= length; u += WW_WG) {
        double sum = 0;
        for (uint ch = 0; ch < WW_C; ch++) {
            global const double *x = patterns + places[p].x + ch * l;
            global const double *y = values + offsets[id] + (ulong)ch * length + u;
#if WW_RAW
            for (uint t = 0; t < l; t++)
                sum += (x[t] - y[t]) * (x[t] - y[t]);
#else
            double mean = 0, squares = 0, low = y[0], high = y[0], own = 0;
            for (uint t = 0; t < l; t++) {
                mean += y[t] - y[0];
                low = fmin(low, y[t]);
                high = fmax(high, y[t]);
            }
            mean /= l;
            for (uint t = 0; t < l; t++) {
                const double gap = (y[t] - y[0]) - mean;
                squares += gap * gap;
            }
            const uint flat = high - low <= WW_FLAT * fmax(fabs(low), fabs(high)), other = flat_[p * WW_C + ch];
            const double unit = sqrt(l / squares);
            for (uint t = 0; t < l; t++) {
                const double gap = x[t] - ((y[t] - y[0]) - mean) * unit;
                own += gap * gap;
            }
            sum += flat && other ? 0 : flat || other ? (double)l : own;
#endif
        }
        if (sum < best) {
            best = sum;
            best_at = u;
        }
    }
    least[lid] = best;
    where[lid] = best_at;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        for (uint i = 1; i < WW_WG; i++)
            if (least[i] < best || (least[i] == best && where[i] < best_at)) {
                best = least[i];
                best_at = where[i];
            }
        nearest[(ulong)p * series + j] = best / ((double)l * WW_C);
        at[(ulong)p * series + j] = best_at;
    }
}
