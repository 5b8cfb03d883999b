// SPDX-License-Identifier: Apache-2.0
// Axes and legends of pictures: ticks at round values whose numbers do not meet, names of looks. See picture.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pictures/picture.h"

enum { FONT = 12, MOST_TICKS = 40 };

typedef struct ticks {
    double at[MOST_TICKS];
    char text[MOST_TICKS][32];
    size_t count;
    double widest;
    char note[64]; // what the numbers are times of, or added to
} ticks;

static void add_tick(ticks *t, double at, double shown) {
    if (t->count == MOST_TICKS)
        return;
    snprintf(t->text[t->count], sizeof t->text[0], "%.6g", fabs(shown) < 1e-300 ? 0.0 : shown);
    t->widest = fmax(t->widest, cli_text_width(t->text[t->count]));
    t->at[t->count++] = at;
}

// Powers of ten, where these are few also 2 and 5 times them, where they are many some of them.
static void make_logarithmic(ticks *t, double from, double to, double most) {
    static const double factors[] = {1, 2, 5};
    const double decades = log10(to / from);
    const double every = fmax(1, ceil(decades / most));
    const size_t used = decades * 3 <= most ? 3 : 1;
    *t = (ticks){.count = 0};
    for (double power = every * floor(log10(from) / every); power <= log10(to) + 1e-9; power += every)
        for (size_t i = 0; i < used; i++) {
            const double value = factors[i] * pow(10, power);
            if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9))
                add_tick(t, value, value);
        }
}

// At most `most` steps of 1, 2 or 5 times a power of ten. Numbers that are small, large or long are shown as multiples
// of a power, or as what is added to the first.
static void make_linear(ticks *t, double from, double to, double most, bool whole) {
    const double low = fmin(from, to), high = fmax(from, to), power = pow(10, floor(log10((high - low) / most)));
    const double ratio = (high - low) / most / power, size = fmax(fabs(low), fabs(high));
    double step = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10), unit = 1, base = 0;
    if (whole)
        step = fmax(step, 1);
    if (size < 1e-3 || size >= 1e6)
        unit = pow(10, 3 * floor(log10(size) / 3));
    const double first = ceil(low / step - 1e-9);
    for (int again = 0; again < 2; again++) {
        *t = (ticks){.count = 0};
        for (double k = first; k * step <= high + 1e-9 * step; k++)
            add_tick(t, k * step, (k * step - base) / unit);
        bool clear = t->widest <= cli_text_width("-0.00025");
        for (size_t i = 1; i < t->count; i++)
            clear = clear && strcmp(t->text[i - 1], t->text[i]) != 0;
        if (clear || t->count == 0)
            break;
        base = first * step;
        unit = 1;
        if (high - low < 1e-3 || high - low >= 1e6)
            unit = pow(10, 3 * floor(log10(high - low) / 3));
    }
    if (base != 0)
        snprintf(t->note, sizeof t->note, unit != 1 ? "%.10g + %g x" : "%.10g +", base, unit);
    else if (unit != 1)
        snprintf(t->note, sizeof t->note, "%g x", unit);
}

static void make_ticks(ticks *t, double from, double to, double most, bool logarithmic, bool whole) {
    if (logarithmic)
        make_logarithmic(t, from, to, fmax(most, 1));
    else
        make_linear(t, from, to, fmax(most, 1), whole);
}

static void print_tick(FILE *file, double x, double y, const char *anchor, const char *text) {
    fprintf(file, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

void cli_panel_x_axis(const cli_panel *panel, const char *label) {
    FILE *file = panel->picture->out.file;
    const double bottom = panel->top + panel->height;
    ticks t;
    // Fewer of them, until their numbers do not meet.
    for (double most = panel->width / 40;; most *= 0.75) {
        double least = INFINITY;
        make_ticks(&t, panel->x_from, panel->x_to, most, panel->logarithmic_x, panel->counted);
        for (size_t i = 1; i < t.count; i++)
            least = fmin(least, fabs(cli_panel_x(panel, t.at[i]) - cli_panel_x(panel, t.at[i - 1])));
        if (t.widest + 8 <= least || most < 1)
            break;
    }
    const double y = panel->x_above ? panel->top - 5 : bottom + FONT + 3;
    fputs("<path class=\"grid\" d=\"", file);
    for (size_t i = 0; i < t.count; i++)
        fprintf(file, "M%.1f %.1fV%.1f", cli_panel_x(panel, t.at[i]), panel->top, bottom);
    fputs("\"/>\n", file);
    for (size_t i = 0; i < t.count && !panel->x_bare; i++)
        print_tick(file, cli_panel_x(panel, t.at[i]), y, "middle", t.text[i]);
    if (*t.note && !panel->x_bare && !label)
        label = t.note;
    else if (*t.note && !panel->x_bare)
        cli_picture_text(panel->picture, panel->left + panel->width, bottom + 2.6 * FONT, "end", CLI_INK, t.note);
    if (label)
        cli_picture_text(panel->picture, panel->left + panel->width / 2,
                         panel->x_above ? panel->top - 1.6 * FONT : bottom + 2.6 * FONT, "middle", CLI_INK, label);
}

static void draw_y_axis(const cli_panel *panel, const char *label) {
    FILE *file = panel->picture->out.file;
    ticks t;
    make_ticks(&t, panel->y_from, panel->y_to, fmin(panel->height / 18, 4 + panel->height / 60), panel->logarithmic_y,
               false);
    fputs("<path class=\"grid\" d=\"", file);
    for (size_t i = 0; i < t.count; i++)
        fprintf(file, "M%.1f %.1fH%.1f", panel->left, cli_panel_y(panel, t.at[i]), panel->left + panel->width);
    fputs("\"/>\n", file);
    for (size_t i = 0; i < t.count; i++)
        print_tick(file, panel->left - 5, cli_panel_y(panel, t.at[i]) + 4, "end", t.text[i]);
    if (*t.note) // inside, where the title above does not meet it
        cli_picture_text(panel->picture, panel->left + 4, panel->top + FONT, "start", CLI_INK, t.note);
    if (label) // its letters reach FONT to the left of the place
        cli_picture_text_turned(panel->picture, panel->left - CLI_LEFT + FONT, panel->top + panel->height / 2, INFINITY,
                                "middle", label);
}

void cli_panel_items(const cli_panel *panel, const size_t *items, size_t count, const char *label) {
    FILE *file = panel->picture->out.file;
    const double bottom = panel->top + panel->height;
    double widest = 0;
    char text[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%zu", items[i]);
        widest = fmax(widest, cli_text_width(text));
    }
    const double across = count ? panel->width / (double)count : 1, down = count ? panel->height / (double)count : 1;
    const size_t x_step = (size_t)fmax(1, ceil((widest + 6) / across)), y_step = (size_t)fmax(1, ceil(FONT / down));
    for (size_t i = 0; i < count; i += x_step) {
        snprintf(text, sizeof text, "%zu", items[i]);
        print_tick(file, cli_panel_x(panel, (double)i), bottom + FONT + 3, "middle", text);
    }
    for (size_t i = 0; i < count && panel->down; i += y_step) {
        snprintf(text, sizeof text, "%zu", items[i]);
        print_tick(file, panel->left - 5, cli_panel_y(panel, (double)i) + 4, "end", text);
    }
    cli_picture_text(panel->picture, panel->left + panel->width / 2, bottom + 2.6 * FONT, "middle", CLI_INK, label);
}

void cli_panel_frame(const cli_panel *panel) {
    fprintf(panel->picture->out.file, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            panel->left, panel->top, panel->width, panel->height);
}

void cli_panel_axes(const cli_panel *panel, const char *x_label, const char *y_label) {
    cli_panel_x_axis(panel, x_label);
    draw_y_axis(panel, y_label);
    cli_panel_frame(panel);
}

// ---- legends

enum { SAMPLE = 24, AFTER = 16, MOST_NAME = 180, MOST_NAMES = 56, ROW = 18 };

static double key_width(const char *name) {
    return SAMPLE + fmin(cli_text_width(name), MOST_NAME) + AFTER;
}

static void draw_key(cli_picture *picture, double x, double y, bool points, int look, const char *name) {
    const cli_panel place = {
        .picture = picture, .left = x, .top = y - 4, .width = 18, .height = 1, .x_to = 1, .y_to = 1};
    fputs("<g class=\"key\">", picture->out.file);
    if (points)
        cli_panel_mark(&place, 0.5, 0.5, 4, look, NULL);
    else
        cli_panel_points_line(&place, (const double[]){0, 1}, (const double[]){0.5, 0.5}, 2, look, 3);
    cli_picture_text_within(picture, x + SAMPLE, y, MOST_NAME, "start", CLI_INK, name);
    fputs("</g>\n", picture->out.file);
}

double cli_picture_key(cli_picture *picture, double x, double y, int look, const char *name) {
    draw_key(picture, x, y, false, look, name);
    return x + key_width(name);
}

double cli_picture_legend(cli_picture *picture, double x, double y, double width, bool points, size_t count,
                          const char *(*name)(const void *user, size_t i), const void *user) {
    const size_t shown = count < MOST_NAMES ? count : MOST_NAMES;
    double at = x, row = y;
    for (size_t i = 0; i < shown; i++) {
        const double needed = key_width(name(user, i));
        if (at > x && at + needed > x + width) {
            at = x;
            row += ROW;
        }
        if (picture)
            draw_key(picture, at, row, points, (int)i, name(user, i));
        at += needed;
    }
    if (shown < count) {
        char text[64];
        row += ROW;
        snprintf(text, sizeof text, "and %zu more", count - shown);
        if (picture)
            cli_picture_text(picture, x, row, "start", CLI_INK, text);
    }
    return row + ROW - y;
}
