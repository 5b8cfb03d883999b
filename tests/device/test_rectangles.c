// SPDX-License-Identifier: Apache-2.0
// Rectangles of a matrix: the bits of the whole, wherever they are and wherever they go.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N = 23, M = 17, MEASURES = WW_USER };

typedef struct subject {
    ww_measure measure;
    wwt_set rows, columns;
    ww_dataset *a, *b; // b NULL: a set with itself
    size_t height, width;
    size_t size; // of a value
} subject;

static void symbols(wwt_set *set) {
    const size_t values = set->offsets[set->count - 1] + set->lengths[set->count - 1] * set->channels;
    for (size_t t = 0; t < values; t++)
        set->values[t] = round(2 * set->values[t]);
}

static subject make(ww_measure measure, ww_precision precision, bool self) {
    subject s = {.measure = measure, .height = N, .width = self ? N : M};
    s.size = precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
    s.rows = wwt_set_random(1, 30, 60, N);
    s.columns = wwt_set_random(1, 30, 60, M);
    s.rows.lengths[1] = s.rows.lengths[0] < s.rows.lengths[1] ? s.rows.lengths[0] : s.rows.lengths[1];
    if (ww_measure_info_by_id(measure.id)->is_of_symbols) {
        symbols(&s.rows);
        symbols(&s.columns);
    }
    s.a = wwt_dataset(&s.rows, precision);
    s.b = self ? NULL : wwt_dataset(&s.columns, precision);
    return s;
}

static void end(subject *s) {
    ww_dataset_destroy(&s->b);
    ww_dataset_destroy(&s->a);
    wwt_set_free(&s->columns);
    wwt_set_free(&s->rows);
}

static void check_same(const subject *s, const unsigned char *whole, size_t row, size_t rows, size_t column,
                       size_t columns, const unsigned char *found, size_t stride) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            ck_assert_msg(memcmp(found + (i * stride + j) * s->size,
                                 whole + ((row + i) * s->width + column + j) * s->size, s->size) == 0,
                          "%s: element (%zu, %zu) of the rectangle at (%zu, %zu)",
                          ww_measure_info_by_id(s->measure.id)->name, i, j, row, column);
}

// The matrix in rectangles of `high` x `wide`, on one plan, to the host and to the device.
static void check_tiles(const subject *s, const ww_plan_options *options, size_t high, size_t wide) {
    ww_plan *plan = NULL;
    ww_buffer *buffer = NULL;
    unsigned char *whole = calloc(s->height * s->width, s->size), *found = calloc(high * wide, s->size);
    wwt_ok(ww_plan_create_matrix(&s->measure, s->a, s->b, options, &plan));
    wwt_ok(wwt_plan_run(plan, whole));
    wwt_ok(ww_buffer_create(wwt_context, high * wide * s->size, &buffer));
    uint64_t cells = 0, sum = 0, all = 0;
    for (size_t row = 0; row < s->height; row += high)
        for (size_t column = 0; column < s->width; column += wide) {
            const size_t rows = high < s->height - row ? high : s->height - row;
            const size_t columns = wide < s->width - column ? wide : s->width - column;
            const ww_output to = WW_OUTPUT_HOST_BYTES(found, rows * columns * s->size);
            ww_plan_info info = WW_PLAN_INFO_INIT;
            memset(found, 0xff, high * wide * s->size);
            wwt_ok(ww_plan_run_rectangle(plan, row, rows, column, columns, &to));
            check_same(s, whole, row, rows, column, columns, found, columns);
            wwt_ok(ww_plan_cells(plan, row, rows, column, columns, &cells));
            wwt_ok(ww_plan_get_info(plan, &info));
            ck_assert_uint_eq(info.cells_done, cells);
            sum += cells;
            ww_output there = WW_OUTPUT_INIT;
            there.device = buffer;
            wwt_ok(ww_plan_run_rectangle(plan, row, rows, column, columns, &there));
            wwt_ok(ww_plan_finish(plan));
            wwt_ok(ww_buffer_read(buffer, 0, rows * columns * s->size, found));
            check_same(s, whole, row, rows, column, columns, found, columns);
        }
    wwt_ok(ww_plan_cells(plan, 0, s->height, 0, s->width, &all));
    ck_assert_uint_eq(sum, all);
    ww_buffer_destroy(&buffer);
    ww_plan_destroy(&plan);
    free(whole);
    free(found);
}

// Loops: measures, hard ones and then soft ones, by precision, two sets or one.
START_TEST(all_measures) {
    const int id = _i % MEASURES, precision = _i / MEASURES % 2, soft = _i / MEASURES / 2 % 2, self = _i / MEASURES / 4;
    const ww_measure_info *info = ww_measure_info_by_id((ww_measure_id)id);
    if (!info || (precision && !wwt_device_has_double()) || (soft && !info->has_soft_minimum))
        return;
    wwt_seed((unsigned)_i);
    ww_measure measure = wwt_measure((ww_measure_id)id);
    measure.gamma = soft ? 0.5 : 0;
    subject s = make(measure, precision ? WW_DOUBLE : WW_FLOAT, self);
    check_tiles(&s, NULL, 7, self ? 7 : 5); // squares on the diagonal are computed by half
    check_tiles(&s, NULL, N, 9);
    end(&s);
}
END_TEST

// In engine lanes the distances of ERP depend on which series is the row; soft minima depend on the engine.
START_TEST(order_of_a_pair) {
    wwt_seed((unsigned)_i);
    ww_measure measure = wwt_measure(WW_ERP);
    measure.gamma = _i ? 0.5 : 0;
    if (!_i && wwt_device_is_gpu())
        return; // there the last bits also depend on the number of pairs: docs/scale.md
    const ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    for (int self = 0; self < 2; self++) {
        subject s = make(measure, WW_FLOAT, self);
        check_tiles(&s, &options, 7, 5);
        check_tiles(&s, &options, 2, N);
        end(&s);
    }
}
END_TEST

// More than one batch, series that are uploaded in parts, rows that are apart; nothing else is written.
START_TEST(in_parts) {
    const bool self = _i % 2, in_host_memory = _i / 2;
    enum { STRIDE = 29, ROOM = N * STRIDE, ROW = 4, ROWS = 15, COLUMN = 2, COLUMNS = 13 };
    wwt_seed((unsigned)_i);
    subject s = make(wwt_measure(WW_DTW), WW_FLOAT, self);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_plan *plan = NULL;
    float whole[N * N], found[ROOM];
    wwt_ok(ww_plan_create_matrix(&s.measure, s.a, s.b, NULL, &plan));
    wwt_ok(wwt_plan_run(plan, whole));
    ww_plan_destroy(&plan);
    if (in_host_memory) {
        ww_dataset_options small = WW_DATASET_OPTIONS_INIT;
        const ww_series_view view = wwt_view(&s.rows);
        small.max_bytes = 2048;
        ww_dataset_destroy(&s.a);
        wwt_ok(ww_dataset_create(wwt_context, &view, &small, &s.a));
    }
    options.run = &run;
    run.max_bytes = 24 * sizeof(float);
    wwt_ok(ww_plan_create_matrix(&s.measure, s.a, s.b, &options, &plan));
    ww_output to = WW_OUTPUT_HOST_BYTES(found, ((ROWS - 1) * STRIDE + COLUMNS) * sizeof(float));
    to.row_stride = STRIDE;
    for (size_t t = 0; t < ROOM; t++)
        found[t] = -1.0f;
    wwt_ok(ww_plan_run_rectangle(plan, ROW, ROWS, COLUMN, COLUMNS, &to));
    check_same(&s, (unsigned char *)whole, ROW, ROWS, COLUMN, COLUMNS, (unsigned char *)found, STRIDE);
    for (size_t t = 0; t < ROOM; t++)
        if (t / STRIDE >= ROWS || t % STRIDE >= COLUMNS)
            ck_assert_float_eq(found[t], -1.0f);
    to.bytes--;
    wwt_fails(ww_plan_run_rectangle(plan, ROW, ROWS, COLUMN, COLUMNS, &to), WW_ERROR_INVALID_ARGUMENT);
    ww_plan_destroy(&plan);
    end(&s);
}
END_TEST

// Into a place of a matrix that is on the device; the diagonal, too.
START_TEST(on_the_device) {
    enum { STRIDE = N + 3, OFFSET = 5, ROOM = OFFSET + N * STRIDE };
    wwt_seed(9);
    subject s = make(wwt_measure(WW_DTW), WW_FLOAT, true);
    ww_plan *plan = NULL;
    ww_buffer *buffer = NULL;
    float whole[N * N], found[ROOM];
    wwt_ok(ww_plan_create_matrix(&s.measure, s.a, NULL, NULL, &plan));
    wwt_ok(wwt_plan_run(plan, whole));
    for (size_t t = 0; t < ROOM; t++)
        found[t] = -1.0f;
    wwt_ok(ww_buffer_create(wwt_context, sizeof found, &buffer));
    wwt_ok(ww_buffer_write(buffer, 0, sizeof found, found));
    ww_output to = WW_OUTPUT_INIT;
    to.device = buffer;
    to.row_stride = STRIDE;
    for (size_t row = 0; row < N; row += 10) // one after the other, and none is waited for
        for (size_t column = 0; column < N; column += 8) {
            to.offset = (OFFSET + row * STRIDE + column) * sizeof(float);
            wwt_ok(ww_plan_run_rectangle(plan, row, N - row < 10 ? N - row : 10, column,
                                         N - column < 8 ? N - column : 8, &to));
        }
    wwt_ok(ww_plan_finish(plan));
    wwt_ok(ww_buffer_read(buffer, 0, sizeof found, found));
    check_same(&s, (unsigned char *)whole, 0, N, 0, N, (unsigned char *)(found + OFFSET), STRIDE);
    for (size_t t = 0; t < ROOM; t++)
        if (t < OFFSET || (t - OFFSET) % STRIDE >= N)
            ck_assert_float_eq(found[t], -1.0f);
    to.offset = (OFFSET + STRIDE) * sizeof(float);
    wwt_fails(ww_plan_run_rectangle(plan, 0, N, 0, N, &to), WW_ERROR_INVALID_ARGUMENT);
    ww_buffer_destroy(&buffer);
    ww_plan_destroy(&plan);
    end(&s);
}
END_TEST

static int on_progress(void *user, uint64_t done, uint64_t total) {
    uint64_t *seen = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    seen[0] = done;
    seen[1] = total;
    return 0;
}

START_TEST(ranges_and_progress) {
    const struct {
        size_t row, rows, column, columns;
        ww_status status;
    } cases[] = {
        {0, N, 0, M, WW_OK},
        {N, 0, 0, M, WW_OK},
        {0, N, M, 0, WW_OK},
        {0, 0, 0, 0, WW_OK},
        {N + 1, 0, 0, M, WW_ERROR_INVALID_ARGUMENT},
        {1, N, 0, M, WW_ERROR_INVALID_ARGUMENT},
        {0, N, 1, M, WW_ERROR_INVALID_ARGUMENT},
        {SIZE_MAX, 2, 0, M, WW_ERROR_INVALID_ARGUMENT},
        {2, SIZE_MAX, 0, M, WW_ERROR_INVALID_ARGUMENT},
        {0, N, SIZE_MAX, SIZE_MAX, WW_ERROR_INVALID_ARGUMENT},
    };
    wwt_seed(10);
    subject s = make(wwt_measure(WW_DTW), WW_FLOAT, false);
    uint64_t seen[2] = {0, 0}, cells;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    run.progress = on_progress;
    run.progress_user = seen;
    options.run = &run;
    ww_plan *plan = NULL, *nearest = NULL;
    float found[N * M];
    ww_output to = WW_OUTPUT_HOST_BYTES(found, sizeof found);
    wwt_ok(ww_plan_create_matrix(&s.measure, s.a, s.b, &options, &plan));
    wwt_ok(ww_plan_create_nearest(&s.measure, s.a, s.b, 1, NULL, &nearest));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        found[0] = -1.0f;
        seen[0] = seen[1] = 0;
        const ww_status status =
            ww_plan_run_rectangle(plan, cases[i].row, cases[i].rows, cases[i].column, cases[i].columns, &to);
        ck_assert_msg(status == cases[i].status, "%zu: %s", i, ww_status_name(status));
        ck_assert_int_eq(ww_plan_cells(plan, cases[i].row, cases[i].rows, cases[i].column, cases[i].columns, &cells),
                         status);
        ck_assert_uint_eq(seen[0], cells);
        ck_assert_uint_eq(seen[1], cells);
        ck_assert((found[0] >= 0) == (i == 0));
    }
    uint64_t by_hand = 0;
    for (size_t i = 3; i < 9; i++)
        for (size_t j = 2; j < 6; j++)
            by_hand += ww_measure_cells(&s.measure, s.rows.lengths[i], s.columns.lengths[j]);
    wwt_ok(ww_plan_cells(plan, 3, 6, 2, 4, &cells));
    ck_assert_uint_eq(cells, by_hand);
    wwt_ok(ww_plan_run_rectangle(plan, 3, 6, 2, 4, &to));
    ck_assert_uint_eq(seen[1], by_hand);
    to.layout = WW_LAYOUT_CONDENSED;
    wwt_fails(ww_plan_run_rectangle(plan, 3, 6, 2, 4, &to), WW_ERROR_INVALID_ARGUMENT);
    to.layout = WW_LAYOUT_FULL;
    to.row_stride = 3;
    wwt_fails(ww_plan_run_rectangle(plan, 3, 6, 2, 4, &to), WW_ERROR_INVALID_ARGUMENT);
    to.row_stride = UINT64_MAX / 4;
    wwt_fails(ww_plan_run_rectangle(plan, 3, 6, 2, 4, &to), WW_ERROR_OVERFLOW);
    wwt_fails(ww_plan_run_rectangle(plan, 3, 6, 2, 4, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_run_rectangle(NULL, 3, 6, 2, 4, &to), WW_ERROR_INVALID_ARGUMENT);
    to.row_stride = 0;
    wwt_fails(ww_plan_run_rectangle(nearest, 3, 6, 2, 4, &to), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_cells(nearest, 3, 6, 2, 4, &cells), WW_ERROR_INVALID_ARGUMENT);
    ww_plan_destroy(&nearest);
    ww_plan_destroy(&plan);
    end(&s);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("rectangles");
    wwt_add(suite, all_measures, 8 * MEASURES);
    wwt_add(suite, order_of_a_pair, 2);
    wwt_add(suite, in_parts, 4);
    wwt_add(suite, on_the_device, 1);
    wwt_add(suite, ranges_and_progress, 1);
    return wwt_run(suite);
}
