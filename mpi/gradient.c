// SPDX-License-Identifier: Apache-2.0
// Gradients of pairs: every rank has both sets, and takes runs of the pairs.
#include "job.h"

static int prepare(rank_job *j) {
    rank_gradient *g = &j->gradient;
    CLI_TRY(cli_pairs_check(&j->s));
    CLI_TRY(cli_series_put(&j->s));
    g->rows = (cli_gradient_rows){.s = &j->s, .of = g->of, .options = WW_GRADIENT_OPTIONS_INIT};
    g->rows.options.divergence = g->divergence;
    g->rows.options.run = j->s.plan.run;
    j->rows = cli_rows_of(&j->s);
    CLI_TRY(cli_gradients_divide(&g->rows, &j->rows));
    return rank_rows_prepare(j);
}

static int finish(rank_job *j) {
    CLI_ENDS(cli_gradients_free) cli_gradients found = j->gradient.rows.shape;
    CLI_TRY(cli_gradients_join(&found, &j->rows, j->work.file));
    return cli_gradients_write(&found, j->wanted.output);
}

const rank_kind rank_gradient_kind = {"gradient",     2,      2,   rank_read_series, prepare, rank_rows_run,
                                      rank_rows_part, finish, NULL};
