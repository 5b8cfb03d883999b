// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp classify: how many series of each class (rows) were taken for each class (columns). See
// confusion_picture.h.
#include "pictures/confusion_picture.h"

#include <math.h>

#include "pictures/picture.h"

enum { LEFT = 42, TOP = 44, RIGHT = 24, LONGEST = 150, SCALE = 40, LARGEST = 44, MOST = 600, LEAST = 160, FEW = 15 };

// Units of the longest name that is drawn.
static double names_width(const cli_classified *c) {
    double widest = 0;
    for (size_t k = 0; k < c->found.classes; k++)
        widest = fmax(widest, cli_text_width(c->classes[k]));
    return fmin(widest, LONGEST);
}

// The names of the rows and, turned, of the columns, as many as fit.
static void draw_names(const cli_classified *c, const cli_panel *panel, double cell, double names) {
    const size_t step = (size_t)fmax(1, ceil(14 / cell));
    cli_picture *picture = panel->picture;
    for (size_t k = 0; k < c->found.classes; k += step) {
        const double x = cli_panel_x(panel, (double)k), y = cli_panel_y(panel, (double)k);
        cli_picture_text_within(picture, panel->left - 6, y + 4, names, "end", CLI_INK, c->classes[k]);
        cli_picture_text_turned(picture, x + 4, panel->top + panel->height + 6, names, "end", c->classes[k]);
    }
    cli_picture_text_turned(picture, 16, panel->top + panel->height / 2, INFINITY, "middle", "true class");
    cli_picture_text(picture, panel->left + panel->width / 2, panel->top + panel->height + names + 24, "middle",
                     CLI_INK, "predicted class");
}

static void draw_counts(const cli_classified *c, const cli_heat *heat, const cli_panel *panel) {
    char text[32];
    for (size_t i = 0; i < c->found.classes; i++)
        for (size_t j = 0; j < c->found.classes; j++) {
            snprintf(text, sizeof text, "%zu", c->found.confusion[i * c->found.classes + j]);
            cli_heat_text(heat, panel, i, j, text);
        }
}

int cli_confusion_draw(const cli_classified *c, const char *path) {
    const ww_classification *r = &c->found;
    const size_t n = r->classes;
    if (!r->labelled || !r->confusion)
        return cli_error("--svg draws the confusion of the classes: the test series have no labels, or there are more "
                         "than %d classes",
                         WW_CLASSIFY_MOST_CONFUSED);
    const double size = fmin(MOST, fmax(LEAST, LARGEST * (double)n)), cell = size / (double)n;
    const double names = names_width(c), left = LEFT + names, below = TOP + size + names;
    const double width = left + fmax(size, 340) + RIGHT;
    cli_picture picture;
    char text[256], label[128], note[96];
    CLI_ENDS(cli_heat_free) cli_heat heat = {0};
    CLI_TRY(cli_heat_make(n, n, true, &heat));
    for (size_t i = 0; i < n * n; i++)
        cli_heat_add(&heat, i / n, i % n, (double)r->confusion[i]);
    snprintf(text, sizeof text, "%s: %zu of %zu test series right, accuracy %.4f", c->measure, r->correct, r->labelled,
             (double)r->correct / (double)r->labelled);
    CLI_TRY(cli_picture_open(path, width, below + 40 + SCALE, "Confusion of the classes", text, &picture));
    const cli_panel panel = cli_heat_panel(&picture, left, TOP, size, size, n, n);
    cli_picture_text_within(&picture, 16, 20, width - 32, "start", CLI_INK, text);
    snprintf(label, sizeof label, "series%s", cli_heat_note(&heat, note, sizeof note));
    const int result = cli_heat_draw(&heat, &panel, left, below + 36, label);
    if (result == CLI_GO_ON && n <= FEW)
        draw_counts(c, &heat, &panel);
    draw_names(c, &panel, cell, names);
    cli_panel_frame(&panel);
    return cli_picture_close(&picture, result);
}
