// SPDX-License-Identifier: Apache-2.0
// Discovery, inside: what grows (shapelet_tree.c), what it takes (shapelet_options.c), what an interrupted run leaves
// (shapelet_resume.c), and who searches a node: one device, or those of its context (shapelet_units.c).
#ifndef WAVEWARP_SHAPELET_GROWTH_H
#define WAVEWARP_SHAPELET_GROWTH_H

#include "shapelets/shapelet_model.h"

enum { WWI_MOST_TERMS = 8 };

// A device, and the series on it.
typedef struct wwi_shapelet_worker {
    wwi_shapelet_device device;
    wwi_shapelet_data data;
} wwi_shapelet_worker;

// Also after an error it is to be closed; one of zeros may be.
ww_status wwi_shapelet_worker_open(ww_context *context, const ww_run_options *run, wwi_shapelet_kind kind,
                                   const ww_series_set *train, wwi_shapelet_worker *worker);
void wwi_shapelet_worker_close(wwi_shapelet_worker *worker);

typedef struct wwi_growth wwi_growth;

// Who searches.
typedef struct wwi_shapelet_devices {
    // Sets growth->leading: where patterns are compared with series, and what is not divided is searched.
    ww_status (*open)(wwi_growth *growth, const ww_series_set *train);
    // As wwi_shapelet_search(), with growth->progress.
    ww_status (*find)(wwi_growth *growth, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                      size_t *count);
    // growth->leading failed by this: whether there is another one, which takes its place. NULL: there is none.
    bool (*replace)(wwi_growth *growth, ww_status status);
    void (*close)(wwi_growth *growth); // also after an error; it fills launches and seconds_device of the info
} wwi_shapelet_devices;

// Texts of the checkpoint's identity.
typedef struct wwi_growth_texts {
    char inputs[65], options[512], device[WWI_JOURNAL_DEVICE_BYTES];
} wwi_growth_texts;

struct wwi_growth {
    const wwi_shapelet_devices *devices;
    void *user; // one device's context, or several devices' job
    wwi_shapelet_worker *leading;
    ww_shapelets *model;
    ww_shapelets_options options;
    ww_run_options run;
    wwi_shapelet_kind kind;
    wwi_shapelet_gains gains;
    wwi_shapelet_progress progress;
    uint32_t *classes; // of each series
    uint32_t *ids;     // the series; those of a node are together
    size_t waiting_capacity;
    struct wwi_growth_waiting *waiting; // nodes to be split
    size_t waiting_count;
    // the checkpoint
    wwi_growth_texts texts;
    wwi_journal_identity identity; // these texts
    wwi_shapelet_past past;        // what an earlier run found, then what this one does
    size_t replayed;               // searches answered from it
    double saved;                  // when it was written
};

// Grows a model from `train`; its info says what was done. growth: zeros but for devices and user.
ww_status wwi_shapelets_grow(wwi_growth *growth, const ww_series_set *train, const ww_shapelets_options *options,
                             ww_shapelets **shapelets);
// ww_shapelets_create() on one device.
ww_status wwi_shapelets_create_alone(ww_dataset *train, const ww_shapelets_options *options, ww_shapelets **shapelets);
// A search by growth->leading alone.
ww_status wwi_growth_find_alone(wwi_growth *growth, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                                size_t *count);

// ---- options

// Options with their defaults filled in, checked.
ww_status wwi_growth_take_options(wwi_growth *growth, const ww_series_set *train, const ww_shapelets_options *given);
// The classes of the series and their names; ids.
ww_status wwi_growth_take_classes(wwi_growth *growth, const ww_series_set *train);

// ---- the checkpoint

ww_status wwi_growth_resume(wwi_growth *growth);
// A search, or its result from the checkpoint.
ww_status wwi_growth_find(wwi_growth *growth, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                          size_t *count);
// A search that is divided by the node's series: before it, of how many. Without a checkpoint nothing is kept.
ww_status wwi_growth_divide(wwi_growth *growth, size_t series);
// Whether an earlier run did the candidates of one.
bool wwi_growth_has_series(const wwi_growth *growth, size_t series);
// Those of some are done; the best of all so far. By one thread at a time.
ww_status wwi_growth_save_series(wwi_growth *growth, size_t first, size_t count, const wwi_shapelet_found *found,
                                 size_t found_count);
// At the end of a run by this status: the checkpoint is kept or removed. Returns the status.
ww_status wwi_growth_settle(wwi_growth *growth, ww_status status);

#endif
