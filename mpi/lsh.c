// SPDX-License-Identifier: Apache-2.0
// Nearest points by hashing: every rank builds the same tables of the base, and takes runs of the queries.
#include "job.h"

static int check(rank_job *j) {
    return cli_lsh_take(j->kind->name, &j->lsh.asked, j->wanted.k, &j->lsh.options);
}

static int read_points(rank_job *j) {
    return rank_read_points(j, j->lsh.options.metric, j->lsh.asked.metric == WW_METRIC_JACCARD_BITS);
}

static int prepare(rank_job *j) {
    rank_points *p = &j->points;
    rank_lsh *l = &j->lsh;
    const int base = j->paths[1] ? 1 : 0;
    l->options.run = j->s.plan.run;
    p->metric = (int)l->options.metric;
    p->radius = (double)INFINITY;
    CLI_TRY(cli_points_upload(j->s.context, &j->s.device, j->paths[base], &p->all[base].view, &p->base));
    if (base)
        CLI_TRY(cli_points_upload(j->s.context, &j->s.device, j->paths[0], &p->all[0].view, &l->queries));
    CLI_TRY(cli_status(ww_lsh_create(p->base, &l->options, &l->tables)));
    l->rows = (cli_lsh_rows){.lsh = l->tables,
                             .queries = l->queries,
                             .k = (size_t)j->wanted.k,
                             .precision = cli_points_precision(&j->s.device, &p->all[0].view)};
    j->rows = (cli_row_job){.points = {&p->all[0].view, base ? &p->all[1].view : NULL}, .s = &j->s};
    CLI_TRY(cli_lsh_divide(&l->rows, p->all[0].view.count, &j->rows));
    return rank_rows_prepare(j);
}

const rank_kind rank_lsh_kind = {
    "lsh", 1, 2, read_points, prepare, rank_rows_run, rank_rows_part, rank_finish_neighbours, check};
