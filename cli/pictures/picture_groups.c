// SPDX-License-Identifier: Apache-2.0
// Groups of series in cells: some members, faint, under their centre; a panel for each channel. See picture.h.
#include <math.h>

#include "pictures/picture.h"

enum { ACROSS = 3, CELL_WIDTH = 350, TITLE = 50, NOTE = 28, RIGHT = 20, ALONE = 110, TOGETHER = 64, MOST_PANELS = 180 };

static size_t panels_of(const cli_groups *groups) {
    return cli_stack_panels(ww_series_set_channels(groups->set));
}

static size_t shown(const cli_groups *groups) {
    const size_t most = MOST_PANELS / panels_of(groups);
    return groups->count < most ? groups->count : most;
}

static double panel_height(const cli_groups *groups) {
    return panels_of(groups) > 1 ? TOGETHER : ALONE;
}

static double cell_height(const cli_groups *groups) {
    return TITLE + cli_stack_height(panels_of(groups), panel_height(groups)) + CLI_BELOW + 10;
}

double cli_groups_width(const cli_groups *groups) {
    return CELL_WIDTH * (double)(groups->count < ACROSS ? groups->count : ACROSS);
}

double cli_groups_height(const cli_groups *groups) {
    const size_t rows = (shown(groups) + ACROSS - 1) / ACROSS;
    const bool all = shown(groups) == groups->count && panels_of(groups) == ww_series_set_channels(groups->set);
    return (double)rows * cell_height(groups) + (all ? 0 : NOTE);
}

static void draw_group(const cli_groups *groups, const cli_group *group, int look, cli_picture *picture, double left,
                       double top) {
    const double width = CELL_WIDTH - CLI_LEFT - RIGHT;
    cli_stack stack;
    char note[256], drawn[48] = "";
    size_t points = group->length, step;
    cli_stack_make(&stack, picture, ww_series_set_channels(groups->set), left + CLI_LEFT, top + TITLE, width,
                   panel_height(groups));
    cli_stack_range(&stack, group->centre, group->length);
    for (size_t i = 0; i < group->count; i++) {
        const size_t length = ww_series_set_length(groups->set, group->members[i]);
        cli_stack_range(&stack, ww_series_set_values(groups->set, group->members[i]), length);
        points = length > points ? length : points;
    }
    const double detail = cli_sample(shown(groups) * panels_of(groups), points, width, group->count, &step);
    for (size_t c = 0; c < stack.count; c++)
        stack.panels[c].detail = detail;
    cli_stack_finish(&stack);
    cli_stack_axes(&stack, "time");
    for (size_t i = 0; i < group->count; i += step) {
        const size_t length = ww_series_set_length(groups->set, group->members[i]);
        cli_stack_line(&stack, ww_series_set_values(groups->set, group->members[i]), length, 0, length, 0, CLI_FAINT,
                       0.6);
    }
    cli_stack_line(&stack, group->centre, group->length, 0, group->length, 0, look, 2);
    if (step > 1)
        snprintf(drawn, sizeof drawn, ", %zu drawn", (group->count + step - 1) / step);
    snprintf(note, sizeof note, "%s%s", group->note, drawn);
    cli_picture_text_within(picture, left + 16, top + 20, CELL_WIDTH - 20, "start", CLI_INK, group->title);
    cli_picture_text_within(picture, left + 16, top + 36, CELL_WIDTH - 20, "start", CLI_INK, note);
}

void cli_groups_draw(const cli_groups *groups, cli_picture *picture, double top) {
    for (size_t g = 0; g < shown(groups); g++) {
        cli_group group = {.members = NULL};
        groups->get(groups->user, g, &group);
        // A colour without dashes: the titles tell the groups apart.
        draw_group(groups, &group, (int)(g % 8), picture, (double)(g % ACROSS * CELL_WIDTH),
                   top + (double)(g / ACROSS) * cell_height(groups));
    }
    char text[192], channels[48];
    cli_stack_note(ww_series_set_channels(groups->set), channels, sizeof channels);
    if (shown(groups) < groups->count || *channels) {
        snprintf(text, sizeof text, "The first %zu of %zu %s are drawn%s.", shown(groups), groups->count, groups->name,
                 channels);
        cli_picture_text(picture, 16, top + cli_groups_height(groups) - 8, "start", CLI_INK, text);
    }
}
