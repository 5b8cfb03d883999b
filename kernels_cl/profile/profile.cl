// SPDX-License-Identifier: Apache-2.0
// What the kernels of the matrix profile share: the job, the tables of a series, and the lists of candidates.
//
// S(i,j) = sum over channels of the correlation of window i of the rows and window j of the columns, from covariances
// along diagonals:
//   cov(i,j) = cov(i-1,j-1) + df_i dg_j + df_j dg_i,    S = cov n_i n_j
//   df_i = (x_{i+m-1} - x_{i-1}) / 2,    dg_i = (x_{i+m-1} - mu_i) + (x_{i-1} - mu_{i-1}),    n_i = 1 / |x_i - mu_i|
// (Y. Zhu et al., Matrix Profile XI, ICDM 2018.) A channel that is constant in both windows counts 1, in one of them
// 0.5: `flat` of a window is half the number of its constant channels, and is added to S for both.
//
// No kernel stores S. What is compared is D = WW_BEST - S, which is the squared distance by 2 m. A window has a bound: D of its k-th best neighbour is
// at most that. A cell that may be below its row's or its column's bound is a candidate: it goes into the list of that
// window, a chain of entries, and what the chains hold is computed anew in double (profile_merge.cl). The error of a cell
// is at most error * reach_i * reach_j + rounding + relative * D: reach_i is the largest norm of the windows before i, as
// many as a diagonal is followed, divided by i's own. Tiles in which it is large (a burst has passed), and those of
// windows close to straight lines, are computed in double where the device has it. Where it is too large for double, every
// cell is a candidate.
//
// Windows close to straight lines (a trend with little noise) have D far below the roundings of S. With WW_TREND the line
// through a window, by least squares, is apart from what is left of it, r. A window of size 1 has the tilt b, that of the
// line by its size, and the bend h = |r|^2 / 2, with b^2 = 1 - 2 h, and of a channel
//   D = (b_i - b_j)^2 / 2 + h_i + h_j - <r_i, r_j>,
// of which nothing is lost. <r_i, r_j> has the same recurrence: the window takes in a point and gives one away, and
// both change it by a product of what the lines miss there (src/profile/profile_trend.c); df and dg are made of these.
// Steps leave out the first term, which is 0 or more, until a cell is below a limit. A
// channel that is constant has n = 0, b = 0 and h = 0, one that is missing h = WW_GONE less: no flats are needed. The error has in
// the place of `rounding` rounding * (reach_i + reach_j), where reach is of r.
//
// With fewer best channels than channels, S is the sum of the largest correlations alone, cell by cell, and `flat` of a
// window has a bit for each constant channel, and of up to 16 channels, 16 bits above it, one for each channel with a
// missing value there: that channel is none of the largest. With fewer channels left than count, S is below WW_NO_PAIR.
//
// Parameters, all given by the host:
//   WW_CHANNELS             channels;  WW_BEST  how many of them count, the nearest
//   WW_FORCED               channels, the first, that always count
//   WW_FLATS                1: there are constant windows, and more channels than one
//   WW_PROFILE_ROWS         1: rows look for neighbours among the columns
//   WW_PROFILE_COLUMNS      1: columns among the rows
//   WW_TREND                1: lines are apart
//   WW_RAISES               1: one neighbour is wanted, and a candidate lowers the bound at once
//   WW_PROFILE_BLOCK_ROWS   rows of a tile: how far a diagonal is followed from an exact covariance
#define WW_SOME (WW_BEST < WW_CHANNELS)
#ifndef WW_FORCED
#define WW_FORCED 0
#endif
#define WW_CONDITION_WINDOWS 64  // windows that share an entry of `conditions`
#define WW_STRIPE 16 // words from one counter of entries to the next: work-groups do not wait for each other
#define WW_NO_ENTRY 0xffffffffu
#define WW_GONE (-1000.0f)   // the correlation of a channel that is missing
#define WW_ONE (WW_CHANNELS == 1 && !WW_TREND) // covariances are compared in the place of S
#define WW_ALL_NEAR (WW_TREND ? 0 : WW_BEST)   // D is this less what cells are: S, or with WW_TREND -D
#ifndef WW_NORM
#define WW_NORM 0 // the p of windows that are not normalised (profile_raw.cl)
#endif
// D is above this with such a one; of others it is 2 WW_BEST at most, of windows that are not normalised some 1e8.
#define WW_NO_PAIR (WW_NORM ? 1e18f : 500.0f)
#define WW_USABLE 0u // state of a window; others are neither rows nor columns

// Planes for each channel: df, dg, n (with WW_ONE 1 / n); with WW_TREND h and b.
#define WW_PLANES (WW_TREND ? 5u : 3u)
#define WW_DF(table, stride, channel, i) (table)[((channel)*WW_PLANES) * (size_t)(stride) + (i)]
#define WW_DG(table, stride, channel, i) (table)[((channel)*WW_PLANES + 1u) * (size_t)(stride) + (i)]
#define WW_SIZE(table, stride, channel, i) (table)[((channel)*WW_PLANES + 2u) * (size_t)(stride) + (i)]
#define WW_BEND(table, stride, channel, i) (table)[((channel)*WW_PLANES + 3u) * (size_t)(stride) + (i)]
#define WW_TILT(table, stride, channel, i) (table)[((channel)*WW_PLANES + 4u) * (size_t)(stride) + (i)]

// With WW_SOME: the largest of the channels' correlations, `top`, and what they sum up to.
WW_INLINE void ww_top_empty(real *top) {
#pragma unroll
    for (uint b = 0; b < WW_BEST; b++)
        top[b] = (real)WW_GONE;
}
WW_INLINE void ww_top_enter(real *top, const uint c, real entered) {
    if (c < WW_FORCED) {
        top[c] = entered;
        return;
    }
#pragma unroll
    for (uint b = WW_FORCED; b < WW_BEST; b++) {
        const real other = fmin(top[b], entered);
        top[b] = fmax(top[b], entered);
        entered = other;
    }
}
WW_INLINE real ww_top_sum(const real *top) {
    real sum = top[0];
#pragma unroll
    for (uint b = 1; b < WW_BEST; b++)
        sum += top[b];
    return sum;
}
// What constant channels of two windows count in channel c.
WW_INLINE float ww_flat_of(const float own, const float other, const uint c) {
    const uint a = as_uint(own) >> c, b = as_uint(other) >> c;
    return WW_CHANNELS <= 16 && ((a | b) >> 16 & 1u) ? WW_GONE : 0.5f * (float)((a & 1u) + (b & 1u));
}

// The error of a cell.
WW_INLINE float ww_error(const ww_profile_args *job, const float row_reach, const float column_reach, const float d) {
    const float rounding = WW_TREND ? job->rounding * (row_reach + column_reach) : job->rounding;
    return job->error * row_reach * column_reach + rounding + job->relative * fabs(d);
}
// What D of a cell is below, with its error, if it may be below a bound.
WW_INLINE float ww_most(const ww_profile_args *job, const int bound, const float row_reach, const float column_reach) {
    return as_float(bound) + ww_error(job, row_reach, column_reach, as_float(bound));
}

// The windows on one side of the matrix, the rows or the columns, and the heads of their lists.
typedef struct {
    global const float *condition, *conditions, *flat;
    global const uchar *state;
    global int *bounds;
    global uint *heads;
} ww_profile_side;

// Whether a row and a column may be neighbours: the row is known to be usable.
WW_INLINE int ww_counts(const ww_profile_args *job, const uint i, const uint j, const ww_profile_side *columns) {
    const long lag = (long)j - (long)i + job->offset;
    return j < job->columns && (lag < 0 ? -lag : lag) > job->exclusion && columns->state[j] == WW_USABLE;
}

// Puts cell (own, other) of D into own's list, if it may be among the best.
WW_INLINE void ww_candidate(const uint own, const uint other, const float d, const float error,
                            const ww_profile_args *job, const ww_profile_side *side, global uint4 *entries,
                            global uint *counters) {
    if (!(d < as_float(side->bounds[own]) + error) || (WW_SOME && d > WW_NO_PAIR))
        return;
    // Bounds are not negative, but that of a window which looks for none: as integers they have the same order.
    if (WW_RAISES && d + error > 0)
        atomic_min(&side->bounds[own], as_int(d + error));
    const uint stripe = (uint)get_group_id(0) % job->stripes;
    const uint slot = atomic_inc(&counters[stripe * WW_STRIPE]);
    if (slot < job->capacity) {
        const uint entry = stripe * job->capacity + slot;
        const uint next = atomic_xchg(&side->heads[own], entry);
        entries[entry] = (uint4)(other, next, as_uint(d), as_uint(error));
    }
}

// Of some windows the largest condition in this arithmetic and in float, and whether one is close to a straight line.
typedef struct {
    float most, single;
    int close;
} ww_reach;

// Of windows first to first + count - 1, of which the series has `windows`, its tables `stride`. `conditions` has first those
// in float, which are below 0 where one of the windows is close.
WW_INLINE ww_reach ww_largest_reach(const ww_profile_side *side, const uint first, const uint count, const uint windows,
                                    const uint stride) {
    ww_reach of = {WW_TREND ? 0 : 1, 1, 0};
    for (uint b = first / WW_CONDITION_WINDOWS; b <= (min(first + count, windows) - 1) / WW_CONDITION_WINDOWS; b++) {
        of.most = fmax(of.most, side->conditions[stride / WW_CONDITION_WINDOWS + b]);
        of.single = fmax(of.single, fabs(side->conditions[b]));
        of.close |= side->conditions[b] < 0;
    }
    return of;
}

// Whether a tile is of those that this launch computes.
WW_INLINE int ww_of_launch(const ww_profile_args *job, const ww_reach rows, const ww_reach columns) {
    const float product = rows.single * columns.single;
    const float most = rows.close && columns.close ? fmax(product, WW_PROFILE_DEEP) : product;
    return most >= job->least && most < job->most;
}
