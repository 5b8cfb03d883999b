// SPDX-License-Identifier: Apache-2.0
// The queries of a search: checked, normalised and transformed on the host, then on the device with their bands and
// what bounds take of their points: these and the envelope, in order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/normal.h"
#include "data/view.h"
#include "measure/band.h"
#include "measure/range.h"
#include "search/search_internal.h"

// What goes to the device, of all queries.
typedef struct prepared {
    size_t values, points;
    double *x;            // `values`
    unsigned char *terms; // four values of each point and channel: the envelope, the point, and which
    uint32_t *rows;       // two of each point
} prepared;

static void prepared_free(prepared *p) {
    free(p->x);
    free(p->terms);
    free(p->rows);
}

double wwi_search_round(const ww_search *s, double value) {
    return s->of.precision == WW_DOUBLE ? value : (double)(float)value;
}

double wwi_search_threshold(const ww_search *s) {
    if (!s->options.has_threshold)
        return INFINITY;
    return wwi_search_round(s, s->similarity ? -s->options.threshold : s->options.threshold);
}

ww_status wwi_search_upload(ww_search *s, wwi_buffer **buffer, const double *values, size_t count) {
    if (s->of.precision == WW_DOUBLE)
        return wwi_upload(s->context, buffer, values, count * sizeof *values);
    WWI_FREES float *narrow = NULL;
    WWI_TRY(wwi_new(narrow, count));
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)values[i];
    return wwi_upload(s->context, buffer, narrow, count * sizeof *narrow);
}

// The sums of the gaps' costs, for ERP's left border; of the channels [first, end).
static void gap_sums(const ww_search *s, const double *points, size_t n, size_t first, size_t end, double *sums) {
    const double gap = s->of.measure.parameters[0];
    double sum = 0;
    for (size_t t = 0; t < n; t++) {
        double squares = 0;
        for (size_t c = first; c < end; c++)
            squares += (points[c * n + t] - gap) * (points[c * n + t] - gap);
        sum += end - first == 1 ? fabs(points[first * n + t] - gap) : sqrt(squares); // a square may be no number
        sums[t] = sum;
    }
}

// A channel of query i, whose values must be finite.
static ww_status take_channel(const ww_series_view *view, size_t i, uint64_t before, size_t c, double *to) {
    const wwi_line line = wwi_view_line(view, i, before, c);
    for (size_t t = 0; t < wwi_view_length(view, i); t++) {
        to[t] = wwi_line_at(line, t);
        if (!isfinite(to[t])) {
            wwi_fail(WW_ERROR_NOT_FINITE, "query %zu, point %zu is %g", i, t, to[t]);
            return wwi_fail_where((int64_t)i, (int64_t)t);
        }
    }
    return WW_OK;
}

// Symbols that the precision may have made equal. (A stream's that it rounds is none of what it leaves alone.)
static ww_status check_symbol(const ww_search *s, size_t i, size_t t, double value) {
    const bool in_float = s->of.precision == WW_FLOAT;
    if (!s->of.row->info.is_of_symbols || fabs(value) < (in_float ? 16777216.0 : WWI_MOST_WHOLE))
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s does not hold all symbols as large as %.17g of query %zu, at point %zu",
             in_float ? "float" : "double", value, i, t);
    wwi_fail_hint("%snumber the symbols from 0", in_float ? "use double precision, or " : "");
    return wwi_fail_where((int64_t)i, (int64_t)t);
}

// Values at a scale at which all of the measure's values would be infinite, or 0.
static ww_status check_scale(const ww_search *s, const ww_series_view *view) {
    wwi_range range = {.channels = view->channels, .longest = s->most_points, .precision = s->of.precision};
    uint64_t before = 0;
    for (size_t i = 0; i < view->count; i++) {
        for (size_t c = 0; c < view->channels; c++) {
            const wwi_line line = wwi_view_line(view, i, before, c);
            for (size_t t = 0; t < wwi_view_length(view, i); t++)
                range.largest = fmax(range.largest, fabs(wwi_line_at(line, t)));
        }
        before += wwi_view_length(view, i);
    }
    if (s->options.znormalise || !isfinite(range.largest))
        return WW_OK;
    WWI_TRY(wwi_range_check_small(&s->of.measure, &range));
    if (wwi_measure_cost(&s->of.measure) != WW_COST_USER && isfinite(wwi_range_limit(&s->of.measure, &range)))
        return wwi_range_too_large(&s->of.measure, &range);
    return WW_OK;
}

// Query i's points, and what its recurrence takes besides, at `to`. own: room for the points of a channel.
static ww_status take_points(ww_search *s, const ww_series_view *view, size_t i, uint64_t before, double *own,
                             double *to) {
    const wwi_query *q = &s->queries[i];
    const size_t channels = s->of.all_channels;
    for (size_t c = 0; c < channels; c++) {
        WWI_TRY(take_channel(view, i, before, c, own));
        // As the stream's points are: differences of rounded values are not rounded differences.
        for (size_t t = 0; t < q->length && s->derivative; t++)
            own[t] = wwi_search_round(s, own[t]);
        for (size_t t = 0; t < q->length; t++)
            WWI_TRY(check_symbol(s, i, t, own[t]));
        if (s->options.znormalise)
            wwi_znormalise(own, q->length);
        for (size_t t = 0; t < q->n; t++) {
            const double value = s->derivative ? wwi_derivative(own[t], own[t + 1], own[t + 2]) : own[t];
            to[c * q->n + t] = wwi_search_round(s, value);
        }
    }
    if (s->of.extra && s->of.passes == 1)
        gap_sums(s, to, q->n, 0, channels, to + channels * q->n);
    for (size_t c = 0; s->of.extra && s->of.passes > 1 && c < channels; c++)
        gap_sums(s, to, q->n, c, c + 1, to + (channels + c) * q->n);
    return WW_OK;
}

// The least and the largest point of a channel in each column of the band.
static void make_envelope(const double *x, size_t n, const uint32_t *rows, double *low, double *high) {
    for (size_t j = 0; j < n; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (size_t r = 0; r < n; r++)
        for (size_t j = rows[2 * r]; j < rows[2 * r + 1]; j++) {
            low[j] = fmin(low[j], x[r]);
            high[j] = fmax(high[j], x[r]);
        }
}

// The columns [lo, hi) of the query's rows, and how far these reach.
static ww_status make_band(ww_search *s, wwi_query *q, uint32_t *rows) {
    const size_t n = q->n;
    const bool banded = s->of.measure.band.kind != WW_BAND_NONE;
    WWI_FREES size_t *lo = NULL;
    WWI_TRY(wwi_new(lo, 2 * n));
    if (banded)
        WWI_TRY(ww_band_rows(&s->of.measure.band, n, n, lo, lo + n));
    for (size_t r = 0; r < n; r++) {
        const size_t from = banded ? lo[r] : 0, end = banded ? lo[n + r] : n;
        rows[2 * r] = (uint32_t)from;
        rows[2 * r + 1] = (uint32_t)end;
        const size_t back = r > from ? r - from : 0, forth = end > r + 1 ? end - 1 - r : 0;
        const size_t reach = back > forth ? back : forth;
        q->reach = reach > q->reach ? (uint32_t)reach : q->reach;
    }
    return WW_OK;
}

typedef struct ordered {
    double size;
    uint32_t t;
} ordered;

static int compare_ordered(const void *a, const void *b) {
    const ordered *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size ? -1 : 1) : (x->t > y->t) - (x->t < y->t);
}

// Four values: float or double; the last has the bits of an integer.
static void set_term(const ww_search *s, unsigned char *to, double low, double high, double x, uint32_t t) {
    const uint64_t wide = t;
    wwi_set_value(to, s->of.precision, 0, low);
    wwi_set_value(to, s->of.precision, 1, high);
    wwi_set_value(to, s->of.precision, 2, x);
    memcpy(to + 3 * s->value_bytes, s->of.precision == WW_DOUBLE ? (const void *)&wide : &t, (size_t)s->value_bytes);
}

// The terms of the points that are in no corner, largest first. low, high: the envelopes of the channels.
static ww_status make_terms(const ww_search *s, const wwi_query *q, const double *x, const double *low,
                            const double *high, unsigned char *terms) {
    const size_t n = q->n, channels = s->of.all_channels, each = 4 * (size_t)s->value_bytes;
    const uint32_t corners = wwi_bound_corners(s, q->n), count = wwi_bound_terms(s, q->n);
    WWI_FREES ordered *sorted = NULL;
    WWI_TRY(wwi_new(sorted, count ? count : 1));
    for (uint32_t k = 0; k < count; k++) {
        sorted[k] = (ordered){0, corners + k};
        for (size_t c = 0; c < channels; c++)
            sorted[k].size += fabs(x[c * n + corners + k]);
    }
    qsort(sorted, count, sizeof *sorted, compare_ordered);
    for (uint32_t k = 0; k < count; k++)
        for (size_t c = 0; c < channels; c++) {
            const size_t at = c * n + sorted[k].t;
            set_term(s, terms + (k * channels + c) * each, low[at], high[at], x[at], sorted[k].t);
        }
    return WW_OK;
}

// Lengths, and where the queries are on the device. *longest: points of the longest, as given.
static ww_status count_queries(ww_search *s, const ww_series_view *view, prepared *p, size_t *longest) {
    const size_t lost = s->derivative ? 2 : 0, extras = s->of.passes > 1 ? s->of.passes : 1,
                 parts = s->of.all_channels + (s->of.extra ? extras : 0);
    s->least_points = SIZE_MAX;
    for (size_t i = 0; i < s->query_count; i++) {
        wwi_query *q = &s->queries[i];
        q->length = wwi_view_length(view, i);
        if (q->length <= lost) {
            wwi_fail(WW_ERROR_EMPTY, "query %zu has %zu points", i, q->length);
            return s->derivative ? wwi_fail_hint("%s takes series of 3 points or more", s->of.row->info.name)
                                 : wwi_fail_where((int64_t)i, -1);
        }
        if (q->length > 0x3fffffff / parts)
            return wwi_fail(WW_ERROR_OVERFLOW, "query %zu has %zu points", i, q->length);
        q->n = (uint32_t)(q->length - lost);
        q->x = (uint32_t)p->values;
        q->at = (uint32_t)p->points;
        p->values += q->n * parts;
        p->points += q->n;
        if (p->values > 0x3fffffff)
            return wwi_fail(WW_ERROR_OVERFLOW, "the queries have more than 2^30 values");
        *longest = q->length > *longest ? q->length : *longest;
        s->most_points = q->n > s->most_points ? q->n : s->most_points;
        s->least_points = q->n < s->least_points ? q->n : s->least_points;
        q->exclusion = s->options.exclusion == WW_SEARCH_HALF ? (q->length + 1) / 2 : s->options.exclusion;
        q->exclusion = q->exclusion ? q->exclusion : 1;
        // Each match excludes at most 2 * exclusion - 1 places: so many may have to be passed over.
        const uint64_t each = 2 * wwi_least(q->exclusion, UINT64_C(1) << 40) - 1;
        q->kept = (size_t)((s->options.k - 1) * each + 1);
    }
    return WW_OK;
}

static ww_status prepare_windows(ww_search *s, wwi_query *q, prepared *p) {
    const size_t n = q->n, channels = s->of.all_channels;
    const double *x = p->x + q->x;
    uint32_t *rows = p->rows + 2 * (size_t)q->at;
    WWI_FREES double *low = NULL;
    WWI_TRY(make_band(s, q, rows));
    if (!s->bounded)
        return WW_OK;
    WWI_TRY(wwi_new(low, 2 * n * channels));
    double *high = low + n * channels;
    for (size_t c = 0; c < channels; c++)
        make_envelope(x + c * n, n, rows, low + c * n, high + c * n);
    return make_terms(s, q, x, low, high, p->terms + q->at * channels * 4 * s->value_bytes);
}

static uint64_t term_bytes(const ww_search *s, const prepared *p) {
    return p->points * s->of.all_channels * 4 * s->value_bytes;
}

static ww_status upload(ww_search *s, const prepared *p) {
    wwi_query_buffers *to = &s->query_data;
    WWI_TRY(wwi_search_upload(s, &to->x, p->x, p->values));
    if (s->options.kind != WW_SEARCH_WINDOWS)
        return WW_OK;
    if (s->bounded)
        WWI_TRY(wwi_upload(s->context, &to->terms, p->terms, term_bytes(s, p)));
    return wwi_upload(s->context, &to->rows, p->rows, 2 * p->points * sizeof *p->rows);
}

ww_status wwi_search_queries(ww_search *s, const ww_series_view *view) {
    WWI_ENDS(prepared_free) prepared p = {.values = 0};
    WWI_FREES double *own = NULL;
    size_t longest = 0;
    uint64_t before = 0;
    WWI_TRY(wwi_new_zeroed(s->queries, s->query_count));
    WWI_TRY(count_queries(s, view, &p, &longest));
    WWI_TRY(check_scale(s, view));
    WWI_TRY(wwi_new(own, longest));
    WWI_TRY(wwi_new(p.x, p.values));
    if (s->bounded)
        WWI_TRY(wwi_new_zeroed(p.terms, term_bytes(s, &p)));
    WWI_TRY(wwi_new(p.rows, 2 * p.points));
    for (size_t i = 0; i < s->query_count; i++) {
        wwi_query *q = &s->queries[i];
        WWI_TRY(take_points(s, view, i, before, own, p.x + q->x));
        if (s->options.kind == WW_SEARCH_WINDOWS)
            WWI_TRY(prepare_windows(s, q, &p));
        before += q->length;
    }
    return upload(s, &p);
}

void wwi_search_queries_destroy(ww_search *s) {
    wwi_query_buffers *b = &s->query_data;
    WWI_BUFFERS_DESTROY(&b->x, &b->terms, &b->rows);
    for (size_t q = 0; s->queries && q < s->query_count; q++)
        free(s->queries[q].candidates);
    free(s->queries);
}

// ---- of a search for whole streams, which stay on the host

void wwi_super_destroy(struct wwi_super **super) {
    struct wwi_super *own = wwi_taken(super);
    if (!own)
        return;
    free(own->values);
    free(own->lengths);
    free(own->offsets);
    free(own);
}

static ww_status take_lengths(struct wwi_super *own, const ww_series_view *view, uint64_t *total) {
    for (size_t i = 0; i < own->count; i++) {
        own->lengths[i] = wwi_view_length(view, i);
        own->offsets[i] = (size_t)*total;
        if (!own->lengths[i]) {
            wwi_fail(WW_ERROR_EMPTY, "query %zu has no points", i);
            return wwi_fail_where((int64_t)i, -1);
        }
        if (own->lengths[i] > SIZE_MAX / 64 / own->channels - *total)
            return wwi_fail(WW_ERROR_OVERFLOW, "the queries have too many points");
        *total += (uint64_t)own->lengths[i] * own->channels;
    }
    return WW_OK;
}

ww_status wwi_super_make(ww_search *s, const ww_series_view *view) {
    uint64_t total = 0;
    WWI_TRY(wwi_new_zeroed(s->super, 1));
    struct wwi_super *own = s->super;
    if (s->given.relax_begin_x || s->given.relax_end_x) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a search for whole streams has no relaxed streams");
        return wwi_fail_hint("leave relax_begin_x and relax_end_x at 0");
    }
    own->count = view->count;
    own->channels = view->channels;
    WWI_TRY(wwi_new(own->lengths, view->count));
    WWI_TRY(wwi_new(own->offsets, view->count));
    WWI_TRY(take_lengths(own, view, &total));
    WWI_TRY(wwi_new(own->values, total));
    for (size_t i = 0; i < own->count; i++)
        for (size_t c = 0; c < own->channels; c++)
            WWI_TRY(take_channel(view, i, own->offsets[i] / own->channels, c,
                                 own->values + own->offsets[i] + c * own->lengths[i]));
    return WW_OK;
}
