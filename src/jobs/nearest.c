// SPDX-License-Identifier: Apache-2.0
// The job `nearest`: blocks of distances on the device, of which only each row's k smallest leave it.
//
// With bounds a block goes in four steps: the lower bounds of all its pairs; the distances of each row's few pairs with
// the smallest bounds, whose k-th best is the row's radius; the pairs whose bound is within that radius; selection.
// Every other pair is farther than k others, whatever its distance. All distances come from the same engines, so the
// result is the same, bit for bit.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pace.h"
#include "jobs/bounds.h"
#include "jobs/plan.h"
#include "measure/measure_table.h"
#include "options.h"
#include "topk/topk.h"

// Distances beyond k that are computed for a row's radius.
#define SEEDS 7
// Rows on which the use of bounds is timed.
#define TRIAL_ROWS 64

typedef struct nearest {
    wwi_selector *selector;
    size_t asked; // neighbours of a row
    uint32_t k;   // of the selection: not more than there are columns
    bool largest; // under a similarity the larger values are the nearer
    wwi_buffer *best_values, *best_indices;
    wwi_bounds *bounds; // NULL: not known, not wanted, or never worth while
    bool worth_while;   // in this run, so far
    uint32_t seeds;
    wwi_selector *seed_selector;
    wwi_buffer *seed_values, *seed_indices, *bound_values;
    wwi_buffer *no_radius; // infinity: seeds take the program of the pairs after them
    uint64_t pairs_left_out, cells_left_out;
    bool exclude_self;      // a query is not its own neighbour
    int64_t own_distance;   // column of a query itself less its row
    uint64_t base_offset;   // of indices
    unsigned char *initial; // NULL, or each row's k-th distance so far, negated under a similarity
    wwi_buffer *radii;      // with `initial`: of the rows of a block
} nearest;

static nearest *own(const ww_plan *p) {
    return p->own;
}

void wwi_plan_print_shard(const ww_plan *p, FILE *to) {
    const nearest *n = own(p);
    char sum[65] = "";
    if (n->initial)
        wwi_checksum_text(n->initial, p->pair.rows->count * p->pair.value_bytes, sum);
    fprintf(to, " exclude self %d %" PRId64 " offset %" PRIu64 " initial %s", n->exclude_self, n->own_distance,
            n->base_offset, sum);
}

static void destroy(ww_plan *p) {
    nearest *n = own(p);
    if (!n)
        return;
    wwi_selector_destroy(&n->selector);
    wwi_bounds_destroy(&n->bounds);
    wwi_selector_destroy(&n->seed_selector);
    WWI_BUFFERS_DESTROY(&n->best_values, &n->best_indices, &n->seed_values, &n->seed_indices, &n->bound_values,
                        &n->no_radius, &n->radii);
    free(n->initial);
    free(n);
}

// Rows and columns of the block that begins at (row, column): whole rows where they fit.
static void block_shape(const ww_plan *p, size_t row, size_t column, size_t *rows, size_t *columns) {
    // Bounds take as much again.
    const uint64_t most = wwi_plan_most_values(p, own(p)->bounds ? 2 : 1);
    *rows = wwi_dataset_slice_limit(p->pair.rows, row);
    *columns = wwi_least(wwi_dataset_slice_limit(p->pair.columns, column), most);
    // Every block of a row of blocks has the rows of its first.
    *rows = wwi_least(*rows, most / wwi_least(p->pair.columns->count, most));
}

// Seconds that engines and host take, roughly: only for choosing between ways to the same answer.
static double seconds_of_cells(const ww_plan *p, double cells) {
    return cells / wwi_pace_guess(wwi_context_info(p->pair.context), wwi_is_gpu(p->pair.context) ? 25 : 2);
}

static double seconds_of_list(const ww_plan *p, double pairs) {
    return pairs * (wwi_is_gpu(p->pair.context) ? 60e-9 : 300e-9);
}

static uint32_t longest(const ww_dataset *d) {
    return d->rank_lengths[d->rank_count - 1];
}

// Whether bounds can be expected to pay: they cost a pass over the column series, and something for each row.
static bool bounds_may_pay(const ww_plan *p, size_t k, uint64_t cells) {
    const double pairs = (double)p->pair.rows->count * (double)p->pair.columns->count, each = (double)cells / pairs;
    return !p->options.no_bounds && wwi_bounds_known(&p->pair.measure) && p->pair.columns->count / 4 >= k + SEEDS &&
           each >= 16.0 * (double)longest(p->pair.columns) && seconds_of_cells(p, each) > seconds_of_list(p, 0.04);
}

static ww_status make_bounds(ww_plan *p, size_t rows) {
    nearest *n = p->own;
    n->seeds = n->k + SEEDS;
    WWI_TRY(wwi_bounds_create(&p->pair.measure, p->pair.rows, p->pair.columns, p->pair.stream, &n->bounds));
    WWI_TRY(wwi_selector_create(p->pair.context, p->pair.stream, p->pair.rows->precision, n->seeds, &n->seed_selector));
    WWI_TRY(WWI_GROW(p->pair.context, {&n->seed_values, rows * n->seeds * p->pair.value_bytes},
                     {&n->seed_indices, rows * n->seeds * sizeof(uint32_t)}));
    const float narrow = INFINITY;
    const double wide = (double)INFINITY;
    return p->pair.rows->precision == WW_DOUBLE ? wwi_upload(p->pair.context, &n->no_radius, &wide, sizeof wide)
                                                : wwi_upload(p->pair.context, &n->no_radius, &narrow, sizeof narrow);
}

// A row's radius is the last of so many values.
static wwi_buffer *radii_of(const nearest *n) {
    return n->initial ? n->radii : n->best_values;
}

static uint32_t radius_k(const nearest *n) {
    return n->initial ? 1 : n->k;
}

// The radii of a block's rows: their k-th distances, or the initial ones where these are less.
static ww_status find_radii(ww_plan *p, const wwi_area *a) {
    nearest *n = p->own;
    const size_t size = p->pair.value_bytes;
    if (!n->initial)
        return WW_OK;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(values, a->at.rows * n->k * size));
    WWI_TRY(wwi_stream_read(p->pair.stream, n->best_values, 0, a->at.rows * n->k * size, values));
    for (size_t i = 0; i < a->at.rows; i++) {
        const unsigned char *last = values + (i * n->k + n->k - 1) * size,
                            *initial = n->initial + (a->at.row + i) * size;
        memmove(values + i * size,
                wwi_value_at(initial, p->pair.rows->precision, 0) < wwi_value_at(last, p->pair.rows->precision, 0)
                    ? initial
                    : last,
                size);
    }
    return wwi_upload(p->pair.context, &n->radii, values, a->at.rows * size);
}

// The radii of a list's pairs; for seeds there are none yet.
static void set_radii(const ww_plan *p, const wwi_area *a, bool bounded, wwi_batch *b) {
    b->radii = bounded ? radii_of(own(p)) : own(p)->no_radius;
    b->radius_results = bounded ? (uint32_t)a->at.columns : UINT32_MAX;
    b->radius_k = bounded ? radius_k(own(p)) : 1;
}

// Compiles for lists: the longest row with many columns.
static ww_status prepare_list(ww_plan *p, size_t rows, size_t columns) {
    const size_t count = columns < 4096 ? columns : 4096;
    WWI_FREES uint32_t *pairs = NULL;
    WWI_TRY(wwi_new(pairs, count * 3));
    wwi_batch b = {.list = true, .pairs = pairs, .rows = count};
    uint32_t longest_row = 0;
    set_radii(p, NULL, false, &b);
    for (uint32_t i = 1; i < rows; i++)
        if (p->pair.rows->lengths[i] > p->pair.rows->lengths[longest_row])
            longest_row = i;
    for (uint32_t t = 0; t < count; t++) {
        pairs[3 * t] = longest_row;
        pairs[3 * t + 1] = pairs[3 * t + 2] = t;
    }
    WWI_TRY(wwi_pairing_slices(&p->pair, (wwi_rectangle){0, rows, 0, columns}, &b.row, &b.column));
    return wwi_runner_prepare(p->runner, &b, NULL);
}

static ww_status make(ww_plan *p, size_t k, uint64_t cells) {
    size_t rows, columns;
    nearest *n;
    WWI_TRY(wwi_new_zeroed(n, 1));
    p->own = n;
    const size_t size = p->pair.value_bytes;
    n->asked = k;
    n->largest = wwi_measure_is_similarity(&p->pair.measure);
    n->k = (uint32_t)(k < p->pair.columns->count ? k : p->pair.columns->count);
    block_shape(p, 0, 0, &rows, &columns);
    if (bounds_may_pay(p, k, cells))
        WWI_TRY(make_bounds(p, rows));
    block_shape(p, 0, 0, &rows, &columns);
    WWI_TRY(wwi_selector_create(p->pair.context, p->pair.stream, p->pair.rows->precision, n->k, &n->selector));
    WWI_TRY(WWI_GROW(p->pair.context, {&n->best_values, rows * n->k * size},
                     {&n->best_indices, rows * n->k * sizeof(uint32_t)}));
    if (n->bounds)
        WWI_TRY(wwi_grow_buffer(p->pair.context, &n->bound_values, rows * columns * size));
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, rows * columns * size));
    if (n->bounds)
        WWI_TRY(prepare_list(p, rows, columns));
    return wwi_plan_prepare_rectangle(p, rows, columns, NULL);
}

static void negate(void *values, size_t count, ww_precision precision) {
    for (size_t i = 0; i < count; i++)
        if (precision == WW_DOUBLE)
            ((double *)values)[i] = 0 - ((double *)values)[i];
        else
            ((float *)values)[i] = 0 - ((float *)values)[i];
}

// Takes what a shard says, which is checked.
static ww_status take_shard(ww_plan *p, const ww_nearest_shard *shard) {
    nearest *n = p->own;
    const uint64_t bytes = p->pair.rows->count * p->pair.value_bytes;
    const int64_t distance = (int64_t)shard->query_offset - (int64_t)shard->base_offset;
    n->base_offset = shard->base_offset;
    // Sets have less than 2^31 series: so far apart they have none in common.
    n->exclude_self =
        p->self || (shard->exclude_self && distance > -INT64_C(0x80000000) && distance < INT64_C(0x80000000));
    n->own_distance = n->exclude_self ? distance : 0;
    if (!shard->initial)
        return WW_OK;
    WWI_TRY(wwi_new(n->initial, bytes));
    memcpy(n->initial, shard->initial, bytes);
    if (n->largest)
        negate(n->initial, p->pair.rows->count, p->pair.rows->precision);
    return WW_OK;
}

static ww_status check_shard(const ww_nearest_shard *shard, const ww_dataset *queries, const ww_dataset *base) {
    if (!base && shard->query_offset != shard->base_offset)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "queries and base are one set, and their offsets differ: %" PRIu64 " and %" PRIu64,
                        shard->query_offset, shard->base_offset);
    const uint64_t rows = queries ? queries->count : 0, columns = base ? base->count : rows;
    if (shard->query_offset > INT64_MAX - rows || shard->base_offset > INT64_MAX - columns)
        return wwi_fail(WW_ERROR_OVERFLOW, "a series' number is beyond 63 bits");
    return WW_OK;
}

static ww_status create(const wwi_plan_creation *from, ww_dataset *queries, ww_dataset *base,
                        const ww_plan_options *options, ww_plan **plan) {
    WWI_ENDS(ww_plan_destroy) ww_plan *p = NULL;
    uint64_t cells = 0, bytes;
    const size_t k = from->k;
    ww_nearest_shard part = WW_NEAREST_SHARD_INIT;
    WWI_TRY(wwi_options_take(&part, from->shard, "ww_nearest_shard"));
    WWI_TRY(check_shard(&part, queries, base));
    if (k == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is 0; ask for at least one neighbour");
    WWI_TRY(wwi_plan_create(&wwi_nearest_job, from->measure, queries, base, options, &p));
    p->count = k;
    if (!wwi_mul_u64(p->pair.rows->count, k, &bytes) || !wwi_mul_u64(bytes, 8, &bytes))
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu neighbours of %zu series are more than 64 bits count", k,
                        p->pair.rows->count);
    WWI_TRY(wwi_plan_count_cells(p, &cells));
    WWI_TRY(make(p, k, cells));
    WWI_TRY(take_shard(p, &part));
    // The runner counts whole rectangles, a series' distance to itself included.
    p->square_cells = cells;
    p->info.cells = cells;
    p->info.pairs = (uint64_t)p->pair.rows->count * p->pair.columns->count;
    if (p->self) {
        p->info.cells -= wwi_plan_diagonal_cells(p);
        p->info.pairs -= p->pair.rows->count;
    }
    p->info.engine = wwi_runner_engine(p->runner);
    *plan = wwi_taken(&p);
    return WW_OK;
}

ww_status ww_plan_create_nearest_shard(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                       const ww_nearest_shard *shard, const ww_plan_options *options, ww_plan **plan) {
    wwi_plan_creation from = {
        .create = create, .measure = measure, .rows = queries, .columns = base, .k = k, .shard = shard};
    return wwi_plan_spread(&from, options, plan);
}

ww_status wwi_plan_create_nearest_alone(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                        const ww_plan_options *options, ww_plan **plan) {
    return create(&(wwi_plan_creation){.measure = measure, .k = k}, queries, base, options, plan);
}

ww_status ww_plan_create_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                 const ww_plan_options *options, ww_plan **plan) {
    return ww_plan_create_nearest_shard(measure, queries, base, k, NULL, options, plan);
}

// Whether a row has k nearer neighbours elsewhere.
static bool is_beyond(const ww_plan *p, size_t row, const void *value) {
    return own(p)->initial && wwi_value_at(value, p->pair.rows->precision, 0) >
                                  wwi_value_at(own(p)->initial, p->pair.rows->precision, row);
}

// The best of `rows` rows to the caller's arrays. `first`: the row whose results these begin with.
static ww_status deliver(ww_plan *p, size_t first, size_t row, size_t rows, int64_t *indices,
                         unsigned char *distances) {
    const nearest *n = p->own;
    const size_t size = p->pair.value_bytes, missing = n->asked - n->k;
    WWI_FREES uint32_t *found = NULL;
    WWI_FREES unsigned char *values = NULL;
    const float none_float = INFINITY;
    const double none_double = (double)INFINITY;
    const void *none = p->pair.rows->precision == WW_DOUBLE ? (const void *)&none_double : &none_float;
    WWI_TRY(wwi_new(found, rows * n->k));
    WWI_TRY(wwi_new(values, rows * n->k * size));
    WWI_TRY(wwi_stream_read(p->pair.stream, n->best_indices, 0, rows * n->k * sizeof *found, found));
    WWI_TRY(wwi_stream_read(p->pair.stream, n->best_values, 0, rows * n->k * size, values));
    for (size_t i = 0; i < rows; i++) {
        int64_t *to = indices + (row - first + i) * n->asked;
        for (size_t s = 0; s < n->asked; s++) {
            const uint32_t index = s < n->k ? found[i * n->k + s] : WWI_NO_INDEX;
            unsigned char *value = values + (i * n->k + s) * size;
            const bool far = index != WWI_NO_INDEX && is_beyond(p, row + i, value);
            if (far)
                memcpy(value, none, size);
            to[s] = index == WWI_NO_INDEX || far ? -1 : (int64_t)(n->base_offset + index);
            if (to[s] >= 0)
                WWI_TRY(wwi_plan_check_results(p, value, 1));
        }
        if (!distances)
            continue;
        unsigned char *at = distances + (row - first + i) * n->asked * size;
        memcpy(at, values + i * n->k * size, n->k * size);
        for (size_t s = 0; s < missing; s++)
            memcpy(at + (n->k + s) * size, none, size);
        if (n->largest)
            negate(at, n->asked, p->pair.rows->precision);
    }
    return WW_OK;
}

// ---- blocks

// What is done with a block of rows and columns.
static ww_status select_block(ww_plan *p, const wwi_area *a, bool fresh) {
    const wwi_selection selection = {
        .values = p->out,
        .row_stride = a->at.columns,
        .rows = a->at.rows,
        .columns = (uint32_t)a->at.columns,
        .column_base = (uint32_t)a->at.column,
        .exclude_self = own(p)->exclude_self,
        .own_base = (uint32_t)((int64_t)a->at.row + own(p)->own_distance), // wraps around where there is none
        .largest = own(p)->largest,
        .fresh = fresh,
        .best_values = own(p)->best_values,
        .best_indices = own(p)->best_indices,
    };
    return wwi_topk(own(p)->selector, &selection);
}

static ww_status run_whole(ww_plan *p, const wwi_area *a) {
    WWI_TRY(wwi_plan_rectangle(p, a->at));
    return select_block(p, a, a->at.column == 0);
}

// Distances of listed pairs to their places in the block; `bounded`: rows have their radii.
static ww_status run_list(ww_plan *p, const wwi_area *a, uint32_t *pairs, size_t count, bool bounded) {
    wwi_batch b = {
        .list = true, .pairs = pairs, .rows = count, .row = a->row_window, .column = a->column_window, .out = p->out};
    set_radii(p, a, bounded, &b);
    return wwi_runner_block(p->runner, &b);
}

static uint64_t count_list(const ww_plan *p, const uint32_t *pairs, size_t count) {
    uint64_t cells = 0, each = 0;
    uint32_t last_n = 0, last_m = 0;
    for (size_t t = 0; t < count; t++) {
        const uint32_t n = p->pair.rows->lengths[pairs[3 * t]], m = p->pair.columns->lengths[pairs[3 * t + 1]];
        if (n != last_n || m != last_m)
            each = wwi_pairing_cells(&p->pair, n, m);
        last_n = n;
        last_m = m;
        cells += each;
    }
    return cells;
}

// Computes, for each row, the pairs with the smallest bounds. *count: how many in all; their cells are added.
static ww_status run_seeds(ww_plan *p, const wwi_area *a, size_t *count, uint64_t *cells) {
    nearest *n = p->own;
    const size_t most = a->at.rows * n->seeds;
    const wwi_selection selection = {
        .values = a->bounds,
        .row_stride = a->at.columns,
        .rows = a->at.rows,
        .columns = (uint32_t)a->at.columns,
        .exclude_self = n->exclude_self,
        // Wraps around where it is to the left.
        .own_base = (uint32_t)((int64_t)a->at.row - (int64_t)a->at.column + n->own_distance),
        .fresh = true,
        .best_values = n->seed_values,
        .best_indices = n->seed_indices,
    };
    WWI_FREES uint32_t *indices = NULL, *pairs = NULL;
    WWI_TRY(wwi_topk(n->seed_selector, &selection));
    WWI_TRY(wwi_new(indices, most));
    WWI_TRY(wwi_new(pairs, most * 3));
    WWI_TRY(wwi_stream_read(p->pair.stream, n->seed_indices, 0, most * sizeof *indices, indices));
    *count = 0;
    for (size_t t = 0; t < most; t++)
        if (indices[t] != WWI_NO_INDEX) {
            const size_t row = t / n->seeds;
            uint32_t *pair = pairs + 3 * (*count)++;
            pair[0] = (uint32_t)(a->at.row + row);
            pair[1] = (uint32_t)a->at.column + indices[t];
            pair[2] = (uint32_t)(row * a->at.columns + indices[t]);
        }
    *cells += count_list(p, pairs, *count);
    return run_list(p, a, pairs, *count, false);
}

// Pairs and cells of a block, a series with itself left out.
static ww_status count_block(ww_plan *p, const wwi_area *a, uint64_t *pairs, uint64_t *cells) {
    *pairs = (uint64_t)a->at.rows * a->at.columns;
    WWI_TRY(wwi_plan_count_area(p, a->at, cells));
    for (size_t i = a->at.row; p->self && i < a->at.row + a->at.rows; i++)
        if (i >= a->at.column && i < a->at.column + a->at.columns) {
            *cells -= wwi_pairing_cells(&p->pair, p->pair.rows->lengths[i], p->pair.rows->lengths[i]);
            --*pairs;
        }
    return WW_OK;
}

// Whether `count` listed pairs take clearly less time than all pairs of the block.
static bool list_pays(const ww_plan *p, double count, double pairs, double cells) {
    const double each = seconds_of_cells(p, cells / pairs);
    return count * each + seconds_of_list(p, count) < 0.8 * pairs * each;
}

static ww_status run_candidates(ww_plan *p, const wwi_area *a, uint32_t count, uint64_t *cells) {
    const nearest *n = p->own;
    WWI_FREES uint32_t *pairs = NULL;
    WWI_TRY(wwi_new(pairs, (size_t)count * 3));
    WWI_TRY(wwi_bounds_candidates(n->bounds, a, radii_of(n), radius_k(n), &count, pairs));
    *cells += count_list(p, pairs, count);
    return run_list(p, a, pairs, count, true);
}

static ww_status run_bounded(ww_plan *p, wwi_area *a) {
    nearest *n = p->own;
    const uint64_t size = p->pair.value_bytes, bytes = (uint64_t)a->at.rows * a->at.columns * size;
    uint64_t pairs, cells, cells_done = 0;
    size_t seeds = 0;
    uint32_t candidates = 0;
    WWI_TRY(wwi_grow_buffer(p->pair.context, &n->bound_values, bytes));
    WWI_TRY(count_block(p, a, &pairs, &cells));
    WWI_TRY(wwi_pairing_slices(&p->pair, a->at, &a->row_window, &a->column_window));
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, bytes));
    WWI_TRY(wwi_buffer_fill_u32(p->out, 0, bytes, 0xffffffffu)); // NaN: not known
    a->distances = p->out;
    a->bounds = n->bound_values;
    WWI_TRY(wwi_bounds_compute(n->bounds, a));
    if (a->at.column == 0) {
        WWI_TRY(run_seeds(p, a, &seeds, &cells_done));
        WWI_TRY(select_block(p, a, true));
    }
    WWI_TRY(find_radii(p, a));
    WWI_TRY(wwi_bounds_candidates(n->bounds, a, radii_of(n), radius_k(n), &candidates, NULL));
    if (!list_pays(p, candidates, (double)pairs, (double)cells)) {
        n->worth_while = false;
        return run_whole(p, a);
    }
    if (candidates)
        WWI_TRY(run_candidates(p, a, candidates, &cells_done));
    WWI_TRY(select_block(p, a, a->at.column == 0));
    n->pairs_left_out += pairs - seeds - candidates;
    n->cells_left_out += cells - cells_done;
    wwi_runner_skip(p->runner, cells - cells_done);
    return WW_OK;
}

// Rows [row, row+rows), block by block.
static ww_status run_rows(ww_plan *p, size_t row, size_t rows) {
    const nearest *n = p->own;
    for (size_t column = 0, columns; column < p->pair.columns->count; column += columns) {
        size_t unused;
        block_shape(p, row, column, &unused, &columns);
        if (columns > p->pair.columns->count - column)
            columns = p->pair.columns->count - column;
        wwi_area area = {.at = {row, rows, column, columns}, .exclude_self = p->self};
        // Few columns hold too few neighbours for a radius.
        const bool bounded = n->bounds && n->worth_while && (column > 0 || columns >= 4 * (size_t)n->seeds);
        WWI_TRY(bounded ? run_bounded(p, &area) : run_whole(p, &area));
    }
    return WW_OK;
}

ww_status wwi_plan_check_nearest(const ww_plan *plan, size_t row, size_t rows, const int64_t *indices) {
    WWI_NEEDS("plan, indices", plan, indices);
    if (plan->job != &wwi_nearest_job)
        return wwi_plan_other_job(plan, "ww_plan_run_nearest");
    if (row <= plan->pair.rows->count && rows <= plan->pair.rows->count - row)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu rows from row %zu on", rows, row);
    return wwi_fail_hint("the plan has %zu rows", plan->pair.rows->count);
}

// Rows [first, end), block by block. `cells`: of these rows with all columns, without a query's with itself.
static ww_status compute_part(ww_plan *plan, size_t first, size_t end, uint64_t cells, int64_t *indices,
                              void *distances) {
    nearest *n = plan->own;
    n->worth_while = n->bounds != NULL;
    n->pairs_left_out = n->cells_left_out = 0;
    const size_t most = (size_t)(wwi_buffer_bytes(n->best_indices) / sizeof(uint32_t) / n->k);
    for (size_t row = first, rows; row < end; row += rows) {
        size_t unused;
        block_shape(plan, row, 0, &rows, &unused);
        if (rows > most)
            rows = most;
        if (rows > end - row)
            rows = end - row;
        if (row == first && n->bounds && rows > 4 * TRIAL_ROWS)
            rows = TRIAL_ROWS;
        WWI_TRY(run_rows(plan, row, rows));
        WWI_TRY(deliver(plan, first, row, rows, indices, distances));
    }
    plan->info.pairs_pruned = n->pairs_left_out;
    plan->info.cells_done = cells - n->cells_left_out;
    return wwi_runner_abandoned(plan->runner, &plan->info.pairs_abandoned);
}

// `square`: the cells of all of these rows with all columns.
static ww_status run_part(ww_plan *plan, size_t first, size_t end, uint64_t square, uint64_t cells, int64_t *indices,
                          void *distances) {
    wwi_plan_start(plan);
    wwi_plan_expect(plan, square);
    return wwi_plan_end(plan, compute_part(plan, first, end, cells, indices, distances));
}

ww_status wwi_plan_nearest_alone(ww_plan *plan, size_t row, size_t rows, int64_t *indices, void *distances) {
    uint64_t cells, alone = 0;
    if (rows == plan->pair.rows->count)
        return run_part(plan, 0, rows, plan->square_cells, plan->info.cells, indices, distances);
    WWI_TRY(wwi_plan_count_area(plan, (wwi_rectangle){row, rows, 0, plan->pair.columns->count}, &cells));
    for (size_t i = row; plan->self && i < row + rows; i++)
        alone += wwi_pairing_cells(&plan->pair, plan->pair.rows->lengths[i], plan->pair.rows->lengths[i]);
    return run_part(plan, row, row + rows, cells, cells - alone, indices, distances);
}

const wwi_job_class wwi_nearest_job = {"ww_plan_run_nearest", NULL, NULL, NULL, destroy};
