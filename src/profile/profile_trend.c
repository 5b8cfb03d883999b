// SPDX-License-Identifier: Apache-2.0
// Windows close to straight lines: the line through each window, by least squares, apart from what is left of it. What
// is left has a recurrence along diagonals as covariances have (kernels_cl/profile/profile.cl). Between window i - 1
// and window i are the m - 1 points that both have; let their line miss the point before by a and the one behind by b.
// To take a point in, or to give it away, changes the sum of products by w a a' or w b b', where w, 1 less a point's
// weight in its own line, is the same for both ends; so
//   R(i,j) = R(i-1,j-1) + w (b_i b_j - a_i a_j)    = R(i-1,j-1) + df_i dg_j + df_j dg_i
// with df = (b - a) sqrt(w) / 2 and dg = (b + a) sqrt(w). The line through all m points misses its last one by w b.
#include <math.h>
#include <stdlib.h>

#include "base/kit.h"
#include "error.h"
#include "host.h"
#include "profile/profile_series.h"
#include "profile/profile_sums.h"

#define PIECE 16384 // windows that a thread takes, or more
// The condition from which on a window's reach is that of its plain covariances: below it roundings of values less a
// mean are within what the tiles' margin has for them.
#define MOST_CONDITION 4
// The reach of windows that are lost: any product with it is above all of D.
#define LOST 1e30f
// A window's sums are made anew, from its own line, where they are by more than this above what its line leaves: the
// squares of that would have the roundings of theirs. Not where all is rounding: those windows are lines.
#define MOST_LEFT 8
#define LEAST_LEFT 1e-12

typedef struct lines {
    wwi_profile_series *s;
    size_t channel, each; // each: blocks of a piece
} lines;

// Sum of (t - mean t)^2.
static double squared_times(size_t m) {
    return (double)m * ((double)m * (double)m - 1) / 12;
}

static double mean_of(const double *x, size_t m, double *slope) {
    const double middle = ((double)m - 1) / 2;
    double sum = 0, tilt = 0;
    for (size_t t = 0; t < m; t++) {
        sum += x[t] - x[m / 2];
        tilt += (x[t] - x[m / 2]) * ((double)t - middle);
    }
    *slope = tilt / squared_times(m);
    return x[m / 2] + sum / (double)m;
}

// What a line leaves of a window: sums of its values z less a line near to it, whose rise is `rise`.
static void put_window(const lines *of, size_t i, const double *z, wwi_profile_part_sums w, double rise) {
    wwi_profile_series *s = of->s;
    const size_t m = s->window, at = of->channel * s->windows + i;
    const double weight = (4 * (double)m - 2) / ((double)m * ((double)m + 1)), root = sqrt(1 - weight);
    const double slope = w.tilt / squared_times(m), end = slope * ((double)m - 1) / 2;
    s->slopes[at] = rise + slope;
    s->edges[2 * at] = ((z[0] - w.mean) + end) / root;
    s->edges[2 * at + 1] = ((z[m - 1] - w.mean) - end) / root;
    s->left[at] = sqrt(w.squares + (double)m * w.mean * w.mean);
    s->bends[at] = fmax(w.squares - w.tilt * slope, 0);
}

// One window by its own line; `z`: room for it.
static void own_line(const lines *of, size_t i, double *z) {
    const size_t m = of->s->window;
    const double *x = of->s->values + of->channel * of->s->points + i, middle = ((double)m - 1) / 2;
    double rise;
    const double level = mean_of(x, m, &rise);
    wwi_profile_part_sums w = {0, 0, 0, 0, 0};
    for (size_t t = 0; t < m; t++) {
        z[t] = fma(-rise, (double)t - middle, x[t] - level);
        w.mean += z[t] / (double)m;
    }
    for (size_t t = 0; t < m; t++) {
        w.squares += (z[t] - w.mean) * (z[t] - w.mean);
        w.tilt += (z[t] - w.mean) * ((double)t - middle);
    }
    put_window(of, i, z, w, rise);
}

// The windows that begin in the block from b on, by values less the line through a window in its midst: sums of them
// have roundings of the size of what is left. `z`: room for as many as three windows have points.
static ww_status block_lines(const lines *of, size_t b, double *z, wwi_profile_part_sums *ends) {
    wwi_profile_series *s = of->s;
    const size_t m = s->window, c = of->channel, last = s->windows - 1;
    const size_t count = s->windows - b < m ? s->windows - b : m, from = b + m / 2 < last ? b + m / 2 : last;
    const double *x = s->values + c * s->points, middle = ((double)m - 1) / 2;
    double rise;
    const double level = mean_of(x + from, m, &rise), centre = (double)(from - b) + middle;
    for (size_t t = 0; t < m + count - 1; t++)
        z[t] = fma(-rise, (double)t - centre, x[b + t] - level);
    wwi_profile_part_sums p = {0, 0, 0, 0, 0}, beginning = {0, 0, 0, 0, 0};
    for (size_t t = m; t-- > 0;)
        ends[t] = p = wwi_profile_extend(p, m - t, z[t]);
    for (size_t after = 0; after < count; after++) {
        const size_t at = c * s->windows + b + after;
        if (after > 0)
            beginning = wwi_profile_extend(beginning, after, z[m + after - 1]);
        const wwi_profile_part_sums w = wwi_profile_join(ends[after], m - after, beginning, after);
        const double size = s->sizes[at];
        put_window(of, b + after, z + after, w, rise);
        if (s->left[at] > MOST_LEFT * sqrt(s->bends[at]) && s->left[at] > LEAST_LEFT * size)
            own_line(of, b + after, z + 2 * m);
        s->bends[at] = s->norms[at] > 0 && size > 0 ? fmin(s->bends[at] / size / size, 1) / 2 : 0;
    }
    return WW_OK;
}

static ww_status piece_lines(void *user, uint64_t piece) {
    const lines *of = user;
    const size_t m = of->s->window, first = (size_t)piece * of->each * m, all = of->s->windows - first;
    WWI_FREES wwi_profile_part_sums *ends = NULL;
    WWI_FREES double *z = NULL;
    WWI_TRY(wwi_new(ends, m));
    WWI_TRY(wwi_new(z, 3 * m));
    for (size_t at = 0; at < all && at < of->each * m; at += m) {
        WWI_TRY(wwi_interrupted());
        WWI_TRY(block_lines(of, first + at, z, ends));
    }
    return WW_OK;
}

ww_status wwi_profile_series_find_bends(wwi_profile_series *s, unsigned threads) {
    const uint64_t windows = (uint64_t)s->windows * s->channels; // take_arrays() has multiplied them
    WWI_TRY(wwi_new(s->slopes, windows));
    WWI_TRY(wwi_new(s->edges, 2 * windows));
    WWI_TRY(wwi_new(s->left, windows));
    WWI_TRY(wwi_new(s->bends, windows));
    for (size_t c = 0; c < s->channels; c++) {
        lines of = {s, c, wwi_ceil_div(PIECE, s->window)};
        WWI_TRY(wwi_share(threads, wwi_ceil_div(s->windows, of.each * s->window), piece_lines, &of));
    }
    return WW_OK;
}

// By a queue of windows of falling size, as the conditions are.
static void channel_reach(wwi_profile_series *s, size_t c, size_t rows, double grain, size_t *queue) {
    const double *left = s->left + c * s->windows, *norms = s->norms + c * s->windows;
    size_t head = 0, tail = 0;
    for (size_t i = 0; i < s->windows; i++) {
        while (tail > head && left[queue[tail - 1]] <= left[i])
            tail--;
        queue[tail++] = i;
        while (queue[head] + rows <= i)
            head++;
        const double reach = fmax(left[queue[head]], grain) * fmax(norms[i], 0) * 1.000001;
        if ((double)s->bent[i] < reach)
            s->bent[i] = (float)fmin(reach, (double)LOST);
    }
}

ww_status wwi_profile_series_bent_reach(wwi_profile_series *s, size_t rows, double grain) {
    WWI_FREES size_t *queue = NULL;
    if (!s->bends)
        return WW_OK;
    WWI_TRY(wwi_new(queue, s->windows));
    WWI_TRY(wwi_new(s->bent, s->windows));
    for (size_t i = 0; i < s->windows; i++)
        s->bent[i] = s->condition[i] >= WWI_PROFILE_LOST ? LOST
                     : s->condition[i] > MOST_CONDITION  ? s->condition[i]
                                                         : 0;
    for (size_t c = 0; c < s->channels; c++)
        channel_reach(s, c, rows, grain, queue);
    return wwi_interrupted();
}

double wwi_profile_series_tilt(const wwi_profile_series *s, size_t c, size_t i) {
    const double m = (double)s->window, root = sqrt(m * (m * m - 1) / 12);
    const double norm = s->norms[c * s->windows + i];
    return norm > 0 ? s->slopes[c * s->windows + i] * root * norm : 0;
}

double wwi_profile_series_bent_df(const wwi_profile_series *s, size_t c, size_t i) {
    const double *edges = s->edges + 2 * (c * s->windows + i);
    return (edges[1] - edges[-2]) / 2;
}

double wwi_profile_series_bent_dg(const wwi_profile_series *s, size_t c, size_t i) {
    const double *edges = s->edges + 2 * (c * s->windows + i);
    return edges[1] + edges[-2];
}
