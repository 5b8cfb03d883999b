// SPDX-License-Identifier: Apache-2.0
// Open ends: a block of the stream under every query. A block has pieces, between points that are not numbers; each
// piece with each query is a task. The last piece goes on in the next block, from its last column.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "search/search_internal.h"

enum { VARIANTS = 16 };
enum { LONGEST_CHAIN = 4 }; // groups of lanes of a long query, or of few

// A program of a tiling's sizes; `strips` 1, or 2 for more.
typedef struct variant {
    wwi_open_tiling sizes;
    bool start;
    wwi_program *program;
    wwi_kernel *kernel;
} variant;

// Places [begin, end) of a block without a point that is not a number.
typedef struct piece {
    uint32_t begin, end;
    bool at_begin, at_end; // of a stream
} piece;

struct wwi_open {
    variant variants[VARIANTS];
    size_t variant_count;
    wwi_buffer *tasks;
    wwi_buffer *states[2], *start_states[2], *starts; // these where starts are carried along
    bool goes_on;                                     // states[0] has the column before this block
    uint32_t shift;                                   // columns of the block before, from the begin of its last piece
    piece *pieces;                                    // of the last block
    size_t piece_count, piece_capacity;
    uint64_t ends; // pieces at a stream's end, where the query's end may be skipped
};

static void forget_variant(variant *v) {
    wwi_kernel_destroy(&v->kernel);
    wwi_program_release(&v->program);
}

void wwi_open_destroy(struct wwi_open **open) {
    struct wwi_open *o = wwi_taken(open);
    if (!o)
        return;
    while (o->variant_count)
        forget_variant(&o->variants[--o->variant_count]);
    WWI_BUFFERS_DESTROY(&o->tasks, &o->states[0], &o->states[1], &o->start_states[0], &o->start_states[1], &o->starts);
    free(o->pieces);
    free(o);
}

static uint64_t all_points(const ww_search *s) {
    const wwi_query *last = &s->queries[s->query_count - 1];
    return (uint64_t)last->at + last->n;
}

void wwi_open_restart(ww_search *s) {
    s->open->goes_on = false;
}

// Rows that a lane holds at most.
static uint32_t most_columns(const ww_search *s, bool start) {
    if (s->vector > 1)
        return 8;
    // A value that ERP and MSM alone have in a row: its gap, its cost of a step down.
    const uint32_t own = s->of.row->flags & WWI_MEASURE_OPEN_STREAMS ? 1 : 0,
                   values = 1 + s->of.channels + (uint32_t)s->of.row->column_values + own + (start ? 1 : 0);
    // More spill on AMD.
    const uint32_t most = s->of.exchange == WWI_EXCHANGE_NV_SHFL ? 128 : 96;
    const uint32_t registers = s->of.precision == WW_DOUBLE ? 64 : most;
    return registers / values > 1 ? registers / values : 1;
}

// Lanes of a group, and groups of a chain.
static void choose_lanes(const ww_search *s, uint32_t n, uint64_t tasks, uint32_t most, wwi_open_tiling *t) {
    const uint64_t units = wwi_context_info(s->context)->compute_units;
    const uint32_t width = wwi_context_exchange_width(s->context);
    t->group = width < 32 ? width : 32;
    // Fewer lanes with more rows each are faster where there are tasks enough to fill the device.
    while (t->group > 1 && (uint64_t)n <= (uint64_t)t->group / 2 * most && tasks * (t->group / 2) >= units * 512)
        t->group /= 2;
    // Where tasks are too few to fill the device, or a query is long, several groups take a query one after the other:
    // instead of strips in launches of their own.
    const uint32_t longest = t->group == 32 ? LONGEST_CHAIN : 1;
    while (2 * t->chain <= longest &&
           (n > t->group * t->chain * most || (tasks * t->chain < units * 2 && n >= 2 * t->chain * t->group * 12)))
        t->chain *= 2;
}

wwi_open_tiling wwi_open_tile(const ww_search *s, uint32_t n, uint64_t tasks, bool start) {
    const uint32_t most = most_columns(s, start);
    wwi_open_tiling t = {.group = 1, .chain = 1, .pads = 1};
    if (s->vector == 1 && s->of.exchange != WWI_EXCHANGE_LOCAL)
        choose_lanes(s, n, tasks, most, &t);
    const uint32_t lanes = t.group * t.chain * (uint32_t)s->vector;
    t.strips = (uint32_t)wwi_ceil_div(n, lanes * most);
    t.columns = (uint32_t)wwi_ceil_div(n, lanes * t.strips);
    // Few programs for many lengths.
    if (s->query_count > 8 && s->least_points != s->most_points && t.columns < most) {
        const uint32_t step = s->vector > 1 ? 4 : 8, rounded = (uint32_t)wwi_ceil_div(t.columns, step) * step;
        t.columns = rounded < most ? rounded : most;
        t.pads = t.columns;
    }
    return t;
}

static bool same_tiling(const wwi_open_tiling *a, const wwi_open_tiling *b) {
    return a->group == b->group && a->chain == b->chain && a->columns == b->columns && a->pads == b->pads &&
           a->strips == b->strips;
}

uint32_t wwi_open_together(const ww_search *s, const wwi_open_tiling *t) {
    const uint32_t items = s->vector > 1 ? 1 : 32;
    return items > t->group && t->chain == 1 ? items / t->group : 1;
}

static uint32_t items_of(const ww_search *s, const wwi_open_tiling *t) {
    return s->vector > 1 ? 1 : wwi_open_together(s, t) * t->group * t->chain;
}

static ww_status make_variant(ww_search *s, variant *v) {
    static const char *const texts[] = {"search/search_args.h", "search/search_open.cl", NULL};
    const wwi_open_tiling *t = &v->sizes;
    char options[192];
    snprintf(options, sizeof options,
             "-DWW_SEARCH_GROUP=%u -DWW_SEARCH_CHAIN=%u -DWW_COLS=%u -DWW_SEARCH_PADS=%u -DWW_SEARCH_START=%d "
             "-DWW_SEARCH_STRIPS=%d -DWW_WG=%u -DWW_SEARCH_STEP=%d",
             (unsigned)t->group, (unsigned)t->chain, (unsigned)t->columns, (unsigned)t->pads, v->start, t->strips > 1,
             (unsigned)items_of(s, t), s->vector > 1 ? 4 : 5);
    WWI_TRY(wwi_recurrence_program(&s->of, s->vector, texts, options, &v->program));
    return wwi_kernel_create(s->stream, v->program, "ww_search_open", &v->kernel);
}

static ww_status find_variant(ww_search *s, const wwi_open_tiling *t, bool start, variant **found) {
    struct wwi_open *o = s->open;
    WWI_ENDS(forget_variant) variant wanted = {.sizes = *t, .start = start};
    wanted.sizes.strips = t->strips > 1 ? 2 : 1;
    for (size_t i = 0; i < o->variant_count; i++) {
        *found = &o->variants[i];
        if (same_tiling(&(*found)->sizes, &wanted.sizes) && (*found)->start == start)
            return WW_OK;
    }
    WWI_TRY(make_variant(s, &wanted));
    if (o->variant_count == VARIANTS) {
        forget_variant(&o->variants[0]);
        memmove(&o->variants[0], &o->variants[1], --o->variant_count * sizeof *o->variants);
    }
    *found = &o->variants[o->variant_count++];
    **found = wanted;
    wanted = (variant){.start = false};
    return WW_OK;
}

ww_status wwi_open_launch(ww_search *s, const wwi_open_tiling *t, bool start, const ww_open_task *tasks, size_t count,
                          const wwi_open_buffers *b) {
    variant *v = NULL;
    const uint64_t items = items_of(s, t);
    WWI_TRY(find_variant(s, t, start, &v));
    WWI_TRY(wwi_upload(s->context, &s->open->tasks, tasks, count * sizeof *tasks));
    for (uint32_t strip = 0; strip < t->strips; strip++) {
        const ww_open_args job = {b->stride,       strip,    t->strips, b->begin_x,
                                  (uint32_t)count, b->shift, 0,         s->of.parameters.values};
        WWI_TRY(WWI_LAUNCH_ITEMS(
            v->kernel, count * t->group * t->chain, items, WWI_BUFFER(b->values), WWI_BUFFER(s->query_data.x),
            WWI_BUFFER(s->open->tasks), WWI_BUFFER(b->ends), WWI_BUFFER(b->starts), WWI_BUFFER(b->states_in),
            WWI_BUFFER(b->states_out), WWI_BUFFER(b->starts_in), WWI_BUFFER(b->starts_out),
            {WWI_ARG_VALUE, wwi_args_bytes(&s->of.parameters, offsetof(ww_open_args, parameters)), &job}));
    }
    return WW_OK;
}

ww_status wwi_open_prepare(ww_search *s) {
    WWI_TRY(wwi_new_zeroed(s->open, 1));
    variant *v;
    const wwi_open_tiling t = wwi_open_tile(s, s->queries[0].n, s->query_count, s->streaming);
    return find_variant(s, &t, s->streaming, &v);
}

uint32_t wwi_open_begin_x(const ww_search *s) {
    return (uint32_t)wwi_least(s->of.measure.relax_begin_x, UINT32_MAX / 2);
}

// ---- the pieces of a block

static bool is_missing(const ww_search *s, uint32_t place) {
    const wwi_search_block *b = &s->block;
    bool missing = false;
    if (s->joined.dataset) { // only what is between its streams
        uint64_t begin;
        const size_t i = wwi_joined_stream(&s->joined, b->first + place, &begin);
        return b->first + place + 1 == s->joined.begins[i + 1];
    }
    for (size_t c = 0; c < s->of.all_channels; c++) {
        const double value =
            wwi_host_value(s, s->derivative ? b->host_derived : b->host_values, c * b->stride + b->lead + place);
        missing |= value != value;
    }
    return missing;
}

static ww_status find_pieces(ww_search *s, uint32_t columns) {
    struct wwi_open *o = s->open;
    const uint64_t lost = s->derivative ? 2 : 0;
    o->piece_count = o->ends = 0;
    for (uint32_t p = 0; p < columns; p++) {
        if (is_missing(s, p))
            continue;
        piece own = {.begin = p};
        while (p < columns && !is_missing(s, p))
            p++;
        own.end = p;
        uint64_t begin = 0;
        if (!s->streaming) {
            const size_t i = wwi_joined_stream(&s->joined, s->block.first + own.begin, &begin);
            own.at_end = s->block.first + own.end + lost + 1 == s->joined.begins[i + 1];
        }
        own.at_begin = s->block.first + own.begin == begin;
        WWI_TRY(wwi_grow(&o->pieces, &o->piece_capacity, o->piece_count + 1, sizeof own));
        o->pieces[o->piece_count++] = own;
        o->ends += own.at_end && s->of.measure.relax_end_x > 0;
    }
    return WW_OK;
}

// The last piece goes on in the next block.
static bool last_goes_on(const struct wwi_open *o, uint32_t columns) {
    if (!o->piece_count)
        return false;
    const piece *last = &o->pieces[o->piece_count - 1];
    return last->end == columns && !last->at_end;
}

// ---- where the query's end may be skipped

// What ww_final() of the recurrence makes of a query's cell.
static double final_value(const ww_search *s, const wwi_query *q, double value) {
    if (wwi_measure_is_normalised(&s->of.measure))
        value = wwi_search_round(s, value / q->n);
    return s->of.measure.root ? wwi_search_round(s, sqrt(value)) : value;
}

// A candidate where a stream ends, of the query's last column there, `values`: the best row, of equal ones the first.
static ww_status take_skipped_end(ww_search *s, wwi_query *q, const void *values, uint64_t place) {
    const size_t relaxed = s->of.measure.relax_end_x;
    wwi_candidate best = {INFINITY, place, 0, -1};
    for (uint32_t r = q->n > relaxed ? q->n - 1 - (uint32_t)relaxed : 0; r + 1 < q->n; r++) {
        const double value = wwi_host_value(s, values, r);
        if (value < best.value) {
            best.value = value;
            best.row = r;
        }
    }
    best.value = final_value(s, q, best.value);
    return best.value <= q->limit && isfinite(best.value) ? wwi_candidates_add_row(s, q, &best) : WW_OK;
}

static ww_status take_skipped_ends(ww_search *s) {
    const struct wwi_open *o = s->open;
    uint64_t slot = 0;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(values, s->most_points * s->value_bytes));
    for (size_t p = 0; p < o->piece_count; p++) {
        slot += o->pieces[p].at_end;
        for (size_t i = 0; i < s->query_count && o->pieces[p].at_end; i++) {
            wwi_query *q = &s->queries[i];
            WWI_TRY(wwi_stream_read(s->stream, o->states[1], (slot * all_points(s) + q->at) * s->value_bytes,
                                    q->n * s->value_bytes, values));
            WWI_TRY(take_skipped_end(s, q, values, s->block.first + o->pieces[p].end - 1));
        }
    }
    return WW_OK;
}

// ---- blocks

// The queries order[0] to order[count - 1] have one tiling.
typedef struct set {
    wwi_open_tiling tiling;
    const uint32_t *order;
    size_t count;
} set;

// The task of a piece with a query; `slot`: where its last column goes, `saves` where that is needed.
static ww_open_task make_task(const ww_search *s, size_t p, size_t i, uint64_t slot, bool saves, bool idle) {
    const struct wwi_open *o = s->open;
    const piece *of = &o->pieces[p];
    const wwi_query *q = &s->queries[i];
    return (ww_open_task){.rows_of = i * s->block.stride + of->begin,
                          .x = q->x,
                          .n = q->n,
                          .x_stride = q->n,
                          .first = s->block.lead + of->begin,
                          .count = of->end - of->begin,
                          .flags = (p == 0 && o->goes_on && of->begin == 0 ? WW_TASK_CONTINUE : 0u) |
                                   (of->at_begin ? WW_TASK_BEGIN : 0u) | (saves ? WW_TASK_SAVE : 0u) |
                                   (idle ? WW_TASK_IDLE : 0u),
                          .state_in = q->at,
                          .state_out = (uint32_t)(slot * all_points(s) + q->at)};
}

// The tasks of all pieces with a set of queries.
static ww_status launch_set(ww_search *s, const set *of, uint32_t columns, const wwi_open_buffers *b) {
    const struct wwi_open *o = s->open;
    const wwi_open_tiling *t = &of->tiling;
    const uint32_t together = wwi_open_together(s, t);
    const size_t each = wwi_ceil_div(of->count, together) * together;
    uint64_t bytes;
    if (!wwi_mul_u64(each, o->piece_count * sizeof(ww_open_task), &bytes) ||
        each * o->piece_count > UINT32_MAX / t->group / t->chain)
        return wwi_fail(WW_ERROR_OVERFLOW, "too many pieces between missing points");
    WWI_FREES ww_open_task *tasks = NULL;
    WWI_TRY(wwi_new(tasks, each * o->piece_count));
    uint64_t slot = 0;
    for (size_t p = 0; p < o->piece_count; p++) {
        const bool goes_on = p + 1 == o->piece_count && last_goes_on(o, columns), ends = o->ends && o->pieces[p].at_end;
        slot += ends;
        for (size_t k = 0; k < each; k++)
            tasks[p * each + k] = make_task(s, p, of->order[k < of->count ? k : of->count - 1], goes_on ? 0 : slot,
                                            goes_on || ends, k >= of->count);
    }
    return wwi_open_launch(s, t, s->streaming, tasks, each * o->piece_count, b);
}

// Queries with one tiling together.
static ww_status launch_queries(ww_search *s, uint32_t columns, const wwi_open_buffers *b) {
    const size_t pieces = s->open->piece_count;
    WWI_FREES wwi_open_tiling *tilings = NULL;
    WWI_FREES uint32_t *order = NULL;
    WWI_TRY(wwi_new(tilings, s->query_count));
    WWI_TRY(wwi_new(order, s->query_count));
    for (size_t i = 0; i < s->query_count; i++)
        tilings[i] = wwi_open_tile(s, s->queries[i].n, s->query_count * pieces, s->streaming);
    for (size_t i = 0; i < s->query_count; i++) {
        set own = {tilings[i], order, 0};
        for (size_t k = i; k < s->query_count; k++)
            if (tilings[k].group && same_tiling(&tilings[k], &own.tiling)) {
                order[own.count++] = (uint32_t)k;
                tilings[k].group = 0; // it is in a set
            }
        if (own.count)
            WWI_TRY(launch_set(s, &own, columns, b));
    }
    return WW_OK;
}

static ww_status grow_states(ww_search *s) {
    struct wwi_open *o = s->open;
    const uint64_t points = all_points(s), starts = s->streaming ? sizeof(int32_t) : 0;
    if ((o->ends + 1) * points > UINT32_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "too many streams and queries with skipped ends");
    // The states of the block before are in [0]; what a smaller buffer had is lost, so these only grow at [1].
    const uint64_t kept = o->states[0] ? 0 : points * s->value_bytes;
    return WWI_GROW(s->context, {&o->states[1], (o->ends + 1) * points * s->value_bytes}, {&o->states[0], kept},
                    {&o->start_states[0], points * starts}, {&o->start_states[1], points * starts},
                    {&o->starts, s->query_count * s->block.stride * starts});
}

// A pushed stream: the places in which the paths to the block's candidates begin.
static ww_status find_starts(ww_search *s, size_t row) {
    const struct wwi_open *o = s->open;
    wwi_query *q = &s->queries[row];
    for (size_t i = 0; i < q->count; i++) {
        wwi_candidate *c = &q->candidates[i];
        if (c->start >= 0)
            continue;
        const uint64_t place = c->place - s->block.first;
        int32_t from = 0;
        WWI_TRY(
            wwi_stream_read(s->stream, o->starts, (row * s->block.stride + place) * sizeof from, sizeof from, &from));
        // Starts count from the begin of a place's piece.
        for (size_t p = 0; p < o->piece_count; p++)
            if (place >= o->pieces[p].begin && place < o->pieces[p].end)
                c->start = (int64_t)s->block.first + o->pieces[p].begin + from;
    }
    return WW_OK;
}

static void count_cells(ww_search *s) {
    for (size_t p = 0; p < s->open->piece_count; p++) {
        const uint64_t places = s->open->pieces[p].end - s->open->pieces[p].begin;
        s->info.places += places * s->query_count;
        s->info.cells += places * all_points(s);
        s->info.cells_started += places * all_points(s);
    }
}

ww_status wwi_open_block(ww_search *s, uint32_t columns) {
    struct wwi_open *o = s->open;
    WWI_TRY(find_pieces(s, columns));
    WWI_TRY(grow_states(s));
    WWI_TRY(wwi_buffer_fill_u32(s->block.out, 0, s->query_count * s->block.stride * s->value_bytes, UINT32_MAX));
    const wwi_open_buffers b = {.values = wwi_block_compared(s),
                                .ends = s->block.out,
                                .starts = o->starts,
                                .states_in = o->states[0],
                                .states_out = o->states[1],
                                .starts_in = o->start_states[0],
                                .starts_out = o->start_states[1],
                                .stride = s->block.stride,
                                .shift = (int32_t)o->shift,
                                .begin_x = wwi_open_begin_x(s)};
    if (o->piece_count)
        WWI_TRY(launch_queries(s, columns, &b));
    count_cells(s);
    WWI_TRY(wwi_collect(s, 0, columns));
    for (size_t q = 0; q < s->query_count && s->streaming; q++)
        WWI_TRY(find_starts(s, q));
    if (o->ends)
        WWI_TRY(take_skipped_ends(s));
    WWI_TRY(wwi_pace_report(&s->pace, (uint64_t)columns * s->query_count));
    o->goes_on = last_goes_on(o, columns);
    o->shift = o->piece_count ? columns - o->pieces[o->piece_count - 1].begin : 0;
    if (o->goes_on) {
        wwi_buffers_swap(&o->states[0], &o->states[1]);
        wwi_buffers_swap(&o->start_states[0], &o->start_states[1]);
    }
    return WW_OK;
}
