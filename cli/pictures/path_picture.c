// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp path: a pair of series, links between matched points, the matrix with band and path.
#include <math.h>
#include <stdlib.h>

#include "pictures/pair_picture.h"

enum { WIDTH = 1010, HEIGHT = 480, MOST_LINKS = 160, MOST_BAND_ROWS = 240 };
enum { LEFT = CLI_LEFT + 16, UPPER = 64, LOWER = 276, TALL = 160, WIDE = 350 };
enum { MATRIX_LEFT = 660, MATRIX_TOP = 104, MATRIX_SIZE = 330 };

// One series above the other, and lines between matched points of their first channels. The numbers of the upper scale
// are above, those of the lower one below: no link meets them.
static void draw_links(const cli_path_picture *wanted, const cli_pair *pair) {
    const size_t longer = pair->lengths[0] > pair->lengths[1] ? pair->lengths[0] : pair->lengths[1];
    cli_panel upper = {.picture = pair->picture,
                       .left = LEFT,
                       .top = UPPER,
                       .width = WIDE,
                       .height = TALL,
                       .x_to = longer > 1 ? (double)(longer - 1) : 1,
                       .y_from = pair->least,
                       .y_to = pair->most,
                       .counted = true,
                       .x_above = true};
    cli_panel lower = upper, all = upper;
    lower.top = LOWER;
    lower.x_above = false;
    all.height = LOWER + TALL - UPPER;
    all.down = true;
    all.y_from = UPPER;
    all.y_to = LOWER + TALL;
    cli_panel_axes(&upper, NULL, "x");
    cli_panel_axes(&lower, "time", "y");
    const size_t step = (wanted->count + MOST_LINKS - 1) / MOST_LINKS;
    for (size_t c = 0; c < wanted->count; c += step) {
        const int32_t i = wanted->cells[2 * c], j = wanted->cells[2 * c + 1];
        if (i >= 0 && j >= 0)
            cli_panel_segment(&all, i, cli_panel_y(&upper, pair->values[0][i]), j,
                              cli_panel_y(&lower, pair->values[1][j]), CLI_FAINT, false);
    }
    cli_pair_series(pair, &upper, 0);
    cli_pair_series(pair, &lower, 1);
}

// The band as one area for some rows.
static void draw_band(const ww_measure *measure, const cli_pair *pair, const cli_panel *panel) {
    const bool derived = measure->id == WW_DDTW || measure->id == WW_WDDTW;
    const size_t off = derived ? 1 : 0, n = pair->lengths[0] - 2 * off, m = pair->lengths[1] - 2 * off;
    CLI_FREES size_t *lo = malloc(n * sizeof *lo);
    CLI_FREES size_t *hi = malloc(n * sizeof *hi);
    if (measure->band.kind != WW_BAND_NONE && lo && hi && ww_band_rows(&measure->band, n, m, lo, hi) == WW_OK) {
        const size_t step = (n + MOST_BAND_ROWS - 1) / MOST_BAND_ROWS;
        for (size_t i = 0; i < n; i += step) {
            const size_t end = i + step < n ? i + step : n;
            size_t low = lo[i], high = hi[i];
            for (size_t k = i + 1; k < end; k++) {
                low = lo[k] < low ? lo[k] : low;
                high = hi[k] > high ? hi[k] : high;
            }
            if (low < high)
                cli_panel_area(panel, (double)(low + off) - 0.5, (double)(i + off) - 0.5, (double)(high + off) - 0.5,
                               (double)(end + off) - 0.5, CLI_INK, 0.12);
        }
    }
}

static int draw_matrix(const cli_path_picture *wanted, const cli_pair *pair) {
    const size_t count = wanted->count;
    CLI_FREES double *xs = malloc((count + 1) * sizeof *xs);
    CLI_FREES double *ys = malloc((count + 1) * sizeof *ys);
    if (!xs || !ys)
        return cli_error("the picture does not fit memory");
    const cli_panel matrix = cli_pair_matrix(pair, MATRIX_LEFT, MATRIX_TOP, MATRIX_SIZE);
    draw_band(wanted->measure, pair, &matrix);
    cli_pair_axes(&matrix);
    for (size_t c = 0; c < count; c++) { // -1 is the border
        xs[c] = fmax(wanted->cells[2 * c + 1], -0.5);
        ys[c] = fmax(wanted->cells[2 * c], -0.5);
    }
    cli_panel_points_line(&matrix, xs, ys, count, CLI_PAIR_PATH, 2);
    if (count) {
        cli_panel_dot(&matrix, xs[0], ys[0], 3, CLI_PAIR_PATH, "the beginning of the path");
        cli_panel_dot(&matrix, xs[count - 1], ys[count - 1], 3, CLI_PAIR_PATH, "the end of the path");
    }
    return CLI_GO_ON;
}

int cli_path_draw(const cli_path_picture *wanted) {
    const size_t step = (wanted->count + MOST_LINKS - 1) / MOST_LINKS;
    cli_picture picture;
    cli_pair pair;
    char title[192], note[64] = "";
    cli_pair_make(&picture, wanted->sets, wanted->members, &pair);
    if (step > 1)
        snprintf(note, sizeof note, ", one link in %zu is drawn", step);
    snprintf(title, sizeof title, "%s of pair %zu: %.6g, a path of %zu cells%s",
             ww_measure_info_by_id(wanted->measure->id)->name, wanted->pair, wanted->distance, wanted->count, note);
    CLI_TRY(cli_picture_open(wanted->path, WIDTH, HEIGHT, "Warping path", title, &picture));
    cli_picture_text_within(&picture, 16, 20, 510, "start", CLI_INK, title);
    const double next = cli_pair_keys(&pair, 530, 20);
    cli_pair_channels(&pair, cli_picture_key(&picture, next, 20, CLI_PAIR_PATH, "path"), 20);
    draw_links(wanted, &pair);
    return cli_picture_close(&picture, draw_matrix(wanted, &pair));
}
