// SPDX-License-Identifier: Apache-2.0
// What cmd_shapelets.c and shapelets_picture.c share: a model, and series with their distances to its shapelets.
#ifndef WAVEWARP_CLI_SHAPELETS_H
#define WAVEWARP_CLI_SHAPELETS_H

#include "base/common.h"

typedef struct cli_shapelets {
    const ww_shapelets *model;
    ww_shapelets_info info;
    const ww_series_set *set; // NULL: none
    const double *distances;  // of its series (rows) to the shapelets
    const uint64_t *starts;
    const int64_t *classes; // of its series: class numbers of the model, -1 others
} cli_shapelets;

// Draws the shapelets, each on the series it came from and on the best match in each class, the order line of its node
// with the split, and the tree. Without a set: the shapelets alone, and the tree.
int cli_shapelets_draw(const cli_shapelets *s, const char *path);

#endif
