// SPDX-License-Identifier: Apache-2.0
// The lists of the neighbours of all windows, on the host, and what of them is given to the caller.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "options.h"
#include "profile/profile_job.h"

// Windows in pieces, for several threads.
enum { PIECE = 1 << 16 };

static ww_status forget_piece(void *user, uint64_t piece) {
    const wwi_profile_nearest *n = user;
    const size_t first = (size_t)piece * PIECE, end = (size_t)wwi_least(first + PIECE, n->windows);
    for (int list = 0; list < n->lists; list++)
        for (size_t i = first * n->k; i < end * n->k; i++) {
            n->best[list][i] = INFINITY;
            n->ids[list][i] = -1;
        }
    return WW_OK;
}

ww_status wwi_profile_nearest_forget(wwi_profile_nearest *n) {
    if (n->empty)
        return WW_OK;
    n->empty = true;
    return wwi_share(wwi_processors(), wwi_ceil_div(n->windows, PIECE), forget_piece, n);
}

ww_status wwi_profile_nearest_allocate(size_t windows, size_t k, int lists, wwi_profile_nearest *n) {
    uint64_t count;
    if (!wwi_mul_u64(windows, k, &count) || count > PTRDIFF_MAX / sizeof(double))
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu windows with %zu neighbours are too many", windows, k);
    n->windows = windows;
    n->k = k;
    n->lists = lists;
    for (int list = 0; list < lists; list++) {
        WWI_TRY(wwi_new(n->best[list], count));
        WWI_TRY(wwi_new(n->ids[list], count));
    }
    return WW_OK;
}

ww_status wwi_profile_nearest_fill(wwi_profile_nearest *n) {
    const size_t count = n->windows * n->k;
    for (int list = 0; list < n->lists; list++) {
        WWI_TRY(wwi_make_pages(n->best[list], count * sizeof *n->best[list]));
        WWI_TRY(wwi_make_pages(n->ids[list], count * sizeof *n->ids[list]));
    }
    return wwi_profile_nearest_forget(n);
}

ww_status wwi_profile_nearest_make(size_t windows, size_t k, int lists, wwi_profile_nearest *n) {
    WWI_TRY(wwi_profile_nearest_allocate(windows, k, lists, n));
    return wwi_profile_nearest_fill(n);
}

void wwi_profile_nearest_free(wwi_profile_nearest *n) {
    for (int list = 0; list < WWI_PROFILE_LISTS; list++) {
        free(n->best[list]);
        free(n->ids[list]);
    }
}

static double told(const wwi_profile_nearest *n, double distance2, bool squared) {
    return squared ? ldexp(distance2, 2 * n->exponent) : ldexp(sqrt(distance2), n->exponent);
}

typedef struct giving {
    const wwi_profile_nearest *n;
    const ww_profile_output *to;
    bool squared;
} giving;

static void give(const giving *g, int list, size_t first, size_t end, double *distances, int64_t *indices) {
    const wwi_profile_nearest *n = g->n;
    for (size_t i = first; distances && i < end; i++)
        distances[i] = told(n, n->best[list][i], g->squared);
    if (indices)
        memcpy(indices + first, n->ids[list] + first, (end - first) * sizeof *indices);
}

// Of a window's neighbours on both sides the k nearest.
static void give_joined(const giving *g, size_t i) {
    const wwi_profile_nearest *n = g->n;
    const size_t k = n->k;
    size_t at[WWI_PROFILE_LISTS] = {0, 0};
    for (size_t r = 0; r < k; r++) {
        const double right = n->best[WWI_PROFILE_RIGHT][i * k + at[WWI_PROFILE_RIGHT]];
        const double left = n->best[WWI_PROFILE_LEFT][i * k + at[WWI_PROFILE_LEFT]];
        const int list = left <= right ? WWI_PROFILE_LEFT : WWI_PROFILE_RIGHT; // the lower index
        const size_t from = i * k + at[list]++;
        if (g->to->distances)
            g->to->distances[i * k + r] = told(n, n->best[list][from], g->squared);
        if (g->to->indices)
            g->to->indices[i * k + r] = n->ids[list][from];
    }
}

static ww_status give_piece(void *user, uint64_t piece) {
    const giving *g = user;
    const wwi_profile_nearest *n = g->n;
    const ww_profile_output *to = g->to;
    const size_t first = (size_t)piece * PIECE, end = (size_t)wwi_least(first + PIECE, n->windows);
    if (n->lists < WWI_PROFILE_LISTS) {
        give(g, 0, first * n->k, end * n->k, to->distances, to->indices);
        return WW_OK;
    }
    give(g, WWI_PROFILE_LEFT, first * n->k, end * n->k, to->left_distances, to->left_indices);
    give(g, WWI_PROFILE_RIGHT, first * n->k, end * n->k, to->right_distances, to->right_indices);
    for (size_t i = first; i < end; i++)
        give_joined(g, i);
    return WW_OK;
}

ww_status wwi_profile_nearest_give(const wwi_profile_nearest *n, bool squared, const ww_profile_output *to) {
    giving g = {n, to, squared};
    return wwi_share(wwi_processors(), wwi_ceil_div(n->windows, PIECE), give_piece, &g);
}

ww_status wwi_profile_take_output(int left_right, const ww_profile_output *given, ww_profile_output *to) {
    *to = (ww_profile_output)WW_PROFILE_OUTPUT_INIT;
    WWI_TRY(wwi_options_take(to, given, "ww_profile_output"));
    if (left_right || !(to->left_distances || to->left_indices || to->right_distances || to->right_indices))
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "left or right neighbours are wanted from a plan without them");
    return wwi_fail_hint("set options.left_right");
}
