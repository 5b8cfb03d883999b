// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG: panels with lines, points, areas, text; axes and legends (picture_axes.c); panels of a series'
// channels (picture_channels.c); heat maps (picture_heat.c); colours for light and dark pages. What a picture shows is
// the commands' own matter.
#ifndef WAVEWARP_CLI_PICTURE_H
#define WAVEWARP_CLI_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/common.h"

typedef struct cli_picture {
    cli_output out;
    double width, height;
} cli_picture;

// Opens FILE and writes the head: `width` x `height` units (pixels at scale 1), a title and a description for readers
// of the screen.
int cli_picture_open(const char *path, double width, double height, const char *title, const char *description,
                     cli_picture *picture);
// Closes the picture; only then the file gets its name. Where `result` is not CLI_GO_ON, the file is removed. Gives
// `result`, or the exit code after the error was reported.
int cli_picture_close(cli_picture *picture, int result);

// How a mark looks: a number (a colour of eight; from 8 on lines are dashed and points have other shapes, so that 56
// differ), or one of these.
enum { CLI_INK = -1, CLI_FAINT = -2, CLI_ACCENT = -3 };

// A rectangle of the picture with its scales. The vertical scale grows upwards; `down` turns it (matrices).
typedef struct cli_panel {
    cli_picture *picture;
    double left, top, width, height; // of the area inside the axes, in units of the picture
    double x_from, x_to, y_from, y_to;
    double detail; // units of the picture of which a long line keeps the least and the largest value; 0: 2
    bool logarithmic_x, logarithmic_y, down;
    bool turned;  // lines go along the vertical scale, their values along the horizontal one
    bool counted; // the horizontal scale counts points: no ticks between whole numbers
    bool x_above; // its numbers are above the panel
    bool x_bare;  // it has no numbers: the panel below has them
} cli_panel;

// Widens [*from, *to] to all finite ones of `count` values, `stride` apart. Start with INFINITY and -INFINITY.
void cli_range_add(const double *values, size_t count, size_t stride, double *from, double *to);
// A range that can be drawn: finite, not empty, with a margin of `share` at both sides.
void cli_range_finish(double share, double *from, double *to);

double cli_panel_x(const cli_panel *panel, double x);
double cli_panel_y(const cli_panel *panel, double y);

// A line through (x + i * step, values[i * stride]); a value that is not finite interrupts it. Long lines are thinned:
// see `detail`.
void cli_panel_line(const cli_panel *panel, const double *values, size_t count, size_t stride, double x, double step,
                    int look, double thickness);
// A line through the points (xs[i], ys[i]). Points that are not apart in the picture are left out.
void cli_panel_points_line(const cli_panel *panel, const double *xs, const double *ys, size_t count, int look,
                           double thickness);
// A straight line between two points of the panel.
void cli_panel_segment(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, bool dashed);
// A filled circle of `radius` units, with a text that is shown when pointed at (or NULL).
void cli_panel_dot(const cli_panel *panel, double x, double y, double radius, int look, const char *text);
// The same in the shape of the look.
void cli_panel_mark(const cli_panel *panel, double x, double y, double radius, int look, const char *text);
// A filled rectangle between two corners, `opacity` in 0..1.
void cli_panel_area(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, double opacity);

// ---- text

// Units that a text is wide, at most: of letters as wide as they get.
double cli_text_width(const char *text);
// Text at a place of the panel, or of the picture. `anchor`: "start", "middle", "end".
void cli_panel_text(const cli_panel *panel, double x, double y, const char *anchor, int look, const char *text);
void cli_picture_text(cli_picture *picture, double x, double y, const char *anchor, int look, const char *text);
// At most `width` units of it, with an ellipsis for what is cut off; all of it is shown when pointed at.
void cli_picture_text_within(cli_picture *picture, double x, double y, double width, const char *anchor, int look,
                             const char *text);
// The same, from the bottom up.
void cli_picture_text_turned(cli_picture *picture, double x, double y, double width, const char *anchor,
                             const char *text);
// Text as XML: markup is escaped; what XML can't hold (control characters, bytes that are not UTF-8) becomes \xNN.
void cli_picture_escape(FILE *file, const char *text);

// ---- axes and legends

// Frame, grid, ticks at round values; a label may be NULL. Left of the panel they take up to CLI_LEFT units.
enum { CLI_LEFT = 72, CLI_BELOW = 34 };
void cli_panel_axes(const cli_panel *panel, const char *x_label, const char *y_label);
void cli_panel_x_axis(const cli_panel *panel, const char *label);
// The axes of a panel whose places 0 to count - 1 stand for items: the items' numbers, as many as fit, below and, where
// the panel has a matrix of the items (`down`), at the left.
void cli_panel_items(const cli_panel *panel, const size_t *items, size_t count, const char *label);
void cli_panel_frame(const cli_panel *panel);

// A sample of a look and its name, in the picture's units; the place for the next one to the right.
double cli_picture_key(cli_picture *picture, double x, double y, int look, const char *name);
// The names of looks 0 to count - 1 in rows between `x` and `x` + `width`, the first row at `y`; of very many it says
// how many are not listed. Gives the height. A picture of NULL: gives the height alone. `points`: points are shown,
// else lines.
double cli_picture_legend(cli_picture *picture, double x, double y, double width, bool points, size_t count,
                          const char *(*name)(const void *user, size_t i), const void *user);

// ---- the channels of series, one panel above the other

enum { CLI_MOST_CHANNELS = 6 };

typedef struct cli_stack {
    cli_panel panels[CLI_MOST_CHANNELS];
    size_t channels, count; // of the series, of the panels
} cli_stack;

// The panels of so many channels.
size_t cli_stack_panels(size_t channels);
// The height of panels of `height` each, with what is between them.
double cli_stack_height(size_t channels, double height);
// Panels without a range yet.
void cli_stack_make(cli_stack *stack, cli_picture *picture, size_t channels, double left, double top, double width,
                    double height);
// Widens the scales to a series of `length` points, channel by channel.
void cli_stack_range(cli_stack *stack, const double *values, size_t length);
void cli_stack_finish(cli_stack *stack);
void cli_stack_axes(const cli_stack *stack, const char *x_label);
// Points `from` to `to` - 1 of a series, the first of them at `x`.
void cli_stack_line(const cli_stack *stack, const double *values, size_t length, size_t from, size_t to, double x,
                    int look, double thickness);
// "", or " (channels 0 to 5 of 12)".
const char *cli_stack_note(size_t channels, char *text, size_t size);

// How many of `count` series a panel shows, and with how much detail (see cli_panel), so that a picture of `panels`
// panels stays below a megabyte. Those shown are every *step-th.
double cli_sample(size_t panels, size_t points, double width, size_t count, size_t *step);

// ---- groups of series, each a cell with its members under its centre (picture_groups.c)

typedef struct cli_group {
    const size_t *members;
    size_t count;
    const double *centre;
    size_t length; // of the centre
    char title[512], note[128];
} cli_group;

typedef struct cli_groups {
    const ww_series_set *set;
    size_t count;
    const char *name;                                          // "clusters"
    void (*get)(const void *user, size_t g, cli_group *group); // fills a zeroed group
    const void *user;
} cli_groups;

// The picture's part with the groups; of very many it says how many are drawn.
double cli_groups_width(const cli_groups *groups);
double cli_groups_height(const cli_groups *groups);
void cli_groups_draw(const cli_groups *groups, cli_picture *picture, double top);

// ---- heat maps

// Cells, of which a picture shows at most 400 x 400: each the mean of those it stands for, or the largest.
typedef struct cli_heat {
    size_t rows, columns;   // of the matrix
    size_t across, down;    // cells of the picture
    double *sums, *weights; // of each
    bool largest;
} cli_heat;

int cli_heat_make(size_t rows, size_t columns, bool largest, cli_heat *heat);
void cli_heat_add(cli_heat *heat, size_t row, size_t column, double value); // what is not finite is left out
// A panel of a matrix of so many rows and columns, the first row at the top.
cli_panel cli_heat_panel(cli_picture *picture, double left, double top, double width, double height, size_t rows,
                         size_t columns);
// Fills the panel; the scale of colours is drawn at (x, y) with its label.
int cli_heat_draw(const cli_heat *heat, const cli_panel *panel, double x, double y, const char *label);
// A text on a cell, dark or light as the cell's colour asks for.
void cli_heat_text(const cli_heat *heat, const cli_panel *panel, size_t row, size_t column, const char *text);
// "", or ", a cell of the picture stands for up to 3 x 3".
const char *cli_heat_note(const cli_heat *heat, char *text, size_t size);
void cli_heat_free(cli_heat *heat);

#endif
