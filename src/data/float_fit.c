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
enum { BESIDE = 16, RUN = 16 }; // coordinates of a point that are read together; points one after the other

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

// What was seen of some series, in one channel; points: of series of one point.
typedef struct seen {
    size_t losing, varying, points, looked;
    double largest;
} seen;

// Series are looked at in pieces, by several threads: each `step`th.
enum { PIECES = 64, WORTH = 1 << 17 }; // values that a thread is worth
typedef struct looking {
    const ww_series_view *view;
    size_t channel, step, each; // each: series of a piece
    uint64_t before[PIECES];    // points of the series before it
    seen found[PIECES];
} looking;

static ww_status look(void *user, uint64_t piece) {
    looking *l = user;
    const ww_series_view *view = l->view;
    const size_t first = (size_t)piece * l->each, end = first + l->each < view->count ? first + l->each : view->count;
    uint64_t before = l->before[piece];
    seen of = {.looked = 0};
    for (size_t i = first; i < end; i++) {
        const size_t length = wwi_view_length(view, i);
        const wwi_line line = wwi_view_line(view, i, before, l->channel);
        spread own = {.count = 0};
        before += length;
        if (i % l->step)
            continue;
        for (size_t t = 0; t < length; t++) {
            const double x = wwi_line_at(line, t);
            if (isfinite(x))
                add(&own, x);
        }
        of.largest = fmax(of.largest, own.largest);
        of.looked++;
        of.points += length == 1;
        of.losing += shows(&own);
        of.varying += about_mean(&own) > 0;
    }
    l->found[piece] = of;
    return WW_OK;
}

// Whether float loses digits of the series of one point, as if these were one series.
static bool points_lose(const ww_series_view *view, size_t c, size_t step) {
    spread all = {.count = 0};
    uint64_t before = 0;
    for (size_t i = 0; i < view->count; i++) {
        const size_t length = wwi_view_length(view, i);
        const double x = length == 1 ? wwi_line_at(wwi_view_line(view, i, before, c), 0) : (double)NAN;
        before += length;
        if (i % step == 0 && isfinite(x))
            add(&all, x);
    }
    return shows(&all);
}

// Whether float loses digits of most series that vary, in one channel.
static bool channel_loses(looking *l, size_t c, double values, double *largest) {
    const size_t pieces = (l->view->count + l->each - 1) / l->each;
    const double threads = 1 + fmin(values, MOST_VALUES) / (double)l->view->channels / WORTH;
    seen all = {.looked = 0};
    l->channel = c;
    if (wwi_share((unsigned)fmin(threads, wwi_processors()), pieces, look, l) != WW_OK)
        return false; // it is interrupted, as the job will be
    for (size_t k = 0; k < pieces; k++) {
        all.losing += l->found[k].losing;
        all.varying += l->found[k].varying;
        all.points += l->found[k].points;
        all.looked += l->found[k].looked;
        *largest = fmax(*largest, l->found[k].largest);
    }
    return 2 * all.losing > all.varying || (2 * all.points > all.looked && points_lose(l->view, c, l->step));
}

ww_float_fit ww_series_view_float_fit(const ww_series_view *given) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    double largest = 0, values = 0;
    uint64_t before = 0;
    bool loses = false;
    if (wwi_options_take(&view, given, "ww_series_view") != WW_OK || view.precision != WW_DOUBLE ||
        wwi_view_check(&view) != WW_OK || view.count == 0)
        return WW_FLOAT_FITS;
    looking l = {.view = &view, .each = (view.count + PIECES - 1) / PIECES};
    for (size_t i = 0; i < view.count; i++) {
        if (i % l.each == 0)
            l.before[i / l.each] = before;
        before += wwi_view_length(&view, i);
    }
    values = (double)before * (double)view.channels;
    l.step = (size_t)(values / MOST_VALUES) + 1;
    for (size_t c = 0; c < view.channels; c++)
        loses |= channel_loses(&l, c, values, &largest);
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
        view.precision != WW_DOUBLE || view.element != WW_ELEMENT_PRECISION)
        return WW_FLOAT_FITS;
    const size_t step = view.count / MOST_POINTS + 1;
    const double *values = view.values;
    double squares = 0, lost = 0, largest = 0;
    for (size_t j = 0; j < view.dimension; j += BESIDE) {
        const size_t count = view.dimension - j < BESIDE ? view.dimension - j : BESIDE;
        spread of[BESIDE] = {{.count = 0}};
        for (size_t i = 0; i < view.count; i += (i + 1) % RUN ? 1 : 1 + (step - 1) * RUN)
            for (size_t k = 0; k < count; k++)
                add(&of[k], values[view.column_order ? (j + k) * view.count + i : i * view.dimension + j + k]);
        for (size_t k = 0; k < count; k++) {
            squares += about_mean(&of[k]);
            lost += of[k].lost;
            largest = fmax(largest, of[k].largest);
        }
    }
    return fit_of(squares > 0 && lost > SHOWS * SHOWS * squares, largest);
}
