// SPDX-License-Identifier: Apache-2.0
// See series_rows.h.
#include "series_rows.h"

#include <stdlib.h>

#include "neighbours.h"

static void note(const cli_series_rows *r) {
    if (r->note)
        r->note(r->user);
}

double cli_pairs_weight(void *user, uint64_t row) {
    const cli_series_rows *r = user;
    return (double)ww_series_set_length(r->sets[0], (size_t)row) *
           (double)ww_series_set_length(r->sets[1], (size_t)row);
}

int cli_pairs_compute(void *user, uint64_t first, uint64_t count, void *values) {
    const cli_series_rows *r = user;
    size_t *index = malloc((size_t)count * sizeof *index);
    if (!index)
        return cli_error("not enough memory");
    for (size_t i = 0; i < count; i++)
        index[i] = (size_t)first + i;
    ww_plan_destroy(r->plan);
    ww_status status =
        ww_plan_create_pairs(r->measure, r->data[0], r->data[1], index, index, (size_t)count, r->options, r->plan);
    const ww_output to = WW_OUTPUT_HOST(values);
    if (status == WW_OK)
        status = ww_plan_run(*r->plan, &to);
    free(index);
    note(r);
    return status == WW_OK ? CLI_GO_ON : cli_fail_plainly();
}

double cli_nearest_weight(void *user, uint64_t row) {
    return (double)ww_series_set_length(((const cli_series_rows *)user)->sets[0], (size_t)row);
}

// Some of the queries, as a dataset.
static int take_queries(const cli_series_rows *r, uint64_t first, uint64_t count, ww_dataset **queries) {
    const ww_series_set *all = r->sets[0];
    ww_series_set *some = NULL;
    ww_status status = ww_series_set_create(ww_series_set_channels(all), &some);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        const size_t of = (size_t)first + i;
        status = ww_series_set_add(some, ww_series_set_length(all, of), ww_series_set_values(all, of), NULL);
        if (status == WW_OK && ww_series_set_times(all, of))
            status = ww_series_set_set_times(some, i, ww_series_set_times(all, of));
    }
    const int result = status == WW_OK ? cli_dataset_make(r->context, r->device, some, queries) : cli_fail_plainly();
    ww_series_set_destroy(&some);
    return result;
}

int cli_nearest_compute(void *user, uint64_t first, uint64_t count, void *values) {
    const cli_series_rows *r = user;
    ww_dataset *queries = NULL;
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    cli_neighbours n = {(size_t)count, r->k, cli_precision(r->device), NULL, NULL};
    shard.query_offset = first;
    shard.exclude_self = !r->sets[1];
    ww_plan_destroy(r->plan);
    int result = cli_neighbours_allocate(&n);
    if (result == CLI_GO_ON)
        result = take_queries(r, first, count, &queries);
    if (result == CLI_GO_ON && (ww_plan_create_nearest_shard(r->measure, queries, r->data[r->sets[1] ? 1 : 0], n.k,
                                                             &shard, r->options, r->plan) != WW_OK ||
                                ww_plan_run_nearest(*r->plan, n.ids, n.distances) != WW_OK))
        result = cli_fail_plainly();
    if (result == CLI_GO_ON) {
        note(r);
        cli_neighbours_pack(&n, values);
    }
    ww_dataset_destroy(&queries);
    cli_neighbours_free(&n);
    return result;
}
