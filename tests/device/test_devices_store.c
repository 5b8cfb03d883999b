// SPDX-License-Identifier: Apache-2.0
// Stores: every job x {kept, gone on with after an end, in parts, by parts of which one is gone on with} gives the
// bytes of a context without a store. One table of jobs. Then what stores refuse.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "devices.h"
#include "set_jobs.h"

enum { ROWS = 70, COLUMNS = 60, MOST_BYTES = 1 << 20, PARTS = 3, STREAM = 4000, POINTS = 200 };

static char folder[] = "/tmp/wwt-store-XXXXXX";

// What a job gave.
typedef struct result {
    unsigned char *bytes;
    size_t size;
} result;

static void add(result *r, const void *bytes, size_t size) {
    ck_assert_uint_le(r->size + size, MOST_BYTES);
    if (size)
        memcpy(r->bytes + r->size, bytes, size);
    r->size += size;
}

// ---- the jobs: of the same series each time

static wwt_set rows, columns, stream;
static ww_series_set *bumps;
static double points[POINTS * 4];

static ww_dataset *row_set(ww_context *context) {
    return wwt_group_upload(context, &rows, WW_FLOAT);
}

static ww_dataset *column_set(ww_context *context) {
    return wwt_group_upload(context, &columns, WW_FLOAT);
}

static ww_status matrix_job(ww_context *context, bool self, bool condensed, result *to) {
    static float values[ROWS * ROWS];
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_dataset *a = row_set(context), *b = self ? NULL : column_set(context);
    ww_output output = WW_OUTPUT_HOST(values);
    if (condensed)
        output.layout = WW_LAYOUT_CONDENSED;
    const ww_status status = wwt_run_matrix(&measure, a, b, NULL, &output);
    add(to, values, (condensed ? ROWS * (ROWS - 1) / 2 : self ? ROWS * ROWS : ROWS * COLUMNS) * sizeof *values);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    return status;
}

static ww_status run_matrix(ww_context *context, result *to) {
    return matrix_job(context, false, false, to);
}

static ww_status run_half(ww_context *context, result *to) {
    return matrix_job(context, true, false, to);
}

static ww_status run_condensed(ww_context *context, result *to) {
    return matrix_job(context, true, true, to);
}

static size_t x[400], y[400];

static ww_status run_pairs(ww_context *context, result *to) {
    double values[400];
    const ww_measure measure = wwt_measure(WW_MSM);
    ww_dataset *a = wwt_group_upload(context, &rows, wwt_precision_count() > 1 ? WW_DOUBLE : WW_FLOAT);
    const ww_output output = WW_OUTPUT_HOST(values);
    memset(values, 0, sizeof values);
    const ww_status status = wwt_run_pairs(&measure, a, NULL, x, x + 7, 300, NULL, &output);
    add(to, values, sizeof values);
    ww_dataset_destroy(&a);
    return status;
}

static ww_status run_nearest(ww_context *context, result *to) {
    int64_t ids[ROWS * 2];
    float distances[ROWS * 2];
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_dataset *a = row_set(context);
    const ww_status status = wwt_run_nearest(&measure, a, NULL, 2, NULL, ids, distances);
    add(to, ids, sizeof ids);
    add(to, distances, sizeof distances);
    ww_dataset_destroy(&a);
    return status;
}

static ww_status run_exact(ww_context *context, result *to) {
    int64_t ids[ROWS * 2];
    double distances[ROWS * 2];
    const ww_measure measure = wwt_measure(WW_FRECHET);
    ww_dataset *a = row_set(context), *b = column_set(context);
    const ww_status status = ww_nearest(&measure, a, b, 2, NULL, ids, distances);
    add(to, ids, sizeof ids);
    add(to, distances, sizeof distances);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    return status;
}

static ww_status run_paths(ww_context *context, result *to) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_dataset *a = row_set(context), *b = column_set(context);
    ww_paths paths = WW_PATHS_INIT;
    const ww_status status = wwt_run_paths(&measure, a, b, x, y, 300, NULL, &paths);
    if (status == WW_OK) {
        add(to, paths.distances, paths.count * sizeof *paths.distances);
        add(to, paths.offsets, (paths.count + 1) * sizeof *paths.offsets);
        add(to, paths.cells, paths.offsets[paths.count] * 2 * sizeof *paths.cells);
    }
    ww_paths_free(&paths);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    return status;
}

static ww_status run_gradient(ww_context *context, result *to) {
    static float values[120], slopes[120 * 64];
    ww_measure measure = wwt_measure(WW_DTW);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    const ww_output to_values = WW_OUTPUT_HOST(values), to_slopes = WW_OUTPUT_HOST(slopes);
    ww_dataset *a = row_set(context), *b = column_set(context);
    measure.gamma = 0.5;
    options.per_pair = 1;
    outputs.values = &to_values;
    outputs.rows = &to_slopes;
    const ww_status status = wwt_run_gradient(&measure, a, b, x, y, 120, &options, &outputs);
    size_t total = 0;
    for (size_t i = 0; i < 120; i++)
        total += rows.lengths[x[i]];
    add(to, values, sizeof values);
    add(to, slopes, total * sizeof *slopes);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    return status;
}

static ww_status search_job(ww_context *context, ww_search_kind kind, result *to) {
    enum { QUERIES = 9, K = 4 };
    ww_match matches[QUERIES * K];
    size_t found[QUERIES];
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_series_view queries = wwt_view(&columns);
    const ww_series_view streams = wwt_view(&stream);
    queries.count = QUERIES;
    options.kind = kind;
    options.k = K;
    options.znormalise = kind == WW_SEARCH_WINDOWS;
    memset(matches, 0, sizeof matches);
    const ww_status status = wwt_run_search(context, &measure, &queries, &options, &streams, matches, found);
    add(to, matches, sizeof matches);
    add(to, found, sizeof found);
    return status;
}

static ww_status run_windows(ww_context *context, result *to) {
    return search_job(context, WW_SEARCH_WINDOWS, to);
}

static ww_status run_open(ww_context *context, result *to) {
    return search_job(context, WW_SEARCH_OPEN, to);
}

static ww_status run_profile(ww_context *context, result *to) {
    enum { WINDOW = 20, WINDOWS = STREAM - WINDOW + 1 };
    static double distances[WINDOWS], left[WINDOWS];
    static int64_t indices[WINDOWS];
    const ww_series_view series = wwt_view(&stream);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    ww_profile *profile = NULL;
    options.left_right = 1;
    output.distances = distances;
    output.left_distances = left;
    output.indices = indices;
    wwt_ok(ww_profile_create(context, &series, 0, NULL, 0, WINDOW, &options, &profile));
    const ww_status status = ww_profile_run(profile, &output);
    ww_profile_destroy(&profile);
    add(to, distances, sizeof distances);
    add(to, left, sizeof left);
    add(to, indices, sizeof indices);
    return status;
}

static ww_points *point_set(ww_context *context) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *made = NULL;
    view.values = points;
    view.precision = WW_DOUBLE;
    view.count = POINTS;
    view.dimension = 4;
    wwt_ok(ww_points_create(context, &view, NULL, &made));
    return made;
}

static ww_status run_knn(ww_context *context, result *to) {
    int64_t ids[POINTS * 3];
    float distances[POINTS * 3];
    ww_points *all = point_set(context);
    const ww_status status = wwt_run_knn(all, NULL, 3, NULL, ids, distances);
    add(to, ids, sizeof ids);
    add(to, distances, sizeof distances);
    ww_points_destroy(&all);
    return status;
}

static ww_status run_lsh(ww_context *context, result *to) {
    int64_t ids[POINTS * 3];
    float distances[POINTS * 3];
    uint32_t found[POINTS];
    ww_points *all = point_set(context);
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_lsh *tables = NULL;
    options.width = 0.5;
    wwt_ok(ww_lsh_create(all, &options, &tables));
    const ww_status status = ww_lsh_run(tables, NULL, 3, ids, distances, found);
    add(to, ids, sizeof ids);
    add(to, distances, sizeof distances);
    add(to, found, sizeof found);
    ww_lsh_destroy(&tables);
    ww_points_destroy(&all);
    return status;
}

static ww_status shapelets_job(ww_context *context, bool tree, result *to) {
    ww_dataset_options how = WW_DATASET_OPTIONS_INIT;
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    ww_dataset *data = NULL;
    ww_shapelets *model = NULL;
    how.precision = wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    options.min_length = 6;
    options.length_step = 5;
    options.best = tree ? 0 : 4;
    options.no_tree = !tree;
    options.terms = tree ? 3 : 1;
    wwt_ok(ww_dataset_create_from_set(context, bumps, &how, &data));
    const ww_status status = ww_shapelets_create(data, &options, &model);
    if (status == WW_OK) {
        size_t count;
        unsigned char *bytes = wwt_model_bytes(model, &count);
        add(to, bytes, count);
        free(bytes);
    }
    ww_shapelets_destroy(&model);
    ww_dataset_destroy(&data);
    return status;
}

static ww_status run_best(ww_context *context, result *to) {
    return shapelets_job(context, false, to);
}

static ww_status run_tree(ww_context *context, result *to) {
    return shapelets_job(context, true, to);
}

static const struct {
    const char *name;
    ww_status (*run)(ww_context *context, result *to);
} jobs[] = {{"matrix", run_matrix},   {"matrix", run_half},      {"matrix", run_condensed}, {"pairs", run_pairs},
            {"nearest", run_nearest}, {"neighbours", run_exact}, {"paths", run_paths},      {"gradient", run_gradient},
            {"search", run_windows},  {"search", run_open},      {"profile", run_profile},  {"knn", run_knn},
            {"lsh", run_lsh},         {"shapelets", run_best},   {"shapelets", run_tree}};
enum { JOBS = sizeof jobs / sizeof *jobs };

// It consists of jobs that follow from those before: it has no parts.
static bool follows(int job) {
    return jobs[job].run == run_tree;
}

static void make_inputs(void) {
    const size_t length = STREAM;
    uint64_t seed = 7;
    wwt_seed(0);
    rows = wwt_set_random(1, 10, 40, ROWS);
    columns = wwt_set_random(1, 10, 40, COLUMNS);
    stream = wwt_set_make(1, &length, 1);
    bumps = wwt_set_of_bumps(24, 1, 30, 36, 3, 1, 0);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = wwi_random(&seed) % ROWS, y[i] = wwi_random(&seed) % COLUMNS;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        points[i] = (double)(wwi_random(&seed) % 1000) / 100;
}

static void free_inputs(void) {
    ww_series_set_destroy(&bumps);
    wwt_set_free(&stream);
    wwt_set_free(&columns);
    wwt_set_free(&rows);
}

// ---- contexts with a store

static const char *path_of(int part) {
    static char paths[PARTS + 1][64];
    (void)snprintf(paths[part], sizeof paths[part], "%s/%d", folder, part);
    return paths[part];
}

static ww_store *open_part(int part, int resume) {
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    ww_store *store = NULL;
    options.part = (unsigned)part;
    options.part_count = part ? PARTS : 0;
    options.resume = resume;
    wwt_ok(ww_store_open(path_of(part), &options, &store));
    return store;
}

// By one device and by two in turn.
static ww_status run_with(ww_store *store, int job, result *to) {
    static size_t turn;
    ww_context *context = wwt_group_open_kept(1e-6, 1 + turn++ % 2, store); // a tile is a unit or two
    to->size = 0;
    const ww_status status = jobs[job].run(context, to);
    ww_context_destroy(&context);
    return status;
}

static result empty(void) {
    result r = {malloc(MOST_BYTES), 0};
    ck_assert_ptr_nonnull(r.bytes);
    return r;
}

static void same(const result *a, const result *b) {
    ck_assert_uint_eq(a->size, b->size);
    ck_assert(memcmp(a->bytes, b->bytes, a->size) == 0);
}

static ww_store_info info_of(const ww_store *store) {
    ww_store_info info = WW_STORE_INFO_INIT;
    wwt_ok(ww_store_get_info(store, &info));
    return info;
}

static void cut(const char *path, double share) {
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(truncate(path, (off_t)((double)about.st_size * share)), 0);
}

// A whole store; what an end at any time leaves of it is gone on with; all of it is taken.
static void check_whole(int job, const result *expected) {
    static const double shares[] = {0.03, 0.4, 0.97};
    result got = empty();
    ww_store *store = open_part(0, 0);
    wwt_ok(run_with(store, job, &got));
    same(&got, expected);
    const ww_store_info all = info_of(store);
    ck_assert_str_eq(all.job, jobs[job].name);
    ck_assert(follows(job) ? all.jobs > 1 : all.jobs == 1);
    ck_assert_uint_ge(all.units, 2);
    ck_assert_uint_eq(all.done, all.units);
    ck_assert_uint_eq(all.found_done, 0);
    wwt_ok(ww_store_close(&store, 1));
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        cut(path_of(0), shares[i]);
        store = open_part(0, 1);
        ck_assert_uint_lt(info_of(store).found_done, all.units);
        wwt_ok(run_with(store, job, &got));
        same(&got, expected);
        ck_assert_uint_eq(info_of(store).done, all.units);
        wwt_ok(ww_store_close(&store, 1));
    }
    store = open_part(0, 1);
    ck_assert_uint_eq(info_of(store).found_done, all.units);
    const uint64_t bytes = info_of(store).bytes;
    wwt_ok(run_with(store, job, &got));
    same(&got, expected);
    ck_assert_uint_eq(info_of(store).bytes, bytes);
    wwt_ok(ww_store_close(&store, 0));
    ck_assert_int_ne(access(path_of(0), F_OK), 0);
    free(got.bytes);
}

static void check_no_parts(int job) {
    result got = empty();
    ww_store *store = open_part(1, 0);
    wwt_fails(run_with(store, job, &got), WW_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "has no parts"));
    wwt_ok(ww_store_close(&store, 1));
    ck_assert_int_ne(access(path_of(1), F_OK), 0);
    free(got.bytes);
}

static void check_parts(int job, const result *expected) {
    const char *paths[PARTS];
    result got = empty();
    ww_store *store = NULL;
    uint64_t done = 0;
    for (int part = 1; part <= PARTS; part++) {
        store = open_part(part, 0);
        wwt_fails(run_with(store, job, &got), WW_ERROR_PART);
        ck_assert_uint_eq(info_of(store).done, info_of(store).units);
        done += info_of(store).units;
        wwt_ok(ww_store_close(&store, 1));
        paths[PARTS - part] = path_of(part); // in any order
    }
    wwt_ok(ww_store_open_parts(paths, PARTS, 0, &store));
    ck_assert_uint_eq(info_of(store).done, done);
    wwt_ok(run_with(store, job, &got));
    same(&got, expected);
    ck_assert_uint_eq(info_of(store).units, done);
    wwt_ok(ww_store_close(&store, 0));
    // One that is not complete.
    cut(path_of(2), 0.5);
    wwt_fails(ww_store_open_parts(paths, PARTS, 0, &store), WW_ERROR_FORMAT);
    store = open_part(2, 1);
    wwt_ok(ww_store_close(&store, 1));
    wwt_ok(ww_store_open_parts(paths, PARTS, 0, &store));
    wwt_fails(run_with(store, job, &got), WW_ERROR_FORMAT);
    wwt_ok(ww_store_close(&store, 1));
    store = open_part(2, 1);
    wwt_fails(run_with(store, job, &got), WW_ERROR_PART);
    wwt_ok(ww_store_close(&store, 1));
    wwt_ok(ww_store_open_parts(paths, PARTS, 0, &store));
    wwt_ok(run_with(store, job, &got));
    same(&got, expected);
    wwt_ok(ww_store_close(&store, 1));
    for (int part = 1; part <= PARTS; part++)
        ck_assert_int_eq(unlink(path_of(part)), 0);
    free(got.bytes);
}

START_TEST(jobs_are_kept_and_gone_on_with) {
    result expected = empty();
    make_inputs();
    wwt_ok(jobs[_i].run(wwt_context, &expected));
    ck_assert_ptr_nonnull(mkdtemp(folder));
    check_whole(_i, &expected);
    if (follows(_i))
        check_no_parts(_i);
    else
        check_parts(_i, &expected);
    ck_assert_int_eq(rmdir(folder), 0);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    free_inputs();
    free(expected.bytes);
}
END_TEST

// ---- what is refused

static void write_byte(const char *path, off_t at, unsigned char value) {
    const int file = open(path, O_WRONLY);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pwrite(file, &value, 1, at), 1);
    close(file);
}

static unsigned char read_byte(const char *path, off_t at) {
    unsigned char value = 0;
    const int file = open(path, O_RDONLY);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pread(file, &value, 1, at), 1);
    close(file);
    return value;
}

START_TEST(damaged_stores_are_refused) {
    struct stat about;
    result got = empty();
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    make_inputs();
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ww_store *store = open_part(0, 0);
    wwt_ok(run_with(store, 3, &got));
    // Another one of it.
    ww_store *second = NULL;
    options.resume = 1;
    wwt_fails(ww_store_open(path_of(0), &options, &second), WW_ERROR_IO);
    wwt_ok(ww_store_close(&store, 1));
    options.resume = 0;
    wwt_fails(ww_store_open(path_of(0), &options, &store), WW_ERROR_IO);
    options.resume = 1;
    ck_assert_int_eq(stat(path_of(0), &about), 0);
    for (off_t at = 0; at < about.st_size; at += 1 + about.st_size / 97) {
        const unsigned char was = read_byte(path_of(0), at);
        write_byte(path_of(0), at, was ^ 0x20);
        const ww_status status = ww_store_open(path_of(0), &options, &store);
        // Of the last record nobody can say that it was whole.
        if (status == WW_OK)
            ck_assert_uint_lt(info_of(store).bytes, (uint64_t)about.st_size);
        else
            ck_assert_int_eq(status, WW_ERROR_FORMAT);
        if (status == WW_OK)
            break;
        write_byte(path_of(0), at, was);
    }
    wwt_ok(ww_store_close(&store, 1));
    ck_assert_int_eq(unlink(path_of(0)), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    free_inputs();
    free(got.bytes);
}
END_TEST

START_TEST(stores_of_other_jobs_are_refused) {
    result got = empty();
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    const char *twice[PARTS];
    make_inputs();
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ww_store *store = open_part(0, 0);
    wwt_ok(run_with(store, 3, &got));
    wwt_ok(ww_store_close(&store, 1));
    // Another job; other options; other values.
    store = open_part(0, 1);
    wwt_fails(run_with(store, 6, &got), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "another job: pairs; this is paths"));
    wwt_ok(ww_store_close(&store, 1));
    x[0] = (x[0] + 1) % ROWS;
    store = open_part(0, 1);
    wwt_fails(run_with(store, 3, &got), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "options"));
    wwt_ok(ww_store_close(&store, 1));
    x[0] = (x[0] + ROWS - 1) % ROWS;
    rows.values[5] += 1;
    store = open_part(0, 1);
    wwt_fails(run_with(store, 3, &got), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "inputs"));
    wwt_ok(ww_store_close(&store, 1));
    rows.values[5] -= 1;
    // As a part, and as parts.
    options.resume = 1;
    options.part = 1;
    options.part_count = 2;
    wwt_fails(ww_store_open(path_of(0), &options, &store), WW_ERROR_FORMAT);
    options.part = 3;
    wwt_fails(ww_store_open(path_of(0), &options, &store), WW_ERROR_INVALID_ARGUMENT);
    twice[0] = path_of(0);
    wwt_fails(ww_store_open_parts(twice, 1, 0, &store), WW_ERROR_FORMAT);
    wwt_fails(ww_store_open_parts(twice, 0, 0, &store), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(unlink(path_of(0)), 0);
    for (int part = 1; part < PARTS; part++) {
        store = open_part(part, 0);
        wwt_fails(run_with(store, 3, &got), WW_ERROR_PART);
        wwt_ok(ww_store_close(&store, 1));
        twice[part - 1] = path_of(part);
    }
    wwt_fails(ww_store_open_parts(twice, 2, 0, &store), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "part 3 of 3 is missing"));
    twice[2] = path_of(1);
    wwt_fails(ww_store_open_parts(twice, 3, 0, &store), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "are both part 1"));
    ck_assert_int_eq(unlink(path_of(1)), 0);
    ck_assert_int_eq(unlink(path_of(2)), 0);
    // Nothing is kept of what has no units; no file that can't be.
    options = (ww_store_options)WW_STORE_OPTIONS_INIT;
    wwt_ok(ww_store_open(path_of(0), &options, &store));
    wwt_ok(ww_store_close(&store, 1));
    ck_assert_int_ne(access(path_of(0), F_OK), 0);
    wwt_fails(ww_store_open("/nonexistent/store", &options, &store), WW_ERROR_IO);
    wwt_fails(ww_store_open(folder, &options, &store), WW_ERROR_IO);
    wwt_fails(ww_store_open(NULL, &options, &store), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(rmdir(folder), 0);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    free_inputs();
    free(got.bytes);
}
END_TEST

// ---- processes that share a job: here threads, each with a store and a context of its own

enum { SHARERS = 3 };

typedef struct sharer {
    int number, job;
    ww_status status;
    result got;
    const char *others[SHARERS - 1];
    uint64_t done;
} sharer;

static atomic_uint_least64_t piece;
static pthread_barrier_t all_done;

static uint64_t next_piece(void *user, uint64_t job, uint64_t pieces) {
    (void)user, (void)job, (void)pieces;
    return atomic_fetch_add(&piece, 1);
}

static int wait_for_all(void *user) {
    (void)user;
    (void)pthread_barrier_wait(&all_done);
    return 0;
}

static void *share(void *user) {
    sharer *s = user;
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    ww_store_share of = WW_STORE_SHARE_INIT;
    ww_store *store = NULL;
    ww_context *context = NULL;
    ww_context_options open = WW_CONTEXT_OPTIONS_INIT;
    of.paths = s->others;
    of.count = SHARERS - 1;
    of.pieces = 16;
    of.next = next_piece;
    of.wait = wait_for_all;
    of.whole = s->number == 0;
    options.resume = 1;
    options.share = &of;
    s->status = ww_store_open(path_of(s->number), &options, &store);
    open.store = store;
    open.tile_seconds = 1e-6;
    if (s->status == WW_OK)
        s->status = ww_context_create(&open, &context);
    if (s->status == WW_OK)
        s->status = jobs[s->job].run(context, &s->got);
    ww_context_destroy(&context);
    s->done = store ? info_of(store).done : 0;
    return ww_store_close(&store, 1) == WW_OK ? s : NULL;
}

// The first has the whole, which all of them computed; a store of one that there is no longer counts, too.
START_TEST(processes_share_a_job) {
    static const int shared[] = {0, 2, 4, 10};
    result expected = empty();
    sharer sharers[SHARERS] = {{.number = 0}};
    pthread_t threads[SHARERS];
    make_inputs();
    ck_assert_ptr_nonnull(mkdtemp(folder));
    wwt_ok(jobs[shared[_i]].run(wwt_context, &expected));
    for (int again = 0; again < 2; again++) {
        atomic_init(&piece, 0);
        ck_assert_int_eq(pthread_barrier_init(&all_done, NULL, SHARERS), 0);
        for (int i = 0; i < SHARERS; i++) {
            sharers[i] = (sharer){.number = i, .job = shared[_i], .got = empty()};
            for (int other = 0, at = 0; other < SHARERS; other++)
                if (other != i)
                    sharers[i].others[at++] = path_of(other);
            ck_assert_int_eq(pthread_create(&threads[i], NULL, share, &sharers[i]), 0);
        }
        for (int i = 0; i < SHARERS; i++) {
            void *ended = NULL;
            ck_assert_int_eq(pthread_join(threads[i], &ended), 0);
            ck_assert_ptr_nonnull(ended);
            ck_assert_int_eq(sharers[i].status, i ? WW_ERROR_PART : WW_OK);
        }
        same(&sharers[0].got, &expected);
        ck_assert_int_eq(pthread_barrier_destroy(&all_done), 0);
        for (int i = 0; i < SHARERS; i++)
            free(sharers[i].got.bytes);
        if (again == 0) // one was killed in the middle
            cut(path_of(1), 0.6);
    }
    for (int i = 0; i < SHARERS; i++)
        ck_assert_int_eq(unlink(path_of(i)), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    free_inputs();
    free(expected.bytes);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("devices_store");
    wwt_add(suite, jobs_are_kept_and_gone_on_with, JOBS);
    wwt_add(suite, processes_share_a_job, 4);
    wwt_add(suite, damaged_stores_are_refused, 1);
    wwt_add(suite, stores_of_other_jobs_are_refused, 1);
    return wwt_run(suite);
}
