// SPDX-License-Identifier: Apache-2.0
// Groups of devices: the bytes of one device, tiles of any size, devices that fail in the middle, bad input. PoCL shows
// two devices (POCL_DEVICES), which share the processors: this is about what is right, not about time.
#include "base/random.h"
#include "devices.h"

enum { ROWS = 90, COLUMNS = 70, PAIRS = 4000, POINTS = 2000, DIMENSIONS = 16, K = 3 };

static const ww_measure_id measures[] = {WW_DTW, WW_TWED, WW_LCSS, WW_MSM, WW_FRECHET};
enum { MEASURES = sizeof measures / sizeof *measures };

// What one device gives.
static void *matrix_of_one(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns,
                           ww_precision precision) {
    ww_dataset *a = wwt_dataset(rows, precision), *b = columns ? wwt_dataset(columns, precision) : NULL;
    ww_plan *plan = NULL;
    void *values = wwt_guarded(rows->count * (columns ? columns->count : rows->count), precision);
    wwt_ok(ww_plan_create_matrix(measure, a, b, NULL, &plan));
    wwt_ok(wwt_plan_run(plan, values));
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    return values;
}

static void check_matrix(const ww_measure *measure, ww_context *group, const wwt_set *rows, const wwt_set *columns,
                         ww_precision precision) {
    ww_dataset *a = wwt_group_upload(group, rows, precision),
               *b = columns ? wwt_group_upload(group, columns, precision) : NULL;
    const size_t width = columns ? columns->count : rows->count, count = rows->count * width;
    void *whole = matrix_of_one(measure, rows, columns, precision), *found = wwt_guarded(count, precision);
    const ww_output to = WW_OUTPUT_HOST_BYTES(found, count * (precision == WW_DOUBLE ? 8 : 4));
    wwt_ok(wwt_run_matrix(measure, a, b, NULL, &to));
    ck_assert_msg(wwt_same(found, whole, count, precision), "%s: other bytes",
                  ww_measure_info_by_id(measure->id)->name);
    wwt_guarded_free(found);
    wwt_guarded_free(whole);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
}

// Of unequal lengths and in both precisions, with others and with itself.
START_TEST(a_matrix_has_the_bytes_of_one_device) {
    wwt_seed((unsigned)_i);
    const ww_precision precision = _i % 2 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    const ww_measure measure = wwt_measure(measures[_i]);
    wwt_set rows = wwt_set_random(1 + (size_t)_i % 2, 5, 40, ROWS);
    wwt_set columns = wwt_set_random(1 + (size_t)_i % 2, 5, 40, COLUMNS);
    ww_context *group = wwt_group_open(0.001);
    int lost;
    check_matrix(&measure, group, &rows, &columns, precision);
    ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
    check_matrix(&measure, group, &rows, NULL, precision);
    ww_context_destroy(&group);
    group = wwt_group_open(0);
    check_matrix(&measure, group, &rows, NULL, precision);
    ww_context_destroy(&group);
    wwt_set_free(&columns);
    wwt_set_free(&rows);
}
END_TEST

START_TEST(series_come_back) {
    wwt_set made = wwt_set_random(2, 5, 40, ROWS);
    ww_context *group = wwt_group_open(0);
    ww_dataset *data = wwt_group_upload(group, &made, WW_FLOAT);
    ww_series_set *set = NULL;
    ck_assert_int_eq(ww_dataset_series(data, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_dataset_series(data, &set));
    ww_dataset_destroy(&data);
    ck_assert_uint_eq(ww_series_set_count(set), ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const double *values = ww_series_set_values(set, i);
        ck_assert_uint_eq(ww_series_set_length(set, i), made.lengths[i]);
        for (size_t t = 0; t < 2 * made.lengths[i]; t++)
            ck_assert_double_eq(values[t], (float)made.values[made.offsets[i] + t]);
    }
    ww_series_set_destroy(&set);
    ww_context_destroy(&group);
    wwt_set_free(&made);
}
END_TEST

START_TEST(nearest_has_the_bytes_of_one_device) {
    wwt_seed(3);
    wwt_set queries = wwt_set_random(1, 10, 30, ROWS), base = wwt_set_random(1, 10, 30, COLUMNS);
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_context *group = wwt_group_open(0.001);
    for (int self = 0; self < 2; self++) {
        static int64_t indices[2][ROWS * K];
        static float distances[2][ROWS * K];
        ww_dataset *q = wwt_dataset(&queries, WW_FLOAT), *b = self ? NULL : wwt_dataset(&base, WW_FLOAT);
        ww_dataset *gq = wwt_group_upload(group, &queries, WW_FLOAT),
                   *gb = self ? NULL : wwt_group_upload(group, &base, WW_FLOAT);
        ww_plan *plan = NULL;
        wwt_ok(ww_plan_create_nearest(&measure, q, b, K, NULL, &plan));
        wwt_ok(ww_plan_run_nearest(plan, indices[0], distances[0]));
        wwt_ok(wwt_run_nearest(&measure, gq, gb, K, NULL, indices[1], distances[1]));
        ck_assert(memcmp(indices[0], indices[1], sizeof indices[0]) == 0);
        ck_assert(memcmp(distances[0], distances[1], sizeof distances[0]) == 0);
        wwt_ok(wwt_run_nearest(&measure, gq, gb, K, NULL, indices[1], NULL));
        ck_assert_int_eq(wwt_run_nearest(&measure, gq, gb, 0, NULL, indices[1], NULL), WW_ERROR_INVALID_ARGUMENT);
        // The rows of one plan, in any order.
        for (size_t row = ROWS, rows; row > 0; row -= rows) {
            rows = row < 17 ? row : 17;
            wwt_ok(ww_plan_run_nearest_rows(plan, row - rows, rows, indices[1] + (row - rows) * K, NULL));
        }
        ck_assert(memcmp(indices[0], indices[1], sizeof indices[0]) == 0);
        wwt_ok(ww_plan_run_nearest_rows(plan, ROWS, 0, indices[1], NULL));
        ck_assert_int_eq(ww_plan_run_nearest_rows(plan, ROWS, 1, indices[1], NULL), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(ww_plan_run_nearest_rows(plan, 1, SIZE_MAX, indices[1], NULL), WW_ERROR_INVALID_ARGUMENT);
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&gb);
        ww_dataset_destroy(&gq);
        ww_dataset_destroy(&b);
        ww_dataset_destroy(&q);
    }
    ww_context_destroy(&group);
    wwt_set_free(&base);
    wwt_set_free(&queries);
}
END_TEST

// Of one set and of two, listed and in order, and of a measure whose last bits depend on the engine.
START_TEST(pairs_have_the_bytes_of_one_device) {
    wwt_seed(5);
    wwt_set rows = wwt_set_random(1, 10, 30, ROWS), columns = wwt_set_random(1, 10, 30, COLUMNS);
    ww_measure measure = wwt_measure(WW_DTW);
    ww_context *group = wwt_group_open(0.001);
    measure.gamma = _i == 2 ? 0.5 : 0;
    for (int self = 0; self < 2; self++) {
        static size_t x[PAIRS], y[PAIRS];
        static float whole[PAIRS], found[PAIRS];
        const bool listed = _i > 0;
        const size_t count = listed ? PAIRS : self ? ROWS : COLUMNS;
        uint64_t seed = 11;
        int lost;
        for (size_t i = 0; i < PAIRS; i++) {
            x[i] = wwi_random(&seed) % ROWS;
            y[i] = wwi_random(&seed) % (self ? ROWS : COLUMNS);
        }
        ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = self ? NULL : wwt_dataset(&columns, WW_FLOAT);
        ww_dataset *ga = wwt_group_upload(group, &rows, WW_FLOAT),
                   *gb = self ? NULL : wwt_group_upload(group, &columns, WW_FLOAT);
        ww_plan *plan = NULL;
        const ww_output to = WW_OUTPUT_HOST_BYTES(found, count * sizeof *found);
        wwt_ok(ww_plan_create_pairs(&measure, a, b ? b : a, listed ? x : NULL, listed ? y : NULL, count, NULL, &plan));
        wwt_ok(wwt_plan_run(plan, whole));
        wwt_ok(wwt_run_pairs(&measure, ga, gb, listed ? x : NULL, listed ? y : NULL, count, NULL, &to));
        ck_assert(wwt_same(found, whole, count, WW_FLOAT));
        ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) / (listed ? 1 : 2) && lost == 0);
        x[count - 1] = ROWS;
        ck_assert_int_eq(wwt_run_pairs(&measure, ga, gb, x, y, count, NULL, &to), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(ww_last_error()->series, (int64_t)count - 1);
        ck_assert_int_eq(wwt_run_pairs(&measure, ga, gb, NULL, NULL, ROWS + 1, NULL, &to), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(wwt_run_pairs(&measure, ga, gb, x, NULL, count, NULL, &to), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(wwt_run_pairs(&measure, ga, gb, NULL, NULL, 0, NULL, &to), WW_ERROR_EMPTY);
        ck_assert_int_eq(wwt_run_pairs(&measure, ga, gb, NULL, NULL, 2, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&gb);
        ww_dataset_destroy(&ga);
        ww_dataset_destroy(&b);
        ww_dataset_destroy(&a);
    }
    ww_context_destroy(&group);
    wwt_set_free(&columns);
    wwt_set_free(&rows);
}
END_TEST

typedef struct taken {
    float *values;
    size_t columns, n;
    uint64_t next; // condensed values come in order
} taken;

static int take_block(void *user, size_t row, size_t rows, size_t column, size_t columns, const void *values) {
    const taken *t = user;
    for (size_t i = 0; i < rows; i++)
        memcpy(t->values + (row + i) * t->columns + column, (const float *)values + i * columns, columns * 4);
    return 0;
}

static int take_condensed(void *user, uint64_t first, uint64_t count, const void *values) {
    taken *t = user;
    ck_assert_uint_eq(first, t->next);
    memcpy(t->values + first, values, count * 4);
    t->next += count;
    return 0;
}

static int refuse_block(void *user, size_t row, size_t rows, size_t column, size_t columns, const void *values) {
    (void)user, (void)row, (void)rows, (void)column, (void)columns, (void)values;
    return 1;
}

// Every way to run a plan, in small blocks and large ones, again and again: rectangles, rows apart, blocks, condensed,
// into a device's memory.
START_TEST(all_ways_to_run_a_plan) {
    static const ww_measure_id ids[] = {WW_DTW, WW_EDR, WW_DTW};
    static float whole[ROWS * ROWS], found[ROWS * (ROWS + 3)], condensed[2][ROWS * ROWS];
    wwt_seed(31 + (unsigned)_i);
    wwt_set rows = wwt_set_random(1, 5, 40, ROWS);
    ww_measure measure = wwt_measure(ids[_i]);
    if (_i == 2)
        measure.relax_begin_x = 3; // one way
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *alone = wwt_dataset(&rows, WW_FLOAT), *all = wwt_group_upload(group, &rows, WW_FLOAT);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_plan *one = NULL, *plan = NULL;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    const size_t pairs = ROWS * (ROWS - 1) / 2;
    options.one_way = 1;
    wwt_ok(ww_plan_create_matrix(&measure, alone, NULL, &options, &one));
    options.run = &run;
    for (int small = 0; small < 2; small++) {
        run.max_bytes = small ? (uint64_t)ROWS * 4 * 7 : 0;
        wwt_ok(ww_plan_create_matrix(&measure, all, NULL, &options, &plan));
        wwt_ok(ww_plan_prepare(plan));
        wwt_ok(wwt_plan_run(one, whole));
        for (int again = 0; again < 2; again++) {
            memset(found, 0xff, sizeof found);
            wwt_ok(wwt_plan_run(plan, found));
            ck_assert(memcmp(found, whole, sizeof whole) == 0);
        }
        wwt_ok(ww_plan_get_info(plan, &info));
        ck_assert(info.launches > 0 && info.cells_done > 0 && info.pairs > 0);
        // Rows apart, of a rectangle.
        ww_output to = WW_OUTPUT_HOST(found);
        to.row_stride = ROWS + 3;
        memset(found, 0, sizeof found);
        wwt_ok(ww_plan_run_rectangle(plan, 11, 60, 3, 80, &to));
        for (size_t i = 0; i < 60; i++)
            ck_assert(memcmp(found + i * (ROWS + 3), whole + (11 + i) * ROWS + 3, 80 * 4) == 0 &&
                      found[i * (ROWS + 3) + 80] == 0);
        wwt_ok(ww_plan_run_rectangle(plan, 11, 0, 3, 80, &to));
        ck_assert_int_eq(ww_plan_run_rectangle(plan, 11, ROWS, 3, 80, &to), WW_ERROR_INVALID_ARGUMENT);
        // Condensed.
        ww_output upper = WW_OUTPUT_HOST(condensed[0]);
        upper.layout = WW_LAYOUT_CONDENSED;
        wwt_ok(ww_plan_run(one, &upper));
        upper.host = condensed[1];
        memset(condensed[1], 0xff, sizeof condensed[1]);
        wwt_ok(ww_plan_run(plan, &upper));
        ck_assert(memcmp(condensed[0], condensed[1], pairs * 4) == 0);
        // Blocks.
        taken t = {found, ROWS, ROWS, 0};
        memset(found, 0xff, sizeof found);
        wwt_ok(ww_plan_run_blocks(plan, take_block, &t));
        ck_assert(memcmp(found, whole, sizeof whole) == 0);
        t.values = condensed[1];
        memset(condensed[1], 0xff, sizeof condensed[1]);
        wwt_ok(ww_plan_run_condensed_blocks(plan, take_condensed, &t));
        ck_assert(t.next == pairs && memcmp(condensed[0], condensed[1], pairs * 4) == 0);
        ck_assert_int_eq(ww_plan_run_blocks(plan, refuse_block, NULL), WW_ERROR_CANCELLED);
        // A device's memory.
        ww_buffer *buffer = NULL;
        wwt_ok(ww_buffer_create(group, sizeof whole, &buffer));
        to = (ww_output)WW_OUTPUT_INIT;
        to.device = buffer;
        if (!small) {
            wwt_ok(ww_plan_run(plan, &to));
            wwt_ok(ww_plan_finish(plan));
            wwt_ok(ww_buffer_read(buffer, 0, sizeof whole, found));
            ck_assert(memcmp(found, whole, sizeof whole) == 0);
        }
        ww_buffer_destroy(&buffer);
        ww_plan_destroy(&plan);
    }
    ww_plan_destroy(&one);
    ww_dataset_destroy(&all);
    ww_dataset_destroy(&alone);
    ww_context_destroy(&group);
    wwt_set_free(&rows);
}
END_TEST

// New values reach the dataset on every device; what is made from two contexts' data is refused.
START_TEST(updates_and_other_contexts) {
    wwt_seed(41);
    wwt_set first = wwt_set_random(1, 30, 30, ROWS), second = wwt_set_random(1, 30, 30, ROWS);
    static float whole[ROWS * ROWS], found[ROWS * ROWS];
    ww_context *group = wwt_group_open(0.001);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *all = NULL, *alone = wwt_dataset(&second, WW_FLOAT);
    const ww_series_view before = wwt_view(&first), after = wwt_view(&second);
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    options.updates = 1;
    wwt_ok(ww_dataset_create(group, &before, &options, &all));
    wwt_ok(ww_plan_create_matrix(&measure, all, NULL, NULL, &plan));
    wwt_ok(wwt_plan_run(plan, found));
    wwt_ok(ww_dataset_update(all, &after));
    wwt_ok(wwt_plan_run(plan, found));
    ww_plan_destroy(&plan);
    wwt_ok(ww_plan_create_matrix(&measure, alone, NULL, NULL, &plan));
    wwt_ok(wwt_plan_run(plan, whole));
    ck_assert(memcmp(found, whole, sizeof whole) == 0);
    ww_plan_destroy(&plan);
    ck_assert_int_eq(ww_plan_create_matrix(&measure, alone, all, NULL, &plan), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset_destroy(&alone);
    ww_dataset_destroy(&all);
    ww_context_destroy(&group);
    wwt_set_free(&second);
    wwt_set_free(&first);
}
END_TEST

static ww_points *send(ww_context *group, const ww_point_view *view, ww_precision precision) {
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    options.precision = precision;
    wwt_ok(ww_points_create(group, view, &options, &points));
    return points;
}

// Queries in several tiles, of the base itself and of others; k larger than a tile's worth of near points.
START_TEST(points_have_the_ids_of_one_device) {
    enum { QUERIES = 700, BASE = 900, DIMENSION = 24, NEAR = 11 };
    static float values[QUERIES + BASE][DIMENSION];
    static int64_t ids[2][BASE * NEAR];
    static double distances[2][BASE * NEAR]; // of either precision
    const ww_precision precision = _i / 3 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_point_view q = WW_POINT_VIEW_INIT, b = WW_POINT_VIEW_INIT;
    uint64_t seed = 3;
    int lost;
    options.metric = (ww_metric[]){WW_METRIC_L2, WW_METRIC_L1, WW_METRIC_COSINE}[_i % 3];
    for (size_t i = 0; i < QUERIES + BASE; i++)
        for (size_t c = 0; c < DIMENSION; c++)
            values[i][c] = (float)(wwi_random(&seed) % 9); // many ties
    q.values = values[0];
    q.count = QUERIES;
    b.values = values[QUERIES];
    b.count = BASE;
    q.dimension = b.dimension = DIMENSION;
    ww_context *group = wwt_group_open(0.001), *other = wwt_group_open(0);
    ww_points *gq = send(group, &q, precision), *gb = send(group, &b, precision);
    ww_points *apart = send(other, &q, precision);
    for (int self = 0; self < 2; self++) {
        const size_t count = (self ? BASE : QUERIES) * NEAR, bytes = precision == WW_DOUBLE ? 8 : 4;
        wwt_ok(ww_knn_find(wwt_context, &b, self ? NULL : &q, NEAR, options.metric, precision, ids[0], distances[0]));
        wwt_ok(wwt_run_knn(gb, self ? NULL : gq, NEAR, &options, ids[1], distances[1]));
        ck_assert(memcmp(ids[0], ids[1], count * sizeof **ids) == 0);
        ck_assert(memcmp(distances[0], distances[1], count * bytes) == 0);
        ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
        memset(ids[1], 0, sizeof ids[1]);
        wwt_ok(wwt_run_knn(gb, self ? NULL : gq, NEAR, &options, ids[1], NULL));
        ck_assert(memcmp(ids[0], ids[1], count * sizeof **ids) == 0);
    }
    // A part of the base, and points that come and go, are so on each device.
    int64_t part[BASE / 3];
    for (size_t i = 0; i < BASE / 3; i++)
        part[i] = (int64_t)(3 * i + 1);
    options.subset = part;
    options.subset_count = BASE / 3;
    wwt_ok(wwt_run_knn(gb, gq, NEAR, &options, ids[0], distances[0]));
    options.subset = NULL;
    ww_points *changed = send(group, &b, precision), *more = send(group, &q, precision);
    int64_t rest[BASE];
    for (size_t i = 0, at = 0; i < BASE; i++)
        if (i % 3 != 1)
            rest[at++] = (int64_t)i;
    wwt_ok(ww_points_add(changed, more));
    wwt_ok(ww_points_remove(changed, rest, BASE - BASE / 3));
    for (size_t i = 0; i < QUERIES; i++)
        rest[i] = (int64_t)(BASE + i);
    wwt_ok(ww_points_remove(changed, rest, QUERIES));
    wwt_ok(wwt_run_knn(changed, gq, NEAR, &options, ids[1], distances[1]));
    ck_assert(memcmp(ids[0], ids[1], QUERIES * NEAR * sizeof **ids) == 0);
    ck_assert(memcmp(distances[0], distances[1], QUERIES * NEAR * (precision == WW_DOUBLE ? 8 : 4)) == 0);
    ww_points_destroy(&changed);
    ww_points_destroy(&more);
    ck_assert_int_eq(wwt_run_knn(gb, apart, NEAR, NULL, ids[1], NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_knn(gb, gq, 0, NULL, ids[1], NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_knn(gb, gq, NEAR, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_knn(NULL, gq, NEAR, NULL, ids[1], NULL), WW_ERROR_INVALID_ARGUMENT);
    q.count = 0;
    ww_points *none = NULL;
    ck_assert_int_eq(ww_points_create(group, &q, NULL, &none), WW_ERROR_EMPTY);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(ww_points_create(NULL, &b, NULL, &none), WW_ERROR_INVALID_ARGUMENT);
    ww_points_destroy(&apart);
    ww_context_destroy(&other);
    ww_context_destroy(&group); // the points keep it
    ww_points_destroy(&gb);
    ww_points_destroy(&gq);
    ww_points_destroy(NULL);
}
END_TEST

static ww_status run_matrix(wwt_trial *t) {
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_output to = WW_OUTPUT_HOST(t->found);
    return wwt_run_matrix(&measure, t->data, NULL, NULL, &to);
}

static ww_status run_pairs(wwt_trial *t) {
    const ww_measure measure = wwt_measure(WW_DTW);
    static size_t x[PAIRS];
    for (size_t i = 0; i < PAIRS; i++)
        x[i] = i * i % ROWS;
    const ww_output to = WW_OUTPUT_HOST(t->found);
    return wwt_run_pairs(&measure, t->data, NULL, x, x + 1, PAIRS - 1, NULL, &to);
}

static ww_status run_points(wwt_trial *t) {
    return wwt_run_knn(t->points, NULL, K, NULL, t->found, NULL);
}

START_TEST(a_device_fails_in_the_middle) {
    wwt_seed(9);
    wwt_set rows = wwt_set_random(1, 10, 30, ROWS);
    static float found[ROWS * ROWS];
    static float places[POINTS * DIMENSIONS];
    static int64_t ids[POINTS * K];
    wwt_trial t = {.group = wwt_group_open(0.001), .run = run_matrix, .found = found, .bytes = sizeof found};
    uint64_t seed = 1;
    for (size_t i = 0; i < POINTS * DIMENSIONS; i++)
        places[i] = (float)(wwi_random(&seed) % 1000);
    ww_point_view view = WW_POINT_VIEW_INIT;
    view.values = places;
    view.count = POINTS;
    view.dimension = DIMENSIONS;
    t.points = send(t.group, &view, WW_FLOAT);
    t.data = wwt_group_upload(t.group, &rows, WW_FLOAT);
    wwt_group_failures(&t);
    t.run = run_pairs;
    t.bytes = (PAIRS - 1) * sizeof *found;
    wwt_group_failures(&t);
    t.run = run_points;
    t.found = ids;
    t.bytes = sizeof ids;
    wwt_group_failures(&t);
    ww_points_destroy(&t.points);
    ww_dataset_destroy(&t.data);
    ww_context_destroy(&t.group);
    wwt_set_free(&rows);
}
END_TEST

static int stop(void *user, uint64_t done, uint64_t total) {
    if (total <= 1) // a compile, before the work is counted
        return 0;
    (void)user, (void)done;
    return 1;
}

static void check_are_gpus(ww_context *group) {
    for (size_t i = 0; i < ww_context_device_count(group); i++) {
        ww_device_info info = WW_DEVICE_INFO_INIT;
        wwt_ok(ww_context_get_device_info(ww_context_device(group, i), &info));
        ck_assert_int_eq(info.type, WW_DEVICE_GPU);
    }
}

START_TEST(bad_input) {
    static const char *const wrong[] = {"no such device", "0,", ",0", "0,99"};
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *group = NULL, *other = wwt_group_open(0);
    ck_assert_int_eq(ww_context_create(NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.device = wrong[i];
        ck_assert_int_ne(ww_context_create(&options, &group), WW_OK);
        ck_assert_ptr_null(group);
    }
    options.device = "0,0";
    ck_assert_int_eq(ww_context_create(&options, &group), WW_ERROR_INVALID_ARGUMENT);
    options.device = NULL;
    options.tile_seconds = -1;
    ck_assert_int_eq(ww_context_create(&options, &group), WW_ERROR_INVALID_ARGUMENT);
    options.tile_seconds = 0;
    options.device = "gpus";
    if (ww_context_create(&options, &group) == WW_OK)
        check_are_gpus(group);
    else
        ck_assert(ww_last_error()->status == WW_ERROR_NO_DEVICE && !wwt_device_is_gpu());
    ww_context_destroy(&group);
    const size_t count = ww_context_device_count(other);
    options.device = "all";
    wwt_ok(ww_context_create(&options, &group));
    ck_assert_uint_ge(ww_context_device_count(group), wwt_device_is_gpu() ? 1 : count);
    ww_context_destroy(&group);
    group = wwt_group_open(0);
    ck_assert_ptr_nonnull(ww_context_device(group, 0));
    ck_assert_ptr_null(ww_context_device(group, ww_context_device_count(group)));
    ck_assert_uint_eq(ww_context_device_count(NULL), 0);

    const float values[] = {1, 2, 3, 4}, empty = 0;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset *a = NULL, *b = NULL, *none = NULL;
    view.values = values;
    view.count = 2;
    view.length = 2;
    wwt_ok(ww_dataset_create(group, &view, NULL, &a));
    wwt_ok(ww_dataset_create(other, &view, NULL, &b));
    view.values = &empty;
    view.count = 0;
    ck_assert_int_eq(ww_dataset_create(group, &view, NULL, &none), WW_ERROR_EMPTY);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(ww_dataset_create(NULL, &view, NULL, &none), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_dataset_create_from_set(group, NULL, NULL, &none), WW_ERROR_INVALID_ARGUMENT);

    float result[4];
    const ww_measure dtw = wwt_measure(WW_DTW);
    ww_output to = WW_OUTPUT_HOST_BYTES(result, sizeof result - 1);
    ck_assert_int_eq(wwt_run_matrix(&dtw, a, b, NULL, &to), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_matrix(&dtw, a, NULL, NULL, &to), WW_ERROR_INVALID_ARGUMENT); // too small
    ck_assert_int_eq(wwt_run_matrix(&dtw, a, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_matrix(NULL, a, NULL, NULL, &to), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_nearest(&dtw, a, NULL, 1, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    to.bytes = 0;
    to.layout = WW_LAYOUT_CONDENSED;
    ck_assert_int_eq(wwt_run_matrix(&dtw, a, NULL, NULL, &to), WW_OK);
    to.layout = WW_LAYOUT_FULL;
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    plan.run = &run;
    run.progress = stop;
    ck_assert_int_eq(wwt_run_matrix(&dtw, a, NULL, &plan, &to), WW_ERROR_CANCELLED);
    run.progress = NULL;
    wwt_ok(wwt_run_matrix(&dtw, a, NULL, &plan, &to));
    ck_assert_float_eq(result[1], result[2]);
    ww_dataset_destroy(&b);
    ww_context_destroy(&other);
    ww_context_destroy(&group); // the dataset keeps it
    ww_dataset_destroy(&a);
    ww_dataset_destroy(NULL);
    ww_context_destroy(NULL);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("devices");
    wwt_add(suite, a_matrix_has_the_bytes_of_one_device, MEASURES);
    wwt_add(suite, series_come_back, 1);
    wwt_add(suite, all_ways_to_run_a_plan, 3);
    wwt_add(suite, updates_and_other_contexts, 1);
    wwt_add(suite, nearest_has_the_bytes_of_one_device, 1);
    wwt_add(suite, pairs_have_the_bytes_of_one_device, 3);
    wwt_add(suite, points_have_the_ids_of_one_device, 6);
    wwt_add(suite, a_device_fails_in_the_middle, 1);
    wwt_add(suite, bad_input, 1);
    return wwt_run(suite);
}
