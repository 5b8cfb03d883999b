// SPDX-License-Identifier: Apache-2.0
// What the tests of several devices share: opening them, jobs in one call, what the devices did, and jobs while
// launches fail.
#ifndef WWT_DEVICES_H
#define WWT_DEVICES_H

#include <math.h>

#include "../fault/fault_layer.h"
#include "../fault/find_layer.h"
#include "support.h"

// At most two devices of the kind of the device under test, which is the first: results are compared byte for byte.
// Where there is no second one, of one device. `store`, or NULL, keeps what they compute. A GPU does the whole of a
// test in the least time of a CPU's tile: there tiles are a thousandth of it.
static inline ww_context *wwt_group_open_kept(double tile_seconds, size_t most, ww_store *store) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_device_info tested = WW_DEVICE_INFO_INIT, info = WW_DEVICE_INFO_INIT;
    ww_device_list *list = NULL;
    ww_context *group = NULL;
    char devices[32];
    wwt_ok(ww_context_get_device_info(wwt_context, &tested));
    (void)snprintf(devices, sizeof devices, "%u", tested.index);
    wwt_ok(ww_device_list_create(&list));
    for (size_t i = 0; i < ww_device_list_count(list) && most > 1 && !strchr(devices, ','); i++) {
        wwt_ok(ww_device_list_get_info(list, i, &info));
        if (info.usable && info.index != tested.index && info.platform_index == tested.platform_index &&
            strcmp(info.name, tested.name) == 0)
            (void)snprintf(devices, sizeof devices, "%u,%u", tested.index, info.index);
    }
    ww_device_list_destroy(&list);
    if (most > 1 && !strchr(devices, ','))
        fprintf(stderr, "one device: there is no second one like %s\n", tested.name);
    options.device = devices;
    const double least = tile_seconds > 0 ? 1e-6 : 0;
    options.tile_seconds = wwt_device_is_gpu() ? fmax(tile_seconds / 1000, least) : tile_seconds;
    options.store = store;
    wwt_ok(ww_context_create(&options, &group));
    return group;
}

static inline ww_context *wwt_group_open(double tile_seconds) {
    return wwt_group_open_kept(tile_seconds, 2, NULL);
}

static inline ww_dataset *wwt_group_upload(ww_context *group, const wwt_set *set, ww_precision precision) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *dataset = NULL;
    const ww_series_view view = wwt_view(set);
    options.precision = precision;
    wwt_ok(ww_dataset_create(group, &view, &options, &dataset));
    return dataset;
}

// A job in one call, as a plan or a search of its own.
static inline ww_status wwt_run_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                       const ww_plan_options *options, const ww_output *to) {
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_matrix(measure, rows, columns, options, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, to);
    ww_plan_destroy(&plan);
    return status;
}

static inline ww_status wwt_run_pairs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, const size_t *x,
                                      const size_t *y, size_t count, const ww_plan_options *options,
                                      const ww_output *to) {
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_pairs(measure, rows, columns ? columns : rows, x, y, count, options, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, to);
    ww_plan_destroy(&plan);
    return status;
}

static inline ww_status wwt_run_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                        const ww_plan_options *options, int64_t *indices, void *distances) {
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_nearest(measure, queries, base, k, options, &plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(plan, indices, distances);
    ww_plan_destroy(&plan);
    return status;
}

static inline ww_status wwt_run_paths(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, const size_t *x,
                                      const size_t *y, size_t count, const ww_plan_options *options, ww_paths *paths) {
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_paths(measure, rows, columns ? columns : rows, x, y, count, options, &plan);
    if (status == WW_OK)
        status = ww_plan_run_paths(plan, paths);
    ww_plan_destroy(&plan);
    return status;
}

static inline ww_status wwt_run_gradient(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                         const size_t *x, const size_t *y, size_t count,
                                         const ww_gradient_options *options, const ww_gradient_outputs *outputs) {
    ww_gradient *gradient = NULL;
    ww_status status =
        ww_gradient_create_pairs(measure, rows, columns ? columns : rows, x, y, count, options, &gradient);
    if (status == WW_OK)
        status = ww_gradient_run(gradient, outputs);
    ww_gradient_destroy(&gradient);
    return status;
}

static ww_search_info wwt_searched; // what the last one did

static inline ww_status wwt_run_search(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                                       const ww_search_options *options, const ww_series_view *streams,
                                       ww_match *matches, size_t *found) {
    ww_search *search = NULL;
    ww_status status = ww_search_create(context, measure, queries, options, &search);
    if (status == WW_OK)
        status = ww_search_run(search, streams, matches, found);
    wwt_searched = (ww_search_info)WW_SEARCH_INFO_INIT;
    if (status == WW_OK)
        wwt_ok(ww_search_get_info(search, &wwt_searched));
    ww_search_destroy(&search);
    return status;
}

static inline ww_status wwt_run_search_source(ww_context *context, const ww_measure *measure,
                                              const ww_series_view *queries, const ww_search_options *options,
                                              const ww_search_source *source, ww_match *matches, size_t *found) {
    ww_search *search = NULL;
    ww_status status = ww_search_create(context, measure, queries, options, &search);
    if (status == WW_OK)
        status = ww_search_run_source(search, source, matches, found);
    ww_search_destroy(&search);
    return status;
}

static inline ww_status wwt_run_knn(ww_points *base, ww_points *queries, size_t k, const ww_knn_options *options,
                                    int64_t *ids, void *distances) {
    ww_knn *search = NULL;
    ww_status status = ww_knn_create(base, queries, k, options, &search);
    if (status == WW_OK)
        status = ww_knn_run(search, ids, distances, NULL);
    ww_knn_destroy(&search);
    return status;
}

static inline double wwt_group_tiles(const ww_context *group, int *lost) {
    double tiles = 0;
    *lost = 0;
    for (size_t i = 0; i < ww_context_device_count(group); i++) {
        ww_device_share info = WW_DEVICE_SHARE_INIT;
        wwt_ok(ww_context_get_share(group, i, &info));
        tiles += (double)info.tiles;
        *lost += info.lost;
        ck_assert(!info.lost == (info.status == WW_OK) && !info.lost == !info.message[0]);
    }
    return tiles;
}

// The tiles that a job has at least: two devices divide it; one does it whole, and counts none.
static inline double wwt_group_least(const ww_context *group) {
    return ww_context_device_count(group) > 1 ? 2 : 0;
}

// A job that is run again and again, while launches fail.
typedef struct wwt_trial {
    ww_context *group;
    ww_status (*run)(struct wwt_trial *trial);
    ww_dataset *data;
    ww_points *points;
    void *more; // of the test
    bool many;  // jobs in a run, of which the shares that are told are the last's
    void *found;
    size_t bytes;
} wwt_trial;

// A launch fails on its device: the others do that device's tile again.
static inline void wwt_group_failures(wwt_trial *t) {
    wwt_fault_table *layer = wwt_in_layer("wwt_fault_control", "no device fails");
    void *whole = malloc(t->bytes);
    int lost = 0, times = 0;
    ck_assert_ptr_nonnull(whole);
    wwt_ok(t->run(t));
    memcpy(whole, t->found, t->bytes);
    for (long at = 1; layer && at <= 20; at++) {
        memset(t->found, 0xff, t->bytes);
        atomic_store(&layer->launches, 0);
        atomic_store(&layer->break_at, at);
        const ww_status status = t->run(t);
        const bool broke = atomic_load(&layer->launches) >= at;
        atomic_store(&layer->break_at, 0);
        (void)wwt_group_tiles(t->group, &lost);
        if (ww_context_device_count(t->group) == 1 && broke) {
            ck_assert_int_eq(status, WW_ERROR_OPENCL);
            continue;
        }
        ck_assert_int_eq(status, WW_OK);
        ck_assert_msg(memcmp(t->found, whole, t->bytes) == 0, "other bytes of %zu, launch %ld, %d lost", t->bytes, at,
                      lost);
        times += t->many ? broke : lost;
    }
    if (layer && ww_context_device_count(t->group) > 1)
        ck_assert_int_gt(times, 3);
    free(whole);
}

#endif
