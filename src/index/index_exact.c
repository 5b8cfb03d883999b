// SPDX-License-Identifier: Apache-2.0
// Exact searches of an index: for the links of small bases, as the truth that a recall is measured against, and where
// the walk would take longer.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset_host.h"
#include "index/series_index.h"

ww_status wwi_index_append(ww_dataset *from, const uint32_t *numbers, size_t count, ww_series_set *to) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_TRY(wwi_dataset_series(from, &set));
    for (size_t i = 0; i < count; i++) {
        const size_t at = numbers ? numbers[i] : i;
        const double *times = ww_series_set_times(set, at);
        WWI_TRY(ww_series_set_add(to, ww_series_set_length(set, at), ww_series_set_values(set, at),
                                  ww_series_set_label(set, at)));
        if (times)
            WWI_TRY(ww_series_set_set_times(to, ww_series_set_count(to) - 1, times));
        WWI_TRY(wwi_interrupted());
    }
    return WW_OK;
}

ww_status wwi_index_upload(const ww_dataset *like, ww_series_set *set, ww_dataset **dataset) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_context *context = wwi_datasets_divide(like, NULL);
    options.precision = like->precision;
    options.allow_not_finite = like->unspecified;
    options.max_bytes = like->max_bytes;
    return ww_dataset_create_from_set(context ? context : like->context, set, &options, dataset);
}

ww_status wwi_index_take(ww_dataset *from, const uint32_t *numbers, size_t count, ww_dataset **taken) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_TRY(ww_series_set_create(from->channels, &set));
    WWI_TRY(wwi_index_append(from, numbers, count, set));
    return wwi_index_upload(from, set, taken);
}

// ---- the links of small bases

ww_status wwi_index_search_all(ww_index *x, wwi_near **lists) {
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_FREES int64_t *ids = NULL;
    WWI_FREES void *distances = NULL;
    ww_run_options run;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    const size_t k = x->neighbours, all = x->count * k;
    wwi_index_plan_run(x, &run);
    options.run = &run;
    x->done = 0;
    x->total = x->count;
    WWI_TRY(wwi_new(ids, all));
    WWI_TRY((distances = malloc(all * x->value_bytes)) ? WW_OK : wwi_fail_memory(all * x->value_bytes));
    WWI_TRY(ww_plan_create_nearest(&x->measure, x->base, NULL, k, &options, &plan));
    WWI_TRY(ww_plan_run_nearest(plan, ids, distances));
    WWI_TRY(wwi_new(*lists, all));
    for (size_t i = 0; i < all; i++)
        (*lists)[i] = (wwi_near){ids[i] < 0 ? INFINITY : (float)wwi_value_at(distances, x->precision, i),
                                 ids[i] < 0 ? WWI_NO_LINK : (uint32_t)ids[i]};
    x->info.build_distances = (uint64_t)x->count * (x->count - 1) / (x->symmetric ? 2 : 1);
    return wwi_index_tell(x, x->count);
}

// ---- searches

// Takes `own` out of a row of k + 1, or the last one where it is not there.
static void drop_own(int64_t *ids, unsigned char *distances, size_t k, int64_t own, size_t size) {
    size_t at = 0;
    while (at < k && ids[at] != own)
        at++;
    memmove(ids + at, ids + at + 1, (k - at) * sizeof *ids);
    memmove(distances + at * size, distances + (at + 1) * size, (k - at) * size);
}

// The series that are not removed, as a dataset; *numbers: theirs in the base. NULL both: all of the base.
static ww_status take_live(ww_index *x, ww_dataset **live, uint32_t **numbers) {
    size_t count = 0;
    if (x->info.removed == 0)
        return WW_OK;
    WWI_TRY(wwi_new(*numbers, x->count));
    for (size_t i = 0; i < x->count; i++)
        if (!wwi_index_is_removed(x, i))
            (*numbers)[count++] = (uint32_t)i;
    return wwi_index_take(x->base, *numbers, count, live);
}

// Rows of k + 1 neighbours to rows of k without the query itself; a removed query finds nothing.
static void give(const ww_index *x, const uint32_t *own, size_t count, size_t k, int64_t *all, unsigned char *values,
                 int64_t *ids, void *distances) {
    const size_t size = x->value_bytes, wide = k + (own != NULL);
    const double none = x->similarity ? -(double)INFINITY : (double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (own)
            drop_own(all + i * wide, values + i * wide * size, k, own[i], size);
        for (size_t j = 0; own && wwi_index_is_removed(x, own[i]) && j < k; j++) {
            all[i * wide + j] = -1;
            wwi_set_value(values, x->precision, i * wide + j, none);
        }
        memmove(ids + i * k, all + i * wide, k * sizeof *ids);
        if (distances)
            memmove((unsigned char *)distances + i * k * size, values + i * wide * size, k * size);
    }
}

static void give_none(const ww_index *x, size_t count, int64_t *ids, void *distances) {
    for (size_t i = 0; i < count; i++) {
        ids[i] = -1;
        if (distances)
            wwi_set_value(distances, x->precision, i, x->similarity ? -(double)INFINITY : (double)INFINITY);
    }
}

ww_status wwi_index_exact(ww_index *x, ww_dataset *queries, const uint32_t *own, size_t k, int64_t *ids,
                          void *distances, double *share) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *live = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_FREES uint32_t *numbers = NULL;
    WWI_FREES int64_t *all = NULL;
    WWI_FREES unsigned char *values = NULL;
    ww_run_options run;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    const size_t count = queries->count, wide = k + (own != NULL);
    wwi_index_plan_run(x, &run);
    options.run = &run;
    if (wwi_index_live(x) == 0) {
        give_none(x, count * k, ids, distances);
        return WW_OK;
    }
    WWI_TRY(take_live(x, &live, &numbers));
    WWI_TRY(wwi_new(all, count * wide));
    WWI_TRY(wwi_new(values, count * wide * x->value_bytes));
    WWI_TRY(ww_plan_create_nearest(&x->measure, queries, live ? live : x->base, wide, &options, &plan));
    WWI_TRY(ww_plan_run_nearest(plan, all, values));
    for (size_t i = 0; numbers && i < count * wide; i++)
        if (all[i] >= 0)
            all[i] = numbers[all[i]];
    give(x, own, count, k, all, values, ids, distances);
    x->info.examined = plan->info.pairs - plan->info.pairs_pruned;
    if (share)
        *share = plan->info.cells ? (double)plan->info.cells_done / (double)plan->info.cells : 1;
    return WW_OK;
}
