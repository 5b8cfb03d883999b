// SPDX-License-Identifier: Apache-2.0
// See tiles.h.
#include "base/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A tile has about so many cells, and a matrix at least so many tiles a side: parts are of equal work, and little is
// computed twice.
static size_t side_of(const cli_tile_job *job) {
    const double most = 16384.0;
    const ww_series_set *a = job->s->sets[0], *b = job->s->sets[job->s->sets[1] ? 1 : 0];
    const double length = sqrt((double)ww_series_set_max_length(a) * (double)ww_series_set_max_length(b));
    const cli_tiles *t = &job->shape.tiles;
    const size_t longest = t->rows > t->columns ? t->rows : t->columns;
    size_t side = (size_t)(most / length), least = (longest - 1) / 32 + 1;
    side = side < least ? side : least;
    cli_tiles cut = *t;
    for (side = side ? side : 1; side > 1; side /= 2) {
        cli_tiles_fit(&cut, side);
        if (cli_tiles_count(&cut) / 16 >= job->shape.parts)
            break;
    }
    return side;
}

// ---- parts of equal work

// Points of the series of each row (or column) of tiles.
static double *sum_points(const ww_series_set *set, size_t first, size_t count, const cli_tiles *t, size_t pieces) {
    double *sums = calloc(pieces, sizeof *sums);
    for (size_t i = 0; sums && i < count; i++)
        sums[i / t->side] += (double)ww_series_set_length(set, first + i);
    return sums;
}

// The first tile of part `part` (from 0) of `parts`: as near to its share of the cells as tiles allow, and a tile
// behind that of the part before it.
static int divide(const cli_tile_job *job, uint64_t part, uint64_t parts, uint64_t *first, uint64_t *count) {
    const cli_tiles *t = &job->shape.tiles;
    const uint64_t tiles = cli_tiles_count(t);
    const ww_series_set *columns = job->s->sets[job->s->sets[1] ? 1 : 0];
    CLI_FREES double *a = sum_points(job->s->sets[0], t->row, t->rows, t, t->tile_rows);
    CLI_FREES double *b = sum_points(columns, t->column, t->columns, t, t->tile_columns);
    double all = 0, sum = 0;
    if (!a || !b)
        return cli_error("not enough memory");
    if (parts > tiles)
        return cli_error("%" PRIu64 " parts of a matrix of %" PRIu64 " tiles; at most a part a tile", parts, tiles);
    for (size_t r = 0; r < t->tile_rows; r++)
        for (size_t c = t->upper ? r : 0; c < t->tile_columns; c++)
            all += a[r] * b[c];
    uint64_t number = 0, before = 0, next = 1; // `next`: the part whose begin is looked for
    *first = 0;
    *count = tiles;
    for (size_t r = 0; r < t->tile_rows; r++)
        for (size_t c = t->upper ? r : 0; c < t->tile_columns; c++, number++) {
            const bool due = sum + a[r] * b[c] / 2 >= all * (double)next / (double)parts;
            if (next < parts && number > before && (due || tiles - number == parts - next)) {
                if (next == part)
                    *first = number;
                if (next == part + 1)
                    *count = number;
                before = number;
                next++;
            }
            sum += a[r] * b[c];
        }
    *count -= *first;
    return CLI_GO_ON;
}

// ---- values

static void copy_value(void *to, size_t at, const void *from, size_t of, size_t size) {
    memcpy((char *)to + at * size, (const char *)from + of * size, size);
}

static int put(const cli_tile_target *t, size_t row, size_t rows, size_t column, size_t columns, const void *values) {
    return cli_status_plainly(ww_array_file_put(t->file, row, rows, column, columns, values));
}

static int put_condensed(const cli_tile_target *t, const cli_tile *tile, const char *values) {
    const size_t n = t->tiles->rows, size = cli_value_bytes(t->precision);
    for (size_t i = 0; i < tile->rows; i++) {
        const size_t row = tile->row + i, first = tile->column > row ? tile->column : row + 1;
        const char *from = values + (i * tile->columns + first - tile->column) * size;
        if (tile->column + tile->columns > first)
            CLI_TRY(put(t, cli_condensed_at(n, row, first), tile->column + tile->columns - first, 0, 1, from));
    }
    return CLI_GO_ON;
}

int cli_tile_put(const cli_tile_target *t, const cli_tile *tile, void *values) {
    const size_t size = cli_value_bytes(t->precision), w = tile->columns, h = tile->rows;
    // The bits below the diagonal are those above it.
    for (size_t i = 0; tile->diagonal && i < h; i++)
        for (size_t j = i + 1; j < h; j++)
            copy_value(values, j * w + i, values, i * w + j, size);
    if (t->condensed)
        return put_condensed(t, tile, values);
    CLI_TRY(put(t, tile->row, h, tile->column, w, values));
    const size_t first = tile->diagonal ? h : 0;
    if (!t->tiles->upper || first == w)
        return CLI_GO_ON;
    CLI_FREES char *turned = malloc((w - first) * h * size);
    if (!turned)
        return cli_error("not enough memory");
    for (size_t j = first; j < w; j++)
        for (size_t i = 0; i < h; i++)
            copy_value(turned, (j - first) * h + i, values, i * w + j, size);
    return put(t, tile->column + first, w - first, tile->row, h, turned);
}

// A part's file has its tiles one after the other. `first` is the part's first tile.
static int put_part(const cli_tile_target *t, uint64_t first, uint64_t number, const cli_tile *run,
                    const char *values) {
    const size_t size = cli_value_bytes(t->precision);
    CLI_FREES char *one = malloc(run->rows * t->tiles->side * size);
    if (!one)
        return cli_error("not enough memory");
    uint64_t at = cli_tiles_offset(t->tiles, number) - cli_tiles_offset(t->tiles, first);
    for (size_t c = 0; c < run->columns; c += t->tiles->side) {
        const size_t w = t->tiles->side < run->columns - c ? t->tiles->side : run->columns - c;
        for (size_t i = 0; i < run->rows; i++)
            memcpy(one + i * w * size, values + (i * run->columns + c) * size, w * size);
        CLI_TRY(put(t, (size_t)at, run->rows * w, 0, 1, one));
        at += run->rows * w;
    }
    return CLI_GO_ON;
}

// ---- the shape

void cli_tile_shape_print(const cli_tile_shape *s, char text[256]) {
    const cli_tiles *t = &s->tiles;
    snprintf(text, 256,
             "row %zu rows %zu column %zu columns %zu side %zu upper %d condensed %d double %d parts %" PRIu64, t->row,
             t->rows, t->column, t->columns, t->side, t->upper, s->condensed, s->precision == WW_DOUBLE, s->parts);
}

bool cli_tile_shape_read(const char *text, cli_tile_shape *s) {
    cli_tiles *t = &s->tiles;
    int upper, condensed, precision;
    size_t side;
    if (sscanf(text, "row %zu rows %zu column %zu columns %zu side %zu upper %d condensed %d double %d parts %" SCNu64,
               &t->row, &t->rows, &t->column, &t->columns, &side, &upper, &condensed, &precision, &s->parts) != 9 ||
        t->rows == 0 || t->columns == 0 || side == 0 || (upper && t->rows != t->columns) || (condensed && !upper))
        return false;
    t->upper = upper != 0;
    s->condensed = condensed != 0;
    s->precision = precision ? WW_DOUBLE : WW_FLOAT;
    cli_tiles_fit(t, side);
    return true;
}

// ---- the run

typedef struct runner {
    cli_division *division;
    cli_tile_job *job;
    cli_tile_target target;
    uint64_t first, count, done;
    uint64_t most; // tiles of a run
} runner;

// The run that begins with tile `number`: tiles of the same row that are not done.
static uint64_t next_run(const runner *r, uint64_t number, cli_tile *run) {
    enum { MOST_VALUES = 1 << 26 };
    uint64_t count = 1;
    *run = cli_tiles_at(r->target.tiles, number);
    for (; count < r->most && number + count < r->first + r->count; count++) {
        const cli_tile tile = cli_tiles_at(r->target.tiles, number + count);
        if (tile.row != run->row || ww_journal_has(r->division->journal, number + count) ||
            (uint64_t)run->rows * (run->columns + tile.columns) > MOST_VALUES)
            break;
        run->columns += tile.columns;
    }
    return count;
}

static int run_tiles(runner *r, uint64_t number, uint64_t count, const cli_tile *run) {
    const cli_tiles *t = r->target.tiles;
    cli_progress *progress = &r->job->s->progress;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    CLI_FREES void *values = NULL;
    CLI_TRY(cli_values_allocate(run->rows, run->columns, r->target.precision, &values));
    const ww_output to = WW_OUTPUT_HOST(values);
    progress->share_before = (double)r->done / (double)r->count;
    progress->share_run = (double)count / (double)r->count;
    const double begin = cli_seconds();
    CLI_TRY(cli_status_plainly(
        ww_plan_run_rectangle(r->job->plan, t->row + run->row, run->rows, t->column + run->column, run->columns, &to)));
    // Runs of about half a second: an interrupt waits for one.
    const double took = cli_seconds() - begin;
    r->most = took < 0.25 ? 2 * r->most : took > 1.0 && r->most > 1 ? r->most / 2 : r->most;
    if (ww_plan_get_info(r->job->plan, &info) == WW_OK) {
        progress->done_before += info.cells_done;
        r->division->seconds_wall += info.seconds_wall;
        r->division->seconds_device += info.seconds_device;
    }
    CLI_TRY(r->division->part ? put_part(&r->target, r->first, number, run, values)
                              : cli_tile_put(&r->target, run, values));
    r->done += count;
    return cli_division_done(r->division, number, count);
}

static int run_all(runner *r) {
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    CLI_TRY(cli_status(ww_journal_get_info(r->division->journal, &info)));
    r->done = info.done;
    r->job->s->progress.share_begin = (double)r->done / (double)r->count;
    for (uint64_t i = r->first, count; i < r->first + r->count; i += count) {
        cli_tile run;
        count = 1;
        if (ww_journal_has(r->division->journal, i))
            continue;
        count = next_run(r, i, &run);
        CLI_TRY(run_tiles(r, i, count, &run));
    }
    return CLI_GO_ON;
}

static int fill_file(cli_division *d, cli_tile_job *job) {
    cli_tiles *t = &job->shape.tiles;
    char shape[256], inputs[256] = "";
    runner r = {.division = d, .job = job, .target = {t, NULL, job->shape.precision, job->shape.condensed}, .most = 1};
    job->shape.parts = d->part_count;
    cli_tiles_fit(t, side_of(job));
    cli_tile_shape_print(&job->shape, shape);
    CLI_FREES char *options = cli_division_options(shape, &job->s->measure, &job->s->measure_options, &job->s->device);
    if (!options)
        return cli_error("not enough memory");
    CLI_TRY(divide(job, d->part ? d->part - 1 : 0, d->part ? d->part_count : 1, &r.first, &r.count));
    for (int i = 0; i < 2; i++)
        CLI_TRY(cli_division_sum(job->s->sets[i], inputs));
    const bool list = d->part || job->shape.condensed;
    const cli_work work = {"matrix",
                           inputs,
                           options,
                           job->s->context,
                           r.first,
                           r.count,
                           job->output,
                           job->shape.precision,
                           d->part ? cli_tiles_offset(t, r.first + r.count) - cli_tiles_offset(t, r.first)
                           : list  ? cli_condensed_count(t->rows)
                                   : t->rows,
                           list ? 0 : t->columns};
    CLI_TRY(cli_division_open(d, &work));
    r.target.file = d->file;
    return run_all(&r);
}

int cli_tiles_run(cli_division *d, cli_tile_job *job) {
    const int filled = fill_file(d, job);
    cli_progress_end();
    return filled == CLI_GO_ON ? cli_division_finish(d, false) : filled;
}
