// SPDX-License-Identifier: Apache-2.0
// Shapelets of a tiny set, with a tree, a store that keeps it, and a model file, for the test in which every call fails
// once.
#include <stdio.h>
#include <unistd.h>
#include <wavewarp/shapelets.h>
#include <wavewarp/store.h>

#include "host.h"
#include "scenarios.h"

static ww_status use(const ww_shapelets *made, const char *path) {
    ww_shapelets *read = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_status status = ww_shapelets_write(made, path);
    if (status == WW_OK)
        status = ww_shapelets_read(path, &read);
    if (status == WW_OK)
        status = ww_shapelets_get_info(read, &info);
    if (status == WW_OK && info.nodes != 3)
        status = wwi_fail(WW_ERROR_INTERNAL, "the tree has %zu nodes", info.nodes);
    ww_shapelets_destroy(&read);
    unlink(path);
    // Built without jansson: nothing to read with.
    return status == WW_ERROR_UNSUPPORTED ? WW_OK : status;
}

ww_status wwt_scenario_shapelets(void) {
    static const double values[4][7] = {
        {0, 1, 9, -9, 1, 0, 2}, {1, 0, -9, 9, 2, 1, 0}, {9, -9, 0, 1, 3, 2, 1}, {2, 1, 0, 1, -9, 9, 3}};
    ww_context_options how = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    ww_series_set *set = NULL;
    ww_dataset *data = NULL;
    ww_shapelets *shapelets = NULL;
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    char path[64], kept[64];
    snprintf(path, sizeof path, "fault-%ld.json", (long)getpid());
    snprintf(kept, sizeof kept, "fault-%ld.store", (long)getpid());
    ww_status status = ww_series_set_create(1, &set);
    for (int i = 0; status == WW_OK && i < 4; i++)
        status = ww_series_set_add(set, 7, values[i], i % 2 ? "b" : "a");
    options.max_length = 4;
    if (status == WW_OK)
        status = ww_store_open(kept, NULL, &how.store);
    if (status == WW_OK)
        status = ww_context_create(&how, &context);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(context, set, NULL, &data);
    if (status == WW_OK)
        status = ww_shapelets_create(data, &options, &shapelets);
    if (status == WW_OK)
        status = use(shapelets, path);
    ww_shapelets_destroy(&shapelets);
    ww_dataset_destroy(&data);
    ww_series_set_destroy(&set);
    ww_context_destroy(&context);
    const ww_status closed = ww_store_close(&how.store, 0);
    unlink(kept); // where it could not be opened it may be there
    return status == WW_OK ? closed : status;
}
