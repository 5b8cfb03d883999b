// SPDX-License-Identifier: Apache-2.0
// What was learnt, as the tree, the file and the checkpoint use it.
#ifndef WAVEWARP_SHAPELET_MODEL_H
#define WAVEWARP_SHAPELET_MODEL_H

#include "files/journal.h"
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

// What an interrupted run found: the results of its finished searches in order, and of the one it was in.
typedef struct wwi_shapelet_past {
    wwi_shapelet_found *found; // of all searches, one after the other; only their places are kept
    size_t *counts;            // of each search
    size_t searches, search_capacity, found_count, found_capacity;
    uint64_t columns;        // that the unfinished search has done
    size_t unfinished_count; // its best so far, after the others in `found`
    unsigned char *series;   // of one that is divided: 1 for each of the node's series whose candidates are done
    size_t series_count;     // 0: it is not divided
} wwi_shapelet_past;

void wwi_shapelet_past_free(wwi_shapelet_past *past);
// Reads a checkpoint; nothing where there is no such file. WW_ERROR_FORMAT: damaged, or of another run than `wanted`
// (NULL: of any).
ww_status wwi_shapelet_past_read(const char *path, const wwi_journal_identity *wanted, wwi_shapelet_past *past);
ww_status wwi_shapelet_past_write(const char *path, const wwi_journal_identity *identity,
                                  const wwi_shapelet_past *past);

#endif
