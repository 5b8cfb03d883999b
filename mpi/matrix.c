// SPDX-License-Identifier: Apache-2.0
// A matrix: square tiles of one file, and what mirrors them.
#include <math.h>
#include <stdlib.h>

#include "job.h"

enum { LEAST_TILE = 16, MOST_TILE = 2048 };

static int make_plan(rank_job *j) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_tiles *t = &j->shape.tiles;
    CLI_TRY(cli_series_put(&j->s));
    if (ww_plan_create_matrix(&j->s.measure, j->s.data[0], j->s.data[1], &j->s.plan, &j->plan) != WW_OK ||
        ww_plan_get_info(j->plan, &info) != WW_OK)
        return cli_fail();
    t->rows = ww_series_set_count(j->s.sets[0]);
    t->columns = j->s.sets[1] ? ww_series_set_count(j->s.sets[1]) : t->rows;
    // A plan says how many pairs it computes: half of them under a symmetric measure.
    t->upper = !j->s.sets[1] && info.pairs < (uint64_t)t->rows * t->rows - t->rows;
    j->shape.precision = cli_precision(&j->s.device);
    return CLI_GO_ON;
}

static int prepare(rank_job *j) {
    rank_work *w = &j->work;
    cli_tiles *t = &j->shape.tiles;
    char shape[256];
    CLI_TRY(make_plan(j));
    if (j->parts)
        return CLI_GO_ON;
    const double each = (double)t->rows * (double)t->columns / (t->upper ? 2 : 1) / ((double)ranks * RANK_UNITS_EACH);
    const size_t longest = t->rows > t->columns ? t->rows : t->columns;
    const size_t side = j->tile ? (size_t)j->tile : (size_t)fmin(fmax(sqrt(each), LEAST_TILE), MOST_TILE);
    cli_tiles_fit(t, side < longest ? side : longest);
    cli_tile_shape_print(&j->shape, shape);
    *w = (rank_work){.marks = cli_tiles_count(t),
                     .each = 1,
                     .precision = j->shape.precision,
                     .rows = t->rows,
                     .columns = t->columns,
                     .options = cli_division_options(shape, &j->s.measure, &j->s.measure_options, &j->s.device)};
    if (!w->options)
        return cli_error("not enough memory");
    for (int i = 0; i < 2 && j->checkpoint; i++)
        CLI_TRY(cli_division_sum(j->s.sets[i], w->inputs));
    return cli_values_allocate(t->side, t->side, w->precision, &w->values);
}

static int run(rank_job *j, uint64_t first, uint64_t count) {
    const rank_work *w = &j->work;
    const cli_tile_target target = {&j->shape.tiles, w->file, w->precision, false};
    const ww_output to = WW_OUTPUT_HOST(w->values);
    for (uint64_t i = first; i < first + count; i++) {
        const cli_tile tile = cli_tiles_at(&j->shape.tiles, i);
        CLI_TRY(cli_status(ww_plan_run_rectangle(j->plan, tile.row, tile.rows, tile.column, tile.columns, &to)));
        CLI_TRY(cli_tile_put(&target, &tile, w->values));
    }
    return CLI_GO_ON;
}

static int run_part(rank_job *j, cli_division *part) {
    cli_tile_job tiles = {&j->s, j->plan, j->shape, NULL};
    return cli_tiles_run(part, &tiles);
}

const rank_kind rank_matrix = {"matrix", 1, 2, rank_read_series, prepare, run, run_part, NULL, NULL};
