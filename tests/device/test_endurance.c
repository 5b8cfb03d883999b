// SPDX-License-Identifier: Apache-2.0
// Mixed jobs on one context, from several threads, with random cancels and failures: what succeeds is what a quiet run
// gave, bit by bit, also on memory that others used; what fails says why, and neither host nor device memory grows.
// Seconds: 10; in the exhaustive run 600; $WAVEWARP_ENDURANCE_SECONDS.
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fault/fault_layer.h"
#include "../fault/find_layer.h"
#include "device/support.h"
#include "host.h"
#include "set_jobs.h"

enum {
    THREADS = 4,
    SERIES = 16,
    LENGTH = 24,
    POINTS = 300,
    DIMENSION = 6,
    STREAM = 600,
    QUERY = 12,
    K = 3,
    ROOM = 1 << 15
};
enum { RECORDS = 4096 };

static wwt_fault_table *layer;

// ---- what all threads share

static struct {
    ww_dataset *rows, *columns, *host_rows; // host_rows: kept in host memory, a few series on the device at a time
    ww_points *points, *more;
    ww_series_set *set;
    ww_series_view queries, streams;
    double query_values[2 * QUERY], stream_values[STREAM];
    size_t query_lengths[2], stream_lengths[1];
    ww_measure dtw, banded, msm, soft;
    wwi_buffer *word;
} all;

static void make_sets(void) {
    wwt_seed(1501);
    wwt_set some = wwt_set_random(1, LENGTH - 6, LENGTH, SERIES),
            others = wwt_set_random(1, LENGTH - 6, LENGTH, SERIES - 5);
    all.rows = wwt_dataset(&some, WW_FLOAT);
    all.columns = wwt_dataset(&others, WW_FLOAT);
    ww_dataset_options few = WW_DATASET_OPTIONS_INIT;
    const ww_series_view view = wwt_view(&some);
    few.max_bytes = 5 * LENGTH * sizeof(float);
    wwt_ok(ww_dataset_create(wwt_context, &view, &few, &all.host_rows));
    wwt_ok(ww_series_set_create(1, &all.set));
    for (size_t i = 0; i < 8; i++)
        wwt_ok(ww_series_set_add(all.set, LENGTH - 6, some.values + some.offsets[i], i % 2 ? "a" : "b"));
    wwt_set_free(&some);
    wwt_set_free(&others);

    float values[POINTS * DIMENSION];
    ww_point_view points = WW_POINT_VIEW_INIT;
    for (size_t i = 0; i < POINTS * DIMENSION; i++)
        values[i] = (float)wwt_random();
    points.values = values;
    points.count = POINTS - 40;
    points.dimension = DIMENSION;
    wwt_ok(ww_points_create(wwt_context, &points, NULL, &all.points));
    points.values = values + (POINTS - 40) * DIMENSION;
    points.count = 40;
    wwt_ok(ww_points_create(wwt_context, &points, NULL, &all.more));

    for (size_t i = 0; i < 2 * QUERY; i++)
        all.query_values[i] = wwt_random();
    for (size_t i = 0; i < STREAM; i++)
        all.stream_values[i] = wwt_random();
    all.query_lengths[0] = all.query_lengths[1] = QUERY;
    all.stream_lengths[0] = STREAM;
    all.queries = (ww_series_view)WW_SERIES_VIEW_INIT;
    all.queries.precision = WW_DOUBLE;
    all.streams = all.queries;
    all.queries.count = 2;
    all.queries.lengths = all.query_lengths;
    all.queries.values = all.query_values;
    all.streams.count = 1;
    all.streams.lengths = all.stream_lengths;
    all.streams.values = all.stream_values;

    wwt_ok(wwi_buffer_create(wwt_context, sizeof(uint32_t), &all.word));
    all.dtw = wwt_measure(WW_DTW);
    all.banded = wwt_measure(WW_DTW);
    all.banded.band.kind = WW_BAND_CORNER;
    all.banded.band.width = 4;
    all.msm = wwt_measure(WW_MSM);
    all.soft = wwt_measure(WW_DTW);
    all.soft.gamma = 0.5;
}

static void free_sets(void) {
    ww_dataset_destroy(&all.rows);
    ww_dataset_destroy(&all.columns);
    ww_dataset_destroy(&all.host_rows);
    ww_points_destroy(&all.points);
    ww_points_destroy(&all.more);
    ww_series_set_destroy(&all.set);
    wwi_buffer_destroy(&all.word);
}

// ---- jobs

typedef struct answer {
    size_t size;
    unsigned char bytes[ROOM];
} answer;

static void add(answer *a, const void *bytes, size_t size) {
    ck_assert_uint_le(a->size + size, sizeof a->bytes);
    memcpy(a->bytes + a->size, bytes, size);
    a->size += size;
}

// What a thread keeps from job to job, also over failures.
typedef struct kept {
    ww_plan *plan, *nearest;
    ww_knn *knn;
    ww_lsh *lsh;
    ww_search *search;
    ww_run_options run; // its progress function may cancel
    long calls_left;    // before it does; negative: it does not
} kept;

static ww_plan_options plan_options(kept *k) {
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    options.run = &k->run;
    return options;
}

static ww_status matrix(kept *k, answer *a) {
    static const size_t cells = SERIES * (SERIES - 5);
    float values[SERIES * (SERIES - 5)];
    const ww_plan_options options = plan_options(k);
    ww_status status = k->plan ? WW_OK : ww_plan_create_matrix(&all.dtw, all.rows, all.columns, &options, &k->plan);
    if (status == WW_OK)
        status = wwt_plan_run(k->plan, values);
    if (status == WW_OK)
        add(a, values, cells * sizeof *values);
    return status;
}

static ww_status condensed(kept *k, answer *a) {
    float values[SERIES * (SERIES - 1) / 2];
    ww_plan *plan = NULL;
    const ww_plan_options options = plan_options(k);
    ww_status status = ww_plan_create_matrix(&all.banded, all.host_rows, NULL, &options, &plan);
    if (status == WW_OK)
        status = wwt_plan_run_condensed(plan, values);
    if (status == WW_OK)
        add(a, values, sizeof values);
    ww_plan_destroy(&plan);
    return status;
}

static int take_block(void *user, size_t row, size_t row_count, size_t column, size_t column_count,
                      const void *values) {
    float *square = user;
    for (size_t i = 0; i < row_count; i++)
        memcpy(square + (row + i) * SERIES + column, (const float *)values + i * column_count,
               column_count * sizeof(float));
    return 0;
}

static ww_status blocks(kept *k, answer *a) {
    float values[SERIES * SERIES];
    ww_plan *plan = NULL;
    ww_run_options run = k->run;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    run.max_bytes = 7 * SERIES * sizeof(float);
    options.run = &run;
    ww_status status = ww_plan_create_matrix(&all.dtw, all.rows, NULL, &options, &plan);
    if (status == WW_OK)
        status = ww_plan_run_blocks(plan, take_block, values);
    if (status == WW_OK)
        add(a, values, sizeof values);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status pairs(kept *k, answer *a) {
    size_t rows[40], columns[40];
    float values[40];
    ww_plan *plan = NULL;
    const ww_plan_options options = plan_options(k);
    for (size_t i = 0; i < 40; i++) {
        rows[i] = i * 5 % SERIES;
        columns[i] = i * 3 % (SERIES - 5);
    }
    ww_status status = ww_plan_create_pairs(&all.msm, all.rows, all.columns, rows, columns, 40, &options, &plan);
    if (status == WW_OK)
        status = wwt_plan_run(plan, values);
    if (status == WW_OK)
        add(a, values, sizeof values);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status nearest(kept *k, answer *a) {
    int64_t ids[SERIES * K];
    float values[SERIES * K];
    const ww_plan_options options = plan_options(k);
    ww_status status =
        k->nearest ? WW_OK : ww_plan_create_nearest(&all.banded, all.rows, NULL, K, &options, &k->nearest);
    if (status == WW_OK)
        status = ww_plan_run_nearest(k->nearest, ids, values);
    if (status == WW_OK) {
        add(a, ids, sizeof ids);
        add(a, values, sizeof values);
    }
    return status;
}

static ww_status paths(kept *k, answer *a) {
    const size_t rows[] = {0, 3, 5}, columns[] = {1, 2, 9};
    ww_paths found = WW_PATHS_INIT;
    ww_plan *plan = NULL;
    const ww_plan_options options = plan_options(k);
    ww_status status = ww_plan_create_paths(&all.dtw, all.rows, all.columns, rows, columns, 3, &options, &plan);
    if (status == WW_OK)
        status = ww_plan_run_paths(plan, &found);
    if (status == WW_OK) {
        add(a, found.offsets, 4 * sizeof *found.offsets);
        add(a, found.cells, 2 * found.offsets[3] * sizeof *found.cells);
    }
    ww_paths_free(&found);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status gradient(kept *k, answer *a) {
    float values[SERIES - 5], rows[SERIES * LENGTH];
    ww_gradient *made = NULL;
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    const ww_output to_values = WW_OUTPUT_HOST(values), to_rows = WW_OUTPUT_HOST(rows);
    options.run = &k->run;
    outputs.values = &to_values;
    outputs.rows = &to_rows;
    memset(rows, 0, sizeof rows);
    size_t index[SERIES - 5];
    for (size_t i = 0; i < SERIES - 5; i++)
        index[i] = i;
    ww_status status =
        ww_gradient_create_pairs(&all.soft, all.rows, all.columns, index, index, SERIES - 5, &options, &made);
    if (status == WW_OK)
        status = ww_gradient_run(made, &outputs);
    if (status == WW_OK)
        status = ww_gradient_finish(made);
    if (status == WW_OK) {
        add(a, values, sizeof values);
        add(a, rows, sizeof rows);
    }
    ww_gradient_destroy(&made);
    return status;
}

static ww_status knn(kept *k, answer *a) {
    int64_t ids[40 * K];
    float values[40 * K];
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    options.run = &k->run;
    ww_status status = k->knn ? WW_OK : ww_knn_create(all.points, all.more, K, &options, &k->knn);
    if (status == WW_OK)
        status = ww_knn_run(k->knn, ids, values, NULL);
    if (status == WW_OK) {
        add(a, ids, sizeof ids);
        add(a, values, sizeof values);
    }
    return status;
}

static ww_status ask(ww_lsh *lsh, answer *a) {
    int64_t ids[40 * K];
    float values[40 * K];
    uint32_t found[40];
    memset(ids, 0, sizeof ids);
    memset(values, 0, sizeof values);
    const ww_status status = ww_lsh_run(lsh, all.more, K, ids, values, found);
    for (size_t q = 0; status == WW_OK && q < 40; q++) {
        add(a, &found[q], sizeof *found);
        add(a, ids + q * K, found[q] * sizeof *ids);
        add(a, values + q * K, found[q] * sizeof *values);
    }
    return status;
}

static ww_lsh_options lsh_options(kept *k) {
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    options.tables = 4;
    options.functions = 5;
    options.run = &k->run;
    return options;
}

static ww_status hash(kept *k, answer *a) {
    const ww_lsh_options options = lsh_options(k);
    const ww_status status = k->lsh ? WW_OK : ww_lsh_create(all.points, &options, &k->lsh);
    return status == WW_OK ? ask(k->lsh, a) : status;
}

// Additions and removals, of an index of its own.
static ww_status change(kept *k, answer *a) {
    const int64_t removed[] = {5, 7, 200, 261};
    const ww_lsh_options options = lsh_options(k);
    ww_lsh *lsh = NULL;
    ww_status status = ww_lsh_create(all.points, &options, &lsh);
    if (status == WW_OK)
        status = ww_lsh_remove(lsh, removed, 2);
    if (status == WW_OK)
        status = ww_lsh_add(lsh, all.more);
    if (status == WW_OK)
        status = ww_lsh_remove(lsh, removed + 2, 2);
    if (status == WW_OK)
        status = ask(lsh, a);
    ww_lsh_destroy(&lsh);
    return status;
}

static ww_status search(kept *k, answer *a) {
    ww_match matches[2 * K];
    size_t found[2];
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    options.k = K;
    options.kind = WW_SEARCH_WINDOWS;
    options.znormalise = 1;
    options.run = &k->run;
    ww_status status =
        k->search ? WW_OK : ww_search_create(wwt_context, &all.banded, &all.queries, &options, &k->search);
    if (status == WW_OK)
        status = ww_search_run(k->search, &all.streams, matches, found);
    if (status == WW_OK)
        add(a, matches, sizeof matches);
    return status;
}

static int take_match(void *user, size_t query, const ww_match *match) {
    add(user, &query, sizeof query);
    add(user, match, sizeof *match);
    return 0;
}

static ww_status push(kept *k, answer *a) {
    ww_search_stream *stream = NULL;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    options.kind = WW_SEARCH_OPEN;
    options.has_threshold = 1;
    options.threshold = 2.5;
    options.run = &k->run;
    ww_status status = ww_search_stream_create(wwt_context, &all.dtw, &all.queries, &options, &stream);
    for (size_t at = 0; status == WW_OK && at < 180; at += 60)
        status = ww_search_stream_push(stream, all.stream_values + at, WW_DOUBLE, 60, take_match, a);
    if (status == WW_OK)
        status = ww_search_stream_finish(stream, take_match, a);
    ww_search_stream_destroy(&stream);
    return status;
}

static ww_status average(kept *k, answer *a) {
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result result = WW_AVERAGE_RESULT_INIT;
    const ww_plan_options plan = plan_options(k);
    options.iterations = 2;
    options.plan = &plan;
    const ww_status status = wwt_average(&all.dtw, all.set, WW_FLOAT, &options, &result);
    if (status == WW_OK)
        add(a, result.centre, result.length * sizeof *result.centre);
    ww_average_result_free(&result);
    return status;
}

static ww_status classify(kept *k, answer *a) {
    ww_classification result = WW_CLASSIFICATION_INIT;
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    const ww_plan_options plan = plan_options(k);
    options.plan = &plan;
    const ww_status status = wwt_classify(&all.banded, all.set, all.set, WW_FLOAT, &options, &result);
    if (status == WW_OK)
        add(a, result.predicted, result.total * sizeof *result.predicted);
    ww_classification_free(&result);
    return status;
}

static ww_status profile(kept *k, answer *a) {
    double distances[STREAM];
    int64_t indices[STREAM];
    ww_profile *made = NULL;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    options.run = &k->run;
    output.distances = distances;
    output.indices = indices;
    ww_status status = ww_profile_create(wwt_context, &all.streams, 0, NULL, 0, QUERY, &options, &made);
    if (status == WW_OK)
        status = ww_profile_run(made, &output);
    if (status == WW_OK) {
        add(a, distances, (STREAM - QUERY + 1) * sizeof *distances);
        add(a, indices, (STREAM - QUERY + 1) * sizeof *indices);
    }
    ww_profile_destroy(&made);
    return status;
}

static ww_status shapelets(kept *k, answer *a) {
    ww_shapelets *model = NULL;
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    int64_t classes[8];
    options.min_length = 3;
    options.max_length = 5;
    options.run = &k->run;
    ww_status status = wwt_shapelets(all.set, &options, &model);
    if (status == WW_OK)
        status = wwt_predict(model, all.set, &k->run, classes, NULL);
    if (status == WW_OK)
        add(a, classes, sizeof classes);
    ww_shapelets_destroy(&model);
    return status;
}

static const struct {
    const char *name;
    ww_status (*run)(kept *k, answer *a);
} jobs[] = {
    {"matrix", matrix},   {"condensed", condensed}, {"blocks", blocks},     {"pairs", pairs},
    {"nearest", nearest}, {"paths", paths},         {"gradient", gradient}, {"knn", knn},
    {"lsh", hash},        {"lsh changed", change},  {"search", search},     {"pushed", push},
    {"average", average}, {"classify", classify},   {"profile", profile},   {"shapelets", shapelets},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

// ---- threads

static answer quiet[JOBS];
static atomic_bool stop;
static atomic_long runs, failures, cancels;

static int count_down(void *user, uint64_t done, uint64_t total) {
    kept *k = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    (void)done;
    return k->calls_left >= 0 && k->calls_left-- == 0;
}

static void drop(kept *k) {
    ww_plan_destroy(&k->plan);
    ww_plan_destroy(&k->nearest);
    ww_knn_destroy(&k->knn);
    ww_lsh_destroy(&k->lsh);
    ww_search_destroy(&k->search);
}

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Sometimes a call soon to come fails, of whichever thread makes it, or this thread's next launch. The layer knows one
// such launch at a time. Gives whether it is this thread's.
static atomic_flag breaking = ATOMIC_FLAG_INIT;

static bool inject(unsigned *random) {
    static const int codes[] = {-5, -6, -30}; // out of resources, out of host memory, invalid value
    const unsigned way = next_random(random) % 16;
    if (way < 3 && layer) {
        atomic_store(&layer->code, codes[way]);
        atomic_store(&layer->fail_at, atomic_load(&layer->calls) + 1 + (long)(next_random(random) % 300));
    } else if (way == 3 && layer && !atomic_flag_test_and_set(&breaking)) {
        atomic_store(&layer->break_thread, (uintptr_t)pthread_self());
        return true;
    }
    return false;
}

// The layer leaves out this thread's launches until one of its waits is done, which may have been made to fail too.
static void mend(void) {
    uint32_t word;
    atomic_store(&layer->break_thread, 0);
    while (wwi_buffer_read(all.word, 0, sizeof word, &word) != WW_OK)
        continue;
    atomic_flag_clear(&breaking);
}

static void *work(void *user) {
    unsigned random = (unsigned)(uintptr_t)user;
    answer *a = malloc(sizeof *a);
    kept k = {.run = WW_RUN_OPTIONS_INIT, .calls_left = -1};
    ck_assert_ptr_nonnull(a);
    k.run.progress = count_down;
    k.run.progress_user = &k;
    while (!atomic_load(&stop)) {
        const size_t job = next_random(&random) % JOBS;
        k.calls_left = next_random(&random) % 6 == 0 ? (long)(next_random(&random) % 4) : -1;
        const bool breaks = inject(&random);
        a->size = 0;
        const ww_status status = jobs[job].run(&k, a);
        const ww_error error = *ww_last_error();
        if (breaks)
            mend();
        atomic_fetch_add(&runs, 1);
        atomic_fetch_add(&failures, status != WW_OK && status != WW_ERROR_CANCELLED);
        atomic_fetch_add(&cancels, status == WW_ERROR_CANCELLED);
        if (status == WW_OK)
            ck_assert_msg(a->size == quiet[job].size && memcmp(a->bytes, quiet[job].bytes, a->size) == 0,
                          "%s: another answer than that of a quiet run", jobs[job].name);
        else
            ck_assert_msg(error.status == status && error.message[0] && status != WW_ERROR_INTERNAL &&
                              (status == WW_ERROR_CANCELLED || layer),
                          "%s: %s: %s", jobs[job].name, ww_status_name(status), error.message);
        if (next_random(&random) % 20 == 0)
            drop(&k);
    }
    drop(&k);
    free(a);
    return NULL;
}

static size_t host_bytes(void) {
    return mallinfo2().uordblks;
}

static void round_of_threads(double seconds) {
    pthread_t threads[THREADS];
    const double begin = wwi_seconds();
    static unsigned salt;
    atomic_store(&stop, false);
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (void *)(i * 7919 + 104729u * ++salt)), 0);
    while (wwi_seconds() - begin < seconds)
        (void)nanosleep(&(struct timespec){0, 20000000}, NULL);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    if (layer)
        atomic_store(&layer->fail_at, 0);
}

// Check counts a test's microseconds in 31 bits. So a longer run is several tests, each on a context of its own.
enum { MOST_SECONDS = 1800 };

static double seconds_wanted(void) {
    const char *given = getenv("WAVEWARP_ENDURANCE_SECONDS"), *whole = getenv("WAVEWARP_TEST_EXHAUSTIVE");
    return given && atof(given) > 0 ? atof(given) : whole && strcmp(whole, "1") == 0 ? 600 : 10;
}

static int tests_wanted(void) {
    return (int)ceil(seconds_wanted() / MOST_SECONDS);
}

START_TEST(mixed_jobs_for_long) {
    static size_t host[RECORDS];
    layer = wwt_in_layer("wwt_fault_control", "nothing is made to fail");
    // The form of GPUs; that of CPUs gives the same bits.
    wwt_ok(wwi_tuning_try(wwt_context, "form.profile", NULL, 1));
    make_sets();
    kept first = {.run = WW_RUN_OPTIONS_INIT, .calls_left = -1};
    for (size_t job = 0; job < JOBS; job++)
        wwt_ok(jobs[job].run(&first, &quiet[job]));
    drop(&first);
    if (layer)
        atomic_store(&layer->dirt, 0x7f800000u); // infinity in float
    const double seconds = seconds_wanted() / tests_wanted(), each = seconds / 10 < 1    ? 1
                                                                     : seconds / 10 > 30 ? 30
                                                                                         : seconds / 10;
    const uint64_t device = wwi_context_bytes_free(wwt_context);
    const double begin = wwi_seconds();
    size_t rounds = 0;
    while (rounds < RECORDS && (rounds < 4 || wwi_seconds() - begin < seconds)) {
        round_of_threads(each);
        host[rounds++] = host_bytes();
        ck_assert_uint_eq(wwi_context_bytes_free(wwt_context), device);
    }
    printf("# %ld runs, %ld failed, %ld cancelled, %zu rounds; bytes of host memory in use after each:",
           atomic_load(&runs), atomic_load(&failures), atomic_load(&cancels), rounds);
    for (size_t i = 0; i < rounds; i++)
        printf(" %zu", host[i]);
    printf("\n");
    fflush(stdout);
    // A driver that compiles something late takes megabytes, once, and what it takes for a while it gives back: a round
    // counts for the least of what is in use after it and later. What is lost in runs is lost in most rounds.
    size_t grown = 0;
    for (size_t i = rounds - 1; i >= rounds / 2; i--) {
        host[i - 1] = host[i - 1] < host[i] ? host[i - 1] : host[i];
        grown += host[i] > host[i - 1] + (1 << 16);
    }
    ck_assert_uint_le(2 * grown, rounds - rounds / 2);
    ck_assert_int_gt(atomic_load(&runs), 0);
    ck_assert_int_gt(atomic_load(&cancels), 0);
    ck_assert(!layer || atomic_load(&failures) > 0);
    // Answers are again those of the beginning.
    kept last = {.run = WW_RUN_OPTIONS_INIT, .calls_left = -1};
    answer *again = malloc(sizeof *again);
    for (size_t job = 0; job < JOBS; job++) {
        again->size = 0;
        wwt_ok(jobs[job].run(&last, again));
        ck_assert_uint_eq(again->size, quiet[job].size);
        ck_assert_int_eq(memcmp(again->bytes, quiet[job].bytes, again->size), 0);
    }
    drop(&last);
    free(again);
    free_sets();
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("endurance");
    TCase *tcase = wwt_case(suite, "endurance", 60 + 2 * seconds_wanted() / tests_wanted());
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    tcase_add_loop_test(tcase, mixed_jobs_for_long, 0, tests_wanted());
    return wwt_run(suite);
}
