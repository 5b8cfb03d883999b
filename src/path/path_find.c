// SPDX-License-Identifier: Apache-2.0
// Finds the paths of a plan, batch by batch: lines of tiles where a matrix is cut, then the walks back. The paths stay
// on the device; path.c brings them to the host.
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "engine/batch.h"
#include "engine/cost_table.h"
#include "engine/tiling.h"
#include "path/path.h"

#define SELECT_DIRECTION 2 // kernels_cl/base/choose.cl
#define EMIT_DIRECTIONS 2  // kernels_cl/base/points.cl

static const wwi_form forms[2][2] = {
    {{.engine = "packed",
      .kernel = "ww_path_packed",
      .texts = {"path/path_args.h", "path/path.cl", "engine/packed_block.cl", "path/path_packed.cl"}},
     {.engine = "packed",
      .kernel = "ww_path_packed",
      .texts = {"path/path_args.h", "path/path.cl", "engine/packed_block.cl", "path/path_packed.cl"},
      .select = SELECT_DIRECTION,
      .emit = EMIT_DIRECTIONS}},
    {{.engine = "lanes",
      .kernel = "ww_path_lanes",
      .texts = {"path/path_args.h", "path/path.cl", "engine/walk.cl", "path/path_lanes.cl"},
      .exchanges = true},
     {.engine = "lanes",
      .kernel = "ww_path_lanes",
      .walk = "ww_path_walk",
      .texts = {"path/path_args.h", "path/path.cl", "engine/walk.cl", "path/path_lanes.cl", "path/path_walk.cl"},
      .exchanges = true,
      .select = SELECT_DIRECTION,
      .emit = EMIT_DIRECTIONS}},
};

// A batch while it is computed.
typedef struct job {
    ww_plan *plan;
    wwi_paths *own;
    wwi_runner *runner;
    wwi_path_tiles tiles;
    wwi_work work;
    ww_path_args args;
    uint64_t steps, lines; // of all pairs
    uint32_t most_tile_rows, most_tile_columns;
} job;

// Where each pair's lines and steps are.
static ww_status send_table(job *j) {
    const wwi_batch *b = &j->work.b;
    WWI_FREES ww_path_pair *table = NULL;
    WWI_TRY(wwi_new_zeroed(table, b->rows));
    j->steps = j->lines = 0;
    j->most_tile_rows = j->most_tile_columns = 1;
    for (size_t t = 0; t < b->rows; t++) {
        const uint32_t n = j->plan->pair.rows->lengths[b->pairs[3 * t]],
                       m = j->plan->pair.columns->lengths[b->pairs[3 * t + 1]];
        table[t].edges = j->lines;
        table[t].steps = j->steps;
        j->steps += wwi_ceil_div(wwi_path_most_steps(n, m), 16) + 1;
        if (j->tiles.whole)
            continue;
        j->lines += wwi_path_lines(&j->tiles, n, m);
        const uint32_t tile_rows =
            (uint32_t)wwi_ceil_div(wwi_ceil_div(n, j->tiles.step) * j->tiles.step, j->tiles.tile_rows);
        const uint32_t tile_columns = (uint32_t)wwi_ceil_div(m, j->tiles.tile_columns);
        j->most_tile_rows = tile_rows > j->most_tile_rows ? tile_rows : j->most_tile_rows;
        j->most_tile_columns = tile_columns > j->most_tile_columns ? tile_columns : j->most_tile_columns;
    }
    return wwi_upload(j->plan->pair.context, &j->own->table, table, b->rows * sizeof *table);
}

static ww_status grow_buffers(job *j) {
    const wwi_path_tiles *t = &j->tiles;
    const uint64_t value = wwi_runner_value_bytes(j->runner);
    const wwi_buffer_size sizes[] = {
        {&j->own->steps, j->steps * 4},
        {&j->own->values, j->work.b.rows * value},
        {&j->own->edges, (t->whole ? t->groups * t->edge_values : j->lines) * value},
        {&j->own->directions, (t->lanes ? t->groups : t->workers) * t->direction_words * 4},
        {&j->runner->counter, 4},
        {&j->runner->scratch, t->workers * t->scratch * t->width * value},
    };
    WWI_TRY(wwi_grow_buffers(j->plan->pair.context, sizes, t->lanes ? 5 : 6));
    j->work.b.out = j->own->values;
    return WW_OK;
}

static ww_status find_variant(job *j, bool walks, wwi_variant **v) {
    wwi_variant_key key = wwi_work_key(j->runner, &j->work, &forms[j->tiles.lanes][walks]);
    if (j->tiles.lanes) {
        key.columns = j->tiles.columns;
        key.rows = j->tiles.step;
        key.group = j->tiles.group;
    } else {
        key.vector = j->runner->vector;
        key.registers = 1;
        key.rows = 8;
    }
    return wwi_runner_variant(j->runner, key, v);
}

// Launches units [begin, end), which `workers` work-groups take from a counter; `walks`: and the walks through what
// they have computed.
static ww_status enqueue(job *j, const wwi_variant *v, uint32_t begin, uint32_t end, uint64_t workers, bool walks) {
    wwi_runner *r = j->runner;
    wwi_arg args[COMMON_ARGS + 7];
    size_t count = wwi_work_args(&j->work, args);
    j->args.units = end;
    j->args.first = begin;
    args[count++] = WWI_VALUE(j->args);
    args[count++] = WWI_BUFFER(j->own->table);
    args[count++] = WWI_BUFFER(j->own->edges);
    args[count++] = WWI_BUFFER(j->own->directions);
    args[count++] = WWI_BUFFER(j->own->steps);
    args[count++] = WWI_BUFFER(r->counter);
    if (!j->tiles.lanes)
        args[count++] = WWI_BUFFER(r->scratch);
    const uint64_t at_once = j->tiles.lanes ? j->tiles.group / j->tiles.width : j->tiles.width;
    const uint64_t needed = wwi_ceil_div(end - begin, at_once);
    WWI_TRY(wwi_buffer_fill_u32(r->counter, 0, 4, begin));
    WWI_TRY(wwi_launch(v->kernel, wwi_least(needed, workers), v->key.group, args, count));
    if (walks && j->tiles.lanes)
        return wwi_launch_items(v->walk, end - begin, v->key.group, args, count);
    return WW_OK;
}

static ww_status launched(job *j, double cells, bool more) {
    return wwi_pace_launched(&j->runner->pace, &j->runner->rate[j->work.engine], cells, more);
}

// The lines of all tiles, one diagonal of tiles after the other.
static ww_status find_lines(job *j) {
    wwi_variant *v;
    WWI_TRY(find_variant(j, false, &v));
    const uint32_t diagonals = j->most_tile_rows + j->most_tile_columns - 1;
    const uint32_t least = j->most_tile_rows < j->most_tile_columns ? j->most_tile_rows : j->most_tile_columns;
    for (uint32_t d = 0; d < diagonals; d++) {
        j->args.diagonal = d;
        j->args.each = d + 1 < least ? d + 1 : least;
        // A pair with fewer rows of tiles than the others may begin later on the diagonal: all of its tiles are
        // counted.
        const uint64_t units = (uint64_t)j->args.each * j->work.b.rows;
        const double cells = j->work.cells * (double)j->args.each / ((double)j->most_tile_rows * j->most_tile_columns);
        wwi_units u = wwi_units_of(j->runner, &j->work, units, cells);
        for (; wwi_units_next(&u); u.at += u.take) {
            WWI_TRY(enqueue(j, v, (uint32_t)u.at, (uint32_t)(u.at + u.take), j->tiles.forward_workers, false));
            WWI_TRY(launched(j, u.cells_each * (double)u.take, true));
        }
    }
    return WW_OK;
}

// Walks through whole matrices, as many in a launch as its time allows.
static ww_status walk_whole(job *j) {
    wwi_variant *v;
    WWI_TRY(find_variant(j, true, &v));
    j->args.turns = 1;
    wwi_units u = wwi_units_of(j->runner, &j->work, j->work.b.rows, j->work.cells);
    for (; wwi_units_next(&u); u.at += u.take) {
        if (j->tiles.lanes && u.take > j->tiles.groups)
            u.take = j->tiles.groups;
        WWI_TRY(enqueue(j, v, (uint32_t)u.at, (uint32_t)(u.at + u.take), j->tiles.workers, true));
        WWI_TRY(launched(j, u.cells_each * (double)u.take, u.at + u.take < u.units));
    }
    return WW_OK;
}

// Walks through tiles: all pairs, as many tiles in a launch as its time allows.
static ww_status walk_tiles(job *j) {
    enum { AT_ONCE = 1 << 26 }; // cells that a group computes one after the other
    wwi_variant *v;
    WWI_TRY(find_variant(j, true, &v));
    const uint32_t all = j->most_tile_rows + j->most_tile_columns;
    const double tile = (double)j->tiles.tile_rows * j->tiles.tile_columns;
    const double rounds = (double)wwi_ceil_div(j->work.b.rows, j->tiles.groups);
    const double turns = AT_ONCE / (tile * rounds);
    const uint32_t each = turns < 1 ? 1 : turns > all ? all : (uint32_t)turns, pairs = (uint32_t)j->work.b.rows;
    // Lanes walk through one tile in a launch, and the pairs of a launch are limited.
    const uint32_t take = j->tiles.lanes && j->tiles.groups < pairs ? (uint32_t)j->tiles.groups : pairs;
    j->args.turns = j->tiles.lanes ? 1 : each;
    for (uint32_t begin = 0; begin < pairs; begin += take) {
        const uint32_t end = pairs - begin < take ? pairs : begin + take;
        for (uint32_t done = 0; done < all; done += each) {
            for (uint32_t t = 0; t < each; t += j->args.turns)
                WWI_TRY(enqueue(j, v, begin, end, j->tiles.workers, true));
            WWI_TRY(launched(j, each * tile * (double)(end - begin), end < pairs || done + each < all));
        }
    }
    return WW_OK;
}

// The batch's work: its sides, its ends and its bands. The runner's buffers are the work's until it is through.
static ww_status make_work(job *j, const wwi_batch *batch) {
    wwi_runner *r = j->runner;
    j->work = (wwi_work){.uploads = r->kept};
    r->kept = (wwi_uploads){.band = NULL};
    WWI_TRY(wwi_work_make(r, batch, &j->work));
    wwi_work_sort(&j->work);
    j->work.engine = j->tiles.lanes ? WW_ENGINE_LANES : WW_ENGINE_PACKED;
    j->work.tabled = wwi_work_tabled(r, &j->work);
    j->work.cells = wwi_batch_cells(r, &j->work.sides, &j->work.b);
    wwi_work_ends(&j->plan->pair.measure, &j->work);
    return wwi_work_bands(r, &j->work, NULL, NULL);
}

static ww_status compute(job *j) {
    j->work.args.scratch = (uint32_t)j->tiles.scratch;
    j->work.args.group_width = j->tiles.lanes ? j->tiles.width : 1;
    j->args = (ww_path_args){.direction_words = j->tiles.direction_words,
                             .edge_values = j->tiles.edge_values,
                             .rows = j->tiles.tile_rows,
                             .columns = j->tiles.tile_columns,
                             .whole = j->tiles.whole};
    WWI_TRY(wwi_work_upload(j->runner, &j->work));
    if (j->work.tabled) {
        WWI_TRY(wwi_table_upload(j->runner, &j->work));
        WWI_TRY(wwi_table_fill(j->runner, &j->work));
    }
    WWI_TRY(send_table(j));
    WWI_TRY(grow_buffers(j));
    if (j->tiles.whole)
        return walk_whole(j);
    WWI_TRY(find_lines(j));
    return walk_tiles(j);
}

// The work is made.
static ww_status find_made(job *j, const wwi_batch *batch, const uint32_t *numbers, wwi_path_take take, void *user) {
    wwi_runner *r = j->runner;
    if (j->work.too_large)
        return wwi_fail(WW_ERROR_INTERNAL, "the bands of one pair need too much memory");
    WWI_TRY(compute(j));
    r->engine = j->work.engine;
    r->engine_cells[r->engine] += j->work.cells;
    const wwi_path_batch found = {j->work.b.pairs, j->work.b.rows, numbers,    j->own->table, j->own->steps,
                                  j->steps,        j->own->values, batch->row, batch->column};
    return take(user, &found);
}

static ww_status find_halves(job *j, const wwi_batch *batch, const uint32_t *numbers, wwi_path_take take, void *user);

static ww_status find_batch(job *j, const wwi_batch *batch, const uint32_t *numbers, wwi_path_take take, void *user) {
    ww_status status = make_work(j, batch);
    const bool halved = status == WW_OK && j->work.too_large && batch->rows > 1;
    if (status == WW_OK && !halved)
        status = find_made(j, batch, numbers, take, user);
    j->runner->kept = j->work.uploads;
    free(j->work.ids);
    return halved ? find_halves(j, batch, numbers, take, user) : status;
}

static ww_status find_halves(job *j, const wwi_batch *batch, const uint32_t *numbers, wwi_path_take take, void *user) {
    wwi_batch first = *batch, second = *batch;
    WWI_FREES uint32_t *pairs = NULL;
    first.rows = batch->rows / 2;
    second.rows -= first.rows;
    // The second half's pairs are numbered anew.
    WWI_TRY(wwi_new(pairs, second.rows * 3));
    memcpy(pairs, batch->pairs + 3 * first.rows, second.rows * 3 * sizeof *pairs);
    for (size_t t = 0; t < second.rows; t++)
        pairs[3 * t + 2] = (uint32_t)t;
    second.pairs = pairs;
    WWI_TRY(find_batch(j, &first, numbers, take, user));
    return find_batch(j, &second, numbers + first.rows, take, user);
}

// ---- batches

static int by_size(const void *a, const void *b, void *user) {
    const ww_plan *p = user;
    const uint32_t *s = a, *t = b;
    const uint64_t x = (uint64_t)p->pair.rows->lengths[s[0]] * p->pair.columns->lengths[s[1]];
    const uint64_t y = (uint64_t)p->pair.rows->lengths[t[0]] * p->pair.columns->lengths[t[1]];
    return x != y ? x < y ? -1 : 1 : s[2] < t[2] ? -1 : s[2] > t[2];
}

// The pairs of `picked` in batches of like size that fit the device.
static ww_status find_picked(job *j, uint32_t *picked, size_t count, wwi_slice row, wwi_slice column,
                             wwi_path_take take, void *user) {
    ww_plan *p = j->plan;
    WWI_FREES uint32_t *numbers = NULL;
    WWI_TRY(wwi_new(numbers, count));
    wwi_sort(picked, count, 3 * sizeof *picked, by_size, p);
    const uint64_t memory = wwi_plan_memory(p), most = wwi_context_max_buffer(p->pair.context);
    const uint64_t budget = j->runner->tabled ? wwi_least(memory, most) : memory;
    for (size_t at = 0; at < count;) {
        uint64_t first_cells = 0, bytes = 0;
        uint32_t n = 1, m = 1;
        size_t end = at;
        // Of like size: the largest has at most four times the cells.
        for (; end < count && end - at < 0x3fffffff; end++) {
            const uint32_t x = p->pair.rows->lengths[picked[3 * end]],
                           y = p->pair.columns->lengths[picked[3 * end + 1]];
            const uint64_t cells = (uint64_t)x * y;
            first_cells = end == at ? cells : first_cells;
            if (cells / 4 > first_cells + 4096)
                break;
            n = x > n ? x : n;
            m = y > m ? y : m;
        }
        WWI_TRY(wwi_path_tiles_choose(j->runner, end - at, n, m, budget, &j->tiles));
        const size_t limit = end;
        for (end = at; end < limit; end++) {
            bytes += wwi_path_pair_bytes(j->runner, &j->tiles, p->pair.rows->lengths[picked[3 * end]],
                                         p->pair.columns->lengths[picked[3 * end + 1]]);
            if (end > at && bytes + j->tiles.fixed_bytes > budget)
                break;
        }
        for (size_t t = at; t < end; t++) {
            numbers[t - at] = picked[3 * t + 2];
            picked[3 * t + 2] = (uint32_t)(t - at);
        }
        const wwi_batch b = {.list = true, .pairs = picked + 3 * at, .rows = end - at, .row = row, .column = column};
        WWI_TRY(find_batch(j, &b, numbers, take, user));
        at = end;
    }
    return WW_OK;
}

ww_status wwi_paths_find(ww_plan *p, size_t first, size_t pairs, wwi_path_take take, void *user) {
    job j = {.plan = p, .own = p->own, .runner = p->runner};
    WWI_FREES uint32_t *picked = NULL;
    WWI_TRY(wwi_new(picked, pairs * 3));
    // Windows of series that are not on the device as a whole.
    for (size_t row = 0, rows; row < p->pair.rows->count; row += rows) {
        rows = wwi_dataset_slice_limit(p->pair.rows, row);
        for (size_t column = 0, columns; column < p->pair.columns->count; column += columns) {
            wwi_slice x, y;
            size_t count = 0;
            columns = wwi_dataset_slice_limit(p->pair.columns, column);
            const wwi_rectangle in = {row, rows, column, columns};
            for (size_t t = first; t < first + pairs; t++) {
                const uint32_t *pair = p->pairs + 3 * t;
                if (wwi_pair_is_in(pair, in))
                    memcpy(picked + 3 * count++, pair, 3 * sizeof *pair);
            }
            if (count == 0)
                continue;
            WWI_TRY(wwi_pairing_slices(&p->pair, in, &x, &y));
            WWI_TRY(find_picked(&j, picked, count, x, y, take, user));
        }
    }
    return WW_OK;
}
