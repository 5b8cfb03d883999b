// SPDX-License-Identifier: Apache-2.0
// Nearest neighbours: the selection of the k smallest, alone; lower bounds change no result.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"
#include "topk/topk.h"

// ---- selection

// A matrix of values of which many are the same, with some that are not there.
typedef struct table {
    size_t rows, columns, stride;
    ww_precision precision;
    double *values;
} table;

static table table_make(size_t rows, size_t columns, ww_precision precision) {
    table t = {rows, columns, columns + 3, precision, calloc(rows * (columns + 3), sizeof(double))};
    ck_assert_ptr_nonnull(t.values);
    for (size_t i = 0; i < rows * t.stride; i++) {
        const double value = wwt_random();
        // Exact in float; the last row all different, the others with many ties.
        t.values[i] = i / t.stride + 1 == rows ? value : floor(value * 8.0);
        if (wwt_random() < -0.95)
            t.values[i] = wwt_random() < 0 ? NAN : INFINITY;
        else if (wwt_random() < -0.95)
            t.values[i] = -0.0;
    }
    return t;
}

static wwi_buffer *table_upload(const table *t) {
    wwi_buffer *buffer = NULL;
    const size_t count = t->rows * t->stride, size = t->precision == WW_DOUBLE ? 8 : 4;
    void *copy = malloc(count * size);
    ck_assert_ptr_nonnull(copy);
    for (size_t i = 0; i < count; i++)
        if (t->precision == WW_DOUBLE)
            ((double *)copy)[i] = t->values[i];
        else
            ((float *)copy)[i] = (float)t->values[i];
    wwt_ok(wwi_buffer_create(wwt_context, count * size, &buffer));
    wwt_ok(wwi_buffer_write(buffer, 0, count * size, copy));
    free(copy);
    return buffer;
}

static const double *row_values;

static int by_value(const void *a, const void *b) {
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (row_values[i] != row_values[j])
        return row_values[i] < row_values[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

// The indices of one row in order, without `own`.
static size_t sorted_row(const table *t, size_t row, size_t own, uint32_t *order) {
    size_t count = 0;
    row_values = t->values + row * t->stride;
    for (size_t j = 0; j < t->columns; j++)
        if (j != own && !isnan(row_values[j]))
            order[count++] = (uint32_t)j;
    qsort(order, count, sizeof *order, by_value);
    return count;
}

static void check_best(const table *t, size_t k, bool exclude_self, wwi_buffer *values, wwi_buffer *indices) {
    const size_t size = t->precision == WW_DOUBLE ? 8 : 4;
    void *found = wwt_guarded(t->rows * k, t->precision);
    uint32_t *found_indices = malloc(t->rows * k * 4), *order = malloc(t->columns * 4);
    ck_assert(found_indices && order);
    wwt_ok(wwi_buffer_read(values, 0, t->rows * k * size, found));
    wwt_ok(wwi_buffer_read(indices, 0, t->rows * k * 4, found_indices));
    for (size_t i = 0; i < t->rows; i++) {
        const size_t count = sorted_row(t, i, exclude_self ? i + 1 : SIZE_MAX, order);
        for (size_t s = 0; s < k; s++) {
            const uint32_t expected = s < count ? order[s] : WWI_NO_INDEX;
            ck_assert_msg(found_indices[i * k + s] == expected, "k %zu, row %zu of %zu x %zu, place %zu: %u, not %u", k,
                          i, t->rows, t->columns, s, found_indices[i * k + s], expected);
            const double value = s < count ? t->values[i * t->stride + expected] : (double)INFINITY;
            ck_assert_double_eq(wwt_value(found, t->precision, i * k + s), value);
        }
    }
    free(found_indices);
    free(order);
    wwt_guarded_free(found);
}

// At once, and in three blocks of columns. `largest`: the k largest, which come out negated.
static void check_select(size_t rows, size_t columns, uint32_t k, ww_precision precision, bool largest) {
    table t = table_make(rows, columns, precision);
    const size_t size = precision == WW_DOUBLE ? 8 : 4;
    wwi_buffer *matrix = table_upload(&t), *values = NULL, *indices = NULL;
    wwi_selector *selector = NULL;
    wwi_stream *stream = NULL;
    for (size_t i = 0; largest && i < rows * t.stride; i++)
        t.values[i] = -t.values[i]; // only here: what was uploaded stays
    wwt_ok(wwi_buffer_create(wwt_context, rows * k * size, &values));
    wwt_ok(wwi_buffer_create(wwt_context, rows * k * 4, &indices));
    wwt_ok(wwi_stream_create(wwt_context, &stream));
    wwt_ok(wwi_selector_create(wwt_context, stream, precision, k, &selector));
    for (int exclude_self = 0; exclude_self < 2; exclude_self++) {
        wwi_selection s = {
            .values = matrix,
            .row_stride = t.stride,
            .rows = rows,
            .columns = (uint32_t)columns,
            .exclude_self = exclude_self != 0,
            .own_base = 1,
            .largest = largest,
            .fresh = true,
            .best_values = values,
            .best_indices = indices,
        };
        wwt_ok(wwi_topk(selector, &s));
        check_best(&t, k, exclude_self != 0, values, indices);
        const size_t ends[] = {0, columns / 5, columns / 2, columns};
        for (int part = 2; part >= 0; part--) {
            s.column_base = (uint32_t)ends[part];
            s.offset = ends[part];
            s.columns = (uint32_t)(ends[part + 1] - ends[part]);
            s.fresh = part == 2;
            if (s.columns)
                wwt_ok(wwi_topk(selector, &s));
        }
        check_best(&t, k, exclude_self != 0, values, indices);
    }
    wwi_selector_destroy(&selector);
    wwi_stream_destroy(&stream);
    wwi_buffer_destroy(&matrix);
    wwi_buffer_destroy(&values);
    wwi_buffer_destroy(&indices);
    free(t.values);
}

// A context whose kernels are a GPU's: work-groups share a row.
static void share_rows(void) {
    char path[] = "/tmp/wavewarp-test-XXXXXX";
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_gt(dprintf(file, "default select.group 64\ndefault bounds.group 64\n"), 0);
    close(file);
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    options.tuning_file = path;
    ww_context_destroy(&wwt_context);
    const ww_status status = ww_context_create(&options, &wwt_context);
    unlink(path);
    wwt_ok(status);
}

// A CPU takes seconds to compile the text in which work-groups share a row, for each room for k. The daily run has the
// rooms of 1, 8 and 1024 in float, those of 1, 4 and 128 in double.
static void select_some(bool shared, size_t rows, size_t columns, uint32_t k, ww_precision precision, bool largest) {
    const bool in_float = k == 5 || k == 1000 || k == 1024;
    if (!shared || wwt_all_cases() || k == 1 || k > 1024 || in_float == (precision == WW_FLOAT))
        check_select(rows, columns, k, precision, largest);
}

START_TEST(selection) {
    const bool shared = _i % 2 != 0;
    const ww_precision precision = (ww_precision)(_i / 2);
    wwt_seed((unsigned)_i);
    if (shared)
        share_rows();
    const size_t columns[] = {1, 2, 15, 16, 17, 63, 64, 511, 512, 513, 2000};
    const uint32_t ks[] = {1, 5, 100};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (size_t k = 0; k < sizeof ks / sizeof *ks; k++)
            for (int largest = 0; largest < 2; largest++)
                select_some(shared, 3, columns[c], ks[k], precision, largest != 0);
    select_some(shared, 1, 70000, 1, precision, false);
    select_some(shared, 1, 70000, 3, precision, true);
    select_some(shared, 2, 70000, 5, precision, false);
    select_some(shared, 1, 30000, 1000, precision, false);
    select_some(shared, 2, 3000, 1024, precision, false);
    select_some(shared, 2, 3000, 1025, precision, false);
    select_some(shared, 300, 40, 5, precision, false);
}
END_TEST

// ---- bounds

// Series that are near their neighbours in the set, so that bounds have something to tell apart.
static void spread(wwt_set *set) {
    for (size_t i = 0; i < set->count; i++)
        for (size_t t = 0; t < set->lengths[i] * set->channels; t++)
            set->values[set->offsets[i] + t] += (double)(i * 37 % 50);
}

static void run_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                        const ww_plan_options *options, int64_t *indices, void *distances, ww_plan_info *info) {
    ww_plan *plan = NULL;
    wwt_ok(ww_plan_create_nearest(measure, queries, base, k, options, &plan));
    wwt_ok(ww_plan_run_nearest(plan, indices, distances));
    wwt_ok(ww_plan_get_info(plan, info));
    ww_plan_destroy(&plan);
}

// With and without bounds: the same bits. `prunes`: a CPU must have left some pairs out.
static void check_bounds(const ww_measure *measure, const wwt_set *queries, const wwt_set *base, size_t k,
                         ww_precision precision, uint64_t max_bytes, bool prunes) {
    ww_dataset *q = wwt_dataset(queries, precision), *b = base ? wwt_dataset(base, precision) : NULL;
    const size_t count = queries->count * k;
    int64_t *with = calloc(count, sizeof *with), *without = calloc(count, sizeof *without);
    void *near = wwt_guarded(count, precision), *far = wwt_guarded(count, precision);
    ww_plan_info info = WW_PLAN_INFO_INIT, plain = WW_PLAN_INFO_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ck_assert(with && without);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = max_bytes;
    options.run = &run;
    run_nearest(measure, q, b, k, &options, with, near, &info);
    options.no_bounds = 1;
    run_nearest(measure, q, b, k, &options, without, far, &plain);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(with[i] == without[i], "place %zu: %lld with bounds, %lld without", i, (long long)with[i],
                      (long long)without[i]);
    ck_assert(wwt_same(near, far, count, precision));
    ck_assert_uint_eq(plain.pairs_pruned + plain.pairs_abandoned, 0);
    ck_assert_uint_eq(plain.cells_done, plain.cells);
    ck_assert_uint_eq(info.cells, plain.cells);
    ck_assert_uint_eq(info.pairs, plain.pairs);
    ck_assert_uint_le(info.cells_done, info.cells);
    // A GPU computes a distance of these lengths faster than it would choose which ones to leave out.
    ww_device_info device = WW_DEVICE_INFO_INIT;
    wwt_ok(ww_context_get_device_info(wwt_context, &device));
    ck_assert_msg(!prunes || device.type == WW_DEVICE_GPU || (info.pairs_pruned > 0 && info.cells_done < info.cells),
                  "%llu pairs pruned", (unsigned long long)info.pairs_pruned);
    free(with);
    free(without);
    wwt_guarded_free(near);
    wwt_guarded_free(far);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
}

enum { QUERIES = 20, BASE = 200, LENGTH = 60 };

START_TEST(bounds_change_nothing) {
    const ww_precision precision = (ww_precision)(_i / 4);
    const size_t few = precision == WW_FLOAT ? 5 : 3; // rooms that `selection` compiles
    ww_measure measure = wwt_measure(_i % 2 ? WW_FRECHET : WW_DTW);
    wwt_seed((unsigned)_i);
    if (_i / 2 % 2 != 0)
        share_rows();
    wwt_set queries = wwt_set_random(1, LENGTH, LENGTH, QUERIES), base = wwt_set_random(1, LENGTH, LENGTH, BASE);
    spread(&queries);
    spread(&base);
    check_bounds(&measure, &queries, &base, 1, precision, 0, true);
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 12.0};
    check_bounds(&measure, &queries, &base, few, precision, 0, true);
    check_bounds(&measure, &queries, &base, 1, precision, 20000, false);
    check_bounds(&measure, &base, NULL, few, precision, 0, true);
    measure.root = 1;
    measure.cost = WW_COST_ABSOLUTE;
    check_bounds(&measure, &queries, &base, few, precision, 0, true);
    measure.band = (ww_band){.kind = WW_BAND_SLANTED, .width = 0.2};
    measure.cost = WW_COST_SQUARED;
    check_bounds(&measure, &queries, &base, few, precision, 0, true);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

// Some drivers report no clock: bounds are worth their while there too.
START_TEST(bounds_without_a_clock) {
    ww_measure measure = wwt_measure(WW_DTW);
    wwt_seed(1);
    wwt_set queries = wwt_set_random(1, LENGTH, LENGTH, QUERIES), base = wwt_set_random(1, LENGTH, LENGTH, BASE);
    spread(&queries);
    spread(&base);
    ((ww_device_info *)(uintptr_t)wwi_context_info(wwt_context))->clock_mhz = 0;
    check_bounds(&measure, &queries, &base, 1, WW_FLOAT, 0, true);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

START_TEST(bounds_of_channels_and_lengths) {
    ww_measure measure = wwt_measure(_i % 2 ? WW_FRECHET : WW_DTW);
    wwt_seed((unsigned)_i);
    if (_i / 2 != 0)
        share_rows();
    wwt_set queries = wwt_set_random(3, 1, 90, QUERIES), base = wwt_set_random(3, 1, 90, BASE);
    wwt_set x = wwt_set_random(3, LENGTH, LENGTH, QUERIES), y = wwt_set_random(3, LENGTH + 9, LENGTH + 9, BASE);
    spread(&queries);
    spread(&base);
    spread(&x);
    spread(&y);
    for (measure.independent = 0; measure.independent <= 1; measure.independent++)
        for (int cost = WW_COST_SQUARED; cost <= WW_COST_EUCLIDEAN; cost++) {
            if (!wwt_turn(cost + measure.independent, 2))
                continue;
            measure.cost = (ww_cost)cost;
            measure.root = cost == WW_COST_SQUARED;
            measure.band = (ww_band){.kind = WW_BAND_NONE};
            check_bounds(&measure, &queries, &base, 5, WW_FLOAT, 0, true);
            measure.band = (ww_band){.kind = WW_BAND_CORNER, .width = 10.0};
            check_bounds(&measure, &queries, &base, 5, WW_FLOAT, 0, false);
            check_bounds(&measure, &x, &y, 5, WW_FLOAT, 0, true);
        }
    wwt_set_free(&queries);
    wwt_set_free(&base);
    wwt_set_free(&x);
    wwt_set_free(&y);
}
END_TEST

// A series' own values many times over: all bounds and distances 0, the order by index alone.
START_TEST(bounds_among_equals) {
    ww_measure measure = wwt_measure(_i % 2 ? WW_FRECHET : WW_DTW);
    wwt_set set = wwt_set_random(1, LENGTH, LENGTH, BASE);
    for (size_t i = 1; i < BASE; i++)
        for (size_t t = 0; t < LENGTH; t++)
            set.values[set.offsets[i] + t] = set.values[t] + (double)(i % 5);
    measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 10.0};
    check_bounds(&measure, &set, NULL, 10, WW_FLOAT, 0, false);
    check_bounds(&measure, &set, &set, 60, WW_FLOAT, 0, false);
    wwt_set_free(&set);
}
END_TEST

// Engine strips exchanges the sides of a list whose rows are the shorter: the list comes back as it was, or the next
// use of it would look for queries by the numbers of the base.
START_TEST(lists_come_back) {
    enum { FEW = 3, MANY = 3000, K = 2 };
    const ww_measure measure = wwt_measure(WW_DTW);
    wwt_set queries = wwt_set_random(1, 40, 40, FEW), base = wwt_set_random(1, 60, 60, MANY);
    spread(&queries);
    spread(&base);
    ww_dataset *q = wwt_dataset(&queries, WW_FLOAT), *b = wwt_dataset(&base, WW_FLOAT);
    int64_t strips[FEW * K], any[FEW * K];
    float near[FEW * K], far[FEW * K];
    ww_plan_info info = WW_PLAN_INFO_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    run_nearest(&measure, q, b, K, &options, any, far, &info);
    options.engine = WW_ENGINE_STRIPS;
    run_nearest(&measure, q, b, K, &options, strips, near, &info);
    for (size_t i = 0; i < FEW * K; i++)
        ck_assert_int_eq(strips[i], any[i]);
    ck_assert_int_eq(info.engine, WW_ENGINE_STRIPS);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

// The daily run takes half of the cases: every two of measure, sharing and precision meet.
static bool is_daily(int measure, int shared, int precision) {
    return wwt_turn(measure + shared + precision, 2);
}

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("nearest");
    TCase *tcase = wwt_case(suite, "nearest", 240);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, selection, 0, 2 * wwt_precision_count());
    for (int loop = 0; loop < 4 * wwt_precision_count(); loop++)
        if (is_daily(loop % 2, loop / 2 % 2, loop / 4))
            wwt_add_to(tcase, bounds_change_nothing, loop, loop + 1);
    wwt_add_to(tcase, bounds_without_a_clock, 0, 1);
    for (int loop = 0; loop < 4; loop++)
        if (is_daily(loop % 2, loop / 2, 0))
            wwt_add_to(tcase, bounds_of_channels_and_lengths, loop, loop + 1);
    wwt_add_to(tcase, bounds_among_equals, 0, 2);
    wwt_add_to(tcase, lists_come_back, 0, 1);
    return wwt_run(suite);
}
