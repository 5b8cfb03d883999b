// SPDX-License-Identifier: Apache-2.0
// Whether float holds what values differ by. What its rounding changes is compared with the differences: in a series
// from its mean, of points in each coordinate.
#include <wavewarp/points.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "data/float_fit.h"
#include "data/view.h"
#include "options.h"

// A rounding above this part of the differences shows in the results. Squares of values outside the range are hardly
// numbers.
#define SHOWS 1e-4
#define LEAST 1e-15
#define MOST 1e17
// Of more values than these some are looked at.
enum { MOST_POINTS = 1 << 16, MOST_VALUES = 1 << 22 };

// A number of values: sums of their differences from the first and of the squares, and the squares of what float
// changes.
typedef struct spread {
    double count, first, sum, squares, lost, largest;
} spread;

// Every value of a set comes here: no division.
static inline void add(spread *s, double x) {
    const double size = fabs(x), lost = size <= MOST * MOST ? x - (double)(float)x : 0;
    s->first = s->count > 0 ? s->first : x;
    s->count += 1;
    s->sum += x - s->first;
    s->squares += (x - s->first) * (x - s->first);
    s->lost += lost * lost;
    s->largest = size > s->largest ? size : s->largest;
}

// The squares about the mean.
static double about_mean(const spread *s) {
    return s->count > 0 ? s->squares - s->sum * s->sum / s->count : 0;
}

static bool shows(const spread *s) {
    const double squares = about_mean(s);
    return s->lost > SHOWS * SHOWS * squares && squares > 0;
}

static ww_float_fit fit_of(bool loses, double largest) {
    if (loses)
        return WW_FLOAT_LOSES;
    return largest > MOST || (largest > 0 && largest < LEAST) ? WW_FLOAT_SCALE : WW_FLOAT_FITS;
}

// Whether float loses digits of most series that vary, in one channel. Series of one point are one together.
static bool channel_loses(const ww_series_view *view, size_t c, size_t step, double *largest) {
    spread all = {.count = 0};
    size_t losing = 0, varying = 0, points = 0, looked = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < view->count; i++) {
        const size_t length = wwi_view_length(view, i);
        const wwi_line line = wwi_view_line(view, i, before, c);
        spread own = {.count = 0};
        before += length;
        if (i % step)
            continue;
        looked++;
        for (size_t t = 0; t < length; t++) {
            const double x = wwi_line_at(line, t);
            if (!isfinite(x))
                continue;
            add(&own, x);
            if (length == 1)
                add(&all, x);
        }
        *largest = fmax(*largest, own.largest);
        points += length == 1;
        losing += shows(&own);
        varying += about_mean(&own) > 0;
    }
    return 2 * losing > varying || (2 * points > looked && shows(&all));
}

ww_float_fit ww_series_view_float_fit(const ww_series_view *given) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    double largest = 0, values = 0;
    bool loses = false;
    if (wwi_options_take(&view, given, "ww_series_view") != WW_OK || view.precision != WW_DOUBLE ||
        wwi_view_check(&view) != WW_OK)
        return WW_FLOAT_FITS;
    for (size_t i = 0; i < view.count; i++)
        values += (double)wwi_view_length(&view, i) * (double)view.channels;
    for (size_t c = 0; c < view.channels; c++)
        loses |= channel_loses(&view, c, (size_t)(values / MOST_VALUES) + 1, &largest);
    return fit_of(loses, largest);
}

const char *ww_float_fit_text(ww_float_fit fit) {
    return fit == WW_FLOAT_LOSES   ? "float loses digits by which the values differ"
           : fit == WW_FLOAT_SCALE ? "float hardly holds squares of the values"
                                   : "";
}

static void tell(const ww_context *context, ww_float_fit fit) {
    if (fit != WW_FLOAT_FITS)
        wwi_log(context, 1, "%s: %s", ww_float_fit_text(fit),
                fit == WW_FLOAT_LOSES ? "double does not" : "double does");
}

void wwi_tell_series_fit(const ww_context *context, ww_precision taken, const ww_series_view *view) {
    if (taken == WW_FLOAT && wwi_is_logged(context))
        tell(context, ww_series_view_float_fit(view));
}

void wwi_tell_point_fit(const ww_context *context, ww_precision taken, const ww_point_view *view) {
    if (taken == WW_FLOAT && wwi_is_logged(context))
        tell(context, ww_point_view_float_fit(view));
}

ww_float_fit ww_point_view_float_fit(const ww_point_view *given) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    if (wwi_options_take(&view, given, "ww_point_view") != WW_OK || !view.values || view.kind != WW_POINTS_NUMBERS ||
        view.precision != WW_DOUBLE)
        return WW_FLOAT_FITS;
    const size_t step = view.count / MOST_POINTS + 1;
    const double *values = view.values;
    double squares = 0, lost = 0, largest = 0;
    for (size_t j = 0; j < view.dimension; j++) {
        spread of = {.count = 0};
        for (size_t i = 0; i < view.count; i += step)
            add(&of, values[view.column_order ? j * view.count + i : i * view.dimension + j]);
        squares += about_mean(&of);
        lost += of.lost;
        largest = fmax(largest, of.largest);
    }
    return fit_of(squares > 0 && lost > SHOWS * SHOWS * squares, largest);
}
