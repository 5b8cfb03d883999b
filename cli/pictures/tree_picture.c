// SPDX-License-Identifier: Apache-2.0
// The tree of merges and the matrix in its order: parts of the pictures of clusters and of matrices. See
// tree_picture.h.
#include "pictures/tree_picture.h"

#include <math.h>
#include <stdlib.h>

#include "base/triangle.h"

enum { MOST_MERGES = 1500 };

int cli_tree_order(const ww_merge *merges, size_t count, size_t *order) {
    CLI_FREES size_t *stack = malloc(2 * count * sizeof *stack);
    size_t depth = 0, next = 0;
    if (!stack)
        return cli_error("a tree of %zu series does not fit memory", count);
    if (count)
        stack[depth++] = 2 * count - 2;
    while (depth > 0) {
        const size_t node = stack[--depth];
        if (node < count) {
            order[next++] = node;
        } else {
            stack[depth++] = (size_t)merges[node - count].right;
            stack[depth++] = (size_t)merges[node - count].left;
        }
    }
    return CLI_GO_ON;
}

// Of each node: its place among the leaves, and the cluster it is in (-1: above the cut).
static void place_nodes(const ww_merge *merges, size_t n, const size_t *order, const int64_t *labels, double *place,
                        int64_t *owner) {
    for (size_t i = 0; i < n; i++) {
        place[order[i]] = (double)i;
        owner[i] = labels ? labels[i] : -1;
    }
    for (size_t m = 0; m + 1 < n; m++) {
        const size_t a = (size_t)merges[m].left, b = (size_t)merges[m].right;
        place[n + m] = (place[a] + place[b]) / 2;
        owner[n + m] = owner[a] == owner[b] ? owner[a] : -1;
    }
}

int cli_tree_draw(cli_picture *picture, double left, double top, const ww_merge *merges, size_t count,
                  const size_t *order, const int64_t *labels) {
    const size_t n = count, first = n - 1 > MOST_MERGES ? n - 1 - MOST_MERGES : 0;
    cli_panel panel = {.picture = picture,
                       .left = left,
                       .top = top,
                       .width = CLI_TREE_WIDTH,
                       .height = CLI_TREE_HEIGHT,
                       .x_from = -0.5,
                       .x_to = (double)n - 0.5,
                       .counted = true,
                       .x_bare = true};
    CLI_FREES double *place = malloc(2 * n * sizeof *place);
    CLI_FREES int64_t *owner = malloc(2 * n * sizeof *owner);
    char text[96] = "tree of the merges";
    if (!place || !owner)
        return cli_error("a tree of %zu series does not fit memory", n);
    place_nodes(merges, n, order, labels, place, owner);
    panel.y_from = fmin(0, merges[0].distance);
    panel.y_to = merges[n - 2].distance;
    cli_range_finish(0.03, &panel.y_from, &panel.y_to);
    panel.y_from = fmin(0, merges[0].distance);
    cli_panel_axes(&panel, NULL, "distance");
    for (size_t m = first; m + 1 < n; m++) {
        const size_t a = (size_t)merges[m].left, b = (size_t)merges[m].right;
        const double height = merges[m].distance;
        const double xs[4] = {place[a], place[a], place[b], place[b]};
        const double ys[4] = {a < n ? panel.y_from : merges[a - n].distance, height, height,
                              b < n ? panel.y_from : merges[b - n].distance};
        cli_panel_points_line(&panel, xs, ys, 4, owner[n + m] < 0 ? CLI_FAINT : (int)(owner[n + m] % 8), 1);
    }
    if (first)
        snprintf(text, sizeof text, "tree of the merges: the %d highest of %zu", MOST_MERGES, n - 1);
    cli_picture_text(picture, left, top - 8, "start", CLI_INK, text);
    return CLI_GO_ON;
}

int cli_tree_matrix(cli_picture *picture, double left, double top, const void *condensed, ww_precision precision,
                    size_t count, const size_t *order, const char *label) {
    const cli_panel panel = cli_heat_panel(picture, left, top, CLI_TREE_WIDTH, CLI_TREE_WIDTH, count, count);
    CLI_ENDS(cli_heat_free) cli_heat heat = {0};
    char scale[128], note[96];
    CLI_TRY(cli_heat_make(count, count, false, &heat));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const size_t at = (size_t)cli_condensed_at(count, order[i], order[j]);
            if (i != j) // what a series has with itself is not in the list
                cli_heat_add(&heat, i, j, cli_value_at(condensed, precision, at));
        }
    snprintf(scale, sizeof scale, "distance%s", cli_heat_note(&heat, note, sizeof note));
    cli_panel_items(&panel, order, count, label);
    CLI_TRY(cli_heat_draw(&heat, &panel, left, top + CLI_TREE_WIDTH + 50, scale));
    cli_panel_frame(&panel);
    return CLI_GO_ON;
}
