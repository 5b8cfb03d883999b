// SPDX-License-Identifier: Apache-2.0
// The channels of series in panels above each other, and how many series a panel shows. See picture.h.
#include <math.h>

#include "pictures/picture.h"

enum { GAP = 10, MOST_POINTS = 40000, FEWEST_LINES = 3, MOST_LINES = 60 };

size_t cli_stack_panels(size_t channels) {
    return channels < CLI_MOST_CHANNELS ? channels : CLI_MOST_CHANNELS;
}

double cli_stack_height(size_t channels, double height) {
    return (height + GAP) * (double)cli_stack_panels(channels) - GAP;
}

void cli_stack_make(cli_stack *stack, cli_picture *picture, size_t channels, double left, double top, double width,
                    double height) {
    stack->channels = channels;
    stack->count = cli_stack_panels(channels);
    for (size_t c = 0; c < stack->count; c++)
        stack->panels[c] = (cli_panel){.picture = picture,
                                       .left = left,
                                       .top = top + (double)c * (height + GAP),
                                       .width = width,
                                       .height = height,
                                       .x_to = 1,
                                       .y_from = INFINITY,
                                       .y_to = -INFINITY,
                                       .counted = true,
                                       .x_bare = c + 1 < stack->count};
}

void cli_stack_range(cli_stack *stack, const double *values, size_t length) {
    for (size_t c = 0; c < stack->count; c++) {
        cli_panel *panel = &stack->panels[c];
        cli_range_add(values + c * length, length, 1, &panel->y_from, &panel->y_to);
        panel->x_to = fmax(panel->x_to, (double)length - 1);
    }
}

void cli_stack_finish(cli_stack *stack) {
    for (size_t c = 0; c < stack->count; c++)
        cli_range_finish(0.04, &stack->panels[c].y_from, &stack->panels[c].y_to);
}

void cli_stack_axes(const cli_stack *stack, const char *x_label) {
    for (size_t c = 0; c < stack->count; c++) {
        char name[32];
        snprintf(name, sizeof name, stack->panels[c].height < 60 ? "ch %zu" : "channel %zu", c);
        cli_panel_axes(&stack->panels[c], c + 1 == stack->count ? x_label : NULL, stack->channels > 1 ? name : NULL);
    }
}

void cli_stack_line(const cli_stack *stack, const double *values, size_t length, size_t from, size_t to, double x,
                    int look, double thickness) {
    for (size_t c = 0; c < stack->count && from < to && to <= length; c++)
        cli_panel_line(&stack->panels[c], values + c * length + from, to - from, 1, x, 1, look, thickness);
}

const char *cli_stack_note(size_t channels, char *text, size_t size) {
    *text = '\0';
    if (channels > CLI_MOST_CHANNELS)
        snprintf(text, size, " (channels 0 to %d of %zu)", CLI_MOST_CHANNELS - 1, channels);
    return text;
}

double cli_sample(size_t panels, size_t points, double width, size_t count, size_t *step) {
    const double detail = fmax(2, 2 * width * FEWEST_LINES * (double)panels / MOST_POINTS);
    const double each = fmax(1, fmin((double)points, 2 * width / detail));
    const double lines = fmax(FEWEST_LINES, fmin(MOST_POINTS / (each * (double)panels), MOST_LINES));
    *step = (size_t)ceil((double)count / lines);
    if (*step == 0)
        *step = 1;
    return detail;
}
