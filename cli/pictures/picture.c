// SPDX-License-Identifier: Apache-2.0
// The file of a picture, its colours, marks and text. See picture.h. Colours are style classes: on a dark page the same
// file is dark.
#include "pictures/picture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"

enum { PALETTE = 8 };

// Eight colours that people with a colour vision deficiency can tell apart (Okabe and Ito, 2008; yellow is darker on a
// light page), then ink, faint, accent.
static const struct look {
    const char *name, *light, *dark;
} looks[PALETTE + 3] = {{"c0", "#0072b2", "#4aa8e0"},    {"c1", "#d55e00", "#e8804d"},    {"c2", "#009e73", "#2cc59a"},
                        {"c3", "#cc79a7", "#dd94bb"},    {"c4", "#b8a800", "#f0e442"},    {"c5", "#56b4e9", "#7cc8f5"},
                        {"c6", "#e69f00", "#f0b534"},    {"c7", "#555555", "#bbbbbb"},    {"ink", "#222222", "#dddddd"},
                        {"faint", "#aaaaaa", "#666666"}, {"accent", "#cc0000", "#ff6b6b"}};
// Of looks 0 to 7, 8 to 15 and so on.
static const char *const dashes[] = {"", "6 3", "2 2", "9 3 2 3", "12 4", "4 6", "1 4"};
static const char *const shapes[] = {NULL,
                                     "M-1 -1H1V1H-1Z",
                                     "M0 -1.3L1.2 .9H-1.2Z",
                                     "M0 -1.4L1.4 0L0 1.4L-1.4 0Z",
                                     "M0 1.3L1.2 -.9H-1.2Z",
                                     "M-.4 -1.3H.4V-.4H1.3V.4H.4V1.3H-.4V.4H-1.3V-.4H-.4Z",
                                     "M-1.4 -.5H1.4V.5H-1.4Z"};

static const char *look_class(int look) {
    return looks[look < 0 ? PALETTE - 1 - look : look % PALETTE].name;
}

static size_t look_style(int look, size_t styles) {
    return look < 0 ? 0 : (size_t)look / PALETTE % styles;
}

// Plain classes, no variables: small viewers know them.
static void print_style(FILE *file) {
    fputs("<style>\ntext{font:12px sans-serif;fill:#222}.page{fill:#fff}.grid{stroke:#ddd;fill:none}"
          ".frame{stroke:#888;fill:none}.l{fill:none;stroke-linejoin:round}.heat{image-rendering:pixelated}\n",
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

int cli_picture_open(const char *path, double width, double height, const char *title, const char *description,
                     cli_picture *picture) {
    picture->width = width;
    picture->height = height;
    CLI_TRY(cli_output_open(path, &picture->out));
    FILE *file = picture->out.file;
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>", width,
            height);
    cli_picture_escape(file, title);
    fputs("</title>\n<desc>", file);
    cli_picture_escape(file, description);
    fputs("</desc>\n", file);
    print_style(file);
    fprintf(file, "<rect class=\"page\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    return CLI_GO_ON;
}

int cli_picture_close(cli_picture *picture, int result) {
    if (result != CLI_GO_ON) {
        cli_output_drop(&picture->out);
        return result;
    }
    fputs("</svg>\n", picture->out.file);
    return cli_output_close(&picture->out);
}

// ---- scales

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

static double share_of(double value, double from, double to, bool logarithmic) {
    return logarithmic ? log(value / from) / log(to / from) : (value - from) / (to - from);
}

double cli_panel_x(const cli_panel *panel, double x) {
    return panel->left + panel->width * share_of(x, panel->x_from, panel->x_to, panel->logarithmic_x);
}

double cli_panel_y(const cli_panel *panel, double y) {
    const double share = share_of(y, panel->y_from, panel->y_to, panel->logarithmic_y);
    return panel->top + panel->height * (panel->down ? share : 1 - share);
}

// ---- lines

// A line in the making: relative steps in tenths of a unit are half as long as places.
typedef struct pen {
    FILE *file;
    long x, y; // the last point, in tenths
    bool down;
} pen;

// A tenth without its zeros: 3.5, .2, -1
static void put_tenths(FILE *file, long tenths, bool first) {
    const long size = tenths < 0 ? -tenths : tenths;
    fputs(tenths < 0 ? "-" : first ? "" : " ", file);
    if (size >= 10 || size == 0)
        fprintf(file, "%ld", size / 10);
    if (size % 10)
        fprintf(file, ".%ld", size % 10);
}

static void pen_to(pen *p, double x, double y) {
    const long px = lround(10 * fmax(-1e6, fmin(x, 1e6))), py = lround(10 * fmax(-1e6, fmin(y, 1e6)));
    if (p->down && px == p->x && py == p->y)
        return;
    fputc(p->down ? 'l' : 'M', p->file);
    put_tenths(p->file, p->down ? px - p->x : px, true);
    put_tenths(p->file, p->down ? py - p->y : py, false);
    *p = (pen){p->file, px, py, true};
}

static void line_open(const cli_panel *panel, int look, double thickness) {
    const char *dash = dashes[look_style(look, CLI_COUNT_OF(dashes))];
    fprintf(panel->picture->out.file, "<path class=\"l %s\" stroke-width=\"%g\"", look_class(look), thickness);
    if (*dash)
        fprintf(panel->picture->out.file, " stroke-dasharray=\"%s\"", dash);
    fputs(" d=\"", panel->picture->out.file);
}

static void line_to(const cli_panel *panel, pen *p, double at, double value) {
    if (panel->turned)
        pen_to(p, cli_panel_x(panel, value), cli_panel_y(panel, at));
    else
        pen_to(p, cli_panel_x(panel, at), cli_panel_y(panel, value));
}

void cli_panel_line(const cli_panel *panel, const double *values, size_t count, size_t stride, double x, double step,
                    int look, double thickness) {
    const double all = step * (double)count, detail = panel->detail > 0 ? panel->detail : 2;
    const double units = panel->turned ? fabs(cli_panel_y(panel, x + all) - cli_panel_y(panel, x))
                                       : fabs(cli_panel_x(panel, x + all) - cli_panel_x(panel, x));
    const size_t bucket =
        (double)count > 2 * units / detail ? (size_t)ceil((double)count * detail / fmax(units, 1)) : 1;
    pen p = {panel->picture->out.file, 0, 0, false};
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
        line_to(panel, &p, x + step * (double)first, values[first * stride]);
        if (second != first)
            line_to(panel, &p, x + step * (double)second, values[second * stride]);
    }
    fputs("\"/>\n", p.file);
}

void cli_panel_points_line(const cli_panel *panel, const double *xs, const double *ys, size_t count, int look,
                           double thickness) {
    pen p = {panel->picture->out.file, 0, 0, false};
    double last_x = 0, last_y = 0;
    line_open(panel, look, thickness);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(xs[i]) || !isfinite(ys[i])) {
            p.down = false;
            continue;
        }
        const double x = cli_panel_x(panel, xs[i]), y = cli_panel_y(panel, ys[i]);
        const bool last = i + 1 == count || !isfinite(xs[i + 1]) || !isfinite(ys[i + 1]);
        if (p.down && !last && fabs(x - last_x) < 0.7 && fabs(y - last_y) < 0.7)
            continue;
        pen_to(&p, last_x = x, last_y = y);
    }
    fputs("\"/>\n", p.file);
}

void cli_panel_segment(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, bool dashed) {
    fprintf(panel->picture->out.file, "<path class=\"l %s\"%s d=\"M%.1f %.1fL%.1f %.1f\"/>\n", look_class(look),
            dashed ? " stroke-dasharray=\"4\"" : "", cli_panel_x(panel, x0), cli_panel_y(panel, y0),
            cli_panel_x(panel, x1), cli_panel_y(panel, y1));
}

// ---- marks and areas

static void mark(cli_picture *picture, double x, double y, double radius, int look, const char *shape,
                 const char *text) {
    FILE *file = picture->out.file;
    const char *const element = shape ? "path" : "circle";
    fprintf(file, "<%s class=\"f %s\" ", element, look_class(look));
    if (shape)
        fprintf(file, "d=\"%s\" transform=\"translate(%.1f %.1f)scale(%g)\"", shape, x, y, radius);
    else
        fprintf(file, "cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"", x, y, radius);
    if (text) {
        fputs("><title>", file);
        cli_picture_escape(file, text);
        fprintf(file, "</title></%s>\n", element);
    } else {
        fputs("/>\n", file);
    }
}

void cli_panel_dot(const cli_panel *panel, double x, double y, double radius, int look, const char *text) {
    mark(panel->picture, cli_panel_x(panel, x), cli_panel_y(panel, y), radius, look, NULL, text);
}

void cli_panel_mark(const cli_panel *panel, double x, double y, double radius, int look, const char *text) {
    mark(panel->picture, cli_panel_x(panel, x), cli_panel_y(panel, y), radius, look,
         shapes[look_style(look, CLI_COUNT_OF(shapes))], text);
}

void cli_panel_area(const cli_panel *panel, double x0, double y0, double x1, double y1, int look, double opacity) {
    const double ax = cli_panel_x(panel, x0), bx = cli_panel_x(panel, x1);
    const double ay = cli_panel_y(panel, y0), by = cli_panel_y(panel, y1);
    fprintf(panel->picture->out.file,
            "<rect class=\"f %s\" opacity=\"%g\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            look_class(look), opacity, fmin(ax, bx), fmin(ay, by), fmax(fabs(ax - bx), 0.5), fmax(fabs(ay - by), 0.5));
}

// ---- text

// Whether XML can hold a character; bytes that are none can't be held.
static bool holds(size_t length, uint32_t character) {
    return length > 0 && character >= 0x20 && !(character >= 0x7f && character < 0xa0) &&
           (character & 0xfffe) != 0xfffe;
}

// At most `most` units of the text, whole characters; where it ends.
static const char *print_text(FILE *file, const char *text, double most, double *width) {
    double used = 0;
    while (*text) {
        uint32_t character = 0;
        const size_t length = cli_utf8(text, &character), bytes = length ? length : 1;
        const bool plain = holds(length, character);
        const double units = !plain ? 28.0 * (double)bytes : character >= 0x1100 ? 13 : 7;
        if (used + units > most)
            break;
        used += units;
        for (size_t i = 0; file && !plain && i < bytes; i++)
            fprintf(file, "\\x%02x", (unsigned char)text[i]);
        if (file && plain) {
            if (*text == '&' || *text == '<' || *text == '>')
                fputs(*text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;", file);
            else
                fwrite(text, 1, bytes, file);
        }
        text += bytes;
    }
    if (width)
        *width = used;
    return text;
}

void cli_picture_escape(FILE *file, const char *text) {
    print_text(file, text, INFINITY, NULL);
}

double cli_text_width(const char *text) {
    double width;
    print_text(NULL, text, INFINITY, &width);
    return width;
}

static void put_text(cli_picture *picture, double x, double y, double width, const char *anchor, int look, bool turned,
                     const char *text) {
    FILE *file = picture->out.file;
    const bool cut = cli_text_width(text) > width;
    fprintf(file, "<text class=\"t %s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", look_class(look), x, y, anchor);
    if (turned)
        fprintf(file, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    fputc('>', file);
    if (cut) {
        fputs("<title>", file);
        cli_picture_escape(file, text);
        fputs("</title>", file);
    }
    print_text(file, text, cut ? width - 13 : INFINITY, NULL);
    fputs(cut ? "\xe2\x80\xa6</text>\n" : "</text>\n", file);
}

void cli_picture_text_within(cli_picture *picture, double x, double y, double width, const char *anchor, int look,
                             const char *text) {
    put_text(picture, x, y, width, anchor, look, false, text);
}

void cli_picture_text_turned(cli_picture *picture, double x, double y, double width, const char *anchor,
                             const char *text) {
    put_text(picture, x, y, width, anchor, CLI_INK, true, text);
}

void cli_picture_text(cli_picture *picture, double x, double y, const char *anchor, int look, const char *text) {
    cli_picture_text_within(picture, x, y, INFINITY, anchor, look, text);
}

void cli_panel_text(const cli_panel *panel, double x, double y, const char *anchor, int look, const char *text) {
    cli_picture_text(panel->picture, cli_panel_x(panel, x), cli_panel_y(panel, y), anchor, look, text);
}
