// SPDX-License-Identifier: Apache-2.0
// The picture of a model of shapelets: each on the series it came from and on the nearest series of other classes, the
// order lines of the nodes, the tree. See shapelets.h; order lines and the tree are in shapelets_tree.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/shapelets_picture.h"

enum { ACROSS = 5, CELL_WIDTH = 230, TITLE = 28, RIGHT = 10, ALONE = 76, TOGETHER = 52, HEAD = 22 };
enum { MOST_CLASSES = 9, MOST_PANELS = 260, MOST_HEIGHT = 960 };

static double cell_height(const cli_shapelets *s) {
    return TITLE + cli_stack_height(s->info.channels, s->info.channels > 1 ? TOGETHER : ALONE) + CLI_BELOW - 8;
}

// ---- cells

// Points `from` to `to` - 1 of a series of `points` are marked; all of it is drawn.
static void draw_cell(const cli_shapelet_picture *d, double left, double top, const double *values, size_t points,
                      size_t from, size_t to, const char *title) {
    cli_stack stack;
    size_t step;
    const double width = CELL_WIDTH - CLI_LEFT - 6 - RIGHT;
    cli_stack_make(&stack, d->picture, d->s->info.channels, left + CLI_LEFT + 6, top + TITLE, width,
                   d->s->info.channels > 1 ? TOGETHER : ALONE);
    cli_stack_range(&stack, values, points);
    cli_stack_finish(&stack);
    const double detail = cli_sample(d->panels, points, width, 1, &step);
    for (size_t c = 0; c < stack.count; c++)
        stack.panels[c].detail = detail;
    cli_stack_axes(&stack, NULL);
    cli_stack_line(&stack, values, points, 0, points, 0, CLI_FAINT, 1);
    cli_stack_line(&stack, values, points, from, to, (double)from, CLI_ACCENT, 2);
    cli_picture_text_within(d->picture, left + 16, top + 16, CELL_WIDTH - 20, "start", CLI_INK, title);
}

static void draw_series(const cli_shapelet_picture *d, double left, double top, size_t i, size_t start, size_t length,
                        const char *title) {
    const size_t points = ww_series_set_length(d->s->set, i);
    draw_cell(d, left, top, ww_series_set_values(d->s->set, i), points, start,
              start + length <= points ? start + length : start, title);
}

// The nearest other series of a class; SIZE_MAX: none.
static size_t nearest_of(const cli_shapelets *s, size_t number, size_t own, size_t class) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < ww_series_set_count(s->set); i++)
        if (s->classes[i] == (int64_t) class && i != own &&
            (best == SIZE_MAX ||
             s->distances[i * s->info.shapelets + number] < s->distances[best * s->info.shapelets + number]))
            best = i;
    return best;
}

// Of the nearest series of each class the `MOST_CLASSES` nearest, by class; *found is how many classes have one.
static size_t choose_matches(const cli_shapelets *s, size_t number, size_t own, size_t *matches, size_t *found) {
    size_t count = 0;
    *found = 0;
    for (size_t k = 0; k < s->info.classes; k++) {
        const size_t best = nearest_of(s, number, own, k);
        if (best == SIZE_MAX)
            continue;
        ++*found;
        matches[count++] = best;
        if (count <= MOST_CLASSES)
            continue;
        size_t farthest = 0;
        for (size_t m = 1; m < count; m++)
            if (s->distances[matches[m] * s->info.shapelets + number] >
                s->distances[matches[farthest] * s->info.shapelets + number])
                farthest = m;
        memmove(matches + farthest, matches + farthest + 1, (--count - farthest) * sizeof *matches);
    }
    return count;
}

// Cells of a shapelet: its own series, and one of each class.
static size_t cells_of(const cli_shapelets *s) {
    return s->set ? 1 + (s->info.classes < MOST_CLASSES ? s->info.classes : MOST_CLASSES) : 1;
}

static double shapelet_height(const cli_shapelets *s) {
    return HEAD + (double)((cells_of(s) + ACROSS - 1) / ACROSS) * cell_height(s);
}

static int draw_shapelet(const cli_shapelet_picture *d, size_t number, double top) {
    const cli_shapelets *s = d->s;
    char title[512];
    ww_shapelet shapelet = WW_SHAPELET_INIT;
    CLI_TRY(cli_status(ww_shapelets_get_shapelet(s->model, number, &shapelet)));
    const bool own = s->set && shapelet.series < ww_series_set_count(s->set) &&
                     shapelet.start + shapelet.length <= ww_series_set_length(s->set, shapelet.series);
    size_t matches[MOST_CLASSES + 1], found = 0;
    const size_t count = s->set ? choose_matches(s, number, own ? shapelet.series : SIZE_MAX, matches, &found) : 0;
    snprintf(title, sizeof title, "shapelet %zu: %zu points of series %zu, information gain %.4f, gap %.4f", number,
             shapelet.length, shapelet.series, shapelet.gain, shapelet.gap);
    if (found > count)
        snprintf(title + strlen(title), sizeof title - strlen(title),
                 "; the %zu classes with the nearest series, %zu of %zu are left out", count, found - count, found);
    cli_picture_text_within(d->picture, 16, top + 16, CLI_SHAPELETS_WIDTH - 32, "start", CLI_INK, title);
    top += HEAD;
    snprintf(title, sizeof title, "%s, series %zu: its own", ww_shapelets_class_name(s->model, shapelet.label),
             shapelet.series);
    if (own)
        draw_series(d, 0, top, shapelet.series, shapelet.start, shapelet.length, title);
    else
        draw_cell(d, 0, top, shapelet.values, shapelet.length, 0, shapelet.length, title);
    for (size_t m = 0; m < count; m++) {
        const size_t at = matches[m] * s->info.shapelets + number;
        snprintf(title, sizeof title, "%s, series %zu: %.3g",
                 ww_shapelets_class_name(s->model, (size_t)s->classes[matches[m]]), matches[m], s->distances[at]);
        draw_series(d, (double)((m + 1) % ACROSS) * CELL_WIDTH, top + (double)((m + 1) / ACROSS) * cell_height(s),
                    matches[m], (size_t)s->starts[at], shapelet.length, title);
    }
    return CLI_GO_ON;
}

// ---- which shapelets

// The first shapelet that is the same window: those of the tree are often among the best.
static int find_same(const cli_shapelets *s, size_t *same) {
    CLI_FREES ww_shapelet *all = calloc(s->info.shapelets + 1, sizeof *all);
    if (!all)
        return cli_error("the picture does not fit memory");
    for (size_t i = 0; i < s->info.shapelets; i++) {
        all[i] = (ww_shapelet)WW_SHAPELET_INIT;
        CLI_TRY(cli_status(ww_shapelets_get_shapelet(s->model, i, &all[i])));
        same[i] = i;
        for (size_t k = i; k-- > 0;)
            if (all[k].series == all[i].series && all[k].start == all[i].start && all[k].length == all[i].length)
                same[i] = k;
    }
    return CLI_GO_ON;
}

static const char *class_name(const void *user, size_t k) {
    return ww_shapelets_class_name(((const cli_shapelets *)user)->model, k);
}

static int draw_all(cli_shapelet_picture *d, const char *path, size_t drawn, size_t different) {
    const cli_shapelets *s = d->s;
    const double legend =
        cli_picture_legend(NULL, 16, 0, CLI_SHAPELETS_WIDTH - 32, true, s->info.classes, class_name, s);
    const double height = 36 + legend + (double)drawn * shapelet_height(s) + cli_shapelets_tree_height(d);
    cli_picture picture;
    char text[256], channels[48];
    snprintf(text, sizeof text,
             "%zu of %zu shapelets%s. A row has the series of the shapelet, then the nearest series of each class with "
             "its distance.",
             drawn, different, cli_stack_note(s->info.channels, channels, sizeof channels));
    CLI_TRY(cli_picture_open(path, CLI_SHAPELETS_WIDTH, height, "Shapelets", text, &picture));
    int result = CLI_GO_ON;
    d->picture = &picture;
    cli_picture_text_within(&picture, 16, 18, CLI_SHAPELETS_WIDTH - 32, "start", CLI_INK, text);
    (void)cli_picture_legend(&picture, 16, 40, CLI_SHAPELETS_WIDTH - 32, true, s->info.classes, class_name, s);
    double top = 36 + legend;
    for (size_t i = 0, done = 0; i < s->info.shapelets && done < drawn && result == CLI_GO_ON; i++)
        if (d->same[i] == i) {
            result = draw_shapelet(d, i, top);
            top += shapelet_height(s);
            done++;
        }
    if (result == CLI_GO_ON)
        cli_shapelets_draw_tree(d, top);
    return cli_picture_close(&picture, result);
}

int cli_shapelets_draw(const cli_shapelets *s, const char *path) {
    CLI_ENDS(cli_shapelets_free_picture) cli_shapelet_picture d = {.s = s};
    size_t different = 0;
    d.same = malloc((s->info.shapelets + 1) * sizeof *d.same);
    if (!d.same)
        return cli_error("the picture does not fit memory");
    CLI_TRY(find_same(s, d.same));
    CLI_TRY(cli_shapelets_get_tree(&d));
    for (size_t i = 0; i < s->info.shapelets; i++)
        different += d.same[i] == i;
    const size_t each = cells_of(s) * cli_stack_panels(s->info.channels),
                 most = MOST_PANELS > each ? MOST_PANELS / each : 1;
    const size_t fit = (size_t)fmax(1, MOST_HEIGHT / shapelet_height(s)), rows = most < fit ? most : fit;
    const size_t drawn = different < rows ? different : rows;
    d.panels = drawn * each;
    return draw_all(&d, path, drawn, different);
}
