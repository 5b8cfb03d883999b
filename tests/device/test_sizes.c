// SPDX-License-Identifier: Apache-2.0
// Products of two counts beyond 32 bits: on a device that says it has 2^44 bytes each job asks for a buffer, or for
// host memory, of just the bytes that the product has, and is refused them. A product in 32 bits would ask for less,
// and go on. Counts of values that are sent: test_limits.c.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../fault/find_layer.h"
#include "device/support.h"

// ---- memory that is refused

enum { MOST = 1 << 28 }; // bytes that are really given
static const unsigned long device_bytes = 1ul << 44;
static atomic_ulong *asked;

static bool host_gives; // as much as is asked for, of which nothing is written: it is a buffer that is to be refused

static bool is_refused(size_t size) {
    if (!asked || size <= MOST || host_gives)
        return false;
    unsigned long most = atomic_load(asked);
    while (size > most && !atomic_compare_exchange_weak(asked, &most, size))
        continue;
    return true;
}

#include "refusing.h"

// ---- the jobs

enum { MANY = 70000, LONG = 70000 };
static void *zeros, *results; // 2^40 bytes of address space each, of which nothing is written but results
static ww_context *context;
static ww_dataset *many, *longs; // series of one point; two of LONG
static ww_points *points;        // MANY of one coordinate

static ww_series_view series(size_t count, size_t length) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = zeros;
    view.count = count;
    view.length = length;
    return view;
}

static ww_points *make_points(size_t count, size_t dimension, ww_status *status) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *made = NULL;
    view.values = zeros;
    view.count = count;
    view.dimension = dimension;
    *status = ww_points_create(context, &view, NULL, &made);
    return made;
}

static ww_status matrix(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(&measure, many, many, NULL, &plan);
    if (status == WW_OK)
        status = wwt_plan_run(plan, results);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status half_a_matrix(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(&measure, many, NULL, NULL, &plan);
    if (status == WW_OK)
        status = wwt_plan_run_condensed(plan, results);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status rectangle(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_output to = WW_OUTPUT_HOST(results);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(&measure, many, many, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run_rectangle(plan, 0, 65536, 0, 32768, &to);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status nearest(size_t k) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_nearest(&measure, many, many, k, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(plan, results, NULL);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status lists_of_neighbours(void) {
    return nearest(40000);
}
static ww_status block_of_neighbours(void) {
    return nearest(3);
}

static ww_status topk(size_t rows, size_t columns, size_t k) {
    ww_topk *made = NULL;
    const ww_status status = ww_topk_create(context, rows, columns, k, NULL, &made);
    ww_topk_destroy(&made);
    return status;
}

static ww_status rows_of_a_selection(void) {
    return topk(1 << 17, (1 << 16) + 1, 1);
}
static ww_status lists_of_a_selection(void) {
    return topk(1 << 17, 1, (1 << 16) + 1);
}

static ww_status hashed(uint32_t tables, uint32_t functions, size_t dimension) {
    ww_status status;
    ww_points *made = dimension == 1 ? points : make_points(4, dimension, &status);
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_lsh *lsh = NULL;
    options.tables = tables;
    options.functions = functions;
    options.width = 1;
    options.path = WW_LSH_BUCKETS;
    status = ww_lsh_create(made, &options, &lsh);
    ww_lsh_destroy(&lsh);
    if (made != points)
        ww_points_destroy(&made);
    return status;
}

static ww_status entries_of_tables(void) {
    return hashed(20000, 2, 1);
}
static ww_status coefficients_of_tables(void) {
    return hashed(1024, 64, 65537);
}

static ww_status cells_of_a_path(void) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_paths path = WW_PATHS_INIT;
    const ww_status status = ww_path(context, &measure, zeros, 1 << 20, zeros, 1 << 20, 1, &path);
    ww_paths_free(&path);
    return status;
}

static ww_status cells_of_a_gradient(void) {
    ww_measure measure = wwt_measure(WW_DTW);
    const size_t one = 0, other = 1;
    const ww_output values = WW_OUTPUT_HOST(results);
    ww_gradient *gradient = NULL;
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    outputs.rows = &values;
    measure.gamma = 1;
    ww_status status = ww_gradient_create_pairs(&measure, longs, longs, &one, &other, 1, NULL, &gradient);
    if (status == WW_OK)
        status = ww_gradient_run(gradient, &outputs);
    if (status == WW_OK)
        status = ww_gradient_finish(gradient);
    ww_gradient_destroy(&gradient);
    return status;
}

static const struct {
    const char *name;
    ww_status (*run)(void);
    double bytes; // the least that one of its requests has
    bool host;    // host memory of as many bytes is given before
} jobs[] = {
    {"rows x columns of a matrix", matrix, 8e9, false},
    {"rows x columns on the device", matrix, 8e9, true},
    {"rows x columns of a rectangle on the device", rectangle, 4294967296.0, true},
    {"rows x columns of half a matrix", half_a_matrix, 4294967296.0, false},
    {"rows x columns of a rectangle", rectangle, 4294967296.0, false},
    {"rows x columns of neighbours", block_of_neighbours, 8e9, false},
    {"rows x neighbours", lists_of_neighbours, 4.0 * 30000 * 40000, false},
    {"rows x columns to select from", rows_of_a_selection, 4.0 * (1 << 17) * ((1 << 16) + 1), false},
    {"rows x selected ones", lists_of_a_selection, 4.0 * (1 << 17) * ((1 << 16) + 1), false},
    {"tables x points", entries_of_tables, 4.0 * 20000 * 65536, false},
    {"tables x functions x coordinates", coefficients_of_tables, 4.0 * 1024 * 64 * 65537, false},
    {"points x points of a path", cells_of_a_path, 4.5e9, false},
    {"points x points of a gradient", cells_of_a_gradient, 4.5e9, false},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void check(size_t i) {
    printf("# %s\n", jobs[i].name);
    fflush(stdout);
    atomic_store(asked, 0);
    host_gives = jobs[i].host;
    const ww_status status = jobs[i].run();
    const double most = (double)atomic_load(asked);
    printf("# %s: %s, %.0f bytes\n", jobs[i].name, ww_status_name(status), most);
    ck_assert_msg(status == WW_ERROR_OUT_OF_MEMORY || status == WW_ERROR_DEVICE_MEMORY, "%s: %s", jobs[i].name,
                  ww_status_name(status));
    ck_assert_msg(most >= jobs[i].bytes, "%s: asked for %.0f bytes, not %.0f", jobs[i].name, most, jobs[i].bytes);
}

START_TEST(products_have_64_bits) {
    ww_status status;
    // The layer is loaded with the first call.
    wwt_ok(ww_context_create(NULL, &context));
    ww_context_destroy(&context);
    atomic_ulong *bytes = wwt_in_layer("wwt_small_bytes", "sizes on a large device");
    if (!bytes)
        return;
    atomic_store(bytes, device_bytes);
    atomic_store((atomic_ulong *)wwt_in_layer("wwt_small_refused", ""), MOST);
    zeros = mmap(NULL, 1ul << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    results = mmap(NULL, 1ul << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(zeros != MAP_FAILED && results != MAP_FAILED);
    const ww_series_view short_ones = series(MANY, 1), long_ones = series(2, LONG);
    wwt_ok(ww_context_create(NULL, &context));
    wwt_ok(ww_dataset_create(context, &short_ones, NULL, &many));
    wwt_ok(ww_dataset_create(context, &long_ones, NULL, &longs));
    points = make_points(MANY, 1, &status);
    wwt_ok(status);
    asked = wwt_in_layer("wwt_small_asked", "");
    check((size_t)_i);
    ww_points_destroy(&points);
    ww_dataset_destroy(&many);
    ww_dataset_destroy(&longs);
    ww_context_destroy(&context);
    munmap(zeros, 1ul << 40);
    munmap(results, 1ul << 40);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("sizes");
    TCase *tcase = wwt_case(suite, "sizes", 60);
    tcase_add_loop_test(tcase, products_have_64_bits, 0, JOBS);
    return wwt_run(suite);
}
