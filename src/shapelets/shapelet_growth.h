// SPDX-License-Identifier: Apache-2.0
// Discovery, inside: what grows (shapelet_tree.c), what it takes (shapelet_options.c), and who searches a node: one
// device, or those of its context (shapelet_units.c).
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

// The shapelets of a node, as far as they are found.
typedef struct wwi_growth_terms {
    wwi_shapelet_found found[WWI_MOST_TERMS];
    ww_shapelet_op ops[WWI_MOST_TERMS];
    size_t count;
    double *distances, *errors; // of the node's series to all of them together; what these are off by
} wwi_growth_terms;

// What the searches of a node found, each at most one. Where the leading device is lost after them, the next one takes
// their results.
typedef struct wwi_growth_searches {
    wwi_shapelet_found found[2 * WWI_MOST_TERMS];
    size_t there[2 * WWI_MOST_TERMS]; // 0 or 1
    size_t count, next;               // that are finished; that are asked for again
} wwi_growth_searches;

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
    wwi_growth_searches searches;  // of the node that is split
    const wwi_growth_terms *terms; // whose distances are a node's `before`
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

#endif
