// SPDX-License-Identifier: Apache-2.0
// See picture.h. Colours are style classes: on a dark page the same file is dark.
#include "picture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "escape.h"

enum { PALETTE = 8, FONT = 12 };

// Eight colours that people with a colour vision deficiency can tell apart (Okabe and Ito, 2008; yellow is darker on a
// light page), then ink, faint, accent.
static const struct look {
    const char *name, *light, *dark;
} looks[PALETTE + 3] = {{"c0", "#0072b2", "#4aa8e0"},    {"c1", "#d55e00", "#e8804d"},    {"c2", "#009e73", "#2cc59a"},
                        {"c3", "#cc79a7", "#dd94bb"},    {"c4", "#b8a800", "#f0e442"},    {"c5", "#56b4e9", "#7cc8f5"},
                        {"c6", "#e69f00", "#f0b534"},    {"c7", "#555555", "#bbbbbb"},    {"ink", "#222222", "#dddddd"},
                        {"faint", "#aaaaaa", "#666666"}, {"accent", "#cc0000", "#ff6b6b"}};

static const char *look_class(int look) {
    return looks[look < 0 ? PALETTE - 1 - look : look % PALETTE].name;
}

// Plain classes, no variables: small viewers know them.
static void print_style(FILE *file) {
    fputs("<style>\ntext{font:12px sans-serif;fill:#222}.page{fill:#fff}.grid{stroke:#ddd;fill:none}"
          ".frame{stroke:#888;fill:none}.l{fill:none;stroke-linejoin:round}\n",
          file);
    for (size_t i = 0; i < CLI_COUNT_OF(looks); i++)
        fprintf(file, ".l.%s{stroke:%s}.f.%s,.t.%s{fill:%s}", looks[i].name, looks[i].light, looks[i].name,
                looks[i].name, looks[i].light);
    fputs("\n@media "
          "(prefers-color-scheme:dark){text{fill:#ddd}.page{fill:#16181c}.grid{stroke:#333}.frame{stroke:#777}\n",
          file);
    for (size_t i = 0; i < CLI_COUNT_OF(looks); i++)
        fprintf(file, ".l.%s{stroke:%s}.f.%s,.t.%s{fill:%s}", looks[i].name, looks[i].dark, looks[i].name,
                looks[i].name, looks[i].dark);
    fputs("}\n</style>\n", file);
}

// Text as XML: markup is escaped; what XML can't hold (control characters, bytes that are not UTF-8) becomes \xNN.
static void print_text(FILE *file, const char *text) {
    while (*text) {
        uint32_t character;
        const size_t length = cli_utf8(text, &character);
        if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (length == 0 || character < 0x20 || (character >= 0x7f && character < 0xa0) ||
                 (character & 0xfffe) == 0xfffe)
            fprintf(file, "\\x%02x", (unsigned char)*text);
        else
            fwrite(text, 1, length, file);
        text += length > 0 ? length : 1;
    }
}

int cli_picture_open(const char *path, double width, double height, const char *title, cli_picture *picture) {
    picture->width = width;
    picture->height = height;
    const int result = cli_output_open(path, &picture->out);
    if (result != CLI_GO_ON)
        return result;
    FILE *file = picture->out.file;
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>", width,
            height);
    print_text(file, title);
    fputs("</title>\n", file);
    print_style(file);
    fprintf(file, "<rect class=\"page\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    return CLI_GO_ON;
}

int cli_picture_close(cli_picture *picture) {
    fputs("</svg>\n", picture->out.file);
    return cli_output_close(&picture->out);
}

void cli_range_add(const double *values, size_t count, size_t stride, double *from, double *to) {
    for (size_t i = 0; i < count; i++) {
        const double value = values[i * stride];
        if (isfinite(value)) {
            *from = fmin(*from, value);
            *to = fmax(*to, value);
        }
    }
}

void cli_range_finish(double share, double *from, double *to) {
    if (!(*from <= *to)) { // no value at all
        *from = 0;
        *to = 1;
    }
    double width = *to - *from;
    if (!(width > 1e-12 * fmax(fabs(*from), fabs(*to))))
        width = *from != 0 ? fabs(*from) : 1;
    const double middle = *from / 2 + *to / 2;
    *from = fmin(*from, middle - width / 2) - share * width;
    *to = fmax(*to, middle + width / 2) + share * width;
}

double cli_panel_x(const cli_panel *panel, double x) {
    const double share = panel->logarithmic_x ? log(x / panel->x_from) / log(panel->x_to / panel->x_from)
                                              : (x - panel->x_from) / (panel->x_to - panel->x_from);
    return panel->left + panel->width * share;
}

double cli_panel_y(const cli_panel *panel, double y) {
    const double share = (y - panel->y_from) / (panel->y_to - panel->y_from);
    return panel->top + panel->height * (panel->down ? share : 1 - share);
}

// The step of ticks: 1, 2 or 5 times a power of ten, so that at most `most` of them are in the range.
static double tick_step(double range, double most) {
    const double power = pow(10, floor(log10(range / most)));
    const double ratio = range / most / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static void x_tick(const cli_panel *panel, double value) {
    FILE *file = panel->picture->out.file;
    const double x = cli_panel_x(panel, value), bottom = panel->top + panel->height;
    fprintf(
        file,
        "<path class=\"grid\" d=\"M%.2f %.2fV%.2f\"/><text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%.10g</text>\n",
        x, panel->top, bottom, x, bottom + FONT + 3, value);
}

void cli_panel_axes(const cli_panel *panel, const char *x_label, const char *y_label) {
    FILE *file = panel->picture->out.file;
    if (panel->logarithmic_x) {
        for (double power = ceil(log10(panel->x_from) - 1e-9); power <= log10(panel->x_to) + 1e-9; power++)
            x_tick(panel, pow(10, power));
    } else {
        const double step = tick_step(panel->x_to - panel->x_from, fmax(2, panel->width / 60));
        for (double k = ceil(panel->x_from / step); k * step <= panel->x_to; k++)
            x_tick(panel, k * step + 0.0);
    }
    const double step = tick_step(panel->y_to - panel->y_from, fmax(4, panel->height / 40));
    for (double k = ceil(panel->y_from / step); k * step <= panel->y_to; k++) {
        const double y = cli_panel_y(panel, k * step);
        fprintf(file,
                "<path class=\"grid\" d=\"M%.2f %.2fH%.2f\"/><text x=\"%.2f\" y=\"%.2f\" "
                "text-anchor=\"end\">%.10g</text>\n",
                panel->left, y, panel->left + panel->width, panel->left - 5, y + 4, k * step + 0.0);
    }
    fprintf(file, "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", panel->left,
            panel->top, panel->width, panel->height);
    if (x_label)
        cli_picture_text(panel->picture, panel->left + panel->width / 2, panel->top + panel->height + 2.6 * FONT,
                         "middle", CLI_INK, x_label);
    if (y_label) {
        const double x = panel->left - 4 * FONT, y = panel->top + panel->height / 2;
        fprintf(file, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" transform=\"rotate(-90 %.2f %.2f)\">", x, y,
                x, y);
        print_text(file, y_label);
        fputs("</text>\n", file);
    }
}

// ---- lines

typedef struct pen {
    FILE *file;
    bool down;
} pen;

static void pen_to(pen *p, double x, double y) {
    fprintf(p->file, "%c%.2f %.2f", p->down ? 'L' : 'M', x, y);
    p->down = true;
}

static void line_open(const cli_panel *panel, int look, double thickness) {
    fprintf(panel->picture->out.file, "<path class=\"l %s\" stroke-width=\"%g\" d=\"", look_class(look), thickness);
}

void cli_panel_line(const cli_panel *panel, const double *values, size_t count, size_t stride, double x, double step,
                    int look, double thickness) {
    // A unit of the picture shows no more than two values.
    const double units = fabs(cli_panel_x(panel, x + step * (double)count) - cli_panel_x(panel, x));
    const size_t bucket = (double)count > 4 * units ? (size_t)((double)count / fmax(units, 1)) : 1;
    pen p = {panel->picture->out.file, false};
    line_open(panel, look, thickness);
    for (size_t i = 0; i < count; i += bucket) {
        const size_t end = count - i < bucket ? count : i + bucket;
        size_t least = i, most = i;
        bool broken = false;
        for (size_t k = i; k < end; k++) {
            broken = broken || !isfinite(values[k * stride]);
            if (!(values[least * stride] <= values[k * stride]))
                least = k;
            if (!(values[most * stride] >= values[k * stride]))
                most = k;
        }
        if (broken) {
            p.down = false;
            if (bucket > 1 || !isfinite(values[i * stride]))
                continue;
        }
        const size_t first = least < most ? least : most, second = least < most ? most : least;
        pen_to(&p, cli_panel_x(panel, x + step * (double)first), cli_panel_y(panel, values[first * stride]));
        if (second != first)
            pen_to(&p, cli_panel_x(panel, x + step * (double)second), cli_panel_y(panel, values[second * stride]));
    }
    fputs("\"/>\n", p.file);
}

void cli_panel_points_line(const cli_panel *panel, const double *xs, const double *ys, size_t count, int look,
                           double thickness) {
    pen p = {panel->picture->out.file, false};
    line_open(panel, look, thickness);
    for (size_t i = 0; i < count; i++) {
        if (isfinite(xs[i]) && isfinite(ys[i]))
            pen_to(&p, cli_panel_x(panel, xs[i]), cli_panel_y(panel, ys[i]));
        else
            p.down = false;
    }
    fputs("\"/>\n", p.file);
}

void cli_panel_segment(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, bool dashed) {
    fprintf(panel->picture->out.file, "<path class=\"l %s\"%s d=\"M%.2f %.2fL%.2f %.2f\"/>\n", look_class(look),
            dashed ? " stroke-dasharray=\"4\"" : "", cli_panel_x(panel, x0), cli_panel_y(panel, y0),
            cli_panel_x(panel, x1), cli_panel_y(panel, y1));
}

void cli_panel_dot(const cli_panel *panel, double x, double y, double radius, int look, const char *text) {
    FILE *file = panel->picture->out.file;
    fprintf(file, "<circle class=\"f %s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%g\">", look_class(look), cli_panel_x(panel, x),
            cli_panel_y(panel, y), radius);
    if (text) {
        fputs("<title>", file);
        print_text(file, text);
        fputs("</title>", file);
    }
    fputs("</circle>\n", file);
}

void cli_panel_area(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, double opacity) {
    const double ax = cli_panel_x(panel, x0), bx = cli_panel_x(panel, x1);
    const double ay = cli_panel_y(panel, y0), by = cli_panel_y(panel, y1);
    fprintf(panel->picture->out.file,
            "<rect class=\"f %s\" opacity=\"%g\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
            look_class(look), opacity, fmin(ax, bx), fmin(ay, by), fabs(ax - bx), fabs(ay - by));
}

// ---- text

void cli_picture_text(cli_picture *picture, double x, double y, const char *anchor, int look, const char *text) {
    fprintf(picture->out.file, "<text class=\"t %s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", look_class(look), x, y,
            anchor);
    print_text(picture->out.file, text);
    fputs("</text>\n", picture->out.file);
}

void cli_panel_text(const cli_panel *panel, double x, double y, const char *anchor, int look, const char *text) {
    cli_picture_text(panel->picture, cli_panel_x(panel, x), cli_panel_y(panel, y), anchor, look, text);
}

double cli_picture_key(cli_picture *picture, double x, double y, int look, const char *name) {
    fprintf(picture->out.file, "<path class=\"l %s\" stroke-width=\"3\" d=\"M%.2f %.2fh18\"/>", look_class(look), x,
            y - 4);
    cli_picture_text(picture, x + 24, y, "start", CLI_INK, name);
    return x + 24 + 0.6 * FONT * (double)cli_escaped_width(name) + 16;
}
