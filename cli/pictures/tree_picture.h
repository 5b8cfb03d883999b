// SPDX-License-Identifier: Apache-2.0
// The tree of the merges of clusters, and the matrix of distances in its order.
#ifndef WAVEWARP_CLI_TREE_PICTURE_H
#define WAVEWARP_CLI_TREE_PICTURE_H

#include "pictures/picture.h"

enum { CLI_TREE_WIDTH = 600, CLI_TREE_HEIGHT = 190, CLI_MATRIX_BELOW = 98 };

// The order of the leaves in which no lines cross: each merge's left part before its right part. `order`: `count`
// indices of items.
int cli_tree_order(const ww_merge *merges, size_t count, size_t *order);
// The tree in `order`, in a panel of CLI_TREE_WIDTH x CLI_TREE_HEIGHT at (left, top). Of very many merges the highest
// are drawn, and the text says so. `labels`: the cluster of each item, which gives the colours; NULL: none.
int cli_tree_draw(cli_picture *picture, double left, double top, const ww_merge *merges, size_t count,
                  const size_t *order, const int64_t *labels);
// The matrix of the distances in `order`: a square of CLI_TREE_WIDTH at (left, top), its scale of colours below it
// (CLI_MATRIX_BELOW). `label` says which order. condensed: of `precision`.
int cli_tree_matrix(cli_picture *picture, double left, double top, const void *condensed, ww_precision precision,
                    size_t count, const size_t *order, const char *label);

#endif
