// SPDX-License-Identifier: Apache-2.0
// The picture of the bench: cells a second over the length of the series, a line for each group of cases.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "pictures/picture.h"

enum { MOST_GROUPS = 56, MOST_SPEEDS = 512, WIDTH = 900, TALL = 420, TOP = 40 };

typedef struct speed {
    size_t group;
    double length, cups;
} speed;

struct bench_speeds {
    char groups[MOST_GROUPS][64];
    speed all[MOST_SPEEDS];
    size_t group_count, count;
};

bench_speeds *bench_speeds_make(void) {
    return calloc(1, sizeof(bench_speeds));
}

void bench_speeds_free(bench_speeds *speeds) {
    free(speeds);
}

// "dtw/query/512" is of the group "dtw/query", "dtw/nearest/bounds-1000" of "dtw/nearest/bounds".
static size_t group_length(const char *name) {
    const char *slash = strrchr(name, '/');
    if (slash && isdigit((unsigned char)slash[1]))
        return (size_t)(slash - name);
    const char *dash = strrchr(name, '-');
    return dash && isdigit((unsigned char)dash[1]) ? (size_t)(dash - name) : strlen(name);
}

void bench_speeds_add(bench_speeds *s, const char *name, size_t length, double cups) {
    char group[sizeof s->groups[0]];
    size_t g = 0;
    snprintf(group, sizeof group, "%.*s", (int)group_length(name), name);
    while (g < s->group_count && strcmp(s->groups[g], group) != 0)
        g++;
    if (g == MOST_GROUPS || s->count == MOST_SPEEDS || !(cups > 0) || !isfinite(cups) || length == 0)
        return;
    if (g == s->group_count)
        memcpy(s->groups[s->group_count++], group, sizeof group);
    s->all[s->count++] = (speed){g, (double)length, cups / 1e9};
}

static const char *group_name(const void *user, size_t g) {
    return ((const bench_speeds *)user)->groups[g];
}

static int by_length(const void *a, const void *b) {
    const double x = ((const speed *)a)->length, y = ((const speed *)b)->length;
    return (x > y) - (x < y);
}

static void draw_group(const bench_speeds *s, const cli_panel *panel, size_t g) {
    speed own[MOST_SPEEDS];
    double xs[MOST_SPEEDS], ys[MOST_SPEEDS];
    size_t count = 0;
    char text[160];
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i].group == g)
            own[count++] = s->all[i];
    qsort(own, count, sizeof *own, by_length);
    for (size_t i = 0; i < count; i++) {
        xs[i] = own[i].length;
        ys[i] = own[i].cups;
    }
    cli_panel_points_line(panel, xs, ys, count, (int)g, 1.4);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%s, %.0f points: %.4g Gcells/s", s->groups[g], xs[i], ys[i]);
        cli_panel_mark(panel, xs[i], ys[i], 4, (int)g, text);
    }
}

// A logarithmic scale around all values: its ends are not at them.
static void widen(double *from, double *to) {
    if (!(*from <= *to))
        *from = *to = 1;
    const double margin = fmax(pow(*to / *from, 0.04), 1.2);
    *from /= margin;
    *to *= margin;
}

int bench_speeds_draw(const bench_speeds *s, const char *device, const char *path) {
    cli_picture picture;
    cli_panel panel = {.picture = &picture,
                       .left = CLI_LEFT + 16,
                       .width = WIDTH - CLI_LEFT - 40,
                       .height = TALL,
                       .x_from = INFINITY,
                       .x_to = -INFINITY,
                       .y_from = INFINITY,
                       .y_to = -INFINITY,
                       .logarithmic_x = true,
                       .logarithmic_y = true};
    char text[512];
    for (size_t i = 0; i < s->count; i++) {
        cli_range_add(&s->all[i].length, 1, 1, &panel.x_from, &panel.x_to);
        cli_range_add(&s->all[i].cups, 1, 1, &panel.y_from, &panel.y_to);
    }
    widen(&panel.x_from, &panel.x_to);
    widen(&panel.y_from, &panel.y_to);
    panel.top = TOP + cli_picture_legend(NULL, 16, 0, WIDTH - 32, true, s->group_count, group_name, s);
    snprintf(text, sizeof text, "Speed of %zu cases on %s", s->count, device);
    const int result =
        cli_picture_open(path, WIDTH, panel.top + TALL + CLI_BELOW + 10, "Speed over the length", text, &picture);
    if (result != CLI_GO_ON)
        return result;
    cli_picture_text_within(&picture, 16, 20, WIDTH - 32, "start", CLI_INK, text);
    (void)cli_picture_legend(&picture, 16, 42, WIDTH - 32, true, s->group_count, group_name, s);
    cli_panel_axes(&panel, "points of a series", "Gcells a second");
    for (size_t g = 0; g < s->group_count; g++)
        draw_group(s, &panel, g);
    return cli_picture_close(&picture, result);
}
