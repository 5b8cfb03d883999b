// SPDX-License-Identifier: Apache-2.0
// One context, shared datasets and points, several threads: results, errors, times and launches belong to each plan.
// Also processes that were forked. Every case runs in a process of its own, which has not used OpenCL before.
#include <pthread.h>
#include <wavewarp/knn.h>
#include <wavewarp/wavewarp.h>

#include "../fault/fault_layer.h"
#include "../fault/find_layer.h"
#include "host_main.h"

static ww_status plan_run(ww_plan *plan, void *values) {
    const ww_output to = WW_OUTPUT_HOST(values);
    return ww_plan_run(plan, &to);
}

enum { WWT_HANGS = 1200 }; // seconds: for what hangs, not for what is slow
enum { THREADS = 8, ROWS = 14, COLUMNS = 11, LENGTH = 33, RUNS = 6 };

static ww_context *context;
static wwt_fault_table *layer;

static void open_all(void) {
    WWT_OK(ww_context_create(NULL, &context));
}

static bool lacks_layer(void) {
    layer = wwt_in_layer("wwt_fault_control", "nothing is made to fail");
    return !layer;
}

static void close_all(void) {
    ww_context_destroy(&context);
    ck_assert_int_eq(wwi_live_objects(), 0);
}

static void in_threads(int count, void *(*work)(void *), void *users, size_t size) {
    pthread_t threads[THREADS];
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (char *)users + (size_t)i * size), 0);
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

// ---- series

// Lengths differ from series to series. `max_bytes` small: kept in host memory.
static ww_dataset *make_series(size_t count, unsigned seed, uint64_t max_bytes) {
    float values[ROWS * LENGTH];
    size_t lengths[ROWS], offsets[ROWS];
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *dataset = NULL;
    for (size_t i = 0; i < count * LENGTH; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 16) / 16384.0f;
    }
    for (size_t i = 0; i < count; i++) {
        lengths[i] = LENGTH - i % 5;
        offsets[i] = i * LENGTH;
    }
    view.count = count;
    view.lengths = lengths;
    view.offsets = offsets;
    view.values = values;
    options.max_bytes = max_bytes;
    WWT_OK(ww_dataset_create(context, &view, &options, &dataset));
    return dataset;
}

static ww_plan *plan_matrix(ww_measure_id id, ww_dataset *rows, ww_dataset *columns) {
    ww_measure measure;
    ww_plan *plan = NULL;
    WWT_OK(ww_measure_init(&measure, sizeof measure, id));
    WWT_OK(ww_plan_create_matrix(&measure, rows, columns, NULL, &plan));
    return plan;
}

// ---- first contexts

static pthread_barrier_t barrier;

static void *open_first(void *user) {
    (void)pthread_barrier_wait(&barrier);
    WWT_OK(ww_context_create(NULL, user));
    return NULL;
}

START_TEST(first_contexts_are_made_at_once) {
    ww_context *contexts[THREADS] = {NULL};
    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    in_threads(THREADS, open_first, contexts, sizeof *contexts);
    for (int i = 0; i < THREADS; i++)
        ww_context_destroy(&contexts[i]);
    ck_assert_int_eq(wwi_live_objects(), 0);
}
END_TEST

// ---- errors

typedef struct failing {
    ww_dataset *rows, *columns;
    bool breaks;
    int failed;
} failing;

static void *run_and_break(void *user) {
    failing *f = user;
    float expected[ROWS * COLUMNS], distances[ROWS * COLUMNS];
    ww_plan *plan = plan_matrix(WW_DTW, f->rows, f->columns);
    WWT_OK(plan_run(plan, expected));
    (void)pthread_barrier_wait(&barrier);
    for (int i = 0; i < 20 * RUNS; i++) {
        if (f->breaks)
            atomic_store(&layer->break_thread, (uintptr_t)pthread_self());
        const ww_status status = plan_run(plan, distances);
        f->failed += status != WW_OK;
        if (status == WW_OK)
            ck_assert_int_eq(memcmp(distances, expected, sizeof expected), 0);
        else
            ck_assert_str_eq(ww_last_error()->cl_name, "CL_OUT_OF_RESOURCES");
    }
    ww_plan_destroy(&plan);
    return NULL;
}

START_TEST(a_failed_launch_stays_with_its_plan) {
    if (lacks_layer())
        return;
    ww_dataset *rows = make_series(ROWS, 1, 0), *columns = make_series(COLUMNS, 2, 0);
    failing plans[THREADS];
    for (int i = 0; i < THREADS; i++)
        plans[i] = (failing){rows, columns, i == 0, 0};
    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    in_threads(THREADS, run_and_break, plans, sizeof *plans);
    ck_assert_int_eq(plans[0].failed, 20 * RUNS);
    for (int i = 1; i < THREADS; i++)
        ck_assert_int_eq(plans[i].failed, 0);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
}
END_TEST

// Of a launch that failed, and what else fails after it.
START_TEST(the_first_error_is_kept) {
    const wwi_source source = {"nothing.cl", "__kernel void nothing(__global uint *a) { a[0] = 1; }"};
    const ww_error *error = ww_last_error();
    wwi_stream *stream = NULL, *other = NULL;
    wwi_program *program = NULL;
    wwi_kernel *kernel = NULL, *others = NULL;
    wwi_buffer *buffer = NULL;
    if (lacks_layer())
        return;
    WWT_OK(wwi_stream_create(context, &stream));
    WWT_OK(wwi_stream_create(context, &other));
    WWT_OK(wwi_program_get(context, &source, 1, "", &program));
    WWT_OK(wwi_kernel_create(stream, program, "nothing", &kernel));
    WWT_OK(wwi_kernel_create(other, program, "nothing", &others));
    WWT_OK(wwi_buffer_create(context, 4, &buffer));
    const wwi_arg args[] = {WWI_BUFFER(buffer)};
    for (int way = 0; way < 3; way++) {
        wwi_stream_start(stream);
        atomic_store(&layer->break_thread, (uintptr_t)pthread_self());
        WWT_OK(wwi_launch(kernel, 1, 1, args, 1));
        WWT_OK(wwi_launch(others, 1, 1, args, 1));
        WWT_OK(wwi_finish(other));
        // A run that came to no end of its own, one whose next call failed, and one that was stopped.
        if (way == 0)
            WWT_FAILS(wwi_finish_after(stream, WW_OK), WW_ERROR_OPENCL);
        if (way == 1)
            WWT_FAILS(wwi_finish_after(stream, wwi_fail(WW_ERROR_OPENCL, "the read failed")), WW_ERROR_OPENCL);
        if (way == 2)
            WWT_FAILS(wwi_finish_after(stream, wwi_fail(WW_ERROR_CANCELLED, "stopped")), WW_ERROR_CANCELLED);
        ck_assert_str_eq(error->message, way == 2 ? "stopped"
                                                  : "a kernel failed on the device: clEnqueueNDRangeKernel gave "
                                                    "CL_OUT_OF_RESOURCES (-5)");
        WWT_FAILS(wwi_launch(kernel, 1, 1, args, 1), WW_ERROR_OPENCL); // until the next start
        WWT_FAILS(wwi_finish(stream), WW_ERROR_OPENCL);
        ck_assert_int_eq(error->cl_code, -5);
        WWT_OK(wwi_launch(others, 1, 1, args, 1));
    }
    wwi_stream_start(stream);
    WWT_OK(wwi_launch(kernel, 1, 1, args, 1));
    WWT_OK(wwi_finish(stream));
    wwi_buffer_destroy(&buffer);
    wwi_kernel_destroy(&kernel);
    wwi_kernel_destroy(&others);
    wwi_program_release(&program);
    wwi_stream_destroy(&stream);
    wwi_stream_destroy(&other);
}
END_TEST

// A launch that failed, and a call after it that fails too: a launch whose end nobody knows has not ended well.
START_TEST(an_unknown_end_is_a_failure) {
    enum { LAUNCHES = 300 }; // more than a stream keeps in mind
    const wwi_source source = {"nothing.cl", "__kernel void nothing(__global uint *a) { a[0] = 1; }"};
    wwi_stream *stream = NULL;
    wwi_program *program = NULL;
    wwi_kernel *kernel = NULL;
    wwi_buffer *buffer = NULL;
    if (lacks_layer())
        return;
    WWT_OK(wwi_stream_create(context, &stream));
    WWT_OK(wwi_program_get(context, &source, 1, "", &program));
    WWT_OK(wwi_kernel_create(stream, program, "nothing", &kernel));
    WWT_OK(wwi_buffer_create(context, 4, &buffer));
    const wwi_arg args[] = {WWI_BUFFER(buffer)};
    atomic_store(&layer->code, -5);
    for (long later = 1; later < 3 * LAUNCHES; later++) {
        ww_status status = WW_OK;
        wwi_stream_start(stream);
        atomic_store(&layer->break_thread, (uintptr_t)pthread_self());
        atomic_store(&layer->fail_at, atomic_load(&layer->calls) + 2 + later);
        for (int i = 0; i < LAUNCHES && status == WW_OK; i++)
            status = wwi_launch(kernel, 1, 1, args, 1);
        WWT_FAILS(wwi_finish_after(stream, status), WW_ERROR_OPENCL);
        atomic_store(&layer->fail_at, 0);
        WWT_OK(wwi_buffer_read(buffer, 0, 4, &(uint32_t){0}));
    }
    wwi_buffer_destroy(&buffer);
    wwi_kernel_destroy(&kernel);
    wwi_program_release(&program);
    wwi_stream_destroy(&stream);
}
END_TEST

// ---- times and launches

typedef struct counting {
    ww_dataset *rows, *columns;
    uint64_t launches; // of a run alone
    double seconds;    // the most that a run alone took
    bool wrong;
} counting;

static void *run_and_count(void *user) {
    counting *c = user;
    float distances[ROWS * COLUMNS];
    ww_plan_info info = WW_PLAN_INFO_INIT;
    ww_plan *plan = plan_matrix(WW_DTW, c->rows, c->columns);
    (void)pthread_barrier_wait(&barrier);
    for (int i = 0; i < 20 * RUNS; i++) {
        WWT_OK(plan_run(plan, distances));
        WWT_OK(ww_plan_get_info(plan, &info));
        // The first run also makes what the plan keeps.
        c->wrong |= (i > 0 && info.launches != c->launches) || info.seconds_device > info.seconds_wall;
    }
    ww_plan_destroy(&plan);
    return NULL;
}

START_TEST(launches_and_times_belong_to_each) {
    ww_dataset *rows = make_series(ROWS, 1, 0), *columns = make_series(COLUMNS, 2, 0);
    counting plans[4];
    float distances[ROWS * COLUMNS];
    ww_plan_info info = WW_PLAN_INFO_INIT;
    ww_plan *plan = plan_matrix(WW_DTW, rows, columns);
    for (int i = 0; i < 2; i++)
        WWT_OK(plan_run(plan, distances));
    WWT_OK(ww_plan_get_info(plan, &info));
    ww_plan_destroy(&plan);
    ck_assert_uint_gt(info.launches, 0);
    for (int i = 0; i < 4; i++)
        plans[i] = (counting){rows, columns, info.launches, 0, false};
    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, 4), 0);
    in_threads(4, run_and_count, plans, sizeof *plans);
    for (int i = 0; i < 4; i++)
        ck_assert(!plans[i].wrong);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
}
END_TEST

// ---- shared data

// What one thread does with the shared sets: a matrix (plain, of a measure that derives new series, of a set with
// itself), listed pairs, or neighbours.
typedef struct sharing {
    int way;
    ww_dataset *rows, *columns;
    unsigned char results[ROWS * ROWS * 12];
} sharing;

static void share(sharing *s) {
    static const ww_measure_id measures[] = {WW_DTW, WW_ERP, WW_DTW, WW_DTW};
    ww_measure measure;
    ww_plan *plan = NULL;
    size_t pairs[2][ROWS * 4];
    WWT_OK(ww_measure_init(&measure, sizeof measure, measures[s->way % 4]));
    memset(s->results, 0, sizeof s->results);
    if (s->way % 4 < 2) {
        WWT_OK(ww_plan_create_matrix(&measure, s->rows, s->columns, NULL, &plan));
        WWT_OK(plan_run(plan, s->results));
    } else if (s->way % 4 == 2) {
        for (size_t t = 0; t < ROWS * 4; t++) {
            pairs[0][t] = t * 5 % ROWS;
            pairs[1][t] = t * 3 % COLUMNS;
        }
        WWT_OK(ww_plan_create_pairs(&measure, s->rows, s->columns, pairs[0], pairs[1], ROWS * 4, NULL, &plan));
        WWT_OK(plan_run(plan, s->results));
    } else {
        WWT_OK(ww_plan_create_nearest(&measure, s->rows, NULL, 3, NULL, &plan));
        WWT_OK(ww_plan_run_nearest(plan, (int64_t *)(void *)s->results, s->results + ROWS * 3 * 8));
    }
    ww_plan_destroy(&plan);
}

static void *share_often(void *user) {
    sharing *s = user, *own = malloc(sizeof *own);
    *own = *s;
    (void)pthread_barrier_wait(&barrier);
    for (int i = 0; i < RUNS; i++) {
        share(own);
        ck_assert_int_eq(memcmp(own->results, s->results, sizeof s->results), 0);
    }
    free(own);
    return NULL;
}

START_TEST(datasets_are_shared) {
    // On the device, and four series of one set at a time.
    const uint64_t max_bytes = _i ? 4 * LENGTH * sizeof(float) : 0;
    ww_dataset *rows = make_series(ROWS, 3, max_bytes), *columns = make_series(COLUMNS, 4, max_bytes);
    sharing *all = calloc(THREADS, sizeof *all);
    for (int i = 0; i < THREADS; i++) {
        all[i].way = i;
        all[i].rows = rows;
        all[i].columns = columns;
        share(&all[i]);
    }
    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    in_threads(THREADS, share_often, all, sizeof *all);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    free(all);
}
END_TEST

enum { POINTS = 300, DIMENSION = 5, K = 4 };

typedef struct searching {
    ww_points *points;
    int64_t ids[POINTS * K];
} searching;

static void find(const searching *s, int64_t *ids) {
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn *knn = NULL;
    WWT_OK(ww_knn_create(s->points, NULL, K, &options, &knn));
    WWT_OK(ww_knn_run(knn, ids, NULL, NULL));
    ww_knn_destroy(&knn);
}

static void *find_often(void *user) {
    const searching *s = user;
    int64_t ids[POINTS * K];
    for (int i = 0; i < RUNS; i++) {
        find(s, ids);
        ck_assert_int_eq(memcmp(ids, s->ids, sizeof ids), 0);
    }
    return NULL;
}

START_TEST(points_are_shared) {
    float values[POINTS * DIMENSION];
    unsigned seed = 5;
    for (size_t i = 0; i < POINTS * DIMENSION; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 16) / 65536.0f;
    }
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    searching *all = calloc(4, sizeof *all);
    ww_points *points = NULL;
    view.count = POINTS;
    view.dimension = DIMENSION;
    view.values = values;
    options.max_bytes = _i ? 128 * DIMENSION * sizeof(float) : 0;
    WWT_OK(ww_points_create(context, &view, &options, &points));
    for (int i = 0; i < 4; i++) {
        all[i].points = points;
        find(&all[i], all[i].ids);
    }
    in_threads(4, find_often, all, sizeof *all);
    ww_points_destroy(&points);
    free(all);
}
END_TEST

// ---- tuning

static atomic_bool stop;

static void *try_values(void *user) {
    char kind[32];
    for (long i = 1; i <= 2000; i++) {
        (void)snprintf(kind, sizeof kind, "%ld", i % 500);
        WWT_OK(wwi_tuning_try(context, user, kind, i));
    }
    atomic_store(&stop, true);
    return NULL;
}

// One thread tries parameters, as `wavewarp tune` does, while another reads them.
START_TEST(tuning_is_read_while_it_is_tried) {
    char some[] = "lanes.resident";
    pthread_t thread;
    WWT_OK(wwi_tuning_try(context, "strips.resident", NULL, 17));
    ck_assert_int_eq(pthread_create(&thread, NULL, try_values, some), 0);
    while (!atomic_load(&stop))
        ck_assert_int_eq(wwi_tuning(context, "strips.resident", NULL, 3), 17);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(wwi_tuning(context, "lanes.resident", "499", 3), 1999); // of equal ones the last counts
}
END_TEST

// ---- after fork()

static bool tells_of_fork(ww_status status) {
    return status == WW_ERROR_UNSUPPORTED && strstr(ww_last_error()->message, "fork") && ww_last_error()->hint[0];
}

// What a child finds; a number for the first thing that is wrong, 0: nothing.
// `alone`: nothing else was made.
static int use_in_child(ww_plan *plan, ww_dataset *dataset, bool alone) {
    float distances[ROWS * ROWS];
    ww_measure measure;
    ww_plan *other = NULL;
    ww_context *fresh = NULL;
    ww_device_list *devices = NULL;
    if (ww_measure_init(&measure, sizeof measure, WW_DTW) != WW_OK)
        return 7;
    if (!tells_of_fork(plan_run(plan, distances)))
        return 1;
    if (!tells_of_fork(ww_plan_create_matrix(&measure, dataset, NULL, NULL, &other)) || other)
        return 2;
    if (!tells_of_fork(ww_context_self_test(context)))
        return 3;
    if (!tells_of_fork(ww_context_create(NULL, &fresh)) || fresh)
        return 4;
    if (!tells_of_fork(ww_device_list_create(&devices)))
        return 5;
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&dataset);
    ww_context_destroy(&context);
    return alone && wwi_live_objects() != 0 ? 6 : 0;
}

// Launches that nobody has waited for.
START_TEST(a_forked_child_frees_what_is_under_way) {
    const wwi_source source = {"long.cl", "__kernel void more(__global uint *a) { a[0] += 1; }"};
    wwi_stream *stream = NULL;
    wwi_program *program = NULL;
    wwi_kernel *kernel = NULL;
    wwi_buffer *buffer = NULL;
    WWT_OK(wwi_stream_create(context, &stream));
    WWT_OK(wwi_program_get(context, &source, 1, "", &program));
    WWT_OK(wwi_kernel_create(stream, program, "more", &kernel));
    WWT_OK(wwi_buffer_create(context, 4, &buffer));
    const wwi_arg args[] = {WWI_BUFFER(buffer)};
    for (int i = 0; i < 10; i++)
        WWT_OK(wwi_launch(kernel, 1, 1, args, 1));
    const pid_t child = fork();
    if (child == 0)
        (void)alarm(WWT_HANGS);
    const bool told = child == 0 && tells_of_fork(wwi_launch(kernel, 1, 1, args, 1)) &&
                      tells_of_fork(wwi_finish(stream)) && tells_of_fork(wwi_finish_after(stream, WW_OK));
    wwi_buffer_destroy(&buffer);
    wwi_kernel_destroy(&kernel);
    wwi_program_release(&program);
    wwi_stream_destroy(&stream);
    if (child == 0) {
        ww_context_destroy(&context);
        _exit(told && wwi_live_objects() == 0 ? 0 : 1);
    }
    int state = 0;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}
END_TEST

static void *keep_running(void *user) {
    ww_plan *plan = plan_matrix(WW_DTW, user, NULL);
    float distances[ROWS * ROWS];
    while (!atomic_load(&stop))
        WWT_OK(plan_run(plan, distances));
    ww_plan_destroy(&plan);
    return NULL;
}

// While another thread works, so that locks may be taken when the process forks.
START_TEST(a_forked_child_is_told) {
    ww_dataset *dataset = make_series(ROWS, 6, 0);
    ww_plan *plan = plan_matrix(WW_DTW, dataset, NULL);
    float distances[ROWS * ROWS];
    pthread_t thread;
    WWT_OK(plan_run(plan, distances));
    for (int i = 0; i < RUNS; i++) {
        if (i == 1)
            ck_assert_int_eq(pthread_create(&thread, NULL, keep_running, dataset), 0);
        const pid_t child = fork();
        if (child == 0) {
            (void)alarm(WWT_HANGS);
            _exit(use_in_child(plan, dataset, i == 0));
        }
        int state = 0;
        ck_assert_int_eq(waitpid(child, &state, 0), child);
        ck_assert_msg(WIFEXITED(state) && WEXITSTATUS(state) == 0, "the child ended with %d",
                      WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state));
    }
    atomic_store(&stop, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    WWT_OK(plan_run(plan, distances)); // the parent goes on
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&dataset);
}
END_TEST

// ---- the log

typedef struct caller {
    ww_context *context;
    int calls, compiled, inside;
    double distance;
} caller;

static double distance_of(ww_context *of) {
    const double x[] = {1, 2, 4}, y[] = {1, 3, 3};
    ww_measure measure;
    double distance = -1;
    WWT_OK(ww_measure_init(&measure, sizeof measure, WW_MSM));
    WWT_OK(ww_distance(of, &measure, x, 3, y, 3, 1, &distance));
    return distance;
}

// Needs the program whose compilation it is told of, and what a context is made of.
static void call_the_library(void *user, int level, const char *text) {
    caller *c = user;
    (void)level;
    ck_assert_int_eq(c->inside++, 0); // its own calls say nothing
    c->calls++;
    if (c->context && strncmp(text, "compiling", 9) == 0) {
        c->compiled++;
        c->distance = distance_of(c->context);
        ww_context *other = NULL;
        WWT_OK(ww_context_create(NULL, &other));
        ww_context_destroy(&other);
        WWT_FAILS(ww_context_self_test(NULL), WW_ERROR_INVALID_ARGUMENT);
    }
    c->inside--;
}

// Each thread fills what it gets: no two have the same.
static void *use_large(void *user) {
    const unsigned char own = (unsigned char)(*(int *)user + 1);
    for (size_t run = 0; run < 40; run++) {
        const size_t bytes = (8 + run % 5) << 20;
        unsigned char *large = wwi_large_new(bytes);
        if (!large)
            return "no memory";
        for (size_t i = 0; i < bytes; i += 4096)
            large[i] = own;
        for (size_t i = 0; i < bytes; i += 4096)
            if (large[i] != own)
                return "two threads had it";
        wwi_large_free(large, bytes);
    }
    return NULL;
}

START_TEST(large_results_use_the_pages_of_the_one_before) {
    enum { MB = 1 << 20 };
    int numbers[4] = {0, 1, 2, 3};
    void *first = wwi_large_new(16 * MB);
    ck_assert_ptr_nonnull(first);
    wwi_large_free(first, 16 * MB);
    void *again = wwi_large_new(12 * MB), *other = wwi_large_new(12 * MB);
    ck_assert_ptr_eq(again, first);
    ck_assert_ptr_ne(other, first);
    wwi_large_free(again, 12 * MB);
    wwi_large_free(other, 12 * MB); // the other one is kept now
    void *small = wwi_large_new(1000), *larger = wwi_large_new(13 * MB);
    ck_assert(small && larger && small != other && larger != other);
    wwi_large_free(small, 1000);
    wwi_large_free(larger, 13 * MB);
    wwi_large_free(NULL, 0);
    in_threads(4, use_large, numbers, sizeof *numbers);
}
END_TEST

START_TEST(a_log_function_may_call_the_library) {
    caller c = {.distance = -1};
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    options.log = call_the_library;
    options.log_user = &c;
    WWT_OK(ww_context_create(&options, &context));
    c.context = context;
    (void)alarm(WWT_HANGS); // it would wait for itself
    const double distance = distance_of(context);
    ck_assert_int_gt(c.compiled, 0);
    ck_assert_double_eq(distance, c.distance);
    ck_assert_double_eq(distance_of(context), distance);
    c.context = NULL;
    close_all();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("threads");
    TCase *first = tcase_create("first"), *shared = tcase_create("shared");
    tcase_set_timeout(first, 1200); // for what hangs, not for what is slow
    tcase_set_timeout(shared, 1200);
    tcase_add_loop_test(first, first_contexts_are_made_at_once, 0, 4);
    tcase_add_checked_fixture(shared, open_all, close_all);
    tcase_add_test(shared, a_failed_launch_stays_with_its_plan);
    tcase_add_test(shared, the_first_error_is_kept);
    tcase_add_test(shared, an_unknown_end_is_a_failure);
    tcase_add_test(shared, launches_and_times_belong_to_each);
    tcase_add_loop_test(shared, datasets_are_shared, 0, 2);
    tcase_add_loop_test(shared, points_are_shared, 0, 2);
    tcase_add_test(shared, tuning_is_read_while_it_is_tried);
    tcase_add_test(shared, a_forked_child_frees_what_is_under_way);
    tcase_add_test(shared, a_forked_child_is_told);
    TCase *log = tcase_create("log");
    tcase_set_timeout(log, 1200);
    tcase_add_test(log, large_results_use_the_pages_of_the_one_before);
    tcase_add_test(log, a_log_function_may_call_the_library);
    suite_add_tcase(suite, first);
    suite_add_tcase(suite, shared);
    suite_add_tcase(suite, log);
    return wwt_run_host(suite, true);
}
