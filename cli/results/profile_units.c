// SPDX-License-Identifier: Apache-2.0
// The units of profiles: square rectangles of each series' windows, of one with itself those on and above the diagonal.
// A unit's row of the file says where it is, and has the lists that it found: of its rows, and of one series with
// itself of its columns. They are joined in any order.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "results/profiles.h"

// A row begins with these; rows and columns are those that it has lists of.
enum { SERIES, WINDOWS, ROW, ROWS, COLUMN, COLUMNS, HEAD };

struct cli_profile_series {
    cli_tiles tiles;
    uint64_t first; // unit
    ww_profile_info did;
};

static size_t list_values(const cli_profiles *p) {
    return 2 * p->side * p->k; // distances, then indices
}

// Of the windows of a side.
static size_t all_values(const cli_profiles *p) {
    return list_values(p) * (size_t)p->lists;
}

size_t cli_profiles_columns(const cli_profiles *p) {
    return HEAD + all_values(p) * (p->self ? 2 : 1);
}

static void print_shape(const cli_profiles *p, char *text, size_t size) {
    snprintf(text, size, "first %zu count %zu k %zu lists %d self %d side %zu", p->first, p->count, p->k, p->lists,
             p->self, p->side);
}

bool cli_profiles_shape_read(const char *text, cli_profiles *p) {
    int self;
    if (sscanf(text, " first %zu count %zu k %zu lists %d self %d side %zu", &p->first, &p->count, &p->k, &p->lists,
               &self, &p->side) != 6)
        return false;
    p->self = self != 0;
    return p->count && p->k >= 1 && p->k <= WW_PROFILE_MOST && (p->lists == 1 || p->lists == 3) && p->side &&
           p->side < ((size_t)1 << 50) && p->count < ((size_t)1 << 50);
}

// ---- joining

static int begin_series(const cli_profiles *p, cli_profile_found *f, size_t windows) {
    f->windows = windows;
    CLI_TRY(cli_profiles_allocate(p, f));
    for (int list = 0; list < p->lists; list++)
        for (size_t i = 0; i < windows * p->k; i++) {
            f->distances[list][i] = (double)INFINITY;
            f->indices[list][i] = -1;
        }
    return CLI_GO_ON;
}

// What a unit found for windows [first, first + count).
static int join(const cli_profiles *p, cli_profile_found *f, size_t first, size_t count, const double *values) {
    const size_t at = first * p->k, all = count * p->k;
    for (int list = 0; list < p->lists && count; list++, values += list_values(p)) {
        const double *ids = values + p->side * p->k;
        for (size_t i = 0; i < all; i++)
            p->ids[i] = (int64_t)ids[i];
        CLI_TRY(cli_status(ww_neighbours_merge(count, p->k, WW_DOUBLE, 0, f->indices[list] + at,
                                               f->distances[list] + at, p->ids, values)));
    }
    return CLI_GO_ON;
}

// Whether the head is of windows that the profiles can have.
static bool read_head(const cli_profiles *p, const double *values, size_t head[HEAD]) {
    for (int i = 0; i < HEAD; i++) {
        if (!(values[i] >= 0 && values[i] < 9e15))
            return false;
        head[i] = (size_t)values[i];
    }
    return head[SERIES] >= p->first && head[SERIES] - p->first < p->count && head[WINDOWS] > 0 &&
           head[ROWS] <= p->side && head[COLUMNS] <= (p->self ? p->side : 0) &&
           head[ROW] + head[ROWS] <= head[WINDOWS] && (!p->self || head[COLUMN] + head[COLUMNS] <= head[WINDOWS]);
}

int cli_profiles_take(void *user, uint64_t row, const double *values) {
    cli_profiles *p = user;
    size_t head[HEAD];
    if (!p->ids && !(p->ids = malloc(p->side * p->k * sizeof *p->ids)))
        return cli_error("not enough memory");
    cli_profile_found *f = read_head(p, values, head) ? &p->found[head[SERIES] - p->first] : NULL;
    if (!f || (f->windows && f->windows != head[WINDOWS]))
        return cli_error("row %" PRIu64 " of the profiles is damaged", row);
    if (!f->windows)
        CLI_TRY(begin_series(p, f, head[WINDOWS]));
    CLI_TRY(join(p, f, head[ROW], head[ROWS], values + HEAD));
    return p->self ? join(p, f, head[COLUMN], head[COLUMNS], values + HEAD + all_values(p)) : CLI_GO_ON;
}

int cli_profiles_finish(cli_profiles *p) {
    for (size_t s = 0; s < p->count; s++) {
        cli_profile_found *f = &p->found[s];
        if (!f->windows)
            return cli_error("the parts have nothing of series %zu", f->series);
        for (int list = 0; list < p->lists; list++)
            for (size_t i = 0; i < f->windows * p->k; i++)
                f->distances[list][i] = sqrt(f->distances[list][i]);
    }
    return CLI_GO_ON;
}

int cli_profiles_join(cli_profiles *p, const cli_row_job *job, const ww_array_file *file) {
    CLI_TRY(cli_profiles_begin(p));
    CLI_TRY(cli_rows_each(file, 0, job->rows, job->columns, cli_profiles_take, p));
    return cli_profiles_finish(p);
}

// ---- computing

static size_t windows_of(const cli_profile_units *u, size_t series) {
    return ww_series_set_length(u->s->sets[0], u->shape.first + series) - u->wanted->window + 1;
}

static void free_plan(cli_profile_units *u) {
    ww_profile_destroy(&u->plan);
    cli_profile_lists_free(&u->lists);
}

int cli_profile_plan(cli_profile_units *u, size_t s, ww_profile_info *info) {
    ww_series_view views[2] = {WW_SERIES_VIEW_INIT, WW_SERIES_VIEW_INIT};
    ww_profile_options options;
    ww_profile_info *did = &u->series[s].did;
    if (!u->plan || u->planned != s) {
        free_plan(u);
        cli_profile_options(u->wanted, cli_precision(&u->s->device), u->s->plan.run, &options);
        for (int i = 0; i < 2 && u->s->sets[i]; i++)
            CLI_TRY(cli_status(ww_series_set_view(u->s->sets[i], &views[i])));
        CLI_TRY(
            cli_status(ww_profile_create(u->s->context, &views[0], u->shape.first + s, u->s->sets[1] ? &views[1] : NULL,
                                         u->wanted->other_series, u->wanted->window, &options, &u->plan)));
        u->planned = s;
        if (!did->windows)
            CLI_TRY(cli_status(ww_profile_get_info(u->plan, did)));
    }
    if (info)
        *info = *did;
    return CLI_GO_ON;
}

static void note(cli_profile_units *u) {
    ww_profile_info info = WW_PROFILE_INFO_INIT, *did = &u->series[u->planned].did;
    if (ww_profile_get_info(u->plan, &info) != WW_OK)
        return;
    did->candidates += info.candidates;
    did->seconds_wall += info.seconds_wall;
    did->seconds_device += info.seconds_device;
}

// Copies the lists of windows [first, first + count) into a row.
static void pack(const cli_profile_units *u, size_t first, size_t count, double *to) {
    const cli_profiles *p = &u->shape;
    const size_t at = first * p->k, all = count * p->k;
    for (int list = 0; list < p->lists && count; list++, to += list_values(p)) {
        memcpy(to, u->lists.distances[list] + at, all * sizeof *to);
        for (size_t i = 0; i < all; i++)
            to[p->side * p->k + i] = (double)u->lists.indices[list][at + i];
    }
}

// Units of one row of tiles as one rectangle; a square on the diagonal, of which one half is computed, alone. The lists
// of the rows are in the first unit's row.
static int compute_rectangle(cli_profile_units *u, const cli_tile *first, uint64_t count, double *values) {
    const cli_tiles *t = &u->series[u->planned].tiles;
    const size_t end = first->column + (size_t)count * t->side,
                 columns = (end < t->columns ? end : t->columns) - first->column;
    ww_profile_output output = cli_profile_output(&u->lists);
    CLI_TRY(cli_status_plainly(
        ww_profile_add_rectangle(u->plan, first->row, first->rows, first->column, columns, &output)));
    note(u);
    u->s->progress.done_before += (uint64_t)first->rows * columns;
    for (uint64_t i = 0; i < count; i++, values += cli_profiles_columns(&u->shape)) {
        const size_t column = first->column + (size_t)i * t->side, left = t->columns - column;
        const size_t wide = !u->shape.self || first->diagonal ? 0 : left < t->side ? left : t->side;
        const size_t rows = i ? 0 : first->rows;
        values[SERIES] = (double)(u->shape.first + u->planned);
        values[WINDOWS] = (double)t->rows;
        values[ROW] = (double)first->row;
        values[ROWS] = (double)rows;
        values[COLUMN] = (double)column;
        values[COLUMNS] = (double)wide;
        pack(u, first->row, rows, values + HEAD);
        pack(u, column, wide, values + HEAD + all_values(&u->shape));
    }
    return CLI_GO_ON;
}

static size_t series_of(const cli_profile_units *u, uint64_t unit) {
    size_t low = 0, high = u->shape.count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (u->series[middle].first <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int compute(void *user, uint64_t first, uint64_t count, void *values) {
    cli_profile_units *u = user;
    const size_t columns = cli_profiles_columns(&u->shape);
    double *to = values;
    memset(to, 0, (size_t)count * columns * sizeof *to);
    for (uint64_t unit = first, run; unit < first + count; unit += run, to += run * columns) {
        const size_t s = series_of(u, unit);
        const struct cli_profile_series *own = &u->series[s];
        const uint64_t in_series = cli_tiles_count(&own->tiles), number = unit - own->first;
        const cli_tile tile = cli_tiles_at(&own->tiles, number);
        for (run = 1; !tile.diagonal && unit + run < first + count && number + run < in_series &&
                      cli_tiles_at(&own->tiles, number + run).row == tile.row;)
            run++;
        CLI_TRY(cli_profile_plan(u, s, NULL));
        if (!u->lists.distances[0]) {
            u->lists.windows = own->tiles.rows;
            CLI_TRY(cli_profiles_allocate(&u->shape, &u->lists));
        }
        CLI_TRY(compute_rectangle(u, &tile, run, to));
    }
    return CLI_GO_ON;
}

static double weight(void *user, uint64_t unit) {
    const cli_profile_units *u = user;
    const struct cli_profile_series *own = &u->series[series_of(u, unit)];
    const cli_tile tile = cli_tiles_at(&own->tiles, unit - own->first);
    return (double)tile.rows * (double)tile.columns / (tile.diagonal ? 2 : 1);
}

// Rectangles are few, because the windows of each are sent first, and their lists take MOST_BYTES at most where there
// are so few.
static void choose_side(cli_profile_units *u, size_t longest, double all) {
    enum { LEAST_SIDE = 1024, LEAST_BANDS = 8, MOST_BANDS = 32 };
    const double most_bytes = 1 << 30;
    cli_profiles *p = &u->shape;
    const double bands = most_bytes / (16 * all * (double)p->k * p->lists);
    p->side = (size_t)((double)longest / fmin(fmax(bands, LEAST_BANDS), MOST_BANDS)) + 1;
    p->side = p->side < LEAST_SIDE ? LEAST_SIDE : p->side;
}

int cli_profile_divide(cli_profile_units *u, cli_row_job *job) {
    const cli_profile_wanted *w = u->wanted;
    cli_profiles *p = &u->shape;
    size_t longest = 0;
    uint64_t units = 0;
    double all = 0;
    *p = (cli_profiles){.first = w->series == SIZE_MAX ? 0 : w->series,
                        .count = w->series == SIZE_MAX ? ww_series_set_count(u->s->sets[0]) : 1,
                        .k = (size_t)w->k,
                        .lists = w->left_right ? 3 : 1,
                        .self = !u->s->sets[1]};
    u->series = calloc(p->count, sizeof *u->series);
    if (!u->series)
        return cli_error("not enough memory");
    // Errors of the whole before anything is written.
    for (size_t s = 0; s < p->count; s++) {
        ww_profile_info_init(&u->series[s].did, sizeof u->series[s].did);
        CLI_TRY(cli_profile_plan(u, s, NULL));
        const size_t windows = windows_of(u, s), others = u->series[s].did.other_windows;
        const size_t more = windows > others ? windows : others;
        longest = longest > more ? longest : more;
        all += (double)windows;
    }
    choose_side(u, longest, all);
    for (size_t s = 0; s < p->count; s++) {
        struct cli_profile_series *own = &u->series[s];
        own->tiles = (cli_tiles){.rows = windows_of(u, s), .columns = own->did.other_windows, .upper = p->self};
        cli_tiles_fit(&own->tiles, p->side);
        own->first = units;
        units += cli_tiles_count(&own->tiles);
    }
    print_shape(p, u->more, sizeof u->more);
    const size_t at = strlen(u->more);
    snprintf(u->more + at, sizeof u->more - at,
             " window %zu exclusion %zu best %" PRIu64 " other %zu p %.17g flat %.17g forced %x", w->window,
             u->series[0].did.exclusion, w->best_channels, w->other_series, w->p, w->flat_below, (unsigned)w->forced);
    job->name = "profile";
    job->more = u->more;
    job->measure = NULL;
    job->rows = units;
    job->columns = cli_profiles_columns(p);
    job->weight = weight;
    job->compute = compute;
    job->user = u;
    return CLI_GO_ON;
}

void cli_profile_units_end(cli_profile_units *u) {
    free_plan(u);
    free(u->series);
}
