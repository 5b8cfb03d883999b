// SPDX-License-Identifier: Apache-2.0
// The table of costs of a batch: its size, its places, its launches.
#include "engine/cost_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"

#include "engine/batch.h"
#include "engine/tiling.h"

#define TILE WWI_TABLE_TILE
#define SLACK WWI_TABLE_SLACK
#define STEP 8                   // channels in local memory at a time
#define TABLE_BYTES (1ull << 30) // of a batch of several pairs on a GPU
#define TABLE_BYTES_CPU (64ull << 20)

// Whether a user's text takes of its points nothing but their cost.
static bool text_has_costs_alone(const char *text) {
    static const char *const others[] = {"WW_AT", "WW_CHANNELS", "WW_USER_BEFORE", "WW_USER_BORDERS"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(text, others[i]))
            return false;
    return true;
}

bool wwi_has_tables(const wwi_recurrence *of, uint32_t few) {
    return of->channels > (uint32_t)wwi_forced(of->context, "form.few", 4096, (long)few) &&
           (of->row->info.any_cost || (of->row->flags & WWI_MEASURE_COST_ALONE)) && !of->extra &&
           (!wwi_measure_has(&of->measure, WWI_MEASURE_OF_TEXT) || text_has_costs_alone(of->measure.recurrence));
}

uint64_t wwi_table_budget(const ww_context *context, uint64_t given) {
    const uint64_t bytes = given ? given / 2 : wwi_context_bytes_free(context) / 4;
    return wwi_least(bytes, wwi_context_max_buffer(context));
}

bool wwi_table_fits(const wwi_runner *r) {
    const uint64_t n = r->rows->rank_lengths[r->rows->rank_count - 1];
    const uint64_t m = r->columns->rank_lengths[r->columns->rank_count - 1];
    const uint64_t values = wwi_table_budget(r->of.context, r->options.max_bytes) / wwi_runner_value_bytes(r);
    return wwi_has_tables(&r->of, REGISTER_CHANNELS) && m + 4 < WWI_TABLE_WIDEST && (n + 4) * (m + 4) + SLACK <= values;
}

bool wwi_work_tabled(const wwi_runner *r, const wwi_work *w) {
    return r->tabled && (w->engine == WW_ENGINE_LANES || (w->engine == WW_ENGINE_STRIPS && !wwi_vector_strips(r)));
}

static uint64_t fours(uint64_t count) {
    return wwi_ceil_div(count, 4) * 4;
}

static uint32_t row_length(const wwi_work *w, size_t slot) {
    return w->sides.rows->lengths[w->b.list ? w->b.pairs[3 * slot] : w->b.row_ids[slot]];
}

// Of a rectangle's columns; in a half those up to the first row are in no pair.
static uint64_t column_values(const wwi_work *w, size_t slot) {
    return w->b.half && slot <= w->b.row_begin ? 0 : fours(w->sides.columns->lengths[w->b.column_ids[slot]]);
}

static uint64_t list_values(const wwi_work *w, size_t task) {
    return row_length(w, task) * fours(w->sides.columns->lengths[w->b.pairs[3 * task + 1]]);
}

static uint64_t table_columns(const wwi_work *w) {
    uint64_t columns = 0;
    for (size_t t = 0; !w->b.list && t < w->b.columns; t++)
        columns += column_values(w, t);
    return columns;
}

static uint64_t table_values(const wwi_work *w) {
    const wwi_batch *b = &w->b;
    uint64_t rows = 0;
    for (size_t t = b->row_begin; t < b->rows; t++)
        rows += b->list ? list_values(w, t) : row_length(w, t);
    return b->list ? rows : rows * table_columns(w);
}

bool wwi_table_too_large(const wwi_runner *r, const wwi_work *w) {
    const uint64_t cap = r->gpu ? TABLE_BYTES : TABLE_BYTES_CPU;
    const uint64_t most = wwi_least(cap, wwi_table_budget(r->of.context, r->options.max_bytes));
    return w->pairs > 1 && (table_values(w) * wwi_runner_value_bytes(r) > most || table_columns(w) >= WWI_TABLE_WIDEST);
}

// ---- places

// What is uploaded for a side: an entry for each series (or task), and where the points (or tiles) of each begin.
typedef struct side {
    uint64_t *entries; // two words each
    uint32_t *begins;
    size_t count, begin_count;
} side;

static void side_free(side *s) {
    free(s->entries);
    free(s->begins);
}

static ww_status side_make(side *s, size_t entries, size_t begins) {
    s->count = entries;
    s->begin_count = begins;
    WWI_TRY(wwi_new_zeroed(s->entries, 2 * entries));
    return wwi_new(s->begins, begins + 1);
}

static void set_entry(side *s, size_t at, uint64_t place, const ww_dataset *d, uint32_t id) {
    s->entries[2 * at] = place;
    s->entries[2 * at + 1] = d->lengths[id] | (uint64_t)d->ranks[id] << 32;
}

static ww_status side_upload(wwi_runner *r, const side *s, wwi_slice *slice, wwi_uploads *u, int which) {
    ww_context *context = r->of.context;
    WWI_TRY(wwi_upload(context, &u->table_series[which], s->entries, 2 * s->count * sizeof *s->entries));
    *slice = (wwi_slice){.values = r->table, .series = u->table_series[which], .count = s->count};
    return wwi_upload(context, &u->table_begins[which], s->begins, (s->begin_count + 1) * sizeof *s->begins);
}

static size_t series_of(const uint32_t *ids, size_t begin, size_t end) {
    uint32_t most = 0;
    for (size_t i = begin; i < end; i++)
        most = ids[i] > most ? ids[i] : most;
    return (size_t)most + 1;
}

static ww_status upload_rectangle(wwi_runner *r, wwi_work *w) {
    const wwi_batch *b = &w->b;
    WWI_ENDS(side_free) side x = {NULL, NULL, 0, 0}, y = {NULL, NULL, 0, 0};
    uint64_t rows = 0, columns = 0;
    WWI_TRY(side_make(&x, series_of(b->row_ids, b->row_begin, b->rows), b->rows - b->row_begin));
    WWI_TRY(side_make(&y, series_of(b->column_ids, 0, b->columns), b->columns));
    for (size_t t = 0; t < b->columns; t++) {
        y.begins[t] = (uint32_t)columns;
        set_entry(&y, b->column_ids[t], columns, w->sides.columns, b->column_ids[t]);
        columns += column_values(w, t);
    }
    y.begins[b->columns] = (uint32_t)columns;
    for (size_t t = b->row_begin; t < b->rows; t++) {
        x.begins[t - b->row_begin] = (uint32_t)rows;
        set_entry(&x, b->row_ids[t], WW_TABLE_ENTRY(rows * columns, columns), w->sides.rows, b->row_ids[t]);
        rows += row_length(w, t);
    }
    x.begins[b->rows - b->row_begin] = (uint32_t)rows;
    const uint32_t across = (uint32_t)wwi_ceil_div(columns, TILE);
    w->table = (ww_table_args){.units = (uint32_t)wwi_ceil_div(rows, TILE) * across,
                               .rows = (uint32_t)(b->rows - b->row_begin),
                               .columns = (uint32_t)b->columns,
                               .first_row = (uint32_t)b->row_begin,
                               .all_rows = (uint32_t)rows,
                               .across = across,
                               .pitch = (uint32_t)columns,
                               .upper = b->half,
                               .row_each = w->row_ranks == 1 ? w->n : 0,
                               .column_each = w->column_ranks == 1 ? (uint32_t)fours(w->m) : 0,
                               .first_column = b->half ? (uint32_t)b->row_begin + 1 : 0};
    WWI_TRY(side_upload(r, &x, &w->x, &w->uploads, WWI_SIDE_ROW));
    return side_upload(r, &y, &w->y, &w->uploads, WWI_SIDE_COLUMN);
}

// A list's series are named by their task: each has a table of its own.
static ww_status upload_list(wwi_runner *r, wwi_work *w) {
    const wwi_batch *b = &w->b;
    WWI_ENDS(side_free) side x = {NULL, NULL, 0, 0}, y = {NULL, NULL, 0, 0};
    WWI_FREES uint32_t *tasks = NULL;
    uint64_t values = 0, tiles = 0;
    WWI_TRY(side_make(&x, b->rows, b->rows));
    WWI_TRY(side_make(&y, b->rows, 0));
    WWI_TRY(wwi_new(tasks, 3 * b->rows));
    y.begins[0] = 0;
    for (size_t t = 0; t < b->rows; t++) {
        const uint32_t *pair = b->pairs + 3 * t;
        const uint32_t n = w->sides.rows->lengths[pair[0]], m = w->sides.columns->lengths[pair[1]];
        memcpy(tasks + 3 * t, (uint32_t[]){(uint32_t)t, (uint32_t)t, pair[2]}, 3 * sizeof *tasks);
        x.begins[t] = (uint32_t)tiles;
        set_entry(&x, t, WW_TABLE_ENTRY(values, fours(m)), w->sides.rows, pair[0]);
        set_entry(&y, t, 0, w->sides.columns, pair[1]);
        tiles += wwi_ceil_div(n, TILE) * wwi_ceil_div(m, TILE);
        values += n * fours(m);
    }
    x.begins[b->rows] = (uint32_t)tiles;
    w->table = (ww_table_args){.units = (uint32_t)tiles, .rows = (uint32_t)b->rows};
    if (w->row_ranks == 1 && w->column_ranks == 1)
        w->table.row_each = (uint32_t)(tiles / b->rows);
    WWI_TRY(wwi_upload(r->of.context, &w->uploads.table_tasks, tasks, 3 * b->rows * sizeof *tasks));
    WWI_TRY(side_upload(r, &x, &w->x, &w->uploads, WWI_SIDE_ROW));
    return side_upload(r, &y, &w->y, &w->uploads, WWI_SIDE_COLUMN);
}

static ww_status grow_table(wwi_runner *r, wwi_work *w) {
    const uint64_t bytes = (table_values(w) + SLACK) * wwi_runner_value_bytes(r);
    WWI_TRY(wwi_grow_buffer(r->of.context, &r->table, bytes));
    w->x.values = w->y.values = r->table;
    return WW_OK;
}

ww_status wwi_table_upload(wwi_runner *r, wwi_work *w) {
    w->points[WWI_SIDE_ROW] = w->x;
    w->points[WWI_SIDE_COLUMN] = w->y;
    WWI_TRY(grow_table(r, w));
    return w->b.list ? upload_list(r, w) : upload_rectangle(r, w);
}

// ---- launches

uint32_t wwi_table_options(ww_precision precision, bool list, char *options, size_t bytes) {
    const unsigned each = precision == WW_DOUBLE ? 4 : 8;
    snprintf(options, bytes, "-DWW_LIST=%d -DWW_TILE=%d -DWW_COLS=%u -DWW_STEP=%d", list, TILE, each, STEP);
    return TILE / each * (TILE / each);
}

static ww_status table_program(wwi_runner *r, bool list, wwi_table_program **program) {
    char options[96];
    wwi_table_program *p = *program = &r->table_programs[list];
    static const char *const texts[] = {"base/launch_args.h", "engine/cost_table_args.h", "engine/cost_sum.cl",
                                        "engine/cost_table.cl", NULL};
    p->group = wwi_table_options(r->of.precision, list, options, sizeof options);
    if (p->kernel)
        return WW_OK;
    if (!p->program)
        WWI_TRY(wwi_cost_program(&r->of, texts, options, &p->program));
    return wwi_kernel_create(r->of.stream, p->program, "ww_cost_table", &p->kernel);
}

// Of several launches each ends before the next. Cells are counted when the engine has computed them.
static ww_status wait_between(wwi_runner *r, double work) {
    const double before = wwi_seconds();
    if (r->pace.enqueue_only)
        return WW_OK;
    WWI_TRY(wwi_finish(r->pace.stream));
    r->table_rate = wwi_pace_learn(&r->pace, r->table_rate, work, wwi_seconds() - before);
    return wwi_pace_report(&r->pace, 0);
}

ww_status wwi_table_fill(wwi_runner *r, wwi_work *w) {
    const wwi_uploads *u = &w->uploads;
    wwi_table_program *p;
    ww_table_args args = w->table;
    WWI_TRY(table_program(r, w->b.list, &p));
    WWI_TRY(grow_table(r, w)); // another batch may have grown it since
    const double each = (double)TILE * TILE * r->of.channels;
    args.channels = r->of.channels;
    if (r->preparing)
        args.unit_begin = args.units;
    do {
        const uint64_t left = args.units - args.unit_begin;
        const uint64_t take = r->preparing ? 1 : wwi_pace_units(&r->pace, r->table_rate, left, each);
        WWI_TRY(WWI_LAUNCH(p->kernel, take, p->group, WWI_VALUE(args), WWI_BUFFER(w->points[WWI_SIDE_ROW].values),
                           WWI_BUFFER(w->points[WWI_SIDE_ROW].series), WWI_BUFFER(w->points[WWI_SIDE_COLUMN].values),
                           WWI_BUFFER(w->points[WWI_SIDE_COLUMN].series), WWI_BUFFER(u->row_order),
                           WWI_BUFFER(w->b.list ? u->row_order : u->column_order),
                           WWI_BUFFER(u->table_begins[WWI_SIDE_ROW]),
                           WWI_BUFFER(u->table_begins[w->b.list ? WWI_SIDE_ROW : WWI_SIDE_COLUMN]),
                           WWI_BUFFER(u->table_series[WWI_SIDE_ROW]), WWI_BUFFER(r->table)));
        args.unit_begin += (uint32_t)take;
        if (!r->preparing && args.unit_begin < args.units)
            WWI_TRY(wait_between(r, each * (double)take));
    } while (!r->preparing && args.unit_begin < args.units);
    return WW_OK;
}
