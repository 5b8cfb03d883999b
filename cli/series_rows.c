// SPDX-License-Identifier: Apache-2.0
// See series_rows.h.
#include "series_rows.h"

#include <stdlib.h>

#include "neighbours.h"

void cli_series_note(const cli_series_rows *r) {
    if (r->note)
        r->note(r->user);
}

size_t cli_series_member(const ww_series_set *set, uint64_t pair) {
    return ww_series_set_count(set) == 1 ? 0 : (size_t)pair;
}

int cli_pairs_check(const cli_series_job *s) {
    const size_t a = ww_series_set_count(s->sets[0]), b = ww_series_set_count(s->sets[1]);
    return a == b ? CLI_GO_ON
                  : cli_error("%s has %zu series and %s has %zu: pairs need equal numbers", s->paths[0], a, s->paths[1],
                              b);
}

double cli_pairs_weight(void *user, uint64_t row) {
    const cli_series_rows *r = user;
    double cells = 1;
    for (int i = 0; i < 2; i++)
        cells *= (double)ww_series_set_length(r->s->sets[i], cli_series_member(r->s->sets[i], row));
    return cells;
}

int cli_pairs_plan(const cli_series_rows *r, uint64_t first, uint64_t count, cli_plan_of_pairs create) {
    const cli_series_job *s = r->s;
    size_t *index[2] = {malloc((size_t)count * sizeof **index), malloc((size_t)count * sizeof **index)};
    int result = index[0] && index[1] ? CLI_GO_ON : cli_error("not enough memory");
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        for (size_t k = 0; k < count; k++)
            index[i][k] = cli_series_member(r->s->sets[i], first + k);
    ww_plan_destroy(r->plan);
    if (result == CLI_GO_ON &&
        create(&s->measure, s->data[0], s->data[1], index[0], index[1], (size_t)count, &s->plan, r->plan) != WW_OK)
        result = cli_fail_plainly();
    free(index[0]);
    free(index[1]);
    return result;
}

static int compute_pairs(void *user, uint64_t first, uint64_t count, void *values) {
    const cli_series_rows *r = user;
    const ww_output to = WW_OUTPUT_HOST(values);
    int result = cli_pairs_plan(r, first, count, ww_plan_create_pairs);
    if (result == CLI_GO_ON && ww_plan_run(*r->plan, &to) != WW_OK)
        result = cli_fail_plainly();
    cli_series_note(r);
    return result;
}

static double nearest_weight(void *user, uint64_t row) {
    return (double)ww_series_set_length(((const cli_series_rows *)user)->s->sets[0], (size_t)row);
}

int cli_series_some(const cli_series_job *s, const ww_series_set *all, uint64_t first, uint64_t count,
                    ww_dataset **made) {
    ww_series_set *some = NULL;
    ww_status status = ww_series_set_create(ww_series_set_channels(all), &some);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        const size_t of = (size_t)first + i;
        status = ww_series_set_add(some, ww_series_set_length(all, of), ww_series_set_values(all, of), NULL);
        if (status == WW_OK && ww_series_set_times(all, of))
            status = ww_series_set_set_times(some, i, ww_series_set_times(all, of));
    }
    const int result =
        status == WW_OK ? cli_dataset_make(s->context, &s->device, NULL, some, made) : cli_fail_plainly();
    ww_series_set_destroy(&some);
    return result;
}

static int compute_nearest(void *user, uint64_t first, uint64_t count, void *values) {
    const cli_series_rows *r = user;
    const cli_series_job *s = r->s;
    ww_dataset *queries = NULL;
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    cli_neighbours n = {(size_t)count, r->k, cli_precision(&s->device), NULL, NULL};
    shard.query_offset = first;
    shard.exclude_self = !s->sets[1];
    ww_plan_destroy(r->plan);
    int result = cli_neighbours_allocate(&n);
    if (result == CLI_GO_ON)
        result = cli_series_some(s, s->sets[0], first, count, &queries);
    if (result == CLI_GO_ON && (ww_plan_create_nearest_shard(&s->measure, queries, s->data[s->sets[1] ? 1 : 0], n.k,
                                                             &shard, &s->plan, r->plan) != WW_OK ||
                                ww_plan_run_nearest(*r->plan, n.ids, n.distances) != WW_OK))
        result = cli_fail_plainly();
    if (result == CLI_GO_ON) {
        cli_series_note(r);
        cli_neighbours_pack(&n, values);
    }
    ww_dataset_destroy(&queries);
    cli_neighbours_free(&n);
    return result;
}

cli_row_job cli_series_rows_job(cli_series_rows *rows) {
    cli_row_job job = cli_rows_of(rows->s);
    job.name = rows->k ? "nearest" : "pairs";
    job.columns = 2 * rows->k;
    job.k = rows->k;
    job.precision = rows->k ? WW_DOUBLE : job.result;
    job.weight = rows->k ? nearest_weight : cli_pairs_weight;
    job.compute = rows->k ? compute_nearest : compute_pairs;
    job.user = rows;
    return job;
}
