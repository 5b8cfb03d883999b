// SPDX-License-Identifier: Apache-2.0
// Sizes beyond every limit, and a device far smaller than the work: a clear status and nothing left behind, or the
// answer of a large device. Host memory above half a gigabyte is refused here, so that a machine of any size
// does the same; the values are a mapping of zeros that takes no memory.
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../fault/find_layer.h"
#include "device/support.h"
#include "host.h"

#define TWO_31 ((size_t)1 << 31)
#define TWO_32 ((size_t)1 << 32)
#define TWO_40 ((size_t)1 << 40)

// ---- an allocator that refuses what is large

static const size_t most_host = (size_t)1 << 29;
static atomic_long refused;

static bool is_refused(size_t size) {
    if (size <= most_host)
        return false;
    atomic_fetch_add(&refused, 1);
    return true;
}

#include "refusing.h"

// ---- what is beyond every limit

static const void *zeros;         // 2^36 bytes
static ww_dataset *points_of_one; // 70 000 series of one point: 4.9 * 10^9 pairs
enum { MANY = 70000 };

static ww_series_view series(size_t count, size_t length, size_t channels) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = zeros;
    view.count = count;
    view.length = length;
    view.channels = channels;
    return view;
}

static ww_status dataset(size_t count, size_t length, size_t channels) {
    const ww_series_view view = series(count, length, channels);
    ww_dataset *made = NULL;
    const ww_status status = ww_dataset_create(wwt_context, &view, NULL, &made);
    ck_assert((status == WW_OK) == (made != NULL));
    ww_dataset_destroy(&made);
    return status;
}

static ww_status series_of_2_31(void) {
    return dataset(1, TWO_31, 1);
}
static ww_status the_longest_series(void) {
    return dataset(1, 0x7fff0000u, 1);
}
static ww_status series_of_2_32(void) {
    return dataset(1, TWO_32 + 3, 1); // 3 in 32 bits
}
static ww_status count_of_2_31(void) {
    return dataset(TWO_31, 1, 1);
}
static ww_status count_below_2_31(void) {
    return dataset(TWO_31 - 1, 1, 1);
}
static ww_status count_of_2_32(void) {
    return dataset(TWO_32 + 1, 1, 1);
}
static ww_status values_of_2_50(void) {
    return dataset((size_t)1 << 20, (size_t)1 << 30, 1);
}
static ww_status values_beyond_64_bits(void) {
    return dataset((size_t)1 << 20, (size_t)1 << 30, TWO_31 - 1);
}

static ww_status points(ww_point_kind kind, size_t count, size_t dimension) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *made = NULL;
    view.kind = kind;
    view.values = zeros;
    view.offsets = zeros;
    view.count = count;
    view.dimension = dimension;
    const ww_status status = ww_points_create(wwt_context, &view, NULL, &made);
    ck_assert((status == WW_OK) == (made != NULL));
    ww_points_destroy(&made);
    return status;
}

static ww_status points_of_2_31(void) {
    return points(WW_POINTS_NUMBERS, TWO_31, 1);
}
static ww_status points_of_2_32(void) {
    return points(WW_POINTS_NUMBERS, TWO_32 + 1, 1);
}
static ww_status points_that_do_not_fit(void) {
    return points(WW_POINTS_NUMBERS, (size_t)1 << 20, 1 << 24); // 64 TiB: more than any device has
}
static ww_status coordinates_of_2_32(void) {
    return points(WW_POINTS_NUMBERS, 2, TWO_32 + 1);
}
static ww_status bits_of_2_40(void) {
    return points(WW_POINTS_BITS, (size_t)1 << 20, 1 << 20);
}
static ww_status sets_of_nothing(void) {
    return points(WW_POINTS_SETS, (size_t)1 << 26, 0);
}

static ww_status listed(size_t count) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    const ww_status status =
        ww_plan_create_pairs(&measure, points_of_one, points_of_one, zeros, zeros, count, NULL, &plan);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status pairs_of_2_31(void) {
    return listed(TWO_31);
}
static ww_status pairs_of_2_32(void) {
    return listed(TWO_32 + 1);
}
static ww_status pairs_below_2_31(void) {
    return listed(TWO_31 - 1);
}

// Their results have more bytes than 64 bits count, so nothing is computed.
static ww_status neighbours_of_2_48(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    const ww_status status = ww_plan_create_nearest(&measure, points_of_one, NULL, ((size_t)1 << 48) + 1, NULL, &plan);
    ww_plan_destroy(&plan);
    return status;
}

// The first block is delivered, and that is all.
static int take_none(void *user, size_t row, size_t row_count, size_t column, size_t column_count, const void *values) {
    (void)user;
    ck_assert(values && row + row_count <= MANY && column + column_count <= MANY && row_count && column_count);
    return 1;
}

static ww_status matrix_of_2_32(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    run.max_bytes = 1 << 20;
    options.run = &run;
    ww_status status = ww_plan_create_matrix(&measure, points_of_one, NULL, &options, &plan);
    if (status == WW_OK) {
        ww_plan_info info = WW_PLAN_INFO_INIT;
        wwt_ok(ww_plan_get_info(plan, &info));
        ck_assert_uint_eq(info.pairs, (uint64_t)MANY * (MANY - 1) / 2);
        status = ww_plan_run_blocks(plan, take_none, NULL);
    }
    ww_plan_destroy(&plan);
    return status;
}

static ww_status device_result_too_small(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    ww_buffer *buffer = NULL;
    ww_output output = WW_OUTPUT_INIT;
    wwt_ok(ww_buffer_create(wwt_context, 1 << 20, &buffer));
    output.device = buffer;
    ww_status status = ww_plan_create_matrix(&measure, points_of_one, NULL, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, &output);
    ww_plan_destroy(&plan);
    ww_buffer_destroy(&buffer);
    return status;
}

static ww_status buffer_of_2_40(void) {
    ww_buffer *buffer = NULL;
    const ww_status status = ww_buffer_create(wwt_context, TWO_40, &buffer);
    ck_assert_ptr_null(buffer);
    return status;
}

static ww_status selection_of_2_40_rows(void) {
    ww_topk *topk = NULL;
    const ww_status status = ww_topk_create(wwt_context, TWO_40, TWO_31 - 1, 5, NULL, &topk);
    ww_topk_destroy(&topk);
    return status;
}

static int stop(void *user, uint64_t done, uint64_t total) {
    if (total <= 1) // a compile, before the work is counted
        return 0;
    (void)user, (void)done;
    ck_assert_uint_ge(total, TWO_32);
    return 1;
}

// 2^32 points and some, searched as far as the first look at the progress.
static ww_status search_in(size_t length) {
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_series_view queries = series(1, 8, 1), streams = series(1, length, 1);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_match match;
    run.progress = stop;
    options.kind = WW_SEARCH_OPEN;
    options.k = 1;
    options.run = &run;
    ww_status status = ww_search_create(wwt_context, &measure, &queries, &options, &search);
    if (status == WW_OK)
        status = ww_search_run(search, &streams, &match, NULL);
    ww_search_destroy(&search);
    return status;
}

static ww_status stream_of_2_32(void) {
    return search_in(TWO_32 + 5);
}

static ww_status query_of_2_31(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_series_view queries = series(1, TWO_31, 1);
    ww_search *search = NULL;
    const ww_status status = ww_search_create(wwt_context, &measure, &queries, NULL, &search);
    ww_search_destroy(&search);
    return status;
}

static ww_status profile_of(size_t length) {
    const ww_series_view view = series(1, length, 1);
    ww_profile *profile = NULL;
    const ww_status status = ww_profile_create(wwt_context, &view, 0, NULL, 0, 16, NULL, &profile);
    ww_profile_destroy(&profile);
    return status;
}

static ww_status profile_of_2_31(void) {
    return profile_of(TWO_31);
}
static ww_status profile_of_2_32(void) {
    return profile_of(TWO_32 + 100);
}

static ww_status distance_of_2_32(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    double distance = 0;
    return ww_distance(wwt_context, &measure, zeros, TWO_32 + 1, zeros, 1, 1, &distance);
}

static ww_status path_of_2_32(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_paths path = WW_PATHS_INIT;
    const ww_status status = ww_path(wwt_context, &measure, zeros, TWO_32 + 1, zeros, 1, 1, &path);
    ck_assert_ptr_null(path.cells);
    return status;
}

static ww_status generated_of_2_40(void) {
    ww_generate_options options = WW_GENERATE_OPTIONS_INIT;
    ww_series_set *set = NULL;
    options.count = 1;
    options.length = TWO_40;
    const ww_status status = ww_series_set_generate(WW_GENERATE_SINE, &options, &set);
    ck_assert_ptr_null(set);
    return status;
}

// A file of holes.
static ww_status read_of_2_32(void) {
    char path[] = "/tmp/wavewarp-limits-XXXXXX";
    ww_series_set *set = NULL;
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(ftruncate(file, (off_t)(TWO_32 + 128)), 0);
    const ww_status status = ww_series_set_read(path, NULL, &set);
    ck_assert_ptr_null(set);
    close(file);
    unlink(path);
    return status;
}

static ww_status tables_of_2_32(void) {
    float values[64] = {0};
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *few = NULL;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_lsh *lsh = NULL;
    for (size_t i = 0; i < 64; i++)
        values[i] = (float)i;
    view.values = values;
    view.count = 32;
    view.dimension = 2;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &few));
    options.tables = UINT32_MAX;
    options.functions = 64;
    const ww_status status = ww_lsh_create(few, &options, &lsh);
    ck_assert_ptr_null(lsh);
    ww_points_destroy(&few);
    return status;
}

enum { NONE = -1 };
static const struct {
    const char *name;
    ww_status (*run)(void);
    int expected[3]; // one of these
} beyond[] = {
#define MEMORY WW_ERROR_OUT_OF_MEMORY, WW_ERROR_DEVICE_MEMORY
    {"a series of 2^31 points", series_of_2_31, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"the longest series", the_longest_series, {MEMORY, WW_OK}}, // sent from where it is
    {"a series of 2^32 points", series_of_2_32, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^31 series", count_of_2_31, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^31-1 series", count_below_2_31, {MEMORY, NONE}},
    {"2^32 series", count_of_2_32, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^50 values", values_of_2_50, {MEMORY, NONE}},
    {"2^81 values", values_beyond_64_bits, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^31 points", points_of_2_31, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^32 points", points_of_2_32, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"points that do not fit", points_that_do_not_fit, {MEMORY, NONE}},
    {"2^32 coordinates", coordinates_of_2_32, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^40 bits", bits_of_2_40, {MEMORY, NONE}},
    {"2^26 sets", sets_of_nothing, {MEMORY, NONE}},
    {"2^31 pairs", pairs_of_2_31, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^32 pairs", pairs_of_2_32, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^31-1 pairs", pairs_below_2_31, {MEMORY, NONE}},
    {"2^48 neighbours", neighbours_of_2_48, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"a matrix of 2^32 values", matrix_of_2_32, {WW_ERROR_CANCELLED, NONE, NONE}},
    {"a result that the buffer can't hold", device_result_too_small, {WW_ERROR_INVALID_ARGUMENT, NONE, NONE}},
    {"a buffer of 2^40 bytes", buffer_of_2_40, {MEMORY, NONE}},
    {"2^40 rows to select from", selection_of_2_40_rows, {WW_ERROR_OVERFLOW, MEMORY}},
    {"a stream of 2^32 points", stream_of_2_32, {WW_ERROR_CANCELLED, NONE, NONE}},
    {"a query of 2^31 points", query_of_2_31, {WW_ERROR_OVERFLOW, MEMORY}},
    {"a profile of 2^31 points", profile_of_2_31, {WW_ERROR_OVERFLOW, MEMORY}},
    {"a profile of 2^32 points", profile_of_2_32, {WW_ERROR_OVERFLOW, MEMORY}},
    {"a distance of 2^32 points", distance_of_2_32, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"a path of 2^32 points", path_of_2_32, {WW_ERROR_OVERFLOW, NONE, NONE}},
    {"2^40 generated points", generated_of_2_40, {WW_ERROR_OVERFLOW, WW_ERROR_OUT_OF_MEMORY, NONE}},
    {"a file of 2^32 bytes", read_of_2_32, {WW_ERROR_OUT_OF_MEMORY, NONE, NONE}},
    {"2^32 tables", tables_of_2_32, {WW_ERROR_INVALID_ARGUMENT, NONE, NONE}},
};
enum { BEYOND = sizeof beyond / sizeof *beyond };

static void check_beyond(size_t i) {
    printf("# %s\n", beyond[i].name); // where it hangs, if it does
    fflush(stdout);
    (void)beyond[i].run(); // what a first call keeps is kept
    const uint64_t device = wwi_context_bytes_free(wwt_context);
    const long objects = wwi_live_objects();
    const ww_status status = beyond[i].run();
    const ww_error *error = ww_last_error();
    bool fits = false;
    for (size_t k = 0; k < 3; k++)
        fits = fits || (int)status == beyond[i].expected[k];
    ck_assert_msg(fits, "%s: %s: %s", beyond[i].name, ww_status_name(status), status == WW_OK ? "" : error->message);
    if (status != WW_OK)
        ck_assert_int_eq(error->status, status);
    ck_assert_str_ne(error->message, "");
    ck_assert_msg(wwi_context_bytes_free(wwt_context) == device && wwi_live_objects() == objects, "%s: left something",
                  beyond[i].name);
}

START_TEST(sizes_beyond_limits) {
    zeros = mmap(NULL, (size_t)1 << 36, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(zeros != MAP_FAILED);
    const ww_series_view view = series(MANY, 1, 1);
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &points_of_one));
    for (size_t i = 0; i < BEYOND; i++)
        check_beyond(i);
    ck_assert_int_gt(atomic_load(&refused), 0);
    // The context goes on.
    const ww_measure measure = wwt_measure(WW_DTW);
    const double x[] = {1, 2}, y[] = {1, 4};
    double distance = 0;
    wwt_ok(ww_distance(wwt_context, &measure, x, 2, y, 2, 1, &distance));
    ck_assert(distance == 4);
    ww_dataset_destroy(&points_of_one);
    munmap((void *)zeros, (size_t)1 << 36);
}
END_TEST

// ---- a device far smaller than the work

// Every job on the device as it is, then on one of 6 MiB: the same bits, or word that its memory is too small.
enum { SERIES = 5000, LENGTH = 500, SHORT = 16, ROWS = 1500, QUERIES = 200, DIMENSION = 24, POINTS = 90000 };
enum { STREAM = 2000000, PROFILE = 20000, WINDOW = 64, K = 5, SMALL = 6 << 20 };

static struct {
    float *series, *points;
    double *stream;
} values;

static ww_context *small_context;

static ww_dataset *small_dataset(size_t count, size_t length) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset *made = NULL;
    view.values = values.series;
    view.count = count;
    view.length = length;
    wwt_ok(ww_dataset_create(small_context, &view, NULL, &made));
    return made;
}

static ww_points *small_points(size_t count) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *made = NULL;
    view.values = values.points;
    view.count = count;
    view.dimension = DIMENSION;
    wwt_ok(ww_points_create(small_context, &view, NULL, &made));
    return made;
}

// Each writes its answer's bytes to `to`, at most ANSWER.
#define ANSWER ((size_t)ROWS * ROWS * sizeof(float))

static ww_measure banded(void) {
    ww_measure measure = wwt_measure(WW_DTW);
    measure.band.kind = WW_BAND_SAKOE_CHIBA;
    measure.band.width = 4;
    return measure;
}

// Results larger than the device.
static ww_status whole_matrix(unsigned char *to) {
    const ww_measure measure = banded();
    ww_dataset *set = small_dataset(ROWS, SHORT);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(&measure, set, NULL, NULL, &plan);
    if (status == WW_OK)
        status = wwt_plan_run(plan, to);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&set);
    return status;
}

// Series larger than the device.
static ww_status long_pairs(unsigned char *to) {
    const ww_measure measure = banded();
    ww_dataset *set = small_dataset(SERIES, LENGTH);
    size_t *index = malloc(2 * SERIES * sizeof *index), *others = index + SERIES;
    ww_plan *plan = NULL;
    ck_assert_ptr_nonnull(index);
    for (size_t i = 0; i < SERIES; i++) {
        index[i] = i;
        others[i] = i * 7 % SERIES;
    }
    ww_status status = ww_plan_create_pairs(&measure, set, set, index, others, SERIES, NULL, &plan);
    if (status == WW_OK)
        status = wwt_plan_run(plan, to);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&set);
    free(index);
    return status;
}

static ww_status nearest_series(unsigned char *to) {
    const ww_measure measure = banded();
    ww_dataset *set = small_dataset(ROWS, SHORT);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_nearest(&measure, set, NULL, K, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(plan, (int64_t *)(void *)to, to + ROWS * K * sizeof(int64_t));
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&set);
    return status;
}

static ww_status long_paths(unsigned char *to) {
    const ww_measure measure = wwt_measure(WW_DTW);
    const size_t rows[] = {0, 9, 250}, columns[] = {7, 200, 1};
    ww_dataset *set = small_dataset(300, LENGTH);
    ww_plan *plan = NULL;
    ww_paths paths = WW_PATHS_INIT;
    ww_status status = ww_plan_create_paths(&measure, set, set, rows, columns, 3, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run_paths(plan, &paths);
    if (status == WW_OK)
        memcpy(to, paths.cells, 2 * paths.offsets[3] * sizeof *paths.cells);
    ww_paths_free(&paths);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&set);
    return status;
}

static ww_status gradients(unsigned char *to) {
    ww_measure measure = wwt_measure(WW_DTW);
    ww_dataset *set = small_dataset(20, LENGTH);
    ww_gradient *gradient = NULL;
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    const ww_output rows = WW_OUTPUT_HOST(to);
    measure.gamma = 1;
    outputs.rows = &rows;
    // Of each series with itself.
    ww_status status = ww_gradient_create_pairs(&measure, set, set, NULL, NULL, 20, NULL, &gradient);
    if (status == WW_OK)
        status = ww_gradient_run(gradient, &outputs);
    if (status == WW_OK)
        status = ww_gradient_finish(gradient);
    ww_gradient_destroy(&gradient);
    ww_dataset_destroy(&set);
    return status;
}

static ww_status nearest_points(unsigned char *to) {
    ww_points *base = small_points(POINTS), *queries = small_points(QUERIES);
    ww_knn *knn = NULL;
    ww_status status = ww_knn_create(base, queries, K, NULL, &knn);
    if (status == WW_OK)
        status = ww_knn_run(knn, (int64_t *)(void *)to, to + QUERIES * K * sizeof(int64_t), NULL);
    ww_knn_destroy(&knn);
    ww_points_destroy(&base);
    ww_points_destroy(&queries);
    return status;
}

static ww_status hashed_points(unsigned char *to) {
    ww_points *base = small_points(POINTS), *queries = small_points(QUERIES);
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_lsh *lsh = NULL;
    uint32_t found[QUERIES];
    options.tables = 6;
    options.functions = 12;
    options.width = 4;
    options.path = WW_LSH_BUCKETS;
    ww_status status = ww_lsh_create(base, &options, &lsh);
    if (status == WW_OK)
        status = ww_lsh_run(lsh, queries, K, (int64_t *)(void *)to, to + QUERIES * K * sizeof(int64_t), found);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&base);
    ww_points_destroy(&queries);
    return status;
}

static ww_status search_stream(unsigned char *to) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_series_view queries = WW_SERIES_VIEW_INIT, streams;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    queries.values = values.stream + 1000;
    queries.precision = WW_DOUBLE;
    queries.count = 3;
    queries.length = WINDOW;
    streams = queries;
    streams.values = values.stream;
    streams.count = 1;
    streams.length = STREAM;
    options.kind = WW_SEARCH_OPEN;
    options.k = K;
    ww_status status = ww_search_create(small_context, &measure, &queries, &options, &search);
    if (status == WW_OK)
        status = ww_search_run(search, &streams, (ww_match *)(void *)to, NULL);
    ww_search_destroy(&search);
    return status;
}

static ww_status own_profile(unsigned char *to) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_profile *profile = NULL;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    view.values = values.stream;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.length = PROFILE;
    output.distances = (double *)(void *)to;
    output.indices = (int64_t *)(void *)(to + PROFILE * sizeof(double));
    ww_status status = ww_profile_create(small_context, &view, 0, NULL, 0, WINDOW, NULL, &profile);
    if (status == WW_OK)
        status = ww_profile_run(profile, &output);
    ww_profile_destroy(&profile);
    return status;
}

static const struct {
    const char *name;
    ww_status (*run)(unsigned char *to);
    bool same; // hashing asks other buckets where its tables are built in blocks (README)
} large[] = {
    {"matrix", whole_matrix, true}, {"pairs", long_pairs, true},     {"nearest", nearest_series, true},
    {"paths", long_paths, true},    {"gradient", gradients, true},   {"knn", nearest_points, true},
    {"lsh", hashed_points, false},  {"search", search_stream, true}, {"profile", own_profile, true},
};
enum { LARGE = sizeof large / sizeof *large };

static void make_values(void) {
    wwt_seed(1502);
    values.series = malloc((size_t)SERIES * LENGTH * sizeof(float));
    values.points = malloc((size_t)POINTS * DIMENSION * sizeof(float));
    values.stream = malloc((size_t)STREAM * sizeof(double));
    ck_assert(values.series && values.points && values.stream);
    for (size_t i = 0; i < (size_t)SERIES * LENGTH; i++)
        values.series[i] = (float)wwt_random();
    for (size_t i = 0; i < (size_t)POINTS * DIMENSION; i++)
        values.points[i] = (float)wwt_random();
    double walk = 0;
    for (size_t i = 0; i < STREAM; i++)
        values.stream[i] = walk = 0.99 * walk + wwt_random();
}

START_TEST(a_small_device) {
    unsigned char *expected[LARGE], *given = malloc(ANSWER);
    wwt_ok(ww_context_create(NULL, &small_context));
    atomic_ulong *bytes = wwt_in_layer("wwt_small_bytes", "jobs on a small device");
    if (!bytes) {
        ww_context_destroy(&small_context);
        free(given);
        return;
    }
    make_values();
    for (size_t i = 0; i < LARGE; i++) {
        expected[i] = calloc(1, ANSWER);
        ck_assert(expected[i] && given);
        wwt_ok(large[i].run(expected[i]));
    }
    ww_context_destroy(&small_context); // what it keeps too
    atomic_store(bytes, SMALL);
    wwt_ok(ww_context_create(NULL, &small_context));
    for (size_t i = 0; i < LARGE; i++) {
        memset(given, 0, ANSWER);
        const ww_status status = large[i].run(given);
        ck_assert_msg(status == WW_OK, "%s: %s: %s", large[i].name, ww_status_name(status), ww_last_error()->message);
        ck_assert_msg(!large[i].same || memcmp(given, expected[i], ANSWER) == 0,
                      "%s: another answer than that of the whole device", large[i].name);
        free(expected[i]);
    }
    const uint64_t room = wwi_context_bytes_free(small_context);
    ck_assert_msg(room <= SMALL && room >= SMALL / 8 * 7, "%llu bytes are free at the end", (unsigned long long)room);
    ww_context_destroy(&small_context);
    atomic_store(bytes, 0);
    ck_assert_int_eq(wwi_live_objects(), 0);
    free(values.series);
    free(values.points);
    free(values.stream);
    free(given);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("limits");
    TCase *beyond_case = wwt_case(suite, "beyond", 60), *small = wwt_case(suite, "small", 120);
    tcase_add_checked_fixture(beyond_case, wwt_context_setup, wwt_context_teardown);
    tcase_add_test(beyond_case, sizes_beyond_limits);
    tcase_add_test(small, a_small_device);
    return wwt_run(suite);
}
