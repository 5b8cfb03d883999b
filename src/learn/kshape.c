// SPDX-License-Identifier: Apache-2.0
// Shapes: where series lie by their shape-based distance to centres (sbd.c), and the shape of a cluster. The iterations
// are those of kmeans.c.
#include "learn/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "base/normal.h"
#include "data/dataset_host.h"

enum { MOST_TURNS = 1000 }; // of a power iteration
#define TURNED 1e-11        // by so little a direction no longer changes

struct wwi_shapes {
    ww_dataset *data;
    ww_sbd_options options;
    size_t count, channels, length;
    double *values;  // z-normalised, series after series
    int32_t *shifts; // of each, onto the centre that it was placed by
};

void wwi_shapes_close(wwi_shapes **shapes) {
    wwi_shapes *s = wwi_taken(shapes);
    if (!s)
        return;
    free(s->values);
    free(s->shifts);
    free(s);
}

size_t wwi_shapes_length(const wwi_shapes *s) {
    return s->length;
}

ww_status wwi_shapes_open(ww_dataset *data, const ww_run_options *run, wwi_shapes **shapes) {
    WWI_ENDS(wwi_shapes_close) wwi_shapes *s = NULL;
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_TRY(wwi_new_zeroed(s, 1));
    WWI_TRY(wwi_dataset_series(data, &set));
    *s = (wwi_shapes){.data = data,
                      .options = WW_SBD_OPTIONS_INIT,
                      .count = ww_series_set_count(set),
                      .channels = ww_series_set_channels(set),
                      .length = ww_series_set_length(set, 0)};
    s->options.run = run;
    const size_t each = s->channels * s->length;
    if (ww_series_set_min_length(set) != ww_series_set_max_length(set)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "series of %zu to %zu points have no shape in common",
                 ww_series_set_min_length(set), ww_series_set_max_length(set));
        return wwi_fail_hint("k-shape is for series of one length: cut or resample them");
    }
    WWI_TRY(wwi_new(s->values, s->count * each));
    WWI_TRY(wwi_new_zeroed(s->shifts, s->count));
    for (size_t i = 0; i < s->count; i++) {
        memcpy(s->values + i * each, ww_series_set_values(set, i), each * sizeof *s->values);
        for (size_t c = 0; c < s->channels; c++)
            wwi_znormalise(s->values + i * each + c * s->length, s->length);
    }
    *shapes = wwi_taken(&s);
    return WW_OK;
}

// ---- distances

// Those of `rows` to all series, in double.
static ww_status measure(const wwi_shapes *s, ww_dataset *rows, size_t count, double **distances, int32_t **shifts) {
    WWI_FREES unsigned char *found = NULL;
    const size_t all = count * s->count;
    WWI_TRY(wwi_new(found, all * wwi_precision_bytes(s->data->precision)));
    WWI_TRY(wwi_new(*distances, all));
    WWI_TRY(wwi_new(*shifts, all));
    WWI_TRY(ww_sbd(rows, s->data, &s->options, found, *shifts));
    for (size_t i = 0; i < all; i++)
        (*distances)[i] = wwi_value_at(found, s->data->precision, i);
    return WW_OK;
}

ww_status wwi_shapes_place(wwi_shapes *s, ww_dataset *centres, int64_t *labels, double *distances) {
    WWI_FREES double *all = NULL;
    WWI_FREES int32_t *shifts = NULL;
    const size_t k = ww_dataset_count(centres);
    WWI_TRY(measure(s, centres, k, &all, &shifts));
    for (size_t i = 0; i < s->count; i++) {
        size_t best = 0;
        for (size_t c = 1; c < k; c++)
            best = all[c * s->count + i] < all[best * s->count + i] ? c : best;
        labels[i] = (int64_t)best;
        distances[i] = all[best * s->count + i];
        s->shifts[i] = shifts[best * s->count + i];
    }
    return WW_OK;
}

ww_status wwi_shapes_place_one(wwi_shapes *s, ww_dataset *centres, size_t series, size_t c, double *distance) {
    WWI_FREES double *all = NULL;
    WWI_FREES int32_t *shifts = NULL;
    WWI_TRY(measure(s, centres, ww_dataset_count(centres), &all, &shifts));
    *distance = all[c * s->count + series];
    s->shifts[series] = shifts[c * s->count + series];
    return WW_OK;
}

ww_status wwi_shapes_lower(wwi_shapes *s, size_t series, double *least) {
    WWI_FREES double *all = NULL;
    WWI_FREES int32_t *shifts = NULL;
    WWI_ENDS(ww_dataset_destroy) ww_dataset *one = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    view.values = s->values + series * s->channels * s->length;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.channels = s->channels;
    view.length = s->length;
    options.precision = s->data->precision;
    WWI_TRY(ww_dataset_create(s->data->context, &view, &options, &one));
    WWI_TRY(measure(s, one, 1, &all, &shifts));
    for (size_t i = 0; i < s->count; i++)
        least[i] = fmin(least[i], all[i]);
    return WW_OK;
}

// ---- the shape of a cluster

// A member's channel, shifted; behind its ends it is 0.
static void shifted(const wwi_shapes *s, size_t member, size_t c, double *to) {
    const double *from = s->values + (member * s->channels + c) * s->length;
    const int64_t n = (int64_t)s->length, by = s->shifts[member];
    for (int64_t t = 0; t < n; t++)
        to[t] = t - by >= 0 && t - by < n ? from[t - by] : 0;
}

static double product(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t t = 0; t < n; t++)
        sum += a[t] * b[t];
    return sum;
}

// Takes the mean off, and makes the norm 1; false: nothing is left.
static bool make_direction(double *x, size_t n) {
    double mean = 0;
    for (size_t t = 0; t < n; t++)
        mean += x[t] / (double)n;
    for (size_t t = 0; t < n; t++)
        x[t] -= mean;
    const double norm = sqrt(product(x, x, n));
    for (size_t t = 0; norm > 0 && t < n; t++)
        x[t] /= norm;
    return norm > 0;
}

// The first eigenvector of the sums of products of `rows` without their means, by powers from `shape` on.
static ww_status find_direction(const double *rows, size_t count, size_t n, double *shape) {
    WWI_FREES double *next = NULL;
    WWI_TRY(wwi_new(next, n));
    if (!make_direction(shape, n))
        for (size_t t = 0; t < n; t++)
            shape[t] = t < n / 2 ? 1 : -1;
    (void)make_direction(shape, n);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        memset(next, 0, n * sizeof *next);
        for (size_t i = 0; i < count; i++) {
            const double by = product(rows + i * n, shape, n);
            for (size_t t = 0; t < n; t++)
                next[t] += by * rows[i * n + t];
        }
        if (!make_direction(next, n))
            return WW_OK; // all members are constant where they lie
        double turned = 0;
        for (size_t t = 0; t < n; t++)
            turned += (next[t] - shape[t]) * (next[t] - shape[t]);
        memcpy(shape, next, n * sizeof *next);
        if (turned < TURNED * TURNED)
            return WW_OK;
    }
    return WW_OK;
}

// Of an eigenvector and its negative the one that is nearer to the members.
static void choose_sign(const double *rows, size_t count, size_t n, double *shape) {
    double same = 0, other = 0;
    for (size_t i = 0; i < count; i++) {
        const double by = product(rows + i * n, shape, n), size = product(rows + i * n, rows + i * n, n) + 1;
        same += sqrt(fmax(size - 2 * by, 0));
        other += sqrt(fmax(size + 2 * by, 0));
    }
    for (size_t t = 0; other < same && t < n; t++)
        shape[t] = -shape[t];
}

ww_status wwi_shapes_centre(const wwi_shapes *s, const size_t *members, size_t count, const double *before,
                            double *shape) {
    WWI_FREES double *rows = NULL;
    WWI_TRY(wwi_new(rows, count * s->length));
    memcpy(shape, before, s->channels * s->length * sizeof *shape);
    for (size_t c = 0; c < s->channels; c++) {
        double *own = shape + c * s->length;
        for (size_t i = 0; i < count; i++)
            shifted(s, members[i], c, rows + i * s->length);
        WWI_TRY(find_direction(rows, count, s->length, own));
        choose_sign(rows, count, s->length, own);
        wwi_znormalise(own, s->length);
    }
    return WW_OK;
}
