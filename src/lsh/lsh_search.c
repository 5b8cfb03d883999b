// SPDX-License-Identifier: Apache-2.0
// Searches, by buckets and by queries. Tables are built in lsh_tables.c.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lsh/lsh_index.h"
#include "topk/results.h"

// Most bytes of keys that are made together, and most probes.
#define KEY_BYTES (UINT64_C(256) << 20)
#define KEY_PROBES 16u
#define MOST_K 128          // of a search by buckets
#define FEWEST_QUERIES 1024 // likewise

// Scratch of a search.
typedef struct search {
    ww_lsh *h;
    uint32_t k;
    bool self, by_buckets;
    size_t most_rows;
    // The queries, and the place of the present rows among them.
    ww_points *queries;
    wwi_lsh_block *source; // self: the block they are of
    wwi_slice window;
    wwi_buffer *norms, *own_norms, *query_rows, *own_rows; // own_...: made here
    wwi_lsh_halves own_halves;
    float reach;              // norm of the longest query
    size_t first, rows, lead; // lead: so many of them are there for the tiles alone
    uint32_t own;             // id of the first row, or WWI_NO_INDEX
    uint32_t query_row;       // of the first row in query_rows
    wwi_buffer *keys, *best_values, *best_ids;
    uint32_t key_probes; // probes whose keys fit `keys`
    uint32_t *counted;   // by queries: points found
    // By buckets:
    wwi_lsh_sorter sorter;
    wwi_buffer *offsets, *entries, *tasks, *counters, *radii;
    uint32_t lists;      // of a query
    uint32_t launched;   // those of them that a launch works on
    uint32_t settled;    // 1: a table of the block has been searched
    uint64_t joined;     // tables and probes already searched for the rows
    uint64_t most_tasks; // of a launch
    // By queries:
    wwi_selector *selector;
    wwi_buffer *counts, *ids, *values;
} search;

static void search_free(search *s) {
    WWI_BUFFERS_DESTROY(&s->own_norms, &s->own_rows, &s->keys, &s->best_values, &s->best_ids, &s->offsets, &s->entries,
                        &s->tasks, &s->counters, &s->radii, &s->counts, &s->ids, &s->values, &s->own_halves.rows);
    wwi_lsh_sorter_free(&s->sorter);
    wwi_selector_destroy(&s->selector);
    wwi_slice_close(&s->window);
    free(s->counted);
}

// ---- scratch

static uint32_t most_bits(const ww_lsh *h) {
    uint32_t bits = 0;
    for (size_t i = 0; i < h->block_count; i++)
        bits = h->blocks[i].bits > bits ? h->blocks[i].bits : bits;
    return bits;
}

static ww_status allocate_buckets(search *s, uint64_t rows) {
    const uint64_t stride = rows / s->h->tile + wwi_least(rows, UINT64_C(1) << most_bits(s->h)) + 1;
    return WWI_GROW(s->h->context, {&s->tasks, s->lists * stride * 8}, {&s->radii, rows * s->h->value_bytes},
                    {&s->counters, 3 * 4});
}

// What the sorting of queries takes. The points in their own buckets are sorted already.
static ww_status allocate_sorting(search *s) {
    const uint64_t tables = s->h->options.tables, rows = s->most_rows, bits = most_bits(s->h);
    if (s->entries)
        return WW_OK;
    WWI_TRY(wwi_lsh_sorter_create(s->h, rows, (uint32_t)bits, &s->sorter));
    return WWI_GROW(s->h->context, {&s->keys, tables * rows * s->key_probes * 4},
                    {&s->offsets, ((tables << bits) + 1) * 4}, {&s->entries, tables * rows * 4});
}

static ww_status allocate_queries(search *s, uint64_t rows) {
    ww_lsh *h = s->h;
    const uint64_t capacity = h->options.candidates;
    WWI_TRY(wwi_new(s->counted, rows));
    WWI_TRY(WWI_GROW(h->context, {&s->keys, h->options.tables * rows * s->key_probes * 4}, {&s->counts, rows * 4},
                     {&s->ids, rows * capacity * 4}, {&s->values, rows * capacity * h->value_bytes}));
    return wwi_selector_create(h->context, h->stream, h->precision, s->k, &s->selector);
}

// Allocates scratch for `queries` rows or as many as fit.
static ww_status allocate(search *s, size_t queries) {
    ww_lsh *h = s->h;
    const uint64_t tables = h->options.tables, capacity = h->options.candidates;
    const uint64_t buffer = wwi_context_max_buffer(h->context);
    uint64_t budget = wwi_context_bytes_free(h->context) / 2, row;
    s->lists = 1;
    if (h->run.max_bytes)
        budget = wwi_least(budget, h->run.max_bytes);
    if (s->by_buckets) {
        const uint64_t fixed = (tables << most_bits(h)) * 8;
        s->lists = (uint32_t)wwi_least(wwi_least(h->lists, tables), s->k <= 8     ? 8
                                                                    : s->k <= 32  ? 4
                                                                    : s->k <= 128 ? 2
                                                                                  : 1);
        row = s->lists * (s->k * (4 + h->value_bytes) + 8) + tables * 12 + wwi_lsh_row_bytes(h) +
              wwi_lsh_half_bytes(h) + h->value_bytes;
        budget = budget > 2 * fixed ? budget - fixed : budget / 2;
        s->key_probes = h->options.probes < KEY_PROBES ? h->options.probes : KEY_PROBES;
    } else {
        row = s->k * (4 + h->value_bytes) + tables * h->options.probes * 4 + capacity * (4 + h->value_bytes) + 4;
        s->key_probes = h->options.probes;
        if (!h->gpu)
            budget = wwi_least(budget, UINT64_C(16) << 20); // stays in the caches
    }
    uint64_t rows = wwi_least(budget / row, buffer / (tables * 8));
    rows = wwi_least(rows, buffer / (s->lists * s->k * h->value_bytes));
    rows = wwi_least(rows, (UINT64_C(1) << 31) / tables);
    if (!s->by_buckets)
        rows = wwi_least(rows, buffer / (capacity * h->value_bytes));
    rows = rows / WWI_TILE_PAIR * WWI_TILE_PAIR;
    rows = wwi_least(rows < WWI_TILE_PAIR ? WWI_TILE_PAIR : rows, wwi_points_padded(queries));
    if (s->by_buckets) {
        const uint64_t fit = wwi_least(wwi_least(KEY_BYTES, budget / 2), buffer) / (tables * rows * 4);
        s->key_probes = (uint32_t)wwi_least(s->key_probes, fit > 1 ? fit : 1);
    }
    s->most_rows = (size_t)rows;
    WWI_TRY(WWI_GROW(h->context, {&s->best_values, s->lists * rows * s->k * h->value_bytes},
                     {&s->best_ids, s->lists * rows * s->k * 4}));
    return s->by_buckets ? allocate_buckets(s, rows) : allocate_queries(s, rows);
}

static ww_lsh_args make_job(const search *s, const wwi_lsh_block *b) {
    return (ww_lsh_args){.count = (uint32_t)s->rows,
                         .groups = (uint32_t)wwi_lsh_groups(s->rows),
                         .dimension = s->h->words,
                         .tables = s->h->options.tables,
                         .shift = 32 - b->bits,
                         .first = (uint32_t)(s->first - s->window.first),
                         .base_id = b->id,
                         .own = s->own,
                         .capacity = s->h->options.candidates,
                         .tile = s->h->tile,
                         .inside = s->source == b};
}

// ---- by buckets

// The tasks and buckets of a join.
typedef struct buckets {
    wwi_buffer *tasks, *query_offsets, *query_entries, *offsets, *entries;
} buckets;

static void close_block(wwi_lsh_block **b) {
    wwi_lsh_block_close(*b);
}

static ww_status halve_block(ww_lsh *h, wwi_lsh_block *b, float scale) {
    const uint32_t first_norm = (uint32_t)(b->first - b->window.first);
    return wwi_lsh_make_halves(h, b->rows, b->norms, first_norm, b->count, scale, &b->halves);
}

// Halves of a block and of the present rows, with one scale for both.
static ww_status make_halves(search *s, wwi_lsh_block *b, float scale, wwi_buffer **query_halves) {
    const bool own = s->query_rows == s->own_rows;
    const uint32_t first_norm = (uint32_t)(s->first - s->window.first);
    WWI_TRY(halve_block(s->h, b, scale));
    WWI_TRY(own ? wwi_lsh_make_halves(s->h, s->own_rows, s->norms, first_norm, s->rows, scale, &s->own_halves)
                : halve_block(s->h, s->source, scale));
    *query_halves = own ? s->own_halves.rows : s->source->halves.rows;
    return WW_OK;
}

// The tasks of a launch, from the time of the last ones; all launches before are done.
static void take_time(search *s) {
    if (s->h->pace.waiting)
        s->most_tasks = wwi_pace_next(&s->h->pace, s->h->pace.waiting, wwi_seconds() - s->h->pace.since);
    s->h->pace.waiting = 0;
}

static ww_status launch_join(search *s, wwi_lsh_block *b, const buckets *of, uint64_t count) {
    ww_lsh *h = s->h;
    const bool sets = h->family == WWK_FAMILY_SETS;
    ww_join_args job = {.query_first = (uint32_t)(s->first - s->window.first),
                        .base_first = (uint32_t)(b->first - b->window.first),
                        .query_row = s->query_row,
                        .base_id = b->id,
                        .own = s->own,
                        .dimension = h->words,
                        .k = s->k,
                        .rows = (uint32_t)s->rows,
                        .lists = s->launched,
                        .shift = 32 - b->bits,
                        .settled = s->settled,
                        .margin = h->scale.margin};
    wwi_buffer *query_halves = NULL;
    const float scale = wwi_tensor_scale(fmaxf(b->reach, s->reach));
    if (h->tensor)
        WWI_TRY(make_halves(s, b, scale, &query_halves));
    for (uint64_t done = 0, now; done < count; done += now) {
        now = wwi_least(count - done, s->most_tasks);
        job.first_task = (uint32_t)done;
        const wwi_arg args[] = {WWI_BUFFER(sets ? s->window.values : s->query_rows),
                                WWI_BUFFER(sets ? b->window.values : b->rows),
                                WWI_BUFFER(s->window.series),
                                WWI_BUFFER(b->window.series),
                                WWI_BUFFER(s->norms),
                                WWI_BUFFER(b->norms),
                                WWI_BUFFER(h->device_mean),
                                WWI_BUFFER(of->tasks),
                                WWI_BUFFER(of->query_offsets),
                                WWI_BUFFER(of->query_entries),
                                WWI_BUFFER(of->offsets),
                                WWI_BUFFER(of->entries),
                                WWI_BUFFER(h->removed.sent),
                                WWI_BUFFER(s->radii),
                                WWI_VALUE(job),
                                WWI_BUFFER(s->best_values),
                                WWI_BUFFER(s->best_ids),
                                WWI_BUFFER(query_halves),
                                WWI_BUFFER(b->halves.rows),
                                WWI_VALUE(scale)};
        // The last three are those of the join by matrix units.
        WWI_TRY(
            wwi_launch(h->kernels.join, now, h->join.group, args, sizeof args / sizeof *args - (h->tensor ? 0 : 3)));
        s->h->pace.waiting += now;
        if (!h->run.progress || done + now >= count)
            continue;
        // What a caller who wants to stop waits for.
        WWI_TRY(wwi_finish(h->stream));
        take_time(s);
        h->pace.since = wwi_seconds();
        WWI_TRY(wwi_pace_report(&h->pace, 0));
    }
    return WW_OK;
}

// Merges the lists of each row, and takes the radii from the result.
static ww_status merge_lists(search *s) {
    const uint32_t rows = (uint32_t)s->rows;
    return WWI_LAUNCH(s->h->kernels.merge, wwi_lsh_groups(rows), WWI_LSH_GROUP, WWI_VALUE(rows), WWI_VALUE(s->k),
                      WWI_VALUE(s->launched), WWI_BUFFER(s->best_values), WWI_BUFFER(s->best_ids),
                      WWI_BUFFER(s->radii));
}

// One probe of some tables, of which each query has a list.
static ww_status join_tables(search *s, wwi_lsh_block *b, const ww_lsh_args *job, const buckets *of, uint32_t first,
                             uint32_t count) {
    ww_lsh *h = s->h;
    uint32_t counters[3];
    const uint32_t bucket = first << b->bits, end = (first + count) << b->bits;
    s->launched = count;
    WWI_TRY(wwi_buffer_fill_u32(s->counters, 0, sizeof counters, 0));
    WWI_TRY(WWI_LAUNCH(h->kernels.tasks, wwi_lsh_groups(((uint64_t)count << b->bits) / WWI_LSH_BUCKETS), WWI_LSH_GROUP,
                       WWI_BUFFER(of->query_offsets), WWI_BUFFER(of->offsets), WWI_VALUE(*job), WWI_VALUE(bucket),
                       WWI_VALUE(end), WWI_BUFFER(s->counters), WWI_BUFFER(of->tasks)));
    WWI_TRY(wwi_stream_read(h->stream, s->counters, 0, sizeof counters, counters));
    h->info.examined += counters[0] | (uint64_t)counters[1] << 32;
    take_time(s);
    s->h->pace.since = wwi_seconds();
    WWI_TRY(launch_join(s, b, of, counters[2]));
    if (s->lists > 1)
        WWI_TRY(merge_lists(s));
    // Else the number of the next launch's tasks, or the results, are waited for.
    if (h->run.progress) {
        WWI_TRY(wwi_finish(h->stream));
        take_time(s);
    }
    return wwi_pace_report(&s->h->pace, (uint64_t)s->rows * count);
}

// One probe of all tables.
static ww_status join(search *s, wwi_lsh_block *b, const ww_lsh_args *job, const buckets *of) {
    for (uint32_t first = 0, count; first < job->tables; first += count) {
        // Few at first: each list has to find its own k-th best distance.
        count = (uint32_t)wwi_least(wwi_least(job->tables - first, s->lists), s->joined ? s->joined : 1);
        s->settled = first > 0;
        WWI_TRY(join_tables(s, b, job, of, first, count));
        s->joined += count;
    }
    return WW_OK;
}

static ww_status search_buckets(search *s, wwi_lsh_block *b) {
    ww_lsh *h = s->h;
    const uint32_t probes = h->options.probes;
    // The points in their own buckets are sorted already.
    const bool sorted = s->source == b && s->rows == b->count;
    ww_lsh_args job = make_job(s, b);
    if (sorted) {
        const buckets own = {s->tasks, b->offsets, b->entries, b->offsets, b->entries};
        WWI_TRY(join(s, b, &job, &own));
    }
    if (probes > sorted)
        WWI_TRY(allocate_sorting(s));
    const buckets of = {s->tasks, s->offsets, s->entries, b->offsets, b->entries};
    for (uint32_t first = sorted, count; first < probes; first += count) {
        count = (uint32_t)wwi_least(probes - first, s->key_probes);
        job.probe = first;
        job.probes = count;
        WWI_TRY(wwi_lsh_keys(h, &s->window, &job, s->keys));
        for (uint32_t p = 0; p < count; p++) {
            job.probe = first + p;
            WWI_TRY(
                wwi_lsh_sort(h, &s->sorter, &job, s->keys, (uint64_t)p * job.tables * s->rows, s->offsets, s->entries));
            WWI_TRY(join(s, b, &job, &of));
        }
    }
    return WW_OK;
}

// The present queries in row order. A block's own are there while its tables are.
static ww_status make_rows(search *s) {
    s->query_rows = s->source && s->source->keep ? s->source->rows : NULL;
    s->query_row = s->query_rows ? (uint32_t)(s->first - s->source->first) : 0;
    if (s->query_rows)
        return WW_OK;
    WWI_BUFFERS_DESTROY(&s->own_rows, &s->own_halves.rows);
    WWI_TRY(wwi_lsh_rows(s->h, &s->window, s->first, s->rows, &s->own_rows));
    s->query_rows = s->own_rows;
    return WW_OK;
}

static ww_status start_lists(search *s) {
    // Of lists in registers only the first is read; of the others only whether they are empty.
    const bool first = s->h->join.list && s->lists > 1;
    const uint64_t rows = s->rows, all = s->lists * rows * s->k, count = first ? rows * s->k : all;
    if (first)
        WWI_TRY(wwi_buffer_fill_u32(s->best_ids, 0, all * 4, WWI_NO_INDEX));
    return WWI_LAUNCH(s->h->kernels.start, wwi_lsh_groups(count), WWI_LSH_GROUP, WWI_VALUE(count), WWI_VALUE(rows),
                      WWI_BUFFER(s->best_values), WWI_BUFFER(s->best_ids), WWI_BUFFER(s->radii));
}

// ---- by queries

static ww_status search_queries(search *s, wwi_lsh_block *b, bool fresh) {
    ww_lsh *h = s->h;
    ww_lsh_args job = make_job(s, b);
    job.probes = h->options.probes;
    const ww_knn_args exact = {.query_first = job.first,
                               .query_count = job.count,
                               .base_first = (uint32_t)(b->first - b->window.first),
                               .base_end = (uint32_t)(b->first - b->window.first) + b->count,
                               .base_id = b->id - (uint32_t)(b->first - b->window.first),
                               .own = job.own,
                               .dimension = h->words,
                               .k = s->k,
                               .capacity = job.capacity,
                               .listed = 1};
    const wwi_selection selection = {.values = s->values,
                                     .row_stride = job.capacity,
                                     .rows = s->rows,
                                     .columns = job.capacity,
                                     .indices = s->ids,
                                     .counts = s->counts,
                                     .fresh = fresh,
                                     .best_values = s->best_values,
                                     .best_indices = s->best_ids};
    WWI_TRY(wwi_lsh_keys(h, &s->window, &job, s->keys));
    WWI_TRY(WWI_LAUNCH(h->kernels.gather, s->rows, h->row_group, WWI_BUFFER(s->keys), WWI_BUFFER(b->offsets),
                       WWI_BUFFER(b->entries), WWI_BUFFER(h->removed.sent), WWI_VALUE(job), WWI_BUFFER(s->counts),
                       WWI_BUFFER(s->ids)));
    WWI_TRY(WWI_LAUNCH(h->kernels.exact, s->rows, h->row_group, WWI_BUFFER(s->window.values),
                       WWI_BUFFER(b->window.values), WWI_BUFFER(s->norms), WWI_BUFFER(b->norms), WWI_VALUE(exact),
                       WWI_BUFFER(s->counts), WWI_BUFFER(s->ids), WWI_BUFFER(s->values)));
    WWI_TRY(wwi_topk(s->selector, &selection));
    WWI_TRY(wwi_stream_read(h->stream, s->counts, 0, s->rows * 4, s->counted));
    for (size_t r = s->lead; r < s->rows; r++) {
        const bool capped = s->counted[r] > job.capacity;
        h->info.capped += capped;
        h->info.examined += capped ? job.capacity : s->counted[r];
    }
    return wwi_pace_report(&s->h->pace, (uint64_t)s->rows * job.tables * job.probes);
}

// ---- results

static bool is_removed(const search *s, size_t row) {
    const ww_lsh *h = s->h;
    const size_t id = s->own + row;
    return s->self && h->removed.bits && (h->removed.bits[id / 32] >> id % 32 & 1);
}

// Rows of `ids` (rows x k) that are wanted and have fewer than k. Returns how many.
static size_t list_incomplete(const search *s, const int64_t *ids, uint32_t *rows) {
    size_t count = 0;
    for (size_t r = s->lead; r < s->rows; r++)
        if (ids[(r + 1) * s->k - 1] < 0 && !is_removed(s, r))
            rows[count++] = (uint32_t)r;
    return count;
}

static void free_row_buckets(buckets *of) {
    WWI_BUFFERS_DESTROY(&of->offsets, &of->query_entries, &of->query_offsets, &of->tasks);
}

// Searches all points for those rows: they share one bucket with all of a block, whose points any table lists.
static ww_status complete(search *s, const uint32_t *rows, size_t count) {
    ww_lsh *h = s->h;
    const size_t tasks = wwi_ceil_div(count, h->tile);
    WWI_ENDS(free_row_buckets) buckets of = {0};
    WWI_FREES uint32_t(*list)[2] = NULL;
    WWI_TRY(wwi_new(list, tasks));
    for (size_t i = 0; i < tasks; i++) {
        list[i][0] = 0;
        list[i][1] = (uint32_t)(i * h->tile);
    }
    const uint32_t query_offsets[2] = {0, (uint32_t)count};
    s->launched = 1;
    s->settled = 0;
    // A search by queries has one list a row, and neither rows nor radii yet.
    if (!s->by_buckets) {
        WWI_TRY(make_rows(s));
        WWI_TRY(wwi_grow_buffer(h->context, &s->radii, s->most_rows * h->value_bytes));
        WWI_TRY(merge_lists(s));
    }
    WWI_TRY(wwi_upload(h->context, &of.tasks, list, tasks * 8));
    WWI_TRY(wwi_upload(h->context, &of.query_offsets, query_offsets, 8));
    WWI_TRY(wwi_upload(h->context, &of.query_entries, rows, count * 4));
    for (size_t i = 0; i < h->block_count; i++) {
        WWI_ENDS(close_block) wwi_lsh_block *b = &h->blocks[i];
        const uint32_t offsets[2] = {0, b->count};
        WWI_TRY(wwi_lsh_block_open(h, b));
        of.entries = b->entries;
        h->info.examined += (uint64_t)count * b->count;
        WWI_TRY(wwi_upload(h->context, &of.offsets, offsets, 8));
        WWI_TRY(launch_join(s, b, &of, tasks));
        WWI_TRY(wwi_finish(h->stream));
    }
    return WW_OK;
}

static void empty_row(const search *s, size_t row, int64_t *ids, void *distances) {
    for (size_t i = row * s->k; i < (row + 1) * s->k; i++) {
        ids[i] = -1;
        if (distances)
            wwi_set_value(distances, s->h->precision, i, INFINITY);
    }
}

static ww_status fetch_results(const search *s, int64_t *ids, void *distances, uint64_t *incomplete) {
    return wwi_results_fetch(s->best_ids, s->best_values, s->rows, s->k, s->h->precision,
                             s->h->options.metric == WW_METRIC_L2, ids, distances, incomplete);
}

// Results of the present rows, with those that are answered exactly.
static ww_status take_results(search *s, int64_t *ids, void *distances) {
    ww_lsh *h = s->h;
    uint64_t incomplete = 0;
    WWI_FREES uint32_t *rows = NULL;
    WWI_TRY(fetch_results(s, ids, distances, &incomplete));
    // Their numbers are needed where they are searched again, or where points were removed.
    if (incomplete && (h->options.complete || h->removed.bits || s->lead)) {
        WWI_TRY(wwi_new(rows, s->rows));
        incomplete = list_incomplete(s, ids, rows);
    }
    h->info.incomplete += incomplete;
    if (h->options.complete && incomplete) {
        WWI_TRY(complete(s, rows, incomplete));
        WWI_TRY(fetch_results(s, ids, distances, NULL));
    }
    for (size_t r = 0; r < s->rows; r++)
        if (is_removed(s, r))
            empty_row(s, r, ids, distances);
    return WW_OK;
}

// Where results go: those of query `first` come first.
typedef struct target {
    size_t first;
    int64_t *ids;
    void *distances;
    uint32_t *found;
} target;

// The rows' results to the caller; `at` is the number of the first one's query. The first s->lead are not wanted.
static ww_status fetch(search *s, size_t at, const target *to) {
    const size_t rows = s->rows - s->lead, place = at + s->lead - to->first, row_bytes = s->k * s->h->value_bytes;
    int64_t *ids = to->ids + place * s->k;
    unsigned char *distances = to->distances ? (unsigned char *)to->distances + place * row_bytes : NULL;
    if (s->lead) {
        WWI_FREES int64_t *all_ids = NULL;
        WWI_FREES unsigned char *all_distances = NULL;
        WWI_TRY(wwi_new(all_ids, s->rows * s->k));
        WWI_TRY(wwi_new(all_distances, s->rows * row_bytes));
        WWI_TRY(take_results(s, all_ids, all_distances));
        memcpy(ids, all_ids + s->lead * s->k, rows * s->k * sizeof *ids);
        if (distances)
            memcpy(distances, all_distances + s->lead * row_bytes, rows * row_bytes);
    } else {
        WWI_TRY(take_results(s, ids, distances));
    }
    for (size_t r = 0; to->found && r < rows; r++)
        to->found[place + r] = wwi_count_found(ids + r * s->k, s->k);
    return WW_OK;
}

// ---- the whole

static ww_status search_rows(search *s) {
    s->joined = 0;
    if (s->by_buckets) {
        WWI_TRY(start_lists(s));
        WWI_TRY(make_rows(s));
    }
    for (size_t i = 0; i < s->h->block_count; i++) {
        WWI_ENDS(close_block) wwi_lsh_block *b = &s->h->blocks[i];
        WWI_TRY(wwi_lsh_block_open(s->h, b));
        WWI_TRY(s->by_buckets ? search_buckets(s, b) : search_queries(s, b, i == 0));
        if (s->by_buckets && !b->keep)
            WWI_TRY(wwi_finish(s->h->stream));
    }
    return WW_OK;
}

// Those in [from, to) of the queries [first, first + count) of s->queries, which are the whole's from `at` on. On the
// device points are in tiles, of which a search takes whole ones.
static ww_status search_window(search *s, size_t first, size_t count, size_t at, size_t from, size_t to,
                               const target *results) {
    float largest;
    WWI_TRY(wwi_points_slice(s->queries, s->h->stream, first, count, &s->window));
    s->norms = s->source ? s->source->norms : NULL;
    s->reach = s->source ? s->source->reach : 0;
    if (!s->norms) {
        WWI_TRY(wwi_lsh_norms(s->h, &s->window, &s->own_norms, &largest));
        s->reach = sqrtf(largest) * 1.000001f;
        s->norms = s->own_norms;
    }
    for (size_t done = from - from % WWI_TILE_PAIR; done < to; done += s->rows) {
        s->lead = done < from ? from - done : 0;
        s->first = first + done;
        s->rows = (size_t)wwi_least(to - done, s->most_rows);
        s->own = s->self ? (uint32_t)(at + done) : WWI_NO_INDEX;
        WWI_TRY(search_rows(s));
        WWI_TRY(fetch(s, at + done, results));
    }
    return WW_OK;
}

static bool choose_path(const ww_lsh *h, size_t queries, size_t k) {
    if (h->family == WWK_FAMILY_SETS || h->options.path == WW_LSH_BUCKETS)
        return true;
    if (h->options.path == WW_LSH_QUERIES)
        return false;
    // Insertion into a long list is slow, and with few queries a bucket's groups are idle.
    return k <= MOST_K && queries >= FEWEST_QUERIES;
}

// Queries [first, end), with blocks of the base or, of the tables' own points, of these, too.
static ww_status search_range(search *s, size_t first, size_t end, const target *results) {
    const ww_lsh *h = s->h;
    for (size_t at = first, rows; !s->self && at < end; at += rows) {
        const size_t lead = s->queries->tiles ? at % WWI_TILE_PAIR : 0;
        rows = wwi_least(wwi_points_slice_limit(s->queries, at), end - at);
        WWI_TRY(search_window(s, at - lead, lead + rows, at - lead, lead, lead + rows, results));
    }
    for (size_t i = 0; s->self && i < h->block_count; i++) {
        wwi_lsh_block *b = &h->blocks[i];
        if (b->id >= end || b->id + (size_t)b->count <= first)
            continue;
        wwi_slice_close(&s->window);
        s->source = b;
        s->queries = b->points;
        WWI_TRY(search_window(s, b->first, b->count, b->id, first > b->id ? first - b->id : 0,
                              wwi_least(end - b->id, b->count), results));
    }
    return WW_OK;
}

static ww_status search_all(search *s, size_t count, const target *to) {
    if (s->by_buckets || s->h->options.complete)
        WWI_TRY(wwi_lsh_get_join(s->h, s->k));
    WWI_TRY(allocate(s, count + WWI_TILE_PAIR - 1));
    return search_range(s, to->first, to->first + count, to);
}

// Of the results of these rows.
static ww_status run_rows(ww_lsh *h, ww_points *queries, size_t all, const target *to, size_t count, size_t k) {
    if (queries && (queries->context != h->context || queries->precision != h->precision || queries->kind != h->kind ||
                    queries->dimension != h->dimension))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the queries are not of the tables' context, precision, kind or "
                                                   "dimension");
    WWI_TRY(wwi_lsh_check_points(queries, true));
    const double start = wwi_seconds();
    WWI_ENDS(search_free)
    search s = {.h = h,
                .k = (uint32_t)k,
                .self = !queries,
                .by_buckets = choose_path(h, all, k),
                .queries = queries,
                .most_tasks = UINT64_C(1) << (wwi_is_gpu(h->context) ? 16 : 10)};
    // Done, total: buckets looked into; waiting: tasks of the launches not yet waited for.
    wwi_lsh_start(h, (uint64_t)count * h->options.tables * h->options.probes * h->block_count);
    h->info.examined = h->info.capped = h->info.incomplete = 0;
    h->info.path = s.by_buckets ? WW_LSH_BUCKETS : WW_LSH_QUERIES;
    const ww_status status = wwi_finish_after(h->stream, search_all(&s, count, to));
    // Halves that a failed launch was to make are not known to be there.
    for (size_t i = 0; status != WW_OK && i < h->block_count; i++)
        wwi_buffer_destroy(&h->blocks[i].halves.rows);
    h->info.seconds_search = wwi_seconds() - start;
    return status;
}

ww_status wwi_lsh_run_alone(ww_lsh *h, ww_points *queries, size_t row, size_t rows, size_t k, int64_t *ids,
                            void *distances, uint32_t *found) {
    return run_rows(h, queries, queries ? queries->count : h->total, &(target){row, ids, distances, found}, rows, k);
}
