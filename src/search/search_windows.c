// SPDX-License-Identifier: Apache-2.0
// A block's windows under every query: moments, lower bounds, the distances of the windows left. The first windows of a
// search are computed in full, so that there is a limit; then the parts of a block grow.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/run.h"
#include "search/search_internal.h"

enum { RUN = 64, FIRST = 4096, MOST_ROWS = 8000, RIBBON_ROWS = 4, ITEMS = 64, TRIED = 16 };
enum { BOUND_ITEMS = 128, BOUND_TILE = 1024 }; // of bounds on GPUs: items of a group, windows of a tile
static const double NARROW = 63;               // columns of a band that is held in registers

struct wwi_windows {
    wwi_program *moments_program, *bounds_program, *program[2]; // [of a list]
    wwi_kernel *moments, *whole, *envelope, *bounds, *kernel[2];
    wwi_buffer *table, *below, *above; // of the block: how windows are normalised, the envelope
    wwi_buffer *lists, *found;         // the windows that the bounds leave of each query, and how many
    wwi_buffer *counters;              // of each query four values, as the kernels have them, then of each one: windows
                                       // of a part without missing values
    wwi_buffer *asked;                 // a launch's queries
    wwi_buffer *scratch;
    size_t *order; // the queries by their length: a table and an envelope serve for all of one
    uint64_t done; // windows of the run so far
};

// The windows of a block that are searched together.
typedef struct part {
    uint32_t points;       // of the block that are there
    uint32_t first, count; // windows
    uint32_t *counts;      // those that a query has
    uint32_t *left;        // those that its bounds left
    uint32_t reach;        // of the envelope that is there; UINT32_MAX: none
    // The queries that launches have: those of one length, and then of one kind, follow each other.
    ww_window_query *asked;
    size_t asked_count;
} part;

// Of these so many, in one launch or several.
typedef struct run {
    size_t first, count;
    bool listed;
    uint32_t span, groups; // packs of windows that a group has at most; of all launches
} run;

static void part_free(part *p) {
    free(p->asked);
    free(p->counts);
    free(p->left);
}

void wwi_windows_destroy(struct wwi_windows **windows) {
    struct wwi_windows *w = wwi_taken(windows);
    if (!w)
        return;
    WWI_KERNELS_DESTROY(&w->moments, &w->whole, &w->envelope, &w->bounds, &w->kernel[0], &w->kernel[1]);
    wwi_program_release(&w->moments_program);
    wwi_program_release(&w->bounds_program);
    wwi_program_release(&w->program[0]);
    wwi_program_release(&w->program[1]);
    WWI_BUFFERS_DESTROY(&w->table, &w->below, &w->above, &w->lists, &w->found, &w->counters, &w->asked, &w->scratch);
    free(w->order);
    free(w);
}

static int compare_lengths(const void *a, const void *b, void *queries) {
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const wwi_query *x = (const wwi_query *)queries + i, *y = (const wwi_query *)queries + j;
    return x->length != y->length ? (x->length < y->length ? -1 : 1) : (i > j) - (i < j);
}

// ---- programs

static bool is_ribbon(const ww_search *s) {
    const ww_band *band = &s->of.measure.band;
    return s->gpu && s->of.channels == 1 && (s->of.row->flags & WWI_MEASURE_PLAIN) && !s->of.soft &&
           (band->kind == WW_BAND_SAKOE_CHIBA || band->kind == WW_BAND_CORNER) && 2 * band->width + 1 <= NARROW &&
           s->most_points <= MOST_ROWS;
}

// Bytes of local memory for the rows of a group's windows; 0: they are in scratch memory.
static size_t local_rows(const ww_search *s) {
    const uint64_t bytes = ITEMS * (uint64_t)s->most_points * s->value_bytes,
                   local = wwi_context_info(s->context)->local_bytes;
    return s->gpu && s->vector == 1 && !is_ribbon(s) && bytes <= local ? (size_t)bytes : 0;
}

static int affine(const ww_search *s) {
    return !s->options.znormalise ? WWK_AFFINE_NONE : s->derivative ? WWK_AFFINE_SCALED : WWK_AFFINE_SHIFTED;
}

// The kernel that computes windows, those of a list or consecutive ones.
static ww_status make_windows(ww_search *s, bool listed) {
    static const char *const ribbon_texts[] = {"search/search_args.h", "search/search_points.cl",
                                               "search/search_tail.cl", "search/search_ribbon.cl", NULL};
    static const char *const texts[] = {"search/search_args.h", "search/search_points.cl", "search/search_tail.cl",
                                        "search/search_windows.cl", NULL};
    struct wwi_windows *w = s->windows;
    char options[256];
    const bool ribbon = is_ribbon(s), abandons = s->abandons && s->of.passes == 1,
               tail = abandons && (s->of.row->flags & WWI_MEASURE_BOUND_SUM);
    if (w->kernel[listed])
        return WW_OK;
    if (ribbon) {
        const int reach = (int)s->of.measure.band.width;
        snprintf(options, sizeof options,
                 "-DWW_SEARCH_AFFINE=%d -DWW_SEARCH_LISTED=%d -DWW_WG=64 -DWW_ROWS=%d -DWW_COLS=%d -DWW_BELOW=%d "
                 "-DWW_SEARCH_ABANDON=%d -DWW_SEARCH_TAIL=%d -DWW_SEARCH_SIMILARITY=0",
                 affine(s), listed, RIBBON_ROWS, 2 * reach + 1, reach, abandons, tail);
    } else {
        const bool banded = s->of.banded && wwi_measure_has(&s->of.measure, WWI_MEASURE_BAND_IN_CELL);
        snprintf(options, sizeof options,
                 "-DWW_SEARCH_AFFINE=%d -DWW_SEARCH_LISTED=%d -DWW_WG=%d -DWW_ROWS=%d -DWW_SEARCH_ABANDON=%d "
                 "-DWW_SEARCH_SIMILARITY=%d -DWW_SEARCH_LOCAL=%d -DWW_SEARCH_TAIL=%d%s",
                 affine(s), listed, s->vector > 1 ? 1 : ITEMS, s->vector > 1 || s->of.channels == 1 ? 8 : 4, abandons,
                 s->similarity, local_rows(s) > 0, tail, banded ? " -DWW_BAND=1" : "");
    }
    wwi_program_release(&w->program[listed]); // of an attempt that got no further
    WWI_TRY(wwi_recurrence_program(&s->of, ribbon ? 1 : s->vector, ribbon ? ribbon_texts : texts, options,
                                   &w->program[listed]));
    return wwi_kernel_create(s->stream, w->program[listed], ribbon ? "ww_search_ribbon" : "ww_search_windows",
                             &w->kernel[listed]);
}

static uint64_t bound_group(const ww_search *s) {
    return s->vector > 1 ? 1 : BOUND_ITEMS;
}

static ww_status make_bounds(ww_search *s) {
    const ww_cost cost = wwi_measure_cost(&s->of.measure);
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "base/points.cl", "search/search_args.h", "search/search_points.cl",
                  "search/search_bounds.cl"},
        .defines = {{"WWK_DOUBLE", s->of.precision == WW_DOUBLE},
                    {"WW_VECTOR", s->vector},
                    {"WW_CHANNELS", s->of.all_channels},
                    {"WW_COST", cost},
                    {"WW_ROOT", s->of.measure.root != 0},
                    {"WW_SEARCH_AFFINE", affine(s)},
                    {"WW_WG", (int)bound_group(s)},
                    {"WW_SEARCH_ENDS", s->of.passes > 1 ? 1 : WWI_MOST_CORNERS},
                    {"WW_SEARCH_TRIED", TRIED},
                    {"WW_SEARCH_KEPT", BOUND_TILE},
                    {"WW_SEARCH_MAXIMUM", (s->of.row->flags & WWI_MEASURE_BOUND_MAX) != 0}},
        .kernels = {{&s->windows->bounds, "ww_search_bounds"}}};
    return s->bounded ? wwi_program_make(s->context, s->stream, &parts, &s->windows->bounds_program) : WW_OK;
}

// Windows whose moments a work-item computes side by side, and work-items of a group.
static int many(const ww_search *s) {
    return s->vector > 1 && wwi_context_info(s->context)->has_double ? 8 : 1;
}

static int moments_group(const ww_search *s) {
    return many(s) > 1 ? 4 : 64;
}

// Bytes of local memory for the points of a group's runs (ww_search_moments_tile); 0: they are read one by one.
static size_t tile_bytes(const ww_search *s) {
    const uint64_t points = (uint64_t)(moments_group(s) * RUN) + s->most_points + 2,
                   bytes = (points + points / RUN) * s->value_bytes;
    const uint64_t results = 3 * 64 * 9 * s->value_bytes, local = wwi_context_info(s->context)->local_bytes;
    return s->vector == 1 && bytes + results <= local ? (size_t)bytes : 0;
}

static ww_status make_moments(ww_search *s) {
    struct wwi_windows *w = s->windows;
    const bool tile = tile_bytes(s) > 0;
    const wwi_program_parts parts = {.texts = {"base/number.cl", "base/constant.h", "search/search_moments.cl"},
                                     .defines = {{"WWK_DOUBLE", s->of.precision == WW_DOUBLE},
                                                 {"WW_SEARCH_ZNORM", s->options.znormalise != 0},
                                                 {"WW_SEARCH_DOUBLE", wwi_context_info(s->context)->has_double != 0},
                                                 {"WW_SEARCH_RUN", RUN},
                                                 {"WW_WG", moments_group(s)},
                                                 {"WW_SEARCH_MANY", many(s)},
                                                 {"WW_SEARCH_TILE", tile}},
                                     .kernels = {{&w->moments, tile ? "ww_search_moments_tile" : "ww_search_moments"},
                                                 {&w->whole, "ww_search_whole"},
                                                 {&w->envelope, "ww_search_envelope"}}};
    return wwi_program_make(s->context, s->stream, &parts, &w->moments_program);
}

// Queries of one length in their own order.
static ww_status make_order(ww_search *s) {
    WWI_TRY(wwi_new(s->windows->order, s->query_count));
    size_t *order = s->windows->order;
    for (size_t i = 0; i < s->query_count; i++)
        order[i] = i;
    wwi_sort(order, s->query_count, sizeof *order, compare_lengths, s->queries);
    return WW_OK;
}

ww_status wwi_windows_prepare(ww_search *s) {
    WWI_TRY(wwi_new_zeroed(s->windows, 1));
    WWI_TRY(make_order(s));
    WWI_TRY(make_moments(s));
    WWI_TRY(make_windows(s, false));
    return make_bounds(s);
}

static size_t counter_bytes(const ww_search *s) {
    return 5 * s->query_count * sizeof(uint32_t);
}

ww_status wwi_windows_begin(ww_search *s, uint64_t bytes) {
    struct wwi_windows *w = s->windows;
    const uint64_t envelope = s->bounded ? bytes : 0,
                   lists = envelope / s->of.all_channels / s->value_bytes * s->query_count * sizeof(uint32_t);
    w->done = atomic_load(&s->limits->windows);
    WWI_TRY(WWI_GROW(s->context, {&w->table, 3 * bytes}, {&w->below, envelope}, {&w->above, envelope},
                     {&w->lists, lists}, {&w->counters, counter_bytes(s)},
                     {&w->found, s->query_count * sizeof(uint32_t)},
                     {&w->asked, s->query_count * sizeof(ww_window_query)}));
    return wwi_buffer_fill_u32(w->counters, 0, counter_bytes(s), 0);
}

// ---- launches

static ww_status launch_moments(ww_search *s, uint32_t length, uint32_t first, uint32_t end) {
    const struct wwi_windows *w = s->windows;
    const uint32_t channels = s->of.all_channels;
    const uint64_t stride = s->block.stride, runs = wwi_ceil_div(end - first, RUN), tile = tile_bytes(s);
    const uint64_t group = (uint64_t)moments_group(s);
    if (tile) {
        const uint32_t groups = (uint32_t)wwi_ceil_div(runs, group);
        return WWI_LAUNCH(w->moments, (uint64_t)groups * channels, group, WWI_BUFFER(s->block.values),
                          WWI_BUFFER(w->table), WWI_VALUE(stride), WWI_VALUE(length), WWI_VALUE(first), WWI_VALUE(end),
                          WWI_VALUE(groups), WWI_LOCAL(tile));
    }
    return WWI_LAUNCH_ITEMS(w->moments, runs * channels, group, WWI_BUFFER(s->block.values), WWI_BUFFER(w->table),
                            WWI_VALUE(stride), WWI_VALUE(length), WWI_VALUE(first), WWI_VALUE(end),
                            WWI_VALUE(channels));
}

// Counts the windows of the table that have no missing value, for query i.
static ww_status launch_whole(ww_search *s, size_t i, uint32_t first, uint32_t count) {
    const uint32_t channels = s->of.all_channels, at = (uint32_t)(4 * s->query_count + i);
    const uint64_t stride = s->block.stride;
    return WWI_LAUNCH_ITEMS(s->windows->whole, wwi_ceil_div(count, RUN), (uint64_t)moments_group(s),
                            WWI_BUFFER(s->windows->table), WWI_BUFFER(s->windows->counters), WWI_VALUE(stride),
                            WWI_VALUE(first), WWI_VALUE(count), WWI_VALUE(channels), WWI_VALUE(at));
}

static ww_status launch_envelope(ww_search *s, uint32_t points, uint32_t reach, uint32_t first, uint32_t end) {
    const uint32_t channels = s->of.all_channels;
    const uint64_t stride = s->block.stride, each = wwi_ceil_div(end - first, (uint64_t)many(s));
    return WWI_LAUNCH_ITEMS(s->windows->envelope, each * channels, (uint64_t)moments_group(s),
                            WWI_BUFFER(wwi_block_compared(s)), WWI_BUFFER(s->windows->below),
                            WWI_BUFFER(s->windows->above), WWI_VALUE(stride), WWI_VALUE(points), WWI_VALUE(first),
                            WWI_VALUE(end), WWI_VALUE(channels), WWI_VALUE(reach));
}

// Query i; `count` windows from `first` on, or the first `count` of its list.
static void ask(const ww_search *s, part *p, size_t i, uint32_t first, uint32_t count) {
    const wwi_query *q = &s->queries[i];
    p->asked[p->asked_count++] = (ww_window_query){
        .query = (uint32_t)i, .x_at = q->x, .order_at = q->at, .stages = q->stages, .first = first, .count = count};
}

static ww_status send_asked(ww_search *s, const part *p) {
    const uint64_t bytes = p->asked_count * sizeof *p->asked;
    return bytes ? wwi_buffer_write(s->windows->asked, 0, bytes, p->asked) : WW_OK;
}

static ww_window_args window_args(const ww_search *s, const part *p, const run *r) {
    const wwi_query *q = &s->queries[p->asked[r->first].query];
    // A sum of n terms, and the path's sum, round this much at most.
    const double unit = s->of.precision == WW_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
    return (ww_window_args){.stride = s->block.stride,
                            .out_stride = s->block.stride,
                            .n = q->n,
                            .x_stride = q->n,
                            .query = (uint32_t)r->first,
                            .queries = (uint32_t)r->count,
                            .span = r->span,
                            .corners = wwi_bound_corners(s, q->n),
                            .terms = wwi_bound_terms(s, q->n),
                            .margin = (float)fmax(0, (1 - (4.0 * q->n + 64) * unit) * (1 - 2e-7)),
                            .parameters = s->of.parameters.values};
}

// Groups that keep the device busy.
static uint64_t resident(const ww_search *s) {
    return wwi_compute_units(s->context) * (s->gpu ? 32 : 16);
}

// The groups of a run of bounds: on a GPU they have a tile, or less where all of them would not fill the device.
static void divide_bounds(const ww_search *s, const part *p, run *r) {
    const uint64_t count = p->asked[r->first].count, packs = wwi_ceil_div(count, (uint64_t)s->vector),
                   group = bound_group(s), tile = wwi_ceil_div(count * r->count, group * resident(s)) * group;
    r->span = (uint32_t)(s->vector > 1 ? wwi_ceil_div(packs, resident(s) * 4) : wwi_least(tile, BOUND_TILE));
    r->groups = (uint32_t)wwi_ceil_div(packs, r->span);
}

static ww_status launch_bounds(ww_search *s, const part *p, const run *r) {
    const struct wwi_windows *w = s->windows;
    const wwi_query_buffers *of = &s->query_data;
    const ww_window_args job = window_args(s, p, r);
    return WWI_LAUNCH(w->bounds, r->groups * r->count, bound_group(s), WWI_BUFFER(wwi_block_compared(s)),
                      WWI_BUFFER(w->table), WWI_BUFFER(of->x), WWI_BUFFER(of->terms), WWI_BUFFER(w->below),
                      WWI_BUFFER(w->above), WWI_BUFFER(s->limits_sent), WWI_BUFFER(w->asked), WWI_BUFFER(s->block.out),
                      WWI_BUFFER(w->lists), WWI_BUFFER(w->found), WWI_BUFFER(w->counters),
                      {WWI_ARG_VALUE, offsetof(ww_window_args, parameters), &job});
}

uint64_t wwi_search_window_cells(const ww_search *s, size_t i) {
    const wwi_query *q = &s->queries[i];
    const uint64_t cells = ww_measure_cells(&s->of.measure, q->n, q->n);
    return cells ? cells * s->of.passes : 1;
}

// Windows that a work-item computes side by side, and work-items of a group.
static uint64_t lanes_of(const ww_search *s) {
    return is_ribbon(s) ? 1 : (uint64_t)s->vector;
}

static uint64_t window_group(const ww_search *s) {
    return lanes_of(s) > 1 ? 1 : ITEMS;
}

// Computes the windows of `groups` groups.
static ww_status launch_windows(ww_search *s, const part *p, const run *r, uint32_t first, uint32_t groups) {
    struct wwi_windows *w = s->windows;
    ww_window_args job = window_args(s, p, r);
    const uint64_t n = job.n, group = window_group(s), lanes = lanes_of(s),
                   values = lanes > 1 ? lanes * (1 + s->of.channels) : 1;
    const size_t local = is_ribbon(s) ? (size_t)((n + 64) * s->value_bytes) : local_rows(s);
    WWI_TRY(make_windows(s, r->listed));
    WWI_TRY(wwi_grow_buffer(s->context, &w->scratch, local ? 1 : groups * group * n * values * s->value_bytes));
    job.group = first;
    for (uint32_t pass = 0; pass < s->of.passes; pass++) {
        job.channel = pass;
        job.accumulate = pass > 0;
        const wwi_arg args[] = {
            WWI_BUFFER(wwi_block_compared(s)),
            WWI_BUFFER(w->table),
            WWI_BUFFER(s->query_data.x),
            WWI_BUFFER(s->query_data.rows),
            WWI_BUFFER(w->asked),
            WWI_BUFFER(w->lists),
            WWI_BUFFER(s->block.out),
            WWI_BUFFER(w->scratch),
            WWI_BUFFER(s->limits_sent),
            WWI_BUFFER(w->counters),
            {WWI_ARG_VALUE, wwi_args_bytes(&s->of.parameters, offsetof(ww_window_args, parameters)), &job},
            WWI_LOCAL(local)};
        WWI_TRY(wwi_launch(w->kernel[r->listed], groups, group, args, sizeof args / sizeof *args - (local ? 0 : 1)));
    }
    return WW_OK;
}

// Waits for what is enqueued and lets the caller stop the search.
static ww_status wait_for_windows(ww_search *s) {
    const ww_status status = wwi_finish(s->stream);
    s->pace.waiting = 0;
    s->pace.since = wwi_seconds();
    return status == WW_OK ? wwi_pace_report(&s->pace, 0) : status;
}

// Counts cells that were enqueued, and waits before they last longer than a launch may.
static ww_status enqueued(ww_search *s, double cells, bool more) {
    s->pace.waiting += (uint64_t)cells;
    const double work = (double)s->pace.waiting, since = s->pace.since;
    if (!more && work < s->rate * s->pace.aim)
        return WW_OK;
    const ww_status status = wait_for_windows(s);
    s->rate = wwi_pace_learn(&s->pace, s->rate, work, s->pace.since - since);
    return status;
}

// Groups of a launch that fills the device.
static uint64_t filling(const ww_search *s) {
    return resident(s) * (is_ribbon(s) ? 4 : 1);
}

// The groups of a run: so many that all keep the device busy, and so do those of a launch that lasts as long as it may.
static void divide_run(const ww_search *s, part *p, run *r) {
    const uint64_t lanes = lanes_of(s), group = window_group(s), most = filling(s);
    const double cells = (double)wwi_search_window_cells(s, p->asked[r->first].query),
                 paced = s->rate * s->pace.aim / (cells * (double)(lanes * group * most));
    ww_window_query *asked = p->asked + r->first;
    uint64_t packs = 0;
    for (size_t k = 0; k < r->count; k++)
        packs += wwi_ceil_div(asked[k].count, lanes);
    const uint64_t wanted = wwi_ceil_div(packs, group * most);
    r->span = (uint32_t)(group * (paced < 1 ? 1 : (double)wanted < paced ? wanted : (uint64_t)paced));
    r->groups = 0;
    for (size_t k = 0; k < r->count; k++) {
        asked[k].group = r->groups;
        r->groups += (uint32_t)wwi_ceil_div(wwi_ceil_div(asked[k].count, lanes), r->span);
    }
}

// Computes the run's windows in launches that are not too long.
static ww_status compute_windows(ww_search *s, const part *p, const run *r) {
    const double each = (double)wwi_search_window_cells(s, p->asked[r->first].query);
    const uint64_t least = s->gpu ? 1024 / ITEMS : 2 * wwi_compute_units(s->context); // fewer leave it idle
    const uint64_t most = filling(s) + r->count;                                      // more have too much scratch
    uint64_t windows = 0;
    for (size_t k = r->first; k < r->first + r->count; k++)
        windows += p->asked[k].count;
    if (r->listed)
        s->info.cells_started += (uint64_t)each * windows; // the others: with the windows that are there
    const double of_group = each * (double)windows / r->groups;
    for (uint32_t at = 0, now; at < r->groups; at += now) {
        const uint64_t units = wwi_pace_units(&s->pace, s->rate, r->groups - at, of_group);
        now = (uint32_t)wwi_least(wwi_least(units < least ? least : units, most), r->groups - at);
        WWI_TRY(launch_windows(s, p, r, at, now));
        WWI_TRY(enqueued(s, of_group * now, at + now < r->groups));
    }
    return WW_OK;
}

// ---- parts of a block

// How many windows each query has in the part; results where it has fewer are not numbers.
static ww_status count_windows(ww_search *s, part *p) {
    const uint64_t each = s->block.stride * s->value_bytes;
    for (size_t i = 0; i < s->query_count; i++) {
        wwi_query *q = &s->queries[i];
        const uint32_t length = (uint32_t)q->length,
                       windows = p->points >= length && !q->idle ? p->points - length + 1 : 0;
        p->counts[i] = windows <= p->first ? 0 : (uint32_t)wwi_least(windows - p->first, p->count);
        q->in_part = p->counts[i] > 0;
        if (p->counts[i] < p->count && !q->idle)
            WWI_TRY(wwi_buffer_fill_u32(s->block.out, i * each + p->first * s->value_bytes, p->count * s->value_bytes,
                                        UINT32_MAX));
    }
    return WW_OK;
}

// Of the part's windows of query i. Sums restart every RUN windows of the block, wherever a part begins.
static ww_status make_table(ww_search *s, size_t i, const part *p) {
    return launch_moments(s, (uint32_t)s->queries[i].length, p->first - p->first % RUN, p->first + p->counts[i]);
}

// Of all points that a query may need: those of other lengths may have the same reach.
static ww_status make_envelope(ww_search *s, size_t i, part *p) {
    const uint32_t reach = s->queries[i].reach;
    const uint64_t end = p->first + p->count + s->most_points - 1;
    if (p->reach == reach)
        return WW_OK;
    WWI_TRY(launch_envelope(s, p->points, reach, p->first - p->first % RUN, (uint32_t)wwi_least(end, p->points)));
    p->reach = reach;
    return WW_OK;
}

// The bounds of the asked queries, in launches that are not too long.
static ww_status bound_windows(ww_search *s, const part *p) {
    for (size_t first = 0, end; first < p->asked_count; first = end) {
        run r = {.first = first};
        bool full = false;
        for (end = first; end < p->asked_count && !full; end++) {
            // A bound takes about as long as a cell.
            s->pace.waiting += (uint64_t)s->queries[p->asked[end].query].n * p->asked[end].count;
            full = (double)s->pace.waiting >= s->rate * s->pace.aim;
        }
        r.count = end - first;
        divide_bounds(s, p, &r);
        for (size_t k = first; k < end; k++)
            s->queries[p->asked[k].query].tried = (double)wwi_ceil_div(r.groups, TRIED) / r.groups;
        WWI_TRY(launch_bounds(s, p, &r));
        if (full)
            WWI_TRY(wait_for_windows(s));
    }
    return WW_OK;
}

// How many windows the bounds left of the asked queries.
static ww_status read_left(ww_search *s, part *p) {
    WWI_FREES uint32_t *found = NULL;
    WWI_TRY(wwi_new(found, s->query_count));
    WWI_TRY(wwi_stream_read(s->stream, s->windows->found, 0, s->query_count * sizeof *found, found));
    for (size_t k = 0; k < p->asked_count; k++)
        p->left[p->asked[k].query] = found[p->asked[k].query];
    return WW_OK;
}

// The bounds of queries [first, end) in order, which are of one length. any: one of those that have windows in the
// part.
static ww_status bound_length(ww_search *s, part *p, size_t first, size_t end, size_t any) {
    const size_t *order = s->windows->order;
    p->asked_count = 0;
    for (size_t k = first; k < end; k++) {
        const size_t i = order[k];
        wwi_query *q = &s->queries[i];
        q->bounded = p->counts[i] && s->bounded && isfinite(wwi_candidates_bar(s, q)) && q->share < 0.5;
        q->counted = any;
        p->left[i] = 0;
        if (q->bounded)
            ask(s, p, i, p->first, p->counts[i]);
    }
    if (!p->asked_count)
        return WW_OK;
    WWI_TRY(make_envelope(s, any, p));
    WWI_TRY(send_asked(s, p));
    WWI_TRY(bound_windows(s, p));
    return read_left(s, p);
}

// Asks for the windows that are left: those of lists, or of queries without bounds.
static run ask_left(const ww_search *s, part *p, size_t first, size_t end, bool listed) {
    run r = {.first = p->asked_count, .listed = listed};
    for (size_t k = first; k < end; k++) {
        const size_t i = s->windows->order[k];
        const uint32_t count = listed ? p->left[i] : p->counts[i];
        if (count && s->queries[i].bounded == listed)
            ask(s, p, i, listed ? 0 : p->first, count);
    }
    r.count = p->asked_count - r.first;
    if (r.count)
        divide_run(s, p, &r);
    return r;
}

// The same queries: bounds, then what these left.
static ww_status search_length(ww_search *s, part *p, size_t first, size_t end) {
    size_t at = first; // with windows in the part: an idle query has none
    while (at < end && !p->counts[s->windows->order[at]])
        at++;
    if (at == end)
        return WW_OK;
    const size_t any = s->windows->order[at];
    WWI_TRY(make_table(s, any, p));
    WWI_TRY(launch_whole(s, any, p->first, p->counts[any]));
    const ww_status status = bound_length(s, p, first, end, any);
    s->pace.waiting = 0;
    s->pace.since = wwi_seconds();
    WWI_TRY(status);
    p->asked_count = 0;
    const run runs[] = {ask_left(s, p, first, end, false), ask_left(s, p, first, end, true)};
    WWI_TRY(send_asked(s, p));
    for (int k = 0; k < 2; k++)
        if (runs[k].count)
            WWI_TRY(compute_windows(s, p, &runs[k]));
    // After a while the bounds are tried again.
    for (size_t k = first; k < end; k++) {
        const size_t i = s->windows->order[k];
        wwi_query *q = &s->queries[i];
        if (p->counts[i])
            q->share = q->bounded ? (double)p->left[i] / p->counts[i] : q->share * 0.7;
    }
    return WW_OK;
}

static ww_status search_part(ww_search *s, part *p) {
    const size_t *order = s->windows->order;
    WWI_TRY(wwi_collect_limits(s));
    WWI_TRY(count_windows(s, p));
    WWI_TRY(wwi_buffer_fill_u32(s->windows->found, 0, s->query_count * sizeof(uint32_t), 0));
    for (size_t k = 0, end; k < s->query_count; k = end) {
        for (end = k + 1; end < s->query_count && s->queries[order[end]].length == s->queries[order[k]].length;)
            end++;
        WWI_TRY(search_length(s, p, k, end));
    }
    return wwi_collect(s, p->first, p->count);
}

// Which bounds exclude enough of the windows that the bounds before them left. excluded: by each, of `whole` windows;
// where a bound was not used, the groups that try it have counted.
static uint32_t choose_stages(const wwi_query *q, uint64_t whole, const uint32_t *excluded) {
    static const double enough = 0.25;
    const double left = (double)whole - excluded[0], of_second = left * (q->stages > 1 ? 1 : q->tried),
                 of_third = (left - excluded[1] * (q->stages > 1 ? 1 : 1 / q->tried)) * (q->stages > 2 ? 1 : q->tried);
    return excluded[2] > enough * of_third ? 3 : excluded[1] > enough * of_second ? 2 : 1;
}

// What the kernels counted of the last part.
static ww_status take_counters(ww_search *s) {
    WWI_FREES uint32_t *counters = NULL;
    WWI_TRY(wwi_new(counters, 5 * s->query_count));
    WWI_TRY(wwi_stream_read(s->stream, s->windows->counters, 0, counter_bytes(s), counters));
    for (size_t q = 0; q < s->query_count; q++) {
        wwi_query *query = &s->queries[q];
        const uint64_t whole = query->in_part ? counters[4 * s->query_count + query->counted] : 0,
                       cells = whole * wwi_search_window_cells(s, q);
        s->info.places += whole;
        s->info.cells += cells;
        s->info.cells_started += query->bounded ? 0 : cells;
        s->info.excluded_kim += counters[4 * q];
        s->info.excluded_keogh += counters[4 * q + 1];
        s->info.excluded_keogh_turned += counters[4 * q + 2];
        s->info.abandoned += counters[4 * q + 3];
        if (query->in_part && query->bounded)
            query->stages = choose_stages(query, whole, counters + 4 * q);
    }
    return wwi_buffer_fill_u32(s->windows->counters, 0, counter_bytes(s), 0);
}

ww_status wwi_windows_block(ww_search *s, uint32_t points) {
    const size_t shortest = s->least_points + (s->derivative ? 2 : 0);
    if (points < shortest)
        return WW_OK;
    const uint32_t end = (uint32_t)wwi_least(points - shortest + 1, s->block.places);
    WWI_ENDS(part_free) part p = {.points = points};
    WWI_TRY(wwi_new(p.counts, s->query_count));
    WWI_TRY(wwi_new(p.left, s->query_count));
    WWI_TRY(wwi_new(p.asked, s->query_count));
    for (; p.first < end; p.first += p.count) {
        // A part is at most three times what is done: until there is a good limit, little is computed in vain.
        const uint64_t grown = s->windows->done < FIRST ? FIRST : 3 * s->windows->done;
        p.count = s->streaming ? end - p.first : (uint32_t)wwi_least(grown, end - p.first);
        p.reach = UINT32_MAX;
        WWI_TRY(search_part(s, &p));
        WWI_TRY(take_counters(s));
        WWI_TRY(wwi_pace_report(&s->pace, (uint64_t)p.count * s->query_count));
        s->windows->done += p.count;
    }
    return WW_OK;
}
