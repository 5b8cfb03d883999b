// SPDX-License-Identifier: Apache-2.0
// Pairs, and the nearest series or points of queries: every rank has the whole of both sets, or of the base, and takes
// runs of the rows.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "job.h"

int rank_rows_prepare(rank_job *j) {
    rank_work *w = &j->work;
    const cli_row_job *r = &j->rows;
    if (j->parts)
        return CLI_GO_ON;
    const uint64_t each = r->rows / ((uint64_t)ranks * RANK_UNITS_EACH);
    *w = (rank_work){.marks = r->rows,
                     .each = j->tile ? j->tile
                             : each  ? each
                                     : 1,
                     .precision = r->precision,
                     .rows = r->rows,
                     .columns = r->columns,
                     .options = cli_rows_options(r, 0)};
    if (!w->options)
        return cli_error("not enough memory");
    const uint64_t most = ((uint64_t)1 << 26) / cli_row_values(r);
    w->each = w->each < most ? w->each : most ? most : 1;
    w->each = w->each < r->rows ? w->each : r->rows;
    if (j->checkpoint)
        CLI_TRY(cli_rows_inputs(r, w->inputs));
    return cli_values_allocate(w->each, cli_row_values(r), w->precision, &w->values);
}

int rank_rows_run(rank_job *j, uint64_t first, uint64_t count) {
    const rank_work *w = &j->work;
    CLI_TRY(j->rows.compute(j->rows.user, first, count, w->values));
    return cli_status(ww_array_file_put(w->file, (size_t)first, (size_t)count, 0, cli_row_values(&j->rows), w->values));
}

int rank_rows_part(rank_job *j, cli_division *part) {
    return cli_rows_run(part, &j->rows, NULL);
}

// All values of the file.
static int read_all(const rank_job *j, void **values) {
    const rank_work *w = &j->work;
    const size_t columns = cli_row_values(&j->rows);
    CLI_TRY(cli_values_allocate(w->rows, columns, w->precision, values));
    return cli_status(ww_array_file_get(w->file, 0, (size_t)w->rows, 0, columns, *values));
}

// ---- pairs

static int prepare_pairs(rank_job *j) {
    CLI_TRY(cli_pairs_check(&j->s));
    CLI_TRY(cli_series_put(&j->s));
    j->series = (cli_series_rows){.s = &j->s, .plan = &j->plan};
    j->rows = cli_series_rows_job(&j->series);
    return rank_rows_prepare(j);
}

static int finish_pairs(rank_job *j) {
    CLI_FREES void *values = NULL;
    CLI_TRY(read_all(j, &values));
    return cli_status(ww_array_write(j->wanted.output, values, j->work.precision, (size_t)j->work.rows, 0));
}

// ---- nearest

static int prepare_nearest(rank_job *j) {
    const int base = j->s.sets[1] ? 1 : 0;
    CLI_TRY(cli_dataset_make(j->s.context, &j->s.device, j->paths[base], j->s.sets[base], &j->s.data[base]));
    j->series = (cli_series_rows){.s = &j->s, .k = (size_t)j->wanted.k, .plan = &j->plan};
    j->rows = cli_series_rows_job(&j->series);
    return rank_rows_prepare(j);
}

int rank_finish_neighbours(rank_job *j) {
    CLI_ENDS(cli_neighbours_free)
    cli_neighbours n = {(size_t)j->rows.rows, (size_t)j->rows.k, j->rows.result, NULL, NULL};
    CLI_FREES void *values = NULL;
    CLI_TRY(read_all(j, &values));
    CLI_TRY(cli_neighbours_allocate(&n));
    CLI_TRY(cli_neighbours_unpack(&n, values, 0, n.queries));
    if (j->points.base)
        cli_points_say_full(cli_points_within(&n, j->points.radius), &n, j->points.all[j->paths[1] ? 1 : 0].view.count,
                            j->points.radius);
    return cli_neighbours_write(&n, &j->wanted);
}

// ---- nearest points

int rank_read_points(rank_job *j, ww_metric metric, bool bits) {
    rank_view *all = j->points.all;
    int result = CLI_GO_ON;
    for (int i = 0; rank == 0 && i < 2 && j->paths[i] && result == CLI_GO_ON; i++)
        result = cli_lsh_read(j->paths[i], metric, bits, &all[i].set, &all[i].view);
    CLI_TRY(ranks_agree(result));
    for (int i = 0; i < 2 && j->paths[i]; i++)
        CLI_TRY(ranks_share_points(&all[i]));
    return CLI_GO_ON;
}

// K is by default 1, and as many as can be within a radius.
static int read_points(rank_job *j) {
    rank_points *p = &j->points;
    p->radius = (double)INFINITY;
    CLI_TRY(ranks_agree(cli_points_radius(j->kind->name, p->radius_text, (ww_metric)p->metric, &p->radius)));
    CLI_TRY(rank_read_points(j, (ww_metric)p->metric, false));
    const size_t base = p->all[j->paths[1] ? 1 : 0].view.count;
    if (j->wanted.k == 0)
        j->wanted.k = !p->radius_text ? 1 : base < CLI_RADIUS_K ? base : CLI_RADIUS_K;
    if (j->wanted.k > WW_KNN_MOST)
        return ranks_agree(cli_error("--k is %" PRIu64 "; it can be 1 to %d", j->wanted.k, WW_KNN_MOST));
    return CLI_GO_ON;
}

static int prepare_knn(rank_job *j) {
    rank_points *p = &j->points;
    const int base = j->paths[1] ? 1 : 0;
    CLI_TRY(cli_points_upload(j->s.context, &j->s.device, j->paths[base], &p->all[base].view, &p->base));
    p->rows = (cli_point_rows){.metric = (ww_metric)p->metric,
                               .radius = p->radius,
                               .part = j->parts != NULL,
                               .s = &j->s,
                               .queries = &p->all[0].view,
                               .base = p->base,
                               .self = !j->paths[1],
                               .k = (size_t)j->wanted.k,
                               .knn = &p->knn};
    j->rows = (cli_row_job){.points = {&p->all[0].view, base ? &p->all[1].view : NULL}, .s = &j->s};
    cli_points_divide(&p->rows, &j->rows);
    return rank_rows_prepare(j);
}

const rank_kind rank_pairs = {"pairs",      2,   2, rank_read_series, prepare_pairs, rank_rows_run, rank_rows_part,
                              finish_pairs, NULL};
const rank_kind rank_nearest = {
    "nearest", 1, 2, rank_read_series, prepare_nearest, rank_rows_run, rank_rows_part, rank_finish_neighbours, NULL};
const rank_kind rank_knn = {
    "knn", 1, 2, read_points, prepare_knn, rank_rows_run, rank_rows_part, rank_finish_neighbours, NULL};
