// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp choose: the accuracy of each candidate, over its number, or a row a candidate. The one that
// is chosen is marked.
#include "pictures/choose_picture.h"

#include <math.h>
#include <stdlib.h>

#include "pictures/picture.h"

enum { WIDTH = 760, TALL = 260, ROW = 18, MOST_ROWS = 60, NAME = 300, TITLE = 56 };

static double accuracy(const cli_choose_picture *p, size_t i) {
    return (double)p->correct[i] / (double)p->total;
}

static void finish_range(const cli_choose_picture *p, double *from, double *to) {
    *from = INFINITY;
    *to = -INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        const double value = accuracy(p, i);
        cli_range_add(&value, 1, 1, from, to);
    }
    cli_range_add(&p->euclidean, 1, 1, from, to);
    cli_range_finish(0.06, from, to);
    *from = fmax(*from, -0.02);
    *to = fmin(*to, 1.02);
}

static void draw_dot(const cli_choose_picture *p, const cli_panel *panel, double x, double y, size_t i) {
    char name[512], text[640];
    p->name(p->user, i, name, sizeof name);
    snprintf(text, sizeof text, "%s: %zu of %zu, %.4f", name, p->correct[i], p->total, accuracy(p, i));
    cli_panel_dot(panel, x, y, i == p->best ? 5 : 3, i == p->best ? CLI_ACCENT : 0, text);
}

// A row a candidate.
static void draw_rows(const cli_choose_picture *p, cli_picture *picture) {
    cli_panel panel = {.picture = picture,
                       .left = NAME,
                       .top = TITLE,
                       .width = WIDTH - NAME - 24,
                       .height = ROW * (double)p->count,
                       .y_to = (double)p->count,
                       .down = true};
    char name[512];
    finish_range(p, &panel.x_from, &panel.x_to);
    cli_panel_x_axis(&panel, "accuracy");
    cli_panel_frame(&panel);
    if (!isnan(p->euclidean))
        cli_panel_segment(&panel, p->euclidean, 0, p->euclidean, panel.y_to, CLI_INK, true);
    for (size_t i = 0; i < p->count; i++) {
        const double y = (double)i + 0.5;
        p->name(p->user, i, name, sizeof name);
        cli_picture_text_within(picture, NAME - 8, cli_panel_y(&panel, y) + 4, NAME - 20, "end",
                                i == p->best ? CLI_ACCENT : CLI_INK, name);
        cli_panel_segment(&panel, panel.x_from, y, accuracy(p, i), y, CLI_FAINT, false);
        draw_dot(p, &panel, accuracy(p, i), y, i);
    }
}

static int draw_line(const cli_choose_picture *p, cli_picture *picture) {
    cli_panel panel = {.picture = picture,
                       .left = CLI_LEFT + 16,
                       .top = TITLE,
                       .width = WIDTH - CLI_LEFT - 40,
                       .height = TALL,
                       .x_from = INFINITY,
                       .x_to = -INFINITY};
    const size_t step = 1 + p->count / 1000;
    CLI_FREES double *xs = malloc(p->count * sizeof *xs);
    CLI_FREES double *ys = malloc(p->count * sizeof *ys);
    if (!xs || !ys)
        return cli_error("the picture does not fit memory");
    for (size_t i = 0; i < p->count; i++) {
        xs[i] = p->numbers ? p->numbers[i] : (double)i;
        ys[i] = accuracy(p, i);
    }
    cli_range_add(xs, p->count, 1, &panel.x_from, &panel.x_to);
    cli_range_finish(0.02, &panel.x_from, &panel.x_to);
    finish_range(p, &panel.y_from, &panel.y_to);
    cli_panel_axes(&panel, p->numbers ? p->label : "candidate, in the order of the table", "accuracy");
    if (!isnan(p->euclidean))
        cli_panel_segment(&panel, panel.x_from, p->euclidean, panel.x_to, p->euclidean, CLI_INK, true);
    cli_panel_points_line(&panel, xs, ys, p->count, 0, 1.2);
    for (size_t i = 0; i < p->count; i += step)
        draw_dot(p, &panel, xs[i], ys[i], i);
    draw_dot(p, &panel, xs[p->best], ys[p->best], p->best);
    return CLI_GO_ON;
}

int cli_choose_draw(const cli_choose_picture *p) {
    const bool rows = !p->numbers && p->count <= MOST_ROWS;
    cli_picture picture;
    char name[512], text[700];
    p->name(p->user, p->best, name, sizeof name);
    snprintf(text, sizeof text, "%zu candidates, each training series classified by the others; chosen: %s", p->count,
             name);
    CLI_TRY(cli_picture_open(p->path, WIDTH, TITLE + (rows ? ROW * (double)p->count : TALL) + CLI_BELOW + 10,
                             "Accuracy of the candidates", text, &picture));
    cli_picture_text_within(&picture, 16, 20, WIDTH - 32, "start", CLI_INK, text);
    snprintf(text, sizeof text, "chosen: %.4f (%zu of %zu)", accuracy(p, p->best), p->correct[p->best], p->total);
    const double next = cli_picture_key(&picture, 16, 40, CLI_ACCENT, text);
    snprintf(text, sizeof text, "dashed: Euclidean distance, %.4f", p->euclidean);
    if (!isnan(p->euclidean))
        cli_picture_text(&picture, next, 40, "start", CLI_INK, text);
    if (rows)
        draw_rows(p, &picture);
    return cli_picture_close(&picture, rows ? CLI_GO_ON : draw_line(p, &picture));
}
