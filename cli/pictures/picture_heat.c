// SPDX-License-Identifier: Apache-2.0
// Heat maps of pictures. See picture.h. Few cells are rectangles; many are an image (PNG, a byte a cell) inside the
// SVG, ten times as small. Viewers may blur an image that they enlarge, which is not seen where cells are small. The
// colours are those of both pages.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/picture.h"

enum { MOST = 400, FEW = 12100, COLOURS = 256, BAR_WIDTH = 220, BAR_HEIGHT = 10 };

int cli_heat_make(size_t rows, size_t columns, bool largest, cli_heat *heat) {
    *heat = (cli_heat){.rows = rows, .columns = columns, .largest = largest};
    heat->down = rows < MOST ? rows : MOST;
    heat->across = columns < MOST ? columns : MOST;
    heat->sums = calloc(heat->down * heat->across, sizeof *heat->sums);
    heat->weights = calloc(heat->down * heat->across, sizeof *heat->weights);
    return heat->sums && heat->weights ? CLI_GO_ON : cli_error("the picture does not fit memory");
}

void cli_heat_free(cli_heat *heat) {
    free(heat->sums);
    free(heat->weights);
}

void cli_heat_add(cli_heat *heat, size_t row, size_t column, double value) {
    const uint64_t i = (uint64_t)row * heat->down / heat->rows, j = (uint64_t)column * heat->across / heat->columns;
    const size_t at = (size_t)i * heat->across + (size_t)j;
    if (!isfinite(value))
        return;
    if (heat->largest) {
        heat->sums[at] = heat->weights[at] > 0 ? fmax(heat->sums[at], value) : value;
        heat->weights[at] = 1;
    } else {
        heat->sums[at] += value;
        heat->weights[at]++;
    }
}

cli_panel cli_heat_panel(cli_picture *picture, double left, double top, double width, double height, size_t rows,
                         size_t columns) {
    return (cli_panel){.picture = picture,
                       .left = left,
                       .top = top,
                       .width = width,
                       .height = height,
                       .x_from = -0.5,
                       .x_to = (double)columns - 0.5,
                       .y_from = -0.5,
                       .y_to = (double)rows - 0.5,
                       .counted = true,
                       .down = true};
}

const char *cli_heat_note(const cli_heat *heat, char *text, size_t size) {
    const size_t rows = (heat->rows + heat->down - 1) / heat->down,
                 columns = (heat->columns + heat->across - 1) / heat->across;
    *text = '\0';
    if (rows > 1 || columns > 1)
        snprintf(text, size, ", each point the %s of up to %zu x %zu cells", heat->largest ? "largest" : "mean", rows,
                 columns);
    return text;
}

// ---- colours and rectangles

// Dark blue to yellow: the order of the colours is that of their lightness, so it is also seen in grey. From 1 on;
// colour 0 is none: nothing is known there.
static void find_colour(size_t number, unsigned char colour[3]) {
    static const unsigned char anchors[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142},
                                               {38, 130, 142}, {31, 158, 137}, {53, 183, 121}, {109, 205, 89},
                                               {180, 222, 44}, {253, 231, 37}};
    const double last = (double)(CLI_COUNT_OF(anchors) - 1);
    const double at = number ? last * (double)(number - 1) / (COLOURS - 2) : 0;
    const size_t i = (size_t)fmin(at, last - 1);
    for (int c = 0; c < 3; c++)
        colour[c] = (unsigned char)lround(anchors[i][c] + (at - (double)i) * (anchors[i + 1][c] - anchors[i][c]));
}

// A path for each colour, of a rectangle for each run of it.
static void draw_rectangles(const cli_panel *panel, const unsigned char *colours, size_t across, size_t down) {
    FILE *file = panel->picture->out.file;
    fprintf(file,
            "<g class=\"heat\" shape-rendering=\"crispEdges\" transform=\"translate(%.1f %.1f)scale(%.9g %.9g)\">\n",
            panel->left, panel->top, panel->width / (double)across, panel->height / (double)down);
    for (size_t k = 1; k < COLOURS; k++) {
        unsigned char colour[3];
        bool begun = false;
        find_colour(k, colour);
        for (size_t i = 0; i < down; i++)
            for (size_t j = 0, end; j < across; j = end) {
                for (end = j + 1; end < across && colours[i * across + end] == colours[i * across + j]; end++)
                    ;
                if (colours[i * across + j] != k)
                    continue;
                if (!begun)
                    fprintf(file, "<path fill=\"#%02x%02x%02x\" d=\"", colour[0], colour[1], colour[2]);
                fprintf(file, "M%zu %zuh%zuv1h-%zuz", j, i, end - j, end - j);
                begun = true;
            }
        fputs(begun ? "\"/>\n" : "", file);
    }
    fputs("</g>\n", file);
}

// ---- the image

typedef struct image {
    unsigned char *bytes;
    size_t used;
} image;

static void put(image *to, const void *bytes, size_t count) {
    memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
}

static void put_number(image *to, uint32_t number) {
    const unsigned char bytes[4] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16),
                                    (unsigned char)(number >> 8), (unsigned char)number};
    put(to, bytes, sizeof bytes);
}

// The sum that ends a chunk: of its name and data.
static uint32_t cyclic_sum(const unsigned char *bytes, size_t count) {
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

static void put_chunk(image *to, const char *name, const unsigned char *data, size_t count) {
    put_number(to, (uint32_t)count);
    const size_t begin = to->used;
    put(to, name, 4);
    put(to, data, count);
    put_number(to, cyclic_sum(to->bytes + begin, to->used - begin));
}

// 8 bits a cell, of the palette.
static void put_head(image *to, size_t across, size_t down) {
    unsigned char bytes[13];
    image head = {bytes, 0};
    put_number(&head, (uint32_t)across);
    put_number(&head, (uint32_t)down);
    put(&head, "\x08\x03\0\0\0", 5);
    put_chunk(to, "IHDR", bytes, sizeof bytes);
}

static void put_palette(image *to) {
    unsigned char palette[COLOURS][3];
    for (size_t k = 0; k < COLOURS; k++)
        find_colour(k, palette[k]);
    put_chunk(to, "PLTE", palette[0], sizeof palette);
    put_chunk(to, "tRNS", (const unsigned char[]){0}, 1); // colour 0
}

// The rows of colours, each behind a zero (no filter), in stored blocks of deflate.
static void put_rows(image *to, unsigned char *data, const unsigned char *colours, size_t across, size_t down) {
    enum { BLOCK = 65535 };
    image z = {data, 0};
    uint32_t a = 1, b = 0;
    const size_t all = down * (across + 1);
    put(&z, "\x78\x01", 2);
    for (size_t at = 0; at < all; at++) {
        if (at % BLOCK == 0) {
            const size_t left = all - at, size = left < BLOCK ? left : BLOCK;
            const unsigned char head[5] = {left <= BLOCK, (unsigned char)size, (unsigned char)(size >> 8),
                                           (unsigned char)~size, (unsigned char)(~size >> 8)};
            put(&z, head, sizeof head);
        }
        const size_t row = at / (across + 1), column = at % (across + 1);
        const unsigned char byte = column ? colours[row * across + column - 1] : 0;
        put(&z, &byte, 1);
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    put_number(&z, b << 16 | a);
    put_chunk(to, "IDAT", z.bytes, z.used);
}

static void print_base64(FILE *file, const unsigned char *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (i + 2 < count ? (uint32_t)bytes[i + 2] : 0);
        fputc(digits[three >> 18], file);
        fputc(digits[three >> 12 & 63], file);
        fputc(i + 1 < count ? digits[three >> 6 & 63] : '=', file);
        fputc(i + 2 < count ? digits[three & 63] : '=', file);
    }
}

static int draw_cells(const cli_panel *panel, const unsigned char *colours, size_t across, size_t down) {
    FILE *file = panel->picture->out.file;
    if (across * down <= FEW) {
        draw_rectangles(panel, colours, across, down);
        return CLI_GO_ON;
    }
    const size_t room = down * (across + 1) + 2048;
    CLI_FREES unsigned char *bytes = malloc(room);
    CLI_FREES unsigned char *data = malloc(room);
    if (!bytes || !data)
        return cli_error("the picture does not fit memory");
    image png = {bytes, 0};
    put(&png, "\x89PNG\r\n\x1a\n", 8);
    put_head(&png, across, down);
    put_palette(&png);
    put_rows(&png, data, colours, across, down);
    put_chunk(&png, "IEND", data, 0);
    fprintf(file,
            "<image class=\"heat\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "preserveAspectRatio=\"none\" href=\"data:image/png;base64,",
            panel->left, panel->top, panel->width, panel->height);
    print_base64(file, png.bytes, png.used);
    fputs("\"/>\n", file);
    return CLI_GO_ON;
}

static void draw_scale(cli_picture *picture, double x, double y, double from, double to, const char *label) {
    const cli_panel bar = {.picture = picture,
                           .left = x,
                           .top = y,
                           .width = BAR_WIDTH,
                           .height = BAR_HEIGHT,
                           .x_from = from,
                           .x_to = to,
                           .y_to = 1};
    unsigned char colours[COLOURS - 1];
    for (size_t k = 0; k < sizeof colours; k++)
        colours[k] = (unsigned char)(k + 1);
    cli_panel_x_axis(&bar, NULL); // its grid is behind the image
    draw_rectangles(&bar, colours, sizeof colours, 1);
    cli_panel_frame(&bar);
    cli_picture_text(picture, x + BAR_WIDTH + 12, y + BAR_HEIGHT, "start", CLI_INK, label);
}

void cli_heat_text(const cli_heat *heat, const cli_panel *panel, size_t row, size_t column, const char *text) {
    double from = INFINITY, to = -INFINITY;
    cli_range_add(heat->sums, heat->across * heat->down, 1, &from, &to);
    const bool dark = heat->sums[row * heat->across + column] < from + 0.6 * (to - from);
    fprintf(panel->picture->out.file,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" style=\"fill:%s\">%s</text>\n",
            cli_panel_x(panel, (double)column), cli_panel_y(panel, (double)row) + 4, dark ? "#fff" : "#111", text);
}

int cli_heat_draw(const cli_heat *heat, const cli_panel *panel, double x, double y, const char *label) {
    const size_t cells = heat->across * heat->down;
    double from = INFINITY, to = -INFINITY;
    CLI_FREES unsigned char *colours = malloc(cells ? cells : 1);
    if (!colours)
        return cli_error("the picture does not fit memory");
    for (size_t i = 0; i < cells; i++)
        if (heat->weights[i] > 0) {
            heat->sums[i] /= heat->weights[i];
            heat->weights[i] = 1;
            cli_range_add(&heat->sums[i], 1, 1, &from, &to);
        }
    if (heat->largest) // shares begin at 0
        from = fmin(from, 0);
    cli_range_finish(0, &from, &to);
    for (size_t i = 0; i < cells; i++)
        colours[i] = heat->weights[i] > 0
                         ? (unsigned char)(1 + lround((COLOURS - 2) * (heat->sums[i] - from) / (to - from)))
                         : 0;
    CLI_TRY(draw_cells(panel, colours, heat->across, heat->down));
    draw_scale(panel->picture, x, y, from, to, label);
    return CLI_GO_ON;
}
