// SPDX-License-Identifier: Apache-2.0
// Plans of warping paths: creating them, and paths as index pairs on the host. How they are found: path_find.c.
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

#include "data/transform.h"
#include "measure/measure_table.h"
#include "options.h"

static void paths_destroy(ww_plan *p) {
    free(p->pairs);
    wwi_paths *own = p->own;
    if (own)
        WWI_BUFFERS_DESTROY(&own->table, &own->edges, &own->directions, &own->steps, &own->values);
    free(own);
}

const wwi_job_class wwi_paths_job = {"ww_plan_run_paths", NULL, NULL, NULL, paths_destroy};

static ww_status check_measure(const ww_measure *measure, size_t channels) {
    if (wwi_measure_is_soft(measure)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a soft minimum has no warping path");
        return wwi_fail_hint("set gamma to 0");
    }
    if (measure->independent && channels > 1) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%zu independent channels have a warping path each", channels);
        return wwi_fail_hint("set independent to 0 (--dependent), or take one channel at a time");
    }
    return WW_OK;
}

// The engine by device and channels where none is asked for.
static ww_status choose_engine(const ww_dataset *rows, ww_plan_options *options) {
    const bool loses = wwi_context_loses_arrays(rows->context);
    if (options->engine == WW_ENGINE_AUTO) {
        options->engine =
            wwi_is_gpu(rows->context) || loses || rows->channels > VECTOR_CHANNELS ? WW_ENGINE_LANES : WW_ENGINE_PACKED;
    }
    if (options->engine != WW_ENGINE_LANES && options->engine != WW_ENGINE_PACKED) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "engine %s finds no warping paths", ww_word(WW_WORD_ENGINE, options->engine));
        return wwi_fail_hint("engines lanes and packed do");
    }
    if (options->engine == WW_ENGINE_PACKED && loses)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "engine packed: this driver computes it wrongly");
    if (options->engine == WW_ENGINE_PACKED && rows->channels > VECTOR_CHANNELS)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "engine packed: too many channels (limit %d)", VECTOR_CHANNELS);
    return WW_OK;
}

static ww_status create(const wwi_plan_creation *from, ww_dataset *rows, ww_dataset *columns,
                        const ww_plan_options *options, ww_plan **plan) {
    WWI_ENDS(ww_plan_destroy) ww_plan *p = NULL;
    ww_plan_options o = WW_PLAN_OPTIONS_INIT;
    ww_measure taken;
    if (!rows || !columns)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rows or the columns are NULL");
    WWI_TRY(wwi_pairs_check(from->row_index, from->column_index, from->count));
    WWI_TRY(wwi_options_take(&o, options, "ww_plan_options"));
    WWI_TRY(wwi_measure_take(from->measure, &taken));
    WWI_TRY(check_measure(&taken, rows->channels));
    WWI_TRY(choose_engine(rows, &o));
    WWI_TRY(wwi_plan_create(&wwi_paths_job, &taken, rows, columns, &o, &p));
    wwi_paths *own;
    WWI_TRY(wwi_new_zeroed(own, 1));
    p->own = own;
    WWI_TRY(wwi_plan_take_pairs(p, from->row_index, from->column_index, from->count));
    p->info.engine = wwi_runner_engine(p->runner);
    *plan = wwi_taken(&p);
    return WW_OK;
}

ww_status ww_plan_create_paths(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                               const size_t *row_index, const size_t *column_index, size_t count,
                               const ww_plan_options *options, ww_plan **plan) {
    wwi_plan_creation from = {.create = create,
                              .measure = measure,
                              .rows = rows,
                              .columns = columns,
                              .row_index = row_index,
                              .column_index = column_index,
                              .count = count};
    return wwi_plan_spread(&from, options, plan);
}

// ---- paths on the host

void ww_paths_free(ww_paths *paths) {
    if (!paths)
        return;
    const ww_paths none = WW_PATHS_INIT;
    ww_paths own = none;
    const size_t covered = paths->struct_size < sizeof own ? paths->struct_size : sizeof own;
    memcpy(&own, paths, covered);
    wwi_large_free(own.cells, own.cells ? (size_t)own.offsets[own.count] * 2 * sizeof *own.cells : 0);
    free(own.offsets);
    free(own.distances);
    wwi_struct_init(paths, covered, &none);
}

// The steps of each path as they came from the device, until all have.
typedef struct collected {
    const ww_plan *plan;
    size_t first; // pair of the plan
    ww_paths paths;
    struct {
        uint32_t *words;
        ww_path_pair pair; // `steps`: words before its own
    } * walks;             // by the number of the plan's pair, counted from `first`
    uint32_t **arenas;     // words of a batch
    struct four_steps *steps;
    int32_t shift; // of the cells' indices
    size_t arena_count, arena_capacity;
} collected;

static void collected_free(collected *c) {
    for (size_t i = 0; i < c->arena_count; i++)
        free(c->arenas[i]);
    free(c->arenas);
    free(c->steps);
    free(c->walks);
    ww_paths_free(&c->paths);
}

static ww_status take_batch(void *user, const wwi_path_batch *b) {
    collected *c = user;
    wwi_stream *stream = c->plan->pair.stream;
    const uint64_t value = c->plan->pair.value_bytes;
    WWI_FREES ww_path_pair *table = NULL;
    WWI_FREES uint32_t *words = NULL;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(table, b->count));
    WWI_TRY(wwi_new(words, b->step_words));
    WWI_TRY(wwi_new(values, b->count * value));
    WWI_TRY(wwi_grow(&c->arenas, &c->arena_capacity, c->arena_count + 1, sizeof *c->arenas));
    WWI_TRY(wwi_stream_read(stream, b->table, 0, b->count * sizeof *table, table));
    WWI_TRY(wwi_stream_read(stream, b->steps, 0, b->step_words * 4, words));
    WWI_TRY(wwi_stream_read(stream, b->values, 0, b->count * value, values));
    WWI_TRY(wwi_plan_check_results(c->plan, values, b->count));
    for (size_t t = 0; t < b->count; t++) {
        const uint32_t in_batch = b->pairs[3 * t + 2], pair = b->numbers[in_batch];
        const size_t number = pair - c->first;
        if (table[t].state != 2)
            return wwi_fail(WW_ERROR_INTERNAL, "the path of pair %u has no beginning", pair);
        c->walks[number].pair = table[t];
        c->walks[number].words = words + table[t].steps;
        c->paths.distances[number] = wwi_value_at(values, c->plan->pair.rows->precision, in_batch);
    }
    c->arenas[c->arena_count++] = wwi_taken(&words);
    return WW_OK;
}

// Two cells, (i, j) each, of an array of such: a vector of the compiler's.
typedef int32_t two_cells __attribute__((vector_size(16), aligned(4)));

// Four steps of a walk, which are a byte: how far back from the first of their cells each of them is, as they are in
// memory (the last one first), and the cell behind them, twice.
typedef struct four_steps {
    two_cells back[2], all;
} four_steps;

static void list_steps(four_steps *of) {
    for (unsigned byte = 0; byte < 256; byte++) {
        int32_t i = 0, j = 0;
        for (unsigned k = 0; k < 4; k++) {
            const unsigned step = byte >> (2 * k) & 3, place = 3 - k;
            of[byte].back[place / 2][2 * (place % 2)] = i;
            of[byte].back[place / 2][2 * (place % 2) + 1] = j;
            i += step != 3;
            j += step != 1;
        }
        of[byte].all = (two_cells){i, j, i, j};
    }
}

// The walk's steps lead from the path's end to its beginning, which is no cell: the corner, or on the border, whose
// index is -1 there.
static void write_cells(const collected *c, size_t path) {
    const ww_path_pair *pair = &c->walks[path].pair;
    const uint32_t *words = c->walks[path].words;
    const uint64_t count = c->paths.offsets[path + 1] - c->paths.offsets[path];
    int32_t *cells = c->paths.cells + 2 * c->paths.offsets[path];
    const int32_t i = (int32_t)pair->end_i - 1, j = (int32_t)pair->end_j - 1;
    two_cells at = {i, j, i, j};
    uint64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const four_steps *steps = &c->steps[words[k / 16] >> (2 * (k % 16)) & 255];
        const two_cells four[2] = {at - steps->back[0], at - steps->back[1]};
        memcpy(cells + 2 * (count - 4 - k), four, sizeof four);
        at -= steps->all;
    }
    for (; k < count; k++) {
        const uint32_t step = words[k / 16] >> (2 * (k % 16)) & 3;
        int32_t *cell = cells + 2 * (count - 1 - k);
        cell[0] = at[0];
        cell[1] = at[1];
        at[0] -= step != 3;
        at[1] -= step != 1;
    }
    // A derivative's points are those from the second on; it has no border.
    for (uint64_t m = 0; c->shift && m < 2 * count; m++)
        cells[m] += c->shift;
}

// The first pair whose cells begin at cell `at` or after it.
static size_t pair_from(const ww_paths *paths, uint64_t at) {
    size_t first = 0, end = paths->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (paths->offsets[middle] < at)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

#define AT_ONCE (UINT64_C(1) << 16) // cells that a thread takes, but for whole paths

// The paths that begin at cells [piece * AT_ONCE, (piece + 1) * AT_ONCE).
static ww_status write_piece(void *user, uint64_t piece) {
    const collected *c = user;
    const ww_paths *paths = &c->paths;
    const size_t end = pair_from(paths, (piece + 1) * AT_ONCE);
    for (size_t p = pair_from(paths, piece * AT_ONCE); p < end; p++)
        write_cells(c, p);
    return WW_OK;
}

ww_status wwi_paths_hold(ww_paths *paths, uint64_t cells) {
    uint64_t bytes;
    if (!wwi_mul_u64(cells ? cells : 1, 2 * sizeof *paths->cells, &bytes) || bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "the paths have too many cells for one array");
    paths->cells = wwi_large_new((size_t)bytes);
    return paths->cells ? WW_OK : wwi_fail_memory(bytes);
}

static ww_status write_all(collected *c) {
    ww_paths *paths = &c->paths;
    WWI_TRY(wwi_new(c->steps, 256));
    list_steps(c->steps);
    c->shift = wwi_measure_row_by_id(c->plan->pair.measure.id)->transform == WWI_TRANSFORM_DERIVATIVE;
    paths->offsets[0] = 0;
    for (size_t p = 0; p < paths->count; p++)
        paths->offsets[p + 1] = paths->offsets[p] + c->walks[p].pair.count;
    const uint64_t total = paths->offsets[paths->count];
    WWI_TRY(wwi_paths_hold(paths, total));
    const uint64_t pieces = wwi_ceil_div(total, AT_ONCE), worth = 1 + pieces / 4;
    return wwi_share((unsigned)wwi_least(worth, wwi_processors()), pieces, write_piece, c);
}

ww_status wwi_plan_run_some_paths(ww_plan *plan, size_t first, size_t pairs, ww_paths *paths) {
    uint64_t cells;
    WWI_ENDS(collected_free) collected c = {.plan = plan, .first = first, .paths = WW_PATHS_INIT};
    WWI_TRY(wwi_plan_count_pairs(plan, first, pairs, &cells));
    c.paths.count = pairs;
    WWI_TRY(wwi_new(c.paths.offsets, pairs + 1));
    WWI_TRY(wwi_new(c.paths.distances, pairs));
    WWI_TRY(wwi_new_zeroed(c.walks, pairs));
    wwi_plan_start(plan);
    wwi_plan_expect(plan, cells);
    ww_status status = wwi_paths_find(plan, first, pairs, take_batch, &c);
    if (status == WW_OK)
        status = write_all(&c);
    if (status == WW_OK)
        plan->info.cells_done = cells;
    WWI_TRY(wwi_plan_end(plan, status));
    WWI_TRY(wwi_struct_give(paths, &c.paths, "ww_paths"));
    c.paths = (ww_paths)WW_PATHS_INIT; // they are the caller's
    return WW_OK;
}

// ---- one pair

ww_status ww_path(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y, size_t m,
                  size_t channels, ww_paths *path) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *rows = NULL, *columns = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_NEEDS("context, x, y", context, x, y);
    context = wwi_context_first(context);
    const ww_precision precision = wwi_context_info(context)->has_double ? WW_DOUBLE : WW_FLOAT;
    WWI_TRY(wwi_dataset_of_doubles(context, precision, x, 1, channels, n, &rows));
    WWI_TRY(wwi_dataset_of_doubles(context, precision, y, 1, channels, m, &columns));
    WWI_TRY(ww_plan_create_paths(measure, rows, columns, NULL, NULL, 1, NULL, &plan));
    return wwi_plan_run_some_paths(plan, 0, 1, path);
}
