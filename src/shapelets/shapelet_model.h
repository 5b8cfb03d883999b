// SPDX-License-Identifier: Apache-2.0
// What was learnt, as the tree and the file use it.
#ifndef WAVEWARP_SHAPELET_MODEL_H
#define WAVEWARP_SHAPELET_MODEL_H

#include "shapelets/shapelet_search.h"

typedef struct wwi_shapelet {
    size_t series, start, length, label;
    ww_shapelet_op op;
    double quality, gain, gap, threshold;
    double *values; // channels x length
} wwi_shapelet;

struct ww_shapelets {
    size_t class_count, channels, train, best;
    char **names; // of the classes
    bool raw, unscaled;
    ww_shapelet_quality quality;
    wwi_shapelet *shapelets; // the best, then those of the nodes as they were split: depth first
    size_t shapelet_count, shapelet_capacity;
    ww_shapelet_node *nodes;
    size_t node_count, node_room;
    ww_shapelets_info info;
};

// Fewer of the best than were asked for.
ww_status wwi_shapelet_fail_few(size_t wanted, size_t there);

#endif
