// SPDX-License-Identifier: Apache-2.0
// See precision.h. What float's rounding changes is compared with what the values differ by: in a series from its mean,
// of points in each coordinate.
#include "precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A rounding above this part of the differences shows in the results. Squares of values outside the range are hardly
// numbers.
#define SHOWS 1e-4
#define LEAST 1e-15
#define MOST 1e17

// A number of values: their mean and sum of squares about it, and the squares of what float changes.
typedef struct spread {
    double count, mean, squares, lost, largest;
} spread;

static void add(spread *s, double x) {
    const double lost = fabs(x) <= MOST * MOST ? x - (double)(float)x : 0, from = x - s->mean;
    s->count += 1;
    s->mean += from / s->count;
    s->squares += from * (x - s->mean);
    s->lost += lost * lost;
    s->largest = fmax(s->largest, fabs(x));
}

static bool shows(const spread *s) {
    return s->lost > SHOWS * SHOWS * s->squares && s->squares > 0;
}

static bool at_odd_scale(double largest) {
    return largest > MOST || (largest > 0 && largest < LEAST);
}

// Takes a channel of a set: whether float loses digits of most series that vary. Series of one point are one together.
static bool channel_loses(const ww_series_set *set, size_t c, double *largest) {
    spread all = {.count = 0};
    size_t losing = 0, varying = 0, points = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const size_t length = ww_series_set_length(set, i);
        const double *x = ww_series_set_values(set, i) + c * length;
        spread own = {.count = 0};
        for (size_t t = 0; t < length; t++)
            if (isfinite(x[t])) {
                add(&own, x[t]);
                if (length == 1)
                    add(&all, x[t]);
            }
        *largest = fmax(*largest, own.largest);
        points += length == 1;
        losing += shows(&own);
        varying += own.squares > 0;
    }
    return 2 * losing > varying || (2 * points > ww_series_set_count(set) && shows(&all));
}

// path NULL: says nothing.
static void take_double(cli_device_options *device, const ww_context *context, const char *path, bool odd) {
    ww_device_info info = WW_DEVICE_INFO_INIT;
    const char *why =
        odd ? "float hardly holds squares of its values" : "float loses digits by which its values differ";
    const bool has_double = ww_context_get_device_info(context, &info) == WW_OK && info.has_double;
    const bool takes = !device->asked && has_double;
    device->precision = takes ? WW_DOUBLE : device->precision;
    if (path)
        cli_note("note: %s: %s%s", strcmp(path, "-") == 0 ? "standard input" : path, why,
                 takes        ? "; computed in double (--precision float takes float)"
                 : has_double ? "; --precision double does not"
                              : "");
}

void cli_precision_of_sets(cli_device_options *device, const ww_context *context, ww_series_set *const sets[2],
                           const char *const paths[2], bool quiet) {
    for (int i = 0; i < 2 && cli_precision(device) == WW_FLOAT; i++) {
        double largest = 0;
        bool loses = false;
        for (size_t c = 0; sets[i] && c < ww_series_set_channels(sets[i]); c++)
            loses |= channel_loses(sets[i], c, &largest);
        if (loses || at_odd_scale(largest)) {
            take_double(device, context, quiet ? NULL : paths[i], !loses);
            return;
        }
    }
}

// Of some of many points.
static bool points_lose(const ww_point_view *v, double *largest) {
    enum { MOST_POINTS = 1 << 16 };
    const size_t step = v->count / MOST_POINTS + 1;
    double squares = 0, lost = 0;
    CLI_FREES spread *of = calloc(v->dimension, sizeof *of);
    for (size_t i = 0; of && i < v->count; i += step)
        for (size_t j = 0; j < v->dimension; j++)
            add(&of[j],
                cli_value_at(v->values, v->precision, v->column_order ? j * v->count + i : i * v->dimension + j));
    for (size_t j = 0; of && j < v->dimension; j++) {
        squares += of[j].squares;
        lost += of[j].lost;
        *largest = fmax(*largest, of[j].largest);
    }
    return squares > 0 && lost > SHOWS * SHOWS * squares;
}

void cli_precision_of_points(cli_device_options *device, const ww_context *context, const ww_point_view views[2],
                             const char *const paths[2], bool quiet) {
    for (int i = 0; i < 2 && cli_precision(device) == WW_FLOAT; i++) {
        double largest = 0;
        if (!views[i].values || views[i].kind != WW_POINTS_NUMBERS || views[i].precision == WW_FLOAT)
            continue;
        const bool loses = points_lose(&views[i], &largest);
        if (loses || at_odd_scale(largest)) {
            take_double(device, context, quiet ? NULL : paths[i], !loses);
            return;
        }
    }
}
