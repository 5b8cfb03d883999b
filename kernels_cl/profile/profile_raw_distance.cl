// SPDX-License-Identifier: Apache-2.0
// The squared distance of two windows as they are, in double, directly: the join over channels and points of |x_t - y_t|^p
// (profile_raw.cl), which is the square of p = 2; else its own square is given, whose root is the distance again, bit for
// bit. Each sum has one order (src/profile/profile_raw.c has the same): the result is the same on every device. Of other p
// the host compares. What is above the k-th best ends.
//
// Parameters: WW_NORM: WWK_NORM_1, _2 or _INFINITE.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

// The values of both sides, its own first; with WW_FLATS y of a window's channel is below 0 where a value is missing.
typedef struct {
    global const double *own_values, *other_values;
    global const double2 *own, *other;
} ww_sides;

WW_INLINE double ww_join_one(const double a, const double b) {
    return WW_NORM == WWK_NORM_INFINITE ? fmax(a, b) : a + b;
}
WW_INLINE double4 ww_join_four(const double4 a, const double4 b) {
    return WW_NORM == WWK_NORM_INFINITE ? fmax(a, b) : a + b;
}

// The join of one channel; or INFINITY, where it is more than `most`.
WW_INLINE double ww_difference(global const double *x, global const double *y, const uint window, const double most) {
    double4 sums = 0;
    uint t = 0;
    for (; t + 4 <= window; t += 4) {
        const double4 d = vload4(0, x + t) - vload4(0, y + t);
        sums = ww_join_four(sums, WW_NORM == WWK_NORM_2 ? d * d : fabs(d));
        if (t % 32 == 28 && ww_join_one(ww_join_one(sums.x, sums.y), ww_join_one(sums.z, sums.w)) > most)
            return INFINITY;
    }
    double sum = ww_join_one(ww_join_one(sums.x, sums.y), ww_join_one(sums.z, sums.w));
    for (; t < window; t++) {
        const double d = x[t] - y[t];
        sum = ww_join_one(sum, WW_NORM == WWK_NORM_2 ? d * d : fabs(d));
    }
    return sum;
}

// The squared distance of windows i and j; of one channel, INFINITY where it is more than `above`.
WW_INLINE double ww_distance(const ww_profile_merge_args *job, const ww_sides *at, const uint i, const uint j,
                             const double above) {
    const double most = (WW_NORM == WWK_NORM_2 ? above : sqrt(above)) * (1 + 1e-15);
    double total = 0;
    double least[WW_BEST]; // with WW_SOME: of the channels, the least first
    for (uint b = 0; b < WW_BEST; b++)
        least[b] = INFINITY;
    for (uint c = 0; c < WW_CHANNELS; c++) {
        global const double *x = at->own_values + (size_t)c * job->own_points + i;
        global const double *y = at->other_values + (size_t)c * job->other_points + j;
        const int gone = WW_FLATS && (at->own[(size_t)c * job->own_stride + i].y < 0 ||
                                      at->other[(size_t)c * job->other_stride + j].y < 0);
        double sum = gone ? (double)INFINITY : ww_difference(x, y, job->window, WW_CHANNELS == 1 ? most : INFINITY);
        if (!WW_SOME) {
            total = ww_join_one(total, sum);
            continue;
        }
        if (c < WW_FORCED)
            least[c] = sum;
        for (uint b = WW_FORCED; c >= WW_FORCED && b < WW_BEST; b++) {
            const double larger = fmax(least[b], sum);
            least[b] = fmin(least[b], sum);
            sum = larger;
        }
    }
    for (uint b = 0; WW_SOME && b < WW_BEST; b++)
        total = ww_join_one(total, least[b]);
    return WW_NORM == WWK_NORM_2 ? total : total * total;
}

// D (profile_raw.cl) of a squared distance.
WW_INLINE double ww_d_of(const ww_profile_merge_args *job, const double squared) {
    (void)job;
    return WW_NORM == WWK_NORM_2 ? squared : sqrt(squared);
}
