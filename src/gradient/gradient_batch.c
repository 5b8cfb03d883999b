// SPDX-License-Identifier: Apache-2.0
// Which tasks are computed at a time, where their parts are in the scratch buffers, and which outputs they add to.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gradient/gradient.h"
#include "measure/band.h"

#define MOST_TASKS (1u << 20)
#define TILE_COUNTER 4 // values
#define TILE_HASTE 4   // by tiles cells are faster than the first guess
#define MANY_ENTRIES 64

static uint32_t blocks(uint32_t points, uint32_t size) {
    return (points + size - 1) / size;
}

// A task of so many blocks, and the values that it needs.
typedef struct need {
    uint32_t tall, wide;
    uint64_t packed, carried, checkpoints, edges, slopes, sums, heads, table, weights;
} need;

// By tiles, of a point where it is packed.
static uint64_t point_values(const ww_gradient *g) {
    return g->form.parts ? g->form.parts : 1;
}

static need need_of(const ww_gradient *g, uint32_t tall, uint32_t wide, uint32_t segment) {
    const uint64_t rows = (uint64_t)tall * g->form.rows, columns = (uint64_t)wide * g->form.columns;
    const uint64_t carried = columns + ((uint64_t)tall * (g->form.rows + 1) + 3) / 4 * 4;
    const uint64_t table = g->form.weighed ? rows * ((columns + 3) / 4 * 4) : 0;
    return (need){
        .tall = tall,
        .wide = wide,
        // By tiles points, slopes and what the pass back hands on have the same places, times the values of a point.
        .packed = g->form.wave    ? 0
                  : g->form.tiles ? carried * point_values(g)
                                  : (rows + columns) * g->form.parts,
        .carried = g->form.wave ? 0 : carried,
        // By tiles a word more of each of a row's blocks, in fours.
        // By waves the shares of each step.
        .checkpoints = g->form.wave
                           ? rows * 2 * (columns + WWI_WAVE_BESIDE)
                           : (uint64_t)tall * (segment * g->form.noted + (g->form.tiles ? (segment + 3) / 4 * 4 : 0)),
        .edges = segment < wide ? (wide - 1) / segment * rows : 0,
        .slopes = g->form.tiles && !g->form.weighed ? carried * point_values(g)
                  : g->form.direct                  ? 0
                                                    : (rows + columns) * g->form.channels * (g->form.before ? 2 : 1),
        .table = g->form.tabled ? table : 0,
        .weights = g->form.weighed && (g->form.tiles || g->form.wave) ? table : 0,
        .heads = g->form.tiles ? 4 * (TILE_COUNTER + wide / WWI_SIDE_BY_SIDE + 1ull) : 0,
        .sums = (tall + 2ull) * g->form.parameters + (g->options.weights ? rows + columns + g->form.columns : 0),
    };
}

static uint64_t bytes_of(const ww_gradient *g, need n) {
    return (n.packed + 2 * n.carried + n.checkpoints + n.edges + n.slopes + n.sums + n.heads + n.table + n.weights) *
               g->pair.value_bytes +
           sizeof(ww_gradient_task) + 6 * sizeof(ww_gradient_entry);
}

static uint64_t scratch_budget(const ww_gradient *g) {
    const wwi_buffer *have[] = {
        g->scratch.packed, g->scratch.carried, g->scratch.adjoints, g->scratch.checkpoints, g->scratch.more_checkpoints,
        g->scratch.edges,  g->scratch.slopes,  g->scratch.sums,     g->scratch.table,       g->scratch.weights};
    uint64_t budget = wwi_context_bytes_free(g->pair.context) / 2;
    for (size_t i = 0; i < sizeof have / sizeof *have; i++)
        budget += have[i] ? wwi_buffer_bytes(have[i]) / 2 : 0;
    // By waves a part of the memory fills the device as well.
    if (g->form.wave && budget > WWI_WAVE_AT_ONCE)
        budget = WWI_WAVE_AT_ONCE;
    return g->max_bytes ? g->max_bytes : budget;
}

static uint64_t larger_table(need n) {
    return n.table > n.weights ? n.table : n.weights;
}

// Whether a batch of one task fits, all together and each of its buffers.
static bool fits(const ww_gradient *g, need n, uint64_t budget) {
    const uint64_t size = g->pair.value_bytes;
    const uint64_t most = wwi_context_max_buffer(g->pair.context) / size;
    return bytes_of(g, n) <= budget && n.checkpoints <= most && larger_table(n) + WWI_TABLE_SLACK <= most;
}

// ---- sizes

static void add_task(const ww_gradient *g, wwi_gradient_batch *b, const wwi_gradient_pair *pair) {
    b->cells += wwi_pairing_cells(&g->pair, pair->n, pair->m);
    b->count++;
}

static uint64_t largest_bytes(const ww_gradient *g, size_t first, uint32_t stride, uint32_t *tall, uint32_t *wide) {
    *tall = *wide = 1;
    for (size_t t = first; t < g->task_count && t < first + stride; t++) {
        const uint32_t high = blocks(g->tasks[t].n, g->form.rows), broad = blocks(g->tasks[t].m, g->form.columns);
        *tall = high > *tall ? high : *tall;
        *wide = broad > *wide ? broad : *wide;
    }
    return bytes_of(g, need_of(g, *tall, *wide, *wide)) * stride;
}

// One task in segments of as many columns of blocks as fit.
static ww_status cut_segments(const ww_gradient *g, wwi_gradient_batch *b, uint64_t budget) {
    const wwi_gradient_pair *pair = &g->tasks[b->first];
    const uint32_t tall = blocks(pair->n, g->form.rows), wide = blocks(pair->m, g->form.columns);
    uint32_t least = 1, most = wide;
    // What a segment needs grows with its columns but for the edges, which are least where it is half the matrix.
    while (most > 1 && !fits(g, need_of(g, tall, wide, most), budget))
        most = most / 2 + (most > 2 && most % 2);
    if (!fits(g, need_of(g, tall, wide, most), budget)) {
        wwi_fail(WW_ERROR_DEVICE_MEMORY,
                 "a gradient of series of %" PRIu32 " and %" PRIu32 " points needs %" PRIu64 " bytes of scratch, there "
                 "are %" PRIu64,
                 pair->n, pair->m, bytes_of(g, need_of(g, tall, wide, most)), budget);
        return wwi_fail_hint("raise max_bytes, or use a device with more memory");
    }
    for (least = most, most = 2 * most < wide ? 2 * most : wide; least < most;) {
        const uint32_t middle = least + (most - least + 1) / 2;
        if (fits(g, need_of(g, tall, wide, middle), budget))
            least = middle;
        else
            most = middle - 1;
    }
    b->later = SIZE_MAX;
    b->segment = least;
    b->segments = blocks(wide, least);
    b->tall = tall;
    b->wide = wide;
    add_task(g, b, pair);
    return WW_OK;
}

// As many tasks as fit, `most` at most: their sizes, and where the second buffer of checkpoints begins.
static void fill_batch(const ww_gradient *g, wwi_gradient_batch *b, uint64_t budget, size_t most) {
    const uint64_t size = g->pair.value_bytes;
    const uint64_t largest = wwi_context_max_buffer(g->pair.context);
    uint64_t used = 0, used_checkpoints = 0, used_table = WWI_TABLE_SLACK * size;
    uint32_t tall, wide;
    b->tall = b->wide = 0;
    b->cells = b->count = 0;
    b->later = SIZE_MAX;
    while (b->first + b->count < g->task_count && b->count < most) {
        const uint64_t more = largest_bytes(g, b->first + b->count, b->stride, &tall, &wide);
        const uint64_t more_checkpoints = need_of(g, tall, wide, wide).checkpoints * b->stride * size;
        const uint64_t more_table = larger_table(need_of(g, tall, wide, wide)) * b->stride * size;
        if (used + more > budget || used_table + more_table > largest)
            return;
        used_table += more_table;
        if (used_checkpoints + more_checkpoints > largest) {
            // By tiles there are two buffers of checkpoints.
            if (!g->form.tiles || b->later != SIZE_MAX || more_checkpoints > largest)
                return;
            b->later = b->count;
            used_checkpoints = 0;
        }
        used += more;
        used_checkpoints += more_checkpoints;
        b->tall = tall > b->tall ? tall : b->tall;
        b->wide = wide > b->wide ? wide : b->wide;
        for (uint32_t lane = 0; lane < b->stride && b->first + b->count < g->task_count; lane++)
            add_task(g, b, &g->tasks[b->first + b->count]);
    }
}

// Pairs enough to give each work-item its own. On a CPU a vector of pairs for every other core: blocks of one diagonal
// take it twice the work, and a launch a diagonal.
static uint64_t enough_pairs(const ww_gradient *g) {
    ww_context *context = g->pair.context;
    const long fill = g->form.tiles         ? (g->form.may_chain ? 88 : 32)
                      : wwi_is_gpu(context) ? 128
                                            : (long)(g->form.vector + 1) / 2;
    return wwi_compute_units(context) * (uint64_t)wwi_tuning(context, "gradient.fill", NULL, fill);
}

static ww_status take_tasks(const ww_gradient *g, size_t first, wwi_gradient_batch *b) {
    const uint64_t budget = scratch_budget(g);
    uint32_t tall, wide;
    b->first = first;
    b->segments = 1;
    const uint64_t enough = enough_pairs(g);
    // Neighbouring work-items, or the lanes of a vector, then read neighbouring words. Of few pairs, a vector's lanes
    // are better blocks of one diagonal.
    const uint32_t side = g->form.vector == 1 ? WWI_SIDE_BY_SIDE : g->form.vector;
    const uint64_t least = g->form.vector == 1 ? WWI_SIDE_BY_SIDE : enough;
    b->stride = !g->form.wave && g->task_count - first >= least ? side : 1;
    if (largest_bytes(g, first, b->stride, &tall, &wide) > budget)
        b->stride = 1;
    fill_batch(g, b, budget, MOST_TASKS);
    // Of several batches none is much smaller than the others, which would leave work-items without a pair.
    const size_t left = g->task_count - first, batches = b->count ? wwi_ceil_div(left, b->count) : 1;
    if (batches > 1 && b->count >= 2 * enough)
        fill_batch(g, b, budget, wwi_ceil_div(left, batches));
    if (b->count == 0)
        return cut_segments(g, b, budget);
    b->segment = b->wide;
    b->whole = b->count >= enough && g->form.slope_channels == g->form.channels;
    // One launch of what does not last too long; by a guess, because results must not depend on times.
    if (g->form.may_chain && b->stride > 1 && (double)b->cells < TILE_HASTE * g->guess * g->pace.aim) {
        b->chained[1] = !b->whole;
        b->chained[0] = !b->whole || b->count < wwi_compute_units(g->pair.context) * WWI_TILE_AHEAD;
    }
    return WW_OK;
}

// ---- the tables of a batch

// Bands: a number for each pair of lengths, and the words that the kernels read by it (kernels_cl/base/band.cl).
static ww_status add_band(const ww_gradient *g, const wwi_gradient_pair *pair, wwi_words *heads, wwi_words *rows,
                          ww_gradient_task *last) {
    const ww_band *band = &g->pair.measure.band;
    const wwi_band_form form = g->pair.recurrence.band;
    if (last && last->n == pair->n && last->m == pair->m)
        return WW_OK;
    if (form != WWI_BAND_TABLE && form != WWI_BAND_SLANTED)
        return WW_OK;
    WWI_TRY(wwi_words_reserve(heads, 1));
    if (form == WWI_BAND_SLANTED) {
        heads->data[heads->count++] = (uint32_t)wwi_band_thickness(band, pair->n < pair->m ? pair->n : pair->m);
        return WW_OK;
    }
    heads->data[heads->count++] = (uint32_t)rows->count;
    if (rows->count > UINT32_MAX / 4)
        return wwi_fail(WW_ERROR_OVERFLOW, "the tables of the bands are too large");
    return wwi_band_table(band, pair->n, pair->m, rows);
}

// By tiles: the counters ahead of the values of pairs. The first of `chained` counts the pairs that are taken.
static uint64_t head_values(const ww_gradient *g, const wwi_gradient_batch *b) {
    if (!g->form.tiles)
        return 0;
    const uint64_t strips = b->chained[0] || b->chained[1] ? wwi_ceil_div(b->count, b->stride) * b->wide : 0;
    return TILE_COUNTER + (strips + 3) / 4 * 4;
}

// Task `number` of the batch. Those side by side begin at the batch's values so far, and all have the blocks of the
// largest; points are repeated to fill them.
static ww_gradient_task place_task(const ww_gradient *g, const wwi_gradient_batch *b, size_t number, need n) {
    const size_t lane = number % b->stride;
    const wwi_gradient_pair *pair = &g->tasks[b->first + number];
    const bool aligned = pair->pair != WWI_NO_PAIR;
    const uint64_t rows = (uint64_t)n.tall * g->form.rows;
    // From a pair to that beside it. By tiles only what the pass forward hands on lies side by side, in fours.
    const uint64_t s = g->form.tiles ? 1 : b->stride, side = g->form.tiles ? 4 : 1;
    const uint64_t points = g->form.tiles ? n.packed : 1, slopes = g->form.tiles ? n.slopes : 1;
    ww_gradient_task task = {.n = pair->n,
                             .m = pair->m,
                             .x_id = pair->x_id,
                             .y_id = pair->y_id,
                             .tall = n.tall,
                             .wide = n.wide,
                             .number = (uint32_t)number,
                             .x = b->packed + lane * points,
                             .carried = b->carried + lane * side,
                             .checkpoints = b->checkpoints + lane * side,
                             .later = number >= b->later,
                             .edges = b->edges + lane * side,
                             .x_slopes = b->slopes + lane * slopes,
                             .sums = b->sums + lane,
                             .table = b->table,
                             .aligned = aligned};
    task.y = task.x + rows * g->form.parts * s;
    task.y_slopes = task.x_slopes + rows * g->form.channels * (g->form.before ? 2 : 1) * s;
    task.lags = task.sums + (n.tall + 2ull) * g->form.parameters * s;
    if (g->form.direct) {
        task.number = pair->pair;
        task.x_slopes = g->sides[0].offsets[pair->pair]; // a series that has an output has its pair's number
        task.y_slopes = g->sides[1].offsets[pair->pair];
    }
    if (aligned && g->alignment_offsets)
        task.alignment = g->alignment_offsets[pair->pair];
    return task;
}

static void add_needs(wwi_gradient_batch *b, need n) {
    b->packed += n.packed * b->stride;
    b->carried += n.carried * b->stride;
    b->checkpoints += n.checkpoints * b->stride;
    b->edges += n.edges * b->stride;
    b->slopes += n.slopes * b->stride;
    b->sums += n.sums * b->stride;
}

// Fills the tasks, the batch's values and the words of its bands.
static ww_status place_tasks(const ww_gradient *g, wwi_gradient_batch *b, ww_gradient_task *tasks, wwi_words *heads,
                             wwi_words *rows) {
    uint64_t first_part = 0;
    b->carried = b->head = head_values(g, b);
    b->packed = b->slopes = b->head * point_values(g);
    for (size_t t = 0; t < b->count; t += b->stride) {
        uint32_t tall, wide;
        (void)largest_bytes(g, b->first + t, b->stride, &tall, &wide);
        if (t == b->later) {
            first_part = b->checkpoints;
            b->checkpoints = 0;
        }
        const need n = need_of(g, tall, wide, b->segment < wide ? b->segment : wide);
        for (size_t i = t; i < t + b->stride && i < b->count; i++) {
            ww_gradient_task *task = &tasks[i];
            *task = place_task(g, b, i, n);
            b->table += g->form.weighed ? task->n * ((task->m + 3ull) / 4 * 4) : 0;
            WWI_TRY(add_band(g, &g->tasks[b->first + i], heads, rows, i ? task - 1 : NULL));
            task->band = heads->count ? (uint32_t)heads->count - 1 : 0;
        }
        add_needs(b, n);
    }
    b->more_checkpoints = b->later < b->count ? b->checkpoints : 0;
    b->checkpoints = b->later < b->count ? first_part : b->checkpoints;
    return WW_OK;
}

// Bands that are tables have them behind all heads, which say where each begins.
static ww_status append_tables(wwi_words *heads, const wwi_words *rows) {
    const size_t count = heads->count;
    if (rows->count == 0)
        return WW_OK;
    WWI_TRY(wwi_words_reserve(heads, rows->count));
    for (size_t h = 0; h < count; h++)
        heads->data[h] += (uint32_t)count;
    memcpy(heads->data + count, rows->data, rows->count * sizeof *rows->data);
    heads->count += rows->count;
    return WW_OK;
}

// What the kernels of a table of costs are told: the order's ids have a bit where a series is not of its usual side.
static ww_status send_table(const ww_gradient *g, wwi_gradient_batch *b, const ww_gradient_task *tasks) {
    ww_context *context = g->pair.context;
    WWI_FREES uint32_t *order = NULL, *tiles = NULL;
    WWI_FREES uint64_t *places = NULL;
    const size_t row = b->count + 1;
    WWI_TRY(wwi_new_zeroed(order, 3 * b->count));
    WWI_TRY(wwi_new_zeroed(tiles, 3 * row));
    WWI_TRY(wwi_new_zeroed(places, 2 * b->count));
    const uint32_t across = (uint32_t)wwi_ceil_div(g->form.channels, g->form.across);
    for (size_t t = 0; t < b->count; t++) {
        const uint32_t n = tasks[t].n, m = tasks[t].m;
        const uint32_t high = blocks(n, WWI_TABLE_TILE), broad = blocks(m, WWI_TABLE_TILE);
        order[3 * t] = tasks[t].x_id;
        order[3 * t + 1] = tasks[t].y_id ^ WWI_OTHER_SIDE;
        places[2 * t] = WW_TABLE_ENTRY(tasks[t].table, (m + 3) / 4 * 4);
        tiles[t + 1] = tiles[t] + high * broad;
        tiles[row + t + 1] = tiles[row + t] + high * across;
        tiles[2 * row + t + 1] = tiles[2 * row + t] + broad * across;
    }
    for (size_t k = 0; k < 3; k++) {
        b->tiles[k] = tiles[k * row + b->count];
        WWI_TRY(wwi_upload(context, &b->table_tiles[k], tiles + k * row, row * sizeof *tiles));
    }
    WWI_TRY(wwi_upload(context, &b->table_order, order, 3 * b->count * sizeof *order));
    return wwi_upload(context, &b->table_places, places, 2 * b->count * sizeof *places);
}

static ww_status make_tasks(const ww_gradient *g, wwi_gradient_batch *b) {
    WWI_ENDS(wwi_words_free) wwi_words heads = {NULL, 0, 0}, rows = {NULL, 0, 0};
    WWI_FREES ww_gradient_task *tasks = NULL;
    WWI_TRY(wwi_new_zeroed(tasks, b->count));
    WWI_TRY(place_tasks(g, b, tasks, &heads, &rows));
    WWI_TRY(append_tables(&heads, &rows));
    if (g->form.weighed)
        WWI_TRY(send_table(g, b, tasks));
    WWI_TRY(wwi_upload(g->pair.context, &b->tasks, tasks, b->count * sizeof *tasks));
    return wwi_upload(g->pair.context, &b->band, heads.data, heads.count * sizeof *heads.data);
}

// ---- what adds to which output

typedef struct addend {
    uint32_t output, order;
    ww_gradient_entry entry;
} addend;

typedef struct addends {
    addend *data;
    size_t count, capacity;
} addends;

static ww_status add(addends *to, uint64_t output, uint32_t task, uint32_t role, uint32_t pair, float factor) {
    WWI_TRY(wwi_grow(&to->data, &to->capacity, to->count + 1, sizeof *to->data));
    to->data[to->count] = (addend){(uint32_t)output, (uint32_t)to->count, {task, role, pair, factor}};
    to->count++;
    return WW_OK;
}

static int by_output(const void *a, const void *b) {
    const addend *p = a, *q = b;
    if (p->output != q->output)
        return p->output < q->output ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

// Entries sorted by their outputs: those of a side's series; `side` NULL: numbers.
static ww_status send_list(const ww_gradient *g, addends *from, const wwi_gradient_side *side,
                           wwi_gradient_list *list) {
    const size_t count = from->count;
    WWI_FREES ww_gradient_entry *entries = NULL;
    WWI_FREES uint32_t *begins = NULL;
    WWI_FREES uint64_t *places = NULL;
    WWI_TRY(wwi_new(entries, count + 1));
    WWI_TRY(wwi_new(begins, count + 1));
    WWI_TRY(wwi_new(places, (count + 1) * 2));
    uint32_t *numbers = (uint32_t *)(void *)places;
    if (count)
        qsort(from->data, count, sizeof *from->data, by_output);
    list->count = list->most = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t output = from->data[i].output;
        entries[i] = from->data[i].entry;
        if (i && output == from->data[i - 1].output)
            continue;
        begins[list->count] = (uint32_t)i;
        if (side) {
            const uint32_t points = side->given->lengths[g->options.per_pair ? side->of[output] : output];
            places[2 * list->count] = side->offsets[output];
            places[2 * list->count + 1] = points;
            list->most = points > list->most ? points : list->most;
        } else {
            numbers[list->count] = output;
        }
        list->count++;
    }
    begins[list->count] = (uint32_t)count;
    list->many = list->count && count / list->count >= MANY_ENTRIES;
    ww_context *context = g->pair.context;
    WWI_TRY(wwi_upload(context, &list->entries, entries, count * sizeof *entries));
    WWI_TRY(wwi_upload(context, &list->begins, begins, (list->count + 1ull) * sizeof *begins));
    return wwi_upload(context, &list->outputs, places, list->count * (side ? 16ull : 4ull));
}

typedef struct sums {
    addends rows, columns, pairs;
} sums;

static void sums_free(sums *s) {
    free(s->rows.data);
    free(s->columns.data);
    free(s->pairs.data);
}

// What task `number` of the batch adds to the outputs of pair p.
static ww_status add_pair(const ww_gradient *g, uint32_t number, uint32_t p, sums *to) {
    const bool each = g->options.per_pair != 0;
    WWI_TRY(add(&to->rows, each ? p : g->sides[0].of[p], number, 0, p, 1.0f));
    WWI_TRY(add(&to->columns, each ? p : g->sides[1].of[p], number, 1, p, 1.0f));
    return add(&to->pairs, p, number, 0, p, 1.0f);
}

// A series with itself: half of it, less, for every pair that the series is in, and by both of its places.
static ww_status add_itself(const ww_gradient *g, uint32_t number, uint32_t series, sums *to) {
    const bool column = (series & WWI_OTHER_SIDE) != 0;
    const uint32_t id = series & ~WWI_OTHER_SIDE;
    const wwi_gradient_side *s = &g->sides[column];
    addends *side = column ? &to->columns : &to->rows;
    for (size_t i = s->begin[id]; i < s->begin[id + 1]; i++) {
        const uint32_t p = s->pairs[i], output = g->options.per_pair ? p : id;
        WWI_TRY(add(side, output, number, 0, p, -0.5f));
        WWI_TRY(add(side, output, number, 1, p, -0.5f));
        WWI_TRY(add(&to->pairs, p, number, 0, p, -0.5f));
    }
    return WW_OK;
}

static ww_status make_lists(const ww_gradient *g, wwi_gradient_batch *b) {
    WWI_ENDS(sums_free) sums all = {.rows = {NULL, 0, 0}};
    for (uint32_t t = 0; t < b->count; t++) {
        const wwi_gradient_pair *task = &g->tasks[b->first + t];
        WWI_TRY(task->pair != WWI_NO_PAIR ? add_pair(g, t, task->pair, &all) : add_itself(g, t, task->x_id, &all));
    }
    WWI_TRY(send_list(g, &all.rows, &g->sides[0], &b->rows));
    WWI_TRY(send_list(g, &all.columns, &g->sides[1], &b->columns));
    return send_list(g, &all.pairs, NULL, &b->pairs);
}

void wwi_gradient_batch_close(wwi_gradient_batch *b) {
    wwi_gradient_list *lists[] = {&b->rows, &b->columns, &b->pairs};
    WWI_BUFFERS_DESTROY(&b->tasks, &b->band, &b->table_order, &b->table_places, &b->table_tiles[0], &b->table_tiles[1],
                        &b->table_tiles[2]);
    for (size_t i = 0; i < 3; i++)
        WWI_BUFFERS_DESTROY(&lists[i]->entries, &lists[i]->begins, &lists[i]->outputs);
    memset(b, 0, sizeof *b);
}

ww_status wwi_gradient_batch_make(ww_gradient *g, size_t first, wwi_gradient_batch *b) {
    memset(b, 0, sizeof *b);
    WWI_TRY(take_tasks(g, first, b));
    if (!(b->chained[0] && b->chained[1]))
        WWI_TRY(wwi_gradient_passes(g, b->stride, false));
    if (b->chained[0] || b->chained[1])
        WWI_TRY(wwi_gradient_passes(g, b->stride, true));
    WWI_TRY(make_tasks(g, b));
    return g->form.direct ? WW_OK : make_lists(g, b);
}
