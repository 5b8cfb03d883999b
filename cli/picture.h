// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG: panels with axes, lines, points, cells, text; colours for light and dark pages. What a picture shows
// is the commands' own matter.
#ifndef WAVEWARP_CLI_PICTURE_H
#define WAVEWARP_CLI_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

typedef struct cli_picture {
    cli_output out;
    double width, height;
} cli_picture;

// Opens FILE and writes the head: `width` x `height` units (pixels at scale 1), a title for readers of the screen.
int cli_picture_open(const char *path, double width, double height, const char *title, cli_picture *picture);
// Closes the picture; only then the file gets its name. CLI_GO_ON, or the exit code after the error was reported.
int cli_picture_close(cli_picture *picture);

// How a mark looks: a colour of the palette (0 to 7, beyond: again from 0) or one of these.
enum { CLI_INK = -1, CLI_FAINT = -2, CLI_ACCENT = -3 };

// A rectangle of the picture with its scales. The vertical scale grows upwards; `down` turns it (matrices).
typedef struct cli_panel {
    cli_picture *picture;
    double left, top, width, height; // of the area inside the axes, in units of the picture
    double x_from, x_to, y_from, y_to;
    bool logarithmic_x, down;
} cli_panel;

// Widens [*from, *to] to all finite ones of `count` values, `stride` apart. Start with INFINITY and -INFINITY.
void cli_range_add(const double *values, size_t count, size_t stride, double *from, double *to);
// A range that can be drawn: finite, not empty, with a margin of `share` at both sides.
void cli_range_finish(double share, double *from, double *to);

// Frame, grid, ticks at round values; a label may be NULL.
void cli_panel_axes(const cli_panel *panel, const char *x_label, const char *y_label);
double cli_panel_x(const cli_panel *panel, double x);
double cli_panel_y(const cli_panel *panel, double y);

// A line through (x + i * step, values[i * stride]); a value that is not finite interrupts it. Long lines are thinned
// to the least and the largest value a unit of the picture.
void cli_panel_line(const cli_panel *panel, const double *values, size_t count, size_t stride, double x, double step,
                    int look, double thickness);
// A line through the points (xs[i], ys[i]).
void cli_panel_points_line(const cli_panel *panel, const double *xs, const double *ys, size_t count, int look,
                           double thickness);
// A straight line between two points of the panel.
void cli_panel_segment(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, bool dashed);
// A filled circle of `radius` units, with a text that is shown when pointed at (or NULL).
void cli_panel_dot(const cli_panel *panel, double x, double y, double radius, int look, const char *text);
// A filled rectangle between two corners, `opacity` in 0..1.
void cli_panel_area(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, double opacity);
// Text at a place of the panel, or of the picture. `anchor`: "start", "middle", "end".
void cli_panel_text(const cli_panel *panel, double x, double y, const char *anchor, int look, const char *text);
void cli_picture_text(cli_picture *picture, double x, double y, const char *anchor, int look, const char *text);
// A sample of a look and its name, in the picture's units; the place for the next one to the right.
double cli_picture_key(cli_picture *picture, double x, double y, int look, const char *name);

#endif
