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

typedef struct variant {
    uint32_t group, chain, columns, pads;
    bool start, strips;
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
    piece *pieces;                                    // of the last block, where starts are carried along
    size_t piece_count;
};

void wwi_open_destroy(struct wwi_open **open) {
    struct wwi_open *o = *open;
    if (!o)
        return;
    for (size_t i = 0; i < o->variant_count; i++) {
        wwi_kernel_destroy(&o->variants[i].kernel);
        wwi_program_release(&o->variants[i].program);
    }
    wwi_buffer_destroy(&o->tasks);
    for (int i = 0; i < 2; i++) {
        WWI_BUFFERS_DESTROY(&o->states[i], &o->start_states[i]);
    }
    wwi_buffer_destroy(&o->starts);
    free(o->pieces);
    free(o);
    *open = NULL;
}

void wwi_open_restart(ww_search *s) {
    s->open->goes_on = false;
}

// Rows that a lane holds at most.
static uint32_t most_columns(const ww_search *s, bool start) {
    if (s->vector > 1)
        return 8;
    // A value that ERP and MSM alone have in a row: its gap, its cost of a step down.
    const uint32_t own = s->row->flags & WWI_MEASURE_OPEN_STREAMS ? 1 : 0,
                   values = 1 + s->point_channels + (uint32_t)s->row->column_values + own + (start ? 1 : 0);
    // More spill on AMD.
    const uint32_t most = wwi_context_exchange(s->context) == WWI_EXCHANGE_NV_SHFL ? 128 : 96;
    const uint32_t room = s->precision == WW_DOUBLE ? 64 : most;
    return room / values > 1 ? room / values : 1;
}

wwi_open_tiling wwi_open_tile(const ww_search *s, uint32_t n, uint64_t tasks, bool start) {
    const ww_device_info *info = wwi_context_info(s->context);
    const bool exchanges = s->vector == 1 && wwi_context_exchange(s->context) != WWI_EXCHANGE_LOCAL;
    const uint32_t most = most_columns(s, start);
    wwi_open_tiling t = {.group = 1, .chain = 1};
    if (exchanges) {
        const uint32_t width = wwi_context_exchange_width(s->context);
        t.group = width < 32 ? width : 32;
        // Fewer lanes with more rows each are faster where there are tasks enough to fill the device.
        while (t.group > 1 && (uint64_t)n <= (uint64_t)t.group / 2 * most &&
               tasks * (t.group / 2) >= (uint64_t)info->compute_units * 512)
            t.group /= 2;
    }
    // Where tasks are too few to fill the device, or a query is long, several groups take a query one after the other:
    // instead of strips in launches of their own.
    const uint32_t longest = exchanges && t.group == 32 ? LONGEST_CHAIN : 1;
    while (2 * t.chain <= longest &&
           (n > t.group * t.chain * most ||
            (tasks * t.chain < (uint64_t)info->compute_units * 2 && n >= 2 * t.chain * t.group * 12)))
        t.chain *= 2;
    const uint32_t lanes = t.group * t.chain * (uint32_t)s->vector;
    t.strips = (n + lanes * most - 1) / (lanes * most);
    t.columns = (n + lanes * t.strips - 1) / (lanes * t.strips);
    t.pads = 1;
    // Few programs for many lengths.
    if (s->query_count > 8 && s->least_points != s->most_points && t.columns < most) {
        const uint32_t step = s->vector > 1 ? 4 : 8, rounded = (t.columns + step - 1) / step * step;
        t.columns = rounded < most ? rounded : most;
        t.pads = t.columns;
    }
    return t;
}

uint32_t wwi_open_together(const ww_search *s, const wwi_open_tiling *t) {
    const uint32_t items = s->vector > 1 ? 1 : 32;
    return items > t->group && t->chain == 1 ? items / t->group : 1;
}

static uint32_t items_of(const ww_search *s, const wwi_open_tiling *t) {
    return s->vector > 1 ? 1 : wwi_open_together(s, t) * t->group * t->chain;
}

static ww_status find_variant(ww_search *s, const wwi_open_tiling *t, bool start, variant **found) {
    static const char *const texts[] = {"search/search_open.cl", NULL};
    struct wwi_open *o = s->open;
    char options[192];
    for (size_t i = 0; i < o->variant_count; i++) {
        variant *v = &o->variants[i];
        if (v->group == t->group && v->chain == t->chain && v->columns == t->columns && v->pads == t->pads &&
            v->start == start && v->strips == (t->strips > 1)) {
            *found = v;
            return WW_OK;
        }
    }
    if (o->variant_count == VARIANTS) {
        wwi_kernel_destroy(&o->variants[0].kernel);
        wwi_program_release(&o->variants[0].program);
        memmove(&o->variants[0], &o->variants[1], (VARIANTS - 1) * sizeof *o->variants);
        o->variant_count--;
    }
    variant *v = &o->variants[o->variant_count];
    *v = (variant){t->group, t->chain, t->columns, t->pads, start, t->strips > 1, NULL, NULL};
    const uint32_t items = items_of(s, t);
    snprintf(
        options, sizeof options,
        "-DWW_GROUP=%u -DWW_CHAIN=%u -DWW_COLS=%u -DWW_PADS=%u -DWW_START=%d -DWW_STRIPS=%d -DWW_WG=%u -DWW_STEP=%d",
        (unsigned)t->group, (unsigned)t->chain, (unsigned)t->columns, (unsigned)t->pads, start, t->strips > 1,
        (unsigned)items, s->vector > 1 ? 4 : 5);
    const wwi_recurrence_program wanted = {.context = s->context,
                                           .stream = s->stream,
                                           .measure = &s->measure,
                                           .precision = s->precision,
                                           .channels = s->point_channels,
                                           .all_channels = (uint32_t)s->channels,
                                           .extra = s->extra,
                                           .vector = s->vector,
                                           .ends = true,
                                           .exchanges = s->vector == 1,
                                           .texts = texts,
                                           .options = options};
    ww_status status = wwi_recurrence_program_get(&wanted, &v->program);
    if (status == WW_OK)
        status = wwi_kernel_create(s->stream, v->program, "ww_search_open", &v->kernel);
    if (status != WW_OK) {
        wwi_program_release(&v->program);
        return status;
    }
    o->variant_count++;
    *found = v;
    return WW_OK;
}

ww_status wwi_open_launch(ww_search *s, const wwi_open_tiling *t, bool start, const wwi_open_task *tasks, size_t count,
                          const wwi_open_buffers *b) {
    variant *v = NULL;
    ww_status status = find_variant(s, t, start, &v);
    const uint64_t items = items_of(s, t);
    if (status == WW_OK && (status = wwi_grow_buffer(s->context, &s->open->tasks, count * sizeof *tasks)) == WW_OK)
        status = wwi_buffer_write(s->open->tasks, 0, count * sizeof *tasks, tasks);
    for (uint32_t strip = 0; strip < t->strips && status == WW_OK; strip++) {
        const wwi_open_args job = {b->stride,       strip,    t->strips, b->begin_x,
                                   (uint32_t)count, b->shift, 0,         s->parameters.values};
        status = WWI_LAUNCH(v->kernel, (count * t->group * t->chain + items - 1) / items, items, WWI_BUFFER(b->values),
                            WWI_BUFFER(s->x), WWI_BUFFER(s->open->tasks), WWI_BUFFER(b->ends), WWI_BUFFER(b->starts),
                            WWI_BUFFER(b->states_in), WWI_BUFFER(b->states_out), WWI_BUFFER(b->starts_in),
                            WWI_BUFFER(b->starts_out),
                            {WWI_ARG_VALUE, wwi_search_args_bytes(s, offsetof(wwi_open_args, parameters)), &job});
    }
    return status;
}

// In the last block: the place in which the path to a place begins.
static ww_status start_at(ww_search *s, size_t row, uint32_t place, int64_t *start) {
    int32_t from = 0;
    const ww_status status =
        wwi_stream_read(s->stream, s->open->starts, (row * s->block_stride + place) * sizeof from, sizeof from, &from);
    // Starts count from the begin of a place's piece.
    for (size_t p = 0; p < s->open->piece_count; p++)
        if (place >= s->open->pieces[p].begin && place < s->open->pieces[p].end)
            *start = (int64_t)s->first + s->open->pieces[p].begin + from;
    return status;
}

ww_status wwi_open_prepare(ww_search *s) {
    s->open = calloc(1, sizeof *s->open);
    if (!s->open)
        return wwi_fail_memory(sizeof *s->open);
    s->start_at = s->streaming ? start_at : NULL;
    variant *v;
    const wwi_open_tiling t = wwi_open_tile(s, s->queries[0].n, s->query_count, s->streaming);
    return find_variant(s, &t, s->streaming, &v);
}

static bool is_missing(const ww_search *s, const void *values, uint32_t place) {
    bool missing = false;
    if (s->joined.dataset) { // only what is between its streams
        uint64_t begin;
        const size_t i = wwi_joined_stream(&s->joined, s->first + place, &begin);
        return s->first + place + 1 == s->joined.begins[i + 1];
    }
    for (size_t c = 0; c < s->channels; c++) {
        const double value = wwi_host_value(s, values, c * s->block_stride + s->lead + place);
        missing |= value != value;
    }
    return missing;
}

static ww_status find_pieces(const ww_search *s, uint32_t columns, piece **pieces, size_t *count) {
    const void *values = s->derivative ? s->host_derived : s->host_values;
    size_t capacity = 0;
    *count = 0;
    for (uint32_t p = 0; p < columns;) {
        if (is_missing(s, values, p)) {
            p++;
            continue;
        }
        piece own = {.begin = p};
        while (p < columns && !is_missing(s, values, p))
            p++;
        own.end = p;
        uint64_t begin = 0;
        if (!s->streaming) {
            const size_t i = wwi_joined_stream(&s->joined, s->first + own.begin, &begin);
            own.at_begin = s->first + own.begin == begin;
            own.at_end = s->first + own.end + (s->derivative ? 2 : 0) + 1 == s->joined.begins[i + 1];
        } else {
            own.at_begin = s->first + own.begin == 0;
        }
        const ww_status status = wwi_grow(pieces, &capacity, *count + 1, sizeof **pieces);
        if (status != WW_OK)
            return status;
        (*pieces)[(*count)++] = own;
    }
    return WW_OK;
}

// What ww_final() of the recurrence makes of a query's cell.
static double final_value(const ww_search *s, const wwi_query *q, double value) {
    if (s->measure.id == WW_EDR && s->measure.parameters[1] != 0.0) // normalised
        value = wwi_search_round(s, value / q->n);
    return s->measure.root ? wwi_search_round(s, sqrt(value)) : value;
}

// Candidates where a stream ends and the query's end may be skipped, from the last column of such pieces: the best row,
// of equal ones the first.
static ww_status take_skipped_ends(ww_search *s, const piece *pieces, size_t count, uint64_t points) {
    const size_t relaxed = s->measure.relax_end_x;
    ww_status status = WW_OK;
    uint32_t slot = 0;
    unsigned char *values = malloc((size_t)(s->most_points * s->value_bytes));
    if (!values)
        return wwi_fail_memory(s->most_points * s->value_bytes);
    for (size_t p = 0; p < count && status == WW_OK; p++) {
        if (!pieces[p].at_end)
            continue;
        slot++;
        for (size_t i = 0; i < s->query_count && status == WW_OK; i++) {
            wwi_query *q = &s->queries[i];
            wwi_candidate best = {INFINITY, s->first + pieces[p].end - 1, 0, -1};
            if ((status = wwi_stream_read(s->stream, s->open->states[1], (slot * points + q->at) * s->value_bytes,
                                          q->n * s->value_bytes, values)) != WW_OK)
                break;
            for (uint32_t r = q->n > relaxed ? q->n - 1 - (uint32_t)relaxed : 0; r + 1 < q->n; r++) {
                const double value = wwi_host_value(s, values, r);
                if (value < best.value) {
                    best.value = value;
                    best.row = r;
                }
            }
            best.value = final_value(s, q, best.value);
            if (best.value <= q->limit && isfinite(best.value))
                status = wwi_candidates_add_row(s, q, &best);
        }
    }
    free(values);
    return status;
}

// The tasks of all pieces with queries [first, end), which have one tiling.
static ww_status launch_queries(ww_search *s, const wwi_open_tiling *t, const uint32_t *order, size_t first, size_t end,
                                const piece *pieces, size_t count, uint64_t points, bool saves_all,
                                const wwi_open_buffers *b, bool last_goes_on) {
    const uint32_t together = wwi_open_together(s, t);
    const size_t each = (end - first + together - 1) / together * together;
    uint64_t bytes;
    if (!wwi_mul_u64(each, count * sizeof(wwi_open_task), &bytes) || each * count > UINT32_MAX / t->group / t->chain)
        return wwi_fail(WW_ERROR_OVERFLOW, "too many pieces between missing points");
    wwi_open_task *tasks = malloc((size_t)bytes);
    if (!tasks)
        return wwi_fail_memory(bytes);
    uint32_t slot = 0;
    for (size_t p = 0; p < count; p++) {
        const bool goes_on = p + 1 == count && last_goes_on, ends = saves_all && pieces[p].at_end;
        slot += ends;
        for (size_t k = 0; k < each; k++) {
            const size_t i = order[first + k < end ? first + k : end - 1];
            const wwi_query *q = &s->queries[i];
            const uint32_t own = goes_on ? 0 : slot;
            tasks[p * each + k] = (wwi_open_task){
                .rows_of = i * s->block_stride + pieces[p].begin,
                .x = q->x,
                .n = q->n,
                .x_stride = q->n,
                .first = s->lead + pieces[p].begin,
                .count = pieces[p].end - pieces[p].begin,
                .flags = (p == 0 && s->open->goes_on && pieces[0].begin == 0 ? WWI_TASK_CONTINUE : 0u) |
                         (pieces[p].at_begin ? WWI_TASK_BEGIN : 0u) | (goes_on || ends ? WWI_TASK_SAVE : 0u) |
                         (first + k < end ? 0u : WWI_TASK_IDLE),
                .state_in = q->at,
                .state_out = (uint32_t)(own * points + q->at)};
        }
    }
    const ww_status status = wwi_open_launch(s, t, s->streaming, tasks, each * count, b);
    free(tasks);
    return status;
}

static bool same_tiling(const wwi_open_tiling *a, const wwi_open_tiling *b) {
    return a->group == b->group && a->chain == b->chain && a->columns == b->columns && a->pads == b->pads &&
           a->strips == b->strips;
}

ww_status wwi_open_block(ww_search *s, uint32_t columns) {
    struct wwi_open *o = s->open;
    ww_status status = WW_OK;
    piece *pieces = NULL;
    size_t count = 0, ends = 0;
    const wwi_query *last = &s->queries[s->query_count - 1];
    const uint64_t points = (uint64_t)last->at + last->n;
    const bool saves_all = s->measure.relax_end_x > 0;
    wwi_open_tiling *tilings = malloc(s->query_count * sizeof *tilings);
    uint32_t *order = malloc(s->query_count * sizeof *order);

    if (!tilings || !order) {
        status = wwi_fail_memory(s->query_count * sizeof *tilings);
        goto done;
    }
    if ((status = find_pieces(s, columns, &pieces, &count)) != WW_OK)
        goto done;
    for (size_t p = 0; saves_all && p < count; p++)
        ends += pieces[p].at_end;
    if ((ends + 1) * points > UINT32_MAX) {
        status = wwi_fail(WW_ERROR_OVERFLOW, "too many streams and queries with skipped ends");
        goto done;
    }
    if ((status = wwi_buffer_fill_u32(s->out, 0, s->query_count * s->block_stride * s->value_bytes, UINT32_MAX)) !=
        WW_OK)
        goto done;
    for (int i = 0; i < 2; i++) {
        // The states of the block before are in [0]; what a smaller buffer had is lost, so these only grow at [1].
        if ((status = wwi_grow_buffer(s->context, &o->states[1], (ends + 1) * points * s->value_bytes)) != WW_OK ||
            (!o->states[0] &&
             (status = wwi_buffer_create(s->context, points * s->value_bytes, &o->states[0])) != WW_OK))
            goto done;
        if (s->streaming &&
            (status = wwi_grow_buffer(s->context, &o->start_states[i], points * sizeof(int32_t))) != WW_OK)
            goto done;
    }
    if (s->streaming &&
        (status = wwi_grow_buffer(s->context, &o->starts, s->query_count * s->block_stride * sizeof(int32_t))) != WW_OK)
        goto done;
    const bool goes_on = count && pieces[count - 1].end == columns && !pieces[count - 1].at_end;
    const wwi_open_buffers b = {
        .values = s->derivative ? s->derived : s->values,
        .ends = s->out,
        .starts = o->starts,
        .states_in = o->states[0],
        .states_out = o->states[1],
        .starts_in = o->start_states[0],
        .starts_out = o->start_states[1],
        .stride = s->block_stride,
        .shift = (int32_t)o->shift,
        .begin_x = s->measure.relax_begin_x > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)s->measure.relax_begin_x};
    // Queries with one tiling together.
    size_t placed = 0;
    for (size_t i = 0; i < s->query_count; i++)
        tilings[i] = wwi_open_tile(s, s->queries[i].n, s->query_count * (count ? count : 1), s->streaming);
    for (size_t i = 0; count && i < s->query_count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = same_tiling(&tilings[k], &tilings[i]);
        if (seen)
            continue;
        const size_t first = placed;
        for (size_t k = i; k < s->query_count; k++)
            if (same_tiling(&tilings[k], &tilings[i]))
                order[placed++] = (uint32_t)k;
        if ((status = launch_queries(s, &tilings[i], order, first, placed, pieces, count, points, saves_all, &b,
                                     goes_on)) != WW_OK)
            goto done;
    }
    for (size_t p = 0; p < count; p++) {
        const uint64_t places = pieces[p].end - pieces[p].begin;
        s->info.places += places * s->query_count;
        s->info.cells += places * points;
        s->info.cells_started += places * points;
    }
    if (s->streaming) {
        free(o->pieces);
        o->pieces = pieces;
        o->piece_count = count;
    }
    if ((status = wwi_collect(s, 0, columns)) != WW_OK)
        goto done;
    if (ends && (status = take_skipped_ends(s, pieces, count, points)) != WW_OK)
        goto done;
    if ((status = wwi_pace_report(&s->pace, (uint64_t)columns * s->query_count)) != WW_OK)
        goto done;
    o->goes_on = goes_on;
    o->shift = count ? columns - pieces[count - 1].begin : 0;
    if (goes_on) {
        wwi_buffer *state = o->states[0], *start = o->start_states[0];
        o->states[0] = o->states[1];
        o->states[1] = state;
        o->start_states[0] = o->start_states[1];
        o->start_states[1] = start;
    }
done:
    if (pieces != o->pieces)
        free(pieces);
    free(order);
    free(tilings);
    return status;
}
