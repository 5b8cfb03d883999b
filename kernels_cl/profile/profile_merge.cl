// SPDX-License-Identifier: Apache-2.0
// Takes the candidates of each window: those that may be among its k best are compared with it in double, directly,
//   d2 = m * sum over channels (the WW_BEST nearest) of sum_t ((x_t - mu_x) n_x - (y_t - mu_y) n_y)^2,
// and enter its list of the k best by (d2, index). (With n = 0 for a constant channel this gives 0 for two of them, and
// m for one.) mu and n are summed from the window's values anew, in one order: equal windows have distance 0 wherever
// they are, and the result is the same on every device. A work-item a window. No local memory, no barrier.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#ifndef WW_MOST
#define WW_MOST 1 // k
#endif

typedef struct ww_profile_merge_job {
    ulong other_first; // index of the other side's first window
    uint own, window;
    uint own_points, other_points, own_stride, other_stride;
} ww_profile_merge_job;

// A window's mean, relative to its first value, and 1 / |x - mean|.
WW_INLINE double2 ww_statistics(global const double *x, const uint window) {
    const double origin = x[0];
    double4 sums = 0;
    double sum = 0;
    uint t = 0;
    for (; t + 4 <= window; t += 4)
        sums += vload4(0, x + t) - origin;
    for (; t < window; t++)
        sum += x[t] - origin;
    const double mean = (((sums.x + sums.y) + (sums.z + sums.w)) + sum) / window;
    sums = 0;
    sum = 0;
    for (t = 0; t + 4 <= window; t += 4) {
        const double4 d = (vload4(0, x + t) - origin) - mean;
        sums += d * d;
    }
    for (; t < window; t++) {
        const double d = (x[t] - origin) - mean;
        sum += d * d;
    }
    return (double2)(mean, 1 / sqrt(((sums.x + sums.y) + (sums.z + sums.w)) + sum));
}

__attribute__((reqd_work_group_size(WW_MERGE_WG, 1, 1))) kernel void
ww_profile_merge(const ww_profile_merge_job job, global const double *own_values, global const double *other_values,
                 global const double *own_norms, global const double *other_norms, global int *bounds,
                 global uint *heads, global const uint4 *entries, global double *best, global long *best_ids) {
    const uint i = (uint)get_global_id(0);
    if (i >= job.own)
        return;
    const uint head = heads[i];
    if (head == WW_NO_ENTRY)
        return;
    heads[i] = WW_NO_ENTRY;
    float least = as_float(bounds[i]);
#if WW_MOST > 1
    float kept[WW_MOST]; // the largest lower bounds, largest first
    uint count = 0;
    for (uint e = head; e != WW_NO_ENTRY; e = entries[e].y) {
        const float s = as_float(entries[e].z) - as_float(entries[e].w);
        if (count == WW_MOST && !(s > kept[WW_MOST - 1]))
            continue;
        uint at = count < WW_MOST ? count++ : WW_MOST - 1;
        for (; at > 0 && kept[at - 1] < s; at--)
            kept[at] = kept[at - 1];
        kept[at] = s;
    }
    if (count == WW_MOST)
        least = fmax(least, kept[WW_MOST - 1]);
#endif
#if WW_CHANNELS == 1
    const double2 only = ww_statistics(own_values + i, job.window);
#endif
    best += (size_t)i * WW_MOST;
    best_ids += (size_t)i * WW_MOST;
    for (uint e = head; e != WW_NO_ENTRY; e = entries[e].y) {
        const uint j = entries[e].x;
        const long id = (long)(job.other_first + j);
        if (as_float(entries[e].z) + as_float(entries[e].w) < least)
            continue;
        int known = 0;
        for (uint r = 0; r < WW_MOST; r++)
            known |= best_ids[r] == id;
        if (known)
            continue;
        double total = 0;
#if WW_SOME
        double least_sums[WW_BEST]; // of the channels, the least first
        for (uint b = 0; b < WW_BEST; b++)
            least_sums[b] = INFINITY;
#endif
        for (uint c = 0; c < WW_CHANNELS; c++) {
            global const double *x = own_values + (size_t)c * job.own_points + i;
            global const double *y = other_values + (size_t)c * job.other_points + j;
#if WW_CHANNELS == 1
            const double2 own = only;
#else
            const double2 own = ww_statistics(x, job.window);
#endif
            const double2 other = ww_statistics(y, job.window);
            const double nx = own_norms[(size_t)c * job.own_stride + i] > 0 ? own.y : 0;
            const double ny = other_norms[(size_t)c * job.other_stride + j] > 0 ? other.y : 0;
            double4 sums = 0;
            uint t = 0;
            for (; t + 4 <= job.window; t += 4) {
                const double4 d = ((vload4(0, x + t) - x[0]) - own.x) * nx - ((vload4(0, y + t) - y[0]) - other.x) * ny;
                sums += d * d;
            }
            double sum = (sums.x + sums.y) + (sums.z + sums.w);
            for (; t < job.window; t++) {
                const double d = ((x[t] - x[0]) - own.x) * nx - ((y[t] - y[0]) - other.x) * ny;
                sum += d * d;
            }
#if WW_SOME
            for (uint b = 0; b < WW_BEST; b++) {
                const double other_sum = fmax(least_sums[b], sum);
                least_sums[b] = fmin(least_sums[b], sum);
                sum = other_sum;
            }
#else
            total += sum;
#endif
        }
#if WW_SOME
        for (uint b = 0; b < WW_BEST; b++)
            total += least_sums[b];
#endif
        total *= (double)job.window;
        const double last = best[WW_MOST - 1];
        if (!(total < last || (total == last && (best_ids[WW_MOST - 1] < 0 || id < best_ids[WW_MOST - 1]))))
            continue;
        uint at = WW_MOST - 1;
        for (; at > 0 &&
               (best[at - 1] > total || (best[at - 1] == total && (best_ids[at - 1] < 0 || best_ids[at - 1] > id)));
             at--) {
            best[at] = best[at - 1];
            best_ids[at] = best_ids[at - 1];
        }
        best[at] = total;
        best_ids[at] = id;
    }
    // S of the k-th, rounded down.
    if (best_ids[WW_MOST - 1] >= 0) {
        const float s = (float)(WW_BEST - best[WW_MOST - 1] / (2.0 * job.window)) - 2e-7f * WW_CHANNELS;
        if (s > as_float(bounds[i]))
            bounds[i] = as_int(s);
    }
}
