// SPDX-License-Identifier: Apache-2.0
// The squared distance of two normalised windows, in double, directly:
//   d2 = m * sum over channels (the WW_BEST nearest) of sum_t ((x_t - mu_x) n_x - (y_t - mu_y) n_y)^2.
// (With n = 0 for a constant channel this gives 0 for two of them, and m for one.) mu and n are summed from the window's
// values anew, in one order (ww_profile_statistics): equal windows have distance 0 wherever they are, and the result is the
// same on every device. A sum of one channel that is above the k-th best ends.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

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

// Of all windows and channels: the mean, relative to the first value, and 1 / |x - mean|; 0 of a constant channel, -1 where
// a value is missing.
kernel void ww_profile_statistics(global const double *values, global const double *norms, const uint windows,
                                  const uint window, const uint points, const uint stride, global double2 *statistics) {
    const uint i = (uint)get_global_id(0);
    for (uint c = 0; i < windows && c < WW_CHANNELS; c++) {
        const size_t at = (size_t)c * stride + i;
        const double2 of = ww_statistics(values + (size_t)c * points + i, window);
        statistics[at] = (double2)(of.x, norms[at] > 0 ? of.y : norms[at] < 0 ? -1 : 0);
    }
}

// The squared difference of two windows of one channel, by their means and sizes; or more than `most`, where it is that.
WW_INLINE double ww_difference(global const double *x, global const double *y, const double2 own, const double2 other,
                               const uint window, const double most) {
    double4 sums = 0;
    uint t = 0;
    for (; t + 4 <= window; t += 4) {
        const double4 d = ((vload4(0, x + t) - x[0]) - own.x) * own.y - ((vload4(0, y + t) - y[0]) - other.x) * other.y;
        sums += d * d;
        if (t % 32 == 28 && (sums.x + sums.y) + (sums.z + sums.w) > most)
            return INFINITY;
    }
    double sum = (sums.x + sums.y) + (sums.z + sums.w);
    for (; t < window; t++) {
        const double d = ((x[t] - x[0]) - own.x) * own.y - ((y[t] - y[0]) - other.x) * other.y;
        sum += d * d;
    }
    return sum;
}

// A window's values and statistics on both sides, its own first.
typedef struct {
    global const double *own_values, *other_values;
    global const double2 *own, *other;
} ww_sides;

// The squared distance of windows i and j; of one channel, INFINITY where it is more than `above`.
WW_INLINE double ww_distance(const ww_profile_merge_args *job, const ww_sides *at, const uint i, const uint j,
                             const double above) {
    const double most = above / (double)job->window * (1 + 1e-15);
    double total = 0;
    double least_sums[WW_BEST]; // with WW_SOME: of the channels, the least first
    for (uint b = 0; b < WW_BEST; b++)
        least_sums[b] = INFINITY;
    for (uint c = 0; c < WW_CHANNELS; c++) {
        global const double *x = at->own_values + (size_t)c * job->own_points + i;
        global const double *y = at->other_values + (size_t)c * job->other_points + j;
        const double2 own = at->own[(size_t)c * job->own_stride + i];
        const double2 other = at->other[(size_t)c * job->other_stride + j];
        // A size below 0: values are missing there.
        double sum = own.y < 0 || other.y < 0
                         ? (double)INFINITY
                         : ww_difference(x, y, own, other, job->window, WW_CHANNELS == 1 ? most : INFINITY);
        if (!WW_SOME) {
            total += sum;
            continue;
        }
        if (c < WW_FORCED)
            least_sums[c] = sum;
        for (uint b = WW_FORCED; c >= WW_FORCED && b < WW_BEST; b++) {
            const double larger = fmax(least_sums[b], sum);
            least_sums[b] = fmin(least_sums[b], sum);
            sum = larger;
        }
    }
    for (uint b = 0; WW_SOME && b < WW_BEST; b++)
        total += least_sums[b];
    return total * (double)job->window;
}

// D (profile.cl) of a squared distance.
WW_INLINE double ww_d_of(const ww_profile_merge_args *job, const double squared) {
    return squared / (2.0 * job->window);
}
