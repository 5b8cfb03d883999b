// SPDX-License-Identifier: Apache-2.0
// Gradients of pairs: every rank has both sets, and takes runs of the pairs.
#include "job.h"

static int prepare(rank_job *j) {
    rank_gradient *g = &j->gradient;
    const size_t a = ww_series_set_count(j->sets[0]), b = ww_series_set_count(j->sets[1]);
    if (a != b)
        return cli_error("%s has %zu series and %s has %zu: pairs need equal numbers", j->paths[0], a, j->paths[1], b);
    for (int i = 0; i < 2; i++)
        if (cli_dataset_make(j->context, &j->device, j->paths[i], j->sets[i], &j->data[i]) != CLI_GO_ON)
            return CLI_FAILURE;
    g->rows = (cli_gradient_rows){.measure = &j->measure,
                                  .context = j->context,
                                  .sets = {j->sets[0], j->sets[1]},
                                  .data = j->data,
                                  .of = g->of,
                                  .options = WW_GRADIENT_OPTIONS_INIT,
                                  .progress = &j->progress};
    g->rows.options.divergence = g->divergence;
    g->rows.options.run = j->plan_options.run;
    j->rows = (cli_row_job){
        .progress = &j->progress, .measure = &j->measure, .measure_options = &j->measure_options, .device = &j->device};
    CLI_TRY(cli_gradients_divide(&g->rows, cli_precision(&j->device), &j->rows));
    return rank_rows_prepare(j);
}

static int finish(rank_job *j) {
    cli_gradients found = j->gradient.rows.shape;
    int result = cli_gradients_begin(&found);
    if (result == CLI_GO_ON)
        result = cli_rows_each(j->work.file, 0, j->work.rows, j->work.columns, cli_gradients_take, &found);
    if (result == CLI_GO_ON)
        result = cli_gradients_write(&found, j->wanted.output);
    cli_gradients_free(&found);
    return result;
}

const rank_kind rank_gradient_kind = {"gradient",     2,      2,   rank_read_series, prepare, rank_rows_run,
                                      rank_rows_part, finish, NULL};
