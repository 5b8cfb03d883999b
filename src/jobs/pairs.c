// SPDX-License-Identifier: Apache-2.0
// The job `pairs`: listed pairs, a value each.
#include <stdlib.h>
#include <string.h>

#include "jobs/plan.h"
#include "measure/measure_table.h"

// Pairs of a batch. Another 12 bytes a pair are for the list.
static uint64_t most_pairs(const ww_plan *p) {
    const uint64_t most = wwi_plan_memory(p) / (p->pair.value_bytes + 12);
    return most < 1 ? 1 : most > p->count ? p->count : most;
}

static bool on_device(const ww_plan *p) {
    return !p->pair.rows->host && !p->pair.columns->host;
}

static ww_status prepare_all(ww_plan *p) {
    return p->whole ? WW_OK : wwi_plan_prepare_list(p, p->pairs, p->count, &p->whole);
}

// Prepares all pairs, or compiles for those of the first windows.
static ww_status prepare_first(ww_plan *p) {
    WWI_FREES uint32_t *pairs = NULL;
    if (on_device(p) && most_pairs(p) == p->count)
        return prepare_all(p);
    const size_t rows = wwi_dataset_slice_limit(p->pair.rows, 0), columns = wwi_dataset_slice_limit(p->pair.columns, 0);
    WWI_TRY(wwi_new(pairs, p->count * 3));
    wwi_batch b = {.list = true, .pairs = pairs};
    for (size_t t = 0; t < p->count; t++)
        if (p->pairs[3 * t] < rows && p->pairs[3 * t + 1] < columns)
            memcpy(pairs + 3 * b.rows++, p->pairs + 3 * t, 3 * sizeof *pairs);
    WWI_TRY(wwi_pairing_slices(&p->pair, (wwi_rectangle){0, rows, 0, columns}, &b.row, &b.column));
    return wwi_runner_prepare(p->runner, &b, NULL);
}

ww_status wwi_plan_count_pairs(const ww_plan *p, size_t first, size_t count, uint64_t *cells) {
    uint64_t last = 0;
    uint32_t last_n = 0, last_m = 0;
    *cells = 0;
    for (size_t t = first; t < first + count; t++) {
        const uint32_t n = p->pair.rows->lengths[p->pairs[3 * t]], m = p->pair.columns->lengths[p->pairs[3 * t + 1]];
        if (n != last_n || m != last_m)
            last = wwi_pairing_cells(&p->pair, n, m);
        if (last == 0)
            return wwi_pairing_no_path(&p->pair, n, m);
        last_n = n;
        last_m = m;
        *cells += last;
    }
    return WW_OK;
}

ww_status wwi_plan_take_pairs(ww_plan *p, const size_t *row_index, const size_t *column_index, size_t count) {
    p->count = count;
    WWI_TRY(wwi_new(p->pairs, count * 3));
    for (size_t t = 0; t < count; t++) {
        const size_t x = row_index ? row_index[t] : t, y = column_index ? column_index[t] : t;
        if (x >= p->pair.rows->count || y >= p->pair.columns->count)
            return wwi_pairs_outside(t, x, y, p->pair.rows->count, p->pair.columns->count);
        p->pairs[3 * t] = (uint32_t)x;
        p->pairs[3 * t + 1] = (uint32_t)y;
        p->pairs[3 * t + 2] = (uint32_t)t;
    }
    p->info.pairs = count;
    return wwi_plan_count_pairs(p, 0, count, &p->info.cells);
}

static ww_status create(const wwi_plan_creation *from, ww_dataset *rows, ww_dataset *columns,
                        const ww_plan_options *options, ww_plan **plan) {
    WWI_ENDS(ww_plan_destroy) ww_plan *p = NULL;
    if (!rows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rows are NULL");
    if (!columns)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the columns are NULL");
    WWI_TRY(wwi_pairs_check(from->row_index, from->column_index, from->count));
    WWI_TRY(wwi_plan_create(&wwi_pairs_job, from->measure, rows, columns, options, &p));
    WWI_TRY(wwi_plan_take_pairs(p, from->row_index, from->column_index, from->count));
    WWI_TRY(prepare_first(p));
    p->info.engine = wwi_runner_engine(p->runner);
    *plan = wwi_taken(&p);
    return WW_OK;
}

ww_status ww_plan_create_pairs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
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

double wwi_plan_pair_work(const ww_plan *p, size_t pair) {
    return (double)p->pair.rows->lengths[p->pairs[3 * pair]] * (double)p->pair.columns->lengths[p->pairs[3 * pair + 1]];
}

// Pairs [first, end) of the list, and room to pick `most` of them at a time.
typedef struct picking {
    size_t first, end;
    uint64_t most;
    uint32_t *picked, *numbers;
    unsigned char *values;
} picking;

// Those whose series are in one slice of each side.
static ww_status run_pairs_between(ww_plan *p, wwi_rectangle in, const picking *of, unsigned char *distances) {
    const size_t size = p->pair.value_bytes;
    uint32_t *const picked = of->picked;
    const wwi_work *like = wwi_measure_rounds_by_engine(&p->pair.measure) ? p->whole : NULL;
    wwi_batch b = {.list = true, .pairs = picked, .like = like};
    for (size_t t = of->first; t < of->end;) {
        b.rows = 0;
        for (; t < of->end && b.rows < of->most; t++) {
            const uint32_t *pair = p->pairs + 3 * t;
            if (!wwi_pair_is_in(pair, in))
                continue;
            picked[3 * b.rows] = pair[0];
            picked[3 * b.rows + 1] = pair[1];
            picked[3 * b.rows + 2] = (uint32_t)b.rows;
            of->numbers[b.rows++] = (uint32_t)(t - of->first);
        }
        if (b.rows == 0)
            return WW_OK;
        WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, b.rows * size));
        WWI_TRY(wwi_pairing_slices(&p->pair, in, &b.row, &b.column));
        b.out = p->out;
        WWI_TRY(wwi_runner_block(p->runner, &b));
        WWI_TRY(wwi_plan_fetch(p, p->out, b.rows, of->values));
        for (size_t i = 0; i < b.rows; i++)
            memcpy(distances + of->numbers[i] * size, of->values + i * size, size);
    }
    return WW_OK;
}

// Pairs [first, first + count), window after window.
static ww_status run_windows(ww_plan *p, size_t first, size_t count, void *distances) {
    const uint64_t most = wwi_least(most_pairs(p), count);
    WWI_FREES uint32_t *picked = NULL, *numbers = NULL;
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(picked, most * 3));
    WWI_TRY(wwi_new(numbers, most));
    WWI_TRY(wwi_new(values, most * p->pair.value_bytes));
    const picking of = {first, first + count, most, picked, numbers, values};
    for (size_t row = 0, rows; row < p->pair.rows->count; row += rows) {
        rows = wwi_dataset_slice_limit(p->pair.rows, row);
        for (size_t column = 0, columns; column < p->pair.columns->count; column += columns) {
            columns = wwi_dataset_slice_limit(p->pair.columns, column);
            WWI_TRY(run_pairs_between(p, (wwi_rectangle){row, rows, column, columns}, &of, distances));
        }
    }
    return WW_OK;
}

// All pairs at once.
static ww_status enqueue_all(ww_plan *p, ww_layout layout, wwi_buffer *out) {
    (void)layout;
    WWI_TRY(prepare_all(p));
    return wwi_runner_run(p->runner, p->whole, out, WW_RESULTS_STRIDED);
}

static ww_status run_to_host(ww_plan *p, void *distances) {
    const uint64_t bytes = p->count * p->pair.value_bytes;
    if (!on_device(p) || most_pairs(p) < p->count)
        return run_windows(p, 0, p->count, distances);
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, bytes));
    WWI_TRY(enqueue_all(p, WW_LAYOUT_FULL, p->out));
    return wwi_plan_fetch(p, p->out, p->count, distances);
}

static ww_status pairs_result(const ww_plan *p, ww_layout layout, wwi_result *result) {
    if (layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "pairs have the full layout only");
    *result = (wwi_result){"distances of pairs", 1, p->count, p->pair.value_bytes, false};
    return WW_OK;
}

static ww_status run_to_device(ww_plan *p, const ww_output *to, wwi_buffer *device) {
    wwi_result result;
    if (on_device(p) && pairs_result(p, WW_LAYOUT_FULL, &result) == WW_OK)
        return wwi_plan_to_device(p, to, device, &result, enqueue_all);
    wwi_fail(WW_ERROR_UNSUPPORTED, "the series are not on the device at once");
    return wwi_fail_hint("run the plan into host memory, which works block by block");
}

static ww_status pairs_run(ww_plan *p, const ww_output *to, wwi_buffer *device) {
    wwi_plan_expect(p, p->info.cells);
    WWI_TRY(device ? run_to_device(p, to, device) : run_to_host(p, to->host));
    p->info.cells_done = p->info.cells;
    return WW_OK;
}

ww_status wwi_plan_run_some_pairs(ww_plan *p, size_t first, size_t count, void *distances) {
    uint64_t cells;
    WWI_TRY(wwi_plan_count_pairs(p, first, count, &cells));
    if (count == 0)
        return WW_OK;
    wwi_plan_start(p);
    wwi_plan_expect(p, cells);
    const ww_status status = run_windows(p, first, count, distances);
    if (status == WW_OK)
        p->info.cells_done = cells;
    return wwi_plan_end(p, status);
}

static ww_status pairs_prepare(ww_plan *p) {
    const uint64_t bytes = most_pairs(p) * p->pair.value_bytes;
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, bytes));
    return on_device(p) && most_pairs(p) == p->count ? prepare_all(p) : WW_OK;
}

// ---- lists that the caller makes one after the other

static ww_status create_lists(const wwi_plan_creation *from, ww_dataset *rows, ww_dataset *columns,
                              const ww_plan_options *options, ww_plan **plan) {
    WWI_ENDS(ww_plan_destroy) ww_plan *p = NULL;
    WWI_TRY(wwi_plan_create(&wwi_pairs_job, from->measure, rows, columns, options, &p));
    WWI_TRY(wwi_plan_count_cells(p, &p->info.cells)); // every pair of lengths has a path
    *plan = wwi_taken(&p);
    return WW_OK;
}

ww_status wwi_plan_create_lists(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                const ww_plan_options *options, ww_plan **plan) {
    wwi_plan_creation from = {.create = create_lists, .measure = measure, .rows = rows, .columns = columns};
    return wwi_plan_spread(&from, options, plan);
}

// Pairs of a list that are all on the device, a batch of it.
static ww_status run_batch(ww_plan *p, const wwi_list *list, size_t first, size_t count, unsigned char *distances) {
    const size_t size = p->pair.value_bytes;
    wwi_batch b = {.list = true, .pairs = list->pairs + 3 * first, .rows = count, .radius_results = 1, .radius_k = 1};
    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, count * size));
    WWI_TRY(wwi_pairing_slices(&p->pair, wwi_pairing_all(&p->pair), &b.row, &b.column));
    if (list->radii) {
        WWI_TRY(
            wwi_upload(p->pair.context, &p->radii, (const unsigned char *)list->radii + first * size, count * size));
        b.radii = p->radii;
    }
    b.out = p->out;
    WWI_TRY(wwi_runner_block(p->runner, &b));
    return wwi_stream_read(p->pair.stream, p->out, 0, count * size, distances + first * size);
}

static ww_status run_list(ww_plan *p, const wwi_list *list, size_t count, unsigned char *distances) {
    const uint64_t most = wwi_plan_memory(p) / (2 * p->pair.value_bytes + 12);
    for (size_t first = 0; on_device(p) && first < count;) {
        const size_t some = (size_t)wwi_least(count - first, most < 1 ? 1 : most);
        const bool numbered = list->pairs[3 * first + 2] == 0;
        for (size_t t = 0; !numbered && t < some; t++)
            list->pairs[3 * (first + t) + 2] = (uint32_t)t;
        WWI_TRY(run_batch(p, list, first, some, distances));
        first += some;
    }
    return on_device(p) ? WW_OK : run_windows(p, 0, count, distances);
}

static uint64_t count_list(const ww_plan *p, size_t count) {
    const ww_dataset *rows = p->pair.rows, *columns = p->pair.columns;
    uint64_t cells = 0;
    if (rows->rank_count == 1 && columns->rank_count == 1)
        return count * wwi_pairing_cells(&p->pair, rows->lengths[0], columns->lengths[0]);
    (void)wwi_plan_count_pairs(p, 0, count, &cells); // that there are paths is known
    return cells;
}

ww_status wwi_plan_list_alone(ww_plan *p, const wwi_list *list, size_t count, void *distances) {
    if (count == 0)
        return WW_OK;
    p->pairs = list->pairs;
    p->count = count;
    wwi_plan_start(p);
    const uint64_t cells = count_list(p, count);
    wwi_plan_expect(p, cells);
    const ww_status status = run_list(p, list, count, distances);
    p->pairs = NULL;
    p->count = 0;
    if (status == WW_OK)
        p->info.cells_done = cells;
    return wwi_plan_end(p, status);
}

bool wwi_plan_takes_tasks(const ww_plan *p) {
    return on_device(p) && wwi_runner_takes_tasks(p->runner);
}

ww_status wwi_plan_run_tasks(ww_plan *p, wwi_buffer *tasks, size_t count, wwi_buffer *distances) {
    wwi_batch b = {.list = true, .tasks = tasks, .rows = count, .out = distances};
    WWI_TRY(wwi_pairing_slices(&p->pair, wwi_pairing_all(&p->pair), &b.row, &b.column));
    wwi_plan_expect(p, count_list(p, count));
    return wwi_runner_block(p->runner, &b);
}

static void pairs_destroy(ww_plan *p) {
    wwi_buffer_destroy(&p->radii);
    free(p->pairs);
}

const wwi_job_class wwi_pairs_job = {"ww_plan_run", pairs_result, pairs_run, pairs_prepare, pairs_destroy};
