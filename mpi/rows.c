// SPDX-License-Identifier: Apache-2.0
// Pairs, and the nearest of queries: every rank has the whole of both sets, or of the base, and takes runs of the rows.
#include <stdlib.h>

#include "job.h"

// What a journal says, and how many rows a unit has.
static int make_work(rank_job *j) {
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
    w->each = w->each < r->rows ? w->each : r->rows;
    const int result = j->checkpoint ? cli_rows_inputs(r, w->inputs) : CLI_GO_ON;
    return result == CLI_GO_ON ? cli_values_allocate(w->each, r->columns ? r->columns : 1, w->precision, &w->values)
                               : result;
}

static void make_rows(rank_job *j, const char *name, size_t k) {
    j->series = (cli_series_rows){.measure = &j->measure,
                                  .device = &j->device,
                                  .options = &j->plan_options,
                                  .context = j->context,
                                  .sets = {j->sets[0], j->sets[1]},
                                  .data = j->data,
                                  .k = k,
                                  .plan = &j->plan};
    j->rows = (cli_row_job){.name = name,
                            .sets = {j->sets[0], j->sets[1]},
                            .context = j->context,
                            .progress = &j->progress,
                            .measure = &j->measure,
                            .measure_options = &j->measure_options,
                            .device = &j->device,
                            .rows = ww_series_set_count(j->sets[0]),
                            .columns = 2 * k,
                            .k = k,
                            .precision = k ? WW_DOUBLE : cli_precision(&j->device),
                            .user = &j->series};
}

static int run(rank_job *j, uint64_t first, uint64_t count) {
    const rank_work *w = &j->work;
    const int result = j->rows.compute(j->rows.user, first, count, w->values);
    if (result != CLI_GO_ON)
        return result;
    return ww_array_file_put(w->file, (size_t)first, (size_t)count, 0, w->columns ? (size_t)w->columns : 1,
                             w->values) == WW_OK
               ? CLI_GO_ON
               : cli_fail();
}

static int run_part(rank_job *j, cli_division *part) {
    return cli_rows_run(part, &j->rows, NULL);
}

// All values of the file.
static int read_all(const rank_job *j, void **values) {
    const rank_work *w = &j->work;
    const size_t columns = w->columns ? (size_t)w->columns : 1;
    const int result = cli_values_allocate(w->rows, columns, w->precision, values);
    if (result != CLI_GO_ON)
        return result;
    return ww_array_file_get(w->file, 0, (size_t)w->rows, 0, columns, *values) == WW_OK ? CLI_GO_ON : cli_fail();
}

// ---- pairs

static int prepare_pairs(rank_job *j) {
    const size_t a = ww_series_set_count(j->sets[0]), b = ww_series_set_count(j->sets[1]);
    if (a != b)
        return cli_error("%s has %zu series and %s has %zu: pairs need equal numbers", j->paths[0], a, j->paths[1], b);
    for (int i = 0; i < 2; i++)
        if (cli_dataset_make(j->context, &j->device, j->sets[i], &j->data[i]) != CLI_GO_ON)
            return CLI_FAILURE;
    make_rows(j, "pairs", 0);
    j->rows.weight = cli_pairs_weight;
    j->rows.compute = cli_pairs_compute;
    return make_work(j);
}

static int finish_pairs(rank_job *j) {
    void *values = NULL;
    int result = read_all(j, &values);
    if (result == CLI_GO_ON &&
        ww_array_write(j->wanted.output, values, j->work.precision, (size_t)j->work.rows, 0) != WW_OK)
        result = cli_fail();
    free(values);
    return result;
}

// ---- nearest

static int prepare_nearest(rank_job *j) {
    const int base = j->sets[1] ? 1 : 0;
    if (cli_dataset_make(j->context, &j->device, j->sets[base], &j->data[base]) != CLI_GO_ON)
        return CLI_FAILURE;
    make_rows(j, "nearest", (size_t)j->wanted.k);
    j->rows.weight = cli_nearest_weight;
    j->rows.compute = cli_nearest_compute;
    return make_work(j);
}

static int finish_neighbours(rank_job *j) {
    cli_neighbours n = {(size_t)j->rows.rows, (size_t)j->rows.k, cli_precision(&j->device), NULL, NULL};
    void *values = NULL;
    int result = read_all(j, &values);
    if (result == CLI_GO_ON)
        result = cli_neighbours_allocate(&n);
    if (result == CLI_GO_ON) {
        cli_neighbours_unpack(&n, values, 0, n.queries);
        result = cli_neighbours_write(&n, &j->wanted);
    }
    cli_neighbours_free(&n);
    free(values);
    return result;
}

const rank_kind rank_pairs = {"pairs", 2, prepare_pairs, run, run_part, finish_pairs};
const rank_kind rank_nearest = {"nearest", 1, prepare_nearest, run, run_part, finish_neighbours};
