// SPDX-License-Identifier: Apache-2.0
// Launches the selection of the k smallest values a row, and the public calls that select in a matrix of the caller's.
#include "topk/topk.h"

#include <stdlib.h>
#include <wavewarp/topk.h>

#include "base/kit.h"
#include "base/run.h"
#include "data/dataset.h"
#include "options.h"
#include "topk/results.h"
#include "topk/topk_args.h"

// Above this k a row's best no longer fit local memory, and each row is one work-item's.
#define MOST_K_OF_A_GROUP 1024
#define EACH 16 // values of a work-item before lists are merged
// Columns below which a row is not cut in parts.
#define LEAST_PART 4096

struct wwi_selector {
    ww_context *context;
    uint64_t value_bytes;
    uint32_t k;
    bool grouped;   // a work-group a task, else a work-item
    uint32_t group; // work-items of a group
    wwi_program *program;
    wwi_kernel *kernel;
    wwi_buffer *part_values, *part_indices;
};

void wwi_selector_destroy(wwi_selector **selector) {
    wwi_selector *s = wwi_taken(selector);
    if (!s)
        return;
    WWI_BUFFERS_DESTROY(&s->part_values, &s->part_indices);
    wwi_kernel_destroy(&s->kernel);
    wwi_program_release(&s->program);
    wwi_context_release(s->context);
    free(s);
}

static uint32_t power_of_two(uint32_t least, uint32_t value) {
    while (least < value)
        least *= 2;
    return least;
}

ww_status wwi_selector_create(ww_context *context, wwi_stream *stream, ww_precision precision, uint32_t k,
                              wwi_selector **selector) {
    *selector = NULL;
    WWI_ENDS(wwi_selector_destroy) wwi_selector *s = NULL;
    WWI_TRY(wwi_new_zeroed(s, 1));
    wwi_context_retain(context);
    s->context = context;
    s->value_bytes = wwi_precision_bytes(precision);
    s->k = k;
    const long group = !wwi_is_gpu(context) ? 1 : k > 64 ? 256 : 64;
    s->group = (uint32_t)wwi_tuning_for(context, precision, "select.group", group);
    s->grouped = s->group > 1 && k <= MOST_K_OF_A_GROUP;
    const uint32_t best = s->grouped ? power_of_two(1, k) : 1;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "topk/topk_args.h", "topk/topk.cl"},
        .defines = WWI_LIST({"WWK_DOUBLE", precision == WW_DOUBLE}, {"WW_GROUPED", s->grouped}, {"WW_WG", s->group},
                            {"WW_K", best}, {"WW_QUEUE", power_of_two(best, s->grouped ? 4 * s->group : 1)},
                            {"WW_TOPK_EACH", EACH}),
        .kernels = {{&s->kernel, s->grouped ? "ww_select_group" : "ww_select_item"}},
    };
    WWI_TRY(wwi_program_make(context, stream, &parts, &s->program));
    *selector = wwi_taken(&s);
    return WW_OK;
}

static ww_status launch(wwi_selector *s, wwi_buffer *values, wwi_buffer *list, wwi_buffer *counts, ww_topk_args args,
                        uint64_t rows, wwi_buffer *best_values, wwi_buffer *best_indices) {
    const uint64_t tasks = rows * args.parts;
    return WWI_LAUNCH_ITEMS(s->kernel, s->grouped ? tasks * s->group : tasks, s->group, WWI_BUFFER(values),
                            WWI_BUFFER(list), WWI_BUFFER(counts), WWI_VALUE(args), WWI_VALUE(tasks),
                            WWI_BUFFER(best_values), WWI_BUFFER(best_indices));
}

// Parts of a row: few rows are divided so that the whole device works, but into parts well above k.
static uint32_t choose_parts(const wwi_selector *s, uint64_t rows, uint32_t columns) {
    const uint64_t wanted = wwi_context_info(s->context)->compute_units * (s->group > 1 ? 8u : 1u);
    const uint64_t least = (uint64_t)s->k * 8 > LEAST_PART ? (uint64_t)s->k * 8 : LEAST_PART;
    const uint64_t parts = wwi_least(wwi_ceil_div(wanted, rows), columns / least);
    return parts < 1 ? 1 : (uint32_t)parts;
}

ww_status wwi_topk(wwi_selector *s, const wwi_selection *selection) {
    ww_topk_args args = {
        .offset = selection->offset,
        .row_stride = selection->row_stride,
        .columns = selection->columns,
        .column_base = selection->column_base,
        .own_base = selection->own_base,
        .parts = 1,
        .part_columns = selection->columns,
        .k = s->k,
        .flags = (selection->exclude_self ? WW_SELECT_OWN : 0u) | (selection->fresh ? WW_SELECT_FRESH : 0u) |
                 (selection->indices ? WW_SELECT_LISTED : 0u) | (selection->counts ? WW_SELECT_COUNTED : 0u) |
                 (selection->largest ? WW_SELECT_LARGEST : 0u),
    };
    wwi_buffer *list = selection->indices ? selection->indices : selection->values;
    uint32_t parts = selection->counts ? 1 : choose_parts(s, selection->rows, selection->columns);
    if (parts == 1)
        return launch(s, selection->values, list, selection->counts ? selection->counts : list, args, selection->rows,
                      selection->best_values, selection->best_indices);
    args.part_columns = (uint32_t)wwi_ceil_div(selection->columns, parts);
    args.parts = parts = (uint32_t)wwi_ceil_div(selection->columns, args.part_columns);
    args.flags |= WW_SELECT_FRESH;
    const uint64_t listed = selection->rows * parts * s->k;
    WWI_TRY(wwi_grow_buffer(s->context, &s->part_values, listed * s->value_bytes));
    WWI_TRY(wwi_grow_buffer(s->context, &s->part_indices, listed * sizeof(uint32_t)));
    WWI_TRY(launch(s, selection->values, list, list, args, selection->rows, s->part_values, s->part_indices));
    const ww_topk_args merge = {
        .row_stride = (uint64_t)parts * s->k,
        .columns = parts * s->k,
        .parts = 1,
        .part_columns = parts * s->k,
        .k = s->k,
        .flags = WW_SELECT_LISTED | (selection->fresh ? WW_SELECT_FRESH : 0u),
    };
    return launch(s, s->part_values, s->part_indices, s->part_indices, merge, selection->rows, selection->best_values,
                  selection->best_indices);
}

// ---- rows of the caller's

struct ww_topk {
    ww_context *context;
    wwi_stream *stream;
    size_t rows, columns, k;
    uint64_t value_bytes;
    size_t most_rows; // on the device at a time
    bool filled;      // the device holds the values of the last run
    wwi_selector *selector;
    wwi_buffer *values, *best_values, *best_indices;
    ww_run_options run;
    ww_topk_info info;
};

void ww_topk_destroy(ww_topk **topk) {
    ww_topk *s = wwi_taken(topk);
    if (!s)
        return;
    wwi_selector_destroy(&s->selector);
    WWI_BUFFERS_DESTROY(&s->values, &s->best_values, &s->best_indices);
    wwi_stream_destroy(&s->stream);
    wwi_context_release(s->context);
    free(s);
}

static ww_status select_allocate(ww_topk *s, ww_precision precision) {
    const uint64_t row_bytes = s->columns * s->value_bytes, best_bytes = s->k * (s->value_bytes + 4);
    const uint64_t rows = wwi_memory_share(s->context, 2, s->run.max_bytes) / (row_bytes + best_bytes);
    if (rows == 0) {
        wwi_fail(WW_ERROR_DEVICE_MEMORY, "a row of %zu values and its %zu smallest do not fit the device", s->columns,
                 s->k);
        return wwi_fail_hint("use a larger device, or cut the rows");
    }
    s->most_rows = rows < s->rows ? (size_t)rows : s->rows;
    WWI_TRY(wwi_run_stream(s->context, &s->run, &s->stream));
    WWI_TRY(WWI_GROW(s->context, {&s->values, s->most_rows * row_bytes},
                     {&s->best_values, s->most_rows * s->k * s->value_bytes},
                     {&s->best_indices, s->most_rows * s->k * 4}));
    return wwi_selector_create(s->context, s->stream, precision, (uint32_t)s->k, &s->selector);
}

ww_status ww_topk_create(ww_context *context, size_t rows, size_t columns, size_t k, const ww_topk_options *options,
                         ww_topk **topk) {
    ww_topk_options o = WW_TOPK_OPTIONS_INIT;
    ww_run_options run;
    if (topk)
        *topk = NULL;
    WWI_NEEDS("context, topk", context, topk);
    context = wwi_context_first(context);
    WWI_TRY(wwi_options_take(&o, options, "ww_topk_options"));
    WWI_TRY(wwi_run_take(o.run, &run));
    const ww_precision precision = o.precision;
    if ((unsigned)precision > WW_DOUBLE || rows == 0 || columns == 0 || k == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "rows, columns or k is 0, or precision is %d", (int)precision);
    uint64_t total;
    if (columns > INT32_MAX || k > INT32_MAX || !wwi_mul_u64(rows, columns > k ? columns : k, &total) ||
        total > INT64_MAX / 8)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu columns, k %zu; the most is 2^31 - 1", columns, k);
    WWI_TRY(wwi_check_precision(context, precision));
    WWI_ENDS(ww_topk_destroy) ww_topk *s = NULL;
    WWI_TRY(wwi_new_zeroed(s, 1));
    wwi_context_retain(context);
    s->context = context;
    s->rows = rows;
    s->columns = columns;
    s->k = k;
    s->value_bytes = wwi_precision_bytes(precision);
    s->run = run;
    s->info = (ww_topk_info)WW_TOPK_INFO_INIT;
    WWI_TRY(select_allocate(s, precision));
    *topk = wwi_taken(&s);
    return WW_OK;
}

// Selects in rows [first, first + rows), which are on the device where `values` is NULL, and copies the results to the
// caller.
static ww_status select_rows(ww_topk *s, const void *values, size_t first, size_t rows, int64_t *indices,
                             void *smallest) {
    const size_t at = first * s->k;
    const uint64_t row_bytes = s->columns * s->value_bytes;
    const wwi_selection selection = {.values = s->values,
                                     .row_stride = s->columns,
                                     .rows = rows,
                                     .columns = (uint32_t)s->columns,
                                     .fresh = true,
                                     .best_values = s->best_values,
                                     .best_indices = s->best_indices};
    if (values)
        WWI_TRY(wwi_buffer_write(s->values, 0, rows * row_bytes, (const unsigned char *)values + first * row_bytes));
    WWI_TRY(wwi_topk(s->selector, &selection));
    WWI_TRY(wwi_results_fetch(s->best_indices, s->best_values, rows, s->k,
                              s->value_bytes == sizeof(double) ? WW_DOUBLE : WW_FLOAT, false, indices + at,
                              smallest ? (unsigned char *)smallest + at * s->value_bytes : NULL, NULL));
    return wwi_run_report(s->run.progress, s->run.progress_user, first + rows, s->rows);
}

ww_status ww_topk_run(ww_topk *s, const void *values, int64_t *indices, void *smallest) {
    ww_status status = WW_OK;
    WWI_NEEDS("topk, indices", s, indices);
    if (!values && !s->filled)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "values is NULL, and the device does not hold those of a run before");
    wwi_stream_start(s->stream);
    const double start = wwi_seconds();
    if (values)
        s->filled = false;
    for (size_t first = 0, rows; status == WW_OK && first < s->rows; first += rows) {
        rows = wwi_least(s->rows - first, s->most_rows);
        status = select_rows(s, values, first, rows, indices, smallest);
    }
    status = wwi_run_end(s->stream, status, start, &s->info.launches, &s->info.seconds_device, &s->info.seconds_wall);
    s->filled = s->filled || (status == WW_OK && s->most_rows == s->rows);
    return status;
}

WWI_GIVES_INFO(topk, topk)
