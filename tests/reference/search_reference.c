// SPDX-License-Identifier: Apache-2.0
// Searches by brute force, and the UCR Suite's cascade from its description.
#include "search_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void wwr_znormalise(double *values, size_t count) {
    long double sum = 0, squares = 0; // on x86 of a range that holds the squares of all numbers of double
    const long double first = values[0];
    double low = values[0], high = values[0];
    for (size_t t = 0; t < count; t++) {
        sum += values[t] - first;
        low = fmin(low, values[t]);
        high = fmax(high, values[t]);
    }
    const long double mean = sum / (long double)count;
    for (size_t t = 0; t < count; t++)
        squares += (values[t] - first - mean) * (values[t] - first - mean);
    const long double deviation = sqrtl(squares / (long double)count);
    const int constant = high - low <= WWR_CONSTANT * fmax(fabs(low), fabs(high));
    for (size_t t = 0; t < count; t++)
        values[t] = constant ? 0 : (double)((values[t] - first - mean) / deviation);
}

// Points [first, first + n) of a series as a series of their own; whether all are finite.
static int cut(const wwr_series *from, size_t first, size_t n, int znormalise, double *to, wwr_series *series) {
    int finite = 1;
    for (size_t c = 0; c < from->channels; c++) {
        for (size_t t = 0; t < n; t++) {
            to[c * n + t] = from->values[c * from->length + first + t];
            finite &= isfinite(to[c * n + t]) != 0;
        }
        if (znormalise)
            wwr_znormalise(to + c * n, n);
    }
    *series = (wwr_series){to, n, from->channels};
    return finite;
}

void wwr_search_windows(const ww_measure *measure, const wwr_series *query, const wwr_series *stream, int znormalise,
                        double *values) {
    const size_t n = query->length;
    double *window = malloc(n * query->channels * sizeof *window), *own = malloc(n * query->channels * sizeof *own);
    wwr_series x, y;
    cut(query, 0, n, znormalise, own, &x);
    for (size_t p = 0; p + n <= stream->length; p++)
        values[p] = cut(stream, p, n, znormalise, window, &y) ? wwr_distance(measure, NULL, &x, &y) : INFINITY;
    free(own);
    free(window);
}

void wwr_search_ends(const ww_measure *measure, const wwr_series *query, const wwr_series *stream, double *values) {
    double *part = malloc(stream->length * stream->channels * sizeof *part);
    size_t begin = 0;
    for (size_t j = 0; j < stream->length; j++) {
        int finite = 1;
        for (size_t c = 0; c < stream->channels; c++)
            finite &= isfinite(stream->values[c * stream->length + j]) != 0;
        values[j] = INFINITY;
        if (!finite) {
            begin = j + 1;
            continue;
        }
        wwr_series y;
        ww_measure open = *measure;
        cut(stream, begin, j + 1 - begin, 0, part, &y);
        open.relax_begin_y = SIZE_MAX;
        open.relax_end_y = 0;
        open.relax_begin_x = begin == 0 ? measure->relax_begin_x : 0;
        // At least one point of the query is matched.
        open.relax_end_x = j + 1 < stream->length                 ? 0
                           : measure->relax_end_x < query->length ? measure->relax_end_x
                                                                  : query->length - 1;
        values[j] = wwr_distance(&open, NULL, query, &y);
        if (isnan(values[j])) // too few points for a derivative
            values[j] = INFINITY;
    }
    free(part);
}

size_t wwr_search_choose(const double *values, size_t count, size_t exclusion, size_t k, int most, size_t *places) {
    size_t found = 0;
    for (; found < k; found++) {
        size_t best = count;
        for (size_t p = 0; p < count; p++) {
            int taken = isfinite(values[p]) != 0;
            for (size_t i = 0; taken && i < found; i++) {
                const size_t apart = places[i] > p ? places[i] - p : p - places[i];
                taken = apart >= (exclusion ? exclusion : 1);
            }
            if (taken && (best == count || (most ? values[p] > values[best] : values[p] < values[best])))
                best = p;
        }
        if (best == count)
            break;
        places[found] = best;
    }
    return found;
}

// ---- the cascade

typedef struct ordered {
    double size;
    size_t t;
} ordered;

static int largest_first(const void *a, const void *b) {
    const ordered *x = a, *y = b;
    return (x->size < y->size) - (x->size > y->size);
}

// The least and the largest of the values up to `reach` away, by queues of candidates (Lemire 2009).
static void envelope(const double *values, size_t count, size_t reach, double *low, double *high) {
    size_t *down = malloc(count * sizeof *down), *up = malloc(count * sizeof *up);
    size_t down_first = 0, down_end = 0, up_first = 0, up_end = 0;
    for (size_t t = 0; t < count + reach; t++) {
        if (t < count) {
            while (down_end > down_first && values[down[down_end - 1]] >= values[t])
                down_end--;
            down[down_end++] = t;
            while (up_end > up_first && values[up[up_end - 1]] <= values[t])
                up_end--;
            up[up_end++] = t;
        }
        if (t >= reach) {
            const size_t at = t - reach;
            while (down[down_first] + reach < at)
                down_first++;
            while (up[up_first] + reach < at)
                up_first++;
            low[at] = values[down[down_first]];
            high[at] = values[up[up_first]];
        }
    }
    free(up);
    free(down);
}

static double square(double t) {
    return t * t;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

// DTW of z-normalised series, given up when a row's least value and what the bound says of the rest exceed `best`.
static double banded(const double *x, const double *y, size_t n, size_t reach, const double *rest, double best,
                     double *rows) {
    double *above = rows, *row = rows + n + 1;
    for (size_t j = 0; j <= n; j++)
        above[j] = row[j] = INFINITY;
    above[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t from = i > reach ? i - reach : 0, to = i + reach + 1 < n ? i + reach + 1 : n;
        double smallest = INFINITY;
        row[from] = INFINITY;
        for (size_t j = from; j < to; j++) {
            row[j + 1] = square(x[i] - y[j]) + least(least(row[j], above[j + 1]), above[j]);
            smallest = least(smallest, row[j + 1]);
        }
        if (to < n)
            row[to + 1] = INFINITY;
        if (i + reach + 1 < n && smallest + rest[i + reach + 1] >= best)
            return INFINITY;
        double *other = above;
        above = row;
        row = other;
    }
    return above[n];
}

void wwr_ucr_search(const double *query, size_t n, const double *stream, size_t length, size_t reach, size_t *place,
                    double *distance) {
    double *room = malloc((12 * n + 2 * length + 16) * sizeof *room);
    double *x = room, *x_low = x + n, *x_high = x_low + n, *y = x_high + n, *terms = y + n, *terms_turned = terms + n,
           *rest = terms_turned + n, *rows = rest + n + 1, *low = rows + 2 * n + 2, *high = low + length;
    ordered *order = malloc(n * sizeof *order);
    double best = INFINITY, sum = 0, squares = 0;
    memcpy(x, query, n * sizeof *x);
    wwr_znormalise(x, n);
    envelope(x, n, reach, x_low, x_high);
    envelope(stream, length, reach, low, high);
    for (size_t t = 0; t < n; t++)
        order[t] = (ordered){fabs(x[t]), t};
    qsort(order, n, sizeof *order, largest_first);
    *place = 0;
    for (size_t t = 0; t < length; t++) {
        sum += stream[t];
        squares += stream[t] * stream[t];
        if (t + 1 < n)
            continue;
        const size_t p = t + 1 - n;
        const double *at = stream + p;
        const double mean = sum / (double)n, variance = squares / (double)n - mean * mean,
                     deviation = sqrt(variance > 0 ? variance : 0), scale = deviation > 0 ? 1 / deviation : 0;
        sum -= at[0];
        squares -= at[0] * at[0];
        // LB_Kim, hierarchically: one, two and three points at each end.
        const double y0 = (at[0] - mean) * scale, y9 = (at[n - 1] - mean) * scale;
        double bound = square(x[0] - y0) + (n > 1 ? square(x[n - 1] - y9) : 0);
        if (bound >= best)
            continue;
        if (n >= 4 && reach > 0) {
            const double y1 = (at[1] - mean) * scale, y8 = (at[n - 2] - mean) * scale;
            bound += least(least(square(x[0] - y1), square(x[1] - y0)), square(x[1] - y1));
            if (bound >= best)
                continue;
            bound += least(least(square(x[n - 1] - y8), square(x[n - 2] - y9)), square(x[n - 2] - y8));
            if (bound >= best)
                continue;
        }
        bound = 0;
        for (size_t k = 0; k < n && bound < best; k++) {
            const size_t j = order[k].t;
            const double v = (at[j] - mean) * scale;
            terms[j] = v > x_high[j] ? square(v - x_high[j]) : v < x_low[j] ? square(v - x_low[j]) : 0;
            bound += terms[j];
        }
        if (bound >= best)
            continue;
        double turned = 0;
        for (size_t k = 0; k < n && turned < best; k++) {
            const size_t i = order[k].t;
            const double u = (high[p + i] - mean) * scale, l = (low[p + i] - mean) * scale;
            terms_turned[i] = x[i] > u ? square(x[i] - u) : x[i] < l ? square(l - x[i]) : 0;
            turned += terms_turned[i];
        }
        if (turned >= best)
            continue;
        const double *larger = bound > turned ? terms : terms_turned;
        rest[n] = 0;
        for (size_t i = n; i-- > 0;)
            rest[i] = rest[i + 1] + larger[i];
        for (size_t j = 0; j < n; j++)
            y[j] = (at[j] - mean) * scale;
        const double found = banded(x, y, n, reach, rest, best, rows);
        if (found < best) {
            best = found;
            *place = p;
        }
    }
    *distance = best;
    free(order);
    free(room);
}
