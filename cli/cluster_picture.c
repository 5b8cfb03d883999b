// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp cluster: the series of each cluster under its centre, and the tree of the merges.
#include <math.h>
#include <stdlib.h>

#include "cluster.h"
#include "picture.h"

enum { ACROSS = 3, CELL_WIDTH = 280, CELL_HEIGHT = 170, TREE_HEIGHT = 280, MOST_LEAVES = 2000, MOST_MEMBERS = 100 };

// Members of a cluster, their first channel, under its centre.
static void draw_cluster(const cli_clustering *c, cli_picture *picture, size_t k, double left, double top) {
    cli_panel panel = {picture, left, top, CELL_WIDTH - 60, CELL_HEIGHT - 60, 0, 1, INFINITY, -INFINITY, false, false};
    const size_t size = cli_cluster_size(c, k), step = (size + MOST_MEMBERS - 1) / MOST_MEMBERS;
    char title[96];
    for (size_t i = 0; i < c->count; i++)
        if (c->labels[i] == (int64_t)k) {
            const size_t points = ww_series_set_length(c->set, i);
            cli_range_add(ww_series_set_values(c->set, i), points, 1, &panel.y_from, &panel.y_to);
            panel.x_to = fmax(panel.x_to, (double)points - 1);
        }
    cli_range_finish(0.03, &panel.y_from, &panel.y_to);
    cli_panel_axes(&panel, NULL, NULL);
    for (size_t i = 0, member = 0; i < c->count; i++)
        if (c->labels[i] == (int64_t)k && member++ % step == 0)
            cli_panel_line(&panel, ww_series_set_values(c->set, i), ww_series_set_length(c->set, i), 1, 0, 1, CLI_FAINT,
                           0.6);
    size_t length;
    const double *values = cli_cluster_centre(c, k, &length);
    cli_panel_line(&panel, values, length, 1, 0, 1, (int)k, 2);
    if (c->centres)
        snprintf(title, sizeof title, "cluster %zu: %zu series and their average", k, size);
    else
        snprintf(title, sizeof title, "cluster %zu: %zu series, medoid %zu", k, size, c->medoids[k]);
    cli_picture_text(picture, left, top - 6, "start", CLI_INK, title);
}

// The order of the leaves in which no lines cross: each merge's left part before its right part.
static void order_leaves(const cli_clustering *c, double *place, size_t *stack) {
    size_t depth = 0, next = 0;
    stack[depth++] = 2 * c->count - 2;
    while (depth > 0) {
        const size_t node = stack[--depth];
        if (node < c->count) {
            place[node] = (double)next++;
        } else {
            stack[depth++] = (size_t)c->merges[node - c->count].right;
            stack[depth++] = (size_t)c->merges[node - c->count].left;
        }
    }
    for (size_t m = 0; m + 1 < c->count; m++)
        place[c->count + m] = (place[c->merges[m].left] + place[c->merges[m].right]) / 2;
}

static int draw_tree(const cli_clustering *c, cli_picture *picture, double top) {
    const size_t n = c->count;
    cli_panel panel = {picture, 60, top, ACROSS * CELL_WIDTH - 80, TREE_HEIGHT - 70, -1, (double)n, 0, 0, false, false};
    double *place = malloc(2 * n * sizeof *place);
    size_t *stack = malloc(2 * n * sizeof *stack);
    int64_t *owner = malloc(2 * n * sizeof *owner); // the cluster a node is in, -1: above the cut
    int result = CLI_GO_ON;
    if (!place || !stack || !owner) {
        result = cli_error("a tree of %zu series does not fit memory", n);
        goto done;
    }
    order_leaves(c, place, stack);
    for (size_t i = 0; i < n; i++)
        owner[i] = c->labels[i];
    panel.y_from = fmin(0, c->merges[0].distance);
    panel.y_to = c->merges[n - 2].distance;
    cli_range_finish(0.03, &panel.y_from, &panel.y_to);
    panel.y_from = fmin(0, c->merges[0].distance);
    cli_panel_axes(&panel, "series, in the order of the tree", "distance");
    for (size_t m = 0; m + 1 < n; m++) {
        const size_t a = (size_t)c->merges[m].left, b = (size_t)c->merges[m].right;
        const double height = c->merges[m].distance;
        owner[n + m] = owner[a] == owner[b] ? owner[a] : -1;
        const double xs[4] = {place[a], place[a], place[b], place[b]};
        const double ys[4] = {a < n ? panel.y_from : c->merges[a - n].distance, height, height,
                              b < n ? panel.y_from : c->merges[b - n].distance};
        cli_panel_points_line(&panel, xs, ys, 4, owner[n + m] < 0 ? CLI_FAINT : (int)owner[n + m], 1);
    }
done:
    free(place);
    free(stack);
    free(owner);
    return result;
}

int cli_cluster_draw(const cli_clustering *c) {
    const bool tree = cli_cluster_merges(c->method) && c->count > 1 && c->count <= MOST_LEAVES;
    const size_t rows = (c->clusters + ACROSS - 1) / ACROSS;
    cli_picture picture;
    int result = cli_picture_open(c->svg_path, ACROSS * CELL_WIDTH,
                                  (double)(rows * CELL_HEIGHT + (tree ? TREE_HEIGHT : 0)), "Clusters", &picture);
    if (result != CLI_GO_ON)
        return result;
    for (size_t k = 0; k < c->clusters; k++)
        draw_cluster(c, &picture, k, (double)(k % ACROSS * CELL_WIDTH + 50), (double)(k / ACROSS * CELL_HEIGHT + 24));
    if (tree)
        result = draw_tree(c, &picture, (double)(rows * CELL_HEIGHT + 10));
    const int closed = cli_picture_close(&picture);
    return result == CLI_GO_ON ? closed : result;
}
