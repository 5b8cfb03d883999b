// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp cluster: the series of each cluster under its centre; where a matrix was computed that, by
// the clusters or in the order of the tree of merges, which is above it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/picture.h"
#include "pictures/tree_picture.h"
#include "results/cluster.h"

enum { LEFT = CLI_LEFT + 16, TOP = 24, BETWEEN = 20 };

typedef struct drawing {
    const cli_clustering *c;
    size_t *members, *begins; // of all clusters, one after the other; where each begins
} drawing;

static void get_cluster(const void *user, size_t k, cli_group *group) {
    const drawing *d = user;
    const cli_clustering *c = d->c;
    group->members = d->members + d->begins[k];
    group->count = d->begins[k + 1] - d->begins[k];
    group->centre = cli_cluster_centre(c, k, &group->length);
    snprintf(group->title, sizeof group->title, "cluster %zu", k);
    if (c->centres)
        snprintf(group->note, sizeof group->note, "%zu series, their average", group->count);
    else
        snprintf(group->note, sizeof group->note, "%zu series, medoid %zu", group->count, c->medoids[k]);
}

static void list_members(drawing *d) {
    size_t next = 0;
    for (size_t k = 0; k < d->c->clusters; k++) {
        d->begins[k] = next;
        for (size_t i = 0; i < d->c->count; i++)
            if (d->c->labels[i] == (int64_t)k)
                d->members[next++] = i;
    }
    d->begins[d->c->clusters] = next;
}

// Of merges the tree, with the matrix in its order; else the matrix cluster by cluster.
static int draw_matrix(const drawing *d, cli_picture *picture, double top) {
    const cli_clustering *c = d->c;
    const bool tree = cli_cluster_merges(c->method);
    CLI_FREES size_t *order = malloc(c->count * sizeof *order);
    if (!order)
        return cli_error("the picture does not fit memory");
    if (tree) {
        CLI_TRY(cli_tree_order(c->merges, c->count, order));
        CLI_TRY(cli_tree_draw(picture, LEFT, top + TOP, c->merges, c->count, order, c->labels));
        top += CLI_TREE_HEIGHT + BETWEEN;
    } else {
        memcpy(order, d->members, c->count * sizeof *order);
    }
    return cli_tree_matrix(picture, LEFT, top + TOP, c->matrix, cli_precision(&c->s.device), c->count, order,
                           tree ? "series, in the order of the tree" : "series, cluster by cluster");
}

int cli_cluster_draw(const cli_clustering *c) {
    const bool tree = cli_cluster_merges(c->method) && c->count > 1, matrix = c->matrix && c->count > 1;
    CLI_FREES size_t *members = malloc(c->count * sizeof *members);
    CLI_FREES size_t *begins = malloc((c->clusters + 1) * sizeof *begins);
    drawing d = {c, members, begins};
    const cli_groups groups = {c->s.sets[0], c->clusters, "clusters", get_cluster, &d};
    // There may be a matrix alone, without series.
    const double below = c->s.sets[0] ? cli_groups_height(&groups) : 0,
                 across = c->s.sets[0] ? cli_groups_width(&groups) : 0;
    const double height =
        below + (tree ? CLI_TREE_HEIGHT + BETWEEN : 0) + (matrix ? TOP + CLI_TREE_WIDTH + CLI_MATRIX_BELOW : 0);
    const double width = fmax(across, matrix ? LEFT + CLI_TREE_WIDTH + 20 : 0);
    cli_picture picture;
    char text[160];
    if (!members || !begins)
        return cli_error("the picture does not fit memory");
    list_members(&d);
    snprintf(text, sizeof text, "%zu clusters of %zu series: members under their centre%s%s", c->clusters, c->count,
             tree ? ", the tree of the merges" : "", matrix ? ", the matrix of distances" : "");
    CLI_TRY(cli_picture_open(c->svg_path, fmax(width, 1), fmax(height, 1), "Clusters", text, &picture));
    if (c->s.sets[0])
        cli_groups_draw(&groups, &picture, 0);
    return cli_picture_close(&picture, matrix ? draw_matrix(&d, &picture, below) : CLI_GO_ON);
}
