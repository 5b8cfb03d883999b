// SPDX-License-Identifier: Apache-2.0
// See series_rows.h.
#include "results/series_rows.h"

#include <stdlib.h>

#include "results/neighbours.h"

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
    CLI_FREES size_t *rows = malloc((size_t)count * sizeof *rows);
    CLI_FREES size_t *columns = malloc((size_t)count * sizeof *columns);
    if (!rows || !columns)
        return cli_error("not enough memory");
    for (size_t k = 0; k < count; k++) {
        rows[k] = cli_series_member(s->sets[0], first + k);
        columns[k] = cli_series_member(s->sets[1], first + k);
    }
    ww_plan_destroy(r->plan);
    return cli_status_plainly(
        create(&s->measure, s->data[0], s->data[1], rows, columns, (size_t)count, &s->plan, r->plan));
}

static int compute_pairs(void *user, uint64_t first, uint64_t count, void *values) {
    const cli_series_rows *r = user;
    const ww_output to = WW_OUTPUT_HOST(values);
    CLI_TRY(cli_pairs_plan(r, first, count, ww_plan_create_pairs));
    CLI_TRY(cli_status_plainly(ww_plan_run(*r->plan, &to)));
    cli_series_note(r);
    return CLI_GO_ON;
}

static double nearest_weight(void *user, uint64_t row) {
    return (double)ww_series_set_length(((const cli_series_rows *)user)->s->sets[0], (size_t)row);
}

int cli_series_copy(const ww_series_set *all, size_t first, size_t count, ww_series_set **some) {
    CLI_TRY(cli_status_plainly(ww_series_set_create(ww_series_set_channels(all), some)));
    for (size_t i = 0, of = first; i < count; i++, of++) {
        const double *times = ww_series_set_times(all, of);
        CLI_TRY(cli_status_plainly(
            ww_series_set_add(*some, ww_series_set_length(all, of), ww_series_set_values(all, of), NULL)));
        if (times)
            CLI_TRY(cli_status_plainly(ww_series_set_set_times(*some, i, times)));
    }
    return CLI_GO_ON;
}

int cli_series_some(const cli_series_job *s, const ww_series_set *all, uint64_t first, uint64_t count,
                    ww_dataset **made) {
    CLI_ENDS(ww_series_set_destroy) ww_series_set *some = NULL;
    CLI_TRY(cli_series_copy(all, (size_t)first, (size_t)count, &some));
    return cli_dataset_make(s->context, &s->device, NULL, some, made);
}

static int compute_nearest(void *user, uint64_t first, uint64_t count, void *values) {
    const cli_series_rows *r = user;
    const cli_series_job *s = r->s;
    CLI_ENDS(ww_dataset_destroy) ww_dataset *queries = NULL;
    CLI_ENDS(cli_neighbours_free) cli_neighbours n = {(size_t)count, r->k, cli_precision(&s->device), NULL, NULL};
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    shard.query_offset = first;
    shard.exclude_self = !s->sets[1];
    ww_plan_destroy(r->plan);
    CLI_TRY(cli_neighbours_allocate(&n));
    CLI_TRY(cli_series_some(s, s->sets[0], first, count, &queries));
    CLI_TRY(cli_status_plainly(ww_plan_create_nearest_shard(&s->measure, queries, s->data[s->sets[1] ? 1 : 0], n.k,
                                                            &shard, &s->plan, r->plan)));
    CLI_TRY(cli_status_plainly(ww_plan_run_nearest(*r->plan, n.ids, n.distances)));
    cli_series_note(r);
    cli_neighbours_pack(&n, values);
    return CLI_GO_ON;
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
