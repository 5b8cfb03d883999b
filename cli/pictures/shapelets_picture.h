// SPDX-License-Identifier: Apache-2.0
// What the two files of the picture of shapelets share.
#ifndef WAVEWARP_CLI_SHAPELETS_PICTURE_H
#define WAVEWARP_CLI_SHAPELETS_PICTURE_H

#include "pictures/picture.h"
#include "results/shapelets.h"

enum { CLI_SHAPELETS_WIDTH = 1160 };

typedef struct cli_shapelet_picture {
    const cli_shapelets *s;
    cli_picture *picture;
    size_t *same;  // of each shapelet: the first that is the same window
    size_t panels; // drawn
    // shapelets_tree.c
    ww_shapelet_node *nodes;
    bool *present;        // nodes x classes: whether a series of the class reaches the node
    size_t *at;           // of each series the node that it is in while the lines are drawn
    size_t lines, splits; // order lines drawn, and all of them
    size_t step;          // every step-th series is on them
} cli_shapelet_picture;

int cli_shapelets_get_tree(cli_shapelet_picture *d);
void cli_shapelets_free_picture(cli_shapelet_picture *d);
// Of the order lines and the tree.
double cli_shapelets_tree_height(const cli_shapelet_picture *d);
void cli_shapelets_draw_tree(cli_shapelet_picture *d, double top);

#endif
