// SPDX-License-Identifier: Apache-2.0
// Order lines and the tree in the picture of shapelets. An order line has the series that reach a node by their
// distance, a lane for each class, and the split.
#include <math.h>
#include <stdlib.h>

#include "pictures/shapelets_picture.h"

enum { LEFT = 120, RIGHT = 24, LANE = 11, LINE_TITLE = 24, MOST_LINES = 6, MOST_MARKS = 2500 };
enum { ROW = 18, INDENT = 18, MOST_ROWS = 40, TREE_TITLE = 34 };

// The joined distance of series i at a node.
static double distance_of(const cli_shapelets *s, const ww_shapelet_node *node, size_t i) {
    const double *own = s->distances + i * s->info.shapelets;
    double d = own[node->first];
    for (size_t t = node->first + 1; t < node->first + node->terms; t++)
        d = ww_shapelets_get_op(s->model, t) == WW_SHAPELET_AND ? fmax(d, own[t]) : fmin(d, own[t]);
    return d;
}

static size_t series_count(const cli_shapelets *s) {
    return s->set ? ww_series_set_count(s->set) : 0;
}

// Which classes reach which nodes.
static void follow_series(cli_shapelet_picture *d) {
    const cli_shapelets *s = d->s;
    for (size_t i = 0; i < series_count(s); i++) {
        size_t k = 0;
        while (s->classes[i] >= 0) {
            const ww_shapelet_node *n = &d->nodes[k];
            d->present[k * s->info.classes + (size_t)s->classes[i]] = true;
            if (n->left < 0)
                break;
            k = (size_t)(distance_of(s, n, i) <= n->threshold ? n->left : n->right);
        }
    }
}

// The lane of a class on the order line of a node; of all classes: how many lanes there are.
static size_t lane_of(const cli_shapelet_picture *d, size_t node, size_t class) {
    size_t lane = 0;
    for (size_t k = 0; k < class; k++)
        lane += d->present[node * d->s->info.classes + k];
    return lane;
}

static double lanes_of(const cli_shapelet_picture *d, size_t node) {
    return fmax(2, (double)lane_of(d, node, d->s->info.classes));
}

int cli_shapelets_get_tree(cli_shapelet_picture *d) {
    const cli_shapelets *s = d->s;
    size_t marks = 0;
    d->nodes = malloc((s->info.nodes + 1) * sizeof *d->nodes);
    d->at = calloc(series_count(s) + 1, sizeof *d->at);
    d->present = calloc((s->info.nodes + 1) * (s->info.classes + 1), sizeof *d->present);
    if (!d->nodes || !d->at || !d->present)
        return cli_error("the picture does not fit memory");
    for (size_t i = 0; i < s->info.nodes; i++) {
        d->nodes[i] = (ww_shapelet_node)WW_SHAPELET_NODE_INIT;
        CLI_TRY(cli_status(ww_shapelets_get_node(s->model, i, &d->nodes[i])));
        if (d->nodes[i].left >= 0 && ++d->splits <= MOST_LINES)
            marks += d->nodes[i].series;
    }
    d->lines = !s->set ? 0 : d->splits < MOST_LINES ? d->splits : MOST_LINES;
    if (s->set && s->info.nodes)
        follow_series(d);
    d->step = 1 + marks / MOST_MARKS;
    return CLI_GO_ON;
}

void cli_shapelets_free_picture(cli_shapelet_picture *d) {
    free(d->same);
    free(d->nodes);
    free(d->present);
    free(d->at);
}

static double line_height(const cli_shapelet_picture *d, size_t node) {
    return LINE_TITLE + lanes_of(d, node) * LANE + CLI_BELOW;
}

static size_t rows_of(const cli_shapelet_picture *d) {
    return d->s->info.nodes < MOST_ROWS ? d->s->info.nodes : MOST_ROWS;
}

double cli_shapelets_tree_height(const cli_shapelet_picture *d) {
    const double rows = d->s->info.nodes ? TREE_TITLE + (double)(rows_of(d) + 1) * ROW : 10;
    double lines = d->lines ? TREE_TITLE : 0;
    for (size_t k = 0, done = 0; k < d->s->info.nodes && done < d->lines; k++)
        if (d->nodes[k].left >= 0) {
            lines += line_height(d, k);
            done++;
        }
    return lines + rows;
}

// "shapelet 3", with those it is joined to, and where they are drawn under another number.
static void name_shapelets(const cli_shapelet_picture *d, const ww_shapelet_node *n, char *text, size_t size) {
    const size_t same = d->same[n->first];
    if (n->terms > 1)
        snprintf(text, size, "shapelets %zu to %zu", n->first, n->first + n->terms - 1);
    else if (same != n->first)
        snprintf(text, size, "shapelet %zu (the same window as %zu)", n->first, same);
    else
        snprintf(text, size, "shapelet %zu", n->first);
}

static void draw_line(const cli_shapelet_picture *d, size_t number, double top) {
    const cli_shapelets *s = d->s;
    const ww_shapelet_node *n = &d->nodes[number];
    char name[96], text[512];
    cli_panel panel = {.picture = d->picture,
                       .left = LEFT,
                       .top = top + LINE_TITLE,
                       .width = CLI_SHAPELETS_WIDTH - LEFT - RIGHT,
                       .height = lanes_of(d, number) * LANE,
                       .x_from = n->threshold,
                       .x_to = n->threshold,
                       .y_to = lanes_of(d, number),
                       .down = true};
    for (size_t i = 0; i < series_count(s); i++)
        if (d->at[i] == number) {
            const double distance = distance_of(s, n, i);
            cli_range_add(&distance, 1, 1, &panel.x_from, &panel.x_to);
        }
    cli_range_finish(0.03, &panel.x_from, &panel.x_to);
    cli_panel_x_axis(&panel, NULL);
    cli_panel_frame(&panel);
    cli_panel_segment(&panel, n->threshold, panel.y_from, n->threshold, panel.y_to, CLI_INK, true);
    for (size_t i = 0, met = 0; i < series_count(s); i++)
        if (d->at[i] == number && s->classes[i] >= 0 && met++ % d->step == 0) {
            const double distance = distance_of(s, n, i);
            snprintf(text, sizeof text, "series %zu: %.6g", i, distance);
            cli_panel_mark(&panel, distance, (double)lane_of(d, number, (size_t)s->classes[i]) + 0.5, 3.5,
                           (int)s->classes[i], text);
        }
    cli_picture_text(d->picture, LEFT - 8, panel.top + panel.height / 2 + 4, "end", CLI_INK, "a row a class");
    name_shapelets(d, n, name, sizeof name);
    snprintf(text, sizeof text, "order line of node %zu, %s: near up to %.6g, information gain %.4f, gap %.4f", number,
             name, n->threshold, n->gain, n->gap);
    cli_picture_text_within(d->picture, 16, top + 16, CLI_SHAPELETS_WIDTH - 32, "start", CLI_INK, text);
}

// Lines of the nodes in their order; below a node come greater numbers.
static double draw_lines(cli_shapelet_picture *d, double top) {
    const cli_shapelets *s = d->s;
    char text[192], every[64] = "";
    if (d->step > 1)
        snprintf(every, sizeof every, ", with one series of %zu", d->step);
    snprintf(
        text, sizeof text,
        "Order lines, %zu of %zu: a point is a series, its place is the distance to the shapelet; left of the dashed "
        "line is near%s.",
        d->lines, d->splits, every);
    cli_picture_text(d->picture, 16, top + 24, "start", CLI_INK, text);
    top += TREE_TITLE;
    for (size_t k = 0, done = 0; k < s->info.nodes && done < d->lines; k++) {
        const ww_shapelet_node *n = &d->nodes[k];
        if (n->left < 0)
            continue;
        draw_line(d, k, top);
        top += line_height(d, k);
        done++;
        for (size_t i = 0; i < series_count(s); i++)
            if (d->at[i] == k)
                d->at[i] = (size_t)(distance_of(s, n, i) <= n->threshold ? n->left : n->right);
    }
    return top;
}

// A row of the tree; branches come from the row of the node above.
static void draw_row(const cli_shapelet_picture *d, size_t number, size_t row, size_t above, bool near, double top) {
    const ww_shapelet_node *n = &d->nodes[number];
    const cli_panel panel = {
        .picture = d->picture, .left = 16, .top = top, .width = 1, .height = 1, .x_to = 1, .y_to = 1, .down = true};
    const double x = INDENT * (double)n->depth, y = ROW * (double)row;
    char name[96], text[512];
    if (n->depth) {
        const double xs[3] = {x - INDENT + 4, x - INDENT + 4, x - 2}, ys[3] = {ROW * (double)above + 6, y, y};
        cli_panel_points_line(&panel, xs, ys, 3, CLI_FAINT, 1);
    }
    const char *const side = !n->depth ? "" : near ? "near: " : "far: ";
    if (n->left < 0) {
        cli_panel_mark(&panel, x + 4, y, 4, (int)n->label, NULL);
        snprintf(text, sizeof text, "%s%s (%zu series)", side, ww_shapelets_class_name(d->s->model, n->label),
                 n->series);
    } else {
        name_shapelets(d, n, name, sizeof name);
        snprintf(text, sizeof text, "%snode %zu: %s, near up to %.4g (%zu series)", side, number, name, n->threshold,
                 n->series);
    }
    cli_picture_text_within(d->picture, 16 + x + 14, top + y + 4, CLI_SHAPELETS_WIDTH - 60 - x, "start", CLI_INK, text);
}

static void draw_rows(const cli_shapelet_picture *d, double top) {
    typedef struct waiting {
        size_t node, above;
        bool near;
    } waiting;
    waiting stack[MOST_ROWS + 2];
    size_t count = 1, row = 0;
    char text[64];
    cli_picture_text(d->picture, 16, top + 24, "start", CLI_INK,
                     "Tree: below each node first the series near to its shapelet, then those that are far");
    top += TREE_TITLE + ROW / 2;
    stack[0] = (waiting){0, 0, false};
    while (count && row < MOST_ROWS) {
        const waiting now = stack[--count];
        const ww_shapelet_node *n = &d->nodes[now.node];
        draw_row(d, now.node, row, now.above, now.near, top);
        // Each row takes one away and adds at most two: MOST_ROWS + 1 wait at most.
        if (n->left >= 0) {
            stack[count++] = (waiting){(size_t)n->right, row, false};
            stack[count++] = (waiting){(size_t)n->left, row, true};
        }
        row++;
    }
    if (row < d->s->info.nodes) {
        snprintf(text, sizeof text, "and %zu more nodes", d->s->info.nodes - row);
        cli_picture_text(d->picture, 16, top + ROW * (double)row + 4, "start", CLI_INK, text);
    }
}

void cli_shapelets_draw_tree(cli_shapelet_picture *d, double top) {
    if (d->lines)
        top = draw_lines(d, top);
    if (d->s->info.nodes)
        draw_rows(d, top);
}
