// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp matrix. A set with itself is in the order of the tree of its merges (average linkage), with
// the tree above and a strip of the classes; two sets are in the order of their files.
#include "pictures/matrix_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/triangle.h"
#include "pictures/tree_picture.h"

enum { LEFT = CLI_LEFT + 16, TOP = 52, BETWEEN = 20, STRIP = 8, STRIP_COLOURS = 8, MOST_MERGED = 5000 };
enum { WIDTH = LEFT + CLI_TREE_WIDTH + 24 };

static double value_at(const cli_matrix_picture *p, size_t i, size_t j) {
    const size_t n = ww_series_set_count(p->sets[0]), columns = ww_series_set_count(p->sets[p->sets[1] ? 1 : 0]);
    if (!p->condensed)
        return cli_value_at(p->values, p->precision, i * columns + j);
    return i == j ? 0 : cli_value_at(p->values, p->precision, (size_t)cli_condensed_at(n, i, j));
}

// The upper triangle as doubles, negative ones (of similarities and soft minima) too.
static double *condense(const cli_matrix_picture *p, size_t n) {
    double *condensed = malloc(((size_t)cli_condensed_count(n) + 1) * sizeof *condensed);
    size_t at = 0;
    for (size_t i = 0; condensed && i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            condensed[at++] = value_at(p, i, j);
    return condensed;
}

// Whether merges have a meaning: distances, the same both ways, all finite. A band may leave pairs without a path.
static bool can_merge(const cli_matrix_picture *p, size_t n) {
    if (p->sets[1] || n < 2 || n > MOST_MERGED || cli_is_similarity(p->measure) ||
        !ww_measure_info_by_id(p->measure->id)->is_symmetric)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (!isfinite(value_at(p, i, j)))
                return false;
    return true;
}

static const char *class_name(const void *user, size_t k) {
    return ww_series_set_class_name(user, k);
}

// Eight colours a row: a class is told by its row and its colour.
static double strip_height(const ww_series_set *set) {
    return STRIP * fmax(1, ceil((double)ww_series_set_class_count(set) / STRIP_COLOURS));
}

static double legend_height(const ww_series_set *set) {
    return ww_series_set_class_count(set)
               ? cli_picture_legend(NULL, 16, 0, WIDTH - 32, false, ww_series_set_class_count(set), class_name, set) +
                     STRIP
               : 0;
}

// The classes of the series above the matrix, each run of one class as an area.
static void draw_classes(const cli_matrix_picture *p, cli_picture *picture, double top, size_t n, const size_t *order) {
    const ww_series_set *set = p->sets[0];
    const double rows = strip_height(set) / STRIP;
    const cli_panel strip = {.picture = picture,
                             .left = LEFT,
                             .top = top,
                             .width = CLI_TREE_WIDTH,
                             .height = strip_height(set),
                             .x_to = (double)n,
                             .y_to = rows,
                             .down = true};
    if (rows > 1)
        cli_picture_text(picture, LEFT - 6, top + strip.height / 2 + 4, "end", CLI_INK, "8 a row");
    (void)cli_picture_legend(picture, 16, TOP - 8, WIDTH - 32, false, ww_series_set_class_count(set), class_name, set);
    for (size_t i = 0, end; i < n; i = end) {
        const int64_t class = ww_series_set_class(set, order[i]);
        for (end = i + 1; end < n && ww_series_set_class(set, order[end]) == class; end++)
            ;
        if (class >= 0)
            cli_panel_area(&strip, (double)i, (double)(class / STRIP_COLOURS), (double)end,
                           (double)(class / STRIP_COLOURS) + 0.9, (int)class, 1);
    }
}

static int draw_merged(const cli_matrix_picture *p, size_t n, const char *text) {
    const ww_series_set *set = p->sets[0];
    const double legend = legend_height(set), tree = TOP + legend,
                 matrix = tree + CLI_TREE_HEIGHT + BETWEEN + strip_height(set);
    cli_picture picture;
    CLI_FREES double *condensed = condense(p, n);
    CLI_FREES ww_merge *merges = malloc(n * sizeof *merges);
    CLI_FREES size_t *order = malloc(n * sizeof *order);
    if (!condensed || !merges || !order)
        return cli_error("the picture does not fit memory");
    CLI_TRY(cli_status(ww_cluster_agglomerate(condensed, WW_DOUBLE, n, WW_LINKAGE_AVERAGE, NULL, merges)));
    CLI_TRY(cli_tree_order(merges, n, order));
    CLI_TRY(cli_picture_open(p->path, WIDTH, matrix + CLI_TREE_WIDTH + CLI_MATRIX_BELOW, "Matrix of distances", text,
                             &picture));
    cli_picture_text_within(&picture, 16, 20, WIDTH - 32, "start", CLI_INK, text);
    int result = cli_tree_draw(&picture, LEFT, tree, merges, n, order, NULL);
    if (legend > 0)
        draw_classes(p, &picture, matrix - strip_height(p->sets[0]) - 4, n, order);
    if (result == CLI_GO_ON)
        result =
            cli_tree_matrix(&picture, LEFT, matrix, condensed, WW_DOUBLE, n, order, "series, in the order of the tree");
    return cli_picture_close(&picture, result);
}

static int draw_plain(const cli_matrix_picture *p, size_t rows, size_t columns, const char *text) {
    cli_picture picture;
    const double height = fmax(40, fmin(CLI_TREE_WIDTH, CLI_TREE_WIDTH * (double)rows / (double)columns));
    const cli_panel panel = cli_heat_panel(&picture, LEFT, TOP, CLI_TREE_WIDTH, height, rows, columns);
    CLI_ENDS(cli_heat_free) cli_heat heat = {0};
    char label[128], note[96];
    CLI_TRY(cli_heat_make(rows, columns, false, &heat));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            cli_heat_add(&heat, i, j, value_at(p, i, j));
    CLI_TRY(cli_picture_open(p->path, WIDTH, TOP + height + CLI_MATRIX_BELOW, "Matrix of distances", text, &picture));
    cli_picture_text_within(&picture, 16, 20, WIDTH - 32, "start", CLI_INK, text);
    snprintf(label, sizeof label, "distance%s", cli_heat_note(&heat, note, sizeof note));
    cli_panel_axes(&panel, p->sets[1] ? "series of B" : "series", p->sets[1] ? "series of A" : "series");
    return cli_picture_close(&picture, cli_heat_draw(&heat, &panel, LEFT, TOP + height + 50, label));
}

int cli_matrix_draw(const cli_matrix_picture *p) {
    const size_t rows = ww_series_set_count(p->sets[0]), columns = ww_series_set_count(p->sets[p->sets[1] ? 1 : 0]);
    const bool merged = can_merge(p, rows);
    char text[192];
    snprintf(text, sizeof text, "%s, %zu x %zu series, in the order of %s", ww_measure_info_by_id(p->measure->id)->name,
             rows, columns, merged ? "the tree of merges (average linkage)" : "the file");
    return merged ? draw_merged(p, rows, text) : draw_plain(p, rows, columns, text);
}
