// SPDX-License-Identifier: Apache-2.0
// Regimes of a series by the arcs from its windows to their nearest (S. Gharghabi et al., DMKD 2018).
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/profile.h>

#include "base/kit.h"
#include "error.h"

// Windows' points at both ends where too few arcs can pass.
#define ENDS 5

// Arcs over each place. Those of neighbours that are not among the windows pass nothing.
static void count_arcs(size_t n, size_t k, const int64_t *indices, uint64_t first, double *curve) {
    double over = 0;
    memset(curve, 0, n * sizeof *curve);
    for (size_t i = 0; i < n; i++) {
        const int64_t j = indices[i * k] - (int64_t)first;
        if (indices[i * k] < 0 || j < 0 || (uint64_t)j >= n)
            continue;
        const size_t a = (size_t)j < i ? (size_t)j : i, b = (size_t)j < i ? i : (size_t)j;
        curve[a] += 1;
        curve[b] -= 1;
    }
    for (size_t i = 0; i < n; i++)
        curve[i] = over += curve[i];
}

// How many there are over place t, expected, of nearest ones that are anywhere; or anywhere behind their window.
static double expected(size_t n, size_t t, int later, double harmonic) {
    const double all = (double)n, at = (double)t;
    return later ? (all - 1 - at) * harmonic : 2 * at * (all - at) / all;
}

ww_status ww_profile_get_arcs(size_t windows, size_t k, const int64_t *indices, uint64_t first, size_t window,
                              int later, double *curve) {
    double harmonic = 0; // sum over the windows up to t of 1 / (windows behind them)
    if (windows == 0)
        return WW_OK;
    WWI_NEEDS("indices, curve", indices, curve);
    if (k == 0 || first > INT64_MAX)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu, or the first window is %llu: out of range", k,
                        (unsigned long long)first);
    const size_t ends = window > windows / ENDS ? windows : ENDS * window;
    count_arcs(windows, k, indices, first, curve);
    for (size_t t = 0; t < windows; t++) {
        harmonic += t + 1 < windows ? 1 / (double)(windows - 1 - t) : 0;
        const double ideal = expected(windows, t, later, harmonic);
        const bool end = t < ends || windows - t <= ends;
        curve[t] = end || !(ideal > 0) ? 1 : fmin(curve[t] / ideal, 1);
    }
    return WW_OK;
}

ww_status ww_profile_find_regimes(size_t windows, const double *curve, size_t separation, size_t count, int64_t *places,
                                  size_t *found) {
    WWI_FREES double *left = NULL;
    WWI_NEEDS("found", found);
    *found = 0;
    if (windows == 0 || count == 0)
        return WW_OK;
    WWI_NEEDS("curve, places", curve, places);
    WWI_TRY(wwi_new(left, windows));
    memcpy(left, curve, windows * sizeof *left);
    while (*found < count) {
        size_t at = 0;
        for (size_t t = 1; t < windows; t++)
            if (left[t] < left[at])
                at = t;
        if (!(left[at] < 1))
            break;
        places[(*found)++] = (int64_t)at;
        const size_t begin = at > separation ? at - separation : 0,
                     end = windows - at > separation ? at + separation + 1 : windows;
        for (size_t t = begin; t < end; t++)
            left[t] = 1;
    }
    return WW_OK;
}
