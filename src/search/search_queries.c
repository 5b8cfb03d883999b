// SPDX-License-Identifier: Apache-2.0
// The queries of a search: checked, normalised and transformed on the host, then on the device with their bands, their
// envelopes and the order in which a bound takes their points.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/band.h"
#include "search/search_internal.h"

double wwi_search_round(const ww_search *s, double value) {
    return s->precision == WW_DOUBLE ? value : (double)(float)value;
}

ww_status wwi_search_upload(ww_search *s, wwi_buffer *buffer, const double *values, size_t count) {
    if (s->precision == WW_DOUBLE)
        return wwi_buffer_write(buffer, 0, count * sizeof *values, values);
    float *narrow = malloc(count * sizeof *narrow);
    if (!narrow)
        return wwi_fail_memory(count * sizeof *narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)values[i];
    const ww_status status = wwi_buffer_write(buffer, 0, count * sizeof *narrow, narrow);
    free(narrow);
    return status;
}

// A series that is flat becomes all zero.
static void normalise(double *values, size_t count) {
    double sum = 0, squares = 0;
    for (size_t t = 0; t < count; t++)
        sum += values[t];
    const double mean = sum / (double)count;
    for (size_t t = 0; t < count; t++)
        squares += (values[t] - mean) * (values[t] - mean);
    const double deviation = sqrt(squares / (double)count);
    const bool flat = deviation < 1e-8 * fabs(mean) + 1e-12;
    for (size_t t = 0; t < count; t++)
        values[t] = flat ? 0 : (values[t] - mean) / deviation;
}

static void derive(const double *from, size_t count, double *to) {
    for (size_t t = 0; t + 2 < count; t++)
        to[t] = ((from[t + 1] - from[t]) + (from[t + 2] - from[t]) / 2) / 2;
}

// The sums of the gaps' costs, for ERP's left border; of the channels [first, end).
static void gap_sums(const ww_search *s, const double *points, size_t n, size_t first, size_t end, double *sums) {
    const double gap = s->measure.parameters[0];
    double sum = 0;
    for (size_t t = 0; t < n; t++) {
        double squares = 0;
        for (size_t c = first; c < end; c++)
            squares += (points[c * n + t] - gap) * (points[c * n + t] - gap);
        sum += sqrt(squares);
        sums[t] = sum;
    }
}

// Query i's points at s->points + x.
static ww_status take_query(ww_search *s, const ww_series_view *view, size_t i, uint64_t offset, double *own) {
    wwi_query *q = &s->queries[i];
    double *to = s->points + q->x;
    for (size_t c = 0; c < s->channels; c++) {
        for (size_t t = 0; t < q->length; t++) {
            own[t] = wwi_view_value(view, offset, q->length, c, t);
            if (!isfinite(own[t])) {
                wwi_fail(WW_ERROR_NOT_FINITE, "query %zu, point %zu is %g", i, t, own[t]);
                return wwi_fail_where((int64_t)i, (int64_t)t);
            }
            // As the stream's points are: differences of rounded values are not rounded differences.
            if (s->derivative)
                own[t] = wwi_search_round(s, own[t]);
        }
        if (s->options.znormalise)
            normalise(own, q->length);
        if (s->derivative)
            derive(own, q->length, to + c * q->n);
        else
            memcpy(to + c * q->n, own, q->length * sizeof *own);
        for (size_t t = 0; t < q->n; t++)
            to[c * q->n + t] = wwi_search_round(s, to[c * q->n + t]);
    }
    if (s->extra && s->passes == 1)
        gap_sums(s, to, q->n, 0, s->channels, to + s->channels * q->n);
    for (size_t c = 0; s->extra && s->passes > 1 && c < s->channels; c++)
        gap_sums(s, to, q->n, c, c + 1, to + (s->channels + c) * q->n);
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

// The band of a query, its envelopes and the order of its points.
static ww_status prepare_query(ww_search *s, size_t i, uint32_t *rows, uint32_t *order, double *low, double *high) {
    const wwi_query *q = &s->queries[i];
    const size_t n = q->n;
    const double *x = s->points + q->x;
    ww_status status = WW_OK;
    size_t *lo = malloc(2 * n * sizeof *lo), *hi = lo ? lo + n : NULL;
    ordered *sorted = malloc(n * sizeof *sorted);
    if (!lo || !sorted) {
        status = wwi_fail_memory(2 * n * sizeof *lo);
        goto done;
    }
    if (s->measure.band.kind == WW_BAND_NONE)
        for (size_t r = 0; r < n; r++) {
            lo[r] = 0;
            hi[r] = n;
        }
    else if ((status = ww_band_rows(&s->measure.band, n, n, lo, hi)) != WW_OK)
        goto done;
    s->reach[i] = 0;
    for (size_t r = 0; r < n; r++) {
        rows[2 * (q->at + r)] = (uint32_t)lo[r];
        rows[2 * (q->at + r) + 1] = (uint32_t)hi[r];
        const size_t back = r > lo[r] ? r - lo[r] : 0, forth = hi[r] > r + 1 ? hi[r] - 1 - r : 0;
        const size_t reach = back > forth ? back : forth;
        s->reach[i] = reach > s->reach[i] ? (uint32_t)reach : s->reach[i];
    }
    for (size_t c = 0; s->bounded && c < s->channels; c++) {
        double *l = low + q->x + c * n, *h = high + q->x + c * n;
        for (size_t j = 0; j < n; j++) {
            l[j] = INFINITY;
            h[j] = -INFINITY;
        }
        for (size_t r = 0; r < n; r++)
            for (size_t j = lo[r]; j < hi[r]; j++) {
                l[j] = fmin(l[j], x[c * n + r]);
                h[j] = fmax(h[j], x[c * n + r]);
            }
    }
    for (size_t t = 0; t < n; t++) {
        sorted[t] = (ordered){0, (uint32_t)t};
        for (size_t c = 0; c < s->channels; c++)
            sorted[t].size += fabs(x[c * n + t]);
    }
    if (n > 2)
        qsort(sorted + 1, n - 2, sizeof *sorted, compare_ordered);
    for (size_t t = 0; t + 2 < n; t++)
        order[q->at + t] = sorted[t + 1].t;
done:
    free(sorted);
    free(lo);
    return status;
}

ww_status wwi_search_queries(ww_search *s, const ww_series_view *view) {
    ww_status status = WW_OK;
    uint64_t offset = 0, values = 0, points = 0, longest = 0;
    const size_t parts = s->channels + (s->extra ? (s->passes > 1 ? s->channels : 1) : 0);
    double *own = NULL, *low = NULL, *high = NULL;
    uint32_t *rows = NULL, *order = NULL;

    s->queries = calloc(s->query_count, sizeof *s->queries);
    s->reach = calloc(s->query_count, sizeof *s->reach);
    if (!s->queries || !s->reach)
        return wwi_fail_memory(s->query_count * sizeof *s->queries);
    s->least_points = SIZE_MAX;
    for (size_t i = 0; i < s->query_count; i++) {
        wwi_query *q = &s->queries[i];
        q->length = view->lengths ? view->lengths[i] : view->length;
        const size_t lost = s->derivative ? 2 : 0;
        if (q->length <= lost) {
            wwi_fail(WW_ERROR_EMPTY, "query %zu has %zu points", i, q->length);
            return s->derivative ? wwi_fail_hint("%s takes series of 3 points or more", s->row->info.name)
                                 : wwi_fail_where((int64_t)i, -1);
        }
        if (q->length > 0x3fffffff / parts)
            return wwi_fail(WW_ERROR_OVERFLOW, "query %zu has %zu points", i, q->length);
        q->n = (uint32_t)(q->length - lost);
        q->x = (uint32_t)values;
        q->at = (uint32_t)points;
        values += (uint64_t)q->n * parts;
        points += q->n;
        if (values > 0x3fffffff)
            return wwi_fail(WW_ERROR_OVERFLOW, "the queries have more than 2^30 values");
        longest = q->length > longest ? q->length : longest;
        s->most_points = q->n > s->most_points ? q->n : s->most_points;
        s->least_points = q->n < s->least_points ? q->n : s->least_points;
        q->exclusion = s->options.exclusion == WW_SEARCH_HALF ? (q->length + 1) / 2 : s->options.exclusion;
        q->exclusion = q->exclusion ? q->exclusion : 1;
        // Each match excludes at most 2 * exclusion - 1 places: so many may have to be passed over.
        const uint64_t each = 2 * (q->exclusion < (UINT64_C(1) << 40) ? q->exclusion : UINT64_C(1) << 40) - 1;
        q->kept = (size_t)((s->options.k - 1) * each + 1);
        q->share = 0;
    }
    s->x_count = values;
    s->points = malloc(values * sizeof *s->points);
    own = malloc(longest * sizeof *own);
    low = calloc(values, sizeof *low);
    high = calloc(values, sizeof *high);
    rows = malloc(2 * points * sizeof *rows);
    order = calloc(points, sizeof *order);
    if (!s->points || !own || !low || !high || !rows || !order) {
        status = wwi_fail_memory(values * sizeof *s->points);
        goto done;
    }
    for (size_t i = 0; i < s->query_count; i++) {
        const uint64_t at = view->offsets ? view->offsets[i] : offset;
        if ((status = take_query(s, view, i, at, own)) != WW_OK ||
            (s->options.kind == WW_SEARCH_WINDOWS && (status = prepare_query(s, i, rows, order, low, high)) != WW_OK))
            goto done;
        offset += (uint64_t)s->queries[i].length * s->channels;
    }
    if ((status = wwi_buffer_create(s->context, values * s->value_bytes, &s->x)) != WW_OK ||
        (status = wwi_search_upload(s, s->x, s->points, values)) != WW_OK)
        goto done;
    if (s->options.kind == WW_SEARCH_WINDOWS) {
        if ((status = wwi_buffer_create(s->context, values * s->value_bytes, &s->envelopes[0])) != WW_OK ||
            (status = wwi_buffer_create(s->context, values * s->value_bytes, &s->envelopes[1])) != WW_OK ||
            (status = wwi_buffer_create(s->context, 2 * points * sizeof *rows, &s->rows)) != WW_OK ||
            (status = wwi_buffer_create(s->context, points * sizeof *order, &s->order)) != WW_OK ||
            (status = wwi_search_upload(s, s->envelopes[0], low, values)) != WW_OK ||
            (status = wwi_search_upload(s, s->envelopes[1], high, values)) != WW_OK ||
            (status = wwi_buffer_write(s->rows, 0, 2 * points * sizeof *rows, rows)) != WW_OK ||
            (status = wwi_buffer_write(s->order, 0, points * sizeof *order, order)) != WW_OK)
            goto done;
    }
done:
    free(order);
    free(rows);
    free(high);
    free(low);
    free(own);
    return status;
}

// ---- of a search for whole streams, which stay on the host

void wwi_super_destroy(struct wwi_super **super) {
    if (!*super)
        return;
    free((*super)->values);
    free((*super)->lengths);
    free((*super)->offsets);
    free(*super);
    *super = NULL;
}

ww_status wwi_super_make(ww_search *s, const ww_series_view *view) {
    struct wwi_super *own = calloc(1, sizeof *own);
    uint64_t total = 0, offset = 0;
    if (!own)
        return wwi_fail_memory(sizeof *own);
    s->super = own;
    if (s->measure.relax_begin_x || s->measure.relax_end_x) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "relaxed streams in a search for whole streams");
        return wwi_fail_hint("leave relax_begin_x and relax_end_x at 0");
    }
    own->count = view->count;
    own->channels = view->channels;
    own->lengths = malloc(view->count * sizeof *own->lengths);
    own->offsets = malloc(view->count * sizeof *own->offsets);
    if (!own->lengths || !own->offsets)
        return wwi_fail_memory(view->count * sizeof *own->lengths);
    for (size_t i = 0; i < view->count; i++) {
        own->lengths[i] = view->lengths ? view->lengths[i] : view->length;
        own->offsets[i] = (size_t)total;
        if (!own->lengths[i]) {
            wwi_fail(WW_ERROR_EMPTY, "query %zu has no points", i);
            return wwi_fail_where((int64_t)i, -1);
        }
        if (own->lengths[i] > SIZE_MAX / 64 / view->channels - total)
            return wwi_fail(WW_ERROR_OVERFLOW, "the queries have too many points");
        total += (uint64_t)own->lengths[i] * view->channels;
    }
    own->values = malloc((size_t)total * sizeof *own->values);
    if (!own->values)
        return wwi_fail_memory(total * sizeof *own->values);
    for (size_t i = 0; i < view->count; i++) {
        const size_t n = own->lengths[i];
        const uint64_t at = view->offsets ? view->offsets[i] : offset;
        for (size_t c = 0; c < view->channels; c++)
            for (size_t t = 0; t < n; t++) {
                const double value = wwi_view_value(view, at, n, c, t);
                if (!isfinite(value)) {
                    wwi_fail(WW_ERROR_NOT_FINITE, "query %zu, point %zu is %g", i, t, value);
                    return wwi_fail_where((int64_t)i, (int64_t)t);
                }
                own->values[own->offsets[i] + c * n + t] = value;
            }
        offset += (uint64_t)n * view->channels;
    }
    return WW_OK;
}
