// SPDX-License-Identifier: Apache-2.0
// The matrix of a pair of series with the series at its sides, and the picture of an expected alignment in it. See
// pair_picture.h.
#include "pictures/pair_picture.h"

#include <math.h>

void cli_pair_make(cli_picture *picture, const ww_series_set *const sets[2], const size_t members[2], cli_pair *pair) {
    *pair = (cli_pair){.picture = picture, .least = INFINITY, .most = -INFINITY};
    pair->channels = ww_series_set_channels(sets[0]);
    for (int i = 0; i < 2; i++) {
        pair->values[i] = ww_series_set_values(sets[i], members[i]);
        pair->lengths[i] = ww_series_set_length(sets[i], members[i]);
        cli_range_add(pair->values[i], pair->lengths[i] * pair->channels, 1, &pair->least, &pair->most);
    }
    cli_range_finish(0.05, &pair->least, &pair->most);
}

void cli_pair_series(const cli_pair *pair, const cli_panel *panel, int side) {
    const size_t length = pair->lengths[side];
    const int look = side == 0 ? CLI_PAIR_X : CLI_PAIR_Y;
    for (size_t drawn = cli_stack_panels(pair->channels); drawn-- > 0;)
        cli_panel_line(panel, pair->values[side] + drawn * length, length, 1, 0, 1, look, drawn ? 0.7 : 1.8);
}

cli_panel cli_pair_matrix(const cli_pair *pair, double left, double top, double size) {
    const cli_panel matrix = cli_heat_panel(pair->picture, left, top, size, size, pair->lengths[0], pair->lengths[1]);
    cli_panel above = matrix, beside = matrix;
    above.top = top - CLI_PAIR_ABOVE;
    above.height = beside.width = CLI_PAIR_SIDE;
    above.y_from = pair->least;
    above.y_to = pair->most;
    above.down = false;
    cli_pair_series(pair, &above, 1);
    // x goes downwards, its values to the left.
    beside.left = left - CLI_PAIR_LEFT;
    beside.x_from = pair->most;
    beside.x_to = pair->least;
    beside.turned = true;
    cli_pair_series(pair, &beside, 0);
    return matrix;
}

void cli_pair_axes(const cli_panel *matrix) {
    cli_panel_axes(matrix, "j, points of y", "i, points of x");
}

double cli_pair_keys(const cli_pair *pair, double x, double y) {
    return cli_picture_key(pair->picture, cli_picture_key(pair->picture, x, y, CLI_PAIR_X, "x"), y, CLI_PAIR_Y, "y");
}

void cli_pair_channels(const cli_pair *pair, double x, double y) {
    char text[64] = "channel 0 is thick";
    if (pair->channels > CLI_MOST_CHANNELS)
        snprintf(text, sizeof text, "channels 0 (thick) to %d of %zu", CLI_MOST_CHANNELS - 1, pair->channels);
    if (pair->channels > 1)
        cli_picture_text(pair->picture, x, y, "start", CLI_INK, text);
}

// ---- an expected alignment

int cli_alignment_draw(const cli_alignment_picture *wanted) {
    enum { SIZE = 430, LEFT = CLI_PAIR_LEFT + 16, TOP = 58 + CLI_PAIR_ABOVE, WIDTH = LEFT + SIZE + 24 };
    const double least_share = 0.002; // less has the page's colour
    cli_picture picture;
    cli_pair pair;
    CLI_ENDS(cli_heat_free) cli_heat heat = {0};
    char text[256], note[96];
    cli_pair_make(&picture, wanted->sets, wanted->members, &pair);
    CLI_TRY(cli_heat_make(pair.lengths[0], pair.lengths[1], true, &heat));
    for (size_t i = 0; i < pair.lengths[0]; i++)
        for (size_t j = 0; j < pair.lengths[1]; j++) {
            const double p = cli_value_at(wanted->cells, wanted->precision, i * pair.lengths[1] + j);
            if (p >= least_share)
                cli_heat_add(&heat, i, j, p);
        }
    snprintf(text, sizeof text, "%s, gamma %g, of pair %zu: %.6g%s", ww_measure_info_by_id(wanted->measure->id)->name,
             wanted->measure->gamma, wanted->pair, wanted->value, cli_heat_note(&heat, note, sizeof note));
    CLI_TRY(cli_picture_open(wanted->path, WIDTH, TOP + SIZE + 100, "Expected alignment", text, &picture));
    cli_picture_text_within(&picture, 16, 20, WIDTH - 32, "start", CLI_INK, text);
    cli_pair_channels(&pair, cli_pair_keys(&pair, 16, 40), 40);
    const cli_panel matrix = cli_pair_matrix(&pair, LEFT, TOP, SIZE);
    cli_pair_axes(&matrix);
    return cli_picture_close(&picture,
                             cli_heat_draw(&heat, &matrix, LEFT, TOP + SIZE + 52, "share of the paths, from 0.002"));
}
