// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp profile: a series, its profile, and the windows of motifs and discords in rows between them.
#include <inttypes.h>
#include <math.h>

#include "pictures/picture.h"
#include "results/profile.h"

enum { WIDTH = 940, LEFT = CLI_LEFT + 16, RIGHT = 20, TITLE = 40, ALONE = 150, TOGETHER = 64, PROFILE = 150 };
enum { ROW = 14, MOST_ROWS = 10, MOST_WINDOWS = 200, MOST_SERIES = 8, BETWEEN = 12 };

typedef struct part {
    const cli_profile_picture *p;
    const cli_profile_found *found;
    cli_picture *picture;
    cli_stack series;
    cli_panel rows, profile;
    size_t motifs; // drawn
} part;

static size_t motifs_of(const cli_profile_found *f) {
    return f->motif_count < MOST_ROWS ? f->motif_count : MOST_ROWS;
}

static double series_height(const cli_profile_picture *p) {
    const size_t channels = ww_series_set_channels(p->set);
    return cli_stack_height(channels, channels > 1 ? TOGETHER : ALONE);
}

// The rows of windows, with what is above and below them.
static double rows_height(const cli_profile_found *f) {
    const size_t rows = motifs_of(f) + (f->discord_count > 0);
    return CLI_BELOW + (rows ? (double)rows * ROW + BETWEEN : 0);
}

static double part_height(const cli_profile_picture *p, const cli_profile_found *f) {
    return TITLE + series_height(p) + rows_height(f) + PROFILE + CLI_BELOW + 16;
}

// A window in row `row`; of a pair or a discord also in the series.
static void draw_window(const part *d, int64_t window, double row, int look, bool both) {
    const double from = (double)window, to = from + (double)d->p->window - 1;
    cli_panel_area(&d->rows, from, row + 0.15, to, row + 0.85, look, both ? 0.9 : 0.4);
    for (size_t c = 0; both && c < d->series.count; c++)
        cli_panel_area(&d->series.panels[c], from, d->series.panels[c].y_from, to, d->series.panels[c].y_to, look, 0.2);
}

static void draw_windows(const part *d) {
    const cli_profile_found *f = d->found;
    const double right = d->rows.left - 6;
    char text[64];
    for (size_t m = 0; m < d->motifs; m++) {
        const ww_profile_motif *motif = &f->motifs[m];
        const size_t step = (motif->count + MOST_WINDOWS - 1) / MOST_WINDOWS;
        for (size_t n = 0; n < motif->count; n += step)
            draw_window(d, motif->neighbours[n], (double)m, (int)m + 1, false);
        draw_window(d, motif->first, (double)m, (int)m + 1, true);
        draw_window(d, motif->second, (double)m, (int)m + 1, true);
        snprintf(text, sizeof text, "motif %zu", m + 1);
        cli_picture_text(d->picture, right, cli_panel_y(&d->rows, (double)m + 0.5) + 4, "end", CLI_INK, text);
    }
    for (size_t n = 0; n < f->discord_count && n < MOST_WINDOWS; n++)
        draw_window(d, f->discords[n], (double)d->motifs, CLI_ACCENT, n < MOST_ROWS);
    if (f->discord_count)
        cli_picture_text(d->picture, right, cli_panel_y(&d->rows, (double)d->motifs + 0.5) + 4, "end", CLI_ACCENT,
                         "discords");
}

static void draw_points(const part *d) {
    const cli_profile_found *f = d->found;
    char text[96];
    for (size_t m = 0; m < d->motifs; m++) {
        const int64_t windows[2] = {f->motifs[m].first, f->motifs[m].second};
        snprintf(text, sizeof text, "motif %zu: %" PRId64 " and %" PRId64 ", distance %.4g", m + 1, windows[0],
                 windows[1], f->motifs[m].distance);
        for (int i = 0; i < 2; i++)
            cli_panel_dot(&d->profile, (double)windows[i], f->motifs[m].distance, 4, (int)m + 1, text);
    }
    for (size_t n = 0; n < f->discord_count && n < MOST_WINDOWS; n++) {
        const double distance = f->distances[0][(size_t)f->discords[n] * d->p->k];
        snprintf(text, sizeof text, "discord %zu: %" PRId64 ", distance %.4g", n + 1, f->discords[n], distance);
        cli_panel_dot(&d->profile, (double)f->discords[n], distance, 4, CLI_ACCENT, text);
    }
}

static void draw_title(const part *d, double top) {
    const cli_profile_found *f = d->found;
    char text[256], note[48], left_out[64] = "";
    if (d->motifs < f->motif_count)
        snprintf(left_out, sizeof left_out, "; the first %zu of %zu motifs", d->motifs, f->motif_count);
    snprintf(text, sizeof text, "series %zu%s, windows of %zu points%s", f->series,
             cli_stack_note(ww_series_set_channels(d->p->set), note, sizeof note), d->p->window, left_out);
    cli_picture_text_within(d->picture, 16, top + 20, WIDTH - 32, "start", CLI_INK, text);
}

static void draw_part(const cli_profile_picture *p, const cli_profile_found *f, cli_picture *picture, double top) {
    const size_t length = ww_series_set_length(p->set, f->series), channels = ww_series_set_channels(p->set);
    const double *values = ww_series_set_values(p->set, f->series), width = WIDTH - LEFT - RIGHT;
    part d = {.p = p, .found = f, .picture = picture, .motifs = motifs_of(f)};
    cli_stack_make(&d.series, picture, channels, LEFT, top + TITLE, width, channels > 1 ? TOGETHER : ALONE);
    cli_stack_range(&d.series, values, length);
    cli_stack_finish(&d.series);
    d.profile = d.rows = d.series.panels[0];
    d.rows.top = top + TITLE + series_height(p) + CLI_BELOW - 8;
    d.rows.height = ROW * (double)(d.motifs + (f->discord_count > 0));
    d.rows.y_from = 0;
    d.rows.y_to = (double)(d.motifs + (f->discord_count > 0));
    d.rows.down = true;
    d.profile.top = top + TITLE + series_height(p) + rows_height(f);
    d.profile.height = PROFILE;
    d.profile.y_from = INFINITY;
    d.profile.y_to = -INFINITY;
    d.profile.x_bare = false;
    cli_range_add(f->distances[0], f->windows, p->k, &d.profile.y_from, &d.profile.y_to);
    d.profile.y_from = fmin(0, d.profile.y_from);
    cli_range_finish(0.05, &d.profile.y_from, &d.profile.y_to);
    draw_title(&d, top);
    cli_stack_axes(&d.series, NULL);
    cli_panel_axes(&d.profile, "first point of the window", "profile");
    if (d.rows.y_to > 0)
        draw_windows(&d);
    cli_stack_line(&d.series, values, length, 0, length, 0, CLI_INK, 1);
    cli_panel_line(&d.profile, f->distances[0], f->windows, p->k, 0, 1, 0, 1.2);
    draw_points(&d);
}

int cli_profile_draw(const cli_profile_picture *p) {
    const size_t count = p->count < MOST_SERIES ? p->count : MOST_SERIES;
    double height = count < p->count ? 24 : 0, top = 0;
    cli_picture picture;
    char text[128];
    for (size_t i = 0; i < count; i++)
        height += part_height(p, &p->results[i]);
    snprintf(text, sizeof text,
             "The first %zu of %zu series, windows of %zu points: series, motifs and discords, profile", count,
             p->count, p->window);
    CLI_TRY(cli_picture_open(p->path, WIDTH, height, "Matrix profile", text, &picture));
    for (size_t i = 0; i < count; i++) {
        draw_part(p, &p->results[i], &picture, top);
        top += part_height(p, &p->results[i]);
    }
    if (count < p->count)
        cli_picture_text(&picture, 16, top + 12, "start", CLI_INK, text);
    return cli_picture_close(&picture, CLI_GO_ON);
}
