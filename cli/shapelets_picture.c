// SPDX-License-Identifier: Apache-2.0
// The picture of a model of shapelets. See shapelets.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "shapelets.h"

enum { ACROSS = 5, CELL_WIDTH = 210, CELL_HEIGHT = 140, LINE_HEIGHT = 84, TREE_STEP = 64, MOST_ROWS = 200 };

double cli_shapelets_distance(const cli_shapelets *s, const ww_shapelet_node *node, size_t i) {
    const double *own = s->distances + i * s->info.shapelets;
    double d = own[node->first];
    for (size_t t = node->first + 1; t < node->first + node->terms; t++)
        d = ww_shapelets_get_op(s->model, t) == WW_SHAPELET_AND ? fmax(d, own[t]) : fmin(d, own[t]);
    return d;
}

// The first channel of series i, with the window of the shapelet from `start` on.
static void draw_match(const cli_shapelets *s, cli_picture *picture, double left, double top, size_t i, size_t start,
                       size_t length, const char *title) {
    cli_panel panel = {.picture = picture,
                       .left = left + 34,
                       .top = top + 20,
                       .width = CELL_WIDTH - 50,
                       .height = CELL_HEIGHT - 56,
                       .y_from = INFINITY,
                       .y_to = -INFINITY};
    const double *values = ww_series_set_values(s->set, i);
    const size_t points = ww_series_set_length(s->set, i);
    panel.x_to = points > 1 ? (double)(points - 1) : 1;
    cli_range_add(values, points, 1, &panel.y_from, &panel.y_to);
    cli_range_finish(0.05, &panel.y_from, &panel.y_to);
    cli_panel_axes(&panel, NULL, NULL);
    cli_panel_line(&panel, values, points, 1, 0, 1, CLI_FAINT, 1);
    if (start + length <= points)
        cli_panel_line(&panel, values + start, length, 1, (double)start, 1, CLI_ACCENT, 2);
    cli_picture_text(picture, left + 34, top + 12, "start", CLI_INK, title);
}

// Without series: the shapelet's own points.
static void draw_alone(const cli_shapelets *s, cli_picture *picture, double left, double top,
                       const ww_shapelet *shapelet, const char *title) {
    cli_panel panel = {.picture = picture,
                       .left = left + 34,
                       .top = top + 20,
                       .width = CELL_WIDTH - 50,
                       .height = CELL_HEIGHT - 56,
                       .x_to = (double)(shapelet->length - 1),
                       .y_from = INFINITY,
                       .y_to = -INFINITY};
    cli_range_add(shapelet->values, shapelet->length * s->info.channels, 1, &panel.y_from, &panel.y_to);
    cli_range_finish(0.05, &panel.y_from, &panel.y_to);
    cli_panel_axes(&panel, NULL, NULL);
    for (size_t ch = 0; ch < s->info.channels; ch++)
        cli_panel_line(&panel, shapelet->values + ch * shapelet->length, shapelet->length, 1, 0, 1,
                       ch ? (int)ch : CLI_ACCENT, 2);
    cli_picture_text(picture, left + 34, top + 12, "start", CLI_INK, title);
}

static int draw_shapelet(const cli_shapelets *s, cli_picture *picture, size_t number, double top) {
    char title[160];
    ww_shapelet shapelet = WW_SHAPELET_INIT;
    if (ww_shapelets_get_shapelet(s->model, number, &shapelet) != WW_OK)
        return cli_fail();
    if (!s->set || shapelet.series >= ww_series_set_count(s->set) ||
        shapelet.start + shapelet.length > ww_series_set_length(s->set, shapelet.series)) {
        snprintf(title, sizeof title, "shapelet %zu, %zu points", number, shapelet.length);
        draw_alone(s, picture, 0, top, &shapelet, title);
        if (!s->set)
            return CLI_GO_ON;
    } else {
        snprintf(title, sizeof title, "shapelet %zu: series %zu, %s", number, shapelet.series,
                 ww_shapelets_class_name(s->model, shapelet.label));
        draw_match(s, picture, 0, top, shapelet.series, shapelet.start, shapelet.length, title);
    }
    for (size_t k = 0, column = 1; k < s->info.classes && column < ACROSS; k++, column++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < ww_series_set_count(s->set); i++)
            if (s->classes[i] == (int64_t)k && i != shapelet.series &&
                (best == SIZE_MAX ||
                 s->distances[i * s->info.shapelets + number] < s->distances[best * s->info.shapelets + number]))
                best = i;
        if (best == SIZE_MAX)
            continue;
        const size_t at = best * s->info.shapelets + number;
        snprintf(title, sizeof title, "%s: series %zu, %.4g", ww_shapelets_class_name(s->model, k), best,
                 s->distances[at]);
        draw_match(s, picture, (double)column * CELL_WIDTH, top, best, (size_t)s->starts[at], shapelet.length, title);
    }
    return CLI_GO_ON;
}

// The series that reach the node, by their distance; the split.
static void draw_order(const cli_shapelets *s, cli_picture *picture, const ww_shapelet_node *node, const bool *reach,
                       double top) {
    char text[160];
    const size_t count = ww_series_set_count(s->set);
    cli_panel panel = {.picture = picture,
                       .left = 34,
                       .top = top + 16,
                       .width = ACROSS * CELL_WIDTH - 60,
                       .height = LINE_HEIGHT - 52,
                       .x_from = node->threshold,
                       .x_to = node->threshold,
                       .y_to = (double)s->info.classes};
    for (size_t i = 0; i < count; i++)
        if (reach[i]) {
            const double d = cli_shapelets_distance(s, node, i);
            cli_range_add(&d, 1, 1, &panel.x_from, &panel.x_to);
        }
    cli_range_finish(0.03, &panel.x_from, &panel.x_to);
    cli_panel_axes(&panel, NULL, NULL);
    cli_panel_segment(&panel, node->threshold, panel.y_from, node->threshold, panel.y_to, CLI_INK, true);
    for (size_t i = 0; i < count; i++)
        if (reach[i] && s->classes[i] >= 0) {
            const double d = cli_shapelets_distance(s, node, i);
            snprintf(text, sizeof text, "series %zu, %s: %.6g", i,
                     ww_shapelets_class_name(s->model, (size_t)s->classes[i]), d);
            cli_panel_dot(&panel, d, (double)s->classes[i] + 0.5, 3, (int)s->classes[i], text);
        }
    snprintf(text, sizeof text, "order line: d <= %.6g, gain %.4f, gap %.4f", node->threshold, node->gain, node->gap);
    cli_picture_text(picture, 34, top + 10, "start", CLI_INK, text);
}

// ---- the tree

typedef struct tree {
    ww_shapelet_node *nodes;
    double *x; // leaves by their order, others between their branches
    size_t leaves, depth;
} tree;

static void place_nodes(const cli_shapelets *s, tree *t, size_t *stack) {
    // Nodes below have greater numbers; leaves in order by a walk, the others afterwards from the last to the first.
    size_t waiting = 0;
    stack[waiting++] = 0;
    while (waiting) {
        const size_t i = stack[--waiting];
        t->depth = t->nodes[i].depth > t->depth ? t->nodes[i].depth : t->depth;
        if (t->nodes[i].left < 0) {
            t->x[i] = (double)t->leaves++ + 0.5;
        } else {
            stack[waiting++] = (size_t)t->nodes[i].right;
            stack[waiting++] = (size_t)t->nodes[i].left;
        }
    }
    for (size_t i = s->info.nodes; i-- > 0;)
        if (t->nodes[i].left >= 0)
            t->x[i] = 0.5 * (t->x[t->nodes[i].left] + t->x[t->nodes[i].right]);
}

static void draw_tree(const cli_shapelets *s, cli_picture *picture, const tree *t, double top) {
    char text[160];
    cli_panel panel = {.picture = picture,
                       .left = 34,
                       .top = top + 20,
                       .width = ACROSS * CELL_WIDTH - 60,
                       .height = (double)((t->depth + 1) * TREE_STEP),
                       .x_to = (double)t->leaves,
                       .y_to = (double)t->depth + 1,
                       .down = true};
    for (size_t i = 0; i < s->info.nodes; i++) {
        const ww_shapelet_node *n = &t->nodes[i];
        const double y = (double)n->depth + 0.3;
        if (n->left >= 0) {
            const size_t below[2] = {(size_t)n->left, (size_t)n->right};
            for (int side = 0; side < 2; side++)
                cli_panel_segment(&panel, t->x[i], y + 0.12, t->x[below[side]], y + 0.78, CLI_FAINT, false);
            snprintf(text, sizeof text, "%zu to %zu: d <= %.4g", n->first, n->first + n->terms - 1, n->threshold);
            if (n->terms == 1)
                snprintf(text, sizeof text, "%zu: d <= %.4g", n->first, n->threshold);
            cli_panel_text(&panel, t->x[i], y, "middle", CLI_INK, text);
        } else {
            snprintf(text, sizeof text, "%s (%zu)", ww_shapelets_class_name(s->model, n->label), n->series);
            cli_panel_dot(&panel, t->x[i], y - 0.06, 5, (int)n->label, text);
            cli_panel_text(&panel, t->x[i], y + 0.25, "middle", CLI_INK, text);
        }
    }
    cli_picture_text(picture, 34, top + 10, "start", CLI_INK,
                     "tree: near to the shapelet (d at most the threshold) goes left");
}

int cli_shapelets_draw(const cli_shapelets *s, const char *path) {
    const size_t rows = s->info.shapelets < MOST_ROWS ? s->info.shapelets : MOST_ROWS, nodes = s->info.nodes;
    const size_t series = s->set ? ww_series_set_count(s->set) : 0;
    tree t = {NULL, NULL, 0, 0};
    size_t *stack = malloc((nodes + 1) * sizeof *stack), splits = 0;
    bool *reach = malloc((series + 1) * sizeof *reach);
    size_t *at = calloc(series + 1, sizeof *at); // the node where a series is
    cli_picture picture;
    int result = CLI_GO_ON;
    t.nodes = malloc((nodes + 1) * sizeof *t.nodes);
    t.x = calloc(nodes + 1, sizeof *t.x);
    if (!stack || !reach || !at || !t.nodes || !t.x) {
        result = cli_error("the picture does not fit memory");
        goto done;
    }
    for (size_t i = 0; i < nodes; i++) {
        ww_shapelet_node_init(&t.nodes[i], sizeof t.nodes[i]);
        if (ww_shapelets_get_node(s->model, i, &t.nodes[i]) != WW_OK) {
            result = cli_fail();
            goto done;
        }
        splits += t.nodes[i].left >= 0 && t.nodes[i].first < MOST_ROWS;
    }
    if (nodes)
        place_nodes(s, &t, stack);
    const double tree_height = nodes ? (double)((t.depth + 1) * TREE_STEP + 30) : 0;
    const double height = (double)(rows * CELL_HEIGHT + (s->set ? splits * LINE_HEIGHT : 0)) + tree_height;
    result = cli_picture_open(path, ACROSS * CELL_WIDTH, height > 0 ? height : 1, "Shapelets", &picture);
    if (result != CLI_GO_ON)
        goto done;
    double top = 0;
    for (size_t i = 0; i < s->info.best && i < rows && result == CLI_GO_ON; i++, top += CELL_HEIGHT)
        result = draw_shapelet(s, &picture, i, top);
    for (size_t n = 0; n < nodes && result == CLI_GO_ON; n++) {
        const ww_shapelet_node *node = &t.nodes[n];
        if (node->left < 0)
            continue;
        for (size_t i = 0; i < series; i++)
            reach[i] = at[i] == n;
        for (size_t i = 0; i < series; i++)
            if (reach[i])
                at[i] = (size_t)(cli_shapelets_distance(s, node, i) <= node->threshold ? node->left : node->right);
        if (node->first >= MOST_ROWS)
            continue;
        for (size_t i = node->first; i < node->first + node->terms && i < rows && result == CLI_GO_ON;
             i++, top += CELL_HEIGHT)
            result = draw_shapelet(s, &picture, i, top);
        if (s->set && result == CLI_GO_ON) {
            draw_order(s, &picture, node, reach, top);
            top += LINE_HEIGHT;
        }
    }
    if (nodes)
        draw_tree(s, &picture, &t, top);
    const int closed = cli_picture_close(&picture);
    result = result == CLI_GO_ON ? closed : result;
done:
    free(stack);
    free(reach);
    free(at);
    free(t.nodes);
    free(t.x);
    return result;
}
