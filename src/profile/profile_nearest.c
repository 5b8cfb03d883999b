// SPDX-License-Identifier: Apache-2.0
// The lists of the neighbours of all windows, on the host, and what of them is given to the caller.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "options.h"
#include "profile/profile_job.h"

void wwi_profile_nearest_forget(wwi_profile_nearest *n) {
    for (int list = 0; list < n->lists; list++)
        for (size_t i = 0; i < n->windows * n->k; i++) {
            n->best[list][i] = INFINITY;
            n->ids[list][i] = -1;
        }
}

ww_status wwi_profile_nearest_make(size_t windows, size_t k, int lists, wwi_profile_nearest *n) {
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
    wwi_profile_nearest_forget(n);
    return WW_OK;
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

static void give(const wwi_profile_nearest *n, int list, bool squared, double *distances, int64_t *indices) {
    const size_t count = n->windows * n->k;
    for (size_t i = 0; distances && i < count; i++)
        distances[i] = told(n, n->best[list][i], squared);
    if (indices)
        memcpy(indices, n->ids[list], count * sizeof *indices);
}

// Of the neighbours on both sides the k nearest.
static void give_joined(const wwi_profile_nearest *n, bool squared, double *distances, int64_t *indices) {
    const size_t k = n->k;
    for (size_t i = 0; i < n->windows; i++) {
        size_t at[WWI_PROFILE_LISTS] = {0, 0};
        for (size_t r = 0; r < k; r++) {
            const double right = n->best[WWI_PROFILE_RIGHT][i * k + at[WWI_PROFILE_RIGHT]];
            const double left = n->best[WWI_PROFILE_LEFT][i * k + at[WWI_PROFILE_LEFT]];
            const int list = left <= right ? WWI_PROFILE_LEFT : WWI_PROFILE_RIGHT; // the lower index
            const size_t from = i * k + at[list]++;
            if (distances)
                distances[i * k + r] = told(n, n->best[list][from], squared);
            if (indices)
                indices[i * k + r] = n->ids[list][from];
        }
    }
}

void wwi_profile_nearest_give(const wwi_profile_nearest *n, bool squared, const ww_profile_output *to) {
    if (n->lists < WWI_PROFILE_LISTS) {
        give(n, 0, squared, to->distances, to->indices);
        return;
    }
    give(n, WWI_PROFILE_LEFT, squared, to->left_distances, to->left_indices);
    give(n, WWI_PROFILE_RIGHT, squared, to->right_distances, to->right_indices);
    give_joined(n, squared, to->distances, to->indices);
}

ww_status wwi_profile_take_output(int left_right, const ww_profile_output *given, ww_profile_output *to) {
    *to = (ww_profile_output)WW_PROFILE_OUTPUT_INIT;
    WWI_TRY(wwi_options_take(to, given, "ww_profile_output"));
    if (left_right || !(to->left_distances || to->left_indices || to->right_distances || to->right_indices))
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "left or right neighbours are wanted from a plan without them");
    return wwi_fail_hint("set options.left_right");
}
