// SPDX-License-Identifier: Apache-2.0
// Runs of plans for matrices, pairs and nearest series: what one device does is in matrix.c, rectangle.c, pairs.c and
// nearest.c; here several divide it. A matrix is divided in tiles of rectangles, pairs and queries in runs of their
// list. A result in a device's memory is computed by that device alone.
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "base/transpose.h"
#include "jobs/matrix_tiles.h"
#include "jobs/plan.h"
#include "measure/measure_table.h"

typedef struct job {
    ww_plan *plan; // the caller's
    ww_output to;
    wwi_rectangle of; // of a matrix
    bool half;        // of it only what is above its diagonal is computed
    wwi_tiles tiles;
    int64_t *indices; // nearest
    const wwi_list *list;
    ww_plan_info sum;
} job;

static void note(const wwi_seat *seat) {
    job *j = seat->of;
    (void)pthread_mutex_lock(&seat->team->lock);
    wwi_plan_add_info(&j->sum, seat->team->on[seat->device]);
    (void)pthread_mutex_unlock(&seat->team->lock);
}

// ---- a matrix

// STORED: devices in whose tiles a store keeps a matrix, however many there are.
enum {
    BAND_ROWS = 256,
    ITEM_COLUMNS = 1024,
    LEAST_ROWS = 16,
    LEAST_COLUMNS = 64,
    PARTS = 16,
    STORED = 4,
    MIRRORED = 512
};

// The points before each series of [first, first + count) from the first on.
static ww_status count_points(const ww_dataset *d, size_t first, size_t count, double **points) {
    WWI_TRY(wwi_new(*points, count + 1));
    (*points)[0] = 0;
    for (size_t i = 0; i < count; i++)
        (*points)[i + 1] = (*points)[i] + d->lengths[first + i];
    return WW_OK;
}

static ww_status make_tiles(job *j) {
    wwi_tiles *t = &j->tiles;
    WWI_FREES double *rows = NULL, *columns = NULL;
    WWI_TRY(count_points(j->plan->pair.rows, j->of.row, j->of.rows, &rows));
    WWI_TRY(count_points(j->plan->pair.columns, j->of.column, j->of.columns, &columns));
    t->rows = j->of.rows;
    t->columns = j->of.columns;
    t->half = j->half;
    const size_t devices = wwi_context_store(j->plan->team->context) ? STORED : j->plan->team->count;
    t->height = wwi_between(t->rows / (PARTS * devices), LEAST_ROWS, BAND_ROWS);
    t->width = wwi_between(t->columns / 8, LEAST_COLUMNS, ITEM_COLUMNS);
    return wwi_tiles_make(t, rows, columns);
}

static size_t band_end(const void *of, size_t first) {
    return wwi_tiles_end(&((const job *)of)->tiles, first);
}

// What is above the diagonal of a set with itself, to its places in a condensed matrix.
static void to_condensed(const job *j, wwi_tile tile, const unsigned char *values) {
    const size_t size = j->plan->pair.value_bytes, n = j->of.columns;
    for (size_t i = tile.row; i < tile.row + tile.rows; i++) {
        const size_t from = tile.column > i + 1 ? tile.column : i + 1, end = tile.column + tile.columns;
        if (from < end)
            memcpy((unsigned char *)j->to.host + (i * (2 * n - i - 1) / 2 + (from - i - 1)) * size,
                   values + ((i - tile.row) * tile.columns + (from - tile.column)) * size, (end - from) * size);
    }
}

typedef struct mirroring {
    const job *j;
    wwi_tile tile;
} mirroring;

static ww_status mirror_piece(void *user, uint64_t piece) {
    const mirroring *m = user;
    const wwi_tile t = m->tile;
    const size_t size = m->j->plan->pair.value_bytes, stride = m->j->to.row_stride;
    const size_t from = t.column + (size_t)piece * MIRRORED, end = t.column + t.columns;
    unsigned char *all = m->j->to.host;
    wwi_transpose(all + (from * stride + t.row) * size, stride, all + (t.row * stride + from) * size, stride, t.rows,
                  from + MIRRORED < end ? MIRRORED : end - from, size);
    return WW_OK;
}

// Of a set with itself, what is below the diagonal is what is above. The device waits meanwhile.
static ww_status mirror(const job *j, wwi_tile t) {
    mirroring m = {j, t};
    if (!j->half || t.row == t.column)
        return WW_OK;
    return wwi_share(wwi_processors() < 8 ? 1 : 4, wwi_ceil_div(t.columns, MIRRORED), mirror_piece, &m);
}

// Each device begins with a part of the result's pages: tiles write to all of them, and a page that is first written
// to by a device's thread keeps the device waiting.
static ww_status make_pages(wwi_seat *seat) {
    const job *j = seat->of;
    const size_t n = j->of.columns, size = j->plan->pair.value_bytes;
    const size_t values =
        j->to.layout == WW_LAYOUT_CONDENSED ? n * (n - 1) / 2 : (j->of.rows - 1) * j->to.row_stride + n;
    const size_t part = wwi_ceil_div(values, seat->team->count), first = wwi_between(seat->device * part, 0, values);
    if (!wwi_is_gpu(wwi_context_on(seat->team->context, seat->device)))
        return WW_OK;
    return wwi_make_pages((unsigned char *)j->to.host + first * size, wwi_between(part, 0, values - first) * size);
}

static ww_status run_condensed_tile(const job *j, ww_plan *plan, wwi_tile t) {
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(values, t.rows * t.columns * plan->pair.value_bytes));
    const ww_output to = WW_OUTPUT_HOST(values);
    WWI_TRY(wwi_plan_rectangle_alone(plan, (wwi_rectangle){t.row, t.rows, t.column, t.columns}, &to));
    to_condensed(j, t, values);
    return WW_OK;
}

static ww_status from_condensed(const job *j, wwi_tile tile, wwi_taken_bytes *from) {
    const size_t size = j->plan->pair.value_bytes, n = j->of.columns;
    for (size_t i = tile.row; i < tile.row + tile.rows; i++) {
        const size_t first = tile.column > i + 1 ? tile.column : i + 1, end = tile.column + tile.columns;
        if (first < end)
            WWI_TRY(wwi_bytes_take(from,
                                   (unsigned char *)j->to.host + (i * (2 * n - i - 1) / 2 + (first - i - 1)) * size,
                                   (end - first) * size));
    }
    return WW_OK;
}

static ww_status run_tile(const wwi_seat *seat, wwi_span items) {
    const job *j = seat->of;
    ww_plan *plan = seat->team->on[seat->device];
    const wwi_tile t = wwi_tiles_at(&j->tiles, items.first, items.count);
    const size_t size = j->plan->pair.value_bytes, stride = j->to.row_stride;
    if (j->to.layout == WW_LAYOUT_CONDENSED) {
        WWI_TRY(run_condensed_tile(j, plan, t));
    } else {
        ww_output to = j->to;
        to.host = (unsigned char *)to.host + (t.row * stride + t.column) * size;
        WWI_TRY(wwi_plan_rectangle_alone(
            plan, (wwi_rectangle){j->of.row + t.row, t.rows, j->of.column + t.column, t.columns}, &to));
        WWI_TRY(mirror(j, t));
    }
    note(seat);
    return WW_OK;
}

// What a tile gave: its rows, of a condensed matrix without what is not above the diagonal.
static ww_status give_tile(const wwi_seat *seat, wwi_span items, wwi_bytes *to) {
    const job *j = seat->of;
    const wwi_tile t = wwi_tiles_at(&j->tiles, items.first, items.count);
    const size_t size = j->plan->pair.value_bytes, n = j->of.columns;
    const bool condensed = j->to.layout == WW_LAYOUT_CONDENSED;
    for (size_t i = t.row; i < t.row + t.rows; i++) {
        const size_t first = condensed && t.column < i + 1 ? i + 1 : t.column, end = t.column + t.columns;
        const size_t at = condensed ? i * (2 * n - i - 1) / 2 + (first - i - 1) : i * j->to.row_stride + first;
        if (first < end)
            WWI_TRY(wwi_bytes_put(to, (const unsigned char *)j->to.host + at * size, (end - first) * size));
    }
    return WW_OK;
}

static ww_status take_tile(void *of, wwi_span items, wwi_taken_bytes *from) {
    const job *j = of;
    const wwi_tile t = wwi_tiles_at(&j->tiles, items.first, items.count);
    const size_t size = j->plan->pair.value_bytes;
    if (j->to.layout == WW_LAYOUT_CONDENSED)
        return from_condensed(j, t, from);
    for (size_t i = t.row; i < t.row + t.rows; i++)
        WWI_TRY(wwi_bytes_take(from, (unsigned char *)j->to.host + (i * j->to.row_stride + t.column) * size,
                               t.columns * size));
    return mirror(j, t);
}

static void print_plan(const job *j, const char *kind, FILE *to) {
    const ww_plan *p = j->plan;
    fprintf(to, "%s\nrows %zu %zu of %zu columns %zu %zu of %zu self %d %s engine %s one way %d ", kind, j->of.row,
            j->of.rows, p->pair.rows->count, j->of.column, j->of.columns, p->pair.columns->count, p->self,
            wwi_pairing_precision(&p->pair), ww_word(WW_WORD_ENGINE, p->options.engine), p->options.one_way);
    wwi_measure_print(&p->pair.measure, to);
}

static void name_matrix(const void *of, FILE *to) {
    const job *j = of;
    print_plan(j, "matrix", to);
    fprintf(to, " condensed %d tiles %zu %zu", j->to.layout == WW_LAYOUT_CONDENSED, j->tiles.height, j->tiles.width);
}

// A rectangle of a matrix, or all of it condensed, into host memory.
static ww_status run_matrix(job *j, const ww_run_options *report) {
    static const wwi_job kind = {.open = make_pages,
                                 .run = run_tile,
                                 .end = band_end,
                                 .name = name_matrix,
                                 .give = give_tile,
                                 .take = take_tile};
    const ww_plan *p = j->plan;
    wwi_team *team = p->team;
    j->to.bytes = 0; // checked as a whole
    if (j->to.row_stride == 0)
        j->to.row_stride = j->of.columns;
    j->half = p->self && (p->symmetric || j->to.layout == WW_LAYOUT_CONDENSED) && j->of.row == j->of.column &&
              j->of.rows == j->of.columns;
    WWI_TRY(make_tiles(j));
    wwi_team_begin(team);
    return wwi_team_go_on(team, &kind, j, j->tiles.items, j->tiles.before, report);
}

// ---- pairs and queries

static double pair_work(const void *of, size_t pair) {
    return wwi_plan_pair_work(((const job *)of)->plan, pair);
}

static ww_status run_pairs(const wwi_seat *seat, wwi_span pairs) {
    const job *j = seat->of;
    WWI_TRY(wwi_plan_run_some_pairs(seat->team->on[seat->device], pairs.first, pairs.count,
                                    (unsigned char *)j->to.host + pairs.first * j->plan->pair.value_bytes));
    note(seat);
    return WW_OK;
}

static void name_pairs(const void *of, FILE *to) {
    const job *j = of;
    char sum[65];
    wwi_checksum_text(j->plan->pairs, j->plan->count * 3 * sizeof *j->plan->pairs, sum);
    print_plan(j, "pairs", to);
    fprintf(to, " pairs %zu %s", j->plan->count, sum);
}

static ww_status give_pairs(const wwi_seat *seat, wwi_span pairs, wwi_bytes *to) {
    const job *j = seat->of;
    return wwi_bytes_put_rows(to, j->to.host, pairs, j->plan->pair.value_bytes);
}

static ww_status take_pairs(void *of, wwi_span pairs, wwi_taken_bytes *from) {
    const job *j = of;
    return wwi_bytes_take_rows(from, j->to.host, pairs, j->plan->pair.value_bytes);
}

static ww_status run_list(const wwi_seat *seat, wwi_span pairs) {
    const job *j = seat->of;
    const size_t size = j->plan->pair.value_bytes;
    const unsigned char *radii = j->list->radii;
    const wwi_list some = {j->list->pairs + 3 * pairs.first, radii ? radii + pairs.first * size : NULL};
    return wwi_plan_list_alone(seat->team->on[seat->device], &some, pairs.count,
                               (unsigned char *)j->to.host + pairs.first * size);
}

static double listed_work(const void *of, size_t pair) {
    const job *j = of;
    const uint32_t *at = j->list->pairs + 3 * pair;
    return (double)j->plan->pair.rows->lengths[at[0]] * (double)j->plan->pair.columns->lengths[at[1]];
}

ww_status wwi_plan_run_list(ww_plan *plan, const wwi_list *list, size_t count, void *distances) {
    static const wwi_job kind = {.work = listed_work, .run = run_list};
    if (!plan->team)
        return wwi_plan_list_alone(plan, list, count, distances);
    job j = {.plan = plan, .list = list, .to = {.host = distances}};
    return wwi_team_run(plan->team, &kind, &j, count);
}

static double query_work(const void *of, size_t query) {
    const job *j = of;
    const ww_dataset *columns = j->plan->pair.columns;
    return (double)j->plan->pair.rows->lengths[j->of.row + query] *
           ((double)columns->offsets[columns->count] / (double)(columns->channels + columns->extra));
}

static ww_status run_queries(const wwi_seat *seat, wwi_span queries) {
    const job *j = seat->of;
    const size_t place = queries.first * j->plan->count;
    unsigned char *distances = j->to.host;
    WWI_TRY(wwi_plan_nearest_alone(seat->team->on[seat->device], j->of.row + queries.first, queries.count,
                                   j->indices + place,
                                   distances ? distances + place * j->plan->pair.value_bytes : NULL));
    note(seat);
    return WW_OK;
}

static void name_queries(const void *of, FILE *to) {
    const job *j = of;
    print_plan(j, "nearest", to);
    fprintf(to, " k %zu distances %d", j->plan->count, j->to.host != NULL);
    wwi_plan_print_shard(j->plan, to);
}

static ww_status give_queries(const wwi_seat *seat, wwi_span queries, wwi_bytes *to) {
    const job *j = seat->of;
    const size_t k = j->plan->count;
    WWI_TRY(wwi_bytes_put_rows(to, j->indices, queries, k * sizeof *j->indices));
    return wwi_bytes_put_rows(to, j->to.host, queries, k * j->plan->pair.value_bytes);
}

static ww_status take_queries(void *of, wwi_span queries, wwi_taken_bytes *from) {
    const job *j = of;
    const size_t k = j->plan->count;
    WWI_TRY(wwi_bytes_take_rows(from, j->indices, queries, k * sizeof *j->indices));
    return wwi_bytes_take_rows(from, j->to.host, queries, k * j->plan->pair.value_bytes);
}

// ---- whole runs

static void job_close(job *j) {
    wwi_tiles_free(&j->tiles);
}

static ww_status end(const job *j, ww_status status, double start) {
    wwi_plan_give_info(j->plan, &j->sum, start);
    return status;
}

static ww_status divide_run(ww_plan *plan, const ww_output *to) {
    static const wwi_job pairs = {
        .work = pair_work, .run = run_pairs, .name = name_pairs, .give = give_pairs, .take = take_pairs};
    const double start = wwi_seconds();
    WWI_ENDS(job_close) job j = {.plan = plan, .to = *to, .of = wwi_pairing_all(&plan->pair)};
    return end(&j, plan->pairs ? wwi_team_run(plan->team, &pairs, &j, plan->count) : run_matrix(&j, &plan->team->run),
               start);
}

ww_status ww_plan_run(ww_plan *plan, const ww_output *output) {
    ww_output to;
    wwi_result result;
    wwi_buffer *device;
    WWI_TRY(wwi_plan_check_output(plan, output, &to, &result, &device));
    if (plan->team && !device)
        return result.rows && result.columns ? divide_run(plan, &to) : WW_OK;
    WWI_ALONE(plan->team, wwi_plan_run_alone(plan, output));
}

ww_status ww_plan_run_rectangle(ww_plan *plan, size_t row, size_t rows, size_t column, size_t columns,
                                const ww_output *output) {
    const double start = wwi_seconds();
    WWI_ENDS(job_close) job j = {.plan = plan, .of = {row, rows, column, columns}};
    wwi_buffer *device;
    WWI_TRY(wwi_plan_check_rectangle(plan, j.of, output, &j.to, &device));
    if (!plan->team || device)
        WWI_ALONE(plan->team, wwi_plan_rectangle_alone(plan, j.of, output));
    return rows && columns ? end(&j, run_matrix(&j, &plan->team->run), start) : WW_OK;
}

ww_status ww_plan_run_nearest_rows(ww_plan *plan, size_t row, size_t rows, int64_t *indices, void *distances) {
    static const wwi_job queries = {
        .work = query_work, .run = run_queries, .name = name_queries, .give = give_queries, .take = take_queries};
    const double start = wwi_seconds();
    WWI_TRY(wwi_plan_check_nearest(plan, row, rows, indices));
    if (!plan->team)
        return wwi_plan_nearest_alone(plan, row, rows, indices, distances);
    job j = {.plan = plan, .of = {.row = row, .rows = rows}, .indices = indices, .to = {.host = distances}};
    return end(&j, wwi_team_run(plan->team, &queries, &j, rows), start);
}

ww_status ww_plan_run_nearest(ww_plan *plan, int64_t *indices, void *distances) {
    return ww_plan_run_nearest_rows(plan, 0, plan ? plan->pair.rows->count : 0, indices, distances);
}

static ww_status prepare_on(wwi_seat *seat) {
    ww_plan *p = seat->team->on[seat->device];
    WWI_TRY(wwi_team_check(seat->team, seat->device));
    return p->job->prepare(p);
}

ww_status ww_plan_prepare(ww_plan *plan) {
    static const wwi_job kind = {.open = prepare_on};
    const double none = 0;
    WWI_NEEDS("plan", plan);
    if (!plan->job->prepare)
        return WW_OK;
    return plan->team ? wwi_team_go_on(plan->team, &kind, NULL, 0, &none, NULL) : plan->job->prepare(plan);
}

// ---- blocks: whole rows, which the devices divide, one block after the other

#define BLOCK_BYTES ((uint64_t)1 << 28) // where the caller sets no limit

// Progress of blocks, of which each is a run.
typedef struct telling {
    const ww_run_options *run;
    double before, all;
} telling;

static int tell(void *user, uint64_t done, uint64_t total) {
    const telling *t = user;
    (void)total;
    return t->run->progress(t->run->progress_user, (uint64_t)t->before + done, (uint64_t)t->all);
}

typedef ww_status (*deliver_rows)(const ww_plan *plan, void *user, wwi_rectangle of, const unsigned char *values);

// The columns of a block begin with the row that it begins with, or with the first one.
static ww_status divide_blocks(ww_plan *plan, bool upper, size_t most, deliver_rows deliver, void *user) {
    const wwi_rectangle all = wwi_pairing_all(&plan->pair);
    const double start = wwi_seconds();
    telling t = {.run = &plan->team->run};
    const ww_run_options report = {.progress = t.run->progress ? tell : NULL, .progress_user = &t};
    ww_plan_info sum = WW_PLAN_INFO_INIT;
    ww_status part = WW_OK;
    WWI_FREES unsigned char *values = NULL;
    WWI_FREES double *rows = NULL, *columns = NULL;
    WWI_TRY(count_points(plan->pair.rows, 0, all.rows, &rows));
    WWI_TRY(count_points(plan->pair.columns, 0, all.columns, &columns));
    WWI_TRY(wwi_new(values, most * all.columns * plan->pair.value_bytes));
    for (int counted = 0; counted < 2; counted++)
        for (size_t row = 0, count; row < all.rows; row += count) {
            count = (size_t)wwi_least(most, all.rows - row);
            const size_t first = upper ? row : 0;
            const double work = (rows[row + count] - rows[row]) * (columns[all.columns] - columns[first]);
            if (!counted) {
                t.all += work;
                continue;
            }
            WWI_ENDS(job_close) job j = {.plan = plan, .of = {row, count, first, all.columns - first}};
            j.to = (ww_output)WW_OUTPUT_HOST(values);
            const ww_status status = run_matrix(&j, &report);
            sum.cells_done += j.sum.cells_done;
            sum.launches += j.sum.launches;
            sum.seconds_device += j.sum.seconds_device;
            wwi_plan_give_info(plan, &sum, start);
            if (status == WW_ERROR_PART) // of each block the same, and there is nothing to deliver
                part = status;
            else
                WWI_TRY(status);
            if (part == WW_OK)
                WWI_TRY(deliver(plan, user, j.of, values));
            t.before += work;
        }
    return part;
}

// Rows of a block; 0: less than a row.
static size_t block_rows(const ww_plan *plan) {
    const uint64_t most = plan->options.max_bytes ? plan->options.max_bytes : BLOCK_BYTES;
    return (size_t)(most / plan->pair.value_bytes / plan->pair.columns->count);
}

typedef struct block_call {
    ww_block_fn call;
    void *user;
} block_call;

static ww_status give_block(const ww_plan *plan, void *user, wwi_rectangle of, const unsigned char *values) {
    const block_call *c = user;
    (void)plan;
    if (c->call(c->user, of.row, of.rows, of.column, of.columns, values) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "the block function asked to stop");
    return WW_OK;
}

typedef struct condensed_call {
    ww_condensed_fn call;
    void *user;
} condensed_call;

static ww_status give_condensed(const ww_plan *plan, void *user, wwi_rectangle of, const unsigned char *values) {
    const condensed_call *c = user;
    const uint64_t n = plan->pair.rows->count;
    for (uint64_t i = 0; i < of.rows; i++) {
        const uint64_t row = of.row + i, count = n - row - 1;
        if (count > 0 && c->call(c->user, row * (2 * n - row - 1) / 2, count,
                                 values + (i * of.columns + i + 1) * plan->pair.value_bytes) != 0)
            return wwi_fail(WW_ERROR_CANCELLED, "the function that takes the values asked to stop");
    }
    return WW_OK;
}

ww_status ww_plan_run_blocks(ww_plan *plan, ww_block_fn block, void *user) {
    WWI_NEEDS("plan, block", plan, block);
    if (plan->job != &wwi_matrix_job)
        return wwi_plan_other_job(plan, "ww_plan_run_blocks");
    const size_t rows = plan->team ? block_rows(plan) : 0;
    block_call c = {block, user};
    if (rows > 0)
        return divide_blocks(plan, false, rows, give_block, &c);
    WWI_ALONE(plan->team, wwi_plan_blocks_alone(plan, block, user));
}

ww_status ww_plan_run_condensed_blocks(ww_plan *plan, ww_condensed_fn values, void *user) {
    wwi_result result = {0};
    WWI_NEEDS("plan, values", plan, values);
    if (plan->job != &wwi_matrix_job)
        return wwi_plan_other_job(plan, "ww_plan_run_condensed_blocks");
    WWI_TRY(plan->job->result(plan, WW_LAYOUT_CONDENSED, &result));
    const size_t rows = plan->team ? block_rows(plan) : 0;
    condensed_call c = {values, user};
    if (result.columns == 0)
        return WW_OK;
    if (rows > 0)
        return divide_blocks(plan, true, rows, give_condensed, &c);
    WWI_ALONE(plan->team, wwi_plan_condensed_alone(plan, values, user));
}
