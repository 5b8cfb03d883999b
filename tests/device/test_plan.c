// SPDX-License-Identifier: Apache-2.0
// Properties of plans other than distances: progress, sizes of blocks, results to the device, several plans and threads
// on one dataset, structs of other versions.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/opencl.h>

#include "support.h"

enum { N = 30, LEAST = 8, MOST = 40 };

// ---- progress

typedef struct progress {
    uint64_t last, total;
    int calls, at_total;
} progress;

static int on_progress(void *user, uint64_t done, uint64_t total) {
    progress *p = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_ge(done, p->last);
    ck_assert_msg(done <= total, "%llu of %llu cells", (unsigned long long)done, (unsigned long long)total);
    ck_assert(p->calls == 0 || total == p->total);
    p->last = done;
    p->total = total;
    p->calls++;
    p->at_total += done == total;
    return 0;
}

static int ignore_block(void *user, size_t row, size_t rows, size_t column, size_t columns, const void *values) {
    (void)user, (void)row, (void)rows, (void)column, (void)columns, (void)values;
    return 0;
}

// Symmetric and 0 on itself; symmetric and not 0 on itself; not symmetric.
static ww_measure measure_of(int which) {
    ww_measure measure = wwt_measure(which == 1 ? WW_LCS : which == 2 ? WW_LEVENSHTEIN : WW_DTW);
    if (which == 2) {
        wwt_ok(ww_measure_set(&measure, "insertion", 2));
        wwt_ok(ww_measure_set(&measure, "deletion", 3));
    }
    return measure;
}

static wwt_set symbols(void) {
    wwt_set set = wwt_set_random(1, LEAST, MOST, N);
    for (size_t i = 0; i < set.offsets[N - 1] + set.lengths[N - 1]; i++)
        set.values[i] = (double)(int)(set.values[i] * 3);
    return set;
}

// Every way through a matrix of a set with itself ends at exactly all of the work.
START_TEST(progress_ends_at_the_total) {
    wwt_seed(600 + (unsigned)_i);
    ww_measure measure = measure_of(_i / 2);
    wwt_set set = symbols();
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL;
    progress p = {0};
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    float *values = wwt_guarded(N * N, WW_FLOAT), *condensed = wwt_guarded(N * (N - 1) / 2, WW_FLOAT);
    float *all = wwt_matrix(&measure, &set, &set, WW_FLOAT, &options);
    ww_plan_info info = WW_PLAN_INFO_INIT;
    run.progress = on_progress;
    run.progress_user = &p;
    run.max_bytes = _i % 2 ? 400 : 0; // several blocks, or one
    options.run = &run;
    options.one_way = 1;
    wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
    wwt_ok(wwt_plan_run(plan, values));
    ck_assert_int_gt(p.calls, 0);
    ck_assert_uint_eq(p.last, p.total);
    ck_assert_msg(p.at_total <= 1 + p.calls / 8, "at the end for %d of %d calls", p.at_total, p.calls);
    ck_assert(wwt_same(values, all, N * N, WW_FLOAT));
    wwt_ok(ww_plan_get_info(plan, &info));
    ck_assert_uint_eq(info.cells_done, info.cells);
    p = (progress){0};
    wwt_ok(wwt_plan_run_condensed(plan, condensed));
    ck_assert_uint_eq(p.last, p.total);
    ck_assert_msg(p.at_total <= 1 + p.calls / 8, "at the end for %d of %d calls", p.at_total, p.calls);
    for (size_t i = 0, at = 0; i < N; i++)
        for (size_t j = i + 1; j < N; j++, at++)
            ck_assert_float_eq(condensed[at], all[i * N + j]);
    p = (progress){0};
    wwt_ok(ww_plan_run_blocks(plan, ignore_block, NULL));
    ck_assert_uint_eq(p.last, p.total);
    ck_assert_msg(p.at_total <= 1 + p.calls / 8, "at the end for %d of %d calls", p.at_total, p.calls);
    ww_plan_destroy(&plan);
    p = (progress){0};
    int64_t nearest[N];
    wwt_ok(ww_plan_create_nearest(&measure, a, NULL, 1, &options, &plan));
    wwt_ok(ww_plan_run_nearest(plan, nearest, NULL));
    ck_assert_uint_eq(p.last, p.total);
    ck_assert_msg(p.at_total <= 1 + p.calls / 8, "at the end for %d of %d calls", p.at_total, p.calls);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    wwt_guarded_free(all);
    wwt_guarded_free(values);
    wwt_guarded_free(condensed);
    wwt_set_free(&set);
}
END_TEST

// ---- blocks

typedef struct shapes {
    size_t most_bytes, cells;
} shapes;

static int take_shape(void *user, size_t row, size_t rows, size_t column, size_t columns, const void *values) {
    shapes *s = user;
    (void)row, (void)column, (void)values;
    if (rows * columns * sizeof(float) > s->most_bytes)
        s->most_bytes = rows * columns * sizeof(float);
    s->cells += rows * columns;
    return 0;
}

// A row of results is 120 bytes.
START_TEST(blocks_stay_within_max_bytes) {
    static const uint64_t limits[] = {240, 120, 119, 64, 4};
    wwt_seed(620);
    ww_measure measure = wwt_measure(WW_DTW);
    wwt_set set = symbols();
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        ww_run_options run = WW_RUN_OPTIONS_INIT;
        ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
        ww_plan *plan = NULL;
        shapes s = {0, 0};
        run.max_bytes = limits[i];
        options.run = &run;
        wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
        wwt_ok(ww_plan_run_blocks(plan, take_shape, &s));
        ck_assert_uint_eq(s.cells, N * N);
        ck_assert_msg(s.most_bytes <= limits[i], "%zu bytes of %zu", s.most_bytes, (size_t)limits[i]);
        ww_plan_destroy(&plan);
    }
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

// The plan's engine is that of most cells, not of the last batch: here the last columns are too few for the lanes that
// the others fill. Where the device takes one engine for both there is nothing to tell.
START_TEST(engine_of_most_cells) {
    enum { MANY = 16, FEW = 4, ROWS = 2 };
    wwt_seed(625);
    ww_measure measure = wwt_measure(WW_DTW);
    wwt_set rows = wwt_set_random(1, 600, 620, ROWS);
    size_t lengths[MANY + FEW];
    ww_engine engines[3];
    for (size_t j = 0; j < MANY + FEW; j++)
        lengths[j] = 520 + 7 * (j % 9);
    const size_t firsts[] = {0, MANY, 0}, counts[] = {MANY, FEW, MANY + FEW};
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT);
    for (size_t part = 0; part < 3; part++) {
        wwt_set columns = wwt_set_make(1, lengths + firsts[part], counts[part]);
        ww_dataset *b = wwt_dataset(&columns, WW_FLOAT);
        ww_plan_options options = WW_PLAN_OPTIONS_INIT;
        ww_run_options run = WW_RUN_OPTIONS_INIT;
        ww_plan_info info = WW_PLAN_INFO_INIT;
        ww_plan *plan = NULL;
        float values[ROWS * (MANY + FEW)];
        run.max_bytes = MANY * sizeof *values; // a row's first columns, its last ones, and so on
        options.run = &run;
        wwt_ok(ww_plan_create_matrix(&measure, a, b, &options, &plan));
        wwt_ok(wwt_plan_run(plan, values));
        wwt_ok(ww_plan_get_info(plan, &info));
        engines[part] = info.engine;
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&b);
        wwt_set_free(&columns);
    }
    ck_assert_int_eq(engines[2], engines[0]);
    if (!wwt_device_is_gpu())
        ck_assert_int_ne(engines[1], engines[0]);
    ww_dataset_destroy(&a);
    wwt_set_free(&rows);
}
END_TEST

// ---- results to the device

START_TEST(device_and_host_results_are_the_same) {
    wwt_seed(630 + (unsigned)_i);
    ww_measure measure = measure_of(_i);
    wwt_set set = symbols();
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    enum { HALF = N * (N - 1) / 2, OFFSET = 24 };
    float *wanted = wwt_guarded(N * N, WW_FLOAT), *found = wwt_guarded(N * N, WW_FLOAT);
    ww_buffer *buffer = NULL;
    ww_plan *plan = NULL;
    options.one_way = 1;
    wwt_ok(ww_buffer_create(wwt_context, OFFSET + N * N * sizeof(float), &buffer));
    ck_assert_uint_eq(ww_buffer_bytes(buffer), OFFSET + N * N * sizeof(float));
    wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
    wwt_ok(ww_plan_prepare(plan));
    for (int form = 0; form < 4; form++) {
        ww_output to = WW_OUTPUT_INIT;
        to.layout = form & 1 ? WW_LAYOUT_CONDENSED : WW_LAYOUT_FULL;
        to.offset = form & 2 ? OFFSET : 0;
        to.device = buffer;
        const size_t count = form & 1 ? HALF : N * N;
        wwt_ok(form & 1 ? wwt_plan_run_condensed(plan, wanted) : wwt_plan_run(plan, wanted));
        if (measure.id == WW_LEVENSHTEIN &&
            form & 1) { // only the half of a symmetric measure is laid out on the device
            wwt_fails(ww_plan_run(plan, &to), WW_ERROR_UNSUPPORTED);
            continue;
        }
        wwt_ok(ww_plan_run(plan, &to));
        wwt_ok(ww_plan_run(plan, &to)); // without waiting for the first
        wwt_ok(ww_plan_finish(plan));
        wwt_ok(ww_plan_finish(plan)); // nothing is left
        wwt_ok(ww_buffer_read(buffer, to.offset, count * sizeof(float), found));
        ck_assert(wwt_same(wanted, found, count, WW_FLOAT));
        ww_plan_info info = WW_PLAN_INFO_INIT;
        wwt_ok(ww_plan_get_info(plan, &info));
        ck_assert_uint_ge(info.launches, 1);
    }
    ww_plan_destroy(&plan);
    wwt_ok(ww_plan_create_pairs(&measure, a, a, NULL, NULL, N, &options, &plan));
    wwt_ok(ww_plan_prepare(plan));
    for (int offset = 0; offset <= OFFSET; offset += OFFSET) {
        ww_output to = WW_OUTPUT_INIT;
        to.device = buffer;
        to.offset = (uint64_t)offset;
        wwt_ok(wwt_plan_run(plan, wanted));
        wwt_ok(ww_plan_run(plan, &to));
        wwt_ok(ww_plan_finish(plan));
        wwt_ok(ww_buffer_read(buffer, to.offset, N * sizeof(float), found));
        ck_assert(wwt_same(wanted, found, N, WW_FLOAT));
    }
    // A plan may be destroyed while its work is in progress.
    ww_output to = WW_OUTPUT_INIT;
    to.device = buffer;
    wwt_ok(ww_plan_run(plan, &to));
    ww_plan_destroy(&plan);
    wwt_ok(ww_buffer_read(buffer, 0, N * sizeof(float), found));
    ck_assert(wwt_same(wanted, found, N, WW_FLOAT));
    ww_buffer_destroy(&buffer);
    ck_assert_ptr_null(buffer);
    ww_dataset_destroy(&a);
    wwt_guarded_free(wanted);
    wwt_guarded_free(found);
    wwt_set_free(&set);
}
END_TEST

static int never(void *user, uint64_t first, uint64_t count, const void *values) {
    (void)user, (void)first, (void)count, (void)values;
    ck_abort_msg("values of a refused run");
    return 1;
}

// What reads a condensed matrix takes it for the distances of both ways.
START_TEST(condensed_asks_for_symmetry) {
    wwt_seed(635 + (unsigned)_i);
    ww_measure measure = wwt_measure(_i ? WW_DTW : WW_LEVENSHTEIN);
    wwt_set set = symbols();
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_plan *plan = NULL;
    float one[N * (N - 1) / 2], all[N * N];
    if (_i)
        measure.relax_begin_x = 3;
    else
        wwt_ok(ww_measure_set(&measure, "insertion", 2));
    for (options.one_way = 0; options.one_way < 2; options.one_way++) {
        wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
        wwt_ok(wwt_plan_run(plan, all));
        if (options.one_way) {
            wwt_ok(wwt_plan_run_condensed(plan, one));
            for (size_t i = 0, at = 0; i < N; i++)
                for (size_t j = i + 1; j < N; j++, at++)
                    ck_assert_float_eq(one[at], all[i * N + j]);
        } else {
            wwt_fails(wwt_plan_run_condensed(plan, one), WW_ERROR_UNSUPPORTED);
            wwt_fails(ww_plan_run_condensed_blocks(plan, never, NULL), WW_ERROR_UNSUPPORTED);
        }
        ww_plan_destroy(&plan);
    }
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

START_TEST(outputs_are_checked) {
    wwt_seed(640);
    ww_measure measure = wwt_measure(WW_DTW);
    wwt_set set = symbols();
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_buffer *buffer = NULL, *foreign = NULL;
    ww_context *other = NULL;
    ww_plan *plan = NULL, *pairs = NULL, *nearest = NULL;
    ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    float values[N * N];
    wwt_ok(ww_buffer_create(wwt_context, N * N * sizeof(float), &buffer));
    wwt_ok(ww_context_create(NULL, &other));
    wwt_ok(ww_buffer_create(other, N * N * sizeof(float), &foreign));
    wwt_fails(ww_buffer_create(wwt_context, 0, &(ww_buffer *){NULL}), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_buffer_read(buffer, 8, N * N * sizeof(float), values), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
    wwt_ok(ww_plan_create_pairs(&measure, a, a, NULL, NULL, N, &options, &pairs));
    wwt_ok(ww_plan_create_nearest(&measure, a, NULL, 1, &options, &nearest));
    const ww_output wrong[] = {
        {sizeof(ww_output), NULL, NULL, 0, WW_LAYOUT_FULL, 0, 0},
        {sizeof(ww_output), values, buffer, 0, WW_LAYOUT_FULL, 0, 0},
        {sizeof(ww_output), values, NULL, 4, WW_LAYOUT_FULL, 0, 0},
        {sizeof(ww_output), NULL, buffer, 4, WW_LAYOUT_FULL, 0, 0},
        {sizeof(ww_output), NULL, buffer, 2, WW_LAYOUT_CONDENSED, 0, 0},
        {sizeof(ww_output), NULL, foreign, 0, WW_LAYOUT_FULL, 0, 0},
        {sizeof(ww_output), NULL, buffer, ~UINT64_C(3), WW_LAYOUT_FULL, 0, 0},
        {sizeof(ww_output), values, NULL, 0, (ww_layout)7, 0, 0},
        {0, values, NULL, 0, WW_LAYOUT_FULL, 0, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        wwt_fails(ww_plan_run(plan, &wrong[i]), WW_ERROR_INVALID_ARGUMENT);
    const ww_output condensed = {sizeof condensed, values, NULL, 0, WW_LAYOUT_CONDENSED, 0, 0};
    wwt_fails(ww_plan_run(pairs, &condensed), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_run(nearest, &condensed), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->hint, "ww_plan_run_nearest() runs it");
    int64_t index;
    wwt_fails(ww_plan_run_nearest(pairs, &index, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(ww_last_error()->hint, "ww_plan_run() runs it");
    wwt_fails(ww_plan_finish(NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_plan_prepare(NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_plan_destroy(&plan);
    ww_plan_destroy(&pairs);
    ww_plan_destroy(&nearest);
    ww_buffer_destroy(&foreign);
    ww_context_destroy(&other);
    ww_buffer_destroy(&buffer);
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

// Series and results in the caller's own buffers. A plan sees what the series' buffer holds when it runs, but for
// measures that compute on copies of their own. Engine packed interleaves the series for itself in each run.
START_TEST(buffers_of_the_caller) {
    enum { SERIES = 3, LENGTH = 6 };
    const float before[SERIES * LENGTH] = {0, 1, 2, 3, 2, 1, 0, 0, 1, 2, 3, 2, 5, 5, 4, 4, 5, 5};
    float after[SERIES * LENGTH], results[4][SERIES * SERIES];
    cl_context cl = NULL;
    cl_command_queue queue = NULL;
    ww_dataset *dataset = NULL;
    ww_buffer *output = NULL;
    ww_plan_options options = wwt_engine(_i ? WW_ENGINE_PACKED : WW_ENGINE_LANES);
    ww_measure measures[] = {wwt_measure(WW_DTW), wwt_measure(WW_ERP)};
    ww_plan *plans[2] = {NULL, NULL};
    if (ww_context_get_opencl(wwt_context, NULL, NULL, NULL) == WW_ERROR_UNSUPPORTED)
        return; // of CUDA: tests/host/test_host_cuda.c
    for (int i = 0; i < SERIES * LENGTH; i++)
        after[i] = before[i] * before[i];
    wwt_ok(ww_context_get_opencl(wwt_context, &cl, NULL, &queue));
    cl_mem series = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof before, NULL, NULL);
    cl_mem result = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof results[0], NULL, NULL);
    ck_assert(series && result);
    ck_assert_int_eq(clEnqueueWriteBuffer(queue, series, CL_TRUE, 0, sizeof before, before, 0, NULL, NULL), CL_SUCCESS);
    wwt_ok(ww_dataset_wrap(wwt_context, series, SERIES, 1, LENGTH, WW_FLOAT, &dataset));
    wwt_ok(ww_buffer_wrap(wwt_context, result, &output));
    ck_assert(ww_buffer_opencl(output) == result);
    ck_assert_ptr_null(ww_buffer_opencl(NULL));
    wwt_fails(ww_buffer_wrap(wwt_context, NULL, &(ww_buffer *){NULL}), WW_ERROR_INVALID_ARGUMENT);
    ww_output to = WW_OUTPUT_INIT;
    to.device = output;
    for (int m = 0; m < 2; m++)
        wwt_ok(ww_plan_create_matrix(&measures[m], dataset, NULL, &options, &plans[m]));
    for (int k = 0; k < 4; k++) {
        if (k == 2)
            ck_assert_int_eq(clEnqueueWriteBuffer(queue, series, CL_TRUE, 0, sizeof after, after, 0, NULL, NULL),
                             CL_SUCCESS);
        wwt_ok(ww_plan_run(plans[k % 2], &to));
        wwt_ok(ww_plan_finish(plans[k % 2]));
        ck_assert_int_eq(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof results[k], results[k], 0, NULL, NULL),
                         CL_SUCCESS);
    }
    // By hand: the two differ in their last points alone, 1 and 2, then 1 and 4.
    ck_assert_float_eq(results[0][1], 1);
    ck_assert_float_eq(results[2][1], 9);
    ck_assert(memcmp(results[1], results[3], sizeof results[1]) == 0);
    for (int m = 0; m < 2; m++)
        ww_plan_destroy(&plans[m]);
    ww_buffer_destroy(&output);
    ww_dataset_destroy(&dataset);
    ck_assert_int_eq(clReleaseMemObject(series), CL_SUCCESS);
    ck_assert_int_eq(clReleaseMemObject(result), CL_SUCCESS);
}
END_TEST

// ---- threads

typedef struct worker {
    ww_dataset *dataset;
    const float *wanted;
    bool right;
} worker;

static void *work(void *user) {
    worker *w = user;
    float values[N * N];
    ww_measure measure;
    ww_plan *plan = NULL;
    const ww_output to = WW_OUTPUT_HOST(values);
    const ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    w->right = ww_measure_init(&measure, sizeof measure, WW_DTW) == WW_OK &&
               ww_plan_create_matrix(&measure, w->dataset, NULL, &options, &plan) == WW_OK;
    for (int run = 0; w->right && run < 8; run++)
        w->right = ww_plan_run(plan, &to) == WW_OK && memcmp(values, w->wanted, sizeof values) == 0;
    ww_plan_destroy(&plan);
    return NULL;
}

// One dataset, a plan a thread.
START_TEST(threads_share_a_dataset) {
    enum { THREADS = 4 };
    wwt_seed(650);
    ww_measure measure = wwt_measure(WW_DTW);
    ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    wwt_set set = symbols();
    float *wanted = wwt_matrix(&measure, &set, NULL, WW_FLOAT, &options);
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){a, wanted, false};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(workers[i].right);
    }
    ww_dataset_destroy(&a);
    wwt_guarded_free(wanted);
    wwt_set_free(&set);
}
END_TEST

// ---- structs, recurrences

START_TEST(structs_of_other_versions) {
    wwt_seed(660);
    struct {
        ww_measure known;
        uint64_t later;
    } measure = {wwt_measure(WW_DTW), 0};
    struct {
        ww_plan_info known;
        uint64_t later, guard;
    } info;
    wwt_set set = symbols();
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    measure.known.struct_size = sizeof measure;
    wwt_ok(ww_plan_create_matrix(&measure.known, a, NULL, &options, &plan));
    memset(&info, 0x5a, sizeof info);
    info.known.struct_size = offsetof(ww_plan_info, cells);
    wwt_ok(ww_plan_get_info(plan, &info.known));
    ck_assert_uint_eq(info.known.pairs, N * (N - 1) / 2);
    ck_assert_uint_eq(info.known.cells, UINT64_C(0x5a5a5a5a5a5a5a5a));
    info.known.struct_size = sizeof info - sizeof info.guard;
    wwt_ok(ww_plan_get_info(plan, &info.known));
    ck_assert_uint_eq(info.later, 0);
    ck_assert_uint_eq(info.guard, UINT64_C(0x5a5a5a5a5a5a5a5a));
    info.known.struct_size = 0;
    wwt_fails(ww_plan_get_info(plan, &info.known), WW_ERROR_INVALID_ARGUMENT);
    ww_plan_destroy(&plan);
    measure.later = 1;
    wwt_fails(ww_plan_create_matrix(&measure.known, a, NULL, &options, &plan), WW_ERROR_UNSUPPORTED);
    options.run = &(ww_run_options){sizeof(ww_run_options), 0, -1.0, NULL, NULL};
    wwt_fails(ww_plan_create_matrix(&measure.known, a, NULL, &options, &plan), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

// Channels that do not fit registers are checked like others.
START_TEST(bad_recurrence_of_many_channels) {
    wwt_seed(670);
    wwt_set set = wwt_set_random(20, 5, 5, 3);
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_measure measure = wwt_measure(WW_USER);
    ww_plan_options options = wwt_engine(WW_ENGINE_LANES);
    measure.recurrence = "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
                         "    return WW_AT(x, 19) - WW_AT(y, 0) + left - up;\n" // infinity less infinity
                         "}\n";
    wwt_fails(ww_plan_create_matrix(&measure, a, NULL, &options, &plan), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(plan);
    measure.recurrence = "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
                         "    return fabs(WW_AT(x, 19) - WW_AT(y, 19)) + fmin(diagonal, fmin(left, up));\n"
                         "}\n";
    wwt_ok(ww_plan_create_matrix(&measure, a, NULL, &options, &plan));
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("plan");
    wwt_add(suite, progress_ends_at_the_total, 6);
    wwt_add(suite, blocks_stay_within_max_bytes, 1);
    wwt_add(suite, engine_of_most_cells, 1);
    wwt_add(suite, device_and_host_results_are_the_same, 3);
    wwt_add(suite, condensed_asks_for_symmetry, 2);
    wwt_add(suite, outputs_are_checked, 1);
    wwt_add(suite, buffers_of_the_caller, 2);
    wwt_add(suite, threads_share_a_dataset, 1);
    wwt_add(suite, structs_of_other_versions, 1);
    wwt_add(suite, bad_recurrence_of_many_channels, 1);
    return wwt_run(suite);
}
