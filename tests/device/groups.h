// SPDX-License-Identifier: Apache-2.0
// What the tests of groups share: opening them, what their devices did, and jobs while launches fail.
#ifndef WWT_GROUPS_H
#define WWT_GROUPS_H

#include "../fault/fault_layer.h"
#include "../fault/find_layer.h"
#include "support.h"

// Two devices of the kind of the device under test, which is the first: results are compared byte for byte. Where there
// is no second one, a group of one. A GPU does the whole of a test in the least time of a CPU's tile: there tiles are a
// thousandth of it.
static inline ww_group *wwt_group_open(double tile_seconds) {
    ww_group_options options = WW_GROUP_OPTIONS_INIT;
    ww_device_info tested = WW_DEVICE_INFO_INIT, info = WW_DEVICE_INFO_INIT;
    ww_device_list *list = NULL;
    ww_group *group = NULL;
    char devices[32];
    wwt_ok(ww_context_get_device_info(wwt_context, &tested));
    (void)snprintf(devices, sizeof devices, "%u", tested.index);
    wwt_ok(ww_device_list_create(&list));
    for (size_t i = 0; i < ww_device_list_count(list) && !strchr(devices, ','); i++) {
        wwt_ok(ww_device_list_get_info(list, i, &info));
        if (info.usable && info.index != tested.index && info.platform_index == tested.platform_index &&
            strcmp(info.name, tested.name) == 0)
            (void)snprintf(devices, sizeof devices, "%u,%u", tested.index, info.index);
    }
    ww_device_list_destroy(&list);
    if (!strchr(devices, ','))
        fprintf(stderr, "a group of one device: there is no second one like %s\n", tested.name);
    options.devices = devices;
    options.tile_seconds = wwt_device_is_gpu() ? tile_seconds / 1000 : tile_seconds;
    wwt_ok(ww_group_create(&options, &group));
    return group;
}

static inline ww_group_dataset *wwt_group_upload(ww_group *group, const wwt_set *set, ww_precision precision) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_group_dataset *dataset = NULL;
    const ww_series_view view = wwt_view(set);
    options.precision = precision;
    wwt_ok(ww_group_dataset_create(group, &view, &options, &dataset));
    return dataset;
}

static inline double wwt_group_tiles(const ww_group *group, int *lost) {
    double tiles = 0;
    *lost = 0;
    for (size_t i = 0; i < ww_group_count(group); i++) {
        ww_group_info info = WW_GROUP_INFO_INIT;
        wwt_ok(ww_group_get_info(group, i, &info));
        tiles += (double)info.tiles;
        *lost += info.lost;
        ck_assert(!info.lost == (info.status == WW_OK) && !info.lost == !info.message[0]);
    }
    return tiles;
}

// The tiles that a job has at least: two devices divide it.
static inline double wwt_group_least(const ww_group *group) {
    return ww_group_count(group) > 1 ? 2 : 1;
}

// A job that is run again and again, while launches fail.
typedef struct wwt_trial {
    ww_group *group;
    ww_status (*run)(struct wwt_trial *trial);
    ww_group_dataset *data;
    ww_group_points *points;
    void *more; // of the test
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
        const bool broke = atomic_exchange(&layer->break_at, 0) == 0;
        (void)wwt_group_tiles(t->group, &lost);
        if (ww_group_count(t->group) == 1 && broke) {
            ck_assert_int_eq(status, WW_ERROR_OPENCL);
            continue;
        }
        ck_assert_int_eq(status, WW_OK);
        ck_assert(memcmp(t->found, whole, t->bytes) == 0);
        times += lost;
    }
    if (layer && ww_group_count(t->group) > 1)
        ck_assert_int_gt(times, 3);
    free(whole);
}

#endif
